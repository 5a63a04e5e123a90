//! What the counts of all crawlers need of the rows of a batch, worked out once: sites and months by number.

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMicrosecondType;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, TimestampMicrosecondArray};
use arrow_schema::DataType;

use super::{host_of, month_of};
use crate::map::Map;

/// The number of what a row lacks.
const NONE: u32 = u32::MAX;

/// The URLs and times of a batch.
pub(crate) struct PageRows {
    count: usize,
    urls: Option<StringArray>,
    times: Option<TimestampMicrosecondArray>,
    /// The number of each row's site; [`NONE`] if it has no URL. Empty without URLs.
    sites: Vec<u32>,
    /// The first row of each site.
    first_rows: Vec<usize>,
    /// The place of each row's month; [`NONE`] if it has no time. Empty without times.
    months: Vec<u32>,
    /// The months by their place.
    month_numbers: Vec<i64>,
}

impl PageRows {
    /// Reads the columns `url` and `seen_at`.
    pub(crate) fn of(asked: &RecordBatch) -> PageRows {
        let text = |urls: &ArrayRef| arrow_cast::cast(urls, &DataType::Utf8).ok();
        let urls =
            asked.column_by_name("url").and_then(text).and_then(|urls| urls.as_string_opt::<i32>().cloned());
        let times = asked.column_by_name("seen_at");
        let times = times.and_then(|times| times.as_primitive_opt::<TimestampMicrosecondType>().cloned());
        let mut rows = PageRows {
            count: asked.num_rows(),
            urls: None,
            times: None,
            sites: Vec::new(),
            first_rows: Vec::new(),
            months: Vec::new(),
            month_numbers: Vec::new(),
        };
        urls.iter().for_each(|urls| rows.number_sites(urls));
        times.iter().for_each(|times| rows.number_months(times));
        PageRows { urls, times, ..rows }
    }

    fn number_sites(&mut self, urls: &StringArray) {
        let mut numbers: Map<&str, u32> = Map::default();
        // Rows of one site often follow each other.
        let mut last = ("", NONE);
        self.sites.reserve_exact(urls.len());
        for (row, url) in urls.iter().enumerate() {
            let Some(site) = url.map(host_of) else {
                self.sites.push(NONE);
                continue;
            };
            if last.1 == NONE || last.0 != site {
                let number = *numbers.entry(site).or_insert_with(|| {
                    self.first_rows.push(row);
                    u32::try_from(self.first_rows.len() - 1).unwrap_or(NONE)
                });
                last = (site, number);
            }
            self.sites.push(last.1);
        }
    }

    fn number_months(&mut self, times: &TimestampMicrosecondArray) {
        self.months.reserve_exact(times.len());
        for time in times {
            let month = time.map(month_of).map_or(NONE, |month| {
                // A batch has few months, and the last one is the likeliest.
                let known = self.month_numbers.iter().rposition(|known| *known == month);
                let place = known.unwrap_or_else(|| {
                    self.month_numbers.push(month);
                    self.month_numbers.len() - 1
                });
                u32::try_from(place).unwrap_or(NONE)
            });
            self.months.push(month);
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn url(&self, row: usize) -> Option<&str> {
        self.urls.as_ref().filter(|urls| urls.is_valid(row)).map(|urls| urls.value(row))
    }

    pub(super) fn seen_at(&self, row: usize) -> Option<i64> {
        self.times.as_ref().filter(|times| times.is_valid(row)).map(|times| times.value(row))
    }

    /// Returns the number of a row's site.
    pub(super) fn site(&self, row: usize) -> Option<usize> {
        self.sites.get(row).filter(|site| **site != NONE).map(|site| *site as usize)
    }

    /// Returns the names of the sites, by number.
    pub(super) fn sites(&self) -> impl ExactSizeIterator<Item = &str> {
        self.first_rows.iter().map(|row| self.url(*row).map(host_of).unwrap_or_default())
    }

    /// Returns the place of a row's month in [`months`](PageRows::months).
    pub(super) fn month(&self, row: usize) -> Option<usize> {
        self.months.get(row).filter(|month| **month != NONE).map(|month| *month as usize)
    }

    /// Returns the months that rows have.
    pub(super) fn months(&self) -> &[i64] {
        &self.month_numbers
    }
}
