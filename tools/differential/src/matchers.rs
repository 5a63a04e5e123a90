//! Comity's matchers against a plain one: the walk over packed rules, the index, and the answer without keeping anything.
//!
//! Half of the cases are one file with one question; for the rest, the rules of several files are put together, since few
//! generated files are large enough for what large ones bring about.

use comity::robots::plain::{self, Answer};
use comity::robots::{self, Agent, Dialect, RobotsTxt, UrlError};
use testkit::generate::Case;

use crate::Result;

/// How many files make a large one.
const TOGETHER: usize = 12;

/// Whether all answers agreed. Prints those that did not, and how many were compared.
pub(crate) fn run(cases: Result<impl Iterator<Item = Case>>, count: usize) -> Result<bool> {
    let (mut compared, mut differing, mut deciding) = (0_usize, 0_usize, 0_usize);
    let mut recent: Vec<Case> = Vec::new();
    for (number, case) in cases?.take(count).enumerate() {
        let case = if number % 2 == 0 { case } else { joined(&mut recent, case) };
        for dialect in Dialect::ALL {
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
        "{count} cases in {} dialects, {compared} answers, a rule decides {deciding} questions: {differing} differ \
         from the plain matcher",
        Dialect::ALL.len()
    );
    Ok(differing == 0)
}

/// The last files and this one as one.
fn joined(recent: &mut Vec<Case>, case: Case) -> Case {
    if recent.len() == TOGETHER {
        recent.remove(0);
    }
    recent.push(case.clone());
    let robots = recent.iter().map(|case| case.robots.as_slice()).collect::<Vec<_>>().join(&b'\n');
    Case { robots, ..case }
}

type Answered = std::result::Result<Answer, UrlError>;

/// What the plain matcher answers, and what each of the others does.
fn answers(case: &Case, dialect: Dialect) -> (Answered, Vec<(&'static str, Answered)>) {
    let agent = Agent::token(&case.agent);
    let url = case.url.as_bytes();
    let file = RobotsTxt::parse_as(&case.robots, dialect);
    let rules = file.rules_for(&agent);
    let expected = match (plain::answer(&file, &agent, url), rules.decide(url)) {
        // Some programs do not look at the URL if nobody speaks to them.
        (Err(_), Ok(decision)) if rules.group().is_none() && decision.rule().is_none() => Ok(None),
        (answer, _) => answer,
    };
    let walked = rules.decide(url).map(|decision| decision.rule().map(|rule| (rule.line(), rule.allows())));
    let mut answers = vec![("walk", walked)];
    if let Some(indexed) = plain::answer_by_index(&rules, url) {
        answers.push(("index", indexed));
    }
    // Whether a URL is allowed is all that is known here; where that is right, so is the answer.
    let asked = robots::is_allowed_as(&case.robots, dialect, &agent, url);
    let allowed = expected.as_ref().map(|answer| answer.is_none_or(|(_, allows)| allows));
    let once = if asked.as_ref() == allowed.as_ref().map_err(|error| *error) {
        expected.clone()
    } else {
        asked.map(|allows| Some((0, allows)))
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
        "case {number}, {dialect}: {matcher} answers {answer:?}, the plain matcher {expected:?}\n  agent {:?}, url {:?}\n  {}",
        case.agent,
        case.url,
        case.robots.escape_ascii()
    );
}
