//! For any `Accept-Signature` fields of a site, the answer signs exactly the components that the client always signs.
#![no_main]

use std::time::{Duration, SystemTime};

use comity::http::Headers;
use comity_identity::{Challenge, Discovery, Identity, PrivateKey, Request, SignError, Validity};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|values: &[u8]| {
    let mut headers = Headers::new();
    for value in values.split(|byte| *byte == b'\n').take(8) {
        headers.push("accept-signature", value);
    }
    let discovery = Discovery::directory("https://bot.example").expect("an origin");
    let identity = Identity::new(discovery).with_key(PrivateKey::from_random(&[7; 32]), Validity::unbounded());
    let none = Headers::new();
    let url = "https://example.com/a?b".parse().expect("a URL");
    let request = Request::new("GET", &url, &none);
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000);
    let challenges = Challenge::read(&headers);
    assert!(challenges.len() <= 8);
    for challenge in challenges {
        let label = challenge.label();
        match identity.answer(&challenge, &request, now) {
            Ok(signed) => {
                let covers = format!(
                    r#"{label}=("@method" "@authority" "@path" "@query" "signature-agent";key="{label}");created=1790000000"#
                );
                assert!(signed.signature_input().starts_with(&covers), "{}", signed.signature_input());
                assert!(signed.signature_input().len() < 1_000);
            }
            Err(error) => assert_eq!(error, SignError::OtherChallenge),
        }
    }
});
