//! Searches for certain bytes in blocks of at least 16 bytes.
//!
//! The hot loops search texts for certain bytes, such as line ends or bytes that need percent-encoding. The functions
//! examine whole blocks. Their bit masks have one bit per byte, and the lowest bit belongs to the first byte. On x86-64
//! the functions use SSE2, which every such processor has, and [`find_line_start`] uses AVX2 if it is available. On
//! other processors they use plain integers of eight bytes.

/// Bit masks of the line ends (LF and CR) and the hashes (`#`) among 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineStops {
    pub ends: u64,
    pub hashes: u64,
}

/// Bit masks of the bytes that affect how a URL's path and query are split and encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UrlMarks {
    /// Bytes that are not compared as written; see `encode.rs`.
    pub encoded: u16,
    pub question_marks: u16,
    pub hashes: u16,
}

/// Returns the line ends and hashes among the 64 bytes of `text` from `at` on, or among the remaining bytes if there
/// are fewer (at least one).
#[inline]
pub(super) fn line_stops_from(text: &[u8], at: usize) -> LineStops {
    let rest = &text[at..];
    let (LineStops { ends, hashes }, before) = match (rest.first_chunk(), text.last_chunk()) {
        (Some(block), _) => return imp::line_stops(block),
        (None, Some(block)) => (imp::line_stops(block), 64 - rest.len()),
        (None, None) => {
            let mut block = [0; 64];
            block[64 - rest.len()..].copy_from_slice(rest);
            (imp::line_stops(&block), 64 - rest.len())
        }
    };
    LineStops { ends: ends >> before, hashes: hashes >> before }
}

/// Bit masks of the line ends (LF and CR) among 64 bytes, and of the bytes that may precede the first word of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Margins {
    pub ends: u64,
    /// Line ends, white space and control characters. No key starts with one of these, because keys start with a
    /// letter.
    pub blanks: u64,
}

/// A predicate that selects lines by their start.
pub(super) trait Start {
    /// Returns true if the search is for lines that start with `text`. `text` is not empty and does not start with a
    /// blank.
    fn is_wanted(text: &[u8]) -> bool;
}

/// Returns the position of the first wanted line, after its leading blanks. The search starts at `from`, which is the
/// start of a line. A line may be missed if a NUL precedes its first word.
///
/// The starts of all lines in a block of 64 bytes are found at once, so unwanted lines cost little.
#[inline]
pub(super) fn find_line_start<S: Start>(text: &[u8], from: usize) -> Option<usize> {
    imp::find_line_start::<S>(text, from)
}

/// Implements [`find_line_start`]. `margins` examines one block.
#[inline(always)]
fn walk_line_starts<S: Start>(
    text: &[u8],
    from: usize,
    margins: impl Fn(&[u8; 64]) -> Margins,
) -> Option<usize> {
    // 1 if the next block begins at a line start, or inside a line that has been blank so far.
    let mut is_open = 1;
    let mut at = from;
    while at < text.len() {
        let Margins { ends, blanks } = match text[at..].first_chunk() {
            Some(block) => margins(block),
            None => last_margins(text, at, &margins),
        };
        // The addition carries a bit from the start of each line across its leading blanks to the first byte after
        // them.
        let (sum, overflows) = (blanks & !ends).overflowing_add(ends << 1 | is_open);
        let mut starts = sum & !blanks;
        while starts != 0 {
            let place = at + starts.trailing_zeros() as usize;
            if S::is_wanted(&text[place..]) {
                return Some(place);
            }
            starts &= starts - 1;
        }
        is_open = ends >> 63 | u64::from(overflows);
        // The block is inside a line. If the first word of the line is already known, or if the block starts with a
        // NUL, the search continues at the end of the line.
        if ends == 0 && (is_open == 0 || text[at] == 0) {
            at = line_end(text, at + 64, &margins)?;
            is_open = 1;
        } else {
            at += 64;
        }
    }
    None
}

/// Returns the margins of the last bytes of `text`, fewer than 64. The missing bytes count as blanks.
#[inline(always)]
fn last_margins(text: &[u8], at: usize, margins: impl Fn(&[u8; 64]) -> Margins) -> Margins {
    let rest = &text[at..];
    if let Some(block) = text.last_chunk() {
        let Margins { ends, blanks } = margins(block);
        let before = 64 - rest.len();
        return Margins { ends: ends >> before, blanks: blanks >> before | !0 << rest.len() };
    }
    let mut block = [0; 64];
    block[..rest.len()].copy_from_slice(rest);
    margins(&block)
}

/// Returns the position after the first line end at or after `from`.
#[inline(always)]
fn line_end(text: &[u8], from: usize, margins: impl Fn(&[u8; 64]) -> Margins) -> Option<usize> {
    /// The number of blocks after which a call of `memchr` is faster.
    const NEAR: usize = 8;
    let mut at = from;
    for _ in 0..NEAR {
        let Some(block) = text.get(at..)?.first_chunk() else { break };
        let ends = margins(block).ends;
        if ends != 0 {
            return Some(at + ends.trailing_zeros() as usize + 1);
        }
        at += 64;
    }
    Some(at + memchr::memchr2(b'\n', b'\r', text.get(at..)?)? + 1)
}

/// Returns the bytes that end a URL's authority among the 16 bytes of `url` from `at` on, or among the remaining bytes
/// if there are fewer (at least one).
#[inline]
pub(super) fn authority_ends(url: &[u8], at: usize) -> u16 {
    let (block, before) = block_at(url, at);
    imp::authority_ends(&block) >> before
}

/// Returns a position such that no byte of `url` between `at` and this position has a bit in [`url_marks`]. Returns
/// `None` if no byte from `at` on has a bit.
#[inline]
pub(super) fn may_matter_from(url: &[u8], mut at: usize) -> Option<usize> {
    while let Some(block) = url[at..].first_chunk() {
        if imp::may_matter(block) != 0 {
            return Some(at);
        }
        at += 16;
    }
    let may_matter = match url.last_chunk() {
        // The block may start before `at`. The bytes before `at` can only cause an unnecessary check.
        Some(block) => imp::may_matter(block) != 0,
        None if at == url.len() => false,
        None => {
            let (block, before) = block_at(url, at);
            imp::may_matter(&block) >> before != 0
        }
    };
    may_matter.then_some(at)
}

/// Returns the marks of the 16 bytes of `url` from `at` on, or of the remaining bytes if there are fewer (at least
/// one).
#[inline]
pub(super) fn url_marks(url: &[u8], at: usize) -> UrlMarks {
    let (block, before) = block_at(url, at);
    let UrlMarks { encoded, question_marks, hashes } = imp::url_marks(&block);
    UrlMarks {
        encoded: encoded >> before,
        question_marks: question_marks >> before,
        hashes: hashes >> before,
    }
}

/// Returns the number of line ends in `text`: LF, CR or CRLF. A CRLF counts once.
#[inline]
pub(super) fn count_line_ends(text: &[u8]) -> u32 {
    // For a text longer than one or two lines, `memchr` is faster.
    if text.len() > 128 && memchr::memchr(b'\r', text).is_none() {
        return memchr::memchr_iter(b'\n', text).count() as u32;
    }
    let (mut count, mut at, mut was_return) = (0, 0, 0);
    while at < text.len() {
        let (block, before) = block_at(text, at);
        let (feeds, returns) = imp::places(&block, [b'\n', b'\r']);
        let (feeds, returns) = (feeds >> before, returns >> before);
        if feeds | returns != 0 {
            let pairs = feeds & (returns << 1 | was_return);
            count += feeds.count_ones() + returns.count_ones() - pairs.count_ones();
        }
        was_return = returns >> 15;
        at += 16;
    }
    count
}

/// Returns true if `text` contains `byte`. The function is fast for short texts; use `memchr` for longer texts.
#[inline]
pub(super) fn contains(text: &[u8], byte: u8) -> bool {
    let (blocks, tail) = text.as_chunks();
    let in_tail = || match text.last_chunk() {
        Some(last) => imp::contains(last, byte),
        None => tail.contains(&byte),
    };
    blocks.iter().any(|block| imp::contains(block, byte)) || (!tail.is_empty() && in_tail())
}

/// Returns true if `text` contains the bytes `first` and `second` in sequence.
#[inline]
pub(super) fn contains_pair(text: &[u8], [first, second]: [u8; 2]) -> bool {
    let (mut at, mut was_first) = (0, 0);
    while at < text.len() {
        let (block, before) = block_at(text, at);
        let (firsts, seconds) = imp::places(&block, [first, second]);
        let (firsts, seconds) = (firsts >> before, seconds >> before);
        if seconds & (firsts << 1 | was_first) != 0 {
            return true;
        }
        was_first = firsts >> 15;
        at += 16;
    }
    false
}

/// Returns true if every byte of a rule is compared as written.
#[inline]
pub(super) fn is_normal(text: &[u8]) -> bool {
    (0..text.len()).step_by(16).all(|at| url_marks(text, at).encoded == 0)
}

/// Returns a block with the bytes of `text` from `at` on, and the number of bytes before `at` in that block. Near the
/// end of the text, the block contains the last 16 bytes.
#[inline]
fn block_at(text: &[u8], at: usize) -> ([u8; 16], usize) {
    let rest = &text[at..];
    match (rest.first_chunk(), text.last_chunk()) {
        (Some(block), _) => (*block, 0),
        (None, Some(block)) => (*block, 16 - rest.len()),
        (None, None) => {
            let before = 16 - rest.len();
            let bytes = match (rest.first_chunk(), rest.last_chunk()) {
                (Some(first), Some(last)) => {
                    let [first, last] = [first, last].map(|word| u128::from(u64::from_le_bytes(*word)));
                    first << (8 * before) | last << 64
                }
                // For an empty text, the shift by 128 bits returns zero.
                _ => u128::from(head_of(rest)).unbounded_shl(8 * before as u32),
            };
            (bytes.to_le_bytes(), before)
        }
    }
}

/// Returns the first eight bytes of a text as a little-endian number. A shorter text is padded with zeros.
#[inline]
pub(super) fn head_of(text: &[u8]) -> u64 {
    if let Some(head) = text.first_chunk() {
        return u64::from_le_bytes(*head);
    }
    let word = |word: &[u8; 4]| u64::from(u32::from_le_bytes(*word));
    match (text.first_chunk(), text.last_chunk()) {
        // Bytes in the overlap of the two words are equal.
        (Some(first), Some(last)) => word(first) | word(last) << (8 * (text.len() - 4)),
        _ => text.iter().rev().fold(0, |head, &byte| head << 8 | u64::from(byte)),
    }
}

/// The implementation with SSE2.
///
/// This is the only `unsafe` code in the library; `docs/evidence/benchmarks.md` lists its benefit. The code does not
/// read memory through pointers. The intrinsics are called from functions that enable SSE2, where they are safe. Each
/// `unsafe` block states why it is safe.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[expect(unsafe_code, reason = "calls of functions that need SSE2, on a target that has it")]
mod imp {
    use std::arch::asm;
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_cmplt_epi8, _mm_min_epu8, _mm_movemask_epi8,
        _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8, _mm_sub_epi8, _mm256_cmpeq_epi8, _mm256_min_epu8,
        _mm256_movemask_epi8, _mm256_or_si256, _mm256_set_epi64x, _mm256_set1_epi8,
    };

    use super::{LineStops, Margins, Start, UrlMarks, walk_line_starts};

    /// Uses AVX2 (blocks of 32 bytes) if the processor supports it, because this function also reads long HTML pages.
    #[inline]
    pub(in super::super) fn find_line_start<S: Start>(text: &[u8], from: usize) -> Option<usize> {
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            unsafe { find_line_start_avx2::<S>(text, from) }
        } else {
            // SAFETY: this module is compiled only where the target has SSE2.
            walk_line_starts::<S>(text, from, |block| unsafe { margins_sse2(block) })
        }
    }

    #[target_feature(enable = "avx2")]
    fn find_line_start_avx2<S: Start>(text: &[u8], from: usize) -> Option<usize> {
        walk_line_starts::<S>(text, from, |block| margins_avx2(block))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn margins_avx2(block: &[u8; 64]) -> Margins {
        let mut margins = Margins { ends: 0, blanks: 0 };
        for (index, part) in block.as_chunks::<32>().0.iter().enumerate() {
            let [low, high] =
                [0, 16].map(|at| u128::from_le_bytes(part[at..at + 16].try_into().unwrap_or_default()));
            let bytes = _mm256_set_epi64x((high >> 64) as i64, high as i64, (low >> 64) as i64, low as i64);
            let equal = |byte: u8| _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8));
            let ends = _mm256_or_si256(equal(b'\n'), equal(b'\r'));
            let blanks = _mm256_cmpeq_epi8(bytes, _mm256_min_epu8(bytes, _mm256_set1_epi8(b' ' as i8)));
            margins.ends |= u64::from(hide_origin(_mm256_movemask_epi8(ends))) << (index * 32);
            margins.blanks |= u64::from(hide_origin(_mm256_movemask_epi8(blanks))) << (index * 32);
        }
        margins
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn margins_sse2(block: &[u8; 64]) -> Margins {
        let mut margins = Margins { ends: 0, blanks: 0 };
        for (index, part) in block.as_chunks().0.iter().enumerate() {
            let bytes = load(part);
            let ends = _mm_or_si128(equal(bytes, b'\n'), equal(bytes, b'\r'));
            let blanks = _mm_cmpeq_epi8(bytes, _mm_min_epu8(bytes, _mm_set1_epi8(b' ' as i8)));
            margins.ends |= u64::from(hide_origin(_mm_movemask_epi8(ends))) << (index * 16);
            margins.blanks |= u64::from(hide_origin(_mm_movemask_epi8(blanks))) << (index * 16);
        }
        margins
    }

    /// Returns the results of every implementation for a block.
    #[cfg(test)]
    pub(super) fn every_margins(block: &[u8; 64]) -> Vec<Margins> {
        // SAFETY: this module is compiled only where the target has SSE2.
        let mut all = vec![unsafe { margins_sse2(block) }];
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            all.push(unsafe { margins_avx2(block) });
        }
        all
    }

    /// Returns `bits` unchanged, but hides from the compiler that they are the result of a comparison. Otherwise the
    /// compiler would compute all derived values bit by bit.
    #[inline(always)]
    fn hide_origin(bits: i32) -> u32 {
        let mut hidden = bits as u32;
        // SAFETY: the template contains no instruction.
        unsafe { asm!("/* {0:e} */", inout(reg) hidden, options(pure, nomem, nostack, preserves_flags)) };
        hidden
    }

    #[inline]
    pub(in super::super) fn line_stops(block: &[u8; 64]) -> LineStops {
        // SAFETY: this module is compiled only where the target has SSE2.
        unsafe { line_stops_sse2(block) }
    }

    /// Returns the bytes that end a URL's authority (RFC 3986 §3.2) among 16 bytes: `/`, `?`, `#`.
    #[inline]
    pub(in super::super) fn authority_ends(block: &[u8; 16]) -> u16 {
        // SAFETY: this module is compiled only where the target has SSE2.
        unsafe { authority_ends_sse2(block) }
    }

    #[inline]
    pub(in super::super) fn url_marks(block: &[u8; 16]) -> UrlMarks {
        // SAFETY: this module is compiled only where the target has SSE2.
        unsafe { url_marks_sse2(block) }
    }

    #[inline]
    pub(in super::super) fn may_matter(block: &[u8; 16]) -> u16 {
        // SAFETY: this module is compiled only where the target has SSE2.
        unsafe { may_matter_sse2(block) }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn may_matter_sse2(block: &[u8; 16]) -> u16 {
        let bytes = load(block);
        // `low` finds the bytes up to `%` and above 127, and `high` the bytes from `{` on. The other comparisons find
        // `<=>?`, `\`, `^` and the backtick.
        let low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(b'&' as i8));
        let high = _mm_cmpgt_epi8(bytes, _mm_set1_epi8(b'z' as i8));
        let around_equals = equal(_mm_or_si128(bytes, _mm_set1_epi8(3)), b'?');
        let circumflex = equal(_mm_or_si128(bytes, _mm_set1_epi8(2)), b'^');
        let more = _mm_or_si128(_mm_or_si128(around_equals, circumflex), equal(bytes, b'`'));
        bits(_mm_or_si128(_mm_or_si128(low, high), more))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn line_stops_sse2(block: &[u8; 64]) -> LineStops {
        let mut stops = LineStops { ends: 0, hashes: 0 };
        for (index, part) in block.as_chunks().0.iter().enumerate() {
            let bytes = load(part);
            let ends = _mm_or_si128(equal(bytes, b'\n'), equal(bytes, b'\r'));
            stops.ends |= u64::from(bits(ends)) << (index * 16);
            stops.hashes |= u64::from(bits(equal(bytes, b'#'))) << (index * 16);
        }
        stops
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn authority_ends_sse2(block: &[u8; 16]) -> u16 {
        let bytes = load(block);
        let query_or_fragment = _mm_or_si128(equal(bytes, b'?'), equal(bytes, b'#'));
        bits(_mm_or_si128(equal(bytes, b'/'), query_or_fragment))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn url_marks_sse2(block: &[u8; 16]) -> UrlMarks {
        let bytes = load(block);
        // `<` and `>` differ only in bit 1, and so do `\` and `^`. `{`, `|` and `}` are consecutive. Bytes above 127
        // are negative.
        let with_bit_1 = _mm_or_si128(bytes, _mm_set1_epi8(2));
        let from_brace = _mm_sub_epi8(bytes, _mm_set1_epi8(b'{' as i8));
        let in_row = _mm_cmpeq_epi8(from_brace, _mm_min_epu8(from_brace, _mm_set1_epi8(2)));
        let encoded = [
            equal(bytes, b'"'),
            equal(bytes, b'%'),
            equal(bytes, b'`'),
            equal(bytes, 0x7F),
            equal(with_bit_1, b'>'),
            equal(with_bit_1, b'^'),
            in_row,
        ];
        let below = _mm_cmplt_epi8(bytes, _mm_set1_epi8(b'!' as i8));
        UrlMarks {
            encoded: bits(encoded.into_iter().fold(below, |all, found| _mm_or_si128(all, found))),
            question_marks: bits(equal(bytes, b'?')),
            hashes: bits(equal(bytes, b'#')),
        }
    }

    /// Returns bit masks of the positions of two byte values.
    #[inline]
    pub(in super::super) fn places(block: &[u8; 16], sought: [u8; 2]) -> (u16, u16) {
        // SAFETY: this module is compiled only where the target has SSE2.
        unsafe { places_sse2(block, sought) }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn places_sse2(block: &[u8; 16], sought: [u8; 2]) -> (u16, u16) {
        let bytes = load(block);
        (bits(equal(bytes, sought[0])), bits(equal(bytes, sought[1])))
    }

    #[inline]
    pub(in super::super) fn contains(block: &[u8; 16], byte: u8) -> bool {
        // SAFETY: this module is compiled only where the target has SSE2.
        unsafe { contains_sse2(block, byte) }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn contains_sse2(block: &[u8; 16], byte: u8) -> bool {
        bits(equal(load(block), byte)) != 0
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn load(bytes: &[u8; 16]) -> __m128i {
        let whole = u128::from_le_bytes(*bytes);
        _mm_set_epi64x((whole >> 64) as i64, whole as i64)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn equal(bytes: __m128i, byte: u8) -> __m128i {
        _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8))
    }

    /// Returns a bit for each byte of a comparison; the first byte has the lowest bit.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn bits(found: __m128i) -> u16 {
        _mm_movemask_epi8(found) as u16
    }
}

/// The implementation without SSE2, which examines eight bytes at a time in a plain integer.
///
/// The highest bit of each byte contains the result of a comparison. An addition to the lower seven bits may carry into
/// the highest bit, but not into the next byte.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
mod imp {
    use super::{LineStops, Margins, Start, UrlMarks, walk_line_starts};

    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = ONES << 7;

    pub(in super::super) fn line_stops(block: &[u8; 64]) -> LineStops {
        let mut stops = LineStops { ends: 0, hashes: 0 };
        for (index, bytes) in block.as_chunks().0.iter().enumerate() {
            let word = u64::from_le_bytes(*bytes);
            stops.ends |= bits(equal(word, b'\n') | equal(word, b'\r')) << (index * 8);
            stops.hashes |= bits(equal(word, b'#')) << (index * 8);
        }
        stops
    }

    pub(in super::super) fn find_line_start<S: Start>(text: &[u8], from: usize) -> Option<usize> {
        walk_line_starts::<S>(text, from, margins)
    }

    /// Returns the results of every implementation for a block.
    #[cfg(test)]
    pub(super) fn every_margins(block: &[u8; 64]) -> Vec<Margins> {
        vec![margins(block)]
    }

    fn margins(block: &[u8; 64]) -> Margins {
        let mut margins = Margins { ends: 0, blanks: 0 };
        for (index, bytes) in block.as_chunks().0.iter().enumerate() {
            let word = u64::from_le_bytes(*bytes);
            margins.ends |= bits(equal(word, b'\n') | equal(word, b'\r')) << (index * 8);
            margins.blanks |= bits(below(word, b'!') & !word) << (index * 8);
        }
        margins
    }

    /// Returns the bytes that end a URL's authority (RFC 3986 §3.2) among 16 bytes: `/`, `?`, `#`.
    pub(in super::super) fn authority_ends(block: &[u8; 16]) -> u16 {
        of_both(block, |word| equal(word, b'/') | equal(word, b'?') | equal(word, b'#'))
    }

    pub(in super::super) fn url_marks(block: &[u8; 16]) -> UrlMarks {
        UrlMarks {
            encoded: of_both(block, |word| {
                let (with_bit_1, with_bits) = (word | ONES * 2, word | ONES * 3);
                let single = equal(word, b'"') | equal(word, b'%') | equal(word, b'`');
                // The last four bytes of ASCII are `|`, `}`, `~` and DEL. Of these, `~` is not encoded.
                let last = equal(with_bits, 0x7F) & !equal(word, b'~');
                let pairs = equal(with_bit_1, b'>') | equal(with_bit_1, b'^');
                below(word, b'!') | word & HIGH | single | last | equal(word, b'{') | pairs
            }),
            question_marks: of_both(block, |word| equal(word, b'?')),
            hashes: of_both(block, |word| equal(word, b'#')),
        }
    }

    /// Returns a nonzero mask if one of 16 bytes may have a bit in [`UrlMarks`]. The mask may be nonzero although no
    /// byte has a bit.
    pub(in super::super) fn may_matter(block: &[u8; 16]) -> u16 {
        of_both(block, |word| {
            let high = !below(word, b'{') | word;
            let around_equals = equal(word | ONES * 3, b'?');
            let circumflex = equal(word | ONES * 2, b'^');
            (below(word, b'&') | high | around_equals | circumflex | equal(word, b'`')) & HIGH
        })
    }

    /// Returns bit masks of the positions of two byte values.
    pub(in super::super) fn places(block: &[u8; 16], sought: [u8; 2]) -> (u16, u16) {
        (of_both(block, |word| equal(word, sought[0])), of_both(block, |word| equal(word, sought[1])))
    }

    pub(in super::super) fn contains(block: &[u8; 16], byte: u8) -> bool {
        of_both(block, |word| equal(word, byte)) != 0
    }

    fn of_both(block: &[u8; 16], look: impl Fn(u64) -> u64) -> u16 {
        let whole = u128::from_le_bytes(*block);
        (bits(look(whole as u64)) | bits(look((whole >> 64) as u64)) << 8) as u16
    }

    /// Returns the high bit of each byte that equals `byte`.
    fn equal(word: u64, byte: u8) -> u64 {
        let difference = word ^ (ONES * u64::from(byte));
        !(((difference & !HIGH) + !HIGH) | difference) & HIGH
    }

    /// Returns the high bit of each byte whose lower seven bits are below `byte`, which is below 128.
    fn below(word: u64, byte: u8) -> u64 {
        !((word & !HIGH) + ONES * u64::from(128 - byte)) & HIGH
    }

    /// Collects the high bits; the first byte has the lowest bit.
    fn bits(found: u64) -> u64 {
        (found >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::matching::encode;

    /// Returns every byte value at every position of a block of other bytes.
    fn blocks<const N: usize>() -> impl Iterator<Item = (usize, u8, [u8; N])> {
        (0..=255).flat_map(|byte| {
            (0..N).map(move |place| {
                let mut block = [b'a'; N];
                block[place] = byte;
                (place, byte, block)
            })
        })
    }

    #[test]
    fn head_of_a_short_text_is_the_whole_text() {
        for length in 0..20_u8 {
            let text: Vec<u8> = (1..=length).collect();
            let expected = text.iter().take(8).rev().fold(0, |head, &byte| head << 8 | u64::from(byte));
            assert_eq!(head_of(&text), expected, "{length}");
            if length < 16 {
                let (block, before) = block_at(&text, 0);
                assert_eq!(block[before..], text, "{length}");
                assert!(block[..before].iter().all(|byte| *byte == 0), "{length}");
            }
        }
    }

    #[test]
    fn line_stops_of_a_block_equal_those_of_a_plain_search() {
        for (place, byte, block) in blocks::<64>() {
            let bit = |is: bool| u64::from(is) << place;
            let expected = LineStops { ends: bit(byte == b'\n' || byte == b'\r'), hashes: bit(byte == b'#') };
            assert_eq!(line_stops_from(&block, 0), expected, "{byte} at {place}");
        }
    }

    #[test]
    fn line_stops_before_the_start_are_omitted() {
        let text: Vec<u8> = b"ab\ncd#\r".iter().copied().cycle().take(150).collect();
        for length in [1, 20, 63, 64, 65, 128, 150] {
            for at in 0..length {
                let stops = line_stops_from(&text[..length], at);
                for (place, byte) in text[at..length].iter().take(64).enumerate() {
                    assert_eq!(
                        stops.ends >> place & 1 == 1,
                        matches!(byte, b'\n' | b'\r'),
                        "{at} of {length}"
                    );
                    assert_eq!(stops.hashes >> place & 1 == 1, *byte == b'#', "{at} of {length}");
                }
                let seen = (length - at).min(64);
                assert!(seen == 64 || (stops.ends | stops.hashes) >> seen == 0, "{at} of {length}");
            }
        }
    }

    /// Returns the result of [`find_line_start`], one byte at a time.
    fn find_line_start_plainly<S: Start>(text: &[u8], from: usize) -> Option<usize> {
        let mut is_open = true;
        (from..text.len()).find(|&at| {
            let is_start = is_open && text[at] > b' ';
            is_open = matches!(text[at], b'\n' | b'\r') || (is_open && !is_start);
            is_start && S::is_wanted(&text[at..])
        })
    }

    #[test]
    fn margins_of_a_block_equal_those_of_a_plain_search() {
        for (place, byte, block) in blocks::<64>() {
            let bit = |is: bool| u64::from(is) << place;
            let expected = Margins { ends: bit(byte == b'\n' || byte == b'\r'), blanks: bit(byte <= b' ') };
            imp::every_margins(&block).into_iter().for_each(|margins| assert_eq!(margins, expected));
        }
    }

    #[test]
    fn line_start_at_any_position_is_found() {
        let mut state = 1_u64;
        for length in (0..140).chain((140..700).step_by(9)) {
            // Letters, long runs of letters or of blanks, and occasional line ends.
            let text: Vec<u8> = (0..length)
                .map(|at| {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let rarely = [20, 60, 300][length % 3];
                    match (state >> 33) % rarely {
                        0 => b'\n',
                        1 => b'\r',
                        2..4 => b' ',
                        4 => b'w',
                        _ if at / 100 % 3 == 0 => b' ',
                        _ => b'x',
                    }
                })
                .collect();
            for from in [0, length / 3, length] {
                assert_found_plainly::<W>(&text, from);
                assert_found_plainly::<Any>(&text, from);
            }
        }
    }

    /// Lines that start with `w`.
    enum W {}

    impl Start for W {
        fn is_wanted(text: &[u8]) -> bool {
            text[0] == b'w'
        }
    }

    /// Any line.
    enum Any {}

    impl Start for Any {
        fn is_wanted(_: &[u8]) -> bool {
            true
        }
    }

    /// Compares every implementation with the plain search.
    fn assert_found_plainly<S: Start>(text: &[u8], from: usize) {
        let expected = find_line_start_plainly::<S>(text, from);
        let shown = text.escape_ascii();
        assert_eq!(find_line_start::<S>(text, from), expected, "{from}: {shown}");
        for way in 0..imp::every_margins(&[0; 64]).len() {
            let found = walk_line_starts::<S>(text, from, |block| imp::every_margins(block)[way]);
            assert_eq!(found, expected, "{from} by way {way}: {shown}");
        }
    }

    #[test]
    fn line_with_a_nul_before_its_first_word_is_skipped_or_found() {
        for zeros in [1, 63, 64, 65, 255, 256, 257, 1_000] {
            let text = [&vec![0; zeros][..], b"w\nw"].concat();
            let found = find_line_start::<W>(&text, 0);
            assert!(found == Some(zeros) || found == Some(zeros + 2), "{zeros}: {found:?}");
        }
    }

    #[test]
    fn authority_ends_of_a_block_equal_those_of_a_plain_search() {
        for (place, byte, block) in blocks::<16>() {
            assert_eq!(authority_ends(&block, 0), u16::from(b"/?#".contains(&byte)) << place, "{byte}");
        }
    }

    #[test]
    fn encoded_bytes_of_a_block_equal_those_of_the_encoder() {
        for (place, byte, block) in blocks::<16>() {
            let bit = |is: bool| u16::from(is) << place;
            let expected = UrlMarks {
                encoded: bit(!encode::is_normal_byte(byte)),
                question_marks: bit(byte == b'?'),
                hashes: bit(byte == b'#'),
            };
            assert_eq!(url_marks(&block, 0), expected, "{byte} at {place}");
            let matters = expected != UrlMarks { encoded: 0, question_marks: 0, hashes: 0 };
            assert!(may_matter_from(&block, 0).is_some() || !matters, "{byte} at {place}");
        }
    }

    #[test]
    fn relevant_byte_in_a_text_of_any_length_is_found() {
        for length in 1..50 {
            let plain = vec![b'a'; length];
            assert_eq!(may_matter_from(&plain, 0), None, "{length} plain bytes");
            for place in 0..length {
                let mut text = plain.clone();
                text[place] = b'?';
                let from = may_matter_from(&text, 0).expect("it matters");
                assert!((from..from + 16).contains(&place), "{from} for {place} of {length}");
            }
        }
    }

    #[test]
    fn byte_at_any_position_is_found() {
        for length in 0..50 {
            let text: Vec<u8> = (1..=length).collect();
            for byte in 0..=50 {
                assert_eq!(contains(&text, byte), (1..=length).contains(&byte), "{byte} of {length}");
            }
        }
    }

    #[test]
    fn pair_at_any_position_is_found() {
        for length in 0..50 {
            let text: Vec<u8> = (1..=length).collect();
            for first in 0..=50 {
                let expected = first > 0 && first < length;
                assert_eq!(contains_pair(&text, [first, first + 1]), expected, "{first} of {length}");
                assert!(!contains_pair(&text, [first + 1, first]), "{first} of {length}");
            }
        }
    }

    #[test]
    fn line_end_across_two_blocks_is_counted_once() {
        for length in 0..40 {
            for (text, expected) in
                [("\n", 1), ("\r", 1), ("\r\n", 1), ("\n\r", 2), ("\r\r\n\n", 3), ("x", 0)]
            {
                let text = format!("{}{text}{}", "a".repeat(length), "b".repeat(length));
                assert_eq!(count_line_ends(text.as_bytes()), expected, "{text:?}");
            }
        }
        assert_eq!(count_line_ends(&b"\r\n".repeat(40)), 40);
    }

    #[test]
    fn bytes_before_the_start_are_ignored() {
        let text: Vec<u8> = b"/?#a%/?#a%/?#a%/?#a%/?#a%".to_vec();
        for length in 1..text.len() {
            for at in 0..length {
                let expected = text[at..length].iter().take(16).enumerate();
                let expected =
                    expected.fold(0, |bits, (place, byte)| bits | u16::from(*byte == b'%') << place);
                assert_eq!(url_marks(&text[..length], at).encoded, expected, "{at} of {length}");
            }
        }
    }
}
