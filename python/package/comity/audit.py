"""Audits of archives, tables and folders. An audit writes verdicts, a manifest and a report.

This module needs the extra `command` (``pip install "comity[command]"``); without it, its import raises
``MissingExtraError``.

>>> from comity import audit
>>> audit.index(["robotstxt/*.warc.gz"], "robots.parquet")  # doctest: +SKIP
Index(path='robots.parquet', rows=120455, answers=119800, sites=98211)
>>> done = audit.audit("pages.parquet", "robots.parquet", agents=["GPTBot"], output="verdicts.parquet")  # doctest: +SKIP
>>> done.views[0]  # doctest: +SKIP
View(agent='GPTBot', moment='seen', allowed=812, disallowed=96, unknown=92, undecidable=0)
>>> audit.report(done, "audit.html")  # doctest: +SKIP

The functions do the work of the commands ``comity audit index``, ``run`` and ``report``. They recognise inputs by their
content, walk folders, expand patterns, and keep the order of rows. A job runs on its own thread, without the interpreter's
lock; Ctrl-C cancels it, and no output remains. For tables in memory, see ``comity.arrow``; for clusters, ``comity.spark``
and ``comity.ray``, which read the same index.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from . import _comity, _command
from .client import Client
from .errors import AuditError

__all__ = [
    "Audit",
    "Check",
    "Index",
    "Paths",
    "Progress",
    "Verification",
    "View",
    "audit",
    "index",
    "report",
    "verify",
]

_command.require("comity.audit")

#: A path or pattern, or several.
Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


@dataclass(frozen=True)
class Progress:
    """The progress of the current stage of a job."""

    stage: str
    """The name of the stage, such as ``robots.txt answers`` or ``pages``."""
    done: int
    """The number of bytes read, or of sites or rows completed."""
    total: int | None
    """The total of that number, if it is known."""
    rows: int
    """The number of completed rows, in a stage that counts bytes."""


#: A callback for the progress of a job.
Report: TypeAlias = Callable[[Progress], object]


@dataclass(frozen=True)
class Index:
    """A written index of robots.txt answers."""

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
    #: The command's output with ``--json``.
    record: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class View:
    """The results for one crawler at one moment, in rows."""

    # <!-- View -->
    agent: str | None
    """The crawler's product token or User-Agent header; None if each row names its crawler."""
    moment: Literal["seen", "now"]
    """The state of robots.txt that decided: ``seen``, at the time when each page was seen, or ``now``, the latest answer."""
    # <!-- end of View -->
    # <!-- Shares -->
    allowed: int
    """Rows that may be fetched: recommended, or allowed with a warning."""
    disallowed: int
    """Rows that are disallowed by a rule, or by the preset's treatment of an answer."""
    unknown: int
    """Rows with an unknown result."""
    undecidable: int
    """Rows that cannot be decided."""
    # <!-- end of Shares -->
    #: Verdicts, answers, months, sites, rules, usage and examples, in the form of the manifest.
    record: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Audit:
    """The result of an audit."""

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
        """Reads a manifest, such as the one next to every output."""
        summary = manifest["summary"]
        views = tuple(
            View(agent=view["agent"], moment=view["moment"], **view["shares"], record=view)
            for view in summary["views"]
        )
        return cls(summary["rows"], summary["rows_written"], views, manifest)


def index(
    sources: Paths, output: str | os.PathLike[str], *, progress: Report | None = None
) -> Index:
    """Collects robots.txt answers with their history in one Parquet file.

    ``sources`` are WARC files, tables, folders of captures, or patterns of these. ``progress`` is called with a ``Progress``
    at intervals. Parts that cannot be read cause a warning.

    Raises ``AuditError`` if a source cannot be read at all, or contains no answer.
    """
    record = _comity.audit_index(_paths(sources), os.fspath(output), _reporter(progress))
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
    now: str | None = None,
    nearest: bool = False,
    max_age: str | None = None,
    usage: bool = False,
    join_keys: bool = False,
    crawl: str | None = None,
    client: Client | None = None,
    live_limit: int | None = None,
    columns: Iterable[str] = (),
    prefix: str = "",
    rows: Literal["wide", "long"] = "wide",
    only: Literal["allowed", "disallowed", "unknown"] | None = None,
    url_column: str | None = None,
    time_column: str | None = None,
    time_formats: Iterable[str] = (),
    delimiter: str | None = None,
    agent_column: str | None = None,
    input_format: str | None = None,
    memory: int | None = None,
    resume: bool = False,
    progress: Report | None = None,
) -> Audit:
    """Decides the pages of archives and tables for one or more crawlers.

    ``robots`` is an index or any source that ``index`` accepts. With a ``client``, the audit requests the current robots.txt of
    sites without an answer in ``robots``, up to ``live_limit`` of them (1,000). The default of ``as_of`` is ``now``
    with a ``client``, or if no page or no answer has a time; otherwise, it is ``seen``. A row without a readable time is unknown;
    ``time_formats`` are the forms of the times, as for ``strptime``. A row whose answer is older than ``max_age`` (such as
    ``30d``) is unknown. ``now`` (RFC 3339) replaces the time at which the audit begins, to repeat an audit. Without ``agents``,
    ``user_agents`` and ``purposes``, a column of the input names a crawler for each row.

    ``output`` ends in ``.parquet``, ``.csv`` or ``.jsonl``, the last two also with ``.gz`` or ``.zst``. It is written completely
    or not at all, and its manifest is next to it. ``report`` is the path of a self-contained HTML page. ``join_keys`` adds the
    columns by which the indexes of public crawls are joined (``surt_host_name``, ``url_surtkey``, ``crawl``). ``crawl`` is the
    name of the crawl for pages whose path and archive do not name one. ``memory`` is the approximate number of bytes kept in
    memory; the rest is written to files next to the output. With ``resume``, a stopped job continues after the completed inputs.
    ``progress`` is called with a ``Progress`` at intervals.

    Raises ``AuditError``, for example if a file cannot be read, no column has URLs, or an output column exists already.
    """
    request: dict[str, object] = {
        "inputs": _paths(inputs),
        "robots": _paths(robots),
        "agents": _names("agents", agents),
        "user_agents": _names("user_agents", user_agents),
        "purposes": _names("purposes", purposes),
        "columns": _names("columns", columns),
        "output": None if output is None else os.fspath(output),
        "report": None if report is None else os.fspath(report),
        "preset": preset,
        "dialect": dialect,
        "as_of": as_of,
        "now": now,
        "nearest": nearest,
        "max_age": max_age,
        "usage": usage,
        "join_keys": join_keys,
        "crawl": crawl,
        "live": client is not None,
        "live_limit": live_limit,
        "prefix": prefix,
        "rows": rows,
        "only": only,
        "url_column": url_column,
        "time_column": time_column,
        "time_formats": _names("time_formats", time_formats),
        "delimiter": delimiter,
        "agent_column": agent_column,
        "input_format": input_format,
        "memory": memory,
        "resume": resume,
    }
    native = None if client is None else client._native
    return Audit.of_manifest(_comity.audit(request, native, _reporter(progress)))


def report(
    manifest: Audit | Mapping[str, Any] | str | os.PathLike[str], output: str | os.PathLike[str]
) -> None:
    """Writes the report of an audit as a self-contained HTML page.

    ``manifest`` is the result of ``audit``, a manifest, or the path of a manifest.
    """
    if isinstance(manifest, Audit):
        record = manifest.manifest
    elif isinstance(manifest, Mapping):
        record = manifest
    else:
        try:
            record = json.loads(Path(manifest).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            message = f"`{os.fspath(manifest)}` is not the manifest of an audit: {error}"
            raise AuditError(message) from error
    _comity.audit_report(record, os.fspath(output))


@dataclass(frozen=True)
class Check:
    """A comparison of a table, or of a file that was read, with a manifest."""

    item: str
    """The name of a file, or ``rows``, ``counts``, ``program``, ``catalogue``."""
    outcome: Literal["matches", "differs", "missing", "note"]
    """The outcome; a ``note`` does not concern the table."""
    message: str
    """The outcome in words."""


@dataclass(frozen=True)
class Verification:
    """The comparison of a table with its manifest."""

    is_verified: bool
    """True if nothing differs and nothing is missing."""
    checks: tuple[Check, ...]


def verify(
    manifest: str | os.PathLike[str],
    table: str | os.PathLike[str] | None = None,
    *,
    inputs: bool = False,
) -> Verification:
    """Checks a table of verdicts against its manifest.

    The default of ``table`` is the file next to the manifest. With ``inputs``, the files that the manifest names are compared,
    too. Set ``inputs`` only for a manifest that you trust, because its paths are opened.

    Raises ``AuditError`` if the manifest cannot be read.
    """
    record = _comity.audit_verify(
        os.fspath(manifest), None if table is None else os.fspath(table), inputs
    )
    return Verification(record["is_verified"], tuple(Check(**check) for check in record["checks"]))


def _paths(paths: Paths) -> list[str]:
    one_or_many = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    found = [os.fspath(path) for path in one_or_many]
    if "-" in found:
        raise ValueError(
            "`-` (standard input) is not supported here: write the input to a file, and pass its path"
        )
    return found


def _names(argument: str, names: Iterable[str]) -> list[str]:
    if isinstance(names, str):
        raise TypeError(f"{argument} takes several names, not one text: [{names!r}]")
    return list(names)


def _reporter(
    progress: Report | None,
) -> Callable[[str, int, int | None, int], object] | None:
    return None if progress is None else lambda *fields: progress(Progress(*fields))
