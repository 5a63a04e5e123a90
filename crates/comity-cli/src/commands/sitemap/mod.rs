//! `comity sitemap`: what a sitemap lists, or what is wrong with it.
//!
//! Items are printed as they are read; nothing is kept but counts.

mod args;
#[cfg(feature = "live")]
mod site;
mod write;

use std::io::{Read, Write};

use comity::finding::Finding;
use comity::sitemap::{Item, Reader, ReaderOptions, Scope, Sitemap, Summary, Url};
use comity_answers::lint::{Counts, FindingOf};
use comity_answers::sitemap::SitemapRow;

pub(crate) use self::args::SitemapArgs;
use self::args::{SitemapCommand, SitemapScope};
use crate::args::Format;
use crate::exit::{Exit, Failure};
use crate::findings;
use crate::input::Source;
use crate::location;
use crate::output::Output;
use crate::render;
#[cfg(not(feature = "live"))]
use crate::sites::offline as site;
use crate::spreadsheet::Table;

/// Reads one sitemap, or writes some.
pub(crate) fn run(args: &SitemapArgs, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(SitemapCommand::Write(args)) = &args.command {
        return write::run(args, output);
    }
    let file = args.file.as_deref().unwrap_or("-".as_ref());
    if location::is_url(file) {
        return site::run(args, output);
    }
    if args.discover {
        return Err(Failure::new("--discover asks a site, and no URL of one is given")
            .hint("give the site's URL: comity sitemap --discover https://example.com"));
    }
    let source = Source::new(file);
    read(args, Reader::with_options(source.open()?, options(args, None)?), source.name(), output)
}

/// Prints what a reader finds.
fn read<R: Read>(
    args: &SitemapArgs,
    mut reader: Reader<R>,
    name: String,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut printer = Printer::new(args, name);
    let mut limit = Limit::new(args.limit);
    let mut progress = output.progress(None, "entries");
    let mut tally = Tally::default();
    printer.begin(output)?;
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
        printer.item(&item, output)?;
    }
    drop(progress);
    printer.end(&reader.summary(), &tally, output)?;
    Ok(tally.exit(args.check))
}

/// The number of entries that are still wanted.
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

/// Makes the options that sitemaps are read with. `place` is the sitemap's own address, unless `--base` gives it.
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

/// What was found.
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
            Exit::Trouble
        } else if self.counts.errors > 0 || is_check && self.counts.warnings > 0 {
            Exit::Objection
        } else {
            Exit::Success
        }
    }

    /// `1 error, 2 warnings`; `None` if there is nothing.
    fn shown(&self) -> Option<String> {
        let shown = findings::words(&self.counts, |_, words| words);
        (!shown.is_empty()).then(|| shown.join(", "))
    }
}

/// Prints entries, or findings.
struct Printer {
    format: Format,
    is_check: bool,
    file: String,
    findings: findings::Printer,
    table: Table,
}

impl Printer {
    fn new(args: &SitemapArgs, file: String) -> Self {
        Printer {
            format: args.format.get(),
            is_check: args.check,
            file,
            findings: findings::Printer::default(),
            table: match args.format.get() {
                Format::Csv => {
                    Table::of_kind::<SitemapRow<'static>>(if args.check { "finding" } else { "url" })
                }
                _ => Table::default(),
            },
        }
    }

    fn begin(&self, output: &mut Output) -> Result<(), Failure> {
        if self.format == Format::Csv { self.table.header(output) } else { Ok(()) }
    }

    fn item(&mut self, item: &Item, output: &mut Output) -> Result<(), Failure> {
        match item {
            Item::Finding(finding) if self.is_check => self.finding(finding, output),
            Item::Url(url) if !self.is_check => self.url(url, output),
            Item::Sitemap(sitemap) if !self.is_check => self.sitemap(sitemap, output),
            _ => Ok(()),
        }
    }

    fn url(&self, url: &Url, output: &mut Output) -> Result<(), Failure> {
        match self.format {
            Format::Text => Ok(writeln!(output, "{}", render::text(url.loc.as_bytes()))?),
            Format::Json => output.json_line(&SitemapRow::Url(url)),
            _ => self.table.row(&SitemapRow::Url(url), output),
        }
    }

    fn sitemap(&self, sitemap: &Sitemap, output: &mut Output) -> Result<(), Failure> {
        match self.format {
            Format::Text => Ok(writeln!(output, "{}", render::text(sitemap.loc.as_bytes()))?),
            Format::Json => output.json_line(&SitemapRow::Sitemap(sitemap)),
            _ => self.table.row(&SitemapRow::Sitemap(sitemap), output),
        }
    }

    fn finding(&mut self, finding: &Finding, output: &mut Output) -> Result<(), Failure> {
        match self.format {
            Format::Text => {
                let place = findings::place(&self.file, finding.place());
                self.findings.print(&place, finding, output)
            }
            Format::Json => output.json_line(&SitemapRow::Finding(FindingOf { file: &self.file, finding })),
            _ => self.table.row(&SitemapRow::Finding(FindingOf { file: &self.file, finding }), output),
        }
    }

    fn end(&self, summary: &Summary, tally: &Tally, output: &mut Output) -> Result<(), Failure> {
        let file = &self.file;
        if !self.is_check {
            if let Some(shown) = tally.shown().filter(|_| tally.counts.errors + tally.counts.warnings > 0) {
                output.warning(&format!("`{file}`: {shown}; `comity sitemap --check` shows them"));
            }
            return Ok(());
        }
        match self.format {
            Format::Text => self.summary_text(summary, tally, output),
            Format::Json => output.json_line(&SitemapRow::Summary { file, summary, counts: tally.counts }),
            _ => Ok(()),
        }
    }

    /// `sitemap.xml: urlset, 3 entries, 412 bytes: 1 warning`.
    fn summary_text(&self, summary: &Summary, tally: &Tally, output: &mut Output) -> Result<(), Failure> {
        let strong = output.palette.strong;
        let count = |number, noun| render::count(usize::try_from(number).unwrap_or(usize::MAX), noun);
        let format = summary.format().map_or("no sitemap", |format| format.as_str());
        let size = match summary.compressed_bytes() {
            Some(compressed) => {
                format!("{} from {} of gzip", count(summary.bytes(), "byte"), count(compressed, "byte"))
            }
            None => count(summary.bytes(), "byte"),
        };
        let entries = count(summary.entries(), "entry");
        let verdict = tally.shown().unwrap_or_else(|| "nothing to object to".to_owned());
        writeln!(output, "{strong}{}{strong:#}: {format}, {entries}, {size}: {verdict}", self.file)?;
        Ok(())
    }
}
