"""A drop-in for robotexclusionrulesparser 1.7.1: `from comity.exclusion import RobotExclusionRulesParser`.

The drop-in returns the answers of the original, whose two syntaxes are the dialects `gym2008` (the default) and `mk1996`. The
dialect `rfc9309` selects the answers of RFC 9309. Set it for one parser with the argument `dialect`, or for the whole program
with `comity.dropins.use_dialect`:

    >>> file = "User-agent: *\\nAllow: /\\nDisallow: /private\\n"
    >>> parser = RobotExclusionRulesParser()
    >>> parser.parse(file)
    >>> parser.is_allowed("examplebot", "/private")         # the first matching rule decides
    True
    >>> parser = RobotExclusionRulesParser(dialect="rfc9309")
    >>> parser.parse(file)
    >>> parser.is_allowed("examplebot", "/private")         # the longest rule decides
    False
"""

from __future__ import annotations

import calendar
import codecs
import contextlib
import email.utils
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable
from typing import TYPE_CHECKING

from comity import Robots, UrlError
from comity._checks import (
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

if TYPE_CHECKING:
    from comity.robots import Group, Record

__all__ = [
    "GYM2008",
    "MAX_FILESIZE",
    "MK1996",
    "SEVEN_DAYS",
    "RobotExclusionRulesParser",
    "RobotFileParserLookalike",
]

#: The syntax of 1994 and 1996, as the original reads it: the dialect `mk1996`.
MK1996 = 1
#: The syntax with wildcards, as the original reads it: the dialect `gym2008`.
GYM2008 = 2

#: Seconds until a file expires if its HTTP response has no `Expires`.
SEVEN_DAYS = 60 * 60 * 24 * 7
#: Maximum number of octets of a response that `fetch` reads: the smallest limit that RFC 9309 §2.5 permits.
MAX_FILESIZE = 500 * 1024

_SYNTAXES: dict[int, Dialect] = {MK1996: "mk1996", GYM2008: "gym2008"}

#: A charset in a `Content-Type`, as the original finds it: in quotes of either kind, or without quotes.
_CHARSET = re.compile(r"""charset=['"]?(?P<name>[^'"]*)['"]?""")
#: Codecs of Python that are not charsets of documents. Two of them take quadratic time, so a server must not choose them.
_NO_CHARSETS = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})
#: Maximum length of a charset name that is looked up.
_LONGEST_CHARSET = 64

#: Characters that the original removes. As in the original, the second part is the character 15 followed by `7`, not DEL.
_CONTROLS = re.compile("[\\0-\\37]|\\0177")
_LINE_END = re.compile(r"\r\n|\r|\n")
#: A record as the original finds it, anywhere in a line.
_DIRECTIVE = re.compile(
    r"(?:allow|disallow|user-?agent|sitemap|crawl-delay):[ \t]*(.*)", re.IGNORECASE
)
_ENCODED_SLASH = re.compile("%2[fF]")

#: Seconds that `fetch` waits for the server by default.
_TIMEOUT = 30.0


class _Flag(int):
    """A boolean that can also be called, because `is_expired` was a method until version 1.5 and is a property since then."""

    def __call__(self) -> bool:
        return bool(self)

    def __repr__(self) -> str:
        return repr(bool(self))


class RobotExclusionRulesParser:
    """A robots.txt with the interface of robotexclusionrulesparser.

    `fetch` sends `user_agent` as the `User-Agent` header. `expiration_date` is the time at which the file expires, in seconds
    since 1970, independent of the time zone. In the original, `use_local_time` shifts this time by the offset of the zone.
    Here `use_local_time` only determines whether the current time has fractions of a second.
    """

    #: The default dialect of this class. None means the dialect of `use_dialect`, else `gym2008`.
    dialect: Dialect | None = None

    def __init__(self, *, dialect: Dialect | None = None) -> None:
        self.dialect = self._dialect = dialect_of(dialect, type(self).dialect, "gym2008")
        self.user_agent: str | None = None
        self.use_local_time = True
        self.expiration_date: float = self._now() + SEVEN_DAYS
        self._source_url = ""
        self._response_code = 0
        self._body: str | bytes = ""
        self._text: str | None = None
        self._by_dialect: dict[Dialect, Checks] = {}
        self._checks = self._read_as(self._dialect)

    @property
    def source_url(self) -> str:
        """The URL of the last fetch."""
        return self._source_url

    @property
    def response_code(self) -> int:
        """The status of the last response; 0 without a response."""
        return self._response_code

    @property
    def sitemap(self) -> str | None:
        """Raises DeprecationWarning, as in the original. Use `sitemaps` instead."""
        raise DeprecationWarning("`sitemap` is deprecated: a file may name several, use `sitemaps`")

    @property
    def sitemaps(self) -> list[str]:
        """The sitemaps that the file names."""
        return self._checks.robots.sitemaps

    @property
    def is_expired(self) -> _Flag:
        """True if `expiration_date` has passed. `parser.is_expired` and `parser.is_expired()` are equal."""
        return _Flag(self.expiration_date <= self._now())

    @property
    def robots(self) -> Robots:
        """The file as `comity.Robots`, which has features that this interface lacks: decisions, lint, records."""
        return self._checks.robots

    def _now(self) -> float:
        return time.time() if self.use_local_time else float(calendar.timegm(time.gmtime()))

    def is_allowed(self, user_agent: str, url: UrlLike, syntax: int | None = None) -> bool:
        """Returns True if a crawler may fetch a URL. `user_agent` is its name or a whole `User-Agent` header.

        `syntax` selects the answers of the original (`GYM2008` or `MK1996`). Without it, the parser's dialect applies. Raises
        ValueError for other values.
        """
        checks = self._checks
        if syntax is not None:
            if syntax not in _SYNTAXES:
                raise ValueError(f"Syntax must be MK1996 or GYM2008, not {syntax!r}")
            checks = self._read_as(_SYNTAXES[syntax])
        url = with_scheme(url)
        try:
            return checks[user_agent](url)
        except UrlError:
            return checks[user_agent](path_of(url))

    def get_crawl_delay(self, user_agent: str) -> float | None:
        """Returns the seconds to wait between two requests; None if the file sets no delay for the crawler."""
        delay = self._checks.rules[user_agent].crawl_delay
        if self._dialect not in _SYNTAXES.values():
            return delay
        # The original also returns negative numbers and NaN. The engine's durations cannot represent them.
        numbers = self._checks.numbers(
            user_agent, "crawl-delay", lambda text: float(_scrubbed(text))
        )
        return next(numbers, delay)

    def fetch(self, url: UrlLike, timeout: float | None = None) -> None:
        """Fetches a file and parses it.

        The statuses 401 and 403 disallow everything, and 404 allows everything. Raises `urllib.error.HTTPError` for other
        error statuses, `urllib.error.URLError` if it cannot connect, and `http.client.IncompleteRead` if the body is shorter
        than its `Content-Length`. Raises `UnicodeError` if Python does not know the charset in the `Content-Type`, or cannot
        decode the file with it. With other dialects than the original's, a body that cannot be decompressed raises it, too.
        After an exception, the parser keeps the earlier file.
        """
        self._source_url = url = url_of(url)
        self._response_code = 0
        headers = {"User-Agent": self.user_agent} if self.user_agent else {}
        request = urllib.request.Request(url, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=timeout or _TIMEOUT) as answer:
                # A byte above the limit shows the parser that the last line is incomplete. The parser drops this line.
                body = read_whole(answer, MAX_FILESIZE + 1)
                if self._dialect not in _SYNTAXES.values():
                    body, failure = decompressed(body, answer.headers.items())
                    if failure is not None:
                        raise UnicodeError("the Content-Encoding of robots.txt cannot be decoded")
                    body = body[: MAX_FILESIZE + 1]
                charset = _charset(answer.headers.get("Content-Type"))
                expires = _timestamp(answer.headers.get("Expires"))
                self._response_code = answer.status
        except urllib.error.HTTPError as error:
            error.close()
            self._response_code = error.code
            self.expiration_date = self._now() + SEVEN_DAYS
            if error.code in (401, 403):
                self._store("User-agent: *\nDisallow: /\n")
            elif error.code == 404:
                self._store("")
            else:
                raise
            return
        self.expiration_date = self._now() + SEVEN_DAYS if expires is None else expires
        text = None if charset is None else _decode(body, charset, len(body) <= MAX_FILESIZE)
        self._store(body, text)

    def parse(self, s: str | bytes | bytearray) -> None:
        """Parses a file. The syntaxes of the original decode bytes as ISO-8859-1."""
        if isinstance(s, bytearray):
            s = bytes(s)
        if not isinstance(s, (str, bytes)):
            raise TypeError(f"parse takes a whole file, str or bytes, not {type(s).__name__}")
        self._store(s)

    def _store(self, body: str | bytes, text: str | None = None) -> None:
        """Stores a body, and its text if a charset was declared."""
        self._body = body
        self._text = text
        self._by_dialect = {}
        self._checks = self._read_as(self._dialect)

    def _read_as(self, dialect: Dialect) -> Checks:
        checks = self._by_dialect.get(dialect)
        if checks is None:
            body = self._body_for(dialect)
            charset = "utf-8" if isinstance(body, str) else None
            checks = Checks(Robots.parse(body, dialect=dialect, charset=charset))
            self._by_dialect[dialect] = checks
        return checks

    def _body_for(self, dialect: Dialect) -> str | bytes:
        """Returns the body to parse in a dialect.

        The original's dialects parse the text, decoded with the declared charset. The other dialects parse UTF-8
        (RFC 9309 §2.3): a body in UTF-8 is returned unchanged, and for any other body its text.
        """
        if self._text is None or isinstance(self._body, str):
            return self._body
        is_utf8 = dialect not in _SYNTAXES.values() and _is_utf8(self._body)
        return self._body if is_utf8 else self._text

    def __str__(self) -> str:
        sitemaps = f"Sitemaps: {self.sitemaps}\n\n" if self.sitemaps else ""
        groups = sorted(self.robots.groups, key=lambda group: "*" in map(_scrubbed, group.agents))
        if self._dialect not in _SYNTAXES.values():
            return sitemaps + "\n".join(map(_text, groups))
        body = self._body_for(self._dialect)
        original = _Printer(body if isinstance(body, str) else body.decode("iso-8859-1"))
        names = names_by_group(self.robots)
        texts = (original.text_of(group, names.get(group.index, [])) for group in groups)
        return sitemaps + "\n".join(text for text in texts if text)


class RobotFileParserLookalike(RobotExclusionRulesParser):
    """A `RobotExclusionRulesParser` with the interface of `urllib.robotparser.RobotFileParser`."""

    def __init__(self, url: UrlLike = "", *, dialect: Dialect | None = None) -> None:
        super().__init__(dialect=dialect)
        self.last_checked: float = 0
        self._user_provided_url = ""
        self.set_url(url)

    def set_url(self, url: UrlLike) -> None:
        """Sets the URL that `read` fetches."""
        self._user_provided_url = url_of(url)

    def read(self) -> None:
        """Fetches and parses the file at the URL from `set_url`."""
        self.fetch(self._user_provided_url)

    def parse(self, lines: str | bytes | bytearray | Iterable[str]) -> None:
        """Parses a file, given as a whole or as a sequence of lines with or without line ends."""
        if not isinstance(lines, (str, bytes, bytearray)):
            given = lines_of(lines)
            lines = "".join(line if line.endswith(("\n", "\r")) else line + "\n" for line in given)
        super().parse(lines)

    def can_fetch(self, user_agent: str, url: UrlLike, syntax: int | None = None) -> bool:
        """Returns True if a crawler may fetch a URL; see `is_allowed`."""
        return self.is_allowed(user_agent, url, syntax)

    def mtime(self) -> float:
        """Returns the time of the last call of `modified`, in seconds since 1970; 0 before the first call."""
        return self.last_checked

    def modified(self) -> None:
        """Sets the time that `mtime` returns to the current time."""
        self.last_checked = time.time()


def _charset(content_type: str | None) -> str | None:
    """Returns the charset that a `Content-Type` declares; the last one if it declares several."""
    names = (_CHARSET.search(part) for part in (content_type or "").lower().split(";")[1:])
    return next((n["name"].strip() for n in reversed([*names]) if n and n["name"].strip()), None)


def _decode(body: bytes, charset: str, is_whole: bool) -> str:
    """Decodes a body. Raises UnicodeError if Python does not know the charset, or cannot decode the body with it."""
    try:
        # Reject a name that is too long: Python would search for a module of that name.
        codec = codecs.lookup(charset if len(charset) <= _LONGEST_CHARSET else "")
        if codec.name.replace("_", "-") in _NO_CHARSETS:
            raise LookupError(charset)
        # Codecs that do not decode bytes to text, such as `zlib`, raise an exception here.
        b"?".decode(codec.name, "replace")
    except (LookupError, ValueError):
        raise UnicodeError(
            f"robots.txt has an unknown charset: {charset[:_LONGEST_CHARSET]!r}"
        ) from None
    try:
        return body.decode(codec.name)
    except UnicodeError as error:
        # A truncated body may end within a character.
        if not is_whole and isinstance(error, UnicodeDecodeError) and error.start > len(body) - 8:
            return body[: error.start].decode(codec.name)
        raise UnicodeError(
            f"robots.txt is not in the charset that its Content-Type declares, {charset}: {error}"
        ) from None


def _is_utf8(body: bytes) -> bool:
    """Returns True if bytes are UTF-8, also if the last character is incomplete. Zero bytes indicate UTF-16 or UTF-32."""
    if b"\0" in body:
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(body)
    except UnicodeError:
        return False
    return True


def _timestamp(date: str | None) -> float | None:
    """Parses an HTTP date into seconds since 1970. The format of `asctime` has no zone and means UTC."""
    parsed = email.utils.parsedate_tz(date) if date else None
    if parsed is None:
        return None
    try:
        return float(email.utils.mktime_tz((*parsed[:9], parsed[9] or 0)))
    except (OverflowError, ValueError):
        return None


def _scrubbed(value: str) -> str:
    """Removes control characters, including tabs, from a value, as the original does."""
    return _CONTROLS.sub("", value).strip()


class _Printer:
    """Formats groups as the original does. Reads values from the file again, because `Record` replaces control characters."""

    def __init__(self, text: str) -> None:
        self._lines = _LINE_END.split(text)

    def _value(self, record: Record) -> str:
        found = _DIRECTIVE.search(self._lines[record.line - 1].partition("#")[0].strip())
        return _scrubbed(found[1] if found else record.value)

    def text_of(self, group: Group, named: list[Record]) -> str:
        """Returns the text of a group with percent-encoding decoded; empty if the group has no names or no rules."""
        names = [name for name in map(self._value, named) if name]
        if not names or not group.rules:
            return ""
        delay = None
        for record in group.records:
            if record.kind == "crawl-delay":
                with contextlib.suppress(ValueError):
                    delay = float(self._value(record))
        texts = [f"User-agent: {name}" for name in names]
        texts += [f"Crawl-delay: {delay}"] if delay else []
        for rule in group.rules:
            path = _ENCODED_SLASH.sub("\n", self._value(rule))
            path = urllib.parse.unquote(path).replace("\n", "%2F")
            texts.append(f"{rule.kind.capitalize()}: {path}")
        return "".join(text + "\n" for text in texts)


def _text(group: Group) -> str:
    """Returns a group in the syntax of robots.txt."""
    lines = [f"User-agent: {agent}" for agent in group.agents]
    lines += [
        f"Crawl-delay: {record.value}" for record in group.records if record.kind == "crawl-delay"
    ]
    lines += [f"{rule.kind.capitalize()}: {rule.value}" for rule in group.rules]
    return "".join(line + "\n" for line in lines)
