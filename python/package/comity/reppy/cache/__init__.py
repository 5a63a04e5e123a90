"""Caches of robots.txt files by origin, in memory: the least recently used goes first."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

from comity._urls import UrlLike

from .. import logger
from ..robots import Agent, AllowNone, Robots
from ..ttl import TTLPolicyBase
from .policy import CachePolicyBase, DefaultObjectPolicy, ReraiseExceptionPolicy

__all__ = [
    "Agent",
    "AgentCache",
    "AllowNone",
    "BaseCache",
    "ExpiringObject",
    "Robots",
    "RobotsCache",
]

T = TypeVar("T")


class ExpiringObject(Generic[T]):
    """What a factory made, made anew once it has expired. One thread makes it, the others wait for it."""

    def __init__(self, factory: Callable[[], tuple[float, Any]]) -> None:
        self.factory = factory
        self.lock = threading.Lock()
        self.obj: T | None = None
        self.expires: float = 0
        self.exception: BaseException | None = None

    def get(self) -> T:
        """The object; raises the exception if that is what the factory gave."""
        if not self._is_fresh():
            with self.lock:
                if not self._is_fresh():
                    expires, made = self.factory()
                    failed = isinstance(made, BaseException)
                    self.obj, self.exception = (None, made) if failed else (made, None)
                    self.expires = expires
        if self.exception is not None:
            raise self.exception
        return self.obj  # type: ignore[return-value]

    def _is_fresh(self) -> bool:
        return (self.obj is not None or self.exception is not None) and time.time() < self.expires


class BaseCache(Generic[T]):
    """What the caches share. Arguments beyond the policies go to `Robots.fetch`."""

    DEFAULT_CACHE_POLICY: ClassVar[CachePolicyBase] = ReraiseExceptionPolicy(ttl=600)
    DEFAULT_TTL_POLICY: ClassVar[TTLPolicyBase] = Robots.DEFAULT_TTL_POLICY

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
        self.cache: OrderedDict[str, ExpiringObject[T]] = OrderedDict()
        self.args = args
        self.kwargs = kwargs
        self._lock = threading.Lock()

    def get(self, url: UrlLike) -> T:
        """What is kept for the origin of a URL, fetched if need be."""
        robots_url = Robots.robots_url(url)
        with self._lock:
            kept = self.cache.get(robots_url)
            if kept is None:
                kept = ExpiringObject(partial(self.factory, robots_url))
                self.cache[robots_url] = kept
                while len(self.cache) > max(self.capacity, 1):
                    self.cache.popitem(last=False)
            else:
                self.cache.move_to_end(robots_url)
        return kept.get()

    def factory(self, url: str) -> tuple[float, Any]:
        """When it expires, and the object: what was fetched, or what the policy has instead when that failed."""
        try:
            return self.fetch(url)
        except Exception as error:
            logger.exception(f"Reppy cache fetch error on {url}")
            return self.cache_policy.exception(url, error)

    def fetch(self, url: str) -> tuple[float, T]:
        """When it expires, and the object, from the robots.txt at a URL."""
        raise NotImplementedError(f"{type(self).__name__} does not implement fetch.")

    def _robots(self, url: str) -> tuple[float, Robots]:
        robots = Robots.fetch(url, self.ttl_policy, *self.args, **self.kwargs)
        return robots.expires or 0, robots


class RobotsCache(BaseCache[Robots]):
    """A cache of `Robots`. Where fetching fails, nothing is allowed for ten minutes."""

    DEFAULT_CACHE_POLICY = DefaultObjectPolicy(ttl=600, factory=AllowNone)

    def allowed(self, url: UrlLike, agent: str) -> bool:
        """Whether an agent may fetch a URL."""
        return self.get(url).allowed(url, agent)

    def fetch(self, url: str) -> tuple[float, Robots]:
        """When it expires, and the file, from the robots.txt at a URL."""
        return self._robots(url)


class AgentCache(BaseCache[Agent]):
    """A cache of what files say to one `Agent`. Where fetching fails, nothing is allowed for ten minutes."""

    DEFAULT_CACHE_POLICY = DefaultObjectPolicy(ttl=600, factory=lambda url: Agent().disallow("/"))

    def __init__(self, agent: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.agent = agent

    def allowed(self, url: UrlLike) -> bool:
        """Whether the agent may fetch a URL."""
        return self.get(url).allowed(url)

    def fetch(self, url: str) -> tuple[float, Agent]:
        """When it expires, and what is said to the agent, from the robots.txt at a URL."""
        expires, robots = self._robots(url)
        return expires, robots.agent(self.agent)
