"""Runs the Python blocks of a guide page as one program, with a fake web instead of the network.

The argument is the page. Every client gets the replies of `WEB`, and so do `requests.get` and the sessions of `requests`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from requests.adapters import HTTPAdapter

import comity.client
from comity._comity import NativeClient
from comity.testing import FakeWeb, Response

FENCE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)

WEB = FakeWeb(
    {
        "https://example.org/robots.txt": "User-agent: *\nAllow: /$\nDisallow: /page\n",
        "https://example.org/1": "<p>one</p>",
        "https://example.com/robots.txt": "User-agent: *\nDisallow: /search\n",
        "https://example.com/guide": Response(
            body="<p>guide</p>", headers={"X-Robots-Tag": "noai, noindex"}
        ),
        "https://example.com/sitemap.xml": (
            '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
            "<url><loc>https://example.com/guide</loc></url></urlset>"
        ),
        "https://example.com/llms.txt": "# Example\n\n## Docs\n\n- [Guide](https://example.com/guide)\n",
    }
)


def connect(client: Any, settings: dict[str, dict[str, object]]) -> NativeClient:
    """Connects a client to the web, in place of `_Shared._connect`."""
    return NativeClient(settings, client._is_async, WEB._native)


def send(adapter: HTTPAdapter, request: Any, **_: Any) -> Any:
    """Answers a request from the web, in place of `HTTPAdapter.send`."""
    return WEB._requests_response(request)


def main(page: Path) -> None:
    """Runs the blocks of a page. An error names the block's line in the page."""
    comity.client._Shared._connect = connect  # type: ignore[method-assign]
    HTTPAdapter.send = send  # type: ignore[method-assign]
    text = page.read_text()
    # Run the blocks in the main module, as in a program: libraries search it for spiders and fixtures.
    namespace = sys.modules["__main__"].__dict__
    for block in FENCE.finditer(text):
        line = text.count("\n", 0, block.start()) + 2
        code = compile("\n" * (line - 1) + block[1], str(page), "exec")
        exec(code, namespace)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
