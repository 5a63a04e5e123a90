//! `comity dialects`: the dialects and their differences.

mod args;

use comity_answers::dialects::{DialectsRequest, answer};

pub(crate) use self::args::DialectsArgs;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::text;

/// Lists all dialects, or the named ones.
pub(crate) fn run(args: &DialectsArgs, output: &mut Output) -> Result<Exit, Failure> {
    let rows = answer(&DialectsRequest { dialects: args.dialects.clone() });
    text::print(&rows, args.format.get(), &mut (), output)?;
    Ok(Exit::Success)
}
