//! `comity logs`: reports about requests of crawlers, in the log formats of several servers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use comity::robots::{Agent, is_allowed};
use insta::assert_snapshot;
use serde_json::Value;
#[cfg(feature = "live")]
use testkit::servers::{DnsAnswer, DnsServer};

use crate::{Outcome, comity};

const ROBOTS: &str =
    "User-agent: GPTBot\nDisallow: /private\nCrawl-delay: 10\n\nUser-agent: *\nDisallow: /search\n";

/// 21 November 2026, 06:20 in UTC.
const START: i64 = 1_795_242_000;

/// Address ranges for the tests: only those of GPTBot, of the day before the requests.
const RANGES: &str = "list openai-gptbot\noperator OpenAI\ntokens GPTBot\nfrom https://openai.com/gptbot.json\ndate 2026-11-20\n\
                      sourcing verified\n203.0.113.0/24\n";

struct Request {
    time: i64,
    address: &'static str,
    agent: &'static str,
    target: String,
}

const AGENTS: [(&str, &str); 4] = [
    (
        "GPTBot",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    ),
    ("Googlebot", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"),
    ("CCBot", "CCBot/2.0 (https://commoncrawl.org/faq/)"),
    ("", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"),
];

fn header(agent: &str) -> &'static str {
    AGENTS.iter().find(|(token, _)| *token == agent).expect("an agent of the test").1
}

/// `21/Nov/2026:06:20:00 +0000` and `2026-11-21 06:20:00`.
fn times(time: i64) -> (String, String) {
    let time = jiff::Timestamp::from_second(time).expect("a time");
    (time.strftime("%d/%b/%Y:%H:%M:%S +0000").to_string(), time.strftime("%Y-%m-%d %H:%M:%S").to_string())
}

/// Returns the log line of a request, in one of five formats.
fn line(request: &Request, format: usize) -> String {
    let Request { time, address, agent, target } = request;
    let (clf, iso) = times(*time);
    let agent = header(agent);
    match format % 5 {
        0 => format!("{address} - - [{clf}] \"GET {target} HTTP/1.1\" 200 512 \"-\" \"{agent}\""),
        1 => format!("example.com:443 {address} - - [{clf}] \"GET {target} HTTP/2.0\" 200 512 \"https://example.com/\" \"{agent}\""),
        2 => serde_json::json!({
            "ts": time, "status": 200, "size": 512,
            "request": { "remote_ip": address, "host": "example.com", "uri": target, "headers": { "User-Agent": [agent] } },
        })
        .to_string(),
        3 => format!(
            "https {}Z app/web/1 {address}:2817 10.0.0.1:80 0.0 0.1 0.0 200 200 34 512 \"GET https://example.com:443{target} HTTP/2.0\" \"{agent}\" - -",
            iso.replace(' ', "T")
        ),
        _ => serde_json::json!({
            "ClientIP": address, "ClientRequestHost": "example.com", "ClientRequestURI": target,
            "ClientRequestUserAgent": agent, "EdgeStartTimestamp": format!("{}Z", iso.replace(' ', "T")),
            "EdgeResponseStatus": 200, "EdgeResponseBytes": 512,
        })
        .to_string(),
    }
}

fn logs(folder: &Path, args: &str) -> Outcome {
    fs::write(folder.join("ranges.txt"), RANGES).expect("a file");
    comity("logs --no-config").args(args).env("COMITY_RANGES", "ranges.txt").dir(folder).run()
}

fn row<'r>(rows: &'r [Value], agent: &str, identity: &str) -> &'r Value {
    let found = rows.iter().find(|row| row["agent"] == agent && row["identity"] == identity);
    assert!(found.is_some(), "no row of {agent}, {identity}: {rows:#?}");
    found.unwrap_or(&Value::Null)
}

/// Returns requests of random clients, in the order of their times.
fn requests(number: usize) -> Vec<Request> {
    let mut random = fastrand::Rng::with_seed(19);
    let mut time = START;
    let paths = ["/", "/private/a", "/search?q=x", "/privat", "/a%20b", "/robots.txt"];
    (0..number)
        .map(|_| {
            time += random.i64(0..60);
            let agent = AGENTS[random.usize(..AGENTS.len())].0;
            let address = if random.bool() { "203.0.113.9" } else { "198.51.100.9" };
            Request { time, address, agent, target: paths[random.usize(..paths.len())].to_owned() }
        })
        .collect()
}

/// Computes the expected counts in a simple way: requests and disallowed requests, by agent and identity.
fn plainly(requests: &[Request], versions: &[(i64, &str)]) -> BTreeMap<(String, &'static str), (u64, u64)> {
    let mut found = BTreeMap::new();
    for (at, request) in requests.iter().enumerate().filter(|(_, request)| !request.agent.is_empty()) {
        let identity = |request: &Request| match (request.agent, request.address) {
            ("GPTBot", "203.0.113.9") => "verified",
            ("GPTBot", _) => "outside",
            _ => "unknown",
        };
        let entry: &mut (u64, u64) = found.entry((request.agent.to_owned(), identity(request))).or_default();
        entry.0 += 1;
        if request.target == "/robots.txt" {
            continue;
        }
        let fetched = requests[..at].iter().rev().find(|other| {
            other.agent == request.agent
                && identity(other) == identity(request)
                && other.target == "/robots.txt"
        });
        // A request is disallowed if every version disallows it that was in force since the crawler's last request for
        // robots.txt, but at most a day before the request.
        let from = fetched.map_or(i64::MIN, |fetched| fetched.time).max(request.time - 24 * 3_600);
        let mut in_force = versions.iter().enumerate().filter(|(number, (since, _))| {
            let until = versions.get(number + 1).map_or(i64::MAX, |(next, _)| *next);
            *since <= request.time && until > from
        });
        let agent = Agent::unchecked_token(request.agent);
        let is_disallowed =
            |body: &str| !is_allowed(body.as_bytes(), &agent, request.target.as_str()).expect("a path");
        entry.1 += u64::from(in_force.all(|(_, (_, body))| is_disallowed(body)));
    }
    found
}

#[test]
fn log_in_any_format_has_the_counts_of_the_plain_computation() {
    let folder = tempfile::tempdir().expect("a folder");
    let requests = requests(2_000);
    let text: String = requests.iter().enumerate().fold(String::new(), |mut text, (at, request)| {
        let _ = writeln!(text, "{}", line(request, at));
        text
    });
    fs::write(folder.path().join("access.log"), text).expect("a file");
    fs::write(folder.path().join("robots.txt"), ROBOTS).expect("a file");
    let rows = logs(folder.path(), "access.log --robots robots.txt --json").exits(1).json_lines();
    let expected = plainly(&requests, &[(i64::MIN, ROBOTS)]);
    assert_eq!(rows.len(), expected.len());
    for ((agent, identity), (all, disallowed)) in expected {
        let row = row(&rows, &agent, identity);
        assert_eq!(
            (&row["requests"], &row["disallowed"]),
            (&all.into(), &disallowed.into()),
            "{agent}, {identity}"
        );
        assert_eq!(row["bytes"], all * 512, "{agent}, {identity}");
    }
}

#[test]
fn requests_are_judged_by_the_version_that_was_in_force() {
    let folder = tempfile::tempdir().expect("a folder");
    let requests = requests(8_000);
    let open = "User-agent: *\nDisallow:\n";
    let versions = [
        (START, ROBOTS),
        (START + 40_000, open),
        (START + 90_000, ROBOTS),
        (START + 130_000, open),
        (START + 131_000, ROBOTS),
    ];
    fs::create_dir(folder.path().join("versions")).expect("a folder");
    for (since, body) in versions {
        let name = jiff::Timestamp::from_second(since)
            .expect("a time")
            .strftime("robots-%Y%m%dT%H%M%SZ.txt")
            .to_string();
        fs::write(folder.path().join("versions").join(name), body).expect("a file");
    }
    // The arguments are not in the order of the requests.
    for (name, part) in ["b.log", "a.log", "c.log"].iter().zip(requests.chunks(3_000)) {
        let text: String = part.iter().map(|request| line(request, 0) + "\n").collect();
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let rows = logs(folder.path(), "a.log b.log c.log --robots versions --json").exits(1).json_lines();
    for ((agent, identity), (all, disallowed)) in plainly(&requests, &versions) {
        let row = row(&rows, &agent, identity);
        assert_eq!(
            (&row["requests"], &row["disallowed"]),
            (&all.into(), &disallowed.into()),
            "{agent}, {identity}"
        );
    }
    assert!(
        rows.iter().any(|row| row["in_grace"].as_u64() > Some(0)),
        "no request was within a day after a change"
    );
}

fn small(folder: &Path) {
    let ask = |time, address, agent, target: &str| Request {
        time: START + time,
        address,
        agent,
        target: target.to_owned(),
    };
    let mut all = vec![
        ask(0, "203.0.113.9", "GPTBot", "/"),
        ask(1, "203.0.113.9", "GPTBot", "/robots.txt"),
        ask(5, "198.51.100.9", "GPTBot", "/private/secret"),
        ask(7, "198.51.100.77", "CCBot", "/robots.txt"),
        ask(9, "198.51.100.77", "CCBot", "/a"),
        ask(11, "192.0.2.4", "", "/private"),
    ];
    all.extend((0..30).map(|at| ask(20 + 2 * at, "203.0.113.9", "GPTBot", &format!("/private/{}", at % 5))));
    let text: String = all.iter().map(|request| line(request, 0) + "\n").collect();
    fs::write(folder.join("access.log"), text + "half a line\n").expect("a file");
    fs::write(folder.join("robots.txt"), ROBOTS).expect("a file");
}

#[test]
fn text_report_shows_rules_and_gaps() {
    let folder = tempfile::tempdir().expect("a folder");
    small(folder.path());
    let outcome = logs(folder.path(), "access.log --robots robots.txt").exits(1);
    assert_snapshot!(format!("{}\n---\n{}", outcome.stdout, outcome.stderr));
    let rows = logs(folder.path(), "access.log --robots robots.txt --json").exits(1).json_lines();
    let gptbot = row(&rows, "GPTBot", "verified");
    assert_eq!(
        (&gptbot["gaps"]["asked_seconds"], &gptbot["gaps"]["below"]),
        (&10.0.into(), &29.into()),
        "{gptbot:#}"
    );
    assert_eq!(gptbot["robots_txt"]["pages_before"], 1);
    assert_eq!(row(&rows, "CCBot", "unknown")["gaps"], Value::Null, "CCBot has too few requests for gaps");
    let csv = logs(folder.path(), "access.log --robots robots.txt --format csv").exits(1).stdout;
    assert!(
        csv.starts_with("agent,operator,purpose,follows_robots_txt,") && csv.lines().count() == 4,
        "{csv}"
    );
}

#[test]
#[cfg(unix)]
fn logs_beyond_the_limit_of_open_files_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    small(folder.path());
    let names: Vec<String> = (0..300).map(|number| format!("access.log.{number}")).collect();
    for (time, name) in (0..).zip(&names) {
        let target = "/search".to_owned();
        let request = Request { time: START - time, address: "203.0.113.9", agent: "CCBot", target };
        fs::write(folder.path().join(name), line(&request, 0) + "\n").expect("a file");
    }
    let run = comity("logs --no-config --robots robots.txt --json").args(&names.join(" ")).command();
    let output = std::process::Command::new("sh")
        .args(["-c", "ulimit -n 100 && exec \"$0\" \"$@\""])
        .arg(run.get_program())
        .args(run.get_args())
        .current_dir(folder.path())
        .output()
        .expect("sh should start");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let row: Value = serde_json::from_str(&stdout).expect("a row");
    assert_eq!((&row["agent"], &row["disallowed"]), (&"CCBot".into(), &300.into()), "{row:#}");
}

#[test]
fn whole_address_is_shown_only_if_requested() {
    let folder = tempfile::tempdir().expect("a folder");
    small(folder.path());
    for format in ["", "--json", "--format csv", "--all"] {
        let outcome = logs(folder.path(), &format!("access.log --robots robots.txt {format}"));
        let shown = outcome.stdout + &outcome.stderr;
        assert!(!shown.contains("198.51.100.9") && !shown.contains("203.0.113.9"), "{format}: {shown}");
    }
    let outcome = logs(folder.path(), "access.log --robots robots.txt --show-addresses");
    assert!(outcome.stdout.contains("198.51.100.9"), "{}", outcome.stdout);
}

#[test]
fn request_from_outside_is_not_counted_for_the_crawler() {
    let folder = tempfile::tempdir().expect("a folder");
    let request =
        Request { time: START, address: "198.51.100.9", agent: "GPTBot", target: "/private".to_owned() };
    fs::write(folder.path().join("access.log"), line(&request, 0) + "\n").expect("a file");
    fs::write(folder.path().join("robots.txt"), ROBOTS).expect("a file");
    logs(folder.path(), "access.log --robots robots.txt").exits(0);
    // Without a forwarded address, the identity of a request from a trusted proxy is unknown.
    let rows =
        logs(folder.path(), "access.log --robots robots.txt --json --trusted-proxy 198.51.100.0/24").exits(1);
    assert_eq!(rows.json_lines()[0]["identity"], "unknown");
    let wrong =
        logs(folder.path(), "access.log --robots robots.txt --trusted-proxy 198.51.100.9/24").exits(2);
    assert!(
        wrong.stderr.contains("has bits set after its prefix length; write 198.51.100.0/24"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn hosts_own_formats_and_unreadable_lines_are_handled() {
    let folder = tempfile::tempdir().expect("a folder");
    small(folder.path());
    let (clf, _) = times(START);
    let of = |host: &str| {
        format!("{host} 203.0.113.9 - - [{clf}] \"GET /private HTTP/1.1\" 200 1 \"-\" \"GPTBot/1.2\"\n")
    };
    fs::write(folder.path().join("hosts.log"), of("example.com:443") + &of("example.org:443"))
        .expect("a file");
    let both = logs(folder.path(), "hosts.log --robots robots.txt --json").exits(1);
    assert!(both.stderr.contains("requests for 2 hosts"), "{}", both.stderr);
    let many: String = (0..1_001).map(|number| of(&format!("host{number}.example:443"))).collect();
    fs::write(folder.path().join("many.log"), many).expect("a file");
    let many = logs(folder.path(), "many.log --robots robots.txt --json").exits(1);
    assert!(many.stderr.contains("requests for more than 1,000 hosts"), "{}", many.stderr);
    let one = logs(folder.path(), "hosts.log --robots robots.txt --json --host example.org").exits(1);
    assert_eq!(one.json()["requests"], 1);
    fs::write(folder.path().join("own.log"), format!("GPTBot/1.2|203.0.113.9|{clf}|GET /private HTTP/1.1\n"))
        .expect("a file");
    let run = comity("logs own.log --no-config --robots robots.txt --json --log-format")
        .arg("$http_user_agent|$remote_addr|$time_local|$request")
        .dir(folder.path());
    assert_eq!(run.run().exits(1).json()["disallowed"], 1);
    let run = comity("logs own.log --no-config --robots robots.txt --log-format")
        .arg("$remote_addr $request")
        .dir(folder.path());
    assert!(run.run().exits(2).stderr.contains("it has no time"));
    let all = fs::read(folder.path().join("access.log")).expect("a file");
    let stdin =
        comity("logs - --no-config --robots robots.txt --json").stdin(&all).dir(folder.path()).run().exits(1);
    assert!(stdin.stderr.contains("1 of 37 lines cannot be read"), "{}", stdin.stderr);
    for missing in ["nothing.log --robots robots.txt", "access.log --robots nothing.txt"] {
        logs(folder.path(), missing).exits(2);
    }
}

#[test]
#[cfg(feature = "live")]
fn crawler_is_verified_by_the_host_name_of_its_address() {
    let dns = DnsServer::start();
    dns.on("9.113.0.203.in-addr.arpa", DnsAnswer::names(["crawl-9.mojeek.com"]))
        .on("crawl-9.mojeek.com", DnsAnswer::addresses(["203.0.113.9"]))
        // The owner of an address can choose any name for it.
        .on("8.113.0.203.in-addr.arpa", DnsAnswer::names(["crawl-9.mojeek.com"]))
        .on("7.113.0.203.in-addr.arpa", DnsAnswer::names(["notmojeek.com"]))
        .on("notmojeek.com", DnsAnswer::addresses(["203.0.113.7"]))
        .on("6.113.0.203.in-addr.arpa", DnsAnswer::servfail());
    let folder = tempfile::tempdir().expect("a folder");
    let today = jiff::Timestamp::now().as_second();
    let mut text = String::new();
    for (age, address, agent) in [
        (90 * 86_400, "203.0.113.9", "MojeekBot"),
        (60, "203.0.113.9", "MojeekBot"),
        (50, "203.0.113.8", "MojeekBot"),
        (40, "203.0.113.9", "MojeekBot"),
        (30, "203.0.113.7", "MojeekBot"),
        (20, "203.0.113.6", "MojeekBot"),
        (10, "203.0.113.9", "CCBot"),
        (0, "203.0.113.9", "MojeekBot"),
    ] {
        let (clf, _) = times(today - age);
        let _ = writeln!(text, "{address} - - [{clf}] \"GET /search HTTP/1.1\" 200 1 \"-\" \"{agent}/1.0\"");
    }
    fs::write(folder.path().join("access.log"), text).expect("a file");
    fs::write(folder.path().join("robots.txt"), ROBOTS).expect("a file");
    let counts = |args: &str| {
        let rows = logs(folder.path(), &format!("access.log --robots robots.txt --json {args}")).exits(1);
        let rows = rows.json_lines();
        ["verified", "unknown"].map(|identity| {
            let of = |row: &&Value| row["agent"] == "MojeekBot" && row["identity"] == identity;
            rows.iter().find(of).map_or(0, |row| row["disallowed"].as_u64().unwrap_or_default())
        })
    };
    let asked = format!("--dns --nameserver {}", dns.address());
    assert_eq!(counts(&asked), [3, 4]);
    assert_eq!(dns.count("9.113.0.203.in-addr.arpa"), 1, "an address is looked up once");
    assert_eq!(counts(""), [0, 7], "look-ups need the option");
}

#[test]
fn rules_are_suggested_for_robots_txt_and_for_servers() {
    let folder = tempfile::tempdir().expect("a folder");
    small(folder.path());
    for suggest in ["robots", "nginx", "apache", "caddy", "haproxy", "cloudflare"] {
        let outcome = logs(
            folder.path(),
            &format!("access.log --robots robots.txt --suggest {suggest} --suggest-from 20%,10"),
        )
        .exits(0);
        assert_snapshot!(format!("suggest_{suggest}"), outcome.stdout);
    }
    let metrics = logs(folder.path(), "access.log --robots robots.txt --format prometheus").exits(1).stdout;
    let line = "comity_logs_disallowed_total{agent=\"GPTBot\",purpose=\"training\",identity=\"verified\"} 30";
    assert!(metrics.lines().any(|other| other == line), "{metrics}");
}

/// Writes files, and returns the outcome of `comity logs access.log --robots robots.txt ARGS`.
fn judged(folder: &Path, log: &[u8], args: &[&str]) -> Outcome {
    fs::write(folder.join("access.log"), log).expect("a file");
    fs::write(folder.join("robots.txt"), "User-agent: *\nDisallow: /private/\n").expect("a file");
    fs::write(folder.join("ranges.txt"), RANGES).expect("a file");
    let run = comity("logs --no-config access.log --robots robots.txt")
        .env("COMITY_RANGES", "ranges.txt")
        .dir(folder);
    args.iter().fold(run, |run, arg| run.arg(arg)).run()
}

fn combined(address: &str, agent: &str, target: &str) -> String {
    let (clf, _) = times(START);
    format!("{address} - - [{clf}] \"GET {target} HTTP/1.1\" 200 1 \"-\" \"{agent}\"\n")
}

#[test]
fn unreadable_log_ends_with_2_and_names_a_line_and_the_formats() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = combined("203.0.113.9", "GPTBot/1.2", "/private/a");
    for (log, hint) in [
        ("hello\nworld\n".repeat(3), "--log-format with nginx"),
        ("{\"a\":1}\n".to_owned(), "--map url=KEY"),
        (format!("{line}one\ntwo\n"), "--log-format with nginx"),
    ] {
        let run = judged(folder.path(), log.as_bytes(), &[]).exits(2);
        let first = log.lines().find(|line| !line.contains("GPTBot")).expect("a line");
        assert!(run.stderr.contains(&format!("such as `{first}`")), "{}", run.stderr);
        assert!(run.stderr.contains("HAProxy") && run.stderr.contains(hint), "{}", run.stderr);
        assert_eq!(run.stdout.contains("GPTBot"), log.contains("GPTBot"), "{}", run.stdout);
        judged(folder.path(), log.as_bytes(), &["--suggest", "robots"]).exits(2);
    }
    let half = judged(folder.path(), format!("{line}one\n").as_bytes(), &[]).exits(1);
    assert!(half.stderr.contains("1 of 2 lines cannot be read"), "{}", half.stderr);
    let own = judged(
        folder.path(),
        b"hello\n",
        &["--log-format", "$remote_addr [$time_local] \"$request\" \"$http_user_agent\""],
    )
    .exits(2);
    assert!(
        own.stderr.contains("compare the format") && !own.stderr.contains("give the server's"),
        "{}",
        own.stderr
    );
}

#[test]
fn log_in_utf_16_is_read_as_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "66.249.66.1 - - [21/Nov/2026:06:20:00 +0000] \"GET /private/a HTTP/1.1\" 200 1 \"-\" \"Googlebot/2.1\"\n";
    let utf16: Vec<u8> = format!("\u{feff}{line}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let outcome = judged(folder.path(), &utf16, &[]).exits(1);
    assert!(outcome.stdout.contains("1 of 1 requests"), "{}", outcome.stdout);
}

#[test]
fn empty_log_has_a_note_unless_it_must_fail() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = judged(folder.path(), b"", &[]).exits(0);
    assert!(run.stderr.contains("the logs have no lines"), "{}", run.stderr);
    judged(folder.path(), b"", &["--fail-on-empty"]).exits(2);
}

#[test]
fn log_without_user_agents_zones_or_peers_has_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    let common = combined("203.0.113.9", "x", "/private/a").replace(" \"-\" \"x\"", "");
    let run = judged(folder.path(), common.as_bytes(), &[]).exits(0);
    assert!(run.stderr.contains("so their crawlers are unknown"), "{}", run.stderr);
    let line = combined("203.0.113.9", "GPTBot/1.2", "/private/a");
    let run = judged(folder.path(), line.replace(" +0000", "").as_bytes(), &[]).exits(1);
    assert!(run.stderr.contains("1 request without a time zone"), "{}", run.stderr);
    let list = line.replace("203.0.113.9", "203.0.113.9, 10.0.0.1");
    let run = judged(folder.path(), list.as_bytes(), &["--json"]).exits(1);
    assert!(run.stderr.contains("--client-field"), "{}", run.stderr);
    assert_eq!(run.json()["identity"], "unknown");
    let run =
        judged(folder.path(), list.as_bytes(), &["--json", "--client-field", "x-forwarded-for"]).exits(1);
    assert_eq!(run.json()["identity"], "verified");
}

/// Any client can put the address of a crawler into `X-Forwarded-For`.
#[test]
fn forwarded_address_from_an_untrusted_peer_is_ignored() {
    let folder = tempfile::tempdir().expect("a folder");
    let identity = |line: &str, args: &[&str]| {
        let args = [&["--json"], args].concat();
        judged(folder.path(), line.as_bytes(), &args).json_lines()[0]["identity"]
            .as_str()
            .expect("a word")
            .to_owned()
    };
    let behind = |peer: &str, forwarded: &str| {
        combined(peer, "GPTBot/1.2", "/private/a").trim_end().to_owned() + &format!(" \"{forwarded}\"\n")
    };
    assert_eq!(identity(&behind("198.51.100.9", "203.0.113.9"), &[]), "outside");
    assert_eq!(identity(&behind("10.0.0.1", "203.0.113.9"), &[]), "unknown", "the column has no name");
    assert_eq!(identity(&behind("10.0.0.1", "203.0.113.9, 198.51.100.9"), &[]), "unknown");
    assert_eq!(
        identity(&behind("198.51.100.9", "203.0.113.9:443"), &["--trusted-proxy", "198.51.100.0/24"]),
        "unknown"
    );
    assert_eq!(
        identity(&behind("10.0.0.1", "203.0.113.9"), &["--trusted-proxy", "198.51.100.0/24"]),
        "unknown"
    );
    assert_eq!(
        identity(&behind("198.51.100.9", "203.0.113.9"), &["--client-field", "x-forwarded-for"]),
        "verified"
    );
    assert_eq!(identity(&combined("203.0.113.9:60422", "GPTBot/1.2", "/private/a"), &[]), "verified");
}

#[test]
fn old_list_of_addresses_is_named_with_the_command_that_updates_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = combined("198.51.100.9", "GPTBot/1.2", "/private/a");
    let newer = line.replace("21/Nov/2026", "31/Dec/2026");
    let run = judged(folder.path(), newer.as_bytes(), &[]).exits(1);
    let text = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("is from 2026-11-20, more than 30 days older"), "{text}");
    assert!(text.contains("`comity agents --update openai-gptbot=FILE`"), "{text}");
    assert!(!text.contains("nothing that is published"), "{text}");
    let older = line.replace("21/Nov/2026", "01/Jan/2026");
    let run = judged(folder.path(), older.as_bytes(), &[]).exits(1);
    assert!(run.stdout.contains("more than 30 days later"), "{}", run.stdout);
}

#[test]
fn format_is_read_from_a_configuration_and_keys_are_mapped() {
    let folder = tempfile::tempdir().expect("a folder");
    let configuration = "http {\n  # log_format x 'no';\n  log_format main '$remote_addr|$time_local|'\n    '$scheme://$host$request_uri|$http_user_agent';\n}\n";
    fs::write(folder.path().join("nginx.conf"), configuration).expect("a file");
    let (clf, _) = times(START);
    let line = format!("203.0.113.9|{clf}|https://example.com/private/a|GPTBot/1.2\n");
    let path = format!("@{}", folder.path().join("nginx.conf").display());
    assert_eq!(
        judged(folder.path(), line.as_bytes(), &["--json", "--log-format", &path]).exits(1).json()["disallowed"],
        1
    );
    let missing = judged(folder.path(), line.as_bytes(), &["--log-format", "@nothing.conf"]).exits(2);
    assert!(missing.stderr.contains("cannot read `nothing.conf`"), "{}", missing.stderr);
    let object = format!(
        "{{\"a\":{{\"u\":\"/private/a\"}},\"i\":\"203.0.113.9\",\"t\":{START},\"n\":\"GPTBot/1.2\"}}\n"
    );
    let map = ["--map", "url=a.u", "--map", "address=i", "--map", "time=t", "--map", "agent=n", "--json"];
    assert_eq!(judged(folder.path(), object.as_bytes(), &map).exits(1).json()["identity"], "verified");
    let wrong = judged(folder.path(), object.as_bytes(), &["--map", "colour=a"]).exits(2);
    assert!(wrong.stderr.contains("the fields are url"), "{}", wrong.stderr);
}

#[test]
fn suggestion_needs_a_threshold_and_names_neither_search_engines_nor_impostors() {
    let folder = tempfile::tempdir().expect("a folder");
    let many = |count: usize, address: &str, agent: &str, target: &str| {
        combined(address, agent, target).repeat(count)
    };
    let suggested =
        |log: &str| judged(folder.path(), log.as_bytes(), &["--suggest", "robots"]).exits(0).stdout;
    let few =
        many(17, "203.0.113.9", "GPTBot/1.2", "/private/a") + &many(1_983, "203.0.113.9", "GPTBot/1.2", "/");
    let google = many(600, "203.0.113.9", "Googlebot/2.1", "/private/a");
    let impostor = many(600, "198.51.100.9", "GPTBot/1.2", "/private/a");
    for log in [&few, &google, &impostor] {
        let text = suggested(log);
        assert!(text.starts_with("# No crawler") && !text.contains("User-agent"), "{text}");
    }
    let text = suggested(&(few + &impostor + &many(600, "203.0.113.9", "CCBot/2.0", "/private/a")));
    assert!(text.contains("User-agent: CCBot\nDisallow: /private/\n") && !text.contains("GPTBot"), "{text}");
    assert!(text.contains("600 of 600 requests from 2026-11-21") && text.contains("not verified"), "{text}");
}

#[test]
fn unknown_crawler_is_counted_and_written_as_a_catalogue_entry() {
    let folder = tempfile::tempdir().expect("a folder");
    let agent = "Mozilla/5.0 (compatible; HeronFetchBot/1.0; +https://example.com/bot\u{1b}[31m)";
    let log = combined("198.51.100.9", agent, "/private/a") + &combined("198.51.100.9", agent, "/");
    let run = judged(folder.path(), log.as_bytes(), &["--unknown-agents", "own.toml"]).exits(0);
    assert!(
        run.stdout.contains("Unknown crawlers") && run.stdout.contains("HeronFetchBot"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains('\u{1b}'), "{:?}", run.stdout);
    let row = judged(folder.path(), log.as_bytes(), &["--json"]).exits(0).json();
    assert_eq!(
        (&row["is_known"], &row["requests"], &row["disallowed"]),
        (&false.into(), &2.into(), &1.into()),
        "{row:#}"
    );
    let page = judged(folder.path(), log.as_bytes(), &["--format", "html"]).exits(0).stdout;
    assert!(page.contains("HeronFetchBot") && !page.contains('\u{1b}'), "{page}");
    let own = fs::read_to_string(folder.path().join("own.toml")).expect("the entries");
    assert!(own.contains("token = \"HeronFetchBot\"") && !own.contains('\u{1b}'), "{own}");
    // With the entries, every command treats the crawler like those of the catalogue.
    fs::write(folder.path().join("own.toml"), own.replace("\"other\"", "\"seo\"")).expect("a file");
    let row = judged(folder.path(), log.as_bytes(), &["--json", "--catalogue", "own.toml"]).exits(1).json();
    assert_eq!((&row["is_known"], &row["purpose"]), (&true.into(), &"seo".into()), "{row:#}");
    let run = |args: &str| comity(args).arg("--catalogue").arg("own.toml").dir(folder.path()).run();
    assert!(run("agents HeronFetchBot").exits(0).stdout.contains("HeronFetchBot"));
    assert!(run("matrix --no-config --robots robots.txt").stdout.contains("HeronFetchBot"));
    let misspelt = run("check --no-config --robots robots.txt --agent HeronFetchBott /x");
    assert!(misspelt.stderr.contains("HeronFetchBot`"), "{}", misspelt.stderr);
}

#[test]
fn invalid_catalogue_is_rejected_with_line_or_name() {
    let folder = tempfile::tempdir().expect("a folder");
    for (text, problem) in [
        ("[[crawler]]\ntoken = \"a/b\"\n", "`a/b` is not a product token"),
        ("[[crawler]]\ntoken = \"Heron\"\npurpose = \"spy\"\n", "`Heron`"),
        ("[[crawler]]\ntoken = \"Heron\"\n\n[[crawler]]\ntokn = \"x\"\n", "line 5"),
        ("[[crawler]]\ntoken = \"Heron\"\n[[crawler]]\ntoken = \"heron\"\n", "occurs twice"),
        ("nonsense", "line 1"),
    ] {
        fs::write(folder.path().join("own.toml"), text).expect("a file");
        let run = comity("agents --catalogue own.toml").dir(folder.path()).run().exits(2);
        assert!(run.stderr.contains("own.toml") && run.stderr.contains(problem), "{}", run.stderr);
    }
    comity("agents --catalogue missing.toml").dir(folder.path()).run().exits(2);
    fs::write(folder.path().join("own.toml"), "[[crawler]]\ntoken = \"gptbot\"\noperator = \"x\"\n")
        .expect("a file");
    let run = comity("agents GPTBot --catalogue own.toml").dir(folder.path()).run().exits(0);
    assert!(
        run.stderr.contains("the catalogue already has an entry of that name")
            && run.stdout.contains("OpenAI"),
        "{}",
        run.stderr
    );
}

#[test]
fn json_array_over_many_lines_is_read_record_by_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = r#"  {
    "httpRequest": {
      "remoteIp": "66.249.66.1",
      "requestMethod": "GET",
      "requestUrl": "https://example.com/private/a?x=[1],{2}",
      "status": 200,
      "userAgent": "Googlebot/2.1"
    },
    "timestamp": "2026-11-21T06:20:00.123456Z"
  }"#;
    let log = format!("[\n{}\n]\n", [record; 3].join(",\n"));
    let row = judged(folder.path(), log.as_bytes(), &["--json"]).exits(1).json();
    assert_eq!(
        (&row["agent"], &row["requests"], &row["disallowed"]),
        (&"Googlebot".into(), &3.into(), &3.into())
    );
    let run = judged(folder.path(), format!("[{record}, 7, {record}]").as_bytes(), &[]).exits(1);
    assert!(run.stderr.contains("1 of 3 lines cannot be read"), "{}", run.stderr);
}

/// Runs Git with a fixed committer and date. Returns `None` if Git is not installed.
fn git(folder: &Path, date: i64, args: &[&str]) -> Option<()> {
    let date = format!("{date} +0000");
    let done = std::process::Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"])
        .args(args)
        .current_dir(folder)
        .env("GIT_COMMITTER_DATE", &date)
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .ok()?;
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    Some(())
}

#[test]
fn history_of_a_file_is_read_and_programs_of_the_repository_are_not_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let requests = requests(8_000);
    let open = "User-agent: *\nDisallow:\n";
    // The last version removes the file, so everything is allowed.
    let versions =
        [(START - 50, ROBOTS), (START + 40_000, open), (START + 130_000, ROBOTS), (START + 300_000, "")];
    fs::create_dir(folder.path().join("public")).expect("a folder");
    let robots = folder.path().join("public/robots.txt");
    if git(folder.path(), 0, &["init", "-q"]).is_none() {
        return;
    }
    for (since, body) in versions {
        match body {
            "" => fs::remove_file(&robots).expect("the file"),
            _ => fs::write(&robots, body).expect("a file"),
        }
        git(folder.path(), since - 600, &["add", "-A", "public"]);
        git(folder.path(), since - 600, &["commit", "-q", "-m", "x"]);
    }
    // The settings of a hostile repository try to run programs.
    let marker = folder.path().join("ran");
    let program = format!("touch {}", marker.display());
    for setting in [
        "core.fsmonitor",
        "filter.x.smudge",
        "filter.x.clean",
        "diff.external",
        "core.pager",
        "core.sshCommand",
    ] {
        git(folder.path(), 0, &["config", setting, &program]);
    }
    fs::write(folder.path().join(".git/info/attributes"), "* filter=x diff=x\n").expect("a file");
    let text: String = requests.iter().map(|request| line(request, 0) + "\n").collect();
    fs::write(folder.path().join("access.log"), text).expect("a file");
    let outcome =
        logs(folder.path(), "access.log --robots git:public/robots.txt --deployed-after 10m --json").exits(1);
    let rows = outcome.json_lines();
    for ((agent, identity), (all, disallowed)) in plainly(&requests, &versions) {
        let row = row(&rows, &agent, identity);
        assert_eq!(
            (&row["requests"], &row["disallowed"]),
            (&all.into(), &disallowed.into()),
            "{agent}, {identity}"
        );
    }
    assert!(!marker.exists(), "a program of the repository was run");
    for wrong in ["git:nothing.txt", "git:/nowhere/at/all/robots.txt"] {
        logs(folder.path(), &format!("access.log --robots {wrong}")).exits(2);
    }
    logs(folder.path(), "access.log --robots public --deployed-after 1m").exits(2);
}

#[test]
fn hostile_text_is_escaped_in_the_html_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = "/private/<script>alert(1)</script>\u{202e}&amp;'".to_owned();
    let request = Request { time: START, address: "203.0.113.9", agent: "GPTBot", target };
    let later =
        Request { time: START + 3 * 86_400, address: "203.0.113.9", agent: "GPTBot", target: "/".to_owned() };
    fs::write(folder.path().join("access.log"), line(&request, 0) + "\n" + &line(&later, 1) + "\n")
        .expect("a file");
    fs::write(folder.path().join("robots.txt"), "User-agent: *\nDisallow: /private/<\n").expect("a file");
    let page = logs(folder.path(), "access.log --robots robots.txt --format html").exits(1).stdout;
    assert!(page.starts_with("<!doctype html>") && page.contains("default-src 'none'"), "{page}");
    assert!(
        page.contains("&#60;script&#62;") && !page.contains("<script") && !page.contains('\u{202e}'),
        "{page}"
    );
    assert_eq!(page.matches("<rect class=\"all\"").count(), 4, "a bar for each day: {page}");
}

/// Returns the path of the loose object that `revision` names.
fn object(folder: &Path, revision: &str) -> std::path::PathBuf {
    let run = std::process::Command::new("git").current_dir(folder).args(["rev-parse", revision]).output();
    let id = String::from_utf8(run.expect("git").stdout).expect("an object's name");
    let (first, rest) = id.trim().split_at(2);
    folder.join(".git/objects").join(first).join(rest)
}

/// Creates a repository with three versions and a log. The first and the last version disallow everything, and the test
/// defines the second. The log has a request of GPTBot under each version, five days after the start of the version.
fn repository_of_three(folder: &Path, second: &str) -> bool {
    if git(folder, 0, &["init", "-q"]).is_none() {
        return false;
    }
    let closed = "User-agent: *\nDisallow: /\n";
    let commits = [(0, closed.to_owned()), (10, second.to_owned()), (20, format!("{closed}# comment\n"))];
    let mut log = String::new();
    for (day, text) in commits {
        let time = START + day * 86_400;
        match text.is_empty() {
            true => fs::remove_file(folder.join("robots.txt")).expect("no file"),
            false => fs::write(folder.join("robots.txt"), text).expect("a file"),
        }
        git(folder, time, &["add", "-A"]);
        git(folder, time, &["commit", "-q", "-m", "x"]);
        let time = time + 5 * 86_400;
        let request =
            Request { time, address: "203.0.113.9", agent: "GPTBot", target: format!("/page/{day}") };
        log += &(line(&request, 0) + "\n");
    }
    fs::write(folder.join("access.log"), log).expect("a file");
    true
}

/// Returns the numbers of all requests, of disallowed requests and of unknown requests.
fn counts(run: &Outcome) -> [u64; 3] {
    let rows = run.json_lines();
    ["requests", "disallowed", "unknown"].map(|field| rows[0][field].as_u64().expect("a number"))
}

/// Requests under a version that is lost in a damaged repository or a partial clone must not count as allowed.
#[test]
fn git_version_that_cannot_be_read_is_unknown_and_the_others_are_judged() {
    let log = "access.log --robots git:robots.txt --json";
    let damages: [fn(&Path); 4] = [
        |object| fs::remove_file(object).expect("no object"),
        |object| fs::write(object, "").expect("an empty object"),
        |object| fs::write(object, "no object of Git").expect("another object"),
        |object| {
            let bytes = fs::read(object).expect("an object");
            fs::write(object, &bytes[..bytes.len() / 2]).expect("half an object");
        },
    ];
    for (number, damage) in damages.into_iter().enumerate() {
        let folder = tempfile::tempdir().expect("a folder");
        // Git can read the beginning of an object of this length, even if its second half is missing.
        let text: String =
            (0..9_000_u64).map(|n| format!("# {}\n", n.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
        if !repository_of_three(folder.path(), &(text + "User-agent: *\nDisallow: /\n")) {
            return;
        }
        let run = logs(folder.path(), log).exits(1);
        assert_eq!(counts(&run), [3, 3, 0]);
        let object = object(folder.path(), "HEAD~1:robots.txt");
        fs::set_permissions(
            &object,
            fs::metadata(folder.path().join("access.log")).expect("a file").permissions(),
        )
        .expect("a file that may be written");
        damage(&object);
        let run = logs(folder.path(), log).exits(2);
        assert_eq!(counts(&run), [3, 2, 1], "damage {number}: {}", run.stderr);
        assert!(run.stderr.contains("cannot read `robots.txt` of commit"), "{}", run.stderr);
        logs(folder.path(), "access.log --robots git:robots.txt --suggest nginx").exits(2);
    }
}

#[test]
fn git_tree_that_cannot_be_read_leaves_the_newer_versions() {
    let folder = tempfile::tempdir().expect("a folder");
    if !repository_of_three(folder.path(), "User-agent: *\nDisallow: /x\n") {
        return;
    }
    fs::remove_file(object(folder.path(), "HEAD~2^{tree}")).expect("no object");
    let run = logs(folder.path(), "access.log --robots git:robots.txt --json").exits(2);
    assert_eq!(counts(&run), [3, 1, 2], "{}", run.stderr);
    assert!(run.stderr.contains("cannot list older versions of `robots.txt`"), "{}", run.stderr);
}

#[test]
fn git_version_without_the_file_allows_and_one_that_is_a_link_is_unknown() {
    let folder = tempfile::tempdir().expect("a folder");
    if !repository_of_three(folder.path(), "") {
        return;
    }
    let log = "access.log --robots git:robots.txt --json";
    let run = logs(folder.path(), log).exits(1);
    assert_eq!(counts(&run), [3, 2, 0], "{}", run.stderr);
    #[cfg(unix)]
    {
        fs::remove_file(folder.path().join("robots.txt")).expect("no file");
        std::os::unix::fs::symlink("elsewhere", folder.path().join("robots.txt")).expect("a link");
        git(folder.path(), START + 21 * 86_400, &["add", "-A"]);
        git(folder.path(), START + 21 * 86_400, &["commit", "-q", "-m", "x"]);
        let run = logs(folder.path(), log).exits(2);
        assert_eq!(counts(&run), [3, 1, 1], "{}", run.stderr);
    }
}

/// With a process for each version, a history of 10,000 commits would take minutes.
#[test]
#[cfg(unix)]
fn git_versions_are_read_by_one_process() {
    let folder = tempfile::tempdir().expect("a folder");
    if !repository_of_three(folder.path(), "User-agent: *\nDisallow: /x\n") {
        return;
    }
    let git = std::env::split_paths(&std::env::var_os("PATH").expect("a path"))
        .map(|folder| folder.join("git"))
        .find(|path| path.is_file())
        .expect("git");
    let (bin, calls) = (folder.path().join("bin"), folder.path().join("calls"));
    fs::create_dir(&bin).expect("a folder");
    let script =
        format!("#!/bin/sh\necho \"$@\" >> '{}'\nexec '{}' \"$@\"\n", calls.display(), git.display());
    fs::write(bin.join("git"), script).expect("a script");
    fs::set_permissions(bin.join("git"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("a program");
    fs::write(folder.path().join("ranges.txt"), RANGES).expect("a file");
    let path = format!("{}:/usr/bin:/bin", bin.display());
    comity("logs --no-config access.log --robots git:robots.txt --json")
        .dir(folder.path())
        .env("PATH", &path)
        .env("COMITY_RANGES", "ranges.txt")
        .run()
        .exits(1);
    let calls = fs::read_to_string(&calls).expect("calls");
    assert_eq!(calls.lines().count(), 3, "{calls}");
    assert_eq!(calls.matches("cat-file --batch").count(), 1, "{calls}");
}

/// A link without a time in its name is a duplicate of a version. A dangling link with a time is an error.
#[test]
#[cfg(unix)]
fn unreadable_version_in_a_folder_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let versions = folder.path().join("versions");
    fs::create_dir(&versions).expect("a folder");
    fs::write(folder.path().join("access.log"), "").expect("a file");
    fs::write(versions.join("2026-11-01.txt"), "").expect("a file");
    let log = "access.log --robots versions --json";
    logs(folder.path(), log).exits(0);
    std::os::unix::fs::symlink("2026-11-01.txt", versions.join("current")).expect("a link");
    logs(folder.path(), log).exits(0);
    std::os::unix::fs::symlink("nowhere", versions.join("2026-11-02.txt")).expect("a link");
    let run = logs(folder.path(), log).exits(2);
    assert!(run.stderr.contains("2026-11-02.txt"), "{}", run.stderr);
}
