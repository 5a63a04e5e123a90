"""The compiled half; import from ``comity`` instead. The docstrings describe every item."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from os import PathLike
from typing import Any, Literal, Protocol, final

from . import agents, decisions, identity, llms, page, robots, sitemap, usage
from ._names import Dialect, Preset
from ._urls import UrlLike
from .client import AnswerHeaders
from .findings import Finding

__version__: str

_Octets = bytes | bytearray | memoryview | str
_Moment = float | datetime
_Fields = (
    Mapping[str, str | bytes | Iterable[str | bytes]]
    | Iterable[tuple[str, str | bytes]]
    | str
    | bytes
)
_Verdict = Literal[
    "allowed_explicit",
    "allowed_implicit",
    "disallowed_explicit",
    "unknown_unreachable",
    "unknown_parse_error",
    "skipped_by_user_policy",
]
_Recommendation = Literal[
    "recommended", "not_recommended", "allowed_but_warn", "unknown_do_not_fetch_by_default"
]

class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...

@final
class Agent:
    """The crawler on whose behalf a question is asked.

    `Agent("GPTBot")` is a crawler by its product token, the name that robots.txt knows it by; a plain `str` says the
    same wherever an agent is asked for. A text that cannot be a token (empty, or with `/`, `(`, `;`, `,`, a control
    character, or white space that no known crawler's name has) raises `TokenError`; `*` asks for every crawler that no
    group names. `Agent.header("Mozilla/5.0 (compatible; GPTBot/1.2; ...)")` is a crawler by the whole value of its
    `User-Agent` header.

    `fallbacks` are further tokens to try, in order and before `*`, when no group names the crawler; a crawler with
    `ignores_star` does not follow the group of `*`.
    """
    def __new__(
        cls, token: str, *, fallbacks: Sequence[str] = ..., ignores_star: bool = False
    ) -> Agent: ...
    @staticmethod
    def header(
        user_agent: _Octets, *, fallbacks: Sequence[str] = ..., ignores_star: bool = False
    ) -> Agent:
        """A crawler by the whole value of its User-Agent header."""
    @staticmethod
    def _restore(
        name: str, is_header: bool, fallbacks: Sequence[str], ignores_star: bool
    ) -> Agent: ...
    @property
    def name(self) -> str:
        """The token or header as given."""
    @property
    def is_header(self) -> bool:
        """True if it was given as a whole User-Agent header."""
    @property
    def fallbacks(self) -> tuple[str, ...]:
        """Further tokens to try, in order."""
    @property
    def ignores_star(self) -> bool:
        """True if it does not follow the group of `*`."""
    def __hash__(self) -> int: ...

_Agent = str | Agent

@final
class Decision:
    """The decision about fetching a URL: what is known, what to do about it, and why.

    `is_allowed`, and the truth of the decision itself, say whether a well-behaved program may fetch. What the decision
    does not have is None: one that `Robots` or `Rules` made knows no preset and no transport.
    """
    @property
    def is_allowed(self) -> bool:
        """True if a well-behaved program may fetch: by the rules, and by preset and mode where there are such."""
    @property
    def blocked(self) -> bool:
        """True if the fetch must not be made: the opposite of `is_allowed`."""
    @property
    def verdict(self) -> _Verdict:
        """Returns what is known: `allowed_explicit`, `allowed_implicit`, `disallowed_explicit`, `unknown_unreachable`,
        `unknown_parse_error` or `skipped_by_user_policy`.
        """
    @property
    def recommendation(self) -> _Recommendation:
        """Returns what a well-behaved program does about it: `recommended`, `not_recommended`, `allowed_but_warn` or
        `unknown_do_not_fetch_by_default`.
        """
    @property
    def line(self) -> int | None:
        """The line that decided, from 1, if one did."""
    # <!-- decision -->
    @property
    def rule(self) -> decisions.Rule | None: ...
    @property
    def group(self) -> str | None: ...
    @property
    def basis(self) -> Literal["rule", "no_rule", "no_group", "robots_txt"] | None: ...
    @property
    def crawl_delay_seconds(self) -> float | None: ...
    @property
    def crawl_delay_source(self) -> Literal["crawl_delay", "request_rate"] | None: ...
    @property
    def dialect(self) -> str: ...
    @property
    def preset(self) -> str | None: ...
    @property
    def mode(self) -> Literal["respect", "report_only", "ignore"] | None: ...
    @property
    def overrides(self) -> dict[str, Any] | None: ...
    @property
    def treatment(self) -> str | None: ...
    @property
    def failed_open(self) -> bool: ...
    @property
    def stale(self) -> bool | None: ...
    @property
    def evidence(self) -> decisions.Evidence | None: ...
    @property
    def outage(self) -> decisions.Outage | None: ...
    # <!-- end of decision -->
    def to_dict(self) -> dict[str, Any]:
        """The same as a dictionary, in the words of the command's JSON."""
    def to_json(self) -> str:
        """The same as JSON."""
    def __bool__(self) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Rules:
    """The rules of a robots.txt that speak to one crawler: what a crawler keeps per host.

    They do not hold the file. A copy for another process is made there, of the file: `Robots` can be pickled.
    """
    @property
    def dialect(self) -> Dialect:
        """The name of the dialect that they follow."""
    @property
    def group(self) -> str | None:
        """The name by which the group was chosen: the crawler's own, `*`, or None if no group speaks to it."""
    @property
    def crawl_delay(self) -> float | None:
        """The seconds that the crawler is asked to wait between two requests."""
    @property
    def request_rate(self) -> robots.RequestRate | None:
        """Returns how many documents in how much time the crawler is asked to be content with."""
    @property
    def visit_time(self) -> robots.VisitTime | None:
        """The time of day, in UTC, at which the crawler is asked to come."""
    @property
    def heap_bytes(self) -> int:
        """Bytes that they keep in memory beside the object itself."""
    def is_allowed(self, url: UrlLike) -> bool:
        """Returns whether a URL may be fetched. `decide` also says why."""
    def are_allowed(self, urls: Iterable[UrlLike]) -> list[bool | None]:
        """Returns whether each of several URLs may be fetched, such as the links of a page; None for what is neither an
        absolute URL nor a path. Asking about many at once is faster than about one after the other.
        """
    def decide(self, url: UrlLike) -> Decision:
        """Decides one URL, with the evidence."""
    def contenders(self, url: UrlLike) -> list[decisions.Contender]:
        """Every rule that matches a URL, in order of precedence, with what becomes of it. `Robots.explain` has them with
        the decision and the groups of the file.
        """
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[decisions.Rule]: ...

@final
class Robots:
    """A robots.txt, read in one dialect.

    Reading never fails: any bytes are a robots.txt, if perhaps one without records.

        >>> robots = Robots.parse("User-agent: *\\nDisallow: /search\\nAllow: /search/about\\n")
        >>> robots.is_allowed("examplebot", "https://example.com/search?q=1")
        False
        >>> robots.decide("examplebot", "https://example.com/search/about").line
        3
    """
    @staticmethod
    def parse(body: _Octets, *, dialect: Dialect = "rfc9309", charset: str | None = None) -> Robots:
        """Reads a body, `bytes` or `str`, in a dialect (`comity.dialects()` lists them).

        `charset` is the label in the Content-Type, if there was one; only dialects that match characters rather than
        bytes look at it, and only for `bytes`: a `str` is decoded already.
        """
    @property
    def dialect(self) -> Dialect:
        """The name of the dialect it was read in."""
    @property
    def body(self) -> bytes:
        """The body as it was given."""
    @property
    def truncated(self) -> bool:
        """True if the dialect did not read all of it, because it is too long."""
    @property
    def sitemaps(self) -> list[str]:
        """The values of the `Sitemap` records."""
    @property
    def records(self) -> list[robots.Record]:
        """Every record, in the order of the file."""
    @property
    def groups(self) -> list[robots.Group]:
        """Every group, in the order of the file."""
    def rules_for(self, agent: _Agent) -> Rules:
        """The rules that speak to a crawler: what to keep of the file for one that asks often."""
    def is_allowed(self, agent: _Agent, url: UrlLike) -> bool:
        """Returns whether a crawler may fetch a URL. `decide` also says why."""
    def are_allowed(self, agent: _Agent, urls: Iterable[UrlLike]) -> list[bool | None]:
        """Returns whether a crawler may fetch each of several URLs, such as the links of a page; None for what is neither
        an absolute URL nor a path. Asking about many at once is faster than about one after the other.
        """
    def decide(self, agent: _Agent, url: UrlLike) -> Decision:
        """Decides one URL for a crawler, with the evidence."""
    def explain(self, agent: _Agent, url: UrlLike) -> decisions.Explanation:
        """Decides one URL for a crawler, and says which groups speak to it and what became of every rule that matched."""
    def crawl_delay(self, agent: _Agent) -> float | None:
        """The seconds that a crawler is asked to wait between two requests."""
    def request_rate(self, agent: _Agent) -> robots.RequestRate | None:
        """Returns how many documents in how much time a crawler is asked to be content with."""
    def visit_time(self, agent: _Agent) -> robots.VisitTime | None:
        """The time of day, in UTC, at which a crawler is asked to come."""
    def extent(self, agent: _Agent) -> robots.Extent:
        """Returns how much of the site is open to a crawler."""
    def lint(self) -> list[Finding]:
        """Returns what is wrong or doubtful about the file, each with its place and the way out."""
    def __hash__(self) -> int: ...

def is_allowed(body: _Octets, agent: _Agent, url: UrlLike, *, dialect: Dialect = "rfc9309") -> bool:
    """Answers one question about one body without keeping anything of it: the quickest way for a body that is asked about
    once.
    """

def dialects() -> list[Dialect]:
    """The names of the dialects."""

def presets() -> list[Preset]:
    """The names of the presets."""

@final
class Policy:
    """Decides what one crawler may fetch from one origin, given the answers to requests for its robots.txt.

        >>> policy = Policy("examplebot")
        >>> policy.update(200, "User-agent: *\\nDisallow: /private\\n")
        >>> policy.decide("https://example.com/private/a").verdict
        'disallowed_explicit'
        >>> policy.update(503)                         # the last good copy serves
        >>> policy.decide("https://example.com/public").is_allowed
        True

    `on_unreachable` (`deny`, `warn`, `allow`) and `max_age` (seconds) are choices of one's own beside the preset.

    Times are seconds since 1970 or datetimes that know their time zone; where none is given, the clock is read.
    """
    def __new__(
        cls,
        agent: _Agent,
        *,
        preset: Preset = "rfc9309",
        mode: Literal["respect", "report_only", "ignore"] | None = None,
        on_unreachable: Literal["deny", "warn", "allow"] | None = None,
        max_age: float | None = None,
    ) -> Policy: ...
    def update(
        self,
        status: int | None = None,
        body: _Octets | None = None,
        *,
        failure: str | None = None,
        headers: _Fields | None = None,
        fetched_at: _Moment | None = None,
        redirects: Sequence[str] = ...,
        digest: str | None = None,
    ) -> None:
        """Takes in the next answer: a status code with its header and body, or `failure`, the reason why there was none
        (`timeout`, `dns`, `tls`, `connection`, `protocol`, `redirects`, `guard`, `oversize`, `unsupported_coding`,
        `local`).

        A body is `bytes` as the server sent them, or `str`, which no charset applies to. A 2xx answer without a body leaves
        robots.txt unknown; an empty file is `b""`. A 3xx other than 304 is a redirect that was not followed, which leaves
        it unknown, too; pass `failure="redirects"` after following as many as you would.
        """
    @classmethod
    def from_response(
        cls,
        agent: _Agent,
        response: object,
        *,
        preset: Preset = "rfc9309",
        mode: Literal["respect", "report_only", "ignore"] | None = None,
        on_unreachable: Literal["deny", "warn", "allow"] | None = None,
        max_age: float | None = None,
        fetched_at: _Moment | None = None,
    ) -> Policy:
        """Makes the policy that follows from the response to a request for robots.txt.

        Takes a response of `requests`, `httpx`, `aiohttp` (after `await response.read()`), `urllib` or Scrapy, with its
        status, header, body and redirects. A response in a content coding that the library did not decode counts as
        unreachable. A request for another path than `/robots.txt` causes a `ComityWarning`. Raises `ReadError` if the
        body was not read, or was read before and not kept.
        """
    def update_from(self, response: object, *, fetched_at: _Moment | None = None) -> None:
        """Applies the response to the next request for robots.txt, as `from_response` reads it."""
    def decide(self, url: UrlLike, now: _Moment | None = None) -> Decision:
        """Decides one URL at a time."""
    def is_allowed(self, url: UrlLike, now: _Moment | None = None) -> bool:
        """Returns whether a URL may be fetched at a time. `decide` also says why."""
    def is_fresh(self, now: _Moment | None = None) -> bool:
        """Returns whether robots.txt need not be asked for at a time."""
    def treatment(self, now: _Moment | None = None) -> str:
        """Returns what the preset does at a time."""
    def crawl_delay(self, now: _Moment | None = None) -> float | None:
        """The seconds that the crawler is asked to wait between two requests."""
    def request_rate(self, now: _Moment | None = None) -> robots.RequestRate | None:
        """Returns how many documents in how much time the crawler is asked to be content with."""
    def visit_time(self, now: _Moment | None = None) -> robots.VisitTime | None:
        """The time of day, in UTC, at which the crawler is asked to come."""
    @property
    def evidence(self) -> decisions.Evidence | None:
        """The latest answer; None if there was none yet."""
    @property
    def preset(self) -> Preset:
        """The preset."""
    @property
    def dialect(self) -> Dialect:
        """The dialect in which the preset reads robots.txt."""
    @property
    def mode(self) -> Literal["respect", "report_only", "ignore"]:
        """The mode."""
    def set_site_is_reachable(self, reachable: bool) -> None:
        """Tells whether the rest of the site can be reached, which some presets want to know in a long outage."""

@final
class Signer:
    """Signs requests, so that sites can tell the crawler from those who use its name.

    `Signer(path)` reads the file that `comity identity new` made. The private keys in it are never shown.

        >>> signer = Signer("bot.identity.json")  # doctest: +SKIP
        >>> sorted(signer.sign("GET", "https://example.com/heron"))  # doctest: +SKIP
        ['Signature', 'Signature-Agent', 'Signature-Input']
    """
    def __new__(cls, path: str | PathLike[str]) -> Signer: ...
    @staticmethod
    def from_json(text: _Octets) -> Signer:
        """Reads the content of such a file, for keys that are kept elsewhere. Raises `ReadError` for anything else."""
    @property
    def identifier(self) -> str:
        """The address at which the keys are published: the name that verifiers know the signer by."""
    @property
    def keys(self) -> list[str]:
        """The names of the keys (RFC 7638)."""
    def directory(self, *, now: _Moment | None = None) -> str:
        """Returns the directory to publish at `identifier`, as JSON: the public keys that count at a time or later."""
    def sign(
        self,
        method: str,
        url: UrlLike,
        headers: _Fields | None = None,
        *,
        nonce: str | None = None,
        now: _Moment | None = None,
    ) -> dict[str, str]:
        """Returns the header fields that sign a request: `Signature-Agent`, `Signature-Input` and `Signature`.

        The URL is signed as it stands, so give it as it is sent; a `Host` among the header fields stands for its host. Raises
        `SignError` for a request without TLS, for one that is signed already, and if no key counts.
        """
    def answer(
        self,
        answer: _Fields,
        method: str,
        url: UrlLike,
        headers: _Fields | None = None,
        *,
        now: _Moment | None = None,
    ) -> dict[str, str] | None:
        """Returns the header fields that sign a request as a site asked for it, by `Accept-Signature` among the header fields of
        its answer: under its label, and with its nonce. None if it asked for nothing that this signer can give.
        """

@final
class Verifier:
    """Judges whose requests are, by directories that are at hand. It asks nobody: fetch `Outcome.directory`, and give it to
    `add_directory`.

    Signatures count for `max_lifetime` seconds at most (None: any time), and signers' clocks may be ahead by `clock_skew`
    seconds.
    """
    def __new__(
        cls,
        *,
        clock_skew: float = 60.0,
        max_lifetime: float | None = 86_400.0,
        accept_bare_agent: bool = False,
        accept_test_keys: bool = False,
    ) -> Verifier: ...
    def add_directory(
        self,
        place: str,
        body: _Octets,
        *,
        status: int = 200,
        headers: _Fields | None = None,
        url: UrlLike | None = None,
        now: _Moment | None = None,
    ) -> list[str]:
        """Takes the directory of a signer, by its origin (`https://bot.example`) or the address of its key set, and returns the
        names of its keys.

        `status`, `headers` and `url` are those of the answer that had the body; without them it is taken for what the place
        served. Raises `ReadError` if a verifier may not go by it: keys that were known before stay known then.
        """
    def verify(
        self, method: str, url: UrlLike, headers: _Fields, *, now: _Moment | None = None
    ) -> identity.Outcome:
        """Returns whose request it is: `verified`, `invalid`, `unverified` or `not_signed`, and why.

        The URL is that which the client asked for, with the scheme of its side where a proxy ends TLS. A signature is invalid if a
        `Host` among the header fields names another host than the URL.
        """

@final
class PageDirectives:
    """The directives of a page and its header: what they ask of those who use the page.

    None of it forbids to fetch the page; that is for robots.txt.

        >>> directives = PageDirectives({"X-Robots-Tag": "noindex"}, html="<meta name=robots content=nofollow>")
        >>> [warning.warning for warning in directives.outcome("examplebot").warnings]
        ['do_not_index', 'do_not_follow']
    """
    def __new__(
        cls,
        headers: _Fields | None = None,
        html: _Octets | None = None,
        *,
        charset: str | None = None,
    ) -> PageDirectives: ...
    @property
    def statements(self) -> list[page.Statement]:
        """Every directive, in the order of header and page."""
    @property
    def findings(self) -> list[Finding]:
        """Returns the findings."""
    def outcome(
        self, token: str, profile: str = "google", now: _Moment | None = None
    ) -> page.Outcome:
        """Returns what the directives come to for a crawler, by its product token, under a profile (`google`, `bing`,
        `yandex` or `draft`), at a time. Raises `TokenError` for a text that is no token; `*` is no crawler in particular.
        """

def usage_report(
    url: UrlLike,
    agent: _Agent,
    *,
    robots: Robots | None,
    headers: _Fields | None,
    html: _Octets | None,
    tdmrep: _Octets | None,
    rsl: Sequence[_Octets],
    user: str | None,
    place: str | None,
    vocabulary: str,
) -> usage.Report:
    """Returns what every signal says of the use of a URL; `comity.usage.report` is its documented form."""

@final
class SitemapReader:
    """The items of a sitemap: an iterator of `Url`, `Sitemap` and `Finding`.

    It streams: of a file of any size, one entry at a time is in memory. What is broken is mended or left out, and a
    `Finding` says so.
    """
    def __new__(
        cls,
        source: str | PathLike[str] | bytes | bytearray | _Readable,
        *,
        url: UrlLike | None = None,
        scope: Literal["any", "report", "drop"] = "any",
        proven_hosts: Sequence[str] = ...,
        max_entries: int | None = None,
        max_bytes: int | None = None,
        stop_at_limits: bool = False,
        find_duplicates: bool = False,
    ) -> SitemapReader: ...
    @property
    def summary(self) -> sitemap.Summary:
        """Returns what is known about the file by now; all of it once the iterator has ended."""
    def __iter__(self) -> SitemapReader: ...
    def __next__(self) -> sitemap.Url | sitemap.Sitemap | Finding: ...

@final
class LlmsTxt:
    """An llms.txt: a hint, of less authority than any other manifest. It permits nothing.

    >>> llms = LlmsTxt.parse("# Reed\\n\\n> Tools.\\n\\n## Docs\\n\\n- [Start](https://example.com/start.md): how\\n")
    >>> llms.grade
    'H1, summary and sections with links'
    >>> [link.target for link in llms.links]
    ['https://example.com/start.md']
    """
    @staticmethod
    def parse(
        body: _Octets,
        *,
        url: UrlLike | None = None,
        charset: str | None = None,
        max_bytes: int | None = None,
        max_links: int | None = None,
    ) -> LlmsTxt:
        """Reads a body. With the URL that it came from, the links in it are resolved against it."""
    @property
    def kind(self) -> str:
        """The kind of the body: an llms.txt, or what else it is: `markdown`, `html`, ..."""
    @property
    def grade(self) -> str:
        """Returns how near it is to the proposal."""
    @property
    def grade_level(self) -> int:
        """The grade as a number, from 0 to 4."""
    @property
    def title(self) -> str | None:
        """The H1."""
    @property
    def summary(self) -> str | None:
        """The blockquote."""
    @property
    def details(self) -> str | None:
        """The text before the first section."""
    @property
    def sections(self) -> list[llms.Section]:
        """The sections, with their links."""
    @property
    def links(self) -> list[llms.Link]:
        """Every link, in the order of the file."""
    @property
    def findings(self) -> list[Finding]:
        """Returns the findings."""
    @property
    def truncated(self) -> bool:
        """True if limits cut it short."""
    def candidates(
        self, page: UrlLike, strategy: Literal["prefer", "force", "disabled"] = "prefer"
    ) -> list[llms.Candidate]:
        """The URLs to try for a page, best first. `strategy` is `prefer`, `force` or `disabled`.

        None of them is permitted by being listed: ask the robots.txt of each candidate's own origin.
        """
    def to_dict(self) -> dict[str, Any]:
        """The same as a dictionary, in the words of the command's JSON."""

def check_strict(body: _Octets) -> Finding | None:
    """Returns where a body first departs from the proposal's form, as a `Finding`; None if it follows it to the letter."""

def markdown_variants(page: UrlLike) -> list[str]:
    """The Markdown forms that a page may have, by URL."""

def all_agents() -> list[agents.KnownAgent]:
    """Every known crawler, sorted by token; `comity.agents.all` is its documented form."""

def known_agent(token: str) -> agents.KnownAgent | None:
    """The crawler with this product token; `comity.agents.known` is its documented form."""

def warn_of_name(token: str) -> None:
    """Warns about the name of a client, as `comity.Client` is given it."""

def closest_agent(token: str) -> agents.KnownAgent | None:
    """The crawler that a misspelt token may mean; `comity.agents.closest` is its documented form."""

def audit(
    request: Mapping[str, object],
    client: NativeClient | None,
    progress: Callable[[str, int, int | None, int], object] | None,
) -> dict[str, Any]:
    """Decides the pages of a request, and returns the manifest."""

def audit_index(
    sources: Sequence[str],
    output: str,
    progress: Callable[[str, int, int | None, int], object] | None,
) -> dict[str, Any]:
    """Gathers robots.txt answers into an index, and returns its summary."""

def audit_verify(manifest: str, table: str | None, inputs: bool) -> Any:
    """Checks a table against its manifest, and returns the comparisons."""

def audit_report(manifest: Mapping[str, Any], output: str) -> None:
    """Writes the report of a manifest."""

def run(arguments: Sequence[str]) -> int:
    """Runs the command with these arguments, without its own name, and returns its exit code.

    It reads and prints through the file descriptors, not through `sys.stdin` and `sys.stdout`.
    """

@final
class Page:
    """An answer with any status code, and the record of how it came."""
    @property
    def status(self) -> int:
        """The status code; 404 is a page, too."""
    @property
    def is_success(self) -> bool:
        """True if the status code is 200 to 299."""
    @property
    def url(self) -> str:
        """Returns where it came from in the end."""
    @property
    def headers(self) -> dict[str, str]:
        """The header: lower-case names; values of a field that came more than once are joined by a comma."""
    @property
    def raw_headers(self) -> list[tuple[str, bytes]]:
        """The header fields one by one, values as they came."""
    @property
    def body(self) -> bytes:
        """The body, content encodings undone."""
    @property
    def text(self) -> str:
        """The body as text: a byte order mark decides, then the header's charset, then HTML's own, then UTF-8."""
    @property
    def record(self) -> dict[str, Any]:
        """Everything that led to it, in the words of the command's JSON: hops with their decisions, waits and attempts,
        digests, warnings.
        """
    @property
    def warnings(self) -> list[dict[str, str]]:
        """Returns what is asked of those who use the content, each with `kind`, `name` and `message`. None of it blocked
        the fetch.
        """
    @property
    def decision(self) -> Decision | None:
        """Returns what robots.txt said about the URL that was fetched in the end."""
    @property
    def usage(self) -> usage.Report | None:
        """Returns what every signal says of the use of the content, if it was looked at (`fetch.reads_use`)."""
    @property
    def directives(self) -> PageDirectives:
        """The directives of header and page."""
    def markdown(self) -> str:
        """The page as Markdown, links absolute; text that is not HTML comes as it is. What a bound of the conversion left
        out is told by `warnings`.
        """
    def json(self) -> Any:
        """Returns the body read as JSON. Raises `ValueError`, as `json.loads` does."""
    def raise_for_status(self) -> Page:
        """Returns the page itself; raises `StatusError` if its status code is 400 or more."""

def keywords() -> dict[str, tuple[str, str, bool]]:
    """Returns the keywords of a client: for each the section and the key of its setting, and whether it takes several values."""

def new_name(key: str) -> str | None:
    """Returns the name that a setting of another library has here, if it is one."""

# A synchronous client returns the results of these two classes directly; an asynchronous client returns awaitables.
@final
class NativeClient:
    def __new__(cls, settings: dict[str, dict[str, object]], is_async: bool) -> NativeClient: ...
    def fetch(
        self,
        url: UrlLike,
        llms: str | None,
        headers: _Fields | None,
        max_wait: float | None,
        timeout: float | None,
        max_bytes: int | None,
        content_types: Sequence[str] | None,
    ) -> Any: ...
    def admit(self, url: UrlLike, max_wait: float | None) -> Any: ...
    @property
    def user_agent(self) -> str: ...
    def crawl(
        self,
        jobs: int | None,
        max_queued: int | None,
        llms: str | None,
        headers: _Fields | None,
        max_wait: float | None,
        timeout: float | None,
        max_bytes: int | None,
        content_types: Sequence[str] | None,
    ) -> NativeCrawl: ...
    def decide(self, url: UrlLike) -> Any: ...
    def crawl_delay(self, url: UrlLike) -> Any: ...
    def robots(self, url: UrlLike) -> Any: ...
    def forget(self, url: UrlLike) -> Any: ...
    def discover(self, url: UrlLike) -> Walk: ...
    def counters(self) -> dict[str, int]: ...
    def close(self) -> None: ...
    def names(self) -> tuple[str, str, str]: ...

@final
class NativeAdmission:
    @property
    def url(self) -> str: ...
    @property
    def addresses(self) -> list[tuple[str, int]]: ...
    @property
    def decision(self) -> Decision: ...
    @property
    def waited(self) -> float: ...
    def answered(self, status: int, headers: AnswerHeaders | None) -> Any: ...
    def failed(self) -> None: ...
    def close(self) -> None: ...

@final
class NativeCrawl:
    def next(self, returns_room: bool) -> Any: ...
    def room(self) -> Any: ...
    def feed(self, urls: list[str], is_over: bool) -> None: ...
    def progress(self) -> dict[str, int]: ...
    def close(self) -> None: ...

@final
class Walk:
    """A walk over sitemaps: asked for the next few steps until there are none."""
    def next(self) -> Any:
        """The next steps as a list; it is empty at the end."""

class _ArrowArray(Protocol):
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

_Names = Sequence[tuple[str, str | None]]

@final
class NativeRobotsTable:
    def __new__(cls, data: _ArrowArray | _ArrowStream, names: _Names) -> NativeRobotsTable: ...
    @property
    def bare_hosts(self) -> int: ...
    def __len__(self) -> int: ...

@final
class NativeBatch:
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class NativeColumn:
    def __len__(self) -> int: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...

@final
class NativeStream:
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class NativeAuditor:
    def __new__(
        cls,
        *,
        agent: _Agent | None,
        table: NativeRobotsTable | None,
        preset: Preset,
        dialect: Dialect | None,
        outputs: Sequence[str],
        names: _Names,
        keep: bool,
        prefix: str,
        dictionary: bool,
        cache_bytes: int,
        versions: str,
        threads: int,
    ) -> NativeAuditor: ...
    def decide_batch(self, data: _ArrowArray) -> NativeBatch: ...
    def decide_stream(self, data: _ArrowStream) -> NativeStream: ...

def origin(url: UrlLike) -> str | None:
    """The origin of a URL, or None."""

def origins(urls: _ArrowArray) -> NativeColumn:
    """The origins of a column of URLs."""

def outputs() -> tuple[list[str], list[str], list[str]]:
    """The names of the verdict columns: those about fetching, the others about fetching, those about use."""
