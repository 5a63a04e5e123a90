//! The policies for other crawlers than the client's own, remembered for later questions.

use std::hash::Hash;
use std::sync::{Arc, Weak};

use comity::policy::Policy;
use comity::robots::Agent;
use quick_cache::Equivalent;

use super::one_shard;
use crate::Origin;

/// The policies that were asked for lately, within a bound of bytes.
#[derive(Debug)]
pub(super) struct Others {
    policies: quick_cache::sync::Cache<Key, Other, ByBytes>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    origin: Origin,
    agent: Agent,
}

/// A key for a look-up, which does not own its parts. It has the hash of a [`Key`].
#[derive(Hash)]
struct Looked<'a> {
    origin: &'a Origin,
    agent: &'a Agent,
}

impl Equivalent<Key> for Looked<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        *self.origin == key.origin && *self.agent == key.agent
    }
}

/// A policy for another crawler.
#[derive(Clone, Debug)]
struct Other {
    /// The client's own policy from the same answers. The other policy counts as long as this one does: when a new answer
    /// comes, the client has a new one.
    own: Weak<Policy>,
    policy: Arc<Policy>,
}

#[derive(Clone, Debug)]
struct ByBytes;

impl quick_cache::Weighter<Key, Other> for ByBytes {
    fn weight(&self, key: &Key, other: &Other) -> u64 {
        let bytes = size_of::<(Key, Other)>()
            + key.origin.as_str().len()
            + key.agent.heap_bytes()
            // The shell of the client's own policy stays for as long as somebody points to it.
            + 2 * size_of::<Policy>()
            + other.policy.heap_bytes();
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

/// The bytes of a policy with few rules, by which the sizes of tables are guessed.
const POLICY_BYTES: u64 = 1024;

impl Others {
    /// Creates a cache of about this many bytes.
    pub(super) fn new(bytes: u64) -> Self {
        let policies = usize::try_from(bytes / POLICY_BYTES).unwrap_or(usize::MAX).clamp(16, 1 << 16);
        Others { policies: one_shard(policies, bytes, ByBytes) }
    }

    /// Returns the policy for a crawler, if it comes from the answers that the client's own comes from.
    pub(super) fn get(&self, origin: &Origin, agent: &Agent, own: &Arc<Policy>) -> Option<Arc<Policy>> {
        let other = self.policies.get(&Looked { origin, agent })?;
        std::ptr::eq(other.own.as_ptr(), Arc::as_ptr(own)).then_some(other.policy)
    }

    pub(super) fn insert(&self, origin: &Origin, agent: &Agent, own: &Arc<Policy>, policy: &Arc<Policy>) {
        let key = Key { origin: origin.clone(), agent: agent.clone() };
        self.policies.insert(key, Other { own: Arc::downgrade(own), policy: policy.clone() });
    }
}
