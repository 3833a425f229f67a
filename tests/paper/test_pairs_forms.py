"""The same observed pairs in other forms: a matrix with holes, a graph of which some pairs are known, similarities."""
import numpy as np
import pytest

import helpers
import pairs_oracle
from test_pairs_target import EXHAUSTIVE, assert_predicts, assert_same_tree, fit

KINDS = ["half", "few, ties", "islands", "diagonal", "categories"]


def exact_case(kind, seed):
    """Values that float32 and CSV hold, no pair weights."""
    case = pairs_oracle.make_case(kind, seed)
    case.rows = [(i, j, round(8 * v) / 8, 1.0) for i, j, v, _ in case.rows]
    case.distances, case.pair_weights = pairs_oracle.meaning(case.rows, case.n)
    case.weighted = False
    return case


def holes_as_text(z, ids):
    """A hole is spelled in all three ways, in turn."""
    text = helpers.matrix_text(z, ids)
    for spelling in ("NA", "", "NaN") * (1 + np.isnan(z).sum() // 3):
        text = text.replace("nan", spelling, 1)
    return text


def holey_matrix(folder, case, form):
    """Words for a matrix whose unknown entries are missing; a diagonal of zeros is missing too now and then."""
    z = case.distances.copy()
    if form == "npy":
        z[z.diagonal() == 0, z.diagonal() == 0] = np.nan
        np.save(folder / "z.npy", z)
        return ["--distances", folder / "z.npy"]
    if form == "similarities":
        np.save(folder / "q.npy", (32 - z).astype(np.float32))
        return ["--similarities", folder / "q.npy", "--similarity-max", 32]
    if form == "condensed":
        np.save(folder / "c.npy", z[np.triu_indices(case.n, 1)])
        return ["--distances", folder / "c.npy"]
    (folder / "z.csv").write_text(holes_as_text(z, case.ids), encoding="utf-8")
    return ["--distances", folder / "z.csv"]


@pytest.mark.parametrize("form", ["npy", "csv", "similarities", "condensed"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_matrix_with_holes_is_a_list_of_pairs(kind, form, tmp_path):
    case = exact_case(kind, 700)
    if form == "condensed":
        case.rows = [row for row in case.rows if row[0] != row[1]]
        case.distances, case.pair_weights = pairs_oracle.meaning(case.rows, case.n)
    assert np.isnan(case.distances).any()
    options = ["--trees", 4, "--candidates", 2]
    expected = fit(tmp_path, case, *options, name="pairs")
    model = fit(tmp_path, case, *options, words=holey_matrix(tmp_path, case, form), name="matrix")
    forest = helpers.export(model)
    assert forest == helpers.export(expected), case.name
    assert_predicts(tmp_path, model, case, pairs_oracle.predict(forest, case), options)


def observed_graph(folder, case, seed):
    """Links are the pairs nearer than the median; weights now and then. Lists may repeat, in either direction."""
    rng = np.random.default_rng(seed)
    names = case.ids or [str(i) for i in range(case.n)]
    pairs = sorted({(min(i, j), max(i, j)) for i, j, _, _ in case.rows if i != j})
    middle = np.median([case.distances[p] for p in pairs])
    weight = {p: float(rng.choice([0.5, 1.0, 2.0])) if seed % 2 else 1.0 for p in pairs}
    links = [p for p in pairs if case.distances[p] <= middle]
    save_list(rng, folder / "edges.csv", links, names, weight if seed % 2 else None)
    save_list(rng, folder / "observed.csv", pairs, names)
    largest = max(1.0, *(weight[p] for p in links))
    case.rows = [(*p, 1 - weight[p] / largest if p in links else 1.0, 1.0) for p in pairs]
    case.distances, case.pair_weights = pairs_oracle.meaning(case.rows, case.n)
    return ["--edges", folder / "edges.csv", "--observed", folder / "observed.csv"]


def save_list(rng, path, pairs, names, weight=None):
    again = [pairs[k] for k in rng.integers(0, len(pairs), size=2)]
    lines = ["source,target,weight" if weight else "source,target"]
    for i, j in [*pairs, *again]:
        a, b = (i, j) if rng.random() < 0.5 else (j, i)
        lines.append(f"{names[a]},{names[b]}" + (f",{weight[i, j]!r}" if weight else ""))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_a_graph_of_observed_pairs_grows_the_oracles_tree(kind, seed, tmp_path):
    case = pairs_oracle.make_case(kind, 800 + seed)
    words = observed_graph(tmp_path, case, seed)
    forest = helpers.export(fit(tmp_path, case, *EXHAUSTIVE, words=words))
    assert_same_tree(case, forest["trees"][0], options=EXHAUSTIVE)
    options = ["--trees", 5]
    model = fit(tmp_path, case, *options, words=words)
    assert_predicts(tmp_path, model, case, pairs_oracle.predict(helpers.export(model), case), options)
    listed = fit(tmp_path, case, *options, name="listed")
    assert helpers.export(listed) == helpers.export(model), case.name


def test_edges_outside_the_observed_pairs_are_left_out(tmp_path):
    case = pairs_oracle.make_case("half", 850, n=20)
    words = observed_graph(tmp_path, case, 0)
    expected = helpers.export(fit(tmp_path, case, "--trees", 5, words=words))
    names = case.ids or [str(i) for i in range(case.n)]
    unknown = np.argwhere(np.triu(case.pair_weights == 0, 1))[::3]
    with (tmp_path / "edges.csv").open("a", encoding="utf-8") as edges:
        edges.writelines(f"{names[i]},{names[j]}\n" for i, j in unknown)
    assert len(unknown) > 5
    assert helpers.export(fit(tmp_path, case, "--trees", 5, words=words)) == expected


@pytest.mark.parametrize("seed", range(3))
def test_similar_pairs_are_taken_from_the_largest(seed, tmp_path):
    """M is 1 if no similarity exceeds it, else the largest, or given."""
    case = exact_case("half", 900 + seed)
    largest = [1.0, max(v for _, _, v, _ in case.rows), 64.0][seed]
    names = case.ids or [str(i) for i in range(case.n)]
    lines = [f"{names[i]},{names[j]},{v - (3 if seed == 0 else 0)!r}" for i, j, v, _ in case.rows]
    (tmp_path / "q.csv").write_text("a,b,similarity\n" + "\n".join(lines) + "\n", encoding="utf-8")
    assert seed != 0 or max(v for _, _, v, _ in case.rows) <= 4
    case.rows = [(i, j, largest - v + (3 if seed == 0 else 0), 1.0) for i, j, v, _ in case.rows]
    case.distances, case.pair_weights = pairs_oracle.meaning(case.rows, case.n)
    words = ["--pairs", tmp_path / "q.csv", *(["--similarity-max", 64] if seed == 2 else [])]
    forest = helpers.export(fit(tmp_path, case, *EXHAUSTIVE, words=words))
    assert_same_tree(case, forest["trees"][0], options=EXHAUSTIVE)


def test_a_repeated_pair_counts_once_however_often(tmp_path):
    """A value that stands there three times weighs no more than one that stands there once."""
    case = exact_case("half", 950)
    once = helpers.export(fit(tmp_path, case, "--trees", 5))
    turned = [(j, i, v, w) for i, j, v, w in case.rows]
    case.rows = case.rows + turned[::2] + case.rows[::2]
    assert helpers.export(fit(tmp_path, case, "--trees", 5)) == once


def test_values_are_found_by_name(tmp_path):
    case = exact_case("half", 960)
    expected = helpers.export(fit(tmp_path, case, "--trees", 5))
    names = case.ids or [str(i) for i in range(case.n)]
    lines = [f"{names[i]},{names[j]},{7 * k % 5},{v!r},{w!r}" for k, (i, j, v, w) in enumerate(case.rows)]
    for value, words in (("Distance", []), ("how far", ["--value", "how far", "--value-is", "distance"])):
        (tmp_path / "wide.csv").write_text(f"a,b,noise,{value},weight\n" + "\n".join(lines) + "\n", encoding="utf-8")
        model = fit(tmp_path, case, "--trees", 5, words=["--pairs", tmp_path / "wide.csv", *words], name="wide")
        assert helpers.export(model) == expected
