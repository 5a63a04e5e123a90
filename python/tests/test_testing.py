"""`comity.testing`: a web without sockets below the client, requests, httpx, aiohttp and Scrapy."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest

import comity
from comity import ConnectionFailed, FetchError, Refused, SettingError, TimedOut, UrlError
from comity.testing import FakeWeb, Response, page

ROBOTS = "User-agent: *\nDisallow: /private\n"


def web(**replies: Any) -> FakeWeb:
    site = {"https://a.example/" + path: reply for path, reply in replies.items()}
    return FakeWeb(
        {"https://a.example/robots.txt": ROBOTS, "https://a.example/": "<p>x</p>"} | site
    )


def paths(here: FakeWeb) -> list[str]:
    return [request.url.removeprefix("https://a.example") for request in here.requests]


def test_client_fetches_from_the_web() -> None:
    here = web()
    with here.client("ExampleBot", contact="https://example.com/bot") as client:
        fetched = client.fetch("https://a.example/")
        assert (fetched.status, fetched.text) == (200, "<p>x</p>")
        with pytest.raises(Refused):
            client.fetch("https://a.example/private")
        assert client.fetch("https://a.example/missing").status == 404
    assert paths(here) == ["/robots.txt", "/", "/missing"]
    assert "ExampleBot" in here.requests[0].headers["user-agent"]


def test_async_client_fetches_from_the_web() -> None:
    async def run() -> list[int]:
        async with web().async_client("ExampleBot") as client:
            urls = ["https://a.example/", "https://a.example/1", "https://b.example/"]
            return sorted([fetched.get().status async for fetched in client.fetch_many(urls)])

    assert asyncio.run(run()) == [200, 404, 404]


def test_replies_follow_in_order_and_the_last_repeats() -> None:
    here = web(page=["one", Response(500, "two"), "three"])
    with here.client("ExampleBot", retries=0) as client:
        statuses = [client.fetch("https://a.example/page").status for _ in range(4)]
        assert statuses == [200, 500, 200, 200]
        here.on("https://a.example/page", 410)
        assert client.fetch("https://a.example/page").status == 410


@pytest.mark.parametrize(
    ("failure", "error"),
    [("timeout", TimedOut), ("connection", ConnectionFailed), ("dns", ConnectionFailed)],
)
def test_fake_failure_raises_the_error_of_a_real_failure(
    failure: str, error: type[FetchError]
) -> None:
    here = web(page=Response(failure=failure))
    with here.client("ExampleBot", retries=0) as client, pytest.raises(error):
        client.fetch("https://a.example/page")


def test_wait_passes_on_the_clock_of_the_web() -> None:
    here = web()
    here.on("https://a.example/robots.txt", "User-agent: *\nCrawl-delay: 25\n")
    with here.client("ExampleBot") as client:
        for _ in range(3):
            client.fetch("https://a.example/")
    times = [request.time for request in here.requests if request.url == "https://a.example/"]
    assert times[1] - times[0] >= 25 and times[2] - times[1] >= 25
    assert here.clock.time() >= 1_800_000_050


def test_advanced_clock_expires_robots_txt() -> None:
    here = web()
    with here.client("ExampleBot") as client:
        client.decide("https://a.example/")
        client.decide("https://a.example/")
        assert paths(here) == ["/robots.txt"]
        here.clock.advance(86_401)
        client.decide("https://a.example/")
    assert paths(here) == ["/robots.txt", "/robots.txt"]
    assert here.clock.now().isoformat() >= "2027-01-16T08:00:01+00:00"


def test_address_of_a_name_is_checked_by_the_guard() -> None:
    here = web()
    here.resolve("intranet.example", "10.0.0.1")
    here.resolve("gone.example")
    with here.client("ExampleBot") as client:
        with pytest.raises(Refused, match=r"10\.0\.0\.1"):
            client.fetch("https://intranet.example/")
        with pytest.raises(ConnectionFailed):
            client.fetch("https://gone.example/")
    with here.client("ExampleBot", allow_address=["10.0.0.0/8"]) as client:
        assert client.fetch("https://intranet.example/").status == 404


def test_invalid_reply_error_names_the_value() -> None:
    with pytest.raises(UrlError, match="nonsense"):
        FakeWeb({"nonsense": "x"})
    with pytest.raises(SettingError, match="status"):
        web(page=Response(99))
    with pytest.raises(SettingError, match="empty"):
        web(page=[])
    with pytest.raises(SettingError, match="A B"):
        web(page=Response(headers={"A B": "x"}))
    with pytest.raises(comity.UnknownNameError):
        web(page=Response(failure="gremlins"))
    with pytest.raises(TypeError, match="float"):
        web().on("https://a.example/", 1.5)  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="nowhere"):
        web().resolve("a.example", "nowhere")


def test_page_function_returns_the_page_of_a_fetch() -> None:
    hidden = page("https://a.example/x.txt", "y", status=503, headers=[("X-Robots-Tag", "noindex")])
    assert (hidden.status, hidden.url, hidden.text) == (503, "https://a.example/x.txt", "y")
    assert hidden.headers["content-type"] == "text/plain; charset=utf-8"
    assert "do_not_index" in [warning["name"] for warning in hidden.warnings]
    assert hidden.decision is not None and hidden.decision.is_allowed
    with pytest.raises(Refused):
        page("https://a.example/x", robots="User-agent: examplebot\nDisallow: /\n")


def test_links_of_a_page_are_absolute_web_urls() -> None:
    html = "<base href=/birds/><a href=heron#young>H</a><a href=mailto:a@a.example>M</a><a href=//b.example>B</a>"
    links = ["https://a.example/birds/heron", "https://b.example/"]
    assert page("https://a.example/x", html).links() == links
    assert page("https://a.example/x.txt", html).links() == []


def test_requests_gets_its_responses_from_the_web() -> None:
    requests = pytest.importorskip("requests")
    here = web(
        old=Response(301, headers={"Location": "/"}), down=Response(failure="connection"), b=b"\xff"
    )
    with here.client("ExampleBot") as client, requests.Session() as session:
        session.mount("https://", here.adapter(client))
        response = session.get("https://a.example/old")
        assert (response.text, len(response.history)) == ("<p>x</p>", 1)
        assert response.comity_decision.is_allowed
        assert session.get("https://a.example/b", stream=True).raw.read() == b"\xff"
        with pytest.raises(requests.RequestException, match=r"robots\.txt:2"):
            session.get("https://a.example/private")
        with pytest.raises(requests.ConnectionError):
            session.get("https://a.example/down")
    assert paths(here) == ["/robots.txt", "/old", "/", "/b", "/down"]
    gaps = [
        later.time - earlier.time
        for earlier, later in zip(here.requests, here.requests[1:], strict=False)
    ]
    assert min(gaps[1:]) >= 1, "every request keeps the pace"


def test_httpx_gets_its_responses_from_the_web() -> None:
    httpx = pytest.importorskip("httpx")
    here = web(old=Response(301, headers={"Location": "/"}), slow=Response(failure="timeout"))
    with (
        here.client("ExampleBot") as client,
        httpx.Client(transport=here.transport(client), follow_redirects=True) as session,
    ):
        response = session.get("https://a.example/old")
        assert (response.text, len(response.history)) == ("<p>x</p>", 1)
        assert response.extensions["comity_decision"].is_allowed
        with pytest.raises(httpx.TransportError, match=r"robots\.txt:2"):
            session.get("https://a.example/private")
        with pytest.raises(httpx.TimeoutException):
            session.get("https://a.example/slow")
    assert paths(here) == ["/robots.txt", "/old", "/", "/slow"]


def test_async_httpx_gets_its_responses_from_the_web() -> None:
    httpx = pytest.importorskip("httpx")
    here = web()

    async def run() -> str:
        async with (
            here.async_client("ExampleBot") as client,
            httpx.AsyncClient(transport=here.async_transport(client)) as session,
        ):
            for _ in range(2):
                text: str = (await session.get("https://a.example/")).text
            with pytest.raises(httpx.TransportError, match=r"robots\.txt:2"):
                await session.get("https://a.example/private")
            return text

    assert asyncio.run(run()) == "<p>x</p>"
    assert paths(here) == ["/robots.txt", "/", "/"]


def test_aiohttp_gets_its_responses_from_the_web() -> None:
    aiohttp = pytest.importorskip("aiohttp")
    here = web(
        old=Response(301, headers={"Location": "/"}), down=Response(failure="connection"), form="y"
    )

    async def run() -> None:
        async with here.async_client("ExampleBot") as client:
            polite = here.polite(client)
            connector = polite.connector()
            async with aiohttp.ClientSession(middlewares=[polite], connector=connector) as session:
                async with session.get("https://a.example/old") as response:
                    assert (await response.text(), len(response.history)) == ("<p>x</p>", 1)
                async with session.post("https://a.example/form", data=b"z" * 100) as response:
                    assert await response.text() == "y"
                async with session.head("https://a.example/") as response:
                    assert (response.status, await response.read()) == (200, b"")
                with pytest.raises(aiohttp.ClientError, match=r"robots\.txt:2"):
                    await session.get("https://a.example/private")
                with pytest.raises(aiohttp.ClientConnectionError):
                    await session.get("https://a.example/down")
            # A session without the middleware sends nothing.
            async with aiohttp.ClientSession(connector=polite.connector()) as bare:
                with pytest.raises(aiohttp.ClientConnectionError):
                    await bare.get("https://a.example/")

    asyncio.run(run())
    assert paths(here)[:5] == ["/robots.txt", "/old", "/", "/form", "/"]
    assert here.requests[3].method == "POST"


def test_responses_mocks_below_the_polite_adapter() -> None:
    requests, responses = pytest.importorskip("requests"), pytest.importorskip("responses")
    from comity.requests import PoliteAdapter

    with web().client("ExampleBot") as client, responses.RequestsMock() as mock:
        mock.get("https://a.example/mocked", body="by responses")
        session = requests.Session()
        session.mount("https://", PoliteAdapter(client))
        for _ in range(2):
            assert session.get("https://a.example/mocked").text == "by responses"
        with pytest.raises(Refused):
            session.get("https://a.example/private")


def test_respx_mocks_below_the_polite_transport() -> None:
    httpx, respx = pytest.importorskip("httpx"), pytest.importorskip("respx")
    from comity.httpx import AsyncPoliteTransport, PoliteTransport

    async def run() -> str:
        async with (
            web().async_client("ExampleBot") as client,
            httpx.AsyncClient(transport=AsyncPoliteTransport(client)) as session,
        ):
            return str((await session.get("https://a.example/mocked")).text)

    with respx.mock(using="httpcore") as mock:
        mock.get("https://a.example/mocked").respond(text="by respx")
        with (
            web().client("ExampleBot") as client,
            httpx.Client(transport=PoliteTransport(client)) as session,
        ):
            for _ in range(2):
                assert session.get("https://a.example/mocked").text == "by respx"
            with pytest.raises(Refused):
                session.get("https://a.example/private")
        assert asyncio.run(run()) == "by respx"


SPIDER = """
import scrapy
from scrapy.crawler import CrawlerProcess
from comity.testing import FakeWeb, Response

web = FakeWeb({
    "https://a.example/robots.txt": "User-agent: *\\nDisallow: /private\\n",
    "https://a.example/": Response(body="<p>x</p>", headers=[("X-A", "1"), ("X-A", "2")]),
    "https://a.example/down": Response(failure="dns"),
})

class Spider(scrapy.Spider):
    name = "spider"
    start_urls = [f"https://a.example/{path}" for path in ("", "private", "down")]

    def parse(self, response):
        print(response.url, response.css("p::text").get(), response.headers.getlist("X-A"))

process = CrawlerProcess({
    **web.scrapy_settings(),
    "ROBOTSTXT_OBEY": True,
    "RETRY_ENABLED": False,
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "comity.scrapy.RobotsTxtMiddleware": 100,
    },
    "LOG_LEVEL": "CRITICAL",
})
process.crawl(Spider)
process.start()
print(sorted(request.url for request in web.requests))
"""


def test_scrapy_downloads_from_the_web() -> None:
    pytest.importorskip("scrapy")
    done = subprocess.run(
        [sys.executable, "-c", SPIDER], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "https://a.example/ x [b'1', b'2']",
        "['https://a.example/', 'https://a.example/down', 'https://a.example/robots.txt']",
    ], done.stderr
