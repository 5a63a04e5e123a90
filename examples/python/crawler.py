"""A polite crawler: follows the links of one site to depth 2, writes a record of each fetch, and prints a report.

python examples/python/crawler.py https://example.com/ > records.jsonl
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from urllib.parse import urlsplit

from comity import Client

MAX_DEPTH = 2
MAX_PAGES = 10_000


def crawl(client: Client, start: str, write: Callable[[str], object]) -> Counter[str]:
    """Crawls the site of a URL. Returns the number of URLs by result."""
    site = urlsplit(start)[:2]
    known, level, results = {start}, [start], Counter[str]()
    for depth in range(MAX_DEPTH + 1):
        links = []
        for fetched in client.fetch_many(level):
            record = fetched.record
            write(json.dumps(record) + "\n")
            results[f"status {record['status']}" if record["status"] else record["outcome"]] += 1
            if depth == MAX_DEPTH or fetched.page is None:
                continue
            for url in fetched.page.links():
                if urlsplit(url)[:2] == site and url not in known and len(known) < MAX_PAGES:
                    known.add(url)
                    links.append(url)
        level = links
    return results


if __name__ == "__main__":
    with Client("ExampleBot", contact="https://example.com/bot") as client:
        for result, urls in crawl(client, sys.argv[1], sys.stdout.write).most_common():
            print(f"{result}: {urls}", file=sys.stderr)
