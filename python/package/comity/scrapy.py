"""robots.txt in Scrapy: a parser, and a middleware that does more with what the file and the pages say.

The parser is one line of settings:

    ROBOTSTXT_OBEY = True
    ROBOTSTXT_PARSER = "comity.scrapy.RobotParser"

The middleware takes the place of Scrapy's own, and sets the parser too:

    ROBOTSTXT_OBEY = True
    DOWNLOADER_MIDDLEWARES = {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "comity.scrapy.RobotsTxtMiddleware": 100,
    }

Settings:

| setting | default | what it does |
|---|---|---|
| `COMITY_DIALECT` | `"rfc9309"` | the dialect that files are read in (`comity.dialects()`) |
| `COMITY_CRAWL_DELAY` | `True` | wait between two requests to a host as its `Crawl-delay` asks |
| `COMITY_MAX_CRAWL_DELAY` | `300.0` | the longest delay, in seconds, that a file can ask for |
| `COMITY_REPORT_ONLY` | `False` | fetch what robots.txt disallows, and count it |
| `COMITY_PAGE_DIRECTIVES` | `True` | read `X-Robots-Tag`, `Robots-Tag` and meta robots |
| `COMITY_PAGE_PROFILE` | `"google"` | by whose rules those add up (`google`, `bing`, `yandex`, `draft`) |

`COMITY_DIALECT` is for the parser, the others are for the middleware, which leaves in `response.meta`:

- `comity_decision`: the `comity.Decision` about the URL, with the line that decided; absent if the host's robots.txt could
  not be fetched, which Scrapy takes for leave to fetch.
- `comity_page`: the `comity.page.Outcome` of the page's directives. They are warnings about use, not about fetching:
  nothing is dropped because of them.

And in the stats: `comity/disallowed`, `comity/report_only/fetched`, `comity/crawl_delay/slots`, `comity/crawl_delay/cut`,
`comity/page/warning/<name>`.

From 2.13 to 2.19 at least, Scrapy's own middleware asks no parser about the third and later requests that wait for the
same robots.txt, and fetches them whatever it says. This one asks, so it is the safer choice even where nothing else of it
is wanted; with the parser alone, `CONCURRENT_REQUESTS = 1` helps.

Scrapy hands a parser the body of whatever answer came to `/robots.txt`, and not its status, so a page of error 503 is read
as a file without rules. `comity.Policy` and `comity.Client` know the status.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware as _RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Request, Response
from scrapy.robotstxt import RobotParser as _RobotParser

from comity import Robots, UrlError
from comity._checks import Checks, path_of
from comity._urls import UrlLike
from comity.errors import UnknownNameError
from comity.page import PageDirectives

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from comity import Decision

__all__ = ["RobotParser", "RobotsTxtMiddleware"]

logger = logging.getLogger(__name__)


class RobotParser(_RobotParser):
    """A parser for the setting `ROBOTSTXT_PARSER`.

    Scrapy asks with the whole `User-Agent` header, or with `ROBOTSTXT_USER_AGENT`; the product token is found in either.
    """

    #: The dialect that is read if the setting `COMITY_DIALECT` does not say.
    dialect: ClassVar[str] = "rfc9309"

    def __init__(self, robotstxt_body: bytes, dialect: str | None = None) -> None:
        self._checks = Checks(Robots.parse(robotstxt_body, dialect=dialect or self.dialect))

    @classmethod
    def from_crawler(cls, crawler: Crawler | None, robotstxt_body: bytes) -> Self:
        """Reads a file. Scrapy also calls it with nothing, to see whether the parser can be used."""
        return cls(robotstxt_body, crawler.settings.get("COMITY_DIALECT") if crawler else None)

    @property
    def robots(self) -> Robots:
        """The native object: decisions, lint, records."""
        return self._checks.robots

    def allowed(self, url: UrlLike, user_agent: str | bytes) -> bool:
        """Whether a user agent may fetch a URL."""
        try:
            return self._checks[user_agent](url)
        except UrlError:
            return self._checks[user_agent](path_of(url))

    def decide(self, url: UrlLike, user_agent: str | bytes) -> Decision:
        """The same with the evidence."""
        rules = self._checks.rules[user_agent]
        try:
            return rules.decide(url)
        except UrlError:
            return rules.decide(path_of(url))

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """The seconds to wait between two requests, if the file says so."""
        return self._checks.rules[user_agent].crawl_delay


class RobotsTxtMiddleware(_RobotsTxtMiddleware):
    """Scrapy's middleware for robots.txt, with Crawl-delay, page directives and a mode that only reports."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        if settings.getpriority("ROBOTSTXT_PARSER") == 0:
            # Nobody chose a parser. Settings are frozen by now, so the choice is made here.
            self._parserimpl: Any = RobotParser
            RobotParser.from_crawler(crawler, b"")
        self._reports_only = settings.getbool("COMITY_REPORT_ONLY", False)
        self._max_delay = settings.getfloat("COMITY_MAX_CRAWL_DELAY", 300.0)
        self._reads_pages = settings.getbool("COMITY_PAGE_DIRECTIVES", True)
        self._profile: str = settings.get("COMITY_PAGE_PROFILE", "google")
        try:
            PageDirectives().outcome("probe", self._profile)
        except UnknownNameError as error:
            raise UnknownNameError(f"COMITY_PAGE_PROFILE: {error}") from None
        #: Seconds between two requests, for each of the downloader's slots whose host asks for some.
        self._delays: dict[str, float] = {}
        self._keeps_delays = settings.getbool("COMITY_CRAWL_DELAY", True)
        if self._keeps_delays:
            crawler.signals.connect(self._keep_delay, signals.request_reached_downloader)
            # AutoThrottle reckons a delay anew from every response.
            crawler.signals.connect(self._keep_delay, signals.response_downloaded)

    def process_request_2(self, rp: Any, request: Request, *args: Any) -> None:
        """Judges a request by the file of its host, once that is here. Older versions of Scrapy pass the spider too."""
        if rp is None:
            # From 2.13 to 2.19 at least, Scrapy hands the parser to the first two of the requests that wait for a
            # robots.txt, and None, as if there were no file, to all others. By now the file is here.
            rp = self._parsers.get(urlsplit(request.url).netloc)
            if not hasattr(rp, "allowed"):
                return
        agent = self._agent_of(request)
        if self._keeps_delays:
            self._remember_delay(rp, request, agent)
        decide = getattr(rp, "decide", None)
        if decide is not None:
            request.meta["comity_decision"] = decide(request.url, agent)
        if self._reports_only:
            if not rp.allowed(request.url, agent):
                self._count("comity/disallowed")
                self._count("comity/report_only/fetched")
                logger.info("Disallowed by robots.txt, fetched all the same: %s", request)
            return
        try:
            super().process_request_2(rp, request, *args)
        except IgnoreRequest:
            self._count("comity/disallowed")
            raise

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        """Reads what the page and its header ask of those who use it."""
        if self._reads_pages and not request.meta.get("dont_obey_robotstxt"):
            html = response.body if isinstance(response, HtmlResponse) else None
            fields: list[Any] = list(response.headers.items())
            directives = PageDirectives(fields, html)
            outcome = directives.outcome(_token(self._agent_of(request)), self._profile)
            request.meta["comity_page"] = outcome
            for warning in outcome.warnings:
                self._count(f"comity/page/warning/{warning.warning}")
        return response

    def _count(self, name: str) -> None:
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(name)

    def _agent_of(self, request: Request) -> str | bytes:
        if self._robotstxt_useragent:
            return self._robotstxt_useragent
        agent: bytes | None = request.headers.get(b"User-Agent")
        return self._default_useragent if agent is None else agent

    def _remember_delay(self, rp: Any, request: Request, agent: str | bytes) -> None:
        downloader = self.crawler.engine.downloader if self.crawler.engine else None
        if downloader is None:
            return
        slot: str = downloader.get_slot_key(request)
        # Not every parser, and no RobotParser before Scrapy 2.18, tells it.
        delay = rp.crawl_delay(agent) if hasattr(rp, "crawl_delay") else None
        if not isinstance(delay, (int, float)) or delay <= 0:
            self._delays.pop(slot, None)
            return
        if delay > self._max_delay:
            delay = self._max_delay
            if self._delays.get(slot) != delay:
                self._count("comity/crawl_delay/cut")
        if slot not in self._delays:
            self._count("comity/crawl_delay/slots")
        self._delays[slot] = delay

    def _keep_delay(self, request: Request, **_: Any) -> None:
        """Sees to it that a slot waits at least as long as its host asks for."""
        key: str = request.meta.get("download_slot", "")
        delay = self._delays.get(key)
        slot = (
            self.crawler.engine.downloader.slots.get(key) if delay and self.crawler.engine else None
        )
        if slot is None or delay is None:
            return
        # Scrapy varies delays at random, by half of them unless told otherwise; the shortest must be long enough.
        has_jitter = hasattr(slot, "jitter")
        jitter: float = slot.jitter if has_jitter else 0.5 * slot.randomize_delay
        if slot.delay * (1 - jitter) >= delay:
            return
        slot.delay = max(slot.delay, delay)
        if has_jitter:
            slot.jitter = 0.0
        else:
            slot.randomize_delay = False


def _token(user_agent: str | bytes) -> str:
    """The product token in a `User-Agent` header, for directives that name a crawler.

    That of a crawler which passes for a browser stands in the comment: `Mozilla/5.0 (compatible; ExampleBot/1.0; +...)`.
    """
    text = user_agent.decode("utf-8", "replace") if isinstance(user_agent, bytes) else user_agent
    hidden = re.search(r"\(compatible;\s*([^\s/;()]+)", text)
    token = hidden or re.match(r"\s*([^\s/;()]+)", text)
    return token[1] if token else ""
