//! The URLs of a question: from the arguments, from standard input, or both, one at a time.

use std::ffi::OsString;

use comity::robots::UrlError;

use crate::exit::{Exit, Failure};
use crate::input::{self, Line, Lines, Source};
use crate::output::{Output, Progress};

/// URLs in order. Memory does not grow with their number.
pub(crate) struct Urls<'a> {
    arguments: std::iter::Enumerate<std::slice::Iter<'a, OsString>>,
    stream: Option<Stream>,
    line: Vec<u8>,
}

struct Stream {
    lines: Lines,
    progress: Progress,
    found: bool,
}

/// One URL, or why there is none where one should be.
enum Next<'u> {
    /// A URL, and where it stands for messages.
    Url(&'u [u8], Place<'u>),
    /// Something that cannot be a URL; the message names the place.
    Bad(String),
}

/// Where a URL stands.
enum Place<'u> {
    /// The how-manieth argument.
    Argument(usize),
    /// A line of a stream.
    Line(&'u Lines),
}

impl std::fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Argument(number) => write!(f, "URL argument {number}"),
            Place::Line(lines) => f.write_str(&lines.place()),
        }
    }
}

impl<'a> Urls<'a> {
    /// The URLs that `arguments` name. None at all stands for `-`, and `-` for standard input.
    pub(crate) fn new(arguments: &'a [OsString], robots: &Source) -> Result<Self, Failure> {
        let reads_stdin = arguments.is_empty() || arguments.iter().any(|argument| argument == "-");
        if reads_stdin && *robots == Source::Stdin {
            return Err(Failure::new("standard input cannot be both the robots.txt and the list of URLs")
                .hint("save one of them to a file, or give the URLs as arguments"));
        }
        if arguments.is_empty() && input::stdin_is_terminal() {
            return Err(
                Failure::new("no URLs").hint("give them as arguments, or one per line on standard input")
            );
        }
        Ok(Urls { arguments: arguments.iter().enumerate(), stream: None, line: Vec::new() })
    }

    /// URLs from a stream alone.
    pub(crate) fn from_source(source: &Source, output: &Output) -> Result<Urls<'static>, Failure> {
        let stream = Some(Stream::open(source, output)?);
        Ok(Urls { arguments: [].iter().enumerate(), stream, line: Vec::new() })
    }

    /// Opens standard input if there are no arguments.
    fn begin(&mut self, output: &Output) -> Result<(), Failure> {
        if self.arguments.len() == 0 && self.stream.is_none() {
            self.stream = Some(Stream::open(&Source::Stdin, output)?);
        }
        Ok(())
    }

    /// Answers every URL: `answer` prints, and gives the exit code that its answer asks for. What is no URL is reported
    /// with its place.
    pub(crate) fn answer_each(
        mut self,
        output: &mut Output,
        mut answer: impl FnMut(&[u8], &mut Output) -> Result<Result<Exit, UrlError>, Failure>,
    ) -> Result<Exit, Failure> {
        let mut exit = Exit::Success;
        self.begin(output)?;
        while let Some(next) = self.next(output)? {
            let problem = match next {
                Next::Bad(message) => message,
                Next::Url(url, place) => match answer(url, output)? {
                    Ok(asked_for) => {
                        exit = exit.max(asked_for);
                        continue;
                    }
                    Err(error) => format!("{place}: {error}"),
                },
            };
            exit = Exit::Trouble;
            output.error(&problem);
        }
        Ok(exit)
    }

    /// The next URL. What was printed is handed on before waiting for more input.
    fn next(&mut self, output: &mut Output) -> Result<Option<Next<'_>>, Failure> {
        loop {
            if self.stream.is_none() {
                let Some((index, argument)) = self.arguments.next() else { return Ok(None) };
                if argument != "-" {
                    return Ok(Some(Next::Url(argument.as_encoded_bytes(), Place::Argument(index + 1))));
                }
                self.stream = Some(Stream::open(&Source::Stdin, output)?);
            }
            // The borrow of what is returned must not outlive the turn of the loop that returns nothing.
            match self.read_line(output)? {
                Line::Text if self.line.iter().all(u8::is_ascii_whitespace) => {}
                Line::Text => break,
                Line::TooLong => {
                    let place = self.stream.as_ref().map(|stream| stream.lines.place()).unwrap_or_default();
                    return Ok(Some(Next::Bad(format!("{place}: the line is longer than 1 MiB"))));
                }
                Line::End => self.stream = None,
            }
        }
        match &self.stream {
            Some(stream) => Ok(Some(Next::Url(&self.line, Place::Line(&stream.lines)))),
            None => Ok(None),
        }
    }

    fn read_line(&mut self, output: &mut Output) -> Result<Line, Failure> {
        let Some(stream) = &mut self.stream else { return Ok(Line::End) };
        if stream.lines.is_drained() {
            output.flush()?;
        }
        let line = stream.lines.next(&mut self.line)?;
        match line {
            Line::End if !stream.found => output.warning(&format!("no URLs in {}", stream.lines.source())),
            Line::End => {}
            _ => {
                stream.found = true;
                stream.progress.step();
            }
        }
        Ok(line)
    }
}

impl Stream {
    fn open(source: &Source, output: &Output) -> Result<Stream, Failure> {
        Ok(Stream { lines: source.lines()?, progress: output.progress(None, "URLs"), found: false })
    }
}
