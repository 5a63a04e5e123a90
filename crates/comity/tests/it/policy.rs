//! The cases in `conformance/policy/`: every kind of answer under every preset, the modes, freshness, outages.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, SystemTime};

use comity::http::Headers;
use comity::policy::{
    Answer, AnswerKind, Decision, Failure, Mode, Policy, Preset, Reading, Treatment, Verdict,
};
use comity::robots::Agent;
use proptest::prelude::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use testkit::conformance::Hex;

/// Returns Sun, 01 Nov 2026 12:00:00 GMT, the start time in all files.
fn start() -> SystemTime {
    httpdate::parse_http_date("Sun, 01 Nov 2026 12:00:00 GMT").expect("a date")
}

fn agent() -> Agent {
    Agent::unchecked_token("heron")
}

fn load<T: DeserializeOwned>(name: &str) -> T {
    testkit::conformance::file(&format!("policy/{name}")).unwrap_or_else(|error| panic!("{error}"))
}

/// Parses `{ "rfc9309 google" = … }`: no preset may occur twice, and every name must be known.
fn by_preset<'t, T>(id: &str, table: &'t BTreeMap<String, T>) -> BTreeMap<Preset, &'t T> {
    let mut found = BTreeMap::new();
    for (names, value) in table {
        for name in names.split_whitespace() {
            let preset: Preset = name.parse().unwrap_or_else(|error| panic!("{id}: {error}"));
            assert!(found.insert(preset, value).is_none(), "{id}: {preset} is listed twice");
        }
    }
    assert!(!found.is_empty(), "{id} has no expectation");
    found
}

/// The answer of a case.
struct AnswerTable {
    status: Option<u16>,
    error: Option<String>,
    headers: Option<String>,
    body: Option<String>,
    body_hex: Option<Hex>,
    body_pieces: Vec<Piece>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Piece {
    text: String,
    #[serde(default = "once")]
    times: usize,
}

fn once() -> usize {
    1
}

impl AnswerTable {
    fn body(&self) -> Vec<u8> {
        let mut body = self.body.clone().unwrap_or_default().into_bytes();
        body.extend(self.body_hex.iter().flat_map(|hex| &hex.0));
        for piece in &self.body_pieces {
            body.extend(piece.text.repeat(piece.times).bytes());
        }
        body
    }

    /// Reads the answer with its body and header, received at `at`.
    fn read(&self, preset: Preset, at: SystemTime, default_body: &str) -> Policy {
        self.with_reading(preset, at, default_body, |reading| Policy::new(reading, &agent()))
    }

    fn with_reading<T>(
        &self,
        preset: Preset,
        at: SystemTime,
        default_body: &str,
        use_it: impl FnOnce(&Reading<'_>) -> T,
    ) -> T {
        let body = self.body();
        let body = if body.is_empty() { default_body.as_bytes() } else { &body };
        let is_given = self.body.is_some() || self.body_hex.is_some() || !body.is_empty();
        let headers =
            Headers::parse(self.headers.as_deref().unwrap_or_default().as_bytes()).expect("a header");
        let answer = match (self.status, &self.error) {
            (Some(status), None) => Answer::status(status, at),
            (None, Some(error)) => {
                let failure: Failure = error.parse().unwrap_or_else(|error| panic!("{error}"));
                Answer::failure(failure, at)
            }
            (None, None) => Answer::status(200, at),
            (Some(_), Some(_)) => panic!("a status and an error"),
        };
        let answer = answer.with_headers(&headers);
        use_it(&preset.read(&if is_given { answer.with_body(body) } else { answer }))
    }
}

/// Returns a decision in the form that the files use: availability, treatment, verdict, recommendation.
fn shown(decision: &Decision<'_>) -> String {
    let evidence = decision.evidence().expect("an answer");
    let treatment = decision.treatment().expect("a mode that reads robots.txt");
    let (verdict, recommendation) = (decision.verdict(), decision.recommendation());
    format!("{} {treatment} {verdict} {recommendation}", evidence.availability())
}

// --- presets.toml

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PresetFile {
    case: Vec<PresetCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PresetCase {
    id: String,
    why: String,
    #[serde(default)]
    #[expect(dead_code, reason = "for readers of the file")]
    source: Option<String>,
    status: Option<u16>,
    #[serde(default)]
    statuses: Vec<u16>,
    #[serde(default)]
    errors: Vec<String>,
    headers: Option<String>,
    body: Option<String>,
    body_hex: Option<Hex>,
    #[serde(default)]
    body_pieces: Vec<Piece>,
    #[serde(default = "nest")]
    url: String,
    kind: Option<Kind>,
    expect: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Kind {
    Same(String),
    ByPreset(BTreeMap<String, String>),
}

fn nest() -> String {
    "/nest".to_owned()
}

impl PresetCase {
    /// Returns the answers of the case.
    fn answers(self) -> (Vec<AnswerTable>, PresetParts) {
        let response = |status, error| AnswerTable {
            status,
            error,
            headers: self.headers.clone(),
            body: self.body.clone(),
            body_hex: self.body_hex.clone(),
            body_pieces: self.body_pieces.clone(),
        };
        let statuses = self
            .status
            .into_iter()
            .chain(self.statuses.iter().copied())
            .map(|code| response(Some(code), None));
        let errors = self.errors.iter().map(|error| response(None, Some(error.clone())));
        let answers = statuses.chain(errors).collect();
        (answers, PresetParts { id: self.id, url: self.url, kind: self.kind, expect: self.expect })
    }
}

struct PresetParts {
    id: String,
    url: String,
    kind: Option<Kind>,
    expect: BTreeMap<String, String>,
}

#[test]
fn answer_of_each_kind_has_the_treatment_of_each_preset() {
    let mut covered = std::collections::BTreeSet::new();
    for case in load::<PresetFile>("presets.toml").case {
        assert!(!case.why.is_empty(), "{} has no reason", case.id);
        let (answers, case) = case.answers();
        assert!(!answers.is_empty(), "{} has no answer", case.id);
        for response in &answers {
            for (preset, expected) in by_preset(&case.id, &case.expect) {
                let policy = response.read(preset, start(), "");
                let decision = policy.decide(&case.url, start()).expect("a URL");
                let place =
                    format!("{} under {preset} ({:?} {:?})", case.id, response.status, response.error);
                assert_eq!(&shown(&decision), expected, "{place}");
                assert_eq!(decision.failed_open(), expected.contains("fail_open"), "{place}");
                let is_blocked = ["not_recommended", "unknown_do_not_fetch_by_default"];
                assert_eq!(
                    decision.blocks(),
                    is_blocked.iter().any(|word| expected.ends_with(&format!(" {word}"))),
                    "{place}"
                );
                let kind = policy.evidence().expect("an answer").kind();
                let kinds = match &case.kind {
                    Some(Kind::Same(name)) => Some(name),
                    Some(Kind::ByPreset(names)) => by_preset(&case.id, names).get(&preset).copied(),
                    None => response.error.as_ref(),
                };
                assert_eq!(Some(kind.as_str()), kinds.map(String::as_str), "{place}");
                covered.insert((preset, kind));
            }
        }
    }
    for preset in Preset::ALL {
        for kind in AnswerKind::ALL {
            // Ladon reads bodies without a limit.
            let never = preset == Preset::Ladon && kind == AnswerKind::LongBody;
            assert!(never || covered.contains(&(preset, kind)), "{preset} has no case of {kind}");
        }
    }
}

// --- modes.toml

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModeFile {
    case: Vec<ModeCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModeCase {
    id: String,
    why: String,
    source: String,
    status: Option<u16>,
    error: Option<String>,
    body: Option<String>,
    presets: Vec<String>,
    respect: String,
    report_only: String,
    ignore: String,
}

#[test]
fn decision_in_each_mode_equals_the_table() {
    for case in load::<ModeFile>("modes.toml").case {
        assert!(!case.why.is_empty() && !case.source.is_empty(), "{} has no reason", case.id);
        let response = AnswerTable {
            status: case.status,
            error: case.error.clone(),
            headers: None,
            body: case.body.clone(),
            body_hex: None,
            body_pieces: Vec::new(),
        };
        for name in &case.presets {
            let preset: Preset = name.parse().expect("a preset");
            for mode in Mode::ALL {
                let expected = match mode {
                    Mode::Respect => &case.respect,
                    Mode::ReportOnly => &case.report_only,
                    _ => &case.ignore,
                };
                let policy = response.read(preset, start(), "").with_mode(mode);
                let decision = policy.decide("/nest", start()).expect("a URL");
                let blocks = if decision.blocks() { "blocks" } else { "passes" };
                let answer = format!("{} {} {blocks}", decision.verdict(), decision.recommendation());
                assert_eq!(&answer, expected, "{} under {preset} in mode {mode}", case.id);
                assert_eq!(decision.mode(), mode);
            }
        }
    }
}

// --- freshness.toml

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FreshFile {
    case: Vec<FreshCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FreshCase {
    id: String,
    why: String,
    #[serde(default)]
    #[expect(dead_code, reason = "for readers of the file")]
    source: Option<String>,
    status: Option<u16>,
    error: Option<String>,
    headers: Option<String>,
    body: Option<String>,
    expect: BTreeMap<String, Span>,
    #[serde(default)]
    stale: BTreeMap<String, Span>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Span {
    Seconds(u64),
    Word(String),
}

impl Span {
    /// Returns the end of the span, which begins at [`start`]. Returns `None` for `session` and `any`.
    fn end(&self) -> Option<SystemTime> {
        match self {
            Span::Seconds(seconds) => Some(start() + Duration::from_secs(*seconds)),
            Span::Word(word) => {
                assert!(["session", "any"].contains(&word.as_str()), "{word}");
                None
            }
        }
    }
}

#[test]
fn lifetime_of_an_answer_follows_header_and_preset() {
    for case in load::<FreshFile>("freshness.toml").case {
        assert!(!case.why.is_empty(), "{} has no reason", case.id);
        let response = AnswerTable {
            status: case.status,
            error: case.error,
            headers: case.headers,
            body: case.body,
            body_hex: None,
            body_pieces: Vec::new(),
        };
        for (preset, expected) in by_preset(&case.id, &case.expect) {
            let policy = response.read(preset, start(), "User-agent: *\nDisallow: /nest\n");
            let fresh_until = policy.evidence().expect("an answer").fresh_until();
            assert_eq!(fresh_until, expected.end(), "{} under {preset}", case.id);
            if let Some(until) = fresh_until {
                assert!(!policy.is_fresh(until), "{} under {preset}", case.id);
                assert!(until == start() || policy.is_fresh(until - Duration::from_secs(1)), "{}", case.id);
            }
        }
        if !case.stale.is_empty() {
            for (preset, expected) in by_preset(&case.id, &case.stale) {
                let policy = response.read(preset, start(), "User-agent: *\nDisallow: /nest\n");
                let stale_until = policy.evidence().expect("an answer").stale_until();
                assert_eq!(stale_until, expected.end(), "{} under {preset}", case.id);
            }
        }
    }
}

// --- outages.toml

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OutageFile {
    story: Vec<Story>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Story {
    id: String,
    why: String,
    #[serde(default)]
    #[expect(dead_code, reason = "for readers of the file")]
    source: Option<String>,
    preset: String,
    events: Vec<Event>,
    ask: Vec<Question>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Event {
    at: String,
    status: Option<u16>,
    error: Option<String>,
    headers: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    at: String,
    /// Number of events that have happened; all of them if omitted.
    before: Option<usize>,
    site_is_reachable: Option<bool>,
    url: String,
    expect: String,
}

/// Returns the time that is `90m`, `13h` or `31d` after [`start`].
fn time(text: &str) -> SystemTime {
    let (number, unit) = text.split_at(text.len() - 1);
    let unit = match unit {
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => panic!("{text}: a number and m, h or d"),
    };
    start() + Duration::from_secs(number.parse::<u64>().expect("a number") * unit)
}

#[test]
fn treatment_during_an_outage_follows_the_preset() {
    for story in load::<OutageFile>("outages.toml").story {
        assert!(!story.why.is_empty() && !story.ask.is_empty(), "{} has no reason or no question", story.id);
        let preset: Preset = story.preset.parse().expect("a preset");
        for question in &story.ask {
            let events = &story.events[..question.before.unwrap_or(story.events.len())];
            let mut policy = replay(preset, events);
            if let Some(reachable) = question.site_is_reachable {
                policy.set_site_is_reachable(reachable);
            }
            let now = time(&question.at);
            let decision = policy.decide(&question.url, now).expect("a URL");
            let treatment = decision.treatment().expect("a mode that reads robots.txt");
            let mut answer = format!("{treatment} {} {}", decision.verdict(), decision.recommendation());
            if decision.is_stale() {
                answer.push_str(" stale");
            }
            assert_eq!(answer, question.expect, "{} at {} about {}", story.id, question.at, question.url);
            assert_eq!(decision.failed_open(), treatment == Treatment::FailOpen, "{}", story.id);
        }
    }
}

fn replay(preset: Preset, events: &[Event]) -> Policy {
    let mut policy: Option<Policy> = None;
    for event in events {
        let response = AnswerTable {
            status: event.status,
            error: event.error.clone(),
            headers: event.headers.clone(),
            body: None,
            body_hex: None,
            body_pieces: Vec::new(),
        };
        let body = "User-agent: *\nDisallow: /nest\n";
        response.with_reading(preset, time(&event.at), body, |reading| match &mut policy {
            Some(policy) => policy.update(reading, &agent()),
            None => policy = Some(Policy::new(reading, &agent())),
        });
    }
    policy.expect("a story begins with an answer")
}

// --- properties of every answer

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_answer_is_read_with_times_in_order(
        replies in proptest::collection::vec((any::<u16>(), "\\PC{0,40}", "[a-z:,=\"\\\\ 0-9-]{0,60}", any::<u32>()), 1..4),
        start in any::<u64>(),
        wait in any::<u32>(),
        url in "\\PC{0,12}",
    ) {
        for preset in Preset::ALL {
            let mut policy = Policy::without_answer(preset);
            let mut now = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(start));
            for (code, body, value, later) in &replies {
                let fields = ["Cache-Control", "Expires", "Age", "Date", "Retry-After", "Content-Type"];
                let headers: Headers = fields.into_iter().map(|name| (name, value)).collect();
                now = now.and_then(|now| now.checked_add(Duration::from_secs((*later).into())));
                let Some(at) = now else { return Ok(()) };
                let answer = Answer::status(code % 700, at).with_headers(&headers).with_body(body);
                let reading = preset.read(&answer);
                let (fresh, stale) = (reading.evidence().fresh_until(), reading.evidence().stale_until());
                prop_assert!(fresh.is_none_or(|fresh| fresh >= at));
                prop_assert!(stale.is_none_or(|stale| fresh.is_some_and(|fresh| stale >= fresh)));
                policy.update(&reading, &agent());
            }
            let now = now.and_then(|now| now.checked_add(Duration::from_secs(wait.into())));
            let Some(Ok(decision)) = now.map(|now| policy.decide(&url, now)) else { return Ok(()) };
            prop_assert!(!decision.failed_open() || (preset.can_fail_open() && !decision.blocks()));
        }
    }
}

#[test]
fn answer_at_an_extreme_time_is_read() {
    let long_ago = SystemTime::UNIX_EPOCH - Duration::from_secs(1 << 40);
    let policy = Policy::new(&Preset::Rfc9309.read(&Answer::status(200, long_ago).with_body("")), &agent());
    assert!(!policy.decide("/", start()).expect("a URL").blocks());
    let mut last = SystemTime::UNIX_EPOCH;
    for step in (0..63).rev() {
        last = last.checked_add(Duration::from_secs(1 << step)).unwrap_or(last);
    }
    let reading = Preset::Rfc9309.read(&Answer::status(503, last));
    assert_eq!(reading.evidence().fresh_until(), None, "there is no such time");
    assert!(Policy::new(&reading, &agent()).decide("/", last).expect("a URL").blocks());
}

/// If the clock was wrong or was set back, the age of a stored answer is unknown.
#[test]
fn answer_from_the_future_is_not_fresh() {
    for preset in Preset::ALL {
        let at = |seconds: i64| match u64::try_from(seconds) {
            Ok(seconds) => start() + Duration::from_secs(seconds),
            Err(_) => start() - Duration::from_secs(seconds.unsigned_abs()),
        };
        let answer = Answer::status(200, start()).with_body("User-agent: *\nDisallow: /nest\n");
        let mut policy = Policy::new(&preset.read(&answer), &agent());
        // Clocks of a fleet differ by seconds, not by hours.
        for (now, is_fresh) in [(1, true), (-5, true), (-60, true), (-61, false), (-3_600, false)] {
            assert_eq!(policy.is_fresh(at(now)), is_fresh, "{preset} at {now}");
        }
        // A copy is used only if its date is plausible.
        if matches!(preset, Preset::Rfc9309 | Preset::Google | Preset::Strict) {
            policy.update(&preset.read(&Answer::failure(Failure::Timeout, at(-3_600))), &agent());
            let treatment = |hours: i64| policy.treatment(at(hours * 3_600));
            assert_eq!(treatment(13), Treatment::LastGood, "{preset}: the copy is 13 hours old");
            assert_ne!(treatment(-24 * 365), Treatment::LastGood, "{preset}: from a year ahead");
        }
    }
}

#[test]
fn policy_has_a_small_size() {
    assert!(size_of::<Policy>() <= 112, "{}", size_of::<Policy>());
}

#[test]
fn answer_under_another_preset_resets_the_policy() {
    let reading =
        Preset::Rfc9309.read(&Answer::status(200, start()).with_body("User-agent: *\nDisallow: /nest\n"));
    let mut policy = Policy::new(&reading, &agent());
    policy.update(&Preset::Google.read(&Answer::status(503, start())), &agent());
    assert_eq!(policy.preset(), Preset::Google);
    assert!(policy.outage().is_some_and(|outage| !outage.has_copy()));
}

#[test]
fn evidence_contains_the_details_of_the_caller() {
    let hops = (0..40).map(|hop| format!("https://example.com/{hop}"));
    let answer =
        Answer::status(200, start()).with_body("# x").with_redirects(hops).with_digest("sha-256=:x:");
    let reading = Preset::Rfc9309.read(&answer);
    let evidence = reading.evidence();
    assert_eq!(evidence.redirects().len(), comity::policy::MAX_REDIRECTS);
    assert_eq!(evidence.redirects()[0], "https://example.com/0");
    assert_eq!(
        (evidence.digest(), evidence.body_bytes(), evidence.status()),
        (Some("sha-256=:x:"), 3, Some(200))
    );
}

#[test]
fn delay_is_that_of_the_deciding_rules() {
    let body = "User-agent: *\nCrawl-delay: 7\n";
    let mut policy =
        Policy::new(&Preset::Rfc9309.read(&Answer::status(200, start()).with_body(body)), &agent());
    let delay = |policy: &Policy, now| policy.rules(now).and_then(|rules| rules.crawl_delay());
    assert_eq!(delay(&policy, start()), Some(Duration::from_secs(7)));
    let later = time("1d");
    policy.update(&Preset::Rfc9309.read(&Answer::failure(Failure::Timeout, later)), &agent());
    assert_eq!(delay(&policy, later), Some(Duration::from_secs(7)), "the delay of the copy");
    assert_eq!(delay(&policy, time("31d")), None);
}

#[cfg(feature = "serde")]
#[test]
fn name_in_json_equals_the_name() {
    fn check<T: serde::Serialize + Copy>(all: &[T], name: fn(T) -> &'static str) {
        for item in all {
            assert_eq!(serde_json::to_value(item).expect("JSON"), name(*item));
        }
    }
    check(&AnswerKind::ALL, AnswerKind::as_str);
    check(&Preset::ALL, Preset::name);
    check(&Mode::ALL, Mode::as_str);
    check(&Failure::ALL, Failure::as_str);
    for kind in AnswerKind::ALL {
        for entry in Preset::ALL.map(|preset| preset.entry(kind)) {
            check(&[entry.treatment()], Treatment::as_str);
            check(&[entry.availability()], comity::policy::Availability::as_str);
        }
    }
}

/// Returns answers without a readable robots.txt. The flag is true if the program that defines a preset may classify
/// the answer differently.
fn unreadable_answers() -> Vec<(String, Answer<'static>, bool)> {
    const PUZZLE: &str = "<!doctype html><script id=\"anubis_challenge\" type=\"application/json\">";
    let status = |code| Answer::status(code, start());
    let mut answers: Vec<_> = [200, 201, 202, 203, 206, 226, 299]
        .map(|code| (format!("{code} without a body"), status(code), false))
        .into();
    for code in [300, 301, 302, 303, 304, 305, 307, 308, 399] {
        for body in ["", "moved", "<!doctype html>", "User-agent: *\nAllow: /\n"] {
            answers.push((format!("{code} with `{body}`"), status(code).with_body(body), false));
        }
        answers.push((format!("{code} without a body"), status(code), false));
    }
    for failure in Failure::ALL.into_iter().filter(|failure| *failure != Failure::Redirects) {
        answers.push((failure.to_string(), Answer::failure(failure, start()), false));
    }
    for code in [500, 503, 599, 0, 99, 600, 999] {
        answers.push((code.to_string(), status(code).with_body(""), false));
    }
    for code in [200, 202] {
        answers.push((format!("{code} with a challenge"), status(code).with_body(PUZZLE), true));
    }
    answers
}

#[test]
fn unreadable_answer_allows_only_if_the_preset_fails_open() {
    for (name, answer, depends_on_the_program) in unreadable_answers() {
        for preset in Preset::ALL {
            let follows_its_program = [Preset::Google, Preset::Webcanon, Preset::Gym2008].contains(&preset);
            if depends_on_the_program && follows_its_program {
                continue;
            }
            let policy = Policy::new(&preset.read(&answer), &agent());
            let decision = policy.decide("/nest", start()).expect("a URL");
            let place = format!("{name} under {preset}: {}", decision.to_record());
            assert_eq!(decision.verdict(), Verdict::UnknownUnreachable, "{place}");
            assert_eq!(decision.blocks(), !decision.failed_open(), "{place}");
            assert!(decision.blocks() || preset.can_fail_open(), "{place}");
        }
    }
}

#[test]
fn answer_without_content_is_an_empty_file() {
    let header = |fields: &'static [(&str, &str)]| -> Headers<'static> { fields.iter().copied().collect() };
    let empty = header(&[("Content-Length", "0")]);
    let chunked = header(&[("Content-Length", "0"), ("Transfer-Encoding", "chunked")]);
    let long = header(&[("Content-Length", "20")]);
    let status = |code| Answer::status(code, start());
    let kind = |answer: Answer<'_>| Preset::Rfc9309.read(&answer).evidence().kind();
    assert_eq!(kind(status(200).with_body("")), AnswerKind::Success);
    assert_eq!(kind(status(204)), AnswerKind::Success);
    assert_eq!(kind(status(200).with_headers(&empty)), AnswerKind::Success);
    assert_eq!(kind(status(200).with_headers(&chunked)), AnswerKind::MissingBody);
    assert_eq!(kind(status(200).with_headers(&long)), AnswerKind::MissingBody);
    // A body that was read takes precedence over the header.
    let policy = Policy::new(
        &Preset::Rfc9309.read(&status(200).with_headers(&empty).with_body("User-agent: *\nDisallow: /\n")),
        &agent(),
    );
    assert!(policy.decide("/nest", start()).expect("a URL").blocks());
}

#[test]
fn copy_is_used_after_an_answer_with_unknown_content() {
    let good = Answer::status(200, start()).with_body("User-agent: *\nDisallow: /nest\n");
    let later = start() + Duration::from_secs(2 * 86_400);
    for answer in [Answer::status(200, later), Answer::status(301, later).with_body("")] {
        let mut policy = Policy::new(&Preset::Rfc9309.read(&good), &agent());
        policy.update(&Preset::Rfc9309.read(&answer), &agent());
        let decide = |url| policy.decide(url, later).expect("a URL").verdict();
        assert_eq!(decide("/nest"), Verdict::DisallowedExplicit);
        assert_eq!(decide("/marsh"), Verdict::AllowedImplicit);
    }
}

#[test]
fn utf8_body_is_read_as_utf8_under_every_preset_and_charset() {
    let text = "User-agent: *\nDisallow: /é\nDisallow: /日本\n";
    let charsets = [None, Some("iso-8859-1"), Some("utf-16"), Some("shift_jis"), Some("no-such-charset")];
    for preset in Preset::ALL {
        for charset in charsets {
            let value = format!("text/plain; charset={}", charset.unwrap_or_default());
            let headers: Headers = charset.iter().map(|_| ("Content-Type", value.as_str())).collect();
            let answer = Answer::status(200, start()).with_headers(&headers).with_body(text);
            let utf8: Headers = [("Content-Type", "text/plain; charset=utf-8")].into_iter().collect();
            let declared = Answer::status(200, start()).with_headers(&utf8).with_body(text.as_bytes());
            let verdict = |answer: &Answer<'_>, url: &str| {
                let policy = Policy::new(&preset.read(answer), &agent());
                policy.decide(url, start()).expect("a URL").verdict()
            };
            for url in ["/é", "/%C3%A9", "/日本", "/Ã©"] {
                assert_eq!(verdict(&answer, url), verdict(&declared, url), "{preset} {charset:?} {url}");
            }
            assert_eq!(verdict(&answer, "/%C3%A9"), Verdict::DisallowedExplicit, "{preset} {charset:?}");
        }
    }
}

#[test]
fn robots_txt_that_mentions_a_challenge_is_read() {
    let headers: Headers =
        [("cf-mitigated", "challenge"), ("Content-Type", "text/html")].into_iter().collect();
    let text = "# <script id=\"anubis_challenge\">\nUser-agent: *\nDisallow: /hcdn-cgi/jschallenge\n";
    for preset in Preset::ALL {
        let reading = preset.read(&Answer::status(200, start()).with_headers(&headers).with_body(text));
        assert_eq!(reading.evidence().kind(), AnswerKind::Success, "{preset}");
        assert_eq!(reading.evidence().challenge(), None, "{preset}");
    }
}

/// Reads real bodies with status 200. A rejected body contains no record. An accepted body that starts with a tag
/// contains a record.
#[test]
fn real_body_that_is_not_a_robots_txt_is_recognized() {
    let Some(data) = testkit::data::shared_data() else { return };
    let mut found: BTreeMap<AnswerKind, usize> = BTreeMap::new();
    for number in 0..7_881 {
        let path = data.join("corpus/robots").join(format!("{number:05}.txt"));
        let body = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let kind = Preset::Rfc9309.read(&Answer::status(200, start()).with_body(&body)).evidence().kind();
        *found.entry(kind).or_default() += 1;
        let text = String::from_utf8_lossy(&body).to_lowercase();
        let has_rule =
            ["user-agent:", "disallow:", "allow:", "sitemap:"].iter().any(|word| text.contains(word));
        if kind.is_parse_error() {
            assert!(!has_rule, "{number} is {kind}");
        } else if text.trim_start().starts_with('<') {
            assert!(has_rule, "{number} is {kind}");
        }
    }
    let expected = [
        (AnswerKind::Success, 7_849),
        (AnswerKind::LongBody, 5),
        (AnswerKind::HtmlSoft404, 23),
        (AnswerKind::Undecodable, 4),
    ];
    assert_eq!(found, expected.into());
}

#[test]
fn max_age_is_rounded_up_to_whole_seconds() {
    let max_age =
        |millis| comity::policy::Overrides::default().with_max_age(Duration::from_millis(millis)).max_age();
    assert_eq!(max_age(500), Some(Duration::from_secs(1)));
    assert_eq!(max_age(2_000), Some(Duration::from_secs(2)));
}
