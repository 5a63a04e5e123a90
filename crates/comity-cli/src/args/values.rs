//! Parsers for values of arguments of several commands.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ContextKind;
use comity::agents::Purpose;
#[cfg(feature = "jobs")]
pub(crate) use comity::date::duration;
use comity::llms::Strategy;
use comity::policy::{Mode, Preset};
use comity::robots::{Agent, Dialect, ProductToken, TokenError};
use comity_answers::url::UrlProblem;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Returns the parser of dialects by name or alias; clap lists and suggests them.
pub(crate) fn dialect_parser() -> impl TypedValueParser<Value = Dialect> {
    let values = Dialect::ALL.map(|dialect| {
        PossibleValue::new(dialect.name())
            .aliases(dialect.aliases().iter().copied())
            .help(dialect.defined_by())
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Dialect>())
}

/// Returns the parser of presets by name; clap lists and suggests them.
pub(crate) fn preset_parser() -> impl TypedValueParser<Value = Preset> {
    let values = Preset::ALL.map(|preset| PossibleValue::new(preset.name()).help(preset.defined_by()));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Preset>())
}

pub(crate) fn mode_parser() -> impl TypedValueParser<Value = Mode> {
    let values = Mode::ALL.map(|mode| {
        let value = PossibleValue::new(mode.as_str()).help(mode.summary());
        if mode == Mode::ReportOnly { value.alias("report-only") } else { value }
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Mode>())
}

/// A parser with too many possible values to list in an error. The error still suggests a similar value.
#[derive(Clone)]
pub(crate) struct UnlistedParser<P>(pub(crate) P);

impl<P: TypedValueParser> TypedValueParser for UnlistedParser<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        self.0.parse_ref(command, arg, value).map_err(|mut error| {
            error.remove(ContextKind::ValidValue);
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

/// Parses a time with a zone, or a day, whose start in UTC is returned.
pub(crate) fn time(text: &str) -> Result<Timestamp, String> {
    let day = || text.parse::<Date>().ok()?.to_zoned(TimeZone::UTC).ok();
    match text.parse::<Timestamp>() {
        Ok(time) => Ok(time),
        Err(_) => day().map(|day| day.timestamp()).ok_or_else(|| {
            "write a day, or a time with its zone: 2026-11-21, 2026-11-21T06:20:00Z".to_owned()
        }),
    }
}

/// Parses a charset label of the Encoding Standard.
pub(crate) fn charset(label: &str) -> Result<String, String> {
    let known =
        encoding_rs::Encoding::for_label(label.as_bytes()).is_some() || label.eq_ignore_ascii_case("latin-1");
    if known {
        Ok(label.to_owned())
    } else {
        Err("unknown charset; examples are utf-8, iso-8859-1, windows-1251, shift_jis".to_owned())
    }
}

/// Parses an `http` or `https` URL.
pub(crate) fn web_url(text: &str) -> Result<url::Url, UrlProblem> {
    comity_answers::url::parse(text.as_bytes())
}

/// Parses a text that is not blank.
pub(crate) fn not_empty(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("the value is empty".to_owned()) } else { Ok(text.to_owned()) }
}

/// Parses the value of `--agent` in commands that also define `--user-agent`: a product token, or `*` for crawlers
/// without a group.
pub(crate) fn question_agent(name: &str) -> Result<String, String> {
    Agent::token(name).map(|_| name.to_owned()).map_err(|error| with_header_hint(&error))
}

/// Returns the parser of crawlers by product token. Shells complete the well-known names of the catalogue; other names
/// are valid, too.
pub(crate) fn agent_parser() -> impl TypedValueParser<Value = String> {
    AgentNameParser(question_agent)
}

/// Returns the parser of product tokens for commands without `--user-agent`.
pub(crate) fn token_parser() -> impl TypedValueParser<Value = String> {
    AgentNameParser(token)
}

/// A parser of crawler names that offers the well-known names of the catalogue for completion.
#[derive(Clone)]
struct AgentNameParser(fn(&str) -> Result<String, String>);

impl TypedValueParser for AgentNameParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        TypedValueParser::parse_ref(&self.0, command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let well_known = comity::agents::all().iter().filter(|known| known.is_well_known());
        Some(Box::new(well_known.map(|known| PossibleValue::new(known.token()))))
    }
}

pub(crate) fn with_header_hint(error: &TokenError) -> String {
    format!("{}; use --user-agent for a whole User-Agent header", error.problem())
}

/// Parses a product token. The error demands the name alone, because the command does not define `--user-agent`.
pub(crate) fn token(name: &str) -> Result<String, String> {
    let way_out =
        |error: TokenError| format!("{}; write the name alone, such as ExampleBot", error.problem());
    name.parse::<ProductToken>().map(String::from).map_err(way_out)
}

pub(crate) fn strategy(name: &str) -> Result<Strategy, String> {
    name.parse::<Strategy>().map_err(|error| error.to_string())
}

/// Returns the parser of purposes, by name or common name (`ai_training`); clap lists and suggests them.
pub(crate) fn purpose_parser() -> impl TypedValueParser<Value = Purpose> {
    let value = |purpose: &Purpose| {
        let value = PossibleValue::new(purpose.as_str()).help(purpose.summary());
        match purpose {
            Purpose::Training => value.alias("ai_training"),
            _ => value,
        }
    };
    PossibleValuesParser::new(Purpose::ALL.iter().map(value))
        .try_map(|name| purpose(&name).ok_or("unknown purpose"))
}

/// Returns the purpose with this name.
pub(crate) fn purpose(name: &str) -> Option<Purpose> {
    let name = name.to_ascii_lowercase().replace('-', "_");
    let name = if name == "ai_training" { "training" } else { name.as_str() };
    Purpose::ALL.iter().copied().find(|purpose| purpose.as_str() == name)
}

/// Parses an origin: `https://example.com`, `https://example.com/page` or `example.com`.
#[cfg(feature = "live")]
pub(crate) fn origin(text: &str) -> Result<comity_client::Origin, UrlProblem> {
    let url = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    comity_answers::url::web_url(url.as_bytes()).map(|(_, origin)| origin)
}
