//! Writing columns: the facts of each row, gathered.

use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int8Array, ListArray, StringArray, UInt32Array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field};

use crate::auditor::{Rows, UNKNOWN};
use crate::cache::{Cache, Facts, NONE};
use crate::error::AuditError;
use crate::options::{Options, Words};
use crate::output::{self, NO_WORD, Output, UsageColumn, WordList};
use crate::usage::{self, Place};

/// One column.
pub(crate) fn column(
    output: Output,
    options: &Options,
    cache: &Cache,
    rows: &Rows,
    said: &[Place],
) -> Result<ArrayRef, AuditError> {
    let gather = Gather { cache, rows, said };
    let words = |words: WordList, of: fn(&Facts) -> u8| {
        gather.words(output, options, words, gather.facts().map(|facts| facts.map_or(NO_WORD, of)))
    };
    match output {
        Output::Verdict => words(output::VERDICT_WORDS, |facts| facts.verdict),
        Output::Recommendation => words(output::RECOMMENDATION_WORDS, |facts| facts.recommendation),
        Output::RuleKind => words(output::KIND_WORDS, |facts| facts.kind),
        Output::Treatment => words(output::TREATMENT_WORDS, |facts| facts.treatment),
        Output::Basis => words(output::BASIS_WORDS, |facts| facts.basis),
        Output::Allowed => Ok(gather.booleans(|facts| Some(facts.is_allowed()))),
        Output::Stale => Ok(gather.booleans(|facts| (facts.stale != UNKNOWN).then_some(facts.stale == 1))),
        Output::Rule => gather.texts(output, options, |facts| facts.rule),
        Output::Group => gather.texts(output, options, |facts| facts.group),
        Output::Line => Ok(gather.lines()),
        Output::CrawlDelay => Ok(gather.delays()),
        Output::Error => gather.errors(output, options),
        Output::Usage(column) if column.usage().is_none() => gather.licences(output, options),
        Output::Usage(column) => {
            let numbers = (0..rows.facts.len()).map(|row| gather.usage(row, column));
            gather.words(output, options, output::USAGE_WORDS, numbers)
        }
    }
}

impl Facts {
    fn is_allowed(&self) -> bool {
        let word = output::RECOMMENDATION_WORDS.get(usize::from(self.recommendation));
        matches!(word, Some(&"recommended" | &"allowed_but_warn"))
    }
}

struct Gather<'a> {
    cache: &'a Cache,
    rows: &'a Rows,
    said: &'a [Place],
}

impl<'a> Gather<'a> {
    fn facts(&self) -> impl Iterator<Item = Option<&'a Facts>> + Clone + use<'a> {
        let facts: &'a [Facts] = &self.cache.facts;
        self.rows.facts.iter().map(|&number| facts.get(number as usize))
    }

    fn rows(&self) -> usize {
        self.rows.facts.len()
    }

    fn words(
        &self,
        output: Output,
        options: &Options,
        words: WordList,
        numbers: impl Iterator<Item = u8> + Clone,
    ) -> Result<ArrayRef, AuditError> {
        match options.words {
            Words::Text => text(
                numbers.map(|number| words.get(usize::from(number)).map(|word| word.as_bytes())),
                self.rows(),
                || options.output_name(output),
            ),
            Words::Dictionary => {
                let keys = numbers.map(|number| i8::try_from(number).ok().filter(|_| number != NO_WORD));
                let keys: Int8Array = keys.collect();
                let values = Arc::new(StringArray::from_iter_values(words));
                Ok(Arc::new(DictionaryArray::<Int8Type>::try_new(keys, values)?))
            }
        }
    }

    fn texts(
        &self,
        output: Output,
        options: &Options,
        of: fn(&Facts) -> u32,
    ) -> Result<ArrayRef, AuditError> {
        let texts = &self.cache.texts;
        let octets =
            self.facts().map(|facts| facts.and_then(|facts| texts.get(of(facts))).map(str::as_bytes));
        text(octets, self.rows(), || options.output_name(output))
    }

    fn booleans(&self, of: fn(&Facts) -> Option<bool>) -> ArrayRef {
        let bits = |of: &dyn Fn(Option<bool>) -> bool, value: fn(&Facts) -> Option<bool>| {
            let facts = &self.cache.facts;
            BooleanBuffer::collect_bool(self.rows(), |row| {
                of(self.rows.facts.get(row).and_then(|&number| facts.get(number as usize)).and_then(value))
            })
        };
        let values = bits(&|value| value == Some(true), of);
        let valid = NullBuffer::new(bits(&|value| value.is_some(), of));
        Arc::new(BooleanArray::new(values, Some(valid).filter(|valid| valid.null_count() > 0)))
    }

    fn lines(&self) -> ArrayRef {
        let lines: Vec<u32> = self.facts().map(|facts| facts.map_or(0, |facts| facts.line)).collect();
        let valid = valid(lines.len(), |row| lines.get(row).is_some_and(|line| *line != 0));
        Arc::new(UInt32Array::new(lines.into(), valid))
    }

    fn delays(&self) -> ArrayRef {
        let delays: Vec<f64> =
            self.facts().map(|facts| facts.map_or(-1.0, |facts| facts.crawl_delay)).collect();
        let valid = valid(delays.len(), |row| delays.get(row).is_some_and(|delay| *delay >= 0.0));
        let delays: Vec<f64> = delays.into_iter().map(|delay| delay.max(0.0)).collect();
        Arc::new(Float64Array::new(delays.into(), valid))
    }

    fn errors(&self, output: Output, options: &Options) -> Result<ArrayRef, AuditError> {
        let errors = self.rows.errors.iter().map(|(row, error)| (*row, error.as_bytes()));
        let mut next = errors.clone().peekable();
        let octets: Vec<Option<&[u8]>> =
            (0..self.rows()).map(|row| next.next_if(|(of, _)| *of == row).map(|(_, error)| error)).collect();
        text(octets.into_iter(), self.rows(), || options.output_name(output))
    }

    fn usage(&self, row: usize, column: UsageColumn) -> u8 {
        if self.rows.facts.get(row) == Some(&NONE) {
            return NO_WORD;
        }
        let Some(&(subject, place)) = self.said.get(row) else { return NO_WORD };
        let usages =
            self.cache.subjects.get(subject as usize).and_then(|subject| subject.usages.get(place as usize));
        match usages {
            Some(usages) => usages.answers.get(column.place()).copied().unwrap_or(NO_WORD),
            None => usage::silence(column),
        }
    }

    /// The addresses of licences; an empty list where none is named.
    fn licences(&self, output: Output, options: &Options) -> Result<ArrayRef, AuditError> {
        let mut urls: Vec<Option<&[u8]>> = Vec::new();
        let mut offsets: Vec<i32> = Vec::with_capacity(self.rows() + 1);
        offsets.push(0);
        for &(subject, place) in self.said {
            let subject = self.cache.subjects.get(subject as usize);
            let usages = subject.and_then(|subject| subject.usages.get(place as usize));
            urls.extend(usages.iter().flat_map(|usages| &usages.licences).map(|url| Some(url.as_bytes())));
            let end = i32::try_from(urls.len());
            offsets.push(end.map_err(|_| AuditError::TooMuchText(options.output_name(output)))?);
        }
        let rows = urls.len();
        let values = text(urls.into_iter(), rows, || options.output_name(output))?;
        let valid = valid(self.rows(), |row| self.rows.facts.get(row) != Some(&NONE));
        let field = Arc::new(Field::new("item", DataType::Utf8, true));
        Ok(Arc::new(ListArray::try_new(field, OffsetBuffer::new(offsets.into()), values, valid)?))
    }
}

/// Which rows have a value; `None` if all do.
fn valid(rows: usize, is_valid: impl FnMut(usize) -> bool) -> Option<NullBuffer> {
    let valid = NullBuffer::new(BooleanBuffer::collect_bool(rows, is_valid));
    (valid.null_count() > 0).then_some(valid)
}

/// A column of text: measured first, so that it is written without growing.
fn text<'t>(
    texts: impl Iterator<Item = Option<&'t [u8]>> + Clone,
    rows: usize,
    name: impl Fn() -> String,
) -> Result<ArrayRef, AuditError> {
    let length: usize = texts.clone().map(|text| text.map_or(0, <[u8]>::len)).sum();
    if i32::try_from(length).is_err() {
        return Err(AuditError::TooMuchText(name()));
    }
    let mut octets: Vec<u8> = Vec::with_capacity(length);
    let mut offsets: Vec<i32> = Vec::with_capacity(rows + 1);
    offsets.push(0);
    for text in texts.clone() {
        octets.extend_from_slice(text.unwrap_or_default());
        // Measured above.
        offsets.push(octets.len() as i32);
    }
    let mut texts = texts;
    let valid = valid(rows, |_| texts.next().flatten().is_some());
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    Ok(Arc::new(StringArray::try_new(offsets, Buffer::from_vec(octets), valid)?))
}
