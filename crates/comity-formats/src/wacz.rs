//! WACZ: ZIP files with web archives and their indexes.
//!
//! A WACZ file stores its WARC files without ZIP compression. So each WARC file is a byte range of the file, and is read
//! without extraction. A file is rejected if its members overlap or lie outside of the file, or if the name of a member in
//! the central directory differs from the name in its local header.

use std::io::{Read, Seek, SeekFrom};

use zip::{CompressionMethod, ZipArchive};

use crate::error::ArchiveError;
use crate::format::ArchiveFormat;
use crate::input::{ArchiveInput, FileReader};

/// Maximum number of members in a file.
const MAX_MEMBERS: usize = 100_000;

/// The first bytes of a ZIP file.
const MARK: &[u8] = b"PK\x03\x04";

impl ArchiveInput {
    /// Returns each WARC file in a WACZ file as a separate input. Returns any other input unchanged.
    ///
    /// # Errors
    ///
    /// Returns [`ArchiveError`] if the bytes cannot be read, or if the input is a ZIP file that is a stream, contains no WARC
    /// file or one that ZIP compressed or encrypted, or has members that overlap or contradict the directory.
    pub fn members(self) -> Result<Vec<ArchiveInput>, ArchiveError> {
        let name = self.name().to_owned();
        let file = match self.begins_with(MARK).map_err(|error| ArchiveError::io(&name, error))? {
            (input, false) => return Ok(vec![input]),
            (input, true) => input.into_file(ArchiveFormat::Wacz)?,
        };
        let broken = |problem: String| ArchiveError::broken(&name, ArchiveFormat::Wacz, problem);
        let members = members(&file).map_err(broken)?;
        if members.is_empty() {
            return Err(broken("the ZIP file contains no WARC file".to_owned()));
        }
        let input = |member: Member| {
            let part = file.range(member.begin, member.length);
            ArchiveInput::of_range(format!("{name}!{}", member.name), part)
        };
        Ok(members.into_iter().map(input).collect())
    }
}

/// A WARC file in the ZIP file.
struct Member {
    name: String,
    begin: u64,
    length: u64,
}

/// Returns the WARC files, in the order of their offsets.
fn members(file: &FileReader) -> Result<Vec<Member>, String> {
    let length = file.length().map_err(|error| error.to_string())?;
    let mut archive = ZipArchive::new(file.clone()).map_err(|error| error.to_string())?;
    if archive.len() > MAX_MEMBERS {
        return Err(format!("it has more than {MAX_MEMBERS} members"));
    }
    let mut all = Vec::new();
    let mut wanted = Vec::new();
    for number in 0..archive.len() {
        let member = archive.by_index_raw(number).map_err(|error| error.to_string())?;
        let name = String::from_utf8_lossy(member.name_raw()).into_owned();
        let begin = member.data_start().ok_or_else(|| format!("the position of `{name}` is unknown"))?;
        let end = begin.checked_add(member.compressed_size()).filter(|end| *end <= length);
        let end = end.ok_or_else(|| format!("`{name}` lies outside of the file"))?;
        check_header(file, member.header_start(), member.name_raw())
            .map_err(|problem| format!("`{name}` {problem}"))?;
        all.push((member.header_start(), end));
        if !is_archive(&name) {
            continue;
        }
        if member.compression() != CompressionMethod::Stored || member.encrypted() {
            return Err(format!("`{name}` is compressed by ZIP or encrypted, which WACZ does not allow"));
        }
        wanted.push(Member { name, begin, length: end - begin });
    }
    all.sort_unstable();
    if all.windows(2).any(|pair| matches!(pair, [(_, end), (begin, _)] if begin < end)) {
        return Err("its members overlap".to_owned());
    }
    wanted.sort_by_key(|member| member.begin);
    Ok(wanted)
}

/// Checks that the local header of a member contains its name in the directory.
fn check_header(file: &FileReader, at: u64, name: &[u8]) -> Result<(), String> {
    let mut header = [0; 30];
    let mut file = file.clone();
    let mut read = |at: u64, bytes: &mut [u8]| {
        file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(bytes)).map_err(|error| error.to_string())
    };
    read(at, &mut header)?;
    let length = usize::from(u16::from_le_bytes([header[26], header[27]]));
    let mut local_name = vec![0; length];
    read(at.saturating_add(30), &mut local_name)?;
    match local_name == name {
        true => Ok(()),
        false => Err("has another name in its local header".to_owned()),
    }
}

/// Returns whether a name is the name of a WARC file, such as `archive/data.warc.gz`.
fn is_archive(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let stem = [".gz", ".zst", ".lz4"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    stem.ends_with(".warc")
}
