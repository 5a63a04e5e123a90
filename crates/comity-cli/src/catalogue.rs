//! Adds the user's own crawlers to the catalogue before a command runs. A TOML file lists them (`--catalogue FILE`).

use std::path::Path;

use comity::UnknownName;
use comity::agents::{self, OwnAgent};
use serde::Deserialize;

use crate::exit::Failure;
use crate::input::Source;
use crate::output::Output;
use crate::render;

/// Maximum size of the file, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// Maximum length of the operator and of the note of an entry, in bytes.
const MAX_TEXT: usize = 500;

/// Content of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entries {
    #[serde(default)]
    crawler: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    token: String,
    operator: Option<String>,
    purpose: Option<String>,
    robots_txt: Option<String>,
    #[serde(default)]
    fallback: Vec<String>,
    note: Option<String>,
}

/// Adds the entries of a file to the catalogue.
pub(crate) fn add(path: &Path, output: &mut Output) -> Result<(), Failure> {
    let source = Source::new(path);
    let bytes = source.read()?;
    let refused = |problem: String| {
        Failure::new(format!("cannot use the catalogue `{}`: {problem}", source.name()))
            .hint("an entry is `[[crawler]]` with token, operator and purpose; `comity logs --unknown-agents` writes such a file")
    };
    if bytes.len() > MAX_BYTES {
        return Err(refused("it is longer than 4 MiB".to_owned()));
    }
    let text = std::str::from_utf8(&bytes).map_err(|error| refused(format!("it is not UTF-8: {error}")))?;
    let entries: Entries = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        refused(format!("line {line}: {}", render::text(error.message().as_bytes())))
    })?;
    let total = entries.crawler.len();
    let own = entries.crawler.into_iter().map(own).collect::<Result<Vec<_>, _>>().map_err(refused)?;
    let added = agents::extend(own).map_err(|error| refused(error.to_string()))?;
    if added < total {
        output.note(&format!(
            "{} of {} ignored: the catalogue already has an entry of that name",
            render::count(total - added, "crawler"),
            source.name()
        ));
    }
    Ok(())
}

fn own(entry: Entry) -> Result<OwnAgent, String> {
    let Entry { token, operator, purpose, robots_txt, fallback, note } = entry;
    let shown = render::text(token.as_bytes()).into_owned();
    let is_long = |text: &Option<String>| text.as_ref().is_some_and(|text| text.len() > MAX_TEXT);
    if is_long(&operator) || is_long(&note) {
        return Err(format!("the operator or the note of `{shown}` is longer than {MAX_TEXT} bytes"));
    }
    let mut own = OwnAgent::new(token);
    let wrong = |error: UnknownName| format!("`{shown}`: {error}");
    if let Some(word) = purpose {
        own.purpose = word.parse().map_err(wrong)?;
    }
    if let Some(word) = robots_txt {
        own.robots_txt = word.parse().map_err(wrong)?;
    }
    own.operator = operator.unwrap_or(own.operator);
    (own.fallbacks, own.note) = (fallback, note);
    Ok(own)
}
