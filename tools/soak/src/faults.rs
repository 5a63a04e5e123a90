//! The processes of a run, and the faults that are injected into them.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use testkit::redis::{RedisCluster, RedisServer, SentinelGroup};

use crate::{Plan, StoreKind};

/// An injected fault.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) at: Instant,
    /// Description of the fault.
    pub(crate) what: String,
    /// True if the store may have lost data.
    pub(crate) is_loss: bool,
}

/// Number of services that share a store.
const SERVICES: u32 = 2;

/// Maximum wait that a crawler accepts from a service.
pub(crate) const LONGEST_TURN: Duration = Duration::from_secs(20);

/// Limit of file descriptors for a process that is to run out of file descriptors.
const FEW_DESCRIPTORS: u32 = 48;

/// A process of a crawler, or of a service for crawlers.
#[derive(Debug)]
struct Worker {
    child: Child,
    /// The port of the service; `None` for a crawler.
    listens: Option<u16>,
    begun: Instant,
    /// Measurements: the age of the process, and its resident memory in kilobytes.
    memory: Vec<(Duration, u64)>,
}

impl Worker {
    /// Reads the port that a service prints.
    fn port(&mut self) -> std::io::Result<u16> {
        let mut line = String::new();
        if let Some(stdout) = self.child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        line.trim().parse().map_err(|_| std::io::Error::other("the service did not print its port"))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // `Child::kill` is SIGKILL.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The servers of a store.
#[derive(Debug)]
enum Servers {
    One(RedisServer),
    Sentinels(SentinelGroup),
    Cluster(RedisCluster),
}

impl Servers {
    fn start(store: StoreKind) -> Option<Servers> {
        match store {
            StoreKind::Memory | StoreKind::Embedded => None,
            StoreKind::Redis => Some(Servers::One(RedisServer::start())),
            StoreKind::Sentinels => Some(Servers::Sentinels(SentinelGroup::start())),
            StoreKind::Cluster => Some(Servers::Cluster(RedisCluster::start())),
        }
    }

    fn url(&self) -> String {
        match self {
            Servers::One(server) => server.url(),
            Servers::Sentinels(group) => group.url(),
            Servers::Cluster(cluster) => cluster.url(),
        }
    }
}

/// The store and all processes that share it.
#[derive(Debug)]
pub(crate) struct Fleet {
    store: StoreKind,
    plan: Plan,
    port: u16,
    folder: tempfile::TempDir,
    servers: Option<Servers>,
    workers: Vec<Worker>,
    /// The crawlers that use services. No faults are injected into them.
    crawlers: Vec<Child>,
    random: fastrand::Rng,
    started: u64,
    pub(crate) faults: Vec<Fault>,
    /// Memory measurements of ended processes.
    pub(crate) memory: Vec<Vec<(Duration, u64)>>,
    /// Processes that ended unexpectedly.
    pub(crate) died: Vec<(Instant, String)>,
}

impl Fleet {
    /// Starts the store and all crawlers.
    pub(crate) fn start(plan: &Plan, store: StoreKind, port: u16) -> std::io::Result<Fleet> {
        let mut fleet = Fleet {
            store,
            plan: plan.clone(),
            port,
            folder: tempfile::tempdir()?,
            servers: Servers::start(store),
            workers: Vec::new(),
            crawlers: Vec::new(),
            random: fastrand::Rng::with_seed(plan.seed ^ 0xfa017),
            started: 0,
            faults: Vec::new(),
            memory: Vec::new(),
            died: Vec::new(),
        };
        let several = if plan.admit { SERVICES } else { plan.workers };
        let count = if store == StoreKind::Memory { 1 } else { several };
        for _ in 0..count {
            let worker = fleet.spawn(None, plan.admit.then_some(0))?;
            fleet.workers.push(worker);
        }
        if plan.admit {
            fleet.start_crawlers()?;
        }
        Ok(fleet)
    }

    /// Starts the crawlers that use services. Each service has about an equal number of crawlers.
    fn start_crawlers(&mut self) -> std::io::Result<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let programs = [("python3", folder.join("crawler.py")), ("node", folder.join("crawler.mjs"))];
        let ports: Vec<u16> = self.workers.iter().filter_map(|worker| worker.listens).collect();
        let programs = programs.iter().flat_map(|program| vec![program; SERVICES as usize]).cycle();
        let crawlers = (0..self.plan.workers).zip(ports.into_iter().cycle()).zip(programs);
        for ((number, service), (interpreter, program)) in crawlers {
            let mut command = Command::new(interpreter);
            command.arg(program).args(["--service", &service.to_string()]);
            command.args(["--port", &self.port.to_string(), "--origins", &self.plan.origins.to_string()]);
            command.args(["--seed", &(self.plan.seed ^ (u64::from(number) << 40)).to_string()]);
            command.args(["--max-wait", &LONGEST_TURN.as_secs().to_string()]);
            self.crawlers.push(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?);
        }
        Ok(())
    }

    fn location(&self) -> Option<String> {
        match (&self.servers, self.store) {
            (Some(servers), _) => Some(servers.url()),
            (None, StoreKind::Embedded) => Some(self.folder.path().join("soak.db").display().to_string()),
            (None, _) => None,
        }
    }

    /// Starts a crawler, or a service on a port, optionally with a limit of file descriptors.
    fn spawn(&mut self, descriptors: Option<u32>, listens: Option<u16>) -> std::io::Result<Worker> {
        self.started += 1;
        let program = std::env::current_exe()?;
        let mut command = match descriptors {
            // The shell lowers the limit, and then replaces itself by the program.
            Some(most) => {
                let mut command = Command::new("sh");
                command.arg("-c").arg(format!("ulimit -n {most}; exec \"$0\" \"$@\"")).arg(program);
                command
            }
            None => Command::new(program),
        };
        match listens {
            Some(port) => command.arg("service").args(["--listen", &port.to_string()]),
            None => command.arg("worker"),
        };
        command.args(["--store", self.store.as_str()]);
        command.args(["--port", &self.port.to_string()]);
        command.args(["--seed", &(self.plan.seed ^ (self.started << 40)).to_string()]);
        command.args(["--origins", &self.plan.origins.to_string()]);
        if let Some(location) = self.location() {
            command.args(["--location", &location]);
        }
        let stdout = if listens.is_some() { Stdio::piped() } else { Stdio::null() };
        let child = command.stdin(Stdio::piped()).stdout(stdout).spawn()?;
        let mut worker = Worker { child, listens: None, begun: Instant::now(), memory: Vec::new() };
        if listens.is_some() {
            worker.listens = Some(worker.port()?);
        }
        Ok(worker)
    }

    /// Returns the kind of the processes into which faults are injected.
    fn victim_kind(&self) -> &'static str {
        if self.plan.admit { "service" } else { "crawler" }
    }

    fn note(&mut self, what: String, is_loss: bool) {
        self.faults.push(Fault { at: Instant::now(), what, is_loss });
    }

    /// Injects a fault.
    pub(crate) fn fault(&mut self) -> std::io::Result<()> {
        let victim = self.random.usize(..self.workers.len());
        // Of the faults with servers, half concern the servers.
        let kinds = if self.servers.is_some() { 8 } else { 4 };
        match self.random.u32(..kinds) {
            0 => self.replace(victim, None),
            1 => self.replace(victim, Some(FEW_DESCRIPTORS)),
            2 => self.clock(victim, 3_600),
            3 => self.clock(victim, -3_600),
            4 | 5 => self.server_fault(false),
            _ => self.server_fault(true),
        }
    }

    /// Kills a server, or else empties it or orders a failover.
    fn server_fault(&mut self, is_kill: bool) -> std::io::Result<()> {
        let shard = self.random.usize(..64);
        // Crawlers notice a failover before the new master is known here.
        let at = Instant::now();
        match &mut self.servers {
            None => return Ok(()),
            Some(Servers::One(_)) => return if is_kill { self.redis_down() } else { self.flush() },
            Some(Servers::Sentinels(group)) if is_kill => group.kill_master(),
            Some(Servers::Sentinels(group)) => group.fail_over(),
            Some(Servers::Cluster(cluster)) => {
                let shards = cluster.shards();
                let Some(shard) = shards.get(shard % shards.len().max(1)).copied() else { return Ok(()) };
                if is_kill { cluster.kill_master(shard) } else { cluster.fail_over(shard) }
            }
        }
        let what = if is_kill { "a master was killed; its replica took over" } else { "an ordered failover" };
        self.faults.push(Fault { at, what: what.to_owned(), is_loss: true });
        match &mut self.servers {
            Some(Servers::Sentinels(group)) => group.restart_killed(),
            Some(Servers::Cluster(cluster)) => cluster.restart_killed(),
            _ => {}
        }
        Ok(())
    }

    /// Kills a process and starts another one.
    fn replace(&mut self, victim: usize, descriptors: Option<u32>) -> std::io::Result<()> {
        self.workers[victim].child.kill()?;
        self.workers[victim].child.wait()?;
        let what = match descriptors {
            Some(most) => {
                format!("{} {victim} killed; its successor has {most} descriptors", self.victim_kind())
            }
            None => format!("{} {victim} killed", self.victim_kind()),
        };
        self.note(what, self.store == StoreKind::Memory);
        let listens = self.workers[victim].listens;
        let worker = self.spawn(descriptors, listens)?;
        let mut gone = std::mem::replace(&mut self.workers[victim], worker);
        self.memory.push(std::mem::take(&mut gone.memory));
        Ok(())
    }

    /// Shifts the clock of a process, and resets it after two seconds.
    fn clock(&mut self, victim: usize, offset: i64) -> std::io::Result<()> {
        self.order(victim, offset)?;
        self.note(format!("the clock of {} {victim} is {offset:+} s off", self.victim_kind()), false);
        std::thread::sleep(Duration::from_secs(2));
        self.order(victim, 0)?;
        self.note(format!("the clock of {} {victim} is reset", self.victim_kind()), false);
        Ok(())
    }

    fn order(&mut self, victim: usize, offset: i64) -> std::io::Result<()> {
        match &mut self.workers[victim].child.stdin {
            Some(stdin) => writeln!(stdin, "clock {offset}"),
            None => Ok(()),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let Some(Servers::One(redis)) = &self.servers else { return Ok(()) };
        let address = redis.url().trim_start_matches("redis://").to_owned();
        let mut stream = std::net::TcpStream::connect(address)?;
        stream.write_all(b"FLUSHALL\r\n")?;
        std::io::Read::read(&mut stream, &mut [0; 16])?;
        self.note("FLUSHALL".to_owned(), true);
        Ok(())
    }

    fn redis_down(&mut self) -> std::io::Result<()> {
        if let Some(Servers::One(redis)) = &mut self.servers {
            redis.kill();
        }
        self.note("Redis was killed".to_owned(), true);
        std::thread::sleep(Duration::from_millis(1_500));
        if let Some(Servers::One(redis)) = &mut self.servers {
            redis.start_again();
        }
        self.note("Redis was restarted without data".to_owned(), true);
        Ok(())
    }

    /// Measures the memory of the workers, and replaces ended workers. Ended crawlers are not replaced.
    pub(crate) fn check_processes(&mut self) -> std::io::Result<()> {
        for number in 0..self.workers.len() {
            if let Some(status) = self.workers[number].child.try_wait()? {
                self.died.push((Instant::now(), format!("{} {number} ended: {status}", self.victim_kind())));
                let worker = self.spawn(None, self.workers[number].listens)?;
                let mut gone = std::mem::replace(&mut self.workers[number], worker);
                self.memory.push(std::mem::take(&mut gone.memory));
                self.note(
                    format!("{} {number} was replaced", self.victim_kind()),
                    self.store == StoreKind::Memory,
                );
                continue;
            }
            let worker = &mut self.workers[number];
            if let Some(kilobytes) = resident(worker.child.id()) {
                worker.memory.push((worker.begun.elapsed(), kilobytes));
            }
        }
        for number in 0..self.crawlers.len() {
            if let Some(status) = self.crawlers[number].try_wait()? {
                self.died.push((Instant::now(), format!("crawler {number} ended: {status}")));
                let _ = self.crawlers.remove(number).wait();
                break;
            }
        }
        Ok(())
    }

    /// Ends every crawler and service.
    pub(crate) fn stop(&mut self) {
        for mut crawler in self.crawlers.drain(..) {
            let _ = crawler.kill();
            let _ = crawler.wait();
        }
        for mut worker in self.workers.drain(..) {
            self.memory.push(std::mem::take(&mut worker.memory));
        }
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Returns the resident memory of a process in kilobytes.
fn resident(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}
