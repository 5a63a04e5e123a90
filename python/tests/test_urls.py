"""URLs and files as arguments: every call accepts objects of the standard library and of HTTP libraries."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlparse, urlsplit

import httpx
import pytest
import yarl

import comity
from comity import AsyncClient, Client, Policy, Robots, SettingError, UrlError, arrow, llms, usage
from comity._urls import origin_of, text_of
from comity.exclusion import RobotExclusionRulesParser, RobotFileParserLookalike
from comity.protego import Protego
from comity.reppy.robots import Robots as ReppyRobots
from comity.sitemap import SitemapReader
from comity.urllib import RobotFileParser

FILE = "User-agent: *\nDisallow: /private\n"
URL = "https://example.com/private?q=%C3%A9"

KINDS: list[Callable[[str], Any]] = [
    str,
    str.encode,
    lambda url: bytearray(url.encode()),
    urlsplit,
    urlparse,
    lambda url: urlsplit(url.encode()),
    yarl.URL,
    httpx.URL,
]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Callable[[str], Any]:
    made: Callable[[str], Any] = request.param
    return made


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(FILE.encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_url_type_is_accepted_by_the_engine(kind: Callable[[str], Any]) -> None:
    robots, url = Robots.parse(FILE), kind(URL)
    rules = robots.rules_for("x")
    assert not robots.is_allowed("x", url)
    assert robots.decide("x", url).line == 2
    assert robots.explain("x", url).contenders
    assert robots.are_allowed("x", [url, kind("https://example.com/")]) == [False, True]
    assert not rules.is_allowed(url)
    assert rules.decide(url).line == 2
    assert not comity.is_allowed(FILE, "x", url)
    policy = Policy("x")
    policy.update(200, FILE)
    assert not policy.is_allowed(url)
    assert policy.decide(url).line == 2
    assert arrow.origin(url) == "https://example.com"
    assert usage.report(url, "x").url == URL


def test_url_type_is_accepted_by_llms_txt_and_sitemaps(kind: Callable[[str], Any]) -> None:
    found = llms.LlmsTxt.parse(
        "# A\n\n> b\n\n## C\n\n- [c](c.md): d\n", url=kind("https://example.com/llms.txt")
    )
    assert found.sections[0].links[0].url == "https://example.com/c.md"
    assert found.candidates(kind("https://example.com/c"))
    assert llms.markdown_variants(kind("https://example.com/c"))
    reader = SitemapReader(b"https://example.com/a\n", url=kind("https://example.com/sitemap.txt"))
    assert [step.loc for step in reader] == ["https://example.com/a"]  # type: ignore[union-attr]


def test_url_type_is_accepted_by_drop_ins(kind: Callable[[str], Any]) -> None:
    url = kind(URL)
    assert not Protego.parse(FILE).can_fetch(url, "x")
    parser = RobotFileParser(kind("https://example.com/robots.txt"))
    assert (parser.host, parser.path) == ("example.com", "/robots.txt")
    parser.parse(FILE.splitlines())
    assert not parser.can_fetch("x", url)
    lookalike = RobotFileParserLookalike(kind("https://example.com/robots.txt"))
    lookalike.parse(FILE)
    assert not lookalike.can_fetch("x", url)
    reppy = ReppyRobots.parse(kind("https://example.com/robots.txt"), FILE)
    assert reppy.url == "https://example.com/robots.txt"
    assert not reppy.allowed(url, "x")
    assert not reppy.agent("x").allowed(url)
    assert ReppyRobots.robots_url(url) == "https://example.com/robots.txt"


def test_url_type_is_accepted_by_clients(kind: Callable[[str], Any], site: str) -> None:
    parser = RobotExclusionRulesParser()
    parser.fetch(kind(site + "/robots.txt"))
    assert parser.source_url == site + "/robots.txt"
    with Client("examplebot", allow_address=["127.0.0.0/8"]) as client:
        assert client.decide(kind(site + "/private")).line == 2
        assert client.robots(kind(site + "/")).body == FILE.encode()
        assert client.fetch(kind(site + "/page")).status == 200
        assert client.forget(kind(site + "/"))
        assert list(client.discover(kind(site + "/")))

    async def fetch() -> int:
        async with AsyncClient("examplebot", allow_address=["127.0.0.0/8"]) as client:
            return (await client.fetch(kind(site + "/page"))).status

    assert asyncio.run(fetch()) == 200


def test_path_and_url_types_are_accepted_as_settings(tmp_path: Path) -> None:
    store = tmp_path / "robots.db"
    with Client(
        "examplebot",
        store=store,
        contact=yarl.URL("https://example.com/bot"),
        allow_address=["127.0.0.0/8"],
        settings={"network": {"proxy": httpx.URL("http://127.0.0.1:3128"), "ca": ()}},
    ):
        assert store.exists()
    with pytest.raises(SettingError, match="no-such-scheme"):
        Client("examplebot", store=yarl.URL("no-such-scheme://example.com/0"))


@pytest.mark.parametrize("thing", [Path("/private"), 7, None, ("https", "example.com"), object()])
def test_invalid_url_is_named_in_the_error(thing: Any) -> None:
    with pytest.raises(TypeError, match=f"not {type(thing).__name__}"):
        Robots.parse(FILE).is_allowed("x", thing)
    with pytest.raises(TypeError):
        Protego.parse(FILE).can_fetch(thing, "x")


def test_request_object_as_url_is_an_error() -> None:
    class Request:
        scheme = "https"
        host = "example.com"

    with pytest.raises(TypeError, match="not Request"):
        text_of(Request())


@pytest.mark.parametrize("url", ["", "http://", "#f", "http://[::1", "https://[zz]/", "mailto:a"])
def test_text_without_a_page_is_an_error_in_every_scalar_call(url: str) -> None:
    robots = Robots.parse(FILE)
    calls: list[Callable[[], object]] = [
        lambda: comity.is_allowed(FILE, "a", url),
        lambda: robots.is_allowed("a", url),
        lambda: robots.decide("a", url),
        lambda: robots.explain("a", url),
        lambda: robots.rules_for("a").is_allowed(url),
    ]
    for call in calls:
        with pytest.raises(UrlError):
            call()
    assert robots.are_allowed("a", [url]) == [None]


def test_single_url_in_are_allowed_is_an_error() -> None:
    with pytest.raises(TypeError, match="several URLs"):
        Robots.parse(FILE).are_allowed("x", urlsplit(URL))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Example.COM/a?b#c", "https://example.com"),
        ("HTTP://me:secret@example.com:8080/@x", "http://example.com:8080"),
        ("https://example.com:443?q=//other.example/", "https://example.com"),
        ("http://example.com:80#a@b", "http://example.com"),
        ("http://example.com:443", "http://example.com:443"),
        ("http://[::80]:80/", "http://[::80]"),
        ("http://[::80]/", "http://[::80]"),
        ("data:text/plain,http://example.com", None),
        ("ftp://example.com/", None),
        ("/path", None),
    ],
)
def test_origin_of_a_url_has_no_credentials_and_no_default_port(
    url: str, origin: str | None
) -> None:
    assert origin_of(url) == origin
