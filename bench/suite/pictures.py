"""pictures.py - bars of times for the comparisons, lines for growth; SVG that does not change unless the numbers do."""
import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams |= {"svg.hashsalt": "smerf", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False,
                        "axes.spines.right": False}
import matplotlib.pyplot as plt

OURS, OTHERS = "#1f6f8b", "#c9c9c9"


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def draw_bars(section, path):
    """One panel for each piece of work: seconds of every tool, the time of the first (ours) as a line."""
    rows = [row for row in section["rows"] if row.get("seconds") is not None and "who" in row]
    works = list(dict.fromkeys(row["work"] for row in rows))
    if not works:
        return
    figure, panels = plt.subplots(len(works), 1, squeeze=False,
                                  figsize=(7, sum(0.6 + 0.28 * sum(r["work"] == w for r in rows) for w in works) + 0.4))
    for panel, work in zip(panels[:, 0], works):
        some = [row for row in rows if row["work"] == work]
        seconds = [row["seconds"] for row in some]
        is_ours = [place == 0 or row["who"].startswith("smerf") for place, row in enumerate(some)]
        panel.barh(range(len(some)), seconds, color=[OURS if ours else OTHERS for ours in is_ours])
        panel.set_yticks(range(len(some)), [row["who"] for row in some])
        panel.invert_yaxis()
        panel.axvline(seconds[0], color=OURS, linewidth=0.8)
        panel.set_xlim(0, 1.3 * max(seconds))
        for place, row in enumerate(some):
            ratio = f" ({row['ratio']:,.{0 if row['ratio'] >= 100 else 1}f} x)" if row.get("ratio") else ""
            panel.annotate(f"{row['seconds']:.3g} s{ratio}", (row["seconds"], place), (4, 0), textcoords="offset points",
                           va="center", fontsize=8, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})
        panel.set_title(work, loc="left", fontsize=9)
    save(figure, path)


def draw_growth(section, path, size, times, label):
    """Time over size on logarithmic axes, one line for each group."""
    rows = [row for row in section["rows"] if not row.get("failed")]
    figure, panel = plt.subplots(figsize=(5, 3.2))
    for group in dict.fromkeys(row.get("candidates", "") for row in rows):
        some = [row for row in rows if row.get("candidates", "") == group]
        panel.loglog([row[size] for row in some], [row[times] for row in some], "o-",
                     label=f"{group} candidates" if group else None)
    sizes = sorted({row[size] for row in rows})
    panel.set_xticks(sizes, [f"{n:,}" for n in sizes])
    panel.minorticks_off()
    panel.set_xlabel(label)
    panel.set_ylabel("seconds")
    if any(row.get("candidates") for row in rows):
        panel.legend(frameon=False)
    save(figure, path)


def draw_all(sections, folder):
    for old in folder.glob("*.svg"):
        old.unlink()
    for name, section in sections.items():
        path = folder / f"{name}.svg"
        good = [row for row in section["rows"] if not row.get("failed")]
        if not good:
            continue
        if name == "dense":
            draw_growth(section, path, "n", "tree_seconds_1", "items")
        elif name == "graphs":
            draw_growth(section, path, "edges", "cpu_seconds", "edges")
        else:
            draw_bars(section, path)
