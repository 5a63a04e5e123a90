//! Verdicts for a batch equal those of the engine, row by row.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, Int64Array, RecordBatch, StringArray, TimestampMillisecondArray,
    UInt16Array,
};
use arrow_schema::DataType;
use comity::policy::{Answer, Decision, Failure, Policy, Preset};
use comity::robots::{Agent, Dialect, RobotsTxt};
use comity_arrow::{Auditor, AuditorOptions, Columns, DecisionColumn, Input, Output, RobotsTable, Words};
use serde_json::Value;
use testkit::generate::{Case, Generator};

/// A pseudo-random generator whose numbers depend only on the seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len() as u64) as usize]
    }
}

/// Returns the value of a column in a row as text.
fn cell(batch: &RecordBatch, name: &str, row: usize) -> String {
    let column = &batch[name];
    match column.data_type() {
        _ if column.is_null(row) => "-".to_owned(),
        DataType::Boolean => column.as_boolean().value(row).to_string(),
        DataType::UInt32 => column.as_primitive::<UInt32Type>().value(row).to_string(),
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row).to_string(),
        _ => column.as_string::<i32>().value(row).to_owned(),
    }
}

/// Returns the columns about fetching in a row as text.
fn row_text(batch: &RecordBatch, row: usize) -> String {
    let decision = DecisionColumn::all().map(|column| column.name());
    let columns = decision.chain(["allowed", "crawl_delay"]);
    columns.map(|name| format!("{name}={}", cell(batch, name, row))).collect::<Vec<_>>().join(" ")
}

/// Returns a decision of the engine, read from its JSON, in the format of [`row_text`].
fn decision_text(policy: &Policy, decision: &Decision<'_>, now: SystemTime, knows_age: bool) -> String {
    let mut record = decision.to_record();
    record.stale = record.stale.filter(|_| knows_age);
    let json = serde_json::to_value(&record).expect("JSON");
    let value = |name: &str| match name {
        "rule" => json["rule"]["pattern"].clone(),
        "line" => json["rule"]["line"].clone(),
        _ => match name.strip_prefix("rule_") {
            Some(part) => json["rule"][part].clone(),
            None => json[name].clone(),
        },
    };
    let text = |value: Value| match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text,
        Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or_default().to_string(),
        other => other.to_string(),
    };
    let delay = policy.rules(now).and_then(|rules| rules.crawl_delay());
    let delay = delay.map_or_else(|| "-".to_owned(), |delay| delay.as_secs_f64().to_string());
    let decision =
        DecisionColumn::all().map(|column| format!("{}={}", column.name(), text(value(column.name()))));
    let allowed = record.recommendation.allows();
    decision
        .chain([format!("allowed={allowed}"), format!("crawl_delay={delay}")])
        .collect::<Vec<_>>()
        .join(" ")
}

fn every_output() -> Vec<Output> {
    Output::all().collect()
}

/// Returns all outputs except those about usage. With usage outputs, every robots.txt is parsed and cached. Without them, quick
/// scans decide the first rows.
fn every_output_about_fetching() -> Vec<Output> {
    Output::all().filter(|output| !matches!(output, Output::Usage(_))).collect()
}

const STATUSES: [Option<u16>; 11] = [
    None,
    Some(200),
    Some(200),
    Some(206),
    Some(301),
    Some(304),
    Some(401),
    Some(404),
    Some(429),
    Some(503),
    Some(999),
];

struct Row {
    case: Case,
    body: Option<Vec<u8>>,
    status: Option<u16>,
    failure: Option<Failure>,
    age: Option<u64>,
}

fn rows(seed: u64, count: usize) -> Vec<Row> {
    let (mut generator, mut dice) = (Generator::new(seed), Dice(seed));
    let mut rows: Vec<Row> = Vec::new();
    while rows.len() < count {
        let mut case = generator.next_case();
        match dice.below(12) {
            0 => case.url = "no url".to_owned(),
            1 => case.url = "https://example.com/robots.txt".to_owned(),
            2 => case.robots = b"<!doctype html><p>no".to_vec(),
            _ => {}
        }
        let body = (dice.below(10) > 0).then(|| case.robots.clone());
        let status = *dice.pick(&STATUSES);
        let failure = (dice.below(10) == 0).then(|| *dice.pick(&Failure::ALL));
        let age = (dice.below(3) > 0).then(|| dice.below(40 * 86_400));
        // Adjacent rows have equal bodies.
        for _ in 0..=dice.below(3) {
            let (agent, url) = generator.question_for(&case.robots);
            let asked = Case { agent, url, ..case.clone() };
            rows.push(Row { case: asked, body: body.clone(), status, failure, age });
        }
        rows.push(Row { case, body, status, failure, age });
    }
    let again = dice.below(rows.len() as u64) as usize;
    rows.rotate_left(again);
    rows
}

fn batch_of(rows: &[Row]) -> RecordBatch {
    const CAME: i64 = 1_700_000_000_000;
    let urls: ArrayRef = Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.case.url)));
    let agents: ArrayRef = Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.case.agent)));
    let bodies: ArrayRef = Arc::new(BinaryArray::from_iter(rows.iter().map(|row| row.body.as_deref())));
    let statuses: ArrayRef = Arc::new(UInt16Array::from_iter(rows.iter().map(|row| row.status)));
    let failures = rows.iter().map(|row| row.failure.map(Failure::as_str));
    let failures: ArrayRef = Arc::new(StringArray::from_iter(failures));
    let came: ArrayRef = Arc::new(TimestampMillisecondArray::from_iter_values(rows.iter().map(|_| CAME)));
    let seen = rows.iter().map(|row| row.age.map(|age| CAME + 1000 * age as i64));
    let seen: ArrayRef = Arc::new(TimestampMillisecondArray::from_iter(seen));
    RecordBatch::try_from_iter_with_nullable([
        ("url", urls, true),
        ("agent", agents, true),
        ("robots", bodies, true),
        ("robots_status", statuses, true),
        ("robots_failure", failures, true),
        ("robots_fetched_at", came, true),
        ("seen_at", seen, true),
    ])
    .expect("a batch")
}

fn expected(row: &Row, preset: Preset) -> Option<String> {
    let came = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    // An invalid product token is an error of the row.
    let agent = Agent::token(&row.case.agent).ok()?;
    let answer = match (row.failure, row.status, &row.body) {
        (Some(failure), _, _) => Some(Answer::failure(failure, came)),
        // In a table with statuses, a body without a status is ignored.
        (None, None, _) => None,
        (None, Some(code), body) => {
            let answer = Answer::status(code, came);
            Some(match body {
                Some(body) => answer.with_body(body),
                None => answer,
            })
        }
    };
    let policy = match answer {
        Some(answer) => Policy::new(&preset.read(&answer), &agent),
        None => Policy::without_answer(preset),
    };
    let now = came + Duration::from_secs(row.age.unwrap_or(0));
    let decision = policy.decide(&row.case.url, now).ok()?;
    Some(decision_text(&policy, &decision, now, row.age.is_some()))
}

#[test]
fn verdicts_equal_those_of_the_engine_under_every_preset() {
    let both = [every_output(), every_output_about_fetching()];
    for (preset, outputs) in
        Preset::ALL.into_iter().flat_map(|preset| both.clone().map(|outputs| (preset, outputs)))
    {
        let mut auditor = Auditor::new(AuditorOptions::new().preset(preset).outputs(outputs));
        for seed in 1..=2 {
            let rows = rows(seed, 2_000);
            let verdicts = auditor.decide(&batch_of(&rows)).expect("verdicts");
            let errors = verdicts["error"].as_string::<i32>();
            for (at, row) in rows.iter().enumerate() {
                let case = format!("{preset}, seed {seed}, row {at}: {:?}", row.case);
                match expected(row, preset) {
                    Some(expected) => {
                        assert_eq!(row_text(&verdicts, at), expected, "{case}");
                        assert!(errors.is_null(at), "{case}");
                    }
                    None => {
                        assert!(
                            row_text(&verdicts, at).split(' ').all(|value| value.ends_with("=-")),
                            "{case}"
                        );
                        assert!(errors.is_valid(at), "{case}");
                    }
                }
            }
        }
    }
}

#[test]
fn dialect_other_than_the_presets_decides_as_the_engine() {
    for dialect in Dialect::ALL {
        let options = AuditorOptions::new().dialect(dialect).outputs(every_output());
        let mut auditor = Auditor::new(options);
        let rows = rows(77, 2_000);
        let verdicts = auditor.decide(&batch_of(&rows)).expect("verdicts");
        let (rules, verdict) = (verdicts["rule"].as_string::<i32>(), verdicts["verdict"].as_string::<i32>());
        for (at, row) in rows.iter().enumerate() {
            let Some(body) = &row.body else { continue };
            if row.failure.is_some() || row.status.is_some_and(|code| code != 200) || body.starts_with(b"<") {
                continue;
            }
            let Ok(agent) = Agent::token(&row.case.agent) else {
                assert!(verdict.is_null(at));
                continue;
            };
            let mut policy = RobotsTxt::parse_as(body, dialect).rules_for(&agent);
            if verdicts["treatment"].as_string::<i32>().value(at) != "read_rules" {
                policy = RobotsTxt::parse_as(b"", dialect).rules_for(&Agent::unchecked_token("*"));
            }
            let Ok(decision) = policy.decide(&row.case.url) else {
                assert!(verdict.is_null(at));
                continue;
            };
            if verdicts["treatment"].as_string::<i32>().value(at) == "read_rules" {
                assert_eq!(verdict.value(at), decision.verdict().as_str(), "{dialect}: {:?}", row.case);
                let rule = decision.rule().map(|rule| rule.pattern_text().into_owned());
                assert_eq!(rules.is_valid(at).then(|| rules.value(at).to_owned()), rule);
            }
        }
    }
}

/// Compares a table with a policy that is updated with the answers up to each time.
#[test]
fn table_decides_as_a_client_that_received_every_answer() {
    let hour = 3_600_000_i64;
    let bodies: [&[u8]; 3] =
        [b"User-agent: *\nDisallow: /a\nCrawl-delay: 2\n", b"User-agent: *\nAllow: /\n", b"<html>no"];
    let answers = [Some(200_u16), Some(200), Some(304), Some(404), Some(503), Some(503), None];
    let agent = Agent::unchecked_token("examplebot");
    for preset in Preset::ALL {
        for seed in 1..=25_u64 {
            let mut dice = Dice(seed);
            let history: Vec<(i64, Option<u16>, &[u8])> = (0..1 + dice.below(12))
                .map(|n| {
                    let at = hour * (n as i64 * 70 + dice.below(60) as i64);
                    (at, *dice.pick(&answers), *dice.pick(&bodies))
                })
                .collect();
            let column = |name: &'static str, array: ArrayRef| (name, array, true);
            let failure = history.iter().map(|(_, status, _)| status.is_none().then_some("timeout"));
            let table = RecordBatch::try_from_iter_with_nullable([
                column(
                    "origin",
                    Arc::new(StringArray::from_iter_values(history.iter().map(|_| "https://a.example"))),
                ),
                column(
                    "body",
                    Arc::new(BinaryArray::from_iter_values(history.iter().map(|answer| answer.2))),
                ),
                column(
                    "status",
                    Arc::new(Int64Array::from_iter(history.iter().map(|answer| answer.1.map(i64::from)))),
                ),
                column("failure", Arc::new(StringArray::from_iter(failure))),
                column(
                    "fetched_at",
                    Arc::new(TimestampMillisecondArray::from_iter_values(
                        history.iter().map(|answer| answer.0),
                    )),
                ),
            ])
            .expect("a table");
            let names = Columns::new().with(Input::Key, "origin");
            // The order of the rows in the table does not matter.
            let half = table.num_rows() / 2;
            let parts = [table.slice(half, table.num_rows() - half), table.slice(0, half)];
            let table = RobotsTable::new(parts, names).expect("a table");

            let moments: Vec<i64> = (0..40).map(|n| hour * 25 * n).collect();
            let urls: ArrayRef =
                Arc::new(StringArray::from_iter_values(moments.iter().map(|_| "https://A.example:443/a")));
            let seen: ArrayRef = Arc::new(TimestampMillisecondArray::from_iter_values(moments.clone()));
            let batch = RecordBatch::try_from_iter([("url", urls), ("seen_at", seen)]).expect("a batch");
            let outputs = if seed % 2 == 0 { every_output() } else { every_output_about_fetching() };
            let options = AuditorOptions::new().agent(agent.clone()).preset(preset).outputs(outputs);
            let verdicts = Auditor::with_table(options, Arc::new(table)).decide(&batch).expect("verdicts");

            for (row, moment) in moments.iter().enumerate() {
                let time = |at: i64| SystemTime::UNIX_EPOCH + Duration::from_millis(at as u64);
                let mut policy = Policy::without_answer(preset);
                for (at, status, body) in history.iter().filter(|answer| answer.0 <= *moment) {
                    let answer = match status {
                        Some(code) => Answer::status(*code, time(*at)).with_body(body),
                        None => Answer::failure(Failure::Timeout, time(*at)),
                    };
                    policy.update(&preset.read(&answer), &agent);
                }
                let now = time(*moment);
                let decision = policy.decide("https://a.example/a", now).expect("a URL");
                let knows_age = policy.evidence().is_some();
                let expected = decision_text(&policy, &decision, now, knows_age);
                assert_eq!(
                    row_text(&verdicts, row),
                    expected,
                    "{preset}, seed {seed}, at {moment}: {history:?}"
                );
            }
        }
    }
}

/// Returns a table of answers and a batch of pages. Answers have statuses, failures, media types and times; some origins have a
/// history. The pages are for several crawlers; some pages are repeated.
fn table_and_pages(seed: u64) -> (RecordBatch, RecordBatch) {
    const TYPES: [Option<&str>; 5] = [
        None,
        Some("text/plain"),
        Some("text/plain; charset=utf-8"),
        Some("text/plain; charset=shift_jis"),
        Some("text/html"),
    ];
    const CAME: i64 = 1_700_000_000_000;
    let (mut dice, mut rows) = (Dice(seed), rows(seed, 500));
    for row in &mut rows {
        if dice.below(3) > 0 {
            (row.status, row.failure) = (Some(200), None);
        }
    }
    let (mut answers, mut pages) = (Vec::new(), Vec::new());
    for (number, row) in rows.iter().enumerate() {
        let origin = format!("https://site-{}.example", number - number % (1 + dice.below(3) as usize));
        let path = row.case.url.strip_prefix("https://").and_then(|url| url.split_once('/'));
        let path = path.map_or("", |(_, path)| path);
        let came = CAME + 3_600_000 * dice.below(500) as i64;
        answers.push((origin.clone(), row, *dice.pick(&TYPES), (dice.below(8) > 0).then_some(came)));
        for _ in 0..dice.below(4) {
            let url = if dice.below(9) == 0 { row.case.url.clone() } else { format!("{origin}/{path}") };
            let agent = if dice.below(2) == 0 { row.case.agent.clone() } else { "examplebot".to_owned() };
            let seen = (dice.below(8) > 0).then(|| CAME + 3_600_000 * dice.below(900) as i64);
            pages.push((url, agent, seen));
        }
    }
    let text = |values: Vec<Option<&str>>| -> ArrayRef { Arc::new(StringArray::from(values)) };
    let times = |values: Vec<Option<i64>>| -> ArrayRef { Arc::new(TimestampMillisecondArray::from(values)) };
    let bodies: BinaryArray = answers.iter().map(|answer| answer.1.body.as_deref()).collect();
    let statuses: UInt16Array = answers.iter().map(|answer| answer.1.status).collect();
    let table = RecordBatch::try_from_iter_with_nullable([
        ("key", text(answers.iter().map(|answer| Some(&*answer.0)).collect()), true),
        ("body", Arc::new(bodies), true),
        ("status", Arc::new(statuses), true),
        ("failure", text(answers.iter().map(|answer| answer.1.failure.map(Failure::as_str)).collect()), true),
        ("content_type", text(answers.iter().map(|answer| answer.2).collect()), true),
        ("fetched_at", times(answers.iter().map(|answer| answer.3).collect()), true),
    ]);
    let pages = RecordBatch::try_from_iter_with_nullable([
        ("url", text(pages.iter().map(|page| Some(&*page.0)).collect()), true),
        ("agent", text(pages.iter().map(|page| Some(&*page.1)).collect()), true),
        ("seen_at", times(pages.iter().map(|page| page.2).collect()), true),
    ]);
    (table.expect("a table"), pages.expect("pages"))
}

/// Compares an auditor that caches every parsed robots.txt with an auditor that begins with quick scans.
#[test]
fn quick_scan_decides_as_stored_rules() {
    let mut decided = 0;
    for (number, preset) in Preset::ALL.into_iter().cycle().take(12).enumerate() {
        let (table, pages) = table_and_pages(number as u64 + 1);
        let table = Arc::new(RobotsTable::new([table], Columns::new()).expect("a table"));
        let dialect =
            if number % 4 == 3 { Dialect::ALL[number % Dialect::ALL.len()] } else { preset.dialect() };
        let mut options = AuditorOptions::new().preset(preset).dialect(dialect);
        if number % 3 == 0 {
            options = options.agent(Agent::unchecked_token("foobot"));
        }
        let auditor = |outputs| Auditor::with_table(options.clone().outputs(outputs), table.clone());
        let (mut storing, mut scanning) = (auditor(every_output()), auditor(every_output_about_fetching()));
        // Later repetitions parse the files that were only scanned before.
        for _ in 0..3 {
            let expected = storing.decide(&pages).expect("verdicts");
            let found = scanning.decide(&pages).expect("verdicts");
            for column in found.schema().fields() {
                let name = column.name();
                assert_eq!(
                    &found[name], &expected[name],
                    "{name} under {preset} in {dialect}, seed {number}"
                );
            }
            decided += found["line"].len() - found["line"].null_count();
        }
    }
    assert!(decided > 1_500, "only {decided} rows were decided by a rule");
}

/// Compares decisions for several crawlers at once with decisions for each of them alone.
#[test]
fn crawler_among_several_is_decided_as_alone() {
    let (mut alike, mut apart) = (0, 0);
    for (number, preset) in Preset::ALL.into_iter().cycle().take(12).enumerate() {
        let (answers, pages) = table_and_pages(number as u64 + 40);
        let table = Arc::new(RobotsTable::new([answers], Columns::new()).expect("a table"));
        let mut names: Vec<&str> = pages["agent"].as_string::<i32>().iter().flatten().collect();
        names.sort_unstable();
        names.dedup();
        let agents: Vec<Agent> = names.into_iter().step_by(3).take(7).map(Agent::unchecked_token).collect();
        let dialect =
            if number % 4 == 3 { Dialect::ALL[number % Dialect::ALL.len()] } else { preset.dialect() };
        let outputs = if number % 2 == 0 { every_output() } else { every_output_about_fetching() };
        let options = AuditorOptions::new().preset(preset).dialect(dialect).outputs(outputs);
        let beside = batch_of(&rows(number as u64 + 40, 300));
        let auditor = |options: AuditorOptions, has_table: bool| match has_table {
            true => Auditor::with_table(options, table.clone()),
            false => Auditor::new(options),
        };
        for (batch, has_table) in [(&pages, true), (&beside, false)] {
            let mut together = auditor(options.clone().agents(agents.clone()), has_table);
            let mut alone: Vec<Auditor> =
                agents.iter().map(|agent| auditor(options.clone().agent(agent.clone()), has_table)).collect();
            for _ in 0..2 {
                let found = together.decide_each(batch).expect("verdicts");
                assert_eq!(found.len(), agents.len());
                for ((found, alone), agent) in found.iter().zip(&mut alone).zip(&agents) {
                    let expected = alone.decide(batch).expect("verdicts");
                    assert_eq!(*found, expected, "{agent} under {preset} in {dialect}, seed {number}");
                }
                for pair in found.windows(2) {
                    *(if pair[0] == pair[1] { &mut alike } else { &mut apart }) += 1;
                }
            }
        }
    }
    assert!(alike > 10 && apart > 10, "{alike} alike, {apart} apart");
}

#[test]
fn decide_with_several_crawlers_is_an_error() {
    let options = AuditorOptions::new().agents(["abot", "bbot"].map(Agent::unchecked_token));
    let error = Auditor::new(options).decide(&batch_of(&rows(1, 3))).expect_err("an error");
    assert!(error.to_string().contains("2 crawlers are named"), "{error}");
}

#[test]
fn cache_size_does_not_change_verdicts() {
    let options = || AuditorOptions::new().outputs(every_output_about_fetching());
    let mut large = Auditor::new(options());
    let mut empty = Auditor::new(options().cache_bytes(0));
    for seed in 1..=5 {
        let batch = batch_of(&rows(seed, 500));
        assert_eq!(large.decide(&batch).expect("verdicts"), empty.decide(&batch).expect("verdicts"));
    }
}

#[test]
fn dictionary_words_equal_text_words() {
    let batch = batch_of(&rows(9, 300));
    let text = Auditor::new(AuditorOptions::new()).decide(&batch).expect("verdicts");
    let words =
        Auditor::new(AuditorOptions::new().words(Words::Dictionary)).decide(&batch).expect("verdicts");
    for name in ["verdict", "recommendation", "rule_kind", "treatment", "basis"] {
        let dictionary = words[name].as_dictionary::<arrow_array::types::Int8Type>();
        let unpacked: StringArray =
            dictionary.downcast_dict::<StringArray>().expect("text").into_iter().collect();
        assert_eq!(&unpacked, text[name].as_string::<i32>());
    }
}
