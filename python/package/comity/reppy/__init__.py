"""A drop-in for reppy 0.4.14, which no longer builds: `from comity.reppy import Robots`.

The submodules are those of the original (`robots`, `cache`, `cache.policy`, `ttl`, `util`, `exceptions`), so
`from reppy.cache import RobotsCache` becomes `from comity.reppy.cache import RobotsCache`. Answers follow RFC 9309. The
argument `dialect` of `Robots.parse`, `Robots.fetch` and the caches selects another dialect.

`Robots.fetch` passes its keyword arguments to the package `requests` (`pip install comity[reppy]`), as in the original.
Parsing and checking need no other package.
"""

import logging

logger: logging.Logger = logging.getLogger("comity.reppy")

from .robots import Agent, AllowAll, AllowNone, Robots  # noqa: E402 -- the submodules log through the logger above

__all__ = ["Agent", "AllowAll", "AllowNone", "Robots", "logger"]
