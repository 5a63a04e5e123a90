"""Tests without a network: a fake web with prepared replies, its clock, and transports for other HTTP stacks.

>>> from comity.testing import FakeWeb
>>> web = FakeWeb({
...     "https://a.example/robots.txt": "User-agent: *\\nDisallow: /private\\nCrawl-delay: 60\\n",
...     "https://a.example/": "<p>Hello</p>",
... })
>>> with web.client("ExampleBot") as client:
...     page = client.fetch("https://a.example/")
...     client.decide("https://a.example/private").is_allowed
False
>>> page.text
'<p>Hello</p>'
>>> [request.url for request in web.requests]
['https://a.example/robots.txt', 'https://a.example/']

Guard, robots.txt, pace and retries are those of every client. A wait, such as a Crawl-delay, takes no real time: as soon as the
client has nothing else to do, the clock of the web advances to the end of the wait. Every host name has a public address.
"""

from __future__ import annotations

import asyncio
import io
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, TypeAlias

from ._comity import NativeClient, NativeWeb, Page
from ._urls import UrlLike, url_of
from .client import AsyncClient, Client

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import Keywords
    from .aiohttp import Polite
    from .client import Settings
    from .httpx import AsyncPoliteTransport, PoliteTransport
    from .requests import PoliteAdapter

__all__ = ["FakeClock", "FakeWeb", "Reply", "Request", "Response", "page"]

#: The time at which a web starts, in seconds since 1970: 15 January 2027.
START = 1_800_000_000.0

#: The media types of bodies without a ``Content-Type``, by the end of the path. Other bodies are HTML.
_MEDIA_TYPES = {
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".xml": "application/xml",
    ".json": "application/json",
}


@dataclass(frozen=True)
class Response:
    """An answer of a `FakeWeb`, or a failure instead of an answer."""

    status: int = 200
    body: str | bytes = b""
    headers: Mapping[str, str] | Iterable[tuple[str, str]] = ()
    """The header fields. The default of ``Content-Type`` depends on the end of the path."""
    failure: str | None = None
    """The reason for a missing answer: ``timeout``, ``dns``, ``tls``, ``connection``, ``protocol``, ..."""

    def _native(self, url: str) -> tuple[int | None, str | None, list[tuple[str, bytes]], bytes]:
        fields = self.headers.items() if isinstance(self.headers, Mapping) else self.headers
        pairs = [(name, value.encode("latin-1")) for name, value in fields]
        body = self.body.encode() if isinstance(self.body, str) else self.body
        if body and all(name.lower() != "content-type" for name, _ in pairs):
            path = url.partition("?")[0]
            kinds = [kind for end, kind in _MEDIA_TYPES.items() if path.endswith(end)]
            kind = kinds[0] if kinds else "text/html; charset=utf-8"
            pairs.append(("Content-Type", kind.encode()))
        return (None if self.failure else self.status, self.failure, pairs, body)


#: The reply to one request. Text and bytes are the body of an answer with the status 200, a number is a status code.
Reply: TypeAlias = "Response | str | bytes | int"


@dataclass(frozen=True)
class Request:
    """A request that a `FakeWeb` received."""

    method: str
    url: str
    headers: dict[str, str]
    """The header fields by lower-case name."""
    time: float
    """The time of the request on the clock of the web, in seconds since 1970."""


class FakeClock:
    """The clock of a `FakeWeb`. It advances only during waits of a client and by `advance`."""

    def __init__(self, native: NativeWeb) -> None:
        self._native = native

    def time(self) -> float:
        """Returns the time in seconds since 1970."""
        return self._native.time()

    def now(self) -> datetime:
        """Returns the time, in UTC."""
        return datetime.fromtimestamp(self.time(), timezone.utc)

    def advance(self, seconds: float) -> None:
        """Advances the time. A client stops waiting if the new time is past the end of its wait."""
        self._native.advance(seconds)


class FakeWeb:
    """A web without sockets: replies by URL, and a log of requests.

    ``replies`` maps URLs to a reply, or to a list of replies to successive requests, of which the last one repeats. Every other
    URL has the status 404. ``start`` is the time of the clock, in seconds since 1970.
    """

    def __init__(
        self,
        replies: Mapping[str, Reply | Sequence[Reply]] | None = None,
        *,
        start: float = START,
    ) -> None:
        self._native = NativeWeb(start)
        self._servers: set[asyncio.Future[None]] = set()
        self.clock: FakeClock = FakeClock(self._native)
        """The clock of the web and of its clients."""
        for url, reply in (replies or {}).items():
            if isinstance(reply, (Response, str, bytes, int)):
                self.on(url, reply)
            else:
                self.on(url, *reply)

    def on(self, url: str, *replies: Reply) -> None:
        """Sets the replies to the next requests for a URL. The last one repeats."""
        self._native.on(url, [_response(reply)._native(url) for reply in replies])

    def resolve(self, host: str, *addresses: str) -> None:
        """Sets the addresses of a host name. Without an address the name does not exist."""
        self._native.resolve(host, addresses)

    @property
    def requests(self) -> list[Request]:
        """The requests so far, in order."""
        return [
            Request(method, url, dict(headers), time)
            for method, url, headers, time in self._native.requests()
        ]

    def client(
        self, token: str, *, settings: Settings | None = None, **keywords: Unpack[Keywords]
    ) -> Client:
        """Creates a client that sends its requests to this web. Takes the arguments of `comity.Client`."""
        client: Client = _bound(Client, self)(token, settings=settings, **keywords)
        return client

    def async_client(
        self, token: str, *, settings: Settings | None = None, **keywords: Unpack[Keywords]
    ) -> AsyncClient:
        """Creates a client for asyncio; see `client`."""
        client: AsyncClient = _bound(AsyncClient, self)(token, settings=settings, **keywords)
        return client

    def adapter(self, client: Client, **options: Any) -> PoliteAdapter:
        """Creates an adapter for ``requests`` that gets its responses from this web. Takes the options of `PoliteAdapter`."""
        from requests.adapters import HTTPAdapter

        from .requests import PoliteAdapter

        web = self

        class Below(HTTPAdapter):
            def send(self, request: Any, *_: Any, **__: Any) -> Any:
                return web._requests_response(request)

        class FakeAdapter(PoliteAdapter, Below):
            pass

        return FakeAdapter(client, **options)

    def _requests_response(self, request: Any) -> Any:
        import requests
        from requests.adapters import HTTPAdapter
        from urllib3 import HTTPHeaderDict, HTTPResponse

        fields = [(name, _latin(value)) for name, value in request.headers.items()]
        answer = self._native.answer(request.method, request.url, fields)
        status, failure, headers, body = answer
        if failure is not None:
            kind = requests.Timeout if failure == "timeout" else requests.ConnectionError
            raise kind(f"a fake failure: {failure}", request=request)
        raw = HTTPResponse(
            body=io.BytesIO(body),
            headers=HTTPHeaderDict((name, value.decode("latin-1")) for name, value in headers),
            status=status or 0,
            preload_content=False,
            request_method=request.method,
        )
        return HTTPAdapter().build_response(request, raw)

    def transport(self, client: Client, **options: Any) -> PoliteTransport:
        """Creates a transport for ``httpx`` that gets its responses from this web. Takes the options of `PoliteTransport`."""
        import httpx

        from .httpx import PoliteTransport

        web = self

        class Below(httpx.HTTPTransport):
            def handle_request(self, request: httpx.Request) -> httpx.Response:
                response: httpx.Response = web._httpx_response(request)
                return response

        class FakeTransport(PoliteTransport, Below):
            pass

        return FakeTransport(client, **options)

    def async_transport(self, client: AsyncClient, **options: Any) -> AsyncPoliteTransport:
        """Creates a transport for ``httpx.AsyncClient``; see `transport`."""
        import httpx

        from .httpx import AsyncPoliteTransport

        web = self

        class Below(httpx.AsyncHTTPTransport):
            async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
                response: httpx.Response = web._httpx_response(request)
                return response

        class FakeTransport(AsyncPoliteTransport, Below):
            pass

        return FakeTransport(client, **options)

    def _httpx_response(self, request: Any) -> Any:
        import httpx

        url = str(request.url)
        answer = self._native.answer(request.method, url, request.headers.multi_items())
        status, failure, headers, body = answer
        if failure is not None:
            kind = httpx.ConnectTimeout if failure == "timeout" else httpx.ConnectError
            raise kind(f"a fake failure: {failure}", request=request)
        fields = [(name.encode(), value) for name, value in headers]
        return httpx.Response(status or 0, headers=fields, stream=httpx.ByteStream(body))

    def polite(self, client: AsyncClient, **options: Any) -> Polite:
        """Creates a middleware for ``aiohttp`` whose `connector` connects to this web. Takes the options of
        `comity.aiohttp.Polite`."""
        from . import aiohttp

        web = self

        class Connector(aiohttp._Connector):
            async def _create_connection(self, req: Any, *_: Any) -> Any:
                ours, theirs = socket.socketpair()
                task = asyncio.ensure_future(web._serve(theirs, str(req.url.origin())))
                # The event loop has only a weak reference to the task.
                web._servers.add(task)
                task.add_done_callback(web._servers.discard)
                connected = await self._loop.create_connection(self._factory, sock=ours)
                return connected[1]

        class FakePolite(aiohttp.Polite):
            _connector_class = Connector

        return FakePolite(client, **options)

    async def _serve(self, connected: socket.socket, origin: str) -> None:
        """Answers the requests of one connection."""
        reader, writer = await asyncio.open_connection(sock=connected)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                line, *lines = head.decode("latin-1").splitlines()
                method, target, _ = line.split(" ", 2)
                pairs = [text.partition(":") for text in lines if text]
                fields = [(name, value.strip()) for name, _, value in pairs]
                lengths = [value for name, value in fields if name.lower() == "content-length"]
                await reader.readexactly(int(lengths[0]) if lengths else 0)
                status, failure, headers, body = self._native.answer(
                    method, origin + target, fields
                )
                if failure is not None:
                    return
                writer.write(f"HTTP/1.1 {status} Fake\r\nContent-Length: {len(body)}\r\n".encode())
                for name, value in headers:
                    writer.write(name.encode() + b": " + value + b"\r\n")
                writer.write(b"\r\n" + (b"" if method == "HEAD" else body))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            # The client closed the connection.
            pass
        finally:
            writer.close()

    def scrapy_settings(self) -> dict[str, Any]:
        """Returns settings of Scrapy (2.14 or later) that make a crawler download from this web."""
        from scrapy.http import Headers
        from scrapy.responsetypes import responsetypes
        from twisted.internet.error import ConnectionLost, DNSLookupError, TimeoutError

        errors = {"timeout": TimeoutError, "dns": DNSLookupError}
        web = self

        class Handler:
            lazy = True

            async def download_request(self, request: Any) -> Any:
                fields = [
                    (name.decode("latin-1"), b", ".join(values))
                    for name, values in request.headers.items()
                ]
                answer = web._native.answer(request.method, request.url, fields)
                status, failure, headers, body = answer
                if failure is not None:
                    raise errors.get(failure, ConnectionLost)(f"a fake failure: {failure}")
                sent = Headers()
                for name, value in headers:
                    sent.appendlist(name, value)
                kind = responsetypes.from_args(headers=sent, url=request.url, body=body)
                return kind(
                    request.url, status=status or 0, headers=sent, body=body, request=request
                )

            async def close(self) -> None:
                pass

        return {"DOWNLOAD_HANDLERS": {"http": Handler, "https": Handler}}


def page(
    url: UrlLike,
    body: str | bytes = b"",
    *,
    status: int = 200,
    headers: Mapping[str, str] | Iterable[tuple[str, str]] = (),
    robots: str | bytes = b"",
    token: str = "ExampleBot",
) -> Page:
    """Returns the page that a client with this token would fetch, for tests of programs that process pages.

    >>> from comity.testing import page
    >>> page("https://a.example/", "<p>Hello</p>", headers={"X-Robots-Tag": "noindex"}).warnings[0]["name"]
    'do_not_index'

    ``robots`` is the robots.txt of the site. Raises ``comity.Refused`` if it forbids the URL.
    """
    address = url_of(url)
    web = FakeWeb({address: Response(status, body, headers)})
    with web.client(token) as client:
        web.on(_robots_url(address), Response(200, robots))
        return client.fetch(address)


def _robots_url(url: str) -> str:
    scheme, _, rest = url.partition("://")
    host = rest.partition("/")[0].partition("?")[0].rpartition("@")[2]
    return f"{scheme}://{host}/robots.txt"


def _response(reply: Reply) -> Response:
    if isinstance(reply, Response):
        return reply
    if isinstance(reply, int):
        return Response(reply)
    if isinstance(reply, (str, bytes)):
        return Response(200, reply)
    raise TypeError(f"pass a Response, a body or a status code, not {type(reply).__name__}")


def _latin(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode("latin-1")


def _bound(kind: Any, web: FakeWeb) -> Any:
    """Returns a class of clients that send their requests to a web."""

    class FakeClient(kind):  # type: ignore[misc]
        def _connect(self, settings: dict[str, dict[str, object]]) -> NativeClient:
            return NativeClient(settings, self._is_async, web._native)

    FakeClient.__name__ = kind.__name__
    return FakeClient
