//! Fixed inputs for instruction counts of Comity. Those of `instructions.sh` are small and generated.
//!
//! `instructions.sh` counts one pass over each input with callgrind, and two. The difference is the count of one pass.
//! It omits two kinds of inputs: `oneshot-real` and `match-real` use the real files, for `docs/evidence/benchmarks.md`;
//! `oneshot:KIND:BYTES` and `parse:KIND:BYTES` use bodies of one format and size, with the engine in `--engine`.

use std::hint::black_box;

use comity::robots::{self, Agent, RobotsTxt};

use testkit::bodies::Family;

use crate::case::Case;
use crate::corpus::{self, Corpus};
use crate::engines::{self, Engine};
use crate::generate::{self, AGENT, Rng};

/// One pass over an input.
type Pass = Box<dyn Fn()>;

/// A fixed input: its name, and its constructor.
pub(crate) type Fixed = (&'static str, fn() -> Pass);

/// All fixed inputs of `instructions.sh`.
pub(crate) const INPUTS: [Fixed; 19] = [
    ("oneshot-typical", || one_question_each(typical_cases(1))),
    ("parse-typical", || parse_each(typical_cases(1))),
    ("match-typical", || ask_each(typical_cases(50))),
    ("match-small", || ask_each(small_cases())),
    ("match-small-paths", || ask_each(small_cases().iter().map(with_paths).collect())),
    ("literal-10", || ask_each(vec![generate::scale_case(10, false, 7)])),
    ("literal-20000", || ask_each(vec![generate::scale_case(20_000, false, 7)])),
    ("wild-20000", || ask_each(vec![generate::scale_case(20_000, true, 7)])),
    ("index-20000", || compile_and_ask_each(vec![generate::scale_case(20_000, false, 7)])),
    ("compile-20000", || compile_each(vec![generate::scale_case(20_000, false, 7)])),
    ("adversarial-cold", || one_question_each(vec![generate::adversarial_case()])),
    ("oneshot-html", || one_question_each(corpus::bodies_of(Family::Html))),
    ("oneshot-json", || one_question_each(corpus::bodies_of(Family::Json))),
    ("oneshot-binary", || one_question_each(corpus::bodies_of(Family::Binary))),
    ("oneshot-text", || one_question_each(corpus::bodies_of(Family::Text))),
    ("parse-html", || parse_each(corpus::bodies_of(Family::Html))),
    ("parse-json", || parse_each(corpus::bodies_of(Family::Json))),
    ("parse-binary", || parse_each(corpus::bodies_of(Family::Binary))),
    ("parse-text", || parse_each(corpus::bodies_of(Family::Text))),
];

/// Runs an input `passes` times, or prints all names if `name` is `list`. `engine` replaces Comity for bodies of one
/// format.
pub(crate) fn run(name: &str, passes: usize, engine: Option<&str>) -> Result<(), String> {
    if name == "list" {
        INPUTS.iter().for_each(|(name, _)| println!("{name}"));
        return Ok(());
    }
    let pass = match INPUTS.iter().find(|(known, _)| *known == name) {
        Some((_, make)) => make(),
        None if name.contains(':') => over_bodies(name, engine.unwrap_or("comity"))?,
        None => over_real_files(name)?,
    };
    (0..passes).for_each(|_| pass());
    Ok(())
}

/// Returns a pass over the input of the workload `oneshot` or `match`. Prints the number of questions in it.
fn over_real_files(name: &str) -> Result<Pass, String> {
    let corpus = Corpus::load(false).map_err(|error| error.to_string())?;
    let cases: Vec<Case> = match name {
        "oneshot-real" => corpus.buckets().into_iter().flat_map(|(_, cases)| cases).collect(),
        "match-real" => corpus.stratified(200, 1_000),
        _ => return Err(format!("unknown input `{name}`; `--count list 1` prints the names")),
    };
    eprintln!("{}: {} questions", corpus.describe(), cases.iter().map(|case| case.urls.len()).sum::<usize>());
    Ok(if name == "match-real" { ask_each(cases) } else { one_question_each(cases) })
}

/// Returns a pass of one engine over bodies of one format and size, such as `parse:html:10000`.
fn over_bodies(name: &str, engine: &str) -> Result<Pass, String> {
    let unknown = || format!("unknown input `{name}`; `--count list 1` prints the names");
    let [what, kind, bytes] = name.split(':').collect::<Vec<_>>().try_into().map_err(|_| unknown())?;
    let kind = corpus::kind_of(kind).ok_or_else(unknown)?;
    let cases = corpus::bodies(kind, bytes.parse().map_err(|_| unknown())?);
    let engine: Box<dyn Engine> = (engines::all().into_iter())
        .find(|known| known.name() == engine)
        .ok_or_else(|| format!("unknown engine `{engine}`"))?;
    match what {
        "oneshot" => Ok(Box::new(move || {
            for case in &cases {
                black_box(engine.answer_once(case, &case.urls[0]));
            }
        })),
        "parse" => Ok(Box::new(move || cases.iter().for_each(|case| engine.parse_alone(case)))),
        _ => Err(unknown()),
    }
}

fn typical_cases(questions: usize) -> Vec<Case> {
    let mut rng = Rng::new(11);
    (0..100)
        .map(|_| {
            let body = generate::typical_file(&mut rng);
            let urls = generate::urls_for(&body, questions, &mut rng);
            Case::new(body, AGENT, urls)
        })
        .collect()
}

/// Returns files with a few rules, like most real files.
fn small_cases() -> Vec<Case> {
    let mut rng = Rng::new(13);
    let mut cases = Vec::new();
    while cases.len() < 50 {
        let body = generate::typical_file(&mut rng);
        if body.len() <= 512 {
            let urls = generate::urls_for(&body, 50, &mut rng);
            cases.push(Case::new(body, AGENT, urls));
        }
    }
    cases
}

/// Returns a case with paths instead of URLs.
fn with_paths(case: &Case) -> Case {
    let path = |url: &String| url.strip_prefix("https://www.example.com").unwrap_or(url).to_owned();
    Case::new(case.body.clone(), AGENT, case.urls.iter().map(path).collect())
}

fn one_question_each(cases: Vec<Case>) -> Pass {
    Box::new(move || {
        for case in &cases {
            let verdict = robots::is_allowed(&case.body, &Agent::unchecked_token(case.agent.as_str()), &case.urls[0]);
            black_box(verdict.unwrap_or(true));
        }
    })
}

fn parse_each(cases: Vec<Case>) -> Pass {
    Box::new(move || {
        for case in &cases {
            black_box(RobotsTxt::parse(&case.body));
        }
    })
}

fn compile_each(cases: Vec<Case>) -> Pass {
    let agent = Agent::unchecked_token(AGENT);
    let bodies: &'static [Case] = Box::leak(cases.into_boxed_slice());
    let parsed: Vec<RobotsTxt<'static>> = bodies.iter().map(|case| RobotsTxt::parse(&case.body)).collect();
    Box::new(move || {
        for robots in &parsed {
            black_box(robots.rules_for(&agent));
        }
    })
}

/// Returns a pass that compiles rules and asks questions, during which the index of rules is built.
fn compile_and_ask_each(cases: Vec<Case>) -> Pass {
    let agent = Agent::unchecked_token(AGENT);
    Box::new(move || {
        for case in &cases {
            let rules = RobotsTxt::parse(&case.body).rules_for(&agent);
            for url in &case.urls {
                black_box(rules.is_allowed(url).unwrap_or(true));
            }
        }
    })
}

/// Returns a pass of questions. First compiles the rules and asks all questions, so that lazy compilation is not
/// counted.
fn ask_each(cases: Vec<Case>) -> Pass {
    let rules_of = |case: &Case| RobotsTxt::parse(&case.body).rules_for(&Agent::unchecked_token(case.agent.as_str()));
    let prepared: Vec<_> = cases.into_iter().map(|case| (rules_of(&case), case.urls)).collect();
    let pass = move || {
        for (rules, urls) in &prepared {
            for url in urls {
                black_box(rules.is_allowed(url).unwrap_or(true));
            }
        }
    };
    (0..3).for_each(|_| pass());
    Box::new(pass)
}
