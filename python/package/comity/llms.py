"""llms.txt: the pages that a site suggests to language models. It is a hint, not a permission or an instruction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ._comity import LlmsTxt, check_strict, markdown_variants

__all__ = [
    "Candidate",
    "Link",
    "LlmsTxt",
    "Passage",
    "Section",
    "check_strict",
    "markdown_variants",
]


@dataclass(frozen=True)
class Passage:
    """A text, and the line on which it begins."""

    # <!-- Passage -->
    text: str
    """The text, without white space at its ends."""
    line: int
    """The line on which it starts, from 1."""
    # <!-- end of Passage -->


@dataclass(frozen=True)
class Link:
    """A link. ``target`` is the target as written, ``url`` the resolved URL."""

    # <!-- Link -->
    name: str
    """The text in its brackets or, for a bare URL, the words before it on its line. It may be empty."""
    target: str
    """The target as the file writes it, without escapes."""
    url: str | None
    """The target as an absolute URL; None if it is invalid, or is relative and the URL of the file is unknown."""
    note: str | None
    """The text after the link that describes it."""
    title: str | None
    """The title in its parentheses."""
    line: int
    """The line, from 1."""
    place: Literal["item", "text", "table", "heading"]
    """The place of the link."""
    form: Literal["inline", "autolink", "bare", "reference"]
    """The form of the link."""
    is_external: bool | None = None
    """True if its origin differs from the file's; None if the file's URL is unknown or the target is not a web address."""
    # <!-- end of Link -->


@dataclass(frozen=True)
class Section:
    """A heading, and the content under it. An optional section may be skipped to keep a context short."""

    # <!-- Section -->
    name: str
    """The text of the heading."""
    level: int
    """The level of the heading: 2 for the proposal's sections, 1 for a further H1, 3 to 6 for deeper headings."""
    line: int
    """The line of the heading, from 1."""
    is_optional: bool
    """True if its links may be skipped when the context must be short."""
    text: Passage | None
    """The text apart from its list of links, as written."""
    links: tuple[Link, ...]
    """Its links, in order."""
    # <!-- end of Section -->


@dataclass(frozen=True)
class Candidate:
    """A URL to try for a page. The robots.txt of ``origin`` decides whether it may be fetched."""

    # <!-- Candidate -->
    url: str
    """The URL that would be fetched."""
    reason: str
    """The reason why it is a candidate."""
    origin: str
    """Its origin, whose robots.txt decides about it: scheme, host, and port unless it is the default."""
    is_external: bool
    """True if that origin differs from the llms.txt's, so that another robots.txt decides."""
    line: int | None = None
    """The line of the llms.txt that lists it, from 1."""
    # <!-- end of Candidate -->
