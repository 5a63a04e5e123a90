"""Exceptions of fetching a robots.txt."""

from __future__ import annotations


class ReppyException(Exception):
    """Base class of the exceptions of fetching. `url` is set if a request failed."""

    url: str | None = None


class ContentTooLong(ReppyException):
    """The file is longer than `max_size`."""


class ServerError(ReppyException):
    """The server failed. Comity raises `BadStatusCode` instead; this class exists for programs that name it."""


class SSLException(ReppyException):
    """The connection could not be secured."""


class ConnectionException(ReppyException):
    """There was no connection, or it broke."""


class MalformedUrl(ReppyException):
    """The URL cannot be fetched."""


class ExcessiveRedirects(ReppyException):
    """There were too many redirects."""


class ReadTimeout(ReppyException):
    """The server took too long."""


class BadStatusCode(ReppyException):
    """The status code does not show whether the file exists. The arguments are a message and the status."""
