#!/usr/bin/env python3
"""Counts the lines of code of each crate, of the bindings and of the Python package, without tests, comments, blank lines
and the generated catalogue of crawlers.

tools/lines.py [--most NUMBER]    fails if there are more than NUMBER lines
"""

import argparse
import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Generated from data/crawlers.toml by a test.
GENERATED = {ROOT / "crates/comity/src/agents/table.rs"}
TEST = re.compile(r"\s*#\[cfg\((?:all\()?test\b")


def rust_lines(path: Path) -> int:
    """Counts the lines of a Rust file. A test item ends at the first closing brace in the column in which the item begins."""
    lines = path.read_text(encoding="utf-8").splitlines()
    count = at = 0
    while at < len(lines):
        line = lines[at]
        if TEST.match(line):
            at += 1
            while lines[at].lstrip().startswith("#["):
                at += 1
            column = len(lines[at]) - len(lines[at].lstrip())
            if not lines[at].rstrip().endswith((";", "}", ",")):
                while not lines[at].startswith(" " * column + "}"):
                    at += 1
        elif line.strip() and not line.lstrip().startswith("//"):
            count += 1
        at += 1
    return count


def python_lines(path: Path) -> int:
    """Counts the lines of a Python file, without docstrings."""
    text = path.read_text(encoding="utf-8")
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented):
            # A statement that is only a string documents the item before it.
            for statement in node.body:
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                    if isinstance(statement.value.value, str):
                        left_out.update(range(statement.lineno, (statement.end_lineno or 0) + 1))
    lines = enumerate(text.splitlines(), 1)
    return sum(1 for number, line in lines if line.strip() and not line.lstrip().startswith("#") and number not in left_out)


def main() -> None:
    """Prints the counts."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--most", type=int, help="fail above this number of lines")
    most = arguments.parse_args().most
    total = 0
    packages = [ROOT / "js/engine", ROOT / "python", ROOT / "python/base", ROOT / "python/command"]
    for folder in [*sorted((ROOT / "crates").iterdir()), *packages]:
        rust = {path for path in folder.glob("src/**/*.rs") if path.name != "tests.rs" and "tests" not in path.relative_to(folder).parts}
        python = [*folder.glob("package/**/*.py"), *folder.glob("package/**/*.pyi")]
        count = sum(map(rust_lines, rust - GENERATED)) + sum(map(python_lines, python))
        total += count
        name = folder.relative_to(ROOT).as_posix().removeprefix("crates/")
        print(f"{name:<16} {count:>7,}")
    print(f"{'all':<16} {total:>7,}")
    if most is not None and total > most:
        sys.exit(f"error: {total:,} lines of code, but at most {most:,} are allowed (--most)")


if __name__ == "__main__":
    main()
