"""A drop-in for reppy 0.4.14, which no longer builds: `from comity.reppy import Robots`.

    >>> robots = Robots.parse("https://example.com/robots.txt", "User-agent: *\\nDisallow: /search\\n")
    >>> robots.allowed("https://example.com/search", "examplebot")
    False

Answers follow RFC 9309; the class attribute `dialect` of `Robots` gives another (reppy's own is none of them). The modules are
the original's: `robots`, `cache`, `cache.policy`, `ttl`, `util`, `exceptions`. Files are fetched with requests, as the
original fetches them: its arguments are passed through, and hooks and TTL policies are given its responses.
"""

import logging

logger = logging.getLogger("reppy")

from .robots import Agent, AllowAll, AllowNone, Robots  # noqa: E402 - they log

__all__ = ["Agent", "AllowAll", "AllowNone", "Robots", "logger"]
