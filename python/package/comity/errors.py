"""What can go wrong, by name.

Wrong types raise ``TypeError``, as everywhere in Python; everything else that Comity raises is a ``ComityError``.
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
    """Whatever Comity raises."""


class ComityWarning(UserWarning):
    """A remark about what was asked for, such as a crawler's name that is a slip of another. It changes no answer."""


class UrlError(ComityError, ValueError):
    """Text that is neither an absolute URL nor a path."""


class TokenError(ComityError, ValueError):
    """Text that is no crawler's product token, such as a whole ``User-Agent`` header, which is ``Agent.header(...)``."""


class UnknownNameError(ComityError, ValueError):
    """A name that no dialect, preset, mode, profile, failure, scope or strategy has; the message lists those there are."""


class ReadError(ComityError, ValueError):
    """A document that cannot be read at all."""


class SettingError(ComityError, ValueError):
    """A setting that does not exist, or a value that it cannot have; the message names section and key."""


class SignError(ComityError, ValueError):
    """A request that is not signed: it goes without TLS, is signed already, or no key counts now."""


class AuditError(ComityError):
    """An audit that could not be done: the message says which file or column, and the way out."""


class StoreError(ComityError):
    """The store cannot be used."""


class ForkError(ComityError, RuntimeError):
    """A client in a process that it was not made in."""


class FetchError(ComityError):
    """A fetch that led to no page: no answer, a wait that was too long, a store that failed."""

    is_refusal = False
    """Whether Comity refused, and the network did not fail. ``retry_after`` says whether the refusal is temporary."""

    def __init__(self, message: str, record: dict[str, Any]) -> None:
        """Takes the message and the record."""
        super().__init__(message, record)
        self.record = record
        """What happened up to there, in the words of the command's JSON."""

    @property
    def outcome(self) -> str:
        """How it ended: ``robots_refused``, ``robots_unreadable``, ``guard_refused``, ``transport_failed``, ..."""
        outcome: str = self.record["outcome"]
        return outcome

    @property
    def retry_after(self) -> float | None:
        """The seconds after which to ask again, if the error is temporary; None if the same request would fail again."""
        seconds: float | None = self.record.get("retry_after_seconds")
        return seconds

    def __str__(self) -> str:
        """The message."""
        return str(self.args[0])

    def __repr__(self) -> str:
        # The record is long.
        return f"{type(self).__name__}({self.args[0]!r})"


class Refused(FetchError):
    """A fetch that Comity refused: by robots.txt, by the guard, by the type that was wanted, ..."""

    is_refusal = True


class TimedOut(FetchError, TimeoutError):
    """A fetch that took too long: no answer in time, or politeness asks to wait longer than ``max_wait``."""

    def __init__(self, message: str, record: dict[str, Any]) -> None:
        """Takes the message and the record."""
        super().__init__(message, record)
        # Not what the system's errors make of two arguments.
        self.errno, self.strerror = None, message


class ConnectionFailed(FetchError, ConnectionError):
    """A fetch without a working connection: no such name, refused, reset, no TLS, no HTTP."""

    def __init__(self, message: str, record: dict[str, Any]) -> None:
        """Takes the message and the record."""
        super().__init__(message, record)
        self.errno, self.strerror = None, message


class StatusError(ComityError):
    """A page whose status code is 400 or more, for those who ask: ``page.raise_for_status()``."""

    def __init__(self, message: str, page: Page) -> None:
        """Takes the message and the page."""
        super().__init__(message)
        self.page = page
        """The page."""


class BatchError(ComityError, ValueError):
    """A table that cannot be decided as a whole: a column is missing, has a type that is not read, or would be there twice."""
