"""vectors.py - nearest neighbours among vectors that are kept, one query after the other on one thread:

    vectors.py tool=sklearn|faiss|faiss-hnsw vectors= query_vectors= items_y= queries_y= k=

The vectors are smerf's view of a labels forest (smerf_vectors): rows of float32, such that Euclidean neighbours are those of the
forest's distance. Making the index is not timed. The score is the share of neighbours that have the query's label."""
import numpy as np
from work import WORDS, Work, count

K = count("k")


def rows(name, n):
    return np.memmap(WORDS[name], np.float32, "r").reshape(n, -1)


def with_sklearn(vectors):
    import sklearn
    from sklearn.neighbors import NearestNeighbors

    index = NearestNeighbors(n_neighbors=K, algorithm="brute", n_jobs=1).fit(vectors)
    return "scikit-learn " + sklearn.__version__, lambda query: index.kneighbors(query, return_distance=False)


def with_faiss(vectors, is_exact):
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatL2(vectors.shape[1]) if is_exact else faiss.IndexHNSWFlat(vectors.shape[1], 16)
    if not is_exact:
        index.hnsw.efSearch = 64
    index.add(vectors)
    return "faiss " + faiss.__version__, lambda query: index.search(query, K)[1]


def main():
    labels, truth = np.load(WORDS["items_y"]).ravel(), np.load(WORDS["queries_y"]).ravel()
    vectors, queries = np.ascontiguousarray(rows("vectors", len(labels))), np.array(rows("query_vectors", len(truth)))
    if WORDS["tool"] == "sklearn":
        version, search = with_sklearn(vectors)
    else:
        version, search = with_faiss(vectors, WORDS["tool"] == "faiss")
    del vectors
    with Work() as work:
        found = np.vstack([search(queries[q : q + 1]) for q in range(len(queries))])
    work.tell(score=float(np.mean(labels[found] == truth[:, None])), version=version)


main()
