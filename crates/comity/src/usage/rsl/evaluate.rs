//! Evaluates the rights that an RSL document grants.
//!
//! For each use, the `content` elements that match the URL are examined from the longest path to the shortest. The
//! first one with a statement about the use decides (RSL 1.0 §3.1.1), as follows:
//!
//! - A permission overrides a prohibition only if its class of uses or its class of users is narrower than that of the
//!   prohibition, and neither class is wider. `ai-train` is narrower than `ai-all`, which is narrower than `all`. A use
//!   that is permitted and prohibited equally is not licensed.
//! - A list of permitted uses, users or places is exhaustive: everything that it omits is not licensed (§3.5).
//! - A permission is an *allow* only if it has no preconditions. If it requires a payment, a token or a report first,
//!   it is a *disallow* with conditions (§3.7, §3.12). If it applies only to some users or places, and the caller did
//!   not state those of its user, it is *unknown*.
//! - If a document does not conform, names another page, or applies only to a part of the page, its permissions become
//!   *unknown*, and its prohibitions count.

use super::{Association, Content, Coverage, License, LicenseDocument, List, Terms};
use crate::robots::scope::UrlPath;
use crate::usage::citation::{Citation, shown};
use crate::usage::words::Stance;

/// The user for whom a document is evaluated: the classes and places that RSL defines.
#[derive(Clone, Debug, Default)]
pub(in crate::usage) struct LicenseUser {
    pub users: Vec<String>,
    pub places: Vec<String>,
}

/// The stance of a document on one use.
#[derive(Clone, Debug)]
pub(in crate::usage) struct Grant {
    pub stance: Stance,
    pub conditions: Vec<String>,
    pub evidence: Citation,
}

impl LicenseDocument {
    /// Returns the stance of the document on a use, or `None` if the document has no statement about the use.
    pub(in crate::usage) fn grant(
        &self,
        association: Association,
        term: &str,
        url: &[u8],
        path: &UrlPath<'_>,
        user: &LicenseUser,
    ) -> Option<Grant> {
        let origin = origin_of(url);
        let mut matching: Vec<(Match, &Content)> = self
            .contents
            .iter()
            .filter_map(|content| {
                Some((content.place.matches(association, origin.as_deref(), path)?, content))
            })
            .collect();
        matching.sort_by_key(|(found, _)| std::cmp::Reverse(found.length));
        let levels = matching.chunk_by(|(a, _), (b, _)| a.length == b.length);
        let mut grant = levels.into_iter().find_map(|level| self.at_level(level, term, user))?;
        if association == Association::Element {
            grant.conditions.push("this applies to a part of the page".to_owned());
        }
        let doubts = [
            (!self.is_conformant, "the document does not conform to RSL 1.0, so it allows nothing"),
            (
                association == Association::Element,
                "a permission for a part of the page does not apply to the whole page",
            ),
        ];
        for (_, doubt) in doubts.into_iter().filter(|(holds, _)| *holds) {
            grant.doubt(doubt);
        }
        Some(grant)
    }

    /// Returns the combined stance of the contents with equally long paths.
    fn at_level(&self, level: &[(Match, &Content)], term: &str, user: &LicenseUser) -> Option<Grant> {
        let licenses = || {
            level.iter().flat_map(|(found, content)| {
                content.licenses.iter().map(move |license| (found, *content, license))
            })
        };
        let refused = |name, list| Grant {
            stance: Stance::Disallow,
            conditions: Vec::new(),
            evidence: self.evidence(name, list),
        };
        // The prohibitions of a license for other users do not count. Prohibitions of equal narrowness have equal
        // effects, and there are few degrees of narrowness.
        let mut prohibitions: Vec<(Narrowness, &List)> = Vec::new();
        for (_, _, license) in licenses().filter(|(_, _, license)| license.is_for(user) != Some(false)) {
            let Some((class, list)) = license.prohibits.names(term) else { continue };
            let narrowness = Narrowness { class, user: license.user_narrowness(user) };
            if prohibitions.iter().all(|(known, _)| *known != narrowness) {
                prohibitions.push((narrowness, list));
            }
        }
        let is_prohibited = |permission: Narrowness| {
            prohibitions.iter().any(|(prohibition, _)| !permission.is_narrower_than(*prohibition))
        };
        let grants = licenses().filter_map(|(found, content, license)| {
            let (class, list) = license.permits.names(term)?;
            if is_prohibited(Narrowness { class, user: license.user_narrowness(user) }) {
                return None;
            }
            let (stance, conditions) = license.terms_for(content, user);
            let mut grant = Grant { stance, conditions, evidence: self.evidence("permits", list) };
            if let Some(doubt) = found.doubt {
                grant.doubt(doubt);
            }
            Some(grant)
        });
        if let Some(best) = best(grants) {
            return Some(best);
        }
        if let Some((_, list)) = prohibitions.first() {
            return Some(refused("prohibits", list));
        }
        let list = licenses().find_map(|(_, _, license)| license.permits.usage.as_ref())?;
        Some(refused("permits", list))
    }

    fn evidence(&self, name: &str, list: &List) -> Citation {
        let tokens = shown(list.tokens.join(" ").as_bytes());
        let text = format!("<{name} type=\"usage\">{tokens}</{name}>");
        Citation::line(self.findings.channel(), list.line, text)
    }
}

impl Grant {
    /// Changes an *allow* to *unknown*, and adds the reason as a condition.
    fn doubt(&mut self, why: &str) {
        if self.stance == Stance::Allow {
            self.stance = Stance::Unknown;
            self.conditions.push(why.to_owned());
        }
    }
}

/// The result of matching a content with a URL.
#[derive(Clone, Copy, Debug)]
struct Match {
    /// The length of the path.
    length: u32,
    /// The reason why the match is in doubt.
    doubt: Option<&'static str>,
}

/// The narrowness of a statement about a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Narrowness {
    /// 0: `all`, 1: `ai-all`, 2: the use itself.
    class: u8,
    /// 1 if the license permits uses to a class that includes the user; 0 otherwise.
    user: u8,
}

impl Narrowness {
    fn is_narrower_than(self, other: Narrowness) -> bool {
        self != other && self.class >= other.class && self.user >= other.user
    }
}

/// Returns the first grant with the most permissive stance: *allow*, then *unknown*, then *disallow*. Unless the stance
/// is *allow*, the conditions of the other grants with this stance are added.
fn best(grants: impl Iterator<Item = Grant>) -> Option<Grant> {
    let rank = |stance| match stance {
        Stance::Allow => 0,
        Stance::Unknown => 1,
        Stance::Disallow => 2,
    };
    grants.reduce(|mut best, other| match rank(best.stance).cmp(&rank(other.stance)) {
        std::cmp::Ordering::Less => best,
        std::cmp::Ordering::Greater => other,
        std::cmp::Ordering::Equal => {
            if best.stance != Stance::Allow {
                best.conditions.extend(other.conditions);
            }
            best
        }
    })
}

impl Terms {
    /// Returns the list if it contains the use or a class of uses that includes it, with the narrowness of the class.
    fn names(&self, term: &str) -> Option<(u8, &List)> {
        let class = |token: &String| match token.as_str() {
            "all" => Some(0),
            "ai-all" if term.starts_with("ai-") => Some(1),
            token if token == term => Some(2),
            _ => None,
        };
        let list = self.usage.as_ref()?;
        Some((list.tokens.iter().filter_map(class).max()?, list))
    }
}

impl License {
    /// Returns true if the license applies to the user. Returns `None` if [`includes`] returns `None` for the classes
    /// or the places.
    fn is_for(&self, user: &LicenseUser) -> Option<bool> {
        let users = includes(self.permits.user.as_ref(), self.prohibits.user.as_ref(), &user.users);
        let places = includes(self.permits.geo.as_ref(), self.prohibits.geo.as_ref(), &user.places);
        match (users, places) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }
    }

    /// Returns 1 if the license is for a class that includes the user, and 0 otherwise.
    fn user_narrowness(&self, user: &LicenseUser) -> u8 {
        let is_mine = |list: &List| list.tokens.iter().any(|token| user.users.contains(token));
        u8::from(self.permits.user.as_ref().is_some_and(is_mine))
    }

    /// Returns the stance of a permission of this license, with its conditions.
    fn terms_for(&self, content: &Content, user: &LicenseUser) -> (Stance, Vec<String>) {
        let mut conditions = Vec::new();
        let users = (&self.permits.user, &self.prohibits.user, &user.users, "users");
        let places = (&self.permits.geo, &self.prohibits.geo, &user.places, "places");
        let mut stance = Stance::Allow;
        for (permits, prohibits, mine, what) in [users, places] {
            match includes(permits.as_ref(), prohibits.as_ref(), mine) {
                Some(true) => {}
                Some(false) => return (Stance::Disallow, vec![restriction(permits, prohibits, what)]),
                None => {
                    conditions.push(restriction(permits, prohibits, what));
                    stance = Stance::Unknown;
                }
            }
        }
        let needs = self.needs(content);
        if !needs.is_empty() {
            stance = Stance::Disallow;
            conditions.extend(needs);
        } else if self.payment.as_ref().is_some_and(|payment| payment.kind.as_deref() == Some("attribution"))
        {
            conditions.push("with attribution".to_owned());
        }
        (stance, conditions)
    }

    /// Returns the preconditions of a permission.
    fn needs(&self, content: &Content) -> Vec<String> {
        let mut needs = Vec::new();
        if let Some(payment) = &self.payment {
            // A payment without a type and without details is free (RSL 1.0 §3.7).
            let is_free = match payment.kind.as_deref() {
                Some("free" | "attribution") => true,
                Some(_) => false,
                None => payment.details.is_empty(),
            };
            if !is_free {
                let kind = payment.kind.as_deref().into_iter();
                let words: Vec<&str> = kind.chain(payment.details.iter().map(String::as_str)).collect();
                needs.push(format!("licensed in return for payment: {}", words.join(", ")));
            }
        }
        if let Some(server) = &content.server {
            needs.push(format!("licensed with a token of the license server {server}"));
        }
        let reports = self.reporting.iter().map(|report| format!("licensed in return for reports: {report}"));
        needs.extend(reports);
        needs
    }
}

/// Returns true if a license applies to the user's classes or places (`mine`): `permits` contains one of them, and
/// `prohibits` contains none. An absent list restricts nothing. Returns `None` if a list exists and `mine` is empty, or
/// if a region makes the result unclear.
fn includes(permits: Option<&List>, prohibits: Option<&List>, mine: &[String]) -> Option<bool> {
    if permits.is_none() && prohibits.is_none() {
        return Some(true);
    }
    if mine.is_empty() {
        return None;
    }
    let is_listed = |list: &List| list.tokens.iter().any(|token| mine.contains(token));
    // A user who names a region alone may be in any of its countries. A user in a country is in its region, too.
    let is_region = |token: &String| token == REGION;
    let is_unclear = |list: &List| mine.iter().all(is_region) && !is_listed(list);
    if prohibits.is_some_and(is_listed) {
        return Some(false);
    }
    if permits.is_some_and(is_unclear) || prohibits.is_some_and(is_unclear) {
        return None;
    }
    Some(permits.is_none_or(is_listed))
}

/// The token of a place that contains countries.
const REGION: &str = "EU";

fn restriction(permits: &Option<List>, prohibits: &Option<List>, what: &str) -> String {
    let words = |list: &List| shown(list.tokens.join(", ").as_bytes());
    match (permits, prohibits) {
        (Some(only), Some(except)) => format!("only for {what}: {}; not for: {}", words(only), words(except)),
        (Some(only), None) => format!("only for {what}: {}", words(only)),
        (None, Some(except)) => format!("not for {what}: {}", words(except)),
        (None, None) => String::new(),
    }
}

impl Coverage {
    /// Returns the match with a URL, or `None` if the URL is not covered. A URL without an origin is assumed to have
    /// the origin of the coverage.
    fn matches(&self, association: Association, origin: Option<&str>, path: &UrlPath<'_>) -> Option<Match> {
        let is_in_page = association != Association::Site;
        match self {
            Coverage::Attached if is_in_page => Some(Match { length: 0, doubt: None }),
            Coverage::Attached => Some(Match {
                length: 0,
                doubt: Some("the `url` is empty, which is valid only in a license to which a page links"),
            }),
            Coverage::Nowhere => None,
            Coverage::Paths { origin: own, scope } => {
                let is_here = match (own.as_deref(), origin) {
                    (Some(own), Some(origin)) => own == origin,
                    _ => true,
                };
                if is_here && scope.matches(path) {
                    return Some(Match { length: scope.length(), doubt: None });
                }
                // A license inside a page is copied together with the page, so its `url` may be the URL of the
                // original.
                let is_copy =
                    matches!(association, Association::Inline | Association::Element) && own.is_some();
                is_copy.then_some(Match {
                    length: 0,
                    doubt: Some("the page is not at the address that its license names"),
                })
            }
        }
    }
}

/// Returns the origin of a URL: scheme and authority in lower case, without user information and default port.
fn origin_of(url: &[u8]) -> Option<String> {
    let (origin, _) =
        split_origin(&String::from_utf8_lossy(url)).map(|(origin, path)| (origin, path.len()))?;
    Some(origin)
}

/// Splits an absolute URL into its origin and the rest.
pub(super) fn split_origin(url: &str) -> Option<(String, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    let is_scheme =
        scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    if scheme.is_empty() || !is_scheme {
        return None;
    }
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or(authority).to_ascii_lowercase();
    let scheme = scheme.to_ascii_lowercase();
    let default = match scheme.as_str() {
        "https" => ":443",
        "http" => ":80",
        _ => "",
    };
    let host = host.strip_suffix(default).unwrap_or(&host);
    Some((format!("{scheme}://{host}"), path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_compared_without_regard_to_case() {
        let origin = |url: &str| split_origin(url).map(|(origin, _)| origin);
        assert_eq!(origin("HTTPS://u:p@Example.com:443/a"), Some("https://example.com".to_owned()));
        assert_eq!(origin("http://example.com:8080?x"), Some("http://example.com:8080".to_owned()));
        assert_eq!(origin("/a://b"), None);
        assert_eq!(split_origin("https://example.com").map(|(_, path)| path.to_owned()), Some(String::new()));
    }

    #[test]
    fn restriction_to_users_is_unknown_without_a_user_class() {
        let list = |tokens: &[&str]| List { line: 1, tokens: tokens.iter().map(|&t| t.to_owned()).collect() };
        let me = ["education".to_owned()];
        let (mine, other) = (list(&["education"]), list(&["commercial"]));
        assert_eq!(includes(None, None, &[]), Some(true));
        assert_eq!(includes(Some(&mine), None, &[]), None);
        assert_eq!(includes(Some(&mine), None, &me), Some(true));
        assert_eq!(includes(Some(&other), None, &me), Some(false));
        assert_eq!(includes(None, Some(&mine), &me), Some(false));
        assert_eq!(includes(Some(&mine), Some(&mine), &me), Some(false));
        let places = |tokens: &[&str]| tokens.iter().map(|&token| token.to_owned()).collect::<Vec<_>>();
        let (germany, union) = (list(&["DE"]), list(&["EU"]));
        assert_eq!(includes(None, Some(&germany), &places(&["EU"])), None);
        assert_eq!(includes(Some(&germany), None, &places(&["EU"])), None);
        assert_eq!(includes(Some(&union), None, &places(&["DE", "EU"])), Some(true));
        assert_eq!(includes(Some(&germany), None, &places(&["FR"])), Some(false));
        assert_eq!(includes(None, Some(&germany), &places(&["DE", "EU"])), Some(false));
    }
}
