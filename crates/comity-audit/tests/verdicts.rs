//! Batches get the answers that single questions get, whatever form their columns have.

use std::error::Error;
use std::sync::Arc;
use std::time::SystemTime;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int8Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, Float64Array, Int64Array,
    LargeStringArray, RecordBatch, StringArray, StringViewArray, UInt16Array,
};
use comity::policy::{Answer, Failure, Policy, Preset};
use comity::robots::{Agent, Dialect};
use comity::usage::Use;
use comity_audit::{AuditError, Auditor, Options};
use proptest::prelude::*;

const NOW: SystemTime = SystemTime::UNIX_EPOCH;
const ROBOTS: &str = "User-agent: *\nDisallow: /private\nAllow: /private/open\nCrawl-delay: 2\n";

fn texts(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn batch(columns: &[(&str, ArrayRef)]) -> Result<RecordBatch, Box<dyn Error>> {
    Ok(RecordBatch::try_from_iter(columns.iter().map(|(name, column)| (*name, Arc::clone(column))))?)
}

fn column(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    let column = batch.column_by_name(name).and_then(|column| column.as_string_opt::<i32>().cloned());
    column.iter().flatten().map(|text| text.map(str::to_owned)).collect()
}

fn some(values: &[&str]) -> Vec<Option<String>> {
    values.iter().map(|value| Some((*value).to_owned())).collect()
}

fn auditor() -> Auditor {
    Auditor::new(Options::for_agent(Agent::token("examplebot")))
}

#[test]
fn every_column_says_what_the_decision_says() -> Result<(), Box<dyn Error>> {
    let urls = [Some("http://h/private/a"), Some("/private/open"), Some("/else"), Some("mailto:a"), None];
    let given = batch(&[("url", texts(&urls)), ("robots", texts(&[Some(ROBOTS); 5]))])?;
    let decided = auditor().decide(&given)?;
    assert_eq!(decided.num_columns(), 2 + 11);
    assert_eq!(
        column(&decided, "verdict")[..3],
        some(&["disallowed_explicit", "allowed_explicit", "allowed_implicit"])
    );
    assert_eq!(column(&decided, "verdict")[3..], [None, None]);
    assert_eq!(
        column(&decided, "recommendation")[..3],
        some(&["not_recommended", "recommended", "recommended"])
    );
    assert_eq!(column(&decided, "rule")[..2], some(&["/private", "/private/open"]));
    assert_eq!(column(&decided, "rule_kind")[..2], some(&["disallow", "allow"]));
    assert_eq!(column(&decided, "group")[..3], some(&["*", "*", "*"]));
    assert_eq!(column(&decided, "basis")[..3], some(&["rule", "rule", "no_rule"]));
    assert_eq!(column(&decided, "treatment")[..3], some(&["read_rules"; 3]));
    let errors = column(&decided, "error");
    assert_eq!(errors[..3], [None, None, None]);
    assert!(errors[3].as_deref().is_some_and(|error| error.contains("`mailto:a`")), "{errors:?}");
    assert_eq!(errors[4].as_deref(), Some("there is no URL"));
    let allowed = decided.column_by_name("allowed").ok_or("no column")?.as_boolean().clone();
    assert_eq!(allowed.iter().collect::<Vec<_>>(), [Some(false), Some(true), Some(true), None, None]);
    let lines = decided.column_by_name("line").ok_or("no column")?.as_primitive::<UInt32Type>().clone();
    assert_eq!(lines.iter().collect::<Vec<_>>(), [Some(2), Some(3), None, None, None]);
    let delays =
        decided.column_by_name("crawl_delay").ok_or("no column")?.as_primitive::<Float64Type>().clone();
    assert_eq!(delays.iter().collect::<Vec<_>>(), [Some(2.0), Some(2.0), Some(2.0), None, None]);
    Ok(())
}

#[test]
fn every_form_of_text_is_read() -> Result<(), Box<dyn Error>> {
    let long = "https://example.com/private/and/longer/than/a/view/holds";
    let values = [long, "/private/open"];
    let dictionary: DictionaryArray<Int8Type> = values.into_iter().collect();
    let bytes: Vec<&[u8]> = values.iter().map(|value| value.as_bytes()).collect();
    let forms: [ArrayRef; 6] = [
        Arc::new(StringArray::from(values.to_vec())),
        Arc::new(LargeStringArray::from(values.to_vec())),
        Arc::new(StringViewArray::from(values.to_vec())),
        Arc::new(BinaryArray::from(bytes.clone())),
        Arc::new(BinaryViewArray::from(bytes)),
        Arc::new(dictionary),
    ];
    for urls in forms {
        for robots in [
            Arc::new(StringViewArray::from(vec![ROBOTS; 2])) as ArrayRef,
            Arc::new(std::iter::repeat_n(ROBOTS, 2).collect::<DictionaryArray<Int8Type>>()),
        ] {
            let given = batch(&[("url", Arc::clone(&urls)), ("robots", robots)])?;
            // A slice, too: offsets and null bits then do not start at the first row.
            for given in [given.clone(), given.slice(1, 1)] {
                let expected = some(&["disallowed_explicit", "allowed_explicit"]);
                let verdicts = column(&auditor().decide(&given)?, "verdict");
                assert_eq!(verdicts, expected[2 - given.num_rows()..], "{:?}", urls.data_type());
            }
        }
    }
    Ok(())
}

#[test]
fn answers_without_a_body_are_as_the_preset_says() -> Result<(), Box<dyn Error>> {
    let given = batch(&[
        ("url", texts(&[Some("/private"); 6])),
        ("robots", texts(&[Some(ROBOTS), None, None, None, None, Some("<!doctype html>")])),
        (
            "robots_status",
            Arc::new(Float64Array::from(vec![None, Some(404.0), Some(503.0), None, None, Some(200.0)])),
        ),
        ("robots_failure", texts(&[None, None, None, Some("timeout"), Some("gremlins"), None])),
    ])?;
    let decided = auditor().decide(&given)?;
    let verdicts = column(&decided, "verdict");
    assert_eq!(
        verdicts[..4],
        some(&["disallowed_explicit", "allowed_implicit", "unknown_unreachable", "unknown_unreachable"])
    );
    assert_eq!(verdicts[5].as_deref(), Some("unknown_parse_error"));
    assert!(column(&decided, "error")[4].as_deref().is_some_and(|error| error.contains("gremlins")));
    // A status alone will do, and never asked is not the same as 404.
    let given = batch(&[
        ("url", texts(&[Some("/private"); 2])),
        ("robots_status", Arc::new(UInt16Array::from(vec![Some(404), None]))),
    ])?;
    assert_eq!(
        column(&auditor().decide(&given)?, "verdict"),
        some(&["allowed_implicit", "unknown_unreachable"])
    );
    Ok(())
}

#[test]
fn a_second_table_is_joined_by_its_key() -> Result<(), Box<dyn Error>> {
    let answers = batch(&[
        ("robots_key", texts(&[Some("a"), Some("b"), None])),
        ("robots", texts(&[Some(ROBOTS), None, None])),
        ("robots_status", Arc::new(Int64Array::from(vec![200, 404, 500]))),
    ])?;
    let mut auditor = auditor();
    auditor.set_answers([&answers])?;
    let keys = texts(&[Some("a"), Some("b"), Some("c"), None, Some("a")]);
    let given = batch(&[("url", texts(&[Some("/private"); 5])), ("robots_key", keys)])?;
    let verdicts = column(&auditor.decide(&given)?, "verdict");
    let (no, unknown) = ("disallowed_explicit", "unknown_unreachable");
    assert_eq!(verdicts, some(&[no, "allowed_implicit", unknown, unknown, no]));
    let error = auditor.set_answers([&answers, &answers]).err();
    assert!(matches!(error, Some(AuditError::DuplicateKey { key }) if key == "a"));
    assert_eq!(column(&auditor.decide(&given)?, "verdict"), verdicts, "the first table stays");
    Ok(())
}

#[test]
fn errors_name_the_column_and_the_way_out() -> Result<(), Box<dyn Error>> {
    let message = |given: RecordBatch| auditor().decide(&given).err().map(|error| error.to_string());
    let urls = || texts(&[Some("/")]);
    let starts = |message: Option<String>, start: &str| {
        assert!(message.as_deref().is_some_and(|message| message.starts_with(start)), "{message:?}");
    };
    starts(message(batch(&[("link", urls())])?), "there is no column `url`");
    starts(message(batch(&[("url", urls())])?), "there is no column `robots`");
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    starts(message(batch(&[("url", urls()), ("robots", numbers)])?), "column `robots` is Int64");
    let taken = batch(&[("url", urls()), ("robots", urls()), ("line", urls())])?;
    starts(message(taken), "there is a column `line` already");
    let given = batch(&[("url", urls()), ("robots", urls())])?;
    let error = Auditor::new(Options::default()).decide(&given).err();
    assert!(matches!(error, Some(AuditError::NoAgent)));
    Ok(())
}

#[test]
fn the_agent_may_be_a_column() -> Result<(), Box<dyn Error>> {
    let robots = "User-agent: a\nDisallow: /\n\nUser-agent: b\nDisallow:\n";
    let given = batch(&[
        ("url", texts(&[Some("/x"); 4])),
        ("robots", texts(&[Some(robots); 4])),
        ("agent", texts(&[Some("a"), Some("b"), None, Some("a")])),
    ])?;
    let decided = Auditor::new(Options::default()).decide(&given)?;
    assert_eq!(
        column(&decided, "group"),
        [Some("a".to_owned()), Some("b".to_owned()), None, Some("a".to_owned())]
    );
    assert_eq!(column(&decided, "error")[2].as_deref(), Some("there is no agent"));
    Ok(())
}

#[test]
fn another_dialect_decides_where_rules_do() -> Result<(), Box<dyn Error>> {
    // The first rule that matches decides in the oldest dialect, the longest one in RFC 9309.
    let robots = "User-agent: *\nDisallow: /a\nAllow: /a/b\n";
    let given = batch(&[
        ("url", texts(&[Some("/a/b"); 2])),
        ("robots", texts(&[Some(robots), None])),
        ("robots_status", Arc::new(UInt16Array::from(vec![200, 404]))),
    ])?;
    let verdicts = |dialect| -> Result<_, Box<dyn Error>> {
        let mut options = Options::for_agent(Agent::token("examplebot"));
        options.dialect = dialect;
        Ok(column(&Auditor::new(options).decide(&given)?, "verdict"))
    };
    assert_eq!(verdicts(None)?, some(&["allowed_explicit", "allowed_implicit"]));
    assert_eq!(
        verdicts(Some("urllib".parse::<Dialect>()?))?,
        some(&["disallowed_explicit", "allowed_implicit"])
    );
    Ok(())
}

#[test]
fn usage_has_a_column_for_each_signal() -> Result<(), Box<dyn Error>> {
    let robots =
        "Content-Signal: search=yes\nUser-agent: *\nContent-Signal: ai-train=no\nContent-Usage: train-ai=y\n";
    let given = batch(&[
        ("url", texts(&[Some("/a"); 2])),
        ("robots", texts(&[Some(robots), None])),
        ("robots_status", Arc::new(UInt16Array::from(vec![200, 404]))),
    ])?;
    let mut options = Options::for_agent(Agent::token("examplebot"));
    options.usage = vec![Use::Train, Use::Search];
    let decided = Auditor::new(options).decide(&given)?;
    let says =
        |name: &str| column(&decided, name).into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>();
    assert_eq!(says("usage_train_content_usage"), ["allow", ""]);
    assert_eq!(says("usage_train_content_signal"), ["disallow", ""]);
    assert_eq!(says("usage_train_control_token"), ["", ""]);
    assert_eq!(says("usage_search_content_signal"), ["unknown", ""]);
    assert_eq!(says("usage_search_content_signal_whole_file"), ["allow", ""]);
    Ok(())
}

#[test]
fn a_hostile_rule_is_cut_where_it_is_shown() -> Result<(), Box<dyn Error>> {
    let robots = format!("User-agent: *\nDisallow: /{}\n", "\u{e9}".repeat(9000));
    let url = format!("/{}", "%C3%A9".repeat(9000));
    let given = batch(&[("url", texts(&[Some(&url)])), ("robots", texts(&[Some(&robots)]))])?;
    let decided = auditor().decide(&given)?;
    assert_eq!(column(&decided, "verdict"), some(&["disallowed_explicit"]));
    assert_eq!(column(&decided, "rule")[0].as_ref().map(String::len), Some(1023));
    Ok(())
}

/// A question: URL, body, status, agent.
fn question() -> impl Strategy<Value = (String, Option<String>, Option<u16>, &'static str)> {
    let path = "(https://h)?/[ab]{0,3}(/[ab*$]{0,2})?|nonsense|mailto:x";
    let line = prop_oneof![
        "(Dis)?[aA]llow: /[ab*$]{0,3}\n",
        "User-agent: (\\*|abot|bbot)\n",
        "Crawl-delay: [0-9]\n",
        "<html>\n"
    ];
    let body = proptest::collection::vec(line, 0..6).prop_map(|lines| lines.concat());
    let status = proptest::option::of(prop_oneof![
        Just(200),
        Just(404),
        Just(403),
        Just(503),
        Just(301),
        any::<u16>()
    ]);
    (path, proptest::option::of(body), status, prop_oneof![Just("abot"), Just("bbot"), Just("other")])
}

proptest! {
    #[test]
    fn batches_answer_as_policies_do(
        questions in proptest::collection::vec(question(), 1..30),
        repeat in 1_usize..4,
        preset in proptest::sample::select(Preset::ALL.to_vec()),
        cache_bytes in prop_oneof![Just(0_usize), Just(2000), Just(1 << 20)],
    ) {
        let rows: Vec<_> = questions.iter().flat_map(|question| std::iter::repeat_n(question, repeat)).collect();
        let given = RecordBatch::try_from_iter([
            ("url", Arc::new(rows.iter().map(|row| Some(row.0.as_str())).collect::<StringArray>()) as ArrayRef),
            ("robots", Arc::new(rows.iter().map(|row| row.1.as_deref()).collect::<StringArray>())),
            ("robots_status", Arc::new(rows.iter().map(|row| row.2).collect::<UInt16Array>())),
            ("agent", Arc::new(rows.iter().map(|row| Some(row.3)).collect::<StringArray>())),
        ])?;
        let mut options = Options::default();
        (options.preset, options.cache_bytes) = (preset, cache_bytes);
        let mut auditor = Auditor::new(options);
        // Twice: the second time from the cache.
        for _ in 0..2 {
            let decided = auditor.decide(&given)?;
            let (verdicts, rules) = (column(&decided, "verdict"), column(&decided, "rule"));
            let (advice, errors) = (column(&decided, "recommendation"), column(&decided, "error"));
            for (row, (url, body, status, agent)) in rows.iter().enumerate() {
                let agent = Agent::token(*agent);
                let policy = match status.or(body.as_ref().map(|_| 200)) {
                    Some(code) => {
                        let answer = Answer::status(code, NOW).with_body(body.as_deref().unwrap_or_default());
                        Policy::new(&preset.read(&answer), &agent)
                    }
                    None => Policy::unasked(preset),
                };
                let policy = policy.with_mode(preset.mode());
                match policy.decide(url, NOW) {
                    Ok(decision) => {
                        prop_assert_eq!(verdicts[row].as_deref(), Some(decision.verdict().as_str()));
                        prop_assert_eq!(advice[row].as_deref(), Some(decision.recommendation().as_str()));
                        let rule = decision.rules().and_then(|decision| decision.rule());
                        let rule = rule.map(|rule| rule.pattern_text().into_owned());
                        prop_assert_eq!(rules[row].clone(), rule);
                        prop_assert_eq!(&errors[row], &None);
                    }
                    Err(error) => {
                        prop_assert_eq!(errors[row].clone(), Some(error.to_string()));
                        prop_assert_eq!(&verdicts[row], &None);
                    }
                }
            }
        }
    }
}

#[test]
fn failures_have_the_names_of_the_engine() -> Result<(), Box<dyn Error>> {
    let names: Vec<_> = Failure::ALL.into_iter().map(|failure| Some(failure.as_str())).collect();
    let urls = vec![Some("/"); names.len()];
    let given = batch(&[("url", texts(&urls)), ("robots_failure", texts(&names))])?;
    assert!(column(&auditor().decide(&given)?, "error").iter().all(Option::is_none));
    Ok(())
}

#[test]
fn the_empty_batch_and_the_columns_alone() -> Result<(), Box<dyn Error>> {
    let given = batch(&[("url", texts(&[])), ("robots", texts(&[]))])?;
    let mut options = Options::for_agent(Agent::token("examplebot"));
    (options.append, options.prefix) = (false, "comity_".to_owned());
    options.columns = vec!["allowed".parse()?];
    let decided = Auditor::new(options).decide(&given)?;
    assert_eq!((decided.num_rows(), decided.num_columns()), (0, 1));
    assert_eq!(decided.schema_ref().field(0).name(), "comity_allowed");
    Ok(())
}
