//! Pages whose content is not in their HTML: a script creates it, or it is at another address.
//!
//! The pass reads visible text up to [`MAX_TEXT`], so it ends early on a page with content.

use html5gum::emitters::callback::{Callback, CallbackEmitter, CallbackEvent};
use html5gum::{Span, State, Tokenizer};

use super::elements::content_of;

/// Number of visible characters, without white space, from which a page has content.
const MAX_TEXT: usize = 200;

/// Number of visible characters up to which the text of a page can be a notice such as `Loading`.
const MAX_NOTICE: usize = 50;

/// Number of links or media up to which a page with a mount point can be without content.
const FEW: usize = 2;

/// Number of links up to which a page that requires JavaScript can be without content.
const FEW_LINKS: usize = 10;

/// Maximum number of bytes of `noscript` text that are read.
const MAX_NOSCRIPT: usize = 4096;

/// Values of `id` of the elements into which frameworks write pages: React, Vue, Angular, Next.js, Nuxt, Gatsby,
/// Svelte, Quasar, Ember, Elm, Docsify and others.
const MOUNTS: [&[u8]; 17] = [
    b"root",
    b"app",
    b"__next",
    b"__nuxt",
    b"__layout",
    b"___gatsby",
    b"svelte",
    b"q-app",
    b"app-root",
    b"react-root",
    b"react-app",
    b"main-app",
    b"app-mount",
    b"mount",
    b"application",
    b"swagger-ui",
    b"elm",
];

/// The reason why the HTML of a page lacks the content.
///
/// Scripts are not run, so for a crawler such a page is nearly empty. The rule counts visible characters without white
/// space, outside of `noscript`, and is meant to have few false alarms:
///
/// | what the page has | reason |
/// |---|---|
/// | fewer than 200 characters, and `<meta http-equiv=refresh>` with another URL, not in `noscript` | [`Refresh`](MissingContent::Refresh) |
/// | fewer than 200 characters, at most 10 links, a script, and `noscript` that names JavaScript or refreshes to another URL | [`Script`](MissingContent::Script) |
/// | at most 50 characters, 2 links and 2 images or other media, no form, a script, and an element with an `id` such as `root` or `app`, or a custom element such as `<app-root>` | [`Script`](MissingContent::Script) |
/// | no visible character, link, medium or form, and a script | [`Script`](MissingContent::Script) |
///
/// ```
/// use comity::html::MissingContent;
///
/// let page = "<title>Herons</title><div id=root></div><script src=/main.js></script>";
/// assert_eq!(MissingContent::find(page), Some(MissingContent::Script));
/// let page = "<meta http-equiv=refresh content='0; url=/en/'><p>Redirecting</p>";
/// assert_eq!(MissingContent::find(page), Some(MissingContent::Refresh("/en/".to_owned())));
/// assert_eq!(MissingContent::find("<p>It works!</p><script src=/count.js></script>"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MissingContent {
    /// A script creates the content.
    Script,
    /// The page only refers to this URL by a refresh. The URL is as written in the page.
    Refresh(String),
}

impl MissingContent {
    /// Reads a page. Returns `None` if the page has content.
    pub fn find(page: &str) -> Option<MissingContent> {
        let mut pass = Pass::default();
        let mut tokens = Tokenizer::new_with_emitter(page, CallbackEmitter::new(&mut pass));
        // Reading from a string cannot fail.
        while let Some(Ok(step)) = tokens.next() {
            match step {
                Step::Content(state) => tokens.set_state(state),
                Step::HasContent => return None,
            }
        }
        drop(tokens);
        pass.finish()
    }
}

/// A reason to leave the tokenizer's loop.
enum Step {
    /// The tokenizer must switch to this state for the content of the element.
    Content(State),
    /// The page has content.
    HasContent,
}

/// The attributes that are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attribute {
    Id,
    HttpEquiv,
    Content,
    Type,
    Href,
}

/// A start tag that is being read.
#[derive(Default)]
struct Tag {
    element: Vec<u8>,
    attributes: Vec<(Attribute, Vec<u8>)>,
    /// The attribute that the next value belongs to.
    current: Option<Attribute>,
}

impl Tag {
    /// Returns the value of an attribute. If a name is repeated, the first attribute counts.
    fn value(&self, attribute: Attribute) -> Option<&[u8]> {
        self.attributes.iter().find(|(name, _)| *name == attribute).map(|(_, value)| value.as_slice())
    }
}

/// The counts of a page.
#[derive(Default)]
struct Pass {
    tag: Option<Tag>,
    /// Number of open `template` elements.
    templates: usize,
    /// Number of open `noscript` elements.
    noscripts: usize,
    /// Number of open `svg` and `math` elements.
    foreign: usize,
    /// True if the content of the open element is raw text.
    in_raw: bool,
    text: usize,
    links: usize,
    media: usize,
    forms: usize,
    has_script: bool,
    has_mount: bool,
    /// The text of `noscript` elements.
    noscript: Vec<u8>,
    refresh: Option<String>,
    has_noscript_refresh: bool,
}

impl Pass {
    fn finish(self) -> Option<MissingContent> {
        if let Some(url) = self.refresh {
            return Some(MissingContent::Refresh(url));
        }
        let asks = self.has_noscript_refresh || names_javascript(&self.noscript);
        let is_asking = asks && self.links <= FEW_LINKS;
        let is_mount = self.has_mount
            && self.text <= MAX_NOTICE
            && self.links <= FEW
            && self.media <= FEW
            && self.forms == 0;
        let is_empty = self.text + self.links + self.media + self.forms == 0;
        (self.has_script && (is_asking || is_mount || is_empty)).then_some(MissingContent::Script)
    }

    fn string(&mut self, value: &[u8]) -> Option<Step> {
        if self.in_raw || self.templates > 0 {
            return None;
        }
        if self.noscripts > 0 {
            let room = MAX_NOSCRIPT.saturating_sub(self.noscript.len());
            self.noscript.extend_from_slice(&value[..value.len().min(room)]);
            return None;
        }
        // The first byte of each character is counted.
        self.text += value.iter().filter(|byte| !byte.is_ascii_whitespace() && **byte & 0xC0 != 0x80).count();
        (self.text >= MAX_TEXT).then_some(Step::HasContent)
    }

    fn element(&mut self, is_self_closing: bool) -> Option<Step> {
        let tag = self.tag.take()?;
        if self.templates == 0 {
            self.count(&tag);
        }
        match &*tag.element {
            b"template" => self.templates += 1,
            b"noscript" => self.noscripts += 1,
            b"svg" | b"math" if !is_self_closing => self.foreign += 1,
            _ => {}
        }
        let state = content_of(&tag.element).filter(|_| self.foreign == 0 || !is_self_closing);
        self.in_raw = state.is_some();
        state.map(Step::Content)
    }

    fn count(&mut self, tag: &Tag) {
        if &*tag.element == b"meta" {
            self.count_refresh(tag);
        }
        if self.noscripts > 0 {
            return;
        }
        match &*tag.element {
            b"script" => self.has_script |= is_program(tag.value(Attribute::Type).unwrap_or_default()),
            b"a" | b"area" if tag.value(Attribute::Href).is_some() => self.links += 1,
            b"img" | b"picture" | b"video" | b"audio" | b"iframe" | b"frame" | b"object" | b"embed" => {
                self.media += 1;
            }
            b"form" | b"input" | b"select" | b"textarea" => self.forms += 1,
            _ => {}
        }
        let id = tag.value(Attribute::Id).unwrap_or_default();
        self.has_mount |= MOUNTS.iter().any(|mount| id.eq_ignore_ascii_case(mount))
            || self.foreign == 0 && tag.element.contains(&b'-');
    }

    fn count_refresh(&mut self, tag: &Tag) {
        let is_refresh =
            tag.value(Attribute::HttpEquiv).is_some_and(|name| name.eq_ignore_ascii_case(b"refresh"));
        let Some(url) = tag.value(Attribute::Content).filter(|_| is_refresh).and_then(refresh_url) else {
            return;
        };
        match self.noscripts {
            0 => self.refresh = self.refresh.take().or(Some(url)),
            _ => self.has_noscript_refresh = true,
        }
    }

    fn end(&mut self, element: &[u8]) {
        self.tag = None;
        self.in_raw = false;
        let open = match element {
            b"template" => &mut self.templates,
            b"noscript" => &mut self.noscripts,
            b"svg" | b"math" => &mut self.foreign,
            _ => return,
        };
        *open = open.saturating_sub(1);
    }
}

/// Returns true if the `type` of a script means a program: no type, a JavaScript type or `module`.
fn is_program(media_type: &[u8]) -> bool {
    let essence = media_type.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    let essence = essence.to_ascii_lowercase();
    matches!(&*essence, b"" | b"module")
        || essence.ends_with(b"javascript")
        || essence.ends_with(b"ecmascript")
}

/// Returns true if a text names JavaScript.
fn names_javascript(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text).to_ascii_lowercase();
    ["javascript", "java script", "java-script"].iter().any(|name| text.contains(name))
}

/// Returns the URL in the content of a refresh, such as `0; url=/en/` (HTML standard, "shared declarative refresh
/// steps"). Returns `None` if the page only reloads itself.
fn refresh_url(content: &[u8]) -> Option<String> {
    let content = String::from_utf8_lossy(content);
    let time = content.trim_start();
    let rest = time.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if rest.len() == time.len() {
        return None;
    }
    let rest = rest.trim_start().trim_start_matches([';', ',']).trim_start();
    let url = match rest.get(..3) {
        Some(name) if name.eq_ignore_ascii_case("url") => match rest[3..].trim_start().strip_prefix('=') {
            Some(url) => url.trim_start(),
            None => rest,
        },
        _ => rest,
    };
    let url = match url.chars().next() {
        Some(quote @ ('"' | '\'')) => url[1..].split(quote).next().unwrap_or_default(),
        _ => url,
    };
    let url = url.trim();
    (!url.is_empty()).then(|| url.to_owned())
}

impl Callback<Step, usize> for &mut Pass {
    fn handle_event(&mut self, event: CallbackEvent<'_>, _: Span<usize>) -> Option<Step> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = Some(Tag { element: name.to_vec(), ..Tag::default() });
            }
            CallbackEvent::AttributeName { name } => {
                let tag = self.tag.as_mut()?;
                tag.current = match name {
                    b"id" => Some(Attribute::Id),
                    b"http-equiv" => Some(Attribute::HttpEquiv),
                    b"content" => Some(Attribute::Content),
                    b"type" => Some(Attribute::Type),
                    b"href" => Some(Attribute::Href),
                    _ => None,
                };
                if let Some(attribute) = tag.current.filter(|attribute| tag.value(*attribute).is_none()) {
                    tag.attributes.push((attribute, Vec::new()));
                } else {
                    tag.current = None;
                }
            }
            CallbackEvent::AttributeValue { value } => {
                let tag = self.tag.as_mut()?;
                if let (Some(_), Some((_, kept))) = (tag.current.take(), tag.attributes.last_mut()) {
                    *kept = value.to_vec();
                }
            }
            CallbackEvent::CloseStartTag { self_closing } => return self.element(self_closing),
            CallbackEvent::EndTag { name } => self.end(name),
            CallbackEvent::String { value } => return self.string(value),
            CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_of_a_refresh_is_read_in_any_notation() {
        for (content, url) in [
            ("0; url=/en/", Some("/en/")),
            ("0;URL='/en/'", Some("/en/")),
            (" 1.5 , \"a b\" rest", Some("a b")),
            ("0;/en/", Some("/en/")),
            ("0; url = https://a.example/?url=b", Some("https://a.example/?url=b")),
            ("0; urls", Some("urls")),
            ("30", None),
            ("30;", None),
            ("0; url=", None),
            ("", None),
            (" url=/en/", None),
        ] {
            assert_eq!(refresh_url(content.as_bytes()).as_deref(), url, "`{content}`");
        }
    }
}
