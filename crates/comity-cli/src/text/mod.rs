//! Renderers of rows. Each type of row has a renderer, and [`print()`] prints rows in every format.
//!
//! A renderer prints text, and the special formats that only some rows support. JSON and CSV are derived from the type
//! of the row.
//!
//! | module | row |
//! |---|---|
//! | `agent` | a known crawler, and the list that contains an address |
//! | `comparison` | a decision in every dialect |
//! | `config` | the effective settings |
//! | `decision` | a decision |
//! | `dialect` | a dialect |
//! | `diff` | a change of a robots.txt |
//! | `directory` | a directory of keys |
//! | `explanation` | the reasons for a decision |
//! | `finding` | a finding about a robots.txt |
//! | `inspection` | the content of a robots.txt |
//! | `lint` | the documentation of a lint, and the number of its findings |
//! | `llms` | an llms.txt |
//! | `matrix` | the crawlers that a robots.txt allows |
//! | `page` | the directives of a page |
//! | `preset` | a preset |
//! | `sitemap` | a line about a sitemap |
//! | `status` | the effect of an answer to the request for robots.txt |
//! | `stored` | an entry of the store |
//! | `test` | the result of a test |
//! | `usage` | the allowed uses of content |
//! | `watch` | a new version of a watched robots.txt |

pub(crate) mod agent;
pub(crate) mod comparison;
#[cfg(feature = "live")]
pub(crate) mod config;
pub(crate) mod decision;
mod dialect;
pub(crate) mod diff;
#[cfg(feature = "live")]
pub(crate) mod directory;
pub(crate) mod explanation;
pub(crate) mod finding;
mod inspection;
pub(crate) mod lint;
mod llms;
mod matrix;
mod page;
mod preset;
mod sitemap;
pub(crate) mod status;
#[cfg(feature = "live")]
pub(crate) mod stored;
pub(crate) mod test;
pub(crate) mod usage;
#[cfg(feature = "live")]
pub(crate) mod watch;

use std::io::Write;

use serde::Serialize;

use crate::annotations::Sarif;
use crate::args::Format;
use crate::exit::Failure;
use crate::junit::Junit;
use crate::output::Output;
use crate::spreadsheet::Table;

/// A row that commands print.
pub(crate) trait Render: Serialize {
    /// Values that the text needs in addition to the row.
    type View<'v>;

    /// The layout of several rows.
    const LAYOUT: Layout = Layout::Line;

    /// Prints the row as text.
    fn text(&self, view: &mut Self::View<'_>, output: &mut Output) -> Result<(), Failure>;

    /// Returns the columns of the row, if the command offers CSV.
    fn table() -> Table {
        Table::default()
    }

    /// Prints the row as CSV.
    fn csv(&self, table: &Table, output: &mut Output) -> Result<(), Failure> {
        table.row(self, output)
    }

    /// Prints the row as a page, if the command offers HTML.
    fn html(&self, _: &mut Output) -> Result<(), Failure> {
        Ok(())
    }

    /// Prints an annotation for GitHub Actions, if the command offers them.
    fn github(&self, _: &mut Self::View<'_>, _: &mut Output) -> Result<(), Failure> {
        Ok(())
    }

    /// Adds the row to a SARIF log, if the command offers one.
    fn sarif(&self, _: &mut Self::View<'_>, _: &mut Sarif) {}

    /// Adds the row to a report of tests, if the command offers one.
    fn junit(&self, _: &mut Self::View<'_>, _: &mut Junit) {}
}

/// The layout of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Each row is a line of text, or a line of JSON.
    Line,
    /// Each row is a text of several lines, with a blank line between two rows, or a line of JSON.
    Block,
    /// The only row is a document. JSON is indented.
    Document,
}

/// Printer of rows of one kind, in one format.
pub(crate) struct Printer {
    format: Format,
    table: Table,
    sarif: Sarif,
    junit: Junit,
    is_first: bool,
}

impl Printer {
    /// Creates a printer. For CSV, prints the header.
    pub(crate) fn new<R: Render>(format: Format, output: &mut Output) -> Result<Self, Failure> {
        Printer::with_table(format, R::table, output)
    }

    /// Creates a printer. For CSV, prints the header of `table`.
    pub(crate) fn with_table(
        format: Format,
        table: impl FnOnce() -> Table,
        output: &mut Output,
    ) -> Result<Self, Failure> {
        let table = if format == Format::Csv { table() } else { Table::default() };
        if format == Format::Csv {
            table.header(output)?;
        }
        let (sarif, junit) = (Sarif::default(), Junit::default());
        Ok(Printer { format, table, sarif, junit, is_first: true })
    }

    /// Prints a row.
    pub(crate) fn print<R: Render>(
        &mut self,
        row: &R,
        view: &mut R::View<'_>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let is_first = std::mem::take(&mut self.is_first);
        match self.format {
            Format::Json if R::LAYOUT == Layout::Document => output.json_pretty(row),
            Format::Json => output.json_line(row),
            Format::Csv => row.csv(&self.table, output),
            Format::Html => row.html(output),
            Format::Github => row.github(view, output),
            Format::Sarif => {
                row.sarif(view, &mut self.sarif);
                Ok(())
            }
            Format::Junit => {
                row.junit(view, &mut self.junit);
                Ok(())
            }
            _ => {
                if R::LAYOUT == Layout::Block && !is_first {
                    writeln!(output)?;
                }
                row.text(view, output)
            }
        }
    }

    /// Prints the report of the formats that combine all rows in one document. `suite` is the name of the test suite
    /// for JUnit.
    pub(crate) fn finish(mut self, suite: &str, output: &mut Output) -> Result<(), Failure> {
        match self.format {
            Format::Sarif => output.json_pretty(&self.sarif.into_document()),
            Format::Junit => self.junit.print(suite, output),
            _ => Ok(()),
        }
    }
}

/// Prints rows in a format.
pub(crate) fn print<R: Render>(
    rows: &[R],
    format: Format,
    view: &mut R::View<'_>,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut printer = Printer::new::<R>(format, output)?;
    rows.iter().try_for_each(|row| printer.print(row, view, output))
}
