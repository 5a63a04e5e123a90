//! Usage statements of a page in its HTTP header and its HTML.

use comity::html::{self, Facts};
use comity::http::Headers;

use crate::records::Records;

/// The stored header fields: those about usage, and `Content-Type`.
const FIELDS: [&str; 8] = [
    "X-Robots-Tag",
    "Robots-Tag",
    "Content-Usage",
    "Content-Signal",
    "TDM-Reservation",
    "TDM-Policy",
    "Link",
    "Content-Type",
];

/// The usage statements of one page: header fields, and facts about usage in the HTML.
#[derive(Clone, Debug, Default)]
pub struct PageStatements {
    fields: Vec<(String, Vec<u8>)>,
    facts: Option<Facts>,
}

impl PageStatements {
    /// Creates the statements from the header of an answer and the facts in its HTML. Copies only some
    /// [fields](PageStatements::headers) of the header.
    pub fn new(headers: &Headers<'_>, facts: Option<Facts>) -> PageStatements {
        let of_name =
            |name: &'static str| headers.get_all(name).map(|value| (name.to_owned(), value.to_vec()));
        PageStatements { fields: FIELDS.into_iter().flat_map(of_name).collect(), facts }
    }

    /// Reads the statements in the current record. Also returns the number of bytes read.
    pub(super) fn read(records: &mut Records, damage: &mut impl FnMut(String)) -> (PageStatements, usize) {
        let mut statements = PageStatements { fields: records.http_fields(&FIELDS), facts: None };
        let header = statements.fields.iter().map(|(name, value)| name.len() + value.len()).sum();
        if html::is_html_type(&statements.headers()) == Some(false) {
            return (statements, header);
        }
        let body = match records.plain_body(html::MAX_BYTES) {
            Ok(body) => body,
            Err(error) => {
                damage(format!("the body cannot be read: {error}"));
                return (statements, header);
            }
        };
        statements.facts = Facts::of_answer(&statements.headers(), &body);
        (statements, header + body.len())
    }

    /// Returns the stored header fields: `X-Robots-Tag`, `Robots-Tag`, `Content-Usage`, `Content-Signal`,
    /// `TDM-Reservation`, `TDM-Policy`, `Link`, and `Content-Type`.
    pub fn headers(&self) -> Headers<'_> {
        let mut headers = Headers::new();
        for (name, value) in &self.fields {
            headers.push(name, value);
        }
        headers
    }

    /// Returns the facts in the HTML, or `None` if the page is not HTML.
    pub fn facts(&self) -> Option<&Facts> {
        self.facts.as_ref()
    }
}
