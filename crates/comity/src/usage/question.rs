//! The question: whose crawler, and everything that a site says about use.

use super::aipref::{self, Statement};
use super::content_signal::{self, SignalLine, Sum};
use super::control::ControlToken;
use super::evidence::{Evidence, shown};
use super::finding::{Finding, Findings};
use super::report::{Report, SignalReport};
use super::site::Site;
use super::words::{Channel, Reading, Signal};
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
/// use comity::usage::{Answer, Signal, Usage, Use};
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
/// assert_eq!(train("https://example.com/test")?, Some(Answer::Disallow));
/// assert_eq!(train("https://example.com/ai-ok/test")?, Some(Answer::Allow));
/// // What may not be fetched has no preference.
/// assert_eq!(train("https://example.com/never/test")?, Some(Answer::Unknown));
/// # Ok::<(), comity::robots::UrlError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Usage<'a> {
    agent: &'a Agent,
    site: Option<Site>,
    header: Option<Header>,
}

/// What the HTTP header says.
#[derive(Clone, Debug)]
struct Header {
    usage: Option<(Statement, Evidence)>,
    signals: Vec<SignalLine>,
    findings: Findings,
}

impl<'a> Usage<'a> {
    /// On whose behalf the question is asked.
    pub fn for_agent(agent: &'a Agent) -> Self {
        Usage { agent, site: None, header: None }
    }

    /// The robots.txt of the URL's origin.
    #[must_use]
    pub fn robots(self, robots: &RobotsTxt<'_>) -> Self {
        Usage { site: Some(Site::new(robots, self.agent)), ..self }
    }

    /// The header of the answer that the content came in.
    #[must_use]
    pub fn headers(self, headers: &Headers<'_>) -> Self {
        Usage { header: Some(Header::new(headers)), ..self }
    }

    /// What is said of one URL: an absolute URL, or a path.
    ///
    /// # Errors
    ///
    /// [`UrlError`] if it is neither.
    pub fn report<U: AsRef<[u8]> + ?Sized>(&self, url: &U) -> Result<Report, UrlError> {
        let url = url.as_ref();
        let path = UrlPath::of(url)?;
        let mut signals = Vec::new();
        signals.extend(self.content_usage(url, &path)?);
        signals.extend(self.content_signal());
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
        let mut findings = self.site.as_ref().map(Site::findings).unwrap_or_default();
        findings.extend(self.header.iter().flat_map(|header| header.findings.clone().finish()));
        findings
    }

    /// robots.txt and header together (draft-ietf-aipref-vocab-07 §5.1).
    fn content_usage(&self, url: &[u8], path: &UrlPath<'_>) -> Result<Option<SignalReport>, UrlError> {
        if self.site.is_none() && self.header.is_none() {
            return Ok(None);
        }
        let mut report = SignalReport::new(Signal::ContentUsage, None, aipref::nothing_said());
        if let Some(site) = &self.site {
            let answer = site.yours.usage(url, path)?;
            (report.preferences, report.disallowed_by) = (answer.preferences, answer.disallowed_by);
            if let Some(everyone) = &site.everyone {
                report.site_default = Some(everyone.usage(url, path)?.preferences);
            }
        }
        if let Some((statement, evidence)) = self.header.as_ref().and_then(|header| header.usage.as_ref()) {
            for preference in report.preferences.iter_mut().chain(report.site_default.iter_mut().flatten()) {
                preference.combine(statement.answer(preference.usage()), || evidence.clone());
            }
        }
        Ok(Some(report))
    }

    fn content_signal(&self) -> Vec<SignalReport> {
        let report = |reading, sum: Sum| {
            let mut report = SignalReport::new(Signal::ContentSignal, Some(reading), sum.preferences);
            report.consumption = sum.consumption;
            report
        };
        let mut reports = Vec::new();
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
        reports
    }

    fn control_token(&self, url: &[u8]) -> Result<Option<SignalReport>, UrlError> {
        let (Some(site), Some(token)) = (&self.site, ControlToken::of(self.agent)) else { return Ok(None) };
        let preferences = token.answers(site.yours.rules(), url)?;
        Ok(Some(SignalReport::new(Signal::ControlToken, None, preferences)))
    }
}

impl Header {
    fn new(headers: &Headers<'_>) -> Self {
        let mut findings = Findings::new(Channel::HttpHeader);
        // Several fields are one, joined by commas (RFC 9651 §4.2).
        let values: Vec<&[u8]> = headers.get_all("content-usage").collect();
        let usage = (!values.is_empty()).then(|| {
            let value = values.join(&b", "[..]);
            let evidence = field("Content-Usage", 0, &value);
            (Statement::parse_with_findings(&value, None, &mut findings), evidence)
        });
        let signals = headers.get_all("content-signal").enumerate().map(|(index, value)| {
            SignalLine::parse(value, field("Content-Signal", index, value), &mut findings)
        });
        let signals: Vec<_> = signals.collect();
        content_signal::sum(&signals, Some(&mut findings));
        Header { usage, signals, findings }
    }
}

/// A header field, among those of its name.
fn field(name: &str, index: usize, value: &[u8]) -> Evidence {
    Evidence::index(Channel::HttpHeader, index, format!("{name}: {}", shown(value)))
}
