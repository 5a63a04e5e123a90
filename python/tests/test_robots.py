"""robots.txt through Python: results, their text forms, and their pickles."""

import copy
import pickle
import re
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import comity
from comity import (
    Agent,
    Policy,
    Robots,
    SettingError,
    TokenError,
    UnknownNameError,
    UrlError,
)

BODY = (
    "User-agent: *\nDisalow: /search\nAllow: /search/about\nCrawl-delay: 2\n"
    "Request-rate: 1/10s 1800-1900\nVisit-time: 2200-0400\nSitemap: https://example.com/s.xml\n"
)


@pytest.fixture
def robots() -> Robots:
    return Robots.parse(BODY)


@pytest.mark.parametrize(
    "kind", [str, str.encode, lambda t: bytearray(t, "utf-8"), lambda t: memoryview(t.encode())]
)
def test_body_is_text_or_any_bytes_type(kind):
    assert Robots.parse(kind(BODY)) == Robots.parse(BODY)
    assert not comity.is_allowed(kind(BODY), "heron", "/search")


def test_decision_has_its_evidence(robots):
    decision = robots.decide("heron", "https://example.com/search/x")
    assert not decision and not decision.is_allowed and decision.blocked
    assert (decision.verdict, decision.recommendation) == ("disallowed_explicit", "not_recommended")
    assert (decision.rule.kind, decision.rule.pattern, decision.rule.line) == (
        "disallow",
        "/search",
        2,
    )
    assert (decision.line, decision.group, decision.dialect, decision.basis) == (
        2,
        "*",
        "rfc9309",
        "rule",
    )
    assert decision.preset is decision.mode is decision.evidence is decision.outage is None
    assert not decision.failed_open and decision.stale is None
    assert (
        repr(decision)
        == "<Decision disallowed_explicit: line 2: Disallow: /search (group *), dialect rfc9309>"
    )


def test_explanation_lists_overruled_rules(robots):
    explanation = robots.explain("heron", "/search/about")
    assert [(c.rule.line, c.outcome) for c in explanation.contenders] == [
        (3, "decides"),
        (2, "shorter"),
    ]
    assert str(explanation).splitlines()[1] == "  line 3: Allow: /search/about  -- decides"
    assert explanation.contenders == tuple(robots.rules_for("heron").contenders("/search/about"))


def test_explanation_names_the_chosen_groups():
    body = "User-agent: a\nUser-agent: heron\nDisallow: /x\n\nUser-agent: heron/2\nAllow: /x/y\n"
    explanation = Robots.parse(body).explain("heron", "/x/y")
    assert [(g.index, g.line, g.agents, g.named_on) for g in explanation.groups] == [
        (0, 1, ("a", "heron"), (2,)),
        (1, 5, ("heron/2",), (5,)),
    ]
    assert Robots.parse(body).explain("egret", "/x/y").groups == ()


def test_rule_allows_shows_the_effect_of_the_rule():
    rule = next(iter(Robots.parse("User-agent: *\nDisallow:\n", dialect="yandex").rules_for("x")))
    assert (rule.kind, rule.allows) == ("disallow", True)


def test_every_field_of_a_decision_is_an_attribute(robots):
    decision = robots.decide("heron", "/search")
    words = decision.to_dict()
    for name in words:
        assert (getattr(decision, name) is None) == (words[name] is None), name
        assert getattr(comity.Decision, name).__doc__, name
    with pytest.raises(AttributeError):
        decision.verdict = "allowed_explicit"
    with pytest.raises(AttributeError):
        decision.group = "x"


@pytest.mark.parametrize(
    "body", ["\u00ef\u00bb\u00bf", b"\xef\xbb\xbf", b"\xc3\xaf\xc2\xbb\xc2\xbf"]
)
def test_byte_order_mark_does_not_hide_the_first_group(body):
    rules = "User-agent: *\nDisallow: /private\n"
    body += rules.encode() if isinstance(body, bytes) else rules
    assert not comity.Robots.parse(body).is_allowed("heron", "/private")
    assert not comity.is_allowed(body, "heron", "/private")
    policy = comity.Policy("heron")
    policy.update(200, body)
    assert policy.decide("https://a.example/private").line == 2


@pytest.mark.parametrize(
    ("dialect", "value"),
    [
        ("rfc9309", "18446744073709551616"),
        ("rfc9309", "1e400"),
        ("urllib", "9" * 400),
        ("gym2008", "inf"),
        ("protego", "1e300"),
    ],
)
def test_delay_beyond_its_type_is_the_largest_delay(dialect, value):
    robots = comity.Robots.parse(
        f"User-agent: *\nCrawl-delay: {value}\nDisallow: /a\n", dialect=dialect
    )
    assert robots.crawl_delay("heron") == robots.rules_for("heron").crawl_delay == 2.0**64


def test_rate_beyond_its_type_is_reduced_in_proportion():
    body = "User-agent: *\nRequest-rate: 18446744073709551616/184467440737095516160\n"
    assert comity.Robots.parse(body).request_rate("heron").interval >= 10


def test_delay_is_in_seconds_and_visit_time_in_minutes(robots):
    rules = robots.rules_for("heron")
    assert robots.crawl_delay("heron") == rules.crawl_delay == 2.0
    assert rules.request_rate == comity.RequestRate(1, 10, comity.VisitTime(1080, 1140))
    assert rules.request_rate.interval == 10
    assert rules.visit_time.contains(23 * 60) and not rules.visit_time.contains(12 * 60)
    assert str(rules.visit_time) == "22:00-04:00 UTC"


def test_records_and_groups_of_a_file_are_listed(robots):
    assert robots.sitemaps == ["https://example.com/s.xml"]
    assert [record.kind for record in robots.records[:3]] == ["user-agent", "disallow", "allow"]
    assert robots.records[1].is_misspelt and robots.groups[0].agents == ("*",)
    assert robots.lint()[0].code == "misspelt-directive"
    assert robots.extent("heron").access == "partly"
    assert [str(rule) for rule in robots.rules_for("heron")] == [
        "Allow: /search/about",
        "Disallow: /search",
    ]


def test_agent_is_token_header_or_token_with_fallbacks():
    robots = Robots.parse("User-agent: Heron\nDisallow: /\n")
    assert not robots.is_allowed("heron", "/")
    with pytest.raises(TokenError, match=r"Agent\.header"):
        robots.is_allowed("Mozilla/5.0 (compatible; Heron/2.1)", "/")
    assert not robots.is_allowed(Agent.header("Mozilla/5.0 (compatible; Heron/2.1)"), "/")
    assert not robots.is_allowed(Agent("heron-news", fallbacks=["heron"]), "/")
    everyone = Robots.parse("User-agent: *\nDisallow: /\n")
    assert everyone.is_allowed(Agent("heron", ignores_star=True), "/") and not everyone.is_allowed(
        "heron", "/"
    )


def test_agents_beyond_the_rule_cache_are_decided_correctly():
    names = [f"bot{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    robots = Robots.parse("".join(f"User-agent: {name}\nDisallow: /{name}\n\n" for name in names))
    for _ in range(3):
        for name in names:
            assert not robots.is_allowed(name, f"/{name}") and robots.is_allowed(name, "/other")


def test_pickled_objects_are_restored(robots):
    for thing in [
        robots,
        robots.decide("heron", "/search"),
        Agent.header("x", fallbacks=["y"], ignores_star=True),
    ]:
        for copied in (pickle.loads(pickle.dumps(thing)), copy.deepcopy(thing)):
            assert copied == thing and repr(copied) == repr(thing) and hash(copied) == hash(thing)
    with pytest.raises(TypeError, match="pickle the Robots"):
        pickle.dumps(robots.rules_for("heron"))


def test_json_has_the_field_names_of_the_command(robots):
    decision = robots.decide("heron", "/search")
    words = decision.to_dict()
    assert words["rule"] == {"kind": "disallow", "pattern": "/search", "line": 2, "allows": False}
    assert words["preset"] is words["evidence"] is None
    words["rule"].clear()
    assert decision.to_dict()["rule"]["line"] == 2
    assert '"verdict": "disallowed_explicit"' in decision.to_json()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Robots.parse(3), TypeError, "pass bytes or str, not int"),
        (lambda: Robots.parse("", dialect="x"), UnknownNameError, "must be one of: rfc9309"),
        (lambda: Robots.parse("").is_allowed(3, "/"), TypeError, "Agent.header"),
        (lambda: Robots.parse("").is_allowed("a", None), TypeError, "pass a URL as str, bytes"),
        (
            lambda: Robots.parse("").is_allowed("a", "example.com"),
            UrlError,
            "start it with a scheme",
        ),
        (lambda: Policy("a", preset="x"), UnknownNameError, "unknown preset `x`"),
        (lambda: Policy("a", mode="x"), UnknownNameError, "unknown mode `x`"),
        (lambda: Policy("a").update(), TypeError, "pass the status code"),
        (lambda: Policy("a").update(failure="x"), UnknownNameError, "must be one of:"),
        (lambda: Policy("a").update(200, "", headers=3), TypeError, "header fields as a mapping"),
        (lambda: Policy("a").decide("/", now="today"), TypeError, "seconds since 1970"),
        (lambda: Policy("a").decide("/", now=float("nan")), ValueError, "out of range"),
        (lambda: Policy("a").decide("/", now=1e300), ValueError, "out of range"),
    ],
)
def test_invalid_argument_has_its_exception_and_a_remedy(call, error, message):
    with pytest.raises(error, match=message) as raised:
        call()
    assert error is TypeError or isinstance(raised.value, ValueError)


def test_unpaired_surrogate_is_accepted():
    body = b"User-agent: *\nDisallow: /caf\xe9\n"
    assert Robots.parse(body.decode("utf-8", "surrogateescape")).body == body
    robots = Robots.parse("User-agent: *\nDisallow: /\ud800\n")
    assert robots.is_allowed("\ud800", "/\udfff") and not robots.is_allowed("heron", "/\ud800")


def test_last_good_copy_applies_during_an_outage():
    policy = Policy("heron")
    assert policy.decide("/").verdict == "unknown_unreachable"
    policy.update(200, "User-agent: *\nDisallow: /private\n", fetched_at=1_800_000_000)
    policy.update(503, fetched_at=1_800_090_000)
    assert policy.is_allowed("/public", 1_800_090_000) and not policy.is_allowed(
        "/private", 1_800_090_000
    )
    decision = policy.decide("/public", 1_800_090_000)
    assert (
        decision.stale
        and decision.outage.status == 503
        and decision.evidence.fetched_at.year == 2027
    )
    later = 1_800_000_000 + 31 * 86_400
    assert policy.decide("/public", later).recommendation == "unknown_do_not_fetch_by_default"


@pytest.mark.parametrize("preset", comity.presets())
def test_unknown_content_allows_only_in_presets_that_fail_open(preset):
    answers = [(200, None), (202, None), (301, b""), (302, ""), (308, None), (503, b"")]
    for status, body in answers:
        policy = Policy("heron", preset=preset, mode="respect")
        policy.update(status, body)
        decision = policy.decide("/")
        assert decision.verdict == "unknown_unreachable", (status, body)
        assert decision.is_allowed == decision.failed_open == (preset == "ladon"), (status, body)


@pytest.mark.parametrize("preset", comity.presets())
def test_empty_body_is_an_empty_file(preset):
    for status, body, headers in [
        (200, b"", {}),
        (200, "", {}),
        (204, None, {}),
        (200, None, {"Content-Length": "0"}),
    ]:
        policy = Policy("heron", preset=preset, mode="respect")
        policy.update(status, body, headers=headers)
        assert policy.decide("/").verdict == "allowed_implicit"


@pytest.mark.parametrize("dialect", comity.dialects())
def test_text_is_utf8_in_every_dialect(dialect):
    text = "User-agent: *\nDisallow: /\u00e9\n"
    by_text = Robots.parse(text, dialect=dialect)
    by_bytes = Robots.parse(text.encode(), dialect=dialect, charset="utf-8")
    for url in ["/\u00e9", "/%C3%A9", "http://example.com/\u00e9"]:
        assert by_text.is_allowed("x", url) == by_bytes.is_allowed("x", url)
        assert by_text.is_allowed("x", url) == comity.is_allowed(text, "x", url, dialect=dialect)
    same = [Robots.parse(text, dialect=dialect, charset=label) for label in ["latin-1", "utf-16"]]
    same.append(pickle.loads(pickle.dumps(by_text)))
    assert all(other == by_text for other in same)
    assert not any(
        other.is_allowed("x", "/%C3%A9") != by_text.is_allowed("x", "/%C3%A9") for other in same
    )


def test_text_with_non_ascii_rule_in_gym2008_matches():
    text = "User-agent: *\nDisallow: /\u00e9\n"
    assert not Robots.parse(text, dialect="gym2008").is_allowed("x", "/\u00e9")
    for headers in [{}, {"Content-Type": "text/plain; charset=iso-8859-1"}]:
        policy = Policy("x", preset="gym2008")
        policy.update(200, text, headers=headers)
        assert not policy.is_allowed("/\u00e9")


def test_decision_has_the_name_of_its_preset():
    policy = Policy("heron", preset="ladon", mode="respect")
    policy.update(failure="timeout")
    decision = policy.decide("/")
    assert decision.is_allowed and decision.failed_open and decision.preset == "ladon"
    assert Policy("heron", preset="ladon").mode == "ignore"
    assert Policy("heron", mode="ignore").decide("/").verdict == "skipped_by_user_policy"


def test_robots_shared_by_threads_decides_correctly():
    robots = Robots.parse("".join(f"User-agent: b{n}\nDisallow: /{n}\n" for n in range(50)))
    failures = []

    def ask(seed):
        for n in range(2_000):
            name = (n * 7 + seed) % 50
            if robots.is_allowed(f"b{name}", "/x") is not True:
                failures.append(name)

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_long_call_releases_the_interpreter_lock():
    body = b"User-agent: *\n" + b"Disallow: /*a*b*c\n" * 25_000
    ticks, began, stop = 0, threading.Event(), threading.Event()

    def tick():
        nonlocal ticks
        while not stop.is_set():
            ticks += 1
            began.set()
            time.sleep(0)

    thread = threading.Thread(target=tick)
    thread.start()
    began.wait()
    calls, before = 0, ticks
    # If calls held the lock, the other thread would tick once or twice between two calls. If they release the lock, it ticks
    # thousands of times in each call, unless other programs keep the processors busy during the whole call.
    while ticks - before < 100 * calls + 1_000 and calls < 1_000:
        Robots.parse(body).lint()
        calls += 1
    stop.set()
    thread.join()
    assert calls < 1_000


def test_are_allowed_decides_many_urls() -> None:
    robots = Robots.parse("User-agent: *\nDisallow: /a\n")
    urls = ["/a", b"https://example.com/b", "mailto:x", "https://example.com/a?b"]
    expected = [False, True, None, False]
    assert robots.are_allowed("examplebot", urls) == expected
    assert robots.rules_for("examplebot").are_allowed(tuple(urls)) == expected
    assert robots.are_allowed("examplebot", iter(urls)) == expected
    for wrong in ("/a", b"/a", 3, [3]):
        with pytest.raises(TypeError):
            robots.are_allowed("examplebot", wrong)  # type: ignore[arg-type]


def test_agents_with_a_fallback_are_decided_correctly() -> None:
    text = "".join(
        f"User-agent: bot{letter}\nDisallow: /{letter}\n" for letter in "abcdefghijklmnopqrstuvwxyz"
    )
    robots = Robots.parse(text)
    for _ in range(3):
        for letter in "abcdefghijklmnopqrstuvwxyz":
            assert not robots.is_allowed(f"bot{letter}", f"/{letter}")
            assert robots.is_allowed(Agent(f"bot{letter}", fallbacks=["bota"]), "/-")


@pytest.mark.parametrize(
    "name", ["", " ", "FooBot/1.0", "Mozilla/5.0 (compatible; FooBot/1.0)", "Foo Bot", "a\x01"]
)
def test_invalid_product_token_error_names_agent_header(name):
    robots = Robots.parse("User-agent: FooBot\nDisallow: /\n")
    for ask in [
        lambda: robots.is_allowed(name, "/"),
        lambda: robots.decide(name, "/"),
        lambda: robots.rules_for(name),
        lambda: comity.is_allowed("", name, "/"),
        lambda: Policy(name),
        lambda: Agent(name),
        lambda: Agent("FooBot", fallbacks=[name]),
    ]:
        with pytest.raises(TokenError, match=r"is not a product token.*Agent.header") as caught:
            ask()
        assert isinstance(caught.value, ValueError)


def test_star_agent_is_a_crawler_that_no_group_names():
    robots = Robots.parse("User-agent: *\nDisallow: /x\n\nUser-agent: * foo\nDisallow: /y\n")
    assert not robots.is_allowed("*", "/x")
    assert not robots.is_allowed("*", "/y")
    assert not robots.is_allowed("Brightbot 1.0", "/x")


def test_agent_of_a_header_has_the_token_that_was_found() -> None:
    header = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"
    agent = Agent.header(header)
    assert (agent.name, agent.user_agent, agent.is_header) == ("GPTBot", header, True)
    assert (Agent("GPTBot").name, Agent("GPTBot").user_agent) == ("GPTBot", None)
    assert Agent.header("Mozilla/5.0").name == "Mozilla/5.0"
    assert pickle.loads(pickle.dumps(agent)).user_agent == header


def test_agents_that_differ_in_case_are_equal() -> None:
    assert Agent("a") == Agent("A") and hash(Agent("a")) == hash(Agent("A"))
    assert Agent("a", fallbacks=["B"]) == Agent("A", fallbacks=["b"])
    assert Agent("a") != Agent("a", fallbacks=["b"])
    assert Agent.header("a") != Agent.header("A")
    assert Agent("a") != Agent.header("a")


def test_decision_attribute_allowed_equals_is_allowed() -> None:
    robots = Robots.parse("User-agent: *\nDisallow: /x\n")
    for path in ("/x", "/y"):
        decision = robots.decide("a", path)
        assert decision.allowed is decision.is_allowed is bool(decision)


def test_explanation_is_shown_in_one_line() -> None:
    robots = Robots.parse("User-agent: *\nDisallow: /x\nAllow: /x/y\n")
    assert repr(robots.explain("a", "/x/y")) == (
        "<Explanation of /x/y: allowed_explicit, 2 matching rules>"
    )


@pytest.mark.parametrize(
    ("call", "error", "names"),
    [
        (lambda: Agent("a", fallbacks="b"), TypeError, "fallbacks: pass a list of str, not str"),
        (lambda: Agent("a", fallbacks=[1]), TypeError, "fallbacks: .* type int"),
        (lambda: Agent.header("a", fallbacks=3), TypeError, "fallbacks: .* not int"),
        (lambda: Agent(3), TypeError, "token: pass a product token as str, not int"),
        (lambda: comity.Client(), TypeError, r"^Client\..*'token'"),
        (lambda: comity.AsyncClient(), TypeError, r"^AsyncClient\..*'token'"),
        (lambda: comity.Client("a", "b"), TypeError, r"^Client\."),
        (lambda: comity.Client("a", contakt="b"), TypeError, "^Client has no argument 'contakt'"),
        (lambda: Policy("a", max_age=-1), SettingError, "max_age"),
        (lambda: Policy("a").update(99_999), SettingError, "status: `99999`"),
        (lambda: Policy("a").update(200, "", redirects="u"), TypeError, "redirects: "),
        (lambda: Policy("a").update(200, "", headers={"A": 1}), TypeError, "headers: .*`A`.*int"),
        (lambda: Policy("a").update(200, "", fetched_at=1e300), SettingError, "1e300"),
    ],
)
def test_wrong_argument_is_named(
    call: Callable[[], object], error: type[Exception], names: str
) -> None:
    with pytest.raises(error, match=names):
        call()


#: Modules with public classes. Some need packages that may not be installed.
MODULES = ["", ".client", ".aiohttp", ".httpx", ".requests", ".scrapy", ".testing", ".reppy.cache"]


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("arguments", [((), {}), ((), {"nonsense": 1}), ((object(),) * 20, {})])
def test_constructor_with_wrong_arguments_names_a_public_class(
    name: str, arguments: tuple[tuple[object, ...], dict[str, object]]
) -> None:
    module = pytest.importorskip(f"comity{name}", exc_type=ImportError)
    classes = [one for one in map(vars(module).get, module.__all__) if isinstance(one, type)]
    assert classes
    for one in classes:
        try:
            one(*arguments[0], **arguments[1])
        except TypeError as error:
            assert not re.match(r"_|Native", str(error)), one
        except comity.ComityError as error:
            assert str(error)


@pytest.mark.parametrize(
    "answers",
    [
        [],
        [{"status": 200, "body": "User-agent: *\nDisallow: /x\n"}],
        [{"status": 404}],
        [{"failure": "timeout"}],
        [{"status": 200, "body": b"\xff\nUser-agent: *\nDisallow: /x\n"}, {"status": 503}],
        [
            {"status": 200, "body": "User-agent: *\nDisallow: /x\n", "headers": {"ETag": "1"}},
            {"status": 304},
            *({"status": 503} for _ in range(5)),
            {"failure": "local"},
        ],
        [{"status": 503}, {"failure": "dns"}, {"status": 429}],
        [
            {
                "status": 200,
                "body": "",
                "redirects": ["https://b.example/robots.txt"],
                "digest": "abc",
            }
        ],
    ],
)
def test_pickled_policy_decides_as_before(answers: list[dict[str, Any]]) -> None:
    agent = Agent("heron", fallbacks=["bird"])
    policy = Policy(agent, preset="google", on_unreachable="warn", max_age=600.5)
    for number, answer in enumerate(answers):
        policy.update(**answer, fetched_at=1_000_000_000 + 100.25 * number)
    policy.set_site_is_reachable(True)
    copied = pickle.loads(pickle.dumps(policy))
    assert repr(copied) == repr(policy)
    for now in (1_000_000_000, 1_000_001_000, 1_000_100_000, 1_010_000_000):
        for path in ("/x", "/y"):
            assert copied.decide(path, now) == policy.decide(path, now), (path, now)
        assert copied.is_fresh(now) == policy.is_fresh(now)
    copied.update(200, "")
    assert copied.is_allowed("/x") and len(pickle.dumps(copied)) < 1000
