//! Compares a table with its manifest, and the input files with the digests in the manifest.

#![expect(clippy::exhaustive_structs, reason = "plain data")]

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use comity_answers::files::{FileError, shown};
use comity_answers::shown::{count_of, number};
use comity_formats::{ArchiveInput, PageOptions, Pages};
use serde::{Deserialize, Serialize};

use crate::context::{BytesProgress, JobContext, Stage, check};
use crate::error::AuditError;
use crate::input_file::digest;
use crate::manifest::{Manifest, ManifestInput};
use crate::run::{MANIFEST, catalogue_digest, program};

/// A request to compare a table with its manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VerifyRequest {
    /// The manifest.
    pub manifest: PathBuf,
    /// The table; null for the one next to the manifest. The path in the manifest is not used, because it is untrusted.
    pub table: Option<PathBuf>,
    /// True if the inputs and sources that the manifest names are compared, too.
    pub inputs: bool,
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditVerification"))]
pub struct Verification {
    /// The manifest.
    pub manifest: String,
    /// True if nothing differs and nothing is missing.
    pub is_verified: bool,
    /// The comparisons.
    pub checks: Vec<VerifiedItem>,
}

/// A comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditCheck"))]
pub struct VerifiedItem {
    /// The name of a file, or `table`, `rows`, `counts`, `program`, `catalogue`.
    pub item: String,
    /// The outcome.
    pub outcome: CheckOutcome,
    /// The outcome in words.
    pub message: String,
}

comity::words! {
    /// The outcome of a comparison.
    #[derive(Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum CheckOutcome as "outcome" {
        /// The item matches the manifest.
        Matches = "matches",
        /// The item differs from the manifest.
        Differs = "differs",
        /// The item does not exist, or cannot be read.
        Missing = "missing",
        /// The item is not compared, or its difference does not affect the table.
        Note = "note",
    }
}

/// Maximum size of a manifest in bytes.
const MOST: u64 = 1 << 28;

/// Compares a table with its manifest.
///
/// # Errors
///
/// Returns [`AuditError`] if the manifest cannot be read, if no table is named and the name of the manifest does not
/// contain the name of a table, or if the job was cancelled. A table that differs does not cause an error.
pub fn verify(request: &VerifyRequest, context: &mut JobContext<'_>) -> Result<Verification, AuditError> {
    let manifest = read(&request.manifest)?;
    let mut checks = Checks::default();
    let table = match (&request.table, &manifest.output_digest) {
        (Some(table), _) => Some(table.clone()),
        (None, Some(_)) => Some(table_of(&request.manifest)?),
        (None, None) => None,
    };
    match table {
        Some(table) => checks.table(&table, &manifest, context)?,
        None => checks.add(
            "table",
            CheckOutcome::Missing,
            "the manifest belongs to an audit without a table".into(),
        ),
    }
    checks.counts(&manifest);
    checks.version("program", Some(&manifest.program), &program());
    checks.version("catalogue", manifest.catalogue.as_deref(), &catalogue_digest());
    if request.inputs {
        let mut seen = HashSet::new();
        for input in manifest.inputs.iter().chain(&manifest.robots) {
            checks.input(input, &mut seen, context)?;
        }
    }
    let is_bad = |item: &VerifiedItem| matches!(item.outcome, CheckOutcome::Differs | CheckOutcome::Missing);
    Ok(Verification {
        manifest: shown(&request.manifest),
        is_verified: !checks.0.iter().any(is_bad),
        checks: checks.0,
    })
}

fn read(path: &Path) -> Result<Manifest, AuditError> {
    let (mut json, unread) = (Vec::new(), |error| FileError::read(path, error));
    let file = plain_file(path).map_err(|problem| AuditError::NoManifest(shown(path), problem))?;
    file.take(MOST).read_to_end(&mut json).map_err(unread)?;
    serde_json::from_slice(&json).map_err(|error| AuditError::NoManifest(shown(path), error.to_string()))
}

/// Opens a file if it is plain: a pipe or a device would never end.
fn plain_file(path: &Path) -> Result<File, String> {
    let reason = |error| comity::shown::reason(&error);
    match path.metadata().map_err(reason)?.is_file() {
        true => File::open(path).map_err(reason),
        false => Err("it is not a plain file".to_owned()),
    }
}

/// Returns the table next to a manifest.
fn table_of(manifest: &Path) -> Result<PathBuf, AuditError> {
    let name = manifest.file_name().and_then(|name| name.to_str());
    let name = name.and_then(|name| name.strip_suffix(MANIFEST)).filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| AuditError::TableUnnamed(shown(manifest)))?;
    Ok(manifest.with_file_name(name))
}

#[derive(Default)]
struct Checks(Vec<VerifiedItem>);

impl Checks {
    fn add(&mut self, item: &str, outcome: CheckOutcome, message: String) {
        self.0.push(VerifiedItem { item: item.to_owned(), outcome, message });
    }

    fn table(
        &mut self,
        path: &Path,
        manifest: &Manifest,
        context: &mut JobContext<'_>,
    ) -> Result<(), AuditError> {
        let name = shown(path);
        let Some(expected) = &manifest.output_digest else {
            self.add(&name, CheckOutcome::Missing, "the manifest has no digest of a table".to_owned());
            return Ok(());
        };
        if !self.file(&name, path, expected, context)? {
            return Ok(());
        }
        match rows(path, context)? {
            Ok(rows) if rows == manifest.summary.rows_written => {
                self.add("rows", CheckOutcome::Matches, format!("{} in the table", count_of(rows, "row")));
            }
            Ok(rows) => {
                let written = number(manifest.summary.rows_written);
                let message =
                    format!("{} in the table, and {written} in the manifest", count_of(rows, "row"));
                self.add("rows", CheckOutcome::Differs, message);
            }
            Err(problem) => self.add("rows", CheckOutcome::Missing, problem),
        }
        Ok(())
    }

    /// Compares a file with a digest. Returns true if the file can be read.
    fn file(
        &mut self,
        name: &str,
        path: &Path,
        expected: &str,
        context: &mut JobContext<'_>,
    ) -> Result<bool, AuditError> {
        let file = match plain_file(path) {
            Ok(file) => file,
            Err(problem) => {
                self.add(name, CheckOutcome::Missing, problem);
                return Ok(false);
            }
        };
        let bytes = file.metadata().map(|metadata| metadata.len()).unwrap_or_default();
        let mut progress = BytesProgress::new(Stage::Digests, bytes);
        let failed = |error| FileError::read(path, error).into();
        let found = digest(file, &mut |bytes: &AtomicU64| progress.at(context, bytes, 0), failed)?;
        match found == expected {
            true => self.add(name, CheckOutcome::Matches, format!("its digest is {found}")),
            false => {
                let message = format!("its digest is {found}, and {} in the manifest", cut(expected));
                self.add(name, CheckOutcome::Differs, message);
            }
        }
        Ok(true)
    }

    /// Compares the numbers of a manifest with each other.
    fn counts(&mut self, manifest: &Manifest) {
        let summary = &manifest.summary;
        let read: u64 = manifest.inputs.iter().map(|input| input.rows).fold(0, u64::saturating_add);
        let mut problems = Vec::new();
        if manifest.site.is_none() && read != summary.rows {
            problems.push(format!(
                "the inputs have {} rows, and the summary {}",
                number(read),
                number(summary.rows)
            ));
        }
        for view in &summary.views {
            let total = view.shares.total();
            if total != summary.rows {
                problems.push(format!(
                    "the rows of {} add up to {}, not {}",
                    view.title(),
                    number(total),
                    number(summary.rows)
                ));
            }
        }
        match problems.is_empty() {
            true => self.add("counts", CheckOutcome::Matches, "the counts of the manifest add up".to_owned()),
            false => {
                problems.into_iter().for_each(|problem| self.add("counts", CheckOutcome::Differs, problem))
            }
        }
    }

    /// Compares a version. Another version does not change the table, but a repetition may differ.
    fn version(&mut self, item: &str, known: Option<&str>, own: &str) {
        match known {
            Some(known) if known == own => self.add(item, CheckOutcome::Matches, own.to_owned()),
            Some(known) => {
                let message = format!("{} in the manifest, and {own} here", cut(known));
                self.add(item, CheckOutcome::Note, message);
            }
            None => self.add(item, CheckOutcome::Note, "the manifest does not have it".to_owned()),
        }
    }

    /// Compares an input. `seen` has the files that were compared.
    fn input(
        &mut self,
        input: &ManifestInput,
        seen: &mut HashSet<String>,
        context: &mut JobContext<'_>,
    ) -> Result<(), AuditError> {
        // The name of an archive in a file begins with the name of the file, which may contain the separator itself.
        let files = input.name.match_indices('!').map(|(at, _)| &input.name[..at]);
        let name = std::iter::once(&*input.name).chain(files).find(|name| Path::new(name).is_file());
        let name = name.unwrap_or(&input.name);
        if !seen.insert(name.to_owned()) {
            return Ok(());
        }
        match &input.digest {
            Some(_) if name == "-" => {
                self.add(name, CheckOutcome::Note, "it was standard input".to_owned());
            }
            Some(expected) => {
                self.file(name, Path::new(name), expected, context)?;
            }
            None => self.add(name, CheckOutcome::Note, "the manifest has no digest of it".to_owned()),
        }
        Ok(())
    }
}

/// Returns the number of rows of a table, or the reason why they cannot be read.
fn rows(path: &Path, context: &JobContext<'_>) -> Result<Result<u64, String>, AuditError> {
    let opened = File::open(path).map_err(|error| FileError::read(path, error))?;
    let pages =
        Pages::open(ArchiveInput::file(shown(path), opened), &PageOptions::new().max_record_bytes(1 << 30));
    let mut pages = match pages {
        Ok(pages) => pages,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let mut rows = 0;
    for batch in pages.by_ref() {
        check(context.cancel)?;
        match batch {
            Ok(batch) => rows += batch.num_rows() as u64,
            Err(error) => return Ok(Err(error.to_string())),
        }
    }
    match pages.damaged().first().first() {
        Some(damage) => Ok(Err(format!("the table is damaged at {}: {}", damage.place, damage.problem))),
        None => Ok(Ok(rows)),
    }
}

/// Returns an untrusted text of a manifest in a form for messages.
fn cut(text: &str) -> String {
    comity::shown::bytes(crate::cut::cut(text, 200).as_bytes()).into_owned()
}
