//! Prints to standard output and standard error.
//!
//! Results are printed to standard output. Notes, warnings, errors and progress are printed to standard error. By
//! default, only terminals that support colour get it; `NO_COLOR` and `--color` change that. No information is
//! expressed by colour alone. The command ends without an error if the reader of standard output closes the pipe: see
//! [`Failure::ClosedPipe`].

use std::borrow::Cow;
use std::fmt::{self, Arguments};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::time::Duration;

use anstream::AutoStream;
use comity::shown;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::colour::Colour;
use crate::exit::Failure;
use crate::render::Palette;
use crate::screen::Screen;
use crate::width;

/// Standard output and standard error.
pub(crate) struct Output {
    out: BufWriter<Screen<AutoStream<io::Stdout>>>,
    err: AutoStream<io::Stderr>,
    /// The styles of standard output.
    pub(crate) palette: Palette,
    /// The styles of standard error.
    pub(crate) err_palette: Palette,
    /// Columns of the terminal on standard output, or of `COLUMNS`; 100 without either.
    pub(crate) width: usize,
    /// True if standard output is a terminal.
    pub(crate) is_terminal: bool,
    /// The watchdog of a service. It remains active until the last message is printed.
    #[cfg(feature = "live")]
    pub(crate) watchdog: Option<crate::signals::Watchdog>,
}

impl Output {
    /// Opens both streams. The argument and the environment determine whether they have colour.
    pub(crate) fn new(colour: Colour) -> Self {
        let choice = colour.for_stream();
        let coloured = |auto: anstream::ColorChoice| match choice {
            anstream::ColorChoice::Auto => auto != anstream::ColorChoice::Never,
            fixed => fixed != anstream::ColorChoice::Never,
        };
        let out_coloured = coloured(AutoStream::choice(&io::stdout()));
        let err_coloured = coloured(AutoStream::choice(&io::stderr()));
        let is_terminal = io::stdout().is_terminal();
        let width = width::of_output(is_terminal);
        Output {
            // Text without colour contains no escape sequences, so the streams need not strip any.
            out: BufWriter::with_capacity(
                64 * 1024,
                Screen::new(AutoStream::always(io::stdout()), is_terminal),
            ),
            err: AutoStream::always(io::stderr()),
            palette: Palette::new(out_coloured),
            err_palette: Palette::new(err_coloured),
            width,
            is_terminal,
            #[cfg(feature = "live")]
            watchdog: None,
        }
    }

    /// Prints to standard error: `error: message`, and a hint after a blank line.
    pub(crate) fn failure(&mut self, failure: &Failure) {
        self.error(&failure.to_string());
        if let Failure::Problem { hint: Some(hint), .. } = failure {
            let style = self.err_palette.note;
            // If standard error is closed, the message cannot be printed.
            let _ = writeln!(self.err, "\n{style}hint{style:#}: {}", plain(hint));
        }
    }

    /// Prints an error. Pending standard output is written first.
    pub(crate) fn error(&mut self, message: &str) {
        let _ = self.out.flush();
        let style = self.err_palette.bad;
        let _ = writeln!(self.err, "{style}error{style:#}: {}", plain(message));
    }

    /// Prints a warning.
    pub(crate) fn warning(&mut self, message: &str) {
        let _ = self.out.flush();
        let style = self.err_palette.warning;
        let _ = writeln!(self.err, "{style}warning{style:#}: {}", plain(message));
    }

    /// Prints a note on standard error.
    pub(crate) fn note(&mut self, message: &str) {
        let _ = self.out.flush();
        let _ = writeln!(self.err, "{}", plain(message));
    }

    /// Prints one JSON value on a line.
    pub(crate) fn json_line<T: serde::Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        self.out.write_all(json(&serde_json::to_string(value)?).as_bytes())?;
        Ok(self.out.write_all(b"\n")?)
    }

    /// Prints a JSON value with indentation.
    pub(crate) fn json_pretty<T: serde::Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        self.out.write_all(json(&serde_json::to_string_pretty(value)?).as_bytes())?;
        Ok(self.out.write_all(b"\n")?)
    }

    /// Flushes standard output.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }

    /// Shows activity on standard error, if it is a terminal, until the value is dropped.
    #[cfg(feature = "live")]
    pub(crate) fn waiting(&self, what: &str) -> Progress {
        let progress = Progress::hidden(io::stderr().is_terminal(), None, "{spinner} {msg}, {elapsed}");
        progress.bar.set_message(what.to_owned());
        progress.bar.enable_steady_tick(Duration::from_millis(200));
        progress
    }

    /// Shows progress on standard error, if it is a terminal and standard output is not. `total` is `None` if unknown.
    pub(crate) fn progress(&self, total: Option<u64>, what: &str) -> Progress {
        let is_watched = io::stderr().is_terminal() && !io::stdout().is_terminal();
        Progress::new(is_watched, total, what)
    }

    /// Shows a text on standard error that is updated in place, until the value is dropped.
    #[cfg(feature = "jobs")]
    pub(crate) fn board(&self) -> Progress {
        let progress = Progress::hidden(false, None, "{msg}");
        progress.bar.set_draw_target(ProgressDrawTarget::stderr());
        progress
    }

    /// Shows the progress of a stage of a job on standard error, if it is a terminal.
    #[cfg(feature = "jobs")]
    pub(crate) fn job_progress(&self, total: Option<u64>, what: &str, is_in_bytes: bool) -> Progress {
        let is_watched = io::stderr().is_terminal();
        if !is_in_bytes {
            return Progress::new(is_watched, total, what);
        }
        let template = "{wide_bar} {bytes}/{total_bytes} {msg}, {eta} left";
        let progress = Progress::hidden(is_watched, total, template);
        progress.bar.set_message(what.to_owned());
        progress
    }

    /// Shows progress below lines that are printed with [`Progress::hide_while`].
    #[cfg(feature = "live")]
    pub(crate) fn progress_below_lines(&self) -> Progress {
        Progress::hidden(io::stderr().is_terminal(), None, "{spinner} {human_pos} {wide_msg}")
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    fn write_fmt(&mut self, args: Arguments<'_>) -> io::Result<()> {
        self.out.write_fmt(args)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Makes a message safe for standard error: removes credentials in URLs, and characters that move the cursor or hide or
/// reverse text.
fn plain(message: &str) -> String {
    shown::lines(&shown::hide_credentials(message)).into_owned()
}

/// Returns JSON in which every character that is unsafe to print is escaped. Its values do not change.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    // Such characters occur only in strings; the line ends of printed JSON are outside of strings.
    let is_bad = |c: char| c != '\n' && shown::is_unsafe(c) || matches!(c, '\u{200c}' | '\u{200d}');
    if !text.contains(is_bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_bad(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = fmt::Write::write_fmt(&mut out, format_args!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// The progress of a long operation, which is removed when the operation ends.
pub(crate) struct Progress {
    bar: ProgressBar,
    done: u64,
}

impl Progress {
    /// Number of steps between two updates of a bar without a total.
    const STRIDE: u64 = 256;

    /// Delay before the bar is shown.
    const SHOW_AFTER: Duration = Duration::from_millis(500);

    fn new(is_watched: bool, total: Option<u64>, what: &str) -> Self {
        let template = match total {
            Some(_) => "{wide_bar} {human_pos}/{human_len} {msg}",
            None => "{spinner} {human_pos} {msg}, {rate}",
        };
        let progress = Progress::hidden(is_watched, total, template);
        progress.bar.set_message(what.to_owned());
        progress
    }

    /// Creates a bar that appears after [`Progress::SHOW_AFTER`] if `is_watched`.
    fn hidden(is_watched: bool, total: Option<u64>, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key("rate", rate));
        }
        if is_watched {
            let later = bar.downgrade();
            std::thread::spawn(move || {
                std::thread::sleep(Progress::SHOW_AFTER);
                if let Some(bar) = later.upgrade().filter(|bar| !bar.is_finished()) {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                }
            });
        }
        Progress { bar, done: 0 }
    }

    /// Replaces the text by another one, cut to the lines of the terminal.
    #[cfg(feature = "jobs")]
    pub(crate) fn show(&self, text: &str) {
        // The cursor occupies one line.
        let most = width::lines_of_terminal().saturating_sub(1).max(1);
        let shown: Vec<&str> = text.lines().take(most).collect();
        self.bar.set_message(shown.join("\n"));
        self.bar.tick();
    }

    /// Prints while the bar is hidden.
    #[cfg(feature = "live")]
    pub(crate) fn hide_while<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Sets the text after the number.
    #[cfg(feature = "live")]
    pub(crate) fn set_message(&self, message: impl FnOnce() -> String) {
        if !self.bar.is_hidden() {
            self.bar.set_message(message());
        }
    }

    /// Sets the number of processed bytes and rows.
    #[cfg(feature = "jobs")]
    pub(crate) fn set(&self, bytes: u64, rows: u64) {
        self.bar.set_position(bytes);
        if !self.bar.is_hidden() {
            let seconds = self.bar.elapsed().as_secs_f64().max(0.001);
            self.bar.set_message(format!(
                "{} rows, {}/s",
                HumanCount(rows),
                HumanCount((rows as f64 / seconds) as u64)
            ));
        }
    }

    /// Sets the number of finished steps.
    #[cfg(any(feature = "jobs", feature = "live"))]
    pub(crate) fn at(&self, done: u64) {
        self.bar.set_position(done);
    }

    /// Sets the number of all steps, and shows a bar.
    #[cfg(feature = "live")]
    pub(crate) fn set_total(&self, total: u64) {
        if self.bar.length() != Some(total) {
            self.bar.set_length(total);
            if let Ok(style) = ProgressStyle::with_template("{bar:10} {human_pos}/{human_len} {wide_msg}") {
                self.bar.set_style(style);
            }
        }
    }

    /// Counts one more step.
    pub(crate) fn step(&mut self) {
        self.done += 1;
        if self.bar.length().is_some() || self.done.is_multiple_of(Progress::STRIDE) {
            self.bar.set_position(self.done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Formats a rate as `508,597/s`.
fn rate(state: &ProgressState, out: &mut dyn fmt::Write) {
    let _ = write!(out, "{}/s", HumanCount(state.per_sec() as u64));
}
