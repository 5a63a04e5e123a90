"""The stubs have the docstrings of the compiled module. UPDATE_DOCS=1 updates them."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from comity import _comity

STUBS = Path(__file__).parents[1] / "package" / "comity" / "_comity.pyi"


def documented(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef | ast.ClassDef, str]]:
    """Yields the public definitions in the stubs, each with its docstring in the compiled module."""
    for node in tree.body:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name.startswith("_"):
            continue
        found = getattr(_comity, node.name, None)
        # Protocols exist only in the stubs.
        if found is None:
            continue
        yield node, found.__doc__ or ""
        for member in node.body if isinstance(node, ast.ClassDef) else []:
            if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                yield member, getattr(found, member.name).__doc__ or ""


def has_docstring(node: ast.FunctionDef | ast.ClassDef) -> bool:
    return ast.get_docstring(node, clean=False) is not None


def printed(stubs: str) -> str:
    """Returns the stubs with the docstrings of the compiled module."""
    lines = stubs.splitlines()
    # Skip the lines between two markers, which a test of `comity-cli` generates.
    inside, theirs = False, set()
    for number, line in enumerate(lines, 1):
        inside = ("<!-- " in line or inside) and "<!-- end" not in line
        theirs |= {number} if inside else set()
    changes: list[tuple[int, int, list[str]]] = []
    for node, doc in documented(ast.parse(stubs)):
        if node.lineno in theirs or not doc.strip():
            continue
        first = node.body[0]
        text = inspect.cleandoc(doc).replace("\\", "\\\\")
        text = f'"""{text}\n"""' if "\n" in text else f'"""{text}"""'
        shown = textwrap.indent(text, " " * (node.col_offset + 4)).splitlines()
        if has_docstring(node):
            changes.append((first.lineno, first.end_lineno or first.lineno, shown))
        elif isinstance(node, ast.ClassDef):
            begin = min(
                [first.lineno, *(one.lineno for one in getattr(first, "decorator_list", []))]
            )
            changes.append((begin, begin - 1, shown))
        else:
            # The body is `...`, after the signature.
            signature = lines[first.lineno - 1][: first.col_offset].rstrip()
            changes.append((first.lineno, first.lineno, [signature, *shown]))
    for start, end, shown in sorted(changes, reverse=True):
        lines[start - 1 : end] = shown
    ruff = Path(sys.executable).parent / "ruff"
    options = ["--config", STUBS.parents[2] / "pyproject.toml", "--stdin-filename", STUBS.name]
    text = "\n".join(lines) + "\n"
    done = subprocess.run(
        [ruff, "format", *options, "-"], input=text, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_stubs_have_the_docstrings_of_the_compiled_module() -> None:
    stubs = STUBS.read_text()
    expected = printed(stubs)
    if os.environ.get("UPDATE_DOCS"):
        STUBS.write_text(expected)
    assert STUBS.read_text() == expected, "out of date: UPDATE_DOCS=1 pytest tests/test_stubs.py"


def test_methods_in_the_stubs_exist() -> None:
    for node in ast.parse(STUBS.read_text()).body:
        if isinstance(node, ast.ClassDef) and node.name[0] != "_" and hasattr(_comity, node.name):
            members = {member.name for member in node.body if isinstance(member, ast.FunctionDef)}
            missing = {name for name in members if not hasattr(getattr(_comity, node.name), name)}
            assert not missing, f"{node.name}: {missing}"
