"""The compiled module; import from ``comity`` instead. The docstrings describe every item."""

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
    """An open binary file."""
    def read(self, size: int, /) -> bytes:
        """Returns at most ``size`` bytes."""

@final
class Agent:
    """A crawler, by product token or `User-Agent` header.

    `Agent("GPTBot")` has a product token: the crawler's name in robots.txt. Every parameter that takes an agent also
    takes the token as a plain `str`. `*` stands for a crawler that no group names. A text that cannot be a token raises
    `TokenError`: an empty text, or one with `/`, `(`, `;`, `,`, a control character, or white space that is not part of
    a known crawler's name. `Agent.header("Mozilla/5.0 (compatible; GPTBot/1.2; ...)")` has the whole value of a
    `User-Agent` header.

    `fallbacks` are further tokens to try, in order and before `*`, if no group names the crawler. A crawler with
    `ignores_star` does not follow the group of `*`. Comparisons of agents ignore the case of tokens.
    """
    def __new__(
        cls, token: str, *, fallbacks: Iterable[str] | None = None, ignores_star: bool = False
    ) -> Agent: ...
    @staticmethod
    def header(
        user_agent: _Octets,
        *,
        fallbacks: Iterable[str] | None = None,
        ignores_star: bool = False,
    ) -> Agent:
        """Returns the crawler with the whole value of a User-Agent header."""
    @staticmethod
    def _restore(
        name: str, is_header: bool, fallbacks: Sequence[str], ignores_star: bool
    ) -> Agent: ...
    @property
    def name(self) -> str:
        """The product token: as given, or as found in the header. A header without a name is returned as a whole."""
    @property
    def user_agent(self) -> str | None:
        """The whole User-Agent header, or None if the agent was given by its token."""
    @property
    def is_header(self) -> bool:
        """True if the agent was given as a whole User-Agent header."""
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

    `is_allowed` is True if a well-behaved program may fetch the URL. In a condition, the decision has the value of
    `is_allowed`. Fields without a value are None: a decision of `Robots` or `Rules` has no preset and no HTTP answer.
    """
    @property
    def is_allowed(self) -> bool:
        """True if a well-behaved program may fetch the URL: by the rules, and by preset and mode if the decision has them."""
    @property
    def allowed(self) -> bool:
        """Equal to `is_allowed`. Tables have a column of this name."""
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
    @property
    def answer(self) -> str | None:
        """The answer to the request for robots.txt in words: the status code or the failure. If robots.txt is unreachable, the
        start of the outage and the time of the next request follow. None if no answer decided.
        """
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
    """The rules of a robots.txt for one crawler. A crawler can store this object for each host.

    The object does not contain the file, so it cannot be pickled. For another process, pickle the `Robots`, and call its
    `rules_for` there.
    """
    @property
    def dialect(self) -> Dialect:
        """The name of the dialect."""
    @property
    def group(self) -> str | None:
        """The name by which the group was chosen, such as the crawler's own, a fallback's, or `*`; None without a group."""
    @property
    def crawl_delay(self) -> float | None:
        """The crawl delay for the crawler, in seconds, or None if the file has none."""
    @property
    def request_rate(self) -> robots.RequestRate | None:
        """The request rate for the crawler (documents per period), or None if the file has none."""
    @property
    def visit_time(self) -> robots.VisitTime | None:
        """The part of the day, in UTC, in which the crawler should visit, or None if the file has none."""
    @property
    def heap_bytes(self) -> int:
        """The memory that the rules use in addition to the object itself, in bytes."""
    def is_allowed(self, url: UrlLike) -> bool:
        """Returns True if a URL may be fetched. `decide` also returns the evidence."""
    def are_allowed(self, urls: Iterable[UrlLike]) -> list[bool | None]:
        """Decides several URLs, such as the links of a page. Returns True for each URL that may be fetched, and None for text
        that the dialect does not accept as a URL. One call is faster than a call of `is_allowed` per URL.
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
        """Decides several URLs, such as the links of a page. Returns True for each URL that a crawler may fetch, and None for
        text that the dialect does not accept as a URL. One call is faster than a call of `is_allowed` per URL.
        """
    def decide(self, agent: _Agent, url: UrlLike) -> Decision:
        """Decides one URL for a crawler, and returns the decision with its evidence."""
    def explain(self, agent: _Agent, url: UrlLike) -> decisions.Explanation:
        """Decides one URL for a crawler. Returns the decision, the groups that apply to the crawler, and each matching rule
        with its role.
        """
    def crawl_delay(self, agent: _Agent) -> float | None:
        """Returns the crawl delay for a crawler, in seconds, or None if the file has none."""
    def request_rate(self, agent: _Agent) -> robots.RequestRate | None:
        """Returns the request rate for a crawler (documents per period), or None if the file has none."""
    def visit_time(self, agent: _Agent) -> robots.VisitTime | None:
        """Returns the part of the day, in UTC, in which a crawler should visit, or None if the file has none."""
    def extent(self, agent: _Agent) -> robots.Extent:
        """Returns the extent to which a crawler may fetch the site: all, a part or nothing."""
    def lint(self) -> list[Finding]:
        """Returns a finding for each problem of the file, with its place and a remedy."""
    def __hash__(self) -> int: ...

def is_allowed(body: _Octets, agent: _Agent, url: UrlLike, *, dialect: Dialect = "rfc9309") -> bool:
    """Returns True if the rules in a robots.txt body permit an agent to fetch a URL. This function is the fastest for a body
    that is used once, because it compiles and caches nothing.
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
        redirects: Iterable[str] | None = None,
        digest: str | None = None,
    ) -> None:
        """Updates the policy with the next answer for robots.txt.

        Pass status code, header and body. If there was no answer, pass the reason as `failure` (`timeout`, `dns`, `tls`,
        `connection`, `protocol`, `redirects`, `guard`, `oversize`, `unsupported_coding`, `local`).

        The body is `bytes` as sent by the server, or an already decoded `str`. After a 2xx answer without a body,
        robots.txt is unknown; pass `b""` for an empty file. So it is after a 206, unless its `Content-Range` covers the whole
        file. After a 3xx answer other than 304, robots.txt is unknown too: follow the redirects first, and pass
        `failure="redirects"` if there are too many.
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
        """Creates a policy from the response to a request for robots.txt.

        Accepts a response of `requests`, `httpx`, `aiohttp` (after `await response.read()`), `urllib` or Scrapy, with its
        status, header, body and redirects. A response in a content coding that the library did not decode, and a
        truncated compressed body, count as unreachable. Reads at most 8 MiB of a response that is still open. A request
        for another path than `/robots.txt` causes a `ComityWarning`. Raises `ReadError` if the body was not read, or was
        read before and not kept.
        """
    def update_from(self, response: object, *, fetched_at: _Moment | None = None) -> None:
        """Updates the policy with the response to the next request for robots.txt; see `from_response`."""
    def decide(self, url: UrlLike, now: _Moment | None = None) -> Decision:
        """Decides one URL."""
    def is_allowed(self, url: UrlLike, now: _Moment | None = None) -> bool:
        """Returns True if a URL may be fetched. `decide` also returns the evidence."""
    def is_fresh(self, now: _Moment | None = None) -> bool:
        """Returns True if the latest answer is fresh, so that robots.txt need not be requested again."""
    def treatment(self, now: _Moment | None = None) -> str:
        """Returns the treatment that the preset prescribes for the current state of robots.txt."""
    def crawl_delay(self, now: _Moment | None = None) -> float | None:
        """Returns the crawl delay for the crawler, in seconds, or None if robots.txt is unknown or has none."""
    def request_rate(self, now: _Moment | None = None) -> robots.RequestRate | None:
        """Returns the request rate for the crawler (documents per period), or None if robots.txt is unknown or has none."""
    def visit_time(self, now: _Moment | None = None) -> robots.VisitTime | None:
        """Returns the part of the day (UTC) in which the crawler should visit, or None if robots.txt is unknown or has none."""
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

    `Signer(path)` reads a file that `comity identity new` created. The object never returns the private keys.

        >>> signer = Signer("bot.identity.json")  # doctest: +SKIP
        >>> sorted(signer.sign("GET", "https://example.com/heron"))  # doctest: +SKIP
        ['Signature', 'Signature-Agent', 'Signature-Input']
    """
    def __new__(cls, path: str | PathLike[str]) -> Signer: ...
    @staticmethod
    def from_json(text: _Octets) -> Signer:
        """Creates a signer from the content of an identity file, for programs that store keys elsewhere. Raises `ReadError` if
        the text is not an identity.
        """
    @property
    def identifier(self) -> str:
        """The URL at which the keys are published. Verifiers identify the signer by this URL."""
    @property
    def keys(self) -> list[str]:
        """The thumbprints of the keys (RFC 7638)."""
    def directory(self, *, now: _Moment | None = None) -> str:
        """Returns the key directory to publish at `identifier`, as JSON. It has the public keys that are valid at `now` or later."""
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

        Pass the URL exactly as it is sent, because the signer does not normalize it. A `Host` among the header fields
        replaces the URL's host. Raises `SignError` if the request cannot be signed, for example because it has no TLS, or has a
        signature already.
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

        `answer` is the header of the site's HTTP answer, which contains the challenge. The signature has the challenge's label
        and nonce. Returns None if this signer cannot answer any challenge. Raises `SignError` as `sign` does.
        """

@final
class Verifier:
    """Verifies signed requests with the key directories of their signers.

    The verifier sends no requests. If a directory is missing, fetch the URL in `Outcome.directory`, and pass the answer to
    `add_directory`.

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

        `place` is the signer's origin (`https://bot.example`) or the URL of its key set. `body`, `status`, `headers` and `url`
        describe the HTTP answer; the defaults are those of a valid answer from `place`. Raises `ReadError` if verifiers must
        not use the directory. In this case, keys that were added before remain valid.
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
    """The directives in a page and its HTTP header: restrictions that the site requests from users of the content.

    Directives never forbid a fetch; only robots.txt does.

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
        """The directives of the header, followed by the directives of the page."""
    @property
    def findings(self) -> list[Finding]:
        """The findings."""
    def outcome(
        self, token: str, profile: str = "google", now: _Moment | None = None
    ) -> page.Outcome:
        """Returns the combined effect of all directives on a crawler.

        `token` is its product token, or `*` for a crawler that no directive names. `profile` is `google`, `bing`, `yandex`
        or `draft`. `now` is compared with `unavailable_after`. Raises `TokenError` for an invalid token.
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
    """An iterator over the items of a sitemap, which are `Url`, `Sitemap` and `Finding`.

    The iterator reads the file as a stream and stores one entry at a time. It repairs or skips invalid entries, and reports
    each of them as a `Finding`.
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
        """The summary of the entries that were read so far. The summary is complete when the iterator has ended."""
    def __iter__(self) -> SitemapReader: ...
    def __next__(self) -> sitemap.Url | sitemap.Sitemap | Finding: ...

@final
class LlmsTxt:
    """A parsed llms.txt: hints of a site for language models. The file grants no permission.

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
        """The grade of conformance to the llms.txt proposal, in words."""
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
        """The text between the title or summary and the first section."""
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
        """True if the file exceeds a limit, so that its end was not read."""
    def candidates(
        self, page: UrlLike, strategy: Literal["prefer", "force", "disabled"] = "prefer"
    ) -> list[llms.Candidate]:
        """Returns the URLs that may have the content of a page, best first. `strategy` is `prefer`, `force` or `disabled`.

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
    """Warns if the token that is passed to `comity.Client` is probably misspelt, or that of a retired crawler."""

def closest_agent(token: str) -> agents.KnownAgent | None:
    """Returns the crawler whose token is closest to a misspelt token. `comity.agents.closest` is the public function."""

def audit(
    request: Mapping[str, object],
    client: NativeClient | None,
    progress: Callable[[str, int, int | None, int], object] | None,
) -> dict[str, Any]:
    """Runs the audit that a request describes, and returns its manifest."""

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
        """The header fields, with their values as bytes. Fields of the same name are adjacent."""
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
        """Returns the page as Markdown with absolute links. Text that is not HTML is returned unchanged. If the conversion
        truncates the page at a limit, `warnings` gets another entry.
        """
    def links(self) -> list[str]:
        """Returns the absolute web URLs to which an HTML page links, in order and without fragments. A URL that is linked twice
        occurs twice. Reads 1 MiB of the page and 5,000 links at most.
        """
    def json(self) -> Any:
        """Returns the body parsed as JSON. Raises `ValueError`, as `json.loads` does."""
    def raise_for_status(self) -> Page:
        """Returns the page. Raises `StatusError` if its status code is 400 or more."""

def keywords() -> dict[str, tuple[str, str, bool]]:
    """Returns the keyword arguments of a client, each with the section and key of its setting, and whether it is a list."""

def new_name(key: str) -> str | None:
    """Returns Comity's name for a setting of another library, if the setting is known."""

@final
class NativeWeb:
    """The web behind `comity.testing.FakeWeb`: replies by URL, and a log of requests."""
    def __new__(cls, start: float) -> NativeWeb: ...
    def on(
        self,
        url: str,
        replies: Sequence[tuple[int | None, str | None, Sequence[tuple[str, bytes]], bytes]],
    ) -> None:
        """Sets the replies for a URL. The last one repeats."""
    def resolve(self, host: str, addresses: Sequence[str]) -> None:
        """Sets the addresses of a host name. An empty list makes the name nonexistent."""
    def answer(
        self, method: str, url: str, headers: _Fields
    ) -> tuple[int | None, str | None, list[tuple[str, bytes]], bytes]:
        """Replies to a request of another HTTP stack. Returns the status code or the failure, the header and the body."""
    def requests(self) -> list[tuple[str, str, list[tuple[str, str]], float]]:
        """Returns the requests so far."""
    def time(self) -> float:
        """Returns the time of the clock, in seconds since 1970."""
    def advance(self, by: float) -> None:
        """Advances the clock."""

# In `NativeClient`, `NativeAdmission`, `NativeCrawl` and `Walk`, a method with the type `Any` returns its result, or an awaitable
# if the client is asynchronous.
@final
class NativeClient:
    """The client behind `comity.Client` and `comity.AsyncClient`."""
    def __new__(
        cls, settings: dict[str, dict[str, object]], is_async: bool, web: NativeWeb | None = None
    ) -> NativeClient: ...
    def fetch(
        self,
        url: UrlLike,
        llms: str | None,
        headers: _Fields | None,
        max_wait: float | None,
        timeout: float | None,
        max_bytes: int | None,
        content_types: Sequence[str] | None,
    ) -> Any:
        """Fetches a URL. `llms` names the strategy for other forms of the page: `disabled`, `prefer` or `force`."""
    def admit(self, url: UrlLike, max_wait: float | None, call: str) -> Any:
        """Returns the admission of a URL, once a request for it may be sent with another HTTP stack. `call` names the
        holder of the admission in the log.
        """
    @property
    def user_agent(self) -> str:
        """Returns the User-Agent header that the client sends."""
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
    ) -> NativeCrawl:
        """Returns a new crawl, to which URLs are added later."""
    def decide(self, url: UrlLike) -> Any:
        """Decides a URL without fetching it."""
    def crawl_delay(self, url: UrlLike) -> Any:
        """Returns the crawl delay in a site's robots.txt, in seconds."""
    def robots(self, url: UrlLike) -> Any:
        """Returns the robots.txt of a site with state, status code, reason and body. Requests it if the cache has no fresh
        answer.
        """
    def forget(self, url: UrlLike) -> Any:
        """Removes a site's robots.txt from the cache and the store. Returns true if the store had an entry."""
    def discover(self, url: UrlLike) -> Walk:
        """Returns a walk over the sitemaps of a site."""
    def counters(self) -> dict[str, int]:
        """Returns the counters so far."""
    def close(self) -> None:
        """Drops the client. Requests in flight continue. A store is closed with the last client that uses it."""
    def names(self) -> tuple[str, str, str]:
        """Returns token, preset and mode."""

@final
class NativeAdmission:
    """Admission behind `comity.client.Admission` and `comity.client.AsyncAdmission`."""
    @property
    def url(self) -> str:
        """Returns the admitted URL, in the form in which it must be sent."""
    @property
    def addresses(self) -> list[tuple[str, int]]:
        """Returns the addresses and ports that the guard checked."""
    @property
    def decision(self) -> Decision:
        """Returns the decision."""
    @property
    def waited(self) -> float:
        """Returns the number of seconds that the request waited for the permit."""
    def answered(self, status: int, headers: AnswerHeaders | None) -> Any:
        """Reports that the answer has arrived."""
    def failed(self) -> None:
        """Reports that there was no answer."""
    def close(self) -> None:
        """Releases the admission."""

@final
class NativeCrawl:
    """A running crawl."""
    def next(self, returns_room: bool) -> Any:
        """Returns the next result, or None at the end. With `returns_room`, returns True as soon as there is room for more
        URLs. Raises `ComityError` if the crawl is closed before there is a result.
        """
    def room(self) -> Any:
        """Waits until there is room for more URLs."""
    def feed(self, urls: list[str], is_over: bool) -> None:
        """Adds URLs. `is_over` is true if no more URLs will follow."""
    def progress(self) -> dict[str, int]:
        """Returns the number of URLs in each state."""
    def close(self) -> None:
        """Cancels the running fetches, also while another thread or task waits for a result."""

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
    """Robots.txt files by key; see `comity.arrow`."""
    def __new__(cls, data: _ArrowArray | _ArrowStream, names: _Names) -> NativeRobotsTable: ...
    @property
    def bare_hosts(self) -> int:
        """Returns the number of keys that are bare hosts."""
    def __len__(self) -> int: ...

@final
class NativeBatch:
    """One batch, exported through Arrow's methods."""
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class NativeColumn:
    """One column, exported through Arrow's methods."""
    def __len__(self) -> int: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...

@final
class NativeStream:
    """Batches that are decided when they are read. They can be read once."""
    def __iter__(self) -> Iterator[Any]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class NativeAuditor:
    """Decides batches; see `comity.arrow.Auditor`."""
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
    def decide_batch(self, data: _ArrowArray) -> NativeBatch:
        """Decides one batch."""
    def decide_stream(self, data: _ArrowStream) -> NativeStream:
        """Decides the batches of a stream lazily, one per read."""

def origin(url: UrlLike) -> str | None:
    """Returns the origin of a URL, or None."""

def origins(urls: _ArrowArray) -> NativeColumn:
    """Returns the origins of a column of URLs."""

def outputs() -> tuple[list[str], list[str], list[str]]:
    """Returns the names of the output columns in three lists: the default columns, the optional columns about fetching, and
    the optional columns about use.
    """
