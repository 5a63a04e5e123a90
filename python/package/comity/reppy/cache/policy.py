"""Cache policies for failed fetches."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


class CachePolicyBase:
    """Base class of the policies that select a substitute for a file whose fetch failed."""

    def exception(self, url: str, exception: BaseException) -> tuple[float, Any]:
        """Returns the time at which the substitute expires, and the substitute: an object, or an exception to raise."""
        raise NotImplementedError(f"{type(self).__name__} does not implement exception.")


class DefaultObjectPolicy(CachePolicyBase):
    """Uses an object as the substitute for `ttl` seconds. `factory` creates the object from the URL."""

    def __init__(self, ttl: float, factory: Callable[[str], Any]) -> None:
        self.ttl = ttl
        self.factory = factory

    def exception(self, url: str, exception: BaseException) -> tuple[float, Any]:
        """Returns the time of expiration and the object."""
        return time.time() + self.ttl, self.factory(url)


class ReraiseExceptionPolicy(CachePolicyBase):
    """Raises the exception again on every access in the next `ttl` seconds."""

    def __init__(self, ttl: float) -> None:
        self.ttl = ttl

    def exception(self, url: str, exception: BaseException) -> tuple[float, Any]:
        """Returns the time of expiration and the exception."""
        return time.time() + self.ttl, exception
