"""Tables of polars and Arrow: the same models as from pandas, with the names of their columns."""

import subprocess
import sys

import numpy as np
import pytest
from data import features, known

import smerf

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

N = 40
Z = known("distances", N, 3)[2]


def learned(X, *given, categories=None, **more):
    forest = smerf.DistanceForest(n_estimators=4, random_state=1, categories=categories)
    return forest.fit(X, *given, **more)._model.to_bytes()


class Stream:
    """A table that nobody knows, but which gives itself as Arrow's do."""

    def __init__(self, table):
        self.table, self.columns, self.shape = table, table.column_names, table.shape

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)

    def __len__(self):
        return self.shape[0]


def polars_of(frame):
    return pl.DataFrame({name: polars_column(column) for name, column in frame.items()})


def polars_column(column):
    if isinstance(column.dtype, pd.CategoricalDtype):
        values = [None if pd.isna(value) else value for value in column]
        return pl.Series(values, dtype=pl.Enum(list(column.cat.categories)))
    return pl.Series([None if pd.isna(value) else value for value in column.tolist()])


def arrow_of(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


MAKERS = {"polars": polars_of, "pyarrow": arrow_of, "batch": lambda f: arrow_of(f).combine_chunks().to_batches()[0]}


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


@pytest.fixture
def frame():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(features(N, 2, 4), columns=["a", "b"])
    frame["whole"] = rng.integers(5, size=N)
    frame["short"] = rng.normal(size=N).astype(np.float32)
    frame["flag"] = rng.random(N) < 0.5
    frame["colour"] = rng.choice(["red", "green", "blue"], size=N)
    frame["size"] = pd.Categorical(rng.choice(["S", "M", "L"], size=N), categories=["S", "M", "L", "XL"])
    return frame


def test_the_same_model_as_from_pandas(make, frame):
    assert learned(make(frame), Z) == learned(frame, Z)
    gaps = frame.mask(np.random.default_rng(1).random(frame.shape) < 0.2)
    gaps["whole"], gaps["flag"] = gaps["whole"].astype("Int64"), gaps["flag"].astype("boolean")
    assert learned(make(gaps), Z) == learned(gaps, Z)
    forest = smerf.DistanceForest(n_estimators=4, random_state=1).fit(make(gaps), Z)
    np.testing.assert_array_equal(forest.distance(make(frame)), forest.distance(frame))
    of_pandas = smerf.DistanceForest(n_estimators=4, random_state=1).fit(gaps, Z)
    np.testing.assert_array_equal(forest.distance(frame), of_pandas.distance(frame))
    assert list(forest.feature_names_in_) == list(frame.columns)
    assert learned(make(frame), Z, categories=["whole"]) == learned(frame, Z, categories=["whole"])


def test_columns_keep_their_names(make, frame):
    forest = smerf.DistanceForest(n_estimators=4, random_state=1).fit(make(frame), Z)
    swapped = frame[["b", "a", *frame.columns[2:]]]
    for other in (make(swapped), swapped, make(frame.rename(columns={"b": "c"}))):
        with pytest.raises(ValueError, match="feature names"):
            forest.distance(other)
    with pytest.raises(ValueError, match="feature names|features"):
        forest.distance(make(frame[["a", "b"]]))
    one = smerf.DistanceForest(n_estimators=4, random_state=1).fit(make(frame[["a"]]), Z)
    assert one.explain_pair(make(frame[["a"]][:1]), make(frame[["a"]][1:2])).shares.shape == (1,)


def test_columns_keep_their_names_where_scikit_learn_does_not_know_polars(frame, monkeypatch):
    from sklearn.utils import validation

    def as_before(X):  # what scikit-learn 1.6 did
        given = X.__dataframe__().column_names() if hasattr(X, "__dataframe__") and not isinstance(X, pl.DataFrame) else None
        return None if given is None else np.asarray(list(given), dtype=object)

    monkeypatch.setattr(validation, "_get_feature_names", as_before)
    monkeypatch.setattr(smerf._inputs, "_get_feature_names", as_before)
    forest = smerf.DistanceForest(n_estimators=4, random_state=1).fit(polars_of(frame), Z)
    assert list(forest.feature_names_in_) == list(frame.columns)
    with pytest.raises(ValueError, match="feature names"):
        forest.distance(polars_of(frame[["b", "a", *frame.columns[2:]]]))


def test_categories_have_their_levels(frame):
    expected = learned(frame[["size"]], Z)
    for levels in (pl.Categorical, pl.Enum(["S", "M", "L", "XL"])):
        kind = pl.DataFrame({"size": pl.Series(frame["size"].tolist(), dtype=levels)})
        forest = smerf.DistanceForest(n_estimators=4, random_state=1).fit(kind, Z)
        assert sorted(forest._model.features()[0][1]) == ["L", "M", "S"]
        assert forest._model.to_bytes() == expected
    chunks = [pa.array(part).dictionary_encode() for part in (frame["size"].tolist()[:7], frame["size"].tolist()[7:])]
    several = pa.table({"size": pa.chunked_array(chunks)})  # of different dictionaries
    as_text = pd.DataFrame({"size": frame["size"].astype(str)})
    np.testing.assert_array_equal(
        smerf.DistanceForest(n_estimators=4, random_state=1).fit(several, Z).distance(as_text),
        smerf.DistanceForest(n_estimators=4, random_state=1).fit(as_text, Z).distance(as_text),
    )
    missing = pa.table({"size": pa.array([None, *frame["size"].tolist()[1:]]).dictionary_encode()})
    assert learned(missing, Z) == learned(missing.cast(pa.schema({"size": pa.string()})), Z)
    holey = pa.DictionaryArray.from_arrays(pa.array([0, 1, None] * 13 + [0]), pa.array(["u", None]))
    assert learned(pa.table({"c": holey}), Z) == learned(pd.DataFrame({"c": ["u", None, None] * 13 + ["u"]}), Z)


def test_categories_do_not_depend_on_what_else_the_process_has_seen(frame):
    first = learned(pl.DataFrame({"size": pl.Series(frame["size"].tolist(), dtype=pl.Categorical)}), Z)
    pl.Series(["L", "other", "XL", "M"], dtype=pl.Categorical)
    reordered = pl.concat([pl.Series(["M", "S", "L"]), pl.Series(frame["size"].tolist())]).cast(pl.Categorical)[3:]
    assert learned(pl.DataFrame({"size": reordered}), Z) == first
    assert learned(pd.DataFrame({"size": frame["size"].astype(str)}), Z) == first


def test_distances_are_a_matrix_in_every_form(make, frame):
    X = frame[["a", "b"]].to_numpy()
    expected = learned(X, Z)
    table = make(pd.DataFrame(Z, columns=[f"n{k}" for k in range(N)]))
    for given in (table, Z.tolist(), tuple(map(tuple, Z.tolist())), list(Z), pd.DataFrame(Z), smerf.Distances(table)):
        assert learned(X, given) == learned(X, Z=given) == expected
        assert smerf.DistanceForest(n_estimators=1).fit(X, given).target_ == "distances"
    forest = smerf.DistanceForest(n_estimators=4, random_state=1).fit(X, Z)
    with pytest.warns(smerf.InSampleWarning):
        assert forest.evaluate(X, table) == forest.evaluate(X, Z.tolist()) == forest.evaluate(X, Z)
    assert forest.evaluate(X[:9], Z=Z[:9, 9:].tolist(), Y=X[9:]) == forest.evaluate(X[:9], Z=Z[:9, 9:], Y=X[9:])
    gaps = Z.copy()
    gaps[3, 4] = gaps[4, 3] = np.nan
    assert learned(X, make(pd.DataFrame(gaps).rename(columns=str))) == learned(X, gaps)
    several = smerf.DistanceForest(n_estimators=1).fit(X, X.tolist())  # fewer columns than items
    assert several.target_ == "response"


def test_labels_and_responses(frame):
    X, number, word = frame[["a", "b"]], frame["short"].astype(float), frame["colour"]
    weights = frame["whole"] + 1.0
    makers = (
        lambda s: pl.Series(s.name, s.tolist()),
        lambda s: pa.array(s.tolist()),
        lambda s: pa.chunked_array([s.tolist()]),
    )
    for column in makers:
        for y in (number, word, frame["whole"], frame["flag"]):
            given = column(y)
            plain = y.rename("y") if not isinstance(given, pl.Series) else y
            assert learned(X, given) == learned(X, plain), (y.name, type(given))
        assert learned(X, number, sample_weight=column(weights)) == learned(X, number, sample_weight=weights)
    forest = smerf.DistanceForest(n_estimators=4, random_state=1).fit(X, word)
    assert list(forest.vote(pl.Series(word.tolist()), oob=False)) == list(forest.vote(word, oob=False))
    for given in (pl.Series("colour", word.tolist(), dtype=pl.Categorical), pl.DataFrame({"colour": word.tolist()})):
        assert learned(X, given) == learned(X, word)
    several = pl.DataFrame({"u": number.tolist(), "v": weights.tolist()})
    assert learned(X, several) == learned(X, several.to_pandas())


def test_pairs_edges_and_observed(make, frame):
    X = frame[["a", "b"]]
    i, j = np.triu_indices(N, 1)
    pairs = pd.DataFrame({"i": i, "j": j, "distance": Z[i, j].astype(float), "weight": np.linspace(1, 2, len(i))})
    assert learned(X, pairs=make(pairs)) == learned(X, pairs=pairs)
    other = pairs.rename(columns={"i": "from", "j": "to", "distance": "Similarity"})
    other["when"] = pd.Timestamp("2026-01-01")  # is nobody's business
    other = other[["from", "to", "Similarity", "weight", "when"]]
    assert learned(X, pairs=make_with_times(make, other)) == learned(X, pairs=other)
    edges = pd.DataFrame({"source": i[::5], "target": j[::5]})
    seen = pairs[["i", "j"]][::2]
    assert learned(X, graph=make(edges)) == learned(X, graph=edges)
    seen = pd.concat([seen, edges.set_axis(["i", "j"], axis=1)]).drop_duplicates()
    off = {"graph": edges, "observed": seen}
    assert learned(X, **{k: make(v) for k, v in off.items()}) == learned(X, **off)
    named = X.set_axis([f"n{k}" for k in range(N)])
    ids = pairs.assign(i=[f"n{k}" for k in i], j=pd.Categorical([f"n{k}" for k in j]))
    assert learned(named, pairs=make(ids)) == learned(X, pairs=pairs)
    with pytest.raises(ValueError, match=r"\['rating'\] beside the ids is called 'distance'"):
        learned(X, pairs=make(pd.DataFrame({"i": [0], "j": [1], "rating": [1.0]})))
    columns = pl.Series(i), pa.array(j), pl.Series(pairs["distance"].tolist())
    assert learned(X, pairs=columns) == learned(X, pairs=(i, j, pairs["distance"]))


def make_with_times(make, frame):
    return pl.from_arrow(arrow_of(frame)) if make is polars_of else make(frame)


def test_any_table_that_gives_itself_as_arrow(frame):
    distances = arrow_of(pd.DataFrame(Z).rename(columns=str))
    assert learned(Stream(arrow_of(frame)), Stream(distances)) == learned(frame, Z)


@pytest.mark.parametrize(
    "table, sentence",
    [
        (pl.DataFrame({"t": pl.Series([0] * N).cast(pl.Date)}), "'t' holds times"),
        (pa.table({"t": pa.array([0] * N, pa.timestamp("s"))}), "'t' holds times"),
        (pl.DataFrame({"l": [[1]] * N}), r"'l' is of the type List\(Int64\)"),
        (pa.table({"l": [[1]] * N}), "'l' is of the type list"),
        (pl.DataFrame({"a": [1.0] * N}).lazy(), r"LazyFrame holds no values yet; pass .collect\(\)"),
        (pl.DataFrame({"a": [np.inf] * N}), "column 'a', row 0: an infinity"),
        (pl.DataFrame(), "0 sample"),
        (pl.DataFrame({"a": [1.0] * (N - 1)}), f"{N} items|{N - 1} items"),
    ],
)
def test_tables_that_make_no_sense_are_refused(table, sentence):
    with pytest.raises(ValueError, match=sentence):
        learned(table, Z)


def test_numbers_of_every_type(make):
    rng = np.random.default_rng(2)
    kinds = ["int8", "uint16", "int64", "uint64", "float32", "float64"]
    frame = pd.DataFrame({kind: rng.integers(100, size=N).astype(kind) for kind in kinds})
    assert learned(make(frame), Z) == learned(frame, Z)
    decimal = pl.DataFrame({"d": frame["int64"].tolist()}).cast(pl.Decimal(10, 2))
    expected = learned(pd.DataFrame({"d": frame["int64"].astype(float)}), Z)
    assert learned(decimal, Z) == learned(decimal.to_arrow(), Z) == expected


def test_nobody_has_to_have_them():
    code = """
import sys
class Nobody:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pandas", "polars", "pyarrow"):
            raise ImportError(name)
sys.meta_path.insert(0, Nobody())
import smerf
X, Z = smerf.simulate("radial", 20)
smerf.DistanceForest(n_estimators=2).fit(X, Z).evaluate(X, Z.tolist())
assert "pandas" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_arrays_are_used_where_they_lie():
    values = np.random.default_rng(0).normal(size=(N, 2))
    table = pl.DataFrame({"a": values[:, 0].copy(), "b": values[:, 1].copy()})
    forest = smerf.DistanceForest(n_estimators=1).fit(table, Z)
    assert np.shares_memory(forest._items.columns[0][1], table["a"].to_numpy())
