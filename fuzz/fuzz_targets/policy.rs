//! After any sequence of answers, at any time, there is a decision, whose verdict, recommendation and evidence are
//! consistent.
#![no_main]

use std::time::{Duration, SystemTime};

use arbitrary::Arbitrary;
use comity::http::Headers;
use comity::policy::{Answer, Failure, Mode, Policy, Preset, Recommendation, Treatment, Verdict};
use comity::robots::{Agent, Basis};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct History<'a> {
    preset: u8,
    mode: u8,
    agent: &'a str,
    answers: Vec<AnswerInput<'a>>,
    site_is_reachable: Option<bool>,
    start: u64,
    wait: u32,
    url: &'a [u8],
}

#[derive(Arbitrary, Debug)]
struct AnswerInput<'a> {
    reply: Result<u16, u8>,
    header: &'a [u8],
    body: &'a [u8],
    wait: u32,
}

fn pick<T: Copy>(all: &[T], number: u8) -> T {
    all[usize::from(number) % all.len()]
}

fuzz_target!(|history: History| {
    let preset = pick(&Preset::ALL, history.preset);
    let agent = Agent::unchecked_token(history.agent);
    let mut policy = Policy::without_answer(preset).with_mode(pick(&Mode::ALL, history.mode));
    let Some(mut now) = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(history.start)) else { return };
    let mut has_been_read = false;
    for came in &history.answers {
        let Some(at) = now.checked_add(Duration::from_secs(came.wait.into())) else { return };
        now = at;
        let Ok(headers) = Headers::parse(came.header) else { return };
        let answer = match came.reply {
            Ok(code) => Answer::status(code, at),
            Err(failure) => Answer::failure(pick(&Failure::ALL, failure), at),
        };
        let reading = preset.read(&answer.with_headers(&headers).with_body(came.body));
        let evidence = reading.evidence();
        let (fresh, stale) = (evidence.fresh_until(), evidence.stale_until());
        assert!(fresh.is_none_or(|until| until >= at));
        assert!(stale.is_none() || fresh.is_some_and(|until| stale.is_some_and(|stale| stale >= until)));
        assert_eq!(reading.robots().is_some(), evidence.treatment() == Treatment::ReadRules);
        has_been_read |= reading.robots().is_some();
        policy.update(&reading, &agent);
    }
    if let Some(reachable) = history.site_is_reachable {
        policy.set_site_is_reachable(reachable);
    }
    let Some(now) = now.checked_add(Duration::from_secs(history.wait.into())) else { return };
    let Ok(decision) = policy.decide(history.url, now) else { return };

    let recommendation = decision.recommendation();
    let is_stop =
        matches!(recommendation, Recommendation::NotRecommended | Recommendation::UnknownDoNotFetchByDefault);
    assert_eq!(decision.blocks(), is_stop && decision.mode() == Mode::Respect);
    assert_eq!(decision.mode() == Mode::Ignore, decision.verdict() == Verdict::SkippedByUserPolicy);
    if decision.failed_open() {
        assert!(preset.can_fail_open() && recommendation == Recommendation::AllowedButWarn);
        assert!(matches!(decision.verdict(), Verdict::UnknownUnreachable | Verdict::UnknownParseError));
    }
    if let Some(rules) = decision.rules() {
        assert!(has_been_read || rules.basis() == Basis::RobotsTxt);
        assert_eq!((decision.verdict(), recommendation), (rules.verdict(), rules.recommendation()));
    }
    assert_eq!(decision.outage().is_some_and(|outage| outage.has_copy()) && !has_been_read, false);
});
