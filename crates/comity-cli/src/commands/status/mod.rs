//! `comity status`: the consequences of an answer to the request for robots.txt.
//!
//! The arguments describe the answer, and events before the answer: a copy, or an outage. `comity_answers` computes the
//! consequences.

mod args;

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::Write;
use std::time::SystemTime;

use comity::policy::{Decision, Policy};
use comity::robots::{Agent, RobotsTxt};
use comity_answers::check::CheckRow;
use comity_answers::notice::NoticeLog;
use comity_answers::provenance::Provenance;
use comity_answers::status::{self, StatusError, StatusEvents, StatusRow, StatusTimes, root};

use self::args::Site;
pub(crate) use self::args::StatusArgs;
use crate::args::FilesArgs;
use crate::decisions::{Notices, Urls, exit_of, print_notices};
use crate::exit::{Exit, Failure};
use crate::input::Source;
use crate::output::Output;
use crate::text::status::{StatusDecision, Summary};
use crate::text::{self, Printer};

/// Prints the consequences of the answer, and the decision about each URL.
pub(crate) fn run(args: &StatusArgs, output: &mut Output) -> Result<Exit, Failure> {
    let has_agent = args.agent.is_some() || args.user_agent.is_some();
    if has_agent == args.urls.is_empty() {
        let message =
            if has_agent { "a crawler is named without a URL" } else { "a URL is named without a crawler" };
        let hint =
            "name both for a decision, such as `--agent GPTBot /page`, or neither for the state of every URL";
        return Err(Failure::new(message).hint(hint));
    }
    let files = Files::read(args)?;
    let times = times(args)?;
    let agent = agent(args);
    let policy = policy(args, &files, times, &agent)?;
    let robots = files.robots().map(|body| RobotsTxt::parse_as(body, args.preset.dialect()));
    let usual = FilesArgs::default();
    Notices::new(&usual).warn([&agent], robots.as_ref(), output);
    let decision = root(&policy, times.now).map_err(|error| Failure::new(error.to_string()))?;
    let summary = Summary::new(&decision, times.now);
    if args.urls.is_empty() {
        let row = StatusRow::new(&decision, times.now);
        text::print(&[row], args.format.get(), &mut { summary }, output)?;
        return Ok(exit_of(!summary.fixed().is_some_and(Decision::blocks)));
    }
    if !args.format.is_json() {
        summary.print(true, output)?;
        writeln!(output)?;
    }
    let robots_txt = Provenance::of_decision(&decision, times.now);
    decide(args, &policy, &agent, (&robots_txt, times.now), output)
}

/// The contents of the files that the arguments name.
struct Files {
    headers: Vec<u8>,
    /// `None` if the body of the answer was not given.
    body: Option<Vec<u8>>,
    copy: Vec<u8>,
}

impl Files {
    fn read(args: &StatusArgs) -> Result<Self, Failure> {
        let paths = [&args.headers, &args.body, &args.copy];
        let from_stdin = paths.into_iter().flatten().filter(|path| path.as_os_str() == "-").count();
        if from_stdin + usize::from(args.urls.names_stdin()) > 1 {
            return Err(Failure::new("standard input can be only one of header, body, copy and URLs")
                .hint("save the others to files"));
        }
        let read = |path: &Option<std::path::PathBuf>| match path {
            Some(path) => Source::new(path).read().map(Some),
            None => Ok(None),
        };
        let [headers, copy] = [read(&args.headers)?, read(&args.copy)?].map(Option::unwrap_or_default);
        Ok(Files { headers, body: read(&args.body)?, copy })
    }
}

impl Files {
    /// Returns the robots.txt that was given: the body of the answer, or else the copy.
    fn robots(&self) -> Option<&[u8]> {
        self.body.as_deref().or(Some(&self.copy)).filter(|body| !body.is_empty())
    }
}

/// Returns the times of the events.
fn times(args: &StatusArgs) -> Result<StatusTimes, Failure> {
    let now = args.now.unwrap_or_else(SystemTime::now);
    let at = match (args.at, args.age) {
        (Some(at), _) => Ok(at),
        (None, Some(age)) => status::ago(now, age),
        (None, None) => Ok(now),
    };
    at.and_then(|at| StatusTimes::new(now, at, args.failing_for, args.copy_age)).map_err(failure)
}

/// Converts an error to a failure, with a hint that names the options.
fn failure(error: StatusError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        StatusError::Future => failure.hint("check --at and --now"),
        StatusError::Order => {
            failure.hint("--copy-age must be at least --failing-for, and --failing-for at least --age")
        }
        StatusError::NoCode => failure.hint("give the status code, such as --code 200"),
        _ => failure,
    }
}

fn agent(args: &StatusArgs) -> Agent {
    let agent = match (&args.agent, &args.user_agent) {
        (Some(token), _) => Agent::unchecked_token(token.as_str()),
        (None, Some(header)) => Agent::header(header.as_str()),
        (None, None) => Agent::unchecked_token("*"),
    };
    args.fallback.iter().fold(agent, |agent, token| agent.or_token(token))
}

/// Returns the policy after the events that the arguments name.
fn policy(args: &StatusArgs, files: &Files, times: StatusTimes, agent: &Agent) -> Result<Policy, Failure> {
    let events = StatusEvents {
        preset: args.preset,
        mode: args.mode,
        code: args.code,
        failure: args.error,
        headers: &files.headers,
        body: files.body.as_deref(),
        redirects: &args.redirect,
        copy: args.copy.is_some().then_some(files.copy.as_slice()),
        has_failed_before: args.failing_for.is_some(),
        site_is_reachable: args.site.map(|site| site == Site::Reachable),
        times,
    };
    events.policy(agent).map_err(failure)
}

/// Prints a decision for each URL.
fn decide(
    args: &StatusArgs,
    policy: &Policy,
    agent: &Agent,
    (robots_txt, now): (&Provenance, SystemTime),
    output: &mut Output,
) -> Result<Exit, Failure> {
    let urls = Urls::new(&args.urls, None)?;
    let printer = RefCell::new(Printer::new::<StatusDecision<'_>>(args.format.get(), output)?);
    let mut log = NoticeLog::default();
    let answer = |url: &[u8], output: &mut Output| match policy.decide(url, now) {
        Ok(decision) => {
            let record = decision.to_record();
            log.add_url(url);
            log.add_decision(&record);
            let row = StatusDecision(CheckRow::new(url, agent, record, Cow::Borrowed(robots_txt)));
            printer.borrow_mut().print(&row, &mut { url }, output)?;
            Ok(Ok(exit_of(!decision.blocks())))
        }
        Err(error) => Ok(Err(error.to_string())),
    };
    let exit = urls.answer_each(output, answer, |url, error, output| {
        let row = StatusDecision(CheckRow::of_error(url, agent, robots_txt.clone(), error.to_owned()));
        printer.borrow_mut().print(&row, &mut { url }, output)
    })?;
    let file = args.body.as_ref().map(|path| path.to_string_lossy());
    print_notices(log.into_notices(file.as_deref()), output);
    Ok(exit)
}
