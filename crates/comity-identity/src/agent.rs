//! `Signature-Agent`: the address at which a signer publishes its keys (§5.2.1 and §5.5 of the draft).

use std::fmt;
use std::str::FromStr;

use comity::http::Headers;
use sfv::{BareItem, Dictionary, Item, ListEntry, Parser};
use url::Url;

use crate::fields;

/// The name of the header field.
pub(crate) const FIELD: &str = "signature-agent";

/// The path at which an origin publishes its keys (§8.1).
pub const WELL_KNOWN_PATH: &str = "/.well-known/http-message-signatures-directory";

/// Maximum length of a URL in `Signature-Agent`, in bytes.
const MAX_URL_BYTES: usize = 2048;

/// The revision of the draft for reading and writing `Signature-Agent`.
///
/// A URL without a parameter is an origin in `Draft00`, with the directory at its well-known path. In `Draft01` it is the address
/// of the keys. So a value must be read by the rules of its revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Revision {
    /// draft-ietf-webbotauth-httpsig-protocol-00 of September 2026: members may have a parameter `type`.
    #[default]
    Draft00,
    /// draft-ietf-webbotauth-httpsig-protocol-01 of 29 October 2026: every value is the address of the keys, and a member with
    /// parameters is ignored.
    Draft01,
}

impl Revision {
    /// Returns the name of the draft.
    pub const fn draft(self) -> &'static str {
        match self {
            Revision::Draft00 => "draft-ietf-webbotauth-httpsig-protocol-00",
            Revision::Draft01 => "draft-ietf-webbotauth-httpsig-protocol-01",
        }
    }
}

/// The kinds of addresses at which keys are published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DiscoveryType {
    /// The well-known path of an origin (`directory`), whose operator vouches for the keys.
    Directory,
    /// The address of a JWK Set at any URL (`jwks_uri`).
    JwksUri,
}

/// The address at which a signer publishes its keys.
///
/// Its identifier is the normalized URL without query and fragment. Verified requests are attributed to this identifier.
///
/// ```
/// use comity_identity::Discovery;
///
/// let discovery = Discovery::directory("https://Bot.example")?;
/// assert_eq!(discovery.identifier(), "https://bot.example/.well-known/http-message-signatures-directory");
/// assert_eq!(Discovery::jwks_uri("https://bot.example/k%65ys?v=2")?.identifier(), "https://bot.example/keys");
/// assert!(Discovery::directory("http://bot.example").is_err());
/// # Ok::<(), comity_identity::DiscoveryError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discovery {
    kind: DiscoveryType,
    url: Url,
    identifier: String,
    /// The identifier with the query. Keys are cached separately for each query.
    address: String,
}

/// Parses text from users: an origin, which means the directory at its well-known path, or the URL of a JWK Set.
///
/// ```
/// use comity_identity::{Discovery, DiscoveryType};
///
/// let address: Discovery = "https://bot.example".parse()?;
/// assert_eq!(address, Discovery::directory("https://bot.example")?);
/// let address: Discovery = "https://bot.example/keys.json".parse()?;
/// assert_eq!(address.kind(), DiscoveryType::JwksUri);
/// # Ok::<(), comity_identity::DiscoveryError>(())
/// ```
impl FromStr for Discovery {
    type Err = DiscoveryError;

    fn from_str(url: &str) -> Result<Self, DiscoveryError> {
        match Discovery::directory(url) {
            Err(DiscoveryError::NotAnOrigin) => Discovery::jwks_uri(url),
            address => address,
        }
    }
}

/// Writes the [identifier](Discovery::identifier).
impl fmt::Display for Discovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.identifier)
    }
}

impl Discovery {
    /// Creates the address at the well-known path of an origin, such as `https://bot.example`.
    ///
    /// # Errors
    ///
    /// Returns [`DiscoveryError`] if the text is not an `https` URL, or has more parts than an origin.
    pub fn directory(origin: &str) -> Result<Self, DiscoveryError> {
        let mut url = https(origin)?;
        if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
            return Err(DiscoveryError::NotAnOrigin);
        }
        url.set_path(WELL_KNOWN_PATH);
        Ok(Discovery::at(DiscoveryType::Directory, url))
    }

    /// Creates the address for the URL of a JWK Set.
    ///
    /// # Errors
    ///
    /// Returns [`DiscoveryError`] if the text is not an `https` URL.
    pub fn jwks_uri(url: &str) -> Result<Self, DiscoveryError> {
        let url = https(url)?;
        let kind =
            if url.path() == WELL_KNOWN_PATH { DiscoveryType::Directory } else { DiscoveryType::JwksUri };
        Ok(Discovery::at(kind, url))
    }

    fn at(kind: DiscoveryType, mut url: Url) -> Self {
        url.set_fragment(None);
        let identifier = normal(&url);
        let address = url.query().map_or_else(|| identifier.clone(), |query| format!("{identifier}?{query}"));
        Discovery { kind, url, identifier, address }
    }

    /// Returns the kind of the address.
    pub fn kind(&self) -> DiscoveryType {
        self.kind
    }

    /// Returns the URL to fetch, with its query.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the name of the signer: the URL without query, in normal form (RFC 3986 §6.2.2, §6.2.3).
    pub fn identifier(&self) -> &str {
        &self.identifier
    }

    /// Returns the normalized URL with its query, under which the keys are cached. The sender of a request chooses the
    /// query. If the cache ignored the query, a sender could displace the keys of another signer.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the member of `Signature-Agent` for this address, without its dictionary key.
    pub(crate) fn to_member(&self, revision: Revision) -> String {
        // A printed URL is ASCII, without quotes and backslashes that would need escapes.
        match (revision, self.kind, self.url.query()) {
            (Revision::Draft00, DiscoveryType::Directory, None) => {
                format!("\"{}\"", self.url.origin().ascii_serialization())
            }
            (Revision::Draft00, ..) => format!("\"{}\";type=jwks_uri", self.url),
            (Revision::Draft01, ..) => format!("\"{}\"", self.url),
        }
    }

    fn read(item: &Item, revision: Revision) -> Result<Self, DiscoveryError> {
        let text = item.bare_item.as_string().ok_or(DiscoveryError::NotAString)?.as_str();
        if revision == Revision::Draft01 {
            return if item.params.is_empty() {
                Discovery::jwks_uri(text)
            } else {
                Err(DiscoveryError::Ignored)
            };
        }
        match item.params.get("type") {
            None => Discovery::directory(text),
            Some(BareItem::Token(kind)) if kind.as_str() == "directory" => Discovery::directory(text),
            Some(BareItem::Token(kind)) if kind.as_str() == "jwks_uri" => Discovery::jwks_uri(text),
            Some(_) => {
                https(text)?;
                Err(DiscoveryError::UnknownType)
            }
        }
    }
}

fn https(text: &str) -> Result<Url, DiscoveryError> {
    if text.len() > MAX_URL_BYTES {
        return Err(DiscoveryError::TooLong);
    }
    // The URL standard would accept `https:a` and text with surrounding spaces.
    let is_absolute = text.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://"));
    if !is_absolute {
        return Err(DiscoveryError::NotHttps);
    }
    if !text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\') {
        return Err(DiscoveryError::NotAUrl);
    }
    let url = Url::parse(text).map_err(|_| DiscoveryError::NotAUrl)?;
    if url.username().is_empty() && url.password().is_none() { Ok(url) } else { Err(DiscoveryError::NotAUrl) }
}

/// Returns a URL without query and fragment, with equivalent spellings normalized to one.
fn normal(url: &Url) -> String {
    let mut path = Vec::with_capacity(url.path().len());
    let mut rest = url.path().as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = match rest {
            [b'%', high, low, ..] => hex(*high).zip(hex(*low)).map(|(high, low)| high * 16 + low),
            _ => None,
        };
        match escaped {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => path.push(byte),
            Some(_) => path.extend(rest[..3].to_ascii_uppercase()),
            None => path.push(*first),
        }
        rest = if escaped.is_some() { &rest[3..] } else { after };
    }
    format!("{}{}", url.origin().ascii_serialization(), String::from_utf8_lossy(&path))
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// The reasons why an address of keys cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DiscoveryError {
    /// The value is not a string.
    #[error("the value is not a string")]
    NotAString,
    /// The scheme is not `https`.
    #[error("the URL is not `https`")]
    NotHttps,
    /// The value is not a URL, or has credentials.
    #[error("the value is not a URL, or contains credentials")]
    NotAUrl,
    /// The value is too long.
    #[error("the URL is too long")]
    TooLong,
    /// The address of a directory has more parts than an origin.
    #[error("a directory is given by its origin alone, such as `https://bot.example`")]
    NotAnOrigin,
    /// The parameter `type` has an unsupported value, such as `cimd`.
    #[error("the type of discovery is not supported")]
    UnknownType,
    /// The revision ignores members with parameters.
    #[error("members with parameters are ignored")]
    Ignored,
}

/// The field `Signature-Agent` of a request.
pub(crate) enum SignatureAgent {
    Dictionary(Dictionary),
    /// The form of earlier drafts: one string.
    Bare(Item),
}

/// The field is too long, or neither a dictionary nor a string.
#[derive(Debug)]
pub(crate) struct InvalidAgentField;

impl SignatureAgent {
    pub(crate) fn read(headers: &Headers<'_>) -> Result<Option<Self>, InvalidAgentField> {
        let Some(value) = fields::combined(headers, FIELD) else { return Ok(None) };
        if value.first() == Some(&b'"') && value.len() <= MAX_URL_BYTES {
            let item = Parser::new(&value).parse().map_err(|_| InvalidAgentField)?;
            return Ok(Some(SignatureAgent::Bare(item)));
        }
        let dictionary = fields::dictionary(headers, FIELD).map_err(|_| InvalidAgentField)?;
        Ok(dictionary.map(SignatureAgent::Dictionary))
    }

    /// Returns the address of the keys in a member, or `None` if the member does not exist.
    pub(crate) fn member(&self, key: &str, revision: Revision) -> Option<Result<Discovery, DiscoveryError>> {
        match self {
            SignatureAgent::Bare(item) => Some(Discovery::read(item, revision)),
            SignatureAgent::Dictionary(members) => Some(match members.get(key)? {
                ListEntry::Item(item) => Discovery::read(item, revision),
                ListEntry::InnerList(_) => Err(DiscoveryError::NotAString),
            }),
        }
    }
}
