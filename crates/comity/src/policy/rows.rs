//! The presets as data: one row of choices per preset.
//!
//! All presets share the code that reads these rows: the treatment of each kind of answer (`reading.rs`), its lifetime
//! (`freshness.rs`), and the steps of an outage (`state.rs`). To add a preset, add a row.

use super::freshness::{Caching, DAY, FOREVER, LifetimeFields, MINUTE};
use super::kind::{AnswerKind, Availability};
use super::mode::Mode;
use super::preset::{OutageStep, Preset};
use super::treatment::Treatment;
use crate::robots::Dialect;

/// The choices of one preset.
#[derive(Debug)]
pub(super) struct Row {
    /// The dialect in which a body is read and matched.
    pub dialect: Dialect,
    /// The mode of a program that does not set one.
    pub mode: Mode,
    /// Maximum number of bytes of a body that are read.
    pub body_limit: usize,
    /// True if a body that is not in its declared charset is undecodable, whatever it contains.
    pub strict_charset: bool,
    /// The treatment of each kind of answer.
    pub answers: Answers,
    /// The lifetimes of answers (`freshness.rs`).
    pub caching: Caching,
    /// The steps of [`Treatment::LastGood`] during an outage (`state.rs`).
    pub outage: &'static [OutageStep],
}

/// The availability and the treatment of one kind of answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell(pub Availability, pub Treatment);

/// The cells of all kinds of answers.
#[derive(Debug)]
pub(super) struct Answers {
    pub success: Cell,
    pub long_body: Cell,
    pub html_soft_404: Cell,
    pub xml_soft_404: Cell,
    pub json_soft_404: Cell,
    pub undecodable: Cell,
    pub challenge: Cell,
    pub missing_body: Cell,
    pub not_modified: Cell,
    pub unfollowed_redirect: Cell,
    pub redirects: Cell,
    pub access_denied: Cell,
    pub not_found: Cell,
    pub gone: Cell,
    pub too_many_requests: Cell,
    pub other_client_error: Cell,
    pub server_error: Cell,
    pub timeout: Cell,
    pub dns: Cell,
    pub tls: Cell,
    pub connection: Cell,
    pub protocol: Cell,
    pub guard: Cell,
    pub oversize: Cell,
    pub unsupported_coding: Cell,
}

impl Answers {
    pub(super) const fn get(&self, kind: AnswerKind) -> Cell {
        match kind {
            AnswerKind::Success => self.success,
            AnswerKind::LongBody => self.long_body,
            AnswerKind::HtmlSoft404 => self.html_soft_404,
            AnswerKind::XmlSoft404 => self.xml_soft_404,
            AnswerKind::JsonSoft404 => self.json_soft_404,
            AnswerKind::Undecodable => self.undecodable,
            AnswerKind::Challenge => self.challenge,
            AnswerKind::MissingBody => self.missing_body,
            AnswerKind::NotModified => self.not_modified,
            AnswerKind::UnfollowedRedirect => self.unfollowed_redirect,
            AnswerKind::Redirects => self.redirects,
            AnswerKind::AccessDenied => self.access_denied,
            AnswerKind::NotFound => self.not_found,
            AnswerKind::Gone => self.gone,
            AnswerKind::TooManyRequests => self.too_many_requests,
            AnswerKind::OtherClientError => self.other_client_error,
            AnswerKind::ServerError => self.server_error,
            AnswerKind::Timeout => self.timeout,
            AnswerKind::Dns => self.dns,
            AnswerKind::Tls => self.tls,
            AnswerKind::Connection => self.connection,
            AnswerKind::Protocol => self.protocol,
            AnswerKind::Guard => self.guard,
            AnswerKind::Oversize => self.oversize,
            AnswerKind::UnsupportedCoding => self.unsupported_coding,
            // A local failure is not caused by the site, so presets have no choice about it.
            AnswerKind::Local => LAST_GOOD,
        }
    }
}

const READ: Cell = Cell(Availability::Available, Treatment::ReadRules);
const WARN: Cell = Cell(Availability::Available, Treatment::Warn);
const NO_ROBOTS_STOP: Cell = Cell(Availability::Available, Treatment::Stop);
const NO_ROBOTS_OPEN: Cell = Cell(Availability::Available, Treatment::FailOpen);
const NO_ROBOTS_CALLER: Cell = Cell(Availability::Available, Treatment::HandToCaller);
const ALLOW: Cell = Cell(Availability::Unavailable, Treatment::AllowAll);
const DISALLOW: Cell = Cell(Availability::Unavailable, Treatment::DisallowAll);
const UNAVAILABLE_CALLER: Cell = Cell(Availability::Unavailable, Treatment::HandToCaller);
const LAST_GOOD: Cell = Cell(Availability::Unreachable, Treatment::LastGood);
const STOP: Cell = Cell(Availability::Unreachable, Treatment::Stop);
const OPEN: Cell = Cell(Availability::Unreachable, Treatment::FailOpen);
const CALLER: Cell = Cell(Availability::Unreachable, Treatment::HandToCaller);

/// RFC 9309 §2.5: parsers must read at least 500 kibibytes.
const RFC_BODY_LIMIT: usize = 512_000;

impl Preset {
    /// Returns the preset's row.
    pub(super) const fn row(self) -> &'static Row {
        match self {
            Preset::Rfc9309 => &RFC9309,
            Preset::Google => &GOOGLE,
            Preset::Webcanon => &WEBCANON,
            Preset::Ladon => &LADON,
            Preset::Gym2008 => &GYM2008,
            Preset::Strict => &STRICT,
        }
    }
}

/// RFC 9309 §2.3.1 and §2.4. Choices where the RFC says MAY: redirects without an end count as unavailable (§2.3.1.2),
/// and a copy is used for the 30 days of §2.3.1.4, after which no URL is fetched.
static RFC9309: Row = Row {
    dialect: Dialect::Rfc9309,
    mode: Mode::Respect,
    body_limit: RFC_BODY_LIMIT,
    strict_charset: false,
    answers: RFC9309_ANSWERS,
    caching: RFC9309_CACHING,
    outage: &[OutageStep::new(FOREVER, Treatment::LastGood, Treatment::Stop)],
};

const RFC9309_ANSWERS: Answers = Answers {
    success: READ,
    long_body: READ,
    html_soft_404: WARN,
    xml_soft_404: WARN,
    json_soft_404: WARN,
    undecodable: WARN,
    challenge: LAST_GOOD,
    missing_body: LAST_GOOD,
    not_modified: LAST_GOOD,
    unfollowed_redirect: LAST_GOOD,
    redirects: ALLOW,
    access_denied: ALLOW,
    not_found: ALLOW,
    gone: ALLOW,
    too_many_requests: ALLOW,
    other_client_error: ALLOW,
    server_error: LAST_GOOD,
    timeout: LAST_GOOD,
    dns: LAST_GOOD,
    tls: LAST_GOOD,
    connection: LAST_GOOD,
    protocol: LAST_GOOD,
    // A refusal by the guard is not an outage. If the client may not request a site's rules, it may not request its
    // pages either.
    guard: STOP,
    oversize: LAST_GOOD,
    unsupported_coding: LAST_GOOD,
};

const RFC9309_CACHING: Caching = Caching {
    honours: LifetimeFields::Http,
    floor: 10 * MINUTE,
    ceiling: DAY,
    default: DAY,
    negative: 10 * MINUTE,
    stale: 30 * DAY,
};

/// Google's page on robots.txt, 2026: "Handling of errors and HTTP status codes", "Caching", "File format".
static GOOGLE: Row = Row {
    dialect: Dialect::Google,
    mode: Mode::Respect,
    body_limit: RFC_BODY_LIMIT,
    strict_charset: false,
    answers: Answers {
        // Google searches every body for rules. These bodies contain none, so everything is allowed.
        html_soft_404: READ,
        xml_soft_404: READ,
        json_soft_404: READ,
        undecodable: READ,
        challenge: READ,
        too_many_requests: LAST_GOOD,
        ..RFC9309_ANSWERS
    },
    caching: Caching { honours: LifetimeFields::CacheControl, stale: FOREVER, ..RFC9309_CACHING },
    outage: &[
        OutageStep::new(DAY / 2, Treatment::Stop, Treatment::Stop),
        OutageStep::new(30 * DAY, Treatment::LastGood, Treatment::FailOpen),
        OutageStep::new(FOREVER, Treatment::Stop, Treatment::Stop).open_if_site_is_reachable(),
    ],
};

/// WebCanon's pages "robots.txt compliance" and "Policy model"; for other cases, its program (0.3.0).
static WEBCANON: Row = Row {
    dialect: Dialect::Webcanon,
    mode: Mode::Respect,
    body_limit: 8 * 1024 * 1024,
    strict_charset: false,
    answers: Answers {
        // WebCanon's program does not recognize challenges. It treats them as bodies that are not a robots.txt.
        challenge: WARN,
        missing_body: STOP,
        not_modified: STOP,
        unfollowed_redirect: STOP,
        redirects: STOP,
        server_error: STOP,
        timeout: STOP,
        dns: STOP,
        tls: STOP,
        connection: STOP,
        protocol: STOP,
        oversize: STOP,
        unsupported_coding: STOP,
        ..RFC9309_ANSWERS
    },
    caching: Caching { honours: LifetimeFields::Nothing, stale: 0, ..RFC9309_CACHING },
    outage: &[],
};

/// Ladon's ADR-008, and its program (0.3.2): one request per origin and session, and every error allows.
static LADON: Row = Row {
    dialect: Dialect::Urllib,
    mode: Mode::Ignore,
    body_limit: usize::MAX,
    strict_charset: false,
    answers: Answers {
        html_soft_404: NO_ROBOTS_OPEN,
        xml_soft_404: NO_ROBOTS_OPEN,
        json_soft_404: NO_ROBOTS_OPEN,
        undecodable: NO_ROBOTS_OPEN,
        challenge: OPEN,
        missing_body: OPEN,
        not_modified: OPEN,
        unfollowed_redirect: OPEN,
        redirects: OPEN,
        server_error: OPEN,
        timeout: OPEN,
        dns: OPEN,
        tls: OPEN,
        connection: OPEN,
        protocol: OPEN,
        oversize: OPEN,
        unsupported_coding: OPEN,
        // `guard` remains `STOP`: an address that the guard rejects must not be contacted.
        ..RFC9309_ANSWERS
    },
    caching: Caching {
        honours: LifetimeFields::Nothing,
        floor: FOREVER,
        ceiling: FOREVER,
        default: FOREVER,
        negative: FOREVER,
        stale: FOREVER,
    },
    outage: &[],
};

/// robotexclusionrulesparser 1.7.1 (`fetch`), which follows MK1996 §3.1 and §3.4.
static GYM2008: Row = Row {
    dialect: Dialect::Gym2008,
    mode: Mode::Respect,
    body_limit: 100 * 1024,
    strict_charset: true,
    answers: Answers {
        success: READ,
        long_body: READ,
        html_soft_404: READ,
        xml_soft_404: READ,
        json_soft_404: READ,
        undecodable: NO_ROBOTS_CALLER,
        challenge: READ,
        missing_body: CALLER,
        not_modified: CALLER,
        unfollowed_redirect: CALLER,
        redirects: CALLER,
        access_denied: DISALLOW,
        not_found: ALLOW,
        gone: UNAVAILABLE_CALLER,
        too_many_requests: UNAVAILABLE_CALLER,
        other_client_error: UNAVAILABLE_CALLER,
        server_error: CALLER,
        timeout: CALLER,
        dns: CALLER,
        tls: CALLER,
        connection: CALLER,
        protocol: CALLER,
        guard: CALLER,
        oversize: CALLER,
        unsupported_coding: CALLER,
    },
    caching: Caching {
        honours: LifetimeFields::Expires,
        floor: 0,
        ceiling: FOREVER,
        default: 7 * DAY,
        negative: 0,
        stale: 0,
    },
    outage: &[],
};

/// RFC 9309, with every open choice made in favour of the site. A crawler stops if it is denied access, slowed down,
/// redirected in circles, or served a document that is not a robots.txt.
static STRICT: Row = Row {
    answers: Answers {
        html_soft_404: NO_ROBOTS_STOP,
        xml_soft_404: NO_ROBOTS_STOP,
        json_soft_404: NO_ROBOTS_STOP,
        undecodable: NO_ROBOTS_STOP,
        redirects: LAST_GOOD,
        access_denied: DISALLOW,
        too_many_requests: LAST_GOOD,
        ..RFC9309_ANSWERS
    },
    ..RFC9309
};
