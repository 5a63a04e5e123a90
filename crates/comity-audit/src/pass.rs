//! The pass over the inputs of an audit: in one run, in parts, or through temporary files if the answers do not fit
//! into memory.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use arrow_array::RecordBatch;
use comity_answers::shown::count_of;
use comity_formats::{PageStatements, Pages, TableFormat};

use crate::answers::AnswerTables;
use crate::audit::AuditJob;
use crate::captures::warn_of_damage;
use crate::checkpoint::{Checkpoint, PartDone};
use crate::context::{BytesProgress, JobContext, Stage, check};
use crate::error::AuditError;
use crate::first_input::FirstInput;
use crate::input_file::{InputFile, STORE};
use crate::manifest::{ManifestColumns, ManifestInput, ManifestTimes};
use crate::options::Moment;
use crate::read_ahead::{PageBatch, ReadAhead};
use crate::request::AuditRequest;
use crate::signals::PageSignals;
use crate::sink::Sink;
use crate::sites::UnansweredSites;
use crate::spill::SpilledPages;

/// The pass over all inputs.
pub(crate) struct Pass<'a> {
    request: &'a AuditRequest,
    pub(crate) job: AuditJob,
    signals: PageSignals,
    /// The columns of the first input. The columns of all other inputs are converted to them.
    first: FirstInput,
    pub(crate) tables: AnswerTables,
    /// The folder for scratch files.
    scratch: PathBuf,
    /// The pages that wait for their answers, if the answers do not fit into memory.
    spilled: Option<SpilledPages>,
    pub(crate) sink: Sink,
}

/// Minimum size in bytes of a group of inputs that is processed as one part, if the answers do not fit into memory.
const PART: u64 = 1 << 30;

impl<'a> Pass<'a> {
    /// Creates a pass. `scratch` is the folder for scratch files.
    pub(crate) fn new(
        request: &'a AuditRequest,
        job: AuditJob,
        signals: PageSignals,
        first: FirstInput,
        tables: AnswerTables,
        scratch: PathBuf,
    ) -> Pass<'a> {
        Pass { request, job, signals, first, tables, scratch, spilled: None, sink: Sink::Nowhere }
    }

    /// Processes all inputs into the output.
    pub(crate) fn at_once(
        &mut self,
        inputs: &[PartInput<'_>],
        format: Option<TableFormat>,
        context: &mut JobContext<'_>,
    ) -> Result<Vec<ManifestInput>, AuditError> {
        let decided = self.first.rows_schema(&self.job, &self.signals)?;
        let Some((format, path)) = format.zip(self.request.output.as_ref()) else {
            return self.read(inputs, context);
        };
        self.sink = Sink::open(path, format, decided)?;
        self.read(inputs, context)
    }

    /// Processes the unfinished parts, and then writes the rows of all parts to the output.
    pub(crate) fn in_parts(
        &mut self,
        inputs: &[PartInput<'_>],
        checkpoint: &Checkpoint,
        format: Option<TableFormat>,
        context: &mut JobContext<'_>,
    ) -> Result<Vec<ManifestInput>, AuditError> {
        let Some((format, path)) = format.zip(self.request.output.as_ref()) else {
            return Err(AuditError::ResumeWithoutOutput);
        };
        let decided = self.first.rows_schema(&self.job, &self.signals)?;
        let is_whole = self.tables.single().is_some();
        let (mut read, mut totals, mut done) = (Vec::new(), Vec::new(), 0);
        let parts = inputs.chunk_by({
            let mut bytes = 0;
            move |one, next| {
                bytes += one.bytes;
                let are_whole = one.groups.is_none() && next.groups.is_none();
                let is_one = !is_whole && are_whole && bytes < PART;
                bytes = if is_one { bytes } else { 0 };
                is_one
            }
        });
        let parts: Vec<&[PartInput<'_>]> = parts.collect();
        for (number, inputs) in parts.iter().enumerate() {
            let as_they_are = parts_text(inputs);
            let part = match checkpoint.done(number, &as_they_are)? {
                Some(part) => {
                    done += part.inputs.len();
                    part
                }
                None => {
                    self.sink = Sink::Part(Box::new(checkpoint.begin(number, &decided)?));
                    let read = self.read(inputs, context)?;
                    let Sink::Part(rows) = std::mem::replace(&mut self.sink, Sink::Nowhere) else { continue };
                    let done = PartDone::new(as_they_are, read, self.job.take_totals());
                    checkpoint.end(number, *rows, done)?
                }
            };
            // Row groups of one file are one input.
            let continues = inputs.first().is_some_and(PartInput::is_continued);
            match read.last_mut().filter(|_| continues) {
                Some(known) => part.inputs.into_iter().for_each(|more| ManifestInput::join(known, more)),
                None => read.extend(part.inputs),
            }
            totals.push(part.totals);
        }
        if done > 0 {
            let unit = if inputs.iter().any(|input| input.groups.is_some()) { "part" } else { "input" };
            context.note(&format!("{} finished by an earlier run", count_of(done as u64, unit)));
        }
        self.sink = Sink::open(path, format, decided)?;
        for number in 0..parts.len() {
            for batch in checkpoint.rows(number)? {
                check(context.cancel)?;
                self.sink.write(batch?)?;
            }
        }
        totals.into_iter().for_each(|totals| self.job.add_totals(totals));
        Ok(read)
    }

    /// Processes inputs and writes their rows.
    fn read(
        &mut self,
        parts: &[PartInput<'_>],
        context: &mut JobContext<'_>,
    ) -> Result<Vec<ManifestInput>, AuditError> {
        if self.tables.single().is_none() {
            self.spilled = Some(SpilledPages::new(&self.scratch)?);
        }
        let mut progress = BytesProgress::new(Stage::Pages, parts.iter().map(|part| part.bytes).sum());
        let mut inputs = Vec::with_capacity(parts.len());
        for part in parts {
            let mut options = self.request.page_options()?;
            if let Some(groups) = &part.groups {
                options = options.row_groups(groups.clone());
            }
            for archive in part.file.archives()? {
                let name = archive.name().to_owned();
                let pages = Pages::open(archive, &options)?;
                inputs.push(self.input(part.file, name, pages, &mut progress, context)?);
            }
            progress.done(context, part.bytes)?;
        }
        if self.job.moments().contains(&Moment::Seen) {
            inputs.iter().for_each(|input| warn_of_missing_times(input, context));
        }
        warn_of_damage(&inputs, context);
        self.decide_spilled(context)?;
        Ok(inputs)
    }

    /// Decides the pages that wait for their answers.
    fn decide_spilled(&mut self, context: &mut JobContext<'_>) -> Result<(), AuditError> {
        let Some(spilled) = self.spilled.take() else { return Ok(()) };
        let cancel = context.cancel;
        let done = |rows| context.progress(Stage::Deciding, rows, None);
        for batch in spilled.decide(&mut self.job, &mut self.tables, self.first.columns(), done)? {
            check(cancel)?;
            self.sink.write(batch?)?;
        }
        Ok(())
    }

    /// Decides a batch of pages and writes its rows, or stores it until all answers are known.
    fn batch(
        &mut self,
        name: &str,
        batch: RecordBatch,
        statements: &[PageStatements],
    ) -> Result<(), AuditError> {
        let first = &self.first;
        let batch = first.convert(name, batch)?;
        let batch = match first.has_signals() {
            true => self.signals.add(&batch, first.columns(), statements)?,
            false => batch,
        };
        if let Some(spilled) = &mut self.spilled {
            return spilled.add(&batch, first.columns());
        }
        for decided in self.job.decide(&batch, first.columns())? {
            self.sink.write(decided)?;
        }
        Ok(())
    }

    fn input(
        &mut self,
        file: &InputFile,
        name: String,
        pages: Pages,
        progress: &mut BytesProgress,
        context: &mut JobContext<'_>,
    ) -> Result<ManifestInput, AuditError> {
        let columns = pages.columns().clone();
        let bytes = pages.bytes_read();
        let mut rows = 0;
        let mut read = ReadAhead::begin(pages)?;
        for batch in read.by_ref() {
            let PageBatch { rows: batch, statements } = batch?;
            rows += batch.num_rows() as u64;
            self.batch(&name, batch, &statements)?;
            progress.at(context, &bytes, rows)?;
        }
        let pages = read.end()?;
        let (damaged, times) = (pages.damaged(), pages.missing_times());
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
            times: Some(ManifestTimes {
                missing: times.missing,
                unreadable: times.unreadable,
                example: times.example.clone(),
            }),
            damaged: damaged.count(),
            damage: damaged.first().iter().map(|damage| (damage.place, damage.problem.clone())).collect(),
        })
    }
}

/// Collects the sites of all inputs without an answer in the sources.
pub(crate) fn collect_sites(
    request: &AuditRequest,
    files: &[InputFile],
    sites: &mut UnansweredSites,
    context: &mut JobContext<'_>,
) -> Result<(), AuditError> {
    let mut progress = BytesProgress::new(Stage::Sites, files.iter().map(|file| file.bytes).sum());
    let options = request.page_options()?.statements(false).join_keys(false);
    for file in files {
        for archive in file.archives()? {
            let mut pages = Pages::open(archive, &options)?;
            let (columns, bytes) = (pages.columns().clone(), pages.bytes_read());
            let mut rows = 0;
            // Unreadable records are counted when the pages are decided.
            for batch in pages.by_ref() {
                let batch = batch?;
                rows += batch.num_rows() as u64;
                sites.add_pages(&batch, &columns)?;
                progress.at(context, &bytes, rows)?;
                if sites.is_full() {
                    return Ok(());
                }
            }
        }
        progress.done(context, file.bytes)?;
    }
    Ok(())
}

/// An input, or some row groups of a Parquet file.
pub(crate) struct PartInput<'f> {
    file: &'f InputFile,
    /// The row groups; `None` for the whole file.
    groups: Option<Range<usize>>,
    bytes: u64,
}

impl PartInput<'_> {
    /// Returns whether earlier row groups of the file are another part.
    fn is_continued(&self) -> bool {
        self.groups.as_ref().is_some_and(|groups| groups.start > 0)
    }
}

/// Minimum stored size in bytes of the row groups that are processed as one part.
const GROUPS: u64 = 16 << 20;

/// Returns the inputs of a job. With `is_resumed`, large Parquet files are several inputs. `row_groups` has the stored sizes of
/// the row groups of each file.
pub(crate) fn part_inputs<'f>(
    files: &'f [InputFile],
    row_groups: &[Vec<u64>],
    is_resumed: bool,
) -> Vec<PartInput<'f>> {
    let mut parts = Vec::with_capacity(files.len());
    for (file, sizes) in files.iter().zip(row_groups) {
        let (mut first, mut bytes) = (0, 0);
        for (number, size) in sizes.iter().enumerate().filter(|_| is_resumed) {
            bytes += size;
            let is_last = number + 1 == sizes.len();
            if (bytes >= GROUPS && !is_last) || (is_last && first > 0) {
                parts.push(PartInput { file, groups: Some(first..number + 1), bytes });
                (first, bytes) = (number + 1, 0);
            }
        }
        if first == 0 {
            parts.push(PartInput { file, groups: None, bytes: file.bytes });
        }
    }
    parts
}

/// Warns about rows without a readable time.
fn warn_of_missing_times(input: &ManifestInput, context: &mut JobContext<'_>) {
    let Some(times) = input.times.as_ref().filter(|times| times.missing + times.unreadable > 0) else {
        return;
    };
    let has_column = input.columns.as_ref().is_some_and(|columns| columns.seen_at.is_some());
    let missing = count_of(times.missing, "row");
    let unreadable = count_of(times.unreadable, "row");
    if !has_column {
        let message = format!(
            "{}: no column has the time of a page, so the verdict is unknown for {missing}",
            input.name
        );
        context.warning_about(&message, "time_column");
    } else if times.missing > 0 {
        context.warning(&format!("{}: the verdict is unknown for {missing} without a time", input.name));
    }
    if times.unreadable > 0 {
        let example = comity::shown::bytes(times.example.as_deref().unwrap_or_default().as_bytes());
        let message = format!(
            "{}: the verdict is unknown for {unreadable} with a time that cannot be read, such as `{example}`",
            input.name
        );
        context.warning_about(&message, "time_format");
    }
}

/// Adds the digests of files to their descriptions.
pub(crate) fn add_digests(
    files: &[InputFile],
    read: &mut [ManifestInput],
    context: &mut JobContext<'_>,
) -> Result<(), AuditError> {
    let mut progress = BytesProgress::new(Stage::Digests, files.iter().map(|file| file.bytes).sum());
    for file in files {
        // The names of archives in a file begin with the name of the file.
        let is_in = |name: &str| {
            name.strip_prefix(&*file.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('!'))
        };
        // A store changes while it is read, and its latest entries are in a separate file.
        let has_digest = |read: &&mut ManifestInput| read.digest.is_none() && read.format != STORE;
        let mut missing = read.iter_mut().filter(has_digest).filter(|read| is_in(&read.name)).peekable();
        if missing.peek().is_some() {
            let digest = file.digest(&mut |bytes| progress.at(context, bytes, 0))?;
            missing.for_each(|read| read.digest = Some(digest.clone()));
        }
        progress.done(context, file.bytes)?;
    }
    Ok(())
}

/// Opens the checkpoint of a job whose run started at `started`. No other job can open it until this one ends.
pub(crate) fn checkpoint(
    request: &AuditRequest,
    files: &[InputFile],
    sources: &[InputFile],
    started: SystemTime,
) -> Result<Option<Checkpoint>, AuditError> {
    let Some(path) = request.output.as_ref().filter(|_| request.resume) else { return Ok(None) };
    if files.iter().chain(sources).any(|file| file.name == "-") {
        return Err(AuditError::ResumeStandardInput);
    }
    // The parts of jobs with other requests or other answers are never mixed.
    let asked = AuditRequest {
        inputs: Vec::new(),
        robots: Vec::new(),
        output: None,
        report: None,
        memory: None,
        fail_if: Vec::new(),
        ..request.clone()
    };
    let job = (env!("CARGO_PKG_VERSION"), asked, files_text(sources));
    let job = serde_json::to_string(&job).map_err(io::Error::from).map_err(AuditError::Scratch)?;
    Checkpoint::open(&beside(path, ".parts"), &job, started).map(Some)
}

/// Returns a path with a suffix added to its name.
pub(crate) fn beside(output: &Path, ending: &str) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Returns a text with inputs and the state of their files.
fn parts_text(parts: &[PartInput<'_>]) -> String {
    let state = |part: &PartInput<'_>| (files_text(std::slice::from_ref(part.file)), part.groups.clone());
    format!("{:?}", parts.iter().map(state).collect::<Vec<_>>())
}

/// Returns a text with files, their sizes and their times of change.
fn files_text(files: &[InputFile]) -> String {
    let known: Vec<_> = files.iter().map(|file| (&file.name, file.bytes, file.changed())).collect();
    format!("{known:?}")
}
