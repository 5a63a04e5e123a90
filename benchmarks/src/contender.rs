//! The engines of a run, linked into this program or in a separate process, and the code that times them.

use std::io::Result;
use std::time::Duration;

use cpu_time::ThreadTime;

use crate::case::Case;
use crate::engines::google::Driver;
use crate::engines::{self, Ask, Engine};
use crate::survive::survive;

/// The operations whose time is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// Parsing a file, compiling its rules, one question, and dropping the results.
    Once,
    /// Parsing a file, compiling its rules, questions, and dropping the results.
    Whole,
    /// Questions about a parsed file, including the compilation of its rules.
    AfterParse,
    /// Questions, after warm-up.
    Asking,
    /// The slowest of several questions, for engines that compile rules during questions.
    Dearest,
}

/// A measurement: CPU time in nanoseconds, and the verdicts. A verdict is `None` if the engine panicked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timed {
    pub(crate) nanos: f64,
    pub(crate) verdicts: Vec<Option<bool>>,
}

/// An engine of a run.
pub(crate) enum Contender {
    Linked(Box<dyn Engine>),
    Google(Driver),
}

/// The name of Google's program in arguments and tables.
pub(crate) const GOOGLE: &str = "google";

impl Contender {
    /// Returns Comity, the engines in `peers` (all if `None`), and Google's program if a driver is given, in this
    /// order.
    pub(crate) fn choose(peers: Option<&[String]>, google: Option<&str>) -> Result<Vec<Self>> {
        let is_wanted = |name: &str| match peers {
            None => true,
            Some(names) => name.starts_with("comity") || names.iter().any(|wanted| wanted == name),
        };
        let mut chosen: Vec<Self> = engines::all()
            .into_iter()
            .filter(|engine| is_wanted(engine.name()))
            .map(Contender::Linked)
            .collect();
        if let Some(path) = google {
            chosen.push(Contender::Google(Driver::start(path)?));
        }
        Ok(chosen)
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Contender::Linked(engine) => engine.name(),
            Contender::Google(_) => GOOGLE,
        }
    }

    pub(crate) fn version(&self) -> &'static str {
        match self {
            Contender::Linked(engine) => engine.version(),
            Contender::Google(_) => "as built",
        }
    }

    pub(crate) fn note(&self) -> &'static str {
        match self {
            Contender::Linked(engine) => engine.note(),
            Contender::Google(_) => {
                "C++, in a separate process with its own clock; no parsed form: `parse` runs its callbacks, every question parses the file"
            }
        }
    }

    /// Returns true if the engine compiles rules in a separate step.
    pub(crate) fn compiles(&self) -> bool {
        matches!(self, Contender::Linked(engine) if engine.compiles())
    }

    /// Returns true if every question parses the file again, in another process.
    pub(crate) fn keeps_nothing(&self) -> bool {
        matches!(self, Contender::Google(_))
    }

    /// Parses every file once and drops the result.
    pub(crate) fn parse(&mut self, cases: &[Case]) -> Result<Timed> {
        let nanos = match self {
            Contender::Google(driver) => driver.parse(cases)?,
            Contender::Linked(engine) => {
                let start = ThreadTime::now();
                for case in cases {
                    // A panic is reported when the engine decides URLs of this file.
                    let _ = survive(|| engine.parse_alone(case));
                }
                nanos(start.elapsed())
            }
        };
        Ok(Timed { nanos, verdicts: Vec::new() })
    }

    /// Decides the first `questions` URLs of every case.
    pub(crate) fn ask(&mut self, cases: &[Case], questions: usize, clock: Clock) -> Result<Timed> {
        match self {
            Contender::Google(driver) => {
                let (nanos, verdicts) = driver.ask(cases, questions, 1)?;
                Ok(Timed { nanos, verdicts: verdicts.into_iter().map(Some).collect() })
            }
            Contender::Linked(engine) => Ok(match clock {
                Clock::Once => ask_once(&**engine, cases),
                Clock::Whole => ask_whole(&**engine, cases, questions),
                Clock::AfterParse => ask_after_parse(&**engine, cases, questions),
                Clock::Asking => ask_warm(&**engine, cases, questions),
                Clock::Dearest => ask_dearest(&**engine, cases, questions),
            }),
        }
    }
}

fn nanos(time: Duration) -> f64 {
    time.as_nanos() as f64
}

fn ask_all(ask: &mut Ask<'_>, case: &Case, questions: usize, verdicts: &mut Vec<Option<bool>>) {
    verdicts.extend(case.urls.iter().take(questions).map(|url| Some(ask(url))));
}

/// Calls `then` for each case. If the engine panics, the missing verdicts of the case are `None`.
fn each_case(cases: &[Case], questions: usize, timed: &mut Timed, mut then: impl FnMut(&Case, &mut Timed)) {
    for case in cases {
        let owed = timed.verdicts.len() + questions;
        if survive(|| then(case, timed)).is_none() {
            timed.verdicts.resize(owed, None);
        }
    }
}

fn ask_once(engine: &dyn Engine, cases: &[Case]) -> Timed {
    let mut timed = Timed { nanos: 0.0, verdicts: Vec::with_capacity(cases.len()) };
    let start = ThreadTime::now();
    each_case(cases, 1, &mut timed, |case, timed| {
        timed.verdicts.extend(case.urls.first().map(|url| Some(engine.answer_once(case, url))));
    });
    Timed { nanos: nanos(start.elapsed()), ..timed }
}

fn ask_whole(engine: &dyn Engine, cases: &[Case], questions: usize) -> Timed {
    let mut timed = Timed { nanos: 0.0, verdicts: Vec::with_capacity(cases.len() * questions) };
    let start = ThreadTime::now();
    each_case(cases, questions, &mut timed, |case, timed| {
        engine.parse(case, &mut |parsed| {
            parsed.prepare(&case.agent, &mut |ask| ask_all(ask, case, questions, &mut timed.verdicts));
        });
    });
    Timed { nanos: nanos(start.elapsed()), ..timed }
}

fn ask_after_parse(engine: &dyn Engine, cases: &[Case], questions: usize) -> Timed {
    let mut timed = Timed { nanos: 0.0, verdicts: Vec::with_capacity(cases.len() * questions) };
    each_case(cases, questions, &mut timed, |case, timed| {
        engine.parse(case, &mut |parsed| {
            let start = ThreadTime::now();
            parsed.prepare(&case.agent, &mut |ask| ask_all(ask, case, questions, &mut timed.verdicts));
            timed.nanos += nanos(start.elapsed());
        });
    });
    timed
}

fn ask_dearest(engine: &dyn Engine, cases: &[Case], questions: usize) -> Timed {
    let mut timed = Timed::default();
    let ask_one = |ask: &mut Ask<'_>, url: &String, timed: &mut Timed| {
        let start = ThreadTime::now();
        timed.verdicts.push(Some(ask(url)));
        timed.nanos = timed.nanos.max(nanos(start.elapsed()));
    };
    each_case(cases, questions, &mut timed, |case, timed| {
        engine.parse(case, &mut |parsed| {
            parsed.prepare(&case.agent, &mut |ask| {
                case.urls.iter().cycle().take(questions).for_each(|url| ask_one(ask, url, timed));
            });
        });
    });
    timed
}

fn ask_warm(engine: &dyn Engine, cases: &[Case], questions: usize) -> Timed {
    let mut timed = Timed::default();
    each_case(cases, questions, &mut timed, |case, timed| {
        engine.parse(case, &mut |parsed| {
            parsed.prepare(&case.agent, &mut |ask| {
                let (nanos, mut verdicts) = time_warm(ask, case, questions);
                timed.nanos += nanos;
                timed.verdicts.append(&mut verdicts);
            });
        });
    });
    timed
}

/// Returns the mean time of one pass over the questions, after warm-up passes.
fn time_warm(ask: &mut Ask<'_>, case: &Case, questions: usize) -> (f64, Vec<Option<bool>>) {
    // Number of questions in the warm-up, after which every engine has compiled its rules.
    const WARM_QUESTIONS: usize = 200;
    // Time after which the warm-up ends for slow engines.
    const WARM_NANOS: f64 = 1e9;
    const MEASURED_NANOS: f64 = 3e6;
    let mut verdicts = Vec::with_capacity(questions);
    let mut pass = |ask: &mut Ask<'_>| {
        verdicts.clear();
        ask_all(ask, case, questions, &mut verdicts);
    };
    let (warming, mut passes) = (ThreadTime::now(), 0);
    while passes == 0 || (passes * questions < WARM_QUESTIONS && nanos(warming.elapsed()) < WARM_NANOS) {
        pass(ask);
        passes += 1;
    }
    let mean = nanos(warming.elapsed()) / passes as f64;
    let repeats = (MEASURED_NANOS / mean.max(1.0)).clamp(1.0, 100_000.0) as usize;
    let start = ThreadTime::now();
    for _ in 0..repeats {
        pass(ask);
    }
    (nanos(start.elapsed()) / repeats as f64, verdicts)
}
