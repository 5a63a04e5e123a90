//! Tests of log analysis through the public interface.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::net::IpAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use comity_logs::{
    AddressNames, Identity, LogSource, LogsError, LogsEvent, LogsRequest, RobotsSource, Suggestion,
    Threshold, report, run,
};
use tokio_util::sync::CancellationToken;

const ROBOTS: &str = "User-agent: *\nDisallow: /private\n";

/// Returns a line with a disallowed request, on this day of November 2026.
fn line(day: u32, agent: &str, number: usize) -> String {
    format!(
        "203.0.113.9 - - [{day:02}/Nov/2026:06:20:00 +0000] \"GET /private/{number} HTTP/1.1\" 200 1 \"-\" \"{agent}/2.0\"\n"
    )
}

fn lines(count: usize) -> String {
    (0..count).map(|number| line(21, "CCBot", number)).collect()
}

fn stream(text: String) -> LogSource {
    LogSource::Stream { name: "access.log".to_owned(), bytes: Box::new(std::io::Cursor::new(text)) }
}

fn request(log: LogSource) -> LogsRequest {
    LogsRequest::new(vec![log], RobotsSource::text("robots.txt", ROBOTS))
}

#[test]
fn summary_report_and_suggestion_contain_the_disallowed_requests() {
    let text = lines(3) + &line(23, "CCBot", 3).replace("/private/3", "/<script>") + "half a line\n";
    let request = request(stream(text));
    let ranges = request.ranges.clone();
    let summary = run(request, &mut |_| {}, &CancellationToken::new()).unwrap();
    let row = &summary.rows[0];
    assert_eq!(
        (row.agent.as_str(), row.requests, row.disallowed, row.identity),
        ("CCBot", 4, 3, Identity::Unknown)
    );
    assert_eq!((row.rules[0].line, row.rules[0].pattern.as_str(), row.rules[0].requests), (2, "/private", 3));
    assert_eq!((summary.lines.lines, summary.lines.damaged, summary.days.len()), (5, 1, 2));
    assert!(summary.has_disallowed() && !summary.is_cancelled && summary.unreadable_versions.is_empty());
    assert_eq!(summary.period(), ", 2026-11-21 to 2026-11-23");
    let page = report(&summary).unwrap();
    assert!(
        page.contains("CCBot") && page.contains("default-src 'none'") && !page.contains("<script"),
        "{page}"
    );
    assert_eq!(page.matches("<rect class=\"all\"").count(), 3, "a bar for each day: {page}");
    let rules =
        Suggestion::Robots.rules(&summary.rows, &ranges, &Threshold { share: 0.5, requests: 3 }).unwrap();
    assert!(rules.contains("User-agent: CCBot"), "{rules}");
}

#[test]
fn cancelled_job_returns_the_counts_so_far() {
    let cancel = CancellationToken::new();
    let summary = run(request(stream(lines(10_000))), &mut |_| cancel.cancel(), &cancel).unwrap();
    assert!(summary.is_cancelled);
    assert!((1..10_000).contains(&summary.lines.lines), "{}", summary.lines.lines);
    assert_eq!(summary.rows[0].requests, summary.lines.lines);
}

#[test]
fn closed_log_that_is_replaced_before_it_is_read_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<_> = (0..100).map(|number| folder.path().join(format!("access.log.{number}"))).collect();
    for path in &paths {
        fs::write(path, lines(1)).unwrap();
    }
    let (first, last) = (folder.path().join("access.log"), &paths[99]);
    // This log is earlier than the others, and long enough for an event before the others are read.
    fs::write(&first, line(1, "CCBot", 0).repeat(300)).unwrap();
    let mut request = request(LogSource::Path(first));
    request.logs.extend(paths.iter().cloned().map(LogSource::Path));
    let mut events = 0;
    let mut observe = |_: LogsEvent<'_>| {
        events += 1;
        if events == 1 {
            let other = folder.path().join("other.log");
            fs::write(&other, lines(1)).unwrap();
            fs::rename(&other, last).unwrap();
        }
    };
    let error = run(request, &mut observe, &CancellationToken::new()).unwrap_err();
    let expected =
        format!("cannot read `{}`: the file was replaced while other logs were read", last.display());
    assert_eq!(error.to_string(), expected);
}

#[test]
fn followed_log_is_read_while_it_grows_and_after_a_truncation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("access.log");
    fs::write(&path, lines(2)).unwrap();
    let mut request = request(LogSource::Path(path.clone()));
    request.follows = true;
    let cancel = CancellationToken::new();
    let mut truncated = Vec::new();
    let mut observe = |event: LogsEvent<'_>| match event {
        LogsEvent::Progress(progress) => match progress.lines() {
            2 => {
                let mut file = OpenOptions::new().append(true).open(&path).unwrap();
                file.write_all(lines(1).as_bytes()).unwrap();
            }
            3 => fs::write(&path, lines(1)).unwrap(),
            4 => {
                assert_eq!(progress.summary().rows[0].requests, 4);
                cancel.cancel();
            }
            other => unreachable!("{other} lines"),
        },
        LogsEvent::Truncated(name) => truncated.push(name.to_owned()),
        other => unreachable!("{other:?}"),
    };
    let summary = run(request, &mut observe, &cancel).unwrap();
    assert_eq!((summary.lines.lines, summary.is_cancelled), (4, true));
    assert_eq!(truncated, [path.display().to_string()]);
}

#[test]
fn job_ends_when_the_only_followed_stream_ends() {
    let mut request = request(stream(lines(300)));
    request.follows = true;
    let summary = run(request, &mut |_| {}, &CancellationToken::new()).unwrap();
    assert_eq!((summary.lines.lines, summary.is_cancelled), (300, false));
}

#[test]
fn compressed_log_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("access.log.gz");
    // An empty gzip file.
    fs::write(&path, [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    let mut request = request(LogSource::Path(path));
    request.follows = true;
    let error = run(request, &mut |_| {}, &CancellationToken::new()).unwrap_err();
    assert!(matches!(error, LogsError::NothingGrows), "{error}");
}

#[test]
fn error_of_a_missing_log_names_the_file_and_has_a_source() {
    let error = run(request(LogSource::Path("no/such.log".into())), &mut |_| {}, &CancellationToken::new())
        .unwrap_err();
    assert_eq!(error.to_string(), "cannot read `no/such.log`: no such file or directory");
    let source = std::error::Error::source(&error).and_then(|source| source.downcast_ref::<std::io::Error>());
    assert_eq!(source.map(std::io::Error::kind), Some(std::io::ErrorKind::NotFound));
    let mut request = request(LogSource::Path("no/such.log".into()));
    request.format.template = Some("$remote_addr".to_owned());
    let error = run(request, &mut |_| {}, &CancellationToken::new()).unwrap_err();
    assert!(
        matches!(error, LogsError::Format { .. }),
        "the format is checked before a log is opened: {error}"
    );
}

/// A resolver whose look-ups complete only when the job waits.
#[derive(Debug, Default)]
struct SlowNames {
    is_requested: bool,
    has_answered: bool,
}

impl AddressNames for SlowNames {
    fn names(&mut self, _: IpAddr) -> Option<Arc<[String]>> {
        self.is_requested = true;
        self.has_answered.then(|| ["crawl-9.mojeek.com".to_owned()].into())
    }

    fn wait(&mut self) {
        assert!(self.is_requested);
        self.has_answered = true;
    }
}

#[test]
fn names_resolved_later_verify_a_crawler_unless_the_job_is_cancelled() {
    let now = jiff::Timestamp::now().strftime("%d/%b/%Y:%H:%M:%S +0000").to_string();
    let text = line(21, "MojeekBot", 0).replace("21/Nov/2026:06:20:00 +0000", &now);
    for (cancels, identity) in [(false, Identity::Verified), (true, Identity::Unknown)] {
        // In the second case, the event after the last line cancels the job, which then does not wait for names.
        let mut request = request(stream(text.clone() + &"\n".repeat(255)));
        request.names = Some(Box::new(SlowNames::default()));
        let cancel = CancellationToken::new();
        let mut observe = |_: LogsEvent<'_>| {
            if cancels {
                cancel.cancel()
            }
        };
        let summary = run(request, &mut observe, &cancel).unwrap();
        assert_eq!((summary.rows[0].identity, summary.rows[0].disallowed), (identity, 1));
    }
}

fn git(folder: &Path, day: u32, arguments: &[&str]) -> std::io::Result<String> {
    let date = format!("2026-11-{day:02}T00:00:00Z");
    let run = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(arguments)
        .current_dir(folder)
        .envs([
            ("GIT_COMMITTER_DATE", &*date),
            ("GIT_AUTHOR_DATE", &*date),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ])
        .output()?;
    assert!(run.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
    Ok(String::from_utf8_lossy(&run.stdout).trim().to_owned())
}

#[test]
fn requests_under_a_git_version_that_cannot_be_read_are_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("robots.txt");
    if git(folder.path(), 1, &["init", "-q"]).is_err() {
        return testkit::skip("`git` is not installed");
    }
    for (day, comment) in [(1, "one"), (10, "two"), (20, "three")] {
        fs::write(&path, format!("{ROBOTS}# {comment}\n")).unwrap();
        git(folder.path(), day, &["add", "robots.txt"]).unwrap();
        git(folder.path(), day, &["commit", "-q", "-m", comment]).unwrap();
    }
    let id = git(folder.path(), 20, &["rev-parse", "HEAD~1:robots.txt"]).unwrap();
    fs::remove_file(folder.path().join(".git/objects").join(&id[..2]).join(&id[2..])).unwrap();
    let log = [5, 15, 25].map(|day| line(day, "CCBot", 0)).concat();
    let robots = RobotsSource::Repository { path, deployed_after: std::time::Duration::ZERO };
    let mut reported = 0;
    let mut observe = |event: LogsEvent<'_>| {
        if let LogsEvent::UnreadableVersions(versions) = event {
            reported = versions.len();
        }
    };
    let summary =
        run(LogsRequest::new(vec![stream(log)], robots), &mut observe, &CancellationToken::new()).unwrap();
    let row = &summary.rows[0];
    assert_eq!((row.requests, row.disallowed, row.unknown), (3, 2, 1));
    assert_eq!((reported, summary.unreadable_versions.len()), (1, 1));
    assert!(summary.unreadable_versions[0].commit.is_some(), "{:?}", summary.unreadable_versions);
}
