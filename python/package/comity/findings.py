"""Findings: problems at places in documents. The readers of all kinds of documents share these types.

``docs/reference/findings/README.md`` explains every code. ``comity lint --explain CODE`` prints the same explanation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Edit", "Finding", "Fix", "Place", "Related"]


@dataclass(frozen=True)
class Place:
    """A place in a document. Fields that do not apply are None."""

    # <!-- Place -->
    channel: Literal[
        "robots_txt", "http_header", "html", "tdmrep_json", "rsl_document", "sitemap", "llms_txt"
    ]
    """The document."""
    part: str | None = None
    """The header field, or the element of a page: ``X-Robots-Tag``, ``meta``."""
    number: int | None = None
    """The number of the part among the parts of its kind, or the number of the rule in ``tdmrep.json``, from 1."""
    line: int | None = None
    """The line, from 1. Lines of a sitemap end at LF, lines of robots.txt, llms.txt and HTML at CR, LF or CRLF."""
    column: int | None = None
    """The column in the line, in bytes, from 1."""
    start: int | None = None
    """The offset of the first byte, from the start of the document as served. In a sitemap, it counts from the start of the uncompressed UTF-8 text; in a page that is not in UTF-8, from the start of its text in UTF-8; in a header, from the start of the field value."""
    end: int | None = None
    """The offset of the byte after the last one. It is equal to ``start`` for a place between two bytes."""
    # <!-- end of Place -->

    def __str__(self) -> str:
        names = {"robots_txt": "robots.txt", "http_header": "header", "html": "page"}
        name = names.get(self.channel, self.channel.replace("_", "."))
        return ":".join(str(part) for part in (name, self.line, self.column) if part is not None)


@dataclass(frozen=True)
class Related:
    """Another place that is relevant to a finding, such as the line that takes precedence."""

    # <!-- Related -->
    message: str
    """The relation of the place to the finding."""
    place: Place
    """The place."""
    # <!-- end of Related -->


@dataclass(frozen=True)
class Edit:
    """One edit of a fix: a range of bytes in the document, and the text that replaces it."""

    # <!-- Edit -->
    start: int
    """The first byte that is replaced."""
    end: int
    """The byte after the last one that is replaced; equal to ``start`` for an insertion."""
    text: str
    """The replacement text; empty for a deletion."""
    # <!-- end of Edit -->


@dataclass(frozen=True)
class Fix:
    """A set of edits that remove a finding."""

    # <!-- Fix -->
    safe: bool
    """True if the meaning of the file does not change: no decision of the default dialect changes."""
    decisions: Literal["kept", "settled", "changed"]
    """The effect on decisions: they are unchanged in every dialect, they are unchanged in the default dialect, or they change."""
    edits: tuple[Edit, ...]
    """The edits in the order of the document. They do not overlap, and must be applied together."""
    # <!-- end of Fix -->


@dataclass(frozen=True)
class Finding:
    """A problem, or a doubtful statement, at a place in a document."""

    # <!-- Finding -->
    code: str
    """The stable name of the kind, unique among all readers."""
    severity: Literal["note", "warning", "error"]
    """The severity at this place."""
    place: Place
    """The place."""
    message: str
    """The problem: lower case, no full stop, text of the file in backticks."""
    help: str
    """The advice on how to resolve it."""
    related: tuple[Related, ...]
    """Other relevant places, such as the line that takes precedence."""
    repeats: int
    """The number of findings that this one replaces. It is 0, except for the additional finding of a kind that was found more than 100 times."""
    droppable: bool
    """True if the line can be deleted without changing any decision of the default dialect."""
    fix: Fix | None
    """The edits that resolve the finding, if the solution is mechanical."""
    documentation: str
    """The page that documents the kind."""
    # <!-- end of Finding -->

    def __str__(self) -> str:
        return f"{self.place}: {self.severity}: {self.message} [{self.code}]"
