//! The queue of a thread that runs jobs for many tasks, in batches.
//!
//! Waking the thread and running a transaction cost more than most jobs. So the thread waits briefly until a batch is
//! as large as the recent batches. Jobs that arrive one by one do not wait.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Number of recent batches whose sizes are kept.
const KEPT_SIZES: usize = 8;

/// Creates a queue with batches of at most `most` jobs. A job waits at most `max_wait` for other jobs.
pub(super) fn queue<J>(most: usize, max_wait: Duration) -> (Sender<J>, Receiver<J>) {
    let shared = Arc::new(Shared { state: Mutex::new(State::default()), is_enough: Condvar::new() });
    let sender = Sender { shared: Arc::clone(&shared) };
    (sender, Receiver { shared, most, max_wait, sizes: VecDeque::from([1; KEPT_SIZES]) })
}

struct Shared<J> {
    state: Mutex<State<J>>,
    /// Notified when the queue contains as many jobs as the thread waits for, and when the queue is closed.
    is_enough: Condvar,
}

struct State<J> {
    jobs: VecDeque<J>,
    /// Number of jobs that the thread waits for; `None` while the thread is not waiting.
    wanted: Option<usize>,
    is_closed: bool,
}

impl<J> Default for State<J> {
    fn default() -> Self {
        State { jobs: VecDeque::new(), wanted: None, is_closed: false }
    }
}

impl<J> Shared<J> {
    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sending end of the queue. When it is dropped, the receiver returns the remaining jobs, then `None`.
pub(super) struct Sender<J> {
    shared: Arc<Shared<J>>,
}

impl<J> Sender<J> {
    /// Adds a job. Returns false if the thread has ended.
    pub(super) fn send(&self, job: J) -> bool {
        let mut state = self.shared.lock();
        if state.is_closed {
            return false;
        }
        state.jobs.push_back(job);
        let is_enough = state.wanted == Some(state.jobs.len());
        drop(state);
        if is_enough {
            self.shared.is_enough.notify_one();
        }
        true
    }
}

impl<J> Drop for Sender<J> {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.is_enough.notify_one();
    }
}

impl<J> fmt::Debug for Sender<J> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Sender").finish_non_exhaustive()
    }
}

/// The receiving end of the queue. When it is dropped, the remaining jobs are dropped, too.
pub(super) struct Receiver<J> {
    shared: Arc<Shared<J>>,
    most: usize,
    max_wait: Duration,
    /// Sizes of the last [`KEPT_SIZES`] batches.
    sizes: VecDeque<usize>,
}

impl<J> Receiver<J> {
    /// Waits for jobs and returns a batch. Returns `None` if the queue is closed and empty.
    pub(super) fn take(&mut self) -> Option<Vec<J>> {
        let (expected, Shared { is_enough, .. }) = (self.expected(), &*self.shared);
        let mut state = self.shared.lock();
        if state.jobs.is_empty() {
            state.wanted = Some(1);
            state =
                is_enough.wait_while(state, |state| state.waits()).unwrap_or_else(PoisonError::into_inner);
        }
        if state.jobs.len() < expected {
            state.wanted = Some(expected);
            let waited = is_enough.wait_timeout_while(state, self.max_wait, |state| state.waits());
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        state.wanted = None;
        let size = state.jobs.len().min(self.most);
        let jobs: Vec<J> = state.jobs.drain(..size).collect();
        self.sizes.pop_front();
        self.sizes.push_back(size);
        (!jobs.is_empty()).then_some(jobs)
    }

    /// Returns the expected size of the next batch: the size of the largest recent batch.
    fn expected(&self) -> usize {
        self.sizes.iter().copied().max().unwrap_or(1)
    }
}

impl<J> State<J> {
    /// Returns true if the thread must keep waiting.
    fn waits(&self) -> bool {
        !self.is_closed && self.wanted.is_some_and(|wanted| self.jobs.len() < wanted)
    }
}

impl<J> Drop for Receiver<J> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.is_closed = true;
        let left = std::mem::take(&mut state.jobs);
        drop(state);
        drop(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn send(jobs: &Sender<u8>, numbers: std::ops::Range<u8>) {
        numbers.for_each(|number| assert!(jobs.send(number)));
    }

    #[test]
    fn single_jobs_are_taken_at_once() {
        let (jobs, mut thread) = queue(128, HOUR);
        for number in 0..20 {
            send(&jobs, number..number + 1);
            assert_eq!(thread.take(), Some(vec![number]));
        }
    }

    #[test]
    fn job_waits_for_a_batch_of_the_recent_size() {
        let (jobs, mut thread) = queue(128, HOUR);
        send(&jobs, 0..3);
        assert_eq!(thread.take(), Some(vec![0, 1, 2]));
        let taking = std::thread::spawn(move || thread.take());
        send(&jobs, 3..6);
        assert_eq!(taking.join().unwrap(), Some(vec![3, 4, 5]));
    }

    #[test]
    fn job_waits_no_longer_than_the_maximum() {
        let (jobs, mut thread) = queue(128, Duration::from_millis(1));
        send(&jobs, 0..3);
        assert_eq!(thread.take(), Some(vec![0, 1, 2]));
        for number in 3..3 + KEPT_SIZES as u8 {
            assert_eq!(thread.expected(), 3);
            send(&jobs, number..number + 1);
            assert_eq!(thread.take(), Some(vec![number]));
        }
        assert_eq!(thread.expected(), 1, "old sizes are dropped");
    }

    #[test]
    fn batch_has_at_most_the_maximum_size_and_the_rest_follows() {
        let (jobs, mut thread) = queue(2, HOUR);
        send(&jobs, 0..4);
        assert_eq!(thread.take(), Some(vec![0, 1]));
        assert_eq!(thread.take(), Some(vec![2, 3]));
    }

    #[test]
    fn remaining_jobs_are_taken_after_the_sender_is_dropped() {
        let (jobs, mut thread) = queue(128, HOUR);
        send(&jobs, 0..3);
        assert_eq!(thread.take(), Some(vec![0, 1, 2]));
        let taking = std::thread::spawn(move || (thread.take(), thread.take()));
        send(&jobs, 3..4);
        drop(jobs);
        assert_eq!(taking.join().unwrap(), (Some(vec![3]), None));
    }

    #[test]
    fn dropped_receiver_rejects_and_drops_jobs() {
        let (jobs, thread) = queue(128, HOUR);
        let job = Arc::new(());
        assert!(jobs.send(Arc::clone(&job)));
        drop(thread);
        assert_eq!(Arc::strong_count(&job), 1);
        assert!(!jobs.send(job));
    }
}
