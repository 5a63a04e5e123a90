//! The conformance cases of page directives, and properties for any header and page.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use crate::docs::kinds_table;
use comity::finding::{Finding, Reader};
use comity::html::Facts;
use comity::http::Headers;
use comity::page::{
    DirectiveKind, MAX_STATEMENTS, PageDirectives, PageOutcome, Profile, Reason, Restriction, SourceKind,
    Statement,
};
use proptest::prelude::*;
use serde::Deserialize;
use testkit::conformance::Hex;
use testkit::printed::{assert_printed, table};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

/// One case; `conformance/page/README.md` explains the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    why: String,
    #[expect(dead_code, reason = "documents the case")]
    source: Option<String>,
    #[serde(default)]
    headers: String,
    #[serde(default)]
    headers_hex: Hex,
    #[serde(default)]
    header_pieces: Vec<Piece>,
    #[serde(default)]
    html: String,
    agent: String,
    #[serde(default = "default_time")]
    now: String,
    findings: Option<Vec<String>>,
    expect: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    causes: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    set_aside: BTreeMap<String, Vec<String>>,
}

/// A repeated part of a long header.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Piece {
    text: String,
    #[serde(default = "once")]
    times: usize,
}

fn once() -> usize {
    1
}

fn default_time() -> String {
    "2026-01-01T00:00:00Z".to_owned()
}

impl Case {
    fn header(&self) -> Vec<u8> {
        let pieces = self.header_pieces.iter().map(|piece| piece.text.repeat(piece.times));
        let text = self.headers.clone() + &pieces.collect::<String>();
        [text.as_bytes(), &self.headers_hex.0].concat()
    }

    fn now(&self) -> SystemTime {
        let now: jiff::Timestamp = self.now.parse().unwrap_or_else(|error| panic!("{}: {error}", self.id));
        now.into()
    }

    /// Returns the lists of a table by profile. A key may contain several profiles, separated by spaces.
    fn by_profile(&self, table: &BTreeMap<String, Vec<String>>) -> Vec<(Profile, Vec<String>)> {
        let profiles = table.iter().flat_map(|(names, list)| names.split(' ').map(move |name| (name, list)));
        let known = |name: &str| name.parse().unwrap_or_else(|error| panic!("{}: {error}", self.id));
        profiles.map(|(name, list)| (known(name), sorted(list.iter().cloned()))).collect()
    }
}

fn sorted(list: impl Iterator<Item = String>) -> Vec<String> {
    let mut list: Vec<String> = list.collect();
    list.sort();
    list
}

fn cases() -> Vec<Case> {
    let files = testkit::conformance::files::<File>("page").unwrap_or_else(|error| panic!("{error}"));
    files.into_iter().flat_map(|(_, file)| file.case).collect()
}

fn warnings(outcome: &PageOutcome<'_>) -> Vec<String> {
    sorted(outcome.warnings().iter().map(|warning| match warning.value() {
        Some(value) => format!("{} {value}", warning.restriction()),
        None => warning.restriction().to_string(),
    }))
}

fn causes(outcome: &PageOutcome<'_>) -> Vec<String> {
    let pairs = outcome.warnings().iter().flat_map(|warning| {
        warning.causes().iter().map(move |cause| (warning.restriction(), cause.source()))
    });
    sorted(pairs.map(|(restriction, source)| {
        format!("{restriction} {} {} {}", source.kind().as_str(), source.number(), source.offset())
    }))
}

fn set_aside(outcome: &PageOutcome<'_>) -> Vec<String> {
    let reasons = outcome.set_aside().iter();
    sorted(reasons.map(|aside| format!("{} {}", aside.statement().text(), aside.reason().as_str())))
}

/// A function that returns one part of an outcome, sorted.
type Part = fn(&PageOutcome<'_>) -> Vec<String>;

/// Returns the expectations of a case that are not met.
fn failures(case: &Case) -> Vec<String> {
    let header = case.header();
    let headers = Headers::parse(&header).unwrap_or_else(|error| panic!("{}: {error}", case.id));
    let page = PageDirectives::of_header(&headers).and_page(&Facts::read(case.html.as_bytes()));
    let mut failures = Vec::new();
    let mut check = |what: &str, expected: &Vec<String>, got: Vec<String>| {
        if *expected != got {
            failures
                .push(format!("{} ({})\n  {what}: expected {expected:?}\n  got {got:?}", case.id, case.why));
        }
    };
    let tables: [(&str, _, Part); 3] = [
        ("warnings", &case.expect, warnings),
        ("causes", &case.causes, causes),
        ("set aside", &case.set_aside, set_aside),
    ];
    for (what, table, ask) in tables {
        for (profile, expected) in case.by_profile(table) {
            let outcome = page.outcome(&case.agent, profile, case.now());
            check(&format!("{what} by {profile}"), &expected, ask(&outcome));
        }
    }
    if let Some(expected) = &case.findings {
        check("findings", expected, sorted(page.findings().iter().map(|found| found.code().to_owned())));
    }
    failures
}

#[test]
fn every_case_has_the_expected_outcome() {
    let cases = cases();
    assert!(cases.len() > 100, "only {} cases were found", cases.len());
    let mut ids = BTreeSet::new();
    for case in &cases {
        assert!(ids.insert(&case.id), "{} occurs twice", case.id);
        assert!(
            !case.why.is_empty() && !case.expect.is_empty(),
            "{} has no reason or no expectation",
            case.id
        );
    }
    let failures: Vec<String> = cases.iter().flat_map(failures).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn lists_of_kinds_are_in_the_order_of_declaration() {
    assert!(Restriction::ALL.iter().enumerate().all(|(index, &kind)| kind as usize == index));
    assert!(Reason::ALL.is_sorted());
    assert!(DirectiveKind::ALL.is_sorted());
}

#[test]
fn profile_is_parsed_from_its_name() {
    for profile in Profile::ALL {
        assert_eq!(profile.as_str().parse(), Ok(profile));
    }
    let error = "altavista".parse::<Profile>().expect_err("no profile");
    assert_eq!(error.to_string(), "unknown profile `altavista`; must be one of: google, bing, yandex, draft");
}

#[test]
fn findings_above_the_limit_are_counted() {
    let value = vec!["reed"; 105].join(",");
    let headers: Headers = [("X-Robots-Tag", &value)].into_iter().collect();
    let page = PageDirectives::of_header(&headers);
    let findings = page.findings();
    assert_eq!((findings.len(), findings.last().map(Finding::repeats)), (101, Some(5)));
}

/// Returns a table of the restrictions that each directive requests, by profile.
fn directives_table() -> String {
    let named = DirectiveKind::ALL.into_iter().filter(|kind| *kind != DirectiveKind::Unknown);
    let rows = named.map(|kind| {
        let cell = |profile: Profile| {
            let words: Vec<_> = profile.restrictions(kind).iter().map(|word| format!("`{word}`")).collect();
            match profile.uses(kind) {
                true if words.is_empty() => "allows".to_owned(),
                _ => words.join(", "),
            }
        };
        let [google, bing, yandex, draft] = Profile::ALL.map(cell);
        [format!("`{kind}`"), google, bing, yandex, draft]
    });
    let [google, bing, yandex, draft] = Profile::ALL.map(Profile::as_str);
    table(["directive", google, bing, yandex, draft], rows)
}

/// Checks the tables of `docs/reference/page.md`; `UPDATE_DOCS=1` rewrites them.
#[test]
fn tables_of_the_documentation_equal_the_code() {
    let profiles = Profile::ALL
        .map(|profile| [format!("`{profile}`"), profile.title().to_owned(), profile.source().to_owned()]);
    let warnings = Restriction::ALL.map(|kind| [format!("`{kind}`"), kind.summary().to_owned()]);
    let reasons = Reason::ALL.map(|reason| [format!("`{}`", reason.as_str()), reason.summary().to_owned()]);
    assert_printed(
        "docs/reference/page.md",
        &[
            ("profiles", table(["profile", "operator or standard", "source of the rules"], profiles)),
            ("directives", directives_table()),
            ("warnings", table(["warning", "meaning"], warnings)),
            ("reasons", table(["reason", "explanation"], reasons)),
            ("findings", kinds_table(Reader::Page.kinds(), "docs/reference/")),
        ],
    );
}

#[cfg(feature = "serde")]
#[test]
fn outcome_in_json_has_the_documented_words() {
    let headers: Headers = [("X-Robots-Tag", "heron: max-snippet:50, reed")].into_iter().collect();
    let page = PageDirectives::of_header(&headers);
    let outcome =
        serde_json::to_value(page.outcome("heron", Profile::Bing, SystemTime::UNIX_EPOCH)).expect("JSON");
    assert_eq!(
        outcome,
        serde_json::json!({
            "agent": "heron",
            "profile": "bing",
            "warnings": [{
                "warning": "snippet_limit",
                "value": 50,
                "causes": [{
                    "directive": "max-snippet",
                    "value": 50,
                    "text": "max-snippet:50",
                    "agent": "heron",
                    "source": {
                        "kind": "x_robots_tag", "name": "X-Robots-Tag", "number": 1, "offset": 7,
                        "line": null, "in_body": false,
                    },
                }],
            }],
            "set_aside": [{
                "reason": "unknown",
                "statement": {
                    "directive": "unknown",
                    "value": null,
                    "text": "reed",
                    "agent": "heron",
                    "source": {
                        "kind": "x_robots_tag", "name": "X-Robots-Tag", "number": 1, "offset": 23,
                        "line": null, "in_body": false,
                    },
                },
            }],
        })
    );
    for restriction in Restriction::ALL {
        assert_eq!(serde_json::to_value(restriction).expect("JSON"), restriction.as_str());
    }
    for reason in Reason::ALL {
        assert_eq!(serde_json::to_value(reason).expect("JSON"), reason.as_str());
    }
    for kind in [SourceKind::XRobotsTag, SourceKind::RobotsTag, SourceKind::Meta, SourceKind::DataNoSnippet] {
        assert_eq!(serde_json::to_value(kind).expect("JSON"), kind.as_str());
    }
}

/// Generates a list that looks like directives.
fn list() -> impl Strategy<Value = String> {
    let names = DirectiveKind::ALL.map(DirectiveKind::as_str).to_vec();
    let piece = prop_oneof![
        6 => proptest::sample::select(names),
        1 => Just("max-snippet: 5"),
        1 => Just("max-image-preview:none"),
        1 => Just("unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT"),
        1 => Just("unavailable_after: 2035-01-01"),
        1 => Just("heron: noindex"),
        1 => Just("reed"),
        1 => Just("'reed"),
        1 => Just("\"nofollow\""),
    ];
    let comma = prop_oneof![6 => Just(", "), 1 => Just(" "), 1 => Just(":"), 1 => Just(";")];
    proptest::collection::vec((piece, comma), 0..8)
        .prop_map(|pieces| pieces.into_iter().map(|(piece, comma)| format!("{piece}{comma}")).collect())
}

/// Returns the statements that are causes of warnings, and those that are set aside.
fn causes_and_set_aside<'p>(outcome: &PageOutcome<'p>) -> (Vec<&'p Statement>, Vec<&'p Statement>) {
    let causes = outcome.warnings().iter().flat_map(|warning| warning.causes().iter().copied()).collect();
    (causes, outcome.set_aside().iter().map(|aside| aside.statement()).collect())
}

fn is_in(statement: &Statement, list: &[&Statement]) -> bool {
    list.iter().any(|other| std::ptr::eq(*other, statement))
}

/// Returns the time of the tests: late in 2026.
fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_000_000)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_without_a_panic(value in proptest::collection::vec(any::<u8>(), 0..200), page in proptest::collection::vec(any::<u8>(), 0..200), token in "\\PC{0,9}") {
        let headers: Headers = [("X-Robots-Tag", &value), ("Robots-Tag", &value)].into_iter().collect();
        let page = PageDirectives::of_header(&headers).and_page(&Facts::read(&page));
        for profile in Profile::ALL {
            page.outcome(&token, profile, now());
        }
    }

    #[test]
    fn statement_is_a_cause_or_set_aside(header in list(), robots in list(), named in list()) {
        let html = format!("<meta name=robots content='{robots}'><p data-nosnippet><meta name=heron content='{named}'>");
        let headers: Headers = [("X-Robots-Tag", &header)].into_iter().collect();
        let page = PageDirectives::of_header(&headers).and_page(&Facts::read(html.as_bytes()));
        for profile in Profile::ALL {
            let outcome = page.outcome("heron", profile, now());
            let (causes, set_aside) = causes_and_set_aside(&outcome);
            for statement in page.statements() {
                prop_assert!(is_in(statement, &causes) != is_in(statement, &set_aside), "{profile}: {statement:?}");
            }
            prop_assert!(set_aside.len() <= page.statements().len());
        }
    }

    /// In the profile `google`, the strictest directive wins, so additional directives never remove a restriction.
    #[test]
    fn additional_directive_never_weakens_a_restriction(first in list(), second in list()) {
        let requested = |values: &[&String]| -> BTreeSet<Restriction> {
            let headers: Headers = values.iter().map(|value| ("X-Robots-Tag", *value)).collect();
            let page = PageDirectives::of_header(&headers);
            let outcome = page.outcome("heron", Profile::Google, now());
            outcome.warnings().iter().map(|warning| warning.restriction()).collect()
        };
        let (alone, together) = (requested(&[&first]), requested(&[&first, &second]));
        let implied = |restriction: &Restriction| match restriction {
            Restriction::DoNotIndex => together.contains(&Restriction::IndexOnlyEmbedded),
            Restriction::SnippetLimit | Restriction::VideoPreviewLimit => together.contains(&Restriction::DoNotShowSnippet),
            _ => false,
        };
        for restriction in &alone {
            prop_assert!(together.contains(restriction) || implied(restriction), "{restriction}");
        }
    }

    #[test]
    fn order_of_fields_does_not_change_the_outcome(first in list(), second in list()) {
        for profile in Profile::ALL {
            let requested = |values: [&String; 2]| {
                let headers: Headers = values.iter().map(|value| ("X-Robots-Tag", *value)).collect();
                warnings(&PageDirectives::of_header(&headers).outcome("heron", profile, now()))
            };
            prop_assert_eq!(requested([&first, &second]), requested([&second, &first]));
        }
    }

    #[test]
    fn place_points_at_the_text_of_the_statement(value in list()) {
        let headers: Headers = [("X-Robots-Tag", &value)].into_iter().collect();
        let page = PageDirectives::of_header(&headers);
        prop_assert!(page.statements().len() <= MAX_STATEMENTS);
        for statement in page.statements() {
            prop_assert!(value[statement.source().offset()..].starts_with(statement.text()), "{statement:?}");
        }
    }
}
