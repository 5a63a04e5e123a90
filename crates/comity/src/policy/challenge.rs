//! Puzzles for browsers: which answers are one in place of the page or the robots.txt that was asked for.
//!
//! The services that set them have header fields or pages of their own, which are listed here with where each was read.
//! What ordinary pages may carry too, such as a form with a captcha or the script by which a service watches visitors, is no
//! sign: a sign is what the puzzle's page needs and a page that was served does not have.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::finding::Channel;
use crate::http::Headers;

/// How many bytes of a page are looked at. Pages with puzzles are short.
const MAX_BYTES: usize = 64 << 10;

/// A sign by which an answer is known to be a puzzle for browsers ([`AnswerKind::Challenge`](super::AnswerKind::Challenge)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChallengeSign {
    service: &'static str,
    channel: Channel,
    texts: &'static [&'static str],
    with_200: bool,
    source: &'static str,
}

/// A public package (MIT) that keeps such signs. Read on 2026-11-23.
const IS_ANTIBOT: &str = "is-antibot 2.5.15";
/// Answers of 2026 that tests and notes in public repositories quote. Read on 2026-11-23.
const QUOTED: &str = "answers that public repositories quote, 2026";
const AMAZON: &str = "docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-actions.html";

/// Every sign. Header fields stand first within a service.
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

/// The signs that stand in pages, with what finds their texts. Preparing that takes longer than a search of a short page.
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

/// Makes a sign of a page that does not count with status 200: ordinary pages of the service's customers have the same texts.
const fn page(service: &'static str, texts: &'static [&'static str], source: &'static str) -> ChallengeSign {
    ChallengeSign { service, channel: Channel::Html, texts, with_200: false, source }
}

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

    /// Returns whose puzzle it is.
    pub fn service(&self) -> &'static str {
        self.service
    }

    /// Returns where the texts stand: in the header, or in the HTML of the page.
    pub fn channel(&self) -> Channel {
        self.channel
    }

    /// Returns the texts, all of which have to be there. In the header, each is a name and a value.
    pub fn texts(&self) -> &'static [&'static str] {
        self.texts
    }

    /// Returns whether it is a sign in an answer with status 200, too.
    pub fn counts_with_200(&self) -> bool {
        self.with_200
    }

    /// Returns where it was read.
    pub fn source(&self) -> &'static str {
        self.source
    }
}

/// Returns the sign by which an answer is known to be a puzzle, in its header or in the start of its body: a header field
/// as it was sent, or `a page of SERVICE`.
pub(crate) fn of_answer(status: u16, headers: &Headers<'_>, body: &[u8]) -> Option<String> {
    in_header(headers).or_else(|| in_page(status, headers, body))
}

/// Returns the header field that says that an answer is a puzzle.
pub(crate) fn in_header(headers: &Headers<'_>) -> Option<String> {
    let signs = SIGNS.iter().filter(|sign| sign.channel == Channel::HttpHeader);
    signs.flat_map(|sign| sign.texts).find_map(|text| {
        let (name, value) = text.split_once(": ")?;
        let sent = headers.get(name)?;
        sent.eq_ignore_ascii_case(value.as_bytes()).then(|| format!("{name}: {}", crate::shown::bytes(sent)))
    })
}

/// Returns whose puzzle a page is. What the header calls something other than HTML is none.
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
