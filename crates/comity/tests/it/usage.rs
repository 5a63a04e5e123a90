//! Usage preferences: the cases in `conformance/usage/`, and properties for any input.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::PathBuf;

use crate::docs::kinds_table;
use comity::finding::{Channel, Reader};
use comity::html;
use comity::http::Headers;
use comity::robots::lint;
use comity::robots::{Agent, RobotsTxt};
use comity::usage::{
    ChallengeSign, Citation, ControlToken, Interpretation, LicenseDocument, Preference, PreferenceStatement,
    Refusal, Report, Signal, SignalReport, Stance, Tdmrep, Usage, Use, Vocabulary,
};
use proptest::prelude::*;
use serde::Deserialize;
use testkit::printed::{assert_printed, table};

/// A file of cases. `conformance/usage/README.md` explains the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    statement: Vec<StatementCase>,
    #[serde(default)]
    case: Vec<Case>,
    #[serde(default)]
    answer: Vec<AnswerCase>,
}

/// An HTTP answer, with its kind of refusal if it refuses the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerCase {
    id: String,
    why: String,
    #[serde(rename = "source")]
    _source: Option<String>,
    status: u16,
    headers: Option<String>,
    #[serde(default)]
    body: String,
    /// Number of spaces before the body.
    #[serde(default)]
    after_bytes: usize,
    /// The kind of refusal; omitted if there is no refusal.
    refusal: Option<String>,
    challenge: Option<String>,
}

/// The value of a `Content-Usage`, without a path.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StatementCase {
    id: String,
    why: String,
    #[serde(rename = "source")]
    _source: Option<String>,
    value: String,
    /// The revision of the vocabulary; the default if omitted.
    vocabulary: Option<String>,
    train: String,
    /// The stance on `ai-use`, which some vocabularies lack.
    #[serde(default = "unknown")]
    ai_use: String,
    search: String,
    /// The stances on `train`, `ai_use` and `search` inside a search application; not compared if omitted.
    in_search: Option<String>,
    dictionary: bool,
    #[serde(default)]
    findings: Vec<String>,
}

fn unknown() -> String {
    Stance::Unknown.as_str().to_owned()
}

/// The statements of a site, and questions about its URLs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    why: String,
    #[serde(rename = "source")]
    _source: Option<String>,
    robots: Option<String>,
    headers: Option<String>,
    html: Option<String>,
    tdmrep: Option<String>,
    #[serde(default)]
    rsl: Vec<String>,
    /// The URL from which the documents of `rsl` were fetched.
    rsl_at: Option<String>,
    #[serde(default)]
    rsl_of_page: Vec<String>,
    /// URLs of licenses that cannot be fetched.
    #[serde(default)]
    unavailable: Vec<String>,
    /// The findings: `kind` or `kind LINE`.
    #[serde(default)]
    findings: Vec<String>,
    ask: Vec<Question>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    agent: String,
    url: String,
    vocabulary: Option<String>,
    #[serde(default)]
    user: Vec<String>,
    #[serde(default)]
    place: Vec<String>,
    /// `signal.use` or `signal.interpretation.use` = `stance`, `stance CHANNEL` or `stance CHANNEL PLACE`.
    #[serde(default)]
    expect: BTreeMap<String, String>,
    /// The expectations, in the form of `expect`, for crawlers that no group names.
    #[serde(default)]
    site_default: BTreeMap<String, String>,
    /// `signal.use` = conditions.
    #[serde(default)]
    conditions: BTreeMap<String, Vec<String>>,
    /// URLs of RSL licenses.
    licenses: Option<Vec<String>>,
    site_default_licenses: Option<Vec<String>>,
    /// The line that disallows fetching.
    disallowed_by: Option<u32>,
    /// `use=` of `Content-Signal`, in the interpretation by group.
    consumption: Option<String>,
}

fn files() -> Vec<(PathBuf, File)> {
    let files = testkit::conformance::files("usage").unwrap_or_else(|error| panic!("{error}"));
    assert!(files.len() >= 4, "only {} files of cases", files.len());
    files
}

#[test]
fn every_case_has_the_expected_stances() {
    let (mut wrong, mut checked, mut ids) = (Vec::new(), 0, std::collections::HashSet::new());
    for (path, file) in files() {
        for case in &file.case {
            assert!(ids.insert(case.id.clone()), "{}: {} occurs twice", path.display(), case.id);
            checked += check(case, &mut wrong);
        }
        for case in &file.statement {
            assert!(ids.insert(case.id.clone()), "{}: {} occurs twice", path.display(), case.id);
            checked += check_statement(case, &mut wrong);
        }
        for case in &file.answer {
            assert!(ids.insert(case.id.clone()), "{}: {} occurs twice", path.display(), case.id);
            checked += check_answer(case, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{} of {checked}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked > 300, "only {checked} expectations were found");
}

fn check_statement(case: &StatementCase, wrong: &mut Vec<String>) -> usize {
    let vocabulary = vocabulary(case.vocabulary.as_deref());
    let statement = PreferenceStatement::parse_as(case.value.as_bytes(), vocabulary);
    let expected = [&*case.train, &*case.ai_use, &*case.search];
    let found = [Use::Train, Use::AiInput, Use::Search].map(|usage| statement.stance(usage).as_str());
    if (found, statement.is_dictionary()) != (expected, case.dictionary) {
        wrong.push(format!("{}: got {found:?}, {}; {}", case.id, statement.is_dictionary(), case.why));
    }
    // A header field has the same meaning as a rule without a path.
    let robots = format!("User-agent: *\nContent-Usage: {}\n", case.value);
    let field = case.value.as_bytes();
    let headers: Headers<'_> = [("Content-Usage", field)].into_iter().collect();
    let agent = Agent::unchecked_token("heron");
    let usage = Usage::with_vocabulary(&agent, vocabulary);
    for usage in [usage.clone().robots(&RobotsTxt::parse(&robots)), usage.headers(&headers)] {
        let report = usage.report("/").expect("a path");
        let signal = &report.signals()[0];
        assert_eq!(signal.vocabulary(), Some(vocabulary));
        assert!(signal.specification().starts_with(vocabulary.draft()));
        let stances = [Use::Train, Use::AiInput, Use::Search].map(|usage| signal.stance(usage).as_str());
        if stances != expected {
            wrong.push(format!("{}: the report has {stances:?}; {}", case.id, case.why));
        }
        let in_search =
            [Use::Train, Use::AiInput, Use::Search].map(|usage| signal.stance_in_search(usage).as_str());
        if case.in_search.as_ref().is_some_and(|expected| in_search.join(" ") != *expected) {
            wrong.push(format!("{}: inside search it is {in_search:?}; {}", case.id, case.why));
        }
        let kinds: Vec<_> = report.findings().iter().map(|finding| finding.code()).collect();
        if kinds != case.findings {
            wrong.push(format!("{}: found {kinds:?}; {}", case.id, case.why));
        }
    }
    6
}

/// Checks the table of ignored signals in `docs/reference/standards.md`.
#[test]
fn table_of_ignored_signals_equals_the_code() {
    let rows = Signal::ALL.into_iter().flat_map(|signal| {
        signal.not_in_force().iter().map(move |place| {
            [signal.as_str(), place.at(), place.statement(), place.source(), place.checked()]
                .map(str::to_owned)
        })
    });
    let printed = table(["Signal", "Operator", "Reason", "Source", "Read on"], rows);
    assert_printed("docs/reference/standards.md", &[("not in force", printed)]);
}

#[test]
fn feed_without_licenses_is_rejected() {
    let plain = r#"<rss version="2.0"><channel><item><link>/</link></item></channel></rss>"#;
    let error = LicenseDocument::parse(plain.as_bytes()).expect_err("no license").to_string();
    assert!(error.contains("nor is it a feed with licenses"), "{error}");
    // A license inside a page may be a document, but not a feed.
    let feed = r#"<rss xmlns:r="https://rslstandard.org/rsl"><item><r:content url="/"><r:license/></r:content></item></rss>"#;
    assert!(LicenseDocument::parse(feed.as_bytes()).is_ok());
    let page = format!("<script type=\"application/rsl+xml\">{feed}</script>");
    let facts = html::Facts::read(page.as_bytes());
    let agent = Agent::unchecked_token("heron");
    let report = Usage::for_agent(&agent).html(&facts).report("/").expect("a path");
    assert!(report.findings().iter().any(|finding| finding.code() == "usage-unreadable-license"));
}

#[test]
fn item_of_a_feed_may_contain_a_page_of_any_depth() {
    let deep = format!("{}{}", "<div>".repeat(5_000), "</div>".repeat(5_000));
    let content =
        r#"<r:content url="/"><r:license><r:permits type="usage">search</r:permits></r:license></r:content>"#;
    let feed = format!(
        "<rss xmlns:r=\"https://rslstandard.org/rsl\"><channel><item><x>{deep}</x>{content}</item></channel></rss>"
    );
    let document = LicenseDocument::parse(feed.as_bytes()).expect("a feed");
    assert!(document.is_conformant() && document.findings().is_empty());
}

fn check_answer(case: &AnswerCase, wrong: &mut Vec<String>) -> usize {
    let header = case.headers.as_deref().unwrap_or_default();
    let headers = Headers::parse(header.as_bytes()).expect("a header");
    let body = format!("{}{}", " ".repeat(case.after_bytes), case.body);
    let refusal = Refusal::of_page(case.status, &headers, body.as_bytes());
    let found = refusal.as_ref().map(|refusal| refusal.kind().as_str());
    let challenge = refusal.as_ref().and_then(Refusal::challenge);
    if (found, challenge) != (case.refusal.as_deref(), case.challenge.as_deref()) {
        wrong.push(format!("{}: got {found:?}, {challenge:?}; {}", case.id, case.why));
    }
    1
}

#[test]
fn every_sign_of_a_challenge_has_a_case() {
    let files = files();
    let answers = || files.iter().flat_map(|(_, file)| &file.answer);
    for sign in ChallengeSign::all() {
        let is_case = |case: &AnswerCase| {
            let (said_by, text) = match sign.channel() {
                Channel::HttpHeader => ("", case.headers.as_deref().unwrap_or_default().to_ascii_lowercase()),
                _ => (sign.service(), case.body.clone()),
            };
            let challenge = case.challenge.as_deref();
            challenge.is_some_and(|challenge| challenge.ends_with(said_by))
                && sign.texts().iter().all(|sign| text.contains(sign))
        };
        assert!(answers().any(is_case), "no case has {sign:?}");
    }
}

#[test]
fn table_of_challenge_signs_equals_the_code() {
    let rows = ChallengeSign::all().iter().map(|sign| {
        let texts: Vec<String> = sign.texts().iter().map(|text| format!("`{text}`")).collect();
        let place = match (sign.channel(), sign.counts_with_200()) {
            (Channel::HttpHeader, _) => "header, any status",
            (_, true) => "page, any status",
            (_, false) => "page, any status but 200",
        };
        [sign.service().to_owned(), place.to_owned(), texts.join(" and "), sign.source().to_owned()]
    });
    let printed = table(["Service", "Where", "Sign", "Read at"], rows);
    assert_printed("docs/reference/usage.md", &[("challenges", printed)]);
}

fn vocabulary(name: Option<&str>) -> Vocabulary {
    name.map_or_else(Vocabulary::default, |name| name.parse().unwrap_or_else(|error| panic!("{error}")))
}

fn check(case: &Case, wrong: &mut Vec<String>) -> usize {
    let robots = case.robots.as_deref().map(RobotsTxt::parse);
    let headers = case.headers.as_deref().map(|text| Headers::parse(text.as_bytes()).expect("a header"));
    let facts = case.html.as_deref().map(|text| html::Facts::read(text.as_bytes()));
    let tdmrep = case
        .tdmrep
        .as_deref()
        .map(|text| Tdmrep::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{}: {error}", case.id)));
    let read = |texts: &[String]| -> Vec<LicenseDocument> {
        let read = |text: &String| {
            LicenseDocument::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{}: {error}", case.id))
        };
        texts.iter().map(read).collect()
    };
    let (mut documents, of_page) = (read(&case.rsl), read(&case.rsl_of_page));
    if let Some(at) = &case.rsl_at {
        documents = documents.into_iter().map(|document| document.at(at)).collect();
    }
    let mut checked = 0;
    for (number, ask) in case.ask.iter().enumerate() {
        let agent = Agent::unchecked_token(ask.agent.as_str());
        let mut usage = Usage::with_vocabulary(&agent, vocabulary(ask.vocabulary.as_deref()));
        usage = robots.iter().fold(usage, |usage, robots| usage.robots(robots));
        usage = headers.iter().fold(usage, |usage, headers| usage.headers(headers));
        usage = facts.iter().fold(usage, |usage, facts| usage.html(facts));
        usage = tdmrep.iter().fold(usage, |usage, tdmrep| usage.tdmrep(tdmrep));
        usage = documents.iter().fold(usage, |usage, document| usage.rsl(document));
        usage = of_page.iter().fold(usage, |usage, document| usage.rsl_of_page(document));
        usage = case.unavailable.iter().fold(usage, |usage, url| usage.rsl_unavailable(url.as_str()));
        usage = ask.user.iter().fold(usage, |usage, kind| usage.user(kind));
        usage = ask.place.iter().fold(usage, |usage, code| usage.place(code));
        let report = usage.report(&ask.url).unwrap_or_else(|error| panic!("{}: {error}", case.id));
        let id = format!("{}/{}", case.id, number + 1);
        let mut problems = Vec::new();
        checked += compare(ask, &report, &mut problems);
        wrong.extend(problems.into_iter().map(|problem| format!("{id}: {problem}; {}", case.why)));
        if number == 0 {
            checked += 1;
            let found = findings(&report, &case.findings);
            if found != case.findings {
                wrong.push(format!("{id}: found {found:?}; {}", case.why));
            }
        }
    }
    checked
}

/// Returns the code of each finding, with the line if the expectation at that index contains a line.
fn findings(report: &Report, expected: &[String]) -> Vec<String> {
    let shown = report.findings().iter().enumerate().map(|(index, finding)| match finding.place().line {
        Some(line) if expected.get(index).is_some_and(|text| text.contains(' ')) => {
            format!("{} {line}", finding.code())
        }
        _ => finding.code().to_owned(),
    });
    shown.collect()
}

fn compare(ask: &Question, report: &Report, wrong: &mut Vec<String>) -> usize {
    let mut checked = 0;
    let mut same = |what: &str, expected: &str, got: String| {
        checked += 1;
        if expected != got {
            wrong.push(format!("{what}: expected `{expected}`, got `{got}`"));
        }
    };
    for (key, expected) in &ask.expect {
        let preference = find(report, key, |signal| Some(signal.preferences()));
        same(key, expected, shown(preference.as_ref(), expected));
    }
    for (key, expected) in &ask.site_default {
        let preference = find(report, key, SignalReport::site_default);
        same(&format!("site default of {key}"), expected, shown(preference.as_ref(), expected));
    }
    for (key, expected) in &ask.conditions {
        let preference = find(report, key, |signal| Some(signal.preferences()));
        let got = preference.map(|preference| preference.conditions().join(" | ")).unwrap_or_default();
        same(&format!("conditions of {key}"), &expected.join(" | "), got);
    }
    let rsl = report.signals().iter().find(|signal| signal.signal().as_str() == "rsl");
    let urls = |licenses: &[comity::usage::LicenseLink]| {
        licenses.iter().map(comity::usage::LicenseLink::url).collect::<Vec<_>>().join(" ")
    };
    if let Some(expected) = &ask.licenses {
        same("licenses", &expected.join(" "), rsl.map(|rsl| urls(rsl.licenses())).unwrap_or_default());
    }
    if let Some(expected) = &ask.site_default_licenses {
        let got = rsl.map(|rsl| urls(rsl.site_default_licenses())).unwrap_or_default();
        same("licenses by default", &expected.join(" "), got);
    }
    if let Some(expected) = ask.disallowed_by {
        let line = report.signals()[0].disallowed_by().and_then(Citation::line_number);
        same("disallowed by", &expected.to_string(), line.map(|line| line.to_string()).unwrap_or_default());
    }
    if let Some(expected) = &ask.consumption {
        let signal =
            report.signals().iter().find(|signal| signal.interpretation() == Some(Interpretation::Group));
        let got = signal.and_then(SignalReport::consumption).map(|use_| use_.as_str()).unwrap_or_default();
        same("consumption", expected, got.to_owned());
    }
    assert!(checked > 0, "a question without expectations");
    checked
}

/// Returns the preference that a key names: `signal.use`, or `signal.interpretation.use`.
fn find<'r>(
    report: &'r Report,
    key: &str,
    of: impl Fn(&'r SignalReport) -> Option<&'r [Preference]>,
) -> Option<&'r Preference> {
    let words: Vec<&str> = key.split('.').collect();
    let (signal, reading, usage) = match words.as_slice() {
        [signal, usage] => (*signal, None, *usage),
        [signal, reading, usage] => (*signal, Some(*reading), *usage),
        _ => panic!("{key}: write `signal.use` or `signal.interpretation.use`"),
    };
    assert!(Use::ALL.iter().any(|known| known.as_str() == usage), "{key}: there is no such use");
    assert!(Signal::ALL.iter().any(|known| known.as_str() == signal), "{key}: there is no such signal");
    let report = report.signals().iter().find(|report| {
        report.signal().as_str() == signal && report.interpretation().map(Interpretation::as_str) == reading
    })?;
    of(report)?.iter().find(|preference| preference.usage().as_str() == usage)
}

/// Returns a preference in the form of an expectation, with the parts that the expectation contains.
fn shown(preference: Option<&&Preference>, expected: &str) -> String {
    let Some(preference) = preference else { return "absent".to_owned() };
    let mut words = vec![preference.stance().to_string()];
    if expected.contains(' ') {
        let place = |evidence: &Citation| {
            let place = evidence.line_number().map(|line| line as usize).or(evidence.index_in_list());
            format!("{} {}", evidence.channel(), place.map(|place| place.to_string()).unwrap_or_default())
        };
        words.extend(preference.evidence().iter().map(place));
    }
    words.join(" ")
}

/// Generates text from parts of statements and signals.
fn pieces() -> impl Strategy<Value = String> {
    let words = [
        "train-ai",
        "search",
        "ai-train",
        "ai-input",
        "use",
        "ai",
        "=",
        "=",
        "y",
        "n",
        "yes",
        "no",
        "reference",
        ",",
        ", ",
        ";",
        " ",
        "\t",
        "\"",
        "(",
        ")",
        "?1",
        "?5",
        "@",
        "-",
        ".",
        "1234567890123",
        "\\",
        "%\"",
        "%c3%a9",
        "=n",
        "=(",
        "=\"",
        ":YQ==:",
        "=:",
        "A",
        "*",
        "/path",
        "1",
        ":",
        "#",
        "%",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..9).prop_map(|pieces| pieces.concat())
}

/// Returns true if lint reports a term or the syntax of a line after `User-agent: *`.
fn lint_reports(line: &str) -> bool {
    let text = format!("User-agent: *\n{line}\n");
    let about_words = ["content-usage-syntax", "content-usage-term", "content-signal-term"];
    lint::lint(text.as_bytes()).iter().any(|finding| about_words.contains(&finding.code()))
}

fn report_has_findings(line: &str) -> bool {
    let text = format!("User-agent: *\n{line}\n");
    let agent = Agent::unchecked_token("heron");
    let report = Usage::for_agent(&agent).robots(&RobotsTxt::parse(&text)).report("/").expect("a path");
    // Lint checks each signal of a line separately.
    report.findings().iter().any(|finding| finding.code() != "usage-conflicting-signals")
}

proptest! {
    /// If the report ignores a line because of a mistake, lint must report the mistake, and vice versa.
    #[test]
    fn lint_and_report_agree_on_mistakes(value in pieces()) {
        for key in ["Content-Usage", "Content-Signal"] {
            let line = format!("{key}: {value}");
            prop_assert_eq!(lint_reports(&line), report_has_findings(&line), "{}", line);
        }
    }

    #[test]
    fn any_sources_are_evaluated(
        robots in prop::collection::vec(any::<u8>(), 0..200),
        header in pieces(),
        html in ".{0,100}",
        tdmrep in ".{0,60}",
        rsl in ".{0,60}",
        url in "/.{0,20}",
    ) {
        let agent = Agent::unchecked_token("heron");
        let headers: Headers<'_> =
            ["Content-Usage", "Content-Signal", "Link", "TDM-Reservation"].into_iter().map(|name| (name, header.as_str())).collect();
        let facts = html::Facts::read(html.as_bytes());
        let tdmrep = Tdmrep::parse(tdmrep.as_bytes()).ok();
        let documents: Vec<_> = LicenseDocument::parse(rsl.as_bytes()).into_iter().collect();
        let mut usage = Usage::for_agent(&agent).robots(&RobotsTxt::parse(&robots)).headers(&headers).html(&facts);
        usage = tdmrep.iter().fold(usage, |usage, tdmrep| usage.tdmrep(tdmrep));
        usage = documents.iter().fold(usage, |usage, document| usage.rsl(document));
        let report = usage.report(&url).expect("a path");
        for preference in report.signals().iter().flat_map(SignalReport::preferences) {
            // Every stance except *unknown* has evidence.
            prop_assert!(preference.stance() == Stance::Unknown || !preference.evidence().is_empty());
        }
    }
}

#[test]
fn report_in_json_equals_the_documentation() {
    let robots = RobotsTxt::parse("User-agent: *\nContent-Signal: ai-train=no, use=reference\n");
    let agent = Agent::unchecked_token("heron");
    let report = Usage::for_agent(&agent).robots(&robots).report("/nest").expect("a path");
    let json = serde_json::to_value(&report).expect("JSON");
    assert_eq!(json["summary"][0]["use"], "train");
    assert_eq!(
        json["summary"][0]["stances"][1],
        serde_json::json!({
            "signal": "content_signal", "interpretation": "group", "stance": "disallow"
        })
    );
    let signal = &json["signals"][1];
    assert_eq!(signal["specification"], "contentsignals.org, as published by Cloudflare in 2025 and 2026");
    assert_eq!(signal["consumption"], "reference");
    assert_eq!(
        signal["preferences"][0],
        serde_json::json!({
            "use": "train",
            "term": "ai-train",
            "stance": "disallow",
            "evidence": [{
                "channel": "robots_txt", "line": 2, "text": "Content-Signal: ai-train=no, use=reference"
            }]
        })
    );
    assert_eq!(
        json["signals"][0]["specification"],
        "draft-ietf-aipref-vocab-08, draft-ietf-aipref-attach-05"
    );
}

/// For hostile input, time is linear in the size. With quadratic time this would take minutes.
#[test]
fn large_input_is_read_in_linear_time() {
    let rules: String = (0..20_000).map(|i| format!("Content-Usage: /{i}* train-ai=n\n")).collect();
    let robots = RobotsTxt::parse(&format!("User-agent: *\n{rules}")).into_owned();
    let agent = Agent::unchecked_token("heron");
    let usage = Usage::for_agent(&agent).robots(&robots);
    assert_eq!(usage.report("/9999/a").expect("a path").signals()[0].stance(Use::Train), Stance::Disallow);

    let attributes: String = (0..20_000).map(|i| format!(" a{i}='x'")).collect();
    let contents = "<content url='/x*y*z'><license/></content>".repeat(10_000);
    let text = format!("<rsl xmlns='https://rslstandard.org/rsl'{attributes}>{contents}</rsl>");
    let document = LicenseDocument::parse(text.as_bytes()).expect("a document");
    let report = Usage::for_agent(&agent).rsl(&document).report("/x").expect("a path");
    assert_eq!(report.signals()[0].stance(Use::Train), Stance::Unknown);

    let rules = r#"{"location":"/a*b","tdm-reservation":1},"#.repeat(9_999);
    let tdmrep = Tdmrep::parse(format!("[{}{{}}]", rules).as_bytes()).expect("rules");
    assert_eq!(tdmrep.len(), 10_000);
}

/// Checks the tables of `docs/reference/usage.md`; `UPDATE_DOCS=1` rewrites them.
#[test]
fn tables_of_the_documentation_equal_the_code() {
    let code = |word: &dyn Display| format!("`{word}`");
    let uses = Use::ALL.map(|usage| {
        let term = |signal: Signal| {
            let term = signal.terms().iter().find(|(known, _)| *known == usage);
            term.map_or_else(String::new, |(_, term)| code(term))
        };
        let [usage_field, signal, rsl, tdmrep, _, directives] = Signal::ALL.map(term);
        [code(&usage), usage_field, signal, rsl, tdmrep, directives]
    });
    let tokens = ControlToken::all().iter().map(|token| {
        let uses: Vec<_> = token.uses().iter().map(|(usage, term)| format!("`{usage}`: {term}")).collect();
        [code(&token.token()), token.operator().to_owned(), token.fetched_as().to_owned(), uses.join("; ")]
    });
    let signals = Signal::ALL.map(|signal| [code(&signal), signal.specification().to_owned()]);
    assert_printed(
        "docs/reference/usage.md",
        &[
            ("specifications", table(["signal in JSON", "specification"], signals)),
            (
                "uses",
                table(["use", "Content-Usage", "Content-Signal", "RSL", "TDMRep", "page directives"], uses),
            ),
            ("control tokens", table(["token", "operator", "fetched as", "controlled uses"], tokens)),
            ("findings", kinds_table(Reader::Usage.kinds(), "docs/reference/")),
        ],
    );
}

/// Every kind of finding occurs in a case.
#[test]
fn every_kind_of_finding_occurs_in_the_cases() {
    let mut found: Vec<String> = files()
        .iter()
        .flat_map(|(_, file)| {
            let of_cases = file.case.iter().flat_map(|case| case.findings.clone());
            of_cases.chain(file.statement.iter().flat_map(|case| case.findings.clone()))
        })
        .map(|finding| finding.split(' ').next().unwrap_or_default().to_owned())
        .collect();
    found.sort();
    found.dedup();
    let mut all: Vec<&str> = Reader::Usage.kinds().iter().map(|kind| kind.code()).collect();
    all.sort_unstable();
    assert_eq!(found, all);
}
