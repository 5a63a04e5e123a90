//! Bodies in separate files, whose paths are in a table of captures.
//!
//! This crate opens no files. The caller provides a function that reads a file. The table may be untrusted, so the function is
//! called only for paths below the folder of the table.

use std::fmt;
use std::io;
use std::path::{Component, Path};
use std::sync::Arc;

/// Function that reads up to a number of bytes of a file.
type Read = dyn Fn(&Path, usize) -> io::Result<Vec<u8>> + Send + Sync;

/// Reader of the files named by a table of captures.
#[derive(Clone)]
pub(crate) struct BodyFiles(Arc<Read>);

impl BodyFiles {
    pub(super) fn new(
        read: impl Fn(&Path, usize) -> io::Result<Vec<u8>> + Send + Sync + 'static,
    ) -> BodyFiles {
        BodyFiles(Arc::new(read))
    }

    /// Reads up to `limit` bytes of a file. Returns a message if the path is not allowed, or the file cannot be read.
    pub(super) fn read(&self, path: &str, limit: usize) -> Result<Vec<u8>, String> {
        let named = || format!("the body file `{}`", shown(path));
        if !is_below(path) {
            return Err(format!("{} is not below the folder of the table", named()));
        }
        let mut body = (self.0)(Path::new(path), limit).map_err(|error| format!("{}: {error}", named()))?;
        body.truncate(limit);
        Ok(body)
    }
}

impl fmt::Debug for BodyFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BodyFiles")
    }
}

/// Returns whether a relative path leads to a file below its folder: it has no `..`, no root and no drive.
fn is_below(path: &str) -> bool {
    let is_down = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let has_name = Path::new(path).components().any(|part| matches!(part, Component::Normal(_)));
    has_name && !path.contains('\0') && Path::new(path).components().all(is_down)
}

/// Returns a path for a message, truncated to a maximum length.
fn shown(path: &str) -> String {
    const MAX_CHARS: usize = 100;
    match path.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", path.get(..end).unwrap_or_default()),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_outside_of_the_folder_are_rejected() {
        for path in ["a.txt", "bodies/a.txt", "./a.txt", "a..b", "bodies//a", "bodies/./a"] {
            let read = BodyFiles::new(|_, _| Ok(b"body".to_vec()));
            assert!(read.read(path, 2).is_ok(), "{path}");
        }
        for path in ["", ".", "..", "../a", "a/../../b", "/etc/passwd", "a/..", "a\0b"] {
            let read = BodyFiles::new(|_, _| Ok(Vec::new()));
            assert!(read.read(path, 2).is_err(), "{path}");
        }
        let read = BodyFiles::new(|_, _| Ok(b"body".to_vec()));
        assert_eq!(read.read("a", 2), Ok(b"bo".to_vec()));
    }
}
