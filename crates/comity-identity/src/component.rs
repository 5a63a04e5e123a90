//! Components of a message and their values (RFC 9421 §2).
//!
//! A signature covers components: a header field (`content-digest`), one member of a field (`"signature-agent";key="sig1"`), or a
//! value that is derived from the message (`@authority`).

use std::collections::BTreeMap;
use std::fmt;

use comity::http::Headers;
use sfv::{BareItem, Dictionary, FieldType as _, Item};

use crate::fields;
use crate::message::{Message, Request};

/// The components that are derived from a message (RFC 9421 §2.2).
const DERIVED: [&str; 9] = [
    "@method",
    "@target-uri",
    "@authority",
    "@scheme",
    "@request-target",
    "@path",
    "@query",
    "@query-param",
    "@status",
];

/// The fields that are known to be dictionaries. The parameters `sf` and `key` need this information (RFC 9421 §2.1.1).
const DICTIONARIES: [&str; 8] = [
    "accept-signature",
    "content-digest",
    "content-usage",
    "priority",
    "repr-digest",
    "signature",
    "signature-agent",
    "signature-input",
];

/// A component, as a signature names it.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    name: String,
    /// The member of the field, by its key.
    key: Option<String>,
    /// The name of the query parameter, in its encoded form.
    parameter: Option<String>,
    flags: Flags,
    /// The form in the signature base: the name in quotes, and its parameters in their order.
    identifier: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Flags {
    sf: bool,
    bs: bool,
    req: bool,
    tr: bool,
}

/// Cache of the parsed parts of one message. Senders choose the length of fields and the number of covered parts, so each field
/// is parsed only once.
#[derive(Debug, Default)]
pub(crate) struct ParseCache {
    /// Fields by name, with a flag: true if the field is from the request that an answer belongs to.
    dictionaries: BTreeMap<(String, bool), Result<Dictionary, Fault>>,
    /// The query parameters. A parameter that occurs twice has no value.
    parameters: Option<BTreeMap<String, Option<String>>>,
}

impl ParseCache {
    fn dictionary(
        &mut self,
        headers: &Headers<'_>,
        (name, of_request): (&str, bool),
    ) -> Result<&Dictionary, Fault> {
        let entry = self.dictionaries.entry((name.to_owned(), of_request));
        let read = entry.or_insert_with(|| read_dictionary(headers, name));
        read.as_ref().map_err(|fault| *fault)
    }

    /// Returns the value of the only query parameter with that name (RFC 9421 §2.2.8).
    fn query_parameter(&mut self, request: &Request<'_>, name: &str) -> Result<String, Fault> {
        let parameters = self.parameters.get_or_insert_with(|| read_query(request));
        // A name has one encoded form. Another form matches no parameter.
        let decoded =
            url::form_urlencoded::parse(name.as_bytes()).next().map(|(name, _)| name).unwrap_or_default();
        let value =
            parameters.get(&*decoded).filter(|_| form_encoded(&decoded) == name).ok_or(Fault::Missing)?;
        value.as_deref().map(form_encoded).ok_or(Fault::Ambiguous)
    }
}

fn read_dictionary(headers: &Headers<'_>, name: &str) -> Result<Dictionary, Fault> {
    let value = text(headers, name)?;
    if value.len() > fields::MAX_FIELD_BYTES {
        return Err(Fault::Unsupported);
    }
    fields::dictionary(headers, name).ok().flatten().ok_or(Fault::Missing)
}

fn read_query(request: &Request<'_>) -> BTreeMap<String, Option<String>> {
    let mut parameters = BTreeMap::new();
    for (name, value) in url::form_urlencoded::parse(request.query().unwrap_or_default().as_bytes()) {
        let first = Some(value.into_owned());
        parameters.entry(name.into_owned()).and_modify(|value| *value = None).or_insert(first);
    }
    parameters
}

/// Returns the value of a field, which has to be ASCII on one line.
fn text(headers: &Headers<'_>, name: &str) -> Result<String, Fault> {
    let value = fields::combined(headers, name).ok_or(Fault::Missing)?;
    let is_text = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t');
    if value.iter().all(is_text) {
        String::from_utf8(value).map_err(|_| Fault::NotAscii)
    } else {
        Err(Fault::NotAscii)
    }
}

/// The errors of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The name or a parameter has a form that the standard does not define.
    Malformed,
    /// This crate does not support the component, although a standard may define it, or the field is too long.
    Unsupported,
    /// The message has no component of that name, or the field is not a dictionary.
    Missing,
    /// The message has the component more than once, but only one value can be signed.
    Ambiguous,
    /// The value is not ASCII on one line.
    NotAscii,
}

/// A component and its error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadComponent {
    pub identifier: String,
    pub fault: Fault,
}

impl Component {
    /// Parses an entry of the list of covered components.
    pub(crate) fn read(item: &Item) -> Result<Self, BadComponent> {
        let identifier = fields::item(item);
        let bad = |fault| BadComponent { identifier: identifier.clone(), fault };
        let name = item.bare_item.as_string().ok_or_else(|| bad(Fault::Malformed))?.as_str();
        if name.is_empty() || !name.bytes().all(is_name_byte) {
            return Err(bad(Fault::Malformed));
        }
        let mut component = Component {
            name: name.to_owned(),
            key: None,
            parameter: None,
            flags: Flags::default(),
            identifier: identifier.clone(),
        };
        for (parameter, value) in &item.params {
            component.take_parameter(parameter.as_str(), value).map_err(bad)?;
        }
        component.check().map_err(bad)?;
        Ok(component)
    }

    fn take_parameter(&mut self, name: &str, value: &BareItem) -> Result<(), Fault> {
        let text = || value.as_string().map(|text| text.as_str().to_owned()).ok_or(Fault::Malformed);
        let flag = match name {
            "key" => {
                self.key = Some(text()?);
                return Ok(());
            }
            "name" => {
                self.parameter = Some(text()?);
                return Ok(());
            }
            "sf" => &mut self.flags.sf,
            "bs" => &mut self.flags.bs,
            "req" => &mut self.flags.req,
            "tr" => &mut self.flags.tr,
            _ => return Err(Fault::Unsupported),
        };
        *flag = true;
        if value.as_boolean() == Some(true) { Ok(()) } else { Err(Fault::Malformed) }
    }

    /// Checks that the parameters are allowed for the component (RFC 9421 §2.1, §2.2).
    fn check(&self) -> Result<(), Fault> {
        let Flags { sf, bs, tr, .. } = self.flags;
        if tr {
            return Err(Fault::Unsupported);
        }
        if self.name.starts_with('@') {
            if !DERIVED.contains(&self.name.as_str()) {
                return Err(if self.name == "@signature-params" {
                    Fault::Malformed
                } else {
                    Fault::Unsupported
                });
            }
            let is_parameter = self.name == "@query-param";
            let is_well_formed = !sf && !bs && self.key.is_none() && self.parameter.is_some() == is_parameter;
            return if is_well_formed { Ok(()) } else { Err(Fault::Malformed) };
        }
        if self.parameter.is_some() || bs && (sf || self.key.is_some()) {
            return Err(Fault::Malformed);
        }
        let is_typed = sf || self.key.is_some();
        if is_typed && !DICTIONARIES.contains(&self.name.as_str()) {
            return Err(Fault::Unsupported);
        }
        Ok(())
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the member of the field that is covered, if it is only one member.
    pub(crate) fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Returns whether a signature of a response covers the component in the request (parameter `req`).
    pub(crate) fn is_of_request(&self) -> bool {
        self.flags.req
    }

    /// Returns whether the component covers the whole field or value, in its unchanged form.
    pub(crate) fn is_plain(&self) -> bool {
        self.flags == Flags::default() && self.key.is_none()
    }

    /// Returns whether two components are equal, without regard to the order of parameters (RFC 9421 §2).
    pub(crate) fn is_same(&self, other: &Component) -> bool {
        self.name == other.name
            && self.key == other.key
            && self.parameter == other.parameter
            && self.flags == other.flags
    }

    /// Returns the value of the component in a message. `cache` caches parsed parts.
    pub(crate) fn value(&self, message: Message<'_>, cache: &mut ParseCache) -> Result<String, BadComponent> {
        let value = match message {
            Message::Request(_) if self.flags.req => Err(Fault::Malformed),
            Message::Request(request) => self.value_in_request(request, cache),
            Message::Response { request, .. } if self.flags.req => self.value_in_request(request, cache),
            Message::Response { status, .. } if self.name == "@status" => Ok(status.to_string()),
            Message::Response { .. } if self.name.starts_with('@') => Err(Fault::Malformed),
            Message::Response { headers, .. } => self.field(headers, cache),
        };
        value.map_err(|fault| BadComponent { identifier: self.identifier.clone(), fault })
    }

    fn value_in_request(&self, request: &Request<'_>, cache: &mut ParseCache) -> Result<String, Fault> {
        let value = match self.name.as_str() {
            "@method" => request.method().to_owned(),
            "@target-uri" => request.target_uri(),
            "@authority" => request.authority().to_owned(),
            "@scheme" => request.scheme().to_owned(),
            "@request-target" => request.origin_form(),
            "@path" => request.path().to_owned(),
            "@query" => format!("?{}", request.query().unwrap_or_default()),
            "@query-param" => {
                cache.query_parameter(request, self.parameter.as_deref().unwrap_or_default())?
            }
            "@status" => return Err(Fault::Malformed),
            _ => return self.field(request.headers(), cache),
        };
        if value.bytes().all(|byte| byte.is_ascii_graphic()) { Ok(value) } else { Err(Fault::NotAscii) }
    }

    fn field(&self, headers: &Headers<'_>, cache: &mut ParseCache) -> Result<String, Fault> {
        if self.flags.bs {
            return byte_sequences(headers, &self.name);
        }
        if !self.flags.sf && self.key.is_none() {
            return text(headers, &self.name);
        }
        let dictionary = cache.dictionary(headers, (&self.name, self.flags.req))?;
        match &self.key {
            Some(key) => dictionary.get(key.as_str()).map(fields::member).ok_or(Fault::Missing),
            None => Ok(dictionary.serialize().unwrap_or_default()),
        }
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.identifier)
    }
}

/// Returns whether a byte may be in a field name in lower case (RFC 9110 §5.6.2), or in the name of a derived component.
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"@!#$%&'*+-.^_`|~".contains(&byte)
}

/// Returns each line of a field as a byte sequence (RFC 9421 §2.1.3).
fn byte_sequences(headers: &Headers<'_>, name: &str) -> Result<String, Fault> {
    let lines = fields::lines(headers, name).map(|line| BareItem::ByteSequence(line.into_owned()));
    let lines: Vec<String> = lines.map(|line| fields::item(&Item::new(line))).collect();
    if lines.is_empty() { Err(Fault::Missing) } else { Ok(lines.join(", ")) }
}

/// Encodes text as HTML forms do, but with `%20` for a space.
fn form_encoded(text: &str) -> String {
    let encoded: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
    encoded.replace('+', "%20")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_covered_in_parts_are_parsed_once() {
        let component = |name: &str, parameter: &str, value: &str| {
            let text =
                |text: &str| BareItem::String(sfv::String::from_string(text.to_owned()).expect("ASCII"));
            let mut item = Item::new(text(name));
            item.params.insert(sfv::Key::from_string(parameter.to_owned()).expect("a key"), text(value));
            Component::read(&item).expect("a component")
        };
        let [first, second]: [Headers<'_>; 2] =
            ["u=1, i", "u=2, i"].map(|value| [("priority", value)].into_iter().collect());
        let request = |target, headers| Request::received("GET", "https", "example.com", target, headers);
        let mut cache = ParseCache::default();
        let (member, parameter) = (component("priority", "key", "u"), component("@query-param", "name", "a"));
        for (target, headers) in [("/?a=1", &first), ("/?a=2", &second)] {
            let request = request(target, headers).expect("a request");
            for component in [&member, &parameter] {
                assert_eq!(component.value(Message::Request(&request), &mut cache).as_deref(), Ok("1"));
            }
        }
    }
}
