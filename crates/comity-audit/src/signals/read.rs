//! The meaning of usage statements for a crawler.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arrow_array::builder::{StringBuilder, StringDictionaryBuilder};
use arrow_array::types::Int8Type;
use arrow_array::{Array, ArrayRef, StringArray, TimestampMicrosecondArray, new_null_array};
use arrow_schema::{DataType, Field};
use comity::page::{PageDirectives, Profile};
use comity::robots::Agent;
use comity::usage::{Interpretation, Report, Signal, Stance, Tdmrep, Usage, Use};
use comity_formats::PageStatements;

use super::tdmrep::TdmrepAnswers;

/// The stance of one signal on one use.
#[derive(Clone, Copy)]
struct StanceColumn {
    name: &'static str,
    signal: Signal,
    interpretation: Option<Interpretation>,
    usage: Use,
}

const fn stance(name: &'static str, signal: Signal, usage: Use) -> StanceColumn {
    StanceColumn { name, signal, interpretation: None, usage }
}

const fn header_stance(name: &'static str, signal: Signal, usage: Use) -> StanceColumn {
    StanceColumn { name, signal, interpretation: Some(Interpretation::Header), usage }
}

const STANCES: [StanceColumn; 8] = [
    stance("usage_page_content_usage_train", Signal::ContentUsage, Use::Train),
    stance("usage_page_content_usage_ai_input", Signal::ContentUsage, Use::AiInput),
    stance("usage_page_content_usage_search", Signal::ContentUsage, Use::Search),
    header_stance("usage_page_content_signal_train", Signal::ContentSignal, Use::Train),
    header_stance("usage_page_content_signal_search", Signal::ContentSignal, Use::Search),
    header_stance("usage_page_content_signal_ai_input", Signal::ContentSignal, Use::AiInput),
    stance("usage_page_tdmrep", Signal::Tdmrep, Use::TextAndDataMining),
    stance("usage_page_directives_train", Signal::PageDirectives, Use::Train),
];

/// The columns for restrictions by robots directives, and for RSL licenses.
const TEXTS: [&str; 2] = ["usage_page_restrictions", "usage_page_rsl_licenses"];

/// Maximum number of listed licenses of a page.
const LICENSES: usize = 16;

fn word_type() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8))
}

/// Returns the fields of the columns for a crawler.
pub(crate) fn reading_fields(prefix: &str) -> impl Iterator<Item = Field> {
    let texts = TEXTS.iter().map(|name| (*name, DataType::Utf8));
    let stances = STANCES.iter().map(|column| (column.name, word_type()));
    texts.chain(stances).map(move |(name, kind)| Field::new(format!("{prefix}{name}"), kind, true))
}

/// The pages of a batch, to be evaluated for each crawler.
pub(crate) struct Reading<'a> {
    /// The statements of each page; empty if the statements are unknown.
    pub(crate) statements: &'a [PageStatements],
    pub(crate) urls: Option<&'a StringArray>,
    pub(crate) times: Option<&'a TimestampMicrosecondArray>,
    pub(crate) tdmrep: &'a TdmrepAnswers,
    /// True if pages without a time are decided as of now.
    pub(crate) is_of_now: bool,
    pub(crate) rows: usize,
}

/// The meaning of the statements of one page for one crawler.
#[derive(Default)]
struct PageReading {
    texts: [Option<String>; TEXTS.len()],
    stances: [Option<Stance>; STANCES.len()],
}

impl Reading<'_> {
    /// Returns the columns for the crawler of each row.
    pub(crate) fn columns<'g>(&self, agent: impl Fn(usize) -> Option<&'g Agent>) -> Vec<ArrayRef> {
        if self.statements.len() != self.rows {
            let null = |field: Field| new_null_array(field.data_type(), self.rows);
            return reading_fields("").map(null).collect();
        }
        let mut texts: [StringBuilder; TEXTS.len()] = Default::default();
        let mut words: [StringDictionaryBuilder<Int8Type>; STANCES.len()] = Default::default();
        for row in 0..self.rows {
            let read = agent(row).map(|agent| self.row(row, agent)).unwrap_or_default();
            for (column, text) in texts.iter_mut().zip(read.texts) {
                column.append_option(text);
            }
            for (column, stance) in words.iter_mut().zip(read.stances) {
                column.append_option(stance.map(Stance::as_str));
            }
        }
        let texts = texts.iter_mut().map(|column| -> ArrayRef { Arc::new(column.finish()) });
        let words = words.iter_mut().map(|column| -> ArrayRef { Arc::new(column.finish()) });
        texts.chain(words).collect()
    }

    /// Returns the `tdmrep.json` that applies to a page.
    fn tdmrep(&self, origin: &str, at: Option<i64>) -> Option<&Tdmrep> {
        match at {
            Some(at) => self.tdmrep.copy_at(origin, at),
            None if self.is_of_now => self.tdmrep.last(origin),
            None => None,
        }
    }

    fn row(&self, row: usize, agent: &Agent) -> PageReading {
        let url = self.urls.filter(|urls| urls.is_valid(row)).map(|urls| urls.value(row));
        let (Some(page), Some(url)) = (self.statements.get(row), url) else { return PageReading::default() };
        let at = self.times.filter(|times| times.is_valid(row)).map(|times| times.value(row));
        let headers = page.headers();
        let mut usage = Usage::for_agent(agent).headers(&headers);
        let mut directives = PageDirectives::of_header(&headers);
        if let Some(facts) = page.facts() {
            usage = usage.html(facts);
            directives = directives.and_page(facts);
        }
        let origin = (!self.tdmrep.is_empty()).then(|| comity_arrow::origin(url.as_bytes())).flatten();
        if let Some(tdmrep) = origin.and_then(|origin| self.tdmrep(&origin, at)) {
            usage = usage.tdmrep(tdmrep);
        }
        let Ok(report) = usage.report(url) else { return PageReading::default() };
        PageReading {
            texts: [restrictions(&directives, agent, at), licenses(&report)],
            stances: STANCES.map(|column| Some(column.read(&report))),
        }
    }
}

impl StanceColumn {
    fn read(self, report: &Report) -> Stance {
        let mut signals = report.signals().iter();
        let is_it = |report: &&comity::usage::SignalReport| {
            report.signal() == self.signal && report.interpretation() == self.interpretation
        };
        signals.find(is_it).map_or(Stance::Unknown, |report| report.stance(self.usage))
    }
}

/// Returns a text such as `do_not_index, do_not_train_ai`.
fn restrictions(directives: &PageDirectives, agent: &Agent, at: Option<i64>) -> Option<String> {
    if directives.statements().is_empty() {
        return None;
    }
    // Without a time, no date of `unavailable_after` has passed.
    let at = at.and_then(|micros| u64::try_from(micros).ok()).map_or(UNIX_EPOCH, after_epoch);
    let outcome = directives.outcome(agent.as_str(), Profile::of_crawler(agent.as_str()), at);
    let names: Vec<&str> = outcome.warnings().iter().map(|warning| warning.restriction().as_str()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn after_epoch(micros: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_micros(micros)
}

fn licenses(report: &Report) -> Option<String> {
    let licenses = report.signal(Signal::Rsl)?.licenses();
    let urls: Vec<&str> = licenses.iter().take(LICENSES).map(comity::usage::LicenseLink::url).collect();
    (!urls.is_empty()).then(|| urls.join("\n"))
}
