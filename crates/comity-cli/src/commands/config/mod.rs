//! `comity config`: prints the effective settings as a settings file, each with its source.

mod args;

pub(crate) use self::args::ConfigArgs;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::settings;
use crate::text;
use crate::text::config::Report;

/// Prints the settings.
pub(crate) fn run(args: &ConfigArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut overrides = args.network.overrides();
    overrides.extend(args.identity.overrides());
    let effective = settings::effective(&args.network.files, overrides)?;
    for message in settings::warnings(&args.network.files) {
        output.warning(&message);
    }
    text::print(&[Report::of(&effective)], args.format.get(), &mut &effective, output)?;
    Ok(Exit::Success)
}
