"""real_data.py - data sets that nobody here made: items, and what is known of their pairs. For experiments about defaults and accuracy.

From scikit-learn; from R (Debian's r-base-core, r-cran-vegan, r-cran-mlbench, r-cran-mass), if Rscript is there; from ../shared/data, if that is
there; and, beside them, the paper's simulations and distances that add up over features. `load(name)` gives a Data, or None with a line on
standard error that says what is absent.
"""
import csv
import io
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn import datasets

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@dataclass
class Data:
    """Items as columns of text, and one target."""
    kind: str              # distances, pairs, rank, graph, labels, response, absolute or product
    columns: dict          # name: one cell for each item, "" where the value is missing
    z: np.ndarray = None   # distances, pairs, rank: the matrix; graph: the adjacency matrix
    y: dict = None         # labels, response, absolute: one column, a cell for each item; product: perhaps several

    @property
    def n(self):
        return len(next(iter(self.columns.values())))

    def write_items(self, path, rows):
        """A CSV file of some items; labels and responses are the column y."""
        columns = self.columns | (self.y or {})
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows([column[i] for column in columns.values()] for i in rows)

    def true_distances(self, rows):
        """The matrix that the target stands for, among some items."""
        if self.y is None:
            z = self.z[np.ix_(rows, rows)]
            return 1 - z if self.kind == "graph" else z
        if self.kind == "labels":
            y = np.array(self.y["y"])[rows]
            return (y[:, None] != y[None, :]).astype(float)
        y = np.array([[float(v) for v in column] for column in self.y.values()]).T[rows]
        if self.kind == "product":
            return 1 - y @ y.T
        apart = np.abs(y - y.T)
        return apart if self.kind == "absolute" else 0.5 * apart ** 2


def numbers(x):
    return {f"x{k}": [repr(float(v)) for v in x[:, k]] for k in range(x.shape[1])}


# ---------------------------------------------------------------- scikit-learn

def labelled(x, y):
    return Data("labels", numbers(x), y={"y": [f"c{v}" for v in y]})


def measured(x, y):
    return Data("response", numbers(x), y={"y": [repr(float(v)) for v in y]})


def linnerud():
    x, y = datasets.load_linnerud(return_X_y=True)
    return measured(x, y[:, 0])


# ---------------------------------------------------------------- R

def rscript(code):
    """Tables that R code prints with `write.csv`, each as a list of rows; between two of them it prints ----."""
    if shutil.which("Rscript") is None:
        raise FileNotFoundError("Rscript is not there (Debian: r-base-core r-cran-vegan r-cran-mlbench r-cran-mass)")
    done = subprocess.run(["Rscript", "--vanilla", "-e", code], capture_output=True, text=True)
    if done.returncode != 0:
        raise FileNotFoundError(f"R: {done.stderr.strip().splitlines()[-1]}")
    return [list(csv.reader(io.StringIO(part))) for part in done.stdout.split("----\n")]


def columns_of(rows):
    return {name: [row[k].strip() for row in rows[1:]] for k, name in enumerate(rows[0])}


def frame(code, kind, target):
    """A data frame of R with labels or a response; items without one are left out."""
    def load():
        columns = columns_of(rscript(f"write.csv(local({{ {code} }}), row.names = FALSE, na = '')")[0])
        y = columns.pop(target)
        known = [i for i, value in enumerate(y) if value != ""]
        return Data(kind, {name: [c[i] for i in known] for name, c in columns.items()},
                    y={"y": [f"c{y[i]}" if kind == "labels" else y[i] for i in known]})
    return load


def plots(species, environment):
    """vegan: plots described by their environment; how different their species are, by Bray and Curtis."""
    def load():
        items, matrix = rscript(f"suppressMessages(library(vegan)); data({species}, {environment}); "
                                f"write.csv({environment}, row.names = FALSE, na = ''); cat('----\\n'); "
                                f"write.csv(as.matrix(vegdist({species})), row.names = FALSE)")
        return Data("distances", columns_of(items), z=np.array(matrix[1:], dtype=float))
    return load


# ---------------------------------------------------------------- shared data

def table_of(path):
    if not path.exists():
        raise FileNotFoundError(f"{path} is not there")
    with open(path, encoding="utf-8") as file:
        return columns_of(list(csv.reader(file)))


def morse():
    """Morse signals, by how they sound; how often two were not confused."""
    items = table_of(SHARED / "similarity" / "morse36" / "items.csv")
    pairs = table_of(SHARED / "similarity" / "morse36" / "pairs.csv")
    row = {name: i for i, name in enumerate(items["id"])}
    z = np.zeros((len(row), len(row)))
    for a, b, value in zip(pairs["a"], pairs["b"], pairs["dissimilarity"]):
        z[row[a], row[b]] = z[row[b], row[a]] = float(value)
    return Data("distances", {name: c for name, c in items.items() if name not in ("id", "letter", "code")}, z=z)


def network(name):
    def load():
        nodes = table_of(SHARED / "networks" / name / "nodes.csv")
        edges = list(table_of(SHARED / "networks" / name / "edges.csv").values())
        row = {node: i for i, node in enumerate(nodes.pop("id"))}
        adjacency = np.zeros((len(row), len(row)))
        for a, b in zip(*edges[:2]):
            adjacency[row[a], row[b]] = adjacency[row[b], row[a]] = 1
        return Data("graph", nodes, z=adjacency)
    return load


# ---------------------------------------------------------------- made

def simulated(name, n=320):
    """The paper's simulations (section 5.1): 20 features, of which two matter."""
    def load():
        draw = np.random.default_rng(0)
        if name == "radial":
            x = draw.normal(size=(n, 20))
            x *= (draw.random(n) ** (1 / 20) / np.linalg.norm(x, axis=1))[:, None]
            y = np.hypot(x[:, 0], x[:, 1])
        else:
            x = draw.random((n, 20))
            y = (x[:, 0] + x[:, 1]) / 2
        return Data("distances", numbers(x), z=1 - np.outer(y, y) if name == "bilinear" else (y[:, None] - y[None, :]) ** 2)
    return load


def added_up(power, n=260):
    """Distances that add up over five features: city block (1), Euclidean (2)."""
    def load():
        x = np.random.default_rng(1).random((n, 5))
        return Data("distances", numbers(x), z=(np.abs(x[:, None] - x[None, :]) ** power).sum(2) ** (1 / power))
    return load


# ---------------------------------------------------------------- the same data as another kind

def as_kind(kind, name):
    """The same items, and the same truth told in another way."""
    def load():
        data = LOADERS[name]()
        return Data(kind, data.columns, data.z, data.y)
    return load


def directions(load_x_y, n_first):
    """Items by their first features; the others, scaled to length one, are what the products are of."""
    def load():
        x = load_x_y(return_X_y=True)[0]
        y = (x - x.mean(0)) / x.std(0)
        y = y[:, n_first:] / np.linalg.norm(y[:, n_first:], axis=1)[:, None]
        return Data("product", numbers(x[:, :n_first]), y={f"y{k}": [repr(float(v)) for v in c] for k, c in enumerate(y.T)})
    return load


# ---------------------------------------------------------------- all of them

LOADERS = {
    "morse": morse, "dune": plots("dune", "dune.env"), "varespec": plots("varespec", "varechem"), "mite": plots("mite", "mite.env"),
    "radial": simulated("radial"), "regression": simulated("regression"), "bilinear": simulated("bilinear"),
    "euclidean": added_up(2), "city block": added_up(1),
    "lazega": network("lazega-cowork"), "facebook-ego": network("facebook-ego"), "nips234": network("nips234"),
    "iris": lambda: labelled(*datasets.load_iris(return_X_y=True)),
    "wine": lambda: labelled(*datasets.load_wine(return_X_y=True)),
    "digits": lambda: labelled(*datasets.load_digits(return_X_y=True)),
    "breast cancer": lambda: labelled(*datasets.load_breast_cancer(return_X_y=True)),
    "few of 60": lambda: labelled(*datasets.make_classification(500, 60, n_informative=4, n_redundant=0, random_state=0)),
    "letters": frame("library(mlbench); data(LetterRecognition); set.seed(1); LetterRecognition[sample(20000, 3000), ]", "labels", "lettr"),
    "glass": frame("library(mlbench); data(Glass); Glass", "labels", "Type"),
    "zoo": frame("library(mlbench); data(Zoo); Zoo", "labels", "type"),
    "soybean": frame("library(mlbench); data(Soybean); Soybean", "labels", "Class"),
    "house votes": frame("library(mlbench); data(HouseVotes84); HouseVotes84", "labels", "Class"),
    "sonar": frame("library(mlbench); data(Sonar); Sonar", "labels", "Class"),
    "vehicle": frame("library(mlbench); data(Vehicle); Vehicle", "labels", "Class"),
    "diabetes": lambda: measured(*datasets.load_diabetes(return_X_y=True, scaled=False)),
    "linnerud": linnerud,
    "friedman 1": lambda: measured(*datasets.make_friedman1(400, n_features=10, noise=1.0, random_state=0)),
    "ozone": frame("library(mlbench); data(Ozone); Ozone[, -(1:3)]", "response", "V4"),
    "boston": frame("library(MASS); Boston", "response", "medv"),
    "cars93": frame("library(MASS); Cars93[, c('Type', 'MPG.city', 'MPG.highway', 'AirBags', 'DriveTrain', 'EngineSize', 'Horsepower', "
                    "'RPM', 'Weight', 'Length', 'Origin', 'Price')]", "response", "Price"),
    "swiss": frame("swiss", "response", "Fertility"),
    "morse, pairs": as_kind("pairs", "morse"), "mite, pairs": as_kind("pairs", "mite"), "radial, pairs": as_kind("pairs", "radial"),
    "euclidean, pairs": as_kind("pairs", "euclidean"),
    "mite, rank": as_kind("rank", "mite"), "radial, rank": as_kind("rank", "radial"),
    "swiss, absolute": as_kind("absolute", "swiss"), "cars93, absolute": as_kind("absolute", "cars93"),
    "boston, absolute": as_kind("absolute", "boston"), "diabetes, absolute": as_kind("absolute", "diabetes"),
    "wine, product": directions(datasets.load_wine, 8), "breast cancer, product": directions(datasets.load_breast_cancer, 20),
}


def load(name):
    try:
        return LOADERS[name]()
    except FileNotFoundError as error:
        print(f"{name} is left out: {error}", file=sys.stderr)
        return None
