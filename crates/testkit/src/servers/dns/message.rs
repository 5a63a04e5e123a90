//! Parses questions and writes answers (RFC 1035 §4), as far as a name server for tests needs them.

use std::net::IpAddr;

/// The record type of IPv4 addresses.
pub(super) const A: u16 = 1;
/// The record type of IPv6 addresses (RFC 3596).
pub(super) const AAAA: u16 = 28;
/// The record type of names of addresses.
pub(super) const PTR: u16 = 12;
const CNAME: u16 = 5;
const CLASS_IN: u16 = 1;
const HEADER: usize = 12;

/// Response codes (§4.1.1).
#[derive(Clone, Copy, Debug)]
pub(super) enum Code {
    NoError = 0,
    ServFail = 2,
    NxDomain = 3,
}

/// A question, with the bytes that its answer has to repeat.
#[derive(Debug)]
pub(super) struct Question {
    /// The name, in lower case, without a final dot.
    pub(super) name: String,
    pub(super) kind: u16,
    id: [u8; 2],
    recursion_desired: bool,
    /// The bytes of the question, which clients compare with those in the answer.
    bytes: Vec<u8>,
}

impl Question {
    /// Reads the only question of a standard query.
    pub(super) fn read(message: &[u8]) -> Option<Self> {
        let (header, rest) = message.split_at_checked(HEADER)?;
        let &[id, id_low, flags, _, 0, 1, ..] = header else { return None };
        // QR and OPCODE: a query, and a standard one.
        if flags & 0b1111_1000 != 0 {
            return None;
        }
        let mut labels = Vec::new();
        let mut at = 0;
        loop {
            let length = usize::from(*rest.get(at)?);
            let label = rest.get(at + 1..at + 1 + length).filter(|_| length < 64)?;
            at += 1 + length;
            if length == 0 {
                break;
            }
            labels.push(String::from_utf8_lossy(label).to_ascii_lowercase());
        }
        let kind = u16::from_be_bytes([*rest.get(at)?, *rest.get(at + 1)?]);
        Some(Question {
            name: labels.join("."),
            kind,
            id: [id, id_low],
            recursion_desired: flags & 1 == 1,
            bytes: rest.get(..at + 4)?.to_vec(),
        })
    }

    /// Begins an answer without records.
    pub(super) fn answer(&self) -> Reply<'_> {
        Reply { question: self, records: Vec::new(), count: 0 }
    }
}

/// An answer that is being written.
#[derive(Debug)]
pub(super) struct Reply<'a> {
    question: &'a Question,
    records: Vec<u8>,
    count: u16,
}

impl Reply<'_> {
    /// Adds an address, if it has the requested type.
    pub(super) fn address(&mut self, name: &str, address: IpAddr) {
        match address {
            IpAddr::V4(ip) if self.question.kind == A => self.record(name, A, &ip.octets()),
            IpAddr::V6(ip) if self.question.kind == AAAA => self.record(name, AAAA, &ip.octets()),
            _ => {}
        }
    }

    /// Adds a PTR record, if this type is requested.
    pub(super) fn pointer(&mut self, name: &str, other: &str) {
        if self.question.kind == PTR {
            self.record(name, PTR, &encode(other));
        }
    }

    /// Adds a CNAME record: `name` is an alias of `other`.
    pub(super) fn alias(&mut self, name: &str, other: &str) {
        self.record(name, CNAME, &encode(other));
    }

    fn record(&mut self, name: &str, kind: u16, data: &[u8]) {
        self.records.extend(encode(name));
        self.records.extend(kind.to_be_bytes());
        self.records.extend(CLASS_IN.to_be_bytes());
        // The TTL is zero.
        self.records.extend([0; 4]);
        self.records.extend(u16::try_from(data.len()).unwrap_or(u16::MAX).to_be_bytes());
        self.records.extend(data);
        self.count += 1;
    }

    /// Returns the message.
    pub(super) fn end(self, code: Code) -> Vec<u8> {
        let mut message = self.question.id.to_vec();
        // The flags QR (an answer), AA (authoritative), RD as in the question, and RA (recursion is available).
        message.push(0b1000_0100 | u8::from(self.question.recursion_desired));
        message.push(0b1000_0000 | code as u8);
        for count in [1, self.count, 0, 0] {
            message.extend(count.to_be_bytes());
        }
        message.extend(&self.question.bytes);
        message.extend(self.records);
        message
    }
}

/// Returns a name as labels, uncompressed.
fn encode(name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for label in name.split('.').filter(|label| !label.is_empty()) {
        bytes.push(u8::try_from(label.len()).unwrap_or(u8::MAX));
        bytes.extend(label.as_bytes());
    }
    bytes.push(0);
    bytes
}
