//! Parses XML into a [`LicenseDocument`].
//!
//! The parser reads the XML once and has a stack of the open elements. Elements of other namespaces are extensions,
//! which are skipped with their content. An element of RSL's namespace that RSL does not permit at its place makes the
//! document non-conformant. In a feed, the license elements are children of its items (RSL 1.0 §4.7).

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::{Namespace, ResolveResult};
use quick_xml::{NsReader, XmlVersion};

use super::{Content, LicenseDocument, LicenseError, List, MAX_RSL_BYTES, MAX_RSL_DEPTH, NAMESPACE};
use super::{Coverage, License, Payment};
use crate::finding::{Channel, Kind, quoted};
use crate::robots::scope::Scope;
use crate::usage::citation::shown;
use crate::usage::document_findings::{DocumentFindings, FindingPosition};
use crate::usage::kinds;

/// Maximum age in days of a document without `max-age` (RSL 1.0 §3.2).
const DEFAULT_MAX_AGE: u32 = 30;

/// Elements of a `content` that grant and deny nothing.
const OTHER_ELEMENTS: [&str; 4] = ["alternate", "schema", "copyright", "terms"];

/// Elements that may occur only once in their parent (RSL 1.0 §3.7 to §3.17).
const AT_MOST_ONCE: [&str; 8] =
    ["payment", "standard", "custom", "amount", "accepts", "schema", "copyright", "terms"];

/// Types of reports that a client may have to send (RSL 1.0 §3.12).
const REPORTING_TYPES: [&str; 3] = ["telemetry", "provenance", "audit"];

/// Types of legal statements (RSL 1.0 §3.13).
const LEGAL_TYPES: [&str; 5] = ["warranty", "disclaimer", "attestation", "contact", "proof"];

/// Tokens for uses.
const USAGE_TOKENS: [&str; 6] = ["all", "ai-all", "ai-train", "ai-input", "ai-index", "search"];

/// Tokens for classes of users.
const USER_TOKENS: [&str; 5] = ["commercial", "non-commercial", "education", "government", "personal"];

/// Tokens for methods of payment (RSL 1.0 §3.7).
const PAYMENT_TOKENS: [&str; 8] =
    ["purchase", "subscription", "training", "crawl", "use", "contribution", "attribution", "free"];

impl LicenseDocument {
    /// Parses a document, or a feed whose items contain licenses: RSS (RSL 1.0 §4.7) or, by analogy, Atom. A byte order
    /// mark and surrounding white space are ignored. Use [`at`](LicenseDocument::at) to set the URL of a feed, if it is
    /// known.
    ///
    /// # Errors
    ///
    /// Returns [`LicenseError`] if the text is too large or too deep, has a `DOCTYPE`, or is not RSL, such as a feed
    /// without licenses.
    pub fn parse(text: &[u8]) -> Result<Self, LicenseError> {
        LicenseDocument::parse_at(text, Channel::RslDocument, 1)
    }

    /// Parses a document that starts on a given line of another text.
    pub(in crate::usage) fn parse_at(text: &[u8], channel: Channel, line: u32) -> Result<Self, LicenseError> {
        if text.len() > MAX_RSL_BYTES {
            return Err(LicenseError::TooLarge { bytes: text.len() });
        }
        let text = std::str::from_utf8(text).map_err(|_| LicenseError::NotUtf8)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut walk = Walk::new(text, channel, line);
        walk.run()?;
        Ok(walk.document)
    }
}

/// The kind of an open element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenElement {
    Rsl,
    /// A feed, outside its items.
    Feed,
    /// An item of a feed.
    Item,
    Content,
    License,
    /// `permits` (true) or `prohibits` (false), with its type.
    Terms(bool, Option<Type>),
    Payment,
    /// A child of `payment` whose text is stored.
    PaymentDetail,
    /// An element whose content is ignored.
    Other,
    /// An element of another namespace.
    Extension,
}

/// The type of a `permits` or `prohibits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Usage,
    User,
    Geo,
}

struct Walk<'t> {
    text: &'t str,
    document: LicenseDocument,
    stack: Vec<OpenElement>,
    /// For each element of the stack, the children that may occur only once and have been read.
    seen: Vec<Vec<&'static str>>,
    /// In a feed, the number of open elements inside the extension at the top of the stack. They are only counted,
    /// since items may contain whole pages.
    skipped_depth: usize,
    /// The text of the open `permits`, `prohibits` or child of `payment`.
    kept: String,
    has_root: bool,
    /// The line at the position `counted`.
    line: u32,
    counted: usize,
}

impl<'t> Walk<'t> {
    fn new(text: &'t str, channel: Channel, line: u32) -> Self {
        let document = LicenseDocument {
            contents: Vec::new(),
            max_age: DEFAULT_MAX_AGE,
            is_conformant: true,
            is_feed: false,
            findings: DocumentFindings::new(channel),
        };
        Walk {
            text,
            document,
            stack: Vec::new(),
            seen: Vec::new(),
            skipped_depth: 0,
            kept: String::new(),
            has_root: false,
            line,
            counted: 0,
        }
    }

    fn run(&mut self) -> Result<(), LicenseError> {
        let mut reader = NsReader::from_str(self.text);
        loop {
            let event = reader.read_resolved_event();
            let (is_rsl, event) = match event {
                Ok((namespace, event)) => (namespace == ResolveResult::Bound(Namespace(NAMESPACE)), event),
                Err(error) => return Err(self.no_xml(reader.error_position(), error.to_string())),
            };
            self.pass(reader.buffer_position());
            match event {
                Event::Start(element) => self.start(&element, is_rsl)?,
                Event::Empty(element) => {
                    self.start(&element, is_rsl)?;
                    self.end();
                }
                Event::End(_) => self.end(),
                Event::Text(text) => self.text(&text)?,
                Event::CData(text) => self.text(&text)?,
                Event::GeneralRef(reference) => self.reference(&reference)?,
                Event::DocType(_) => return Err(LicenseError::Doctype { line: self.line }),
                Event::Eof => break,
                Event::Comment(_) | Event::PI(_) | Event::Decl(_) => {}
            }
        }
        let is_empty_feed = self.document.is_feed && self.document.contents.is_empty();
        match (self.has_root && !is_empty_feed, self.stack.is_empty()) {
            (false, _) => Err(LicenseError::NotRsl { line: self.line }),
            (true, false) => Err(self.no_xml(self.text.len() as u64, "an element does not end".to_owned())),
            (true, true) => Ok(()),
        }
    }

    /// Counts lines up to a position. Positions only increase, so that each line is counted once.
    fn pass(&mut self, position: u64) {
        let end = usize::try_from(position).unwrap_or(usize::MAX).min(self.text.len());
        let passed = self.text.as_bytes().get(self.counted..end).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', passed).count() as u32;
        self.counted = self.counted.max(end);
    }

    fn no_xml(&mut self, position: u64, reason: String) -> LicenseError {
        self.pass(position);
        LicenseError::NotXml { line: self.line, reason: shown(reason.as_bytes()) }
    }

    fn report(&mut self, kind: &'static Kind, message: impl FnOnce() -> String) {
        self.document.findings.detail(kind, FindingPosition::Line(self.line), message);
    }

    /// Reports a finding, and marks the document as non-conformant.
    fn violation(&mut self, kind: &'static Kind, message: impl FnOnce() -> String) {
        self.document.is_conformant = false;
        self.report(kind, message);
    }

    fn start(&mut self, element: &BytesStart<'_>, is_rsl: bool) -> Result<(), LicenseError> {
        if self.document.is_feed && self.stack.last() == Some(&OpenElement::Extension) {
            self.skipped_depth += 1;
            return Ok(());
        }
        if self.stack.len() >= MAX_RSL_DEPTH {
            return Err(LicenseError::TooDeep { line: self.line });
        }
        let name = element.local_name().into_inner().to_owned();
        let at = match self.stack.last() {
            None => self.root(element, &name, is_rsl)?,
            Some(OpenElement::Extension) => OpenElement::Extension,
            // `item` in RSS, `entry` in Atom.
            Some(OpenElement::Feed) if !is_rsl && matches!(&*name, "item" | "entry") => OpenElement::Item,
            Some(OpenElement::Feed) if !is_rsl => OpenElement::Feed,
            Some(_) if !is_rsl => OpenElement::Extension,
            Some(&parent) => {
                self.count(&name);
                self.child(parent, &name, element)?
            }
        };
        self.stack.push(at);
        self.seen.push(Vec::new());
        Ok(())
    }

    fn root(
        &mut self,
        element: &BytesStart<'_>,
        name: &str,
        is_rsl: bool,
    ) -> Result<OpenElement, LicenseError> {
        if self.has_root {
            return Err(LicenseError::NotXml {
                line: self.line,
                reason: "there is more than one root element".to_owned(),
            });
        }
        let is_separate = self.document.findings.channel() == Channel::RslDocument;
        // Only a separate document may be a feed, not a license inside a page.
        if is_separate && !is_rsl && matches!(name, "rss" | "RDF" | "feed") {
            self.has_root = true;
            self.document.is_feed = true;
            return Ok(OpenElement::Feed);
        }
        if !is_rsl || name != "rsl" {
            return Err(LicenseError::NotRsl { line: self.line });
        }
        self.has_root = true;
        if is_separate && element.name().prefix().is_some() {
            self.document.findings.note(&kinds::PREFIXED_RSL_ROOT, FindingPosition::Line(self.line));
        }
        if let Some(written) = self.attribute(element, "max-age")? {
            match written.trim().parse().ok().filter(|&days| days > 0) {
                Some(days) => self.document.max_age = days,
                None => self.invalid(|| {
                    format!("`max-age` is {}, which is not a positive number of days", quoted(&written))
                }),
            }
        }
        Ok(OpenElement::Rsl)
    }

    /// Handles an element of RSL's namespace inside another element.
    fn child(
        &mut self,
        parent: OpenElement,
        name: &str,
        element: &BytesStart<'_>,
    ) -> Result<OpenElement, LicenseError> {
        Ok(match (parent, name) {
            (OpenElement::Rsl | OpenElement::Item, "content") => {
                self.content(element)?;
                OpenElement::Content
            }
            (OpenElement::Feed, "content") => {
                self.violation(&kinds::UNKNOWN_RSL_ELEMENT, || {
                    "in a feed, `content` must be in an item".to_owned()
                });
                self.content(element)?;
                OpenElement::Content
            }
            (OpenElement::Content, "license") => {
                if let Some(content) = self.document.contents.last_mut() {
                    content.licenses.push(License::default());
                }
                OpenElement::License
            }
            (OpenElement::License, "permits" | "prohibits") => self.terms(name == "permits", element)?,
            (OpenElement::License, "payment") => {
                self.payment(element)?;
                OpenElement::Payment
            }
            (OpenElement::License, "reporting") => {
                self.reporting(element)?;
                OpenElement::Other
            }
            (OpenElement::License, "legal") => {
                self.legal(element)?;
                OpenElement::Other
            }
            (OpenElement::Payment, "amount") => {
                let currency = self.attribute(element, "currency")?.unwrap_or_default();
                self.currency(&currency);
                self.kept = currency;
                self.kept.push(' ');
                OpenElement::PaymentDetail
            }
            (OpenElement::Payment, "accepts") => {
                let media_type = self.attribute(element, "type")?;
                if media_type.is_none() {
                    self.invalid(|| "`accepts` has no `type`".to_owned());
                }
                self.kept = media_type.unwrap_or_default();
                OpenElement::PaymentDetail
            }
            (OpenElement::Payment, "standard" | "custom") => {
                self.kept.clear();
                OpenElement::PaymentDetail
            }
            (OpenElement::Content, known) if OTHER_ELEMENTS.contains(&known) => OpenElement::Other,
            (OpenElement::Other, _) => OpenElement::Other,
            _ => {
                self.violation(&kinds::UNKNOWN_RSL_ELEMENT, || {
                    format!("{} is not permitted here", quoted(name.as_bytes()))
                });
                OpenElement::Other
            }
        })
    }

    /// Reports each repetition of an element that may occur only once.
    fn count(&mut self, name: &str) {
        let Some(known) = AT_MOST_ONCE.iter().copied().find(|known| *known == name) else { return };
        let Some(seen) = self.seen.last_mut() else { return };
        if seen.contains(&known) {
            return self.report(&kinds::DUPLICATE_RSL_TERMS, || format!("`{name}` is repeated"));
        }
        seen.push(known);
    }

    fn invalid(&mut self, message: impl FnOnce() -> String) {
        self.report(&kinds::INVALID_RSL_ATTRIBUTE, message);
    }

    fn currency(&mut self, currency: &str) {
        let is_code = currency.len() == 3 && currency.bytes().all(|byte| byte.is_ascii_uppercase());
        match currency {
            "" => self.invalid(|| "`amount` has no `currency`".to_owned()),
            "XBT" => self.invalid(|| "the currency `XBT` is not a code of ISO 4217".to_owned()),
            _ if !is_code => self.invalid(|| {
                format!("the currency {} is not a code of ISO 4217, such as `USD`", quoted(currency))
            }),
            _ => {}
        }
    }

    fn legal(&mut self, element: &BytesStart<'_>) -> Result<(), LicenseError> {
        let kind = self.attribute(element, "type")?.unwrap_or_default();
        if !LEGAL_TYPES.contains(&kind.as_str()) {
            self.invalid(|| format!("the `type` {} of `legal` is not defined", quoted(&kind)));
        }
        Ok(())
    }

    fn content(&mut self, element: &BytesStart<'_>) -> Result<(), LicenseError> {
        let url = self.attribute(element, "url")?;
        let place = match url.as_deref().map(str::trim) {
            Some("") if self.document.is_feed => Coverage::Nowhere,
            Some("") => Coverage::Attached,
            Some(url) => Coverage::of(url),
            None => {
                self.report(&kinds::INCOMPLETE_RSL_CONTENT, || "the `content` has no `url`".to_owned());
                Coverage::Nowhere
            }
        };
        if let (Coverage::Nowhere, Some(url)) = (&place, &url) {
            self.report(&kinds::RSL_URL_MATCHES_NOTHING, || format!("it is {}", quoted(url)));
        }
        let server = self.attribute(element, "server")?.map(|server| shown(server.as_bytes()));
        if server.is_some() && matches!(place, Coverage::Attached) {
            self.invalid(|| "`server` needs a `url` that is not empty".to_owned());
        }
        match self.attribute(element, "encrypted")?.as_deref() {
            None | Some("false") => {}
            Some("true") if server.is_some() => {}
            Some("true") => self.invalid(|| "`encrypted` needs a `server`".to_owned()),
            Some(other) => {
                let other = other.to_owned();
                self.invalid(|| format!("`encrypted` is {}, not `true` or `false`", quoted(&other)));
            }
        }
        self.document.contents.push(Content { line: self.line, place, server, licenses: Vec::new() });
        Ok(())
    }

    fn terms(&mut self, is_permission: bool, element: &BytesStart<'_>) -> Result<OpenElement, LicenseError> {
        let kind = match self.attribute(element, "type")?.as_deref() {
            Some("usage") => Some(Type::Usage),
            Some("user") => Some(Type::User),
            Some("geo") => Some(Type::Geo),
            other => {
                let other = other.unwrap_or_default().to_owned();
                self.violation(&kinds::UNKNOWN_RSL_TOKEN, || {
                    format!("the type {} is neither `usage`, `user` nor `geo`", quoted(&other))
                });
                None
            }
        };
        self.kept.clear();
        Ok(OpenElement::Terms(is_permission, kind))
    }

    fn payment(&mut self, element: &BytesStart<'_>) -> Result<(), LicenseError> {
        let kind = self.attribute(element, "type")?.map(|kind| shown(kind.trim().as_bytes()));
        match kind.as_deref() {
            Some("inference") => self.report(&kinds::UNKNOWN_RSL_PAYMENT, || {
                "the payment `inference` is of RSL 0.9; RSL 1.0 calls it `use`".to_owned()
            }),
            Some(unknown) if !PAYMENT_TOKENS.contains(&unknown) => {
                let unknown = unknown.to_owned();
                self.report(&kinds::UNKNOWN_RSL_PAYMENT, || {
                    format!("the payment {} is not defined", quoted(&unknown))
                });
            }
            _ => {}
        }
        if let Some(license) = self.license() {
            let is_free = |kind: &Option<String>| matches!(kind.as_deref(), Some("free" | "attribution"));
            // Of several payments, one that has to be made counts.
            let is_owed = license.payment.as_ref().is_some_and(|known| !is_free(&known.kind));
            if !(is_owed && is_free(&kind)) {
                license.payment = Some(Payment { kind, details: Vec::new() });
            }
        }
        Ok(())
    }

    fn reporting(&mut self, element: &BytesStart<'_>) -> Result<(), LicenseError> {
        let kind = self.attribute(element, "type")?.unwrap_or_default();
        let profile = self.attribute(element, "profile")?.unwrap_or_default();
        let endpoint = self.attribute(element, "endpoint")?;
        if !REPORTING_TYPES.contains(&kind.as_str()) {
            self.invalid(|| format!("the `type` {} of `reporting` is not defined", quoted(&kind)));
        }
        if !crate::usage::site::is_absolute(&profile) {
            self.invalid(|| {
                format!("the `profile` {} of `reporting` is not an absolute URI", quoted(&profile))
            });
        }
        if let Some(endpoint) = endpoint.filter(|endpoint| !endpoint.starts_with("https://")) {
            self.invalid(|| format!("the `endpoint` {} of `reporting` is not at https", quoted(&endpoint)));
        }
        let text = format!("{} by {}", shown(kind.as_bytes()), shown(profile.as_bytes()));
        if let Some(license) = self.license() {
            license.reporting.push(text);
        }
        Ok(())
    }

    /// Returns the license that is being read.
    fn license(&mut self) -> Option<&mut License> {
        self.document.contents.last_mut()?.licenses.last_mut()
    }

    fn end(&mut self) {
        if self.skipped_depth > 0 {
            self.skipped_depth -= 1;
            return;
        }
        self.seen.pop();
        match self.stack.pop() {
            Some(OpenElement::License) => self.end_license(),
            Some(OpenElement::Terms(is_permission, Some(kind))) => self.end_terms(is_permission, kind),
            Some(OpenElement::PaymentDetail) => {
                let detail = shown(self.kept.trim().as_bytes());
                if let Some(payment) = self.license().and_then(|license| license.payment.as_mut()) {
                    payment.details.push(detail);
                }
            }
            Some(OpenElement::Content)
                if self.document.contents.last().is_some_and(|content| content.licenses.is_empty()) =>
            {
                self.report(&kinds::INCOMPLETE_RSL_CONTENT, || "the `content` has no `license`".to_owned());
            }
            _ => {}
        }
    }

    /// Reports the first token that a license both permits and prohibits.
    fn end_license(&mut self) {
        let Some(license) = self.license() else { return };
        let (permits, prohibits) = (&license.permits, &license.prohibits);
        let types = [
            (&permits.usage, &prohibits.usage),
            (&permits.user, &prohibits.user),
            (&permits.geo, &prohibits.geo),
        ];
        let both = types.into_iter().find_map(|(permits, prohibits)| {
            let prohibited = &prohibits.as_ref()?.tokens;
            permits.as_ref()?.tokens.iter().find(|token| prohibited.contains(token)).cloned()
        });
        if let Some(token) = both {
            self.report(&kinds::RSL_CONTRADICTION, || {
                format!("{} is permitted and prohibited", quoted(&token))
            });
        }
    }

    fn end_terms(&mut self, is_permission: bool, kind: Type) {
        let text = std::mem::take(&mut self.kept);
        if text.contains(',') {
            self.report(&kinds::COMMA_IN_RSL_TERMS, || {
                format!("{} is separated by commas", quoted(text.trim()))
            });
        }
        let tokens = text.split([' ', '\t', '\r', '\n', ',']).filter(|token| !token.is_empty());
        let tokens: Vec<String> = tokens.map(str::to_owned).collect();
        for token in tokens.iter().filter(|token| !kind.has_token(token)) {
            self.violation(&kinds::UNKNOWN_RSL_TOKEN, || format!("{} is not defined", quoted(token)));
        }
        let line = self.line;
        let Some(license) = self.license() else { return };
        let terms = if is_permission { &mut license.permits } else { &mut license.prohibits };
        let list = match kind {
            Type::Usage => &mut terms.usage,
            Type::User => &mut terms.user,
            Type::Geo => &mut terms.geo,
        };
        let is_second = list.is_some();
        list.get_or_insert_with(|| List { line, tokens: Vec::new() }).tokens.extend(tokens);
        if is_second {
            let name = if is_permission { "permits" } else { "prohibits" };
            self.report(&kinds::DUPLICATE_RSL_TERMS, || format!("`{name}` of this type is repeated"));
        }
    }

    fn text(&mut self, text: &str) -> Result<(), LicenseError> {
        match self.stack.last() {
            Some(OpenElement::Terms(..) | OpenElement::PaymentDetail) => self.kept.push_str(text),
            None if !text.trim_ascii().is_empty() => {
                return Err(LicenseError::NotXml {
                    line: self.line,
                    reason: "there is text outside the root element".to_owned(),
                });
            }
            _ => {}
        }
        Ok(())
    }

    /// Appends the character of a reference such as `&amp;` and `&#38;`. Documents with a `DOCTYPE` are rejected, so no
    /// other entities exist.
    fn reference(&mut self, reference: &BytesRef<'_>) -> Result<(), LicenseError> {
        let character = reference.resolve_char_ref().ok().flatten().map(String::from);
        let known = quick_xml::escape::resolve_predefined_entity(reference).map(str::to_owned);
        match character.or(known) {
            Some(text) => self.text(&text),
            None => Err(LicenseError::NotXml {
                line: self.line,
                reason: format!("{} is not defined", quoted(format!("&{};", &**reference).as_bytes())),
            }),
        }
    }

    /// Returns the value of an attribute without a prefix.
    fn attribute(&mut self, element: &BytesStart<'_>, name: &str) -> Result<Option<String>, LicenseError> {
        // quick-xml's check for duplicates takes quadratic time.
        for attribute in element.attributes().with_checks(false) {
            let value = attribute.map_err(quick_xml::Error::from).and_then(|attribute| {
                if attribute.key.into_inner() != name {
                    return Ok(None);
                }
                attribute.normalized_value(XmlVersion::Implicit1_0).map(|value| Some(value.into_owned()))
            });
            match value {
                Ok(None) => {}
                Ok(found) => return Ok(found),
                Err(error) => {
                    return Err(LicenseError::NotXml {
                        line: self.line,
                        reason: shown(error.to_string().as_bytes()),
                    });
                }
            }
        }
        Ok(None)
    }
}

impl Type {
    /// Returns true if RSL defines a token, or if the token has a prefix. Prefixed tokens are extensions, which are
    /// valid but grant nothing.
    fn has_token(self, token: &str) -> bool {
        token.contains(':')
            || match self {
                Type::Usage => USAGE_TOKENS.contains(&token),
                Type::User => USER_TOKENS.contains(&token),
                // The form of an ISO 3166-1 alpha-2 code, or `EU`.
                Type::Geo => token.len() == 2 && token.bytes().all(|byte| byte.is_ascii_uppercase()),
            }
    }
}

impl Coverage {
    /// Returns the coverage of a non-empty `url`: a path pattern, or an origin with a path pattern.
    fn of(url: &str) -> Coverage {
        let (origin, path) = match super::evaluate::split_origin(url) {
            Some((origin, path)) => (Some(origin), path),
            None => (None, url),
        };
        let path = if path.is_empty() { "/" } else { path };
        Scope::new(path.as_bytes()).map_or(Coverage::Nowhere, |scope| Coverage::Paths { origin, scope })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(body: &str) -> Result<LicenseDocument, LicenseError> {
        let text = format!("<?xml version=\"1.0\"?>\n<rsl xmlns=\"{NAMESPACE}\">{body}</rsl>\n");
        LicenseDocument::parse(text.as_bytes())
    }

    fn kinds(body: &str) -> Vec<&'static str> {
        let document = document(body).expect("a document");
        document.findings().iter().map(|finding| finding.code()).collect()
    }

    #[test]
    fn document_that_is_not_rsl_is_rejected_with_the_reason() {
        let error = |text: &str| LicenseDocument::parse(text.as_bytes()).expect_err("rejected").to_string();
        assert_eq!(
            error("<!DOCTYPE rsl [<!ENTITY a 'b'>]>\n<rsl/>"),
            "line 1: a document with a DOCTYPE is rejected; RSL does not need one"
        );
        assert!(error("\n<rsl/>").starts_with("line 2: the root element is not `rsl`"));
        assert!(error("").contains("the root element is not"));
        assert!(error("text").contains("outside the root"));
        assert!(
            error(&format!("<rsl xmlns='{NAMESPACE}'>\n<content></rsl>")).starts_with("line 2: invalid XML")
        );
        assert!(error(&format!("<rsl xmlns='{NAMESPACE}'/><rsl/>")).contains("more than one root"));
        assert!(error(&format!("<rsl xmlns='{NAMESPACE}'><content url='/'>")).contains("does not end"));
        assert_eq!(LicenseDocument::parse(b"\xFF").expect_err("rejected"), LicenseError::NotUtf8);
        let large = vec![b' '; MAX_RSL_BYTES + 1];
        assert!(LicenseDocument::parse(&large).expect_err("rejected").to_string().contains("1048577 bytes"));
    }

    #[test]
    fn document_above_the_limits_is_rejected() {
        let terms = |text: &str| {
            format!("<content url='/'><license><permits type='usage'>{text}</permits></license></content>")
        };
        assert!(document(&terms("search&#32;ai-input")).is_ok());
        assert!(
            document(&terms("&lol;")).expect_err("rejected").to_string().contains("`&lol;` is not defined")
        );
        let deep = format!("{}{}", "<x xmlns='a:b'>".repeat(40), "</x>".repeat(40));
        assert!(document(&deep).expect_err("rejected").to_string().contains("the maximum is 32"));
    }

    #[test]
    fn only_violations_make_a_document_non_conformant() {
        let license = |terms: &str| format!("<content url='/'><license>{terms}</license></content>");
        assert_eq!(kinds(&license("<permits type='usage'>search</permits>")), [""; 0]);
        for (terms, kind) in [
            ("<permit type='usage'>search</permit>", "usage-unknown-rsl-element"),
            ("<content url='/'/>", "usage-unknown-rsl-element"),
            ("<permits>search</permits>", "usage-unknown-rsl-token"),
            ("<prohibits type='usage'>ai-training</prohibits>", "usage-unknown-rsl-token"),
            ("<permits type='geo'>Germany</permits>", "usage-unknown-rsl-token"),
        ] {
            assert_eq!(kinds(&license(terms)), [kind], "{terms}");
            assert!(!document(&license(terms)).expect("a document").is_conformant(), "{terms}");
        }
        for (terms, kind) in [
            ("<permits type='usage'>search, ai-input</permits>", "usage-comma-in-rsl-terms"),
            (
                "<permits type='usage'>search</permits><permits type='usage'>all</permits>",
                "usage-duplicate-rsl-terms",
            ),
            ("<payment type='barter'/>", "usage-unknown-rsl-payment"),
        ] {
            assert_eq!(kinds(&license(terms)), [kind], "{terms}");
            assert!(document(&license(terms)).expect("a document").is_conformant(), "{terms}");
        }
        assert_eq!(kinds("<content><license/></content>"), ["usage-incomplete-rsl-content"]);
        assert_eq!(kinds("<content url='/'/>"), ["usage-incomplete-rsl-content"]);
        assert_eq!(kinds("<content url='x'><license/></content>"), ["usage-rsl-url-matches-nothing"]);
    }

    #[test]
    fn extension_is_skipped_with_its_content() {
        let body = "<x:a xmlns:x='urn:x'><permit/><x:b/></x:a>\
                    <content url='/'><license><permits type='usage'>x:weave search</permits></license></content>";
        assert_eq!(kinds(body), [""; 0]);
    }

    #[test]
    fn finding_has_its_line_in_documents_with_prefixes() {
        let text = format!("<r:rsl xmlns:r='{NAMESPACE}' max-age='7'>\n\n<r:content/>\n</r:rsl>");
        let document = LicenseDocument::parse(text.as_bytes()).expect("a document");
        assert_eq!(document.max_age_days(), 7);
        let findings: Vec<_> = document.findings().iter().map(|f| (f.code(), f.place().line)).collect();
        let incomplete = ("usage-incomplete-rsl-content", Some(3));
        assert_eq!(findings, [("usage-prefixed-rsl-root", Some(1)), incomplete, incomplete]);
    }
}
