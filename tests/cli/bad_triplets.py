"""Bad triplets: the columns and lines of their file, the options that go with them, and what has no notion of them."""

from bad_case import A_FOLDER, NOT_THERE, NUL, RAGGED, WRONG, Case, cannot, use

FIT = "fit items.csv --method mahalanobis -o out"
GOOD = "anchor,near,far\nu,v,w\nv,w,x\nu,w,x\n"
NAMES = ("the columns of triplets are called anchor, near and far, or a, b and odd (--triplet-columns A,B,C names others); these are ")  # fmt: skip
TWICE = "stands in this line twice; a triplet is about three different items"
ABOVE_0 = "the weight of a triplet must be a number > 0"


def triplets(name, text, line, options=""):
    """Triplets that cannot be learned from."""
    return Case(f"triplets: {name}", f"{FIT} --triplets bad.csv {options}", WRONG, f"bad.csv:{line}", {"bad.csv": text})


def good(name, words, line):
    """Another wrong use of good ones."""
    return use(f"triplets: {name}", words, line, {"t.csv": GOOD})


COLUMNS = [
    triplets("empty", "", "1:1: the file is empty: a header and triplets are needed"),
    triplets("other names", "x,y,z\nu,v,w\n", f"1:1: {NAMES}x, y, z"),
    triplets("without a header", "u,v,w\nv,w,x\n", f"1:1: {NAMES}u, v, w"),
    triplets("no column far", "Anchor,near\nu,v\n", '1:1: there is no column "far"; the columns are Anchor, near'),
    triplets("no column odd", "a,b,anchor\nu,v,w\n", '1:1: there is no column "near"; the columns are a, b, anchor'),
    triplets("two columns near", "anchor,near,NEAR,far\nu,v,w,x\n",
             '1:13: a second column is called "near"; the names must be different'),
    triplets("two weights", "anchor,near,far,weight,Weight\nu,v,w,1,1\n",
             '1:24: a second column is called "weight"; the names must be different'),
    triplets("both forms", "anchor,near,far,a,b,odd\nu,v,w,u,v,w\n",
             "1:1: there are columns anchor, near, far and columns a, b, odd, and three are needed (--triplet-columns A,B,C "
             "chooses those that are anchor, near and far)"),
    triplets("--triplet-columns is no column", GOOD, '1:1: there is no column "middle"; the columns are anchor, near, far',
             "--triplet-columns anchor,middle,far"),
    triplets("--triplet-columns in another case", GOOD, '1:1: there is no column "Far"; the columns are anchor, near, far',
             "--triplet-columns anchor,near,Far"),
]  # fmt: skip

LINES = [
    triplets("unknown anchor", "anchor,near,far\nu,v,w\ny,v,w\n", '3:1: no item has the id "y"'),
    triplets("unknown far item", "anchor,near,far\nu,v,y\n", '2:5: no item has the id "y"'),
    triplets("unknown odd one", "odd,a,b\ny,v,w\n", '2:1: no item has the id "y"'),
    triplets("anchor and near are one", "anchor,near,far\nu,v,w\nv,v,w\n", f'3:3: "v" {TWICE}'),
    triplets("near and far are one", "near,far,anchor\nv,v,w\n", f'2:3: "v" {TWICE}'),
    triplets("the odd one is another", "a,b,odd\nu,v,u\n", f'2:5: "u" {TWICE}'),
    triplets("short row", "anchor,near,far\nu,v\n", f"2:3: {RAGGED.format('fewer', 3)}"),
    triplets("long row", "anchor,near,far\nu,v,w,x\n", f"2:7: {RAGGED.format('more', 3)}"),
    triplets("weight 0", "anchor,near,far,weight\nu,v,w,0\n", f"2:7: {ABOVE_0}"),
    triplets("weight below 0", "anchor,near,far,weight\nu,v,w,-2\n", f"2:7: {ABOVE_0}"),
    triplets("weight missing", "anchor,near,far,weight\nu,v,w,NA\n", "2:7: a missing weight; every triplet needs one"),
    triplets("weight infinite", "anchor,near,far,weight\nu,v,w,inf\n", "2:7: an infinite weight; it must be finite"),
    triplets("weight is text", "anchor,near,far,weight\nu,v,w,much\n", '2:7: "much" is no number'),
    triplets("weight too large", "anchor,near,far,weight\nu,v,w,1\nu,v,x,1e101\n",
             "3:1: the weight 1e+101 of a triplet is not above 0, and 1e100 at most"),
    triplets("binary", bytes(range(256)), f"1:1: {NUL}"),
    triplets("quote never closed", 'anchor,near,far\nu,"v,w\n', "2:3: a quote that opens here is never closed"),
    cannot("triplets: not there", f"{FIT} --triplets nowhere", f"nowhere: {NOT_THERE}"),
    cannot("triplets: a folder", f"{FIT} --triplets .", f".: {A_FOLDER}"),
    use("triplets: none at all", f"{FIT} --triplets bad.csv", "there is no triplet among the items to learn from",
        {"bad.csv": "anchor,near,far\n"}),
    use("triplets: two items", "fit bad-items.csv --triplets t.csv --method mahalanobis -o out",
        "a triplet is about three items, and there are 2",
        {"bad-items.csv": "id,a\nu,1\nv,2\n", "t.csv": "anchor,near,far\n"}),
]  # fmt: skip

OPTIONS = [
    good("and distances", f"{FIT} --triplets t.csv --distances z.csv",
         "fit: --distances and --triplets exclude each other: give exactly one target"),
    good("an intercept", f"{FIT} --triplets t.csv --intercept",
         "fit: --intercept: triplets compare distances, and a constant that all have in common changes no comparison; leave it out"),
    good("two of --triplet-columns", f"{FIT} --triplets t.csv --triplet-columns anchor,near",
         "fit: --triplet-columns 'anchor,near' names three different columns, as in anchor,near,far"),
    good("--triplet-columns twice the same", f"{FIT} --triplets t.csv --triplet-columns far,near,far",
         "fit: --triplet-columns 'far,near,far' names three different columns, as in anchor,near,far"),
    use("--triplet-columns without triplets", f"{FIT} --distances z.csv --triplet-columns a,b,c",
        "fit: --triplet-columns goes with --triplets"),
    good("and items from standard input", "fit - --triplets - --method mahalanobis -o out",
         "fit: standard input can be read only once"),
]  # fmt: skip

ONLY = "needs distances, and triplets only say which of two is larger; the method that learns from triplets is mahalanobis"

OTHERS = [
    good("a forest", "fit items.csv --triplets t.csv -o out", f"a forest {ONLY}"),
    good("its cost", "fit items.csv --triplets t.csv --estimate", f"a forest {ONLY}"),
    *[good(f"method {method}", f"fit items.csv --triplets t.csv --method {method} -o out", f"{method} {ONLY}")
      for method in ("bilinear", "rfd", "plugin", "epm", "narm")],
    good("tune", "tune items.csv --triplets t.csv -o out", f"a forest {ONLY}"),
    good("importance", "importance model items.csv --permutation --triplets t.csv", f"permutation importance {ONLY}"),
    good("report", "report model items.csv --triplets t.csv -o out",
         "report: the page has no scores of triplets: evaluate --triplets says how many are in order"),
    good("compare by pairs", "compare items.csv --triplets t.csv --by pairs",
         "compare: --by: triplets are divided by nodes here; split divides them by pairs, too"),
    good("compare a forest", "compare items.csv --triplets t.csv --methods smerf --train 0.5",
         f"compare: --methods: smerf: a forest {ONLY}"),
    good("compare by a metric", "compare items.csv --triplets t.csv --metric rmse",
         "compare: --metric makes no sense with --triplets, which have one score: how many are in order"),
    *[good(f"evaluate with {name}", f"evaluate model items.csv --triplets t.csv {name}{value}",
           f"evaluate: {name} makes no sense with --triplets, which only say which of two distances is larger")
      for name, value in {"--against": " items.csv", "--metrics": " rmse", "-k": " 3", "--permutations": " 9",
                          "--confusion": " new.csv"}.items()],
    good("split, too few", "split items.csv --triplets t.csv --by pairs --train 0.5 -o new",
         "split: --train 0.5 of 4 items makes 0 of 3 known comparisons to train on: there must be some, and some to test with"),
    use("split, from standard input", "split items.csv --triplets - --by nodes --train 0.5 -o new",
        "split: standard input is read twice here, and a pipe can be read once: save it as a file"),
]  # fmt: skip

CASES = [*COLUMNS, *LINES, *OPTIONS, *OTHERS]
