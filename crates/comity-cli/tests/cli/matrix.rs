//! `comity matrix`.

use crate::{comity, keys, without_decisions};
use insta::assert_snapshot;

#[test]
fn rules_are_judged_as_a_whole_without_urls() {
    assert_snapshot!(comity("matrix --robots matrix.txt").shown());
}

#[test]
fn purpose_option_selects_the_rows() {
    assert_snapshot!(comity("matrix --robots matrix.txt --purpose training,control_only").shown());
    assert_snapshot!(comity("matrix --robots matrix.txt --purpose traning").shown());
}

#[test]
fn urls_have_columns_if_the_width_suffices() {
    assert_snapshot!(
        comity("matrix --robots matrix.txt --purpose training https://example.com/ /cart /press/2026")
            .shown()
    );
    let counted = comity("matrix --robots matrix.txt --agent GPTBot /1 /2 /3 /4 /5 /6 /7 /8").run().exits(0);
    assert!(counted.stdout.contains("  no  no  no  no  no  no  no  no  GPTBot"), "{}", counted.stdout);
    let one = comity("matrix --robots matrix.txt --agent Googlebot /cart/1").run().exits(0);
    assert!(one.stdout.contains("disallowed  Googlebot"), "{}", one.stdout);
    assert!(one.stdout.contains("Disallow: /cart (line 11)"), "{}", one.stdout);
}

#[test]
fn named_crawlers_are_shown_even_if_unknown() {
    assert_snapshot!(
        comity("matrix --robots matrix.txt --agent gptbot --agent Applebot --agent reedbot --agent heronbot")
            .shown()
    );
}

#[test]
fn file_without_records_allows_all_crawlers() {
    let outcome = comity("matrix --robots - --json").stdin("").run().exits(0);
    let matrix = outcome.json();
    let rows = matrix["crawlers"].as_array().expect("rows");
    assert!(rows.len() > 50, "{} rows", rows.len());
    for row in rows {
        assert_eq!((&row["access"], &row["matched_by"]), (&"allowed".into(), &"nobody".into()), "{row}");
    }
}

#[test]
fn retired_and_obscure_crawlers_are_shown_on_request() {
    let count = |args: &str| comity(args).stdin("User-agent: Cliqzbot\nDisallow: /\n").run().exits(0).json();
    let few = count("matrix --robots - --json");
    let all = count("matrix --robots - --json --all");
    let rows = |matrix: &serde_json::Value| matrix["crawlers"].as_array().expect("rows").len();
    assert!(rows(&few) + 200 < rows(&all), "{} and {}", rows(&few), rows(&all));
    // The file names the crawler, so its row is shown.
    let named = |row: &&serde_json::Value| row["agent"] == "Cliqzbot";
    let cliqzbot = few["crawlers"].as_array().expect("rows").iter().find(named).expect("Cliqzbot");
    assert_eq!(cliqzbot["known"]["status"], "retired");
    assert_eq!(cliqzbot["access"], "disallowed");
}

#[test]
fn json_has_the_fields_in_the_documented_order() {
    let outcome =
        comity("matrix --robots matrix.txt --agent Applebot --agent Bytespider --json /cart").run().exits(0);
    let expected = [
        "file",
        "robots_txt",
        "dialect",
        "truncated",
        "urls",
        "summary",
        "crawlers",
        "names_left_out",
        "probe",
    ];
    assert_eq!(keys(&outcome.stdout), expected);
    assert_snapshot!(without_decisions(&outcome.stdout));
}

#[test]
fn usage_of_another_group_has_the_interpretation_whole_file() {
    let outcome =
        comity("matrix --robots matrix.txt --json --agent bingbot --agent Googlebot").run().exits(0);
    let matrix = outcome.json();
    let uses = |row: usize, reading: &str| {
        let uses = matrix["crawlers"][row]["usage"].as_array().expect("a list").clone();
        let of = |item: &&serde_json::Value| item["interpretation"] == reading;
        uses.iter().filter(of).map(|item| item["term"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let of_star: Vec<String> = uses(0, "group");
    assert_eq!(of_star, ["ai-train", "search", "ai-input"]);
    // Googlebot's own group has no signal, but another group of the file has one.
    let own: Vec<String> = uses(1, "group");
    assert!(own.is_empty(), "{own:?}");
    let whole: Vec<String> = uses(1, "whole_file");
    assert_eq!(whole, of_star);
}

#[test]
fn csv_has_one_row_per_crawler() {
    let robots = "User-agent: =HYPERLINK(\"x\"),reed\nDisallow: /a,b\"c\n";
    assert_snapshot!(comity("matrix --robots - --format csv --agent GPTBot --agent *").stdin(robots).shown());
    let all = comity("matrix --robots - --format csv").stdin(robots).run().exits(0);
    let row = all.stdout.lines().find(|line| line.contains("HYPERLINK")).expect("a row");
    assert!(row.starts_with("stdin,\"'=HYPERLINK(\"\"x\"\"),reed\","), "{row}");
}

#[test]
fn html_page_is_self_contained() {
    let page = comity("matrix --robots matrix.txt --format html --purpose control_only").shown();
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).strftime("%-d %B %Y").to_string();
    assert_snapshot!(page.replace(&today, "TODAY"));
    let page = comity("matrix --robots matrix.txt --format html / /cart").run().exits(0).stdout;
    for wanted in ["<html lang=\"en\">", "scope=\"row\"", "scope=\"col\"", "prefers-color-scheme: dark"] {
        assert!(page.contains(wanted), "{wanted}");
    }
    // With several URLs, the page has a grid: a column for each URL, and a word for each sign.
    assert!(page.contains("<table class=\"grid\""), "no grid");
    assert!(page.contains("<span class=\"heard\">disallowed</span>"), "a sign without a word");
    // The page loads no resource and runs no script.
    for unwanted in ["<script", "<img", "<link", "src=", "@import", "url(", " style=", "javascript:"] {
        assert!(!page.contains(unwanted), "{unwanted}");
    }
}

#[test]
fn crawlers_with_equal_results_share_a_row_of_the_page() {
    let robots = "User-agent: GPTBot\nUser-agent: ClaudeBot\nUser-agent: CCBot\nDisallow: /\nAllow: /blog/\n\n\
                  User-agent: Googlebot\nDisallow: /a\nDisallow: /b\nCrawl-delay: 3\n";
    let page = comity("matrix --robots - --format html").stdin(robots).run().exits(0).stdout;
    let row = page.lines().find(|line| line.contains("<code>GPTBot</code>")).expect("a row");
    for wanted in [
        "\u{25D0}</span> partly",
        "<code>CCBot</code>",
        "<code>ClaudeBot</code>",
        "<span class=\"count\">",
        "disallowed except 1 rule",
        "<code>Allow: /blog/ (line 5)</code>",
        "About these crawlers",
    ] {
        assert!(row.contains(wanted), "{wanted}: {row}");
    }
    let row = page.lines().find(|line| line.contains("<code>Googlebot</code>")).expect("a row");
    for wanted in
        ["</span> partly<", "allowed except 2 rules", "<code>Disallow: /b (line 9)</code>", "delay 3 s"]
    {
        assert!(row.contains(wanted), "{wanted}: {row}");
    }
}

#[test]
fn groups_with_the_same_rules_share_a_row() {
    let group = |agent: &str| format!("User-agent: {agent}\nDisallow: /a\nDisallow: /b\n\n");
    let other = "User-agent: ClaudeBot\nDisallow: /b\n\nUser-agent: bingbot\nDisallow: /b\nDisallow: /a\nCrawl-delay: 2\n";
    let robots = ["GPTBot", "CCBot", "Bytespider"].map(group).concat() + other;
    for (view, wanted) in
        [("--purpose training", "[3]"), ("--purpose training --format html", "class=\"count\">3<")]
    {
        let shown = comity(&format!("matrix --robots - {view}")).stdin(&robots).run().exits(0).stdout;
        assert!(shown.contains(wanted), "{view}: {shown}");
        let words: Vec<&str> = shown.split_whitespace().collect();
        assert!(words.join(" ").contains("the same in 2 other groups"), "{view}: {shown}");
    }
    // Crawlers with another rule, or another delay, have another row.
    let all = comity("matrix --robots -").stdin(&robots).run().exits(0).stdout;
    assert!(all.contains("Disallow: /b (line 14)") && all.contains("delay 2 s"), "{all}");
}

#[test]
fn many_urls_are_counted_on_the_page() {
    let urls = (0..60)
        .fold(comity("matrix --robots matrix.txt --format html --agent GPTBot"), |run, number| {
            run.arg(&format!("/{number}"))
        });
    let page = urls.run().exits(0).stdout;
    assert!(page.contains("0 allowed, 60 disallowed"), "{page}");
    assert!(!page.contains("class=\"grid\""));
}

/// Returns a robots.txt with hostile names: markup, escape sequences, reversed text, invalid UTF-8, a long name.
fn hostile(count: usize) -> Vec<u8> {
    let names: [&[u8]; 8] = [
        b"<img src=x onerror=alert(1)>",
        b"\"><script>alert(1)</script>",
        b"' style='x",
        b"\x1b[31mred\x1b[0m\x07",
        "\u{202e}tobrevir".as_bytes(),
        b"&lt;b&gt;",
        b"caf\xe9bot",
        &[b'a'; 3_000],
    ];
    let mut robots = Vec::new();
    for number in 0..count {
        robots.extend_from_slice(b"User-agent: ");
        robots.extend_from_slice(names[number % names.len()]);
        robots.extend_from_slice(format!("{number}\n").as_bytes());
        if number % 3 == 0 {
            robots.extend_from_slice(b"Disallow: /<b>\"'&\x1b[31m\nContent-Signal: ai-train=<i>no\n");
        }
    }
    robots
}

#[test]
fn hostile_names_are_escaped() {
    let robots = hostile(64);
    for view in ["", "--format html", "--format csv", "--json", "--all --format html"] {
        let shown = comity(&format!("matrix --robots - {view}")).stdin(&robots).run().exits(0).stdout;
        let is_harmful = |c: char| c.is_control() && !matches!(c, '\n' | '\r') || c == '\u{202e}';
        if view != "--json" {
            assert!(!shown.contains(is_harmful), "{view}");
        }
        if view.contains("html") {
            for unwanted in ["<img", "<script", "<b>", "<i>", "' style='", "onerror=alert(1)>"] {
                assert!(!shown.contains(unwanted), "{unwanted}");
            }
            assert!(shown.contains("&#60;img src=x onerror=alert(1)&#62;"));
            assert!(shown.contains("&#38;lt;b&#38;gt;"));
        }
    }
}

#[test]
fn thousands_of_names_are_counted() {
    let names: String =
        (0..5_000).map(|number| format!("User-agent: reed{number}\nDisallow: /{number}\n")).collect();
    let outcome = comity("matrix --robots - --json").stdin(names).run().exits(0);
    let matrix = outcome.json();
    assert_eq!(matrix["names_left_out"], 4_800);
    let unknown = matrix["crawlers"].as_array().expect("rows").iter().filter(|row| row["known"].is_null());
    assert_eq!(unknown.count(), 201);
    let text = comity("matrix --robots -").stdin(hostile(5_000)).run().exits(0);
    assert!(text.stdout.contains("more names in the file"), "no count of names");
}

#[test]
fn real_files_have_a_matrix() {
    let Some(data) = testkit::data::shared_data() else { return };
    for number in (0..7_881).step_by(197) {
        let path = data.join("corpus/robots").join(format!("{number:05}.txt"));
        let robots = path.display().to_string();
        for view in ["--json", "--format html", "--format csv", "/"] {
            let outcome = comity("matrix --robots").arg(&robots).args(view).run().exits(0);
            assert!(!outcome.stdout.is_empty() && outcome.stderr.is_empty(), "{robots}: {}", outcome.stderr);
        }
    }
}

#[test]
fn invalid_input_is_an_error() {
    assert_snapshot!(comity("matrix --robots missing.txt").shown());
    assert_snapshot!(comity("matrix --robots matrix.txt / nonsense").shown());
    assert_snapshot!(comity("matrix --robots matrix.txt --json --format html").shown());
    let mut many = comity("matrix --robots matrix.txt");
    for number in 0..1_001 {
        many = many.arg(&format!("/{number}"));
    }
    let outcome = many.run().exits(2);
    assert!(
        outcome.stderr.starts_with("error: more than 1000 URLs cannot be judged at once"),
        "{}",
        outcome.stderr
    );
}
