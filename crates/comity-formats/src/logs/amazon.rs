//! Parses the text formats of Amazon Web Services: Application and Classic Load Balancers, and S3.

use std::borrow::Cow;

use super::LogLine;
use super::address;
use super::draft::Draft;
use super::scan::{quoted, word};
use super::time;

/// Parses a line of an Application Load Balancer:
/// `https TIME NAME CLIENT:PORT TARGET:PORT T T T STATUS STATUS RECEIVED SENT "REQUEST" "USER-AGENT" …`.
///
/// A Classic Load Balancer omits the first word. Returns `None` if the line has another format.
pub(super) fn balancer(line: &[u8]) -> Option<LogLine<'_>> {
    let mut rest = line;
    let first = word(&mut rest)?;
    let is_kind = matches!(first, b"http" | b"https" | b"h2" | b"grpc" | b"grpcs" | b"ws" | b"wss");
    let time = time::time(if is_kind { word(&mut rest)? } else { first })?;
    let _name = word(&mut rest)?;
    let client = word(&mut rest)?;
    let peer = address::with_port(client)?;
    let mut fields = [&b""[..]; 8];
    for field in &mut fields {
        *field = word(&mut rest)?;
    }
    let [_target, received, taken, sent_after, status, _target_status, _received, sent] = fields;
    let is_seconds =
        |text: &[u8]| text.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    if ![received, taken, sent_after].into_iter().all(is_seconds) {
        return None;
    }
    let request = quoted(&mut rest)?;
    let agent = quoted(&mut rest);
    let draft = Draft {
        time: Some(time),
        peer: Some(peer.to_string().into_bytes().into()),
        request: Some(request),
        scheme: Some(if matches!(first, b"http" | b"ws") { &b"http"[..] } else { b"https" }.into()),
        status: Some(status.into()),
        bytes: Some(sent.into()),
        agent,
        ..Draft::default()
    };
    Some(draft.finish())
}

/// Parses a line of an S3 server access log:
/// `OWNER BUCKET [TIME] ADDRESS REQUESTER ID OPERATION KEY "REQUEST" STATUS ERROR SENT SIZE T T "REFERER" "USER-AGENT" …`.
///
/// Returns `None` if the line has another format.
pub(super) fn s3(line: &[u8]) -> Option<LogLine<'_>> {
    let mut rest = line;
    let owner = word(&mut rest)?;
    let is_owner = |text: &[u8]| {
        text == b"-" || (16..=64).contains(&text.len()) && text.iter().all(u8::is_ascii_hexdigit)
    };
    if !is_owner(owner) {
        return None;
    }
    let _bucket = word(&mut rest)?;
    rest = rest.trim_ascii_start().strip_prefix(b"[")?;
    let end = memchr::memchr(b']', &rest[..rest.len().min(48)])?;
    let time = time::time(&rest[..end])?;
    rest = &rest[end + 1..];
    let address = word(&mut rest)?;
    let (_requester, _id) = (word(&mut rest)?, word(&mut rest)?);
    let operation = word(&mut rest)?;
    // `REST.GET.OBJECT`, `WEBSITE.HEAD.OBJECT`, `S3.EXPIRE.OBJECT`, `BATCH.DELETE.OBJECT`.
    if operation.iter().filter(|byte| **byte == b'.').count() < 2 {
        return None;
    }
    let _key = word(&mut rest)?;
    // Operations of S3 itself have no request.
    let request = match rest.trim_ascii_start().strip_prefix(b"- ") {
        Some(after) => {
            rest = after;
            Cow::Borrowed(&b"-"[..])
        }
        None => quoted(&mut rest)?,
    };
    let status = word(&mut rest)?;
    let (_error, sent) = (word(&mut rest)?, word(&mut rest)?);
    for _ in 0..3 {
        word(&mut rest)?;
    }
    let _referer = text(&mut rest)?;
    let agent = text(&mut rest)?;
    // Five words precede the host: version, host ID, signature version, cipher suite and kind of authentication.
    let host = std::iter::from_fn(|| word(&mut rest)).nth(5);
    let draft = Draft {
        time: Some(time),
        peer: Some(address.into()),
        request: Some(request),
        status: Some(status.into()),
        bytes: Some(sent.into()),
        agent: Some(agent),
        host: host.map(Cow::Borrowed),
        ..Draft::default()
    };
    Some(draft.finish())
}

/// Removes a quoted field, or a dash for a missing field, from the beginning of a text.
fn text<'l>(rest: &mut &'l [u8]) -> Option<Cow<'l, [u8]>> {
    quoted(rest).or_else(|| word(rest).filter(|word| *word == b"-").map(Cow::Borrowed))
}
