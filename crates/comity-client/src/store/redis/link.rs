//! The connection to the server: sends commands, detects that the server is down, and reconnects.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{
    Client, Cmd, ErrorKind, FromRedisValue, RedisError, RedisResult, ScriptInvocation, ServerErrorKind,
};

use super::options::RedisOptions;
use crate::store::{StoreError, StoreFault, WhenDown};

/// Time between two attempts to reach a server that is down.
const RECONNECT_DELAY: Duration = Duration::from_millis(250);

pub(super) struct Link {
    client: Client,
    config: ConnectionManagerConfig,
    /// The server's URL, without its password.
    place: String,
    when_down: WhenDown,
    manager: OnceLock<ConnectionManager>,
    /// True if the server could not be reached at the last attempt.
    down: AtomicBool,
    retry_at: Mutex<Option<Instant>>,
}

impl Link {
    pub(super) fn new(client: Client, place: String, options: &RedisOptions) -> Link {
        let config = ConnectionManagerConfig::new()
            .set_number_of_retries(0)
            .set_connection_timeout(Some(options.connect_timeout))
            .set_response_timeout(Some(options.response_timeout));
        Link {
            client,
            config,
            place,
            when_down: options.when_down,
            manager: OnceLock::new(),
            down: AtomicBool::new(false),
            retry_at: Mutex::new(None),
        }
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    pub(super) fn is_down(&self) -> bool {
        self.down.load(Ordering::Relaxed)
    }

    /// Sends a command and returns the answer. Returns `None` while the server is down and this process uses its local
    /// state.
    pub(super) async fn ask<T: FromRedisValue>(&self, command: &Cmd) -> Result<Option<T>, StoreError> {
        let was_up = !self.is_down();
        let Some(mut connection) = self.connection().await? else { return Ok(None) };
        let mut answer = command.query_async(&mut connection).await;
        if was_up && is_cut_off(&answer) {
            answer = command.query_async(&mut connection).await;
        }
        self.check_answer(answer)
    }

    /// Runs a script and returns its answer. Returns `None` while the server is down and this process uses its local
    /// state.
    pub(super) async fn run<T: FromRedisValue>(
        &self,
        script: &ScriptInvocation<'_>,
    ) -> Result<Option<T>, StoreError> {
        let was_up = !self.is_down();
        let Some(mut connection) = self.connection().await? else { return Ok(None) };
        let mut answer = script.invoke_async(&mut connection).await;
        if was_up && is_cut_off(&answer) {
            answer = script.invoke_async(&mut connection).await;
        }
        self.check_answer(answer)
    }

    async fn connection(&self) -> Result<Option<ConnectionManager>, StoreError> {
        let down = self.is_down();
        if down && self.when_down == WhenDown::LocalOnly && !self.may_retry() {
            return Ok(None);
        }
        let mut connection = match self.manager.get() {
            Some(connection) => connection.clone(),
            None => {
                let new = ConnectionManager::new_lazy_with_config(self.client.clone(), self.config.clone());
                let new = new.map_err(|error| self.error(error))?;
                self.manager.get_or_init(|| new).clone()
            }
        };
        if down {
            // At the next command, the connection manager returns its last failure again, and only then reconnects.
            // So send a command whose failure is ignored.
            let _ = redis::cmd("PING").exec_async(&mut connection).await;
        }
        Ok(Some(connection))
    }

    /// Returns true if the next attempt to reach the server is due. Only one caller gets true for each attempt.
    fn may_retry(&self) -> bool {
        let mut retry_at = self.retry_at.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let due = retry_at.is_none_or(|until| until <= now);
        if due {
            *retry_at = Some(now + RECONNECT_DELAY);
        }
        due
    }

    fn check_answer<T>(&self, answer: RedisResult<T>) -> Result<Option<T>, StoreError> {
        match answer {
            Ok(answer) => {
                if self.down.swap(false, Ordering::Relaxed) {
                    tracing::info!(store = self.place, "the store answers again");
                }
                Ok(Some(answer))
            }
            // The server is up, and its error concerns only this operation.
            Err(error) if !is_down(&error) => Err(self.rejected(error)),
            Err(error) => {
                *self.retry_at.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some(Instant::now() + RECONNECT_DELAY);
                if !self.down.swap(true, Ordering::Relaxed) {
                    tracing::warn!(store = self.place, %error, when_down = ?self.when_down, "the store does not answer");
                }
                match self.when_down {
                    WhenDown::LocalOnly => Ok(None),
                    WhenDown::Stop => Err(self.error(error)),
                }
            }
        }
    }

    fn error(&self, error: RedisError) -> StoreError {
        let message = format!(
            "store `{}` does not answer; check that the server is up and the password is right",
            self.place
        );
        StoreError::new(message).with_fault(StoreFault::Down).because(error)
    }

    fn rejected(&self, error: RedisError) -> StoreError {
        let message = format!("store `{}` rejected a command", self.place);
        StoreError::new(message).with_fault(StoreFault::Data).because(error)
    }

    /// Returns the connection for operations in the background, or `None` if no command was sent yet.
    pub(super) fn manager(&self) -> Option<ConnectionManager> {
        self.manager.get().cloned()
    }
}

/// Returns true if the error means that the server cannot be reached or is not ready.
fn is_down(error: &RedisError) -> bool {
    let is_unready = matches!(
        error.kind(),
        ErrorKind::Server(
            ServerErrorKind::BusyLoading
                | ServerErrorKind::MasterDown
                | ServerErrorKind::ClusterDown
                | ServerErrorKind::TryAgain
        )
    );
    is_unready
        || error.is_io_error()
        || error.is_timeout()
        || error.is_connection_refusal()
        || error.is_connection_dropped()
        || matches!(error.kind(), ErrorKind::AuthenticationFailed)
}

/// Returns true if the connection was lost, for example because the server restarts. The caller then repeats the
/// operation over a new connection. A repetition is safe even if the first attempt succeeded: an unused lease expires,
/// and an unused slot only lengthens a wait.
fn is_cut_off<T>(answer: &RedisResult<T>) -> bool {
    matches!(answer, Err(error) if error.is_connection_dropped())
}
