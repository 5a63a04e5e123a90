//! Google's program, in a separate process. "A driver for Google's program" in the README describes the protocol.

use std::io::{BufRead, BufReader, BufWriter, Error, Result, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::case::Case;

/// A running driver, which measures its own CPU time.
#[derive(Debug)]
pub(crate) struct Driver {
    child: Child,
    requests: BufWriter<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Driver {
    /// Starts the driver at `path`.
    pub(crate) fn start(path: &str) -> Result<Self> {
        let mut child = Command::new(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::other("cannot open the pipes of the driver (--google)"));
        };
        Ok(Driver { child, requests: BufWriter::new(stdin), answers: BufReader::new(stdout) })
    }

    /// Parses every file once, and returns the CPU time in nanoseconds.
    pub(crate) fn parse(&mut self, cases: &[Case]) -> Result<f64> {
        Ok(self.request("parse", cases, 0, 1)?.0)
    }

    /// Decides the first `questions` URLs of every case, `repeats` times. Returns CPU time in nanoseconds, and the
    /// verdicts.
    pub(crate) fn ask(
        &mut self,
        cases: &[Case],
        questions: usize,
        repeats: usize,
    ) -> Result<(f64, Vec<bool>)> {
        self.request("ask", cases, questions, repeats)
    }

    fn request(
        &mut self,
        word: &str,
        cases: &[Case],
        questions: usize,
        repeats: usize,
    ) -> Result<(f64, Vec<bool>)> {
        writeln!(self.requests, "{word} {} {repeats}", cases.len())?;
        for case in cases {
            let urls = &case.urls[..questions.min(case.urls.len())];
            writeln!(self.requests, "{} {} {}", case.body.len(), case.agent.len(), urls.len())?;
            self.requests.write_all(&case.body)?;
            self.requests.write_all(case.agent.as_bytes())?;
            for url in urls {
                write!(self.requests, "{}\n{url}", url.len())?;
            }
        }
        self.requests.flush()?;
        self.answer()
    }

    fn answer(&mut self) -> Result<(f64, Vec<bool>)> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let mut words = line.split_whitespace();
        let nanos = words.next().and_then(|word| word.parse().ok());
        let nanos =
            nanos.ok_or_else(|| Error::other("the driver (--google) wrote an answer without a time"))?;
        Ok((nanos, words.next().unwrap_or("").bytes().map(|byte| byte == b'1').collect()))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Errors cannot be returned here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
