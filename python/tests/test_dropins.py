"""Tests of the drop-ins, in addition to the test suites of the originals."""

from __future__ import annotations

import gzip
import pickle
import threading
import time
import urllib.robotparser
from collections.abc import Iterator
from datetime import time as clock
from email.utils import formatdate
from http.client import IncompleteRead
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.error import HTTPError

import protego
import pytest
import robotexclusionrulesparser
from sites import Answer, site

from comity import Agent, UnknownNameError
from comity._checks import MOST_AGENTS
from comity._names import Dialect
from comity.dropins import use_dialect
from comity.exclusion import (
    GYM2008,
    MK1996,
    SEVEN_DAYS,
    RobotExclusionRulesParser,
    RobotFileParserLookalike,
)
from comity.protego import Protego
from comity.urllib import RobotFileParser, original_dialect

FILE = "User-agent: *\nAllow: /\nDisallow: /private\nCrawl-delay: 2\nRequest-rate: 3/15 0600-0845\n"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path in self.server.files:  # type: ignore[attr-defined]
            content_type, body = self.server.files[self.path]  # type: ignore[attr-defined]
            self.send_response(200)
            self.send_header("Content-Type", content_type)
            self.end_headers()
            self.wfile.write(body)
            return
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
    server.files = {}  # type: ignore[attr-defined]
    threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    ).start()
    yield server
    server.shutdown()
    server.server_close()


def url(server: HTTPServer, status: int) -> str:
    return f"http://127.0.0.1:{server.server_port}/{status}"


def test_dialect_argument_changes_decisions() -> None:
    # In RFC 9309 the longest matching rule decides. In the other dialects, the first matching rule decides.
    for dialect, allowed in (("rfc9309", False), ("urllib", True), ("gym2008", True)):
        assert Protego.parse(FILE, dialect=dialect).can_fetch("/private", "x") is allowed
        parser = RobotFileParser(dialect=dialect)
        parser.parse(FILE.splitlines())
        assert parser.can_fetch("x", "/private") is allowed
        lookalike = RobotFileParserLookalike(dialect=dialect)
        lookalike.parse(FILE.splitlines())
        assert lookalike.can_fetch("x", "/private") is allowed


def test_drop_in_without_dialect_equals_its_original() -> None:
    own = RobotFileParser()
    assert own.dialect == original_dialect()
    assert RobotExclusionRulesParser().dialect == "gym2008"
    assert Protego.parse("").robots.dialect == "protego"
    use_dialect("rfc9309")
    try:
        assert RobotFileParser().dialect == RobotExclusionRulesParser().dialect == "rfc9309"
        assert not Protego.parse(FILE).can_fetch("/private", "x")
        assert Protego.parse(FILE, dialect="urllib").can_fetch("/private", "x")
        assert RobotFileParserLookalike(dialect="gym2008").dialect == "gym2008"
        with pytest.raises(UnknownNameError, match="altavista"):
            use_dialect("altavista")
        assert RobotFileParser().dialect == "rfc9309"
    finally:
        use_dialect(None)
    # `use_dialect` does not change the dialect of an existing parser.
    assert own.dialect == original_dialect()


@pytest.mark.parametrize(
    "calls",
    [
        [["User-agent: a", "Disallow: /x"], ["Disallow: /y"], ["User-agent: *", "Disallow: /"]],
        [["User-agent: a"], ["Disallow: /x"]],
        [["User-agent: a\n", "\n", "Disallow: /x\n", "User-agent: A%42c\n", "Disallow:\n"]],
        [["User-agent: *", "Crawl-delay: 1.5", "Request-rate: 1/2", "Allow: /%7e#x"]] * 2,
    ],
)
def test_second_parse_adds_rules_as_in_the_standard_library(
    calls: list[list[str]],
) -> None:
    original, own = urllib.robotparser.RobotFileParser(), RobotFileParser()
    for lines in calls:
        original.parse(lines)
        own.parse(lines)
        assert str(own) == str(original)
        for agent in ("a", "abc", "b"):
            for path in ("/x", "/y", "/"):
                assert own.can_fetch(agent, path) == original.can_fetch(agent, path)
            assert own.crawl_delay(agent) == original.crawl_delay(agent)


def test_server_error_keeps_the_file_as_in_the_standard_library(
    server: HTTPServer,
) -> None:
    original = urllib.robotparser.RobotFileParser(url(server, 503))
    own = RobotFileParser(url(server, 503), dialect="urllib")
    for parser in (original, own):
        parser.read()
        assert not parser.can_fetch("x", "/public")
        parser.parse(FILE.splitlines())
        parser.read()
        assert parser.can_fetch("x", "/public")


def test_subclass_dialect_is_used() -> None:
    class Old(Protego):
        dialect = "urllib"

    assert Old.parse(FILE).can_fetch("/private", "x")
    assert not Old.parse(FILE, dialect="rfc9309").can_fetch("/private", "x")


def test_unknown_dialects_are_named() -> None:
    with pytest.raises(UnknownNameError, match="altavista"):
        Protego.parse(FILE, dialect="altavista")
    with pytest.raises(UnknownNameError, match="reppy"):
        RobotFileParser(dialect="reppy")


def test_protego_rejects_bytes() -> None:
    with pytest.raises(
        TypeError, match=r"expects str, got bytes; comity\.Robots\.parse takes bytes"
    ):
        Protego.parse(FILE.encode())  # type: ignore[arg-type]


def test_protego_returns_rates_and_hosts() -> None:
    parser = Protego.parse(FILE + "Visit-time: 2200-0000\nHost: a.example\nHost: b.example\n")
    rate = parser.request_rate("x")
    assert rate == (3, 15, clock(6), clock(8, 45))
    assert parser.visit_time("x") == (clock(22), clock(0))
    assert parser.crawl_delay("x") == 2.0
    assert parser.preferred_host == "b.example"


NUMBERS = [
    "4294967296",
    "9007199254740993",
    "18446744073709551616",
    "9" * 300,
    "9" * 400,
    "1e19",
    "1e300",
    "1e400",
    "inf",
    "nan",
    "%34294967296",
    "1_000_000_000_000_000_000_000",
    "-1",
    "-0.5",
    "-inf",
    "-0",
    "1_0",
    "1__0",
    "_1",
    "0x10",
    "\u0967\u0968",
    "\uff11",
    "\u0663.\u0665",
    "\u20031",
    "\U0001d7ff",
]


@pytest.mark.parametrize("value", NUMBERS)
@pytest.mark.parametrize("last", ["", "Crawl-delay: soon\n"])
def test_delay_of_any_size_is_the_number_of_the_original(value: str, last: str) -> None:
    body = f"User-agent: a\nCrawl-delay: 1\nAllow: /\n\nUser-agent: *\nCrawl-delay: {value}\n{last}"
    original, own = urllib.robotparser.RobotFileParser(), RobotFileParser()
    for parser in (original, own):
        parser.parse(body.splitlines())
    assert own.crawl_delay("x") == original.crawl_delay("x")
    assert type(own.crawl_delay("x")) is type(original.crawl_delay("x"))
    assert str(own) == str(original)
    old, lookalike = (
        robotexclusionrulesparser.RobotExclusionRulesParser(),
        RobotExclusionRulesParser(),
    )
    for parser in (old, lookalike):
        parser.parse(body)
    # NaN differs from itself.
    assert repr(lookalike.get_crawl_delay("x")) == repr(old.get_crawl_delay("x"))
    assert Protego.parse(body).crawl_delay("x") == protego.Protego.parse(body).crawl_delay("x")


@pytest.mark.parametrize(
    "value",
    [
        "1/4294967296",
        "4294967296/1",
        "4294967296/18446744073709551616",
        f"{'9' * 100}/{'9' * 101}",
        "1/99999999999999999999d",
        "4294967296/1d 0800-0900",
        "1/4294967296 soon",
        "1/inf",
        "\u0661/\uff12",
        "\u0967\u0968/\u0969s",
        "1_0/1_0",
        "-1/1",
    ],
)
def test_rate_of_any_size_has_the_numbers_of_the_original(value: str) -> None:
    body = f"User-agent: *\nRequest-rate: {value}\nRequest-rate: soon\nAllow: /\n"
    original, own = urllib.robotparser.RobotFileParser(), RobotFileParser()
    for parser in (original, own):
        parser.parse(body.splitlines())
    assert own.request_rate("x") == original.request_rate("x")
    assert Protego.parse(body).request_rate("x") == protego.Protego.parse(body).request_rate("x")


@pytest.mark.parametrize(
    "body",
    ["Host:\n", "Host: a\nHost:\n", "Host:\t\nHost: b # c\n", "host : a\nHOST: b\n", "Host a\n"],
)
def test_preferred_host_is_that_of_the_original(body: str) -> None:
    assert Protego.parse(body).preferred_host == protego.Protego.parse(body).preferred_host


@pytest.mark.parametrize("dialect", ["urllib", "urllib-2026", "rfc9309", "gym2008", "protego"])
def test_delay_with_too_many_digits_is_the_largest_delay(dialect: Dialect) -> None:
    digits = "9" * 5000
    parser = RobotFileParser(dialect=dialect)
    parser.parse(
        f"User-agent: *\nCrawl-delay: {digits}\nRequest-rate: 1/{digits}\nAllow: /\n".splitlines()
    )
    # Protego ignores numbers beyond the largest `float`.
    assert parser.crawl_delay("x") == (None if dialect == "protego" else 2**64)
    rate = parser.request_rate("x")
    assert (
        rate is None
        if dialect in ("gym2008", "protego")
        else rate is not None and rate.seconds == 2**32 - 1
    )
    assert str(parser)


@pytest.mark.parametrize("text", ["example.com/private", "private", "//example.com/private"])
def test_invalid_url_is_checked_as_a_path(text: str) -> None:
    # `example.com/private` is the path `/example.com/private`, which no rule disallows.
    allowed = text == "example.com/private"
    assert Protego.parse(FILE).can_fetch(text, "x") is allowed
    parser = RobotExclusionRulesParser(dialect="rfc9309")
    parser.parse(FILE)
    assert parser.is_allowed("x", text) is allowed


def test_rules_of_many_agents_are_evicted() -> None:
    parser = Protego.parse(FILE)
    for number in range(3 * MOST_AGENTS):
        assert not parser.can_fetch("/private", f"bot{number}")
    assert len(parser._checks) <= MOST_AGENTS
    assert len(parser._checks.rules) <= MOST_AGENTS


def test_parsers_can_be_pickled() -> None:
    parser = RobotFileParser(dialect="rfc9309")
    parser.parse(FILE.splitlines())
    assert not parser.can_fetch("x", "/private")
    for original in (parser, Protego.parse(FILE)):
        copy = pickle.loads(pickle.dumps(original))
        assert copy.crawl_delay("x") == 2
        assert copy.robots == original.robots


def test_parser_before_the_first_read_allows_nothing() -> None:
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
def test_read_status_sets_the_decisions(
    server: HTTPServer, status: int, everything: bool, nothing: bool
) -> None:
    parser = RobotFileParser(url(server, status), dialect="rfc9309")
    parser.read()
    assert (parser.allow_all, parser.disallow_all) == (everything, nothing)
    assert parser.can_fetch("x", "/public") is not nothing
    assert parser.can_fetch("x", "/private") is everything


@pytest.mark.parametrize(
    ("dialect", "allows", "forbids"), [("urllib", True, False), ("urllib-2026", False, True)]
)
def test_server_error_has_the_effect_of_the_original(
    server: HTTPServer, dialect: Dialect, allows: bool, forbids: bool
) -> None:
    parser = RobotFileParser(url(server, 200), dialect=dialect)
    parser.read()
    assert parser.can_fetch("x", "/public")
    parser.set_url(url(server, 503))
    parser.read()
    assert (parser.can_fetch("x", "/public"), parser.disallow_all) == (allows, forbids)


@pytest.mark.parametrize(("dialect", "counts"), [("urllib", True), ("rfc9309", False)])
def test_effect_of_an_error_status_lasts_as_in_the_original(
    server: HTTPServer, dialect: Dialect, counts: bool
) -> None:
    parser = RobotFileParser(url(server, 403), dialect=dialect)
    parser.read()
    parser.set_url(url(server, 200))
    parser.read()
    assert parser.disallow_all is counts
    assert parser.can_fetch("x", "/public") is not counts


#: Pairs of files with decisions that would differ if one file had the lines of both.
ONE_AFTER_THE_OTHER = [
    # Rules before the first group of a file are ignored.
    (["User-agent: a", "Disallow: /x"], ["Disallow: /y"], {"/x": False, "/y": True}),
    # The end of a file ends a group without rules.
    (["User-agent: a"], ["User-agent: b", "Disallow: /x"], {"/x": True}),
    # A word without a colon does not begin a group.
    (["User-agent: a", "Allow: /"], ["user-agent", "Disallow: /x"], {"/x": True}),
    (
        ["User-agent: a", "Disallow: /x"],
        ["User-agent: a", "Disallow: /y"],
        {"/x": False, "/y": False},
    ),
]


@pytest.mark.parametrize(("first", "second", "answers"), ONE_AFTER_THE_OTHER)
def test_second_file_is_read_as_in_the_original(
    first: list[str], second: list[str], answers: dict[str, bool]
) -> None:
    parser = RobotFileParser(dialect="urllib-2026")
    parser.parse(first)
    parser.parse([*second, "Sitemap: https://example.com/2.xml"])
    assert {path: parser.can_fetch("a", path) for path in answers} == answers
    assert parser.site_maps() == ["https://example.com/2.xml"]


def test_unsplittable_url_matches_no_rule_since_the_rewrite() -> None:
    parser = RobotFileParser(dialect="urllib-2026")
    parser.parse(["User-agent: *", "Disallow: /"])
    assert parser.can_fetch("heron", "http://[reed/nest")
    decision = parser.robots.rules_for(Agent.header("heron")).decide("http://[reed/nest")
    assert (decision.verdict, decision.basis) == ("allowed_implicit", "no_rule")


def test_fetch_status_sets_the_decisions(server: HTTPServer) -> None:
    parser = RobotExclusionRulesParser(dialect="rfc9309")
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

    before = time.time()
    parser.fetch(url(server, 404))
    assert parser.response_code == 404
    assert parser.is_allowed("x", "/private")
    assert before <= parser.expiration_date - SEVEN_DAYS <= time.time()
    parser.fetch(url(server, 403))
    assert not parser.is_allowed("x", "/public")
    with pytest.raises(HTTPError):
        parser.fetch(url(server, 503))
    assert parser.response_code == 503


def test_expired_file_is_reported_by_is_expired() -> None:
    parser = RobotExclusionRulesParser()
    parser.expiration_date = time.time() - 1
    assert parser.is_expired
    assert parser.is_expired()


NON_ASCII = "User-agent: *\nDisallow: /caf\u00e9\n"


def serve(server: HTTPServer, content_type: str, body: bytes) -> str:
    files: dict[str, tuple[str, bytes]] = server.files  # type: ignore[attr-defined]
    path = f"/file{len(files)}/robots.txt"
    files[path] = (content_type, body)
    return f"http://127.0.0.1:{server.server_port}{path}"


@pytest.mark.parametrize(
    ("declared", "codec"),
    [
        ("utf-8", "utf-8"),
        ('"utf-8"', "utf-8"),
        ("'CP437'", "cp437"),
        ("cp437", "cp437"),
        ("utf-32", "utf-32"),
        ("utf-16", "utf-16"),
        ("cp037", "cp037"),
        (
            "iso-8859-1",
            "utf-8",
        ),  # Many servers declare a default charset, also for files in UTF-8.
    ],
)
def test_fetched_file_is_decoded_by_its_charset(
    server: HTTPServer, declared: str, codec: str
) -> None:
    address = serve(server, f"text/plain; charset={declared}", NON_ASCII.encode(codec))
    parser = RobotExclusionRulesParser(dialect="rfc9309")
    parser.fetch(address)
    assert not parser.is_allowed("x", "/caf%C3%A9/menu")
    assert parser.is_allowed("x", "/tea")
    if declared != "iso-8859-1":
        assert not parser.is_allowed("x", "/caf%C3%A9/menu", syntax=GYM2008)
    else:
        assert parser.is_allowed("x", "/caf%C3%A9/menu", syntax=GYM2008)


@pytest.mark.parametrize(
    ("declared", "body"),
    [
        ("utf-8", NON_ASCII.encode("latin-1")),
        ("us-ascii", NON_ASCII.encode("utf-8")),
        ("klingon", b""),
        ("utf-8\0", b""),
        ("x" * 100_000, b""),
        ("zlib", b""),
        ("rot13", b""),
        ("idna", b"a" * 500_000),
        ("punycode", b"a" * 250_000 + b"-" + b"z" * 250_000),
        ("unicode_escape", b"\\x41"),
    ],
)
def test_undecodable_file_raises_unicode_error(declared: str, body: bytes) -> None:
    # The test passes the header field directly, because an HTTP server cannot send all of these values.
    from comity.exclusion import _charset, _decode

    charset = _charset(f"text/plain; charset={declared}")
    assert charset is not None
    with pytest.raises(UnicodeError, match=r"unknown charset|charset that"):
        _decode(body, charset, True)


def test_fetch_with_decoding_error_keeps_the_earlier_file(server: HTTPServer) -> None:
    parser = RobotExclusionRulesParser(dialect="rfc9309")
    parser.parse(FILE)
    for declared in ("utf-8", "klingon"):
        address = serve(server, f"text/plain; charset={declared}", NON_ASCII.encode("latin-1"))
        with pytest.raises(UnicodeError, match=declared):
            parser.fetch(address)
        assert parser.response_code == 200
        assert parser.source_url == address
        assert not parser.is_allowed("x", "/private")


def test_cut_file_may_end_within_a_character(server: HTTPServer) -> None:
    line = "Disallow: /\u00e9\u00e9\n"
    file = ("User-agent: *\n" + line * 40_000).encode()
    address = serve(server, "text/plain; charset=utf-8", file)
    parser = RobotExclusionRulesParser()
    parser.fetch(address)
    assert not parser.is_allowed("x", "/%C3%A9%C3%A9")


def test_parse_accepts_a_bytearray() -> None:
    for kind in (RobotExclusionRulesParser, RobotFileParserLookalike):
        parser = kind(dialect="rfc9309")
        body = bytearray(FILE.encode())
        parser.parse(body)
        body[:] = b""
        assert not parser.is_allowed("x", "/private")
        assert parser.is_allowed("x", "/private", syntax=GYM2008)


def test_expiration_follows_the_original_documentation(server: HTTPServer) -> None:
    parser = RobotFileParserLookalike()
    parser.use_local_time = False
    assert parser.mtime() == 0
    for status in (200, 404):
        parser.fetch(url(server, status))
        assert isinstance(parser.expiration_date, float)
    assert parser.mtime() == 0
    before = time.time()
    parser.modified()
    assert before <= parser.mtime() <= time.time()


@pytest.mark.parametrize("kind", [RobotFileParser, RobotFileParserLookalike])
def test_truncated_file_is_an_error_and_keeps_the_earlier_file(kind: type) -> None:
    with site(robots=Answer(body=b"User-agent: *\n", missing=12)) as served:
        parser = kind(served.at("/robots.txt"))
        parser.parse(["User-agent: *", "Disallow: /"])
        parser.modified()
        with pytest.raises(IncompleteRead):
            parser.read()
        assert not parser.can_fetch("heron", "/")


@pytest.mark.parametrize("end", [b"\n", b"\r"])
def test_line_that_exceeds_the_limit_of_read_is_ignored(end: bytes) -> None:
    class Short(RobotFileParser):
        max_bytes = 40

    with site(
        robots=Answer(
            body=b"User-agent: *\nAllow: /public\nAllow: /priv/a\nDisallow: /".replace(b"\n", end)
        )
    ) as served:
        parser = Short(served.at("/robots.txt"), dialect="rfc9309")
        parser.read()
    assert [rule.value for group in parser.robots.groups for rule in group.rules] == ["/public"]


@pytest.mark.parametrize("kind", [RobotFileParser, RobotFileParserLookalike])
@pytest.mark.parametrize("length", [None, -9])
def test_compressed_file_is_decoded_outside_of_the_dialects_of_the_originals(
    kind: type, length: int | None
) -> None:
    body = gzip.compress(b"User-agent: *\nDisallow: /private\n")[:length]
    with site(robots=Answer(body=body, headers={"Content-Encoding": "gzip"})) as served:
        parser = kind(served.at("/robots.txt"), dialect="rfc9309")
        parser.parse(["User-agent: *", "Disallow: /public", "Disallow: /private"])
        try:
            parser.read()
        except UnicodeError:
            assert kind is RobotFileParserLookalike and length is not None
    assert not parser.can_fetch("heron", "/private")
    assert parser.can_fetch("heron", "/public") is (length is None)
