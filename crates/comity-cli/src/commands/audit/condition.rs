//! Conditions on totals, for pipelines: `disallowed>0`, `unknown>=5%`.

use std::fmt;
use std::str::FromStr;

use comity_jobs::Shares;

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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    More,
    AtLeast,
    Less,
    AtMost,
    Exactly,
}

const PARTS: [(&str, Part); 4] = [
    ("allowed", Part::Allowed),
    ("disallowed", Part::Disallowed),
    ("unknown", Part::Unknown),
    ("undecidable", Part::Undecidable),
];

/// Those of two characters come first, so that they are not taken for others.
const COMPARISONS: [(&str, Comparison); 5] = [
    (">=", Comparison::AtLeast),
    ("<=", Comparison::AtMost),
    (">", Comparison::More),
    ("<", Comparison::Less),
    ("=", Comparison::Exactly),
];

impl Condition {
    /// Returns true if the condition holds.
    pub(crate) fn holds(&self, shares: &Shares) -> bool {
        let part = match self.part {
            Part::Allowed => shares.allowed,
            Part::Disallowed => shares.disallowed,
            Part::Unknown => shares.unknown,
            Part::Undecidable => shares.undecidable,
        };
        let number = if self.is_percent { shares.percent(part) } else { part as f64 };
        match self.comparison {
            Comparison::More => number > self.bound,
            Comparison::AtLeast => number >= self.bound,
            Comparison::Less => number < self.bound,
            Comparison::AtMost => number <= self.bound,
            Comparison::Exactly => number == self.bound,
        }
    }
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wanted = || {
            format!(
                "`{text}` is not a condition; write a part (allowed, disallowed, unknown, undecidable), a comparison \
                 (>, >=, <, <=, =) and a number of rows or percent, such as `disallowed>0` or `unknown>=5%`"
            )
        };
        let (at, (sign, comparison)) = COMPARISONS
            .iter()
            .filter_map(|known| Some((text.find(known.0)?, *known)))
            .min_by_key(|(at, known)| (*at, std::cmp::Reverse(known.0.len())))
            .ok_or_else(wanted)?;
        let (name, bound) = (text[..at].trim(), text[at + sign.len()..].trim());
        let (_, part) = *PARTS.iter().find(|(known, _)| *known == name).ok_or_else(wanted)?;
        let (bound, is_percent) = match bound.strip_suffix('%') {
            Some(bound) => (bound.trim(), true),
            None => (bound, false),
        };
        let bound: f64 = bound.parse().map_err(|_| wanted())?;
        if !bound.is_finite() || bound < 0.0 {
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
            let condition: Condition = text.parse().expect(text);
            assert_eq!(condition.holds(&shares), holds, "{text}");
            assert_eq!(condition.to_string().parse::<Condition>().as_ref(), Ok(&condition));
        }
        for text in ["", "disallowed", "blocked>0", "disallowed>x", "disallowed>-1", ">0", "unknown>=NaN%"] {
            assert!(text.parse::<Condition>().is_err(), "{text}");
        }
    }
}
