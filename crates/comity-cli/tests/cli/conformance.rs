//! The command gives the same answers as the library: all conformance cases of the default dialect that arguments can
//! express.

use std::collections::BTreeMap;
use std::path::Path;

use comity::robots::{Agent, Dialect};
use comity_answers::url::UrlKind;
use serde_json::Value;
use testkit::conformance::{self, Case, CaseAgent, Expected};

use super::comity;

#[test]
fn conformance_cases_of_default_dialect_hold_for_the_command() {
    let cases = conformance::load().expect("the conformance files");
    let mut runs: BTreeMap<(&[u8], &str, bool), Vec<&Case>> = BTreeMap::new();
    for case in cases.iter().filter(|case| case.expect.contains_key(&Dialect::Rfc9309) && can_be_passed(case))
    {
        let is_header = matches!(case.asker, CaseAgent::Header(_));
        runs.entry((&case.robots, case.asker.as_str(), is_header)).or_default().push(case);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("robots.txt");
    for ((robots, asker, is_header), cases) in runs {
        std::fs::write(&file, robots).expect("a file");
        check(&file, asker, is_header, &cases);
    }
}

/// Returns true if the command accepts the name and the URL, and the URL contains no NUL.
fn can_be_passed(case: &Case) -> bool {
    let has_name = match &case.asker {
        CaseAgent::Token(token) => Agent::token(token).is_ok(),
        CaseAgent::Header(header) => !header.is_empty(),
    };
    has_name && !case.url.contains('\0') && UrlKind::of(case.url.as_bytes()).is_ok()
}

fn check(file: &Path, asker: &str, is_header: bool, cases: &[&Case]) {
    let flag = if is_header { "--user-agent" } else { "--agent" };
    let run = comity("check --json --robots")
        .arg(&file.display().to_string())
        .arg(&format!("{flag}={asker}"))
        .arg("--");
    let outcome = cases.iter().fold(run, |run, case| run.arg(&case.url)).run();
    let decisions: Vec<Value> =
        outcome.stdout.lines().map(|line| serde_json::from_str(line).expect("a decision is JSON")).collect();
    assert_eq!(decisions.len(), cases.len(), "{}: {}", cases[0].id, outcome.stderr);
    for (case, decision) in cases.iter().zip(&decisions) {
        let line = decision["rule"]["line"].as_u64().map_or(String::new(), |line| format!(" {line}"));
        let answer = format!("{}{line}", decision["verdict"].as_str().unwrap_or_default());
        let expected: &Expected = &case.expect[&Dialect::Rfc9309];
        assert_eq!(answer, expected.to_string(), "{}: {}", case.id, case.why);
    }
}
