//! Determines whether the body of a 2xx answer is a robots.txt or another document in its place.
//!
//! RFC 9309 §2.3.1.5 requires crawlers to use every line that can be parsed. A body with a single record is therefore a
//! robots.txt, even if its other lines are not records. Only a body without records is checked for another format.

use memchr::memmem;

use super::answer::{Answer, Reply};
use super::challenge;
use super::kind::AnswerKind;
use super::rows::Row;
use crate::charset::{HAS_TABLES, encoding_of, is_latin1};
use crate::http::Headers;
use crate::robots::whole_lines;
use crate::robots::{Body, QuickDecision, RobotsTxt, UrlError};

/// The kind of an answer, its robots.txt, and the sign of a browser challenge.
pub(super) struct ClassifiedAnswer<'b> {
    pub kind: AnswerKind,
    /// The robots.txt in the body of a 2xx answer.
    pub robots: Option<RobotsTxt<'b>>,
    /// The sign that identifies the answer as a browser challenge: a header field, or `a page of SERVICE`.
    pub challenge: Option<String>,
}

/// Determines the kind of an answer. `row` contains the choices of the preset.
pub(super) fn read<'b>(answer: &Answer<'b>, row: &Row) -> ClassifiedAnswer<'b> {
    let kind = AnswerKind::of(answer.reply);
    match (kind, answer.body()) {
        (AnswerKind::Success, Some(body)) => read_body(answer, body, row),
        (AnswerKind::Success, None) => ClassifiedAnswer {
            kind: AnswerKind::MissingBody,
            robots: None,
            challenge: challenge(answer, b""),
        },
        (kind, body) => {
            let challenge = challenge(answer, body.unwrap_or_default().as_bytes());
            ClassifiedAnswer { kind, robots: None, challenge }
        }
    }
}

/// Returns the sign that identifies an answer as a browser challenge.
fn challenge(answer: &Answer<'_>, body: &[u8]) -> Option<String> {
    let Reply::Status(code) = answer.reply else { return None };
    challenge::of_answer(code, answer.headers.unwrap_or(&Headers::new()), body)
}

/// Reads the body of a 2xx answer.
fn read_body<'b>(answer: &Answer<'b>, text: Body<'b>, row: &Row) -> ClassifiedAnswer<'b> {
    let Answer { headers, is_cut, .. } = *answer;
    let (body, declared) = (text.as_bytes(), headers.and_then(Headers::charset));
    let charset = text.charset(declared.as_deref());
    // Rules are read from whole lines only. Other formats are recognized in all bytes up to the limit.
    let bytes = &body[..body.len().min(row.body_limit)];
    let read = whole_lines(body, row.body_limit, is_cut);
    let robots = RobotsTxt::parse_with_charset(read, row.dialect, charset);
    let has_record = has_record(&robots);
    let is_whole = !is_cut && body.len() <= row.body_limit;
    let document = if has_record { None } else { document(bytes, headers, is_whole) };
    let challenge = if has_record { None } else { challenge(answer, bytes) };
    let kind = if row.strict_charset && !is_in_charset(read, charset) {
        AnswerKind::Undecodable
    } else if challenge.is_some() {
        AnswerKind::Challenge
    } else if let Some(document) = document {
        document
    } else if !has_record && (is_binary(bytes) || !is_in_charset(read, charset)) {
        AnswerKind::Undecodable
    } else if !is_whole {
        AnswerKind::LongBody
    } else {
        AnswerKind::Success
    };
    ClassifiedAnswer { kind, robots: Some(robots), challenge }
}

/// Decides one URL in a single pass over a body. Returns `None` if only [`read`] can determine the kind of the answer,
/// or if the dialect does not support a single pass.
pub(super) fn decide_quickly<'b>(
    answer: &Answer<'b>,
    row: &Row,
    token: &str,
    url: &[u8],
) -> Option<Result<QuickDecision<'b>, UrlError>> {
    let Answer { headers, is_cut, .. } = *answer;
    let text = answer.body()?;
    let body = text.as_bytes();
    if is_cut || body.len() > row.body_limit {
        return None;
    }
    let declared = headers.and_then(Headers::charset);
    if row.strict_charset && !is_in_charset(body, text.charset(declared.as_deref())) {
        return None;
    }
    match QuickDecision::take(body, row.dialect, token, url)? {
        Ok(decision) if !decision.is_recognized() => None,
        result => Some(result),
    }
}

/// Returns true if there is a record that occurs only in a robots.txt.
fn has_record(robots: &RobotsTxt<'_>) -> bool {
    robots.known_records().any(|record| record.kind().identifies_robots_txt() && !record.is_missing_colon())
}

/// Returns the kind of answer if the body is a document of another format (JSON, XML, HTML) instead of a robots.txt.
fn document(body: &[u8], headers: Option<&Headers<'_>>, is_whole: bool) -> Option<AnswerKind> {
    let text = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body).trim_ascii();
    let media_type = headers.map(Headers::media_type).unwrap_or_default();
    if is_json(text, &media_type, is_whole) {
        Some(AnswerKind::JsonSoft404)
    } else if is_xml(text, &media_type) {
        Some(AnswerKind::XmlSoft404)
    } else if is_html(text, &media_type) {
        Some(AnswerKind::HtmlSoft404)
    } else {
        None
    }
}

/// Returns true if the body starts like a JSON object or array and, if the body is complete, ends like one. With a JSON
/// media type, a JSON string is accepted, too.
fn is_json(text: &[u8], media_type: &str, is_whole: bool) -> bool {
    let Some((&first, rest)) = text.split_first() else { return false };
    let next = rest.trim_ascii_start().first();
    let (begins, end) = match first {
        b'{' => (matches!(next, Some(b'"' | b'}')), b'}'),
        // An array of numbers is not accepted, because notes can start with a date: `[2026-11-22] fixed`.
        b'[' => (matches!(next, Some(b'{' | b'[' | b'"' | b']')), b']'),
        b'"' => (media_type == "application/json" || media_type.ends_with("+json"), b'"'),
        _ => return false,
    };
    begins && (!is_whole || rest.last() == Some(&end))
}

/// Returns true if the body is declared as XML, by its first line or its media type, and its root element is not
/// `html`.
fn is_xml(text: &[u8], media_type: &str) -> bool {
    let is_called_xml = matches!(media_type, "text/xml" | "application/xml")
        || (media_type.ends_with("+xml") && media_type != "application/xhtml+xml");
    let is_declared = text.starts_with(b"<?xml") || (is_called_xml && starts_tag(text));
    is_declared && !root_name(text).eq_ignore_ascii_case(b"html")
}

/// Returns the name in the document type, or else the name of the first element, or else an empty name.
fn root_name(text: &[u8]) -> &[u8] {
    let Some(text) = after_prologue(text) else { return b"" };
    const DOCTYPE: usize = b"<!doctype".len();
    let name = match text.get(..DOCTYPE) {
        Some(start) if start.eq_ignore_ascii_case(b"<!doctype") => text[DOCTYPE..].trim_ascii_start(),
        _ => text.strip_prefix(b"<").unwrap_or_default(),
    };
    let end = name.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(name.len());
    &name[..end]
}

/// Number of bytes to search for a tag if the body is declared as HTML. Browsers search the same number (WHATWG MIME
/// Sniffing §5.2).
const SNIFFED: usize = 1445;

/// Returns true if the body starts with markup, or if it is declared as HTML and has markup near its start.
fn is_html(text: &[u8], media_type: &str) -> bool {
    if starts_tag(text) {
        return true;
    }
    let is_called_html = matches!(media_type, "text/html" | "application/xhtml+xml");
    let head = &text[..text.len().min(SNIFFED)];
    is_called_html && memchr::memchr_iter(b'<', head).any(|at| starts_tag(&head[at..]))
}

/// Returns true for the start of a tag: `<p`, `</p`, `<!--`, `<?xml`.
fn starts_tag(text: &[u8]) -> bool {
    matches!(text, [b'<', b'!' | b'?' | b'/', ..] | [b'<', b'a'..=b'z' | b'A'..=b'Z', ..])
}

/// Returns true if the body contains a byte that does not occur in text (WHATWG MIME Sniffing §3, "binary data byte").
fn is_binary(body: &[u8]) -> bool {
    body.iter().any(|byte| matches!(byte, 0x00..=0x08 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F))
}

/// Returns true if every byte is valid in the declared charset. Without a charset, every byte is valid. Charsets without
/// tables are checked as UTF-8.
fn is_in_charset(body: &[u8], charset: Option<&str>) -> bool {
    let Some(label) = charset else { return true };
    match encoding_of(label.as_bytes()) {
        Some(encoding) => encoding.decode_without_bom_handling_and_without_replacement(body).is_some(),
        None if HAS_TABLES => is_latin1(label),
        None => is_latin1(label) || str::from_utf8(body).is_ok(),
    }
}

/// Returns the text after white space, comments, and processing instructions such as `<?xml …?>`, or `None` if one of
/// them has no end.
pub(crate) fn after_prologue(mut text: &[u8]) -> Option<&[u8]> {
    loop {
        text = text.trim_ascii_start();
        let (close, skipped): (&[u8], _) = match text {
            [b'<', b'?', ..] => (b"?>", 2),
            [b'<', b'!', b'-', b'-', ..] => (b"-->", 4),
            _ => return Some(text),
        };
        let at = memmem::find(&text[skipped..], close)?;
        text = &text[skipped + at + close.len()..];
    }
}
