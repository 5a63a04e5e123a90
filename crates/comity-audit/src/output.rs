//! Columns as they are written.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{BooleanBuilder, Float64Builder, StringBuilder, UInt32Builder};
use arrow_schema::{DataType, Field};
use comity::policy::{Mode, Recommendation, Verdict};
use comity::robots::{Basis, UrlError};
use comity::usage::Report;

use crate::cache::{NOW, Ruling};
use crate::options::{Column, Options};
use crate::usage::UsageColumn;

/// Of a rule or a group's name, no more than this many octets are written: one hostile line would be repeated in
/// each row.
const MAX_TEXT: usize = 1024;

/// One column in the making.
enum Builder {
    Text(StringBuilder),
    Flag(BooleanBuilder),
    Line(UInt32Builder),
    Seconds(Float64Builder),
}

/// The columns in the making.
pub(crate) struct Output {
    columns: Vec<(Column, Builder)>,
    usage: Vec<(UsageColumn, StringBuilder)>,
    wants_rule: bool,
}

impl Output {
    pub(crate) fn new(options: &Options, rows: usize) -> Self {
        let text = |octets: usize| StringBuilder::with_capacity(rows, rows.saturating_mul(octets));
        let builder = |column: &Column| match column {
            Column::Allowed => Builder::Flag(BooleanBuilder::with_capacity(rows)),
            Column::Line => Builder::Line(UInt32Builder::with_capacity(rows)),
            Column::CrawlDelay => Builder::Seconds(Float64Builder::with_capacity(rows)),
            Column::Error => Builder::Text(text(0)),
            Column::Group => Builder::Text(text(2)),
            Column::RuleKind | Column::Basis => Builder::Text(text(8)),
            _ => Builder::Text(text(16)),
        };
        let usage = options.usage.iter().flat_map(|usage| UsageColumn::of(*usage));
        let is_of_rule = |column: &Column| matches!(column, Column::Rule | Column::RuleKind | Column::Line);
        Output {
            columns: options.columns.iter().map(|column| (*column, builder(column))).collect(),
            usage: usage.map(|column| (column, text(8))).collect(),
            wants_rule: options.columns.iter().any(is_of_rule),
        }
    }

    /// The names and types of the columns.
    pub(crate) fn fields(options: &Options) -> Vec<Field> {
        let of = |column: &Column| {
            let data_type = match column {
                Column::Allowed => DataType::Boolean,
                Column::Line => DataType::UInt32,
                Column::CrawlDelay => DataType::Float64,
                _ => DataType::Utf8,
            };
            Field::new(format!("{}{}", options.prefix, column.as_str()), data_type, true)
        };
        let usage = options.usage.iter().flat_map(|usage| UsageColumn::of(*usage));
        let usage = usage
            .map(|column| Field::new(format!("{}{}", options.prefix, column.name()), DataType::Utf8, true));
        options.columns.iter().map(of).chain(usage).collect()
    }

    /// Writes the row of a URL.
    pub(crate) fn write(&mut self, ruling: &Ruling, url: &[u8]) -> Result<(), UrlError> {
        let (verdict, recommendation, blocks, by_rules) = match &ruling.rules {
            Some(rules) => {
                let decision = rules.decide(url)?;
                let recommendation = decision.recommendation();
                let is_refused = recommendation == Recommendation::NotRecommended;
                let blocks = ruling.policy.mode() == Mode::Respect && is_refused;
                (decision.verdict(), recommendation, blocks, Some(decision))
            }
            None => {
                let decision = ruling.policy.decide(url, NOW)?;
                let by_rules = decision.rules().copied();
                (decision.verdict(), decision.recommendation(), decision.blocks(), by_rules)
            }
        };
        // Before the first column is written: a row is written whole or not at all.
        let report = ruling.usage.as_ref().map(|usage| usage.report(url)).transpose()?;
        self.write_usage(report.as_ref());
        let rule = if self.wants_rule { by_rules.and_then(|decision| decision.rule()) } else { None };
        for (column, builder) in &mut self.columns {
            match (column, builder) {
                (Column::Verdict, Builder::Text(texts)) => texts.append_value(Verdict::as_str(verdict)),
                (Column::Recommendation, Builder::Text(texts)) => {
                    texts.append_value(recommendation.as_str());
                }
                (Column::Rule, Builder::Text(texts)) => match rule {
                    Some(rule) => texts.append_value(cut(&rule.pattern_text())),
                    None => texts.append_null(),
                },
                (Column::RuleKind, Builder::Text(texts)) => {
                    texts.append_option(rule.map(|rule| rule.kind().as_str()));
                }
                (Column::Group, Builder::Text(texts)) => {
                    texts.append_option(by_rules.and_then(|decision| decision.group()).map(cut));
                }
                (Column::Basis, Builder::Text(texts)) => {
                    texts.append_option(by_rules.map(|decision| basis(decision.basis())));
                }
                (Column::Treatment, Builder::Text(texts)) => {
                    texts.append_option(ruling.treatment.map(|treatment| treatment.as_str()));
                }
                (_, Builder::Text(texts)) => texts.append_null(),
                (_, Builder::Flag(flags)) => flags.append_value(!blocks),
                (_, Builder::Line(lines)) => lines.append_option(rule.map(|rule| rule.line())),
                (_, Builder::Seconds(seconds)) => seconds.append_option(ruling.crawl_delay),
            }
        }
        Ok(())
    }

    fn write_usage(&mut self, report: Option<&Report>) {
        for (column, builder) in &mut self.usage {
            match report {
                Some(report) => column.write(report, builder),
                None => builder.append_null(),
            }
        }
    }

    /// Writes the row of a URL that cannot be decided.
    pub(crate) fn write_error(&mut self, why: &str) {
        self.write_usage(None);
        for (column, builder) in &mut self.columns {
            match (column, builder) {
                (Column::Error, Builder::Text(texts)) => texts.append_value(cut(why)),
                (_, Builder::Text(texts)) => texts.append_null(),
                (_, Builder::Flag(flags)) => flags.append_null(),
                (_, Builder::Line(lines)) => lines.append_null(),
                (_, Builder::Seconds(seconds)) => seconds.append_null(),
            }
        }
    }

    /// Whether so many more rows may be too many for a column of texts.
    pub(crate) fn is_full_within(&self, rows: usize) -> bool {
        let most = i32::MAX as usize - rows * MAX_TEXT;
        let is_full = |texts: &StringBuilder| texts.values_slice().len() > most;
        self.columns.iter().any(|(_, builder)| matches!(builder, Builder::Text(texts) if is_full(texts)))
            || self.usage.iter().any(|(_, texts)| is_full(texts))
    }

    /// The columns.
    pub(crate) fn finish(self) -> Vec<ArrayRef> {
        let columns = self.columns.into_iter().map(|(_, builder)| -> ArrayRef {
            match builder {
                Builder::Text(mut texts) => Arc::new(texts.finish()),
                Builder::Flag(mut flags) => Arc::new(flags.finish()),
                Builder::Line(mut lines) => Arc::new(lines.finish()),
                Builder::Seconds(mut seconds) => Arc::new(seconds.finish()),
            }
        });
        let usage = self.usage.into_iter().map(|(_, mut texts)| Arc::new(texts.finish()) as ArrayRef);
        columns.chain(usage).collect()
    }
}

/// The first [`MAX_TEXT`] octets, to whole characters.
fn cut(text: &str) -> &str {
    if text.len() <= MAX_TEXT {
        return text;
    }
    let end = (0..=MAX_TEXT).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

/// The name of a basis, as JSON has it.
fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Rule => "rule",
        Basis::NoGroup => "no_group",
        Basis::RobotsTxt => "robots_txt",
        _ => "no_rule",
    }
}
