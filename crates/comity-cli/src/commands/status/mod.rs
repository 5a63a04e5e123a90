//! `comity status`: what follows from an answer to the request for robots.txt.
//!
//! The answer is made up from the arguments, and so is what came before it, if a copy or an outage is named; what follows
//! is found by `comity_answers`.

mod args;
use std::borrow::Cow;
use std::io::Write;
use std::time::SystemTime;

use comity::policy::{Decision, Evidence, Mode, Policy, Treatment};
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
use crate::render;

/// Decides by one answer.
pub(crate) fn run(args: &StatusArgs, output: &mut Output) -> Result<Exit, Failure> {
    let has_asker = args.agent.is_some() || args.user_agent.is_some();
    if has_asker == args.urls.is_empty() {
        let message =
            if has_asker { "a crawler is named, and no URL" } else { "a URL is named, and no crawler" };
        let hint = "name both for a decision, such as `--agent GPTBot /page`; neither shows what holds for every URL";
        return Err(Failure::new(message).hint(hint));
    }
    let files = Files::read(args)?;
    let times = times(args)?;
    let agent = agent(args);
    let policy = policy(args, &files, times, &agent)?;
    let robots = files.robots().map(|body| RobotsTxt::parse_as(body, args.preset.dialect()));
    let usual = FilesArgs::default();
    Notices::new(&usual).warn([&agent], robots.as_ref(), output);
    if args.urls.is_empty() {
        return overview(&policy, times.now, args.format.is_json(), output);
    }
    if !args.format.is_json() {
        Summary::new(&policy, times.now)?.print(times.now, true, output)?;
        writeln!(output)?;
    }
    decide(args, &policy, &agent, times.now, output)
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

/// Returns the failure of the command, with the options that are the way out.
fn failure(error: StatusError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        StatusError::Future => failure.hint("see --at and --now"),
        StatusError::Order => {
            failure.hint("--copy-age must be at least --failing-for, and that at least --age")
        }
        StatusError::NoCode => failure.hint("say --code 200, or whatever it was"),
        _ => failure,
    }
}

fn agent(args: &StatusArgs) -> Agent {
    let agent = match (&args.agent, &args.user_agent) {
        (Some(token), _) => Agent::token(token.as_str()),
        (None, Some(header)) => Agent::header(header.as_str()),
        (None, None) => Agent::token("*"),
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

/// Prints what holds for every URL.
fn overview(policy: &Policy, now: SystemTime, json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let summary = Summary::new(policy, now)?;
    if json {
        output.json_line(&StatusRow::new(&summary.decision, now))?;
    } else {
        summary.print(now, false, output)?;
    }
    Ok(exit_of(!summary.fixed().is_some_and(Decision::blocks)))
}

fn decide(
    args: &StatusArgs,
    policy: &Policy,
    agent: &Agent,
    now: SystemTime,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let urls = Urls::new(&args.urls, None)?;
    let json = args.format.is_json();
    let robots_txt = Provenance::of_decision(&Summary::new(policy, now)?.decision, now);
    let mut log = NoticeLog::default();
    let answer = |url: &[u8], output: &mut Output| match policy.decide(url, now) {
        Ok(decision) => {
            log.add_url(url);
            log.add_decision(&decision.to_record());
            print(url, agent, &decision, json.then_some(&robots_txt), output)?;
            Ok(Ok(exit_of(!decision.blocks())))
        }
        Err(error) => Ok(Err(error.to_string())),
    };
    let exit = urls.answer_each(output, answer, |url, error, output| match json {
        true => output.json_line(&CheckRow::of_error(url, agent, robots_txt.clone(), error.to_owned())),
        false => Ok(()),
    })?;
    let file = args.body.as_ref().map(|path| path.to_string_lossy());
    print_notices(log.into_notices(file.as_deref()), output);
    Ok(exit)
}

/// A decision on a line: `blocked  /x  disallowed_explicit, not_recommended  line 2: Disallow: /x`.
fn print(
    url: &[u8],
    agent: &Agent,
    decision: &Decision<'_>,
    json: Option<&Provenance>,
    output: &mut Output,
) -> Result<(), Failure> {
    if let Some(robots_txt) = json {
        let row = CheckRow::new(url, agent, decision.to_record(), Cow::Borrowed(robots_txt));
        return output.json_line(&row);
    }
    let (style, faint) = (output.palette.verdict(!decision.blocks()), output.palette.faint);
    let word = if decision.blocks() { "blocked" } else { "passes" };
    let (verdict, recommendation) = (decision.verdict(), decision.recommendation());
    let basis = match (decision.rules(), decision.treatment()) {
        (Some(rules), _) => render::basis(&rules.to_record(), agent.as_str()),
        (None, Some(Treatment::FailOpen)) => format!("{} fails open", decision.preset()),
        (None, Some(treatment)) => treatment.label().to_owned(),
        (None, None) => "robots.txt is not looked at".to_owned(),
    };
    let url = render::text(url);
    Ok(writeln!(
        output,
        "{style}{word:<8}{style:#} {url}  {verdict}, {recommendation}  {faint}{basis}{faint:#}"
    )?)
}

/// The part of a decision that holds for every URL.
struct Summary<'a> {
    /// The decision on the site's root: where no rule decides, one URL is as good as another.
    decision: Decision<'a>,
}

impl<'a> Summary<'a> {
    fn new(policy: &'a Policy, now: SystemTime) -> Result<Self, Failure> {
        let decision = root(policy, now).map_err(|error| Failure::new(error.to_string()))?;
        Ok(Summary { decision })
    }

    /// The decision, if it holds for every URL.
    fn fixed(&self) -> Option<&Decision<'a>> {
        Some(&self.decision).filter(|decision| decision.rules().is_none())
    }

    /// For people; decisions on URLs may follow.
    fn print(&self, now: SystemTime, with_urls: bool, output: &mut Output) -> Result<(), Failure> {
        let faint = output.palette.faint;
        let mut lines: Vec<(&str, String)> = Vec::new();
        let decision = &self.decision;
        let (preset, mode) = (decision.preset(), decision.mode());
        let own = match preset.mode() {
            own if own == mode || own == Mode::Respect => String::new(),
            own => format!(" (its own: {own})"),
        };
        lines.push(("preset", format!("{preset}, dialect {}, mode {mode}{own}", decision.dialect())));
        match decision.outage() {
            Some(outage) => {
                lines.push(("answer", answer(outage.latest())));
                let age = now.duration_since(outage.since()).unwrap_or_default();
                lines.push(("outage", format!("since {}, for {}", time(outage.since()), render::span(age))));
            }
            None => lines.extend(decision.evidence().map(|evidence| ("answer", answer(evidence)))),
        }
        let done = decision.treatment().map_or("robots.txt is not looked at", Treatment::label);
        lines.push(("what is done", done.to_owned()));
        match self.fixed() {
            Some(fixed) => {
                lines.push(("verdict", fixed.verdict().to_string()));
                lines.push(("recommendation", fixed.recommendation().to_string()));
            }
            None if with_urls => lines.push(("verdict", "the rules decide".to_owned())),
            None => lines.push(("verdict", "the rules decide, for a crawler (--agent) and a URL".to_owned())),
        }
        if decision.failed_open() {
            lines.push(("failed open", format!("{preset} allows what it does not know")));
        }
        lines.extend(self.times(now));
        for (name, value) in lines {
            writeln!(output, "{faint}{name:<15}{faint:#} {value}")?;
        }
        if let (Some(fixed), false) = (self.fixed(), with_urls) {
            let blocked = fixed.blocks();
            let style = output.palette.verdict(!blocked);
            let word = if blocked { "blocked" } else { "passes" };
            writeln!(output, "{style}{word:<8}{style:#} every URL of the site")?;
        }
        Ok(())
    }

    /// Returns how long what was found counts.
    fn times(&self, now: SystemTime) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        let serves = |evidence: &Evidence| match evidence.stale_until() {
            None => "whatever its age".to_owned(),
            until => moment(until, now),
        };
        let outage = self.decision.outage();
        match (self.decision.evidence(), self.decision.treatment()) {
            (Some(copy), Some(Treatment::LastGood)) => {
                lines.push(("copy fetched", moment(Some(copy.fetched_at()), now)));
                lines.push(("copy serves to", serves(copy)));
            }
            (Some(evidence), _) if outage.is_none() => {
                lines.push(("fresh until", moment(evidence.fresh_until(), now)));
                if evidence.treatment() == Treatment::ReadRules {
                    lines.push(("stale until", serves(evidence)));
                }
            }
            _ => {}
        }
        lines.extend(outage.map(|outage| match outage.latest().fresh_until() {
            None => ("ask again", "not while the program runs".to_owned()),
            until => ("ask again", moment(until, now)),
        }));
        lines
    }
}

/// `503: server_error, unreachable`.
fn answer(evidence: &Evidence) -> String {
    let reply = match (evidence.status(), evidence.failure()) {
        (Some(status), _) => status.to_string(),
        (None, Some(failure)) => failure.summary().to_owned(),
        (None, None) => String::new(),
    };
    format!("{reply}: {}, {}", evidence.kind(), evidence.availability())
}

/// A time, and how far off it is.
fn moment(at: Option<SystemTime>, now: SystemTime) -> String {
    let Some(at) = at else { return "as long as the program runs".to_owned() };
    match at.duration_since(now) {
        Ok(wait) if wait.as_secs() == 0 => format!("{}, now", time(at)),
        Ok(wait) => format!("{}, in {}", time(at), render::span(wait)),
        Err(passed) => format!("{}, {} ago", time(at), render::span(passed.duration())),
    }
}

/// RFC 3339 in UTC, to the second.
fn time(at: SystemTime) -> String {
    comity::rfc3339::seconds(at).unwrap_or_else(|| "beyond the year 9999".to_owned())
}
