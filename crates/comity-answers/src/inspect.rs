//! `inspect`: the content of a robots.txt.

use std::sync::Arc;

use comity::robots::{Agent, Dialect, Group, Record, RecordKind, RequestRate, RobotsTxt, Rules, VisitTime};
use comity::shown;
use serde::{Deserialize, Serialize};

use crate::notice::WithNotices;
use crate::operation::FileOperation;
use crate::provenance::Provenance;
use crate::request::{FileRequest, RequestError};
use crate::robots_file::{Reading, RobotsFile};
use crate::sources::{SourceError, Sources};

/// Maximum product of the numbers of groups and records. Inspection compares each group with the records of the file
/// to find its delays.
const MAX_COMPARISONS: usize = 100_000_000;

/// A robots.txt to inspect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct InspectRequest {
    /// The text of a robots.txt.
    pub robots: Option<String>,
    /// A URL of the site whose robots.txt is inspected.
    pub site: Option<String>,
    /// The dialect for parsing; default `rfc9309`.
    pub dialect: Option<Dialect>,
    /// The charset of the file. It replaces that of a site's answer; it has no effect on `robots`, which is decoded.
    pub charset: Option<String>,
}

/// The operation `inspect`: the content of a robots.txt.
#[derive(Clone, Debug)]
pub struct Inspect {
    file: RobotsFile,
    reading: Reading,
}

impl FileOperation for Inspect {
    type Request = InspectRequest;
    type Row = InspectRow;

    async fn prepare(request: InspectRequest, sources: &Sources) -> Result<Inspect, SourceError> {
        let InspectRequest { robots, site, dialect, charset } = request;
        let file = sources.robots_file(FileRequest { robots, site }, "robots.txt").await?;
        Ok(Inspect { file, reading: Reading { dialect, charset } })
    }

    fn row(self, _: usize) -> Result<WithNotices<InspectRow>, RequestError> {
        let robots = self.file.read(&self.reading);
        let (groups, records) = (robots.groups().len(), robots.known_records().len());
        if groups.saturating_mul(records) > MAX_COMPARISONS {
            return Err(RequestError::TooLarge(format!(
                "a file with {groups} groups and {records} records is too long"
            )));
        }
        Ok(InspectRow::new(&self.file, &robots).into())
    }
}

/// The content of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Inspection"))]
pub struct InspectRow {
    /// The name of the file.
    pub file: String,
    /// The source of the file.
    pub robots_txt: Provenance,
    /// The dialect of the parser.
    pub dialect: Dialect,
    /// The number of bytes.
    pub bytes: usize,
    /// The number of lines.
    pub lines: usize,
    /// True if the file is longer than the dialect reads, so its end is ignored.
    pub truncated: bool,
    /// The groups.
    pub groups: Vec<GroupSummary>,
    /// The sitemaps in the file.
    pub sitemaps: Vec<SitemapLine>,
    /// Lines about the whole site, except for sitemaps.
    pub site: Vec<Directive>,
    /// Rules and similar lines outside of any group. No rule among them applies to a crawler.
    pub outside: Vec<Directive>,
    /// Lines with a key that no known crawler reads.
    pub unknown: Vec<Directive>,
}

/// One group.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Group"))]
pub struct GroupSummary {
    /// The first line of the group, from 1.
    pub line: u32,
    /// The names on its user-agent lines.
    pub agents: Vec<String>,
    /// True if it applies to `*`.
    pub for_everyone: bool,
    /// True if the dialect drops it.
    pub dropped: bool,
    /// Its rules.
    pub rules: Vec<RuleSummary>,
    /// The requested delay in seconds.
    pub crawl_delay_seconds: Option<f64>,
    /// The requested rate.
    pub request_rate: Option<RequestRate>,
    /// The requested hours.
    pub visit_time: Option<VisitTime>,
    /// Known lines of the group that are neither user-agents nor rules.
    pub extensions: Vec<Directive>,
}

/// A rule.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GroupRule"))]
pub struct RuleSummary {
    /// `allow` or `disallow`.
    pub kind: RecordKind,
    /// The path pattern.
    pub pattern: String,
    /// The line, from 1.
    pub line: u32,
}

/// A line that names a sitemap.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Sitemap"))]
pub struct SitemapLine {
    /// The URL, as written.
    pub url: String,
    /// The line, from 1.
    pub line: u32,
}

/// A line of the file, with its key and value as written.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Directive {
    /// The kind of record.
    pub kind: RecordKind,
    /// The key, as written.
    pub key: String,
    /// The value, as written.
    pub value: String,
    /// The line, from 1.
    pub line: u32,
}

impl Directive {
    fn new(record: &Record<'_>) -> Self {
        Directive {
            kind: record.kind(),
            key: shown::bytes(record.key()).into_owned(),
            value: record.value_text().into_owned(),
            line: record.line(),
        }
    }
}

impl InspectRow {
    /// Creates the row of a file. `robots` is the parsed file.
    pub fn new(file: &RobotsFile, robots: &RobotsTxt<'_>) -> Self {
        let body = file.body.as_slice();
        let collect = |keep: &dyn Fn(&Record<'_>) -> bool| {
            robots.records().filter(|record| keep(record)).map(|record| Directive::new(&record)).collect()
        };
        let is_unknown = |record: &Record<'_>| record.kind() == RecordKind::Unknown;
        // A license outside of any group applies to the crawlers whose groups name no license.
        let is_about_site = |record: &Record<'_>| {
            let is_license = record.kind() == RecordKind::License;
            record.kind().is_file_wide() || (is_license && record.group().is_none())
        };
        InspectRow {
            file: file.name.clone(),
            robots_txt: file.provenance.clone(),
            dialect: robots.dialect(),
            bytes: body.len(),
            lines: count_lines(body),
            truncated: robots.is_truncated(),
            groups: robots
                .groups()
                .zip(paced_rules(robots))
                .map(|(group, rules)| GroupSummary::new(&group, rules.as_deref()))
                .collect(),
            sitemaps: robots
                .records()
                .filter(|record| record.kind() == RecordKind::Sitemap)
                .map(|record| SitemapLine { url: record.value_text().into_owned(), line: record.line() })
                .collect(),
            site: collect(&|record| is_about_site(record) && record.kind() != RecordKind::Sitemap),
            outside: collect(&|r| r.group().is_none() && !is_about_site(r) && !is_unknown(r)),
            unknown: collect(&is_unknown),
        }
    }
}

impl GroupSummary {
    /// Creates the summary of a group. `rules` are those of the first crawler that the group names, if the group has a pace.
    fn new(group: &Group<'_>, rules: Option<&Rules>) -> Self {
        GroupSummary {
            line: group.records().next().map_or(0, |record| record.line()),
            agents: group.agents().map(|agent| agent.value_text().into_owned()).collect(),
            for_everyone: group.is_for_everyone(),
            dropped: group.is_dropped(),
            rules: group.rules().map(|record| RuleSummary::new(&record)).collect(),
            crawl_delay_seconds: rules.and_then(Rules::crawl_delay).map(|delay| delay.as_secs_f64()),
            request_rate: rules.and_then(Rules::request_rate),
            visit_time: rules.and_then(Rules::visit_time),
            extensions: group
                .records()
                .filter(|record| {
                    !record.kind().is_rule()
                        && !matches!(record.kind(), RecordKind::UserAgent | RecordKind::Unknown)
                })
                .map(|record| Directive::new(&record))
                .collect(),
        }
    }
}

impl RuleSummary {
    fn new(record: &Record<'_>) -> Self {
        RuleSummary { kind: record.kind(), pattern: record.value_text().into_owned(), line: record.line() }
    }
}

/// Returns the rules of the first crawler that each group names. Most groups have no delay, rate or hours, and get
/// `None`. One lookup in the file serves all groups.
fn paced_rules(robots: &RobotsTxt<'_>) -> Vec<Option<Arc<Rules>>> {
    let is_paced = |record: Record<'_>| {
        matches!(record.kind(), RecordKind::CrawlDelay | RecordKind::RequestRate | RecordKind::VisitTime)
    };
    let agent = |group: Group<'_>| {
        let name = group.agents().next().map_or_else(|| "*".into(), |agent| agent.value_text());
        group.records().any(is_paced).then(|| Agent::unchecked_token(&*name))
    };
    let agents: Vec<Option<Agent>> = robots.groups().map(agent).collect();
    let mut rules = robots.rules_for_each(agents.iter().flatten()).into_iter();
    agents.iter().map(|agent| agent.as_ref().and_then(|_| rules.next())).collect()
}

/// Counts lines that end with CR, LF or CRLF, including a last line without an end.
fn count_lines(body: &[u8]) -> usize {
    let ends = body.iter().enumerate().filter(|(at, byte)| match byte {
        b'\n' => true,
        b'\r' => body.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    ends.count() + usize::from(body.last().is_some_and(|byte| !matches!(byte, b'\n' | b'\r')))
}
