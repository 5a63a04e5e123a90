//! The report on a URL: the stances of all signals, listed separately.

use super::aipref::Vocabulary;
use super::citation::{Citation, Preference, Preferences, unstated_in};
use super::content_signal::Consumption;
use super::signal::{NotInForce, Signal};
use super::words::{Interpretation, Stance, Use};
use crate::finding::Finding;

/// The stances of one signal on one URL for one crawler.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Signal"))]
#[non_exhaustive]
pub struct SignalReport {
    /// The signal.
    pub(super) signal: Signal,
    /// The set of lines that were counted, if the specification permits several sets.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(super) interpretation: Option<Interpretation>,
    /// The specification according to which the signal was read, with its revision.
    pub(super) specification: &'static str,
    /// The operators that are known to ignore the signal.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "<[NotInForce]>::is_empty"))]
    not_in_force: &'static [NotInForce],
    /// The revision of the vocabulary according to which `Content-Usage` was read.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(super) vocabulary: Option<Vocabulary>,
    /// One preference for each use that the signal has a term for.
    pub(super) preferences: Preferences,
    /// The rule that disallows fetching the URL. Because of this rule, `Content-Usage` in robots.txt does not count for
    /// the URL.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(super) disallowed_by: Option<Citation>,
    /// `use=` of `Content-Signal`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(super) consumption: Option<Consumption>,
    /// The RSL licenses for the URL.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub(super) licenses: Vec<LicenseLink>,
    /// The preferences for crawlers that no group names, if the crawler has its own group and `*` has a group, too.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(super) site_default: Option<Preferences>,
    /// The RSL licenses for crawlers that no group names, if they differ from those for the crawler.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub(super) site_default_licenses: Vec<LicenseLink>,
}

impl SignalReport {
    pub(super) fn new(
        signal: Signal,
        interpretation: Option<Interpretation>,
        preferences: Preferences,
    ) -> Self {
        SignalReport {
            signal,
            interpretation,
            specification: signal.specification(),
            not_in_force: signal.not_in_force(),
            vocabulary: None,
            preferences,
            disallowed_by: None,
            consumption: None,
            licenses: Vec::new(),
            site_default: None,
            site_default_licenses: Vec::new(),
        }
    }

    pub(super) fn of_content_usage(vocabulary: Vocabulary) -> Self {
        SignalReport {
            specification: vocabulary.specification(),
            vocabulary: Some(vocabulary),
            ..SignalReport::new(Signal::ContentUsage, None, unstated_in(vocabulary))
        }
    }

    /// Returns the signal.
    pub fn signal(&self) -> Signal {
        self.signal
    }

    /// Returns the set of lines that were counted, if the specification permits several sets.
    pub fn interpretation(&self) -> Option<Interpretation> {
        self.interpretation
    }

    /// Returns the specification according to which the signal was read, with its revision.
    pub fn specification(&self) -> &'static str {
        self.specification
    }

    /// Returns the operators that are known to ignore the signal.
    pub fn not_in_force(&self) -> &'static [NotInForce] {
        self.not_in_force
    }

    /// Returns the revision of the vocabulary according to which `Content-Usage` was read; `None` for other signals.
    pub fn vocabulary(&self) -> Option<Vocabulary> {
        self.vocabulary
    }

    /// Returns one preference for each use that the signal has a term for.
    pub fn preferences(&self) -> &[Preference] {
        &self.preferences
    }

    /// Returns the stance on a use; unknown if the signal has no term for it.
    pub fn stance(&self, usage: Use) -> Stance {
        self.preferences
            .iter()
            .find(|preference| preference.usage() == usage)
            .map_or(Stance::Unknown, Preference::stance)
    }

    /// Returns the stance on a use inside a search application.
    ///
    /// According to draft-ietf-aipref-vocab-08 §4.3, this is the stance on search for every use. For other signals and
    /// older vocabularies, it equals the general stance.
    ///
    /// ```
    /// use comity::robots::{Agent, RobotsTxt};
    /// use comity::usage::{Signal, Stance, Usage, Use};
    ///
    /// let robots = RobotsTxt::parse("User-agent: *\nContent-Usage: train-ai=n, search=y\n");
    /// let agent = Agent::token("examplebot")?;
    /// let report = Usage::for_agent(&agent).robots(&robots).report("https://example.com/")?;
    /// let usage = report.signal(Signal::ContentUsage).unwrap();
    /// assert_eq!(usage.stance(Use::Train), Stance::Disallow);
    /// assert_eq!(usage.stance_in_search(Use::Train), Stance::Allow);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stance_in_search(&self, usage: Use) -> Stance {
        let is_overridden = self.vocabulary.is_some_and(Vocabulary::search_overrides);
        self.stance(if is_overridden { Use::Search } else { usage })
    }

    /// Returns the rule that disallows fetching the URL, for which `Content-Usage` in robots.txt therefore does not
    /// count (draft-ietf-aipref-attach-05 §3.1).
    pub fn disallowed_by(&self) -> Option<&Citation> {
        self.disallowed_by.as_ref()
    }

    /// Returns the value of `use=` in `Content-Signal`.
    pub fn consumption(&self) -> Option<Consumption> {
        self.consumption
    }

    /// Returns the RSL licenses for the URL.
    pub fn licenses(&self) -> &[LicenseLink] {
        &self.licenses
    }

    /// Returns the preferences for crawlers that no group names. Returns `None` if the crawler has no group of its own,
    /// or if `*` has no group.
    pub fn site_default(&self) -> Option<&[Preference]> {
        self.site_default.as_deref()
    }

    /// Returns the RSL licenses for crawlers that no group names, if they differ from those for the crawler.
    pub fn site_default_licenses(&self) -> &[LicenseLink] {
        &self.site_default_licenses
    }

    /// Returns true if the report contains no statement.
    pub fn is_silent(&self) -> bool {
        let is_silent = |preference: &Preference| {
            preference.stance() == Stance::Unknown && preference.conditions().is_empty()
        };
        let are_silent = |preferences: &[Preference]| preferences.iter().all(is_silent);
        are_silent(&self.preferences)
            && self.site_default.as_deref().is_none_or(are_silent)
            && self.consumption.is_none()
            && self.licenses.is_empty()
            && self.site_default_licenses.is_empty()
    }
}

/// A link to an RSL license.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "License"))]
#[non_exhaustive]
pub struct LicenseLink {
    /// The URL of the license document, as written.
    pub(super) url: String,
    /// The citation of the link.
    pub(super) evidence: Citation,
}

impl LicenseLink {
    /// Returns the URL of the license document, as written.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the citation of the link.
    pub fn evidence(&self) -> &Citation {
        &self.evidence
    }
}

/// The stances of all signals on one URL for one crawler.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    pub(super) url: String,
    pub(super) agent: String,
    pub(super) group: Option<String>,
    pub(super) signals: Vec<SignalReport>,
    pub(super) findings: Vec<Finding>,
}

impl Report {
    /// Returns the URL, as text.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the crawler's product token or User-Agent header, as given.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// Returns the name by which the crawler's group in robots.txt was chosen, such as its own, a fallback's, or `*`.
    /// Returns `None` if no group applies to the crawler.
    pub fn group(&self) -> Option<&str> {
        self.group.as_deref()
    }

    /// Returns one report for each signal, or for each of its interpretations.
    pub fn signals(&self) -> &[SignalReport] {
        &self.signals
    }

    /// Returns the report of one signal. If the signal has several interpretations, the first one is returned.
    pub fn signal(&self, signal: Signal) -> Option<&SignalReport> {
        self.signals.iter().find(|report| report.signal == signal)
    }

    /// Returns the stances of the signals on each use that a signal has a term for. They are not combined, since no
    /// specification defines how.
    pub fn summary(&self) -> Vec<UseSummary> {
        let of_use = |usage: Use| {
            let stances = self.signals.iter().filter_map(|report| {
                let preference = report.preferences.iter().find(|preference| preference.usage() == usage)?;
                Some(SignalStance {
                    signal: report.signal,
                    interpretation: report.interpretation,
                    stance: preference.stance(),
                })
            });
            UseSummary { usage, stances: stances.collect() }
        };
        Use::ALL.into_iter().map(of_use).filter(|summary| !summary.stances.is_empty()).collect()
    }

    /// Returns the findings in the sources.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// The stances of all signals on one URL for one crawler.
#[cfg(feature = "serde")]
#[derive(serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Report"))]
struct ReportFields<'r> {
    /// The URL, as given.
    url: &'r str,
    /// The crawler's product token or User-Agent header, as given.
    agent: &'r str,
    /// The name by which the crawler's group was chosen, such as its own, a fallback's, or `*`; null if no group
    /// applies to the crawler.
    group: Option<&'r str>,
    /// The stances of all signals on each use. They are not combined, since no specification defines how.
    summary: Vec<UseSummary>,
    /// One report for each signal, or for each of its interpretations.
    signals: &'r [SignalReport],
    /// The findings in the sources.
    findings: &'r [Finding],
}

#[cfg(feature = "serde")]
impl serde::Serialize for Report {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ReportFields {
            url: &self.url,
            agent: &self.agent,
            group: self.group(),
            summary: self.summary(),
            signals: &self.signals,
            findings: &self.findings,
        }
        .serialize(serializer)
    }
}

#[cfg(feature = "schema")]
crate::schema::written_as!(Report: ReportFields<'static>;);

/// The stances of all signals on one use.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Summary"))]
#[non_exhaustive]
pub struct UseSummary {
    /// The use.
    #[cfg_attr(feature = "serde", serde(rename = "use"))]
    usage: Use,
    /// The stances of the signals that have a term for the use.
    stances: Vec<SignalStance>,
}

impl UseSummary {
    /// Returns the use.
    pub fn usage(&self) -> Use {
        self.usage
    }

    /// Returns the stances of the signals that have a term for the use.
    pub fn stances(&self) -> &[SignalStance] {
        &self.stances
    }
}

/// The stance of one signal on one use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Stance"))]
#[non_exhaustive]
pub struct SignalStance {
    /// The signal.
    signal: Signal,
    /// The set of lines that were counted, if the specification permits several sets.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    interpretation: Option<Interpretation>,
    /// The stance.
    stance: Stance,
}

impl SignalStance {
    /// Returns the signal.
    pub fn signal(&self) -> Signal {
        self.signal
    }

    /// Returns the set of lines that were counted, if the specification permits several sets.
    pub fn interpretation(&self) -> Option<Interpretation> {
        self.interpretation
    }

    /// Returns the stance.
    pub fn stance(&self) -> Stance {
        self.stance
    }
}
