//! The pages of `comity audit` and `comity logs` in a browser: hostile text is shown as text.
//!
//! The browser is Debian's package `chromium`. Without it these tests are skipped with a message.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::comity;

/// Hostile texts. A page that does not escape them runs their scripts, which set the title.
const HOSTILE: [&str; 6] = [
    "<script>document.title='owned'</script>",
    "<img src=x onerror=document.title='owned'>",
    "'><svg onload=document.title='owned'>",
    "\" onmouseover=\"document.title='owned'\" autofocus onfocus=\"document.title='owned'\" x=\"",
    "</code></table></style></title><script>document.title='owned'</script><!--",
    "javascript:document.title='owned'//{{7*7}}&#60;b&#62;",
];

/// Returns the page after all scripts have run; `None` without a browser.
#[allow(
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot run fails, or prints that it is skipped"
)]
fn in_browser(page: &Path) -> Option<String> {
    let profile = tempfile::tempdir().expect("a folder");
    let run = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
        .args(["--disable-extensions", "--disable-background-networking", "--virtual-time-budget=2000"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom"])
        .arg(format!("file://{}", page.display()))
        .output();
    match run {
        Ok(run) => {
            assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
            Some(String::from_utf8_lossy(&run.stdout).into_owned())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            testkit::skip("`chromium` is not installed; it is in Debian's package `chromium`");
            None
        }
        Err(error) => panic!("chromium cannot be started: {error}"),
    }
}

/// Returns suspicious parts of a page: elements that the pages of Comity never contain, and event handlers.
fn foreign(page: &str) -> Vec<&str> {
    const OWN: [&str; 46] = [
        "a", "body", "br", "b", "circle", "code", "col", "colgroup", "dd", "div", "dl", "dt", "em", "footer",
        "g", "h1", "h2", "h3", "h4", "head", "header", "html", "i", "li", "line", "main", "meta", "nav",
        "ol", "p", "path", "polyline", "rect", "section", "span", "strong", "style", "svg", "table", "tbody",
        "td", "text", "th", "thead", "title", "tr",
    ];
    let tags = page.split('<').skip(1);
    let is_foreign = |tag: &&str| {
        let name =
            tag.trim_start_matches('/').split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
        let is_own = OWN.contains(&name)
            || matches!(
                name,
                "ul" | "small" | "caption" | "figure" | "figcaption" | "details" | "summary" | "pre"
            )
            || tag.starts_with("!DOCTYPE");
        // Text in quotation marks is a value.
        let attributes: String = tag.split('>').next().unwrap_or("").split('"').step_by(2).collect();
        !is_own || attributes.contains(" on") || attributes.contains("javascript:")
    };
    tags.filter(is_foreign).map(|tag| &tag[..tag.len().min(80)]).collect()
}

#[test]
fn browser_runs_script_of_unprotected_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("page.html");
    fs::write(&path, format!("<!doctype html><title>own</title><p>{}", HOSTILE[0])).expect("a page");
    let Some(page) = in_browser(&path) else { return };
    assert!(page.contains("<title>owned</title>") && !foreign(&page).is_empty(), "{page}");
    assert!(!foreign("<p onclick=\"x\">").is_empty() && foreign("<p title=\" onclick=\">").is_empty());
}

#[test]
fn audit_report_with_hostile_text_runs_no_script() {
    let folder = tempfile::tempdir().expect("a folder");
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut pages = "url,seen_at\n".to_owned();
    let mut rules = "User-agent: *\nDisallow: /private\n".to_owned();
    for text in HOSTILE {
        pages.push_str(&format!("{},2024-02-01\n", quoted(&format!("https://a.example/private/{text}"))));
        pages.push_str(&format!("{},2024-03-01\n", quoted(&format!("https://{text}.example/"))));
        pages.push_str(&format!("{},2024-03-01\n", quoted(&format!("https://a.example/{text}"))));
        rules.push_str(&format!("Disallow: /{text}\n"));
    }
    let name = "<img src=x onerror=document.title='owned'>.csv";
    fs::write(folder.path().join(name), pages).expect("a file");
    let robots = format!("key,fetched_at,status,body\nhttps://a.example,2024-01-01,200,{}\n", quoted(&rules));
    fs::write(folder.path().join("robots.csv"), robots).expect("a file");
    let mut run = comity("audit run").arg(name).args("-r robots.csv --usage --report audit.html -q");
    for text in HOSTILE {
        run = run.arg("--user-agent").arg(text);
    }
    run.dir(folder.path()).run().exits(0);
    let Some(page) = in_browser(&folder.path().join("audit.html")) else { return };
    assert!(page.contains("<title>Robots.txt audit of 18 pages</title>"), "{page}");
    assert_eq!(foreign(&page), Vec::<&str>::new());
    assert!(
        page.contains("&lt;script&gt;document.title='owned'"),
        "hostile text is not shown as text: {page}"
    );
}

#[cfg(feature = "live")]
#[test]
fn site_report_with_hostile_text_runs_no_script() {
    use testkit::servers::{Origin, Reply};

    let origin = Origin::start();
    let mut rules =
        "User-agent: *\nDisallow: /private\nSitemap: /map.xml\nSitemap: /gone'><svg onload=x>.xml\n"
            .to_owned();
    let mut urls = String::new();
    for text in HOSTILE {
        rules.push_str(&format!("Disallow: /{text}\nContent-Usage: train-ai=y, x=\"{text}\"\n"));
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        for path in ["/private/", "/"] {
            urls.push_str(&format!("<url><loc>{}{path}{text}</loc></url>", origin.url("")));
        }
    }
    origin.on("/robots.txt", Reply::ok(rules));
    origin.on(
        "/map.xml",
        Reply::ok(format!(
            "<urlset xmlns='{}'>{urls}</urlset>",
            "http://www.sitemaps.org/schemas/sitemap/0.9"
        )),
    );
    origin.otherwise(
        Reply::html(format!(
            "<title>{0}</title><meta name=robots content=\"noindex, {1}\">",
            HOSTILE[0], HOSTILE[1]
        ))
        .header("X-Robots-Tag", format!("noindex, {}", HOSTILE[1]))
        .header("Content-Signal", format!("ai-train=no, {}=yes", HOSTILE[5])),
    );
    let folder = tempfile::tempdir().expect("a folder");
    let asking = "--store memory --no-config --allow-address 127.0.0.0/8 --min-interval 0 --retries 0 --contact a@example.com";
    let mut run = comity("audit site").arg(&origin.url("/")).args(asking).args("--report site.html --json");
    for text in HOSTILE {
        run = run.arg("--user-agent").arg(text);
    }
    let manifest = run.dir(folder.path()).run().exits(1).json();
    assert_eq!(manifest["site"]["listed"], 12);
    // A manifest can be hostile, too.
    let mut hostile = manifest.clone();
    for field in ["code", "message", "help"] {
        for (number, text) in HOSTILE.iter().enumerate() {
            if let Some(found) = hostile["site"]["findings"].get_mut(number) {
                found[field] = (*text).into();
            }
        }
    }
    hostile["site"]["stopped"] = HOSTILE[4].into();
    fs::write(folder.path().join("hostile.json"), hostile.to_string()).expect("a file");
    comity("audit report hostile.json -o hostile.html -q").dir(folder.path()).run().exits(0);
    for name in ["site.html", "hostile.html"] {
        let Some(page) = in_browser(&folder.path().join(name)) else { return };
        assert!(page.contains("<title>Audit of http://127.0.0.1:"), "{page}");
        assert_eq!(foreign(&page), Vec::<&str>::new(), "{name}");
        assert!(
            page.contains("&lt;script&gt;document.title='owned'"),
            "hostile text is not shown as text: {page}"
        );
    }
}

#[test]
fn logs_report_with_hostile_text_runs_no_script() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rules = "User-agent: *\nDisallow: /private\n".to_owned();
    let mut log = String::new();
    for text in HOSTILE {
        rules.push_str(&format!("Disallow: /{text}\n"));
        let path = text.replace(' ', "%20").replace('"', "\\\"");
        for target in [format!("/{path}"), format!("/private/{path}")] {
            let agent = text.replace('"', "\\\"");
            log.push_str(&format!(
                "203.0.113.9 - - [01/Mar/2024:12:00:00 +0000] \"GET {target} HTTP/1.1\" 200 1 \"{agent}\" \"GPTBot/1.2 {agent}\"\n"
            ));
        }
    }
    let name = "<img src=x onerror=document.title='owned'>.txt";
    fs::write(folder.path().join(name), rules).expect("a file");
    fs::write(folder.path().join("access.log"), log).expect("a file");
    let run = comity("logs access.log --no-config --format html --show-addresses --robots")
        .arg(name)
        .dir(folder.path());
    let outcome = run.run().exits(1);
    fs::write(folder.path().join("logs.html"), &outcome.stdout).expect("a page");
    assert!(outcome.stdout.contains("GPTBot"), "{}", outcome.stdout);
    let Some(page) = in_browser(&folder.path().join("logs.html")) else { return };
    assert!(!page.contains("<title>owned"), "{page}");
    assert_eq!(foreign(&page), Vec::<&str>::new());
    assert!(
        page.contains("&lt;script&gt;document.title='owned'"),
        "hostile text is not shown as text: {page}"
    );
}
