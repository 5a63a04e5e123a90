"""Signed requests (Web Bot Auth). A signature distinguishes a crawler from programs that only use its name.

A `Signer` signs requests with the keys in a file that `comity identity new` created. A `Verifier` verifies the sender of a
request. Neither sends requests itself.

>>> from comity.identity import Signer, Verifier
>>> signer = Signer.from_json(
...     '{"signature_agent": "https://bot.example", "keys": [{"kty": "OKP", "crv": "Ed25519",'
...     ' "x": "6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw", "d": "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"}]}'
... )
>>> fields = signer.sign("GET", "https://example.com/heron")
>>> fields["Signature-Agent"]
'sig1="https://bot.example"'
>>> verifier = Verifier()
>>> outcome = verifier.verify("GET", "https://example.com/heron", fields)
>>> outcome.status, outcome.directory
('unverified', 'https://bot.example/.well-known/http-message-signatures-directory')
>>> verifier.add_directory("https://bot.example", signer.directory()) == signer.keys
True
>>> print(verifier.verify("GET", "https://example.com/heron", fields))
verified as https://bot.example/.well-known/http-message-signatures-directory

Requests over ``http:`` are not signed. Each request has a new signature, including each hop of a redirect. `Client` and
`AsyncClient` sign their requests with ``identity="bot.identity.json"``. These adapters sign requests of other libraries:

- `comity.requests.SigningAdapter` and `PoliteAdapter(client, signer=...)`,
- `comity.httpx.SigningTransport`, `AsyncSigningTransport` and `PoliteTransport(client, signer=...)`,
- `comity.scrapy.SigningMiddleware`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from ._comity import Signer, Verifier

__all__ = ["Outcome", "Signer", "Verifier"]

#: Names of the header fields of a signature.
FIELDS = ("Signature-Agent", "Signature-Input", "Signature")


@dataclass(frozen=True)
class Outcome:
    """The result of a verification."""

    # <!-- Outcome -->
    status: Literal["verified", "invalid", "unverified", "not_signed"] = field(
        metadata={"word": "outcome"}
    )
    """The outcome. ``unverified`` means that there is not enough information, for example because the keys are missing. It is not evidence against the signer."""
    message: str
    """The outcome in words, with the reason."""
    reason: str | None
    """The code of the reason, if the signature is invalid or unverified."""
    identifier: str | None
    """The verified sender of the request: the address of the keys."""
    key: str | None
    """The name of the key, if the signature is verified."""
    created: datetime | None
    """The time when the signature was made."""
    expires: datetime | None
    """The time when the signature expires."""
    nonce: str | None
    """The nonce of the signature, if there is one."""
    components: tuple[str, ...]
    """The covered components, in the notation of RFC 9421."""
    directory: str | None = None
    """The directory whose keys would help to decide, if the signature is unverified."""
    # <!-- end of Outcome -->

    @property
    def is_verified(self) -> bool:
        """True if the signature proves that the request is from ``identifier``. A signature grants no permission."""
        return self.status == "verified"

    def __str__(self) -> str:
        return self.message
