//! The usage statements of robots.txt: for one crawler, for crawlers without their own group, and for the whole site.

use super::aipref::{self, PreferenceStatement, Vocabulary};
use super::citation::{Citation, Preferences, shown, unstated_in};
use super::content_signal::{self, SignalLine, Sum};
use super::control::rule_evidence;
use super::document_findings::DocumentFindings;
use super::kinds;
use crate::finding::{Channel, Finding, quoted};

use super::report::LicenseLink;
use super::words::Stance;
use crate::robots::scope::{Audience, Scope, UrlPath};
use crate::robots::{Agent, Record, RecordKind, RobotsTxt, Rules, UrlError};

/// Keys in real robots.txt files that resemble usage signals, but have no specification.
const UNRECOGNISED: [&str; 4] = ["disallowaitraining", "allowaitraining", "llm-policy", "content-signals"];

/// Maximum number of licenses of one source. Further licenses are ignored.
pub(super) const MAX_LICENSES: usize = 100;

/// All usage statements of a robots.txt for one crawler, parsed once for many URLs.
///
/// [`Usage::robots`](super::Usage::robots) parses a file on each call. A program that evaluates many pages of one
/// origin parses the file once and shares the result.
///
/// ```
/// use std::sync::Arc;
///
/// use comity::robots::{Agent, RobotsTxt};
/// use comity::usage::{Stance, RobotsUsage, Signal, Usage, Use};
///
/// let agent = Agent::token("examplebot")?;
/// let robots = RobotsTxt::parse("User-agent: *\nContent-Usage: train-ai=n\n");
/// let usage = Arc::new(RobotsUsage::new(&robots, &agent));
/// for url in ["https://example.com/a", "https://example.com/b"] {
///     let report = Usage::for_agent(&agent).robots_usage(usage.clone()).report(url)?;
///     let stance = report.signal(Signal::ContentUsage).map(|signal| signal.stance(Use::Train));
///     assert_eq!(stance, Some(Stance::Disallow));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RobotsUsage {
    vocabulary: Vocabulary,
    /// The statements of the groups that apply to the crawler.
    pub(super) own: AudienceUsage,
    /// The statements of the `*` groups, if the crawler has its own group.
    pub(super) everyone: Option<AudienceUsage>,
    /// Every `Content-Signal` line of the file.
    signals: Vec<SignalLine>,
    /// `License` lines before any group.
    licenses: Vec<LicenseLink>,
    findings: DocumentFindings,
}

/// The statements for the crawler, or for crawlers without their own group.
#[derive(Clone, Debug)]
pub(super) struct AudienceUsage {
    audience: Audience,
    /// True if the last processed record applies to the audience.
    is_applicable: bool,
    rules: Rules,
    usage: Vec<UsageRule>,
    signals: Vec<SignalLine>,
    licenses: Vec<LicenseLink>,
}

/// A `Content-Usage` rule.
#[derive(Clone, Debug)]
struct UsageRule {
    /// The path; `None` if the rule applies to the whole site.
    scope: Option<Scope>,
    statement: PreferenceStatement,
    evidence: Citation,
}

impl UsageRule {
    /// Returns the length of the path, or 0 without a path. A path has at least length 1.
    fn length(&self) -> u32 {
        self.scope.as_ref().map_or(0, Scope::length)
    }

    fn matches(&self, path: &UrlPath<'_>) -> bool {
        self.scope.as_ref().is_none_or(|scope| scope.matches(path))
    }
}

/// The combined preferences of the `Content-Usage` rules for a URL.
pub(super) struct UrlPreferences {
    pub preferences: Preferences,
    /// The rule that disallows fetching the URL; in that case no preference counts.
    pub disallowed_by: Option<Citation>,
}

impl RobotsUsage {
    /// Reads a robots.txt for one crawler, with the default vocabulary of `Content-Usage`.
    pub fn new(robots: &RobotsTxt<'_>, agent: &Agent) -> Self {
        RobotsUsage::with_vocabulary(robots, agent, Vocabulary::default())
    }

    /// Reads a robots.txt for one crawler, with the given revision of the vocabulary of `Content-Usage`.
    pub fn with_vocabulary(robots: &RobotsTxt<'_>, agent: &Agent, vocabulary: Vocabulary) -> Self {
        let own = AudienceUsage::new(Audience::of(robots, agent), robots.rules_for(agent));
        let is_everyone = matches!(own.audience.name(), None | Some("*"));
        let everyone = (!is_everyone)
            .then(|| {
                AudienceUsage::new(Audience::everyone(robots), robots.rules_for(&Agent::unchecked_token("*")))
            })
            .filter(|statements| statements.audience.name().is_some());
        let findings = DocumentFindings::new(Channel::RobotsTxt);
        let mut site =
            RobotsUsage { vocabulary, own, everyone, signals: Vec::new(), licenses: Vec::new(), findings };
        for (record, group) in robots.placed_records() {
            site.own.begin_record(robots, &record, group);
            if let Some(everyone) = &mut site.everyone {
                everyone.begin_record(robots, &record, group);
            }
            site.take(&record, group);
        }
        let RobotsUsage { own, findings, .. } = &mut site;
        content_signal::report_conflicts(&own.signals, findings);
        site
    }

    fn take(&mut self, record: &Record<'_>, group: Option<usize>) {
        match record.kind() {
            RecordKind::ContentUsage => self.take_usage(record, group),
            RecordKind::ContentSignal => self.take_signal(record, group),
            RecordKind::License => self.take_license(record, group),
            kind if UNRECOGNISED.iter().any(|key| key.as_bytes().eq_ignore_ascii_case(record.key())) => {
                // The default dialect follows Google's parser, which recognizes `Allow` and `Disallow` by the first
                // letters of the key.
                let finding = match kind.is_rule() {
                    true => &kinds::USAGE_SIGNAL_READ_AS_RULE,
                    false => &kinds::UNRECOGNISED_SIGNAL,
                };
                self.findings.detail(finding, Some(record.line()), || written(record));
            }
            _ => {}
        }
    }

    /// Returns the audiences to which the last processed record applies.
    fn applicable(&mut self) -> impl Iterator<Item = &mut AudienceUsage> {
        std::iter::once(&mut self.own)
            .chain(self.everyone.as_mut())
            .filter(|statements| statements.is_applicable)
    }

    fn take_usage(&mut self, record: &Record<'_>, group: Option<usize>) {
        let line = Some(record.line());
        let (path, statement) = aipref::split_rule(record.value());
        let statement =
            PreferenceStatement::parse_with_findings(statement, self.vocabulary, line, &mut self.findings);
        if group.is_none() {
            self.findings.detail(&kinds::OUTSIDE_ANY_GROUP, line, || written(record));
        }
        for statements in self.applicable() {
            let scope = path.and_then(Scope::new);
            statements.usage.push(UsageRule { scope, statement, evidence: evidence(record) });
        }
    }

    fn take_signal(&mut self, record: &Record<'_>, group: Option<usize>) {
        let signal = SignalLine::parse_rule(record.value(), evidence(record), &mut self.findings);
        if group.is_none() {
            let detail = || {
                format!("{}; only programs that apply all lines to the whole site use it", written(record))
            };
            self.findings.detail(&kinds::OUTSIDE_ANY_GROUP, Some(record.line()), detail);
        }
        for statements in self.applicable() {
            statements.signals.push(signal.clone());
        }
        self.signals.push(signal);
    }

    fn take_license(&mut self, record: &Record<'_>, group: Option<usize>) {
        let value = record.value_text();
        if !is_absolute(&value) {
            let detail = || quoted(record.value());
            return self.findings.detail(&kinds::RELATIVE_LICENSE, Some(record.line()), detail);
        }
        let license = LicenseLink { url: value.into_owned(), evidence: evidence(record) };
        let push = |licenses: &mut Vec<LicenseLink>| {
            if licenses.len() < MAX_LICENSES {
                licenses.push(license.clone());
            }
        };
        self.applicable().for_each(|statements| push(&mut statements.licenses));
        if group.is_none() {
            push(&mut self.licenses);
        }
    }

    /// Combines every `Content-Signal` line of the file.
    pub(super) fn whole_file_signals(&self, path: &UrlPath<'_>) -> Sum {
        content_signal::sum(&self.signals, path)
    }

    /// Returns true if the statements may differ between paths. This is the case with a `Content-Signal` that has a
    /// path, and with any `Content-Usage` rule, which does not count for paths that may not be fetched. The rules for a
    /// [control token](super::Signal::ControlToken) are not considered.
    pub fn varies_by_path(&self) -> bool {
        let statements = || std::iter::once(&self.own).chain(&self.everyone);
        statements().any(|statements| !statements.usage.is_empty())
            || self.signals.iter().any(SignalLine::has_path)
    }

    /// Returns true if there is any `Content-Signal` line.
    pub(super) fn has_signals(&self) -> bool {
        !self.signals.is_empty()
    }

    /// Returns the `License` lines for an audience: the lines of its groups or, if these have none, the lines before
    /// the first group (RSL 1.0 §4.4).
    pub(super) fn licenses_for<'s>(&'s self, statements: &'s AudienceUsage) -> &'s [LicenseLink] {
        if statements.licenses.is_empty() { &self.licenses } else { &statements.licenses }
    }

    pub(super) fn findings(&self) -> Vec<Finding> {
        self.findings.list()
    }
}

impl AudienceUsage {
    fn new(audience: Audience, rules: Rules) -> Self {
        AudienceUsage {
            audience,
            is_applicable: false,
            rules,
            usage: Vec::new(),
            signals: Vec::new(),
            licenses: Vec::new(),
        }
    }

    fn begin_record(&mut self, robots: &RobotsTxt<'_>, record: &Record<'_>, group: Option<usize>) {
        self.is_applicable = self.audience.process(robots, record, group);
    }

    /// Returns the name of the groups that apply to the audience.
    pub(super) fn name(&self) -> Option<&str> {
        self.audience.name()
    }

    pub(super) fn rules(&self) -> &Rules {
        &self.rules
    }

    pub(super) fn signals(&self, path: &UrlPath<'_>) -> Sum {
        content_signal::sum(&self.signals, path)
    }

    /// Returns the combined preferences of the `Content-Usage` rules for a URL (draft-ietf-aipref-attach-05 §3.1). Only
    /// the rules with the longest matching path count.
    pub(super) fn usage(
        &self,
        vocabulary: Vocabulary,
        url: &[u8],
        path: &UrlPath<'_>,
    ) -> Result<UrlPreferences, UrlError> {
        let mut preferences = unstated_in(vocabulary);
        let decision = self.rules.decide(url)?;
        if !decision.is_allowed() {
            return Ok(UrlPreferences { preferences, disallowed_by: rule_evidence(&decision) });
        }
        let matching = || self.usage.iter().filter(|rule| rule.matches(path));
        let longest = matching().map(UsageRule::length).max();
        let counts = |rule: &&UsageRule| Some(rule.length()) == longest && rule.statement.has_stance();
        for rule in matching().filter(counts) {
            for preference in preferences.to_mut() {
                let stance: Stance = rule.statement.stance(preference.usage());
                preference.combine(stance, || rule.evidence.clone());
            }
        }
        Ok(UrlPreferences { preferences, disallowed_by: None })
    }
}

/// Returns true if a URI has a scheme, followed by a path that starts with `/` or by the name of a URN.
pub(super) fn is_absolute(uri: &str) -> bool {
    let Some((scheme, rest)) = uri.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-'));
    let is_somewhere = rest.starts_with('/') || (scheme.eq_ignore_ascii_case("urn") && !rest.is_empty());
    is_scheme && is_somewhere && !uri.contains(char::is_whitespace)
}

fn evidence(record: &Record<'_>) -> Citation {
    let text = format!("{}: {}", record.kind().label(), shown(record.value()));
    Citation::line(Channel::RobotsTxt, record.line(), text)
}

/// Returns a record as written, in backticks.
fn written(record: &Record<'_>) -> String {
    quoted([record.key(), b": ", record.value()].concat())
}
