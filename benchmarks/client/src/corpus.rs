//! Real files; without them, one file repeated.

use std::path::PathBuf;
use std::{env, fs, io};

use bytes::Bytes;

/// The files below `$COMITY_DATA`, in the order of their names.
pub(crate) fn load() -> io::Result<Vec<Bytes>> {
    let Some(data) = env::var_os("COMITY_DATA") else {
        eprintln!("COMITY_DATA is not set: NO REAL FILES. One small file stands for all.");
        return Ok(vec![Bytes::from_static(b"User-agent: *\nDisallow: /private\n"); 4_000]);
    };
    let mut paths: Vec<PathBuf> = fs::read_dir(PathBuf::from(data).join("corpus/robots"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    paths.iter().filter(|path| path.is_file()).map(|path| fs::read(path).map(Bytes::from)).collect()
}
