//! Checks of a served directory, with which its operator finds flaws before verifiers do.

use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use comity::UnknownName;
use comity::finding::Severity;
use comity::policy::stated_lifetime;

use crate::agent::Discovery;
use crate::directories::{DirectoryAnswer, DiscoveryFailure, FLOOR};
use crate::directory::{Directory, DirectoryError, KeyFault, PublishedKey};
use crate::outcome::Outcome;
use crate::proof::DirectoryProof;

/// Declares the flaws: a name, a code, a severity, a summary, and the way out.
macro_rules! flaws {
    ($($name:ident $code:literal $severity:ident $summary:literal $help:literal;)+) => {
        /// The flaws that a served directory may have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Flaw {
            $(#[doc = $summary] $name,)+
        }

        impl Flaw {
            /// All flaws, the most severe first.
            pub const ALL: &'static [Flaw] = &[$(Flaw::$name,)+];

            /// Returns the stable name, such as `identity-no-key`.
            pub const fn code(self) -> &'static str {
                match self { $(Flaw::$name => $code,)+ }
            }

            /// Returns the severity.
            pub const fn severity(self) -> Severity {
                match self { $(Flaw::$name => Severity::$severity,)+ }
            }

            /// Returns the meaning of the flaw, in one sentence.
            pub const fn summary(self) -> &'static str {
                match self { $(Flaw::$name => $summary,)+ }
            }

            /// Returns the way out: lower case, no full stop.
            pub const fn help(self) -> &'static str {
                match self { $(Flaw::$name => $help,)+ }
            }
        }
    };
}

flaws! {
    Redirect "identity-redirect" Error
        "The address redirects, and verifiers do not follow redirects."
        "serve the directory at exactly this address";
    Status "identity-status" Error
        "The status is not 200, the only valid one."
        "serve the directory with status 200 to all clients";
    MediaType "identity-media-type" Error
        "The media type is not the one required at the well-known path."
        "serve it as `application/http-message-signatures-directory+json`; `comity identity serve-snippets` shows how";
    TooLarge "identity-too-large" Error
        "The directory is larger than 64 KiB and is not read."
        "publish only keys that are valid now or later";
    TooManyKeys "identity-too-many-keys" Error
        "The directory lists more than 64 keys and is not read."
        "publish only keys that are valid now or later";
    NotAJwkSet "identity-not-a-jwk-set" Error
        "The body is not JSON with a list `keys`."
        "serve the output of `comity identity directory`";
    PrivateKey "identity-private-key" Error
        "A key is published with its private half, so anybody can sign with it."
        "remove the key at once, and create another one with `comity identity new`";
    TestKey "identity-test-key" Error
        "A key is an example from a standard, with a published private half."
        "create your own key with `comity identity new`";
    MalformedKey "identity-malformed-key" Error
        "An entry is not a valid key, or is a weak key."
        "write it as in RFC 8037: `kty` OKP, `crv` Ed25519, `x` of 32 bytes in base64url without padding";
    KeyName "identity-key-name" Error
        "The name of a key is not its thumbprint, so verifiers ignore the key."
        "set `kid` to the thumbprint of the key (RFC 7638), or leave it out";
    NoKey "identity-no-key" Error
        "No listed key is valid now, so no signature can be verified."
        "publish the key that signs";
    RepeatedKey "identity-repeated-key" Warning
        "A key is listed more than once; only the first entry is used."
        "list it once";
    ExpiredKey "identity-expired-key" Warning
        "An expired key is still listed."
        "publish the directory without it";
    BadProof "identity-bad-proof" Warning
        "A signature of the directory is not valid."
        "sign the directory again: `comity identity directory --headers`";
    ShortLifetime "identity-short-lifetime" Warning
        "Copies may be cached for less than five minutes, which is shorter than verifiers' minimum."
        "send `Cache-Control: max-age=3600`";
    NoLifetime "identity-no-lifetime" Note
        "The answer has no cache lifetime, so each verifier chooses one."
        "send `Cache-Control: max-age=3600`";
    UnsupportedKey "identity-unsupported-key" Note
        "A key has an algorithm other than Ed25519, which Comity does not verify."
        "no change is needed if other verifiers support it";
    OtherUse "identity-other-use" Note
        "A key is not for signatures and is ignored."
        "set `use` to `sig` if it signs requests";
    NotProven "identity-not-proven" Note
        "The directory is not signed with this key. Copies from third parties must be signed."
        "serve the fields that `comity identity directory --headers` prints";
}

/// Parses a [code](Flaw::code). Case is ignored, and `-` is equivalent to `_`.
///
/// ```
/// use comity_identity::Flaw;
///
/// assert_eq!("identity_no_key".parse(), Ok(Flaw::NoKey));
/// assert!(Flaw::ALL.iter().all(|flaw| flaw.to_string().parse() == Ok(*flaw)));
/// ```
impl FromStr for Flaw {
    type Err = UnknownName;

    fn from_str(code: &str) -> Result<Self, UnknownName> {
        comity::find_word("flaw", Flaw::ALL, Flaw::code, code)
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

/// A flaw in a directory, with its details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryFinding {
    flaw: Flaw,
    message: String,
}

impl DirectoryFinding {
    /// Returns the flaw.
    pub fn flaw(&self) -> Flaw {
        self.flaw
    }

    /// Returns the details of the flaw: lower case, no full stop.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// The review of a served directory, by the rules of a verifier.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use comity::http::Headers;
/// use comity_identity::{DirectoryAnswer, Discovery, Flaw, Review};
///
/// let discovery = Discovery::directory("https://bot.example")?;
/// let headers: Headers = [("Content-Type", "application/json")].into_iter().collect();
/// let answer = DirectoryAnswer { url: discovery.url(), status: 200, headers: &headers, body: b"{\"keys\":[]}" };
/// let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000);
/// let review = Review::of(&discovery, &answer, now);
/// let flaws: Vec<Flaw> = review.findings().iter().map(|finding| finding.flaw()).collect();
/// assert_eq!(flaws, [Flaw::MediaType, Flaw::NoKey, Flaw::NoLifetime]);
/// # Ok::<(), comity_identity::DiscoveryError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    directory: Directory,
    proof: Option<DirectoryProof>,
    findings: Vec<DirectoryFinding>,
}

impl Review {
    /// Reviews the answer to a request for a directory. `now` is the time of the request.
    ///
    /// If only the media type is wrong, the keys are reviewed, too.
    pub fn of(discovery: &Discovery, answer: &DirectoryAnswer<'_>, now: SystemTime) -> Self {
        let mut review = Review { directory: Directory::default(), proof: None, findings: Vec::new() };
        let read = match answer.read(discovery) {
            Err(failure @ DiscoveryFailure::MediaType) => {
                review.find(Flaw::MediaType, failure.to_string());
                Directory::read(answer.body, discovery.kind()).map_err(DiscoveryFailure::Directory)
            }
            read => read,
        };
        match read {
            Ok(directory) => review.judge(directory, discovery, answer, now),
            Err(failure) => review.find(flaw_of(failure), failure.to_string()),
        }
        // Sorts by severity. Findings of one kind keep the order of the file.
        let rank = |flaw: Flaw| Flaw::ALL.iter().position(|one| *one == flaw);
        review.findings.sort_by_key(|finding| rank(finding.flaw));
        review
    }

    /// Returns the keys that were read.
    pub fn keys(&self) -> &[PublishedKey] {
        self.directory.keys()
    }

    /// Returns whether the holder of a key signed the directory.
    pub fn is_proven(&self, key: &PublishedKey) -> bool {
        self.proof.as_ref().is_some_and(|proof| proof.proven().contains(&key.thumbprint()))
    }

    /// Returns the findings, the most severe first.
    pub fn findings(&self) -> &[DirectoryFinding] {
        &self.findings
    }

    fn find(&mut self, flaw: Flaw, message: String) {
        self.findings.push(DirectoryFinding { flaw, message });
    }

    fn judge(
        &mut self,
        directory: Directory,
        discovery: &Discovery,
        answer: &DirectoryAnswer<'_>,
        now: SystemTime,
    ) {
        for fault in directory.left_out() {
            self.find(flaw_of_key(*fault), fault.to_string());
        }
        let proof = DirectoryProof::check(discovery, answer.headers, answer.body, &directory, now);
        for (label, outcome) in proof.refused() {
            let reason = match outcome {
                Outcome::Invalid(reason) => reason.to_string(),
                Outcome::Unverified(reason) => reason.to_string(),
                Outcome::Verified(_) | Outcome::NotSigned => continue,
            };
            self.find(Flaw::BadProof, format!("the signature `{label}` is not valid: {reason}"));
        }
        for key in directory.keys() {
            let name = key.thumbprint();
            if name.is_test_key() {
                self.find(Flaw::TestKey, format!("the key {name} is an example from a standard"));
            } else if key.validity().is_over(now) {
                self.find(Flaw::ExpiredKey, format!("the key {name} has expired"));
            } else if !proof.proven().contains(&name) {
                self.find(Flaw::NotProven, format!("the directory is not signed with the key {name}"));
            }
        }
        let counts = |key: &PublishedKey| key.validity().holds(now) && !key.thumbprint().is_test_key();
        if !directory.keys().iter().any(counts) {
            self.find(Flaw::NoKey, "no key is valid now".to_owned());
        }
        match stated_lifetime(answer.headers, now) {
            None => self.find(Flaw::NoLifetime, "the answer has no cache lifetime".to_owned()),
            Some(stated) if stated < FLOOR => {
                let seconds = stated.as_secs();
                self.find(Flaw::ShortLifetime, format!("copies may be cached for {seconds} s"));
            }
            Some(_) => {}
        }
        self.directory = directory;
        self.proof = Some(proof);
    }
}

fn flaw_of(failure: DiscoveryFailure) -> Flaw {
    match failure {
        DiscoveryFailure::Status(300..400) | DiscoveryFailure::Redirected => Flaw::Redirect,
        DiscoveryFailure::Status(_) => Flaw::Status,
        DiscoveryFailure::MediaType => Flaw::MediaType,
        DiscoveryFailure::Directory(DirectoryError::TooLarge) => Flaw::TooLarge,
        DiscoveryFailure::Directory(DirectoryError::TooManyKeys) => Flaw::TooManyKeys,
        DiscoveryFailure::Directory(DirectoryError::NotAJwkSet) => Flaw::NotAJwkSet,
    }
}

fn flaw_of_key(fault: KeyFault) -> Flaw {
    match fault {
        KeyFault::Malformed => Flaw::MalformedKey,
        KeyFault::Unsupported => Flaw::UnsupportedKey,
        KeyFault::Private => Flaw::PrivateKey,
        KeyFault::OtherUse => Flaw::OtherUse,
        KeyFault::Name => Flaw::KeyName,
        KeyFault::Repeated => Flaw::RepeatedKey,
    }
}
