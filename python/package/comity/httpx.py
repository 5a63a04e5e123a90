"""Polite requests with ``httpx``: transports for its clients.

    import httpx
    from comity import Client
    from comity.httpx import PoliteTransport

    polite = Client("ExampleBot", contact="https://example.com/bot")
    with httpx.Client(transport=PoliteTransport(polite)) as client:
        client.get("https://example.org/page", follow_redirects=True)

For asyncio, use `AsyncPoliteTransport` with a `comity.AsyncClient` and an `httpx.AsyncClient`.

Each request, including those after redirects, waits until guard, circuit breaker, robots.txt and pace permit it, as in
`Client.fetch`. `httpx` itself sends the request, only over connections to the addresses that the guard checked. A refused
request raises `Refused`, a subclass of both `comity.Refused` and `httpx.TransportError`.

A request whose `Host` header names another host than its URL, or with the extension `target`, is refused, because robots.txt was
read for the URL. A request is sent with the `User-Agent` of the polite client, unless its own `User-Agent` contains the client's
product token. `httpx` bypasses the client's transport for requests through a proxy (`proxy=`, `mounts=`, the environment). To
ignore a proxy in the environment, set `trust_env=False`. Timeouts of `httpx` apply to the request itself. For the steps before
the request, the settings of the polite client apply: `timeout` to the request for robots.txt, and `max_wait` to the wait for the
permit.

With some settings, a request is sent although robots.txt is unknown (`allowed_but_warn`, for example with
`on_unreachable="warn"` after a 503). The logger `comity` logs this as a warning, once for each origin and polite client. Each
response, also in `response.history`, has the `comity.Decision` about its URL as `response.extensions["comity_decision"]`.

`PoliteTransport(polite, signer=Signer("bot.identity.json"))` (`comity.identity`) signs requests, with a new signature at each hop
of a redirect. A `SigningTransport` only signs. Neither is an `httpx.Auth`, because httpx would also send the signature to the
target of a redirect. A signature for another site is invalid there.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import httpcore
import httpx

from . import errors
from ._adapters import (
    DECISION,
    NotAdmitted,
    admitted,
    check_host,
    check_peer,
    kind_of,
    no_proxy,
    sending,
    user_agent_for,
    with_own_init,
)
from .identity import FIELDS

if TYPE_CHECKING:
    from .client import Admission, AsyncAdmission, AsyncClient, Client
    from .identity import Signer

AnyClient = TypeVar("AnyClient", "Client", "AsyncClient")

__all__ = [
    "AsyncPoliteTransport",
    "AsyncSigningTransport",
    "ConnectionFailed",
    "FetchError",
    "PoliteTransport",
    "Refused",
    "SigningTransport",
    "TimedOut",
    "UrlError",
]


class FetchError(errors.FetchError, httpx.TransportError):
    """A request that was not sent, for example because of an open circuit breaker or a 503 for robots.txt."""

    def __init__(
        self, message: str, record: dict[str, Any], request: httpx.Request | None = None
    ) -> None:
        Exception.__init__(self, message, record)
        self.record = record
        self._request = request


class Refused(errors.Refused, FetchError):
    """A request that Comity refused: by robots.txt or by the guard."""


class TimedOut(errors.TimedOut, FetchError, httpx.TimeoutException):
    """A request that would have to wait longer than `max_wait`, or whose robots.txt did not arrive in time."""

    def __init__(
        self, message: str, record: dict[str, Any], request: httpx.Request | None = None
    ) -> None:
        FetchError.__init__(self, message, record, request)


class ConnectionFailed(errors.ConnectionFailed, FetchError, httpx.ConnectError):
    """A request to a host that has no address or whose robots.txt could not be requested."""

    def __init__(
        self, message: str, record: dict[str, Any], request: httpx.Request | None = None
    ) -> None:
        FetchError.__init__(self, message, record, request)


class UrlError(errors.UrlError, httpx.UnsupportedProtocol):
    """A URL that is invalid, or neither http nor https."""


_KINDS = (Refused, TimedOut, ConnectionFailed, FetchError)


def _translated(error: errors.ComityError, request: httpx.Request) -> Exception:
    if isinstance(error, errors.UrlError):
        return UrlError(str(error), request=request)
    if not isinstance(error, errors.FetchError):
        return error
    return kind_of(error, _KINDS)(str(error), error.record, request)


def _sign(request: httpx.Request, signer: Signer) -> None:
    """Replaces the signature of a request. Does not sign a request without TLS."""
    # A redirected request still has the signature for the previous URL.
    for name in FIELDS:
        request.headers.pop(name, None)
    if request.url.scheme != "https":
        return
    sent = b"https://" + request.url.netloc + request.url.raw_path
    request.headers.update(signer.sign(request.method, sent, request.headers.multi_items()))


def _check(request: httpx.Request) -> None:
    """Raises Refused if the request would be sent to another host or for another path than those of its URL."""
    check_host(request.headers.multi_items(), str(request.url))
    if "target" in request.extensions:
        raise errors.Refused(
            "the extension `target` of the request replaces its URL; pass the URL that is to be requested",
            {"outcome": "guard_refused"},
        )


class SigningTransport(httpx.BaseTransport):
    """Signs a client's requests, including requests after redirects, and passes them to another transport.

    This transport neither checks robots.txt nor keeps a pace; `PoliteTransport` does both.
    """

    def __init__(self, signer: Signer, transport: httpx.BaseTransport | None = None) -> None:
        self._signer = signer
        self._transport = httpx.HTTPTransport() if transport is None else transport

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Signs a request and sends it."""
        _sign(request, self._signer)
        return self._transport.handle_request(request)

    def __enter__(self) -> SigningTransport:
        self._transport.__enter__()
        return self

    def __exit__(self, *details: Any) -> None:
        self._transport.__exit__(*details)

    def close(self) -> None:
        """Closes the underlying transport."""
        self._transport.close()


class AsyncSigningTransport(httpx.AsyncBaseTransport):
    """Signs the requests of an `httpx.AsyncClient`, and passes them to another transport; see `SigningTransport`."""

    def __init__(self, signer: Signer, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._signer = signer
        self._transport = httpx.AsyncHTTPTransport() if transport is None else transport

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Signs a request and sends it."""
        _sign(request, self._signer)
        return await self._transport.handle_async_request(request)

    async def __aenter__(self) -> AsyncSigningTransport:
        await self._transport.__aenter__()
        return self

    async def __aexit__(self, *details: Any) -> None:
        await self._transport.__aexit__(*details)

    async def aclose(self) -> None:
        """Closes the underlying transport."""
        await self._transport.aclose()


_LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=20)


class _Polite(Generic[AnyClient]):
    """The options of both transports, and the preparation of a request."""

    _pool_of: Callable[..., Any]

    def __init__(
        self,
        client: AnyClient,
        *,
        max_wait: float | None = None,
        signer: Signer | None = None,
        verify: Any = True,
        cert: Any = None,
        http1: bool = True,
        http2: bool = False,
        limits: httpx.Limits = _LIMITS,
    ) -> None:
        no_proxy(client._proxy, type(self).__name__)
        self._client: AnyClient = client
        self._max_wait = max_wait
        self._signer = signer
        self._pool = self._pool_of(
            ssl_context=httpx.create_ssl_context(verify=verify, cert=cert, trust_env=False),
            max_connections=limits.max_connections,
            max_keepalive_connections=limits.max_keepalive_connections,
            keepalive_expiry=limits.keepalive_expiry,
            http1=http1,
            http2=http2,
        )

    def _prepare(self, request: httpx.Request, url: str) -> None:
        """Sets the URL that was decided, the `User-Agent` and the signature."""
        request.url = httpx.URL(url)
        request.headers["Host"] = request.url.netloc.decode("ascii")
        given = request.headers.get("User-Agent")
        request.headers["User-Agent"] = user_agent_for(given, self._client)
        if self._signer is not None:
            _sign(request, self._signer)


@with_own_init
class PoliteTransport(_Polite["Client"], httpx.HTTPTransport):
    """Sends each request as soon as it is admitted. `max_wait` is that of `comity.Client.fetch`."""

    @staticmethod
    def _pool_of(**options: Any) -> httpcore.ConnectionPool:
        return httpcore.ConnectionPool(network_backend=_Backend(), **options)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Waits for an admission and sends the request."""
        try:
            _check(request)
            admission = self._client._admit(str(request.url), self._max_wait, "a response of httpx")
        except errors.ComityError as error:
            raise _translated(error, request) from error
        with sending(self._client, admission) as decision:
            self._prepare(request, admission.url)
            response = super().handle_request(request)
            response.extensions[DECISION] = decision
            try:
                admission.answered(response.status_code, response.headers.raw)
            except BaseException:
                response.close()
                raise
        assert isinstance(response.stream, httpx.SyncByteStream)
        response.stream = _Stream(response.stream, admission)
        return response


@with_own_init
class AsyncPoliteTransport(_Polite["AsyncClient"], httpx.AsyncHTTPTransport):
    """Sends each request of an `httpx.AsyncClient` as soon as it is admitted; see `PoliteTransport`."""

    @staticmethod
    def _pool_of(**options: Any) -> httpcore.AsyncConnectionPool:
        return httpcore.AsyncConnectionPool(network_backend=_AsyncBackend(), **options)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Waits for an admission and sends the request."""
        try:
            _check(request)
            admission = await self._client._admit(
                str(request.url), self._max_wait, "a response of httpx"
            )
        except errors.ComityError as error:
            raise _translated(error, request) from error
        with sending(self._client, admission) as decision:
            self._prepare(request, admission.url)
            response = await super().handle_async_request(request)
            response.extensions[DECISION] = decision
            try:
                await admission.answered(response.status_code, response.headers.raw)
            except BaseException:
                await response.aclose()
                raise
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _AsyncStream(response.stream, admission)
        return response


class _Stream(httpx.SyncByteStream):
    """A body that releases the permit of its request when the body is read or closed."""

    def __init__(self, stream: httpx.SyncByteStream, admission: Admission) -> None:
        self._stream = stream
        self._admission = admission

    def __iter__(self) -> Iterator[bytes]:
        yield from self._stream

    def close(self) -> None:
        try:
            self._stream.close()
        finally:
            self._admission.close()


class _AsyncStream(httpx.AsyncByteStream):
    """A body for asyncio that releases the permit of its request when the body is read or closed."""

    def __init__(self, stream: httpx.AsyncByteStream, admission: AsyncAdmission) -> None:
        self._stream = stream
        self._admission = admission

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            yield chunk

    async def aclose(self) -> None:
        try:
            await self._stream.aclose()
        finally:
            self._admission.close()


def _check_stream(stream: Any) -> None:
    connected = stream.get_extra_info("socket")
    assert isinstance(connected, socket.socket) or hasattr(connected, "getpeername")
    check_peer(connected.getpeername()[0], admitted())


class _Backend(httpcore.NetworkBackend):
    """A network backend that connects only to the admitted addresses."""

    def __init__(self) -> None:
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        *arguments: Any,
        **options: Any,
    ) -> httpcore.NetworkStream:
        failure: Exception = httpcore.ConnectError(
            f"cannot connect to {host}: the admission has no address"
        )
        for address in _addresses():
            try:
                stream = self._inner.connect_tcp(address, port, *arguments, **options)
            except Exception as error:
                failure = error
                continue
            _check_stream(stream)
            return stream
        raise failure

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class _AsyncBackend(httpcore.AsyncNetworkBackend):
    """A network backend for asyncio that connects only to the admitted addresses."""

    def __init__(self) -> None:
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        *arguments: Any,
        **options: Any,
    ) -> httpcore.AsyncNetworkStream:
        failure: Exception = httpcore.ConnectError(
            f"cannot connect to {host}: the admission has no address"
        )
        for address in _addresses():
            try:
                stream = await self._inner.connect_tcp(address, port, *arguments, **options)
            except Exception as error:
                failure = error
                continue
            _check_stream(stream)
            return stream
        raise failure

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


def _addresses() -> list[str]:
    try:
        return [host for host, _ in admitted()]
    except NotAdmitted as error:
        raise httpcore.ConnectError(str(error)) from error
