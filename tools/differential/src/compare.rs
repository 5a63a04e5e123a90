//! The answers of Comity and of a reference program to a case, and their comparison.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use comity::robots::{Agent, Dialect, RecordKind, RobotsTxt};
use testkit::generate::Case;

use crate::model::Model;

/// The answer of Comity or of a reference program to a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// A verdict. `line` is the deciding line, counted from 1, or 0 if no line decided, or `None` if the program does
    /// not report it.
    Decided { allowed: bool, line: Option<u32> },
    /// The program raised an exception, or Comity refused the URL.
    Refused(String),
    /// The program exceeded the time limit.
    TimedOut,
    /// Comity panicked.
    Panicked,
}

impl Answer {
    /// Parses a line of a runner's output.
    pub(crate) fn parse(line: &str) -> Option<Answer> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let deciding = || if rest == "-" { Some(None) } else { rest.parse().ok().map(Some) };
        Some(match word {
            "A" | "D" => Answer::Decided { allowed: word == "A", line: deciding()? },
            "E" => Answer::Refused(rest.to_owned()),
            "T" => Answer::TimedOut,
            _ => return None,
        })
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Decided { allowed, line } => {
                f.write_str(if *allowed { "allowed" } else { "denied" })?;
                match line {
                    None => Ok(()),
                    Some(0) => f.write_str(", no line"),
                    Some(line) => write!(f, ", line {line}"),
                }
            }
            Answer::Refused(message) => write!(f, "error: {message}"),
            Answer::TimedOut => f.write_str("timed out"),
            Answer::Panicked => f.write_str("panicked"),
        }
    }
}

/// Returns Comity's answer.
fn ours(case: &Case, dialect: Dialect) -> Answer {
    catch_unwind(AssertUnwindSafe(|| decide(case, dialect))).unwrap_or(Answer::Panicked)
}

fn decide(case: &Case, dialect: Dialect) -> Answer {
    let robots = RobotsTxt::parse_as(&case.robots, dialect);
    let rules = robots.rules_for(&Agent::unchecked_token(case.agent.as_str()));
    match rules.decide(&case.url) {
        Ok(decision) => Answer::Decided {
            allowed: decision.is_allowed(),
            line: Some(decision.rule().map_or(0, |rule| rule.line())),
        },
        Err(error) => Answer::Refused(error.to_string()),
    }
}

/// The kind of a difference between two answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// Different verdicts, or a verdict of the program for a URL that Comity refuses.
    Verdict,
    /// Equal verdicts with different deciding lines.
    Line,
}

/// A case with both answers.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    pub(crate) case: Case,
    pub(crate) ours: Answer,
    pub(crate) theirs: Answer,
}

impl Comparison {
    /// Computes Comity's answer and compares it with the answer of a model.
    pub(crate) fn new(model: Model, case: Case, answer: Answer) -> Self {
        let ours = ours(&case, model.dialect());
        Comparison::of(model, case, ours, answer)
    }

    /// Compares the answer of Comity with that of a model.
    pub(crate) fn of(model: Model, case: Case, ours: Answer, answer: Answer) -> Self {
        let theirs =
            if model.dialect() == Dialect::Google { without_empty_rule(answer, &case) } else { answer };
        Comparison { case, ours, theirs }
    }

    /// Returns the difference, if there is one. A program that failed or timed out has no answer to compare.
    pub(crate) fn difference(&self) -> Option<Difference> {
        let (their_verdict, their_line) = match &self.theirs {
            Answer::Decided { allowed, line } => (*allowed, *line),
            _ if self.ours == Answer::Panicked => return Some(Difference::Verdict),
            _ => return None,
        };
        match &self.ours {
            Answer::Decided { allowed, .. } if *allowed != their_verdict => Some(Difference::Verdict),
            Answer::Decided { line, .. } if their_line.is_some() && *line != their_line => {
                Some(Difference::Line)
            }
            Answer::Decided { .. } => None,
            _ => Some(Difference::Verdict),
        }
    }

    pub(crate) fn agrees(&self) -> bool {
        self.difference().is_none()
    }
}

/// Replaces the deciding line by 0 if its rule has an empty value. Google's `matching_line` reports such a line,
/// although the rule has priority 0 and never decides. Comity reports that no line decided.
fn without_empty_rule(answer: Answer, case: &Case) -> Answer {
    match answer {
        Answer::Decided { allowed: true, line: Some(line) } if is_empty_rule(&case.robots, line) => {
            Answer::Decided { allowed: true, line: Some(0) }
        }
        answer => answer,
    }
}

fn is_empty_rule(robots: &[u8], line: u32) -> bool {
    RobotsTxt::parse_as(robots, Dialect::Google).records().any(|record| {
        let rule = matches!(record.kind(), RecordKind::Allow | RecordKind::Disallow);
        rule && record.line() == line && record.value().is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_answer_is_parsed() {
        let decided = |allowed, line| Some(Answer::Decided { allowed, line });
        assert_eq!(Answer::parse("A 0"), decided(true, Some(0)));
        assert_eq!(Answer::parse("D 12"), decided(false, Some(12)));
        assert_eq!(Answer::parse("D -"), decided(false, None));
        assert_eq!(Answer::parse("E ValueError: x y"), Some(Answer::Refused("ValueError: x y".to_owned())));
        assert_eq!(Answer::parse("T"), Some(Answer::TimedOut));
        assert_eq!(Answer::parse("A"), None);
        assert_eq!(Answer::parse("what"), None);
    }

    fn difference(model: Model, robots: &str, url: &str, theirs: &str) -> Option<Difference> {
        let case = Case { robots: robots.into(), agent: "foobot".to_owned(), url: url.to_owned() };
        Comparison::new(model, case, Answer::parse(theirs)?).difference()
    }

    #[test]
    fn reported_lines_are_compared() {
        let robots = "User-agent: *\nDisallow: /a\n";
        let url = "http://example.com/a";
        assert_eq!(difference(Model(Dialect::Google), robots, url, "D 2"), None);
        assert_eq!(difference(Model(Dialect::Google), robots, url, "D 1"), Some(Difference::Line));
        assert_eq!(difference(Model(Dialect::Google), robots, url, "D -"), None);
        assert_eq!(difference(Model(Dialect::Google), robots, url, "A 0"), Some(Difference::Verdict));
        assert_eq!(difference(Model(Dialect::Google), robots, url, "E oops"), None);
    }

    #[test]
    fn empty_rule_as_deciding_line_is_accepted_for_google_only() {
        let robots = "User-agent: *\nDisallow:\n";
        assert_eq!(difference(Model(Dialect::Google), robots, "http://example.com/a", "A 2"), None);
        assert_eq!(
            difference(Model(Dialect::Webcanon), robots, "http://example.com/a", "A 2"),
            Some(Difference::Line)
        );
    }
}
