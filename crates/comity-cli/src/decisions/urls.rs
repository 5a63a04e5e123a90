//! The URLs of a question: from the arguments, from standard input, or both, one at a time.

use std::ffi::OsString;
use std::fmt;
use std::iter::{Enumerate, Peekable};

use comity::robots::UrlError;

use crate::exit::{Exit, Failure};
use crate::input::{self, Line, Lines, Source};
use crate::output::Output;

/// URLs in order. Memory does not grow with their number.
pub(crate) struct Urls {
    arguments: Peekable<Enumerate<std::vec::IntoIter<OsString>>>,
    /// True if standard input is read because no argument is given.
    reads_stdin: bool,
    stream: Option<Stream>,
    line: Vec<u8>,
    /// The number of the argument that held the last URL; `None` if it was a line.
    argument: Option<usize>,
    /// The last URL comes once more.
    again: bool,
}

struct Stream {
    lines: Lines,
    found: bool,
}

/// One URL, or the reason why the input does not hold one.
pub(crate) enum Next<'u> {
    /// A URL, and where it stands for messages.
    Url(&'u [u8], Place<'u>),
    /// Something that cannot be a URL; the message names the place.
    Bad(String),
    /// A stream ended without a URL in it: its name.
    Empty(String),
}

/// The place of a URL in the input.
#[derive(Clone, Copy)]
pub(crate) enum Place<'u> {
    /// The how-manieth argument.
    Argument(usize),
    /// A line of a stream: its name and the number.
    Line(&'u str, u64),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Argument(number) => write!(f, "URL argument {number}"),
            Place::Line(source, number) => write!(f, "{source}:{number}"),
        }
    }
}

impl Urls {
    /// The URLs that `arguments` name. None at all stands for `-`, and `-` for standard input.
    pub(crate) fn new(arguments: &[OsString], robots: &Source) -> Result<Self, Failure> {
        let is_empty = arguments.is_empty();
        let reads_stdin = is_empty || arguments.iter().any(|argument| argument == "-");
        if reads_stdin && *robots == Source::Stdin {
            return Err(Failure::new("standard input cannot be both the robots.txt and the list of URLs")
                .hint("save one of them to a file, or give the URLs as arguments"));
        }
        if is_empty && input::stdin_is_terminal() {
            return Err(
                Failure::new("no URLs").hint("give them as arguments, or one per line on standard input")
            );
        }
        let arguments = Vec::from(arguments).into_iter().enumerate().peekable();
        Ok(Urls {
            arguments,
            reads_stdin: is_empty,
            stream: None,
            line: Vec::new(),
            argument: None,
            again: false,
        })
    }

    /// URLs from a stream alone.
    pub(crate) fn from_source(source: &Source) -> Result<Urls, Failure> {
        let stream = Some(Stream::open(source)?);
        let arguments = Vec::new().into_iter().enumerate().peekable();
        Ok(Urls { arguments, reads_stdin: false, stream, line: Vec::new(), argument: None, again: false })
    }

    /// Answers every URL: `answer` prints the answer and returns its exit code. Text that is not a URL is reported with
    /// its place.
    pub(crate) fn answer_each(
        mut self,
        output: &mut Output,
        answer: impl FnMut(&[u8], &mut Output) -> Result<Result<Exit, UrlError>, Failure>,
    ) -> Result<Exit, Failure> {
        Ok(self.answer_while(|_| true, output, answer)?.0)
    }

    /// The same up to the first URL that `is_ours` denies, which then is the next one. Also says whether there is one.
    pub(crate) fn answer_while(
        &mut self,
        is_ours: impl Fn(&[u8]) -> bool,
        output: &mut Output,
        mut answer: impl FnMut(&[u8], &mut Output) -> Result<Result<Exit, UrlError>, Failure>,
    ) -> Result<(Exit, bool), Failure> {
        let mut exit = Exit::Success;
        let mut progress = None;
        loop {
            // What was printed is handed on before waiting for more input.
            if self.may_wait() {
                output.flush()?;
            }
            let Some(next) = self.next()? else { return Ok((exit, false)) };
            let problem = match next {
                Next::Empty(source) => {
                    output.warning(&format!("no URLs in {source}"));
                    continue;
                }
                Next::Bad(message) => message,
                Next::Url(url, _) if !is_ours(url) => {
                    self.again = true;
                    return Ok((exit, true));
                }
                Next::Url(url, place) => {
                    if matches!(place, Place::Line(..)) {
                        progress.get_or_insert_with(|| output.progress(None, "URLs")).step();
                    }
                    match answer(url, output)? {
                        Ok(asked_for) => {
                            exit = exit.max(asked_for);
                            continue;
                        }
                        Err(error) => format!("{place}: {error}"),
                    }
                }
            };
            exit = Exit::Trouble;
            output.error(&problem);
        }
    }

    /// Returns whether the next read may wait for whoever writes the stream.
    pub(crate) fn may_wait(&mut self) -> bool {
        match (&self.stream, self.arguments.peek()) {
            (Some(stream), _) => stream.lines.is_drained(),
            (None, Some((_, argument))) => argument == "-",
            (None, None) => self.reads_stdin,
        }
    }

    /// The next URL.
    pub(crate) fn next(&mut self) -> Result<Option<Next<'_>>, Failure> {
        while !std::mem::take(&mut self.again) {
            if self.stream.is_none() {
                match self.arguments.next() {
                    Some((_, argument)) if argument == "-" => {}
                    Some((index, argument)) => {
                        self.line = argument.into_encoded_bytes();
                        self.argument = Some(index + 1);
                        break;
                    }
                    None if std::mem::take(&mut self.reads_stdin) => {}
                    None => return Ok(None),
                }
                self.stream = Some(Stream::open(&Source::Stdin)?);
            }
            let Some(stream) = &mut self.stream else { return Ok(None) };
            let line = stream.lines.next(&mut self.line)?;
            self.argument = None;
            stream.found |= line != Line::End;
            match line {
                Line::Text if self.line.iter().all(u8::is_ascii_whitespace) => {}
                Line::Text => break,
                Line::TooLong => {
                    let place = stream.lines.place();
                    return Ok(Some(Next::Bad(format!("{place}: the line is longer than 1 MiB"))));
                }
                Line::End => {
                    let empty = (!stream.found).then(|| stream.lines.source().to_owned());
                    self.stream = None;
                    if let Some(source) = empty {
                        return Ok(Some(Next::Empty(source)));
                    }
                }
            }
        }
        let place = match (self.argument, &self.stream) {
            (Some(number), _) => Place::Argument(number),
            (None, Some(stream)) => Place::Line(stream.lines.source(), stream.lines.number()),
            (None, None) => return Ok(None),
        };
        Ok(Some(Next::Url(&self.line, place)))
    }
}

impl Stream {
    fn open(source: &Source) -> Result<Stream, Failure> {
        Ok(Stream { lines: source.lines()?, found: false })
    }
}
