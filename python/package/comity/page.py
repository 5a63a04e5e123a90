"""Page directives: restrictions that a page requests from users of its content. No directive forbids fetching the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ._comity import PageDirectives

__all__ = ["Outcome", "PageDirectives", "SetAside", "Source", "Statement", "UseWarning"]


@dataclass(frozen=True)
class Source:
    """The place of a statement."""

    # <!-- Source -->
    kind: Literal["x_robots_tag", "robots_tag", "meta", "data_no_snippet"]
    """The kind of source."""
    name: str
    """The name of the field, the ``name`` of the ``meta``, or the element that carries ``data-nosnippet``."""
    number: int
    """The 1-based number of the source among the sources of its kind, in the order received."""
    offset: int
    """The byte offset of the statement in the value of its header field, or the byte offset of its element's ``<`` in the page; if the page is not in UTF-8, in its text in UTF-8."""
    line: int | None
    """The line of the element in the page; None in a header."""
    in_body: bool
    """True if the element is in the body of the page."""
    # <!-- end of Source -->


@dataclass(frozen=True)
class Statement:
    """One directive of a page. ``agent`` is the crawler that the directive names; None if it addresses all crawlers."""

    # <!-- Statement -->
    directive: str
    """The name of the directive; ``unknown`` for text that is not a known directive."""
    value: int | str | None
    """The value of a directive that takes one; None if it cannot be read. For a limit, -1 means no limit."""
    text: str
    """The directive as the page writes it, with its value."""
    agent: str | None
    """The name of the addressed crawler, in lower case; None if the directive addresses all crawlers."""
    source: Source
    """The source of the statement."""
    # <!-- end of Statement -->


@dataclass(frozen=True)
class UseWarning:
    """A restriction that a page requests from a crawler."""

    # <!-- UseWarning -->
    warning: str
    """The requested restriction."""
    value: int | str | None
    """The limit of a restriction that has one: characters, seconds, a size, a time."""
    causes: tuple[Statement, ...]
    """The statements that request the restriction; at least one, in the order of the page."""
    # <!-- end of UseWarning -->


@dataclass(frozen=True)
class SetAside:
    """A statement that causes no warning, and the reason."""

    # <!-- SetAside -->
    reason: str
    """The reason."""
    statement: Statement
    """The statement."""
    # <!-- end of SetAside -->


@dataclass(frozen=True)
class Outcome:
    """The effect of the directives on one crawler under one profile."""

    # <!-- Outcome -->
    agent: str
    """The crawler's product token, in lower case."""
    profile: Literal["google", "bing", "yandex", "draft"]
    """The profile that defines the outcome."""
    warnings: tuple[UseWarning, ...]
    """The restrictions that the page requests from the crawler. None of them forbids fetching the page."""
    set_aside: tuple[SetAside, ...]
    """The statements that cause no warning, with the reason, in the order of the page."""
    # <!-- end of Outcome -->
