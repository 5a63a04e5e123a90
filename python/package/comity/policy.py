"""From HTTP answers to decisions: ``Policy``, and what its decisions rest on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ._comity import Policy, presets

__all__ = ["Evidence", "Outage", "Policy", "presets"]


@dataclass(frozen=True)
class Evidence:
    """The answer that a decision rests on."""

    answer: str
    """Its kind: ``success``, ``not_found``, ``server_error``, ``timeout``, ..."""
    availability: str
    status: int | None
    failure: str | None
    fetched_at: datetime | None
    fresh_until: datetime | None
    stale_until: datetime | None
    body_bytes: int
    redirects: tuple[str, ...] = ()
    digest: str | None = None


@dataclass(frozen=True)
class Outage:
    """A time in which robots.txt cannot be reached."""

    since: datetime
    answer: str
    status: int | None
    failure: str | None
    retry_at: datetime | None
    has_copy: bool
