//! Tests of the store on a server, with a real Redis server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use comity_client::store::WhenDown;
use comity_client::store::conformance::StoreUnderTest;
use comity_client::store::redis::RedisOptions;
use comity_client::store::{
    Entries, Entry, Lane, LeaseAnswer, RedisStore, Slot, SlotRequest, SlotStatus, StoreFault, Turns,
};
use comity_client::store_conformance;
use comity_client::{Clock, Moment, Origin, SystemClock};
use testkit::redis::RedisServer;

use super::origin;
use super::request;

const HOUR: Duration = Duration::from_secs(3600);

/// Returns two stores with one server, as on two machines. The server has its own clock, so the slack is not zero.
fn place() -> StoreUnderTest {
    let server = started();
    let open = || Arc::new(open(&server, WhenDown::default()));
    StoreUnderTest::new(open()).other(open()).slack(Duration::from_secs(60)).keeping(server)
}

store_conformance!(place());

/// Starts a server. Its epoch begins in 1970, so that origins do not wait for lost slots.
fn started() -> RedisServer {
    let server = RedisServer::start();
    remembers(&server);
    server
}

fn remembers(server: &RedisServer) {
    begin_epoch_at(1, &mut raw(server), "comity:", 1);
}

/// Sets the start of the epoch in these buckets.
pub(super) fn begin_epoch_at(
    start: i64,
    server: &mut impl redis::ConnectionLike,
    prefix: &str,
    buckets: u32,
) {
    let script = "local id = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
        redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. id)";
    for bucket in 0..buckets {
        let key = format!("{prefix}1:{{{bucket}}}:epoch");
        redis::cmd("EVAL").arg(script).arg(1).arg(key).arg(start).exec(server).unwrap();
    }
}

/// Returns options with long timeouts, since a server on a busy machine may take seconds to answer.
pub(crate) fn patient() -> RedisOptions {
    let patience = Duration::from_secs(30);
    RedisStore::options().connect_timeout(patience).response_timeout(patience)
}

fn open(server: &RedisServer, when_down: WhenDown) -> RedisStore {
    patient().when_down(when_down).open(&server.url()).unwrap()
}

fn raw(server: &RedisServer) -> redis::Connection {
    redis::Client::open(server.url()).unwrap().get_connection().unwrap()
}

async fn granted(store: &RedisStore, origin: &Origin) -> comity_client::store::Lease {
    match store.acquire(origin, HOUR, SystemClock.moment()).await.unwrap() {
        LeaseAnswer::Granted { lease, .. } => lease,
        other => panic!("{other:?}"),
    }
}

/// Waits until the store has reconnected to the server.
async fn until_up(store: &RedisStore) {
    while store.ping().await.is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_machines_share_leases_and_pace() {
    let server = started();
    let machines = [Arc::new(open(&server, WhenDown::Stop)), Arc::new(open(&server, WhenDown::LocalOnly))];
    let (origin, interval, now) = (origin("example.com"), HOUR, SystemTime::now());
    let mut tasks = tokio::task::JoinSet::new();
    for machine in machines.iter().cycle().take(200) {
        let (machine, origin) = (Arc::clone(machine), origin.clone());
        tasks.spawn(async move {
            let acquired = machine.acquire(&origin, HOUR, SystemClock.moment()).await.unwrap();
            let asked = SystemTime::now();
            let request = request(interval, HOUR * 300);
            let slot = machine.reserve(&origin, &request, SystemClock.moment()).await.unwrap();
            let Slot::Taken(wait) = slot else { panic!("too far") };
            (matches!(acquired, LeaseAnswer::Granted { .. }), asked + wait)
        });
    }
    let answers = tasks.join_all().await;
    assert_eq!(answers.iter().filter(|(granted, _)| *granted).count(), 1);
    let mut slots: Vec<SystemTime> = answers.iter().map(|(_, slot)| *slot).collect();
    slots.sort();
    // An answer takes at most the duration of the whole test.
    let way = now.elapsed().unwrap();
    for pair in slots.windows(2) {
        assert!(pair[1].duration_since(pair[0]).unwrap() + way >= interval, "{pair:?}");
    }
    let all = slots[199].duration_since(slots[0]).unwrap();
    assert!(all <= interval * 199 + way, "no slot is skipped: {all:?}");
}

/// Reserves slots in several tasks while the server is killed and restarted twice. The server loses its data each time.
async fn interrupted(when_down: WhenDown) -> (Vec<Moment>, usize, Duration) {
    let mut server = RedisServer::start();
    let store = Arc::new(open(&server, when_down));
    let (origin, interval) = (origin("example.com"), Duration::from_millis(10));
    let stop = Arc::new(AtomicBool::new(false));
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let (store, origin, stop) = (Arc::clone(&store), origin.clone(), Arc::clone(&stop));
            tokio::spawn(async move {
                let (mut slots, mut errors) = (Vec::new(), 0);
                while !stop.load(Ordering::Relaxed) {
                    let now = SystemClock.moment();
                    match store.reserve(&origin, &request(interval, HOUR), now).await {
                        Ok(Slot::Taken(wait)) => {
                            slots.push(now + wait);
                            tokio::time::sleep(wait).await;
                        }
                        Ok(other) => panic!("{other:?}"),
                        Err(_) => {
                            errors += 1;
                            tokio::time::sleep(interval).await;
                        }
                    }
                }
                (slots, errors)
            })
        })
        .collect();
    let pause = || tokio::time::sleep(Duration::from_millis(400));
    pause().await;
    for _ in 0..2 {
        server.kill();
        pause().await;
        server.start_again();
        until_up(&store).await;
        pause().await;
    }
    let before = slots_known(&server);
    pause().await;
    assert!(slots_known(&server) > before, "the record was sent to the server again");
    stop.store(true, Ordering::Relaxed);
    let (mut slots, mut errors) = (Vec::new(), 0);
    for task in tasks {
        let (taken, failed) = task.await.unwrap();
        slots.extend(taken);
        errors += failed;
    }
    slots.sort();
    (slots, errors, interval)
}

/// Returns the last slot in the server's data.
fn slots_known(server: &RedisServer) -> u64 {
    redis::Cmd::hget("comity:1:{0}:https://example.com:pace:pages", "last").query(&mut raw(server)).unwrap()
}

fn assert_apart(slots: &[Moment], interval: Duration) {
    assert!(slots.len() > 50, "{}", slots.len());
    for pair in slots.windows(2) {
        let between = pair[1].since(pair[0]);
        // The server's times are in microseconds.
        assert!(between + Duration::from_micros(1) >= interval, "{between:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn local_only_store_keeps_the_pace_without_errors() {
    let (slots, errors, interval) = interrupted(WhenDown::LocalOnly).await;
    assert_eq!(errors, 0);
    assert_apart(&slots, interval);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped_store_reports_errors_and_resumes_with_its_pace() {
    let (slots, errors, interval) = interrupted(WhenDown::Stop).await;
    assert!(errors > 0);
    assert_apart(&slots, interval);
}

#[tokio::test]
async fn stopped_store_names_the_server_in_every_error() {
    let mut server = RedisServer::start_with_password("s3cret");
    let store = open(&server, WhenDown::Stop);
    let (now, origin) = (SystemTime::now(), origin("example.com"));
    let lease = granted(&store, &origin).await;
    server.kill();
    let errors = [
        store.get(&origin).await.unwrap_err(),
        store.put(&origin, &Entry::seal(b"x"), None, now).await.unwrap_err(),
        store.remove(&origin).await.unwrap_err(),
        store.acquire(&super::origin("example.org"), HOUR, SystemClock.moment()).await.unwrap_err(),
        store.release(lease).await.unwrap_err(),
        store.reserve(&origin, &request(HOUR, HOUR), SystemClock.moment()).await.unwrap_err(),
        store.hold(&origin, Lane::Pages, HOUR, SystemClock.moment()).await.unwrap_err(),
        store.list(None, 1).await.unwrap_err(),
        store.purge(None).await.unwrap_err(),
        store.ping().await.unwrap_err(),
    ];
    for error in errors {
        let error = format!("{error} {error:?}");
        assert!(error.contains(store.place()) && error.contains("does not answer"), "{error}");
        assert!(!error.contains("s3cret"), "{error}");
    }
    server.start_again();
    assert_eq!(store.get(&origin).await.unwrap(), None, "the first command after the restart succeeds");
}

#[tokio::test]
async fn local_only_store_uses_its_copies_and_leases() {
    let mut server = RedisServer::start();
    let (store, other) = (open(&server, WhenDown::LocalOnly), open(&server, WhenDown::Stop));
    let now = SystemTime::now();
    let (written, read, leased) =
        (origin("written.example"), origin("read.example"), origin("leased.example"));
    store.put(&written, &Entry::seal(b"written"), None, now).await.unwrap();
    other.put(&read, &Entry::seal(b"read"), None, now).await.unwrap();
    store.get(&read).await.unwrap().unwrap();
    let before = granted(&store, &leased).await;
    store.hold(&leased, Lane::Pages, HOUR, SystemClock.moment()).await.unwrap();

    server.kill();
    assert_eq!(store.get(&written).await.unwrap().unwrap().content(), b"written");
    assert_eq!(store.get(&read).await.unwrap().unwrap().content(), b"read");
    assert_eq!(store.list(None, 9).await.unwrap(), [read.clone(), written.clone()]);
    // The lease that was granted before the outage is still valid, and its holder may write.
    assert!(matches!(
        store.acquire(&leased, HOUR, SystemClock.moment()).await.unwrap(),
        LeaseAnswer::Held(_)
    ));
    assert!(store.put(&leased, &Entry::seal(b"one"), Some(&before), now).await.unwrap());
    store.release(before.clone()).await.unwrap();
    let during = granted(&store, &leased).await;
    assert!(during.number() > before.number());
    assert!(!store.put(&leased, &Entry::seal(b"late"), Some(&before), now).await.unwrap());
    assert!(matches!(
        store.reserve(&leased, &request(HOUR, HOUR / 2), SystemClock.moment()).await.unwrap(),
        Slot::TooFar(_)
    ));

    server.start_again();
    until_up(&store).await;
    // The server has lost its data. So the entry is absent, but earlier holds and leases of this process still apply.
    assert_eq!(store.get(&written).await.unwrap(), None);
    assert!(matches!(
        store.acquire(&leased, HOUR, SystemClock.moment()).await.unwrap(),
        LeaseAnswer::Held(_)
    ));
    assert!(matches!(
        store.reserve(&leased, &request(HOUR, HOUR / 2), SystemClock.moment()).await.unwrap(),
        Slot::TooFar(_)
    ));
    // Another machine has the lease now. A lease that was granted during the outage must not overwrite the entry of
    // that machine.
    let after = granted(&other, &leased).await;
    assert!(other.put(&leased, &Entry::seal(b"good"), Some(&after), now).await.unwrap());
    assert!(!store.put(&leased, &Entry::seal(b"late"), Some(&during), now).await.unwrap());
    assert_eq!(store.get(&leased).await.unwrap().unwrap().content(), b"good");
}

#[tokio::test]
async fn lease_numbers_grow_after_data_loss() {
    let server = RedisServer::start();
    let (first, second) = (open(&server, WhenDown::Stop), open(&server, WhenDown::Stop));
    let (now, origin) = (SystemTime::now(), origin("example.com"));
    let late = granted(&first, &origin).await;
    redis::cmd("FLUSHALL").exec(&mut raw(&server)).unwrap();
    let latest = granted(&second, &origin).await;
    assert!(latest.number() > late.number());
    assert!(!first.put(&origin, &Entry::seal(b"late"), Some(&late), now).await.unwrap());
    assert!(second.put(&origin, &Entry::seal(b"good"), Some(&latest), now).await.unwrap());
    // The server may lose its scripts, for example in a restart.
    redis::cmd("SCRIPT").arg("FLUSH").exec(&mut raw(&server)).unwrap();
    assert!(second.put(&origin, &Entry::seal(b"good"), Some(&latest), now).await.unwrap());
}

#[tokio::test]
async fn pace_is_kept_locally_after_data_loss() {
    let server = RedisServer::start();
    let store = open(&server, WhenDown::Stop);
    let origin = origin("example.com");
    for _ in 0..3 {
        store.reserve(&origin, &request(HOUR, HOUR * 9), SystemClock.moment()).await.unwrap();
    }
    redis::cmd("FLUSHALL").exec(&mut raw(&server)).unwrap();
    let Slot::Taken(wait) =
        store.reserve(&origin, &request(HOUR, HOUR * 9), SystemClock.moment()).await.unwrap()
    else {
        panic!("too far")
    };
    assert!(wait >= HOUR * 3, "{wait:?}");
    // The server now has the end of the last slot, so another process waits, too.
    let other = open(&server, WhenDown::Stop);
    let Slot::Taken(wait) =
        other.reserve(&origin, &request(HOUR, HOUR * 9), SystemClock.moment()).await.unwrap()
    else {
        panic!("too far")
    };
    assert!(wait + Duration::from_secs(60) >= HOUR * 4, "{wait:?}");
}

/// A slot that was handed on is not confirmed. A process that has received its end sends the end to a server that has
/// lost its data. The server returns the end to other processes.
#[tokio::test]
async fn handed_on_slots_are_restored_after_data_loss() {
    let server = started();
    let stores = [(); 3].map(|()| open(&server, WhenDown::Stop));
    let [giver, hearer, stranger] = &stores;
    let (minute, now) = (Duration::from_secs(60), SystemClock.moment());
    let [elsewhere, there, meanwhile] =
        ["elsewhere.example", "there.example", "meanwhile.example"].map(origin);
    let reserve = async |store: &RedisStore, origin: &Origin, request: &SlotRequest| match store
        .reserve(origin, request, SystemClock.moment())
        .await
        .unwrap()
    {
        Slot::Taken(wait) => wait,
        other => panic!("{other:?}"),
    };
    for _ in 0..2 {
        let mut handed_on = request(HOUR, 9 * HOUR);
        handed_on.is_handed_on = true;
        reserve(giver, &there, &handed_on).await;
    }
    reserve(hearer, &elsewhere, &request(minute, HOUR)).await;
    reserve(stranger, &elsewhere, &request(minute, HOUR)).await;
    let forget = || redis::cmd("FLUSHALL").exec(&mut raw(&server)).unwrap();

    forget();
    // A new process has not received the end. It reserves a slot that is too early, but detects the problem when it
    // confirms the slot.
    let newcomer = open(&server, WhenDown::Stop);
    let early = request(minute, HOUR);
    assert!(reserve(&newcomer, &meanwhile, &early).await <= minute);
    assert_eq!(newcomer.confirm(&meanwhile, &early, now, now).await.unwrap(), SlotStatus::Valid);
    let again = request(minute, HOUR);
    assert!(reserve(&newcomer, &meanwhile, &again).await <= 2 * minute);

    assert!(reserve(hearer, &there, &request(minute, 9 * HOUR)).await > HOUR);
    let standing = newcomer.confirm(&meanwhile, &again, now, now).await.unwrap();
    assert!(matches!(standing, SlotStatus::Held(rest) if rest > HOUR - minute), "{standing:?}");
    assert!(reserve(&newcomer, &meanwhile, &request(minute, 9 * HOUR)).await > HOUR);

    forget();
    // The end is sent again, even by the process that has just received it.
    assert!(reserve(&newcomer, &elsewhere, &request(minute, 9 * HOUR)).await > HOUR - minute);
    let wait = reserve(stranger, &elsewhere, &request(minute, 9 * HOUR)).await;
    assert!((HOUR..2 * HOUR).contains(&wait), "{wait:?}");
}

#[tokio::test]
async fn handed_on_slots_keep_their_remaining_time_on_the_server() {
    let server = started();
    let (store, minute) = (open(&server, WhenDown::Stop), Duration::from_secs(60));
    let (there, elsewhere) = (origin("there.example"), origin("elsewhere.example"));
    let mut handed_on = request(minute, HOUR);
    (handed_on.is_handed_on, handed_on.window) = (true, minute);
    store.reserve(&there, &handed_on, SystemClock.moment()).await.unwrap();
    // Write the values of a server whose clock is an hour ahead.
    let mut raw = raw(&server);
    for field in ["until", "floor", "written"] {
        let hour = 3_600_000_000_i64;
        redis::cmd("HINCRBY").arg("comity:1:{0}:handed_on").arg(field).arg(hour).exec(&mut raw).unwrap();
    }
    begin_epoch_at(9_007_199_254_740_991, &mut raw, "comity:", 1);
    let newcomer = open(&server, WhenDown::Stop);
    let mut waits = Vec::new();
    for _ in 0..2 {
        let slot = newcomer.reserve(&elsewhere, &request(minute, HOUR), SystemClock.moment()).await.unwrap();
        let Slot::Taken(wait) = slot else { panic!("{slot:?}") };
        waits.push(wait);
    }
    let close = Duration::from_secs(20);
    assert!(waits[0] > 2 * minute - close && waits[0] <= 2 * minute, "{waits:?}");
    assert!(waits[1] > 3 * minute - close && waits[1] <= 3 * minute, "{waits:?}");
}

#[tokio::test]
async fn keys_have_prefix_and_expiry_and_other_keys_are_untouched() {
    let server = RedisServer::start();
    let store = patient().prefix("a[b]*:").expiry(Duration::from_secs(100)).open(&server.unix_url()).unwrap();
    let (now, origin) = (SystemTime::now(), origin("example.com"));
    let mut raw = raw(&server);
    begin_epoch_at(1, &mut raw, "a[b]*:", 1);
    redis::Cmd::set("another's", "x").exec(&mut raw).unwrap();
    redis::Cmd::set("ab:{https://example.org}:entry", "x").exec(&mut raw).unwrap();
    store.put(&origin, &Entry::seal(b"x"), None, now).await.unwrap();
    let _lease = granted(&store, &origin).await;
    store.reserve(&origin, &request(HOUR, HOUR), SystemClock.moment()).await.unwrap();
    store.hold(&super::origin("held.example"), Lane::Pages, HOUR, SystemClock.moment()).await.unwrap();
    let ttl = |key: &str| -> i64 {
        redis::Cmd::pttl(key).query(&mut redis::Client::open(server.url()).unwrap()).unwrap()
    };
    let near = |key: &str, expected: i64| {
        let found = ttl(key);
        assert!((expected - 60_000..=expected).contains(&found), "{key}: {found}");
    };
    near("a[b]*:1:{0}:https://example.com:entry", 100_000);
    near("a[b]*:1:{0}:https://example.com:lease", 3_600_000);
    near("a[b]*:1:{0}:https://example.com:fence", 3_700_000);
    near("a[b]*:1:{0}:https://example.com:pace:pages", 3_600_000);
    near("a[b]*:1:{0}:https://held.example:pace:pages", 3_600_000);
    assert_eq!(store.list(None, 9).await.unwrap(), [origin]);
    assert_eq!(store.purge(None).await.unwrap(), 1);
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut raw).unwrap();
    assert_eq!(keys.len(), 2 + 1, "the keys of other programs, and the epoch: {keys:?}");
}

#[tokio::test]
async fn torn_entry_counts_as_absent_and_is_removed() {
    let server = RedisServer::start();
    let store = open(&server, WhenDown::LocalOnly);
    let origin = origin("example.com");
    store.put(&origin, &Entry::seal(b"whole"), None, SystemTime::now()).await.unwrap();
    let key = "comity:1:{0}:https://example.com:entry";
    redis::Cmd::hset(key, "sealed", "cmt1, and no more").exec(&mut raw(&server)).unwrap();
    assert_eq!(store.get(&origin).await.unwrap(), None);
    assert!(!redis::Cmd::exists(key).query::<bool>(&mut raw(&server)).unwrap());
}

#[tokio::test]
async fn hanging_server_times_out() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    let options = RedisStore::options()
        .connect_timeout(Duration::from_millis(100))
        .response_timeout(Duration::from_millis(100));
    let error = options.clone().open(&url).unwrap().ping().await.unwrap_err();
    assert!(error.to_string().contains("does not answer"), "{error}");
    let store = options.when_down(WhenDown::LocalOnly).open(&url).unwrap();
    let mut waited = 0;
    for number in 0..100 {
        let begun = Instant::now();
        store.get(&origin(&format!("{number}.example"))).await.unwrap();
        waited += usize::from(begun.elapsed() >= Duration::from_millis(100));
    }
    assert!(waited < 100, "a client without a server must not wait for the timeout each time");
}

#[test]
fn invalid_server_url_is_rejected_without_showing_the_password() {
    for (url, hint) in [
        ("rediss://:s3cret@cache.example/#insecure", "#insecure"),
        ("redis+sentinel://:s3cret@cache.example", "does not name a master"),
        ("redis+sentinel://:s3cret@cache.example/main?db=1", "unknown parameter `db`"),
        ("redis+sentinel://:s3cret@cache.example,/main", "cannot be read"),
        ("redis+cluster://:s3cret@cache.example:x", "cannot be read"),
        ("redis+cluster://:s3?ret@cache.example", "percent-encode"),
        ("redis+tls://:s3cret@cache.example", "not a Redis URL"),
        ("http://:s3cret@cache.example/", "not a Redis URL"),
        ("s3cret", "not a Redis URL"),
        ("redis://:s3cret@cache.example/not-a-number", "cannot be read"),
        ("redis://:s3cret@[cache/1", "cannot be read"),
    ] {
        let error = RedisStore::open(url).unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(shown.contains(hint) && !shown.contains("s3cret"), "{shown}");
    }
    let store = RedisStore::open("redis://user:s3cret@cache.example:7000/3").unwrap();
    assert_eq!(store.place(), "redis://cache.example:7000/3");
    assert!(!format!("{store:?}").contains("s3cret"));
    for (url, place) in [
        ("rediss://user:s3cret@cache.example", "rediss://cache.example:6379/0"),
        (
            "redis+sentinel://:s3cret@a.example,b.example:1/main/2?sentinel_password=s3cret",
            "redis+sentinel://a.example,b.example:1/main/2",
        ),
        ("valkeys+cluster://:s3cret@[::1]:7000,b.example", "valkeys+cluster://[::1]:7000,b.example/"),
    ] {
        let store = RedisStore::open(url).unwrap();
        assert_eq!(store.place(), place);
        assert!(!format!("{store:?}").contains("s3cret"));
    }
    assert!(RedisStore::options().prefix("a{b").open("redis://cache.example").is_err());
}

#[tokio::test]
async fn wrong_password_is_an_error_without_showing_it() {
    let server = RedisServer::start_with_password("right");
    let store = RedisStore::open(&server.url().replace("right", "wr0ng")).unwrap();
    let error = store.ping().await.unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(shown.contains("does not answer") && !shown.contains("wr0ng"), "{shown}");
    RedisStore::open(&server.url()).unwrap().ping().await.unwrap();
}

/// Writes strings, lists, sets and hashes to the keys of one origin, as another program might.
#[tokio::test]
async fn foreign_value_affects_only_its_origin_and_is_replaced() {
    let server = started();
    let store = open(&server, WhenDown::Stop);
    let (time, now) = (SystemTime::now(), SystemClock.moment());
    let (spoilt, sound) = (origin("spoilt.example"), origin("sound.example"));
    let mut raw = raw(&server);
    let mut slots = 0;
    for command in ["SET", "LPUSH", "SADD", "HSET"] {
        for what in ["entry", "lease", "fence", "pace:pages"] {
            let key = format!("comity:1:{{0}}:https://spoilt.example:{what}");
            redis::cmd("DEL").arg(&key).exec(&mut raw).unwrap();
            let mut plant = redis::cmd(command);
            plant.arg(&key);
            if command == "HSET" {
                plant.arg("last");
            }
            plant.arg("foreign").exec(&mut raw).unwrap();

            let LeaseAnswer::Granted { lease, .. } = store.acquire(&spoilt, HOUR, now).await.unwrap() else {
                panic!("{command} {what}")
            };
            assert!(store.put(&spoilt, &Entry::seal(b"ours"), Some(&lease), time).await.unwrap());
            assert_eq!(store.get(&spoilt).await.unwrap().unwrap().content(), b"ours", "{command} {what}");
            store.reserve(&spoilt, &request(HOUR, Duration::ZERO), now).await.unwrap();
            store.hold(&spoilt, Lane::Pages, Duration::from_secs(1), now).await.unwrap();

            let slot = store.reserve(&sound, &request(HOUR, 1000 * HOUR), now).await.unwrap();
            let Slot::Taken(wait) = slot else { panic!("{slot:?}") };
            assert!(wait + Duration::from_secs(60) >= HOUR * slots, "{command} {what}: {wait:?}");
            slots += 1;
            assert!(format!("{store:?}").contains("down: false"));
        }
    }
    // An entry of another type counts as absent and is removed.
    redis::cmd("DEL").arg("comity:1:{0}:https://spoilt.example:entry").exec(&mut raw).unwrap();
    redis::Cmd::set("comity:1:{0}:https://spoilt.example:entry", "foreign").exec(&mut raw).unwrap();
    assert_eq!(store.get(&spoilt).await.unwrap(), None);
    assert_eq!(store.purge(Some(SystemTime::now())).await.unwrap(), 0);
}

#[tokio::test]
async fn foreign_pace_delays_its_origin_at_most_by_the_limit() {
    let server = started();
    let mut raw = raw(&server);
    let now = SystemClock.moment();
    let year = 365 * 24 * HOUR;
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let micros = |time: Duration| time.as_micros().to_string();
    for (number, (field, value)) in [
        ("last", micros(time + 10 * year)),
        ("held", micros(time + 10 * year)),
        ("last", "soon".to_owned()),
        ("held", "1e300".to_owned()),
        ("last", "nan".to_owned()),
        ("written", micros(time + 10 * year)),
        ("longest", "-inf".to_owned()),
    ]
    .into_iter()
    .enumerate()
    {
        let host = format!("{number}.example");
        let key = format!("comity:1:{{0}}:https://{host}:pace:pages");
        redis::Cmd::hset(&key, field, &value).exec(&mut raw).unwrap();
        let store = open(&server, WhenDown::Stop);
        let mut request = request(HOUR, Duration::ZERO);
        request.furthest = 2 * HOUR;
        let slot = store.reserve(&origin(&host), &request, now).await.unwrap();
        let wait = match slot {
            Slot::Taken(wait) | Slot::TooFar(wait) => wait,
            other => panic!("{other:?}"),
        };
        assert!(wait <= 3 * HOUR, "{field} {value}: {wait:?}");
        let is_number = value.parse::<f64>().is_ok_and(|value| value.is_finite() && value < 1e299);
        assert!(is_number || wait > HOUR - Duration::from_secs(60), "{field} {value}: {wait:?}");
        // The reduced time is stored. Otherwise, the wait would never end.
        let last: Option<f64> = redis::Cmd::hget(&key, "last").query(&mut raw).unwrap();
        assert!(last.is_some_and(|last| last <= (time + 3 * HOUR).as_micros() as f64), "{field} {value}");
    }
}

#[tokio::test]
async fn hold_after_the_clock_was_set_back_keeps_the_pace_short() {
    let server = started();
    let mut raw = raw(&server);
    let store = open(&server, WhenDown::Stop);
    let now = SystemClock.moment();
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    // The pace was written before the clock was set back by ten hours.
    let key = "comity:1:{0}:https://example.com:pace:pages";
    let micros = (time + 10 * HOUR).as_micros().to_string();
    for field in ["last", "before", "written"] {
        redis::Cmd::hset(key, field, &micros).exec(&mut raw).unwrap();
    }
    let second = Duration::from_secs(1);
    store.hold(&origin("example.com"), Lane::Pages, second, now).await.unwrap();
    let mut request = request(second, Duration::ZERO);
    request.furthest = 24 * HOUR;
    let slot = store.reserve(&origin("example.com"), &request, now).await.unwrap();
    let (Slot::Taken(wait) | Slot::TooFar(wait)) = slot else { panic!("{slot:?}") };
    assert!(wait <= 2 * second, "{wait:?}");
}

#[tokio::test]
async fn forged_lease_is_held_no_longer_than_a_lease() {
    let server = started();
    let store = open(&server, WhenDown::Stop);
    let planted = "comity:1:{0}:https://example.com:lease";
    redis::Cmd::pset_ex(planted, "5", 1_000_000_000_000).exec(&mut raw(&server)).unwrap();
    let minute = Duration::from_secs(60);
    let acquired = store.acquire(&origin("example.com"), minute, SystemClock.moment()).await.unwrap();
    assert!(matches!(acquired, LeaseAnswer::Held(wait) if wait <= minute), "{acquired:?}");
    let left: i64 = redis::Cmd::pttl(planted).query(&mut raw(&server)).unwrap();
    assert!(left <= 60_000, "{left}");
}

#[tokio::test]
async fn keys_of_another_format_are_untouched() {
    let server = started();
    let mut raw = raw(&server);
    let others =
        ["comity:{https://example.com}:pace", "comity:3:{https://example.com}:entry", "comity:3:epoch"];
    for key in others {
        redis::Cmd::set(key, "theirs").exec(&mut raw).unwrap();
    }
    let store = open(&server, WhenDown::Stop);
    store.put(&origin("example.com"), &Entry::seal(b"x"), None, SystemTime::now()).await.unwrap();
    let slot =
        store.reserve(&origin("example.com"), &request(HOUR, HOUR), SystemClock.moment()).await.unwrap();
    assert_eq!(slot, Slot::Taken(Duration::ZERO));
    assert_eq!(store.purge(None).await.unwrap(), 1);
    for key in others {
        assert_eq!(redis::Cmd::get(key).query::<String>(&mut raw).unwrap(), "theirs");
    }
}

/// The server processes a reservation after its caller has timed out. The reservation must not take a slot.
#[tokio::test]
async fn timed_out_reservation_takes_no_slot() {
    let server = started();
    let options = RedisStore::options().response_timeout(Duration::from_secs(3));
    let (stalled, other) =
        (options.clone().open(&server.url()).unwrap(), options.open(&server.url()).unwrap());
    let here = origin("example.com");
    let request = || request(HOUR, 9 * HOUR);
    let first = stalled.reserve(&here, &request(), SystemClock.moment()).await.unwrap();
    assert_eq!(first, Slot::Taken(Duration::ZERO));
    server.pause();
    for _ in 0..3 {
        let error = stalled.reserve(&here, &request(), SystemClock.moment()).await.unwrap_err();
        assert_eq!(error.fault(), StoreFault::Down);
    }
    server.resume();
    until_up(&stalled).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let next = other.reserve(&here, &request(), SystemClock.moment()).await.unwrap();
    let Slot::Taken(wait) = next else { panic!("{next:?}") };
    assert!(wait <= HOUR, "{wait:?}");
}

#[tokio::test]
async fn local_only_process_multiplies_its_intervals() {
    let mut server = started();
    let store = patient()
        .when_down(WhenDown::LocalOnly)
        .processes(8.try_into().unwrap())
        .open(&server.url())
        .unwrap();
    store.ping().await.unwrap();
    server.kill();
    let here = origin("example.com");
    for expected in [Duration::ZERO, 8 * HOUR] {
        let slot = store.reserve(&here, &request(HOUR, 99 * HOUR), SystemClock.moment()).await.unwrap();
        assert!(
            matches!(slot, Slot::Taken(wait) if wait.abs_diff(expected) < Duration::from_secs(60)),
            "{slot:?}"
        );
    }
}
