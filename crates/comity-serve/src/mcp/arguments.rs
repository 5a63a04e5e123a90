//! What the tools take, declared once for the code and its schema.
//!
//! The schemas keep to what every client reads: no null, no alternatives, bounds that are inclusive.

use std::borrow::Cow;

use comity_answers::schema;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

/// The largest piece of a page, in characters, and the usual one: those of the reference server for fetching.
const LONGEST_PIECE: u32 = 999_999;
const USUAL_PIECE: u32 = 5_000;

/// A number of characters between bounds, which may be left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Characters<const LEAST: u32, const MOST: u32, const USUAL: u32>(pub(crate) u32);

impl<const LEAST: u32, const MOST: u32, const USUAL: u32> Default for Characters<LEAST, MOST, USUAL> {
    fn default() -> Self {
        Characters(USUAL)
    }
}

impl<'de, const LEAST: u32, const MOST: u32, const USUAL: u32> Deserialize<'de>
    for Characters<LEAST, MOST, USUAL>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u32::deserialize(deserializer)?;
        if (LEAST..=MOST).contains(&number) {
            return Ok(Characters(number));
        }
        Err(serde::de::Error::custom(format!("{number} is not between {LEAST} and {MOST}")))
    }
}

impl<const LEAST: u32, const MOST: u32, const USUAL: u32> JsonSchema for Characters<LEAST, MOST, USUAL> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Characters".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": LEAST, "maximum": MOST, "default": USUAL })
    }
}

/// Reads a text that may be left out. Models write null or nothing for such a text.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.filter(|text| !text.trim().is_empty()))
}

/// Returns the schema of a tool's arguments.
pub(super) fn schema<T: JsonSchema>() -> Schema {
    let mut schema = schema::request::<T>();
    transform_subschemas(&mut schema::remove_null, &mut schema);
    schema
}

/// A page, or a piece of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FetchArguments {
    /// The URL of the page, with http:// or https://.
    pub(crate) url: String,
    /// The largest number of characters to return.
    #[serde(default)]
    pub(crate) max_length: Characters<1, LONGEST_PIECE, USUAL_PIECE>,
    /// The character to begin at: `next_start_index` of the answer before.
    #[serde(default)]
    pub(crate) start_index: Characters<0, { u32::MAX }, 0>,
    /// Return HTML as it was sent, not as Markdown.
    #[serde(default)]
    pub(crate) raw: bool,
}

/// A URL, and who asks for it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UrlArguments {
    /// The URL, with http:// or https://.
    pub(crate) url: String,
    /// The product token of the crawler that is meant, such as GPTBot. Left out: the crawler of this server.
    #[serde(default, deserialize_with = "text")]
    pub(crate) agent: Option<String>,
}

/// A robots.txt: either a site's or a text.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LintArguments {
    /// A URL of the site whose robots.txt is meant.
    #[serde(default, deserialize_with = "text")]
    pub(crate) url: Option<String>,
    /// The text of a robots.txt. Nothing is fetched then.
    #[serde(default, deserialize_with = "text")]
    pub(crate) robots: Option<String>,
}

/// A page whose Markdown is looked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageArguments {
    /// The URL of the page, with http:// or https://.
    pub(crate) url: String,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn numbers_keep_to_their_bounds() {
        let piece = |value: Value| serde_json::from_value::<Characters<1, 9, 5>>(value).map(|piece| piece.0);
        assert_eq!(piece(json!(1)).unwrap(), 1);
        assert_eq!(piece(json!(9)).unwrap(), 9);
        for wrong in [json!(0), json!(10), json!(-1), json!("5"), json!(1.5), json!(null)] {
            assert!(piece(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn schemas_are_plain() {
        for schema in [
            schema::<FetchArguments>(),
            schema::<UrlArguments>(),
            schema::<LintArguments>(),
            schema::<PageArguments>(),
        ] {
            let text = schema.to_value().to_string();
            for word in ["anyOf", "null", "exclusive", "$ref"] {
                assert!(!text.contains(word), "{word}: {text}");
            }
        }
    }
}
