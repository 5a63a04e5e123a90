//! The combined format of Apache and nginx: `ADDRESS - USER [TIME] "REQUEST" STATUS BYTES "REFERER" "USER-AGENT"`.
//!
//! A host with a port may precede it (`vhost_combined` of Apache), and a quoted `X-Forwarded-For` may follow it (`main` of
//! nginx). The common format, which ends before the referer and has no `User-Agent`, is accepted, too.

use super::scan::{
    clf_time, is_address, number, present, quoted, request, target_of, user_agent, without_port, word,
};
use super::{LogLine, LogRequest};

/// Parses a line.
pub(super) fn read(line: &[u8]) -> LogLine<'_> {
    // The name of a user may contain brackets.
    let found = memchr::memchr_iter(b'[', line).take(4).find_map(|at| {
        let end = at + 1 + memchr::memchr(b']', line.get(at + 1..at + 40).unwrap_or(&line[at + 1..]))?;
        Some((at, end, clf_time(&line[at + 1..end])?))
    });
    let Some((at, end, time)) = found else { return LogLine::Damaged };
    let Some(mut asked) = who(&line[..at]) else { return LogLine::Damaged };
    let mut rest = &line[end + 1..];
    let Some(request_line) = quoted(&mut rest) else { return LogLine::Damaged };
    let Some(target) = target_of(request_line) else { return LogLine::Nothing };
    asked.time_micros = time;
    asked.target = target;
    let Some(status) = word(&mut rest) else { return LogLine::Damaged };
    asked.status = number(status);
    asked.bytes = word(&mut rest).and_then(number);
    if quoted(&mut rest).is_some() {
        let Some(agent) = quoted(&mut rest) else { return LogLine::Damaged };
        asked.user_agent = user_agent(agent);
        asked.forwarded = quoted(&mut rest).and_then(present);
    }
    LogLine::Request(asked)
}

/// Parses the address and the host before the time.
fn who(front: &[u8]) -> Option<LogRequest<'_>> {
    let mut rest = front;
    let first = word(&mut rest)?;
    let mut asked = request(0, first.into(), b"".into());
    // Fast path: an address followed by two words is by far the most common line.
    let is_plain =
        first.first().is_some_and(u8::is_ascii_digit) && !first.contains(&b':') && rest.starts_with(b" - ");
    if !is_plain && !is_address(first) {
        let mut after = rest;
        if let Some(second) = word(&mut after).filter(|second| is_address(second)) {
            asked.host = Some(without_port(first).into());
            asked.address = second.into();
        }
    }
    Some(asked)
}
