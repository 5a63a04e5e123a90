"""TTL policies for robots.txt files."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Protocol

from . import logger
from .util import parse_date

#: Largest TTL of a header, in seconds: the value for a number that is too large (RFC 9111 §1.2.2).
_LARGEST_TTL = 2**31


class Response(Protocol):
    """A response with header fields, such as a response of `requests`: the input of a TTL policy."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The header fields. Policies look up lower-case names."""


class TTLPolicyBase:
    """Base class of the policies that determine when a response to a request for robots.txt expires."""

    def ttl(self, response: Response) -> float:
        """Returns the TTL in seconds."""
        raise NotImplementedError(f"{type(self).__name__} does not implement ttl.")

    def expires(self, response: Response) -> float:
        """Returns the time at which the response expires, in seconds since 1970."""
        return time.time() + self.ttl(response)


class HeaderWithDefaultPolicy(TTLPolicyBase):
    """Reads the TTL from `Cache-Control`, else from `Expires`, but returns at least `minimum`. Without both: `default`."""

    def __init__(self, default: float, minimum: float) -> None:
        self.default = default
        self.minimum = minimum

    def ttl(self, response: Response) -> float:
        """Returns the TTL in seconds."""
        seconds = self._cache_control(response.headers.get("cache-control"))
        if seconds is None:
            seconds = self._expires(response.headers.get("expires"), response.headers.get("date"))
        return self.default if seconds is None else max(self.minimum, seconds)

    def _cache_control(self, value: str | None) -> float | None:
        """Returns the TTL of the first directive that has one, and ignores the directives after it."""
        for directive in (value or "").lower().split(","):
            name, _, argument = (part.strip() for part in directive.partition("="))
            if name in ("no-store", "must-revalidate", "no-cache"):
                return 0
            if name in ("max-age", "s-maxage"):
                try:
                    return min(int(argument), _LARGEST_TTL)
                except ValueError:
                    logger.warning(
                        "Cache-Control: `%s` has no number of seconds", directive.strip()
                    )
        return None

    def _expires(self, value: str | None, date: str | None) -> float | None:
        """Returns the seconds until `Expires`, counted from the server's `Date`, or from the local time without a `Date`."""
        expires = _parsed("Expires", value)
        if expires is None:
            return None
        now = _parsed("Date", date)
        return min(expires - (time.time() if now is None else now), _LARGEST_TTL)


def _parsed(name: str, value: str | None) -> float | None:
    if value is None:
        return None
    try:
        return parse_date(value)
    except ValueError as error:
        logger.warning("%s: %s", name, error)
        return None
