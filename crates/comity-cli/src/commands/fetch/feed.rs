//! The URLs to fetch: arguments, and lines of lists as they arrive.
//!
//! Lists are read on a separate thread, because a read cannot be cancelled.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use comity_answers::url::web_url;
use futures_util::{Stream, StreamExt, stream};
use tokio::sync::mpsc;

use crate::args::UrlArgs;
use crate::decisions::guess;
use crate::exit::Failure;
use crate::input::{self, Line, Source};

/// Maximum number of lines that are read ahead of the crawl.
const AHEAD: usize = 256;

/// A text that is not a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BadUrl {
    /// The text.
    pub(super) text: String,
    /// The problem, with the place of the text.
    pub(super) problem: String,
}

impl BadUrl {
    fn new(text: &[u8], place: &str, problem: &str) -> BadUrl {
        BadUrl { text: String::from_utf8_lossy(text).into_owned(), problem: format!("{place}: {problem}") }
    }
}

/// Lines of lists that are not URLs, and errors of lists that cannot be read to their end.
pub(super) type ListProblems = mpsc::Receiver<Result<BadUrl, Failure>>;

/// The URLs that the arguments name.
#[derive(Debug)]
pub(super) struct Feed {
    /// The URLs that are arguments.
    pub(super) urls: Vec<String>,
    /// The arguments that are not URLs.
    pub(super) bad: Vec<BadUrl>,
    /// The lists, which are read after the arguments.
    pub(super) lists: Vec<Source>,
    /// URLs that are skipped, because an earlier run fetched them.
    pub(super) done: HashSet<String>,
    /// Number of skipped URLs.
    pub(super) skipped: Arc<AtomicUsize>,
}

impl Feed {
    /// Creates the feed of the arguments. Without arguments and lists, standard input is the list.
    pub(super) fn new(args: &UrlArgs) -> Result<Feed, Failure> {
        if args.is_empty() && input::stdin_is_terminal() {
            return Err(Failure::new("no URLs")
                .hint("give them as arguments, in a file with --urls, or one per line on standard input"));
        }
        let (mut urls, mut bad) = (Vec::new(), Vec::new());
        for (index, argument) in args.given.iter().enumerate().filter(|(_, argument)| *argument != "-") {
            guess::reject_file_as_url(argument)?;
            match url_of(argument.as_encoded_bytes(), &format!("URL argument {}", index + 1)) {
                Ok(url) => urls.push(url),
                Err(problem) => bad.push(problem),
            }
        }
        let mut lists: Vec<Source> = args.lists.iter().map(|list| Source::new(list)).collect();
        if args.is_empty() || args.given.iter().any(|argument| argument == "-") {
            lists.insert(0, Source::Stdin);
        }
        lists.iter().filter(|list| **list != Source::Stdin).try_for_each(Source::check)?;
        Ok(Feed { urls, bad, lists, done: HashSet::new(), skipped: Arc::default() })
    }

    /// Returns true if URLs come from lists, so that their number is not known.
    pub(super) fn is_stream(&self) -> bool {
        !self.lists.is_empty()
    }

    /// Returns the only input if there is exactly one: a URL, or a text that is not a URL.
    pub(super) fn single(&self) -> Option<Result<&str, &BadUrl>> {
        match (self.urls.as_slice(), self.bad.as_slice()) {
            ([url], []) if !self.is_stream() => Some(Ok(url)),
            ([], [bad]) if !self.is_stream() => Some(Err(bad)),
            _ => None,
        }
    }

    /// Returns the URLs as they arrive, and the problems of the lists.
    pub(super) fn open(&self) -> (impl Stream<Item = String> + Send + 'static, ListProblems) {
        let (bad, complaints) = mpsc::channel(AHEAD);
        let lines = self.is_stream().then(|| read_lists(self.lists.clone()));
        let lines = stream::unfold((lines, bad), |(mut lines, bad)| async move {
            loop {
                match lines.as_mut()?.recv().await? {
                    Read::Url(url) => return Some((url, (lines, bad))),
                    // Sending fails only if the receiver was dropped.
                    Read::Bad(text) => drop(bad.send(Ok(text)).await),
                    Read::Failed(failure) => drop(bad.send(Err(failure)).await),
                }
            }
        });
        let (done, skipped) = (self.done.clone(), Arc::clone(&self.skipped));
        let urls = stream::iter(self.urls.clone()).chain(lines);
        let urls = urls.filter(move |url| {
            let is_done = done.contains(url);
            skipped.fetch_add(usize::from(is_done), Ordering::Relaxed);
            std::future::ready(!is_done)
        });
        (urls, complaints)
    }
}

/// A line of a list.
#[derive(Debug)]
enum Read {
    /// A URL.
    Url(String),
    /// A line that is not a URL.
    Bad(BadUrl),
    /// An error ended the reading of the list.
    Failed(Failure),
}

/// Reads all lists, or stops when the receiver is dropped.
fn read_lists(lists: Vec<Source>) -> mpsc::Receiver<Read> {
    let (sender, receiver) = mpsc::channel(AHEAD);
    std::thread::spawn(move || {
        for list in lists {
            if let Err(failure) = send_lines(&list, &sender) {
                // Sending fails only if the receiver was dropped.
                let _ = sender.blocking_send(Read::Failed(failure));
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
            Line::TooLong => Read::Bad(BadUrl::new(b"", &lines.place(), "the line is longer than 1 MiB")),
            Line::Text => match line.trim_ascii() {
                [] | [b'#', ..] => continue,
                text => match guess::not_a_url_line(text) {
                    Some(problem) => Read::Bad(BadUrl::new(text, &lines.place(), &problem)),
                    None => url_of(text, &lines.place()).map_or_else(Read::Bad, Read::Url),
                },
            },
        };
        if sender.blocking_send(read).is_err() {
            return Ok(());
        }
    }
}

/// Returns the URL in an argument or a line. A problem names the place.
fn url_of(text: &[u8], place: &str) -> Result<String, BadUrl> {
    match web_url(text) {
        Ok(_) => Ok(String::from_utf8_lossy(text.trim_ascii()).into_owned()),
        Err(problem) => Err(BadUrl::new(text, place, &guess::of_url(text, &problem))),
    }
}
