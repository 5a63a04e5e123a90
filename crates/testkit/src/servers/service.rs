//! The loop of a connection: answers each request with the reply of a script.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::AsyncWriteExt;

use super::connection::{Connection, Stream};
use super::log::{Log, Seen};
use super::reply::Reply;
use super::script::Script;
use super::wire::{self, ConnectionEnd};

/// The scripts of an origin, by path or target.
#[derive(Debug)]
pub(super) struct Routes {
    pub(super) scripts: BTreeMap<String, Script>,
    pub(super) otherwise: Script,
}

/// The state that all connections of an origin share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) routes: Mutex<Routes>,
    pub(super) log: Arc<Log>,
}

impl Shared {
    /// Returns the reply to a request. A script runs without locks, since it may query and change the origin.
    fn reply(&self, asked: &Seen) -> Reply {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        let key = if routes.scripts.contains_key(&asked.target) { &asked.target } else { &asked.path };
        let step = match routes.scripts.get_mut(key) {
            Some(script) => script.turn(),
            None => routes.otherwise.turn(),
        };
        drop(routes);
        step.map_or_else(|| Reply::status(404), |step| step(asked))
    }
}

impl<S: Stream> Connection<S> {
    /// Answers requests until the client disconnects or a reply ends the connection.
    pub(super) async fn serve(mut self, shared: Arc<Shared>) -> io::Result<()> {
        while let Some(head) = self.head().await? {
            self.skip_body(head.body).await?;
            let ongoing = shared.log.begin(head.seen);
            let reply = shared.reply(&ongoing.seen);
            let after = wire::send(&mut self, &reply, &ongoing).await?;
            drop(ongoing);
            match after {
                ConnectionEnd::KeepAlive if head.keep_alive => {}
                ConnectionEnd::KeepAlive | ConnectionEnd::Close => break,
                ConnectionEnd::Reset => return self.stream.tcp().set_zero_linger(),
            }
        }
        self.stream.shutdown().await
    }
}
