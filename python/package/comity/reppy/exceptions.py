"""What can go wrong when a robots.txt is fetched."""

from __future__ import annotations


class ReppyException(Exception):
    """Whatever fetching raises. `url` is set where a request failed."""

    url: str | None = None


class ContentTooLong(ReppyException):
    """The file is longer than `max_size`."""


class ServerError(ReppyException):
    """The server failed. Kept for programs that name it; `BadStatusCode` is what is raised."""


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
    """The status is one that says nothing about the file. Its arguments are a message and the status."""
