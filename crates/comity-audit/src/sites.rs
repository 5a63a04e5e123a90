//! Finds sites of pages without an answer in the sources.

use arrow_array::cast::AsArray;
use arrow_array::types::UInt16Type;
use arrow_array::{Array, RecordBatch};
use comity_arrow::{origin, origins};
use comity_formats::{PageColumns, column_at};

use crate::answers::{is_redirect, redirect_target};
use crate::error::AuditError;
use crate::map::TextSet;

/// The distinct sites of pages without an answer in the sources, up to a limit.
///
/// For each site with an answer other than a redirect, 8 bytes are kept, plus the overhead of the hash table.
#[derive(Debug)]
pub(crate) struct UnansweredSites {
    /// Sites with answers, and sites that were collected.
    known: TextSet,
    /// Redirecting sites and their targets. A redirecting site has an answer if its target has one.
    redirects: Vec<(String, String)>,
    origins: Vec<String>,
    limit: usize,
    is_full: bool,
}

impl UnansweredSites {
    /// Creates a collection with a maximum number of sites.
    pub(crate) fn new(limit: usize) -> UnansweredSites {
        UnansweredSites {
            known: TextSet::default(),
            redirects: Vec::new(),
            origins: Vec::new(),
            limit,
            is_full: false,
        }
    }

    /// Records that the sites of a batch of captures have answers. A redirect counts as an answer if its target has one, which
    /// may be in a later batch.
    pub(crate) fn add_answers(&mut self, captures: &RecordBatch) {
        let text = |name| captures.column_by_name(name).and_then(|column| column.as_string_opt::<i32>());
        let Some(keys) = text("key") else { return };
        let statuses =
            captures.column_by_name("status").and_then(|column| column.as_primitive_opt::<UInt16Type>());
        let locations = text("location");
        for (row, key) in keys.iter().enumerate() {
            let Some((key, site)) = key.and_then(|key| Some((key, site_of(key)?))) else { continue };
            let leads = statuses.is_some_and(|known| known.is_valid(row) && is_redirect(known.value(row)));
            if !leads {
                self.known.insert(&site);
                continue;
            }
            let location = locations.filter(|known| known.is_valid(row)).map(|known| known.value(row));
            let target = location.and_then(|location| redirect_target(key, location));
            self.redirects.extend(target.map(|target| (site, target.origin().ascii_serialization())));
        }
    }

    /// Marks sites that redirect to a site with an answer, over at most five steps (RFC 9309 §2.3.1.2).
    fn follow_redirects(&mut self) {
        for _ in 0..5 {
            let (known, unknown): (Vec<_>, Vec<_>) = std::mem::take(&mut self.redirects)
                .into_iter()
                .partition(|(_, target)| self.known.contains(target) || self.known.contains(host_of(target)));
            if known.is_empty() {
                break;
            }
            known.iter().for_each(|(site, _)| {
                self.known.insert(site);
            });
            self.redirects = unknown;
        }
        self.redirects = Vec::new();
    }

    /// Collects the sites of a batch of pages. Does nothing if the collection [is full](Self::is_full).
    pub(crate) fn add_pages(&mut self, pages: &RecordBatch, columns: &PageColumns) -> Result<(), AuditError> {
        self.follow_redirects();
        let Some(urls) = column_at(pages, &columns.url) else { return Ok(()) };
        let origins = origins(&urls)?;
        let mut last = None;
        for origin in origins.iter().flatten() {
            // Adjacent pages often belong to one site.
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
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns the collected origins, in the order of the pages.
    pub(crate) fn into_origins(self) -> Vec<String> {
        self.origins
    }
}

/// Returns the origin of a key, or the host if the key is a bare host.
fn site_of(key: &str) -> Option<String> {
    let bare = || origin(format!("https://{key}").as_bytes()).map(|origin| host_of(&origin).to_owned());
    origin(key.as_bytes()).map(|origin| origin.to_string()).or_else(bare)
}

fn host_of(origin: &str) -> &str {
    origin.split_once("://").map_or(origin, |(_, host)| host)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use comity_formats::{ArchiveInput, CaptureOptions, Captures, PageOptions, Pages};

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
    fn redirect_counts_as_an_answer_if_its_target_has_one() {
        let mut sites = UnansweredSites::new(10);
        let robots = "key,status,location\n\
            https://a.example,301,https://www.a.example/robots.txt\n\
            https://www.a.example,302,https://b.example/robots.txt\n\
            https://b.example,404,\n\
            https://c.example,301,https://gone.example/robots.txt\n\
            https://d.example,301,/elsewhere\n\
            https://e.example,301,\n\
            f.example,308,http://b.example/robots.txt\n\
            https://g.example,301,https://g.example/robots.txt\n";
        let input = ArchiveInput::file("robots.csv", Cursor::new(robots));
        for batch in Captures::open(input, &CaptureOptions::new()).unwrap() {
            sites.add_answers(&batch.unwrap());
        }
        let hosts = ["a", "www.a", "b", "c", "d", "e", "f", "g"];
        let urls: String = hosts.iter().map(|host| format!("https://{host}.example/\n")).collect();
        let mut pages =
            Pages::open(ArchiveInput::file("urls.txt", Cursor::new(urls)), &PageOptions::new()).unwrap();
        let columns = pages.columns().clone();
        for batch in pages.by_ref() {
            sites.add_pages(&batch.unwrap(), &columns).unwrap();
        }
        let unanswered = ["c", "d", "e", "f", "g"].map(|host| format!("https://{host}.example"));
        assert_eq!(sites.into_origins(), unanswered);
    }

    #[test]
    fn collection_is_full_at_the_first_site_beyond_the_limit() {
        let sites = unanswered(3);
        assert!(!sites.is_full());
        let sites = unanswered(2);
        assert!(sites.is_full());
        assert_eq!(sites.into_origins(), ["http://a.example", "http://c.example"]);
    }
}
