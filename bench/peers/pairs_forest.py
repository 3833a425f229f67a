"""pairs_forest.py - what RFD does, with scikit-learn: a regression forest on features of pairs (the differences and the
means), which has n (n - 1) / 2 rows:  pairs_forest.py x= n= trees= candidates= threads="""
import numpy as np
from sklearn.ensemble import RandomForestRegressor
from work import WORDS, Work, count

x = np.load(WORDS["x"])[:count("n")]
left, right = np.triu_indices(len(x), 1)
z = np.abs(x[left, :5].astype(float) - x[right, :5]).sum(axis=1)
with Work() as work:
    features = np.hstack([np.abs(x[left] - x[right]), (x[left] + x[right]) / 2])
    RandomForestRegressor(n_estimators=count("trees"), max_features=count("candidates"), n_jobs=count("threads"),
                          random_state=1).fit(features, z)
work.tell(rows=len(z))
