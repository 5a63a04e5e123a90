"""robots.txt in Scrapy: a parser, and a middleware that decides by a preset.

The middleware replaces Scrapy's own:

    ROBOTSTXT_OBEY = True
    DOWNLOADER_MIDDLEWARES = {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "comity.scrapy.RobotsTxtMiddleware": 100,
    }

`add_to_settings` sets both, for example `add_to_settings(globals())` in `settings.py`. If `ROBOTSTXT_OBEY` is false, the
middleware disables itself and logs a warning.

The middleware evaluates the status, header and body of the answer to the request for robots.txt. A preset
(`docs/reference/presets/README.md`) determines the consequences. With the default preset `rfc9309`, a 503, a time-out or a
reset connection does not permit fetching: without a last good copy, the middleware fetches nothing from the origin.
When an answer expires, by its header or the preset, the middleware requests the file again. Scrapy's own middleware treats
every failure as permission, and requests the file once per crawl.

The middleware requests robots.txt with `Accept-Encoding: gzip, deflate`. A body that is truncated, larger than 8 MiB, or in another
coding leaves robots.txt unknown. The middleware stores the robots.txt of the last 10,000 origins, or of fewer if their files are
large. It requests an evicted file again.

To use only the parser, change one setting:

    ROBOTSTXT_OBEY = True
    ROBOTSTXT_PARSER = "comity.scrapy.RobotParser"

The parser reads files by RFC 9309; everything else remains as in Scrapy. Scrapy passes the body of any answer to the parser, but
not the status. So the page of an error 503 is parsed as a file without rules, and a failed connection counts as permission.
In versions from 2.13 to at least 2.19, Scrapy's middleware does not consult the parser for the third and later requests
that wait for the same robots.txt, and fetches them unchecked; `CONCURRENT_REQUESTS = 1` prevents that.

Settings of the middleware:

| setting | default | effect |
|---|---|---|
| `COMITY_PRESET` | `"rfc9309"` | the consequences of answers to the request for robots.txt (`comity.presets()`) |
| `COMITY_ON_UNREACHABLE` | the preset's | decision while robots.txt is unreachable: `deny`, `warn` or `allow` |
| `COMITY_ROBOTS_MAX_AGE` | the preset's | maximum age of an answer, in seconds, before the middleware requests robots.txt again |
| `COMITY_REPORT_ONLY` | `False` | fetch URLs that robots.txt disallows, and count them |
| `COMITY_CRAWL_DELAY` | `True` | wait for the `Crawl-delay` of a host between two requests to it |
| `COMITY_MAX_CRAWL_DELAY` | `300.0` | maximum delay in seconds; a longer `Crawl-delay` is reduced to it |
| `COMITY_PAGE_DIRECTIVES` | `True` | read `X-Robots-Tag`, `Robots-Tag` and meta robots |
| `COMITY_PAGE_PROFILE` | `"google"` | the profile that combines those directives (`google`, `bing`, `yandex`, `draft`) |

The setting of the parser is `COMITY_DIALECT` (default `"rfc9309"`), the dialect in which the parser reads files. The middleware
does not use the parser, and reads files in the dialect of its preset.

The middleware adds two values to `response.meta`:

- `comity_decision`: the `comity.Decision` about the URL, with the robots.txt answer and the deciding line.
- `comity_page`: the `comity.page.Outcome` of the page's directives. They are warnings about use, not about fetching, so the
  middleware drops no page because of them.

`SigningMiddleware` signs requests (`comity.identity`). Its order (950) must be higher than that of every middleware that changes
requests:

    COMITY_IDENTITY = "bot.identity.json"
    DOWNLOADER_MIDDLEWARES = {"comity.scrapy.SigningMiddleware": 950}

For a forbidden request, the log and the `IgnoreRequest` that the errback receives name the rule. The log level is DEBUG, as in
Scrapy. A warning about an origin is logged:

- after each answer that leaves its robots.txt unknown, so that nothing is fetched;
- once, if pages are fetched although robots.txt is unknown (`allowed_but_warn`, for example with the preset `ladon` after a 503).

The stats are Scrapy's `robotstxt/...`, and:

- `comity/disallowed`: requests that a rule disallows;
- `comity/unreachable`: requests that no rule disallows, but the preset does, usually because robots.txt is unknown;
- `comity/host_mismatch`: requests that are forbidden because their `Host` header names another host than their URL;
- `comity/warned`, `comity/warned/origins`: requests that were sent although robots.txt is unknown, and their origins;
- `comity/report_only/fetched`: requests that only `COMITY_REPORT_ONLY` permitted;
- `comity/crawl_delay/slots`, `comity/crawl_delay/cut`: download slots with a crawl delay, and reduced delays;
- `comity/page/warning/<name>`: pages with this warning.
"""

from __future__ import annotations

import logging
import re
import ssl
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import signals
from scrapy.downloadermiddlewares.httpcache import HttpCacheMiddleware
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware as _RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import HtmlResponse, Request, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser as _RobotParser
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from comity import Agent, Policy, Robots, UrlError
from comity._adapters import DECISION, WarningLog, foreign_host, printable, reason_of
from comity._checks import MOST_AGENTS, Checks, path_of
from comity._names import Dialect, Preset
from comity._responses import MAX_BODY, decompressed, is_partial
from comity._urls import UrlLike, origin_of
from comity.errors import SettingError, TokenError, UnknownNameError
from comity.identity import FIELDS, Signer
from comity.page import PageDirectives

if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from comity import Decision

__all__ = ["RobotParser", "RobotsTxtMiddleware", "SigningMiddleware", "add_to_settings"]

logger: logging.Logger = logging.getLogger(__name__)


class RobotParser(_RobotParser):
    """A parser for the setting `ROBOTSTXT_PARSER`.

    Scrapy passes the whole `User-Agent` header, or `ROBOTSTXT_USER_AGENT`. The parser extracts the product token.
    """

    #: The default dialect, which the setting `COMITY_DIALECT` overrides.
    dialect: ClassVar[Dialect] = "rfc9309"

    def __init__(self, robotstxt_body: bytes, dialect: Dialect | None = None) -> None:
        self._checks = Checks(Robots.parse(robotstxt_body, dialect=dialect or self.dialect))

    @classmethod
    def from_crawler(cls, crawler: Crawler | None, robotstxt_body: bytes) -> Self:
        """Parses a file. Scrapy also calls it with an empty body, to check whether the parser can be used."""
        return cls(robotstxt_body, crawler.settings.get("COMITY_DIALECT") if crawler else None)

    @property
    def robots(self) -> Robots:
        """The file as `comity.Robots`, with decisions, lint and records."""
        return self._checks.robots

    def allowed(self, url: UrlLike, user_agent: str | bytes) -> bool:
        """Returns True if a user agent may fetch a URL."""
        try:
            return self._checks[user_agent](url)
        except UrlError:
            return self._checks[user_agent](path_of(url))

    def decide(self, url: UrlLike, user_agent: str | bytes) -> Decision:
        """Decides whether a user agent may fetch a URL, and returns the decision with its evidence."""
        rules = self._checks.rules[user_agent]
        try:
            return rules.decide(url)
        except UrlError:
            return rules.decide(path_of(url))

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Returns the seconds to wait between two requests; None if the file sets no delay for the crawler."""
        return self._checks.rules[user_agent].crawl_delay


#: Maximum number of bytes of all stored bodies. Each policy has a copy of the bodies.
_MAX_STORED_BYTES = 256 * 1024 * 1024
#: Maximum number of stored answers per origin. The policy of each new agent is updated with all stored answers.
_MAX_ANSWERS = 16
#: Maximum number of stored bytes of a robots.txt: the 500 KiB of RFC 9309 §2.5, and one byte that shows that it was cut.
_MAX_BYTES = 500 * 1024 + 1
#: Seconds between a local failure and the next request for the same robots.txt.
_LOCAL_FAILURE_BACKOFF = 5.0


class _Site:
    """The answers to the requests for one origin's robots.txt, and the resulting policy for each agent."""

    def __init__(self, policy_for: Callable[[str | bytes], Policy]) -> None:
        self._policy_for = policy_for
        self._answers: list[dict[str, Any]] = []
        self._policies: dict[str | bytes, Policy] = {}
        #: The tasks that wait for the request in flight; None without a request in flight.
        self.waiting: list[Deferred[None]] | None = None
        self.retry_at = 0.0
        #: The download slot that has a crawl delay because of this site.
        self.slot = ""
        #: The number of bytes of all bodies at the last call of `growth`.
        self.size = 0

    def growth(self) -> int:
        """Returns the number of bytes by which the stored bodies have grown since the last call."""
        bodies = sum(len(answer.get("body", b"")) for answer in self._answers)
        before, self.size = self.size, bodies * (1 + len(self._policies))
        return self.size - before

    def policy(self, agent: str | bytes) -> Policy:
        """Returns the policy for an agent, a name or a whole `User-Agent` header."""
        policy = self._policies.get(agent)
        if policy is None:
            policy = self._policy_for(agent)
            for answer in self._answers:
                policy.update(**answer)
            if len(self._policies) >= MOST_AGENTS:
                self._policies.clear()
            self._policies[agent] = policy
        return policy

    def add_answer(self, answer: dict[str, Any]) -> None:
        """Stores an answer, and updates the policies of all agents with it."""
        if answer.get("failure") == "local":
            self.retry_at = time.time() + _LOCAL_FAILURE_BACKOFF
        for policy in self._policies.values():
            policy.update(**answer)
        if 200 <= answer.get("status", 0) < 300:
            self._answers.clear()
        # Of consecutive equal answers, only the first and the last are stored. The others do not change a policy.
        if len(self._answers) > 1 and _are_equal(self._answers[-1], self._answers[-2], answer):
            self._answers.pop()
        self._answers.append(answer)
        if len(self._answers) > _MAX_ANSWERS:
            del self._answers[1]


def _are_equal(*answers: dict[str, Any]) -> bool:
    """Returns whether all answers have the same status and failure."""
    return len({(answer.get("status"), answer.get("failure")) for answer in answers}) == 1


class RobotsTxtMiddleware(_RobotsTxtMiddleware):
    """Replacement of Scrapy's robots.txt middleware, with presets, Crawl-delay, page directives and a report-only mode."""

    #: Maximum number of origins whose robots.txt is stored.
    max_sites: ClassVar[int] = 10_000

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured(
                "robots.txt is not obeyed, because ROBOTSTXT_OBEY is false: set it to True, or remove this middleware"
            )
        super().__init__(crawler)
        self._reports_only = settings.getbool("COMITY_REPORT_ONLY", False)
        self._preset: Preset = settings.get("COMITY_PRESET", "rfc9309")
        self._on_unreachable = settings.get("COMITY_ON_UNREACHABLE")
        max_age = settings.get("COMITY_ROBOTS_MAX_AGE")
        self._max_age = None if max_age is None else float(max_age)
        # Check the settings now, so that an error names an invalid setting before the crawl begins.
        choices: dict[str, dict[str, Any]] = {
            "COMITY_PRESET": {"preset": self._preset},
            "COMITY_ON_UNREACHABLE": {"on_unreachable": self._on_unreachable},
            "COMITY_ROBOTS_MAX_AGE": {"max_age": self._max_age},
        }
        for name, choice in choices.items():
            try:
                Policy("probe", **choice)
            except ValueError as error:
                raise SettingError(f"{name}: {error}") from None
        if settings.get("COMITY_DIALECT") is not None:
            raise SettingError(
                "COMITY_DIALECT is for the parser; the middleware reads robots.txt in the dialect of COMITY_PRESET"
            )
        #: The sites by origin, the least recently used one first.
        self._sites: OrderedDict[str, _Site] = OrderedDict()
        self._stored_bytes = 0
        self._warning_log = WarningLog(logger)
        self._max_delay = settings.getfloat("COMITY_MAX_CRAWL_DELAY", 300.0)
        self._reads_pages = settings.getbool("COMITY_PAGE_DIRECTIVES", True)
        self._profile: str = settings.get("COMITY_PAGE_PROFILE", "google")
        try:
            PageDirectives().outcome("probe", self._profile)
        except UnknownNameError as error:
            raise UnknownNameError(f"COMITY_PAGE_PROFILE: {error}") from None
        #: Crawl delays in seconds, by download slot and origin.
        self._delays: dict[str, dict[str, float]] = {}
        self._keeps_delays = settings.getbool("COMITY_CRAWL_DELAY", True)
        crawler.signals.connect(_store_download, signals.response_downloaded)
        if self._keeps_delays:
            crawler.signals.connect(self._apply_delay, signals.request_reached_downloader)
            # AutoThrottle recomputes the delay from every response.
            crawler.signals.connect(self._apply_delay, signals.response_downloaded)

    def _policy_for(self, agent: str | bytes) -> Policy:
        return Policy(
            Agent.header(agent),
            preset=self._preset,
            # Ignore the preset's mode: the middleware runs only if `ROBOTSTXT_OBEY` is set.
            mode="report_only" if self._reports_only else "respect",
            on_unreachable=self._on_unreachable,
            max_age=self._max_age,
        )

    async def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Decides a request. Requests the robots.txt of its origin first, if necessary."""
        if request.meta.get("dont_obey_robotstxt"):
            return
        origin = origin_of(request.url)
        if origin is None:
            return
        fields = [(name, value) for name, values in request.headers.items() for value in values]
        if (host := foreign_host(fields, request.url)) is not None:
            self._count("comity/host_mismatch")
            raise IgnoreRequest(
                f"The header of the request names the host {printable(host)}, and its URL another one"
            )
        site = self._sites.setdefault(origin, _Site(self._policy_for))
        self._sites.move_to_end(origin)
        agent = self._agent_of(request)
        policy = site.policy(agent)
        if not policy.is_fresh():
            await self._request_robots(origin, site, request)
            policy = site.policy(agent)
        if self._sites.get(origin) is site:
            self._evict(site)
            if self._keeps_delays:
                self._store_delay(origin, site, policy, request)
        self._decide(policy, request)

    def _evict(self, used: _Site) -> None:
        """Removes the least recently used sites beyond the limits, except the given one and those with a request in flight."""
        self._stored_bytes += used.growth()
        while len(self._sites) > self.max_sites or self._stored_bytes > _MAX_STORED_BYTES:
            idle = (
                origin
                for origin, site in self._sites.items()
                if site.waiting is None and site is not used
            )
            origin = next(idle, None)
            if origin is None:
                return
            site = self._sites.pop(origin)
            self._stored_bytes -= site.size
            self._remove_delay(origin, site)

    def _decide(self, policy: Policy, request: Request) -> None:
        try:
            decision = policy.decide(request.url)
        except UrlError:
            decision = policy.decide(path_of(request.url))
        request.meta[DECISION] = decision
        if self._warning_log.note(request.url, decision, spider=self.crawler.spider):
            self._count("comity/warned/origins")
        if decision.recommendation == "allowed_but_warn":
            self._count("comity/warned")
            return
        if decision.recommendation == "recommended":
            return
        why = reason_of(decision)
        self._count("comity/disallowed" if decision.rule else "comity/unreachable")
        if not decision.blocked:
            self._count("comity/report_only/fetched")
            logger.info("Disallowed by robots.txt, but fetched: %s: %s", request, why)
            return
        logger.debug(
            "Forbidden by robots.txt: %(request)s: %(why)s",
            {"request": request, "why": why},
            extra={"spider": self.crawler.spider},
        )
        self._count("robotstxt/forbidden")
        raise IgnoreRequest(f"Forbidden by robots.txt: {why}")

    async def _request_robots(self, origin: str, site: _Site, request: Request) -> None:
        """Requests a robots.txt, or waits for the request in flight."""
        if site.waiting is not None:
            done: Deferred[None] = Deferred()
            site.waiting.append(done)
            await maybe_deferred_to_future(done)
            return
        if time.time() < site.retry_at:
            return
        site.waiting = []
        try:
            site.add_answer(await self._answer(f"{origin}/robots.txt", request))
            self._log_blocked_origin(origin, site.policy(self._agent_of(request)))
        finally:
            waiting, site.waiting = site.waiting, None
            for done in waiting:
                done.callback(None)

    async def _answer(self, url: str, request: Request) -> dict[str, Any]:
        """Requests a robots.txt, and returns the answer as arguments of `Policy.update`."""
        engine = self.crawler.engine
        assert engine is not None
        downloaded: dict[str, tuple[bytes, str | None]] = {}
        meta = {
            "dont_obey_robotstxt": True,
            # A robots.txt may redirect to another host.
            "allow_offsite": True,
            "download_maxsize": MAX_BODY,
            "download_fail_on_dataloss": True,
            _DOWNLOADED: downloaded,
        }
        robots_request = Request(
            url,
            headers={"Accept-Encoding": "gzip, deflate"},
            priority=self.DOWNLOAD_PRIORITY,
            meta=meta,
            callback=NO_CALLBACK,
        )
        self._count("robotstxt/request_count")
        try:
            if hasattr(engine, "download_async"):
                response = await engine.download_async(robots_request)
            else:
                response = await maybe_deferred_to_future(engine.download(robots_request))
        except Exception as error:
            if not isinstance(error, IgnoreRequest):
                self._count(f"robotstxt/exception_count/{type(error)}")
                logger.info(
                    "No answer from %(request)s: %(error)r",
                    {"request": robots_request, "error": error},
                    extra={"spider": self.crawler.spider},
                )
            return {"failure": _failure(error), "fetched_at": time.time()}
        self._count("robotstxt/response_count")
        self._count(f"robotstxt/response_status_count/{response.status}")
        body, failure = self._body_of(response, downloaded)
        if is_partial(response.status, response.headers.items()):
            failure = "protocol"
        if failure is not None and 200 <= response.status < 300:
            return {"failure": failure, "fetched_at": time.time()}
        body = body[:_MAX_BYTES]
        if 200 <= response.status < 300 and hasattr(signals, "robots_parsed"):
            await self.crawler.signals.send_catch_log_async(
                signal=signals.robots_parsed, robotparser=RobotParser(body), request=request
            )
        meta_of_last: dict[str, Any] = response.request.meta if response.request else {}
        hops: list[str] = [*meta_of_last.get("redirect_urls", ()), response.url]
        return {
            "status": response.status,
            "body": body,
            "headers": list(response.headers.items()),
            "redirects": hops[1:],
            "fetched_at": time.time(),
        }

    def _body_of(
        self, response: Response, downloaded: dict[str, tuple[bytes, str | None]]
    ) -> tuple[bytes, str | None]:
        """Returns the body of a robots.txt, and the `failure` argument of `Policy.update` if it is not whole.

        Scrapy's middleware decompresses as much of a truncated body as possible. So the body is checked as it was downloaded, or
        as Scrapy's cache stored it. A download that only confirms a response from the cache has another body.
        """
        if "cached" not in response.flags:
            return downloaded.get(response.url) or _decompressed(response)
        cache = self.crawler.get_downloader_middleware(HttpCacheMiddleware)
        if cache is None or response.request is None:
            return _decompressed(response)
        stored = cache.storage.retrieve_response(self.crawler.spider, response.request)
        if stored is None:
            # The entry expired in the meantime.
            return b"", "local"
        # A response that was confirmed has the length of the 304, which may be 0.
        length = stored.headers.get("Content-Length", b"")
        if length.isdigit() and int(length) > len(stored.body):
            return b"", "protocol"
        return _decompressed(stored)

    def _log_blocked_origin(self, origin: str, policy: Policy) -> None:
        """Logs a warning if robots.txt is unknown, so that nothing is fetched."""
        decision = policy.decide("/")
        if decision.recommendation == "unknown_do_not_fetch_by_default":
            logger.warning(
                "robots.txt of %(origin)s: %(why)s (preset %(preset)s)",
                {
                    "origin": printable(origin),
                    "why": reason_of(decision),
                    "preset": policy.preset,
                },
                extra={"spider": self.crawler.spider},
            )

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        """Reads the directives of the page and its header."""
        if self._reads_pages and not request.meta.get("dont_obey_robotstxt"):
            html = response.body if isinstance(response, HtmlResponse) else None
            fields: list[Any] = list(response.headers.items())
            directives = PageDirectives(fields, html)
            try:
                outcome = directives.outcome(_token(self._agent_of(request)), self._profile)
            except TokenError:
                # The User-Agent header contains no product token.
                outcome = directives.outcome("*", self._profile)
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

    def _store_delay(self, origin: str, site: _Site, policy: Policy, request: Request) -> None:
        downloader = self.crawler.engine.downloader if self.crawler.engine else None
        if downloader is None:
            return
        slot = downloader.get_slot_key(request)
        delay = policy.crawl_delay()
        if not delay:
            self._remove_delay(origin, site)
            return
        # Origins with one host share a slot. The slot uses the longest of their delays.
        delays = self._delays.setdefault(slot, {})
        site.slot = slot
        if delay > self._max_delay:
            delay = self._max_delay
            if delays.get(origin) != delay:
                self._count("comity/crawl_delay/cut")
        if not delays:
            self._count("comity/crawl_delay/slots")
        delays[origin] = delay

    def _remove_delay(self, origin: str, site: _Site) -> None:
        delays = self._delays.get(site.slot, {})
        if delays.pop(origin, None) is not None and not delays:
            del self._delays[site.slot]

    def _apply_delay(self, request: Request, **_: Any) -> None:
        """Increases the delay of a slot to the crawl delay of its host, if the slot's delay is shorter."""
        key: str = request.meta.get("download_slot", "")
        delay = max(self._delays.get(key, {}).values(), default=None)
        slot = (
            self.crawler.engine.downloader.slots.get(key) if delay and self.crawler.engine else None
        )
        if slot is None or delay is None:
            return
        # Scrapy adds jitter to delays, 50 % by default. The shortest possible delay must reach the crawl delay.
        has_jitter = hasattr(slot, "jitter")
        jitter: float = slot.jitter if has_jitter else 0.5 * slot.randomize_delay
        if slot.delay * (1 - jitter) >= delay:
            return
        slot.delay = max(slot.delay, delay)
        if has_jitter:
            slot.jitter = 0.0
        else:
            slot.randomize_delay = False


#: Key in the `meta` of a request for robots.txt: a dictionary for the bodies of responses, by URL.
_DOWNLOADED = "comity_downloaded"


def _store_download(request: Request, response: Response, **_: Any) -> None:
    """Stores the body of a downloaded robots.txt. Scrapy's middleware decompresses as much of a truncated body as possible."""
    if (downloaded := request.meta.get(_DOWNLOADED)) is not None:
        downloaded[response.url] = _decompressed(response)


def _decompressed(response: Response) -> tuple[bytes, str | None]:
    return decompressed(response.body, response.headers.items())


def add_to_settings(settings: MutableMapping[Any, Any]) -> None:
    """Replaces Scrapy's middleware by `RobotsTxtMiddleware`, and sets `ROBOTSTXT_OBEY`.

    `settings` is a `scrapy.settings.Settings`, the `custom_settings` of a spider, or `globals()` at the end of `settings.py`.
    If `DOWNLOADER_MIDDLEWARES` already has the middleware, its order does not change.
    """
    replaced = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
    middlewares = dict(settings.get("DOWNLOADER_MIDDLEWARES") or {})
    settings["ROBOTSTXT_OBEY"] = True
    settings["DOWNLOADER_MIDDLEWARES"] = {
        "comity.scrapy.RobotsTxtMiddleware": 100,
        **middlewares,
        replaced: None,
    }


class SigningMiddleware:
    """Signs requests, including requests after redirects, with the identity in the file `COMITY_IDENTITY`.

    A request without TLS is not signed.
    """

    def __init__(self, signer: Signer) -> None:
        self._signer = signer

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Reads the identity file that `COMITY_IDENTITY` names."""
        path = crawler.settings.get("COMITY_IDENTITY")
        if not path:
            raise SettingError(
                "COMITY_IDENTITY is not set: set it to the path of an identity file (`comity identity new` creates one)"
            )
        return cls(Signer(path))

    def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Replaces the signature of a request. Each hop of a redirect has its own signature."""
        # A redirected or retried request still has the signature of the first one.
        for name in FIELDS:
            request.headers.pop(name, None)
        if not request.url.lower().startswith("https://"):
            return
        fields: list[Any] = list(request.headers.items())
        for name, value in self._signer.sign(request.method, request.url, fields).items():
            request.headers[name] = value


def _token(user_agent: str | bytes) -> str:
    """Returns the product token in a `User-Agent` header, for directives that name a crawler.

    A header that begins like a browser's has the token in the comment: `Mozilla/5.0 (compatible; ExampleBot/1.0; +...)`.
    """
    text = user_agent.decode("utf-8", "replace") if isinstance(user_agent, bytes) else user_agent
    hidden = re.search(r"\(compatible;\s*([^\s/;()]+)", text)
    token = hidden or re.match(r"\s*([^\s/;()]+)", text)
    return token[1] if token else ""


#: Failure for each class name of an exception in Scrapy's download handlers. No version of Scrapy has all of these classes.
_FAILURES = {
    "CannotResolveHostError": "dns",
    "DNSLookupError": "dns",
    "DownloadTimeoutError": "timeout",
    "TimeoutError": "timeout",
    "TCPTimedOutError": "timeout",
    "UserTimeoutError": "timeout",
    "DownloadCancelledError": "oversize",
    "UnsupportedURLSchemeError": "local",
    "NotSupported": "local",
    "_DecompressionMaxSizeExceeded": "oversize",
    "BadGzipFile": "unsupported_coding",
    "ZstdError": "unsupported_coding",
    # The name of these classes in zlib and Brotli.
    "error": "unsupported_coding",
}


def _failure(error: BaseException) -> str:
    """Returns the `failure` argument of `Policy.update` for an exception."""
    if str(error) == "max redirections reached":
        return "redirects"
    seen: BaseException | None = error
    names: set[str] = set()
    while seen is not None:
        if isinstance(seen, ssl.SSLError) or type(seen).__module__.startswith("OpenSSL"):
            return "tls"
        names.update(kind.__name__ for kind in type(seen).__mro__)
        # Twisted wraps the exceptions that ended a connection.
        reasons = getattr(seen, "reasons", None) or ()
        causes = [getattr(reason, "value", None) for reason in reasons]
        if any(type(cause).__module__.startswith("OpenSSL") for cause in causes):
            return "tls"
        seen = seen.__cause__
    # A component of the crawl raises `IgnoreRequest`, for example a filter.
    default = "local" if isinstance(error, IgnoreRequest) else "connection"
    return next((failure for name, failure in _FAILURES.items() if name in names), default)
