"""Caches of robots.txt files by origin, in memory. They evict the least recently used file first."""

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
    """A cached object. A factory creates it, and creates it again after it expires. Other threads wait for the factory."""

    def __init__(self, factory: Callable[[], tuple[float, Any]]) -> None:
        self.factory = factory
        self.lock: threading.Lock = threading.Lock()
        self.obj: T | None = None
        self.expires: float = 0
        self.exception: BaseException | None = None

    def get(self) -> T:
        """Returns the object; raises the exception if the factory returned one."""
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
    """Base class of the caches. The arguments after the policies are passed to `Robots.fetch`.

    A pickled cache contains the settings, but no files.
    """

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
        self.cache_policy: CachePolicyBase = cache_policy or self.DEFAULT_CACHE_POLICY
        self.ttl_policy: TTLPolicyBase = ttl_policy or self.DEFAULT_TTL_POLICY
        self.cache: OrderedDict[str, ExpiringObject[T]] = OrderedDict()
        self.args = args
        self.kwargs = kwargs
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "cache": OrderedDict(), "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())

    def get(self, url: UrlLike) -> T:
        """Returns the cached object for the origin of a URL. Fetches it first if necessary."""
        robots_url = Robots.robots_url(url)
        with self._lock:
            entry = self.cache.get(robots_url)
            if entry is None:
                entry = ExpiringObject(partial(self.factory, robots_url))
                self.cache[robots_url] = entry
                while len(self.cache) > max(self.capacity, 1):
                    self.cache.popitem(last=False)
            else:
                self.cache.move_to_end(robots_url)
        return entry.get()

    def factory(self, url: str) -> tuple[float, Any]:
        """Returns the time of expiration and the fetched object. If the fetch fails, returns those of the cache policy."""
        try:
            return self.fetch(url)
        except Exception as error:
            logger.exception(f"Reppy cache fetch error on {url}")
            return self.cache_policy.exception(url, error)

    def fetch(self, url: str) -> tuple[float, T]:
        """Fetches the robots.txt at a URL, and returns the time of expiration and the object."""
        raise NotImplementedError(f"{type(self).__name__} does not implement fetch.")

    def _robots(self, url: str) -> tuple[float, Robots]:
        robots = Robots.fetch(url, self.ttl_policy, *self.args, **self.kwargs)
        return robots.expires or 0, robots


class RobotsCache(BaseCache[Robots]):
    """A cache of `Robots`. By default, a failed fetch allows nothing for ten minutes."""

    DEFAULT_CACHE_POLICY: ClassVar[CachePolicyBase] = DefaultObjectPolicy(
        ttl=600, factory=AllowNone
    )

    def allowed(self, url: UrlLike, agent: str) -> bool:
        """Returns True if an agent may fetch a URL."""
        return self.get(url).allowed(url, agent)

    def fetch(self, url: str) -> tuple[float, Robots]:
        """Fetches the robots.txt at a URL, and returns the time of expiration and the file."""
        return self._robots(url)


def _closed(_: str) -> Agent:
    """Returns rules that allow nothing. Pickles refer to this function, so it is not a lambda."""
    return Agent().disallow("/")


class AgentCache(BaseCache[Agent]):
    """A cache of the rules for one agent. By default, a failed fetch allows nothing for ten minutes."""

    DEFAULT_CACHE_POLICY: ClassVar[CachePolicyBase] = DefaultObjectPolicy(ttl=600, factory=_closed)

    def __init__(self, agent: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.agent = agent

    def allowed(self, url: UrlLike) -> bool:
        """Returns True if the agent may fetch a URL."""
        return self.get(url).allowed(url)

    def fetch(self, url: str) -> tuple[float, Agent]:
        """Fetches the robots.txt at a URL, and returns the time of expiration and the agent's rules."""
        expires, robots = self._robots(url)
        return expires, robots.agent(self.agent)
