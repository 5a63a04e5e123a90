//! `comity logs`: which crawlers come, and what of their requests robots.txt disallowed.
//!
//! ```text
//! comity_formats::logs ──▶ a request ──▶ who.rs ──▶ history.rs ──▶ tally.rs ──▶ text.rs, row.rs
//!                                         crawler     in force       counted
//! ```
//!
//! `work.rs` puts these together, `dns.rs` asks for the names of addresses, `signed.rs` verifies signatures, `suggest.rs` writes rules in place of the report. This file opens logs that are complete;
//! `follow.rs` shows what comes of those that are being written, and `tail.rs` reads them through rotation and truncation.
//! The others neither read files nor know the time, but for `git.rs` and folders of versions.

mod args;
mod blobs;
#[cfg(feature = "live")]
mod dns;
#[cfg(not(feature = "live"))]
#[path = "no_dns.rs"]
mod dns;
mod follow;
mod git;
mod history;
mod html;
mod row;
#[cfg(feature = "live")]
mod signed;
#[cfg(not(feature = "live"))]
#[path = "no_signed.rs"]
mod signed;
pub(crate) mod suggest;
mod tail;
mod tally;
mod text;
pub(crate) mod who;
mod work;

use std::fs::File;
use std::io::Write;
use std::path::Path;

use comity_formats::logs::{LogLine, LogLines, LogReader, NextLine};
use comity_formats::{ArchiveError, ArchiveInput};

pub(crate) use self::args::LogsArgs;
use self::dns::Names;
use self::history::History;
use self::signed::Signers;
use self::text::Look;
use self::who::Verifier;
use self::work::Work;
use crate::exit::{Exit, Failure, reason};
use crate::input::Source;
use crate::location::Location;
use crate::output::Output;
use crate::render;
use crate::robots_txt::without_page;
use crate::sites::reader::Reader;
use comity_answers::files::Pending;

/// As many lines are looked at to find out when a log begins.
const LOOKED_AT: usize = 1_000;

/// Reads the logs, and reports.
pub(crate) fn run(args: &LogsArgs, output: &mut Output) -> Result<Exit, Failure> {
    // A format that cannot be used is refused before anything is read.
    reader(args)?;
    let history = history(args, output)?;
    let verifier = Verifier::new(super::agents::ranges()?, args.trusted_proxy.clone());
    let names = if args.dns { Some(Names::new(args)?) } else { None };
    let signers = if args.signatures { Some(Signers::new(args, output)?) } else { None };
    let mut work = Work::new(args, history, verifier, (names, signers));
    if args.follow {
        return follow::run(args, work, output);
    }
    let mut progress = output.progress(None, "lines");
    for source in in_order(args)? {
        read(&source, args, &mut |line| {
            work.take(line);
            progress.step();
            true
        })?;
    }
    work.settle(true);
    drop(progress);
    work.warn(output);
    match args.suggest {
        Some(suggest) => {
            hand_out(args, work.suggest(suggest)?.as_bytes(), output)?;
            Ok(work.trouble())
        }
        None => {
            match &args.output {
                Some(path) => to_file(path, &work)?,
                None => work.write(Look::of(output), output)?,
            }
            Ok(work.exit())
        }
    }
}

/// Prints a text, or writes it to the file of `--output`.
fn hand_out(args: &LogsArgs, text: &[u8], output: &mut Output) -> Result<(), Failure> {
    match &args.output {
        Some(path) => Ok(Pending::write(path, text)?),
        None => Ok(output.write_all(text)?),
    }
}

/// Writes the report to a file, whole or not at all.
fn to_file(path: &Path, work: &Work<'_>) -> Result<(), Failure> {
    let mut report = Vec::new();
    work.write(Look::plain(), &mut report)?;
    Ok(Pending::write(path, &report)?)
}

/// Reads a log from its beginning to its end, as long as `take` asks for more.
fn read(source: &Source, args: &LogsArgs, take: Take<'_>) -> Result<(), Failure> {
    let (mut lines, mut reader) = (open(source)?, reader(args)?);
    drain(&mut lines, &mut reader, take).map(drop).map_err(|error| Failure::new(error.to_string()))
}

/// Takes a line, and says whether to go on.
type Take<'t> = &'t mut dyn FnMut(LogLine<'_>) -> bool;

/// Reads lines up to the end, or to the end for now of a log that grows, as long as `take` asks for more. Returns whether
/// there was any line.
fn drain(lines: &mut LogLines, reader: &mut LogReader, take: Take<'_>) -> Result<bool, ArchiveError> {
    let mut is_any = false;
    loop {
        let is_wanted = match lines.next()? {
            NextLine::End => return Ok(is_any),
            NextLine::TooLong => take(LogLine::Damaged),
            NextLine::Line(line) => take(reader.read(line)),
        };
        is_any = true;
        if !is_wanted {
            return Ok(is_any);
        }
    }
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
        let after = args.deployed_after.unwrap_or_default();
        return History::of_repository(Path::new(path), after, dialect, output);
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
    let file = reader.read(&location, output).map_err(|unread| unread.failure())?;
    let file = without_page(file, output);
    reader.finish();
    let history = History::of_file(file, dialect);
    Ok(match &location {
        Location::File(path) => history.watching(path),
        _ => history,
    })
}

fn open(source: &Source) -> Result<LogLines, Failure> {
    let input = match source {
        Source::Stdin => ArchiveInput::stream("stdin", std::io::stdin()),
        Source::File(path) => {
            let file = file(path)?;
            // A pipe, such as a shell's `<(zcat old.gz)`, gives its bytes once.
            match file.metadata().is_ok_and(|metadata| metadata.is_file()) {
                true => ArchiveInput::file(source.name(), file),
                false => ArchiveInput::stream(source.name(), file),
            }
        }
    };
    LogLines::new(input).map_err(|error| Failure::new(error.to_string()))
}

fn is_plain(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
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
            // A pipe gives its lines once. It is an older log as a rule: `<(xzcat access.log.2.xz)`.
            Source::File(path) if path.exists() && !is_plain(path) => i64::MIN,
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

pub(crate) use row::SCHEMA;
