"""What the adapters for other HTTP stacks share: which addresses may be dialled, and what is sent.

A stack that sends a request dials by itself. It may dial the addresses of the admission under which it sends, and no others:
they are handed over in a context variable, and whoever dials without an admission is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from ipaddress import ip_address

from .errors import SettingError

Addresses = Sequence[tuple[str, int]]

_ADMITTED: ContextVar[Addresses | None] = ContextVar("comity_admitted", default=None)


class NotAdmitted(OSError):
    """An address that no admission names."""


@contextmanager
def dialling(addresses: Addresses) -> Iterator[None]:
    """Lets these addresses be dialled."""
    token = _ADMITTED.set(addresses)
    try:
        yield
    finally:
        _ADMITTED.reset(token)


def admitted() -> Addresses:
    """The addresses that may be dialled. Raises NotAdmitted if there are none."""
    addresses = _ADMITTED.get()
    if not addresses:
        raise NotAdmitted("nothing may be dialled here: no request is admitted")
    return addresses


def check_peer(address: str, addresses: Addresses) -> None:
    """Raises NotAdmitted unless a socket is connected to one of the addresses."""
    peer = ip_address(address.partition("%")[0])
    peer = getattr(peer, "ipv4_mapped", None) or peer
    if all(ip_address(host) != peer for host, _ in addresses):
        raise NotAdmitted(f"{address} was dialled, which the guard did not check")


def user_agent_for(given: str | bytes | None, own: str, token: str) -> str:
    """The ``User-Agent`` that a request is sent with: the client's, unless the one that was given names the same crawler."""
    text = given.decode("latin-1") if isinstance(given, bytes) else given
    return text if text and token.lower() in text.lower() else own


def no_proxy(proxy: object, what: str) -> None:
    """Raises SettingError for a client with a proxy."""
    if proxy is not None:
        raise SettingError(
            f"network.proxy: {what} dials by itself; use the client's own fetch with a proxy"
        )
