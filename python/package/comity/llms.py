"""llms.txt: what a site suggests that language models read. A hint; it permits nothing, and is never an instruction."""

from __future__ import annotations

from dataclasses import dataclass

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
    """Some text, and the line on which it begins."""

    text: str
    line: int


@dataclass(frozen=True)
class Link:
    """A link. ``target`` is as written, ``url`` what it resolves to."""

    name: str
    target: str
    line: int
    place: str
    form: str
    url: str | None = None
    note: str | None = None
    title: str | None = None
    is_external: bool | None = None
    """Whether it leads to another origin; None if the file's own is unknown."""


@dataclass(frozen=True)
class Section:
    """A heading, and what stands under it. What is optional may be left out where room is short."""

    name: str
    level: int
    line: int
    is_optional: bool = False
    text: Passage | None = None
    links: tuple[Link, ...] = ()


@dataclass(frozen=True)
class Candidate:
    """A URL to try for a page. ``origin`` is the one whose robots.txt decides about it."""

    url: str
    reason: str
    origin: str
    is_external: bool
    line: int | None = None
