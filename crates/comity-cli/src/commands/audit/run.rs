//! `comity audit run`: the pages of archives and tables, decided for every crawler in one pass.

use std::path::{Path, PathBuf};

use comity::robots::Agent;
use comity_answers::url::check_cell;
use comity_arrow::{Output as Column, Versions};
use comity_audit::{AuditJob, AuditJobOptions, AuditSummary, Manifest, Moment, PageSignals, RowForm};

use super::args::{AsOf, AuditRunArgs, Chosen};
use super::failures::failed_job;
use super::gather::{Gathered, gather, keep_live, live_file};
use super::inputs::{self, JobFile};
use super::pass::{self, Pass, add_digests};
use super::result::{Destination, arguments, now, program, table_format};
use super::text;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Decides the pages.
pub(super) fn run(args: &AuditRunArgs, output: &mut Output) -> Result<Exit, Failure> {
    let started = now();
    let agents = args.whom.agents()?;
    args.whom.warn(&args.asking.files, output);
    let format = args.output.as_deref().map(table_format).transpose()?;
    let files = inputs::files(&args.inputs, args.files_from.as_deref())?;
    let sources = inputs::files(&args.robots, None)?;
    refuse_to_overwrite(args, files.iter().chain(&sources))?;

    let scratch = scratch_folder(args.output.as_deref());
    let checkpoint = pass::checkpoint(args, &files, &sources)?;
    let gathered = gather(args, &files, &sources, checkpoint.as_ref(), &scratch, output)?;
    let Gathered { tables, tdmrep, robots, live } = gathered;
    let options = options(args, agents);
    let signals = PageSignals::new(&options, tdmrep);
    let job = AuditJob::new(options, &tables).map_err(failed_job)?;
    let mut pass = Pass::new(args, job, signals, tables, scratch);
    let inputs = match &checkpoint {
        Some(checkpoint) => pass.in_parts(&files, checkpoint, format, output)?,
        None => pass.at_once(&files, format, output)?,
    };
    let Pass { job, sink, mut tables, .. } = pass;
    let written = sink.finish()?;
    if let Some((checkpoint, path)) = checkpoint.zip(args.output.as_ref()) {
        keep_live(checkpoint.folder(), path)?;
        checkpoint.remove().map_err(failed_job)?;
    }
    let summary = job.summary();

    let mut manifest = Manifest {
        program: program(),
        arguments: arguments(),
        started,
        finished: String::new(),
        inputs,
        robots,
        live,
        site: None,
        answers: tables.summary().map_err(failed_job)?.clone(),
        summary,
        output: args.output.as_ref().map(|path| path.to_string_lossy().into_owned()),
        output_digest: written,
    };
    add_digests(&files, &mut manifest.inputs)?;
    add_digests(&sources, &mut manifest.robots)?;
    manifest.finished = now();
    destination(args).write(&manifest, output)?;
    exit(args, &manifest.summary, output)
}

/// The folder for what does not fit into memory: that of the output, which has room for it.
fn scratch_folder(output: Option<&Path>) -> PathBuf {
    match output.and_then(Path::parent) {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        Some(_) => PathBuf::from("."),
        None => std::env::temp_dir(),
    }
}

fn options(args: &AuditRunArgs, agents: Vec<Agent>) -> AuditJobOptions {
    let mut columns: Vec<Column> = Vec::new();
    for chosen in &args.columns {
        match chosen {
            Chosen::Column(column) => columns.push(*column),
            Chosen::All => columns.extend(Column::all().filter(|column| !matches!(column, Column::Usage(_)))),
        }
    }
    let mut options = AuditJobOptions::new()
        .agents(agents)
        .check_url(check_cell)
        .moments(match args.as_of() {
            AsOf::Seen => vec![Moment::Seen],
            AsOf::Now => vec![Moment::Now],
            AsOf::Both => vec![Moment::Seen, Moment::Now],
        })
        .versions(if args.nearest { Versions::Nearest } else { Versions::AsOf })
        .form(if args.rows == "long" { RowForm::Long } else { RowForm::Wide })
        .only(args.only)
        .prefix(args.prefix.clone());
    if let Some(preset) = args.preset {
        options = options.preset(preset);
    }
    if let Some(dialect) = args.reading.dialect {
        options = options.dialect(dialect);
    }
    if !columns.is_empty() {
        options = options.outputs(columns);
    }
    if let Some(memory) = args.memory {
        // What is kept for the crawlers of a moment is kept together.
        let moments = if args.as_of() == AsOf::Both { 2 } else { 1 };
        options = options.cache_bytes((memory / 8 / moments).max(1 << 20));
    }
    if args.usage {
        options = options.and_outputs(Column::usage()).page_signals(true);
    }
    options
}

/// Where the result goes.
fn destination(args: &AuditRunArgs) -> Destination<'_> {
    Destination {
        output: args.output.as_deref(),
        report: args.report.as_deref(),
        is_json: args.format.is_json(),
        is_quiet: args.quiet,
        is_whole: args.summary,
    }
}

/// What is written must not be what is read, nor one of the files another.
fn refuse_to_overwrite<'f>(
    args: &AuditRunArgs,
    mut files: impl Iterator<Item = &'f JobFile>,
) -> Result<(), Failure> {
    destination(args).check()?;
    let live = args.output.as_deref().filter(|_| args.live).map(live_file);
    let outputs: Vec<&PathBuf> = args.output.iter().chain(&args.report).chain(&live).collect();
    match files.find(|file| outputs.iter().any(|output| file.is(output))) {
        Some(file) => Err(Failure::new(format!("`{}` is an input and cannot be written", file.name))),
        None => Ok(()),
    }
}

/// Status 1 if a condition holds.
fn exit(args: &AuditRunArgs, summary: &AuditSummary, output: &mut Output) -> Result<Exit, Failure> {
    let mut exit = Exit::Success;
    for view in &summary.views {
        for condition in args.fail_if.iter().filter(|condition| condition.holds(&view.shares)) {
            exit = Exit::Objection;
            output.note(&format!("--fail-if {condition} holds for {}", text::view(view)));
        }
    }
    Ok(exit)
}
