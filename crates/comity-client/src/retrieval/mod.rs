//! What came of a fetch, and the record of how.

#[cfg(feature = "markdown")]
mod markdown;
mod page;
mod record;
mod retrieve;

#[cfg(feature = "markdown")]
pub use markdown::MarkdownError;
pub use page::Page;
pub(crate) use record::rfc3339;
pub use record::{
    Attempt, ContentRecord, Hop, Manifest, Outcome, PassedOver, Record, Selection, Wait, Warning,
};
pub(crate) use retrieve::RememberedLlms;
pub use retrieve::RetrieveOptions;
