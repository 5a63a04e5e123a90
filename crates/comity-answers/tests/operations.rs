//! Every operation, called in process with a request in JSON form.

use std::time::{Duration, SystemTime};

use comity::agents::Ranges;
use comity_answers::agents::{self, AgentsRequest};
use comity_answers::check::{Check, CheckRow};
use comity_answers::dialects::{self, DialectsRequest};
use comity_answers::diff::{DiffDocument, DiffOperation};
use comity_answers::explain::{Explain, ExplainRow};
use comity_answers::inspect::{Inspect, InspectRow};
use comity_answers::lint::Lint;
use comity_answers::llms::{LlmsOperation, LlmsRequest};
use comity_answers::matrix::{MAX_URLS, MatrixOperation};
use comity_answers::new::New;
use comity_answers::notice::WithNotices;
use comity_answers::operation::{self, FileOperation, UrlOperation};
use comity_answers::page::{PageOperation, PageRequest};
use comity_answers::presets::{self, PresetsRequest};
use comity_answers::request::RequestError;
use comity_answers::robots::Robots;
use comity_answers::sitemap::{SitemapRequest, SitemapRows};
use comity_answers::sources::{SourceError, Sources};
use comity_answers::status::{self, StatusRequest};
use comity_answers::test::{TestOperation, TestRows};
use comity_answers::usage::UsageOperation;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const ROBOTS: &str = "User-agent: *\nDisallow: /private\nContent-Signal: ai-train=no\n\nUser-agent: GPTBot\nDisallow: /\n\
                      Crawl-delay: 2\n\nSitemap: https://example.com/sitemap.xml\n";

fn request<R: DeserializeOwned>(request: Value) -> R {
    serde_json::from_value(request).expect("a request")
}

fn row(row: impl Serialize) -> Value {
    serde_json::to_value(row).expect("a row")
}

/// Answers a request about files without contacting sites.
fn file_answer<O: FileOperation>(json: Value) -> Result<Value, SourceError> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(operation::answer::<O>(request(json), &Sources::offline())).map(row)
}

/// Returns the rows of a request about URLs. The documents in the request decide.
fn url_rows<O: UrlOperation>(json: Value) -> Vec<Value> {
    let prepared = O::prepare(request(json)).expect("a request that can be answered");
    let file = prepared.file.expect("a file");
    let rows = prepared.urls.iter().flat_map(|url| {
        let rows = prepared.operation.by_file(url.as_bytes(), &file);
        rows.iter().map(row).collect::<Vec<_>>()
    });
    rows.collect()
}

#[track_caller]
fn assert_invalid(answer: Result<Value, SourceError>, part: &str) {
    let error = answer.expect_err("an invalid request");
    assert!(matches!(error, SourceError::Request(RequestError::Invalid(_))), "{error:?}");
    assert!(error.to_string().contains(part), "{error}");
}

#[track_caller]
fn assert_too_large(answer: Result<Value, SourceError>, part: &str) {
    let error = answer.expect_err("a request that is too large");
    assert!(matches!(error, SourceError::Request(RequestError::TooLarge(_))), "{error:?}");
    assert!(error.to_string().contains(part), "{error}");
}

#[test]
fn check_explain_and_usage_answer_for_each_url_and_crawler() {
    let request =
        || json!({ "robots": ROBOTS, "urls": ["/private", "mailto:a@b"], "agents": ["GPTBot", "Other"] });
    let rows = url_rows::<Check>(request());
    assert_eq!(rows.len(), 4);
    assert_eq!((&rows[0]["rule"]["line"], &rows[1]["rule"]["line"]), (&json!(6), &json!(2)));
    assert!(rows[2]["error"].is_string() && rows[2]["verdict"].is_null());
    let rows = url_rows::<Explain>(request());
    assert_eq!(rows[0]["other_groups"][0]["agents"], json!(["*"]));
    let rows = url_rows::<UsageOperation>(request());
    let signals = rows[1]["signals"].as_array().expect("signals");
    let signal = signals.iter().find(|signal| signal["signal"] == "content_signal").expect("the signal");
    let preferences = signal["preferences"].as_array().expect("preferences");
    assert!(preferences.iter().any(|preference| preference["stance"] == "disallow"), "{signal}");
}

#[test]
fn matrix_selects_crawlers_and_decides_urls() {
    let request = json!({ "robots": ROBOTS, "agents": ["GPTBot"], "urls": ["/a"] });
    let row = file_answer::<MatrixOperation>(request).expect("a matrix");
    let crawler = &row["crawlers"][0];
    assert_eq!((&crawler["access"], &crawler["decisions"][0]["url"]), (&json!("disallowed"), &json!("/a")));
    let all = file_answer::<MatrixOperation>(json!({ "robots": ROBOTS, "purposes": ["training"] }));
    assert_eq!(all.expect("a matrix")["crawlers"][0]["agent"], "*");
}

#[test]
fn matrix_beyond_its_limits_is_refused() {
    let urls = vec!["/"; MAX_URLS + 1];
    assert_invalid(
        file_answer::<MatrixOperation>(json!({ "robots": "", "urls": urls })),
        "at most 1000 URLs",
    );
    let urls = vec!["/"; MAX_URLS];
    assert_too_large(file_answer::<MatrixOperation>(json!({ "robots": "", "urls": urls })), "decisions");
    let no_url = json!({ "robots": "", "urls": ["/", "no url"] });
    assert_invalid(file_answer::<MatrixOperation>(no_url), "URL 2");
}

#[test]
fn diff_lists_crawlers_and_urls_that_change() {
    let new = ROBOTS.replace("/private", "/secret");
    let request =
        json!({ "old": { "robots": ROBOTS }, "new": { "robots": new }, "urls": ["/secret", "/other"] });
    let row = file_answer::<DiffOperation>(request).expect("a difference");
    assert_eq!(row["agents"][0]["agents"], json!(["*"]));
    assert_eq!(row["urls"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&row["urls"][0]["old"]["allowed"], &row["urls"][0]["new"]["allowed"]),
        (&json!(true), &json!(false))
    );
}

#[test]
fn lint_names_file_of_each_finding() {
    let row = file_answer::<Lint>(json!({ "robots": "User-agent: *\nDisalow: /x\n" })).expect("findings");
    let finding = &row["findings"][0];
    assert_eq!((&finding["file"], &finding["place"]["line"]), (&json!("robots.txt"), &json!(2)));
}

#[test]
fn inspect_lists_groups_and_sitemaps() {
    let row = file_answer::<Inspect>(json!({ "robots": ROBOTS })).expect("a row");
    assert_eq!(
        (&row["groups"][1]["agents"], &row["groups"][1]["crawl_delay_seconds"]),
        (&json!(["GPTBot"]), &json!(2.0))
    );
    assert_eq!(row["sitemaps"][0]["url"], "https://example.com/sitemap.xml");
}

#[test]
fn inspect_of_file_with_very_many_groups_is_refused() {
    let group = |number| format!("User-agent: a{number}\nDisallow: /\nCrawl-delay: 1\n");
    let robots = |groups| (0..groups).map(group).collect::<String>();
    let row = file_answer::<Inspect>(json!({ "robots": robots(100) })).expect("a row");
    assert_eq!(row["groups"][99]["crawl_delay_seconds"], 1.0);
    assert_too_large(file_answer::<Inspect>(json!({ "robots": robots(10_000) })), "10000 groups");
}

#[test]
fn new_file_disallows_named_crawlers() {
    let row = file_answer::<New>(json!({ "block": ["gptbot"], "disallow": ["/cart"] })).expect("a file");
    let robots = row["robots"].as_str().expect("a text");
    let request = json!({ "robots": robots, "urls": ["/"], "agents": ["GPTBot", "Other"] });
    let rows = url_rows::<Check>(request);
    assert_eq!((&rows[0]["allowed"], &rows[1]["allowed"]), (&json!(false), &json!(true)));
    assert_invalid(file_answer::<New>(json!({ "block": ["a"], "allow": ["a"] })), "both allowed and blocked");
}

#[test]
fn test_passes_if_verdict_and_line_are_expected() {
    let test = |agent: &str, expect: &str| json!({ "agent": agent, "url": "/private", "expect": expect });
    let tests = [
        test("GPTBot", "disallowed 6"),
        test("Other", "disallowed 6"),
        test("Other", "allowed"),
        test("Other", "disallowed_explicit"),
    ];
    let row = file_answer::<TestOperation>(json!({ "robots": ROBOTS, "tests": tests })).expect("rows");
    let passed: Vec<_> =
        row["rows"].as_array().expect("rows").iter().map(|row| row["passed"].clone()).collect();
    assert_eq!(passed, [true, false, false, true]);
    assert_eq!((&row["rows"][1]["test_line"], &row["rows"][1]["rule"]["line"]), (&json!(2), &json!(2)));
    for (test, part) in [
        (test("GPTBot", "maybe"), "neither `allowed`, `disallowed` nor a verdict"),
        (json!({ "url": "/", "expect": "allowed" }), "name one crawler, in `agent` or `user_agent`"),
        (json!({ "agent": "a", "user_agent": "b", "url": "/", "expect": "allowed" }), "name one crawler"),
        (json!({ "user_agent": " ", "url": "/", "expect": "allowed" }), "`user_agent` is empty"),
        (json!({ "agent": "a/1", "url": "/", "expect": "allowed" }), "use `user_agent` for a whole"),
    ] {
        assert_invalid(file_answer::<TestOperation>(json!({ "robots": ROBOTS, "tests": [test] })), part);
    }
}

#[test]
fn test_with_misspelt_name_or_without_url_fails_with_reason() {
    for (agent, url, reason) in [
        ("GPTBto", "/private", "a group names `GPTBot`"),
        ("Other", "www.example.com/x", "`https://www.example.com/x` was probably meant"),
    ] {
        let test = json!({ "agent": agent, "url": url, "expect": "disallowed" });
        let rows = file_answer::<TestOperation>(json!({ "robots": ROBOTS, "tests": [test] })).expect("rows");
        let row = &rows["rows"][0];
        assert_eq!((&row["passed"], &row["verdict"]), (&json!(false), &Value::Null), "{row}");
        assert!(row["error"].as_str().is_some_and(|error| error.contains(reason)), "{row}");
    }
}

#[test]
fn matrix_and_diff_have_notices_about_names_and_urls() {
    let (agents, urls) = (["GPTBto", "Other"], ["https://a.example/", "https://b.example/", "//c.example/"]);
    let matrix = json!({ "robots": ROBOTS, "agents": agents, "urls": urls });
    let diff = json!({
        "old": { "robots": ROBOTS }, "new": { "robots": ROBOTS }, "agents": agents, "urls": urls,
    });
    for answer in [file_answer::<MatrixOperation>(matrix), file_answer::<DiffOperation>(diff)] {
        let answer = answer.expect("an answer");
        let kinds = answer["notices"].as_array().expect("notices").iter().map(|notice| &notice["kind"]);
        let kinds: Vec<_> = kinds.collect();
        assert_eq!(kinds, ["similar_name", "one_file_for_many_sites", "double_slash_path"]);
    }
}

#[test]
fn file_operation_without_client_contacts_no_site() {
    let site = json!({ "site": "https://example.com/" });
    for error in [
        file_answer::<Lint>(site.clone()),
        file_answer::<MatrixOperation>(site.clone()),
        file_answer::<Inspect>(site),
        file_answer::<Robots>(json!({ "origin": "https://example.com/" })),
    ] {
        assert!(matches!(error, Err(SourceError::Offline)), "{error:?}");
    }
    assert_invalid(file_answer::<Lint>(json!({})), "either `robots`");
}

#[test]
fn status_without_urls_has_the_state_for_every_url() {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    let overview = |json| row(status::answer(&request::<StatusRequest>(json), now).expect("an answer"));
    let fixed = overview(json!({ "code": 503 }));
    assert_eq!((&fixed["allowed"], &fixed["verdict"]), (&json!(false), &json!("unknown_unreachable")));
    let by_rules = overview(json!({ "code": 200, "body": ROBOTS }));
    assert_eq!((&by_rules["allowed"], &by_rules["treatment"]), (&Value::Null, &json!("read_rules")));
    let request = json!({ "robots": ROBOTS, "urls": ["/"], "agents": ["a"] });
    let check = url_rows::<Check>(request).remove(0);
    let names = |row: &Value| row.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&by_rules), names(&check));
}

#[test]
fn status_with_urls_decides_by_copy_during_outage() {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(100_000_000);
    let events = json!({
        "code": 503, "failing_for_seconds": 3600, "copy": ROBOTS, "agents": ["GPTBot", "Other"], "urls": ["/a"],
    });
    let answer = row(status::answer(&request(events), now).expect("an answer"));
    assert_eq!(answer["rows"][0]["treatment"], "last_good");
    assert_eq!((&answer["rows"][0]["allowed"], &answer["rows"][1]["allowed"]), (&json!(false), &json!(true)));
    for (events, part) in [
        (json!({ "code": 200, "urls": ["/"] }), "neither"),
        (json!({}), "neither a status code nor a status line"),
        (json!({ "code": 503, "age_seconds": 60, "failing_for_seconds": 30 }), "not in this order"),
    ] {
        let error = status::answer(&request(events), now).expect_err("an error").to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn status_of_text_that_is_not_a_url_is_an_error_row() {
    let events =
        json!({ "code": 404, "agents": ["a"], "urls": ["mailto:a@b.example", "www.h.example", "/a"] });
    let answer = row(status::answer(&request(events), SystemTime::now()).expect("an answer"));
    let rows = answer["rows"].as_array().expect("rows");
    for (row, part) in rows.iter().zip(["neither an http", "`https://www.h.example` was probably meant"]) {
        assert!(row["error"].as_str().is_some_and(|error| error.contains(part)), "{part}: {row}");
        assert_eq!((&row["allowed"], &row["verdict"]), (&json!(false), &Value::Null));
        assert!(row["robots_txt"].is_object());
    }
    assert_eq!((&rows[2]["allowed"], &rows[2]["error"]), (&json!(true), &Value::Null));
}

#[test]
fn page_combines_header_and_html_by_profile() {
    let page: PageRequest = request(json!({
        "headers": "X-Robots-Tag: nosnippet", "html": "<meta name=robots content=noindex>", "agent": "a", "profile": "google",
    }));
    let operation = PageOperation::new(&page).expect("a page");
    let row = row(operation.row(SystemTime::UNIX_EPOCH));
    assert_eq!((&row["statements"], &row["outcomes"][0]["profile"]), (&json!(2), &json!("google")));
    for wrong in [json!({}), json!({ "agent": "a", "profile": "none" })] {
        assert!(PageOperation::new(&request(wrong)).is_err());
    }
}

#[test]
fn sitemap_ends_with_counts_of_findings() {
    let sitemap: SitemapRequest =
        request(json!({ "sitemap": "https://example.com/a\nhttps://example.com/a\n" }));
    let read = SitemapRows::read(&sitemap).expect("a sitemap");
    let rows: Vec<Value> = read.rows().map(row).collect();
    let kinds: Vec<&str> = rows.iter().filter_map(|row| row["kind"].as_str()).collect();
    assert_eq!((kinds.first(), kinds.last()), (Some(&"url"), Some(&"summary")));
    let last = rows.last().expect("a row");
    let counted = ["errors", "warnings", "notes"].map(|name| last[name].as_u64().expect("a number"));
    let found = rows.iter().filter(|row| row["file"].is_string() && row["code"].is_string()).count();
    assert!(found > 0 && counted.iter().sum::<u64>() == found as u64, "{rows:?}");
    assert!(SitemapRows::read(&request(json!({ "sitemap": "", "url": "nonsense" }))).is_err());
}

#[test]
fn llms_lists_candidates_of_pages() {
    let llms: LlmsRequest = request(json!({
        "llms": "# Title\n\n## Docs\n\n- [A](https://example.com/a.md)\n", "url": "https://example.com/llms.txt", "strict": true,
        "resolve": ["https://example.com/a"],
    }));
    let operation = LlmsOperation::new(&llms).expect("a request");
    let row = row(operation.row());
    assert_eq!((&row["title"]["text"], &row["strict"]["is_accepted"]), (&json!("Title"), &json!(true)));
    assert_eq!(row["resolved"][0]["candidates"][0]["url"], "https://example.com/a.md");
    for wrong in [json!({ "url": "nonsense" }), json!({ "strategy": "maybe" }), json!({ "resolve": ["x"] })] {
        assert!(LlmsOperation::new(&request(wrong)).is_err());
    }
}

#[test]
fn catalogues_have_row_for_each_name() {
    let ranges = Ranges::bundled();
    let named: AgentsRequest = request(json!({ "names": ["gptbot"] }));
    let rows = agents::answer(&named, &ranges).expect("a crawler");
    assert_eq!(row(&rows[0])["token"], "GPTBot");
    let slip =
        agents::answer(&request(json!({ "names": ["gtpbot"] })), &ranges).expect_err("an unknown name");
    assert!(slip.to_string().contains("did you mean `GPTBot`?"), "{slip}");
    let training = agents::answer(&request(json!({ "purposes": ["training"] })), &ranges).expect("crawlers");
    assert!(training.len() > 1 && training.iter().all(|row| row.agent.purpose().as_str() == "training"));
    let google: DialectsRequest = request(json!({ "dialects": ["google"] }));
    assert_eq!(dialects::answer(&google)[0].name, "google");
    let strict: PresetsRequest = request(json!({ "presets": ["strict"] }));
    assert_eq!(presets::answer(&strict)[0].name, "strict");
}

#[test]
fn request_with_unknown_field_is_refused() {
    fn refuses<R: DeserializeOwned>() -> bool {
        serde_json::from_value::<R>(json!({ "unknown": 1 })).is_err()
    }
    let all = [
        refuses::<<Check as UrlOperation>::Request>(),
        refuses::<<Explain as UrlOperation>::Request>(),
        refuses::<<UsageOperation as UrlOperation>::Request>(),
        refuses::<<MatrixOperation as FileOperation>::Request>(),
        refuses::<<DiffOperation as FileOperation>::Request>(),
        refuses::<<Lint as FileOperation>::Request>(),
        refuses::<<Inspect as FileOperation>::Request>(),
        refuses::<<New as FileOperation>::Request>(),
        refuses::<<TestOperation as FileOperation>::Request>(),
        refuses::<<Robots as FileOperation>::Request>(),
        refuses::<StatusRequest>(),
        refuses::<PageRequest>(),
        refuses::<SitemapRequest>(),
        refuses::<LlmsRequest>(),
        refuses::<AgentsRequest>(),
        refuses::<DialectsRequest>(),
        refuses::<PresetsRequest>(),
    ];
    assert!(all.iter().all(|refused| *refused), "{all:?}");
}

#[track_caller]
fn assert_round_trip<T: Serialize + DeserializeOwned>(rows: impl IntoIterator<Item = Value>) {
    for row in rows {
        let read: T = serde_json::from_value(row.clone()).expect("a row");
        assert_eq!(serde_json::to_value(read).expect("a row"), row);
    }
}

#[test]
fn deserialized_rows_equal_serialized_rows() {
    let urls = json!({ "robots": ROBOTS, "urls": ["/private", "/a", "mailto:a@b.example"], "agents": ["GPTBot", "GTPBot"] });
    assert_round_trip::<CheckRow<'static>>(url_rows::<Check>(urls.clone()));
    assert_round_trip::<ExplainRow<'static>>(url_rows::<Explain>(urls));
    assert_round_trip::<WithNotices<InspectRow>>([
        file_answer::<Inspect>(json!({ "robots": ROBOTS })).expect("a row")
    ]);
    let change = json!({ "old": { "robots": ROBOTS }, "new": { "robots": "User-agent: *\nCrawl-delay: 3\n" }, "agents": ["GTPBot"], "urls": ["/private"] });
    assert_round_trip::<WithNotices<DiffDocument>>([file_answer::<DiffOperation>(change).expect("a row")]);
    let tests =
        json!({ "robots": ROBOTS, "tests": [{ "agent": "a", "url": "/private", "expect": "allowed" }] });
    assert_round_trip::<WithNotices<TestRows>>([file_answer::<TestOperation>(tests).expect("a row")]);
}

#[test]
fn row_with_an_unknown_verdict_is_not_read() {
    let rows = url_rows::<Check>(json!({ "robots": ROBOTS, "urls": ["/a"], "agents": ["a"] }));
    let mut changed = rows[0].clone();
    changed["verdict"] = json!("perhaps");
    let error = serde_json::from_value::<CheckRow<'static>>(changed).expect_err("an unknown word");
    assert!(error.to_string().contains("perhaps"), "{error}");
}
