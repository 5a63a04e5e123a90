//! Small numbers in half-bytes, for values that are rarely read and should need little memory.
//!
//! A number consists of one or more half-bytes with three bits of data each, lowest bits first. The fourth bit is set
//! if more half-bytes follow. The line numbers of rules are stored in this form (`packer.rs`); most take one or two
//! half-bytes. To reach a number, the reader skips the numbers before it, sixteen half-bytes at a time.

/// The bit of a half-byte that is set if more half-bytes of the number follow.
const MORE: u8 = 8;

/// An encoder of numbers.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
    /// True if the last byte has a free half.
    is_half: bool,
}

impl Writer {
    pub(crate) fn push(&mut self, mut number: u32) {
        while number >= u32::from(MORE) {
            self.push_half(number as u8 & (MORE - 1) | MORE);
            number >>= 3;
        }
        self.push_half(number as u8);
    }

    fn push_half(&mut self, half: u8) {
        match self.bytes.last_mut().filter(|_| self.is_half) {
            Some(last) => *last |= half << 4,
            None => self.bytes.push(half),
        }
        self.is_half = !self.is_half;
    }

    /// Returns the encoded numbers. An unused half-byte is zero.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// A decoder of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'n> {
    bytes: &'n [u8],
    /// True if the first half of the first byte was read.
    is_half: bool,
}

impl<'n> Reader<'n> {
    pub(crate) fn new(bytes: &'n [u8]) -> Self {
        Reader { bytes, is_half: false }
    }

    /// Returns the next number; 0 after the last.
    pub(crate) fn number(&mut self) -> u32 {
        let (mut number, mut shift) = (0, 0);
        while let Some(half) = self.half() {
            number |= u32::from(half & (MORE - 1)).checked_shl(shift).unwrap_or(0);
            shift += 3;
            if half & MORE == 0 {
                break;
            }
        }
        number
    }

    fn half(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        if self.is_half {
            self.bytes = rest;
        }
        self.is_half = !self.is_half;
        Some(if self.is_half { first & 15 } else { first >> 4 })
    }

    /// Skips `count` numbers.
    pub(crate) fn skip(&mut self, mut count: u32) {
        const MORES: u64 = 0x8888_8888_8888_8888;
        while !self.is_half
            && let Some((word, rest)) = self.bytes.split_first_chunk()
        {
            let ends = (!u64::from_le_bytes(*word) & MORES).count_ones();
            // If the last number to skip ends in this word, the word may also contain a part of the next number.
            if ends >= count {
                break;
            }
            count -= ends;
            self.bytes = rest;
        }
        for _ in 0..count {
            self.number();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_is_decoded_unchanged() {
        let numbers: Vec<u32> = [0, 1, 7, 8, 63, 64, 511, 70_000, u32::MAX, 3, 0, 12, u32::MAX - 1, 5]
            .into_iter()
            .chain((0..400).map(|number| number * number % 97))
            .collect();
        let mut writer = Writer::default();
        numbers.iter().for_each(|number| writer.push(*number));
        let bytes = writer.finish();
        let mut reader = Reader::new(&bytes);
        for (place, number) in numbers.iter().enumerate() {
            let mut skipping = Reader::new(&bytes);
            skipping.skip(place as u32);
            assert_eq!((skipping.number(), reader.number()), (*number, *number), "{place}");
        }
        assert_eq!(reader.number(), 0);
    }

    #[test]
    fn small_number_uses_half_a_byte() {
        let mut writer = Writer::default();
        (0..7).for_each(|number| writer.push(number));
        assert_eq!(writer.finish().len(), 4);
    }
}
