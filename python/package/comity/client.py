"""The HTTP client: it asks robots.txt, keeps its distance, and dials only what it may.

>>> from comity import Client
>>> with Client("ExampleBot", contact="https://example.com/bot") as client:  # doctest: +SKIP
...     page = client.fetch("https://example.org/")
...     print(page.status, len(page.body), page.decision)

There is no way to fetch through it that leaves out the guard, robots.txt or the pace, save the mode, and the mode stands
in every record. A client may be used from any thread; :class:`AsyncClient` from any task, and from several event loops.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType

from . import sitemap as _sitemap
from ._comity import Decision, NativeClient, Page, Walk
from .errors import FetchError

__all__ = ["AsyncClient", "Client", "Found", "Page"]

Headers = Mapping[str, str] | Iterable[tuple[str, str]]
Settings = Mapping[str, Mapping[str, object]]
Store = str | os.PathLike[str]


@dataclass(frozen=True)
class Found:
    """A step of a walk over the sitemaps of a site."""

    kind: str
    """``url``, ``sitemap`` or ``finding``: an entry, see ``item``. ``opened``: a sitemap was fetched. ``ended``: it was
    read, ``item`` is its summary. ``missing``: there is none, see ``status``. ``failed``: it could not be fetched, see
    ``error``. ``refused``: it is listed and will not be fetched, see ``reason``."""
    sitemap: str
    """The URL of the sitemap."""
    item: _sitemap.Url | _sitemap.Sitemap | _sitemap.Finding | _sitemap.Summary | None = None
    depth: int | None = None
    """How many indexes lead to a sitemap that was opened."""
    status: int | None = None
    was_named: bool | None = None
    """Whether somebody named a sitemap that is missing; if not, its place was a guess."""
    reason: str | None = None
    error: FetchError | None = None


def _merge(
    token: str,
    contact: str | None,
    user_agent: str | None,
    preset: str | None,
    mode: str | None,
    store: Store | None,
    allow_address: Iterable[object],
    timeout: float | None,
    max_wait: float | None,
    settings: Settings | None,
) -> dict[str, dict[str, object]]:
    """The sections: those of ``settings``, with the other arguments on top."""
    if not isinstance(token, str):
        raise TypeError(f"pass the product token as str, not {type(token).__name__}")
    merged: dict[str, dict[str, object]] = {}
    for section, values in (settings or {}).items():
        if not isinstance(values, Mapping):
            raise TypeError(
                f"settings[{section!r}] is a section: pass a mapping of keys to values, not {type(values).__name__}"
            )
        merged[section] = {key: _plain(value) for key, value in values.items()}
    if isinstance(allow_address, (str, bytes)):
        raise TypeError("pass allow_address as a sequence of networks: ('127.0.0.0/8',)")
    arguments: list[tuple[str, str, object]] = [
        ("agent", "token", token),
        ("agent", "contact", contact),
        ("agent", "user_agent", user_agent),
        ("robots", "preset", preset),
        ("robots", "mode", mode),
        ("store", "location", None if store is None else os.fspath(store)),
        ("guard", "allow_address", [str(network) for network in allow_address] or None),
        ("fetch", "timeout_seconds", timeout),
        ("fetch", "max_wait_seconds", max_wait),
    ]
    for section, key, value in arguments:
        if value is not None:
            merged.setdefault(section, {})[key] = value
    return merged


def _plain(value: object) -> object:
    """A value as a file would hold it: paths are text, sets and tuples are lists."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(one) for one in value]
    return value


class _Shared:
    """What both clients are."""

    _is_async: bool

    def __init__(
        self,
        token: str,
        *,
        contact: str | None = None,
        user_agent: str | None = None,
        preset: str | None = None,
        mode: str | None = None,
        store: Store | None = None,
        allow_address: Iterable[object] = (),
        timeout: float | None = None,
        max_wait: float | None = None,
        settings: Settings | None = None,
    ) -> None:
        """A client for the crawler with this product token.

        ``contact`` is a URL or mail address where sites reach whoever runs the crawler. ``store`` is a file or
        ``redis://...``, where robots.txt answers and the pace are shared with other processes; ``"memory"`` if nothing
        is said. ``allow_address`` names networks that may be dialled though they are not public. Times are seconds.
        ``settings`` are the sections of ``comity.toml`` with their keys; the other arguments go before them.
        """
        merged = _merge(
            token,
            contact,
            user_agent,
            preset,
            mode,
            store,
            allow_address,
            timeout,
            max_wait,
            settings,
        )
        self._native = NativeClient(merged, self._is_async)

    @property
    def token(self) -> str:
        """The product token."""
        return self._native.names()[0]

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


class Client(_Shared):
    """The client for programs without asyncio. Methods return when they are done; Ctrl-C interrupts them."""

    _is_async = False

    def fetch(
        self,
        url: str,
        *,
        headers: Headers | None = None,
        max_wait: float | None = None,
        timeout: float | None = None,
        max_bytes: int | None = None,
        content_types: Sequence[str] | None = None,
    ) -> Page:
        """Fetches a URL. An answer with any status code is a page.

        ``max_wait`` is how long politeness may make it wait (``math.inf``: as long as it takes). What is None is as the
        client was set. Raises ``Refused`` if robots.txt, the guard or another step forbids it, and ``FetchError`` if there
        was no answer.
        """
        page: Page = self._native.fetch(
            url, None, headers, max_wait, timeout, max_bytes, content_types
        )
        return page

    def retrieve(
        self,
        url: str,
        strategy: str = "prefer",
        *,
        headers: Headers | None = None,
        max_wait: float | None = None,
        timeout: float | None = None,
        max_bytes: int | None = None,
        content_types: Sequence[str] | None = None,
    ) -> Page:
        """Fetches the best form of a page that the site's llms.txt or its Markdown convention offers, else itself.

        ``strategy`` is ``prefer``, ``force`` (raises if there is no better form) or ``disabled``.
        """
        page: Page = self._native.fetch(
            url, strategy, headers, max_wait, timeout, max_bytes, content_types
        )
        return page

    def decide(self, url: str) -> Decision:
        """Decides a URL without fetching it. That robots.txt forbids it is no error here."""
        decision: Decision = self._native.decide(url)
        return decision

    def robots(self, url: str) -> bytes | None:
        """The robots.txt of the site that a URL belongs to, asked for if need be; None if there is none."""
        body: bytes | None = self._native.robots(url)
        return body

    def forget(self, url: str) -> bool:
        """Forgets the robots.txt of the site that a URL belongs to. Says whether the store had it."""
        had: bool = self._native.forget(url)
        return had

    def discover(self, url: str) -> Iterator[Found]:
        """Walks the sitemaps of the site that a URL belongs to, fetching the next one only when it is come to."""
        return self._steps(self._native.discover(url))

    @staticmethod
    def _steps(walk: Walk) -> Iterator[Found]:
        while founds := walk.next():
            yield from founds

    def close(self) -> None:
        """Lets go of connections and store. What is under way goes on."""
        self._native.close()

    def __enter__(self) -> Client:
        """The client itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Closes the client."""
        self.close()


class AsyncClient(_Shared):
    """The client for asyncio. Cancelling a task ends its request."""

    _is_async = True

    async def fetch(
        self,
        url: str,
        *,
        headers: Headers | None = None,
        max_wait: float | None = None,
        timeout: float | None = None,
        max_bytes: int | None = None,
        content_types: Sequence[str] | None = None,
    ) -> Page:
        """Fetches a URL; see :meth:`Client.fetch`."""
        page: Page = await self._native.fetch(
            url, None, headers, max_wait, timeout, max_bytes, content_types
        )
        return page

    async def retrieve(
        self,
        url: str,
        strategy: str = "prefer",
        *,
        headers: Headers | None = None,
        max_wait: float | None = None,
        timeout: float | None = None,
        max_bytes: int | None = None,
        content_types: Sequence[str] | None = None,
    ) -> Page:
        """Fetches the best form of a page; see :meth:`Client.retrieve`."""
        page: Page = await self._native.fetch(
            url, strategy, headers, max_wait, timeout, max_bytes, content_types
        )
        return page

    async def decide(self, url: str) -> Decision:
        """Decides a URL without fetching it; see :meth:`Client.decide`."""
        decision: Decision = await self._native.decide(url)
        return decision

    async def robots(self, url: str) -> bytes | None:
        """The robots.txt of the site that a URL belongs to; see :meth:`Client.robots`."""
        body: bytes | None = await self._native.robots(url)
        return body

    async def forget(self, url: str) -> bool:
        """Forgets the robots.txt of the site that a URL belongs to; see :meth:`Client.forget`."""
        had: bool = await self._native.forget(url)
        return had

    def discover(self, url: str) -> AsyncIterator[Found]:
        """Walks the sitemaps of the site that a URL belongs to; see :meth:`Client.discover`."""
        return self._steps(self._native.discover(url))

    @staticmethod
    async def _steps(walk: Walk) -> AsyncIterator[Found]:
        while founds := await walk.next():
            for found in founds:
                yield found

    async def close(self) -> None:
        """Lets go of connections and store; see :meth:`Client.close`."""
        self._native.close()

    async def __aenter__(self) -> AsyncClient:
        """The client itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Closes the client."""
        await self.close()
