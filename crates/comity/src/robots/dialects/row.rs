//! A dialect as data: its names, and a choice for each step on the way from bytes to a decision.

use std::borrow::Cow;
use std::time::Duration;

use crate::robots::agents::select::Choosing;
use crate::robots::matching::pattern::{Compiled, Effect, LineEnds};
use crate::robots::matching::target::{Target, UrlError};
use crate::robots::read::Reading;
use crate::robots::read::directive::RecordKind;
use crate::robots::read::pacing::{RequestRate, VisitTime};

/// One dialect: its names, its description, its choices and its functions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Its name in JSON, on the command line and in the documentation.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// The program or standard whose answers it gives.
    pub defined_by: &'static str,
    /// Its quirks, a line each.
    pub quirks: &'static [&'static str],
    /// Further notes, in paragraphs of Markdown.
    pub notes: &'static [&'static str],

    /// Its choices for making records and groups of bytes.
    pub reading: Reading,
    /// Its way of choosing the groups that speak to an agent.
    pub choosing: Choosing,
    /// Compiles the value of a rule; gives nothing if it can never match or decide, and seldom two patterns.
    pub compile: for<'v> fn(Effect, &'v [u8]) -> [Option<Compiled<'v>>; 2],
    /// Brings a URL to the form in which it is matched.
    pub target: for<'u> fn(&'u [u8]) -> Result<Target<'u>, UrlError>,
    /// The meaning of a line end in a URL to a pattern.
    pub line_ends: LineEnds,
    /// The order that says which of several matching rules decides.
    pub precedence: Precedence,
    /// The bytes that are kept of a rule that is not matched as it is written.
    pub keeps: Keeps,
    /// True if an index finds the deciding rule among many: the longest wins, and line ends are bytes like others.
    pub is_indexed: bool,
    /// True if exactly `/robots.txt` is allowed whatever the rules say.
    pub robots_txt_always_allowed: bool,
    /// The answer for a URL in which no path is found.
    pub unsplit: Unsplit,
    /// True if a URL has to percent-encode a byte so that rules are compared with the byte itself.
    pub has_to_encode: fn(u8) -> bool,

    /// The delay after one more `Crawl-delay` of the crawler's groups, given the one before.
    pub crawl_delay: fn(Option<Duration>, &[u8]) -> Option<Duration>,
    /// The rate that one `Request-rate` asks for.
    pub request_rate: fn(&[u8]) -> Option<RequestRate>,
    /// The hours that one `Visit-time` asks for.
    pub visit_time: fn(&[u8]) -> Option<VisitTime>,
    /// A `Sitemap` value as the dialect's program lists it; `None` if it does not.
    pub sitemap: for<'v> fn(&'v [u8]) -> Option<Cow<'v, str>>,
}

impl Row {
    /// Compiles the value of one rule.
    #[inline]
    pub(crate) fn compile<'v>(&self, kind: RecordKind, value: &'v [u8]) -> [Option<Compiled<'v>>; 2] {
        (self.compile)(Effect::of(kind), value)
    }

    /// Brings a URL to the form in which it is matched.
    #[inline]
    pub(crate) fn target<'u>(&self, url: &'u [u8]) -> Result<Target<'u>, UrlError> {
        (self.target)(url)
    }
}

/// Which of several matching rules decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precedence {
    /// The longest; ties allow.
    Longest,
    /// The one that matches the longest part of the URL, whatever its own length; ties allow.
    LongestMatch,
    /// The first in the file.
    FileOrder,
}

/// The answer for a URL in which no path is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsplit {
    /// An error.
    Refused,
    /// An error, but a crawler that no group speaks to is answered without a look at the URL.
    AllowedWithoutGroup,
    /// It is allowed, since no rule matches it.
    Allowed,
}

/// What is kept of a rule that is not matched as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// Both the bytes as written and the bytes to match.
    Both,
    /// The bytes as written; the bytes to match are worked out for each question. Compiling is cheap then, and
    /// `encode::may_start` tells beforehand of most rules that they do not match.
    Written,
}

/// A dialect for which the answer to one question about one file is compiled separately: it reads lines as `read::scan`
/// does, compares names as wholes and takes the longest rule.
pub(crate) trait Walked {
    /// The dialect's row.
    const ROW: Row;

    /// True if a rule without escapes, wildcards and anchors matches every URL that starts with it and has no escapes and
    /// stars.
    const MATCHES_AS_WRITTEN: bool;

    /// Returns true if a rule may match a URL that differs from it before its first wildcard.
    #[inline]
    fn matches_otherwise(_kind: RecordKind, _value: &[u8]) -> bool {
        false
    }
}
