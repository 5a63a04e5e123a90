//! Decides the pages of archives and tables for every crawler in one pass.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use comity_answers::files::Pending;
use comity_answers::notice::Notice;
use comity_formats::TableFormat;
use sha2::{Digest, Sha256};

use crate::answers::AnswerTables;
use crate::audit::AuditJob;
use crate::condition::Condition;
use crate::context::JobContext;
use crate::error::AuditError;
use crate::first_input::{InputColumns, input_columns};
use crate::gather::{DecisionInputs, gather, keep_live, live_file};
use crate::input_file::{InputFile, input_files};
use crate::manifest::Manifest;
use crate::options::Moment;
use crate::pass::{self, Pass, add_digests, beside, part_inputs};
use crate::report::report;
use crate::request::{AuditRequest, JobRequest};
use crate::signals::{PageSignals, TdmrepAnswers};

/// Suffix of the name of a manifest, after the name of the output.
pub(crate) const MANIFEST: &str = ".manifest.json";

/// The outcome of a finished job.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AuditOutcome {
    /// The manifest, with the totals.
    pub manifest: Manifest,
    /// The conditions of the request that are met.
    pub objections: Vec<Objection>,
}

/// A condition that is met.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Objection {
    /// The condition.
    pub condition: Condition,
    /// The subject that meets the condition: a crawler and a moment, a site, or the inputs and sources.
    pub of: String,
}

/// Decides the pages. The output is written atomically, with its manifest next to it.
///
/// # Errors
///
/// Returns [`AuditError`] if the request contradicts itself, if a file cannot be read or written, or if the job was cancelled.
///
/// ```
/// use comity_audit::{AuditRequest, CancellationToken, JobContext, Whom, run};
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// std::fs::write(folder.join("robots.csv"), "key,status,body\nhttps://a.example,200,\"User-agent: *\nDisallow: /x\"\n")?;
/// std::fs::write(folder.join("urls.txt"), "https://a.example/\nhttps://a.example/x\n")?;
/// let request = AuditRequest {
///     inputs: vec![folder.join("urls.txt")],
///     robots: vec![folder.join("robots.csv")],
///     whom: Whom { agents: vec!["ExampleBot".to_owned()], ..Whom::default() },
///     ..AuditRequest::default()
/// };
/// let outcome = run(&request, &mut JobContext::new(&CancellationToken::new(), |_| {}))?;
/// assert_eq!(outcome.manifest.summary.views[0].shares.disallowed, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(request: &AuditRequest, context: &mut JobContext<'_>) -> Result<AuditOutcome, AuditError> {
    let mut started = whole_seconds(SystemTime::now());
    let mut options = request.job_options(request.now(started)?)?;
    for notice in Notice::of_agents(&options.agents, None) {
        context.notice(&notice);
    }
    let format = request.output.as_deref().map(table_format).transpose()?;
    let files = input_files(&request.inputs, context)?;
    let sources = input_files(&request.robots, context)?;
    refuse_to_overwrite(request, files.iter().chain(&sources))?;

    let InputColumns { first, has_times, row_groups } = input_columns(request, &files, context)?;
    let check = AuditJob::new(options.clone(), &AnswerTables::empty()?)?;
    let rows = first.rows_schema(&check, &PageSignals::new(&options, TdmrepAnswers::new()))?;
    if let Some((format, path)) = format.zip(request.output.as_ref()) {
        format.check(&path.to_string_lossy(), &rows)?;
    }

    let scratch = scratch_folder(request.output.as_deref());
    let checkpoint = pass::checkpoint(request, &files, &sources, started)?;
    if let Some(checkpoint) = &checkpoint {
        started = checkpoint.started();
        options = options.now(request.now(started)?);
    }
    let gathered = gather(request, &files, &sources, checkpoint.as_ref(), &scratch, context)?;
    let DecisionInputs { tables, tdmrep, robots, live } = gathered;
    if request.as_of.is_none() && !request.live {
        options = options.moments(moments(has_times, &tables, context));
    }
    let signals = PageSignals::new(&options, tdmrep);
    let job = AuditJob::new(options, &tables)?;
    let mut pass = Pass::new(request, job, signals, first, tables, scratch);
    let parts = part_inputs(&files, &row_groups, checkpoint.is_some());
    let mut inputs = match &checkpoint {
        Some(checkpoint) => pass.in_parts(&parts, checkpoint, format, context)?,
        None => pass.at_once(&parts, format, context)?,
    };
    let Pass { job, mut sink, mut tables, .. } = pass;
    let mut robots = robots;
    add_digests(&files, &mut inputs, context)?;
    add_digests(&sources, &mut robots, context)?;
    let output_digest = sink.end(context.cancel)?;
    sink.finish()?;
    if let Some((checkpoint, path)) = checkpoint.zip(request.output.as_ref()) {
        keep_live(checkpoint.folder(), path)?;
        checkpoint.remove()?;
    }
    let manifest = Manifest {
        program: program(),
        catalogue: Some(catalogue_digest()),
        request: JobRequest::Run(Box::new(request.clone())).for_manifest(),
        started: rfc3339(started),
        finished: String::new(),
        inputs,
        robots,
        live,
        site: None,
        answers: tables.summary()?.clone(),
        summary: job.summary(),
        output: request.output.as_ref().map(|path| path.to_string_lossy().into_owned()),
        output_digest,
    };
    finish(manifest, request.output.as_deref(), request.report.as_deref(), &request.fail_if)
}

/// Writes manifest and report, and evaluates the conditions.
pub(crate) fn finish(
    mut manifest: Manifest,
    output: Option<&Path>,
    page: Option<&Path>,
    conditions: &[Condition],
) -> Result<AuditOutcome, AuditError> {
    manifest.finished = rfc3339(SystemTime::now());
    if let Some(path) = output {
        let json =
            serde_json::to_string_pretty(&manifest).map_err(|error| AuditError::Report(error.to_string()))?;
        Pending::write(&beside(path, MANIFEST), format!("{json}\n").as_bytes())?;
    }
    if let Some(path) = page {
        Pending::write(path, report(&manifest)?.as_bytes())?;
    }
    let mut objections = Vec::new();
    for condition in conditions {
        let views = manifest.summary.views.iter().filter(|view| condition.holds(view));
        let site = manifest.site.iter().filter(|site| condition.holds_of(site));
        let damaged = condition.holds_of_damage(manifest.damaged());
        let of = views.map(|view| view.title()).chain(site.map(|site| site.origin.clone()));
        let of = of.chain(damaged.then(|| "the inputs and sources".to_owned()));
        objections.extend(of.map(|of| Objection { condition: condition.clone(), of }));
    }
    Ok(AuditOutcome { manifest, objections })
}

/// Returns an error if the report would replace the output or its manifest.
pub(crate) fn refuse_same_file(output: Option<&Path>, report: Option<&Path>) -> Result<(), AuditError> {
    if let Some((output, report)) = output.zip(report)
        && (place(output) == place(report) || place(&beside(output, MANIFEST)) == place(report))
    {
        return Err(AuditError::SameFile);
    }
    Ok(())
}

/// Returns an error if an output is also an input, or if the report would replace the output or its manifest.
fn refuse_to_overwrite<'f>(
    request: &AuditRequest,
    mut files: impl Iterator<Item = &'f InputFile>,
) -> Result<(), AuditError> {
    refuse_same_file(request.output.as_deref(), request.report.as_deref())?;
    let live = request.output.as_deref().filter(|_| request.live).map(live_file);
    let outputs: Vec<&PathBuf> = request.output.iter().chain(&request.report).chain(&live).collect();
    match files.find(|file| outputs.iter().any(|output| file.is(output))) {
        Some(file) => Err(AuditError::OutputIsInput(file.name.clone())),
        None => Ok(()),
    }
}

/// Returns the default moments of a job. Without times, pages cannot be decided as of the time when they were seen.
fn moments(has_times: bool, tables: &AnswerTables, context: &mut JobContext<'_>) -> [Moment; 1] {
    if !has_times {
        let message = "no input has a time for its pages, so the latest answers decide";
        context.warning_about(message, "time_column");
        [Moment::Now]
    } else if !tables.has_times() {
        context.warning("no answer for robots.txt has a time, so the answers decide as of now");
        [Moment::Now]
    } else {
        [Moment::Seen]
    }
}

/// Returns the format of rows for the name of a file.
pub(crate) fn table_format(path: &Path) -> Result<TableFormat, AuditError> {
    TableFormat::of_name(&path.to_string_lossy()).ok_or_else(|| AuditError::OutputFormat(path.to_owned()))
}

/// Returns the folder for scratch files: the folder of the output, or without an output the system's temporary folder.
fn scratch_folder(output: Option<&Path>) -> PathBuf {
    match output.and_then(Path::parent) {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        Some(_) => PathBuf::from("."),
        None => std::env::temp_dir(),
    }
}

/// Returns the folder of a file that may not exist yet, with links resolved, and its name in the folder.
fn place(path: &Path) -> (PathBuf, Option<&std::ffi::OsStr>) {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    (folder.canonicalize().unwrap_or_else(|_| folder.to_owned()), path.file_name())
}

/// Returns the name and the version of the program, for a manifest.
pub(crate) fn program() -> String {
    concat!("comity ", env!("CARGO_PKG_VERSION")).to_owned()
}

/// Returns the digest of the catalogue of crawlers: `sha-256=:…:` (RFC 9530).
pub(crate) fn catalogue_digest() -> String {
    let json = serde_json::to_vec(comity::agents::all()).unwrap_or_default();
    format!("sha-256=:{}:", STANDARD.encode(Sha256::digest(json)))
}

/// Returns a time in whole seconds, as manifests contain it.
fn whole_seconds(time: SystemTime) -> SystemTime {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::from_secs(since.as_secs())
}

/// Returns a time in RFC 3339 form.
pub(crate) fn rfc3339(time: SystemTime) -> String {
    comity::rfc3339::seconds(time).unwrap_or_default()
}
