"""Hostile arguments: every call returns a result or raises a documented exception, and never crashes."""

import io
import random
from collections.abc import Callable

import pytest

import comity
import comity.urllib as comity_urllib
from comity import Agent, AsyncClient, Client, ComityError, Policy, Robots, llms, usage
from comity.exclusion import RobotExclusionRulesParser, RobotFileParserLookalike
from comity.page import PageDirectives
from comity.protego import Protego
from comity.sitemap import SitemapReader

SEEDS = range(4)
ROUNDS = 400
PIECES = [
    b"User-agent: ",
    b"Disallow: ",
    b"Allow: /",
    b"*",
    b"$",
    b"%",
    b"%2f",
    b"\r",
    b"\n",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"Crawl-delay: 1e308",
    b"Request-rate: 1/0",
    b"Visit-time: 9999-9999",
    b"Content-Signal: ",
    b"Content-Usage: train-ai=n;",
    b"Sitemap: ",
    b"<url><loc>",
    b"</loc>",
    b"<![CDATA[",
    b"<!DOCTYPE x [",
    b"&#x110000;",
    b"\x1f\x8b\x08",
    b"# ",
    b"- [a](",
    b")",
    b"http://",
    b"://",
    b"\xed\xa0\x80",
    b"max-snippet:-",
    b"unavailable_after: ",
    b"[{",
    b'"location":',
    b"A" * 5000,
]


def noise(rng: random.Random) -> bytes:
    return b"".join(
        rng.choice(PIECES) if rng.random() < 0.8 else rng.randbytes(9)
        for _ in range(rng.randrange(40))
    )


def anything(rng: random.Random, depth: int = 0) -> object:
    raw = noise(rng)
    kinds = [
        lambda: raw,
        lambda: raw.decode("utf-8", "surrogateescape"),
        lambda: raw.decode("latin-1"),
        lambda: (
            raw.decode("utf-16", "surrogatepass" if rng.random() < 0.5 else "replace")
            if len(raw) % 2 == 0
            else ""
        ),
        lambda: bytearray(raw),
        lambda: memoryview(raw)[::2],
        lambda: None,
        lambda: rng.choice([0, -1, 2**70, -(2**70), float("nan"), float("inf"), -0.0, 1e300, True]),
        lambda: rng.choice(
            comity.dialects() + comity.presets() + ["respect", "ignore", "google", "prefer", "drop"]
        ),
        lambda: object(),
        lambda: Agent.header(raw),
        lambda: io.BytesIO(raw),
        lambda: io.StringIO(raw.decode("latin-1")),
    ]
    if depth < 2:
        kinds += [
            lambda: [anything(rng, depth + 1) for _ in range(rng.randrange(4))],
            lambda: {str(n): anything(rng, depth + 1) for n in range(rng.randrange(4))},
            lambda: tuple(anything(rng, depth + 1) for _ in range(2)),
        ]
    return rng.choice(kinds)()


def calls(rng: random.Random):
    """Yields calls with arguments of every kind, valid or not."""

    def some() -> object:
        return anything(rng)

    def text() -> str:
        return noise(rng).decode("latin-1")

    dialect = rng.choice(comity.dialects())
    yield lambda: Robots.parse(
        some(), dialect=rng.choice([dialect, some()]), charset=rng.choice([None, "utf-16", some()])
    )
    robots = Robots.parse(noise(rng), dialect=dialect)
    yield lambda: [
        robots.decide(some(), some()),
        robots.records,
        robots.groups,
        repr(robots),
        robots.sitemaps,
    ]
    yield lambda: robots.lint()
    yield lambda: [
        robots.explain(Agent.header(text()), b"/" + noise(rng)),
        robots.extent(Agent.header(text())),
        robots.request_rate(Agent.header(text())),
    ]
    yield lambda: [
        str(robots.explain(some(), some())),
        robots.visit_time(some()),
        list(robots.rules_for(some())),
    ]
    yield lambda: robots.decide(text(), b"/" + noise(rng)).to_json()
    yield lambda: comity.is_allowed(some(), some(), some(), dialect=dialect)
    yield lambda: Agent(some(), fallbacks=some(), ignores_star=some())
    policy = Policy(Agent.header(text()), preset=rng.choice(comity.presets()))
    yield lambda: policy.update(
        some(), some(), failure=some(), headers=some(), fetched_at=some(), redirects=some()
    )
    yield lambda: policy.update(
        rng.randrange(70_000), noise(rng), headers={"cache-control": text(), "expires": noise(rng)}
    )
    yield lambda: [policy.decide(b"/" + noise(rng), some()), policy.evidence, repr(policy)]
    yield lambda: PageDirectives(some(), some(), charset=some()).outcome(some(), some(), some())
    yield lambda: PageDirectives(
        {"X-Robots-Tag": noise(rng), "Robots-Tag": noise(rng)}, noise(rng)
    ).outcome(text())
    yield lambda: usage.report(
        some(), some(), robots=some(), headers=some(), html=some(), tdmrep=some(), rsl=some()
    )
    yield lambda: usage.report(
        b"/" + noise(rng),
        text(),
        robots=robots,
        html=noise(rng),
        headers={"tdm-policy": noise(rng)},
    )
    yield lambda: list(SitemapReader(some(), url=some(), scope=some()))
    yield lambda: list(
        SitemapReader(rng.choice([noise(rng), io.BytesIO(noise(rng)), io.StringIO(text())]))
    )
    yield lambda: llms.LlmsTxt.parse(some(), url=some()).candidates(some(), some())
    yield lambda: [llms.LlmsTxt.parse(noise(rng)).to_dict(), llms.check_strict(noise(rng))]
    yield lambda: [comity.agents.known(some()), comity.agents.closest(some())]
    yield lambda: [robots.are_allowed(some(), some()), robots.are_allowed(text(), [noise(rng)] * 3)]
    yield lambda: Client(
        some(), contact=some(), preset=some(), mode=some(), allow_address=some(), timeout=some()
    )
    yield lambda: AsyncClient(
        "heron",
        settings={
            rng.choice(["agent", "robots", "pace", "fetch", "guard", "sitemap", "llms", text()]): {
                rng.choice(["preset", "timeout_seconds", "allow_address", "mode", text()]): some()
            }
        },
        max_wait=rng.choice([None, some()]),
    )
    yield from drop_ins(rng, some, text)


def drop_ins(rng: random.Random, some: Callable[[], object], text: Callable[[], str]):
    """Yields calls of the drop-ins with arguments of every kind."""

    def lookalike(kind: type) -> None:
        parser = kind()
        parser.parse(rng.choice([text().splitlines(), noise(rng).splitlines(), some()]))
        parser.modified()
        parser.can_fetch(text(), text())
        parser.can_fetch(some(), some())
        assert str(parser) is not None

    def exclusion(kind: type) -> None:
        parser = kind()
        parser.parse(rng.choice([text(), noise(rng), some()]))
        parser.is_allowed(text(), text())
        parser.is_allowed(some(), some(), syntax=rng.choice([0, 1, some()]))
        parser.get_crawl_delay(some()), parser.sitemaps, parser.is_expired, str(parser)

    def protego() -> None:
        parser = Protego.parse(rng.choice([text(), some()]))
        parser.can_fetch(text(), text())
        parser.can_fetch(some(), some())
        parser.crawl_delay(some()), parser.visit_time(some()), list(parser.sitemaps)
        parser.preferred_host, repr(parser)

    def scrapy() -> None:
        module = pytest.importorskip("comity.scrapy")
        parser = module.RobotParser.from_crawler(None, rng.choice([noise(rng), some()]))
        parser.allowed(text(), text())
        parser.allowed(some(), some())

    def reppy() -> None:
        module = pytest.importorskip("comity.reppy")
        robots = module.Robots.parse(text(), rng.choice([noise(rng), text(), some()]), expires=5)
        robots.allowed(text(), text())
        robots.allowed(some(), some())
        robots.agent(text()).allowed(some()), robots.sitemaps, str(robots)
        module.Agent().allow(some()).disallow(text()).allowed(text())

    def standard() -> None:
        parser = comity_urllib.RobotFileParser()
        parser.parse(noise(rng).decode("latin-1").splitlines())
        parser.crawl_delay(some()), parser.request_rate(some()), parser.site_maps()

    yield standard
    yield lambda: lookalike(comity_urllib.RobotFileParser)
    yield lambda: lookalike(RobotFileParserLookalike)
    yield lambda: exclusion(RobotExclusionRulesParser)
    yield protego
    yield scrapy
    yield reppy


def columns(rng: random.Random, rows: int) -> dict[str, object]:
    """Returns columns with the names of input columns. Types and values are random."""
    import pyarrow as pa

    def some(make: Callable[[], object]) -> list[object]:
        return [None if rng.random() < 0.2 else make() for _ in range(rows)]

    def raw() -> bytes:
        prefix = rng.choice([b"/", b"https://heron.example/", b"HTTP://[::1]:80/", b""])
        return prefix + noise(rng)[: rng.randrange(400)]

    kinds = [
        lambda: pa.array(some(raw), pa.binary()),
        lambda: pa.array(some(raw), pa.large_binary()),
        lambda: pa.array(some(raw), pa.binary_view()),
        lambda: pa.array(some(lambda: raw().decode("latin-1")), pa.string()),
        lambda: pa.array(some(lambda: raw().decode("latin-1")), pa.string_view()),
        lambda: pa.array(some(raw), pa.binary()).dictionary_encode(),
    ]
    others = [
        lambda: pa.array(some(lambda: rng.randrange(-(2**31), 2**31)), pa.int32()),
        lambda: pa.array(some(lambda: rng.choice([200, 404, 503, 301])), pa.uint16()),
        lambda: pa.array(some(lambda: rng.choice([200.0, 404.5, float("nan"), 1e300]))),
        lambda: pa.array(some(lambda: rng.randrange(-(2**62), 2**62)), pa.timestamp("s")),
        lambda: pa.array(some(lambda: rng.randrange(-(2**40), 2**40)), pa.timestamp("us", "UTC")),
        lambda: pa.array(some(lambda: rng.choice(["dns", "timeout", "gremlins"]))),
        lambda: pa.nulls(rows),
        lambda: pa.array([[1]] * rows),
    ]
    usual = {
        "url": kinds,
        "robots": kinds,
        "agent": kinds,
        "robots_status": others[1:3],
        "robots_failure": others[5:7],
        "robots_content_type": kinds,
        "robots_fetched_at": others[3:5],
        "seen_at": others[3:5],
        "robots_key": kinds,
    }
    present = [name for name in usual if name == "url" or rng.random() < 0.6]
    # One column in ten has a random type, which the reader may reject.
    return {
        name: rng.choice(usual[name] if rng.random() < 0.9 else kinds + others)()
        for name in present
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_hostile_table_gives_verdicts_or_a_named_exception(seed):
    pa = pytest.importorskip("pyarrow")
    from comity import arrow

    rng = random.Random(seed)
    decided = 0
    for _ in range(ROUNDS):
        rows = rng.randrange(6)
        table = pa.table(columns(rng, rows))
        # In the table of answers, the names of columns have no prefix `robots_`.
        answers = {
            {"robots": "body"}.get(name, name.removeprefix("robots_")): column
            for name, column in columns(rng, rng.randrange(6)).items()
            if name.startswith("robots")
        }
        try:
            auditor = arrow.Auditor(
                agent=rng.choice([None, "heron", Agent.header(noise(rng))]),
                robots=rng.choice([None, answers]),
                preset=rng.choice(comity.presets()),
                dialect=rng.choice([None, *comity.dialects()]),
                outputs=rng.choice([None, arrow.OUTPUTS, [noise(rng).decode("latin-1")]]),
                # None excludes a column, so an argument can replace it.
                columns=rng.choice([None, {"agent": None}, {"agent": None, "robots": None}]),
                cache_bytes=rng.choice([0, 1 << 20]),
                dictionary=rng.random() < 0.5,
            )
            for _ in range(2):
                assert auditor.decide(table).num_rows == rows
            decided += 1
        except (ComityError, TypeError, ValueError, OverflowError, pa.ArrowException) as error:
            assert str(error)
    assert decided > ROUNDS // 8


@pytest.mark.parametrize("seed", SEEDS)
def test_hostile_argument_gives_a_result_or_a_named_exception(seed):
    rng = random.Random(seed)
    answered = 0
    for _ in range(ROUNDS):
        for call in calls(rng):
            try:
                call()
                answered += 1
            # Other exceptions fail the test, in particular `PanicException`.
            except (ComityError, TypeError, ValueError, OverflowError, OSError) as error:
                assert str(error)
    assert answered > ROUNDS


def test_huge_body_is_truncated():
    robots = Robots.parse(b"User-agent: *\nDisallow: /x\n" + b"# reed\n" * 5_000_000)
    assert robots.truncated and not robots.is_allowed("heron", "/x")
    assert any(
        finding.code.startswith("too-") or "512" in finding.message for finding in robots.lint()
    )


def test_pattern_with_thousands_of_wildcards_is_decided():
    robots = Robots.parse("User-agent: *\nDisallow: /" + "*a" * 4000 + "*b\n")
    assert robots.is_allowed("heron", "/" + "a" * 100_000)
