"""Explanations that cannot be given, and the one line that says so."""

from bad_case import NOT_THERE, cannot, use
from bad_input import FULL, NOTHING_OUT

EXPLAIN_WHAT = "explain: what is to be explained? Give one of --pair I J, --pairs FILE and --item I"

CASES = [
    use("nothing to explain", "explain model items.csv -o out", EXPLAIN_WHAT),
    use("two things to explain", "explain model items.csv --pair u v --item u -o out", EXPLAIN_WHAT),
    use("--pair without ids", "explain model items.csv --pair", "explain: --pair wants two values: --pair I J"),
    use("--pair with one id", "explain model items.csv --pair u", "explain: --pair wants two values: --pair I J"),
    use("--pair with an option for an id", "explain model items.csv --pair u --json",
        "explain: --pair wants two values: --pair I J"),
    use("--pair with three ids", "explain model items.csv --pair u v w -o out",
        "explain: 'w' is one word too many; usage: smerf explain MODEL ITEMS --pair I J | --pairs FILE | --item I [-k K] "
        "[--against ITEMS2] [--json] [-o FILE]"),
    use("--pair of a stranger", "explain model items.csv --pair u nobody -o out",
        "explain: no item of items.csv is called 'nobody'"),
    use("--pair of a stranger first", "explain model items.csv --pair nobody u -o out",
        "explain: no item of items.csv is called 'nobody'"),
    use("--pair by row", "explain model bad.csv --pair 0 2 -o out",
        "explain: '2' is not a row of bad.csv, which are called 0 to 1", {"bad.csv": "a,b\n1,2\n3,4\n"}),
    use("--item of a stranger", "explain model items.csv --item nobody -o out",
        "explain: no item of items.csv is called 'nobody'"),
    use("--item alone", "explain model bad.csv --item 0 -o out",
        "explain: bad.csv: there is one item, and nothing to part it from", {"bad.csv": "a,b\n1,2\n"}),
    use("--item with no neighbours", "explain model items.csv --item u -k 0 -o out", "explain: -k 0 is below 1"),
    use("-k of a pair", "explain model items.csv --pair u v -k 2 -o out", "explain: -k goes with --item"),
    use("--item out of bag", "explain model items.csv --item u --oob -o out",
        "explain: --item is about ITEMS alone: it goes with neither --against nor --oob"),
    use("--pairs as JSON", "explain model items.csv --pairs pairs.csv --json -o out",
        "explain: --pairs writes CSV: --json goes with --pair and --item"),
    use("explain --oob --against", "explain model items.csv --against items.csv --pair u v --oob -o out",
        "explain: --oob and --against exclude each other: out of bag is about training items"),
    use("explain --oob-rule alone", "explain model items.csv --pair u v --oob-rule both -o out",
        "explain: --oob-rule goes with --oob"),
    use("explain --oob without bags", "explain nobag items.csv --pair u v --oob -o out", NOTHING_OUT),
    use("explain with a feature missing", "explain model bad.csv --pair u u -o out",
        'bad.csv:1:1: there is no column "b"; there is "id", "a"', {"bad.csv": "id,a\nu,1\n"}),
    cannot("pairs to explain are not there", "explain model items.csv --pairs nowhere.csv -o out",
           f"nowhere.csv: {NOT_THERE}"),
    cannot("full disk: explain", "explain model items.csv --pair u v -o /dev/full", FULL),
]
