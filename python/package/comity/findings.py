"""Findings: what any reader has to say about a place in what it read. Lint, pages, usage, sitemaps and llms.txt share them.

``docs/reference/findings.md`` explains every code, and so does ``comity lint --explain CODE``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Edit", "Finding", "Fix", "Place", "Related"]


@dataclass(frozen=True)
class Place:
    """Where something is; what does not apply is None."""

    channel: Literal[
        "robots_txt", "http_header", "html", "tdmrep_json", "rsl_document", "sitemap", "llms_txt"
    ]
    """The document."""
    part: str | None = None
    """The header field, or the element of a page."""
    number: int | None = None
    """Which of several parts of that name, or which rule of tdmrep.json, from 1."""
    line: int | None = None
    """From 1."""
    column: int | None = None
    """In bytes, from 1."""
    start: int | None = None
    """The bytes that stand before it, and ``end``, those that stand before its end."""
    end: int | None = None

    def __str__(self) -> str:
        names = {"robots_txt": "robots.txt", "http_header": "header", "html": "page"}
        name = names.get(self.channel, self.channel.replace("_", "."))
        return ":".join(str(part) for part in (name, self.line, self.column) if part is not None)


@dataclass(frozen=True)
class Related:
    """Another place that matters to a finding, such as the line that wins."""

    message: str
    place: Place


@dataclass(frozen=True)
class Edit:
    """One edit of a fix: bytes of the document, and what stands in their place afterwards."""

    start: int
    """The bytes that stand before it, and ``end``, those that stand before its end."""
    end: int
    text: str
    """What stands there afterwards; empty where something is taken out."""


@dataclass(frozen=True)
class Fix:
    """Edits that make a finding go away."""

    safe: bool
    """Whether no decision of the default dialect changes."""
    decisions: Literal["kept", "settled", "changed"]
    """What becomes of decisions: those of every dialect stay; those of the default dialect do; they change as the finding
    says."""
    edits: tuple[Edit, ...]
    """In the order of the document; they belong together."""


@dataclass(frozen=True)
class Finding:
    """Something wrong or doubtful about a place in what was read."""

    code: str
    """Unique over all readers, and stable."""
    severity: Literal["error", "warning", "note"]
    place: Place
    message: str
    """What is wrong; what the file says stands in backticks."""
    help: str
    """The way out."""
    related: tuple[Related, ...] = ()
    repeats: int = 0
    """How many findings of the same code it stands for, if it is the last of more than a hundred; 0 otherwise."""
    droppable: bool = False
    """Whether the line can be deleted without changing any decision."""
    fix: Fix | None = None
    """The edits that make it go away, if its way out is mechanical."""
    documentation: str = ""
    """Where the code is explained."""

    def __str__(self) -> str:
        return f"{self.place}: {self.severity}: {self.message} [{self.code}]"
