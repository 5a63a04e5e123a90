//! The URLs to fetch: from arguments, and from standard input while it is being written.
//!
//! Standard input is read on a thread of its own, since reading it cannot be cancelled.

use std::ffi::OsString;

use futures_util::{Stream, StreamExt, stream};
use tokio::sync::mpsc;

use crate::exit::Failure;
use crate::input::{self, Line, Source};
use crate::render;

/// Lines that are read ahead of what the crawl holds.
const AHEAD: usize = 256;

/// The URLs that the arguments name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Feed {
    /// The URLs that are arguments.
    pub(super) urls: Vec<String>,
    /// True if standard input is read after them.
    pub(super) reads_stdin: bool,
}

impl Feed {
    /// None at all stands for `-`, and `-` for standard input.
    pub(super) fn new(arguments: &[OsString]) -> Result<Feed, Failure> {
        if arguments.is_empty() && input::stdin_is_terminal() {
            return Err(
                Failure::new("no URLs").hint("give them as arguments, or one per line on standard input")
            );
        }
        let reads_stdin = arguments.is_empty() || arguments.iter().any(|argument| argument == "-");
        let urls = arguments.iter().filter(|argument| *argument != "-");
        Ok(Feed { urls: urls.map(|url| url.to_string_lossy().into_owned()).collect(), reads_stdin })
    }

    /// The one URL, if there is no other.
    pub(super) fn single(&self) -> Option<&str> {
        match self.urls.as_slice() {
            [url] if !self.reads_stdin => Some(url),
            _ => None,
        }
    }

    /// The URLs as they come, and the reasons why other lines of standard input are not URLs.
    pub(super) fn open(&self) -> (impl Stream<Item = String> + Send + 'static, mpsc::Receiver<String>) {
        let (bad, complaints) = mpsc::channel(AHEAD);
        let lines = self.reads_stdin.then(read_stdin);
        let lines = stream::unfold((lines, bad), |(mut lines, bad)| async move {
            loop {
                match lines.as_mut()?.recv().await? {
                    Read::Url(url) => return Some((url, (lines, bad))),
                    // Nobody listens any more if this fails.
                    Read::Bad(message) => drop(bad.send(message).await),
                }
            }
        });
        (stream::iter(self.urls.clone()).chain(lines), complaints)
    }
}

/// A line of standard input.
#[derive(Debug)]
enum Read {
    /// A URL.
    Url(String),
    /// None, and why.
    Bad(String),
}

/// Reads standard input to its end, or until the receiver is closed.
fn read_stdin() -> mpsc::Receiver<Read> {
    let (sender, receiver) = mpsc::channel(AHEAD);
    std::thread::spawn(move || {
        if let Err(failure) = send_lines(&sender) {
            // Nobody listens any more if this fails.
            let _ = sender.blocking_send(Read::Bad(failure.to_string()));
        }
    });
    receiver
}

fn send_lines(sender: &mpsc::Sender<Read>) -> Result<(), Failure> {
    let mut lines = Source::Stdin.lines()?;
    let mut line = Vec::new();
    loop {
        let read = match lines.next(&mut line)? {
            Line::End => return Ok(()),
            Line::TooLong => Read::Bad(format!("{}: the line is longer than 1 MiB", lines.place())),
            Line::Text if line.iter().all(u8::is_ascii_whitespace) => continue,
            Line::Text => match std::str::from_utf8(&line) {
                Ok(url) => Read::Url(url.trim().to_owned()),
                Err(_) => {
                    Read::Bad(format!("{}: `{}` is not UTF-8", lines.place(), render::short(&line, 80)))
                }
            },
        };
        if sender.blocking_send(read).is_err() {
            return Ok(());
        }
    }
}
