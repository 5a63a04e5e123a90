#!/usr/bin/env python3
"""Prints Markdown tables about a folder of real robots.txt files: findings, and differences between dialects.

    tools/real-files/real_files.py [--comity PATH] FOLDER

Runs `comity lint` on every file, and `comity explain --all-dialects` on URLs that match each file's rules.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess

AGENTS = ["examplebot", "Googlebot", "GPTBot", "MJ12bot"]
PATHS_PER_FILE = 6


def batches(files, size=400):
    for start in range(0, len(files), size):
        yield files[start:start + size]


def findings(comity, files):
    """Returns two maps: the number of findings of each severity and code by file, and the page of each code."""
    found, pages = {file: collections.Counter() for file in files}, {}
    for batch in batches(files):
        run = subprocess.run([comity, "lint", "--format", "json", *batch], capture_output=True, text=True)
        for line in run.stdout.splitlines():
            finding = json.loads(line)
            found[finding["file"]][finding["severity"], finding["code"]] += max(1, finding["repeats"])
            pages[finding["code"]] = finding["documentation"].removeprefix("docs/")
    return found, pages


def visible(counts, most):
    """Returns the number of errors and warnings of a file, at most `most` of a kind."""
    return sum(min(most, count) for (severity, _), count in counts.items() if severity != "note")


def distribution(counts):
    """Describes numbers of findings per file."""
    counts = sorted(counts)
    none, median, most = counts.count(0) / len(counts), counts[len(counts) // 2], counts[-1]
    return f"none in {none:.1%} of the files, median {median}, 99th percentile {counts[len(counts) * 99 // 100]}, maximum {most}"


def paths(body):
    """Returns up to six of these paths: `/`, and for each rule a path that matches it and a longer path."""
    found = ["/"]
    for pattern in re.findall(rb"(?im)^(?:dis)?allow\s*:[ \t]*(/[^\s#]*)", body):
        path = pattern.decode("latin-1").replace("*", "x").rstrip("$")
        found += [path, path + "y"]
    step = max(1, len(found) // PATHS_PER_FILE)
    return [path for path in found[::step] if path.isascii()][:PATHS_PER_FILE]


def dialect_differences(comity, files):
    """Compares each dialect with the default. Returns the number of questions, and the differences, files and kinds by dialect."""
    questions, differs, where = 0, collections.Counter(), collections.defaultdict(set)
    why = collections.defaultdict(collections.Counter)
    agents = [word for agent in AGENTS for word in ("--agent", agent)]
    for file in files:
        urls = paths(pathlib.Path(file).read_bytes())
        command = [comity, "explain", "--all-dialects", "--json", "--robots", file, *agents, *urls]
        for line in subprocess.run(command, capture_output=True, text=True).stdout.splitlines():
            answer = json.loads(line)
            questions += 1
            default = answer["dialects"][0]
            for other in answer["dialects"][1:]:
                if "verdict" not in other or allowed(other) == allowed(default):
                    continue
                differs[other["dialect"]] += 1
                where[other["dialect"]].add(file)
                same_group = (other["group"] or "").lower() == (default["group"] or "").lower()
                direction = "allows" if allowed(other) else "disallows"
                why[other["dialect"]][f"{'another rule' if same_group else 'another group'}, {direction}"] += 1
    return questions, differs, where, why


def allowed(decision):
    return decision["verdict"] != "disallowed_explicit"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--comity", default="comity")
    arguments.add_argument("folder", type=pathlib.Path)
    options = arguments.parse_args()
    files = sorted(str(path) for path in options.folder.glob("*.txt"))

    found, pages = findings(options.comity, files)
    count = sum(found.values(), collections.Counter())
    where = collections.Counter(key for counts in found.values() for key in counts)
    errors = sum(any(severity == "error" for severity, _ in counts) for counts in found.values())
    notes = sum(number for (severity, _), number in count.items() if severity == "note")
    print(f"{len(files)} files, {errors} with an error; {count.total()} findings, {notes} of them notes\n")
    print(f"- all findings: {distribution(counts.total() for counts in found.values())}")
    print(f"- errors and warnings: {distribution(visible(counts, counts.total()) for counts in found.values())}")
    print(f"- of these, printed by default: {distribution(visible(counts, 3) for counts in found.values())}\n")
    print("| finding | severity | files | share | findings |\n|---|---|---:|---:|---:|")
    for severity, code in sorted(count, key=lambda key: -where[key]):
        n = where[severity, code]
        print(f"| [`{code}`](../{pages[code]}) | {severity} | {n} | {n / len(files):.2%} | {count[severity, code]} |")

    questions, differs, differing_files, why = dialect_differences(options.comity, files)
    print(f"\n{questions} questions\n\n| dialect | answers that differ | share | files | how |\n|---|---:|---:|---:|---|")
    for dialect, n in differs.most_common():
        how = "; ".join(f"{reason}: {times}" for reason, times in why[dialect].most_common())
        print(f"| `{dialect}` | {n} | {n / questions:.2%} | {len(differing_files[dialect])} | {how} |")


if __name__ == "__main__":
    main()
