//! Compares Comity's optimized code with simple implementations of equal meaning (`plain`). The optimized code is the
//! scan for lines, the walk over packed rules, the index of rules, and `is_allowed_as`, which decides without compiling
//! rules.
//!
//! Half of the cases are one file with one question. In a quarter of the cases, several files are joined,
//! because few generated files are large enough for the code that handles large files. In the last quarter, the lines
//! of a file are inserted into a body of another format, such as a page, JSON or a picture.

use comity::robots::plain::{self, PlainDecision};
use comity::robots::{self, Agent, Dialect, RobotsTxt, UrlError};
use testkit::bodies::{self, Kind};
use testkit::generate::Case;

use crate::Result;

/// Maximum number of files that are joined to a large file.
const JOINED_FILES: usize = 12;

/// Compares the answers to all cases and prints the differences. Returns true if there are none.
pub(crate) fn run(cases: Result<impl Iterator<Item = Case>>, count: usize) -> Result<bool> {
    let (mut compared, mut differing, mut deciding) = (0_usize, 0_usize, 0_usize);
    let mut recent: Vec<Case> = Vec::new();
    for (number, case) in cases?.take(count).enumerate() {
        let case = match number % 4 {
            1 => joined(&mut recent, case),
            3 => with_generated_lines(number, case),
            _ => case,
        };
        for dialect in Dialect::ALL {
            compared += 1;
            if !equals_plain_reader(&case.robots, dialect) {
                differing += 1;
                println!(
                    "case {number}, {dialect}: the records differ from those of the plain reader\n  {}",
                    case.robots.escape_ascii()
                );
            }
            let (expected, answers) = answers(&case, dialect);
            deciding += usize::from(matches!(expected, Ok(Some(_))));
            for (matcher, answer) in answers {
                compared += 1;
                if answer != expected {
                    differing += 1;
                    print_difference(number, dialect, &case, matcher, &answer, &expected);
                }
            }
        }
    }
    println!(
        "{count} cases in {} dialects, {compared} comparisons, {deciding} questions with a deciding rule: {differing} \
         differences from the plain matcher",
        Dialect::ALL.len()
    );
    Ok(differing == 0)
}

/// Joins a file and the files of earlier calls to one file.
fn joined(recent: &mut Vec<Case>, case: Case) -> Case {
    if recent.len() == JOINED_FILES {
        recent.remove(0);
    }
    recent.push(case.clone());
    let robots = recent.iter().map(|case| case.robots.as_slice()).collect::<Vec<_>>().join(&b'\n');
    Case { robots, ..case }
}

/// Inserts the lines of a file into a body of another format.
fn with_generated_lines(number: usize, case: Case) -> Case {
    let kind = Kind::ALL[number / 4 % Kind::ALL.len()];
    let length = [80, 700, 3_000, 20_000][number / 4 % 4];
    let robots = bodies::with_lines_of(kind, length, number as u64, &case.robots);
    Case { robots, ..case }
}

/// Returns true if both readers return equal records and groups.
fn equals_plain_reader(robots: &[u8], dialect: Dialect) -> bool {
    let shown = |file: RobotsTxt<'_>| {
        let known: Vec<_> = file.known_records().map(|record| (record.line(), record.group())).collect();
        format!("{file:?} {:?} {known:?}", file.groups().collect::<Vec<_>>())
    };
    shown(RobotsTxt::parse_as(robots, dialect)) == shown(plain::parse(robots, dialect))
}

type Answered = std::result::Result<PlainDecision, UrlError>;

/// Returns the answer of the plain matcher, and the names and answers of the optimized matchers.
fn answers(case: &Case, dialect: Dialect) -> (Answered, Vec<(&'static str, Answered)>) {
    let agent = Agent::unchecked_token(&case.agent);
    let url = case.url.as_bytes();
    let file = RobotsTxt::parse_as(&case.robots, dialect);
    let plain_file = plain::parse(&case.robots, dialect);
    let rules = file.rules_for(&agent);
    let expected = match (plain::answer(&plain_file, &agent, url), rules.decide(url)) {
        // In some dialects, the URL is not parsed if no group applies to the agent.
        (Err(_), Ok(decision)) if rules.group().is_none() && decision.rule().is_none() => Ok(None),
        (answer, _) => answer,
    };
    let walked = rules.decide(url).map(|decision| decision.rule().map(|rule| (rule.line(), rule.allows())));
    let mut answers = vec![("walk", walked)];
    if let Some(indexed) = plain::answer_by_index(&rules, url) {
        answers.push(("index", indexed));
    }
    // `is_allowed_as` does not return the deciding line, so only the verdict is compared.
    let verdict = robots::is_allowed_as(&case.robots, dialect, &agent, url);
    let allowed = expected.as_ref().map(|answer| answer.is_none_or(|(_, allows)| allows));
    let once = if verdict.as_ref() == allowed.as_ref().map_err(|error| *error) {
        expected.clone()
    } else {
        verdict.map(|allows| Some((0, allows)))
    };
    answers.push(("once", once));
    (expected, answers)
}

fn print_difference(
    number: usize,
    dialect: Dialect,
    case: &Case,
    matcher: &str,
    answer: &Answered,
    expected: &Answered,
) {
    println!(
        "case {number}, {dialect}: {matcher} returns {answer:?}, the plain matcher {expected:?}\n  agent {:?}, url {:?}\n  {}",
        case.agent,
        case.url,
        case.robots.escape_ascii()
    );
}
