//! Input of the lints for `Content-Usage` (IETF AIPREF): a dictionary of structured fields, and the position of a
//! mistake.
//!
//! Sources: draft-ietf-aipref-vocab-08 (September 2026) and draft-ietf-aipref-attach-05 (August 2026), RFC 9651 §4.2.2.

use std::ops::Range;

use super::fault::Fault;
use super::key::KeyedRecord;
use crate::finding::quoted;
use crate::robots::read::directive::RecordKind;

/// Returns the preferences of a `Content-Usage` record, or the mistake that makes all of them invalid. Returns `None`
/// for other records.
pub(super) fn content_usage(entry: &KeyedRecord<'_, '_>) -> Option<Result<Vec<Member>, Fault>> {
    if entry.record.kind != RecordKind::ContentUsage {
        return None;
    }
    let value = entry.context.value(entry.record);
    let start = path_length(value).unwrap_or_default();
    let preferences = value.get(start..).unwrap_or_default().trim_ascii_start();
    Some(if preferences.is_empty() {
        let help = "write `train-ai=n` or `train-ai=y`";
        Err(Fault::new(0..value.len(), "no preference is stated", help))
    } else {
        Dictionary { text: value, at: value.len() - preferences.len() }.read()
    })
}

/// Returns the length of the path before the preferences, if there is one. A path starts with `/` and ends at white
/// space.
pub(super) fn path_length(value: &[u8]) -> Option<usize> {
    if value.first() != Some(&b'/') {
        return None;
    }
    Some(value.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(value.len()))
}

/// Member of a dictionary, with its position in the text.
pub(super) struct Member {
    pub key: Range<usize>,
    /// The value. The range is empty for a member without a value.
    pub value: Range<usize>,
    /// The parameters, each from its `;` to the end of its key.
    pub parameters: Vec<Range<usize>>,
}

/// Parser of a dictionary of structured fields (RFC 9651 §4.2.2). It accepts the same texts as the crate `sfv`, which
/// the module `usage` uses. That crate is absent without the feature `usage`, and does not report positions.
struct Dictionary<'t> {
    text: &'t [u8],
    at: usize,
}

impl Dictionary<'_> {
    fn read(mut self) -> Result<Vec<Member>, Fault> {
        let mut members = Vec::new();
        self.skip(b" ");
        while self.at < self.text.len() {
            let key = self.key()?;
            let value = if self.take(b'=') { self.item()? } else { self.at..self.at };
            let parameters = self.parameters()?;
            members.push(Member { key, value, parameters });
            self.skip(b" \t");
            if self.at == self.text.len() {
                break;
            }
            if !self.take(b',') {
                let place = self.at..self.text.len();
                return Err(match self.peek() {
                    Some(b'=') => Fault::new(place, "there is white space before the `=`", "delete it"),
                    Some(b';') => Fault::new(
                        place,
                        "`;` starts a parameter, and does not separate preferences",
                        "separate preferences with a comma",
                    ),
                    _ => Fault::new(place, "a comma is missing", "separate preferences with a comma"),
                });
            }
            let comma = self.at - 1;
            self.skip(b" \t");
            if self.at == self.text.len() {
                return Err(Fault::new(comma..comma + 1, "there is a comma at the end", "delete it"));
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

    /// Consumes bytes while `fits` returns true.
    fn span(&mut self, fits: impl Fn(u8) -> bool) -> Range<usize> {
        let start = self.at;
        while self.peek().is_some_and(&fits) {
            self.at += 1;
        }
        start..self.at
    }

    fn key(&mut self) -> Result<Range<usize>, Fault> {
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
            let help = format!("write {}", quoted(text.to_ascii_lowercase()));
            return Err(Fault::new(word, format!("{} is not in lower case", quoted(text)), help));
        }
        if text.iter().skip(1).any(|byte| *byte == b'/') {
            return Err(Fault::new(
                word,
                format!("{} is not a path here", quoted(text)),
                "start the path with `/`",
            ));
        }
        if !self.peek().is_some_and(is_start) {
            let place = self.at..self.text.len().min(word.end.max(self.at + 1));
            return Err(Fault::new(
                place,
                "a category is missing here",
                "write preferences as `train-ai=n, search=y`",
            ));
        }
        Ok(self.span(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-' | b'.' | b'*')
        }))
    }

    /// Reads a bare item or an inner list, and returns its range.
    fn item(&mut self) -> Result<Range<usize>, Fault> {
        let start = self.at;
        let (message, help) = match self.peek() {
            None | Some(b',' | b';') => {
                ("a preference is missing after the `=`".to_owned(), "write `y` or `n`")
            }
            Some(b' ' | b'\t') => {
                return Err(Fault::new(start..start + 1, "there is white space after the `=`", "delete it"));
            }
            Some(first) => {
                let is_valid = if first == b'(' { self.inner_list() } else { self.bare_item() };
                if is_valid.is_some() {
                    return Ok(start..self.at);
                }
                let value = self.text.get(start..).unwrap_or_default();
                (format!("{} is not a value of structured fields", quoted(value)), "write `y` or `n`")
            }
        };
        Err(Fault::new(start..self.text.len(), message, help))
    }

    /// Moves to the position after an inner list (RFC 9651 §4.2.1.2). Returns `None` if it is invalid.
    fn inner_list(&mut self) -> Option<()> {
        self.expect(b'(')?;
        loop {
            self.skip(b" ");
            if self.take(b')') {
                return Some(());
            }
            self.bare_item()?;
            self.parameters().ok()?;
            if !matches!(self.peek()?, b' ' | b')') {
                return None;
            }
        }
    }

    /// Moves to the position after a bare item (RFC 9651 §4.2.3.1). Returns `None` if it is invalid.
    fn bare_item(&mut self) -> Option<()> {
        match self.peek()? {
            b'"' => self.string(),
            b'%' => self.display_string(),
            b':' => self.byte_sequence(),
            b'?' => {
                self.expect(b'?')?;
                (self.take(b'0') || self.take(b'1')).then_some(())
            }
            b'@' => {
                self.expect(b'@')?;
                self.number().filter(|is_integer| *is_integer).map(drop)
            }
            b'-' | b'0'..=b'9' => self.number().map(drop),
            first if first.is_ascii_alphabetic() || first == b'*' => {
                self.span(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&byte));
                Some(())
            }
            _ => None,
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.take(byte).then_some(())
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn string(&mut self) -> Option<()> {
        self.expect(b'"')?;
        loop {
            match self.next()? {
                b'"' => return Some(()),
                b'\\' if matches!(self.next()?, b'"' | b'\\') => {}
                b' '..=b'[' | b']'..=b'~' => {}
                _ => return None,
            }
        }
    }

    fn display_string(&mut self) -> Option<()> {
        self.expect(b'%')?;
        self.expect(b'"')?;
        let mut text = Vec::new();
        loop {
            match self.next()? {
                b'"' => return std::str::from_utf8(&text).ok().map(drop),
                b'%' => {
                    let digits = [self.next()?, self.next()?];
                    if digits.iter().any(u8::is_ascii_uppercase) {
                        return None;
                    }
                    let digits = std::str::from_utf8(&digits).ok()?;
                    text.push(u8::from_str_radix(digits, 16).ok()?);
                }
                byte @ b' '..=b'~' => text.push(byte),
                _ => return None,
            }
        }
    }

    /// The padding may be incomplete.
    fn byte_sequence(&mut self) -> Option<()> {
        self.expect(b':')?;
        let data = self.span(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')).len() % 4;
        let padding = self.span(|byte| byte == b'=').len();
        self.expect(b':')?;
        (data != 1 && padding <= (4 - data) % 4).then_some(())
    }

    /// Returns true for an integer, and false for a decimal.
    fn number(&mut self) -> Option<bool> {
        self.take(b'-');
        let whole = self.span(|byte| byte.is_ascii_digit()).len();
        let is_integer = !self.take(b'.');
        let is_valid = if is_integer {
            (1..=15).contains(&whole)
        } else {
            (1..=12).contains(&whole) && (1..=3).contains(&self.span(|byte| byte.is_ascii_digit()).len())
        };
        is_valid.then_some(is_integer)
    }

    fn parameters(&mut self) -> Result<Vec<Range<usize>>, Fault> {
        let mut parameters = Vec::new();
        while self.take(b';') {
            let start = self.at - 1;
            self.skip(b" ");
            if self.at == self.text.len() {
                return Err(Fault::new(self.at - 1..self.at, "there is a `;` at the end", "delete it"));
            }
            parameters.push(start..self.key()?.end);
            if self.take(b'=') {
                if self.peek() == Some(b'(') {
                    return Err(Fault::new(
                        self.at..self.text.len(),
                        "a parameter cannot have a list as its value",
                        "separate preferences with a comma",
                    ));
                }
                self.item()?;
            }
        }
        Ok(parameters)
    }
}
