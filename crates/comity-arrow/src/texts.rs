//! Texts by number.

/// The number that stands for no text.
pub(crate) const NONE: u32 = u32::MAX;

/// Returns a number. Numbers stay below [`NONE`], since each numbered thing takes at least a byte of memory.
pub(crate) fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE)
}

/// Texts one after the other, and space behind them, so that short ones can be copied in blocks of one size.
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
    /// The number of bytes that can be read from the beginning of every text.
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

    /// Returns a text's bytes together with the bytes after them up to the window's size, and the text's own length.
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
