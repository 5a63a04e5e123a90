//! The sites of pages that no source has an answer of.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use comity_archive::PageColumns;
use comity_audit::{origin, origins};

use crate::error::JobError;
use crate::map::Met;

/// Collects the sites of pages that no source has an answer of, each once, up to a limit.
///
/// Of each site that has answers, 8 bytes are kept, and a little for the table that they stand in.
///
/// ```
/// use comity_jobs::UnansweredSites;
///
/// let sites = UnansweredSites::new(1_000);
/// assert!(!sites.is_full() && sites.into_origins().is_empty());
/// ```
#[derive(Debug)]
pub struct UnansweredSites {
    /// Sites with answers, and those that were collected.
    known: Met,
    origins: Vec<String>,
    limit: usize,
    is_full: bool,
}

impl UnansweredSites {
    /// Creates a collection of up to so many sites.
    pub fn new(limit: usize) -> UnansweredSites {
        UnansweredSites { known: Met::default(), origins: Vec::new(), limit, is_full: false }
    }

    /// Notes the sites of a batch of captures: they have answers.
    pub fn add_answers(&mut self, captures: &RecordBatch) {
        let keys = captures.column_by_name("key").and_then(|keys| keys.as_string_opt::<i32>());
        for key in keys.into_iter().flatten().flatten() {
            match origin(key.as_bytes()) {
                Some(origin) => self.known.insert(&origin),
                // A bare host stands for its origins.
                None => match origin(format!("https://{key}").as_bytes()) {
                    Some(origin) => self.known.insert(host_of(&origin)),
                    None => continue,
                },
            };
        }
    }

    /// Collects the sites of a batch of pages. Nothing more is collected when the collection [is full](Self::is_full).
    ///
    /// # Errors
    ///
    /// [`JobError`] if the column of URLs is not text.
    pub fn add_pages(&mut self, pages: &RecordBatch, columns: &PageColumns) -> Result<(), JobError> {
        let Some(urls) = pages.column_by_name(&columns.url) else { return Ok(()) };
        let origins = origins(urls)?;
        let mut last = None;
        for origin in origins.iter().flatten() {
            // Pages of one site often follow each other.
            if last.replace(origin) == Some(origin) {
                continue;
            }
            if self.known.contains(origin) || self.known.contains(host_of(origin)) {
                continue;
            }
            if self.origins.len() == self.limit {
                self.is_full = true;
                return Ok(());
            }
            self.known.insert(origin);
            self.origins.push(origin.to_owned());
        }
        Ok(())
    }

    /// Returns true if there are more sites than the limit.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns the origins that were collected, in the order of the pages.
    pub fn into_origins(self) -> Vec<String> {
        self.origins
    }
}

fn host_of(origin: &str) -> &str {
    origin.split_once("://").map_or(origin, |(_, host)| host)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use comity_archive::{ArchiveInput, CaptureOptions, Captures, PageOptions, Pages};

    use super::*;

    fn unanswered(limit: usize) -> UnansweredSites {
        let mut sites = UnansweredSites::new(limit);
        let robots = "key,status\nHTTPS://A.example:443/,404\nb.example,404\nc.example:8080,404\n";
        let input = ArchiveInput::file("robots.csv", Cursor::new(robots));
        for batch in Captures::open(input, &CaptureOptions::new()).unwrap() {
            sites.add_answers(&batch.unwrap());
        }
        let urls = "https://a.example/1\nhttp://a.example/2\nhttp://b.example/\nhttps://b.example/x\nhttp://c.example/\n\
                    http://c.example:8080/\nhttps://D.example/a\nhttps://d.example/b\nnonsense\nftp://e.example/\n";
        let mut pages =
            Pages::open(ArchiveInput::file("urls.txt", Cursor::new(urls)), &PageOptions::new()).unwrap();
        let columns = pages.columns().clone();
        for batch in pages.by_ref() {
            sites.add_pages(&batch.unwrap(), &columns).unwrap();
        }
        sites
    }

    #[test]
    fn sites_without_answers_are_collected_once_and_in_order() {
        let sites = unanswered(10);
        assert!(!sites.is_full());
        assert_eq!(sites.into_origins(), ["http://a.example", "http://c.example", "https://d.example"]);
    }

    #[test]
    fn a_collection_is_full_when_one_more_site_comes() {
        let sites = unanswered(3);
        assert!(!sites.is_full());
        let sites = unanswered(2);
        assert!(sites.is_full());
        assert_eq!(sites.into_origins(), ["http://a.example", "http://c.example"]);
    }
}
