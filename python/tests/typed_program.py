"""A program that uses the public names as a crawler does. `mypy --strict` and `pyright` check it; no test runs it."""

from __future__ import annotations

import pickle
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import httpx
import yarl

import comity
from comity import (
    Agent,
    AsyncClient,
    Client,
    Decision,
    FetchError,
    Page,
    Policy,
    Refused,
    Robots,
    agents,
    llms,
    usage,
)
from comity.findings import Finding
from comity.page import Outcome, PageDirectives
from comity.robots import Explanation, Group
from comity.sitemap import Sitemap, SitemapReader, Url
from comity.testing import FakeWeb, Response, page


def robots_txt(body: bytes) -> list[Decision]:
    robots = Robots.parse(body, dialect="google")
    agent = Agent("examplebot-news", fallbacks=["examplebot"])
    urls: list[str | bytes | SplitResult | yarl.URL | httpx.URL] = [
        urlsplit("https://example.com/a"),
        yarl.URL("https://example.com/b"),
        httpx.URL("https://example.com/c"),
        "https://example.com/d",
        b"/e",
    ]
    allowed: list[bool | None] = robots.are_allowed(agent, urls)
    explanation: Explanation = robots.explain("examplebot", urls[1])
    groups: list[Group] = robots.groups
    delay: float | None = robots.rules_for(agent).crawl_delay
    print(allowed, explanation.decision.rule, groups, delay, robots.decide(agent, urls[0]).allowed)
    return [robots.decide("examplebot", url) for url in urls]


def policy(response: httpx.Response) -> Policy:
    made = Policy.from_response("examplebot", response, preset="rfc9309", max_age=600)
    made.update(failure="timeout")
    restored: Policy = pickle.loads(pickle.dumps(made))
    return restored


def manifests(response: httpx.Response) -> None:
    outcome: Outcome = PageDirectives(response.headers, response.content).outcome("examplebot")
    print([warning.warning for warning in outcome.warnings])
    stances: dict[str, str] = dict(usage.report(str(response.url), "examplebot").stances("train"))
    print(stances, llms.LlmsTxt.parse(response.content), agents.known("GPTBot"))
    for item in SitemapReader(Path("sitemap.xml")):
        match item:
            case Url():
                print(item.loc)
            case Sitemap():
                print(item.loc)
            case Finding():
                print(item.message)


def fetch(urls: list[str]) -> None:
    with Client(
        "ExampleBot", contact=yarl.URL("https://example.com/bot"), store=Path("x.db")
    ) as client:
        try:
            fetched: Page = client.fetch(urls[0], content_types=["text/html"], max_wait=30)
        except Refused as error:
            print(error.outcome, error.retry_after)
        except FetchError as error:
            print(error.record)
        else:
            print(fetched.raise_for_status().markdown(), fetched.decision, fetched.usage)
        for result in client.fetch_many(urls, jobs=4):
            print(result.index, result.page and result.page.links(), result.record)
        with client.admit(urls[0]) as admission:
            admission.answered(200, {"Retry-After": "1"})


async def fetch_async(urls: list[str]) -> list[str]:
    async with AsyncClient("ExampleBot", allow_port=[8080]) as client:
        async with client.admit(urls[0]) as admission:
            admission.answered(200)
        return [result.get().text async for result in client.fetch_many(urls)]


def test_crawler() -> None:
    web = FakeWeb({"https://a.example/robots.txt": "", "https://a.example/": [Response(503), 200]})
    with web.client("ExampleBot", retries=1) as client:
        client.fetch("https://a.example/")
    web.clock.advance(10)
    print([request.time for request in web.requests], page("https://a.example/").text)


print(comity.__version__, comity.presets(), comity.is_allowed("", "examplebot", "/"))
