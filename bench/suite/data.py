"""data.py - the data of the comparisons, made once: every side reads the same files.

20 features, of which ten matter; labels are five classes of equal size, cut from the response. Numbers are kept to float32,
so that tools that round to it lose nothing."""
import numpy as np

N_FEATURES = 20
N_CLASSES = 5
N_TEST = 20_000
NOISE = 0.3


def response_of(x, random):
    signal = x[:, 0] + x[:, 1] + np.sin(3 * x[:, 2]) + np.sin(3 * x[:, 3]) + np.abs(x[:, 4]) + np.abs(x[:, 5])
    signal += x[:, 6] * x[:, 7] + x[:, 8] * x[:, 9]
    return signal + NOISE * random.standard_normal(len(x))


def labels_of(y, cuts):
    return np.searchsorted(cuts, y).astype(np.int32)


def draw(n, seed):
    random = np.random.default_rng(seed)
    x = random.standard_normal((n, N_FEATURES), dtype=np.float32)
    return x, response_of(x.astype(float), random)


def write(path, array):
    """Under another name first, so that a run that was stopped leaves no half a file behind."""
    partial = path.with_suffix(".partial.npy")
    np.save(partial, array)
    partial.rename(path)


def tables(bench, n):
    """Paths by the names that the sides give them: x, y for fitting, test_x, test_y for scoring; y and labels differ."""
    folder = bench.data
    cuts = np.quantile(draw(N_TEST, 7)[1], np.arange(1, N_CLASSES) / N_CLASSES)
    paths = {}
    for part, size, seed in (("train", n, 1), ("test", N_TEST, 2)):
        names = {what: folder / f"{part}-{size}-{what}.npy" for what in ("x", "response", "labels")}
        paths[part] = names
        if all(path.exists() for path in names.values()):
            continue
        x, y = draw(size, seed)
        write(names["response"], y.reshape(-1, 1))
        write(names["labels"], labels_of(y, cuts).reshape(-1, 1))
        write(names["x"], x)
    return paths


def words(bench, n, kind):
    """The files of a labels or response forest, as words of a side's command."""
    paths = tables(bench, n)
    return {"kind": kind, "x": paths["train"]["x"], "y": paths["train"][kind],
            "test_x": paths["test"]["x"], "test_y": paths["test"][kind]}


def csv_table(bench, n):
    """Text of n rows, with the digits that read back the same."""
    path = bench.data / f"table-{n}.csv"
    if not path.exists():
        x, _ = draw(n, 3)
        partial = path.with_suffix(".partial")
        with open(partial, "w", encoding="ascii") as file:
            print(",".join(f"x{f}" for f in range(N_FEATURES)), file=file)
            for row in x.astype(float) / 3:
                print(",".join(map(repr, row.tolist())), file=file)
        partial.rename(path)
    return path


def matrix(bench, n):
    """A symmetric float64 matrix of distances, written a band of rows at a time."""
    path = bench.data / f"matrix-{n}.npy"
    if not path.exists():
        y = draw(n, 4)[1]
        partial = path.with_suffix(".partial.npy")
        z = np.lib.format.open_memmap(partial, mode="w+", dtype=np.float64, shape=(n, n))
        for first in range(0, n, 1000):
            z[first:first + 1000] = np.abs(y[first:first + 1000, None] - y)
        z.flush()
        del z
        partial.rename(path)
    return path


def metric_problem(bench, n, p, n_pairs):
    """Items, squared distances under a positive semidefinite matrix with noise, and some of the pairs as rows i, j, distance."""
    paths = [bench.data / f"metric-{n}-{p}-{what}.npy" for what in ("x", "z", f"pairs-{n_pairs}")]
    if all(path.exists() for path in paths):
        return paths
    random = np.random.default_rng(5)
    x = random.standard_normal((n, p))
    seen = x @ random.standard_normal((p, p // 2)) / np.sqrt(p)
    squares = np.sum(seen ** 2, axis=1)
    noise = np.triu(random.standard_normal((n, n)), 1)
    z = np.maximum(squares[:, None] + squares - 2 * seen @ seen.T + 0.5 * (noise + noise.T), 0)
    z = ((z + z.T) / 2).astype(np.float32)
    np.fill_diagonal(z, 0)
    i, j = np.triu_indices(n, 1)
    chosen = random.choice(len(i), n_pairs, replace=False)
    rows = np.column_stack([i[chosen], j[chosen], z[i[chosen], j[chosen]]])
    for path, array in zip(paths, (x, z, rows)):
        write(path, array)
    return paths
