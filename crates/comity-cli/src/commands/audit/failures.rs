//! What went wrong in an audit, as people read it.

use std::io;

use comity_audit::AuditError;
use comity_formats::ArchiveError;

use crate::exit::{Failure, reason};

pub(super) fn failed(error: ArchiveError) -> Failure {
    let is_about_columns = matches!(error, ArchiveError::NoColumn { .. });
    let failure = Failure::new(error.to_string());
    if is_about_columns {
        failure.hint("name the column by --url-column, --time-column or --agent-column")
    } else {
        failure
    }
}

pub(super) fn failed_job(error: AuditError) -> Failure {
    let hint = match error {
        AuditError::NameTaken(_) | AuditError::SamePrefix(_) => {
            "let the names of new columns begin differently: --prefix"
        }
        AuditError::OtherJob(_) => "delete the folder, or write to another output",
        AuditError::InUse(_) => "wait until it ends, or write to another output",
        AuditError::NoAgent => {
            "name a crawler by --agent, all of a purpose by --purpose, or a column by --agent-column"
        }
        _ => return Failure::new(error.to_string()),
    };
    Failure::new(error.to_string()).hint(hint)
}

pub(super) fn no_thread(error: io::Error) -> Failure {
    Failure::new(format!("cannot begin a thread: {}", reason(&error)))
}
