//! Tests of the guard, with the data in `conformance/guard/` and with code.

#[cfg(feature = "dns")]
mod dns;
mod docs;
mod forms;
#[cfg(all(feature = "reqwest", feature = "tower"))]
mod guarded_resolver;
mod resolve;
mod vectors;

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use comity_client::BoxFuture;
use comity_client::guard::{GuardRefusal, Resolver};

/// Returns the outcome in the notation of the data files.
fn verdict(outcome: Result<(), GuardRefusal>) -> String {
    match outcome {
        Ok(()) => "allowed".to_owned(),
        Err(refusal) => match refusal.embedded() {
            Some(inner) => format!("refused {} {}", refusal.reason(), inner.reason),
            None => format!("refused {}", refusal.reason()),
        },
    }
}

/// A resolver with scripted answers. The last answer is repeated.
#[derive(Clone, Debug, Default)]
struct Script {
    answers: Arc<Mutex<VecDeque<Vec<IpAddr>>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Script {
    fn of(answers: &[&[&str]]) -> Self {
        let addresses = |answer: &&[&str]| answer.iter().map(|it| it.parse().unwrap()).collect();
        let answers = Arc::new(Mutex::new(answers.iter().map(addresses).collect()));
        Script { answers, asked: Arc::default() }
    }

    /// Returns the queried names.
    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Resolver for Script {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, io::Error>> {
        Box::pin(async move {
            self.asked.lock().unwrap().push(host.to_owned());
            tokio::task::yield_now().await;
            let mut answers = self.answers.lock().unwrap();
            let answer = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
            answer.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
        })
    }
}
