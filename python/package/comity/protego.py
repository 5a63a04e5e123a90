"""A drop-in for Protego: `from comity.protego import Protego`.

Scrapy, crawlee and other programs use this interface. By default, the drop-in returns the answers of the original: the dialect
`protego`. The dialect `rfc9309` selects the answers of RFC 9309. Set it for one file with the argument `dialect`, for a
subclass with its attribute `dialect`, or for the whole program with `comity.dropins.use_dialect`:

    >>> rp = Protego.parse("User-agent: googlebot\\nDisallow: /search\\n")
    >>> rp.can_fetch("https://example.com/search", "googlebot-news")
    False
    >>> rp = Protego.parse("User-agent: googlebot\\nDisallow: /search\\n", dialect="rfc9309")
    >>> rp.can_fetch("https://example.com/search", "googlebot-news")        # RFC 9309: only the whole name selects a group
    True
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import time
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from comity import Robots, UrlError
from comity._checks import (
    LARGE_DELAY,
    LARGEST_IN_RATE,
    Checks,
    path_of,
    seconds_of,
    with_scheme,
)
from comity._names import Dialect
from comity._urls import UrlLike
from comity.dropins import dialect_of

if TYPE_CHECKING:
    from typing_extensions import Self

    from comity.robots import VisitTime as NativeVisitTime

__all__ = ["Protego", "RequestRate", "VisitTime"]


_ORIGINAL: Dialect = "protego"


class RequestRate(NamedTuple):
    """A maximum number of requests in a number of seconds. It applies between two times of day (UTC); None means always."""

    requests: int
    seconds: int
    start_time: time | None
    end_time: time | None


class VisitTime(NamedTuple):
    """The times of day (UTC) between which the crawler should visit."""

    start_time: time
    end_time: time


class Protego:
    """A robots.txt with Protego's interface. Create one with `Protego.parse`."""

    #: The default dialect of this class. None means the dialect of `use_dialect`, else `protego`.
    dialect: ClassVar[Dialect | None] = None

    _checks: Checks

    def __init__(self) -> None:
        self._checks = Checks(Robots.parse(b"", dialect=dialect_of(None, self.dialect, _ORIGINAL)))

    @classmethod
    def parse(cls, content: str, *, dialect: Dialect | None = None) -> Self:
        """Parses a robots.txt.

        Raises TypeError unless `content` is `str`, as the original does. `comity.Robots.parse` also accepts bytes.
        """
        if not isinstance(content, str):
            raise TypeError(
                f"Protego.parse expects str, got {type(content).__name__}; comity.Robots.parse takes bytes"
            )
        parser = cls()
        parser._checks = Checks(
            Robots.parse(
                content, dialect=dialect_of(dialect, cls.dialect, _ORIGINAL), charset="utf-8"
            )
        )
        return parser

    @property
    def robots(self) -> Robots:
        """The file as `comity.Robots`, which has features that Protego lacks: decisions, lint, records."""
        return self._checks.robots

    def can_fetch(self, url: UrlLike, user_agent: str) -> bool:
        """Returns True if a crawler may fetch a URL. `user_agent` is its name or a whole `User-Agent` header."""
        url = with_scheme(url)
        try:
            return self._checks[user_agent](url)
        except UrlError:
            return self._checks[user_agent](path_of(url))

    def crawl_delay(self, user_agent: str) -> float | None:
        """Returns the seconds to wait between two requests; None if the file sets no delay for the crawler."""
        delay = self._checks.rules[user_agent].crawl_delay
        if delay is None or delay < LARGE_DELAY or self.robots.dialect != _ORIGINAL:
            return delay
        # The original ignores numbers beyond the largest `float`.
        numbers = self._checks.numbers(user_agent, "crawl-delay", seconds_of)
        return next(filter(math.isfinite, numbers), delay)

    def request_rate(self, user_agent: str) -> RequestRate | None:
        """Returns the maximum rate of requests; None if the file sets no rate for the crawler."""
        rate = self._checks.rules[user_agent].request_rate
        if rate is None:
            return None
        start, end = (None, None) if rate.window is None else _times(rate.window)
        numbers = (rate.documents, rate.seconds)
        if max(numbers) >= LARGEST_IN_RATE and self.robots.dialect == _ORIGINAL:
            numbers = next(self._checks.numbers(user_agent, "request-rate", _rate), numbers)
        return RequestRate(*numbers, start, end)

    def visit_time(self, user_agent: str) -> VisitTime | None:
        """Returns the times of day at which the crawler should visit; None if the file sets no times."""
        window = self._checks.rules[user_agent].visit_time
        return None if window is None else VisitTime(*_times(window))

    @property
    def sitemaps(self) -> Iterator[str]:
        """The sitemaps that the file names."""
        return iter(self.robots.sitemaps)

    @property
    def preferred_host(self) -> str | None:
        """The value of the last `Host` record that is not empty. Yandex introduced this record."""
        hosts = [record.value for record in self.robots.records if record.key.lower() == "host"]
        return next(filter(None, reversed(hosts)), None)

    def __repr__(self) -> str:
        return f"<Protego {self.robots!r}>"


#: The number of seconds in a unit of time.
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def _rate(value: str) -> tuple[int, int]:
    """Parses the documents and seconds of a rate. Raises ValueError if the text is not a rate."""
    words = value.split()
    if len(words) == 2 and not re.fullmatch(r"\d{3,4}-\d{3,4}", words[1]):
        raise ValueError("no times of day")
    documents, time_span = words[0].split("/")
    unit = _UNITS.get(time_span[-1:].lower())
    seconds = int(time_span) if unit is None else int(time_span[:-1]) * unit
    if int(documents) <= 0 or seconds <= 0:
        raise ValueError("the rate is not positive")
    return int(documents), seconds


def _times(window: NativeVisitTime) -> tuple[time, time]:
    """Converts a window to times of day. Midnight at the end of a day becomes 0:00, as `datetime` has no 24:00."""
    minutes = (window.from_minute % 1440, window.to_minute % 1440)
    return time(*divmod(minutes[0], 60)), time(*divmod(minutes[1], 60))
