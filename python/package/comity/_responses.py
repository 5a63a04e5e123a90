"""Converts response objects of HTTP libraries to arguments of ``Policy.update``.

The module recognizes the library of a response by the attributes of the response. So it imports no HTTP library, and accepts
responses of other libraries with the same attributes.
"""

from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Iterable
from http.client import IncompleteRead
from inspect import iscoroutinefunction
from typing import Any

from .errors import ComityWarning, ReadError

#: Maximum number of bytes that are read and decompressed: the largest limit of a preset (8 MiB), and one byte that shows that
#: the body is longer. Without it, an endless body or a small compressed body could fill the memory.
MAX_BODY = 8 * 1024 * 1024 + 1

#: Maximum number of gzip members in a body. Each member costs a copy of the members after it.
_MAX_MEMBERS = 256

#: First bytes of a gzip member.
_GZIP = b"\x1f\x8b"

#: State of a gzip decoder of urllib3 that ignores the bytes after the last member.
_SWALLOWS = 2

#: Codings of the field ``Content-Encoding`` that leave the body as it is.
_PLAIN = {"", "identity"}

#: Codings that this module does not decode, and that libraries decode only with other packages. Other words, such as charsets,
#: are ignored if the body is text.
_UNSUPPORTED = {"br", "compress", "dcb", "dcz", "exi", "pack200-gzip", "x-compress", "zstd"}

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
        if getattr(response, "_content", None) is False:
            _read_stream(response)
        body = response.content
    except RuntimeError as error:
        # `requests` and `httpx` raise RuntimeError if the body was not read, or was consumed as a stream.
        raise ReadError(
            f"response: its body is not available ({error}); read the response first"
        ) from None
    # The property `request` of httpx raises an error if the response has none.
    name = "_request" if hasattr(response, "_request") else "request"
    request = getattr(response, name, None)
    _check_method(getattr(request, "method", None))
    urls = [str(hop.url) for hop in (*response.history, response)]
    headers = response.headers
    fields = headers.multi_items() if hasattr(headers, "multi_items") else headers.items()
    return _answer(response.status_code, body, fields, urls, _failure(response))


def _read_stream(response: Any) -> None:
    """Reads the body of a streamed response of `requests` up to the limit. `content` would read without a limit."""
    if getattr(response.raw, "tell", int)():
        raise ReadError(
            "response: its body is not available (it was read before); read the response first"
        )
    body = bytearray()
    for chunk in response.iter_content(64 * 1024):
        body += chunk
        if len(body) >= MAX_BODY:
            response.close()
            break
    response._content, response._content_consumed = bytes(body), True


def _failure(response: Any) -> str | None:
    """Returns the `failure` argument of ``Policy.update`` if a library decompressed only a part of the body, or nothing.

    The libraries accept truncated bodies, and httpx ignores all gzip members but the first.
    """
    raw: Any = getattr(response, "raw", None)
    length = raw.tell() if hasattr(raw, "tell") else getattr(response, "num_bytes_downloaded", 0)
    if not length or len(response.content) >= MAX_BODY:
        return None
    # httpx has the decoder in the response, and `requests` in the response of urllib3.
    decoder = getattr(response, "_decoder", None) or getattr(raw, "_decoder", None)
    optional = [coding for coding in _codings(response.headers.items()) if coding in _UNSUPPORTED]
    if len(optional) > len(_decompressors(decoder)):
        return "unsupported_coding"
    return None if is_finished(decoder) else "protocol"


def is_finished(decoder: Any) -> bool:
    """Returns False if a decoder of httpx or urllib3 has not reached the end of the compressed data."""
    return all(map(_is_at_end, _decompressors(decoder)))


def _decompressors(decoder: Any) -> list[Any]:
    """Returns the decompressors in a decoder of httpx or urllib3."""
    inner = getattr(decoder, "_decoders", None) or getattr(decoder, "children", None)
    if inner is not None:
        return [one for each in inner for one in _decompressors(each)]
    found = getattr(decoder, "_obj", None) or getattr(decoder, "decompressor", None)
    return [] if found is None or getattr(decoder, "_state", None) == _SWALLOWS else [found]


def _is_at_end(decompressor: Any) -> bool:
    if hasattr(decompressor, "is_finished"):
        return bool(decompressor.is_finished())
    ends: bool = getattr(decompressor, "eof", True)
    return ends and not getattr(decompressor, "unused_data", b"").startswith(_GZIP)


def _of_scrapy(response: Any) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    if response.request:
        _check_method(response.request.method)
        meta = response.request.meta
    urls = [*meta.get("redirect_urls", ()), response.url]
    return _answer(response.status, response.body, response.headers.items(), urls)


def _of_aiohttp(response: Any) -> dict[str, Any]:
    _check_method(response.method)
    body = getattr(response, "_body", None)
    if not isinstance(body, bytes):
        raise ReadError("response: its body was not read; call `await response.read()` first")
    urls = [str(hop.url) for hop in (*response.history, response)]
    return _answer(response.status, body, response.headers.items(), urls)


def _of_urllib(response: Any, status: int, stream: Any) -> dict[str, Any]:
    """Converts a response of `urllib.request` or `http.client`, whose body can be read once and is not decompressed."""
    _check_method(getattr(stream, "_method", None))
    length = response.headers.get("Content-Length", "")
    is_read = (
        length.isascii()
        and length.isdigit()
        and getattr(stream, "length", None) not in (None, int(length))
    ) or isinstance(getattr(stream, "chunk_left", None), int)
    if is_read or (hasattr(stream, "isclosed") and stream.isclosed()):
        raise ReadError(
            "response: its body was read before; pass the bytes to Policy.update(status, body, headers=...)"
        )
    try:
        body = read_whole(response, MAX_BODY, stream)
    except IncompleteRead:
        return {"failure": "protocol"}
    if len(body) == MAX_BODY:
        response.close()
    fields = list(response.headers.items())
    decoded, failure = decompressed(body, fields)
    # urllib does not report the redirects that it followed, so the list of URLs is empty.
    return {"failure": failure} if failure else _answer(status, decoded, fields, [])


def read_whole(response: Any, limit: int, stream: Any = None) -> bytes:
    """Reads the body of a response of ``http.client`` up to a limit.

    Raises IncompleteRead if the body is shorter than its ``Content-Length``. With a limit, ``read`` alone does not raise it.
    """
    body: bytes = response.read(limit)
    missing = getattr(stream or response, "length", None)
    if missing and len(body) < limit:
        raise IncompleteRead(body, missing)
    return body


def decompressed(body: bytes, fields: Iterable[tuple[Any, Any]]) -> tuple[bytes, str | None]:
    """Returns the decompressed body, up to the limit, and the `failure` argument of ``Policy.update`` if it is not readable."""
    was_cut = len(body) >= MAX_BODY
    for coding in reversed(_codings(fields)):
        if coding not in ("gzip", "x-gzip", "deflate"):
            if coding in _UNSUPPORTED or _BINARY.search(body):
                return b"", "unsupported_coding"
            continue
        try:
            body, is_whole = _inflated(body, coding != "deflate")
        except zlib.error:
            return b"", "unsupported_coding"
        # A truncated body may lack rules.
        if not is_whole and len(body) < MAX_BODY:
            return b"", "oversize" if was_cut else "protocol"
    return body, None


def _inflated(body: bytes, is_gzip: bool) -> tuple[bytes, bool]:
    """Decompresses a body up to the limit. Returns the text, and True if it is whole."""
    # Some servers send `deflate` without the header of zlib.
    has_header = (
        body[:1] and body[0] & 15 == zlib.DEFLATED and int.from_bytes(body[:2], "big") % 31 == 0
    )
    wbits = 47 if is_gzip else zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS
    text, rest, members = bytearray(), body, 0
    while rest and len(text) < MAX_BODY:
        members += 1
        decoder = zlib.decompressobj(wbits)
        text += decoder.decompress(rest, MAX_BODY - len(text))
        # Bytes after the last member are ignored, as in browsers.
        rest = decoder.unused_data if decoder.unused_data.startswith(_GZIP) and is_gzip else b""
        if not decoder.eof or members == _MAX_MEMBERS:
            return bytes(text), not rest and decoder.eof
    return bytes(text), not rest


def _check_method(method: str | None) -> None:
    """Raises ReadError for the response to a HEAD request, which has no body and would be an empty robots.txt."""
    if method is not None and method.upper() == "HEAD":
        raise ReadError("response: the answer to a HEAD request has no body; send a GET request")


def is_encoded(body: bytes, fields: Iterable[tuple[Any, Any]]) -> bool:
    """Returns True if a library did not decode a body, because it does not know the coding.

    Parsed as a robots.txt, such bytes would allow everything.
    """
    return bool(_codings(fields)) and _BINARY.search(body) is not None


def is_partial(status: int, fields: Iterable[tuple[Any, Any]]) -> bool:
    """Returns True if an answer has only a part of the body: a 206 without a ``Content-Range`` for all of it."""
    ranges = [_text(value) for name, value in fields if _text(name).lower() == "content-range"]
    found = re.fullmatch(r"bytes 0-(\d{1,15})/(\d{1,15})", ranges[0]) if len(ranges) == 1 else None
    return status == 206 and not (found and int(found[1]) + 1 == int(found[2]))


def _answer(
    status: int, body: bytes, fields: Any, urls: list[str], failure: str | None = None
) -> dict[str, Any]:
    if not isinstance(body, bytes):
        raise ReadError("response: its body is not available; read the response first")
    fields = [(_text(name), value) for name, value in fields]
    if is_encoded(body, fields):
        return {"failure": "unsupported_coding"}
    # A truncated body may lack rules.
    if failure is not None and 200 <= status < 300:
        return {"failure": failure}
    if is_partial(status, fields):
        return {"failure": "protocol"}
    if urls and not re.match(r"(?i)[a-z][a-z0-9+.-]*://[^/?#]*/robots\.txt(?![^?#])", urls[0]):
        warnings.warn(
            f"response: `{urls[0]}` is not the address of a robots.txt", ComityWarning, stacklevel=4
        )
    return {"status": status, "body": body[:MAX_BODY], "headers": fields, "redirects": urls[1:]}


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
