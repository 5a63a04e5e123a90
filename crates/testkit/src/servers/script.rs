//! Scripts: the answers for a path, one request after the other.

use std::fmt;
use std::sync::Arc;

use super::log::Seen;
use super::reply::Reply;

/// Makes one answer for a request.
pub(super) type Step = Arc<dyn Fn(&Seen) -> Reply + Send + Sync>;

/// Answers in their order; the last one repeats for ever.
///
/// A [`Reply`] is a script of one answer.
#[derive(Clone)]
pub struct Script {
    steps: Vec<Step>,
    next: usize,
}

impl Script {
    /// Creates a script with the answer that `reply` makes of every request.
    pub fn new(reply: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Script { steps: vec![Arc::new(reply)], next: 0 }
    }

    /// Returns a script of all of this once, then `next`.
    #[must_use]
    pub fn then(mut self, next: impl Into<Script>) -> Self {
        self.steps.extend(next.into().steps);
        self
    }

    /// Returns a script that repeats this one, at least once.
    #[must_use]
    pub fn times(mut self, times: usize) -> Self {
        let once = self.steps.clone();
        (1..times).for_each(|_| self.steps.extend_from_slice(&once));
        self
    }

    /// Returns the next step. The caller makes the answer after it has released its locks.
    pub(super) fn turn(&mut self) -> Option<Step> {
        let step = self.steps.get(self.next).or(self.steps.last()).cloned();
        self.next += 1;
        step
    }
}

impl From<Reply> for Script {
    fn from(reply: Reply) -> Self {
        Script::new(move |_| reply.clone())
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").field("steps", &self.steps.len()).field("next", &self.next).finish()
    }
}
