//! Notices in answers, and rows for invalid URLs.

use comity::policy::Mode;
use serde_json::{Value, json};
use testkit::servers::{Origin, Reply};

use crate::schema::conforms;
use crate::{builder, named, serve, serving, usual_options};

const ROBOTS: &str = "User-agent: HeronCrawler\nDisallow: /\n\nUser-agent: *\nDisallow: /private\n";

const ROUTES: [&str; 5] = ["/v1/check", "/v1/explain", "/v1/usage", "/v1/matrix", "/v1/diff"];

/// Returns the question of a route about these crawlers and URLs.
fn question(route: &str, agents: &[&str], urls: &[&str]) -> Value {
    match route {
        "/v1/diff" => {
            json!({ "old": { "robots": ROBOTS }, "new": { "robots": ROBOTS }, "agents": agents, "urls": urls })
        }
        _ => json!({ "robots": ROBOTS, "agents": agents, "urls": urls }),
    }
}

fn kinds(answer: &Value) -> Vec<&str> {
    answer["notices"].as_array().unwrap().iter().map(|notice| notice["kind"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn doubtful_names_have_notices_in_every_answer() {
    let served = serving(&[]).await;
    for route in ROUTES {
        let agents = ["HeronCralwer", "googelbot", "anthropic-ai", "SomeOtherBot", "HeronCrawler"];
        let answer = served.post(route, &question(route, &agents, &["/x"])).await.json();
        conforms(route, &answer);
        assert_eq!(kinds(&answer), ["similar_name", "similar_name", "retired_name"], "{route}");
        let names: Vec<&Value> =
            answer["notices"].as_array().unwrap().iter().map(|notice| &notice["agent"]).collect();
        assert_eq!(names, ["HeronCralwer", "googelbot", "anthropic-ai"], "{route}");
        assert_eq!(answer["notices"][0]["name"], "HeronCrawler", "{route}");
        let answer = served.post(route, &question(route, &["SomeOtherBot"], &["/x"])).await.json();
        assert_eq!(answer["notices"], json!([]), "{route}");
    }
}

#[tokio::test]
async fn own_name_of_the_service_has_no_notice() {
    let served = serve(named("googelbot", &[]), usual_options()).await;
    for route in ROUTES {
        let answer = served.post(route, &question(route, &["Googelbot", "bingbt"], &["/x"])).await.json();
        assert_eq!(kinds(&answer), ["similar_name"], "{route}");
        assert_eq!(answer["notices"][0]["agent"], "bingbt", "{route}");
    }
}

#[tokio::test]
async fn file_for_several_sites_and_double_slash_have_notices() {
    let served = serving(&[]).await;
    for route in ROUTES {
        let urls = ["https://a.example/", "https://b.example/", "//c.example/x"];
        let answer = served.post(route, &question(route, &["a"], &urls)).await.json();
        conforms(route, &answer);
        assert_eq!(kinds(&answer), ["one_file_for_many_sites", "double_slash_path"], "{route}");
        assert_eq!(answer["notices"][1]["name"], "https://c.example/x", "{route}");
    }
}

#[tokio::test]
async fn mode_that_blocks_nothing_and_page_in_place_of_robots_txt_have_notices() {
    let (site, page) = (Origin::start(), Origin::start());
    site.on("/robots.txt", Reply::ok("User-agent: *\nDisallow: /x\n"));
    page.on("/robots.txt", Reply::ok("<!doctype html><title>x</title>").header("Content-Type", "text/html"));
    let client = builder(&[&site, &page]).mode(Mode::ReportOnly);
    let served = serve(client, usual_options()).await;
    for route in ["/v1/check", "/v1/explain"] {
        // The second request is answered from the cache.
        for _ in 0..2 {
            let urls = [site.url("/x"), site.url("/y"), site.url("/x?z")];
            let answer = served.post(route, &json!({ "agents": ["a"], "urls": urls })).await.json();
            assert_eq!(kinds(&answer), ["mode_blocks_nothing"], "{route}");
            let message = answer["notices"][0]["message"].as_str().unwrap();
            assert!(message.contains("permits 2 URLs"), "{route}: {message}");
        }
    }
    let matrix = json!({ "site": page.url("/") });
    let diff = json!({ "old": { "robots": ROBOTS }, "new": { "site": page.url("/") } });
    for (route, question) in [("/v1/matrix", matrix), ("/v1/diff", diff)] {
        let answer = served.post(route, &question).await.json();
        assert_eq!(kinds(&answer), ["page_read_as_empty"], "{route}");
    }
}

#[tokio::test]
async fn batch_has_number_of_notices_in_a_header_field_and_plain_rows() {
    let served = serving(&[]).await;
    for route in &ROUTES[..3] {
        for (agents, number) in [(vec!["googelbot", "HeronCralwer"], Some("2")), (vec!["SomeOtherBot"], None)]
        {
            let first = json!({ "robots": ROBOTS, "agents": agents });
            let reply = served.batch(route, &format!("{first}\n\"/x\"\n")).await;
            let found = reply.headers.get("comity-notices").map(|value| value.to_str().unwrap().to_owned());
            assert_eq!(found.as_deref(), number, "{route}");
            let rows = reply.lines();
            assert_eq!(rows.len(), agents.len(), "{route}");
            assert!(rows.iter().all(|row| row.get("notices").is_none()), "{route}");
        }
    }
}

#[tokio::test]
async fn invalid_url_has_an_error_row_among_other_rows() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::ok("User-agent: *\nDisallow: /x\n"));
    let served = serving(&[&site]).await;
    let bad = ["mailto:a@b.example", "tel:+49", "javascript:void(0)", "www.h.example/x", "http://", ""];
    let last = site.url("/last");
    for route in &ROUTES[..3] {
        for (question, has_file) in
            [(json!({ "agents": ["a"] }), false), (json!({ "agents": ["a"], "robots": ROBOTS }), true)]
        {
            let mut urls: Vec<&str> = bad.to_vec();
            urls.extend(["ftp://f.example/x", &last]);
            let mut whole = question.clone();
            whole["urls"] = json!(urls);
            let whole = served.post(route, &whole).await.json();
            let lines: String = urls.iter().map(|url| json!(url).to_string() + "\n").collect();
            let batch = served.batch(route, &format!("{question}\n{lines}")).await.lines();
            for rows in [whole["rows"].as_array().unwrap(), &batch] {
                let errors: Vec<bool> = rows.iter().map(|row| row["error"].is_string()).collect();
                let mut expected = vec![true; bad.len()];
                // The `ftp` URL is an error only if its site would have to be contacted.
                expected.extend([!has_file, false]);
                assert_eq!(errors, expected, "{route}, by file: {has_file}");
                let suggestion = rows[3]["error"].as_str().unwrap();
                assert!(suggestion.contains("`https://www.h.example/x` was probably meant"), "{suggestion}");
            }
        }
    }
}
