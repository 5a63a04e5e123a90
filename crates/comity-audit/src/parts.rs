//! Parts of a job that does not fit into memory. All URLs of a host are in one part.

use std::hash::{BuildHasher, Hasher};

use arrow_array::UInt32Array;
use comity_arrow::origin;

/// Number of parts: fewer than the number of files that a process may usually have open.
pub(crate) const PARTS: usize = 128;

/// Returns the part of a URL, an origin or a host.
pub(crate) fn part_of(text: &str) -> usize {
    let found = origin(text.as_bytes())
        .or_else(|| Some(origin(format!("https://{text}").as_bytes())?.into_owned().into()));
    let Some(found) = found else { return 0 };
    let host = found.split_once("://").map_or("", |(_, host)| host);
    // The port is ignored, so that a bare host and all origins with its name are in one part.
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    // All parts of a job need the same seed, so a process has one.
    static HASHER: std::sync::LazyLock<foldhash::quality::RandomState> =
        std::sync::LazyLock::new(Default::default);
    let mut hasher = HASHER.build_hasher();
    hasher.write(host.as_bytes());
    (hasher.finish() % PARTS as u64) as usize
}

/// Groups rows by their parts. Rows of one part keep their order.
pub(crate) fn scatter(parts: impl Iterator<Item = usize>) -> impl Iterator<Item = (usize, UInt32Array)> {
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); PARTS];
    for (row, part) in parts.enumerate() {
        if let Some(of_part) = rows.get_mut(part) {
            of_part.push(row as u32);
        }
    }
    rows.into_iter().enumerate().filter(|(_, rows)| !rows.is_empty()).map(|(part, rows)| (part, rows.into()))
}
