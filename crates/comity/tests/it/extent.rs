//! Checks every case in `conformance/extent/`: the allowed part of a site, and the group that determines it.

use std::fs;

use comity::agents;
use comity::robots::{Agent, Basis, Dialect, RobotsTxt, Rule};
use serde::Deserialize;
use testkit::data;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    why: String,
    #[serde(rename = "source")]
    _source: Option<String>,
    robots: String,
    agent: String,
    access: String,
    line: Option<u32>,
    exception: Option<u32>,
    group: Option<String>,
    at: Option<u32>,
}

fn load(file: &str) -> Vec<Case> {
    let cases: Cases =
        testkit::conformance::file(&format!("extent/{file}")).unwrap_or_else(|error| panic!("{error}"));
    assert!(cases.case.len() >= 8, "{file}: only {} cases", cases.case.len());
    cases.case
}

fn check(case: &Case, agent: &Agent) {
    let rules = RobotsTxt::parse(&case.robots).rules_for(agent);
    let extent = rules.extent();
    let line = |rule: Option<Rule<'_>>| rule.map(|rule| rule.line());
    let answer = (extent.access().as_str(), line(extent.rule()), line(extent.exception()));
    assert_eq!(answer, (case.access.as_str(), case.line, case.exception), "{}: {}", case.id, case.why);
    assert_eq!(extent.exceptions() > 0, case.exception.is_some(), "{}", case.id);
}

#[test]
fn extent_of_every_case_is_correct() {
    for case in load("whole-site.toml") {
        check(&case, &Agent::unchecked_token(case.agent.as_str()));
    }
}

#[test]
fn extent_of_every_crawler_with_a_fallback_is_correct() {
    for case in load("fallbacks.toml") {
        let known =
            agents::known(&case.agent).unwrap_or_else(|| panic!("{} is not in the catalogue", case.agent));
        let robots = RobotsTxt::parse(&case.robots);
        let rules = robots.rules_for(&known.agent());
        assert_eq!(
            (rules.group(), robots.group_line(&known.agent())),
            (case.group.as_deref(), case.at),
            "{}",
            case.id
        );
        check(&case, &known.agent());
    }
}

/// The claims of an extent hold for URLs that were not used to compute it.
#[test]
fn extent_of_a_real_file_agrees_with_decisions() {
    let Some(data) = data::shared_data() else { return };
    let mut generator = testkit::generate::Generator::new(5);
    let mut seen = [0; 3];
    for number in (0..7_881).step_by(9) {
        let path = data.join("corpus/robots").join(format!("{number:05}.txt"));
        let body = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let agent = Agent::unchecked_token(["Googlebot", "AhrefsBot"][number % 2]);
        for dialect in [Dialect::Rfc9309, Dialect::Google, Dialect::Yandex, Dialect::Gym2008] {
            let rules = RobotsTxt::parse_as(&body, dialect).rules_for(&agent);
            let extent = rules.extent();
            seen[extent.access() as usize] += 1;
            for _ in 0..20 {
                let (_, url) = generator.question_for(&body);
                let Ok(decision) = rules.decide(&url) else { continue };
                // Some programs treat an empty path as missing, so that no rule matches it.
                let has_path = url.starts_with("http://example.com/");
                if decision.basis() == Basis::RobotsTxt || !has_path {
                    continue;
                }
                let is_allowed = decision.is_allowed();
                match extent.access().as_str() {
                    "allowed" => assert!(is_allowed, "{number} in {dialect}: {url}"),
                    "disallowed" => assert!(!is_allowed, "{number} in {dialect}: {url}"),
                    _ => {}
                }
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 20), "{seen:?}");
}
