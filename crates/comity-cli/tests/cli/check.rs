//! `comity check`.

use crate::{comity, decision_fields, keys, without_decisions};
use insta::assert_snapshot;

#[test]
fn byte_order_mark_decoded_as_latin1_is_skipped_by_the_default_dialect() {
    let body = "\u{ef}\u{bb}\u{bf}User-agent: *\nDisallow: /private\n";
    let run = comity("check --agent ExampleBot --robots - /private").stdin(body).run();
    run.exits(1);
    let run = comity("check --agent ExampleBot --dialect google --robots - /private").stdin(body).run();
    run.exits(0);
}

#[test]
fn each_url_is_printed_on_one_line() {
    assert_snapshot!(
        comity("check --robots robots.txt --agent ExampleBot https://example.com/ /private/x /private/open/x /a.pdf /robots.txt")
            .shown()
    );
}

#[test]
fn each_pair_of_url_and_crawler_is_printed_on_one_line() {
    assert_snapshot!(
        comity("check --agent GPTBot --agent Googlebot --agent EmptyBot /blog/a /blog/drafts/1 /same")
            .shown()
    );
}

#[test]
fn header_and_fallback_select_their_group() {
    let header = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://example.com/bot)";
    assert_snapshot!(comity("check /x --user-agent").arg(header).shown());
    assert_snapshot!(comity("check --agent Googlebot-Image --fallback Googlebot /same /private").shown());
}

#[test]
fn url_without_applicable_group_is_allowed() {
    assert_snapshot!(comity("check --robots no-star.txt --agent ExampleBot /x").shown());
}

#[test]
fn json_has_the_fields_in_the_documented_order() {
    let outcome = comity("check --json --agent ExampleBot /private /x").run().exits(1);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    for line in &lines {
        assert_eq!(keys(line), decision_fields());
    }
    assert_snapshot!(without_decisions(&outcome.stdout));
}

#[test]
fn exit_code_follows_the_verdicts() {
    comity("check --quiet --agent a /x").run().exits(0);
    let outcome = comity("check --quiet --agent a /x /private").run().exits(1);
    assert_eq!(outcome.stdout, "");
    comity("check --quiet --agent a /private nonsense").run().exits(2);
    comity("check --agent a --dialect urllib /private").run().exits(1);
}

#[test]
fn each_dialect_decides_by_its_own_rules() {
    assert_snapshot!(comity("check --agent ExampleBot --dialect urllib /private/open /a.pdf").shown());
    assert_snapshot!(comity("check --agent ExampleBot --dialect MK1994 /private").shown());
}

#[test]
fn charset_applies_to_dialects_that_match_characters() {
    let body = "User-agent: *\nDisallow: /caf\u{e9}\n";
    let check = |charset| {
        let args = format!("check --robots - --dialect gym2008 --agent a --charset {charset} /caf%C3%A9");
        comity(&args).stdin(body).run()
    };
    check("utf-8").exits(1);
    check("latin-1").exits(0);
    assert_snapshot!(comity("check --agent a --charset utf-9 /x").shown());
}

/// Every field of the decision has a column with the name that the tables of `comity audit` use.
#[test]
fn csv_has_a_column_for_each_field_of_the_row() {
    let csv =
        comity("check --agent GPTBot --robots robots.txt --format csv /private/a :").run().exits(2).stdout;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header: Vec<String> = reader.headers().expect("a header").iter().map(str::to_owned).collect();
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    let cell = |row: usize, name: &str| {
        let place =
            header.iter().position(|column| column == name).unwrap_or_else(|| panic!("{name}: {header:?}"));
        rows[row][place].to_owned()
    };
    for field in comity::decision::DecisionRecord::FIELDS {
        let has_column = header.iter().any(|name| name.starts_with(field.name));
        assert!(has_column, "{}: {header:?}", field.name);
    }
    let names = [
        "url",
        "agent",
        "allowed",
        "verdict",
        "recommendation",
        "line",
        "rule_kind",
        "rule",
        "group",
        "error",
    ];
    let json = comity("check --agent GPTBot --robots robots.txt --json /private/a").run().json();
    let values = names.map(|name| match name {
        "line" => json["rule"]["line"].to_string(),
        "rule_kind" => json["rule"]["kind"].as_str().unwrap_or_default().to_owned(),
        "rule" => json["rule"]["pattern"].as_str().unwrap_or_default().to_owned(),
        name => json[name].as_str().map_or_else(|| json[name].to_string().replace("null", ""), str::to_owned),
    });
    assert_eq!(names.map(|name| cell(0, name)), values);
    assert!(cell(1, "verdict").is_empty() && !cell(1, "error").is_empty(), "{csv}");
}

#[test]
fn urls_are_read_from_standard_input() {
    assert_snapshot!(
        comity("check --robots robots.txt --agent ExampleBot")
            .stdin("/private\r\n\n/x\nhttps://example.com/a.pdf")
            .shown()
    );
    assert_snapshot!(comity("check --agent ExampleBot /first - /last").stdin("\u{feff}/private\n").shown());
    assert_snapshot!(comity("check --agent ExampleBot").stdin("\n  \n").shown());
}

#[test]
fn robots_txt_is_read_from_standard_input() {
    let outcome = comity("check --robots - --agent a /x").stdin("User-agent: *\nDisallow: /x\n").run();
    assert!(outcome.exits(1).stdout.contains("line 2: Disallow: /x"));
    assert_snapshot!(comity("check --robots - --agent a").shown());
    assert_snapshot!(comity("check --robots - --agent a -").shown());
}

#[test]
fn invalid_url_is_an_error_and_others_are_decided() {
    assert_snapshot!(comity("check --agent a nonsense /x mailto:a@example.com").shown());
    assert_snapshot!(comity("check --agent a").stdin("/x\nexample.com/page\n/private\n").shown());
}

#[test]
fn unsafe_bytes_are_replaced_in_output() {
    assert_snapshot!(
        comity("check --agent a --robots odd.txt /caf%C3%A9 /caf%E9 /a%E2%80%AEb /%1b[31mred").shown()
    );
    assert_snapshot!(comity("check --agent a").stdin(b"/\x1b[31m\n/caf\xe9\n").shown());
    let outcome = comity("check --json --agent a").stdin(b"/\x1b[31m\n/caf\xe9\n").run().exits(0);
    assert_eq!(outcome.json_lines()[1]["url"], "/caf\u{fffd}");
}

#[test]
fn invalid_arguments_have_an_explanation() {
    assert_snapshot!(comity("check /x").shown());
    assert_snapshot!(comity("check --agent a --dialect gogle /x").shown());
    assert_snapshot!(comity("check --agent").arg("").arg("/x").shown());
    assert_snapshot!(
        comity("check --agent a --fallback b").arg("--robots").arg("missing.txt").arg("/x").shown()
    );
    assert_snapshot!(comity("check --agent a --robots . /x").shown());
}

#[test]
fn missing_default_file_has_a_hint() {
    let empty = tempfile::tempdir().expect("a folder");
    let mut command = comity("check --agent a /x").command();
    let output = command.current_dir(empty.path()).output().expect("comity should start");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains("cannot read `robots.txt`") && stderr.contains("hint:"), "{stderr}");
}

#[test]
fn user_agent_header_as_token_is_rejected_with_a_hint() {
    for command in ["check", "explain", "usage", "diff robots.txt robots.txt", "matrix"] {
        for name in ["Mozilla/5.0 (compatible; GPTBot/1.2)", "GPTBot/1.2", "Some Body", " "] {
            let outcome = comity(&format!("{command} --agent")).arg(name).run().exits(2);
            let stderr = outcome.stderr;
            assert!(stderr.contains("is not a product token"), "{command} {name}: {stderr}");
            assert!(stderr.contains("--user-agent"), "{command} {name}: {stderr}");
        }
    }
}

#[test]
fn star_and_known_name_with_white_space_are_accepted() {
    comity("check --robots no-star.txt --agent * /x").run().exits(0);
    comity("check --robots no-star.txt --agent").arg("Brightbot 1.0").arg("/x").run().exits(0);
}

#[test]
fn similar_name_has_one_notice_per_run() {
    let outcome = comity("check --robots no-star.txt --agent googelbot /x /y /z").run().exits(0);
    assert_eq!(outcome.stderr, "warning: `googelbot` is not a known crawler; did you mean `Googlebot`?\n");
    let outcome = comity("check --robots no-star.txt --quiet --agent googelbot /x").run().exits(0);
    assert_eq!(outcome.stderr, "");
    let outcome = comity("explain --robots robots.txt --agent EmtpyBot --json /x").run();
    let line: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("one object");
    assert_eq!(line["near_miss"], serde_json::json!({ "name": "EmptyBot", "found_in": "robots_txt" }));
    let outcome = comity("explain --robots robots.txt --agent EmtpyBot /x").run();
    assert!(
        outcome.stdout.contains("no group names `EmtpyBot`, but a group names `EmptyBot`"),
        "{}",
        outcome.stdout
    );
}
