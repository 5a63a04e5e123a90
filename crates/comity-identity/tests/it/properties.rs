//! Properties that hold for any request: a signed request is verified, and each change of its signed parts is detected.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use comity::http::Headers;
use comity_identity::{
    Challenge, Directories, Directory, DirectoryAnswer, Discovery, DiscoveryType, Identity, Invalid,
    MEDIA_TYPE, Outcome, PrivateKey, Request, Validity, Verifier,
};
use proptest::prelude::*;
use url::Url;

fn time(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

fn identity(seed: [u8; 32]) -> Identity {
    let discovery = Discovery::directory("https://bot.example").expect("an origin");
    Identity::new(discovery).with_key(PrivateKey::from_random(&seed), Validity::unbounded())
}

fn directories(identity: &Identity, at: SystemTime) -> Directories {
    let body = identity.directory(at).to_json();
    let headers: Headers<'_> = [("Content-Type", MEDIA_TYPE)].into_iter().collect();
    let url = identity.discovery().url();
    let answer = DirectoryAnswer { url, status: 200, headers: &headers, body: body.as_bytes() };
    let mut directories = Directories::new();
    directories.take(identity.discovery(), &answer, at).expect("a directory");
    directories
}

/// A request as a server sees it.
#[derive(Clone, Debug)]
struct Seen {
    method: String,
    authority: String,
    target: String,
    fields: Vec<(String, String)>,
}

impl Seen {
    fn judge(&self, directories: &Directories, at: SystemTime) -> Outcome {
        let headers: Headers<'_> =
            self.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let request = Request::received(&self.method, "https", &self.authority, &self.target, &headers);
        Verifier::new().verify(&request.expect("a request"), directories, at).outcome().clone()
    }
}

fn urls() -> impl Strategy<Value = Url> {
    let parts = ("[a-z]{1,8}\\.example", "(:[1-9][0-9]{0,3})?", "(/[ -~é]{0,12}){0,3}", "(\\?[ -~é]{0,16})?");
    parts.prop_filter_map("a URL", |(host, port, path, query)| {
        let path = path.replace(['?', '#'], "");
        Url::parse(&format!("https://{host}{port}{path}{}", query.replace('#', ""))).ok()
    })
}

proptest! {
    #[test]
    fn signed_request_is_verified_and_each_change_is_detected(
        seed: [u8; 32],
        method in "[A-Z]{1,8}",
        url in urls(),
        at in 1_000_000_u64..4_000_000_000,
        which in 0_usize..8,
        place: prop::sample::Index,
    ) {
        let identity = identity(seed);
        let at = time(at);
        let headers = Headers::new();
        let signed = identity.sign(&Request::new(&method, &url, &headers), at).expect("signed");
        let seen = Seen {
            method,
            authority: url[url::Position::BeforeHost..url::Position::AfterPort].to_owned(),
            target: url[url::Position::BeforePath..url::Position::AfterQuery].to_owned(),
            fields: signed.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        };
        let directories = directories(&identity, at);
        let outcome = seen.judge(&directories, at);
        prop_assert_eq!(
            outcome.verified().map(|verified| verified.identifier()),
            Some(identity.discovery().identifier()),
            "{}", outcome
        );

        // Changes the method, the authority, the target or one header field.
        let mut other = seen.clone();
        match which {
            0 => other.method.push('X'),
            1 => other.authority.insert(0, 'x'),
            2 => other.target.insert(1, 'x'),
            3 => other.target.push(if other.target.contains('?') { 'x' } else { '?' }),
            4 => other.target.push_str("?x"),
            field => {
                let (_, value) = &mut other.fields[field - 5];
                let at = place.index(value.len());
                // The last digit of the signature has bits that are ignored (RFC 9651 §4.2.7). So the digit before it is changed
                // instead.
                let last = value.find("==:").map(|end| end - 1);
                let at = if Some(at) == last { at - 1 } else { at };
                let with = if value.as_bytes()[at] == b'a' { "b" } else { "a" };
                value.replace_range(at..=at, with);
            }
        }
        let outcome = other.judge(&directories, at);
        // An empty query after a question mark equals no query (RFC 9421 §2.2.7).
        let is_same = which == 3 && !seen.target.contains('?');
        prop_assert_eq!(outcome.verified().is_some(), is_same, "{:?} as {:?}: {}", seen, other, outcome);
    }

    #[test]
    fn signature_is_valid_from_its_creation_to_its_expiry(seed: [u8; 32], offset in -400_i64..700) {
        let identity = identity(seed);
        let made = 1_790_000_000;
        let headers = Headers::new();
        let url = "https://example.com/".parse().expect("a URL");
        let signed = identity.sign(&Request::new("GET", &url, &headers), time(made)).expect("signed");
        let seen = Seen {
            method: "GET".to_owned(),
            authority: "example.com".to_owned(),
            target: "/".to_owned(),
            fields: signed.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        };
        let at = time(made.saturating_add_signed(offset));
        let outcome = seen.judge(&directories(&identity, at), at);
        match offset {
            ..=-61 => prop_assert_eq!(outcome, Outcome::Invalid(Invalid::CreatedInFuture)),
            -60..=299 => prop_assert!(outcome.verified().is_some()),
            _ => prop_assert_eq!(outcome, Outcome::Invalid(Invalid::Expired)),
        }
    }

    #[test]
    fn arbitrary_fields_are_never_verified(
        agent in "[ -~]{0,60}", input in "[ -~é]{0,80}", signature in "[ -~]{0,60}", authority in "[ -~]{0,20}",
        target in "[ -~]{0,40}",
    ) {
        let headers: Headers<'_> =
            [("Signature-Agent", &agent), ("Signature-Input", &input), ("Signature", &signature)]
                .into_iter()
                .map(|(name, value)| (name, value.as_str()))
                .collect();
        let identity = identity([7; 32]);
        let directories = directories(&identity, time(0));
        if let Ok(request) = Request::received("GET", "https", &authority, &target, &headers) {
            let report = Verifier::new().verify(&request, &directories, time(0));
            prop_assert!(report.outcome().verified().is_none());
        }
        Challenge::read(&[("Accept-Signature", &input)].into_iter().collect());
    }

    #[test]
    fn arbitrary_bytes_are_parsed_as_a_directory_without_panic(body: Vec<u8>) {
        for kind in [DiscoveryType::Directory, DiscoveryType::JwksUri] {
            let _ = Directory::read(&body, kind);
        }
    }
}
