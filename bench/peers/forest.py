"""forest.py - other tools' forests, each grown as deep as the tool allows:

    forest.py tool=sklearn|lightgbm|ydf|treeple kind=labels|response x= y= test_x= test_y= trees= candidates= threads=
              [splits=oblique] [leaves=: LightGBM's limit]

Each gets the arrays in the form that it likes best; only fitting is timed. The score is the share of right labels, or R^2."""
import math

import numpy as np
from work import WORDS, Work, count

TREES, CANDIDATES, THREADS = count("trees"), count("candidates"), count("threads")
IS_LABELS = WORDS["kind"] == "labels"
IS_OBLIQUE = WORDS.get("splits") == "oblique"


def load(x_name, y_name):
    """Features as float32 row by row, which is how the file holds them; and labels or responses."""
    y = np.load(WORDS[y_name]).ravel()
    return np.load(WORDS[x_name]), y.astype(np.int64) if IS_LABELS else y


def score(predicted, truth):
    if IS_LABELS:
        return float(np.mean(predicted == truth))
    return float(1 - np.sum((predicted - truth) ** 2) / np.sum((truth - truth.mean()) ** 2))


def with_sklearn(x, y):
    import sklearn
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = RandomForestClassifier if IS_LABELS else RandomForestRegressor
    forest = kind(n_estimators=TREES, max_features=CANDIDATES, n_jobs=THREADS, random_state=1)
    with Work() as work:
        forest.fit(x, y)
    return work, forest.predict, "scikit-learn " + sklearn.__version__


def with_treeple(x, y):
    import treeple

    kind = treeple.ObliqueRandomForestClassifier if IS_LABELS else treeple.ObliqueRandomForestRegressor
    forest = kind(n_estimators=TREES, max_features=CANDIDATES, feature_combinations=3, n_jobs=THREADS, random_state=1)
    with Work() as work:
        forest.fit(x, y)
    return work, forest.predict, "treeple " + treeple.__version__


def with_lightgbm(x, y):
    import lightgbm

    options = {
        "boosting": "rf", "num_threads": THREADS, "seed": 1, "verbosity": -1,
        "objective": "multiclass" if IS_LABELS else "regression",
        "bagging_fraction": 1 - math.exp(-1), "bagging_freq": 1,  # as many different items as a bootstrap draws
        "feature_fraction_bynode": CANDIDATES / x.shape[1],
        "num_leaves": count("leaves"),  # it allows 131072, but makes a histogram for each: gigabytes, and much slower
        "max_depth": -1, "min_data_in_leaf": 1, "min_sum_hessian_in_leaf": 0,
    }
    if IS_LABELS:
        options["num_class"] = int(y.max()) + 1
    with Work() as work:
        booster = lightgbm.train(options, lightgbm.Dataset(x, y), num_boost_round=TREES)

    def predict(test):
        found = booster.predict(test)
        return found.argmax(axis=1) if IS_LABELS else found

    return work, predict, "LightGBM " + lightgbm.__version__


def with_ydf(x, y):
    import ydf

    ydf.verbose(0)

    def columns(features):
        return {f"x{f}": np.ascontiguousarray(features[:, f]) for f in range(features.shape[1])}

    options = {
        "label": "y", "task": ydf.Task.CLASSIFICATION if IS_LABELS else ydf.Task.REGRESSION,
        "num_trees": TREES, "num_threads": THREADS, "random_seed": 1, "max_depth": -1, "min_examples": 1,
        "winner_take_all": False, "compute_oob_performances": False,
    }
    if IS_OBLIQUE:  # ceil(p^0.5) projections of about three features each, as smerf's defaults have it
        options |= {
            "split_axis": "SPARSE_OBLIQUE", "sparse_oblique_num_projections_exponent": 0.5,
            "sparse_oblique_projection_density_factor": 3.0, "sparse_oblique_normalization": "NONE",
            "sparse_oblique_weights": "BINARY",
        }
    else:
        options["num_candidate_attributes"] = CANDIDATES
    data = columns(x) | {"y": y}
    with Work() as work:
        model = ydf.RandomForestLearner(**options).train(data)

    def predict(test):
        try:
            found = model.predict(columns(test))
        except ValueError:  # its quick way of asking takes no trees of so many nodes
            found = model.predict(columns(test), use_slow_engine=True)
        return np.array(model.label_classes(), dtype=int)[found.argmax(axis=1)] if IS_LABELS else found

    return work, predict, "YDF " + ydf.__version__


def main():
    x, y = load("x", "y")
    work, predict, version = globals()["with_" + WORDS["tool"]](x, y)
    test_x, test_y = load("test_x", "test_y")
    work.tell(score=score(predict(test_x), test_y), version=version)


main()
