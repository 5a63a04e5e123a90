//! Signing: covered components, lifetimes, and challenges.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use comity::http::Headers;
use comity_identity::{
    Challenge, Directories, Directory, DirectoryAnswer, DirectoryProof, Discovery, DiscoveryType, Identity,
    MEDIA_TYPE, Outcome, PrivateKey, Request, Revision, SignError, SignatureFields, Validity, Verifier,
};

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_790_000_000)
}

fn seconds(time: Option<SystemTime>) -> u64 {
    time.expect("a time").duration_since(UNIX_EPOCH).expect("after 1970").as_secs()
}

fn identity() -> Identity {
    let discovery = Discovery::directory("https://bot.example").expect("an origin");
    Identity::new(discovery).with_key(PrivateKey::from_random(&[7; 32]), Validity::unbounded())
}

fn sign(identity: &Identity, url: &str) -> Result<SignatureFields, SignError> {
    let headers = Headers::new();
    identity.sign(&Request::new("GET", &url.parse().expect("a URL"), &headers), now())
}

/// Returns the outcome for a site that has fetched the keys.
fn outcome(identity: &Identity, verifier: Verifier, signed: &SignatureFields, target: &str) -> Outcome {
    let directory = identity.directory(now()).to_json();
    let fields: Headers<'_> = [("Content-Type", MEDIA_TYPE)].into_iter().collect();
    let url = identity.discovery().url();
    let answer = DirectoryAnswer { url, status: 200, headers: &fields, body: directory.as_bytes() };
    let mut directories = Directories::new();
    directories.take(identity.discovery(), &answer, now()).expect("a directory");
    let headers: Headers<'_> = signed.iter().collect();
    let request = Request::received("GET", "https", "example.com", target, &headers).expect("a request");
    verifier.verify(&request, &directories, now()).outcome().clone()
}

#[test]
fn signing_without_tls_or_key_or_twice_fails() {
    assert_eq!(sign(&identity(), "http://example.com/"), Err(SignError::NotHttps));
    let empty = Identity::new(identity().discovery().clone());
    assert_eq!(sign(&empty, "https://example.com/"), Err(SignError::NoKey));
    let over = empty.clone().with_key(PrivateKey::from_random(&[7; 32]), Validity::unbounded().until(now()));
    assert_eq!(sign(&over, "https://example.com/"), Err(SignError::NoKey));
    let early = Validity::unbounded().from(now() + Duration::from_secs(1));
    let early = empty.with_key(PrivateKey::from_random(&[7; 32]), early);
    assert_eq!(sign(&early, "https://example.com/"), Err(SignError::NoKey));
    let signed = sign(&identity(), "https://example.com/").expect("signed");
    let headers: Headers<'_> = signed.iter().collect();
    let request = Request::new("GET", &"https://example.com/".parse().expect("a URL"), &headers).clone();
    assert_eq!(identity().sign(&request, now()), Err(SignError::AlreadySigned));
}

#[test]
fn signature_expires_with_its_key() {
    let ends = now() + Duration::from_secs(10);
    let identity = Identity::new(identity().discovery().clone())
        .with_key(PrivateKey::from_random(&[7; 32]), Validity::unbounded().until(ends));
    assert_eq!(sign(&identity, "https://example.com/").expect("signed").expires(), Some(ends));
}

#[test]
fn signature_lifetime_is_at_most_a_day() {
    let identity = identity().lifetime(Duration::MAX);
    let signed = sign(&identity, "https://example.com/").expect("signed");
    assert_eq!(seconds(signed.expires()) - seconds(signed.created()), 86_400);
    assert!(outcome(&identity, Verifier::new(), &signed, "/").verified().is_some());
}

#[test]
fn newest_valid_key_signs() {
    let key = |byte| PrivateKey::from_random(&[byte; 32]);
    let from = |seconds: i64| {
        let time = if seconds < 0 { now() - Duration::from_secs(seconds.unsigned_abs()) } else { now() };
        Validity::unbounded().from(time + Duration::from_secs(seconds.max(0).unsigned_abs()))
    };
    let identity = identity().with_key(key(1), from(-1)).with_key(key(2), from(-2)).with_key(key(3), from(1));
    let signed = sign(&identity, "https://example.com/").expect("signed");
    assert_eq!(signed.key(), key(1).public().thumbprint());
}

#[test]
fn each_revision_of_the_draft_is_verified_by_its_rules() {
    let at = Identity::new(Discovery::jwks_uri("https://bot.example/keys.json?v=2").expect("a URL"))
        .with_key(PrivateKey::from_random(&[7; 32]), Validity::unbounded());
    for identity in [identity(), at] {
        for revision in [Revision::Draft00, Revision::Draft01] {
            let identity = identity.clone().revision(revision);
            let signed = sign(&identity, "https://example.com/a?b").expect("signed");
            let outcome = outcome(&identity, Verifier::new().revision(revision), &signed, "/a?b");
            let verified = outcome.verified().unwrap_or_else(|| panic!("{revision:?}: {outcome}"));
            assert_eq!(verified.identifier(), identity.discovery().identifier());
        }
    }
}

#[test]
fn challenge_determines_only_label_and_nonce() {
    let asked = |field: &'static str| {
        Challenge::read(&[("Accept-Signature", field)].into_iter().collect()).into_iter().next().expect(field)
    };
    let headers = Headers::new();
    let request = Request::new("GET", &"https://example.com/".parse().expect("a URL"), &headers).clone();
    let wants_cookie = asked(
        r#"a=("@authority" "cookie" "signature-agent";key="a");created;nonce="bmVzdA";tag="web-bot-auth""#,
    );
    let signed = identity().answer(&wants_cookie, &request, now()).expect("signed");
    assert!(signed.signature_input().starts_with(
        r#"a=("@method" "@authority" "@path" "@query" "signature-agent";key="a");created=1790000000;expires=1790000300;"#
    ));
    assert!(signed.signature_input().contains(r#";nonce="bmVzdA";"#));
    assert_eq!(wants_cookie.not_covered().collect::<Vec<_>>(), [r#""cookie""#]);
    let outcome = outcome(&identity(), Verifier::new(), &signed, "/");
    assert_eq!(outcome.verified().and_then(|verified| verified.nonce()), Some("bmVzdA"));
    for other in [
        r#"a=("@authority");tag="app""#,
        r#"a=("@authority");alg="rsa-pss-sha512";tag="web-bot-auth""#,
        r#"a=("@authority");keyid="heron";tag="web-bot-auth""#,
    ] {
        assert_eq!(
            identity().answer(&asked(other), &request, now()),
            Err(SignError::OtherChallenge),
            "{other}"
        );
    }
}

#[test]
fn unreadable_accept_signature_has_no_challenges() {
    for field in ["", "sig1", "sig1=(", "Sig1=()", "sig1=\"@authority\""] {
        assert_eq!(Challenge::read(&[("Accept-Signature", field)].into_iter().collect()), []);
    }
    let many: Vec<String> = (0..20).map(|number| format!("sig{number}=()")).collect();
    assert_eq!(Challenge::read(&[("Accept-Signature", &many.join(","))].into_iter().collect()).len(), 8);
}

#[test]
fn invalid_nonce_is_rejected() {
    let headers = Headers::new();
    let request = Request::new("GET", &"https://example.com/".parse().expect("a URL"), &headers).clone();
    for nonce in ["é", "a\n", &"a".repeat(257)] {
        assert_eq!(identity().sign_with_nonce(&request, nonce, now()), Err(SignError::Nonce), "{nonce}");
    }
    let signed = identity().sign_with_nonce(&request, "a\"\\b", now()).expect("signed");
    let outcome = outcome(&identity(), Verifier::new(), &signed, "/");
    assert_eq!(outcome.verified().and_then(|verified| verified.nonce()), Some("a\"\\b"));
}

#[test]
fn signed_directory_proves_each_key() {
    let mut identity = identity();
    let start = now() + Duration::from_secs(1_000);
    let end = start + Duration::from_secs(1_000);
    identity.rotate(PrivateKey::from_random(&[8; 32]), now(), start, end).expect("a rotation");
    let body = identity.directory(now()).to_json();
    let fields =
        identity.sign_directory(body.as_bytes(), now(), Duration::from_secs(86_400)).expect("signed");
    let headers: Headers<'_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let directory = Directory::read(body.as_bytes(), DiscoveryType::Directory).expect("a directory");
    let check = |discovery: &Discovery, body: &str| {
        DirectoryProof::check(discovery, &headers, body.as_bytes(), &directory, now()).proven().len()
    };
    assert_eq!(check(identity.discovery(), &body), 2);
    assert_eq!(check(identity.discovery(), &format!("{body} ")), 0);
    assert_eq!(check(&Discovery::directory("https://copy.example").expect("an origin"), &body), 0);
}

#[test]
fn invalid_authority_is_rejected() {
    let headers = Headers::new();
    let read = |authority| Request::received("GET", "https", authority, "/", &headers);
    for (given, is) in [
        ("Example.com", "example.com"),
        ("example.com:443", "example.com"),
        ("example.com:", "example.com"),
        ("example.com:80", "example.com:80"),
        ("192.0.2.1:8443", "192.0.2.1:8443"),
        ("[2001:DB8::443]", "[2001:db8::443]"),
        ("[2001:db8::1]:443", "[2001:db8::1]"),
    ] {
        assert_eq!(read(given).expect(given).authority(), is);
    }
    for wrong in [
        "",
        ":443",
        ":",
        "example.com::443",
        "2001:db8::443",
        "a:b",
        "a:443:443",
        "[::1]x",
        "a@b",
        "a,b",
        "a b",
        "a:443, a",
    ] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}
