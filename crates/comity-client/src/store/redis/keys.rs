//! Keys on the server, such as `comity:1:{0}:https://example.com:entry`. The first number is the storage format, so
//! clients with different formats can share a server. The number in braces is the bucket of the origin: the hash tag by
//! which a cluster assigns keys to its masters.

use crate::Origin;
use crate::store::{Lane, origin_of};

/// The storage format. A change to the layout of entries, leases or paces needs a new number.
const FORMAT: u32 = 1;

/// Number of buckets in a cluster. All keys of a bucket are on one master.
const CLUSTER_BUCKETS: u32 = 256;

#[derive(Debug)]
pub(super) struct Keys {
    /// Beginning of every key: the prefix, the format and a brace.
    head: String,
    buckets: u32,
}

const ENTRY: &str = ":entry";

impl Keys {
    pub(super) fn new(prefix: &str, is_cluster: bool) -> Self {
        let buckets = if is_cluster { CLUSTER_BUCKETS } else { 1 };
        Keys { head: format!("{prefix}{FORMAT}:{{"), buckets }
    }

    pub(super) fn buckets(&self) -> u32 {
        self.buckets
    }

    /// Returns the bucket of an origin. It is the same in all processes.
    pub(super) fn bucket(&self, origin: &Origin) -> u32 {
        crc32fast::hash(origin.as_str().as_bytes()) % self.buckets
    }

    pub(super) fn epoch(&self, bucket: u32) -> String {
        format!("{}{bucket}}}:epoch", self.head)
    }

    pub(super) fn handed_on(&self, bucket: u32) -> String {
        format!("{}{bucket}}}:handed_on", self.head)
    }

    fn of_origin(&self, origin: &Origin, kind: &str) -> String {
        format!("{}{}}}:{origin}{kind}", self.head, self.bucket(origin))
    }

    pub(super) fn entry(&self, origin: &Origin) -> String {
        self.of_origin(origin, ENTRY)
    }

    pub(super) fn lease(&self, origin: &Origin) -> String {
        self.of_origin(origin, ":lease")
    }

    pub(super) fn fence(&self, origin: &Origin) -> String {
        self.of_origin(origin, ":fence")
    }

    pub(super) fn pace(&self, origin: &Origin, lane: Lane) -> String {
        self.of_origin(origin, &format!(":pace:{}", lane.as_str()))
    }

    /// Returns the `SCAN` pattern for the keys of all entries.
    pub(super) fn every_entry(&self) -> String {
        self.every_key() + ENTRY
    }

    /// Returns the `SCAN` pattern for all keys of origins. Keys of buckets do not match, since they have no second
    /// colon after the brace.
    pub(super) fn every_key(&self) -> String {
        let mut pattern = String::with_capacity(self.head.len() + 16);
        for character in self.head.chars() {
            if matches!(character, '*' | '?' | '[' | ']' | '\\') {
                pattern.push('\\');
            }
            pattern.push(character);
        }
        pattern + "*}:*:*"
    }

    /// Returns the origin in the key of an entry, or `None` if the key has another form.
    pub(super) fn origin(&self, key: &[u8]) -> Option<Origin> {
        let (_, rest) = str::from_utf8(key).ok()?.strip_prefix(&self.head)?.split_once("}:")?;
        origin_of(rest.strip_suffix(ENTRY)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_of_an_entry_contains_its_origin() {
        for is_cluster in [false, true] {
            let keys = Keys::new("a*b:", is_cluster);
            for url in ["https://example.com/", "http://[::1]:8080/"] {
                let origin = Origin::of(&url.parse().unwrap()).unwrap();
                assert_eq!(keys.origin(keys.entry(&origin).as_bytes()), Some(origin.clone()));
                assert_eq!(keys.origin(keys.pace(&origin, Lane::Pages).as_bytes()), None);
            }
            assert_eq!(keys.every_entry(), format!("a\\*b:{FORMAT}:{{*}}:*:*:entry"));
        }
    }

    #[test]
    fn keys_of_an_origin_and_its_epoch_have_one_hash_tag() {
        let keys = Keys::new("comity:", true);
        let mut buckets = std::collections::BTreeSet::new();
        for number in 0..2000 {
            let origin = Origin::of(&format!("https://{number}.example/").parse().unwrap()).unwrap();
            let bucket = keys.bucket(&origin);
            let tag = format!("comity:1:{{{bucket}}}:");
            let all = [
                keys.entry(&origin),
                keys.lease(&origin),
                keys.fence(&origin),
                keys.pace(&origin, Lane::RobotsTxt),
                keys.epoch(bucket),
                keys.handed_on(bucket),
            ];
            assert!(all.iter().all(|key| key.starts_with(&tag)), "{all:?}");
            buckets.insert(bucket);
        }
        assert!(buckets.len() > 200, "{}", buckets.len());
    }
}
