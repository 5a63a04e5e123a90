//! Writing columns: the facts of each row, gathered block by block, so that a block's facts are at hand for every column.

use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int8Array, ListArray, StringArray, UInt32Array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field};

use crate::cache::{Cache, NONE, Texts};
use crate::error::AuditError;
use crate::facts::{Facts, UNKNOWN};
use crate::options::{Options, Words};
use crate::output::{self, NO_WORD, Output, UsageColumn, WordList};
use crate::subject::Usages;
use crate::usage::{self, Place};
use crate::walk::Rows;

/// Rows that are written together.
const BLOCK: usize = 2048;

/// The columns that were asked for.
pub(crate) fn columns(
    options: &Options,
    cache: &Cache,
    rows: &Rows,
    said: &[Place],
) -> Result<Vec<ArrayRef>, AuditError> {
    let count = rows.facts.len();
    let mut columns: Vec<(Output, Column)> =
        options.outputs.iter().map(|output| (*output, Column::new(*output, options.words, count))).collect();
    let mut block =
        Block { texts: &cache.texts, facts: Vec::with_capacity(BLOCK), said: Vec::new(), rows: 0..0 };
    for start in (0..count).step_by(BLOCK) {
        block.rows = start..count.min(start + BLOCK);
        let facts = rows.facts.get(block.rows.clone()).unwrap_or_default();
        block.facts.clear();
        block.facts.extend(facts.iter().map(|number| cache.facts.get(*number as usize).copied()));
        let said = said.get(block.rows.clone()).unwrap_or_default();
        block.said.clear();
        block.said.extend(said.iter().map(|(subject, place)| {
            cache.subjects.get(*subject as usize).and_then(|subject| subject.usages.get(*place as usize))
        }));
        for (output, column) in &mut columns {
            column
                .push(&block, &rows.errors)
                .map_err(|TooLong| AuditError::TooMuchText(options.output_name(*output)))?;
        }
    }
    columns.into_iter().map(|(_, column)| column.finish()).collect()
}

/// What holds of some rows that follow each other.
struct Block<'a> {
    texts: &'a Texts,
    rows: std::ops::Range<usize>,
    /// `None` for rows with errors.
    facts: Vec<Option<Facts>>,
    /// What is said about use, if anybody asks.
    said: Vec<Option<&'a Usages>>,
}

/// A column would hold more than 2 GiB of text.
struct TooLong;

/// A column on its way.
enum Column {
    Words { of: WordOf, words: Padded, text: Text },
    Numbers { of: WordOf, words: WordList, numbers: Vec<i8>, valid: Bits },
    Texts { of: fn(&Facts) -> u32, text: Text },
    Booleans { of: fn(&Facts) -> Option<bool>, values: Bits, valid: Bits },
    Lines { lines: Vec<u32>, valid: Bits },
    Delays { delays: Vec<f64>, valid: Bits },
    Errors(Text),
    Licences { urls: Text, offsets: Vec<i32>, valid: Bits },
}

/// Where the number of a word is found.
enum WordOf {
    Facts(fn(&Facts) -> u8),
    Usage(UsageColumn),
}

impl WordOf {
    #[inline]
    fn for_each(&self, block: &Block<'_>, mut write: impl FnMut(u8)) {
        match self {
            WordOf::Facts(of) => {
                block.facts.iter().for_each(|facts| write(facts.as_ref().map_or(NO_WORD, of)))
            }
            WordOf::Usage(column) => {
                let (place, silence) = (column.place(), usage::silence(*column));
                block.facts.iter().zip(&block.said).for_each(|(facts, said)| {
                    write(match (facts, said) {
                        (None, _) => NO_WORD,
                        (Some(_), None) => silence,
                        (Some(_), Some(usages)) => usages.answers.get(place).copied().unwrap_or(NO_WORD),
                    });
                });
            }
        }
    }
}

impl Column {
    fn new(output: Output, words: Words, rows: usize) -> Self {
        let word_list = |of: WordOf, list: WordList| match words {
            Words::Text => Column::Words { of, words: Padded::new(list), text: Text::new(rows) },
            Words::Dictionary => {
                Column::Numbers { of, words: list, numbers: Vec::with_capacity(rows), valid: Bits::new(rows) }
            }
        };
        let booleans = |of| Column::Booleans { of, values: Bits::new(rows), valid: Bits::new(rows) };
        match output {
            Output::Verdict => word_list(WordOf::Facts(|facts| facts.verdict), output::VERDICT_WORDS),
            Output::Recommendation => {
                word_list(WordOf::Facts(|facts| facts.recommendation), output::RECOMMENDATION_WORDS)
            }
            Output::RuleKind => word_list(WordOf::Facts(|facts| facts.kind), output::KIND_WORDS),
            Output::Treatment => word_list(WordOf::Facts(|facts| facts.treatment), output::TREATMENT_WORDS),
            Output::Basis => word_list(WordOf::Facts(|facts| facts.basis), output::BASIS_WORDS),
            Output::Usage(column) if column.usage().is_some() => {
                word_list(WordOf::Usage(column), output::USAGE_WORDS)
            }
            Output::Usage(_) => {
                Column::Licences { urls: Text::new(0), offsets: first_offset(rows), valid: Bits::new(rows) }
            }
            Output::Allowed => booleans(|facts| Some(facts.is_allowed())),
            Output::Stale => booleans(|facts| (facts.stale != UNKNOWN).then_some(facts.stale == 1)),
            Output::Rule => Column::Texts { of: |facts| facts.rule, text: Text::new(rows) },
            Output::Group => Column::Texts { of: |facts| facts.group, text: Text::new(rows) },
            Output::Line => Column::Lines { lines: Vec::with_capacity(rows), valid: Bits::new(rows) },
            Output::CrawlDelay => Column::Delays { delays: Vec::with_capacity(rows), valid: Bits::new(rows) },
            Output::Error => Column::Errors(Text::new(rows)),
        }
    }

    fn push(&mut self, block: &Block<'_>, errors: &[(usize, String)]) -> Result<(), TooLong> {
        match self {
            Column::Words { of, words, text } => text.push_words(of, words, block)?,
            Column::Numbers { of, numbers, valid, .. } => of.for_each(block, |number| {
                numbers.push(i8::try_from(number).unwrap_or(0));
                valid.push(number != NO_WORD);
            }),
            Column::Texts { of, text } => {
                for facts in &block.facts {
                    let place = facts.as_ref().map_or(NONE, *of);
                    text.push(if place == NONE { None } else { block.texts.get(place) })?;
                }
            }
            Column::Booleans { of, values, valid } => {
                for facts in &block.facts {
                    let value = facts.as_ref().and_then(*of);
                    values.push(value == Some(true));
                    valid.push(value.is_some());
                }
            }
            Column::Lines { lines, valid } => {
                for facts in &block.facts {
                    let line = facts.map_or(0, |facts| facts.line);
                    lines.push(line);
                    valid.push(line != 0);
                }
            }
            Column::Delays { delays, valid } => {
                for facts in &block.facts {
                    let delay = facts.map_or(-1.0, |facts| facts.crawl_delay);
                    delays.push(delay.max(0.0));
                    valid.push(delay >= 0.0);
                }
            }
            Column::Errors(text) => {
                let first = errors.partition_point(|(row, _)| *row < block.rows.start);
                let mut errors = errors.get(first..).unwrap_or_default().iter().peekable();
                for row in block.rows.clone() {
                    text.push(errors.next_if(|(of, _)| *of == row).map(|(_, error)| error.as_str()))?;
                }
            }
            Column::Licences { urls, offsets, valid } => {
                for (facts, said) in block.facts.iter().zip(&block.said) {
                    // Without errors an empty list where no licence is named.
                    for url in said.iter().filter(|_| facts.is_some()).flat_map(|usages| &usages.licences) {
                        urls.push(Some(url))?;
                    }
                    offsets.push(i32::try_from(urls.valid.length).map_err(|_| TooLong)?);
                    valid.push(facts.is_some());
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<ArrayRef, AuditError> {
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
            Column::Lines { lines, valid } => Arc::new(UInt32Array::new(lines.into(), valid.nulls())),
            Column::Delays { delays, valid } => Arc::new(Float64Array::new(delays.into(), valid.nulls())),
            Column::Licences { urls, offsets, valid } => {
                let field = Arc::new(Field::new("item", DataType::Utf8, true));
                let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
                Arc::new(ListArray::try_new(field, offsets, Arc::new(urls.finish()?), valid.nulls())?)
            }
        })
    }
}

impl Facts {
    fn is_allowed(&self) -> bool {
        let word = output::RECOMMENDATION_WORDS.get(usize::from(self.recommendation));
        matches!(word, Some(&"recommended" | &"allowed_but_warn"))
    }
}

/// Room for the longest of the words, so that every one is written by a copy of the same length, which is one or two
/// instructions.
const ROOM: usize = 32;

/// Words with their room, and last nothing, for no word.
struct Padded(Vec<([u8; ROOM], usize)>);

impl Padded {
    fn new(words: WordList) -> Self {
        let padded = |word: &str| {
            let mut room = [0; ROOM];
            room.iter_mut().zip(word.bytes()).for_each(|(to, from)| *to = from);
            (room, word.len())
        };
        Padded(words.iter().copied().chain([""]).map(padded).collect())
    }

    #[inline]
    fn get(&self, number: u8) -> Option<&([u8; ROOM], usize)> {
        self.0.get(usize::from(number)).or_else(|| self.0.last())
    }
}

fn first_offset(rows: usize) -> Vec<i32> {
    let mut offsets = Vec::with_capacity(rows + 1);
    offsets.push(0);
    offsets
}

/// A column of text.
struct Text {
    octets: Vec<u8>,
    offsets: Vec<i32>,
    valid: Bits,
}

impl Text {
    fn new(rows: usize) -> Self {
        Text { octets: Vec::new(), offsets: first_offset(rows), valid: Bits::new(rows) }
    }

    #[inline]
    fn push(&mut self, text: Option<&str>) -> Result<(), TooLong> {
        if let Some(text) = text {
            self.octets.extend_from_slice(text.as_bytes());
        }
        self.offsets.push(i32::try_from(self.octets.len()).map_err(|_| TooLong)?);
        self.valid.push(text.is_some());
        Ok(())
    }

    fn push_words(&mut self, of: &WordOf, words: &Padded, block: &Block<'_>) -> Result<(), TooLong> {
        let mut at = self.octets.len();
        let most = at + (block.facts.len() + 1) * ROOM;
        i32::try_from(most).map_err(|_| TooLong)?;
        self.octets.resize(most, 0);
        of.for_each(block, |number| {
            if let Some((word, length)) = words.get(number)
                && let Some(room) = self.octets.get_mut(at..at + ROOM)
            {
                room.copy_from_slice(word);
                at += length;
            }
            // Measured above.
            self.offsets.push(at as i32);
            self.valid.push(number != NO_WORD);
        });
        self.octets.truncate(at);
        Ok(())
    }

    fn finish(self) -> Result<StringArray, AuditError> {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(self.offsets));
        Ok(StringArray::try_new(offsets, Buffer::from_vec(self.octets), self.valid.nulls())?)
    }
}

/// Bits, packed.
struct Bits {
    full: Vec<u64>,
    /// Those of the last, unfinished word.
    rest: u64,
    length: usize,
    set: usize,
}

impl Bits {
    fn new(rows: usize) -> Self {
        Bits { full: Vec::with_capacity(rows.div_ceil(64)), rest: 0, length: 0, set: 0 }
    }

    #[inline]
    fn push(&mut self, bit: bool) {
        self.rest |= u64::from(bit) << (self.length % 64);
        self.length += 1;
        self.set += usize::from(bit);
        if self.length.is_multiple_of(64) {
            self.full.push(self.rest);
            self.rest = 0;
        }
    }

    fn buffer(mut self) -> BooleanBuffer {
        if !self.length.is_multiple_of(64) {
            self.full.push(self.rest);
        }
        // Arrow's bits begin with the lowest of the lowest octet.
        self.full.iter_mut().for_each(|word| *word = word.to_le());
        BooleanBuffer::new(Buffer::from_vec(self.full), 0, self.length)
    }

    /// The same as validity; `None` if everything is valid.
    fn nulls(self) -> Option<NullBuffer> {
        (self.set < self.length).then(|| NullBuffer::new(self.buffer()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_fits_in_its_room() {
        for words in [
            output::VERDICT_WORDS,
            output::RECOMMENDATION_WORDS,
            output::TREATMENT_WORDS,
            output::BASIS_WORDS,
            output::KIND_WORDS,
            output::USAGE_WORDS,
        ] {
            assert!(words.iter().all(|word| word.len() <= ROOM), "{words:?}");
        }
    }
}
