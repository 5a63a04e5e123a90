//! Hints for errors of jobs. The hints name flags of the command.

use comity_audit::AuditError;
use comity_formats::{ArchiveError, TableFormat};

use crate::exit::Failure;
use crate::render;
use crate::sites::failure::SiteFailure;

/// Converts an error of a job to a failure with a hint.
pub(super) fn failure(error: AuditError) -> Failure {
    let hint = match error {
        AuditError::Cancelled => return Failure::Interrupted,
        AuditError::File(error) => return error.into(),
        AuditError::Site { url, cause } => return SiteFailure::new(&url, &cause).failure(),
        AuditError::Archive(ArchiveError::NoColumn { ref present, .. })
            if present.len() == 1 && present.iter().any(|name| name.contains([';', '|', '\t'])) =>
        {
            "name the character between the fields by --delimiter"
        }
        AuditError::Archive(ArchiveError::NoColumn { .. }) => {
            "name the column by --url-column, --time-column or --agent-column"
        }
        AuditError::NameTaken(_) | AuditError::SamePrefix(_) => {
            "name another prefix for the added columns: --prefix"
        }
        AuditError::OtherJob(_) => "delete the folder, or write to another output",
        AuditError::InUse(_) => "wait until it ends, or write to another output",
        AuditError::NoAgent => {
            "name a crawler by --agent, all crawlers of a purpose by --purpose, or a column by --agent-column"
        }
        AuditError::NotPlain(_) => "read the pipe through standard input, as `-`",
        AuditError::EmptyFolder(_) => {
            "name a folder with Parquet, CSV, TSV, JSON Lines, CDX, WARC, WACZ or .txt files"
        }
        AuditError::ResumeStandardInput => "write it to a file and name the file",
        AuditError::UnreadableStore(_) => {
            "name the file of the store: its latest entries are in a second file next to it"
        }
        AuditError::NoManifest(..) => {
            "`comity audit run` writes the manifest next to its output: OUTPUT.manifest.json"
        }
        AuditError::TableUnnamed(_) => "name the table by --table",
        AuditError::Changed(_) => "audit a copy that nothing writes to",
        AuditError::SameFile => "name two files: --output and --report",
        AuditError::OtherColumns { .. } => "audit inputs with other columns in a separate run",
        AuditError::NoSource(_) => {
            "a source of robots.txt answers is a WARC file, a table with columns such as key, status and body or body_file, \
             a store (`robots.db`), or a text file whose path names its site: `example.com.txt`, `example.com/robots.txt`"
        }
        AuditError::NoAnswers => {
            "a WARC file contains robots.txt answers if the crawler requested and archived robots.txt; Common Crawl archives \
             them in its `robotstxt` files"
        }
        AuditError::OutputFormat(_) => {
            let known = render::list(&TableFormat::ENDINGS);
            return Failure::new(error.to_string()).hint(format!("name a file that ends in {known}"));
        }
        _ => return Failure::new(error.to_string()),
    };
    Failure::new(error.to_string()).hint(hint)
}
