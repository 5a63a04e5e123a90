//! The entries of stores.

use bytes::Bytes;

/// The bytes that a store keeps for an origin, with a checksum that detects incomplete writes. Clones are cheap.
///
/// ```
/// use comity_client::store::Entry;
///
/// let entry = Entry::seal(b"anything");
/// assert_eq!(Entry::open(entry.sealed().to_vec()).as_ref(), Some(&entry));
/// assert_eq!(entry.content(), b"anything");
///
/// let mut torn = entry.sealed().to_vec();
/// torn.pop();
/// assert_eq!(Entry::open(torn), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The seal and the content. The seal is a mark, the CRC-32 of the content and the length of the content. It
    /// detects incomplete writes, but not forgery: a program that can write to the store can also compute a seal.
    sealed: Bytes,
}

/// First bytes of a sealed entry. They identify the layout.
const MARK: &[u8; 4] = b"cmt1";
const HEAD_BYTES: usize = MARK.len() + 4 + 8;

impl Entry {
    /// Creates an entry with this content.
    pub fn seal(content: &[u8]) -> Entry {
        let mut sealed = Vec::with_capacity(HEAD_BYTES + content.len());
        sealed.extend_from_slice(MARK);
        sealed.extend_from_slice(&crc32fast::hash(content).to_le_bytes());
        sealed.extend_from_slice(&(content.len() as u64).to_le_bytes());
        sealed.extend_from_slice(content);
        Entry { sealed: sealed.into() }
    }

    /// Parses a sealed entry. Returns `None` if the bytes are incomplete or have another layout.
    pub fn open(sealed: impl Into<Bytes>) -> Option<Entry> {
        let sealed = sealed.into();
        let (head, content) = sealed.split_at_checked(HEAD_BYTES)?;
        let (checksum, length) = head.strip_prefix(MARK)?.split_first_chunk::<4>()?;
        let is_whole = *length == (content.len() as u64).to_le_bytes()
            && *checksum == crc32fast::hash(content).to_le_bytes();
        is_whole.then_some(Entry { sealed })
    }

    /// Returns the content.
    pub fn content(&self) -> &[u8] {
        self.sealed.get(HEAD_BYTES..).unwrap_or_default()
    }

    /// Returns the bytes to store: the seal and the content.
    pub fn sealed(&self) -> &[u8] {
        &self.sealed
    }
}
