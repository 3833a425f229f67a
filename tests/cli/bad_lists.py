"""Bad lists of pairs: edges as CSV and as Matrix Market, rated pairs, observed pairs, and pairs to predict."""

from typing import NamedTuple

from bad_case import A_FOLDER, NO_IDS, NOT_THERE, NUL, RAGGED, WRONG, Case, cannot, use
from workspace import ALL

ID_Y = 'no item has the id "y"'
NEEDS_HEADER = "the first line is a pair, and a header is needed above it"
TWO_ITEMS = "an edge joins two different items"
ABOVE_0 = "the weight of a pair must be a number > 0"
UNDIRECTED = "the matrix of an undirected graph"
NO_NUMBERS = "there is no column with numbers: each pair needs a distance or a similarity"


def edges(name, text, line, options=""):
    """Edges that cannot be learned from."""
    return Case(name, f"fit items.csv --edges bad.csv -o out {options}", WRONG, f"bad.csv:{line}", {"bad.csv": text})


def market(name, text, line):
    """The same as Matrix Market."""
    return edges(f"Matrix Market: {name}", text, line)


def pairs(name, text, line, options=""):
    """Pairs that cannot be learned from."""
    return Case(name, f"fit items.csv --pairs bad.csv -o out {options}", WRONG, f"bad.csv:{line}", {"bad.csv": text})


# ---- what is wrong with any list ----


class List(NamedTuple):
    words: str  # with {} for the file
    header: str
    more: str = ""  # a cell for each further column
    needs: str = "pairs"


LISTS = {
    "edges": List("fit items.csv --edges {} -o out", "source,target", needs="edges"),
    "observed pairs": List("fit items.csv --edges edges.csv --observed {} -o out", "i,j"),
    "rated pairs": List("fit items.csv --pairs {} -o out", "i,j,distance", ",1"),
    "pairs to predict": List("predict model items.csv --pairs {} -o out", "i,j"),
}


def of_any_list(name, of):
    """Every flaw that has nothing to do with what the list is for."""

    def flaw(what, text, line):
        return use(f"{name}: {what}", of.words.format("bad.csv"), f"bad.csv:{line}", {"bad.csv": text})

    def rows(*pairs):
        return "".join(f"{pair}{of.more if pair else ''}\n" for pair in pairs)

    def listed(*pairs):
        return of.header + "\n" + rows(*pairs)

    n_columns = of.header.count(",") + 1
    whole = "u,v" + of.more
    short = whole[: whole.rindex(",")]
    last_cell = short.rfind(",") + 2
    return [
        cannot(f"{name}: not there", of.words.format("nowhere"), f"nowhere: {NOT_THERE}"),
        cannot(f"{name}: a folder", of.words.format("."), f".: {A_FOLDER}"),
        flaw("empty", "", f"1:1: the file is empty: a header and {of.needs} are needed"),
        flaw("first is no item", listed("u,v", "y,w"), f"3:1: {ID_Y}"),
        flaw("second is no item", listed("u,v", "w,y"), f"3:3: {ID_Y}"),
        flaw("one column", "i\nu\n", "1:1: one column, and two with ids are needed"),
        flaw("without a header", rows("u,v", "v,w"), f"1:1: {NEEDS_HEADER}"),
        flaw("short row", f"{of.header}\n{short}\n", f"2:{last_cell}: {RAGGED.format('fewer', n_columns)}"),
        flaw("long row", f"{of.header}\n{whole},w\n", f"2:{len(whole) + 2}: {RAGGED.format('more', n_columns)}"),
        flaw("binary", bytes(range(256)), f"1:1: {NUL}"),
        flaw("UTF-16", listed("u,v").encode("utf-16-le"), f"1:2: {NUL}"),
        flaw("quote never closed", listed('"u,v'), "2:1: a quote that opens here is never closed"),
        flaw("CRLF and a blank line", listed("u,v", "", "w,y").replace("\n", "\r\n"), f"4:3: {ID_Y}"),
    ]  # fmt: skip


OF_ANY_LIST = [case for name, of in LISTS.items() for case in of_any_list(name, of)]

# ---- edges ----

EDGES = [
    edges("first of several unknown items", "source,target,weight\nu,v,1\nw,y,1\nz,u,x\n", f"3:3: {ID_Y}"),
    edges("edge to itself", "source,target\nu,v\nw,w\n", f'3:3: an edge from "w" to itself; {TWO_ITEMS}'),
    edges("edge with another weight", "source,target,weight\nu,v,1\nw,x,1\nv,u,2\n",
          "4:1: this edge has the value 2 here and 1 before; an edge has one value"),
    edges("edge weight missing", "source,target,weight\nu,v,\n", "2:5: a missing weight; every edge needs one"),
    edges("edge weight infinite", "source,target,weight\nu,v,-inf\n", "2:5: an infinite weight; it must be finite"),
    edges("edge weight is text", "source,target,weight\nu,v,much\n", '2:5: "much" is no number'),
    edges("edge weight beyond float32", "source,target,weight\nw,x,1\nu,v,1e39\n",
          "3:1: the value of this pair is 1e+39; values are finite numbers up to 3.40282e+38"),
    edges("two weights", "source,target,weight,weight\nu,v,1,1\n",
          '1:22: a second column is called "weight"; the names must be different'),
    edges("bytes that are not UTF-8", b"source,target\n\x80\xff,v\n", '2:1: no item has the id "??"'),
    edges("edges in characters, not bytes", 'source,target\nu,v\n"ü",y\n', '3:1: no item has the id "ü"'),
    edges("--value is no column of edges", "source,target,weight\nu,v,1\n",
          '1:1: there is no column "strength"; the columns are source, target, weight', "--value strength"),
    edges("--value is an id of edges", "source,target,weight\nu,v,1\n",
          "1:1: one column that may hold ids, and two are needed (--pair-columns A,B names them)", "--value source"),
    edges("--pair-columns is no column of edges", "source,target\nu,v\n",
          '1:1: there is no column "to"; the columns are source, target', "--pair-columns source,to"),
    edges("two columns called target", "source,Target,TARGET\nu,v,w\n",
          '1:15: a second column is called "target"; the names must be different'),
    use("row of no item", "fit bad.csv --edges edges.csv -o out", 'edges.csv:2:3: no item has the id "4"',
        {"bad.csv": ALL.replace("id", "name"), "edges.csv": "source,target\n3,4\n"}),
    use("rows are numbers without leading zeros", "fit bad.csv --edges edges.csv -o out",
        'edges.csv:2:1: no item has the id "00"', {"bad.csv": ALL.replace("id", "name"), "edges.csv": "s,t\n00,1\n"}),
]  # fmt: skip

REAL, SYMMETRIC = (f"%%MatrixMarket matrix coordinate real {kind}\n" for kind in ("general", "symmetric"))

MARKET = [
    market("mirror image differs", REAL + "4 4 2\n1 2 1\n2 1 2\n",
           f"4:1: the entry (2, 1) = 2, but (1, 2) = 1: {UNDIRECTED} is symmetric"),
    market("mirror image absent", REAL + "4 4 1\n1 2 1\n",
           f"3:1: the entry (1, 2) without its mirror image (2, 1): {UNDIRECTED} has both, or is called symmetric"),
    market("entry twice instead of its mirror image", REAL + "4 4 2\n1 2 1\n1 2 1\n",
           f"3:1: the entry (1, 2) without its mirror image (2, 1): {UNDIRECTED} has both, or is called symmetric"),
    market("too small", SYMMETRIC + "3 3 1\n2 1 1\n", "2:1: a matrix of 3 x 3; 4 items need 4 x 4"),
    market("not square", SYMMETRIC + "% four items\n4 5 1\n2 1 1\n", "3:1: a matrix of 4 x 5; 4 items need 4 x 4"),
    market("index too large", SYMMETRIC + "4 4 1\n5 2 1\n", '3:1: "5" is no item; they count from 1 to 4'),
    market("index 0", SYMMETRIC + "4 4 1\n2 0 1\n", '3:3: "0" is no item; they count from 1 to 4'),
    market("index below 0", SYMMETRIC + "4 4 1\n-1 2 1\n", '3:1: "-1" is no item; they count from 1 to 4'),
    market("index is text", SYMMETRIC + "4 4 1\nu v 1\n", '3:1: "u" is no item; they count from 1 to 4'),
    market("cut short", SYMMETRIC + "4 4 2\n2 1 1\n", "4:1: only 1 of the 2 entries announced"),
    market("cut short in an entry", SYMMETRIC + "4 4 1\n2 1", "3:4: the line ends where a value is needed"),
    market("cut short in the sizes", SYMMETRIC + "4 4\n", "2:4: the line ends where the number of entries is needed"),
    market("cut short after the banner", SYMMETRIC, "2:1: the line ends where the number of rows is needed"),
    market("absurd number of entries", SYMMETRIC + "4 4 99999999999999999999\n2 1 1\n",
           "4:1: only 1 of the 18446744073709551615 entries announced"),
    market("entry too many", SYMMETRIC + "4 4 1\n2 1 1\n3 1 1\n", "4:1: one entry more than the 1 announced"),
    market("entry to itself", SYMMETRIC + "4 4 1\n2 2 1\n", f"3:1: an edge from item 2 to itself; {TWO_ITEMS}"),
    market("weight is text", SYMMETRIC + "4 4 1\n2 1 x\n", '3:5: "x" is no number'),
    market("weight missing", SYMMETRIC + "4 4 1\n2 1 nan\n", '3:5: "nan" is a missing weight; every edge needs one'),
    market("weight infinite", SYMMETRIC + "4 4 1\n2 1 inf\n", '3:5: "inf" is infinite; a weight must be finite'),
    market("word too many", SYMMETRIC + "4 4 1\n2 1 1 7\n", '3:7: "7" is more than belongs in this line'),
    market("entry with another weight", SYMMETRIC + "4 4 2\n2 1 1\n1 2 2\n",
           "4:1: this edge has the value 2 here and 1 before; an edge has one value"),
    market("fraction among integers", "%%MatrixMarket matrix coordinate integer symmetric\n4 4 1\n2 1 0.5\n",
           '3:5: "0.5" is no whole number, and the first line says integer'),
    market("wrong banner", "%MatrixMarket matrix coordinate real general\n4 4 0\n",
           '1:1: "%" opens no CSV file, and Matrix Market starts with %%MatrixMarket'),
    market("array", "%%MatrixMarket matrix array real general\n4 4\n",
           '1:23: "array" cannot be read; a graph is a coordinate matrix (a full one is for --distances or '
           "--similarities, as CSV or .npy)"),
    market("complex", "%%MatrixMarket matrix coordinate complex symmetric\n4 4 1\n2 1 1 0\n",
           '1:34: "complex" cannot be read; weights are real or integer, or none: pattern'),
    market("hermitian", "%%MatrixMarket matrix coordinate real hermitian\n4 4 0\n",
           f'1:39: "hermitian" cannot be read; {UNDIRECTED} is symmetric, or general and has each edge twice'),
    market("vector", "%%MatrixMarket vector coordinate real general\n4 4 0\n",
           '1:16: "vector" cannot be read; a graph is a matrix'),
    market("banner cut short", "%%MatrixMarket matrix coordinate\n", "1:33: the line ends where real is needed"),
    use("Matrix Market: --value", "fit items.csv --edges bad.mtx --value weight -o out",
        "bad.mtx: a Matrix Market file has no columns of which --value could choose one",
        {"bad.mtx": SYMMETRIC + "4 4 1\n2 1 1\n"}),
    use("Matrix Market: between two sets", "evaluate graph items.csv --against items.csv --edges bad.mtx",
        "bad.mtx: a Matrix Market file has no ids, and edges between two sets of items need them: "
        "CSV with source,target has", {"bad.mtx": SYMMETRIC + "4 4 1\n2 1 1\n"}),
]  # fmt: skip

# ---- rated pairs ----

PAIRS = [
    pairs("pair weight 0", "i,j,distance,weight\nu,v,1,0\n", f"2:7: {ABOVE_0}"),
    pairs("pair weight below 0", "i,j,weight,distance\nu,v,-1,1\n", f"2:5: {ABOVE_0}"),
    pairs("pair weight infinite", "i,j,distance,weight\nu,v,1,inf\n", "2:7: an infinite weight; it must be finite"),
    pairs("pair weight missing", "i,j,distance,weight\nu,v,1,NaN\n", "2:7: a missing weight; every pair needs one"),
    pairs("pair weight empty", "i,j,distance,weight\nu,v,1,\n", "2:7: a missing weight; every pair needs one"),
    pairs("pair weight is text", "i,j,distance,weight\nu,v,1,much\n", '2:7: "much" is no number'),
    pairs("pair weight too small", "i,j,distance,weight\nu,v,1,1e-60\n",
          "2:1: the weight of this pair is 1e-60; weights are numbers from 1e-50 to 1e+50"),
    pairs("pair weight too large", "i,j,distance,weight\nv,w,1,1\nu,v,1,1e60\n",
          "3:1: the weight of this pair is 1e+60; weights are numbers from 1e-50 to 1e+50"),
    pairs("distance and similarity", "i,j,distance,similarity\nu,v,1,2\n",
          "1:1: there are columns distance and similarity, and one is needed (--value COLUMN chooses one)"),
    pairs("Dissimilarity and Similarity", "i,j,Similarity,Dissimilarity\nu,v,1,2\n",
          "1:1: there are columns dissimilarity and similarity, and one is needed (--value COLUMN chooses one)"),
    pairs("a lone column of another name", "i,j,rating\nu,v,1\n",
          "1:1: column rating beside the ids is not called distance, dissimilarity or similarity: "
          "--value rating --value-is distance (or similarity) says what it holds"),
    pairs("a lone column without a name", "i,j,\nu,v,1\n",
          "1:1: the column beside the ids has no name: call it distance or similarity"),
    pairs("--value of another name", "i,j,rating\nu,v,1\n",
          '1:1: column "rating" may hold distances or similarities: --value-is distance or --value-is similarity says '
          "which", "--value rating"),
    pairs("--value-is of several", "i,j,first,second\nu,v,1,2\n",
          "1:1: of the columns first, second none is called distance, dissimilarity or similarity: "
          "--value COLUMN --value-is distance (or similarity) says which holds what", "--value-is distance"),
    pairs("one column of ids", "i,distance\nu,1\n",
          "1:1: one column that may hold ids, and two are needed (--pair-columns A,B names them)"),
    pairs("--pair-columns is no column", "i,j,distance\nu,v,1\n",
          '1:1: there is no column "k"; the columns are i, j, distance', "--pair-columns i,k"),
    pairs("an id column as value", "i,j,distance\nu,v,1\n",
          '1:1: column "j" can be one thing only; the columns are i, j, distance',
          "--pair-columns i,j --value j --value-is distance"),
    pairs("--judge is no column", "i,j,distance\nu,v,1\n",
          '1:1: there is no column "who"; the columns are i, j, distance', "--judge who"),
    pairs("a judge is missing", "i,j,who,distance\nu,v,ann,1\nu,w,,1\n",
          "3:5: a missing judge; every pair needs one", "--judge who"),
    pairs("a judge is NA", "i,j,who,distance\nu,v,NA,1\n", "2:5: a missing judge; every pair needs one", "--judge who"),
    pairs("a judge is not UTF-8", b"i,j,who,distance\nu,v,\xff,1\n", "2:5: a byte that is not UTF-8, and CSV is text (in UTF-8)", "--judge who"),
    pairs("no value", "i,j\nu,v\n", f"1:1: {NO_NUMBERS}"),
    pairs("no value beside the weight", "i,j,weight\nu,v,1\n", f"1:1: {NO_NUMBERS}"),
    pairs("several values", "i,j,first,second\nu,v,1,2\n",
          "1:1: of the columns first, second none is called distance, dissimilarity or similarity: "
          "--value COLUMN --value-is distance (or similarity) says which holds what"),
    pairs("two distances", "i,j,distance,distance\nu,v,1,1\n",
          '1:14: a second column is called "distance"; the names must be different'),
    pairs("distance of a pair missing", "i,j,distance\nu,v,\n", "2:5: a missing distance; every pair needs one"),
    pairs("similarity of a pair missing", "i,j,similarity\nu,v,NA\n", "2:5: a missing similarity; every pair needs one"),
    pairs("distance of a pair infinite", "i,j,distance\nu,v,inf\n", "2:5: an infinite distance; it must be finite"),
    pairs("distance of a pair is text", "i,j,distance\nu,v,far\n", '2:5: "far" is no number'),
    pairs("distance of a pair beyond float32", "i,j,distance\nu,v,1e39\n",
          "2:1: the value of this pair is 1e+39; values are finite numbers up to 3.40282e+38"),
    pairs("similarities too far apart", "i,j,similarity\nv,w,1e308\nu,v,-1e308\n",
          "3:1: the similarity -1e+308 is too far from the largest, 1e+308"),
    pairs("--value is no column", "i,j,first,second\nu,v,1,2\n",
          '1:1: there is no column "third"; the columns are i, j, first, second', "--value third"),
    use("--similarity-max for distances of pairs", "fit items.csv --pairs rated.csv --similarity-max 3 -o out",
        "fit: --similarity-max goes with similarities, and rated.csv has distances"),
    use("--similarity-max of pairs is text", "fit items.csv --pairs rated.csv --similarity-max much -o out",
        "fit: --similarity-max 'much' is not a number"),
    use("--similarity-max is infinite", "fit items.csv --pairs rated.csv --similarity-max inf -o out",
        "fit: --similarity-max 'inf' is not a number"),
]  # fmt: skip

# ---- pairs to predict ----

TO_PREDICT = [
    use("pair of an unknown row", "predict model bad.csv --pairs pairs.csv -o out",
        'pairs.csv:2:3: no item has the id "4"', {"bad.csv": NO_IDS, "pairs.csv": "i,j\n0,4\n"}),
    use("pairs of rows without a header", "predict model bad.csv --pairs pairs.csv -o out",
        f"pairs.csv:1:1: {NEEDS_HEADER}", {"bad.csv": NO_IDS, "pairs.csv": "0,1\n1,2\n"}),
]  # fmt: skip

OPTIONS = [
    use("--pair-columns names one", "fit items.csv --pairs rated.csv --pair-columns i -o out",
        "fit: --pair-columns 'i' names two different columns, as in i,j"),
    use("--pair-columns names one twice", "predict model items.csv --pairs rated.csv --pair-columns i,i -o out",
        "predict: --pair-columns 'i,i' names two different columns, as in i,j"),
    use("--value-is unknown", "fit items.csv --pairs rated.csv --value-is rating -o out",
        "fit: --value-is 'rating' is not known; it is distance or similarity"),
    use("--value-is with edges", "fit items.csv --edges edges.csv --value-is distance -o out",
        "fit: --value-is goes with --pairs"),
    use("--judge with edges", "fit items.csv --edges edges.csv --judge who -o out", "fit: --judge goes with --pairs"),
    use("--pair-columns with a matrix", "fit items.csv --distances z.csv --pair-columns i,j -o out",
        "fit: --pair-columns goes with --pairs or --edges"),
    use("--pair-columns without pairs", "predict model items.csv --pair-columns i,j -o out",
        "predict: --pair-columns goes with --pairs"),
    use("explain: --pair-columns without pairs", "explain model items.csv --pair u v --pair-columns i,j",
        "explain: --pair-columns goes with --pairs"),
    use("--similarity-max 0 of edges", "fit items.csv --edges edges.csv --similarity-max 0 -o out",
        "fit: --similarity-max 0: weights of edges are divided by a number > 0"),
    use("similarities of a model of distances", "predict model items.csv --output similarity",
        "predict: --output similarity gives back the scale of similarities or edges, and this model learned distances "
        "(target 'distances')"),
    use("--output unknown", "predict model items.csv --output kernel",
        "predict: --output 'kernel' is not known; it is distance or similarity"),
]  # fmt: skip

CASES = [*OPTIONS, *OF_ANY_LIST, *EDGES, *MARKET, *PAIRS, *TO_PREDICT]
