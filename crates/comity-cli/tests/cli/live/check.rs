//! `comity check` without `--robots`.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use insta::assert_snapshot;
use testkit::servers::{DnsAnswer, DnsServer, Origin, Reply};

use super::{live, redacted, shown, site};
use crate::{comity, decision_fields, keys};

const ROBOTS: &str = "User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /\n";

#[test]
fn robots_txt_of_the_site_decides() {
    let origin = site(ROBOTS);
    let run = live("check --agent ExampleBot --agent GPTBot")
        .arg(&origin.url("/page"))
        .arg(&origin.url("/private/x"))
        .arg(&origin.url("/robots.txt"));
    assert_snapshot!(shown(run, &origin));
    assert_eq!(origin.requests().len(), 1, "one robots.txt, and no page");
}

#[test]
fn requests_have_the_name_of_comity() {
    let origin = site(ROBOTS);
    live("check --agent GPTBot").arg(&origin.url("/")).run().exits(1);
    let asked = origin.requests_for("/robots.txt");
    let user_agent = asked[0].header("User-Agent").unwrap_or_default();
    assert!(user_agent.starts_with("Comity/") && !user_agent.contains("GPTBot"), "{user_agent}");
    assert!(user_agent.contains("https://example.com/bot"), "{user_agent}");
}

#[test]
fn json_has_the_fields_of_a_decision() {
    let origin = site(ROBOTS);
    let outcome = live("check --json --agent GPTBot").arg(&origin.url("/x")).run().exits(1);
    assert_eq!(keys(outcome.stdout.trim()), decision_fields());
    let decision = &outcome.json_lines()[0];
    assert_eq!(decision["evidence"]["status"], 200);
    assert_eq!(decision["rule"]["line"], 5);
}

#[test]
fn answer_in_place_of_robots_txt_is_treated_by_the_preset() {
    let origin = Origin::start();
    let check = |args: &str| live(&format!("check --agent ExampleBot {args}")).arg(&origin.url("/x"));
    assert_snapshot!(shown(check(""), &origin));
    origin.on("/robots.txt", Reply::status(503));
    assert_snapshot!(shown(check(""), &origin));
    assert_snapshot!(shown(check("--preset ladon --mode respect"), &origin));
    assert_snapshot!(shown(check("--mode report_only"), &origin));
    origin.on("/robots.txt", Reply::html_soft_404());
    assert_snapshot!(shown(check("--preset strict"), &origin));
    let asked = origin.requests().len();
    assert_snapshot!(shown(check("--mode ignore"), &origin));
    assert_eq!(origin.requests().len(), asked, "mode ignore sent a request");
}

#[test]
fn redirects_are_named() {
    let origin = site(ROBOTS);
    origin.on("/robots.txt", Reply::redirect(301, "/elsewhere.txt")).on("/elsewhere.txt", Reply::ok(ROBOTS));
    assert_snapshot!(shown(live("check --agent ExampleBot").arg(&origin.url("/private")), &origin));
}

#[test]
fn path_without_site_is_decided_by_the_robots_txt_file_in_input_order() {
    let origin = site(ROBOTS);
    let urls =
        format!("/private\n{}\n/a.pdf\nmailto:a@example.com\n{}\n", origin.url("/private"), origin.url("/x"));
    assert_snapshot!(shown(live("check --agent ExampleBot").stdin(urls), &origin));
}

#[test]
fn origins_are_requested_concurrently() {
    const SITES: usize = 8;
    // No server answers before all servers received a request.
    let asked = Arc::new((Mutex::new(0), Condvar::new()));
    let origins: Vec<Origin> = (1..=SITES)
        .map(|n| {
            let (origin, asked) = (Origin::start_on(&format!("127.0.0.{n}")), asked.clone());
            origin.on_request("/robots.txt", move |_| {
                let (count, changed) = &*asked;
                let mut count = count.lock().unwrap();
                *count += 1;
                changed.notify_all();
                let all = changed.wait_timeout_while(count, Duration::from_secs(8), |count| *count < SITES);
                let is_alone = all.unwrap().1.timed_out();
                Reply::ok(if is_alone {
                    "User-agent: *\nDisallow: /\n"
                } else {
                    "User-agent: *\nDisallow:\n"
                })
            });
            origin
        })
        .collect();
    let urls: Vec<String> = origins.iter().flat_map(|origin| [origin.url("/a"), origin.url("/b")]).collect();
    let outcome = live("check --agent ExampleBot --json").stdin(urls.join("\n")).run().exits(0);
    let answered: Vec<String> =
        outcome.json_lines().iter().map(|line| line["url"].as_str().unwrap_or_default().to_owned()).collect();
    assert_eq!(answered, urls);
    for origin in &origins {
        assert_eq!(origin.count("/robots.txt"), 1);
    }
}

#[test]
fn answer_is_printed_before_the_next_url_arrives() {
    let origin = site(ROBOTS);
    let mut child = live("check --agent ExampleBot")
        .command()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("comity should start");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    for path in ["/private", "/x"] {
        writeln!(stdin, "{}", origin.url(path)).expect("written");
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a line");
        assert!(line.contains(path), "{line}");
    }
    drop(stdin);
    assert_eq!(child.wait().expect("an end").code(), Some(1));
}

#[test]
fn refused_address_is_an_error_and_others_are_decided() {
    let origin = site(ROBOTS);
    let metadata = "http://169.254.169.254/latest/meta-data/";
    let run = live("check --agent ExampleBot").arg(metadata).arg("https://").arg(&origin.url("/x"));
    assert_snapshot!(shown(run, &origin));
    let run = comity("check --agent ExampleBot --store memory --no-config").arg(&origin.url("/x"));
    assert_snapshot!(redacted(&run.shown(), &origin));
    assert_eq!(origin.requests().len(), 1);
}

#[test]
fn name_without_address_is_decided_by_the_preset() {
    let names = DnsServer::start();
    names.on("nowhere.example", DnsAnswer::nxdomain());
    let flag = format!("--nameserver {}", names.address());
    let check = |more: &str| live("check --agent ExampleBot http://nowhere.example/x").args(&flag).args(more);
    let outcome = check("").run().exits(1);
    assert!(
        outcome.stdout.starts_with("disallowed  http://nowhere.example/x")
            && outcome.stdout.contains("the rules are unknown, so no URL is fetched")
            && outcome.stdout.contains("the host's name has no address"),
        "{}",
        outcome.stdout
    );
    let json = check("--json").run().exits(1).stdout;
    assert!(
        json.contains(r#""verdict":"unknown_unreachable""#) && json.contains(r#""answer":"dns""#),
        "{json}"
    );
    let outcome = check("--preset ladon --mode respect --json").run().exits(0).stdout;
    assert!(outcome.contains(r#""recommendation":"allowed_but_warn""#), "{outcome}");
}

#[test]
fn dialect_option_is_rejected_for_sites() {
    assert_snapshot!(comity("check --agent a --dialect urllib --no-config https://example.com/x").shown());
}

#[test]
fn answers_are_stored_for_the_next_run() {
    let origin = site(ROBOTS);
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("robots.db").display().to_string();
    for _ in 0..2 {
        comity("check --agent ExampleBot --no-config --allow-address 127.0.0.1 --store")
            .arg(&store)
            .arg(&origin.url("/private"))
            .run()
            .exits(1);
    }
    assert_eq!(origin.count("/robots.txt"), 1);
}

#[test]
fn paths_without_sites_open_no_store() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("robots.db").display().to_string();
    comity("check --agent a --no-config --store").arg(&store).stdin("/private\n").run().exits(1);
    assert!(std::fs::read_dir(folder.path()).expect("a folder").next().is_none());
}
