"""Crawls of many URLs against sites on the loopback interface."""

from __future__ import annotations

import asyncio
import itertools
import math
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from sites import PATIENCE, Answer, site

from comity import AsyncClient, Client, ComityError, FetchError, Refused, SettingError
from comity.client import Crawl, Fetched

LOOPBACK = ("127.0.0.0/8",)
QUICK: dict[str, dict[str, object]] = {
    "pace": {"min_interval_seconds": 0},
    "retry": {"retries": 0},
}
RULES = Answer(body=b"User-agent: *\nDisallow: /private\n")
SLOW = Answer(body=b"User-agent: *\nCrawl-delay: 3600\n")
PAGE = Answer(body=b"page")


def quick(**more: Any) -> Client:
    return Client("ExampleBot", allow_address=LOOPBACK, settings=QUICK, **more)


def quick_async(**more: Any) -> AsyncClient:
    return AsyncClient("ExampleBot", allow_address=LOOPBACK, settings=QUICK, **more)


def test_result_has_index_and_page_or_error() -> None:
    with site(robots=RULES, a=PAGE) as here, quick() as client:
        urls = [here.at("/a"), here.at("/private"), "no URL", here.at("/none")]
        results = sorted(client.fetch_many(urls), key=lambda fetched: fetched.index)
        assert [fetched.url for fetched in results] == urls
        outcomes = [fetched.record["outcome"] for fetched in results]
        assert outcomes == ["fetched", "robots_refused", "url_refused", "fetched"]
        assert results[0].get().body == b"page"
        assert isinstance(results[1].error, Refused) and results[1].page is None
        with pytest.raises(FetchError, match="no URL"):
            results[2].get()
        assert results[3].page is not None and results[3].page.status == 404


def test_slow_sites_do_not_slow_down_a_fast_one() -> None:
    with (
        site(robots=SLOW, a=PAGE) as one,
        site(robots=SLOW, a=PAGE) as two,
        site(robots=RULES, a=PAGE) as fast,
        quick() as client,
    ):
        urls = [one.at("/a"), two.at("/a")] * 2 + [fast.at("/a")] * 50
        with client.fetch_many(urls, jobs=1) as crawl:
            first = list(itertools.islice(crawl, 52))
            assert {fetched.get().status for fetched in first} == {200}
            # The second page of each slow site remains.
            assert {fetched.index for fetched in first}.isdisjoint({2, 3})
            assert crawl.progress()["done"] == 52
            assert crawl.progress()["under_way"] == 0
        assert fast.hits["/a"] == 50


def test_url_source_is_read_only_while_the_queue_has_room() -> None:
    pulled = 0

    def endless(at: str) -> Iterator[str]:
        nonlocal pulled
        for number in itertools.count():
            pulled += 1
            yield f"{at}/{number}"

    with site(robots=RULES) as here, quick() as client:
        crawl = client.fetch_many(endless(here.url), jobs=2, max_queued=100)
        assert pulled == 0
        assert next(crawl).index == 0
        # At most 100 URLs are in the queue, 3 in flight or fetched, and 256 in the first feed.
        assert pulled <= 100 + 3 + 256
        crawl.close()
        with pytest.raises(ComityError, match="closed"):
            next(crawl)


def test_url_source_runs_in_the_thread_that_reads_results() -> None:
    with site(robots=RULES, a=PAGE) as here, quick() as client:
        database = sqlite3.connect(":memory:")
        database.execute("CREATE TABLE urls (url TEXT)")
        rows = [(here.at("/a"),)] * 700
        database.executemany("INSERT INTO urls VALUES (?)", rows)
        urls = (str(row[0]) for row in database.execute("SELECT url FROM urls"))
        assert sum(fetched.get().status == 200 for fetched in client.fetch_many(urls)) == 700


def test_source_error_is_raised_after_the_results() -> None:
    def broken(at: str) -> Iterator[str]:
        yield at
        raise LookupError("no more")

    with site(robots=RULES, a=PAGE) as here, quick() as client:
        crawl = client.fetch_many(broken(here.at("/a")))
        with pytest.raises(LookupError):
            next(crawl)
        assert next(crawl).get().status == 200
        with pytest.raises(StopIteration):
            next(crawl)


def test_progress_is_readable_in_other_threads() -> None:
    answer = Answer(held=threading.Event())
    with site(robots=RULES, slow=answer) as here, quick() as client:
        crawl = client.fetch_many([here.at("/slow")])
        seen: list[dict[str, int]] = []
        taking = threading.Thread(target=lambda: seen.extend([crawl.progress() for _ in crawl]))
        taking.start()
        while not here.hits["/slow"]:
            time.sleep(0.001)
        assert crawl.progress()["under_way"] == 1
        answer.held.set()
        taking.join()
        assert crawl.progress() == {
            "queued": 0,
            "waiting": 0,
            "under_way": 0,
            "done": 1,
            "failed": 0,
            "ready": 0,
        }


def test_max_wait_applies_to_each_url() -> None:
    with site(robots=SLOW, a=PAGE) as here, quick() as client:
        results = list(client.fetch_many([here.at("/a")] * 3, max_wait=1))
        assert [fetched.error and fetched.error.outcome for fetched in results] == [
            None,
            "wait_too_long",
            "wait_too_long",
        ]


@pytest.mark.parametrize("name", ["jobs", "max_queued"])
def test_crawl_limit_below_one_is_an_error(name: str) -> None:
    more: dict[str, Any] = {name: 0}
    with quick() as client:
        with pytest.raises(SettingError, match=name):
            client.fetch_many([], **more)
        with pytest.raises(TypeError, match="iterable"):
            client.fetch_many("https://example.com/")
        assert list(client.fetch_many([], max_wait=math.inf)) == []


def test_async_crawl_accepts_iterables_and_async_iterables() -> None:
    async def source(at: str) -> AsyncIterator[str]:
        for number in range(20):
            await asyncio.sleep(0.001)
            yield f"{at}?{number}"

    async def crawl(at: str) -> list[list[int]]:
        async with quick_async() as client:
            plain = [f"{at}?{number}" for number in range(20)]
            from_plain = [fetched.index async for fetched in client.fetch_many(plain, jobs=4)]
            from_source = [fetched.index async for fetched in client.fetch_many(source(at), jobs=4)]
            return [sorted(from_plain), sorted(from_source)]

    with site(robots=RULES) as here:
        assert asyncio.run(crawl(here.at("/a"))) == [list(range(20))] * 2


def test_async_source_is_read_only_while_the_queue_has_room() -> None:
    pulled = 0

    async def endless(at: str) -> AsyncIterator[str]:
        nonlocal pulled
        for number in itertools.count():
            pulled += 1
            yield f"{at}/{number}"

    async def crawl(at: str) -> None:
        async with (
            quick_async() as client,
            client.fetch_many(endless(at), jobs=1, max_queued=10) as results,
        ):
            assert (await results.__anext__()).index == 0
            for _ in range(1_000):
                await asyncio.sleep(0)
            assert pulled <= 10 + 3

    with site(robots=RULES) as here:
        asyncio.run(crawl(here.url))


def test_async_source_error_is_raised_after_the_results() -> None:
    async def broken(at: str) -> AsyncIterator[str]:
        yield at
        raise LookupError("no more")

    async def crawl(at: str) -> list[Fetched]:
        results = []
        async with quick_async() as client:
            with pytest.raises(LookupError):
                async for fetched in client.fetch_many(broken(at)):
                    results.append(fetched)
        return results

    with site(robots=RULES, a=PAGE) as here:
        assert [fetched.get().status for fetched in asyncio.run(crawl(here.at("/a")))] == [200]


def test_closed_crawl_cancels_its_requests() -> None:
    with site(robots=RULES, slow=Answer(delay=20), a=PAGE) as here, quick() as client:
        crawl: Crawl | None = client.fetch_many([here.at("/a"), here.at("/slow")], jobs=2)
        assert crawl is not None and next(crawl).get().status == 200
        while not here.hits["/slow"]:
            time.sleep(0.01)
        del crawl
        assert here.dropped.wait(PATIENCE), "the connection was left open"
