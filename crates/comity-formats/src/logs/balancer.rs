//! The lines of AWS Application Load Balancers:
//! `https TIME NAME CLIENT:PORT TARGET:PORT T T T STATUS STATUS RECEIVED SENT "REQUEST" "USER-AGENT" …`.

use std::borrow::Cow;

use super::LogRequest;
use super::scan::{any_time, number, quoted, request, split_host, target_of, user_agent, without_port, word};

/// Parses a line; returns `None` if it has another format.
pub(super) fn read(line: &[u8]) -> Option<LogRequest<'_>> {
    let mut rest = line;
    if !matches!(word(&mut rest)?, b"http" | b"https" | b"h2" | b"grpcs" | b"ws" | b"wss") {
        return None;
    }
    let time = any_time(word(&mut rest)?)?;
    let _name = word(&mut rest)?;
    let address = without_port(word(&mut rest)?);
    let mut fields = [&b""[..]; 8];
    for field in &mut fields {
        *field = word(&mut rest)?;
    }
    let [_target, _, _, _, status, _target_status, _received, sent] = fields;
    let target = target_of(quoted(&mut rest)?)?;
    let agent = user_agent(quoted(&mut rest)?);
    let (host, target) = match &target {
        Cow::Borrowed(text) => match split_host(text) {
            Some((host, path)) => (Some(Cow::Borrowed(host)), Cow::Borrowed(path)),
            None => (None, target),
        },
        Cow::Owned(text) => match split_host(text) {
            Some((host, path)) => (Some(Cow::Owned(host.to_vec())), Cow::Owned(path.to_vec())),
            None => (None, target),
        },
    };
    let found = request(time, address.into(), target);
    Some(LogRequest { host, user_agent: agent, status: number(status), bytes: number(sent), ..found })
}
