//! Patterns, one by one: what each says by itself.

use std::collections::HashSet;

use crate::robots::dialects::Dialect;
use crate::robots::lint::catalogue::Lint;
use crate::robots::lint::checks::addresses::html_entity;
use crate::robots::lint::checks::bytes::is_invisible;
use crate::robots::lint::checks::lines::{is_colon_misplaced, second_directive};
use crate::robots::lint::checks::rivals::Rivals;
use crate::robots::lint::context::{Context, Findings, Group, Record, shown, shown_rule};
use crate::robots::matching::encode::push_percent;
use crate::robots::read::directive::DirectiveKind;
use crate::robots::read::syntax::is_ascii_space;
use crate::severity::Severity;

/// The largest number of rules that Yandex takes from a file, and of characters that it takes from a rule.
const YANDEX_RULES: usize = 2_048;
const YANDEX_CHARACTERS: usize = 1_024;

/// The way out for a rule that does nothing and is the only one in its group.
const ONLY_RULE: &str = "write an empty `Disallow:` instead; a group without rules runs into the next one";

pub(super) fn check(context: &Context<'_>, findings: &mut Findings, rivals: &Rivals<'_, '_>) {
    let stems = stems(context);
    let mut count = 0;
    for record in context.records.iter().filter(|record| record.kind.is_rule()) {
        count += 1;
        if count == YANDEX_RULES + 1 {
            let message = "the file has more than 2,048 rules; Yandex leaves out the ones from here on";
            let help = "merge rules that share a beginning, or use wildcards";
            findings.add(context.finding(
                Lint::YandexLimits,
                record.line,
                record.value.clone(),
                message,
                help,
            ));
        }
        if second_directive(context, record).is_none() && !is_colon_misplaced(context, record) {
            let value = context.value(record);
            Pattern { context, record, value, rivals, stems: &stems }.check(findings);
        }
    }
    for group in &context.groups {
        empty_rules(context, findings, group);
    }
}

/// Returns the patterns of all rules without a last character that is neither letter nor digit: `/a` for `/a/` and
/// `/a?`.
fn stems<'b>(context: &Context<'b>) -> HashSet<&'b [u8]> {
    let values =
        context.records.iter().filter(|record| record.kind.is_rule()).map(|rule| context.value(rule));
    let stem = |value: &'b [u8]| match value {
        [stem @ .., last] if !last.is_ascii_alphanumeric() && !matches!(last, b',' | b';') => Some(stem),
        _ => None,
    };
    values.filter_map(stem).collect()
}

/// Rules without a pattern: what each does depends on the others of its group.
fn empty_rules(context: &Context<'_>, findings: &mut Findings, group: &Group) {
    let rules = || context.records_at(&group.rules).map(|(_, rule)| rule);
    let says_something = rules().any(|rule| !rule.value.is_empty());
    let is_open = rules().any(|rule| rule.kind == DirectiveKind::Disallow && rule.value.is_empty());
    for (index, rule) in rules().enumerate().filter(|(_, rule)| rule.value.is_empty()) {
        let span = rule.key.start..rule.value.end.max(rule.key.end);
        let finding = match rule.kind {
            DirectiveKind::Allow => {
                let message = "an empty `Allow` allows nothing in particular; one old parser reads it as \"nothing is allowed\"";
                if says_something || is_open || index > 0 {
                    context.droppable(Lint::EmptyRule, rule.line, span, message, "drop it")
                } else {
                    context.finding(Lint::EmptyRule, rule.line, span, message, ONLY_RULE)
                }
            }
            _ if says_something => {
                let message = "an empty `Disallow` does nothing beside other rules";
                let finding = context.droppable(Lint::EmptyRule, rule.line, span, message, "drop it");
                finding.severity_of(Severity::Note)
            }
            _ => continue,
        };
        findings.add(finding);
    }
}

/// One rule's pattern.
struct Pattern<'c, 'b> {
    context: &'c Context<'b>,
    record: &'c Record,
    value: &'b [u8],
    rivals: &'c Rivals<'c, 'c>,
    stems: &'c HashSet<&'b [u8]>,
}

impl Pattern<'_, '_> {
    fn check(&self, findings: &mut Findings) {
        if self.value.is_empty() {
            return;
        }
        self.hash(findings);
        if !self.starts_well(findings) {
            return;
        }
        if self.value.len() > YANDEX_CHARACTERS {
            self.yandex(findings);
        }
        self.slashes(findings);
        self.wildcards(findings);
        self.dollar(findings);
        self.percent(findings);
        self.non_ascii(findings);
        self.dot_segments(findings);
        self.spaces(findings);
        if !self.regex(findings) {
            self.backslash(findings);
        }
        self.entity(findings);
        self.separator(findings);
        self.robots_txt(findings);
    }

    fn add(
        &self,
        findings: &mut Findings,
        lint: Lint,
        at: usize,
        length: usize,
        message: String,
        help: String,
    ) {
        self.add_as(findings, lint, lint.severity(), at, length, message, help);
    }

    #[expect(clippy::too_many_arguments, reason = "a place and a finding, spelt out")]
    fn add_as(
        &self,
        findings: &mut Findings,
        lint: Lint,
        severity: Severity,
        at: usize,
        length: usize,
        message: String,
        help: String,
    ) {
        let start = self.record.value.start + at;
        let finding = self.context.finding(lint, self.record.line, start..start + length, message, help);
        findings.add(finding.severity_of(severity));
    }

    fn position(&self, byte: u8) -> Option<usize> {
        self.value.iter().position(|other| *other == byte)
    }

    /// Returns whether the pattern can match at all.
    fn starts_well(&self, findings: &mut Findings) -> bool {
        let value = self.value;
        if matches!(value.first(), Some(b'/' | b'*')) {
            return true;
        }
        let whole = value.len();
        let is_url =
            |scheme: &[u8]| value.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme));
        if let Some(scheme) = [&b"http://"[..], b"https://"].into_iter().find(|scheme| is_url(scheme)) {
            let rest = value.get(scheme.len()..).unwrap_or_default();
            let path = memchr::memchr(b'/', rest).and_then(|at| rest.get(at..)).unwrap_or(b"/");
            let message = format!("{} is a whole URL, so it matches nothing", shown(value));
            let help = format!("write {} if the URL is on this site", shown(path));
            self.add(findings, Lint::PatternUrl, 0, whole, message, help);
            return false;
        }
        let starts_unseen = String::from_utf8_lossy(value).chars().next().is_some_and(is_invisible);
        if !starts_unseen {
            let message = format!("{} starts with neither `/` nor `*`, so it matches nothing", shown(value));
            let help = if value.first() == Some(&b'.') || value.first() == Some(&b'?') {
                format!("write {}", shown(&[b"/*", value].concat()))
            } else {
                let path = value.strip_prefix(b"^").unwrap_or(value);
                format!("write {}", shown(&[b"/", path.strip_prefix(b"/").unwrap_or(path)].concat()))
            };
            self.add(findings, Lint::PatternStart, 0, whole, message, help);
        }
        false
    }

    fn yandex(&self, findings: &mut Findings) {
        let characters = String::from_utf8_lossy(self.value).chars().count();
        if characters > YANDEX_CHARACTERS {
            let message =
                format!("the rule has {characters} characters; Yandex leaves out rules of more than 1,024");
            let help = "shorten it; a pattern matches every URL that starts with it".to_owned();
            self.add(findings, Lint::YandexLimits, 0, self.value.len(), message, help);
        }
    }

    /// Two slashes at the start, with a path or a host behind them.
    fn slashes(&self, findings: &mut Findings) {
        let path = self.value.trim_ascii_start();
        let start = path.iter().take_while(|byte| **byte == b'/').count();
        let rest = path.get(start..).unwrap_or_default();
        if start < 2 || !rest.first().is_some_and(u8::is_ascii_alphanumeric) {
            return;
        }
        let message = format!(
            "{} starts with `{}`, so it matches only URLs whose path does",
            shown(self.value),
            "/".repeat(start.min(3))
        );
        let help = format!("write {} if an ordinary path is meant", shown(&[b"/", rest].concat()));
        self.add(findings, Lint::DoubleSlash, 0, start, message, help);
    }

    /// Stars beside a star or at the end.
    fn wildcards(&self, findings: &mut Findings) {
        let value = self.value;
        let body = value.strip_suffix(b"$").unwrap_or(value);
        let stars = body.iter().rev().take_while(|byte| **byte == b'*').count();
        let mut shorter = value.to_vec();
        shorter.dedup_by(|later, first| (*later, *first) == (b'*', b'*'));
        let (at, length, message) = if stars > 0 && body.len() > stars {
            let stem = body.len() - stars;
            shorter.truncate(shorter.strip_suffix(b"$").unwrap_or(&shorter).len() - 1);
            let message =
                format!("the `*` at the end of {} changes nothing in what it matches", shown(value));
            (stem, value.len() - stem, message)
        } else if let Some(at) = memchr::memmem::find(value, b"**") {
            (at, 2, "`**` matches what `*` matches".to_owned())
        } else {
            return;
        };
        // A `$` that was within the pattern would be its end.
        if shorter.last() == Some(&b'$') && at + length == value.len() {
            return;
        }
        let [compiled, _] = Dialect::Rfc9309.row().compile(self.record.kind, &shorter);
        let rival =
            compiled.and_then(|compiled| self.rivals.of(self.record.line, compiled.length)).map(|rival| {
                let line = Context::number(rival.record.line);
                format!(", unless it is to outrank {} on line {line}", shown_rule(self.context, rival.record))
            });
        let help = format!("write {}{}", shown(&shorter), rival.unwrap_or_default());
        self.add(findings, Lint::WildcardNoop, at, length, message, help);
    }

    fn dollar(&self, findings: &mut Findings) {
        let Some(at) = self.position(b'$').filter(|at| at + 1 < self.value.len()) else { return };
        // Before a letter or a bracket it is probably the character that is meant.
        let is_literal = self
            .value
            .get(at + 1)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || b"{[(_-%".contains(byte));
        let severity = if is_literal { Severity::Note } else { Severity::Warning };
        let message =
            format!("the `$` within {} is a plain character, not the end of the URL", shown(self.value));
        let help = "put it at the end if the end is meant, else write `%24`".to_owned();
        self.add_as(findings, Lint::DollarInside, severity, at, 1, message, help);
    }

    /// Checks what follows each percent sign.
    fn percent(&self, findings: &mut Findings) {
        let mut lower = None;
        let mut malformed = None;
        for at in memchr::memchr_iter(b'%', self.value) {
            match self.value.get(at + 1..at + 3) {
                Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => {
                    if digits.iter().any(u8::is_ascii_lowercase) {
                        lower = lower.or(Some((at, digits)));
                    }
                }
                _ => malformed = malformed.or(Some(at)),
            }
        }
        if let Some((at, digits)) = lower {
            let byte = [b"%", digits].concat();
            let upper = byte.to_ascii_uppercase();
            let message = format!("{} has lower-case digits", shown(&byte));
            self.add(findings, Lint::LowerCaseHex, at, 3, message, format!("write {}", shown(&upper)));
        }
        if let Some(at) = malformed {
            self.malformed_percent(findings, at);
        }
    }

    fn malformed_percent(&self, findings: &mut Findings, at: usize) {
        // Before a wildcard or at the end it may be the start of any encoded byte, and work as meant.
        let after = self.value.get(at + 1..).unwrap_or_default();
        let digit = usize::from(after.first().is_some_and(u8::is_ascii_hexdigit));
        let is_start = matches!(after.get(digit), None | Some(b'*'));
        let severity = if is_start { Severity::Note } else { Severity::Warning };
        let message = format!("the `%` in {} does not start a percent-encoded byte", shown(self.value));
        let help = "write `%25` if a percent sign is meant".to_owned();
        self.add_as(findings, Lint::MalformedPercent, severity, at, 1, message, help);
    }

    fn non_ascii(&self, findings: &mut Findings) {
        let Some(at) = self.value.iter().position(|byte| !byte.is_ascii()) else { return };
        let Ok(text) = std::str::from_utf8(self.value) else { return };
        if text.chars().any(is_invisible) {
            return;
        }
        let mut encoded = Vec::new();
        for &byte in self.value {
            if byte.is_ascii() {
                encoded.push(byte);
            } else {
                push_percent(&mut encoded, byte);
            }
        }
        let message = format!("{} is not percent-encoded", shown(self.value));
        let length = self.value.len() - at;
        self.add(findings, Lint::NonAscii, at, length, message, format!("write {}", shown(&encoded)));
    }

    /// `/./` and `/../` in the path. Without the slash behind them they may be the start of a longer name.
    fn dot_segments(&self, findings: &mut Findings) {
        let end = self.position(b'?').unwrap_or(self.value.len());
        let path = self.value.get(..end).unwrap_or_default();
        for segment in [&b"/./"[..], b"/../"] {
            let Some(at) = memchr::memmem::find(path, segment) else { continue };
            let message = format!(
                "{} holds the segment {}, which no URL arrives with",
                shown(self.value),
                shown(segment)
            );
            let help = "write the path as it is after such segments are resolved".to_owned();
            self.add(findings, Lint::DotSegment, at, segment.len(), message, help);
            return;
        }
    }

    fn spaces(&self, findings: &mut Findings) {
        let Some(at) = self.value.iter().position(|byte| is_ascii_space(*byte)) else { return };
        let rest = self.value.get(at..).unwrap_or_default().trim_ascii_start();
        let looks_like_comment =
            [&b"//"[..], b"/* ", b"--", b"<!--", b";"].iter().any(|mark| rest.starts_with(mark));
        let (message, help) = if looks_like_comment {
            (format!("{} is part of the pattern, not a comment", shown(rest)), "start comments with `#`")
        } else if matches!(rest.first(), Some(b'/' | b'*')) {
            let message = format!("{} is one pattern with white space in it, not several", shown(self.value));
            (message, "write a line for each pattern")
        } else {
            let message = format!("{} has white space in it", shown(self.value));
            (message, "write `%20` if a space is meant; start comments with `#`")
        };
        self.add(findings, Lint::SpaceInPattern, at, self.value.len() - at, message, help.to_owned());
    }

    fn regex(&self, findings: &mut Findings) -> bool {
        const MARKS: [&[u8]; 14] = [
            b"[0-9", b"[a-z", b"[A-Z", b"[^", b"(?:", b"(?!", b"(?=", b"\\d", b"\\w", b"\\s", b"\\.", b"\\/",
            b"\\?", b"(.*)",
        ];
        let found = MARKS.into_iter().find_map(|mark| Some((memchr::memmem::find(self.value, mark)?, mark)));
        let Some((at, mark)) = found else { return false };
        let message =
            format!("{} is compared as it stands; patterns are not regular expressions", shown(self.value));
        let help = "use `*` for any characters and a final `$` for the end of the URL".to_owned();
        self.add(findings, Lint::RegexInPattern, at, mark.len(), message, help);
        true
    }

    fn backslash(&self, findings: &mut Findings) {
        let Some(at) = self.position(b'\\') else { return };
        let message = format!("{} holds a backslash, which no URL has", shown(self.value));
        let help = "write `/` if a separator is meant, `%5C` if the character is".to_owned();
        self.add(findings, Lint::Backslash, at, 1, message, help);
    }

    /// Reports `&amp;` and its like: a program that writes HTML has escaped `&`.
    fn entity(&self, findings: &mut Findings) {
        let Some((at, entity, instead)) = html_entity(self.value) else { return };
        let message = format!("`{entity}` is HTML; it is compared as it stands");
        self.add(findings, Lint::HtmlEntity, at, entity.len(), message, format!("write `{instead}`"));
    }

    /// A comma or semicolon at the end, as in a list. Beside `/a/` or `/a?`, `/a;` is meant; behind a wildcard it may be.
    fn separator(&self, findings: &mut Findings) {
        let Some((&last @ (b',' | b';'), stem)) = self.value.split_last() else { return };
        if self.stems.contains(stem) || html_entity(self.value).is_some() {
            return;
        }
        let is_wild = matches!(stem, [] | [.., b'*' | b'/']);
        let severity = if is_wild { Severity::Note } else { Severity::Warning };
        let last = char::from(last);
        let message = format!("the `{last}` at the end of {} is part of the pattern", shown(self.value));
        let help = format!("write {} if the `{last}` only ends the line", shown(stem));
        self.add_as(findings, Lint::TrailingSeparator, severity, stem.len(), 1, message, help);
    }

    fn robots_txt(&self, findings: &mut Findings) {
        let stem = self.value.strip_suffix(b"$").unwrap_or(self.value);
        if self.record.kind != DirectiveKind::Disallow || stem != b"/robots.txt" {
            return;
        }
        let group = self.record.group.and_then(|group| self.context.groups.get(group));
        let is_only = group.is_some_and(|group| group.rules.len() == 1);
        let is_anchored = stem.len() < self.value.len();
        let message = "`/robots.txt` is always allowed, whatever the rules say";
        let (lint, line, span) = (Lint::RobotsTxtRule, self.record.line, self.record.value.clone());
        findings.add(match (is_anchored, is_only) {
            (true, false) => self.context.droppable(lint, line, span, message, "drop it"),
            (true, true) => self.context.finding(lint, line, span, message, ONLY_RULE),
            (false, _) => {
                let message =
                    format!("{message}; only what starts with it, such as `/robots.txt.bak`, is forbidden");
                let help = if is_only {
                    "write an empty `Disallow:` instead if nothing of the kind is to be forbidden"
                } else {
                    "take the rule out if nothing of the kind is to be forbidden"
                };
                self.context.finding(lint, line, span, message, help)
            }
        });
    }

    fn hash(&self, findings: &mut Findings) {
        let Some(lost) = cut_by_hash(self.context, self.record) else { return };
        let message = format!("the pattern ends before the `#`: it is {}", shown(self.value));
        let help = "write `%23` if the character is meant, or put a space in front of the comment".to_owned();
        self.add(findings, Lint::HashInPattern, self.value.len(), lost, message, help);
    }
}

/// Returns how many bytes a `#` cuts off a value that probably belong to it: no white space before them, and none in
/// them.
pub(super) fn cut_by_hash(context: &Context<'_>, record: &Record) -> Option<usize> {
    let line = context.lines.get(record.line)?;
    let rest = context.bytes(record.value.end..line.span().end).trim_ascii_end();
    let is_glued = !record.value.is_empty() && rest.first() == Some(&b'#');
    let is_decoration = rest.len() > 1 && rest.iter().all(|byte| *byte == b'#');
    (is_glued && !is_decoration && !rest.iter().any(|byte| is_ascii_space(*byte))).then_some(rest.len())
}
