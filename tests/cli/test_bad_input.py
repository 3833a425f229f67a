"""Bad input is refused with one line and the right exit status, and leaves everything as it was."""

import re

import pytest

import bad_clusters
import bad_explain
import bad_files
import bad_input
import bad_lists
import bad_models
import bad_reports
import bad_targets
import bad_triplets
from command import IS_SANITIZED, run
from damage import flip, header_end
from workspace import ITEMS

CASES = [*bad_input.CASES, *bad_clusters.CASES, *bad_explain.CASES, *bad_files.CASES, *bad_lists.CASES, *bad_models.CASES,
         *bad_reports.CASES, *bad_targets.CASES, *bad_triplets.CASES]
LEAST_CASES = 40  # what the issue asks for


def put(files, folder):
    for name, content in files.items():
        if callable(content):  # of the first model
            content = ("model", content)
        if isinstance(content, tuple):
            content = content[1]((folder / content[0]).read_bytes())
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def content_of(folder):
    """Every file with its bytes, every folder and link by name."""
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def error_of(done):
    """What stands on standard error, without what differs between machines."""
    return re.sub(r"[0-9.]+ GB are free", "FREE GB are free", done.stderr.decode())


def check(case, folder):
    put(case.files, folder)
    before = content_of(folder)
    done = run(case.words, folder)
    assert error_of(done) == f"smerf: {case.line}\n"
    assert done.returncode == case.code
    assert done.stdout == b""
    assert content_of(folder) == before


def named(cases):
    return [pytest.param(case, id=case.name) for case in cases]


@pytest.mark.parametrize("case", named(CASES))
def test_one_line_says_what_is_wrong_and_nothing_changes(case, folder):
    check(case, folder)


def test_cases_are_many_and_have_names_of_their_own():
    names = [case.name for case in CASES]
    assert len(CASES) >= LEAST_CASES
    assert len(names) == len(set(names))


# ---- damaged models, many at once ----


def refusal(model, folder):
    """The line about a damaged model, after the file's name."""
    (folder / "bad").write_bytes(model)
    done = run("info bad", folder)
    line = done.stderr.decode()
    assert done.returncode == 2 and done.stdout == b"" and line.count("\n") == 1, f"{line!r}, {done.returncode}"
    assert line.startswith("smerf: bad: is "), line
    return line.removeprefix("smerf: bad: ").rstrip("\n")


def test_a_model_cut_short_anywhere_in_its_header_is_refused(folder):
    model = (folder / "model").read_bytes()
    end = header_end(model)
    lengths = [*range(0, end, 23 if IS_SANITIZED else 1), end]
    lines = {refusal(model[:n], folder).split(":")[0] for n in lengths}
    assert lines == {"is not a smerf model", "is cut short", "is damaged"}


def test_a_flipped_bit_is_found(folder):
    model = (folder / "model").read_bytes()
    places = [*range(0, 72, 9 if IS_SANITIZED else 1), *range(72, len(model), 23), len(model) - 1]
    for place in places:
        refusal(flip(place, bit=place % 8)(model), folder)


@pytest.mark.parametrize("words", ["predict bad items.csv -o out", "evaluate bad items.csv --distances z.csv",
                                   "importance bad -o out", "export bad -o out", "merge bad next -o out"])  # fmt: skip
def test_every_command_refuses_a_damaged_model(words, folder):
    model = (folder / "model").read_bytes()
    (folder / "bad").write_bytes(flip(-1)(model))
    before = content_of(folder)
    done = run(words, folder)
    assert done.stderr == b"smerf: bad: is damaged: the checksum does not fit the content\n"
    assert (done.returncode, done.stdout) == (2, b"")
    assert content_of(folder) == before


# ---- odd, but not bad ----


def test_items_that_are_all_equal_make_trees_of_one_leaf(folder):
    (folder / "equal.csv").write_text(ITEMS.splitlines()[0] + "\nu,1,5\nv,1,5\nw,1,5\nx,1,5\n")
    assert run("fit equal.csv --distances z.csv --trees 3 --quiet -o same", folder).returncode == 0
    facts = dict(line.rsplit(maxsplit=1) for line in run("info same", folder).stdout.decode().splitlines()[:9])
    assert (facts["trees"], facts["nodes"], facts["leaves"]) == ("3", "3", "3")
    rows = run("predict same equal.csv", folder).stdout.decode().splitlines()[1:]
    assert len({cell for row in rows for cell in row.split(",")[1:]}) == 1


def test_equal_distances_make_trees_of_one_leaf(folder):
    (folder / "zero.csv").write_text("0,0,0,0\n" * 4)
    assert run("fit items.csv --distances zero.csv --trees 3 --quiet -o same", folder).returncode == 0
    assert run("importance same", folder).stdout == b"feature,importance\na,0\nb,0\n"
    assert run("predict same items.csv", folder).stdout.decode() == (
        ",u,v,w,x\nu,0,0,0,0\nv,0,0,0,0\nw,0,0,0,0\nx,0,0,0,0\n")  # fmt: skip
