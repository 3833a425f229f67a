"""What cluster refuses: what is done, and the one line that says so."""

from bad_case import NOT_THERE, cannot, use
from bad_input import FULL, NOTHING_OUT

ASK = "cluster model items.csv -o out"
BY_MEANS = "clusters by means: vectors are there for labels, responses, products, and distances of a low --rank; "

CASES = [
    use("clusters without a number", ASK, "cluster: how many clusters? Give -k K, or -k auto"),
    use("no clusters", f"{ASK} -k 0", "cluster: -k 0 is below 1"),
    use("clusters as text", f"{ASK} -k many", "cluster: -k 'many' is not a whole number"),
    use("clusters below 0", f"{ASK} -k -2", "cluster: -k '-2' is not a whole number"),
    use("half a cluster", f"{ASK} -k 2.5", "cluster: -k '2.5' is not a whole number"),
    use("more clusters than items", f"{ASK} -k 5", "5 clusters of 4 items: there can be no more clusters than items"),
    use("more means than items", "cluster labels all.csv -k 5 --means -o out",
        "5 clusters of 4 items: there can be no more clusters than items"),
    use("--most-k without a choice", f"{ASK} -k 2 --most-k 3", "cluster: --most-k goes with -k auto"),
    use("one cluster to choose from", f"{ASK} -k auto --most-k 1", "cluster: --most-k 1 is below 2"),
    use("as many clusters as items to choose from", f"{ASK} -k auto --most-k 4",
        "cluster: --most-k: 4 is not between 2 and 3, one less than there are items"),
    use("a choice for two items", "cluster model two.csv -k auto -o out",
        "the number of clusters is chosen for three items or more, and there are 2: say how many",
        {"two.csv": "a,b\n1,5\n2,6\n"}),
    use("means of distances", f"{ASK} -k 2 --means", f"{BY_MEANS}the target of this model is 'distances'"),
    use("seed of clusters", f"{ASK} -k 2 --seed 9223372036854775808",
        "cluster: --seed '9223372036854775808' is not in 0 ... 2^63 - 1"),
    use("means out of bag", "cluster labels all.csv -k 2 --means --oob -o out",
        "cluster: --means and --oob exclude each other: vectors are of all trees"),
    use("a rule for clusters in the bag", f"{ASK} -k 2 --oob-rule both", "cluster: --oob-rule goes with --oob"),
    use("clusters out of no bag", "cluster nobag items.csv -k 2 --oob -o out", NOTHING_OUT),
    use("clusters of nothing", "cluster model -k 2",
        "cluster: too few words; usage: smerf cluster MODEL ITEMS -k K|auto [--most-k N] [--means] [--oob] [--silhouettes] "
        "[-o FILE]"),
    use("feature missing in clusters", "cluster model bad.csv -k 2 -o out",
        'bad.csv:1:1: there is no column "b"; there is "id", "a"', {"bad.csv": "id,a\nu,1\n"}),
    cannot("items to cluster are not there", "cluster model nowhere.csv -k 2 -o out", f"nowhere.csv: {NOT_THERE}"),
    cannot("model to cluster with is not there", "cluster nowhere items.csv -k 2 -o out", f"nowhere: {NOT_THERE}"),
    cannot("clusters in no folder", "cluster model items.csv -k 2 -o nowhere/out",
           "nowhere/out: cannot be written: No such file or directory"),
    cannot("full disk: clusters", "cluster model items.csv -k 2 -o /dev/full", FULL),
    cannot("full disk: clusters as JSON", "cluster model items.csv -k 2 --json -o /dev/full", FULL),
]
