//! Cookies, kept in memory for the lifetime of the client.
//!
//! A cookie for a public suffix (`co.uk`, `github.io`) would be sent to unrelated sites. So the public suffix list
//! decides which domains may have cookies (RFC 6265 §5.3 step 5). The list also determines which hosts share a limit,
//! so that one site cannot evict the cookies of other sites.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use cookie_store::{Cookie, CookieDomain, CookieExpiration};
use http::{HeaderMap, HeaderValue, header};
use url::{Host, Url};

use crate::lock::lock;

/// Maximum size of a cookie, in bytes. RFC 6265 §6.1 recommends at least this limit.
const MAX_BYTES: usize = 4096;

/// Maximum number of cookies in one answer, and in one request.
const MAX_PER_ANSWER: usize = 50;

/// Maximum number of cookies of one registrable domain. RFC 6265 §6.1 recommends at least 50 for each domain.
const MAX_PER_SITE: usize = 180;

/// Maximum number of cookies of all sites together.
const MAX_COOKIES: usize = 10_000;

/// Cookies in memory.
#[derive(Debug, Default)]
pub(super) struct Cookies {
    jar: Mutex<Jar>,
}

impl Cookies {
    /// Returns the `Cookie` field of a request, or `None` if no cookie matches.
    pub(super) fn field(&self, url: &Url) -> Option<HeaderValue> {
        lock(&self.jar).field(url)
    }

    /// Stores the cookies that an answer sets.
    pub(super) fn take(&self, url: &Url, headers: &HeaderMap) {
        let values = headers.get_all(header::SET_COOKIE).iter().take(MAX_PER_ANSWER);
        let texts = values.filter_map(|value| value.to_str().ok()).filter(|text| text.len() <= MAX_BYTES);
        let cookies = texts.filter_map(|text| Cookie::parse(text.to_owned(), url).ok());
        for cookie in cookies.filter_map(|cookie| scoped(cookie, url)) {
            lock(&self.jar).set(cookie, url);
        }
    }
}

/// All cookies, numbered in the order in which they were last set.
#[derive(Debug, Default)]
struct Jar {
    /// The cookies of each registrable domain.
    sites: HashMap<Arc<str>, BTreeMap<u64, Cookie<'static>>>,
    /// Registrable domain of each cookie, by its number. The oldest cookie is first.
    order: BTreeMap<u64, Arc<str>>,
    /// Expiry in Unix seconds and number of each cookie that expires.
    expiring: BTreeSet<(i64, u64)>,
    /// The number of the next cookie.
    next: u64,
}

impl Jar {
    fn field(&self, url: &Url) -> Option<HeaderValue> {
        let held = self.sites.get(&*site_of(url)?)?;
        let mut cookies: Vec<_> =
            held.values().filter(|cookie| !cookie.is_expired() && cookie.matches(url)).collect();
        // Cookies with longer paths are sent first (RFC 6265 §5.4).
        cookies.sort_by_key(|cookie| Reverse(cookie.path.len()));
        let pairs = cookies.iter().take(MAX_PER_ANSWER).map(|cookie| {
            let (name, value) = cookie.name_value();
            format!("{name}={value}")
        });
        let field = pairs.collect::<Vec<_>>().join("; ");
        if field.is_empty() { None } else { HeaderValue::try_from(field).ok() }
    }

    /// Stores a cookie, and removes the earlier cookie with the same name, domain and path (RFC 6265 §5.3 step 11). An
    /// expired cookie is not stored.
    fn set(&mut self, cookie: Cookie<'static>, url: &Url) {
        let Some(site) = site_of(url).filter(|_| cookie.domain.matches(url)) else { return };
        let is_same = |held: &Cookie<'_>| {
            held.name() == cookie.name()
                && *held.path == *cookie.path
                && held.domain.as_cow() == cookie.domain.as_cow()
        };
        let old = self.sites.get(&*site).and_then(|held| held.iter().find(|(_, held)| is_same(held)));
        if let Some((number, _)) = old {
            self.remove(*number);
        }
        if !cookie.is_expired() {
            self.insert(site.into(), cookie);
        }
    }

    /// Inserts a new cookie. If a limit is exceeded, evicts an expired cookie, or otherwise the oldest cookie.
    fn insert(&mut self, site: Arc<str>, cookie: Cookie<'static>) {
        let number = self.next;
        self.next += 1;
        self.order.insert(number, site.clone());
        self.expiring.extend(expiry(&cookie).map(|at| (at, number)));
        let held = self.sites.entry(site).or_default();
        held.insert(number, cookie);
        if held.len() > MAX_PER_SITE {
            let expired = held.iter().find(|(_, cookie)| cookie.is_expired());
            let first = expired.or_else(|| held.first_key_value()).map(|(number, _)| *number);
            first.into_iter().for_each(|number| self.remove(number));
        }
        if self.order.len() > MAX_COOKIES {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
            let expired =
                self.expiring.first().filter(|(at, _)| u64::try_from(*at).is_ok_and(|at| at <= now));
            let first = expired.map(|(_, number)| number).or_else(|| self.order.keys().next()).copied();
            first.into_iter().for_each(|number| self.remove(number));
        }
    }

    fn remove(&mut self, number: u64) {
        let Some(site) = self.order.remove(&number) else { return };
        let Some(held) = self.sites.get_mut(&site) else { return };
        if let Some(at) = held.remove(&number).as_ref().and_then(expiry) {
            self.expiring.remove(&(at, number));
        }
        if held.is_empty() {
            self.sites.remove(&site);
        }
    }
}

/// Returns the Unix time in seconds at which a cookie expires.
fn expiry(cookie: &Cookie<'_>) -> Option<i64> {
    match cookie.expires {
        CookieExpiration::AtUtc(at) => Some(at.unix_timestamp()),
        CookieExpiration::SessionEnd => None,
    }
}

/// Returns the registrable domain of a URL's host, or the host itself if it is an address or a public suffix.
fn site_of(url: &Url) -> Option<String> {
    let host = match url.host()? {
        Host::Domain(name) => psl::domain_str(name).unwrap_or(name).to_owned(),
        address => address.to_string(),
    };
    Some(host)
}

/// Limits a cookie to the hosts that may receive it. A cookie for a public suffix is rejected, unless the host itself
/// is that suffix; then the cookie is limited to that host.
fn scoped(mut cookie: Cookie<'static>, url: &Url) -> Option<Cookie<'static>> {
    let CookieDomain::Suffix(domain) = &cookie.domain else { return Some(cookie) };
    let name = domain.trim_matches('.').to_ascii_lowercase();
    if psl::suffix_str(&name) != Some(name.as_str()) {
        return Some(cookie);
    }
    if url.host_str()? != name {
        return None;
    }
    cookie.domain = CookieDomain::HostOnly(name);
    Some(cookie)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(cookies: &Cookies, host: usize, cookie: &str) -> Url {
        let url: Url = format!("http://h{host}.example/").parse().unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(header::SET_COOKIE, cookie.parse().unwrap());
        cookies.take(&url, &headers);
        url
    }

    #[test]
    fn full_jar_evicts_the_cookie_set_longest_ago() {
        let cookies = Cookies::default();
        let first = set(&cookies, 0, "a=1");
        let second = set(&cookies, 1, "a=1; Max-Age=1000");
        for host in 2..MAX_COOKIES {
            set(&cookies, host, "a=1");
        }
        // A cookie that is set again is no longer the oldest.
        set(&cookies, 0, "a=2");
        assert!(cookies.field(&second).is_some(), "the jar is full, and nothing was evicted");
        let last = set(&cookies, MAX_COOKIES, "a=1");
        assert_eq!(cookies.field(&first).unwrap(), "a=2");
        assert_eq!((cookies.field(&second), cookies.field(&last).is_some()), (None, true));
        let jar = lock(&cookies.jar);
        assert_eq!((jar.order.len(), jar.sites.len(), jar.expiring.len()), (MAX_COOKIES, MAX_COOKIES, 0));
    }
}
