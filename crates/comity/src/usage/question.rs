//! Collects the sources of a site's usage preferences, and evaluates them for one crawler.

use std::sync::Arc;

use super::aipref::{PreferenceStatement, Vocabulary};
use super::citation::{Citation, Preference, Preferences, shown, unstated};
use super::content_signal::{self, SignalLine, Sum};
use super::control::ControlToken;
use super::directives::{self, TrainingDirective};
use super::document_findings::{DocumentFindings, FindingPosition};
use super::kinds;
use crate::finding::{Channel, Finding, quoted};

use super::link;
use super::report::{LicenseLink, Report, SignalReport};
use super::rsl::{Association, Grant, LicenseDocument, LicenseUser};
use super::signal::Signal;
use super::site::{self, RobotsUsage};
use super::tdmrep::{self, Tdmrep};
use super::words::{Interpretation, Stance, Use};
use crate::html;
use crate::http::Headers;
use crate::page::PageDirectives;
use crate::robots::scope::UrlPath;
use crate::robots::{Agent, RobotsTxt, UrlError};

/// The codes of the European Union's member states.
const MEMBER_STATES: [&str; 27] = [
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT", "LT",
    "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
];

/// The sources of a site's usage preferences, for one crawler. [`Usage::report`] evaluates them for a URL.
///
/// The caller adds the available sources; a signal without a source is not reported. Each source is parsed when it is
/// added, so that evaluating a URL is cheap. The [module](super) explains the meaning of each signal.
///
/// ```
/// use comity::robots::{Agent, RobotsTxt};
/// use comity::usage::{Stance, Signal, Usage, Use};
///
/// let robots = RobotsTxt::parse(
///     "User-agent: *\nDisallow: /never/\nContent-Usage: train-ai=n\nContent-Usage: /ai-ok/ train-ai=y\n",
/// );
/// let agent = Agent::token("examplebot")?;
/// let usage = Usage::for_agent(&agent).robots(&robots);
///
/// let train = |url: &str| {
///     let report = usage.report(url)?;
///     Ok::<_, comity::robots::UrlError>(report.signal(Signal::ContentUsage).map(|signal| signal.stance(Use::Train)))
/// };
/// assert_eq!(train("https://example.com/test")?, Some(Stance::Disallow));
/// assert_eq!(train("https://example.com/ai-ok/test")?, Some(Stance::Allow));
/// // For a URL that may not be fetched, `Content-Usage` in robots.txt does not count.
/// assert_eq!(train("https://example.com/never/test")?, Some(Stance::Unknown));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Usage<'a> {
    agent: &'a Agent,
    vocabulary: Vocabulary,
    user: LicenseUser,
    site: Option<Arc<RobotsUsage>>,
    header: Option<Arc<HeaderUsage>>,
    page: Option<Arc<PageUsage>>,
    tdmrep: Option<&'a Tdmrep>,
    documents: Vec<(Association, &'a LicenseDocument)>,
    /// URLs of licenses that could not be fetched or read.
    unavailable: Vec<String>,
}

/// The preferences and licenses in the header of an HTTP answer, parsed once for many URLs and crawlers.
///
/// ```
/// use std::sync::Arc;
///
/// use comity::http::Headers;
/// use comity::robots::Agent;
/// use comity::usage::{HeaderUsage, Signal, Stance, Usage, Use, Vocabulary};
///
/// let headers = Headers::parse(b"Content-Usage: train-ai=n")?;
/// let header = Arc::new(HeaderUsage::new(&headers, Vocabulary::default()));
/// for agent in ["GPTBot", "ClaudeBot"].map(Agent::unchecked_token) {
///     let report = Usage::for_agent(&agent).header_usage(header.clone()).report("https://example.com/")?;
///     let stance = report.signal(Signal::ContentUsage).map(|signal| signal.stance(Use::Train));
///     assert_eq!(stance, Some(Stance::Disallow));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct HeaderUsage {
    usage: Option<(PreferenceStatement, Citation)>,
    signals: Vec<SignalLine>,
    licenses: Vec<LicenseLink>,
    tdm: tdmrep::TdmStatements,
    directives: Vec<TrainingDirective>,
    findings: DocumentFindings,
}

/// The preferences and licenses in a page, parsed once for many URLs and crawlers.
#[derive(Clone, Debug)]
pub struct PageUsage {
    licenses: Vec<LicenseLink>,
    /// License documents inside the page.
    documents: Vec<(Association, LicenseDocument)>,
    tdm: tdmrep::TdmStatements,
    directives: Vec<TrainingDirective>,
    findings: DocumentFindings,
}

impl<'a> Usage<'a> {
    /// Creates an evaluation for a crawler, with the default vocabulary of `Content-Usage`.
    pub fn for_agent(agent: &'a Agent) -> Self {
        Usage::with_vocabulary(agent, Vocabulary::default())
    }

    /// Creates an evaluation for a crawler, with the given revision of the vocabulary of `Content-Usage`.
    pub fn with_vocabulary(agent: &'a Agent, vocabulary: Vocabulary) -> Self {
        Usage {
            agent,
            vocabulary,
            user: LicenseUser::default(),
            site: None,
            header: None,
            page: None,
            tdmrep: None,
            documents: Vec::new(),
            unavailable: Vec::new(),
        }
    }

    /// Adds a class of the user for whom the crawler works: `commercial`, `non-commercial`, `education`, `government`
    /// or `personal` (RSL 1.0 §3.4.1.2). May be called several times. Some RSL licenses apply only to some classes.
    #[must_use]
    pub fn user(mut self, kind: impl Into<String>) -> Self {
        self.user.users.push(kind.into().to_ascii_lowercase());
        self
    }

    /// Adds a location of the user for whom the crawler works: an ISO 3166-1 alpha-2 code, or `EU`. May be called
    /// several times. A code of a member state of the European Union also adds `EU`.
    #[must_use]
    pub fn place(mut self, code: impl Into<String>) -> Self {
        let code = code.into().to_ascii_uppercase();
        if MEMBER_STATES.contains(&code.as_str()) {
            self.user.places.push("EU".to_owned());
        }
        self.user.places.push(code);
        self
    }

    /// Adds the robots.txt of the URL's origin.
    #[must_use]
    pub fn robots(self, robots: &RobotsTxt<'_>) -> Self {
        let usage = Arc::new(RobotsUsage::with_vocabulary(robots, self.agent, self.vocabulary));
        self.robots_usage(usage)
    }

    /// Adds the robots.txt of the URL's origin. It must have been parsed for this crawler and with this vocabulary.
    #[must_use]
    pub fn robots_usage(self, usage: Arc<RobotsUsage>) -> Self {
        Usage { site: Some(usage), ..self }
    }

    /// Adds the header of the answer that contained the content.
    #[must_use]
    pub fn headers(self, headers: &Headers<'_>) -> Self {
        let header = Arc::new(HeaderUsage::new(headers, self.vocabulary));
        self.header_usage(header)
    }

    /// Adds the parsed header of the answer that contained the content. It must have been parsed with this vocabulary.
    #[must_use]
    pub fn header_usage(self, header: Arc<HeaderUsage>) -> Self {
        Usage { header: Some(header), ..self }
    }

    /// Adds the page, if the content is a page.
    #[must_use]
    pub fn html(self, facts: &html::Facts) -> Self {
        self.page_usage(Arc::new(PageUsage::new(facts)))
    }

    /// Adds the parsed page, if the content is a page.
    #[must_use]
    pub fn page_usage(self, page: Arc<PageUsage>) -> Self {
        Usage { page: Some(page), ..self }
    }

    /// Adds the `/.well-known/tdmrep.json` of the URL's origin.
    #[must_use]
    pub fn tdmrep(self, tdmrep: &'a Tdmrep) -> Self {
        Usage { tdmrep: Some(tdmrep), ..self }
    }

    /// Adds an RSL document that robots.txt names for the site. May be called several times; the most restrictive
    /// document counts.
    #[must_use]
    pub fn rsl(mut self, document: &'a LicenseDocument) -> Self {
        self.documents.push((Association::Site, document));
        self
    }

    /// Adds an RSL document to which the header or the head of the page links. It takes precedence over the documents
    /// of the site. In such a document, an empty `url` means the page (RSL 1.0 §4.6 and §4.9).
    #[must_use]
    pub fn rsl_of_page(mut self, document: &'a LicenseDocument) -> Self {
        self.documents.push((Association::Page, document));
        self
    }

    /// Adds the URL of an RSL document that could not be fetched or read. Without another document, nothing is licensed
    /// (RSL 1.0 §4.3). The permissions of other documents become *unknown*, since the missing document may differ.
    #[must_use]
    pub fn rsl_unavailable(mut self, url: impl Into<String>) -> Self {
        self.unavailable.push(url.into());
        self
    }

    /// Returns the report on a URL, which may be absolute or a path.
    ///
    /// # Errors
    ///
    /// Returns [`UrlError`] if `url` is neither an absolute URL nor a path.
    pub fn report<U: AsRef<[u8]> + ?Sized>(&self, url: &U) -> Result<Report, UrlError> {
        let url = url.as_ref();
        let path = UrlPath::of(url)?;
        let mut signals = Vec::with_capacity(Signal::ALL.len());
        signals.extend(self.content_usage(url, &path)?);
        self.content_signal(&path, &mut signals);
        signals.extend(self.rsl_report(url, &path));
        signals.extend(self.tdmrep_report(&path));
        signals.extend(self.control_token(url)?);
        signals.extend(self.page_directives());
        Ok(Report {
            url: whole(url),
            agent: self.agent.as_str().to_owned(),
            group: self.site.as_ref().and_then(|site| site.own.name()).map(str::to_owned),
            signals,
            findings: self.findings(),
        })
    }

    fn findings(&self) -> Vec<Finding> {
        let mut findings = self.site.as_deref().map(RobotsUsage::findings).unwrap_or_default();
        findings.extend(self.header.iter().flat_map(|header| header.findings.list()));
        findings.extend(self.page.iter().flat_map(|page| page.findings.list()));
        findings.extend(self.tdmrep.iter().flat_map(|tdmrep| tdmrep.findings()));
        let inline = self.page.iter().flat_map(|page| &page.documents).map(|(_, document)| document);
        let given = self.documents.iter().map(|(_, document)| *document);
        findings.extend(inline.chain(given).flat_map(LicenseDocument::findings));
        findings
    }

    /// Returns the report on `Content-Usage`, from robots.txt and the header together (draft-ietf-aipref-vocab-08
    /// §5.1).
    fn content_usage(&self, url: &[u8], path: &UrlPath<'_>) -> Result<Option<SignalReport>, UrlError> {
        if self.site.is_none() && self.header.is_none() {
            return Ok(None);
        }
        let mut report = SignalReport::of_content_usage(self.vocabulary);
        if let Some(site) = &self.site {
            let stated = site.own.usage(self.vocabulary, url, path)?;
            (report.preferences, report.disallowed_by) = (stated.preferences, stated.disallowed_by);
            if let Some(everyone) = &site.everyone {
                report.site_default = Some(everyone.usage(self.vocabulary, url, path)?.preferences);
            }
        }
        let header = self.header.as_ref().and_then(|header| header.usage.as_ref());
        if let Some((statement, evidence)) = header.filter(|(statement, _)| statement.has_stance()) {
            let defaults = report.site_default.iter_mut().flat_map(|preferences| preferences.to_mut());
            for preference in report.preferences.to_mut().iter_mut().chain(defaults) {
                preference.combine(statement.stance(preference.usage()), || evidence.clone());
            }
        }
        if self.vocabulary.search_overrides() {
            add_search_conditions(&mut report.preferences, self.vocabulary);
            report
                .site_default
                .iter_mut()
                .for_each(|preferences| add_search_conditions(preferences, self.vocabulary));
        }
        Ok(Some(report))
    }

    fn content_signal(&self, path: &UrlPath<'_>, reports: &mut Vec<SignalReport>) {
        let report = |interpretation, sum: Sum| {
            let mut report = SignalReport::new(Signal::ContentSignal, Some(interpretation), sum.preferences);
            report.consumption = sum.consumption;
            report
        };
        if let Some(site) = &self.site {
            let mut group = report(Interpretation::Group, site.own.signals(path));
            group.site_default = site.everyone.as_ref().map(|everyone| everyone.signals(path).preferences);
            reports.push(group);
            if site.has_signals() {
                reports.push(report(Interpretation::WholeFile, site.whole_file_signals(path)));
            }
        }
        if let Some(header) = self.header.as_ref().filter(|header| !header.signals.is_empty()) {
            reports.push(report(Interpretation::Header, content_signal::sum(&header.signals, path)));
        }
    }

    fn rsl_report(&self, url: &[u8], path: &UrlPath<'_>) -> Option<SignalReport> {
        let is_given = self.site.is_some() || self.header.is_some() || self.page.is_some();
        if !is_given && self.documents.is_empty() && self.unavailable.is_empty() {
            return None;
        }
        let mut report = SignalReport::new(Signal::Rsl, None, self.rsl_preferences(url, path));
        if let Some(site) = &self.site {
            report.licenses.extend_from_slice(site.licenses_for(&site.own));
            if let Some(everyone) = &site.everyone {
                let theirs = site.licenses_for(everyone);
                let is_other = theirs != report.licenses;
                report.site_default_licenses = if is_other { theirs.to_vec() } else { Vec::new() };
            }
        }
        report.licenses.extend(self.header.iter().flat_map(|header| header.licenses.iter().cloned()));
        report.licenses.extend(self.page.iter().flat_map(|page| page.licenses.iter().cloned()));
        Some(report)
    }

    fn rsl_preferences(&self, url: &[u8], path: &UrlPath<'_>) -> Preferences {
        let has_inline = self.page.as_ref().is_some_and(|page| !page.documents.is_empty());
        if !has_inline && self.documents.is_empty() && self.unavailable.is_empty() {
            return unstated(Signal::Rsl);
        }
        let terms = Signal::Rsl.terms().iter();
        terms.map(|&(usage, term)| self.rsl_preference(usage, term, url, path)).collect()
    }

    /// Returns the preference in the licenses of the page. If these state none, returns the preference in the licenses
    /// of the site. Among several documents, the most restrictive counts (RSL 1.0 §4.9).
    fn rsl_preference(&self, usage: Use, term: &'static str, url: &[u8], path: &UrlPath<'_>) -> Preference {
        let in_page = self.page.iter().flat_map(|page| &page.documents);
        let documents =
            || in_page.clone().map(|(how, document)| (*how, document)).chain(self.documents.iter().copied());
        let grant = |is_site: bool| {
            let of_this_kind = documents().filter(move |(how, _)| (*how == Association::Site) == is_site);
            of_this_kind.filter_map(|(how, document)| document.grant(how, term, url, path, &self.user))
        };
        let mut grants: Vec<Grant> = grant(false).collect();
        if grants.is_empty() {
            grants = grant(true).collect();
        }
        // If the stance of one document is unknown, no other document can allow the use.
        let has = |stance| grants.iter().any(|grant| grant.stance == stance);
        let stances = [Stance::Disallow, Stance::Unknown, Stance::Allow];
        let stance = stances.into_iter().find(|&stance| has(stance)).unwrap_or_default();
        let mut preference = Preference::new(usage, term);
        preference.state(stance);
        for grant in grants.into_iter().filter(|grant| grant.stance == stance) {
            preference.push_evidence(|| grant.evidence);
            grant.conditions.into_iter().for_each(|condition| preference.push_condition(condition));
        }
        self.add_unavailable_licenses(documents().next().is_some(), &mut preference);
        preference
    }

    fn add_unavailable_licenses(&self, has_others: bool, preference: &mut Preference) {
        for url in &self.unavailable {
            let url = shown(url.as_bytes());
            if !has_others {
                preference.state(Stance::Disallow);
                preference.push_evidence(|| Citation::index(Channel::RslDocument, 0, url.clone()));
                preference
                    .push_condition(format!("the license {url} is not available, so nothing is licensed"));
            } else if preference.stance() == Stance::Allow {
                preference.state(Stance::Unknown);
                preference
                    .push_condition(format!("the license {url} is not available; its terms may differ"));
            }
        }
    }

    /// Returns the report on TDMRep. The header replaces the values of the file, and the page replaces the values of
    /// both.
    fn tdmrep_report(&self, path: &UrlPath<'_>) -> Option<SignalReport> {
        if self.tdmrep.is_none() && self.header.is_none() && self.page.is_none() {
            return None;
        }
        let file = self.tdmrep.map(|tdmrep| tdmrep.statements(path));
        let header = self.header.as_ref().map(|header| header.tdm.clone());
        let page = self.page.as_ref().map(|page| page.tdm.clone());
        let sources = [file, header, page].into_iter().flatten();
        let statements = sources.fold(tdmrep::TdmStatements::default(), tdmrep::TdmStatements::superseded_by);
        Some(SignalReport::new(Signal::Tdmrep, None, statements.preferences()))
    }

    fn control_token(&self, url: &[u8]) -> Result<Option<SignalReport>, UrlError> {
        let (Some(site), Some(token)) = (&self.site, ControlToken::of(self.agent)) else { return Ok(None) };
        let preferences = token.stances(site.own.rules(), url)?;
        Ok(Some(SignalReport::new(Signal::ControlToken, None, preferences.into())))
    }

    /// Returns the report on `noai` and `noimageai`, if header or page has them.
    fn page_directives(&self) -> Option<SignalReport> {
        let header = self.header.iter().flat_map(|header| &header.directives);
        let page = self.page.iter().flat_map(|page| &page.directives);
        let preference = directives::preference(header.chain(page), self.agent)?;
        Some(SignalReport::new(Signal::PageDirectives, None, vec![preference].into()))
    }
}

/// Adds a condition to each stated preference that differs from a stated preference on search. Inside a search
/// application, the preference on search counts instead (draft-ietf-aipref-vocab-08 §4.3).
fn add_search_conditions(preferences: &mut Preferences, vocabulary: Vocabulary) {
    let search = preferences.iter().find(|preference| preference.usage() == Use::Search);
    let search = search.map(Preference::stance).unwrap_or_default();
    let is_overridden = |one: &Preference| {
        one.stance() != Stance::Unknown && one.stance() != search && search != Stance::Unknown
    };
    if !preferences.iter().any(is_overridden) {
        return;
    }
    for preference in preferences.to_mut().iter_mut().filter(|one| is_overridden(one)) {
        preference.push_condition(format!(
            "inside a search application, the stance on `search` counts instead: {search} ({} \u{a7}4.3)",
            vocabulary.draft()
        ));
    }
}

impl HeaderUsage {
    /// Parses the fields `Content-Usage`, `Content-Signal`, `Link`, `X-Robots-Tag` and `Robots-Tag`, and those of
    /// TDMRep.
    pub fn new(headers: &Headers<'_>, vocabulary: Vocabulary) -> Self {
        let mut findings = DocumentFindings::new(Channel::HttpHeader);
        // Several fields are equivalent to one field that joins their values by commas (RFC 9651 §4.2).
        let values: Vec<&[u8]> = headers.get_all("content-usage").collect();
        let usage = (!values.is_empty()).then(|| {
            let value = values.join(&b", "[..]);
            let evidence = field("Content-Usage", 0, &value);
            (PreferenceStatement::parse_with_findings(&value, vocabulary, None, &mut findings), evidence)
        });
        let signals = headers.get_all("content-signal").enumerate().map(|(index, value)| {
            SignalLine::parse(value, field("Content-Signal", index, value), &mut findings)
        });
        let signals: Vec<_> = signals.collect();
        content_signal::report_conflicts(&signals, &mut findings);
        let licenses = licenses_in_header(headers, &mut findings);
        let tdm = tdmrep::TdmStatements::in_header(headers, &mut findings);
        let directives = TrainingDirective::of(&PageDirectives::of_header(headers));
        HeaderUsage { usage, signals, licenses, tdm, directives, findings }
    }
}

/// Returns the licenses to which `Link` fields link.
pub(super) fn licenses_in_header(headers: &Headers<'_>, findings: &mut DocumentFindings) -> Vec<LicenseLink> {
    let mut licenses = Vec::new();
    for (index, value) in headers.get_all("link").enumerate() {
        let text = String::from_utf8_lossy(value);
        let (links, is_odd) = link::links(&text);
        if is_odd {
            findings.detail(&kinds::LINK_SYNTAX, FindingPosition::Document, || quoted(value));
        }
        for link in links.iter().filter(|link| link.is_rsl_license()) {
            let evidence = || field("Link", index, value);
            take_license(link.target, None, evidence, findings, &mut licenses);
        }
    }
    licenses
}

impl PageUsage {
    /// Parses the RSL documents in a page, its links to licenses, its TDMRep elements, and its robots directives.
    pub fn new(facts: &html::Facts) -> Self {
        let mut findings = DocumentFindings::new(Channel::Html);
        let mut licenses = Vec::new();
        let line = |at: html::Position| u32::try_from(at.line()).unwrap_or(u32::MAX);
        let is_license = |link: &&html::LinkElement| {
            link.is("license") && link.media_type().is_some_and(link::is_rsl_type)
        };
        for link in facts.links().iter().filter(is_license) {
            let line = line(link.at());
            let evidence = || {
                let text = format!("<link rel=\"license\" href=\"{}\">", shown(link.href().as_bytes()));
                Citation::line(Channel::Html, line, text)
            };
            take_license(link.href().trim(), Some(line), evidence, &mut findings, &mut licenses);
        }
        let mut documents = Vec::new();
        for script in facts.rsl_scripts() {
            let line = line(script.at());
            match LicenseDocument::parse_at(script.text().as_bytes(), Channel::Html, line) {
                Ok(document) => {
                    let is_in_head = script.at().region() == html::Region::Head;
                    let how = if is_in_head { Association::Inline } else { Association::Element };
                    documents.push((how, document));
                }
                Err(error) => findings.detail(&kinds::UNREADABLE_LICENSE, Some(line), || error.to_string()),
            }
        }
        let tdm = tdmrep::TdmStatements::in_html(facts, &mut findings);
        let directives = TrainingDirective::of(&PageDirectives::default().and_page(facts));
        PageUsage { licenses, documents, tdm, directives, findings }
    }
}

/// Adds the URL of a license if the URL is absolute, as RSL requires (RSL 1.0 §4.5 and §4.6).
fn take_license(
    url: &str,
    line: Option<u32>,
    evidence: impl FnOnce() -> Citation,
    findings: &mut DocumentFindings,
    licenses: &mut Vec<LicenseLink>,
) {
    if !site::is_absolute(url) {
        return findings.detail(&kinds::RELATIVE_LICENSE, line, || quoted(url));
    }
    if licenses.len() < site::MAX_LICENSES {
        licenses.push(LicenseLink { url: whole(url.as_bytes()), evidence: evidence() });
    }
}

/// Returns a URL as safe text. Programs fetch it, so it is cut only above any length that servers accept.
fn whole(url: &[u8]) -> String {
    /// Maximum length, in bytes.
    const MAX_URL: usize = 16 << 10;
    crate::shown::bytes(crate::shown::cut(url, MAX_URL)).into_owned()
}

/// Cites a header field by its index among the fields with that name.
fn field(name: &str, index: usize, value: &[u8]) -> Citation {
    Citation::index(Channel::HttpHeader, index, format!("{name}: {}", shown(value)))
}
