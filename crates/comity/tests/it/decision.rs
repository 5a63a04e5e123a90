//! Records equal their decisions, can be read back from JSON, and have documentation for each field.

use std::time::{Duration, SystemTime};

use comity::decision::{DecisionRecord, Explanation, Field, FieldKind};
use comity::http::Headers;
use comity::policy::{
    Answer, Failure, Mode, OnUnreachable, Overrides, Policy, Preset, Recommendation, Verdict,
};
use comity::robots::{Agent, Basis, Dialect, RobotsTxt, RuleOutcome};
use serde_json::Value;
use testkit::generate::Generator;
use testkit::printed::{assert_printed, table};

const FILE: &str = "User-agent: *\nDisallow: /private\nAllow: /private/open$\n";

fn start() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

/// Returns the record after a conversion to JSON and back.
#[track_caller]
fn back<T>(record: &T) -> T
where
    T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let json = serde_json::to_string(record).expect("JSON");
    let back: T = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"));
    assert_eq!(&back, record, "{json}");
    assert_eq!(serde_json::to_string(&back).expect("JSON"), json);
    back
}

/// Calls `each` with decisions for every combination of preset, mode, overrides, answer and age of the answer.
fn decisions(mut each: impl FnMut(&DecisionRecord)) {
    let headers: Headers<'_> = [("Cache-Control", "max-age=3600")].into_iter().collect();
    let answers = [
        Answer::status(200, start()).with_body(FILE).with_headers(&headers).with_digest("sha-256=:eA==:"),
        Answer::status(200, start()).with_body("<!doctype html>").with_redirects(["https://b.example/r"]),
        Answer::status(404, start()),
        Answer::status(403, start()),
        Answer::status(503, start()),
        Answer::failure(Failure::Local, start()),
        Answer::failure(Failure::Timeout, start()),
    ];
    for preset in Preset::ALL {
        for mode in Mode::ALL {
            for overrides in
                [Overrides::default(), Overrides::default().with_on_unreachable(OnUnreachable::Warn)]
            {
                let mut policy = Policy::without_answer(preset).with_mode(mode).with_overrides(overrides);
                for answer in &answers {
                    policy.update(&preset.read(answer), &Agent::unchecked_token("examplebot"));
                    for days in [0, 2, 40] {
                        let now = start() + Duration::from_secs(days * 86_400);
                        for url in ["/", "/private/x", "https://example.com/private/open", "/robots.txt"] {
                            each(&policy.decide(url, now).expect("a URL").to_record());
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn record_of_a_policy_is_read_back_from_json() {
    let mut seen = 0;
    decisions(|record| {
        back(record);
        seen += 1;
    });
    assert!(seen > 2_000, "{seen}");
}

#[test]
fn explanation_is_read_back_from_json() {
    let mut generator = Generator::new(7);
    for _ in 0..150 {
        let body = generator.next_file();
        let (agent, url) = generator.question_for(&body);
        for dialect in Dialect::ALL {
            let robots = RobotsTxt::parse_as(&body, dialect);
            let Ok(explanation) = robots.explain(&Agent::unchecked_token(agent.as_str()), &url) else {
                continue;
            };
            let again: Explanation = back(&explanation);
            assert_eq!(again.to_string(), explanation.to_string());
        }
    }
}

/// Records of decisions by rules and by policies have equal fields, so that one program can read both.
#[test]
fn record_in_json_has_every_field() {
    let names: Vec<&str> = DecisionRecord::FIELDS.iter().map(|field| field.name).collect();
    let fields = |json: &str| -> Vec<String> {
        let Value::Object(fields) = serde_json::from_str(json).unwrap() else { panic!("{json}") };
        fields.keys().cloned().collect()
    };
    let sorted = |names: &[&str]| {
        let mut names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        names.sort();
        names
    };
    let rules = RobotsTxt::parse(FILE).rules_for(&Agent::unchecked_token("examplebot"));
    let decision = rules.decide("/private/x").unwrap();
    let json = serde_json::to_string(&decision).unwrap();
    assert_eq!(json, serde_json::to_string(&decision.to_record()).unwrap());
    assert_eq!(fields(&json), sorted(&names));
    let places: Vec<_> = names.iter().map(|name| json.find(&format!("\"{name}\":")).unwrap()).collect();
    assert!(places.is_sorted(), "{json}");
    decisions(|record| assert_eq!(fields(&serde_json::to_string(record).unwrap()), sorted(&names)));
    decisions(|record| assert_eq!(record.values().len(), names.len()));
}

#[test]
fn record_equals_its_decision() {
    let robots = RobotsTxt::parse(FILE);
    let record =
        |url: &str| robots.rules_for(&Agent::unchecked_token("examplebot")).decide(url).unwrap().to_record();
    let blocked = record("/private/x");
    assert_eq!((blocked.verdict, blocked.blocked), (Verdict::DisallowedExplicit, true));
    assert_eq!((blocked.basis, blocked.group.as_deref()), (Some(Basis::Rule), Some("*")));
    assert_eq!(blocked.to_string(), "disallowed_explicit: line 2: Disallow: /private");
    assert_eq!(record("/private/open").to_string(), "allowed_explicit: line 3: Allow: /private/open$");
    assert_eq!(record("/x").to_string(), "allowed_implicit: no rule of group * matches");
    assert_eq!(record("/robots.txt").to_string(), "allowed_implicit: /robots.txt is always allowed");
    let empty = RobotsTxt::parse("").rules_for(&Agent::unchecked_token("a"));
    assert_eq!(empty.decide("/x").unwrap().to_string(), "allowed_implicit: no group applies to the crawler");
}

#[test]
fn record_has_the_longer_one_of_delay_and_rate() {
    let delay = |lines: &str| {
        let robots = format!("User-agent: *\n{lines}\nDisallow: /x\n");
        let record = RobotsTxt::parse(&robots)
            .rules_for(&Agent::unchecked_token("a"))
            .decide("/x")
            .unwrap()
            .to_record();
        back(&record);
        let seconds = record.crawl_delay_seconds.map(|delay| delay.as_secs_f64());
        seconds.zip(record.crawl_delay_source.map(|source| source.as_str()))
    };
    assert_eq!(delay("Crawl-delay: 2.5"), Some((2.5, "crawl_delay")));
    assert_eq!(delay("Crawl-delay: 2\nRequest-rate: 1/10s"), Some((10.0, "request_rate")));
    assert_eq!(delay("Crawl-delay: 10\nRequest-rate: 1/10s"), Some((10.0, "crawl_delay")));
    assert_eq!(delay("Crawl-delay: 2\nRequest-rate: 1/1m 0600-0845"), Some((2.0, "crawl_delay")), "hours");
    assert_eq!(delay("Crawl-delay: 1e30").map(|(seconds, _)| seconds), Some(Duration::MAX.as_secs_f64()));
    for lines in ["", "Crawl-delay: 0", "Crawl-delay: soon", "Visit-time: 0600-0845"] {
        assert_eq!(delay(lines), None, "{lines}");
    }
    let mut policy = Policy::without_answer(Preset::Rfc9309);
    policy.update(&Preset::Rfc9309.read(&Answer::status(503, start())), &Agent::unchecked_token("a"));
    assert_eq!(policy.decide("/", start()).unwrap().to_record().crawl_delay_seconds, None, "no rules");
    let body = "User-agent: *\nCrawl-delay: 3\n";
    policy.update(
        &Preset::Rfc9309.read(&Answer::status(200, start()).with_body(body)),
        &Agent::unchecked_token("a"),
    );
    let record = policy.decide("/", start()).unwrap().to_record();
    assert_eq!(record.crawl_delay_seconds, Some(Duration::from_secs(3)));
}

#[test]
fn untrusted_text_is_shown_without_control_characters() {
    let robots = "User-agent: a\u{1b}[2Jb\nDisallow: /\u{202e}x\u{1b}[31m\n";
    for dialect in Dialect::ALL {
        let robots = RobotsTxt::parse_as(robots, dialect);
        for (agent, url) in [("a\u{1b}[2Jb", "/%E2%80%AEx%1B[31m"), ("a\u{1b}[2Jb", "/y")] {
            let explanation = robots.explain(&Agent::unchecked_token(agent), url).unwrap();
            let text = format!("{explanation} {}", explanation.decision);
            assert!(!text.contains(|c| c != '\n' && comity::shown::is_unsafe(c)), "{dialect}: {text:?}");
        }
    }
}

#[test]
fn reason_without_rules_names_the_answer_and_the_setting() {
    let text = |policy: &Policy| policy.decide("/x", start()).unwrap().to_string();
    let answered = |preset: Preset, overrides: Overrides| {
        let mut policy = Policy::without_answer(preset).with_overrides(overrides);
        policy.update(&preset.read(&Answer::status(503, start())), &Agent::unchecked_token("examplebot"));
        text(&policy)
    };
    let outage = "503 since 2027-01-15T08:00:00Z, next request at 2027-01-15T08:10:00Z";
    assert_eq!(
        answered(Preset::Rfc9309, Overrides::default()),
        format!("unknown_unreachable: robots.txt: {outage}; treatment by the preset rfc9309: stop")
    );
    assert_eq!(
        answered(Preset::Rfc9309, Overrides::default().with_on_unreachable(OnUnreachable::Warn)),
        format!("unknown_unreachable: robots.txt: {outage}; treatment by on_unreachable = warn: fail open")
    );
    let unanswered = Policy::without_answer(Preset::Rfc9309);
    assert_eq!(
        text(&unanswered),
        "unknown_unreachable: robots.txt: not requested yet; treatment by the preset rfc9309: stop"
    );
    let ignoring = unanswered.with_mode(Mode::Ignore);
    assert_eq!(text(&ignoring), "skipped_by_user_policy: robots.txt is not used");
}

#[test]
fn reason_of_a_losing_rule_names_the_length_that_its_dialect_compares() {
    // The match of the first rule is longer, and the pattern of the second one.
    let robots = "User-agent: *\nDisallow: /a*z\nAllow: /abcde\n";
    for (dialect, loser, reason) in [
        (Dialect::Rfc9309, "/a*z", "a longer pattern wins"),
        (Dialect::Urllib2026, "/abcde", "a longer match wins"),
    ] {
        let explanation =
            RobotsTxt::parse_as(robots, dialect).explain(&Agent::unchecked_token("a"), "/abcdefz").unwrap();
        let [_, lost] = &explanation.contenders[..] else { panic!("{explanation}") };
        assert_eq!((&*lost.rule.pattern, &*lost.reason), (loser, reason), "{dialect}");
        assert_eq!(dialect.is_longest_match(), reason.contains("match wins"));
    }
}

#[test]
fn explanation_contains_the_chosen_groups() {
    let robots = "User-agent: a\nDisallow: /1\n\nUser-agent: b\nUser-agent: A/2.0\nDisallow: /2\n\nUser-agent: *\nDisallow: /\n";
    let groups = |agent: &str, dialect| -> Vec<(usize, u32, Vec<u32>)> {
        let robots = RobotsTxt::parse_as(robots, dialect);
        let explanation = robots.explain(&Agent::unchecked_token(agent), "/2").unwrap();
        explanation.groups.into_iter().map(|group| (group.index, group.line, group.named_on)).collect()
    };
    assert_eq!(groups("a", Dialect::Rfc9309), [(0, 1, vec![1]), (1, 4, vec![5])]);
    assert_eq!(groups("b", Dialect::Rfc9309), [(1, 4, vec![4])]);
    assert_eq!(groups("c", Dialect::Rfc9309), [(2, 8, vec![8])]);
    // In `robots-parser`, names are equal if they are equal up to a slash.
    assert_eq!(groups("a", Dialect::RobotsParser), [(0, 1, vec![1]), (1, 4, vec![5])]);
    assert_eq!(groups("b", Dialect::RobotsParser), [(1, 4, vec![4])]);
    assert_eq!(groups("c", Dialect::RobotsParser), [(2, 8, vec![8])]);
    // In `urllib`, only the first group whose name is a part of the crawler's name decides.
    assert_eq!(groups("a", Dialect::Urllib), [(0, 1, vec![1])]);
    let nobody =
        RobotsTxt::parse("User-agent: x\nDisallow: /\n").explain(&Agent::unchecked_token("a"), "/").unwrap();
    assert!(nobody.groups.is_empty() && nobody.contenders.is_empty());
}

#[test]
fn word_is_parsed_from_its_name() {
    for verdict in Verdict::ALL {
        assert_eq!(verdict.as_str().parse(), Ok(verdict));
        assert_eq!(back(&verdict).to_string(), verdict.as_str());
    }
    for recommendation in Recommendation::ALL {
        assert_eq!(recommendation.as_str().parse(), Ok(recommendation));
    }
    for outcome in RuleOutcome::ALL {
        assert_eq!(back(&outcome).to_string().parse(), Ok(outcome));
    }
    assert_eq!("Allowed-Explicit".parse(), Ok(Verdict::AllowedExplicit));
    let error = "perhaps".parse::<Verdict>().unwrap_err().to_string();
    assert!(
        error.starts_with("unknown verdict `perhaps`; must be one of: allowed_explicit, allowed_implicit, "),
        "{error}"
    );
}

/// Clocks may return any time.
#[test]
fn time_outside_the_range_is_clamped() {
    let at = |moment: Option<SystemTime>| {
        let answer = Answer::status(200, moment.expect("a time of this system")).with_body(FILE);
        let mut policy = Policy::without_answer(Preset::Rfc9309);
        policy.update(&Preset::Rfc9309.read(&answer), &Agent::unchecked_token("a"));
        let record = serde_json::to_value(policy.decide("/", start()).unwrap()).unwrap();
        back(&serde_json::from_value::<DecisionRecord>(record.clone()).unwrap());
        record["evidence"]["fetched_at"].clone()
    };
    let span = Duration::from_secs(400_000_000_000);
    assert_eq!(at(SystemTime::UNIX_EPOCH.checked_add(span)), "9999-12-30T22:00:00Z");
    assert_eq!(at(SystemTime::UNIX_EPOCH.checked_sub(span)), "0001-01-01T00:00:00Z");
}

#[test]
fn invalid_record_is_rejected() {
    let mut policy = Policy::without_answer(Preset::Rfc9309);
    policy.update(&Preset::Rfc9309.read(&Answer::status(503, start())), &Agent::unchecked_token("a"));
    let record = serde_json::to_value(policy.decide("/", start()).unwrap()).unwrap();
    let refuse = |change: &dyn Fn(&mut Value)| {
        let mut changed = record.clone();
        change(&mut changed);
        serde_json::from_value::<DecisionRecord>(changed).unwrap_err().to_string()
    };
    assert!(refuse(&|json| json["verdict"] = "perhaps".into()).contains("perhaps"));
    assert!(refuse(&|json| json["dialect"] = "latin".into()).contains("unknown dialect `latin`"));
    assert!(refuse(&|json| json["evidence"]["fetched_at"] = "yesterday".into()).contains("yesterday"));
    assert!(
        refuse(&|json| json["evidence"]["status"] = Value::Null)
            .contains("either a status code or a failure")
    );
    assert!(
        refuse(&|json| json["evidence"]["failure"] = "dns".into())
            .contains("either a status code or a failure")
    );
}

/// Returns the description of a field's type for `docs/reference/decisions.md`.
fn type_of(field: &Field) -> String {
    let kind = match field.kind {
        FieldKind::Word(words) => match words() {
            words if words.len() > 9 => "a word".to_owned(),
            words => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        },
        FieldKind::Text => "text".to_owned(),
        FieldKind::Flag => "true or false".to_owned(),
        FieldKind::Number => "a number".to_owned(),
        FieldKind::Seconds => "a number of seconds".to_owned(),
        FieldKind::Time => "a time".to_owned(),
        FieldKind::Texts => "a list of texts".to_owned(),
        FieldKind::Numbers => "a list of numbers".to_owned(),
        FieldKind::Overrides => "an object".to_owned(),
        FieldKind::Record(name, _) => format!("an object: {}", title(name)),
        FieldKind::Records(name, _) => format!("a list of objects: {}", title(name)),
        _ => panic!("{field:?}"),
    };
    if field.is_optional { format!("{kind}; or null") } else { kind }
}

/// Returns a link to the section that documents a record.
fn title(record: &str) -> String {
    let heading = record.replace("ChosenGroup", "Chosen group");
    format!("[{}](#{})", heading.to_lowercase(), heading.to_lowercase().replace(' ', "-"))
}

fn documented(fields: &[Field]) -> String {
    let rows =
        fields.iter().map(|field| [format!("`{}`", field.name), type_of(field), field.about.to_owned()]);
    table(["field", "type", "meaning"], rows)
}

/// Returns the fields of a record that is part of another one.
fn part<'f>(fields: &'f [Field], name: &str) -> &'f [Field] {
    match fields.iter().find(|field| field.name == name).map(|field| field.kind) {
        Some(FieldKind::Record(_, fields) | FieldKind::Records(_, fields)) => fields,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn every_field_is_documented() {
    let decision = DecisionRecord::FIELDS;
    let explanation = Explanation::FIELDS;
    assert_printed(
        "docs/reference/decisions.md",
        &[
            ("decision", documented(decision)),
            ("rule", documented(part(decision, "rule"))),
            ("evidence", documented(part(decision, "evidence"))),
            ("outage", documented(part(decision, "outage"))),
            // In JSON, the fields of the decision are fields of the explanation itself.
            ("explanation", documented(&explanation[1..])),
            ("chosen group", documented(part(explanation, "groups"))),
            ("contender", documented(part(explanation, "contenders"))),
        ],
    );
}
