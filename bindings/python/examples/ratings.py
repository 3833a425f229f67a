"""Missing ratings: people have compared a tenth of the pairs; what of the others?

    python ratings.py [FOLDER]      writes FOLDER/ratings.png

Dishes are described by how sweet, hot and rich they are, and by their country. Raters, who are noisy, have said of some
pairs how different they taste. The forest fills in the others, also for a dish that nobody has rated.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import smerf


def main(folder):
    rng = np.random.default_rng(1)
    n = 150
    dishes = pd.DataFrame(rng.uniform(size=(n, 3)), columns=["sweet", "hot", "rich"])
    dishes["country"] = pd.Categorical(rng.choice(["India", "Italy", "Mexico"], size=n))
    dishes.loc[rng.random(n) < 0.1, "rich"] = np.nan  # not known of every dish
    taste = dishes[["sweet", "hot"]].to_numpy()
    truth = np.abs(taste[:, None] - taste).sum(axis=2)

    i, j = np.triu_indices(n, 1)
    rated = rng.random(len(i)) < 0.1
    said = truth[i, j] + rng.normal(0, 0.1, len(i))
    forest = smerf.DistanceForest(random_state=1, n_estimators=300, n_jobs=-1)
    forest.fit(dishes, pairs=(i[rated], j[rated], said[rated]))
    filled = forest.pair_distance(np.column_stack([i, j])[~rated], dishes)
    error = np.sqrt(((filled - truth[i, j][~rated]) ** 2).mean())
    print(f"{rated.sum()} pairs were rated, {len(filled)} filled in with an error of {error:.3f}")
    print(f"a guess of the mean would err by {truth[i, j][~rated].std():.3f}")
    unknown = pd.DataFrame({"sweet": [0.9], "hot": [0.1], "rich": [np.nan], "country": ["Peru"]})
    print(f"a sweet dish from Peru is nearest to dish {forest.kneighbors(unknown, 1)[1][0, 0]}")

    figure, axis = plt.subplots(figsize=(5, 5))
    axis.hexbin(truth[i, j][~rated], filled, gridsize=40, mincnt=1)
    axis.set(title="Pairs that nobody rated", xlabel="true difference", ylabel="filled in")
    figure.savefig(folder / "ratings.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
