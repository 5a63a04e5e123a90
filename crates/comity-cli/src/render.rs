//! Renders output: colours, untrusted bytes as text, decisions as short phrases.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use comity::decision::DecisionRecord;
use comity::finding::Severity;
use comity::robots::{Basis, Record};

/// The styles of a stream; all empty without colour.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Palette {
    /// Headings and important names.
    pub(crate) strong: Style,
    /// Items that are allowed or added.
    pub(crate) good: Style,
    /// Items that are disallowed or removed, and errors.
    pub(crate) bad: Style,
    /// Warnings.
    pub(crate) warning: Style,
    /// Hints and notes.
    pub(crate) note: Style,
    /// Secondary text.
    pub(crate) faint: Style,
    /// Line numbers and rulers.
    pub(crate) gutter: Style,
}

impl Palette {
    /// Returns coloured styles, or empty ones.
    pub(crate) fn new(coloured: bool) -> Self {
        if !coloured {
            return Palette::default();
        }
        let fg = |colour: AnsiColor| colour.on_default();
        Palette {
            strong: Style::new().bold(),
            good: fg(AnsiColor::Green).bold(),
            bad: fg(AnsiColor::Red).bold(),
            warning: fg(AnsiColor::Yellow).bold(),
            note: fg(AnsiColor::Cyan).bold(),
            faint: Style::new().dimmed(),
            gutter: fg(AnsiColor::Cyan),
        }
    }

    /// Returns whether anything is coloured.
    pub(crate) fn is_coloured(&self) -> bool {
        self.strong != Style::new()
    }

    /// Returns the style of a severity.
    pub(crate) fn severity(&self, severity: Severity) -> Style {
        match severity {
            Severity::Error => self.bad,
            Severity::Warning => self.warning,
            _ => self.note,
        }
    }

    /// Returns the style of a verdict.
    pub(crate) fn verdict(&self, allowed: bool) -> Style {
        if allowed { self.good } else { self.bad }
    }
}

pub(crate) use comity::shown::{bytes as text, short};
#[cfg(feature = "live")]
pub(crate) use comity_answers::shown::bytes_of as bytes;
pub(crate) use comity_answers::shown::{count, list};
#[cfg(feature = "jobs")]
pub(crate) use comity_answers::shown::{count_of, number};

/// Shortens a text in its middle, because the beginning and the end of a URL matter most.
pub(crate) fn middle(text: &str, columns: usize) -> Cow<'_, str> {
    let length = width(text);
    if length <= columns || columns < 8 {
        return text.into();
    }
    let end = (columns - 3) / 2;
    let start = columns - 3 - end;
    let head: String = text.chars().take(start).collect();
    let tail: String = text.chars().skip(length - end).collect();
    format!("{head}...{tail}").into()
}

/// Returns `allowed` or `disallowed`.
pub(crate) fn verdict(allowed: bool) -> &'static str {
    if allowed { "allowed" } else { "disallowed" }
}

/// Formats a record as `Crawl-delay: 2`, with the key as the file spells it.
pub(crate) fn record(record: &Record<'_>) -> String {
    join(&text(record.key()), &text(record.value()))
}

fn join(key: &str, value: &str) -> String {
    if value.is_empty() { format!("{key}:") } else { format!("{key}: {value}") }
}

/// Returns the reason for a decision by rules as a short phrase, which starts with the number of the deciding line if
/// there is one.
pub(crate) fn basis(decision: &DecisionRecord, agent: &str) -> String {
    match decision.basis {
        Some(Basis::NoGroup) => format!("no group applies to {}", short(agent.as_bytes(), 60)),
        _ => decision.reason(),
    }
}

/// Returns the number of columns of a text, at one column per character.
pub(crate) fn width(text: &str) -> usize {
    text.chars().count()
}

/// Formats a duration in its two largest units: `1 d 12 h`, `10 min`.
pub(crate) fn span(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let units = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let mut parts = Vec::new();
    let mut rest = seconds;
    for (size, unit) in units {
        if rest >= size && parts.len() < 2 {
            parts.push(format!("{} {unit}", rest / size));
        }
        rest %= size;
    }
    if parts.is_empty() { "0 s".to_owned() } else { parts.join(" ") }
}

/// Breaks a text at spaces so that no line is longer than `columns` if possible; lines after the first are indented.
pub(crate) fn wrap(text: &str, columns: usize, indent: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let length = width(word);
        if column > 0 && indent + column + 1 + length > columns {
            // Removes all spaces before the line break, even if the text contains several.
            out.truncate(out.trim_end_matches(' ').len());
            let _ = write!(out, "\n{:indent$}", "");
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_wrapped_at_spaces() {
        assert_eq!(wrap("aa bb cc", 7, 2), "aa bb\n  cc");
        assert_eq!(wrap("aaaaaaaaaa b", 5, 0), "aaaaaaaaaa\nb");
    }
}
