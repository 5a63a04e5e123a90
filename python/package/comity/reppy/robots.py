"""A robots.txt, and its rules for one agent."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

import comity
from comity import UrlError
from comity._checks import LARGE_DELAY, AgentName, Checks, path_of, seconds_of
from comity._names import Dialect
from comity._responses import is_encoded, is_finished
from comity._urls import UrlLike, url_of
from comity.dropins import dialect_of

from . import exceptions, logger
from .ttl import HeaderWithDefaultPolicy, TTLPolicyBase

try:
    import requests
except ImportError:
    requests = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Agent", "AllowAll", "AllowNone", "Robots", "exceptions", "logger"]

#: Default of the argument `timeout` of `Robots.fetch`, in seconds.
TIMEOUT = 30.0

#: The default ports by scheme.
_DEFAULT_PORTS = {"http": 80, "https": 443}


class Agent:
    """The rules for one agent, from a robots.txt or from calls such as `Agent().disallow("/private")`."""

    def __init__(self) -> None:
        self._rules: list[tuple[str, str]] = []
        self._dialect = dialect_of(None, None, "rfc9309")
        self._delay: float | None = None
        self._check: Callable[[UrlLike], bool] | None = None

    @classmethod
    def from_robots(cls, robots: Robots, name: str | bytes) -> Self:
        """Copies the rules of a file for an agent. `name` is its name or a whole `User-Agent` header."""
        rules = robots._checks.rules[name]
        agent = cls()
        agent._rules = [
            (rule.kind.capitalize(), rule.pattern)
            for rule in sorted(rules, key=lambda rule: rule.line)
        ]
        agent._dialect = rules.dialect
        agent._delay = delay = rules.crawl_delay
        if delay is not None and delay >= LARGE_DELAY and rules.dialect == "rfc9309":
            agent._delay = max(robots._checks.numbers(name, "crawl-delay", _delay), default=delay)
        agent._check = rules.is_allowed
        return agent

    @property
    def delay(self) -> float | None:
        """The seconds to wait between two requests; None without a delay."""
        return self._delay or None

    def allow(self, path: str | bytes) -> Self:
        """Adds a rule that allows a path pattern, and returns this object."""
        return self._add("Allow", path)

    def disallow(self, path: str | bytes) -> Self:
        """Adds a rule that disallows a path pattern, and returns this object."""
        return self._add("Disallow", path)

    def _add(self, kind: str, path: str | bytes) -> Self:
        if not isinstance(path, (str, bytes)):
            raise TypeError(f"pass a path pattern, str or bytes, not {type(path).__name__}")
        text = path.decode("utf-8", "surrogateescape") if isinstance(path, bytes) else path
        self._rules.append((kind, text))
        self._check = None
        return self

    def allowed(self, path: UrlLike) -> bool:
        """Returns True if the agent may fetch a URL or path."""
        check = self._check or self._compile()
        try:
            return check(path)
        except UrlError:
            return check(path_of(path))

    def _compile(self) -> Callable[[UrlLike], bool]:
        """Compiles the rules from a generated file. Percent-encodes characters that would end a line or begin a comment."""
        lines = ["User-agent: *"]
        for kind, path in self._rules:
            path = path.replace("#", "%23").replace("\r", "%0D").replace("\n", "%0A")
            lines.append(f"{kind}: {path}")
        self._check = (
            comity.Robots.parse("\n".join(lines), dialect=self._dialect).rules_for("*").is_allowed
        )
        return self._check

    def __len__(self) -> int:
        return len(self._rules)

    def __str__(self) -> str:
        delay = f"Crawl-Delay: {self._delay:g} " if self._delay else ""
        return (
            delay
            + "["
            + ", ".join(f"Directive({kind}: {path})" for kind, path in self._rules)
            + "]"
        )

    def __getstate__(self) -> dict[str, Any]:
        # Native rules cannot be pickled. The copy compiles them again from their text.
        return {**self.__dict__, "_check": None}


class Robots:
    """A robots.txt, and the time at which it expires."""

    #: Default TTL policy: the TTL from the header, but at least ten minutes; one hour if the header has no TTL.
    DEFAULT_TTL_POLICY: ClassVar[TTLPolicyBase] = HeaderWithDefaultPolicy(default=3600, minimum=600)
    #: The default dialect of this class. None means the dialect of `use_dialect`, else `rfc9309`.
    dialect: ClassVar[Dialect | None] = None

    def __init__(
        self,
        url: UrlLike,
        content: str | bytes,
        expires: float | None = None,
        *,
        dialect: Dialect | None = None,
    ) -> None:
        self.url: str = url_of(url)
        self.expires = expires
        self._checks = Checks(
            comity.Robots.parse(content, dialect=dialect_of(dialect, self.dialect, "rfc9309"))
        )

    @classmethod
    def parse(
        cls,
        url: UrlLike,
        content: str | bytes,
        expires: float | None = None,
        *,
        dialect: Dialect | None = None,
    ) -> Self:
        """Parses a file. `url` is the URL from which it was fetched."""
        return cls(url, content, expires, dialect=dialect)

    @classmethod
    def fetch(
        cls,
        url: UrlLike,
        ttl_policy: TTLPolicyBase | None = None,
        max_size: int = 1048576,
        *args: Any,
        after_response_hook: Callable[[Any], object] | None = None,
        after_parse_hook: Callable[[Robots], object] | None = None,
        dialect: Dialect | None = None,
        **kwargs: Any,
    ) -> Robots:
        """Fetches a file. Further arguments are passed to `requests.get`.

        Returns `AllowNone` for the statuses 401 and 403, and `AllowAll` for other statuses from 400 to 499. Raises the
        exceptions of `comity.reppy.exceptions`: `BadStatusCode` for all other statuses except 200, `ContentTooLong` for more
        than `max_size` octets. `after_response_hook` is called with the response, or with the exception if there was no
        response, but not after `ContentTooLong`. `after_parse_hook` is called with a file that was parsed.
        """
        url = url_of(url)
        try:
            response, content = _get(url, max_size, *args, **kwargs)
        except exceptions.ContentTooLong:
            raise
        except exceptions.ReppyException as error:
            error.url = url
            if after_response_hook is not None:
                after_response_hook(error)
            raise
        if after_response_hook is not None:
            after_response_hook(response)
        expires = (ttl_policy or cls.DEFAULT_TTL_POLICY).expires(response)
        status: int = response.status_code
        if status == 200:
            robots = cls.parse(url, content, expires, dialect=dialect)
            if after_parse_hook is not None:
                after_parse_hook(robots)
            return robots
        if status in (401, 403):
            return AllowNone(url, expires)
        if 400 <= status < 500:
            return AllowAll(url, expires)
        raise exceptions.BadStatusCode(f"Got {status} for {url}", status)

    @classmethod
    def robots_url(cls, url: UrlLike) -> str:
        """Returns the URL of the robots.txt that applies to a URL. Raises ValueError if the URL's port is not a number."""
        parts = urlsplit(url_of(url))
        host = parts.hostname or ""
        if ":" in host:
            host = f"[{host}]"
        if parts.port is not None and parts.port != _DEFAULT_PORTS.get(parts.scheme):
            host = f"{host}:{parts.port}"
        return f"{parts.scheme}://{host}/robots.txt"

    @property
    def robots(self) -> comity.Robots:
        """The file as `comity.Robots`, which has features that reppy lacks: decisions, lint, records."""
        return self._checks.robots

    @property
    def sitemaps(self) -> list[str]:
        """The sitemaps that the file names."""
        return self.robots.sitemaps

    def allowed(self, path: UrlLike, name: AgentName) -> bool:
        """Returns True if an agent may fetch a URL or path. `name` is its name or a whole `User-Agent` header."""
        try:
            return self._checks[name](path)
        except UrlError:
            return self._checks[name](path_of(path))

    def agent(self, name: str | bytes) -> Agent:
        """Returns the rules that the file has for an agent."""
        return Agent.from_robots(self, name)

    @property
    def expired(self) -> bool:
        """True if the file has expired. A file without a time of expiration never expires."""
        # A policy may return NaN, and comparisons with it are false.
        return self.expires is not None and not time.time() <= self.expires

    @property
    def ttl(self) -> float:
        """The number of seconds until the file expires."""
        return float("inf") if self.expires is None else max(0, self.expires - time.time())

    def __str__(self) -> str:
        names = dict.fromkeys(name for group in self.robots.groups for name in group.agents)
        return "{" + ", ".join(f'"{name}": {self.agent(name)}' for name in names) + "}"


class AllowNone(Robots):
    """A robots.txt that allows only itself."""

    def __init__(self, url: UrlLike, expires: float | None = None) -> None:
        super().__init__(url, b"User-agent: *\nDisallow: /", expires)


class AllowAll(Robots):
    """A robots.txt that allows everything."""

    def __init__(self, url: UrlLike, expires: float | None = None) -> None:
        super().__init__(url, b"", expires)


def _delay(value: str) -> float | None:
    """Parses a decimal delay, optionally with a fraction and an exponent. Returns None or raises ValueError for other text."""
    return seconds_of(value) if set(value) <= set("0123456789.+-eE") else None


def _get(url: str, max_size: int, *args: Any, **kwargs: Any) -> tuple[Any, bytes]:
    """Returns a response and its decompressed content."""
    if requests is None:
        raise ImportError(
            "Robots.fetch needs the package `requests`: run `pip install comity[reppy]`, or fetch the file otherwise and "
            "use Robots.parse"
        )
    # Requests raises its own exceptions and, while the body is read, those of urllib3.
    from urllib3.exceptions import HTTPError, ReadTimeoutError

    errors = requests.exceptions
    kwargs.setdefault("timeout", TIMEOUT)
    kwargs["stream"] = True
    try:
        with closing(requests.get(url, *args, **kwargs)) as response:
            return response, _content(response, max_size)
    except errors.SSLError as error:
        raise exceptions.SSLException(error) from error
    except (
        errors.URLRequired,
        errors.MissingSchema,
        errors.InvalidSchema,
        errors.InvalidURL,
    ) as error:
        raise exceptions.MalformedUrl(error) from error
    except errors.TooManyRedirects as error:
        raise exceptions.ExcessiveRedirects(error) from error
    except (errors.ReadTimeout, ReadTimeoutError) as error:
        raise exceptions.ReadTimeout(error) from error
    except (errors.RequestException, HTTPError) as error:
        raise exceptions.ConnectionException(error) from error


def _content(response: Any, max_size: int) -> bytes:
    """Reads the content. Reads up to one octet more than the limit, to detect a body that is too long."""
    content = bytearray()
    while len(content) <= max_size:
        chunk = response.raw.read(max_size + 1 - len(content), decode_content=True)
        if not chunk:
            is_cut = response.raw.tell() and not is_finished(response.raw._decoder)
            if is_cut or is_encoded(bytes(content), response.headers.items()):
                raise exceptions.ConnectionException("The compressed body cannot be decoded")
            return bytes(content)
        content += chunk
    raise exceptions.ContentTooLong(f"Content larger than {max_size} bytes")
