//! `comity fetch` against origins on loopback.

use std::io::Write;
use std::process::Stdio;

use insta::assert_snapshot;
use serde_json::Value;
use testkit::servers::{Ca, Origin, Reply};

use crate::{Run, comity};

const ROBOTS: &str = "User-agent: *\nAllow: /private/open\nDisallow: /private\n";

/// An origin with a few pages.
fn origin() -> Origin {
    let origin = Origin::start();
    origin
        .on("/robots.txt", Reply::ok(ROBOTS))
        .on("/", Reply::html("<title>Home</title><h1>Hello</h1><p>A <b>page</b>.</p>"))
        .on("/plain", Reply::ok("plain\n"))
        .on("/moved", Reply::redirect(301, "/plain"))
        .on("/noai", Reply::html("<p>x</p>").header("X-Robots-Tag", "noindex"));
    origin
}

/// Returns a run of `comity fetch` that may connect to loopback, and uses no waits and no files.
fn fetch(args: &str) -> Run {
    comity("fetch --no-config --allow-address 127.0.0.0/8 --min-interval 0 --retries 0 --store memory")
        .args(args)
}

/// Replaces the parts of a text that change in every run: the port, and times.
fn steady(text: &str, origin: &Origin) -> String {
    let text = text.replace(&origin.address().port().to_string(), "PORT");
    let mut out = String::new();
    for word in text.split_inclusive(char::is_whitespace) {
        let number = word.trim_end();
        let is_time = number.split_once('.').is_some_and(|(whole, tenth)| {
            whole.parse::<u32>().is_ok() && tenth.len() == 1 && tenth.parse::<u8>().is_ok()
        });
        out.push_str(&if is_time { word.replace(number, "0.0") } else { word.to_owned() });
    }
    out
}

#[test]
fn body_of_one_url_is_printed() {
    let origin = origin();
    let outcome = fetch(&origin.url("/plain")).run().exits(0);
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("plain\n", ""));
    let asked: Vec<String> = origin.requests().into_iter().map(|seen| seen.path).collect();
    assert_eq!(asked, ["/robots.txt", "/plain"]);
    let header = origin.requests()[1].header("User-Agent").unwrap().to_owned();
    assert_eq!(header, concat!("Comity/", env!("CARGO_PKG_VERSION")));
}

#[test]
fn requests_have_agent_and_contact() {
    let origin = origin();
    let args = format!("{} --agent ExampleBot --contact https://example.com/bot", origin.url("/plain"));
    fetch(&args).run().exits(0);
    let own = concat!("Comity/", env!("CARGO_PKG_VERSION"));
    for seen in origin.requests() {
        assert_eq!(seen.header("User-Agent"), Some(&*format!("ExampleBot (+https://example.com/bot) {own}")));
    }
    let outcome = fetch(&args).args("--user-agent Mozilla/5.0").run().exits(2);
    assert!(outcome.stderr.contains("does not contain the product token `ExampleBot`"), "{}", outcome.stderr);
}

#[test]
fn disallowed_url_is_refused_with_its_line() {
    let origin = origin();
    assert_snapshot!(steady(&fetch(&origin.url("/private/x")).shown(), &origin));
    assert_eq!(origin.count("/private/x"), 0);
    fetch(&origin.url("/private/x")).args("--mode report_only").run().exits(1);
    assert_eq!(origin.count("/private/x"), 1, "404 is the answer");
}

#[test]
fn loopback_is_refused_unless_allowed() {
    let origin = origin();
    let run = comity("fetch --no-config --store memory").arg(&origin.url("/plain"));
    assert_snapshot!(steady(&run.shown(), &origin));
    assert_eq!(origin.connections(), 0);
}

#[test]
fn blocked_port_is_named_with_its_setting_and_dialled_when_allowed() {
    // No server listens on this port, so the error shows whether the client tried to connect.
    let url = "http://127.0.0.1:6667/";
    let outcome = fetch(url).run().exits(2);
    let parts = ["--allow-port 6667", "`allow_port` under [guard]", "COMITY_ALLOW_PORT=6667"];
    assert!(parts.iter().all(|part| outcome.stderr.contains(part)), "{}", outcome.stderr);
    let folder = tempfile::tempdir().unwrap();
    let is_dialled = |run: Run| !run.args("--mode ignore").run().stderr.contains("browsers block it");
    assert!(is_dialled(fetch(url).args("--allow-port 6667")));
    assert!(is_dialled(fetch(url).args("--allow-port 6000 --allow-port 6660-6669")));
    assert!(!is_dialled(fetch(url).args("--allow-port 6668-6669")));
    assert!(is_dialled(fetch(url).env("COMITY_ALLOW_PORT", "6000, 6660-6669")));
    let file = folder.path().join("own.toml");
    let own = |ports: &str| {
        let text = format!("[guard]\nallow_address = [\"127.0.0.0/8\"]\nallow_port = {ports}\n");
        std::fs::write(&file, text).unwrap();
        comity("fetch --retries 0 --store memory --config").arg(&file.display().to_string()).arg(url)
    };
    assert!(is_dialled(own("[6667]")) && is_dialled(own("[25, \"6660-6669\"]")));
    assert!(!is_dialled(own("[6668]")));
    for wrong in ["http", "70000", "6669-6660"] {
        let outcome = fetch(url).args("--allow-port").arg(wrong).run().exits(2);
        assert!(outcome.stderr.contains("neither a port nor a range of ports"), "{}", outcome.stderr);
    }
}

#[test]
fn html_page_is_converted_to_markdown() {
    let origin = origin();
    let outcome = fetch(&origin.url("/")).arg("--markdown").run().exits(0);
    assert_eq!(outcome.stdout, "# Hello\n\nA **page**.\n");
    origin.on("/image", Reply::ok([0_u8, 1, 2]).header("Content-Type", "image/png"));
    let outcome = fetch(&origin.url("/image")).arg("--markdown").run().exits(1);
    assert!(
        outcome.stderr.contains("cannot convert the page to Markdown: the page is neither HTML nor text"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn llms_txt_is_followed_if_requested() {
    let origin = origin();
    origin
        .on("/.md", Reply::ok("no"))
        .on("/index.html.md", Reply::ok("# From llms\n").header("Content-Type", "text/markdown"));
    origin.on(
        "/llms.txt",
        Reply::ok(format!(
            "# Site\n\n> Short.\n\n## Docs\n\n- [Home]({}): the page\n",
            origin.url("/index.html.md")
        )),
    );
    let page = origin.url("/index.html");
    origin.on("/index.html", Reply::html("<p>html</p>"));
    assert_eq!(fetch(&page).run().exits(0).stdout, "<p>html</p>");
    assert_eq!(origin.count("/llms.txt"), 0);
    assert_eq!(fetch(&page).args("--llms prefer").run().exits(0).stdout, "# From llms\n");
}

#[test]
fn failed_fetch_has_the_exit_code_of_its_cause() {
    let origin = origin();
    let outcome = fetch(&origin.url("/none")).run().exits(1);
    assert_eq!(outcome.stdout, "404 Not Found\n");
    assert!(outcome.stderr.contains("the answer is 404"), "{}", outcome.stderr);
    let type_only = fetch(&origin.url("/")).args("--content-type text/plain").run().exits(1);
    assert!(
        type_only.stderr.contains("text/html; charset=utf-8, which is not wanted"),
        "{}",
        type_only.stderr
    );
    origin.on("/hang", Reply::hang());
    let slow = fetch(&origin.url("/hang")).args("--timeout 200ms").run().exits(2);
    assert!(slow.stderr.contains("no answer in 0.2 s"), "{}", slow.stderr);
    // No server listens on the port any more, so robots.txt is unreachable and the URL is not fetched.
    let gone = origin.url("/plain");
    drop(origin);
    fetch(&gone).run().exits(1);
    fetch("no-url").run().exits(2);
    fetch("ftp://example.com/").run().exits(2);
    let named = comity("fetch --no-config --store mem://x https://example.com/").run().exits(2);
    assert!(named.stderr.contains("`mem` URLs are not supported as stores"), "{}", named.stderr);
}

#[test]
fn local_failure_is_not_an_answer_of_the_site() {
    let proxy = format!("http://127.0.0.1:{}", testkit::servers::free_port());
    // Ladon allows a URL if the site is unreachable, but not if the fault is local.
    for preset in ["rfc9309", "ladon", "google"] {
        let args = format!("--proxy {proxy} --preset {preset} --mode respect");
        let run = fetch("http://127.0.0.1:8099/page").args(&args).run().exits(2);
        assert!(run.stderr.contains("failed on the client's side"), "{preset}: {}", run.stderr);
    }
}

#[test]
fn page_directives_are_warnings() {
    let origin = origin();
    let outcome = fetch(&origin.url("/noai")).run().exits(0);
    assert!(
        outcome.stderr.starts_with("warning: ") && outcome.stderr.contains("`noindex` in"),
        "{}",
        outcome.stderr
    );
    assert_eq!(fetch(&origin.url("/noai")).arg("--quiet").run().exits(0).stderr, "");
}

#[test]
fn record_contains_all_fields() {
    let origin = origin();
    let outcome = fetch(&origin.url("/moved")).arg("--json").run().exits(0);
    let mut record = outcome.json();
    for hop in record["hops"].as_array_mut().expect("hops") {
        let decision = hop["decision"].take();
        assert_eq!(
            decision.as_object().map(|fields| fields.len()),
            Some(comity::decision::DecisionRecord::FIELDS.len() + 1),
            "the fields of a decision, and whether it allows"
        );
        hop["decision"] = decision["verdict"].clone();
    }
    redact(&mut record);
    assert_snapshot!(steady(&serde_json::to_string_pretty(&record).unwrap(), &origin));
    let refused = fetch(&origin.url("/private/x")).arg("--json").run().exits(1).json();
    assert_eq!(refused["outcome"], "robots_refused");
    assert_eq!(refused["hops"][0]["decision"]["rule"]["line"], 3);
}

/// Replaces values that change in every run.
fn redact(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_time = name.ends_with("_at") || name.ends_with("_until") || name.ends_with("seconds");
                let is_set = !value.is_null() && !value.is_object();
                if (is_time && name != "asked_seconds" || name == "remote") && is_set {
                    *value = Value::String("[...]".to_owned());
                }
                redact(value);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(redact),
        _ => {}
    }
}

#[test]
fn many_urls_have_one_line_each() {
    let origin = origin();
    let urls = ["/", "/private/x", "/none", "/moved"].map(|path| origin.url(path)).join("\n");
    let run = fetch("--jobs 1 --contact mailto:bot@example.com -").stdin(format!("{urls}\n\n"));
    let outcome = run.run().exits(1);
    // Bodies are converted in parallel, so lines may change places.
    let mut lines: Vec<&str> = outcome.stdout.lines().collect();
    lines.sort_unstable();
    assert_snapshot!(steady(&format!("{}\n{}", lines.join("\n"), outcome.stderr), &origin));
    assert_eq!(origin.count("/robots.txt"), 1);
}

#[test]
fn many_urls_without_contact_have_a_warning() {
    let origin = origin();
    let urls = format!("{} {}", origin.url("/"), origin.url("/plain"));
    let outcome = fetch(&urls).run().exits(0);
    assert!(
        outcome.stderr.starts_with("warning: operators of sites cannot contact you"),
        "{}",
        outcome.stderr
    );
    assert_eq!(outcome.stderr.matches("--contact").count(), 1);
    let outcome = fetch(&urls).env("COMITY_CONTACT", "mailto:bot@example.com").run().exits(0);
    assert!(!outcome.stderr.contains("--contact"), "{}", outcome.stderr);
}

#[test]
fn invalid_lines_are_named_and_skipped() {
    let origin = origin();
    let input = [
        b"\xff\xfe\n".as_slice(),
        origin.url("/plain").as_bytes(),
        b"\nnot a url\nexample.com/x\nmailto:x\n",
    ]
    .concat();
    let outcome = fetch("--contact x --jobs 1").stdin(input).run().exits(2);
    for line in
        ["stdin:1: ", "stdin:3: white space inside `not a url`", "`https://example.com/x` was probably meant"]
    {
        assert!(outcome.stdout.contains(line), "{line}: {}", outcome.stdout);
    }
    let rows = |label: &str| outcome.stdout.lines().filter(|line| line.starts_with(label)).count();
    assert_eq!((rows("200 "), rows("url ")), (1, 4), "{}", outcome.stdout);
}

#[test]
fn bodies_are_written_to_a_folder_and_records_to_a_report() {
    let origin = origin();
    let folder = tempfile::tempdir().unwrap();
    let (pages, report) = (folder.path().join("new/pages"), folder.path().join("report.jsonl"));
    let urls = ["/", "/none", "/plain?../../x"].map(|path| origin.url(path)).join(" ");
    let run = fetch(&urls).arg("--quiet").arg("--output").arg(&pages.display().to_string());
    let outcome = run.arg("--report").arg(&report.display().to_string()).run().exits(1);
    assert_eq!(outcome.stdout, "");
    let lines = std::fs::read_to_string(&report).unwrap();
    let records: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), 3);
    let mut saved = 0;
    for record in &records {
        let Some(path) = record["saved"]["path"].as_str() else {
            assert_eq!(record["content"]["status"], 404);
            continue;
        };
        saved += 1;
        let path = std::path::Path::new(path);
        assert_eq!(path.parent(), Some(pages.as_path()));
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(
            name.starts_with("127.0.0.1_") && (name.ends_with(".html") || name.ends_with(".txt")),
            "{name}"
        );
        assert_eq!(std::fs::read(path).unwrap().len(), record["saved"]["bytes"].as_u64().unwrap() as usize);
    }
    assert_eq!((saved, std::fs::read_dir(&pages).unwrap().count()), (2, 2));
}

#[test]
fn eight_processes_make_one_robots_request() {
    let origin = origin();
    origin.on("/robots.txt", Reply::delay(std::time::Duration::from_millis(300), Reply::ok(ROBOTS)));
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("cache/robots.db").display().to_string();
    let children: Vec<_> = (0..8)
        .map(|number| {
            let url = origin.url(&format!("/plain?{number}"));
            let run = comity("fetch --no-config --allow-address 127.0.0.0/8 --min-interval 20ms --store");
            let mut command = run.arg(&store).arg(&url).command();
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("comity should start")
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"plain\n"[..]), "{stderr}");
    }
    assert_eq!(origin.count("/robots.txt"), 1);
    assert_eq!(origin.count("/plain"), 8);
}

#[test]
fn untrusted_certificate_is_rejected_unless_allowed() {
    let ca = Ca::new();
    let origin = Origin::start_tls(&ca);
    origin.on("/robots.txt", Reply::status(404)).on("/", Reply::ok("over TLS\n"));
    let url = origin.url("/");
    let outcome = fetch(&url).run().exits(1);
    let parts = ["not among the trusted authorities", "--ca, `ca` under [network]", "COMITY_CA"];
    assert!(parts.iter().all(|part| outcome.stderr.contains(part)), "{}", outcome.stderr);
    let outcome =
        comity("lint --no-config --allow-address 127.0.0.0/8 --store memory").arg(&url).run().exits(2);
    assert!(parts.iter().all(|part| outcome.stderr.contains(part)), "{}", outcome.stderr);
    assert_eq!(fetch(&url).arg("--insecure").run().exits(0).stdout, "over TLS\n");
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(ca.pem().as_bytes()).unwrap();
    let trusting = fetch(&url).arg("--ca").arg(&file.path().display().to_string());
    assert_eq!(trusting.run().exits(0).stdout, "over TLS\n");
    let outcome = fetch(&url).args("--ca note.txt").run().exits(2);
    assert!(outcome.stderr.contains("cannot read the certificates in `note.txt`"), "{}", outcome.stderr);
}

#[test]
#[cfg(unix)]
fn interrupted_fetch_prints_a_summary() {
    let origin = origin();
    origin.on("/hang", Reply::hang());
    let urls = ["/plain", "/hang", "/never"].map(|path| origin.url(path)).join(" ");
    let mut command = fetch(&urls).args("--jobs 1 --contact x").command();
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("comity should start");
    while origin.ongoing("/hang") == 0 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("error: interrupted") && stderr.contains("3 URLs in"), "{stderr}");
    assert!(stderr.contains("1 fetched") && stderr.contains("2 not finished"), "{stderr}");
}

#[test]
fn page_fetched_with_unreachable_robots_txt_has_a_warning() {
    let origin = Origin::start();
    origin.on("/robots.txt", Reply::status(503));
    origin.on("/page", Reply::ok("page"));
    fetch("--on-unreachable deny").arg(&origin.url("/page")).run().exits(1);
    let outcome = fetch("--on-unreachable warn").arg(&origin.url("/page")).run().exits(0);
    assert_eq!(outcome.stdout, "page");
    assert!(outcome.stderr.starts_with("warning: ") && outcome.stderr.contains("is unreachable (503 since "));
    assert!(outcome.stderr.contains("on_unreachable = warn allows the URL anyway"), "{}", outcome.stderr);
    let outcome = fetch("--on-unreachable allow").arg(&origin.url("/page")).run().exits(0);
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("page", ""));
}

#[test]
fn pages_fetched_with_unreachable_robots_txt_are_counted() {
    let origin = Origin::start();
    origin.on("/robots.txt", Reply::html_soft_404());
    origin.otherwise(Reply::ok("page"));
    let folder = tempfile::tempdir().expect("a folder");
    let run = fetch("--contact https://example.com/bot --output").arg(&folder.path().display().to_string());
    let outcome = run.arg(&origin.url("/a")).arg(&origin.url("/b")).run().exits(0);
    assert!(outcome.stderr.contains("2 pages fetched without a readable robots.txt"), "{}", outcome.stderr);
}

#[test]
fn one_url_is_written_to_the_named_file() {
    let origin = origin();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.txt");
    fetch(&origin.url("/plain")).arg("-o").arg(&file.display().to_string()).run().exits(0);
    let printed = fetch(&origin.url("/plain")).run().exits(0).stdout;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), printed);
    let pages = format!("{}/pages/", folder.path().display());
    fetch(&origin.url("/plain")).arg("-o").arg(&pages).run().exits(0);
    assert_eq!(std::fs::read_dir(&pages).unwrap().count(), 1);
}

#[test]
fn record_contains_text_if_requested() {
    let origin = origin();
    origin.on("/html", Reply::html("<title>T</title><h1>Head</h1><a href='/x'>there</a>"));
    let json = |flags: &str| fetch(&origin.url("/html")).args("--json").args(flags).run().exits(0).json();
    assert!(json("").get("text").is_none());
    assert!(json("--include-body")["text"].as_str().is_some_and(|text| text.contains("<h1>Head</h1>")));
    let markdown = json("--markdown");
    let text = markdown["text"].as_str().expect("text");
    assert!(text.contains("# Head") && text.contains(&format!("({})", origin.url("/x"))), "{text}");
    let refused = fetch(&origin.url("/private/x")).args("--json").run().exits(1).json();
    assert_eq!(refused["robots_refused"], "rule");
    let closed = Origin::start();
    closed.on("/robots.txt", Reply::status(503));
    let refused = fetch(&closed.url("/x")).args("--json").run().exits(1).json();
    assert_eq!(
        (&refused["robots_refused"], &refused["outcome"]),
        (&"unreachable".into(), &"robots_unreadable".into())
    );
    assert!(refused["retry_after_seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{refused}");
    let urls = [closed.url("/x"), origin.url("/plain"), origin.url("/private/x")].join(" ");
    let both = fetch(&urls).args("--contact x").run().exits(1);
    let counted = "1 refused by robots.txt; 1 with an unreadable robots.txt";
    assert!(both.stderr.contains(counted), "{}", both.stderr);
}

#[test]
fn rerun_continues_its_report() {
    let origin = origin();
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.jsonl").display().to_string();
    let urls = format!("{} {}", origin.url("/plain"), origin.url("/private/x"));
    fetch(&urls).args("--contact x --quiet --resume").arg(&report).run().exits(1);
    assert_eq!(origin.count("/plain"), 1);
    let more = format!("{urls} {}", origin.url("/"));
    fetch(&more).args("--contact x --quiet --resume").arg(&report).run().exits(1);
    assert_eq!((origin.count("/plain"), origin.count("/")), (1, 1));
    let lines = std::fs::read_to_string(&report).unwrap();
    assert_eq!(lines.lines().count(), 4, "{lines}");
    std::fs::write(folder.path().join("other"), "no record\nno record\n").unwrap();
    let outcome =
        fetch(&urls).args("--contact x --resume").arg(&folder.path().join("other").display().to_string());
    assert!(outcome.run().exits(2).stderr.contains("not a record of a fetch"));
}

/// A full disk or a killed process can truncate the last record anywhere.
#[test]
fn truncated_record_is_replaced_when_a_fetch_is_resumed() {
    let origin = origin();
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.jsonl");
    let resume = format!("{} --contact x --quiet --resume {}", origin.url("/plain"), report.display());
    fetch(&resume).run().exits(0);
    let whole = std::fs::read(&report).unwrap();
    let mut expected = 1;
    for (cut, is_fetched_again) in
        [(1, true), (10, true), (40, true), (whole.len() - 2, true), (whole.len() - 1, false)]
    {
        std::fs::write(&report, &whole[..cut]).unwrap();
        fetch(&resume).run().exits(0);
        expected += usize::from(is_fetched_again);
        assert_eq!(origin.count("/plain"), expected, "cut at {cut}");
        let more = format!("{resume} {}", origin.url("/"));
        fetch(&more).run().exits(0);
        let text = std::fs::read_to_string(&report).unwrap();
        let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(records.len(), 2, "cut at {cut}: {text}");
    }
}

#[test]
fn record_with_a_long_page_is_resumed() {
    let origin = origin();
    origin.on("/long", Reply::ok("word ".repeat(300_000)));
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.jsonl");
    let resume =
        format!("{} --contact x --quiet --include-body --resume {}", origin.url("/long"), report.display());
    for _ in 0..2 {
        fetch(&resume).run().exits(0);
        assert_eq!(std::fs::read_to_string(&report).unwrap().lines().count(), 1);
    }
    assert_eq!(origin.count("/long"), 1);
}

#[test]
fn file_without_records_is_not_truncated_by_resume() {
    let origin = origin();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    for text in ["precious", "{\"precious\": 1}", "{}\nprecious\n", "{\"requested_url\":\n"] {
        std::fs::write(&file, text).unwrap();
        let resume = format!("{} --contact x --resume {}", origin.url("/plain"), file.display());
        let refused = fetch(&resume).run().exits(2);
        assert!(
            refused.stderr.contains("file:") && refused.stderr.contains("delete this line"),
            "{}",
            refused.stderr
        );
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
#[cfg(unix)]
fn report_replaces_a_link_and_is_not_resumed_through_one() {
    let origin = origin();
    let folder = tempfile::tempdir().unwrap();
    let (outside, report) = (folder.path().join("outside"), folder.path().join("report.jsonl"));
    std::fs::write(&outside, "").unwrap();
    std::os::unix::fs::symlink(&outside, &report).unwrap();
    let url = format!("{} --contact x --quiet", origin.url("/plain"));
    let refused = fetch(&url).args("--resume").arg(&report.display().to_string()).run().exits(2);
    assert!(refused.stderr.contains("is a link"), "{}", refused.stderr);
    fetch(&url).args("--report").arg(&report.display().to_string()).run().exits(0);
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "");
    assert!(std::fs::symlink_metadata(&report).unwrap().is_file());
    assert_eq!(std::fs::read_to_string(&report).unwrap().lines().count(), 1);
    // The target of a dangling link is not created.
    let missing = folder.path().join("missing");
    std::fs::remove_file(&report).unwrap();
    std::os::unix::fs::symlink(&missing, &report).unwrap();
    fetch(&url).args("--resume").arg(&report.display().to_string()).run().exits(0);
    assert!(!missing.exists());
    // A stream is not replaced by a file.
    let printed = fetch(&url)
        .args("--report /dev/stdout --output")
        .arg(&folder.path().join("page").display().to_string());
    assert!(printed.run().exits(0).stdout.starts_with("{\"requested_url\":"));
}

#[test]
fn dry_run_decides_and_fetches_no_page() {
    let origin = origin();
    let urls = format!("{} {}", origin.url("/plain"), origin.url("/private/x"));
    let outcome = fetch(&urls).args("--dry-run").run().exits(1);
    assert!(
        outcome.stdout.contains("would fetch  ") && outcome.stdout.contains("would not    "),
        "{}",
        outcome.stdout
    );
    let rows = fetch(&urls).args("--dry-run --json").run().exits(1).json_lines();
    assert_eq!((&rows[0]["would_fetch"], &rows[1]["would_fetch"]), (&true.into(), &false.into()));
    assert_eq!(rows[1]["decision"]["allowed"], false);
    assert_eq!(origin.requests().iter().filter(|seen| seen.path != "/robots.txt").count(), 0);
}

#[test]
fn page_without_header_charset_is_read_with_its_declared_charset() {
    let origin = origin();
    let body = b"<!doctype html><meta charset=windows-1252><meta name=robots content=noindex><p>caf\xe9";
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    origin.on("/untyped", Reply::raw([head.as_bytes(), body].concat()));
    for (form, expected) in [("--include-body", "<p>café"), ("--markdown", "café\n")] {
        let json = fetch(&origin.url("/untyped")).args("--json").args(form).run().exits(0).json();
        assert!(json["text"].as_str().is_some_and(|text| text.ends_with(expected)), "{json}");
        assert_eq!(json["warnings"][0]["name"], "do_not_index", "{json}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    fetch(&origin.url("/untyped")).args("--output").arg(&folder.path().display().to_string()).run().exits(0);
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.unwrap().path()).collect();
    assert!(names.iter().any(|name| name.extension().is_some_and(|ending| ending == "html")), "{names:?}");
}

#[test]
fn status_follows_the_url_in_each_record() {
    let origin = origin();
    for (path, status) in [("/plain", "200"), ("/none", "404"), ("/private/x", "null")] {
        let url = origin.url(path);
        let record = fetch(&url).args("--json").run().stdout;
        let start = format!("{{\"requested_url\":\"{url}\",\"status\":{status},\"final_url\":");
        assert!(record.starts_with(&start), "{record}");
    }
}

#[test]
fn unreachable_robots_txt_is_named_with_status_start_and_next_request() {
    let origin = Origin::start();
    origin.on("/robots.txt", Reply::status(503));
    let outcome = fetch(&origin.url("/page")).run().exits(1);
    for part in ["robots.txt could not be read: 503 since 20", "Z, next request at 20"] {
        assert!(outcome.stderr.contains(part), "{part}: {}", outcome.stderr);
    }
    let record = fetch(&origin.url("/page")).args("--json").run().exits(1).json();
    let outage = &record["hops"][0]["decision"]["outage"];
    let (since, next) = (outage["since"].as_str().unwrap(), outage["retry_at"].as_str().unwrap());
    let text = format!("robots.txt could not be read: 503 since {since}, next request at {next}");
    assert_eq!(record["error"], text.as_str());
}

#[test]
fn capped_retry_after_has_the_requested_and_the_granted_delay() {
    let origin = origin();
    origin.on("/busy", Reply::retry_after(429, 600)).on("/soon", Reply::retry_after(503, 5));
    let outcome = fetch(&origin.url("/busy")).run().exits(1);
    let text = "the answer is 429; Retry-After 600 s, capped at 300 s";
    assert!(outcome.stderr.contains(text), "{}", outcome.stderr);
    let record = fetch(&origin.url("/busy")).args("--json").run().exits(1).json();
    let retry_after = &record["hops"][0]["attempts"][0]["retry_after"];
    assert_eq!(*retry_after, serde_json::json!({ "duration_seconds": 300.0, "asked_seconds": 600.0 }));
    let list = fetch("--contact x -").stdin(origin.url("/soon")).run().exits(1);
    assert!(list.stdout.contains("/soon  Retry-After 5 s"), "{}", list.stdout);
}

#[test]
fn resumed_run_retries_temporary_errors_and_counts_skipped_urls() {
    let origin = origin();
    origin.on("/busy", Reply::status(429)).on("/broken", Reply::status(500));
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.jsonl").display().to_string();
    let urls = ["/plain", "/none", "/busy", "/broken"].map(|path| origin.url(path)).join(" ");
    let run = || fetch(&urls).args("--contact x --resume").arg(&report);
    assert!(!run().run().exits(1).stderr.contains("resumes"));
    let counts = || ["/plain", "/none", "/busy", "/broken"].map(|path| origin.count(path));
    let outcome = run().run().exits(1);
    assert_eq!(counts(), [1, 1, 2, 2]);
    let note = format!("resumes {report}: skips 2 fetched URLs; tries 2 again: 429 (1), 500 (1)\n");
    assert!(outcome.stderr.starts_with(&note), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("; 2 skipped as fetched before"), "{}", outcome.stderr);
    origin.on("/busy", Reply::ok("done"));
    run().run().exits(1);
    let outcome = run().run().exits(1);
    assert_eq!(counts(), [1, 1, 3, 4]);
    assert!(outcome.stderr.contains("skips 3 fetched URLs; tries 1 again: 500 (1)"), "{}", outcome.stderr);
    // With all URLs fetched, no request is made.
    let done = fetch(&origin.url("/plain")).args("--resume").arg(&report).run().exits(0);
    assert!(done.stderr.contains("skips 3 fetched URLs"), "{}", done.stderr);
    assert_eq!(origin.count("/plain"), 1);
}

#[test]
fn resumed_run_tries_urls_of_unreachable_sites_again() {
    let origin = origin();
    origin.on("/robots.txt", Reply::status(503));
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.jsonl").display().to_string();
    let run = || fetch(&origin.url("/plain")).args("--resume").arg(&report);
    run().run().exits(1);
    origin.on("/robots.txt", Reply::ok(ROBOTS));
    let outcome = run().run().exits(0);
    assert!(outcome.stderr.contains("tries 1 again: robots_unreadable (1)"), "{}", outcome.stderr);
    assert_eq!(origin.count("/plain"), 1);
}

#[test]
fn dry_run_shows_intervals_and_does_not_wait_for_them() {
    let origin = origin();
    origin.on("/robots.txt", Reply::ok("User-agent: *\nCrawl-delay: 86400\nDisallow: /private\n"));
    let urls = ["/a", "/b", "/private"].map(|path| origin.url(path)).join(" ");
    let run = || comity("fetch --no-config --allow-address 127.0.0.0/8 --store memory --dry-run").args(&urls);
    let outcome = run().run().exits(1);
    assert_eq!(outcome.stdout.matches("Crawl-delay 86400 s, capped at 300 s, ").count(), 2);
    let slowest = format!("the slowest site is {}: 2 URLs, at least 10 min 0 s", origin.url(""));
    assert!(outcome.stderr.contains(&slowest), "{}", outcome.stderr);
    let rows = run().args("--json").run().exits(1).json_lines();
    let interval = &rows[0]["interval"];
    assert_eq!((&interval["duration_seconds"], &interval["asked_seconds"]), (&300.0.into(), &86400.0.into()));
    assert_eq!(origin.requests().iter().filter(|seen| seen.path != "/robots.txt").count(), 0);
}

#[test]
fn page_without_content_in_its_html_has_a_warning() {
    let origin = origin();
    origin
        .on("/app", Reply::html("<div id=root></div><script src=/main.js></script>"))
        .on("/old", Reply::html("<meta http-equiv=refresh content='0; url=/plain'>Moved"))
        .on("/gone", Reply::html("<div id=root></div><script src=/main.js></script>").with_status(404));
    let script = "a script creates the content of the page, and is not run";
    let refresh =
        format!("the page only refers to {} by a refresh, which is not followed", origin.url("/plain"));
    for (path, name, text) in
        [("/app", "needs_javascript", script), ("/old", "meta_refresh", refresh.as_str())]
    {
        let outcome = fetch(&origin.url(path)).run().exits(0);
        assert_eq!(outcome.stderr, format!("warning: {text}\n"));
        let record = fetch(&origin.url(path)).args("--json --markdown").run().exits(0).json();
        assert_eq!(
            (&record["warnings"][0]["kind"], &record["warnings"][0]["name"]),
            (&"content".into(), &name.into())
        );
    }
    let urls = ["/app", "/old", "/gone", "/"].map(|path| origin.url(path)).join(" ");
    let outcome = fetch(&urls).args("--contact x").run().exits(1);
    assert_eq!(outcome.stdout.matches(script).count(), 1, "{}", outcome.stdout);
    assert!(outcome.stderr.contains("2 pages without content"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("directives about the use"), "{}", outcome.stderr);
}

#[test]
fn markdown_is_preferred_with_the_flag_and_passed_through_unchanged() {
    let origin = origin();
    let body = "<!doctype html>\n# Not *converted*, without a line break at the end";
    origin.on("/md", Reply::ok(body).header("Content-Type", "text/markdown; charset=utf-8"));
    let folder = tempfile::tempdir().unwrap();
    let pages = format!("{}/", folder.path().display());
    for flags in ["", "--markdown"] {
        assert_eq!(fetch(&origin.url("/md")).args(flags).run().exits(0).stdout, body);
    }
    let own = fetch(&origin.url("/md")).args("--markdown --header").arg("Accept: text/html").arg("--output");
    own.arg(&pages).run().exits(0);
    let accept: Vec<_> =
        origin.requests_for("/md").iter().map(|seen| seen.header("Accept").unwrap().to_owned()).collect();
    assert!(accept[0].starts_with("text/html, "), "{accept:?}");
    assert!(accept[1].starts_with("text/markdown, text/html;q=0.9"), "{accept:?}");
    assert_eq!(accept[2], "text/html");
    let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    assert_eq!(file.extension().and_then(|extension| extension.to_str()), Some("md"));
    assert_eq!(std::fs::read_to_string(file).unwrap(), body);
}

/// An origin that answers conditional requests for `/page` with 304.
fn origin_with_validators() -> Origin {
    let origin = origin();
    origin.on("/moved", Reply::redirect(302, "/page"));
    origin.on_request("/page", |seen| {
        let page = "<meta name=robots content=noindex><p>A page";
        let reply = match seen.header("If-None-Match") {
            Some("\"v1\"") => Reply::status(304).body(""),
            _ => Reply::html(page),
        };
        reply.header("ETag", "\"v1\"").header("Last-Modified", "Fri, 27 Nov 2026 10:00:00 GMT")
    });
    origin
}

/// Returns the records of a report.
fn records(report: &std::path::Path) -> Vec<Value> {
    let lines = std::fs::read_to_string(report).expect("a report");
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn unchanged_page_keeps_its_file_and_the_facts_of_its_earlier_record() {
    let origin = origin_with_validators();
    let folder = tempfile::tempdir().unwrap();
    let report = |name: &str| folder.path().join(name);
    let urls = ["/page", "/plain"].map(|path| origin.url(path)).join("\n");
    let run = |earlier: &str, new: &str| {
        let mut run = fetch("--contact x --jobs 1 --output").arg(&report("pages").display().to_string());
        if !earlier.is_empty() {
            run = run.arg("--if-changed").arg(&report(earlier).display().to_string());
        }
        run.arg("--report")
            .arg(&report(new).display().to_string())
            .arg("-")
            .stdin(urls.clone())
            .run()
            .exits(0)
    };
    run("", "one");
    let outcome = run("one", "two");
    assert!(outcome.stdout.contains("/page  not modified  "), "{}", outcome.stdout);
    assert!(outcome.stderr.contains("1 fetched, 6 B; 1 not modified"), "{}", outcome.stderr);
    let of_page = |name: &str| {
        let is_page = |record: &Value| record["requested_url"] == origin.url("/page").as_str();
        records(&report(name)).into_iter().find(is_page).unwrap()
    };
    let (one, two) = (of_page("one"), of_page("two"));
    assert_eq!(
        (&one["status"], &two["status"], &two["outcome"]),
        (&200.into(), &304.into(), &"fetched".into())
    );
    for field in ["content", "saved", "warnings", "usage"] {
        assert_eq!(one[field], two[field], "{field}");
    }
    assert!(!two["warnings"].as_array().unwrap().is_empty());
    let conditions = |number: usize| {
        let seen = &origin.requests_for("/page")[number];
        (seen.header("If-None-Match").map(str::to_owned), seen.header("If-Modified-Since").map(str::to_owned))
    };
    let sent = (Some("\"v1\"".to_owned()), Some("Fri, 27 Nov 2026 10:00:00 GMT".to_owned()));
    assert_eq!((conditions(0), conditions(1)), ((None, None), sent.clone()));
    assert!(origin.requests_for("/plain").iter().all(|seen| seen.header("If-None-Match").is_none()));
    // The record of an unchanged page is as good as the first one.
    run("two", "three");
    assert_eq!((conditions(2), &of_page("three")["status"]), (sent, &304.into()));
    // Without the file, the page is needed.
    std::fs::remove_file(two["saved"]["path"].as_str().unwrap()).unwrap();
    run("three", "four");
    assert_eq!((conditions(3), &of_page("four")["status"]), ((None, None), &200.into()));
}

#[test]
fn validators_are_sent_only_to_the_url_that_sent_them() {
    let origin = origin_with_validators();
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("one").display().to_string();
    fetch(&origin.url("/moved")).args("--report").arg(&report).run().exits(0);
    let earlier =
        |path: &str| fetch(&origin.url(path)).args("--json --if-changed").arg(&report).run().exits(0).json();
    let record = earlier("/moved");
    assert_eq!((&record["status"], &record["content"]["status"]), (&304.into(), &200.into()));
    assert_eq!(earlier("/page?x=1")["status"], 200);
    let sent = |path: &str| {
        origin.requests_for(path).iter().filter(|seen| seen.header("If-None-Match").is_some()).count()
    };
    assert_eq!((sent("/moved"), sent("/page"), sent("/page?x=1")), (0, 1, 0));
    // Standard output gets no body, and a record with text needs the page.
    let outcome = fetch(&origin.url("/page")).args("--if-changed").arg(&report).run().exits(0);
    assert_eq!(outcome.stdout, "");
    assert!(outcome.stderr.ends_with("/page: not modified\n"), "{}", outcome.stderr);
    let text = fetch(&origin.url("/page")).args("--json --include-body --if-changed").arg(&report);
    assert!(text.run().exits(0).json()["text"].as_str().is_some_and(|text| text.contains("A page")));
}

#[test]
fn earlier_report_is_not_overwritten_and_must_have_records() {
    let origin = origin();
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("one").display().to_string();
    fetch(&origin.url("/plain")).args("--report").arg(&report).run().exits(0);
    let same = fetch(&origin.url("/plain")).args("--if-changed").arg(&report).arg("--report").arg(&report);
    assert!(same.run().exits(2).stderr.contains("is the earlier report and the new one"));
    assert_eq!(records(folder.path().join("one").as_path()).len(), 1);
    std::fs::write(folder.path().join("other"), "no record\nno record\n").unwrap();
    let other = fetch(&origin.url("/plain"))
        .args("--if-changed")
        .arg(&folder.path().join("other").display().to_string());
    assert!(other.run().exits(2).stderr.contains("other:1: the line is not a record of a fetch"));
}
