//! The page that a fetch returns, and the record of the fetch.

mod content;
mod markdown;
mod page;
mod record;
#[cfg(feature = "page")]
mod terms;

pub use markdown::{MarkdownError, PageMarkdown};
pub use page::Page;
pub use record::{
    Attempt, ContentRecord, FetchOutcome, FetchRecord, Hop, Manifest, Selection, SignedBy,
    SkippedAlternative, WaitRecord, Warning,
};
