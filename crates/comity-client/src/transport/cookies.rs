//! Cookies that sites set, for as long as the client lives.
//!
//! A cookie for a domain under which anybody can have a name (`co.uk`, `github.io`) would go to everybody there, so the
//! public suffix list decides which domains may have any (RFC 6265 §5.3 step 5).

use std::sync::{Mutex, MutexGuard, PoisonError};

use cookie_store::{Cookie, CookieDomain, CookieStore, StoreAction};
use http::{HeaderMap, HeaderValue, header};
use url::Url;

/// A longer cookie is none (RFC 6265 §6.1 asks for no more).
const MAX_BYTES: usize = 4096;

/// Of one answer, and of one request, no more cookies count.
const MAX_PER_ANSWER: usize = 50;

/// In all, no more are kept: from then on no new ones are taken.
const MAX_COOKIES: usize = 100_000;

/// Cookies in memory.
#[derive(Debug, Default)]
pub(super) struct Cookies {
    jar: Mutex<Jar>,
}

#[derive(Debug, Default)]
struct Jar {
    store: CookieStore,
    /// How many were ever taken.
    taken: usize,
}

impl Cookies {
    /// The `Cookie` field of a request, if there is any cookie for it.
    pub(super) fn field(&self, url: &Url) -> Option<HeaderValue> {
        let jar = self.lock();
        let cookies = jar.store.get_request_values(url).take(MAX_PER_ANSWER);
        let pairs: Vec<String> = cookies.map(|(name, value)| format!("{name}={value}")).collect();
        if pairs.is_empty() { None } else { HeaderValue::try_from(pairs.join("; ")).ok() }
    }

    /// Takes what an answer sets.
    pub(super) fn take(&self, url: &Url, headers: &HeaderMap) {
        for value in headers.get_all(header::SET_COOKIE).iter().take(MAX_PER_ANSWER) {
            let Some(text) = value.to_str().ok().filter(|text| text.len() <= MAX_BYTES) else { continue };
            let Ok(cookie) = Cookie::parse(text.to_owned(), url) else { continue };
            if let Some(cookie) = scoped(cookie, url) {
                let mut jar = self.lock();
                // One that the host may not set is not kept.
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

/// A cookie as far as it may go: not to a public suffix, unless that is the host itself, and then to that alone.
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
