#!/usr/bin/env python3
"""Writes the colours that the package ships, src/smerf/data, from what the demo makes: shipped_colours.py build/demo-colours [FOLDER]

A test sees that they are up to date."""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent / "src" / "smerf" / "data"


def main(program: str, folder: Path) -> None:
    with tempfile.TemporaryDirectory() as made_in:
        made = Path(made_in)
        subprocess.run([program, "make", made], check=True)
        with open(made / "test.csv", newline="") as file:
            unseen = {row["id"] for row in csv.DictReader(file)}
        with open(made / "colours.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        with open(folder / "colours.csv", "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["name", "red", "green", "blue", "part"])
            for row in rows:
                part = "test" if row["id"] in unseen else "train"
                writer.writerow([row["id"], row["red"], row["green"], row["blue"], part])
        Z = np.load(made / "distances.npy")
        np.save(folder / "colours.npy", Z[np.triu_indices(len(Z), 1)].astype(np.float32))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], Path(sys.argv[2]) if len(sys.argv) > 2 else HERE)
