//! In every dialect, any question about any file has a decision, whose rule agrees with its verdict and its
//! explanation.
#![no_main]

use arbitrary::Arbitrary;
use comity::policy::Verdict;
use comity::robots::{self, Agent, Dialect, RobotsTxt};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Question<'a> {
    agent: &'a str,
    header: bool,
    fallback: Option<&'a str>,
    url: &'a [u8],
    body: &'a [u8],
}

fuzz_target!(|question: Question| {
    let mut agent =
        if question.header { Agent::header(question.agent) } else { Agent::unchecked_token(question.agent) };
    if let Some(fallback) = question.fallback {
        agent = agent.or_token(fallback);
    }
    let kept = RobotsTxt::parse(question.body).rules_for(&agent).is_allowed(question.url);
    assert_eq!(robots::is_allowed(question.body, &agent, question.url), kept);
    for dialect in Dialect::ALL {
        let robots = RobotsTxt::parse_as(question.body, dialect);
        let rules = robots.rules_for(&agent);
        let Ok(explanation) = robots.explain(&agent, question.url) else { continue };
        let decision = &explanation.decision;
        assert_eq!(decision, &rules.decide(question.url).expect("the same text").to_record());
        match &decision.rule {
            Some(rule) => {
                assert_eq!(decision.verdict == Verdict::AllowedExplicit, rule.allows);
                assert_eq!(explanation.contenders.first().map(|contender| &contender.rule), Some(rule));
            }
            None => assert_eq!(decision.verdict, Verdict::AllowedImplicit),
        }
        assert_eq!(explanation.groups.is_empty(), rules.group().is_none());
        let shown = explanation.to_string();
        assert!(!shown.contains(|c| c != '\n' && comity::shown::is_unsafe(c)), "{shown:?}");
        let _ = (rules.crawl_delay(), rules.request_rate(), rules.visit_time());
    }
});
