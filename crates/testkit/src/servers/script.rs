//! Scripts: sequences of replies for a path, and replies that depend on the request.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use super::log::Seen;
use super::reply::Reply;

/// A function that returns the reply to a request.
pub(super) type Step = Arc<dyn Fn(&Seen) -> Reply + Send + Sync>;

/// A sequence of replies. The last reply repeats forever.
///
/// A [`Reply`] converts to a script with one reply.
#[derive(Clone)]
pub struct Script {
    steps: Vec<Step>,
    next: usize,
}

impl Script {
    /// Creates a script that calls `reply` for every request.
    pub fn new(reply: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Script { steps: vec![Arc::new(reply)], next: 0 }
    }

    /// Returns a script that begins with this script and continues with `next`.
    #[must_use]
    pub fn then(mut self, next: impl Into<Script>) -> Self {
        self.steps.extend(next.into().steps);
        self
    }

    /// Returns a script that runs this script `times` times, at least once.
    #[must_use]
    pub fn times(mut self, times: usize) -> Self {
        let once = self.steps.clone();
        (1..times).for_each(|_| self.steps.extend_from_slice(&once));
        self
    }

    /// Returns the next step. The caller calls the step after releasing its locks.
    pub(super) fn turn(&mut self) -> Option<Step> {
        let step = self.steps.get(self.next).or(self.steps.last()).cloned();
        self.next += 1;
        step
    }
}

impl From<Reply> for Script {
    fn from(reply: Reply) -> Self {
        Script::new(move |_| reply.clone())
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").field("steps", &self.steps.len()).field("next", &self.next).finish()
    }
}

/// Replies that depend on the request.
impl Reply {
    /// Creates a script that answers with 200 and `ETag: etag`, or with 304 if `If-None-Match` contains the tag or `*`.
    pub fn not_modified_if(etag: &str, body: impl Into<Vec<u8>>) -> Script {
        let full = Reply::ok(body).header("ETag", etag);
        let etag = etag.to_owned();
        Script::new(move |asked| if asked.has_etag(&etag) { full.not_modified() } else { full.clone() })
    }

    /// Creates a script that answers with 200 and `Last-Modified: date`, or with 304 if `If-Modified-Since` is not
    /// before `date`.
    pub fn not_modified_since(date: SystemTime, body: impl Into<Vec<u8>>) -> Script {
        let full = Reply::ok(body).header("Last-Modified", httpdate::fmt_http_date(date));
        let date = httpdate::HttpDate::from(date);
        Script::new(move |asked| {
            let since = asked.header("If-Modified-Since").and_then(|since| since.parse().ok());
            let unchanged = since.is_some_and(|since: httpdate::HttpDate| since >= date);
            if unchanged { full.not_modified() } else { full.clone() }
        })
    }

    /// Creates a script that answers with 200 and another `ETag` for every request, so that revalidation never
    /// succeeds.
    pub fn changing_etag(body: impl Into<Vec<u8>>) -> Script {
        let full = Reply::ok(body);
        Script::new(move |asked| full.clone().header("ETag", format!("\"{}\"", asked.nth)))
    }

    /// Creates a script that redirects every request to the requested URL.
    pub fn redirect_loop() -> Script {
        Script::new(|asked| Reply::redirect(302, &asked.target))
    }

    /// Creates a script with `hops` redirects to the requested path, each with another query `?hop=N`, and then the
    /// reply `last`.
    pub fn redirect_chain(hops: usize, last: Reply) -> Script {
        Script::new(move |asked| {
            let hop = asked.target.split_once("?hop=").and_then(|(_, hop)| hop.parse().ok()).unwrap_or(0);
            if hop < hops {
                Reply::redirect(302, &format!("{}?hop={}", asked.path, hop + 1))
            } else {
                last.clone()
            }
        })
    }
}

/// Scripts of replies.
impl Reply {
    /// Returns a script with this reply for `times` requests; [`Script::then`] adds further replies.
    pub fn times(self, times: usize) -> Script {
        Script::from(self).times(times)
    }

    /// Returns a script that begins with this reply and continues with `next`.
    pub fn then(self, next: impl Into<Script>) -> Script {
        Script::from(self).then(next)
    }
}

impl Seen {
    /// Returns true if `If-None-Match` names this entity tag (RFC 9110 §13.1.2, weak comparison).
    fn has_etag(&self, etag: &str) -> bool {
        let strong = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
        let Some(asked) = self.header("If-None-Match") else { return false };
        asked.split(',').any(|one| one.trim() == "*" || strong(one) == strong(etag))
    }
}
