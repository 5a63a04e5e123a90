//! Locks of origins.

use std::hash::{BuildHasher, RandomState};

use tokio::sync::{Mutex, MutexGuard};

use crate::Origin;

/// Number of locks. A byte of the origin's hash selects the lock, so some origins share one.
const LOCKS: usize = 256;

/// Locks under which the operations on one origin run one after the other.
#[derive(Debug)]
pub(super) struct OriginLocks {
    locks: Box<[Mutex<()>; LOCKS]>,
    hasher: RandomState,
}

impl OriginLocks {
    pub(super) fn new() -> Self {
        OriginLocks { locks: Box::new(std::array::from_fn(|_| Mutex::new(()))), hasher: RandomState::new() }
    }

    pub(super) async fn lock(&self, origin: &Origin) -> MutexGuard<'_, ()> {
        self.locks[usize::from(self.hasher.hash_one(origin).to_le_bytes()[0])].lock().await
    }
}
