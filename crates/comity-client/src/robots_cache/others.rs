//! A cache of the policies for crawlers other than the client's own.

use std::hash::Hash;
use std::sync::{Arc, Weak};

use comity::policy::Policy;
use comity::robots::Agent;
use quick_cache::Equivalent;

use super::one_shard;
use crate::Origin;

/// Recently used policies of other crawlers, limited by size in bytes.
#[derive(Debug)]
pub(super) struct OtherPolicies {
    policies: quick_cache::sync::Cache<Key, OtherPolicy, ByBytes>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    origin: Origin,
    agent: Agent,
}

/// A borrowed lookup key. It has the same hash as a [`Key`].
#[derive(Hash)]
struct KeyRef<'a> {
    origin: &'a Origin,
    agent: &'a Agent,
}

impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        *self.origin == key.origin && *self.agent == key.agent
    }
}

/// A policy for another crawler.
#[derive(Clone, Debug)]
struct OtherPolicy {
    /// The client's own policy that was derived from the same answers. A new answer replaces it, and then the other
    /// policy is no longer valid.
    own: Weak<Policy>,
    policy: Arc<Policy>,
}

#[derive(Clone, Debug)]
struct ByBytes;

impl quick_cache::Weighter<Key, OtherPolicy> for ByBytes {
    fn weight(&self, key: &Key, other: &OtherPolicy) -> u64 {
        let bytes = size_of::<(Key, OtherPolicy)>()
            + key.origin.as_str().len()
            + key.agent.heap_bytes()
            // The weak pointer keeps the allocation of the client's own policy alive, so both policies count.
            + 2 * size_of::<Policy>()
            + other.policy.heap_bytes();
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

/// Size of a policy with few rules, in bytes. It is used to estimate the sizes of tables.
const POLICY_BYTES: u64 = 1024;

impl OtherPolicies {
    /// Creates a cache with a maximum size of about `bytes` bytes.
    pub(super) fn new(bytes: u64) -> Self {
        let policies = usize::try_from(bytes / POLICY_BYTES).unwrap_or(usize::MAX).clamp(16, 1 << 16);
        OtherPolicies { policies: one_shard(policies, bytes, ByBytes) }
    }

    /// Returns the policy of a crawler if it was derived from the same answers as the client's own policy `own`.
    pub(super) fn get(&self, origin: &Origin, agent: &Agent, own: &Arc<Policy>) -> Option<Arc<Policy>> {
        let other = self.policies.get(&KeyRef { origin, agent })?;
        std::ptr::eq(other.own.as_ptr(), Arc::as_ptr(own)).then_some(other.policy)
    }

    pub(super) fn insert(&self, origin: &Origin, agent: &Agent, own: &Arc<Policy>, policy: &Arc<Policy>) {
        let key = Key { origin: origin.clone(), agent: agent.clone() };
        self.policies.insert(key, OtherPolicy { own: Arc::downgrade(own), policy: policy.clone() });
    }
}
