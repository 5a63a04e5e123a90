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
    "Citation",
    "LicenseLink",
    "NotInForce",
    "Preference",
    "Report",
    "SignalReport",
    "SignalStance",
    "Stance",
    "UseSummary",
    "report",
]

Stance = Literal["allow", "disallow", "unknown"]


@dataclass(frozen=True)
class Citation:
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
    stance: Stance
    evidence: tuple[Citation, ...]
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True)
class LicenseLink:
    """Where an RSL license is."""

    url: str
    evidence: Citation


@dataclass(frozen=True)
class NotInForce:
    """A place where a signal is known not to be in force."""

    at: str
    says: str
    source: str
    checked: str


@dataclass(frozen=True)
class SignalReport:
    """What one signal says."""

    signal: str
    specification: str
    preferences: tuple[Preference, ...]
    vocabulary: str | None = None
    interpretation: str | None = None
    disallowed_by: Citation | None = None
    consumption: str | None = None
    licenses: tuple[LicenseLink, ...] = ()
    site_default: tuple[Preference, ...] | None = None
    site_default_licenses: tuple[LicenseLink, ...] = ()
    not_in_force: tuple[NotInForce, ...] = ()

    def stance(self, use: str) -> Stance:
        """What it says of a use."""
        return next((p.stance for p in self.preferences if p.use == use), "unknown")

    def stance_in_search(self, use: str) -> Stance:
        """What it says of a use inside a search application: by AIPREF's vocabulary 08, what it says of search."""
        return self.stance("search" if self.vocabulary == "vocab_08" else use)


@dataclass(frozen=True)
class SignalStance:
    """One signal's stance on one use."""

    signal: str
    stance: Stance
    interpretation: str | None = None


@dataclass(frozen=True)
class UseSummary:
    """What every signal says of one use."""

    use: str
    stances: tuple[SignalStance, ...]


@dataclass(frozen=True)
class Report:
    """Every signal's answers for one URL and crawler."""

    url: str
    agent: str
    group: str | None
    summary: tuple[UseSummary, ...]
    signals: tuple[SignalReport, ...]
    findings: tuple[Finding, ...] = field(default=())

    def stances(self, use: str) -> dict[str, Stance]:
        """The stances on a use that are not unknown, by signal (and interpretation, where a signal has several).

        Raises ``UnknownNameError`` for a name that no use has.
        """
        summary = next((s for s in self.summary if s.use == use), None)
        if summary is None:
            known = ", ".join(s.use for s in self.summary)
            raise UnknownNameError(f"unknown use `{use}`; known are {known}")
        return {
            a.signal if a.interpretation is None else f"{a.signal} ({a.interpretation})": a.stance
            for a in summary.stances
            if a.stance != "unknown"
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
    vocabulary: Literal["vocab_07", "vocab_08"] = "vocab_08",
) -> Report:
    """What every signal says of the use of a URL by a crawler.

    Pass what there is: robots.txt, the page's header fields and HTML, the site's ``tdmrep.json``, RSL documents.
    ``user`` and ``place`` (an ISO 3166 code) are for RSL licenses that depend on who asks and from where.

    >>> says = report("https://example.com/", "examplebot",
    ...               robots="User-agent: *\\nContent-Signal: search=yes, ai-train=no\\n")
    >>> sorted(set(says.stances("train").values()))
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
        vocabulary=vocabulary,
    )
    return made
