//! `comity audit index`: robots.txt answers of archives, with their history, as one table.

use comity_answers::schema::RowSchema;
use std::io::Write;

use comity_audit::{AnswersSummary, AuditError, ManifestInput, RobotsAnswers};
use comity_formats::{ArchiveError, CaptureIndexWriter};
use serde::Serialize;

use super::args::AuditIndexArgs;
use super::inputs;
use super::{robots, text};
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render;
use crate::write_file::Pending;

/// What an index holds.
#[derive(Serialize, schemars::JsonSchema)]
struct Indexed<'a> {
    /// The file that was written.
    output: String,
    /// The size of the file.
    bytes: u64,
    /// The number of rows.
    rows: u64,
    /// The answers, in numbers.
    answers: &'a AnswersSummary,
    /// The files that were read.
    sources: &'a [ManifestInput],
}

pub(crate) const SCHEMA: RowSchema =
    RowSchema::new::<Indexed<'static>>("audit-index", "what `comity audit index` prints");

/// Writes the index.
pub(super) fn run(args: &AuditIndexArgs, output: &mut Output) -> Result<Exit, Failure> {
    let sources = inputs::files(&args.sources, args.files_from.as_deref())?;
    if let Some(source) = sources.iter().find(|source| source.is(&args.output)) {
        return Err(Failure::new(format!("`{}` is a source and cannot be the index", source.name)));
    }
    let name = render::text(args.output.as_os_str().as_encoded_bytes()).into_owned();
    let pending = Pending::create(&args.output)?;
    let failed = |error: ArchiveError| Failure::new(error.to_string());
    let mut writer = CaptureIndexWriter::new(&name, pending.file()?).map_err(failed)?;
    let mut answers = RobotsAnswers::new();
    let read = robots::read(&sources, output, |batch, _| {
        answers.add(batch).map_err(|error| Failure::new(error.to_string()))?;
        writer.write(batch).map_err(failed)
    })?;
    let rows = writer.finish().map_err(failed)?;
    if rows == 0 {
        return Err(Failure::new("the sources hold no answer to a request for robots.txt").hint(
            "a WARC file holds some if the crawler asked for robots.txt and kept the answers; Common Crawl has them in its \
             `robotstxt` files",
        ));
    }
    let bytes = pending.finish()?;
    let failed = |error: AuditError| Failure::new(error.to_string());
    let mut tables = answers.into_tables().map_err(failed)?;
    let answers = tables.summary().map_err(failed)?;
    if args.format.is_json() {
        output.json_line(&Indexed { output: name, bytes, rows, answers, sources: &read })?;
    } else if !args.quiet {
        writeln!(output, "{}", text::answers(answers))?;
        writeln!(output, "{name}: {}, {}", render::count_of(rows, "row"), render::bytes(bytes))?;
    }
    Ok(Exit::Success)
}
