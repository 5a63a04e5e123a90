//! Conditions on totals, for pipelines: `disallowed>0`, `unknown>=5%`.

use std::fmt;

use comity::finding::Severity;
#[cfg(feature = "live")]
use comity_audit::ManifestSite;
use comity_audit::Shares;

/// A condition on how many rows fare in some way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Condition {
    part: Part,
    comparison: Comparison,
    bound: f64,
    is_percent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Allowed,
    Disallowed,
    Unknown,
    Undecidable,
    /// Findings about a site.
    Findings(Severity),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    More,
    AtLeast,
    Less,
    AtMost,
    Exactly,
}

const PARTS: [(&str, Part); 7] = [
    ("allowed", Part::Allowed),
    ("disallowed", Part::Disallowed),
    ("unknown", Part::Unknown),
    ("undecidable", Part::Undecidable),
    ("errors", Part::Findings(Severity::Error)),
    ("warnings", Part::Findings(Severity::Warning)),
    ("notes", Part::Findings(Severity::Note)),
];

/// The parts that rows have.
const OF_ROWS: usize = 4;

/// Those of two characters come first, so that they are not taken for others.
const COMPARISONS: [(&str, Comparison); 5] = [
    (">=", Comparison::AtLeast),
    ("<=", Comparison::AtMost),
    (">", Comparison::More),
    ("<", Comparison::Less),
    ("=", Comparison::Exactly),
];

impl Condition {
    /// Reads a condition on rows.
    pub(crate) fn of_rows(text: &str) -> Result<Self, String> {
        Condition::read(text, &PARTS[..OF_ROWS])
    }

    /// Reads a condition on rows or findings.
    #[cfg(feature = "live")]
    pub(crate) fn of_site(text: &str) -> Result<Self, String> {
        Condition::read(text, &PARTS)
    }

    /// Returns true if the condition is on rows, and holds.
    pub(crate) fn holds(&self, shares: &Shares) -> bool {
        let part = match self.part {
            Part::Allowed => shares.allowed,
            Part::Disallowed => shares.disallowed,
            Part::Unknown => shares.unknown,
            Part::Undecidable => shares.undecidable,
            Part::Findings(_) => return false,
        };
        self.compares(if self.is_percent { shares.percent(part) } else { part as f64 })
    }

    /// Returns true if the condition is on findings, and holds.
    #[cfg(feature = "live")]
    pub(crate) fn holds_of(&self, site: &ManifestSite) -> bool {
        match self.part {
            Part::Findings(severity) => self.compares(site.count(severity) as f64),
            _ => false,
        }
    }

    fn compares(&self, number: f64) -> bool {
        match self.comparison {
            Comparison::More => number > self.bound,
            Comparison::AtLeast => number >= self.bound,
            Comparison::Less => number < self.bound,
            Comparison::AtMost => number <= self.bound,
            Comparison::Exactly => number == self.bound,
        }
    }

    fn read(text: &str, parts: &[(&str, Part)]) -> Result<Self, String> {
        let wanted = || {
            let known: Vec<&str> = parts.iter().map(|part| part.0).collect();
            format!(
                "`{text}` is not a condition; write a part ({}), a comparison (>, >=, <, <=, =) and a number, or a percentage \
                 of rows, such as `disallowed>0` or `unknown>=5%`",
                known.join(", ")
            )
        };
        let (at, (sign, comparison)) = COMPARISONS
            .iter()
            .filter_map(|known| Some((text.find(known.0)?, *known)))
            .min_by_key(|(at, known)| (*at, std::cmp::Reverse(known.0.len())))
            .ok_or_else(wanted)?;
        let (name, bound) = (text[..at].trim(), text[at + sign.len()..].trim());
        let (_, part) = *parts.iter().find(|(known, _)| *known == name).ok_or_else(wanted)?;
        let (bound, is_percent) = match bound.strip_suffix('%') {
            Some(bound) => (bound.trim(), true),
            None => (bound, false),
        };
        let bound: f64 = bound.parse().map_err(|_| wanted())?;
        let is_share = !matches!(part, Part::Findings(_));
        if !bound.is_finite() || bound < 0.0 || is_percent && !is_share {
            return Err(wanted());
        }
        Ok(Condition { part, comparison, bound, is_percent })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = PARTS.iter().find(|known| known.1 == self.part).map_or("", |known| known.0);
        let sign = COMPARISONS.iter().find(|known| known.1 == self.comparison).map_or("", |known| known.0);
        write!(f, "{name}{sign}{}{}", self.bound, if self.is_percent { "%" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_and_hold() {
        let mut shares = Shares::default();
        (shares.allowed, shares.disallowed, shares.unknown) = (90, 5, 5);
        for (text, holds) in [
            ("disallowed>0", true),
            ("disallowed > 5", false),
            ("unknown>=5%", true),
            ("unknown<5%", false),
            ("allowed<=90%", true),
            ("undecidable=0", true),
        ] {
            let condition = Condition::of_rows(text).expect(text);
            assert_eq!(condition.holds(&shares), holds, "{text}");
            assert_eq!(Condition::of_rows(&condition.to_string()).as_ref(), Ok(&condition));
        }
        for text in [
            "",
            "disallowed",
            "blocked>0",
            "disallowed>x",
            "disallowed>-1",
            ">0",
            "unknown>=NaN%",
            "errors>0",
        ] {
            assert!(Condition::of_rows(text).is_err(), "{text}");
        }
    }
    #[cfg(feature = "live")]
    #[test]
    fn conditions_on_findings_count_them() {
        let mut site = ManifestSite::default();
        let errors = Condition::of_site("errors>0").expect("a condition");
        assert!(!errors.holds_of(&site) && !errors.holds(&Shares::default()));
        let finding = r#"{"code": "x", "severity": "error", "message": "", "help": "", "agents": [], "line": null, "count": 9,
                          "urls": []}"#;
        site.findings.push(serde_json::from_str(finding).expect("a finding"));
        assert!(errors.holds_of(&site));
        assert!(!Condition::of_site("warnings>0").expect("a condition").holds_of(&site));
        assert!(!Condition::of_site("disallowed>=0").expect("a condition").holds_of(&site));
        assert!(Condition::of_site("errors>5%").is_err());
    }
}
