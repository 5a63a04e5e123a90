"""What a cache holds for a site whose file cannot be fetched."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

__all__ = ["CachePolicyBase", "DefaultObjectPolicy", "ReraiseExceptionPolicy"]


class CachePolicyBase:
    """A policy: a subclass has `exception`."""

    def exception(self, url: str, exception: BaseException) -> tuple[float, Any]:
        """Until when it counts, and what: an object, or an exception to raise."""
        raise NotImplementedError(f"{type(self).__name__} does not implement exception")


class DefaultObjectPolicy(CachePolicyBase):
    """What `factory` makes of the URL, for `ttl` seconds."""

    def __init__(self, ttl: float, factory: Callable[[str], Any]) -> None:
        self.ttl = ttl
        self.factory = factory

    def exception(self, url: str, exception: BaseException) -> tuple[float, Any]:
        """Until when it counts, and the object."""
        return time.time() + self.ttl, self.factory(url)


class ReraiseExceptionPolicy(CachePolicyBase):
    """The same exception again, for `ttl` seconds."""

    def __init__(self, ttl: float) -> None:
        self.ttl = ttl

    def exception(self, url: str, exception: BaseException) -> tuple[float, Any]:
        """Until when it counts, and the exception."""
        return time.time() + self.ttl, exception
