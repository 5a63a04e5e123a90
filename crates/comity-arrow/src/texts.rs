//! Texts by number.

/// The number for a missing text.
pub(crate) const NONE: u32 = u32::MAX;

/// Returns a number. Numbers stay below [`NONE`], since each numbered item takes at least a byte of memory.
pub(crate) fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE)
}

/// Concatenated texts with padding at the end, so that short ones can be copied in blocks of a fixed size.
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

    /// Returns a slice from the start of a text, at least as long as the window, and the length of the text.
    #[inline]
    pub(crate) fn get(&self, place: u32) -> Option<(&[u8], usize)> {
        let place = place as usize;
        let end = *self.ends.get(place)?;
        let start = if place == 0 { 0 } else { *self.ends.get(place - 1)? };
        let length = end - start;
        Some((self.bytes.get(start..start + length.max(Texts::WINDOW))?, length))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }
}
