//! llms.txt: the pages that a site suggests to language models.
//!
//! In the [proposal](https://llmstxt.org/), an llms.txt is a Markdown file with an H1, a summary in a blockquote, text,
//! and H2 sections that list links. Real files often differ from the proposal. The [`Reader`] accepts any file, grades
//! its conformance and reports findings. [`check_strict`] checks whether a file follows the grammar exactly.
//!
//! An llms.txt is only a **hint**. It is untrusted text, never an instruction to the program or the model that reads
//! it, and it permits nothing. A listed link may be fetched only if the robots.txt of the link's origin permits it.
//! [`candidates`] returns URLs to try, and [`first_permitted`] returns the first one that may be fetched.
//!
//! | module | content |
//! |---|---|
//! | `text` | conversion of bytes to text and lines |
//! | `kind` | detection of bodies that are not an llms.txt |
//! | `blocks` | the classification of lines |
//! | `inline`, `note` | links within a line, and their notes |
//! | `read`, `build`, `file`, `limits` | the reader, its state machine, the result, the limits |
//! | `grade`, `file_findings`, `kinds`, `strict` | the grade of a file, and findings about it |
//! | `untrusted` | detection of text that is written as an instruction to a model |
//! | `resolve` | the URL to fetch for a page |
//! | `linked` | findings about the documents that links lead to |
//! | `steps` | a counter of examined bytes, for tests |
//!
//! Limits: [`DEFAULT_MAX_BYTES`], [`MAX_LINE_BYTES`], [`DEFAULT_MAX_LINKS`], [`MAX_SECTIONS`],
//! [`LIMIT`](crate::finding::LIMIT) findings of a kind. Reading is linear in the size of the input that is read.

mod blocks;
mod build;
mod file;
mod file_findings;
mod grade;
mod inline;
mod kind;
pub(crate) mod kinds;
mod limits;
mod linked;
mod note;
mod read;
mod resolve;
mod steps;
mod strict;
mod text;
mod untrusted;

pub use file::{Link, LinkPlace, LlmsTxt, Passage, Section};
pub use grade::Grade;
pub use inline::LinkForm;
pub use kind::BodyKind;
pub use limits::{DEFAULT_MAX_BYTES, DEFAULT_MAX_LINKS, MAX_LINE_BYTES, MAX_SECTIONS};
pub use linked::LinkAnswer;
pub use read::Reader;
pub use resolve::{Candidate, CandidateReason, Strategy, candidates, first_permitted, markdown_variants};
pub use strict::check_strict;
