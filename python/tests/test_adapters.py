"""Requests through the adapters for requests, httpx and aiohttp, and through admissions, to sites on the loopback interface."""

from __future__ import annotations

import asyncio
import logging
import pickle
import time
from collections.abc import Callable
from typing import Any

import pytest
from sites import PATIENCE, Answer, Site, site, were_paced

import comity
from comity import AsyncClient, Client, ConnectionFailed, FetchError, Refused, TimedOut, UrlError

LOOPBACK = ("127.0.0.0/8",)
INTERVAL = 0.15
SETTINGS: dict[str, dict[str, object]] = {
    "pace": {"min_interval_seconds": INTERVAL, "concurrency": 4},
    "retry": {"retries": 0},
}
RULES = Answer(body=b"User-agent: *\nDisallow: /private\n")
PAGE = Answer(body=b"x" * 200_000)


def options(**more: Any) -> dict[str, Any]:
    return {"allow_address": LOOPBACK, "settings": SETTINGS, "contact": "mail@example.com"} | more


def by_requests(
    urls: list[str], headers: dict[str, str], keywords: dict[str, Any], decisions: list[Any]
) -> list[Any]:
    import requests

    from comity.requests import PoliteAdapter

    results: list[Any] = []
    with Client("ExampleBot", **keywords) as client, requests.Session() as session:
        session.mount("http://", PoliteAdapter(client))
        for url in urls:
            try:
                response = session.get(url, headers=headers, timeout=PATIENCE)
                results.append((response.status_code, len(response.history)))
                hops = (*response.history, response)
                decisions.extend(hop.comity_decision for hop in hops)
            except requests.RequestException as error:
                results.append((error, 0))
    return results


def by_httpx(
    urls: list[str], headers: dict[str, str], keywords: dict[str, Any], decisions: list[Any]
) -> list[Any]:
    import httpx

    from comity.httpx import PoliteTransport

    results: list[Any] = []
    with (
        Client("ExampleBot", **keywords) as client,
        httpx.Client(transport=PoliteTransport(client), follow_redirects=True) as session,
    ):
        for url in urls:
            try:
                response = session.get(url, headers=headers)
                results.append((response.status_code, len(response.history)))
                hops = (*response.history, response)
                decisions.extend(hop.extensions["comity_decision"] for hop in hops)
            except httpx.HTTPError as error:
                results.append((error, 0))
    return results


def by_async_httpx(
    urls: list[str], headers: dict[str, str], keywords: dict[str, Any], decisions: list[Any]
) -> list[Any]:
    import httpx

    from comity.httpx import AsyncPoliteTransport

    async def run() -> list[Any]:
        results: list[Any] = []
        async with AsyncClient("ExampleBot", **keywords) as client:
            transport = AsyncPoliteTransport(client)
            async with httpx.AsyncClient(transport=transport, follow_redirects=True) as session:
                for url in urls:
                    try:
                        response = await session.get(url, headers=headers)
                        results.append((response.status_code, len(response.history)))
                        hops = (*response.history, response)
                        decisions.extend(hop.extensions["comity_decision"] for hop in hops)
                    except httpx.HTTPError as error:
                        results.append((error, 0))
        return results

    return asyncio.run(run())


def by_aiohttp(
    urls: list[str], headers: dict[str, str], keywords: dict[str, Any], decisions: list[Any]
) -> list[Any]:
    import aiohttp

    from comity.aiohttp import Polite

    async def run() -> list[Any]:
        results: list[Any] = []
        async with AsyncClient("ExampleBot", **keywords) as client:
            polite = Polite(client)
            async with aiohttp.ClientSession(
                middlewares=[polite], connector=polite.connector()
            ) as session:
                for url in urls:
                    try:
                        async with session.get(url, headers=headers) as response:
                            await response.read()
                            results.append((response.status, len(response.history)))
                            hops = (*response.history, response)
                            decisions.extend(hop.comity_decision for hop in hops)
                    except aiohttp.ClientError as error:
                        results.append((error, 0))
        return results

    return asyncio.run(run())


STACKS = {
    "requests": by_requests,
    "httpx": by_httpx,
    "httpx, async": by_async_httpx,
    "aiohttp": by_aiohttp,
}


@pytest.fixture(params=STACKS)
def fetch(request: pytest.FixtureRequest) -> Callable[..., list[Any]]:
    run = STACKS[request.param]
    pytest.importorskip(request.param.partition(",")[0])

    def fetch(
        *urls: str,
        headers: dict[str, str] | None = None,
        decisions: list[Any] | None = None,
        **more: Any,
    ) -> list[Any]:
        """Returns status and number of redirects, or the error, for each URL; appends the decision of each response."""
        seen = [] if decisions is None else decisions
        return run(list(urls), headers or {}, options(**more), seen)

    return fetch


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [
        record.getMessage()
        for record in caplog.records
        if record.name == "comity" and record.levelno == logging.WARNING
    ]


def agent_of(fields: dict[str, str]) -> str:
    return {name.lower(): value for name, value in fields.items()}["user-agent"]


def test_adapter_keeps_rules_and_pace(fetch: Callable[..., list[Any]]) -> None:
    with site(robots=RULES, a=PAGE, b=PAGE, c=Answer(404)) as here:
        began = time.monotonic()
        results = fetch(*(here.at(path) for path in ("/a", "/private/x", "/b", "/c")))
    assert [results[0], results[2], results[3]] == [(200, 0), (200, 0), (404, 0)]
    error = results[1][0]
    assert isinstance(error, Refused)
    assert error.outcome == "robots_refused"
    assert "robots.txt:2: Disallow: /private (group *)" in str(error)
    assert dict(here.hits) == {"/robots.txt": 1, "/a": 1, "/b": 1, "/c": 1}
    assert were_paced(began, here.times, INTERVAL)
    for fields in here.fields:
        assert "ExampleBot" in agent_of(fields) and "mail@example.com" in agent_of(fields)


def test_each_redirect_is_decided_and_paced(fetch: Callable[..., list[Any]]) -> None:
    moved = Answer(302, headers={"Location": "/a"})
    forbidden = Answer(302, headers={"Location": "/private/x"})
    with site(robots=RULES, a=PAGE, moved=moved, forbidden=forbidden) as here:
        began = time.monotonic()
        results = fetch(here.at("/moved"), here.at("/forbidden"))
    assert results[0] == (200, 1)
    assert isinstance(results[1][0], Refused)
    assert dict(here.hits) == {"/robots.txt": 1, "/moved": 1, "/a": 1, "/forbidden": 1}
    assert were_paced(began, here.times, INTERVAL)


@pytest.mark.parametrize(
    "host", ["other.example", "127.0.0.1:1", "127.0.0.1", "x@{}", "{}/x", "{}, other.example", ""]
)
def test_request_with_the_host_of_another_site_is_refused(
    fetch: Callable[..., list[Any]], host: str
) -> None:
    with site(robots=RULES, a=PAGE) as here:
        headers = {"Host": host.format(here.url.removeprefix("http://"))}
        ((error, _),) = fetch(here.at("/a"), headers=headers)
    assert isinstance(error, Refused) and error.outcome == "guard_refused"
    assert not here.hits


def test_request_with_the_host_of_its_url_is_sent(fetch: Callable[..., list[Any]]) -> None:
    with site(robots=RULES, a=PAGE, moved=Answer(302, headers={"Location": "/a"})) as here:
        name = here.url.removeprefix("http://")
        assert fetch(here.at("/moved"), headers={"Host": name}) == [(200, 1)]
        # The header that a library makes of the URL may have another form of the host.
        port = name.partition(":")[2]
        for host in ("LOCALHOST", "localhost."):
            hosts = ("localhost", "localhost.")
            assert fetch(f"http://{host}:{port}/a", allow_host=hosts) == [(200, 0)]
    sent = {
        value for fields in here.fields for key, value in fields.items() if key.lower() == "host"
    }
    assert {name, f"localhost:{port}"} <= sent <= {name, f"localhost:{port}", f"localhost.:{port}"}


def test_redirect_of_a_request_with_a_host_to_another_site_is_not_sent_there() -> None:
    # The other libraries do not send the header to another site.
    with site(robots=RULES, a=PAGE) as there:
        moved = Answer(302, headers={"Location": there.at("/a")})
        with site(robots=RULES, moved=moved) as here:
            headers = {"Host": here.url.removeprefix("http://")}
            ((error, _),) = by_requests([here.at("/moved")], headers, options(), [])
    assert isinstance(error, Refused)
    assert not there.hits


def test_target_extension_of_httpx_is_refused() -> None:
    import httpx

    from comity.httpx import PoliteTransport
    from comity.httpx import Refused as Mine

    with (
        site(robots=RULES, a=PAGE, **{"private/x": PAGE}) as here,
        Client("ExampleBot", **options()) as client,
        httpx.Client(transport=PoliteTransport(client)) as session,
        pytest.raises(Mine, match="target"),
    ):
        session.get(here.at("/a"), extensions={"target": b"/private/x"})
    assert not here.hits


def test_guard_checks_every_redirect(fetch: Callable[..., list[Any]]) -> None:
    inside = Answer(302, headers={"Location": "http://127.0.0.2:9/secret"})
    with site(robots=Answer(404), inside=inside) as here:
        results = fetch(here.at("/inside"), allow_address=("127.0.0.1/32",))
        assert isinstance(results[0][0], Refused)
        assert results[0][0].outcome == "guard_refused"
        (refused, _), (named, _) = fetch(
            here.at("/inside"), here.url.replace("127.0.0.1", "localhost"), allow_address=()
        )
    assert refused.outcome == named.outcome == "guard_refused"
    assert here.hits["/inside"] == 1


def test_connection_uses_the_checked_addresses(
    fetch: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    import socket

    with site(robots=RULES, a=PAGE) as here:
        looked_up = []
        real = socket.getaddrinfo

        def spy(host: Any, *args: Any, **kwargs: Any) -> Any:
            looked_up.append(host if isinstance(host, str) else (host or b"").decode())
            return real(host, *args, **kwargs)

        monkeypatch.setattr(socket, "getaddrinfo", spy)
        name = here.url.replace("127.0.0.1", "localhost")
        results = fetch(name + "/a", allow_host=("localhost",))
    assert results == [(200, 0)]
    # The HTTP stack resolves no names, because it receives addresses.
    assert "localhost" not in looked_up
    assert here.fields[-1]["Host"].startswith("localhost:")


def test_crawl_delay_separates_requests(fetch: Callable[..., list[Any]]) -> None:
    with site(robots=Answer(body=b"User-agent: *\nCrawl-delay: 0.4\n"), a=PAGE, b=PAGE) as here:
        began = time.monotonic()
        fetch(here.at("/a"), here.at("/b"))
    assert len(here.times) == 3
    assert were_paced(began + INTERVAL, here.times[1:], 0.4)


def test_interrupted_body_releases_the_permit(
    fetch: Callable[..., list[Any]],
) -> None:
    settings = {"pace": {"min_interval_seconds": 0, "concurrency": 1}, "retry": {"retries": 0}}
    with site(robots=RULES, a=Answer(body=b"x" * 50_000, missing=50_000), b=PAGE) as here:
        results = fetch(here.at("/a"), here.at("/b"), settings=settings, max_wait=2)
    assert isinstance(results[0][0], Exception)
    assert results[1] == (200, 0)


def test_site_that_resets_connections_keeps_its_pace(fetch: Callable[..., list[Any]]) -> None:
    with site(robots=RULES, a=Answer(resets=True), b=PAGE) as here:
        began = time.monotonic()
        results = fetch(here.at("/a"), here.at("/b"))
    assert isinstance(results[0][0], Exception)
    assert results[1] == (200, 0)
    assert were_paced(began, here.times, INTERVAL)


@pytest.mark.parametrize("robots", [Answer(resets=True), Answer(503), Answer(body=b"", delay=5)])
def test_unreachable_robots_txt_blocks_all_fetches(
    fetch: Callable[..., list[Any]], robots: Answer
) -> None:
    with site(robots=robots, a=PAGE) as here:
        results = fetch(here.at("/a"), here.at("/a"), timeout=0.4)
    errors = [error for error, _ in results]
    assert all(isinstance(error, FetchError) for error in errors), errors
    # A site that is down does not refuse: a program may try again.
    assert not any(isinstance(error, Refused) for error in errors), errors
    assert dict(here.hits) == {"/robots.txt": 1}


#: A preset that fails open.
LADON = {"preset": "ladon", "mode": "respect"}
HTML = Answer(body=b"<!doctype html><html><body>Sorry</body></html>")


@pytest.mark.parametrize(
    ("robots", "keywords", "reason", "preset"),
    [
        (Answer(503), LADON, "503 since ", "preset ladon"),
        (Answer(resets=True), LADON, "refused, reset, cut off", "preset ladon"),
        (HTML, {}, "200, HTML without a record", "preset rfc9309"),
        (
            Answer(503),
            {"on_unreachable": "warn"},
            "503 since ",
            "preset rfc9309, on_unreachable = warn",
        ),
        (HTML, {"on_unreachable": "warn"}, "200, HTML without a record", "preset rfc9309)"),
    ],
)
def test_origin_fetched_with_a_warning_is_logged_once(
    fetch: Callable[..., list[Any]],
    caplog: pytest.LogCaptureFixture,
    robots: Answer,
    keywords: dict[str, Any],
    reason: str,
    preset: str,
) -> None:
    decisions: list[Any] = []
    with site(robots=robots, a=PAGE) as here:
        results = fetch(here.at("/a"), here.at("/b"), decisions=decisions, **keywords)
    assert results == [(200, 0), (404, 0)]
    (warning,) = warnings_in(caplog)
    assert f"robots.txt of {here.url}: " in warning
    assert reason in warning
    assert preset in warning
    assert [decision.recommendation for decision in decisions] == ["allowed_but_warn"] * 2


@pytest.mark.parametrize(
    ("robots", "keywords"),
    [
        (RULES, LADON),
        (Answer(404), LADON),
        (Answer(503), {"on_unreachable": "allow"}),
        (Answer(503), {"preset": "ladon"}),
    ],
)
def test_origin_fetched_without_a_warning_is_not_logged(
    fetch: Callable[..., list[Any]],
    caplog: pytest.LogCaptureFixture,
    robots: Answer,
    keywords: dict[str, Any],
) -> None:
    decisions: list[Any] = []
    with site(robots=robots, a=PAGE) as here:
        assert fetch(here.at("/a"), decisions=decisions, **keywords) == [(200, 0)]
    assert not warnings_in(caplog)
    assert [decision.recommendation for decision in decisions] == ["recommended"]


def test_disallowed_page_in_report_only_has_its_decision(fetch: Callable[..., list[Any]]) -> None:
    decisions: list[Any] = []
    with site(robots=RULES) as here:
        results = fetch(here.at("/private"), decisions=decisions, mode="report_only")
    assert results == [(404, 0)]
    assert [decision.recommendation for decision in decisions] == ["not_recommended"]


def test_redirect_to_another_origin_is_logged_for_both(
    fetch: Callable[..., list[Any]], caplog: pytest.LogCaptureFixture
) -> None:
    decisions: list[Any] = []
    with site(robots=Answer(503), a=PAGE) as there:
        moved = Answer(302, headers={"Location": there.at("/a")})
        with site(robots=RULES, moved=moved) as between:
            onward = Answer(302, headers={"Location": between.at("/moved")})
            with site(robots=Answer(500), onward=onward) as here:
                results = fetch(here.at("/onward"), decisions=decisions, **LADON)
    assert results == [(200, 2)]
    first, second = warnings_in(caplog)
    assert here.url in first
    assert there.url in second
    assert [decision.failed_open for decision in decisions] == [True, False, True]
    assert [decision.evidence.status for decision in decisions] == [500, 200, 503]


def test_failed_request_logs_the_warning_first(
    fetch: Callable[..., list[Any]], caplog: pytest.LogCaptureFixture
) -> None:
    with site(robots=Answer(503), a=Answer(resets=True)) as here:
        ((error, _),) = fetch(here.at("/a"), **LADON)
    assert isinstance(error, Exception)
    assert len(warnings_in(caplog)) == 1


def test_oldest_logged_origin_is_evicted_beyond_the_limit(
    fetch: Callable[..., list[Any]],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("comity._adapters.MAX_WARNED_ORIGINS", 2)
    sites = [site(robots=Answer(503), a=PAGE) for _ in range(3)]
    with sites[0] as one, sites[1] as two, sites[2] as three:
        visits = [one, two, one, three, one, two]
        fetch(*(here.at("/a") for here in visits), **LADON)
    warned = [warning.split(": ")[0] for warning in warnings_in(caplog)]
    assert warned == [f"robots.txt of {here.url}" for here in (one, two, three, two)]


def test_sessions_of_one_client_log_an_origin_once(caplog: pytest.LogCaptureFixture) -> None:
    requests = pytest.importorskip("requests")
    from comity.requests import PoliteAdapter

    with site(robots=Answer(503), a=PAGE) as here:
        for _ in range(2):
            with Client("ExampleBot", **options(**LADON)) as client:
                for _ in range(2):
                    with requests.Session() as session:
                        session.mount("http://", PoliteAdapter(client))
                        session.get(here.at("/a"))
    # Another client has its own log.
    assert len(warnings_in(caplog)) == 2


def test_retry_after_delays_the_next_request(fetch: Callable[..., list[Any]]) -> None:
    with site(robots=RULES, a=Answer(503, headers={"Retry-After": "1"}), b=PAGE) as here:
        results = fetch(here.at("/a"), here.at("/b"))
    assert results == [(503, 0), (200, 0)]
    assert here.times[2] - here.times[1] >= 0.97


def test_adapter_error_is_an_error_of_both_libraries(fetch: Callable[..., list[Any]]) -> None:
    with site(robots=Answer(503), a=PAGE) as here:
        (down, _), (unknown, _) = fetch(here.at("/a"), "http://nowhere.invalid/a")
        assert isinstance(down, FetchError) and isinstance(unknown, FetchError)
        with site(robots=Answer(body=b"User-agent: *\nCrawl-delay: 60\n"), a=PAGE) as slow:
            results = fetch(slow.at("/a"), slow.at("/a"), max_wait=0.5)
        assert results[0] == (200, 0)
        assert isinstance(results[1][0], TimedOut)
        assert isinstance(results[1][0], TimeoutError)


def test_user_agent_of_another_crawler_is_not_sent(
    fetch: Callable[..., list[Any]],
) -> None:
    with site(robots=RULES, a=PAGE) as here:
        fetch(here.at("/a"), headers={"User-Agent": "Mozilla/5.0 (Windows NT 10.0)"})
        fetch(here.at("/a"), headers={"User-Agent": "ExampleBot/2.0 (special)"})
    sent = [agent_of(fields) for fields in here.fields]
    assert sent[1].startswith("ExampleBot") and "Windows" not in sent[1]
    assert sent[3] == "ExampleBot/2.0 (special)"


def test_sent_url_equals_decided_url(fetch: Callable[..., list[Any]]) -> None:
    with site(robots=RULES, a=PAGE) as here:
        results = fetch(here.at("/a/%2e%2e/private/x"), here.at("/b/%2E%2E/a"))
    assert isinstance(results[0][0], Refused)
    assert results[1] == (200, 0)
    assert dict(here.hits) == {"/robots.txt": 1, "/a": 1}


def test_proxy_of_the_session_is_an_error() -> None:
    requests = pytest.importorskip("requests")
    from comity.requests import PoliteAdapter

    with (
        site(robots=RULES, a=PAGE) as here,
        Client("ExampleBot", **options()) as client,
        requests.Session() as session,
    ):
        session.mount("http://", PoliteAdapter(client))
        session.proxies = {"http": "http://127.0.0.1:9"}
        with pytest.raises(requests.exceptions.ProxyError, match="pass it to the client"):
            session.get(here.at("/a"))
        with pytest.raises(TypeError, match="max_retries is not supported"):
            PoliteAdapter(client, max_retries=3)
        adapter = PoliteAdapter(client)
        adapter.max_retries = requests.adapters.Retry(3)
        session.mount("http://", adapter)
        with pytest.raises(TypeError, match="max_retries is not supported"):
            session.get(here.at("/a"))
    assert not here.hits


def test_session_with_own_resolver_is_an_error() -> None:
    aiohttp = pytest.importorskip("aiohttp")
    from comity.aiohttp import Polite

    async def run(here: Site) -> None:
        async with AsyncClient("ExampleBot", **options()) as client:
            async with aiohttp.ClientSession(middlewares=[Polite(client)]) as session:
                with pytest.raises(RuntimeError, match=r"without the guard"):
                    await session.get(here.at("/a"))
            polite = Polite(client, guard=False)
            async with (
                aiohttp.ClientSession(middlewares=[polite]) as session,
                session.get(here.at("/a")) as response,
            ):
                assert response.status == 200

    with site(robots=RULES, a=PAGE) as here:
        asyncio.run(run(here))


def test_connector_without_its_middleware_sends_nothing() -> None:
    aiohttp = pytest.importorskip("aiohttp")
    from comity.aiohttp import ConnectionFailed, Polite

    async def run(here: Site) -> None:
        async with AsyncClient("ExampleBot", **options()) as client:
            polite = Polite(client)
            named = f"http://localhost:{here.server.server_port}/a"
            connector = polite.connector()
            async with aiohttp.ClientSession(connector=connector, connector_owner=False) as session:
                for url in (here.at("/a"), named, "http://[::1]:1/a", "http://2130706433:1/"):
                    with pytest.raises(ConnectionFailed, match=r"admitted.*middlewares=\[polite\]"):
                        await session.get(url)
            # The check also covers open connections.
            async with (
                aiohttp.ClientSession(
                    middlewares=[polite], connector=connector, connector_owner=False
                ) as session,
                session.get(here.at("/a")) as response,
            ):
                await response.read()
            assert connector._conns
            async with aiohttp.ClientSession(connector=connector) as session:
                with pytest.raises(ConnectionFailed):
                    await session.get(here.at("/a"))

    with site(robots=RULES, a=PAGE) as here:
        asyncio.run(run(here))
    assert here.hits == {"/robots.txt": 1, "/a": 1}


@pytest.mark.parametrize("path", ["/private/x", None])
def test_request_for_another_url_under_an_admission_is_refused(path: str | None) -> None:
    aiohttp = pytest.importorskip("aiohttp")
    from comity.aiohttp import ConnectionFailed, Polite

    async def run(here: Site, there: Site) -> None:
        async def astray(request: Any, handler: Any) -> Any:
            url = request.url
            port = there.server.server_port
            request.url = url.with_path(path) if path else url.with_port(port)
            return await handler(request)

        async with AsyncClient("ExampleBot", **options()) as client:
            polite = Polite(client)
            async with aiohttp.ClientSession(
                middlewares=[polite, astray], connector=polite.connector()
            ) as session:
                with pytest.raises(ConnectionFailed, match=r"no request for .* is admitted"):
                    await session.get(here.at("/a"))

    with site(robots=RULES, a=PAGE) as here, site(robots=RULES, a=PAGE) as there:
        asyncio.run(run(here, there))
    assert not there.hits and set(here.hits) == {"/robots.txt"}


def test_unusual_url_is_sent_as_it_was_decided() -> None:
    # aiohttp compares URLs in its own form.
    with site(robots=RULES, otherwise=PAGE) as here:
        targets = ["/a?", "/a?x=%2f&y", "/%5c@x", "/a%20b;c", "//a", "/a?q=%25", "/?a=b?c", "/é"]
        for run in STACKS.values():
            assert run([here.at(path) for path in targets], {}, options(), []) == [(200, 0)] * 8


def test_unread_body_keeps_the_permit() -> None:
    requests = pytest.importorskip("requests")
    from comity.requests import PoliteAdapter

    settings = {"pace": {"min_interval_seconds": 0, "concurrency": 1}}
    with (
        site(robots=RULES, a=PAGE, b=PAGE) as here,
        Client("ExampleBot", **options(settings=settings)) as client,
        requests.Session() as session,
    ):
        session.mount("http://", PoliteAdapter(client, max_wait=0.3))
        first = session.get(here.at("/a"), stream=True)
        with pytest.raises(requests.Timeout):
            session.get(here.at("/b"))
        assert len(first.content) == len(PAGE.body)
        assert session.get(here.at("/b")).status_code == 200


def test_admission_permits_one_request() -> None:
    with site(robots=RULES, a=PAGE) as here, Client("ExampleBot", **options()) as client:
        with client.admit(here.at("/b/../a#part")) as admission:
            assert admission.url == here.at("/a")
            assert admission.addresses == [("127.0.0.1", here.server.server_port)]
            assert admission.decision.verdict == "allowed_implicit"
            # The interval began at the request for robots.txt, so the wait is shorter than the interval.
            assert 0 <= admission.waited <= INTERVAL + 1
            admission.answered(200, {"Content-Type": "text/plain"})
        with pytest.raises(comity.ComityError, match="closed"):
            admission.answered(200)
        with pytest.raises(Refused) as caught, client.admit(here.at("/private")):
            raise AssertionError
        assert caught.value.record["decision"]["verdict"] == "disallowed_explicit"
        with pytest.raises(UrlError):
            client.admit("nowhere")
        assert client.user_agent.startswith("ExampleBot")
    assert dict(here.hits) == {"/robots.txt": 1}


def test_retry_after_of_an_admission_is_kept() -> None:
    with site(robots=RULES) as here, Client("ExampleBot", **options()) as client:
        with client.admit(here.at("/a")) as admission:
            admission.answered(503, {"Retry-After": "30"})
        with pytest.raises(TimedOut, match="Retry-After"):
            client.admit(here.at("/a"), max_wait=1)


def test_repeated_failures_open_the_circuit() -> None:
    settings = SETTINGS | {"breaker": {"failure_threshold": 2}}
    with (
        site(robots=RULES) as here,
        Client("ExampleBot", **options(settings=settings)) as client,
    ):
        for _ in range(2):
            with pytest.raises(OSError), client.admit(here.at("/a")):
                raise OSError("it broke")
        with pytest.raises(FetchError) as caught:
            client.admit(here.at("/a"))
        assert caught.value.outcome == "circuit_open"


def test_async_admission_waits_and_is_released() -> None:
    async def run(here: Site) -> None:
        async with AsyncClient("ExampleBot", **options()) as client:
            async with client.admit(here.at("/a")) as admission:
                await admission.answered(200)
            admission = await client.admit(here.at("/a"))
            admission.close()
            with pytest.raises(Refused):
                await client.admit(here.at("/private"))
            # The answer is recorded even if the call is not awaited.
            async with client.admit(here.at("/a")) as admission:
                admission.answered(503, {"Retry-After": "30"})
            with pytest.raises(TimedOut, match="Retry-After"):
                await client.admit(here.at("/a"), max_wait=1)
            with pytest.raises(comity.ComityError, match="closed"):
                admission.answered(200)

    with site(robots=RULES) as here:
        asyncio.run(run(here))


def test_page_has_the_attributes_of_other_libraries() -> None:
    answer = Answer(body=b'{"a": [1]}', headers={"Content-Type": "application/json"})
    with (
        site(robots=RULES, a=answer, b=Answer(410)) as here,
        Client("ExampleBot", **options()) as client,
    ):
        page = client.fetch(here.at("/a"))
        assert page.raise_for_status() is page
        assert page.json() == {"a": [1]}
        gone = client.fetch(here.at("/b"))
        with pytest.raises(comity.StatusError, match="410 Gone") as caught:
            gone.raise_for_status()
        assert caught.value.page is gone


def test_network_error_is_a_builtin_exception() -> None:
    with (
        site(robots=RULES, slow=Answer(delay=5.0)) as here,
        Client("ExampleBot", **options(timeout=0.4)) as client,
    ):
        with pytest.raises(TimeoutError) as slow:
            client.fetch(here.at("/slow"))
        assert type(slow.value) is TimedOut
        copy = pickle.loads(pickle.dumps(slow.value))
        assert (str(copy), copy.record, copy.errno) == (str(slow.value), slow.value.record, None)
        assert len(repr(slow.value)) < 300
    # The port of a closed socket has no listener.
    with site() as gone:
        pass
    with Client("ExampleBot", **options(mode="ignore")) as client:
        with pytest.raises(ConnectionError) as closed:
            client.fetch(gone.at("/a"))
        assert type(closed.value) is ConnectionFailed
