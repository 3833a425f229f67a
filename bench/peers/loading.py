"""loading.py - reading files with pandas and NumPy:  loading.py way=pandas|pandas-exact|numpy|numpy-float32|read|read-straight file="""
import mmap
import os

import numpy as np
from work import WORDS, Work

path, way = WORDS["file"], WORDS["way"]
if way.startswith("pandas"):
    import pandas

    precision = "round_trip" if way == "pandas-exact" else None
    with Work() as work:
        table = pandas.read_csv(path, engine="c", float_precision=precision)
    work.tell(sum=float(table.to_numpy().sum()), version="pandas " + pandas.__version__)
elif way == "read-straight":  # what the disk can give, past the system's memory
    room = mmap.mmap(-1, 1 << 22)
    file = os.open(path, os.O_RDONLY | os.O_DIRECT)
    with Work() as work:
        while os.readv(file, [room]):
            pass
    work.tell(version="plain reading")
elif way == "read":  # what the disk and the system can give
    room = mmap.mmap(-1, 1 << 22)  # a whole page: a bytearray starts 16 bytes off, where some processors copy at a fifth of the speed
    with Work() as work, open(path, "rb", buffering=0) as file:
        while file.readinto(room):
            pass
    work.tell(version="plain reading")
else:
    with Work() as work:
        z = np.load(path) if way == "numpy" else np.load(path, mmap_mode="r").astype(np.float32)
    n = len(z)
    work.tell(sum=float(z[np.arange(n), (np.arange(n) + 1) % n].sum(dtype=float)), version="NumPy " + np.__version__)
