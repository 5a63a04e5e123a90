"""What a cache does when fetching failed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


class CachePolicyBase:
    """Says what stands in for a file that could not be fetched."""

    def exception(self, url: str, exception: BaseException) -> tuple[float, Any]:
        """Until when it stands in, and what: an object, or an exception to raise."""
        raise NotImplementedError(f"{type(self).__name__} does not implement exception.")


class DefaultObjectPolicy(CachePolicyBase):
    """An object that `factory` makes of the URL stands in, for `ttl` seconds."""

    def __init__(self, ttl: float, factory: Callable[[str], Any]) -> None:
        self.ttl = ttl
        self.factory = factory

    def exception(self, url: str, exception: BaseException) -> tuple[float, Any]:
        """Until when, and the object."""
        return time.time() + self.ttl, self.factory(url)


class ReraiseExceptionPolicy(CachePolicyBase):
    """The exception is raised again to everybody who asks in the next `ttl` seconds."""

    def __init__(self, ttl: float) -> None:
        self.ttl = ttl

    def exception(self, url: str, exception: BaseException) -> tuple[float, Any]:
        """Until when, and the exception."""
        return time.time() + self.ttl, exception
