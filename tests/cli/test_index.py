"""A kept catalogue: searched, it gives what a search without it gives, byte for byte; grown, it is the one that was made at once."""

import re

import pytest

from command import run, run_well

HEADER = "id,a,b,c,y\n"
COLOURS = ("red", "blue", "", "violet")
QUERIES = HEADER + "".join(f"q{k},{k % 4},{9 - k},{COLOURS[k % 4]},{k / 2}\n" for k in range(9))
MORE = HEADER + "".join(f"m{k},{k % 7},{k},{COLOURS[k // 3 % 4]},{k % 5 or ''}\n" for k in range(40))
MODELS = ["model", "labels", "response", "absolute", "product", "graph", "pairs", "completed", "rank"]


@pytest.fixture
def place(folder):
    (folder / "queries.csv").write_text(QUERIES)
    (folder / "more.csv").write_text(MORE)
    (folder / "joined.csv").write_text((folder / "all.csv").read_text() + MORE.removeprefix(HEADER))
    (folder / "nameless.csv").write_text(re.sub("^[^,]*,", "", MORE, flags=re.MULTILINE))
    return folder


def refused(words, folder, *sentence):
    done = run(words, folder)
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 2 and len(lines) == 1, done.stderr.decode()
    for words in sentence:
        assert words in lines[0]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("wanted", ["-k 3", "-k 99", "--radius 0.8", "-k 2 --radius 0.5 --json", "-k 3 --graph - --quiet"])
def test_an_index_gives_what_a_search_without_it_gives(model, wanted, place):
    run_well(f"index {model} joined.csv -o kept.index", place)
    for queries in ("queries.csv", "joined.csv"):
        for threads in (1, 2, 5):
            ours = run_well(f"neighbors {model} --index kept.index --queries {queries} {wanted} --threads {threads}", place)
            theirs = run_well(f"neighbors {model} joined.csv --queries {queries} {wanted}", place)
            assert ours.stdout == theirs.stdout and len(ours.stdout) > 20


@pytest.mark.parametrize("model", ["labels", "model"])
def test_a_grown_index_is_the_one_made_at_once(model, place):
    run_well(f"index {model} all.csv -o part.index", place)
    before = (place / "part.index").read_bytes()
    said = run_well(f"index {model} more.csv --add part.index -o grown.index", place).stderr.decode()
    assert "smerf: part.index: an index of 4 items\n" in said and "an index of 44 items, written to grown.index" in said
    run_well(f"index {model} joined.csv -o whole.index --threads 1 --quiet", place)
    assert (place / "part.index").read_bytes() == before
    assert (place / "grown.index").read_bytes() == (place / "whole.index").read_bytes()


def test_items_without_ids_are_called_by_their_row(place):
    (place / "bare.csv").write_text("a,b\n1,5\n8,7\n2,6\n")
    run_well("fit bare.csv --response a -o bare --trees 4", place)
    run_well("index bare bare.csv -o bare.index", place)
    ours = run_well("neighbors bare --index bare.index --queries bare.csv -k 3 --quiet", place).stdout
    assert ours == run_well("neighbors bare bare.csv --queries bare.csv -k 3 --quiet", place).stdout


def test_what_an_index_cannot_do_is_refused_in_one_line(place):
    run_well("index model items.csv -o kept.index", place)
    ask = "neighbors model --index kept.index"
    refused(f"{ask} -k 2", place, "--index wants --queries")
    refused("neighbors model items.csv --index kept.index --queries queries.csv -k 2", place, "is said once")
    refused("neighbors model --items items.csv --index kept.index --queries queries.csv -k 2", place, "is said once")
    refused(f"{ask} --queries queries.csv --vote a -k 2", place, "--index and --vote exclude each other")
    refused(f"{ask} --queries queries.csv --oob -k 2", place, "--index and --oob exclude each other")
    refused(f"{ask} --queries queries.csv", place, "how many neighbours")
    refused("index model items.csv", place, "-o FILE is missing")
    refused("index model items.csv -o kept.csv", place, "may end in .index")
    refused("fit items.csv --distances z.csv --trees 2 -o kept.index", place, "a model is written here")
    refused("index model items.csv --add kept.index -o other.index", place, "the id 'u' is in the index already")
    refused("index model nameless.csv --add kept.index -o other.index", place, "have none")
    assert not (place / "other.index").exists()


def test_files_that_are_no_index_of_this_model_are_refused(place):
    run_well("index model items.csv -o kept.index", place)
    good = (place / "kept.index").read_bytes()
    ask = "--queries queries.csv -k 2"
    refused(f"neighbors next --index kept.index {ask}", place, "kept.index: is an index of another model")
    refused(f"neighbors kept.index items.csv {ask}", place, "kept.index: is an index of items, and not a model")
    refused(f"neighbors model --index next {ask}", place, "next: is a model, and not an index")
    refused(f"neighbors model --index items.csv {ask}", place, "items.csv: is not a smerf index")
    run_well("fit items.csv --distances z.csv --method euclidean -o linear", place)
    refused("index linear items.csv -o linear.index", place, "'euclidean'", "no notion of an index")
    for n in (0, 7, 8, 60, len(good) - 1):
        (place / "cut.index").write_bytes(good[:n])
        refused(f"neighbors model --index cut.index {ask}", place, "cut.index: ")
    for at in range(8, len(good), 37):
        (place / "flipped.index").write_bytes(good[:at] + bytes([good[at] ^ 4]) + good[at + 1 :])
        refused(f"neighbors model --index flipped.index {ask}", place, "flipped.index: ")
