//! The contents of a Git repository's objects, from one process of `git cat-file --batch`.
//!
//! A damaged object ends that process in the middle of an answer. The object is unreadable then, and the next one is read from
//! a new process.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

use crate::render;

/// Maximum size of a blob that is read. Bytes of a robots.txt beyond it do not count.
const MOST_BYTES: u64 = 1 << 20;

/// Reader of objects.
pub(super) struct Blobs<'a> {
    /// Makes a command that reads the repository.
    git: &'a dyn Fn() -> Command,
    batch: Option<Batch>,
}

impl<'a> Blobs<'a> {
    pub(super) fn new(git: &'a dyn Fn() -> Command) -> Self {
        Blobs { git, batch: None }
    }

    /// Returns the first bytes of a blob, or the reason why it cannot be read.
    pub(super) fn read(&mut self, id: &str) -> Result<Vec<u8>, String> {
        let mut batch = match self.batch.take() {
            Some(batch) => batch,
            None => Batch::start((self.git)()).map_err(|error| crate::exit::reason(&error))?,
        };
        match batch.ask(id) {
            Ok(Object::Blob(bytes)) => {
                self.batch = Some(batch);
                Ok(bytes)
            }
            Ok(Object::Missing(why)) => {
                self.batch = Some(batch);
                Err(why)
            }
            // The rest of it would stand before the next answer.
            Ok(Object::Longer(bytes)) => Ok(bytes),
            Err(_) => Err(batch.complaint()),
        }
    }
}

/// The answer about an object.
enum Object {
    Blob(Vec<u8>),
    /// The first bytes of a blob whose end was not read.
    Longer(Vec<u8>),
    Missing(String),
}

/// A process that answers with an object for each id.
struct Batch {
    child: Child,
    ids: ChildStdin,
    answers: BufReader<ChildStdout>,
    complaints: Option<JoinHandle<String>>,
}

impl Batch {
    fn start(mut git: Command) -> io::Result<Batch> {
        git.args(["cat-file", "--batch"]);
        let mut child = git.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (ids, answers) = (child.stdin.take(), child.stdout.take());
        let (Some(ids), Some(answers)) = (ids, answers) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let complaints = child.stderr.take().map(first_line);
        Ok(Batch { child, ids, answers: BufReader::new(answers), complaints })
    }

    /// Asks for an object. After an error, or half an object, the process cannot be asked again.
    fn ask(&mut self, id: &str) -> io::Result<Object> {
        writeln!(self.ids, "{id}")?;
        self.ids.flush()?;
        let mut head = String::new();
        (&mut self.answers).take(1_024).read_line(&mut head)?;
        let broken = || io::Error::from(io::ErrorKind::InvalidData);
        match head.split_ascii_whitespace().collect::<Vec<_>>().as_slice() {
            [_, "missing"] => Ok(Object::Missing("the repository lacks this object".to_owned())),
            [_, "blob", size] => {
                let size: u64 = size.parse().map_err(|_| broken())?;
                let mut bytes = Vec::new();
                (&mut self.answers).take(size.min(MOST_BYTES)).read_to_end(&mut bytes)?;
                if size > MOST_BYTES && bytes.len() as u64 == MOST_BYTES {
                    return Ok(Object::Longer(bytes));
                }
                let mut end = [0];
                self.answers.read_exact(&mut end)?;
                if bytes.len() as u64 == size && end == *b"\n" {
                    Ok(Object::Blob(bytes))
                } else {
                    Err(broken())
                }
            }
            _ => Err(broken()),
        }
    }

    /// Ends the process, and returns its first message.
    fn complaint(mut self) -> String {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.complaints.take().map(said).unwrap_or_default()
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // Each fails only if the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the first line of standard error on a thread, so that the process never waits for a reader.
pub(super) fn first_line(bytes: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut line = Vec::new();
        // Errors while an error message is read are not reported.
        let _ = bytes.take(4_096).read_to_end(&mut line);
        let line = String::from_utf8_lossy(&line);
        let line = line.lines().next().unwrap_or_default();
        let line = line.trim_start_matches("fatal: ").trim_start_matches("error: ");
        render::text(line.as_bytes()).into_owned()
    })
}

/// Returns the line that a process wrote, or a sentence in its place.
pub(super) fn said(line: JoinHandle<String>) -> String {
    line.join().ok().filter(|line| !line.is_empty()).unwrap_or_else(|| "git ended early".to_owned())
}
