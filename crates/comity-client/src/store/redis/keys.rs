//! Keys on the server, such as `comity:1:{https://example.com}:entry`. The number is the storage format, so clients
//! with different formats can share a server.

use crate::Origin;
use crate::store::{Lane, origin_of};

/// The storage format. A change to the layout of entries, leases or paces needs a new number.
const FORMAT: u32 = 1;

#[derive(Debug)]
pub(super) struct Keys {
    /// Beginning of every key: the prefix and the format.
    all: String,
    /// Beginning of the keys of an origin: the prefix, the format and a brace.
    head: String,
}

const ENTRY: &str = "}:entry";

impl Keys {
    pub(super) fn new(prefix: &str) -> Self {
        let all = format!("{prefix}{FORMAT}:");
        Keys { head: format!("{all}{{"), all }
    }

    pub(super) fn epoch(&self) -> String {
        format!("{}epoch", self.all)
    }

    pub(super) fn handed_on(&self) -> String {
        format!("{}handed_on", self.all)
    }

    pub(super) fn entry(&self, origin: &Origin) -> String {
        format!("{}{origin}{ENTRY}", self.head)
    }

    pub(super) fn lease(&self, origin: &Origin) -> String {
        format!("{}{origin}}}:lease", self.head)
    }

    pub(super) fn fence(&self, origin: &Origin) -> String {
        format!("{}{origin}}}:fence", self.head)
    }

    pub(super) fn pace(&self, origin: &Origin, lane: Lane) -> String {
        format!("{}{origin}}}:pace:{}", self.head, lane.as_str())
    }

    /// Returns the `SCAN` pattern for the keys of all entries.
    pub(super) fn every_entry(&self) -> String {
        self.every_key() + ENTRY
    }

    /// Returns the `SCAN` pattern for all keys of origins.
    pub(super) fn every_key(&self) -> String {
        let mut pattern = String::with_capacity(self.head.len() + 8);
        for character in self.head.chars() {
            if matches!(character, '*' | '?' | '[' | ']' | '\\') {
                pattern.push('\\');
            }
            pattern.push(character);
        }
        pattern + "*"
    }

    /// Returns the origin in the key of an entry, or `None` if the key has another form.
    pub(super) fn origin(&self, key: &[u8]) -> Option<Origin> {
        origin_of(str::from_utf8(key).ok()?.strip_prefix(&self.head)?.strip_suffix(ENTRY)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_of_an_entry_contains_its_origin() {
        let keys = Keys::new("a*b:");
        for url in ["https://example.com/", "http://[::1]:8080/"] {
            let origin = Origin::of(&url.parse().unwrap()).unwrap();
            assert_eq!(keys.origin(keys.entry(&origin).as_bytes()), Some(origin.clone()));
            assert_eq!(keys.origin(keys.pace(&origin, Lane::Pages).as_bytes()), None);
        }
        assert_eq!(keys.every_entry(), format!("a\\*b:{FORMAT}:{{*}}:entry"));
    }
}
