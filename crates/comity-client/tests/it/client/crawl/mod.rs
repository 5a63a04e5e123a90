//! Tests of crawls of many URLs. The pace of one origin must not delay other origins.

mod fairness;
mod web;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use comity::policy::Mode;
use comity_client::crawl::{Crawl, CrawlOptions, Fetched};
use comity_client::store::{Entries, LeaseAnswer, MemoryStore, Slot, SlotRequest, Turns};
use comity_client::{Cause, Clock, FetchOptions, Moment, Origin, TokioClock};
use futures_util::{FutureExt, StreamExt};
use tokio::time::Instant;

use self::web::{Site, Web, pace, seconds};
use super::builder;

fn jobs(jobs: usize) -> CrawlOptions {
    CrawlOptions::default().jobs(jobs)
}

fn urls(host: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("https://{host}/{number}")).collect()
}

/// The paths of [`urls`].
fn paths(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("/{number}")).collect()
}

async fn all(crawl: Crawl) -> Vec<Fetched> {
    crawl.collect().await
}

const SLOW: [&str; 8] = [
    "s0.example",
    "s1.example",
    "s2.example",
    "s3.example",
    "s4.example",
    "s5.example",
    "s6.example",
    "s7.example",
];

#[tokio::test(start_paused = true)]
async fn eight_slow_origins_do_not_delay_a_fast_one() {
    let web = Web::new(SLOW.map(|host| (host, Site::delay(10.0).takes(seconds(0.1)))));
    let client = web.client(1.0);
    // The URLs of the slow sites come first, and there are many of them.
    let mut list: Vec<String> = SLOW.iter().flat_map(|host| urls(host, 50)).collect();
    list.extend(urls("fast.example", 200));
    let total = list.len();
    let began = Instant::now();
    let results = all(client.fetch_many(list, jobs(2))).await;
    assert_eq!(results.iter().filter(|fetched| fetched.result.is_ok()).count(), total);

    let fast = web.begins("fast.example");
    assert_eq!(fast.len(), 200);
    // Only the first request to the fast site may have to wait for a job.
    assert!(fast[0].1 - began < seconds(3.0), "{:?}", fast[0].1 - began);
    for pair in fast.windows(2) {
        let apart = pair[1].1 - pair[0].1;
        assert!(apart >= seconds(1.0) && apart < seconds(1.3), "{apart:?}");
    }
    for host in SLOW {
        let slow = web.begins(host);
        for pair in slow.windows(2) {
            let apart = pair[1].1 - pair[0].1;
            assert!(apart >= seconds(10.0) && apart < seconds(10.4), "{host}: {apart:?}");
        }
    }
    assert!(web.most() <= 2, "{} at once", web.most());
}

#[tokio::test(flavor = "multi_thread")]
async fn real_origins_do_not_delay_each_other() {
    let slow: Vec<_> = (0..8).map(|_| super::site("User-agent: *\nCrawl-delay: 30\n")).collect();
    let fast = super::site("");
    let mut list: Vec<String> = slow.iter().flat_map(|site| [site.url("/a"), site.url("/b")]).collect();
    list.extend((0..100).map(|number| fast.url(&format!("/{number}"))));
    let mut crawl = builder().build().unwrap().fetch_many(list, jobs(2));
    // Read only the results that do not have to wait for half a minute.
    for _ in 0..8 + 100 {
        assert!(crawl.next().await.unwrap().result.is_ok());
    }
    let progress = crawl.progress();
    assert_eq!((progress.done, progress.under_way, progress.queued + progress.waiting), (108, 0, 8));
    assert_eq!(fast.requests().len(), 101);
}

#[tokio::test(start_paused = true)]
async fn urls_of_one_origin_begin_in_order_and_results_have_their_index() {
    for concurrency in [1, 4] {
        let takes = |_: &str| Site::delay(0.0).takes(Duration::from_millis(fastrand::u64(1..5_000)));
        let hosts = ["a.example", "b.example", "c.example"];
        let web = Web::new(hosts.map(|host| (host, takes(host))));
        let mut pace = pace(1.0);
        pace.concurrency = concurrency.try_into().unwrap();
        let client = web.builder().pace(pace).build().unwrap();
        let list: Vec<String> =
            (0..90).map(|number| format!("https://{}/{}", hosts[number % 3], number / 3)).collect();
        let results = all(client.fetch_many(list.clone(), jobs(8))).await;
        let indexes: HashSet<u64> = results.iter().map(|fetched| fetched.index).collect();
        assert_eq!((results.len(), indexes.len()), (90, 90));
        for fetched in &results {
            assert_eq!(fetched.record().requested_url, list[fetched.index as usize]);
        }
        for host in hosts {
            assert_eq!(web.pages(host), paths(30), "{host}, {concurrency} at once");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn slow_origin_with_free_permits_gets_requests_at_its_full_pace() {
    let web = Web::new([("a.example", Site::delay(1.0).takes(seconds(3.5)))]);
    let mut pace = pace(1.0);
    pace.concurrency = 4.try_into().unwrap();
    let client = web.builder().pace(pace).build().unwrap();
    all(client.fetch_many(urls("a.example", 40), jobs(8))).await;
    for pair in web.begins("a.example").windows(2) {
        let apart = pair[1].1 - pair[0].1;
        assert!(apart >= seconds(1.0) && apart < seconds(1.2), "{apart:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn fewer_jobs_than_origins_keep_all_jobs_active_in_turns() {
    let hosts: Vec<String> = (0..60).map(|number| format!("{number}.example")).collect();
    let web = Web::new(hosts.iter().map(|host| (host.as_str(), Site::delay(1.0).takes(seconds(1.0)))));
    let list: Vec<String> = hosts.iter().flat_map(|host| urls(host, 5)).collect();
    let began = Instant::now();
    let results = all(web.client(1.0).fetch_many(list, jobs(3))).await;
    assert_eq!(results.len(), 300);
    // Each origin gets six requests: for robots.txt and for five pages. Three requests run at a time.
    assert!(began.elapsed() < seconds(60.0 * 6.0 / 3.0 + 10.0), "{:?}", began.elapsed());
    let mut begins: Vec<(Instant, usize)> = Vec::new();
    for (number, host) in hosts.iter().enumerate() {
        begins.extend(web.begins(host).into_iter().map(|(_, at)| (at, number)));
    }
    begins.sort();
    let mut counts = [0; 60];
    for (_, number) in begins {
        counts[number] += 1;
        let least = counts.iter().min().unwrap();
        assert!(counts[number] <= least + 2, "{counts:?}");
    }
}

/// Returns an endless iterator of URLs, and a counter of the URLs that were read from it.
fn endless(hosts: usize) -> (impl Iterator<Item = String> + Send + 'static, Arc<AtomicUsize>) {
    let pulled = Arc::new(AtomicUsize::new(0));
    let counter = pulled.clone();
    let source = (0..).map(move |number| {
        counter.fetch_add(1, Ordering::Relaxed);
        format!("https://{}.example/{number}", number % hosts)
    });
    (source, pulled)
}

#[tokio::test(start_paused = true)]
async fn unread_results_stop_the_crawl() {
    let web = Web::default();
    let (source, pulled) = endless(20);
    let mut crawl = web.client(0.0).fetch_many(source, jobs(3).max_queued(100));
    assert_eq!(pulled.load(Ordering::Relaxed), 0, "the crawl is lazy");
    for taken in 1..50 {
        assert!(crawl.next().await.unwrap().result.is_ok());
        tokio::time::sleep(seconds(3600.0)).await;
        assert!(web.len() <= taken + 3, "{} after {taken}", web.len());
        let pulled = pulled.load(Ordering::Relaxed);
        assert!(pulled <= taken + 3 + 100, "{pulled} after {taken}");
        let progress = crawl.progress();
        assert_eq!((progress.taken(), progress.pulled()), (taken as u64, pulled as u64));
        assert!(progress.ready <= 3 && progress.under_way == 0, "{progress:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn million_urls_use_only_the_memory_of_the_queue() {
    let web = Web::default();
    let source = (0..1_000_000).map(|number| format!("https://{}.example/{number}", number % 500));
    let mut crawl = web.client(1.0).fetch_many(source, jobs(4).max_queued(1_000));
    for _ in 0..1_200 {
        crawl.next().await.unwrap();
        let progress = crawl.progress();
        assert!(progress.queued <= 1_000 && progress.under_way <= 4, "{progress:?}");
        assert!(progress.pulled() <= progress.taken() + 1_000 + 4 + 500);
    }
    // The size of the queue in bytes is also limited. Long URLs reach this limit before the limit of their number.
    let mut options = jobs(1);
    options.max_queued_bytes = 100_000;
    let source = (0..1_000_000).map(|number| format!("https://a.example/{number}{}", "x".repeat(30_000)));
    let mut crawl = web.client(1.0).fetch_many(source, options);
    for _ in 0..10 {
        crawl.next().await.unwrap();
        assert!(crawl.progress().queued <= 4, "{:?}", crawl.progress());
    }
}

#[tokio::test(start_paused = true)]
async fn errors_are_results_and_do_not_end_the_crawl() {
    let web = Web::new([("a.example", Site::delay(1.0))]);
    let list = [
        "no url",
        "https://a.example/private/1",
        "ftp://a.example/",
        "http://10.0.0.1/",
        "https://a.example/1",
        "mailto:a@example.com",
        "",
        "https://a.example/2",
    ];
    let mut crawl = web.client(1.0).fetch_many(list, jobs(2));
    let watch = crawl.watch();
    let mut outcomes = [""; 8];
    while let Some(fetched) = crawl.next().await {
        outcomes[fetched.index as usize] = fetched.record().outcome.as_str();
    }
    assert_eq!(
        outcomes,
        [
            "url_refused",
            "robots_refused",
            "guard_refused",
            "guard_refused",
            "fetched",
            "guard_refused",
            "url_refused",
            "fetched"
        ]
    );
    drop(crawl);
    let progress = watch.progress();
    assert_eq!((progress.done, progress.failed, progress.pulled(), progress.ready), (2, 6, 8, 0));
}

#[tokio::test(start_paused = true)]
async fn disallowed_url_takes_no_slot() {
    let web = Web::new([("a.example", Site::delay(10.0))]);
    let mut list: Vec<String> =
        (0..500).map(|number| format!("https://a.example/private/{number}")).collect();
    list.splice(250..250, urls("a.example", 3));
    let began = Instant::now();
    let results = all(web.client(1.0).fetch_many(list, jobs(2))).await;
    assert_eq!(results.iter().filter(|fetched| fetched.result.is_err()).count(), 500);
    assert_eq!(web.pages("a.example"), paths(3));
    assert!(began.elapsed() < seconds(32.0), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn silent_origin_occupies_one_job_only() {
    let never = Site::default().takes(seconds(1e6));
    let web = Web::new([("never.example", never)]);
    let mut options = jobs(2);
    let mut fetch = FetchOptions::default();
    fetch.timeout = seconds(1e6);
    options.fetch = Some(fetch);
    let mut list = urls("never.example", 100);
    list.extend(urls("a.example", 50));
    list.extend(urls("b.example", 50));
    let began = Instant::now();
    let mut crawl = web.client(1.0).fetch_many(list, options);
    let mut fetched = 0;
    while fetched < 100 {
        fetched += usize::from(crawl.next().await.unwrap().result.is_ok());
    }
    assert!(began.elapsed() < seconds(60.0), "{:?}", began.elapsed());
    assert_eq!((web.pages("a.example"), web.pages("b.example")), (paths(50), paths(50)));
}

#[tokio::test(start_paused = true)]
async fn longest_wait_of_a_url_counts_from_the_head_of_its_queue() {
    let web = Web::new([("slow.example", Site::delay(10.0)), ("fair.example", Site::delay(2.0))]);
    let mut options = jobs(4);
    let mut fetch = FetchOptions::default();
    fetch.max_wait = Some(seconds(5.0));
    options.fetch = Some(fetch);
    let mut list = urls("slow.example", 5);
    list.extend(urls("fair.example", 20));
    let began = Instant::now();
    let client = web.client(1.0);
    let results = all(client.fetch_many(list, options)).await;
    // A URL may wait at most five seconds. So the first URL is fetched, and the other fetches fail with the reason.
    let slow: Vec<&Fetched> = results.iter().filter(|fetched| fetched.index < 5).collect();
    assert!(slow[0].result.is_ok());
    for fetched in &slow[1..] {
        let error = fetched.result.as_ref().unwrap_err();
        let Cause::Wait(too_long) = error.cause() else { panic!("{error}") };
        assert_eq!(too_long.allowed, seconds(5.0));
        assert!(too_long.needed.unwrap() > seconds(9.0), "{error}");
    }
    let ended = slow[4].record().ended_at.duration_since(slow[0].record().ended_at).unwrap();
    assert!(ended < seconds(0.5), "{ended:?}");
    // The twentieth URL spends almost forty seconds behind other URLs. This time does not count as its own wait.
    assert_eq!(web.pages("fair.example"), paths(20));
    assert!(began.elapsed() >= seconds(38.0));
    let mut fair = results.iter().filter(|fetched| fetched.index >= 5);
    assert!(fair.all(|fetched| fetched.record().waited < seconds(2.2)));
    let snapshot = client.counters().snapshot();
    let waited = Duration::from_micros(snapshot["waited_microseconds"]);
    assert!(waited > seconds(38.0) && waited < seconds(42.0), "the wait in the queue is counted: {waited:?}");
}

#[tokio::test(start_paused = true)]
async fn record_of_a_page_has_the_reason_of_its_wait() {
    let web = Web::new([("a.example", Site::delay(10.0))]);
    let results = all(web.client(1.0).fetch_many(urls("a.example", 2), jobs(1))).await;
    let hop = serde_json::to_value(results[1].record()).unwrap()["hops"][0].clone();
    assert_eq!(hop["waits"][0]["reason"], "crawl_delay", "{hop}");
    assert!(hop["waits"][0]["duration_seconds"].as_f64().unwrap() > 9.0, "{hop}");
}

#[tokio::test(start_paused = true)]
async fn redirect_to_a_slow_origin_holds_no_job_and_frees_the_first_origin() {
    let leading = Site::leading("https://slow.example/there");
    let web = Web::new([("a.example", leading), ("slow.example", Site::delay(100.0))]);
    let mut list: Vec<String> = (0..5).map(|number| format!("https://a.example/away{number}")).collect();
    list.extend(urls("a.example", 20));
    let mut options = jobs(1);
    options.max_waiting = 5.try_into().unwrap();
    options.fetch = Some(FetchOptions::default().max_wait(None));
    let began = Instant::now();
    let results = all(web.client(1.0).fetch_many(list, options)).await;
    assert!(results.iter().all(|fetched| fetched.result.is_ok()));
    let pages = web.begins("a.example");
    assert_eq!(pages.len(), 25);
    assert!(pages[24].1 - began < seconds(30.0), "{:?}", pages[24].1 - began);
    let there = web.begins("slow.example");
    assert!(there.windows(2).all(|pair| pair[1].1 - pair[0].1 >= seconds(100.0)), "{there:?}");
    assert_eq!((there.len(), web.most()), (5, 1));
}

#[tokio::test(start_paused = true)]
async fn waiting_fetches_are_bounded() {
    let leading = Site::leading("https://slow.example/there");
    let web = Web::new([("a.example", leading), ("slow.example", Site::delay(100.0))]);
    let list: Vec<String> = (0..50).map(|number| format!("https://a.example/away{number}")).collect();
    let mut options = jobs(2);
    options.max_waiting = 7.try_into().unwrap();
    options.fetch = Some(FetchOptions::default().max_wait(None));
    let mut crawl = web.client(0.0).fetch_many(list, options);
    let watch = crawl.watch();
    let most = tokio::spawn(async move {
        let mut most = 0;
        for _ in 0..1_000 {
            tokio::time::sleep(seconds(1.0)).await;
            most = most.max(watch.progress().waiting);
        }
        most
    });
    for _ in 0..50 {
        assert!(crawl.next().await.unwrap().result.is_ok());
    }
    let most = most.await.unwrap();
    assert!((7..7 + 2).contains(&most), "{most}");
}

#[tokio::test(start_paused = true)]
async fn dropped_crawl_does_not_block_the_next() {
    let hosts: Vec<String> = (0..40).map(|number| format!("{number}.example")).collect();
    let sites = hosts.iter().map(|host| (host.as_str(), Site::delay(2.0).takes(seconds(0.7))));
    let web = Web::new(sites);
    let store = Arc::new(MemoryStore::new());
    let client = web.builder().pace(pace(1.0)).shared_store(store.clone()).build().unwrap();
    for round in 0..30_u64 {
        let list: Vec<String> = hosts.iter().flat_map(|host| urls(host, 3)).collect();
        let mut crawl = client.fetch_many(list, jobs(4));
        let patience = Duration::from_millis(round * 97);
        let _ = tokio::time::timeout(patience, async { while crawl.next().await.is_some() {} }).await;
        drop(crawl);
    }
    // Requests for robots.txt continue after the crawl is dropped. Wait until they have ended.
    tokio::time::sleep(seconds(2.0)).await;
    let now = Moment::after(Duration::from_secs(1_900_000_000));
    let began = Instant::now();
    let list: Vec<String> = hosts.iter().map(|host| format!("https://{host}/last")).collect();
    let results = all(client.fetch_many(list, jobs(40))).await;
    assert!(results.iter().all(|fetched| fetched.result.is_ok()));
    // This is enough time for a robots.txt, an interval and a page.
    assert!(began.elapsed() < seconds(6.0), "{:?}", began.elapsed());
    for host in &hosts {
        assert_eq!(web.robots(host), 1, "{host}");
        let origin = Origin::of(&format!("https://{host}").parse().unwrap()).unwrap();
        let lease = store.acquire(&origin, seconds(1.0), now).await.unwrap();
        assert!(matches!(lease, LeaseAnswer::Granted { .. }), "{host}");
    }
}

#[tokio::test(start_paused = true)]
async fn crawl_shares_an_origin_with_processes_that_reserve_ahead() {
    let web = Web::new([("a.example", Site::delay(1.0))]);
    let store = Arc::new(MemoryStore::new());
    let client = web.builder().pace(pace(1.0)).shared_store(store.clone()).build().unwrap();
    let clock = TokioClock::starting_at(SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000));
    let origin = Origin::of(&"https://a.example".parse().unwrap()).unwrap();
    // Two other processes always reserve their next slot ahead.
    let others = (0..2).map(|_| {
        let (store, origin) = (store.clone(), origin.clone());
        tokio::spawn(async move {
            loop {
                let request = SlotRequest::new(seconds(1.0), Duration::MAX);
                let slot = store.reserve(&origin, &request, clock.moment()).await.unwrap();
                let Slot::Taken(wait) = slot else { panic!("{slot:?}") };
                clock.sleep(wait).await;
            }
        })
    });
    let others: Vec<_> = others.collect();
    let began = Instant::now();
    let results = all(client.fetch_many(urls("a.example", 20), jobs(2))).await;
    assert_eq!(results.len(), 20);
    // The crawl requests a slot only when it has a free job. At that time, each of the other processes has reserved at
    // most one earlier slot.
    assert!(began.elapsed() < seconds(20.0 * 4.0 * 1.05), "{:?}", began.elapsed());
    others.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test(start_paused = true)]
async fn caller_that_takes_results_can_fetch_in_between() {
    // While the caller reads no results, fetches of the crawl keep the turn of an origin and wait for a job. The
    // caller's own fetch from that origin must still get a turn.
    let leading = Site::leading("https://b.example/there");
    let web = Web::new([("a.example", leading), ("b.example", Site::delay(1.0).takes(seconds(0.4)))]);
    let client = web.client(0.3);
    let list = (0..40).map(|number| match number % 2 {
        0 => format!("https://a.example/away{number}"),
        _ => format!("https://b.example/{number}"),
    });
    let mut crawl = client.fetch_many(list.collect::<Vec<_>>(), jobs(2));
    let mut count = 0;
    let whole = async {
        while let Some(fetched) = crawl.next().await {
            fetched.result.unwrap();
            client.fetch(format!("https://b.example/in-between/{count}")).await.unwrap();
            count += 1;
        }
    };
    tokio::time::timeout(seconds(1_000.0), whole).await.unwrap();
    assert_eq!(count, 40);
}

#[tokio::test(start_paused = true)]
async fn panic_of_a_transport_reaches_the_caller_and_other_fetches_continue() {
    let web = Web::default();
    let list =
        ["https://a.example/panic", "https://b.example/1", "https://c.example/2", "https://a.example/3"];
    let mut crawl = web.client(1.0).fetch_many(list, jobs(1));
    let (mut fetched, mut panics) = (0, 0);
    loop {
        match std::panic::AssertUnwindSafe(crawl.next()).catch_unwind().await {
            Ok(Some(_)) => fetched += 1,
            Ok(None) => break,
            Err(_) => panics += 1,
        }
    }
    assert_eq!((fetched, panics), (3, 1));
    let progress = crawl.progress();
    assert_eq!((progress.done, progress.failed, progress.ready), (3, 1, 0));
}

/// A clock that a test can set.
#[derive(Clone, Debug)]
struct Settable {
    clock: TokioClock,
    ahead: Arc<std::sync::Mutex<i64>>,
}

impl Clock for Settable {
    fn now(&self) -> SystemTime {
        let ahead = *self.ahead.lock().unwrap();
        let by = Duration::from_secs(ahead.unsigned_abs());
        if ahead < 0 { self.clock.now() - by } else { self.clock.now() + by }
    }

    fn moment(&self) -> Moment {
        self.clock.moment()
    }

    fn sleep(&self, duration: Duration) -> comity_client::BoxFuture<'_, ()> {
        self.clock.sleep(duration)
    }
}

#[tokio::test(start_paused = true)]
async fn clock_change_does_not_stop_the_queue() {
    for step in [-3_600, 3_600] {
        let web = Web::new([("a.example", Site::delay(5.0))]);
        let clock = TokioClock::starting_at(SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000));
        let clock = Settable { clock, ahead: Arc::default() };
        let ahead = clock.ahead.clone();
        let client = web.builder().clock(clock).pace(pace(1.0)).build().unwrap();
        let mut crawl = client.fetch_many(urls("a.example", 6), jobs(2));
        for _ in 0..3 {
            crawl.next().await.unwrap().result.unwrap();
        }
        *ahead.lock().unwrap() += step;
        for _ in 0..3 {
            // After the clock is set back, the stored robots.txt has a time in the future and is requested again. The
            // next page waits one interval after that request.
            let fetched = tokio::time::timeout(seconds(7.0), crawl.next()).await;
            fetched.unwrap_or_else(|_| panic!("{step}: {:?}", crawl.progress())).unwrap().result.unwrap();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn hundred_thousand_origins_are_queued_without_tasks() {
    let web = Web::default();
    let source = (0..100_000).map(|number| format!("https://{number}.example/"));
    // Disable page directives, to reduce the running time of the test.
    let mut fetch = FetchOptions::default();
    fetch.reads_use = false;
    let client = web.builder().pace(pace(1.0)).mode(Mode::Ignore).fetch(fetch).build().unwrap();
    let mut crawl = client.fetch_many(source, jobs(64).max_queued(100_000));
    let mut count = 0;
    while let Some(fetched) = crawl.next().await {
        assert!(fetched.result.is_ok());
        count += 1;
    }
    assert_eq!(count, 100_000);
    assert!(web.most() <= 64, "{}", web.most());
}
