//! WACZ: web archives with their indexes in one ZIP file. Members are read in place, never extracted.
//!
//! A WACZ file stores its WARC files uncompressed, so that each is a byte range of the file. The central directory is checked
//! against the local header of each member. A file is rejected if its members overlap, lie outside of it, or have other names in
//! the two places.

use std::io::{Read, Seek, SeekFrom};

use zip::{CompressionMethod, ZipArchive};

use crate::error::ArchiveError;
use crate::format::ArchiveFormat;
use crate::input::{ArchiveInput, Place};

/// Maximum number of members in a file.
const MAX_MEMBERS: usize = 100_000;

/// The first bytes of a ZIP file.
const MARK: &[u8] = b"PK\x03\x04";

impl ArchiveInput {
    /// Returns the archives in a WACZ file, each as a separate input. Returns any other input unchanged.
    ///
    /// # Errors
    ///
    /// Returns [`ArchiveError`] if the bytes cannot be read, or are a ZIP file without a web archive, or with members that
    /// overlap or contradict its directory.
    pub fn members(self) -> Result<Vec<ArchiveInput>, ArchiveError> {
        let name = self.name().to_owned();
        let place = match self.begins_with(MARK).map_err(|error| ArchiveError::io(&name, error))? {
            (input, false) => return Ok(vec![input]),
            (input, true) => input.into_place(ArchiveFormat::Wacz)?,
        };
        let broken = |problem: String| ArchiveError::broken(&name, ArchiveFormat::Wacz, problem);
        let members = members(&place).map_err(broken)?;
        if members.is_empty() {
            return Err(broken("it is a ZIP file without a WARC file in it".to_owned()));
        }
        let input = |member: Member| {
            let part = place.part(member.begin, member.length);
            ArchiveInput::of_part(format!("{name}!{}", member.name), part)
        };
        Ok(members.into_iter().map(input).collect())
    }
}

struct Member {
    name: String,
    begin: u64,
    length: u64,
}

/// Returns the WARC files, in the order of their offsets.
fn members(place: &Place) -> Result<Vec<Member>, String> {
    let length = place.length().map_err(|error| error.to_string())?;
    let mut archive = ZipArchive::new(place.clone()).map_err(|error| error.to_string())?;
    if archive.len() > MAX_MEMBERS {
        return Err(format!("it has more than {MAX_MEMBERS} members"));
    }
    let mut all = Vec::new();
    let mut wanted = Vec::new();
    for number in 0..archive.len() {
        let member = archive.by_index_raw(number).map_err(|error| error.to_string())?;
        let name = String::from_utf8_lossy(member.name_raw()).into_owned();
        let begin = member.data_start().ok_or_else(|| format!("`{name}` begins nowhere"))?;
        let end = begin.checked_add(member.compressed_size()).filter(|end| *end <= length);
        let end = end.ok_or_else(|| format!("`{name}` lies outside of the file"))?;
        check_header(place, member.header_start(), member.name_raw())
            .map_err(|problem| format!("`{name}` {problem}"))?;
        all.push((member.header_start(), end));
        if !is_archive(&name) {
            continue;
        }
        if member.compression() != CompressionMethod::Stored || member.encrypted() {
            return Err(format!("`{name}` is compressed once more or encrypted, which WACZ does not allow"));
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

/// Compares the local header of a member with its name in the directory.
fn check_header(place: &Place, at: u64, name: &[u8]) -> Result<(), String> {
    let mut header = [0; 30];
    let mut place = place.clone();
    let mut read = |at: u64, bytes: &mut [u8]| {
        place
            .seek(SeekFrom::Start(at))
            .and_then(|_| place.read_exact(bytes))
            .map_err(|error| error.to_string())
    };
    read(at, &mut header)?;
    let length = usize::from(u16::from_le_bytes([header[26], header[27]]));
    let mut own = vec![0; length];
    read(at.saturating_add(30), &mut own)?;
    match own == name {
        true => Ok(()),
        false => Err("has another name in the directory than before its bytes".to_owned()),
    }
}

/// Returns whether a name is that of an archive, such as `archive/data.warc.gz`.
fn is_archive(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let stem = [".gz", ".zst", ".lz4"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    stem.ends_with(".warc")
}
