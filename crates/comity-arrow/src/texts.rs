//! Texts by number.

/// The number for a missing text.
pub(crate) const NONE: u32 = u32::MAX;

/// Converts a length to the number of the next item. Numbers are below [`NONE`], since a larger list does not fit into memory.
pub(crate) fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE)
}

/// Concatenated texts with padding at the end, so that short texts can be copied in blocks of a fixed size.
#[derive(Debug)]
pub(crate) struct Texts {
    bytes: Vec<u8>,
    /// The end of each text.
    ends: Vec<usize>,
}

impl Default for Texts {
    fn default() -> Self {
        Texts { bytes: vec![0; Texts::WINDOW], ends: Vec::new() }
    }
}

impl Texts {
    /// Number of bytes that can be read from the start of every text.
    pub(crate) const WINDOW: usize = 32;

    pub(crate) fn push(&mut self, text: &str) -> u32 {
        let end = self.ends.last().copied().unwrap_or(0);
        self.bytes.truncate(end);
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.extend_from_slice(&[0; Texts::WINDOW]);
        self.ends.push(end + text.len());
        number(self.ends.len() - 1)
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.truncate(0);
        self.ends.clear();
    }

    /// Returns a slice that begins with a text and is at least [`WINDOW`](Self::WINDOW) bytes long, and the length of the text.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<(&[u8], usize)> {
        let index = number as usize;
        let end = *self.ends.get(index)?;
        let start = if index == 0 { 0 } else { *self.ends.get(index - 1)? };
        let length = end - start;
        Some((self.bytes.get(start..start + length.max(Texts::WINDOW))?, length))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }
}
