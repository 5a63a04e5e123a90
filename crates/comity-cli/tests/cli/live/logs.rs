//! `comity logs --signatures`: verifies signed requests in a log of Caddy by keys that a bot publishes.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use comity::http::Headers;
use comity_identity::{Identity, Request};
use serde_json::{Value, json};
use testkit::servers::{Ca, Origin, Reply};

use super::live;
use crate::comity;

const WELL_KNOWN: &str = "/.well-known/http-message-signatures-directory";
const MEDIA_TYPE: &str = "application/http-message-signatures-directory+json";

/// Returns the log line of a request, as Caddy writes it.
fn line(at: SystemTime, target: &str, status: u16, signed: Option<&Identity>) -> String {
    let url = format!("https://example.com:8443{target}");
    let none = Headers::new();
    let request = Request::spelled("GET", &url, &none).expect("a request");
    let mut headers = json!({ "User-Agent": ["GPTBot/1.2"] });
    if let Some(identity) = signed {
        for (name, value) in identity.sign(&request, at).expect("a signature").iter() {
            headers[name] = json!([value]);
        }
    }
    let since = at.duration_since(UNIX_EPOCH).expect("a time").as_secs_f64();
    let request = json!({
        "remote_ip": "203.0.113.7", "method": "GET", "host": "example.com:8443", "uri": target, "headers": headers,
        "tls": { "version": 772 },
    });
    json!({ "ts": since, "request": request, "status": status, "size": 1 }).to_string()
}

#[test]
fn valid_signatures_are_verified_and_forged_ones_are_invalid() {
    let ca = Ca::new();
    let origin = Origin::start_tls(&ca);
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("ca.pem"), ca.pem()).expect("written");
    fs::write(path("robots.txt"), "User-agent: *\nDisallow: /private\n").expect("written");
    let place = origin.url("/").trim_end_matches('/').to_owned();
    comity("identity new").arg(&place).args("-o bot.json").dir(folder.path()).run().exits(0);
    let directory = comity("identity directory bot.json").dir(folder.path()).run().exits(0).stdout;
    origin.on(WELL_KNOWN, Reply::ok(directory).header("Content-Type", MEDIA_TYPE));
    let identity = fs::read_to_string(path("bot.json")).expect("the file");
    let identity = Identity::from_json(&identity).expect("an identity");

    // The log is a week old. Keys that were valid at that time apply to it.
    let at = SystemTime::now() - Duration::from_secs(7 * 86_400);
    let forged = line(at, "/a", 200, Some(&identity)).replace("\"/a\"", "\"/b\"");
    let lines = [
        line(at, "/a", 200, Some(&identity)),
        line(at, "/b?c=%2f", 403, Some(&identity)),
        forged,
        line(at, "/c", 200, None),
        line(at, "/d", 429, None),
        line(at, "/e", 401, None),
    ];
    fs::write(path("access.log"), lines.join("\n")).expect("written");
    let run = |flags: &str| {
        live("logs access.log --robots robots.txt --ca ca.pem --json")
            .args(flags)
            .env("COMITY_GUARD_ALLOW_PORT", &origin.address().port().to_string())
            .dir(folder.path())
            .run()
            .exits(0)
            .json_lines()
            .remove(0)
    };
    let told: Value = run("--signatures")["signatures"].clone();
    let expected =
        json!({ "signed": 3, "verified": 2, "invalid": 1, "refused_signed": 1, "refused_unsigned": 2 });
    assert_eq!(told, expected);
    assert_eq!(origin.count(WELL_KNOWN), 1);
    // Without the flag no request is sent.
    let told = run("")["signatures"].clone();
    assert_eq!((told["signed"].as_u64(), told["verified"].as_u64()), (Some(3), Some(0)));
    assert_eq!(origin.count(WELL_KNOWN), 1);
}
