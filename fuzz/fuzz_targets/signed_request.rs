//! Any request has an outcome, and no request that was made without the private key is verified.
#![no_main]

use std::time::{Duration, SystemTime};

use comity::http::Headers;
use comity_identity::{
    Directories, DirectoryAnswer, Discovery, Identity, MEDIA_TYPE, PrivateKey, Request, Revision, Validity, Verifier,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    // The first line is the target; the other lines are the header.
    let end = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let (target, header) = input.split_at(end);
    let Ok(headers) = Headers::parse(header) else { return };
    let target = String::from_utf8_lossy(target);
    let Ok(request) = Request::received("GET", "https", "example.com", &target, &headers) else { return };
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000);

    let discovery = Discovery::directory("https://bot.example").expect("an origin");
    let key = PrivateKey::from_random(&[7; 32]);
    let identity = Identity::new(discovery.clone()).with_key(key, Validity::unbounded());
    let body = identity.directory(now).to_json();
    let fields: Headers<'_> = [("Content-Type", MEDIA_TYPE)].into_iter().collect();
    let answer = DirectoryAnswer { url: discovery.url(), status: 200, headers: &fields, body: body.as_bytes() };
    let mut directories = Directories::new();
    directories.take(&discovery, &answer, now).expect("a directory");

    for revision in [Revision::Draft00, Revision::Draft01] {
        let verifier = Verifier::new().revision(revision).max_lifetime(None).accept_bare_agent(true);
        let report = verifier.verify(&request, &directories, now);
        assert!(report.outcome().verified().is_none(), "{}", report.outcome());
        assert!(report.signatures().count() <= 8);
        assert!(!report.outcome().to_string().contains('\n'));
    }
});
