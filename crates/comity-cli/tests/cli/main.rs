//! Tests of the command as a process: its arguments, output, errors and exit code.
//!
//! Snapshots (`snapshots/`) record all four. `INSTA_UPDATE=always cargo test -p comity-cli` updates them.

#[cfg(all(unix, feature = "jobs"))]
mod abandoned;
mod agents;
#[cfg(feature = "jobs")]
mod audit;
#[cfg(feature = "jobs")]
mod browser;
mod cache;
mod check;
mod config;
mod conformance;
mod dialects;
mod diff;
mod docs;
mod explain;
mod fetch;
#[cfg(feature = "jobs")]
mod follow;
mod formats;
mod help;
mod hostile;
mod identity;
mod inspect;
mod lint;
mod live;
mod llms;
mod logs;
mod manners;
mod matrix;
mod mend;
mod notices;
mod page;
mod presets;
#[cfg(feature = "jobs")]
mod python;
mod readme;
#[cfg(feature = "jobs")]
mod schema;
#[cfg(feature = "live")]
mod serve;
mod sitemap;
mod status;
mod streams;
mod strict_urls;
mod usage;
mod widths;

use std::path::{Path, PathBuf};

use comity::decision::DecisionRecord;
use serde_json::Value;

/// The folder in which commands are run.
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

/// One run of the command.
struct Run {
    args: Vec<String>,
    stdin: Vec<u8>,
    env: Vec<(&'static str, String)>,
    dir: PathBuf,
}

/// The result of a run.
struct Outcome {
    args: Vec<String>,
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Returns a run of `comity` with these arguments, which are separated by spaces.
fn comity(args: &str) -> Run {
    let args = args.split_whitespace().map(str::to_owned).collect();
    Run { args, stdin: Vec::new(), env: Vec::new(), dir: PathBuf::from(FIXTURES) }
}

impl Run {
    /// Adds one argument, unchanged.
    fn arg(mut self, arg: &str) -> Self {
        self.args.push(arg.to_owned());
        self
    }

    /// Adds arguments, separated by spaces.
    fn args(mut self, args: &str) -> Self {
        self.args.extend(args.split_whitespace().map(str::to_owned));
        self
    }

    fn stdin(mut self, stdin: impl AsRef<[u8]>) -> Self {
        self.stdin = stdin.as_ref().to_vec();
        self
    }

    fn env(mut self, name: &'static str, value: &str) -> Self {
        self.env.push((name, value.to_owned()));
        self
    }

    /// Sets the folder in which the command is run.
    fn dir(mut self, dir: &Path) -> Self {
        self.dir = dir.to_owned();
        self
    }

    /// Returns the command, in an environment without variables for colour, width or settings.
    fn command(&self) -> std::process::Command {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_comity"));
        command.args(&self.args).current_dir(&self.dir);
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "COLORTERM"] {
            command.env_remove(name);
        }
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("COMITY_") {
                command.env_remove(name);
            }
        }
        // A path below a file, so that the command cannot create folders for settings, cache and data.
        let nowhere = Path::new(FIXTURES).join("note.txt/nowhere");
        command
            .env("XDG_CONFIG_HOME", &nowhere)
            .env("XDG_CACHE_HOME", &nowhere)
            .env("XDG_DATA_HOME", &nowhere);
        command.env("TERM", "xterm");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    fn run(self) -> Outcome {
        let output = assert_cmd::Command::from_std(self.command())
            .write_stdin(self.stdin.clone())
            .output()
            .expect("comity should start");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output should be UTF-8");
        Outcome {
            args: self.args,
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Returns the whole result, for a snapshot.
    fn shown(self) -> String {
        let Outcome { args, code, stdout, stderr } = self.run();
        let code = code.map_or("none".to_owned(), |code| code.to_string());
        format!(
            "$ comity {}\nexit: {code}\n----- stdout -----\n{stdout}----- stderr -----\n{stderr}",
            args.join(" ")
        )
    }
}

impl Outcome {
    /// Asserts the exit code. The failure message contains the output.
    #[track_caller]
    fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "comity {}\n{}{}", self.args.join(" "), self.stdout, self.stderr);
        self
    }

    /// Parses each line of standard output as JSON.
    #[track_caller]
    fn json_lines(&self) -> Vec<serde_json::Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }

    /// Parses standard output as one JSON value.
    #[track_caller]
    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).expect("JSON")
    }
}

/// Returns the names of the fields of a row with a decision, in order.
fn decision_fields() -> Vec<&'static str> {
    let fields = DecisionRecord::FIELDS.iter().map(|field| field.name);
    ["url", "agent", "allowed"].into_iter().chain(fields).chain(["robots_txt", "error"]).collect()
}

/// Reduces every decision in JSON to its verdict and its line, so that snapshots do not depend on its other fields.
/// Panics unless each decision has all fields in the documented order.
#[track_caller]
fn without_decisions(json: &str) -> String {
    let (mut out, mut rest) = (String::new(), json);
    while let Some(at) = rest.find("\"verdict\":") {
        let (before, mut decision) = rest.split_at(at);
        let mut values = Vec::new();
        for field in DecisionRecord::FIELDS {
            decision = decision.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
            let key = format!("\"{}\":", field.name);
            decision =
                decision.strip_prefix(&key).expect("every field of a decision, in the documented order");
            let mut stream = serde_json::Deserializer::from_str(decision).into_iter::<Value>();
            values.push(stream.next().expect("a value").expect("JSON"));
            decision = &decision[stream.byte_offset()..];
        }
        let line = values.iter().find_map(|value| value.get("pattern").and(value.get("line")));
        out += &format!("{before}\"verdict\": {}, \"line\": {}", values[0], line.unwrap_or(&Value::Null));
        rest = decision;
    }
    out + rest
}

/// Returns the top-level keys of a JSON object in order.
fn keys(json_line: &str) -> Vec<String> {
    let mut keys = Vec::new();
    let (mut depth, mut rest) = (0, json_line);
    while let Some(at) = rest.find(['{', '}', '"']) {
        let byte = rest.as_bytes()[at];
        rest = &rest[at + 1..];
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {
                let end = rest.find('"').expect("a string that ends");
                let (string, after) = rest.split_at(end);
                rest = &after[1..];
                if depth == 1 && rest.starts_with(':') {
                    keys.push(string.to_owned());
                }
            }
        }
    }
    keys
}
