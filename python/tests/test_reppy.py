"""Tests of the drop-in for reppy, in addition to the test suite of the original."""

from __future__ import annotations

import gzip
import pickle
import threading
import time

import pytest

pytest.importorskip("requests", reason="requests is not installed: pip install requests")

from sites import Answer, site

from comity.reppy import Agent, AllowAll, AllowNone, Robots, exceptions
from comity.reppy.cache import AgentCache, RobotsCache
from comity.reppy.ttl import HeaderWithDefaultPolicy

URL = "https://example.com/robots.txt"
HEADER = "Mozilla/5.0 (compatible; ExampleBot/2.1; +https://example.com/bot)"
FILE = Answer(body=b"User-agent: *\nDisallow: /x\n")


def test_file_is_decided_by_agent() -> None:
    body = "User-agent: heron\nDisallow: /private\nCrawl-delay: 3\nSitemap: https://example.com/s.xml\n"
    robots = Robots.parse(URL, body)
    assert not robots.allowed("https://example.com/private", "heron")
    assert robots.allowed("/private", "osprey")
    agent = robots.agent("heron")
    assert agent.delay == 3
    assert not agent.allowed("/private/a")
    assert agent.allowed("/")
    assert robots.sitemaps == ["https://example.com/s.xml"]


@pytest.mark.parametrize("value", ["2", "4294967296", "99999999999999999999999", "1e400"])
def test_delay_of_any_size_is_the_written_number(value: str) -> None:
    robots = Robots.parse(
        URL, f"User-agent: *\nCrawl-delay: inf\nCrawl-delay: 1\nCrawl-delay: {value}\n"
    )
    assert robots.agent("x").delay == float(value)


def test_rules_from_code_are_applied() -> None:
    agent = Agent().disallow("/path").allow("/path/public")
    assert agent.allowed("/path/public")
    assert not agent.allowed("/path/other")
    assert agent.allowed("/")


def test_rules_from_code_are_escaped() -> None:
    agent = Agent().disallow("/a#b").disallow("/c\nAllow: /").disallow(b"/\xff")
    assert not agent.allowed("/a%23b")
    assert agent.allowed("/a")
    assert agent.allowed("/c")
    assert not agent.allowed("/%FF")
    assert len(agent) == 3


def test_changed_agent_does_not_change_the_file() -> None:
    robots = Robots.parse(URL, "User-agent: *\nDisallow: /x\nCrawl-delay: 2\n")
    agent = robots.agent("a").allow("/x/y")
    assert agent.allowed("/x/y")
    assert not robots.allowed("/x/y", "a")
    assert agent.delay == 2
    assert str(agent) == "Crawl-Delay: 2 [Directive(Disallow: /x), Directive(Allow: /x/y)]"


def test_used_objects_can_be_pickled() -> None:
    robots = Robots.parse(URL, FILE.body, expires=5)
    agent = robots.agent(HEADER)
    assert not robots.allowed("/x", HEADER)
    assert not agent.allowed("/x")
    again = pickle.loads(pickle.dumps((robots, agent)))
    assert (again[0].allowed("/x", HEADER), again[0].expires) == (False, 5)
    assert not again[1].allowed("/x")


def test_dialect_argument_changes_decisions() -> None:
    first_match_matters = "User-agent: *\nDisallow: /\nAllow: /public\n"
    assert Robots.parse(URL, first_match_matters).allowed("/public", "a")
    robots = Robots.parse(URL, first_match_matters, dialect="gym2008")
    assert not robots.allowed("/public", "a")
    assert not robots.agent("a").allowed("/public")


def test_invalid_url_is_checked_as_a_path() -> None:
    robots = Robots.parse(URL, "User-agent: *\nDisallow: /example.com/x\n")
    assert not robots.allowed("example.com/x", "a")
    assert not robots.agent("a").allowed("example.com/x")


def test_file_without_fetch_does_not_expire() -> None:
    robots = Robots.parse(URL, "")
    assert not robots.expired
    assert robots.ttl == float("inf")


@pytest.mark.parametrize("expires", [float("nan"), float("-inf"), -5.0, 0.0])
def test_file_with_an_impossible_time_of_expiration_is_expired(expires: float) -> None:
    robots = Robots.parse(URL, "", expires)
    assert robots.expired and robots.ttl == 0


class Headers:
    def __init__(self, headers: dict[str, str]) -> None:
        self.headers = headers


@pytest.mark.parametrize(
    ("headers", "ttl"),
    [
        ({"cache-control": "max-age=-5"}, 600),
        ({"cache-control": "max-age=1" + "0" * 400}, 2**31),
        ({"cache-control": "max-age=1" + "0" * 9000}, 3600),
        ({"cache-control": "max-age=inf"}, 3600),
        ({"cache-control": "max-age=nan"}, 3600),
        ({"expires": "Sun, 06 Nov 2094 08:49:37 +" + "9" * 400}, 3600),
        (
            {
                "expires": "Sun, 06 Nov 2094 08:49:37 GMT",
                "date": "Sun, 06 Nov 2094 08:49:37 +" + "9" * 20,
            },
            2**31,
        ),
    ],
)
def test_header_with_any_number_has_a_finite_ttl(headers: dict[str, str], ttl: float) -> None:
    policy = HeaderWithDefaultPolicy(default=3600, minimum=600)
    if "date" in headers:
        # A date that cannot be read is the local time.
        assert 600 < policy.ttl(Headers(headers)) < ttl
    else:
        assert policy.ttl(Headers(headers)) == ttl
    assert policy.expires(Headers(headers)) <= time.time() + ttl


def test_robots_url_of_a_page_is_that_of_its_origin() -> None:
    assert Robots.robots_url("https://[::1]:8443/x") == "https://[::1]:8443/robots.txt"
    assert Robots.robots_url("HTTP://Example.com:80/x") == "http://example.com/robots.txt"
    with pytest.raises(ValueError, match="Port"):
        Robots.robots_url("http://example.com:x/")


def test_cache_fetches_once_per_origin_and_evicts_the_least_recent() -> None:
    with site(robots=FILE) as served:
        cache = RobotsCache(1, dialect="google", headers={"User-Agent": HEADER})
        assert not cache.allowed(served.at("/x"), "a")
        assert cache.allowed(served.at("/y"), "a")
        assert served.hits["/robots.txt"] == 1
        assert served.fields[0]["User-Agent"] == HEADER
        kept = cache.get(served.at("/"))
        assert kept.robots.dialect == "google"
        assert 3500 < kept.ttl <= 3600
        other = served.url.replace("127.0.0.1", "localhost")
        assert not cache.allowed(other + "/x", "a")
        assert list(cache.cache) == [other + "/robots.txt"]


@pytest.mark.parametrize("cache", [RobotsCache(3), AgentCache("a", 3)])
def test_pickled_cache_has_the_settings_and_no_files(cache: RobotsCache | AgentCache) -> None:
    agent = ("a",) if isinstance(cache, RobotsCache) else ()
    with site(robots=FILE) as served:
        assert not cache.allowed(served.at("/x"), *agent)
        again = pickle.loads(pickle.dumps(cache))
        assert (again.capacity, len(again.cache), len(cache.cache)) == (3, 0, 1)
        assert not again.allowed(served.at("/x"), *agent)
        assert served.hits["/robots.txt"] == 2
    with site(robots=Answer(503)) as served:
        assert not again.allowed(served.at("/"), *agent)


def test_one_thread_fetches_while_the_others_wait() -> None:
    with site(robots=Answer(body=FILE.body, delay=0.1)) as served:
        cache = AgentCache("a", 10)
        answers: list[bool] = []
        threads = [
            threading.Thread(target=lambda: answers.append(cache.allowed(served.at("/x"))))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert answers == [False] * 8
        assert served.hits["/robots.txt"] == 1


@pytest.mark.parametrize(
    ("status", "kind"), [(401, AllowNone), (403, AllowNone), (404, AllowAll), (429, AllowAll)]
)
def test_status_of_a_fetch_selects_the_kind_of_robots(status: int, kind: type[Robots]) -> None:
    with site(robots=Answer(status)) as served:
        robots = Robots.fetch(served.at("/robots.txt"))
    assert type(robots) is kind
    assert robots.allowed("/", "a") is (kind is AllowAll)


def test_server_error_raises_and_cache_allows_nothing() -> None:
    with site(robots=Answer(503)) as served:
        with pytest.raises(exceptions.BadStatusCode) as caught:
            Robots.fetch(served.at("/robots.txt"))
        assert caught.value.args[1] == 503
        assert not RobotsCache(1).allowed(served.at("/"), "a")
        assert not AgentCache("a", 1).allowed(served.at("/"))
    with pytest.raises(exceptions.ConnectionException) as gone:
        Robots.fetch(served.at("/robots.txt"))
    assert gone.value.url == served.at("/robots.txt")


def test_body_above_max_size_raises_content_too_long() -> None:
    with site(robots=Answer(body=b"#" * 1000)) as served:
        with pytest.raises(exceptions.ContentTooLong, match="999"):
            Robots.fetch(served.at("/robots.txt"), max_size=999)
        assert Robots.fetch(served.at("/robots.txt"), max_size=1000).allowed("/", "a")


def test_slow_server_raises_read_timeout() -> None:
    with site(robots=Answer(delay=5)) as served, pytest.raises(exceptions.ReadTimeout):
        Robots.fetch(served.at("/robots.txt"), timeout=0.1)


@pytest.mark.parametrize(("length", "coding"), [(12, "gzip"), (-100, "gzip"), (None, "x-heron")])
def test_body_that_cannot_be_decoded_is_a_failed_connection(
    length: int | None, coding: str
) -> None:
    body = gzip.compress(b"".join(b"Allow: /%d\n" % n for n in range(3000)) + FILE.body)[:length]
    with site(robots=Answer(200, body, {"Content-Encoding": coding})) as served:
        with pytest.raises(exceptions.ConnectionException, match="cannot be decoded"):
            Robots.fetch(served.at("/robots.txt"))
        assert not RobotsCache(1).allowed(served.at("/"), "a")
