"""predict, evaluate and importance, recomputed from the exported forest, X and Z alone."""
import json

import numpy as np
import pytest

import cases
import exported
import helpers
import metrics
from oracle import Column

KINDS = ["distinct values", "mixed", "categories", "missing values", "non-zero diagonal, mixed",
         "negative distances", "item weights, mixed", "every cut tied"]
GROWN = {"axis": ["--trees", 20], "oblique": ["--trees", 20, "--splits", "oblique", "--density", 0.5],
         "subsample": ["--trees", 20, "--sample", "subsample:0.5", "--candidates", 1]}


def scale_of(case):
    return np.abs(case.distances).max()


def continuous_case(seed, n=40, p=4):
    """No ties in the distances, so that rankings do not hang on rounding."""
    case = cases.make_case("mixed", seed, n=n, p=p)
    case.min_parent, case.max_depth = 2, None
    return case


def new_items(case, seed, n):
    """Items never seen: known values mixed anew, gaps where training had none, a level it never met."""
    rng = np.random.default_rng(seed)
    columns = []
    for c in case.columns:
        known = [v for v in c.values if v is not None]
        values = [known[k] for k in rng.integers(0, len(known), size=n)]
        if c.kind == "number":
            values = [v + rng.normal(scale=0.2) for v in values]
        else:
            values[0], values[1] = "never seen", "Zebra"
        values[2 + rng.integers(n - 2)] = None
        columns.append(Column(c.name, values, c.kind))
    return columns


def predicted(folder, model, items, *options, n, m=None, form="npy"):
    path = folder / f"predicted.{form}"
    helpers.run("predict", model, items, *options, "-o", path)
    return helpers.read_matrix(path, n, m or n)[0]


# ---------------------------------------------------------------- predict

@pytest.mark.parametrize("form", ["npy", "csv"])
@pytest.mark.parametrize("grown", GROWN)
@pytest.mark.parametrize("kind", KINDS)
def test_predicted_distances_are_the_mean_of_leaf_distances(kind, grown, form, tmp_path):
    case = cases.make_case(kind, 600, n=25)
    model = helpers.fit(tmp_path, case, *GROWN[grown])
    got = predicted(tmp_path, model, tmp_path / "items.csv", n=case.n, form=form)
    expected = exported.predict(helpers.export(model), case.distances, case.columns, item_weights=case.item_weights)
    helpers.assert_close(got, expected, scale_of(case), case.name)
    assert form == "csv" or got.dtype == np.float32
    assert (got == got.T).all()


@pytest.mark.parametrize("grown", GROWN)
@pytest.mark.parametrize("kind", KINDS)
def test_new_items_with_gaps_and_unseen_levels_are_predicted(kind, grown, tmp_path):
    case = cases.make_case(kind, 610, n=25)
    model = helpers.fit(tmp_path, case, *GROWN[grown])
    new = new_items(case, 1, 9)
    helpers.save_items(tmp_path / "new.csv", new)
    expected = exported.predict(helpers.export(model), case.distances, new, item_weights=case.item_weights)
    got = predicted(tmp_path, model, tmp_path / "new.csv", n=9)
    helpers.assert_close(got, expected, scale_of(case), case.name)


@pytest.mark.parametrize("form", ["npy", "csv"])
def test_a_block_has_the_first_items_as_rows(form, tmp_path):
    case = continuous_case(620)
    model = helpers.fit(tmp_path, case, "--trees", 20)
    new = new_items(case, 2, 7)
    helpers.save_items(tmp_path / "new.csv", new)
    got = predicted(tmp_path, model, tmp_path / "new.csv", "--against", tmp_path / "items.csv", n=7, m=40, form=form)
    expected = exported.predict(helpers.export(model), case.distances, new, case.columns)
    helpers.assert_close(got, expected, scale_of(case))


def test_listed_pairs_come_back_in_their_order_under_their_ids(tmp_path):
    case = continuous_case(630)
    ids = [f"item-{i}" for i in range(40)]
    helpers.save_items(tmp_path / "items.csv", case.columns, ids)
    np.save(tmp_path / "z.npy", case.distances)
    model = helpers.fit(tmp_path, case, "--trees", 20)
    rng = np.random.default_rng(0)
    pairs = [tuple(rng.integers(0, 40, size=2)) for _ in range(30)] + [(3, 3), (5, 1), (1, 5)]
    (tmp_path / "pairs.csv").write_text("a,b\n" + "".join(f"{ids[i]},{ids[j]}\n" for i, j in pairs))
    text = helpers.run("predict", model, tmp_path / "items.csv", "--pairs", tmp_path / "pairs.csv")
    rows = helpers.read_rows(text)
    assert rows[0] == ["i", "j", "distance"]
    assert [(i, j) for i, j, _ in rows[1:]] == [(ids[i], ids[j]) for i, j in pairs]
    expected = exported.predict(helpers.export(model), case.distances, case.columns)
    helpers.assert_close([float(d) for *_, d in rows[1:]], [expected[i, j] for i, j in pairs], scale_of(case))


def test_items_without_ids_are_called_by_their_row(tmp_path):
    case = continuous_case(631)
    model = helpers.fit(tmp_path, case, "--trees", 5)
    (tmp_path / "pairs.csv").write_text("i,j\n0,39\n7,7\n")
    text = helpers.run("predict", model, tmp_path / "items.csv", "--pairs", tmp_path / "pairs.csv")
    expected = exported.predict(helpers.export(model), case.distances, case.columns)
    got = [float(row["distance"]) for row in helpers.read_table(text)]
    helpers.assert_close(got, [expected[0, 39], expected[7, 7]], scale_of(case))


def test_a_predicted_matrix_reads_back_as_distances(tmp_path):
    case = continuous_case(640)
    ids = [f"p{i}" for i in range(40)]
    helpers.save_items(tmp_path / "items.csv", case.columns, ids)
    np.save(tmp_path / "z.npy", case.distances)
    model = helpers.fit(tmp_path, case, "--trees", 10)
    for form in ("npy", "csv"):
        helpers.run("predict", model, tmp_path / "items.csv", "-o", tmp_path / f"again.{form}")
    matrix, row_ids, column_ids = helpers.read_matrix(tmp_path / "again.csv", 40, 40)
    assert row_ids == ids and column_ids == ids
    assert (matrix.astype(np.float32) == np.load(tmp_path / "again.npy")).all()
    again = [helpers.export(helpers.fit(tmp_path, case, "--trees", 3, name=f, z=f"again.{f}")) for f in ("npy", "csv")]
    assert again[0] == again[1]


def test_features_are_matched_by_name_and_extra_columns_ignored(tmp_path):
    case = continuous_case(650)
    model = helpers.fit(tmp_path, case, "--trees", 10)
    expected = predicted(tmp_path, model, tmp_path / "items.csv", n=40)
    helpers.save_items(tmp_path / "shuffled.csv", [Column("more", ["?"] * 40, "category"), *case.columns[::-1]])
    assert (predicted(tmp_path, model, tmp_path / "shuffled.csv", n=40) == expected).all()
    helpers.save_items(tmp_path / "fewer.csv", case.columns[1:])
    message = helpers.refused("predict", model, tmp_path / "fewer.csv", "-o", tmp_path / "none.npy")
    assert case.columns[0].name in message and not (tmp_path / "none.npy").exists()


def test_items_in_npy_are_the_columns_x0_x1(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20, 3))
    x[4, 1] = np.nan
    columns = [Column(f"x{k}", [None if np.isnan(v) else v for v in x[:, k]]) for k in range(3)]
    case = cases.Case("npy items", columns, cases.euclidean(rng, columns))
    from_csv = helpers.export(helpers.fit(tmp_path, case, "--trees", 5))
    np.save(tmp_path / "items.npy", x)
    helpers.run("fit", tmp_path / "items.npy", "--distances", tmp_path / "z.npy", "-o", tmp_path / "m", "--trees", 5)
    assert helpers.export(tmp_path / "m") == from_csv


# ---------------------------------------------------------------- out of bag

@pytest.mark.parametrize("rule", ["both", "either"])
@pytest.mark.parametrize("grown", GROWN)
@pytest.mark.parametrize("kind", KINDS)
def test_out_of_bag_predictions_leave_out_the_trees_that_saw_the_pair(kind, grown, rule, tmp_path):
    case = cases.make_case(kind, 660, n=20)
    model = helpers.fit(tmp_path, case, *GROWN[grown])
    got = predicted(tmp_path, model, tmp_path / "items.csv", "--oob", "--oob-rule", rule, n=case.n)
    expected = exported.predict_oob(helpers.export(model), case.distances, case.columns, rule, case.item_weights)
    helpers.assert_close(got, expected, scale_of(case), case.name)


def test_a_pair_never_out_of_bag_is_not_a_number_and_empty_in_csv(tmp_path):
    case = continuous_case(670, n=12)
    model = helpers.fit(tmp_path, case, "--trees", 3)
    expected = exported.predict_oob(helpers.export(model), case.distances, case.columns)
    assert 0 < np.isnan(expected).sum() < expected.size
    for form in ("npy", "csv"):
        got = predicted(tmp_path, model, tmp_path / "items.csv", "--oob", n=12, form=form)
        helpers.assert_close(got, expected, scale_of(case), form)
    assert "nan" not in (tmp_path / "predicted.csv").read_text().lower()


def test_the_rule_is_kept_in_the_model_and_may_be_overridden(tmp_path):
    case = continuous_case(680, n=20)
    model = helpers.fit(tmp_path, case, "--trees", 6, "--oob-rule", "either")
    forest = helpers.export(model)
    for options, rule in (([], "either"), (["--oob-rule", "both"], "both")):
        got = predicted(tmp_path, model, tmp_path / "items.csv", "--oob", *options, n=20)
        expected = exported.predict_oob(forest, case.distances, case.columns, rule)
        helpers.assert_close(got, expected, scale_of(case), rule)


def test_out_of_bag_is_refused_for_other_items_and_without_a_sample(tmp_path):
    case = continuous_case(690, n=20)
    model = helpers.fit(tmp_path, case, "--trees", 4)
    helpers.save_items(tmp_path / "new.csv", new_items(case, 3, 20))
    helpers.refused("predict", model, tmp_path / "new.csv", "--oob", "-o", tmp_path / "out.npy")
    every = helpers.fit(tmp_path, case, "--trees", 4, "--sample", "none", name="every")
    helpers.refused("predict", every, tmp_path / "items.csv", "--oob", "-o", tmp_path / "out.npy")
    assert not (tmp_path / "out.npy").exists()


# ---------------------------------------------------------------- evaluate

def assert_scores(text, expected):
    got = helpers.read_scores(text)
    assert set(got) == set(expected), f"scores called {sorted(got)}"
    for name, value in expected.items():
        assert got[name] == pytest.approx(value, rel=1e-5, abs=1e-7), name


@pytest.mark.parametrize("grown", GROWN)
@pytest.mark.parametrize("seed", [700, 701, 702])
def test_scores_follow_their_definitions(seed, grown, tmp_path):
    case = continuous_case(seed)
    model = helpers.fit(tmp_path, case, *GROWN[grown])
    z = exported.rounded(case.distances)
    expected = metrics.all_metrics(exported.predict(helpers.export(model), z, case.columns), z)
    text = helpers.run("evaluate", model, tmp_path / "items.csv", "--distances", tmp_path / "z.npy")
    assert_scores(text, expected)
    as_json = json.loads(helpers.run("evaluate", model, tmp_path / "items.csv",
                                     "--distances", tmp_path / "z.npy", "--json"))
    assert {name: as_json[name] for name in expected} == helpers.read_scores(text)


@pytest.mark.parametrize("rule", ["both", "either"])
@pytest.mark.parametrize("n_trees", [4, 60])
def test_out_of_bag_scores_leave_out_pairs_without_a_prediction(n_trees, rule, tmp_path):
    case = continuous_case(710)
    model = helpers.fit(tmp_path, case, "--trees", n_trees)
    z = exported.rounded(case.distances)
    out_of_bag = exported.predict_oob(helpers.export(model), z, case.columns, rule)
    text = helpers.run("evaluate", model, tmp_path / "items.csv", "--distances", tmp_path / "z.npy",
                       "--oob", "--oob-rule", rule)
    assert_scores(text, metrics.all_metrics(out_of_bag, z))


@pytest.mark.parametrize("n", [5, 9, 12])
def test_of_few_partners_there_is_no_average_precision(n, tmp_path):
    case = continuous_case(720, n=n)
    model = helpers.fit(tmp_path, case, "--trees", 50)
    z = exported.rounded(case.distances)
    expected = metrics.all_metrics(exported.predict(helpers.export(model), z, case.columns), z)
    text = helpers.run("evaluate", model, tmp_path / "items.csv", "--distances", tmp_path / "z.npy")
    assert_scores(text, expected)


def test_tied_distances_rank_in_item_order(tmp_path):
    case = cases.make_case("labels", 721, n=30, p=2)
    case.max_depth = 2
    model = helpers.fit(tmp_path, case, "--trees", 1)
    expected = metrics.all_metrics(exported.predict(helpers.export(model), case.distances, case.columns),
                                   case.distances)
    text = helpers.run("evaluate", model, tmp_path / "items.csv", "--distances", tmp_path / "z.npy")
    assert_scores(text, expected)


def test_constant_predictions_have_no_rank_correlation(tmp_path):
    case = continuous_case(722, n=20)
    case.min_parent = 21
    model = helpers.fit(tmp_path, case, "--trees", 3, "--sample", "none")
    text = helpers.run("evaluate", model, tmp_path / "items.csv", "--distances", tmp_path / "z.npy",
                       "--metrics", "spearman")
    assert helpers.read_scores(text) == {"spearman": 0.0}


def test_scores_against_other_items_are_over_the_pairs_between(tmp_path):
    case = continuous_case(730)
    model = helpers.fit(tmp_path, case, "--trees", 40)
    new = new_items(case, 4, 15)
    helpers.save_items(tmp_path / "new.csv", new)
    block = np.random.default_rng(0).random((15, 40))
    np.save(tmp_path / "block.npy", block)
    predictions = exported.predict(helpers.export(model), case.distances, new, case.columns)
    text = helpers.run("evaluate", model, tmp_path / "new.csv", "--against", tmp_path / "items.csv",
                       "--distances", tmp_path / "block.npy")
    assert_scores(text, metrics.all_metrics(predictions, exported.rounded(block), between=True))


def test_the_scores_asked_for_are_the_ones_given(tmp_path):
    case = continuous_case(740)
    model = helpers.fit(tmp_path, case, "--trees", 5)
    line = ["evaluate", model, tmp_path / "items.csv", "--distances", tmp_path / "z.npy", "--metrics"]
    assert list(helpers.read_scores(helpers.run(*line, "map@10,rmse"))) == ["map@10", "rmse"]
    for graph_score in ("auc-roc", "auc-pr"):
        helpers.refused(*line, graph_score)


# ---------------------------------------------------------------- importance

@pytest.mark.parametrize("grown", GROWN)
@pytest.mark.parametrize("kind", KINDS)
def test_importance_adds_up_the_gains(kind, grown, tmp_path):
    case = cases.make_case(kind, 750, n=25)
    model = helpers.fit(tmp_path, case, *GROWN[grown])
    forest = helpers.export(model)
    expected = exported.gain_importance(forest)
    rows = helpers.read_table(helpers.run("importance", model))
    assert list(rows[0]) == ["feature", "importance"]
    got = {row["feature"]: float(row["importance"]) for row in rows}
    assert set(got) == set(expected) and len(rows) == len(got)
    names = list(expected)
    size = max(1e-12, max(abs(v) for v in expected.values()))
    helpers.assert_close([got[f] for f in names], [expected[f] for f in names], size, case.name)
    assert list(got.values()) == sorted(got.values(), reverse=True)


def test_importances_that_are_not_positive_stay_undivided(tmp_path):
    rng = np.random.default_rng(0)
    case = cases.case_from_arrays(rng.normal(size=(6, 2)), np.eye(6), max_depth=1)  # every cut gains -1
    model = helpers.fit(tmp_path, case, "--trees", 2, "--sample", "none", "--candidates", "all")
    rows = helpers.read_table(helpers.run("importance", model))
    assert {row["feature"]: float(row["importance"]) for row in rows} == {"f0": pytest.approx(-2.0), "f1": 0.0}


# ---------------------------------------------------------------- ways to give the target

def quarters(rng, n, low=0, high=40):
    """Symmetric, zero on the diagonal, exact in float32 and in CSV."""
    return cases.symmetric(rng.integers(low, high, size=(n, n)) / 4.0)


@pytest.fixture
def plain(tmp_path):
    """A case with exact distances, its files, and the forest it makes from a float64 matrix."""
    rng = np.random.default_rng(12)
    x = rng.normal(size=(18, 3))
    case = cases.case_from_arrays(x, quarters(rng, 18))
    ids = [f"n{i:02d}" for i in range(18)]
    helpers.save_items(tmp_path / "items.csv", case.columns, ids)
    np.save(tmp_path / "z.npy", case.distances)
    return tmp_path, case, ids, helpers.export(helpers.fit(tmp_path, case, "--trees", 8))


def forest_from(plain, z, target="--distances", options=()):
    folder, case, _, _ = plain
    return helpers.export(helpers.fit(folder, case, "--trees", 8, *options, name="other", target=target, z=z))


def condensed(z):
    return z[np.triu_indices(len(z), 1)]


def test_the_form_of_a_distance_matrix_does_not_matter(plain):
    folder, case, ids, expected = plain
    z = case.distances
    order = np.random.default_rng(1).permutation(18)
    np.save(folder / "float32.npy", z.astype(np.float32))
    np.save(folder / "fortran.npy", np.asfortranarray(z))
    np.save(folder / "condensed.npy", condensed(z))
    np.save(folder / "condensed32.npy", condensed(z).astype(np.float32))
    (folder / "plain.csv").write_text(helpers.matrix_text(z))
    (folder / "ids.csv").write_text(helpers.matrix_text(z, ids))
    (folder / "shuffled.csv").write_text(helpers.matrix_text(z[np.ix_(order, order)], [ids[k] for k in order]))
    for form in ("float32.npy", "fortran.npy", "condensed.npy", "condensed32.npy",
                 "plain.csv", "ids.csv", "shuffled.csv"):
        assert forest_from(plain, form) == expected, form


def test_fortran_order_of_a_matrix_to_be_symmetrized_is_read_right(plain):
    folder, case, _, _ = plain
    lower = np.tril(case.distances) * 2
    np.save(folder / "lower.npy", np.asfortranarray(lower))
    assert forest_from(plain, "lower.npy", options=["--symmetrize", "mean"]) == plain[3]


def test_an_asymmetric_matrix_is_refused_unless_averaged(plain):
    folder, case, _, expected = plain
    shift = np.triu(np.ones((18, 18)), 1) * 0.25
    skew = case.distances + shift - shift.T
    np.save(folder / "skew.npy", skew)
    helpers.refused("fit", folder / "items.csv", "--distances", folder / "skew.npy", "-o", folder / "no.smerf")
    assert not (folder / "no.smerf").exists()
    assert forest_from(plain, "skew.npy", options=["--symmetrize", "mean"]) == expected


def test_similarities_up_to_one_are_taken_from_one(plain):
    folder, case, _, _ = plain
    q = 1 - case.distances / 64  # 1 on the diagonal, none larger
    np.save(folder / "q.npy", q)
    np.save(folder / "oneminus.npy", 1 - q)
    assert forest_from(plain, "q.npy", "--similarities") == forest_from(plain, "oneminus.npy")


def test_small_similarities_are_taken_from_one_too(plain):
    folder, case, _, _ = plain
    q = case.distances / 64  # at most 10/64, 0 on the diagonal
    np.save(folder / "q.npy", q)
    np.save(folder / "oneminus.npy", 1 - q)
    assert forest_from(plain, "q.npy", "--similarities") == forest_from(plain, "oneminus.npy")


def test_larger_similarities_are_taken_from_the_largest(plain):
    folder, case, _, _ = plain
    np.save(folder / "q.npy", case.distances)
    np.save(folder / "largest.npy", case.distances.max() - case.distances)
    assert forest_from(plain, "q.npy", "--similarities") == forest_from(plain, "largest.npy")


def test_the_largest_similarity_can_be_given(plain):
    folder, case, _, _ = plain
    np.save(folder / "q.npy", case.distances)
    np.save(folder / "given.npy", 16 - case.distances)
    got = forest_from(plain, "q.npy", "--similarities", ["--similarity-max", 16])
    assert got == forest_from(plain, "given.npy")


def test_condensed_similarities_leave_the_diagonal_at_distance_zero(plain):
    folder, case, _, _ = plain
    q = case.distances / 64
    z = 1 - q
    np.fill_diagonal(z, 0)
    np.save(folder / "q.npy", condensed(q))
    np.save(folder / "z0.npy", z)
    assert forest_from(plain, "q.npy", "--similarities") == forest_from(plain, "z0.npy")


def test_a_forest_of_similarities_predicts_distances(tmp_path):
    rng = np.random.default_rng(3)
    case = cases.case_from_arrays(rng.normal(size=(30, 4)), quarters(rng, 30) / 16)
    z = case.distances
    helpers.save_case(tmp_path, case)
    np.save(tmp_path / "q.npy", 1 - z)
    model = helpers.fit(tmp_path, case, "--trees", 20, target="--similarities", z="q.npy")
    got = predicted(tmp_path, model, tmp_path / "items.csv", n=30)
    helpers.assert_close(got, exported.predict(helpers.export(model), z, case.columns), 1.0)
    text = helpers.run("evaluate", model, tmp_path / "items.csv", "--similarities", tmp_path / "q.npy")
    expected = metrics.all_metrics(exported.predict(helpers.export(model), z, case.columns), z)
    assert helpers.read_scores(text)["rmse"] == pytest.approx(expected["rmse"], rel=1e-5)


# ---------------------------------------------------------------- columns that are no features

def test_ids_weights_and_ignored_columns_are_no_features(tmp_path):
    case = cases.make_case("item weights", 5, n=15, p=3)
    helpers.save_items(tmp_path / "items.csv", [*case.columns, Column("note", ["text"] * 15, "category")],
                       [f"i{k}" for k in range(15)], case.item_weights)
    np.save(tmp_path / "z.npy", case.distances)
    forest = helpers.export(helpers.fit(tmp_path, case, "--trees", 2, "--ignore", "note"))
    assert [f["name"] for f in forest["features"]] == ["f0", "f1", "f2"]


def test_another_column_can_hold_the_ids(tmp_path):
    case = continuous_case(760, n=10)
    ids = [f"k{i}" for i in range(10)]
    helpers.save_items(tmp_path / "items.csv", [Column("key", ids, "category"), *case.columns])
    np.save(tmp_path / "z.npy", case.distances)
    model = helpers.fit(tmp_path, case, "--trees", 2, "--id", "key")
    assert [f["name"] for f in helpers.export(model)["features"]] == [c.name for c in case.columns]
    (tmp_path / "pairs.csv").write_text("a,b\nk1,k9\n")
    text = helpers.run("predict", model, tmp_path / "items.csv", "--pairs", tmp_path / "pairs.csv")
    assert [row["i"] for row in helpers.read_table(text)] == ["k1"]
