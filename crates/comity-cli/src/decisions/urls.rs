//! The URLs of a question: from the arguments, from lists, from standard input, one at a time.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fmt;

use comity_answers::url::UrlKind;

use super::guess;
use crate::args::UrlArgs;
use crate::exit::{Exit, Failure};
use crate::input::{self, Line, Lines, Source};
use crate::location::Location;
use crate::output::Output;

/// URLs in order. Memory use does not depend on their number.
pub(crate) struct Urls {
    inputs: VecDeque<Input>,
    list: Option<List>,
    line: Vec<u8>,
    /// The number of the argument with the last URL; `None` if the last URL is from a list.
    argument: Option<usize>,
    /// True if the next call of `next` returns the last URL again.
    again: bool,
    /// True if a line that looks like the row of a table was reported.
    has_warned: bool,
}

/// A source of URLs.
enum Input {
    /// The URL of an argument, and the number of the argument.
    Argument(usize, OsString),
    /// A list.
    List(Source),
}

/// A list of URLs that is being read.
struct List {
    lines: Lines,
    /// True if a line of the list was read.
    has_lines: bool,
}

/// An item of the input: a URL, an invalid text, or a warning.
pub(crate) enum Next<'u> {
    /// A URL, and its place for messages.
    Url(&'u [u8], UrlPlace<'u>),
    /// A text that is not a URL, and a message that names the place.
    Bad(Vec<u8>, String),
    /// A remark about the list, such as that it is empty.
    Warning(String),
}

/// The place of a URL in the input.
#[derive(Clone, Copy)]
pub(crate) enum UrlPlace<'u> {
    /// The number of the argument, from 1.
    Argument(usize),
    /// A line of a list: the list's name and the number.
    Line(&'u str, u64),
}

impl fmt::Display for UrlPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UrlPlace::Argument(number) => write!(f, "URL argument {number}"),
            UrlPlace::Line(source, number) => write!(f, "{source}:{number}"),
        }
    }
}

impl Urls {
    /// Creates the sequence of the URLs of the arguments, followed by those of the lists. Without arguments and lists,
    /// standard input is the list.
    ///
    /// `robots` is the location of the robots.txt that decides. Returns an error if both it and a list are standard
    /// input.
    pub(crate) fn new(args: &UrlArgs, robots: Option<&Location>) -> Result<Self, Failure> {
        if args.reads_stdin() && robots == Some(&Location::Stdin) {
            return Err(Failure::new("standard input cannot be both the robots.txt and the list of URLs")
                .hint("save one of them to a file, or give the URLs as arguments"));
        }
        if args.is_empty() && input::stdin_is_terminal() {
            return Err(Failure::new("no URLs")
                .hint("give them as arguments, in a file with --urls, or one per line on standard input"));
        }
        for argument in &args.given {
            guess::reject_file_as_url(argument)?;
        }
        let mut inputs = VecDeque::new();
        for (index, argument) in args.given.iter().enumerate() {
            inputs.push_back(match argument.to_str() {
                Some("-") => Input::List(Source::Stdin),
                _ => Input::Argument(index + 1, argument.clone()),
            });
        }
        inputs.extend(args.lists.iter().map(|list| Input::List(Source::new(list))));
        if args.is_empty() {
            inputs.push_back(Input::List(Source::Stdin));
        }
        args.lists.iter().try_for_each(|list| Source::new(list).check())?;
        Ok(Urls { inputs, list: None, line: Vec::new(), argument: None, again: false, has_warned: false })
    }

    /// Answers every URL. `answer` prints the answer and returns its exit code, or a message if there is no answer. For
    /// a text without an answer, prints the error, and then calls `bad`, which prints the row of the text.
    pub(crate) fn answer_each(
        mut self,
        output: &mut Output,
        answer: impl FnMut(&[u8], &mut Output) -> Result<Result<Exit, String>, Failure>,
        bad: impl FnMut(&[u8], &str, &mut Output) -> Result<(), Failure>,
    ) -> Result<Exit, Failure> {
        Ok(self.answer_while(true, |_| true, output, answer, bad)?.0)
    }

    /// Answers URLs and stops before the first one for which `is_included` returns false. Returns the exit code, and
    /// true if there was such a URL. Text that is not a URL is an error if `is_strict`.
    pub(crate) fn answer_while(
        &mut self,
        is_strict: bool,
        is_included: impl Fn(&[u8]) -> bool,
        output: &mut Output,
        mut answer: impl FnMut(&[u8], &mut Output) -> Result<Result<Exit, String>, Failure>,
        mut bad: impl FnMut(&[u8], &str, &mut Output) -> Result<(), Failure>,
    ) -> Result<(Exit, bool), Failure> {
        let mut exit = Exit::Success;
        let mut progress = None;
        loop {
            // The output is flushed before the wait for more input.
            if self.may_wait() {
                output.flush()?;
            }
            let Some(next) = self.next()? else { return Ok((exit, false)) };
            let (text, problem) = match next {
                Next::Warning(message) => {
                    output.warning(&message);
                    continue;
                }
                Next::Bad(text, message) => (text, message),
                Next::Url(url, _) if !is_included(url) => {
                    self.again = true;
                    return Ok((exit, true));
                }
                Next::Url(url, place) => {
                    if matches!(place, UrlPlace::Line(..)) {
                        progress.get_or_insert_with(|| output.progress(None, "URLs")).step();
                    }
                    let answered = match UrlKind::of(url) {
                        Err(problem) if is_strict => Err(problem.to_string()),
                        _ => answer(url, output)?,
                    };
                    match answered {
                        Ok(answered) => {
                            exit = exit.max(answered);
                            continue;
                        }
                        Err(error) => (url.to_vec(), format!("{place}: {}", guess::of_url(url, &error))),
                    }
                }
            };
            exit = Exit::Error;
            output.error(&problem);
            bad(&text, &problem, output)?;
        }
    }

    /// Returns whether the next read may wait for the writer of the list.
    pub(crate) fn may_wait(&self) -> bool {
        match (&self.list, self.inputs.front()) {
            (Some(list), _) => list.lines.is_drained(),
            (None, Some(Input::List(source))) => *source == Source::Stdin,
            (None, _) => false,
        }
    }

    /// Returns the next URL.
    pub(crate) fn next(&mut self) -> Result<Option<Next<'_>>, Failure> {
        while !std::mem::take(&mut self.again) {
            let Some(list) = &mut self.list else {
                match self.inputs.pop_front() {
                    None => return Ok(None),
                    Some(Input::Argument(number, url)) => {
                        self.line = url.into_encoded_bytes();
                        self.argument = Some(number);
                        break;
                    }
                    Some(Input::List(source)) => {
                        self.list = Some(List { lines: source.lines()?, has_lines: false });
                        continue;
                    }
                }
            };
            let line = list.lines.next(&mut self.line)?;
            self.argument = None;
            list.has_lines |= line != Line::End;
            match line {
                Line::Text => {
                    trim(&mut self.line);
                    if self.line.is_empty() || self.line.starts_with(b"#") {
                        continue;
                    }
                    if let Some(problem) = guess::not_a_url_line(&self.line) {
                        let message = format!("{}: {problem}", list.lines.place());
                        return Ok(Some(Next::Bad(self.line.clone(), message)));
                    }
                    if !self.has_warned && guess::ends_with_a_date(&self.line) {
                        (self.has_warned, self.again) = (true, true);
                        return Ok(Some(Next::Warning(format!(
                            "{}: the line ends in a comma and a date, which are read as a part of the URL, here and below. If this \
                             is a table, give only the column with the URLs",
                            list.lines.place()
                        ))));
                    }
                    break;
                }
                Line::TooLong => {
                    let message = format!("{}: the line is longer than 1 MiB", list.lines.place());
                    return Ok(Some(Next::Bad(Vec::new(), message)));
                }
                Line::End => {
                    let empty = (!list.has_lines).then(|| list.lines.source().to_owned());
                    self.list = None;
                    if let Some(source) = empty {
                        return Ok(Some(Next::Warning(format!("no URLs in {source}"))));
                    }
                }
            }
        }
        let place = match (self.argument, &self.list) {
            (Some(number), _) => UrlPlace::Argument(number),
            (None, Some(list)) => UrlPlace::Line(list.lines.source(), list.lines.number()),
            (None, None) => return Ok(None),
        };
        Ok(Some(Next::Url(&self.line, place)))
    }
}

/// Removes white space at both ends.
fn trim(line: &mut Vec<u8>) {
    line.truncate(line.trim_ascii_end().len());
    let start = line.len() - line.trim_ascii_start().len();
    line.drain(..start);
}
