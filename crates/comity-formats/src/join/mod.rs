//! Columns that join with the indexes of public crawls: `surt_host_name`, `url_surtkey` and `crawl`.
//!
//! | file | content |
//! |---|---|
//! | `surt.rs` | the SURT key of a URL |
//! | `crawl.rs` | the name of the crawl, found in paths and `warcinfo` records |

mod crawl;
mod surt;

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};

pub(crate) use self::crawl::of_warcinfo;
pub use self::surt::SurtKey;
use crate::columns::{column_at, common_column};
use crate::options::PageOptions;

const HOST: &str = "surt_host_name";
const KEY: &str = "url_surtkey";
const CRAWL: &str = "crawl";

/// Common names of columns with the path of the WARC file that contains the page. The path may contain the name of the
/// crawl.
const FILES: [&str; 2] = ["warcfilename", "filename"];

/// The join columns that are added to the pages of an input.
pub(crate) struct JoinColumns {
    /// Names of the join columns that the input does not have.
    names: Vec<&'static str>,
    url: String,
    /// The column with the path of the WARC file that contains each page.
    file: Option<String>,
    /// The crawl that the options set for all pages.
    given: Option<String>,
    /// The crawl in the path of the input.
    of_path: Option<String>,
}

impl JoinColumns {
    /// Finds the join columns that the input does not have. `path` is the path of the input.
    pub(crate) fn new(path: &str, schema: &Schema, url: &str, options: &PageOptions) -> JoinColumns {
        let is_missing = |name: &&str| schema.column_with_name(name).is_none();
        let file = common_column(schema, &FILES).and_then(|index| schema.fields().get(index));
        JoinColumns {
            names: [HOST, KEY, CRAWL].into_iter().filter(is_missing).collect(),
            url: url.to_owned(),
            file: file.map(|field| field.name().clone()),
            given: options.crawl.clone(),
            of_path: crawl::of_path(path).map(str::to_owned),
        }
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.names.iter().map(|name| (*name).to_owned()).collect()
    }

    pub(crate) fn fields(&self) -> impl Iterator<Item = Field> {
        self.names.iter().map(|name| Field::new(*name, DataType::Utf8, true))
    }

    /// Returns the added columns for a batch. `described` is the crawl in the `warcinfo` record.
    pub(crate) fn columns(
        &self,
        batch: &RecordBatch,
        described: Option<&str>,
    ) -> Result<Vec<ArrayRef>, ArrowError> {
        let rows = batch.num_rows();
        let text = |name: &str| -> Result<Option<ArrayRef>, ArrowError> {
            batch.column_by_name(name).map(|column| arrow_cast::cast(column, &DataType::Utf8)).transpose()
        };
        let (mut hosts, mut keys) = (StringBuilder::new(), StringBuilder::new());
        let urls = column_at(batch, &self.url);
        let urls = urls.map(|urls| arrow_cast::cast(&urls, &DataType::Utf8)).transpose()?;
        for row in 0..rows {
            let key = value(urls.as_ref(), row).and_then(SurtKey::of_url);
            hosts.append_option(key.as_ref().and_then(SurtKey::host));
            keys.append_option(key.as_ref().map(SurtKey::as_str));
        }
        let files = self.file.as_deref().map(text).transpose()?.flatten();
        let of_row = |row| {
            let given = self.given.as_deref();
            let of_file = || value(files.as_ref(), row).and_then(crawl::of_path);
            given.or_else(of_file).or(self.of_path.as_deref()).or(described)
        };
        let crawls: StringArray = (0..rows).map(of_row).collect();
        let (hosts, keys) = (hosts.finish(), keys.finish());
        let column = |name: &&str| -> ArrayRef {
            match *name {
                HOST => Arc::new(hosts.clone()),
                KEY => Arc::new(keys.clone()),
                _ => Arc::new(crawls.clone()),
            }
        };
        Ok(self.names.iter().map(column).collect())
    }
}

fn value(column: Option<&ArrayRef>, row: usize) -> Option<&str> {
    let column = column?.as_string_opt::<i32>()?;
    column.is_valid(row).then(|| column.value(row))
}
