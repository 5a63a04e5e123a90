//! Reads the robots.txt answers of a job from its sources.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use comity::shown::reason;
use comity_answers::shown::count_of;
use comity_formats::{ArchiveFormat, ArchiveInput, CaptureFile, CaptureOptions, Captures};

use crate::answer_sink::AnswerSink;
use crate::context::{BytesProgress, JobContext, Stage};
use crate::error::AuditError;
use crate::input_file::InputFile;
use crate::live::store;
use crate::manifest::ManifestInput;

/// The first bytes of a store, which is an SQLite database.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// Reads the answers of every source, and passes them to `take` batch by batch. Returns the descriptions of the
/// sources.
pub(crate) fn read(
    files: &[InputFile],
    context: &mut JobContext<'_>,
    take: &mut AnswerSink<'_>,
) -> Result<Vec<ManifestInput>, AuditError> {
    let tables = body_tables(files)?;
    let mut progress = BytesProgress::new(Stage::Answers, files.iter().map(|file| file.bytes).sum());
    let mut read = Vec::with_capacity(files.len());
    for file in files.iter().filter(|file| !is_described_by(&tables, file)) {
        match capture_file(file) {
            Some(capture) => read.push(read_file(file, &capture, take)?),
            None if file.begins_with(SQLITE)? => read.push(store::read(file, take)?),
            None => {
                for archive in file.archives()? {
                    read.push(read_archive(file, archive, &mut progress, context, take)?);
                }
            }
        }
        progress.done(context, file.bytes)?;
    }
    warn_of_damage(&read, context);
    Ok(read)
}

/// Warns about inputs with unreadable records.
pub(crate) fn warn_of_damage(inputs: &[ManifestInput], context: &mut JobContext<'_>) {
    for input in inputs.iter().filter(|input| input.damaged > 0) {
        let first = input.damage.first();
        let first = first.map(|(place, problem)| format!(", the first at {place}: {problem}"));
        let records = count_of(input.damaged, "record");
        context.warning(&format!("{}: {records} could not be read{}", input.name, first.unwrap_or_default()));
    }
}

/// Returns the folders with a table that names the files of its bodies.
fn body_tables(files: &[InputFile]) -> Result<Vec<PathBuf>, AuditError> {
    let mut folders = Vec::new();
    for file in files.iter().filter(|file| file.below.is_some() && is_table(&file.name)) {
        let archive = ArchiveInput::file(file.name.clone(), file.open()?);
        // An unreadable file is reported later, when it is read as a source.
        let names_bodies =
            Captures::open(archive, &CaptureOptions::new()).is_ok_and(|table| table.is_manifest());
        folders.extend(file.path().and_then(Path::parent).filter(|_| names_bodies).map(Path::to_owned));
    }
    Ok(folders)
}

fn is_table(name: &str) -> bool {
    use ArchiveFormat::{Csv, JsonLines, Parquet, Tsv};
    matches!(ArchiveFormat::of_name(name), Some(Csv | Tsv | JsonLines | Parquet))
}

/// Returns true for a text file below one of the folders: a table describes it, so it is not a separate source.
fn is_described_by(tables: &[PathBuf], file: &InputFile) -> bool {
    let is_text = file.below.as_ref().is_some_and(|below| below.to_ascii_lowercase().ends_with(".txt"));
    is_text && file.path().is_some_and(|path| tables.iter().any(|folder| path.starts_with(folder)))
}

/// Returns a function that reads files named by a table. They have to be below its folder. Links that lead out of it are
/// rejected, and pipes are not read.
fn body_files(table: &Path) -> impl Fn(&Path, usize) -> io::Result<Vec<u8>> + Send + Sync + use<> {
    let folder = table.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let folder = folder.canonicalize();
    let read = move |below: &Path, most: usize| {
        let folder = folder.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))?;
        let path = folder.join(below).canonicalize()?;
        if !path.starts_with(folder) {
            return Err(io::Error::other("a link leads out of the folder"));
        }
        if !path.metadata()?.is_file() {
            return Err(io::Error::other("it is not a plain file"));
        }
        let mut body = Vec::new();
        File::open(path)?.take(most as u64).read_to_end(&mut body)?;
        Ok(body)
    };
    move |below, most| read(below, most).map_err(|error| io::Error::new(error.kind(), reason(&error)))
}

/// Returns the site and the time in the path of a text file.
fn capture_file(file: &InputFile) -> Option<CaptureFile> {
    let below = file.below.as_deref().unwrap_or(&file.name);
    let is_text = below.to_ascii_lowercase().ends_with(".txt");
    if !is_text {
        return None;
    }
    match &file.below {
        Some(below) => CaptureFile::of_path(below),
        // For a file that is named directly, the last two parts of the path are used.
        None => {
            let parts: Vec<&str> = file.name.split(std::path::MAIN_SEPARATOR).collect();
            CaptureFile::of_path(&parts[parts.len().saturating_sub(2)..].join("/"))
        }
    }
}

/// Reads a text file that is a robots.txt.
fn read_file(
    file: &InputFile,
    capture: &CaptureFile,
    take: &mut AnswerSink<'_>,
) -> Result<ManifestInput, AuditError> {
    /// Maximum number of bytes that are read of a robots.txt: one more than parsers read, so that they notice a longer file.
    const MOST: u64 = 512_001;
    let mut body = Vec::new();
    let opened = file.open()?;
    opened.take(MOST).read_to_end(&mut body).map_err(|error| file.unreadable(error))?;
    let batch = capture.capture(&body, file.changed(), &file.name)?;
    take(&batch, Vec::new())?;
    Ok(ManifestInput {
        name: file.name.clone(),
        format: "robots.txt".to_owned(),
        bytes: file.bytes,
        rows: 1,
        ..ManifestInput::default()
    })
}

/// Reads a WARC file or a table.
fn read_archive(
    file: &InputFile,
    archive: ArchiveInput,
    progress: &mut BytesProgress,
    context: &mut JobContext<'_>,
    take: &mut AnswerSink<'_>,
) -> Result<ManifestInput, AuditError> {
    let name = archive.name().to_owned();
    let mut options = CaptureOptions::new();
    if let Some(path) = file.path() {
        options = options.body_files(body_files(path));
    }
    let mut captures = Captures::open(archive, &options).map_err(AuditError::NoSource)?;
    let bytes = captures.bytes_read();
    let mut rows = 0;
    while let Some(batch) = captures.next() {
        let batch = batch?;
        rows += batch.num_rows() as u64;
        take(&batch, captures.take_tdmrep())?;
        progress.at(context, &bytes, rows)?;
    }
    // Copies of tdmrep.json may follow the last answer.
    take(&RecordBatch::new_empty(Captures::schema()), captures.take_tdmrep())?;
    let damaged = captures.damaged();
    Ok(ManifestInput {
        name,
        format: captures.format().to_string(),
        bytes: file.bytes,
        digest: None,
        rows,
        columns: None,
        times: None,
        damaged: damaged.count(),
        damage: damaged.first().iter().map(|damage| (damage.place, damage.problem.clone())).collect(),
    })
}
