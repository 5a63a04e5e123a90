//! The question: whose crawler, and everything that a site says about use.

use std::sync::Arc;

use super::aipref::ContentUsage;
use super::content_signal::{self, SignalLine, Sum};
use super::control::ControlToken;
use super::evidence::{Evidence, Preference, Preferences, nothing_said, shown};
use super::found::{At, Found};
use super::kinds;
use crate::finding::{Channel, Finding, quoted};

use super::link;
use super::report::{License, Report, SignalReport};
use super::rsl::{Asker, Granted, LicenseDocument};
use super::site::{self, RobotsUsage};
use super::tdmrep::{self, Tdmrep};
use super::words::{PreferenceValue, Reading, Signal, Use};
use crate::html;
use crate::http::Headers;
use crate::robots::scope::UrlPath;
use crate::robots::{Agent, RobotsTxt, UrlError};

/// Asks what a site's content may be used for, given what the site says.
///
/// Give what there is; a signal whose sources are not given is not reported. Everything is read when it is given, so that
/// many URLs can be asked about. See the [module](super) for what each signal means.
///
/// ```
/// use comity::robots::{Agent, RobotsTxt};
/// use comity::usage::{PreferenceValue, Signal, Usage, Use};
///
/// let robots = RobotsTxt::parse(
///     "User-agent: *\nDisallow: /never/\nContent-Usage: train-ai=n\nContent-Usage: /ai-ok/ train-ai=y\n",
/// );
/// let agent = Agent::token("examplebot");
/// let usage = Usage::for_agent(&agent).robots(&robots);
///
/// let train = |url: &str| {
///     let report = usage.report(url)?;
///     Ok::<_, comity::robots::UrlError>(report.signal(Signal::ContentUsage).map(|signal| signal.answer(Use::Train)))
/// };
/// assert_eq!(train("https://example.com/test")?, Some(PreferenceValue::Disallow));
/// assert_eq!(train("https://example.com/ai-ok/test")?, Some(PreferenceValue::Allow));
/// // What may not be fetched has no preference.
/// assert_eq!(train("https://example.com/never/test")?, Some(PreferenceValue::Unknown));
/// # Ok::<(), comity::robots::UrlError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Usage<'a> {
    agent: &'a Agent,
    asker: Asker,
    site: Option<Arc<RobotsUsage>>,
    header: Option<Header>,
    page: Option<Page>,
    tdmrep: Option<&'a Tdmrep>,
    documents: Vec<&'a LicenseDocument>,
}

/// What the HTTP header says.
#[derive(Clone, Debug)]
struct Header {
    usage: Option<(ContentUsage, Evidence)>,
    signals: Vec<SignalLine>,
    licences: Vec<License>,
    tdm: tdmrep::Says,
    findings: Found,
}

/// What the HTML says.
#[derive(Clone, Debug)]
struct Page {
    licences: Vec<License>,
    /// Licences that stand in the page itself.
    documents: Vec<LicenseDocument>,
    tdm: tdmrep::Says,
    findings: Found,
}

impl<'a> Usage<'a> {
    /// On whose behalf the question is asked.
    pub fn for_agent(agent: &'a Agent) -> Self {
        Usage {
            agent,
            asker: Asker::default(),
            site: None,
            header: None,
            page: None,
            tdmrep: None,
            documents: Vec::new(),
        }
    }

    /// Returns what kind of user the crawler works for, in the words of RSL 1.0 §3.4.1.2: `commercial`, `non-commercial`,
    /// `education`, `government`, `personal`. May be said several times. RSL licences may be for some only.
    #[must_use]
    pub fn user(mut self, kind: impl Into<String>) -> Self {
        self.asker.users.push(kind.into().to_ascii_lowercase());
        self
    }

    /// Returns where that user is: an ISO 3166-1 alpha-2 code, or `EU`. May be said several times; a user in
    /// Germany is in `DE` and in `EU`.
    #[must_use]
    pub fn place(mut self, code: impl Into<String>) -> Self {
        self.asker.places.push(code.into().to_ascii_uppercase());
        self
    }

    /// The robots.txt of the URL's origin.
    #[must_use]
    pub fn robots(self, robots: &RobotsTxt<'_>) -> Self {
        let said = Arc::new(RobotsUsage::new(robots, self.agent));
        self.robots_usage(said)
    }

    /// The robots.txt of the URL's origin, read before for the same crawler.
    #[must_use]
    pub fn robots_usage(self, said: Arc<RobotsUsage>) -> Self {
        Usage { site: Some(said), ..self }
    }

    /// The header of the answer that the content came in.
    #[must_use]
    pub fn headers(self, headers: &Headers<'_>) -> Self {
        Usage { header: Some(Header::new(headers)), ..self }
    }

    /// The page that the content is.
    #[must_use]
    pub fn html(self, facts: &html::Facts) -> Self {
        Usage { page: Some(Page::new(facts)), ..self }
    }

    /// The `/.well-known/tdmrep.json` of the URL's origin.
    #[must_use]
    pub fn tdmrep(self, tdmrep: &'a Tdmrep) -> Self {
        Usage { tdmrep: Some(tdmrep), ..self }
    }

    /// An RSL document that [`SignalReport::licences`] names. May be given several times; the most restrictive counts.
    #[must_use]
    pub fn rsl(mut self, document: &'a LicenseDocument) -> Self {
        self.documents.push(document);
        self
    }

    /// Returns what is said of one URL: an absolute URL, or a path.
    ///
    /// # Errors
    ///
    /// [`UrlError`] if it is neither.
    pub fn report<U: AsRef<[u8]> + ?Sized>(&self, url: &U) -> Result<Report, UrlError> {
        let url = url.as_ref();
        let path = UrlPath::of(url)?;
        let mut signals = Vec::with_capacity(Signal::ALL.len());
        signals.extend(self.content_usage(url, &path)?);
        self.content_signal(&mut signals);
        signals.extend(self.rsl_report(url, &path));
        signals.extend(self.tdmrep_report(&path));
        signals.extend(self.control_token(url)?);
        Ok(Report {
            url: shown(url),
            agent: self.agent.as_str().to_owned(),
            group: self.site.as_ref().and_then(|site| site.yours.name()).map(str::to_owned),
            signals,
            findings: self.findings(),
        })
    }

    fn findings(&self) -> Vec<Finding> {
        let mut findings = self.site.as_deref().map(RobotsUsage::findings).unwrap_or_default();
        findings.extend(self.header.iter().flat_map(|header| header.findings.list()));
        findings.extend(self.page.iter().flat_map(|page| page.findings.list()));
        findings.extend(self.tdmrep.iter().flat_map(|tdmrep| tdmrep.findings()));
        let inline = self.page.iter().flat_map(|page| &page.documents);
        findings.extend(inline.chain(self.documents.iter().copied()).flat_map(LicenseDocument::findings));
        findings
    }

    /// robots.txt and header together (draft-ietf-aipref-vocab-07 §5.1).
    fn content_usage(&self, url: &[u8], path: &UrlPath<'_>) -> Result<Option<SignalReport>, UrlError> {
        if self.site.is_none() && self.header.is_none() {
            return Ok(None);
        }
        let mut report = SignalReport::new(Signal::ContentUsage, None, nothing_said(Signal::ContentUsage));
        if let Some(site) = &self.site {
            let answer = site.yours.usage(url, path)?;
            (report.preferences, report.disallowed_by) = (answer.preferences, answer.disallowed_by);
            if let Some(everyone) = &site.everyone {
                report.site_default = Some(everyone.usage(url, path)?.preferences);
            }
        }
        let header = self.header.as_ref().and_then(|header| header.usage.as_ref());
        if let Some((statement, evidence)) = header.filter(|(statement, _)| statement.says_something()) {
            let defaults = report.site_default.iter_mut().flat_map(|preferences| preferences.to_mut());
            for preference in report.preferences.to_mut().iter_mut().chain(defaults) {
                preference.combine(statement.answer(preference.usage()), || evidence.clone());
            }
        }
        Ok(Some(report))
    }

    fn content_signal(&self, reports: &mut Vec<SignalReport>) {
        let report = |reading, sum: Sum| {
            let mut report = SignalReport::new(Signal::ContentSignal, Some(reading), sum.preferences);
            report.consumption = sum.consumption;
            report
        };
        if let Some(site) = &self.site {
            let mut group = report(Reading::Group, site.yours.signals());
            group.site_default = site.everyone.as_ref().map(|everyone| everyone.signals().preferences);
            reports.push(group);
            if site.has_signals() {
                reports.push(report(Reading::WholeFile, site.whole_file_signals()));
            }
        }
        if let Some(header) = self.header.as_ref().filter(|header| !header.signals.is_empty()) {
            reports.push(report(Reading::Header, content_signal::sum(&header.signals, None)));
        }
    }

    fn rsl_report(&self, url: &[u8], path: &UrlPath<'_>) -> Option<SignalReport> {
        let is_given = self.site.is_some() || self.header.is_some() || self.page.is_some();
        if !is_given && self.documents.is_empty() {
            return None;
        }
        let mut report = SignalReport::new(Signal::Rsl, None, self.rsl_preferences(url, path));
        if let Some(site) = &self.site {
            report.licences.extend_from_slice(site.licences_for(&site.yours));
            if let Some(everyone) = &site.everyone {
                let theirs = site.licences_for(everyone);
                let is_other = theirs != report.licences;
                report.site_default_licences = if is_other { theirs.to_vec() } else { Vec::new() };
            }
        }
        report.licences.extend(self.header.iter().flat_map(|header| header.licences.iter().cloned()));
        report.licences.extend(self.page.iter().flat_map(|page| page.licences.iter().cloned()));
        Some(report)
    }

    fn rsl_preferences(&self, url: &[u8], path: &UrlPath<'_>) -> Preferences {
        let has_inline = self.page.as_ref().is_some_and(|page| !page.documents.is_empty());
        if !has_inline && self.documents.is_empty() {
            return nothing_said(Signal::Rsl);
        }
        let terms = Signal::Rsl.terms().iter();
        terms.map(|&(usage, term)| self.rsl_preference(usage, term, url, path)).collect()
    }

    /// Returns what licences in the page say, else what the documents say; of several, the most restrictive (RSL 1.0 §4.9).
    fn rsl_preference(&self, usage: Use, term: &'static str, url: &[u8], path: &UrlPath<'_>) -> Preference {
        let granted = |document: &LicenseDocument| document.granted(term, url, path, &self.asker);
        let in_page = self.page.iter().flat_map(|page| &page.documents);
        let mut grants: Vec<Granted> = in_page.filter_map(granted).collect();
        if grants.is_empty() {
            grants = self.documents.iter().copied().filter_map(granted).collect();
        }
        // A grant that is unknown to this asker is not silence: it holds back what others allow.
        let has = |answer| grants.iter().any(|granted| granted.answer == answer);
        let answers = [PreferenceValue::Disallow, PreferenceValue::Unknown, PreferenceValue::Allow];
        let answer = answers.into_iter().find(|&answer| has(answer)).unwrap_or_default();
        let mut preference = Preference::new(usage, term);
        preference.state(answer);
        for granted in grants.into_iter().filter(|granted| granted.answer == answer) {
            preference.push_evidence(|| granted.evidence);
            granted.conditions.into_iter().for_each(|condition| preference.push_condition(condition));
        }
        preference
    }

    /// The file, then the header, then the page: a later one replaces what an earlier one said.
    fn tdmrep_report(&self, path: &UrlPath<'_>) -> Option<SignalReport> {
        if self.tdmrep.is_none() && self.header.is_none() && self.page.is_none() {
            return None;
        }
        let file = self.tdmrep.map(|tdmrep| tdmrep.says(path));
        let header = self.header.as_ref().map(|header| header.tdm.clone());
        let page = self.page.as_ref().map(|page| page.tdm.clone());
        let sources = [file, header, page].into_iter().flatten();
        let says = sources.fold(tdmrep::Says::default(), tdmrep::Says::superseded_by);
        Some(SignalReport::new(Signal::Tdmrep, None, says.preferences()))
    }

    fn control_token(&self, url: &[u8]) -> Result<Option<SignalReport>, UrlError> {
        let (Some(site), Some(token)) = (&self.site, ControlToken::of(self.agent)) else { return Ok(None) };
        let preferences = token.answers(site.yours.rules(), url)?;
        Ok(Some(SignalReport::new(Signal::ControlToken, None, preferences.into())))
    }
}

impl Header {
    fn new(headers: &Headers<'_>) -> Self {
        let mut findings = Found::new(Channel::HttpHeader);
        // Several fields are one, joined by commas (RFC 9651 §4.2).
        let values: Vec<&[u8]> = headers.get_all("content-usage").collect();
        let usage = (!values.is_empty()).then(|| {
            let value = values.join(&b", "[..]);
            let evidence = field("Content-Usage", 0, &value);
            (ContentUsage::parse_with_findings(&value, None, &mut findings), evidence)
        });
        let signals = headers.get_all("content-signal").enumerate().map(|(index, value)| {
            SignalLine::parse(value, field("Content-Signal", index, value), &mut findings)
        });
        let signals: Vec<_> = signals.collect();
        content_signal::sum(&signals, Some(&mut findings));
        let licences = licences_in_header(headers, &mut findings);
        let tdm = tdmrep::Says::in_header(headers, &mut findings);
        Header { usage, signals, licences, tdm, findings }
    }
}

/// The licences that `Link` fields lead to.
fn licences_in_header(headers: &Headers<'_>, findings: &mut Found) -> Vec<License> {
    let mut licences = Vec::new();
    for (index, value) in headers.get_all("link").enumerate() {
        let text = String::from_utf8_lossy(value);
        let (links, is_odd) = link::links(&text);
        if is_odd {
            findings.detail(&kinds::LINK_SYNTAX, At::Document, || quoted(value));
        }
        for link in links.iter().filter(|link| link.is_rsl_licence()) {
            let evidence = || field("Link", index, value);
            take_licence(link.target, None, evidence, findings, &mut licences);
        }
    }
    licences
}

impl Page {
    fn new(facts: &html::Facts) -> Self {
        let mut findings = Found::new(Channel::Html);
        let mut licences = Vec::new();
        let line = |at: html::Position| u32::try_from(at.line()).unwrap_or(u32::MAX);
        let is_licence = |link: &&html::LinkElement| {
            link.is("license") && link.media_type().is_some_and(link::is_rsl_type)
        };
        for link in facts.links().iter().filter(is_licence) {
            let line = line(link.at());
            let evidence = || {
                let text = format!("<link rel=\"license\" href=\"{}\">", shown(link.href().as_bytes()));
                Evidence::line(Channel::Html, line, text)
            };
            take_licence(link.href().trim(), Some(line), evidence, &mut findings, &mut licences);
        }
        let mut documents = Vec::new();
        for script in facts.rsl_scripts() {
            let line = line(script.at());
            match LicenseDocument::parse_at(script.text().as_bytes(), Channel::Html, line) {
                Ok(document) => documents.push(document),
                Err(error) => findings.detail(&kinds::UNREADABLE_LICENSE, Some(line), || error.to_string()),
            }
        }
        let tdm = tdmrep::Says::in_html(facts, &mut findings);
        Page { licences, documents, tdm, findings }
    }
}

/// Takes a licence's address if it is absolute, as RSL wants (RSL 1.0 §4.5 and §4.6).
fn take_licence(
    url: &str,
    line: Option<u32>,
    evidence: impl FnOnce() -> Evidence,
    findings: &mut Found,
    licences: &mut Vec<License>,
) {
    if !site::is_absolute(url) {
        return findings.detail(&kinds::RELATIVE_LICENSE, line, || quoted(url));
    }
    if licences.len() < site::MAX_LICENCES {
        licences.push(License { url: shown(url.as_bytes()), evidence: evidence() });
    }
}

/// A header field, among those of its name.
fn field(name: &str, index: usize, value: &[u8]) -> Evidence {
    Evidence::index(Channel::HttpHeader, index, format!("{name}: {}", shown(value)))
}
