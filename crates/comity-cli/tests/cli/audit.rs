//! `comity audit`: reads archives and tables; writes verdicts, a manifest and a report.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{Run, comity};

const ROBOTS: &str = "key,fetched_at,status,body\n\
    https://a.example,2024-01-01,200,\"User-agent: *\nDisallow: /private\n\"\n\
    https://b.example,2024-01-01,404,\n";

const PAGES: &str = "id,url,timestamp\n\
    1,https://a.example/,20240201000000\n\
    2,https://a.example/private/x,20240201000000\n\
    3,https://b.example/,20240201000000\n\
    4,https://c.example/,20240201000000\n";

/// Creates a folder with pages and robots.txt answers.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("robots.csv"), ROBOTS).expect("a file");
    fs::write(folder.path().join("pages.csv"), PAGES).expect("a file");
    folder
}

fn audit(folder: &Path, args: &str) -> Run {
    comity(&format!("audit {args}")).dir(folder)
}

fn record(kind: &str, url: &str, time: &str, block: &str) -> String {
    format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {time}\r\n\
         Content-Type: application/http; msgtype={kind}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

#[test]
fn row_is_written_unchanged_with_its_verdict() {
    let folder = folder();
    let outcome = audit(folder.path(), "run pages.csv -r robots.csv -a GPTBot -o out.csv").run().exits(0);
    assert!(outcome.stdout.contains("URL in `url`, time in `timestamp`"), "{}", outcome.stdout);
    let rows = fs::read_to_string(folder.path().join("out.csv")).expect("rows");
    let lines: Vec<&str> = rows.lines().collect();
    assert_eq!(lines[0], "id,url,timestamp,seen_at,verdict,allowed,rule,line,group,answer,answer_age,error");
    assert!(lines[2].starts_with("2,https://a.example/private/x,20240201000000,"), "{}", lines[2]);
    assert!(lines[2].ends_with(",disallowed_explicit,false,/private,2,*,http_200,2678400,"), "{}", lines[2]);
    assert!(lines[4].contains(",unknown_unreachable,false,"), "{}", lines[4]);
}

#[test]
fn manifest_has_counts_and_digests_of_inputs() {
    let folder = folder();
    audit(folder.path(), "run pages.csv -r robots.csv -a GPTBot --out out.jsonl -q").run().exits(0);
    let manifest = fs::read(folder.path().join("out.jsonl.manifest.json")).expect("a manifest");
    let manifest: Value = serde_json::from_slice(&manifest).expect("JSON");
    assert_eq!(manifest["inputs"][0]["rows"], 4);
    assert_eq!(manifest["inputs"][0]["columns"]["seen_at"], "timestamp");
    assert_eq!(manifest["answers"]["answers"], 2);
    let shares = &manifest["summary"]["views"][0]["shares"];
    assert_eq!(
        (&shares["allowed"], &shares["disallowed"], &shares["unknown"]),
        (&2.into(), &1.into(), &1.into())
    );
    for file in
        [&manifest["inputs"][0]["digest"], &manifest["robots"][0]["digest"], &manifest["output_digest"]]
    {
        assert!(file.as_str().is_some_and(|digest| digest.starts_with("sha-256=:")), "{file}");
    }
    let rows = fs::read_to_string(folder.path().join("out.jsonl")).expect("rows");
    let second: Value = serde_json::from_str(rows.lines().nth(1).expect("a row")).expect("JSON");
    assert_eq!((&second["verdict"], &second["line"]), (&"disallowed_explicit".into(), &2.into()));
}

#[test]
fn index_gives_the_verdicts_of_its_sources() {
    let folder = folder();
    let outcome = audit(folder.path(), "index robots.csv -o robots.parquet --json").run().exits(0);
    assert_eq!(outcome.json()["answers"]["sites"], 2);
    let by_index =
        audit(folder.path(), "run pages.csv -r robots.parquet -a GPTBot --json").run().exits(0).json();
    let by_source =
        audit(folder.path(), "run pages.csv -r robots.csv -a GPTBot --json").run().exits(0).json();
    assert_eq!(by_index["summary"], by_source["summary"]);
    // Parquet is read and written.
    audit(folder.path(), "run pages.csv -r robots.csv -a GPTBot -q -o pages.parquet").run().exits(0);
    let again =
        audit(folder.path(), "run pages.parquet -r robots.parquet -a GPTBot --prefix again_ -o again.csv");
    again.run().exits(0);
    let rows = fs::read_to_string(folder.path().join("again.csv")).expect("rows");
    for row in rows.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!(cells[4], cells[12], "{row}");
    }
}

#[test]
fn archive_with_pages_and_robots_txt_is_input_and_source() {
    let folder = folder();
    let robots = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /no\n";
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Hello";
    let archive = [
        record("response", "https://a.example/robots.txt", "2024-01-01T00:00:00Z", robots),
        record("response", "https://a.example/no/x", "2024-01-01T00:00:05Z", page),
        record("response", "https://a.example/yes", "2024-01-01T00:00:06Z", page),
    ];
    fs::write(folder.path().join("crawl.warc"), archive.concat()).expect("a file");
    let outcome =
        audit(folder.path(), "run crawl.warc -r crawl.warc -a CCBot -o out.jsonl --summary").run().exits(0);
    assert!(outcome.stdout.contains("Disallow: /no  (line 2)"), "{}", outcome.stdout);
    let rows = fs::read_to_string(folder.path().join("out.jsonl")).expect("rows");
    let verdicts: Vec<Value> = rows
        .lines()
        .map(|row| serde_json::from_str::<Value>(row).expect("JSON")["verdict"].clone())
        .collect();
    // The robots.txt is an answer, not a page.
    assert_eq!(verdicts, ["disallowed_explicit", "allowed_implicit"]);
}

#[test]
fn row_of_archive_has_source_and_offset_of_its_record() {
    let folder = folder();
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Hello";
    for (name, paths) in [("one.warc", ["private/1", "2"]), ("two.warc", ["3", "4"])] {
        let records = paths.map(|path| {
            record("response", &format!("https://a.example/{path}"), "2024-02-01T00:00:00Z", page)
        });
        fs::write(folder.path().join(name), records.concat()).expect("a file");
    }
    let run = "run one.warc two.warc -r robots.csv -a CCBot --only allowed -o out.jsonl -q";
    audit(folder.path(), run).run().exits(0);
    let rows = fs::read_to_string(folder.path().join("out.jsonl")).expect("rows");
    let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).expect("JSON")).collect();
    assert_eq!(rows.len(), 3);
    for row in rows {
        let source = row["source"].as_str().expect("a file");
        let archive = fs::read_to_string(folder.path().join(source)).expect("an archive");
        let offset = row["offset"].as_u64().expect("a place") as usize;
        let head = archive[offset..].split("\r\n\r\n").next().expect("a header");
        let target = format!("WARC-Target-URI: {}", row["url"].as_str().expect("a URL"));
        assert!(head.starts_with("WARC/1.1\r\n") && head.lines().any(|line| line == target), "{head}");
        assert_eq!(row["length"], "<p>Hello".len());
    }
}

#[test]
fn folder_of_captures_is_read_as_source() {
    let folder = folder();
    let captures = folder.path().join("captures");
    fs::create_dir_all(captures.join("a.example")).expect("a folder");
    fs::write(captures.join("a.example/20240101000000.txt"), "User-agent: *\nDisallow: /\n").expect("a file");
    fs::write(captures.join("a.example/20240301000000.txt"), "User-agent: *\nDisallow:\n").expect("a file");
    fs::write(captures.join("b.example_20240101.txt"), "User-agent: *\nDisallow: /\n").expect("a file");
    let run = "run pages.csv -r captures -a GPTBot --as-of both --json";
    let views = audit(folder.path(), run).run().exits(0).json()["summary"].clone();
    assert_eq!(views["views"][0]["shares"]["disallowed"], 3);
    assert_eq!(views["views"][1]["shares"]["disallowed"], 1);
    assert_eq!(views["differing"][0], 2);
}

#[test]
fn condition_that_holds_sets_the_exit_status() {
    let folder = folder();
    let run = |condition: &str| {
        audit(folder.path(), "run pages.csv -r robots.csv -a GPTBot -q --fail-if").arg(condition).run()
    };
    let failed = run("disallowed>0,unknown>50%").exits(1);
    assert!(failed.stderr.contains("--fail-if disallowed>0 holds for GPTBot"), "{}", failed.stderr);
    run("disallowed>=50%").exits(0);
    let wrong = run("blocked>0").exits(2);
    assert!(wrong.stderr.contains("is not a condition"), "{}", wrong.stderr);
}

#[test]
fn invalid_argument_is_rejected_with_a_hint_and_leaves_no_file() {
    let folder = folder();
    fs::write(folder.path().join("no-url.csv"), "name,size\na,1\n").expect("a file");
    fs::copy(folder.path().join("robots.csv"), folder.path().join("answers")).expect("a copy");
    fs::write(folder.path().join("taken.csv"), "url,verdict\nhttps://a.example/,x\n").expect("a file");
    let cases = [
        ("run missing.csv -r robots.csv -a GPTBot", "cannot read `missing.csv`"),
        ("run pages.csv -r missing.csv -a GPTBot", "cannot read `missing.csv`"),
        ("run no-url.csv -r robots.csv -a GPTBot -o out.csv", "--url-column"),
        ("run taken.csv -r robots.csv -a GPTBot -o out.csv", "--prefix"),
        ("run pages.csv -r robots.csv -o out.csv", "--agent"),
        ("run pages.csv -r pages.csv -a GPTBot -o out.csv", "robots.txt"),
        ("run pages.csv -r robots.csv -a GPTBot -o out.docx", ".parquet"),
        ("run pages.csv -r robots.csv -a GPTBot -o pages.csv", "is an input"),
        ("run pages.csv no-url.csv -r robots.csv -a GPTBot -o out.csv", "no-url.csv"),
        ("run pages.csv -r robots.csv -a GPTBot -o out.csv --report ./out.csv", "name one file"),
        ("run pages.csv -r robots.csv -a GPTBot -o out.csv --report out.csv.manifest.json", "name one file"),
        ("index answers -o answers", "is an input"),
        ("index robots.csv -o index.csv", "an index is a Parquet file"),
        ("index robots.csv -o index.jsonl.zst", "an index is a Parquet file"),
        ("index pages.csv -o out.parquet", "no column"),
    ];
    for (args, part) in cases {
        let outcome = audit(folder.path(), args).run().exits(2);
        assert!(outcome.stderr.contains(part), "{args}\n{}", outcome.stderr);
    }
    let mut left: Vec<String> = fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    left.sort();
    assert_eq!(left, ["answers", "no-url.csv", "pages.csv", "robots.csv", "taken.csv"]);
}

#[test]
fn damaged_record_is_counted_and_skipped() {
    let folder = folder();
    let lines = "{\"url\": \"https://a.example/private\"}\n{broken\n{\"url\": \"https://b.example/\"}\n";
    fs::write(folder.path().join("pages.jsonl"), lines).expect("a file");
    let outcome = audit(folder.path(), "run pages.jsonl -r robots.csv -a GPTBot --json").run().exits(0);
    assert!(
        outcome.stderr.contains("pages.jsonl: 1 record could not be read, the first at 2"),
        "{}",
        outcome.stderr
    );
    assert_eq!(outcome.json()["inputs"][0]["damaged"], 1);
    assert_eq!(outcome.json()["summary"]["rows"], 2);
}

#[test]
fn standard_input_is_read_as_input_or_source() {
    let folder = folder();
    let urls = "https://a.example/private\nhttps://b.example/\n";
    let outcome = audit(folder.path(), "run - -r robots.csv -a GPTBot --json").stdin(urls).run().exits(0);
    assert_eq!(outcome.json()["summary"]["views"][0]["shares"]["disallowed"], 1);
    // An index is read from standard input, too.
    audit(folder.path(), "index robots.csv -o robots.parquet -q").run().exits(0);
    let index = fs::read(folder.path().join("robots.parquet")).expect("an index");
    let outcome = audit(folder.path(), "run pages.csv -r - -a GPTBot --json").stdin(index).run().exits(0);
    assert_eq!(outcome.json()["answers"]["answers"], 2);
}

#[test]
fn every_crawler_of_a_purpose_is_decided_in_one_pass() {
    let folder = folder();
    let run = "run pages.csv -r robots.csv --purpose training --rows long -o out.csv --report audit.html -q";
    audit(folder.path(), run).run().exits(0);
    let rows = fs::read_to_string(folder.path().join("out.csv")).expect("rows");
    let of_training = comity::agents::all().iter().filter(|known| {
        known.purpose() == comity::agents::Purpose::Training
            && known.status() != comity::agents::Status::Retired
    });
    assert_eq!(rows.lines().count(), 1 + 4 * of_training.count());
    let page = fs::read_to_string(folder.path().join("audit.html")).expect("a report");
    assert!(page.contains("Robots.txt audit of 4 pages") && page.contains("GPTBot"), "{page}");
}

/// Returns an archive in which each page has a different kind of usage signal.
fn archive_with_signals() -> String {
    let robots = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n";
    let tdmrep = "HTTP/1.1 200 OK\r\n\r\n[{\"location\": \"/reserved/\", \"tdm-reservation\": 1}]";
    let by_header = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Robots-Tag: nofollow\r\nX-Robots-Tag: otherbot: noindex\r\n\
         Content-Usage: train-ai=n\r\nContent-Signal: search=yes, ai-train=no\r\n\r\nHello";
    let markup = "<meta name=robots content='noindex, noai'><meta name=tdm-reservation content=1>";
    let by_markup = &format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n\
         {:x}\r\n{markup}\r\n0\r\n\r\n",
        markup.len()
    );
    let untyped = "HTTP/1.1 200 OK\r\n\r\n<!doctype html><meta name=robots content=nosnippet>";
    let untyped_text = "HTTP/1.1 200 OK\r\n\r\nHow to write <meta name=robots content=nosnippet>";
    let silent = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Hello";
    let date = "2024-01-01T00:00:05Z";
    [
        record("response", "https://a.example/robots.txt", date, robots),
        record("response", "https://a.example/header", date, by_header),
        record("response", "https://a.example/markup", date, by_markup),
        record("response", "https://a.example/untyped", date, untyped),
        record("response", "https://a.example/untyped.txt", date, untyped_text),
        record("response", "https://a.example/reserved/x", date, silent),
        record("response", "https://a.example/silent", date, silent),
        // The last record applies to the pages before it, too.
        record("response", "https://a.example/.well-known/tdmrep.json", "2024-01-01T00:01:00Z", tdmrep),
    ]
    .concat()
}

#[test]
fn signal_of_a_page_has_its_own_column() {
    let folder = folder();
    fs::write(folder.path().join("crawl.warc"), archive_with_signals()).expect("a file");
    let outcome = audit(folder.path(), "run crawl.warc -r crawl.warc -a GPTBot --usage -o out.jsonl --json")
        .run()
        .exits(0);
    let rows = fs::read_to_string(folder.path().join("out.jsonl")).expect("rows");
    let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).expect("JSON")).collect();
    let of = |path: &str| {
        let url = format!("https://a.example{path}");
        rows.iter().find(|row| row["url"] == *url).expect("a row")
    };
    let cases = [
        ("/header", "page_x_robots_tag", Value::from("nofollow\notherbot: noindex")),
        ("/header", "page_content_usage", "train-ai=n".into()),
        ("/header", "page_content_signal", "search=yes, ai-train=no".into()),
        ("/header", "page_meta_robots", Value::Null),
        ("/header", "usage_page_content_usage_train", "disallow".into()),
        ("/header", "usage_page_content_signal_train", "disallow".into()),
        ("/header", "usage_page_content_signal_search", "allow".into()),
        ("/header", "usage_page_tdmrep", "unknown".into()),
        // The signals of robots.txt are separate.
        ("/header", "usage_content_signal_train", "allow".into()),
        ("/markup", "page_meta_robots", "robots: noindex, noai".into()),
        ("/markup", "page_meta_tdm_reservation", "1".into()),
        ("/markup", "usage_page_restrictions", "do_not_index, do_not_train_ai".into()),
        ("/markup", "usage_page_tdmrep", "disallow".into()),
        ("/markup", "usage_page_content_usage_train", "unknown".into()),
        ("/untyped", "page_meta_robots", "robots: nosnippet".into()),
        ("/untyped.txt", "page_meta_robots", Value::Null),
        ("/reserved/x", "usage_page_tdmrep", "disallow".into()),
        ("/reserved/x", "page_tdm_reservation", Value::Null),
        ("/silent", "usage_page_tdmrep", "unknown".into()),
        ("/silent", "usage_page_restrictions", Value::Null),
    ];
    for (path, column, expected) in cases {
        // JSON Lines omit null values.
        assert_eq!(of(path).get(column).cloned().unwrap_or_default(), expected, "{path} {column}");
    }
    let usage = outcome.json()["summary"]["views"][0]["usage"].clone();
    let tdmrep =
        usage.as_array().expect("totals").iter().find(|totals| totals["column"] == "usage_page_tdmrep");
    assert_eq!(tdmrep.expect("totals")["disallow"], 2);
}

#[test]
fn usage_columns_are_written_in_every_format() {
    let folder = folder();
    let robots = "key,fetched_at,status,body\nhttps://a.example,2024-01-01,200,\"License: https://a.example/1.xml\nLicense: https://a.example/2.xml\n\"\n";
    fs::write(folder.path().join("robots.csv"), robots).expect("a file");
    for name in ["out.csv", "out.jsonl", "out.parquet"] {
        audit(folder.path(), &format!("run pages.csv -r robots.csv -a GPTBot --usage -q -o {name}"))
            .run()
            .exits(0);
    }
    let rows = fs::read_to_string(folder.path().join("out.csv")).expect("rows");
    assert!(rows.contains("https://a.example/1.xml https://a.example/2.xml"), "{rows}");
}

#[test]
fn page_directive_for_one_crawler_applies_only_to_its_rows() {
    let folder = folder();
    fs::write(folder.path().join("crawl.warc"), archive_with_signals()).expect("a file");
    let run = "run crawl.warc -r crawl.warc -a OtherBot -a GPTBot --usage --columns verdict --rows";
    audit(folder.path(), &format!("{run} long -o long.jsonl -q")).run().exits(0);
    audit(folder.path(), &format!("{run} wide -o wide.jsonl -q")).run().exits(0);
    let read = |name: &str| -> Vec<Value> {
        let rows = fs::read_to_string(folder.path().join(name)).expect("rows");
        rows.lines().map(|row| serde_json::from_str(row).expect("JSON")).collect()
    };
    let is_header = |row: &&Value| row["url"] == "https://a.example/header";
    let long = read("long.jsonl");
    let restrictions: Vec<_> = long
        .iter()
        .filter(is_header)
        .map(|row| (row["agent"].clone(), row["usage_page_restrictions"].clone()))
        .collect();
    assert_eq!(
        restrictions,
        [
            ("OtherBot".into(), "do_not_index, do_not_follow".into()),
            ("GPTBot".into(), "do_not_follow".into())
        ]
    );
    assert!(long.iter().all(|row| row.get("gptbot_usage_page_restrictions").is_none()));
    let wide = read("wide.jsonl");
    let row = wide.iter().find(is_header).expect("a row");
    assert_eq!(row["otherbot_usage_page_restrictions"], "do_not_index, do_not_follow");
    assert_eq!(row["gptbot_usage_page_restrictions"], "do_not_follow");
}

/// Writes robots.txt answers of many sites, with redirects between them, and pages not sorted by site.
fn many_sites(folder: &Path) {
    let mut robots = String::from("key,fetched_at,status,location,body\n");
    let mut pages = String::from("id,url,timestamp\n");
    let mut random = fastrand::Rng::with_seed(7);
    for site in 0..400 {
        let key = if site % 7 == 0 { format!("s{site}.example") } else { format!("https://s{site}.example") };
        for day in [1, 11, 21] {
            let date = format!("2024-01-{day:02}");
            let row = match random.u32(0..6) {
                0 => format!("{key},{date},404,,"),
                1 => format!("{key},{date},503,,"),
                // A redirect to another site, to itself, to a site without an answer, or in a loop.
                2 => format!("{key},{date},301,https://s{}.example/robots.txt,", random.u32(0..420)),
                3 => format!("{key},{date},301,/robots.txt,"),
                _ => {
                    let filler = "# filler\n".repeat(random.usize(0..5_000));
                    format!("{key},{date},200,,\"{filler}User-agent: *\nDisallow: /{}\n\"", random.u32(0..4))
                }
            };
            robots.push_str(&row);
            robots.push('\n');
        }
    }
    for id in 0..4_000 {
        let (site, path, day) = (random.u32(0..410), random.u32(0..5), random.u32(1..29));
        let scheme = if id % 3 == 0 { "http" } else { "https" };
        let url =
            if id % 97 == 0 { "nonsense".to_owned() } else { format!("{scheme}://s{site}.example/{path}/x") };
        pages.push_str(&format!("{id},{url},202401{day:02}120000\n"));
    }
    fs::write(folder.join("many-robots.csv"), robots).expect("a file");
    fs::write(folder.join("many-pages.csv"), pages).expect("a file");
}

#[test]
fn job_beyond_its_memory_limit_writes_equal_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    many_sites(folder.path());
    let cases = [
        "-a GPTBot -o OUT.csv",
        "-a GPTBot -a CCBot --as-of both --now 2024-06-01T00:00:00Z --usage -o OUT.jsonl",
        "-a GPTBot -a CCBot --rows long -o OUT.csv",
        "-a GPTBot --only disallowed -o OUT.parquet",
        "-a GPTBot --nearest -o OUT.csv.gz",
    ];
    for case in cases {
        let run = |name: &str, memory: &str| {
            let run = format!(
                "run many-pages.csv -r many-robots.csv {memory} --json {}",
                case.replace("OUT", name)
            );
            audit(folder.path(), &run).run().exits(0).json()
        };
        let (whole, parts) = (run("whole", ""), run("parts", "--memory 16M"));
        let ending = case.rsplit_once("OUT").expect("a name").1;
        let read = |name: &str| fs::read(folder.path().join(format!("{name}{ending}"))).expect("rows");
        assert!(read("whole") == read("parts"), "{case}");
        for field in ["answers", "sites", "redirects_followed", "redirects_lost", "first", "last"] {
            assert_eq!(whole["answers"][field], parts["answers"][field], "{case} {field}");
        }
        for (one, other) in whole["summary"]["views"]
            .as_array()
            .expect("views")
            .iter()
            .zip(parts["summary"]["views"].as_array().expect("views"))
        {
            for field in ["shares", "verdicts", "answers", "months", "usage"] {
                assert_eq!(one[field], other[field], "{case} {field}");
            }
        }
        let left = fs::read_dir(folder.path()).expect("a folder").filter_map(Result::ok);
        let hidden = left.filter(|entry| entry.file_name().to_string_lossy().starts_with('.')).count();
        assert_eq!(hidden, 0, "{case}");
    }
}

#[test]
fn stopped_job_resumes_after_its_finished_inputs() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let rows = |from: u32| -> String { (from..from + 40).map(json_row).collect() };
    fs::write(path("one.jsonl"), rows(0)).expect("a file");
    fs::write(path("two.jsonl"), rows(40)).expect("a file");
    fs::write(path("three.jsonl"), UNFIT).expect("a file");
    let inputs = "one.jsonl two.jsonl three.jsonl -r robots.csv -a GPTBot";
    let resumed = format!("run {inputs} --resume -o out.csv --json");
    let failed = audit(folder.path(), &resumed).run().exits(2);
    assert!(failed.stderr.contains("three.jsonl"), "{}", failed.stderr);
    assert!(!path("out.csv").exists() && path("out.csv.parts").is_dir());

    // A run with other arguments is another job.
    let other = audit(folder.path(), &resumed.replace("GPTBot", "CCBot")).run().exits(2);
    assert!(other.stderr.contains("out.csv.parts"), "{}", other.stderr);

    fs::write(path("three.jsonl"), rows(80)).expect("a file");
    let done = audit(folder.path(), &resumed).run().exits(0);
    assert!(done.stderr.contains("2 inputs finished by an earlier run"), "{}", done.stderr);
    assert!(!path("out.csv.parts").exists());
    let whole = audit(folder.path(), &format!("run {inputs} -o whole.csv --json")).run().exits(0).json();
    assert_eq!(fs::read(path("out.csv")).expect("rows"), fs::read(path("whole.csv")).expect("rows"));
    for field in ["summary", "inputs", "answers"] {
        assert_eq!(done.json()[field], whole[field], "{field}");
    }
}

/// Returns a row whose `id` is a number.
fn json_row(id: u32) -> String {
    format!(
        "{{\"id\": {id}, \"url\": \"https://a.example/private/{id}\", \"timestamp\": \"20240201000000\"}}\n"
    )
}

/// A row whose `id` cannot be converted to a number. Its input ends a job after the inputs before it.
const UNFIT: &str = "{\"id\": \"x\", \"url\": \"https://a.example/\", \"timestamp\": \"20240201000000\"}\n";

#[test]
fn join_keys_option_adds_the_columns_of_public_crawl_indexes() {
    let folder = folder();
    fs::write(
        folder.path().join("more.csv"),
        "id,url,timestamp,crawl\n5,http://www.a.example:8080/X?b&a,20240201000000,mine\n",
    )
    .expect("a file");
    let run = "run pages.csv more.csv -r robots.csv -a GPTBot --join-keys --crawl CC-MAIN-2024-10 --prefix new_ -o out.csv";
    let outcome = audit(folder.path(), run).run().exits(0);
    assert!(outcome.stdout.contains("added surt_host_name, url_surtkey, crawl"), "{}", outcome.stdout);
    let rows = fs::read_to_string(folder.path().join("out.csv")).expect("rows");
    let lines: Vec<&str> = rows.lines().collect();
    assert!(
        lines[0].starts_with("id,url,timestamp,seen_at,surt_host_name,url_surtkey,crawl,new_verdict,"),
        "{}",
        lines[0]
    );
    assert!(
        lines[2].contains(",\"example,a\",\"example,a)/private/x\",CC-MAIN-2024-10,disallowed"),
        "{}",
        lines[2]
    );
    assert!(lines[5].contains(",\"example,a:8080\",\"example,a:8080)/x?a&b\",mine,"), "{}", lines[5]);
    let manifest = fs::read(folder.path().join("out.csv.manifest.json")).expect("a manifest");
    let manifest: Value = serde_json::from_slice(&manifest).expect("JSON");
    assert_eq!(
        manifest["inputs"][0]["columns"]["join_keys"],
        serde_json::json!(["surt_host_name", "url_surtkey", "crawl"])
    );
    assert_eq!(
        manifest["inputs"][1]["columns"]["join_keys"],
        serde_json::json!(["surt_host_name", "url_surtkey"])
    );
    audit(folder.path(), "run pages.csv -r robots.csv -a GPTBot --crawl x").run().exits(2);
}

#[test]
fn damaged_part_of_a_resumed_job_is_rejected_with_a_hint() {
    type Damage = fn(&mut Vec<u8>);
    let damages: [(&str, Damage); 4] = [
        ("arrow", |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0xff;
        }),
        ("arrow", |bytes| bytes.truncate(bytes.len() / 2)),
        ("arrow", |bytes| bytes.clear()),
        ("json", |bytes| bytes.truncate(bytes.len() / 2)),
    ];
    for (number, (ending, damage)) in damages.into_iter().enumerate() {
        let folder = folder();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("one.jsonl"), json_row(1)).expect("a file");
        fs::write(path("two.jsonl"), UNFIT).expect("a file");
        let run = "run one.jsonl two.jsonl -r robots.csv -a GPTBot --resume -o out.csv";
        audit(folder.path(), run).run().exits(2);
        fs::write(path("two.jsonl"), json_row(2)).expect("a file");
        let part = path("out.csv.parts").join(format!("000000.{ending}"));
        let mut bytes = fs::read(&part).expect("a part");
        damage(&mut bytes);
        fs::write(&part, bytes).expect("a part");
        let failed = audit(folder.path(), run).run().exits(2);
        let named = format!("000000.{ending}` is damaged");
        assert!(failed.stderr.contains(&named), "{number}: {}", failed.stderr);
        assert!(
            failed.stderr.contains("000000.json`, and this part is done again"),
            "{number}: {}",
            failed.stderr
        );
        fs::remove_file(path("out.csv.parts").join("000000.json")).expect("no file");
        audit(folder.path(), run).run().exits(0);
        assert!(fs::read_to_string(path("out.csv")).expect("rows").contains("/private/1"));
    }
}

#[cfg(unix)]
#[test]
fn parts_of_a_running_job_are_refused() {
    use std::io::Write;
    use std::process::{Command, Stdio};

    let folder = folder();
    // Another process has the lock of the parts, like a running job.
    let resumed = "run pages.csv -r robots.csv -a GPTBot -o out.csv --resume";
    let parts = folder.path().join("out.csv.parts");
    fs::create_dir(&parts).expect("a folder");
    let held = Command::new("flock")
        .arg(parts.join("lock"))
        .args(["-c", "echo held; read _"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut held) = held else {
        testkit::skip("`flock` is not installed");
        return;
    };
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(held.stdout.take().expect("a pipe")), &mut line)
        .expect("a line");
    let refused = audit(folder.path(), resumed).run().exits(2);
    assert!(refused.stderr.contains("out.csv.parts` is in use by another job"), "{}", refused.stderr);
    assert!(!folder.path().join("out.csv").exists());
    // A lock ends with its process.
    held.stdin.take().expect("a pipe").write_all(b"\n").expect("a pipe");
    held.wait().expect("an end");
    audit(folder.path(), resumed).run().exits(0);
    assert!(folder.path().join("out.csv").is_file() && !parts.exists());
}

/// Creates a folder of captures with a manifest, and a table of pages.
fn captures_with_manifest() -> tempfile::TempDir {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("captures/bodies")).expect("a folder");
    fs::write(at("outside.txt"), "User-agent: *\nDisallow: /\n").expect("a file");
    fs::write(at("captures/bodies/0001"), "User-agent: *\nDisallow: /one\n").expect("a file");
    // The path names another site, but the manifest assigns the file to a.example.
    fs::write(at("captures/bodies/z.example.txt"), "User-agent: *\nDisallow: /two\n").expect("a file");
    let large = format!("User-agent: *\nDisallow: /large\n{}Disallow: /beyond\n", "#\n".repeat(300_000));
    fs::write(at("captures/bodies/large"), large).expect("a file");
    let rows = [
        "https://a.example,2024-01-01T00:00:00Z,200,bodies/0001",
        "https://a.example,2024-03-01T00:00:00Z,200,bodies/z.example.txt",
        "https://b.example,2024-01-01T00:00:00Z,404,",
        "https://c.example,2024-01-01T00:00:00Z,200,bodies/large",
        "https://d.example,2024-01-01T00:00:00Z,200,../outside.txt",
        "https://e.example,2024-01-01T00:00:00Z,200,bodies/missing",
        "https://f.example,2024-01-01T00:00:00Z,200,bodies",
        "https://g.example,2024-01-01T00:00:00Z,200,bodies/link-out",
        "https://h.example,2024-01-01T00:00:00Z,200,bodies/link-in",
    ];
    let table = format!("origin,time,status,body_file\n{}\n", rows.join("\n"));
    fs::write(at("captures/manifest.csv"), table).expect("a file");
    let pages = [
        "https://a.example/one,2024-02-01",
        "https://a.example/one,2024-04-01",
        "https://a.example/two,2024-04-01",
        "https://b.example/one,2024-02-01",
        "https://c.example/large,2024-02-01",
        "https://c.example/beyond,2024-02-01",
        "https://d.example/x,2024-02-01",
        "https://e.example/x,2024-02-01",
        "https://f.example/x,2024-02-01",
        "https://g.example/x,2024-02-01",
        "https://h.example/one,2024-02-01",
        "https://z.example/two,2024-02-01",
    ];
    fs::write(at("visits.csv"), format!("url,seen_at\n{}\n", pages.join("\n"))).expect("a file");
    folder
}

#[cfg(unix)]
#[test]
fn manifest_of_a_folder_assigns_its_files_and_reads_no_others() {
    let folder = captures_with_manifest();
    let bodies = folder.path().join("captures/bodies");
    std::os::unix::fs::symlink("../../outside.txt", bodies.join("link-out")).expect("a link");
    std::os::unix::fs::symlink("0001", bodies.join("link-in")).expect("a link");
    // An absolute path, which depends on the temporary folder.
    let manifest = folder.path().join("captures/manifest.csv");
    let mut table = fs::read_to_string(&manifest).expect("a file");
    table
        .push_str(&format!("https://d.example,2024-01-02T00:00:00Z,200,{}\n", bodies.join("0001").display()));
    fs::write(&manifest, table).expect("a file");
    for source in ["captures", "captures/manifest.csv"] {
        let index = format!("index {source} -o robots.parquet --json");
        let outcome = audit(folder.path(), &index).run().exits(0);
        let indexed = outcome.json();
        assert_eq!((&indexed["rows"], &indexed["sources"][0]["damaged"]), (&5.into(), &5.into()), "{source}");
        assert_eq!(indexed["sources"].as_array().map(Vec::len), Some(1), "{source}");
        let damage = indexed["sources"][0]["damage"].to_string();
        for problem in [
            "`../outside.txt` is not below the folder of the table",
            "`bodies/missing`: no such file",
            "`bodies`: it is not a plain file",
            "`bodies/link-out`: a link leads out of the folder",
            "is not below the folder of the table",
        ] {
            assert!(damage.contains(problem), "{source}: {problem}: {damage}");
        }
        assert!(outcome.stderr.contains("5 records could not be read"), "{}", outcome.stderr);
        audit(folder.path(), "run visits.csv -r robots.parquet -a GPTBot -o out.jsonl -q").run().exits(0);
        let rows = fs::read_to_string(folder.path().join("out.jsonl")).expect("rows");
        let verdicts: Vec<String> = rows
            .lines()
            .map(|line| {
                serde_json::from_str::<Value>(line).expect("JSON")["verdict"]
                    .as_str()
                    .unwrap_or("-")
                    .to_owned()
            })
            .collect();
        let expected = [
            "disallowed_explicit",
            "allowed_implicit",
            "disallowed_explicit",
            "allowed_implicit",
            "disallowed_explicit",
            "allowed_implicit",
            "unknown_unreachable",
            "unknown_unreachable",
            "unknown_unreachable",
            "unknown_unreachable",
            "disallowed_explicit",
            "unknown_unreachable",
        ];
        assert_eq!(verdicts, expected, "{source}");
    }
    // Standard input has no folder.
    let table = fs::read(&manifest).expect("a file");
    let outcome = audit(folder.path(), "index - -o piped.parquet --json").stdin(table).run().exits(0);
    assert!(
        outcome.json()["sources"][0]["damage"].to_string().contains("the folder of the table is unknown"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn copied_parquet_columns_equal_rewritten_columns() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let paths = ["", "private/x", "private/"];
    let rows = (0..20_000).map(|id| {
        let time = if id % 3 == 0 { "20240201000000" } else { "20230201000000" };
        format!("{id},https://a.example/{},{time},note {}\n", paths[id % 3], id * 7919 % 9973)
    });
    fs::write(path("pages.csv"), format!("id,url,timestamp,note\n{}", rows.collect::<String>()))
        .expect("a file");
    audit(folder.path(), "run pages.csv -r robots.csv -a CCBot --prefix old_ -o pages.parquet -q")
        .run()
        .exits(0);
    let whole = fs::read(path("pages.parquet")).expect("a table");
    // Damages the middle of the file, in an arbitrary column.
    let mut damaged = whole.clone();
    let place = damaged.len() / 2;
    damaged[place - 64..place].fill(0xff);
    fs::write(path("damaged.parquet"), &damaged).expect("a file");
    for inputs in
        ["pages.parquet", "pages.parquet pages.parquet", "damaged.parquet", "pages.parquet damaged.parquet"]
    {
        let run = |output: &str, rest: &str| {
            let args = format!("run {inputs} -r robots.csv -a GPTBot -o {output} --json {rest}");
            audit(folder.path(), &args).run().exits(0).json()
        };
        let copied = run("copied.parquet", "");
        // With --resume, the rows are written again from parts instead of copied.
        let written = run("written.parquet", "--resume");
        for field in ["summary", "answers"] {
            assert_eq!(copied[field], written[field], "{inputs}: {field}");
        }
        let damage = |manifest: &Value| -> Vec<Value> {
            let inputs = manifest["inputs"].as_array().expect("inputs").iter();
            inputs.map(|input| input["damaged"].clone()).collect()
        };
        assert_eq!(damage(&copied), damage(&written), "{inputs}");
        assert_eq!(damage(&copied).contains(&1.into()), inputs.contains("damaged"), "{inputs}");
        for table in ["copied", "written"] {
            let args = format!("run {table}.parquet -r robots.csv -a GPTBot --prefix x_ -o {table}.csv -q");
            audit(folder.path(), &args).run().exits(0);
        }
        let rows = |table: &str| fs::read(path(&format!("{table}.csv"))).expect("rows");
        assert!(rows("copied") == rows("written"), "{inputs}");
    }
}

#[test]
fn verify_of_a_table_succeeds_until_the_table_or_its_manifest_changes() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    audit(folder.path(), "run pages.csv -r robots.csv -a GPTBot -o out.csv").run().exits(0);
    let verified = audit(folder.path(), "verify out.csv.manifest.json --inputs").run().exits(0);
    assert!(verified.stdout.ends_with("verified: out.csv.manifest.json\n"), "{}", verified.stdout);
    assert_eq!(audit(folder.path(), "verify out.csv.manifest.json --quiet").run().exits(0).stdout, "");

    let rows = fs::read_to_string(path("out.csv")).expect("rows");
    fs::write(path("out.csv"), rows.replacen("allowed", "Allowed", 1)).expect("a file");
    let changed = audit(folder.path(), "verify out.csv.manifest.json --json").run().exits(1).json();
    assert_eq!(changed["is_verified"], false, "{changed}");
    fs::write(path("moved.csv"), &rows).expect("a file");
    audit(folder.path(), "verify out.csv.manifest.json --table moved.csv").run().exits(0);
    audit(folder.path(), "verify out.csv.manifest.json --table missing.csv").run().exits(1);

    fs::write(path("out.csv"), &rows).expect("a file");
    fs::write(path("pages.csv"), "url\n").expect("a file");
    audit(folder.path(), "verify out.csv.manifest.json").run().exits(0);
    audit(folder.path(), "verify out.csv.manifest.json --inputs").run().exits(1);
    fs::write(path("out.csv.manifest.json"), "{}").expect("a file");
    audit(folder.path(), "verify out.csv.manifest.json").run().exits(2);
}
