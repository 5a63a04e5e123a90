//! The conformance cases about HTTP answers: the charset of a page, the detection of HTML, and missing content.

use comity::html::{MissingContent, decode, is_html, is_html_type};
use comity::http::Headers;
use encoding_rs::Encoding;
use serde::Deserialize;
use testkit::conformance::{self, Hex};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CharsetFile {
    group: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    why: String,
    charset: String,
    pages: Vec<Page>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    #[serde(default)]
    html: String,
    #[serde(default)]
    hex: Hex,
    declared: Option<String>,
}

#[test]
fn page_of_each_charset_is_decoded() {
    let file: CharsetFile = conformance::file("answers/charset.toml").unwrap();
    assert!(file.group.iter().map(|group| group.pages.len()).sum::<usize>() >= 50);
    for Group { why, charset, pages } in file.group {
        let encoding = Encoding::for_label(charset.as_bytes()).unwrap();
        for page in pages {
            // These bytes decode to different text in each charset.
            let body = [page.html.as_bytes(), &page.hex.0, b"\0\x83\x83\x5c"].concat();
            let (expected, _) = encoding.decode_with_bom_removal(&body);
            assert_eq!(decode(&body, page.declared.as_deref()), expected, "{why} {}", page.html);
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HtmlFile {
    untyped_html: Vec<String>,
    untyped_html_hex: Vec<Hex>,
    untyped_other: Vec<String>,
    no_type: Vec<String>,
    html_types: Vec<String>,
    other_types: Vec<String>,
}

#[test]
fn answer_is_html_by_its_type_or_else_by_its_content() {
    let file: HtmlFile = conformance::file("answers/html.toml").unwrap();
    let untyped = |body: &[u8]| is_html(&Headers::new(), body);
    for body in &file.untyped_html {
        assert!(untyped(body.as_bytes()), "{body}");
    }
    assert!(file.untyped_html_hex.iter().all(|body| untyped(&body.0)));
    for body in &file.untyped_other {
        assert!(!untyped(body.as_bytes()), "{body}");
    }
    // The tag is beyond the examined bytes (WHATWG MIME Sniffing, section 5.2).
    assert!(!untyped((" ".repeat(1445) + "<html>").as_bytes()));
    let types = |values: &[String], expected| {
        for value in values {
            let headers: Headers<'_> = [("content-type", value.as_str())].into_iter().collect();
            assert_eq!(is_html_type(&headers), expected, "{value}");
            for body in ["<html>", "text"] {
                let is_page = expected.unwrap_or(body == "<html>");
                assert_eq!(is_html(&headers, body.as_bytes()), is_page, "{value}: {body}");
            }
        }
    };
    types(&file.no_type, None);
    types(&file.html_types, Some(true));
    types(&file.other_types, Some(false));
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MissingFile {
    group: Vec<MissingGroup>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MissingGroup {
    why: String,
    found: String,
    pages: Vec<MissingPage>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MissingPage {
    html: String,
    #[serde(default)]
    words: usize,
}

#[test]
fn page_without_content_in_its_html_is_found() {
    let file: MissingFile = conformance::file("answers/missing-content.toml").unwrap();
    assert!(file.group.iter().map(|group| group.pages.len()).sum::<usize>() >= 60);
    for MissingGroup { why, found, pages } in file.group {
        let expected = match found.as_str() {
            "" => None,
            "script" => Some(MissingContent::Script),
            url => Some(MissingContent::Refresh(url.to_owned())),
        };
        for MissingPage { html, words } in pages {
            let text = format!("<p>{}</p></body>", "heron ".repeat(words));
            let page = html.replace("</body>", &text);
            assert_eq!(MissingContent::find(&page), expected, "{why} {html}");
        }
    }
}
