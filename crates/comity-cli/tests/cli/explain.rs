//! `comity explain`.

use crate::{Run, comity};
use insta::assert_snapshot;

#[test]
fn matching_rules_are_shown_in_order_of_precedence() {
    assert_snapshot!(
        comity("explain --robots robots.txt --agent ExampleBot https://example.com/private/open/x").shown()
    );
    assert_snapshot!(comity("explain --agent Googlebot /same").shown());
    assert_snapshot!(comity("explain --agent ExampleBot --dialect urllib /private/open").shown());
}

#[test]
fn dialect_that_compares_matches_names_the_longest_match() {
    let robots = "User-agent: *\nDisallow: /a*z\nAllow: /abcde\n";
    let explained = |dialect: &str| {
        let command = format!("explain --robots - --agent a --dialect {dialect} /abcdefz");
        comity(&command).stdin(robots).run().stdout
    };
    let by_match = explained("urllib-2026");
    assert!(by_match.contains("decides: the longest match (8)"), "{by_match}");
    assert!(by_match.contains("loses: a longer match wins (6 < 8)"), "{by_match}");
    let by_pattern = explained("rfc9309");
    assert!(by_pattern.contains("decides: the longest pattern (6)"), "{by_pattern}");
}

#[test]
fn selected_group_has_a_reason() {
    assert_snapshot!(comity("explain --agent GPTBot /blog/drafts/1").shown());
    assert_snapshot!(comity("explain --agent Googlebot-Image --fallback googlebot /x").shown());
    assert_snapshot!(comity("explain --agent EmptyBot /private").shown());
    assert_snapshot!(comity("explain --robots no-star.txt --agent ExampleBot /x").shown());
    let header = "Mozilla/5.0 (compatible; GPTBot/1.2)";
    assert_snapshot!(comity("explain /x --user-agent").arg(header).shown());
    assert_snapshot!(comity("explain --dialect webcanon --agent MyGooglebot /same").shown());
}

#[test]
fn url_of_robots_txt_is_always_allowed() {
    let robots = |args: &str| comity(args).stdin("User-agent: *\nDisallow: /\n");
    assert_snapshot!(robots("explain --robots - --agent a /robots.txt").shown());
    assert_snapshot!(robots("explain --robots - --agent a --all-dialects /robots.txt").shown());
}

#[test]
fn several_urls_and_crawlers_are_explained_in_order() {
    assert_snapshot!(comity("explain --agent a --agent CCBot /x /private").shown());
    assert_snapshot!(comity("explain --agent a").stdin("/x\nnonsense\n/private\n").shown());
}

#[test]
fn all_dialects_are_shown_side_by_side() {
    assert_snapshot!(comity("explain --all-dialects --agent ExampleBot /private/open").shown());
    assert_snapshot!(comity("explain --all-dialects --agent CCBot /blog/x").shown());
    assert_snapshot!(comity("explain --all-dialects --agent ExampleBot /nothing-speaks-of-this").shown());
    assert_snapshot!(comity("explain --all-dialects --agent ExampleBot example.com/private").shown());
}

#[test]
fn all_dialects_explain_misspelt_keys_and_names() {
    let slips = |args: &str| -> Run { comity(args).stdin(include_str!("../fixtures/slips.txt")) };
    assert_snapshot!(slips("explain --all-dialects --robots - --agent a /internal/x").shown());
    assert_snapshot!(slips("explain --all-dialects --robots - --agent a /private/x").shown());
    let names = "User-agent: foo\nDisallow: /\nUser-agent: *\nDisallow: /%7Ejoe\n";
    assert_snapshot!(comity("explain --all-dialects --robots - --agent foobot /~joe").stdin(names).shown());
}

#[test]
fn dialect_option_selects_the_reference() {
    let outcome =
        comity("explain --all-dialects --dialect urllib --agent ExampleBot /private/open").run().exits(1);
    assert!(outcome.stdout.contains("Differences from urllib:"), "{}", outcome.stdout);
}

#[test]
fn json_contains_the_same_evidence() {
    let outcome = comity("explain --json --agent ExampleBot /private/open/x /x").run().exits(0);
    let lines = outcome.json_lines();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["contenders"][0]["outcome"], "decides");
    assert_eq!(lines[0]["contenders"][1]["outcome"], "shorter");
    assert_eq!(lines[0]["other_groups"][0]["agents"][1], "CCBot");
    assert_eq!(lines[1]["rule"], serde_json::Value::Null);
    let outcome = comity("explain --json --all-dialects --agent ExampleBot /private/open").run().exits(0);
    let all = &outcome.json_lines()[0];
    assert_eq!(all["dialects"].as_array().map(Vec::len), Some(comity::robots::Dialect::ALL.len()));
    assert_eq!(all["reference"], "rfc9309");
    assert_eq!(all["differences"][0]["dialects"][0], "gym2008");
}

#[test]
fn output_for_a_thousand_rules_and_groups_is_short() {
    let mut body = String::from("User-agent: *\n");
    for length in 1..500 {
        body.push_str(&format!("Disallow: /{}\n", "a".repeat(length)));
    }
    for group in 0..500 {
        body.push_str(&format!("User-agent: bot{group}\nDisallow: /a\n"));
    }
    let url = format!("/{}", "a".repeat(600));
    let outcome = comity("explain --robots - --agent x").arg(&url).stdin(&body).run().exits(1);
    assert!(outcome.stdout.contains("... and 486 more rules that matched and lost"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("494 more groups"), "{}", outcome.stdout);
}

#[test]
fn readme_example_is_explained() {
    let sample = "../../../../samples/robots.txt";
    assert_snapshot!(
        comity(&format!("explain --robots {sample} --agent GPTBot https://shop.example/blog/2026/news"))
            .shown()
    );
    assert_snapshot!(
        comity(&format!(
            "explain --all-dialects --robots {sample} --agent ExampleBot https://shop.example/manuals/kettle.pdf"
        ))
        .shown()
    );
}
