#!/usr/bin/env python3
"""Writes the licenses of the crates in a program: `tools/licenses.py PACKAGE FILE`, such as `comity-cli LICENSE-THIRD-PARTY`.

`--target` names the platform of the program, such as `wasm32-unknown-unknown`; by default it is that of this machine.

Wheels and binaries contain code of these crates, and most licenses require that their text is distributed with it. A text that
several crates have is written once.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LICENSE = re.compile(r"(UN)?LICEN[CS]E|COPYING|COPYRIGHT|NOTICE", re.IGNORECASE)
# Folders of crates with files that are not in the program.
SKIPPED = {"tests", "benches", "examples", "fuzz", "doc", "docs", "contrib", "programs"}


def cargo(*arguments: str) -> str:
    """Runs cargo in the workspace and returns its output."""
    command = ["cargo", *arguments, "--locked"]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def linked(package: str, target: str | None) -> tuple[list[dict], dict[str, list[str]]]:
    """Returns the metadata of the crates in a program, the package first, and the direct dependencies of each by its id."""
    platform = ["--target", target] if target else []
    only_linked = ["--edges", "normal,no-proc-macro", "--package", package, *platform]
    tree = cargo("tree", *only_linked, "--prefix", "depth", "--format", " {p}").splitlines()
    packages = json.loads(cargo("metadata", "--format-version", "1"))["packages"]
    known = {(one["name"], f"v{one['version']}"): one for one in packages}
    found: dict[str, dict] = {}
    edges: dict[str, list[str]] = {}
    ancestors: list[str] = []
    for line in tree:
        depth, name, version = line.split()[:3]
        crate = known[name, version]
        del ancestors[int(depth) :]
        if ancestors and crate["id"] not in edges[ancestors[-1]]:
            edges[ancestors[-1]].append(crate["id"])
        found.setdefault(crate["id"], crate)
        edges.setdefault(crate["id"], [])
        ancestors.append(crate["id"])
    return list(found.values()), edges


def texts(crate: dict) -> list[str]:
    """Returns the texts of a crate's license files, including those of libraries in C below its folder."""
    root = Path(crate["manifest_path"]).parent
    files = [path for path in sorted(root.rglob("*")) if path.is_file() and LICENSE.match(path.name)]
    kept = [path for path in files if not SKIPPED & set(path.relative_to(root).parts[:-1])]
    plain = [path for path in kept if path.suffix not in {".rs", ".c", ".h", ".py"}]
    return [path.read_text(encoding="utf-8", errors="replace").strip() for path in plain]


def report(found: list[dict]) -> str:
    """Returns the crates without a license file, then every text with the crates that have it."""
    owners: dict[str, list[str]] = {}
    shown: dict[str, str] = {}
    lines = ["This distribution contains the following third-party software.\n"]
    for crate in found:
        title = f"{crate['name']} {crate['version']}"
        own = texts(crate)
        if not own:
            lines.append(f"{title}: {crate['license']}, by {', '.join(crate['authors'])}; {crate['repository'] or 'no address'}\n")
        for text in own:
            # Copies of a text often differ in line breaks only.
            key = " ".join(text.split())
            shown.setdefault(key, text)
            owners.setdefault(key, []).append(title)
    for key, titles in owners.items():
        lines.append(f"{'=' * 80}\n{', '.join(dict.fromkeys(titles))}\n\n{shown[key]}\n")
    return "\n".join(lines)


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", help="a package of the workspace")
    parser.add_argument("file", type=Path, help="the file to write")
    parser.add_argument("--target", help="the platform of the program, such as wasm32-unknown-unknown (default: this machine)")
    arguments = parser.parse_args()
    foreign = [crate for crate in linked(arguments.package, arguments.target)[0] if crate["source"]]
    if not foreign:
        sys.exit(f"error: `{arguments.package}` has no dependencies")
    foreign.sort(key=lambda crate: (crate["name"], crate["version"]))
    arguments.file.write_text(report(foreign), encoding="utf-8")


if __name__ == "__main__":
    main()
