"""The examples for LangChain and LlamaIndex, against a site on the loopback interface."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
from sites import Answer, site

from comity import Client

EXAMPLES = Path(__file__).parents[2] / "examples" / "python"
SETTINGS: dict[str, dict[str, object]] = {"pace": {"min_interval_seconds": 0}}
HTML = {"Content-Type": "text/html; charset=utf-8"}
PAGE = Answer(body=b"<title>T</title><h1>Heron</h1><p>Wades.", headers=HTML)
RULES = Answer(body=b"User-agent: *\nDisallow: /private\n")


def by_langchain(client: Client, urls: list[str]) -> list[tuple[str, dict[str, Any]]]:
    pytest.importorskip("langchain_core", reason="SKIPPED: langchain-core is not installed")
    example = runpy.run_path(str(EXAMPLES / "langchain_loader.py"))
    documents = example["PoliteLoader"](client, urls).load()
    return [(document.page_content, document.metadata) for document in documents]


def by_llama_index(client: Client, urls: list[str]) -> list[tuple[str, dict[str, Any]]]:
    pytest.importorskip("llama_index.core", reason="SKIPPED: llama-index-core is not installed")
    example = runpy.run_path(str(EXAMPLES / "llama_index_reader.py"))
    documents = example["PoliteReader"](client).load_data(urls)
    return [(document.text, document.metadata) for document in documents]


@pytest.mark.parametrize("load", [by_langchain, by_llama_index])
def test_loader_skips_disallowed_and_missing_pages(
    load: Any, caplog: pytest.LogCaptureFixture
) -> None:
    noted = Answer(body=PAGE.body, headers=HTML | {"X-Robots-Tag": "noai"})
    with (
        site(robots=RULES, a=PAGE, b=noted, gone=Answer(404, headers=HTML)) as here,
        Client("ExampleBot", allow_address=("127.0.0.0/8",), settings=SETTINGS) as client,
    ):
        urls = [here.at(path) for path in ("/a", "/private/x", "/b", "/gone")]
        documents = {data["source"]: (text, data) for text, data in load(client, urls)}
    assert set(documents) == {here.at("/a"), here.at("/b")}
    assert documents[here.at("/a")][0].startswith("# Heron")
    assert documents[here.at("/a")][1]["warnings"] == []
    assert documents[here.at("/b")][1]["warnings"] != []
    assert here.hits["/private/x"] == 0
    assert "robots.txt:2: Disallow: /private" in caplog.text
    assert "status 404" in caplog.text
