"""page.py - docs/performance.md and its pictures from the results; what people wrote is kept in bench/remarks.md."""
import pictures
import summary
import tables
from measure import ROOT

PAGE = ROOT / "docs/performance.md"
PICTURES = ROOT / "docs/performance"
REMARKS = ROOT / "bench/remarks.md"

OPENING = """# How fast it is

Ten common tasks, measured on the machine described below ({processor}, {cores} cores). "Others take" is a tool's time over smerf's in the
same run, on the same data; "from N trees" is extrapolated from so many. What each figure includes, and with how many runs it was taken,
is said in its section.
"""

METHOD = """
Every figure on this page was measured and written by `bench/run`, each section at the commit that it names. Tools are compared in the
same run, on the same files; each measurement is a process of its own, tools alternate, and times are medians (of how many runs, each
section says; of fewer where a tool runs for minutes). "x ours" is a tool's time over smerf's.
Machines are noisy: trust ratios more than seconds.

    make bench          all of this, in about two hours; installs the tools into build/bench-venv first
    make bench-quick    smaller sizes in a few minutes; prints tables and leaves this page alone
    bench/run --only forests,graphs    some sections

Where smerf's own time goes, and what was tried without gain, is at the [end of the page](#where-the-remaining-time-goes).
"""


def machine_table(facts, versions):
    lines = [[name, str(value)] for name, value in facts.items()] + [["tools", ", ".join(versions)]]
    return tables.table(["", ""], lines, [False, False])


def how_taken(section):
    """Of how many runs the figures are: as the section says, as its rows do, or as was asked for."""
    if "taken" in section:
        return section["taken"]
    runs = sorted({row["runs"] for row in section["rows"] if row.get("runs")}) or [section.get("repeats", "-")]
    return f"medians of {runs[0]}" + (f" to {runs[-1]}" if len(runs) > 1 else "")


def section_text(name, section):
    moment = "Measured {date} at commit {commit}, {taken}, on {machine}; its load before: {load}.".format(
        taken=how_taken(section), **section["moment"])
    parts = [f"## {section['title']}", section["text"], moment, tables.rows_table(section)]
    growth = tables.growth_table(section)
    if growth:
        parts += [section["growth_title"] + ":", growth]
    if (PICTURES / f"{name}.svg").exists():
        parts.append(f"![{section['title']}](performance/{name}.svg)")
    return "\n\n".join(part for part in parts if part)


def write(results):
    PICTURES.mkdir(parents=True, exist_ok=True)
    pictures.draw_all(results["sections"], PICTURES)
    sections = results["sections"]
    parts = [OPENING.strip().format(**results["machine"]), summary.summary_table(sections), METHOD.strip(),
             "## Targets", tables.claims_table(sections.values()),
             "## The machine", machine_table(results["machine"], results["versions"])]
    parts += [section_text(name, section) for name, section in sections.items()]
    if REMARKS.exists():
        parts.append(REMARKS.read_text(encoding="utf-8").strip())
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}")
