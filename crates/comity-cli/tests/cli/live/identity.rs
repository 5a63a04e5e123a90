//! `comity identity check` checks directories on loopback TLS; `--identity` sends requests that sites can verify.

use std::fs;
use std::time::SystemTime;

use comity::http::Headers;
use comity_identity::{Directories, DirectoryAnswer, Discovery, Request, Verifier};
use testkit::servers::{Ca, Origin, Reply};

use super::live;
use crate::{Outcome, comity};

const WELL_KNOWN: &str = "/.well-known/http-message-signatures-directory";
const MEDIA_TYPE: &str = "application/http-message-signatures-directory+json";

/// A site that publishes keys, and the certificate file of its authority.
struct Bot {
    origin: Origin,
    folder: tempfile::TempDir,
}

impl Bot {
    fn start() -> Self {
        let ca = Ca::new();
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("ca.pem"), ca.pem()).expect("written");
        let bot = Bot { origin: Origin::start_tls(&ca), folder };
        comity("identity new").arg(&bot.url()).args("-o bot.json").dir(bot.folder.path()).run().exits(0);
        bot
    }

    fn url(&self) -> String {
        self.origin.url("/").trim_end_matches('/').to_owned()
    }

    fn printed(&self, flags: &str) -> String {
        comity("identity directory bot.json").args(flags).dir(self.folder.path()).run().exits(0).stdout
    }

    /// Returns a valid response with the directory.
    fn good(&self) -> Reply {
        Reply::ok(self.printed("")).header("Content-Type", MEDIA_TYPE).header("Cache-Control", "max-age=3600")
    }

    fn serves(&self, reply: Reply) {
        self.origin.on(WELL_KNOWN, reply);
    }

    fn check(&self, url: &str, flags: &str) -> Outcome {
        live("identity check")
            .arg(url)
            .args("--ca ca.pem")
            .args(flags)
            .env("COMITY_GUARD_ALLOW_PORT", &self.origin.address().port().to_string())
            .dir(self.folder.path())
            .run()
    }

    /// Returns the codes of the findings, and the exit status.
    fn codes(&self) -> (Vec<String>, Option<i32>) {
        let run = self.check(&self.url(), "--json");
        let report = run.json();
        crate::schema::conform("key-directory", std::slice::from_ref(&report), "identity check");
        let findings = report["findings"].as_array().expect("findings");
        let codes = findings.iter().map(|finding| finding["code"].as_str().expect("a code").to_owned());
        (codes.collect(), run.code)
    }
}

#[test]
fn directory_with_the_printed_header_fields_has_no_findings() {
    let bot = Bot::start();
    let mut signed = bot.good();
    for line in bot.printed("--headers").lines() {
        let (name, value) = line.split_once(": ").expect("a field");
        signed = signed.header(name, value);
    }
    bot.serves(signed);
    let run = bot.check(&bot.url(), "").exits(0);
    assert!(run.stdout.contains("valid, its holder signed the directory"), "{}", run.stdout);
    assert!(run.stdout.ends_with("verifiers accept the directory\n"), "{}", run.stdout);
    // The argument may also be the URL of the keys, as in signatures. robots.txt is not requested.
    bot.check(&format!("{}{WELL_KNOWN}", bot.url()), "").exits(0);
    assert_eq!((bot.origin.count(WELL_KNOWN), bot.origin.count("/robots.txt")), (2, 0));
}

#[test]
fn notes_end_with_success() {
    let bot = Bot::start();
    bot.serves(bot.good());
    assert_eq!(bot.codes(), (vec!["identity-not-proven".to_owned()], Some(0)));
}

#[test]
fn invalid_directory_ends_with_exit_status_one() {
    let bot = Bot::start();
    for (reply, code) in [
        (bot.good().with_status(404), "identity-status"),
        (bot.good().with_status(302).header("Location", "/elsewhere"), "identity-redirect"),
        (bot.good().header("Content-Type", "application/json"), "identity-media-type"),
        (bot.good().body("x".repeat(100_000)), "identity-too-large"),
        (bot.good().body("{}"), "identity-not-a-jwk-set"),
    ] {
        bot.serves(reply);
        let (codes, exit) = bot.codes();
        assert_eq!((codes.first().map(String::as_str), exit), (Some(code), Some(1)), "{codes:?}");
    }
    assert_eq!(bot.origin.count("/elsewhere"), 0);
}

#[test]
fn rotation_shows_both_keys_and_their_times() {
    let bot = Bot::start();
    comity("identity rotate bot.json --start 1h").dir(bot.folder.path()).run().exits(0);
    bot.serves(bot.good());
    let report = bot.check(&bot.url(), "--json").exits(0).json();
    let keys = report["keys"].as_array().expect("keys");
    let counts: Vec<_> = keys.iter().map(|key| key["counts"].as_bool()).collect();
    assert_eq!(counts, [Some(true), Some(false)]);
    assert!(keys[0]["expires"].is_string() && keys[1]["not_before"].is_string(), "{report}");
}

#[test]
fn unreachable_directory_ends_with_exit_status_two() {
    let bot = Bot::start();
    for url in ["http://bot.example", "bot.example", "https://127.0.0.1:1"] {
        bot.check(url, "").exits(2);
    }
    // Without the flag, the guard refuses loopback.
    let run = comity("identity check").arg(&bot.url()).args("--store memory --no-config").run().exits(2);
    assert!(run.stderr.contains("--allow-address"), "{}", run.stderr);
}

#[test]
fn fetch_with_identity_is_verified_by_the_site() {
    let bot = Bot::start();
    bot.origin.on("/robots.txt", Reply::ok("")).on("/page", Reply::ok("a page"));
    let fetch = |flags: &str| {
        let url = bot.origin.url("/page?q=%2f");
        live("fetch --ca ca.pem").args(flags).arg(&url).dir(bot.folder.path()).run()
    };
    fetch("").exits(0);
    fetch("--identity bot.json").exits(0);
    fetch("--identity none.json").exits(2);

    let place = Discovery::directory(&bot.url()).expect("a place");
    let fields: Headers<'_> = [("Content-Type", MEDIA_TYPE)].into_iter().collect();
    let body = bot.printed("");
    let answer = DirectoryAnswer { url: place.url(), status: 200, headers: &fields, body: body.as_bytes() };
    let (mut directories, now) = (Directories::new(), SystemTime::now());
    directories.take(&place, &answer, now).expect("a directory");
    let outcomes: Vec<String> = bot
        .origin
        .requests()
        .iter()
        .map(|seen| {
            let headers: Headers<'_> =
                seen.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
            let host = seen.header("host").expect("a host");
            let request =
                Request::received(&seen.method, "https", host, &seen.target, &headers).expect("a request");
            format!(
                "{} {}",
                seen.path,
                Verifier::new().verify(&request, &directories, now).outcome().as_str()
            )
        })
        .collect();
    assert_eq!(
        outcomes,
        ["/robots.txt not_signed", "/page not_signed", "/robots.txt verified", "/page verified"]
    );
}
