//! `comity sitemap`: the entries of a sitemap, or its findings.
//!
//! Items are printed as they are read; only counts are kept.

mod args;
#[cfg(feature = "live")]
mod site;

use std::io::Read;

use comity::finding::Finding;
use comity::sitemap::{Item, Reader, ReaderOptions, Scope, Summary};
use comity_answers::lint::Counts;
use comity_answers::sitemap::SitemapRow;

pub(crate) use self::args::SitemapArgs;
use self::args::SitemapScope;
use crate::exit::{Exit, Failure};
use crate::findings;
use crate::input::Source;
use crate::location;
use crate::output::Output;
#[cfg(not(feature = "live"))]
use crate::sites::offline as site;
use crate::spreadsheet::Table;
use crate::text::Printer;

/// Reads a sitemap, or those of a site.
pub(crate) fn run(args: &SitemapArgs, output: &mut Output) -> Result<Exit, Failure> {
    let file = &args.file;
    if location::is_url(file) {
        return site::run(args, output);
    }
    if args.discover {
        return Err(Failure::new("--discover needs the URL of a site")
            .hint("give the URL of a site: comity sitemap --discover https://example.com"));
    }
    let source = Source::new(file);
    read(args, Reader::with_options(source.open()?, options(args, None)?), source.name(), output)
}

/// Prints the items of a reader.
fn read<R: Read>(
    args: &SitemapArgs,
    mut reader: Reader<R>,
    name: String,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut rows = Rows::new(args, name, output)?;
    let mut limit = Limit::new(args.limit);
    let mut progress = output.progress(None, "entries");
    let mut tally = Tally::default();
    while !limit.is_reached()
        && let Some(item) = reader.next()
    {
        match &item {
            Item::Finding(finding) => tally.take(finding),
            _ => {
                progress.step();
                limit.count();
            }
        }
        rows.item(&item, output)?;
    }
    drop(progress);
    rows.end(&reader.summary(), &tally, output)?;
    Ok(tally.exit(args.check))
}

/// Number of entries that may still be read; `None` without a limit.
struct Limit(Option<u64>);

impl Limit {
    fn new(entries: Option<u64>) -> Self {
        Limit(entries)
    }

    fn is_reached(&self) -> bool {
        self.0 == Some(0)
    }

    fn count(&mut self) {
        self.0 = self.0.map(|left| left.saturating_sub(1));
    }
}

/// Returns the options for reading sitemaps. `place` is the URL of the sitemap. `--base` overrides it.
fn options(args: &SitemapArgs, place: Option<&str>) -> Result<ReaderOptions, Failure> {
    let mut options = ReaderOptions::new()
        .max_entries(args.max_entries)
        .max_bytes(args.max_bytes)
        .hard_max_entries(args.max_entries.saturating_mul(10))
        .hard_max_bytes(args.max_bytes.saturating_mul(10))
        .stop_at_limits(args.stop)
        .find_duplicates(args.check);
    for host in &args.proven_host {
        options = options.proven_host(host);
    }
    if let Some(base) = args.base.as_deref().or(place) {
        options = options.at(base).map_err(|error| Failure::new(error.to_string()))?;
    }
    Ok(options.scope(match args.scope {
        SitemapScope::Report => Scope::Report,
        SitemapScope::Drop => Scope::Drop,
        SitemapScope::Any => Scope::Any,
    }))
}

/// Counts of findings about the current sitemap.
#[derive(Default)]
struct Tally {
    counts: Counts,
    is_unreadable: bool,
}

impl Tally {
    fn take(&mut self, finding: &Finding) {
        self.counts.add(finding);
        self.is_unreadable |= finding.code() == "sitemap-read-error";
    }

    fn exit(&self, is_check: bool) -> Exit {
        if self.is_unreadable {
            Exit::Error
        } else if self.counts.errors > 0 || is_check && self.counts.warnings > 0 {
            Exit::Objection
        } else {
            Exit::Success
        }
    }
}

/// A printer of entries, or of findings.
struct Rows {
    printer: Printer,
    is_check: bool,
    file: String,
    findings: findings::Printer,
}

impl Rows {
    fn new(args: &SitemapArgs, file: String, output: &mut Output) -> Result<Rows, Failure> {
        let kind = if args.check { "finding" } else { "url" };
        let table = || Table::of_kind::<SitemapRow<'static>>(kind);
        let printer = Printer::with_table(args.format.get(), table, output)?;
        Ok(Rows { printer, is_check: args.check, file, findings: findings::Printer::default() })
    }

    fn item(&mut self, item: &Item, output: &mut Output) -> Result<(), Failure> {
        match SitemapRow::of_item(&self.file, item) {
            Some(row) if matches!(row, SitemapRow::Finding(_)) == self.is_check => {
                self.printer.print(&row, &mut self.findings, output)
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self, summary: &Summary, tally: &Tally, output: &mut Output) -> Result<(), Failure> {
        let (file, counts) = (&self.file, tally.counts);
        if self.is_check {
            return self.printer.print(
                &SitemapRow::Summary { file, summary, counts },
                &mut self.findings,
                output,
            );
        }
        if counts.errors + counts.warnings > 0 {
            let shown = findings::words(&counts, |_, words| words).join(", ");
            output.warning(&format!("`{file}`: {shown}; `comity sitemap --check` shows them"));
        }
        Ok(())
    }
}
