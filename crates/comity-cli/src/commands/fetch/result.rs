//! The result of one URL: its label, its exit code, its line.

use std::sync::Arc;

use comity::html;
use comity_client::http::StatusCode;
use comity_client::retrieval::{FetchRecord, Page, Warning};
use comity_client::{Cause, FetchError};
use serde::Serialize;

use super::earlier::{EarlierRecord, EarlierReport};
use super::files::{self, SavedFile};
use crate::exit::Exit;

/// The result of one URL.
#[derive(Debug)]
pub(super) struct FetchResult {
    /// The record of the fetch.
    pub(super) record: FetchRecord,
    /// The content in the requested form.
    pub(super) body: Option<Content>,
    /// The earlier record of the page, if the page has not changed since.
    pub(super) earlier: Option<EarlierRecord>,
    /// The reason why the body is missing, and the flag that may help.
    pub(super) problem: Option<Problem>,
    /// The exit code.
    pub(super) exit: Exit,
    /// The status code, or the label that replaces it.
    pub(super) label: String,
    /// The reason why robots.txt prevents the fetch: a `rule`, or `unreachable`.
    pub(super) robots_refused: Option<&'static str>,
}

/// The requested form of pages.
#[derive(Clone)]
pub(super) struct PageForm {
    /// True if HTML is converted to Markdown.
    pub(super) markdown: bool,
    /// The pages of an earlier report, if requests are conditional.
    pub(super) earlier: Option<Arc<EarlierReport>>,
}

impl PageForm {
    /// Returns `markdown` or `original`.
    pub(super) fn name(markdown: bool) -> &'static str {
        if markdown { "markdown" } else { "original" }
    }
}

/// A body in the requested form.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) bytes: Vec<u8>,
    /// The body as text.
    pub(super) text: String,
    /// `original` or `markdown`.
    pub(super) form: &'static str,
    pub(super) extension: String,
}

/// The reason why the body is missing.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl FetchResult {
    /// Creates the result of a fetch.
    pub(super) fn of(fetched: Result<Page, FetchError>, form: &PageForm) -> FetchResult {
        match fetched {
            Ok(page) if page.status() == StatusCode::NOT_MODIFIED => match &form.earlier {
                Some(earlier) => FetchResult::of_unchanged(page, earlier),
                None => FetchResult::of_page(page, form.markdown),
            },
            Ok(page) => FetchResult::of_page(page, form.markdown),
            Err(error) => {
                let (cause, record) = error.into_parts();
                FetchResult::of_cause(&cause, record)
            }
        }
    }

    fn of_page(page: Page, markdown: bool) -> FetchResult {
        let status = page.status();
        let is_bad = status.as_u16() >= 400;
        let exit = if is_bad { Exit::Objection } else { Exit::Success };
        let label = status.as_u16().to_string();
        let content = match markdown && !page.is_markdown() {
            true => markdown_content(&page),
            false => Ok((unchanged_content(&page, markdown), Vec::new())),
        };
        let missing = page.content_warning().filter(|_| status.is_success());
        let (_, mut record) = page.into_parts();
        record.warnings.extend(missing);
        let (body, problem, exit) = match content {
            Ok((content, warnings)) => {
                record.warnings.extend(warnings);
                (Some(content), None, exit)
            }
            Err(message) => (None, Some(Problem { message, hint: None }), Exit::Objection),
        };
        FetchResult { record, body, earlier: None, problem, exit, label, robots_refused: None }
    }

    /// Creates the result for a page that has not changed. Its record has the content of the earlier record, with the
    /// validators of the new answer.
    fn of_unchanged(page: Page, earlier: &EarlierReport) -> FetchResult {
        let label = page.status().as_u16().to_string();
        let (_, mut record) = page.into_parts();
        let (earlier, problem, exit) = match earlier.record(&record.final_url) {
            Ok(earlier) => (Some(earlier), None, Exit::Success),
            Err(failure) => (None, Some(Problem { message: failure.to_string(), hint: None }), Exit::Error),
        };
        if let Some(earlier) = &earlier {
            let mut content = earlier.content.clone();
            if let Some(answered) = record.content.take() {
                content.etag = answered.etag.or(content.etag);
                content.last_modified = answered.last_modified.or(content.last_modified);
            }
            record.content = Some(content);
        }
        FetchResult { record, body: None, earlier, problem, exit, label, robots_refused: None }
    }

    fn of_cause(cause: &Cause, record: FetchRecord) -> FetchResult {
        let label = match cause {
            cause if cause.is_local() => "local",
            Cause::Url(_) => "url",
            Cause::Guard(_) => "guard",
            Cause::Circuit(_) => "circuit",
            Cause::Robots(_) => "robots",
            Cause::Unreachable(_) => "unknown",
            Cause::Wait(_) => "wait",
            Cause::Store(_) => "store",
            Cause::Transport(error) => error.failure().as_str(),
            Cause::Redirects(_) => "redirect",
            Cause::Content(_) => "type",
            Cause::NoAlternative => "llms",
            Cause::Deadline(_) => "deadline",
            Cause::Drained => "drained",
            _ => "failed",
        };
        let exit = match cause {
            cause if cause.is_local() => Exit::Error,
            Cause::Robots(_)
            | Cause::Unreachable(_)
            | Cause::Wait(_)
            | Cause::Content(_)
            | Cause::NoAlternative => Exit::Objection,
            _ => Exit::Error,
        };
        let problem =
            Some(Problem { message: cause.to_string(), hint: crate::sites::failure::hint_of(cause) });
        let robots_refused = match cause {
            Cause::Robots(_) => Some("rule"),
            Cause::Unreachable(_) => Some("unreachable"),
            _ => None,
        };
        let label = label.to_owned();
        FetchResult { record, body: None, earlier: None, problem, exit, label, robots_refused }
    }

    /// Returns whether there is an answer with a status below 400.
    pub(super) fn is_success(&self) -> bool {
        self.record.content.as_ref().is_some_and(|content| content.status < 400)
    }
}

/// Returns the body as it was sent. With `markdown`, the site has sent Markdown.
fn unchanged_content(page: &Page, markdown: bool) -> Content {
    let declared = page.record().content.as_ref().and_then(|content| content.content_type.as_deref());
    let is_found_html = page.is_html() && html::is_html_type(&page.fields()).is_none();
    let content_type = if is_found_html { Some("text/html") } else { declared };
    let extension = files::extension(content_type, &page.record().final_url);
    let form = PageForm::name(markdown);
    Content { bytes: page.body().to_vec(), text: page.text(), form, extension }
}

/// Converts a page to Markdown. Returns the Markdown, with a warning for each omitted part of the page.
fn markdown_content(page: &Page) -> Result<(Content, Vec<Warning>), String> {
    let markdown =
        page.to_markdown().map_err(|error| format!("cannot convert the page to Markdown: {error}"))?;
    let mut text = markdown.text;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let content =
        Content { bytes: text.clone().into_bytes(), text, form: "markdown", extension: "md".to_owned() };
    Ok((content, markdown.warnings))
}

/// A line of the report: the record of the fetch, and the file with the body.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "FetchReport")]
pub(super) struct Report<'a> {
    #[serde(flatten)]
    pub(super) record: &'a FetchRecord,
    /// The reason why robots.txt refused the fetch: `rule`, or `unreachable` if it could not be read.
    pub(super) robots_refused: Option<&'static str>,
    /// The file that the body was written to.
    pub(super) saved: Option<SavedFile>,
    /// The text of the page, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<&'a str>,
}
