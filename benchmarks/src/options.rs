//! The command line.

/// The options of a run.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// Number of rounds per figure.
    pub(crate) rounds: usize,
    /// The only workload to run.
    pub(crate) only: Option<String>,
    /// The peers to run; `None` selects all peers.
    pub(crate) peers: Option<Vec<String>>,
    /// The driver of Google's program.
    pub(crate) google: Option<String>,
    /// The file for all samples, as JSON.
    pub(crate) json: Option<String>,
    /// The directory for charts.
    pub(crate) svg: Option<String>,
    /// True if only every eighth file and fewer questions are used.
    pub(crate) quick: bool,
    /// A fixed input and its number of passes, for a count of instructions.
    pub(crate) count: Option<(String, usize)>,
    /// The engine for a count of one format of body.
    pub(crate) engine: Option<String>,
    /// The engine to run on the adversarial file. Only this program itself uses the option, for its child processes.
    pub(crate) adversary: Option<String>,
}

pub(crate) const USAGE: &str = "\
usage: comity-benchmarks [options]

  --rounds N       rounds per figure (5)
  --only WORKLOAD  oneshot, parse, bodies, match, scale-literal, scale-wild, questions, adversarial, memory or compile
  --peers LIST     compare only with these peers, separated by commas (see README.md); `none` for Comity alone
  --google PATH    a driver of Google's program (see README.md)
  --json FILE      write all samples to this file
  --svg DIR        write growth-literal.svg and growth-wild.svg to this directory
  --quick          use every eighth file, fewer questions and one round
  --count NAME N   run a fixed input N times (1), for instructions.sh; `list` prints the names
  --engine NAME    engine for --count with a format of body, such as `parse:html:10000` (comity)
";

/// Parses the arguments.
pub(crate) fn read(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        rounds: 5,
        only: None,
        peers: None,
        google: None,
        json: None,
        svg: None,
        quick: false,
        count: None,
        engine: None,
        adversary: None,
    };
    while let Some(option) = args.next() {
        if option == "--quick" {
            (options.quick, options.rounds) = (true, 1);
            continue;
        }
        let value = args.next().ok_or_else(|| format!("`{option}` is unknown, or lacks its value"))?;
        match option.as_str() {
            "--rounds" => options.rounds = number(&value)?,
            "--only" => options.only = Some(value),
            "--peers" => options.peers = Some(value.split(',').map(str::to_owned).collect()),
            "--google" => options.google = Some(value),
            "--json" => options.json = Some(value),
            "--svg" => options.svg = Some(value),
            "--count" => {
                options.count = Some((value, number(&args.next().unwrap_or_else(|| "1".to_owned()))?))
            }
            "--engine" => options.engine = Some(value),
            "--adversary" => options.adversary = Some(value),
            _ => return Err(format!("`{option}` is unknown")),
        }
    }
    Ok(options)
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&number| number > 0).ok_or_else(|| format!("`{text}` is not a positive number"))
}
