"""Caches that fetch each site's file when it is first asked about, and again when it has expired."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

from .. import logger
from ..robots import Agent, AllowNone, Robots
from ..ttl import TTLPolicyBase
from .policy import CachePolicyBase, DefaultObjectPolicy, ReraiseExceptionPolicy

__all__ = ["AgentCache", "BaseCache", "ExpiringObject", "RobotsCache"]


class ExpiringObject:
    """An object that is made anew, by one thread at a time, when it has expired."""

    def __init__(self, factory: Callable[[], tuple[float, Any]]) -> None:
        self.factory = factory
        self.lock = threading.Lock()
        self.obj: Any = None
        self.expires: float = 0
        self.exception: BaseException | None = None

    def get(self) -> Any:
        """The object; raises the exception that stands in its place."""
        if self._is_due():
            with self.lock:
                # Another thread may have made it while this one waited.
                if self._is_due():
                    self.expires, self.obj = self.factory()
                    self.exception = self.obj if isinstance(self.obj, BaseException) else None
        if self.exception is not None:
            raise self.exception
        return self.obj

    def _is_due(self) -> bool:
        return self.obj is None or time.time() >= self.expires


class BaseCache:
    """A cache of so many sites: a subclass has `fetch`. Further arguments are those of `Robots.fetch`."""

    DEFAULT_CACHE_POLICY: CachePolicyBase = ReraiseExceptionPolicy(ttl=600)
    DEFAULT_TTL_POLICY: TTLPolicyBase = Robots.DEFAULT_TTL_POLICY

    def __init__(
        self,
        capacity: int,
        cache_policy: CachePolicyBase | None = None,
        ttl_policy: TTLPolicyBase | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        self.capacity = capacity
        self.cache_policy = cache_policy or self.DEFAULT_CACHE_POLICY
        self.ttl_policy = ttl_policy or self.DEFAULT_TTL_POLICY
        self.cache: OrderedDict[str, ExpiringObject] = OrderedDict()
        self.args = args
        self.kwargs = kwargs
        self._lock = threading.Lock()

    def get(self, url: str) -> Any:
        """What is known of the site of a URL."""
        place = Robots.robots_url(url)
        with self._lock:
            entry = self.cache.setdefault(place, ExpiringObject(partial(self.factory, place)))
            self.cache.move_to_end(place)
            while len(self.cache) > self.capacity:
                self.cache.popitem(last=False)
        return entry.get()

    def factory(self, url: str) -> tuple[float, Any]:
        """What `fetch` gives, or what the policy has for its exception."""
        try:
            return self.fetch(url)
        except Exception as error:
            logger.exception(f"Fetching {url} failed")
            return self.cache_policy.exception(url, error)

    def fetch(self, url: str) -> tuple[float, Any]:
        """Until when it counts, and what."""
        raise NotImplementedError(f"{type(self).__name__} does not implement fetch")

    def _robots(self, url: str) -> tuple[float, Robots]:
        robots = Robots.fetch(url, self.ttl_policy, *self.args, **self.kwargs)
        return robots.expires or 0, robots


class RobotsCache(BaseCache):
    """A cache of files. Nothing may be fetched of a site whose file cannot be."""

    DEFAULT_CACHE_POLICY = DefaultObjectPolicy(ttl=600, factory=AllowNone)

    def allowed(self, url: str, agent: str | bytes) -> bool:
        """Whether a crawler may fetch a URL."""
        answer: bool = self.get(url).allowed(url, agent)
        return answer

    def fetch(self, url: str) -> tuple[float, Robots]:
        """Until when a file counts, and the file."""
        return self._robots(url)


class AgentCache(BaseCache):
    """A cache of one crawler's rules."""

    DEFAULT_CACHE_POLICY = DefaultObjectPolicy(ttl=600, factory=lambda url: Agent().disallow("/"))

    def __init__(self, agent: str | bytes, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.agent = agent

    def allowed(self, url: str) -> bool:
        """Whether the crawler may fetch a URL."""
        answer: bool = self.get(url).allowed(url)
        return answer

    def fetch(self, url: str) -> tuple[float, Agent]:
        """Until when the rules count, and the rules."""
        expires, robots = self._robots(url)
        return expires, robots.agent(self.agent)
