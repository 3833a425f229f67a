"""Morse code: which signals do people confuse, and why?

    python morse.py DATA [FOLDER]      writes FOLDER/morse.png

DATA is a folder with items.csv (36 signals and their features) and pairs.csv (how often people took one for another, from
Rothkopf, 1957). The forest learns from the features of the signals how confusable two of them are.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

import smerf


def main(data, folder):
    try:
        morse = smerf.datasets.load_morse(data)
    except FileNotFoundError as error:
        print(f"{error}; nothing to do")
        return
    features = morse.X
    forest = smerf.DistanceForest(random_state=1, complete="off", n_jobs=-1).fit(features, pairs=morse.pairs)
    print(f"rank correlation out of bag: {forest.evaluate_oob()['spearman']:.3f}")

    largest = forest.feature_importances_.argsort()[:-4:-1]
    print("what matters most:", ", ".join(features.columns[largest]))
    of = {letter: features.loc[[i]] for i, letter in zip(features.index, morse.letters)}
    account = forest.explain_pair(of["E"], of["0"])
    print(f"E and 0 are {account.distance:.2f} apart; on average signals are {account.baseline:.2f}")

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 5))
    names = [f"{letter} {code}" for letter, code in zip(morse.letters, morse.codes)]
    smerf.plot.map(forest, text=names, oob=True, ax=left)
    left.set(title="Signals by learned distance")
    smerf.plot.importance(forest, ax=right)
    right.set(title="Which features drive it")
    figure.tight_layout()
    figure.savefig(folder / "morse.png", dpi=100)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python morse.py DATA [FOLDER]")
    main(Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "."))
