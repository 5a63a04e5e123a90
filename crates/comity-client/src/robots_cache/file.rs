//! The robots.txt of a site for callers outside this module: present, absent, unreachable, or not requested because of
//! a local fault.

use bytes::Bytes;
use comity::policy::{AnswerKind, Availability, Evidence, Mode, Treatment};

use super::RobotsCache;
use crate::Origin;
use crate::store::StoreError;

/// The robots.txt of a site ([`Client::robots_txt`](crate::Client::robots_txt)).
///
/// Only [`Present`](RobotsFile::Present) contains rules of the site, and only [`Absent`](RobotsFile::Absent) means that
/// the site has no rules.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RobotsFile {
    /// The site has a robots.txt.
    Present {
        /// The answer of the server that contained the file.
        evidence: Evidence,
        /// The file.
        body: Bytes,
    },
    /// The site has no robots.txt: for example, a 404 or an HTML page in its place.
    Absent {
        /// The answer of the server.
        evidence: Evidence,
    },
    /// The request failed, so it is unknown whether the site has a robots.txt. Examples are a 503, a 429 and a reset
    /// connection.
    Unreachable {
        /// The latest answer or failure.
        evidence: Evidence,
        /// The last robots.txt that the site returned, if the store has it.
        last_copy: Option<Bytes>,
    },
    /// The state of the site is unknown. The reason is a local fault, such as no free descriptors, a failed proxy or a
    /// failed store, or the mode [`Ignore`](Mode::Ignore).
    FailedHere {
        /// The fault, or the mode.
        reason: String,
        /// The last robots.txt that the site returned, if the store has it.
        last_copy: Option<Bytes>,
    },
}

impl RobotsFile {
    /// Returns the name of the variant: `present`, `absent`, `unreachable` or `failed_here`.
    pub fn state(&self) -> &'static str {
        match self {
            RobotsFile::Present { .. } => "present",
            RobotsFile::Absent { .. } => "absent",
            RobotsFile::Unreachable { .. } => "unreachable",
            RobotsFile::FailedHere { .. } => "failed_here",
        }
    }

    /// Returns the status code of the latest answer, or `None` without an answer.
    pub fn status(&self) -> Option<u16> {
        match self {
            RobotsFile::Present { evidence, .. }
            | RobotsFile::Absent { evidence }
            | RobotsFile::Unreachable { evidence, .. } => evidence.status(),
            RobotsFile::FailedHere { .. } => None,
        }
    }

    /// Returns the reason for the state: the kind of the answer, or the message of the local fault.
    pub fn reason(&self) -> &str {
        match self {
            RobotsFile::Present { evidence, .. }
            | RobotsFile::Absent { evidence }
            | RobotsFile::Unreachable { evidence, .. } => evidence.kind().label(),
            RobotsFile::FailedHere { reason, .. } => reason,
        }
    }

    /// Returns the file, or its last copy if the file cannot be requested now.
    pub fn body(&self) -> Option<&Bytes> {
        match self {
            RobotsFile::Present { body, .. } => Some(body),
            RobotsFile::Absent { .. } => None,
            RobotsFile::Unreachable { last_copy, .. } | RobotsFile::FailedHere { last_copy, .. } => {
                last_copy.as_ref()
            }
        }
    }

    /// Creates the state that follows from an answer. Returns `None` if the body of a present file is missing.
    fn of_answer(evidence: Evidence, body: Option<Bytes>) -> Option<RobotsFile> {
        let is_withheld = matches!(evidence.kind(), AnswerKind::TooManyRequests | AnswerKind::ServerError);
        let is_unknown = is_withheld
            || evidence.kind().is_failure()
            || evidence.availability() == Availability::Unreachable;
        Some(match evidence.treatment() {
            _ if is_unknown => RobotsFile::Unreachable { evidence, last_copy: body },
            Treatment::ReadRules => RobotsFile::Present { evidence, body: body? },
            Treatment::AllowAll | Treatment::DisallowAll | Treatment::Warn => RobotsFile::Absent { evidence },
            // The rules of the site are unknown, even if the preset then allows requests.
            _ => RobotsFile::Unreachable { evidence, last_copy: body },
        })
    }

    fn failed_here(reason: impl Into<String>, last_copy: Option<Bytes>) -> RobotsFile {
        RobotsFile::FailedHere { reason: reason.into(), last_copy }
    }
}

impl RobotsCache {
    /// Returns the robots.txt of an origin. Requests it if necessary.
    pub(crate) async fn file(&self, origin: &Origin) -> RobotsFile {
        if self.shared.parts.mode == Mode::Ignore {
            return RobotsFile::failed_here("robots.txt is not requested in the mode `ignore`", None);
        }
        self.find_file(origin).await.unwrap_or_else(|error| RobotsFile::failed_here(error.to_string(), None))
    }

    async fn find_file(&self, origin: &Origin) -> Result<RobotsFile, StoreError> {
        // If the store has lost a file whose rules are in memory, request the file again, once.
        for _ in 0..2 {
            let policy = self.policy(origin).await?;
            let body = self.body(origin).await?;
            if let Some(fault) = policy.local_fault() {
                return Ok(RobotsFile::failed_here(fault.kind().label(), body));
            }
            let evidence = policy.evidence().cloned();
            if let Some(file) = evidence.and_then(|evidence| RobotsFile::of_answer(evidence, body)) {
                return Ok(file);
            }
            self.forget(origin);
        }
        Err(StoreError::new(format!("the store did not keep the robots.txt of {origin}")))
    }
}
