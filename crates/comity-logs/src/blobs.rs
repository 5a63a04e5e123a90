//! Reads the objects of a Git repository through one `git cat-file --batch` process.
//!
//! A damaged object ends the process in the middle of its output. Then a new process is started for the next object.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

use comity::shown;

/// Maximum number of bytes read from a blob. Rules after this limit are not applied.
const MAX_BYTES: u64 = 1 << 20;

/// A reader of Git objects.
pub(crate) struct Blobs<'a> {
    /// A function that creates a Git command for the repository.
    git: &'a dyn Fn() -> Command,
    batch: Option<Batch>,
}

impl<'a> Blobs<'a> {
    pub(crate) fn new(git: &'a dyn Fn() -> Command) -> Self {
        Blobs { git, batch: None }
    }

    /// Returns the first bytes of a blob, or the reason why it cannot be read.
    pub(crate) fn read(&mut self, id: &str) -> Result<Vec<u8>, String> {
        let mut batch = match self.batch.take() {
            Some(batch) => batch,
            None => Batch::start((self.git)()).map_err(|error| shown::reason(&error))?,
        };
        match batch.request(id) {
            Ok(Object::Blob(bytes)) => {
                self.batch = Some(batch);
                Ok(bytes)
            }
            Ok(Object::Missing(reason)) => {
                self.batch = Some(batch);
                Err(reason)
            }
            // The rest of the blob would precede the next object in the output, so this process is not used again.
            Ok(Object::Longer(bytes)) => Ok(bytes),
            Err(_) => Err(batch.stop()),
        }
    }
}

/// The output of Git for an object.
enum Object {
    /// The whole blob.
    Blob(Vec<u8>),
    /// The first bytes of a blob that was not read to its end.
    Longer(Vec<u8>),
    /// The object does not exist. Contains the reason.
    Missing(String),
}

/// A Git process that writes the object of each requested ID.
struct Batch {
    child: Child,
    ids: ChildStdin,
    objects: BufReader<ChildStdout>,
    error: Option<JoinHandle<String>>,
}

impl Batch {
    fn start(mut git: Command) -> io::Result<Batch> {
        git.args(["cat-file", "--batch"]);
        let mut child = git.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (ids, objects) = (child.stdin.take(), child.stdout.take());
        let (Some(ids), Some(objects)) = (ids, objects) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let error = child.stderr.take().map(first_line);
        Ok(Batch { child, ids, objects: BufReader::new(objects), error })
    }

    /// Requests an object. After an error or a partly read object, the process cannot be used again.
    fn request(&mut self, id: &str) -> io::Result<Object> {
        writeln!(self.ids, "{id}")?;
        self.ids.flush()?;
        let mut head = String::new();
        (&mut self.objects).take(1_024).read_line(&mut head)?;
        let broken = || io::Error::from(io::ErrorKind::InvalidData);
        match head.split_ascii_whitespace().collect::<Vec<_>>().as_slice() {
            [_, "missing"] => Ok(Object::Missing("the repository lacks this object".to_owned())),
            [_, "blob", size] => {
                let size: u64 = size.parse().map_err(|_| broken())?;
                let mut bytes = Vec::new();
                (&mut self.objects).take(size.min(MAX_BYTES)).read_to_end(&mut bytes)?;
                if size > MAX_BYTES && bytes.len() as u64 == MAX_BYTES {
                    return Ok(Object::Longer(bytes));
                }
                let mut end = [0];
                self.objects.read_exact(&mut end)?;
                if bytes.len() as u64 == size && end == *b"\n" {
                    Ok(Object::Blob(bytes))
                } else {
                    Err(broken())
                }
            }
            _ => Err(broken()),
        }
    }

    /// Ends the process and returns the first line of its standard error.
    fn stop(mut self) -> String {
        // Both calls fail only if the process has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.error.take().map(joined).unwrap_or_default()
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // Both calls fail only if the process has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the first line of standard error on a separate thread, so that the process never blocks on a full pipe.
pub(crate) fn first_line(bytes: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut line = Vec::new();
        // If the message cannot be read, there is no message.
        let _ = bytes.take(4_096).read_to_end(&mut line);
        let line = String::from_utf8_lossy(&line);
        let line = line.lines().next().unwrap_or_default();
        let line = line.trim_start_matches("fatal: ").trim_start_matches("error: ");
        shown::bytes(line.as_bytes()).into_owned()
    })
}

/// Returns the error message of a process, or a default message.
pub(crate) fn joined(line: JoinHandle<String>) -> String {
    line.join().ok().filter(|line| !line.is_empty()).unwrap_or_else(|| "git ended early".to_owned())
}
