//! The lifetime of an answer: RFC 9111, within the bounds of a preset.
//!
//! The cache serves one crawler. It is therefore private in the RFC's sense and ignores `s-maxage`. It also ignores
//! `must-revalidate`: while robots.txt is unreachable, the rules of an old copy still apply. Without a copy, a preset
//! that fails open would allow every URL.

use std::fmt;
use std::time::{Duration, SystemTime};

use super::answer::Answer;
use super::kind::{AnswerKind, Availability};
use super::treatment::Treatment;
use crate::http::Headers;

/// A lifetime in seconds that means "as long as the program runs".
pub(crate) const FOREVER: u32 = u32::MAX;
pub(super) const MINUTE: u32 = 60;
pub(super) const DAY: u32 = 86_400;

/// Tolerated clock difference, in seconds, between machines that share a store. A stored time that is further in the
/// future is not trusted.
pub(super) const CLOCK_SKEW: u32 = MINUTE;

/// A preset's choices for the lifetimes of answers, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caching {
    /// The header fields that set the lifetime.
    pub honours: LifetimeFields,
    /// Minimum lifetime that the header may set.
    pub floor: u32,
    /// Maximum lifetime that the header may set.
    pub ceiling: u32,
    /// The lifetime of a settled answer ([`is_settled`]) if no header field sets it.
    pub default: u32,
    /// The lifetime of any other answer if no header field sets it, and of a failure. The next request follows after
    /// this time.
    pub negative: u32,
    /// Maximum age of a copy that is used while robots.txt is unreachable.
    pub stale: u32,
}

/// The header fields that set the lifetime of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LifetimeFields {
    /// RFC 9111: `Cache-Control`, otherwise `Expires`, minus the answer's age.
    Http,
    /// RFC 9111 without `Expires`: `Cache-Control`, minus the answer's age.
    CacheControl,
    /// `Expires`, only in answers whose rules are read. The answer's age is not subtracted. A value that is not a date
    /// is ignored.
    Expires,
    /// No field: the header is ignored.
    Nothing,
}

/// The lifetime of a kind of answer under a preset.
///
/// ```
/// use comity::policy::{AnswerKind, Preset};
///
/// let lifetime = Preset::Rfc9309.entry(AnswerKind::Success).lifetime();
/// assert_eq!(lifetime.to_string(), "Cache-Control or Expires, 10 min to 24 h; else 24 h");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    headers: Option<&'static str>,
    floor: u32,
    ceiling: u32,
    otherwise: u32,
}

impl Lifetime {
    pub(super) const fn of(
        caching: &Caching,
        kind: AnswerKind,
        availability: Availability,
        treatment: Treatment,
    ) -> Lifetime {
        if matches!(kind, AnswerKind::Local) {
            return Lifetime { headers: None, floor: 0, ceiling: 0, otherwise: 0 };
        }
        let is_settled = is_settled(kind, treatment);
        let is_unreachable = matches!(availability, Availability::Unreachable);
        let headers = match caching.honours {
            LifetimeFields::Nothing => None,
            _ if kind.is_failure() => None,
            LifetimeFields::Expires if matches!(treatment, Treatment::ReadRules) => Some("Expires"),
            LifetimeFields::Expires => None,
            _ if is_unreachable => Some("Retry-After"),
            LifetimeFields::Http if is_settled => Some("Cache-Control or Expires"),
            LifetimeFields::Http => Some("Cache-Control, Expires or Retry-After"),
            LifetimeFields::CacheControl if is_settled => Some("Cache-Control"),
            LifetimeFields::CacheControl => Some("Cache-Control or Retry-After"),
        };
        let otherwise = if is_settled { caching.default } else { caching.negative };
        Lifetime { headers, floor: caching.floor, ceiling: caching.ceiling, otherwise }
    }

    /// Returns the header fields that set the lifetime, or `None` if the header is ignored.
    pub const fn headers(self) -> Option<&'static str> {
        self.headers
    }

    /// Returns the minimum and the maximum lifetime that the header can set. `None` means no maximum.
    pub const fn bounds(self) -> (Duration, Option<Duration>) {
        (Duration::from_secs(self.floor as u64), duration(self.ceiling))
    }

    /// Returns the lifetime if the header does not set it; `None` means as long as the program runs.
    pub const fn otherwise(self) -> Option<Duration> {
        duration(self.otherwise)
    }
}

const fn duration(seconds: u32) -> Option<Duration> {
    match seconds {
        FOREVER => None,
        seconds => Some(Duration::from_secs(seconds as u64)),
    }
}

impl fmt::Display for Lifetime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let otherwise = Seconds(self.otherwise);
        match (self.headers, self.ceiling) {
            (None, _) => otherwise.fmt(f),
            (Some(headers), FOREVER) => write!(f, "{headers}; else {otherwise}"),
            (Some(headers), ceiling) => {
                write!(f, "{headers}, {} to {}; else {otherwise}", Seconds(self.floor), Seconds(ceiling))
            }
        }
    }
}

/// A number of seconds, displayed in readable units.
struct Seconds(u32);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            FOREVER => f.write_str("the session"),
            0 => f.write_str("not at all"),
            seconds if seconds > DAY && seconds.is_multiple_of(DAY) => write!(f, "{} d", seconds / DAY),
            seconds if seconds.is_multiple_of(60 * MINUTE) => write!(f, "{} h", seconds / (60 * MINUTE)),
            seconds => write!(f, "{} min", seconds / MINUTE),
        }
    }
}

/// Returns true if an answer shows a lasting state of the site, not a temporary one.
const fn is_settled(kind: AnswerKind, treatment: Treatment) -> bool {
    matches!(treatment, Treatment::ReadRules | Treatment::DisallowAll)
        || matches!(kind, AnswerKind::NotFound | AnswerKind::Gone) && matches!(treatment, Treatment::AllowAll)
}

/// The freshness lifetime of an answer after its arrival, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fresh {
    /// The lifetime within the preset's bounds, at least [`retry_after`](Fresh::retry_after).
    pub seconds: u32,
    /// The lifetime that `Retry-After` sets; zero if the field is absent or ignored.
    pub retry_after: u32,
}

impl Fresh {
    /// Returns the lifetime, but at most `max_age` seconds. A longer `Retry-After` takes precedence over `max_age`, so
    /// that an overloaded server is not contacted too early.
    pub(super) fn within(self, max_age: u32) -> u32 {
        self.seconds.min(max_age).max(self.retry_after)
    }
}

/// Returns the freshness lifetime of an answer after its arrival, in seconds.
pub(super) fn fresh_for(
    caching: &Caching,
    kind: AnswerKind,
    availability: Availability,
    treatment: Treatment,
    answer: &Answer<'_>,
) -> Fresh {
    // A local failure is not an answer. The client decides when to retry.
    if kind == AnswerKind::Local {
        return Fresh { seconds: 0, retry_after: 0 };
    }
    let none = Headers::new();
    let headers = answer.headers.unwrap_or(&none);
    let fields = Fields { headers, at: answer.at };
    let stated = match caching.honours {
        LifetimeFields::Nothing => None,
        LifetimeFields::Expires if treatment != Treatment::ReadRules => None,
        LifetimeFields::Expires => {
            fields.expires().and_then(Result::ok).map(|expires| seconds_from(answer.at, expires))
        }
        _ if availability == Availability::Unreachable => None,
        LifetimeFields::Http => fields.remaining(true),
        LifetimeFields::CacheControl => fields.remaining(false),
    };
    let is_settled = is_settled(kind, treatment);
    let kept = match stated {
        Some(seconds) => seconds.clamp(caching.floor, caching.ceiling),
        None if is_settled => caching.default,
        None => caching.negative,
    };
    let waits = !is_settled && matches!(caching.honours, LifetimeFields::Http | LifetimeFields::CacheControl);
    let retry_after = match fields.retry_after() {
        Some(seconds) if waits => seconds.min(caching.ceiling),
        _ => 0,
    };
    Fresh { seconds: kept.max(retry_after), retry_after }
}

/// Returns the lifetime of an answer that arrived at `at`, as stated by its own header: `Cache-Control` or otherwise
/// `Expires`, minus its age (RFC 9111 §4.2). Returns `None` if the header does not state a lifetime.
///
/// The function also applies to documents other than robots.txt.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use comity::http::Headers;
/// use comity::policy::stated_lifetime;
///
/// let headers: Headers = [("Cache-Control", "max-age=600"), ("Age", "60")].into_iter().collect();
/// assert_eq!(stated_lifetime(&headers, SystemTime::UNIX_EPOCH), Some(Duration::from_secs(540)));
/// assert_eq!(stated_lifetime(&Headers::new(), SystemTime::UNIX_EPOCH), None);
/// ```
pub fn stated_lifetime(headers: &Headers<'_>, at: SystemTime) -> Option<Duration> {
    let seconds = Fields { headers, at }.remaining(true)?;
    Some(Duration::from_secs(u64::from(seconds)))
}

/// The header fields about time, interpreted as of `at`.
struct Fields<'a> {
    headers: &'a Headers<'a>,
    at: SystemTime,
}

impl Fields<'_> {
    /// Returns the freshness lifetime that the header states, minus the age that the answer already had (RFC 9111
    /// §4.2).
    fn remaining(&self, with_expires: bool) -> Option<u32> {
        let lifetime = self.cache_control().or_else(|| {
            let expires = if with_expires { self.expires()? } else { return None };
            // §5.3: a value that is not a date, above all "0", is a time in the past.
            Some(expires.map_or(0, |expires| seconds_from(self.date().unwrap_or(self.at), expires)))
        })?;
        Some(lifetime.saturating_sub(self.age()))
    }

    /// Returns the lifetime in seconds that `Cache-Control` sets, if any. `no-cache` and `no-store` take precedence
    /// over `max-age` (§4.2.1: the most restrictive). If there are several `max-age`, the first one applies. A value
    /// that is not a number of seconds is zero.
    fn cache_control(&self) -> Option<u32> {
        let mut max_age = None;
        for value in self.headers.get_all("cache-control") {
            for directive in split_unquoted(value) {
                let mut parts = directive.splitn(2, |&byte| byte == b'=');
                let name = parts.next().unwrap_or_default().trim_ascii();
                let argument = parts.next().map(<[u8]>::trim_ascii);
                // `no-cache="field"` applies to that field only (§5.2.2.4).
                if name.eq_ignore_ascii_case(b"no-store")
                    || name.eq_ignore_ascii_case(b"no-cache") && argument.is_none()
                {
                    return Some(0);
                }
                if name.eq_ignore_ascii_case(b"max-age") && max_age.is_none() {
                    max_age = Some(argument.and_then(|text| delta_seconds(unquoted(text))).unwrap_or(0));
                }
            }
        }
        max_age
    }

    /// Returns the date in `Expires`, [`NoDate`] if the value is not a date, or `None` if the field is absent.
    fn expires(&self) -> Option<Result<SystemTime, NoDate>> {
        self.headers.get("expires").map(|value| http_date(value).ok_or(NoDate))
    }

    fn date(&self) -> Option<SystemTime> {
        http_date(self.headers.get("date")?)
    }

    /// Returns the age of the answer by §4.2.3: the greater of `Age` and the age derived from `Date`. The duration of
    /// the request is unknown, so it is not added.
    fn age(&self) -> u32 {
        let stated = self.headers.get("age").and_then(|value| {
            let first = value.split(|&byte| byte == b',').next()?;
            delta_seconds(first.trim_ascii())
        });
        let apparent = self.date().map_or(0, |date| seconds_from(date, self.at));
        stated.unwrap_or(0).max(apparent)
    }

    /// Returns the value of `Retry-After`: seconds or a date (RFC 9110 §10.2.3).
    fn retry_after(&self) -> Option<u32> {
        let value = self.headers.get("retry-after")?;
        delta_seconds(value).or_else(|| Some(seconds_from(self.at, http_date(value)?)))
    }
}

/// The error for a field value that is not a date.
struct NoDate;

/// Returns the parts of a field value between commas that are not quoted (RFC 9110 §5.6.1, §5.6.4).
fn split_unquoted(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    value.split(move |&byte| {
        let is_end = byte == b',' && !is_quoted;
        if is_escaped {
            is_escaped = false;
        } else if byte == b'"' {
            is_quoted = !is_quoted;
        } else if byte == b'\\' {
            is_escaped = is_quoted;
        }
        is_end
    })
}

/// Removes the quotes of a value. Both forms must be accepted (RFC 9111 §5.2): `max-age=5` and `max-age="5"`.
fn unquoted(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).unwrap_or(text)
}

/// Parses a number of seconds (RFC 9111 §1.2.2): digits only; a value that is too large becomes the maximum.
fn delta_seconds(text: &[u8]) -> Option<u32> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let add = |seconds: u32, digit: &u8| seconds.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
    Some(text.iter().fold(0, add).min(FOREVER - 1))
}

fn http_date(value: &[u8]) -> Option<SystemTime> {
    httpdate::parse_http_date(std::str::from_utf8(value).ok()?.trim()).ok()
}

/// Returns the whole seconds from `from` to `to`, or zero if `to` is not later.
pub(super) fn seconds_from(from: SystemTime, to: SystemTime) -> u32 {
    let seconds = to.duration_since(from).map_or(0, |duration| duration.as_secs());
    u32::try_from(seconds).unwrap_or(FOREVER - 1).min(FOREVER - 1)
}

/// Returns true if `time` is no more than `seconds` later than `now`.
pub(super) fn is_within(time: SystemTime, now: SystemTime, seconds: u32) -> bool {
    after(now, seconds).is_none_or(|latest| time <= latest)
}

/// Returns the time `seconds` after `from`; `None` means "as long as the program runs", or a time that cannot be
/// represented.
pub(super) fn after(from: SystemTime, seconds: u32) -> Option<SystemTime> {
    from.checked_add(duration(seconds)?)
}
