//! Reads `Content-Signal`, as Cloudflare writes it and contentsignals.org describes it.
//!
//! The value is a list of `key=value` with `yes` or `no` for `search`, `ai-input` and `ai-train`. Since 2026, the list
//! may also contain `use`, which limits the way in which AI systems may consume the content. In robots.txt a path may
//! precede the list (contentsignals.org, "Protect Specific Pages").
//!
//! Neither the scope of a line in robots.txt nor the result of contradicting lines is defined. The report therefore
//! contains two interpretations: the lines of the crawler's groups, and all lines of the file (see [`Interpretation`]).
//! Paths match like the paths of rules. For each signal separately, the line with the longest path counts among the
//! lines that contain the signal. Among paths of equal length, `no` takes precedence over `yes`, and the lowest `use`
//! counts. `Allow` and `Disallow` have no influence: a signal for a path that may not be fetched is still reported.
//!
//! [`Interpretation`]: super::Interpretation

use std::collections::HashMap;

use super::aipref;
use super::citation::{Citation, Preferences, unstated};
use super::document_findings::DocumentFindings;
use super::kinds;
use crate::finding::{Kind, quoted};
use crate::robots::scope::{Scope, UrlPath};
use crate::words::words;

use super::signal::Signal;
use super::words::Stance;

words! {
    /// The way in which AI systems may consume content: `use=` in `Content-Signal`, since 2026. Of several values, the
    /// lowest counts.
    ///
    /// Cloudflare's documentation lists the values, from the lowest to the highest. No versioned specification defines
    /// them.
    Consumption as "consumption" {
        /// `use=immediate`.
        Immediate = "immediate",
        /// `use=reference`.
        Reference = "reference",
        /// `use=full`.
        Full = "full",
    }
}

impl Consumption {
    fn of(value: &str) -> Option<Self> {
        match value {
            "immediate" => Some(Consumption::Immediate),
            "reference" => Some(Consumption::Reference),
            "full" => Some(Consumption::Full),
            _ => None,
        }
    }
}

/// The signals of one line or header field.
#[derive(Clone, Debug)]
pub(super) struct SignalLine {
    /// The path as written; `None` if the line applies to all paths.
    path: Option<Vec<u8>>,
    scope: Option<Scope>,
    /// One stance for each term of the signal.
    stances: Vec<Stance>,
    consumption: Option<Consumption>,
    evidence: Citation,
}

impl SignalLine {
    /// Reads the value of a line in robots.txt, which may start with a path.
    pub(super) fn parse_rule(value: &[u8], evidence: Citation, findings: &mut DocumentFindings) -> Self {
        let (path, list) = aipref::split_rule(value);
        let mut line = SignalLine::parse(list, evidence, findings);
        line.path = path.map(<[u8]>::to_vec);
        line.scope = path.and_then(Scope::new);
        line
    }

    /// Reads a value. Case is ignored in keys and values.
    pub(super) fn parse(value: &[u8], evidence: Citation, findings: &mut DocumentFindings) -> Self {
        let stances = vec![Stance::Unknown; Signal::ContentSignal.terms().len()];
        let mut line = SignalLine { path: None, scope: None, stances, consumption: None, evidence };
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

    /// Returns the length of the line's path if it matches. Returns 0 for a line without a path; a path has at least
    /// the length of its slash.
    fn length_if_matches(&self, path: &UrlPath<'_>) -> Option<u32> {
        match &self.scope {
            None => Some(0),
            Some(scope) => scope.matches(path).then(|| scope.length()),
        }
    }

    /// Returns true if the line is restricted to a path.
    pub(super) fn has_path(&self) -> bool {
        self.path.is_some()
    }

    fn take(&mut self, part: &[u8], findings: &mut DocumentFindings) {
        let equals = memchr::memchr(b'=', part).filter(|_| !part.contains(&b';'));
        let Some(equals) = equals.filter(|&at| !part[at + 1..].contains(&b'=')) else {
            return self.report(findings, &kinds::CONTENT_SIGNAL_SYNTAX, || match part {
                b"" => {
                    ("a signal is missing before or after a comma".to_owned(), "delete the comma".to_owned())
                }
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
            "yes" => self.stance(at, Stance::Allow, findings),
            "no" => self.stance(at, Stance::Disallow, findings),
            "y" | "n" => self.report(findings, &kinds::USAGE_TERM_IN_CONTENT_SIGNAL, || {
                let intended = if value == "y" { "yes" } else { "no" };
                (format!("`{key}` has the value `{value}`"), format!("write `{key}={intended}`"))
            }),
            _ => self.report(findings, &kinds::UNKNOWN_SIGNAL_VALUE, || {
                (
                    format!("`{key}` has the value {}", quoted(&value)),
                    format!("write `{key}=yes` or `{key}=no`"),
                )
            }),
        }
    }

    fn stance(&mut self, at: usize, stance: Stance, findings: &mut DocumentFindings) {
        let Some(known) = self.stances.get_mut(at) else { return };
        let before = std::mem::replace(known, known.and(stance));
        if before != Stance::Unknown && before != stance {
            self.report(findings, &kinds::CONFLICTING_SIGNALS, || {
                let help = "give the signal one value";
                (format!("{} contains `yes` and `no`", quoted(self.evidence.text())), help.to_owned())
            });
        }
    }

    fn take_consumption(&mut self, value: &str, findings: &mut DocumentFindings) {
        match Consumption::of(value) {
            Some(found) => {
                self.consumption = self.consumption.map(|before| before.min(found)).or(Some(found))
            }
            None => self.report(findings, &kinds::UNKNOWN_SIGNAL_VALUE, || {
                let help = "write `immediate`, `reference` or `full`";
                (format!("`use` has the value {}", quoted(value)), help.to_owned())
            }),
        }
    }

    fn report_key(&self, key: &str, findings: &mut DocumentFindings) {
        match key {
            "train-ai" => self.report(findings, &kinds::USAGE_TERM_IN_CONTENT_SIGNAL, || {
                ("`train-ai` belongs to `Content-Usage`".to_owned(), "write `ai-train`".to_owned())
            }),
            _ => self.report(findings, &kinds::UNKNOWN_SIGNAL, || {
                let help = "write `search`, `ai-input`, `ai-train` or `use`";
                (format!("{} is not a signal", quoted(key)), help.to_owned())
            }),
        }
    }

    fn report(
        &self,
        findings: &mut DocumentFindings,
        kind: &'static Kind,
        words: impl FnOnce() -> (String, String),
    ) {
        findings.advise(kind, self.evidence.line_number(), words);
    }
}

/// The combined signals of several lines.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    pub preferences: Preferences,
    pub consumption: Option<Consumption>,
}

/// Combines the signals of the lines that apply to a path.
pub(super) fn sum(lines: &[SignalLine], path: &UrlPath<'_>) -> Sum {
    let mut sum = Sum { preferences: unstated(Signal::ContentSignal), consumption: None };
    let matching: Vec<(u32, &SignalLine)> =
        lines.iter().filter_map(|line| Some((line.length_if_matches(path)?, line))).collect();
    for place in 0..sum.preferences.len() {
        let stated = |line: &SignalLine| line.stances.get(place).copied().unwrap_or_default();
        let stating = || matching.iter().filter(|(_, line)| stated(line) != Stance::Unknown);
        let Some(longest) = stating().map(|(length, _)| *length).max() else { continue };
        let Some(preference) = sum.preferences.to_mut().get_mut(place) else { continue };
        for (_, line) in stating().filter(|(length, _)| *length == longest) {
            preference.combine(stated(line), || line.evidence.clone());
        }
    }
    let stating = || matching.iter().filter_map(|(length, line)| Some((*length, line.consumption?)));
    let longest = stating().map(|(length, _)| length).max();
    sum.consumption = stating().filter(|(length, _)| Some(*length) == longest).map(|(_, least)| least).min();
    sum
}

/// Reports contradictions between lines with the same path.
pub(super) fn report_conflicts(lines: &[SignalLine], findings: &mut DocumentFindings) {
    let terms = Signal::ContentSignal.terms();
    let mut stances: HashMap<Option<&[u8]>, Vec<Stance>> = HashMap::new();
    for line in lines {
        let known = stances.entry(line.path.as_deref()).or_insert_with(|| vec![Stance::Unknown; terms.len()]);
        for ((before, stance), (_, term)) in known.iter_mut().zip(&line.stances).zip(terms) {
            let combined = before.and(*stance);
            if before != stance && *before != Stance::Unknown && *stance != Stance::Unknown {
                line.report(findings, &kinds::CONFLICTING_SIGNALS, || {
                    let message = format!("another line for the same crawlers gives `{term}` another value");
                    (message, "give the signal one value".to_owned())
                });
            }
            *before = combined;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Channel, Finding};
    use crate::usage::citation::Preference;

    fn read(values: &[&str]) -> (Vec<Stance>, Option<Consumption>, Vec<&'static str>) {
        let mut findings = DocumentFindings::new(Channel::RobotsTxt);
        let lines: Vec<_> = values
            .iter()
            .map(|value| {
                let evidence = Citation::line(Channel::RobotsTxt, 1, *value);
                SignalLine::parse_rule(value.as_bytes(), evidence, &mut findings)
            })
            .collect();
        report_conflicts(&lines, &mut findings);
        let sum = sum(&lines, &UrlPath::of(b"/").expect("a path"));
        let kinds = findings.list().iter().map(Finding::code).collect();
        (sum.preferences.iter().map(Preference::stance).collect(), sum.consumption, kinds)
    }

    #[test]
    fn yes_and_no_are_read_in_any_case_and_spacing() {
        let (stances, consumption, kinds) = read(&["Search=YES , ai-train = no,use=reference"]);
        // Training, search, AI input.
        assert_eq!(stances, [Stance::Disallow, Stance::Allow, Stance::Unknown]);
        assert_eq!(consumption, Some(Consumption::Reference));
        assert_eq!(kinds, [""; 0]);
    }

    #[test]
    fn term_of_content_usage_differs_from_an_unknown_term() {
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
    fn no_takes_precedence_over_yes_and_is_reported() {
        for values in [&["search=yes", "search=no"][..], &["search=no,search=yes"]] {
            let (stances, _, kinds) = read(values);
            assert_eq!((stances[1], kinds), (Stance::Disallow, vec!["usage-conflicting-signals"]));
        }
        assert_eq!(read(&["search=no", "search=no"]).2, [""; 0]);
    }

    #[test]
    fn lines_about_different_paths_do_not_conflict() {
        let (stances, _, kinds) = read(&["ai-train=no, search=yes", "/ ai-train=yes", "/reed ai-train=no"]);
        assert_eq!((stances[0], stances[1], kinds), (Stance::Allow, Stance::Allow, vec![]));
        assert_eq!(read(&["/ ai-train=yes", "/ ai-train=no"]).2, ["usage-conflicting-signals"]);
    }

    #[test]
    fn lowest_consumption_counts() {
        assert_eq!(read(&["use=full", "use=immediate"]).1, Some(Consumption::Immediate));
    }
}
