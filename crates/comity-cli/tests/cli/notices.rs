//! Notices about names of crawlers and about URLs, in every command with an option for a name.

use std::fs;

use crate::comity;

const ROBOTS: &str = "User-agent: HeronCrawler\nDisallow: /\n\nUser-agent: *\nDisallow: /private\n";

/// Commands with the placeholder `NAME` for the name of a crawler, and true if they read the robots.txt.
const COMMANDS: [(&str, bool); 10] = [
    ("check --robots robots.txt --agent NAME /x", true),
    ("explain --robots robots.txt --agent NAME /x", true),
    ("usage --robots robots.txt --agent NAME /x", true),
    ("matrix --robots robots.txt --agent NAME", true),
    ("matrix --robots robots.txt --agent NAME --json", true),
    ("diff robots.txt robots.txt --agent NAME", true),
    ("status --code 200 --body robots.txt --agent NAME /x", true),
    ("page --headers header.txt --profile google --agent NAME", false),
    #[cfg(feature = "jobs")]
    ("audit run pages.csv --robots answers.csv --agent NAME", false),
    #[cfg(not(feature = "jobs"))]
    ("page --headers header.txt --profile google --agent NAME --json", false),
    ("fetch mailto:x --agent NAME", false),
];

/// Names, each with the notice about it. The first name is similar to a name in the robots.txt.
const NAMES: [(&str, &str); 3] = [
    ("HeronCralwer", "warning: no group names `HeronCralwer`, but a group names `HeronCrawler`"),
    ("googelbot", "warning: `googelbot` is not a known crawler; did you mean `Googlebot`?"),
    ("anthropic-ai", "warning: `anthropic-ai` is retired"),
];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [
        ("robots.txt", ROBOTS),
        ("header.txt", "HTTP/1.1 200 OK\r\n\r\n"),
        ("pages.csv", "url\nhttps://a.example/x\n"),
        ("answers.csv", "url,status,body\nhttps://a.example/robots.txt,404,\n"),
    ] {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

#[test]
fn name_that_may_be_wrong_has_one_notice_in_every_command() {
    let folder = folder();
    for (command, reads_file) in COMMANDS {
        for (name, notice) in &NAMES[usize::from(!reads_file)..] {
            let outcome = comity(&command.replace("NAME", name)).dir(folder.path()).run();
            assert_eq!(outcome.stderr.matches(notice).count(), 1, "{command} of {name}: {}", outcome.stderr);
        }
    }
}

#[test]
fn fallback_that_may_be_wrong_has_one_notice_in_every_command() {
    let folder = folder();
    for command in [
        "check --robots robots.txt --agent SomeOtherBot --agent AnotherBot --fallback NAME /x",
        "explain --robots robots.txt --agent SomeOtherBot --fallback NAME /x",
        "usage --robots robots.txt --agent SomeOtherBot --fallback NAME /x",
        "status --body robots.txt --code 200 --agent SomeOtherBot --fallback NAME /x",
    ] {
        for (name, notice) in NAMES {
            let outcome = comity(&command.replace("NAME", name)).dir(folder.path()).run();
            assert_eq!(outcome.stderr.matches(notice).count(), 1, "{command} of {name}: {}", outcome.stderr);
        }
    }
}

#[test]
fn name_without_resemblance_and_configured_name_have_no_notice() {
    let folder = folder();
    for (command, _) in COMMANDS.into_iter().filter(|(command, _)| !command.starts_with("page")) {
        for (name, own) in
            [("SomeOtherBot", "ExampleBot"), ("HeronCrawler", "ExampleBot"), ("googelbot", "googelbot")]
        {
            if command.starts_with("fetch") && name == own {
                continue;
            }
            let run = comity(&command.replace("NAME", name)).dir(folder.path());
            let outcome = run.env("COMITY_AGENT", own).run();
            for word in ["is not a known crawler", "no group names", "is retired"] {
                assert!(!outcome.stderr.contains(word), "{command} of {name}: {}", outcome.stderr);
            }
        }
    }
    let outcome = comity("fetch mailto:x").env("COMITY_AGENT", "googelbot").run().exits(2);
    assert!(!outcome.stderr.contains("is not a known crawler"), "{}", outcome.stderr);
}

#[test]
fn test_with_wrong_name_fails_in_every_format() {
    let folder = folder();
    let run = |args: &str, name: &str| {
        let tests = format!(
            "[[test]]\nagent = \"{name}\"\nallowed = [\"/x\"]\n\n[[test]]\nagent = \"SomeOtherBot\"\nallowed = [\"/x\"]\n"
        );
        fs::write(folder.path().join("robots.test.toml"), tests).expect("a file");
        comity("test").args(args).dir(folder.path())
    };
    for (name, notice) in NAMES {
        let notice = notice.trim_start_matches("warning: ");
        for format in ["text", "json", "junit", "sarif", "github"] {
            let outcome = run(&format!("--format {format}"), name).run().exits(1);
            let shown = outcome.stdout.replace("&#96;", "`").split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(shown.contains(notice), "{format} of {name}: {}", outcome.stdout);
        }
        let rows = run("--json", name).run().exits(1).json_lines();
        assert_eq!((&rows[0]["passed"], &rows[0]["verdict"]), (&false.into(), &serde_json::Value::Null));
        assert_eq!(rows[1]["passed"], true);
    }
    run("", "googelbot").env("COMITY_AGENT", "googelbot").run().exits(0);
}

#[test]
fn header_in_place_of_token_is_an_error_with_the_way_out() {
    let folder = folder();
    let test = "[[test]]\nagent = \"Mozilla/5.0 (x)\"\nallowed = [\"/\"]\n";
    fs::write(folder.path().join("robots.test.toml"), test).expect("a file");
    let outcome = comity("test").dir(folder.path()).run().exits(2);
    assert!(outcome.stderr.contains("use `user_agent` for a whole User-Agent header"), "{}", outcome.stderr);
    let is_token =
        |command: &&(&str, bool)| !command.0.starts_with("page") && !command.0.starts_with("fetch");
    for (command, _) in COMMANDS.iter().filter(is_token) {
        let run = comity(&command.replace("NAME", "")).arg("Mozilla/5.0").dir(folder.path());
        let run = command.split_once("--agent NAME").map_or(run, |(before, after)| {
            comity(before).arg("--agent").arg("Mozilla/5.0").args(after).dir(folder.path())
        });
        let outcome = run.run().exits(2);
        let sentence = "use --user-agent for a whole User-Agent header";
        assert!(outcome.stderr.contains(sentence), "{command}: {}", outcome.stderr);
    }
}

#[test]
fn file_for_several_sites_and_double_slash_have_notices() {
    let folder = folder();
    for command in [
        "check --robots robots.txt --agent a",
        "explain --robots robots.txt --agent a",
        "matrix --robots robots.txt --agent a",
        "diff robots.txt robots.txt --agent a",
        "status --code 200 --body robots.txt --agent a",
    ] {
        let urls = " https://a.example/ https://b.example/x //c.example/y";
        let outcome = comity(command).args(urls).dir(folder.path()).run().exits(0);
        for notice in [
            "`robots.txt` decided the URLs of 2 sites; each site has its own robots.txt",
            "`//c.example/y` begins with two slashes and is decided as a path",
        ] {
            assert_eq!(outcome.stderr.matches(notice).count(), 1, "{command}: {}", outcome.stderr);
        }
    }
}
