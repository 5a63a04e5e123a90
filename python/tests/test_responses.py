"""`Policy.from_response`: robots.txt from the response objects of HTTP libraries."""

from __future__ import annotations

import asyncio
import gzip
import urllib.error
import urllib.request
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sites import Answer, Site, site

from comity import ComityWarning, Policy, ReadError

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


def test_compressed_body_that_was_cut_off_is_unreachable(here: Site) -> None:
    policy = Policy.from_response("heron", with_urllib(f"{here.url}/cut/robots.txt"))
    assert policy.decide("/").verdict == "unknown_unreachable"


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
