//! `comity audit site`: sites on loopback with every finding, without findings, with endless sitemaps, and with
//! failures.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;
use testkit::servers::{Origin, Reply};

use super::{live, redacted, site};
use crate::Run;

fn audit(folder: &Path, site: &Origin, args: &str) -> Run {
    live("audit site").arg(&site.url("/")).args(args).dir(folder)
}

fn urlset(urls: impl IntoIterator<Item = String>) -> Reply {
    let urls: String = urls.into_iter().map(|url| format!("<url><loc>{url}</loc></url>\n")).collect();
    let body = format!("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{urls}</urlset>\n");
    Reply::ok(body).header("Content-Type", "application/xml")
}

fn index(urls: impl IntoIterator<Item = String>) -> Reply {
    let maps: String = urls.into_iter().map(|url| format!("<sitemap><loc>{url}</loc></sitemap>\n")).collect();
    Reply::ok(format!(
        "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{maps}</sitemapindex>\n"
    ))
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// Starts a site that contradicts itself in every way.
pub(crate) fn contradictory() -> Origin {
    let origin = site(
        "User-agent: *\nDisallow: /private\nContent-Usage: train-ai=y\n\n\
         User-agent: Googlebot\nDisallow: /hidden\nDisallow: /private\n\n\
         User-agent: GPTBot\nDisallow: /\n\n\
         Sitemap: /sitemap.xml\nSitemap: /gone.xml\nSitemap: /private/map.xml\n",
    );
    let paths = ["/", "/private/a", "/private/b", "/hidden/a", "/quiet", "/old", "/lost", "/art"];
    let urls = paths.map(|path| origin.url(path)).into_iter();
    origin.on("/sitemap.xml", urlset(urls.chain(["https://other.example/page".to_owned()])));
    origin.on("/gone.xml", Reply::status(404));
    origin.on("/private/map.xml", urlset([origin.url("/never")]));
    let page = |head: &str| Reply::html(format!("<!doctype html><title>Reed</title>{head}<p>A reed.\n"));
    origin.on("/", page(""));
    origin.on("/hidden/a", page("").header("X-Robots-Tag", "noindex"));
    origin.on("/quiet", page("<meta name=robots content=\"noindex, follow\">"));
    origin.on("/old", Reply::redirect(301, "/"));
    origin.on("/lost", Reply::status(404));
    origin.on("/art", page("").header("Content-Signal", "ai-train=no"));
    origin.on("/.well-known/tdmrep.json", Reply::ok(r#"[{"location": "/art", "tdm-reservation": 1}]"#));
    origin
}

fn codes(manifest: &Value) -> BTreeSet<String> {
    let findings = manifest["site"]["findings"].as_array().expect("findings");
    let shown = |found: &Value| {
        format!("{} {}", found["severity"].as_str().expect("a word"), found["code"].as_str().expect("a code"))
    };
    findings.iter().map(shown).collect()
}

#[test]
fn every_contradiction_is_found_and_shown() {
    let (origin, folder) = (contradictory(), folder());
    let agents = "--agent * --agent Googlebot --agent GPTBot";
    let outcome = audit(folder.path(), &origin, agents).run().exits(1);
    let shown = redacted(&outcome.stdout, &origin);
    let shown = without_dates(&shown);
    assert_snapshot!("every_contradiction", shown);

    let run = format!("{agents} --json -o pages.jsonl --report site.html");
    let manifest = audit(folder.path(), &origin, &run).run().exits(1).json();
    let expected = [
        "error site-sitemap-unreachable",
        "warning site-listed-disallowed",
        "note site-listed-disallowed",
        "warning site-sitemap-disallowed",
        "warning site-listed-failing",
        "note site-listed-redirected",
        "warning site-listed-noindex",
        "warning site-noindex-unseen",
        "warning site-preferences-contradict",
        "error sitemap-other-host",
    ];
    let found = codes(&manifest);
    for code in expected {
        assert!(found.contains(code), "{code}: {found:?}");
    }
    let site = &manifest["site"];
    let count = |name: &str| site[name].as_u64().expect("a number");
    assert_eq!(
        ["listed", "looked_at", "forbidden", "foreign", "beyond_limit", "failed", "sitemaps"].map(count),
        [8, 6, 2, 1, 0, 0, 3]
    );

    // URLs that robots.txt disallows for Comity were not requested.
    for path in ["/private/a", "/private/b", "/private/map.xml", "/never"] {
        assert_eq!(origin.count(path), 0, "{path}");
    }
    // The verdicts of a row agree with its findings.
    let rows = fs::read_to_string(folder.path().join("pages.jsonl")).expect("rows");
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(rows.len(), 8);
    for row in &rows {
        let is_disallowed =
            ["any", "googlebot", "gptbot"].iter().any(|agent| row[format!("{agent}_allowed")] == false);
        let findings = row["findings"].as_str().unwrap_or_default();
        assert_eq!(findings.contains("site-listed-disallowed"), is_disallowed, "{row}");
    }
    let art = rows.iter().find(|row| row["url"] == origin.url("/art").as_str()).expect("a row");
    assert_eq!(art["page_content_signal"], "ai-train=no");
    assert_eq!(art["any_usage_page_content_signal_train"], "disallow");
    assert_eq!(art["any_usage_content_usage_train"], "allow");
    assert_eq!(art["any_usage_page_tdmrep"], "disallow");
    assert_eq!((&art["status"], &art["sitemap"]), (&200.into(), &origin.url("/sitemap.xml").into()));
    // A page that was not read has no signals and no status.
    let never = rows.iter().find(|row| row["url"] == origin.url("/private/a").as_str()).expect("a row");
    assert!(never["any_usage_page_tdmrep"].is_null() && never["status"].is_null(), "{never}");

    let report = fs::read_to_string(folder.path().join("site.html")).expect("a report");
    assert!(report.contains(&format!("<h1>Audit of {}</h1>", origin.url(""))), "{report}");
    assert!(report.contains("A sitemap lists pages that robots.txt disallows."), "{report}");

    // A report from the written manifest equals the first report.
    let again = crate::comity("audit report pages.jsonl.manifest.json --output again.html --json");
    let again = again.dir(folder.path()).run().exits(0).json();
    assert_eq!(again["site"], *site);
    let pages =
        ["site.html", "again.html"].map(|name| fs::read_to_string(folder.path().join(name)).expect(name));
    assert_eq!(pages[0], pages[1]);
}

/// Replaces dates, which depend on the day of the run, by `DAY`.
fn without_dates(text: &str) -> String {
    let is_day = |word: &str| word.len() == 10 && word.starts_with("20") && word.matches('-').count() == 2;
    let line = |line: &str| {
        let words: Vec<&str> = line
            .split(' ')
            .map(|word| if is_day(word.trim_end_matches(';')) { "DAY;" } else { word })
            .collect();
        words.join(" ")
    };
    text.lines().map(|text| line(text) + "\n").collect()
}

#[test]
fn site_without_contradictions_has_no_findings() {
    let origin =
        site("User-agent: *\nDisallow: /private\nContent-Usage: train-ai=n\nSitemap: /sitemap.xml\n");
    origin.on("/sitemap.xml", urlset(["/", "/a"].map(|path| origin.url(path))));
    origin.on("/", Reply::html("<title>Reed</title>"));
    origin.on("/a", Reply::html("<title>Reed</title>").header("Content-Signal", "ai-train=no"));
    let folder = folder();
    let outcome = audit(folder.path(), &origin, "--agent Googlebot").run().exits(0);
    assert!(outcome.stdout.contains("no findings"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("2 pages listed: 2 fetched as Comity"), "{}", outcome.stdout);
    assert_eq!(outcome.stderr, "");
    // Without a crawler, findings are about crawlers that robots.txt does not name.
    let outcome = audit(folder.path(), &origin, "").run().exits(0);
    assert!(outcome.stdout.contains("crawlers without a group of their own"), "{}", outcome.stdout);
}

#[test]
fn site_without_a_sitemap_has_a_note() {
    let (origin, folder) = (site("User-agent: *\nDisallow:\n"), folder());
    let manifest = audit(folder.path(), &origin, "--json").run().exits(0).json();
    assert_eq!(codes(&manifest), BTreeSet::from(["note site-no-sitemap".to_owned()]));
}

#[test]
fn site_that_answers_503_gets_no_further_requests() {
    let origin = Origin::start();
    origin.otherwise(Reply::status(503));
    let folder = folder();
    let outcome = audit(folder.path(), &origin, "--agent Googlebot --json").run().exits(1);
    let manifest = outcome.json();
    assert_eq!(codes(&manifest), BTreeSet::from(["error site-robots-unreadable".to_owned()]));
    let asked: BTreeSet<String> = origin.requests().iter().map(|seen| seen.path.clone()).collect();
    assert_eq!(asked, BTreeSet::from(["/robots.txt".to_owned()]));
}

#[test]
fn pages_beyond_the_limits_are_not_fetched_and_are_counted() {
    let origin = site("User-agent: *\nDisallow:\nSitemap: /sitemap.xml\n");
    origin.on("/sitemap.xml", urlset((0..40).map(|number| origin.url(&format!("/{number}")))));
    origin.otherwise(Reply::html("<title>Reed</title>"));
    let folder = folder();
    let outcome = audit(folder.path(), &origin, "--limit 4 --max-urls 20 -o pages.csv").run().exits(0);
    assert!(outcome.stdout.contains("20 pages listed: 4 fetched"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("16 not fetched, because --limit is 4"), "{}", outcome.stdout);
    assert!(outcome.stderr.contains("more than 20 pages (--max-urls)"), "{}", outcome.stderr);
    // The fetched pages are spread over the sitemap.
    let asked = ["/0", "/5", "/10", "/15", "/1", "/19"].map(|path| origin.count(path));
    assert_eq!(asked, [1, 1, 1, 1, 0, 0]);
    let outcome = audit(folder.path(), &origin, "--limit 0").run().exits(0);
    assert!(outcome.stdout.contains("40 pages listed: 0 fetched"), "{}", outcome.stdout);
    assert_eq!(origin.count("/0"), 1);
}

#[test]
fn endless_sitemaps_are_read_up_to_the_limits() {
    // Each sitemap lists the next one.
    let origin = site("User-agent: *\nDisallow:\nSitemap: /map/0.xml\n");
    let address = origin.url("");
    origin.otherwise(Reply::status(404));
    for number in 0..40 {
        origin.on(&format!("/map/{number}.xml"), index([format!("{address}/map/{}.xml", number + 1)]));
    }
    let folder = folder();
    let outcome = audit(folder.path(), &origin, "--json").run();
    assert!(outcome.stderr.contains("too many indexes lead to it"), "{}", outcome.stderr);
    assert_eq!(origin.count("/map/30.xml"), 0);

    // An index lists more sitemaps than are requested.
    let origin = site("User-agent: *\nDisallow:\nSitemap: /index.xml\n");
    origin.on("/index.xml", index((0..500).map(|number| origin.url(&format!("/{number}.xml")))));
    origin.otherwise(urlset([origin.url("/page")]));
    let outcome = audit(folder.path(), &origin, "--max-sitemaps 3 --limit 0 --json").run();
    assert!(outcome.stderr.contains("more than 3 of them (--max-sitemaps)"), "{}", outcome.stderr);
    assert_eq!(outcome.json()["site"]["sitemaps"], 3);
    assert_eq!((origin.count("/1.xml"), origin.count("/2.xml")), (1, 0));

    // The response with the sitemap never ends.
    let origin = site("User-agent: *\nDisallow:\nSitemap: /endless.xml\n");
    origin.on("/endless.xml", Reply::endless());
    let outcome = audit(folder.path(), &origin, "--json").run().exits(1);
    assert!(
        codes(&outcome.json()).iter().any(|code| code.starts_with("error sitemap-")),
        "{}",
        outcome.stdout
    );
}

#[test]
fn site_that_cannot_be_requested_is_an_error() {
    let folder = folder();
    let none = live("audit site http://10.0.0.1/ --agent GPTBot").dir(folder.path()).run().exits(2);
    assert!(none.stderr.contains("--allow-address 10.0.0.1"), "{}", none.stderr);
    let none = live("audit site nonsense").dir(folder.path()).run().exits(2);
    assert!(none.stderr.contains("is not a URL"), "{}", none.stderr);
    let origin = site("User-agent: *\nDisallow: /\n");
    let none = audit(folder.path(), &origin, "-o a.csv --report a.csv").run().exits(2);
    assert!(none.stderr.contains("name one file"), "{}", none.stderr);
    // A site that disallows everything for Comity is not read. The output names the reason.
    let outcome = audit(folder.path(), &origin, "").run().exits(0);
    assert!(
        outcome.stdout.contains("0 pages listed") && !outcome.stdout.contains("unreachable"),
        "{}",
        outcome.stdout
    );
    assert!(outcome.stderr.contains("/sitemap.xml` is not read: robots.txt"), "{}", outcome.stderr);
}

#[test]
fn given_conditions_decide_the_exit_status() {
    let (origin, folder) = (contradictory(), folder());
    let run = |condition: &str| {
        audit(folder.path(), &origin, "--limit 0 -q --agent Googlebot").arg("--fail-if").arg(condition).run()
    };
    run("errors>5").exits(0);
    let outcome = run("errors>0").exits(1);
    assert!(outcome.stderr.contains("--fail-if errors>0 holds for http://"), "{}", outcome.stderr);
    let outcome = run("disallowed>20%,warnings>100").exits(1);
    assert!(outcome.stderr.contains("--fail-if disallowed>20% holds for Googlebot"), "{}", outcome.stderr);
    run("nonsense>0").exits(2);
}
