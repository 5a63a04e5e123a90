//! `comity audit`: whole crawls and tables, judged as of their time, and one live site, held against itself.
//!
//! Files are opened here; `comity-formats` reads and writes them, and `comity-audit` decides and counts.

mod args;
mod condition;
mod failures;
mod findings;
mod gather;
mod index;
mod inputs;
#[cfg(feature = "live")]
mod live;
#[cfg(not(feature = "live"))]
#[path = "no_live.rs"]
mod live;
mod pass;
mod progress;
mod read_ahead;
mod report;
mod result;
mod robots;
mod run;
mod sink;
#[cfg(feature = "live")]
mod site;
#[cfg(feature = "live")]
mod store;
#[cfg(not(feature = "live"))]
#[path = "no_store.rs"]
mod store;
mod text;
mod whom;

pub(crate) use self::args::AuditArgs;
use self::args::AuditCommand;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use comity_answers::schema::RowSchema;

/// Does what is asked.
pub(crate) fn run(args: &AuditArgs, output: &mut Output) -> Result<Exit, Failure> {
    match &args.command {
        AuditCommand::Index(args) => index::run(args, output),
        AuditCommand::Run(args) => run::run(args, output),
        #[cfg(feature = "live")]
        AuditCommand::Site(args) => site::run(args, output),
        AuditCommand::Report(args) => report::run(args, output),
    }
}

pub(crate) const SCHEMA: RowSchema = RowSchema::new::<comity_audit::Manifest>(
    "audit",
    "what `comity audit run` and `comity audit site` print and write in addition to their output",
);

pub(crate) use index::SCHEMA as INDEX_SCHEMA;
