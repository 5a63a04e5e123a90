//! The reference programs, and the communication with their runners. A runner is a script that passes cases to the
//! program.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use comity::robots::Dialect;
use testkit::generate::Case;

use crate::Result;
use crate::compare::Answer;

/// The reference program of a dialect. Its runner is `models/NAME.model.EXTENSION`; the extension is that of a [`Language`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Model(pub(crate) Dialect);

/// The languages of runners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Python,
    Ruby,
    JavaScript,
}

impl Language {
    const ALL: [(Language, &'static str); 3] =
        [(Language::Python, "py"), (Language::Ruby, "rb"), (Language::JavaScript, "cjs")];
}

/// The interpreters that run the models.
#[derive(Clone, Debug, Args)]
pub(crate) struct Programs {
    /// A Python 3.11 with the packages of models/requirements.txt.
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// Ruby 3.0 or later.
    #[arg(long, default_value = "ruby")]
    ruby: PathBuf,
    /// A Node.js 20. It finds the package of the model through the environment variable `NODE_PATH`.
    #[arg(long, default_value = "node")]
    node: PathBuf,
    /// A Python with Comity's package, which is compared instead of the Rust library.
    #[arg(long, value_name = "PYTHON")]
    pub(crate) wheel: Option<PathBuf>,
}

impl Model {
    /// Returns all models.
    fn all() -> impl Iterator<Item = Model> {
        Dialect::ALL.into_iter().map(Model).filter(|model| model.script().is_some())
    }

    pub(crate) fn dialect(self) -> Dialect {
        self.0
    }

    /// Returns the file name and the language of the runner.
    fn script(self) -> Option<(String, Language)> {
        let scripts = Language::ALL.map(|(language, end)| (format!("{}.model.{end}", self.0), language));
        scripts.into_iter().find(|(script, _)| models().join(script).exists())
    }

    fn command(self, programs: &Programs) -> Result<Command> {
        let (script, language) = self.script().ok_or_else(|| format!("there is no model of {}", self.0))?;
        let interpreter = match language {
            Language::Python => &programs.python,
            Language::Ruby => &programs.ruby,
            Language::JavaScript => &programs.node,
        };
        Ok(runner(interpreter, &script, &[]))
    }

    /// Returns the name and version of the program, as its runner prints them.
    pub(crate) fn version(self, programs: &Programs) -> Result<String> {
        let output = self.command(programs)?.arg("--version").stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            return Err(format!("cannot start the runner of {}: see its output above", self.dialect()).into());
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

/// Finds a model by the name of its dialect.
pub(crate) fn parser() -> impl TypedValueParser<Value = Model> {
    let names = PossibleValuesParser::new(Model::all().map(|model| model.0.name()));
    names.try_map(|name| name.parse().map(Model))
}

/// Returns the folder of the runners.
fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models")
}

/// Returns the command that runs a script of `models/`.
fn runner(interpreter: &Path, script: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(interpreter);
    command.arg(models().join(script)).args(arguments);
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
            return Err("the runner ended before it answered all questions".into());
        }
        Answer::parse(line.trim_end())
            .ok_or_else(|| format!("the runner printed a line that is not an answer: {line:?}").into())
    }
}

pub(crate) fn write_frame(output: &mut impl Write, case: &Case) -> Result<()> {
    for field in [&case.robots[..], case.agent.as_bytes(), case.url.as_bytes()] {
        output.write_all(&u32::try_from(field.len())?.to_le_bytes())?;
        output.write_all(field)?;
    }
    Ok(())
}

/// A running runner, to which a thread writes a sequence of cases.
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
        Runner::feed(model.command(programs)?, cases)
    }

    /// Starts the runner of Comity's Python package, for a dialect.
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
                // Writing fails if the runner has ended. The reader of its answers reports this error.
                if write_frame(&mut input, &case).is_err() {
                    return;
                }
            }
        });
        Ok(Runner { child, answers })
    }

    /// Returns the answer to the next case.
    pub(crate) fn next_answer(&mut self) -> Result<Answer> {
        self.answers.next()
    }

    /// Ends the runner, even if it has not answered all questions.
    pub(crate) fn stop(mut self) {
        // `kill` fails if the runner has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A running runner that receives one question at a time.
pub(crate) struct Oracle {
    child: Child,
    /// Standard input of the runner; `None` while the oracle is dropped.
    input: Option<BufWriter<ChildStdin>>,
    answers: Answers,
}

impl Oracle {
    pub(crate) fn start(model: Model, programs: &Programs) -> Result<Self> {
        let (child, input, answers) = spawn(model.command(programs)?)?;
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
        self.input = None; // the runner ends at the end of its input
        let _ = self.child.wait();
    }
}
