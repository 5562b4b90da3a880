#!/usr/bin/env python3
"""Gives Windlass and similar tools the same work, and prints how long each takes.

See README.md beside this file.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

# Nothing is written beside the sources.
sys.dont_write_bytecode = True

from measuring import Failed, median_time, run, size_of
from table import ratio, table
from tools import TOOLS
from tools.tool import Options
from workload import items, rare_number

# A name, what it is, and its unit. Those that are methods of a tool are measured in this order.
STEPS = [
    ("start", "start", "seconds"),
    ("create_each", "create all, time for each", "seconds"),
    ("create", "create one more", "seconds"),
    ("list", "list", "seconds"),
    ("ready", "ready", "seconds"),
    ("show", "show one", "seconds"),
    ("search", "search a rare word", "seconds"),
    ("update", "update a status", "seconds"),
    ("size", "size on disk", "bytes"),
    ("commands", "list 200 commands", "seconds"),
]
# Scripts in the repository whose commands are listed.
SCRIPTS = 200


def main():
    arguments = parse()
    target = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[2] / "target"))
    options = Options(
        windlass=(arguments.windlass or target / "release" / "windlass").resolve(),
        cache=(arguments.cache or target / "peers").resolve(),
        limit=arguments.limit,
        create_seconds=arguments.create_seconds,
        programs=dict(arguments.program),
    )
    options.cache.mkdir(parents=True, exist_ok=True)
    work = items(arguments.items)
    results = []
    with tempfile.TemporaryDirectory(prefix="run-", dir=options.cache) as scratch:
        empty = median_time(lambda _: run(["true"], scratch, dict(os.environ), 60), 20, 10)
        for kind in TOOLS:
            # Ratios need windlass, so it always runs.
            if arguments.only and kind.name not in arguments.only and kind.against != kind.name:
                continue
            print(f"{kind.name}:", file=sys.stderr)
            folder = Path(scratch) / kind.name.replace(" ", "-")
            results.append(measure(kind, options, folder, work, arguments))
    if arguments.json:
        for result in results:
            found = {name: ratio(name, result, results) for name, *_ in STEPS}
            result["ratios"] = {name: value for name, value in found.items() if value is not None}
        document = {"items": arguments.items, "empty_process": empty, "tools": results}
        print(json.dumps(document, indent=2))
    else:
        report(arguments, empty, results)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=1_000, help="how many items (default: 1000)")
    parser.add_argument("--windlass", type=Path, help="the binary, by default the release build")
    parser.add_argument("--cache", type=Path, help="where the tools are installed")
    parser.add_argument("--only", action="append", metavar="TOOL", help="only this tool and windlass",
                        choices=[kind.name for kind in TOOLS])
    parser.add_argument("--program", action="append", default=[], type=named, metavar="TOOL=FILE",
                        help="use this program of a tool instead of installing it")
    parser.add_argument("--repeat", type=int, default=9, help="calls of each step (default: 9)")
    parser.add_argument("--limit", type=float, default=300, help="seconds for a call (default: 300)")
    parser.add_argument("--create-seconds", type=float, default=60,
                        help="seconds to create items where there is no bulk way (default: 60)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    if arguments.items < 10:
        parser.error("--items: at least 10")
    return arguments


def named(text):
    """A tool and its program, of TOOL=FILE."""
    name, _, file = text.partition("=")
    if name not in [kind.name for kind in TOOLS] or not file:
        raise argparse.ArgumentTypeError("must be the name of a tool, =, and a file")
    return name, Path(file).resolve()


def measure(kind, options, folder, work, arguments):
    """The values of one tool. What fails is named, and the rest goes on."""
    result = {"tool": kind.name, "version": kind.version, "against": kind.against,
              "steps": {}, "notes": [], "failed": {}}
    tool = kind(options, folder)
    tool.items, tool.middle = work, work[rare_number(len(work)) - 1]
    try:
        attempt(result, "install", tool.install)
        attempt(result, "prepare", tool.prepare)
        fill(tool, result)
        for name, *_ in STEPS:
            step = getattr(tool, name, None)
            if step is None or name == "commands":
                continue
            time_of(result, name, step, arguments.repeat)
            print(f"  {name}", file=sys.stderr)
        if hasattr(tool, "data"):
            result["steps"]["size"] = size_of(tool.data())
        if getattr(tool, "commands", None):
            scripts(tool.project)
            time_of(result, "commands", tool.commands, arguments.repeat)
    except Failed:
        # Already in the result; without it there is nothing to measure.
        pass
    finally:
        tool.close()
        shutil.rmtree(folder, ignore_errors=True)
    return result


def attempt(result, name, work):
    try:
        return work()
    except Failed as problem:
        result["failed"][name] = str(problem)
        print(f"  {name}: {problem}", file=sys.stderr)
        raise


def fill(tool, result):
    """Creates all items. Where only some could be created one by one, the time is of those."""
    if tool.create_all is None:
        return
    begun = time.monotonic()
    result["notes"].append("create all: " + attempt(result, "create all",
                                                    lambda: tool.create_all(tool.items)))
    count, took = getattr(tool, "created", (len(tool.items), time.monotonic() - begun))
    result["steps"]["create_each"] = took / max(count, 1)


def time_of(result, name, step, repeats):
    try:
        result["steps"][name] = median_time(step, repeats, 60)
    except Failed as problem:
        result["failed"][name] = str(problem)
        print(f"  {name}: {problem}", file=sys.stderr)


def scripts(project):
    """Makes the folder a repository with commands."""
    named = {f"script-{number}": "true" for number in range(1, SCRIPTS + 1)}
    (project / "package.json").write_text(json.dumps({"name": "peers", "scripts": named}, indent=2))
    (project / "package-lock.json").write_text("{}")


def report(arguments, empty, results):
    print(f"{arguments.items:,} items of 500 bytes, every second one with a blocker. "
          f"An empty process takes {empty * 1e3:.1f} ms.\n")
    print(table(STEPS, results))
    print()
    for result in results:
        shown = f"{result['tool']} {result['version']}".strip()
        for note in result["notes"]:
            print(f"- {shown}: {note}.")
        for step, problem in result["failed"].items():
            print(f"- {shown}: {step}: {problem}.")


if __name__ == "__main__":
    main()
