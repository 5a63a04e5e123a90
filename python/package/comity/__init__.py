"""What a program may fetch from the web, how fast, and what it may do with what it gets, and why.

>>> from comity import Robots
>>> robots = Robots.parse("User-agent: *\\nDisallow: /search\\nAllow: /search/about\\nCrawl-delay: 2\\n")
>>> robots.is_allowed("examplebot", "https://example.com/search?q=1")
False
>>> print(robots.explain("examplebot", "https://example.com/search/about"))
https://example.com/search/about: allowed_explicit (group *)
  line 3: Allow: /search/about  -- decides
  line 2: Disallow: /search  -- a longer pattern wins
>>> robots.crawl_delay("examplebot")
2.0

An agent is a product token (``"GPTBot"``), or an :class:`Agent`; a URL is ``str`` or ``bytes``, absolute or a path.
"""

from . import agents, errors, llms, page, policy, sitemap, usage
from ._comity import (
    Agent,
    Decision,
    Policy,
    Robots,
    Rules,
    __version__,
    dialects,
    is_allowed,
    presets,
)
from .errors import ComityError, ReadError, UnknownNameError, UrlError
from .robots import Contender, Explanation, RequestRate, Rule, VisitTime

__all__ = [
    "Agent",
    "ComityError",
    "Contender",
    "Decision",
    "Explanation",
    "Policy",
    "ReadError",
    "RequestRate",
    "Robots",
    "Rule",
    "Rules",
    "UnknownNameError",
    "UrlError",
    "VisitTime",
    "__version__",
    "agents",
    "dialects",
    "errors",
    "is_allowed",
    "llms",
    "page",
    "policy",
    "presets",
    "sitemap",
    "usage",
]
