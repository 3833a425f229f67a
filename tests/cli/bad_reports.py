"""What report refuses: what is done, and the one line that says so."""

from bad_case import NOT_THERE, cannot, use

ASK = "report model items.csv"

CASES = [
    use("a report without a place", ASK, "report: -o FILE says where the page goes"),
    use("a report to nowhere", f"{ASK} -o ''", "report: -o FILE says where the page goes"),
    use("a report of no items", "report model -o out", "report: too few words; usage: smerf report MODEL ITEMS [TARGET] -o FILE [--title TEXT] [--clusters K] [--json]"),
    use("no clusters of a report", f"{ASK} -o out --clusters 0", "report: --clusters 0 is below 1"),
    use("clusters of a report as text", f"{ASK} -o out --clusters auto",
        "report: --clusters 'auto' is not a whole number"),
    use("more clusters of a report than items", f"{ASK} -o out --clusters 5",
        "report: --clusters 5 is more than there are items, 4"),
    use("two targets of a report", f"{ASK} -o out --distances z.csv --edges edges.csv",
        "report: --distances and --edges exclude each other: give exactly one target"),
    use("a target of a report that does not fit", f"{ASK} -o out --distances bad.csv",
        "bad.csv:1:1: the first line has 2 cells; 4 items need 4 x 4 numbers, or 5 x 5 cells with ids, or 6 numbers in "
        "one line or column", {"bad.csv": "0,1\n1,0\n"}),
    use("a report on a feature that is not there", "report model bad.csv -o out",
        'bad.csv:1:1: there is no column "b"; there is "id", "a"', {"bad.csv": "id,a\nu,1\nv,2\n"}),
    use("a report on a feature that is text", "report model bad.csv -o out",
        'bad.csv:3:5: "much" is no number, and column "b" must hold numbers', {"bad.csv": "id,a,b\nu,1,2\nv,2,much\n"}),
    cannot("a report on a model that is not there", "report none items.csv -o out", f"none: {NOT_THERE}"),
    cannot("a report in a folder that is not there", f"{ASK} -o none/out",
           "none/out: cannot be written: No such file or directory"),
    cannot("a report that is a folder", f"{ASK} -o .", ".: cannot be written: Is a directory"),
    cannot("a report on a full disk", f"{ASK} -o /dev/full --quiet",
           "/dev/full: cannot be written: No space left on device"),
]  # fmt: skip
