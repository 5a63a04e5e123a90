//! Checks every case in `conformance/` in every dialect for which it has an expectation.

use comity::robots::{self, Agent, RobotsTxt};
use testkit::conformance::{self, Expected};

#[test]
fn every_case_has_the_expected_verdict() {
    let cases = conformance::load().unwrap_or_else(|error| panic!("{error}"));
    let mut wrong = Vec::new();
    let mut checked = 0;
    for case in &cases {
        let agent = Agent::from(&case.asker);
        for (&dialect, &expected) in &case.expect {
            let robots = RobotsTxt::parse_with_charset(&case.robots, dialect, case.charset.as_deref());
            let rules = robots.rules_for(&agent);
            let answer = rules.decide(&case.url).map_err(|error| error.to_string()).and_then(|decision| {
                Expected::new(decision.verdict(), decision.rule().map(|rule| rule.line()))
            });
            checked += 1;
            if answer != Ok(expected) {
                let path = case.path.display();
                wrong.push(format!(
                    "{path}: {}: {dialect}: expected {expected}, got {answer:?}; {}",
                    case.id, case.why
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {checked}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked > 1_000, "only {checked} expectations were found");
}

#[test]
fn is_allowed_without_stored_rules_gives_the_expected_verdict() {
    for case in &conformance::load().unwrap_or_else(|error| panic!("{error}")) {
        let agent = Agent::from(&case.asker);
        for &dialect in case.expect.keys().filter(|_| case.charset.is_none()) {
            let kept = RobotsTxt::parse_as(&case.robots, dialect).rules_for(&agent).is_allowed(&case.url);
            let once = robots::is_allowed_as(&case.robots, dialect, &agent, &case.url);
            assert_eq!(once, kept, "{}: {}: {dialect}", case.path.display(), case.id);
        }
    }
}

#[test]
fn every_case_has_the_expected_delay_and_sitemaps() {
    let cases = conformance::load().unwrap_or_else(|error| panic!("{error}"));
    for case in &cases {
        for (&dialect, &expected) in &case.crawl_delay {
            let robots = RobotsTxt::parse_with_charset(&case.robots, dialect, case.charset.as_deref());
            let delay = robots.rules_for(&Agent::from(&case.asker)).crawl_delay();
            assert_eq!(delay.map(|delay| delay.as_secs_f64()), expected, "{} in {dialect}", case.id);
        }
        for (&dialect, expected) in &case.sitemaps {
            let robots = RobotsTxt::parse_with_charset(&case.robots, dialect, case.charset.as_deref());
            assert_eq!(&robots.sitemaps().collect::<Vec<_>>(), expected, "{} in {dialect}", case.id);
        }
    }
}
