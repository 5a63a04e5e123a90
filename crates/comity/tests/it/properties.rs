//! Properties that hold for every file, agent and URL.

use std::time::{Duration, SystemTime};

use comity::policy::{Answer, Preset};
use comity::robots::{Access, Agent, Dialect, RobotsTxt, UrlError};
use proptest::prelude::*;

/// Generates lines that look like a robots.txt, and some that do not.
fn line() -> impl Strategy<Value = String> {
    let value = "[/*][ab/*$.?%&=2F]{0,8}";
    prop_oneof![
        4 => value.prop_map(|value| format!("Disallow: {value}")),
        3 => value.prop_map(|value| format!("Allow: {value}")),
        2 => "(\\*|a|b|ab|foo/1|A)".prop_map(|name| format!("User-agent: {name}")),
        1 => "(Disallow:|Allow:|Crawl-delay: 2|Sitemap: http://x/|# c|Foo: bar|)",
        1 => "\\PC{0,12}",
    ]
}

fn file() -> impl Strategy<Value = String> {
    proptest::collection::vec(line(), 0..16).prop_map(|lines| lines.join("\n"))
}

/// Generates a group for one name with some rules.
fn group() -> impl Strategy<Value = String> {
    let rule = prop_oneof![Just("Allow"), Just("Disallow")];
    let rules = proptest::collection::vec((rule, "/[ab*]{0,3}\\$?"), 1..4);
    ("(\\*|a|b)", rules).prop_map(|(name, rules)| {
        let rules: String = rules.into_iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
        format!("User-agent: {name}\n{rules}")
    })
}

fn allowed(robots: &str, dialect: Dialect, agent: &str, url: &str) -> Result<bool, UrlError> {
    RobotsTxt::parse_as(robots, dialect).rules_for(&Agent::unchecked_token(agent)).is_allowed(url)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_input_is_decided_without_a_panic(body in proptest::collection::vec(any::<u8>(), 0..300), agent in "\\PC{0,12}", url in "\\PC{0,24}") {
        for dialect in Dialect::ALL {
            let rules = RobotsTxt::parse_as(&body, dialect).rules_for(&Agent::header(agent.as_str()));
            let _ = rules.contenders(&url);
            let _ = rules.extent();
        }
    }

    #[test]
    fn extent_of_a_site_agrees_with_the_decision_on_each_url(robots in group(), path in "/[ab]{0,5}") {
        for dialect in [Dialect::Rfc9309, Dialect::Google, Dialect::Yandex] {
            let rules = RobotsTxt::parse_as(&robots, dialect).rules_for(&Agent::unchecked_token("a"));
            let is_allowed = rules.is_allowed(&path) == Ok(true);
            match rules.extent().access() {
                Access::Allowed => prop_assert!(is_allowed, "{robots} {path} {dialect}"),
                Access::Disallowed => prop_assert!(!is_allowed, "{robots} {path} {dialect}"),
                _ => {}
            }
        }
    }

    #[test]
    fn order_of_groups_does_not_change_decisions(groups in proptest::collection::vec(group(), 1..5), url in "/[ab]{0,4}") {
        for dialect in [Dialect::Rfc9309, Dialect::Google, Dialect::Yandex] {
            let forward = groups.concat();
            let backward: String = groups.iter().rev().map(String::as_str).collect();
            prop_assert_eq!(allowed(&forward, dialect, "a", &url), allowed(&backward, dialect, "a", &url));
        }
    }

    #[test]
    fn rule_matches_its_own_path(path in "/[a-zA-Z0-9/._~%!&'()+,;=:@?-]{0,20}") {
        for dialect in [Dialect::Rfc9309, Dialect::Google, Dialect::Yandex, Dialect::Mk1996, Dialect::Gym2008] {
            let url = format!("http://example.com{path}");
            let robots = format!("User-agent: *\nDisallow: {path}\n");
            let rules = RobotsTxt::parse_as(&robots, dialect).rules_for(&Agent::unchecked_token("a"));
            let contenders = rules.contenders(&url).expect("a URL");
            prop_assert!(!contenders.is_empty() || rewrites(dialect, &path), "{} {}", dialect, path);
        }
    }

    #[test]
    fn first_contender_decides(robots in file(), agent in "(a|b|ab|c)", url in "/[ab/.?%2F=]{0,10}") {
        for dialect in Dialect::ALL {
            let (robots, agent) = (RobotsTxt::parse_as(&robots, dialect), Agent::unchecked_token(agent.as_str()));
            let Ok(explanation) = robots.explain(&agent, &url) else { continue };
            let first = explanation.contenders.first().map(|contender| &contender.rule);
            prop_assert_eq!(explanation.decision.rule.as_ref(), first);
            let rules = robots.rules_for(&agent);
            prop_assert_eq!(rules.is_allowed(&url), Ok(!explanation.decision.blocked));
            prop_assert_eq!(rules.decide(&url).map(|decision| decision.to_record()), Ok(explanation.decision));
            prop_assert_eq!(rules.group().is_none(), explanation.groups.is_empty());
            let groups: Vec<u32> = explanation.groups.iter().map(|group| group.line).collect();
            let is_ours = |rule: &comity::robots::Rule<'_>| {
                let before = robots.groups().filter(|group| group.line() <= rule.line());
                before.last().is_some_and(|group| groups.contains(&group.line()))
            };
            prop_assert!(rules.iter().all(|rule| is_ours(&rule)), "{} {:?}", dialect, groups);
        }
    }

    #[test]
    fn comment_or_blank_line_does_not_change_decisions(robots in file(), agent in "(a|b|c)", url in "/[ab/]{0,6}") {
        for dialect in [Dialect::Rfc9309, Dialect::Google] {
            let padded = robots.replace('\n', "\n\n  # a comment\n");
            prop_assert_eq!(allowed(&robots, dialect, &agent, &url), allowed(&padded, dialect, &agent, &url));
        }
    }
}

/// Returns true if a dialect's program changes a rule or a URL with this path, but not both in the same way.
fn rewrites(dialect: Dialect, path: &str) -> bool {
    match dialect {
        // Hex digits are upper-cased only in rules.
        Dialect::Google => {
            path.bytes().zip(path.bytes().skip(1)).any(|(a, b)| a == b'%' && b.is_ascii_hexdigit())
        }
        // Empty queries, parameters and hosts are dropped only from URLs.
        Dialect::Mk1996 | Dialect::Gym2008 => path.contains(['?', ';', '%']) || path.starts_with("//"),
        _ => false,
    }
}

#[test]
fn decision_with_and_without_stored_rules_is_equal() {
    let mut generator = testkit::generate::Generator::new(7);
    for number in 0..20_000 {
        let case = generator.next_case();
        let agent = Agent::unchecked_token(&case.agent);
        let dialect = [Dialect::Rfc9309, Dialect::Google][number % 2];
        let kept = RobotsTxt::parse_as(&case.robots, dialect).rules_for(&agent).is_allowed(&case.url);
        let asked = comity::robots::is_allowed_as(&case.robots, dialect, &agent, &case.url);
        assert_eq!(asked, kept, "{dialect} {} {} {}", case.robots.escape_ascii(), case.agent, case.url);
    }
}

/// Inserts up to four lines with delays at any place. A delay applies to the agents directly above it.
fn with_delays(body: &[u8], number: usize) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = body.split_inclusive(|byte| *byte == b'\n').collect();
    let delays: [&[u8]; 4] = [
        b"Crawl-delay: 1\n",
        b"crawl-delay: 18446744073709551616.5\n",
        b"Crawl-delay: x\n",
        b"Request-rate: 1/5\n",
    ];
    for (nth, delay) in delays.into_iter().take(number % 5).enumerate() {
        lines.insert((number * 7 + nth * 5) % (lines.len() + 1), delay);
    }
    lines.concat()
}

/// Returns the time between two requests according to a line of a group: its delay, or the interval of its rate.
fn requested_interval(dialect: Dialect, line: &str) -> Option<Duration> {
    let robots = RobotsTxt::parse_as(&format!("User-agent: *\n{line}\n"), dialect).into_owned();
    let rules = robots.rules_for(&Agent::unchecked_token("heron"));
    rules.crawl_delay().max(rules.request_rate().map(|rate| rate.interval()))
}

/// The longest numbers exceed the range of every type. A larger number requests at least the interval of a smaller
/// number, unless the program that defines the dialect ignores the value.
#[test]
fn longer_number_never_requests_a_shorter_interval() {
    let rates =
        [("1", ""), ("3", ""), ("4294967295", ""), ("4294967296", "m"), ("99999999999999999999", "d")];
    for dialect in Dialect::ALL {
        let delays = (1..=420).map(|digits| (digits, format!("Crawl-delay: {}", "9".repeat(digits))));
        let mut longest = None;
        for (digits, line) in delays {
            let delay = requested_interval(dialect, &line);
            // The largest `float` has 309 digits.
            let is_ignored = dialect == Dialect::Protego && digits > 308;
            if longest.is_some() && !is_ignored {
                assert!(delay >= longest, "{dialect} {digits}: {delay:?} after {longest:?}");
            }
            longest = longest.max(delay);
        }
        for (documents, unit) in rates {
            let mut longest = None;
            for digits in 1..=80 {
                let seconds = "9".repeat(digits);
                let interval =
                    requested_interval(dialect, &format!("Request-rate: {documents}/{seconds}{unit}"));
                assert!(
                    interval >= longest,
                    "{dialect} {documents}/{seconds}{unit}: {interval:?} after {longest:?}"
                );
                longest = longest.max(interval);
            }
        }
    }
}

/// Rates with an equal ratio of seconds to documents request equal intervals, even with large numbers.
#[test]
fn rate_with_large_numbers_has_the_interval_of_its_reduced_form() {
    for dialect in [Dialect::Rfc9309, Dialect::Urllib, Dialect::Urllib2026, Dialect::Protego] {
        for zeros in (0..60).chain([400]) {
            let zeros = "0".repeat(zeros);
            let interval =
                requested_interval(dialect, &format!("Request-rate: 2{zeros}/20{zeros}")).expect("a rate");
            let over = interval.checked_sub(Duration::from_secs(10));
            assert!(
                over.is_some_and(|over| over < Duration::from_micros(1)),
                "{dialect} {zeros}: {interval:?}"
            );
        }
    }
}

#[test]
fn quick_decision_equals_that_of_stored_rules() {
    let mut generator = testkit::generate::Generator::new(11);
    let (mut quick_decisions, mut delays) = (0, 0);
    for number in 0..20_000 {
        let case = generator.next_case();
        let body = with_delays(&case.robots, number);
        let agent = Agent::unchecked_token(&case.agent);
        let preset = [Preset::Rfc9309, Preset::Google, Preset::Strict][number % 3];
        let answer = Answer::status(200, SystemTime::UNIX_EPOCH).with_body(&body);
        let about = || format!("{preset} {} {} {}", body.escape_ascii(), case.agent, case.url);
        let Some(quick) = preset.decide_quickly(&answer, &agent, &case.url) else { continue };
        let reading = preset.read(&answer);
        let Some(robots) = reading.robots() else {
            assert!(quick.is_err(), "no robots.txt: {}", about());
            continue;
        };
        let rules = robots.rules_for(&agent);
        let (quick, decision) = match (quick, rules.decide(&case.url)) {
            (Ok(quick), Ok(decision)) => (quick, decision),
            (quick, decision) => {
                assert_eq!(quick.err(), decision.err(), "{}", about());
                continue;
            }
        };
        quick_decisions += 1;
        let group = if quick.is_named() { Some(case.agent.as_str()) } else { None };
        let group = group.or(quick.is_for_everyone().then_some("*"));
        let rule = decision.rule();
        assert_eq!(quick.is_allowed(), decision.is_allowed(), "{}", about());
        assert_eq!(quick.basis(), decision.basis(), "{}", about());
        assert_eq!(group, decision.group(), "{}", about());
        assert_eq!(quick.rule_kind(), rule.map(|rule| rule.kind()), "{}", about());
        assert_eq!(quick.line(), rule.map(|rule| rule.line()), "{}", about());
        assert_eq!(quick.pattern_text(), rule.map(|rule| rule.pattern_text()), "{}", about());
        assert_eq!(quick.crawl_delay(), rules.crawl_delay(), "{}", about());
        delays += usize::from(quick.crawl_delay().is_some());
    }
    assert!(quick_decisions > 15_000 && delays > 3_000, "{quick_decisions} quick decisions, {delays} delays");
}

#[test]
fn quick_decision_requires_a_clear_robots_txt() {
    let agent = Agent::unchecked_token("examplebot");
    let quick = |preset: Preset, answer: &Answer<'_>, agent: &Agent| {
        preset.decide_quickly(answer, agent, "/").is_some_and(|quick| quick.is_ok())
    };
    let ok = |body: &'static str| Answer::status(200, SystemTime::UNIX_EPOCH).with_body(body);
    let rules = "User-agent: *\nDisallow: /\n";
    assert!(quick(Preset::Rfc9309, &ok(rules), &agent));
    assert!(quick(Preset::Rfc9309, &ok("Sitemap: https://example.com/s.xml"), &agent));
    for body in ["", "# nothing", "<!doctype html><p>no", "Host: example.com"] {
        assert!(!quick(Preset::Rfc9309, &ok(body), &agent), "{body}");
    }
    assert!(!quick(Preset::Gym2008, &ok(rules), &agent), "a dialect that requires another way of reading");
    assert!(!quick(Preset::Rfc9309, &ok(rules), &Agent::header("examplebot/1.0")));
    assert!(!quick(Preset::Rfc9309, &ok(rules), &agent.clone().ignoring_star()));
    assert!(!quick(Preset::Rfc9309, &Answer::status(404, SystemTime::UNIX_EPOCH).with_body(rules), &agent));
    let cut = Answer::status(200, SystemTime::UNIX_EPOCH).with_cut_body(rules);
    assert!(!quick(Preset::Rfc9309, &cut, &agent));
}
