//! `comity dialects`: the dialects and what sets them apart.

mod args;
use std::io::Write;

use comity::robots::Dialect;
use comity_answers::dialects::DialectRow;

pub(crate) use self::args::DialectsArgs;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render;

/// Lists all dialects, or those asked for.
pub(crate) fn run(args: &DialectsArgs, output: &mut Output) -> Result<Exit, Failure> {
    let dialects: &[Dialect] = if args.dialects.is_empty() { &Dialect::ALL } else { &args.dialects };
    if args.format.is_json() {
        dialects.iter().try_for_each(|dialect| output.json_line(&DialectRow::from(*dialect)))?;
    } else {
        for (index, &dialect) in dialects.iter().enumerate() {
            if index > 0 {
                writeln!(output)?;
            }
            print(dialect, output)?;
        }
    }
    Ok(Exit::Success)
}

fn print(dialect: Dialect, output: &mut Output) -> Result<(), Failure> {
    let (strong, faint) = (output.palette.strong, output.palette.faint);
    let mut remarks: Vec<String> = Vec::new();
    if dialect == Dialect::default() {
        remarks.push("default".to_owned());
    }
    // "default" as an alias says the same again.
    let aliases: Vec<&str> = dialect.aliases().iter().copied().filter(|alias| *alias != "default").collect();
    if !aliases.is_empty() {
        remarks.push(format!("also called {}", render::list(&aliases)));
    }
    let remarks = if remarks.is_empty() { String::new() } else { format!("  ({})", remarks.join("; ")) };
    writeln!(output, "{strong}{dialect}{strong:#}{faint}{remarks}{faint:#}")?;
    writeln!(output, "  defined by {}", dialect.defined_by())?;
    let width = output.width;
    for quirk in dialect.quirks() {
        writeln!(output, "  - {}", render::wrap(quirk, width, 4))?;
    }
    Ok(())
}
