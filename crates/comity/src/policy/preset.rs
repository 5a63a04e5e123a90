//! Presets: named sets of policy choices. The choices themselves are data: see `rows.rs`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::freshness::{FOREVER, Lifetime};
use super::kind::{AnswerKind, Availability};
use super::mode::Mode;
use super::treatment::Treatment;
use crate::robots::Dialect;
use crate::verdict::{Recommendation, Verdict};
use crate::words::{self, UnknownName};

/// A named set of policy choices: the dialect, the treatment of each kind of answer, the lifetimes, and the mode.
///
/// ```
/// use comity::policy::{AnswerKind, Preset, Treatment};
///
/// let preset: Preset = "google".parse()?;
/// assert_eq!(preset.entry(AnswerKind::AccessDenied).treatment(), Treatment::AllowAll);
/// assert_eq!(Preset::Strict.entry(AnswerKind::AccessDenied).treatment(), Treatment::DisallowAll);
/// assert_eq!(Preset::default(), Preset::Rfc9309);
/// # Ok::<(), comity::UnknownName>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[non_exhaustive]
pub enum Preset {
    /// RFC 9309.
    #[default]
    Rfc9309,
    /// Google's crawlers, as documented.
    Google,
    /// WebCanon.
    Webcanon,
    /// Ladon, which fails open.
    Ladon,
    /// robotexclusionrulesparser 1.7.1.
    Gym2008,
    /// RFC 9309, with every open choice made against fetching.
    Strict,
}

impl Preset {
    /// Every preset, the default first.
    pub const ALL: [Preset; 6] =
        [Preset::Rfc9309, Preset::Google, Preset::Webcanon, Preset::Ladon, Preset::Gym2008, Preset::Strict];

    /// Returns the preset's name in JSON, on the command line and in the documentation.
    pub const fn name(self) -> &'static str {
        match self {
            Preset::Rfc9309 => "rfc9309",
            Preset::Google => "google",
            Preset::Webcanon => "webcanon",
            Preset::Ladon => "ladon",
            Preset::Gym2008 => "gym2008",
            Preset::Strict => "strict",
        }
    }

    /// Returns the definition of the preset: a standard or a program.
    pub const fn defined_by(self) -> &'static str {
        match self {
            Preset::Rfc9309 => "RFC 9309 §2.3.1 and §2.4",
            Preset::Google => "Google's page on how it interprets robots.txt",
            Preset::Webcanon => "WebCanon's policy model; for other cases, webcanon 0.3.0",
            Preset::Ladon => "Ladon's ADR-008; for other cases, ladon-crawl 0.3.2",
            Preset::Gym2008 => "robotexclusionrulesparser 1.7.1",
            Preset::Strict => "RFC 9309, with every open choice made in favour of the site",
        }
    }

    /// Returns the main choices of the preset, one line each.
    pub const fn notes(self) -> &'static [&'static str] {
        match self {
            Preset::Rfc9309 => &[
                "4xx allows everything; 5xx and network errors make robots.txt unreachable",
                "while it is unreachable, the last good copy is used until it is 30 days old; without a copy, fetching stops",
                "a body that is not a robots.txt allows everything, with a warning; a browser challenge counts as unreachable",
            ],
            Preset::Google => &[
                "429 counts as 5xx",
                "an outage stops fetching for 12 hours; then the last good copy is used until the 30th day, and without a copy it fails open",
                "after 30 days it fails open if the rest of the site is known to be reachable, and stops otherwise",
                "a body that is not a robots.txt is searched for rules; if it has none, everything is allowed",
                "Cache-Control counts, Expires does not",
            ],
            Preset::Webcanon => &[
                "4xx allows everything; 5xx and network errors stop fetching, and old copies are not used",
                "redirects that do not end stop fetching",
                "rules, 404 and 410 are used for a day, other answers for 10 minutes; the header does not count",
            ],
            Preset::Ladon => &[
                "fails open, and the decision shows it, after 5xx, network errors, redirects that do not end, browser challenges, and bodies that are unknown or not a robots.txt",
                "the first answer, even a failure, is used for the whole session",
                "its mode is `ignore`, so robots.txt is not consulted unless the user sets another mode",
                "requests that the client's guard rejects stay forbidden",
            ],
            Preset::Gym2008 => &[
                "401 and 403 disallow everything, 404 allows everything",
                "every other error is handed to the caller; so is a body that is not in its charset",
                "rules are used until Expires, or for 7 days without a valid Expires; Cache-Control does not count",
            ],
            Preset::Strict => &[
                "as rfc9309, but every open choice stops fetching",
                "401 and 403 disallow everything",
                "429 and redirects that do not end count as unreachable",
                "a body that is not a robots.txt stops fetching",
            ],
        }
    }

    /// Returns the dialect in which bodies are read.
    pub const fn dialect(self) -> Dialect {
        self.row().dialect
    }

    /// Returns the mode of a program that does not set one.
    pub const fn mode(self) -> Mode {
        self.row().mode
    }

    /// Returns the maximum number of bytes of a body that are read; `None` means no limit.
    pub const fn body_limit(self) -> Option<usize> {
        match self.row().body_limit {
            usize::MAX => None,
            limit => Some(limit),
        }
    }

    /// Returns the preset's entry for a kind of answer.
    pub const fn entry(self, kind: AnswerKind) -> PresetEntry {
        PresetEntry { preset: self, kind }
    }

    /// Returns the maximum age of a last good copy that is used while robots.txt is unreachable. `None` means any age;
    /// zero means that no copy is used.
    pub const fn stale_for(self) -> Option<Duration> {
        match self.row().caching.stale {
            FOREVER => None,
            seconds => Some(Duration::from_secs(seconds as u64)),
        }
    }

    /// Returns the steps of an outage, in order. They apply to answers with the treatment [`Treatment::LastGood`]. The
    /// list is empty if only local failures have this treatment ([`PresetEntry::outage_steps`]).
    pub const fn outage_steps(self) -> &'static [OutageStep] {
        self.row().outage
    }

    /// Returns true if this preset may fail open ([`Treatment::FailOpen`]).
    pub fn can_fail_open(self) -> bool {
        let opens = |treatment| treatment == Treatment::FailOpen;
        AnswerKind::ALL.into_iter().any(|kind| opens(self.entry(kind).treatment()))
            || self
                .outage_steps()
                .iter()
                .any(|step| opens(step.without_copy) || step.opens_if_site_is_reachable)
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Parses the name of a preset; case is ignored.
impl FromStr for Preset {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        words::find("preset", &Preset::ALL, Preset::name, name)
    }
}

/// The treatment of a kind of answer under a preset: a line of its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PresetEntry {
    preset: Preset,
    kind: AnswerKind,
}

impl PresetEntry {
    /// Returns the preset.
    pub const fn preset(self) -> Preset {
        self.preset
    }

    /// Returns the kind of answer.
    pub const fn kind(self) -> AnswerKind {
        self.kind
    }

    /// Returns the availability of robots.txt, as the preset classifies it.
    pub const fn availability(self) -> Availability {
        self.preset.row().answers.get(self.kind).0
    }

    /// Returns the treatment of the answer.
    pub const fn treatment(self) -> Treatment {
        self.preset.row().answers.get(self.kind).1
    }

    /// Returns the steps of the outage that the answer begins or continues. A local failure does not begin an outage:
    /// in every preset, a copy remains in use as long as permitted, and without a copy no URL is fetched.
    pub const fn outage_steps(self) -> &'static [OutageStep] {
        const LOCAL: &[OutageStep] = &[OutageStep::new(FOREVER, Treatment::LastGood, Treatment::Stop)];
        if matches!(self.kind, AnswerKind::Local) { LOCAL } else { self.preset.outage_steps() }
    }

    /// Returns the treatment of the answer if there is no copy. It equals [`treatment`](PresetEntry::treatment), unless
    /// that is [`LastGood`](Treatment::LastGood).
    pub const fn without_copy(self) -> Treatment {
        match (self.treatment(), self.outage_steps()) {
            (Treatment::LastGood, [first, ..]) => first.without_copy,
            (Treatment::LastGood, []) => Treatment::Stop,
            (treatment, _) => treatment,
        }
    }

    /// Returns the verdict on every URL if there is no copy, or `None` if rules decide.
    pub const fn verdict(self) -> Option<Verdict> {
        self.without_copy().verdict(self.availability())
    }

    /// Returns the recommendation on every URL if there is no copy, or `None` if rules decide.
    pub const fn recommendation(self) -> Option<Recommendation> {
        self.without_copy().recommendation()
    }

    /// Returns the time for which the answer is used without a new request.
    pub const fn lifetime(self) -> Lifetime {
        Lifetime::of(&self.preset.row().caching, self.kind, self.availability(), self.treatment())
    }
}

/// Writes the treatment: `read rules`, `last good copy, else stop`.
impl fmt::Display for PresetEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let treatment = self.treatment().label();
        match (self.treatment(), self.outage_steps()) {
            (Treatment::LastGood, [first, ..]) if first.with_copy == Treatment::LastGood => {
                write!(f, "{treatment}, else {}", first.without_copy.label())
            }
            (Treatment::LastGood, [first, ..]) => {
                write!(f, "{}, then by the steps of an outage", first.with_copy.label())
            }
            _ => f.pad(treatment),
        }
    }
}

/// A step of an outage: the treatment while robots.txt has been unreachable for less than a certain time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutageStep {
    pub(super) until: u32,
    pub(super) with_copy: Treatment,
    pub(super) without_copy: Treatment,
    pub(super) opens_if_site_is_reachable: bool,
}

impl OutageStep {
    pub(super) const fn new(until: u32, with_copy: Treatment, without_copy: Treatment) -> Self {
        OutageStep { until, with_copy, without_copy, opens_if_site_is_reachable: false }
    }

    pub(super) const fn open_if_site_is_reachable(self) -> Self {
        OutageStep { opens_if_site_is_reachable: true, ..self }
    }

    /// Returns the end of the step as a time after the first failure; `None` for the last step.
    pub const fn until(self) -> Option<Duration> {
        match self.until {
            FOREVER => None,
            seconds => Some(Duration::from_secs(seconds as u64)),
        }
    }

    /// Returns the treatment if there is a copy that is not too old ([`Preset::stale_for`]).
    pub const fn with_copy(self) -> Treatment {
        self.with_copy
    }

    /// Returns the treatment if there is no copy, or if the copy is too old.
    pub const fn without_copy(self) -> Treatment {
        self.without_copy
    }

    /// Returns true if the step allows every URL while the rest of the site is known to be reachable.
    pub const fn opens_if_site_is_reachable(self) -> bool {
        self.opens_if_site_is_reachable
    }
}
