//! Address ranges that `--update` saved for later runs: in the file `COMITY_RANGES`, or else in the user's
//! data folder.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use comity::agents::Ranges;

use crate::exit::Failure;

/// Returns the path of the saved ranges.
fn path() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("COMITY_RANGES").filter(|path| !path.is_empty()) {
        return Some(path.into());
    }
    let home = |name: &str| std::env::var_os(name).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let data = home("XDG_DATA_HOME")
        .or_else(|| home("APPDATA"))
        .or_else(|| home("HOME").map(|home| home.join(".local").join("share")))?;
    Some(data.join("comity").join("ranges.txt"))
}

/// Reads the saved ranges. Returns an empty set if the file does not exist.
pub(super) fn read() -> Result<Ranges, Failure> {
    let Some(path) = path() else { return Ok(Ranges::default()) };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Ranges::default());
        }
        Err(error) => return Err(Failure::new(format!("`{}`: {error}", path.display()))),
    };
    Ranges::parse(&text).map_err(|error| {
        Failure::new(format!("`{}`: {error}", path.display()))
            .hint("delete the file to use the lists in this program again")
    })
}

/// Writes the ranges, and returns their path.
pub(super) fn write(ranges: &Ranges) -> Result<PathBuf, Failure> {
    let Some(path) = path() else {
        return Err(
            Failure::new("there is no data folder for the ranges").hint("set COMITY_RANGES to a file")
        );
    };
    let failed = |error: std::io::Error| Failure::new(format!("`{}`: {error}", path.display()));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    // Concurrent runs never read an incomplete file.
    comity_answers::files::whole(&path, ranges.to_string().as_bytes()).map_err(failed)?;
    Ok(path)
}
