"""Usage preferences: what content may be used for, signal by signal. Signals are never merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ._comity import Agent, Robots, usage_report
from ._urls import UrlLike
from .errors import UnknownNameError
from .findings import Finding

__all__ = [
    "Answer",
    "Evidence",
    "Licence",
    "Preference",
    "Report",
    "SignalAnswer",
    "SignalReport",
    "UseSummary",
    "report",
]

Answer = Literal["allow", "disallow", "unknown"]


@dataclass(frozen=True)
class Evidence:
    """The place that says something."""

    channel: str
    text: str
    line: int | None = None
    index: int | None = None


@dataclass(frozen=True)
class Preference:
    """What a signal says of one use."""

    use: str
    term: str
    answer: Answer
    evidence: tuple[Evidence, ...]
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Licence:
    """Where an RSL licence is."""

    url: str
    evidence: Evidence


@dataclass(frozen=True)
class SignalReport:
    """What one signal says."""

    signal: str
    specification: str
    preferences: tuple[Preference, ...]
    reading: str | None = None
    disallowed_by: Evidence | None = None
    consumption: str | None = None
    licences: tuple[Licence, ...] = ()
    site_default: tuple[Preference, ...] | None = None
    site_default_licences: tuple[Licence, ...] = ()

    def answer(self, use: str) -> Answer:
        """What it says of a use."""
        return next((p.answer for p in self.preferences if p.use == use), "unknown")


@dataclass(frozen=True)
class SignalAnswer:
    """One signal's answer about one use."""

    signal: str
    answer: Answer
    reading: str | None = None


@dataclass(frozen=True)
class UseSummary:
    """What every signal says of one use."""

    use: str
    answers: tuple[SignalAnswer, ...]


@dataclass(frozen=True)
class Report:
    """Every signal's answers for one URL and crawler."""

    url: str
    agent: str
    group: str | None
    summary: tuple[UseSummary, ...]
    signals: tuple[SignalReport, ...]
    findings: tuple[Finding, ...] = field(default=())

    def answers(self, use: str) -> dict[str, Answer]:
        """The answers about a use that are not unknown, by signal (and reading, where a signal has several).

        Raises ``UnknownNameError`` for a name that no use has.
        """
        summary = next((s for s in self.summary if s.use == use), None)
        if summary is None:
            known = ", ".join(s.use for s in self.summary)
            raise UnknownNameError(f"unknown use `{use}`; known are {known}")
        return {
            a.signal if a.reading is None else f"{a.signal} ({a.reading})": a.answer
            for a in summary.answers
            if a.answer != "unknown"
        }


def report(
    url: UrlLike,
    agent: str | Agent,
    *,
    robots: Robots | bytes | str | None = None,
    headers: Mapping[str, str | bytes | Iterable[str | bytes]]
    | Iterable[tuple[str, str | bytes]]
    | str
    | bytes
    | None = None,
    html: bytes | str | None = None,
    tdmrep: bytes | str | None = None,
    rsl: Iterable[bytes | str] = (),
    user: str | None = None,
    place: str | None = None,
) -> Report:
    """What every signal says of the use of a URL by a crawler.

    Pass what there is: robots.txt, the page's header fields and HTML, the site's ``tdmrep.json``, RSL documents.
    ``user`` and ``place`` (an ISO 3166 code) are for RSL licences that depend on who asks and from where.

    >>> says = report("https://example.com/", "examplebot",
    ...               robots="User-agent: *\\nContent-Signal: search=yes, ai-train=no\\n")
    >>> sorted(set(says.answers("train").values()))
    ['disallow']
    """
    if robots is not None and not isinstance(robots, Robots):
        robots = Robots.parse(robots)
    made: Report = usage_report(
        url,
        agent,
        robots=robots,
        headers=headers,
        html=html,
        tdmrep=tdmrep,
        rsl=list(rsl),
        user=user,
        place=place,
    )
    return made
