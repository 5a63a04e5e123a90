//! Parses HAProxy's HTTP format (`option httplog`, `option httpslog`):
//! `CLIENT:PORT [DATE] FRONTEND BACKEND/SERVER T/T/T/T/T STATUS BYTES - - ---- C/C/C/C/C Q/Q {CAPTURED|…} {…} "REQUEST"`.
//!
//! The first braces contain header fields of the request that the configuration captures, without names. A field is
//! recognized by its value: addresses, a host, a URL (the referer), or otherwise the `User-Agent`.

use super::LogLine;
use super::address;
use super::draft::Draft;
use super::scan::{present, quoted, unescaped, word};
use super::target::is_host;
use super::time;

/// Parses a line. Returns `None` if the line has another format.
pub(super) fn read(line: &[u8]) -> Option<LogLine<'_>> {
    let mut rest = line;
    let client = word(&mut rest)?;
    address::with_port(client).or_else(|| address::ip(client)).filter(|_| client.contains(&b':'))?;
    let date = word(&mut rest)?.strip_prefix(b"[")?.strip_suffix(b"]")?;
    let time = time::time(date)?;
    let frontend = word(&mut rest)?;
    let server = word(&mut rest)?;
    let timers = word(&mut rest)?;
    let is_timer = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'/' | b'-' | b'+');
    if !server.contains(&b'/') || !timers.contains(&b'/') || !timers.iter().all(is_timer) {
        return None;
    }
    let mut draft = Draft { time: Some(time), peer: Some(client.into()), ..Draft::default() };
    draft.scheme = frontend.ends_with(b"~").then_some(b"https"[..].into());
    draft.status = Some(word(&mut rest)?.into());
    draft.bytes = Some(word(&mut rest)?.into());
    // Two cookies, the termination state, the connections, and the queues.
    for _ in 0..5 {
        word(&mut rest)?;
    }
    rest = rest.trim_ascii_start();
    if let Some(open) = rest.strip_prefix(b"{") {
        // A captured field may contain braces, but no unescaped quotation mark.
        let end = memchr::memmem::find(open, b" \"")?;
        let captured = open[..end].strip_suffix(b"}")?;
        let request = memchr::memmem::find(captured, b"} {").map_or(captured, |end| &captured[..end]);
        add_captured(&mut draft, request);
        rest = &open[end..];
    }
    let request = quoted(&mut rest)?;
    draft.request = Some(request);
    Some(draft.finish())
}

/// Stores the captured header fields.
fn add_captured<'l>(draft: &mut Draft<'l>, captured: &'l [u8]) {
    let mut lists = 0;
    for value in captured.split(|byte| *byte == b'|') {
        let Some(value) = present(unescaped(value)) else { continue };
        if value.split(|byte| *byte == b',').all(|hop| address::ip(hop).is_some()) {
            // Any field may contain an address, so of several it is unknown which is `X-Forwarded-For`.
            lists += 1;
            draft.unnamed = (lists == 1).then_some(value);
        } else if draft.host.is_none() && is_host(&value) && value.contains(&b'.') && !value.contains(&b'/') {
            draft.host = Some(value);
        } else if memchr::memmem::find(&value[..value.len().min(12)], b"://").is_none() {
            let is_better = draft.agent.as_deref().is_none_or(|agent| !agent.contains(&b'/'));
            if is_better && value.iter().any(u8::is_ascii_alphabetic) {
                draft.agent = Some(value);
            }
        }
    }
}
