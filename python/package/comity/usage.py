"""Usage preferences: the permitted uses of content, according to each signal of a site. Signals are never merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
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
    """The place of a statement in a document."""

    # <!-- Citation -->
    channel: Literal[
        "robots_txt", "http_header", "html", "tdmrep_json", "rsl_document", "sitemap", "llms_txt"
    ]
    """The kind of document."""
    text: str
    """The cited text, with control characters replaced, cut after 300 characters."""
    index: int | None = None
    """The 0-based index of the rule in ``tdmrep.json``, or of the header field among the fields with that name."""
    line: int | None = None
    """The 1-based line."""
    # <!-- end of Citation -->


@dataclass(frozen=True)
class Preference:
    """The stance of a signal on one use."""

    # <!-- Preference -->
    use: Literal["train", "search", "ai_input", "ai_index", "text_and_data_mining"]
    """The use."""
    term: str
    """The signal's own term for the use."""
    stance: Literal["allow", "disallow", "unknown"]
    """The stance of the signal."""
    evidence: tuple[Citation, ...]
    """Citations of the statements; empty if the site states nothing."""
    conditions: tuple[str, ...] = ()
    """The conditions of the stance, or the conditions that would reverse it: a payment, a license server, the address of a license."""
    # <!-- end of Preference -->


@dataclass(frozen=True)
class LicenseLink:
    """The URL of an RSL license, and the place that links to it."""

    # <!-- LicenseLink -->
    url: str
    """The URL of the license document, as written."""
    evidence: Citation
    """The citation of the link."""
    # <!-- end of LicenseLink -->


@dataclass(frozen=True)
class NotInForce:
    """Operators that are known to ignore a signal."""

    # <!-- NotInForce -->
    at: str
    """The operators whose programs ignore the signal."""
    statement: str
    """The reason for the claim, in a sentence."""
    source: str
    """The source of the claim."""
    checked: str
    """The day on which the source was read, as ``YYYY-MM-DD``."""
    # <!-- end of NotInForce -->


@dataclass(frozen=True)
class SignalReport:
    """The statements of one signal."""

    # <!-- SignalReport -->
    signal: Literal[
        "content_usage", "content_signal", "rsl", "tdmrep", "control_token", "page_directives"
    ]
    """The signal."""
    specification: str
    """The specification according to which the signal was read, with its revision."""
    preferences: tuple[Preference, ...]
    """One preference for each use that the signal has a term for."""
    consumption: Literal["immediate", "reference", "full"] | None = None
    """``use=`` of ``Content-Signal``."""
    disallowed_by: Citation | None = None
    """The rule that disallows fetching the URL. Because of this rule, ``Content-Usage`` in robots.txt does not count for the URL."""
    interpretation: Literal["group", "whole_file", "header"] | None = None
    """The set of lines that were counted, if the specification permits several sets."""
    licenses: tuple[LicenseLink, ...] = ()
    """The RSL licenses for the URL."""
    not_in_force: tuple[NotInForce, ...] = ()
    """The operators that are known to ignore the signal."""
    site_default: tuple[Preference, ...] = ()
    """The preferences for crawlers that no group names, if the crawler has its own group and ``*`` has a group, too."""
    site_default_licenses: tuple[LicenseLink, ...] = ()
    """The RSL licenses for crawlers that no group names, if they differ from those for the crawler."""
    vocabulary: Literal["vocab_07", "vocab_08"] | None = None
    """The revision of the vocabulary according to which ``Content-Usage`` was read."""
    # <!-- end of SignalReport -->

    def stance(self, use: str) -> Stance:
        """Returns the stance on a use."""
        return next((p.stance for p in self.preferences if p.use == use), "unknown")

    def stance_in_search(self, use: str) -> Stance:
        """Returns the stance on a use within a search application. In AIPREF's vocabulary 08, it is the stance on search."""
        return self.stance("search" if self.vocabulary == "vocab_08" else use)


@dataclass(frozen=True)
class SignalStance:
    """One signal's stance on one use."""

    # <!-- SignalStance -->
    signal: Literal[
        "content_usage", "content_signal", "rsl", "tdmrep", "control_token", "page_directives"
    ]
    """The signal."""
    stance: Literal["allow", "disallow", "unknown"]
    """The stance."""
    interpretation: Literal["group", "whole_file", "header"] | None = None
    """The set of lines that were counted, if the specification permits several sets."""
    # <!-- end of SignalStance -->


@dataclass(frozen=True)
class UseSummary:
    """The stances of all signals on one use."""

    # <!-- UseSummary -->
    use: Literal["train", "search", "ai_input", "ai_index", "text_and_data_mining"]
    """The use."""
    stances: tuple[SignalStance, ...]
    """The stances of the signals that have a term for the use."""
    # <!-- end of UseSummary -->


@dataclass(frozen=True)
class Report:
    """The stances of every signal for one URL and crawler."""

    # <!-- Report -->
    url: str
    """The URL, as given."""
    agent: str
    """The crawler's product token or User-Agent header, as given."""
    group: str | None
    """The name by which the crawler's group was chosen, such as its own, a fallback's, or ``*``; None if no group applies to the crawler."""
    summary: tuple[UseSummary, ...]
    """The stances of all signals on each use. They are not combined, since no specification defines how."""
    signals: tuple[SignalReport, ...]
    """One report for each signal, or for each of its interpretations."""
    findings: tuple[Finding, ...]
    """The findings in the sources."""
    # <!-- end of Report -->

    def stances(self, use: str) -> dict[str, Stance]:
        """Returns the known stances on a use, by signal. If a signal has several interpretations, the keys name them too.

        Raises ``UnknownNameError`` for an unknown name of a use.
        """
        summary = next((s for s in self.summary if s.use == use), None)
        if summary is None:
            known = ", ".join(s.use for s in self.summary)
            raise UnknownNameError(f"unknown use `{use}`; must be one of: {known}")
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
    """Returns the stances of all signals on the use of a URL by a crawler.

    Pass all available sources: robots.txt, the page's header fields and HTML, the site's ``tdmrep.json``, RSL documents.
    Some RSL licenses apply only to some users. ``user`` is a class of users, such as ``commercial``, and ``place`` the country
    of the user as an ISO 3166 code.

    >>> found = report("https://example.com/", "examplebot",
    ...                robots="User-agent: *\\nContent-Signal: search=yes, ai-train=no\\n")
    >>> sorted(set(found.stances("train").values()))
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
