//! Real robots.txt files, or copies of a generated file if `COMITY_DATA` is not set.

use std::path::PathBuf;
use std::{env, fs, io};

use bytes::Bytes;

/// Returns the files in `$COMITY_DATA/corpus/robots`, sorted by name, or 4,000 copies of a generated file.
pub(crate) fn load() -> io::Result<Vec<Bytes>> {
    let Some(data) = env::var_os("COMITY_DATA") else {
        eprintln!("warning: COMITY_DATA is not set, so a small generated file replaces the real files");
        return Ok(vec![Bytes::from_static(b"User-agent: *\nDisallow: /private\n"); 4_000]);
    };
    let mut paths: Vec<PathBuf> = fs::read_dir(PathBuf::from(data).join("corpus/robots"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    paths.iter().filter(|path| path.is_file()).map(|path| fs::read(path).map(Bytes::from)).collect()
}
