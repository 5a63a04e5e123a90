//! Real Redis or Valkey servers for a test: a single server, a master with Sentinels, and a cluster. They use free
//! ports and temporary folders, and save no data.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::PATIENCE;
use crate::servers::Ca;

/// A server that runs until it is dropped. It can be killed and started again at the same address.
#[derive(Debug)]
pub struct RedisServer {
    program: &'static str,
    port: u16,
    password: Option<String>,
    args: Vec<String>,
    is_tls: bool,
    /// The configuration of a Sentinel.
    sentinel: Option<String>,
    folder: tempfile::TempDir,
    child: Option<Child>,
}

impl RedisServer {
    /// Starts a server.
    ///
    /// # Panics
    ///
    /// If neither `redis-server` nor `valkey-server` is installed, or the server does not start.
    #[allow(clippy::new_without_default, reason = "it starts a process")]
    pub fn start() -> Self {
        Self::new().launch()
    }

    /// Starts a server that requires a password.
    ///
    /// # Panics
    ///
    /// If neither `redis-server` nor `valkey-server` is installed, or the server does not start.
    pub fn start_with_password(password: &str) -> Self {
        let mut server = Self::new();
        server.password = Some(password.to_owned());
        server.launch()
    }

    /// Starts a server that accepts only TLS, with a certificate of `ca`. The files `ca.pem`, `cert.pem` and `key.pem`
    /// are in its [folder](RedisServer::file).
    ///
    /// # Panics
    ///
    /// If neither `redis-server` nor `valkey-server` is installed, or the server does not start.
    #[allow(clippy::unwrap_used, reason = "a test cannot go on")]
    pub fn start_with_tls(ca: &Ca, requires_client_certificate: bool) -> Self {
        let mut server = Self::new();
        server.is_tls = true;
        let identity = ca.identity(["127.0.0.1", "localhost"]);
        let (certificate, key) = identity.pem();
        for (option, name, content) in [
            ("--tls-ca-cert-file", "ca.pem", &*ca.pem()),
            ("--tls-cert-file", "cert.pem", certificate),
            ("--tls-key-file", "key.pem", key),
        ] {
            std::fs::write(server.file(name), content).unwrap();
            server.args.extend([option.to_owned(), server.file(name).display().to_string()]);
        }
        let requires = if requires_client_certificate { "yes" } else { "no" };
        server.args.extend(["--tls-auth-clients".to_owned(), requires.to_owned()]);
        server.launch()
    }

    /// Starts a replica of this server, and waits until it has copied the data.
    ///
    /// # Panics
    ///
    /// If the replica does not start.
    pub fn start_replica(&self) -> Self {
        let mut replica = Self::new();
        replica.args = vec!["--replicaof".to_owned(), format!("127.0.0.1 {}", self.port)];
        let replica = replica.launch();
        until("a replica is connected", || replica.info("replication").contains("master_link_status:up"));
        replica
    }

    #[allow(clippy::panic, clippy::unwrap_used, reason = "a test cannot go on")]
    fn new() -> Self {
        let program = ["redis-server", "valkey-server"].into_iter().find(|program| is_installed(program));
        let Some(program) = program else {
            panic!(
                "these tests need a Redis or Valkey server; install one (`apt-get install redis-server`, `brew install redis`)"
            );
        };
        RedisServer {
            program,
            port: free_port().unwrap(),
            password: None,
            args: Vec::new(),
            is_tls: false,
            sentinel: None,
            folder: tempfile::tempdir().unwrap(),
            child: None,
        }
    }

    #[allow(clippy::panic, clippy::unwrap_used, reason = "a test cannot go on")]
    fn launch(mut self) -> Self {
        // Another program may have bound the port in the meantime, so other ports are tried.
        for _ in 0..5 {
            if self.try_start() {
                return self;
            }
            self.port = free_port().unwrap();
        }
        panic!("`{}` does not start", self.program);
    }

    /// Returns the URL of the server.
    pub fn url(&self) -> String {
        let scheme = if self.is_tls { "rediss" } else { "redis" };
        match &self.password {
            Some(password) => format!("{scheme}://:{password}@127.0.0.1:{}", self.port),
            None => format!("{scheme}://127.0.0.1:{}", self.port),
        }
    }

    /// Returns the URL of the server's Unix socket.
    pub fn unix_url(&self) -> String {
        format!("unix://{}", self.socket().display())
    }

    /// Returns the TCP port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the path of a file in the server's folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn socket(&self) -> PathBuf {
        self.file("redis.sock")
    }

    /// Sends a command with the command-line client, over the Unix socket. Returns the lines of the answer.
    ///
    /// # Panics
    ///
    /// If the command-line client is not installed.
    #[allow(clippy::unwrap_used, reason = "a test cannot go on")]
    pub fn command(&self, args: &[&str]) -> String {
        let mut client = Command::new(self.program.replace("-server", "-cli"));
        client.arg("-s").arg(self.socket()).args(args);
        String::from_utf8(client.stdin(Stdio::null()).output().unwrap().stdout).unwrap()
    }

    fn info(&self, section: &str) -> String {
        self.command(&["INFO", section])
    }

    fn is_master(&self) -> bool {
        self.child.is_some() && self.info("replication").contains("role:master")
    }

    /// Kills the server, which loses all data.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Suspends the server's process, so that it does not answer until it is [resumed](RedisServer::resume).
    pub fn pause(&self) {
        self.signal("-STOP");
    }

    /// Resumes a suspended server.
    pub fn resume(&self) {
        self.signal("-CONT");
    }

    #[allow(clippy::unwrap_used, reason = "a test cannot go on")]
    fn signal(&self, signal: &str) {
        if let Some(child) = &self.child {
            assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        }
    }

    /// Starts a killed server again, at the same address.
    ///
    /// # Panics
    ///
    /// If the server does not start.
    pub fn start_again(&mut self) {
        self.kill();
        assert!(self.try_start(), "`{}` does not start again on port {}", self.program, self.port);
    }

    #[allow(clippy::unwrap_used, reason = "a test cannot go on")]
    fn try_start(&mut self) -> bool {
        let mut command = Command::new(self.program);
        let port = self.port.to_string();
        if let Some(sentinel) = &self.sentinel {
            // A Sentinel writes its state to its configuration.
            let configuration = self.file("sentinel.conf");
            std::fs::write(&configuration, sentinel).unwrap();
            command.arg(configuration).arg("--sentinel");
        } else {
            command.args(["--save", "", "--appendonly", "no", "--repl-diskless-sync-delay", "0"]);
        }
        command
            .args(["--bind", "127.0.0.1", "--daemonize", "no"])
            .arg("--unixsocket")
            .arg(self.socket())
            .arg("--dir")
            .arg(self.folder.path())
            .args(&self.args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(password) = &self.password {
            command.args(["--requirepass", password]);
        }
        if self.is_tls {
            command.args(["--port", "0", "--tls-port", &port]);
        } else {
            command.args(["--port", &port]);
        }
        let mut child = command.spawn().unwrap();
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if child.try_wait().unwrap().is_some() {
                return false;
            }
            if self.answers().unwrap_or(false) {
                self.child = Some(child);
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = child.kill();
        let _ = child.wait();
        false
    }

    /// Returns true if a server answers, even if the answer is that it requires a password. The Unix socket has no TLS,
    /// and a server opens it after its port.
    fn answers(&self) -> io::Result<bool> {
        let mut stream = UnixStream::connect(self.socket())?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        stream.write_all(b"PING\r\n")?;
        let mut answer = [0; 5];
        stream.read_exact(&mut answer)?;
        Ok(&answer == b"+PONG" || &answer == b"-NOAU")
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A master with two replicas, and three Sentinels that watch it.
#[derive(Debug)]
pub struct SentinelGroup {
    servers: Vec<RedisServer>,
    sentinels: Vec<RedisServer>,
}

impl SentinelGroup {
    /// Starts the servers, and waits until the Sentinels know each other and the replicas.
    ///
    /// # Panics
    ///
    /// If a server does not start.
    #[allow(clippy::new_without_default, reason = "it starts processes")]
    pub fn start() -> Self {
        let master = RedisServer::start();
        let replicas = [master.start_replica(), master.start_replica()];
        let configuration = format!(
            "sentinel monitor main 127.0.0.1 {} 2\nsentinel down-after-milliseconds main 1000\n\
             sentinel failover-timeout main 10000\n",
            master.port
        );
        let sentinels: Vec<_> = (0..3)
            .map(|_| {
                let mut sentinel = RedisServer::new();
                sentinel.sentinel = Some(configuration.clone());
                sentinel.launch()
            })
            .collect();
        for sentinel in &sentinels {
            until("the Sentinels know each other and the replicas", || {
                let found = sentinel.command(&["SENTINEL", "MASTER", "main"]);
                found.contains("num-slaves\n2\n") && found.contains("num-other-sentinels\n2\n")
            });
        }
        SentinelGroup { servers: std::iter::once(master).chain(replicas).collect(), sentinels }
    }

    /// Returns a URL with the addresses of the Sentinels.
    pub fn url(&self) -> String {
        format!("redis+sentinel://{}/main", addresses(&self.sentinels))
    }

    /// Returns the master.
    ///
    /// # Panics
    ///
    /// If no server is the master that the Sentinels name.
    #[allow(clippy::unwrap_used, reason = "a test cannot go on")]
    pub fn master(&self) -> &RedisServer {
        self.servers.iter().find(|server| server.port == self.master_port()).unwrap()
    }

    #[allow(clippy::unwrap_used, reason = "a test cannot go on")]
    fn master_port(&self) -> u16 {
        let address = self.sentinels[0].command(&["SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main"]);
        address.lines().nth(1).unwrap().trim().parse().unwrap()
    }

    /// Orders a failover, and waits until the Sentinels name another master. The former master continues to accept
    /// writes for some seconds.
    pub fn fail_over(&mut self) {
        let before = self.master_port();
        until("the Sentinels accept the order", || {
            self.sentinels[0].command(&["SENTINEL", "FAILOVER", "main"]).starts_with("OK")
                || self.master_port() != before
        });
        until("the Sentinels name another master", || self.master_port() != before);
    }

    /// Starts the killed servers again, without data. The Sentinels make them replicas.
    pub fn restart_killed(&mut self) {
        restart_killed(&mut self.servers);
    }

    /// Kills the master, and waits until the Sentinels name another one.
    pub fn kill_master(&mut self) {
        let before = self.master_port();
        self.servers.iter_mut().filter(|server| server.port == before).for_each(RedisServer::kill);
        until("the Sentinels name another master", || self.master_port() != before);
    }
}

/// A cluster of three masters, each with a replica.
#[derive(Debug)]
pub struct RedisCluster {
    servers: Vec<RedisServer>,
}

impl RedisCluster {
    /// Starts the servers, and waits until the cluster is complete.
    ///
    /// # Panics
    ///
    /// If a server does not start.
    #[allow(clippy::new_without_default, clippy::unwrap_used, reason = "it starts processes")]
    pub fn start() -> Self {
        let servers: Vec<_> = (0..6)
            .map(|_| {
                let mut server = RedisServer::new();
                // The servers of a cluster also use the port above by 10,000.
                while server.port > u16::MAX - 10_000 {
                    server.port = free_port().unwrap();
                }
                server.args =
                    ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000"].map(str::to_owned).into();
                server.launch()
            })
            .collect();
        let mut create = vec!["--cluster", "create"];
        let hosts: Vec<_> = servers.iter().map(|server| format!("127.0.0.1:{}", server.port)).collect();
        create.extend(hosts.iter().map(String::as_str));
        create.extend(["--cluster-replicas", "1", "--cluster-yes"]);
        servers[0].command(&create);
        let cluster = RedisCluster { servers };
        for server in &cluster.servers {
            until("the cluster is complete", || {
                let info = server.command(&["CLUSTER", "INFO"]);
                let replication = server.info("replication");
                info.contains("cluster_state:ok")
                    && info.contains("cluster_known_nodes:6")
                    && (replication.contains("connected_slaves:1")
                        || replication.contains("master_link_status:up"))
            });
        }
        cluster
    }

    /// Returns a URL with the addresses of the servers.
    pub fn url(&self) -> String {
        format!("redis+cluster://{}", addresses(&self.servers))
    }

    /// Returns the URLs of the single servers.
    pub fn server_urls(&self) -> Vec<String> {
        self.servers.iter().map(RedisServer::url).collect()
    }

    /// Returns the shard whose master has keys with this pattern.
    ///
    /// # Panics
    ///
    /// If no master has such keys, or if it has no replica.
    #[allow(clippy::unwrap_used, reason = "a test cannot go on")]
    pub fn shard(&self, keys: &str) -> Shard {
        let has_keys = |shard: &Shard| !self.servers[shard.master].command(&["KEYS", keys]).trim().is_empty();
        self.shards().into_iter().find(has_keys).unwrap()
    }

    /// Returns the shards whose replica is connected to its master.
    pub fn shards(&self) -> Vec<Shard> {
        let replica_of = |master: &RedisServer| {
            let port = format!("master_port:{}\r", master.port);
            let is_replica = |server: &RedisServer| {
                let info = server.info("replication");
                info.contains(&port) && info.contains("master_link_status:up")
            };
            self.servers.iter().position(|server| server.child.is_some() && is_replica(server))
        };
        let masters = self.servers.iter().enumerate().filter(|(_, server)| server.is_master());
        masters.filter_map(|(master, server)| Some(Shard { master, replica: replica_of(server)? })).collect()
    }

    /// Makes the replica the master of its shard. No data is lost.
    pub fn fail_over(&mut self, shard: Shard) {
        let Shard { replica, .. } = shard;
        let replica = &self.servers[replica];
        until("the replica is the master", || {
            replica.command(&["CLUSTER", "FAILOVER"]);
            replica.is_master()
        });
    }

    /// Starts the killed servers again, without data. They become replicas of the new masters.
    pub fn restart_killed(&mut self) {
        restart_killed(&mut self.servers);
    }

    /// Kills the master of a shard, and waits until its replica has taken over.
    pub fn kill_master(&mut self, shard: Shard) {
        let Shard { master, replica } = shard;
        self.servers[master].kill();
        let replica = &self.servers[replica];
        until("the replica is the master", || {
            replica.is_master() && replica.command(&["CLUSTER", "INFO"]).contains("cluster_state:ok")
        });
    }
}

/// A part of a cluster: a master and its replica.
#[derive(Clone, Copy, Debug)]
pub struct Shard {
    master: usize,
    replica: usize,
}

fn restart_killed(servers: &mut [RedisServer]) {
    servers.iter_mut().filter(|server| server.child.is_none()).for_each(RedisServer::start_again);
}

fn addresses(servers: &[RedisServer]) -> String {
    let addresses: Vec<_> = servers.iter().map(|server| format!("127.0.0.1:{}", server.port)).collect();
    addresses.join(",")
}

/// Waits until the condition holds.
#[allow(clippy::panic, reason = "a test cannot go on")]
fn until(condition: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "not reached: {condition}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
