"""The drop-ins, where their originals' own suites do not look."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Iterator
from datetime import time as clock
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.error import HTTPError

import pytest

from comity import UnknownNameError
from comity._checks import MOST_AGENTS
from comity.exclusion import (
    GYM2008,
    MK1996,
    SEVEN_DAYS,
    RobotExclusionRulesParser,
    RobotFileParserLookalike,
)
from comity.protego import Protego
from comity.urllib import RobotFileParser

FILE = "User-agent: *\nAllow: /\nDisallow: /private\nCrawl-delay: 2\nRequest-rate: 3/15 0600-0845\n"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status = int(self.path.rpartition("/")[2])
        self.server.agents.append(self.headers["User-Agent"])  # type: ignore[attr-defined]
        self.send_response(status)
        self.send_header("Expires", formatdate(2_000_000_000, usegmt=True))
        self.end_headers()
        self.wfile.write(FILE.encode() if status == 200 else b"User-agent: *\nDisallow: /no")

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[HTTPServer]:
    server = HTTPServer(("127.0.0.1", 0), Handler)
    server.agents = []  # type: ignore[attr-defined]
    threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    ).start()
    yield server
    server.shutdown()
    server.server_close()


def url(server: HTTPServer, status: int) -> str:
    return f"http://127.0.0.1:{server.server_port}/{status}"


def test_the_dialect_decides() -> None:
    # The longest rule decides in RFC 9309, the first one that matches in the others.
    for dialect, allowed in (("rfc9309", False), ("urllib", True), ("gym2008", True)):
        assert Protego.parse(FILE, dialect=dialect).can_fetch("/private", "x") is allowed
        parser = RobotFileParser(dialect=dialect)
        parser.parse(FILE.splitlines())
        assert parser.can_fetch("x", "/private") is allowed
        lookalike = RobotFileParserLookalike(dialect=dialect)
        lookalike.parse(FILE.splitlines())
        assert lookalike.can_fetch("x", "/private") is allowed


def test_a_subclass_has_its_own_dialect() -> None:
    class Old(Protego):
        dialect = "urllib"

    assert Old.parse(FILE).can_fetch("/private", "x")
    assert not Old.parse(FILE, dialect="rfc9309").can_fetch("/private", "x")


def test_unknown_dialects_are_named() -> None:
    with pytest.raises(UnknownNameError, match="protego"):
        Protego.parse(FILE, dialect="protego")
    with pytest.raises(UnknownNameError, match="reppy"):
        RobotFileParser(dialect="reppy")


def test_protego_takes_text_only() -> None:
    with pytest.raises(
        TypeError, match=r"expects str, got bytes; comity\.Robots\.parse takes bytes"
    ):
        Protego.parse(FILE.encode())  # type: ignore[arg-type]


def test_protego_tells_rates_and_hosts() -> None:
    parser = Protego.parse(FILE + "Visit-time: 2200-0000\nHost: a.example\nHost: b.example\n")
    rate = parser.request_rate("x")
    assert rate == (3, 15, clock(6), clock(8, 45))
    assert parser.visit_time("x") == (clock(22), clock(0))
    assert parser.crawl_delay("x") == 2.0
    assert parser.preferred_host == "b.example"


@pytest.mark.parametrize("text", ["example.com/private", "private", "//example.com/private"])
def test_text_that_is_no_url_is_a_path(text: str) -> None:
    # `example.com/private` is the path `/example.com/private`, which nothing disallows.
    allowed = text == "example.com/private"
    assert Protego.parse(FILE).can_fetch(text, "x") is allowed
    parser = RobotExclusionRulesParser()
    parser.parse(FILE)
    assert parser.is_allowed("x", text) is allowed


def test_many_agents_do_not_fill_memory() -> None:
    parser = Protego.parse(FILE)
    for number in range(3 * MOST_AGENTS):
        assert not parser.can_fetch("/private", f"bot{number}")
    assert len(parser._checks) <= MOST_AGENTS
    assert len(parser._checks.rules) <= MOST_AGENTS


def test_parsers_can_be_pickled() -> None:
    parser = RobotFileParser()
    parser.parse(FILE.splitlines())
    assert not parser.can_fetch("x", "/private")
    for original in (parser, Protego.parse(FILE)):
        copy = pickle.loads(pickle.dumps(original))
        assert copy.crawl_delay("x") == 2
        assert copy.robots == original.robots


def test_a_parser_that_read_nothing_allows_nothing() -> None:
    parser = RobotFileParser()
    assert not parser.can_fetch("x", "/")
    assert parser.crawl_delay("x") is None
    assert parser.request_rate("x") is None
    assert parser.mtime() == 0


@pytest.mark.parametrize(
    ("status", "everything", "nothing"),
    [
        (200, False, False),
        (401, False, True),
        (403, False, True),
        (404, True, False),
        (503, False, True),
    ],
)
def test_read(server: HTTPServer, status: int, everything: bool, nothing: bool) -> None:
    parser = RobotFileParser(url(server, status))
    parser.read()
    assert (parser.allow_all, parser.disallow_all) == (everything, nothing)
    assert parser.can_fetch("x", "/public") is not nothing
    assert parser.can_fetch("x", "/private") is everything


def test_fetch(server: HTTPServer) -> None:
    parser = RobotExclusionRulesParser()
    parser.user_agent = "examplebot/1.0"
    parser.fetch(url(server, 200))
    assert server.agents[-1] == "examplebot/1.0"  # type: ignore[attr-defined]
    assert parser.response_code == 200
    assert parser.source_url == url(server, 200)
    assert parser.expiration_date == 2_000_000_000
    assert not parser.is_expired
    assert not parser.is_expired()
    assert not parser.is_allowed("x", "/private")
    assert parser.is_allowed("x", "/private", syntax=GYM2008)
    assert parser.is_allowed("x", "/private", syntax=MK1996)
    with pytest.raises(ValueError, match="MK1996 or GYM2008, not 7"):
        parser.is_allowed("x", "/private", syntax=7)

    parser.fetch(url(server, 404))
    assert parser.response_code == 404
    assert parser.is_allowed("x", "/private")
    assert abs(parser.expiration_date - time.time() - SEVEN_DAYS) < 60
    parser.fetch(url(server, 403))
    assert not parser.is_allowed("x", "/public")
    with pytest.raises(HTTPError):
        parser.fetch(url(server, 503))
    assert parser.response_code == 503


def test_an_expired_file_says_so() -> None:
    parser = RobotExclusionRulesParser()
    parser.expiration_date = time.time() - 1
    assert parser.is_expired
    assert parser.is_expired()
