"""Politeness for programs that use ``requests``: an adapter for their session.

    import requests
    from comity import Client
    from comity.requests import PoliteAdapter

    client = Client("ExampleBot", contact="https://example.com/bot")
    session = requests.Session()
    session.mount("http://", PoliteAdapter(client))
    session.mount("https://", PoliteAdapter(client))
    session.get("https://example.org/page")

Mount it for both: what goes to another adapter, a redirect from http to https for one, is sent without asking.

Before each request, those that redirects lead to among them, guard, circuit breaker, robots.txt and pace have to agree, as
for `Client.fetch`. The request is sent by `requests`, over connections to the addresses that the guard checked and to no
others. What is refused raises `Refused`, which here is a `comity.Refused` and a `requests.RequestException`.

The `User-Agent` is the client's, unless the request has one that names the same crawler. A proxy is the client's
(`Client(..., proxy=...)`), which then resolves names, without the guard: proxies of the session or the environment are an
error (`session.trust_env = False`). A `timeout` is for the request itself; for robots.txt and the turn there are those of the
client (`Client(..., timeout=...)`) and `max_wait`. An attempt is a request, so `max_retries` is not taken: retry around the session.

A request that is sent though nothing is known (`allowed_but_warn`: with `on_unreachable="warn"` after a 503, for one) is
logged by `logging.getLogger("comity")` as a warning, once for each origin and polite client. Each response, those in
`response.history` among them, has the `comity.Decision` about its URL as `response.comity_decision`.

Requests are signed with `PoliteAdapter(client, signer=Signer("bot.identity.json"))` (`comity.identity`), each hop of a redirect
anew. A `SigningAdapter` signs and does nothing else. Neither is an `auth`: requests sends the header fields that one made on to
wherever a redirect leads, where a signature for another site is invalid.
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
from ._adapters import DECISION, NotAdmitted, admitted, check_peer, kind_of, sending, user_agent_for
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
    """A request that was not admitted, though Comity did not refuse it: the store or the circuit breaker."""


class Refused(errors.Refused, FetchError):
    """A request that Comity refused: by robots.txt or by the guard."""


class TimedOut(errors.TimedOut, FetchError, requests.Timeout):
    """A turn that is further off than `max_wait`."""


class ConnectionFailed(errors.ConnectionFailed, FetchError, requests.ConnectionError):
    """A host without an address."""


class UrlError(errors.UrlError, requests.exceptions.InvalidURL):
    """What is no URL of the web."""


_KINDS = (Refused, TimedOut, ConnectionFailed, FetchError)


def _translated(error: errors.FetchError, request: requests.PreparedRequest) -> FetchError:
    translated = kind_of(error, _KINDS)(str(error), error.record)
    translated.request = request
    return translated


def _sign(request: requests.PreparedRequest, signer: Signer) -> None:
    """Signs a request for this very hop. Without TLS nothing is signed."""
    # A redirect brings along what was signed for another URL.
    for name in FIELDS:
        request.headers.pop(name, None)
    url = parse_url(request.url or "")
    if url.scheme != "https":
        return
    # In the spelling in which urllib3 sends it.
    request.url = url.url
    request.headers.update(signer.sign(request.method or "GET", url.url, request.headers.items()))


class SigningAdapter(HTTPAdapter):
    """Signs a session's requests, those that redirects lead to among them; the rest is `HTTPAdapter`'s.

    Nothing is asked of robots.txt, and no pace is kept: `PoliteAdapter` does that.
    """

    def __init__(self, signer: Signer, **options: Any) -> None:
        self._signer = signer
        super().__init__(**options)

    def send(
        self, request: requests.PreparedRequest, *args: Any, **options: Any
    ) -> requests.Response:
        """Signs a request, and sends it."""
        _sign(request, self._signer)
        return super().send(request, *args, **options)

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("a signing adapter has private keys, which stay in its process")


class PoliteAdapter(HTTPAdapter):
    """Sends a session's requests when they may be sent. `max_wait` is that of `Client.fetch`; the rest is `HTTPAdapter`'s."""

    def __init__(
        self,
        client: Client,
        *,
        max_wait: float | None = None,
        signer: Signer | None = None,
        **options: Any,
    ) -> None:
        if options.get("max_retries"):
            raise TypeError(
                "each attempt is a request of its own: retry around the session, without max_retries"
            )
        self._client = client
        self._max_wait = max_wait
        self._signer = signer
        super().__init__(**options)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Makes the pools of connections, which dial what was admitted."""
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
        """Sends a request when it may be sent."""
        if select_proxy(request.url or "", dict(proxies or {})):
            raise requests.exceptions.ProxyError(
                "a polite session dials the addresses that were checked, and no proxy: give it to the client "
                "(Client(..., proxy=...)), or set session.trust_env = False if it is the environment's",
                request=request,
            )
        try:
            admission = self._client.admit(request.url or "", max_wait=self._max_wait)
        except errors.UrlError as error:
            raise UrlError(str(error), request=request) from error
        except errors.FetchError as error:
            raise _translated(error, request) from error
        with sending(self._client, admission) as decision:
            # What is sent is what was decided on, not another spelling of it.
            request.url = admission.url
            given = request.headers.get("User-Agent")
            request.headers["User-Agent"] = user_agent_for(given, self._client)
            if self._signer is not None:
                _sign(request, self._signer)
            through = self._client._proxy
            response = super().send(
                request,
                stream=stream,
                timeout=timeout,
                verify=verify,
                cert=cert,
                proxies={"http": through, "https": through} if through else {},
            )
            setattr(response, DECISION, decision)
            admission.answered(response.status_code, list(response.raw.headers.items()))
        _close_after(response, admission)
        return response

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError(
            "a polite adapter has a client, which stays in its process: make another one"
        )


def _close_after(response: requests.Response, admission: Admission) -> None:
    """Gives the right to send back once the body is read or given up."""
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
        # A short body came with its head.
        admission.close()


def _dial(connection: HTTPConnection, dial: Callable[[], socket.socket]) -> socket.socket:
    """Connects to one of the addresses that may be dialled."""
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
