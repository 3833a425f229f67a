"""targets.py - random targets of every kind, each with the matrix of distances that it stands for.

A target is what stands on the command line, the columns it needs in ITEMS, and the files it names. All numbers are
multiples of small powers of two, so that z is exact in float32 and `--distances` of the matrix is the same problem.
"""
import io
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse

import cases
import helpers
from oracle import Column


@dataclass
class Target:
    words: list                                   # of the command line; names of files get their folder
    z: np.ndarray                                 # given diagonal included
    columns: list = field(default_factory=list)   # of ITEMS, no features
    files: dict = field(default_factory=dict)     # name: text or bytes
    links: np.ndarray = None                      # labels, graphs: True where a pair is a positive of the AUC
    ids: list = None                              # None: items are called by their row

    def arguments(self, folder):
        for name, content in self.files.items():
            path = Path(folder) / name
            path.write_bytes(content) if isinstance(content, bytes) else path.write_text(content, encoding="utf-8")
        return [Path(folder) / w if w in self.files else w for w in self.words]

    def names(self):
        return self.ids or [str(i) for i in range(len(self.z))]


def quarters(values, limit=16):
    return np.clip(np.round(4 * np.asarray(values)), -4 * limit, 4 * limit) / 4


def number_columns(y):
    return [Column(f"t{k}", y[:, k].tolist()) for k in range(y.shape[1])]


def listed(rng, columns):
    return ",".join(columns[k].name for k in rng.permutation(len(columns)))


# ---------------------------------------------------------------- columns of ITEMS

def class_names(rng, n):
    if rng.random() < 0.5:
        return [str(k) for k in rng.permutation(3 * n + 5)[:n]]  # number codes: 10 comes before 9
    names = [*cases.NAMES, *(f"class {k}" for k in range(n))]
    return [names[k] for k in rng.permutation(len(names))[:n]]


def labels_of(rng, codes):
    names = class_names(rng, codes.max() + 1)
    same = codes[:, None] == codes[None, :]
    column = Column("t0", [names[c] for c in codes], "category")
    return Target(["--labels", "t0"], (~same).astype(float), [column], links=same)


def labels(rng, columns):
    places = cases.hidden_positions(rng, columns)[:, 0]
    cuts = np.quantile(places, np.arange(1, rng.integers(2, 6)) / 5)
    return labels_of(rng, np.unique(np.digitize(places, cuts), return_inverse=True)[1])


def one_class(rng, columns):
    return labels_of(rng, np.zeros(len(columns[0].values), dtype=int))


def a_class_an_item(rng, columns):
    return labels_of(rng, rng.permutation(len(columns[0].values)))


def response_of(rng, y):
    difference = y[:, None, :] - y[None, :, :]
    columns = number_columns(y)
    return Target(["--response", listed(rng, columns)], (difference ** 2).sum(axis=2) / 2, columns)


def response(rng, columns):
    return response_of(rng, quarters(4 * cases.hidden_positions(rng, columns)[:, :1]))


def responses(rng, columns):
    places = cases.hidden_positions(rng, columns)
    return response_of(rng, quarters(2 * places @ rng.normal(size=(2, rng.integers(2, 5)))))


def far_response(rng, columns):
    """Far from zero, and in two heaps far from each other: a sum of squares is much larger than any gain."""
    y = quarters(cases.hidden_positions(rng, columns)[:, :1], limit=4)
    if rng.random() < 0.5:
        return response_of(rng, y + 2.0 ** 20)
    return response_of(rng, y + 512.0 * (rng.random(len(y)) < 0.5)[:, None])


def constant_response(rng, columns):
    return response_of(rng, np.full((len(columns[0].values), 2), 2.75))


def absolute(rng, columns):
    y = quarters(4 * cases.hidden_positions(rng, columns)[:, 0]) + rng.choice([0.0, 2.0 ** 16])
    return Target(["--absolute", "t0"], np.abs(y[:, None] - y[None, :]), [Column("t0", y.tolist())])


def product(rng, columns):
    y = quarters(cases.hidden_positions(rng, columns) @ rng.normal(size=(2, rng.integers(1, 4))), limit=4)
    columns = number_columns(y)
    return Target(["--product", listed(rng, columns)], 1 - y @ y.T, columns)


# ---------------------------------------------------------------- graphs

def some_ids(rng, n):
    """None, names, or numbers that are not the rows."""
    return [None, [f"n {i:03d}" for i in range(n)], [str(k) for k in rng.permutation(n)]][rng.integers(3)]


def random_links(rng, columns):
    """Near items are linked, some far ones too; now and then everybody, never nobody."""
    y = cases.hidden_positions(rng, columns)
    near = cases.symmetric(((y[:, None] - y[None, :]) ** 2).sum(axis=2))
    share = rng.choice([0.1, 0.3, 0.5, 1.0], p=[0.35, 0.3, 0.3, 0.05])
    flips = cases.symmetric(rng.random(near.shape)) > 0.95
    linked = np.triu((near < np.quantile(near, share)) ^ flips if share < 1 else near >= 0, 1)
    linked[0, 1] |= not linked.any()
    return linked | linked.T


def edge_weights(rng, kind, shape):
    if kind == "one":
        return np.ones(shape)
    if kind == "integer":
        return cases.symmetric(rng.integers(1, 6, size=shape).astype(float))
    if kind == "signed":
        return cases.symmetric(rng.integers(-6, 7, size=shape) / 2.0)
    return cases.symmetric(rng.integers(1, 17, size=shape) / 8.0)


def divisor(links, weights):
    return 2.0 ** np.ceil(np.log2(max(1.0, np.where(links, weights, 0.0).max())))


def edge_words(path, links, weights):
    """The largest weight would do, too (tests/cli/test_lists.py), but for float32."""
    largest = divisor(links, weights)
    return ["--edges", path] + (["--similarity-max", largest] if largest > 1 else [])


def graph(links, weights):
    """z = 1 - a, with a divided by a power of two where one exceeds 1, which float32 can hold; 0 on the diagonal."""
    z = 1 - np.where(links, weights, 0.0) / divisor(links, weights)
    np.fill_diagonal(z, 0.0)
    return z


def shuffled_edges(rng, links):
    """Every edge once, in any order and either direction; a few of them again, both ways."""
    edges = np.argwhere(np.triu(links, 1))
    again = edges[rng.random(len(edges)) < 0.2]
    edges = np.concatenate([edges, again])
    turned = rng.random(len(edges)) < 0.5
    edges[turned] = edges[turned][:, ::-1]
    return edges[rng.permutation(len(edges))]


def edges_text(rng, edges, weights, names, weighted):
    header = "source,target,weight\n" if weighted else "source,target\n"
    rows = [[names[i], names[j]] + ([repr(float(weights[i, j]))] if weighted else []) for i, j in edges]
    return header + "".join(",".join(row) + "\n" for row in rows)


def csv_graph(kind):
    def make(rng, columns):
        links = random_links(rng, columns)
        weights = edge_weights(rng, kind, links.shape)
        ids = some_ids(rng, len(links))
        names = ids or [str(i) for i in range(len(links))]
        text = edges_text(rng, shuffled_edges(rng, links), weights, names, kind != "one")
        return Target(edge_words("edges.csv", links, weights), graph(links, weights), files={"edges.csv": text}, links=links, ids=ids)
    return make


def market_text(rng, links, weights, number, is_symmetric):
    """By hand: comments and empty lines, entries in any order; symmetric: the lower triangle alone."""
    entries = np.argwhere(np.tril(links, -1) if is_symmetric else links)
    entries = entries[rng.permutation(len(entries))]
    values = {"pattern": lambda a: "", "integer": lambda a: f" {a:.0f}", "real": lambda a: f" {a:.6e}"}[number]
    lines = [f"%%MatrixMarket matrix coordinate {number} {'symmetric' if is_symmetric else 'general'}",
             "% written by hand", "%", f"{len(links)} {len(links)} {len(entries)}"]
    return "\n".join(lines + [f"{i + 1} {j + 1}{values(weights[i, j])}" for i, j in entries]) + "\n"


def scipy_market(links, weights, number):
    a = scipy.sparse.coo_matrix(np.where(links, weights, 0.0))
    out = io.BytesIO()
    scipy.io.mmwrite(out, a.astype(int) if number == "integer" else a, comment="links", field=number)
    return out.getvalue()


def market_graph(number):
    def make(rng, columns):
        links = random_links(rng, columns)
        kind = {"pattern": "one", "integer": "integer", "real": "signed"}[number]
        weights = edge_weights(rng, kind, links.shape)
        writer = rng.integers(3)
        text = (scipy_market(links, weights, number) if writer == 0
                else market_text(rng, links, weights, number, is_symmetric=writer == 1))
        return Target(edge_words("graph.mtx", links, weights), graph(links, weights), files={"graph.mtx": text}, links=links,
                      ids=some_ids(rng, len(links)))
    return make


def all_observed(rng, columns):
    """A graph of which every pair is known to be a link or none."""
    target = csv_graph("dyadic")(rng, columns)
    everything = shuffled_edges(rng, ~np.eye(len(target.z), dtype=bool))
    target.files["observed.csv"] = edges_text(rng, everything, None, target.names(), False)
    target.words += ["--observed", "observed.csv"]
    return target


# ---------------------------------------------------------------- lists of pairs, matrices

def exact_distances(rng, columns):
    y = cases.hidden_positions(rng, columns)
    z = cases.symmetric(quarters(np.abs(y[:, None] - y[None, :]).sum(axis=2)))
    if rng.random() < 0.4:
        np.fill_diagonal(z, rng.integers(0, 3, size=len(z)) / 2)
    return z


def pairs_text(rng, z, names, header):
    """All pairs, in any order and either direction, some again; (i, i) where it is not 0, and now and then."""
    diagonal = np.flatnonzero((z.diagonal() != 0) | (rng.random(len(z)) < 0.3))
    pairs = np.concatenate([shuffled_edges(rng, ~np.eye(len(z), dtype=bool)), np.stack([diagonal] * 2, axis=1)])
    pairs = pairs[rng.permutation(len(pairs))]
    return header + "".join(f"{names[i]},{names[j]},{float(z[i, j])!r}\n" for i, j in pairs)


def all_pairs(rng, columns):
    z, ids = exact_distances(rng, columns), some_ids(rng, len(columns[0].values))
    names = ids or [str(i) for i in range(len(z))]
    header, more = [("a,b,distance\n", []), ("i,j,Dissimilarity\n", []),
                    ("i,j,x\n", ["--value", "x", "--value-is", "distance"])][rng.integers(3)]
    return Target(["--pairs", "pairs.csv", *more], z, files={"pairs.csv": pairs_text(rng, z, names, header)}, ids=ids)


def all_similar_pairs(rng, columns):
    """z = M - q, and 0 on a diagonal that is not listed. M is 1, the largest q, or given."""
    z, ids = exact_distances(rng, columns), some_ids(rng, len(columns[0].values))
    names = ids or [str(i) for i in range(len(z))]
    np.fill_diagonal(z, 0.0)
    way = rng.integers(3)
    if way == 0:
        largest, more = 1.0, []
    elif way == 1:
        largest, more = 32.0, []
        z[0, 1] = z[1, 0] = 0.0  # the pair that has it
    else:
        largest, more = 64.0, ["--similarity-max", 64]
    edges = shuffled_edges(rng, ~np.eye(len(z), dtype=bool))
    text = "u,v,similarity\n" + "".join(f"{names[i]},{names[j]},{float(largest - z[i, j])!r}\n" for i, j in edges)
    return Target(["--pairs", "pairs.csv", *more], z, files={"pairs.csv": text}, ids=ids)


def matrix(rng, columns):
    """CSV under ids, whose order is not that of the items."""
    z = exact_distances(rng, columns)
    ids = [f"m{k}" for k in rng.permutation(len(z))]
    order = rng.permutation(len(z))
    text = helpers.matrix_text(z[np.ix_(order, order)], [ids[k] for k in order])
    return Target(["--distances", "matrix.csv"], z, files={"matrix.csv": text}, ids=ids)


KINDS = {
    "labels": labels, "one class": one_class, "a class an item": a_class_an_item,
    "response": response, "responses": responses, "far response": far_response, "constant response": constant_response,
    "absolute": absolute, "product": product,
    "edges": csv_graph("one"), "integer edges": csv_graph("integer"), "dyadic edges": csv_graph("dyadic"),
    "signed edges": csv_graph("signed"), "all observed": all_observed,
    "pattern market": market_graph("pattern"), "integer market": market_graph("integer"),
    "real market": market_graph("real"),
    "all pairs": all_pairs, "all similar pairs": all_similar_pairs, "matrix": matrix,
}
