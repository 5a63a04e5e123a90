//! A job does not change the verdicts of the auditors: it combines and counts them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use comity::policy::{Answer, Mode, Policy, Preset};
use comity::robots::Agent;
use comity_audit::{
    AnswerTables, AuditError, AuditJob, AuditJobOptions, AuditSummary, JobRequest, Manifest, ManifestInput,
    Moment, Only, RobotsAnswers, RowForm, report,
};
use comity_formats::{ArchiveInput, CaptureOptions, Captures, PageOptions, Pages};

const ROBOTS: &str = "key,fetched_at,status,location,body\n\
    https://a.example,2024-01-01,200,,\"User-agent: *\nDisallow: /private\n\nUser-agent: closedbot\nDisallow: /\n\"\n\
    https://a.example,2024-03-01,200,,\"User-agent: *\nDisallow: /\n\"\n\
    https://b.example,2024-01-01,404,,\n\
    https://c.example,2024-01-01,301,https://www.c.example/robots.txt,\n\
    https://www.c.example,2024-01-01T00:00:03Z,200,,\"User-agent: *\nDisallow: /c\n\"\n\
    https://d.example,2024-01-01,302,https://gone.example/robots.txt,\n\
    https://e.example,2024-01-01,503,,\n";

const PAGES: &str = "id,url,seen_at\n\
    1,https://a.example/,2024-02-01\n\
    2,https://a.example/private/x,2024-02-01\n\
    3,https://a.example/,2024-03-02\n\
    4,https://a.example/,2023-12-31\n\
    5,https://b.example/x,2024-02-01\n\
    6,https://c.example/c,2024-01-02\n\
    7,https://d.example/,2024-02-01\n\
    8,https://e.example/,2024-01-01\n\
    9,nonsense,2024-02-01\n";

fn answers() -> AnswerTables {
    answers_in(RobotsAnswers::new())
}

fn answers_in(mut answers: RobotsAnswers) -> AnswerTables {
    let input = ArchiveInput::file("robots.csv", Cursor::new(ROBOTS));
    for batch in Captures::open(input, &CaptureOptions::new().batch_rows(2)).unwrap() {
        answers.add(&batch.unwrap()).unwrap();
    }
    answers.into_tables().unwrap()
}

/// Decides all pages, in batches of this number of rows.
fn decide(options: AuditJobOptions, batch_rows: usize) -> (Vec<RecordBatch>, AuditSummary) {
    let mut job = AuditJob::new(options, &answers()).unwrap();
    let input = ArchiveInput::file("pages.csv", Cursor::new(PAGES));
    let pages = Pages::open(input, &PageOptions::new().batch_rows(batch_rows)).unwrap();
    let columns = pages.columns().clone();
    let mut decided = Vec::new();
    for batch in pages {
        decided.extend(job.decide(&batch.unwrap(), &columns).unwrap());
    }
    (decided, job.summary())
}

/// Returns the values of a column as texts; `-` for null.
fn texts(batches: &[RecordBatch], name: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for batch in batches {
        let column = batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}"));
        let column = arrow_cast::cast(column, &arrow_schema::DataType::Utf8).unwrap();
        texts.extend(column.as_string::<i32>().iter().map(|text| text.unwrap_or("-").to_owned()));
    }
    texts
}

fn agents<const N: usize>(names: [&str; N]) -> AuditJobOptions {
    AuditJobOptions::new().agents(names.map(Agent::unchecked_token))
}

#[test]
fn page_is_decided_by_the_answers_before_it_was_seen() {
    let (decided, summary) = decide(agents(["otherbot"]), 4);
    assert_eq!(
        texts(&decided, "verdict"),
        [
            "allowed_implicit",
            "disallowed_explicit",
            "disallowed_explicit",
            "unknown_unreachable",
            "allowed_implicit",
            "disallowed_explicit",
            "unknown_unreachable",
            "unknown_unreachable",
            "-"
        ]
    );
    assert_eq!(
        texts(&decided, "answer"),
        ["http_200", "http_200", "http_200", "not_yet", "http_404", "http_200", "none", "http_503", "-"]
    );
    assert_eq!(texts(&decided, "id"), ["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    let shares = summary.views[0].shares;
    assert_eq!((shares.allowed, shares.unknown, shares.undecidable), (2, 3, 1), "{shares:?}");
    assert_eq!(shares.total(), 9);
    assert!((shares.allowed_percent() - 200.0 / 9.0).abs() < 1e-9);
}

#[test]
fn redirect_has_the_answer_of_its_target_or_none_if_the_target_is_missing() {
    let mut tables = answers();
    let summary = tables.summary().unwrap().clone();
    assert_eq!((summary.redirects_followed, summary.redirects_lost), (1, 1));
    assert_eq!((summary.answers, summary.bodies), (6, 3));
    let (decided, _) = decide(agents(["otherbot"]), 100);
    let rules = texts(&decided, "rule");
    assert_eq!((rules[5].as_str(), rules[6].as_str()), ("/c", "-"));
}

#[test]
fn crawlers_and_moments_do_not_affect_each_other() {
    let both = [Moment::Seen, Moment::Now];
    let (together, summary) = decide(agents(["otherbot", "closedbot"]).moments(both), 3);
    for (agent, place) in [("otherbot", 0), ("closedbot", 1)] {
        for moment in both {
            let (alone, of_alone) = decide(agents([agent]).moments([moment]), 5);
            for column in ["verdict", "rule", "line", "answer", "error"] {
                let name = format!("{agent}_{}_{column}", moment.as_str());
                assert_eq!(texts(&together, &name), texts(&alone, column), "{name}");
            }
            let number = place * 2 + usize::from(moment == Moment::Now);
            assert_eq!(summary.views[number].shares, of_alone.views[0].shares);
            assert_eq!(summary.views[number].verdicts, of_alone.views[0].verdicts);
        }
        let seen = texts(&together, &format!("{agent}_seen_allowed"));
        let now = texts(&together, &format!("{agent}_now_allowed"));
        assert!(summary.differing[place] >= seen.iter().zip(&now).filter(|(a, b)| a != b).count() as u64);
    }
}

#[test]
fn long_rows_have_the_verdicts_of_wide_rows() {
    let options = agents(["otherbot", "closedbot"]);
    let (wide, _) = decide(options.clone(), 100);
    let (long, summary) = decide(options.form(RowForm::Long), 100);
    let rows: Vec<(String, String)> =
        texts(&long, "agent").into_iter().zip(texts(&long, "verdict")).collect();
    let of = |agent: &str| -> Vec<String> {
        rows.iter().filter(|(name, _)| name == agent).map(|(_, verdict)| verdict.clone()).collect()
    };
    assert_eq!(of("otherbot"), texts(&wide, "otherbot_verdict"));
    assert_eq!(of("closedbot"), texts(&wide, "closedbot_verdict"));
    assert_eq!((summary.rows, summary.rows_written), (9, 18));
}

#[test]
fn filter_limits_written_rows_but_not_counts() {
    let options = agents(["otherbot", "closedbot"]);
    let rows = |only| {
        let (decided, summary) = decide(options.clone().only(Some(only)), 2);
        assert_eq!(summary.rows, 9);
        texts(&decided, "id").join("")
    };
    assert_eq!(rows(Only::Allowed), "5");
    assert_eq!(rows(Only::Disallowed), "1236");
    assert_eq!(rows(Only::Unknown), "478");
}

#[test]
fn crawlers_with_equal_decisions_share_output_columns() {
    for only in [None, Some(Only::Disallowed)] {
        let (decided, _) = decide(agents(["otherbot", "closedbot", "thirdbot"]).only(only), 100);
        for column in ["verdict", "rule", "line", "answer", "error"] {
            let of = |agent: &str| decided[0].column_by_name(&format!("{agent}_{column}")).unwrap();
            assert!(Arc::ptr_eq(of("otherbot"), of("thirdbot")), "{only:?}, {column}");
            assert!(!Arc::ptr_eq(of("otherbot"), of("closedbot")), "{only:?}, {column}");
        }
    }
}

#[test]
fn totals_equal_the_counts_of_the_rows() {
    let (decided, summary) = decide(agents(["otherbot"]), 2);
    let view = &summary.views[0];
    let verdicts = texts(&decided, "verdict");
    for (verdict, count) in &view.verdicts {
        assert_eq!(verdicts.iter().filter(|known| known == &verdict).count() as u64, *count, "{verdict}");
    }
    let months: Vec<(&str, u64)> =
        view.months.iter().map(|month| (month.month.as_str(), month.shares.total())).collect();
    assert_eq!(months, [("2023-12", 1), ("2024-01", 2), ("2024-02", 5), ("2024-03", 1)]);
    let first = &view.hosts[0];
    assert_eq!(
        (first.host.as_str(), first.shares.disallowed, first.shares.unknown),
        ("https://a.example", 2, 1)
    );
    let rules: Vec<(&str, &str, u64)> =
        view.rules.iter().map(|rule| (rule.host.as_str(), rule.rule.as_str(), rule.rows)).collect();
    assert!(rules.contains(&("https://c.example", "/c", 1)), "{rules:?}");
    assert_eq!(view.undecidable[0].url, "nonsense");
}

#[test]
fn verdicts_of_a_job_equal_those_of_the_engine() {
    let pages =
        |path: usize| format!("https://a.example/{}", ["", "private", "private/x", "open?x=1"][path % 4]);
    let bodies =
        ["User-agent: *\nDisallow: /private\n", "User-agent: *\nAllow: /private/x\nDisallow: /\n", ""];
    for (status, body) in
        [(200, bodies[0]), (200, bodies[1]), (200, bodies[2]), (404, ""), (500, ""), (403, "")]
    {
        for preset in Preset::ALL {
            let table =
                format!("key,status,body,fetched_at\nhttps://a.example,{status},\"{body}\",2024-01-01\n");
            let mut answers = RobotsAnswers::new();
            let input = ArchiveInput::file("robots.csv", Cursor::new(table));
            for batch in Captures::open(input, &CaptureOptions::new()).unwrap() {
                answers.add(&batch.unwrap()).unwrap();
            }
            // An empty body in CSV is a missing body, so a successful answer without one is unknown.
            if status == 200 && body.is_empty() {
                continue;
            }
            let tables = answers.into_tables().unwrap();
            let mut job =
                AuditJob::new(agents(["examplebot"]).preset(preset).moments([Moment::Now]), &tables).unwrap();
            let urls: String = (0..4).map(|path| format!("{}\n", pages(path))).collect();
            let mut input =
                Pages::open(ArchiveInput::file("urls.txt", Cursor::new(urls)), &PageOptions::new()).unwrap();
            let columns = input.columns().clone();
            let decided = job.decide(&input.next().unwrap().unwrap(), &columns).unwrap();
            let at = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_704_067_200);
            let reading = preset.read(&Answer::status(status, at).with_body(body));
            let mut policy = Policy::without_answer(preset).with_mode(Mode::Respect);
            policy.update(&reading, &Agent::unchecked_token("examplebot"));
            for (row, verdict) in texts(&decided, "verdict").iter().enumerate() {
                let decision = policy.decide(&pages(row), at).unwrap();
                assert_eq!(verdict, decision.verdict().as_str(), "{preset} {status} {body:?} {}", pages(row));
            }
        }
    }
}

#[test]
fn refusal_of_an_allowed_page_has_a_separate_column() {
    let outputs = ["verdict", "refusal"].map(|name| name.parse().unwrap());
    let mut job = AuditJob::new(agents(["otherbot"]).outputs(outputs), &answers()).unwrap();
    let pages = "url,seen_at,status\nhttps://b.example/1,2024-02-01,403\nhttps://b.example/2,2024-02-01,200\n\
                 https://a.example/private,2024-02-01,403\n";
    let mut input =
        Pages::open(ArchiveInput::file("pages.csv", Cursor::new(pages)), &PageOptions::new()).unwrap();
    let columns = input.columns().clone();
    let decided = job.decide(&input.next().unwrap().unwrap(), &columns).unwrap();
    // If robots.txt forbids a page, its refusal is not shown.
    assert_eq!(texts(&decided, "refusal"), ["forbidden", "-", "-"]);
}

#[test]
fn new_column_with_the_name_of_an_input_column_is_refused() {
    let input = "url,verdict\nhttps://a.example/,x\n";
    let pages =
        Pages::open(ArchiveInput::file("pages.csv", Cursor::new(input)), &PageOptions::new()).unwrap();
    let job = AuditJob::new(agents(["otherbot"]), &answers()).unwrap();
    let refused = job.schema(&pages.schema(), pages.columns());
    assert!(matches!(refused, Err(AuditError::NameTaken(name)) if name == "verdict"));
    let job = AuditJob::new(agents(["otherbot"]).prefix("audit_"), &answers()).unwrap();
    assert!(job.schema(&pages.schema(), pages.columns()).is_ok());
    let job = AuditJob::new(agents(["other-bot", "other_bot"]), &answers()).unwrap();
    assert!(matches!(job.schema(&pages.schema(), pages.columns()), Err(AuditError::SamePrefix(_))));
    let job = AuditJob::new(AuditJobOptions::new(), &answers()).unwrap();
    assert!(matches!(job.schema(&pages.schema(), pages.columns()), Err(AuditError::NoAgent)));
}

#[test]
fn report_shows_hostile_text_escaped() {
    let hostile = "<script>alert(1)</script>\"'>&<img src=x onerror=alert(1)>\u{1b}[2J\u{202e}";
    let pages = format!("url,seen_at\nhttps://a.example/private{},2024-02-01\n", hostile.replace('"', ""));
    let robots = format!(
        "key,fetched_at,body\nhttps://a.example,2024-01-01,\"User-agent: *\nDisallow: /private*<b>{}\n\"\n",
        "x"
    );
    let mut answers = RobotsAnswers::new();
    let input = ArchiveInput::file("robots.csv", Cursor::new(robots));
    for batch in Captures::open(input, &CaptureOptions::new()).unwrap() {
        answers.add(&batch.unwrap()).unwrap();
    }
    let mut tables = answers.into_tables().unwrap();
    let of_answers = tables.summary().unwrap().clone();
    let mut job = AuditJob::new(agents(["otherbot"]), &tables).unwrap();
    let mut input =
        Pages::open(ArchiveInput::file("pages.csv", Cursor::new(pages)), &PageOptions::new()).unwrap();
    let columns = input.columns().clone();
    job.decide(&input.next().unwrap().unwrap(), &columns).unwrap();
    let name = format!("{hostile}.csv");
    let manifest = Manifest {
        program: "comity".to_owned(),
        catalogue: None,
        request: JobRequest::Run(Box::default()),
        started: String::new(),
        finished: "2026-01-01T00:00:00Z".to_owned(),
        inputs: vec![ManifestInput { name, ..ManifestInput::default() }],
        robots: Vec::new(),
        live: None,
        site: None,
        answers: of_answers,
        summary: job.summary(),
        output: None,
        output_digest: None,
    };
    let page = report(&manifest).unwrap();
    for bad in ["<script", "<img", "*<b>", "\u{1b}", "\u{202e}"] {
        assert!(!page.contains(bad), "{bad:?}");
    }
    assert!(page.contains("default-src &#39;none&#39;") || page.contains("default-src 'none'"));
    let json = serde_json::to_string(&manifest).unwrap();
    let read: Manifest = serde_json::from_str(&json).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), json);
}

#[test]
fn answers_in_files_decide_like_answers_in_memory() {
    let sites: String = (0..200)
        .map(|number| {
            format!("https://site{number}.example,2024-01-01,200,,\"User-agent: *\nDisallow: /\n\"\n")
        })
        .collect();
    let table = format!("{ROBOTS}{sites}");
    let summary = |mut answers: RobotsAnswers| {
        let input = ArchiveInput::file("robots.csv", Cursor::new(table.clone()));
        for batch in Captures::open(input, &CaptureOptions::new().batch_rows(16)).unwrap() {
            answers.add(&batch.unwrap()).unwrap();
        }
        let mut tables = answers.into_tables().unwrap();
        (tables.parts() > 1, tables.summary().unwrap().clone())
    };
    let folder = tempfile::tempdir().unwrap();
    let (is_spilled, in_files) = summary(RobotsAnswers::within(1, folder.path()).unwrap());
    let (_, in_memory) = summary(RobotsAnswers::new());
    assert!(is_spilled);
    assert_eq!(in_files, in_memory);
    assert_eq!((in_memory.sites, in_memory.bodies), (207 - 1, 3));
}
