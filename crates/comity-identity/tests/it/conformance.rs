//! The cases in `conformance/identity/`. The README there explains the fields.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use comity::http::Headers;
use comity_identity::{
    Directories, Directory, DirectoryAnswer, DirectoryProof, Discovery, DiscoveryType, Outcome, Request,
    Revision, Verifier,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    why: String,
    source: String,
    now: u64,
    request: Asked,
    directories: Vec<Event>,
    expect: Expected,
    /// The signature base, for other users of the cases.
    base: Option<String>,
    #[serde(default)]
    settings: Settings,
    revision: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    method: String,
    scheme: String,
    authority: String,
    target: String,
    headers: Fields,
}

type Fields = Vec<(String, String)>;

/// A request for a directory and its answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Event {
    origin: Option<String>,
    jwks_uri: Option<String>,
    at: u64,
    #[serde(default)]
    failed: bool,
    status: Option<u16>,
    #[serde(default)]
    headers: Fields,
    #[serde(default)]
    body: String,
    answered_by: Option<String>,
    padded_to: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    #[serde(default)]
    accept_bare_agent: bool,
    #[serde(default)]
    accept_test_keys: bool,
    /// If present and null, any lifetime is allowed.
    #[serde(default = "a_day")]
    max_lifetime: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { accept_bare_agent: false, accept_test_keys: false, max_lifetime: a_day() }
    }
}

fn a_day() -> Option<u64> {
    Some(86_400)
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Expected {
    outcome: String,
    reason: Option<String>,
    identifier: Option<String>,
    key: Option<String>,
}

impl From<&Outcome> for Expected {
    fn from(outcome: &Outcome) -> Self {
        let verified = outcome.verified();
        Expected {
            outcome: outcome.as_str().to_owned(),
            reason: outcome.reason().map(str::to_owned),
            identifier: verified.map(|verified| verified.identifier().to_owned()),
            key: verified.map(|verified| verified.key().to_string()),
        }
    }
}

fn cases<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/identity");
    let text = std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let lines = text.lines().enumerate();
    let read =
        |(at, line)| serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}:{}: {error}", at + 1));
    lines.map(read).collect()
}

fn headers(fields: &Fields) -> Headers<'_> {
    fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

fn time(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

fn happen(event: &Event, directories: &mut Directories) {
    let discovery = match (&event.origin, &event.jwks_uri) {
        (Some(origin), None) => Discovery::directory(origin),
        (None, Some(url)) => Discovery::jwks_uri(url),
        _ => panic!("either `origin` or `jwks_uri`"),
    };
    let discovery = discovery.expect("an address of keys");
    if event.failed {
        directories.failed(&discovery, time(event.at));
        return;
    }
    let url = event.answered_by.as_ref().map(|url| url.parse().expect("a URL"));
    let mut body = event.body.clone();
    let length = event.padded_to.unwrap_or_default();
    body.extend(std::iter::repeat_n(' ', length.saturating_sub(body.len())));
    let answer = DirectoryAnswer {
        url: url.as_ref().unwrap_or(discovery.url()),
        status: event.status.expect("a status"),
        headers: &headers(&event.headers),
        body: body.as_bytes(),
    };
    // The outcome of the case shows whether the answer was accepted.
    let _ = directories.take(&discovery, &answer, time(event.at));
}

fn outcome(case: &Case) -> Outcome {
    let mut directories = Directories::new();
    case.directories.iter().for_each(|event| happen(event, &mut directories));
    let fields = headers(&case.request.headers);
    let Asked { method, scheme, authority, target, .. } = &case.request;
    let request = Request::received(method, scheme, authority, target, &fields).expect("a request");
    let revision = match case.revision.as_deref() {
        None => Revision::Draft00,
        Some("draft_01") => Revision::Draft01,
        Some(other) => panic!("the revision {other}"),
    };
    let verifier = Verifier::new()
        .revision(revision)
        .max_lifetime(case.settings.max_lifetime.map(Duration::from_secs))
        .accept_bare_agent(case.settings.accept_bare_agent)
        .accept_test_keys(case.settings.accept_test_keys);
    verifier.verify(&request, &directories, time(case.now)).outcome().clone()
}

#[test]
fn requests_have_the_outcomes_of_the_cases() {
    let files = [
        "verified.jsonl",
        "changed.jsonl",
        "malformed.jsonl",
        "times.jsonl",
        "agents.jsonl",
        "directories.jsonl",
    ];
    let mut ids = BTreeSet::new();
    let mut faults = Vec::new();
    for case in files.iter().flat_map(|name| cases::<Case>(name)) {
        assert!(!case.why.is_empty() && !case.source.is_empty(), "{}", case.id);
        assert!(
            case.base.as_ref().is_none_or(|base| base.contains("\"@signature-params\": ")),
            "{}",
            case.id
        );
        assert!(ids.insert(case.id.clone()), "{} occurs twice", case.id);
        let is = Expected::from(&outcome(&case));
        if is != case.expect {
            faults.push(format!("{}: {is:?} instead of {:?}", case.id, case.expect));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(ids.len() >= 200, "{} cases", ids.len());
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProofCase {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    #[serde(rename = "source")]
    _source: String,
    now: u64,
    origin: String,
    headers: Fields,
    body: String,
    expect: ExpectedProof,
}

#[derive(Debug, Deserialize, PartialEq)]
struct ExpectedProof {
    proven: Vec<String>,
    refused: Vec<String>,
}

#[test]
fn signed_directories_have_the_outcomes_of_the_cases() {
    for case in cases::<ProofCase>("proofs.jsonl") {
        let discovery = Discovery::directory(&case.origin).expect("an origin");
        let directory = Directory::read(case.body.as_bytes(), DiscoveryType::Directory).expect("a directory");
        let fields = headers(&case.headers);
        let proof =
            DirectoryProof::check(&discovery, &fields, case.body.as_bytes(), &directory, time(case.now));
        let is = ExpectedProof {
            proven: proof.proven().iter().map(ToString::to_string).collect(),
            refused: proof.refused().filter_map(|(_, outcome)| outcome.reason()).map(str::to_owned).collect(),
        };
        assert_eq!(is, case.expect, "{}", case.id);
    }
}
