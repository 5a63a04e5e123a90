//! What is found about a crawler, as programs get it.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, SystemTime};

use comity::agents::{Compliance, KnownAgent, Purpose};
use comity_answers::schema::RowSchema;
use indicatif::HumanCount;
use serde::Serialize;

use super::history::History;
use super::tally::{FEWEST_GAPS, Lines, Signatures, Tally};
use super::who::Identity;
use crate::exit::Failure;
use crate::output;
use crate::spreadsheet;

/// A crawler with one identity.
#[derive(Serialize, schemars::JsonSchema)]
pub(super) struct Row<'a> {
    /// The product token of the crawler.
    pub(super) agent: &'static str,
    /// Its operator.
    pub(super) operator: &'static str,
    /// The purpose that it fetches pages for.
    pub(super) purpose: Purpose,
    /// Its treatment of robots.txt, by its operator's account.
    pub(super) follows_robots_txt: Compliance,
    /// Whether the requests are known to be from the crawler.
    pub(super) identity: Identity,
    /// The day on which the operator's addresses were read, if it publishes any.
    pub(super) ranges_date: Option<String>,
    /// The number of requests.
    pub(super) requests: u64,
    /// The number of requests that robots.txt disallows.
    pub(super) disallowed: u64,
    /// The share of these requests, from 0 to 1.
    pub(super) disallowed_share: f64,
    /// The number of requests that are disallowed only by a version that the crawler need not have known.
    pub(super) in_grace: u64,
    /// The number of requests that could not be decided.
    pub(super) unknown: u64,
    /// The rules that disallowed the most requests.
    pub(super) rules: Vec<RuleRow<'a>>,
    /// The requests for robots.txt.
    pub(super) robots_txt: RobotsRow,
    /// The gaps between requests; null if there are too few requests.
    pub(super) gaps: Option<GapsRow>,
    /// The minute with the most requests.
    pub(super) burst: BurstRow,
    /// The number of requests by the status code of the answer.
    pub(super) statuses: BTreeMap<String, u64>,
    /// The number of bytes that were sent.
    pub(super) bytes: u64,
    /// The time of the first request.
    pub(super) first_at: Option<String>,
    /// The time of the last request.
    pub(super) last_at: Option<String>,
    /// The number of days with requests.
    pub(super) days: usize,
    /// The networks with the most requests.
    pub(super) networks: Vec<NetworkRow>,
    /// The signed requests.
    pub(super) signatures: Signatures,
}

pub(crate) const SCHEMA: RowSchema = RowSchema::new::<Row<'static>>("logs", "a line of `comity logs`");

/// A rule that disallowed requests.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "LogRule")]
pub(super) struct RuleRow<'a> {
    /// The robots.txt of the rule.
    pub(super) file: &'a str,
    /// The line of the rule, from 1.
    pub(super) line: u32,
    /// The path pattern.
    pub(super) pattern: &'a str,
    /// The number of requests that it disallows.
    pub(super) requests: u64,
    /// The first of these requests.
    pub(super) examples: &'a [String],
}

/// The requests for robots.txt.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "LogRobots")]
pub(super) struct RobotsRow {
    /// The number of requests.
    pub(super) fetches: u64,
    /// The time of the last one.
    pub(super) last_at: Option<String>,
    /// The number of pages that were asked for before the first one.
    pub(super) pages_before: u64,
}

/// The gaps between requests.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "LogGaps")]
pub(super) struct GapsRow {
    /// The number of gaps.
    pub(super) count: u64,
    /// The delay that robots.txt asks for.
    pub(super) asked_seconds: Option<f64>,
    /// The number of gaps that are shorter.
    pub(super) below: u64,
    /// The number of gaps by length.
    pub(super) lengths: BTreeMap<&'static str, u64>,
}

/// The minute with the most requests.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "LogBurst")]
pub(super) struct BurstRow {
    /// The number of requests in that minute.
    pub(super) requests_per_minute: u64,
    /// The minute.
    pub(super) at: Option<String>,
}

/// Where requests came from.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "LogNetwork")]
pub(super) struct NetworkRow {
    /// The network.
    pub(super) network: String,
    /// The number of requests.
    pub(super) requests: u64,
}

impl<'a> Row<'a> {
    pub(super) fn new(
        agent: &KnownAgent,
        identity: Identity,
        ranges_date: Option<String>,
        tally: &'a Tally,
        history: &'a History,
    ) -> Row<'a> {
        let names = ["0.1 s", "1 s", "10 s", "1 min", "1 h", "longer"];
        let gaps = (tally.gaps.count >= FEWEST_GAPS).then(|| GapsRow {
            count: tally.gaps.count,
            asked_seconds: tally.gaps.asked,
            below: tally.gaps.below,
            lengths: names.into_iter().zip(tally.gaps.lengths).collect(),
        });
        let rule = |((version, line), rule): (&(usize, u32), &'a super::tally::RuleCount)| RuleRow {
            file: history.name(*version),
            line: *line,
            pattern: &rule.pattern,
            requests: rule.requests,
            examples: &rule.examples,
        };
        Row {
            agent: agent.token(),
            operator: agent.operator(),
            purpose: agent.purpose(),
            follows_robots_txt: agent.robots_txt(),
            identity,
            ranges_date,
            requests: tally.requests,
            disallowed: tally.disallowed,
            disallowed_share: share(tally.disallowed, tally.requests),
            in_grace: tally.in_grace,
            unknown: tally.unknown,
            rules: tally.top_rules().into_iter().map(rule).collect(),
            robots_txt: RobotsRow {
                fetches: tally.robots_txt.count,
                last_at: tally.robots_txt.last.and_then(stamp),
                pages_before: tally.robots_txt.pages_before,
            },
            gaps,
            burst: BurstRow { requests_per_minute: tally.burst.most, at: stamp(tally.burst.at) },
            statuses: tally.statuses.iter().map(|(class, count)| (format!("{class}xx"), *count)).collect(),
            bytes: tally.bytes,
            first_at: stamp(tally.first),
            last_at: stamp(tally.last),
            days: tally.days(),
            networks: tally
                .top_networks()
                .into_iter()
                .map(|(network, requests)| NetworkRow { network, requests })
                .collect(),
            signatures: tally.signatures,
        }
    }

    /// What the operator says of the crawler, for whom that matters.
    pub(super) fn account(&self) -> Option<&'static str> {
        if self.disallowed == 0 || self.identity == Identity::Outside {
            return None;
        }
        Some(match self.follows_robots_txt {
            Compliance::Honours => "its operator says that it honours robots.txt",
            Compliance::MayIgnore => "its operator says that it may ignore robots.txt",
            Compliance::Ignores => "its operator says that it does not follow robots.txt",
            _ => return None,
        })
    }

    /// What there is to say of signatures, if any request is signed.
    pub(super) fn signatures(&self) -> Option<String> {
        let Signatures { signed, verified, invalid, refused_signed, refused_unsigned } = self.signatures;
        (signed > 0).then(|| {
            format!(
                "{} signed: {} verified, {} invalid; refused (401, 403, 429): {} signed, {} not signed",
                HumanCount(signed),
                HumanCount(verified),
                HumanCount(invalid),
                HumanCount(refused_signed),
                HumanCount(refused_unsigned)
            )
        })
    }

    /// Where requests from outside came from, and when the operator's addresses were read.
    pub(super) fn origin(&self) -> Option<String> {
        if self.identity != Identity::Outside {
            return None;
        }
        let networks: Vec<&str> = self.networks.iter().map(|network| network.network.as_str()).collect();
        let date = self.ranges_date.as_deref().unwrap_or("an unknown day");
        Some(format!("from {}; published addresses as of {date}", networks.join(", ")))
    }
}

/// A table of the report: who stands in it, and what that says of them.
pub(super) struct Table<'r, 'a> {
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) rows: Vec<&'r Row<'a>>,
}

/// The tables of the report. Who is not known to be the crawler stands in no table with who is, and what users asked for in one
/// of its own.
pub(super) fn tables<'r, 'a>(rows: &'r [Row<'a>]) -> [Table<'r, 'a>; 4] {
    let mut tables = [
        ("Verified crawlers", "from addresses that their operators publish"),
        ("Crawlers by name alone", "nothing that is published tells who sent these"),
        ("Fetched for a user", "somebody asked for each of these pages"),
        ("From outside", "addresses that the operator does not publish; somebody else, maybe"),
    ]
    .map(|(title, about)| Table { title, about, rows: Vec::new() });
    for row in rows {
        let at = match row.identity {
            Identity::Outside => 3,
            _ if row.purpose == Purpose::UserTriggered => 2,
            Identity::Unknown => 1,
            Identity::Verified => 0,
        };
        tables[at].rows.push(row);
    }
    tables
}

/// The days of all requests: `, on 2026-11-21` or `, 2026-11-21 to 2026-11-23`.
pub(super) fn when(rows: &[Row<'_>]) -> String {
    let day = |time: &str| time.get(..10).unwrap_or(time).to_owned();
    let first = rows.iter().filter_map(|row| row.first_at.as_deref()).min().map(day);
    let last = rows.iter().filter_map(|row| row.last_at.as_deref()).max().map(day);
    match (first, last) {
        (Some(first), Some(last)) if first == last => format!(", on {first}"),
        (Some(first), Some(last)) => format!(", {first} to {last}"),
        _ => String::new(),
    }
}

/// A share between 0 and 1, to four digits.
fn share(part: u64, all: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more digits")]
    let share = part as f64 / all.max(1) as f64;
    (share * 10_000.0).round() / 10_000.0
}

/// `2026-11-21T06:20:10Z`.
pub(super) fn stamp(micros: i64) -> Option<String> {
    let time = SystemTime::UNIX_EPOCH.checked_add(Duration::from_micros(u64::try_from(micros).ok()?))?;
    comity::rfc3339::seconds(time)
}

/// Prints a row as an object on a line.
pub(super) fn json(row: &Row<'_>, out: &mut impl Write) -> Result<(), Failure> {
    Ok(writeln!(out, "{}", output::json(&serde_json::to_string(row)?))?)
}

/// Prints a row for each crawler.
pub(super) fn csv(rows: &[Row<'_>], out: &mut impl Write) -> Result<(), Failure> {
    let table = spreadsheet::Table::of::<Row<'static>>();
    table.header(out)?;
    rows.iter().try_for_each(|row| table.row(row, out))
}

/// A number of a row.
type Count = fn(&Row<'_>) -> u64;

/// Prints counters. Labels hold names of the catalogue alone.
pub(super) fn prometheus(rows: &[Row<'_>], lines: &Lines, out: &mut impl Write) -> Result<(), Failure> {
    let metrics: [(&str, &str, Count); 6] = [
        ("requests", "Requests that name a known crawler.", |row| row.requests),
        ("disallowed", "Requests that robots.txt disallowed.", |row| row.disallowed),
        ("in_grace", "Requests that a version allowed which the crawler may still have held.", |row| {
            row.in_grace
        }),
        ("robots_txt_fetches", "Requests for robots.txt.", |row| row.robots_txt.fetches),
        ("bytes", "Bytes sent to known crawlers.", |row| row.bytes),
        ("unknown", "Requests that could not be judged.", |row| row.unknown),
    ];
    for (name, about, value) in metrics {
        writeln!(out, "# HELP comity_logs_{name}_total {about}\n# TYPE comity_logs_{name}_total counter")?;
        for row in rows {
            let (agent, purpose, identity) = (row.agent, row.purpose.as_str(), row.identity.as_str());
            writeln!(
                out,
                "comity_logs_{name}_total{{agent=\"{agent}\",purpose=\"{purpose}\",identity=\"{identity}\"}} {}",
                value(row)
            )?;
        }
    }
    for (name, about, value) in [
        ("lines", "Lines that were read.", lines.lines),
        ("damaged_lines", "Lines in no format that is known.", lines.damaged),
    ] {
        writeln!(out, "# HELP comity_logs_{name}_total {about}\n# TYPE comity_logs_{name}_total counter")?;
        writeln!(out, "comity_logs_{name}_total {value}")?;
    }
    Ok(())
}
