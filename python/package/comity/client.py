"""The HTTP client: it asks robots.txt, keeps its distance, and dials only what it may.

>>> from comity import Client
>>> with Client("ExampleBot", contact="https://example.com/bot") as client:  # doctest: +SKIP
...     page = client.fetch("https://example.org/")
...     print(page.status, len(page.body), page.decision)

There is no way to fetch through it that leaves out the guard, robots.txt or the pace, save the mode, and the mode stands
in every record. A client may be used from any thread; :class:`AsyncClient` from any task, and from several event loops.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import TYPE_CHECKING, Any, Literal

from . import _adapters
from . import findings as _findings
from . import sitemap as _sitemap
from ._comity import (
    Decision,
    NativeAdmission,
    NativeClient,
    NativeCrawl,
    Page,
    Walk,
    keywords,
    new_name,
    warn_of_name,
)
from ._urls import URL_PARTS, UrlLike, UrlObject, url_of
from .errors import FetchError, SettingError

__all__ = [
    "Admission",
    "Admitting",
    "AsyncAdmission",
    "AsyncClient",
    "AsyncCrawl",
    "Client",
    "Crawl",
    "DiscoveryStep",
    "Fetched",
    "Page",
    "RobotsFile",
]

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import Keywords

Headers = Mapping[str, str] | Iterable[tuple[str, str]]
AnswerHeaders = Mapping[str, str] | Iterable[tuple[str | bytes, str | bytes]]
Settings = Mapping[str, Mapping[str, object]]
Llms = Literal["disabled", "prefer", "force"]

#: The section and the key of each keyword, and whether it takes several values.
_KEYWORDS = keywords()


@dataclass(frozen=True)
class DiscoveryStep:
    """A step of a walk over the sitemaps of a site."""

    kind: str
    """``url``, ``sitemap`` or ``finding``: an entry, see ``item``. ``opened``: a sitemap was fetched. ``ended``: it was
    read, ``item`` is its summary. ``missing``: there is none, see ``status``. ``failed``: it could not be fetched, see
    ``error``. ``refused``: it is listed and will not be fetched, see ``reason``."""
    sitemap: str
    """The URL of the sitemap."""
    item: _sitemap.Url | _sitemap.Sitemap | _findings.Finding | _sitemap.Summary | None = None
    depth: int | None = None
    """How many indexes lead to a sitemap that was opened."""
    status: int | None = None
    was_named: bool | None = None
    """Whether somebody named a sitemap that is missing; if not, its place was a guess."""
    reason: str | None = None
    error: FetchError | None = None


@dataclass(frozen=True)
class RobotsFile:
    """The robots.txt of a site, as :meth:`Client.robots` returns it."""

    state: Literal["present", "absent", "unreachable", "failed_here"]
    """``present``: the site has one. ``absent``: it has none (404, or a page in its place). ``unreachable``: it is unknown
    whether it has one (503, 429, a reset connection). ``failed_here``: a local fault prevented the request (descriptors, the
    proxy, the clock, the store, the mode ``ignore``) and says nothing about the site."""
    status: int | None
    """The status code of the latest answer; None without an answer."""
    reason: str
    """The kind of answer, or the local fault."""
    body: bytes | None
    """The file; while it cannot be reached, the last copy of it, if there is one."""


@dataclass(frozen=True)
class Fetched:
    """What came of one of many URLs: ``page`` or ``error``."""

    index: int
    """The place of the URL in what was given, from 0."""
    url: str
    page: Page | None = None
    error: FetchError | None = None

    def get(self) -> Page:
        """The page; raises ``error`` if there is none."""
        if self.page is None:
            raise self.error or ValueError("neither page nor error")
        return self.page


class _Admitted:
    """What both kinds of admission are."""

    def __init__(self, native: NativeAdmission) -> None:
        """Use :meth:`Client.admit`."""
        self._native = native
        self._is_settled = False

    @property
    def url(self) -> str:
        """The URL that was decided on, in the form in which it has to be sent: dot segments resolved, no fragment."""
        return self._native.url

    @property
    def addresses(self) -> list[tuple[str, int]]:
        """The addresses and ports that the guard checked. A program that dials another one has no guard. The list is empty
        if a proxy resolves names."""
        return self._native.addresses

    @property
    def decision(self) -> Decision:
        """What robots.txt says."""
        return self._native.decision

    @property
    def waited(self) -> float:
        """How many seconds the turn was waited for."""
        return self._native.waited

    def failed(self) -> None:
        """Notes that no answer came. Leaving the block by an exception does so, too."""
        self._is_settled = True
        self._native.failed()

    def close(self) -> None:
        """Gives the right back."""
        self._native.close()

    def _close(self, error: BaseException | None) -> None:
        if isinstance(error, Exception) and not self._is_settled:
            self.failed()
        self._native.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url}>"


class Admission(_Admitted):
    """The right to send one request now: guard, circuit breaker, robots.txt and pace have agreed.

    It counts as under way until the block is left or ``close`` is called: keep it until the body is read.
    """

    def answered(self, status: int, headers: AnswerHeaders | None = None) -> None:
        """Notes that the answer is there. ``Retry-After`` and the circuit breaker depend on it."""
        self._is_settled = True
        self._native.answered(status, headers)

    def __enter__(self) -> Admission:
        """The admission itself."""
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Gives the right back."""
        self._close(error)


class AsyncAdmission(_Admitted):
    """The same for asyncio; see :class:`Admission`."""

    async def answered(self, status: int, headers: AnswerHeaders | None = None) -> None:
        """Notes that the answer is there; see :meth:`Admission.answered`."""
        self._is_settled = True
        await self._native.answered(status, headers)


class Admitting:
    """An admission that is waited for: ``async with``, or ``await``; see :meth:`AsyncClient.admit`."""

    def __init__(self, wait: Callable[[], Any]) -> None:
        """Use :meth:`AsyncClient.admit`."""
        self._wait = wait
        self._admission: AsyncAdmission | None = None

    async def _admit(self) -> AsyncAdmission:
        return AsyncAdmission(await self._wait())

    def __await__(self) -> Generator[Any, None, AsyncAdmission]:
        """Waits for the right; whoever awaits it has to close it."""
        return self._admit().__await__()

    async def __aenter__(self) -> AsyncAdmission:
        """Waits for the right."""
        self._admission = await self._admit()
        return self._admission

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Gives the right back."""
        if self._admission is not None:
            self._admission._close(error)


class _Feed:
    """Hands URLs to a crawl, in the thread that takes results: whatever they come from need not know threads."""

    AT_ONCE = 256
    SECONDS = 0.005

    def __init__(self, native: NativeCrawl, urls: Iterable[UrlLike]) -> None:
        if isinstance(urls, (str, bytes)):
            raise TypeError("pass an iterable of URLs; for one URL there is fetch")
        self._native = native
        self._urls = iter(urls)
        self.is_over = False

    def pull(self) -> None:
        """A few more: a source that is slow must not keep results waiting."""
        batch: list[str] = []
        until = time.monotonic() + self.SECONDS
        is_over = True
        try:
            for url in self._urls:
                batch.append(url_of(url))
                if len(batch) == self.AT_ONCE or time.monotonic() >= until:
                    is_over = False
                    break
        finally:
            self.is_over = is_over
            self._native.feed(batch, is_over)


class Crawl(Iterator[Fetched]):
    """What comes of many URLs, as it comes; see :meth:`Client.fetch_many`."""

    def __init__(self, native: NativeCrawl, urls: Iterable[UrlLike]) -> None:
        """Use :meth:`Client.fetch_many`."""
        self._native = native
        self._feed = _Feed(native, urls)

    def __next__(self) -> Fetched:
        """The next result."""
        while (step := self._native.next(not self._feed.is_over)) is True:
            self._feed.pull()
        if step is None:
            raise StopIteration
        fetched: Fetched = step
        return fetched

    def progress(self) -> dict[str, int]:
        """How many URLs are ``queued``, ``waiting``, ``under_way``, ``done``, ``failed``; of the last two, ``ready`` are
        not taken yet. May be called from any thread."""
        return self._native.progress()

    def close(self) -> None:
        """Ends what is under way."""
        self._native.close()

    def __enter__(self) -> Crawl:
        """The crawl itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Ends what is under way."""
        self.close()


class AsyncCrawl(AsyncIterator[Fetched]):
    """What comes of many URLs, as it comes; see :meth:`AsyncClient.fetch_many`."""

    def __init__(
        self, native: NativeCrawl, urls: Iterable[UrlLike] | AsyncIterable[UrlLike]
    ) -> None:
        """Use :meth:`AsyncClient.fetch_many`."""
        self._native = native
        self._feed = None if isinstance(urls, AsyncIterable) else _Feed(native, urls)
        self._source = urls if isinstance(urls, AsyncIterable) else None
        self._feeding: asyncio.Task[None] | None = None

    async def __anext__(self) -> Fetched:
        """The next result."""
        if self._source is not None:
            self._feeding = asyncio.ensure_future(self._feed_from(self._source))
            self._source = None
        while (
            step := await self._native.next(self._feed is not None and not self._feed.is_over)
        ) is True:
            if self._feed is not None:
                self._feed.pull()
        if step is None:
            if self._feeding is not None:
                # What the source raised.
                await self._feeding
            raise StopAsyncIteration
        fetched: Fetched = step
        return fetched

    async def _feed_from(self, source: AsyncIterable[UrlLike]) -> None:
        try:
            async for url in source:
                self._native.feed([url_of(url)], False)
                await self._native.room()
        finally:
            self._native.feed([], True)

    def progress(self) -> dict[str, int]:
        """How many URLs are where; see :meth:`Crawl.progress`."""
        return self._native.progress()

    async def aclose(self) -> None:
        """Ends what is under way."""
        if self._feeding is not None:
            self._feeding.cancel()
        self._native.close()

    async def __aenter__(self) -> AsyncCrawl:
        """The crawl itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Ends what is under way."""
        await self.aclose()


def _merge(
    token: str, settings: Settings | None, keywords: Mapping[str, object]
) -> dict[str, dict[str, object]]:
    """The sections: those of ``settings``, with the keywords on top."""
    if not isinstance(token, str):
        raise TypeError(f"pass the product token as str, not {type(token).__name__}")
    merged: dict[str, dict[str, object]] = {}
    for section, values in (settings or {}).items():
        if not isinstance(values, Mapping):
            raise TypeError(
                f"settings[{section!r}] is a section: pass a mapping of keys to values, not {type(values).__name__}"
            )
        merged[section] = {key: _plain(value) for key, value in values.items()}
    merged.setdefault("agent", {})["token"] = token
    for name, value in keywords.items():
        section, key, is_list = _KEYWORDS[name]
        if is_list and isinstance(value, (str, bytes)):
            raise TypeError(f"pass {name} as a sequence: ({value!r},)")
        if value is not None:
            merged.setdefault(section, {})[key] = _plain(value)
    return merged


def _plain(value: object) -> object:
    """A value as a file would hold it: paths, URLs and addresses are text, sets and tuples are lists."""
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, (*URL_PARTS, UrlObject)):
        return url_of(value)
    if isinstance(value, (IPv4Address, IPv6Address, IPv4Network, IPv6Network)):
        return str(value)
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
        return [_plain(one) for one in value]
    return value


class _Shared:
    """What both clients are."""

    _is_async: bool

    def __init__(
        self, token: str, *, settings: Settings | None = None, **keywords: Unpack[Keywords]
    ) -> None:
        """A client for the crawler with this product token.

        Each setting that is a flag of the command is a keyword here, with underscores: ``contact`` is a URL or mail address
        where sites reach whoever runs the crawler; ``store`` is a file or ``redis://...``, where robots.txt answers and the
        pace are shared with other processes, ``"memory"`` if nothing is said; ``preset``, ``mode``, ``on_unreachable`` and
        ``robots_max_age`` say what follows from an answer to the request for robots.txt; ``allow_address`` names networks
        that may be dialled though they are not public. Times are seconds. ``settings`` are the sections of ``comity.toml``
        with their keys; keywords go before them.
        """
        for name in keywords.keys() - _KEYWORDS.keys():
            known = new_name(name)
            hint = f"; it is {known} here: pass settings={{...}}" if known else ""
            raise TypeError(f"{type(self).__name__} has no argument {name!r}{hint}")
        merged = _merge(token, settings, keywords)
        self._native = NativeClient(merged, self._is_async)
        proxy = merged.get("network", {}).get("proxy")
        self._proxy = None if proxy is None else str(proxy)
        # Programs make an adapter for each session or thread; the client outlives them.
        self._warning_log = _adapters.WarningLog(logging.getLogger("comity"))
        warn_of_name(token)

    @property
    def token(self) -> str:
        """The product token."""
        return self._native.names()[0]

    @property
    def user_agent(self) -> str:
        """The ``User-Agent`` header that is sent."""
        return self._native.user_agent

    @property
    def preset(self) -> str:
        """The preset."""
        return self._native.names()[1]

    @property
    def mode(self) -> str:
        """The mode: ``respect``, ``report_only`` or ``ignore``."""
        return self._native.names()[2]

    def counters(self) -> dict[str, int]:
        """What was counted so far: requests for robots.txt, verdicts, waits, refusals, pages."""
        return self._native.counters()

    def _crawl(
        self,
        jobs: int | None,
        max_queued: int | None,
        llms: Llms | None,
        headers: Headers | None,
        max_wait: float | None,
        timeout: float | None,
        max_bytes: int | None,
        content_types: Sequence[str] | None,
    ) -> NativeCrawl:
        for name, number in (("jobs", jobs), ("max_queued", max_queued)):
            if number is not None and number < 1:
                raise SettingError(f"{name}: `{number}` is less than 1")
        return self._native.crawl(
            jobs, max_queued, llms, headers, max_wait, timeout, max_bytes, content_types
        )


class Client(_Shared):
    """The client for programs without asyncio. Methods return when they are done; Ctrl-C interrupts them."""

    _is_async = False

    def fetch(
        self,
        url: UrlLike,
        *,
        llms: Llms | None = None,
        headers: Headers | None = None,
        max_wait: float | None = None,
        timeout: float | None = None,
        max_bytes: int | None = None,
        content_types: Sequence[str] | None = None,
    ) -> Page:
        """Fetches a URL. An answer with any status code is a page.

        ``llms`` follows the site's llms.txt to a better form of the page: ``prefer`` takes one if there is one that may be
        fetched, ``force`` takes nothing else, ``disabled`` fetches the URL itself.
        ``max_wait`` is how long politeness may make it wait (``math.inf``: as long as it takes). What is None is as the
        client was set. Raises ``Refused`` if robots.txt, the guard or another step forbids it, and ``FetchError`` if there
        was no answer.
        """
        page: Page = self._native.fetch(
            url, llms, headers, max_wait, timeout, max_bytes, content_types
        )
        return page

    def fetch_many(
        self,
        urls: Iterable[UrlLike],
        *,
        jobs: int | None = None,
        max_queued: int | None = None,
        llms: Llms | None = None,
        headers: Headers | None = None,
        max_wait: float | None = None,
        timeout: float | None = None,
        max_bytes: int | None = None,
        content_types: Sequence[str] | None = None,
    ) -> Crawl:
        """Fetches many URLs, each origin at its own pace; an iterator of ``Fetched``, as they come.

        At most ``jobs`` fetches are at work at once; one that waits for its turn at an origin is not, so that slow
        origins do not slow down others. ``urls`` may be endless: no more than ``max_queued`` are held that have not
        begun, and nothing begins while nobody takes results. An error of one URL is its result. ``max_wait`` counts from
        when the URL before it at the same origin is out of its way. What is None is as the
        client was set; ``llms`` is that of :meth:`fetch`.
        """
        native = self._crawl(
            jobs, max_queued, llms, headers, max_wait, timeout, max_bytes, content_types
        )
        return Crawl(native, urls)

    def admit(self, url: UrlLike, *, max_wait: float | None = None) -> Admission:
        """Waits until a request for a URL may be sent by another HTTP stack: a context manager.

        >>> with client.admit(url) as admission:  # doctest: +SKIP
        ...     response = send(admission.url, admission.addresses)
        ...     admission.answered(response.status, response.headers)

        Guard, circuit breaker, robots.txt and pace have agreed then. Whoever dials another address than the ``addresses``
        of the admission has no guard. A redirect that comes back is another request. ``max_wait`` is that of :meth:`fetch`.
        Raises ``Refused`` and ``FetchError`` as :meth:`fetch` does, and ``UrlError`` for what is no URL.
        """
        return Admission(self._native.admit(url, max_wait))

    def decide(self, url: UrlLike) -> Decision:
        """Decides a URL without fetching it. That robots.txt forbids it is no error here."""
        decision: Decision = self._native.decide(url)
        return decision

    def crawl_delay(self, url: UrlLike) -> float | None:
        """The seconds that robots.txt asks this crawler to wait between two requests to the site of a URL; None if it asks
        for none. The client waits by itself."""
        delay: float | None = self._native.crawl_delay(url)
        return delay

    def robots(self, url: UrlLike) -> RobotsFile:
        """Returns the robots.txt of the site that a URL belongs to, requested if need be.

        Its ``state`` tells a site without a robots.txt from one whose robots.txt is not known. Raises ``Refused`` if the guard
        refuses the URL, and ``UrlError`` for an invalid URL.
        """
        file: RobotsFile = self._native.robots(url)
        return file

    def forget(self, url: UrlLike) -> bool:
        """Forgets the robots.txt of the site that a URL belongs to. Says whether the store had it."""
        had: bool = self._native.forget(url)
        return had

    def discover(self, url: UrlLike) -> Iterator[DiscoveryStep]:
        """Walks the sitemaps of the site that a URL belongs to, fetching the next one only when it is come to."""
        return self._steps(self._native.discover(url))

    @staticmethod
    def _steps(walk: Walk) -> Iterator[DiscoveryStep]:
        while founds := walk.next():
            yield from founds

    def close(self) -> None:
        """Lets go of connections and store. What is under way goes on."""
        self._native.close()

    def __enter__(self) -> Client:
        """The client itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the client."""
        self.close()


class AsyncClient(_Shared):
    """The client for asyncio. Cancelling a task ends its request."""

    _is_async = True

    async def fetch(
        self,
        url: UrlLike,
        *,
        llms: Llms | None = None,
        headers: Headers | None = None,
        max_wait: float | None = None,
        timeout: float | None = None,
        max_bytes: int | None = None,
        content_types: Sequence[str] | None = None,
    ) -> Page:
        """Fetches a URL; see :meth:`Client.fetch`."""
        page: Page = await self._native.fetch(
            url, llms, headers, max_wait, timeout, max_bytes, content_types
        )
        return page

    def fetch_many(
        self,
        urls: Iterable[UrlLike] | AsyncIterable[UrlLike],
        *,
        jobs: int | None = None,
        max_queued: int | None = None,
        llms: Llms | None = None,
        headers: Headers | None = None,
        max_wait: float | None = None,
        timeout: float | None = None,
        max_bytes: int | None = None,
        content_types: Sequence[str] | None = None,
    ) -> AsyncCrawl:
        """Fetches many URLs, for ``async for``; see :meth:`Client.fetch_many`."""
        native = self._crawl(
            jobs, max_queued, llms, headers, max_wait, timeout, max_bytes, content_types
        )
        return AsyncCrawl(native, urls)

    def admit(self, url: UrlLike, *, max_wait: float | None = None) -> Admitting:
        """Waits until a request for a URL may be sent by another HTTP stack, for ``async with``; see :meth:`Client.admit`."""
        return Admitting(lambda: self._native.admit(url, max_wait))

    async def decide(self, url: UrlLike) -> Decision:
        """Decides a URL without fetching it; see :meth:`Client.decide`."""
        decision: Decision = await self._native.decide(url)
        return decision

    async def crawl_delay(self, url: UrlLike) -> float | None:
        """The seconds between two requests that robots.txt asks for; see :meth:`Client.crawl_delay`."""
        delay: float | None = await self._native.crawl_delay(url)
        return delay

    async def robots(self, url: UrlLike) -> RobotsFile:
        """Returns the robots.txt of the site that a URL belongs to; see :meth:`Client.robots`."""
        file: RobotsFile = await self._native.robots(url)
        return file

    async def forget(self, url: UrlLike) -> bool:
        """Forgets the robots.txt of the site that a URL belongs to; see :meth:`Client.forget`."""
        had: bool = await self._native.forget(url)
        return had

    def discover(self, url: UrlLike) -> AsyncIterator[DiscoveryStep]:
        """Walks the sitemaps of the site that a URL belongs to; see :meth:`Client.discover`."""
        return self._steps(self._native.discover(url))

    @staticmethod
    async def _steps(walk: Walk) -> AsyncIterator[DiscoveryStep]:
        while founds := await walk.next():
            for found in founds:
                yield found

    async def close(self) -> None:
        """Lets go of connections and store; see :meth:`Client.close`."""
        self._native.close()

    async def __aenter__(self) -> AsyncClient:
        """The client itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Closes the client."""
        await self.close()
