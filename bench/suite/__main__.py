"""The comparisons: bench/run [--quick] [--only NAMES] [--threads N] [--repeats N] [--render]

Results go to docs/performance/results.json, and a full run then writes docs/performance.md from them (quick ones: build/bench/quick.json). --only
runs some sections and keeps the others' results; --render only writes the page."""
import argparse
import json
import os
import time
import traceback

import forests
import graphs
import kept
import loading
import machine
import matrices
import metric
import queries
import tables
import threads
from measure import ROOT, Bench, claim

SECTIONS = {
    "forests": forests.run, "oblique": forests.run_oblique, "dense": matrices.run_exact, "rfd": matrices.run_pairs_forest,
    "rank": matrices.run_rank, "graphs": graphs.run, "all-pairs": queries.run_all_pairs, "neighbors": queries.run_neighbors,
    "kept": kept.run,    "loading": loading.run, "metric": metric.run, "threads": threads.run,
}


def asked():
    parser = argparse.ArgumentParser(prog="bench/run", description="compares smerf with other tools")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, in minutes")
    parser.add_argument("--only", default="", help="some sections, separated by commas: " + ", ".join(SECTIONS))
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count()), help="for every tool (default: %(default)s)")
    parser.add_argument("--repeats", type=int, help="of every measurement (default: 3, quick 1)")
    parser.add_argument("--render", action="store_true", help="only write docs/performance.md from the last results")
    options = parser.parse_args()
    options.names = options.only.split(",") if options.only else list(SECTIONS)
    unknown = [name for name in options.names if name not in SECTIONS]
    if unknown:
        parser.error(f"no section called {unknown[0]}")
    return options


def run_section(bench, name):
    """A section that fails does not stop the others."""
    try:
        return SECTIONS[name](bench)
    except Exception as problem:
        traceback.print_exc()
        return {"title": name, "text": "", "columns": [], "rows": [],
                "claims": [claim(name, "", "-", None, f"failed: {problem}")]}


def run_all(bench, names, results):
    if os.getloadavg()[0] > 0.5:
        print(f"others are working on this machine (load {os.getloadavg()[0]:.1f}): expect rough figures\n")
    for name in names:
        print(f"{name} ...", flush=True)
        started, moment = time.time(), machine.moment(bench)
        section = {"repeats": bench.repeats, **run_section(bench, name), "moment": moment}
        results["sections"][name] = section
        print("\n" + tables.rows_table(section) + "\n")
        if section.get("growth"):
            print(section["growth_title"] + ":\n" + tables.growth_table(section) + "\n")
        print(f"  ({time.time() - started:.0f} s)\n", flush=True)


def main():
    options = asked()
    bench = Bench(options.quick, options.threads, options.repeats or (1 if options.quick else 3))
    path = bench.folder / "quick.json" if options.quick else ROOT / "docs/performance/results.json"
    results = {"sections": {}}
    if path.exists() and (options.only or options.render):
        results = json.loads(path.read_text(encoding="utf-8"))
    if not options.render:
        results |= {"machine": machine.facts(bench), "threads": bench.threads}
        run_all(bench, options.names, results)
        results["sections"] = {name: results["sections"][name] for name in SECTIONS if name in results["sections"]}
        results["versions"] = machine.versions(results["sections"].values())
        path.write_text(json.dumps(results, indent=1), encoding="utf-8")
        print(tables.claims_table(results["sections"].values()))
        if options.quick:
            print("\nThe targets are meant for the sizes of the full run: make bench.")
        print(f"\nresults: {path}")
    if not options.quick:
        import page

        page.write(results)


main()
