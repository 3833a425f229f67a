"""A forest on labels or a response is an ordinary forest: its trees are scikit-learn's, and so is what it predicts."""
import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import cases
import exported
import helpers
import oracle
import sklearn_walk as sk
from oracle import Column

EXHAUSTIVE = ["--sample", "none", "--candidates", "all", "--trees", 1]
SIZES = [(30, 2), (120, 5), (400, 4)]
NAMES = ["b", "B", "a10", "a9", "é"]  # bytewise: B a10 a9 b é


def number_columns(x, name="f"):
    return [Column(f"{name}{k}", x[:, k].tolist()) for k in range(x.shape[1])]


def label_column(c):
    return Column("kind", [NAMES[k] for k in c], "category")


def fit(folder, x, words, target_columns, *options, weights=None, name="model"):
    """Fits on words such as --labels kind. The target columns stand in the middle of the features."""
    features = number_columns(x)
    helpers.save_items(folder / "items.csv", [features[0], *target_columns, *features[1:]], weights=weights)
    more = ["--item-weights", "w"] if weights is not None else []
    helpers.run("fit", folder / "items.csv", *words, "-o", folder / f"{name}.smerf", *options, *more)
    return folder / f"{name}.smerf"


def one_tree(model):
    return helpers.export(model)["trees"][0]["nodes"]


def n_inner(nodes):
    return sum("leaf" not in node for node in nodes)


def values(folder, model, items="items.csv"):
    """(header, rows) of `predict --values`."""
    header, *rows = helpers.read_rows(helpers.run("predict", model, folder / items, "--values"))
    return header, rows


def numbers(rows, first):
    return np.array([[float(cell) for cell in row[first:]] for row in rows])


def in_name_order(shares, codes):
    """Columns by class number, 0 ... K-1 as far as there are any, put in the bytewise order of the names."""
    present = sorted(set(codes.tolist()))
    order = sorted(range(len(present)), key=lambda k: NAMES[present[k]].encode())
    return [NAMES[present[k]] for k in order], shares[:, order]


def make_responses(rng, x, m):
    return np.column_stack([sk.make_response(rng, x[:, rng.permutation(x.shape[1])]) for _ in range(m)])


# ---------------------------------------------------------------- the same trees

@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("n, p", SIZES)
def test_labels_grow_the_gini_tree(n, p, n_classes, tmp_path):
    x, c = sk.labelled_items(n, p, n_classes)
    nodes = one_tree(fit(tmp_path, x, ["--labels", "kind"], [label_column(c)], *EXHAUSTIVE))
    problem = oracle.Problem(number_columns(x), sk.label_distances(c))
    assert sk.walk_together(nodes, DecisionTreeClassifier(random_state=1).fit(x, c), problem) >= 2


@pytest.mark.parametrize("m", [1, 2, 4])
@pytest.mark.parametrize("n, p", SIZES)
def test_a_response_grows_the_regression_tree(n, p, m, tmp_path):
    rng = np.random.default_rng([n, p, m])
    x = sk.distinct_features(rng, n, p)
    y = make_responses(rng, x, m)
    nodes = one_tree(fit(tmp_path, x, ["--response", names_of(m)], number_columns(y, "y"), *EXHAUSTIVE))
    z = sum(sk.response_distances(y[:, k]) for k in range(m))
    theirs = DecisionTreeRegressor(random_state=1).fit(x, y)
    assert sk.walk_together(nodes, theirs, oracle.Problem(number_columns(x), z)) >= n // 8


def names_of(m):
    return ",".join(f"y{k}" for k in range(m))


@pytest.mark.parametrize("seed", range(3))
def test_item_weights_are_sample_weights(seed, tmp_path):
    rng = np.random.default_rng(seed)
    x = sk.distinct_features(rng, 120, 4)
    c, y, w = sk.make_labels(rng, x, 3), make_responses(rng, x, 2), rng.choice([0.5, 1.0, 2.25], size=120)
    nodes = one_tree(fit(tmp_path, x, ["--labels", "kind"], [label_column(c)], *EXHAUSTIVE, weights=w))
    theirs = DecisionTreeClassifier(random_state=1).fit(x, c, sample_weight=w)
    assert sk.walk_together(nodes, theirs, oracle.Problem(number_columns(x), sk.label_distances(c), w)) >= 10
    nodes = one_tree(fit(tmp_path, x, ["--response", "y0,y1"], number_columns(y, "y"), *EXHAUSTIVE, weights=w))
    theirs = DecisionTreeRegressor(random_state=1).fit(x, y, sample_weight=w)
    z = sk.response_distances(y[:, 0]) + sk.response_distances(y[:, 1])
    assert sk.walk_together(nodes, theirs, oracle.Problem(number_columns(x), z, w)) >= 20


# ---------------------------------------------------------------- the same values

STOPPED = {"shallow": (["--max-depth", 3], {"max_depth": 3}),
           "large leaves": (["--min-parent", 40], {"min_samples_split": 40})}


def new_x(rng, x):
    """Items never seen, well away from thresholds."""
    return x[rng.integers(0, len(x), size=50)[:, None], np.arange(x.shape[1])] + rng.choice([0, 0.25], size=(50, 1)) / 64


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("stop", STOPPED)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_shares_are_scikit_learns_probabilities(n_classes, stop, weighted, tmp_path):
    rng = np.random.default_rng([7, n_classes, weighted])
    x = sk.distinct_features(rng, 250, 4)
    c, w = sk.make_labels(rng, x, n_classes), rng.choice([0.5, 1.0, 2.25], size=250) if weighted else None
    ours, options = STOPPED[stop]
    model = fit(tmp_path, x, ["--labels", "kind"], [label_column(c)], *EXHAUSTIVE, *ours, weights=w)
    theirs = DecisionTreeClassifier(random_state=1, **options).fit(x, c, sample_weight=w)
    problem = oracle.Problem(number_columns(x), sk.label_distances(c), w)
    assert sk.walk_together(one_tree(model), theirs, problem) == n_inner(one_tree(model)), "data with a tie"
    assert_shares(tmp_path, model, "items.csv", theirs.predict_proba(x), c)
    new = new_x(rng, x)
    helpers.save_items(tmp_path / "new.csv", number_columns(new))
    assert_shares(tmp_path, model, "new.csv", theirs.predict_proba(new), c)


def assert_shares(folder, model, items, shares, codes):
    names, expected = in_name_order(shares, codes)
    header, rows = values(folder, model, items)
    assert header == ["item", "label", *(f"share:{name}" for name in names)]
    assert [row[0] for row in rows] == [str(i) for i in range(len(rows))]
    got = numbers(rows, 2)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)
    assert [row[1] for row in rows] == [names[k] for k in got.argmax(axis=1)]


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("stop", STOPPED)
@pytest.mark.parametrize("m", [1, 3])
def test_responses_are_scikit_learns_means(m, stop, weighted, tmp_path):
    rng = np.random.default_rng([m, weighted])
    x = sk.distinct_features(rng, 250, 4)
    y, w = make_responses(rng, x, m), rng.choice([0.5, 1.0, 2.25], size=250) if weighted else None
    ours, options = STOPPED[stop]
    model = fit(tmp_path, x, ["--response", names_of(m)], number_columns(y, "y"), *EXHAUSTIVE, *ours, weights=w)
    theirs = DecisionTreeRegressor(random_state=1, **options).fit(x, y, sample_weight=w)
    z = sum(sk.response_distances(y[:, k]) for k in range(m))
    walked = sk.walk_together(one_tree(model), theirs, oracle.Problem(number_columns(x), z, w))
    assert walked == n_inner(one_tree(model)), "data with a tie"
    new = new_x(rng, x)
    helpers.save_items(tmp_path / "new.csv", number_columns(new))
    for items, rows_x in (("items.csv", x), ("new.csv", new)):
        header, rows = values(tmp_path, model, items)
        assert header == ["item", *(f"y{k}" for k in range(m))]
        np.testing.assert_allclose(numbers(rows, 1), theirs.predict(rows_x).reshape(-1, m), rtol=0, atol=1e-10)


# ---------------------------------------------------------------- a whole forest

def leaf_means(tree, what, weights):
    """[leaf][column]: the mean of `what` over a leaf's draws."""
    leaves = [node for node in tree["nodes"] if "leaf" in node]
    means = np.zeros((len(leaves), what.shape[1]))
    for leaf in leaves:
        w = np.array([draws * weights[i] for i, draws in leaf["members"]])
        means[leaf["leaf"]] = w @ what[[i for i, _ in leaf["members"]]] / w.sum()
    return means


def forest_means(forest, what, weights, columns):
    return np.mean([leaf_means(t, what, weights)[exported.route(t, forest["features"], columns)]
                    for t in forest["trees"]], axis=0)


FORESTS = {"bootstrap": [], "subsample": ["--sample", "subsample:0.5", "--candidates", 1],
           "oblique": ["--splits", "oblique", "--density", 0.5, "--min-parent", 6],
           "self-distance": ["--self-distance", "exclude", "--min-parent", 8]}


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("grown", FORESTS)
def test_a_forest_averages_its_trees(grown, weighted, tmp_path):
    case = cases.make_case("mixed", 31, n=60, p=4)
    rng = np.random.default_rng(8)
    w = rng.choice([0.25, 1.0, 3.5], size=60) if weighted else None
    weights = np.ones(60) if w is None else w
    c, y = rng.integers(0, 4, size=60), rng.normal(size=(60, 2))
    helpers.save_items(tmp_path / "items.csv", [label_column(c), *case.columns, *number_columns(y, "y")],
                       [f"id{i}" for i in range(60)], w)
    more = [*FORESTS[grown], *(["--item-weights", "w"] if weighted else []), "--trees", 15]
    for words, ignored, what in ((["--labels", "kind"], "y0,y1", np.eye(4)[c]), (["--response", "y0,y1"], "kind", y)):
        model = tmp_path / "m.smerf"
        helpers.run("fit", tmp_path / "items.csv", *words, "--ignore", ignored, "-o", model, *more)
        expected = forest_means(helpers.export(model), what, weights, case.columns)
        header, rows = values(tmp_path, model)
        assert [row[0] for row in rows] == [f"id{i}" for i in range(60)]
        if words[0] == "--labels":
            names, expected = in_name_order(expected, c)
            assert header[2:] == [f"share:{name}" for name in names]
        np.testing.assert_allclose(numbers(rows, len(header) - what.shape[1]), expected, rtol=0, atol=1e-12)


def test_equal_shares_go_to_the_first_name(tmp_path):
    x = np.array([[0.0], [0.0], [1.0], [1.0], [1.0]])
    c = np.array([0, 1, 3, 0, 0])  # b B | a9 b b
    model = fit(tmp_path, x, ["--labels", "kind"], [label_column(c)], *EXHAUSTIVE)
    header, rows = values(tmp_path, model)
    assert header == ["item", "label", "share:B", "share:a9", "share:b"]
    assert [row[1] for row in rows] == ["B", "B", "b", "b", "b"]
    np.testing.assert_allclose(numbers(rows, 2)[[0, 2]], [[0.5, 0, 0.5], [0, 1 / 3, 2 / 3]], atol=1e-12)


def test_number_codes_are_classes_in_bytewise_order(tmp_path):
    codes = Column("kind", ["2", "10", "1", "2", "10"], "category")
    model = fit(tmp_path, np.arange(5.0)[:, None], ["--labels", "kind"], [codes], *EXHAUSTIVE)
    header, rows = values(tmp_path, model)
    assert header == ["item", "label", "share:1", "share:10", "share:2"]
    assert [row[1] for row in rows] == codes.values


@pytest.mark.parametrize("words", [["--absolute", "y0"], ["--product", "y0"], ["--distances", "z.npy"]], ids=str)
def test_other_targets_have_no_values(words, tmp_path):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(12, 2)), rng.normal(size=(12, 1))
    np.save(tmp_path / "z.npy", np.abs(y - y.T))
    words = [tmp_path / "z.npy" if word == "z.npy" else word for word in words]
    model = fit(tmp_path, x, words, number_columns(y, "y"), "--trees", 2)
    helpers.refused("predict", model, tmp_path / "items.csv", "--values")
