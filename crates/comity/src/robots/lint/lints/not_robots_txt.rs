//! The lint `not-robots-txt`: the file is not a robots.txt but an HTML page, an XML or JSON error, an image or a style
//! sheet.

use crate::finding::Findings;
use crate::robots::lint::context::Context;
use crate::robots::read::directive::RecordKind;
use memchr::memmem;

crate::robots::lint::row! {
    NOT_ROBOTS_TXT "not-robots-txt" Error, Foreign(check);
    "The file is not a robots.txt but an HTML page, an XML or JSON error, an image or a style sheet.",
    "Crawlers search it for rules line by line and find none, so everything is allowed. Usually it is an error page, or \
    the front page of a single-page application, sent with status 200. Such a file has no other finding, except \
    `too-large`. A file that names a crawler always counts as a robots.txt.",
    "serve a plain text file, or answer 404",
    bad(b"<!DOCTYPE html>\n<html><head><title>Not found</title></head></html>\n"),
    good(b"User-agent: *\nDisallow: /search\n");
}

/// Maximum number of bytes that are examined to detect the file type.
const SNIFFED: usize = 4_096;

/// Returns true if the file is not a robots.txt. A file that names a crawler always counts as a robots.txt.
fn check(context: &Context<'_>, findings: &mut Findings) -> bool {
    if !context.groups.is_empty() || has_rules(context) {
        return false;
    }
    let text = context.bytes(context.counted.clone());
    let start = text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(text.len());
    let head = text.get(start..text.len().min(start + SNIFFED)).unwrap_or_default();
    let Some(file_type) = file_type(context.body, head) else { return false };
    let at = context.counted.start + start;
    let line = context.lines.partition_point(|line| line.full_span().end < at);
    let end = context.lines.get(line).map_or(at, |line| line.full_span().end);
    let message = format!("the file is {file_type}; crawlers read it as a robots.txt without rules");
    findings.push(context.finding(&NOT_ROBOTS_TXT, line, at..end.max(at), message, NOT_ROBOTS_TXT.kind.help));
    true
}

/// Returns true if a line has the key of a rule or sitemap, a colon, and a value that starts as a path or URL. Such a
/// file counts as a robots.txt even without a user-agent line.
fn has_rules(context: &Context<'_>) -> bool {
    context.records.iter().any(|record| {
        let is_rule = record.kind.is_rule() || record.kind == RecordKind::Sitemap;
        let starts_well = matches!(context.value(record).first(), Some(b'/' | b'*' | b'h' | b'H'));
        is_rule && starts_well && !record.missing_colon
    })
}

/// Leading bytes of other file types.
const STARTS: [(&[u8], &str); 22] = [
    (b"\xFF\xD8\xFF", "a JPEG image"),
    (b"\x89PNG\r\n", "a PNG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"RIFF", "a RIFF file, such as a WebP image"),
    (b"BM\x00", "a bitmap"),
    (b"\x00\x00\x01\x00", "an icon"),
    (b"\x00\x00\x02\x00", "an icon"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1F\x8B", "compressed with gzip, but served without `Content-Encoding`"),
    (b"\x28\xB5\x2F\xFD", "compressed with Zstandard, but served without `Content-Encoding`"),
    (b"BZh", "compressed with bzip2"),
    (b"\xFD7zXZ\x00", "compressed with xz"),
    (b"7z\xBC\xAF\x27\x1C", "a 7-Zip archive"),
    (b"\x7FELF", "a program"),
    (b"MZ\x90\x00", "a program"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"OggS", "an Ogg file"),
    (b"ID3", "an MP3 file"),
    (b"\x00asm", "a WebAssembly module"),
];

/// Returns the type of a file that is not a robots.txt, if it is recognized. `head` is its start, after white space.
fn file_type(body: &[u8], head: &[u8]) -> Option<&'static str> {
    let start = STARTS.into_iter().find(|(start, _)| body.starts_with(start));
    start.map(|(_, name)| name).or_else(|| markup(head)).or_else(|| code(head)).or_else(|| binary(body))
}

/// Returns the type of an HTML or XML file.
fn markup(head: &[u8]) -> Option<&'static str> {
    if head.first() != Some(&b'<') {
        return None;
    }
    let text = head.to_ascii_lowercase();
    let has = |marks: &[&[u8]]| marks.iter().any(|mark| memmem::find(&text, mark).is_some());
    if text.starts_with(b"<?php") {
        return Some("the source of a PHP program");
    }
    if text.starts_with(b"<svg") || (text.starts_with(b"<?xml") && has(&[b"<svg"])) {
        return Some("an SVG image");
    }
    if has(&[b"<!doctype html", b"<html", b"<head", b"<body", b"<script", b"<title"]) {
        return Some("an HTML page");
    }
    if has(&[b"<urlset", b"<sitemapindex"]) {
        return Some("an XML sitemap");
    }
    if text.starts_with(b"<error>") || (text.starts_with(b"<?xml") && has(&[b"<error>", b"<code>"])) {
        return Some("an XML error message, as storage services send them");
    }
    if text.starts_with(b"<?xml") {
        return Some("an XML document");
    }
    let name = text.get(1..)?.split(|byte| !byte.is_ascii_alphanumeric()).next()?;
    if HTML.contains(&name) || text.starts_with(b"<!--") {
        return Some("a piece of HTML");
    }
    name.first().is_some_and(u8::is_ascii_alphabetic).then_some("a piece of XML")
}

/// Elements at the start of HTML without a head.
const HTML: [&[u8]; 16] = [
    b"meta",
    b"style",
    b"link",
    b"div",
    b"p",
    b"h1",
    b"h2",
    b"center",
    b"iframe",
    b"frameset",
    b"font",
    b"b",
    b"a",
    b"br",
    b"table",
    b"pre",
];

/// Returns the type of a JSON, style sheet or script file.
fn code(head: &[u8]) -> Option<&'static str> {
    if is_json(head) {
        return Some("JSON");
    }
    let starts = |marks: &[&[u8]]| marks.iter().any(|mark| head.starts_with(mark));
    if starts(&[b"#!/"]) {
        return Some("a script");
    }
    if starts(&[b"@charset", b"@import", b"@font-face", b"@media", b"@namespace"]) || is_style_sheet(head) {
        return Some("a style sheet");
    }
    let is_script = starts(&[
        b"(function",
        b"!function",
        b"(()=>",
        b"(() =>",
        b"\"use strict\"",
        b"'use strict'",
        b"var ",
        b"const ",
        b"let ",
        b"function ",
        b"import ",
        b"export ",
        b"window.",
        b"document.",
        b"//# sourceMappingURL",
    ]);
    let has_syntax = || [b';', b'{', b'('].iter().filter(|mark| head.contains(mark)).count() >= 2;
    (is_script && has_syntax()).then_some("a script in JavaScript")
}

/// Returns true if the file starts as a JSON object or array does: `{"`, `{}`, `[{`, `[[`, `["`, `[]`.
fn is_json(head: &[u8]) -> bool {
    let Some((first, rest)) = head.split_first() else { return false };
    let next = rest.trim_ascii_start().first();
    match first {
        b'{' => matches!(next, Some(b'"' | b'}')),
        b'[' => matches!(next, Some(b'{' | b'[' | b'"' | b']')),
        _ => false,
    }
}

/// Returns true if the file starts with a selector, a brace and a property with its colon: `body{margin:0`. Leading
/// comments are skipped.
fn is_style_sheet(head: &[u8]) -> bool {
    let mut rest = head;
    while let Some(comment) = rest.strip_prefix(b"/*") {
        let Some(end) = memmem::find(comment, b"*/") else { return false };
        rest = comment.get(end + 2..).unwrap_or_default().trim_ascii_start();
    }
    let Some(brace) = memchr::memchr(b'{', rest) else { return false };
    let (selector, body) = rest.split_at(brace);
    let starts_selector =
        |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'.' | b'#' | b'*' | b':' | b'@' | b'[');
    let is_selector = selector.first().is_some_and(starts_selector)
        && !selector.iter().any(|byte| matches!(byte, b';' | b'"' | b'}'));
    let body = body.get(1..).unwrap_or_default().trim_ascii_start();
    let name = body.iter().take_while(|byte| byte.is_ascii_lowercase() || **byte == b'-').count();
    is_selector
        && name > 0
        && body.get(name..).is_some_and(|rest| rest.trim_ascii_start().first() == Some(&b':'))
}

/// Returns the type of a file in which at least eight, and at least a tenth, of the leading bytes are binary (WHATWG
/// MIME Sniffing §3, "binary data byte").
fn binary(body: &[u8]) -> Option<&'static str> {
    let head = body.get(..body.len().min(SNIFFED))?;
    let is_binary = |byte: &&u8| matches!(byte, 0x00..=0x08 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F);
    let count = head.iter().filter(is_binary).count();
    (count >= 8 && count * 10 >= head.len()).then_some("a binary file")
}
