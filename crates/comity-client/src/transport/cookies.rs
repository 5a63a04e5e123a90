//! Cookies, kept in memory for as long as the client lives.
//!
//! A cookie for a domain under which anybody can have a name (`co.uk`, `github.io`) would be sent to all of them. So
//! the public suffix list decides which domains may have cookies (RFC 6265 §5.3 step 5).

use std::sync::{Mutex, MutexGuard, PoisonError};

use cookie_store::{Cookie, CookieDomain, CookieStore, StoreAction};
use http::{HeaderMap, HeaderValue, header};
use url::Url;

/// The greatest size of a cookie (RFC 6265 §6.1 asks for no more).
const MAX_BYTES: usize = 4096;

/// The greatest number of cookies in one answer, and in one request.
const MAX_PER_ANSWER: usize = 50;

/// The greatest number of cookies kept. When it is reached, no new ones are taken.
const MAX_COOKIES: usize = 100_000;

/// Cookies in memory.
#[derive(Debug, Default)]
pub(super) struct Cookies {
    jar: Mutex<Jar>,
}

#[derive(Debug, Default)]
struct Jar {
    store: CookieStore,
    /// The number of cookies ever taken.
    taken: usize,
}

impl Cookies {
    /// Returns the `Cookie` field of a request, if there is a cookie for it.
    pub(super) fn field(&self, url: &Url) -> Option<HeaderValue> {
        let jar = self.lock();
        let cookies = jar.store.get_request_values(url).take(MAX_PER_ANSWER);
        let pairs: Vec<String> = cookies.map(|(name, value)| format!("{name}={value}")).collect();
        if pairs.is_empty() { None } else { HeaderValue::try_from(pairs.join("; ")).ok() }
    }

    /// Takes the cookies that an answer sets.
    pub(super) fn take(&self, url: &Url, headers: &HeaderMap) {
        for value in headers.get_all(header::SET_COOKIE).iter().take(MAX_PER_ANSWER) {
            let Some(text) = value.to_str().ok().filter(|text| text.len() <= MAX_BYTES) else { continue };
            let Ok(cookie) = Cookie::parse(text.to_owned(), url) else { continue };
            if let Some(cookie) = scoped(cookie, url) {
                let mut jar = self.lock();
                // A cookie that the host may not set is not kept.
                if jar.taken < MAX_COOKIES
                    && matches!(jar.store.insert(cookie, url), Ok(StoreAction::Inserted))
                {
                    jar.taken += 1;
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Jar> {
        self.jar.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Limits a cookie to the hosts that it may be sent to. It may not be set for a public suffix, unless the host itself
/// is one, and then for that host alone.
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
