//! What a document grants.
//!
//! For each use, the contents that match the URL are looked at from the narrowest path to the widest, and the first that
//! says something about the use decides. There, a prohibition counts before a permission, however either is worded (RSL
//! also ranks `ai-train` above `ai-all`; a narrow permission inside a wide prohibition is in doubt, so it is not taken),
//! and a list of permissions is exhaustive. A permission is an *allow* only if nothing has to be arranged for it: what
//! has to be paid, asked for or reported first makes it a *disallow* with conditions; whom it holds for makes it
//! *unknown* to those who did not say who they are.

use super::{Content, Coverage, License, LicenseDocument, List, Terms};
use crate::robots::scope::UrlPath;
use crate::usage::evidence::{Evidence, shown};
use crate::usage::words::PreferenceValue;

/// Who asks, in RSL's words.
#[derive(Clone, Debug, Default)]
pub(in crate::usage) struct Asker {
    pub users: Vec<String>,
    pub places: Vec<String>,
}

/// What is granted of one use.
#[derive(Clone, Debug)]
pub(in crate::usage) struct Granted {
    pub answer: PreferenceValue,
    pub conditions: Vec<String>,
    pub evidence: Evidence,
}

impl LicenseDocument {
    /// Returns what the document says of a use; nothing if it says nothing.
    pub(in crate::usage) fn granted(
        &self,
        term: &str,
        url: &[u8],
        path: &UrlPath<'_>,
        asker: &Asker,
    ) -> Option<Granted> {
        let origin = origin_of(url);
        let mut matching: Vec<(u32, &Content)> = self
            .contents
            .iter()
            .filter_map(|content| Some((content.place.length_if_matches(origin.as_deref(), path)?, content)))
            .collect();
        matching.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
        let levels = matching.chunk_by(|(a, _), (b, _)| a == b);
        let mut granted = levels.into_iter().find_map(|level| self.at_level(level, term, asker))?;
        if granted.answer == PreferenceValue::Allow && !self.is_conformant {
            granted.answer = PreferenceValue::Unknown;
            granted
                .conditions
                .push("the document does not conform to RSL 1.0, so it allows nothing".to_owned());
        }
        Some(granted)
    }

    /// Returns what contents of one scope say together.
    fn at_level(&self, level: &[(u32, &Content)], term: &str, asker: &Asker) -> Option<Granted> {
        let licences = || {
            level
                .iter()
                .flat_map(|(_, content)| content.licences.iter().map(move |licence| (*content, licence)))
        };
        let evidence = |name, list: &List| self.evidence(name, list);
        let refused =
            |evidence| Granted { answer: PreferenceValue::Disallow, conditions: Vec::new(), evidence };
        if let Some(list) = licences().find_map(|(_, licence)| licence.prohibits.names(term)) {
            return Some(refused(evidence("prohibits", list)));
        }
        let grants = licences().filter_map(|(content, licence)| {
            let list = licence.permits.names(term)?;
            let (answer, conditions) = licence.terms_for(content, asker);
            Some(Granted { answer, conditions, evidence: evidence("permits", list) })
        });
        if let Some(best) = best(grants) {
            return Some(best);
        }
        let list = licences().find_map(|(_, licence)| licence.permits.usage.as_ref())?;
        Some(refused(evidence("permits", list)))
    }

    fn evidence(&self, name: &str, list: &List) -> Evidence {
        let tokens = shown(list.tokens.join(" ").as_bytes());
        let text = format!("<{name} type=\"usage\">{tokens}</{name}>");
        Evidence::line(self.findings.channel(), list.line, text)
    }
}

/// The grant that asks for least; the conditions of others of its kind with it.
fn best(grants: impl Iterator<Item = Granted>) -> Option<Granted> {
    let rank = |answer| match answer {
        PreferenceValue::Allow => 0,
        PreferenceValue::Unknown => 1,
        PreferenceValue::Disallow => 2,
    };
    grants.reduce(|mut best, other| match rank(best.answer).cmp(&rank(other.answer)) {
        std::cmp::Ordering::Less => best,
        std::cmp::Ordering::Greater => other,
        std::cmp::Ordering::Equal => {
            if best.answer != PreferenceValue::Allow {
                best.conditions.extend(other.conditions);
            }
            best
        }
    })
}

impl Terms {
    /// The list, if it names a use or a class that it belongs to.
    fn names(&self, term: &str) -> Option<&List> {
        let is_meant = |token: &String| match token.as_str() {
            "all" => true,
            "ai-all" => term.starts_with("ai-"),
            token => token == term,
        };
        self.usage.as_ref().filter(|list| list.tokens.iter().any(is_meant))
    }
}

impl License {
    /// Returns what a permission of this licence comes to.
    fn terms_for(&self, content: &Content, asker: &Asker) -> (PreferenceValue, Vec<String>) {
        let mut conditions = Vec::new();
        let users = (&self.permits.user, &self.prohibits.user, &asker.users, "users");
        let places = (&self.permits.geo, &self.prohibits.geo, &asker.places, "places");
        let mut answer = PreferenceValue::Allow;
        for (permits, prohibits, mine, what) in [users, places] {
            match holds_for(permits.as_ref(), prohibits.as_ref(), mine) {
                Some(true) => {}
                Some(false) => {
                    return (PreferenceValue::Disallow, vec![restriction(permits, prohibits, what)]);
                }
                None => {
                    conditions.push(restriction(permits, prohibits, what));
                    answer = PreferenceValue::Unknown;
                }
            }
        }
        let needs = self.needs(content);
        if !needs.is_empty() {
            answer = PreferenceValue::Disallow;
            conditions.extend(needs);
        } else if self.payment.as_ref().is_some_and(|payment| payment.kind.as_deref() == Some("attribution"))
        {
            conditions.push("with attribution".to_owned());
        }
        (answer, conditions)
    }

    /// Returns what has to be arranged before a permission holds.
    fn needs(&self, content: &Content) -> Vec<String> {
        let mut needs = Vec::new();
        if let Some(payment) = &self.payment {
            // Without a type and without anything else said, it is free (RSL 1.0 §3.7).
            let is_free = match payment.kind.as_deref() {
                Some("free" | "attribution") => true,
                Some(_) => false,
                None => payment.details.is_empty(),
            };
            if !is_free {
                let kind = payment.kind.as_deref().into_iter();
                let words: Vec<&str> = kind.chain(payment.details.iter().map(String::as_str)).collect();
                needs.push(format!("licensed against payment: {}", words.join(", ")));
            }
        }
        if let Some(server) = &content.server {
            needs.push(format!("licensed with a token of the licence server {server}"));
        }
        needs.extend(self.reporting.iter().map(|report| format!("licensed against reporting: {report}")));
        needs
    }
}

/// Returns true if restrictions let somebody pass; unknown if they did not say who they are.
fn holds_for(permits: Option<&List>, prohibits: Option<&List>, mine: &[String]) -> Option<bool> {
    if permits.is_none() && prohibits.is_none() {
        return Some(true);
    }
    if mine.is_empty() {
        return None;
    }
    let is_listed = |list: &List| list.tokens.iter().any(|token| mine.contains(token));
    Some(permits.is_none_or(is_listed) && !prohibits.is_some_and(is_listed))
}

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
    /// Returns how narrow it is, if it takes in a URL. A URL without an origin is taken to be on the right one.
    fn length_if_matches(&self, origin: Option<&str>, path: &UrlPath<'_>) -> Option<u32> {
        match self {
            Coverage::Attached => Some(0),
            Coverage::Nowhere => None,
            Coverage::Paths { origin: own, scope } => {
                let is_here = match (own.as_deref(), origin) {
                    (Some(own), Some(origin)) => own == origin,
                    _ => true,
                };
                (is_here && scope.matches(path)).then(|| scope.length())
            }
        }
    }
}

/// The origin of a URL: scheme and authority in lower case, without user information and default port.
fn origin_of(url: &[u8]) -> Option<String> {
    let (origin, _) =
        split_origin(&String::from_utf8_lossy(url)).map(|(origin, path)| (origin, path.len()))?;
    Some(origin)
}

/// Cuts an absolute URL into its origin and the rest.
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
    fn origins_are_folded() {
        let origin = |url: &str| split_origin(url).map(|(origin, _)| origin);
        assert_eq!(origin("HTTPS://u:p@Example.com:443/a"), Some("https://example.com".to_owned()));
        assert_eq!(origin("http://example.com:8080?x"), Some("http://example.com:8080".to_owned()));
        assert_eq!(origin("/a://b"), None);
        assert_eq!(split_origin("https://example.com").map(|(_, path)| path.to_owned()), Some(String::new()));
    }

    #[test]
    fn restrictions_need_to_know_who_asks() {
        let list = |tokens: &[&str]| List { line: 1, tokens: tokens.iter().map(|&t| t.to_owned()).collect() };
        let me = ["education".to_owned()];
        let (mine, other) = (list(&["education"]), list(&["commercial"]));
        assert_eq!(holds_for(None, None, &[]), Some(true));
        assert_eq!(holds_for(Some(&mine), None, &[]), None);
        assert_eq!(holds_for(Some(&mine), None, &me), Some(true));
        assert_eq!(holds_for(Some(&other), None, &me), Some(false));
        assert_eq!(holds_for(None, Some(&mine), &me), Some(false));
        assert_eq!(holds_for(Some(&mine), Some(&mine), &me), Some(false));
    }
}
