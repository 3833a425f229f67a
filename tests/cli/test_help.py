"""The help of every command: enough to get going, and its examples work."""

import re
import subprocess
from pathlib import Path

import pytest

from command import LONG, SMERF, environment, run, run_well

ANIMALS = """\
id,legs,wings,eggs,kg,kind
ant,6,0,1,0,insect
bee,6,4,1,0,insect
fly,6,2,1,0,insect
cow,4,0,0,700,mammal
cat,4,0,0,4,mammal
bat,2,2,0,0,mammal
owl,2,2,1,2,bird
emu,2,2,1,40,bird
hen,2,2,1,2,bird
"""
NEW_ANIMALS = "id,legs,wings,eggs,kg\nwasp,6,4,1,0\nduck,2,2,1,1\nfox,4,0,0,8\n"

COMMANDS = re.findall(r"^  ([a-z]+) ", run_well("--help", ".").stdout.decode(), re.MULTILINE)
TOPICS = ["targets", "fit-options", "items"]


def help_of(command):
    return run_well(f"{command} --help", ".").stdout.decode()


def examples_of(command):
    return re.findall(r"^  (smerf .*)$", help_of(command).partition("\nExamples:\n")[2], re.MULTILINE)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The files that the examples speak of."""
    folder = tmp_path_factory.mktemp("examples")
    run_well("simulate radial -n 80 --test 20 -o data --quiet", folder)
    for name, source in {"items.csv": "items.csv", "distances.npy": "distances.npy", "new.csv": "test-items.csv",
                         "new-distances.npy": "test-distances.npy"}.items():  # fmt: skip
        (folder / name).write_bytes((folder / "data" / source).read_bytes())
    (folder / "animals.csv").write_text(ANIMALS)
    (folder / "new-animals.csv").write_text(NEW_ANIMALS)
    (folder / "triplets.csv").write_text("anchor,near,far\n" + "".join(f"{k},{k + 1},{k + 9}\n" for k in range(60)))
    run_well("fit items.csv --distances distances.npy -o model.smerf --quiet", folder)
    run_well("fit animals.csv --labels kind -o animals.smerf --quiet", folder)
    (folder / "bin").mkdir()
    (folder / "bin" / "smerf").symlink_to(Path(SMERF).resolve())
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_there_are_examples_and_they_work(command, place):
    examples = examples_of(command)
    assert len(examples) >= 2
    assert any(example.startswith(f"smerf {command} ") for example in examples)
    for example in examples:
        done = subprocess.run(
            ["sh", "-eu", "-c", example], cwd=place, capture_output=True, timeout=LONG,
            env=environment(PATH=f"{place / 'bin'}:/usr/bin:/bin"),
        )  # fmt: skip
        assert done.returncode == 0, f"{example}: {done.stderr.decode()}"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_help_fits_a_screen_and_names_all_that_can_be_given(command):
    text = help_of(command)
    assert text.count("\n") <= 50
    for topic, names in re.findall(r"\(smerf help ([a-z-]+)\):\n((?:  --.*\n)+)", text):
        listed = re.findall(r"^  (--\S+) ", run_well(f"help {topic}", ".").stdout.decode(), re.MULTILINE)
        assert names.split() == listed


@pytest.mark.parametrize("topic", TOPICS)
def test_what_commands_share_is_told_once(topic):
    text = run_well(f"help {topic}", ".").stdout.decode()
    lines = re.findall(r"^  --\S+ .*$", text, re.MULTILINE)
    assert lines
    for command in (command for command in COMMANDS if f"(smerf help {topic})" in help_of(command)):
        assert not any(line in help_of(command) for line in lines)


def test_help_of_a_command_is_the_same_both_ways():
    assert run_well("help fit", ".").stdout == run_well("fit --help", ".").stdout


def test_help_of_nothing_known_is_refused():
    done = run("help nothing", ".")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"smerf: there is no command 'nothing'; see 'smerf --help'\n"
