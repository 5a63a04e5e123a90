//! Converts the fields of a line to a request.
//!
//! The parsers of the formats only locate fields. This module parses the fields, and determines the requested URL.

use std::borrow::Cow;

use super::address::{self, ForwardedField, LogForwarded, Peer};
use super::scan::{number, present};
use super::target::{join, split_host, split_line, without_port};
use super::time::Time;
use super::{LogLine, LogRequest, LogSignature};

type Text<'l> = Cow<'l, [u8]>;

/// The fields of a line, as found by the parser of a format. Texts are decoded, but not validated.
#[derive(Debug, Default)]
pub(super) struct Draft<'l> {
    pub(super) time: Option<Time>,
    /// The address column.
    pub(super) peer: Option<Text<'l>>,
    /// The header fields with the address of the client.
    pub(super) forwarded: Vec<(ForwardedField, Text<'l>)>,
    /// A list of addresses in a column without a name, which may be `X-Forwarded-For`.
    pub(super) unnamed: Option<Text<'l>>,
    /// The request line: `GET /a?b HTTP/1.1`.
    pub(super) request: Option<Text<'l>>,
    /// The request target, or the absolute URL.
    pub(super) target: Option<Text<'l>>,
    /// The path, which the server may have changed.
    pub(super) path: Option<Text<'l>>,
    pub(super) query: Option<Text<'l>>,
    pub(super) method: Option<Text<'l>>,
    pub(super) scheme: Option<Text<'l>>,
    pub(super) host: Option<Text<'l>>,
    /// The `User-Agent`. `None` if the format has no such field.
    pub(super) agent: Option<Text<'l>>,
    pub(super) status: Option<Text<'l>>,
    pub(super) bytes: Option<Text<'l>>,
    /// The logged header fields, if some belong to a signature.
    pub(super) headers: Vec<(String, Vec<u8>)>,
}

impl<'l> Draft<'l> {
    /// Returns true if no field contains a URL.
    pub(super) fn is_without_url(&self) -> bool {
        self.request.is_none() && self.target.is_none() && self.path.is_none()
    }

    /// Parses the fields, and returns the request, or damage.
    pub(super) fn finish(self) -> LogLine<'l> {
        self.into_request().unwrap_or(LogLine::Damaged)
    }

    /// Returns `None` if a field cannot be parsed, or the time or the URL is missing.
    fn into_request(mut self) -> Option<LogLine<'l>> {
        let time = self.time?;
        let status = match self.status.take().and_then(present) {
            Some(text) => status(&text)?,
            None => None,
        };
        let bytes = match self.bytes.take().and_then(present) {
            Some(text) if text.starts_with(b"-") => None,
            Some(text) => Some(number(text.strip_prefix(b"+").unwrap_or(&text))?),
            None => None,
        };
        let peer = self.peer()?;
        let Some(target) = self.target()? else { return Some(LogLine::Nothing) };
        let (named, target) = split_host(target);
        // The authority of an absolute target takes precedence over the Host field (RFC 9112 §3.2.2).
        let authority = named.or_else(|| self.host.take().and_then(present));
        let forwarded =
            self.forwarded.drain(..).filter_map(|(field, text)| LogForwarded::parse(field, &text));
        let unnamed = self.unnamed.take().and_then(|text| {
            let parsed = LogForwarded::parse(ForwardedField::XForwardedFor, &text)?;
            Some(LogForwarded { is_named: false, ..parsed })
        });
        let forwarded = forwarded.chain(unnamed).collect();
        Some(LogLine::Request(LogRequest {
            time_micros: time.micros,
            is_zoneless: time.is_zoneless,
            peer,
            forwarded,
            signature: self.signature(authority.as_deref()),
            host: authority.map(portless),
            target,
            user_agent: self.agent.map(|agent| present(agent).unwrap_or_default()),
            status,
            bytes,
        }))
    }

    /// Returns the address of the peer. A list of addresses is added to `forwarded` as `X-Forwarded-For`.
    fn peer(&mut self) -> Option<Option<std::net::IpAddr>> {
        let Some(text) = self.peer.take() else { return Some(None) };
        match address::peer(&text)? {
            Peer::Address(address) => Some(Some(address)),
            Peer::Unknown => Some(None),
            Peer::List => {
                self.forwarded.insert(0, (ForwardedField::XForwardedFor, text));
                Some(None)
            }
        }
    }

    /// Returns the requested target: the target in the request line, else the field `target`, else path and query. The inner
    /// `None` means that the connection did not request a page.
    #[expect(clippy::option_option, reason = "a line without a request is not a damaged line")]
    fn target(&mut self) -> Option<Option<Text<'l>>> {
        if let Some(line) = self.request.take() {
            let Some((method, target)) = split_line(line) else { return Some(None) };
            self.method = Some(method);
            return Some(Some(target));
        }
        let target = match self.target.take() {
            Some(target) => target,
            None => join(self.path.take()?, self.query.take().and_then(present)),
        };
        let is_page = !self.method.as_deref().is_some_and(|method| method.eq_ignore_ascii_case(b"CONNECT"));
        match &*target {
            b"" | b"-" | b"*" => Some(None),
            _ => Some(Some(target).filter(|_| is_page)),
        }
    }

    fn signature(&mut self, authority: Option<&[u8]>) -> Option<Box<LogSignature>> {
        let text = |text: &[u8]| String::from_utf8(text.to_vec()).ok();
        let mut signature = LogSignature::of(std::mem::take(&mut self.headers))?;
        signature.method = self.method.take().and_then(present).and_then(|method| text(&method));
        signature.authority = authority.and_then(text);
        signature.is_tls =
            self.scheme.take().and_then(present).map(|scheme| scheme.eq_ignore_ascii_case(b"https"));
        Some(signature)
    }
}

fn portless(host: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    match host {
        Cow::Borrowed(host) => Cow::Borrowed(without_port(host)),
        Cow::Owned(host) => Cow::Owned(without_port(&host).to_vec()),
    }
}

/// Parses a status code. For 0 and -1, which servers write if they sent no answer, the inner value is `None`.
#[expect(clippy::option_option, reason = "a missing code is not a damaged one")]
fn status(text: &[u8]) -> Option<Option<u16>> {
    if text.len() == 3 && text[0].is_ascii_digit() {
        return match number::<u16>(text)? {
            0 => Some(None),
            code @ 100..=999 => Some(Some(code)),
            _ => None,
        };
    }
    // IIS may append the sub-status: `404.0` or `404.13`.
    match text {
        b"0" | b"-1" => Some(None),
        _ => {
            let (code, rest) = text.split_first_chunk::<3>()?;
            number::<u16>(rest.strip_prefix(b".")?)?;
            status(code)
        }
    }
}
