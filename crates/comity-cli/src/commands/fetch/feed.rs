//! The URLs to fetch: from arguments, and from lists while they are being written.
//!
//! Lists are read on a thread of their own, since reading it cannot be cancelled.

use std::collections::HashSet;

use comity_answers::url::is_host;
use futures_util::{Stream, StreamExt, stream};
use tokio::sync::mpsc;

use crate::args::UrlArgs;
use crate::decisions::guess;
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
    /// The lists that are read after them.
    pub(super) lists: Vec<Source>,
    /// The URLs that were fetched already, and are left out.
    pub(super) done: HashSet<String>,
}

impl Feed {
    /// None at all stands for `-`, and `-` for standard input.
    pub(super) fn new(args: &UrlArgs) -> Result<Feed, Failure> {
        if args.is_empty() && input::stdin_is_terminal() {
            return Err(Failure::new("no URLs")
                .hint("give them as arguments, in a file with --urls, or one per line on standard input"));
        }
        let mut urls = Vec::new();
        for argument in args.given.iter().filter(|argument| *argument != "-") {
            guess::reject_file_as_url(argument)?;
            let url = argument.to_string_lossy().into_owned();
            if is_host(&url) {
                return Err(Failure::new(format!("`{}` has no scheme", render::text(url.as_bytes())))
                    .hint(format!("`comity fetch https://{url}` was probably meant")));
            }
            urls.push(url);
        }
        let mut lists: Vec<Source> = args.lists.iter().map(|list| Source::new(list)).collect();
        if args.is_empty() || args.given.iter().any(|argument| argument == "-") {
            lists.insert(0, Source::Stdin);
        }
        lists.iter().filter(|list| **list != Source::Stdin).try_for_each(|list| list.lines().map(drop))?;
        Ok(Feed { urls, lists, done: HashSet::new() })
    }

    /// Returns true if URLs come from lists, so that their number is not known.
    pub(super) fn is_stream(&self) -> bool {
        !self.lists.is_empty()
    }

    /// The one URL, if there is no other.
    pub(super) fn single(&self) -> Option<&str> {
        match self.urls.as_slice() {
            [url] if !self.is_stream() => Some(url),
            _ => None,
        }
    }

    /// The URLs as they come, and the reasons why other lines of the lists are not URLs.
    pub(super) fn open(&self) -> (impl Stream<Item = String> + Send + 'static, mpsc::Receiver<String>) {
        let (bad, complaints) = mpsc::channel(AHEAD);
        let lines = self.is_stream().then(|| read_lists(self.lists.clone()));
        let lines = stream::unfold((lines, bad), |(mut lines, bad)| async move {
            loop {
                match lines.as_mut()?.recv().await? {
                    Read::Url(url) => return Some((url, (lines, bad))),
                    // Nobody listens any more if this fails.
                    Read::Bad(message) => drop(bad.send(message).await),
                }
            }
        });
        let done = self.done.clone();
        let urls = stream::iter(self.urls.clone()).chain(lines);
        (urls.filter(move |url| std::future::ready(!done.contains(url))), complaints)
    }
}

/// A line of a list.
#[derive(Debug)]
enum Read {
    /// A URL.
    Url(String),
    /// None, and why.
    Bad(String),
}

/// Reads the lists to their end, or until the receiver is closed.
fn read_lists(lists: Vec<Source>) -> mpsc::Receiver<Read> {
    let (sender, receiver) = mpsc::channel(AHEAD);
    std::thread::spawn(move || {
        for list in lists {
            if let Err(failure) = send_lines(&list, &sender) {
                // Nobody listens any more if this fails.
                let _ = sender.blocking_send(Read::Bad(failure.to_string()));
            }
        }
    });
    receiver
}

fn send_lines(list: &Source, sender: &mpsc::Sender<Read>) -> Result<(), Failure> {
    let mut lines = list.lines()?;
    let mut line = Vec::new();
    loop {
        let read = match lines.next(&mut line)? {
            Line::End => return Ok(()),
            Line::TooLong => Read::Bad(format!("{}: the line is longer than 1 MiB", lines.place())),
            Line::Text => match line.trim_ascii() {
                [] | [b'#', ..] => continue,
                text => {
                    url_of(text).unwrap_or_else(|problem| Read::Bad(format!("{}: {problem}", lines.place())))
                }
            },
        };
        if sender.blocking_send(read).is_err() {
            return Ok(());
        }
    }
}

/// Returns the URL in a line, or the reason why the line is not a URL.
fn url_of(line: &[u8]) -> Result<Read, String> {
    if let Some(problem) = guess::not_a_url_line(line) {
        return Err(problem);
    }
    match std::str::from_utf8(line) {
        Ok(url) if is_host(url) => Err(format!("`{url}` has no scheme; `https://{url}` was probably meant")),
        Ok(url) => Ok(Read::Url(url.to_owned())),
        Err(_) => Err(format!("`{}` is not UTF-8", render::short(line, 80))),
    }
}
