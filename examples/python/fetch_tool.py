"""A tool for the agent of a language model: fetches a page as Markdown, or returns the reason why it must not.

`TOOL` describes the tool in the form of most model APIs, and `run` answers its calls. The site's robots.txt decides, for the
name of the agent. The client connects to public addresses only, also after redirects.

python examples/python/fetch_tool.py '{"url": "https://example.com/"}'
"""

from __future__ import annotations

import json
import sys
from typing import Any

from comity import Client, FetchError, Refused

MAX_CHARACTERS = 20_000

TOOL = {
    "name": "fetch_page",
    "description": "Fetches a web page as Markdown, if its site allows it.",
    "input_schema": {
        "type": "object",
        "properties": {"url": {"type": "string", "description": "An absolute http or https URL."}},
        "required": ["url"],
    },
}


def run(client: Client, arguments: dict[str, Any]) -> dict[str, Any]:
    """Answers a call of the tool. An error is an answer, too: the model can choose another page."""
    try:
        page = client.fetch(str(arguments["url"]), llms="prefer", content_types=["text/*"])
    except Refused as error:
        return {"error": f"not allowed, do not try again: {error}"}
    except FetchError as error:
        return {"error": str(error), "retry_after_seconds": error.retry_after}
    if not page.is_success:
        return {"error": f"{page.url}: status {page.status}"}
    text = page.markdown()
    return {
        "url": page.url,
        "text": text[:MAX_CHARACTERS],
        "is_truncated": len(text) > MAX_CHARACTERS,
        # The site's wishes about the use of the page, such as `noindex` or `noai`. They do not block the fetch.
        "warnings": [warning["message"] for warning in page.warnings],
    }


if __name__ == "__main__":
    with Client("ExampleBot", contact="https://example.com/bot", max_wait=30) as client:
        print(json.dumps(run(client, json.loads(sys.argv[1])), indent=2))
