//! The visited site, and the decisions of its robots.txt.

use std::sync::Arc;
use std::time::SystemTime;

use comity::policy::{Decision, Policy};
use comity::robots::Agent;
use comity_client::{Cause, Client, Origin};

use crate::error::AuditError;
use crate::request::SiteRequest;

/// A visit of a site, and the crawlers whose access is compared.
pub(super) struct Visit<'a> {
    pub(super) request: &'a SiteRequest,
    pub(super) client: &'a Client,
    pub(super) origin: &'a Origin,
    pub(super) agents: &'a [Agent],
}

impl Visit<'_> {
    /// Creates the error for a site whose robots.txt could not be requested.
    pub(super) fn failed(&self, cause: Cause) -> AuditError {
        AuditError::Site { url: self.origin.robots_txt().to_string(), cause: Box::new(cause) }
    }
}

/// The policies of the crawlers, and the time of their decisions.
pub(super) struct Rules {
    pub(super) policies: Vec<Arc<Policy>>,
    pub(super) now: SystemTime,
}

impl Rules {
    /// Returns the decision about a URL for each crawler; empty if the URL cannot be decided.
    pub(super) fn of(&self, url: &str) -> Vec<Decision<'_>> {
        self.policies.iter().filter_map(|policy| policy.decide(url, self.now).ok()).collect()
    }
}
