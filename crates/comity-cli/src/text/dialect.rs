//! Renders a dialect.

use std::io::Write;

use comity_answers::dialects::DialectRow;

use super::{Layout, Render};
use crate::exit::Failure;
use crate::output::Output;
use crate::render;

impl Render for DialectRow {
    type View<'v> = ();

    const LAYOUT: Layout = Layout::Block;

    fn text(&self, (): &mut (), output: &mut Output) -> Result<(), Failure> {
        let (strong, faint) = (output.palette.strong, output.palette.faint);
        let mut remarks: Vec<String> = Vec::new();
        if self.default {
            remarks.push("default".to_owned());
        }
        // The alias "default" adds no information.
        let aliases: Vec<&str> = self.aliases.iter().copied().filter(|alias| *alias != "default").collect();
        if !aliases.is_empty() {
            remarks.push(format!("also called {}", render::list(&aliases)));
        }
        let remarks = if remarks.is_empty() { String::new() } else { format!("  ({})", remarks.join("; ")) };
        writeln!(output, "{strong}{}{strong:#}{faint}{remarks}{faint:#}", self.name)?;
        writeln!(output, "  defined by {}", self.defined_by)?;
        let width = output.width;
        for quirk in self.quirks {
            writeln!(output, "  - {}", render::wrap(quirk, width, 4))?;
        }
        Ok(())
    }
}
