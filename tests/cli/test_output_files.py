"""An output is written as its name says, and is none of the files that are read."""

import os
import re
import shlex

import pytest

from command import run, run_well

# Calls that together have every option that names a file. Words that are files of the folder are read; what follows -o,
# --graph or --confusion is written.
CALLS = [
    "fit items.csv --distances z.csv --trees 4 -o new",
    "fit items.csv --similarities z2.csv --trees 4 -o new",
    "fit items.csv --pairs rated.csv --trees 4 -o new",
    "fit items.csv --edges edges.csv --observed observed.csv --trees 4 -o new",
    "fit many.csv --triplets triplets.csv --method mahalanobis -o new",
    "tune items.csv --distances z.csv --trees 20 -o new",
    "tune items.csv --similarities z2.csv --trees 20 -o new",
    "tune many.csv --pairs many-pairs.csv --complete off --trees 20 --grid splits=axis -o new",
    "tune items.csv --edges edges.csv --observed observed.csv --trees 40 --grid splits=axis -o new",
    "predict model items.csv --against moved.csv -o new",
    "predict model items.csv --pairs pairs.csv -o new",
    "neighbors model items.csv --queries moved.csv -k 2 -o new",
    "neighbors model --items items.csv --queries moved.csv -k 2 --graph new",
    "neighbors model --index old --queries moved.csv -k 2 -o new",
    "index model items.csv -o new",
    "index model others.csv --add old -o new",
    "evaluate model items.csv --against moved.csv --distances z.csv -o new",
    "evaluate model items.csv --similarities z2.csv -o new",
    "evaluate model items.csv --pairs rated.csv -o new",
    "evaluate labels all.csv --oob -o scores.txt --confusion new",
    "evaluate graph items.csv --edges edges.csv --observed observed.csv -o new",
    "evaluate model items.csv --triplets few-triplets.csv -o new",
    "compare many.csv --triplets triplets.csv --repeats 1 --methods euclidean -o new",
    "compare many.csv --distances many-z.csv --repeats 1 --methods euclidean -o new",
    "compare many.csv --similarities many-q.csv --repeats 1 --methods euclidean -o new",
    "compare many.csv --pairs many-pairs.csv --repeats 1 --methods euclidean -o new",
    "compare many.csv --edges many-edges.csv --observed many-pairs.csv --by pairs --repeats 1 --methods rfd --trees 9 -o new",
    "importance model items.csv --permutation --distances z.csv -o new",
    "importance model items.csv --permutation --similarities z2.csv -o new",
    "importance model items.csv --permutation --pairs rated.csv -o new",
    "importance graph items.csv --permutation --edges edges.csv --observed observed.csv -o new",
    "explain model items.csv --pair u v --against moved.csv -o new",
    "explain model items.csv --pairs pairs.csv -o new",
    "cluster model items.csv -k 2 -o new",
    "embed model items.csv --dim 1 -o new",
    "report model items.csv --distances z.csv -o new",
    "report model items.csv --similarities z2.csv -o new",
    "report model items.csv --pairs rated.csv -o new",
    "report graph items.csv --edges edges.csv --observed observed.csv -o new",
    "info model -o new",
    "export model --format json -o new",
    "merge model next -o new",
    "split items.csv --distances z.csv --by nodes --train 0.5 -o new",
    "split items.csv --similarities z2.csv --by pairs --train 0.7 -o new",
    "split items.csv --pairs rated.csv --by nodes --train 0.5 -o new",
    "split items.csv --edges edges.csv --observed observed.csv --by pairs --train 0.7 -o new",
    "split many.csv --triplets triplets.csv --by nodes --train 0.5 -o new",
    "simulate radial -n 5 --test 4 -o new",
]
NOT_TAKEN = {command: {"--triplets"} for command in ("tune", "importance", "report")}  # only say that they do not take them
FOLDERS = ("split", "simulate")
FILE_WORDS = "FILE|ITEMS2?|PAIRS|MODEL|DIR"

every_call = pytest.mark.parametrize("words", CALLS)


@pytest.fixture
def place(folder):
    (folder / "pairs.csv").write_text("i,j\nu,v\n")
    (folder / "others.csv").write_text("id,a,b\np,3,6\nq,2,8\n")
    run_well("index model items.csv -o old", folder)
    rows = [(n, n % 3, n % 5) for n in range(30)]
    (folder / "many.csv").write_text("id,a,b\n" + "".join(f"n{n},{a},{b}\n" for n, a, b in rows))
    z = [[abs(a - c) + abs(b - d) for _, c, d in rows] for _, a, b in rows]
    (folder / "many-z.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in z))
    (folder / "many-q.csv").write_text("".join(",".join(str(9 - cell) for cell in row) + "\n" for row in z))
    pairs = [(i, j) for i in range(30) for j in range(i)]
    (folder / "many-pairs.csv").write_text("i,j,distance\n" + "".join(f"n{i},n{j},{z[i][j]}\n" for i, j in pairs))
    links = [(i, j) for i, j in pairs if z[i][j] < 2]
    (folder / "many-edges.csv").write_text("source,target\n" + "".join(f"n{i},n{j}\n" for i, j in links))
    triplets = [(k, (k + 1) % 30, (k * k + 3) % 30) for k in range(30) if (k * k + 3) % 30 not in (k, (k + 1) % 30)]
    (folder / "triplets.csv").write_text("anchor,near,far\n" + "".join(f"n{a},n{i},n{j}\n" for a, i, j in triplets))
    (folder / "few-triplets.csv").write_text("anchor,near,far\nu,v,w\n")
    return folder


def inputs_of(words, folder):
    words = shlex.split(words.replace("--by pairs", "").replace("--by nodes", ""))
    return sorted({word for word in words[1:] if (folder / word).is_file()})


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def listed_options(help_text):
    return re.findall(rf"^  (-\S+) (?:{FILE_WORDS})\b", help_text, re.MULTILINE)


def test_the_calls_have_every_option_that_names_a_file(tmp_path):
    commands = re.findall(r"^  ([a-z]+) ", run_well("--help", tmp_path).stdout.decode(), re.MULTILINE)
    assert set(commands) == {words.split()[0] for words in CALLS}
    shared = listed_options(run_well("help targets", tmp_path).stdout.decode())
    for command in commands:
        text = run_well(f"{command} --help", tmp_path).stdout.decode()
        wanted = set(listed_options(text)) | set(shared if "(smerf help targets)" in text else [])
        given = {word for words in CALLS if words.startswith(f"{command} ") for word in words.split() if word[0] == "-"}
        assert wanted <= given | NOT_TAKEN.get(command, set()), command


def link(kind, source, target):
    if kind == "link":
        target.symlink_to(source)
    else:
        os.link(source, target)


@every_call
@pytest.mark.parametrize("kind", ["link", "hard link"])
def test_an_output_that_is_an_input_is_refused(words, kind, place):
    is_folder = words.split()[0] in FOLDERS
    inputs = inputs_of(words, place)
    assert inputs or words.startswith("simulate")
    run_well(f"{words} --quiet", place)
    written = sorted(path.name for path in (place / "new").iterdir()) if is_folder else ["as-it-is"]
    for name, file in ((name, file) for name in inputs for file in written):
        folder = place / f"other-{name}-{file}"
        folder.mkdir()
        link(kind, place / name, folder / file)
        before = contents(place)
        output = folder.name if is_folder else f"{folder.name}/{file}"
        done = run(re.sub(r"\bnew\b", output, words), place)
        assert done.returncode == 2 and b"would replace" in done.stderr and done.stderr.count(b"\n") == 1
        assert f"{name}, which is read".encode() in done.stderr
        assert contents(place) == before


def test_an_input_under_its_own_name_is_refused(place):
    done = run("neighbors model items.csv -k 2 -o ./items.csv", place)
    assert done.stderr == b"smerf: neighbors: -o ./items.csv would replace items.csv, which is read: take another name\n"


def test_a_split_may_go_where_the_items_are_if_it_replaces_nothing(place):
    run_well("split items.csv --distances z.csv --by nodes --train 0.5 -o .", place)
    done = run("split items.csv --distances z.csv --by pairs --train 0.7 -o .", place)
    assert done.returncode == 2 and b"would replace items.csv, which is read: take another folder" in done.stderr


def test_a_device_may_be_read_and_written(place):
    run_well("neighbors model items.csv -k 2 -o /dev/null --graph /dev/null", place)


@pytest.mark.parametrize("graph", ["out", "./out", "../{0}/out", "hard", "link"])
def test_two_outputs_that_are_one_file_are_refused(graph, place):
    os.link(place / "out", place / "hard")
    (place / "link").symlink_to("out")
    done = run(f"neighbors model items.csv -k 2 -o out --graph {graph.format(place.name)}", place)
    assert (done.returncode, done.stderr) == (2, b"smerf: neighbors: -o and --graph are the same file\n")


# ---- names ----

WRITTEN = {
    "fit items.csv --distances z.csv --trees 4": ["m.smerf", "m.v1", "m", "m.2026-11-18", ".hidden"],
    "predict model items.csv": ["d.csv", "d.CSV", "d.npy", "d", "d.csv.gz", "d.gz"],
    "predict labels all.csv --values": ["d.csv"],
    "neighbors model items.csv -k 1": ["d.csv"],
    "neighbors model items.csv -k 1 --json": ["d.json"],
    "evaluate model items.csv --oob": ["d.txt", "d"],
    "evaluate model items.csv --oob --json": ["d.json", "d.json.gz"],
    "embed model items.csv": ["d.csv", "d.npy"],
    "report model items.csv": ["d.html", "d.htm"],
    "report model items.csv --json": ["d.json"],
    "export model": ["d.json"],
}
REFUSED = {
    "fit items.csv --distances z.csv --trees 4": ["m.csv", "m.npy", "m.json", "m.html", "m.mtx", "m.parquet", "m.gz", "m.csv.gz"],
    "predict model items.csv": ["d.tsv", "d.parquet", "d.npz", "d.json", "d.txt", "d.xlsx", "d.npy.gz", "d.txt.gz"],
    "predict model items.csv --pairs pairs.csv": ["d.npy"],
    "predict labels all.csv --values": ["d.npy"],
    "neighbors model items.csv -k 1": ["d.tsv", "d.npy", "d.json"],
    "neighbors model items.csv -k 1 --json": ["d.csv"],
    "cluster model items.csv -k 2": ["d.npy", "d.xlsx"],
    "importance model": ["d.parquet"],
    "explain model items.csv --pair u v": ["d.tsv"],
    "evaluate model items.csv --oob": ["d.npy"],
    "embed model items.csv": ["d.json", "d.npz"],
    "report model items.csv": ["d.pdf", "d.json"],
    "report model items.csv --json": ["d.html"],
    "export model": ["d.csv"],
    "merge model next": ["m.csv"],
}


def listed(table):
    return pytest.mark.parametrize("words, name", [(words, name) for words in table for name in table[words]])


@listed(WRITTEN)
def test_what_is_supported_is_written(words, name, place):
    run_well(f"{words} --quiet -o {name}", place)
    assert (place / name).exists()


@listed(REFUSED)
def test_what_is_not_supported_is_refused_before_the_work(words, name, place):
    before = contents(place)
    done = run(re.sub(r"model|labels", "nowhere", f"{words} -o {name}", count=1), place)  # no model is read
    line = done.stderr.decode()
    assert done.returncode == 2 and line.count("\n") == 1
    assert f"'{name}'" in line and re.search(r"\.(csv|npy|txt|html|json|smerf)\b", line.replace(name, ""))
    assert contents(place) == before


def test_an_array_may_be_called_so_in_any_case(place):
    run_well("predict model items.csv -o d.NPY", place)
    assert (place / "d.NPY").read_bytes().startswith(b"\x93NUMPY")


def test_a_confusion_is_a_table_of_its_own(place):
    words = "evaluate labels all.csv --oob --confusion"
    run_well(f"{words} c.csv", place)
    run_well(f"{words} c.csv.gz", place)
    done = run(f"{words} c.json", place)
    assert done.returncode == 2 and b"--confusion 'c.json'" in done.stderr and b".csv" in done.stderr
    done = run(f"{words} one -o one", place)
    assert (done.returncode, done.stderr) == (2, b"smerf: evaluate: --confusion and -o are the same file\n")
    assert not (place / "c.json").exists() and not (place / "one").exists()
    for scores in ("", " -o -"):
        done = run(f"{words} -{scores}", place)
        assert (done.returncode, done.stdout) == (2, b"") and b"standard output" in done.stderr
    assert run_well(f"{words} - -o scores.txt", place).stdout.startswith(b"label,")


def test_a_graph_is_written_in_matrix_market_form_only(place):
    run_well("neighbors model items.csv -k 1 --graph g.mtx", place)
    done = run("neighbors model items.csv -k 1 --graph g.npz", place)
    assert done.returncode == 2 and b".mtx" in done.stderr
    assert not (place / "g.npz").exists()
