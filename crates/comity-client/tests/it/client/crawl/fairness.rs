//! Test of fairness: while a job is free, a URL does not wait if its origin is ready for a request.

use std::collections::HashMap;
use std::time::Duration;

use proptest::prelude::*;
use tokio::time::Instant;

use super::web::{Site, Web, pace, seconds};
use super::{jobs, urls};

/// A random site: the number of its URLs, its interval, and the duration of its answers. Times are tenths of a second.
type RandomSite = (usize, u8, u8);

fn host(number: usize) -> String {
    format!("{number}.example")
}

async fn crawl(sites: &[RandomSite], most: usize, order: u64) {
    let hosts: Vec<String> = (0..sites.len()).map(host).collect();
    let web = Web::new(sites.iter().zip(&hosts).map(|((_, delay, takes), host)| {
        let site = Site::delay(f64::from(*delay) / 10.0).takes(seconds(f64::from(*takes) / 10.0));
        (host.as_str(), site)
    }));
    let mut list: Vec<String> =
        sites.iter().zip(&hosts).flat_map(|((count, ..), host)| urls(host, *count)).collect();
    fastrand::Rng::with_seed(order).shuffle(&mut list);
    let total: HashMap<&str, usize> =
        sites.iter().zip(&hosts).map(|((count, ..), host)| (host.as_str(), *count)).collect();

    let client = web.builder().pace(pace(0.3)).build().unwrap();
    let mut crawl = client.fetch_many(list, jobs(most));
    let watch = crawl.watch();
    let (seen, hosts_seen) = (web.clone(), hosts.clone());
    let sites_seen = sites.to_vec();
    let totals: Vec<usize> = hosts.iter().map(|host| total[host.as_str()]).collect();
    let judge = tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_millis(10)).await;
            let progress = watch.progress();
            if progress.under_way + progress.ready >= most {
                continue;
            }
            for (number, host) in hosts_seen.iter().enumerate() {
                let begins = seen.begins(host);
                let (_, delay, takes) = sites_seen[number];
                let Some((_, last)) = begins.last() else {
                    assert!(totals[number] == 0 || seen.robots(host) > 0, "{host} got no request");
                    continue;
                };
                let interval = seconds((f64::from(delay) / 10.0).max(0.3));
                // A slot includes the slack, and timers have a resolution of a millisecond.
                let free = *last + interval.max(seconds(f64::from(takes) / 10.0)) + Duration::from_millis(65);
                let is_left = begins.len() < totals[number];
                assert!(!is_left || Instant::now() <= free, "{host} waits: {progress:?}");
            }
        }
    });
    while let Some(fetched) = crawl.next().await {
        assert!(fetched.result.is_ok());
    }
    assert!(!judge.is_finished(), "{:?}", judge.await);
    judge.abort();
    assert!(web.most() <= most);
    for (host, count) in total {
        assert_eq!(web.pages(host).len(), count);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn free_origin_begins_while_a_job_is_free(
        sites in prop::collection::vec((0_usize..12, 0_u8..40, 0_u8..30), 1..12),
        most in 1_usize..6,
        order in any::<u64>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(crawl(&sites, most, order));
    }
}
