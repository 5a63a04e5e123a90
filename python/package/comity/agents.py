"""Known crawlers: who runs them, what for, and what they do by their operators' own account."""

from __future__ import annotations

from dataclasses import dataclass

from . import _comity
from ._comity import Agent

__all__ = ["KnownAgent", "Proof", "all", "closest", "known"]


@dataclass(frozen=True)
class Proof:
    """A way to tell a crawler from somebody who uses its name, by its operator's account.

    ``kind`` is ``address_ranges``, ``reverse_dns`` or ``signature_directory``.
    """

    kind: str
    value: str
    sourcing: str
    source: str
    checked: str


@dataclass(frozen=True)
class KnownAgent:
    """A crawler of the catalogue."""

    token: str
    operator: str
    purpose: str
    robots_txt: str
    crawl_delay: str
    fallbacks: tuple[str, ...]
    ignores_star: bool
    status: str
    retired_since: str | None
    successors: tuple[str, ...]
    well_known: bool
    note: str | None
    proofs: tuple[Proof, ...]
    sourcing: str
    source: str | None
    checked: str

    @property
    def agent(self) -> Agent:
        """The crawler as one that asks, with the groups that it falls back to."""
        return Agent(self.token, fallbacks=self.fallbacks, ignores_star=self.ignores_star)


def all(*, purpose: str | None = None) -> list[KnownAgent]:
    """Every known crawler, or those with a purpose, sorted by token."""
    known: list[KnownAgent] = _comity.all_agents()
    return [agent for agent in known if purpose is None or agent.purpose == purpose]


def known(token: str) -> KnownAgent | None:
    """The crawler with this product token, whatever its case.

    >>> known("gptbot").operator
    'OpenAI'
    """
    found: KnownAgent | None = _comity.known_agent(token)
    return found


def closest(token: str) -> KnownAgent | None:
    """The crawler that a misspelt token may mean."""
    found: KnownAgent | None = _comity.closest_agent(token)
    return found
