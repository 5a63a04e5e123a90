//! `comity logs`: reports the crawlers that visit a site, and their requests that robots.txt disallowed.
//!
//! `comity-logs` reads, decides and counts. This command builds its request (`request.rs`, `live.rs`) and prints the
//! results: `text.rs` prints the report for people, and `watch.rs` shows a running job.

mod args;
mod live;
mod own_catalogue;
mod request;
mod text;
mod watch;

use std::io::Write;

use comity_answers::files::Pending;
use comity_answers::schema::RowSchema;
use comity_formats::logs::FORMATS;
use comity_logs::{LogRow, LogsSummary, metrics, report, run as run_job};
use indicatif::HumanCount;
use tokio_util::sync::CancellationToken;

pub(crate) use self::args::LogsArgs;
use self::request::failure;
use self::text::Look;
use self::watch::Watch;
use crate::args::Format;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render::count_of;
use crate::spreadsheet;

pub(crate) const SCHEMA: RowSchema = RowSchema::new::<LogRow>("logs", "a line of `comity logs`");

/// Reads the logs and prints or writes the report.
pub(crate) fn run(args: &LogsArgs, output: &mut Output) -> Result<Exit, Failure> {
    let ranges = super::agents::ranges()?;
    let mut request = request::new(args, ranges.clone(), output)?;
    let _network = live::add(args, &mut request, output)?;
    let cancel = CancellationToken::new();
    let mut watch = Watch::new(args, &cancel, output)?;
    let summary = run_job(request, &mut |event| watch.take(event), &cancel).map_err(failure)?;
    watch.finish(&summary)?;
    let mut unread = unread(args, &summary);
    // An empty report, or rules that are based on less than half of the lines, would mislead. So the command fails
    // instead.
    if let Some(failure) = unread.take_if(|_| summary.lines.requests == 0 || args.suggest.is_some()) {
        return Err(failure);
    }
    warn(args, &summary, output);
    if summary.lines.lines == 0 && !summary.is_cancelled {
        output.note("the logs have no lines");
    }
    if let Some(path) = &args.unknown_agents {
        Pending::write(path, own_catalogue::entries(&summary).as_bytes())?;
    }
    let exit = match (summary.is_cancelled, summary.unreadable_versions.is_empty()) {
        (true, _) => Exit::Interrupted,
        _ if summary.lines.lines == 0 && args.fail_on_empty => Exit::Error,
        (false, false) => Exit::Error,
        (false, true) if args.suggest.is_none() && summary.has_disallowed() => Exit::Objection,
        _ => Exit::Success,
    };
    if let Some(suggestion) = args.suggest {
        let rules = suggestion.rules(&summary.rows, &ranges, &args.suggest_from).map_err(failure)?;
        match &args.output {
            Some(path) => Pending::write(path, rules.as_bytes())?,
            None => output.write_all(rules.as_bytes())?,
        }
    } else if args.output.is_some() {
        to_file(args, &summary)?;
    } else if !(args.follow && args.format.is_json()) {
        write(args, &summary, Look::of(output), output)?;
    }
    unread.map_or(Ok(exit), Err)
}

/// Returns the failure if no line of the logs, or less than half of them, could be read.
fn unread(args: &LogsArgs, summary: &LogsSummary) -> Option<Failure> {
    let lines = &summary.lines;
    let is_any_read = lines.requests + lines.of_other_hosts > 0;
    if summary.is_cancelled || lines.damaged == 0 || is_any_read && lines.damaged * 2 <= lines.lines {
        return None;
    }
    let example = summary.unread.as_deref().unwrap_or_default();
    let (damaged, all) = (HumanCount(lines.damaged), HumanCount(lines.lines));
    let tried = match (&args.log_format, args.map.is_empty()) {
        (Some(_), _) => "the format of --log-format".to_owned(),
        (None, false) => "JSON with the keys of --map".to_owned(),
        (None, true) => FORMATS.join(", "),
    };
    let hint = if example.contains("\u{fffd}\u{fffd}")
        || example.starts_with("\u{ff}\u{fe}")
        || example.starts_with("ÿþ")
    {
        "the file seems to be in UTF-16: convert it, for example with `iconv -f UTF-16 -t UTF-8`"
    } else if args.log_format.is_some() {
        "compare the format with this line: each field must be at the position that the format defines"
    } else if !args.map.is_empty() {
        "compare the keys with this line: url, time and address must be present"
    } else if example.starts_with('{') {
        "name the keys of the fields: --map url=KEY --map time=KEY --map address=KEY --map agent=KEY"
    } else {
        "give the server's format: --log-format with nginx's log_format or Apache's LogFormat, or @FILE of its configuration"
    };
    Some(
        Failure::new(format!(
            "{damaged} of {all} lines cannot be read, such as `{example}`; the formats that were tried: {tried}"
        ))
        .hint(hint),
    )
}

/// Writes the report to the file of `--output`. The file is replaced atomically.
fn to_file(args: &LogsArgs, summary: &LogsSummary) -> Result<(), Failure> {
    let Some(path) = &args.output else { return Ok(()) };
    let mut report = Vec::new();
    write(args, summary, Look::plain(), &mut report)?;
    Ok(Pending::write(path, &report)?)
}

/// Writes the report in the selected format.
fn write(args: &LogsArgs, summary: &LogsSummary, look: Look, out: &mut impl Write) -> Result<(), Failure> {
    match args.format.get() {
        Format::Json => summary.rows.iter().try_for_each(|row| {
            let row = serde_json::to_string(row)?;
            Ok(writeln!(out, "{}", crate::output::json(&row))?)
        }),
        Format::Csv => {
            let table = spreadsheet::Table::of::<LogRow>();
            table.header(out)?;
            summary.rows.iter().try_for_each(|row| table.row(row, out))
        }
        Format::Html => Ok(out.write_all(report(summary).map_err(failure)?.as_bytes())?),
        Format::Prometheus => Ok(out.write_all(metrics(summary).map_err(failure)?.as_bytes())?),
        _ => text::print(summary, args.all, look, out),
    }
}

/// Prints warnings about requests that are not counted, or not judged.
fn warn(args: &LogsArgs, summary: &LogsSummary, output: &mut Output) {
    let lines = &summary.lines;
    // If more than half of the lines are unread, `unread` makes the command fail.
    if lines.damaged > 0 && lines.damaged * 2 <= lines.lines {
        let (damaged, all) = (HumanCount(lines.damaged), HumanCount(lines.lines));
        output.warning(&format!(
            "{damaged} of {all} lines cannot be read and are not counted, such as `{}`",
            summary.unread.as_deref().unwrap_or_default()
        ));
    }
    if lines.without_agent > 0 {
        let number = HumanCount(lines.without_agent);
        output.warning(&format!(
            "{number} of {} requests are in lines without a User-Agent, so their crawlers are unknown",
            HumanCount(lines.requests)
        ));
    }
    if lines.without_zone > 0 {
        output.note(&format!("{} without a time zone, read as UTC", count_of(lines.without_zone, "request")));
    }
    if lines.without_peer > 0 {
        output.warning(&format!(
            "the client is unknown for {} of crawlers, because the log has a forwarded address but no address of the \
             peer; name the field to trust with --client-field, such as x-forwarded-for",
            count_of(lines.without_peer, "request")
        ));
    }
    if args.host.is_none() && summary.hosts > 1 {
        output.warning(&format!(
            "requests for {}{} hosts are judged by one robots.txt; use --host to count only the requests for one host",
            if summary.has_more_hosts { "more than " } else { "" },
            HumanCount(summary.hosts as u64)
        ));
    }
    if args.host.is_some() && summary.hosts == 0 && lines.requests > 0 {
        output.warning("the log names no hosts, so --host has no effect");
    }
    if summary.uncounted > 0 {
        output.warning(&uncounted(summary));
    }
    let unknown: u64 = summary.rows.iter().map(|row| row.unknown).sum();
    if unknown > 0 {
        let unknown = HumanCount(unknown);
        output.warning(&format!(
            "{unknown} requests of crawlers cannot be judged: there was no version of robots.txt yet, the version in \
             force cannot be read, or the target is neither a path nor a URL"
        ));
    }
}

fn uncounted(summary: &LogsSummary) -> String {
    format!(
        "there are too many crawlers, or too many days, rules or networks of a crawler, to count each; counts that only \
         the totals contain: {}",
        HumanCount(summary.uncounted)
    )
}
