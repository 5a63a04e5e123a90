//! `comity audit run`: the pages of archives and tables, decided for every crawler in one pass.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use comity::agents::{self, Status};
use comity::robots::Agent;
use comity_archive::{ArchiveError, ArchiveInput, PageColumns, PageOptions, Pages, TableFormat, TableWriter};
use comity_audit::{Output as Column, Versions};
use comity_jobs::{
    AuditJob, AuditJobOptions, AuditSummary, JobError, Manifest, ManifestColumns, ManifestInput, Moment,
    RobotsAnswers, RowForm, report,
};

use super::args::{AsOf, AuditRunArgs, Chosen};
use super::inputs::{self, JobFile};
use super::progress::BytesProgress;
use super::{robots, text};
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render;
use crate::write_file::Pending;

/// Decides the pages.
pub(super) fn run(args: &AuditRunArgs, output: &mut Output) -> Result<Exit, Failure> {
    let started = now();
    let agents = agents_of(args)?;
    let format = args.output.as_deref().map(table_format).transpose()?;
    let files = inputs::files(&args.inputs, args.files_from.as_deref())?;
    let sources = inputs::files(&args.robots, None)?;
    refuse_to_overwrite(args, files.iter().chain(&sources))?;

    let mut answers = RobotsAnswers::new();
    let robots = robots::read(&sources, output, |batch| {
        answers.add(batch);
        Ok(())
    })?;
    if answers.is_empty() {
        return Err(Failure::new("the sources named by --robots hold no answer to a request for robots.txt"));
    }
    let (table, answers) = answers.into_table().map_err(failed_job)?;

    let job = AuditJob::new(options(args, agents), Arc::new(table));
    let mut pass = Pass { args, job, format, first: None, writer: None };
    let inputs = pass.read(&files, output)?;
    let Pass { job, writer, .. } = pass;
    let written = writer.map(Written::finish).transpose()?;
    let summary = job.summary();

    let mut manifest = Manifest {
        program: concat!("comity ", env!("COMITY_VERSION")).to_owned(),
        arguments: std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect(),
        started,
        finished: String::new(),
        inputs,
        robots,
        answers,
        summary,
        output: args.output.as_ref().map(|path| path.to_string_lossy().into_owned()),
        output_digest: written,
    };
    for (files, read) in [(&files, &mut manifest.inputs), (&sources, &mut manifest.robots)] {
        for file in files {
            let digest = file.digest()?;
            // The archives in a file are named after it.
            let rest = |name: &str| {
                name.strip_prefix(&*file.name).map(|rest| rest.is_empty() || rest.starts_with('!'))
            };
            let of_file = read.iter_mut().filter(|read| rest(&read.name) == Some(true));
            of_file.for_each(|read| read.digest = Some(digest.clone()));
        }
    }
    manifest.finished = now();
    if let Some(path) = &args.output {
        let json = serde_json::to_string_pretty(&manifest)?;
        Pending::write(&manifest_path(path), format!("{json}\n").as_bytes())?;
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

/// The time, as RFC 3339 writes it.
fn now() -> String {
    comity::rfc3339::seconds(SystemTime::now()).unwrap_or_default()
}

fn failed(error: ArchiveError) -> Failure {
    let is_about_columns = matches!(error, ArchiveError::NoColumn { .. });
    let failure = Failure::new(error.to_string());
    if is_about_columns {
        failure.hint("name the column by --url-column, --time-column or --agent-column")
    } else {
        failure
    }
}

fn failed_job(error: JobError) -> Failure {
    let hint = match error {
        JobError::NameTaken(_) | JobError::SamePrefix(_) => {
            "let the names of new columns begin differently: --prefix"
        }
        JobError::NoAgent => {
            "name a crawler by --agent, all of a purpose by --purpose, or a column by --agent-column"
        }
        _ => return Failure::new(error.to_string()),
    };
    Failure::new(error.to_string()).hint(hint)
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
    let mut columns: Vec<Column> = Vec::new();
    for chosen in &args.columns {
        match chosen {
            Chosen::Column(column) => columns.push(*column),
            Chosen::All => columns.extend(Column::all().filter(|column| !matches!(column, Column::Usage(_)))),
        }
    }
    let mut options = AuditJobOptions::new()
        .agents(agents)
        .moments(match args.as_of {
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
    if args.usage {
        options = options.and_outputs(Column::usage());
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

/// What is written must not be what is read.
fn refuse_to_overwrite<'f>(
    args: &AuditRunArgs,
    mut files: impl Iterator<Item = &'f JobFile>,
) -> Result<(), Failure> {
    let outputs: Vec<&PathBuf> = args.output.iter().chain(&args.report).collect();
    match files.find(|file| outputs.iter().any(|output| file.is(output))) {
        Some(file) => Err(Failure::new(format!("`{}` is an input and cannot be written", file.name))),
        None => Ok(()),
    }
}

fn manifest_path(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".manifest.json");
    name.into()
}

/// The pass over all inputs.
struct Pass<'a> {
    args: &'a AuditRunArgs,
    job: AuditJob,
    format: Option<TableFormat>,
    /// The columns of the first input, which those of all others are brought to.
    first: Option<(String, SchemaRef, PageColumns)>,
    writer: Option<Written>,
}

/// The rows that are written.
struct Written {
    pending: Pending,
    writer: TableWriter<File>,
}

impl Written {
    /// Puts the file in its place. Returns its digest.
    fn finish(self) -> Result<String, Failure> {
        self.writer.finish().map_err(failed)?;
        let path = self.pending.path().to_owned();
        self.pending.finish()?;
        let digest = File::open(&path).and_then(inputs::digest);
        digest.map_err(|error| {
            Failure::new(format!("cannot read `{}`: {}", path.display(), crate::exit::reason(&error)))
        })
    }
}

impl Pass<'_> {
    fn read(&mut self, files: &[JobFile], output: &mut Output) -> Result<Vec<ManifestInput>, Failure> {
        let mut progress = BytesProgress::new(files, "pages", output);
        let mut inputs = Vec::with_capacity(files.len());
        for file in files {
            for archive in file.archives()? {
                inputs.push(self.input(file, archive, &mut progress)?);
            }
            progress.done(file.bytes);
        }
        drop(progress);
        if self.args.as_of != AsOf::Now {
            let timeless = |input: &&ManifestInput| {
                input.columns.as_ref().is_some_and(|columns| columns.seen_at.is_none())
            };
            for input in inputs.iter().filter(timeless) {
                output.warning(&format!(
                    "{}: no column says when a page was seen, so the latest answer decides; --time-column names one",
                    input.name
                ));
            }
        }
        for input in inputs.iter().filter(|input| input.damaged > 0) {
            output.warning(&robots::damage(input));
        }
        Ok(inputs)
    }

    fn input(
        &mut self,
        file: &JobFile,
        archive: ArchiveInput,
        progress: &mut BytesProgress,
    ) -> Result<ManifestInput, Failure> {
        let name = archive.name().to_owned();
        let mut pages = Pages::open(archive, &self.page_options()).map_err(failed)?;
        let columns = pages.columns().clone();
        self.begin(&name, &pages.schema(), &columns)?;
        let bytes = pages.bytes_read();
        let mut rows = 0;
        for batch in pages.by_ref() {
            let batch = self.like_first(&name, batch.map_err(failed)?)?;
            rows += batch.num_rows() as u64;
            let (_, _, of_first) = self.first.as_ref().unwrap_or_else(|| unreachable!("`begin` sets it"));
            for decided in self.job.decide(&batch, of_first).map_err(failed_job)? {
                if let Some(written) = &mut self.writer {
                    written.writer.write(&decided).map_err(failed)?;
                }
            }
            progress.at(&bytes, rows);
        }
        let damaged = pages.damaged();
        Ok(ManifestInput {
            name,
            format: pages.format().to_string(),
            bytes: file.bytes,
            digest: None,
            rows,
            columns: Some(ManifestColumns {
                url: columns.url,
                seen_at: columns.time_source.or(columns.seen_at),
                agent: columns.agent,
            }),
            damaged: damaged.count(),
            damage: damaged.first().iter().map(|damage| (damage.place, damage.problem.clone())).collect(),
        })
    }

    fn page_options(&self) -> PageOptions {
        let args = self.args;
        let mut options = PageOptions::new();
        if let Some(format) = args.input_format {
            options = options.format(format);
        }
        if let Some(column) = &args.url_column {
            options = options.url_column(column);
        }
        if let Some(column) = &args.time_column {
            options = options.time_column(column);
        }
        if let Some(column) = &args.agent_column {
            options = options.agent_column(column);
        }
        options
    }

    /// Takes the columns of the first input, and begins the output.
    fn begin(&mut self, name: &str, schema: &SchemaRef, columns: &PageColumns) -> Result<(), Failure> {
        if self.first.is_some() {
            return Ok(());
        }
        let decided = self.job.schema(schema, columns).map_err(failed_job)?;
        if let Some((format, path)) = self.format.zip(self.args.output.as_ref()) {
            let pending = Pending::create(path)?;
            let writer =
                TableWriter::new(path.to_string_lossy(), pending.file()?, format, decided).map_err(failed)?;
            self.writer = Some(Written { pending, writer });
        }
        self.first = Some((name.to_owned(), schema.clone(), columns.clone()));
        Ok(())
    }

    /// Brings a batch to the columns of the first input. One that is missing is null.
    fn like_first(&self, name: &str, batch: RecordBatch) -> Result<RecordBatch, Failure> {
        let Some((first, schema, _)) = &self.first else { return Ok(batch) };
        if batch.schema_ref() == schema {
            return Ok(batch);
        }
        if let Some(field) = unknown(batch.schema_ref(), schema) {
            return Err(Failure::new(format!(
                "`{name}` has a column `{field}` that `{first}` does not have, and all rows go into one table"
            ))
            .hint("audit inputs with other columns on their own"));
        }
        let columns = schema.fields().iter().map(|field| match batch.column_by_name(field.name()) {
            Some(column) => arrow_cast::cast(column, field.data_type()),
            None => Ok(arrow_array::new_null_array(field.data_type(), batch.num_rows())),
        });
        let columns = columns.collect::<Result<Vec<_>, _>>();
        let nullable: Vec<_> =
            schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true)).collect();
        columns
            .and_then(|columns| RecordBatch::try_new(Arc::new(Schema::new(nullable)), columns))
            .map_err(|error| Failure::new(format!("`{name}` does not fit the columns of `{first}`: {error}")))
    }
}

fn unknown(batch: &Schema, first: &Schema) -> Option<String> {
    let fields = batch.fields().iter().map(|field| field.name());
    fields.filter(|name| first.column_with_name(name).is_none()).map(String::clone).next()
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
