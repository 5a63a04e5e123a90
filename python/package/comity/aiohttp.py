"""Politeness for programs that use ``aiohttp`` (3.12 or later): a middleware for their session.

    import aiohttp
    from comity import AsyncClient
    from comity.aiohttp import Polite

    async with AsyncClient("ExampleBot", contact="https://example.com/bot") as client:
        polite = Polite(client)
        async with aiohttp.ClientSession(middlewares=[polite], connector=polite.connector()) as session:
            async with session.get("https://example.org/page") as response:
                await response.text()

Before each request, those that redirects lead to among them, circuit breaker, robots.txt and pace have to agree, as for
`Client.fetch`, and the guard looks at the host's addresses. The middleware must be the last of those that the session has.

The connector dials the addresses that the guard checked, and no others. With another connector **there is no guard**: it
resolves the name again, and may be given another address the second time. `Polite(client, guard=False)` takes any
connector; without that, one that is not the middleware's own is an error.

`aiohttp` sends a request that has no body once more if a connection breaks: that is a request like any other, with a turn of
its own.

What is refused raises `Refused`, which here is a `comity.Refused` and an `aiohttp.ClientError`. The `User-Agent` is the polite
client's, unless the request has one that names the same crawler. A request that goes through a proxy is an error.

A request that is sent though nothing is known (`allowed_but_warn`: with `on_unreachable="warn"` after a 503, for one) is
logged by `logging.getLogger("comity")` as a warning, once for each origin and polite client. Each response, those in
`response.history` among them, has the `comity.Decision` about its URL as `response.comity_decision`.
"""

from __future__ import annotations

import socket
import weakref
from typing import TYPE_CHECKING, Any

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from . import errors
from ._adapters import DECISION, NotAdmitted, admitted, kind_of, no_proxy, sending, user_agent_for

if TYPE_CHECKING:
    from aiohttp import ClientHandlerType, ClientRequest, ClientResponse
    from aiohttp.abc import ResolveResult

    from .client import AsyncAdmission, AsyncClient

__all__ = ["ConnectionFailed", "FetchError", "Polite", "Refused", "TimedOut", "UrlError"]


class FetchError(errors.FetchError, aiohttp.ClientError):
    """A request that was not admitted, though Comity did not refuse it: the store or the circuit breaker."""


class Refused(errors.Refused, FetchError):
    """A request that Comity refused: by robots.txt or by the guard."""


class TimedOut(errors.TimedOut, FetchError):
    """A turn that is further off than `max_wait`."""


class ConnectionFailed(errors.ConnectionFailed, FetchError, aiohttp.ClientConnectionError):
    """A host without an address."""


class UrlError(errors.UrlError, aiohttp.ClientError):
    """What is no URL of the web."""


_KINDS = (Refused, TimedOut, ConnectionFailed, FetchError)


def _translated(error: errors.ComityError) -> Exception:
    if isinstance(error, errors.UrlError):
        return UrlError(str(error))
    if not isinstance(error, errors.FetchError):
        return error
    return kind_of(error, _KINDS)(str(error), error.record)


class _Admitted(AbstractResolver):
    """Answers with the addresses that the guard checked."""

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
        """Nothing is open."""


class Polite:
    """A middleware that lets requests through when they may be sent. `max_wait` is that of `comity.Client.fetch`."""

    def __init__(
        self, client: AsyncClient, *, max_wait: float | None = None, guard: bool = True
    ) -> None:
        no_proxy(client._proxy, "aiohttp")
        self._client = client
        self._max_wait = max_wait
        self._guard = guard
        self._connectors: weakref.WeakSet[aiohttp.BaseConnector] = weakref.WeakSet()

    def connector(self, **options: Any) -> aiohttp.TCPConnector:
        """A connector that dials the addresses that the guard checked; `options` are those of `aiohttp.TCPConnector`."""
        connector = aiohttp.TCPConnector(
            **{**options, "resolver": _Admitted(), "use_dns_cache": False}
        )
        self._connectors.add(connector)
        return connector

    async def __call__(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        """Sends a request when it may be sent."""
        if request.proxy is not None:
            raise FetchError("a polite session sends nothing through a proxy", {"outcome": "proxy"})
        connector = request.session.connector
        if self._guard and connector not in self._connectors:
            raise RuntimeError(
                "this session resolves names by itself, so there is no guard: give it connector=polite.connector(), or "
                "say Polite(client, guard=False)"
            )
        try:
            admission = await self._client.admit(str(request.url), max_wait=self._max_wait)
        except errors.ComityError as error:
            raise _translated(error) from error
        with sending(self._client, admission) as decision:
            # What is sent is what was decided on, not another spelling of it.
            request.url = URL(admission.url, encoded=True)
            given = request.headers.get("User-Agent")
            request.headers["User-Agent"] = user_agent_for(given, self._client)
            response = await handler(request)
            setattr(response, DECISION, decision)
            await admission.answered(response.status, list(response.headers.items()))
        _close_after(response, admission)
        return response


def _close_after(response: ClientResponse, admission: AsyncAdmission) -> None:
    """Gives the right to send back once the body is read or given up."""
    weakref.finalize(response, admission.close)
    connection = response.connection
    if connection is None:
        # A short body came with its head.
        admission.close()
    else:
        # A body that breaks off has no end to wait for; its connection is let go of all the same.
        connection.add_callback(admission.close)
