//! Parses the combined format of Apache and nginx: `ADDRESS - USER [TIME] "REQUEST" STATUS BYTES "REFERER" "USER-AGENT"`.
//!
//! A line may begin with a host and a port (`vhost_combined` of Apache), and end with a quoted `X-Forwarded-For` (`main` of
//! nginx). A line may also end before the referer (common format), or have more columns at its end (Traefik).

use super::LogLine;
use super::address::{self, ForwardedField, LogForwarded};
use super::draft::Draft;
use super::scan::{quoted, word};
use super::target::is_host;
use super::time;

/// Maximum distance between the brackets of a time, in bytes.
const MAX_TIME: usize = 48;

/// Maximum number of opening brackets that could begin the time. The name of a user may contain brackets.
const MAX_BRACKETS: usize = 4;

/// Parses a line.
pub(super) fn read(line: &[u8]) -> LogLine<'_> {
    // The client chooses the name of the user, which may contain a time in brackets. Quotation marks in the name are escaped.
    // So the first time that is followed by an unescaped quotation mark is the time of the line.
    let found = memchr::memchr_iter(b'[', line).take(MAX_BRACKETS).find_map(|at| {
        let end = at + 1 + memchr::memchr(b']', &line[at + 1..line.len().min(at + 1 + MAX_TIME)])?;
        let is_followed = line[end + 1..].starts_with(b" \"");
        Some((at, end, time::time(&line[at + 1..end]).filter(|_| is_followed)?))
    });
    let Some((at, end, time)) = found else { return LogLine::Damaged };
    let Some(mut draft) = client(&line[..at]) else { return LogLine::Damaged };
    draft.time = Some(time);
    let mut rest = &line[end + 1..];
    let Some(request) = quoted(&mut rest) else { return LogLine::Damaged };
    draft.request = Some(request);
    let Some(status) = word(&mut rest) else { return LogLine::Damaged };
    draft.status = Some(status.into());
    draft.bytes = word(&mut rest).map(Into::into);
    if quoted(&mut rest).is_some() {
        let Some(agent) = quoted(&mut rest) else { return LogLine::Damaged };
        draft.agent = Some(agent);
        let is_hops = |value: &[u8]| {
            let parsed = LogForwarded::parse(ForwardedField::XForwardedFor, value);
            parsed.is_some_and(|list| list.hops.iter().any(Option::is_some))
        };
        draft.unnamed = quoted(&mut rest).filter(|value| is_hops(value));
    }
    draft.finish()
}

/// Parses the words before the time: `ADDRESS IDENT USER` or `HOST ADDRESS IDENT USER`, where `ADDRESS` may be a list of
/// addresses. Returns `None` if any other word precedes them, such as the name of a container.
fn client(front: &[u8]) -> Option<Draft<'_>> {
    let mut rest = front;
    let first = word(&mut rest)?;
    let mut draft = Draft::default();
    // In nearly all lines, two dashes follow the address.
    if rest == b" - - " && first.first().is_some_and(u8::is_ascii_digit) {
        draft.peer = Some(first.into());
        return Some(draft);
    }
    if first.ends_with(b",") || rest.starts_with(b",") {
        let (list, user) = list(front)?;
        draft.peer = Some(list.into());
        return is_user(user).then_some(draft);
    }
    let mut after = rest;
    let second = word(&mut after).unwrap_or_default();
    if address::ip(second).is_some() && is_host(first) && is_user(after) {
        draft.host = Some(first.into());
        draft.peer = Some(second.into());
        return Some(draft);
    }
    draft.peer = Some(first.into());
    let is_user = if address::ip(first).is_some() { is_user(rest) } else { words(rest) == 2 };
    is_user.then_some(draft)
}

/// Returns true for `IDENT USER`. If the identity is a dash, the name of the user may contain spaces, but no address, since
/// that could be the peer.
fn is_user(text: &[u8]) -> bool {
    if words(text) == 2 {
        return true;
    }
    let mut rest = text;
    word(&mut rest) == Some(b"-")
        && std::iter::from_fn(|| word(&mut rest)).all(|word| address::ip(word).is_none())
}

/// Splits a text after the comma-separated list of addresses at its beginning.
fn list(front: &[u8]) -> Option<(&[u8], &[u8])> {
    let last = memchr::memrchr(b',', front)?;
    let mut rest = &front[last + 1..];
    word(&mut rest)?;
    Some(front.split_at(front.len() - rest.len()))
}

/// Returns the number of words, up to three.
fn words(text: &[u8]) -> usize {
    let mut rest = text;
    std::iter::from_fn(|| word(&mut rest)).take(3).count()
}
