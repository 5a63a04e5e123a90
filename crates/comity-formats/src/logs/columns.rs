//! W3C extended log files: a `#Fields:` line names the columns of the following lines. IIS separates columns by spaces,
//! CloudFront by tabs.

use std::borrow::Cow;

use super::LogRequest;
use super::scan::{number, present, without_port};
use crate::times;

/// Maximum number of columns.
const MOST: usize = 128;

/// Indexes of the columns.
#[derive(Debug, Default)]
pub(super) struct Columns {
    count: usize,
    date: Option<usize>,
    time: Option<usize>,
    address: Option<usize>,
    forwarded: Option<usize>,
    host: Option<usize>,
    stem: Option<usize>,
    query: Option<usize>,
    agent: Option<usize>,
    status: Option<usize>,
    bytes: Option<usize>,
}

impl Columns {
    /// Parses a line `#Fields: date time …`.
    pub(super) fn of(line: &[u8]) -> Option<Columns> {
        let text = std::str::from_utf8(line).ok()?;
        let names = text.strip_prefix("#Fields:")?;
        let mut columns = Columns::default();
        for (at, name) in names.split_ascii_whitespace().take(MOST).enumerate() {
            columns.count = at + 1;
            let place = match name.to_ascii_lowercase().as_str() {
                "date" => &mut columns.date,
                "time" => &mut columns.time,
                "c-ip" => &mut columns.address,
                "x-forwarded-for" | "cs(x-forwarded-for)" => &mut columns.forwarded,
                // The host that the client requested takes precedence over the name of the distribution.
                "x-host-header" | "cs-host" => &mut columns.host,
                "cs(host)" if columns.host.is_none() => &mut columns.host,
                "cs-uri-stem" => &mut columns.stem,
                "cs-uri-query" => &mut columns.query,
                "cs(user-agent)" => &mut columns.agent,
                "sc-status" => &mut columns.status,
                "sc-bytes" => &mut columns.bytes,
                _ => continue,
            };
            *place = Some(at);
        }
        Some(columns)
    }

    /// Parses a line; returns `None` if it has other columns.
    pub(super) fn read<'l>(&self, line: &'l [u8]) -> Option<LogRequest<'l>> {
        let is_tabbed = memchr::memchr(b'\t', line).is_some();
        let separator = if is_tabbed { b'\t' } else { b' ' };
        let mut cells = [&b""[..]; MOST];
        let mut count = 0;
        for cell in line.split(|byte| *byte == separator) {
            *cells.get_mut(count)? = cell;
            count += 1;
        }
        if count != self.count {
            return None;
        }
        let cell = |at: Option<usize>| present(Cow::Borrowed(*cells.get(at?)?));
        let mut when = String::from_utf8_lossy(&cell(self.date)?).into_owned();
        when.push('T');
        when.push_str(std::str::from_utf8(&cell(self.time)?).ok()?);
        when.push('Z');
        let mut target = cell(self.stem)?;
        if let Some(query) = cell(self.query) {
            target = Cow::Owned([&*target, b"?", &*query].concat());
        }
        let agent = cell(self.agent).map(|agent| plain_agent(agent, is_tabbed));
        Some(LogRequest {
            time_micros: times::micros(&when)?,
            address: cell(self.address)?,
            forwarded: cell(self.forwarded).map(|text| plain_agent(text, is_tabbed)),
            host: cell(self.host).map(|host| match host {
                Cow::Borrowed(host) => Cow::Borrowed(without_port(host)),
                Cow::Owned(host) => Cow::Owned(without_port(&host).to_vec()),
            }),
            target,
            user_agent: agent.unwrap_or_default(),
            status: cell(self.status).and_then(|text| number(&text)),
            bytes: cell(self.bytes).and_then(|text| number(&text)),
            ..LogRequest::default()
        })
    }
}

/// Decodes a `User-Agent`. IIS writes `+` for a space; CloudFront uses percent-encoding, and doubles it in older files.
fn plain_agent(text: Cow<'_, [u8]>, is_tabbed: bool) -> Cow<'_, [u8]> {
    if !is_tabbed {
        return Cow::Owned(text.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect());
    }
    let mut plain = text;
    for _ in 0..2 {
        if memchr::memchr(b'%', &plain).is_none() {
            break;
        }
        plain = Cow::Owned(decoded(&plain));
    }
    plain
}

fn decoded(text: &[u8]) -> Vec<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        let pair = match (byte, after) {
            (b'%', [high, low, ..]) => digit(high).zip(digit(low)),
            _ => None,
        };
        match pair {
            Some((high, low)) => {
                plain.push(high << 4 | low);
                rest = &after[2..];
            }
            None => {
                plain.push(byte);
                rest = after;
            }
        }
    }
    plain
}
