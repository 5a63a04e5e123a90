"""The HTTP client: it follows robots.txt, keeps the pace of each site, and connects only to permitted addresses.

>>> from comity import Client
>>> with Client("ExampleBot", contact="https://example.com/bot") as client:  # doctest: +SKIP
...     page = client.fetch("https://example.org/")
...     print(page.status, len(page.body), page.decision)

Every fetch through a client passes the guard, robots.txt and the pace. Only a mode other than ``respect`` permits what
robots.txt disallows, and every record names the mode. Any thread may use a :class:`Client`. Any task may use an
:class:`AsyncClient`, also in several event loops.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Awaitable,
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

#: For each keyword: the section and key of its setting, and whether it takes several values.
_KEYWORDS = keywords()


@dataclass(frozen=True)
class DiscoveryStep:
    """A step of a walk over the sitemaps of a site."""

    kind: str
    """The kind of step. ``url``, ``sitemap`` and ``finding``: an entry, see ``item``. ``opened``: a sitemap was fetched.
    ``ended``: it was read, and ``item`` is its summary. ``missing``: the site answered without a sitemap, see ``status``.
    ``failed``: the fetch failed, see ``error``. ``refused``: the sitemap is listed and is not read, see ``reason``."""
    sitemap: str
    """The URL of the sitemap."""
    item: _sitemap.Url | _sitemap.Sitemap | _findings.Finding | _sitemap.Summary | None = None
    depth: int | None = None
    """The number of indexes that lead to an opened sitemap."""
    status: int | None = None
    was_named: bool | None = None
    """True if a source names the missing sitemap, False if its URL was guessed."""
    reason: str | None = None
    error: FetchError | None = None


@dataclass(frozen=True)
class RobotsFile:
    """The robots.txt of a site, as :meth:`Client.robots` returns it."""

    state: Literal["present", "absent", "unreachable", "failed_here"]
    """``present``: the site has a robots.txt. ``absent``: the site has none (404, or a page in its place). ``unreachable``: the
    answer does not show whether a robots.txt exists (503, 429, a reset connection). ``failed_here``: a local cause prevented the
    request (descriptors, the proxy, the clock, the store, the mode ``ignore``), so the state of the site is unknown."""
    status: int | None
    """The status code of the latest answer; None without an answer."""
    reason: str
    """The kind of answer, or the local fault."""
    body: bytes | None
    """The content of the robots.txt. While it is unreachable: the last good copy, or None without a copy."""


@dataclass(frozen=True)
class Fetched:
    """The result for one of many URLs: ``page`` or ``error``."""

    index: int
    """The index of the URL in the input, from 0."""
    url: str
    page: Page | None = None
    error: FetchError | None = None

    @property
    def record(self) -> dict[str, Any]:
        """The record of the page or of the error."""
        return self.get().record if self.error is None else self.error.record

    def get(self) -> Page:
        """Returns the page; raises ``error`` if the fetch failed."""
        if self.page is None:
            raise self.error or ValueError("neither page nor error")
        return self.page


class _Admitted:
    """Base class of `Admission` and `AsyncAdmission`."""

    def __init__(self, native: NativeAdmission) -> None:
        """Wraps the native admission. Use :meth:`Client.admit`."""
        self._native = native
        self._is_settled = False

    @property
    def url(self) -> str:
        """The URL that was decided, in the form in which it must be sent: dot segments resolved, no fragment."""
        return self._native.url

    @property
    def addresses(self) -> list[tuple[str, int]]:
        """The addresses and ports that the guard checked. Connect to no other address, because the guard did not check it. The
        list is empty if only the proxy can resolve the name."""
        return self._native.addresses

    @property
    def decision(self) -> Decision:
        """The decision of robots.txt."""
        return self._native.decision

    @property
    def waited(self) -> float:
        """The seconds that the caller waited for the permit."""
        return self._native.waited

    def failed(self) -> None:
        """Records that the request had no answer. An exception in the ``with`` block before ``answered`` has the same effect."""
        self._is_settled = True
        self._native.failed()

    def close(self) -> None:
        """Releases the permit."""
        self._native.close()

    def _close(self, error: BaseException | None) -> None:
        if isinstance(error, Exception) and not self._is_settled:
            self.failed()
        self._native.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url}>"


@_adapters.with_own_init
class Admission(_Admitted):
    """The permit to send one request now, granted by guard, circuit breaker, robots.txt and pace.

    The request counts as in flight until the ``with`` block ends or ``close`` is called. Read the body first.
    """

    def answered(self, status: int, headers: AnswerHeaders | None = None) -> None:
        """Records the status and header of the answer, for ``Retry-After`` and the circuit breaker."""
        self._is_settled = True
        self._native.answered(status, headers)

    def __enter__(self) -> Admission:
        """Returns the admission itself."""
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Releases the permit."""
        self._close(error)


@_adapters.with_own_init
class AsyncAdmission(_Admitted):
    """The permit to send one request now, for asyncio; see :class:`Admission`."""

    def answered(self, status: int, headers: AnswerHeaders | None = None) -> Awaitable[None]:
        """Records the status and header of the answer; see :meth:`Admission.answered`.

        The call alone records them. ``await`` waits until they are recorded, and raises errors.
        """
        self._is_settled = True
        recorded: Awaitable[None] = self._native.answered(status, headers)
        return recorded


class Admitting:
    """A pending admission, for ``async with`` or ``await``; see :meth:`AsyncClient.admit`."""

    def __init__(self, wait: Callable[[], Any]) -> None:
        """Stores the function that waits. Use :meth:`AsyncClient.admit`."""
        self._wait = wait
        self._admission: AsyncAdmission | None = None

    async def _admit(self) -> AsyncAdmission:
        return AsyncAdmission(await self._wait())

    def __await__(self) -> Generator[Any, None, AsyncAdmission]:
        """Waits for the permit. The caller must close it."""
        return self._admit().__await__()

    async def __aenter__(self) -> AsyncAdmission:
        """Waits for the permit."""
        self._admission = await self._admit()
        return self._admission

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Releases the permit."""
        if self._admission is not None:
            self._admission._close(error)


class _Feed:
    """Feeds URLs to a crawl, in the thread that reads results, so the source of the URLs need not be thread-safe."""

    AT_ONCE = 256
    SECONDS = 0.005

    def __init__(self, native: NativeCrawl, urls: Iterable[UrlLike]) -> None:
        if isinstance(urls, (str, bytes)):
            raise TypeError("pass an iterable of URLs; for one URL, call fetch")
        self._native = native
        self._urls = iter(urls)
        self.is_over = False

    def pull(self) -> None:
        """Feeds a few more URLs. Stops at the first URL after ``SECONDS``, to limit the delay of results by a slow source."""
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
    """The results for many URLs, in order of completion; see :meth:`Client.fetch_many`."""

    def __init__(self, native: NativeCrawl, urls: Iterable[UrlLike]) -> None:
        """Stores the crawl and the source of its URLs. Use :meth:`Client.fetch_many`."""
        self._native = native
        self._feed = _Feed(native, urls)

    def __next__(self) -> Fetched:
        """Returns the next result."""
        while (step := self._native.next(not self._feed.is_over)) is True:
            self._feed.pull()
        if step is None:
            raise StopIteration
        fetched: Fetched = step
        return fetched

    def progress(self) -> dict[str, int]:
        """Returns the number of URLs that are ``queued``, ``waiting``, ``under_way``, ``done`` and ``failed``. ``ready`` is the
        number of done and failed URLs whose results were not read yet. May be called from any thread."""
        return self._native.progress()

    def close(self) -> None:
        """Cancels the fetches in flight."""
        self._native.close()

    def __enter__(self) -> Crawl:
        """Returns the crawl itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Cancels the fetches in flight."""
        self.close()


class AsyncCrawl(AsyncIterator[Fetched]):
    """The results for many URLs, in order of completion; see :meth:`AsyncClient.fetch_many`."""

    def __init__(
        self, native: NativeCrawl, urls: Iterable[UrlLike] | AsyncIterable[UrlLike]
    ) -> None:
        """Stores the crawl and the source of its URLs. Use :meth:`AsyncClient.fetch_many`."""
        self._native = native
        self._feed = None if isinstance(urls, AsyncIterable) else _Feed(native, urls)
        self._source = urls if isinstance(urls, AsyncIterable) else None
        self._feeding: asyncio.Task[None] | None = None

    async def __anext__(self) -> Fetched:
        """Returns the next result."""
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
                # Raises the exception of the source.
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
        """Returns the number of URLs in each state; see :meth:`Crawl.progress`."""
        return self._native.progress()

    async def aclose(self) -> None:
        """Cancels the fetches in flight."""
        if self._feeding is not None:
            self._feeding.cancel()
        self._native.close()

    async def __aenter__(self) -> AsyncCrawl:
        """Returns the crawl itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Cancels the fetches in flight."""
        await self.aclose()


def _merge(
    token: str, settings: Settings | None, keywords: Mapping[str, object]
) -> dict[str, dict[str, object]]:
    """Returns the sections of ``settings``, with the keywords merged over them."""
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
    """Converts a value to the types of a settings file: paths, URLs and addresses to text, sets and tuples to lists."""
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, (*URL_PARTS, UrlObject)):
        return url_of(value)
    if isinstance(value, (IPv4Address, IPv6Address, IPv4Network, IPv6Network)):
        return str(value)
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
        return [_plain(item) for item in value]
    return value


class _Shared:
    """Base class of `Client` and `AsyncClient`."""

    _is_async: bool

    def __init__(
        self, token: str, *, settings: Settings | None = None, **keywords: Unpack[Keywords]
    ) -> None:
        """Creates a client for the crawler with this product token.

        Each flag of the command that is a setting is also a keyword here, with underscores. ``contact`` is a URL or mail address
        at which sites reach the operator of the crawler. ``store`` is a file or ``redis://...`` through which processes share
        robots.txt answers and the pace; the default is ``"memory"``. ``preset``, ``mode`` and ``on_unreachable`` determine the
        consequences of an answer to the request for robots.txt. ``allow_address`` lists networks that are not public and to
        which the client may connect. Times are seconds. ``settings`` are the sections of ``comity.toml`` with their keys; keywords
        take precedence over them.
        """
        for name in keywords.keys() - _KEYWORDS.keys():
            known = new_name(name)
            hint = f"; Comity's setting is {known}: pass settings={{...}}" if known else ""
            raise TypeError(f"{type(self).__name__} has no argument {name!r}{hint}")
        merged = _merge(token, settings, keywords)
        self._native = self._connect(merged)
        proxy = merged.get("network", {}).get("proxy")
        self._proxy = None if proxy is None else str(proxy)
        # The log belongs to the client, because programs create an adapter for each session or thread.
        self._warning_log = _adapters.WarningLog(logging.getLogger("comity"))
        warn_of_name(token)

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("a client cannot be pickled: create one in the other process")

    def _connect(self, settings: dict[str, dict[str, object]]) -> NativeClient:
        """Creates the native client. The clients of `comity.testing` replace this method."""
        return NativeClient(settings, self._is_async)

    @property
    def token(self) -> str:
        """The product token."""
        return self._native.names()[0]

    @property
    def user_agent(self) -> str:
        """The ``User-Agent`` header that the client sends."""
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
        """Returns the counters so far: requests for robots.txt, verdicts, waits, refusals, pages."""
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


@_adapters.with_own_init
class Client(_Shared):
    """The client for programs without asyncio. Methods block until they are done; Ctrl-C interrupts them."""

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
        """Fetches a URL. Returns a page for an answer with any status code.

        ``llms`` determines whether the client fetches the form of the page that the site's llms.txt suggests, such as Markdown.
        ``prefer`` fetches this form if it exists and may be fetched. ``force`` does not fetch any other form. ``disabled``
        fetches the URL itself. ``max_wait`` is the maximum wait for the pace in seconds (``math.inf``: no limit). The default
        of each argument is the client's setting. Raises ``Refused`` if robots.txt, the guard or another step forbids the fetch,
        and ``FetchError`` if there is no answer.
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
        """Fetches many URLs, each origin at its own pace. Returns an iterator of ``Fetched``, in order of completion.

        At most ``jobs`` fetches run at once. A fetch that waits for its turn at an origin does not count, so slow origins do not
        slow down others. ``urls`` may be endless: at most ``max_queued`` URLs wait for their fetch, and no further fetch begins if
        the caller stops reading results. A failed URL has its error as the result. ``max_wait`` applies to each URL separately;
        the time behind earlier URLs of its origin does not count. The other arguments are those of :meth:`fetch`.
        """
        native = self._crawl(
            jobs, max_queued, llms, headers, max_wait, timeout, max_bytes, content_types
        )
        return Crawl(native, urls)

    def admit(self, url: UrlLike, *, max_wait: float | None = None) -> Admission:
        """Waits until a request for a URL may be sent with another HTTP library. Returns a context manager.

        >>> with client.admit(url) as admission:  # doctest: +SKIP
        ...     response = send(admission.url, admission.addresses)
        ...     admission.answered(response.status, response.headers)

        Guard, circuit breaker, robots.txt and pace then permit the request. Connect only to the ``addresses`` of the admission,
        because the guard did not check other addresses. A redirect in the answer needs another admission. ``max_wait`` is that
        of :meth:`fetch`. Raises ``Refused`` and ``FetchError`` as :meth:`fetch` does, and ``UrlError`` for an invalid URL.
        """
        return self._admit(url, max_wait, "an admission of Client.admit")

    def _admit(self, url: UrlLike, max_wait: float | None, call: str) -> Admission:
        """Returns an admission. ``call`` names its holder in the log."""
        return Admission(self._native.admit(url, max_wait, call))

    def decide(self, url: UrlLike) -> Decision:
        """Decides a URL without fetching it. Raises no error for a URL that robots.txt forbids."""
        decision: Decision = self._native.decide(url)
        return decision

    def crawl_delay(self, url: UrlLike) -> float | None:
        """Returns the crawl delay for this crawler in the robots.txt of a URL's site, in seconds; None without a delay. The
        client itself waits for this delay, up to the setting ``pace.max_interval_seconds``, between requests."""
        delay: float | None = self._native.crawl_delay(url)
        return delay

    def robots(self, url: UrlLike) -> RobotsFile:
        """Returns the robots.txt of a URL's site. Requests it if necessary.

        Its ``state`` distinguishes a site without a robots.txt from a site whose robots.txt is unknown. Raises ``Refused`` if
        the guard refuses the URL, and ``UrlError`` for an invalid URL.
        """
        file: RobotsFile = self._native.robots(url)
        return file

    def forget(self, url: UrlLike) -> bool:
        """Removes the robots.txt of a URL's site from the cache and the store. Returns True if the store had it."""
        had: bool = self._native.forget(url)
        return had

    def discover(self, url: UrlLike) -> Iterator[DiscoveryStep]:
        """Walks the sitemaps of a URL's site. Fetches each sitemap only when the walk reaches it."""
        return self._steps(self._native.discover(url))

    @staticmethod
    def _steps(walk: Walk) -> Iterator[DiscoveryStep]:
        while steps := walk.next():
            yield from steps

    def close(self) -> None:
        """Closes the client, and its store unless another client uses it. Requests in flight continue."""
        self._native.close()

    def __enter__(self) -> Client:
        """Returns the client itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the client."""
        self.close()


@_adapters.with_own_init
class AsyncClient(_Shared):
    """The client for asyncio. Cancelling a task cancels its request."""

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
        """Waits until a request for a URL may be sent with another HTTP stack, for ``async with``; see :meth:`Client.admit`."""
        return self._admit(url, max_wait, "an admission of AsyncClient.admit")

    def _admit(self, url: UrlLike, max_wait: float | None, call: str) -> Admitting:
        """Returns a pending admission. ``call`` names its holder in the log."""
        return Admitting(lambda: self._native.admit(url, max_wait, call))

    async def decide(self, url: UrlLike) -> Decision:
        """Decides a URL without fetching it; see :meth:`Client.decide`."""
        decision: Decision = await self._native.decide(url)
        return decision

    async def crawl_delay(self, url: UrlLike) -> float | None:
        """Returns the crawl delay in the robots.txt of a URL's site; see :meth:`Client.crawl_delay`."""
        delay: float | None = await self._native.crawl_delay(url)
        return delay

    async def robots(self, url: UrlLike) -> RobotsFile:
        """Returns the robots.txt of a URL's site; see :meth:`Client.robots`."""
        file: RobotsFile = await self._native.robots(url)
        return file

    async def forget(self, url: UrlLike) -> bool:
        """Removes the robots.txt of a URL's site from the cache and the store; see :meth:`Client.forget`."""
        had: bool = await self._native.forget(url)
        return had

    def discover(self, url: UrlLike) -> AsyncIterator[DiscoveryStep]:
        """Walks the sitemaps of a URL's site; see :meth:`Client.discover`."""
        return self._steps(self._native.discover(url))

    @staticmethod
    async def _steps(walk: Walk) -> AsyncIterator[DiscoveryStep]:
        while steps := await walk.next():
            for step in steps:
                yield step

    async def close(self) -> None:
        """Closes the client; see :meth:`Client.close`."""
        self._native.close()

    async def __aenter__(self) -> AsyncClient:
        """Returns the client itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Closes the client."""
        await self.close()
