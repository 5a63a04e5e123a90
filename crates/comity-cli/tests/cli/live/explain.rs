//! `comity explain` without `--robots`.

use insta::assert_snapshot;
use testkit::servers::{Origin, Reply};

use super::{live, shown, site};

const ROBOTS: &str =
    "User-agent: *\nDisallow: /private\nAllow: /private/open\n\nUser-agent: GPTBot\nDisallow: /\n";

#[test]
fn deciding_lines_of_a_site_are_shown() {
    let origin = site(ROBOTS);
    assert_snapshot!(shown(live("explain --agent ExampleBot").arg(&origin.url("/private/open/x")), &origin));
    let all = live("explain --all-dialects --agent ExampleBot").arg(&origin.url("/private/open/x"));
    assert_snapshot!(shown(all, &origin));
}

#[test]
fn dialect_option_applies_to_the_robots_txt_of_a_site() {
    let origin = site(ROBOTS);
    // In the dialect `urllib`, the first matching rule wins.
    let url = origin.url("/private/open/x");
    live("explain --agent ExampleBot").arg(&url).run().exits(0);
    let outcome = live("explain --agent ExampleBot --dialect urllib").arg(&url).run().exits(1);
    assert!(outcome.stdout.contains("urllib"), "{}", outcome.stdout);
}

#[test]
fn answer_without_rules_shows_the_treatment() {
    let origin = Origin::start();
    let explain = |args: &str| live(&format!("explain --agent ExampleBot {args}")).arg(&origin.url("/x"));
    assert_snapshot!(shown(explain(""), &origin));
    origin.on("/robots.txt", Reply::status(503));
    assert_snapshot!(shown(explain(""), &origin));
    let json = explain("--json").run().exits(1).json();
    assert_eq!(json["contenders"].as_array().map(Vec::len), Some(0));
    assert_eq!(json["policy"]["outage"]["status"], 503);
}

#[test]
fn json_has_the_evidence_and_the_policy() {
    let origin = site(ROBOTS);
    let json = live("explain --json --agent GPTBot").arg(&origin.url("/x")).run().exits(1).json();
    assert_eq!(json["contenders"][0]["rule"]["line"], 6);
    assert_eq!(json["policy"]["evidence"]["status"], 200);
    assert_eq!(json["policy"]["blocked"], true);
}
