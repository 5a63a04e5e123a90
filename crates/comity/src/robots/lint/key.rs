//! Input of the lints for records: mistakes in the key, and a second directive in the value.

use std::ops::Range;

use super::Lint;
use super::bytes::is_invisible;
use super::context::{Context, LocatedLine, LocatedRecord};
use super::fault::Fault;
use super::steps;
use crate::agents::edit_distance;
use crate::finding::{Decisions, Finding, Fix};
use crate::robots::read::directive::RecordKind;
use crate::robots::read::space::{is_ascii_space, trim_ascii};

/// A record, for lints of its key and value.
pub(super) struct KeyedRecord<'c, 'b> {
    pub context: &'c Context<'b>,
    pub record: &'c LocatedRecord,
    /// The mistake in the key, if there is one.
    pub slip: Option<Slip>,
    /// The position and kind of a second directive in the value.
    pub second: Option<(usize, RecordKind)>,
}

/// A mistake in the key of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slip {
    /// A key that is unknown to all crawlers, but similar to this directive.
    Similar(RecordKind),
    /// The text before the colon is not a name.
    NoName,
    /// A name that is unknown to all crawlers.
    Unknown,
    /// White space replaces the colon.
    NoColon,
    /// A misspelling that some parsers accept.
    Misspelt,
    /// There is no colon after the key, so the parser used a colon inside the value.
    ColonMisplaced,
    /// The key starts with the name of a known directive and has extra text after it.
    Suffix,
}

impl<'c, 'b> KeyedRecord<'c, 'b> {
    pub(super) fn new(context: &'c Context<'b>, record: &'c LocatedRecord) -> Self {
        let second = second_directive(context, record);
        let slip = if record.kind == RecordKind::Unknown {
            slip_of_unknown(context, record)
        } else {
            slip_of_known(context, record)
        };
        KeyedRecord { context, record, slip, second }
    }

    /// Returns a finding for a mistake at one position of the value.
    pub(super) fn slip_in_value(&self, lint: &'static Lint, fault: Fault) -> Finding {
        let start = self.record.value.start;
        let span = start + fault.at.start..start + fault.at.end;
        let fix = fault.instead.map(|text| Fix::new(Decisions::Changed).replace(span.clone(), text));
        self.context.finding(lint, self.record.line, span, fault.message, fault.help).with_fix(fix)
    }
}

/// Returns the mistake in a key that no crawler reads. Keys with invisible characters and obsolete directives are
/// omitted, because other lints report them.
fn slip_of_unknown(context: &Context<'_>, record: &LocatedRecord) -> Option<Slip> {
    let key = context.key(record);
    if String::from_utf8_lossy(key).chars().any(is_invisible) {
        return None;
    }
    if let Some(kind) = meant(key) {
        Some(Slip::Similar(kind))
    } else if record.missing_colon || !is_name(key) {
        Some(Slip::NoName)
    } else {
        (!is_obsolete(key)).then_some(Slip::Unknown)
    }
}

/// Returns the mistake in a key that some or all crawlers read.
fn slip_of_known(context: &Context<'_>, record: &LocatedRecord) -> Option<Slip> {
    let key = context.key(record);
    let suffix = key.get(record.kind.label().len()..).unwrap_or_default();
    if record.missing_colon {
        Some(Slip::NoColon)
    } else if record.misspelt {
        Some(Slip::Misspelt)
    } else if is_colon_misplaced(context, record) {
        Some(Slip::ColonMisplaced)
    } else {
        suffix.iter().any(|byte| byte.is_ascii_graphic()).then_some(Slip::Suffix)
    }
}

/// A line that cannot be read as a key and a value.
pub(super) struct UnreadableLine<'c, 'b> {
    pub context: &'c Context<'b>,
    pub index: usize,
    pub span: Range<usize>,
    pub text: &'b [u8],
    /// The directive at the start of the line, if the text after it looks like a value of that directive.
    pub directive: Option<(RecordKind, &'b [u8])>,
}

impl<'c, 'b> UnreadableLine<'c, 'b> {
    /// Returns `None` for a line that another lint reports, because it starts with a NUL or has no visible text.
    pub(super) fn new(context: &'c Context<'b>, index: usize, line: &LocatedLine) -> Option<Self> {
        let span = trim_ascii(context.body, context.before_comment(line));
        let text = context.bytes(span.clone());
        let shows_nothing =
            || String::from_utf8_lossy(text).chars().all(|c| is_invisible(c) || c.is_whitespace());
        if text.first() == Some(&0) || shows_nothing() {
            return None;
        }
        Some(UnreadableLine { context, index, span, text, directive: directive_without_colon(text) })
    }
}

/// Directives that a misspelt key is compared with. Rare directives are omitted, because too many words are similar to
/// them.
const SPELL_CHECKED: [RecordKind; 9] = [
    RecordKind::UserAgent,
    RecordKind::Disallow,
    RecordKind::Allow,
    RecordKind::Sitemap,
    RecordKind::CrawlDelay,
    RecordKind::RequestRate,
    RecordKind::CleanParam,
    RecordKind::ContentSignal,
    RecordKind::ContentUsage,
];

/// Returns the directive at the start of a line without a usable colon, and the text after it, if that text looks like
/// a value of the directive.
fn directive_without_colon(text: &[u8]) -> Option<(RecordKind, &[u8])> {
    let kind = SPELL_CHECKED.into_iter().find(|kind| starts_with(text, kind.as_str().as_bytes()))?;
    let rest = text.get(kind.as_str().len()..)?;
    let start = rest.iter().position(|&byte| !is_ascii_space(byte) && !matches!(byte, b'=' | b';'))?;
    let value = rest.get(start..)?;
    let value = value.strip_prefix("\u{ff1a}".as_bytes()).unwrap_or(value).trim_ascii_start();
    let fits = match kind {
        RecordKind::Allow | RecordKind::Disallow => matches!(value.first(), Some(b'/' | b'*')),
        RecordKind::Sitemap => starts_with(value, b"http"),
        RecordKind::CrawlDelay | RecordKind::RequestRate => value.first().is_some_and(u8::is_ascii_digit),
        RecordKind::UserAgent => value.split(|byte| *byte == b' ').count() <= 4,
        _ => true,
    };
    fits.then_some((kind, value))
}

/// Returns the directive that a misspelt key resembles.
fn meant(key: &[u8]) -> Option<RecordKind> {
    let folded: Vec<u8> = key
        .iter()
        .map(|byte| if matches!(byte, b'_' | b' ') { b'-' } else { byte.to_ascii_lowercase() })
        .collect();
    let near = SPELL_CHECKED.into_iter().filter_map(|kind| {
        let limit = if kind.as_str().len() < 7 { 1 } else { 2 };
        Some((edit_distance(&folded, kind.as_str().as_bytes(), limit)?, kind))
    });
    near.min_by_key(|(distance, _)| *distance).map(|(_, kind)| kind)
}

/// Returns true if a key looks like the name of a directive, known or unknown.
fn is_name(key: &[u8]) -> bool {
    key.len() <= 40
        && key.first().is_some_and(u8::is_ascii_alphabetic)
        && key.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b' ' | b'.'))
        && key.split(|byte| *byte == b' ').count() <= 3
        && !key.eq_ignore_ascii_case(b"http")
        && !key.eq_ignore_ascii_case(b"https")
}

/// Returns true if a key is an obsolete directive, which crawlers no longer read. Such a key has no record kind.
pub(super) fn is_obsolete(key: &[u8]) -> bool {
    [&b"nofollow"[..], b"noarchive"].iter().any(|name| name.eq_ignore_ascii_case(key))
}

/// Returns true if the parser used a colon inside the value, so that the key contains the start of the value.
pub(super) fn is_colon_misplaced(context: &Context<'_>, record: &LocatedRecord) -> bool {
    if record.missing_colon || record.misspelt {
        return false;
    }
    let suffix = context.key(record).get(record.kind.as_str().len()..).unwrap_or_default();
    let is_separated = suffix.first().is_some_and(|&byte| is_ascii_space(byte) || byte == b'=');
    let value = suffix.trim_ascii_start();
    is_separated && (matches!(value.first(), Some(b'/' | b'*' | b'=')) || starts_with(value, b"http"))
}

/// Returns the position and kind of a second directive in the value of a record.
pub(super) fn second_directive(context: &Context<'_>, record: &LocatedRecord) -> Option<(usize, RecordKind)> {
    const KINDS: [RecordKind; 5] = [
        RecordKind::Disallow,
        RecordKind::Allow,
        RecordKind::UserAgent,
        RecordKind::Sitemap,
        RecordKind::CrawlDelay,
    ];
    if !KINDS.contains(&record.kind) {
        return None;
    }
    let value = context.value(record);
    memchr::memchr_iter(b':', value).find_map(|colon| {
        steps::count(1);
        let before = value.get(..colon)?.trim_ascii_end();
        KINDS.into_iter().find_map(|kind| {
            let start = before.len().checked_sub(kind.as_str().len())?;
            let is_key = before.get(start..)?.eq_ignore_ascii_case(kind.as_str().as_bytes());
            let is_separate = match start.checked_sub(1).and_then(|at| before.get(at)) {
                None => true,
                Some(&byte) if is_ascii_space(byte) => true,
                // In `User-agent: *Disallow: /`, the `*` cannot be part of a name.
                Some(byte) => record.kind == RecordKind::UserAgent && *byte == b'*',
            };
            (is_key && is_separate).then_some((record.value.start + start, kind))
        })
    })
}

fn starts_with(text: &[u8], prefix: &[u8]) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}
