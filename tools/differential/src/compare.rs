//! The answers of Comity and of a reference program to a case, and their comparison.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use comity::robots::{Agent, Dialect, RecordKind, RobotsTxt, Rules};
use testkit::generate::Case;

use crate::model::Model;

/// The `Crawl-delay` of the agent in seconds as text with six decimals, the last `Host` in lower case, and the sitemaps.
pub(crate) type Facts = Option<serde_json::Value>;

/// The answer of Comity or of a reference program to a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// A verdict. `line` is the deciding line, counted from 1, or 0 if no line decided, or `None` if the program does
    /// not report it. `facts` is a JSON array of facts about the file, if the program reports them; see [`Facts`].
    Decided { allowed: bool, line: Option<u32>, facts: Facts },
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
        let decided = || {
            let (line, facts) = rest.split_once(' ').unzip();
            let line = line.unwrap_or(rest);
            let line = if line == "-" { None } else { Some(line.parse().ok()?) };
            let facts = facts.map(serde_json::from_str).transpose().ok()?;
            Some(Answer::Decided { allowed: word == "A", line, facts })
        };
        Some(match word {
            "A" | "D" => decided()?,
            "E" => Answer::Refused(rest.to_owned()),
            "T" => Answer::TimedOut,
            _ => return None,
        })
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Decided { allowed, line, facts } => {
                f.write_str(if *allowed { "allowed" } else { "denied" })?;
                match line {
                    None => {}
                    Some(0) => f.write_str(", no line")?,
                    Some(line) => write!(f, ", line {line}")?,
                }
                facts.as_ref().map_or(Ok(()), |facts| write!(f, ", {facts}"))
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
            facts: Some(facts(&robots, &rules)),
        },
        Err(error) => Answer::Refused(error.to_string()),
    }
}

/// Returns the [`Facts`] of a file.
fn facts(robots: &RobotsTxt<'_>, rules: &Rules) -> serde_json::Value {
    let delay = rules.crawl_delay().map(|delay| format!("{:.6}", delay.as_secs_f64()));
    let hosts = robots.known_records().filter(|record| record.kind() == RecordKind::Host);
    let host = hosts.filter(|record| !record.value().is_empty()).last().map(|record| {
        // Programs replace invalid bytes differently.
        String::from_utf8_lossy(record.value()).replace(char::REPLACEMENT_CHARACTER, "").to_lowercase()
    });
    serde_json::json!([delay, host, robots.sitemaps().collect::<Vec<_>>()])
}

/// The kind of a difference between two answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// Different verdicts, a verdict of the program for a URL that Comity refuses, or a panic of Comity.
    Verdict,
    /// Equal verdicts with different deciding lines.
    Line,
    /// Equal verdicts and lines with different facts about the file.
    Facts,
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

    /// Returns the difference, if there is one. If the program failed or timed out, only a panic of Comity is one.
    pub(crate) fn difference(&self) -> Option<Difference> {
        let (their_verdict, their_line, their_facts) = match &self.theirs {
            Answer::Decided { allowed, line, facts } => (*allowed, *line, facts),
            _ if self.ours == Answer::Panicked => return Some(Difference::Verdict),
            _ => return None,
        };
        match &self.ours {
            Answer::Decided { allowed, .. } if *allowed != their_verdict => Some(Difference::Verdict),
            Answer::Decided { line, .. } if their_line.is_some() && *line != their_line => {
                Some(Difference::Line)
            }
            Answer::Decided { facts, .. } if their_facts.is_some() && facts != their_facts => {
                Some(Difference::Facts)
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
        Answer::Decided { allowed: true, line: Some(line), facts } if is_empty_rule(&case.robots, line) => {
            Answer::Decided { allowed: true, line: Some(0), facts }
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
        let decided = |allowed, line| Some(Answer::Decided { allowed, line, facts: None });
        assert_eq!(Answer::parse("A 0"), decided(true, Some(0)));
        assert_eq!(Answer::parse("D 12"), decided(false, Some(12)));
        assert_eq!(Answer::parse("D -"), decided(false, None));
        let with_facts =
            Answer::Decided { allowed: true, line: Some(3), facts: Some(serde_json::json!(["1.000000"])) };
        assert_eq!(Answer::parse(r#"A 3 ["1.000000"]"#), Some(with_facts));
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
        let facts = |facts| difference(Model(Dialect::RobotsParser), robots, url, &format!("D 2 {facts}"));
        assert_eq!(facts("[null,null,[]]"), None);
        assert_eq!(facts(r#"["1.000000",null,[]]"#), Some(Difference::Facts));
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
