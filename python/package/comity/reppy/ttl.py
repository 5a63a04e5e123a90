"""How long a fetched file counts."""

from __future__ import annotations

import time
from typing import Any

from . import logger
from .util import parse_date

__all__ = ["HeaderWithDefaultPolicy", "TTLPolicyBase"]


class TTLPolicyBase:
    """A policy: a subclass has `ttl`."""

    def ttl(self, response: Any) -> float:
        """For how many seconds an answer counts."""
        raise NotImplementedError(f"{type(self).__name__} does not implement ttl")

    def expires(self, response: Any) -> float:
        """Until when an answer counts, in seconds since 1970."""
        return time.time() + self.ttl(response)


class HeaderWithDefaultPolicy(TTLPolicyBase):
    """What Cache-Control says, or else Expires, but no less than `minimum`; `default` if they say nothing."""

    def __init__(self, default: float, minimum: float) -> None:
        self.default = default
        self.minimum = minimum

    def ttl(self, response: Any) -> float:
        """For how many seconds an answer counts."""
        for directive in (response.headers.get("cache-control") or "").split(","):
            name, _, value = directive.strip().lower().partition("=")
            if name in ("no-store", "no-cache", "must-revalidate"):
                return max(self.minimum, 0)
            if name in ("max-age", "s-maxage"):
                try:
                    return max(self.minimum, int(value))
                except ValueError:
                    logger.warning("%s is no number of seconds: %r", name, value)
        expires = response.headers.get("expires")
        if expires is None:
            return self.default
        date = response.headers.get("date")
        now = time.time()
        if date is not None:
            try:
                # By the server's own clock, if it says what that shows.
                now = parse_date(date)
            except ValueError as error:
                logger.warning("Date: %s", error)
        try:
            return max(self.minimum, parse_date(expires) - now)
        except ValueError as error:
            logger.warning("Expires: %s", error)
            return self.default
