//! Versions of robots.txt, and decisions by the version in force at the time of a request.
//!
//! A crawler may use a cached copy of robots.txt for a day (RFC 9309 §2.4). So a request counts as disallowed only if all
//! versions that the crawler could have cached disallow it. A version is not cached any more a day after its replacement, or
//! after the crawler has requested robots.txt again.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use comity::robots::{Agent, Dialect, RobotsTxt, Rules};
use foldhash::fast::RandomState;

use crate::error::{LogsError, shown_path};
use crate::git::{self, CommittedVersion, UnreadableVersion};
use crate::input;
use crate::request::RobotsSource;
use crate::time::{DAY, SECOND, stamp};

/// Time for which a crawler may use a cached copy of robots.txt, in microseconds.
const GRACE: i64 = DAY;

/// Maximum number of versions in a folder, or of a followed file.
const MAX_VERSIONS: usize = 10_000;

/// Maximum number of bytes read from the file of a version. Rules after this limit are not applied.
const MAX_BYTES: u64 = 64 << 20;

/// Maximum size of all versions, in bytes.
const MAX_TOTAL_BYTES: usize = 256 << 20;

/// A version of a robots.txt.
#[derive(Debug)]
struct Version {
    /// Start of the period in which the version was served, in microseconds since 1970.
    since: i64,
    name: String,
    /// The text. If it is `None`, the version cannot be read, and requests in its period count as unknown.
    body: Option<Vec<u8>>,
    charset: Option<String>,
}

/// The versions of a robots.txt.
#[derive(Debug)]
pub(crate) struct History {
    /// The versions, oldest first.
    versions: Vec<Version>,
    dialect: Dialect,
    /// Parsed rules by version and crawler.
    rules: HashMap<(usize, usize), Rules, RandomState>,
    unreadable: Vec<UnreadableVersion>,
    /// Path and last content of the file, if a single file is followed.
    file: Option<(PathBuf, Vec<u8>)>,
}

/// The decision about a request by the version in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// The request is allowed.
    Allowed,
    /// The version in force disallows the request, but an earlier version that the crawler could have cached allows it.
    AllowedBefore,
    /// A rule disallows the request.
    Disallowed {
        /// Index of the version.
        version: usize,
        line: u32,
        pattern: String,
    },
    /// The request cannot be decided: the target is invalid, the request precedes the first version, or a version cannot be
    /// read.
    Unknown,
}

impl History {
    /// Reads all versions.
    pub(crate) fn new(robots: RobotsSource, dialect: Dialect) -> Result<History, LogsError> {
        let (mut unreadable, mut file) = (Vec::new(), None);
        let mut versions = match robots {
            RobotsSource::Text { name, body, charset, file: path } => {
                file = path.map(|path| (path, body.clone()));
                vec![Version { since: i64::MIN, name, body: Some(body), charset }]
            }
            RobotsSource::Folder(folder) => in_folder(&folder, MAX_TOTAL_BYTES)?,
            RobotsSource::Repository { path, deployed_after } => {
                in_repository(&path, deployed_after, &mut unreadable)?
            }
        };
        versions.sort_by_key(|version| version.since);
        Ok(History { versions, dialect, rules: HashMap::default(), unreadable, file })
    }

    /// Reads the followed file again. If it has changed, adds a version that is served from `now` on.
    pub(crate) fn refresh(&mut self, now: i64) {
        let Some((path, last)) = &mut self.file else { return };
        // A file that cannot be read is probably being replaced, and is read again later.
        let Ok(body) = read(path) else { return };
        let total = || self.versions.iter().flat_map(|version| &version.body).map(Vec::len).sum::<usize>();
        if body != *last && self.versions.len() < MAX_VERSIONS && total() + body.len() <= MAX_TOTAL_BYTES {
            last.clone_from(&body);
            let name = format!("{} since {}", shown_path(path), stamp(now).unwrap_or_default());
            self.versions.push(Version { since: now, name, body: Some(body), charset: None });
        }
    }

    /// Returns the name of a version.
    pub(crate) fn name(&self, version: usize) -> &str {
        &self.versions[version].name
    }

    /// Returns the name of the only version, or the number of versions.
    pub(crate) fn title(&self) -> String {
        match self.versions.as_slice() {
            [version] => version.name.clone(),
            versions => format!("{} versions of robots.txt", versions.len()),
        }
    }

    /// Returns the versions that cannot be read.
    pub(crate) fn unreadable(&self) -> &[UnreadableVersion] {
        &self.unreadable
    }

    /// Returns the version that was in force at a time.
    fn version_at(&self, time: i64) -> Option<usize> {
        self.versions.partition_point(|version| version.since <= time).checked_sub(1)
    }

    /// Returns the rules of a version for a crawler. Returns `None` if the version cannot be read.
    fn rules(&mut self, version: usize, crawler: usize, agent: &Agent) -> Option<&Rules> {
        let Version { body, charset, .. } = &self.versions[version];
        let body = body.as_ref()?;
        Some(self.rules.entry((version, crawler)).or_insert_with(|| {
            RobotsTxt::parse_with_charset(body, self.dialect, charset.as_deref()).rules_for(agent)
        }))
    }

    /// Returns the crawl delay for a crawler at a time, or the interval of the request rate if it is longer, in
    /// seconds.
    pub(crate) fn delay(&mut self, crawler: usize, agent: &Agent, time: i64) -> Option<f64> {
        let version = self.version_at(time)?;
        let rules = self.rules(version, crawler, agent)?;
        let rate = rules.request_rate().map(|rate| rate.interval().as_secs_f64());
        let delay = rules.crawl_delay().map(|delay| delay.as_secs_f64());
        match (delay, rate) {
            (Some(delay), Some(rate)) => Some(delay.max(rate)),
            (delay, rate) => delay.or(rate),
        }
    }

    /// Decides a request. `fetched` is the time of the crawler's last request for robots.txt.
    pub(crate) fn judge(
        &mut self,
        crawler: usize,
        agent: &Agent,
        target: &[u8],
        time: i64,
        fetched: Option<i64>,
    ) -> Judgement {
        let Some(current) = self.version_at(time) else { return Judgement::Unknown };
        let judgement = self.decide(current, crawler, agent, target);
        if !matches!(judgement, Judgement::Disallowed { .. }) {
            return judgement;
        }
        // A version that cannot be read may have allowed the request.
        let mut are_all_known = true;
        let mut version = current;
        loop {
            let since = self.versions[version].since;
            // True if the crawler cannot have cached an earlier version.
            let is_known =
                time.saturating_sub(since) >= GRACE || fetched.is_some_and(|fetched| fetched >= since);
            if version == 0 || is_known {
                return if are_all_known { judgement } else { Judgement::Unknown };
            }
            version -= 1;
            match self.decide(version, crawler, agent, target) {
                Judgement::Allowed => return Judgement::AllowedBefore,
                Judgement::Unknown => are_all_known = false,
                _ => {}
            }
        }
    }

    fn decide(&mut self, version: usize, crawler: usize, agent: &Agent, target: &[u8]) -> Judgement {
        let Some(rules) = self.rules(version, crawler, agent) else { return Judgement::Unknown };
        match rules.decide(target) {
            Err(_) => Judgement::Unknown,
            Ok(decision) if decision.is_allowed() => Judgement::Allowed,
            Ok(decision) => {
                let rule = decision.rule();
                let pattern = rule.map(|rule| String::from_utf8_lossy(rule.pattern()).into_owned());
                Judgement::Disallowed {
                    version,
                    line: rule.map_or(0, |rule| rule.line()),
                    pattern: pattern.unwrap_or_default(),
                }
            }
        }
    }
}

/// Reads the versions in a folder, of up to `limit` bytes. Each path contains the time from which the version was served.
fn in_folder(folder: &Path, limit: usize) -> Result<Vec<Version>, LogsError> {
    let (mut versions, mut total) = (Vec::new(), 0);
    for entry in walkdir::WalkDir::new(folder).max_depth(4).sort_by_file_name() {
        let entry = entry.map_err(|error| LogsError::read(folder, error.into()))?;
        let kind = entry.file_type();
        if kind.is_dir() {
            continue;
        }
        if versions.len() == MAX_VERSIONS {
            return Err(LogsError::TooManyVersions { folder: shown_path(folder), limit: MAX_VERSIONS });
        }
        let path = entry.path();
        let name = shown_path(path);
        let below = path.strip_prefix(folder).unwrap_or(path).to_string_lossy();
        let since = match time_in(&below) {
            Some(since) => since,
            // A symbolic link such as `current` is a duplicate of another version.
            None if !kind.is_file() => continue,
            None => return Err(LogsError::NoTime(name)),
        };
        let body = read(path).map_err(|error| LogsError::read(path, error))?;
        total += body.len();
        if total > limit {
            return Err(LogsError::VersionsTooLarge { folder: shown_path(folder), limit });
        }
        versions.push(Version { since, name, body: Some(body), charset: None });
    }
    match versions.is_empty() {
        true => Err(LogsError::NoVersion(shown_path(folder))),
        false => Ok(versions),
    }
}

/// Reads the versions in a repository. `after` is the time between a commit and its deployment.
fn in_repository(
    path: &Path,
    after: Duration,
    unreadable: &mut Vec<UnreadableVersion>,
) -> Result<Vec<Version>, LogsError> {
    let after = i64::try_from(after.as_micros()).unwrap_or(i64::MAX);
    let git::Versions { versions, missing } = git::versions(path, MAX_TOTAL_BYTES)?;
    let version = |CommittedVersion { since, commit, body }| {
        let name = format!("git:{commit}");
        let body = body.map_err(|reason| unreadable.push(UnreadableVersion { commit: Some(commit), reason }));
        let since = i64::saturating_mul(since, SECOND).saturating_add(after);
        Version { since, name, body: body.ok(), charset: None }
    };
    // Git lists the newest commit first. The later sort by time is stable, so the order is reversed here.
    let mut versions: Vec<Version> = versions.into_iter().map(version).collect();
    versions.reverse();
    unreadable.extend(missing.map(|reason| UnreadableVersion { commit: None, reason }));
    Ok(versions)
}

/// Reads a plain file. Pipes and other kinds of files are rejected, since reading them could block.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    input::open(path)?.as_file().take(MAX_BYTES).read_to_end(&mut body)?;
    Ok(body)
}

/// Returns the first time in a path, as UTC, in microseconds since 1970: `robots-2026-11-01.txt`,
/// `2026-11-01T06:20:00Z/robots.txt`, `20261101062000.txt`.
fn time_in(path: &str) -> Option<i64> {
    let starts = path.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at);
    // A time cannot begin in the middle of a number.
    let mut starts = starts.filter(|&at| at == 0 || !path.as_bytes()[at - 1].is_ascii_digit());
    starts.find_map(|at| time_at(&path.as_bytes()[at..]))
}

/// Parses the time at the beginning of a text.
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
    use std::fs;

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
            rules: HashMap::default(),
            unreadable: Vec::new(),
            file: None,
        }
    }

    #[test]
    fn folder_with_too_many_bytes_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        for day in 1..=3 {
            fs::write(folder.path().join(format!("robots-2026-11-0{day}.txt")), "User-agent: *\n").unwrap();
        }
        let total = 3 * "User-agent: *\n".len();
        assert_eq!(in_folder(folder.path(), total).unwrap().len(), 3);
        let refused = in_folder(folder.path(), total - 1);
        assert!(matches!(refused, Err(LogsError::VersionsTooLarge { .. })), "{refused:?}");
    }

    #[test]
    fn change_applies_after_a_day_or_after_the_next_request_for_robots_txt() {
        let open = "User-agent: *\nDisallow:\n";
        let closed = "User-agent: *\nDisallow: /x\n";
        let agent = agents::known("GPTBot").unwrap().agent();
        let mut history = history(&[(0, open), (100 * HOUR, closed)]);
        let mut judge = |hour: i64, fetched: Option<i64>| {
            history.judge(0, &agent, b"/x", hour * HOUR, fetched.map(|hour| hour * HOUR))
        };
        let line_2 = Judgement::Disallowed { version: 1, line: 2, pattern: "/x".to_owned() };
        assert_eq!(judge(-1, None), Judgement::Unknown);
        assert_eq!(judge(99, None), Judgement::Allowed);
        assert_eq!(judge(101, None), Judgement::AllowedBefore);
        assert_eq!(judge(101, Some(99)), Judgement::AllowedBefore);
        assert_eq!(judge(102, Some(101)), line_2);
        assert_eq!(judge(124, None), line_2);
    }

    #[test]
    fn request_soon_after_a_change_is_disallowed_if_all_cached_versions_disallow_it() {
        let closed = "User-agent: *\nDisallow: /x\n";
        let agent = agents::known("GPTBot").unwrap().agent();
        let mut history = history(&[(0, closed), (100 * HOUR, closed), (101 * HOUR, closed)]);
        assert!(matches!(
            history.judge(0, &agent, b"/x", 102 * HOUR, None),
            Judgement::Disallowed { version: 2, .. }
        ));
    }

    #[test]
    fn times_are_found_in_file_names() {
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
