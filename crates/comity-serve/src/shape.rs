//! The fields of questions and answers, declared once: the macro makes the struct and its JSON Schema.

use std::collections::BTreeMap;

use comity::robots::Dialect;
use comity_answers::schema;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

/// Something with a JSON Schema.
pub(crate) trait Shape {
    /// It may be left out of a question.
    const MAY_BE_LEFT_OUT: bool = false;

    fn schema() -> Value;
}

/// Declares a question (`question`), some of whose fields may be left out, or an answer (`answer`), which has all.
macro_rules! shape {
    (
        $kind:ident
        #[doc = $of:literal]
        $(#[$outer:meta])*
        $name:ident {
            $( #[doc = $about:literal] $(#[$attribute:meta])* $field:ident: $type:ty, )+
        }
    ) => {
        #[doc = $of]
        $(#[$outer])*
        #[derive(Debug)]
        pub(crate) struct $name {
            $( #[doc = $about] $(#[$attribute])* pub(crate) $field: $type, )+
        }

        impl $crate::shape::Shape for $name {
            fn schema() -> serde_json::Value {
                use $crate::shape::Shape;
                $crate::shape::object(
                    $of,
                    stringify!($kind) == "question",
                    [$((
                        stringify!($field),
                        $about,
                        <$type as Shape>::schema(),
                        <$type as Shape>::MAY_BE_LEFT_OUT,
                    ),)+],
                )
            }
        }
    };
}
pub(crate) use shape;

/// The schema of an object: of each field its name, what it is, its schema, and whether a question may leave it out.
pub(crate) fn object<const N: usize>(
    of: &str,
    is_question: bool,
    fields: [(&str, &str, Value, bool); N],
) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, about, mut schema, may_be_left_out) in fields {
        schema["description"] = about.trim().into();
        properties.insert(name.to_owned(), schema);
        if !(is_question && may_be_left_out) {
            required.push(name.to_owned());
        }
    }
    json!({
        "type": "object",
        "description": of.trim(),
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

impl Shape for String {
    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

impl Shape for bool {
    const MAY_BE_LEFT_OUT: bool = true;

    fn schema() -> Value {
        json!({ "type": "boolean" })
    }
}

impl Shape for f64 {
    fn schema() -> Value {
        json!({ "type": "number", "minimum": 0 })
    }
}

impl Shape for u16 {
    fn schema() -> Value {
        json!({ "type": "integer", "minimum": 0, "maximum": 65535 })
    }
}

impl<T: Shape> Shape for Option<T> {
    const MAY_BE_LEFT_OUT: bool = true;

    fn schema() -> Value {
        json!({ "anyOf": [T::schema(), { "type": "null" }] })
    }
}

impl<T: Shape> Shape for Vec<T> {
    const MAY_BE_LEFT_OUT: bool = true;

    fn schema() -> Value {
        json!({ "type": "array", "items": T::schema() })
    }
}

/// A word of a closed list. `titles` adds what else there is to say of the words.
macro_rules! word {
    ($name:ident, $of:ty, $all:expr, $text:expr $(, titles $title:expr)?) => {
        #[doc = "A word of a closed list."]
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name(pub(crate) $of);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = String::deserialize(deserializer)?;
                let known = $all.iter().copied().find(|known| $text(*known) == word);
                known.map($name).ok_or_else(|| {
                    let words: Vec<&str> = $all.iter().map(|known| $text(*known)).collect();
                    serde::de::Error::custom(format!("`{word}` is not one of {}", words.join(", ")))
                })
            }
        }

        impl Shape for $name {
            fn schema() -> Value {
                let words: Vec<&str> = $all.iter().map(|known| $text(*known)).collect();
                #[allow(unused_mut, reason = "not every list has titles")]
                let mut schema = json!({ "type": "string", "enum": words });
                $(
                    let titles = $all.iter().map(|known| ($text(*known).to_owned(), $title(*known).into()));
                    schema["x-titles"] = Value::Object(titles.collect());
                )?
                schema
            }
        }
    };
}

word!(DialectName, Dialect, Dialect::ALL, |dialect: Dialect| dialect.name());
word!(
    PurposeName,
    comity::agents::Purpose,
    comity::agents::Purpose::ALL,
    |purpose: comity::agents::Purpose| { purpose.as_str() },
    titles |purpose: comity::agents::Purpose| { purpose.title() }
);

/// Header fields, by name.
#[derive(Debug)]
pub(crate) struct HeaderFields(Vec<(String, String)>);

impl HeaderFields {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_bytes()))
    }
}

impl<'de> Deserialize<'de> for HeaderFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Values {
            One(String),
            Several(Vec<String>),
        }
        let by_name = BTreeMap::<String, Values>::deserialize(deserializer)?;
        let pairs = by_name.into_iter().flat_map(|(name, values)| {
            let values = match values {
                Values::One(value) => vec![value],
                Values::Several(values) => values,
            };
            values.into_iter().map(move |value| (name.clone(), value))
        });
        Ok(HeaderFields(pairs.collect()))
    }
}

impl Shape for HeaderFields {
    fn schema() -> Value {
        let one = String::schema();
        let several = Vec::<String>::schema();
        json!({ "type": "object", "additionalProperties": { "anyOf": [one, several] } })
    }
}

impl Shape for comity_answers::provenance::Provenance {
    fn schema() -> Value {
        schema::shape("robots_txt")
    }
}

impl Shape for comity::finding::Finding {
    fn schema() -> Value {
        schema::shape("finding")
    }
}

impl Shape for comity_answers::row::DecisionJson {
    fn schema() -> Value {
        schema::shape("decision")
    }
}
