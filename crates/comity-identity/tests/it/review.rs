//! Reviews of served directories: each flaw has an answer that shows it, and a good answer has none.

use std::time::{Duration, SystemTime};

use comity::finding::Severity;
use comity::http::Headers;
use comity_identity::{DirectoryAnswer, Discovery, Flaw, Identity, MEDIA_TYPE, PrivateKey, Review, Validity};
use testkit::printed::{assert_printed, table};

const HOUR: Duration = Duration::from_secs(3_600);

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000)
}

fn discovery() -> Discovery {
    Discovery::directory("https://bot.example").expect("an address")
}

fn identity() -> Identity {
    Identity::new(discovery()).with_key(PrivateKey::from_random(&[7; 32]), Validity::unbounded())
}

/// A valid answer, in which a test changes one part.
struct Answer {
    status: u16,
    fields: Vec<(&'static str, String)>,
    body: String,
}

impl Answer {
    /// Returns an answer without flaws.
    fn good() -> Self {
        Answer::of(&identity())
    }

    fn of(identity: &Identity) -> Self {
        let body = identity.directory(now()).to_json();
        let mut fields = identity.sign_directory(body.as_bytes(), now(), 24 * HOUR).unwrap_or_default();
        fields.push(("Content-Type", MEDIA_TYPE.to_owned()));
        fields.push(("Cache-Control", "max-age=3600".to_owned()));
        Answer { status: 200, fields, body }
    }

    fn status(self, status: u16) -> Self {
        Answer { status, ..self }
    }

    fn without(mut self, name: &str) -> Self {
        self.fields.retain(|(field, _)| *field != name);
        self
    }

    fn with(self, name: &'static str, value: &str) -> Self {
        let mut changed = self.without(name);
        changed.fields.push((name, value.to_owned()));
        changed
    }

    /// Returns the good answer, including its lifetime, with another body and without signatures.
    fn body(body: impl Into<String>) -> Self {
        let answer = Answer { body: body.into(), ..Answer::good() };
        ["Content-Digest", "Signature-Input", "Signature"]
            .iter()
            .fold(answer, |answer, name| answer.without(name))
    }

    /// Returns the good answer with one more entry before the good key.
    fn entry(entry: &str) -> Self {
        let good = Answer::good().body;
        Answer::body(good.replacen('[', &format!("[{entry},"), 1))
    }

    fn flaws(&self) -> Vec<Flaw> {
        let headers: Headers<'_> =
            self.fields.iter().map(|(name, value)| (*name, value.as_bytes())).collect();
        let discovery = discovery();
        let answer = DirectoryAnswer {
            url: discovery.url(),
            status: self.status,
            headers: &headers,
            body: self.body.as_bytes(),
        };
        let review = Review::of(&discovery, &answer, now());
        review.findings().iter().map(|finding| finding.flaw()).collect()
    }
}

/// Returns an answer for each flaw, with all flaws that are found in it.
fn cases() -> Vec<(Answer, Vec<Flaw>)> {
    let key = Answer::good().body;
    let key = key.trim_start_matches(r#"{"keys":["#).trim_end_matches("]}");
    let test_key = r#"{"kty":"OKP","crv":"Ed25519","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}"#;
    let over =
        identity().with_key(PrivateKey::from_random(&[8; 32]), Validity::unbounded().until(now() + HOUR));
    let over = over.directory(now()).to_json().replace(&(1_790_000_000 + 3_600).to_string(), "1789999999");
    vec![
        (Answer::good().status(301), vec![Flaw::Redirect]),
        (Answer::good().status(404), vec![Flaw::Status]),
        (Answer::good().with("Content-Type", "application/json"), vec![Flaw::MediaType]),
        (Answer::body(" ".repeat(70_000)), vec![Flaw::TooLarge]),
        (Answer::body(format!(r#"{{"keys":[{}1]}}"#, "1,".repeat(64))), vec![Flaw::TooManyKeys]),
        (Answer::body("<html>"), vec![Flaw::NotAJwkSet]),
        (Answer::body(r#"{"keys":[]}"#), vec![Flaw::NoKey]),
        (
            Answer::entry(r#"{"kty":"OKP","crv":"Ed25519","x":"AA","d":"AA"}"#),
            vec![Flaw::PrivateKey, Flaw::NotProven],
        ),
        (Answer::entry(test_key), vec![Flaw::TestKey, Flaw::NotProven]),
        (
            Answer::entry(r#"{"kty":"OKP","crv":"Ed25519","x":"AA"}"#),
            vec![Flaw::MalformedKey, Flaw::NotProven],
        ),
        (Answer::entry(&key.replace(r#""kid":""#, r#""kid":"my-"#)), vec![Flaw::KeyName, Flaw::NotProven]),
        (Answer::entry(key), vec![Flaw::RepeatedKey, Flaw::NotProven]),
        (Answer::body(over), vec![Flaw::ExpiredKey, Flaw::NotProven]),
        (
            Answer::good().with("Content-Digest", "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:"),
            vec![Flaw::BadProof, Flaw::NotProven],
        ),
        (Answer::good().with("Cache-Control", "no-store"), vec![Flaw::ShortLifetime]),
        (Answer::good().without("Cache-Control"), vec![Flaw::NoLifetime]),
        (
            Answer::entry(r#"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#),
            vec![Flaw::UnsupportedKey, Flaw::NotProven],
        ),
        (
            Answer::entry(r#"{"kty":"OKP","crv":"Ed25519","x":"AA","use":"enc"}"#),
            vec![Flaw::OtherUse, Flaw::NotProven],
        ),
        (Answer::good().without("Signature"), vec![Flaw::BadProof, Flaw::NotProven]),
    ]
}

#[test]
fn good_directory_has_no_findings() {
    assert_eq!(Answer::good().flaws(), []);
}

#[test]
fn each_case_has_exactly_its_flaws() {
    let cases = cases();
    for (answer, expected) in &cases {
        assert_eq!(answer.flaws(), *expected, "{} {:?} {:.200}", answer.status, answer.fields, answer.body);
    }
    let found = |flaw: &Flaw| cases.iter().any(|(_, flaws)| flaws.contains(flaw));
    let missing: Vec<&Flaw> = Flaw::ALL.iter().filter(|flaw| !found(flaw)).collect();
    assert!(missing.is_empty(), "no case: {missing:?}");
}

#[test]
fn directory_during_rotation_has_no_findings() {
    let mut identity = identity();
    let next = PrivateKey::from_random(&[8; 32]);
    identity.rotate(next, now(), now() + HOUR, now() + 2 * HOUR).expect("a rotation");
    assert_eq!(Answer::of(&identity).flaws(), []);
}

#[test]
fn flaw_codes_are_unique_and_sorted_by_severity() {
    let codes: std::collections::BTreeSet<_> = Flaw::ALL.iter().map(|flaw| flaw.code()).collect();
    assert_eq!(codes.len(), Flaw::ALL.len());
    let rank = |flaw: &Flaw| match flaw.severity() {
        Severity::Error => 0,
        Severity::Warning => 1,
        _ => 2,
    };
    assert!(Flaw::ALL.is_sorted_by_key(rank));
}

#[test]
fn every_flaw_is_in_the_guide() {
    let rows = Flaw::ALL.iter().map(|flaw| {
        [format!("`{flaw}`"), flaw.severity().to_string(), flaw.summary().to_owned(), flaw.help().to_owned()]
    });
    let table = table(["code", "severity", "meaning", "solution"], rows);
    assert_printed("docs/guide/identity.md", &[("flaws", table)]);
}
