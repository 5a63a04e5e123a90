//! `comity logs --follow`: logs that grow, are rotated or truncated while the command reads them, and the end of the
//! command.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::Value;
use testkit::PATIENCE;

use crate::comity;

/// A request line for a disallowed URL. The number makes it unique.
fn line(number: u64) -> String {
    format!(
        "203.0.113.9 - - [21/Nov/2026:06:20:{:02} +0000] \"GET /private/{number} HTTP/1.1\" 200 1 \"-\" \"CCBot/2.0\"\n",
        number % 60
    )
}

fn lines(numbers: std::ops::Range<u64>) -> String {
    numbers.map(line).collect()
}

fn append(path: &Path, text: &str) {
    let mut file = OpenOptions::new().append(true).create(true).open(path).expect("a file");
    file.write_all(text.as_bytes()).expect("a written file");
}

/// The running command.
struct Following {
    child: Child,
    rows: Receiver<Value>,
    /// The number of requests in the last row.
    requests: u64,
}

impl Following {
    fn start(folder: &Path, args: &str) -> Following {
        fs::write(folder.join("robots.txt"), "User-agent: *\nDisallow: /private\n").expect("a file");
        let run = comity("logs --no-config --robots robots.txt --follow --every 0s --json").args(args);
        let mut child = run
            .dir(folder)
            .command()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("comity should start");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, rows) = mpsc::channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let row = serde_json::from_str(&line).expect("a row");
                if sender.send(row).is_err() {
                    return;
                }
            }
        });
        Following { child, rows, requests: 0 }
    }

    /// Waits until exactly this number of requests was counted.
    #[track_caller]
    fn until(&mut self, requests: u64) {
        let until = Instant::now() + PATIENCE;
        while self.requests != requests {
            let left = until.saturating_duration_since(Instant::now());
            let row = self.rows.recv_timeout(left);
            assert!(row.is_ok(), "{} requests instead of {requests}", self.requests);
            let row = row.unwrap_or_default();
            self.requests = row["requests"].as_u64().expect("a number");
            assert_eq!(row["disallowed"], self.requests, "{row}");
            assert!(self.requests <= requests, "{} requests instead of {requests}", self.requests);
        }
    }

    /// Interrupts the command like Ctrl-C, and returns its exit code and standard error.
    #[cfg(unix)]
    fn interrupt(mut self) -> (Option<i32>, String) {
        let id = self.child.id().to_string();
        let killed = std::process::Command::new("kill").args(["-INT", &id]).status().expect("kill");
        assert!(killed.success());
        let mut stderr = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
        (self.child.wait().expect("an end").code(), stderr)
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        // Each call fails only if the command has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn log_in(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("access.log")
}

#[test]
#[cfg(unix)]
fn log_is_followed_across_partial_lines_rotation_and_truncation() {
    let folder = tempfile::tempdir().expect("a folder");
    let (log, old) = (log_in(&folder), folder.path().join("access.log.1"));
    let half = line(2);
    let (front, back) = half.split_at(40);
    append(&log, &(lines(0..2) + front));
    let mut following = Following::start(folder.path(), "access.log");
    following.until(2);
    // A line is counted when its line break is written.
    append(&log, back);
    following.until(3);
    // A server writes to the renamed file until it opens the new one, and then to both for a moment.
    fs::rename(&log, &old).expect("a renamed file");
    append(&old, &lines(3..5));
    following.until(5);
    append(&log, &lines(5..6));
    following.until(6);
    append(&old, &lines(6..7));
    append(&log, &lines(7..8));
    following.until(8);
    // The file is copied, then truncated.
    fs::copy(&log, &old).expect("a copy");
    OpenOptions::new().write(true).open(&log).and_then(|file| file.set_len(0)).expect("an empty file");
    append(&log, &lines(8..9));
    following.until(9);
    // The file is truncated, and longer than before at the next poll.
    let mut file = File::create(&log).expect("an empty file");
    file.write_all(lines(9..29).as_bytes()).expect("a written file");
    following.until(29);
    // The file is removed, and created again.
    fs::remove_file(&log).expect("no file");
    append(&log, &lines(29..30));
    following.until(30);
    let (code, stderr) = following.interrupt();
    assert_eq!(code, Some(130), "{stderr}");
    assert!(stderr.contains("access.log was truncated, and is read from its beginning"), "{stderr}");
}

#[test]
#[cfg(unix)]
fn rotated_log_that_is_also_an_argument_is_read_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let (log, old) = (log_in(&folder), folder.path().join("access.log.1"));
    append(&old, &lines(0..4));
    append(&log, &lines(4..7));
    let mut following = Following::start(folder.path(), "access.log access.log.1");
    following.until(7);
    fs::rename(&log, &old).expect("a renamed file");
    append(&log, &lines(7..9));
    following.until(9);
    append(&old, &lines(9..10));
    following.until(10);
    assert_eq!(following.interrupt().0, Some(130));
}

/// Tests may run as a user who can read every file, so a folder or a pipe takes the place of an unreadable file.
#[test]
#[cfg(unix)]
fn rotated_log_that_cannot_be_read_is_reported_once_and_followed_again() {
    for kind in ["folder", "pipe"] {
        let folder = tempfile::tempdir().expect("a folder");
        let (log, old) = (log_in(&folder), folder.path().join("access.log.1"));
        append(&log, &lines(0..2));
        let mut following = Following::start(folder.path(), "access.log");
        following.until(2);
        fs::rename(&log, &old).expect("a renamed file");
        match kind {
            "folder" => fs::create_dir(&log).expect("a folder"),
            _ => pipe(&log),
        }
        // The path is checked before each of the lines except the first.
        for number in 3..6 {
            append(&old, &line(number));
            following.until(number);
        }
        match kind {
            "folder" => fs::remove_dir(&log).expect("no folder"),
            _ => fs::remove_file(&log).expect("no pipe"),
        }
        append(&log, &lines(6..8));
        following.until(7);
        append(&old, &lines(8..9));
        following.until(8);
        let (code, stderr) = following.interrupt();
        assert_eq!(code, Some(130), "{kind}: {stderr}");
        assert_eq!(stderr.matches("cannot read `access.log`").count(), 1, "{kind}: {stderr}");
        assert!(stderr.contains("access.log can be read again"), "{kind}: {stderr}");
    }
}

/// A server that was not notified of the rotation writes to the old file for hours.
#[test]
#[cfg(unix)]
fn replaced_log_is_read_after_many_idle_polls() {
    /// Number of polls in which only the new file has lines.
    const ROUNDS: u64 = 60;
    let folder = tempfile::tempdir().expect("a folder");
    let (log, old) = (log_in(&folder), folder.path().join("access.log.1"));
    append(&log, &lines(0..2));
    let mut following = Following::start(folder.path(), "access.log");
    following.until(2);
    fs::rename(&log, &old).expect("a renamed file");
    for requests in 2..2 + ROUNDS {
        append(&log, &line(requests));
        following.until(requests + 1);
    }
    let requests = 2 + ROUNDS;
    append(&old, &line(requests));
    following.until(requests + 1);
    assert_eq!(following.interrupt().0, Some(130));
}

#[cfg(unix)]
fn pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

#[test]
#[cfg(unix)]
fn pipe_without_a_writer_blocks_neither_logs_nor_ctrl_c() {
    let folder = tempfile::tempdir().expect("a folder");
    append(&log_in(&folder), &lines(0..2));
    pipe(&folder.path().join("pipe"));
    let mut following = Following::start(folder.path(), "pipe access.log");
    following.until(2);
    assert_eq!(following.interrupt().0, Some(130));
}

#[test]
#[cfg(unix)]
fn pipe_is_followed_until_ctrl_c_or_its_end() {
    for is_ended in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("pipe");
        pipe(&path);
        let mut following = Following::start(folder.path(), "pipe");
        // Opening the pipe waits for the reader.
        let mut writer = OpenOptions::new().write(true).open(&path).expect("a pipe");
        writer.write_all(lines(0..3).as_bytes()).expect("a pipe");
        following.until(3);
        match is_ended {
            false => assert_eq!(following.interrupt().0, Some(130)),
            true => {
                drop(writer);
                assert_eq!(following.child.wait().expect("an end").code(), Some(1));
            }
        }
    }
}

#[test]
fn standard_input_is_followed_to_its_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut following = Following::start(folder.path(), "-");
    let mut stdin = following.child.stdin.take().expect("a pipe");
    stdin.write_all(lines(0..3).as_bytes()).expect("a pipe");
    following.until(3);
    stdin.write_all(line(3).trim_end().as_bytes()).expect("a pipe");
    drop(stdin);
    // The last line has no line break.
    following.until(4);
    assert_eq!(following.child.wait().expect("an end").code(), Some(1));
}

#[test]
#[cfg(unix)]
fn changed_robots_txt_applies_to_later_requests() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = log_in(&folder);
    append(&log, &lines(0..2));
    let mut following = Following::start(folder.path(), "access.log");
    following.until(2);
    fs::write(folder.path().join("robots.txt"), "User-agent: *\nDisallow:\n").expect("a file");
    let until = Instant::now() + PATIENCE;
    loop {
        assert!(Instant::now() < until, "requests are still judged by the old robots.txt");
        let now = jiff::Timestamp::now().strftime("%d/%b/%Y:%H:%M:%S +0000").to_string();
        append(&log, &line(2).replace("21/Nov/2026:06:20:02 +0000", &now));
        let row = following.rows.recv_timeout(PATIENCE).expect("a row");
        if row["requests"].as_u64() > row["disallowed"].as_u64() {
            break;
        }
    }
    assert_eq!(following.interrupt().0, Some(130));
}

#[test]
#[cfg(unix)]
fn report_file_is_always_complete() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = log_in(&folder);
    append(&log, &lines(0..1));
    let metrics = folder.path().join("comity.prom");
    fs::write(folder.path().join("robots.txt"), "User-agent: *\nDisallow: /private\n").expect("a file");
    let args = "logs --no-config --robots robots.txt access.log --follow --every 0s --format prometheus -o comity.prom";
    let mut command = comity(args).dir(folder.path()).command();
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("comity should start");
    let mut following = Following { child, rows: mpsc::channel().1, requests: 0 };
    let until = Instant::now() + PATIENCE;
    for number in 1..=20 {
        let wanted = format!("comity_logs_lines_total {number}\n");
        loop {
            let text = fs::read_to_string(&metrics).unwrap_or_default();
            // Half a file would lack its last line.
            assert!(text.is_empty() || text.contains("\ncomity_logs_damaged_lines_total 0\n"), "{text}");
            if text.contains(&wanted) {
                break;
            }
            assert!(Instant::now() < until, "{text}");
            std::thread::sleep(Duration::from_millis(5));
        }
        append(&log, &line(number));
    }
    let mut stdout = following.child.stdout.take().expect("a pipe");
    let (code, stderr) = following.interrupt();
    let mut printed = String::new();
    stdout.read_to_string(&mut printed).expect("text");
    assert_eq!((code, printed.as_str()), (Some(130), ""), "{stderr}");
    let names: Vec<_> = fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("a name").file_name())
        .collect();
    assert_eq!(names.len(), 3, "nothing else is left: {names:?}");
}

#[test]
#[cfg(unix)]
fn last_report_equals_the_report_without_follow() {
    let folder = tempfile::tempdir().expect("a folder");
    append(&log_in(&folder), &lines(0..3));
    fs::write(folder.path().join("robots.txt"), "User-agent: *\nDisallow: /private\n").expect("a file");
    let args = "logs --no-config --robots robots.txt access.log --follow --every 0s --output now.txt";
    let mut command = comity(args).dir(folder.path()).command();
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("comity should start");
    let following = Following { child, rows: mpsc::channel().1, requests: 0 };
    let until = Instant::now() + PATIENCE;
    let now = folder.path().join("now.txt");
    while !fs::read_to_string(&now).is_ok_and(|text| text.contains("3 by line 2: Disallow: /private")) {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(following.interrupt().0, Some(130));
    let without = comity("logs --no-config --robots robots.txt access.log").dir(folder.path()).run().exits(1);
    assert_eq!(fs::read_to_string(&now).expect("a file"), without.stdout);
}

#[test]
#[cfg(unix)]
fn uncounted_requests_are_reported_during_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let from =
        |number: u64| line(0).replace("203.0.113.9", &format!("198.{}.{}.9", number / 250, number % 250));
    append(&log_in(&folder), &(0..1_100).map(from).collect::<String>());
    let mut following = Following::start(folder.path(), "access.log");
    let stderr = BufReader::new(following.child.stderr.take().expect("a pipe"));
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        // Fails once the receiver is dropped, after the expected message.
        stderr.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
    });
    following.until(1_100);
    let until = Instant::now() + PATIENCE;
    loop {
        let line = lines.recv_timeout(until.saturating_duration_since(Instant::now())).expect("a warning");
        if line.contains("counts that only the totals contain: 100; --follow continues") {
            break;
        }
    }
    assert!(following.child.try_wait().is_ok_and(|ended| ended.is_none()), "the command has ended");
}

#[test]
fn log_that_cannot_grow_is_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("robots.txt"), "").expect("a file");
    fs::write(folder.path().join("old.gz"), [0x1f, 0x8b, 8, 0]).expect("a file");
    for (args, message) in [
        ("nothing.log --follow", "cannot read `nothing.log`"),
        ("robots.txt --every 5s", "--follow"),
        ("robots.txt --follow --suggest nginx", "cannot be used with"),
    ] {
        let run = comity("logs --no-config --robots robots.txt").args(args).dir(folder.path()).run();
        let outcome = run.exits(2);
        assert!(outcome.stderr.contains(message), "{args}: {}", outcome.stderr);
    }
}
