//! `--context DIR`: an llms.txt expanded with documents of the folder that the site is served from.
//!
//! For owners of a site, who have its files at hand: nothing is fetched. A link to the file's own origin is a
//! path below the folder; links elsewhere cannot be read and are reported.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use comity::llms::{Expansion, Link, LlmsTxt};
use percent_encoding::percent_decode_str;
use url::Url;

use crate::exit::{Exit, Failure, reason};
use crate::input::Source;
use crate::output::Output;
use crate::render;

/// The files that are looked for if a URL names a folder.
const INDEXES: [&str; 3] = ["index.html.md", "index.md", "index.html"];

/// Prints the expansion.
pub(super) fn run(
    name: &str,
    llms: &LlmsTxt,
    home: &Url,
    folder: &Path,
    with_optional: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let root = fs::canonicalize(folder)
        .map_err(|error| Failure::new(format!("cannot read `{}`: {}", folder.display(), reason(&error))))?;
    let context = Expansion::new().with_optional(with_optional).expand(llms, |link| read(link, home, &root));
    output.write_all(context.text().as_bytes())?;
    output.write_all(b"\n")?;
    for failure in context.failures() {
        let target = render::short(failure.link().target().as_bytes(), 200);
        output.warning(&format!(
            "{name}:{}: `{target}` is left out: {}",
            failure.link().line(),
            failure.error()
        ));
    }
    if context.is_truncated() {
        output.warning(&format!("{name}: the expansion reached its limit; the rest is left out"));
    }
    let is_whole = context.failures().is_empty() && !context.is_truncated();
    Ok(if is_whole { Exit::Success } else { Exit::Objection })
}

fn read(link: &Link, home: &Url, root: &Path) -> Result<String, String> {
    let url = link.url().filter(|_| link.is_fetchable()).ok_or("it is not a web address")?;
    if url.origin() != home.origin() {
        return Err("it is on another site".to_owned());
    }
    let path = local_path(url, root)?;
    let bytes = Source::new(&path).read().map_err(|failure| failure.to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The file that a URL names, below the folder and nowhere else.
fn local_path(url: &Url, root: &Path) -> Result<PathBuf, String> {
    let mut path = root.to_owned();
    for segment in url.path_segments().into_iter().flatten() {
        let segment = percent_decode_str(segment).decode_utf8_lossy();
        if segment == ".." || segment.contains(['/', '\\', '\0']) {
            return Err("its path leads out of the folder".to_owned());
        }
        path.push(&*segment);
    }
    if path.is_dir() {
        path = INDEXES.iter().map(|index| path.join(index)).find(|path| path.is_file()).unwrap_or(path);
    }
    let real = fs::canonicalize(&path).map_err(|error| reason(&error))?;
    match real.starts_with(root) && real.is_file() {
        true => Ok(real),
        false => Err("there is no such file in the folder".to_owned()),
    }
}
