//! `comity dialects`: the dialects and what sets them apart.

mod args;
#[cfg(feature = "schema")]
use comity_answers::schema::RowSchema;
use std::io::Write;

use comity::robots::Dialect;
use serde::Serialize;

pub(crate) use self::args::DialectsArgs;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render;

/// Lists all dialects, or those asked for.
pub(crate) fn run(args: &DialectsArgs, output: &mut Output) -> Result<Exit, Failure> {
    let dialects: &[Dialect] = if args.dialects.is_empty() { &Dialect::ALL } else { &args.dialects };
    if args.format.is_json() {
        dialects.iter().try_for_each(|dialect| output.json_line(&DialectRow::new(*dialect)))?;
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

/// A dialect as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct DialectRow {
    /// The name of the dialect.
    name: &'static str,
    /// Other names of it.
    aliases: &'static [&'static str],
    /// True if it is the default.
    default: bool,
    /// The program or text that defines it.
    defined_by: &'static str,
    /// Its differences from other dialects.
    quirks: &'static [&'static str],
}

#[cfg(feature = "schema")]
pub(crate) const SCHEMA: RowSchema = RowSchema::new::<DialectRow>("dialect", "a line of `comity dialects`");

impl DialectRow {
    fn new(dialect: Dialect) -> Self {
        DialectRow {
            name: dialect.name(),
            aliases: dialect.aliases(),
            default: dialect == Dialect::default(),
            defined_by: dialect.defined_by(),
            quirks: dialect.quirks(),
        }
    }
}
