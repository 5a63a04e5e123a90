//! The lints: code, default severity and documentation of each, in one place.
//!
//! `docs/reference/lints.md` is printed from this table. A lint is added by adding an entry and a check that raises it;
//! the tests then demand that its bad example raises it and that its good example is clean.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use crate::severity::Severity;

/// An example file.
enum Example {
    /// The text as it stands.
    Text(&'static [u8]),
    /// A head, and a line many times.
    Repeated { head: &'static str, line: &'static str, times: usize },
}

impl Example {
    fn bytes(&self) -> Cow<'static, [u8]> {
        match self {
            Example::Text(text) => Cow::Borrowed(text),
            Example::Repeated { head, line, times } => {
                Cow::Owned([head.as_bytes(), line.repeat(*times).as_bytes()].concat())
            }
        }
    }

    /// For a page: bytes that do not print are escaped, what is repeated is said.
    fn text(&self) -> String {
        match self {
            Example::Text(text) => {
                let mut page: String = text
                    .utf8_chunks()
                    .map(|chunk| {
                        let invalid = chunk.invalid().escape_ascii().to_string();
                        chunk.valid().chars().map(visible).collect::<String>() + &invalid
                    })
                    .collect();
                if !page.ends_with('\n') {
                    page.push('\n');
                }
                page
            }
            Example::Repeated { head, line, times } => {
                let unit = line.trim_end();
                let what = if line.ends_with('\n') { "the last line" } else { "the last character" };
                format!("{head}{unit}\n# ({what} {times} times)\n")
            }
        }
    }
}

/// A character as it prints, or its escape.
fn visible(c: char) -> String {
    match c {
        '\n' => c.to_string(),
        c if c.is_ascii_control() => format!("\\x{:02x}", u32::from(c)),
        c if c.is_control() || super::checks::is_invisible(c) => c.escape_unicode().to_string(),
        c => c.to_string(),
    }
}

/// All that is said of a lint.
struct Entry {
    code: &'static str,
    severity: Severity,
    summary: &'static str,
    why: &'static str,
    bad: Example,
    good: Example,
}

macro_rules! example {
    ($text:literal) => {
        Example::Text($text)
    };
    ($head:literal, $line:literal, $times:literal) => {
        Example::Repeated { head: $head, line: $line, times: $times }
    };
}

/// Declares the lints: the enum, its list and what each says.
macro_rules! lints {
    ($($name:ident $code:literal $severity:ident, $summary:literal, $why:literal,
       bad($($bad:tt)*), good($($good:tt)*);)*) => {
        /// One kind of thing that lint looks for.
        ///
        /// Codes are stable: they name the lint in JSON, on the command line and in `docs/reference/lints.md`.
        ///
        /// ```
        /// use comity::robots::lint::{Lint, Severity};
        ///
        /// let lint: Lint = "missing-colon".parse()?;
        /// assert_eq!(lint, Lint::MissingColon);
        /// assert_eq!(lint.severity(), Severity::Warning);
        /// # Ok::<(), comity::robots::lint::UnknownLint>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Lint {
            $(#[doc = $summary] $name,)*
        }

        impl Lint {
            /// Every lint, in the order of the documentation.
            pub const ALL: &'static [Lint] = &[$(Lint::$name),*];

            fn entry(self) -> &'static Entry {
                match self {
                    $(Lint::$name => {
                        static ENTRY: Entry = Entry {
                            code: $code,
                            severity: Severity::$severity,
                            summary: $summary,
                            why: $why,
                            bad: example!($($bad)*),
                            good: example!($($good)*),
                        };
                        &ENTRY
                    })*
                }
            }
        }
    };
}

lints! {
    // The bytes.

    NotRobotsTxt "not-robots-txt" Error,
    "Something else stands where the robots.txt should: an HTML page, an XML or JSON error, an image, a style sheet.",
    "Crawlers look for rules in it line by line and find none, so everything is allowed. Mostly it is an error page, or \
     the front page of a single-page application, sent with status 200. Nothing else is said of such a file. One that \
     names a crawler is a robots.txt, whatever else it holds.",
    bad(b"<!DOCTYPE html>\n<html><head><title>Not found</title></head></html>\n"),
    good(b"User-agent: *\nDisallow: /search\n");

    Utf16 "utf-16" Error,
    "The file is encoded in UTF-16.",
    "A robots.txt is UTF-8 (RFC 9309 \u{a7}2.3). Every second byte of this one is NUL, at which Google's parser ends the line; \
     no rule is read.",
    bad(b"\xff\xfeU\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0 \0*\0\n\0"),
    good(b"User-agent: *\nDisallow: /search\n");

    ByteOrderMark "byte-order-mark" Warning,
    "The file starts with a byte order mark.",
    "Google and Comity skip it. Parsers that do not (Python's `urllib.robotparser` of many years, Protego, Folyd's \
     robotstxt) take it for part of the first key and so lose the first line, which mostly is the `User-agent` line of \
     the only group. If the first line is blank or a comment, nothing is lost (a note). A second mark, or one that was \
     taken for Latin-1 and encoded again (`\u{ef}\u{bb}\u{bf}`), is skipped by nobody: then it is an error.",
    bad(b"\xef\xbb\xbfUser-agent: *\nDisallow: /search\n"),
    good(b"User-agent: *\nDisallow: /search\n");

    InvalidUtf8 "invalid-utf8" Warning,
    "A line is not valid UTF-8.",
    "A robots.txt is UTF-8 (RFC 9309 \u{a7}2.3). Some parsers drop such characters, some replace them, some skip the line or \
     refuse the file, so nobody knows what the rule matches. In a comment it is only a note.",
    bad(b"User-agent: *\nDisallow: /caf\xe9/\n"),
    good(b"User-agent: *\nDisallow: /caf%C3%A9/\n");

    NulByte "nul-byte" Error,
    "A line holds a NUL byte.",
    "Google's parser, and with it Comity, ends the line there: the rule is shorter than it looks, so it matches more.",
    bad(b"User-agent: *\nDisallow: /pri\0vate/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    ControlCharacter "control-character" Warning,
    "A directive holds a control character.",
    "RFC 9309 \u{a7}2.2 has no place for them. No URL holds one unencoded, so a pattern with one matches nothing; and for \
     Python's parsers several of them (vertical tab, form feed, the separators 1C to 1E) end the line.",
    bad(b"User-agent: *\nDisallow: /a\x08b/\n"),
    good(b"User-agent: *\nDisallow: /ab/\n");

    InvisibleCharacter "invisible-character" Warning,
    "A directive holds a character that cannot be seen: zero width, no-break space, soft hyphen, text direction.",
    "It came along with a copy from a web page or a word processor. It is part of the key, the name or the pattern like \
     any other character: in a key the line is not read at all (then it is an error), in a value nothing matches.",
    bad(b"User-agent: *\nDisallow:\xc2\xa0/private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    MixedLineEnds "mixed-line-ends" Note,
    "Lines end in different ways.",
    "CR, LF and CRLF each end a line (RFC 9309 \u{a7}2.2), even in one file; a few parsers do not know CR alone and read such \
     lines as one.",
    bad(b"User-agent: *\r\nDisallow: /a\nDisallow: /b\r\n"),
    good(b"User-agent: *\nDisallow: /a\nDisallow: /b\n");

    TooLarge "too-large" Error,
    "The file has more than 512,000 bytes (500 KiB).",
    "Crawlers need not read further (RFC 9309 \u{a7}2.5), and Google does not: rules beyond have no effect. For Yandex a file \
     of more than 500 KB allows everything.",
    bad("User-agent: *\n", "Disallow: /a/page/that/should/not/be/found\n", 12_000),
    good(b"User-agent: *\nDisallow: /a/page/\n");

    LineTooLong "line-too-long" Warning,
    "A line has more than 16,663 bytes.",
    "Google's parser, and with it Comity, drops the rest of the line: a pattern cut short matches more than it says.",
    bad("User-agent: *\nDisallow: /", "a", 17_000),
    good(b"User-agent: *\nDisallow: /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n");

    // The lines.

    NotADirective "not-a-directive" Warning,
    "A line is neither a directive nor a comment.",
    "It is skipped. Often a comment without its `#`, a path without its `Disallow:`, or a scrap of HTML.",
    bad(b"User-agent: *\nDisallow: /a\n/private/\n"),
    good(b"User-agent: *\nDisallow: /a\nDisallow: /private/\n");

    MissingColon "missing-colon" Warning,
    "A directive has no colon after its name.",
    "Google's parser, and with it Comity, forgives that if the line has exactly two words; others skip the line, and with \
     more words everybody does (then it is an error).",
    bad(b"User-agent: *\nDisallow /private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    MisspeltDirective "misspelt-directive" Error,
    "A directive's name is misspelt.",
    "RFC 9309 \u{a7}2.2.4 lets parsers accept slips; Google's accepts `useragent`, `user agent`, `dissallow`, `dissalow`, \
     `disalow`, `diasllow`, `disallaw` and `site-map` (then it is a warning), and skips all others.",
    bad(b"User-agent: *\nDesallow: /private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    DirectiveSuffix "directive-suffix" Warning,
    "A directive's name goes on where a known one ends.",
    "Google's parser, and with it Comity, looks only at the start: `Disallowed` is read as `Disallow`, and so is \
     `DisallowAITraining`, which then blocks crawling. Others skip the line.",
    bad(b"User-agent: *\nDisallowed: /private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    UnknownDirective "unknown-directive" Note,
    "No known crawler reads the directive.",
    "It is skipped (RFC 9309 \u{a7}2.2.4) and does not end the group.",
    bad(b"User-agent: *\nDisallow: /private/\nRobot-version: 2.0\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    SeveralDirectives "several-directives" Error,
    "Several directives stand on one line.",
    "A line holds one directive; the second one is read as part of the first one's value.",
    bad(b"User-agent: * Disallow: /private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    RuleOutsideGroup "rule-outside-group" Error,
    "A rule stands before any user-agent line.",
    "It speaks to nobody and is skipped (RFC 9309 \u{a7}2.2.2). For directives other than `Allow` and `Disallow` it is a \
     warning.",
    bad(b"Disallow: /private/\n\nUser-agent: *\nDisallow: /search\n"),
    good(b"User-agent: *\nDisallow: /private/\nDisallow: /search\n");

    BlankLineInGroup "blank-line-in-group" Warning,
    "A blank line stands between user-agent lines and their rules.",
    "By RFC 9309 a blank line means nothing. By the older rules it ends the group: for Python's `urllib.robotparser` of \
     many years the crawlers named above it have no rules, and Yandex reports an error. A blank line between rules is a \
     note, once in a file: such parsers skip the rules below it.",
    bad(b"User-agent: *\n\nDisallow: /private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    JoinedGroups "joined-groups" Warning,
    "A group without rules runs into the next one.",
    "Only `Allow` and `Disallow` end the list of a group's names (RFC 9309 \u{a7}2.2.4): after a `Crawl-delay` alone, the next \
     user-agent line adds its name to the same group, so the rules below speak to both.",
    bad(b"User-agent: bingbot\nCrawl-delay: 10\n\nUser-agent: SemrushBot\nDisallow: /\n"),
    good(b"User-agent: bingbot\nCrawl-delay: 10\nDisallow:\n\nUser-agent: SemrushBot\nDisallow: /\n");

    ContentUsageAmongAgents "content-usage-among-agents" Warning,
    "A `Content-Usage` line stands between user-agent lines.",
    "By RFC 9309 \u{a7}2.2.4 only `Allow` and `Disallow` end the list of a group's names; Comity reads it so, and the names \
     below the line share the rules of those above. By draft-ietf-aipref-attach-05 `Content-Usage` is a rule too, and the \
     names below it start a group of their own.",
    bad(b"User-agent: GPTBot\nContent-Usage: train-ai=n\nUser-agent: CCBot\nDisallow: /\n"),
    good(b"User-agent: GPTBot\nContent-Usage: train-ai=n\nDisallow:\n\nUser-agent: CCBot\nDisallow: /\n");

    // Who is meant.

    RepeatedAgent "repeated-agent" Warning,
    "The same crawler is named by several groups.",
    "By RFC 9309 \u{a7}2.2.1 the groups count as one. Parsers older than that take only the first. Named twice in one group, \
     it is a note.",
    bad(b"User-agent: GPTBot\nDisallow: /a\n\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: GPTBot\nDisallow: /b\n"),
    good(b"User-agent: GPTBot\nDisallow: /a\nDisallow: /b\n\nUser-agent: CCBot\nDisallow: /\n");

    EmptyGroup "empty-group" Warning,
    "A group has no rules.",
    "It allows everything to the crawlers it names, the rules for `*` included (RFC 9309 \u{a7}2.2.1). If that is meant, an \
     empty `Disallow:` says so to everybody; some parsers drop a group without a rule.",
    bad(b"User-agent: *\nDisallow: /private/\n\nUser-agent: GPTBot\n"),
    good(b"User-agent: *\nDisallow: /private/\n\nUser-agent: GPTBot\nDisallow:\n");

    StarRulesDropped "star-rules-dropped" Note,
    "A crawler with a group of its own does not follow the rules for `*`.",
    "A crawler follows the groups that name it and no others (RFC 9309 \u{a7}2.2.1); rules for `*` are not inherited. A rule \
     holds where the group repeats it or has a wider one (`/a/` for `/a/x`) that no `Allow` opens in between. Groups that \
     allow or forbid everything are not reported.",
    bad(b"User-agent: *\nDisallow: /private/\n\nUser-agent: Googlebot\nDisallow: /search\n"),
    good(b"User-agent: *\nDisallow: /private/\n\nUser-agent: Googlebot\nDisallow: /private/\nDisallow: /search\n");

    MisspeltAgent "misspelt-agent" Warning,
    "No known crawler has this name, but one has a similar one.",
    "A name must be the crawler's own, letter by letter (case does not matter); a group for a name that nobody has speaks \
     to nobody.",
    bad(b"User-agent: Gogglebot\nDisallow: /search\n"),
    good(b"User-agent: Googlebot\nDisallow: /search\n");

    AgentNotAToken "agent-not-a-token" Warning,
    "A name is that of a company, a product or everybody, not of a crawler.",
    "A group speaks to the crawlers whose product token it names (RFC 9309 \u{a7}2.2.1). `Google` is not `Googlebot`, no \
     crawler is called `ChatGPT` or `Semrush`, and `all` is not `*`: a group for such a name speaks to nobody.",
    bad(b"User-agent: Semrush\nDisallow: /search\n"),
    good(b"User-agent: SemrushBot\nDisallow: /search\n");

    AgentIsHeader "agent-is-header" Warning,
    "A whole `User-Agent` header stands where a product token should.",
    "A group names a crawler by its product token (RFC 9309 \u{a7}2.2.1), such as `Googlebot`, not by what it sends over HTTP. \
     `Mozilla/5.0 (...)` is read as the name `Mozilla`, which no crawler goes by.",
    bad(b"User-agent: Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)\nDisallow: /search\n"),
    good(b"User-agent: bingbot\nDisallow: /search\n");

    AgentList "agent-list" Error,
    "A user-agent line names several crawlers.",
    "A line holds one name. Of a list Google reads the first one, Comity none, others look for a crawler of that whole name.",
    bad(b"User-agent: Googlebot, bingbot\nDisallow: /search\n"),
    good(b"User-agent: Googlebot\nUser-agent: bingbot\nDisallow: /search\n");

    AgentVersion "agent-version" Note,
    "A name has a version.",
    "A product token has none (RFC 9309 \u{a7}2.2.1). Google and Comity ignore it, so the group speaks to every version; \
     parsers that compare the whole value find nobody of that name.",
    bad(b"User-agent: ia_archiver/1.6\nDisallow: /search\n"),
    good(b"User-agent: ia_archiver\nDisallow: /search\n");

    AgentAlphabet "agent-alphabet" Note,
    "A name has characters beyond letters, `-` and `_`.",
    "RFC 9309 \u{a7}2.2.1 allows no others, yet real crawlers have such names (`MJ12bot`, `AI2Bot`, `bigsur.ai`), so this may \
     well be right. A parser that cuts the name at the first such character, as Google's does, reads `MJ12bot` as `MJ`.",
    bad(b"User-agent: MJ12bot\nDisallow: /search\n"),
    good(b"User-agent: dotbot\nDisallow: /search\n");

    AgentWildcard "agent-wildcard" Warning,
    "A name holds a `*`.",
    "Only `*` alone stands for everyone; it is not a wildcard in a name (RFC 9309 \u{a7}2.2.1). One at the end is ignored by \
     Google and Comity (then it is a note); anywhere else nobody has that name.",
    bad(b"User-agent: *bot*\nDisallow: /search\n"),
    good(b"User-agent: *\nDisallow: /search\n");

    AgentEmpty "agent-empty" Error,
    "A user-agent line names nobody.",
    "The rules that follow speak to nobody, unless another line of the group names somebody.",
    bad(b"User-agent:\nDisallow: /private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    // The patterns.

    PatternStart "pattern-start" Error,
    "A pattern starts with neither `/` nor `*`.",
    "A pattern is compared from the start of the URL's path, which is a `/` (RFC 9309 \u{a7}2.2.2), so this one matches \
     nothing. Some parsers put the `/` in front, others do not.",
    bad(b"User-agent: *\nDisallow: private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    PatternUrl "pattern-url" Error,
    "A pattern is a whole URL.",
    "A pattern is compared with the URL's path (RFC 9309 \u{a7}2.2.2), so this one matches nothing. The file speaks for its own \
     host only; another host needs its own.",
    bad(b"User-agent: *\nDisallow: https://example.com/private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    DoubleSlash "double-slash" Warning,
    "A pattern starts with two slashes.",
    "It matches only URLs whose path starts with two, which a site rarely has; it is neither `/private` nor a host \
     (RFC 9309 \u{a7}2.2.2).",
    bad(b"User-agent: *\nDisallow: //private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    CaseTwin "case-twin" Note,
    "A folder is written in two ways that differ in upper and lower case.",
    "Paths are compared with regard to case (RFC 9309 \u{a7}2.2.2): `/Private/` does not forbid `/private/letters/`, nor \
     anything else in `/private/`. Reported for a rule below a folder that another rule of the group spells otherwise, \
     unless a rule has the folder in its own spelling, too.",
    bad(b"User-agent: *\nDisallow: /Private/\nDisallow: /private/letters/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    TrailingSeparator "trailing-separator" Warning,
    "A value ends in a `,` or `;`.",
    "Nothing separates lines but their ends, so it is part of the pattern, name or address. Behind a `*` or a `/` it may be \
     meant (a note); beside rules such as `/a?` and `/a_`, `/a;` is.",
    bad(b"User-agent: *\nDisallow: /private,\nDisallow: /search\n"),
    good(b"User-agent: *\nDisallow: /private\nDisallow: /search\n");

    HtmlEntity "html-entity" Warning,
    "A pattern or address holds an HTML entity, such as `&amp;`.",
    "A program that writes HTML wrote it. Here it is five characters like any other; URLs have `&`.",
    bad(b"User-agent: *\nDisallow: /list?sort=price&amp;page=\n"),
    good(b"User-agent: *\nDisallow: /list?sort=price&page=\n");

    EmptyRule "empty-rule" Warning,
    "A rule has no pattern and does nothing.",
    "An empty `Disallow` says that a group allows everything, but beside other rules it says nothing (a note, for parsers \
     that stop at the first rule that matches take it at its word). An empty `Allow` has no effect; \
     robotexclusionrulesparser reads it as \"nothing is allowed\". The only rule of a group stays, as an empty `Disallow`: \
     without a rule, the group would share those of the next one (RFC 9309 \u{a7}2.2.4).",
    bad(b"User-agent: *\nAllow:\nDisallow: /private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    ShadowedRule "shadowed-rule" Warning,
    "A rule can never decide: another one matches the same URLs and outranks it.",
    "The longest pattern wins, and at the same length `Allow` (RFC 9309 \u{a7}2.2.2). A `*` at the end adds to a pattern's \
     length but not to what it matches.",
    bad(b"User-agent: *\nDisallow: /private/\nAllow: /private/\n"),
    good(b"User-agent: *\nDisallow: /private/\nAllow: /private/open/\n");

    DuplicateRule "duplicate-rule" Note,
    "A rule says the same as another one of its group.",
    "It can go. Patterns are compared after percent-encoding (RFC 9309 \u{a7}2.2.2), with `*` at the end taken off.",
    bad(b"User-agent: *\nDisallow: /private/\nDisallow: /private/*\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    RedundantRule "redundant-rule" Note,
    "A rule changes nothing: a shorter one of its group already says so for more URLs.",
    "Patterns match from the start of the path: `/a` matches `/a/b` too. Reported only if no rule of the opposite effect \
     lies between.",
    bad(b"User-agent: *\nDisallow: /private/\nDisallow: /private/letters/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    WildcardNoop "wildcard-noop" Note,
    "A `*` changes nothing in what the pattern matches.",
    "A pattern is open at its end: `/fish*` matches what `/fish` matches, and `**` what `*` matches. It adds to the length, \
     though, by which the longest pattern wins (where another rule depends on that, the finding names it), and parsers \
     without wildcards look for the character itself.",
    bad(b"User-agent: *\nDisallow: /fish*\n"),
    good(b"User-agent: *\nDisallow: /fish\n");

    DollarInside "dollar-inside" Warning,
    "A `$` stands within a pattern, not at its end.",
    "Only at the end does `$` mean the end of the URL (RFC 9309 \u{a7}2.2.3); elsewhere it is a character like any other. If \
     that is meant, `%24` says so to everybody; before a letter or a bracket it probably is (a note).",
    bad(b"User-agent: *\nDisallow: /*.pdf$*\n"),
    good(b"User-agent: *\nDisallow: /*.pdf$\n");

    NonAscii "non-ascii" Note,
    "A pattern holds characters beyond ASCII, not percent-encoded.",
    "URLs hold them encoded, and RFC 9309 \u{a7}2.2.2 has parsers encode both sides before comparing. Not all do.",
    bad(b"User-agent: *\nDisallow: /caf\xc3\xa9/\n"),
    good(b"User-agent: *\nDisallow: /caf%C3%A9/\n");

    LowerCaseHex "lower-case-hex" Note,
    "A percent-encoded byte has lower-case digits.",
    "`%c3` and `%C3` are the same byte (RFC 3986 \u{a7}2.1), and RFC 9309 \u{a7}2.2.2 has them compared so. Parsers that compare \
     text tell them apart.",
    bad(b"User-agent: *\nDisallow: /caf%c3%a9/\n"),
    good(b"User-agent: *\nDisallow: /caf%C3%A9/\n");

    MalformedPercent "malformed-percent" Warning,
    "A `%` does not start a percent-encoded byte.",
    "Two hexadecimal digits must follow (RFC 3986 \u{a7}2.1). What it matches depends on the parser. At the end or before a \
     `*` it may stand for any encoded byte, and is a note.",
    bad(b"User-agent: *\nDisallow: /50%zzz/\n"),
    good(b"User-agent: *\nDisallow: /50%25zzz/\n");

    HashInPattern "hash-in-pattern" Warning,
    "A pattern is cut at a `#`, which starts a comment.",
    "What stands before it is the whole pattern, which matches more than it seems to: `/#!/` is read as `/`. Crawlers do \
     not see fragments; a `#` in a path is `%23`.",
    bad(b"User-agent: *\nDisallow: /page#comments\n"),
    good(b"User-agent: *\nDisallow: /page%23comments\n");

    DotSegment "dot-segment" Warning,
    "A pattern holds a `.` or `..` segment.",
    "Clients take such segments out of a URL before they send it (RFC 3986 \u{a7}5.2.4), so the pattern matches nothing.",
    bad(b"User-agent: *\nDisallow: /a/../private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    Backslash "backslash" Warning,
    "A pattern holds a backslash.",
    "It escapes nothing, and URLs have none: clients turn it into `/` or encode it as `%5C`.",
    bad(b"User-agent: *\nDisallow: /private\\letters\n"),
    good(b"User-agent: *\nDisallow: /private/letters\n");

    RegexInPattern "regex-in-pattern" Warning,
    "A pattern looks like a regular expression.",
    "Only `*` and a final `$` are special (RFC 9309 \u{a7}2.2.3); everything else is compared as it stands.",
    bad(b"User-agent: *\nDisallow: /page/[0-9]+/print\n"),
    good(b"User-agent: *\nDisallow: /page/*/print\n");

    SpaceInPattern "space-in-pattern" Warning,
    "A pattern holds white space.",
    "A rule has one pattern. White space in it equals `%20` for Comity, and matches nothing for parsers that compare it as it \
     stands; often a second pattern or a comment without `#` follows.",
    bad(b"User-agent: *\nDisallow: /a/ /b/\n"),
    good(b"User-agent: *\nDisallow: /a/\nDisallow: /b/\n");

    RobotsTxtRule "robots-txt-rule" Note,
    "A rule forbids `/robots.txt` itself.",
    "It is always allowed (RFC 9309 \u{a7}2.2.2), since without it no rule can be known. Without a `$` at its end, such a rule \
     still forbids what starts with it, such as `/robots.txt.bak` and `/robots.txt?x`.",
    bad(b"User-agent: *\nDisallow: /robots.txt\nDisallow: /private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    YandexLimits "yandex-limits" Warning,
    "A rule has more than 1,024 characters, or the file more than 2,048 rules.",
    "Yandex reports both as errors and leaves such rules out.",
    bad("User-agent: *\nDisallow: /", "a", 1_100),
    good(b"User-agent: *\nDisallow: /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n");

    BlocksEverything "blocks-everything" Warning,
    "Everything is forbidden to every crawler that is not named.",
    "Right for a site that is not to be found, a costly slip for any other: it drops out of search engines. An `Allow` for \
     `/robots.txt` opens nothing, since that is always allowed.",
    bad(b"User-agent: *\nDisallow: /\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    BlocksAssets "blocks-assets" Warning,
    "Style sheets or scripts are forbidden to search engines.",
    "Search engines render pages, and judge one without its style sheets and scripts by what is left. Reported for groups \
     that speak to `*`, `Googlebot` or `bingbot`, if no `Allow` opens them again.",
    bad(b"User-agent: *\nDisallow: /*.css$\n"),
    good(b"User-agent: *\nDisallow: /*.pdf$\n");

    // The other directives.

    RelativeSitemap "relative-sitemap" Error,
    "A sitemap's address is not absolute.",
    "The sitemap protocol wants the whole URL, scheme and host included; crawlers skip anything else.",
    bad(b"User-agent: *\nDisallow: /search\n\nSitemap: /sitemap.xml\n"),
    good(b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/sitemap.xml\n");

    MalformedSitemap "malformed-sitemap" Error,
    "A sitemap's address is not an http or https URL.",
    "Crawlers skip it. One line holds one address.",
    bad(b"User-agent: *\nDisallow: /search\n\nSitemap: https:/www.shop.example/sitemap.xml\n"),
    good(b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/sitemap.xml\n");

    SitemapFragment "sitemap-fragment" Warning,
    "A sitemap's address is cut at a `#`, which starts a comment.",
    "What stands before it is the whole address.",
    bad(b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/sitemap.xml#pages\n"),
    good(b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/sitemap.xml\n");

    SitemapTooLong "sitemap-too-long" Warning,
    "A sitemap's address has 2,048 characters or more.",
    "The sitemap protocol sets that limit for addresses.",
    bad("User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/", "a", 2_048),
    good(b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/sitemap.xml\n");

    DuplicateSitemap "duplicate-sitemap" Note,
    "A sitemap is listed twice.",
    "Once will do.",
    bad(b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/s.xml\nSitemap: https://www.shop.example/s.xml\n"),
    good(b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/s.xml\n");

    SitemapDisallowed "sitemap-disallowed" Warning,
    "The file's own rules forbid a sitemap that it lists.",
    "Crawlers that obey do not fetch it. Reported if the rules for `*`, `Googlebot` or `bingbot` say so and do not forbid \
     the whole site. A sitemap on another host is that host's business.",
    bad(b"User-agent: *\nDisallow: /*.xml$\n\nSitemap: https://www.shop.example/sitemap.xml\n"),
    good(b"User-agent: *\nDisallow: /*.xml$\nAllow: /sitemap.xml\n\nSitemap: https://www.shop.example/sitemap.xml\n");

    PlaceholderSitemap "placeholder-sitemap" Warning,
    "A sitemap's host is a placeholder, a local one, or a site for tests.",
    "It came along with a template, or from where the site was made: `example.com` belongs to documentation (RFC 2606), \
     `localhost`, `10.0.0.1` and `.local` to nobody else, and `staging.` is not what visitors see.",
    bad(b"User-agent: *\nDisallow: /search\n\nSitemap: http://localhost:3000/sitemap.xml\n"),
    good(b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/sitemap.xml\n");

    ObsoleteDirective "obsolete-directive" Warning,
    "No large crawler reads the directive any more.",
    "`Noindex`, `Nofollow` and `Noarchive` were never documented, and Google stopped reading them on 1 September 2019; Yandex \
     stopped reading `Host` in 2018. `Visit-time` is a proposal of 1996 that only a few small crawlers follow (a note).",
    bad(b"User-agent: *\nDisallow: /search\nNoindex: /private/\n"),
    good(b"User-agent: *\nDisallow: /search\n");

    LimitedDirective "limited-directive" Note,
    "Only one crawler reads the directive.",
    "`Clean-param` is Yandex's, `Request-rate` Seznam's (Python's `urllib.robotparser` knows it too).",
    bad(b"User-agent: *\nDisallow: /search\nClean-param: sid /forum/\n"),
    good(b"User-agent: *\nDisallow: /search\n");

    CrawlDelayIgnored "crawl-delay-ignored" Warning,
    "A crawl delay is set for crawlers that do not read it.",
    "Google never did; Yandex stopped in 2018. Both have settings for it elsewhere.",
    bad(b"User-agent: Googlebot\nCrawl-delay: 5\nDisallow: /search\n"),
    good(b"User-agent: bingbot\nCrawl-delay: 5\nDisallow: /search\n");

    CrawlDelayNotANumber "crawl-delay-not-a-number" Error,
    "A crawl delay is not a number of seconds.",
    "A number of 0 or more, in digits, perhaps with a decimal point. Anything else is skipped, or read as something else. \
     A time such as `0100-0800` belongs to `Visit-time`.",
    bad(b"User-agent: bingbot\nCrawl-delay: 5s\nDisallow: /search\n"),
    good(b"User-agent: bingbot\nCrawl-delay: 5\nDisallow: /search\n");

    LongCrawlDelay "long-crawl-delay" Warning,
    "A crawl delay is longer than 300 seconds.",
    "At that pace a crawler fetches fewer than 300 pages a day. crawler-commons (Nutch, StormCrawler, Common Crawl) then \
     treats the whole site as forbidden; Bing honours 1 to 30 seconds. Mostly milliseconds were meant.",
    bad(b"User-agent: bingbot\nCrawl-delay: 1000\nDisallow: /search\n"),
    good(b"User-agent: bingbot\nCrawl-delay: 1\nDisallow: /search\n");

    RepeatedCrawlDelay "repeated-crawl-delay" Warning,
    "A group has several crawl delays that differ.",
    "Which one counts depends on the parser: the first, the last, the shortest or, for Comity, the longest.",
    bad(b"User-agent: bingbot\nCrawl-delay: 5\nCrawl-delay: 10\nDisallow: /search\n"),
    good(b"User-agent: bingbot\nCrawl-delay: 10\nDisallow: /search\n");

    MalformedValue "malformed-value" Warning,
    "A `Request-rate` or `Visit-time` cannot be read.",
    "A rate is `documents/time` with a unit of `s`, `m`, `h` or `d`, perhaps followed by a window: `1/10s 1800-1900`. A time \
     is a window in UTC: `0600-0845`.",
    bad(b"User-agent: *\nDisallow: /search\nRequest-rate: 10 per minute\n"),
    good(b"User-agent: *\nDisallow: /search\nRequest-rate: 10/1m\n");

    ContentUsageSyntax "content-usage-syntax" Error,
    "A `Content-Usage` value is not a dictionary, so it says nothing.",
    "It is a dictionary of structured fields (RFC 9651), and one slip makes all of it void (draft-ietf-aipref-vocab): keys are \
     lower case, no space around `=`, commas between members and none at the end. A path may stand first, and starts with \
     `/`.",
    bad(b"User-agent: *\nDisallow: /search\nContent-Usage: Train-AI=n\n"),
    good(b"User-agent: *\nDisallow: /search\nContent-Usage: train-ai=n\n");

    ContentUsageTerm "content-usage-term" Warning,
    "A `Content-Usage` value has a category or preference that the vocabulary does not know.",
    "Categories are `train-ai` and `search` (draft-ietf-aipref-vocab-07), preferences `y` and `n`; anything else means \
     \"unknown\". Earlier drafts had other categories (`ai`, `genai`, `train-genai`, `bots`, ...); `yes`, `no` and \
     `ai-train` belong to `Content-Signal`.",
    bad(b"User-agent: *\nDisallow: /search\nContent-Usage: train-ai=no\n"),
    good(b"User-agent: *\nDisallow: /search\nContent-Usage: train-ai=n\n");

    ContentSignalTerm "content-signal-term" Warning,
    "A `Content-Signal` value has a signal or value that is not defined.",
    "Signals are `search`, `ai-input` and `ai-train` with `yes` or `no`, and `use` with `immediate`, `reference` or `full`, \
     separated by commas (contentsignals.org). Anything else counts as not said; `y`, `n` and `train-ai` belong to \
     `Content-Usage`.",
    bad(b"User-agent: *\nDisallow: /search\nContent-Signal: search=y, train-ai=no\n"),
    good(b"User-agent: *\nDisallow: /search\nContent-Signal: search=yes, ai-train=no\n");

    RelativeLicense "relative-license" Error,
    "A `License` is not an absolute address.",
    "RSL 1.0 wants an absolute URI; anything else is skipped.",
    bad(b"User-agent: *\nDisallow: /search\nLicense: /license.xml\n"),
    good(b"User-agent: *\nDisallow: /search\nLicense: https://www.shop.example/license.xml\n");
}

impl Lint {
    /// Its stable name, such as `missing-colon`.
    pub fn code(self) -> &'static str {
        self.entry().code
    }

    /// Returns how much its findings matter, unless one says otherwise.
    pub fn severity(self) -> Severity {
        self.entry().severity
    }

    /// Returns what it looks for, in a line.
    pub fn summary(self) -> &'static str {
        self.entry().summary
    }

    /// Why that matters, and to whom.
    pub fn why(self) -> &'static str {
        self.entry().why
    }

    /// A file in which it finds something.
    pub fn bad(self) -> Cow<'static, [u8]> {
        self.entry().bad.bytes()
    }

    /// The same file as it should be: nothing in it deserves a warning.
    pub fn good(self) -> Cow<'static, [u8]> {
        self.entry().good.bytes()
    }

    /// Returns where its documentation is, from the root of the repository.
    pub fn page(self) -> String {
        format!("docs/reference/lints.md#{}", self.code())
    }

    /// Its documentation in Markdown, as `docs/reference/lints.md` prints it.
    pub fn documentation(self) -> String {
        let Entry { code, severity, summary, why, bad, good } = self.entry();
        let (bad, good) = (bad.text(), good.text());
        format!(
            "## {code}\n\n{summary} Severity: {severity}.\n\n{why}\n\nBad:\n\n```text\n{bad}```\n\nGood:\n\n\
             ```text\n{good}```\n\nTo turn it off: `comity lint --allow {code}`.\n",
        )
    }
}

/// The page of all lints in Markdown: `docs/reference/lints.md`.
pub fn documentation() -> String {
    let mut page = String::from(HEAD);
    for lint in Lint::ALL {
        page.push_str(&format!(
            "| [{0}](#{0}) | {1} | {2} |\n",
            lint.code(),
            lint.severity(),
            lint.summary()
        ));
    }
    for lint in Lint::ALL {
        page.push('\n');
        page.push_str(&lint.documentation());
    }
    page
}

const HEAD: &str = "\
# Lints

What `comity lint` looks for in a robots.txt. This page is printed from the catalogue in the code; a test keeps the two
equal, and `UPDATE_DOCS=1 cargo test -p comity --test lint` writes it anew.

The file is read as the default dialect reads it (RFC 9309; where that is silent, Google's published parser). An *error*
means that the line does not do what it says; a *warning*, that some crawlers read it otherwise or that it is probably
not what was meant; a *note*, that it is worth knowing. A finding may be milder or graver than its lint's usual severity;
the message then says why. After a hundred findings of one lint in a file, one more tells how many there are.

`comity lint` shows errors and warnings, three of a kind for each file, and counts the rest: `--notes` shows notes,
`--all` everything. JSON and SARIF hold everything.

Where the advice is *drop it*, no decision of the default dialect changes without the line, whoever asks for whatever;
such findings have `droppable: true` in JSON, and all such lines of a file can be dropped together. Where something would
change, the advice says what.

In examples, `\\xNN` and `\\u{NNNN}` stand for a byte and a character that do not print.

| code | severity | what |
|---|---|---|
";

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

impl FromStr for Lint {
    type Err = UnknownLint;

    fn from_str(code: &str) -> Result<Self, Self::Err> {
        Lint::ALL
            .iter()
            .copied()
            .find(|lint| lint.code() == code)
            .ok_or_else(|| UnknownLint { code: code.to_owned() })
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Lint {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

/// A code that no lint has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLint {
    code: String,
}

impl fmt::Display for UnknownLint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown lint `{}`", self.code)?;
        let code = self.code.to_ascii_lowercase().replace('_', "-");
        let near = Lint::ALL.iter().filter_map(|lint| {
            let distance = crate::agents::edit_distance(code.as_bytes(), lint.code().as_bytes(), 3)?;
            Some((distance, lint))
        });
        match near.min_by_key(|(distance, _)| *distance) {
            Some((_, lint)) => write!(f, "; is `{lint}` meant?"),
            None => f.write_str("; `docs/reference/lints.md` lists them"),
        }
    }
}

impl std::error::Error for UnknownLint {}
