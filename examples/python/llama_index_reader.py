"""A reader for LlamaIndex. Comity's client applies robots.txt, pace and guard to each page and each redirect.

Needs `llama-index-core`. The reader logs and skips pages that must not or cannot be fetched. It converts the other pages to
Markdown, with the URL and the restrictions that the site requests as metadata.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import Any

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from comity import Client

logger = logging.getLogger(__name__)


class PoliteReader(BaseReader):
    """Reads pages by their URLs, in the order in which their fetches complete."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def lazy_load_data(self, urls: Iterable[str], **_: Any) -> Iterator[Document]:
        """Yields one document for each fetched page."""
        for fetched in self._client.fetch_many(urls, content_types=["text/*"]):
            if fetched.page is None:
                logger.warning("skipped: %s", fetched.error)
                continue
            page = fetched.page
            if not page.is_success:
                logger.warning("skipped: %s: status %s", page.url, page.status)
                continue
            restrictions = sorted({warning["name"] for warning in page.warnings})
            metadata = {"source": page.url, "warnings": restrictions}
            yield Document(text=page.markdown(), metadata=metadata)


if __name__ == "__main__":
    import sys

    with Client("ExampleBot", contact="https://example.com/bot") as polite:
        for document in PoliteReader(polite).lazy_load_data(sys.argv[1:]):
            print(document.metadata, len(document.text))
