//! Every command prints the text of a hostile site only as text, on standard output and standard error. Passwords in
//! URLs are not printed.

use std::path::Path;

use testkit::servers::{Origin, Reply};

use crate::{Outcome, comity};

/// Escape sequences in C0 and C1, a bell, reversed directions, separators, characters without width, tags.
const NASTY: &str = "n\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}31m\u{90}q\u{7f}\u{202e}\u{2066}\u{200f}\u{61c}\u{2028}\u{200b}\u{feff}\u{e0041}z";

fn is_harmless(text: &str) -> bool {
    text.chars().all(|c| matches!(c, '\n' | '\t') || !comity::shown::is_unsafe(c))
}

fn judge(what: &str, outcome: &Outcome) {
    for (stream, text) in [("stdout", &outcome.stdout), ("stderr", &outcome.stderr)] {
        assert!(is_harmless(text), "{stream} of `{what}`: {}", text.escape_debug());
        assert!(!text.contains("hunter2"), "{stream} of `{what}`: {text}");
    }
    assert!(!outcome.stderr.contains("Usage:"), "`{what}`: {}", outcome.stderr);
    assert!(!outcome.stdout.is_empty() || !outcome.stderr.is_empty(), "`{what}` prints nothing");
}

/// Starts a site whose texts are all hostile.
fn site() -> Origin {
    let site = Origin::start();
    let robots = format!(
        "User-agent: {NASTY}\nUser-agent: *\nDisallow: /{NASTY}\nAllow: /p$\n{NASTY}: {NASTY}\nCrawl-delay: {NASTY}\n\
         Sitemap: http://x/{NASTY}\nContent-Signal: {NASTY}=no\nContent-Usage: {NASTY}\nDisallow: /closed{NASTY}\n\
         Disallow: /closed\n"
    );
    let page = format!(
        "<title>{NASTY}</title><meta name=robots content='noindex, {NASTY}: {NASTY}'><h1>{NASTY}</h1><link rel=license \
         href='http://x/{NASTY}' type='application/rsl+xml'>"
    );
    let llms = format!("# {NASTY}\n\n> {NASTY}\n\n## {NASTY}\n\n- [{NASTY}](/{NASTY}): {NASTY}\n");
    let sitemap =
        format!("<urlset><url><loc>http://x/{NASTY}</loc><lastmod>{NASTY}</lastmod></url></urlset>");
    site.on("/robots.txt", Reply::ok(robots).header("ETag", NASTY))
        .on("/", Reply::html(page).header("X-Robots-Tag", format!("{NASTY}: noindex, {NASTY}")))
        .on("/llms.txt", Reply::ok(llms).header("Content-Type", "text/plain"))
        .on("/sitemap.xml", Reply::ok(sitemap))
        .on("/moved", Reply::redirect(302, &format!("http://u:hunter2@127.0.0.1:1/{NASTY}")))
        .on("/odd", Reply::redirect(302, &format!("http://u:hunter2@[{NASTY}/")))
        .on("/type", Reply::ok("x").header("Content-Type", NASTY))
        .on("/down", Reply::status(503).header("Retry-After", NASTY));
    site
}

#[test]
fn hostile_site_prints_only_text() {
    let site = site();
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("robots.db").display().to_string();
    let live =
        format!("--no-config --allow-address 127.0.0.0/8 --min-interval 0 --retries 0 --store {store}");
    let url = |path: &str| site.url(path);
    let (home, closed, nasty) = (url("/"), url("/closed/page"), url(&format!("/{NASTY}")));
    let user = home.replace("http://", "http://u:hunter2@");
    let pages = [url("/moved"), url("/odd"), url("/type"), url("/down"), closed.clone(), nasty.clone(), user];
    let mut runs: Vec<(&str, Vec<&str>)> = vec![
        ("check --agent x", vec![&home]),
        ("check --agent x --json", vec![&closed]),
        ("explain --agent x", vec![&closed]),
        ("explain --agent x", vec![&nasty]),
        ("explain --agent x --json", vec![&nasty]),
        ("lint", vec![&home]),
        ("lint --format json", vec![&home]),
        ("inspect", vec![&home]),
        ("inspect --json", vec![&home]),
        ("matrix", vec![&home]),
        ("page --agent x --all-profiles", vec![&home]),
        ("page --agent x --all-profiles --json", vec![&home]),
        ("usage --agent x", vec![&home]),
        ("usage --agent x --json", vec![&home]),
        ("llms", vec![&home]),
        ("llms --json", vec![&home]),
        ("sitemap", vec![&home]),
        ("sitemap --json", vec![&home]),
    ];
    runs.extend(pages.iter().map(|page| ("fetch", vec![page.as_str()])));
    runs.push(("fetch --report -", pages.iter().map(String::as_str).collect()));
    for (command, urls) in runs {
        let mut run = comity(command).args(&live);
        for url in &urls {
            run = run.arg(url);
        }
        let outcome = run.run();
        judge(&format!("{command} {}", urls.join(" ").escape_debug()), &outcome);
    }
    for command in ["cache list", "cache list --json", "cache verify"] {
        let outcome = comity(command).arg("--no-config").arg("--store").arg(&store).run();
        judge(command, &outcome);
    }
    for command in ["cache show", "cache show --json"] {
        let outcome = comity(command).arg("--no-config").arg("--store").arg(&store).arg(&home).run();
        judge(command, &outcome);
    }
}

#[test]
fn hostile_file_prints_only_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = "a\u{9b}31m\u{202e}.txt";
    let robots =
        format!("User-agent: {NASTY}\nDisallow: /{NASTY}\n{NASTY}\nAllow: {NASTY}\nSitemap: {NASTY}\n");
    std::fs::write(folder.path().join(name), &robots).expect("a file");
    std::fs::write(folder.path().join("b.txt"), robots.replace("Allow", "Disallow")).expect("a file");
    let in_folder = |command: &str, files: &[&str]| {
        let mut run = comity(command).dir(Path::new(folder.path()));
        for file in files {
            run = run.arg(file);
        }
        judge(&format!("{command} {files:?}"), &run.run());
    };
    in_folder("lint", &[name]);
    in_folder("lint --format json", &[name]);
    in_folder("lint --format sarif", &[name]);
    in_folder("inspect", &[name]);
    in_folder("inspect --json", &[name]);
    in_folder("diff", &[name, "b.txt"]);
    in_folder("lint", &["no\u{9b}such\u{202e}file"]);
    in_folder("inspect", &["no\u{9b}such\u{202e}file"]);
}

#[test]
fn settings_output_contains_no_secrets() {
    let outcome = comity("config --no-config")
        .env("COMITY_NETWORK_PROXY", "http://hunter2@proxy.example:3128")
        .env("COMITY_STORE_LOCATION", "redis://:hunter2@cache.example/0")
        .run();
    judge("config", &outcome);
    let outcome = comity("config --no-config --json")
        .env("COMITY_NETWORK_PROXY", "http://u:hunter2@proxy.example:3128")
        .run();
    judge("config --json", &outcome);
}

/// Texts that are harmful in an output format that does not escape them.
const WORDS: [(&str, &str); 7] = [
    ("ANSI", "x\u{1b}[2J\u{1b}]0;t\u{7}\u{9b}31m"),
    ("bidi", "x\u{202e}txt.exe\u{2066}\u{200f}"),
    ("a workflow command", "::error file=a,line=1::pwned"),
    ("a workflow command after a line break", "x\u{2028}::error::pwned%0A::error::pwned"),
    ("HTML", "<script>alert(1)</script><img src=x onerror=alert(1)>\"'"),
    ("XML", "]]><failure/><!-- & -->"),
    ("a formula", "=HYPERLINK(\"http://x/\",\"y\")"),
];

/// Commands that print text of a robots.txt, in each of their formats. `{}` is replaced by a hostile URL.
const VIEWS: [&str; 17] = [
    "lint --all robots.txt",
    "lint --json robots.txt",
    "lint --format github --all robots.txt",
    "lint --format sarif robots.txt",
    "lint --format junit --deny notes robots.txt",
    "lint --diff --unsafe-fixes robots.txt",
    "inspect robots.txt",
    "matrix",
    "matrix --json",
    "matrix --format csv",
    "matrix --format html",
    "check --agent GPTBot --robots robots.txt {}",
    "check --agent GPTBot --robots robots.txt --json {}",
    "check --agent GPTBot --robots robots.txt --format csv {}",
    "explain --agent GPTBot --robots robots.txt {}",
    "test --format github",
    "test --format junit",
];

#[test]
fn hostile_text_is_escaped_in_every_format() {
    for (what, word) in WORDS {
        let folder = tempfile::tempdir().expect("a folder");
        let robots = format!(
            "User-agent: {word}\nDisallow: /{word}\n\nUser-agent: GPTBot\nDisallow: /{word}\nDisallow: {word}\n{word}\n{word}: {word}\n\
             Sitemap: {word}\nSitemap: http://x/{word}\nContent-Signal: {word}=no\n"
        );
        std::fs::write(folder.path().join("robots.txt"), robots).expect("a file");
        let test = format!(
            "[[test]]\nagent = \"GPTBot\"\nwhy = {0}\nallowed = [{0}, \"/x\"]\n",
            toml_string(&format!("/{word}"))
        );
        std::fs::write(folder.path().join("robots.test.toml"), test).expect("a file");
        for view in VIEWS {
            let (command, has_url) =
                view.split_once(" {}").map_or((view, false), |(command, _)| (command, true));
            let run = comity(command).dir(folder.path());
            let outcome = if has_url { run.arg(&format!("/{word}")).run() } else { run.run() };
            let (text, place) = (&outcome.stdout, format!("{what} in `{view}`"));
            // CSV ends its lines with CR LF.
            assert!(is_harmless(&text.replace("\r\n", "\n")), "{place}: {}", text.escape_debug());
            assert!(is_harmless(&outcome.stderr), "{place}: {}", outcome.stderr.escape_debug());
            assert!(
                !text.is_empty() || view.contains("--diff"),
                "{place} prints nothing: {}",
                outcome.stderr
            );
            for line in text.lines().filter(|line| line.trim_start().starts_with("::")) {
                let is_ours = ["error", "warning", "notice"]
                    .iter()
                    .any(|level| line.starts_with(&format!("::{level} file=robots.")));
                assert!(is_ours, "{place}: {line}");
            }
            if view.contains("html") {
                assert!(!text.contains("<script") && !text.contains("<img"), "{place}: {text}");
            }
            if view.contains("junit") {
                assert!(
                    !text.contains("<script") && !text.contains("<!--") && !text.contains("]]>"),
                    "{place}: {text}"
                );
                let tags = text.matches('<').count();
                assert_eq!(tags, text.matches('>').count(), "{place}: {text}");
            }
            if view.contains("csv") {
                let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
                for row in reader.records() {
                    let row = row.unwrap_or_else(|error| panic!("{place}: {error}"));
                    assert!(
                        row.iter().all(|cell| !cell.starts_with(['=', '+', '-', '@'])),
                        "{place}: {row:?}"
                    );
                }
            }
            if view.contains("json") {
                outcome.json_lines();
            }
            if view.contains("sarif") {
                outcome.json();
            }
        }
    }
}

/// Formats a text as a TOML string.
fn toml_string(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
