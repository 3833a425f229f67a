"""Morse code: which signals do people confuse, and why?

    python morse.py DATA [FOLDER]      writes FOLDER/morse.png

DATA is a folder with items.csv (36 signals and their features) and pairs.csv (how often people took one for another, from
Rothkopf, 1957). The forest learns from the features of the signals how confusable two of them are.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import smerf


def main(data, folder):
    if not (data / "items.csv").exists():
        print(f"there are no Morse signals in {data}; nothing to do")
        return
    signals = pd.read_csv(data / "items.csv").set_index("id")
    heard = pd.read_csv(data / "pairs.csv").rename(columns={"a": "i", "b": "j", "dissimilarity": "distance"})
    features = signals.drop(columns=["letter", "code"])
    forest = smerf.DistanceForest(random_state=1, complete="off", n_jobs=-1).fit(features, pairs=heard)
    print(f"rank correlation out of bag: {forest.evaluate_oob()['spearman']:.3f}")

    shares = pd.Series(forest.feature_importances_, features.columns).sort_values()
    print("what matters most:", ", ".join(shares.index[:-4:-1]))
    of = {letter: features.loc[[i]] for i, letter in signals["letter"].items()}
    account = forest.explain_pair(of["E"], of["0"])
    print(f"E and 0 are {account.distance:.2f} apart; on average signals are {account.baseline:.2f}")

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 5))
    place = forest.embed(features, oob=True)
    left.scatter(*place.T, s=5)
    for (x, y), letter, code in zip(place, signals["letter"], signals["code"]):
        left.annotate(f"{letter} {code}", (x, y))
    left.set(title="Signals by learned distance", xticks=[], yticks=[])
    right.barh(shares.index, shares)
    right.set(title="Which features drive it")
    figure.tight_layout()
    figure.savefig(folder / "morse.png", dpi=100)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python morse.py DATA [FOLDER]")
    main(Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "."))
