//! SURT (Sort-friendly URI Reordering Transform): the sort keys of URLs in the indexes of public crawls.
//!
//! `https://www.example.com/B?y=2&x=1` has the key `com,example)/b?x=1&y=2`. Equivalent URLs have one key. The key does not
//! depend on case, scheme, `www.`, default port, user name, fragment, dot segments, repeated slashes, percent-encodings,
//! session IDs, or the order of the arguments. The rules are those of the Python package `surt` of the Internet Archive,
//! which creates the keys in the indexes of Common Crawl. The cases in `tests/it/surt.jsonl` are output of that package.
//!
//! Each step takes time linear in the length of the URL, except for sorting the arguments of the query.

use std::borrow::Cow;
use std::fmt;

use url::Host;

/// The SURT key of a URL, such as `com,example)/path`.
///
/// ```
/// use comity_formats::SurtKey;
///
/// let key = SurtKey::of_url("https://www.example.com:443/A/../B/?y=2&x=1#top").expect("a URL");
/// assert_eq!(key.as_str(), "com,example)/b?x=1&y=2");
/// assert_eq!(key.host(), Some("com,example"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SurtKey {
    text: String,
    /// Length of the host part; `None` for a URL without a host.
    host: Option<usize>,
}

impl SurtKey {
    /// Returns the key of a URL. Returns `None` for an empty text, and for a URL whose port is not a number up to 65,535.
    ///
    /// A text without a scheme counts as an `http` URL. A Unicode host is converted by the transitional form of UTS 46. The
    /// Python package `surt` uses IDNA 2003, which differs for characters that are newer than Unicode 3.2.
    pub fn of_url(url: &str) -> Option<SurtKey> {
        let url: Vec<u8> =
            url.trim_matches(is_space).bytes().filter(|byte| !b"\t\r\n".contains(byte)).collect();
        if url.is_empty() {
            return None;
        }
        let has_scheme = split_scheme(&url).is_some();
        let url = if has_scheme { url } else { [b"http://", &*url].concat() };
        let parts = Parts::of(without_repeated_schemes(&url))?;
        let query = parts.query.map(|query| query_key(&escaped(&decoded(query)))).unwrap_or_default();
        let mut key = SurtKey { text: String::with_capacity(url.len() + 8), host: None };
        let host = parts.host.as_deref().map(|host| host_key(host, parts.is_dns())).unwrap_or_default();
        let path = decoded(parts.path.as_deref().unwrap_or_default());
        if host.is_empty() {
            key.text.push_str(&String::from_utf8_lossy(parts.scheme));
            key.text.push(':');
            key.text.push_str(&path_key(&path));
            if !query.is_empty() && path.is_empty() {
                key.text.push('/');
            }
        } else {
            key.text.push_str(&host);
            if let Some(port) = parts.port.filter(|port| *port != parts.default_port()) {
                key.text.push_str(&format!(":{port}"));
            }
            key.host = Some(key.text.len());
            key.text.push(')');
            key.text.push_str(&path_key(&without_dots(&path)));
        }
        if !query.is_empty() {
            key.text.push('?');
            key.text.push_str(&query);
        }
        Some(key)
    }

    /// Returns the key.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the host part of the key, such as `com,example`. It contains the port if it is not the default of the scheme.
    /// Tables about hosts call this column `surt_host_name`.
    pub fn host(&self) -> Option<&str> {
        self.text.get(..self.host?)
    }
}

impl fmt::Display for SurtKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

/// The parts of a URL that determine the key, split as in RFC 2396 appendix B.
struct Parts<'u> {
    scheme: &'u [u8],
    host: Option<Cow<'u, [u8]>>,
    /// The port; 0 counts as no port.
    port: Option<u16>,
    path: Option<Cow<'u, [u8]>>,
    query: Option<&'u [u8]>,
}

impl<'u> Parts<'u> {
    /// Splits a URL. Returns `None` if its port is not valid.
    fn of(url: &'u [u8]) -> Option<Parts<'u>> {
        let (scheme, rest) = split_scheme(url)?;
        let rest = rest.split(|byte| *byte == b'#').next().unwrap_or_default();
        let (rest, query) = split_once(rest, b'?');
        let (authority, path) = match rest.strip_prefix(b"//") {
            Some(rest) => rest.split_at(rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len())),
            None => (&[][..], rest),
        };
        let authority = match authority.iter().rposition(|byte| *byte != b':') {
            // Colons at the end, without a port, are ignored.
            Some(last) => authority.get(..=last).unwrap_or_default(),
            None => &[],
        };
        let (host, port) = split_authority(authority)?;
        let mut parts = Parts {
            scheme,
            host: Some(lowered_up_to_zone(host)).filter(|host| !host.is_empty()),
            port: port.filter(|port| *port != 0),
            path: Some(Cow::Borrowed(path)).filter(|path| !path.is_empty()),
            query: query.filter(|query| !query.is_empty()),
        };
        // In `http:///example.com/`, the first segment of the path is the host.
        if scheme.starts_with(b"http")
            && parts.host.is_none()
            && let Some(path) = parts.path.take()
        {
            let from = path.iter().position(|byte| *byte != b'/').unwrap_or(path.len());
            let (host, rest) = split_once(path.get(from..).unwrap_or_default(), b'/');
            parts.path = Some(Cow::Owned([b"/", rest.unwrap_or_default()].concat()));
            parts.host = Some(Cow::Owned(host.to_vec()));
        }
        Some(parts)
    }

    fn is_dns(&self) -> bool {
        self.scheme == b"dns"
    }

    /// Returns the default port of the scheme; 0 if unknown.
    fn default_port(&self) -> u16 {
        match self.scheme {
            scheme if scheme.eq_ignore_ascii_case(b"http") => 80,
            scheme if scheme.eq_ignore_ascii_case(b"https") => 443,
            _ => 0,
        }
    }
}

/// Returns the scheme, and the text after its colon.
fn split_scheme(url: &[u8]) -> Option<(&[u8], &[u8])> {
    let (scheme, rest) = split_once(url, b':');
    let is_known = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic) && scheme.iter().all(is_known);
    Some((scheme, rest?)).filter(|_| is_scheme)
}

/// Removes all schemes but the last: `http://https://example.com/` becomes `https://example.com/`.
fn without_repeated_schemes(mut url: &[u8]) -> &[u8] {
    let rest = |url: &'_ [u8]| -> Option<usize> {
        ["http://", "https://"]
            .iter()
            .find(|scheme| url.starts_with(scheme.as_bytes()))
            .map(|scheme| scheme.len())
    };
    while let Some(next) = rest(url).and_then(|length| url.get(length..)).filter(|next| rest(next).is_some())
    {
        url = next;
    }
    url
}

/// Splits a text at the first occurrence of a byte.
fn split_once(text: &[u8], at: u8) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|byte| *byte == at).and_then(|index| text.split_at_checked(index)) {
        Some((before, after)) => (before, after.get(1..)),
        None => (text, None),
    }
}

/// Returns host and port of an authority, without the user. Returns `None` if the port is not a number up to 65,535.
fn split_authority(authority: &[u8]) -> Option<(&[u8], Option<u16>)> {
    let after_user = authority.iter().rposition(|byte| *byte == b'@').map_or(0, |at| at + 1);
    let authority = authority.get(after_user..).unwrap_or_default();
    let (host, port) = match split_once(authority, b'[') {
        // An IPv6 address in brackets. The brackets are not part of the key.
        (_, Some(bracketed)) => {
            let (host, rest) = split_once(bracketed, b']');
            (host, split_once(rest.unwrap_or_default(), b':').1)
        }
        (_, None) => split_once(authority, b':'),
    };
    let Some(port) = port else { return Some((host, None)) };
    let is_number = !port.is_empty() && port.iter().all(u8::is_ascii_digit);
    let number = port.iter().try_fold(0_u16, |number, digit| {
        number.checked_mul(10)?.checked_add(u16::from(digit.wrapping_sub(b'0')))
    });
    number.filter(|_| is_number).map(|number| (host, Some(number)))
}

/// Converts a host to lower case. Does not change the text after `%`, which may be the zone of an address.
fn lowered_up_to_zone(host: &[u8]) -> Cow<'_, [u8]> {
    let zone = host.iter().position(|byte| *byte == b'%').unwrap_or(host.len());
    if !host.get(..zone).unwrap_or_default().iter().any(u8::is_ascii_uppercase) {
        return Cow::Borrowed(host);
    }
    let mut host = host.to_vec();
    host.get_mut(..zone).unwrap_or_default().make_ascii_lowercase();
    Cow::Owned(host)
}

/// Decodes percent-encodings repeatedly: `%2541` becomes `A`.
///
/// A decoded byte may complete another encoding, so the end of the output is checked again after each byte.
fn decoded(text: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    for byte in text {
        decoded.push(*byte);
        while let Some([b'%', high, low]) = decoded.last_chunk::<3>()
            && let (Some(high), Some(low)) = (digit(*high), digit(*low))
        {
            decoded.truncate(decoded.len() - 3);
            decoded.push(high << 4 | low);
        }
    }
    decoded
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Percent-encodes white space, control bytes, `#`, `%` and non-ASCII bytes.
fn escaped(text: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut escaped = String::with_capacity(text.len());
    for byte in text {
        match byte {
            b'#' | b'%' | 0..=b' ' | 0x7f.. => {
                escaped.push('%');
                escaped.extend([byte >> 4, byte & 15].map(|digit| char::from(DIGITS[usize::from(digit)])));
            }
            byte => escaped.push(char::from(*byte)),
        }
    }
    escaped
}

/// Returns the labels of a host in reverse order, separated by commas.
fn host_key(host: &[u8], keeps_www: bool) -> String {
    let mut host = decoded(host);
    if !host.is_ascii() {
        host = to_ascii(&host).map_or(host, String::into_bytes);
    }
    let host = without_doubled_dots(&host);
    let host = match address(&host) {
        Some(address) => address,
        None => escaped(&host.to_ascii_lowercase()).to_ascii_lowercase(),
    };
    let host = match keeps_www {
        true => &*host,
        false => without_www(&host),
    };
    let labels: Vec<&str> = host.rsplit('.').collect();
    labels.join(",")
}

/// Converts Unicode labels to Punycode. Returns `None` if a label cannot be converted.
fn to_ascii(host: &[u8]) -> Option<String> {
    // Bytes that are not UTF-8 are removed.
    let text: String = host.utf8_chunks().map(|chunk| chunk.valid()).collect();
    // The transitional form replaces these four characters. The later rules of the crate `idna` do not.
    let text = text.replace('ß', "ss").replace('ς', "σ").replace(['\u{200c}', '\u{200d}'], "");
    let text = text.strip_suffix('.').unwrap_or(&text);
    // Labels are converted separately, so that the writing direction of other labels has no effect.
    let label = |label: &str| {
        let label = idna::domain_to_ascii_cow(label.as_bytes(), idna::AsciiDenyList::EMPTY).ok()?;
        (1..64).contains(&label.len()).then(|| label.into_owned())
    };
    let labels: Option<Vec<String>> =
        text.split(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']).map(label).collect();
    labels.map(|labels| labels.join("."))
}

/// Merges repeated dots, and removes dots at both ends.
fn without_doubled_dots(host: &[u8]) -> Vec<u8> {
    let mut single = Vec::with_capacity(host.len());
    let mut rest = host;
    while let [first, after @ ..] = rest {
        single.push(*first);
        rest = after.strip_prefix(b".").filter(|_| *first == b'.').unwrap_or(after);
    }
    let is_dot = |byte: &u8| *byte == b'.';
    let from = single.iter().position(|byte| !is_dot(byte)).unwrap_or(single.len());
    let to = single.iter().rposition(|byte| !is_dot(byte)).map_or(from, |last| last + 1);
    single.get(from..to).unwrap_or_default().to_vec()
}

/// Returns the IPv4 address for a host of digits and dots, which may be in an old notation such as octal numbers.
fn address(host: &[u8]) -> Option<String> {
    let is_numeric = host.first().is_some_and(u8::is_ascii_digit)
        && host.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    let text = std::str::from_utf8(host).ok().filter(|_| is_numeric)?;
    if !text.contains('.') {
        // A single number is reduced to its lower four bytes.
        let number = host.iter().fold(0_u32, |number, digit| {
            number.wrapping_mul(10).wrapping_add(u32::from(digit.wrapping_sub(b'0')))
        });
        return Some(std::net::Ipv4Addr::from(number).to_string());
    }
    // If the first number is octal, all numbers must be octal.
    let is_mixed = text.starts_with('0') && text.contains(['8', '9']);
    match Host::parse(text) {
        Ok(Host::Ipv4(address)) if !is_mixed => Some(address.to_string()),
        _ => None,
    }
}

/// Removes a prefix such as `www.` or `www2.`.
fn without_www(host: &str) -> &str {
    let rest = host.strip_prefix("www").map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest.and_then(|rest| rest.strip_prefix('.')).unwrap_or(host)
}

/// Resolves the segments `.` and `..`, and removes empty segments except the last.
fn without_dots(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in path.split(|byte| *byte == b'/').skip(1) {
        match segment {
            b"." => {}
            // A `..` above the root remains until the next `..` removes it.
            b".." if !kept.is_empty() => {
                kept.pop();
            }
            segment => kept.push(segment),
        }
    }
    let mut resolved = vec![b'/'];
    if let Some((last, folders)) = kept.split_last() {
        for folder in folders.iter().filter(|folder| !folder.is_empty()) {
            resolved.extend_from_slice(folder);
            resolved.push(b'/');
        }
        resolved.extend_from_slice(last);
    }
    resolved
}

/// Converts a path to lower case, and removes session IDs and a trailing slash.
fn path_key(path: &[u8]) -> String {
    let mut path = escaped(path).to_ascii_lowercase();
    for is_session in [is_named_sessions as fn(&str) -> bool, is_session] {
        if let Some(segment) = session_segment(&path, is_session) {
            path.replace_range(segment, "");
        }
    }
    match path.strip_suffix('/') {
        Some(shorter) if !shorter.is_empty() => shorter.to_owned(),
        _ => path,
    }
}

/// Returns the range of the last segment that is a session ID followed by an ASP.NET page. The range includes the slash
/// after the segment.
fn session_segment(path: &str, is_session: fn(&str) -> bool) -> Option<std::ops::Range<usize>> {
    let bytes = path.as_bytes();
    // True if `.aspx` follows before the next `?`.
    let mut is_page_behind = false;
    for (at, byte) in bytes.iter().enumerate().rev() {
        if is_page_behind && *byte != b'?' && bytes.get(..at).is_some_and(|before| before.ends_with(b")/")) {
            let end = at - 1;
            let begin = path.get(..end)?.rfind('/').map(|slash| slash + 1);
            if let Some(begin) = begin.filter(|begin| path.get(*begin..end).is_some_and(is_session)) {
                return Some(begin..at);
            }
        }
        is_page_behind = *byte != b'?'
            && (is_page_behind || bytes.get(at..).is_some_and(|rest| rest.starts_with(b".aspx")));
    }
    None
}

/// Number of letters and digits in an ASP.NET session ID.
const SESSION: usize = 24;

fn is_alphanumeric(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns true if a segment has the form `(abc…)`.
fn is_session(segment: &str) -> bool {
    let inner = segment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    inner.is_some_and(|inner| inner.len() == SESSION && is_alphanumeric(inner))
}

/// Returns true if a segment has the form `(S(abc…)F(abc…))`.
fn is_named_sessions(segment: &str) -> bool {
    let inner = segment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let Some(inner) = inner.filter(|inner| !inner.is_empty()) else { return false };
    inner.as_bytes().chunks(SESSION + 3).all(|one| {
        let (name, session) = one.split_at(1);
        let is_name = name.iter().all(u8::is_ascii_alphabetic);
        is_name && one.len() == SESSION + 3 && std::str::from_utf8(session).is_ok_and(is_session)
    })
}

/// Converts a query to lower case, removes session IDs, and sorts the arguments. The result may be empty.
fn query_key(query: &str) -> String {
    let mut query = query.to_ascii_lowercase();
    for name in ["jsessionid=", "phpsessid=", "sid="] {
        strip_session(&mut query, |argument| {
            let session = argument.len().checked_sub(32).filter(|at| argument.is_char_boundary(*at))?;
            let (before, session) = argument.split_at(session);
            before.strip_suffix(name).filter(|_| is_alphanumeric(session)).map(str::len)
        });
    }
    strip_session(&mut query, |argument| {
        let (before, session) = argument.rsplit_once('=')?;
        let letters = before.len().checked_sub(8).filter(|at| before.is_char_boundary(*at))?;
        let (before, letters) = before.split_at(letters);
        let is_letters = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_it = session.len() == SESSION && is_letters(session) && is_letters(letters);
        before.strip_suffix("aspsessionid").filter(|_| is_it).map(str::len)
    });
    strip_pair(&mut query);
    let mut arguments: Vec<(&str, Option<&str>)> = query
        .split('&')
        .map(|argument| match argument.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (argument, None),
        })
        .collect();
    arguments.sort_unstable();
    let mut sorted = String::with_capacity(query.len());
    for (number, (name, value)) in arguments.into_iter().enumerate() {
        sorted.push_str(if number > 0 { "&" } else { "" });
        sorted.push_str(name);
        sorted.extend(value.into_iter().flat_map(|value| ["=", value]));
    }
    sorted
}

/// Removes the last session ID in the query, and the `&` after it. `begin` returns the start of a session ID at the end of an
/// argument.
fn strip_session(query: &mut String, begin: impl Fn(&str) -> Option<usize>) {
    let mut end = query.len();
    loop {
        let from = query.get(..end).and_then(|before| before.rfind('&')).map_or(0, |and| and + 1);
        if let Some(length) = query.get(from..end).and_then(&begin) {
            let to = (end + 1).min(query.len());
            query.replace_range(from + length..to, "");
            return;
        }
        match from.checked_sub(1) {
            Some(and) => end = and,
            None => return,
        }
    }
}

/// Removes the last ColdFusion session, `cfid=1&cftoken=2`, and the `&` after it.
fn strip_pair(query: &mut String) {
    let mut end = query.len();
    // The end of the following argument, if that argument is the second half of a session.
    let mut second: Option<usize> = None;
    loop {
        let from = query.get(..end).and_then(|before| before.rfind('&')).map_or(0, |and| and + 1);
        let Some(argument) = query.get(from..end) else { return };
        // The value has at least one byte.
        let named = argument.get(..argument.len().saturating_sub(1)).unwrap_or_default().rfind("cfid=");
        if let (Some(at), Some(second)) = (named, second) {
            let to = (second + 1).min(query.len());
            query.replace_range(from + at..to, "");
            return;
        }
        second = (argument.starts_with("cftoken=") && argument.len() > "cftoken=".len()).then_some(end);
        match from.checked_sub(1) {
            Some(and) => end = and,
            None => return,
        }
    }
}
