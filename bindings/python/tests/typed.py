"""Not run: mypy and pyright read it, and see whether the package's types say what its users expect."""
# pyright: reportUnnecessaryTypeIgnoreComment=true

from typing import Any

import numpy as np
from numpy.typing import NDArray

import smerf

X: NDArray[np.float64]
Z: NDArray[np.float64]
X, Z = smerf.simulate("radial", 30)
forest: smerf.DistanceForest = smerf.DistanceForest(n_estimators=5, random_state=1, self_distance=0.5).fit(X, Z=Z)
leaves: NDArray[np.int64] = forest.apply(X)
importances: NDArray[np.float64] = forest.feature_importances_
score: float = forest.score(X, Z, metric="spearman")
scores: dict[str, float] = forest.evaluate(X, Z)
distance: float = forest.get_metric()(X[0], X[1])
again: smerf.DistanceForest = smerf.DistanceForest.load("model.smerf")
metric: smerf.Mahalanobis = smerf.Mahalanobis(intercept=True).fit(X, Z)
matrix: NDArray[np.float64] = metric.get_mahalanobis_matrix()
cut: smerf.Distances = smerf.Distances(Z)[[0, 1]]

# What a call gives goes by how it is called.
far, near = forest.kneighbors(X, 3)
far = far.astype(np.float64)
indices: NDArray[np.int64] = forest.kneighbors(X, return_distance=False)
indices = forest.kneighbors(X, 3, False)
coordinates: NDArray[np.float64] = forest.embed(X)
coordinates, facts = forest.embed(X, return_facts=True)
coordinates = forest.embed(oob=True)
indices = forest.kneighbors(return_distance=False, oob=False)
index: smerf.Index = forest.index(X)
rows: list[dict[str, Any]] = smerf.compare(X, Z, methods=["smerf"], folds=3)
forest = forest.tune(X, Z, metric="spearman", grid={"min_parent": [2, 8]})
page: smerf.Report = forest.report(title="Radial")
forest.report("page.html")
trees: dict[str, Any] = forest.export()
whole: smerf.DistanceForest = smerf.merge([forest, again])
whole = smerf.merge(["part1.smerf", "part2.smerf"])

# Words that no parameter has are found before anything runs.
smerf.DistanceForest(splits="diagonal")  # type: ignore[arg-type]
smerf.DistanceForest(target="label")  # type: ignore[arg-type]
forest.cluster(X, by="mean")  # type: ignore[arg-type]
forest.kneighbors_graph(X, mode="distances")  # type: ignore[arg-type]
forest.kneighbors(X, oob="yes")  # type: ignore[call-overload]
forest.vote(X[:, 0], oob="yes")  # type: ignore[arg-type]
forest.tune(X, Z, metric="r2")  # type: ignore[arg-type]
forest.score(X, Z, metric="r2")  # type: ignore[arg-type]
