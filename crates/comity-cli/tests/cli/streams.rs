//! Long streams, closed pipes, colour.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use crate::comity;

#[test]
fn hundred_thousand_urls_are_decided() {
    let urls: String =
        (0..100_000).map(|n| format!("https://example.com/{}/{n}\n", ["x", "private"][n % 2])).collect();
    let outcome = comity("check --robots robots.txt --agent a").stdin(&urls).run().exits(1);
    assert_eq!(outcome.stderr, "");
    let count = |verdict| outcome.stdout.lines().filter(|line| line.starts_with(verdict)).count();
    assert_eq!((count("allowed "), count("disallowed ")), (50_000, 50_000));
    let outcome = comity("check --robots robots.txt --agent a --json").stdin(&urls).run().exits(1);
    assert_eq!(outcome.json_lines().len(), 100_000);
}

#[test]
fn closed_pipe_ends_without_error() {
    for args in
        ["check --agent a", "check --json --agent a", "explain --agent a", "explain --all-dialects --agent a"]
    {
        let mut child = comity(args)
            .command()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("comity should start");
        let mut stdin = child.stdin.take().expect("a pipe");
        let feeder = std::thread::spawn(move || {
            // Writing fails after the command has ended.
            while stdin.write_all(b"/private\n/x\n").is_ok() {}
        });
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a line");
        assert!(line.contains("private"), "{line}");
        drop(stdout);
        let status = child.wait().expect("an end");
        let mut stderr = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
        feeder.join().expect("no panic");
        assert_eq!((status.code(), stderr.as_str()), (Some(0), ""), "{args}");
    }
}

#[test]
fn answers_are_printed_before_the_end_of_input() {
    let mut child = comity("check --agent a")
        .command()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("comity should start");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    for url in ["/private\n", "/x\n"] {
        stdin.write_all(url.as_bytes()).expect("written");
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a line");
        assert!(line.contains(url.trim()), "{line}");
    }
    drop(stdin);
    assert_eq!(child.wait().expect("an end").code(), Some(1));
}

#[test]
fn line_longer_than_1_mib_is_skipped() {
    let mut input = vec![b'/'; 3 * 1024 * 1024];
    input.extend_from_slice(b"\n/private\n");
    let outcome = comity("check --agent a").stdin(input).run().exits(2);
    assert_eq!(outcome.stderr, "error: stdin:1: the line is longer than 1 MiB\n");
    assert!(outcome.stdout.contains("/private"));
}

#[test]
fn colour_follows_option_and_environment() {
    let is_coloured = |run: crate::Run| run.run().stdout.contains('\u{1b}');
    for command in
        ["check --agent a /x", "explain --agent a /x", "inspect", "lint slips.txt", "dialects", "--help"]
    {
        assert!(!is_coloured(comity(command)), "{command}");
        assert!(is_coloured(comity("--color always").arg_all(command)), "{command}");
        assert!(is_coloured(comity(command).env("CLICOLOR_FORCE", "1")), "{command}");
        assert!(
            !is_coloured(comity("--color never").arg_all(command).env("CLICOLOR_FORCE", "1")),
            "{command}"
        );
        assert!(!is_coloured(comity(command).env("NO_COLOR", "1").env("CLICOLOR_FORCE", "1")), "{command}");
    }
}

#[test]
fn coloured_text_contains_all_information() {
    let args = "explain --agent ExampleBot /private/open";
    let plain = comity(args).run().stdout;
    let coloured = comity("--color always").arg_all(args).run().stdout;
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        stripped.push_str(before);
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    stripped.push_str(rest);
    assert_eq!(stripped, plain);
}

impl crate::Run {
    /// Adds arguments, separated by spaces.
    fn arg_all(self, args: &str) -> Self {
        args.split_whitespace().fold(self, crate::Run::arg)
    }
}
