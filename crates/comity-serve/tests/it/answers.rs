//! Answers of the routes below `/v1`, for the text of a robots.txt and for the robots.txt of a site.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::servers::{Origin, Reply};

use crate::schema::conforms;
use crate::serving;

const ROBOTS: &str = "User-agent: *\nDisallow: /private\nCrawl-delay: 2\nContent-Signal: ai-train=no\n\n\
                      User-agent: GPTBot\nDisallow: /\nSitemap: https://example.com/s.xml\n";

/// Returns the named fields of each row.
fn picked(rows: &Value, names: &[&str]) -> Vec<Vec<Value>> {
    let rows = rows.as_array().expect("rows");
    rows.iter().map(|row| names.iter().map(|name| row[*name].clone()).collect()).collect()
}

#[tokio::test]
async fn urls_are_decided_by_a_given_text() {
    let served = serving(&[]).await;
    let question = json!({
        "robots": ROBOTS, "agents": ["GPTBot", "OtherBot"], "urls": ["/", "/private/x", "example.com", "https://example.com/private"],
    });
    let answer = served.post("/v1/check", &question).await.json();
    conforms("/v1/check", &answer);
    let [url, bot, other] = ["url", "GPTBot", "OtherBot"];
    assert_eq!(url, "url");
    let rows = picked(&answer["rows"], &["url", "agent", "allowed", "verdict"]);
    let row = |url: &str, agent: &str, allowed: bool, verdict: &str| {
        vec![json!(url), json!(agent), json!(allowed), json!(verdict)]
    };
    assert_eq!(
        rows[..4],
        [
            row("/", bot, false, "disallowed_explicit"),
            row("/", other, true, "allowed_implicit"),
            row("/private/x", bot, false, "disallowed_explicit"),
            row("/private/x", other, false, "disallowed_explicit"),
        ]
    );
    let errors = picked(&answer["rows"], &["url", "verdict", "error"]);
    assert!(errors[4][1].is_null() && errors[4][2].is_string(), "{errors:?}");
    assert_eq!(answer["rows"].as_array().unwrap().len(), 8);
    let from = &answer["rows"][0]["robots_txt"];
    assert!(from["digest"].as_str().unwrap().starts_with("sha-256=:") && from["file"].is_null(), "{from}");
}

#[tokio::test]
async fn urls_are_decided_by_their_sites() {
    let (good, none, broken) = (Origin::start(), Origin::start(), Origin::start());
    good.on("/robots.txt", Reply::ok(ROBOTS));
    none.on("/robots.txt", Reply::status(404));
    broken.on("/robots.txt", Reply::status(503));
    let served = serving(&[&good, &none, &broken]).await;
    let urls = [
        good.url("/private"),
        good.url("/x"),
        none.url("/private"),
        broken.url("/x"),
        "http://169.254.169.254/latest".to_owned(),
        "/path".to_owned(),
        "https://".to_owned(),
    ];
    for path in ["/v1/check", "/v1/explain"] {
        let answer = served.post(path, &json!({ "agents": ["OtherBot"], "urls": urls })).await.json();
        conforms(path, &answer);
        let rows = picked(&answer["rows"], &["allowed", "verdict"]);
        let expected = [
            [json!(false), json!("disallowed_explicit")],
            [json!(true), json!("allowed_implicit")],
            [json!(true), json!("allowed_implicit")],
            [json!(false), json!("unknown_unreachable")],
            [json!(false), Value::Null],
            [json!(false), Value::Null],
            [json!(false), Value::Null],
        ];
        assert_eq!(rows, expected, "{path}");
        let errors = picked(&answer["rows"], &["error"]);
        assert!(errors[4][0].as_str().unwrap().contains("metadata"), "{:?}", errors[4]);
        assert!(errors[5][0].as_str().unwrap().contains("a path has no site"), "{:?}", errors[5]);
        let from = &answer["rows"][0]["robots_txt"];
        assert_eq!((&from["url"], &from["status"]), (&json!(good.url("/robots.txt")), &json!(200)));
    }
    assert_eq!(good.count("/robots.txt"), 1, "a site is requested once for all questions");
    assert_eq!(good.requests()[0].header("user-agent").unwrap().split(' ').next(), Some("ExampleBot"));
}

/// If the robots.txt of a site is cached in memory, separate code decides the URL without waiting, and in batches
/// without a future.
#[tokio::test]
async fn known_and_unknown_sites_have_equal_answers() {
    let spellings = [
        "http://HOST/private",
        "HTTP://HOST/private",
        "http:\\\\HOST/private",
        "http:/HOST/private",
        "http://user:secret@HOST/private",
        "http://HOST@HOST/private",
        "http://HOST",
        "http://HOST?private",
        "http://HOST#private",
        "http://HOST/private\u{a0}",
        "http://HOST\u{3000}",
        " http://HOST/private",
        "\u{a0}http://HOST/private",
        "http://HO\tST/private",
        "http://HOST/private ",
        "http://HOST./private",
        "ftp://HOST/private",
        "http://HOST:/private",
        "HOST/private",
    ];
    let names = ["url", "agent", "allowed", "verdict", "rule", "error"];
    for spelling in spellings {
        let site = Origin::start();
        site.on("/robots.txt", Reply::ok(ROBOTS));
        let served = serving(&[&site]).await;
        let host = site.address().to_string();
        let url = spelling.replace("HOST", &host).replace("HO\tST", &host.replace("0.", "0\t."));
        let question = json!({ "agents": ["GPTBot", "OtherBot"], "urls": [url] });
        let cold = served.post("/v1/check", &question).await.json();
        let cold = picked(&cold["rows"], &names);
        let warm = served.post("/v1/check", &question).await.json();
        assert_eq!(picked(&warm["rows"], &names), cold, "{url:?}");
        let batch =
            format!("{}\n{}\n{}\n", json!({ "agents": ["GPTBot", "OtherBot"] }), json!(url), json!(url));
        let rows = served.batch("/v1/check", &batch).await.lines();
        assert_eq!(picked(&Value::from(rows), &names), [cold.clone(), cold].concat(), "{url:?}");
    }
}

#[tokio::test]
async fn explanation_has_losing_rules_and_other_groups() {
    let served = serving(&[]).await;
    let robots = "User-agent: *\nDisallow: /a\nAllow: /a/b\n\nUser-agent: Googelbot\nDisallow: /\n";
    let question = json!({ "robots": robots, "agents": ["Googlebot"], "urls": ["/a/b/c"] });
    let answer = served.post("/v1/explain", &question).await.json();
    conforms("/v1/explain", &answer);
    let row = &answer["rows"][0];
    assert_eq!(row["rule"]["line"], 3);
    assert_eq!(row["contenders"].as_array().unwrap().len(), 2, "{row}");
    assert_eq!(row["other_groups"][0]["agents"], json!(["Googelbot"]));
    assert_eq!(row["near_miss"]["name"], "Googelbot");
}

#[tokio::test]
async fn dialect_without_a_text_is_refused() {
    let served = serving(&[]).await;
    let robots = "User-agent: *\nAllow: /a\nDisallow: /a/b\n";
    let question =
        |dialect: &str| json!({ "robots": robots, "agents": ["x"], "urls": ["/a/b"], "dialect": dialect });
    for (dialect, allowed) in [("rfc9309", false), ("urllib", true)] {
        let answer = served.post("/v1/check", &question(dialect)).await.json();
        assert_eq!(answer["rows"][0]["allowed"], allowed, "{dialect}");
    }
    served.post("/v1/check", &question("nonsense")).await.problem(400, "bad_question");
    let without = json!({ "agents": ["x"], "urls": ["https://example.com/"], "dialect": "urllib" });
    served.post("/v1/check", &without).await.problem(400, "bad_question");
}

#[tokio::test]
async fn text_is_matched_as_utf8_in_character_dialects() {
    let served = serving(&[]).await;
    for charset in [Value::Null, json!("iso-8859-1"), json!("utf-16")] {
        let question = json!({
            "robots": "User-agent: *\nDisallow: /é\n", "agents": ["x"], "urls": ["/é", "/%C3%A9"],
            "dialect": "gym2008", "charset": charset,
        });
        for path in ["/v1/check", "/v1/explain", "/v1/matrix"] {
            let answer = served.post(path, &question).await;
            if path != "/v1/matrix" {
                let answer = answer.json();
                let allowed = picked(&answer["rows"], &["allowed"]);
                assert_eq!(allowed, [[json!(false)], [json!(false)]], "{path} {charset}");
            } else {
                let text = answer.json().to_string();
                assert!(text.contains("disallowed_explicit"), "{charset}: {text}");
            }
        }
    }
}

#[tokio::test]
async fn text_and_site_are_linted() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::ok("User-agent: *\nDisalow: /x\n"));
    let (page, broken, missing) = (Origin::start(), Origin::start(), Origin::start());
    page.on("/robots.txt", Reply::html_soft_404());
    broken.on("/robots.txt", Reply::status(500));
    missing.on("/robots.txt", Reply::status(404));
    let served = serving(&[&site, &page, &broken, &missing]).await;
    let codes = |answer: &Value| -> Vec<String> {
        let findings = answer["findings"].as_array().unwrap();
        findings.iter().map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
    };
    let text = served.post("/v1/lint", &json!({ "robots": "User-agent: *\nDisalow: /x\n" })).await.json();
    conforms("/v1/lint", &text);
    let live = served.post("/v1/lint", &json!({ "site": site.url("/any/page") })).await.json();
    conforms("/v1/lint", &live);
    assert!(codes(&text).contains(&"misspelt-directive".to_owned()), "{:?}", codes(&text));
    assert_eq!(codes(&text), codes(&live));
    assert_eq!(live["findings"][0]["file"], site.url("/robots.txt"));
    let html = served.post("/v1/lint", &json!({ "site": page.url("/") })).await.json();
    assert!(!codes(&html).is_empty());
    let none = served.post("/v1/lint", &json!({ "site": missing.url("/") })).await.json();
    assert_eq!(none, json!({ "findings": [] }), "an empty file");
    served.post("/v1/lint", &json!({ "site": broken.url("/") })).await.problem(502, "unreadable");
    served.post("/v1/lint", &json!({ "site": "http://10.0.0.1/" })).await.problem(403, "refused");
    for wrong in
        [json!({}), json!({ "robots": "", "site": "https://example.com" }), json!({ "site": "example" })]
    {
        served.post("/v1/lint", &wrong).await.problem(400, "bad_question");
    }
}

#[tokio::test]
async fn matrix_lists_access_of_crawlers() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::ok(ROBOTS));
    let served = serving(&[&site]).await;
    let by_text =
        served.post("/v1/matrix", &json!({ "robots": ROBOTS, "purposes": ["training"] })).await.json();
    conforms("/v1/matrix", &by_text);
    let gptbot = by_text["crawlers"].as_array().unwrap().iter().find(|row| row["agent"] == "GPTBot").unwrap();
    assert_eq!(gptbot["access"], "disallowed");
    let question = json!({ "site": site.url("/"), "urls": ["/private", "/"], "agents": ["OtherBot"] });
    let live = served.post("/v1/matrix", &question).await.json();
    conforms("/v1/matrix", &live);
    assert_eq!(live["crawlers"][0]["access"], "partly");
    assert_eq!(live["file"], site.url("/robots.txt"));
    let too_many = json!({ "robots": "", "urls": vec!["/"; 1_001] });
    served.post("/v1/matrix", &too_many).await.problem(400, "bad_question");
}

#[tokio::test]
async fn usage_is_listed_by_signal() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::ok(ROBOTS));
    let served = serving(&[&site]).await;
    let live = json!({ "agents": ["OtherBot"], "urls": [site.url("/"), "/path"] });
    let live = served.post("/v1/usage", &live).await.json();
    conforms("/v1/usage", &live);
    let text = live["rows"][0].to_string();
    assert!(text.contains("content_signal") && text.contains("disallow"), "{text}");
    assert!(live["rows"][1]["error"].is_string());
    let given = json!({
        "agents": ["OtherBot"], "urls": ["/"], "headers": "X-Robots-Tag: noai\nTDM-Reservation: 1\n",
        "html": "<meta name=\"tdm-reservation\" content=\"1\">", "tdmrep": "[{\"location\": \"/\", \"tdm-reservation\": 1}]",
    });
    let given = served.post("/v1/usage", &given).await.json();
    conforms("/v1/usage", &given);
    assert!(given["rows"][0].to_string().contains("tdmrep"), "{given}");
    let wrong = json!({ "agents": ["a"], "urls": ["/"], "tdmrep": "{" });
    served.post("/v1/usage", &wrong).await.problem(400, "bad_question");
}

#[tokio::test]
async fn diff_lists_changes_of_meaning() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::ok("User-agent: *\nDisallow: /a\n"));
    let served = serving(&[&site]).await;
    let question = json!({
        "old": { "site": site.url("/") }, "new": { "robots": "User-agent: *\nDisallow: /b\n" }, "urls": ["/a", "/b", "/c"],
    });
    let answer = served.post("/v1/diff", &question).await.json();
    conforms("/v1/diff", &answer);
    assert_eq!(answer["agents"][0]["gained"][0]["pattern"], "/b");
    let urls = picked(&answer["urls"], &["url"]);
    assert_eq!(urls, [[json!("/a")], [json!("/b")]]);
}

#[tokio::test]
async fn robots_txt_of_a_site_is_returned_with_its_provenance() {
    let (site, gone, moved) = (Origin::start(), Origin::start(), Origin::start());
    site.on("/robots.txt", Reply::ok(ROBOTS));
    gone.on("/robots.txt", Reply::status(404));
    moved.on("/robots.txt", Reply::redirect(301, &site.url("/robots.txt")));
    let served = serving(&[&site, &gone, &moved]).await;
    let answer = served.get(&format!("/v1/robots?origin={}", site.url("/x"))).await.json();
    conforms("/v1/robots", &answer);
    assert_eq!(answer["text"], ROBOTS);
    assert_eq!(answer["sitemaps"], json!(["https://example.com/s.xml"]));
    assert_eq!(answer["robots_txt"]["status"], 200);
    assert_eq!((&answer["treatment"], &answer["redirects"]), (&json!("read_rules"), &json!([])));
    let elsewhere = served.get(&format!("/v1/robots?origin={}", moved.url("/"))).await.json();
    conforms("/v1/robots", &elsewhere);
    assert_eq!(
        (&elsewhere["text"], &elsewhere["redirects"]),
        (&json!(ROBOTS), &json!([site.url("/robots.txt")]))
    );
    let none = served.get(&format!("/v1/robots?origin={}", gone.url("/"))).await.json();
    conforms("/v1/robots", &none);
    assert_eq!((&none["text"], &none["treatment"]), (&Value::Null, &json!("allow_all")));
    for wrong in [
        "/v1/robots",
        "/v1/robots?origin=ftp://x",
        "/v1/robots?origin=https://a&origin=https://b",
        "/v1/robots?x=1",
    ] {
        served.get(wrong).await.problem(400, "bad_question");
    }
}

#[tokio::test]
async fn inspect_lists_content_of_text_and_site() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::ok(ROBOTS));
    let served = serving(&[&site]).await;
    let text = served.post("/v1/inspect", &json!({ "robots": ROBOTS })).await.json();
    conforms("/v1/inspect", &text);
    assert_eq!(text["groups"][1]["agents"], json!(["GPTBot"]));
    let live = served.post("/v1/inspect", &json!({ "site": site.url("/") })).await.json();
    conforms("/v1/inspect", &live);
    assert_eq!((&live["groups"], &live["file"]), (&text["groups"], &json!(site.url("/robots.txt"))));
    served.post("/v1/inspect", &json!({})).await.problem(400, "bad_question");
}

#[tokio::test]
async fn tests_of_a_file_pass_or_fail() {
    let served = serving(&[]).await;
    let tests = json!([
        { "agent": "GPTBot", "url": "/", "expect": "disallowed 7" },
        { "agent": "Other", "url": "/private", "expect": "allowed" },
        { "agent": "googelbot", "url": "/", "expect": "allowed" },
    ]);
    let answer = served.post("/v1/test", &json!({ "robots": ROBOTS, "tests": tests })).await.json();
    conforms("/v1/test", &answer);
    let passed = picked(&answer["rows"], &["passed", "test_line"]);
    assert_eq!(passed, [[json!(true), json!(1)], [json!(false), json!(2)], [json!(false), json!(3)]]);
    let too_many = vec![json!({ "agent": "a", "url": "/", "expect": "allowed" }); 10_001];
    let too_many = json!({ "robots": ROBOTS, "tests": too_many });
    served.post("/v1/test", &too_many).await.problem(413, "too_large");
}

#[tokio::test]
async fn decisions_follow_from_an_answer_for_robots_txt() {
    let served = serving(&[]).await;
    let overview = served.post("/v1/status", &json!({ "code": 503 })).await.json();
    conforms("/v1/status", &overview);
    assert_eq!((&overview["treatment"], &overview["allowed"]), (&json!("stop"), &json!(false)));
    let question =
        json!({ "code": 200, "body": ROBOTS, "agents": ["GPTBot", "Other"], "urls": ["/x", "/private"] });
    let answer = served.post("/v1/status", &question).await.json();
    conforms("/v1/status", &answer);
    let allowed = picked(&answer["rows"], &["allowed"]).concat();
    assert_eq!(allowed, [json!(false), json!(true), json!(false), json!(false)]);
    let too_many = json!({ "code": 404, "agents": ["a"], "urls": vec!["/"; 10_001] });
    served.post("/v1/status", &too_many).await.problem(413, "too_large");
    served.post("/v1/status", &json!({})).await.problem(400, "bad_question");
}

#[tokio::test]
async fn directives_of_a_page_are_combined() {
    let served = serving(&[]).await;
    let question = json!({ "headers": "X-Robots-Tag: noindex", "html": "<meta name=robots content=noarchive>", "agent": "a" });
    let answer = served.post("/v1/page", &question).await.json();
    conforms("/v1/page", &answer);
    assert_eq!(answer["statements"], 2);
    served.post("/v1/page", &json!({ "html": "" })).await.problem(400, "bad_question");
}

#[tokio::test]
async fn sitemap_is_listed_with_its_findings() {
    let served = serving(&[]).await;
    let sitemap = "https://example.com/a\nhttps://example.com/a\n";
    let answer = served.post("/v1/sitemap", &json!({ "sitemap": sitemap })).await.json();
    conforms("/v1/sitemap", &answer);
    let kinds = picked(&answer["rows"], &["kind"]).concat();
    assert_eq!(kinds, [json!("url"), json!("finding"), json!("url"), json!("summary")]);
    let wrong = json!({ "sitemap": sitemap, "url": "example" });
    served.post("/v1/sitemap", &wrong).await.problem(400, "bad_question");
}

#[tokio::test]
async fn llms_txt_is_read_and_resolved() {
    let served = serving(&[]).await;
    let question = json!({
        "llms": "# Title\n\n## Docs\n\n- [A](https://example.com/a.md)\n", "resolve": ["https://example.com/a"], "strict": true,
    });
    let answer = served.post("/v1/llms", &question).await.json();
    conforms("/v1/llms", &answer);
    assert_eq!(answer["title"]["text"], "Title");
    assert_eq!(answer["resolved"].as_array().map(Vec::len), Some(1));
    let links = "- [A](https://example.com/a)\n".repeat(200);
    let many =
        json!({ "llms": format!("# T\n\n## D\n\n{links}"), "resolve": vec!["https://example.com/a"; 1_000] });
    served.post("/v1/llms", &many).await.problem(413, "too_large");
}

#[tokio::test]
async fn catalogues_list_named_or_all_entries() {
    let served = serving(&[]).await;
    for (route, field, name, key) in [
        ("/v1/agents", "names", "gptbot", "token"),
        ("/v1/dialects", "dialects", "google", "name"),
        ("/v1/presets", "presets", "google", "name"),
    ] {
        let all = served.post(route, &json!({})).await.json();
        conforms(route, &all);
        assert!(all["rows"].as_array().unwrap().len() > 3, "{route}");
        // A repeated name has only one row.
        let named = served.post(route, &json!({ field: vec![name; 1_000] })).await.json();
        let names = picked(&named["rows"], &[key]).concat();
        assert_eq!(names.len(), 1, "{route}");
        assert!(names[0].as_str().unwrap().eq_ignore_ascii_case(name), "{route}");
        served.post(route, &json!({ field: ["nonsense"] })).await.problem(400, "bad_question");
    }
}

#[tokio::test]
async fn long_rule_in_many_rows_is_refused() {
    let served = serving(&[]).await;
    let body = format!("User-agent: *\nDisallow: /{}\n", "*".repeat(15_000));
    let urls = vec!["/x"; 10_000];
    let status = json!({ "code": 200, "body": body, "agents": ["a"], "urls": urls });
    served.post("/v1/status", &status).await.problem(413, "too_large");
    let test = json!({ "agent": "a", "url": "/x", "expect": "allowed" });
    let tests = json!({ "robots": body, "tests": vec![test; 10_000] });
    served.post("/v1/test", &tests).await.problem(413, "too_large");
}

#[tokio::test]
async fn request_waiting_for_a_site_counts_as_in_flight() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::delay(Duration::from_secs(1), Reply::ok("")));
    let served = serving(&[&site]).await;
    let question = json!({ "agents": ["a"], "urls": [site.url("/")] });
    let under_way = async || {
        let text = String::from_utf8(served.get("/metrics").await.body.to_vec()).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("comity_requests_under_way "));
        line.unwrap().to_owned()
    };
    let watched = async {
        site.until_requested("/robots.txt", 1).await;
        under_way().await
    };
    let (answer, while_it_waited) = tokio::join!(served.post("/v1/check", &question), watched);
    answer.json();
    assert_eq!([while_it_waited, under_way().await], ["1", "0"]);
}

#[tokio::test]
async fn health_and_metrics_routes_answer() {
    let served = serving(&[]).await;
    assert_eq!(served.get("/healthz").await.body, "ok\n");
    assert_eq!(served.get("/readyz").await.body, "ready\n");
    served.post("/v1/check", &json!({ "robots": "", "agents": ["a"], "urls": ["/"] })).await.json();
    served.get("/nothing").await.problem(404, "not_found");
    served.get("/v1/check").await.problem(405, "wrong_method");
    let text = String::from_utf8(served.get("/metrics").await.body.to_vec()).unwrap();
    for line in [
        "comity_requests_total{route=\"/v1/check\",status=\"200\"} 1",
        "comity_requests_total{route=\"/v1/check\",status=\"405\"} 1",
        "comity_requests_total{route=\"-\",status=\"404\"} 1",
        "comity_request_seconds_count 5",
        "comity_requests_under_way 0",
    ] {
        assert!(text.contains(&format!("\n{line}\n")), "{line} in {text}");
    }
    let dashboard = include_str!("../../../../deploy/grafana/comity.json");
    let named: BTreeSet<&str> = dashboard
        .split(|character: char| !character.is_ascii_lowercase() && character != '_')
        .filter(|word| word.starts_with("comity_"))
        .collect();
    assert!(named.len() > 5, "{named:?}");
    for metric in named {
        let family = metric.trim_end_matches("_bucket");
        assert!(text.contains(&format!("# TYPE {family} ")), "{metric} in {text}");
    }
}

#[tokio::test]
async fn answer_repeats_the_request_id_or_has_a_new_one() {
    let served = serving(&[]).await;
    let request = served.request(http::Method::GET, "/healthz").header("x-request-id", "trace-1");
    let reply = served.send(request.body(Default::default()).unwrap()).await;
    assert_eq!(reply.headers["x-request-id"], "trace-1");
    let (one, other) = (served.get("/nothing").await, served.get("/nothing").await);
    assert_ne!(one.headers["x-request-id"], other.headers["x-request-id"]);
    for (name, value) in [("cache-control", "no-store"), ("x-content-type-options", "nosniff")] {
        assert_eq!(one.headers[name], value);
    }
    assert!(!one.headers.contains_key("access-control-allow-origin"));
}
