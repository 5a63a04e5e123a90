//! `comity usage` without saved files: fetches every document that can contain a signal about use.
//!
//! Requests are sequential and polite: robots.txt and tdmrep.json once for each site, every page, and each license
//! once, at most [`LICENSES`] for a page and a crawler. A missing document has no signal. A failed request causes a
//! warning.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use comity::finding::Channel;
use comity::robots::Agent;
use comity::usage::{HeaderUsage, LicenseDocument, PageUsage, Report, SignalReport, Tdmrep};
use comity_answers::robots_file::RobotsFile;
use comity_answers::url::{UrlKind, has_web_scheme, web_url};
use comity_answers::usage::UsageSources;
use comity_client::Origin;
use comity_client::retrieval::Page;
use url::Url;

use super::{Rows, UsageArgs};
use crate::decisions::{Notices, Urls};
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::sites::failure::SiteFailure;
use crate::sites::session::missing;
use crate::sites::{self, Session};
use crate::text::usage::UsageView;

/// The path of the file that TDMRep defines.
const TDMREP: &str = "/.well-known/tdmrep.json";

/// Maximum size of tdmrep.json and of a license, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// Maximum number of licenses of one page and its site that are read for one crawler.
const LICENSES: usize = 8;

/// Reports on every URL for every crawler.
pub(super) fn run(args: &UsageArgs, output: &mut Output) -> Result<Exit, Failure> {
    let urls = Urls::new(&args.urls, None)?;
    let agents = args.agents.agents();
    Notices::new(&args.network.files).warn(&agents, None, output);
    let rows = RefCell::new(Rows::new(args, UsageView::new(None, true), output)?);
    let mut visitor = None;
    let mut exit = Exit::Success;
    let answer = |url: &[u8], output: &mut Output| {
        let (url, origin) = match web_url(url) {
            Ok(found) => found,
            Err(_) if UrlKind::of(url) == Ok(UrlKind::Path) => return Ok(Err(NO_SITE.to_owned())),
            Err(problem) => return Ok(Err(problem.to_string())),
        };
        let visitor = match &mut visitor {
            Some(visitor) => visitor,
            none => none.insert(DocumentFetcher::new(args, output)?),
        };
        match visitor.reports(&url, &origin, &agents, output) {
            Ok(reports) => {
                for report in reports {
                    exit = exit.max(rows.borrow_mut().print(&report.into(), output)?);
                }
            }
            Err(error) => {
                exit = exit.max(error.report(output));
                rows.borrow_mut().errors(&agents, url.as_str().as_bytes(), &error.line(), output)?;
            }
        }
        Ok(Ok(Exit::Success))
    };
    let parsed = urls.answer_each(output, answer, |url, error, output| {
        rows.borrow_mut().errors(&agents, url, error, output)
    })?;
    if let Some(visitor) = visitor {
        visitor.session.finish();
    }
    rows.into_inner().finish(output)?;
    Ok(exit.max(parsed))
}

/// Error of a path, whose site is not known.
const NO_SITE: &str = "the site of the path is unknown: write a URL with https://, or name saved files: \
                       --robots robots.txt";

/// A fetcher of documents. It keeps documents that apply to more than one page.
struct DocumentFetcher<'a> {
    args: &'a UsageArgs,
    session: Session,
    sites: HashMap<Origin, Rc<Site>>,
    licenses: HashMap<String, Option<LicenseDocument>>,
}

/// The signals that apply to a whole site.
struct Site {
    robots: Option<RobotsFile>,
    tdmrep: Option<Tdmrep>,
}

impl<'a> DocumentFetcher<'a> {
    fn new(args: &'a UsageArgs, output: &mut Output) -> Result<Self, Failure> {
        let session = Session::new(&args.network, output)?;
        Ok(DocumentFetcher { args, session, sites: HashMap::new(), licenses: HashMap::new() })
    }

    /// Returns one report for each crawler.
    fn reports(
        &mut self,
        url: &Url,
        origin: &Origin,
        agents: &[Agent],
        output: &mut Output,
    ) -> Result<Vec<Report>, SiteFailure> {
        let site = self.site(url, origin, output)?;
        let page = self.page(url, output);
        let robots = site.robots.as_ref().map(|file| self.args.reading.read(file));
        let vocabulary = self.args.vocabulary.unwrap_or_default();
        let headers = page.as_ref().map(Page::fields);
        let facts = page.as_ref().and_then(Page::facts);
        let mut sources = UsageSources {
            header: headers.map(|headers| Arc::new(HeaderUsage::new(&headers, vocabulary))),
            page: facts.map(|facts| Arc::new(PageUsage::new(&facts))),
            tdmrep: site.tdmrep.clone(),
            vocabulary,
            users: self.args.user.clone(),
            places: self.args.place.clone(),
            ..UsageSources::default()
        };
        let base = page.as_ref().and_then(Page::url).unwrap_or_else(|| url.clone());
        let mut reports = Vec::with_capacity(agents.len());
        for agent in agents {
            let robots = robots.as_ref().map(|robots| sources.robots_usage(robots, agent));
            let report = |sources: &UsageSources| {
                let report = sources.usage(agent, robots.clone()).report(url.as_str());
                report.map_err(|error| SiteFailure::plain(format!("`{url}`: {error}")))
            };
            // Each crawler has its own licenses: those that its group names.
            (sources.rsl, sources.rsl_of_page, sources.unavailable) = Default::default();
            let mut own = report(&sources)?;
            let named = named_licenses(&own, &base);
            if !named.is_empty() {
                self.add_named(&named, origin, &mut sources, output);
                own = report(&sources)?;
            }
            reports.push(own);
        }
        Ok(reports)
    }

    /// Adds the licenses. The flag is true if the page names the license. Licenses that are not read are unavailable.
    fn add_named(
        &mut self,
        named: &[(bool, Url)],
        site: &Origin,
        sources: &mut UsageSources,
        output: &mut Output,
    ) {
        for (nth, (is_of_page, license)) in named.iter().enumerate() {
            let is_read = nth < LICENSES && has_web_scheme(license.as_str().as_bytes());
            match is_read.then(|| self.license(license, site, output)).flatten() {
                Some(document) if *is_of_page => sources.rsl_of_page.push(document),
                Some(document) => sources.rsl.push(document),
                None => sources.unavailable.push(license.to_string()),
            }
        }
    }

    fn site(&mut self, url: &Url, origin: &Origin, output: &mut Output) -> Result<Rc<Site>, SiteFailure> {
        if let Some(site) = self.sites.get(origin) {
            return Ok(site.clone());
        }
        let file = self.session.site_file(url.as_str().as_ref())?;
        let is_missing = file.body.is_none() && !file.allows_all();
        if is_missing {
            output.warning(&missing(&file.url(), &file.decision));
        }
        // An HTML page in place of robots.txt has no signals about use.
        let robots = file.body.is_some().then(|| file.into_robots_file().ok()).flatten();
        let tdmrep = origin.join(TDMREP).and_then(|url| {
            let page = self.tdmrep(&url, output)?;
            match Tdmrep::parse(page.body()) {
                Ok(tdmrep) => Some(tdmrep),
                Err(error) => {
                    output.warning(&format!("`{url}`: {error}"));
                    None
                }
            }
        });
        let site = Rc::new(Site { robots, tdmrep });
        self.sites.insert(origin.clone(), site.clone());
        Ok(site)
    }

    fn page(&self, url: &Url, output: &mut Output) -> Option<Page> {
        let client = self.session.client();
        let limit = client.fetch_options().max_bytes;
        match self.session.wait(sites::page::fetch(client, url.as_str(), limit)) {
            Ok(page) if page.status().is_success() => Some(page),
            Ok(page) => {
                let status = sites::page::status(&page);
                output.warning(&format!("`{url}` answers {status}; only signals of the whole site are read"));
                None
            }
            Err(error) => {
                output.warning(&format!("{}; only signals of the whole site are read", error.line()));
                None
            }
        }
    }

    /// Fetches tdmrep.json. The file is absent if the status is 404 or 410. Other errors cause a warning, because the
    /// site may have a file that reserves rights.
    fn tdmrep(&self, url: &Url, output: &mut Output) -> Option<Page> {
        let client = self.session.client();
        match self.session.wait(sites::page::fetch(client, url.as_str(), MAX_BYTES)) {
            // An HTML page with status 200 is an error page, not the file.
            Ok(page) if page.status().is_success() => Some(page).filter(|page| !page.is_html()),
            Ok(page) if matches!(page.status().as_u16(), 404 | 410) => None,
            Ok(page) => {
                let status = sites::page::status(&page);
                output.warning(&format!("`{url}` answers {status}; its signals are not read"));
                None
            }
            Err(error) => {
                output.warning(&error.line());
                None
            }
        }
    }

    /// Returns an RSL document that a page or the robots.txt of `site` names. It is fetched only once.
    fn license(&mut self, url: &Url, site: &Origin, output: &mut Output) -> Option<LicenseDocument> {
        if let Some(known) = self.licenses.get(url.as_str()) {
            return known.clone();
        }
        let document = read_license(url.as_str(), self.session.linked_file(url, MAX_BYTES, site), output);
        self.licenses.insert(url.to_string(), document.clone());
        document
    }
}

/// Reads a fetched RSL document. Any media type is accepted, because the namespace identifies the document (RSL 1.0
/// §2.2).
fn read_license(
    url: &str,
    fetched: Result<Page, SiteFailure>,
    output: &mut Output,
) -> Option<LicenseDocument> {
    let read = match fetched {
        Ok(page) => LicenseDocument::parse(page.body())
            .map(|document| document.at(&page.record().final_url))
            .map_err(|error| format!("`{url}`: {error}")),
        Err(error) => Err(error.line()),
    };
    read.map_err(|error| output.warning(&format!("license {error}"))).ok()
}

/// Fetches the licenses that the arguments name.
pub(super) fn add_licenses(
    args: &UsageArgs,
    sources: &mut UsageSources,
    output: &mut Output,
) -> Result<(), Failure> {
    let session = Session::new(&args.network, output)?;
    for url in &args.license {
        match read_license(url, session.file(url, MAX_BYTES), output) {
            Some(document) => sources.rsl.push(document),
            None => sources.unavailable.push(url.clone()),
        }
    }
    session.finish();
    Ok(())
}

/// Returns the licenses that apply to the crawler of a report. The flag is true if the page, and not robots.txt, names
/// the license.
fn named_licenses(report: &Report, base: &Url) -> Vec<(bool, Url)> {
    let mut seen = HashSet::new();
    let mut named: Vec<(bool, Url)> = Vec::new();
    for license in report.signals().iter().flat_map(SignalReport::licenses) {
        let is_of_page = license.evidence().channel() != Channel::RobotsTxt;
        let Ok(url) = base.join(license.url()) else { continue };
        if seen.insert((is_of_page, url.clone())) {
            named.push((is_of_page, url));
        }
    }
    named
}
