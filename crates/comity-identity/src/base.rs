//! The signature base: the text that is signed (RFC 9421 §2.5).

use sfv::{BareItem, InnerList, Item, KeyRef, Parameters};

use crate::component::{BadComponent, Component, ParseCache};
use crate::fields;
use crate::message::Message;

/// Maximum number of components that one signature may cover.
const MAX_COMPONENTS: usize = 64;

/// The covered components of a signature and its parameters: a member of `Signature-Input`.
#[derive(Clone, Debug)]
pub(crate) struct CoveredComponents {
    components: Vec<Component>,
    parameters: Parameters,
    /// The member in its strict serialization, which is also signed.
    value: String,
}

/// The errors of a list of covered components.
#[derive(Clone, Debug)]
pub(crate) enum BadList {
    Component(BadComponent),
    /// A component occurs twice.
    Repeated(String),
    TooLong,
}

/// A parameter of a signature with another type than the standard requires.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrongType(pub &'static str);

impl CoveredComponents {
    pub(crate) fn read(list: &InnerList) -> Result<Self, BadList> {
        if list.items.len() > MAX_COMPONENTS {
            return Err(BadList::TooLong);
        }
        let mut components: Vec<Component> = Vec::with_capacity(list.items.len());
        for item in &list.items {
            let component = Component::read(item).map_err(BadList::Component)?;
            if components.iter().any(|known| known.is_same(&component)) {
                return Err(BadList::Repeated(component.to_string()));
            }
            components.push(component);
        }
        Ok(CoveredComponents { components, parameters: list.params.clone(), value: fields::inner_list(list) })
    }

    /// Creates the list from identifiers and parameters for a new signature.
    pub(crate) fn new(
        identifiers: Vec<Item>,
        parameters: impl IntoIterator<Item = (&'static KeyRef, BareItem)>,
    ) -> Result<Self, BadList> {
        let parameters = parameters.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        CoveredComponents::read(&InnerList::with_params(identifiers, parameters))
    }

    pub(crate) fn components(&self) -> &[Component] {
        &self.components
    }

    /// Returns the list in its strict serialization, as in `Signature-Input` and in the base.
    pub(crate) fn value(&self) -> &str {
        &self.value
    }

    /// Returns the value of a parameter that is a time in seconds.
    pub(crate) fn time(&self, name: &'static str) -> Result<Option<u64>, WrongType> {
        let Some(value) = self.parameters.get(name) else { return Ok(None) };
        let seconds = value.as_integer().and_then(|seconds| u64::try_from(i64::from(seconds)).ok());
        seconds.map(Some).ok_or(WrongType(name))
    }

    /// Returns the value of a parameter that is a text.
    pub(crate) fn text(&self, name: &'static str) -> Result<Option<&str>, WrongType> {
        let Some(value) = self.parameters.get(name) else { return Ok(None) };
        value.as_string().map(|text| Some(text.as_str())).ok_or(WrongType(name))
    }

    /// Returns the signature base for a message.
    pub(crate) fn base(&self, message: Message<'_>) -> Result<String, BadComponent> {
        let (mut base, mut cache) = (String::new(), ParseCache::default());
        for component in &self.components {
            let value = component.value(message, &mut cache)?;
            base.push_str(&format!("{component}: {value}\n"));
        }
        base.push_str("\"@signature-params\": ");
        base.push_str(&self.value);
        Ok(base)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use comity::http::Headers;
    use serde::Deserialize;
    use sfv::{List, ListEntry, Parser};

    use super::*;
    use crate::key::{PublicKey, decode};
    use crate::message::Request;

    /// A line of `conformance/identity/bases.jsonl`; the README there explains the fields.
    #[derive(Deserialize)]
    struct Case {
        id: String,
        request: CaseRequest,
        input: String,
        base: String,
        x: String,
        signature: String,
    }

    #[derive(Deserialize)]
    struct CaseRequest {
        method: String,
        scheme: String,
        authority: String,
        target: String,
        headers: Vec<(String, String)>,
    }

    #[test]
    fn bases_and_signatures_match_the_examples_of_rfc_9421() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/identity/bases.jsonl");
        let text = std::fs::read_to_string(path).expect("the cases");
        for line in text.lines() {
            let case: Case = serde_json::from_str(line).expect("a case");
            let received = &case.request;
            let headers: Headers<'_> =
                received.headers.iter().map(|(name, value)| (&**name, &**value)).collect();
            let request = Request::received(
                &received.method,
                &received.scheme,
                &received.authority,
                &received.target,
                &headers,
            )
            .unwrap();
            let list: List = Parser::new(&case.input).parse().expect("a list");
            let [ListEntry::InnerList(list)] = list.as_slice() else { panic!("{}: no list", case.id) };
            let base = CoveredComponents::read(list).unwrap().base(Message::Request(&request)).unwrap();
            assert_eq!(base, case.base, "{}", case.id);
            let key = PublicKey::from_bytes(&decode(&case.x).unwrap()).unwrap();
            assert!(key.verifies(base.as_bytes(), &STANDARD.decode(&case.signature).unwrap()), "{}", case.id);
        }
        assert!(text.lines().count() >= 10);
    }
}
