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
    """A crawler, by product token or `User-Agent` header.

    `Agent("GPTBot")` has a product token: the crawler's name in robots.txt. Every parameter that takes an agent also
    takes the token as a plain `str`. `*` stands for a crawler that no group names. A text that cannot be a token raises
    `TokenError`: an empty text, or one with `/`, `(`, `;`, `,`, a control character, or white space that is not part of
    a known crawler's name. `Agent.header("Mozilla/5.0 (compatible; GPTBot/1.2; ...)")` has the whole value of a
    `User-Agent` header.

    `fallbacks` are further tokens to try, in order and before `*`, if no group names the crawler. A crawler with
    `ignores_star` does not follow the group of `*`.
    """
    def __new__(
        cls, token: str, *, fallbacks: Sequence[str] = ..., ignores_star: bool = False
    ) -> Agent: ...
    @staticmethod
    def header(
        user_agent: _Octets, *, fallbacks: Sequence[str] = ..., ignores_star: bool = False
    ) -> Agent:
        """Returns the crawler with the whole value of a User-Agent header."""
    @staticmethod
    def _restore(
        name: str, is_header: bool, fallbacks: Sequence[str], ignores_star: bool
    ) -> Agent: ...
    @property
    def name(self) -> str:
        """The token or header as given."""
    @property
    def is_header(self) -> bool:
        """True if the name is a whole User-Agent header."""
    @property
    def fallbacks(self) -> tuple[str, ...]:
        """Further tokens to try, in order."""
    @property
    def ignores_star(self) -> bool:
        """True if the crawler does not follow the group of `*`."""
    def __hash__(self) -> int: ...

_Agent = str | Agent

@final
class Decision:
    """A decision about fetching a URL: verdict, recommendation and evidence.

    `is_allowed` is True if a well-behaved program may fetch the URL, and so is the decision itself in a condition. Fields
    without a value are None: a decision of `Robots` or `Rules` has no preset and no HTTP answer.
    """
    @property
    def is_allowed(self) -> bool:
        """True if a well-behaved program may fetch: by the rules, and by preset and mode if the decision has them."""
    @property
    def blocked(self) -> bool:
        """True if a well-behaved program must not fetch: the opposite of `is_allowed`."""
    @property
    def verdict(self) -> _Verdict:
        """The result of the rules: `allowed_explicit`, `allowed_implicit`, `disallowed_explicit`, `unknown_unreachable`,
        `unknown_parse_error` or `skipped_by_user_policy`.
        """
    @property
    def recommendation(self) -> _Recommendation:
        """The advice for a well-behaved program: `recommended`, `not_recommended`, `allowed_but_warn` or
        `unknown_do_not_fetch_by_default`.
        """
    @property
    def line(self) -> int | None:
        """The line number of the deciding rule, from 1, or None if no rule decided."""
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
        """Returns the decision as a dictionary with the field names of the command's JSON."""
    def to_json(self) -> str:
        """Returns the decision as JSON."""
    def __bool__(self) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Rules:
    """The rules of a robots.txt for one crawler, in the form that a crawler stores per host.

    The object does not contain the file, so it cannot be pickled. For another process, pickle the `Robots`, and call its
    `rules_for` there.
    """
    @property
    def dialect(self) -> Dialect:
        """The name of the dialect."""
    @property
    def group(self) -> str | None:
        """The name that selected the group: the crawler's, or `*`; None if no group applies to the crawler."""
    @property
    def crawl_delay(self) -> float | None:
        """The crawl delay for the crawler, in seconds, or None if the file has none."""
    @property
    def request_rate(self) -> robots.RequestRate | None:
        """The request rate for the crawler (documents per period), or None if the file has none."""
    @property
    def visit_time(self) -> robots.VisitTime | None:
        """The time of day, in UTC, at which the crawler should visit, or None if the file has none."""
    @property
    def heap_bytes(self) -> int:
        """The memory that the rules use in addition to the object itself, in bytes."""
    def is_allowed(self, url: UrlLike) -> bool:
        """Returns True if a URL may be fetched. `decide` also returns the evidence."""
    def are_allowed(self, urls: Iterable[UrlLike]) -> list[bool | None]:
        """Returns for each of several URLs, such as the links of a page, whether it may be fetched. The value is None for a
        text that is neither an absolute URL nor a path. One call is faster than a call of `is_allowed` per URL.
        """
    def decide(self, url: UrlLike) -> Decision:
        """Decides one URL, and returns the decision with its evidence."""
    def contenders(self, url: UrlLike) -> list[decisions.Contender]:
        """Returns every rule that matches a URL, in order of precedence and with its role. `Robots.explain` also returns the
        decision and the groups of the file.
        """
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[decisions.Rule]: ...

@final
class Robots:
    """A robots.txt, parsed in one dialect.

    Parsing never fails. Bytes that are not a robots.txt give a file without records.

        >>> robots = Robots.parse("User-agent: *\\nDisallow: /search\\nAllow: /search/about\\n")
        >>> robots.is_allowed("examplebot", "https://example.com/search?q=1")
        False
        >>> robots.decide("examplebot", "https://example.com/search/about").line
        3
    """
    @staticmethod
    def parse(body: _Octets, *, dialect: Dialect = "rfc9309", charset: str | None = None) -> Robots:
        """Parses a body (`bytes` or `str`) in a dialect (`comity.dialects()` lists them).

        `charset` is the label in the Content-Type, if there was one. Only dialects that match characters instead of bytes
        use it. It is ignored for a `str`, which is already decoded.
        """
    @property
    def dialect(self) -> Dialect:
        """The name of the dialect in which the file was parsed."""
    @property
    def body(self) -> bytes:
        """The body that was passed to `parse`; text is encoded as UTF-8."""
    @property
    def truncated(self) -> bool:
        """True if the file exceeds the size limit of the dialect, so that its end was not read."""
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
        """Returns the rules for a crawler. They need less memory than the file, which they do not contain."""
    def is_allowed(self, agent: _Agent, url: UrlLike) -> bool:
        """Returns True if a crawler may fetch a URL. `decide` also returns the evidence."""
    def are_allowed(self, agent: _Agent, urls: Iterable[UrlLike]) -> list[bool | None]:
        """Returns for each of several URLs, such as the links of a page, whether a crawler may fetch it. The value is None for
        a text that is neither an absolute URL nor a path. One call is faster than a call of `is_allowed` per URL.
        """
    def decide(self, agent: _Agent, url: UrlLike) -> Decision:
        """Decides one URL for a crawler, and returns the decision with its evidence."""
    def explain(self, agent: _Agent, url: UrlLike) -> decisions.Explanation:
        """Decides one URL for a crawler, and returns the groups that apply to it and every rule that matched, with its role."""
    def crawl_delay(self, agent: _Agent) -> float | None:
        """Returns the crawl delay for a crawler, in seconds, or None if the file has none."""
    def request_rate(self, agent: _Agent) -> robots.RequestRate | None:
        """Returns the request rate for a crawler (documents per period), or None if the file has none."""
    def visit_time(self, agent: _Agent) -> robots.VisitTime | None:
        """Returns the time of day, in UTC, at which a crawler should visit, or None if the file has none."""
    def extent(self, agent: _Agent) -> robots.Extent:
        """Returns the extent of the site that a crawler may fetch: all, part or nothing."""
    def lint(self) -> list[Finding]:
        """Returns the problems of the file, each with its place and a remedy."""
    def __hash__(self) -> int: ...

def is_allowed(body: _Octets, agent: _Agent, url: UrlLike, *, dialect: Dialect = "rfc9309") -> bool:
    """Returns True if an agent may fetch a URL by a robots.txt body. This is the fastest way for a body that is used once:
    nothing is compiled or cached.
    """

def dialects() -> list[Dialect]:
    """Returns the names of the dialects."""

def presets() -> list[Preset]:
    """Returns the names of the presets."""

@final
class Policy:
    """Decides what one crawler may fetch from one origin, given the answers to requests for its robots.txt.

        >>> policy = Policy("examplebot")
        >>> policy.update(200, "User-agent: *\\nDisallow: /private\\n")
        >>> policy.decide("https://example.com/private/a").verdict
        'disallowed_explicit'
        >>> policy.update(503)                         # the last good copy applies
        >>> policy.decide("https://example.com/public").is_allowed
        True

    `on_unreachable` (`deny`, `warn`, `allow`) and `max_age` (seconds) override the preset.

    Times are seconds since 1970 or datetimes with a time zone. The default is the current time.
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
        """Updates the policy with the next answer for robots.txt.

        Pass the status code with header and body, or as `failure` the reason for a missing answer (`timeout`, `dns`, `tls`,
        `connection`, `protocol`, `redirects`, `guard`, `oversize`, `unsupported_coding`, `local`).

        The body is `bytes` as sent by the server, or an already decoded `str`. After a 2xx answer without a body,
        robots.txt is unknown; pass `b""` for an empty file. After a 3xx answer other than 304, robots.txt is unknown too:
        follow the redirects first, and pass `failure="redirects"` if there are too many.
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
        """Decides one URL."""
    def is_allowed(self, url: UrlLike, now: _Moment | None = None) -> bool:
        """Returns True if a URL may be fetched. `decide` also returns the evidence."""
    def is_fresh(self, now: _Moment | None = None) -> bool:
        """Returns True if robots.txt need not be requested again yet."""
    def treatment(self, now: _Moment | None = None) -> str:
        """Returns the treatment that the preset prescribes for the current state of robots.txt."""
    def crawl_delay(self, now: _Moment | None = None) -> float | None:
        """Returns the crawl delay for the crawler, in seconds, or None if robots.txt has none."""
    def request_rate(self, now: _Moment | None = None) -> robots.RequestRate | None:
        """Returns the request rate for the crawler (documents per period), or None if robots.txt has none."""
    def visit_time(self, now: _Moment | None = None) -> robots.VisitTime | None:
        """Returns the time of day, in UTC, at which the crawler should visit, or None if robots.txt has none."""
    @property
    def evidence(self) -> decisions.Evidence | None:
        """The latest answer, or None before the first one."""
    @property
    def preset(self) -> Preset:
        """The name of the preset."""
    @property
    def dialect(self) -> Dialect:
        """The dialect in which the preset reads robots.txt."""
    @property
    def mode(self) -> Literal["respect", "report_only", "ignore"]:
        """The name of the mode."""
    def set_site_is_reachable(self, reachable: bool) -> None:
        """Sets whether other pages of the site are reachable. Some presets use this during a long outage of robots.txt."""

@final
class Signer:
    """Signs requests, so that sites can distinguish the crawler from impostors that use its name.

    `Signer(path)` reads a file that `comity identity new` created. Its private keys are never shown.

        >>> signer = Signer("bot.identity.json")  # doctest: +SKIP
        >>> sorted(signer.sign("GET", "https://example.com/heron"))  # doctest: +SKIP
        ['Signature', 'Signature-Agent', 'Signature-Input']
    """
    def __new__(cls, path: str | PathLike[str]) -> Signer: ...
    @staticmethod
    def from_json(text: _Octets) -> Signer:
        """Creates a signer from the content of an identity file, for keys that are not stored in a file. Raises `ReadError` if
        the text is not an identity.
        """
    @property
    def identifier(self) -> str:
        """The URL at which the keys are published. Verifiers identify the signer by it."""
    @property
    def keys(self) -> list[str]:
        """The thumbprints of the keys (RFC 7638)."""
    def directory(self, *, now: _Moment | None = None) -> str:
        """Returns the directory to publish at `identifier`, as JSON: the public keys that are valid at `now` or later."""
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

        Pass the URL exactly as it is sent, because it is not normalized before it is signed. A `Host` among the header
        fields replaces the URL's host. Raises `SignError` for a request without TLS, for a request that already has a
        signature, and if no key is valid.
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
        """Returns the header fields that answer a site's `Accept-Signature` challenge.

        `answer` has the header fields of the site's HTTP answer. The signature has the challenge's label and nonce. Returns
        None if this signer cannot answer any challenge.
        """

@final
class Verifier:
    """Verifies signed requests with key directories that were added before.

    It sends no requests. If a directory is missing, fetch `Outcome.directory` and pass it to `add_directory`.

    A signature is valid for at most `max_lifetime` seconds (None: no limit). The signer's clock may be ahead by
    `clock_skew` seconds.
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
        """Adds the key directory of a signer, and returns the thumbprints of its keys.

        `place` is the signer's origin (`https://bot.example`) or the URL of its key set. `status`, `headers` and `url` belong
        to the HTTP answer with the body; their defaults describe a valid answer from `place`. Raises `ReadError` if
        verifiers must not use the directory. Keys that were added before stay valid in this case.
        """
    def verify(
        self, method: str, url: UrlLike, headers: _Fields, *, now: _Moment | None = None
    ) -> identity.Outcome:
        """Returns the result of the verification (`verified`, `invalid`, `unverified` or `not_signed`) with the signer and
        the reason.

        Pass the URL that the client requested: behind a proxy that terminates TLS, its scheme is `https`. A signature is
        invalid if a `Host` among the header fields differs from the URL's host.
        """

@final
class PageDirectives:
    """The directives of a page and its header: requests to the users of its content.

    They never forbid a fetch; only robots.txt does.

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
        """Every directive: those of the header, then those of the page, in their order."""
    @property
    def findings(self) -> list[Finding]:
        """The findings."""
    def outcome(
        self, token: str, profile: str = "google", now: _Moment | None = None
    ) -> page.Outcome:
        """Returns the combined effect of all directives on a crawler.

        `token` is its product token, or `*` for a crawler that no directive names. `profile` is `google`, `bing`, `yandex`
        or `draft`. `now` decides whether `unavailable_after` applies. Raises `TokenError` for an invalid token.
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
    """Returns the usage preferences of all signals for a URL. `comity.usage.report` is the public function."""

@final
class SitemapReader:
    """The items of a sitemap: an iterator of `Url`, `Sitemap` and `Finding`.

    It reads the file as a stream and keeps only one entry in memory. Invalid parts are repaired or skipped, and reported
    as a `Finding`.
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
        """The summary of the entries that were read so far. It is complete when the iterator has ended."""
    def __iter__(self) -> SitemapReader: ...
    def __next__(self) -> sitemap.Url | sitemap.Sitemap | Finding: ...

@final
class LlmsTxt:
    """A parsed llms.txt: hints of a site for language models. It grants no permission.

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
        """Parses a body. Relative links are resolved against `url`, the URL of the file, if it is given."""
    @property
    def kind(self) -> str:
        """The kind of the body: `llms_txt`, or another kind such as `markdown` or `html`."""
    @property
    def grade(self) -> str:
        """The degree to which the file follows the proposal, in words."""
    @property
    def grade_level(self) -> int:
        """The grade as a number, from 0 to 4."""
    @property
    def title(self) -> str | None:
        """The text of the H1 heading."""
    @property
    def summary(self) -> str | None:
        """The text of the blockquote below the title."""
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
        """The findings."""
    @property
    def truncated(self) -> bool:
        """True if a limit cut the file short."""
    def candidates(
        self, page: UrlLike, strategy: Literal["prefer", "force", "disabled"] = "prefer"
    ) -> list[llms.Candidate]:
        """Returns the URLs to try for a page, best first. `strategy` is `prefer`, `force` or `disabled`.

        A candidate may be fetched only if the robots.txt of its own origin allows it.
        """
    def to_dict(self) -> dict[str, Any]:
        """Returns the file as a dictionary with the field names of the command's JSON."""

def check_strict(body: _Octets) -> Finding | None:
    """Returns the first deviation from the proposal's form as a `Finding`, or None if the body has no deviation."""

def markdown_variants(page: UrlLike) -> list[str]:
    """Returns the URLs at which sites may publish a Markdown form of a page."""

def all_agents() -> list[agents.KnownAgent]:
    """Returns every known crawler, sorted by token. `comity.agents.all` is the public function."""

def known_agent(token: str) -> agents.KnownAgent | None:
    """Returns the crawler with this product token. `comity.agents.known` is the public function."""

def warn_of_name(token: str) -> None:
    """Warns about the token that is passed to `comity.Client`."""

def closest_agent(token: str) -> agents.KnownAgent | None:
    """Returns the crawler that a misspelt token probably means. `comity.agents.closest` is the public function."""

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
    """Collects robots.txt answers in an index, and returns its summary."""

def audit_verify(manifest: str, table: str | None, inputs: bool) -> Any:
    """Checks a table against its manifest, and returns the comparisons."""

def audit_report(manifest: Mapping[str, Any], output: str) -> None:
    """Writes the report of a manifest."""

def run(arguments: Sequence[str]) -> int:
    """Runs the command with these arguments, which do not include the program name, and returns its exit code.

    The command uses the process's file descriptors, not `sys.stdin` and `sys.stdout`.
    """

@final
class Page:
    """An HTTP answer with any status code, and the record of its fetch."""
    @property
    def status(self) -> int:
        """The status code. Answers with an error status, such as 404, are pages too."""
    @property
    def is_success(self) -> bool:
        """True if the status code is 200 to 299."""
    @property
    def url(self) -> str:
        """The URL of the page, after all redirects."""
    @property
    def headers(self) -> dict[str, str]:
        """The header fields by lower-case name. The values of a repeated field are joined with commas."""
    @property
    def raw_headers(self) -> list[tuple[str, bytes]]:
        """The header fields in the order of the answer, with their values as bytes."""
    @property
    def body(self) -> bytes:
        """The body, after decoding of its content encodings."""
    @property
    def text(self) -> str:
        """The body as text. The charset is that of the byte order mark, else of the header, else of the HTML, else UTF-8."""
    @property
    def record(self) -> dict[str, Any]:
        """The record of the fetch, with the field names of the command's JSON: hops with their decisions, waits and
        attempts, digests, warnings.
        """
    @property
    def warnings(self) -> list[dict[str, str]]:
        """The warnings about the use of the content, each with `kind`, `name` and `message`. They did not block the fetch."""
    @property
    def decision(self) -> Decision | None:
        """The robots.txt decision about the last URL after redirects."""
    @property
    def usage(self) -> usage.Report | None:
        """The usage preferences of all signals, or None if they were not read (`fetch.reads_use`)."""
    @property
    def directives(self) -> PageDirectives:
        """The directives of the header and the page."""
    def markdown(self) -> str:
        """Returns the page as Markdown with absolute links. Text that is not HTML is returned unchanged. If a limit of the
        conversion cuts the page short, `warnings` gets an entry.
        """
    def json(self) -> Any:
        """Returns the body parsed as JSON. Raises `ValueError`, as `json.loads` does."""
    def raise_for_status(self) -> Page:
        """Returns the page. Raises `StatusError` if its status code is 400 or more."""

def keywords() -> dict[str, tuple[str, str, bool]]:
    """Returns the keyword arguments of a client, each with the section and key of its setting, and whether it is a list."""

def new_name(key: str) -> str | None:
    """Returns Comity's name for a setting of another library, if the setting is known."""

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
    """A walk over sitemaps, read in batches of steps."""
    def next(self) -> Any:
        """Returns the next steps. The list is empty at the end."""

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
    """Returns the origin of a URL, or None."""

def origins(urls: _ArrowArray) -> NativeColumn:
    """Returns the origins of a column of URLs."""

def outputs() -> tuple[list[str], list[str], list[str]]:
    """Returns the names of the output columns in three lists: the default columns, the optional ones about fetching, and
    those about use.
    """
