//! The programs Comity is compared with, and how to talk to their runners.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use clap::{Args, ValueEnum};
use comity::robots::Dialect;
use testkit::generate::Case;

use crate::Result;
use crate::compare::Answer;

/// A program that defines a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Model {
    Google,
    Gym2008,
    Mk1996,
    Webcanon,
    Urllib,
    RobotstxtGem,
}

/// The interpreters that run the models.
#[derive(Clone, Debug, Args)]
pub(crate) struct Programs {
    /// A Python 3.11 that has the packages of models/requirements.txt.
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// A Ruby from 3.0 on.
    #[arg(long, default_value = "ruby")]
    ruby: PathBuf,
    /// A Python that has Comity's package installed, which then answers for Comity instead of the library.
    #[arg(long, value_name = "PYTHON")]
    pub(crate) wheel: Option<PathBuf>,
}

impl Model {
    pub(crate) fn dialect(self) -> Dialect {
        match self {
            Model::Google => Dialect::Google,
            Model::Gym2008 => Dialect::Gym2008,
            Model::Mk1996 => Dialect::Mk1996,
            Model::Webcanon => Dialect::Webcanon,
            Model::Urllib => Dialect::Urllib,
            Model::RobotstxtGem => Dialect::RobotstxtGem,
        }
    }

    fn runner(self) -> &'static [&'static str] {
        match self {
            Model::Google => &["google.py"],
            Model::Gym2008 => &["rerp.py", "gym2008"],
            Model::Mk1996 => &["rerp.py", "mk1996"],
            Model::Webcanon => &["webcanon.py"],
            Model::Urllib => &["urllib_robotparser.py"],
            Model::RobotstxtGem => &["robotstxt_gem.rb"],
        }
    }

    fn command(self, programs: &Programs) -> Command {
        let interpreter = if self == Model::RobotstxtGem { &programs.ruby } else { &programs.python };
        let (script, arguments) = self.runner().split_first().unwrap_or((&"", &[]));
        runner(interpreter, script, arguments)
    }

    /// The program's name and version, in its runner's words.
    pub(crate) fn version(self, programs: &Programs) -> Result<String> {
        let output = self.command(programs).arg("--version").stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            return Err(format!("the runner of {} does not start", self.dialect()).into());
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

/// What runs a script of `models/`.
fn runner(interpreter: &Path, script: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(interpreter);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(script)).args(arguments);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

fn spawn(mut command: Command) -> Result<(Child, ChildStdin, Answers)> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let input = child.stdin.take().ok_or("the runner has no input")?;
    let output = child.stdout.take().ok_or("the runner has no output")?;
    Ok((child, input, Answers(BufReader::new(output))))
}

struct Answers(BufReader<ChildStdout>);

impl Answers {
    fn next(&mut self) -> Result<Answer> {
        let mut line = String::new();
        if self.0.read_line(&mut line)? == 0 {
            return Err("the runner has stopped".into());
        }
        Answer::parse(line.trim_end()).ok_or_else(|| format!("not an answer: {line:?}").into())
    }
}

fn write_frame(output: &mut impl Write, case: &Case) -> Result<()> {
    for field in [&case.robots[..], case.agent.as_bytes(), case.url.as_bytes()] {
        output.write_all(&u32::try_from(field.len())?.to_le_bytes())?;
        output.write_all(field)?;
    }
    Ok(())
}

/// A runner that a thread feeds with a sequence of cases.
pub(crate) struct Runner {
    child: Child,
    answers: Answers,
}

impl Runner {
    pub(crate) fn start(
        model: Model,
        programs: &Programs,
        cases: impl Iterator<Item = Case> + Send + 'static,
    ) -> Result<Self> {
        Runner::feed(model.command(programs), cases)
    }

    /// Comity's package in its dialect of this name, under this Python.
    pub(crate) fn of_wheel(
        python: &Path,
        dialect: Dialect,
        cases: impl Iterator<Item = Case> + Send + 'static,
    ) -> Result<Self> {
        Runner::feed(runner(python, "wheel.py", &[dialect.name()]), cases)
    }

    fn feed(command: Command, cases: impl Iterator<Item = Case> + Send + 'static) -> Result<Self> {
        let (child, input, answers) = spawn(command)?;
        thread::spawn(move || {
            let mut input = BufWriter::new(input);
            for case in cases {
                // Fails once the runner is gone, which whoever waits for its answers will notice.
                if write_frame(&mut input, &case).is_err() {
                    return;
                }
            }
        });
        Ok(Runner { child, answers })
    }

    /// The answer to the next case.
    pub(crate) fn next_answer(&mut self) -> Result<Answer> {
        self.answers.next()
    }

    /// Ends the runner, whether or not it has answered everything.
    pub(crate) fn stop(mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A runner that is asked one question at a time.
pub(crate) struct Oracle {
    child: Child,
    /// `None` once the oracle is being dropped.
    input: Option<BufWriter<ChildStdin>>,
    answers: Answers,
}

impl Oracle {
    pub(crate) fn start(model: Model, programs: &Programs) -> Result<Self> {
        let (child, input, answers) = spawn(model.command(programs))?;
        Ok(Oracle { child, input: Some(BufWriter::new(input)), answers })
    }

    pub(crate) fn ask(&mut self, case: &Case) -> Result<Answer> {
        let input = self.input.as_mut().ok_or("the oracle has been stopped")?;
        write_frame(input, case)?;
        input.flush()?;
        self.answers.next()
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        self.input = None; // the runner ends with its input
        let _ = self.child.wait();
    }
}
