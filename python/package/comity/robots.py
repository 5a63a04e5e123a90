"""Types of the values that ``Robots``, ``Rules`` and ``Decision`` return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ._comity import Robots, Rules, dialects, is_allowed
from .decisions import ChosenGroup, Contender, Explanation, Rule

__all__ = [
    "ChosenGroup",
    "Contender",
    "Explanation",
    "Extent",
    "Group",
    "Record",
    "RequestRate",
    "Robots",
    "Rule",
    "Rules",
    "VisitTime",
    "dialects",
    "is_allowed",
]


@dataclass(frozen=True)
class Record:
    """A line with a key and a value."""

    line: int
    kind: str
    """The kind of record: ``user-agent``, ``allow``, ``disallow``, ``sitemap``, ``crawl-delay``, ... or ``unknown``."""
    key: str
    """The key as written."""
    value: str
    group: int | None
    """The index of the record's group; None if it is in no group."""
    is_misspelt: bool = False
    is_missing_colon: bool = False

    def __str__(self) -> str:
        return f"{self.key}: {self.value}"


@dataclass(frozen=True)
class Group:
    """A group: the crawlers that its user-agent lines name, and the records that apply to them."""

    index: int
    agents: tuple[str, ...]
    rules: tuple[Record, ...]
    records: tuple[Record, ...]
    is_for_everyone: bool
    is_dropped: bool
    """True if the dialect ignores the group."""


@dataclass(frozen=True)
class VisitTime:
    """A window of the day, in minutes after midnight UTC. A window that ends before it begins spans midnight."""

    # <!-- VisitTime -->
    from_minute: int
    """Minutes after midnight UTC at which the window opens."""
    to_minute: int
    """Minutes after midnight UTC at which the window closes. Smaller than ``from_minute`` if the window spans midnight."""
    # <!-- end of VisitTime -->

    def contains(self, minute: int) -> bool:
        """Returns True if a minute of the day (UTC) is inside the window."""
        if self.from_minute <= self.to_minute:
            return self.from_minute <= minute <= self.to_minute
        return minute >= self.from_minute or minute <= self.to_minute

    def __str__(self) -> str:
        begin, end = divmod(self.from_minute, 60), divmod(self.to_minute, 60)
        return f"{begin[0]:02}:{begin[1]:02}-{end[0]:02}:{end[1]:02} UTC"


@dataclass(frozen=True)
class RequestRate:
    """A maximum number of documents in a number of seconds, optionally limited to a window of the day."""

    # <!-- RequestRate -->
    documents: int
    """The number of documents, at most 4,294,967,295. If ``seconds`` is reduced to fit its type, this number is reduced in proportion, but not below 1."""
    seconds: int
    """The number of seconds in which the documents may be fetched, at most 4,294,967,295."""
    window: VisitTime | None = None
    """The hours in which the rate applies; None if it always applies."""
    # <!-- end of RequestRate -->

    @property
    def interval(self) -> float:
        """The seconds between two documents."""
        return self.seconds / self.documents if self.documents else 0.0


@dataclass(frozen=True)
class Extent:
    """The part of a site that is open to a crawler."""

    access: Literal["allowed", "partly", "disallowed"]
    is_open: bool
    """True if a URL that no exception matches may be fetched."""
    rule: Rule | None
    """The rule that matches every URL, if one exists."""
    exception: Rule | None
    """The first rule, in order of precedence, that decides some URL differently; None unless ``access`` is ``partly``."""
    exceptions: int
