//! `comity sitemap URL`: fetches one sitemap, or all sitemaps of a site.

use std::io::Cursor;

use comity::sitemap::{Item, Reader, SkipReason};
use comity_client::{Discovery, DiscoveryStep, Origin, WELL_KNOWN};
use url::Url;

use super::SitemapArgs;
use super::{Limit, Rows, Tally, options, read};
use crate::args::Format;
use crate::exit::{Exit, Failure};
use crate::output::{Output, Progress};
use crate::render;
use crate::sites::failure::SiteFailure;
use crate::sites::{self, Session};

/// Maximum size of a sitemap, as its site sends it, in bytes.
const MAX_BYTES: usize = 64 << 20;

/// Reads the sitemap at a URL, or all sitemaps of its site.
pub(super) fn run(args: &SitemapArgs, output: &mut Output) -> Result<Exit, Failure> {
    let argument = &args.file;
    let (url, origin) = match sites::parse_location(argument.as_os_str()) {
        Ok(located) => located,
        Err(error) => return Ok(error.report(output)),
    };
    let session = Session::new(&args.network, output)?;
    let is_site = args.discover || url.path() == "/" && url.query().is_none();
    let exit =
        if is_site { walk(args, &session, &origin, output) } else { one(args, &session, &url, output) };
    session.finish();
    exit
}

fn one(args: &SitemapArgs, session: &Session, url: &Url, output: &mut Output) -> Result<Exit, Failure> {
    let page = match session.file(url.as_str(), MAX_BYTES) {
        Ok(page) => page,
        Err(error) => return Ok(error.report(output)),
    };
    let place = &page.record().final_url;
    let reader = Reader::with_options(Cursor::new(page.body().clone()), options(args, Some(place))?);
    read(args, reader, place.clone(), output)
}

fn walk(
    args: &SitemapArgs,
    session: &Session,
    origin: &Origin,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let started = session.wait(async {
        let client = session.client();
        let robots_txt = origin.robots_txt();
        // The guard's refusal is reported here, before any sitemap is walked.
        client.decide(&robots_txt).await.map_err(|cause| SiteFailure::new(robots_txt.as_str(), &cause))?;
        let discovery = client.discover(origin).await;
        discovery.map_err(|error| SiteFailure::new(robots_txt.as_str(), &comity_client::Cause::Store(error)))
    });
    let mut discovery: Discovery = match started {
        Ok(discovery) => discovery.options(options(args, None)?),
        Err(error) => return Ok(error.report(output)),
    };
    let mut walk = Walk {
        rows: Rows::new(args, origin.to_string(), output)?,
        is_text: args.format.get() == Format::Text,
        tally: Tally::default(),
        limit: Limit::new(args.limit),
        progress: output.progress(None, "entries"),
        is_check: args.check,
        exit: Exit::Success,
        opened: 0,
        errors: 0,
    };
    session.wait(async {
        while !walk.limit.is_reached() {
            let Some(found) = discovery.next().await else { break };
            walk.take(found, output)?;
        }
        Ok::<(), Failure>(())
    })?;
    walk.end(origin)
}

/// A walk over the sitemaps of a site.
struct Walk {
    rows: Rows,
    is_text: bool,
    /// Counts of findings about the current sitemap.
    tally: Tally,
    limit: Limit,
    progress: Progress,
    is_check: bool,
    exit: Exit,
    opened: usize,
    errors: usize,
}

impl Walk {
    fn take(&mut self, found: DiscoveryStep, output: &mut Output) -> Result<(), Failure> {
        match found {
            DiscoveryStep::Opened { sitemap, .. } => {
                self.opened += 1;
                self.tally = Tally::default();
                self.rows.file = sitemap;
            }
            DiscoveryStep::Item { item, .. } => {
                match &item {
                    Item::Finding(finding) => self.tally.take(finding),
                    // The sitemaps of an index are read later, and are not entries.
                    Item::Sitemap(_) => {}
                    _ => {
                        self.progress.step();
                        self.limit.count();
                    }
                }
                // Text output does not list the sitemaps of an index.
                if !(self.is_text && matches!(item, Item::Sitemap(_))) {
                    self.rows.item(&item, output)?;
                }
            }
            DiscoveryStep::Ended { summary, .. } => {
                self.exit = self.exit.max(self.tally.exit(self.is_check));
                self.rows.end(&summary, &self.tally, output)?;
                output.flush()?;
            }
            // A sitemap in two indexes is read once, without a message.
            DiscoveryStep::Refused { loc, refusal, .. } if refusal != SkipReason::Seen => {
                self.errors += 1;
                output.warning(&format!("`{}` is not read: {refusal}", render::text(loc.as_bytes())));
            }
            DiscoveryStep::Failed { error, .. } => {
                self.errors += 1;
                let exit = SiteFailure::from(*error).report(output);
                self.exit = self.exit.max(exit);
            }
            DiscoveryStep::Missing { sitemap, status, was_named: true, .. } => {
                self.errors += 1;
                output.error(&format!(
                    "`{}` is listed, but answers {status}",
                    render::text(sitemap.as_bytes())
                ));
                self.exit = self.exit.max(Exit::Error);
            }
            _ => {}
        }
        Ok(())
    }

    fn end(self, origin: &Origin) -> Result<Exit, Failure> {
        drop(self.progress);
        if self.opened == 0 && self.errors == 0 {
            let places = render::list(&WELL_KNOWN);
            return Err(Failure::new(format!(
                "no sitemap was found: the robots.txt of {origin} names none, and {places} do not exist"
            ))
            .hint("give the URL of the sitemap"));
        }
        if self.limit.is_reached() {
            // Reading stopped within a sitemap, so its findings are not yet included in the exit code.
            return Ok(self.exit.max(self.tally.exit(self.is_check)));
        }
        Ok(self.exit)
    }
}
