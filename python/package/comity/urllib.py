"""A drop-in for `urllib.robotparser`: `from comity.urllib import RobotFileParser`.

The drop-in returns the answers of the running interpreter's `urllib.robotparser`. That module was rewritten in 2026; the drop-in
detects its version with a test file. The dialect `urllib` is the module before the rewrite, and `urllib-2026` the module since
the rewrite. The dialect `rfc9309` selects the answers of RFC 9309 in every version of Python. Set it for one parser with the
argument `dialect`, or for the whole program with `comity.dropins.use_dialect`:

    >>> parser = RobotFileParser(dialect="rfc9309")
    >>> parser.parse(["User-agent: *", "Disallow: /", "Allow: /public"])
    >>> parser.can_fetch("examplebot", "https://example.com/public")
    True
    >>> parser = RobotFileParser(dialect="urllib")           # there, the first matching rule decides
    >>> parser.parse(["User-agent: *", "Disallow: /", "Allow: /public"])
    >>> parser.can_fetch("examplebot", "https://example.com/public")
    False

The classes of `comity.exclusion` can also be imported from here, because one of them has the interface of `urllib.robotparser`.
"""

from __future__ import annotations

import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote, unquote, urlparse, urlsplit, urlunparse
from urllib.robotparser import RequestRate
from urllib.robotparser import RobotFileParser as _Original

from comity import Robots, UrlError
from comity._checks import (
    LARGE_DELAY,
    LARGEST_IN_RATE,
    Checks,
    lines_of,
    names_by_group,
    path_of,
    with_scheme,
)
from comity._names import Dialect
from comity._responses import decompressed, read_whole
from comity._urls import UrlLike, url_of
from comity.dropins import dialect_of
from comity.exclusion import GYM2008, MK1996, RobotExclusionRulesParser, RobotFileParserLookalike

if TYPE_CHECKING:
    from comity.robots import Group, Record

__all__ = [
    "GYM2008",
    "MK1996",
    "Entry",
    "RequestRate",
    "RobotExclusionRulesParser",
    "RobotFileParser",
    "RobotFileParserLookalike",
    "RuleLine",
]

#: The surrogates that represent bytes in text decoded with `surrogateescape`.
_ESCAPED = re.compile("[\udc80-\udcff]")
_LINE_END = re.compile(r"\r\n|\r|\n")


class RuleLine:
    """A rule: a path pattern, and `allowance`, which is True for an `Allow` rule."""

    def __init__(self, path: str, allowance: bool) -> None:
        self.path = path
        self.allowance = allowance

    def __str__(self) -> str:
        return f"{'Allow' if self.allowance else 'Disallow'}: {self.path}"


class Entry:
    """A group in `RobotFileParser.entries`.

    In the dialects `urllib` and `urllib-2026`, paths are percent-decoded and encoded again, as in the standard library. In
    `urllib`, names are percent-decoded. In other dialects, names and paths are unchanged.
    """

    def __init__(self, group: Group, useragents: list[str], rulelines: list[RuleLine]) -> None:
        self.useragents = useragents
        self.rulelines = rulelines
        self.delay: float | None = None
        self.req_rate: RequestRate | None = None
        for record in group.records:
            if record.kind == "crawl-delay":
                self.delay = _delay(record.value, self.delay)
            elif record.kind == "request-rate":
                self.req_rate = _rate(record.value, self.req_rate)

    def __str__(self) -> str:
        lines = [f"User-agent: {agent}" for agent in self.useragents]
        if self.delay is not None:
            lines.append(f"Crawl-delay: {self.delay}")
        if self.req_rate is not None:
            lines.append(f"Request-rate: {self.req_rate.requests}/{self.req_rate.seconds}")
        return "\n".join([*lines, *map(str, self.rulelines)])


class _NewEntry(Entry):
    """A group whose text form is that of the module since its rewrite."""

    def __str__(self) -> str:
        if not self.useragents:
            return ""
        return super().__str__() + ("" if self.rulelines else "\nAllow:")


class RobotFileParser:
    """A robots.txt with the interface of `urllib.robotparser.RobotFileParser`.

    Unlike in the standard library, `entries`, `default_entry` and `sitemaps` are read-only, and `read` has the limits `timeout`
    and `max_bytes`. In the standard library's dialects, `parse` and `read` append to the earlier content, as the standard
    library does. In other dialects they replace the earlier content.
    """

    #: The default dialect of this class. None means the dialect of `use_dialect`, else that of the interpreter's module.
    dialect: Dialect | None = None
    #: Maximum time in seconds of each wait for the server in `read`.
    timeout: ClassVar[float] = 30.0
    #: Maximum number of bytes of a response that `read` reads.
    max_bytes: ClassVar[int] = 1024 * 1024

    def __init__(
        self, url: UrlLike | urllib.request.Request = "", *, dialect: Dialect | None = None
    ) -> None:
        self.dialect = self._dialect = dialect_of(dialect, type(self).dialect, original_dialect())
        self._read_before: list[str] = []
        self.disallow_all: bool = False
        self.allow_all: bool = False
        self.last_checked: float = 0
        self._checks = Checks(Robots.parse(b"", dialect=self._dialect))
        self.set_url(url)

    def mtime(self) -> float:
        """Returns the time when the file was last read, in seconds since 1970; 0 before the first read."""
        return self.last_checked

    def modified(self) -> None:
        """Sets the time of the last read to the current time."""
        self.last_checked = time.time()

    def set_url(self, url: UrlLike | urllib.request.Request) -> None:
        """Sets the location of the file: a URL, or a `urllib.request.Request` for one."""
        self.url: str | urllib.request.Request = (
            url if isinstance(url, urllib.request.Request) else url_of(url)
        )
        parts = urlsplit(self.url if isinstance(self.url, str) else self.url.full_url)
        self.host: str = parts.netloc
        self.path: str = parts.path

    def read(self) -> None:
        """Fetches the file and parses it.

        The statuses 401 and 403 disallow everything, and other statuses from 400 to 499 allow everything. Statuses from 500 to
        599 disallow everything (RFC 9309 §2.3.1.4). In the dialect `urllib`, these statuses do not change the earlier content,
        as in the standard library before its rewrite. In the standard library's dialects, the effect of an error status
        remains, even if a file is read later; a status that disallows everything overrides all others. In other dialects, the
        latest response applies, and a body that cannot be decompressed disallows everything. Raises `urllib.error.URLError` if
        the server does not respond, and `http.client.IncompleteRead` if the body is shorter than its `Content-Length`.
        """
        try:
            with urllib.request.urlopen(self.url, timeout=self.timeout) as answer:
                body = read_whole(answer, self.max_bytes)
                fields = answer.headers.items()
        except urllib.error.HTTPError as error:
            error.close()
            if not self._is_original:
                self.disallow_all = self.allow_all = False
            if error.code in (401, 403) or (error.code >= 500 and self._dialect != "urllib"):
                self.disallow_all = True
            elif 400 <= error.code < 500:
                self.allow_all = True
            return
        if not self._is_original:
            body, failure = decompressed(body, fields)
            self.disallow_all, self.allow_all = failure is not None, False
            if failure is not None:
                return
        if len(body) == self.max_bytes:
            # The last line may be incomplete. A file with only one line is not made an empty one.
            body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1] or body
        # `surrogateescape` preserves bytes that are not UTF-8: the parser restores them.
        self.parse(_LINE_END.split(body.decode("utf-8", "surrogateescape")))

    @property
    def _is_original(self) -> bool:
        return self._dialect in _ORIGINALS

    def parse(self, lines: Iterable[str]) -> None:
        """Parses a file, given as a sequence of lines with or without line ends."""
        lines = _LINE_END.split(lines) if isinstance(lines, str) else lines_of(lines)
        if self._is_original:
            # In the standard library, an empty line ends a group. A line of white space, such as "\n" from `readlines()`, does not.
            lines = (line if line.strip() or not line else "#" for line in lines)
        given = [line.rstrip("\r\n") for line in lines]
        if self._dialect == "urllib-2026":
            # The last group ends at the end of the file. Since the rewrite, a blank line does not end a group, but an empty
            # `Crawl-delay` does.
            self._read_before = given = [
                *self._read_before,
                *_from_first_group(given),
                "Crawl-delay:",
            ]
        elif self._is_original:
            # The last group ends at the end of the file. An empty line represents this end.
            self._read_before = given = [*self._read_before, *given, ""]
        body = "\n".join(given)
        # Since the rewrite, bytes that are not UTF-8 are matched unchanged. Decoding with a charset would replace them.
        charset = None if self._dialect == "urllib-2026" else "utf-8"
        self._checks = Checks(Robots.parse(body, dialect=self._dialect, charset=charset))
        self.modified()

    @property
    def robots(self) -> Robots:
        """The file as `comity.Robots`, which has features that this interface lacks: decisions, lint, records."""
        return self._checks.robots

    def can_fetch(self, useragent: str | None, url: UrlLike) -> bool:
        """Returns True if a crawler may fetch a URL. `useragent` is its name or a whole `User-Agent` header.

        Returns False before the first read.
        """
        if self.disallow_all:
            return False
        if self.allow_all:
            return True
        if not self.last_checked:
            return False
        agent = "*" if useragent is None else useragent
        url = with_scheme(url)
        if self._dialect == "urllib-2026" and isinstance(url, str) and not url.isascii():
            # Since the rewrite, bytes that are not UTF-8 are also matched unchanged in URLs.
            url = _ESCAPED.sub(lambda found: f"%{ord(found[0]) - 0xDC00:02X}", url)
        try:
            return self._checks[agent](url or "/")
        except UrlError:
            return self._checks[agent](path_of(url))

    def crawl_delay(self, useragent: str) -> float | None:
        """Returns the seconds to wait between two requests; None if the file sets no delay. Whole numbers are `int`."""
        if not self.last_checked:
            return None
        delay = self._checks.rules[useragent].crawl_delay
        if delay is None:
            return None
        if delay < LARGE_DELAY or not self._is_original:
            return _whole(delay)
        numbers = self._checks.numbers(
            useragent, "crawl-delay", lambda text: _int(self._value(text))
        )
        return next(numbers, int(delay))

    def request_rate(self, useragent: str) -> RequestRate | None:
        """Returns the maximum rate of requests; None if the file sets no rate for the crawler."""
        if not self.last_checked:
            return None
        rate = self._checks.rules[useragent].request_rate
        if rate is None:
            return None
        reduced = RequestRate(rate.documents, rate.seconds)
        if max(reduced) < LARGEST_IN_RATE or not self._is_original:
            return reduced
        rates = self._checks.numbers(
            useragent, "request-rate", lambda text: _rate(self._value(text), None)
        )
        return next(rates, reduced)

    def _value(self, text: str) -> str:
        """Returns a value in the standard library's form."""
        return unquote(text).strip() if self._dialect == "urllib" else text.strip()

    def site_maps(self) -> list[str] | None:
        """Returns the sitemaps that the file names, or None if it names none."""
        return self.sitemaps or None

    @property
    def sitemaps(self) -> list[str]:
        """The sitemaps that the file names."""
        return self.robots.sitemaps

    @property
    def entries(self) -> list[Entry]:
        """The groups that name crawlers and, since the rewrite of 2026, also the groups for all crawlers."""
        return [entry for entry in self._entries() if not self._is_default(entry)]

    @property
    def default_entry(self) -> Entry | None:
        """The first group for all crawlers; None since the rewrite of 2026, where it is one of the entries."""
        return next((entry for entry in self._entries() if self._is_default(entry)), None)

    def _is_default(self, entry: Entry) -> bool:
        return self._dialect != "urllib-2026" and "*" in entry.useragents

    def _entries(self) -> Iterator[Entry]:
        kept = (group for group in self.robots.groups if not group.is_dropped)
        if not self._is_original:
            for group in kept:
                rules = [RuleLine(rule.value, rule.kind == "allow") for rule in group.rules]
                yield Entry(group, list(group.agents), rules)
            return
        is_old = self._dialect == "urllib"
        values = _OldValues(self._read_before) if is_old else _NewValues(self._read_before)
        names = names_by_group(self.robots)
        for group in kept:
            agents = [values.value(record) for record in names.get(group.index, ())]
            rules = [rule for record in group.rules if (rule := values.rule(record))]
            entry = (Entry if is_old else _NewEntry)(group, agents, rules)
            # The standard library ignores numbers that are not whole.
            delays = [values.value(one) for one in group.records if one.kind == "crawl-delay"]
            numbers = (_int(text) for text in reversed(delays))
            entry.delay = next((number for number in numbers if number is not None), None)
            yield entry

    def __str__(self) -> str:
        default = self.default_entry
        entries = self.entries if default is None else [*self.entries, default]
        return "\n\n".join(filter(None, map(str, entries)))


#: The dialects of the standard library.
_ORIGINALS = ("urllib", "urllib-2026")


@cache
def original_dialect() -> Dialect:
    """Returns the dialect of the interpreter's own `urllib.robotparser`. Detects it with a test file."""
    # `_Original` was imported before a program could replace the class in `urllib.robotparser` by the drop-in.
    parser = _Original()
    parser.parse(["User-agent: *", "Disallow: /", "Allow: /public"])
    decides_by_length = parser.can_fetch("examplebot", "https://example.com/public")
    return "urllib-2026" if decides_by_length else "urllib"


class _Values:
    """The values of records in the standard library's form. The lines are read again, because `Record` replaces control characters."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = "\n".join(lines).splitlines()

    def value(self, record: Record) -> str:
        """Returns the value of a record, as written in the file."""
        return self._lines[record.line - 1].partition("#")[0].partition(":")[2].strip()

    def rule(self, record: Record) -> RuleLine | None:
        """Returns a rule, or None for an ignored rule. A rule with an empty value allows everything."""
        value = self.value(record)
        path = self.path(value)
        return None if path is None else RuleLine(path, record.kind == "allow" or not value)

    def path(self, value: str) -> str | None:
        """Returns a path pattern in the form for comparison, or None for an ignored rule."""
        raise NotImplementedError


class _OldValues(_Values):
    """The values of the module before its rewrite: percent-encoding is decoded, and encoded again for paths."""

    def value(self, record: Record) -> str:
        return unquote(super().value(record))

    def path(self, value: str) -> str | None:
        return quote(urlunparse(urlparse(value)))


class _NewValues(_Values):
    """The values of the module since its rewrite: `*` and `$`, and in the query `=` and `&`, stay unchanged."""

    def path(self, value: str) -> str | None:
        # Repeated `*` become one, and any `*` and `$` directly after a `$` are dropped.
        value = re.sub(r"\$[$*]+", "$", re.sub(r"\*\*+", "*", value))
        before, mark, query = value.partition("?")
        encoded = re.sub(r"[^*$]+", _reencode, before) + mark
        encoded += re.sub(r"[^*$=&]+", _reencode, query)
        # A rule with a `$` before its end is ignored.
        return None if "$" in encoded[:-1] else encoded


def _from_first_group(lines: Iterable[str]) -> Iterator[str]:
    """Yields the lines of a file, and replaces the lines before its first group, except sitemaps, by comments.

    The caller appends the file to an earlier file. Otherwise those lines would belong to the earlier file's last group.
    """
    in_group = False
    for line in lines:
        name, colon, _ = line.partition("#")[0].partition(":")
        kind = name.strip().lower() if colon else ""
        in_group = in_group or kind == "user-agent"
        yield line if in_group or kind == "sitemap" else "#"


def _reencode(found: re.Match[str]) -> str:
    return quote(unquote(found[0], errors="surrogateescape"), errors="surrogateescape")


def _whole(seconds: float) -> float:
    return int(seconds) if seconds.is_integer() else seconds


def _int(text: str) -> int | None:
    """Parses a whole number; None for other text, and for more digits than Python converts."""
    try:
        return int(text) if text.isdecimal() else None
    except ValueError:
        return None


def _delay(value: str, before: float | None) -> float | None:
    return _whole(float(value)) if re.fullmatch(r"\d+(\.\d*)?|\.\d+", value) else before


def _rate(value: str, before: RequestRate | None) -> RequestRate | None:
    rate = re.fullmatch(r"(\d+)\s*/\s*(\d+)", value)
    documents, seconds = (_int(rate[1]), _int(rate[2])) if rate else (None, None)
    if documents is None or seconds is None:
        return before
    return RequestRate(documents, seconds)
