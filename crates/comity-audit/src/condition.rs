//! Conditions on totals, for pipelines: `disallowed>0`, `unknown>=5%`, `damaged>0`.

use std::fmt;
use std::str::FromStr;

use comity::finding::Severity;
use serde::{Deserialize, Serialize};

use crate::manifest_site::ManifestSite;
use crate::summary::{ViewSummary, percent};

/// A condition on a total: rows with a verdict or decisions by stale answers (their number or share), damaged records,
/// or findings about a site.
///
/// ```
/// use comity_audit::Condition;
///
/// let condition: Condition = "unknown>=5%".parse()?;
/// assert!(!condition.is_about_findings());
/// # Ok::<(), comity_audit::ParseConditionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String"))]
#[serde(try_from = "String", into = "String")]
pub struct Condition {
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
    /// Decisions by an answer that is more than a day older or newer than the decision time.
    Stale,
    /// Unreadable records or lines of all inputs and sources.
    Damaged,
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

const PARTS: [(&str, Part); 10] = [
    ("allowed", Part::Allowed),
    ("disallowed", Part::Disallowed),
    ("unknown", Part::Unknown),
    ("undecided", Part::Undecidable),
    ("undecidable", Part::Undecidable),
    ("stale", Part::Stale),
    ("damaged", Part::Damaged),
    ("errors", Part::Findings(Severity::Error)),
    ("warnings", Part::Findings(Severity::Warning)),
    ("notes", Part::Findings(Severity::Note)),
];

/// The comparisons and their signs.
const COMPARISONS: [(&str, Comparison); 5] = [
    (">=", Comparison::AtLeast),
    ("<=", Comparison::AtMost),
    (">", Comparison::More),
    ("<", Comparison::Less),
    ("=", Comparison::Exactly),
];

impl Condition {
    /// Returns true if the condition is about findings. Only the audit of a site has them.
    pub fn is_about_findings(&self) -> bool {
        matches!(self.part, Part::Findings(_))
    }

    /// Returns true if the condition is about rows and is met for a crawler at a moment.
    pub fn holds(&self, view: &ViewSummary) -> bool {
        let (shares, ages) = (&view.shares, &view.ages);
        let (part, total) = match self.part {
            Part::Allowed => (shares.allowed, shares.total()),
            Part::Disallowed => (shares.disallowed, shares.total()),
            Part::Unknown => (shares.unknown, shares.total()),
            Part::Undecidable => (shares.undecidable, shares.total()),
            Part::Stale => (ages.stale, ages.decided),
            Part::Damaged | Part::Findings(_) => return false,
        };
        self.compares(if self.is_percent { percent(part, total) } else { part as f64 })
    }

    /// Returns true if the condition is about damage and is met. `damaged` is the number of unreadable records or lines.
    pub fn holds_of_damage(&self, damaged: u64) -> bool {
        self.part == Part::Damaged && self.compares(damaged as f64)
    }

    /// Returns true if the condition is about findings and is met.
    pub fn holds_of(&self, site: &ManifestSite) -> bool {
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

    fn read(text: &str) -> Option<Condition> {
        let (at, (sign, comparison)) = COMPARISONS
            .iter()
            .filter_map(|known| Some((text.find(known.0)?, *known)))
            .min_by_key(|(at, known)| (*at, std::cmp::Reverse(known.0.len())))?;
        let (name, bound) = (text[..at].trim(), text[at + sign.len()..].trim());
        let (_, part) = *PARTS.iter().find(|(known, _)| *known == name)?;
        let (bound, is_percent) = match bound.strip_suffix('%') {
            Some(bound) => (bound.trim(), true),
            None => (bound, false),
        };
        let bound: f64 = bound.parse().ok().filter(|bound: &f64| bound.is_finite() && *bound >= 0.0)?;
        let condition = Condition { part, comparison, bound, is_percent };
        let has_total = !condition.is_about_findings() && part != Part::Damaged;
        (!is_percent || has_total).then_some(condition)
    }
}

/// The error for a text that is not a condition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is not a condition; write a part ({}), a comparison (>, >=, <, <=, =) and a number, or a percentage of rows, such as \
     `disallowed>0` or `unknown>=5%`",
    comity::shown::bytes(text.as_bytes()),
    PARTS.map(|part| part.0).join(", ")
)]
pub struct ParseConditionError {
    text: String,
}

impl FromStr for Condition {
    type Err = ParseConditionError;

    fn from_str(text: &str) -> Result<Condition, ParseConditionError> {
        Condition::read(text).ok_or_else(|| ParseConditionError { text: text.to_owned() })
    }
}

impl TryFrom<String> for Condition {
    type Error = ParseConditionError;

    fn try_from(text: String) -> Result<Condition, ParseConditionError> {
        text.parse()
    }
}

impl From<Condition> for String {
    fn from(condition: Condition) -> String {
        condition.to_string()
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
    fn condition_is_parsed_and_evaluated() {
        let mut view = view();
        (view.shares.allowed, view.shares.disallowed, view.shares.unknown) = (90, 5, 5);
        (view.ages.decided, view.ages.stale) = (10, 4);
        for (text, holds) in [
            ("disallowed>0", true),
            ("disallowed > 5", false),
            ("unknown>=5%", true),
            ("unknown<5%", false),
            ("allowed<=90%", true),
            ("undecidable=0", true),
            ("undecided>0", false),
            ("stale>3", true),
            ("stale>40%", false),
            ("damaged>=0", false),
        ] {
            let condition = Condition::from_str(text).expect(text);
            assert_eq!(condition.holds(&view), holds, "{text}");
            assert_eq!(Condition::from_str(&condition.to_string()).as_ref(), Ok(&condition));
        }
        for text in [
            "",
            "disallowed",
            "blocked>0",
            "disallowed>x",
            "disallowed>-1",
            ">0",
            "unknown>=NaN%",
            "errors>5%",
            "damaged>5%",
        ] {
            assert!(text.parse::<Condition>().is_err(), "{text}");
        }
    }

    fn view() -> ViewSummary {
        let totals = crate::totals::Totals::new(1);
        totals.summary(0, None, crate::options::Moment::Seen)
    }

    #[test]
    fn condition_on_damage_compares_the_number_of_records() {
        let damaged = Condition::from_str("damaged>0").expect("a condition");
        assert!(damaged.holds_of_damage(1) && !damaged.holds_of_damage(0) && !damaged.is_about_findings());
        assert!(!Condition::from_str("unknown>=0").expect("a condition").holds_of_damage(1));
    }

    #[test]
    fn condition_on_findings_compares_their_number() {
        let mut site = ManifestSite::default();
        let errors = Condition::from_str("errors>0").expect("a condition");
        assert!(!errors.holds_of(&site) && !errors.holds(&view()));
        let finding = r#"{"code": "x", "severity": "error", "message": "", "help": "", "agents": [], "line": null, "count": 9,
                          "urls": []}"#;
        site.findings.push(serde_json::from_str(finding).expect("a finding"));
        assert!(errors.holds_of(&site));
        assert!(!Condition::from_str("warnings>0").expect("a condition").holds_of(&site));
        assert!(!Condition::from_str("disallowed>=0").expect("a condition").holds_of(&site));
    }
}
