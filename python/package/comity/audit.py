"""Whole audits: archives, tables and folders in; verdicts, a manifest and a report out.

>>> from comity import audit
>>> audit.index(["robotstxt/*.warc.gz"], "robots.parquet")  # doctest: +SKIP
Index(path='robots.parquet', rows=120455, answers=119800, sites=98211)
>>> done = audit.audit("pages.parquet", "robots.parquet", agents=["GPTBot"], output="verdicts.parquet")  # doctest: +SKIP
>>> done.views[0]  # doctest: +SKIP
View(agent='GPTBot', moment='seen', allowed=812, disallowed=96, unknown=92, undecidable=0)
>>> audit.report(done, "audit.html")  # doctest: +SKIP

The functions are the commands ``comity audit index``, ``run`` and ``report`` with their arguments by the same names: inputs
are recognised by their content, folders are walked, patterns expanded, and rows keep their order. A job runs in a process of
its own, so that its memory is given back when it ends, and Ctrl-C ends it. For tables that are in memory already, see
``comity.arrow``; for clusters, ``comity.spark`` and ``comity.ray``, which read the same index.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from .errors import AuditError, ComityWarning

__all__ = ["Audit", "Index", "Paths", "View", "audit", "index", "report"]

#: A path or pattern, or several.
Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


@dataclass(frozen=True)
class Index:
    """An index of robots.txt answers that was written."""

    path: str
    # <!-- Index -->
    rows: int
    """The number of rows."""
    # <!-- end of Index -->
    # <!-- IndexAnswers -->
    answers: int
    """The number of answers."""
    sites: int
    """The number of sites."""
    # <!-- end of IndexAnswers -->
    #: What the command prints with ``--json``.
    record: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class View:
    """How the pages fare for one crawler at one moment, in rows."""

    # <!-- View -->
    agent: str | None
    """The crawler's product token; None where each row names its crawler."""
    moment: Literal["seen", "now"]
    """The moment: ``seen``, when each page was seen, or ``now``, by the latest answer."""
    # <!-- end of View -->
    # <!-- Shares -->
    allowed: int
    """Rows that may be fetched: recommended, or allowed with a warning."""
    disallowed: int
    """Rows that a rule, or the preset's treatment of an answer, disallows."""
    unknown: int
    """Rows of which nothing is known."""
    undecidable: int
    """Rows that cannot be decided."""
    # <!-- end of Shares -->
    #: Verdicts, answers, months, sites, rules, usage and examples, as the manifest has them.
    record: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Audit:
    """What an audit came to."""

    # <!-- Audit -->
    rows: int
    """The number of rows that were read."""
    rows_written: int
    """The number of rows that were written."""
    # <!-- end of Audit -->
    views: tuple[View, ...]
    #: Versions, arguments, digests of all files, damage and counts.
    manifest: Mapping[str, Any] = field(repr=False)

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> Audit:
        """Reads a manifest, such as the one that stands beside every output."""
        summary = manifest["summary"]
        views = tuple(
            View(agent=view["agent"], moment=view["moment"], **view["shares"], record=view)
            for view in summary["views"]
        )
        return cls(summary["rows"], summary["rows_written"], views, manifest)


def index(sources: Paths, output: str | os.PathLike[str], *, progress: bool = False) -> Index:
    """Gathers robots.txt answers with their history into one Parquet file.

    ``sources`` are WARC files, tables, folders of captures, or patterns of these. With ``progress`` the bytes done, rows per
    second and time left are shown if standard error is a terminal. What could not be read is a warning.

    Raises ``AuditError`` if a source cannot be read at all, or holds no answer.
    """
    arguments = ["index", "--output", os.fspath(output)]
    record = _run(arguments, sources, progress=progress)
    answers = record["answers"]
    return Index(os.fspath(output), record["rows"], answers["answers"], answers["sites"], record)


def audit(
    inputs: Paths,
    robots: Paths = (),
    *,
    agents: Iterable[str] = (),
    user_agents: Iterable[str] = (),
    purposes: Iterable[str] = (),
    output: str | os.PathLike[str] | None = None,
    report: str | os.PathLike[str] | None = None,
    preset: str | None = None,
    dialect: str | None = None,
    as_of: Literal["seen", "now", "both"] | None = None,
    nearest: bool = False,
    usage: bool = False,
    join_keys: bool = False,
    crawl: str | None = None,
    live: bool = False,
    live_limit: int | None = None,
    columns: Iterable[str] = (),
    prefix: str = "",
    rows: Literal["wide", "long"] = "wide",
    only: Literal["allowed", "disallowed", "unknown"] | None = None,
    url_column: str | None = None,
    time_column: str | None = None,
    agent_column: str | None = None,
    input_format: str | None = None,
    progress: bool = False,
) -> Audit:
    """Decides the pages of archives and tables for one or many crawlers, in one pass.

    ``robots`` is an index or any source that ``index`` takes. With ``live``, sites that it has no answer of are asked today, up to
    ``live_limit`` of them, and ``as_of`` is ``now`` instead of ``seen`` unless it is given. Without ``agents``, ``user_agents`` and ``purposes`` a column of
    the input names a crawler for each row. ``output`` ends in ``.parquet``, ``.csv`` or ``.jsonl``, the last two also with
    ``.gz`` or ``.zst``; it is whole or not there, and its manifest stands beside it. ``report`` is a page that loads nothing.
    ``join_keys`` adds the columns by which the indexes of public crawls are joined (``surt_host_name``, ``url_surtkey``,
    ``crawl``); ``crawl`` names the crawl of all pages where paths and archives do not.

    Raises ``AuditError`` with the command's message: a file that cannot be read, no column with URLs, a name that is taken.
    """
    arguments = ["run", "--rows", rows]
    for option, values in {
        "--robots": _paths(robots),
        "--agent": agents,
        "--user-agent": user_agents,
        "--purpose": purposes,
        "--columns": columns,
    }.items():
        if isinstance(values, str):
            raise TypeError(f"{option[2:]} takes several names, not one text: [{values!r}]")
        for value in values:
            arguments.append(f"{option}={value}")
    for option, given in {
        "--output": output,
        "--report": report,
        "--preset": preset,
        "--dialect": dialect,
        "--prefix": prefix or None,
        "--only": only,
        "--url-column": url_column,
        "--time-column": time_column,
        "--agent-column": agent_column,
        "--input-format": input_format,
        "--crawl": crawl,
        "--as-of": as_of,
        "--live-limit": None if live_limit is None else str(live_limit),
    }.items():
        if given is not None:
            arguments.append(f"{option}={os.fspath(given)}")
    switches = {"--nearest": nearest, "--usage": usage, "--join-keys": join_keys, "--live": live}
    arguments += [name for name, is_set in switches.items() if is_set]
    return Audit.of_manifest(_run(arguments, inputs, progress=progress))


def report(
    manifest: Audit | Mapping[str, Any] | str | os.PathLike[str], output: str | os.PathLike[str]
) -> None:
    """Writes the report of an audit: a page that loads nothing.

    ``manifest`` is what ``audit`` returned, a manifest, or the path of one.
    """
    arguments = ["report", "--output", os.fspath(output)]
    if isinstance(manifest, (str, os.PathLike)):
        _run(arguments, manifest)
        return
    record = manifest.manifest if isinstance(manifest, Audit) else manifest
    _command([*arguments, "--json", "--", "-"], stdin=json.dumps(record).encode())


def _paths(paths: Paths) -> list[str]:
    one_or_many = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    found = [os.fspath(path) for path in one_or_many]
    if "-" in found:
        raise ValueError(
            "standard input belongs to this process; write it to a file and name the file"
        )
    return found


def _run(arguments: list[str], inputs: Paths, *, progress: bool = False) -> dict[str, Any]:
    return _command([*arguments, "--json", "--", *_paths(inputs)], progress=progress)


def _command(
    arguments: list[str], *, stdin: bytes | None = None, progress: bool = False
) -> dict[str, Any]:
    # What this process imports, the other has to find.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "-m", "comity", "audit", *arguments],
        input=b"" if stdin is None else stdin,
        stdout=subprocess.PIPE,
        stderr=None if progress else subprocess.PIPE,
        env=environment,
        check=False,
    )
    said = (done.stderr or b"").decode(errors="replace").strip()
    if done.returncode != 0:
        raise AuditError(said.removeprefix("error: ") or f"the job ended with {done.returncode}")
    for line in said.splitlines():
        if line.startswith("warning: "):
            warnings.warn(line.removeprefix("warning: "), ComityWarning, stacklevel=4)
    record: dict[str, Any] = json.loads(done.stdout)
    return record
