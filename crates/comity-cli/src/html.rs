//! What the pages of commands share: their head, and how they show the text of strangers.

use std::fmt;
use std::io::{self, Write};

/// Writes a page up to its heading. The page loads nothing, runs nothing, and forbids itself everything but its own style
/// sheet. `title` is escaped already.
pub(crate) fn head(title: impl fmt::Display, style: &str, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
         <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>"
    )
}

/// Text between tags, or in an attribute with quotes.
pub(crate) struct Escaped<'t>(pub(crate) &'t str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                c if comity::shown::is_unsafe(c) => f.write_str("\u{fffd}")?,
                c => fmt::Write::write_char(f, c)?,
            }
        }
        Ok(())
    }
}

/// Escapes the values of templates as [`Escaped`] does; `askama.toml` names it.
#[derive(Clone, Copy)]
pub(crate) struct TextEscaper;

impl askama::filters::Escaper for TextEscaper {
    fn write_escaped_str<W: fmt::Write>(&self, mut dest: W, text: &str) -> fmt::Result {
        write!(dest, "{}", Escaped(text))
    }
}
