//! Fair shares of requests, memory and CPU-bound work between callers.
//!
//! A caller may use at most as many requests and bytes as remain free. So a single caller can use half of them, and each
//! of two competing callers can use a third. The rest remains for new callers. A caller may have at
//! most as many CPU-bound jobs, running or queued, as there are processors.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::access_control::Caller;
use crate::options::ServiceOptions;
use crate::problem::{Kind, Problem};

/// Maximum number of concurrent page fetches for the assistants of one caller.
const MAX_PAGES: usize = 4;

/// Minimum number of callers without a token at which unused entries are removed.
const FIRST_SWEEP: usize = 4_096;

/// Number of bytes of each request that are not counted, so that small requests do not change the shared counter.
const UNCOUNTED_BYTES: usize = 16 << 10;

/// Wait time for refused callers before they retry.
const RETRY_AFTER: Duration = Duration::from_secs(1);

comity::words! {
    /// A resource that callers share.
    pub(crate) enum Resource {
        /// Requests whose body has begun to arrive.
        Requests = "requests",
        /// Requests whose body has not begun to arrive.
        Waiting = "waiting",
        /// Bytes of questions and answers.
        Bytes = "bytes",
    }
}

/// One resource: its size, and the amount in use.
#[derive(Debug)]
struct Pool {
    total: usize,
    used: AtomicUsize,
    refused: AtomicU64,
}

/// The resources, and the callers that share them.
#[derive(Debug)]
pub(crate) struct Shares {
    pools: [Pool; 3],
    tokens: Vec<Arc<Usage>>,
    socket: Arc<Usage>,
    anonymous: Mutex<Anonymous>,
    processors: usize,
}

/// Callers without a token. Their number is not limited.
#[derive(Debug)]
struct Anonymous {
    usages: HashMap<Caller, Arc<Usage>>,
    /// When the number of entries reaches this, unused entries are removed.
    sweep_at: usize,
}

/// The resources that one caller uses.
#[derive(Debug)]
pub(crate) struct Usage {
    used: [AtomicUsize; 3],
    /// Permits for page fetches of assistants.
    pub(crate) pages: Semaphore,
    /// Permits for CPU-bound work.
    pub(crate) heavy: Arc<Semaphore>,
}

impl Usage {
    fn new(processors: usize, pages: usize) -> Arc<Usage> {
        Arc::new(Usage {
            used: Default::default(),
            pages: Semaphore::new(pages),
            heavy: Arc::new(Semaphore::new(processors)),
        })
    }
}

impl Shares {
    pub(crate) fn new(options: &ServiceOptions, processors: usize) -> Arc<Shares> {
        let pool = |total| Pool { total, used: AtomicUsize::new(0), refused: AtomicU64::new(0) };
        Arc::new(Shares {
            pools: [pool(options.requests), pool(options.connections), pool(options.answer_bytes)],
            tokens: options.tokens.iter().map(|_| Usage::new(processors, MAX_PAGES)).collect(),
            // All callers on the Unix socket count as one caller, so their page fetches have no separate limit.
            socket: Usage::new(processors, Semaphore::MAX_PERMITS),
            anonymous: Mutex::new(Anonymous { usages: HashMap::new(), sweep_at: FIRST_SWEEP }),
            processors,
        })
    }

    /// Returns the resources that a caller uses.
    pub(crate) fn usage(&self, caller: Caller) -> Arc<Usage> {
        match caller {
            Caller::Token(index) => Arc::clone(self.tokens.get(index).unwrap_or(&self.socket)),
            Caller::Socket => Arc::clone(&self.socket),
            Caller::Address(_) | Caller::Agent(_) => {
                // No code panics while it holds the lock.
                let mut anonymous = self.anonymous.lock().unwrap_or_else(PoisonError::into_inner);
                let Anonymous { usages, sweep_at } = &mut *anonymous;
                if usages.len() >= *sweep_at && !usages.contains_key(&caller) {
                    usages.retain(|_, usage| Arc::strong_count(usage) > 1);
                    *sweep_at = FIRST_SWEEP.max(2 * usages.len());
                }
                Arc::clone(usages.entry(caller).or_insert_with(|| Usage::new(self.processors, MAX_PAGES)))
            }
        }
    }

    /// Returns the amount of a resource that is in use.
    pub(crate) fn used(&self, resource: Resource) -> usize {
        self.pools[resource as usize].used.load(Ordering::Relaxed)
    }

    /// Returns the number of requests that were refused because a resource was used up.
    pub(crate) fn refused(&self, resource: Resource) -> u64 {
        self.pools[resource as usize].refused.load(Ordering::Relaxed)
    }

    /// Reserves one unit of a resource for a caller, until the share is dropped.
    pub(crate) fn take(self: &Arc<Self>, usage: &Arc<Usage>, resource: Resource) -> Result<Share, Problem> {
        self.add(usage, resource, 1).inspect_err(|_| self.count_refusal(resource))?;
        Ok(Share { shares: Arc::clone(self), usage: Arc::clone(usage), resource })
    }

    fn add(&self, usage: &Usage, resource: Resource, amount: usize) -> Result<(), Problem> {
        let pool = &self.pools[resource as usize];
        // Relaxed ordering is enough: the counters guard no other memory.
        let own = usage.used[resource as usize].fetch_add(amount, Ordering::Relaxed).saturating_add(amount);
        let before = pool.used.fetch_add(amount, Ordering::Relaxed);
        let free = pool.total.saturating_sub(before);
        if own <= free {
            return Ok(());
        }
        self.remove(usage, resource, amount);
        let total = pool.total;
        let shared = match resource {
            Resource::Requests => format!("request; the service answers at most {total} requests at once"),
            Resource::Waiting => format!("request; at most {total} requests may wait for their body"),
            Resource::Bytes => format!("memory; questions and answers may take at most {} MiB", total >> 20),
        };
        let detail = format!("the caller's share allows no further {shared}");
        Err(Problem::new(Kind::Busy, detail).after(RETRY_AFTER))
    }

    fn count_refusal(&self, resource: Resource) {
        self.pools[resource as usize].refused.fetch_add(1, Ordering::Relaxed);
    }

    fn remove(&self, usage: &Usage, resource: Resource, amount: usize) {
        self.pools[resource as usize].used.fetch_sub(amount, Ordering::Relaxed);
        usage.used[resource as usize].fetch_sub(amount, Ordering::Relaxed);
    }
}

/// A reserved unit of a resource.
#[derive(Debug)]
pub(crate) struct Share {
    shares: Arc<Shares>,
    usage: Arc<Usage>,
    resource: Resource,
}

impl Drop for Share {
    fn drop(&mut self) {
        self.shares.remove(&self.usage, self.resource, 1);
    }
}

/// The memory that one request reserves: for its question, and for its answer until the answer was written.
#[derive(Debug)]
pub(crate) struct Memory {
    shares: Arc<Shares>,
    usage: Arc<Usage>,
    held: AtomicUsize,
    /// True once a reservation of this request was refused, so that later refusals are not counted.
    is_refused: AtomicBool,
}

impl Memory {
    pub(crate) fn new(shares: &Arc<Shares>, caller: Caller) -> Arc<Memory> {
        Arc::new(Memory {
            shares: Arc::clone(shares),
            usage: shares.usage(caller),
            held: AtomicUsize::new(0),
            is_refused: AtomicBool::new(false),
        })
    }

    pub(crate) fn usage(&self) -> &Arc<Usage> {
        &self.usage
    }

    /// Reserves more bytes.
    pub(crate) fn add(&self, bytes: usize) -> Result<(), Problem> {
        let before = self.held.fetch_add(bytes, Ordering::Relaxed);
        let counted = counted(before.saturating_add(bytes)) - counted(before);
        if counted > 0
            && let Err(problem) = self.shares.add(&self.usage, Resource::Bytes, counted)
        {
            self.held.fetch_sub(bytes, Ordering::Relaxed);
            if !self.is_refused.swap(true, Ordering::Relaxed) {
                self.shares.count_refusal(Resource::Bytes);
            }
            return Err(problem);
        }
        Ok(())
    }

    /// Raises the reservation to this number of bytes, if it is smaller.
    pub(crate) fn at_least(&self, bytes: usize) -> Result<(), Problem> {
        self.add(bytes.saturating_sub(self.held.load(Ordering::Relaxed)))
    }

    /// Releases reserved bytes.
    pub(crate) fn remove(&self, bytes: usize) {
        let before = self.held.fetch_sub(bytes, Ordering::Relaxed);
        let counted = counted(before) - counted(before.saturating_sub(bytes));
        if counted > 0 {
            self.shares.remove(&self.usage, Resource::Bytes, counted);
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.remove(self.held.load(Ordering::Relaxed));
    }
}

fn counted(held: usize) -> usize {
    held.saturating_sub(UNCOUNTED_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(requests: usize, answer_bytes: usize) -> Arc<Shares> {
        let tokens = ["a", "b", "c"].map(str::to_owned).to_vec();
        Shares::new(&ServiceOptions { requests, answer_bytes, tokens, ..ServiceOptions::default() }, 2)
    }

    #[test]
    fn greedy_caller_leaves_shares_for_others() {
        let shares = shares(12, 0);
        let usages = [0, 1, 2].map(|index| shares.usage(Caller::Token(index)));
        let greedily = |usage| -> Vec<Share> {
            std::iter::from_fn(|| shares.take(usage, Resource::Requests).ok()).collect()
        };
        let first = greedily(&usages[0]);
        let second = greedily(&usages[1]);
        assert_eq!((first.len(), second.len()), (6, 3));
        assert!(shares.take(&usages[2], Resource::Requests).is_ok());
        assert_eq!(shares.refused(Resource::Requests), 2);
        drop((first, second));
        assert_eq!(shares.used(Resource::Requests), 0);
        assert_eq!(greedily(&usages[2]).len(), 6);
    }

    #[test]
    fn bytes_of_a_request_are_released_once() {
        let shares = shares(1, 1 << 20);
        let memory = Memory::new(&shares, Caller::Token(0));
        memory.add(UNCOUNTED_BYTES).unwrap();
        assert_eq!(shares.used(Resource::Bytes), 0);
        memory.add(1_000).unwrap();
        assert_eq!(shares.used(Resource::Bytes), 1_000);
        assert!(memory.add(1 << 20).is_err());
        memory.at_least(UNCOUNTED_BYTES + 3_000).unwrap();
        assert_eq!(shares.used(Resource::Bytes), 3_000);
        memory.remove(2_000);
        assert_eq!(shares.used(Resource::Bytes), 1_000);
        drop(memory);
        assert_eq!(shares.used(Resource::Bytes), 0);
    }

    #[test]
    fn repeatedly_refused_request_is_counted_once() {
        let shares = shares(1, 1 << 20);
        let memory = Memory::new(&shares, Caller::Token(0));
        assert!(memory.add(2 << 20).is_err() && memory.add(2 << 20).is_err());
        assert_eq!(shares.refused(Resource::Bytes), 1);
        assert!(Memory::new(&shares, Caller::Token(0)).add(2 << 20).is_err());
        assert_eq!(shares.refused(Resource::Bytes), 2);
    }

    #[test]
    fn callers_without_requests_are_removed() {
        let shares = shares(1, 0);
        let usage = |number: u32| shares.usage(Caller::Address(std::net::Ipv4Addr::from(number).into()));
        let kept = usage(0);
        for number in 1..3 * FIRST_SWEEP as u32 {
            usage(number);
        }
        assert!(shares.anonymous.lock().unwrap().usages.len() <= FIRST_SWEEP);
        assert!(Arc::ptr_eq(&kept, &usage(0)));
    }
}
