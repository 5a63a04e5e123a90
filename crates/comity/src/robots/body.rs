//! The body of a robots.txt: bytes that a server sent, or text.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The body of a robots.txt: bytes as a server sent them, or text that is already decoded.
///
/// Dialects that match characters decode bytes by the charset of the `Content-Type`. Without a `Content-Type`, they use
/// the default charset of the program that the dialect reproduces. A charset has no effect on text, which is UTF-8.
/// Functions that read a robots.txt accept every type that converts to a body; `str` and related types become text.
///
/// ```
/// use comity::robots::{Agent, Body, Dialect, RobotsTxt};
///
/// let text = "User-agent: *\nDisallow: /é\n";
/// let agent = Agent::token("examplebot")?;
/// let allows = |body: Body<'_>| {
///     let robots = RobotsTxt::parse_as(body, Dialect::Gym2008);
///     robots.rules_for(&agent).is_allowed("/é")
/// };
/// assert!(!allows(Body::from(text))?);
/// // robotexclusionrulesparser reads bytes without a charset as ISO-8859-1.
/// assert!(allows(Body::from(text.as_bytes()))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Body<'b> {
    bytes: &'b [u8],
    is_text: bool,
}

impl<'b> Body<'b> {
    /// Makes a text body from UTF-8 bytes. Invalid sequences are read as U+FFFD or unchanged, depending on the dialect.
    pub const fn utf8(text: &'b [u8]) -> Self {
        Body { bytes: text, is_text: true }
    }

    /// Returns the bytes. The bytes of a text are UTF-8.
    pub const fn as_bytes(self) -> &'b [u8] {
        self.bytes
    }

    /// Returns true if the body is text rather than bytes.
    pub const fn is_text(self) -> bool {
        self.is_text
    }

    /// Returns the charset that applies, given the declared charset.
    pub(crate) fn charset(self, declared: Option<&str>) -> Option<&str> {
        if self.is_text { Some("utf-8") } else { declared }
    }
}

impl fmt::Debug for Body<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = if self.is_text { "text" } else { "bytes" };
        write!(f, "Body({form}, `{}`)", super::read::text::shortened(self.bytes))
    }
}

impl<'b, const N: usize> From<&'b [u8; N]> for Body<'b> {
    fn from(bytes: &'b [u8; N]) -> Self {
        Body { bytes, is_text: false }
    }
}

macro_rules! from_bytes {
    ($($type:ty),*) => {$(
        impl<'b> From<&'b $type> for Body<'b> {
            fn from(bytes: &'b $type) -> Self {
                Body { bytes, is_text: false }
            }
        }
    )*};
}

macro_rules! from_text {
    ($($type:ty),*) => {$(
        impl<'b> From<&'b $type> for Body<'b> {
            fn from(text: &'b $type) -> Self {
                Body::utf8(text.as_bytes())
            }
        }
    )*};
}

from_bytes!([u8], &[u8], Vec<u8>, Box<[u8]>, Arc<[u8]>, Cow<'_, [u8]>);
from_text!(str, &str, String, Box<str>, Arc<str>, Cow<'_, str>);
