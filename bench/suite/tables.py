"""tables.py - results as text: Markdown tables, which read well on a terminal too."""

VERDICTS = {True: "yes", False: "no", None: "-"}


def cell(row, name, form):
    value = row.get(name)
    if value is None:
        return ""
    return format(int(value) if form.endswith("d") else value, form) if form else str(value)


def table(labels, lines, is_number):
    """Columns padded to the same width."""
    widths = [max(len(line[k]) for line in [labels, *lines]) for k in range(len(labels))]

    def padded(line):
        cells = [text.rjust(w) if number else text.ljust(w) for text, w, number in zip(line, widths, is_number)]
        return "| " + " | ".join(cells) + " |"

    rule = "|" + "|".join("-" * (w + 1) + (":" if number else "-") for w, number in zip(widths, is_number)) + "|"
    return "\n".join([padded(labels), rule, *map(padded, lines)])


def rows_table(section):
    columns = [column for column in section["columns"] if any(row.get(column[0]) is not None for row in section["rows"])]
    if not columns:
        return "; ".join(row["failed"] for row in section["rows"] if row.get("failed"))
    lines = []
    for row in section["rows"]:
        line = [cell(row, name, form) for name, _, form in columns]
        if row.get("failed"):
            place = next((k for k, column in enumerate(columns) if column[2]), 0)
            line[place] = row["failed"].replace("|", "/")
        lines.append(line)
    return table([label for _, label, _ in columns], lines, [bool(form) for _, _, form in columns])


def growth_table(section):
    lines = [[row["work"], row["who"], f"{row['exponent']:.2f}"] for row in section.get("growth") or []]
    return table(["work", "who", "exponent"], lines, [False, False, True]) if lines else ""


def claims_table(sections):
    lines = [[claim["what"], claim["target"], claim["measured"], VERDICTS[claim["met"]], claim["note"]]
             for section in sections for claim in section["claims"]]
    return table(["work", "target", "measured", "met", "note"], lines, [False, False, True, False, False])
