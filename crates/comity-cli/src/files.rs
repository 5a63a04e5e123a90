//! Arguments that name several robots.txt files: paths, folders, patterns, lists of paths, sites.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use comity_answers::files::{matches, walk};

use crate::exit::Failure;
use crate::input::{Line, Source};
use crate::location::Location;
use crate::render;

/// The robots.txt files that arguments name.
#[derive(Debug, Args)]
pub(crate) struct RobotsFilesArgs {
    /// Files, folders (searched for robots.txt files), patterns such as 'sites/**/robots.txt', `-` for standard input,
    /// or sites: URLs or hosts
    #[arg(id = "file", value_name = "FILE|URL", value_hint = ValueHint::AnyPath)]
    pub(crate) given: Vec<OsString>,

    /// Read paths from this file, one per line; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files_from: Option<PathBuf>,
}

impl RobotsFilesArgs {
    /// Returns true if there are no arguments.
    pub(crate) fn is_empty(&self) -> bool {
        self.given.is_empty() && self.files_from.is_none()
    }

    /// Returns the named files in order, or `default` without arguments.
    pub(crate) fn locations(&self, default: Option<&str>) -> Result<Vec<Location>, Failure> {
        let mut named = self.given.clone();
        if let Some(list) = &self.files_from {
            named.extend(paths_in(&Source::new(list))?);
        }
        if self.is_empty() {
            named.extend(default.map(OsString::from));
        }
        let mut locations = Vec::new();
        for argument in &named {
            expand(argument, &mut locations)?;
        }
        Ok(locations)
    }
}

/// Appends the locations that an argument names: one file or site, all robots.txt files of a folder, or all files that
/// match a pattern.
pub(crate) fn expand(argument: &OsString, found: &mut Vec<Location>) -> Result<(), Failure> {
    let location = Location::of(argument);
    let Location::File(path) = &location else {
        found.push(location);
        return Ok(());
    };
    if path.is_dir() {
        found.extend(robots_files(path)?.into_iter().map(Location::File));
        return Ok(());
    }
    match argument.to_str().filter(|pattern| !path.exists() && pattern.contains(['*', '?', '['])) {
        Some(pattern) => {
            found.extend(matches(pattern)?.into_iter().map(Location::File));
            Ok(())
        }
        None => {
            found.push(location);
            Ok(())
        }
    }
}

/// Returns the robots.txt files below a folder.
fn robots_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let found = walk(folder, is_robots_txt)?;
    if found.is_empty() {
        let folder = render::text(folder.as_os_str().as_encoded_bytes()).into_owned();
        return Err(Failure::new(format!("there is no robots.txt in the folder `{folder}`"))
            .hint("the search is for names that contain `robots` and end in .txt"));
    }
    Ok(found)
}

/// Returns true for names such as `robots.txt`, `shop-robots.txt`, `robots_staging.TXT`.
fn is_robots_txt(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("robots") && name.ends_with(".txt")
}

/// Returns the paths in a list. Blank lines and lines that begin with `#` are skipped.
pub(crate) fn paths_in(list: &Source) -> Result<Vec<OsString>, Failure> {
    let (mut lines, mut line, mut paths) = (list.lines()?, Vec::new(), Vec::new());
    loop {
        match lines.next(&mut line)? {
            Line::End => return Ok(paths),
            Line::TooLong => {
                return Err(Failure::new(format!("{}: the line is longer than 1 MiB", lines.place())));
            }
            Line::Text => {
                let text = line.trim_ascii();
                if text.is_empty() || text.starts_with(b"#") {
                    continue;
                }
                match std::str::from_utf8(text) {
                    Ok(path) => paths.push(path.into()),
                    Err(_) => return Err(Failure::new(format!("{}: the path is not UTF-8", lines.place()))),
                }
            }
        }
    }
}
