"""Known crawlers: their operators, their purposes, and the behaviour that their operators document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from . import _comity
from ._comity import Agent

__all__ = ["KnownAgent", "Proof", "all", "closest", "known"]


@dataclass(frozen=True)
class Proof:
    """A method to verify that a request is from a crawler, as the crawler's operator documents it."""

    # <!-- Proof -->
    kind: Literal["address_ranges", "reverse_dns", "signature_directory"]
    """The kind of proof."""
    value: str
    """The URL of the address ranges or keys, or the suffix of the host names of the addresses."""
    sourcing: Literal["verified", "mirrored", "listed"]
    """The quality of the proof's source."""
    source: str
    """The URL of the page or list that documents the proof."""
    checked: str
    """The day on which the proof was compared with its source, as ``YYYY-MM-DD``."""
    # <!-- end of Proof -->


@dataclass(frozen=True)
class KnownAgent:
    """A crawler of the catalogue."""

    # <!-- KnownAgent -->
    token: str
    """The product token as its operator writes it."""
    operator: str
    """The operator of the crawler; ``unknown`` if no source names it."""
    purpose: str
    """The purpose for which the crawler fetches pages."""
    robots_txt: Literal["honours", "may_ignore", "ignores", "unknown"]
    """The crawler's treatment of ``Allow`` and ``Disallow``, according to its operator."""
    crawl_delay: Literal["honours", "may_ignore", "ignores", "unknown"]
    """The crawler's treatment of ``Crawl-delay``, according to its operator."""
    fallbacks: tuple[str, ...]
    """The tokens whose groups the crawler follows if no group names it. They are tried in this order, before ``*``."""
    ignores_star: bool
    """True if the crawler does not follow the group of ``*``, but only a group that names it."""
    status: Literal["active", "retired", "unknown"]
    """Whether the crawler is still active."""
    retired_since: str | None
    """The year, month or day of the crawler's retirement, as far as that is known."""
    successors: tuple[str, ...]
    """The tokens of the crawlers that replaced this one."""
    well_known: bool
    """True if the crawler is one of the few dozen that are of interest to every site's owner, or if the user added it."""
    note: str | None
    """A note for owners of sites, in one sentence."""
    proofs: tuple[Proof, ...]
    """The ways to distinguish the crawler from a client that uses its name."""
    sourcing: Literal["verified", "mirrored", "listed"]
    """The quality of the entry's source."""
    source: str | None
    """The URL of the page or list that documents the crawler; None if the name is known only from published robots.txt files, or if the user added the crawler."""
    checked: str
    """The day on which the entry was compared with its source, as ``YYYY-MM-DD``; empty for an added crawler."""
    # <!-- end of KnownAgent -->

    @property
    def agent(self) -> Agent:
        """The crawler as an `Agent` with its fallback tokens."""
        return Agent(self.token, fallbacks=self.fallbacks, ignores_star=self.ignores_star)


def all(*, purpose: str | None = None) -> list[KnownAgent]:
    """Returns every known crawler, sorted by token. With ``purpose``, returns only crawlers with this purpose."""
    known: list[KnownAgent] = _comity.all_agents()
    return [agent for agent in known if purpose is None or agent.purpose == purpose]


def known(token: str) -> KnownAgent | None:
    """Returns the crawler with this product token, or None. The comparison ignores case.

    >>> known("gptbot").operator
    'OpenAI'
    """
    found: KnownAgent | None = _comity.known_agent(token)
    return found


def closest(token: str) -> KnownAgent | None:
    """Returns the known crawler whose token is closest to a misspelt token; None if no token is similar."""
    found: KnownAgent | None = _comity.closest_agent(token)
    return found
