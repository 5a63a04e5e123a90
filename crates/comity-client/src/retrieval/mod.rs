//! What came of a fetch, and the record of how.

mod markdown;
mod page;
mod record;

pub use markdown::{Markdown, MarkdownError};
pub use page::Page;
pub use record::{
    Attempt, ContentRecord, Hop, Manifest, Outcome, PassedOver, Record, Selection, Wait, Warning,
};
