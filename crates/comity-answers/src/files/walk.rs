//! Finds files below a folder, and files that match a pattern.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::FileError;

/// Returns the files below a folder in the order of their paths, if `is_wanted` returns true for their names. Skips hidden
/// files and folders. Does not follow links to folders, except `folder` itself.
///
/// # Errors
///
/// Returns [`FileError::Walk`] if a folder cannot be read.
pub fn walk(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, FileError> {
    let mut found = Vec::new();
    let is_hidden = |name: &str| name.starts_with('.') && name != "." && name != "..";
    let entries = WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || !is_hidden(&entry.file_name().to_string_lossy()));
    for entry in entries {
        let entry = entry?;
        let is_wanted = is_wanted(&entry.file_name().to_string_lossy());
        // A dangling link is kept, so that it is reported as an unreadable file.
        let is_file = match entry.path_is_symlink() {
            true => !entry.path().is_dir(),
            false => entry.file_type().is_file(),
        };
        if is_wanted && is_file {
            found.push(entry.into_path());
        }
    }
    Ok(found)
}

/// Returns true if a text has a character that is common in patterns and rare in names.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// Returns the files that match a pattern such as `sites/**/robots.txt`.
///
/// # Errors
///
/// Returns [`FileError::Pattern`], [`FileError::NoMatch`], or [`FileError::Read`] if a folder cannot be read.
pub fn matches(pattern: &str) -> Result<Vec<PathBuf>, FileError> {
    let paths =
        glob::glob(pattern).map_err(|source| FileError::Pattern { pattern: pattern.to_owned(), source })?;
    let mut found = Vec::new();
    for path in paths {
        let path =
            path.map_err(|error| FileError::Read { path: error.path().to_owned(), source: error.into() })?;
        // A dangling link is kept, so that it is reported as an unreadable file.
        if !path.is_dir() {
            found.push(path);
        }
    }
    match found.is_empty() {
        true => Err(FileError::NoMatch(pattern.to_owned())),
        false => Ok(found),
    }
}
