//! `comity audit run`: the pages of archives and tables, decided for every crawler in one pass.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use comity::agents::{self, Status};
use comity::robots::Agent;
use comity_archive::TableFormat;
use comity_audit::{Output as Column, Versions};
use comity_jobs::{AuditJob, AuditJobOptions, AuditSummary, Manifest, Moment, PageSignals, RowForm, report};

use super::args::{AsOf, AuditRunArgs, Chosen};
use super::failures::failed_job;
use super::gather::{Gathered, gather, keep_live, live_file};
use super::inputs::{self, JobFile};
use super::pass::{self, Pass, add_digests, beside};
use super::text;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render;
use crate::write_file::Pending;

/// How the name of a manifest goes on behind that of the output.
const MANIFEST: &str = ".manifest.json";

/// Decides the pages.
pub(super) fn run(args: &AuditRunArgs, output: &mut Output) -> Result<Exit, Failure> {
    let started = now();
    let agents = agents_of(args)?;
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
        program: concat!("comity ", env!("COMITY_VERSION")).to_owned(),
        arguments: std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect(),
        started,
        finished: String::new(),
        inputs,
        robots,
        live,
        answers: tables.summary().map_err(failed_job)?.clone(),
        summary,
        output: args.output.as_ref().map(|path| path.to_string_lossy().into_owned()),
        output_digest: written,
    };
    add_digests(&files, &mut manifest.inputs)?;
    add_digests(&sources, &mut manifest.robots)?;
    manifest.finished = now();
    if let Some(path) = &args.output {
        let json = serde_json::to_string_pretty(&manifest)?;
        Pending::write(&beside(path, MANIFEST), format!("{json}\n").as_bytes())?;
    }
    if let Some(path) = &args.report {
        let page = report(&manifest).map_err(failed_job)?;
        Pending::write(path, page.as_bytes())?;
    }
    if args.format.is_json() {
        output.json_line(&manifest)?;
    } else if !args.quiet {
        text::print(&manifest, args.summary, output)?;
    }
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

/// The time, as RFC 3339 writes it.
fn now() -> String {
    comity::rfc3339::seconds(SystemTime::now()).unwrap_or_default()
}

/// The crawlers that are asked for, each once.
fn agents_of(args: &AuditRunArgs) -> Result<Vec<Agent>, Failure> {
    let is_wanted = |known: &&agents::KnownAgent| {
        args.purpose.contains(&known.purpose()) && known.status() != Status::Retired
    };
    let of_purpose: Vec<&str> = agents::all().iter().filter(is_wanted).map(|known| known.token()).collect();
    if !args.purpose.is_empty() && of_purpose.is_empty() {
        return Err(Failure::new("no crawler that is known has this purpose"));
    }
    let tokens = args.agent.iter().map(String::as_str).chain(of_purpose);
    let mut agents: Vec<Agent> = Vec::new();
    for agent in tokens.map(Agent::token).chain(args.user_agent.iter().map(Agent::header)) {
        if !agents.iter().any(|known| known.to_string().eq_ignore_ascii_case(&agent.to_string())) {
            agents.push(agent);
        }
    }
    Ok(agents)
}

fn options(args: &AuditRunArgs, agents: Vec<Agent>) -> AuditJobOptions {
    let agents_count = agents.len();
    let mut columns: Vec<Column> = Vec::new();
    for chosen in &args.columns {
        match chosen {
            Chosen::Column(column) => columns.push(*column),
            Chosen::All => columns.extend(Column::all().filter(|column| !matches!(column, Column::Usage(_)))),
        }
    }
    let mut options = AuditJobOptions::new()
        .agents(agents)
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
        let views = agents_count.max(1) * if args.as_of() == AsOf::Both { 2 } else { 1 };
        options = options.cache_bytes((memory / 8 / views).max(1 << 20));
    }
    if args.usage {
        options = options.and_outputs(Column::usage()).page_signals(true);
    }
    options
}

fn table_format(path: &Path) -> Result<TableFormat, Failure> {
    let name = path.to_string_lossy();
    TableFormat::of_name(&name).ok_or_else(|| {
        let known = render::list(&TableFormat::ENDINGS);
        Failure::new(format!("`{}` does not say in which format to write", render::text(name.as_bytes())))
            .hint(format!("let the name end in {known}"))
    })
}

/// What is written must not be what is read, nor one of the files another.
fn refuse_to_overwrite<'f>(
    args: &AuditRunArgs,
    mut files: impl Iterator<Item = &'f JobFile>,
) -> Result<(), Failure> {
    if let Some((output, report)) = args.output.as_ref().zip(args.report.as_ref())
        && (place(output) == place(report) || place(&beside(output, MANIFEST)) == place(report))
    {
        return Err(Failure::new("--output and --report name one file").hint("name two"));
    }
    let live = args.output.as_deref().filter(|_| args.live).map(live_file);
    let outputs: Vec<&PathBuf> = args.output.iter().chain(&args.report).chain(&live).collect();
    match files.find(|file| outputs.iter().any(|output| file.is(output))) {
        Some(file) => Err(Failure::new(format!("`{}` is an input and cannot be written", file.name))),
        None => Ok(()),
    }
}

/// The folder of a file that may not be there yet, without links, and its name in it.
fn place(path: &Path) -> (PathBuf, Option<&std::ffi::OsStr>) {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    (folder.canonicalize().unwrap_or_else(|_| folder.to_owned()), path.file_name())
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
