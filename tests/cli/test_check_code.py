"""scripts/check-code says what is too large, and which words have been replaced."""

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check-code"
FINE = '/* fine.c - a file of the size that files have. */\n#include "fine.h"\n' + "\n" * 60
LISTS = runpy.run_path(str(SCRIPT))
LISTED = [*LISTS["LONG_FILES"], *LISTS["SHORT_FILES"]]


def check(tmp_path, files, *rooms):
    """The exit status and the complaints for a tree with these files."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPT, tmp_path / "scripts" / "check-code")
    for name, text in {**dict.fromkeys(LISTED, FINE), **files}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, tmp_path / "scripts" / "check-code", *rooms], capture_output=True, text=True)
    return done.returncode, (done.stdout + done.stderr).splitlines()


def parameters(n):
    return ", ".join(f"int p{k}" for k in range(n))


def pointers(n):
    return "typedef int (*sm_step)(int);\nstruct hinge {\n    sm_step one, two;\n" + "".join(
        f"    void (*f{k})(const char *text, int (*inner)(int));\n" for k in range(n - 2)) + "};\n"


FINE_CODE = {
    "seven parameters": f"int f({parameters(7)});\n",
    "a call with many": f"int f(void) {{\n    int x = g(1, 2, 3, 4, 5, 6, 7, 8, 9);\n    return h(x, 2, 3, 4, 5, 6, 7, 8);\n}}\n",
    "commas in a comment and a string": 'int f(int a /* , , , , , , , , */);\nconst char *text = "int f(a, b, c, d, e, f, g, h)";\n',
    "a function as a parameter": "int f(int (*of)(int, int, int, int, int), int a, int b, int c, int d, int e, int g);\n",
    "fifteen pointers": pointers(15),
    "words in strings": 'const char *share = "";\n'.replace("share", "name") + 'const char *text = "strip, crew, place";\n',
    "ordinary English": "/* In place of a bus, there is room for two, who share a place. */\nvoid sort_in_place(int *list);\n",
    "parts of words": "/* Displaced, controlled, described. */\nint replaced, n_striped, scroll;\n",
}

WRONG_CODE = {
    "eight parameters": (f"int f({parameters(8)});\n", "f has 8 parameters"),
    "of a definition": (f"static int f({parameters(8)})\n{{\n    return 1;\n}}\n", "f has 8 parameters"),
    "of a pointer": (f"struct s {{\n    int (*f)({parameters(8)});\n}};\n", "f has 8 parameters"),
    "sixteen pointers": (pointers(16), "struct hinge has 16 function pointers"),
    "a name": ("int first_place;\n", "first_place: say index"),
    "a name in capitals": ("enum { MOST_ROOM = 3 };\n", "MOST_ROOM: say scratch"),
    "a macro": ("#define SM_STRIP 8\n", "SM_STRIP: say block"),
    "a comment": ("/* The crew goes home. */\n", '"crew": say thread pool'),
    "a name in a comment": ("/* See leaf_strip. */\n", '"leaf_strip": say block'),
}


@pytest.mark.parametrize("what", FINE_CODE)
def test_fine_code_passes(tmp_path, what):
    assert check(tmp_path, {"src/base/tried.c": FINE_CODE[what] + "\n" * 60}) == (0, [])


@pytest.mark.parametrize("what", WRONG_CODE)
def test_wrong_code_is_named_once_with_its_line(tmp_path, what):
    code, complaint = WRONG_CODE[what]
    status, lines = check(tmp_path, {"src/base/tried.c": "\n" + code + "\n" * 60})
    assert status == 1 and len(lines) == 1, lines
    assert lines[0].startswith("src/base/tried.c:") and complaint in lines[0]
    line = int(lines[0].split(":")[1])
    assert 2 <= line <= 1 + code.count("\n")


def test_files_have_a_size(tmp_path):
    status, lines = check(tmp_path, {"src/base/short.c": "\n" * 59, "src/base/short.h": "\n", "src/base/long.h": "\n" * 401,
                                     "src/base/large.c": "\n" * 400, "cli/short.c": "\n"})
    assert status == 1 and [line.split(":")[0] for line in lines] == ["src/base/long.h", "src/base/short.c"]


def test_a_static_name_may_be_in_four_files(tmp_path):
    text = "static int load(void);\n" + "\n" * 60
    files = {f"src/base/f{k}.c": text for k in range(4)}
    assert check(tmp_path, files) == (0, [])


def test_a_static_name_in_five_files_is_too_common(tmp_path):
    files = {f"src/base/f{k}.c": "static int load(void);\n" + "\n" * 60 for k in range(5)}
    status, lines = check(tmp_path, files)
    assert status == 1 and len(lines) == 1 and "called load" in lines[0]


def test_rooms_are_looked_at_alone(tmp_path):
    wrong = WRONG_CODE["a name"][0] + "\n" * 60
    files = {"src/base/tried.c": wrong, "src/io/text/tried.c": wrong, "src/data/fine.c": FINE}
    status, lines = check(tmp_path, files, "src/io/", "src/data")
    assert status == 1 and [line.split(":")[0] for line in lines] == ["src/io/text/tried.c"]


def test_an_unknown_room_is_refused(tmp_path):
    status, lines = check(tmp_path, {}, "src/attic")
    assert status == 2 and "src/attic" in lines[0]


def test_a_file_that_is_excused_must_be_there(tmp_path):
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPT, tmp_path / "scripts" / "check-code")
    (tmp_path / "src" / "base").mkdir(parents=True)
    (tmp_path / "src" / "base" / "fine.c").write_text(FINE, encoding="utf-8")
    done = subprocess.run([sys.executable, tmp_path / "scripts" / "check-code"], capture_output=True, text=True)
    assert done.returncode == 1 and "src/base/hash.c is listed, and is not there" in done.stdout
