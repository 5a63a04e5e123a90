//! What went wrong in an audit, as people read it.

use std::io;

use comity_archive::ArchiveError;
use comity_jobs::JobError;

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

pub(super) fn failed_job(error: JobError) -> Failure {
    let hint = match error {
        JobError::NameTaken(_) | JobError::SamePrefix(_) => {
            "let the names of new columns begin differently: --prefix"
        }
        JobError::OtherJob(_) => "delete the folder, or write to another output",
        JobError::InUse(_) => "wait until it ends, or write to another output",
        JobError::NoAgent => {
            "name a crawler by --agent, all of a purpose by --purpose, or a column by --agent-column"
        }
        _ => return Failure::new(error.to_string()),
    };
    Failure::new(error.to_string()).hint(hint)
}

pub(super) fn no_thread(error: io::Error) -> Failure {
    Failure::new(format!("cannot begin a thread: {}", reason(&error)))
}
