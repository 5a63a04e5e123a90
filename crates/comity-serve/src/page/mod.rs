//! The web page at `/`. Its files are compiled into the binary, and its scripts send requests to the routes below
//! `/v1`.
//!
//! The content security policy of the files is strict: scripts and styles only from this service, no requests to other
//! hosts, no HTML from strings, no frames. The files contain no private data, so they need no token; the page prompts
//! the user for one.
//!
//! The documentation site has the same page without the service. Its back end is the npm package (`js/play`).
//!
//! The page consists of ES modules, without a framework or an editor component (`docs/design/decisions/service.md`).
//! `tests/it/page.rs` starts services, and `tests/browser/page.mjs` uses the page in Chromium and checks it with axe.
//!
//! | file | holds |
//! |---|---|
//! | `app.js` | start of the page; connects the views |
//! | `ask.js` | requests; a newer request cancels an older one |
//! | `service.js` | the back end: the routes of the service |
//! | `editor.js` | the editor: draws highlighted lines behind a text area of the browser |
//! | `text.js` | replacements for unsafe characters |
//! | `dom.js` | creates elements, never HTML from strings |
//! | `words.js`, `problem.js` | wording of answers and problems |
//! | `share.js` | links that contain the whole state |
//! | `findings.js`, `verdicts.js`, `why.js`, `crawlers.js`, `usage.js`, `compare.js`, `load.js`, `write.js` | the views |

use std::sync::LazyLock;

use axum::body::Body;
use axum::response::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

const POLICY: &str = include_str!("policy.txt").trim_ascii_end();

/// A file of the page.
#[derive(Debug)]
pub(crate) struct File {
    /// The path of its URL.
    pub(crate) path: &'static str,
    media_type: &'static str,
    body: &'static [u8],
    etag: HeaderValue,
}

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        vec![
            File::new("/", "index.html", include_bytes!("index.html")),
            $(File::new(concat!("/page/", $name), $name, include_bytes!($name))),+
        ]
    };
}

/// All files of the page.
pub(crate) static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    files![
        "app.js",
        "ask.js",
        "compare.js",
        "crawlers.js",
        "dom.js",
        "editor.js",
        "findings.js",
        "icon.svg",
        "load.js",
        "page.css",
        "problem.js",
        "service.js",
        "share.js",
        "text.js",
        "usage.js",
        "verdicts.js",
        "why.js",
        "words.js",
        "write.js",
    ]
});

impl File {
    fn new(path: &'static str, name: &str, body: &'static [u8]) -> File {
        let media_type = match name.rsplit('.').next() {
            Some("html") => "text/html; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            _ => "image/svg+xml",
        };
        let digest: String = Sha256::digest(body).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        // Hexadecimal digits between quotation marks are a valid header value.
        let etag = HeaderValue::try_from(format!("\"{digest}\"")).unwrap_or(HeaderValue::from_static("\"\""));
        File { path, media_type, body, etag }
    }

    /// Returns true if the file may be opened as a document by a link on a page of another site.
    pub(crate) fn is_document(&self) -> bool {
        self.path == "/"
    }

    /// Returns the file, or 304 if the browser has the current version.
    pub(crate) fn answer(&self, asked: &HeaderMap) -> Response {
        let is_known = |tags: &HeaderValue| {
            let own = self.etag.to_str().unwrap_or_default();
            let tags = tags.to_str().unwrap_or_default();
            tags.split(',').any(|tag| matches!(tag.trim(), "*") || tag.trim().trim_start_matches("W/") == own)
        };
        let mut response = if asked.get_all(IF_NONE_MATCH).iter().any(is_known) {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            Response::new(Body::from(self.body))
        };
        let fixed = [
            (CONTENT_TYPE, self.media_type),
            // Browsers cache the file but revalidate it before each use, because an update of the service may change
            // it.
            (CACHE_CONTROL, "no-cache"),
            (CONTENT_SECURITY_POLICY, POLICY),
            (REFERRER_POLICY, "no-referrer"),
            (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
            (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        ];
        let headers = response.headers_mut();
        headers.insert(ETAG, self.etag.clone());
        for (name, value) in fixed {
            headers.insert(name, HeaderValue::from_static(value));
        }
        response
    }
}
