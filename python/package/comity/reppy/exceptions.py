"""Exceptions that `Robots.fetch` raises."""

from __future__ import annotations


class ReppyException(Exception):
    """Base class of the exceptions of `Robots.fetch`. `url` is set if a request failed."""

    url: str | None = None


class ContentTooLong(ReppyException):
    """The file is longer than `max_size`."""


class ServerError(ReppyException):
    """The server failed. Comity raises `BadStatusCode` instead; this class exists for programs that import it."""


class SSLException(ReppyException):
    """The TLS connection failed."""


class ConnectionException(ReppyException):
    """The connection failed or was interrupted."""


class MalformedUrl(ReppyException):
    """The URL is invalid, or its scheme is not supported."""


class ExcessiveRedirects(ReppyException):
    """The server sent too many redirects."""


class ReadTimeout(ReppyException):
    """The server exceeded the time limit."""


class BadStatusCode(ReppyException):
    """The status code does not show whether the file exists. The arguments are a message and the status."""
