"""Polite requests with ``aiohttp`` (3.12 or later): a middleware for its sessions.

    import aiohttp
    from comity import AsyncClient
    from comity.aiohttp import Polite

    async with AsyncClient("ExampleBot", contact="https://example.com/bot") as client:
        polite = Polite(client)
        async with aiohttp.ClientSession(middlewares=[polite], connector=polite.connector()) as session:
            async with session.get("https://example.org/page") as response:
                await response.text()

Each request, including those after redirects, waits until guard, circuit breaker, robots.txt and pace permit it, as in
`Client.fetch`. The middleware must be the last one of the session.

The connector sends only requests whose URL the middleware admitted, to the addresses that the guard checked. A session with the
connector and without the middleware sends nothing. With another connector **there is no guard**: that connector resolves the
name again, and may receive an address that the guard did not check. `Polite(client, guard=False)` accepts any connector. Without
this option, a connector that `polite.connector()` did not return is an error.

If a connection breaks, `aiohttp` repeats a request with an idempotent method once. This request must be admitted again.

A request whose `Host` header names another host than its URL is refused, because robots.txt was read for the URL. A refused
request raises `Refused`, a subclass of both `comity.Refused` and `aiohttp.ClientError`. The request is sent with the
`User-Agent` of the polite client, unless its own `User-Agent` contains the client's product token. A request through a proxy is
an error.

With some settings, a request is sent although robots.txt is unknown (`allowed_but_warn`, for example with
`on_unreachable="warn"` after a 503). The logger `comity` logs this as a warning, once for each origin and polite client. Each
response, also in `response.history`, has the `comity.Decision` about its URL as `response.comity_decision`.
"""

from __future__ import annotations

import socket
import weakref
from typing import TYPE_CHECKING, Any

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from . import errors
from ._adapters import (
    DECISION,
    NotAdmitted,
    admitted,
    admitted_url,
    check_host,
    kind_of,
    no_proxy,
    printable,
    sending,
    user_agent_for,
)

if TYPE_CHECKING:
    from aiohttp import ClientHandlerType, ClientRequest, ClientResponse
    from aiohttp.abc import ResolveResult
    from aiohttp.connector import Connection
    from aiohttp.tracing import Trace

    from .client import AsyncAdmission, AsyncClient

__all__ = ["ConnectionFailed", "FetchError", "Polite", "Refused", "TimedOut", "UrlError"]


class FetchError(errors.FetchError, aiohttp.ClientError):
    """A request that was not sent, for example because of an open circuit breaker or a 503 for robots.txt."""


class Refused(errors.Refused, FetchError):
    """A request that Comity refused: by robots.txt or by the guard."""


class TimedOut(errors.TimedOut, FetchError):
    """A request that would have to wait longer than `max_wait`, or whose robots.txt did not arrive in time."""


class ConnectionFailed(errors.ConnectionFailed, FetchError, aiohttp.ClientConnectionError):
    """A request to a host that has no address or whose robots.txt could not be requested, or a request that was not admitted."""


class UrlError(errors.UrlError, aiohttp.ClientError):
    """A URL that is invalid, or neither http nor https."""


_KINDS = (Refused, TimedOut, ConnectionFailed, FetchError)


def _translated(error: errors.ComityError) -> Exception:
    if isinstance(error, errors.UrlError):
        return UrlError(str(error))
    if not isinstance(error, errors.FetchError):
        return error
    return kind_of(error, _KINDS)(str(error), error.record)


class _Admitted(AbstractResolver):
    """A resolver that returns the addresses that the guard checked."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        try:
            addresses = admitted()
        except NotAdmitted as error:
            raise OSError(str(error)) from error
        results: list[ResolveResult] = []
        for address, _ in addresses:
            kind = socket.AF_INET6 if ":" in address else socket.AF_INET
            if family in (socket.AF_UNSPEC, kind):
                results.append(
                    {
                        "hostname": host,
                        "host": address,
                        "port": port,
                        "family": kind,
                        "proto": 0,
                        "flags": socket.AI_NUMERICHOST,
                    }
                )
        return results

    async def close(self) -> None:
        """Does nothing, since the resolver holds no resources."""


class _Connector(aiohttp.TCPConnector):
    """A connector for admitted requests.

    It also checks requests for which aiohttp calls no resolver: to an IP address, or on an open connection.
    """

    async def connect(
        self, req: ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout
    ) -> Connection:
        """Returns a connection for a request. Raises ConnectionFailed if the request was not admitted."""
        # A middleware after this one may have changed the URL.
        if URL(admitted_url(), encoded=True) != req.url:
            raise ConnectionFailed(
                f"no request for {printable(str(req.url))} is admitted: this connector belongs to sessions whose last "
                "middleware is `polite` (middlewares=[polite])",
                {"outcome": "guard_refused"},
            )
        return await super().connect(req, traces, timeout)


class Polite:
    """A middleware that sends each request as soon as it is admitted. `max_wait` is that of `comity.Client.fetch`."""

    #: The class of connectors. The middleware of `comity.testing` replaces it.
    _connector_class = _Connector

    def __init__(
        self, client: AsyncClient, *, max_wait: float | None = None, guard: bool = True
    ) -> None:
        no_proxy(client._proxy, "aiohttp")
        self._client = client
        self._max_wait = max_wait
        self._guard = guard
        self._connectors: weakref.WeakSet[aiohttp.BaseConnector] = weakref.WeakSet()

    def connector(self, **options: Any) -> aiohttp.TCPConnector:
        """Returns a connector to the addresses that the guard checked; `options` are those of `aiohttp.TCPConnector`."""
        connector = self._connector_class(
            **{**options, "resolver": _Admitted(), "use_dns_cache": False}
        )
        self._connectors.add(connector)
        return connector

    async def __call__(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        """Waits for an admission and sends the request."""
        if request.proxy is not None:
            raise FetchError(
                "a polite session does not support proxies: send the request without one",
                {"outcome": "proxy"},
            )
        connector = request.session.connector
        if self._guard and connector not in self._connectors:
            raise RuntimeError(
                "the session resolves names itself, without the guard: pass connector=polite.connector() to the session, "
                "or guard=False to Polite"
            )
        try:
            # aiohttp sends the host without a dot at its end.
            sent = f"{request.url.scheme}://{request.url.host_port_subcomponent}"
            check_host(request.headers.items(), sent)
            admission = await self._client._admit(
                str(request.url), self._max_wait, "a response of aiohttp"
            )
        except errors.ComityError as error:
            raise _translated(error) from error
        with sending(self._client, admission) as decision:
            # Send exactly the URL that was decided, without normalizing it again.
            request.url = URL(admission.url, encoded=True)
            request.headers["Host"] = request.url.host_port_subcomponent or ""
            given = request.headers.get("User-Agent")
            request.headers["User-Agent"] = user_agent_for(given, self._client)
            response = await handler(request)
            setattr(response, DECISION, decision)
            await admission.answered(response.status, list(response.headers.items()))
        _close_after(response, admission)
        return response


def _close_after(response: ClientResponse, admission: AsyncAdmission) -> None:
    """Releases the permit once the body is read or abandoned."""
    weakref.finalize(response, admission.close)
    connection = response.connection
    if connection is None:
        # A short body has arrived together with the header.
        admission.close()
    else:
        # If the connection fails within the body, the response does not end, but its connection is released.
        connection.add_callback(admission.close)
