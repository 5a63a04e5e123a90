"""`Policy.from_response`: robots.txt from the response objects of HTTP libraries."""

from __future__ import annotations

import asyncio
import gzip
import io
import urllib.error
import urllib.request
import warnings
import zlib
from collections.abc import Callable, Iterator
from http.client import HTTPResponse
from typing import Any

import pytest
from sites import Answer, Site, site

from comity import ComityWarning, Policy, ReadError
from comity._responses import MAX_BODY

# Most answers in this file are not at the path `/robots.txt`, which causes this warning.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*is not the address of a robots.txt:comity.ComityWarning"
)

BODY = b"User-agent: *\nDisallow: /private\n"
GZIP = gzip.compress(BODY)


def with_requests(url: str, follow: bool = True) -> Any:
    import requests

    return requests.get(url, allow_redirects=follow)


def with_httpx(url: str, follow: bool = True) -> Any:
    import httpx

    return httpx.get(url, follow_redirects=follow)


def with_aiohttp(url: str, follow: bool = True) -> Any:
    import aiohttp

    async def get() -> Any:
        async with (
            aiohttp.ClientSession() as session,
            session.get(url, allow_redirects=follow) as response,
        ):
            await response.read()
            return response

    return asyncio.run(get())


class NotFollowed(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def with_urllib(url: str, follow: bool = True) -> Any:
    opener = urllib.request.build_opener(*([] if follow else [NotFollowed]))
    try:
        return opener.open(url)
    except urllib.error.HTTPError as error:
        return error


def with_scrapy(url: str, follow: bool = True) -> Any:
    from scrapy.http import Request, TextResponse

    got = with_requests(url, follow)
    urls = [hop.url for hop in (*got.history, got)]
    request = Request(urls[-1], meta={"redirect_urls": urls[:-1]} if urls[1:] else {})
    fields = {
        name: value for name, value in got.headers.items() if name.lower() != "content-encoding"
    }
    return TextResponse(
        urls[-1], status=got.status_code, headers=fields, body=got.content, request=request
    )


Get = Callable[..., Any]
LIBRARIES = pytest.mark.parametrize(
    "get", [with_requests, with_httpx, with_aiohttp, with_urllib, with_scrapy]
)


@pytest.fixture
def here() -> Iterator[Site]:
    answers = {
        "robots": Answer(200, BODY, {"Cache-Control": "max-age=7200"}),
        "gzip/robots.txt": Answer(200, GZIP, {"Content-Encoding": "gzip"}),
        "cut/robots.txt": Answer(200, GZIP[:-12], {"Content-Encoding": "gzip"}),
        "odd/robots.txt": Answer(200, bytes(range(200)), {"Content-Encoding": "compress"}),
        "plain/robots.txt": Answer(200, BODY, {"Content-Encoding": "identity"}),
        "moved/robots.txt": Answer(301, b"", {"Location": "/robots.txt"}),
        "broken/robots.txt": Answer(503, b"later"),
        "empty/robots.txt": Answer(200, b""),
        "utf8/robots.txt": Answer(
            200, "User-agent: *\nDisallow: /é\n".encode(), {"Content-Type": "text/plain"}
        ),
    }
    with site(None, **answers) as served:
        yield served


@LIBRARIES
def test_response_with_rules_decides_by_them(get: Get, here: Site) -> None:
    policy = Policy.from_response("heron", get(f"{here.url}/robots.txt"), fetched_at=1_000_000.0)
    assert not policy.is_allowed("/private", now=1_000_000.0)
    assert policy.is_allowed("/", now=1_000_000.0)
    # `Cache-Control` sets the time until the answer expires.
    assert policy.is_fresh(1_007_000.0) and not policy.is_fresh(1_008_000.0)


@LIBRARIES
@pytest.mark.parametrize("path", ["gzip", "plain", "utf8"])
def test_encoded_body_is_decoded(get: Get, here: Site, path: str) -> None:
    closed = "/%C3%A9" if path == "utf8" else "/private"
    policy = Policy.from_response("heron", get(f"{here.url}/{path}/robots.txt"))
    assert not policy.is_allowed(closed) and policy.is_allowed("/other")


@pytest.mark.parametrize("get", [with_requests, with_httpx, with_urllib])
def test_body_in_an_unknown_coding_is_unreachable(get: Get, here: Site) -> None:
    policy = Policy.from_response("heron", get(f"{here.url}/odd/robots.txt"))
    assert policy.decide("/").verdict == "unknown_unreachable"


LONG = b"User-agent: *\n" + b"".join(b"Disallow: /p%d\n" % n for n in range(3000)) + BODY
TRUNCATED = {
    "gzip": (gzip.compress(LONG)[:-200], "gzip"),
    "gzip-before-its-trailer": (GZIP[:-8], "gzip"),
    "gzip-in-its-second-member": (GZIP + gzip.compress(LONG)[:-200], "gzip"),
    "gzip-in-gzip": (gzip.compress(gzip.compress(LONG)[:-200]), "gzip, gzip"),
    "deflate": (zlib.compress(LONG)[:-200], "deflate"),
}


@pytest.mark.parametrize("get", [with_requests, with_httpx, with_urllib])
@pytest.mark.parametrize("name", TRUNCATED)
def test_truncated_compressed_body_is_unreachable(get: Get, name: str) -> None:
    body, coding = TRUNCATED[name]
    with site(robots=Answer(200, body, {"Content-Encoding": coding})) as served:
        policy = Policy.from_response("heron", get(f"{served.url}/robots.txt"))
    assert policy.decide("/").verdict == "unknown_unreachable"


@pytest.mark.parametrize("get", [with_requests, with_httpx])
@pytest.mark.parametrize("coding", ["br", "zstd"])
def test_truncated_body_in_another_coding_is_unreachable(get: Get, coding: str) -> None:
    if coding == "br":
        compress = pytest.importorskip("brotli").compress
    else:
        compress = pytest.importorskip("backports.zstd").compress
    with site(
        whole=Answer(200, compress(LONG), {"Content-Encoding": coding}),
        cut=Answer(200, compress(LONG)[:-100], {"Content-Encoding": coding}),
    ) as served:
        if get(served.at("/whole")).content != LONG:
            pytest.skip(f"SKIPPED: the library does not decode {coding}")
        assert not Policy.from_response("heron", get(served.at("/whole"))).is_allowed("/private")
        try:
            response = get(served.at("/cut"))
        except Exception as error:
            assert "incomplete" in str(error)
        else:
            policy = Policy.from_response("heron", response)
            assert policy.decide("/").verdict == "unknown_unreachable"


def test_coding_without_an_installed_decoder_is_unreachable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import httpx
    import urllib3

    monkeypatch.setattr(urllib3.BaseHTTPResponse, "CONTENT_DECODERS", ["gzip", "deflate"])
    monkeypatch.delitem(httpx._decoders.SUPPORTED_DECODERS, "br", raising=False)
    # The bytes of a short body may all be characters.
    answer = Answer(200, b"\x0b\x0cUser-agent", {"Content-Encoding": "br"})
    with site(robots=answer) as served:
        for get in (with_requests, with_httpx):
            policy = Policy.from_response("heron", get(f"{served.url}/robots.txt"))
            assert policy.decide("/").verdict == "unknown_unreachable"


@LIBRARIES
def test_rule_in_a_later_gzip_member_is_never_lost(get: Get) -> None:
    body = gzip.compress(b"User-agent: *\nDisallow: /a\n") + gzip.compress(b"Disallow: /private\n")
    with site(robots=Answer(200, body, {"Content-Encoding": "gzip"})) as served:
        policy = Policy.from_response("heron", get(f"{served.url}/robots.txt"))
    assert not policy.is_allowed("/private")
    # httpx decodes only the first member.
    assert policy.is_allowed("/other") is (get is not with_httpx)


@pytest.mark.parametrize("get", [with_requests, with_urllib])
def test_deflate_without_a_zlib_header_is_decoded(get: Get) -> None:
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    body = compressor.compress(BODY) + compressor.flush()
    with site(robots=Answer(200, body, {"Content-Encoding": "deflate"})) as served:
        policy = Policy.from_response("heron", get(f"{served.url}/robots.txt"))
    assert not policy.is_allowed("/private") and policy.is_allowed("/other")


@pytest.mark.parametrize("get", [with_requests, with_httpx, with_urllib])
@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_empty_body_with_a_coding_allows(get: Get, coding: str) -> None:
    with site(robots=Answer(200, b"", {"Content-Encoding": coding})) as served:
        policy = Policy.from_response("heron", get(f"{served.url}/robots.txt"))
    assert policy.decide("/").verdict == "allowed_implicit"


def test_body_of_many_gzip_members_is_unreachable() -> None:
    body = BODY + b"# reed\n" * 5000
    members = b"".join(gzip.compress(body[at : at + 50]) for at in range(0, len(body), 50))
    with site(robots=Answer(200, members, {"Content-Encoding": "gzip"})) as served:
        policy = Policy.from_response("heron", with_urllib(f"{served.url}/robots.txt"))
    assert policy.decide("/").verdict == "unknown_unreachable"


def test_body_shorter_than_its_content_length_is_unreachable() -> None:
    with site(robots=Answer(200, BODY, missing=9)) as served:
        policy = Policy.from_response("heron", with_urllib(f"{served.url}/robots.txt"))
    assert policy.decide("/").verdict == "unknown_unreachable"


class Endless(io.RawIOBase):
    """A stream that begins with some bytes, repeats a comment, and fails after 64 MiB."""

    def __init__(self, first: bytes) -> None:
        self.first = first
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self.first or b"# reed\n" * (len(buffer) // 7 + 1)
        self.first = b""
        read = min(len(chunk), len(buffer))
        buffer[:read] = chunk[:read]
        self.count += read
        assert self.count < 64 << 20
        return read


class EndlessSocket:
    def __init__(self, stream: Endless) -> None:
        self.stream = stream

    def makefile(self, _: str) -> io.BufferedReader:
        return io.BufferedReader(self.stream)


def test_endless_body_is_read_up_to_the_limit() -> None:
    import requests
    import urllib3
    from requests.adapters import HTTPAdapter

    streamed = urllib3.HTTPResponse(Endless(BODY), status=200, preload_content=False)
    request = requests.Request("GET", "https://heron.example/robots.txt").prepare()
    got = HTTPResponse(EndlessSocket(Endless(b"HTTP/1.1 200 OK\r\n\r\n" + BODY)))
    got.begin()
    for response in (HTTPAdapter().build_response(request, streamed), got):
        policy = Policy.from_response("heron", response)
        assert not policy.is_allowed("/private") and policy.is_allowed("/")
        assert policy.evidence.answer == "long_body"
        assert response.raw.closed if hasattr(response, "raw") else response.isclosed()


def test_small_body_that_decompresses_to_a_large_one_is_cut() -> None:
    body = gzip.compress(BODY + b"# reed\n" * (MAX_BODY // 3))
    with site(robots=Answer(200, body, {"Content-Encoding": "gzip"})) as served:
        url = f"{served.url}/robots.txt"
        for response in (with_urllib(url), with_requests(url)):
            policy = Policy.from_response("heron", response)
            assert not policy.is_allowed("/private") and policy.is_allowed("/")


def test_partly_read_stream_is_an_error(here: Site) -> None:
    import requests

    response = requests.get(f"{here.url}/robots.txt", stream=True)
    next(response.iter_content(5))
    with pytest.raises(ReadError, match="was read before"):
        Policy.from_response("heron", response)
    got = HTTPResponse(
        EndlessSocket(Endless(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9999\r\n"))
    )
    got.begin()
    got.read(5)
    with pytest.raises(ReadError, match="was read before"):
        Policy.from_response("heron", got)


def test_streamed_response_can_be_read_afterwards(here: Site) -> None:
    import requests

    response = requests.get(f"{here.url}/robots.txt", stream=True)
    for _ in range(2):
        assert not Policy.from_response("heron", response).is_allowed("/private")
    assert response.content == BODY


@LIBRARIES
def test_redirect_that_was_followed_is_evidence(get: Get, here: Site) -> None:
    policy = Policy.from_response("heron", get(f"{here.url}/moved/robots.txt"))
    assert not policy.is_allowed("/private")
    if get is not with_urllib:
        assert policy.evidence.redirects == (f"{here.url}/robots.txt",)


@LIBRARIES
def test_redirect_that_was_not_followed_is_unknown(get: Get, here: Site) -> None:
    policy = Policy.from_response("heron", get(f"{here.url}/moved/robots.txt", False))
    assert policy.decide("/").verdict == "unknown_unreachable"


@LIBRARIES
def test_failed_update_keeps_the_earlier_copy(get: Get, here: Site) -> None:
    policy = Policy.from_response("heron", get(f"{here.url}/robots.txt"))
    policy.update_from(get(f"{here.url}/broken/robots.txt"))
    assert not policy.is_allowed("/private") and policy.is_allowed("/")
    assert policy.evidence.status == 503


@LIBRARIES
def test_empty_body_allows(get: Get, here: Site) -> None:
    policy = Policy.from_response("heron", get(f"{here.url}/empty/robots.txt"), preset="google")
    assert policy.preset == "google" and policy.dialect == "google"
    assert policy.decide("/").verdict == "allowed_implicit"


def test_body_that_was_read_before_is_an_error(here: Site) -> None:
    import requests

    for path in ("robots.txt", "empty/robots.txt"):
        response = with_urllib(f"{here.url}/{path}")
        response.read()
        with pytest.raises(ReadError, match="was read before"):
            Policy.from_response("heron", response)
    response = with_urllib(f"{here.url}/robots.txt")
    response.read(5)
    with pytest.raises(ReadError, match="was read before"):
        Policy.from_response("heron", response)
    response = requests.get(f"{here.url}/robots.txt", stream=True)
    list(response.iter_content(5))
    with pytest.raises(ReadError, match="not available"):
        Policy.from_response("heron", response)


def test_body_that_was_not_read_is_an_error(here: Site) -> None:
    import aiohttp
    import httpx

    async def get() -> None:
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"{here.url}/robots.txt") as response,
        ):
            with pytest.raises(ReadError, match=r"await response\.read"):
                Policy.from_response("heron", response)

    asyncio.run(get())
    with httpx.stream("GET", f"{here.url}/robots.txt") as response:
        with pytest.raises(ReadError, match="not available"):
            Policy.from_response("heron", response)
        response.read()
        assert not Policy.from_response("heron", response).is_allowed("/private")


def test_answer_to_a_head_request_is_an_error() -> None:
    import httpx
    import requests
    from scrapy.http import Request, TextResponse

    url = "https://heron.example/robots.txt"
    plain = requests.Response()
    plain.status_code, plain.url, plain._content = 200, url, b""
    plain.request = requests.Request("HEAD", url).prepare()
    plain.headers["Content-Length"] = "40"
    responses = [
        plain,
        httpx.Response(200, request=httpx.Request("HEAD", url)),
        TextResponse(url, request=Request(url, method="HEAD")),
    ]
    for response in responses:
        with pytest.raises(ReadError, match="HEAD"):
            Policy.from_response("heron", response)


@LIBRARIES
@pytest.mark.parametrize(
    ("content_range", "is_whole"),
    [
        (f"bytes 0-{len(BODY) - 1}/{len(BODY)}", True),
        (f"bytes 0-{len(BODY) - 1}/{len(BODY) + 1}", False),
        (f"bytes 5-{len(BODY) - 1}/{len(BODY)}", False),
        (f"bytes 0-{len(BODY) - 1}/*", False),
        ("", False),
    ],
)
def test_partial_content_is_unreachable(get: Get, content_range: str, is_whole: bool) -> None:
    fields = {"Content-Range": content_range} if content_range else {}
    with site(robots=Answer(206, BODY, fields)) as served:
        policy = Policy.from_response("heron", get(f"{served.url}/robots.txt"))
    verdict = "disallowed_explicit" if is_whole else "unknown_unreachable"
    assert policy.decide("/private").verdict == verdict


def test_update_with_a_part_of_a_file_is_unreachable() -> None:
    policy = Policy("heron")
    policy.update(206, BODY)
    assert policy.decide("/private").verdict == "unknown_unreachable"
    whole = {"Content-Range": f"bytes 0-{len(BODY) - 1}/{len(BODY)}"}
    policy.update(206, BODY, headers=whole)
    assert policy.decide("/private").verdict == "disallowed_explicit"


def test_response_to_another_path_warns(here: Site) -> None:
    for path in ("/", "/robots.txt2", "/?/robots.txt", "/#/robots.txt"):
        with pytest.warns(ComityWarning, match="not the address of a robots.txt"):
            Policy.from_response("heron", with_requests(f"{here.url}{path}"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Policy.from_response("heron", with_requests(f"{here.url}/robots.txt?x=1"))


@pytest.mark.parametrize("response", [None, 200, "User-agent: *", b"", object(), {"status": 200}])
def test_object_of_another_type_is_a_type_error(response: object) -> None:
    with pytest.raises(TypeError, match="response: pass a response of requests"):
        Policy.from_response("heron", response)
