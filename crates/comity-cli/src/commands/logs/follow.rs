//! Logs that are being written, and standard input and pipes as they come: what is found so far, now and then, until Ctrl-C.
//!
//! A person sees the report change in its place. `--format json` prints the row of a crawler again when its numbers have
//! changed, and `--output` has the report in a file that is replaced as a whole. At the end there is the report as it is
//! without `--follow`. What is held does not grow with the log: see the caps in `tally.rs`, `who.rs` and `work.rs`.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Read};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TryRecvError};
use std::time::{Duration, Instant};

use comity_formats::Compression;
use comity_formats::logs::{LogLine, LogLines, LogReader};
use indicatif::HumanCount;
use tokio::runtime::Runtime;

use super::Take;
use super::args::LogsArgs;
use super::tail::Tails;
use super::text::{self, Look};
use super::work::Work;
use crate::args::Format;
use crate::exit::{Exit, Failure, reason};
use crate::input::Source;
use crate::output::{Output, Progress};
use crate::signals;

/// The time between two looks at files in which nothing was new.
const PAUSE: Duration = Duration::from_millis(250);

/// The time between two looks of a person.
const GLANCE: Duration = Duration::from_secs(1);

/// As many lines are read between two looks at the clock.
const STRIDE: u64 = 4_096;

/// Number and size of the pieces by which a stream is read ahead.
const PIECES: usize = 16;
const PIECE: usize = 64 * 1024;

/// Follows logs until Ctrl-C, or until all streams end if there is nothing else.
pub(super) fn run(args: &LogsArgs, work: Work<'_>, output: &mut Output) -> Result<Exit, Failure> {
    let interrupt = Interrupt::new()?;
    let mut tails = Tails::new(args);
    let mut streams = Vec::new();
    let mut following = Following::new(args, work, &interrupt, output);
    for source in super::in_order(args)? {
        match &source {
            Source::File(path) if super::is_plain(path) && is_growing(&source)? => tails.add(path)?,
            Source::File(path) if super::is_plain(path) => {
                super::read(&source, args, &mut |line| following.take(line))?;
            }
            _ => streams.push(Stream::open(source, super::reader(args)?)),
        }
    }
    if tails.is_empty() && streams.is_empty() {
        return Err(Failure::new("--follow waits for logs that grow, and these are compressed")
            .hint("leave --follow out, or name the log that is being written as well"));
    }
    while !following.is_stopped {
        let mut said = Vec::new();
        let mut is_any = tails.round(&mut |line| following.take(line), &mut |message| said.push(message))?;
        said.iter().for_each(|message| following.tell(message));
        for stream in &mut streams {
            is_any |= stream.round(&mut |line| following.take(line))?;
        }
        following.work.settle(false);
        following.look()?;
        if tails.is_empty() && streams.iter().all(|stream| stream.is_ended) {
            break;
        }
        if !is_any {
            following.is_stopped |= interrupt.wait(PAUSE);
        }
    }
    following.finish()
}

/// Returns whether a plain file has no compression.
fn is_growing(source: &Source) -> Result<bool, Failure> {
    let Source::File(path) = source else { return Ok(false) };
    let file = super::file(path)?;
    let mut head = Vec::new();
    file.take(8)
        .read_to_end(&mut head)
        .map_err(|error| Failure::new(format!("cannot read `{}`: {}", source.name(), reason(&error))))?;
    Ok(Compression::detect(&head) == Compression::None)
}

/// What is found, and who has seen it.
struct Following<'a> {
    args: &'a LogsArgs,
    work: Work<'a>,
    interrupt: &'a Interrupt,
    output: &'a mut Output,
    /// The report in its place, if a person looks at it.
    board: Option<Progress>,
    /// The rows that were printed, by crawler and identity.
    printed: BTreeMap<(&'static str, &'static str), String>,
    glanced: Option<Instant>,
    reported: Option<Instant>,
    /// The number of lines when the report was last made.
    lines_reported: u64,
    lines: u64,
    is_stopped: bool,
    /// Whether it was told that more has come than is told apart.
    has_told: bool,
    failure: Option<Failure>,
}

impl<'a> Following<'a> {
    fn new(args: &'a LogsArgs, work: Work<'a>, interrupt: &'a Interrupt, output: &'a mut Output) -> Self {
        // Rows that scroll by and a report that stays do not go together.
        let is_scrolling = args.format.is_json() && args.output.is_none() && output.is_terminal;
        let board = (!is_scrolling && io::stderr().is_terminal()).then(|| output.board());
        Following {
            args,
            work,
            interrupt,
            output,
            board,
            printed: BTreeMap::new(),
            glanced: None,
            reported: None,
            lines_reported: 0,
            lines: 0,
            is_stopped: false,
            has_told: false,
            failure: None,
        }
    }

    /// Counts a line, and returns whether to go on.
    fn take(&mut self, line: LogLine<'_>) -> bool {
        self.work.take(line);
        self.lines += 1;
        if self.lines.is_multiple_of(STRIDE) {
            self.is_stopped |= self.interrupt.is_there();
            if let Err(failure) = self.look() {
                self.failure = Some(failure);
                self.is_stopped = true;
            }
        }
        !self.is_stopped
    }

    /// Tells a person something.
    fn tell(&mut self, message: &str) {
        let output = &mut *self.output;
        match &self.board {
            Some(board) => board.hide_while(|| output.note(message)),
            None => output.note(message),
        }
    }

    /// Shows and writes what is new, if it is time.
    fn look(&mut self) -> Result<(), Failure> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        if self.glanced.is_none_or(|at| at.elapsed() >= GLANCE) {
            self.glanced = Some(Instant::now());
            self.work.look_again();
            if !self.has_told
                && let Some(let_go) = self.work.let_go()
            {
                self.has_told = true;
                self.tell(&format!("{let_go}; --follow goes on so"));
            }
            self.show()?;
        }
        if self.reported.is_none_or(|at| at.elapsed() >= self.args.every) {
            self.reported = Some(Instant::now());
            if self.lines != self.lines_reported || self.lines == 0 {
                self.lines_reported = self.lines;
                self.report()?;
            }
        }
        Ok(())
    }

    /// Draws the report in its place.
    fn show(&mut self) -> Result<(), Failure> {
        let Some(board) = &self.board else { return Ok(()) };
        let look = Look { palette: self.output.err_palette, width: self.output.width };
        let faint = look.palette.faint;
        let mut text = Vec::new();
        text::print(&self.work.rows(), &self.work.lines, self.args.all, look, &mut text)?;
        let text = String::from_utf8_lossy(&text);
        let lines = HumanCount(self.work.lines.lines);
        board.show(&format!(
            "{faint}{lines} lines so far; Ctrl-C ends with the whole report{faint:#}\n{text}"
        ));
        Ok(())
    }

    /// Writes the report to the file, or prints the rows that have changed.
    fn report(&mut self) -> Result<(), Failure> {
        if let Some(path) = &self.args.output {
            return super::to_file(path, &self.work);
        }
        if self.args.format.get() != Format::Json {
            return Ok(());
        }
        for row in self.work.rows() {
            let text = serde_json::to_string(&row)?;
            let printed = self.printed.entry((row.agent, row.identity.as_str())).or_default();
            if *printed != text {
                self.output.json_line(&row)?;
                *printed = text;
            }
        }
        self.output.flush()
    }

    /// The last numbers.
    fn finish(mut self) -> Result<Exit, Failure> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        drop(self.board.take());
        match self.is_stopped {
            // Who ends it does not wait for name servers.
            true => self.work.give_up(),
            false => self.work.settle(true),
        }
        self.work.warn(self.output);
        match self.args.format.get() {
            _ if self.args.output.is_some() => self.report()?,
            Format::Json => self.report()?,
            _ => self.work.write(Look::of(self.output), self.output)?,
        }
        Ok(if self.is_stopped { Exit::Interrupted } else { self.work.exit() })
    }
}

/// Ctrl-C or SIGTERM, which end nothing by themselves once this exists.
struct Interrupt {
    came: Receiver<()>,
    _runtime: Runtime,
}

impl Interrupt {
    fn new() -> Result<Interrupt, Failure> {
        let cannot = |error| Failure::new(format!("cannot wait for signals: {}", reason(&error)));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(cannot)?;
        let mut signals = {
            let _entered = runtime.enter();
            signals::Source::new().map_err(cannot)?
        };
        let (tell, came) = mpsc::channel();
        runtime.spawn(async move {
            signals.next().await;
            // Nobody waits any more when the command has ended.
            let _ = tell.send(());
        });
        Ok(Interrupt { came, _runtime: runtime })
    }

    fn is_there(&self) -> bool {
        self.came.try_recv().is_ok()
    }

    /// Waits, and returns true as soon as there was a Ctrl-C.
    fn wait(&self, time: Duration) -> bool {
        match self.came.recv_timeout(time) {
            Ok(()) => true,
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(time);
                false
            }
        }
    }
}

/// Standard input or a pipe. A thread opens and reads it, since neither can be cancelled.
struct Stream {
    lines: LogLines,
    reader: LogReader,
    ended: Receiver<Result<(), Failure>>,
    is_ended: bool,
}

impl Stream {
    fn open(source: Source, reader: LogReader) -> Stream {
        let (give, pieces) = mpsc::sync_channel(PIECES);
        let (tell, ended) = mpsc::channel();
        let read = source.clone();
        std::thread::spawn(move || {
            let end =
                read.open().and_then(|bytes| pass_on(bytes, &give).map_err(|error| read.unreadable(&error)));
            // Nobody asks any more when the command has ended.
            let _ = tell.send(end);
        });
        let lines = LogLines::growing(source.name(), Pieces { pieces, piece: Vec::new(), at: 0 });
        Stream { lines, reader, ended, is_ended: false }
    }

    /// Reads what has come, and returns whether there was anything.
    fn round(&mut self, take: Take<'_>) -> Result<bool, Failure> {
        if self.is_ended {
            return Ok(false);
        }
        // Whoever has ended by now has given everything before.
        let end = self.ended.try_recv();
        let mut is_any = self.drain(take)?;
        if let Ok(end) = end {
            end?;
            self.lines.end();
            is_any |= self.drain(take)?;
            self.is_ended = true;
        }
        Ok(is_any)
    }

    fn drain(&mut self, take: Take<'_>) -> Result<bool, Failure> {
        super::drain(&mut self.lines, &mut self.reader, take).map_err(|error| Failure::new(error.to_string()))
    }
}

fn pass_on(mut bytes: impl Read, give: &SyncSender<Vec<u8>>) -> io::Result<()> {
    loop {
        let mut piece = vec![0; PIECE];
        match bytes.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(length) => {
                piece.truncate(length);
                if give.send(piece).is_err() {
                    return Ok(());
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A stream as far as it has been read ahead. A read that finds nothing more returns 0 bytes, and a later one may find
/// some again.
struct Pieces {
    pieces: Receiver<Vec<u8>>,
    piece: Vec<u8>,
    at: usize,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.piece.len() {
            match self.pieces.try_recv() {
                Ok(piece) => (self.piece, self.at) = (piece, 0),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return Ok(0),
            }
        }
        let left = self.piece.get(self.at..).unwrap_or_default();
        let length = left.len().min(buffer.len());
        buffer[..length].copy_from_slice(&left[..length]);
        self.at += length;
        Ok(length)
    }
}
