"""Has each program predict with every golden model, and compares with what was recorded: compare.py PROGRAM..."""

import csv
import math
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODELS = sorted((ROOT / "tests" / "golden").glob("*/*.smerf"))


def plain_copy(path, folder):
    """The same table as the program reads it: tabs, no quotes."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = [[cell.replace("\t", " ").replace("\n", " ") for cell in row] for row in csv.reader(file)]
    plain = Path(folder) / f"{path.parent.name}.tsv"
    plain.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return plain


def rows_of(text, first_row, first_column):
    return [[float(cell) for cell in row[first_column:]] for row in list(csv.reader(text.splitlines()))[first_row:]]


def is_same(got, expected):
    return len(got) == len(expected) and all(
        len(a) == len(b) and all(math.isclose(x, y, rel_tol=1e-12, abs_tol=1e-13) for x, y in zip(a, b))
        for a, b in zip(got, expected)
    )


def main():
    n_passed = n_failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for program in sys.argv[1:]:
            for model in MODELS:
                items = plain_copy(model.parent / "items.csv", folder)
                done = subprocess.run([program, model, items], capture_output=True, text=True)
                expected = (model.parent / f"{model.stem}-predicted.csv").read_text(encoding="utf-8")
                is_good = done.returncode == 0 and is_same(rows_of(done.stdout, 0, 0), rows_of(expected, 1, 1))
                n_passed += is_good
                n_failed += not is_good
                if not is_good:
                    print(f"{program} {model.relative_to(ROOT)}: {done.stderr.strip() or 'other distances'}")
    print(f"{n_passed} passed, {n_failed} failed")
    return 1 if n_failed or not n_passed else 0


if __name__ == "__main__":
    sys.exit(main())
