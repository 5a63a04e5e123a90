//! Text that is not a web URL, in every command with URLs.

use std::fs;

use serde_json::Value;

use crate::comity;

/// Texts that are not web URLs, each with a fragment of the error.
const TEXTS: [(&str, &str); 8] = [
    ("mailto:a@b.example", "`mailto:a@b.example` is neither an http nor an https URL"),
    ("tel:+49123", "`tel:+49123` is neither an http nor an https URL"),
    ("javascript:void(0)", "is neither an http nor an https URL"),
    ("www.h.example/x", "`https://www.h.example/x` was probably meant"),
    ("http://", "it has no host"),
    ("https:/h.example/x", "`https://h.example/x` was probably meant"),
    ("nonsense", "start it with `https://`"),
    ("http:h.example", "`http://h.example` was probably meant"),
];

/// Commands that decide URLs by a file. Those with `--json` print a row for each invalid URL.
const COMMANDS: [&str; 6] = [
    "check --robots robots.txt --agent a --json",
    "explain --robots robots.txt --agent a --json",
    "usage --robots robots.txt --agent a --json",
    "status --code 200 --body robots.txt --agent a --json",
    "diff robots.txt other.txt --agent a",
    "matrix --robots robots.txt --agent a",
];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("robots.txt"), "User-agent: *\nDisallow: /private\n").expect("a file");
    fs::write(folder.path().join("other.txt"), "User-agent: *\nDisallow: /\n").expect("a file");
    folder
}

#[test]
fn invalid_url_is_an_error_and_others_are_answered() {
    let folder = folder();
    let list: String = TEXTS.iter().map(|(text, _)| format!("{text}\n\n")).collect();
    fs::write(folder.path().join("urls.txt"), format!("{list}ftp://f.example/x\n/last\n")).expect("a file");
    for command in COMMANDS {
        let run = comity(command).args("--urls urls.txt").arg("");
        let outcome = run.dir(folder.path()).run().exits(2);
        for (_, error) in TEXTS.into_iter().chain([("", "URL argument 1: the URL is empty")]) {
            assert!(outcome.stderr.contains(error), "{command}: {error}: {}", outcome.stderr);
        }
        assert!(outcome.stdout.contains("/last"), "{command}: {}", outcome.stdout);
        assert!(outcome.stdout.contains("ftp://f.example/x"), "{command}: {}", outcome.stdout);
        if command.ends_with("--json") {
            let rows = outcome.json_lines();
            let errors = rows.iter().filter(|row| row["error"].is_string()).count();
            assert_eq!((errors, rows.len()), (TEXTS.len() + 1, TEXTS.len() + 3), "{command}");
        }
    }
}

#[test]
fn url_of_other_scheme_is_an_error_unless_a_robots_txt_is_named() {
    let folder = folder();
    for command in ["check", "explain"] {
        let run = comity(&format!("{command} --agent a --json ftp://f.example/x /last"));
        let outcome = run.dir(folder.path()).run().exits(2);
        assert!(
            outcome.stderr.contains("URL argument 1: `ftp://f.example/x` is neither"),
            "{}",
            outcome.stderr
        );
        let rows = outcome.json_lines();
        assert_eq!(rows.len(), 2, "{command}");
        assert!(rows[0]["error"].is_string() && rows[0]["verdict"].is_null(), "{command}: {}", rows[0]);
        assert_eq!(rows[1]["verdict"], "allowed_implicit", "{command}");
        let run = comity(&format!("{command} --robots robots.txt --agent a ftp://f.example/x"));
        run.dir(folder.path()).run().exits(0);
    }
}

#[cfg(feature = "live")]
#[test]
fn fetch_prints_a_row_for_text_that_is_not_a_url() {
    let folder = folder();
    let list: String = TEXTS.iter().skip(1).map(|(text, _)| format!("{text}\n\n")).collect();
    fs::write(folder.path().join("urls.txt"), list).expect("a file");
    let first = TEXTS[0].0;
    for form in ["--json", "--report report.jsonl"] {
        let run = comity("fetch --contact x --store memory --urls urls.txt").args(form).arg(first);
        let outcome = run.dir(folder.path()).run().exits(2);
        let report = fs::read_to_string(folder.path().join("report.jsonl")).unwrap_or_default();
        let rows = if form == "--json" { outcome.stdout } else { report };
        let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).expect("a row")).collect();
        assert_eq!(rows.len(), TEXTS.len(), "{form}");
        for (row, (text, error)) in rows.iter().zip(TEXTS) {
            assert_eq!((&row["requested_url"], &row["outcome"]), (&text.into(), &"url_refused".into()));
            assert!(row["error"].as_str().is_some_and(|found| found.contains(error)), "{error}: {row}");
        }
    }
    let outcome =
        comity("fetch --dry-run --json --store memory --contact x").arg("h.example/x").arg("").run().exits(2);
    let rows = outcome.json_lines();
    assert_eq!((&rows[0]["would_fetch"], &rows[1]["would_fetch"]), (&false.into(), &false.into()));
    assert!(
        rows[0]["error"].as_str().is_some_and(|error| error.contains("`https://h.example/x`")),
        "{rows:?}"
    );
    let outcome = comity("fetch --store memory h.example").run().exits(2);
    assert!(outcome.stderr.contains("`https://h.example` was probably meant"), "{}", outcome.stderr);
}

#[cfg(feature = "jobs")]
#[test]
fn cell_that_is_not_a_url_is_an_error_of_its_row() {
    let folder = folder();
    let cells: String = TEXTS.iter().map(|(text, _)| format!("{text},a\n")).collect();
    fs::write(
        folder.path().join("pages.csv"),
        format!("url,note\n{cells},empty\nhttps://a.example/x,last\n"),
    )
    .expect("a file");
    let answers = "url,status,body\nhttps://a.example/robots.txt,200,\"User-agent: *\nDisallow: /\"\n";
    fs::write(folder.path().join("answers.csv"), answers).expect("a file");
    comity("audit run pages.csv --robots answers.csv --agent a --as-of now --output out.jsonl")
        .dir(folder.path())
        .run()
        .exits(0);
    let rows = fs::read_to_string(folder.path().join("out.jsonl")).expect("rows");
    let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).expect("a row")).collect();
    assert_eq!(rows.len(), TEXTS.len() + 2);
    for (row, (_, error)) in rows.iter().zip(TEXTS) {
        assert!(row["error"].as_str().is_some_and(|found| found.contains(error)), "{error}: {row}");
    }
    assert!(rows[TEXTS.len()]["error"].is_string(), "{}", rows[TEXTS.len()]);
    assert_eq!(rows[TEXTS.len() + 1]["verdict"], "disallowed_explicit");
}
