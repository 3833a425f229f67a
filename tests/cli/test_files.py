"""Files as other programs write them: whatever their separators, quotes, row names, decimal commas and compression, the model is the same."""

import gzip
import io
import re
import resource
import subprocess
import zlib

import numpy as np
import pytest

from command import IS_SANITIZED, LONG, call_of, run, run_well

IDS = ["u", "v w", "x, y", 'z "z"', "t", "s"]
A = [1.5, -2.25, 4, 8, 0.5, 16]
B = [5, 6, None, 7, 1, 2]
K = ["red", "dark; blue", "red", "tab\tbed", "red", "line\nend"]
Y = [1.5, 2, 4.25, 8, 1, 3]
Z = [[abs(a - b) for b in A] for a in A]
EDGES = [(0, 1, 0.5), (1, 2, 1.25), (3, 4, 2), (4, 5, 0.75)]


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


class Writer:
    """Text as a program writes it.  names: how rows are called: a column with a name, without one, or below a header that is a cell short"""

    def __init__(self, separator=",", decimal=".", names="column", missing="NA"):
        self.separator, self.decimal, self.names, self.missing = separator, decimal, names, missing

    def cell(self, value):
        if value is None:
            return self.missing
        return quoted(value) if isinstance(value, str) else repr(value).replace(".", self.decimal)

    def table(self, header, rows, names):
        first = {"column": ["id"], "nameless": [""], "short": []}[self.names]
        lines = [first + header] + [[name, *row] for name, row in zip(names, rows)]
        return "".join(self.separator.join(map(self.cell, line)) + "\n" for line in lines)

    def items(self):
        return self.table(["a", "b", "k", "y"], list(zip(A, B, K, Y)), IDS)

    def matrix(self):
        return Writer(self.separator, self.decimal, "short" if self.names == "short" else "nameless").table(IDS, Z, IDS)

    def listed(self, header, triples):
        """Pairs: with row names where the items have them without a header."""
        rows = [(IDS[i], IDS[j], value) for i, j, value in triples]
        if self.names != "column":
            return self.table(header, rows, [str(k + 1) for k in range(len(rows))])
        lines = [header, *rows]
        return "".join(self.separator.join(map(self.cell, line)) + "\n" for line in lines)

    def pairs(self):
        return self.listed(["i", "j", "distance"], [(i, j, Z[i][j]) for i in range(6) for j in range(i)])

    def edges(self):
        return self.listed(["source", "target", "weight"], EDGES)


WRITERS = {
    "read.csv's": Writer(),
    "write.csv": Writer(names="nameless"),
    "write.csv2": Writer(";", ",", "nameless"),
    "write.table": Writer(" ", ".", "short"),
    "write.table with commas": Writer(" ", ",", "short"),
    "write.table, tabs": Writer("\t", ".", "short"),
    "write.table, commas between": Writer(",", ".", "short"),
    "a spreadsheet's": Writer(";", ",", missing=""),
    "tabs and commas": Writer("\t", ",", missing=""),
}
TARGETS = {"matrix": "--distances", "pairs": "--pairs", "edges": "--edges"}


def learn(folder, writer, target, suffix="", pack=lambda text: text.encode()):
    """The bytes of a model, but for the name of the id column, and what was said."""
    (folder / f"i{suffix}").write_bytes(pack(writer.items()))
    words = "--response y"
    if target in TARGETS:
        (folder / f"t{suffix}").write_bytes(pack(getattr(writer, target)()))
        words = f"--ignore y {TARGETS[target]} t{suffix}"
    done = run_well(f"fit i{suffix} {words} --trees 5 -o made", folder)
    return run_well("export made --format json", folder).stdout, done.stderr.decode()


@pytest.mark.parametrize("target", ["response", *TARGETS])
@pytest.mark.parametrize("name", WRITERS)
def test_a_file_in_any_dialect_grows_the_same_forest(folder, name, target):
    writer = WRITERS[name]
    forest, said = learn(folder, writer, target)
    assert forest == learn(folder, WRITERS["read.csv's"], target, ".plain")[0]
    lines = said.splitlines()
    assert len([line for line in lines if "decimal commas" in line]) == (writer.decimal == ",") * (1 + (target in TARGETS))
    assert len([line for line in lines if "cells separated by spaces" in line]) == (writer.separator == " ") * (1 + (target in TARGETS))
    where = "'id'" if writer.names == "column" else "the first column, which has no name"
    ignored = "" if target == "response" else ", ignored 'y'"
    assert lines[0].partition("; ")[0] == f"smerf: i: 6 items, 3 features (2 numbers, 1 category), ids in {where}{ignored}"


@pytest.mark.parametrize("target", ["response", *TARGETS])
def test_a_compressed_file_grows_the_same_forest(folder, target):
    plain = learn(folder, Writer(), target)[0]
    assert plain == learn(folder, Writer(), target, ".gz", lambda text: gzip.compress(text.encode()))[0]
    assert plain == learn(folder, Writer(), target, ".csv", lambda text: gzip.compress(text.encode()))[0]  # by its content


def test_standard_input_may_be_compressed(folder):
    run_well("fit items.csv --distances z.csv --trees 4 -o plain", folder)
    run_well("fit - --distances z.csv --trees 4 -o piped", folder, stdin=gzip.compress((folder / "items.csv").read_bytes()))
    assert (folder / "plain").read_bytes() == (folder / "piped").read_bytes()


OUTPUTS = {
    "predict": "predict model items.csv",
    "predict pairs": "predict model items.csv --pairs observed.csv",
    "neighbors": "neighbors model --items items.csv -k 2",
    "importance": "importance model",
    "cluster": "cluster model items.csv -k 2",
    "embed": "embed model items.csv --dim 1",
    "explain": "explain model items.csv --pair u v",
    "export": "export model --format json",
    "info": "info model",
    "evaluate": "evaluate model items.csv --distances z.csv",
    "report": "report model items.csv",
}
SUFFIXES = {"export": ".json", "info": ".txt", "evaluate": ".txt", "report": ".html"}  # of the others: .csv


@pytest.mark.parametrize("name", OUTPUTS)
def test_an_output_called_gz_is_the_same_compressed(folder, name):
    plain = "o" + SUFFIXES.get(name, ".csv")
    for out in (plain, f"{plain}.gz", "again.gz"):
        run_well(f"{OUTPUTS[name]} -o {out}", folder)
    packed = (folder / f"{plain}.gz").read_bytes()
    assert gzip.decompress(packed).replace(plain.encode() + b".gz", plain.encode()) == (folder / plain).read_bytes()
    assert packed[4:8] == bytes(4)  # no time
    if name != "report":
        assert packed == (folder / "again.gz").read_bytes()


def test_what_was_written_compressed_is_read_back(folder):
    run_well("predict model items.csv -o z.csv.gz", folder)
    run_well("fit items.csv --distances z.csv.gz --symmetrize mean --trees 4 -o again", folder)


def test_a_compressed_graph_is_written_and_read_back(folder):
    run_well("neighbors model --items items.csv -k 2 --symmetric --graph near.mtx", folder)
    run_well("neighbors model --items items.csv -k 2 --symmetric --graph near.mtx.gz", folder)
    assert gzip.decompress((folder / "near.mtx.gz").read_bytes()) == (folder / "near.mtx").read_bytes()
    run_well("fit items.csv --edges near.mtx.gz --trees 4 -o a", folder)
    run_well("fit items.csv --edges near.mtx --trees 4 -o b", folder)
    assert (folder / "a").read_bytes() == (folder / "b").read_bytes()


def test_a_full_disk_is_noticed_through_compression(folder):
    (folder / "full.gz").symlink_to("/dev/full")
    done = run("predict model items.csv -o full.gz", folder)
    assert (done.returncode, done.stderr) == (1, b"smerf: full.gz: cannot be written: No space left on device\n")


@pytest.mark.skipif(IS_SANITIZED, reason="sanitizers want more memory than there is here")
def test_little_that_becomes_much_is_stopped_by_memory(folder):
    packer = zlib.compressobj(1, wbits=31)
    zeros = b"0,1\n" * (1 << 20)
    (folder / "bomb.gz").write_bytes(b"".join(packer.compress(zeros) for _ in range(160)) + packer.flush())
    most = 400 << 20  # bytes of address space
    done = subprocess.run(call_of("fit bomb.gz --distances z.csv -o m"), cwd=folder, capture_output=True, timeout=LONG,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)))  # fmt: skip
    assert done.returncode == 1
    assert re.fullmatch(rb"smerf: bomb.gz: out of memory when 0.[0-9] GB of it had been decompressed\n", done.stderr)


# ---- items without a target ----

GAPS = "id,a,k,y,c\nu,1,p,1.5,red\nv,2,odd,NA,red\nw,4,p,4,\nx,8,q,8,green\ny,3,q,2,red\nz,5,p,,blue\nt,7,q,9,blue\n"


def without(column):
    """The same file without the rows that lack it."""
    head, *rows = GAPS.splitlines()
    at = head.split(",").index(column)
    return "\n".join([head, *(row for row in rows if row.split(",")[at] not in ("", "NA"))]) + "\n"


@pytest.mark.parametrize("words, column, n", [("--response y --ignore c", "y", 2), ("--absolute y --ignore c", "y", 2),
                                              ("--product y --ignore c", "y", 2), ("--labels c --ignore y", "c", 1)])  # fmt: skip
def test_dropping_items_without_a_target_is_learning_from_the_others(folder, words, column, n):
    (folder / "gaps.csv").write_text(GAPS)
    (folder / "whole.csv").write_text(without(column))
    done = run_well(f"fit gaps.csv {words} --drop-missing --trees 5 -o dropped", folder)
    assert f"; left out {n} item{'s' * (n > 1)} without a target\n" in done.stderr.decode()
    run_well(f"fit whole.csv {words} --trees 5 -o whole", folder)
    assert (folder / "dropped").read_bytes() == (folder / "whole").read_bytes()
    target = words.partition(" --ignore")[0]
    for command in ("evaluate dropped {} {}", "evaluate dropped {} {} --oob", "importance dropped {} {} --permutation"):
        both = [run_well(command.format(items, target) + option, folder).stdout
                for items, option in (("gaps.csv", " --drop-missing"), ("whole.csv", ""))]
        assert both[0] == both[1], command


def test_a_report_and_a_tuned_model_leave_out_items_too(folder):
    (folder / "gaps.csv").write_text(GAPS)
    (folder / "whole.csv").write_text(without("y"))
    run_well("fit whole.csv --response y --trees 5 -o m", folder)
    assert "left out 2 items" in run_well("report m gaps.csv --response y --drop-missing -o r.html", folder).stderr.decode()
    for items, option in (("gaps.csv", "--drop-missing"), ("whole.csv", "")):
        run_well(f"tune {items} --response y --metric rmse --trees 5 -o tuned-{items}.smerf {option}", folder)
    assert (folder / "tuned-gaps.csv.smerf").read_bytes() == (folder / "tuned-whole.csv.smerf").read_bytes()


def test_a_split_leaves_them_out_and_calls_rows_as_in_the_file(folder):
    (folder / "gaps.csv").write_text(GAPS)
    (folder / "no-ids.csv").write_text("\n".join(line.partition(",")[2] for line in GAPS.splitlines()) + "\n")
    run_well("split gaps.csv --response y --drop-missing --by nodes --train 0.5 -o parts", folder)
    run_well("split no-ids.csv --response y --drop-missing --by pairs --train 0.5 -o some", folder)
    kept = [line for part in ("train", "test") for line in (folder / f"parts/{part}-items.csv").read_text().splitlines()[1:]]
    assert sorted(kept) == sorted(without("y").splitlines()[1:])
    names = [line.partition(",")[0] for line in (folder / "some/items.csv").read_text().splitlines()[1:]]
    assert names == ["0", "2", "3", "4", "6"]
    run_well("fit some/items.csv --ignore y,c --pairs some/train-pairs.csv --trees 4 -o m", folder)


def test_rows_of_an_array_are_dropped_too(folder):
    x = np.arange(24.0).reshape(8, 3) ** 2 % 7
    x[2, 1] = x[5, 1] = np.nan
    for name, rows in (("gaps.npy", x), ("whole.npy", np.delete(x, [2, 5], axis=0))):
        file = io.BytesIO()
        np.save(file, rows)
        (folder / name).write_bytes(file.getvalue())
    done = run_well("fit gaps.npy --response 1 --drop-missing --trees 5 -o a", folder)
    assert "smerf: gaps.npy: 6 items, 2 features (numbers), no ids; left out 2 items without a target\n" in done.stderr.decode()
    run_well("fit whole.npy --response 1 --trees 5 -o b", folder)
    assert (folder / "a").read_bytes() == (folder / "b").read_bytes()


# ---- what a reading says ----

def test_a_line_says_what_was_taken_and_quiet_says_nothing(folder):
    many = ",".join(f"c{k}" for k in range(9))
    (folder / "wide.csv").write_text(f"id,a,b,{many}\n" + "".join(f"{name},1,{k},{','.join('1' * 9)}\n" for k, name in enumerate("uvwx")))
    said = run_well(f"fit wide.csv --distances z.csv --ignore {many} --trees 4 -o m", folder).stderr.decode()
    assert said.startswith("smerf: wide.csv: 4 items, 2 features (numbers), ids in 'id', ignored 'c0', 'c1', 'c2', 'c3', 'c4' and 4 more\n")
    said = run_well("predict m wide.csv", folder).stderr.decode()
    assert said == "smerf: wide.csv: 4 items, 2 features of the model, ids in 'id', ignored 'c0', 'c1', 'c2', 'c3', 'c4' and 4 more\n"
    assert run_well("predict m wide.csv --quiet", folder).stderr == b""


def test_an_id_column_wins_over_a_nameless_one_which_is_no_feature(folder):
    (folder / "both.csv").write_text('"",id,a,b\n1,u,1,5\n2,v,2,6\n3,w,4,9\n4,x,8,7\n')
    said = run_well("fit both.csv --distances z.csv --trees 4 -o m", folder).stderr.decode()
    assert said.startswith("smerf: both.csv: 4 items, 2 features (numbers), ids in 'id', ignored the first column, which has no name\n")
    assert (folder / "m").read_bytes() != b"" and run_well("info m --json", folder).stdout.count(b'"name": ""') == 0


def test_a_model_finds_its_ids_in_a_file_that_calls_them_otherwise(folder):
    nameless = (folder / "items.csv").read_text().replace("id,", ",", 1)
    (folder / "r.csv").write_text(nameless)
    assert run_well("predict model r.csv", folder).stdout == run_well("predict model items.csv", folder).stdout
    run_well("fit r.csv --distances z.csv --trees 4 -o of-r", folder)
    assert run_well("predict of-r items.csv", folder).stdout == run_well("predict model items.csv", folder).stdout


# ---- names among the features ----

def named(n, n_different, also=""):
    return f"name,a{also and ',' + also}\n" + "".join(f"n{k % n_different},{k % 7}{also and f',{also}{k}'}\n" for k in range(n))


@pytest.mark.parametrize("n, n_different, is_refused", [(21, 21, True), (20, 20, False), (40, 20, False), (50, 25, False), (50, 26, True),
                                                        (60, 21, False), (1000, 501, True), (1000, 500, False)])  # fmt: skip
def test_a_column_of_names_is_no_feature(folder, n, n_different, is_refused):
    (folder / "n.csv").write_text(named(n, n_different))
    done = run("fit n.csv --response a --trees 1 -o m", folder)
    assert (done.returncode == 2) == is_refused
    if is_refused:
        assert done.stderr.decode() == (
            f'smerf: n.csv:2:1: column "name" holds {n_different} different texts in {n} items, and looks like a name: '
            "give --id or --ignore; --categories takes it all the same\n")
        run_well("fit n.csv --response a --categories name --trees 1 -o m", folder)
        run_well("predict m n.csv", folder)  # the model says what is a feature
        (folder / "f.csv").write_text(named(n, n_different, "other"))
        assert '; likewise "other" ("other0")\n' in run("fit f.csv --response a --trees 1 -o m", folder).stderr.decode()
        run_well("split n.csv --response a --by nodes --train 0.5 -o parts", folder)
