"""Colours: can a forest learn how people see colour from red, green and blue?

    python colours.py [FOLDER]      writes FOLDER/colours.png

The 139 named colours of the web are described by red, green and blue. How different two of them look is their distance
in CIELAB. The forest learns from 95 of them, and maps 44 that it has never seen.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import CSS4_COLORS, to_rgb
from scipy.spatial.distance import cdist

import smerf


def lab(rgb):
    """CIELAB coordinates of sRGB colours."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = (np.cbrt(linear @ to_xyz.T / [0.9505, 1, 1.089])).T
    return np.column_stack([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def main(folder):
    rgb = np.unique([to_rgb(name) for name in CSS4_COLORS], axis=0)
    seen = np.random.default_rng(1).permutation(len(rgb)) < 95
    Z = cdist(lab(rgb), lab(rgb))
    forest = smerf.DistanceForest(random_state=1, n_jobs=-1).fit(rgb[seen], Z[np.ix_(seen, seen)])

    new = rgb[~seen]
    truth = Z[np.ix_(~seen, ~seen)]
    learned = forest.evaluate(new, Z=truth)["spearman"]
    plain = smerf.Euclidean().fit(rgb[seen], Z[np.ix_(seen, seen)]).evaluate(new, Z=truth)["spearman"]
    print(f"rank correlation with what people see, on {len(new)} new colours: learned {learned:.3f}, plain RGB {plain:.3f}")

    place = forest.embed(new)
    figure, axis = plt.subplots(figsize=(6, 5))
    axis.scatter(*place.T, c=new, s=220, edgecolors="grey")
    axis.set(title="Colours that the forest has never seen, by learned distance", xticks=[], yticks=[])
    figure.savefig(folder / "colours.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
