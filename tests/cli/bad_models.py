"""Models that are damaged, or are none."""

import numpy as np

from bad_case import A_FOLDER, DAMAGED, NOT_THERE, cannot, model
from damage import flip, header_end, safetensors, with_entry, with_fact, with_number, without_entry
from workspace import ITEMS

NO_MODEL = "is not a smerf model, or its first bytes are damaged"
NO_FIT = "the model's pairs do not fit its items"
OVERLAP = "its arrays overlap, or leave gaps"

# ---- of any target ----

READING_MODELS = [
    cannot("model is not there", "info nowhere", f"nowhere: {NOT_THERE}"),
    cannot("model is a folder", "info .", f".: {A_FOLDER}"),
    model("empty model", b"", "is not a smerf model"),
    model("items for a model", ITEMS, "is not a smerf model"),
    model("another program's tensors", safetensors(b'{"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}', b"\0"),
          NO_MODEL),
    model("another program's facts", safetensors(b'{"__metadata__":{"format":"pt"}}', b""), NO_MODEL),
    model("model without its last byte", lambda good: good[:-1], DAMAGED),
    model("model without its arrays", lambda good: good[: header_end(good)], DAMAGED),
    model("model with a byte more", lambda good: good + b"\0", DAMAGED),
    model("flipped bit in the last byte", flip(-1), DAMAGED),
    model("flipped bit in the checksum", flip(40), DAMAGED),
    model("flipped bit in the header", flip(100), DAMAGED),
    model("flipped bit in the first words", flip(12), NO_MODEL),
    model("other version", with_fact("format_version", "3"), "has format version 3, and this smerf reads versions 1 and 2"),
    model("other format", with_fact("format", "other"), "is not a smerf model"),
    model("other method", with_fact("method", "guess"),
          "was made by the method 'guess', which this smerf does not know"),
    model("other target", with_fact("target", "guess"), "has a target of kind 'guess', which this smerf does not know"),
    model("model of 2^32 - 1 trees", with_fact("n_trees", "4294967295"),
          "is damaged: the model's array 'tree.n_leaves' is absent or has the wrong type or length"),
    model("model of 2^32 - 2 items", with_fact("n_items", "4294967294"),
          "is damaged: the model's array 'item.hash' is U64[4] and should be U64[4294967294]"),
    model("model of -4 trees", with_fact("n_trees", "-4"), "is damaged: the facts in its header make no sense"),
    model("model without features", with_fact("features", "[]"), "is damaged: the facts in its header make no sense"),
    model("model without options", with_fact("options", "{}"), "is damaged: the facts in its header make no sense"),
    model("array of absurd length", with_entry("split.gain", shape=[10**18]),
          "is damaged: the header's entry 'split.gain' makes no sense"),
    model("array beyond the file", with_entry("split.gain", data_offsets=[0, 10**18]),
          "is damaged: the header's entry 'split.gain' makes no sense"),
    model("array that ends before it starts", with_entry("split.gain", data_offsets=[48, 0]),
          "is damaged: the header's entry 'split.gain' makes no sense"),
    model("array of unknown type", with_entry("split.gain", dtype="I64"),
          "is damaged: the header's entry 'split.gain' makes no sense"),
    model("array left out", without_entry("split.gain"),
          f"is damaged: {OVERLAP}"),
    model("distances left out", without_entry("target.distances"),
          f"is damaged: {OVERLAP}"),
    model("ids left out", without_entry("item.id"), f"is damaged: {OVERLAP}"),
]

# ---- of one target ----


def damaged(target, name, change, line):
    """A model of another target that is damaged."""
    return model(f"{target} model: {name}", (target, change), f"is damaged: {line}")


def for_each(targets, make):
    return [case for target in targets for case in make(target)]


def of_columns(target, limit, line):
    return [damaged(target, f"{value} among the values", with_number("target.value", 1, value), line)
            for value in (np.nan, -np.inf, limit)]  # fmt: skip


def of_pairs(target):
    array = "target.{}".format
    return [
        *[damaged(target, f"{value} among the values", with_number(array("value"), 1, value),
                  "the model's distances are not all finite") for value in (np.nan, np.inf, 1e39)],
        damaged(target, "partner of no item", with_number(array("partner"), 0, 4), NO_FIT),
        damaged(target, "item as its own partner", with_number(array("partner"), 0, 0), NO_FIT),
        damaged(target, "partners out of order", with_number(array("partner"), -1, 0), NO_FIT),
        damaged(target, "too many partners", with_number(array("n_partners"), 0, 9), NO_FIT),
        damaged(target, "far too many partners", with_number(array("n_partners"), 3, 2**32 - 1), NO_FIT),
        damaged(target, "too few partners", with_number(array("n_partners"), 0, 0), NO_FIT),
        *[damaged(target, f"without {name}", without_entry(array(name)), OVERLAP)
          for name in ("value", "partner", "n_partners")],
    ]  # fmt: skip


OF_A_TARGET = [
    damaged("labels", "label of no class", with_number("target.label", 0, 3),
            "a label of the model is of class 3, and there are 3"),
    damaged("labels", "class that is not UTF-8", with_number("target.class", 0, 0xFF),
            "the classes of the model's labels are not texts in bytewise order"),
    damaged("labels", "classes out of order", with_number("target.class", 0, ord("z")),
            "the classes of the model's labels are not texts in bytewise order"),
    damaged("labels", "empty class", with_number("target.class", 1, 0),
            "the classes of the model's labels are not texts in bytewise order"),
    damaged("labels", "class without end", with_number("target.class", -1, ord("x")),
            "the model does not name the classes of its labels"),
    damaged("labels", "column without end", with_number("target.column", -1, ord("x")),
            "the name of the target's column is not one text"),
    damaged("labels", "column that is not UTF-8", with_number("target.column", 0, 0xFF),
            "the name of the target's column is not one text"),
    *[damaged("labels", f"without {name}", without_entry(f"target.{name}"), OVERLAP)
      for name in ("label", "class", "column")],
    damaged("labels", "labels of another type", with_entry("target.label", dtype="F32"),
            "the model's array 'target.label' is F32[4] and should be U32[4]"),
    damaged("labels", "labels too short", with_entry("target.label", shape=[1]),
            "the header's entry 'target.label' makes no sense"),
    damaged("labels", "as a graph", with_fact("target", "graph"), "the model has no list of pairs"),
    damaged("response", "as labels", with_fact("target", "labels"), "the name of the target's column is not one text"),
    damaged("response", "more columns", with_number("target.column", 0, 0),
            "the model's array 'target.value' is F64[8] and should be F64[12]"),
    *[damaged("product", f"column names with {byte:#x} at {at}", with_number("target.column", at, byte),
              "the names of the model's target columns are not texts") for at, byte in ((-1, ord("x")), (0, 0xFF))],
    damaged("absolute", "two columns", with_number("target.column", 0, 0),
            "the name of the target's column is not one text"),
    *of_columns("response", 1e19, "the model's target.value holds numbers that it cannot have"),
    *of_columns("product", 1e19, "the model's target.value holds numbers that it cannot have"),
    *of_columns("absolute", 1e91, "the values of the model's target are not all numbers up to 1e90"),
    *for_each(("graph", "observed", "pairs", "completed"), of_pairs),
    *[damaged("pairs", f"weight {weight}", with_number("target.weight", 0, weight),
              "the model's weights of pairs are not all from 1e-50 to 1e+50")
      for weight in (0, -1, np.nan, np.inf, 1e60)],
    *[damaged("pairs", f"self-distance {value}", with_number("target.diagonal", 0, value),
              "the model's self-distances are not all finite") for value in (np.nan, np.inf)],
    damaged("pairs", "without weight", without_entry("target.weight"), OVERLAP),
    damaged("pairs", "without diagonal", without_entry("target.diagonal"), OVERLAP),
    *[damaged("completed", f"{value} in {array}", with_number(f"target.{array}", -1, value),
              f"the model's target.{array} holds numbers that it cannot have")
      for array in ("a", "u", "scale") for value in (np.nan, np.inf, 1e300)],
    *[damaged("rank", f"{value} in {array}", with_number(f"target.{array}", -1, value),
              f"the model's target.{array} holds numbers that it cannot have")
      for array in ("a", "u", "scale", "self", "share") for value in (np.nan, np.inf)],
    *[damaged("rank", f"share {share}", with_number("target.share", 0, share),
              "the model's share of the spectrum is not between 0 and 1") for share in (-0.1, 1.5)],
    damaged("rank", "made from nothing known", with_number("target.origin", 0, ord("x")),
            "the model does not say what its low rank was made from"),
    *[damaged(target, f"without {array}", without_entry(f"target.{array}"), OVERLAP)
      for target, arrays in {"rank": ["a", "u", "scale", "self", "share", "origin"],
                             "completed": ["a", "u", "scale", "is_graph"]}.items() for array in arrays],
    *[damaged(target, "flipped bit", flip(-20), "the checksum does not fit the content")
      for target in ("labels", "response", "absolute", "product", "graph", "observed", "pairs", "completed", "rank")],
]  # fmt: skip

CASES = [*READING_MODELS, *OF_A_TARGET]
