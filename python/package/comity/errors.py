"""The exceptions and warnings of the package.

An argument of a wrong type raises ``TypeError``, and a file that cannot be opened raises ``OSError``. Most other exceptions
are subclasses of ``ComityError``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._comity import Page

__all__ = [
    "AuditError",
    "BatchError",
    "ComityError",
    "ComityWarning",
    "ConnectionFailed",
    "FetchError",
    "ForkError",
    "MissingExtraError",
    "ReadError",
    "Refused",
    "SettingError",
    "SignError",
    "StatusError",
    "StoreError",
    "TimedOut",
    "TokenError",
    "UnknownNameError",
    "UrlError",
]


class ComityError(Exception):
    """Base class of the exceptions that Comity raises."""


class ComityWarning(UserWarning):
    """A warning about an argument or an input, such as a crawler's name that is probably misspelt. Results do not change."""


class UrlError(ComityError, ValueError):
    """An invalid URL, or a URL that the operation does not support."""


class TokenError(ComityError, ValueError):
    """Text that is not a crawler's product token. For a whole ``User-Agent`` header, use ``Agent.header(...)``."""


class UnknownNameError(ComityError, ValueError):
    """An unknown name, such as that of a dialect, preset, mode or column. The message lists the known names."""


class ReadError(ComityError, ValueError):
    """A document, header, identity or response that cannot be read."""


class SettingError(ComityError, ValueError):
    """A setting that does not exist, or an invalid value. The message names the section and key, or the argument."""


class SignError(ComityError, ValueError):
    """A request that cannot be signed, for example because it has no TLS, or because no key is valid."""


class AuditError(ComityError):
    """An audit that failed. The message names the file or column, and the way out."""


class MissingExtraError(ComityError, ImportError):
    """An extra of the package that is not installed, or has another version. The message names the command that installs it."""


class StoreError(ComityError):
    """A store that cannot be used."""


class ForkError(ComityError, RuntimeError):
    """Use of a client in a process that was forked after the client was created."""


class FetchError(ComityError):
    """A fetch that returned no page: no answer, a wait that was too long, a store that failed."""

    is_refusal = False
    """True if Comity refused the fetch, and would refuse it again; False for other errors, such as a failed connection or a
    wait that was too long."""

    def __init__(self, message: str, record: dict[str, Any]) -> None:
        """Stores the message and the record."""
        super().__init__(message, record)
        self.record = record
        """The record of the fetch up to the error, with the field names of the command's JSON."""

    @property
    def outcome(self) -> str:
        """The outcome of the fetch: ``robots_refused``, ``robots_unreadable``, ``guard_refused``, ``transport_failed``, ..."""
        outcome: str = self.record["outcome"]
        return outcome

    @property
    def retry_after(self) -> float | None:
        """The seconds after which to retry, if the error is temporary; None if the same request would fail again."""
        seconds: float | None = self.record.get("retry_after_seconds")
        return seconds

    def __str__(self) -> str:
        """Returns the message."""
        return str(self.args[0])

    def __repr__(self) -> str:
        # The text omits the record, which is long.
        return f"{type(self).__name__}({self.args[0]!r})"


class Refused(FetchError):
    """A fetch that Comity refused because of robots.txt, the guard, the content types that the caller accepts, ..."""

    is_refusal = True


class TimedOut(FetchError, TimeoutError):
    """A fetch that took too long: no answer in time, or the pace requires a wait longer than ``max_wait``."""

    def __init__(self, message: str, record: dict[str, Any]) -> None:
        """Stores the message and the record."""
        super().__init__(message, record)
        # The base class `OSError` would set these from the two arguments.
        self.errno: int | None = None
        self.strerror: str | None = message


class ConnectionFailed(FetchError, ConnectionError):
    """A fetch without a working connection: unknown host name, refused, reset, no TLS, no HTTP."""

    def __init__(self, message: str, record: dict[str, Any]) -> None:
        """Stores the message and the record."""
        super().__init__(message, record)
        self.errno: int | None = None
        self.strerror: str | None = message


class StatusError(ComityError):
    """A page whose status code is 400 or more. Only ``page.raise_for_status()`` raises it."""

    def __init__(self, message: str, page: Page) -> None:
        """Stores the message and the page."""
        super().__init__(message)
        self.page = page
        """The page."""


class BatchError(ComityError, ValueError):
    """A table that cannot be decided as a whole: a column is missing, has a type that cannot be read, or would appear twice."""
