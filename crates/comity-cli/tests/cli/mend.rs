//! Commands that write, fix and test: `new`, `lint --fix`, `test`, `matrix --require`.

use std::fs;
use std::path::Path;

use comity::robots::{Agent, RobotsTxt};
use insta::assert_snapshot;

use crate::comity;

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("a file");
}

const SLIPS: &str = "\u{feff}User-agent: *\r\nDisallow: /a\r\nthe next line is an old one\r\nDisallow: /a\r\nDisalow: /b\r\nAlow: /c\r\n";

#[test]
fn fixes_are_shown_then_applied_once() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "robots.txt", SLIPS);
    let run = |args: &str| comity(args).dir(folder.path());
    assert_snapshot!(run("lint --diff").shown());
    assert_eq!(fs::read_to_string(folder.path().join("robots.txt")).expect("a file"), SLIPS);
    assert_snapshot!(run("lint --fix").shown());
    let safe = "\u{feff}User-agent: *\r\nDisallow: /a\r\nthe next line is an old one\r\nDisallow: /b\r\nAlow: /c\r\n";
    assert_eq!(fs::read_to_string(folder.path().join("robots.txt")).expect("a file"), safe);
    assert_snapshot!(run("lint --fix --unsafe-fixes").shown());
    let fixed = safe.replace("Alow", "Allow");
    assert_eq!(fs::read_to_string(folder.path().join("robots.txt")).expect("a file"), fixed);
    run("lint --diff --unsafe-fixes").run().exits(0);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "the fixes left a temporary file");
}

#[test]
fn input_that_cannot_be_fixed_in_place_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let long = format!("User-agent: *\nDisallow: /a\nDisallow: /a\n{}", "# padding\n".repeat(60_000));
    write(folder.path(), "long.txt", &long);
    let outcome = comity("lint --fix long.txt").dir(folder.path()).run().exits(2);
    assert!(outcome.stderr.contains("longer than 512,000 bytes"), "{}", outcome.stderr);
    assert_eq!(fs::read_to_string(folder.path().join("long.txt")).expect("a file"), long);
    let outcome = comity("lint --fix -").stdin(SLIPS).run().exits(2);
    assert!(outcome.stderr.contains("use --diff to print the changes"), "{}", outcome.stderr);
    comity("lint --unsafe-fixes robots.txt").run().exits(2);
    #[cfg(unix)]
    {
        write(folder.path(), "real.txt", SLIPS);
        std::os::unix::fs::symlink("real.txt", folder.path().join("link.txt")).expect("a link");
        let outcome = comity("lint --fix link.txt").dir(folder.path()).run().exits(2);
        assert!(outcome.stderr.contains("is a link"), "{}", outcome.stderr);
        assert_eq!(fs::read_to_string(folder.path().join("real.txt")).expect("a file"), SLIPS);
    }
}

#[test]
fn project_settings_select_findings() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "robots.txt", "User-agent: *\nDisallow /a\nDisallow: /x/*\n");
    let lint = |args: &str| comity("lint").args(args).dir(folder.path()).run();
    lint("").exits(0);
    write(
        folder.path(),
        "comity.toml",
        "[lint]\nmissing-colon = \"deny\"\n\n[robots]\npreset = \"google\"\n",
    );
    lint("").exits(1);
    assert_eq!(lint("--quiet").exits(1).stdout, "");
    lint("--no-config").exits(0);
    comity("config").dir(folder.path()).run().exits(0);
    let commented =
        "User-agent: *\n# comity: allow missing-colon: the old crawler reads it so\nDisallow /a\n";
    write(folder.path(), "robots.txt", commented);
    lint("").exits(0);
    write(folder.path(), "robots.txt", &commented.replace(": the old crawler reads it so", ""));
    let outcome = lint("").exits(1);
    assert!(
        outcome.stderr.contains("robots.txt:2:") && outcome.stderr.contains("has no reason"),
        "{}",
        outcome.stderr
    );
    write(folder.path(), "comity.toml", "[lint]\nmissing-colon = \"never\"\n");
    lint("").exits(2);
}

#[test]
fn new_file_contains_the_requested_rules() {
    let outcome = comity("new --block-purpose training --allow-purpose ai_search --disallow /cart")
        .args("--sitemap https://kettles.shop/sitemap.xml")
        .run()
        .exits(0);
    let robots = RobotsTxt::parse(&outcome.stdout);
    let allows = |agent: &str, url: &str| {
        robots.rules_for(&Agent::unchecked_token(agent)).is_allowed(url).expect("a URL")
    };
    assert!(!allows("GPTBot", "/") && !allows("CCBot", "/x"), "{}", outcome.stdout);
    assert!(allows("OAI-SearchBot", "/") && !allows("OAI-SearchBot", "/cart"), "{}", outcome.stdout);
    assert!(allows("ExampleBot", "/") && !allows("ExampleBot", "/cart"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("anthropic-ai"), "a retired name is in the file");
    assert!(outcome.stderr.contains("Google-Extended"), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("# GPTBot: OpenAI, AI training; verified 20"), "{}", outcome.stdout);
    comity("lint --deny warnings -").stdin(&outcome.stdout).run().exits(0);
    assert_snapshot!(
        comity("new --block GPTBot,NoSuchBot --allow Googlebot --disallow /search --content-signal")
            .arg("search=yes, ai-train=no")
            .shown()
    );
    assert_snapshot!(comity("new --block-everyone --allow Googlebot").shown());
    comity("new --block GPTBot --allow gptbot").run().exits(2);
    comity("new --disallow cart").run().exits(2);
}

#[test]
fn new_file_that_blocks_ai_lists_blocked_crawlers_and_notes_open_ones() {
    let run = |args: &str| comity("new --block-ai").args(args).run().exits(0);
    let outcome = run("");
    let allows = |agent: &str, text: &str| {
        RobotsTxt::parse(text).rules_for(&Agent::unchecked_token(agent)).is_allowed("/").expect("a URL")
    };
    for agent in ["GPTBot", "OAI-SearchBot", "ChatGPT-User", "Google-Extended"] {
        assert!(!allows(agent, &outcome.stdout), "{agent}");
    }
    assert!(allows("Googlebot", &outcome.stdout));
    assert!(outcome.stderr.contains("still allowed: search engines"), "{}", outcome.stderr);
    let with_search = run("--allow-purpose ai_search --block-purpose training");
    assert!(allows("OAI-SearchBot", &with_search.stdout) && !allows("GPTBot", &with_search.stdout));
    assert!(!with_search.stderr.contains("still allowed"), "{}", with_search.stderr);
}

#[test]
fn new_file_that_blocks_everyone_states_the_permitted_uses() {
    let outcome = comity("new --block-everyone --content-usage train-ai=n").run().exits(0);
    assert!(outcome.stdout.contains("Content-Usage: train-ai=n\nDisallow: /\n"), "{}", outcome.stdout);
}

#[test]
fn new_file_never_replaces_an_existing_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = || comity("new --block GPTBot -o robots.txt").dir(folder.path()).run();
    run().exits(0);
    let outcome = run().exits(2);
    assert!(outcome.stderr.contains("exists already"), "{}", outcome.stderr);
}

const TESTS: &str = r#"
robots = ["robots.txt", "staging.txt"]

[[test]]
agents = ["GPTBot", "CCBot"]
allowed = ["/blog/"]
disallowed = ["/private"]

[[test]]
agent = "Googlebot"
url = "/search"
expect = "disallowed_explicit 3"
why = "results of searches are not pages"
"#;

#[test]
fn tests_fail_for_a_deployed_staging_file() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "robots.txt", "User-agent: *\nDisallow: /private\nDisallow: /search\n");
    write(folder.path(), "staging.txt", "User-agent: *\nDisallow: /\n");
    write(folder.path(), "robots.test.toml", TESTS);
    let run = |args: &str| comity("test").args(args).dir(folder.path());
    assert_snapshot!(run("").shown());
    assert_snapshot!(run("--robots robots.txt").shown());
    for format in ["github", "junit", "sarif"] {
        let outcome = run("--format").arg(format).run().exits(1);
        assert!(outcome.stdout.contains("staging.txt"), "{}", outcome.stdout);
        assert_snapshot!(format!("test_as_{format}"), outcome.stdout);
    }
    let rows = run("--json").run().exits(1).json_lines();
    let passed: Vec<bool> = rows.iter().map(|row| row["passed"] == true).collect();
    assert_eq!(passed, [true, true, true, true, true, false, true, false, true, false]);
    assert_eq!(rows[9]["expected"], "disallowed_explicit by line 3");
    assert_eq!(rows[9]["rule"]["line"], 2);
    assert_eq!(run("--quiet").run().exits(1).stdout, "");
}

#[test]
fn invalid_test_file_names_the_line() {
    let folder = tempfile::tempdir().expect("a folder");
    for (text, expected) in [
        ("[[test]]\nagent = \"a\"\nurl = \"/\"\n", "t.toml:1: url is given without expect"),
        ("[[test]]\nurl = \"/\"\nexpect = \"allowed\"\n", "t.toml:1: no crawler is named"),
        ("\n[[test]]\nagent = \"a\"\n", "t.toml:2: nothing is expected"),
        ("[[test]]\nagent = \"a\"\nurl = \"/\"\nexpect = \"maybe\"\n", "`maybe` is neither"),
        ("[[test]]\nagent = \"a\"\nexpect = \"open\"\n", "unknown access `open`: use allowed, partly"),
        ("[[test]]\nagent = \"Mozilla/5.0 (x)\"\nallowed = [\"/\"]\n", "is not a product token"),
        ("[[tests]]\n", "t.toml:1: unknown field"),
        ("", "contains no test"),
    ] {
        write(folder.path(), "t.toml", text);
        write(folder.path(), "robots.txt", "");
        let outcome = comity("test t.toml").dir(folder.path()).run().exits(2);
        assert!(outcome.stderr.contains(expected), "{text}: {}", outcome.stderr);
    }
    comity("test missing.toml").run().exits(2);
}

#[test]
fn test_without_a_url_is_about_the_whole_site() {
    const ROBOTS: &str = "User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /\n\nUser-agent: Bingbot\nAllow: /\n";
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "robots.txt", ROBOTS);
    let cases = [
        ("Bingbot", "allowed", true),
        ("Bingbot", "partly", false),
        ("Googlebot", "partly", true),
        ("Googlebot", "allowed-or-partly", true),
        ("Googlebot", "disallowed", false),
        ("GPTBot", "disallowed", true),
        ("GPTBot", "allowed-or-partly", false),
    ];
    let tests =
        cases.map(|(agent, expect, _)| format!("[[test]]\nagent = \"{agent}\"\nexpect = \"{expect}\"\n"));
    write(folder.path(), "robots.test.toml", &tests.concat());
    let run = |args: &str| comity("test").args(args).dir(folder.path()).run().exits(1);
    let rows = run("--json").json_lines();
    let access = |agent: &str| match agent {
        "Bingbot" => "allowed",
        "GPTBot" => "disallowed",
        _ => "partly",
    };
    assert_eq!(rows.len(), cases.len());
    for ((agent, expect, passes), row) in cases.iter().zip(&rows) {
        assert_eq!((&row["passed"], &row["access"]), (&(*passes).into(), &access(agent).into()), "{row}");
        assert_eq!((&row["expected"], &row["url"]), (&(*expect).into(), &"".into()), "{row}");
        assert!(row["verdict"].is_null() && row["error"].is_null(), "{row}");
    }
    let text = run("").stdout;
    assert!(text.contains("GPTBot  the whole site"), "{text}");
    assert!(text.contains("expected allowed-or-partly, is disallowed"), "{text}");
}

#[test]
fn unmet_requirement_of_a_matrix_fails() {
    let run =
        |args: &str| comity("matrix --robots -").args(args).stdin("User-agent: GPTBot\nDisallow: /\n").run();
    run("--require GPTBot=disallowed,Googlebot=allowed").exits(0);
    run("--require Googlebot=partly-or-allowed,GPTBot=disallowed-or-partly").exits(0);
    let shut_out = run("--require GPTBot=allowed-or-partly").exits(1);
    let expected = "`stdin` violates --require GPTBot=allowed-or-partly: GPTBot is disallowed";
    assert!(shut_out.stderr.contains(expected), "{}", shut_out.stderr);
    run("--require GPTBot=allowed-or-closed").exits(2);
    let outcome = run("--require ai_training=disallowed").exits(1);
    let expected = "`stdin` violates --require training=disallowed: ";
    assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    run("--require nonsense").exits(2);
    run("--require GPTBot=closed").exits(2);
}

#[test]
fn rows_with_their_own_robots_txt_are_tested() {
    assert_snapshot!(comity("test tests.jsonl").shown());
    comity("test --dialect google tests.jsonl").run().exits(0);
    let outcome = comity("test tests.jsonl --robots robots.txt").run().exits(2);
    assert!(outcome.stderr.contains("has its own robots.txt"), "{}", outcome.stderr);
    let outcome = comity("test -").stdin("{\"url\": 7}\n").run().exits(2);
    assert!(outcome.stderr.starts_with("error: stdin:1: "), "{}", outcome.stderr);
    let wrong = r#"{"robots_txt": "User-agent: *\nDisallow: /a\n", "user_agent": "heron", "url": "/a", "expected_allowed": true}"#;
    let outcome = comity("test -").stdin(wrong).run().exits(1);
    assert!(outcome.stdout.contains("expected allowed, is disallowed"), "{}", outcome.stdout);
}

#[test]
fn test_suites_of_other_projects_pass() {
    let Some(data) = testkit::data::shared_data() else { return };
    let of = |suite: &str| data.join("conformance").join(suite).display().to_string();
    for (dialect, suites, asked) in [
        ("rfc9309", "google_cpp.jsonl google_spec_test.jsonl matrix.jsonl nzrsky.jsonl protego.jsonl", 1000),
        ("google", "google_cpp.jsonl google_spec_test.jsonl matrix.jsonl crawler_commons.jsonl", 1000),
        ("yandex", "yandex_observed.jsonl", 140),
    ] {
        let run = comity("test --json --dialect").args(dialect);
        let outcome = suites.split(' ').fold(run, |run, suite| run.arg(&of(suite))).run().exits(0);
        assert!(outcome.stdout.lines().count() >= asked, "{dialect}: {}", outcome.stdout.lines().count());
    }
}
