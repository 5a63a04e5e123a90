//! What robots.txt said when: versions, and which of them counts for a request.
//!
//! A crawler may use a copy for a day (RFC 9309 §2.4), and whoever asked for the file since a change knows the new one. So
//! for a day after a change, or until the crawler's next request for robots.txt, a request is disallowed only if all the
//! versions disallow it that the crawler could hold.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use comity::agents::KnownAgent;
use comity::robots::{Dialect, RobotsTxt, Rules};

use super::git::{self, Committed};
use crate::exit::{Failure, reason};
use crate::input::Source;
use crate::output::Output;
use comity_answers::robots_file::RobotsFile;

/// As long as a copy of robots.txt may be used.
const GRACE: i64 = 24 * 3_600 * 1_000_000;

/// The largest number of files in a folder of versions.
const MOST_FILES: usize = 10_000;

/// A version of a robots.txt.
struct Version {
    /// Since when it was served: microseconds since 1970.
    since: i64,
    name: String,
    /// The text; `None` if it cannot be read, so that nothing is known of requests under this version.
    body: Option<Vec<u8>>,
    charset: Option<String>,
}

/// The versions, oldest first.
pub(super) struct History {
    versions: Vec<Version>,
    dialect: Dialect,
    rules: HashMap<(usize, usize), Rules>,
    /// True if every version could be read and listed.
    is_complete: bool,
    /// The file of the only version, which may change, and what it held last.
    file: Option<(PathBuf, Vec<u8>)>,
}

/// What the robots.txt in force says of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Allowed,
    /// The version in force disallows it; one that the crawler may still have held allows it.
    AllowedBefore,
    /// The rule that disallows it.
    Disallowed {
        version: usize,
        line: u32,
        pattern: String,
    },
    /// What was asked for cannot be matched, the request is older than the first version, or the version cannot be read.
    Unknown,
}

impl History {
    /// One robots.txt that was always in force.
    pub(super) fn of_file(file: RobotsFile, dialect: Dialect) -> History {
        let version =
            Version { since: i64::MIN, name: file.name, body: Some(file.body), charset: file.charset };
        History { versions: vec![version], dialect, rules: HashMap::new(), is_complete: true, file: None }
    }

    /// The same, of a file that [`History::look_again`] reads anew.
    pub(super) fn watching(self, path: &Path) -> History {
        // One that cannot be read any more has changed when it can.
        let body = Source::File(path.to_owned()).read().unwrap_or_default();
        History { file: Some((path.to_owned(), body)), ..self }
    }

    /// Takes what the file says now for a version that is served since `now`, if it is another one.
    pub(super) fn look_again(&mut self, now: i64) {
        let Some((path, last)) = &mut self.file else { return };
        // A file that cannot be read is about to be replaced.
        let Ok(body) = Source::File(path.clone()).read() else { return };
        if body != *last && self.versions.len() < MOST_FILES {
            last.clone_from(&body);
            let shown = crate::render::text(path.as_os_str().as_encoded_bytes());
            let name = format!("{shown} since {}", super::row::stamp(now).unwrap_or_default());
            self.versions.push(Version { since: now, name, body: Some(body), charset: None });
        }
    }

    /// The versions in a repository, each served `after` it was committed. Those that cannot be read are reported.
    pub(super) fn of_repository(
        path: &Path,
        after: Duration,
        dialect: Dialect,
        output: &mut Output,
    ) -> Result<History, Failure> {
        let after = i64::try_from(after.as_micros()).unwrap_or(i64::MAX);
        let git::Versions { versions, cut } = git::versions(path)?;
        let is_complete = report_unreadable(path, &versions, cut.as_deref(), output);
        let of_commit = |committed: Committed| Version {
            since: committed.since.saturating_mul(1_000_000).saturating_add(after),
            name: format!("git:{}", committed.commit),
            body: committed.body.ok(),
            charset: None,
        };
        // Commits of one second stay in their order, which is the newest first.
        let mut versions: Vec<Version> = versions.into_iter().rev().map(of_commit).collect();
        versions.sort_by_key(|version| version.since);
        Ok(History { versions, dialect, rules: HashMap::new(), is_complete, file: None })
    }

    /// The versions in a folder. Their paths hold the times since when they were served.
    pub(super) fn of_folder(folder: &Path, dialect: Dialect) -> Result<History, Failure> {
        let shown = crate::render::text(folder.as_os_str().as_encoded_bytes()).into_owned();
        let mut versions = Vec::new();
        for entry in walkdir::WalkDir::new(folder).max_depth(4).sort_by_file_name() {
            let entry = entry.map_err(|error| Failure::new(format!("cannot read `{shown}`: {error}")))?;
            let kind = entry.file_type();
            if kind.is_dir() {
                continue;
            }
            if versions.len() == MOST_FILES {
                return Err(Failure::new(format!("there are more than {MOST_FILES} files in `{shown}`")));
            }
            let path = entry.path();
            let name = crate::render::text(path.as_os_str().as_encoded_bytes()).into_owned();
            let below = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
            let since = match time_in(&below) {
                Some(since) => since,
                // A link such as `current` names a version once more.
                None if !kind.is_file() => continue,
                None => {
                    return Err(Failure::new(format!("`{name}` has no time in its name"))
                        .hint("name versions by the time since when they were served: robots-2026-11-01.txt, 20261101T060000Z.txt"));
                }
            };
            if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
                return Err(Failure::new(format!("cannot read `{name}`: it is not a plain file")));
            }
            let body = std::fs::read(path)
                .map_err(|error| Failure::new(format!("cannot read `{name}`: {}", reason(&error))))?;
            versions.push(Version { since, name, body: Some(body), charset: None });
        }
        if versions.is_empty() {
            return Err(Failure::new(format!("there is no version of a robots.txt in `{shown}`")));
        }
        versions.sort_by_key(|version| version.since);
        Ok(History { versions, dialect, rules: HashMap::new(), is_complete: true, file: None })
    }

    /// The name of a version.
    pub(super) fn name(&self, version: usize) -> &str {
        &self.versions[version].name
    }

    /// Returns true if every version could be read.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The version in force at a time.
    fn at(&self, time: i64) -> Option<usize> {
        self.versions.partition_point(|version| version.since <= time).checked_sub(1)
    }

    /// The rules of a version for a crawler; `None` if the version cannot be read.
    fn rules(&mut self, version: usize, crawler: usize, agent: &KnownAgent) -> Option<&Rules> {
        let Version { body, charset, .. } = &self.versions[version];
        let body = body.as_ref()?;
        Some(self.rules.entry((version, crawler)).or_insert_with(|| {
            RobotsTxt::parse_with_charset(body, self.dialect, charset.as_deref()).rules_for(&agent.agent())
        }))
    }

    /// The delay that a crawler was asked for, in seconds.
    pub(super) fn delay(&mut self, crawler: usize, agent: &KnownAgent, time: i64) -> Option<f64> {
        let version = self.at(time)?;
        let rules = self.rules(version, crawler, agent)?;
        let rate = rules.request_rate().map(|rate| rate.interval().as_secs_f64());
        let delay = rules.crawl_delay().map(|delay| delay.as_secs_f64());
        match (delay, rate) {
            (Some(delay), Some(rate)) => Some(delay.max(rate)),
            (delay, rate) => delay.or(rate),
        }
    }

    /// Judges a request. `fetched` is when the crawler last asked for robots.txt.
    pub(super) fn judge(
        &mut self,
        crawler: usize,
        agent: &KnownAgent,
        target: &[u8],
        time: i64,
        fetched: Option<i64>,
    ) -> Said {
        let Some(current) = self.at(time) else { return Said::Unknown };
        let said = self.decide(current, crawler, agent, target);
        if !matches!(said, Said::Disallowed { .. }) {
            return said;
        }
        // A copy that cannot be read now may have allowed it.
        let mut is_known_of_all = true;
        let mut version = current;
        loop {
            let since = self.versions[version].since;
            let is_known =
                time.saturating_sub(since) >= GRACE || fetched.is_some_and(|fetched| fetched >= since);
            if version == 0 || is_known {
                return if is_known_of_all { said } else { Said::Unknown };
            }
            version -= 1;
            match self.decide(version, crawler, agent, target) {
                Said::Allowed => return Said::AllowedBefore,
                Said::Unknown => is_known_of_all = false,
                _ => {}
            }
        }
    }

    fn decide(&mut self, version: usize, crawler: usize, agent: &KnownAgent, target: &[u8]) -> Said {
        let Some(rules) = self.rules(version, crawler, agent) else { return Said::Unknown };
        match rules.decide(target) {
            Err(_) => Said::Unknown,
            Ok(decision) if decision.is_allowed() => Said::Allowed,
            Ok(decision) => {
                let rule = decision.rule();
                let pattern = rule.map(|rule| String::from_utf8_lossy(rule.pattern()).into_owned());
                Said::Disallowed {
                    version,
                    line: rule.map_or(0, |rule| rule.line()),
                    pattern: pattern.unwrap_or_default(),
                }
            }
        }
    }
}

/// Maximum number of unreadable versions that are reported one by one.
const MOST_REPORTED: usize = 5;

/// Reports the versions of a repository that cannot be read. Returns true if all of them can be read.
fn report_unreadable(path: &Path, versions: &[Committed], cut: Option<&str>, output: &mut Output) -> bool {
    let shown = crate::render::text(path.as_os_str().as_encoded_bytes());
    let mut problems: Vec<String> = versions
        .iter()
        .filter_map(|Committed { commit, body, .. }| {
            let why = body.as_ref().err()?;
            Some(format!("cannot read `{shown}` of commit {commit}: {why}"))
        })
        .collect();
    if problems.len() > MOST_REPORTED {
        let more = problems.split_off(MOST_REPORTED).len();
        problems.push(format!("cannot read `{shown}` of {more} more commits"));
    }
    problems.extend(cut.map(|why| format!("cannot list older versions of `{shown}`: {why}")));
    let Some(last) = problems.pop() else { return true };
    problems.iter().for_each(|problem| output.error(problem));
    let last = format!("{last}; requests under such versions are judged as unknown");
    output.failure(&Failure::new(last).hint(git::REPAIR));
    false
}

/// The last time in a path: `robots-2026-11-01.txt`, `2026-11-01T06:20:00Z/robots.txt`, `20261101062000.txt`. Microseconds
/// since 1970, in UTC.
fn time_in(path: &str) -> Option<i64> {
    let starts = path.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at);
    // A time begins where no digit stands before it.
    let mut starts = starts.filter(|&at| at == 0 || !path.as_bytes()[at - 1].is_ascii_digit());
    starts.find_map(|at| time_at(&path.as_bytes()[at..]))
}

fn time_at(text: &[u8]) -> Option<i64> {
    let mut rest = text;
    let mut take = |digits: usize, separators: &[u8]| -> Option<i16> {
        let skipped = rest.first().is_some_and(|byte| separators.contains(byte));
        let from = usize::from(skipped);
        let part = rest.get(from..from + digits)?;
        let number = std::str::from_utf8(part).ok()?.parse().ok()?;
        rest = &rest[from + digits..];
        part.iter().all(u8::is_ascii_digit).then_some(number)
    };
    let (year, month, day) = (take(4, b"")?, take(2, b"-_.")?, take(2, b"-_.")?);
    let hour = take(2, b"T_- ").filter(|hour| *hour < 24);
    let minute = hour.and_then(|_| take(2, b":-_"));
    let second = minute.and_then(|_| take(2, b":-_"));
    let small = |number: Option<i16>| i8::try_from(number.unwrap_or(0)).ok();
    let (hour, minute, second) = (small(hour)?, small(minute)?, small(second)?);
    let date =
        jiff::civil::DateTime::new(year, small(Some(month))?, small(Some(day))?, hour, minute, second, 0)
            .ok()?;
    Some(jiff::tz::Offset::UTC.to_timestamp(date).ok()?.as_microsecond())
}

#[cfg(test)]
mod tests {
    use comity::agents;

    use super::*;

    const HOUR: i64 = 3_600 * 1_000_000;

    fn history(versions: &[(i64, &str)]) -> History {
        let versions = versions.iter().map(|(since, body)| Version {
            since: *since,
            name: String::new(),
            body: Some(body.as_bytes().to_vec()),
            charset: None,
        });
        let versions = versions.collect();
        History {
            versions,
            dialect: Dialect::default(),
            rules: HashMap::new(),
            is_complete: true,
            file: None,
        }
    }

    #[test]
    fn a_change_counts_after_a_day_or_from_the_next_request_for_robots_txt() {
        let open = "User-agent: *\nDisallow:\n";
        let closed = "User-agent: *\nDisallow: /x\n";
        let agent = agents::known("GPTBot").unwrap();
        let mut history = history(&[(0, open), (100 * HOUR, closed)]);
        let mut judge = |hour: i64, fetched: Option<i64>| {
            history.judge(0, agent, b"/x", hour * HOUR, fetched.map(|hour| hour * HOUR))
        };
        let line_2 = Said::Disallowed { version: 1, line: 2, pattern: "/x".to_owned() };
        assert_eq!(judge(-1, None), Said::Unknown);
        assert_eq!(judge(99, None), Said::Allowed);
        assert_eq!(judge(101, None), Said::AllowedBefore);
        assert_eq!(judge(101, Some(99)), Said::AllowedBefore);
        assert_eq!(judge(102, Some(101)), line_2);
        assert_eq!(judge(124, None), line_2);
    }

    #[test]
    fn a_request_in_its_grace_is_held_against_every_copy_that_may_be_held() {
        let closed = "User-agent: *\nDisallow: /x\n";
        let agent = agents::known("GPTBot").unwrap();
        let mut history = history(&[(0, closed), (100 * HOUR, closed), (101 * HOUR, closed)]);
        assert!(matches!(
            history.judge(0, agent, b"/x", 102 * HOUR, None),
            Said::Disallowed { version: 2, .. }
        ));
    }

    #[test]
    fn times_are_found_in_names() {
        let hours = |path: &str| time_in(path).map(|time| time / HOUR);
        assert_eq!(hours("robots-1970-01-02.txt"), Some(24));
        assert_eq!(hours("1970-01-02T03:00:00Z/robots.txt"), Some(27));
        assert_eq!(hours("19700102030000.txt"), Some(27));
        assert_eq!(hours("robots.19700102T030000Z"), Some(27));
        assert_eq!(hours("v2/robots_1970_01_02.txt"), Some(24));
        for none in ["robots.txt", "robots-1.txt", "1970-13-01.txt", ""] {
            assert_eq!(hours(none), None, "{none}");
        }
    }
}
