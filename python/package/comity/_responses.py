"""Converts response objects of HTTP libraries to arguments of ``Policy.update``.

The module recognizes the library of a response by the attributes of the response. So it imports no HTTP library, and accepts
responses of other libraries with the same attributes.
"""

from __future__ import annotations

import re
import warnings
import zlib
from inspect import iscoroutinefunction
from typing import Any

from .errors import ComityWarning, ReadError

#: Maximum number of bytes of a decompressed body, so that a small compressed body cannot fill the memory.
MAX_BODY = 16 * 1024 * 1024

#: Codings of the field ``Content-Encoding`` that leave the body as it is.
_PLAIN = {"", "identity"}

#: Control bytes that text does not contain. Compressed data nearly always contains one of them.
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def answer_of(response: Any) -> dict[str, Any]:
    """Returns the arguments of ``Policy.update`` for a response.

    Accepts the responses of ``requests``, ``httpx``, ``aiohttp`` (after ``await response.read()``), ``urllib``,
    ``http.client`` and Scrapy. Raises ReadError if the body was consumed before or was not read, and TypeError for
    other objects.
    """
    if hasattr(response, "status_code"):
        return _of_requests(response)
    if hasattr(response, "status") and isinstance(getattr(response, "body", None), bytes):
        return _of_scrapy(response)
    if hasattr(response, "status") and iscoroutinefunction(getattr(response, "read", None)):
        return _of_aiohttp(response)
    if hasattr(response, "status") and hasattr(response, "getheaders"):
        return _of_urllib(response, response.status, response)
    if hasattr(response, "code") and hasattr(response, "read"):
        return _of_urllib(response, response.code, getattr(response, "fp", None) or response)
    raise TypeError(
        "response: pass a response of requests, httpx, aiohttp, urllib or Scrapy, "
        f"not {type(response).__name__}; for others, call Policy.update(status, body, headers=...)"
    )


def _of_requests(response: Any) -> dict[str, Any]:
    """Converts a response of `requests`, `httpx`, or a library with the same attributes."""
    try:
        body = response.content
    except RuntimeError as error:
        # `requests` and `httpx` raise RuntimeError if the body was not read, or was consumed as a stream.
        raise ReadError(
            f"response: its body is not available ({error}); read the response first"
        ) from None
    urls = [str(hop.url) for hop in (*response.history, response)]
    headers = response.headers
    fields = headers.multi_items() if hasattr(headers, "multi_items") else headers.items()
    return _answer(response.status_code, body, fields, urls)


def _of_scrapy(response: Any) -> dict[str, Any]:
    meta = response.request.meta if response.request else {}
    urls = [*meta.get("redirect_urls", ()), response.url]
    return _answer(response.status, response.body, response.headers.items(), urls)


def _of_aiohttp(response: Any) -> dict[str, Any]:
    body = getattr(response, "_body", None)
    if not isinstance(body, bytes):
        raise ReadError("response: its body was not read; call `await response.read()` first")
    urls = [str(hop.url) for hop in (*response.history, response)]
    return _answer(response.status, body, response.headers.items(), urls)


def _of_urllib(response: Any, status: int, stream: Any) -> dict[str, Any]:
    """Converts a response of `urllib.request` or `http.client`, whose body can be read once and is not decompressed."""
    length = response.headers.get("Content-Length", "")
    is_read = (
        length.isascii()
        and length.isdigit()
        and getattr(stream, "length", None) not in (None, int(length))
    )
    if is_read or (hasattr(stream, "isclosed") and stream.isclosed()):
        raise ReadError(
            "response: its body was read before; pass the bytes to Policy.update(status, body, headers=...)"
        )
    body, fields = response.read(), response.headers.items()
    for coding in reversed(_codings(fields)):
        if coding not in ("gzip", "x-gzip", "deflate"):
            return {"failure": "unsupported_coding"}
        decoder = zlib.decompressobj(wbits=47 if "gzip" in coding else zlib.MAX_WBITS)
        try:
            text = decoder.decompress(body, MAX_BODY)
        except zlib.error:
            return {"failure": "unsupported_coding"}
        # A truncated body may lack rules.
        if body and not decoder.eof and len(text) < MAX_BODY:
            return {"failure": "protocol"}
        body = text
    # urllib does not report the redirects that it followed, so the list of URLs is empty.
    return _answer(status, body, fields, [])


def _answer(status: int, body: bytes, fields: Any, urls: list[str]) -> dict[str, Any]:
    fields = [(_text(name), value) for name, value in fields]
    # Libraries do not decode a body with an unknown coding. Parsed as a robots.txt, such bytes would allow everything.
    if _codings(fields) and _BINARY.search(body):
        return {"failure": "unsupported_coding"}
    if urls and not re.match(r"(?i)[a-z][a-z0-9+.-]*://[^/?#]*/robots\.txt(?![^?#])", urls[0]):
        warnings.warn(
            f"response: `{urls[0]}` is not the address of a robots.txt", ComityWarning, stacklevel=4
        )
    return {"status": status, "body": body, "headers": fields, "redirects": urls[1:]}


def _codings(fields: Any) -> list[str]:
    """Returns the codings of a body, in the order in which they were applied."""
    values = [_text(value) for name, value in fields if _text(name).lower() == "content-encoding"]
    codings = [coding.strip().lower() for value in values for coding in value.split(",")]
    return [coding for coding in codings if coding not in _PLAIN]


def _text(value: Any) -> str:
    """Returns the name or the value of a header field as text. Scrapy stores values as lists of bytes."""
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
