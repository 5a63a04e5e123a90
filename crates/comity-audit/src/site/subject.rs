//! The site that is looked at, and what its robots.txt decides.

use std::sync::Arc;
use std::time::SystemTime;

use comity::policy::{Decision, Policy};
use comity::robots::Agent;
use comity_client::{Cause, Client, Origin};

use crate::error::AuditError;
use crate::request::SiteRequest;

/// A site that is looked at, on behalf of some crawlers.
pub(super) struct Visit<'a> {
    pub(super) request: &'a SiteRequest,
    pub(super) client: &'a Client,
    pub(super) origin: &'a Origin,
    pub(super) agents: &'a [Agent],
}

impl Visit<'_> {
    /// Makes the error of a site whose robots.txt could not be asked for.
    pub(super) fn failed(&self, cause: Cause) -> AuditError {
        AuditError::Site { url: self.origin.robots_txt().to_string(), cause: Box::new(cause) }
    }
}

/// The access of each crawler.
pub(super) struct Rules {
    pub(super) policies: Vec<Arc<Policy>>,
    pub(super) now: SystemTime,
}

impl Rules {
    /// Returns what is decided of a URL for each crawler; nothing if it cannot be decided.
    pub(super) fn of(&self, url: &str) -> Vec<Decision<'_>> {
        self.policies.iter().filter_map(|policy| policy.decide(url, self.now).ok()).collect()
    }
}
