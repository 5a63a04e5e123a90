//! Eight real processes share servers as their store. They must keep a Crawl-delay of one second during every failure
//! and failover of the servers. A separate site records the times of their requests.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use comity_client::pace::{Interval, Pace, PaceOptions};
use comity_client::store::RedisStore;
use comity_client::{Clock, SystemClock};
use testkit::redis::{RedisCluster, RedisServer, SentinelGroup};

use super::origin;
use super::processes::{PATH, start};

const PROCESSES: usize = 8;
const INTERVAL: Duration = Duration::from_secs(1);
/// Tolerance of the test: the measured interval may be shorter by this duration.
const ALLOWED: Duration = Duration::from_millis(50);

/// The function of each process. It requests pages from the site as fast as allowed, until it is killed.
#[tokio::test(flavor = "current_thread")]
#[ignore = "a process that another test starts and kills"]
async fn crawler() {
    let told = std::env::var(PATH).expect("started by a test");
    let (url, port) = told.split_once(' ').unwrap();
    let options = RedisStore::options()
        .connect_timeout(Duration::from_millis(300))
        .response_timeout(Duration::from_millis(300));
    let store = Arc::new(options.open(url).unwrap());
    let config = PaceOptions::default();
    let pace = Pace::new(store, Arc::new(SystemClock), &config);
    let interval = Interval::new(&config, None, SystemClock.now());
    assert_eq!(interval.duration, INTERVAL);
    loop {
        let asked = SystemClock.moment();
        match pace.enter(&origin("example.com"), &interval, Duration::from_secs(60)).await {
            Ok(turn) => {
                let until = SystemClock.moment().since_zero().as_nanos();
                let from = (asked + turn.waited()).since_zero().as_nanos();
                let mut site = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
                write!(site, "{from} {until} {}", turn.wait().late.is_some()).unwrap();
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
}

/// Earliest and latest possible start of a request, on the machine's clock. The exact time is unknown, because a busy
/// machine may pause a process at any point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Begin {
    from: Duration,
    until: Duration,
    /// True if the request began late, even after it got new slots. Its intervals to other requests may then be too
    /// short.
    is_late: bool,
}

impl Begin {
    fn parse(text: &str) -> Option<Begin> {
        let mut words = text.split(' ');
        let mut time = || Some(Duration::from_nanos(words.next()?.parse().ok()?));
        Some(Begin { from: time()?, until: time()?, is_late: words.next()?.parse().ok()? })
    }
}

/// Starts of requests, as reported by the processes to the site.
#[derive(Clone, Debug, Default)]
struct Begins(Arc<Mutex<Vec<Begin>>>);

impl Begins {
    fn listen(&self) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let begins = self.clone();
        std::thread::spawn(move || {
            for request in listener.incoming() {
                let mut begun = String::new();
                if request.unwrap().read_to_string(&mut begun).is_ok()
                    && let Some(begin) = Begin::parse(&begun)
                {
                    begins.0.lock().unwrap().push(begin);
                }
            }
        });
        port
    }

    fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    /// Waits until the site has received this number of further requests.
    fn await_more(&self, more: usize) {
        let until = self.count() + more;
        while self.count() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Crawlers that share a store, and the site that receives their requests.
struct Fleet {
    begins: Begins,
    crawlers: Vec<Child>,
}

impl Fleet {
    /// Starts the crawlers, and waits for their first requests.
    fn start(url: &str) -> Self {
        let begins = Begins::default();
        let told = format!("{url} {}", begins.listen());
        let crawlers = (0..PROCESSES).map(|_| start("store::forgetting::crawler", told.as_ref())).collect();
        begins.await_more(2);
        Fleet { begins, crawlers }
    }

    fn kill(&mut self, processes: usize) {
        for mut crawler in self.crawlers.drain(..processes) {
            crawler.kill().unwrap();
            crawler.wait().unwrap();
        }
    }

    /// Kills the crawlers and checks the intervals between all requests.
    fn assert_kept_their_pace(mut self) {
        self.kill(self.crawlers.len());
        let mut begins = self.begins.0.lock().unwrap().clone();
        begins.sort();
        for pair in begins.windows(2).filter(|pair| !pair.iter().any(|begin| begin.is_late)) {
            let longest = pair[1].until - pair[0].from;
            assert!(longest + ALLOWED >= INTERVAL, "{longest:?} apart: {begins:?}");
        }
    }
}

#[test]
fn eight_processes_keep_their_pace_through_failures_of_the_server() {
    let mut server = RedisServer::start();
    let mut fleet = Fleet::start(&server.url());

    let forget = |server: &RedisServer| {
        let mut server = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
        redis::cmd("FLUSHALL").exec(&mut server).unwrap();
    };
    // Delete the data of the server twice. The first time is right after a request, when any other request would be too
    // early.
    forget(&server);
    fleet.begins.await_more(1);
    std::thread::sleep(Duration::from_millis(300));
    forget(&server);
    fleet.begins.await_more(2);

    // Kill the server and restart it without its data.
    server.start_again();
    fleet.begins.await_more(2);

    // Pause the server for longer than the response timeout.
    server.pause();
    std::thread::sleep(Duration::from_millis(1500));
    server.resume();
    fleet.begins.await_more(2);

    // Kill half of the processes. A process that is killed during a wait does not use its slot. The other processes
    // wait only for these unused slots.
    fleet.kill(PROCESSES / 2);
    fleet.begins.await_more(2);
    fleet.assert_kept_their_pace();
}

/// The former master accepts writes for some seconds after the failover.
#[test]
fn eight_processes_keep_their_pace_through_an_ordered_failover_of_sentinels() {
    let mut servers = SentinelGroup::start();
    let fleet = Fleet::start(&servers.url());
    servers.fail_over();
    fleet.begins.await_more(4);
    fleet.assert_kept_their_pace();
}

#[test]
fn eight_processes_keep_their_pace_after_the_master_of_sentinels_is_killed() {
    let mut servers = SentinelGroup::start();
    let fleet = Fleet::start(&servers.url());
    servers.kill_master();
    fleet.begins.await_more(2);
    fleet.assert_kept_their_pace();
}

#[test]
fn eight_processes_keep_their_pace_through_failovers_of_a_cluster() {
    let keys = "*:https://example.com:*";
    let mut servers = RedisCluster::start();
    let fleet = Fleet::start(&servers.url());
    servers.fail_over(servers.shard(keys));
    fleet.begins.await_more(2);
    servers.kill_master(servers.shard(keys));
    fleet.begins.await_more(2);
    fleet.assert_kept_their_pace();
}
