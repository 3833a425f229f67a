"""Files that might be read in two ways, mixtures, and damaged compression: each is refused in one line."""

import gzip

from bad_case import WRONG, Case, option, use

AS_TEXT = "(--categories takes all of it as text)"
UNCLEAR = "text with spaces needs quotes, or cells need commas between them"
POINT = "it has a decimal comma, and numbers have a point (as in line {})"
WANTS = "a decimal comma wants semicolons or tabs between cells"
RAGGED = "a row with more cells than the header, which has {}"
ITEMS = b"id,a,b\nu,1,5\nv,2,6\nw,4,9\nx,8,7\n"
PACKED = gzip.compress(ITEMS, mtime=0)


def items(name, content, line, options=""):
    return Case(name, f"fit bad.csv --distances z.csv -o out {options}", WRONG, f"bad.csv:{line}", {"bad.csv": content})


def packed(name, content, line):
    return Case(name, "fit bad --distances z.csv -o out", WRONG, f"bad: the compressed file {line} (gzip)", {"bad": content})


def listed(name, words, content, line):
    return Case(name, f"fit items.csv {words} bad.csv -o out", WRONG, f"bad.csv:{line}", {"bad.csv": content})


def names(n):
    return "who,a\n" + "".join(f"p{k},{k}\n" for k in range(n))


CASES = [
    items("text among numbers in several columns", "id,a,b,c\nu,1,5,red\nv,2,n/a,blue\nw,-,?,7\nx,8,7,2\n",
          f'3:5: "n/a" is no number, and column "b" holds numbers above {AS_TEXT}; likewise "a" ("-"), "c" ("7")'),
    items("text among numbers in many columns", "id,a,b,c,d,e,f\nu,1,1,1,1,1,1\nv,v,w,x,y,z,a\n",
          f'3:3: "v" is no number, and column "a" holds numbers above {AS_TEXT}; likewise "b" ("w"), "c" ("x"), "d" ("y") and 2 more'),
    use("text in several features of a model", "predict model bad.csv",
        'bad.csv:2:3: "one" is no number, and column "a" must hold numbers; likewise "b" ("-")', {"bad.csv": "id,a,b\nu,one,5\nv,2,-\n"}),
    items("decimal commas and points in one column", "id;a;b\nu;1;5\nv;2,5;6\nw;4.5;9\n",
          f'3:3: "2,5" is no number: {POINT.format(4)}, and column "a" holds numbers above {AS_TEXT}'),
    items("decimal commas and points in two columns", "id;a;b\nu;1,5;5\nv;2,5;6.5\n",
          f'2:3: "1,5" is no number: {POINT.format(3)}, nor is anything in column "a" {AS_TEXT}'),
    items("decimal commas where commas separate", 'id,a,b\nu,"1,5",5\nv,"2,5",6\n',
          f'2:3: "1,5" is no number: {WANTS}, nor is anything in column "a" {AS_TEXT}'),
    items("rows of different length among spaces", "id a b\nu 1 5\nv 2 6 7\n", f"3:1: 4 words in this row, and 3 in the first line: "
          f"where spaces separate cells, each row has as many; {UNCLEAR}"),
    items("more names than cells among spaces", "id a b c\nu 1 5\nv 2 6\n", f"1:1: 4 words above rows of 3: where spaces separate "
          f"cells, each row has as many, or the header one fewer; {UNCLEAR}"),
    items("column of names", names(30), '2:1: column "who" holds 30 different texts in 30 items, and looks like a name: give --id or '
          "--ignore; --categories takes it all the same"),
    listed("row names below a short header without quotes", "--pairs", "i,j,distance\n1,u,v,2\n2,v,w,3\n", '2:1: no item has the id "1"'),
    listed("similarity with a comma among commas", "--pairs", 'i,j,distance\nu,v,"0,5"\n', f'2:5: "0,5" is no number: {WANTS}'),
    listed("weights with commas and points", "--edges", "source;target;weight\nu;v;0,5\nv;w;0.5\n",
           f'2:5: "0,5" is no number: {POINT.format(3)}'),
    listed("distances with commas and points", "--distances", "0;0,5;1;2\n0,5;0;1;2\n1;1;0;1.5\n2;2;1.5;0\n",
           f'1:3: "0,5" is no number: {POINT.format(3)}'),
    listed("condensed below a header, too long", "--distances", "d\n1\n2\n3\n4\n5\n6\n7\n",
           "8:1: more than 6 lines; 4 items need 4 x 4 numbers, or 5 x 5 cells with ids, or 6 numbers in one line or column"),
    option("drop-missing without a column", "--drop-missing", "--drop-missing goes with --labels, --response, --absolute or --product"),
    use("drop-missing leaves none", "fit bad.csv --response b --drop-missing -o out",
        "bad.csv:1:1: no item is left: each lacks its target (--drop-missing)", {"bad.csv": "id,a,b\nu,1,\nv,2,NA\n"}),
    use("drop-missing leaves one", "fit bad.csv --response b --drop-missing -o out",
        "bad.csv: there is one item; a distance needs at least two", {"bad.csv": "id,a,b\nu,1,\nv,2,5\n"}),
    use("a row that is left out is too long", "fit bad.csv --response b --drop-missing -o out",
        f"bad.csv:2:6: {RAGGED.format(3)}", {"bad.csv": "id,a,b\nu,1,,7\nv,2,5\n"}),
    packed("compressed, cut short", PACKED[:-9], "is cut short"),
    packed("compressed, checksum wrong", PACKED[:-8] + bytes(4) + PACKED[-4:], "is damaged"),
    packed("compressed, damaged", PACKED[:12] + b"\xff\xff\xff" + PACKED[15:], "is damaged"),
    packed("compressed, with something behind", PACKED + b"id\n", "is followed by something else"),
    packed("two bytes of compression", b"\x1f\x8b", "is cut short"),
    Case("bad items, compressed", "fit bad --distances z.csv -o out", WRONG,
         f'bad:3:3: "two" is no number, and column "a" holds numbers above {AS_TEXT}',
         {"bad": gzip.compress(b"id,a,b\nu,1,5\nv,two,6\n")}),
    use("array, compressed", "fit bad.npy.gz --distances z.csv -o out",
        "bad.npy.gz: a compressed .npy file, which cannot be mapped into memory; decompress it (gunzip)",
        {"bad.npy.gz": gzip.compress(b"\x93NUMPY\x01\0")}),
    use("array to be written compressed", "predict model items.csv -o z.npy.gz",
        "predict: -o 'z.npy.gz': a .npy file is not compressed, as it is mapped into memory: .npy or .csv.gz"),
]
