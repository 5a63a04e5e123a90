//! A dialect as data: its names, and its choice for each step from bytes to a decision.

use std::borrow::Cow;
use std::time::Duration;

use crate::robots::agents::select::GroupSelection;
use crate::robots::matching::pattern::{CompiledRule, Effect, LineEnds};
use crate::robots::matching::target::{Target, UrlError};
use crate::robots::read::Reading;
use crate::robots::read::directive::RecordKind;
use crate::robots::read::pacing::{RequestRate, VisitTime};

/// The description of a dialect. It is separate from the [`Row`], so that programs without descriptions do not contain
/// the texts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About {
    /// The program or standard that defines the dialect.
    pub defined_by: &'static str,
    /// The quirks of the dialect, one line each.
    pub quirks: &'static [&'static str],
    /// Further notes, as paragraphs of Markdown.
    pub notes: &'static [&'static str],
}

/// One dialect: its names, its choices and its functions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The name of the dialect in JSON, on the command line and in the documentation.
    pub name: &'static str,
    /// Other names of the dialect.
    pub aliases: &'static [&'static str],

    /// The strategies for parsing bytes into records and groups.
    pub reading: Reading,
    /// The strategy for choosing the groups that apply to an agent.
    pub choosing: GroupSelection,
    /// Compiles the value of a rule. Returns no pattern if the rule can never match or decide, and in rare cases two
    /// patterns.
    pub compile: for<'v> fn(Effect, &'v [u8]) -> [Option<CompiledRule<'v>>; 2],
    /// Converts a URL to the form in which it is matched.
    pub target: for<'u> fn(&'u [u8]) -> Result<Target<'u>, UrlError>,
    /// The effect of a line end in a URL on matching.
    pub line_ends: LineEnds,
    /// The rule that decides if several rules match.
    pub precedence: Precedence,
    /// The bytes that are stored for a rule whose text differs from the bytes to match.
    pub stored_bytes: StoredBytes,
    /// True if an index can find the deciding rule: the longest rule wins, and line ends are ordinary bytes.
    pub is_indexed: bool,
    /// True if `/robots.txt` is always allowed, independently of the rules.
    pub robots_txt_always_allowed: bool,
    /// The result for a URL without a recognizable path.
    pub unsplit: Unsplit,
    /// Returns true for a byte of a pattern that a URL must contain percent-encoded to match.
    pub has_to_encode: fn(u8) -> bool,

    /// Combines the delay so far with the value of the next `Crawl-delay` in the crawler's groups.
    pub crawl_delay: fn(Option<Duration>, &[u8]) -> Option<Duration>,
    /// Combines the rate so far with the value of the next `Request-rate` in the crawler's groups.
    pub request_rate: fn(Option<RequestRate>, &[u8]) -> Option<RequestRate>,
    /// Reads the value of a `Visit-time`.
    pub visit_time: fn(&[u8]) -> Option<VisitTime>,
    /// Returns a `Sitemap` value as the dialect's program lists it, or `None` if the program omits it.
    pub sitemap: for<'v> fn(&'v [u8]) -> Option<Cow<'v, str>>,
}

impl Row {
    /// Compiles the value of one rule.
    #[inline]
    pub(crate) fn compile<'v>(&self, kind: RecordKind, value: &'v [u8]) -> [Option<CompiledRule<'v>>; 2] {
        (self.compile)(Effect::of(kind), value)
    }

    /// Converts a URL to the form in which it is matched.
    #[inline]
    pub(crate) fn target<'u>(&self, url: &'u [u8]) -> Result<Target<'u>, UrlError> {
        (self.target)(url)
    }
}

/// The rule that decides if several rules match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precedence {
    /// The longest rule decides; ties allow.
    Longest,
    /// The rule that matches the longest part of the URL decides, independently of the length of the rule; ties allow.
    LongestMatch,
    /// The first rule in the file decides.
    FileOrder,
}

/// The result for a URL without a recognizable path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsplit {
    /// An error.
    Refused,
    /// An error. If no group applies to the crawler, the URL is allowed without being parsed.
    AllowedWithoutGroup,
    /// The URL is allowed, because no rule matches it.
    Allowed,
}

/// The bytes that are stored for a rule whose text differs from the bytes to match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoredBytes {
    /// Both the bytes as written and the bytes to match.
    Both,
    /// Only the bytes as written. The bytes to match are computed for each decision. This is cheap, because
    /// `encode::may_start` rejects most rules before they are compiled.
    Written,
}

/// A dialect for which the single pass over a file is compiled separately. Its lines are read as in `read::scan`, names
/// are compared as a whole, and the longest rule decides.
pub(crate) trait WalkDialect {
    /// The dialect's row.
    const ROW: Row;

    /// True if a rule without escapes, wildcards and anchors matches every URL that starts with the text of the rule
    /// and contains neither escapes nor stars.
    const MATCHES_AS_WRITTEN: bool;

    /// Returns true if a rule may match a URL that does not start with the text of the rule before its first wildcard.
    #[inline]
    fn matches_otherwise(_kind: RecordKind, _value: &[u8]) -> bool {
        false
    }
}
