"""What can go wrong when a robots.txt is fetched."""

__all__ = [
    "BadStatusCode",
    "ConnectionException",
    "ContentTooLong",
    "ExcessiveRedirects",
    "MalformedUrl",
    "ReadTimeout",
    "ReppyException",
    "SSLException",
    "ServerError",
]


class ReppyException(Exception):
    """Any of them."""

    #: The URL that was fetched, if the error came from fetching it.
    url: str


class ContentTooLong(ReppyException):
    """The file is longer than `max_size`."""


class ServerError(ReppyException):
    """The server reports an error. Never raised, there for `except` clauses."""


class SSLException(ReppyException):
    """TLS fails."""


class ConnectionException(ReppyException):
    """There is no connection to the server."""


class MalformedUrl(ReppyException):
    """The URL is none that can be fetched."""


class ExcessiveRedirects(ReppyException):
    """There are too many redirects."""


class ReadTimeout(ReppyException):
    """The server takes too long."""


class BadStatusCode(ReppyException):
    """The status says neither that there is a file nor that there is none; it is the second argument."""
