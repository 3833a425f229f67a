"""Neighbours: does a learned distance find better ones?

    python neighbors.py [FOLDER]      writes FOLDER/neighbors.png

Wines are told apart by their nearest neighbours: by plain distance, by scaled features, and by a learned distance, which
does not care for units. The same estimators work in scikit-learn's pipelines and searches.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import smerf


def main(folder):
    X, y = load_wine(return_X_y=True)
    forest = smerf.DistanceForest(n_estimators=100, random_state=1, n_jobs=-1)
    tried = {
        "as measured": KNeighborsClassifier(),
        "scaled": make_pipeline(StandardScaler(), KNeighborsClassifier()),
        "learned distance": make_pipeline(forest, KNeighborsClassifier(metric="precomputed")),
    }
    right = {name: cross_val_score(model, X, y, cv=5).mean() for name, model in tried.items()}
    for name, share in right.items():
        print(f"{name:17} {share:.3f} of the wines right")

    figure, axis = plt.subplots(figsize=(6, 3))
    axis.barh(list(right), list(right.values()))
    axis.set(title="Wines told right by their nearest neighbours", xlim=(0.5, 1))
    figure.tight_layout()
    figure.savefig(folder / "neighbors.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
