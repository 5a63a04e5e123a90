//! Signs of browser challenges. A browser challenge is a page that a service sends in place of the requested document,
//! to check that the client is a browser: the page runs a script or shows a captcha.
//!
//! Each service has its own header fields and pages. They are listed here with their sources. A sign consists of
//! texts that the challenge needs. If ordinary pages contain these texts, too, the sign does not apply to status 200.
//! Neither a captcha in a form nor a script that tracks visitors is a sign.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::finding::Channel;
use crate::http::Headers;

/// Maximum number of bytes of a page that are examined. Challenges are short.
const MAX_BYTES: usize = 64 << 10;

/// A sign that identifies an answer as a browser challenge ([`AnswerKind::Challenge`](super::AnswerKind::Challenge)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChallengeSign {
    service: &'static str,
    channel: Channel,
    texts: &'static [&'static str],
    with_200: bool,
    source: &'static str,
}

/// A public package (MIT license) that lists such signs, as of 2026-11-23.
const IS_ANTIBOT: &str = "is-antibot 2.5.15";
/// Answers of 2026 that tests and notes in public repositories quote, as of 2026-11-23.
const QUOTED: &str = "answers that public repositories quote, 2026";
/// The documentation of AWS WAF.
const AMAZON: &str = "docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-actions.html";

/// Every sign. Within a service, header fields come first.
static SIGNS: [ChallengeSign; 20] = [
    header(
        "Cloudflare",
        &["cf-mitigated: challenge"],
        "developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response",
    ),
    page("Cloudflare", &["_cf_chl_opt"], IS_ANTIBOT),
    header("Vercel", &["x-vercel-mitigated: challenge"], IS_ANTIBOT),
    page("Vercel", &["<title>Vercel Security Checkpoint</title>"], QUOTED),
    header("Amazon", &["x-amzn-waf-action: challenge"], AMAZON),
    header("Amazon", &["x-amzn-waf-action: captcha"], AMAZON),
    page("Amazon", &["gokuProps", "awswaf.com"], IS_ANTIBOT),
    header("SiteGround", &["sg-captcha: challenge"], QUOTED),
    any_page("SiteGround", &["http-equiv=\"refresh\"", "/.well-known/sgcaptcha/"], QUOTED),
    any_page("Anubis", &["<script id=\"anubis_challenge\""], IS_ANTIBOT),
    any_page(
        "Anubis",
        &["<script id=\"anubis_version\"", "/.within.website/x/cmd/anubis/static/js/main.mjs"],
        "github.com/TecharoHQ/anubis, web/index.templ",
    ),
    any_page(
        "Fastly",
        &["/_fs-ch-", "<title>Client Challenge</title>"],
        "fastly.com/documentation/guides/security/bot-management/client-challenges (the path); is-antibot 2.5.15 (the title)",
    ),
    any_page("Imperva", &["_Incapsula_Resource", "Incapsula incident ID"], QUOTED),
    any_page("Akamai", &["sec-if-cpt-container"], QUOTED),
    page("DataDome", &["captcha-delivery.com"], IS_ANTIBOT),
    page("HUMAN", &["_pxAppId", "px-captcha"], IS_ANTIBOT),
    any_page("Sucuri", &["sucuri_cloudproxy_js"], QUOTED),
    any_page("Hostinger", &["/hcdn-cgi/jschallenge"], IS_ANTIBOT),
    any_page("DDoS-Guard", &["/.well-known/ddos-guard/js-challenge/"], QUOTED),
    any_page("DDoS-Guard", &["/.well-known/ddos-guard/ddg-captcha-page/"], QUOTED),
];

/// The signs in pages, with a searcher for each text. The searchers are built once, because building them takes longer
/// than searching a short page.
static IN_PAGES: LazyLock<Vec<(&ChallengeSign, Vec<Finder<'static>>)>> = LazyLock::new(|| {
    let signs = SIGNS.iter().filter(|sign| sign.channel == Channel::Html);
    signs.map(|sign| (sign, sign.texts.iter().map(Finder::new).collect())).collect()
});

const fn header(
    service: &'static str,
    texts: &'static [&'static str],
    source: &'static str,
) -> ChallengeSign {
    ChallengeSign { service, channel: Channel::HttpHeader, texts, with_200: true, source }
}

/// Creates a sign in HTML. It does not apply to status 200, because ordinary pages of the service's customers contain
/// its texts, too.
const fn page(service: &'static str, texts: &'static [&'static str], source: &'static str) -> ChallengeSign {
    ChallengeSign { service, channel: Channel::Html, texts, with_200: false, source }
}

/// Creates a sign in HTML that applies to every status.
const fn any_page(
    service: &'static str,
    texts: &'static [&'static str],
    source: &'static str,
) -> ChallengeSign {
    ChallengeSign { with_200: true, ..page(service, texts, source) }
}

impl ChallengeSign {
    /// Returns every sign.
    pub fn all() -> &'static [ChallengeSign] {
        &SIGNS
    }

    /// Returns the name of the service.
    pub fn service(&self) -> &'static str {
        self.service
    }

    /// Returns the location of the texts: the header, or the HTML of the page.
    pub fn channel(&self) -> Channel {
        self.channel
    }

    /// Returns the texts. All of them must be present. In the header, a text is the name and the value of a field.
    pub fn texts(&self) -> &'static [&'static str] {
        self.texts
    }

    /// Returns true if the sign also applies to an answer with status 200.
    pub fn counts_with_200(&self) -> bool {
        self.with_200
    }

    /// Returns the document or package that describes the sign.
    pub fn source(&self) -> &'static str {
        self.source
    }
}

/// Returns the sign that identifies an answer as a challenge: a header field as sent, or `a page of SERVICE`. Only the
/// first 64 KiB of the body are searched.
pub(crate) fn of_answer(status: u16, headers: &Headers<'_>, body: &[u8]) -> Option<String> {
    in_header(headers).or_else(|| in_page(status, headers, body))
}

/// Returns the header field that identifies an answer as a challenge.
pub(crate) fn in_header(headers: &Headers<'_>) -> Option<String> {
    let signs = SIGNS.iter().filter(|sign| sign.channel == Channel::HttpHeader);
    signs.flat_map(|sign| sign.texts).find_map(|text| {
        let (name, value) = text.split_once(": ")?;
        let sent = headers.get(name)?;
        sent.eq_ignore_ascii_case(value.as_bytes()).then(|| format!("{name}: {}", crate::shown::bytes(sent)))
    })
}

/// Returns `a page of SERVICE` if the body is a challenge of that service. A body with a media type other than HTML is
/// not a challenge.
fn in_page(status: u16, headers: &Headers<'_>, body: &[u8]) -> Option<String> {
    let is_html = matches!(headers.media_type().as_str(), "" | "text/html" | "application/xhtml+xml");
    if !is_html {
        return None;
    }
    let body = &body[..body.len().min(MAX_BYTES)];
    let mut signs = IN_PAGES.iter().filter(|(sign, _)| sign.with_200 || status != 200);
    let (sign, _) = signs.find(|(_, texts)| texts.iter().all(|text| text.find(body).is_some()))?;
    Some(format!("a page of {}", sign.service))
}
