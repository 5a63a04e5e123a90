//! Parses files with columns.
//!
//! W3C extended files of IIS and CloudFront have a `#Fields:` line with the names of the columns. Files of IIS without this
//! line, and real-time logs of CloudFront, are recognized by the order of their columns.

use std::borrow::Cow;

use super::LogLine;
use super::address::{self, ForwardedField};
use super::draft::Draft;
use super::scan::{number, percent_decoded, present};
use super::time::{self, Time};

/// Maximum number of columns.
const MAX_COLUMNS: usize = 128;

/// The meaning of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Date,
    Time,
    Timestamp,
    Address,
    Forwarded(ForwardedField),
    /// The host that the client requested.
    Host,
    /// The host name of the CloudFront distribution. It is used if the requested host is missing.
    Domain,
    Stem,
    Query,
    Agent,
    Method,
    Scheme,
    Status,
    Bytes,
}

impl Column {
    /// Returns the column with this name. The name of a header field may be written as `cs(User-Agent)` or `cs-user-agent`.
    fn named(name: &str) -> Option<Column> {
        Some(match name {
            "date" => Column::Date,
            "time" => Column::Time,
            "timestamp" | "timestamp(ms)" => Column::Timestamp,
            "c-ip" => Column::Address,
            "x-host-header" | "cs-host" | "cs(host)" => Column::Host,
            "cs-uri-stem" => Column::Stem,
            "cs-uri-query" => Column::Query,
            "cs(user-agent)" | "cs-user-agent" => Column::Agent,
            "cs-method" => Column::Method,
            "cs-protocol" => Column::Scheme,
            "sc-status" => Column::Status,
            "sc-bytes" => Column::Bytes,
            _ => {
                let field = name.strip_prefix("cs(").and_then(|name| name.strip_suffix(')')).unwrap_or(name);
                return ForwardedField::named(field).map(Column::Forwarded);
            }
        })
    }
}

/// The columns of a file.
#[derive(Debug)]
pub(super) struct Columns {
    /// The meaning of each column; `None` for an unused column.
    columns: Vec<Option<Column>>,
    separator: u8,
    /// True if `+` means a space, as in files of IIS. CloudFront uses percent-encoding.
    has_plus: bool,
}

/// Column names of IIS files without a `#Fields:` line: the defaults since version 7, and those of version 6.
const IIS: [&str; 2] = [
    "date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status \
     sc-substatus sc-win32-status time-taken",
    "date time s-sitename s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) sc-status \
     sc-substatus sc-win32-status",
];

/// Column names of the real-time logs of CloudFront, in the default order. Older logs do not have `s-ip`.
const REAL_TIME: &str = "timestamp c-ip s-ip time-to-first-byte sc-status sc-bytes cs-method cs-protocol cs-host cs-uri-stem \
     cs-bytes x-edge-location x-edge-request-id x-host-header time-taken cs-protocol-version c-ip-version cs-user-agent \
     cs-referer cs-cookie cs-uri-query";

impl Columns {
    /// Parses a line such as `#Fields: date time …`.
    pub(super) fn of(line: &[u8]) -> Option<Columns> {
        let names = std::str::from_utf8(line).ok()?.strip_prefix("#Fields:")?;
        Some(Columns::named(names, true))
    }

    fn named(names: &str, has_plus: bool) -> Columns {
        let names = names.split_ascii_whitespace().take(MAX_COLUMNS).map(str::to_ascii_lowercase);
        let mut columns: Vec<_> = names.map(|name| Column::named(&name)).collect();
        // CloudFront logs two hosts: first the name of the distribution, then the requested host.
        if columns.iter().filter(|column| **column == Some(Column::Host)).count() > 1
            && let Some(first) = columns.iter_mut().find(|column| **column == Some(Column::Host))
        {
            *first = Some(Column::Domain);
        }
        Columns { columns, separator: b' ', has_plus }
    }

    /// Parses a line. Returns `None` if it has another number of columns.
    pub(super) fn read<'l>(&self, line: &'l [u8]) -> Option<LogLine<'l>> {
        let separator = if memchr::memchr(b'\t', line).is_some() { b'\t' } else { self.separator };
        let has_plus = self.has_plus && separator == b' ';
        let mut cells = [&b""[..]; MAX_COLUMNS];
        let mut count = 0;
        for cell in line.split(|byte| *byte == separator) {
            *cells.get_mut(count)? = cell;
            count += 1;
        }
        (count == self.columns.len()).then(|| self.of_cells(&cells[..count], has_plus))
    }

    fn of_cells<'l>(&self, cells: &[&'l [u8]], has_plus: bool) -> LogLine<'l> {
        let mut draft = Draft::default();
        let (mut date, mut clock, mut domain) = (None, None, None);
        for (column, cell) in self.columns.iter().zip(cells) {
            let value = || Some(Cow::Borrowed(*cell));
            match column {
                None => {}
                Some(Column::Date) => date = Some(*cell),
                Some(Column::Time) => clock = Some(*cell),
                Some(Column::Timestamp) => draft.time = time::time(cell),
                Some(Column::Address) => draft.peer = value(),
                Some(Column::Forwarded(field)) => draft.forwarded.push((*field, plain(cell, has_plus))),
                Some(Column::Host) => draft.host = value(),
                Some(Column::Domain) => domain = value(),
                Some(Column::Stem) => draft.path = value(),
                Some(Column::Query) => draft.query = value(),
                Some(Column::Agent) => draft.agent = Some(plain(cell, has_plus)),
                Some(Column::Method) => draft.method = value(),
                Some(Column::Scheme) => draft.scheme = value(),
                Some(Column::Status) => draft.status = value(),
                Some(Column::Bytes) => draft.bytes = value(),
            }
        }
        if let (Some(date), Some(clock)) = (date, clock) {
            // The times in these files are in UTC.
            let both = time::time(&[date, b"T", clock].concat());
            draft.time = both.map(|time| Time { is_zoneless: false, ..time });
        }
        draft.host = draft.host.and_then(present).or(domain);
        draft.finish()
    }
}

/// Decodes a header field. IIS writes `+` for a space. CloudFront uses percent-encoding, and in older files applies it twice.
pub(super) fn plain(text: &[u8], has_plus: bool) -> Cow<'_, [u8]> {
    if has_plus {
        return Cow::Owned(text.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect());
    }
    let mut plain = Cow::Borrowed(text);
    for _ in 0..2 {
        if memchr::memchr(b'%', &plain).is_none() {
            break;
        }
        plain = Cow::Owned(percent_decoded(&plain));
    }
    plain
}

/// The columns of files without a `#Fields:` line.
#[derive(Debug)]
pub(super) struct UnnamedColumns {
    iis: [Columns; 2],
    real_time: [Columns; 2],
}

impl UnnamedColumns {
    pub(super) fn new() -> UnnamedColumns {
        let real_time = |names: &str| Columns { separator: b'\t', ..Columns::named(names, false) };
        UnnamedColumns {
            iis: IIS.map(|names| Columns::named(names, true)),
            real_time: [real_time(REAL_TIME), real_time(&REAL_TIME.replace("s-ip ", ""))],
        }
    }

    /// Parses a line of IIS. Returns `None` if the line has another format.
    pub(super) fn iis<'l>(&self, line: &'l [u8]) -> Option<LogLine<'l>> {
        let is_dated = matches!(line, [_, _, _, _, b'-', _, _, b'-', _, _, b' ', ..]);
        if !is_dated || line.contains(&b'"') {
            return None;
        }
        let mut lines = self.iis.iter().filter_map(|columns| {
            let line = columns.read(line)?;
            (line != LogLine::Damaged).then_some(line)
        });
        lines.next()
    }

    /// Parses a line of a real-time log of CloudFront. Returns `None` if the line has another format. The line may have more
    /// columns at its end.
    pub(super) fn real_time<'l>(&self, line: &'l [u8]) -> Option<LogLine<'l>> {
        let cells: Vec<&[u8]> = line.split(|byte| *byte == b'\t').take(MAX_COLUMNS).collect();
        let has_server = address::ip(cells.get(2)?).is_some();
        let columns = &self.real_time[usize::from(!has_server)];
        let is_time =
            cells[0].contains(&b'.') && number::<u64>(cells[0].split(|byte| *byte == b'.').next()?).is_some();
        let cells = cells.get(..columns.columns.len()).filter(|_| is_time)?;
        let address = cells[1];
        address::ip(address)?;
        Some(columns.of_cells(cells, false))
    }
}
