//! Validated product tokens of crawlers.
//!
//! A whole `User-Agent` header that is passed as a token matches no group: the crawler would silently follow the rules
//! of `*` instead of its own rules. Input that cannot be a token is therefore rejected.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use crate::agents;
use crate::robots::read::text;

/// A text that can be a crawler's product token.
///
/// A token is not empty, is not `*`, and contains no `/`, `(`, `;` or `,` and no control character. It contains white
/// space only if it is a name of the [catalogue](crate::agents) (`Kangaroo Bot`), or such a name with a version after
/// it (`Brightbot 1.0`). RFC 9309 §2.2.1 permits only letters, `-` and `_`, but many crawlers have digits and dots in
/// their names.
///
/// ```
/// use comity::robots::{Agent, ProductToken};
///
/// let token: ProductToken = "ExampleBot".parse()?;
/// assert_eq!(Agent::from(token), Agent::token("ExampleBot")?);
/// assert!("ExampleBot/1.0".parse::<ProductToken>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProductToken(String);

impl ProductToken {
    /// Returns the token.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the reason why a text cannot be a product token; `None` if it can be one.
    fn refusal(text: &str) -> Option<Refusal> {
        let is_refused = |c: &char| matches!(c, '/' | '(' | ';' | ',') || c.is_control();
        if text.trim().is_empty() {
            Some(Refusal::Empty)
        } else if text == "*" {
            Some(Refusal::Star)
        } else if let Some(found) = text.chars().find(is_refused) {
            Some(Refusal::Contains(found))
        } else if text.contains(char::is_whitespace) && !is_known(text) {
            Some(Refusal::WhiteSpace)
        } else {
            None
        }
    }
}

/// Returns true if the catalogue contains the name, with or without a version after it.
fn is_known(name: &str) -> bool {
    let is_version =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    agents::known(name).is_some()
        || name
            .rsplit_once(' ')
            .is_some_and(|(name, version)| is_version(version) && agents::known(name).is_some())
}

impl FromStr for ProductToken {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match ProductToken::refusal(text) {
            None => Ok(ProductToken(text.to_owned())),
            Some(refusal) => Err(TokenError { shown: text::shortened(text.as_bytes()), refusal }),
        }
    }
}

impl fmt::Display for ProductToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl AsRef<str> for ProductToken {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<ProductToken> for String {
    fn from(token: ProductToken) -> String {
        token.0
    }
}

/// The error for a text that cannot be a product token.
///
/// Its message ends with advice for Rust: the way to pass a whole header. Other front ends show [`TokenError::problem`]
/// and their own advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenError {
    shown: String,
    refusal: Refusal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    Empty,
    Star,
    Contains(char),
    WhiteSpace,
}

impl TokenError {
    /// Returns the problem without the advice.
    ///
    /// ```
    /// use comity::robots::Agent;
    ///
    /// let error = Agent::token("ExampleBot/1.0").unwrap_err();
    /// assert_eq!(error.problem(), "`ExampleBot/1.0` is not a product token: it contains `/`");
    /// ```
    pub fn problem(&self) -> Cow<'static, str> {
        let TokenError { shown, refusal } = self;
        match refusal {
            Refusal::Empty => "an empty text is not a product token".into(),
            Refusal::Star => {
                "`*` is not a product token: it means every crawler that no group names".into()
            }
            Refusal::Contains(c) if c.is_control() => {
                format!("`{shown}` is not a product token: it contains a control character").into()
            }
            Refusal::Contains(c) => format!("`{shown}` is not a product token: it contains `{c}`").into(),
            Refusal::WhiteSpace => format!(
                "`{shown}` is not a product token: it contains white space, and no known crawler has this name"
            )
            .into(),
        }
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}; pass only the crawler's name, such as `ExampleBot`, or a whole User-Agent header by `Agent::header`",
            self.problem()
        )
    }
}

impl std::error::Error for TokenError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_of_a_crawler_is_a_token() {
        for name in ["ExampleBot", "AI2Bot", "bigsur.ai", "Brightbot 1.0", "kangaroo bot", "b\u{f6}t", "foo*"]
        {
            assert_eq!(name.parse::<ProductToken>().expect(name).as_str(), name);
        }
        for known in agents::all() {
            assert!(known.token().parse::<ProductToken>().is_ok(), "{}", known.token());
        }
    }

    #[test]
    fn text_that_is_not_a_name_is_rejected_with_the_reason() {
        for (text, reason) in [
            ("", "empty"),
            (" \t", "empty"),
            ("*", "every crawler"),
            ("ExampleBot/1.0", "it contains `/`"),
            ("Mozilla/5.0 (compatible; ExampleBot/1.0)", "it contains `/`"),
            ("(ExampleBot)", "it contains `(`"),
            ("a;b", "it contains `;`"),
            ("a,b", "it contains `,`"),
            ("Example\u{1}Bot", "a control character"),
            ("Example\tBot", "a control character"),
            ("Example Bot", "white space"),
            ("GPTBot ", "white space"),
            ("Example 1.0", "white space"),
        ] {
            let error = text.parse::<ProductToken>().expect_err(text);
            assert!(error.problem().contains(reason), "{text:?}: {error}");
            assert!(error.to_string().ends_with("by `Agent::header`"), "{error}");
        }
    }
}
