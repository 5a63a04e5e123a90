//! Tests of a process with few descriptors: it continues, but more slowly.

use std::process::Command;
use std::time::Duration;

use comity_client::transport::NetworkOptions;
use futures_util::stream::{self, StreamExt};
use testkit::servers::{Origin, Reply};

use crate::client::{builder, options};

/// Environment variable with the server's port.
const PORT: &str = "COMITY_TEST_PORT";
const ORIGINS: usize = 300;

/// Fetches a page from each of 300 origins, with more concurrent fetches than descriptors.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a process that another test starts"]
async fn crawler() {
    let port = std::env::var(PORT).expect("started by a test");
    let mut http = NetworkOptions::default();
    http.idle_connections = 10_000;
    let mut robots = comity_client::robots_cache::RobotsOptions::default();
    robots.timeout = Some(Duration::from_secs(50));
    let client = builder().network(http).robots(robots).build().unwrap();
    let mut patient = options();
    patient.timeout = Duration::from_secs(50);
    let fetches = (0..ORIGINS).map(|number| {
        let url = format!("http://127.1.{}.{}:{port}/page", number / 250, number % 250 + 1);
        let (client, patient) = (&client, &patient);
        async move { client.fetch_with(url, patient).await.map(|page| page.status().as_u16()) }
    });
    let ended: Vec<_> = stream::iter(fetches).buffer_unordered(200).collect().await;
    for end in ended {
        assert_eq!(end.unwrap(), 200);
    }
}

/// Sends more requests than there are descriptors to a server that never answers. The next request must fail locally.
#[tokio::test]
#[ignore = "a process that another test starts"]
async fn hoarder() {
    let port = std::env::var(PORT).expect("started by a test");
    let client = |timeout| {
        let mut robots = comity_client::robots_cache::RobotsOptions::default();
        robots.timeout = Some(timeout);
        let mut fetch = options();
        fetch.timeout = timeout;
        builder().robots(robots).fetch(fetch).build().unwrap()
    };
    let (patient, hasty) = (client(Duration::from_secs(3600)), client(Duration::from_millis(600)));
    let url = |number: usize| format!("http://127.1.0.{number}:{port}/page");
    let hanging = (1..=100).map(|number| patient.fetch(url(number)));
    let hanging = stream::iter(hanging).buffer_unordered(100).collect::<Vec<_>>();
    let late = async {
        // While descriptors are free, a request gets one and times out without an answer. Repeat until none is free.
        for number in 101.. {
            let error = hasty.fetch(url(number)).await.unwrap_err();
            if error.cause().is_local() {
                return;
            }
        }
    };
    tokio::select! {
        _ = hanging => panic!("a hanging request ended"),
        () = late => {}
    }
}

#[cfg(unix)]
#[test]
fn timeout_for_a_descriptor_is_a_local_failure() {
    let server = Origin::start_on("0.0.0.0");
    server.otherwise(Reply::hang());
    run("hoarder", 64, &server);
}

#[cfg(unix)]
#[test]
fn few_descriptors_are_enough_for_hundreds_of_origins() {
    let server = Origin::start_on("0.0.0.0");
    server.on("/robots.txt", Reply::ok("User-agent: *\nDisallow: /private\n"));
    server.otherwise(Reply::delay(Duration::from_millis(2), Reply::ok("page")));
    for limit in [64, 128] {
        run("crawler", limit, &server);
    }
    assert_eq!(server.count("/page"), 2 * ORIGINS);
    assert_eq!(server.count("/robots.txt"), 2 * ORIGINS, "no request was repeated, so all succeeded");
}

/// Runs a test of this file as a process with `limit` descriptors.
#[cfg(unix)]
fn run(test: &str, limit: u32, server: &Origin) {
    let process = Command::new("sh")
        .args(["-c", &format!("ulimit -n {limit} && exec \"$0\" \"$@\"")])
        .arg(std::env::current_exe().unwrap())
        .arg(format!("transport::descriptors::{test}"))
        .args(["--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env(PORT, server.address().port().to_string())
        .output()
        .unwrap();
    let told = [process.stdout, process.stderr].concat();
    let told = String::from_utf8_lossy(&told);
    assert!(process.status.success() && told.contains("1 passed"), "{test} with {limit}: {told}");
}
