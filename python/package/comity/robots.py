"""robots.txt: what the classes ``Robots``, ``Rules`` and ``Decision`` are made of and hand out."""

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
    """What it is: ``user-agent``, ``allow``, ``disallow``, ``sitemap``, ``crawl-delay``, ... or ``unknown``."""
    key: str
    """The key as written."""
    value: str
    group: int | None
    """The index of its group; None if it belongs to none."""
    is_misspelt: bool = False
    is_missing_colon: bool = False

    def __str__(self) -> str:
        return f"{self.key}: {self.value}"


@dataclass(frozen=True)
class Group:
    """The crawlers that some lines name, and what is said to them."""

    index: int
    agents: tuple[str, ...]
    rules: tuple[Record, ...]
    records: tuple[Record, ...]
    is_for_everyone: bool
    is_dropped: bool
    """Whether the dialect drops it as if it were not there."""


@dataclass(frozen=True)
class VisitTime:
    """A window of the day, in minutes after midnight UTC; one that ends before it begins spans midnight."""

    # <!-- VisitTime -->
    from_minute: int
    """Minutes after midnight UTC at which the window opens."""
    to_minute: int
    """Minutes after midnight UTC at which it closes. Smaller than ``from_minute`` if it spans midnight."""
    # <!-- end of VisitTime -->

    def contains(self, minute: int) -> bool:
        """Whether a time of day is inside."""
        if self.from_minute <= self.to_minute:
            return self.from_minute <= minute <= self.to_minute
        return minute >= self.from_minute or minute <= self.to_minute

    def __str__(self) -> str:
        begin, end = divmod(self.from_minute, 60), divmod(self.to_minute, 60)
        return f"{begin[0]:02}:{begin[1]:02}-{end[0]:02}:{end[1]:02} UTC"


@dataclass(frozen=True)
class RequestRate:
    """So many documents in so many seconds, in a window of the day if there is one."""

    # <!-- RequestRate -->
    documents: int
    """The number of documents, at most 4,294,967,295. If ``seconds`` was reduced to fit, it is reduced in proportion, but not below 1."""
    seconds: int
    """The number of seconds for them, at most 4,294,967,295."""
    window: VisitTime | None = None
    """The hours in which it holds, if not always."""
    # <!-- end of RequestRate -->

    @property
    def interval(self) -> float:
        """The seconds between two documents."""
        return self.seconds / self.documents if self.documents else 0.0


@dataclass(frozen=True)
class Extent:
    """How much of a site is open to a crawler."""

    access: Literal["allowed", "partly", "disallowed"]
    is_open: bool
    """What holds where no exception does."""
    rule: Rule | None
    """The rule that matches every URL, if there is one."""
    exception: Rule | None
    """The first rule that decides some URL otherwise."""
    exceptions: int
