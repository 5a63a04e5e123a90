//! What an origin's robots.txt means to each crawler that is asked about.

use std::time::SystemTime;

use comity::policy::Policy;
use comity::robots::Agent;
use comity_client::{Cause, Client, Origin};

/// One policy for each crawler, in their order.
#[derive(Debug)]
pub(crate) struct Standing {
    pub(crate) policies: Vec<Policy>,
}

impl Standing {
    /// Asks the origin, if the cache does not know.
    ///
    /// # Errors
    ///
    /// What kept us from asking at all: the guard, a name without address, the store. That robots.txt itself cannot be
    /// had is no error but a policy.
    pub(crate) async fn ask(client: &Client, origin: &Origin, agents: &[Agent]) -> Result<Standing, Cause> {
        // The guard speaks up here; robots.txt by itself would only count as unreachable.
        client.decide(origin.robots_txt()).await?;
        let mut policies = Vec::with_capacity(agents.len());
        for agent in agents {
            policies.push(client.robots().policy_for(origin, agent).await.map_err(Cause::Store)?);
        }
        Ok(Standing { policies })
    }

    /// Whether it still counts.
    pub(crate) fn is_fresh(&self, now: SystemTime) -> bool {
        self.policies.iter().all(|policy| policy.is_fresh(now))
    }
}
