//! `Content-Signal`, as Cloudflare writes it and contentsignals.org describes it.
//!
//! A list of `key=value` with `yes` or `no` for `search`, `ai-input` and `ai-train`, and since 2026 `use` with how much may
//! be consumed. Neither what a line in robots.txt speaks about nor what happens when lines disagree is defined: both
//! readings are reported (see [`Reading`]), and `no` counts before `yes`.
//!
//! [`Reading`]: super::Reading

use std::fmt;

use super::evidence::{Evidence, Preferences, nothing_said};
use super::found::Found;
use super::kinds;
use crate::finding::{Kind, quoted};

use super::words::{PreferenceValue, Signal};

/// How AI systems may consume content: `use=` in `Content-Signal`, since 2026. The least counts.
///
/// contentsignals.org defines the words, not yet in a text with a revision; they are passed on as found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Consumption {
    /// `use=immediate`.
    Immediate,
    /// `use=reference`.
    Reference,
    /// `use=full`.
    Full,
}

impl Consumption {
    /// The value as written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Consumption::Immediate => "immediate",
            Consumption::Reference => "reference",
            Consumption::Full => "full",
        }
    }

    fn of(value: &str) -> Option<Self> {
        match value {
            "immediate" => Some(Consumption::Immediate),
            "reference" => Some(Consumption::Reference),
            "full" => Some(Consumption::Full),
            _ => None,
        }
    }
}

impl fmt::Display for Consumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What one line or field says.
#[derive(Clone, Debug)]
pub(super) struct SignalLine {
    /// One answer for each of the signal's terms.
    answers: Vec<PreferenceValue>,
    consumption: Option<Consumption>,
    evidence: Evidence,
}

impl SignalLine {
    /// Reads a value. Keys and values are compared without regard to case.
    pub(super) fn parse(value: &[u8], evidence: Evidence, findings: &mut Found) -> Self {
        let answers = vec![PreferenceValue::Unknown; Signal::ContentSignal.terms().len()];
        let mut line = SignalLine { answers, consumption: None, evidence };
        if value.trim_ascii().is_empty() {
            line.report(findings, &kinds::CONTENT_SIGNAL_SYNTAX, || {
                let help = "write `search=yes, ai-train=no`, or drop the line";
                ("no signal is stated".to_owned(), help.to_owned())
            });
            return line;
        }
        for part in value.split(|&byte| byte == b',') {
            line.take(part.trim_ascii(), findings);
        }
        line
    }

    fn take(&mut self, part: &[u8], findings: &mut Found) {
        let equals = memchr::memchr(b'=', part).filter(|_| !part.contains(&b';'));
        let Some(equals) = equals.filter(|&at| !part[at + 1..].contains(&b'=')) else {
            return self.report(findings, &kinds::CONTENT_SIGNAL_SYNTAX, || match part {
                b"" => ("nothing stands beside a comma".to_owned(), "take the comma out".to_owned()),
                _ => {
                    let help = "write signals as `search=yes, ai-train=no`";
                    (format!("{} is not one signal", quoted(part)), help.to_owned())
                }
            });
        };
        let word = |octets: &[u8]| String::from_utf8_lossy(octets.trim_ascii()).to_ascii_lowercase();
        let (key, value) = (word(&part[..equals]), word(&part[equals + 1..]));
        if key == "use" {
            return self.take_consumption(&value, findings);
        }
        let Some(at) = Signal::ContentSignal.terms().iter().position(|(_, term)| *term == key) else {
            return self.report_key(&key, findings);
        };
        match value.as_str() {
            "yes" => self.answer(at, PreferenceValue::Allow, findings),
            "no" => self.answer(at, PreferenceValue::Disallow, findings),
            "y" | "n" => self.report(findings, &kinds::USAGE_TERM_IN_CONTENT_SIGNAL, || {
                let meant = if value == "y" { "yes" } else { "no" };
                (format!("`{key}` is given `{value}`"), format!("write `{key}={meant}`"))
            }),
            _ => self.report(findings, &kinds::UNKNOWN_SIGNAL_VALUE, || {
                (format!("`{key}` is given {}", quoted(&value)), format!("write `{key}=yes` or `{key}=no`"))
            }),
        }
    }

    fn answer(&mut self, at: usize, answer: PreferenceValue, findings: &mut Found) {
        let Some(known) = self.answers.get_mut(at) else { return };
        let before = std::mem::replace(known, known.and(answer));
        if before != PreferenceValue::Unknown && before != answer {
            self.report(findings, &kinds::CONFLICTING_SIGNALS, || {
                let help = "give the signal one value";
                (format!("{} says both", quoted(self.evidence.text())), help.to_owned())
            });
        }
    }

    fn take_consumption(&mut self, value: &str, findings: &mut Found) {
        match Consumption::of(value) {
            Some(found) => {
                self.consumption = self.consumption.map(|before| before.min(found)).or(Some(found))
            }
            None => self.report(findings, &kinds::UNKNOWN_SIGNAL_VALUE, || {
                let help = "write `immediate`, `reference` or `full`";
                (format!("`use` is given {}", quoted(value)), help.to_owned())
            }),
        }
    }

    fn report_key(&self, key: &str, findings: &mut Found) {
        match key {
            "train-ai" => self.report(findings, &kinds::USAGE_TERM_IN_CONTENT_SIGNAL, || {
                ("`train-ai` belongs to `Content-Usage`".to_owned(), "write `ai-train`".to_owned())
            }),
            _ => self.report(findings, &kinds::UNKNOWN_SIGNAL, || {
                let help = "write `search`, `ai-input`, `ai-train` or `use`";
                (format!("{} is no signal", quoted(key)), help.to_owned())
            }),
        }
    }

    fn report(&self, findings: &mut Found, kind: &'static Kind, words: impl FnOnce() -> (String, String)) {
        findings.advise(kind, self.evidence.line_number(), words);
    }
}

/// What several lines add up to.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    pub preferences: Preferences,
    pub consumption: Option<Consumption>,
}

/// Adds lines up, and reports what they disagree about if `findings` are wanted.
pub(super) fn sum(lines: &[SignalLine], mut findings: Option<&mut Found>) -> Sum {
    let mut preferences = nothing_said(Signal::ContentSignal);
    for line in lines {
        for (preference, &answer) in preferences.to_mut().iter_mut().zip(&line.answers) {
            let before = preference.answer();
            preference.combine(answer, || line.evidence.clone());
            let is_conflict =
                before != answer && before != PreferenceValue::Unknown && answer != PreferenceValue::Unknown;
            if let (true, Some(findings)) = (is_conflict, findings.as_deref_mut()) {
                line.report(findings, &kinds::CONFLICTING_SIGNALS, || {
                    let term = preference.term();
                    let message = format!("another line of the same crawlers gives `{term}` another value");
                    (message, "give the signal one value".to_owned())
                });
            }
        }
    }
    let consumption = lines.iter().filter_map(|line| line.consumption).min();
    Sum { preferences, consumption }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Channel, Finding};
    use crate::usage::evidence::Preference;

    fn read(values: &[&str]) -> (Vec<PreferenceValue>, Option<Consumption>, Vec<&'static str>) {
        let mut findings = Found::new(Channel::RobotsTxt);
        let lines: Vec<_> = values
            .iter()
            .map(|value| {
                let evidence = Evidence::line(Channel::RobotsTxt, 1, *value);
                SignalLine::parse(value.as_bytes(), evidence, &mut findings)
            })
            .collect();
        let sum = sum(&lines, Some(&mut findings));
        let kinds = findings.list().iter().map(Finding::code).collect();
        (sum.preferences.iter().map(Preference::answer).collect(), sum.consumption, kinds)
    }

    #[test]
    fn yes_and_no_in_any_case_and_spacing() {
        let (answers, consumption, kinds) = read(&["Search=YES , ai-train = no,use=reference"]);
        // Training, search, AI input.
        assert_eq!(answers, [PreferenceValue::Disallow, PreferenceValue::Allow, PreferenceValue::Unknown]);
        assert_eq!(consumption, Some(Consumption::Reference));
        assert_eq!(kinds, [""; 0]);
    }

    #[test]
    fn words_of_the_other_signal_are_told_from_nonsense() {
        let kinds = |value: &str| read(&[value]).2;
        assert_eq!(kinds("train-ai=n"), ["usage-term-in-content-signal"]);
        assert_eq!(kinds("search=y"), ["usage-term-in-content-signal"]);
        assert_eq!(kinds("search=maybe"), ["usage-unknown-signal-value"]);
        assert_eq!(kinds("use=no"), ["usage-unknown-signal-value"]);
        assert_eq!(kinds("herons=yes"), ["usage-unknown-signal"]);
        for value in ["", "search", "search=yes,", "search=yes;ai-train=no", "search=yes ai-train=no"] {
            assert_eq!(kinds(value), ["usage-content-signal-syntax"], "{value}");
        }
    }

    #[test]
    fn no_counts_before_yes_and_the_conflict_is_reported() {
        for values in [&["search=yes", "search=no"][..], &["search=no,search=yes"]] {
            let (answers, _, kinds) = read(values);
            assert_eq!((answers[1], kinds), (PreferenceValue::Disallow, vec!["usage-conflicting-signals"]));
        }
        assert_eq!(read(&["search=no", "search=no"]).2, [""; 0]);
    }

    #[test]
    fn the_least_consumption_counts() {
        assert_eq!(read(&["use=full", "use=immediate"]).1, Some(Consumption::Immediate));
    }
}
