//! Facts about the rows of a batch, computed once for the counts of all crawlers: the site and the month of each row.

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMicrosecondType;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, TimestampMicrosecondArray};
use arrow_schema::DataType;

use crate::cut::cut;
use crate::map::Map;

/// The index of a missing value.
const NONE: u32 = u32::MAX;

/// The URLs and times of a batch.
pub(crate) struct PageRows {
    count: usize,
    urls: Option<StringArray>,
    times: Option<TimestampMicrosecondArray>,
    /// The index of each row's site; [`NONE`] if it has no URL. Empty without URLs.
    sites: Vec<u32>,
    /// The first row of each site.
    first_rows: Vec<usize>,
    /// The index of each row's month; [`NONE`] if it has no time. Empty without times.
    months: Vec<u32>,
    /// The months by their index.
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
        // Adjacent rows often belong to one site.
        let mut last: Option<(Site<'_>, u32)> = None;
        self.sites.reserve_exact(urls.len());
        for (row, url) in urls.iter().enumerate() {
            let number = url.map_or(NONE, |url| match &last {
                Some((site, number)) if site.begins(url) => *number,
                _ => {
                    let site = Site::of(url);
                    let number = *numbers.entry(site.name).or_insert_with(|| {
                        self.first_rows.push(row);
                        u32::try_from(self.first_rows.len() - 1).unwrap_or(NONE)
                    });
                    last = Some((site, number));
                    number
                }
            });
            self.sites.push(number);
        }
    }

    fn number_months(&mut self, times: &TimestampMicrosecondArray) {
        self.months.reserve_exact(times.len());
        // Adjacent rows often belong to one day.
        let mut last: Option<(i64, u32)> = None;
        for time in times {
            let number = time.map(day_of).map_or(NONE, |day| match last {
                Some((known, number)) if known == day => number,
                _ => {
                    let number = self.number_month(month_of(day));
                    last = Some((day, number));
                    number
                }
            });
            self.months.push(number);
        }
    }

    fn number_month(&mut self, month: i64) -> u32 {
        // A batch has few months, and the last one is the most likely.
        let known = self.month_numbers.iter().rposition(|known| *known == month);
        let place = known.unwrap_or_else(|| {
            self.month_numbers.push(month);
            self.month_numbers.len() - 1
        });
        u32::try_from(place).unwrap_or(NONE)
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

    /// Returns the index of a row's site in [`sites`](PageRows::sites).
    pub(super) fn site(&self, row: usize) -> Option<usize> {
        self.sites.get(row).filter(|site| **site != NONE).map(|site| *site as usize)
    }

    /// Returns the names of the sites, by index.
    pub(super) fn sites(&self) -> impl ExactSizeIterator<Item = &str> {
        self.first_rows.iter().map(|row| self.url(*row).map(host_of).unwrap_or_default())
    }

    /// Returns the index of a row's month in [`months`](PageRows::months).
    pub(super) fn month(&self, row: usize) -> Option<usize> {
        self.months.get(row).filter(|month| **month != NONE).map(|month| *month as usize)
    }

    /// Returns the months of the rows.
    pub(super) fn months(&self) -> &[i64] {
        &self.month_numbers
    }
}

/// The part of a URL that names the site.
struct Site<'a> {
    name: &'a str,
    /// True if it has a scheme and an authority.
    is_origin: bool,
}

impl<'a> Site<'a> {
    fn of(url: &'a str) -> Site<'a> {
        let bytes = url.as_bytes();
        // The first colon is nearly always the one of `://`.
        let colons = memchr::memchr_iter(b':', bytes);
        let mut starts = colons.map(|at| at + 3).filter(|start| bytes.get(start - 2..*start) == Some(b"//"));
        let start = starts.next();
        let begins = start.unwrap_or(0);
        let end = bytes.get(begins..).and_then(|rest| memchr::memchr3(b'/', b'?', b'#', rest));
        let name = end.and_then(|end| url.get(..begins + end)).unwrap_or(url);
        Site { name: cut(name, 300), is_origin: start.is_some() }
    }

    /// Returns true if a URL clearly belongs to this site. This test is faster than parsing the site of the URL.
    fn begins(&self, url: &str) -> bool {
        // A name without an authority, such as `a:`, is also a prefix of URLs of other sites, such as `a://x.example/`.
        self.is_origin
            && url
                .strip_prefix(self.name)
                .is_some_and(|rest| matches!(rest.bytes().next(), None | Some(b'/' | b'?' | b'#')))
    }
}

/// Returns the part of a URL that names the site: its scheme and authority, unchanged.
pub(super) fn host_of(url: &str) -> &str {
    Site::of(url).name
}

/// Converts a time in microseconds since 1970 to days since 1970.
fn day_of(micros: i64) -> i64 {
    micros.div_euclid(86_400 * 1_000_000)
}

/// Converts a day to its month: years times twelve, plus months.
fn month_of(day: i64) -> i64 {
    // Days are counted from the first of March of the year 0, so that a leap day ends a year.
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (year, month) = (era * 400 + year, month + 2);
    year * 12 + month
}

/// Returns the name of a month, such as `2024-03`.
pub(super) fn month_name(month: i64) -> String {
    format!("{:04}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_converted_to_its_month() {
        let cases = [
            (0, "1970-01"),
            (-1, "1969-12"),
            (1_709_251_199_999_999, "2024-02"),
            (1_709_251_200_000_000, "2024-03"),
            (1_735_689_599_000_000, "2024-12"),
            (1_735_689_600_000_000, "2025-01"),
            (951_782_400_000_000, "2000-02"),
        ];
        for (micros, month) in cases {
            assert_eq!(month_name(month_of(day_of(micros))), month, "{micros}");
        }
    }

    #[test]
    fn site_of_a_url_is_its_scheme_and_authority() {
        for (url, host) in [
            ("https://example.com/a?b", "https://example.com"),
            ("http://example.com:8080", "http://example.com:8080"),
            ("https://example.com?x://y/", "https://example.com"),
            ("nonsense", "nonsense"),
            ("a:b://example.com/c", "a:b://example.com"),
            ("a:/b", "a:"),
        ] {
            assert_eq!(host_of(url), host);
        }
    }
    #[test]
    fn rows_have_the_sites_of_their_urls_in_any_order() {
        let urls = [
            "a:/b",
            "a://x.example/b",
            "a:/b",
            "https://example.com/a",
            "https://example.com?b",
            "https://example.com",
            "https://example.com.evil.example/",
            "https://example.com:8080/",
            "https://example.com#c",
            "nonsense",
            "nonsense/u?v://w",
            "nonsense",
        ];
        let batch = |urls: &[&str]| {
            let urls: ArrayRef = std::sync::Arc::new(StringArray::from(urls.to_vec()));
            RecordBatch::try_from_iter([("url", urls)]).expect("a batch")
        };
        let orders = (0..urls.len()).map(|shift| [&urls[shift..], &urls[..shift]].concat());
        for urls in orders.clone().chain(orders.map(|urls| urls.into_iter().rev().collect())) {
            let rows = PageRows::of(&batch(&urls));
            let names: Vec<&str> = rows.sites().collect();
            for (row, url) in urls.iter().enumerate() {
                assert_eq!(rows.site(row).map(|site| names[site]), Some(host_of(url)), "{urls:?}");
            }
        }
    }
}
