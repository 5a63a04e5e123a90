//! Overrides of a preset: the URLs that they allow and deny, and their record in every decision.

use std::time::{Duration, SystemTime};

use comity::policy::{
    Answer, Failure, OnUnreachable, Overrides, Policy, Preset, Recommendation, Treatment, Verdict,
};
use comity::robots::Agent;

const HOUR: Duration = Duration::from_secs(3600);
const FILE: &str = "User-agent: *\nDisallow: /nest\n";

fn start() -> SystemTime {
    SystemTime::UNIX_EPOCH + 500_000 * HOUR
}

fn agent() -> Agent {
    Agent::unchecked_token("wren")
}

fn policy(preset: Preset, overrides: Overrides, answers: &[Answer<'_>]) -> Policy {
    let mut policy = Policy::without_answer(preset).with_overrides(overrides);
    for answer in answers {
        policy.update(&preset.read(answer), &agent());
    }
    policy
}

fn on_unreachable(choice: OnUnreachable) -> Overrides {
    Overrides::default().with_on_unreachable(choice)
}

#[test]
fn override_decides_during_an_outage_under_every_preset() {
    for preset in Preset::ALL {
        for (choice, treatment, recommendation) in [
            (OnUnreachable::Deny, Treatment::Stop, Recommendation::UnknownDoNotFetchByDefault),
            (OnUnreachable::Warn, Treatment::FailOpen, Recommendation::AllowedButWarn),
            (OnUnreachable::Allow, Treatment::FailOpenUnwarned, Recommendation::Recommended),
        ] {
            for answer in [Answer::status(503, start()), Answer::failure(Failure::Dns, start())] {
                let policy = policy(preset, on_unreachable(choice), &[answer]);
                let decision = policy.decide("/page", start()).unwrap();
                assert_eq!(decision.verdict(), Verdict::UnknownUnreachable, "{preset} {choice}");
                assert_eq!(decision.treatment(), Some(treatment), "{preset} {choice}");
                assert_eq!(decision.recommendation(), recommendation, "{preset} {choice}");
                assert_eq!(decision.failed_open(), choice != OnUnreachable::Deny, "{preset} {choice}");
                assert_eq!(decision.overrides().on_unreachable(), Some(choice));
            }
        }
    }
}

#[test]
fn conclusive_answer_is_not_overridden() {
    for preset in Preset::ALL {
        let overrides = on_unreachable(OnUnreachable::Allow);
        let read = policy(preset, overrides, &[Answer::status(200, start()).with_body(FILE)]);
        assert!(read.decide("/nest", start()).unwrap().blocks(), "{preset}");
        let gone = policy(preset, on_unreachable(OnUnreachable::Deny), &[Answer::status(404, start())]);
        assert!(!gone.decide("/nest", start()).unwrap().blocks(), "{preset}");
    }
}

#[test]
fn guard_and_local_failure_are_not_overridden() {
    for preset in Preset::ALL {
        for failure in [Failure::Guard, Failure::Local] {
            for choice in OnUnreachable::ALL {
                let policy = policy(preset, on_unreachable(choice), &[Answer::failure(failure, start())]);
                let decision = policy.decide("/page", start()).unwrap();
                assert!(decision.blocks() && !decision.failed_open(), "{preset} {choice} {failure}");
            }
        }
        // A local failure does not allow the URLs that an outage allowed, once robots.txt has to be requested again.
        let answers = [Answer::status(503, start()), Answer::failure(Failure::Local, start() + 48 * HOUR)];
        let overrides = on_unreachable(OnUnreachable::Warn).with_max_age(HOUR);
        let policy = policy(preset, overrides, &answers);
        assert!(policy.decide("/page", start() + 48 * HOUR).unwrap().blocks(), "{preset}");
    }
}

#[test]
fn override_has_no_effect_before_the_first_answer() {
    let policy = policy(Preset::Rfc9309, on_unreachable(OnUnreachable::Allow), &[]);
    assert!(policy.decide("/page", start()).unwrap().blocks());
}

#[test]
fn last_good_copy_takes_precedence_over_the_override() {
    for preset in [Preset::Rfc9309, Preset::Google, Preset::Strict] {
        for choice in [OnUnreachable::Warn, OnUnreachable::Allow] {
            let good = Answer::status(200, start()).with_body(FILE);
            let policy =
                policy(preset, on_unreachable(choice), &[good, Answer::status(503, start() + 25 * HOUR)]);
            // The preset `google` stops for 12 hours even with a copy. With the override, the rules of the copy decide
            // instead.
            let at = start() + 26 * HOUR;
            assert!(policy.decide("/nest", at).unwrap().blocks(), "{preset} {choice}");
            let decision = policy.decide("/page", at).unwrap();
            assert_eq!(decision.treatment(), Some(Treatment::LastGood), "{preset} {choice}");
            assert_eq!(decision.verdict(), Verdict::AllowedImplicit, "{preset} {choice}");
            // Once the copy is too old, only the override decides.
            let late = start() + 24 * 40 * HOUR;
            if preset != Preset::Google {
                assert!(policy.decide("/nest", late).unwrap().failed_open(), "{preset} {choice}");
            }
        }
    }
}

#[test]
fn deny_overrides_a_preset_that_fails_open() {
    let overrides = on_unreachable(OnUnreachable::Deny);
    let ladon = policy(Preset::Ladon, overrides, &[Answer::status(503, start())]);
    assert!(ladon.decide("/page", start()).unwrap().blocks());
    let mut google = policy(Preset::Google, overrides, &[Answer::status(503, start())]);
    google.set_site_is_reachable(true);
    assert!(google.decide("/page", start() + 24 * 40 * HOUR).unwrap().blocks());
}

#[test]
fn max_age_limits_the_lifetime_of_an_answer() {
    let overrides = Overrides::default().with_max_age(HOUR);
    for preset in [Preset::Rfc9309, Preset::Google, Preset::Webcanon, Preset::Ladon, Preset::Gym2008] {
        let policy = policy(preset, overrides, &[Answer::status(200, start()).with_body(FILE)]);
        assert!(policy.is_fresh(start() + HOUR / 2), "{preset}");
        assert!(!policy.is_fresh(start() + HOUR), "{preset}");
        assert_eq!(policy.decide("/nest", start()).unwrap().overrides().max_age(), Some(HOUR));
    }
    // A shorter lifetime of an answer is not extended.
    let policy = policy(Preset::Rfc9309, overrides, &[Answer::status(503, start())]);
    assert!(!policy.is_fresh(start() + Duration::from_secs(601)));
}

#[test]
fn max_age_limits_the_lifetime_of_a_confirmed_copy() {
    let overrides = Overrides::default().with_max_age(HOUR);
    let answers = [Answer::status(200, start()).with_body(FILE), Answer::status(304, start() + 2 * HOUR)];
    let policy = policy(Preset::Rfc9309, overrides, &answers);
    assert!(policy.is_fresh(start() + 2 * HOUR + HOUR / 2));
    assert!(!policy.is_fresh(start() + 3 * HOUR));
}

#[test]
fn retry_after_is_followed_beyond_max_age() {
    let headers = [("Retry-After", "7200".as_bytes())].into_iter().collect();
    let answer = Answer::status(503, start()).with_headers(&headers);
    let policy = policy(Preset::Rfc9309, Overrides::default().with_max_age(Duration::ZERO), &[answer]);
    assert!(policy.is_fresh(start() + HOUR));
    assert!(!policy.is_fresh(start() + 2 * HOUR));
}

#[cfg(feature = "serde")]
#[test]
fn decision_lists_overrides_if_any_are_set() {
    let json = |overrides| {
        let policy = policy(Preset::Rfc9309, overrides, &[Answer::status(503, start())]);
        let decision = policy.decide("/page", start()).unwrap();
        let by_itself = serde_json::to_value(decision.to_record()).unwrap();
        assert_eq!(serde_json::to_value(&decision).unwrap(), by_itself);
        by_itself["overrides"].to_string()
    };
    assert_eq!(json(Overrides::default()), "null");
    let both = on_unreachable(OnUnreachable::Warn).with_max_age(HOUR);
    assert_eq!(json(both), r#"{"max_age_seconds":3600,"on_unreachable":"warn"}"#);
    assert_eq!(both.to_string(), "on_unreachable = warn, max_age_seconds = 3600");
    assert_eq!(json(Overrides::default().with_max_age(HOUR)), r#"{"max_age_seconds":3600}"#);
}

#[test]
fn overrides_survive_a_change_of_the_preset() {
    let mut policy = policy(Preset::Strict, on_unreachable(OnUnreachable::Warn), &[]);
    policy.update(&Preset::Rfc9309.read(&Answer::status(503, start())), &agent());
    assert!(policy.decide("/page", start()).unwrap().failed_open());
    assert_eq!("DENY".parse(), Ok(OnUnreachable::Deny));
    let error = "open".parse::<OnUnreachable>().unwrap_err().to_string();
    assert_eq!(error, "unknown value of on_unreachable `open`; must be one of: deny, warn, allow");
}
