//! Requests of the crate `http`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use comity::http::Headers;
use comity_identity::{
    Challenge, Directories, DirectoryAnswer, Discovery, Identity, Invalid, MEDIA_TYPE, Outcome, PrivateKey,
    Request, SignError, Unverified, Validity, Verifier, headers_of,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue};

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_790_000_000)
}

fn identity() -> Identity {
    let discovery = Discovery::directory("https://bot.example").expect("an origin");
    Identity::new(discovery).with_key(PrivateKey::from_random(&[7; 32]), Validity::unbounded())
}

fn parts(url: &str) -> Parts {
    http::Request::get(url).body(()).expect("a request").into_parts().0
}

fn judge(parts: &Parts, scheme: &str) -> Outcome {
    let identity = identity();
    let body = identity.directory(now()).to_json();
    let headers: Headers<'_> = [("Content-Type", MEDIA_TYPE)].into_iter().collect();
    let url = identity.discovery().url();
    let answer = DirectoryAnswer { url, status: 200, headers: &headers, body: body.as_bytes() };
    let mut directories = Directories::new();
    directories.take(identity.discovery(), &answer, now()).expect("a directory");
    let report = Verifier::new().verify_parts(parts, scheme, &directories, now());
    report.expect("a request").outcome().clone()
}

#[test]
fn request_is_verified_in_http1_and_http2_form() {
    let mut sent = parts("https://Example.com:443/heron?a");
    identity().sign_parts(&mut sent, None, now()).expect("signed");
    // HTTP/2: the whole URI.
    assert!(judge(&sent, "https").verified().is_some());
    // HTTP/1.1: path and query, and a field.
    sent.uri = "/heron?a".parse().expect("a target");
    sent.headers.insert("host", HeaderValue::from_static("example.com"));
    assert!(judge(&sent, "https").verified().is_some());
    assert_eq!(judge(&sent, "http"), Outcome::Invalid(Invalid::NotHttps));
    sent.headers.insert("host", HeaderValue::from_static("example.org"));
    assert_eq!(judge(&sent, "https"), Outcome::Invalid(Invalid::BadSignature));
}

#[test]
fn missing_key_is_due_after_five_minutes_despite_fresh_keys() {
    let (sender, stranger) = (identity(), PrivateKey::from_random(&[8; 32]));
    let stranger = Identity::new(sender.discovery().clone()).with_key(stranger, Validity::unbounded());
    assert_eq!(stranger.signing_key(now()), stranger.keys().map(|(key, _)| key).next());
    let mut directories = Directories::new();
    let at = |seconds| now() + Duration::from_secs(seconds);
    let reason = |identity: &Identity, directories: &Directories, at| {
        let mut sent = parts("https://example.com/");
        identity.sign_parts(&mut sent, None, at).expect("signed");
        let report = Verifier::new().verify_parts(&sent, "https", directories, at).expect("a request");
        match report.outcome() {
            Outcome::Unverified(reason) => Some(reason.clone()),
            _ => None,
        }
    };
    let unknown = reason(&sender, &directories, now()).expect("nothing is known");
    assert_eq!(directories.due_for(&unknown, now()), Some(sender.discovery()));
    let body = sender.directory(now()).to_json();
    let headers: Headers<'_> = [("Content-Type", MEDIA_TYPE)].into_iter().collect();
    let url = sender.discovery().url();
    let answer = DirectoryAnswer { url, status: 200, headers: &headers, body: body.as_bytes() };
    assert_eq!(answer.read(sender.discovery()).expect("a directory").keys().len(), 1);
    directories.take(sender.discovery(), &answer, now()).expect("a directory");
    assert_eq!(reason(&sender, &directories, now()), None);

    let lacking = reason(&stranger, &directories, now()).expect("another key");
    assert_eq!(lacking.code(), "unknown_key");
    assert_eq!(directories.due_for(&lacking, at(299)), None);
    assert_eq!(directories.due_for(&lacking, at(300)), Some(sender.discovery()));
    directories.failed(sender.discovery(), at(300));
    assert_eq!(directories.due_for(&lacking, at(599)), None);
    assert_eq!(directories.due_for(&Unverified::NoAgent, at(600)), None, "no keys would help");
}

#[test]
fn request_to_another_site_gets_a_new_signature() {
    let mut sent = parts("https://example.com/");
    identity().sign_parts(&mut sent, None, now()).expect("signed");
    sent.uri = "https://example.org/".parse().expect("a URL");
    assert_eq!(judge(&sent, "https"), Outcome::Invalid(Invalid::BadSignature));
    identity().sign_parts(&mut sent, None, now()).expect("signed");
    assert!(judge(&sent, "https").verified().is_some());
    sent.uri = "http://example.org/".parse().expect("a URL");
    assert_eq!(identity().sign_parts(&mut sent, None, now()), Err(SignError::NotHttps));
    assert!(sent.headers.is_empty(), "the earlier signature is removed");
}

#[test]
fn request_whose_host_differs_from_its_authority_is_invalid() {
    let mut sent = parts("https://example.com/");
    identity().sign_parts(&mut sent, None, now()).expect("signed");
    for (host, expected) in [
        ("Example.com:443", None),
        ("other.example", Some("other_host")),
        ("example.com:80", Some("other_host")),
    ] {
        sent.headers.insert("host", HeaderValue::from_static(host));
        assert_eq!(judge(&sent, "https").reason(), expected, "{host}");
    }
    sent.headers.insert("host", HeaderValue::from_bytes(b"\xFF").expect("a value"));
    let headers = headers_of(&sent.headers);
    assert!(Request::of_parts(&sent, "https", &headers).is_err());
}

#[test]
fn challenge_is_answered_with_its_nonce() {
    let mut headers = HeaderMap::new();
    let field = HeaderValue::from_static(r#"a=("@authority");nonce="bmVzdA";tag="web-bot-auth""#);
    headers.insert("accept-signature", field);
    let challenges = Challenge::read_map(&headers);
    let mut sent = parts("https://example.com/");
    identity().sign_parts(&mut sent, challenges.first(), now()).expect("signed");
    assert_eq!(judge(&sent, "https").verified().and_then(|verified| verified.nonce()), Some("bmVzdA"));
}

#[test]
fn request_with_two_host_fields_is_malformed() {
    let received = |hosts: &[&'static str]| {
        let mut parts = parts("/heron");
        for host in hosts {
            parts.headers.append("host", HeaderValue::from_static(host));
        }
        let headers = headers_of(&parts.headers);
        let read = Request::of_parts(&parts, "https", &headers);
        let spelled = Request::spelled("GET", "https://example.com/heron", &headers);
        (read.map(|read| read.authority().to_owned()), spelled.map(|read| read.authority().to_owned()))
    };
    let one = Ok("example.com".to_owned());
    assert_eq!(received(&["example.com"]), (one.clone(), one));
    let (read, spelled) = received(&["example.com", "other.example"]);
    assert!(read.is_err() && spelled.is_err(), "{read:?} {spelled:?}");
}
