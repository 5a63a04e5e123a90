//! `Content-Usage` (IETF AIPREF) and `Content-Signal` (Cloudflare): alike to look at, and different in every word.
//!
//! Sources: draft-ietf-aipref-vocab-07 and draft-ietf-aipref-attach-05 (August 2026), RFC 9651 §4.2.2, contentsignals.org.

use std::ops::Range;

use crate::robots::lint::catalogue::Lint;
use crate::robots::lint::context::{Context, Findings, Record, shown};
use crate::robots::read::directive::DirectiveKind;

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    for record in &context.records {
        match record.kind {
            DirectiveKind::ContentUsage => content_usage(context, findings, record),
            DirectiveKind::ContentSignal => content_signal(context, findings, record),
            _ => {}
        }
    }
}

/// A mistake at one place of a value.
struct Slip {
    at: Range<usize>,
    message: String,
    help: String,
}

impl Slip {
    fn new(at: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Slip { at, message: message.into(), help: help.into() }
    }
}

fn add(context: &Context<'_>, findings: &mut Findings, lint: Lint, record: &Record, slip: Slip) {
    let start = record.value.start;
    let span = start + slip.at.start..start + slip.at.end;
    findings.add(context.finding(lint, record.line, span, slip.message, slip.help));
}

fn content_usage(context: &Context<'_>, findings: &mut Findings, record: &Record) {
    let value = context.value(record);
    let start = path_length(value).unwrap_or_default();
    let preferences = value.get(start..).unwrap_or_default();
    if preferences.trim_ascii().is_empty() {
        let slip = Slip::new(0..value.len(), "no preference is stated", "write `train-ai=n` or `train-ai=y`");
        return add(context, findings, Lint::ContentUsageSyntax, record, slip);
    }
    match (Dictionary { text: value, at: start }).read() {
        Err(slip) => add(context, findings, Lint::ContentUsageSyntax, record, slip),
        Ok(members) => {
            for member in members {
                if let Some(slip) = usage_slip(value, &member) {
                    add(context, findings, Lint::ContentUsageTerm, record, slip);
                }
            }
        }
    }
}

/// Returns how long the path in front of the preferences is, if there is one: it starts with `/` and ends at white
/// space.
fn path_length(value: &[u8]) -> Option<usize> {
    if value.first() != Some(&b'/') {
        return None;
    }
    Some(value.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(value.len()))
}

/// Returns what the vocabulary does not know in a member of the dictionary.
fn usage_slip(value: &[u8], member: &Member) -> Option<Slip> {
    let key = value.get(member.key.clone()).unwrap_or_default();
    let said = value.get(member.value.clone()).unwrap_or_default();
    if key != b"train-ai" && key != b"search" {
        let (what, help) = match key {
            b"ai-train" => ("belongs to `Content-Signal`", "write `train-ai`"),
            b"ai-input" => {
                ("belongs to `Content-Signal`", "take it out; the vocabulary has no such category")
            }
            b"ai" | b"genai" | b"train-genai" | b"tdm" | b"inference" | b"all" | b"bots" | b"ai-use"
            | b"ai-output" => ("is a category of an earlier draft", "write `train-ai` or `search`"),
            _ => ("is not a category of the vocabulary", "write `train-ai` or `search`"),
        };
        return Some(Slip::new(
            member.key.clone(),
            format!("{} {what}, so it says nothing", shown(key)),
            help,
        ));
    }
    let key = String::from_utf8_lossy(key);
    let help = match said {
        b"y" | b"n" => return None,
        b"yes" | b"\"y\"" | b"1" | b"?1" | b"true" | b"allow" => format!("write `{key}=y`"),
        b"no" | b"\"n\"" | b"0" | b"?0" | b"false" | b"disallow" => format!("write `{key}=n`"),
        _ => format!("write `{key}=y` or `{key}=n`"),
    };
    let message = if said.is_empty() {
        format!("`{key}` has no preference, so it says nothing")
    } else {
        format!("{} is not a preference, so it says nothing", shown(said))
    };
    Some(Slip::new(member.key.start..member.value.end.max(member.key.end), message, help))
}

/// A member of a dictionary, by place in its text.
struct Member {
    key: Range<usize>,
    /// The value; empty if there is none.
    value: Range<usize>,
}

/// Reads a dictionary of structured fields (RFC 9651 §4.2.2), as far as it takes to tell whether it is one.
struct Dictionary<'t> {
    text: &'t [u8],
    at: usize,
}

impl Dictionary<'_> {
    fn read(mut self) -> Result<Vec<Member>, Slip> {
        let mut members = Vec::new();
        self.skip(b" ");
        while self.at < self.text.len() {
            let key = self.key()?;
            let value = if self.take(b'=') { self.item()? } else { self.at..self.at };
            self.parameters()?;
            members.push(Member { key, value });
            self.skip(b" \t");
            if self.at == self.text.len() {
                break;
            }
            if !self.take(b',') {
                let place = self.at..self.text.len();
                return Err(match self.peek() {
                    Some(b'=') => Slip::new(place, "white space stands before the `=`", "take it out"),
                    Some(b';') => Slip::new(
                        place,
                        "`;` starts a parameter, and separates nothing",
                        "separate with a comma",
                    ),
                    _ => Slip::new(place, "a comma is missing", "separate preferences with a comma"),
                });
            }
            let comma = self.at - 1;
            self.skip(b" \t");
            if self.at == self.text.len() {
                return Err(Slip::new(comma..comma + 1, "a comma stands at the end", "take it out"));
            }
        }
        Ok(members)
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn skip(&mut self, bytes: &[u8]) {
        while self.peek().is_some_and(|byte| bytes.contains(&byte)) {
            self.at += 1;
        }
    }

    /// Takes bytes as long as they fit.
    fn span(&mut self, fits: impl Fn(u8) -> bool) -> Range<usize> {
        let start = self.at;
        while self.peek().is_some_and(&fits) {
            self.at += 1;
        }
        start..self.at
    }

    fn key(&mut self) -> Result<Range<usize>, Slip> {
        let is_start = |byte: u8| byte.is_ascii_lowercase() || byte == b'*';
        let word = {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let end = rest
                .iter()
                .position(|byte| matches!(byte, b'=' | b',' | b';' | b' ' | b'\t'))
                .unwrap_or(rest.len());
            self.at..self.at + end
        };
        let text = self.text.get(word.clone()).unwrap_or_default();
        if text.iter().any(u8::is_ascii_uppercase) {
            let help = format!("write {}", shown(&text.to_ascii_lowercase()));
            return Err(Slip::new(word, format!("{} is not in lower case", shown(text)), help));
        }
        if text.iter().skip(1).any(|byte| *byte == b'/') {
            return Err(Slip::new(
                word,
                format!("{} is not a path here", shown(text)),
                "start the path with `/`",
            ));
        }
        if !self.peek().is_some_and(is_start) {
            let place = self.at..self.text.len().min(word.end.max(self.at + 1));
            return Err(Slip::new(
                place,
                "a category is missing here",
                "write preferences as `train-ai=n, search=y`",
            ));
        }
        Ok(self.span(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-' | b'.' | b'*')
        }))
    }

    /// A bare item or an inner list.
    fn item(&mut self) -> Result<Range<usize>, Slip> {
        let start = self.at;
        match self.peek() {
            Some(b'"') => self.until(b'"')?,
            Some(b'(') => self.until(b')')?,
            Some(b':') => self.until(b':')?,
            Some(byte)
                if byte.is_ascii_alphanumeric() || matches!(byte, b'*' | b'-' | b'?' | b'@' | b'%') =>
            {
                self.span(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/?@".contains(&byte));
            }
            Some(b' ' | b'\t') => {
                return Err(Slip::new(start..start + 1, "white space stands behind the `=`", "take it out"));
            }
            _ => {
                return Err(Slip::new(
                    start..self.text.len(),
                    "a preference is missing behind the `=`",
                    "write `y` or `n`",
                ));
            }
        }
        Ok(start..self.at)
    }

    /// Goes behind the next `close`, which must be there.
    fn until(&mut self, close: u8) -> Result<(), Slip> {
        let start = self.at;
        let rest = self.text.get(start + 1..).unwrap_or_default();
        match memchr::memchr(close, rest) {
            Some(at) => {
                self.at = start + 1 + at + 1;
                Ok(())
            }
            None => {
                let message = format!("`{}` has no end", char::from(self.peek().unwrap_or(close)));
                Err(Slip::new(start..self.text.len(), message, "write `y` or `n` without quotes"))
            }
        }
    }

    fn parameters(&mut self) -> Result<(), Slip> {
        while self.take(b';') {
            self.skip(b" ");
            if self.at == self.text.len() {
                return Err(Slip::new(self.at - 1..self.at, "a `;` stands at the end", "take it out"));
            }
            self.key()?;
            if self.take(b'=') {
                self.item()?;
            }
        }
        Ok(())
    }
}

fn content_signal(context: &Context<'_>, findings: &mut Findings, record: &Record) {
    let value = context.value(record);
    if value.is_empty() {
        let slip = Slip::new(0..0, "no signal is stated", "write `search=yes, ai-train=no`");
        return add(context, findings, Lint::ContentSignalTerm, record, slip);
    }
    let mut start = 0;
    for part in value.split(|byte| *byte == b',') {
        let leading = part.len() - part.trim_ascii_start().len();
        let signal = part.trim_ascii();
        let place = start + leading..start + leading + signal.len();
        start += part.len() + 1;
        if let Some((message, help)) = signal_slip(signal) {
            add(context, findings, Lint::ContentSignalTerm, record, Slip::new(place, message, help));
        }
    }
}

/// Returns what is not defined in `key=value`.
fn signal_slip(signal: &[u8]) -> Option<(String, String)> {
    if signal.is_empty() {
        return Some(("a signal is missing beside the comma".to_owned(), "take the comma out".to_owned()));
    }
    let Some(equals) = memchr::memchr(b'=', signal) else {
        let message = format!("{} has no value", shown(signal));
        return Some((message, "write a signal as `ai-train=no`".to_owned()));
    };
    let key = signal.get(..equals).unwrap_or_default().trim_ascii().to_ascii_lowercase();
    let said = signal.get(equals + 1..).unwrap_or_default().trim_ascii().to_ascii_lowercase();
    if said.contains(&b'=') || said.contains(&b';') {
        let message = format!("{} is not one signal", shown(signal));
        return Some((message, "separate signals with commas".to_owned()));
    }
    let values = match key.as_slice() {
        b"search" | b"ai-input" | b"ai-train" => &[&b"yes"[..], b"no"][..],
        b"use" => &[&b"immediate"[..], b"reference", b"full"][..],
        b"train-ai" => {
            let message = "`train-ai` belongs to `Content-Usage`, so it says nothing".to_owned();
            return Some((message, "write `ai-train`".to_owned()));
        }
        _ => {
            let message = format!("{} is not a signal, so it says nothing", shown(&key));
            return Some((message, "write `search`, `ai-input` or `ai-train`".to_owned()));
        }
    };
    if values.contains(&said.as_slice()) {
        return None;
    }
    let names: Vec<String> = values.iter().map(|value| shown(value)).collect();
    Some((
        format!("{} is not a value of {}", shown(&said), shown(&key)),
        format!("write {}", names.join(" or ")),
    ))
}
