//! Input of the lints for user-agent lines: the form of a value, and the owner of the name.

use std::collections::HashMap;

use super::context::{Context, LocatedRecord, agent_name};
use super::key::second_directive;
use crate::agents::{self, KnownAgent};
use crate::robots::agents::agent::is_token_byte;
use crate::robots::read::directive::RecordKind;

/// A user-agent line.
pub(super) struct Name<'c, 'b> {
    pub context: &'c Context<'b>,
    pub record: &'c LocatedRecord,
    pub value: &'b [u8],
    pub form: Form,
    /// The name, as [`agent_name`] returns it. Empty for the forms `Empty`, `Header` and `List`.
    pub name: Vec<u8>,
    pub owner: Owner,
    /// Earlier lines with the same name.
    pub before: Option<Before<'c>>,
}

/// The form of a value. If several forms apply, the first one in this order is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The value is empty.
    Empty,
    /// The value of a `User-Agent` header as a client sends it over HTTP.
    Header,
    /// A list of this many names.
    List(usize),
    /// A `*` at this position, together with other text.
    Wildcard(usize),
    /// The name ends at `name` and has a character other than a letter, `-` or `_` at `read`.
    Alphabet { name: usize, read: usize },
    /// A version starts at this `/`.
    Versioned(usize),
    /// A value without a problem.
    Plain,
}

/// The owner of a name.
#[derive(Debug)]
pub(super) enum Owner {
    /// The owner is not determined: the value is not a name, it has a wildcard, or an earlier line has this name.
    NotLookedUp,
    /// The name ends in this character, which does not separate names.
    Separated(char),
    /// The name is a word for all crawlers.
    Everybody,
    /// The name is that of a company or product with these crawlers. The list is empty for a product whose operator
    /// names no crawler.
    Operator(Vec<&'static KnownAgent>),
    /// The name is that of a crawler, or unknown.
    Unknown,
}

/// Earlier lines with the same name.
#[derive(Clone, Copy)]
pub(super) struct Before<'c> {
    pub first: &'c LocatedRecord,
    pub last: &'c LocatedRecord,
}

/// Returns the user-agent lines of a file. Lines with a second directive are omitted, because another lint reports
/// them.
pub(super) fn names<'c, 'b>(context: &'c Context<'b>) -> impl Iterator<Item = Name<'c, 'b>> {
    let mut seen: HashMap<Vec<u8>, Before<'c>> = HashMap::new();
    let agents = context.records_of(RecordKind::UserAgent);
    agents.filter(|record| second_directive(context, record).is_none()).map(move |record| {
        let value = context.value(record);
        let form = form(value);
        let mut name =
            Name { context, record, value, form, name: Vec::new(), owner: Owner::NotLookedUp, before: None };
        if matches!(form, Form::Empty | Form::Header | Form::List(_)) {
            return name;
        }
        name.name = agent_name(value);
        match seen.get_mut(&name.name) {
            Some(before) => {
                name.before = Some(*before);
                before.last = record;
            }
            None => {
                if !name.name.contains(&b'*') {
                    name.owner = owner(&name.name);
                }
                seen.insert(name.name.clone(), Before { first: record, last: record });
            }
        }
        name
    })
}

fn form(value: &[u8]) -> Form {
    if value.is_empty() {
        return Form::Empty;
    }
    if value == b"*" {
        return Form::Plain;
    }
    if is_header(value) {
        return Form::Header;
    }
    if let Some(names) = list(value) {
        return Form::List(names);
    }
    if let Some(star) = memchr::memchr(b'*', value) {
        return Form::Wildcard(star);
    }
    let slash = memchr::memchr(b'/', value);
    let end = slash.unwrap_or(value.len());
    let name = value.get(..end).unwrap_or_default();
    match name.iter().position(|byte| !is_token_byte(*byte)) {
        Some(read) => Form::Alphabet { name: end, read },
        None => slash.map_or(Form::Plain, Form::Versioned),
    }
}

/// Words that authors write for all crawlers.
const EVERYBODY: [&str; 10] = [
    "all",
    "any",
    "anybody",
    "anyone",
    "every",
    "everybody",
    "everyone",
    "all bots",
    "all robots",
    "all crawlers",
];

fn owner(name: &[u8]) -> Owner {
    if let Some(&last @ (b',' | b';')) = name.last() {
        return Owner::Separated(char::from(last));
    }
    let Ok(name) = std::str::from_utf8(name) else { return Owner::NotLookedUp };
    if EVERYBODY.contains(&name) {
        return Owner::Everybody;
    }
    agents::crawlers_of(name).map_or(Owner::Unknown, Owner::Operator)
}

/// Returns true if a value looks like a `User-Agent` header that a client sends over HTTP.
fn is_header(value: &[u8]) -> bool {
    let starts_as_mozilla = value.get(..8).is_some_and(|start| start.eq_ignore_ascii_case(b"mozilla/"));
    let has_comment = value.contains(&b'(') && value.contains(&b')') && value.contains(&b'/');
    starts_as_mozilla || has_comment
}

/// Returns the number of names in a value, if it is a list.
fn list(value: &[u8]) -> Option<usize> {
    let is_name = |part: &[u8]| {
        let part = part.trim_ascii();
        let words = part.split(|byte| *byte == b' ').count();
        let is_name_byte =
            |byte: &u8| is_token_byte(*byte) || byte.is_ascii_digit() || matches!(byte, b'.' | b'/' | b' ');
        part == b"*"
            || (words <= 3
                && part.first().is_some_and(u8::is_ascii_alphanumeric)
                && part.iter().all(is_name_byte))
    };
    for separator in [b',', b';', b'|'] {
        if value.contains(&separator) {
            let parts =
                || value.split(|byte| *byte == separator).filter(|part| !part.trim_ascii().is_empty());
            return (parts().count() > 1 && parts().all(is_name)).then(|| parts().count());
        }
    }
    let text = std::str::from_utf8(value).ok()?;
    let words = text.split_ascii_whitespace().count();
    let are_known = text.split_ascii_whitespace().all(|word| agents::known(word).is_some());
    (words > 1 && are_known && agents::known(text).is_none()).then_some(words)
}
