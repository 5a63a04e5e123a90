//! `comity usage`.

use crate::{comity, keys};
use insta::assert_snapshot;

#[test]
fn robots_txt_alone_shows_its_signals() {
    assert_snapshot!(
        comity("usage --robots usage/robots.txt --agent GPTBot https://example.com/news /open/x /private/x")
            .shown()
    );
}

#[test]
fn all_signals_are_shown_together() {
    let sources = "--robots usage/robots.txt --headers usage/header.txt --body usage/page.html \
                   --tdmrep usage/tdmrep.json --rsl usage/license.xml";
    let ask = |rest: &str| comity(&format!("usage {sources} --agent heron {rest}"));
    assert_snapshot!(ask("https://example.com/archive/1998").shown());
    assert_snapshot!(ask("--user education https://example.com/archive/1998").shown());
    assert_snapshot!(ask("--json https://example.com/news").shown());
}

#[test]
fn control_token_has_permitted_uses() {
    assert_snapshot!(
        comity("usage --robots usage/robots.txt --agent Google-Extended /archive/1998 /news").shown()
    );
}

#[test]
fn exit_status_is_one_if_a_use_is_disallowed() {
    comity("usage --tdmrep usage/tdmrep.json --agent heron /open/x").run().exits(0);
    comity("usage --tdmrep usage/tdmrep.json --agent heron /x").run().exits(1);
    let silent = comity("usage --robots - --agent heron /").stdin("User-agent: *\nAllow: /\n").run().exits(0);
    assert!(
        silent.stdout.contains("No statement by Content-Usage, Content-Signal and RSL"),
        "{}",
        silent.stdout
    );
}

#[test]
fn one_json_object_per_url_and_crawler() {
    let outcome = comity("usage --robots usage/robots.txt --agent GPTBot --agent heron --json -")
        .stdin("/a\nhttps://example.com/b\n")
        .run()
        .exits(1);
    let asked: Vec<_> =
        outcome.json_lines().iter().map(|line| (line["url"].clone(), line["agent"].clone())).collect();
    let expected = [
        ("/a", "GPTBot"),
        ("/a", "heron"),
        ("https://example.com/b", "GPTBot"),
        ("https://example.com/b", "heron"),
    ];
    assert_eq!(asked, expected.map(|(url, agent)| (url.into(), agent.into())));
    let first = outcome.stdout.lines().next().expect("a line");
    assert_eq!(keys(first), ["url", "agent", "group", "summary", "signals", "findings", "error"]);
}

#[test]
fn invalid_input_is_an_error() {
    assert_snapshot!(comity("usage --agent heron /").shown());
    assert_snapshot!(comity("usage --robots - --headers - --agent heron /").shown());
    assert_snapshot!(comity("usage --robots - --agent heron").shown());
    assert_snapshot!(comity("usage --rsl usage/page.html --agent heron /").shown());
    assert_snapshot!(comity("usage --tdmrep usage/header.txt --agent heron /").shown());
    assert_snapshot!(comity("usage --robots usage/robots.txt --agent heron example.com/x /open").shown());
    let large = vec![b'x'; 65 * 1024];
    let outcome = comity("usage --headers - --agent heron /").stdin(large).run().exits(2);
    assert!(outcome.stderr.contains("`stdin`: a header of 66560 bytes is too large"), "{}", outcome.stderr);
}

#[test]
fn unsafe_bytes_are_replaced_in_output() {
    let robots = b"User-agent: *\nContent-Signal: search=\x1B[31mno\nContent-Usage: \xE2\x80\xAEtrain-ai=n\n";
    let outcome = comity("usage --robots - --agent heron /").stdin(robots).run().exits(0);
    assert!(!outcome.stdout.contains('\x1B') && !outcome.stdout.contains('\u{202E}'), "{}", outcome.stdout);
}
