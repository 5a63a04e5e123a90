"""Anything at all may be passed in: an exception with a name comes out, or an answer, and never a crash."""

import io
import random

import pytest

import comity
from comity import Agent, ComityError, Policy, Robots, llms, usage
from comity.page import PageDirectives
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
    """Calls with arguments of every kind, fitting or not."""

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
        robots.explain(text(), b"/" + noise(rng)),
        robots.extent(text()),
        robots.request_rate(text()),
    ]
    yield lambda: [
        str(robots.explain(some(), some())),
        robots.visit_time(some()),
        list(robots.rules_for(some())),
    ]
    yield lambda: robots.decide(text(), b"/" + noise(rng)).to_json()
    yield lambda: comity.is_allowed(some(), some(), some(), dialect=dialect)
    yield lambda: Agent(some(), fallbacks=some(), ignores_star=some())
    policy = Policy(text(), preset=rng.choice(comity.presets()))
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


@pytest.mark.parametrize("seed", SEEDS)
def test_anything_gives_an_answer_or_an_exception_with_a_name(seed):
    rng = random.Random(seed)
    answered = 0
    for _ in range(ROUNDS):
        for call in calls(rng):
            try:
                call()
                answered += 1
            # Whatever else is raised, `PanicException` above all, fails the test.
            except (ComityError, TypeError, ValueError, OverflowError, OSError) as error:
                assert str(error)
    assert answered > ROUNDS


def test_a_huge_body_is_read_in_part_and_says_so():
    robots = Robots.parse(b"User-agent: *\nDisallow: /x\n" + b"# reed\n" * 5_000_000)
    assert robots.is_truncated and not robots.is_allowed("heron", "/x")
    assert any(
        finding.code.startswith("too-") or "512" in finding.message for finding in robots.lint()
    )


def test_patterns_made_to_backtrack_do_not():
    robots = Robots.parse("User-agent: *\nDisallow: /" + "*a" * 4000 + "*b\n")
    assert robots.is_allowed("heron", "/" + "a" * 100_000)
