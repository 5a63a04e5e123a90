//! What a body with a good status is: a robots.txt, or something else that was served in its place.
//!
//! The bar is high, since RFC 9309 §2.3.1.5 wants every line read that can be: a body with one record is a robots.txt,
//! whatever else it holds. Only what holds none is looked at for what it is instead.

use super::answer::Answer;
use super::kind::AnswerKind;
use super::rows::Row;
use crate::http::Headers;
use crate::robots::text::whole_lines;
use crate::robots::{DirectiveKind, RobotsTxt};

/// Reads a body as the row says, and tells what kind of answer it is.
pub(super) fn read<'b>(answer: &Answer<'b>, row: &Row) -> (AnswerKind, RobotsTxt<'b>) {
    let Answer { body, headers, is_cut, .. } = *answer;
    let charset = headers.and_then(Headers::charset);
    // Rules are read from whole lines; what else a body is shows in its bytes.
    let bytes = &body[..body.len().min(row.body_limit)];
    let read = whole_lines(body, row.body_limit, is_cut);
    let robots = RobotsTxt::parse_with_charset(read, row.dialect, charset.as_deref());
    let has_record = has_record(&robots);
    let kind = if row.strict_charset && !is_in_charset(read, charset.as_deref()) {
        AnswerKind::Undecodable
    } else if !has_record && looks_like_html(bytes, headers) {
        AnswerKind::HtmlSoft404
    } else if !has_record && (is_binary(bytes) || !is_in_charset(read, charset.as_deref())) {
        AnswerKind::Undecodable
    } else if is_cut || body.len() > row.body_limit {
        AnswerKind::LongBody
    } else {
        AnswerKind::Success
    };
    (kind, robots)
}

/// Whether there is a record that only a robots.txt has. `Host: x` and the like, or two words that could be a rule
/// without its colon, stand in any page.
fn has_record(robots: &RobotsTxt<'_>) -> bool {
    robots.records().any(|record| {
        let kind = record.kind();
        let is_ours = kind.is_rule() || matches!(kind, DirectiveKind::UserAgent | DirectiveKind::Sitemap);
        is_ours && !record.is_missing_colon()
    })
}

/// How far into a body that says it is HTML a tag is looked for: what browsers look at, too (WHATWG MIME Sniffing §5.2).
const SNIFFED: usize = 1445;

/// Whether it starts with markup, or is called HTML and has some near its start.
fn looks_like_html(body: &[u8], headers: Option<&Headers<'_>>) -> bool {
    let text = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body).trim_ascii_start();
    if starts_tag(text) {
        return true;
    }
    let is_called_html = headers.is_some_and(|headers| {
        matches!(headers.media_type().as_str(), "text/html" | "application/xhtml+xml")
    });
    let head = &text[..text.len().min(SNIFFED)];
    is_called_html && memchr::memchr_iter(b'<', head).any(|at| starts_tag(&head[at..]))
}

/// `<p`, `</p`, `<!--`, `<?xml`.
fn starts_tag(text: &[u8]) -> bool {
    matches!(text, [b'<', b'!' | b'?' | b'/', ..] | [b'<', b'a'..=b'z' | b'A'..=b'Z', ..])
}

/// Whether it holds an octet that no text does (WHATWG MIME Sniffing §3, "binary data byte").
fn is_binary(body: &[u8]) -> bool {
    body.iter().any(|byte| matches!(byte, 0x00..=0x08 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F))
}

/// Whether every octet means something in the charset that was named. Without one, each does (ISO-8859-1).
fn is_in_charset(body: &[u8], charset: Option<&str>) -> bool {
    let Some(label) = charset else { return true };
    match encoding_rs::Encoding::for_label_no_replacement(label.as_bytes()) {
        Some(encoding) => encoding.decode_without_bom_handling_and_without_replacement(body).is_some(),
        None => label.eq_ignore_ascii_case("latin-1"),
    }
}
