"""Types of the fields of decisions. ``docs/reference/decisions.md`` documents every field, including those of ``Decision``.

A test of `comity-cli` generates the fields between the markers. Its error message shows how to update them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ._comity import Decision

__all__ = ["ChosenGroup", "Contender", "Evidence", "Explanation", "Outage", "Rule"]


@dataclass(frozen=True)
class Rule:
    """An ``Allow`` or ``Disallow`` line."""

    # <!-- Rule -->
    kind: Literal["allow", "disallow"]
    """``allow`` or ``disallow``, as written."""
    pattern: str
    """The path pattern as written in the file. If it is not UTF-8, it is decoded as ISO-8859-1. Invisible characters are replaced."""
    line: int
    """The line of the rule, from 1."""
    allows: bool
    """True if the rule allows what it matches. It differs from the kind if the dialect interprets an empty ``Disallow`` as an ``Allow``, or an empty ``Allow`` as a ``Disallow``."""
    # <!-- end of Rule -->

    def __str__(self) -> str:
        return f"{self.kind.capitalize()}: {self.pattern}"


@dataclass(frozen=True)
class Evidence:
    """The HTTP answer on which a decision is based."""

    # <!-- Evidence -->
    answer: str
    """The kind of answer."""
    availability: Literal["available", "unavailable", "unreachable"]
    """The availability of robots.txt, as the preset classifies it."""
    treatment: str
    """The preset's treatment of this kind of answer."""
    status: int | None
    """The status code, if there was an answer."""
    failure: str | None
    """The reason why there was no answer."""
    fetched_at: datetime
    """The time when the answer was received, or last revalidated."""
    fresh_until: datetime | None
    """The time until which the answer is fresh; None if it is fresh as long as the program runs."""
    stale_until: datetime | None
    """The time until which the answer may be used as the last good copy; None if any age is accepted."""
    body_bytes: int
    """The size of the body in bytes."""
    redirects: tuple[str, ...]
    """The URLs of the redirects, in order."""
    digest: str | None = None
    """The digest of the body, if the caller provided one."""
    challenge: str | None = None
    """The evidence that the answer is a browser challenge: a header field as it was sent, or ``a page of SERVICE``. Null if the answer is not a challenge."""
    error: str | None = None
    """The error of the request in a sentence, if there was no answer."""
    certificate: str | None = None
    """The reason why the server's certificate was rejected, if the request failed for this reason."""
    # <!-- end of Evidence -->


@dataclass(frozen=True)
class Outage:
    """A period during which robots.txt is unreachable."""

    # <!-- Outage -->
    since: datetime
    """The time of the outage's first failure."""
    answer: str
    """The kind of the last failure."""
    status: int | None
    """The status code of that failure, if there was one."""
    failure: str | None
    """The reason why there was no answer."""
    retry_at: datetime | None
    """The time of the next fetch of robots.txt; None if it is not fetched again while the program runs."""
    has_copy: bool
    """True if there is a last good copy, however old."""
    # <!-- end of Outage -->


@dataclass(frozen=True)
class ChosenGroup:
    """A group that applies to the crawler."""

    # <!-- ChosenGroup -->
    index: int
    """The group's index among those of the file, from 0."""
    line: int
    """The line on which the group begins, from 1."""
    agents: tuple[str, ...]
    """The names on its user-agent lines, as written."""
    named_on: tuple[int, ...]
    """The user-agent lines by which the group was chosen. In dialects other than ``rfc9309``, ``google``, ``yandex`` and ``robots-parser``, these are all user-agent lines of the group."""
    # <!-- end of ChosenGroup -->


@dataclass(frozen=True)
class Contender:
    """A rule that matched, and its outcome."""

    # <!-- Contender -->
    rule: Rule
    """The rule."""
    outcome: str
    """The outcome: whether the rule decided, or the reason why it lost."""
    reason: str
    """The outcome in a few words."""
    length: int
    """The length that determines precedence: that of the pattern, in bytes or in some dialects in characters; in ``urllib-2026`` that of the match."""
    # <!-- end of Contender -->


@dataclass(frozen=True, repr=False)
class Explanation:
    """A decision with the groups and rules that led to it. ``str`` formats an explanation for people."""

    url: str
    """The URL that was decided."""
    decision: Decision
    # <!-- Explanation -->
    groups: tuple[ChosenGroup, ...]
    """The groups that apply to the crawler, in the order in which their rules are considered."""
    contenders: tuple[Contender, ...]
    """Every rule that matched, in order of precedence. The first one decided, unless ``/robots.txt`` is always allowed."""
    # <!-- end of Explanation -->

    def __repr__(self) -> str:
        count = len(self.contenders)
        rules = "rule" if count == 1 else "rules"
        return f"<Explanation of {self.url}: {self.decision.verdict}, {count} matching {rules}>"

    def __str__(self) -> str:
        lines = [f"{self.url}: {self.decision.verdict} (group {self.decision.group or 'none'})"]
        lines += [f"  line {c.rule.line}: {c.rule}  -- {c.reason}" for c in self.contenders]
        return "\n".join(lines)
