//! The web page: header fields of its files, and its functions in a real browser.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use http::{Method, StatusCode};
use serde_json::json;
use testkit::servers::{Origin, Reply as Served};

use crate::schema::conforms;
use crate::{Reply, builder, serve, serving, usual_options};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/page");
const TOKEN: &str = "a-token-that-nobody-guesses";

/// Returns the path and the content of each file of the page.
fn files() -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(FOLDER).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let paths = paths
        .filter(|path| path.extension().is_some_and(|extension| extension != "rs" && extension != "txt"));
    let file = |path: PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let name = if name == "index.html" { "/".to_owned() } else { format!("/page/{name}") };
        (name, std::fs::read(path).unwrap())
    };
    paths.map(file).collect()
}

#[tokio::test]
async fn every_page_file_is_served_with_a_strict_policy() {
    let served = serving(&[]).await;
    let files = files();
    assert!(files.len() > 10);
    for (name, body) in &files {
        let reply = served.get(name).await;
        assert_eq!(reply.status, StatusCode::OK, "{name}");
        assert!(reply.body == *body, "{name}");
        let field = |name: &str| reply.headers[name].to_str().unwrap();
        let media_type = match name.rsplit('.').next().unwrap() {
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "svg" => "image/svg+xml",
            _ => "text/html; charset=utf-8",
        };
        assert_eq!(field("content-type"), media_type, "{name}");
        assert_eq!(field("x-content-type-options"), "nosniff");
        assert_eq!(field("referrer-policy"), "no-referrer");
        assert_eq!(field("cache-control"), "no-cache");
        let policy = field("content-security-policy");
        for part in
            ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "trusted-types 'none'"]
        {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
    }
    served.get("/page/no-such-file").await.problem(404, "not_found");
    let posted = served.send(served.request(Method::POST, "/").body(Default::default()).unwrap()).await;
    posted.problem(405, "wrong_method");
}

#[test]
fn page_files_contain_no_foreign_host_and_no_html_from_strings() {
    for (name, body) in files() {
        let text = String::from_utf8(body).unwrap();
        let hosts = text.match_indices("://").filter(|(at, _)| {
            let rest = &text[at + 3..];
            // Allowed: the namespace of SVG, example hosts in placeholders, and hosts that a script inserts (`${host}`).
            !["www.w3.org/2000/svg", "example.com", "$"].iter().any(|known| rest.starts_with(known))
                && rest.starts_with(|c: char| c.is_ascii_alphanumeric())
        });
        assert_eq!(hosts.count(), 0, "{name}");
        for way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "style=\""] {
            assert!(!text.contains(way), "{name}: {way}");
        }
    }
}

#[tokio::test]
async fn unchanged_page_file_is_answered_with_304() {
    let served = serving(&[]).await;
    for path in ["/", "/page/app.js"] {
        let tag = served.get(path).await.headers["etag"].to_str().unwrap().to_owned();
        let again = |tags: String| {
            let request = served.request(Method::GET, path).header("if-none-match", tags);
            served.send(request.body(Default::default()).unwrap())
        };
        for tags in [tag.clone(), format!("\"other\", W/{tag}"), "*".to_owned()] {
            let reply = again(tags).await;
            assert_eq!((reply.status, reply.body.len()), (StatusCode::NOT_MODIFIED, 0));
            assert_eq!(reply.headers["etag"].to_str().unwrap(), tag);
        }
        assert_eq!(again("\"other\"".to_owned()).await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn link_from_another_site_opens_only_the_page() {
    let served = serving(&[]).await;
    let ask = async |path: &str, mode: &str, destination: &str| -> Reply {
        let request = served.request(Method::GET, path).header("sec-fetch-site", "cross-site");
        let request = request.header("sec-fetch-mode", mode).header("sec-fetch-dest", destination);
        served.send(request.body(Default::default()).unwrap()).await
    };
    assert_eq!(ask("/", "navigate", "document").await.status, StatusCode::OK);
    for (path, mode, destination) in [
        ("/", "navigate", "iframe"),
        ("/", "no-cors", "empty"),
        ("/page/app.js", "no-cors", "script"),
        ("/page/app.js", "navigate", "document"),
        ("/metrics", "navigate", "document"),
        ("/v1/robots?origin=https://example.com", "navigate", "document"),
    ] {
        ask(path, mode, destination).await.problem(403, "foreign_origin");
    }
    let rebound = http::Request::builder().uri("/").header("host", "evil.example");
    served.send(rebound.body(Default::default()).unwrap()).await.problem(421, "foreign_host");
}

#[tokio::test]
async fn page_needs_no_token_and_other_routes_do() {
    let options = usual_options().tokens(vec![TOKEN.to_owned()]);
    let served = serve(builder(&[]), options).await;
    for (name, _) in files() {
        assert_eq!(served.get(&name).await.status, StatusCode::OK, "{name}");
    }
    served.post("/v1/lint", &json!({ "robots": "" })).await.problem(401, "no_token");
    served.get("/page/no-such-file").await.problem(401, "no_token");
}

#[tokio::test]
async fn new_robots_txt_is_written_from_choices() {
    let served = serving(&[]).await;
    let question = json!({
        "block_purposes": ["training"], "block": ["NoSuchBot"], "allow": ["Googlebot"], "disallow": ["/cart"],
        "sitemaps": ["https://kettles.shop/sitemap.xml"], "content_signal": "search=yes, ai-train=no",
    });
    let answer = served.post("/v1/new", &question).await.json();
    conforms("/v1/new", &answer);
    let robots = answer["robots"].as_str().unwrap();
    let question = json!({ "robots": robots, "agents": ["GPTBot", "NoSuchBot", "Googlebot", "a"], "urls": ["/", "/cart"] });
    let rows = served.post("/v1/check", &question).await.json();
    let allowed: Vec<bool> =
        rows["rows"].as_array().unwrap().iter().map(|row| row["allowed"].as_bool().unwrap()).collect();
    assert_eq!(allowed, [false, false, true, true, false, false, false, false]);
    assert!(answer["notes"][0].as_str().unwrap().contains("Google-Extended"), "{answer}");
    let findings = answer["findings"].as_array().unwrap();
    assert!(findings.iter().all(|finding| finding["severity"] == "note"), "{answer}");
    for wrong in [
        json!({ "block": ["GPTBot"], "allow": ["gptbot"] }),
        json!({ "block_purposes": ["seo"], "allow_purposes": ["seo"] }),
        json!({ "block": ["two words"] }),
        json!({ "disallow": ["cart"] }),
        json!({ "disallow": ["/a\nDisallow: /"] }),
        json!({ "sitemaps": ["/sitemap.xml\nUser-agent: *"] }),
        json!({ "block_purposes": ["no_such_purpose"] }),
    ] {
        served.post("/v1/new", &wrong).await.problem(400, "bad_question");
    }
}

/// A hostile robots.txt: markup, terminal control codes, and characters that reverse text.
const HOSTILE: &str = "# <script>document.title='owned'</script>\nUser-agent: *\nDisallow: /served\n\
    Disallow: /\u{1b}[31mred\nDisallow: /a\u{202e}gnp.exe\nDisalow: /<img src=x onerror=document.title='owned'>\n\
    Content-Signal: <svg onload=document.title='owned'>=no, ai-train=no\n\n\
    User-agent: <svg onload=document.title='owned'>\u{202e}\nDisallow: /\n";

/// Requires two packages of Debian, and the driver that `tools/browser.sh` fetches. If one is missing, the test prints
/// a message and is skipped.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn page_works_in_a_browser() {
    let modules = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("browser");
    let runs = |program: &str| {
        let run = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        run.is_ok_and(|status| status.success())
    };
    let is_there = [
        ("chromium (Debian package chromium)", runs("chromium")),
        ("node (Debian package nodejs)", runs("node")),
        ("the driver that tools/browser.sh fetches", modules.join("node_modules/playwright-core").is_dir()),
    ];
    if let Some((missing, _)) = is_there.iter().find(|(_, is_there)| !is_there) {
        testkit::skip(&format!("the test of the page in a browser requires {missing}"));
        return;
    }
    let site = Origin::start();
    site.on("/robots.txt", Served::ok(HOSTILE));
    let moved = Origin::start();
    moved.on("/robots.txt", Served::redirect(301, &site.url("/robots.txt")));
    let open = serving(&[&site, &moved]).await;
    let options = usual_options().tokens(vec![TOKEN.to_owned()]);
    let guarded = serve(builder(&[&site]), options).await;
    let chromium = std::env::var_os("PATH").and_then(|path| {
        std::env::split_paths(&path).map(|folder| folder.join("chromium")).find(|path| path.is_file())
    });
    let run = tokio::process::Command::new("node")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/page.mjs"))
        .env("MODULES", &modules)
        .env("CHROMIUM", chromium.unwrap())
        .env("PAGE", format!("http://{}/", open.address))
        .env("GUARDED", format!("http://{}/", guarded.address))
        .env("TOKEN", TOKEN)
        .env("SITE", site.url("/").trim_end_matches('/'))
        .env("MOVED", moved.url("/").trim_end_matches('/'))
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let stdout = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{stdout}{}", String::from_utf8_lossy(&run.stderr));
    assert!(stdout.lines().filter(|line| line.starts_with("ok: ")).count() > 15, "{stdout}");
}
