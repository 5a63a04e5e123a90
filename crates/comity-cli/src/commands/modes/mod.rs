//! `comity modes`: the modes and what each does.

mod args;
use std::io::Write;

use comity::policy::Mode;

pub(crate) use self::args::ModesArgs;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Lists the modes.
pub(crate) fn run(_: &ModesArgs, output: &mut Output) -> Result<Exit, Failure> {
    for mode in Mode::ALL {
        writeln!(output, "{mode}: {}", mode.summary())?;
    }
    Ok(Exit::Success)
}
