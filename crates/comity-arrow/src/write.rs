//! Writes the output columns from the facts of the rows. Each block of rows is written to all columns before the next block, so
//! that its facts remain in the CPU cache.

use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int8Array, Int64Array, ListArray, StringArray,
    UInt32Array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field};

use crate::cache::Cache;
use crate::error::BatchError;
use crate::facts::{self, Facts};
use crate::options::AuditorOptions;
use crate::output::{self, DecisionColumn, NO_WORD, Output, UsageColumn, ValueKind, Words};
use crate::refusal;
use crate::subject::Usages;
use crate::texts::{NONE, Texts};
use crate::usage::{self, StatementLocation};
use crate::walk::Rows;

/// Number of rows in a block.
const BLOCK: usize = 2048;

/// Creates the output columns for one of the crawlers.
pub(crate) fn columns(
    options: &AuditorOptions,
    cache: &Cache,
    (rows, crawler): (&Rows, usize),
    statements: &[StatementLocation],
    refusals: &[u8],
) -> Result<Vec<ArrayRef>, BatchError> {
    let facts_of_rows = rows.facts.get(crawler).map(Vec::as_slice).unwrap_or_default();
    let count = facts_of_rows.len();
    let layout = facts::layout(options);
    let new = |output: &Output| (*output, Column::new(*output, &layout, options.words, count));
    let mut columns: Vec<(Output, Column)> = options.outputs.iter().map(new).collect();
    let mut block = Block {
        cache,
        facts: Vec::with_capacity(BLOCK),
        statements: Vec::new(),
        refusals: &[],
        age_time: &[],
        rows: 0..0,
    };
    for start in (0..count).step_by(BLOCK) {
        block.rows = start..count.min(start + BLOCK);
        let facts = facts_of_rows.get(block.rows.clone()).unwrap_or_default();
        block.facts.clear();
        block.facts.extend(facts.iter().map(|number| cache.facts(*number).unwrap_or(Facts::ERROR)));
        block.age_time = rows.age_time.get(block.rows.clone()).unwrap_or_default();
        block.refusals = refusals.get(block.rows.clone()).unwrap_or_default();
        let statements = statements.get(block.rows.clone()).unwrap_or_default();
        block.statements.clear();
        block.statements.extend(statements.iter().map(|(subject, index)| {
            cache.subjects.get(*subject as usize).and_then(|subject| subject.usages.get(*index as usize))
        }));
        for (output, column) in &mut columns {
            column
                .push(&block, &rows.errors)
                .map_err(|TooLong| BatchError::TooMuchText(options.output_name(*output)))?;
        }
    }
    columns.into_iter().map(|(_, column)| column.finish()).collect()
}

/// Consecutive rows, whose values are written to all columns.
struct Block<'a> {
    cache: &'a Cache,
    rows: std::ops::Range<usize>,
    facts: Vec<Facts<'a>>,
    /// The usage statements, if a column needs them.
    statements: Vec<Option<&'a Usages>>,
    /// The words for refusals of pages, if a column needs them.
    refusals: &'a [u8],
    /// The times at which ages are computed, in seconds since 1970.
    age_time: &'a [f64],
}

/// The error for a column with more than 2 GiB of text.
struct TooLong;

/// A column under construction.
enum Column {
    Words { of: WordSource, words: Box<PaddedWords>, text: Text },
    Numbers { of: WordSource, words: &'static [&'static str], numbers: Vec<i8>, valid: Bits },
    Texts { cell: usize, text: Text },
    Booleans { of: BooleanSource, values: Bits, valid: Bits },
    Counts { cell: usize, counts: Vec<u32>, valid: Bits },
    Seconds { cell: usize, seconds: Vec<f64>, valid: Bits },
    Ages { ages: Vec<i64>, valid: Bits },
    Errors(Text),
    Licenses { urls: Text, offsets: Vec<i32>, valid: Bits },
}

/// The source of the words in a column.
enum WordSource {
    Cell(usize),
    Usage(UsageColumn),
    Refusal,
}

/// The source of the values in a boolean column.
#[derive(Clone, Copy)]
enum BooleanSource {
    Cell(usize),
    Allowed,
}

impl BooleanSource {
    #[inline]
    fn get(self, facts: &Facts<'_>) -> Option<bool> {
        match self {
            BooleanSource::Cell(cell) => facts.flag(cell),
            BooleanSource::Allowed => facts.is_allowed(),
        }
    }
}

impl WordSource {
    /// Replaces `numbers` by the word numbers of a block.
    fn numbers(&self, block: &Block<'_>, numbers: &mut Vec<u8>) {
        numbers.clear();
        match self {
            WordSource::Cell(cell) => numbers.extend(block.facts.iter().map(|facts| facts.word(*cell))),
            WordSource::Usage(column) => {
                let (index, default) = (column.index(), usage::word_without_signal(*column));
                let number = |(facts, statements): (&Facts<'_>, &Option<&Usages>)| match statements {
                    _ if facts.is_error() => NO_WORD,
                    Some(usages) => usages.words.get(index).copied().unwrap_or(NO_WORD),
                    None => default,
                };
                numbers.extend(block.facts.iter().zip(&block.statements).map(number));
            }
            WordSource::Refusal => {
                // A refusal is shown only for pages that robots.txt allows.
                let number = |(facts, word): (&Facts<'_>, &u8)| match facts.is_allowed() {
                    Some(true) => *word,
                    _ => NO_WORD,
                };
                numbers.extend(block.facts.iter().zip(block.refusals).map(number));
            }
        }
    }
}

impl Column {
    fn new(output: Output, layout: &[DecisionColumn], words: Words, rows: usize) -> Self {
        let word_list = |of: WordSource, list: &'static [&'static str]| match words {
            Words::Text => {
                Column::Words { of, words: Box::new(PaddedWords::new(list)), text: Text::new(rows) }
            }
            Words::Dictionary => {
                Column::Numbers { of, words: list, numbers: Vec::with_capacity(rows), valid: Bits::new(rows) }
            }
        };
        let seconds =
            |cell| Column::Seconds { cell, seconds: Vec::with_capacity(rows), valid: Bits::new(rows) };
        let booleans = |of| Column::Booleans { of, values: Bits::new(rows), valid: Bits::new(rows) };
        match output {
            Output::Decision(column) => {
                let cell = facts::cell_of(layout, column);
                match column.kind() {
                    ValueKind::Words(list) => word_list(WordSource::Cell(cell), list),
                    ValueKind::Text => Column::Texts { cell, text: Text::new(rows) },
                    ValueKind::Flag => booleans(BooleanSource::Cell(cell)),
                    ValueKind::Number => {
                        Column::Counts { cell, counts: Vec::with_capacity(rows), valid: Bits::new(rows) }
                    }
                    ValueKind::Seconds => seconds(cell),
                }
            }
            Output::Allowed => booleans(BooleanSource::Allowed),
            Output::Usage(column) if column.usage().is_some() => {
                word_list(WordSource::Usage(column), output::USAGE_WORDS)
            }
            Output::Usage(_) => {
                Column::Licenses { urls: Text::new(0), offsets: first_offset(rows), valid: Bits::new(rows) }
            }
            Output::CrawlDelay => seconds(facts::DELAY),
            Output::Answer => Column::Texts { cell: facts::ANSWER, text: Text::new(rows) },
            Output::AnswerAge => Column::Ages { ages: Vec::with_capacity(rows), valid: Bits::new(rows) },
            Output::Refusal => word_list(WordSource::Refusal, refusal::WORDS),
            Output::Error => Column::Errors(Text::new(rows)),
        }
    }

    fn push(&mut self, block: &Block<'_>, errors: &[(usize, String)]) -> Result<(), TooLong> {
        let words_of = |of: &WordSource| {
            let mut numbers = Vec::with_capacity(BLOCK);
            of.numbers(block, &mut numbers);
            numbers
        };
        let facts = &block.facts;
        match self {
            Column::Words { of, words, text } => text.push_words(&words_of(of), words)?,
            Column::Numbers { of, numbers, valid, .. } => {
                let words = words_of(of);
                valid.extend(words.iter().map(|number| *number != NO_WORD));
                numbers.extend(words.iter().map(|number| i8::try_from(*number).unwrap_or(0)));
            }
            Column::Texts { cell, text } => text.push_texts(block, *cell)?,
            Column::Booleans { of, values, valid } => {
                values.extend(facts.iter().map(|facts| of.get(facts) == Some(true)));
                valid.extend(facts.iter().map(|facts| of.get(facts).is_some()));
            }
            Column::Counts { cell, counts, valid } => {
                counts.extend(facts.iter().map(|facts| match facts.cell(*cell) {
                    NONE => 0,
                    count => count,
                }));
                valid.extend(facts.iter().map(|facts| facts.cell(*cell) != NONE));
            }
            Column::Seconds { cell, seconds, valid } => {
                seconds.extend(facts.iter().map(|facts| facts.seconds(*cell).unwrap_or(0.0)));
                valid.extend(facts.iter().map(|facts| facts.seconds(*cell).is_some()));
            }
            Column::Ages { ages, valid } => {
                let of_rows = facts.iter().zip(block.age_time);
                let age = |(facts, age_time): (&Facts<'_>, &f64)| facts.age_at(*age_time);
                ages.extend(of_rows.clone().map(|row| age(row).unwrap_or(0)));
                valid.extend(of_rows.map(|row| age(row).is_some()));
            }
            Column::Errors(text) => {
                let first = errors.partition_point(|(row, _)| *row < block.rows.start);
                let mut errors = errors.get(first..).unwrap_or_default().iter().peekable();
                if errors.peek().is_none_or(|(row, _)| *row >= block.rows.end) {
                    text.push_nulls(block.rows.len());
                    return Ok(());
                }
                for row in block.rows.clone() {
                    text.push(errors.next_if(|(of, _)| *of == row).map(|(_, error)| error.as_str()))?;
                }
            }
            Column::Licenses { urls, offsets, valid } => {
                for (facts, statements) in block.facts.iter().zip(&block.statements) {
                    // A row without an error has a list, which is empty if robots.txt names no license.
                    for url in
                        statements.iter().filter(|_| !facts.is_error()).flat_map(|usages| &usages.licenses)
                    {
                        urls.push(Some(url))?;
                    }
                    offsets.push(i32::try_from(urls.valid.length).map_err(|_| TooLong)?);
                    valid.push(!facts.is_error());
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<ArrayRef, BatchError> {
        Ok(match self {
            Column::Words { text, .. } | Column::Texts { text, .. } | Column::Errors(text) => {
                Arc::new(text.finish()?)
            }
            Column::Numbers { words, numbers, valid, .. } => {
                let keys = Int8Array::new(numbers.into(), valid.nulls());
                let values = Arc::new(StringArray::from_iter_values(words));
                Arc::new(DictionaryArray::<Int8Type>::try_new(keys, values)?)
            }
            Column::Booleans { values, valid, .. } => {
                Arc::new(BooleanArray::new(values.buffer(), valid.nulls()))
            }
            Column::Counts { counts, valid, .. } => Arc::new(UInt32Array::new(counts.into(), valid.nulls())),
            Column::Ages { ages, valid } => Arc::new(Int64Array::new(ages.into(), valid.nulls())),
            Column::Seconds { seconds, valid, .. } => {
                Arc::new(Float64Array::new(seconds.into(), valid.nulls()))
            }
            Column::Licenses { urls, offsets, valid } => {
                let field = Arc::new(Field::new("item", DataType::Utf8, true));
                let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
                Arc::new(ListArray::try_new(field, offsets, Arc::new(urls.finish()?), valid.nulls())?)
            }
        })
    }
}

/// Size of a word slot, in bytes. A word is written by a copy of a whole slot, which compiles to one or two instructions.
const SLOT: usize = Texts::WINDOW;

/// Number of word slots: a power of two, and greater than the length of every list of words.
const SLOTS: usize = 16;

/// Words with padding. The last slot is empty. It represents a missing word, since the low bits of [`NO_WORD`] are its index.
struct PaddedWords([([u8; SLOT], usize); SLOTS]);

impl PaddedWords {
    fn new(words: &[&'static str]) -> Self {
        let mut padded = [([0; SLOT], 0); SLOTS];
        for ((slot, length), word) in padded.iter_mut().zip(words) {
            slot.iter_mut().zip(word.bytes()).for_each(|(to, from)| *to = from);
            *length = word.len();
        }
        PaddedWords(padded)
    }

    #[inline]
    fn get(&self, number: u8) -> &([u8; SLOT], usize) {
        &self.0[usize::from(number) % SLOTS]
    }
}

/// Maximum number of bytes to reserve for expected rows. A larger column reserves at most its own size.
const MAX_RESERVE: usize = 4 << 20;

fn first_offset(rows: usize) -> Vec<i32> {
    let mut offsets = Vec::with_capacity(rows + 1);
    offsets.push(0);
    offsets
}

/// A text column under construction.
struct Text {
    /// The written text, and reserved space after it.
    bytes: Vec<u8>,
    written: usize,
    offsets: Vec<i32>,
    valid: Bits,
}

impl Text {
    fn new(rows: usize) -> Self {
        Text { bytes: Vec::new(), written: 0, offsets: first_offset(rows), valid: Bits::new(rows) }
    }

    /// Reserves space for a text, and for the remaining rows at the current average length. The space for the remaining rows is
    /// limited, since a long text in the first row does not predict the length of the others.
    fn reserve(&mut self, bytes: usize) -> Result<(), TooLong> {
        let needed = self.written + bytes;
        i32::try_from(needed).map_err(|_| TooLong)?;
        if self.bytes.capacity() < needed {
            let (done, all) = (self.offsets.len(), self.offsets.capacity());
            let expected = (self.written / done).saturating_mul(all - done);
            let ahead = expected.min(self.written.max(MAX_RESERVE));
            self.bytes.reserve(needed + ahead - self.bytes.len());
        }
        if self.bytes.len() < needed {
            self.bytes.resize(needed, 0);
        }
        Ok(())
    }

    #[inline]
    fn push(&mut self, text: Option<&str>) -> Result<(), TooLong> {
        if let Some(text) = text {
            self.reserve(text.len())?;
            let end = self.written + text.len();
            if let Some(slot) = self.bytes.get_mut(self.written..end) {
                slot.copy_from_slice(text.as_bytes());
            }
            self.written = end;
        }
        // `reserve` rejects lengths beyond `i32`.
        self.offsets.push(self.written as i32);
        self.valid.push(text.is_some());
        Ok(())
    }

    fn push_nulls(&mut self, rows: usize) {
        // `reserve` rejects lengths beyond `i32`.
        self.offsets.resize(self.offsets.len() + rows, self.written as i32);
        self.valid.extend_same(false, rows);
    }

    fn push_words(&mut self, numbers: &[u8], words: &PaddedWords) -> Result<(), TooLong> {
        self.reserve((numbers.len() + 1) * SLOT)?;
        let (bytes, mut at) = (self.bytes.as_mut_slice(), self.written);
        self.offsets.extend(numbers.iter().map(|number| {
            let (word, length) = words.get(*number);
            if let Some(slot) = bytes.get_mut(at..at + SLOT) {
                slot.copy_from_slice(word);
            }
            at += length;
            at as i32
        }));
        self.written = at;
        match numbers.contains(&NO_WORD) {
            true => self.valid.extend(numbers.iter().map(|number| *number != NO_WORD)),
            false => self.valid.extend_same(true, numbers.len()),
        }
        Ok(())
    }

    fn push_texts(&mut self, block: &Block<'_>, cell: usize) -> Result<(), TooLong> {
        let rows = block.facts.len();
        self.reserve((rows + 1) * SLOT)?;
        for (row, facts) in block.facts.iter().enumerate() {
            if let Some((window, length)) = block.cache.text(facts.cell(cell)) {
                if length > SLOT {
                    self.reserve(length + (rows - row) * SLOT)?;
                }
                let copied = length.max(SLOT);
                if let (Some(slot), Some(window)) =
                    (self.bytes.get_mut(self.written..self.written + copied), window.get(..copied))
                {
                    match (<&mut [u8; SLOT]>::try_from(&mut *slot), <&[u8; SLOT]>::try_from(window)) {
                        (Ok(slot), Ok(window)) => *slot = *window,
                        _ => slot.copy_from_slice(window),
                    }
                }
                self.written += length;
            }
            self.offsets.push(self.written as i32);
        }
        self.valid.extend(block.facts.iter().map(|facts| facts.cell(cell) != NONE));
        Ok(())
    }

    fn finish(mut self) -> Result<StringArray, BatchError> {
        self.bytes.truncate(self.written);
        let offsets = OffsetBuffer::new(ScalarBuffer::from(self.offsets));
        Ok(StringArray::try_new(offsets, Buffer::from_vec(self.bytes), self.valid.nulls())?)
    }
}

/// A bitmap under construction.
struct Bits {
    full: Vec<u64>,
    /// The bits of the last, unfinished word.
    rest: u64,
    length: usize,
    /// Number of set bits in the finished words.
    set: usize,
}

impl Bits {
    fn new(rows: usize) -> Self {
        Bits { full: Vec::with_capacity(rows.div_ceil(64)), rest: 0, length: 0, set: 0 }
    }

    fn extend(&mut self, bits: impl Iterator<Item = bool>) {
        let (mut word, mut at) = (self.rest, self.length % 64);
        for bit in bits {
            word |= u64::from(bit) << at;
            at += 1;
            self.length += 1;
            if at == 64 {
                self.full.push(word);
                self.set += word.count_ones() as usize;
                (word, at) = (0, 0);
            }
        }
        self.rest = word;
    }

    fn push(&mut self, bit: bool) {
        self.extend(std::iter::once(bit));
    }

    fn extend_same(&mut self, bit: bool, count: usize) {
        let mut left = count;
        // The first bits complete the current word. Then whole words are added, and then the remaining bits.
        let first = left.min((64 - self.length % 64) % 64);
        self.extend(std::iter::repeat_n(bit, first));
        left -= first;
        let words = left / 64;
        self.full.resize(self.full.len() + words, if bit { u64::MAX } else { 0 });
        self.length += words * 64;
        self.set += if bit { words * 64 } else { 0 };
        self.extend(std::iter::repeat_n(bit, left % 64));
    }

    fn buffer(mut self) -> BooleanBuffer {
        if !self.length.is_multiple_of(64) {
            self.full.push(self.rest);
        }
        // Arrow stores bits from the lowest bit of the lowest byte.
        self.full.iter_mut().for_each(|word| *word = word.to_le());
        BooleanBuffer::new(Buffer::from_vec(self.full), 0, self.length)
    }

    /// Returns the bits as a validity bitmap, or `None` if all rows are valid.
    fn nulls(self) -> Option<NullBuffer> {
        let set = self.set + self.rest.count_ones() as usize;
        (set < self.length).then(|| NullBuffer::new(self.buffer()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_fits_into_a_slot() {
        let lists = DecisionColumn::all().filter_map(|column| match column.kind() {
            ValueKind::Words(words) => Some(words.as_slice()),
            _ => None,
        });
        for words in lists.chain([output::USAGE_WORDS]) {
            assert!(words.iter().all(|word| word.len() <= SLOT), "{words:?}");
            assert!(words.len() < SLOTS, "{words:?}");
            assert_eq!(PaddedWords::new(words).get(NO_WORD).1, 0);
        }
    }

    #[test]
    fn long_text_in_the_first_row_does_not_reserve_space_for_long_texts_in_all_rows() {
        let mut text = Text::new(1_000_000);
        let long = "a".repeat(500_000);
        for row in 0..100 {
            assert!(text.push(Some(if row == 0 { &long } else { "/b" })).is_ok());
        }
        assert!(text.bytes.capacity() < 2 * MAX_RESERVE);
        let column = text.finish().expect("a column");
        assert_eq!((column.value(0).len(), column.value(99)), (500_000, "/b"));
    }

    #[test]
    fn repeated_bit_equals_single_bits() {
        for start in [0, 1, 63, 64, 65] {
            for count in [0, 1, 62, 63, 64, 65, 127, 128, 200] {
                for bit in [false, true] {
                    let (mut many, mut single) = (Bits::new(0), Bits::new(0));
                    for bits in [&mut many, &mut single] {
                        bits.extend((0..start).map(|row| row % 3 == 0));
                    }
                    many.extend_same(bit, count);
                    (0..count).for_each(|_| single.push(bit));
                    for bits in [&mut many, &mut single] {
                        bits.extend([true, false].into_iter());
                    }
                    assert_eq!(many.nulls(), single.nulls(), "{start} {count} {bit}");
                }
            }
        }
    }
}
