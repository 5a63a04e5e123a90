//! Answers, by row: in the columns of a batch, or in a table of their own, joined by a key.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::str::FromStr;

use ahash::RandomState;
use arrow_array::RecordBatch;
use comity::policy::{Failure, Reply};

use crate::error::AuditError;
use crate::numbers;
use crate::octets::Octets;
use crate::options::Names;

/// The columns of a batch that hold answers.
#[derive(Debug)]
pub(crate) struct AnswerColumns<'a> {
    pub(crate) bodies: Option<Octets<'a>>,
    statuses: Option<Vec<Option<u16>>>,
    failures: Option<Octets<'a>>,
}

impl<'a> AnswerColumns<'a> {
    pub(crate) fn of(batch: &'a RecordBatch, names: &Names) -> Result<Self, AuditError> {
        let statuses =
            find(batch, names.status.as_deref(), "robots_status", "the status codes of robots.txt")?;
        let statuses = statuses.map(|(name, index)| numbers::statuses(name, batch.column(index)));
        let columns = AnswerColumns {
            bodies: octets(batch, names.robots.as_deref(), "robots", "the bodies of robots.txt")?,
            statuses: statuses.transpose()?,
            failures: octets(
                batch,
                names.failure.as_deref(),
                "robots_failure",
                "why robots.txt could not be had",
            )?,
        };
        if columns.bodies.is_none() && columns.statuses.is_none() && columns.failures.is_none() {
            let column = names.robots.as_deref().unwrap_or("robots").to_owned();
            return Err(AuditError::Missing { column, holds: "the bodies of robots.txt" });
        }
        Ok(columns)
    }

    /// The body in a row.
    pub(crate) fn body(&self, row: usize) -> Option<&'a [u8]> {
        self.bodies.as_ref()?.get(row)
    }

    /// What came in a row; `None` if nobody asked. An error is the failure's name, which is none.
    pub(crate) fn reply(&self, row: usize, has_body: bool) -> Result<Option<Reply>, String> {
        if let Some(name) = self.failures.as_ref().and_then(|column| column.get(row)) {
            let name = String::from_utf8_lossy(name);
            return match Failure::from_str(&name) {
                Ok(failure) => Ok(Some(Reply::Failure(failure))),
                Err(error) => Err(error.to_string()),
            };
        }
        let status = self.statuses.as_ref().and_then(|column| column.get(row).copied().flatten());
        Ok(status.or(has_body.then_some(200)).map(Reply::Status))
    }
}

/// The column of texts by its own name, which has to be there, or by its usual one, which has not.
pub(crate) fn octets<'a>(
    batch: &'a RecordBatch,
    own: Option<&str>,
    usual: &str,
    holds: &'static str,
) -> Result<Option<Octets<'a>>, AuditError> {
    let found = find(batch, own, usual, holds)?;
    found.map(|(name, index)| Octets::of(name, batch.column(index).as_ref())).transpose()
}

fn find<'n>(
    batch: &RecordBatch,
    own: Option<&'n str>,
    usual: &'n str,
    holds: &'static str,
) -> Result<Option<(&'n str, usize)>, AuditError> {
    let name = own.unwrap_or(usual);
    match batch.schema_ref().index_of(name) {
        Ok(index) => Ok(Some((name, index))),
        Err(_) if own.is_none() => Ok(None),
        Err(_) => Err(AuditError::Missing { column: name.to_owned(), holds }),
    }
}

/// Answers by their key.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    keys: HashMap<Box<[u8]>, u32, RandomState>,
    rows: Vec<KeyedAnswer>,
}

#[derive(Debug)]
pub(crate) struct KeyedAnswer {
    pub(crate) body: Option<Box<[u8]>>,
    pub(crate) reply: Result<Option<Reply>, String>,
}

impl Answers {
    /// Takes in the rows of a batch. A row without a key is nobody's answer.
    pub(crate) fn extend(&mut self, batch: &RecordBatch, names: &Names) -> Result<(), AuditError> {
        let (own, holds) = (names.key.as_deref(), "the keys of the answers");
        let Some(keys) = octets(batch, own, "robots_key", holds)? else {
            return Err(AuditError::Missing { column: "robots_key".to_owned(), holds });
        };
        let columns = AnswerColumns::of(batch, names)?;
        for row in 0..batch.num_rows() {
            let Some(key) = keys.get(row) else { continue };
            let number = u32::try_from(self.rows.len()).map_err(|_| AuditError::TooLarge)?;
            match self.keys.entry(key.into()) {
                Entry::Vacant(free) => free.insert(number),
                Entry::Occupied(_) => {
                    return Err(AuditError::DuplicateKey { key: String::from_utf8_lossy(key).into_owned() });
                }
            };
            let body = columns.body(row);
            let reply = columns.reply(row, body.is_some());
            self.rows.push(KeyedAnswer { body: body.map(Into::into), reply });
        }
        Ok(())
    }

    pub(crate) fn find(&self, key: &[u8]) -> Option<u32> {
        self.keys.get(key).copied()
    }

    pub(crate) fn get(&self, number: u32) -> Option<&KeyedAnswer> {
        self.rows.get(number as usize)
    }
}
