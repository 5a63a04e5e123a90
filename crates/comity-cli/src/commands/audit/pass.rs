//! The pass over the inputs of an audit: at once, part by part, or, where the answers do not fit into memory, by way of files.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use comity_audit::{
    AnswerTables, AuditJob, Checkpoint, ManifestColumns, ManifestInput, PageSignals, PartDone, SpilledPages,
    UnansweredSites,
};
use comity_formats::{
    ArchiveFormat, ArchiveInput, PageColumns, PageOptions, PageStatements, Pages, TableFormat,
};

use super::args::{AsOf, AuditRunArgs};
use super::failures::{failed, failed_job};
use super::inputs::{JobFile, STORE};
use super::progress::BytesProgress;
use super::read_ahead::{PageBatch, ReadAhead};
use super::result::beside;
use super::robots;
use super::sink::Sink;
use crate::exit::Failure;
use crate::output::Output;
use crate::render;

/// The pass over all inputs.
pub(super) struct Pass<'a> {
    args: &'a AuditRunArgs,
    pub(super) job: AuditJob,
    signals: PageSignals,
    /// Whether rows have columns for what pages say: the first input decides.
    has_signals: bool,
    /// The columns of the first input, which those of all others are brought to.
    first: Option<First>,
    pub(super) tables: AnswerTables,
    /// The folder for what does not fit into memory.
    scratch: PathBuf,
    /// The pages that wait for their answers, where these did not fit into memory.
    spilled: Option<SpilledPages>,
    pub(super) sink: Sink,
}

/// The first input.
struct First {
    name: String,
    schema: SchemaRef,
    columns: PageColumns,
}

/// Inputs whose answers did not fit into memory are taken together until they have so many bytes.
const PART: u64 = 1 << 30;

impl<'a> Pass<'a> {
    /// Prepares a pass. `scratch` is the folder for what does not fit into memory.
    pub(super) fn new(
        args: &'a AuditRunArgs,
        job: AuditJob,
        signals: PageSignals,
        tables: AnswerTables,
        scratch: PathBuf,
    ) -> Pass<'a> {
        Pass {
            args,
            job,
            signals,
            has_signals: false,
            first: None,
            tables,
            scratch,
            spilled: None,
            sink: Sink::Nowhere,
        }
    }

    /// Reads all inputs into the output.
    pub(super) fn at_once(
        &mut self,
        files: &[JobFile],
        format: Option<TableFormat>,
        output: &mut Output,
    ) -> Result<Vec<ManifestInput>, Failure> {
        let decided = self.begin(files)?;
        let Some((format, path)) = format.zip(self.args.output.as_ref()) else {
            return self.read(files, output);
        };
        self.sink = Sink::open(path, format, decided)?;
        self.read(files, output)
    }

    /// Reads the inputs that are not done yet, each into a part of its own, and then all parts into the output.
    pub(super) fn in_parts(
        &mut self,
        files: &[JobFile],
        checkpoint: &Checkpoint,
        format: Option<TableFormat>,
        output: &mut Output,
    ) -> Result<Vec<ManifestInput>, Failure> {
        let Some((format, path)) = format.zip(self.args.output.as_ref()) else {
            return Err(Failure::new("--resume needs an --output"));
        };
        let decided = self.begin(files)?;
        let is_whole = self.tables.single().is_some();
        let (mut inputs, mut totals, mut done) = (Vec::new(), Vec::new(), 0);
        let parts = files.chunk_by({
            let mut bytes = 0;
            move |one, _| {
                bytes += one.bytes;
                let is_one = !is_whole && bytes < PART;
                bytes = if is_one { bytes } else { 0 };
                is_one
            }
        });
        let parts: Vec<&[JobFile]> = parts.collect();
        for (number, files) in parts.iter().enumerate() {
            let as_they_are = files_text(files);
            let part = match checkpoint.done(number, &as_they_are).map_err(failed_job)? {
                Some(part) => {
                    done += part.inputs.len();
                    part
                }
                None => {
                    self.sink = Sink::Part(checkpoint.begin(number, &decided).map_err(failed_job)?);
                    let mut read = self.read(files, output)?;
                    add_digests(files, &mut read)?;
                    let Sink::Part(rows) = std::mem::replace(&mut self.sink, Sink::Nowhere) else { continue };
                    let done = PartDone::new(as_they_are, read, self.job.take_totals());
                    checkpoint.end(number, rows, done).map_err(failed_job)?
                }
            };
            inputs.extend(part.inputs);
            totals.push(part.totals);
        }
        if done > 0 {
            output.note(&format!("{} done before", render::count_of(done as u64, "input")));
        }
        self.sink = Sink::open(path, format, decided)?;
        for number in 0..parts.len() {
            for batch in checkpoint.rows(number).map_err(failed_job)? {
                self.sink.write(batch.map_err(failed_job)?)?;
            }
        }
        totals.into_iter().for_each(|totals| self.job.add_totals(totals));
        Ok(inputs)
    }

    /// Takes the columns of the first input. Returns those of the rows that come out.
    fn begin(&mut self, files: &[JobFile]) -> Result<SchemaRef, Failure> {
        let Some(archive) =
            files.first().map(JobFile::archives).transpose()?.and_then(|all| all.into_iter().next())
        else {
            return Err(Failure::new("there is no input"));
        };
        let name = archive.name().to_owned();
        let pages = Pages::open(archive, &page_options(self.args)).map_err(failed)?;
        let (schema, columns) = (pages.schema(), pages.columns().clone());
        self.has_signals = self.args.usage && pages.format() == ArchiveFormat::Warc;
        let with_signals = match self.has_signals {
            true => self.signals.schema(&schema).map_err(failed_job)?,
            false => schema.clone(),
        };
        let decided = self.job.schema(&with_signals, &columns).map_err(failed_job)?;
        self.first = Some(First { name, schema, columns });
        Ok(decided)
    }

    /// Reads inputs and writes their rows.
    fn read(&mut self, files: &[JobFile], output: &mut Output) -> Result<Vec<ManifestInput>, Failure> {
        if self.tables.single().is_none() {
            self.spilled = Some(SpilledPages::new(&self.scratch).map_err(failed_job)?);
        }
        let mut progress = BytesProgress::new(files, "pages", output);
        let mut inputs = Vec::with_capacity(files.len());
        for file in files {
            for archive in file.archives()? {
                inputs.push(self.input(file, archive, &mut progress)?);
            }
            progress.done(file.bytes);
        }
        drop(progress);
        if self.args.as_of() != AsOf::Now {
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
        self.decide_spilled(output)?;
        Ok(inputs)
    }

    /// Decides the pages that wait for their answers.
    fn decide_spilled(&mut self, output: &mut Output) -> Result<(), Failure> {
        let (Some(spilled), Some(first)) = (self.spilled.take(), &self.first) else { return Ok(()) };
        let progress = output.progress(None, "pages decided");
        let done = |rows| progress.at(rows);
        let rows =
            spilled.decide(&mut self.job, &mut self.tables, &first.columns, done).map_err(failed_job)?;
        for batch in rows {
            self.sink.write(batch.map_err(failed_job)?)?;
        }
        Ok(())
    }

    /// Decides a batch of pages and writes its rows, or lays it by until all answers are known.
    fn batch(
        &mut self,
        name: &str,
        batch: RecordBatch,
        statements: &[PageStatements],
    ) -> Result<(), Failure> {
        let Some(first) = &self.first else { return Ok(()) };
        let batch = first.brought_to(name, batch)?;
        let batch = match self.has_signals {
            true => self.signals.add(&batch, &first.columns, statements).map_err(failed_job)?,
            false => batch,
        };
        if let Some(spilled) = &mut self.spilled {
            return spilled.add(&batch, &first.columns).map_err(failed_job);
        }
        for decided in self.job.decide(&batch, &first.columns).map_err(failed_job)? {
            self.sink.write(decided)?;
        }
        Ok(())
    }

    fn input(
        &mut self,
        file: &JobFile,
        archive: ArchiveInput,
        progress: &mut BytesProgress,
    ) -> Result<ManifestInput, Failure> {
        let name = archive.name().to_owned();
        let pages = Pages::open(archive, &page_options(self.args)).map_err(failed)?;
        let columns = pages.columns().clone();
        let bytes = pages.bytes_read();
        let mut rows = 0;
        let mut read = ReadAhead::begin(pages)?;
        for batch in read.by_ref() {
            let PageBatch { rows: batch, statements } = batch.map_err(failed)?;
            rows += batch.num_rows() as u64;
            self.batch(&name, batch, &statements)?;
            progress.at(&bytes, rows);
        }
        let pages = read.end()?;
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
                join_keys: columns.join_keys,
            }),
            damaged: damaged.count(),
            damage: damaged.first().iter().map(|damage| (damage.place, damage.problem.clone())).collect(),
        })
    }
}

/// Collects the sites of all inputs that no source has an answer of.
pub(super) fn collect_sites(
    args: &AuditRunArgs,
    files: &[JobFile],
    sites: &mut UnansweredSites,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut progress = BytesProgress::new(files, "pages looked at for their sites", output);
    let options = page_options(args).statements(false).join_keys(false);
    for file in files {
        for archive in file.archives()? {
            let mut pages = Pages::open(archive, &options).map_err(failed)?;
            let (columns, bytes) = (pages.columns().clone(), pages.bytes_read());
            let mut rows = 0;
            // What cannot be read is counted when the pages are decided.
            for batch in pages.by_ref() {
                let batch = batch.map_err(failed)?;
                rows += batch.num_rows() as u64;
                sites.add_pages(&batch, &columns).map_err(failed_job)?;
                progress.at(&bytes, rows);
                if sites.is_full() {
                    return Ok(());
                }
            }
        }
        progress.done(file.bytes);
    }
    Ok(())
}

fn page_options(args: &AuditRunArgs) -> PageOptions {
    let mut options = PageOptions::new().statements(args.usage).join_keys(args.join_keys);
    if let Some(crawl) = &args.crawl {
        options = options.crawl(crawl);
    }
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

impl First {
    /// Brings a batch to the columns of the first input. One that is missing is null.
    fn brought_to(&self, name: &str, batch: RecordBatch) -> Result<RecordBatch, Failure> {
        let First { name: first, schema, .. } = self;
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

/// Adds the digests of files to what was read of them.
pub(super) fn add_digests(files: &[JobFile], read: &mut [ManifestInput]) -> Result<(), Failure> {
    for file in files {
        // The archives in a file are named after it.
        let is_in = |name: &str| {
            name.strip_prefix(&*file.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('!'))
        };
        // A store changes while it is read, and what its users wrote last stands beside it.
        let has_digest = |read: &&mut ManifestInput| read.digest.is_none() && read.format != STORE;
        let mut missing = read.iter_mut().filter(has_digest).filter(|read| is_in(&read.name)).peekable();
        if missing.peek().is_some() {
            let digest = file.digest()?;
            missing.for_each(|read| read.digest = Some(digest.clone()));
        }
    }
    Ok(())
}

/// Opens what is done of a job that may be stopped. No other job can open it until this one ends.
pub(super) fn checkpoint(
    args: &AuditRunArgs,
    files: &[JobFile],
    sources: &[JobFile],
) -> Result<Option<Checkpoint>, Failure> {
    let Some(path) = args.output.as_ref().filter(|_| args.resume) else { return Ok(None) };
    let job = job_text(args, files, sources)?;
    Checkpoint::open(&beside(path, ".parts"), &job).map(Some).map_err(failed_job)
}

/// What a job asks and by which answers, so that its parts are never mixed with those of another.
fn job_text(args: &AuditRunArgs, files: &[JobFile], sources: &[JobFile]) -> Result<String, Failure> {
    if files.iter().chain(sources).any(|file| file.name == "-") {
        return Err(Failure::new("standard input cannot be resumed: it comes once")
            .hint("write it to a file and name the file"));
    }
    let whom = format!("{:?}", (&args.whom, &args.agent_column));
    let how = format!("{:?}", (args.preset, args.reading.dialect, args.as_of(), args.nearest, args.usage));
    let live = args.live.then_some(args.live_limit);
    let rows =
        format!("{:?}", (&args.columns, &args.prefix, &args.rows, args.only, args.join_keys, &args.crawl));
    let read = format!("{:?}", (&args.url_column, &args.time_column, args.input_format));
    let job = (env!("COMITY_VERSION"), whom, how, live, rows, read, files_text(sources));
    Ok(serde_json::to_string(&job)?)
}

/// Files with their sizes and times.
fn files_text(files: &[JobFile]) -> String {
    let known: Vec<_> = files.iter().map(|file| (&file.name, file.bytes, file.changed())).collect();
    format!("{known:?}")
}
