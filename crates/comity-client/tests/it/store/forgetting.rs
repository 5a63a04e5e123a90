//! Eight real processes share a server as their store. They must keep an interval of one second during every failure
//! of the server. A separate site records the times of their requests.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use comity_client::pace::{Interval, Pace, PaceOptions};
use comity_client::store::RedisStore;
use comity_client::{Clock, SystemClock};
use testkit::redis::RedisServer;

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

#[test]
fn eight_processes_keep_their_pace_through_failures_of_the_server() {
    let mut server = RedisServer::start();
    let begins = Begins::default();
    let told = format!("{} {}", server.url(), begins.listen());
    let mut crawlers: Vec<Child> =
        (0..PROCESSES).map(|_| start("store::forgetting::crawler", told.as_ref())).collect();
    begins.await_more(2);

    let forget = |server: &RedisServer| {
        let mut server = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
        redis::cmd("FLUSHALL").exec(&mut server).unwrap();
    };
    // Delete the data of the server twice. The first time is right after a request, when any other request would be too
    // early.
    forget(&server);
    begins.await_more(1);
    std::thread::sleep(Duration::from_millis(300));
    forget(&server);
    begins.await_more(2);

    // Kill the server and restart it without its data.
    server.start_again();
    begins.await_more(2);

    // Pause the server for longer than the response timeout.
    server.pause();
    std::thread::sleep(Duration::from_millis(1500));
    server.resume();
    begins.await_more(2);

    // Kill half of the processes. A process that is killed during a wait does not use its slot. The other processes
    // wait only for these unused slots.
    for crawler in crawlers.iter_mut().take(PROCESSES / 2) {
        crawler.kill().unwrap();
        crawler.wait().unwrap();
    }
    begins.await_more(2);
    for crawler in crawlers.iter_mut().skip(PROCESSES / 2) {
        crawler.kill().unwrap();
        crawler.wait().unwrap();
    }

    let mut begins = begins.0.lock().unwrap().clone();
    begins.sort();
    for pair in begins.windows(2).filter(|pair| !pair.iter().any(|begin| begin.is_late)) {
        let longest = pair[1].until - pair[0].from;
        assert!(longest + ALLOWED >= INTERVAL, "{longest:?} apart: {begins:?}");
    }
}
