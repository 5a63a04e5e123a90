//! Arguments of the tools. Each type defines the parser and the JSON Schema.
//!
//! The schemas use only features that every client supports: no null, no `anyOf`, no exclusive bounds.

use std::borrow::Cow;
use std::fmt;

use comity::agents::Purpose;
use comity_answers::schema;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, IntoDeserializer};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Maximum length of a piece of a page, in characters, as in the protocol's reference server `fetch`.
const MAX_PIECE: u32 = 999_999;

/// Default length of a piece of a page, in characters, as in the protocol's reference server `fetch`.
const DEFAULT_PIECE: u32 = 5_000;

/// A number of characters between `LEAST` and `MOST`, with the default `USUAL`.
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
        let wrong = |written: &dyn fmt::Display| {
            D::Error::custom(format!("{written} is not a whole number from {LEAST} to {MOST}"))
        };
        let written = match Value::deserialize(deserializer)? {
            // Some clients send numbers as strings.
            Value::String(text) => text.trim().parse().map_err(|_| wrong(&format_args!("`{text}`")))?,
            other => other,
        };
        let number = written.as_u64().and_then(|number| u32::try_from(number).ok());
        let number = number.filter(|number| (LEAST..=MOST).contains(number));
        number.map(Characters).ok_or_else(|| wrong(&written))
    }
}

/// Parses a boolean, which some clients send as a string.
fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let written = Value::deserialize(deserializer)?;
    let text = written.as_str().map(|text| text.trim().to_ascii_lowercase());
    match (&written, text.as_deref()) {
        (Value::Bool(flag), _) => Ok(*flag),
        (_, Some("true")) => Ok(true),
        (_, Some("false")) => Ok(false),
        _ => Err(D::Error::custom(format!("{written} is neither true nor false"))),
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

/// Parses an optional text. Null and an empty string count as missing, because models write them for a missing
/// argument.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.filter(|text| !text.trim().is_empty()))
}

/// Returns the schema of the arguments of a tool.
pub(super) fn schema<T: JsonSchema>() -> Schema {
    let mut schema = schema::request::<T>();
    transform_subschemas(&mut schema::remove_null, &mut schema);
    schema
}

/// Parses an optional purpose of crawlers.
fn purpose<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Purpose>, D::Error> {
    let word = text(deserializer)?;
    word.map(|word| Purpose::deserialize(word.trim().into_deserializer())).transpose()
}

/// Arguments of `fetch`: a page, and the piece of its text to return.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FetchArguments {
    /// The URL of the page, with http:// or https://.
    pub(crate) url: String,
    /// The maximum number of characters to return.
    #[serde(default)]
    pub(crate) max_length: Characters<1, MAX_PIECE, DEFAULT_PIECE>,
    /// The index of the first character: `next_start_index` of the previous answer.
    #[serde(default)]
    pub(crate) start_index: Characters<0, { u32::MAX }, 0>,
    /// Return HTML unchanged, not as Markdown.
    #[serde(default, deserialize_with = "flag")]
    pub(crate) raw: bool,
}

/// Arguments of `check_url` and `explain`: a URL and a crawler.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UrlArguments {
    /// The URL, with http:// or https://.
    pub(crate) url: String,
    /// The product token of the crawler in question, such as GPTBot. Default: the crawler of this server.
    #[serde(default, deserialize_with = "text")]
    pub(crate) agent: Option<String>,
}

/// Arguments of `site_policy`: a site, a crawler, and the crawlers to list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SiteArguments {
    /// A URL of the site, with http:// or https://.
    pub(crate) url: String,
    /// The product token of the crawler in question, such as GPTBot. Default: the crawler of this server.
    #[serde(default, deserialize_with = "text")]
    pub(crate) agent: Option<String>,
    /// List known crawlers of this purpose only. Default: all purposes.
    #[serde(default, deserialize_with = "purpose")]
    pub(crate) purpose: Option<Purpose>,
}

/// Arguments of `lint_robots`: a site, or the text of a robots.txt.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LintArguments {
    /// A URL of the site whose robots.txt is checked.
    #[serde(default, deserialize_with = "text")]
    pub(crate) url: Option<String>,
    /// The text of a robots.txt, instead of `url`.
    #[serde(default, deserialize_with = "text")]
    pub(crate) robots: Option<String>,
}

/// Arguments of `find_markdown`: a page.
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
    fn number_outside_its_bounds_is_refused_with_the_bounds() {
        let piece = |value: Value| serde_json::from_value::<Characters<1, 9, 5>>(value).map(|piece| piece.0);
        for (written, number) in [(json!(1), 1), (json!(9), 9), (json!("5"), 5), (json!(" 9 "), 9)] {
            assert_eq!(piece(written).unwrap(), number);
        }
        for wrong in [
            json!(0),
            json!(10),
            json!(-1),
            json!(1.5),
            json!(null),
            json!(true),
            json!([1]),
            json!("0"),
            json!("10"),
            json!("1.5"),
            json!("five"),
            json!(""),
            json!("[1]"),
        ] {
            let error = piece(wrong.clone()).unwrap_err().to_string();
            assert!(error.ends_with("is not a whole number from 1 to 9"), "{wrong}: {error}");
        }
    }

    #[test]
    fn flag_sent_as_a_string_is_read() {
        for (written, is_set) in [(json!(true), true), (json!(" True "), true), (json!("false"), false)] {
            assert_eq!(flag(written).unwrap(), is_set);
        }
        for wrong in [json!("yes"), json!(1), json!(null), json!("")] {
            assert!(
                flag(wrong.clone()).unwrap_err().to_string().ends_with("neither true nor false"),
                "{wrong}"
            );
        }
    }

    #[test]
    fn schemas_use_only_common_features() {
        for schema in [
            schema::<FetchArguments>(),
            schema::<UrlArguments>(),
            schema::<SiteArguments>(),
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
