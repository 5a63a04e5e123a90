//! `/v1/admit` and `/v1/report`: slots in a shared pace, for programs in other languages.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use comity_client::pace::PaceOptions;
use comity_client::store::MemoryStore;
use serde_json::{Value, json};
use testkit::servers::{Origin, Reply};

use crate::schema::conforms;
use crate::{Served, builder, serve, usual_options};

/// Returns a client builder with an interval of one second between requests. Clients with an equal store share the
/// pace.
fn paced(site: &Origin, store: &Arc<MemoryStore>) -> comity_client::ClientBuilder {
    let pace = PaceOptions::default().min_interval(Duration::from_secs(1));
    builder(&[site]).pace(pace).shared_store(store.clone())
}

fn site(robots: &str) -> Origin {
    let site = Origin::start();
    site.on("/robots.txt", Reply::ok(robots));
    site
}

async fn admit(served: &Served, url: &str) -> Value {
    let answer = served.post("/v1/admit", &json!({ "url": url })).await.json();
    conforms("/v1/admit", &answer);
    answer
}

fn wait(answer: &Value) -> f64 {
    assert_eq!(answer["admitted"], true, "{answer}");
    answer["wait_seconds"].as_f64().unwrap()
}

#[tokio::test]
async fn services_with_one_store_share_a_pace() {
    let site = site("User-agent: *\nCrawl-delay: 3\n");
    let store = Arc::new(MemoryStore::new());
    let one = serve(paced(&site, &store), usual_options()).await;
    let other = serve(paced(&site, &store), usual_options()).await;
    let mut slots = Vec::new();
    for number in 0..4 {
        let served = if number % 2 == 0 { &one } else { &other };
        let clock = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs_f64();
        let before = clock();
        let answer = admit(served, &site.url(&format!("/{number}"))).await;
        let after = clock();
        assert_eq!(answer["interval_seconds"], 3.0);
        assert_eq!(answer["addresses"], json!(["127.0.0.1"]));
        assert_eq!(answer["decision"]["verdict"], "allowed_implicit");
        // The service answered between `before` and `after`. A slot is a window of time, and the next interval begins
        // at the end of the window.
        let end = before + wait(&answer) + answer["window_seconds"].as_f64().unwrap();
        slots.push((after + wait(&answer), end));
    }
    for pair in slots.windows(2) {
        // The gap is computed from the latest start and the earliest end, so it is never too short on a slow machine.
        let gap = pair[1].0 - pair[0].1;
        assert!(gap > 2.99, "{slots:?}");
    }
    assert_eq!(site.count("/robots.txt"), 1, "both services share one request");
    assert_eq!(site.requests().len(), 1, "only robots.txt was requested");
}

#[tokio::test]
async fn refused_admission_is_answered_with_the_reason() {
    let site = site("User-agent: *\nDisallow: /no\nCrawl-delay: 50\n");
    let store = Arc::new(MemoryStore::new());
    let served = serve(paced(&site, &store), usual_options()).await;
    let refused = admit(&served, &site.url("/no")).await;
    assert_eq!((&refused["admitted"], &refused["outcome"]), (&json!(false), &json!("robots_refused")));
    assert_eq!(refused["decision"]["rule"]["line"], 2);
    assert_eq!(refused["retry_after_seconds"], Value::Null, "a rule is final");
    let named = admit(&served, "https://example.com:8443/").await;
    let detail = named["detail"].as_str().unwrap();
    assert!(detail.contains("--allow-port 8443") && detail.contains("COMITY_ALLOW_PORT=8443"), "{detail}");
    for (url, outcome) in [
        ("http://10.0.0.1/", "guard_refused"),
        ("https://example.com:22/", "guard_refused"),
        ("https://user:secret@example.com/", "guard_refused"),
        ("nonsense", "url_refused"),
        ("ftp://example.com/", "url_refused"),
    ] {
        let refused = admit(&served, url).await;
        assert_eq!(refused["outcome"], outcome, "{refused}");
        assert!(!refused.to_string().contains("secret"), "{refused}");
    }
    assert!(wait(&admit(&served, &site.url("/")).await) <= 1.0);
    let question = json!({ "url": site.url("/"), "max_wait_seconds": 1 });
    let far = served.post("/v1/admit", &question).await.json();
    conforms("/v1/admit", &far);
    assert_eq!(far["outcome"], "wait_too_long", "{far}");
    let retry = far["retry_after_seconds"].as_f64().unwrap();
    assert!((40.0..51.0).contains(&retry), "{far}");
    assert!((40.0..52.0).contains(&wait(&admit(&served, &site.url("/")).await)));
    for wrong in [json!({}), json!({ "url": "https://example.com/", "max_wait_seconds": -1 })] {
        served.post("/v1/admit", &wrong).await.problem(400, "bad_question");
    }
}

#[tokio::test]
async fn unreadable_robots_txt_has_a_retry_time() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::status(503).header("Retry-After", "1000"));
    let store = Arc::new(MemoryStore::new());
    let served = serve(paced(&site, &store), usual_options()).await;
    let refused = admit(&served, &site.url("/")).await;
    assert_eq!(refused["outcome"], "robots_unreadable", "{refused}");
    let seconds = refused["retry_after_seconds"].as_f64().unwrap();
    assert!((900.0..=1_000.0).contains(&seconds), "{refused}");
    let reply = served.post("/v1/lint", &json!({ "site": site.url("/") })).await;
    let problem = reply.problem(502, "unreadable");
    let seconds = problem["retry_after_seconds"].as_u64().unwrap();
    assert!((900..=1_000).contains(&seconds), "{problem}");
    assert_eq!(reply.headers["retry-after"], seconds.to_string().as_str());
    let metrics = served.get("/metrics").await;
    let text = String::from_utf8_lossy(&metrics.body).into_owned();
    assert!(text.contains("{event=\"refused_by_robots_unreadable\"} 1"), "{text}");
}

#[tokio::test]
async fn reported_retry_after_applies_to_all_clients() {
    let site = site("");
    let store = Arc::new(MemoryStore::new());
    let one = serve(paced(&site, &store), usual_options()).await;
    let options = usual_options().max_wait(Duration::from_secs(60));
    let other = serve(paced(&site, &store), options).await;
    let report = async |status: u16, retry_after: Option<&str>| {
        let question = json!({ "url": site.url("/"), "status": status, "retry_after": retry_after });
        let answer = one.post("/v1/report", &question).await.json();
        conforms("/v1/report", &answer);
        answer
    };
    assert!(wait(&admit(&other, &site.url("/")).await) < 2.0);
    assert_eq!(report(200, Some("50")).await["hold_seconds"], Value::Null, "only 429 and 503 cause a hold");
    assert_eq!(report(503, None).await["hold_seconds"], Value::Null);
    assert_eq!(report(429, Some("40")).await["hold_seconds"], 40.0);
    let after = admit(&other, &site.url("/")).await;
    assert!((35.0..41.0).contains(&wait(&after)), "{after}");
    let cut = report(503, Some("86400")).await;
    assert_eq!((&cut["hold_seconds"], &cut["asked_seconds"]), (&json!(300.0), &json!(86_400.0)));
    let far = admit(&other, &site.url("/")).await;
    assert_eq!(far["outcome"], "wait_too_long", "{far}");
    one.post("/v1/report", &json!({ "url": "http://10.0.0.1/", "status": 429 }))
        .await
        .problem(403, "refused");
    one.post("/v1/report", &json!({ "url": site.url("/"), "status": 9_999 }))
        .await
        .problem(400, "bad_question");
}

#[tokio::test]
async fn caller_over_its_limit_of_open_slots_is_refused() {
    let site = site("");
    let store = Arc::new(MemoryStore::new());
    let tokens = vec!["the-token-of-one".to_owned(), "the-token-of-two".to_owned()];
    let options = usual_options().open_slots(3).tokens(tokens);
    let served = serve(paced(&site, &store), options).await;
    let ask = async |token: &str| {
        let request =
            served.request(http::Method::POST, "/v1/admit").header("content-type", "application/json");
        let request = request.header("authorization", format!("Bearer {token}"));
        served.send(request.body(json!({ "url": site.url("/") }).to_string().into()).unwrap()).await
    };
    let mut admitted = HashSet::new();
    for _ in 0..4 {
        let reply = ask("the-token-of-one").await;
        if reply.status.is_success() {
            admitted.insert(reply.json()["wait_seconds"].to_string());
        } else {
            let problem = reply.problem(429, "too_many_slots");
            let seconds = problem["retry_after_seconds"].as_u64().unwrap();
            assert_eq!(reply.headers["retry-after"], seconds.to_string().as_str());
        }
    }
    assert_eq!(admitted.len(), 3);
    assert!(ask("the-token-of-two").await.status.is_success(), "another caller has its own slots");
}
