"""Scrapy with Comity's parser and middleware: real crawls of a site on the loopback interface, each in its own process."""

from __future__ import annotations

import asyncio
import gzip
import multiprocessing
import ssl
import struct
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from socket import SO_LINGER, SOL_SOCKET
from tempfile import NamedTemporaryFile
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("scrapy", reason="Scrapy is not installed: pip install scrapy")

import scrapy_crawl
import sites
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import TextResponse
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler
from sites import PATIENCE
from twisted.internet.error import DNSLookupError

from comity.scrapy import RobotParser, RobotsTxtMiddleware, _failure, _Site, _token, add_to_settings

#: Crawls run in forks of a process that has imported Scrapy, because the import takes longer than most crawls.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([scrapy_crawl.__name__])

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


@dataclass
class RobotsAnswer:
    """A site's answer to the request for robots.txt."""

    status: int = 200
    body: str = ROBOTS
    location: str = ""
    delay: float = 0.0
    resets: bool = False
    never: bool = False
    """True if the site answers only when it is shut down."""


class Site(ThreadingHTTPServer):
    """A site that records its requests."""

    daemon_threads = True

    def __init__(self, *answers: RobotsAnswer) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.host = "127.0.0.1"
        self.requests: list[str] = []
        self.is_over = threading.Event()
        #: The answers in order; the last one repeats.
        self.answers = list(answers) or [RobotsAnswer()]

    @property
    def pages(self) -> list[str]:
        return sorted(path for path in self.requests if path.partition("?")[0] not in ROBOTS_PATHS)

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.server_port}"


ROBOTS_PATHS = ("/robots.txt", "/moved/robots.txt")


class Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        self.server.requests.append(self.path)
        robots = self.path.partition("?")[0] in ROBOTS_PATHS
        body = "<title>x</title><meta name=robots content=nofollow><p>x"
        if robots:
            answers = self.server.answers
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
            time.sleep(answer.delay)
            if answer.never:
                self.server.is_over.wait()
            if answer.resets:
                # With a linger of zero, closing a connection resets it.
                self.connection.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                return
            if answer.location:
                self.send_response(302)
                self.send_header("Location", answer.location)
                self.end_headers()
                return
            if answer.status != 200:
                self.send_error(answer.status)
                return
            body = answer.body
        self.send_response(200)
        self.send_header("Content-Type", "text/plain" if robots else "text/html; charset=utf-8")
        if self.path == "/b":
            self.send_header("X-Robots-Tag", "examplebot: noindex")
            self.send_header("X-Robots-Tag", "otherbot: nosnippet")
        self.end_headers()
        self.wfile.write(body.encode())

    def handle(self) -> None:
        # A client may reset the connection after a time-out.
        with suppress(ConnectionError):
            super().handle()

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(*sites: Site) -> Iterator[None]:
    for site in sites:
        threading.Thread(target=site.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield
    finally:
        for site in sites:
            site.is_over.set()
            site.shutdown()
            site.server_close()


@pytest.fixture
def site() -> Iterator[Site]:
    server = Site()
    with serving(server):
        yield server


PARSER: dict[str, Any] = {
    "ROBOTSTXT_OBEY": True,
    "ROBOTSTXT_PARSER": "comity.scrapy.RobotParser",
    "USER_AGENT": "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)",
    "LOG_LEVEL": "ERROR",
    "RETRY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    # With concurrent requests, Scrapy's own middleware sends some requests without a decision; see `comity.scrapy`.
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


@dataclass
class Crawled:
    """The result of a crawl."""

    #: The data of each response, by URL.
    seen: dict[str, Any]
    stats: dict[str, Any]
    #: The reasons of failed requests, by URL.
    reasons: dict[str, str]
    #: The times at which requests were sent, by download slot.
    turns: dict[str, list[float]]

    def keeps(self, seconds: float, host: str = "127.0.0.1") -> bool:
        """Returns True if the requests to a host, including the one for robots.txt, are at least this many seconds apart."""
        turns = self.turns[host]
        assert len(turns) > 1
        return all(after - before >= seconds for before, after in pairwise(turns))


def crawl_urls(urls: list[str], settings: dict[str, Any], log: Path | None = None) -> Crawled:
    if log is not None:
        settings = settings | {"LOG_LEVEL": "DEBUG", "LOG_FILE": str(log)}
    with NamedTemporaryFile() as errors:
        receiver, sender = PROCESSES.Pipe(duplex=False)
        process = PROCESSES.Process(
            target=scrapy_crawl.run, args=(urls, settings, sender, errors.name), daemon=True
        )
        process.start()
        # Reading ends with an error if the process ends without a result.
        sender.close()
        assert receiver.poll(PATIENCE), "the crawl does not end"
        try:
            result = receiver.recv()
        except EOFError:
            result = None
        process.join(PATIENCE)
        assert not (printed := errors.read().decode()), printed
    assert process.exitcode == 0
    return Crawled(*result)


def crawl(site: Site, settings: dict[str, Any], pages: tuple[str, ...] = PAGES) -> tuple[Any, Any]:
    """Returns the spider's data of each page of a site, and the crawl's stats."""
    crawled = crawl_urls([site.url + path for path in pages], settings)
    return {url.removeprefix(site.url): what for url, what in crawled.seen.items()}, crawled.stats


def test_scrapy_with_the_parser_obeys_the_rules(site: Site) -> None:
    seen, stats = crawl(site, PARSER)
    assert site.pages == ["/a", "/b", "/c", "/private/open"]
    assert seen["/private/x"] == "IgnoreRequest"
    assert stats["robotstxt/forbidden"] == 1


def test_dialect_setting_changes_decisions(site: Site) -> None:
    # In this dialect the first matching rule decides, so the exception after that rule has no effect.
    crawl(site, PARSER | {"COMITY_DIALECT": "urllib"})
    assert site.pages == ["/a", "/b", "/c"]


def test_scrapy_with_the_middleware_obeys_rules_and_records_evidence(site: Site) -> None:
    seen, stats = crawl(site, MIDDLEWARE)
    assert site.pages == ["/a", "/b", "/c", "/private/open"]
    assert seen["/private/x"] == "IgnoreRequest"
    assert seen["/private/open"]["verdict"] == "allowed_explicit"
    assert seen["/private/open"]["line"] == 3
    assert seen["/a"]["warnings"] == ["do_not_follow"]
    # A field that names the crawler applies; a field that names another crawler does not.
    assert sorted(seen["/b"]["warnings"]) == ["do_not_follow", "do_not_index"]
    assert stats["robotstxt/forbidden"] == stats["comity/disallowed"] == 1
    assert stats["comity/page/warning/do_not_index"] == 1
    assert stats["comity/page/warning/do_not_follow"] == 4


def test_report_only_middleware_fetches_and_counts(site: Site) -> None:
    seen, stats = crawl(site, MIDDLEWARE | {"COMITY_REPORT_ONLY": True})
    assert site.pages == sorted(PAGES)
    assert seen["/private/x"]["verdict"] == "disallowed_explicit"
    assert seen["/private/x"]["line"] == 2
    assert stats["comity/report_only/fetched"] == stats["comity/disallowed"] == 1
    assert "robotstxt/forbidden" not in stats


@pytest.mark.parametrize("throttle", [False, True])
def test_crawl_delay_separates_requests(site: Site, throttle: bool) -> None:
    settings = MIDDLEWARE | {
        "ROBOTSTXT_USER_AGENT": "SlowBot",
        "AUTOTHROTTLE_ENABLED": throttle,
        "AUTOTHROTTLE_START_DELAY": 0.01,
    }
    crawled = crawl_urls([site.url + path for path in ("/a", "/b", "/c")], settings)
    assert len(site.requests) == 4
    assert crawled.keeps(0.4)
    assert crawled.stats["comity/crawl_delay/slots"] == 1


def test_disabled_crawl_delay_causes_no_wait(site: Site) -> None:
    settings = MIDDLEWARE | {"ROBOTSTXT_USER_AGENT": "SlowBot", "COMITY_CRAWL_DELAY": False}
    _, stats = crawl(site, settings, ("/a", "/b", "/c"))
    assert site.pages == ["/a", "/b", "/c"]
    assert "comity/crawl_delay/slots" not in stats


def test_delay_above_the_limit_is_cut(site: Site) -> None:
    settings = MIDDLEWARE | {"ROBOTSTXT_USER_AGENT": "VerySlowBot", "COMITY_MAX_CRAWL_DELAY": 0.3}
    _, stats = crawl(site, settings, ("/a", "/b"))
    assert site.pages == ["/a", "/b"]
    assert stats["comity/crawl_delay/cut"] == 1


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("COMITY_PAGE_PROFILE", "altavista", "COMITY_PAGE_PROFILE: .*altavista"),
        ("COMITY_PRESET", "altavista", "COMITY_PRESET: .*altavista"),
        ("COMITY_ROBOTS_MAX_AGE", -1, "COMITY_ROBOTS_MAX_AGE: .*-1"),
        ("COMITY_DIALECT", "google", "dialect of COMITY_PRESET"),
    ],
)
def test_invalid_scrapy_setting_is_named(setting: str, value: Any, message: str) -> None:
    crawler = get_crawler(settings_dict=MIDDLEWARE | {setting: value})
    with pytest.raises(ValueError, match=message):
        RobotsTxtMiddleware(crawler)


#: Sites whose robots.txt cannot be read. The second value is True if the preset `rfc9309` permits fetching from the site.
MISBEHAVING = {
    "503": (RobotsAnswer(503), False),
    "reset": (RobotsAnswer(resets=True), False),
    "slow": (RobotsAnswer(never=True), False),
    "404": (RobotsAnswer(404), True),
    "endless redirects": (RobotsAnswer(location="/moved/robots.txt"), True),
}
REACTORS = {
    "asyncio": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "select": "twisted.internet.selectreactor.SelectReactor",
}


@pytest.mark.parametrize(("reactor", "throttle"), [("asyncio", False), ("select", True)])
def test_unreadable_robots_txt_is_treated_by_the_preset(
    reactor: str, throttle: bool, tmp_path: Path
) -> None:
    sites = {name: Site(answer) for name, (answer, _) in MISBEHAVING.items()}
    moved = Site(RobotsAnswer(location="/moved/robots.txt"), RobotsAnswer())
    slow = Site(RobotsAnswer(body="User-agent: *\nDisallow: /private/x\nCrawl-delay: 0.5\n"))
    late = Site(RobotsAnswer(delay=0.5))
    # Scrapy applies delays per host, without the port. So this site needs another host name.
    slow.host = "localhost"
    everybody = [*sites.values(), moved, slow, late]
    settings = MIDDLEWARE | {
        "TWISTED_REACTOR": REACTORS[reactor],
        "AUTOTHROTTLE_ENABLED": throttle,
        "AUTOTHROTTLE_START_DELAY": 0.01,
        "DOWNLOAD_TIMEOUT": 8,
        "REDIRECT_MAX_TIMES": 5,
    }
    with serving(*everybody):
        urls = [site.url + path for site in everybody for path in ("/a", "/private/x", "/b")]
        crawled = crawl_urls(urls, settings, tmp_path / "log")
    stats, reasons = crawled.stats, crawled.reasons
    for name, site in sites.items():
        allows = MISBEHAVING[name][1]
        assert site.pages == (["/a", "/b", "/private/x"] if allows else []), name
        # robots.txt is requested once, even if several requests wait for it. A redirect adds a request.
        assert site.requests.count("/robots.txt") == 1, name
    for site in (moved, slow, late):
        assert site.pages == ["/a", "/b"]
    assert crawled.keeps(0.5, "localhost")
    for name, why in (
        ("503", "503 since "),
        ("reset", "refused, reset, cut off"),
        ("slow", "timeout"),
    ):
        assert why in reasons[sites[name].url + "/a"], reasons
    assert reasons[moved.url + "/private/x"].endswith("robots.txt:2: Disallow: /private (group *)")
    assert stats["comity/unreachable"] == 9
    assert stats["comity/disallowed"] == 3
    log = (tmp_path / "log").read_text()
    assert f"{moved.url}/private/x>: robots.txt:2: Disallow: /private (group *)" in log
    assert log.count(f"robots.txt of {sites['503'].url}") == 1


LONG = b"User-agent: *\n" + b"".join(b"Disallow: /%d\n" % n for n in range(3000)) + ROBOTS.encode()
#: Bodies of robots.txt with their coding. The third value is True if the body is whole.
CODED = {
    "gzip": (gzip.compress(LONG), "gzip", True),
    "two-members": (gzip.compress(LONG[:100]) + gzip.compress(LONG[100:]), "gzip", True),
    "deflate": (zlib.compress(LONG), "deflate", True),
    "charset": (LONG, "utf-8", True),
    "truncated-gzip": (gzip.compress(LONG)[:-200], "gzip", False),
    "truncated-member": (gzip.compress(LONG) + gzip.compress(LONG)[:-200], "gzip", False),
    "truncated-deflate": (zlib.compress(LONG)[:-200], "deflate", False),
    "wrong-checksum": (gzip.compress(LONG)[:-8] + bytes(8), "gzip", False),
    "plain-as-gzip": (LONG, "gzip", False),
    "garbage-as-brotli": (b"\xff" * 50, "br", False),
    "text-as-brotli": (b"\x0b\x0cUser-agent", "br", False),
    "garbage-as-zstd": (b"\xff" * 50, "zstd", False),
    "unknown": (gzip.compress(LONG), "x-heron", False),
    "bomb": (gzip.compress(LONG + bytes(9 << 20)), "gzip", False),
}


@pytest.mark.parametrize("decompresses", [True, False])
def test_robots_txt_that_cannot_be_decoded_is_unknown(decompresses: bool) -> None:
    with ExitStack() as stack:
        served = {
            name: stack.enter_context(
                sites.site(
                    robots=sites.Answer(200, body, {"Content-Encoding": coding}),
                    otherwise=sites.Answer(200, b"reed"),
                )
            )
            for name, (body, coding, _) in CODED.items()
        }
        urls = [site.at(path) for site in served.values() for path in ("/a", "/private/x")]
        crawled = crawl_urls(urls, MIDDLEWARE | {"COMPRESSION_ENABLED": decompresses})
    for name, site in served.items():
        is_whole = CODED[name][2] or (name == "bomb" and not decompresses)
        assert site.hits["/a"] == is_whole, name
        assert site.hits["/private/x"] == 0, name
        why = crawled.reasons[site.at("/private/x")]
        assert ("Disallow: /private" if is_whole else "unknown_unreachable") in why, name


def test_incomplete_or_endless_robots_txt_is_unknown_whatever_the_settings() -> None:
    cut = sites.Answer(200, b"User-agent: *\n", missing=20)
    huge = sites.Answer(200, b"User-agent: *\n" + b"# reed\n" * (2 << 20))
    part = sites.Answer(206, b"User-agent: *\n")
    with (
        sites.site(robots=cut) as one,
        sites.site(robots=huge) as other,
        sites.site(robots=part) as third,
    ):
        settings = {"DOWNLOAD_FAIL_ON_DATALOSS": False, "DOWNLOAD_MAXSIZE": 0}
        urls = [site.at("/a") for site in (one, other, third)]
        crawled = crawl_urls(urls, MIDDLEWARE | settings)
    assert one.hits["/a"] == other.hits["/a"] == third.hits["/a"] == 0
    assert "oversize" in crawled.reasons[other.at("/a")]


#: A crawl without robots.txt, which fills the cache.
FILL: dict[str, Any] = {
    key: value for key, value in PARSER.items() if not key.startswith("ROBOTSTXT_")
} | {"DOWNLOAD_FAIL_ON_DATALOSS": False}
CUT = gzip.compress(b"User-agent: *\nDisallow:\n# reed\nDisallow: /private\n")[:40]


@pytest.mark.parametrize(
    ("robots", "is_whole"),
    [
        (sites.Answer(200, gzip.compress(ROBOTS.encode()), {"Content-Encoding": "gzip"}), True),
        (sites.Answer(200, ROBOTS.encode()), True),
        (sites.Answer(200, CUT, {"Content-Encoding": "gzip"}), False),
        (sites.Answer(200, b"User-agent: *\nDisallow:\n", missing=20), False),
    ],
    ids=["gzip", "plain", "cut gzip", "cut"],
)
def test_robots_txt_in_the_cache_of_scrapy_is_checked(
    robots: sites.Answer, is_whole: bool, tmp_path: Path
) -> None:
    cache = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path)}
    with sites.site(robots=robots, otherwise=sites.Answer(200, b"reed")) as site:
        crawl_urls([site.at("/robots.txt")], FILL | cache)
        crawled = crawl_urls([site.at("/a"), site.at("/private/x")], MIDDLEWARE | cache)
    assert site.hits["/robots.txt"] == 1
    assert (site.hits["/a"], site.hits["/private/x"]) == (int(is_whole), 0)
    why = crawled.reasons[site.at("/private/x")]
    assert ("Disallow: /private" if is_whole else "unknown_unreachable") in why


def test_confirmed_robots_txt_in_the_cache_of_scrapy_is_read(tmp_path: Path) -> None:
    fields = {"ETag": '"reed"', "Cache-Control": "max-age=0"}
    cache = {
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_POLICY": "scrapy.extensions.httpcache.RFC2616Policy",
        "HTTPCACHE_DIR": str(tmp_path),
    }
    with sites.site(robots=sites.Answer(200, ROBOTS.encode(), fields)) as site:
        crawl_urls([site.at("/robots.txt")], FILL | cache)
        site.answers["/robots.txt"] = sites.Answer(304, b"", fields)
        crawled = crawl_urls([site.at("/private/x")], MIDDLEWARE | cache)
    assert site.hits["/robots.txt"] == 2
    assert site.hits["/private/x"] == 0
    assert "Disallow: /private" in crawled.reasons[site.at("/private/x")]


class Engine:
    """An engine that answers requests for robots.txt, and counts them by host."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.hosts: list[str] = []
        self.downloader = SimpleNamespace(
            get_slot_key=lambda request: request.url.split("/")[2], slots={}
        )

    async def download_async(self, request: Request) -> TextResponse:
        self.hosts.append(request.url.split("/")[2])
        return TextResponse(request.url, body=self.body, request=request)


def middleware_of(engine: Engine) -> RobotsTxtMiddleware:
    crawler = get_crawler(settings_dict=MIDDLEWARE)
    crawler.engine = engine
    # The signal needs a running reactor.
    crawler.signals = SimpleNamespace(
        send_catch_log_async=lambda **_: asyncio.sleep(0), connect=lambda *_: None
    )
    return RobotsTxtMiddleware(crawler)


def test_request_with_the_host_of_another_site_is_ignored() -> None:
    middleware = middleware_of(Engine(ROBOTS.encode()))

    def visit(host: str) -> None:
        request = Request("https://a.example/a", headers={"Host": host})
        asyncio.run(middleware.process_request(request))

    visit("A.example:443")
    for host in ("other.example", "a.example:80", "x@a.example", "a.example/x", ""):
        with pytest.raises(IgnoreRequest, match="names the host"):
            visit(host)
    assert middleware.crawler.stats.get_value("comity/host_mismatch") == 5


def test_stored_sites_are_bounded_and_the_least_recent_is_evicted() -> None:
    engine = Engine(b"User-agent: *\nCrawl-delay: 2\nDisallow: /private\n")
    middleware = middleware_of(engine)
    middleware.max_sites = 3

    async def visit(*hosts: str) -> None:
        for host in hosts:
            await middleware.process_request(Request(f"https://{host}/a"))
            with pytest.raises(IgnoreRequest):
                await middleware.process_request(Request(f"https://{host}/private"))

    # The active site `a` keeps its robots.txt while others come and go.
    asyncio.run(visit("a", "b", "a", "c", "a", "d", "a", "e", "a"))
    assert engine.hosts == ["a", "b", "c", "d", "e"]
    assert set(middleware._delays) == {"a", "d", "e"}
    asyncio.run(visit("b"))
    assert engine.hosts[-1] == "b"
    assert len(middleware._sites) == 3


def test_stored_bytes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comity.scrapy._MAX_STORED_BYTES", 1_000_000)
    engine = Engine(b"User-agent: *\nDisallow: /private\n" + b"# reed\n" * 20_000)
    middleware = middleware_of(engine)

    async def visit() -> None:
        for number in range(20):
            await middleware.process_request(Request(f"https://{number}.example/a"))

    asyncio.run(visit())
    assert 0 < len(middleware._sites) < 5
    assert middleware._stored_bytes == sum(site.size for site in middleware._sites.values())
    # A file that exceeds the limit alone is stored while it is in use.
    monkeypatch.setattr("comity.scrapy._MAX_STORED_BYTES", 1)
    asyncio.run(visit())
    assert len(middleware._sites) == 1


def test_preset_setting_that_fails_open_fetches() -> None:
    site = Site(RobotsAnswer(503))
    with serving(site):
        crawl(site, MIDDLEWARE | {"COMITY_PRESET": "ladon"}, ("/a", "/private/x"))
    assert site.requests.count("/robots.txt") == 1
    assert site.pages == ["/a", "/private/x"]


def test_middleware_without_obey_is_disabled_with_a_warning(site: Site, tmp_path: Path) -> None:
    crawl_urls([site.url + "/a"], MIDDLEWARE | {"ROBOTSTXT_OBEY": False}, tmp_path / "log")
    assert site.requests == ["/a"]
    lines = (tmp_path / "log").read_text().splitlines()
    assert any("WARNING: " in line and "because ROBOTSTXT_OBEY is false" in line for line in lines)


def test_add_to_settings_makes_scrapy_obey_robots_txt(site: Site) -> None:
    settings = {key: value for key, value in MIDDLEWARE.items() if key != "DOWNLOADER_MIDDLEWARES"}
    add_to_settings(settings)
    seen, _ = crawl(site, settings, ("/a", "/private/x"))
    assert site.pages == ["/a"]
    assert seen["/a"]["verdict"] == "allowed_implicit"


def test_settings_that_name_other_middlewares_keep_them() -> None:
    ours, other = "comity.scrapy.RobotsTxtMiddleware", "example.Middleware"
    for settings in (Settings(), {}):
        add_to_settings(settings)
        settings["DOWNLOADER_MIDDLEWARES"] = {ours: 50, other: 3}
        add_to_settings(settings)
        assert settings["ROBOTSTXT_OBEY"] is True
        places = dict(settings["DOWNLOADER_MIDDLEWARES"])
        assert (places.pop(ours), places.pop(other)) == (50, 3)
        assert list(places.values()) == [None]


def test_preset_with_mode_ignore_obeys_robots_txt_in_the_middleware(site: Site) -> None:
    crawl(site, MIDDLEWARE | {"COMITY_PRESET": "ladon"}, ("/a", "/private/x"))
    assert site.requests.count("/robots.txt") == 1
    assert site.pages == ["/a"]


@pytest.mark.parametrize(
    ("answer", "settings", "reason", "preset"),
    [
        (RobotsAnswer(503), {"COMITY_PRESET": "ladon"}, "503 since ", "preset ladon"),
        (
            RobotsAnswer(resets=True),
            {"COMITY_PRESET": "ladon"},
            "refused, reset, cut off",
            "preset ladon",
        ),
        (
            RobotsAnswer(503),
            {"COMITY_ON_UNREACHABLE": "warn"},
            "503 since ",
            "preset rfc9309, on_unreachable = warn",
        ),
        (
            RobotsAnswer(body="<!doctype html><p>Sorry"),
            {},
            "200, HTML without a record",
            "preset rfc9309",
        ),
    ],
)
def test_origin_fetched_with_a_warning_is_logged_once(
    answer: RobotsAnswer, settings: dict[str, Any], reason: str, preset: str, tmp_path: Path
) -> None:
    sites = [Site(answer), Site(answer)]
    with serving(*sites):
        urls = [site.url + path for path in ("/a", "/b") for site in sites]
        crawled = crawl_urls(urls, MIDDLEWARE | settings, tmp_path / "log")
    lines = (tmp_path / "log").read_text().splitlines()
    for site in sites:
        assert site.pages == ["/a", "/b"]
        (line,) = [line for line in lines if f"robots.txt of {site.url}: " in line]
        assert "[comity.scrapy] WARNING: " in line
        assert reason in line
        assert preset in line
    assert {seen["recommendation"] for seen in crawled.seen.values()} == {"allowed_but_warn"}
    assert crawled.stats["comity/warned"] == 4
    assert crawled.stats["comity/warned/origins"] == 2


@pytest.mark.parametrize(
    ("answer", "settings"),
    [
        (RobotsAnswer(), {"COMITY_PRESET": "ladon"}),
        (RobotsAnswer(503), {"COMITY_ON_UNREACHABLE": "allow"}),
    ],
)
def test_origin_fetched_without_a_warning_is_not_logged(
    answer: RobotsAnswer, settings: dict[str, Any], tmp_path: Path
) -> None:
    site = Site(answer)
    with serving(site):
        crawled = crawl_urls([site.url + "/a"], MIDDLEWARE | settings, tmp_path / "log")
    assert site.pages == ["/a"]
    assert "[comity.scrapy] WARNING: " not in (tmp_path / "log").read_text()
    assert "comity/warned" not in crawled.stats


ONE_AT_A_TIME = {"CONCURRENT_REQUESTS": 1, "DOWNLOAD_DELAY": 0.4, "RANDOMIZE_DOWNLOAD_DELAY": False}


def test_expired_robots_txt_is_requested_again() -> None:
    site = Site(RobotsAnswer(), RobotsAnswer(body="User-agent: *\nDisallow: /\n"))
    settings = MIDDLEWARE | ONE_AT_A_TIME | {"COMITY_ROBOTS_MAX_AGE": 0}
    with serving(site):
        seen, _ = crawl(site, settings, ("/a", "/b", "/c"))
    assert site.pages == ["/a"]
    assert seen["/b"] == seen["/c"] == "IgnoreRequest"


def test_last_good_copy_applies_during_an_outage() -> None:
    site = Site(RobotsAnswer(), RobotsAnswer(503))
    settings = MIDDLEWARE | ONE_AT_A_TIME | {"COMITY_ROBOTS_MAX_AGE": 0}
    with serving(site):
        seen, _ = crawl(site, settings, ("/a", "/private/x", "/c"))
    assert site.pages == ["/a", "/c"]
    assert len(site.requests) >= 4
    assert seen["/private/x"] == "IgnoreRequest"


def test_resumed_crawl_has_equal_decisions(tmp_path: Path) -> None:
    settings = MIDDLEWARE | {
        "JOBDIR": str(tmp_path / "job"),
        "CONCURRENT_REQUESTS": 1,
        "ROBOTSTXT_USER_AGENT": "SlowBot",
    }
    site = Site()
    pages = [site.url + path for path in ("/a", "/b", "/private/x", "/c", "/d")]
    with serving(site):
        crawl_urls(pages, settings | {"CLOSESPIDER_PAGECOUNT": 1})
        begun = len(site.pages)
        assert 0 < begun < 4
        resumed = crawl_urls(pages, settings)
    assert site.pages == ["/a", "/b", "/c", "/d"]
    assert len(site.requests) == 4 + 2
    assert resumed.keeps(0.4)


def test_later_agent_gets_the_stored_answers(site: Site) -> None:
    crawler = get_crawler(settings_dict=MIDDLEWARE)
    middleware = RobotsTxtMiddleware(crawler)
    kept = _Site(middleware._policy_for)
    early = kept.policy("early")
    now = 1_700_000_000.0
    answers: list[dict[str, Any]] = [{"status": 200, "body": ROBOTS.encode()}]
    answers += [{"status": 503}] * 40 + [{"failure": "timeout"}] * 40 + [{"status": 503}] * 3
    for hour, answer in enumerate(answers):
        kept.add_answer(answer | {"fetched_at": now + 3600 * hour})
    late = kept.policy("late")
    for then in (now + 3600 * len(answers), now + 86_400 * 29, now + 86_400 * 40):
        for path in ("/a", "/private"):
            first, second = (policy.decide(path, then).to_dict() for policy in (early, late))
            assert first == second
    assert len(kept._answers) < 10


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (IgnoreRequest("max redirections reached"), "redirects"),
        (IgnoreRequest("filtered"), "local"),
        (IgnoreRequest("filtered <GET https://redirect.example/robots.txt>"), "local"),
        (zlib.error(), "unsupported_coding"),
        (gzip.BadGzipFile(), "unsupported_coding"),
        (TimeoutError(), "timeout"),
        (ssl.SSLError(), "tls"),
        (ConnectionResetError(), "connection"),
        (DNSLookupError(), "dns"),
    ],
)
def test_download_exception_maps_to_a_failure(error: Exception, failure: str) -> None:
    assert _failure(error) == failure


def test_scrapy_parser_accepts_text_bytes_and_no_crawler() -> None:
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
def test_header_yields_its_product_token(header: str | bytes, token: str) -> None:
    assert _token(header) == token
