"""helpers.py - runs the command, writes its input, reads its output. Knows nothing of forests."""
import csv
import io
import json
import os
import subprocess
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("SMERF", str(ROOT / "build" / "smerf"))


# ---------------------------------------------------------------- the command

def on_paper(line):
    """These tests are about the paper's forest, whatever the defaults are; test_defaults.py is about those."""
    learns = line[0] in ("fit", "tune") and "--method" not in line
    return [*line, "--paper"] if learns else line


def run(*arguments, status=0):
    """Standard output of `smerf ARGUMENTS`, which must end with `status`."""
    return plain_run(*on_paper([str(a) for a in arguments]), status=status)


def plain_run(*arguments, status=0):
    """Likewise, with the command's own defaults."""
    line = [str(a) for a in arguments]
    done = subprocess.run([COMMAND, *line], capture_output=True, text=True, timeout=300)
    assert done.returncode == status, (
        f"exit status {done.returncode} instead of {status}: smerf {' '.join(line)}\n{done.stderr}{done.stdout}")
    return done.stdout


def refused(*arguments, status=2):
    """The one line that says why the command refuses."""
    line = [str(a) for a in arguments]
    done = subprocess.run([COMMAND, *line], capture_output=True, text=True, timeout=300)
    assert done.returncode == status, f"exit status {done.returncode} instead of {status}: smerf {' '.join(line)}"
    message = done.stderr.strip()
    assert message.startswith("smerf: ") and "\n" not in message, f"not one line of error: {done.stderr!r}"
    return message


def fit(folder, case, *options, name="model", target="--distances", z="z.npy"):
    """Fits `case`, whose files it writes if they are not there; the path of the model."""
    folder = Path(folder)
    if not (folder / "items.csv").exists():
        save_case(folder, case)
    model = folder / f"{name}.smerf"
    run("fit", folder / "items.csv", target, folder / z, "-o", model, *case.options(), *options)
    return model


def export(model):
    return json.loads(run("export", model, "--format", "json"))


# ---------------------------------------------------------------- input

def as_text(value, spelling):
    if value is None:
        return spelling
    return repr(float(value)) if not isinstance(value, str) else value


def items_text(columns, ids=None, weights=None):
    """The CSV file. Missing values are spelled in all three ways, in turn (an empty line would be no row)."""
    extra = [("id", ids)] if ids is not None else []
    extra += [("w", weights)] if weights is not None else []
    spellings = ["NA", "NaN", ""] if len(columns) + len(extra) > 1 else ["NA", "NaN"]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([c.name for c in columns] + [name for name, _ in extra])
    for i in range(len(columns[0].values)):
        row = [as_text(c.values[i], spellings[(i + k) % len(spellings)]) for k, c in enumerate(columns)]
        writer.writerow(row + [as_text(values[i], "") for _, values in extra])
    return out.getvalue()


def save_items(path, columns, ids=None, weights=None):
    Path(path).write_text(items_text(columns, ids, weights), encoding="utf-8")


def save_case(folder, case):
    """items.csv and z.npy."""
    save_items(Path(folder) / "items.csv", case.columns, weights=case.item_weights)
    np.save(Path(folder) / "z.npy", case.distances)


def matrix_text(matrix, row_ids=None, column_ids=None):
    rows = [[repr(float(v)) for v in row] for row in matrix]
    if row_ids is not None:
        column_ids = row_ids if column_ids is None else column_ids
        rows = [["", *column_ids]] + [[i, *row] for i, row in zip(row_ids, rows)]
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def reproduce(case, *options):
    """What a failing test prints: the data, and how to run the command on it."""
    words = " ".join(map(str, [*case.options(), *options]))
    return (f"\n{case.name}\nsmerf fit items.csv --distances z.csv -o m {words}"
            f"\n--- items.csv\n{items_text(case.columns, weights=case.item_weights)}"
            f"--- z.csv\n{matrix_text(case.distances)}---")


# ---------------------------------------------------------------- output

def read_rows(text):
    return list(csv.reader(io.StringIO(text)))


def to_number(cell):
    return float(cell) if cell != "" else np.nan


def read_matrix(path, n_rows, n_columns):
    """A predicted matrix and its ids: (matrix, row ids, column ids); the ids are None if it has none."""
    if str(path).endswith(".npy"):
        return np.load(path), None, None
    rows = read_rows(Path(path).read_text(encoding="utf-8"))
    if len(rows) == n_rows:
        return np.array([[to_number(c) for c in row] for row in rows]), None, None
    assert len(rows) == n_rows + 1 and len(rows[0]) == n_columns + 1, f"{len(rows)} x {len(rows[0])} cells"
    matrix = np.array([[to_number(c) for c in row[1:]] for row in rows[1:]])
    return matrix, [row[0] for row in rows[1:]], rows[0][1:]


def read_table(text):
    """A CSV table as a list of dictionaries."""
    return list(csv.DictReader(io.StringIO(text)))


def read_scores(text):
    """`name value` a line."""
    return {name: float(value) for name, value in (line.split() for line in text.splitlines() if line.strip())}


def assert_close(got, expected, scale, what=""):
    """1e-5 relative; where the terms of a mean cancel, 1e-6 of the size of the distances."""
    got, expected = np.asarray(got, float), np.asarray(expected, float)
    assert got.shape == expected.shape, f"{what}: shape {got.shape}, not {expected.shape}"
    good = np.isclose(got, expected, rtol=1e-5, atol=1e-6 * scale, equal_nan=True)
    if not good.all():
        at = tuple(int(k) for k in np.argwhere(~good)[0])
        raise AssertionError(f"{what}: {(~good).sum()} of {good.size} differ, first at {at}: "
                             f"{got[at]} instead of {expected[at]}")
