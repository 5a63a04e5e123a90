"""Scrapy with Comity's parser and middleware: real crawls of a site on the loopback, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any

import pytest

pytest.importorskip("scrapy", reason="Scrapy is not installed: pip install scrapy")

from comity.scrapy import RobotParser, _token

ROBOTS = """\
User-agent: *
Disallow: /private
Allow: /private/open

User-agent: SlowBot
Disallow: /private
Crawl-delay: 0.4

User-agent: VerySlowBot
Crawl-delay: 100000
"""

PAGES = ("/a", "/b", "/c", "/private/x", "/private/open")


class Site(ThreadingHTTPServer):
    """A site that remembers who asked for what and when."""

    daemon_threads = True
    robots_status = 200

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[float, str]] = []

    @property
    def pages(self) -> list[str]:
        return sorted(path for _, path in self.requests if path != "/robots.txt")


class Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        self.server.requests.append((time.monotonic(), self.path))
        robots = self.path == "/robots.txt"
        if robots and self.server.robots_status != 200:
            self.send_error(self.server.robots_status)
            return
        body = ROBOTS if robots else "<title>x</title><meta name=robots content=nofollow><p>x"
        self.send_response(200)
        self.send_header("Content-Type", "text/plain" if robots else "text/html; charset=utf-8")
        if self.path == "/b":
            self.send_header("X-Robots-Tag", "examplebot: noindex")
            self.send_header("X-Robots-Tag", "otherbot: nosnippet")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def site() -> Iterator[Site]:
    server = Site()
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


CRAWL = """
import json, sys
import scrapy
from scrapy.crawler import CrawlerProcess

base, pages, settings = json.loads(sys.stdin.read())
seen = {}

class Spider(scrapy.Spider):
    name = "test"

    async def start(self):
        for path in pages:
            yield scrapy.Request(base + path, errback=self.failed)

    def parse(self, response):
        decision, page = response.meta.get("comity_decision"), response.meta.get("comity_page")
        seen[response.url.removeprefix(base)] = {
            "verdict": None if decision is None else decision.verdict,
            "line": None if decision is None else decision.line,
            "warnings": page and [warning.warning for warning in page.warnings],
        }

    def failed(self, failure):
        seen[failure.request.url.removeprefix(base)] = failure.type.__name__

process = CrawlerProcess(settings)
crawler = process.create_crawler(Spider)
process.crawl(crawler)
process.start()
stats = {key: value for key, value in crawler.stats.get_stats().items() if isinstance(value, (int, float, str))}
print(json.dumps([seen, stats]))
"""

PARSER: dict[str, Any] = {
    "ROBOTSTXT_OBEY": True,
    "ROBOTSTXT_PARSER": "comity.scrapy.RobotParser",
    "USER_AGENT": "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)",
    "LOG_LEVEL": "ERROR",
    "RETRY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    # Scrapy's own middleware lets requests through that wait together for a robots.txt: see the module.
    "CONCURRENT_REQUESTS": 1,
}
MIDDLEWARE: dict[str, Any] = {
    **{
        key: value
        for key, value in PARSER.items()
        if key not in ("ROBOTSTXT_PARSER", "CONCURRENT_REQUESTS")
    },
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "comity.scrapy.RobotsTxtMiddleware": 100,
    },
}


def crawl(site: Site, settings: dict[str, Any], pages: tuple[str, ...] = PAGES) -> tuple[Any, Any]:
    """What the spider saw of each page, and the crawl's stats."""
    words = json.dumps([f"http://127.0.0.1:{site.server_port}", pages, settings])
    command = [sys.executable, "-c", CRAWL]
    done = subprocess.run(
        command, input=words, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr, done.stderr
    seen, stats = json.loads(done.stdout.splitlines()[-1])
    return seen, stats


def test_a_crawl_with_the_parser_alone(site: Site) -> None:
    seen, stats = crawl(site, PARSER)
    assert site.pages == ["/a", "/b", "/c", "/private/open"]
    assert seen["/private/x"] == "IgnoreRequest"
    assert stats["robotstxt/forbidden"] == 1


def test_the_dialect_is_a_setting(site: Site) -> None:
    # The first rule that matches decides there, so the exception below it is lost.
    crawl(site, PARSER | {"COMITY_DIALECT": "urllib"})
    assert site.pages == ["/a", "/b", "/c"]


def test_a_crawl_with_the_middleware(site: Site) -> None:
    seen, stats = crawl(site, MIDDLEWARE)
    assert site.pages == ["/a", "/b", "/c", "/private/open"]
    assert seen["/private/x"] == "IgnoreRequest"
    assert seen["/private/open"]["verdict"] == "allowed_explicit"
    assert seen["/private/open"]["line"] == 3
    assert seen["/a"]["warnings"] == ["do_not_follow"]
    # A field that names the crawler counts; one that names another does not.
    assert sorted(seen["/b"]["warnings"]) == ["do_not_follow", "do_not_index"]
    assert stats["robotstxt/forbidden"] == stats["comity/disallowed"] == 1
    assert stats["comity/page/warning/do_not_index"] == 1
    assert stats["comity/page/warning/do_not_follow"] == 4


def test_report_only_fetches_and_counts(site: Site) -> None:
    seen, stats = crawl(site, MIDDLEWARE | {"COMITY_REPORT_ONLY": True})
    assert site.pages == sorted(PAGES)
    assert seen["/private/x"]["verdict"] == "disallowed_explicit"
    assert seen["/private/x"]["line"] == 2
    assert stats["comity/report_only/fetched"] == stats["comity/disallowed"] == 1
    assert "robotstxt/forbidden" not in stats


@pytest.mark.parametrize("throttle", [False, True])
def test_crawl_delay_is_kept(site: Site, throttle: bool) -> None:
    settings = MIDDLEWARE | {
        "ROBOTSTXT_USER_AGENT": "SlowBot",
        "AUTOTHROTTLE_ENABLED": throttle,
        "AUTOTHROTTLE_START_DELAY": 0.01,
    }
    _, stats = crawl(site, settings, ("/a", "/b", "/c"))
    times = [at for at, _ in site.requests]
    gaps = [after - before for before, after in pairwise(times)]
    assert len(gaps) == 3
    # The clocks of two processes, and the way to the server: a little less than asked for is not too early.
    assert min(gaps) >= 0.35
    assert stats["comity/crawl_delay/slots"] == 1


def test_without_crawl_delay_nothing_waits(site: Site) -> None:
    settings = MIDDLEWARE | {"ROBOTSTXT_USER_AGENT": "SlowBot", "COMITY_CRAWL_DELAY": False}
    _, stats = crawl(site, settings, ("/a", "/b", "/c"))
    assert "comity/crawl_delay/slots" not in stats
    times = [at for at, path in site.requests if path != "/robots.txt"]
    assert max(times) - min(times) < 0.7


def test_a_delay_without_measure_is_cut(site: Site) -> None:
    settings = MIDDLEWARE | {"ROBOTSTXT_USER_AGENT": "VerySlowBot", "COMITY_MAX_CRAWL_DELAY": 0.3}
    _, stats = crawl(site, settings, ("/a", "/b"))
    assert site.pages == ["/a", "/b"]
    assert stats["comity/crawl_delay/cut"] == 1


def test_an_unknown_setting_is_named(site: Site) -> None:
    with pytest.raises(AssertionError, match=r"COMITY_PAGE_PROFILE: .*altavista"):
        crawl(site, MIDDLEWARE | {"COMITY_PAGE_PROFILE": "altavista"})


def test_the_parser_takes_text_and_bytes_and_no_crawler() -> None:
    parser = RobotParser.from_crawler(None, ROBOTS.encode())
    assert not parser.allowed(b"https://example.com/private", b"examplebot")
    assert parser.allowed("https://example.com/private/open", "examplebot")
    assert parser.crawl_delay(b"SlowBot/1.0") == 0.4
    assert parser.decide("https://example.com/private", "SlowBot/1.0").line == 6
    assert parser.allowed("data", "examplebot")


@pytest.mark.parametrize(
    ("header", "token"),
    [
        ("Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)", "ExampleBot"),
        ("Mozilla/5.0 (Linux) AppleWebKit/537 (KHTML, like Gecko; compatible; x)", "Mozilla"),
        ("Scrapy/2.19.0 (+https://scrapy.org)", "Scrapy"),
        (b"ExampleBot", "ExampleBot"),
        ("", ""),
    ],
)
def test_token_of_a_header(header: str | bytes, token: str) -> None:
    assert _token(header) == token
