//! The connection to the servers: finds the master, sends commands, detects that the servers are down, and reconnects.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use redis::aio::MultiplexedConnection;
use redis::cluster::ClusterClient;
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::{MultipleNodeRoutingInfo, RoutingInfo, SingleNodeRoutingInfo};
use redis::sentinel::SentinelClient;
use redis::{
    AsyncConnectionConfig, Client, Cmd, ConnectionAddr, ErrorKind, FromRedisValue, RedisError, RedisResult,
    ScriptInvocation, ServerErrorKind, Value, from_redis_value,
};

use super::options::RedisOptions;
use crate::lock::lock;
use crate::store::{StoreError, StoreFault, WhenDown};

/// Time between two attempts to reach a server that is down.
const RECONNECT_DELAY: Duration = Duration::from_millis(250);

/// Maximum age of the Sentinels' answer that names the master. A former master can still answer after a failover. The
/// scripts delay the first slots of the new master by five seconds for this reason (`FORMER_MASTER` in `prelude.lua`).
const MASTER_CHECK: Duration = Duration::from_secs(1);

/// The servers that a URL names.
pub(super) enum Servers {
    Single(Box<Client>),
    Sentinels(Box<Sentinels>),
    Cluster(Box<ClusterClient>),
}

/// Sentinels that know the address of the master.
pub(super) struct Sentinels {
    client: SentinelClient,
    master_name: String,
    /// Connection to a Sentinel, for checks of the master's address.
    connection: Option<MultiplexedConnection>,
    master: Option<(String, u16)>,
    checked: Instant,
}

/// A connection to a server, or to all servers of a cluster.
#[derive(Clone)]
pub(super) enum Connection {
    Server(MultiplexedConnection),
    Cluster(ClusterConnection),
}

/// A request to the servers.
#[derive(Clone, Copy)]
pub(super) enum Request<'a> {
    Command(&'a Cmd),
    Script(&'a ScriptInvocation<'a>),
    /// A command to every master. The answers have the address of their master.
    Masters(&'a Cmd),
    /// A command to the master with this address.
    Master(&'a Cmd, &'a str),
}

struct Route {
    servers: Servers,
    connection: Option<Connection>,
    /// Number of connections so far.
    number: u64,
    /// True if the server did not answer over the connection, so the next request needs another connection.
    is_suspect: bool,
    /// Time and error of the last failed connection attempt.
    failed: Option<(Instant, RedisError)>,
}

pub(super) struct Link {
    route: tokio::sync::Mutex<Route>,
    config: AsyncConnectionConfig,
    /// The URL of the servers, without its password.
    place: String,
    is_cluster: bool,
    when_down: WhenDown,
    /// True if the servers could not be reached at the last attempt.
    down: AtomicBool,
    retry_at: Mutex<Option<Instant>>,
}

impl Sentinels {
    pub(super) fn new(client: SentinelClient, master_name: &str) -> Self {
        let master_name = master_name.to_owned();
        Sentinels { client, master_name, connection: None, master: None, checked: Instant::now() }
    }

    async fn connect(&mut self, config: &AsyncConnectionConfig) -> RedisResult<MultiplexedConnection> {
        let client = self.client.async_get_client().await?;
        self.checked = Instant::now();
        self.master = match client.get_connection_info().addr() {
            ConnectionAddr::Tcp(host, port) | ConnectionAddr::TcpTls { host, port, .. } => {
                Some((host.clone(), *port))
            }
            _ => None,
        };
        client.get_multiplexed_async_connection_with_config(config).await
    }

    /// Returns true if a Sentinel names another master than the connected one. Returns false if no Sentinel answers,
    /// since no failover can begin then.
    async fn has_new_master(&mut self, config: &AsyncConnectionConfig) -> bool {
        if self.checked.elapsed() < MASTER_CHECK {
            return false;
        }
        self.checked = Instant::now();
        let mut ask = redis::cmd("SENTINEL");
        ask.arg("GET-MASTER-ADDR-BY-NAME").arg(&self.master_name);
        for _ in 0..2 {
            if self.connection.is_none() {
                let Ok(client) = self.client.async_get_sentinel_client().await else { return false };
                self.connection = client.get_multiplexed_async_connection_with_config(config).await.ok();
            }
            let Some(connection) = &mut self.connection else { continue };
            match ask.query_async::<Option<(String, u16)>>(connection).await {
                Ok(master) => return master.is_some() && master != self.master,
                Err(_) => self.connection = None,
            }
        }
        false
    }
}

impl Request<'_> {
    async fn send<T: FromRedisValue>(self, connection: &mut Connection) -> RedisResult<T> {
        match (self, connection) {
            (Request::Command(command) | Request::Master(command, _), Connection::Server(server)) => {
                command.query_async(server).await
            }
            (Request::Command(command), Connection::Cluster(cluster)) => command.query_async(cluster).await,
            (Request::Script(script), Connection::Server(server)) => script.invoke_async(server).await,
            (Request::Script(script), Connection::Cluster(cluster)) => script.invoke_async(cluster).await,
            (Request::Masters(command), Connection::Server(server)) => {
                let answer = command.query_async::<Value>(server).await?;
                Ok(from_redis_value(Value::Map(vec![(Value::BulkString(Vec::new()), answer)]))?)
            }
            (Request::Masters(command), Connection::Cluster(cluster)) => {
                let masters = RoutingInfo::MultiNode((MultipleNodeRoutingInfo::AllMasters, None));
                Ok(from_redis_value(cluster.route_command(command.clone(), masters).await?)?)
            }
            (Request::Master(command, address), Connection::Cluster(cluster)) => {
                let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
                let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
                let port = port.parse().unwrap_or_default();
                let master = RoutingInfo::SingleNode(SingleNodeRoutingInfo::ByAddress { host, port });
                Ok(from_redis_value(cluster.route_command(command.clone(), master).await?)?)
            }
        }
    }
}

impl Route {
    /// Returns the current connection or a new one, and its number. `asked` is the time at which the caller began to
    /// wait.
    async fn connection(
        &mut self,
        asked: Instant,
        config: &AsyncConnectionConfig,
    ) -> RedisResult<(Connection, u64)> {
        if let Servers::Sentinels(sentinels) = &mut self.servers {
            self.is_suspect |= sentinels.has_new_master(config).await;
        }
        if let (Some(connection), false) = (&self.connection, self.is_suspect) {
            return Ok((connection.clone(), self.number));
        }
        // Callers that waited for an attempt use its result.
        if let Some((_, error)) = self.failed.as_ref().filter(|(at, _)| *at >= asked) {
            return Err(error.clone());
        }
        let connected = match &mut self.servers {
            Servers::Single(client) => {
                client.get_multiplexed_async_connection_with_config(config).await.map(Connection::Server)
            }
            Servers::Sentinels(sentinels) => sentinels.connect(config).await.map(Connection::Server),
            Servers::Cluster(client) => client.get_async_connection().await.map(Connection::Cluster),
        };
        match connected {
            Ok(connection) => {
                self.number += 1;
                self.is_suspect = false;
                Ok((self.connection.insert(connection).clone(), self.number))
            }
            Err(error) => {
                self.failed = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }
}

impl Link {
    pub(super) fn new(servers: Servers, place: String, options: &RedisOptions) -> Link {
        let is_cluster = matches!(servers, Servers::Cluster(_));
        Link {
            route: tokio::sync::Mutex::new(Route {
                servers,
                connection: None,
                number: 0,
                is_suspect: false,
                failed: None,
            }),
            config: AsyncConnectionConfig::new()
                .set_connection_timeout(Some(options.connect_timeout))
                .set_response_timeout(Some(options.response_timeout)),
            place,
            is_cluster,
            when_down: options.when_down,
            down: AtomicBool::new(false),
            retry_at: Mutex::new(None),
        }
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    pub(super) fn is_cluster(&self) -> bool {
        self.is_cluster
    }

    pub(super) fn is_down(&self) -> bool {
        self.down.load(Ordering::Relaxed)
    }

    /// Sends a request and returns the answer. Returns `None` while the servers are down and this process uses its
    /// local state.
    pub(super) async fn send<T: FromRedisValue>(
        &self,
        request: Request<'_>,
    ) -> Result<Option<T>, StoreError> {
        let was_up = !self.is_down();
        if !was_up && self.when_down == WhenDown::LocalOnly && !self.may_retry() {
            return Ok(None);
        }
        let mut answer = self.attempt(request).await;
        if was_up && is_cut_off(&answer) {
            answer = self.attempt(request).await;
        }
        self.check_answer(answer)
    }

    /// Sends a command and returns the answer, as [`send`](Link::send) does.
    pub(super) async fn ask<T: FromRedisValue>(&self, command: &Cmd) -> Result<Option<T>, StoreError> {
        self.send(Request::Command(command)).await
    }

    /// Runs a script and returns its answer, as [`send`](Link::send) does.
    pub(super) async fn run<T: FromRedisValue>(
        &self,
        script: &ScriptInvocation<'_>,
    ) -> Result<Option<T>, StoreError> {
        self.send(Request::Script(script)).await
    }

    async fn attempt<T: FromRedisValue>(&self, request: Request<'_>) -> RedisResult<T> {
        let asked = Instant::now();
        let (mut connection, number) = self.route.lock().await.connection(asked, &self.config).await?;
        let answer = request.send(&mut connection).await;
        // A connection to a cluster reconnects by itself.
        if !self.is_cluster && answer.as_ref().is_err_and(is_down) {
            let mut route = self.route.lock().await;
            route.is_suspect |= route.number == number;
        }
        answer
    }

    /// Returns true if the next attempt to reach the servers is due. Only one caller gets true for each attempt.
    fn may_retry(&self) -> bool {
        let mut retry_at = lock(&self.retry_at);
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
                *lock(&self.retry_at) = Some(Instant::now() + RECONNECT_DELAY);
                if !self.down.swap(true, Ordering::Relaxed) {
                    tracing::warn!(store = self.place, %error, when_down = ?self.when_down, "the store does not answer");
                }
                match self.when_down {
                    WhenDown::LocalOnly => Ok(None),
                    WhenDown::Stop => Err(self.unreachable(error)),
                }
            }
        }
    }

    fn unreachable(&self, error: RedisError) -> StoreError {
        let message = format!(
            "store `{}` does not answer; check that the server is up, and that user, password and certificates are right",
            self.place
        );
        StoreError::new(message).with_fault(StoreFault::Down).because(error)
    }

    fn rejected(&self, error: RedisError) -> StoreError {
        let is_of_cluster = matches!(
            error.kind(),
            ErrorKind::Server(ServerErrorKind::Moved | ServerErrorKind::Ask | ServerErrorKind::CrossSlot)
        );
        let hint = if is_of_cluster && !self.is_cluster {
            ", since it belongs to a cluster; write `redis+cluster://` or `rediss+cluster://`"
        } else {
            ""
        };
        let message = format!("store `{}` rejected a command{hint}", self.place);
        // Another program wrote the value.
        let is_foreign = error.code() == Some("WRONGTYPE");
        let fault = if is_foreign { StoreFault::Data } else { StoreFault::Other };
        StoreError::new(message).with_fault(fault).because(error)
    }

    /// Returns the connection for operations in the background, if it exists.
    pub(super) fn connection(&self) -> Option<Connection> {
        self.route.try_lock().ok()?.connection.clone()
    }
}

/// Returns true if the error means that the server cannot be reached, is not ready, or is not the master.
fn is_down(error: &RedisError) -> bool {
    let is_unready = matches!(
        error.kind(),
        ErrorKind::AuthenticationFailed
            | ErrorKind::ClusterConnectionNotFound
            | ErrorKind::MasterNameNotFoundBySentinel
            | ErrorKind::Server(
                ServerErrorKind::BusyLoading
                    | ServerErrorKind::MasterDown
                    | ServerErrorKind::ClusterDown
                    | ServerErrorKind::TryAgain
            )
    );
    is_unready
        || is_replica(error)
        || error.code() == Some("NOREPLICAS")
        || error.is_io_error()
        || error.is_timeout()
        || error.is_connection_refusal()
        || error.is_connection_dropped()
}

/// Returns true if the server is a replica. Redis 6 reports this in the text of a script's error.
fn is_replica(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly)
        || error.detail().is_some_and(|detail| detail.contains("READONLY"))
}

/// Returns true if the connection was lost, for example because the server restarts, or the server has become a
/// replica. The caller then repeats the operation over a new connection. A repetition is safe even if the first attempt
/// succeeded: an unused lease expires, and an unused slot only lengthens a wait.
fn is_cut_off<T>(answer: &RedisResult<T>) -> bool {
    matches!(answer, Err(error) if error.is_connection_dropped() || is_replica(error))
}

impl Connection {
    /// Runs a script and ignores its answer.
    pub(super) async fn run(mut self, script: &ScriptInvocation<'_>) -> RedisResult<()> {
        Request::Script(script).send(&mut self).await
    }
}
