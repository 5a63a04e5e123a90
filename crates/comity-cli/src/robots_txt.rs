//! A robots.txt from a file or standard input.

use comity_answers::robots_file::RobotsFile;

use crate::decisions::print_notices;
use crate::exit::Failure;
use crate::input::Source;
use crate::output::Output;

/// Reads a file or standard input.
pub(crate) fn read(source: &Source) -> Result<RobotsFile, Failure> {
    Ok(RobotsFile::of_bytes(source.name(), source.read()?))
}

/// Replaces a web page by an empty file and prints a warning, in commands that decide by the rules of the file.
pub(crate) fn without_page(mut file: RobotsFile, output: &mut Output) -> RobotsFile {
    print_notices(file.remove_page(), output);
    file
}
