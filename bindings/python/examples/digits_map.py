"""From labels to a map: handwritten digits, half of them labelled.

    python digits_map.py [FOLDER]      writes FOLDER/digits_map.png

The forest learns from labels which digits are alike. Half of the digits it has never seen; they are put on a map, in
groups, and the most typical digit of each group is shown.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import train_test_split

import smerf


def main(folder):
    X, y = load_digits(return_X_y=True)
    known, new, labels, truth = train_test_split(X, y, train_size=900, test_size=500, random_state=1)
    forest = smerf.DistanceForest(n_estimators=200, random_state=1, n_jobs=-1).fit(known, labels)
    print(f"{(forest.predict(new) == truth).mean():.3f} of {len(new)} new digits are told right")
    groups = forest.cluster(new, n_clusters=10)
    print(f"agreement of ten groups with the true digits: {adjusted_rand_score(truth, groups.labels):.3f}")

    distances = forest.distance(new)
    np.fill_diagonal(distances, 0)
    place = TSNE(metric="precomputed", init="random", random_state=1).fit_transform(distances)
    figure, axis = plt.subplots(figsize=(7, 6))
    axis.scatter(*place.T, c=truth, cmap="tab10", s=12)
    for medoid in groups.medoids:
        x, y_ = place[medoid]
        width = 0.05 * np.ptp(place[:, 0])
        axis.imshow(-new[medoid].reshape(8, 8), cmap="gray", extent=(x, x + width, y_, y_ + width), zorder=3)
    axis.set(title="New digits by learned distance (t-SNE), and ten typical ones", xticks=[], yticks=[])
    axis.set_xlim(place[:, 0].min() - width, place[:, 0].max() + width)
    axis.set_ylim(place[:, 1].min() - width, place[:, 1].max() + width)
    figure.savefig(folder / "digits_map.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
