"""Not run: mypy reads it, and sees whether the package's types say what its users expect."""

import numpy as np
from numpy.typing import NDArray

import smerf

X: NDArray[np.float64]
Z: NDArray[np.float64]
X, Z = smerf.simulate("radial", 30)
forest: smerf.DistanceForest = smerf.DistanceForest(n_estimators=5, random_state=1, self_distance=0.5).fit(X, Z=Z)
leaves: NDArray[np.int64] = forest.apply(X)
importances: NDArray[np.float64] = forest.feature_importances_
score: float = forest.score(X, Z)
scores: dict[str, float] = forest.evaluate(X, Z)
distance: float = forest.get_metric()(X[0], X[1])
again: smerf.DistanceForest = smerf.DistanceForest.load("model.smerf")
metric: smerf.Mahalanobis = smerf.Mahalanobis().fit(X, Z)
cut: smerf.Distances = smerf.Distances(Z)[[0, 1]]
