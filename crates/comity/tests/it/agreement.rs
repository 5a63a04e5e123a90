//! Decisions, explanations, extents and groups agree in generated and real files, for `*`, for crawlers that a file
//! names and for crawlers that it does not name.

use std::fs;

use comity::robots::{self, Access, Agent, Basis, Dialect, Extent, RobotsTxt, Rule, Rules};
use testkit::data;
use testkit::generate::Generator;

/// Counts of the covered cases, so that a test that checks nothing fails.
#[derive(Default)]
struct Seen {
    allowed: usize,
    disallowed: usize,
    extents: [usize; 3],
}

/// Checks one file in every dialect.
fn check(body: &[u8], generator: &mut Generator, seen: &mut Seen) {
    let mut questions: Vec<(String, String)> = (0..4).map(|_| generator.question_for(body)).collect();
    questions.push(("heron".to_owned(), "/robots.txt".to_owned()));
    let urls: Vec<String> = questions.iter().map(|(_, url)| url.clone()).collect();
    let names =
        questions.iter().map(|(agent, _)| agent.as_str()).take(2).chain(["*", "*/1.0", "heron-of-nobody"]);
    for dialect in Dialect::ALL {
        let robots = RobotsTxt::parse_as(body, dialect);
        for name in names.clone() {
            let agent = Agent::unchecked_token(name);
            let rules = robots.rules_for(&agent);
            let about = || format!("`{name}` in {dialect}:\n{}", body.escape_ascii());
            assert_eq!(rules.group().is_some(), robots.group_line(&agent).is_some(), "{}", about());
            let extent = rules.extent();
            seen.extents[extent.access() as usize] += 1;
            for url in &urls {
                check_url(&rules, &extent, url, seen, &|| format!("{url} for {}", about()));
                let once = robots::is_allowed_as(body, dialect, &agent, url);
                assert_eq!(once, rules.is_allowed(url), "{url} for {}", about());
            }
        }
        check_star(&robots, &urls);
    }
}

fn check_url(rules: &Rules, extent: &Extent<'_>, url: &str, seen: &mut Seen, about: &dyn Fn() -> String) {
    let Ok(decision) = rules.decide(url) else {
        assert!(rules.is_allowed(url).is_err() && rules.contenders(url).is_err(), "{}", about());
        return;
    };
    let is_allowed = decision.is_allowed();
    assert_eq!(rules.is_allowed(url), Ok(is_allowed), "{}", about());
    let contenders = rules.contenders(url).unwrap_or_else(|error| panic!("{error}: {}", about()));
    if decision.basis() == Basis::RobotsTxt {
        return;
    }
    let first = contenders.first().map(|contender| contender.rule());
    assert_eq!(first, decision.rule(), "{}", about());
    *(if is_allowed { &mut seen.allowed } else { &mut seen.disallowed }) += 1;
    // Some programs treat an empty path as missing, so that no rule matches it. Rules for `/robots.txt` do not count.
    let is_for_robots_txt = |rule: Rule<'_>| rule.pattern().starts_with(b"/robots.txt");
    if !url.starts_with("http://example.com/") || decision.rule().is_some_and(is_for_robots_txt) {
        return;
    }
    match extent.access() {
        Access::Allowed => assert!(is_allowed, "{}", about()),
        Access::Disallowed => assert!(!is_allowed, "{}", about()),
        _ => assert_eq!(extent.exception().map(|rule| rule.allows()), Some(!extent.is_open()), "{}", about()),
    }
}

/// In dialects that compare whole names, `*` has the same result as a crawler that no group names.
fn check_star(robots: &RobotsTxt<'_>, urls: &[String]) {
    if !matches!(robots.dialect(), Dialect::Rfc9309 | Dialect::Google | Dialect::Yandex) {
        return;
    }
    let [star, unnamed] =
        ["*", "heron-of-nobody"].map(|name| robots.rules_for(&Agent::unchecked_token(name)));
    assert_eq!(format!("{star:?}"), format!("{unnamed:?}"));
    assert!(urls.iter().all(|url| star.is_allowed(url) == unnamed.is_allowed(url)));
}

fn check_seen(seen: &Seen) {
    let Seen { allowed, disallowed, extents } = seen;
    assert!(*allowed > 5_000 && *disallowed > 2_000, "{allowed} allowed, {disallowed} disallowed");
    assert!(extents.iter().all(|count| *count > 50), "{extents:?}");
}

#[test]
fn evidence_of_a_generated_file_agrees_with_decisions() {
    let (mut generator, mut seen) = (Generator::new(14), Seen::default());
    for _ in 0..300 {
        let body = generator.next_file();
        check(&body, &mut generator, &mut seen);
    }
    check_seen(&seen);
}

#[test]
fn evidence_of_a_real_file_agrees_with_decisions() {
    let Some(data) = data::shared_data() else { return };
    let (mut generator, mut seen) = (Generator::new(15), Seen::default());
    for number in (0..7_881).step_by(41) {
        let path = data.join("corpus/robots").join(format!("{number:05}.txt"));
        let body = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        // The beginning of a large file is sufficient and faster to explain.
        check(&body[..body.len().min(6_000)], &mut generator, &mut seen);
    }
    check_seen(&seen);
}
