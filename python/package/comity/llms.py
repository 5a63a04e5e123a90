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
    """The text, without leading and trailing white space."""
    line: int
    """The 1-based line on which the text starts."""
    # <!-- end of Passage -->


@dataclass(frozen=True)
class Link:
    """A link. ``target`` is the target as written, ``url`` the resolved URL."""

    # <!-- Link -->
    name: str
    """The name: the text between the brackets or, for a bare URL, the words before the URL on its line. It may be empty."""
    target: str
    """The target as written in the file, without escapes."""
    url: str | None
    """The target as an absolute URL; None if the target is invalid, or if it is relative and the URL of the file is unknown."""
    note: str | None
    """The note: the text after the link that describes its page."""
    title: str | None
    """The title in the parentheses."""
    line: int
    """The 1-based line."""
    place: Literal["item", "text", "table", "heading"]
    """The place of the link."""
    form: Literal["inline", "autolink", "bare", "reference"]
    """The form of the link."""
    is_external: bool | None = None
    """True if the origin of the target differs from the origin of the file; None if the URL of the file is unknown, or if the target is neither http nor https."""
    # <!-- end of Link -->


@dataclass(frozen=True)
class Section:
    """A heading and the content below it. Programs may skip an optional section to shorten the context of a model."""

    # <!-- Section -->
    name: str
    """The text of the heading."""
    level: int
    """The level of the heading: 2 for the proposal's sections, 1 for a further H1, 3 to 6 for deeper headings."""
    line: int
    """The 1-based line of the heading."""
    is_optional: bool
    """True if the links may be omitted to shorten the context."""
    text: Passage | None
    """The text of the section without list items that consist of a link, as written."""
    links: tuple[Link, ...]
    """The links of the section, in order."""
    # <!-- end of Section -->


@dataclass(frozen=True)
class Candidate:
    """A URL that may have the content of a page, such as its Markdown form. The robots.txt of ``origin`` applies to it."""

    # <!-- Candidate -->
    url: str
    """The URL of the candidate."""
    reason: str
    """The reason why the URL is a candidate."""
    origin: str
    """The origin whose robots.txt decides about the URL: scheme, host, and port unless it is the default."""
    is_external: bool
    """True if the origin differs from the origin of the llms.txt or, if the URL of the llms.txt is unknown, from the origin of the requested page."""
    line: int | None = None
    """The 1-based line of the llms.txt that lists the URL."""
    # <!-- end of Candidate -->
