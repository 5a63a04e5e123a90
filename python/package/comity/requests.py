"""Polite requests with ``requests``: an adapter for its sessions.

    import requests
    from comity import Client
    from comity.requests import PoliteAdapter

    client = Client("ExampleBot", contact="https://example.com/bot")
    session = requests.Session()
    session.mount("http://", PoliteAdapter(client))
    session.mount("https://", PoliteAdapter(client))
    session.get("https://example.org/page")

Mount the adapter for both schemes. Otherwise, a redirect from http to https would be followed unchecked.

Each request, including those after redirects, waits until guard, circuit breaker, robots.txt and pace permit it, as in
`Client.fetch`. `requests` itself sends the request, only over connections to the addresses that the guard checked. A
refused request raises `Refused`, a subclass of both `comity.Refused` and `requests.RequestException`.

A request is sent with the `User-Agent` of the client, unless its own `User-Agent` contains the client's product token. The only
supported proxy is that of the client (`Client(..., proxy=...)`). The proxy then resolves names, and the guard does not check
their addresses. A proxy of the session or the environment is an error. To ignore the environment, set
`session.trust_env = False`.

A request whose `Host` header names another host than its URL is refused, because robots.txt was read for the URL.

A `timeout` applies to the request itself. For the steps before the request, the settings of the client apply: `timeout` to the
request for robots.txt, and `max_wait` to the wait for the permit. Each attempt must be admitted separately, so the adapter does
not accept `max_retries`. Repeat the session's call instead.

With some settings, a request is sent although robots.txt is unknown (`allowed_but_warn`, for example with
`on_unreachable="warn"` after a 503). The logger `comity` logs this as a warning, once for each origin and polite client. Each
response, also in `response.history`, has the `comity.Decision` about its URL as `response.comity_decision`.

`PoliteAdapter(client, signer=Signer("bot.identity.json"))` (`comity.identity`) signs requests, with a new signature at each hop of
a redirect. A `SigningAdapter` only signs. Neither is an `auth`, because requests would also send the signature to the target of
a redirect. A signature for another site is invalid there.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import requests
from requests.adapters import HTTPAdapter
from requests.utils import select_proxy
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import NewConnectionError
from urllib3.util import parse_url

from . import errors
from ._adapters import (
    DECISION,
    NotAdmitted,
    admitted,
    check_host,
    check_peer,
    kind_of,
    sending,
    user_agent_for,
)
from .identity import FIELDS

if TYPE_CHECKING:
    import socket

    from .client import Admission, Client
    from .identity import Signer

__all__ = [
    "ConnectionFailed",
    "FetchError",
    "PoliteAdapter",
    "Refused",
    "SigningAdapter",
    "TimedOut",
    "UrlError",
]


class FetchError(errors.FetchError, requests.RequestException):
    """A request that was not sent, for example because of an open circuit breaker or a 503 for robots.txt."""


class Refused(errors.Refused, FetchError):
    """A request that Comity refused: by robots.txt or by the guard."""


class TimedOut(errors.TimedOut, FetchError, requests.Timeout):
    """A request that would have to wait longer than `max_wait`, or whose robots.txt did not arrive in time."""


class ConnectionFailed(errors.ConnectionFailed, FetchError, requests.ConnectionError):
    """A request to a host that has no address or whose robots.txt could not be requested."""


class UrlError(errors.UrlError, requests.exceptions.InvalidURL):
    """A URL that is invalid, or neither http nor https."""


_KINDS = (Refused, TimedOut, ConnectionFailed, FetchError)


def _translated(error: errors.FetchError, request: requests.PreparedRequest) -> FetchError:
    translated = kind_of(error, _KINDS)(str(error), error.record)
    translated.request = request
    return translated


def _sign(request: requests.PreparedRequest, signer: Signer) -> None:
    """Replaces the signature of a request. Does not sign a request without TLS."""
    # A redirected request still has the signature for the previous URL.
    for name in FIELDS:
        request.headers.pop(name, None)
    url = parse_url(request.url or "")
    if url.scheme != "https":
        return
    # Sign the URL in the form in which urllib3 sends it.
    request.url = url.url
    request.headers.update(signer.sign(request.method or "GET", url.url, request.headers.items()))


class SigningAdapter(HTTPAdapter):
    """Signs a session's requests, including requests after redirects, and sends them as `HTTPAdapter` does.

    This adapter neither checks robots.txt nor keeps a pace; `PoliteAdapter` does both.
    """

    def __init__(self, signer: Signer, **options: Any) -> None:
        self._signer = signer
        super().__init__(**options)

    def send(
        self, request: requests.PreparedRequest, *args: Any, **options: Any
    ) -> requests.Response:
        """Signs a request and sends it."""
        _sign(request, self._signer)
        return super().send(request, *args, **options)

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError(
            "a signing adapter cannot be pickled, because it has private keys: create one in the other process"
        )


_NO_RETRIES = "max_retries is not supported, because each attempt must be admitted: repeat the session's call instead"


class PoliteAdapter(HTTPAdapter):
    """An `HTTPAdapter` that sends each request of a session as soon as it is admitted.

    `max_wait` is that of `Client.fetch`.
    """

    def __init__(
        self,
        client: Client,
        *,
        max_wait: float | None = None,
        signer: Signer | None = None,
        **options: Any,
    ) -> None:
        if options.get("max_retries"):
            raise TypeError(_NO_RETRIES)
        self._client = client
        self._max_wait = max_wait
        self._signer = signer
        super().__init__(**options)
        self._max_retries = self.max_retries

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Creates the connection pools, which connect to the admitted addresses."""
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _TlsPool}

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,
        timeout: Any = None,
        verify: Any = True,
        cert: Any = None,
        proxies: Mapping[str, str] | None = None,
    ) -> requests.Response:
        """Waits for an admission and sends the request."""
        if self.max_retries is not self._max_retries:
            raise TypeError(_NO_RETRIES)
        if select_proxy(request.url or "", dict(proxies or {})):
            raise requests.exceptions.ProxyError(
                "a polite session does not support a proxy: pass it to the client (Client(..., proxy=...)), or set "
                "session.trust_env = False if the environment sets the proxy",
                request=request,
            )
        try:
            check_host(request.headers.items(), request.url or "")
            admission = self._client._admit(
                request.url or "", self._max_wait, "a response of requests"
            )
        except errors.UrlError as error:
            raise UrlError(str(error), request=request) from error
        except errors.FetchError as error:
            raise _translated(error, request) from error
        with sending(self._client, admission) as decision:
            # Send exactly the URL that was decided, without normalizing it again.
            request.url = admission.url
            given = request.headers.get("User-Agent")
            request.headers["User-Agent"] = user_agent_for(given, self._client)
            if self._signer is not None:
                _sign(request, self._signer)
            proxy = self._client._proxy
            response = super().send(
                request,
                stream=stream,
                timeout=timeout,
                verify=verify,
                cert=cert,
                proxies={"http": proxy, "https": proxy} if proxy else {},
            )
            setattr(response, DECISION, decision)
            admission.answered(response.status_code, list(response.raw.headers.items()))
        _close_after(response, admission)
        return response

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError(
            "a polite adapter cannot be pickled, because it has a client: create one in the other process"
        )


def _close_after(response: requests.Response, admission: Admission) -> None:
    """Releases the permit once the body is read or abandoned."""
    raw = response.raw
    for name in ("release_conn", "close"):
        method = getattr(raw, name)

        def and_close(*args: Any, method: Any = method, **kwargs: Any) -> Any:
            try:
                return method(*args, **kwargs)
            finally:
                admission.close()

        setattr(raw, name, and_close)
    weakref.finalize(response, admission.close)
    if getattr(raw, "_connection", None) is None:
        # A short body has arrived together with the header.
        admission.close()


def _dial(connection: HTTPConnection, dial: Callable[[], socket.socket]) -> socket.socket:
    """Connects to one of the permitted addresses."""
    try:
        addresses = admitted()
        name = connection._dns_host
        failure: Exception | None = None
        for host, _ in addresses:
            connection._dns_host = host
            try:
                dialled = dial()
            except Exception as error:
                failure = error
                continue
            finally:
                connection._dns_host = name
            try:
                check_peer(dialled.getpeername()[0], addresses)
            except BaseException:
                dialled.close()
                raise
            return dialled
    except NotAdmitted as error:
        raise NewConnectionError(connection, str(error)) from error
    assert failure is not None
    raise failure


class _Connection(HTTPConnection):
    def _new_conn(self) -> socket.socket:
        return _dial(self, super()._new_conn)


class _TlsConnection(HTTPSConnection):
    def _new_conn(self) -> socket.socket:
        return _dial(self, super()._new_conn)


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _TlsConnection
