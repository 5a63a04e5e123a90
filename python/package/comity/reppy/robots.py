"""A robots.txt, and the rules of one crawler in it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

import requests

from comity import Robots as NativeRobots
from comity import UrlError
from comity._checks import Checks, path_of

from . import exceptions
from .ttl import HeaderWithDefaultPolicy, TTLPolicyBase

if TYPE_CHECKING:
    from typing_extensions import Self

    from comity import Rules

__all__ = ["Agent", "AllowAll", "AllowNone", "Robots", "exceptions"]

#: Seconds that `Robots.fetch` waits for the server if it is not given a `timeout`.
TIMEOUT = 30.0

# From requests' exceptions to ours; the first that fits.
_WRAPPED: tuple[tuple[tuple[type[Exception], ...], type[exceptions.ReppyException]], ...] = (
    ((requests.exceptions.SSLError,), exceptions.SSLException),
    ((requests.exceptions.ConnectionError,), exceptions.ConnectionException),
    (
        (
            requests.exceptions.URLRequired,
            requests.exceptions.MissingSchema,
            requests.exceptions.InvalidSchema,
            requests.exceptions.InvalidURL,
        ),
        exceptions.MalformedUrl,
    ),
    ((requests.exceptions.TooManyRedirects,), exceptions.ExcessiveRedirects),
    ((requests.exceptions.ReadTimeout,), exceptions.ReadTimeout),
)


class Agent:
    """The rules of one crawler: those of a file, or a set of its own to add to."""

    #: The dialect of rules that are added by hand.
    dialect: ClassVar[str] = "rfc9309"

    def __init__(self) -> None:
        self._added: list[str] = []
        self._rules: Rules | None = None

    @classmethod
    def from_robots(cls, robots: Robots, name: str | bytes) -> Self:
        """The rules of a file for a crawler."""
        agent = cls()
        agent._rules = robots._checks.rules[name]
        return agent

    def allow(self, path: str | bytes) -> Self:
        """Allows a path."""
        return self._add("Allow", path)

    def disallow(self, path: str | bytes) -> Self:
        """Disallows a path."""
        return self._add("Disallow", path)

    def _add(self, kind: str, path: str | bytes) -> Self:
        text = path.decode("utf-8", "replace") if isinstance(path, bytes) else path
        if any(end in text for end in "\r\n"):
            raise ValueError(f"a rule is one line: {text!r}")
        if self._rules is not None and not self._added:
            self._added = [str(rule) for rule in self._rules]
            if self.delay is not None:
                self._added.append(f"Crawl-delay: {self.delay}")
        self._added.append(f"{kind}: {text}")
        body = "\n".join(["User-agent: *", *self._added])
        self._rules = NativeRobots.parse(body, dialect=self.dialect).rules_for("*")
        return self

    def allowed(self, path: str | bytes) -> bool:
        """Whether a URL or path may be fetched."""
        if self._rules is None:
            return True
        try:
            return self._rules.is_allowed(path)
        except UrlError:
            return self._rules.is_allowed(path_of(path))

    @property
    def delay(self) -> float | None:
        """The seconds to wait between two requests, if the file says so."""
        return None if self._rules is None else self._rules.crawl_delay or None

    def __len__(self) -> int:
        """How many rules there are."""
        return 0 if self._rules is None else len(self._rules)

    def __str__(self) -> str:
        """The rules in the order in which they are tried."""
        rules = ", ".join(f"Directive({rule})" for rule in self._rules or ())
        return f"Crawl-Delay: {self.delay:g} [{rules}]" if self.delay else f"[{rules}]"


class Robots:
    """A robots.txt."""

    DEFAULT_TTL_POLICY: TTLPolicyBase = HeaderWithDefaultPolicy(default=3600, minimum=600)

    #: The dialect that files are read in.
    dialect: ClassVar[str] = "rfc9309"

    def __init__(self, url: str, content: str | bytes, expires: float | None = None) -> None:
        self.url = url
        self._expires = expires
        self._checks = Checks(NativeRobots.parse(content, dialect=self.dialect))

    @classmethod
    def parse(cls, url: str, content: str | bytes, expires: float | None = None) -> Self:
        """Reads a file."""
        return cls(url, content, expires)

    @classmethod
    def fetch(
        cls,
        url: str,
        ttl_policy: TTLPolicyBase | None = None,
        max_size: int = 1048576,
        *args: Any,
        after_response_hook: Callable[[Any], object] | None = None,
        after_parse_hook: Callable[[Any], object] | None = None,
        **kwargs: Any,
    ) -> Robots:
        """Fetches a file; further arguments are those of `requests.get`.

        401 and 403 give an AllowNone, other answers from 400 to 499 an AllowAll. Raises what `exceptions` has for the rest.
        `after_response_hook` is called with the response or with the exception about to be raised.
        """
        kwargs["stream"] = True
        kwargs.setdefault("timeout", TIMEOUT)
        try:
            with closing(requests.get(url, *args, **kwargs)) as response:
                content = response.raw.read(amt=max_size, decode_content=True)
                if response.raw.read(amt=1, decode_content=True):
                    raise exceptions.ContentTooLong(f"{url} is longer than {max_size} bytes")
                if after_response_hook is not None:
                    after_response_hook(response)
                expires = (ttl_policy or cls.DEFAULT_TTL_POLICY).expires(response)
                status = response.status_code
        except requests.exceptions.RequestException as error:
            for kinds, wrapper in _WRAPPED:
                if isinstance(error, kinds):
                    wrapped = wrapper(error)
                    wrapped.url = url
                    if after_response_hook is not None:
                        after_response_hook(wrapped)
                    raise wrapped from error
            raise
        if status == 200:
            robots = cls.parse(url, content, expires)
            if after_parse_hook is not None:
                after_parse_hook(robots)
            return robots
        if status in (401, 403):
            return AllowNone(url, expires)
        if 400 <= status < 500:
            return AllowAll(url, expires)
        raise exceptions.BadStatusCode(f"{url} answers with status {status}", status)

    @classmethod
    def robots_url(cls, url: str | bytes) -> str:
        """Where the robots.txt is that speaks about a URL. Raises ValueError for what is no absolute URL."""
        text = url.decode("utf-8") if isinstance(url, bytes) else url
        parts = urlsplit(text)
        port, host = parts.port, parts.hostname
        if not parts.scheme or not host:
            raise ValueError(f"{text!r} is no absolute URL")
        if ":" in host:
            host = f"[{host}]"
        if port is not None and (parts.scheme, port) not in (("http", 80), ("https", 443)):
            host = f"{host}:{port}"
        return f"{parts.scheme}://{host}/robots.txt"

    def allowed(self, path: str | bytes, name: str | bytes) -> bool:
        """Whether a crawler, a name or a whole `User-Agent` header, may fetch a URL or path."""
        try:
            return self._checks[name](path)
        except UrlError:
            return self._checks[name](path_of(path))

    def agent(self, name: str | bytes) -> Agent:
        """The rules for a crawler; what is added to them does not change the file."""
        return Agent.from_robots(self, name)

    @property
    def robots(self) -> NativeRobots:
        """The native object: decisions, lint, records."""
        return self._checks.robots

    @property
    def sitemaps(self) -> list[str]:
        """The sitemaps that the file names."""
        return self.robots.sitemaps

    @property
    def expires(self) -> float | None:
        """Until when the file counts, in seconds since 1970; None if it was not said."""
        return self._expires

    @property
    def expired(self) -> bool:
        """Whether that time has passed."""
        return self._expires is not None and time.time() > self._expires

    @property
    def ttl(self) -> float:
        """The seconds until then."""
        return float("inf") if self._expires is None else max(self._expires - time.time(), 0)

    def __str__(self) -> str:
        """The crawlers that the file names, with their rules."""
        names = dict.fromkeys(name for group in self.robots.groups for name in group.agents)
        return str({name: str(self.agent(name)) for name in names})


class AllowNone(Robots):
    """Nothing may be fetched."""

    def __init__(self, url: str, expires: float | None = None) -> None:
        super().__init__(url, b"User-agent: *\nDisallow: /", expires)


class AllowAll(Robots):
    """Everything may be fetched."""

    def __init__(self, url: str, expires: float | None = None) -> None:
        super().__init__(url, b"", expires)
