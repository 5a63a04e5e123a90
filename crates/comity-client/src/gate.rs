//! Locks by key. They prevent several tasks from sending the same request at once.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use tokio::sync::OwnedMutexGuard;

use crate::lock::lock;

/// A lock for each key that is in use.
#[derive(Debug)]
pub(crate) struct Gates<K> {
    open: Mutex<HashMap<K, Arc<tokio::sync::Mutex<()>>>>,
}

impl<K> Default for Gates<K> {
    fn default() -> Self {
        Gates { open: Mutex::default() }
    }
}

impl<K: Clone + Eq + Hash> Gates<K> {
    /// Waits until no other task has access to `key`, and returns exclusive access. A waiting task may be cancelled at
    /// any time.
    pub(crate) async fn enter(&self, key: &K) -> Passage<'_, K> {
        let lock = lock(&self.open).entry(key.clone()).or_default().clone();
        let mut passage = Passage { gates: self, key: key.clone(), lock, turn: None };
        passage.turn = Some(passage.lock.clone().lock_owned().await);
        passage
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        lock(&self.open).len()
    }
}

/// Exclusive access to a key. Dropping this value ends the access.
#[derive(Debug)]
pub(crate) struct Passage<'g, K: Clone + Eq + Hash> {
    gates: &'g Gates<K>,
    key: K,
    lock: Arc<tokio::sync::Mutex<()>>,
    turn: Option<OwnedMutexGuard<()>>,
}

/// Removes the lock of the key if no other task uses it.
impl<K: Clone + Eq + Hash> Drop for Passage<'_, K> {
    fn drop(&mut self) {
        self.turn = None;
        let mut open = lock(&self.gates.open);
        // One reference is in this value and one in the map. More references mean that other tasks wait.
        if Arc::strong_count(&self.lock) <= 2 {
            open.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn gate_is_removed_after_its_last_task() {
        let gates = Gates::default();
        let first = gates.enter(&1).await;
        {
            let second = pin!(gates.enter(&1));
            assert!(
                tokio::time::timeout(Duration::from_millis(5), second).await.is_err(),
                "the second task has to wait"
            );
        }
        assert_eq!(gates.len(), 1);
        let _other = gates.enter(&2).await;
        assert_eq!(gates.len(), 2, "each key has a separate lock");
        drop(first);
        assert_eq!(gates.len(), 1);
        let again = gates.enter(&1).await;
        drop(again);
        assert_eq!(gates.len(), 1);
    }
}
