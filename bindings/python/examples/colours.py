"""Colours: can a forest learn how people see colour from red, green and blue?

    python colours.py [FOLDER]      writes FOLDER/colours.png

The 139 named colours of the web are described by red, green and blue. How different two of them look is their CIEDE2000
difference. The forest learns from 95 of them, and maps 44 that it has never seen.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import smerf


def main(folder):
    colours = smerf.datasets.load_colours()
    rgb, Z, seen = colours.X, colours.Z, ~colours.is_test
    forest = smerf.DistanceForest(random_state=1, n_jobs=-1).fit(rgb[seen], Z[np.ix_(seen, seen)])

    new = rgb[~seen]
    truth = Z[np.ix_(~seen, ~seen)]
    learned = forest.evaluate(new, Z=truth)["spearman"]
    plain = smerf.Euclidean().fit(rgb[seen], Z[np.ix_(seen, seen)]).evaluate(new, Z=truth)["spearman"]
    print(f"rank correlation with what people see, on {len(new)} new colours: learned {learned:.3f}, plain RGB {plain:.3f}")

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5))
    names = [name for name, is_new in zip(colours.names, colours.is_test) if is_new]
    smerf.plot.map(forest, new, colors=new / 255, text=names, ax=left)
    left.set(title="Colours that the forest has never seen, by learned distance")
    smerf.plot.fit(forest, new, Z=truth, ax=right)
    right.set(title="How different they look")
    figure.tight_layout()
    figure.savefig(folder / "colours.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
