"""The Python blocks of four pages of the guide run as shown: each page is one program, from top to bottom."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from comity import Agent, Client, Policy, Refused, Robots
from comity.testing import FakeWeb

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
PROGRAM = Path(__file__).parent / "guide_program.py"


def run(page: str, folder: Path) -> str:
    """Runs a page in a folder, and returns its output."""
    done = subprocess.run(
        [sys.executable, PROGRAM, GUIDE / page],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ
        | {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_python_page_runs_from_top_to_bottom(tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pages = pa.table({"url": ["https://a.example/", "https://a.example/private"]})
    parquet.write_table(pages, tmp_path / "pages.parquet")
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /private\n"
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/robots.txt\r\n"
        "WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    (tmp_path / "robotstxt-1.warc").write_bytes(head.encode() + body + b"\r\n\r\n")
    import gzip

    with gzip.open(tmp_path / "robotstxt-1.warc.gz", "wb") as file:
        file.write((tmp_path / "robotstxt-1.warc").read_bytes())
    output = run("python.md", tmp_path)
    assert "GPTBot now" in output and "1 1 0" in output


def test_client_page_runs_from_top_to_bottom(tmp_path: Path) -> None:
    pytest.importorskip("requests"), pytest.importorskip("httpx"), pytest.importorskip("aiohttp")
    output = run("python-client.md", tmp_path)
    refusal = "https://example.org/page: robots.txt:3: Disallow: /page (group *)"
    assert refusal in output
    assert refusal in (GUIDE / "python-client.md").read_text()
    assert "1 https://example.org/1 200" in output


def test_testing_page_runs_from_top_to_bottom(tmp_path: Path) -> None:
    for name in ("requests", "httpx", "aiohttp", "responses", "scrapy"):
        pytest.importorskip(name)
    run("python-testing.md", tmp_path)


def test_arrow_page_runs_from_top_to_bottom(tmp_path: Path) -> None:
    for name in ("pyarrow", "polars", "duckdb", "pyspark", "ray", "pandas"):
        pytest.importorskip(name)
    if not os.environ.get("JAVA_HOME") and not shutil.which("java"):
        pytest.skip("SKIPPED: there is no Java, so Spark is not run")
    run("arrow.md", tmp_path)


def expressions(page: str) -> list[str]:
    """Returns the calls and attributes in the last column of the tables of a page."""
    cells = [line.rsplit("|", 2)[1] for line in page.splitlines() if line.startswith("| ")]
    found = []
    for code in (code for cell in cells for code in re.findall("`([^`]+)`", cell)):
        try:
            tree = ast.parse(code.replace("(...)", "()"), mode="eval").body
        except SyntaxError:
            continue
        if isinstance(tree, (ast.Call, ast.Attribute)):
            found.append(code)
    return found


def test_expressions_of_the_migration_page_evaluate() -> None:
    web = FakeWeb({"https://a.example/robots.txt": "User-agent: *\nCrawl-delay: 2\n"})
    with web.client("ExampleBot") as client:
        url, text, agent = "https://a.example/", "User-agent: *\nCrawl-delay: 2\n", "ExampleBot"

        def connected(token: str = "ExampleBot", **keywords: object) -> Client:
            return web.client(token, **keywords)  # type: ignore[arg-type]

        connected.decide = client.decide  # type: ignore[attr-defined]
        policy = Policy(agent)
        policy.update(200, text)
        names = {
            "client": client, "Client": connected, "Robots": Robots, "Agent": Agent, "url": url,
            "text": text, "agent": agent, "robots": Robots.parse(text), "body": text,
            "decision": policy.decide(url), "comity": __import__("comity"),
        }  # fmt: skip
        page = (GUIDE / "migration.md").read_text()
        # The expressions of this section are JavaScript.
        page = re.sub(r"(?ms)^## robots-parser\n.*?(?=^## )", "", page)
        found = expressions(page)
        settings = ("robots.", "pace.", "fetch.", "network.")
        evaluated = [code for code in found if not (code.startswith(settings) and "(" not in code)]
        for code in evaluated:
            eval(code.replace("(..., ", "(").replace("(...)", "()"), names)
    assert len(evaluated) >= 10 and Refused
