//! Ways out of job errors, in terms of the command's flags.

use comity_audit::AuditError;
use comity_formats::{ArchiveError, TableFormat};

use crate::exit::Failure;
use crate::render;
use crate::sites::failure::SiteFailure;

/// Returns a job error as a failure with its way out.
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
            "let the names of new columns begin differently: --prefix"
        }
        AuditError::OtherJob(_) => "delete the folder, or write to another output",
        AuditError::InUse(_) => "wait until it ends, or write to another output",
        AuditError::NoAgent => {
            "name a crawler by --agent, all of a purpose by --purpose, or a column by --agent-column"
        }
        AuditError::NotPlain(_) => "give what comes from a pipe by standard input, as `-`",
        AuditError::EmptyFolder(_) => {
            "Parquet, CSV, TSV, JSON Lines, CDX, WARC and WACZ files are looked for, and .txt files"
        }
        AuditError::ResumeStandardInput => "write it to a file and name the file",
        AuditError::UnreadableStore(_) => {
            "name the file: what its users wrote last stands in a file beside it"
        }
        AuditError::NoManifest(..) => {
            "it stands beside the output of `comity audit run`: OUTPUT.manifest.json"
        }
        AuditError::TableUnnamed(_) => "name the table by --table",
        AuditError::Changed(_) => "audit a copy that nothing writes to",
        AuditError::SameFile => "name two files: --output and --report",
        AuditError::OtherColumns { .. } => "audit inputs with other columns on their own",
        AuditError::NoSource(_) => {
            "a source of robots.txt answers is a WARC file, a table with columns such as key, status and body or body_file, \
             a store (`robots.db`), or a text file whose path names its site: `example.com.txt`, `example.com/robots.txt`"
        }
        AuditError::NoAnswers => {
            "a WARC file holds some if the crawler asked for robots.txt and kept the answers; Common Crawl has them in its \
             `robotstxt` files"
        }
        AuditError::OutputFormat(_) => {
            let known = render::list(&TableFormat::ENDINGS);
            return Failure::new(error.to_string()).hint(format!("let the name end in {known}"));
        }
        _ => return Failure::new(error.to_string()),
    };
    Failure::new(error.to_string()).hint(hint)
}
