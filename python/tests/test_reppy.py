"""The interface of reppy: files, agents, caches, and errors with its names."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from comity.reppy.cache import AgentCache, RobotsCache
from comity.reppy.robots import Agent, AllowAll, AllowNone, Robots

BODY = (
    b"User-agent: heron\nDisallow: /private\nCrawl-delay: 3\nSitemap: https://example.com/s.xml\n"
)


def test_a_file_answers_by_agent() -> None:
    robots = Robots.parse("https://example.com/robots.txt", BODY)
    assert not robots.allowed("https://example.com/private", "heron") and robots.allowed(
        "/private", "osprey"
    )
    agent = robots.agent("heron")
    assert agent.delay == 3 and not agent.allowed("/private/a") and agent.allowed("/")
    assert list(robots.sitemaps) == ["https://example.com/s.xml"]
    assert Robots.robots_url("https://example.com/a/b?c") == "https://example.com/robots.txt"


def test_agents_are_made_by_hand() -> None:
    agent = Agent().disallow("/path").allow("/path/public")
    assert agent.allowed("/path/public") and not agent.allowed("/path/other") and agent.allowed("/")


def test_all_and_none() -> None:
    url = "https://example.com/robots.txt"
    assert AllowAll(url).allowed("/x", "heron") and not AllowNone(url).allowed("/x", "heron")


@pytest.fixture
def site() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", str(len(BODY)))
            self.end_headers()
            self.wfile.write(BODY)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_caches_ask_a_site_once(site: tuple[str, list[str]]) -> None:
    url, asked = site
    cache = RobotsCache(capacity=10)
    assert not cache.allowed(f"{url}/private", "heron") and cache.allowed(f"{url}/public", "heron")
    assert asked == ["/robots.txt"]
    by_agent = AgentCache(agent="heron", capacity=10)
    assert not by_agent.allowed(f"{url}/private") and by_agent.allowed(f"{url}/public")
    assert asked == ["/robots.txt", "/robots.txt"]
