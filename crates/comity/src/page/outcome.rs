//! Outcomes: the restrictions that a page requests from a crawler, and the effect of each of its directives.

use super::directive::DirectiveValue;
use super::profile::Profile;
use super::restriction::Restriction;
use super::statement::Statement;
use crate::words::words;

/// The outcome of a page's directives for one crawler at one time.
///
/// It contains every statement of the page, either as a cause of a warning or with the reason why it causes none.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Outcome"))]
pub struct PageOutcome<'p> {
    /// The crawler's product token, in lower case.
    agent: String,
    /// The profile that defines the outcome.
    profile: Profile,
    /// The restrictions that the page requests from the crawler. None of them forbids fetching the page.
    warnings: Vec<UseWarning<'p>>,
    /// The statements that cause no warning, with the reason, in the order of the page.
    set_aside: Vec<SetAside<'p>>,
}

impl<'p> PageOutcome<'p> {
    pub(super) fn new(
        agent: String,
        profile: Profile,
        warnings: Vec<UseWarning<'p>>,
        set_aside: Vec<SetAside<'p>>,
    ) -> Self {
        PageOutcome { agent, profile, warnings, set_aside }
    }

    /// Returns the crawler's product token, in lower case.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// Returns the profile that defines the outcome.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Returns the restrictions that the page requests from the crawler. None of them forbids fetching the page. Only
    /// robots.txt does that, and a client that reads these directives has fetched the page already.
    pub fn warnings(&self) -> &[UseWarning<'p>] {
        &self.warnings
    }

    /// Returns the warning about one restriction.
    pub fn warning(&self, restriction: Restriction) -> Option<&UseWarning<'p>> {
        self.warnings.iter().find(|warning| warning.restriction == restriction)
    }

    /// Returns the statements that cause no warning, with the reason, in the order of the page.
    pub fn set_aside(&self) -> &[SetAside<'p>] {
        &self.set_aside
    }
}

/// A restriction on use that a page requests from a crawler.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UseWarning<'p> {
    /// The requested restriction.
    #[cfg_attr(feature = "serde", serde(rename = "warning"))]
    restriction: Restriction,
    /// The limit of a restriction that has one: characters, seconds, a size, a time.
    value: Option<DirectiveValue>,
    /// The statements that request the restriction; at least one, in the order of the page.
    causes: Vec<&'p Statement>,
}

impl<'p> UseWarning<'p> {
    pub(super) fn new(
        restriction: Restriction,
        value: Option<DirectiveValue>,
        causes: Vec<&'p Statement>,
    ) -> Self {
        UseWarning { restriction, value, causes }
    }

    /// Returns the requested restriction.
    pub fn restriction(&self) -> Restriction {
        self.restriction
    }

    /// Returns the limit of a restriction that has one: characters, seconds, a size, a time.
    pub fn value(&self) -> Option<DirectiveValue> {
        self.value
    }

    /// Returns the statements that request the restriction; at least one, in the order of the page.
    pub fn causes(&self) -> &[&'p Statement] {
        &self.causes
    }
}

/// A statement that causes no warning.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetAside<'p> {
    /// The reason.
    reason: Reason,
    /// The statement.
    statement: &'p Statement,
}

impl<'p> SetAside<'p> {
    pub(super) fn new(reason: Reason, statement: &'p Statement) -> Self {
        SetAside { reason, statement }
    }

    /// Returns the reason.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// Returns the statement.
    pub fn statement(&self) -> &'p Statement {
        self.statement
    }
}

words! {
    /// The reason why a statement causes no warning.
    Reason as "reason" with summary {
        /// This crawler does not obey statements for the crawler that is named, or for all crawlers.
        OtherAgent = "other_agent" => "for another crawler",
        /// The profile does not read directives in this place: in `Robots-Tag`, in the body, in this element, in a
        /// header.
        SourceNotRead = "source_not_read" => "not read in this place",
        /// The profile does not act on the directive.
        NotUsed = "not_used" => "not acted on",
        /// The directive is unknown.
        Unknown = "unknown" => "unknown directive",
        /// The value cannot be parsed.
        BadValue = "bad_value" => "the value cannot be read",
        /// The directive has no effect: `all`, `index`, `max-snippet:-1`, `indexifembedded` without `noindex`.
        NoEffect = "no_effect" => "has no effect",
        /// The directive allows a use, and cancels a restriction of another statement.
        Allows = "allows" => "cancels a restriction",
        /// Another statement cancels the restriction.
        Overruled = "overruled" => "cancelled by another directive",
        /// Another statement is stricter.
        Weaker = "weaker" => "another directive is stricter",
    }
}
