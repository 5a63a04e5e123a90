"""Code that the adapters for other HTTP libraries share: the check of addresses, the User-Agent header, and the warning log.

An HTTP library opens its connections itself. An *admission* is the client's permission for one request, and has the
addresses that the guard checked. A context variable stores the admission of the current request. The adapters refuse
connections to all other addresses.
"""

from __future__ import annotations

import logging
import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import update_wrapper
from ipaddress import ip_address
from threading import Lock
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

from ._urls import origin_of
from .errors import FetchError, Refused, SettingError

if TYPE_CHECKING:
    from ._comity import Decision
    from .client import _Admitted, _Shared

Kind = TypeVar("Kind", bound=FetchError)
AnyClass = TypeVar("AnyClass")

#: Name of the attribute of a response that contains its decision, or of the key in a mapping such as httpx's `extensions`.
DECISION = "comity_decision"

#: Maximum number of origins that a `WarningLog` stores.
MAX_WARNED_ORIGINS = 10_000

Addresses = Sequence[tuple[str, int]]

_ADMITTED: ContextVar[_Admitted | None] = ContextVar("comity_admitted", default=None)


def with_own_init(public: type[AnyClass]) -> type[AnyClass]:
    """Copies the inherited `__init__` of a class, so that a TypeError about arguments names the class and not its private base."""
    inherited: Any = public.__init__
    own = FunctionType(inherited.__code__, inherited.__globals__, closure=inherited.__closure__)
    update_wrapper(own, inherited)
    own.__defaults__, own.__kwdefaults__ = inherited.__defaults__, inherited.__kwdefaults__
    own.__qualname__ = f"{public.__qualname__}.__init__"
    setattr(public, "__init__", own)  # noqa: B010 -- mypy forbids the assignment
    return public


class NotAdmitted(OSError):
    """Error for a connection that the current admission does not permit."""


@contextmanager
def sending(client: _Shared, admission: _Admitted) -> Iterator[Decision]:
    """Permits connections to the addresses of an admission within the `with` block. Closes the admission if the block fails."""
    try:
        decision = admission.decision
        client._warning_log.note(admission.url, decision)
        token = _ADMITTED.set(admission)
        try:
            yield decision
        finally:
            _ADMITTED.reset(token)
    except BaseException as error:
        admission._close(error)
        raise


def admitted() -> Addresses:
    """Returns the addresses that the current admission permits. Raises NotAdmitted without an admission."""
    admission = _ADMITTED.get()
    if admission is None or not admission.addresses:
        raise NotAdmitted("cannot connect: no request was admitted in this context")
    return admission.addresses


def admitted_url() -> str:
    """Returns the URL of the current admission; the empty string without an admission."""
    admission = _ADMITTED.get()
    return "" if admission is None else admission.url


def check_peer(address: str, addresses: Addresses) -> None:
    """Raises NotAdmitted unless a socket is connected to one of the addresses."""
    peer = ip_address(address.partition("%")[0])
    peer = getattr(peer, "ipv4_mapped", None) or peer
    if all(ip_address(host) != peer for host, _ in addresses):
        raise NotAdmitted(
            f"cannot use the connection to {address}: the guard did not check this address"
        )


def foreign_host(fields: Iterable[tuple[str | bytes, str | bytes]], url: str) -> str | None:
    """Returns the value of a ``Host`` header that names another site than a URL, or None.

    A server chooses the site by this header, and robots.txt was read for the URL.
    """
    scheme = url.partition(":")[0]
    for name, value in fields:
        host = _text(value)
        # Some servers accept space around the name. Without the last condition, `origin_of` would cut off parts of the value.
        if _text(name).strip().lower() == "host" and (
            origin_of(f"{scheme}://{host}") != origin_of(url) or re.search(r"[@/?#\s]", host)
        ):
            return host
    return None


def check_host(fields: Iterable[tuple[str | bytes, str | bytes]], url: str) -> None:
    """Raises Refused if the ``Host`` header of a request names another site than its URL."""
    host = foreign_host(fields, url)
    if host is not None:
        raise Refused(
            f"the header of the request names the host `{printable(host)}`, and its URL another one; request a URL of that host",
            {"outcome": "guard_refused"},
        )


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def user_agent_for(given: str | bytes | None, client: _Shared) -> str:
    """Returns the ``User-Agent`` to send: the given one if it contains the client's whole product token, else the client's."""
    text = None if given is None else _text(given)
    # `Googlebot/2.1` does not contain the token `Bot`.
    token = rf"(?<![A-Za-z0-9_-]){re.escape(client.token)}(?![A-Za-z0-9_-])"
    return text if text and re.search(token, text, re.IGNORECASE | re.ASCII) else client.user_agent


def kind_of(error: FetchError, kinds: Iterable[type[Kind]]) -> type[Kind]:
    """Returns the exception class of an adapter for an error.

    Each class in `kinds` has a class of `comity.errors` as its first base. The result is the first class whose base fits.
    """
    return next(kind for kind in kinds if isinstance(error, kind.__bases__[0]))


def no_proxy(proxy: object, what: str) -> None:
    """Raises SettingError for a client with a proxy."""
    if proxy is not None:
        raise SettingError(
            f"network.proxy: {what} does not use the proxy of the client; call the client's fetch instead"
        )


def printable(text: str) -> str:
    """Escapes characters that move a cursor or are invisible. Host names in links may contain such characters."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def reason_of(decision: Decision) -> str:
    """Returns the reason for a decision as text: the rule, or the answer to the request for robots.txt."""
    if decision.rule is not None:
        return f"robots.txt:{decision.rule.line}: {decision.rule} (group {decision.group})"
    if decision.answer is not None:
        return f"{decision.verdict} (robots.txt: {decision.answer})"
    return decision.verdict


class WarningLog:
    """Logs one warning for each origin whose decisions recommend a warning (`allowed_but_warn`).

    The log stores the last `MAX_WARNED_ORIGINS` origins, and logs an evicted origin again.
    """

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._origins: OrderedDict[str, None] = OrderedDict()
        self._lock = Lock()

    def note(self, url: str, decision: Decision, **extra: object) -> bool:
        """Logs the origin of a URL if the decision recommends a warning and the origin is new.

        `extra` is passed to `logging`. Returns True if this call logged the origin.
        """
        if decision.recommendation != "allowed_but_warn":
            return False
        origin = origin_of(url)
        is_new = origin is not None and self._is_new(origin)
        if origin is not None and is_new:
            choice = (
                (decision.overrides or {}).get("on_unreachable") if decision.failed_open else None
            )
            self._logger.warning(
                "robots.txt of %(origin)s: %(why)s; pages are fetched nevertheless (preset %(preset)s%(choice)s)",
                {
                    "origin": printable(origin),
                    "why": reason_of(decision),
                    "preset": decision.preset,
                    "choice": f", on_unreachable = {choice}" if choice else "",
                },
                extra=extra,
            )
        return is_new

    def _is_new(self, origin: str) -> bool:
        with self._lock:
            is_new = origin not in self._origins
            self._origins[origin] = None
            self._origins.move_to_end(origin)
            if len(self._origins) > MAX_WARNED_ORIGINS:
                self._origins.popitem(last=False)
            return is_new
