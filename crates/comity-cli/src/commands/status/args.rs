//! The arguments of `comity status`.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, ValueEnum, ValueHint};
use comity::policy::{Failure, Mode, Preset};

use crate::args::values::{agent_parser, mode_parser, not_empty, preset_parser, token_parser};
use crate::args::{FormatArgs, Plain, UrlArgs};

/// Show the effect of an answer to the request for robots.txt, under a preset
///
/// The answer is a status code with header and body, or a failure. The output shows the kind of answer, its treatment
/// by the preset, and its lifetime. With a crawler and URLs, it shows the decision about each URL: verdict,
/// recommendation, and reason.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("answer").required(true).multiple(true).args(["code", "error", "headers"])))]
#[command(group(ArgGroup::new("asker").args(["agent", "user_agent"])))]
#[command(before_help = "\
Examples:
  comity status --code 503                          the treatment of a 503 by RFC 9309
  comity status --preset google --error timeout --failing-for 13h
  comity status --preset ladon --code 503           a preset that fails open
  comity status --code 200 --body robots.txt --agent GPTBot https://example.com/page
  comity status --code 503 --copy robots.txt --copy-age 2d --agent GPTBot /page
  curl -sD head.txt -o body.txt https://example.com/robots.txt
  comity status --headers head.txt --body body.txt --json")]
pub(crate) struct StatusArgs {
    /// The preset; see `comity presets`
    #[arg(long, short, value_name = "PRESET", default_value = "rfc9309", ignore_case = true)]
    #[arg(value_parser = preset_parser(), hide_possible_values = true)]
    pub(crate) preset: Preset,

    /// Mode: respect, report_only or ignore; overrides the mode of the preset
    #[arg(long, value_name = "MODE", default_value = "respect", ignore_case = true)]
    #[arg(value_parser = mode_parser(), hide_possible_values = true)]
    pub(crate) mode: Mode,

    /// The status code of the answer [default: that of --headers]
    #[arg(long, value_name = "CODE", value_parser = code, conflicts_with = "error")]
    pub(crate) code: Option<u16>,

    /// The failure instead of an answer
    #[arg(long, value_name = "KIND", ignore_case = true, value_parser = failure_parser())]
    #[arg(conflicts_with_all = ["headers", "body", "redirect"])]
    pub(crate) error: Option<Failure>,

    /// The header of the answer, as `curl -I` prints it; `-` reads standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) headers: Option<PathBuf>,

    /// The body of the answer; `-` reads standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) body: Option<PathBuf>,

    /// The target URL of a redirect, which is recorded as evidence; may be repeated
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) redirect: Vec<String>,

    /// Time of the answer: RFC 3339 or seconds since 1970 [default: now]
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with = "age")]
    pub(crate) at: Option<SystemTime>,

    /// Age of the answer: 90s, 10m, 12h, 30d
    #[arg(long, value_name = "DURATION", value_parser = comity::date::duration)]
    pub(crate) age: Option<Duration>,

    /// Current time: RFC 3339 or seconds since 1970 [default: the clock]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) now: Option<SystemTime>,

    /// The last good copy: a body that was read before robots.txt failed
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) copy: Option<PathBuf>,

    /// Age of the copy [default: fetched just before the first failure]
    #[arg(long, value_name = "DURATION", value_parser = comity::date::duration, requires = "copy")]
    pub(crate) copy_age: Option<Duration>,

    /// Time since the first of the consecutive failures [default: since the answer]
    #[arg(long, value_name = "DURATION", value_parser = comity::date::duration)]
    pub(crate) failing_for: Option<Duration>,

    /// Whether the rest of the site is reachable; the preset `google` uses this after 30 days
    #[arg(long, value_name = "STATE")]
    pub(crate) site: Option<Site>,

    /// A crawler's product token, such as GPTBot
    #[arg(long, short, value_name = "TOKEN", value_parser = agent_parser(), hide_possible_values = true)]
    pub(crate) agent: Option<String>,

    /// A crawler's whole User-Agent header
    #[arg(long, value_name = "HEADER", value_parser = not_empty)]
    pub(crate) user_agent: Option<String>,

    /// Fallback token, tried before `*` if no group names the crawler; may be repeated
    #[arg(long, value_name = "TOKEN", value_parser = token_parser(), hide_possible_values = true, requires = "asker")]
    pub(crate) fallback: Vec<String>,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,

    #[command(flatten)]
    pub(crate) urls: UrlArgs,
}

/// Whether the rest of the site is reachable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Site {
    /// It is reachable
    Reachable,
    /// It is unreachable
    Unreachable,
}

/// Parses a status code: three digits, as in `HTTP/1.1 404 Not Found`.
fn code(text: &str) -> Result<u16, String> {
    let wrong = "a status code has three digits, such as 200, 404 or 503; use --error for a failure without an answer";
    text.parse().ok().filter(|code| (100..=999).contains(code)).ok_or_else(|| wrong.to_owned())
}

fn failure_parser() -> impl TypedValueParser<Value = Failure> {
    let values = Failure::ALL.map(|failure| PossibleValue::new(failure.as_str()).help(failure.summary()));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Failure>())
}

/// Parses a time: `2026-11-21T06:20:10Z`, `2026-11-21T08:20:10+02:00`, `1763706010`.
fn time(text: &str) -> Result<SystemTime, String> {
    let timestamp = match text.parse::<i64>() {
        Ok(seconds) => jiff::Timestamp::from_second(seconds).ok(),
        Err(_) => text.parse::<jiff::Timestamp>().ok(),
    };
    timestamp
        .map(SystemTime::from)
        .ok_or_else(|| "write it as 2026-11-21T06:20:10Z, or as seconds since 1970".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_parsed_as_rfc_3339_or_seconds() {
        let expected = Ok(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000));
        assert_eq!(time("2001-09-09T01:46:40Z"), expected);
        assert_eq!(time("2001-09-09T03:46:40+02:00"), expected);
        assert_eq!(time("1000000000"), expected);
        for wrong in ["", "yesterday", "2001-09-09", "99999999999999999", "2001-09-09T25:00:00Z"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
