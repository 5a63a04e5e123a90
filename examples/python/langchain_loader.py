"""A document loader for LangChain. Comity's client applies robots.txt, pace and guard to each page and each redirect.

Needs `langchain-core`. The loader logs and skips pages that must not or cannot be fetched. It converts the other pages to
Markdown. Their metadata are the URL and the restrictions that the site requests.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

from comity import Client

logger = logging.getLogger(__name__)


class PoliteLoader(BaseLoader):
    """Loads pages by their URLs, in the order in which their fetches complete."""

    def __init__(self, client: Client, urls: Iterable[str]) -> None:
        self._client = client
        self._urls = urls

    def lazy_load(self) -> Iterator[Document]:
        """Yields one document for each fetched page."""
        for fetched in self._client.fetch_many(self._urls, content_types=["text/*"]):
            if fetched.page is None:
                logger.warning("skipped: %s", fetched.error)
                continue
            page = fetched.page
            if not page.is_success:
                logger.warning("skipped: %s: status %s", page.url, page.status)
                continue
            restrictions = sorted({warning["name"] for warning in page.warnings})
            metadata = {"source": page.url, "warnings": restrictions}
            yield Document(page_content=page.markdown(), metadata=metadata)


if __name__ == "__main__":
    import sys

    with Client("ExampleBot", contact="https://example.com/bot") as polite:
        for document in PoliteLoader(polite, sys.argv[1:]).lazy_load():
            print(document.metadata, len(document.page_content))
