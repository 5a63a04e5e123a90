//! The policies of an origin's robots.txt for the crawlers in question.

use std::sync::Arc;
use std::time::SystemTime;

use comity::policy::Policy;
use comity::robots::Agent;
use comity_answers::site;
use comity_client::{Client, Origin};

use super::robots::{NoFile, file_of};
use super::trouble::Trouble;
use crate::robots_txt::RobotsFile;

/// The robots.txt of a site, with how it came in words (`200, just now; rfc9309`); or why there is none.
pub(crate) type Served = Result<(RobotsFile, String), Box<NoFile>>;

/// One policy for each crawler, in their order.
#[derive(Debug)]
pub(crate) struct Standing {
    pub(crate) policies: Vec<Arc<Policy>>,
    /// The robots.txt itself, if it was wanted.
    pub(crate) file: Option<Served>,
}

impl Standing {
    /// Asks the origin, if the cache does not know.
    ///
    /// # Errors
    ///
    /// The error that kept us from asking: the guard, a name without address, the store. A robots.txt that cannot be
    /// fetched is not an error: it leads to a policy.
    pub(crate) async fn ask(
        client: &Client,
        origin: &Origin,
        agents: &[Agent],
        wants_file: bool,
    ) -> Result<Standing, Trouble> {
        let refused = |cause| Trouble::new(origin.robots_txt().as_str(), &cause);
        let policies = site::policies(client, origin, agents).await.map_err(refused)?;
        let file = match policies.first().filter(|_| wants_file) {
            Some(policy) => Some(file_of(client, origin, policy).await?),
            None => None,
        };
        Ok(Standing { policies, file })
    }

    /// Returns whether the answer is still fresh.
    pub(crate) fn is_fresh(&self, now: SystemTime) -> bool {
        self.policies.iter().all(|policy| policy.is_fresh(now))
    }
}

/// Returns the robots.txt of an origin, or says why it cannot be read.
pub(crate) async fn file(client: &Client, origin: &Origin) -> Result<Served, Trouble> {
    let agents = std::slice::from_ref(client.agent());
    let standing = Standing::ask(client, origin, agents, true).await?;
    standing.file.ok_or_else(|| Trouble::plain(format!("`{}` was not read", origin.robots_txt())))
}
