"""A network: who will be linked to whom?

    python network.py [FOLDER]      writes FOLDER/network.png

People of four groups, known by their age, income and town, are linked mostly within groups. One pair in five is hidden;
the forest learns from the others, and says which of the hidden pairs are linked.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import networkx
import numpy as np
import pandas as pd
from sklearn.metrics import RocCurveDisplay, roc_auc_score

import smerf


def main(folder):
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(4), 40)
    people = pd.DataFrame(
        {
            "age": rng.normal(30 + 10 * (group % 2), 6),
            "income": rng.normal(group // 2, 0.6),
            "town": rng.choice(["Aar", "Bex", "Chur"], size=160),
            "shoe": rng.normal(size=160),
        }
    )
    chance = np.full((4, 4), 0.03) + 0.22 * np.eye(4)
    graph = networkx.stochastic_block_model([40] * 4, chance, seed=1)

    pairs = np.column_stack(np.triu_indices(160, 1))
    hidden = rng.random(len(pairs)) < 0.2
    linked = np.array([graph.has_edge(*pair) for pair in pairs])
    known_links = networkx.Graph()
    known_links.add_nodes_from(range(160))
    known_links.add_edges_from(pairs[linked & ~hidden])
    forest = smerf.DistanceForest(random_state=1, n_estimators=300, complete="off", n_jobs=-1)
    forest.fit(people, graph=known_links, observed=pairs[~hidden])

    score = forest.pair_score(pairs[hidden], people)
    print(f"area under the ROC curve on {hidden.sum()} hidden pairs: {roc_auc_score(linked[hidden], score):.3f}")
    newcomer = people.iloc[[0]].assign(age=41.0, income=1.2)
    distances, friends = forest.kneighbors(newcomer, n_neighbors=3)
    print("a newcomer of 41 will know", ", ".join(f"{i} (group {group[i]})" for i in friends[0]))

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.5))
    RocCurveDisplay.from_predictions(linked[hidden], score, ax=left, name="forest")
    place = forest.embed(people, oob=True)
    right.scatter(*place.T, c=group, cmap="tab10")
    right.set(title="People by learned distance; colour: group", xticks=[], yticks=[])
    figure.tight_layout()
    figure.savefig(folder / "network.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
