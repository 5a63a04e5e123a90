//! A robots.txt that a command is about, and where it is from.

use comity_answers::provenance::Provenance;

use crate::exit::Failure;
use crate::input::Source;
use crate::output::Output;

/// A robots.txt that has been read.
#[derive(Debug)]
pub(crate) struct RobotsFile {
    /// The file's path or URL, for messages.
    pub(crate) name: String,
    pub(crate) body: Vec<u8>,
    /// The charset in the `Content-Type` that it came with.
    pub(crate) charset: Option<String>,
    pub(crate) provenance: Provenance,
    /// A page stands in its place.
    pub(crate) is_foreign: bool,
}

impl RobotsFile {
    /// Reads a file or standard input.
    pub(crate) fn read(source: &Source) -> Result<RobotsFile, Failure> {
        Ok(RobotsFile::of_bytes(source.name(), source.read()?))
    }

    /// Returns the bytes as a file of this name.
    pub(crate) fn of_bytes(name: String, body: Vec<u8>) -> RobotsFile {
        let provenance = Provenance::of_file(&name, &body);
        RobotsFile { name, body, charset: None, provenance, is_foreign: false }
    }

    /// Empties what is no robots.txt, for commands that decide by it: a page in its place allows everything.
    pub(crate) fn without_page(mut self, output: &mut Output) -> RobotsFile {
        if std::mem::take(&mut self.is_foreign) {
            output.warning(&format!(
                "`{}` is a page and not a robots.txt; it is read as an empty file",
                self.name
            ));
            self.body.clear();
        }
        self
    }
}
