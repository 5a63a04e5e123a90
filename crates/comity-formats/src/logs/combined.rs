//! The combined format of Apache and nginx: `ADDRESS - USER [TIME] "REQUEST" STATUS BYTES "REFERER" "USER-AGENT"`.
//!
//! A host with a port may precede it (`vhost_combined` of Apache), and a quoted `X-Forwarded-For` may follow it (`main` of
//! nginx). The common format, which ends before the referer, is accepted, too. The common format of Traefik has more columns
//! at its end.

use super::LogLine;
use super::address::{self, ForwardedField, LogForwarded};
use super::draft::Draft;
use super::scan::{quoted, word};
use super::target::is_host;
use super::time;

/// Maximum distance between the brackets of a time.
const MAX_TIME: usize = 48;

/// Maximum number of opening brackets that are tried: the name of a user may contain some.
const MAX_BRACKETS: usize = 4;

/// Parses a line.
pub(super) fn read(line: &[u8]) -> LogLine<'_> {
    // The name of a user comes from the client and may contain a time. A quotation mark in it is escaped, so only the time of
    // the line is followed by one.
    let found = memchr::memchr_iter(b'[', line).take(MAX_BRACKETS).find_map(|at| {
        let end = at + 1 + memchr::memchr(b']', &line[at + 1..line.len().min(at + 1 + MAX_TIME)])?;
        let is_followed = line[end + 1..].starts_with(b" \"");
        Some((at, end, time::time(&line[at + 1..end]).filter(|_| is_followed)?))
    });
    let Some((at, end, time)) = found else { return LogLine::Damaged };
    let Some(mut draft) = who(&line[..at]) else { return LogLine::Damaged };
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
        draft.forwarded.extend(
            quoted(&mut rest)
                .filter(|value| is_hops(value))
                .map(|value| (ForwardedField::XForwardedFor, value)),
        );
    }
    draft.finish()
}

/// Parses the words before the time: `ADDRESS IDENT USER`, or `HOST ADDRESS IDENT USER`, or a list of addresses in place of one.
/// Any other word in front, such as the name of a container, makes the line unread.
fn who(front: &[u8]) -> Option<Draft<'_>> {
    let mut rest = front;
    let first = word(&mut rest)?;
    let mut draft = Draft::default();
    // Fast path: two dashes follow the address in by far the most lines.
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

/// Returns true for `IDENT USER`. The name of a user may contain spaces if a dash stands for the identity, as it almost always does.
/// With another address among its words, it would not be clear which one is the peer.
fn is_user(text: &[u8]) -> bool {
    if words(text) == 2 {
        return true;
    }
    let mut rest = text;
    word(&mut rest) == Some(b"-")
        && std::iter::from_fn(|| word(&mut rest)).all(|word| address::ip(word).is_none())
}

/// Takes a list of addresses with commas from the beginning of a text.
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
