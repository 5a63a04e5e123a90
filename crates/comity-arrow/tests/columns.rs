//! Tests of the columns: every supported Arrow type, the errors, and every output.

use std::sync::Arc;

use std::time::{Duration, UNIX_EPOCH};

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, Float64Array, Int16Array,
    LargeBinaryArray, LargeStringArray, NullArray, RecordBatch, StringArray, StringViewArray,
    TimestampSecondArray,
};
use arrow_schema::{DataType, Schema};
use comity::policy::Preset;
use comity::robots::Agent;
use comity_arrow::{
    Auditor, AuditorOptions, BatchError, Columns, DecisionColumn, Input, Output, RobotsTable, Versions,
};
use testkit::printed::{assert_printed, table};

const ROBOTS: &str = "User-agent: *\nDisallow: /private\n";

fn options() -> AuditorOptions {
    AuditorOptions::new().agent(Agent::unchecked_token("examplebot"))
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true)))
        .expect("a batch")
}

fn text(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    batch[name].as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect()
}

/// Returns the texts as a column of every supported type of variable length.
fn every_kind(texts: &[Option<&str>]) -> Vec<ArrayRef> {
    let bytes = || texts.iter().map(|text| text.map(str::as_bytes));
    vec![
        Arc::new(texts.iter().copied().collect::<StringArray>()),
        Arc::new(texts.iter().copied().collect::<LargeStringArray>()),
        Arc::new(texts.iter().copied().collect::<StringViewArray>()),
        Arc::new(bytes().collect::<BinaryArray>()),
        Arc::new(bytes().collect::<LargeBinaryArray>()),
        Arc::new(bytes().collect::<BinaryViewArray>()),
        Arc::new(texts.iter().copied().collect::<DictionaryArray<Int8Type>>()),
        Arc::new(texts.iter().copied().collect::<DictionaryArray<UInt64Type>>()),
    ]
}

#[test]
fn text_columns_of_every_type_give_equal_verdicts() {
    let urls = [
        Some("https://example.com/private/a"),
        Some("https://example.com/public-and-longer-than-a-view-holds"),
        None,
        Some("nothing"),
        Some("/private"),
    ];
    let robots = [Some(ROBOTS), Some(ROBOTS), Some(ROBOTS), Some(ROBOTS), None];
    let mut seen: Option<RecordBatch> = None;
    for urls in every_kind(&urls) {
        for robots in every_kind(&robots) {
            let batch = batch(vec![("url", urls.clone()), ("robots", robots)]);
            // A slice begins in the middle of its buffers.
            for (batch, first) in [(batch.clone(), 0), (batch.slice(1, 4), 1)] {
                let verdicts = Auditor::new(options().keep_input(false)).decide(&batch).expect("verdicts");
                match &seen {
                    None => seen = Some(verdicts),
                    Some(seen) => assert_eq!(verdicts, seen.slice(first, 5 - first)),
                }
            }
        }
    }
    let seen = seen.expect("verdicts");
    let verdicts: Vec<_> = text(&seen, "verdict").into_iter().map(Option::unwrap_or_default).collect();
    assert_eq!(verdicts, ["disallowed_explicit", "allowed_implicit", "", "", "unknown_unreachable"]);
    let errors = text(&seen, "error");
    assert_eq!(errors[2].as_deref(), Some("the row has no URL"));
    assert!(
        errors[3].as_deref().is_some_and(|error| error.starts_with("`nothing` is neither an absolute URL"))
    );
    assert_eq!(errors[4], None);
}

#[test]
fn dictionary_without_values_is_read_as_nulls() {
    let empty = DictionaryArray::<Int32Type>::new(
        arrow_array::Int32Array::from(vec![None, None]),
        Arc::new(StringArray::from(Vec::<&str>::new())),
    );
    let urls: ArrayRef = Arc::new(StringArray::from(vec!["/a", "/b"]));
    for robots in [Arc::new(empty) as ArrayRef, Arc::new(NullArray::new(2))] {
        let batch = batch(vec![("url", urls.clone()), ("robots", robots)]);
        let verdicts = Auditor::new(options()).decide(&batch).expect("verdicts");
        assert_eq!(text(&verdicts, "verdict"), vec![Some("unknown_unreachable".to_owned()); 2]);
    }
}

#[test]
fn status_codes_as_floats_are_read_and_nan_is_a_missing_code() {
    let urls: ArrayRef = Arc::new(StringArray::from(vec!["/a"; 5]));
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![404.0, 503.0, f64::NAN, 200.5, -1.0]));
    let robots: ArrayRef = Arc::new(StringArray::from(vec![None::<&str>; 5]));
    let batch = batch(vec![("url", urls), ("robots", robots), ("robots_status", floats)]);
    let verdicts = Auditor::new(options()).decide(&batch).expect("verdicts");
    let treatments: Vec<_> =
        text(&verdicts, "treatment").into_iter().map(Option::unwrap_or_default).collect();
    assert_eq!(treatments, ["allow_all", "stop", "stop", "stop", "stop"]);
}

#[test]
fn error_of_a_batch_names_the_column() {
    let urls: ArrayRef = Arc::new(StringArray::from(vec!["/a"]));
    let robots: ArrayRef = Arc::new(StringArray::from(vec![ROBOTS]));
    let numbers: ArrayRef = Arc::new(Int16Array::from(vec![1]));
    let error = |options: AuditorOptions, columns: Vec<(&str, ArrayRef)>| {
        Auditor::new(options).decide(&batch(columns)).expect_err("an error").to_string()
    };
    let cases = [
        (
            error(options(), vec![("link", urls.clone()), ("robots", robots.clone())]),
            "no column `url` for the URL: there are `link`, `robots`; name the one to read",
        ),
        (
            error(options(), vec![("url", numbers.clone()), ("robots", robots.clone())]),
            "column `url` has the type Int16: cast it to text or bytes (Utf8, Binary, their large and view forms, \
             dictionaries of these)",
        ),
        (
            error(
                options(),
                vec![("url", urls.clone()), ("robots", robots.clone()), ("robots_status", urls.clone())],
            ),
            "column `robots_status` has the type Utf8: cast it to whole numbers",
        ),
        (
            error(options(), vec![("url", urls.clone()), ("robots", robots.clone()), ("seen_at", numbers)]),
            "column `seen_at` has the type Int16: cast it to timestamps or dates",
        ),
        (
            error(AuditorOptions::new(), vec![("url", urls.clone()), ("robots", robots.clone())]),
            "no crawler is named: give an agent, or a column `agent` with a product token per row",
        ),
        (
            error(options(), vec![("url", urls.clone())]),
            "the robots.txt answers are missing: give a column `robots`, `robots_status` or `robots_failure`, or a \
             table of robots.txt files by key",
        ),
        (
            error(options(), vec![("url", urls.clone()), ("robots", robots.clone()), ("rule", urls.clone())]),
            "the batch has a column `rule` already: set a prefix for the verdict columns, or keep no input columns",
        ),
        (
            error(
                options().columns(Columns::new().with(Input::Status, "code")),
                vec![("url", urls.clone()), ("robots", robots.clone())],
            ),
            "no column `code` for the status of robots.txt: there are `url`, `robots`; name the one to read",
        ),
    ];
    for (error, expected) in cases {
        assert_eq!(error, expected);
    }
    let prefixed = Auditor::new(options().prefix("robots_"))
        .decide(&batch(vec![("url", urls.clone()), ("robots", robots), ("rule", urls)]))
        .expect("verdicts");
    assert_eq!(text(&prefixed, "robots_verdict"), [Some("allowed_implicit".to_owned())]);
}

#[test]
fn refusal_of_an_allowed_page_has_its_own_column() {
    let statuses =
        [Some("200"), Some("401"), Some("402"), Some("403"), Some("429"), Some("404"), Some("-"), None];
    let rows = statuses.len() + 2;
    let urls: ArrayRef = Arc::new(StringArray::from_iter_values(
        std::iter::repeat_n("https://example.com/a", rows - 1).chain(["https://example.com/private"]),
    ));
    let robots: ArrayRef = Arc::new(StringArray::from(vec![ROBOTS; rows]));
    let statuses: Vec<Option<&str>> = statuses.into_iter().chain([Some("202"), Some("403")]).collect();
    let headers: Vec<Option<&str>> = (0..rows)
        .map(|row| (row == rows - 2).then_some("HTTP/2 202\r\nx-amzn-waf-action: challenge\r\n\r\n"))
        .collect();
    let headers: ArrayRef = Arc::new(StringArray::from(headers));
    let outputs = || ["allowed", "refusal"].map(|name| name.parse::<Output>().expect("an output"));
    let expected = [
        "",
        "unauthorized",
        "payment_required",
        "forbidden",
        "too_many_requests",
        "",
        "",
        "",
        "challenge",
        "",
    ];
    let numbers: Vec<Option<i32>> =
        statuses.iter().map(|status| status.and_then(|it| it.parse().ok())).collect();
    let columns: [ArrayRef; 2] =
        [Arc::new(StringArray::from(statuses)), Arc::new(arrow_array::Int32Array::from(numbers))];
    for status in columns {
        let input = batch(vec![
            ("url", urls.clone()),
            ("robots", robots.clone()),
            ("page_status", status),
            ("page_headers", headers.clone()),
        ]);
        let verdicts = Auditor::new(options().outputs(outputs())).decide(&input).expect("verdicts");
        let words: Vec<String> =
            text(&verdicts, "refusal").into_iter().map(Option::unwrap_or_default).collect();
        assert_eq!(words, expected);
        // robots.txt disallows the last page, so the column does not show the refusal by the server.
        assert!(!verdicts["allowed"].as_boolean().value(rows - 1));
    }
    // Without a column of page statuses, all values are null.
    let input = batch(vec![("url", urls), ("robots", robots)]);
    let verdicts = Auditor::new(options().outputs(outputs())).decide(&input).expect("verdicts");
    assert_eq!(verdicts["refusal"].null_count(), rows);
}

#[test]
fn table_is_joined_by_origin_or_by_key() {
    let table = || {
        let keys: ArrayRef =
            Arc::new(StringArray::from(vec!["https://a.example/robots.txt", "HTTPS://B.example", "c"]));
        let bodies: ArrayRef = Arc::new(StringArray::from(vec![Some(ROBOTS), None, Some(ROBOTS)]));
        let status: ArrayRef = Arc::new(Int16Array::from(vec![Some(200), Some(404), Some(200)]));
        let table = batch(vec![("key", keys), ("body", bodies), ("status", status)]);
        Arc::new(RobotsTable::new([table], Columns::new()).expect("a table"))
    };
    let urls = || -> ArrayRef {
        Arc::new(StringArray::from(vec![
            "https://a.example/private",
            "https://b.example:443/private",
            "https://other.example/private",
            "/private",
        ]))
    };
    let verdicts = |columns| {
        let verdicts = Auditor::with_table(options(), table()).decide(&batch(columns)).expect("verdicts");
        (text(&verdicts, "verdict"), text(&verdicts, "error"))
    };
    let some = |words: &[&str]| -> Vec<Option<String>> {
        words.iter().map(|word| (!word.is_empty()).then(|| (*word).to_owned())).collect()
    };
    let (by_origin, errors) = verdicts(vec![("url", urls())]);
    assert_eq!(by_origin, some(&["disallowed_explicit", "allowed_implicit", "unknown_unreachable", ""]));
    assert!(errors[3].as_deref().is_some_and(|error| error.starts_with("`/private` has no origin, so")));

    let keys: ArrayRef = Arc::new(StringArray::from(vec![Some("c"), Some("c"), Some("nowhere"), None]));
    let (by_key, errors) = verdicts(vec![("url", urls()), ("robots_key", keys)]);
    let unknown = "unknown_unreachable";
    assert_eq!(by_key, some(&["disallowed_explicit", "disallowed_explicit", unknown, unknown]));
    assert_eq!(errors, vec![None; 4]);
}

#[test]
fn spellings_of_one_origin_share_a_history() {
    let keys: ArrayRef = Arc::new(StringArray::from(vec![
        "https://a.example/robots.txt",
        "HTTPS://A.example",
        "https://a.example",
    ]));
    let bodies: ArrayRef = Arc::new(StringArray::from(vec!["User-agent: *\nDisallow: /old\n", ROBOTS, ""]));
    let times: ArrayRef = Arc::new(TimestampSecondArray::from(vec![100, 300, 200]));
    let table = batch(vec![("key", keys), ("body", bodies), ("fetched_at", times)]);
    let table = Arc::new(RobotsTable::new([table], Columns::new()).expect("a table"));
    assert_eq!(table.len(), 3);
    let urls: ArrayRef = Arc::new(StringArray::from(vec!["https://a.example/private"; 2]));
    let seen: ArrayRef = Arc::new(TimestampSecondArray::from(vec![Some(250), None]));
    let verdicts =
        Auditor::with_table(options(), table).decide(&batch(vec![("url", urls), ("seen_at", seen)]));
    let verdicts = text(&verdicts.expect("verdicts"), "verdict");
    assert_eq!(verdicts.iter().flatten().collect::<Vec<_>>(), ["allowed_implicit", "unknown_unreachable"]);
}

/// A row of a table with the columns key, body, status, failure and time.
type TableRow<'a> = (&'a str, Option<&'a str>, Option<i16>, Option<&'a str>, Option<i64>);

fn answers(rows: &[TableRow<'_>]) -> Arc<RobotsTable> {
    let table = batch(vec![
        ("key", Arc::new(rows.iter().map(|row| Some(row.0)).collect::<StringArray>()) as ArrayRef),
        ("body", Arc::new(rows.iter().map(|row| row.1).collect::<DictionaryArray<Int8Type>>())),
        ("status", Arc::new(rows.iter().map(|row| row.2).collect::<Int16Array>())),
        ("failure", Arc::new(rows.iter().map(|row| row.3).collect::<StringArray>())),
        ("fetched_at", Arc::new(rows.iter().map(|row| row.4).collect::<TimestampSecondArray>())),
    ]);
    Arc::new(RobotsTable::new([table], Columns::new()).expect("a table"))
}

/// Returns the output column of this name for rows of a URL and a decision time.
fn decided(
    (name, options): (&str, AuditorOptions),
    table: &Arc<RobotsTable>,
    rows: &[(&str, Option<i64>)],
) -> Vec<String> {
    let urls: ArrayRef = Arc::new(rows.iter().map(|row| Some(row.0)).collect::<StringArray>());
    let seen: ArrayRef = Arc::new(rows.iter().map(|row| row.1).collect::<TimestampSecondArray>());
    let verdicts =
        Auditor::with_table(options, table.clone()).decide(&batch(vec![("url", urls), ("seen_at", seen)]));
    text(&verdicts.expect("verdicts"), name).into_iter().map(Option::unwrap_or_default).collect()
}

#[test]
fn answer_column_names_the_state_of_the_table_answer() {
    let table = answers(&[
        ("https://a.example", Some(ROBOTS), Some(200), None, Some(100)),
        ("https://a.example", None, Some(503), None, Some(200)),
        ("https://b.example", None, None, Some("timeout"), None),
        ("https://c.example", None, None, None, None),
        ("https://d.example", None, Some(200), None, None),
    ]);
    let rows = [
        ("https://a.example/", Some(99)),
        ("https://a.example/", Some(150)),
        ("https://a.example/", Some(250)),
        ("https://a.example/", None),
        ("https://b.example/", Some(1)),
        ("https://c.example/", Some(1)),
        ("https://d.example/", Some(1)),
        ("https://nowhere.example/", None),
        ("nonsense", None),
    ];
    let found = decided(("answer", options()), &table, &rows);
    assert_eq!(
        found,
        ["not_yet", "http_200", "http_503", "no_time", "undated", "none", "undated", "none", ""]
    );
}

#[test]
fn undated_answer_does_not_decide_a_dated_page() {
    let table = answers(&[
        ("https://a.example", Some(ROBOTS), Some(200), None, None),
        ("https://a.example", None, Some(503), None, Some(200)),
        ("https://b.example", None, Some(503), None, Some(200)),
    ]);
    let rows = [("https://a.example/", Some(250)), ("https://b.example/", Some(250))];
    let found = decided(("verdict", options()), &table, &rows);
    assert_eq!(found, ["unknown_unreachable", "unknown_unreachable"]);
}

#[test]
fn text_columns_are_read_as_utf8_in_dialects_that_match_characters() {
    let robots = [Some("User-agent: *\nDisallow: /é\n")];
    for (number, column) in every_kind(&robots).into_iter().enumerate() {
        let urls: ArrayRef = Arc::new(StringArray::from(vec!["https://a.example/é"]));
        let options = options().preset(Preset::Gym2008);
        let verdicts = Auditor::new(options).decide(&batch(vec![("url", urls), ("robots", column)]));
        // The dialect reads bytes without a charset as ISO-8859-1.
        let is_bytes = (3..6).contains(&number);
        let expected = if is_bytes { "allowed_implicit" } else { "disallowed_explicit" };
        assert_eq!(text(&verdicts.expect("verdicts"), "verdict"), [Some(expected.to_owned())], "{number}");
    }
}

#[test]
fn null_body_is_unknown_and_empty_body_is_an_empty_file() {
    let rows = [
        (None, Some(200), "unknown_unreachable"),
        (Some(""), Some(200), "allowed_implicit"),
        (None, Some(204), "allowed_implicit"),
        (Some(""), Some(301), "unknown_unreachable"),
        (None, Some(302), "unknown_unreachable"),
        (Some(""), None, "unknown_unreachable"),
        (None, None, "unknown_unreachable"),
    ];
    for preset in Preset::ALL {
        let urls: ArrayRef = Arc::new(StringArray::from(vec!["https://a.example/x"; rows.len()]));
        let robots: ArrayRef = Arc::new(rows.iter().map(|row| row.0).collect::<StringArray>());
        let status: ArrayRef = Arc::new(rows.iter().map(|row| row.1).collect::<Int16Array>());
        let columns = vec![("url", urls), ("robots", robots), ("robots_status", status)];
        let verdicts = Auditor::new(options().preset(preset)).decide(&batch(columns)).expect("verdicts");
        let expected: Vec<_> = rows.iter().map(|row| Some(row.2.to_owned())).collect();
        assert_eq!(text(&verdicts, "verdict"), expected, "{preset}");
        let recommendations = text(&verdicts, "recommendation");
        for (row, recommendation) in
            rows.iter().zip(recommendations).filter(|(row, _)| row.2.starts_with("un"))
        {
            let opens = preset == Preset::Ladon && row.1.is_some();
            let expected = if opens { "allowed_but_warn" } else { "unknown_do_not_fetch_by_default" };
            assert_eq!(recommendation.as_deref(), Some(expected), "{preset} {row:?}");
        }
    }
}

#[test]
fn answer_age_is_the_age_of_the_answer_that_decides() {
    const DAY: i64 = 86_400;
    let table = answers(&[
        ("https://a.example", Some(ROBOTS), Some(200), None, Some(10 * DAY)),
        ("https://a.example", None, Some(503), None, Some(20 * DAY)),
        ("https://b.example", None, Some(404), None, Some(10 * DAY)),
        ("https://c.example", None, Some(404), None, None),
    ]);
    let rows = [
        ("https://a.example/", Some(10 * DAY + 5)),
        // During the outage, the last good copy decides.
        ("https://a.example/", Some(21 * DAY)),
        ("https://a.example/", None),
        ("https://b.example/", Some(9 * DAY)),
        ("https://b.example/", Some(12 * DAY)),
        ("https://b.example/robots.txt", Some(60 * DAY)),
        ("https://c.example/", Some(12 * DAY)),
        ("nonsense", Some(12 * DAY)),
    ];
    let urls: ArrayRef = Arc::new(rows.iter().map(|row| Some(row.0)).collect::<StringArray>());
    let seen: ArrayRef = Arc::new(rows.iter().map(|row| row.1).collect::<TimestampSecondArray>());
    let pages = batch(vec![("url", urls.clone()), ("seen_at", seen)]);
    let decide = |options: AuditorOptions, pages: &RecordBatch| {
        let verdicts = Auditor::with_table(options, table.clone()).decide(pages).expect("verdicts");
        let ages = verdicts["answer_age"].as_primitive::<arrow_array::types::Int64Type>();
        (ages.iter().collect::<Vec<_>>(), text(&verdicts, "answer"))
    };
    let outputs = || ["answer", "answer_age"].into_iter().map(|name| name.parse().expect("a column"));
    let options = || options().outputs(outputs());
    let (ages, _) = decide(options(), &pages);
    let days = |days: i64| Some(days * DAY);
    assert_eq!(ages, [Some(5), days(11), None, None, days(2), days(50), None, None]);
    let (ages, _) = decide(options().versions(Versions::Nearest), &pages);
    assert_eq!(ages[3], days(-1));
    let (ages, words) = decide(options().max_age(Duration::from_secs(10 * 86_400)), &pages);
    assert_eq!(ages, [Some(5), None, None, None, days(2), None, None, None]);
    let words: Vec<_> = words.iter().map(|word| word.as_deref().unwrap_or("-")).collect();
    let (old, none) = ("too_old", "not_yet");
    assert_eq!(words, ["http_200", old, "no_time", none, "http_404", old, "undated", "-"]);
    // Without decision times, ages are computed at the time `now` of the options.
    let now = UNIX_EPOCH + Duration::from_secs(30 * 86_400);
    let (ages, _) = decide(options().now(now), &batch(vec![("url", urls)]));
    assert_eq!(ages[4..], [days(20), days(20), None, None]);
}

#[test]
fn nearest_answer_may_be_later_than_the_row() {
    let table = answers(&[
        ("https://a.example", Some("User-agent: *\nDisallow: /old\n"), Some(200), None, Some(100)),
        ("https://a.example", Some(ROBOTS), Some(200), None, Some(200)),
        ("https://b.example", Some(ROBOTS), Some(200), None, None),
        ("https://b.example", None, Some(404), None, Some(300)),
    ]);
    let rows = [
        ("https://a.example/private", Some(0)),
        ("https://a.example/private", Some(149)),
        ("https://a.example/private", Some(150)),
        ("https://a.example/private", Some(151)),
        ("https://a.example/private", Some(9_999)),
        ("https://b.example/private", Some(1)),
        ("https://b.example/private", None),
    ];
    let verdicts = |versions| decided(("verdict", options().versions(versions)), &table, &rows);
    let (none, allowed, disallowed) = ("unknown_unreachable", "allowed_implicit", "disallowed_explicit");
    assert_eq!(verdicts(Versions::AsOf), [none, allowed, allowed, allowed, disallowed, none, none]);
    assert_eq!(
        verdicts(Versions::Nearest),
        [allowed, allowed, allowed, disallowed, disallowed, allowed, none]
    );
}

#[test]
fn bare_host_applies_to_both_origins_and_is_counted() {
    let table = answers(&[
        ("a.example", Some(ROBOTS), Some(200), None, Some(1)),
        ("A.example", None, Some(404), None, Some(2)),
        ("a.example", None, None, None, None),
        ("b.example:8080", Some(ROBOTS), Some(200), None, Some(1)),
        ("[::1]", Some(ROBOTS), Some(200), None, Some(1)),
        ("https://c.example/robots.txt", Some(ROBOTS), Some(200), None, None),
        ("a.example/robots.txt", Some(ROBOTS), Some(200), None, None),
        ("id", Some(ROBOTS), Some(200), None, None),
    ]);
    assert_eq!((table.bare_hosts(), table.len()), (4, 7));
    let rows = [
        ("https://a.example/private", Some(1)),
        ("http://a.example/private", Some(2)),
        ("https://b.example:8080/private", Some(2)),
        ("https://b.example/private", Some(2)),
        ("http://[::1]/private", Some(2)),
    ];
    let (allowed, disallowed) = ("allowed_implicit", "disallowed_explicit");
    assert_eq!(
        decided(("verdict", options()), &table, &rows),
        [disallowed, allowed, disallowed, "unknown_unreachable", disallowed]
    );
}

#[test]
fn table_without_origins_requires_a_column_of_keys() {
    let table = answers(&[("id", Some(ROBOTS), Some(200), None, None)]);
    let urls: ArrayRef = Arc::new(StringArray::from(vec!["https://a.example/private"]));
    let mut auditor = Auditor::with_table(options(), table);
    let error = auditor.decide(&batch(vec![("url", urls.clone())])).expect_err("an error");
    assert!(matches!(error, BatchError::NoOrigins), "{error}");
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["id"]));
    let verdicts = auditor.decide(&batch(vec![("url", urls), ("robots_key", keys)])).expect("verdicts");
    assert_eq!(text(&verdicts, "verdict"), [Some("disallowed_explicit".to_owned())]);
}

#[test]
fn lookup_by_key_distinguishes_spellings_of_an_origin() {
    let table = answers(&[
        ("https://a.example", Some(ROBOTS), Some(200), None, Some(1)),
        ("HTTPS://a.example", None, Some(404), None, Some(2)),
        ("https://b.example", Some(ROBOTS), Some(200), None, Some(1)),
    ]);
    assert_eq!(table.len(), 3);
    let urls: ArrayRef = Arc::new(StringArray::from(vec!["/private"; 4]));
    let keys = ["https://a.example", "HTTPS://a.example", "https://b.example", "HTTPS://b.example"];
    let keys: ArrayRef = Arc::new(StringArray::from(keys.to_vec()));
    let verdicts =
        Auditor::with_table(options(), table).decide(&batch(vec![("url", urls), ("robots_key", keys)]));
    assert_eq!(
        text(&verdicts.expect("verdicts"), "answer").into_iter().flatten().collect::<Vec<_>>(),
        ["http_200", "http_404", "http_200", "none"]
    );
}

#[test]
fn long_rule_and_long_error_are_truncated() {
    let robots: ArrayRef = Arc::new(StringArray::from(vec![
        format!("User-agent: *\nDisallow: /{}\n", "\u{e9}".repeat(5_000)),
        String::new(),
    ]));
    let urls: ArrayRef =
        Arc::new(StringArray::from(vec![format!("/{}", "%C3%A9".repeat(5_000)), "x".repeat(5_000)]));
    let verdicts =
        Auditor::new(options()).decide(&batch(vec![("url", urls), ("robots", robots)])).expect("verdicts");
    assert_eq!(text(&verdicts, "verdict")[0].as_deref(), Some("disallowed_explicit"));
    assert_eq!(text(&verdicts, "rule")[0].as_deref(), Some(format!("/{}", "\u{e9}".repeat(511)).as_str()));
    assert!(text(&verdicts, "error")[1].as_ref().is_some_and(|error| error.len() <= 1024));
}

#[test]
fn table_with_unknown_failure_is_rejected_with_the_known_names() {
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let failures: ArrayRef = Arc::new(StringArray::from(vec!["gremlins"]));
    let error = RobotsTable::new([batch(vec![("key", keys), ("failure", failures)])], Columns::new());
    let error = error.expect_err("no such failure");
    assert!(matches!(error, BatchError::Row { row: 0, .. }));
    assert!(
        error.to_string().contains("unknown failure `gremlins`; must be one of: redirects, timeout"),
        "{error}"
    );
}

#[test]
fn table_without_answers_is_rejected_with_the_accepted_columns() {
    let texts = || -> ArrayRef { Arc::new(StringArray::from(vec!["https://a.example"])) };
    let table = batch(vec![("key", texts()), ("text", texts())]);
    let error = RobotsTable::new([table.clone()], Columns::new()).expect_err("no answers");
    assert!(matches!(&error, BatchError::NoAnswers { present } if present == &["key", "text"]));
    assert!(error.to_string().contains("only the columns key, text; give a column `body`"));
    let named = Columns::new().with(comity_arrow::Input::Robots, "text");
    assert_eq!(RobotsTable::new([table], named).map(|table| table.len()).ok(), Some(1));
}

#[test]
fn url_rejected_by_the_check_has_its_message_as_error() {
    fn check(url: &[u8]) -> Result<(), String> {
        if url == b"mailto:a" { Err("a mail address".to_owned()) } else { Ok(()) }
    }
    let urls: ArrayRef = Arc::new(StringArray::from(vec!["/x", "mailto:a", "/private"]));
    let robots: ArrayRef = Arc::new(StringArray::from(vec![ROBOTS; 3]));
    let batch = batch(vec![("url", urls), ("robots", robots)]);
    let verdicts = Auditor::new(options().check_url(check)).decide(&batch).expect("verdicts");
    let words = text(&verdicts, "verdict");
    assert_eq!(
        words.iter().map(Option::as_deref).collect::<Vec<_>>(),
        [Some("allowed_implicit"), None, Some("disallowed_explicit")]
    );
    let errors = text(&verdicts, "error");
    assert_eq!(errors.iter().map(Option::as_deref).collect::<Vec<_>>(), [None, Some("a mail address"), None]);
}

#[test]
fn usage_columns_show_each_signal_separately() {
    let robots = "License: https://a.example/license.xml\n\nUser-agent: *\nDisallow: /never\nContent-Signal: search=yes, ai-train=no\n\
                  Content-Usage: train-ai=n\nContent-Usage: /ok train-ai=y\n";
    let urls: ArrayRef = Arc::new(StringArray::from(vec!["/x", "/ok", "/never", "mailto:a", "/x"]));
    let bodies: ArrayRef =
        Arc::new(StringArray::from(vec![Some(robots), Some(robots), Some(robots), Some(robots), None]));
    let mut auditor = Auditor::new(options().outputs(Output::usage()));
    // The second decision uses the cache.
    for _ in 0..2 {
        let verdicts = auditor
            .decide(&batch(vec![("url", urls.clone()), ("robots", bodies.clone())]))
            .expect("verdicts");
        let words = |name: &str| -> Vec<String> {
            text(&verdicts, name).into_iter().map(|word| word.unwrap_or_else(|| "-".to_owned())).collect()
        };
        assert_eq!(words("usage_content_usage_train"), ["disallow", "allow", "unknown", "-", "unknown"]);
        assert_eq!(words("usage_content_usage_search"), ["unknown", "unknown", "unknown", "-", "unknown"]);
        assert_eq!(words("usage_content_signal_train"), ["disallow", "disallow", "disallow", "-", "unknown"]);
        assert_eq!(words("usage_content_signal_file_search"), ["allow", "allow", "allow", "-", "unknown"]);
        assert_eq!(words("usage_control_token_train"), ["-"; 5]);
        let licenses = verdicts["usage_rsl_licenses"].as_list::<i32>();
        let lengths: Vec<usize> = (0..5).map(|row| licenses.value(row).len()).collect();
        assert_eq!(lengths, [1, 1, 1, 0, 0]);
        assert!(licenses.is_null(3) && licenses.is_valid(4));
        assert_eq!(licenses.value(0).as_string::<i32>().value(0), "https://a.example/license.xml");
    }
}

#[test]
fn control_token_has_a_stance_in_its_own_column() {
    let urls: ArrayRef = Arc::new(StringArray::from(vec!["/x", "/private"]));
    let robots: ArrayRef =
        Arc::new(StringArray::from(vec!["User-agent: Google-Extended\nAllow: /x\nDisallow: /private\n"; 2]));
    let options =
        AuditorOptions::new().agent(Agent::unchecked_token("Google-Extended")).outputs(Output::usage());
    let verdicts =
        Auditor::new(options).decide(&batch(vec![("url", urls), ("robots", robots)])).expect("verdicts");
    let train: Vec<_> = text(&verdicts, "usage_control_token_train").into_iter().flatten().collect();
    assert_eq!(train, ["allow", "disallow"]);
}

#[test]
fn batches_without_rows_or_columns_are_accepted() {
    let urls: ArrayRef = Arc::new(StringArray::from(Vec::<&str>::new()));
    let robots: ArrayRef = Arc::new(StringArray::from(Vec::<&str>::new()));
    let empty = batch(vec![("url", urls), ("robots", robots)]);
    let mut auditor = Auditor::new(options().preset(Preset::Google).outputs(Output::all()));
    let verdicts = auditor.decide(&empty).expect("verdicts");
    assert_eq!(verdicts.num_rows(), 0);
    assert_eq!(verdicts.schema(), auditor.schema(empty.schema_ref()).expect("a schema"));
    let none = Auditor::new(options().outputs([]).keep_input(false)).decide(&empty).expect("no columns");
    assert_eq!((none.num_rows(), none.num_columns()), (0, 0));
}

#[test]
fn invalid_product_token_is_an_error_of_its_row() {
    let agents = [Some("FooBot"), Some("FooBot/1.0"), Some("*"), Some(""), Some("FooBot/1.0"), Some("other")];
    let urls = agents.map(|_| Some("https://example.com/private"));
    let robots = agents.map(|_| Some("User-agent: FooBot\nDisallow: /\n"));
    let column = |texts: [Option<&str>; 6]| Arc::new(StringArray::from_iter(texts)) as ArrayRef;
    let batch = batch(vec![("url", column(urls)), ("agent", column(agents)), ("robots", column(robots))]);
    let decided = Auditor::new(AuditorOptions::new()).decide(&batch).expect("a batch");
    let (verdicts, errors) = (text(&decided, "verdict"), text(&decided, "error"));
    for (row, verdict) in
        [(0, Some("disallowed_explicit")), (1, None), (2, Some("allowed_implicit")), (3, None), (4, None)]
    {
        assert_eq!(verdicts[row].as_deref(), verdict, "row {row}");
        assert_eq!(errors[row].is_some(), verdict.is_none(), "row {row}");
    }
    let error = errors[1].as_deref().expect("an error");
    assert!(error.starts_with("`FooBot/1.0` is not a product token: it contains `/`; a whole"), "{error}");
    assert_eq!(errors[1], errors[4]);
}

/// Returns the Arrow type of an output column.
fn schema_type(column: DecisionColumn) -> DataType {
    let schema = Auditor::new(options().outputs([Output::Decision(column)])).schema(&Schema::empty());
    schema.expect("a schema").field(0).data_type().clone()
}

/// Every column, and no other name, is in the first cells of the tables in `docs/guide/arrow.md`.
#[test]
fn every_column_is_documented() {
    let about = |column: DecisionColumn| {
        let kind = match schema_type(column) {
            DataType::Utf8 => "text",
            DataType::Boolean => "boolean",
            DataType::UInt32 => "uint32",
            DataType::Float64 => "float64",
            other => panic!("{column:?} is {other}"),
        };
        [format!("`{}`", column.name()), kind.to_owned(), column.about().to_owned()]
    };
    let printed = table(["column", "type", "meaning"], DecisionColumn::all().map(about));
    assert_printed("docs/guide/arrow.md", &[("decision columns", printed)]);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/arrow.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let section = |title: &str| page.split(title).nth(1).and_then(|rest| rest.split("\n## ").next());
    let listed = |title: &str| -> Vec<String> {
        let rows = section(title).expect("the section").lines().filter(|line| line.starts_with("| `"));
        let cells = rows.filter_map(|row| row.split('|').nth(1));
        cells.flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned)).collect()
    };
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let inputs = Input::ALL.map(|input| input.as_str().to_owned()).to_vec();
    assert_eq!(sorted(listed("\n## Input columns\n")), sorted(inputs));
    // All usage signals are documented in one row, `usage_...`.
    let signals = |name: &str| name.starts_with("usage_") && name != "usage_rsl_licenses";
    let mut outputs: Vec<_> = Output::all().map(|output| output.name().to_owned()).collect();
    outputs.retain(|name| !signals(name));
    outputs.push("usage_...".to_owned());
    assert_eq!(sorted(listed("\n## Output columns\n")), sorted(outputs));
}
