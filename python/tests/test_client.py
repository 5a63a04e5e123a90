"""The client against well-behaved and faulty sites on the loopback interface."""

from __future__ import annotations

import asyncio
import gc
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sites import PATIENCE, Answer, Site, site, were_paced

from comity import (
    AsyncClient,
    Client,
    ComityWarning,
    FetchError,
    ForkError,
    Refused,
    SettingError,
    StoreError,
    UnknownNameError,
    UrlError,
)
from comity.client import RobotsFile
from comity.errors import ComityError
from comity.testing import FakeWeb, Response

LOOPBACK = ("127.0.0.0/8",)
QUICK: dict[str, dict[str, object]] = {
    "pace": {"min_interval_seconds": 0, "concurrency": 64},
    "retry": {"retries": 0},
}
RULES = Answer(body=b"User-agent: *\nDisallow: /private\n")
PAGE = Answer(
    body=b"<title>T</title><meta name=robots content=noindex><p>caf\xe9</p>",
    headers={"Content-Type": "text/html; charset=iso-8859-1", "X-Many": "a"},
)


def quick(**more: Any) -> Client:
    return Client("ExampleBot", allow_address=LOOPBACK, settings=QUICK, **more)


def quick_async(**more: Any) -> AsyncClient:
    return AsyncClient("ExampleBot", allow_address=LOOPBACK, settings=QUICK, **more)


def test_page_is_decoded_by_its_declared_charset() -> None:
    page = Answer(
        body=b"<!doctype html><meta charset=shift_jis><meta name=robots content=noindex><p>\x93\xfa\x96\x7b"
    )
    with site(robots=RULES, a=page) as here, quick() as client:
        fetched = client.fetch(here.at("/a"))
        assert fetched.text.endswith("日本")
        assert fetched.markdown() == "日本"
        assert [warning["name"] for warning in fetched.warnings] == ["do_not_index"]
        assert len(fetched.directives.statements) == 1


def test_page_has_body_headers_record_and_decision() -> None:
    with site(robots=RULES, a=PAGE) as here, quick(contact="https://example.com/bot") as client:
        page = client.fetch(here.at("/a"), headers={"X-Asked": "yes"})
        assert (page.status, page.is_success, page.url) == (200, True, here.at("/a"))
        assert page.body == PAGE.body
        assert "café" in page.text
        assert page.headers["x-many"] == "a"
        assert ("x-many", b"a") in page.raw_headers
        assert page.markdown().strip() == "café"
        assert [one.directive for one in page.directives.statements] == ["noindex"]
        assert [warning["name"] for warning in page.warnings] == ["do_not_index"]
        assert page.decision is not None and page.decision.verdict == "allowed_implicit"
        assert page.usage is not None and page.usage.url == here.at("/a")
        assert page.record["content"]["bytes"] == len(PAGE.body)
        assert here.fields[-1]["x-asked"] == "yes"
        assert "+https://example.com/bot" in here.fields[-1]["user-agent"]
        assert "x-asked" not in here.fields[0], (
            "the request for robots.txt must not have the caller's fields"
        )


def test_missing_page_is_returned_with_its_status() -> None:
    with site(robots=RULES) as here, quick() as client:
        assert client.fetch(here.at("/b")).status == 404


def test_refusal_by_robots_names_the_rule() -> None:
    with site(robots=RULES, private=PAGE) as here, quick() as client:
        with pytest.raises(Refused, match=r"robots.txt:2: Disallow: /private") as caught:
            client.fetch(here.at("/private"))
        error = caught.value
        assert (error.outcome, error.is_refusal) == ("robots_refused", True)
        assert error.record["hops"][0]["decision"]["rule"]["line"] == 2
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.record) == (Refused, str(error), error.record)
        assert here.hits["/private"] == 0


def test_unreachable_robots_is_not_a_refusal_and_has_a_retry_time() -> None:
    busy = Answer(503, headers={"Retry-After": "1000"})
    with site(robots=RULES, private=PAGE, busy=busy) as here, quick() as client:
        with pytest.raises(Refused) as caught:
            client.fetch(here.at("/private"))
        assert caught.value.retry_after is None
        assert client.fetch(here.at("/busy")).record["retry_after_seconds"] == 1000
    with site(a=PAGE) as here, quick() as client:
        here.answers["/robots.txt"] = busy
        with pytest.raises(FetchError) as caught:
            client.fetch(here.at("/a"))
        error = caught.value
        assert (error.outcome, error.is_refusal) == ("robots_unreadable", False)
        assert error.retry_after is not None and 900 < error.retry_after <= 1000
        assert pickle.loads(pickle.dumps(error)).retry_after == error.retry_after
        with pytest.raises(FetchError) as caught, client.admit(here.at("/a")):
            pass
        assert caught.value.retry_after is not None and 900 < caught.value.retry_after <= 1000


def test_refusal_by_the_guard_names_the_keyword() -> None:
    with Client("ExampleBot") as client:
        for url, keyword in (
            ("http://127.0.0.1/", 'allow_address=["127.0.0.1"]'),
            ("http://example.com:6667/", "allow_port=[6667]"),
            ("http://me@example.com/", 'settings={"guard": {"allow_credentials": True}}'),
        ):
            for ask in (client.fetch, client.decide):
                with pytest.raises(Refused) as caught:
                    ask(url)
                assert keyword in str(caught.value)


def test_allow_port_permits_a_blocked_port() -> None:
    for ports in ([6667], ["6660-6669"], (6000, "6660-6669")):
        with quick(allow_port=ports, mode="ignore") as client, pytest.raises(FetchError) as caught:
            client.fetch("http://127.0.0.1:6667/")
        assert caught.value.outcome == "transport_failed"
    for wrong in ([70000], ["http"], ["6669-6660"]):
        with pytest.raises(SettingError, match=r"guard\.allow_port"):
            quick(allow_port=wrong)


def test_report_only_fetches_disallowed_page() -> None:
    with site(robots=RULES, private=PAGE) as here, quick(mode="report_only") as client:
        page = client.fetch(here.at("/private"))
        assert page.decision is not None and page.decision.verdict == "disallowed_explicit"
        assert page.record["mode"] == "report_only"


@pytest.mark.parametrize(("status", "allowed"), [(404, True), (503, False), (401, True)])
def test_status_of_robots_txt_decides(status: int, allowed: bool) -> None:
    with site(robots=Answer(status), a=PAGE) as here, quick() as client:
        assert client.decide(here.at("/a")).is_allowed is allowed
        assert here.hits["/a"] == 0, "deciding does not fetch"
        state = "unreachable" if status == 503 else "absent"
        robots = client.robots(here.at("/a"))
        assert (robots.state, robots.status, robots.body) == (state, status, None)


@pytest.mark.parametrize(
    ("answer", "state", "status"),
    [
        (RULES, "present", 200),
        (Answer(body=b""), "present", 200),
        (Answer(404), "absent", 404),
        (Answer(410), "absent", 410),
        (Answer(429), "unreachable", 429),
        (Answer(500), "unreachable", 500),
        (Answer(503), "unreachable", 503),
    ],
)
def test_robots_state_distinguishes_absent_from_unreachable(
    answer: Answer, state: str, status: int
) -> None:
    # A preset that fails open changes the decision, not the state.
    for preset in ("rfc9309", "ladon"):
        with site(robots=answer) as here, quick(preset=preset, mode="respect") as client:
            robots = client.robots(here.at("/a"))
            assert (robots.state, robots.status) == (state, status)
            assert robots.body == (answer.body if state == "present" else None)
            assert robots.reason


def test_robots_state_of_a_local_fault_is_failed_here() -> None:
    with site(robots=RULES) as here:
        nobody = here.at("/")
        with quick(mode="ignore") as client:
            robots = client.robots(nobody)
            assert (robots.state, robots.status, robots.body) == ("failed_here", None, None)
            assert "ignore" in robots.reason
    # A port without a listener is not a local fault.
    with quick() as client:
        assert client.robots(nobody).state == "unreachable"
    with Client("ExampleBot", settings=QUICK) as client, pytest.raises(Refused):
        client.robots("http://127.0.0.1/")


def test_redirects_are_decided_hop_by_hop() -> None:
    gone = Answer(302, headers={"Location": "/private"})
    with site(robots=RULES, gone=gone, private=PAGE) as here, quick() as client:
        with pytest.raises(Refused) as caught:
            client.fetch(here.at("/gone"))
        assert [hop["url"] for hop in caught.value.record["hops"]] == [
            here.at("/gone"),
            here.at("/private"),
        ]


def test_redirect_loop_is_an_error() -> None:
    circle = Answer(302, headers={"Location": "/circle"})
    with site(circle=circle) as here, quick() as client:
        with pytest.raises(FetchError) as caught:
            client.fetch(here.at("/circle"))
        assert caught.value.outcome == "redirects_failed"


def test_guard_rejects_loopback_by_default() -> None:
    with site(a=PAGE) as here, Client("ExampleBot") as client:
        with pytest.raises(Refused, match="loopback") as caught:
            client.fetch(here.at("/a"))
        assert caught.value.outcome == "guard_refused"
        with pytest.raises(Refused, match="loopback"):
            client.decide(here.at("/a"))
        assert not here.hits


def test_slow_answer_and_closed_port_are_errors() -> None:
    with site(robots=RULES, slow=Answer(delay=5)) as here, quick() as client:
        with pytest.raises(FetchError) as caught:
            client.fetch(here.at("/slow"), timeout=0.2)
        assert caught.value.outcome == "transport_failed"
        assert not isinstance(caught.value, Refused)
    with quick(mode="ignore") as client, pytest.raises(FetchError):
        client.fetch(here.at("/"))


def test_content_type_and_size_limits_are_applied() -> None:
    with site(robots=RULES, a=PAGE) as here, quick() as client:
        with pytest.raises(Refused) as caught:
            client.fetch(here.at("/a"), content_types=["image/*"])
        assert caught.value.outcome == "content_refused"
        page = client.fetch(here.at("/a"), max_bytes=5)
        assert page.body == PAGE.body[:5]
        assert page.record["content"]["truncated"] is True


def test_requests_keep_the_pace() -> None:
    settings = {"pace": {"min_interval_seconds": 0.3}}
    with (
        site(robots=RULES, a=PAGE) as here,
        Client("ExampleBot", allow_address=LOOPBACK, settings=settings) as client,
    ):
        began = time.monotonic()
        for _ in range(3):
            client.fetch(here.at("/a"))
        assert were_paced(began, here.times, 0.3)
        with pytest.raises(FetchError) as caught:
            client.fetch(here.at("/a"), max_wait=0.01)
        assert caught.value.outcome == "wait_too_long"


def test_robots_txt_is_requested_once() -> None:
    with site(robots=RULES, a=PAGE) as here, quick() as client:
        for _ in range(3):
            client.fetch(here.at("/a"))
        assert here.hits["/robots.txt"] == 1
        assert client.counters()["pages"] == 3
        assert client.robots(here.at("/a")).body == RULES.body
        assert client.forget(here.at("/"))
        client.fetch(here.at("/a"))
        assert here.hits["/robots.txt"] == 2


def test_two_hundred_tasks_cause_one_robots_request() -> None:
    slow = Answer(body=RULES.body, delay=0.2)

    async def crawl(url: str) -> int:
        async with quick_async() as client:
            pages = await asyncio.gather(*(client.fetch(url) for _ in range(200)))
            return sum(page.is_success for page in pages)

    with site(robots=slow, a=PAGE) as here:
        assert asyncio.run(crawl(here.at("/a"))) == 200
        assert here.hits == {"/robots.txt": 1, "/a": 200}


def test_cancelling_a_task_ends_its_request() -> None:
    async def crawl(url: str) -> None:
        async with quick_async() as client:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(client.fetch(url), 0.3)
            # Other requests continue.
            assert (await client.fetch(url.replace("slow", "a"))).status == 200

    with site(robots=RULES, slow=Answer(delay=20), a=PAGE) as here:
        asyncio.run(crawl(here.at("/slow")))
        assert here.dropped.wait(PATIENCE), "the connection was left open"


def test_event_loop_runs_while_a_client_waits() -> None:
    answer = Answer(held=threading.Event())

    async def crawl(here: Site) -> int:
        async with quick_async() as client:
            fetch = asyncio.ensure_future(client.fetch(here.at("/slow")))
            while not here.hits["/slow"]:
                await asyncio.sleep(0.001)
            assert not fetch.done()
            answer.held.set()
            return (await fetch).status

    with site(robots=RULES, slow=answer) as here:
        assert asyncio.run(crawl(here)) == 200


def test_client_works_in_several_loops_and_threads() -> None:
    with site(robots=RULES, a=PAGE) as here:
        shared = quick_async()
        with ThreadPoolExecutor(4) as pool:
            runs = [
                pool.submit(lambda: asyncio.run(_once(shared, here.at("/a")))) for _ in range(8)
            ]
            assert [run.result(20) for run in runs] == [200] * 8
        with quick() as client, ThreadPoolExecutor(8) as pool:
            urls = [here.at("/a")] * 40
            assert {page.status for page in pool.map(client.fetch, urls)} == {200}
        assert here.hits["/robots.txt"] == 2


async def _once(client: AsyncClient, url: str) -> int:
    return (await client.fetch(url)).status


def test_async_client_raises_the_errors_of_the_client() -> None:
    async def crawl(url: str) -> None:
        async with quick_async() as client:
            with pytest.raises(Refused):
                await client.fetch(url)
            assert not await client.decide(url)
            assert await client.robots(url) == RobotsFile("present", 200, "2xx", RULES.body)
            with pytest.raises(UrlError):
                await client.decide("no URL")

    with site(robots=RULES) as here:
        asyncio.run(crawl(here.at("/private")))


def test_other_threads_run_while_a_fetch_waits() -> None:
    # The answer waits for another thread, which could not run if the client held the interpreter's lock.
    answer = Answer(held=threading.Event())
    with site(robots=RULES, slow=answer) as here, quick() as client:
        fetch = threading.Thread(target=client.fetch, args=(here.at("/slow"),))
        fetch.start()
        while not here.hits["/slow"]:
            time.sleep(0.001)
        assert fetch.is_alive()
        answer.held.set()
        fetch.join()


def test_ctrl_c_interrupts_a_fetch() -> None:
    script = """
        import sys
        from comity import Client
        client = Client("ExampleBot", allow_address=["127.0.0.0/8"])
        print("ready", flush=True)
        try:
            client.fetch(sys.argv[1])
        except KeyboardInterrupt:
            print("interrupted")
    """
    # The site answers only after the program has ended, so only the signal can end the program.
    answer = Answer(held=threading.Event())
    with site(robots=RULES, slow=answer) as here:
        program = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script), here.at("/slow")],
            stdout=subprocess.PIPE,
            text=True,
        )
        while not here.hits["/slow"]:
            assert program.poll() is None
            time.sleep(0.01)
        program.send_signal(signal.SIGINT)
        out, _ = program.communicate()
        answer.held.set()
        assert out.split() == ["ready", "interrupted"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="SKIPPED: this system does not fork")
def test_forked_client_is_an_error_and_a_new_one_works(tmp_path: Path) -> None:
    script = """
        import gc, os, sys
        from comity import Client, ForkError
        def make():
            return Client("ExampleBot", allow_address=["127.0.0.0/8"], store=sys.argv[2])
        client = make()
        assert client.fetch(sys.argv[1]).status == 200
        child = os.fork()
        if not child:
            try:
                client.fetch(sys.argv[1])
            except ForkError as error:
                assert "each process" in str(error)
                del client
                gc.collect()
                new = make()
                assert new.fetch(sys.argv[1]).status == 200
                # The store file has the robots.txt that the parent requested.
                assert "robots_answers_success" not in new.counters()
                os._exit(7)
            os._exit(1)
        _, status = os.waitpid(child, 0)
        assert client.fetch(sys.argv[1]).status == 200
        sys.exit(os.waitstatus_to_exitcode(status))
    """
    with site(robots=RULES, a=PAGE) as here:
        arguments = [sys.executable, "-c", textwrap.dedent(script), here.at("/a")]
        done = subprocess.run(
            [*arguments, str(tmp_path / "robots.db")], timeout=PATIENCE, check=False
        )
        assert done.returncode == 7
        assert here.hits["/robots.txt"] == 1
    assert issubclass(ForkError, RuntimeError)


def test_two_processes_with_one_store_share_robots_and_pace(tmp_path: Path) -> None:
    script = """
        import sys
        from comity import Client
        with Client("ExampleBot", allow_address=["127.0.0.0/8"], store=sys.argv[2]) as client:
            print(client.fetch(sys.argv[1]).status)
    """
    with site(robots=RULES, a=PAGE) as here:
        arguments = [sys.executable, "-c", textwrap.dedent(script), here.at("/a")]
        began = time.monotonic()
        programs = [
            subprocess.Popen([*arguments, str(tmp_path / "robots.db")], stdout=subprocess.PIPE)
            for _ in range(3)
        ]
        assert [program.communicate(timeout=PATIENCE)[0].strip() for program in programs] == [
            b"200"
        ] * 3
        assert here.hits == {"/robots.txt": 1, "/a": 3}
        assert were_paced(began, here.times, 1), "one pace for all"


def test_discover_yields_every_sitemap_entry() -> None:
    urls = "".join(f"<url><loc>{{0}}/p{number}</loc></url>" for number in range(600))
    names = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' + urls + "</urlset>"
    with site(robots=RULES) as here, quick() as client:
        here.answers["/sitemap.xml"] = Answer(
            body=names.replace("{0}", here.url).encode(), headers={"Content-Type": "text/xml"}
        )
        steps = list(client.discover(here.at("/")))
        assert [step.kind for step in steps] == ["opened", *["url"] * 600, "ended"]
        assert steps[600].item.loc == here.at("/p599")  # type: ignore[union-attr]
        assert steps[-1].item.entries == 600  # type: ignore[union-attr]

        async def walk() -> list[str]:
            async with quick_async() as other:
                return [step.kind async for step in other.discover(here.at("/"))]

        assert asyncio.run(walk()) == [step.kind for step in steps]


def test_unavailable_sitemap_is_a_step() -> None:
    rules = Answer(
        body=b"User-agent: *\nDisallow: /hidden\nSitemap: /hidden.xml\nSitemap: /none.xml\n"
    )
    with site(robots=rules) as here, quick() as client:
        failed, missing = client.discover(here.at("/"))
        assert (failed.kind, missing.kind) == ("failed", "missing")
        assert isinstance(failed.error, Refused) and failed.error.outcome == "robots_refused"
        assert (missing.status, missing.was_named) == (404, True)


def test_llms_strategy_fetches_the_markdown_form() -> None:
    markdown = Answer(body=b"# T\n", headers={"Content-Type": "text/markdown"})
    with site(robots=RULES, a=PAGE) as here, quick() as client:
        here.answers["/a.md"] = markdown
        page = client.fetch(here.at("/a"), llms="prefer")
        assert (page.url, page.text) == (here.at("/a.md"), "# T\n")
        assert client.fetch(here.at("/a"), llms="disabled").url == here.at("/a")
        with pytest.raises(FetchError) as caught:
            client.fetch(here.at("/b"), llms="force")
        assert caught.value.outcome == "no_alternative"
        with pytest.raises(UnknownNameError):
            client.fetch(here.at("/a"), llms="best")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pace": {"interval": 1}}, r"^pace\.interval: unknown field"),
        ({"paces": {}}, r"^unknown section `paces`"),
        ({"pace": {"min_interval_seconds": -1}}, r"^pace\.min_interval_seconds: "),
        ({"pace": {"min_interval_seconds": "soon"}}, r"^pace\.min_interval_seconds: "),
        ({"robots": {"preset": "polite"}}, r"^robots\.preset: unknown preset `polite`"),
        ({"guard": {"allow_address": ["lo"]}}, r"^guard\.allow_address: `lo` is not a network"),
        (
            {"store": {"location": "s3://b"}},
            r"^store\.location: `s3` URLs are not supported as stores",
        ),
        ({"fetch": {"header": ["Host: x"]}}, r"`Host` cannot be set"),
    ],
)
def test_invalid_setting_is_an_error_with_its_path(settings: Any, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        Client("ExampleBot", settings=settings)


def test_every_setting_with_a_flag_is_a_keyword() -> None:
    with Client(
        "ExampleBot",
        min_interval=0.2,
        retries=0,
        jobs=3,
        insecure=True,
        allow_host=["wiki.example"],
        header=["Accept-Language: de"],
    ):
        pass
    with pytest.raises(SettingError, match=r"^fetch\.header: .*cannot be set"):
        Client("ExampleBot", header=["Host: example.com"])
    with pytest.raises(SettingError, match=r"^pace\.min_interval_seconds: "):
        Client("ExampleBot", min_interval=-1)
    with pytest.raises(TypeError, match="has no argument 'min_intervall'"):
        Client("ExampleBot", min_intervall=1)  # type: ignore[call-arg]


def test_invalid_argument_of_a_client_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="ExampleBot"):
        Client("ExampleBot", user_agent="Mozilla/5.0")
    with pytest.raises(TypeError, match="product token"):
        Client(7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="pass allow_address as a sequence"):
        Client("ExampleBot", allow_address="127.0.0.0/8")
    with pytest.raises(TypeError, match="section"):
        Client("ExampleBot", settings={"pace": 7})  # type: ignore[dict-item]
    with pytest.raises(StoreError):
        Client("ExampleBot", store=tmp_path)
    client = Client("ExampleBot", preset="strict", mode="report_only")
    assert (client.token, client.preset, client.mode) == ("ExampleBot", "strict", "report_only")
    with pytest.raises(UrlError, match=r"`https://example\.com` was probably meant"):
        client.robots("example.com")
    with pytest.raises(SettingError, match="max_wait"):
        client.fetch("https://example.com/", max_wait=-1)


def test_closed_client_is_an_error() -> None:
    client = quick()
    client.close()
    client.close()
    with pytest.raises(ComityError, match="closed"):
        client.fetch("https://example.com/")
    gc.collect()


@pytest.mark.parametrize("name", ["", "*", "FooBot/1.0", "Mozilla/5.0 (compatible; FooBot/1.0)"])
def test_client_without_a_product_token_is_an_error(name: str) -> None:
    with pytest.raises(SettingError, match=r"is not a product token.*`user_agent`"):
        Client(name)


def test_client_with_misspelt_name_causes_a_warning() -> None:
    with pytest.warns(ComityWarning, match="did you mean `Googlebot`"):
        Client("gogglebot").close()


@pytest.mark.parametrize(
    ("choice", "allowed", "warnings"),
    [("deny", False, []), ("warn", True, ["allowed_but_warn"]), ("allow", True, [])],
)
def test_on_unreachable_setting_overrides_the_preset(
    choice: str, allowed: bool, warnings: list[str]
) -> None:
    with (
        site(robots=Answer(503), a=PAGE) as here,
        quick(on_unreachable=choice, robots_max_age=60) as client,
    ):
        decision = client.decide(here.at("/a"))
        assert decision.is_allowed is allowed
        assert decision.to_dict()["overrides"] == {"on_unreachable": choice, "max_age_seconds": 60}
        if allowed:
            page = client.fetch(here.at("/a"))
            names = [one["name"] for one in page.warnings if one["kind"] == "robots_txt"]
            assert names == warnings
        else:
            with pytest.raises(FetchError, match="could not be read"):
                client.fetch(here.at("/a"))


def test_page_instead_of_robots_txt_causes_a_warning() -> None:
    error_page = Answer(body=b"<!DOCTYPE html><p>Sorry", headers={"Content-Type": "text/html"})
    with site(robots=error_page, a=Answer(body=b"a")) as here, quick() as client:
        [warning] = client.fetch(here.at("/a")).warnings
        assert (warning["kind"], warning["name"]) == ("robots_txt", "allowed_but_warn")
        assert "is not a robots.txt (200, HTML without a record" in warning["message"]


def test_host_without_address_is_decided_by_the_preset() -> None:
    url = "http://nowhere.invalid/a"
    for preset, allowed in [("rfc9309", False), ("ladon", True)]:
        with Client("ExampleBot", preset=preset, mode="respect", settings=QUICK) as client:
            decision = client.decide(url)
            assert decision.is_allowed is allowed
            assert decision.to_dict()["evidence"]["answer"] == "dns"
            with pytest.raises(FetchError):
                client.fetch(url)


def test_crawl_delay_of_a_site_is_returned() -> None:
    asking = Answer(body=b"User-agent: *\nCrawl-delay: 2.5\n")
    with site(robots=asking) as here, quick() as client:
        assert client.crawl_delay(here.at("/a")) == 2.5
    with site(robots=RULES) as here, quick() as client:
        assert client.crawl_delay(here.at("/a")) is None

    async def ask() -> float | None:
        async with quick_async() as client:
            with site(robots=asking) as here:
                return await client.crawl_delay(here.at("/a"))

    assert asyncio.run(ask()) == 2.5


def test_setting_of_another_library_error_names_the_equivalent() -> None:
    with pytest.raises(SettingError, match=r"Comity's setting is `pace.min_interval_seconds`"):
        Client("ExampleBot", settings={"pace": {"min_request_interval_seconds": 1}})
    with pytest.raises(TypeError, match=r"robots\.mode"):
        Client("ExampleBot", respect_robots_txt=True)  # type: ignore[call-arg]


def test_origins_of_a_host_share_its_crawl_delay() -> None:
    slow = Answer(body=b"User-agent: *\nCrawl-delay: 30\n")
    settings = {**QUICK, "fetch": {"max_wait_seconds": 1}}
    for per, kept_back in [("host", True), ("origin", False)]:
        chosen = {**settings, "pace": {"min_interval_seconds": 0, "per": per}}
        client = Client("ExampleBot", allow_address=LOOPBACK, settings=chosen)
        with site(robots=slow, a=PAGE) as one, site(robots=slow, a=PAGE) as other, client:
            assert client.fetch(one.at("/a")).status == 200
            if kept_back:
                with pytest.raises(FetchError, match=r"its Crawl-delay takes (30\.0|29\.\d) s"):
                    client.fetch(other.at("/a"))
            else:
                assert client.fetch(other.at("/a")).status == 200


def test_client_cannot_be_pickled() -> None:
    for client in (Client("ExampleBot"), AsyncClient("ExampleBot")):
        with pytest.raises(TypeError, match="create one in the other process"):
            pickle.dumps(client)


def test_pickled_page_is_restored_whole() -> None:
    web = FakeWeb(
        {
            "https://a.example/robots.txt": "User-agent: *\nDisallow: /private\n",
            "https://a.example/old": Response(301, headers={"Location": "/new"}),
            "https://a.example/new": Response(
                body="<meta name=robots content=noai><h1>caf\xe9</h1>".encode("latin-1"),
                headers=[
                    ("Content-Type", "text/html; charset=iso-8859-1"),
                    ("X-Robots-Tag", "noindex"),
                    ("Set-Cookie", "a=1"),
                    ("Set-Cookie", "b=2"),
                ],
            ),
        }
    )
    with web.client("ExampleBot", settings={"fetch": {"reads_use": True}}) as client:
        page = client.fetch("https://a.example/old")
    copied = pickle.loads(pickle.dumps(page))
    for name in (
        "status", "url", "headers", "raw_headers", "body", "text", "record", "warnings", "decision",
        "usage", "is_success",
    ):  # fmt: skip
        assert getattr(copied, name) == getattr(page, name), name
    assert copied.markdown() == page.markdown() and "caf\xe9" in copied.text
    assert copied.directives.statements == page.directives.statements
    assert copied.usage.stances("train") == page.usage.stances("train")
    assert repr(copied) == repr(page) and copied.raise_for_status() is copied


@pytest.mark.parametrize(
    ("arguments", "error", "names"),
    [
        ({"content_types": "text/html"}, TypeError, "content_types: pass a list of str, not str"),
        ({"headers": {"A": 1}}, TypeError, "headers: .*`A` as str or bytes, not int"),
        ({"headers": 3}, TypeError, "headers: .* not int"),
        ({"max_bytes": -1}, SettingError, "max_bytes: `-1`"),
        ({"max_wait": -1}, SettingError, "max_wait: `-1`"),
        ({"timeout": -1}, SettingError, "timeout: `-1`"),
        ({"llms": "maybe"}, UnknownNameError, "maybe"),
    ],
)
def test_wrong_argument_of_a_fetch_is_named(
    arguments: dict[str, Any], error: type[Exception], names: str
) -> None:
    with FakeWeb().client("ExampleBot") as client:
        with pytest.raises(error, match=names):
            client.fetch("https://a.example/", **arguments)
        with pytest.raises(error, match=names):
            client.fetch_many(["https://a.example/"], **arguments)
