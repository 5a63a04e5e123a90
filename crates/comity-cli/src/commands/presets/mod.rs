//! `comity presets`: the presets and their tables.

mod args;

use comity_answers::presets::{PresetsRequest, answer};

pub(crate) use self::args::PresetsArgs;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::text;

/// Lists all presets, or shows the tables of the named ones.
pub(crate) fn run(args: &PresetsArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut with_tables = !args.presets.is_empty();
    let rows = answer(&PresetsRequest { presets: args.presets.clone() });
    text::print(&rows, args.format.get(), &mut with_tables, output)?;
    Ok(Exit::Success)
}
