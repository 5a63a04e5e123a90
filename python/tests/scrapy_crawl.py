"""A crawl with Scrapy in a process of its own, because a reactor of Twisted runs only once."""

import os
from multiprocessing.connection import Connection
from typing import Any

import scrapy
from scrapy.core.downloader import Slot
from scrapy.crawler import CrawlerProcess


def run(urls: list[str], settings: dict[str, Any], results: Connection, errors: str) -> None:
    """Requests URLs and sends the fields of ``Crawled`` in ``test_scrapy.py``. ``errors`` names a file for standard error."""
    os.dup2(os.open(errors, os.O_WRONLY), 2)
    seen: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    turns: dict[str, list[float]] = {}
    member = Slot.lastseen

    class Turns:
        """Records the times of requests by slot. The downloader sets ``lastseen`` right before it sends a request."""

        def __get__(self, slot: Any, owner: Any) -> Any:
            return member.__get__(slot, owner)

        def __set__(self, slot: Any, at: float) -> None:
            member.__set__(slot, at)
            slots = {} if crawler.engine is None else crawler.engine.downloader.slots
            for key in (key for key, other in slots.items() if other is slot):
                turns.setdefault(key, []).append(at)

    Slot.lastseen = Turns()

    class Spider(scrapy.Spider):
        name = "test"

        async def start(self) -> Any:
            for url in urls:
                yield scrapy.Request(url, callback=self.parse, errback=self.failed)

        def parse(self, response: Any) -> None:
            decision, page = response.meta.get("comity_decision"), response.meta.get("comity_page")
            seen[response.url] = {
                "verdict": None if decision is None else decision.verdict,
                "line": None if decision is None else decision.line,
                "recommendation": decision and decision.recommendation,
                "answer": decision and decision.evidence and decision.evidence.answer,
                "warnings": page and [warning.warning for warning in page.warnings],
            }

        def failed(self, failure: Any) -> None:
            seen[failure.request.url] = failure.type.__name__
            reasons[failure.request.url] = failure.getErrorMessage()

    process = CrawlerProcess(settings)
    crawler = process.create_crawler(Spider)
    process.crawl(crawler)
    process.start()
    values = crawler.stats.get_stats().items()
    stats = {key: value for key, value in values if isinstance(value, int | float | str)}
    results.send((seen, stats, reasons, turns))
