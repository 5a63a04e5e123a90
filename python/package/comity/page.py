"""Page directives: what a page asks of those who use it. None of them forbids to fetch it."""

from __future__ import annotations

from dataclasses import dataclass

from ._comity import PageDirectives

__all__ = ["Outcome", "PageDirectives", "SetAside", "Source", "Statement", "UseWarning"]


@dataclass(frozen=True)
class Source:
    """Where a statement stands."""

    kind: str
    name: str
    number: int
    offset: int
    line: int | None
    in_body: bool


@dataclass(frozen=True)
class Statement:
    """One directive as a page states it; ``agent`` is whom it names, None if everyone."""

    directive: str
    value: int | str | None
    text: str
    agent: str | None
    source: Source


@dataclass(frozen=True)
class UseWarning:
    """One thing that a crawler is asked not to do, or to limit."""

    warning: str
    value: int | str | None
    causes: tuple[Statement, ...]


@dataclass(frozen=True)
class SetAside:
    """A statement that causes no warning, and why."""

    reason: str
    statement: Statement


@dataclass(frozen=True)
class Outcome:
    """What the directives come to for one crawler under one profile."""

    agent: str
    profile: str
    warnings: tuple[UseWarning, ...]
    set_aside: tuple[SetAside, ...]
