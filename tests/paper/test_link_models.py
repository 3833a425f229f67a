"""epm and narm on networks drawn from the models themselves: they must predict links nearly as well as the truth does."""
import numpy as np
import pytest

import helpers

SHORT = ["--burn", 400, "--draws", 400, "--factors", 12]


# ---------------------------------------------------------------- drawing

def draw_links(phi, attraction, generator):
    """The probabilities of a network, and one that has them."""
    probability = 1 - np.exp(-phi @ attraction @ phi.T)
    drawn = np.triu(generator.random(probability.shape) < probability, 1)
    return probability, drawn | drawn.T


def draw_epm(n, generator):
    """Nodes of different liveliness in four groups, which attract their own kind and a little the next one."""
    shape = generator.gamma(2, 0.15, size=(n, 1))
    phi = generator.gamma(np.broadcast_to(shape, (n, 4)), 1.0)
    attraction = 1.5 * np.eye(4) + 0.15 * (np.eye(4, k=1) + np.eye(4, k=-1))
    return draw_links(phi, attraction, generator)


def narm_shapes(attributes):
    """Each attribute speaks for one group and against the others."""
    weight = np.full((6, 4), 0.5)
    weight[np.arange(6), np.arange(6) % 4] = 5
    return 0.4 * np.prod(np.where(attributes[:, :, None], weight, 1.0), axis=1)


def draw_narm(attributes, generator):
    rate = 1 + generator.gamma(4, 0.25, size=(len(attributes), 1))
    phi = generator.gamma(narm_shapes(attributes), 1 / rate)
    return draw_links(phi, 0.6 * np.eye(4) + 0.02, generator)


def draw_attributes(n, generator):
    return generator.random((n, 6)) < 0.4


def expected_narm(attributes, n_draws=300):
    """What can be known of nodes by their attributes: the mean over all phi of their link probabilities."""
    generator = np.random.default_rng(0)
    return sum(draw_narm(attributes, generator)[0] for _ in range(n_draws)) / n_draws


# ---------------------------------------------------------------- files and scores

def save_items(path, rows, attributes=None):
    columns = ["a"] if attributes is None else [f"a{k}" for k in range(attributes.shape[1])]
    lines = [",".join(["id", *columns])]
    for row in rows:
        values = ["0"] if attributes is None else [str(int(v)) for v in attributes[row]]
        lines.append(",".join([f"n{row}", *values]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def save_pairs(path, header, pairs):
    path.write_text(header + "\n" + "".join(f"n{i},n{j}\n" for i, j in pairs), encoding="utf-8")


def edges_among(links, rows):
    return [(i, j) for i in rows for j in rows if i < j and links[i, j]]


def auc(score, is_link):
    """The share of (link, other) pairs in which the link has the larger score; ties count half."""
    links, others = np.asarray(score)[is_link], np.sort(np.asarray(score)[~is_link])
    below, up_to = np.searchsorted(others, links, "left"), np.searchsorted(others, links, "right")
    return float(np.mean((below + up_to) / 2 / len(others)))


def predict(model, rows, columns=None):
    against = [] if columns is None else ["--against", columns]
    out = model.parent / "predicted.npy"
    helpers.run("predict", model, rows, *against, "-o", out)
    return np.load(out)


# ---------------------------------------------------------------- claims

@pytest.mark.parametrize("seed", [1, 2])
def test_epm_finds_held_out_pairs_nearly_as_well_as_the_truth(tmp_path, seed):
    n, generator = 150, np.random.default_rng(seed)
    probability, links = draw_epm(n, generator)
    upper = np.triu_indices(n, 1)
    is_known = generator.random(len(upper[0])) < 0.7
    known = zip(upper[0][is_known], upper[1][is_known])
    save_items(tmp_path / "items.csv", range(n))
    save_pairs(tmp_path / "edges.csv", "source,target", edges_among(links, range(n)))
    save_pairs(tmp_path / "known.csv", "i,j", known)
    model = tmp_path / "epm.smerf"
    helpers.run("fit", tmp_path / "items.csv", "--edges", tmp_path / "edges.csv", "--observed", tmp_path / "known.csv",
                "--method", "epm", "-o", model, *SHORT)
    score = 1 - predict(model, tmp_path / "items.csv")[upper][~is_known]
    truth = links[upper][~is_known]
    found, best = auc(score, truth), auc(probability[upper][~is_known], truth)
    print(f"auc {found:.4f}, of the truth {best:.4f}")
    assert found > best - 0.02


@pytest.mark.parametrize("seed", [1, 2])
def test_narm_places_new_nodes_nearly_as_well_as_the_truth(tmp_path, seed):
    n, n_train, generator = 260, 200, np.random.default_rng(seed)
    attributes = draw_attributes(n, generator)
    _, links = draw_narm(attributes, generator)
    train, test = range(n_train), range(n_train, n)
    save_items(tmp_path / "train.csv", train, attributes)
    save_items(tmp_path / "test.csv", test, attributes)
    save_pairs(tmp_path / "edges.csv", "source,target", edges_among(links, train))
    model = tmp_path / "narm.smerf"
    helpers.run("fit", tmp_path / "train.csv", "--edges", tmp_path / "edges.csv", "--method", "narm", "-o", model, *SHORT)
    expected = expected_narm(attributes[n_train:])
    among = np.triu_indices(n - n_train, 1)
    score = 1 - predict(model, tmp_path / "test.csv")[among]
    truth = links[n_train:, n_train:][among]
    found, best = auc(score, truth), auc(expected[among], truth)
    print(f"auc {found:.4f}, of the truth {best:.4f}")
    assert found > best - 0.02


@pytest.mark.parametrize("method", ["epm", "narm"])
def test_threads_change_no_bit(tmp_path, method):
    generator = np.random.default_rng(3)
    attributes = draw_attributes(60, generator)
    _, links = draw_narm(attributes, generator)
    save_items(tmp_path / "items.csv", range(60), attributes)
    save_pairs(tmp_path / "edges.csv", "source,target", edges_among(links, range(60)))
    files = []
    for threads in (1, 2):
        model = tmp_path / f"{threads}.smerf"
        helpers.run("fit", tmp_path / "items.csv", "--edges", tmp_path / "edges.csv", "--method", method, "-o", model,
                    "--burn", 50, "--draws", 60, "--threads", threads)
        files.append(model.read_bytes())
    assert files[0] == files[1]


def test_epm_refuses_new_nodes(tmp_path):
    _, links = draw_epm(30, np.random.default_rng(4))
    save_items(tmp_path / "items.csv", range(30))
    save_items(tmp_path / "more.csv", range(31))
    save_pairs(tmp_path / "edges.csv", "source,target", edges_among(links, range(30)))
    model = tmp_path / "epm.smerf"
    helpers.run("fit", tmp_path / "items.csv", "--edges", tmp_path / "edges.csv", "--method", "epm", "-o", model,
                "--burn", 5, "--draws", 5)
    message = helpers.refused("predict", model, tmp_path / "more.csv", "-o", tmp_path / "out.npy")
    assert "epm knows only the nodes it was trained on: item 'n30' is new" in message
