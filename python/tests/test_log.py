"""The client's records in `logging.getLogger("comity")`."""

from __future__ import annotations

import logging
import math
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from sites import Answer, site

from comity import Client, FetchError, Refused
from comity.testing import FakeWeb, Response

LOG = logging.getLogger("comity")
ONE_AT_A_TIME: dict[str, dict[str, object]] = {"pace": {"concurrency": 1}}


class Records(logging.Handler):
    """A handler that queues records."""

    def __init__(self) -> None:
        super().__init__()
        self.queue: queue.Queue[logging.LogRecord] = queue.Queue()

    def emit(self, record: logging.LogRecord) -> None:
        self.queue.put(record)

    def until(self, text: str) -> logging.LogRecord:
        """Waits for a record that contains a text."""
        seen = []
        while True:
            try:
                record = self.queue.get(timeout=60)
            except queue.Empty:
                raise AssertionError(f"no record with {text!r}, only {seen}") from None
            if text in record.getMessage():
                return record
            seen.append(record.getMessage())


@pytest.fixture
def records() -> Iterator[Records]:
    handler, level = Records(), LOG.level
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    yield handler
    LOG.removeHandler(handler)
    LOG.setLevel(level)


def web(robots: str, **replies: Any) -> FakeWeb:
    site = {"https://a.example/" + path: reply for path, reply in replies.items()}
    return FakeWeb({"https://a.example/robots.txt": robots, "https://a.example/": "x"} | site)


def test_refusal_is_logged_with_its_rule_and_line(records: Records) -> None:
    with (
        web("User-agent: *\nDisallow: /private\n").client("ExampleBot") as client,
        pytest.raises(Refused),
    ):
        client.fetch("https://a.example/private")
    record = records.until("not fetched")
    assert record.getMessage() == (
        "https://a.example/private: not fetched: robots.txt:2: Disallow: /private (group *) "
        "(outcome: robots_refused)"
    )
    assert (record.levelno, record.name) == (logging.INFO, "comity")
    assert record.comity["url"] == "https://a.example/private"  # type: ignore[attr-defined]


def test_refused_admission_is_logged(records: Records) -> None:
    with (
        web("User-agent: *\nDisallow: /private\n").client("ExampleBot") as client,
        pytest.raises(Refused),
    ):
        client.admit("https://a.example/private")
    assert "robots.txt:2: Disallow: /private" in records.until("not admitted").getMessage()


def test_long_wait_is_logged_with_its_reason(records: Records) -> None:
    with web("User-agent: *\nCrawl-delay: 20\n").client("ExampleBot") as client:
        client.fetch("https://a.example/")
        client.fetch("https://a.example/")
    message = records.until("waits 20.0 s").getMessage()
    assert message == "https://a.example: waits 20.0 s for its Crawl-delay"


def test_cut_crawl_delay_is_logged(records: Records) -> None:
    with web("User-agent: *\nCrawl-delay: 3600\n").client("ExampleBot") as client:
        client.decide("https://a.example/")
    assert records.until("capped").getMessage() == (
        "https://a.example: Crawl-delay 3600 s, capped at 300 s by pace.max_interval_seconds"
    )


def test_cut_retry_after_is_logged(records: Records) -> None:
    busy = Response(503, headers={"Retry-After": "7200"})
    with web("", busy=busy).client("ExampleBot", retries=0) as client:
        assert client.fetch("https://a.example/busy").status == 503
    assert "Retry-After 7200 s, capped at 300 s" in records.until("capped").getMessage()


def test_retry_is_logged_with_its_reason(records: Records) -> None:
    with web("", busy=[Response(503), "x"]).client("ExampleBot", retries=1) as client:
        assert client.fetch("https://a.example/busy").status == 200
    message = records.until("retries").getMessage()
    assert message.startswith("https://a.example/busy: retries in ")
    assert message.endswith(": the status code was 503")


def test_cut_body_is_logged(records: Records) -> None:
    with web("", long="x" * 100).client("ExampleBot", max_bytes=10) as client:
        assert client.fetch("https://a.example/long").body == b"x" * 10
    assert "only the first 10 bytes" in records.until("the body").getMessage()


def test_open_admission_is_named_by_the_request_that_waits(records: Records) -> None:
    with web("").client("ExampleBot", settings=ONE_AT_A_TIME) as client:
        held = client.admit("https://a.example/first")
        admitted = threading.Event()

        def wait() -> None:
            with client.admit("https://a.example/second", max_wait=math.inf):
                admitted.set()

        waiting = threading.Thread(target=wait)
        waiting.start()
        record = records.until("a request waits")
        held.close()
        waiting.join()
    assert record.levelno == logging.WARNING and admitted.is_set()
    assert "an admission of Client.admit (https://a.example/first) is open" in record.getMessage()


def test_unread_response_is_named_by_the_request_that_waits(records: Records) -> None:
    requests = pytest.importorskip("requests")
    from comity.requests import PoliteAdapter

    keywords: dict[str, Any] = {
        "allow_address": ("127.0.0.0/8",),
        "settings": {"pace": {"concurrency": 1, "min_interval_seconds": 0}},
    }
    with (
        site(robots=Answer(), a=Answer(body=b"x" * 1_000_000), b=Answer()) as here,
        Client("ExampleBot", **keywords) as client,
        requests.Session() as session,
    ):
        session.mount("http://", PoliteAdapter(client))
        unread = session.get(here.at("/a"), stream=True, timeout=30)
        waiting = threading.Thread(target=lambda: client.admit(here.at("/b")).close())
        waiting.start()
        record = records.until("a request waits")
        unread.close()
        waiting.join()
    assert f"a response of requests ({here.at('/a')}) is open" in record.getMessage()


def test_hostile_text_cannot_write_to_the_terminal(records: Records) -> None:
    with (
        web("User-agent: *\nDisallow: /\x1b[31m\u202e\n").client("ExampleBot") as client,
        pytest.raises((FetchError, Refused)),
    ):
        client.fetch("https://a.example/%1B[31m%E2%80%AE")
    assert "\x1b" not in records.until("not fetched").getMessage()


def test_disabled_logger_gets_no_records(records: Records) -> None:
    LOG.setLevel(logging.WARNING)
    with web("User-agent: *\nDisallow: /private\n").client("ExampleBot") as client:
        with pytest.raises(Refused):
            client.fetch("https://a.example/private")
        LOG.setLevel(logging.INFO)
        with pytest.raises(Refused):
            client.fetch("https://a.example/private?again")
    record = records.queue.get(timeout=60)
    assert "https://a.example/private?again" in record.getMessage()


def test_slow_handler_drops_records_and_never_blocks_the_client(records: Records) -> None:
    is_open = threading.Event()
    slow = logging.Handler()
    slow.emit = lambda _: is_open.wait() and None  # type: ignore[method-assign, assignment]
    LOG.addHandler(slow)
    try:
        with web("").client("ExampleBot") as client:
            for _ in range(4200):
                with pytest.raises(Refused):
                    client.fetch("not a URL")
    finally:
        is_open.set()
        LOG.removeHandler(slow)
    assert records.until("were dropped").levelno == logging.WARNING


SCRIPT = """
import logging, os, sys
from comity import Refused
from comity.testing import FakeWeb

def refuse():
    web = FakeWeb({"https://a.example/robots.txt": "User-agent: *\\nDisallow: /\\n"})
    with web.client("ExampleBot") as client:
        try:
            client.fetch("https://a.example/")
        except Refused:
            pass
"""


def run(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT + script], capture_output=True, text=True, check=True
    )
    return done.stderr


def test_info_record_without_logging_setup_is_not_printed() -> None:
    assert run("refuse()") == ""


def test_exit_waits_for_queued_records() -> None:
    stderr = run("logging.basicConfig(level=logging.INFO)\nrefuse()")
    assert stderr.count("not fetched: robots.txt:2: Disallow: /") == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_forked_process_has_its_own_log() -> None:
    stderr = run(
        "logging.basicConfig(level=logging.INFO)\n"
        "refuse()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    refuse()\n"
        "    sys.exit()\n"
        "os.waitpid(child, 0)\n"
    )
    assert stderr.count("not fetched") == 2
