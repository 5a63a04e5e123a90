//! `comity logs`: which crawlers come, and what of their requests robots.txt disallowed.
//!
//! ```text
//! comity_archive::logs ──▶ a request ──▶ who.rs ──▶ history.rs ──▶ tally.rs ──▶ text.rs, row.rs
//!                                         crawler     in force       counted
//! ```
//!
//! `suggest.rs` writes rules in place of the report. This file opens things and hands lines on; the others neither read files nor know the time, but for `git.rs` and folders of versions.

mod args;
mod git;
mod history;
mod html;
mod row;
pub(crate) mod suggest;
mod tally;
mod text;
pub(crate) mod who;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write;
use std::path::Path;

use comity_archive::ArchiveInput;
use comity_archive::logs::{LogLine, LogLines, LogReader, LogRequest, NextLine};

pub(crate) use self::args::LogsArgs;
use self::history::History;
use self::row::Row;
use self::suggest::{Seen, Suggest};
use self::tally::{Day, Lines, Tally, Who};
use self::who::{Crawlers, Identity, Verifier};
use crate::args::Format;
use crate::exit::{Exit, Failure, reason};
use crate::input::Source;
use crate::location::Location;
use crate::output::Output;
use crate::render;
use crate::sites::reader::Reader;

/// As many lines are looked at to find out when a log begins.
const LOOKED_AT: usize = 1_000;

/// The largest number of hosts that are told apart.
const MOST_HOSTS: usize = 1_000;

/// Reads the logs, and reports.
pub(crate) fn run(args: &LogsArgs, output: &mut Output) -> Result<Exit, Failure> {
    // A format that cannot be used is refused before anything is read.
    reader(args)?;
    let mut work = Work {
        args,
        history: history(args, output)?,
        crawlers: Crawlers::new(),
        verifier: Verifier::new(super::agents::ranges()?, args.trusted_proxy.clone()),
        tallies: BTreeMap::new(),
        fetched: BTreeMap::new(),
        lines: Lines::default(),
        hosts: BTreeSet::new(),
    };
    let mut progress = output.progress(None, "lines");
    for source in in_order(args)? {
        let mut reader = reader(args)?;
        let mut lines = open(&source)?;
        loop {
            match lines.next().map_err(|error| Failure::new(error.to_string()))? {
                NextLine::End => break,
                NextLine::TooLong => {
                    work.lines.lines += 1;
                    work.lines.damaged += 1;
                }
                NextLine::Line(line) => work.take(reader.read(line)),
            }
            progress.step();
        }
    }
    drop(progress);
    work.report(output)
}

fn reader(args: &LogsArgs) -> Result<LogReader, Failure> {
    match &args.log_format {
        None => Ok(LogReader::new()),
        Some(format) => LogReader::with_template(format).map_err(|error| {
            Failure::new(format!("`{}` cannot be used: {error}", render::text(format.as_bytes())))
                .hint("give the text of nginx's log_format or of Apache's LogFormat, in single quotes")
        }),
    }
}

/// The versions of robots.txt that requests are judged by.
fn history(args: &LogsArgs, output: &mut Output) -> Result<History, Failure> {
    let dialect = args.reading.dialect.unwrap_or_default();
    if let Some(path) = args.robots.to_str().and_then(|text| text.strip_prefix("git:")) {
        return History::of_repository(Path::new(path), args.deployed_after.unwrap_or_default(), dialect);
    }
    if args.deployed_after.is_some() {
        return Err(Failure::new("--deployed-after is about commits, and --robots names no repository")
            .hint("--robots git:public/robots.txt reads the history of a file"));
    }
    let location = Location::of(&args.robots);
    if let Location::File(path) = &location
        && path.is_dir()
    {
        return History::of_folder(path, dialect);
    }
    let mut reader = Reader::new(&args.network);
    let file = reader.read(&location, output).map_err(|unread| unread.failure())?.without_page(output);
    reader.finish();
    Ok(History::of_file(file, dialect))
}

fn open(source: &Source) -> Result<LogLines, Failure> {
    let input = match source {
        Source::Stdin => ArchiveInput::stream("stdin", std::io::stdin()),
        Source::File(path) => ArchiveInput::file(source.name(), file(path)?),
    };
    LogLines::new(input).map_err(|error| Failure::new(error.to_string()))
}

fn file(path: &Path) -> Result<File, Failure> {
    let failed = |error: &std::io::Error| {
        let name = render::text(path.as_os_str().as_encoded_bytes());
        Failure::new(format!("cannot read `{name}`: {}", reason(error)))
    };
    File::open(path).map_err(|error| failed(&error))
}

/// The logs in the order of their first requests, which is that of rotated files. Standard input comes last.
fn in_order(args: &LogsArgs) -> Result<Vec<Source>, Failure> {
    let mut sources: Vec<(i64, Source)> = Vec::new();
    for path in &args.logs {
        let source = Source::new(path);
        let first = match &source {
            Source::Stdin => i64::MAX,
            Source::File(_) if args.logs.len() == 1 => 0,
            Source::File(_) => first_time(&source, args)?.unwrap_or(i64::MAX),
        };
        sources.push((first, source));
    }
    sources.sort_by_key(|(first, _)| *first);
    Ok(sources.into_iter().map(|(_, source)| source).collect())
}

fn first_time(source: &Source, args: &LogsArgs) -> Result<Option<i64>, Failure> {
    let (mut lines, mut reader) = (open(source)?, reader(args)?);
    for _ in 0..LOOKED_AT {
        match lines.next().map_err(|error| Failure::new(error.to_string()))? {
            NextLine::End => break,
            NextLine::TooLong => {}
            NextLine::Line(line) => {
                if let LogLine::Request(request) = reader.read(line) {
                    return Ok(Some(request.time_micros));
                }
            }
        }
    }
    Ok(None)
}

/// What is known so far.
struct Work<'a> {
    args: &'a LogsArgs,
    history: History,
    crawlers: Crawlers,
    verifier: Verifier,
    tallies: BTreeMap<Who, Tally>,
    /// When each crawler last asked for robots.txt.
    fetched: BTreeMap<Who, i64>,
    lines: Lines,
    hosts: BTreeSet<Vec<u8>>,
}

impl Work<'_> {
    fn take(&mut self, line: LogLine<'_>) {
        self.lines.lines += 1;
        match line {
            LogLine::Request(request) => self.take_request(&request),
            LogLine::Damaged => self.lines.damaged += 1,
            _ => {}
        }
    }

    fn take_request(&mut self, request: &LogRequest<'_>) {
        if let Some(host) = request.host.as_deref() {
            let wanted = self.args.host.as_deref();
            if wanted.is_some_and(|wanted| !wanted.as_bytes().eq_ignore_ascii_case(host)) {
                self.lines.of_other_hosts += 1;
                return;
            }
            if self.hosts.len() < MOST_HOSTS && !self.hosts.contains(host) {
                self.hosts.insert(host.to_vec());
            }
        }
        self.lines.requests += 1;
        let Some(crawler) = self.crawlers.find(&request.user_agent) else { return };
        self.lines.of_crawlers += 1;
        let (agent, time) = (self.crawlers.get(crawler), request.time_micros);
        let client = self.verifier.client(request);
        let identity = self.verifier.identify(crawler, agent.token(), client, time);
        let who = Who { crawler, identity };
        let (said, delay) = if tally::is_robots_txt(&request.target) {
            self.fetched.insert(who, time);
            (history::Said::Allowed, None)
        } else {
            let fetched = self.fetched.get(&who).copied();
            let said = self.history.judge(crawler, agent, &request.target, time, fetched);
            (said, self.history.delay(crawler, agent, time))
        };
        let shown = client.map(|client| (client, self.args.show_addresses));
        self.tallies.entry(who).or_default().take(request, said, delay, shown);
    }

    /// Prints what was found.
    fn report(self, output: &mut Output) -> Result<Exit, Failure> {
        self.warn(output);
        if let Some(suggest) = self.args.suggest {
            return self.suggest(suggest, output);
        }
        let mut rows: Vec<Row<'_>> = self
            .tallies
            .iter()
            .map(|(who, tally)| {
                let agent = self.crawlers.get(who.crawler);
                Row::new(agent, who.identity, self.verifier.date(agent.token()), tally, &self.history)
            })
            .collect();
        rows.sort_by_key(|row| (row.identity, std::cmp::Reverse((row.disallowed, row.requests)), row.agent));
        match self.args.format.get() {
            Format::Json => rows.iter().try_for_each(|row| output.json_line(row))?,
            Format::Csv => row::csv(&rows, output)?,
            Format::Html => html::print(&rows, &self.days(), &self.lines, output)?,
            Format::Prometheus => row::prometheus(&rows, &self.lines, output)?,
            _ => text::print(&rows, &self.lines, self.args.all, output)?,
        }
        let objects = |row: &Row<'_>| row.identity != Identity::Outside && row.disallowed > 0;
        Ok(if rows.iter().any(objects) { Exit::Objection } else { Exit::Success })
    }

    /// Prints rules in place of a report.
    fn suggest(&self, suggest: Suggest, output: &mut Output) -> Result<Exit, Failure> {
        let seen: Vec<Seen> = self
            .tallies
            .iter()
            .map(|(who, tally)| Seen {
                agent: self.crawlers.get(who.crawler),
                identity: who.identity,
                disallowed: tally.disallowed,
            })
            .collect();
        let text = suggest::text(suggest, &seen, self.verifier.ranges())
            .map_err(|error| Failure::new(error.to_string()))?;
        output.write_all(text.as_bytes())?;
        Ok(Exit::Success)
    }

    /// The requests of known crawlers by day, without those from outside of their addresses.
    fn days(&self) -> BTreeMap<i64, Day> {
        let mut all: BTreeMap<i64, Day> = BTreeMap::new();
        // Who is not who they say counts for nobody.
        let own = self.tallies.iter().filter(|(who, _)| who.identity != Identity::Outside);
        for (day, count) in own.flat_map(|(_, tally)| &tally.days) {
            let sum = all.entry(*day).or_default();
            sum.requests += count.requests;
            sum.disallowed += count.disallowed;
        }
        all
    }

    /// Says what the numbers leave out.
    fn warn(&self, output: &mut Output) {
        let lines = &self.lines;
        if lines.damaged > 0 {
            let all = indicatif::HumanCount(lines.lines);
            let damaged = indicatif::HumanCount(lines.damaged);
            output.warning(&format!(
                "{damaged} of {all} lines are in no format that is known, and are left out; --log-format names one"
            ));
        }
        if self.args.host.is_none() && self.hosts.len() > 1 {
            output.warning(&format!(
                "requests for {} hosts are judged by one robots.txt; --host counts those for one",
                self.hosts.len()
            ));
        }
        if self.args.host.is_some() && self.hosts.is_empty() && lines.requests > 0 {
            output.warning("the log names no hosts, so --host leaves nothing out");
        }
        let unknown: u64 = self.tallies.values().map(|tally| tally.unknown).sum();
        if unknown > 0 {
            let unknown = indicatif::HumanCount(unknown);
            output.warning(&format!(
                "{unknown} requests of crawlers cannot be judged: they came before the first version of robots.txt, or ask for \
                 something that is neither a path nor a URL"
            ));
        }
    }
}
