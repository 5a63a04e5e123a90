//! Renders a line about a sitemap.

use std::io::Write;

use comity::sitemap::Summary;
use comity_answers::lint::{Counts, FindingOf};
use comity_answers::sitemap::SitemapRow;

use super::Render;
use crate::exit::Failure;
use crate::findings;
use crate::output::Output;
use crate::render;
use crate::spreadsheet::Table;

impl Render for SitemapRow<'_> {
    type View<'v> = findings::Printer;

    fn text(&self, findings: &mut findings::Printer, output: &mut Output) -> Result<(), Failure> {
        match self {
            SitemapRow::Url(url) => Ok(writeln!(output, "{}", render::text(url.loc.as_bytes()))?),
            SitemapRow::Sitemap(sitemap) => Ok(writeln!(output, "{}", render::text(sitemap.loc.as_bytes()))?),
            SitemapRow::Finding(FindingOf { file, finding }) => {
                findings.print(&findings::place(file, finding.place()), finding, output)
            }
            SitemapRow::Summary { file, summary, counts } => print_summary(file, summary, counts, output),
        }
    }

    fn csv(&self, table: &Table, output: &mut Output) -> Result<(), Failure> {
        match self {
            // CSV omits the summary.
            SitemapRow::Summary { .. } => Ok(()),
            row => table.row(row, output),
        }
    }
}

/// Prints a summary such as `sitemap.xml: urlset, 3 entries, 412 bytes: 1 warning`.
fn print_summary(file: &str, summary: &Summary, counts: &Counts, output: &mut Output) -> Result<(), Failure> {
    let strong = output.palette.strong;
    let count = |number, noun| render::count(usize::try_from(number).unwrap_or(usize::MAX), noun);
    let format = summary.format().map_or("not a sitemap", |format| format.as_str());
    let size = match summary.compressed_bytes() {
        Some(compressed) => {
            format!("{} from {} of gzip", count(summary.bytes(), "byte"), count(compressed, "byte"))
        }
        None => count(summary.bytes(), "byte"),
    };
    let entries = count(summary.entries(), "entry");
    let found = findings::words(counts, |_, words| words);
    let verdict = if found.is_empty() { "no findings".to_owned() } else { found.join(", ") };
    Ok(writeln!(output, "{strong}{file}{strong:#}: {format}, {entries}, {size}: {verdict}")?)
}
