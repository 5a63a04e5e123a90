"""Whole audits: archives, tables and folders in; verdicts, a manifest and a report out.

>>> from comity import audit
>>> audit.index(["robotstxt/*.warc.gz"], "robots.parquet")  # doctest: +SKIP
Index(path='robots.parquet', rows=120455, answers=119800, sites=98211)
>>> done = audit.audit("pages.parquet", "robots.parquet", agents=["GPTBot"], output="verdicts.parquet")  # doctest: +SKIP
>>> done.views[0]  # doctest: +SKIP
View(agent='GPTBot', moment='seen', allowed=812, disallowed=96, unknown=92, undecidable=0)
>>> audit.report(done, "audit.html")  # doctest: +SKIP

The functions do what the commands ``comity audit index``, ``run`` and ``report`` do: inputs are recognised by their content,
folders are walked, patterns expanded, and rows keep their order. A job runs on a thread of its own, without the interpreter's
lock; Ctrl-C ends it, and leaves no output. For tables that are in memory already, see ``comity.arrow``; for clusters,
``comity.spark`` and ``comity.ray``, which read the same index.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from . import _comity
from .client import Client
from .errors import AuditError

__all__ = ["Audit", "Index", "Paths", "Progress", "View", "audit", "index", "report"]

#: A path or pattern, or several.
Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


@dataclass(frozen=True)
class Progress:
    """The progress of the stage that a job is in."""

    stage: str
    """The things that are counted: ``robots.txt answers``, ``pages``, ``sites asked``, …."""
    done: int
    """The number of bytes that are read, or of sites or rows that are done."""
    total: int | None
    """Their total, if it is known."""
    rows: int
    """The number of rows that are done, of a stage in bytes."""


#: A function that is told the progress of a job.
Report: TypeAlias = Callable[[Progress], object]


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
    """The crawler's product token; None if each row names its crawler."""
    moment: Literal["seen", "now"]
    """The moment: ``seen``, when each page was seen, or ``now``, by the latest answer."""
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


def index(
    sources: Paths, output: str | os.PathLike[str], *, progress: Report | None = None
) -> Index:
    """Gathers robots.txt answers with their history into one Parquet file.

    ``sources`` are WARC files, tables, folders of captures, or patterns of these. ``progress`` is called with a ``Progress``
    now and then. What could not be read is a warning.

    Raises ``AuditError`` if a source cannot be read at all, or holds no answer.
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
    nearest: bool = False,
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
    agent_column: str | None = None,
    input_format: str | None = None,
    memory: int | None = None,
    resume: bool = False,
    progress: Report | None = None,
) -> Audit:
    """Decides the pages of archives and tables for one or many crawlers, in one pass.

    ``robots`` is an index or any source that ``index`` takes. With a ``client``, it asks the sites that ``robots`` has no answer
    of for their robots.txt today, up to ``live_limit`` of them (1,000), and ``as_of`` is ``now`` instead of ``seen`` unless it is
    given. Without ``agents``, ``user_agents`` and ``purposes`` a column of the input names a crawler for each row. ``output`` ends in
    ``.parquet``, ``.csv`` or ``.jsonl``, the last two also with ``.gz`` or ``.zst``; it is whole or not there, and its manifest stands
    beside it. ``report`` is a page that loads nothing. ``join_keys`` adds the columns by which the indexes of public crawls are
    joined (``surt_host_name``, ``url_surtkey``, ``crawl``); ``crawl`` names the crawl of all pages where paths and archives do not.
    ``memory`` is about how many bytes are kept in memory; the rest goes to files beside the output. With ``resume`` a job that was
    stopped goes on after the inputs that are done. ``progress`` is called with a ``Progress`` now and then.

    Raises ``AuditError`` for a file that cannot be read, no column with URLs, a name that is taken, and the like.
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
        "nearest": nearest,
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
    """Writes the report of an audit: a page that loads nothing.

    ``manifest`` is what ``audit`` returned, a manifest, or the path of one.
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


def _paths(paths: Paths) -> list[str]:
    one_or_many = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    found = [os.fspath(path) for path in one_or_many]
    if "-" in found:
        raise ValueError(
            "standard input belongs to this process; write it to a file and name the file"
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
