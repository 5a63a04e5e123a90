//! Compares Comity's verifier with Cloudflare's crate `web-bot-auth` (the peer), on the cases of `conformance/identity`
//! and on generated requests.
//!
//! ```text
//! cargo run [COUNT [FILE]]    COUNT pairs of requests, signed and changed (10,000); writes the first 1,000 pairs to FILE
//! ```
//!
//! The comparison fails if a difference is not in `EXPECTED`, or if an entry of `EXPECTED` does not occur. Times are
//! not compared, and the peer has all keys, so it fetches no directory.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, UNIX_EPOCH};

use comity::http::Headers;
use comity_identity::{
    Directories, DirectoryAnswer, Discovery, Identity, MEDIA_TYPE, PrivateKey, Request, Validity, Verifier,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sfv::{BareItem, Item, Parser, SerializeValue as _};
use web_bot_auth::WebBotAuthVerifier;
use web_bot_auth::components::{
    CoveredComponent, DerivedComponent, HTTPField, HTTPFieldParameters, QueryParamParameters,
};
use web_bot_auth::keyring::{JSONWebKeySet, KeyRing};
use web_bot_auth::message_signatures::SignedMessage;

const NOW: u64 = 1_790_000_000;

/// The expected differences: the start of the ids of cases, and the reason.
const EXPECTED: &[(&str, &str)] = &include!("expected.rs");

#[derive(Deserialize)]
struct Case {
    id: String,
    request: RequestFacts,
    expect: Expected,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct RequestFacts {
    method: String,
    scheme: String,
    authority: String,
    target: String,
    headers: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Expected {
    outcome: String,
}

/// Returns the value of a header line without surrounding white space and line folds (RFC 9421 §2.1).
fn unfolded(line: &str) -> String {
    let pieces: Vec<&str> = line.split('\n').map(|piece| piece.trim_matches([' ', '\t', '\r'])).collect();
    pieces.join(" ").trim().to_owned()
}

/// A request, with the values of its components that the caller of the peer has to provide.
struct Message<'r> {
    request: &'r Request<'r>,
    fields: &'r [(String, String)],
}

impl SignedMessage for Message<'_> {
    fn lookup_component(&self, component: &CoveredComponent) -> Vec<String> {
        let query = self.request.query().unwrap_or_default();
        let value = match component {
            CoveredComponent::HTTP(HTTPField { name, parameters }) => {
                let lines = self.fields.iter().filter(|(field, _)| field.eq_ignore_ascii_case(name));
                let lines: Vec<String> = lines.map(|(_, value)| unfolded(value)).collect();
                if lines.is_empty() {
                    return lines;
                }
                return with_parameters(&lines, &parameters.0).into_iter().collect();
            }
            CoveredComponent::Derived(derived) => match derived {
                DerivedComponent::Authority { .. } => self.request.authority().to_owned(),
                DerivedComponent::TargetUri { .. } => self.request.target_uri(),
                DerivedComponent::RequestTarget { .. } if query.is_empty() => self.request.path().to_owned(),
                DerivedComponent::RequestTarget { .. } => format!("{}?{query}", self.request.path()),
                DerivedComponent::Method { .. } => self.request.method().to_owned(),
                DerivedComponent::Path { .. } => self.request.path().to_owned(),
                DerivedComponent::Scheme { .. } => self.request.scheme().to_owned(),
                DerivedComponent::Query { .. } => format!("?{query}"),
                DerivedComponent::QueryParams { parameters } => {
                    let name = parameters.0.iter().find_map(|parameter| match parameter {
                        QueryParamParameters::Name(name) => Some(name.as_str()),
                        QueryParamParameters::Req => None,
                    });
                    let encode = |text: &str| {
                        let text: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
                        text.replace('+', "%20")
                    };
                    let pairs = url::form_urlencoded::parse(query.as_bytes());
                    return pairs
                        .filter(|(key, _)| Some(encode(key).as_str()) == name)
                        .map(|(_, value)| encode(&value))
                        .collect();
                }
                DerivedComponent::Status { .. } => return Vec::new(),
            },
        };
        vec![value]
    }
}

/// Returns the value of a header field with the parameters of its component applied (RFC 9421 §2.1).
fn with_parameters(lines: &[String], parameters: &[HTTPFieldParameters]) -> Option<String> {
    let whole = lines.join(", ");
    let list = |entry| vec![entry].serialize_value();
    for parameter in parameters {
        match parameter {
            HTTPFieldParameters::Bs => {
                let bytes = |line: &String| {
                    list(Item::new(BareItem::ByteSequence(line.as_bytes().to_vec())).into())
                        .unwrap_or_default()
                };
                return Some(lines.iter().map(bytes).collect::<Vec<_>>().join(", "));
            }
            HTTPFieldParameters::Key(key) => {
                let mut members = Parser::new(&whole).parse_dictionary().ok()?;
                return list(members.shift_remove(key.as_str())?);
            }
            HTTPFieldParameters::Sf => return Parser::new(&whole).parse_dictionary().ok()?.serialize_value(),
            _ => {}
        }
    }
    Some(whole)
}

/// Returns true if the peer verifies a request.
fn peer(facts: &RequestFacts, keys: &KeyRing) -> bool {
    let headers: Headers<'_> =
        facts.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let Ok(request) =
        Request::received(&facts.method, &facts.scheme, &facts.authority, &facts.target, &headers)
    else {
        return false;
    };
    let message = Message { request: &request, fields: &facts.headers };
    WebBotAuthVerifier::parse(&message).and_then(|verifier| verifier.verify(keys, None)).is_ok()
}

fn key_ring(directory: &str) -> KeyRing {
    let mut keys = KeyRing::default();
    let set: JSONWebKeySet = serde_json::from_str(directory).expect("a directory");
    keys.import_jwks(set);
    keys
}

/// Generates a request and signs it with Comity.
fn generate(random: &mut fastrand::Rng, identity: &Identity) -> RequestFacts {
    let text = |random: &mut fastrand::Rng, alphabet: &[u8], most: usize| {
        let length = random.usize(..=most);
        (0..length).map(|_| char::from(alphabet[random.usize(..alphabet.len())])).collect::<String>()
    };
    let path = text(random, b"abcXYZ019-._~/%!$&'()*+,;=:@ \"<>[]^`{|}\\", 24);
    let query = text(random, b"abc=&&==+%20%C3%A9/?:@!$'()*,;- \"<>", 24);
    let host = text(random, b"abcdefXYZ0123456789-", 12);
    let port = ["", "", "", ":443", ":8443"][random.usize(..5)];
    let mark = if random.bool() { "?" } else { "" };
    let url =
        format!("https://a{host}a.example{port}/{path}{mark}{}", if mark.is_empty() { "" } else { &query });
    let url: url::Url = url.parse().expect("a URL");
    let method = ["GET", "HEAD", "POST", "PROPFIND", "QUERY"][random.usize(..5)];
    let headers = Headers::new();
    let at = UNIX_EPOCH + Duration::from_secs(NOW);
    let signed = identity.sign(&Request::new(method, &url, &headers), at).expect("signed");
    RequestFacts {
        method: method.to_owned(),
        scheme: "https".to_owned(),
        authority: url[url::Position::BeforeHost..url::Position::AfterPort].to_owned(),
        target: url[url::Position::BeforePath..url::Position::AfterQuery].to_owned(),
        headers: signed.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
    }
}

/// Replaces one character of a component by a random character, which may be equal.
fn change(random: &mut fastrand::Rng, facts: &RequestFacts) -> RequestFacts {
    let mut other = facts.clone();
    let places = 3 + other.headers.len();
    let fact = match random.usize(..places) {
        0 => &mut other.method,
        1 => &mut other.authority,
        2 => &mut other.target,
        field => &mut other.headers[field - 3].1,
    };
    let at = random.usize(..fact.len());
    let with = char::from(random.u8(b'!'..=b'~'));
    fact.replace_range(at..=at, &with.to_string());
    other
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().map_or(10_000, |count| count.parse().expect("a number"));
    let mut file = arguments.next().map(|path| std::fs::File::create(path).expect("a file"));
    let mut differences: BTreeMap<String, (bool, bool)> = BTreeMap::new();

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../conformance/identity");
    let jwk = |x: &str| format!(r#"{{"keys":[{{"kty":"OKP","crv":"Ed25519","x":"{x}"}}]}}"#);
    let mut keys = key_ring(&jwk("JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"));
    for seed in [0_u8, 32] {
        let seed: [u8; 32] = std::array::from_fn(|at| seed + u8::try_from(at).expect("a byte"));
        let directory = identity(&seed).directory(UNIX_EPOCH).to_json();
        keys.import_jwks(serde_json::from_str(&directory).expect("a directory"));
    }
    let mut cases = 0;
    for name in ["verified", "changed", "malformed", "agents"] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).expect("the cases");
        for line in text.lines() {
            let case: Case = serde_json::from_str(line).expect("a case");
            let (ours, theirs) = (case.expect.outcome == "verified", peer(&case.request, &keys));
            cases += 1;
            if ours != theirs {
                differences.insert(case.id, (ours, theirs));
            }
        }
    }

    let identity = identity(&[7; 32]);
    let at = UNIX_EPOCH + Duration::from_secs(NOW);
    let body = identity.directory(at).to_json();
    let keys = key_ring(&body);
    let fields: Headers<'_> = [("Content-Type", MEDIA_TYPE)].into_iter().collect();
    let url = identity.discovery().url();
    let answer = DirectoryAnswer { url, status: 200, headers: &fields, body: body.as_bytes() };
    let mut directories = Directories::new();
    directories.take(identity.discovery(), &answer, at).expect("a directory");
    let mut random = fastrand::Rng::with_seed(1);
    let mut verified = 0;
    for number in 0..count {
        let signed = generate(&mut random, &identity);
        for (kind, facts) in [("signed", signed.clone()), ("changed", change(&mut random, &signed))] {
            let headers: Headers<'_> =
                facts.headers.iter().map(|(name, value)| (&**name, &**value)).collect();
            let request =
                Request::received(&facts.method, "https", &facts.authority, &facts.target, &headers);
            let ours = request.is_ok_and(|request| {
                Verifier::new().verify(&request, &directories, at).outcome().verified().is_some()
            });
            let theirs = peer(&facts, &keys);
            verified += usize::from(ours);
            if ours != theirs {
                differences.insert(format!("generated-{kind}-{number}"), (ours, theirs));
            }
            if let Some(file) = file.as_mut().filter(|_| number < 1_000) {
                let outcome = if ours { "verified" } else { "invalid" };
                let id = format!("generated-{kind}-{number}");
                let case = json!({ "id": id, "request": facts, "expect": { "outcome": outcome } });
                writeln!(file, "{case}").expect("written");
            }
        }
    }
    println!("{cases} cases, {} generated requests, {verified} of them verified by Comity", 2 * count);
    report(&differences)
}

fn identity(seed: &[u8; 32]) -> Identity {
    let discovery = Discovery::directory("https://bot.example").expect("an origin");
    Identity::new(discovery).with_key(PrivateKey::from_random(seed), Validity::unbounded())
}

fn report(differences: &BTreeMap<String, (bool, bool)>) -> ExitCode {
    let mut seen = BTreeSet::new();
    let mut is_clean = true;
    for (id, (ours, theirs)) in differences {
        let reason = EXPECTED.iter().find(|(start, _)| id.starts_with(start));
        let who = if *theirs && !ours { "only web-bot-auth verifies" } else { "only Comity verifies" };
        match reason {
            Some((start, why)) => {
                seen.insert(*start);
                println!("{id}: {who}: {why}");
            }
            None => {
                is_clean = false;
                println!("{id}: {who}: NOT EXPECTED");
            }
        }
    }
    for (start, _) in EXPECTED.iter().filter(|(start, _)| !seen.contains(start)) {
        is_clean = false;
        println!("{start}: this expected difference did not occur");
    }
    if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
