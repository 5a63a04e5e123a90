//! `dialects`: the dialects and their differences.

use std::time::SystemTime;

use comity::robots::Dialect;
use serde::{Deserialize, Serialize};

use crate::operation::{RequestOperation, Rows, each_once};
use crate::request::RequestError;

/// Dialects to list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DialectsRequest {
    /// These dialects only, each once; all of them if empty.
    pub dialects: Vec<Dialect>,
}

/// A dialect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DialectRow {
    /// The name of the dialect.
    pub name: &'static str,
    /// Other names of it.
    pub aliases: &'static [&'static str],
    /// True if it is the default.
    pub default: bool,
    /// The program or text that defines it.
    pub defined_by: &'static str,
    /// Its differences from other dialects.
    pub quirks: &'static [&'static str],
}

/// Returns a row for each dialect.
///
/// ```
/// use comity_answers::dialects::{DialectsRequest, answer};
///
/// assert!(answer(&DialectsRequest::default()).iter().any(|row| row.default && row.name == "rfc9309"));
/// ```
pub fn answer(request: &DialectsRequest) -> Vec<DialectRow> {
    let named = request.dialects.as_slice();
    let dialects: &[Dialect] = if named.is_empty() { &Dialect::ALL } else { named };
    each_once(dialects.iter().copied()).map(DialectRow::from).collect()
}

impl RequestOperation for DialectsRequest {
    type Request = DialectsRequest;
    type Answer<'a> = Rows<DialectRow>;

    fn read(request: DialectsRequest) -> Result<DialectsRequest, RequestError> {
        Ok(request)
    }

    fn answer(&self, _: SystemTime, _: usize) -> Result<Rows<DialectRow>, RequestError> {
        Ok(Rows { rows: answer(self) })
    }
}

impl From<Dialect> for DialectRow {
    fn from(dialect: Dialect) -> DialectRow {
        DialectRow {
            name: dialect.name(),
            aliases: dialect.aliases(),
            default: dialect == Dialect::default(),
            defined_by: dialect.defined_by(),
            quirks: dialect.quirks(),
        }
    }
}
