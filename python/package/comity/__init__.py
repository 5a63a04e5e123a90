"""Crawling rules: the URLs that a program may fetch, the pace, the permitted uses of the content, and the reasons.

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

# <!-- version -->
__version__ = "0.1.0"
# <!-- end of version -->

from . import _command

# `comity-command` contains a compiled module with more functions. If its version matches, its module is loaded instead of the
# one in this folder.
__path__[:0] = _command.folders(__version__)

from ._comity import (  # noqa: E402 - found in the folders above
    Agent,
    Decision,
    Policy,
    Robots,
    Rules,
    dialects,
    is_allowed,
    presets,
)

# Type checkers treat this variable as `typing.TYPE_CHECKING`. Importing `typing` would take longer than all other imports.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import (
        agents,
        client,
        errors,
        findings,
        identity,
        llms,
        page,
        policy,
        sitemap,
        testing,
        usage,
    )
    from .client import AsyncClient, Client, Page
    from .errors import (
        AuditError,
        BatchError,
        ComityError,
        ComityWarning,
        ConnectionFailed,
        FetchError,
        ForkError,
        MissingExtraError,
        ReadError,
        Refused,
        SettingError,
        SignError,
        StatusError,
        StoreError,
        TimedOut,
        TokenError,
        UnknownNameError,
        UrlError,
    )
    from .findings import Finding, Place
    from .robots import Contender, Explanation, RequestRate, Rule, VisitTime

__all__ = [
    "Agent",
    "AsyncClient",
    "AuditError",
    "BatchError",
    "Client",
    "ComityError",
    "ComityWarning",
    "ConnectionFailed",
    "Contender",
    "Decision",
    "Explanation",
    "FetchError",
    "Finding",
    "ForkError",
    "MissingExtraError",
    "Page",
    "Place",
    "Policy",
    "ReadError",
    "Refused",
    "RequestRate",
    "Robots",
    "Rule",
    "Rules",
    "SettingError",
    "SignError",
    "StatusError",
    "StoreError",
    "TimedOut",
    "TokenError",
    "UnknownNameError",
    "UrlError",
    "VisitTime",
    "__version__",
    "agents",
    "client",
    "dialects",
    "errors",
    "findings",
    "identity",
    "is_allowed",
    "llms",
    "page",
    "policy",
    "presets",
    "sitemap",
    "testing",
    "usage",
]

_SUBMODULES = (
    "agents",
    "client",
    "decisions",
    "errors",
    "findings",
    "identity",
    "llms",
    "page",
    "policy",
    "robots",
    "sitemap",
    "testing",
    "usage",
)


def __getattr__(name: str) -> object:
    # Submodules are imported on first use, so that a program that only reads robots.txt starts quickly.
    from importlib import import_module

    if name in _SUBMODULES:
        return import_module(f".{name}", __name__)
    if name in __all__:
        for home in ("errors", "findings", "robots", "client"):
            module = import_module(f".{home}", __name__)
            if name in module.__all__:
                value: object = getattr(module, name)
                globals()[name] = value
                return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBMODULES})
