"""URLs in the forms that programs use: text, the split results of the standard library, and the objects of HTTP libraries."""

from __future__ import annotations

import re
from typing import Protocol, TypeAlias, runtime_checkable
from urllib.parse import ParseResult, ParseResultBytes, SplitResult, SplitResultBytes

__all__ = ["URL_PARTS", "UrlLike", "UrlObject", "origin_of", "text_of", "url_of"]


@runtime_checkable
class UrlObject(Protocol):
    """A URL object of a library, such as ``yarl.URL`` or ``httpx.URL``. ``str(url)`` returns the URL as text."""

    # Pyright compares the descriptors of `yarl.URL`, and not their values, with these types.
    @property
    def scheme(self) -> object:
        """The text before the first colon."""

    @property
    def host(self) -> object:
        """The host's name or address."""


#: The types into which the standard library splits a URL.
URL_PARTS = (SplitResult, SplitResultBytes, ParseResult, ParseResultBytes)

#: The types that are accepted as a URL.
UrlLike: TypeAlias = (
    str | bytes | SplitResult | SplitResultBytes | ParseResult | ParseResultBytes | UrlObject
)


def text_of(url: UrlLike) -> str | bytes:
    """Returns a URL as ``str`` or ``bytes``. Raises TypeError for other types, such as the ``Path`` of a file."""
    if isinstance(url, (str, bytes)):
        return url
    if isinstance(url, URL_PARTS):
        return url.geturl()
    if isinstance(url, (bytearray, memoryview)):
        return bytes(url)
    if isinstance(url, UrlObject):
        text = str(url)
        # Request objects of web frameworks also have a scheme and a host, but their text is not a URL.
        scheme = str(url.scheme).lower() if url.scheme else ""
        if not scheme or text.lower().startswith(f"{scheme}:"):
            return text
    raise TypeError(
        f"pass a URL as str, bytes, the result of urlsplit, yarl.URL or httpx.URL, not {type(url).__name__}"
    )


def url_of(url: UrlLike) -> str:
    """Returns the URL as ``str``."""
    text = text_of(url)
    return text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")


def origin_of(url: str) -> str | None:
    """Returns scheme, host and port of a URL, in lower case; None if the scheme is neither http nor https."""
    scheme, colon, rest = url.partition("://")
    scheme = scheme.lower()
    if not colon or scheme not in ("http", "https"):
        return None
    authority = re.split("[/?#]", rest, maxsplit=1)[0].rpartition("@")[2].lower()
    return f"{scheme}://{authority.removesuffix(':80' if scheme == 'http' else ':443')}"
