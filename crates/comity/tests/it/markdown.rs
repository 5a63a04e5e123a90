//! Conversion of HTML to Markdown: whole pages with their expected output, single cases, and hostile pages.

use std::path::Path;

use comity::html::{Cut, Markdown, MarkdownOptions};
use proptest::prelude::*;
use url::Url;

/// Returns the Markdown of a page with an unknown URL.
fn of(html: &str) -> String {
    Markdown::of(html).into_text()
}

/// Every page in `tests/markdown` converts to the Markdown next to it. `UPDATE_DOCS=1` rewrites the Markdown.
#[test]
fn page_converts_to_its_expected_markdown() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/markdown");
    let pages = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut count = 0;
    for page in pages.filter(|path| path.extension().is_some_and(|extension| extension == "html")) {
        let html = std::fs::read_to_string(&page).unwrap();
        let markdown = Markdown::of(&html);
        assert!(markdown.cuts().is_empty(), "{page:?}: {:?}", markdown.cuts());
        let beside = page.with_extension("md");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&beside, markdown.text().to_owned() + "\n").unwrap();
        }
        let expected = std::fs::read_to_string(&beside).unwrap();
        assert_eq!(markdown.text(), expected.trim_end(), "{page:?}");
        count += 1;
    }
    assert!(count >= 4);
}

#[test]
fn text_in_misnested_or_unclosed_tags_is_kept() {
    for (html, expected) in [
        ("<b>a<i>b</b>c</i>d", "**a*b***_c_d"),
        ("<p>a<div>b<p>c</div>d", "a\n\nb\n\nc\n\nd"),
        ("<ul><li>a<li>b<ul><li>c</ul>d</ul>e", "- a\n- b\n  - c\n\n  d\n\ne"),
        ("<table><tr><td>a<td>b<tr><td>c</table>d", "| a | b |\n| --- | --- |\n| c |\n\nd"),
        ("<table><tr>before<td>a<td>b</table>", "before\n\n| a | b |\n| --- | --- |"),
        ("<td>a<tr>b", "a\n\nb"),
        ("<li>a<li>b", "- a\n\n- b"),
        ("</p></div></b></table>a", "a"),
        ("<h1>a<h2>b</h1>c", "# a\n\n## b\n\nc"),
        ("<p>a<table><tr><td>b</p>c<td>d</table>e", "a\n\n| bc | d |\n| --- | --- |\n\ne"),
        ("<nav>no<div>no</nav>yes", "yes"),
        ("<div><nav>no</div>yes", "yes"),
        ("<template><div></template></div>yes", "yes"),
        ("<svg><style/><b>no</b></svg>yes", "yes"),
        ("<title>no</title>yes<textarea><p></textarea> too", "yes too"),
        ("<head><meta a=b><p>yes", "yes"),
        ("<head>yes", "yes"),
        ("<plaintext><b>a</b>", "```\n<b>a</b>\n```"),
        ("<a href=/a>x<a href=/b>y</a>z", "[x](/a)[y](/b)z"),
        ("<a href=/a>x<p>y</a>z", "[x](/a)\n\n[y](/a)z"),
        ("<p>a<cite>b</p>c", "a*b*\n\nc"),
        ("<select><option>no</select><button>yes</button>", "yes"),
        ("", ""),
        (" \n ", ""),
    ] {
        assert_eq!(of(html), expected, "{html}");
    }
}

#[test]
fn link_is_absolute_if_the_url_of_the_page_is_known() {
    let base = Url::parse("https://example.com/a/b").unwrap();
    for (html, expected) in [
        ("<a href=c>x</a>", "[x](https://example.com/a/c)"),
        ("<a href=#c>x</a>", "[x](#c)"),
        ("<a href=//other.example/>x</a>", "[x](https://other.example/)"),
        ("<a href='mailto:a@b'>x</a>", "[x](mailto:a@b)"),
        ("<a href='http://['>x</a>", "[x](http://[)"),
        ("<base href=/c/><a href=d>x</a>", "[x](https://example.com/c/d)"),
        ("<img src=i.png alt=x>", "![x](https://example.com/a/i.png)"),
        (" <a href=' java\nscript:alert(1)'>x</a>", "x"),
        ("<img src='data:image/png;base64,AAAA' alt=x>", "x"),
    ] {
        assert_eq!(MarkdownOptions::new().base(&base).convert(html).text(), expected, "{html}");
    }
}

#[test]
fn script_in_any_spelling_is_not_a_link() {
    let base = Url::parse("https://example.com/a/b").unwrap();
    for dropped in
        ["", "\u{1}", "\u{1f}", "\u{7f}", "\u{80}", "\u{9f}", "\u{a0}", "\u{2028}", "\t", "\r\n", " "]
    {
        for spelling in [
            format!("{dropped}javascript:x"),
            format!("jAva{dropped}script{dropped}:x"),
            format!("{dropped}data:x"),
        ] {
            let html = format!("<a href='{spelling}'>x</a>");
            for text in [of(&html), MarkdownOptions::new().base(&base).convert(&html).into_text()] {
                let link = text.to_ascii_lowercase();
                assert!(!link.contains("javascript:") && !link.contains("data:"), "{spelling:?}: {text}");
            }
        }
    }
}

#[test]
fn list_after_a_numbered_item_is_inside_it() {
    assert_eq!(
        of("<ol start=9><li>a</li><ul><li>b</ul><li>c</li><ul><li>d</ul></ol>"),
        "9. a\n   - b\n10. c\n    - d"
    );
}

#[test]
fn number_of_an_item_has_at_most_nine_digits() {
    let text = of("<ol start=4294967295><li>a<li>b<li value=4294967295>c<li>d</ol>");
    assert_eq!(text, "999999999. a\n999999999. b\n999999999. c\n999999999. d");
}

#[test]
fn part_above_a_limit_is_omitted_and_reported() {
    let many = |text: &str, count: usize| text.repeat(count);
    let deep = Markdown::of(&(many("<div>", 2_000) + "a" + &many("</div>", 2_000) + "b"));
    assert_eq!((deep.text(), deep.cuts()), ("a\n\nb", &[Cut::Nesting][..]));
    let lists = Markdown::of(&(many("<ul><li>a", 600)));
    assert_eq!((lists.text().matches('a').count(), lists.cuts()), (600, &[Cut::Nesting][..]));
    let tables = Markdown::of(&(many("<table><tr><td>a<td>", 50)));
    assert_eq!((tables.text().matches('a').count(), tables.cuts()), (50, &[Cut::Nesting][..]));
    let styles = Markdown::of(&(many("<b>", 100) + "a"));
    assert_eq!((styles.text(), styles.cuts()), ("**a**", &[Cut::Nesting][..]));
    let address = Markdown::of(&format!("<a href='/{}'>a</a> <img src='/{0}' alt=b>", many("x", 9_000)));
    assert_eq!((address.text(), address.cuts()), ("a b", &[Cut::Address][..]));
    let quotes = Markdown::of(&(many("<blockquote>", 250) + &many("<p>a", 200_000)));
    assert!(quotes.cuts().contains(&Cut::Length) && quotes.text().len() <= 8 * 803_000 + (64 << 10));
    // Skipped content may have any depth.
    assert!(Markdown::of(&(many("<svg><g>", 2_000) + &many("</g></svg>", 2_000) + "a")).cuts().is_empty());
}

/// Returns pages that are expensive for converters that build trees or look back.
fn hostile() -> Vec<String> {
    let many = |text: &str, count: usize| text.repeat(count);
    let attributes: String = (0..2_000).map(|number| format!("a{number}=x ")).collect();
    let mut pages = vec![
        many("<div><script></div></script>", 2_000),
        many("<div><textarea></div></textarea>", 2_000),
        format!("<p {attributes}>x"),
        many("<blockquote>", 250) + &many("<p>a", 2_000),
        format!("<a href='/{}'>", many("x", 8_000)) + &many("<p>a", 2_000),
        format!("<table><tr>{}{}", many("<td rowspan=65000>a", 90), many("<tr><td>", 2_000)),
        format!("<table><tr>{}", many("<td colspan=99>a", 2_000)),
        many("<div>", 600) + &many("<hr></div><div>", 2_000),
        many("<p><table><tr><td>", 3) + &many("<div>", 500) + &many("</p></table>", 2_000),
        many("<ol start=999999999><li><p>a", 30) + &many("<p>a", 2_000),
        many("<", 50_000),
        many("`", 50_000),
        format!("<code>{}", many("`", 50_000)),
    ];
    let units = "<b>x|<b><p>x|<b><i></b>x</i>|<a href=/x>y|<table><tr><td>a<p>b|<tr><td>a<td>b|<td>a|<ul><li>a|<li>a|<svg><math>|\
                 <math>x|<template>|<nav>|&amp;&lt;&#x2a;&notit;|*|<pre>`|<code>a</code> |x<br>|<br>|<h1>x|<img src=x>|\
                 <!--|</div>|<q>|</p>|<td>|<tr>|<caption>a|<font color=a>x|<b a=1><b a=2>|<select><option>|<dl><dt>a<dd>b|\
                 <a href=x>|\u{0}|&#0;|<a |<a b|[|](x)|![";
    pages.extend(units.split('|').map(|unit| unit.repeat(2_000)));
    pages
}

#[test]
fn markdown_of_a_hostile_page_has_bounded_length() {
    let base = Url::parse(&format!("https://example.com/{}/", "d".repeat(4_000))).unwrap();
    for html in hostile() {
        for options in [MarkdownOptions::new(), MarkdownOptions::new().base(&base)] {
            let markdown = options.convert(&html);
            let most = 8 * html.len() + (64 << 10);
            let shown = &html[..html.len().min(60)];
            assert!(markdown.text().len() <= most, "{shown}: {}", markdown.text().len());
            assert_eq!(markdown, options.convert(&html), "{shown}");
        }
    }
}

/// Generates pieces of pages, most of which do not fit together.
fn piece() -> impl Strategy<Value = String> {
    const NAMES: &str = "(a|b|i|code|p|div|h2|ul|ol|li|blockquote|pre|table|caption|tbody|tr|td|th|dl|dt|dd|nav|svg|math|\
                         template|script|style|title|textarea|head|body|br|hr|img|q|del|cite|select|object|x-y)";
    prop_oneof![
        6 => NAMES.prop_map(|name| format!("<{name}>")),
        4 => NAMES.prop_map(|name| format!("</{name}>")),
        1 => NAMES.prop_map(|name| format!("<{name}/>")),
        1 => "<(a|img) (href|src|alt|title)=[\"'/a-c ]{0,6}>",
        1 => "<(td|ol|li) (colspan|rowspan|start|value)=[0-9]{0,10}>",
        4 => "[a-c *_`~#<>&|\\[\\]()!.1+=\\\\\n-]{0,8}",
        1 => "\\PC{0,4}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_page_converts(pieces in proptest::collection::vec(piece(), 0..60)) {
        let html = pieces.concat();
        let markdown = Markdown::of(&html);
        prop_assert!(markdown.cuts().iter().all(|cut| *cut == Cut::Nesting));
        prop_assert!(!markdown.text().starts_with('\n') && !markdown.text().ends_with('\n'));
    }

    /// Text is kept in any sequence of tags of visible elements.
    #[test]
    fn word_outside_of_hidden_elements_is_kept(tags in proptest::collection::vec(
        "</?(a|b|i|code|p|div|h2|ul|ol|li|blockquote|pre|table|caption|tbody|tr|td|th|dl|dt|dd|body|br|hr|del)>", 0..40,
    )) {
        let html: String = tags.iter().enumerate().map(|(at, tag)| format!("{tag}w{at}w ")).collect();
        let markdown = Markdown::of(&html);
        for at in 0..tags.len() {
            let word = format!("w{at}w");
            prop_assert_eq!(markdown.text().matches(&word).count(), 1, "{} in {}: {}", word, html, markdown.text());
        }
    }
}
