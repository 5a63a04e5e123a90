//! What the tools take, declared once for the code and its schema.
//!
//! The schemas keep to what every client reads: no null, no alternatives, bounds that are inclusive.

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::shape::{Shape, shape};

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

impl<const LEAST: u32, const MOST: u32, const USUAL: u32> Shape for Characters<LEAST, MOST, USUAL> {
    const MAY_BE_LEFT_OUT: bool = true;

    fn schema() -> Value {
        json!({ "type": "integer", "minimum": LEAST, "maximum": MOST, "default": USUAL })
    }
}

/// A text that may be left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Maybe(pub(crate) Option<String>);

impl<'de> Deserialize<'de> for Maybe {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Models write null or nothing for what they leave out.
        let text = Option::<String>::deserialize(deserializer)?;
        Ok(Maybe(text.filter(|text| !text.trim().is_empty())))
    }
}

impl Shape for Maybe {
    const MAY_BE_LEFT_OUT: bool = true;

    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

shape! {
    question
    /// A page, or a piece of it.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    FetchArguments {
        /// The URL of the page, with http:// or https://.
        url: String,
        /// The largest number of characters to return.
        #[serde(default)]
        max_length: Characters<1, LONGEST_PIECE, USUAL_PIECE>,
        /// The character to begin at: `next_start_index` of the answer before.
        #[serde(default)]
        start_index: Characters<0, { u32::MAX }, 0>,
        /// Return HTML as it was sent, not as Markdown.
        #[serde(default)]
        raw: bool,
    }
}

shape! {
    question
    /// A URL, and who asks for it.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    UrlArguments {
        /// The URL, with http:// or https://.
        url: String,
        /// The product token of the crawler that is meant, such as GPTBot. Left out: the crawler of this server.
        #[serde(default)]
        agent: Maybe,
    }
}

shape! {
    question
    /// A robots.txt: either a site's or a text.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    LintArguments {
        /// A URL of the site whose robots.txt is meant.
        #[serde(default)]
        url: Maybe,
        /// The text of a robots.txt. Nothing is fetched then.
        #[serde(default)]
        robots: Maybe,
    }
}

shape! {
    question
    /// A page whose Markdown is looked for.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    PageArguments {
        /// The URL of the page, with http:// or https://.
        url: String,
    }
}

#[cfg(test)]
mod tests {
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
            FetchArguments::schema(),
            UrlArguments::schema(),
            LintArguments::schema(),
            PageArguments::schema(),
        ] {
            let text = schema.to_string();
            for word in ["anyOf", "null", "exclusive", "$ref"] {
                assert!(!text.contains(word), "{word}: {text}");
            }
        }
    }
}
