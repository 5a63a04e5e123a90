//! Command-line flags for settings, generated from the list of settings. A setting that no flag sets gets its value
//! from the environment, a settings file or the defaults: see [`settings`](crate::settings).

use std::marker::PhantomData;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueHint};
use comity::robots::ProductToken;
use comity_client::settings::{Setting, Settings, ValueKind};
use toml::Value;

use super::FilesArgs;
use super::values::with_header_hint;
use crate::settings::{Override, values};

/// A group of flags that several commands have.
pub(crate) trait Flags {
    /// Returns true if the flag of the setting with this path belongs to the group.
    fn has(path: &str) -> bool;
}

/// Flags of every command that contacts sites.
#[derive(Debug)]
pub(crate) struct NetworkFlags;

/// Flags of commands that request only robots.txt and define their own preset option.
#[cfg(feature = "jobs")]
#[derive(Debug)]
pub(crate) struct RobotsRequestFlags;

/// Flags for the product token and the User-Agent header of the crawler.
#[derive(Debug)]
pub(crate) struct IdentityFlags;

/// Flags about pages and concurrent fetches.
#[derive(Debug)]
pub(crate) struct PageFlags;

/// Flags of commands that use only the store.
#[derive(Debug)]
pub(crate) struct StoreFlags;

impl Flags for NetworkFlags {
    fn has(path: &str) -> bool {
        !IdentityFlags::has(path) && !PageFlags::has(path)
    }
}

#[cfg(feature = "jobs")]
impl Flags for RobotsRequestFlags {
    fn has(path: &str) -> bool {
        NetworkFlags::has(path) && !matches!(path, "robots.preset" | "robots.mode")
    }
}

impl Flags for IdentityFlags {
    fn has(path: &str) -> bool {
        matches!(path, "agent.token" | "agent.user_agent")
    }
}

impl Flags for PageFlags {
    fn has(path: &str) -> bool {
        matches!(path, "fetch.llms" | "fetch.content_type" | "fetch.max_bytes") || path.starts_with("crawl.")
    }
}

impl Flags for StoreFlags {
    fn has(path: &str) -> bool {
        matches!(path, "store.location" | "store.ca" | "store.cert" | "store.key" | "robots.preset")
    }
}

/// The flags of a group, and their values.
#[derive(Debug)]
pub(crate) struct SettingArgs<F> {
    given: Vec<Override>,
    flags: PhantomData<F>,
}

impl<F: Flags> SettingArgs<F> {
    fn settings() -> impl Iterator<Item = (&'static Setting, &'static str)> {
        let with_flags = Settings::all().filter_map(|setting| Some((setting, setting.flag?)));
        with_flags.filter(|(setting, _)| F::has(&setting.path()))
    }

    /// Returns the values of the flags.
    pub(crate) fn overrides(&self) -> Vec<Override> {
        self.given.clone()
    }
}

impl<F: Flags> Args for SettingArgs<F> {
    fn augment_args(command: Command) -> Command {
        Self::settings().fold(command, |command, (setting, flag)| command.arg(arg(setting, flag)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<F: Flags> FromArgMatches for SettingArgs<F> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = Vec::new();
        for (setting, flag) in Self::settings() {
            let value = match setting.form.kind {
                ValueKind::Switch => matches.get_flag(flag).then_some(Value::Boolean(true)),
                _ if setting.form.is_list => {
                    let values = matches.get_many::<Value>(flag);
                    values.map(|values| Value::Array(values.cloned().collect()))
                }
                _ => matches.get_one::<Value>(flag).cloned(),
            };
            given.extend(value.map(|value| (setting, value)));
        }
        Ok(SettingArgs { given, flags: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Returns the flag of a setting.
fn arg(setting: &'static Setting, flag: &'static str) -> Arg {
    let path = setting.path();
    let arg = Arg::new(flag).long(flag).help(help(setting, &path));
    let arg = match path.as_str() {
        "agent.token" => arg.short('a'),
        "crawl.jobs" => arg.short('j'),
        // These two affect every decision, so help lists them with the command's own options.
        "robots.preset" => arg.short('p').help_heading(None::<&str>),
        "robots.mode" => arg.help_heading(None::<&str>),
        _ => arg,
    };
    if matches!(setting.form.kind, ValueKind::Switch) {
        return arg.action(ArgAction::SetTrue);
    }
    let word = setting.word.unwrap_or(match setting.form.kind {
        ValueKind::Text { word, .. } | ValueKind::Choice { word, .. } => word,
        ValueKind::Seconds => "TIME",
        _ => "NUMBER",
    });
    let hint = match word {
        "FILE" => ValueHint::FilePath,
        "STORE" => ValueHint::AnyPath,
        "HOST" => ValueHint::Hostname,
        "URL" => ValueHint::Url,
        _ => ValueHint::Unknown,
    };
    let are_named = |names: Vec<&str>| names.iter().all(|name| setting.sentence().contains(name));
    let arg = match setting.form.kind {
        ValueKind::Choice { names, .. } => arg.hide_possible_values(are_named(names())).ignore_case(true),
        _ => arg,
    };
    let action = if setting.form.is_list { ArgAction::Append } else { ArgAction::Set };
    arg.value_name(word).value_hint(hint).action(action).value_parser(parser(setting))
}

/// Returns the help of a flag: the sentence about its setting, and the default.
fn help(setting: &Setting, path: &str) -> String {
    let sentence = setting.sentence();
    let (sentence, unset) = match sentence.split_once("; unset: ") {
        Some((sentence, unset)) => (sentence, Some(unset.to_owned())),
        None => (sentence.as_str(), None),
    };
    let default = match path {
        "store.location" => Some("a file in the user's cache folder, shared by all runs".to_owned()),
        _ => unset.or_else(|| values::default_of(setting).as_ref().and_then(values::shown)),
    };
    let repeated = if setting.form.is_list { "; may be repeated" } else { "" };
    let default = default.map(|default| format!(" [default: {default}]")).unwrap_or_default();
    format!("{sentence}{repeated}{default}")
}

/// Returns the parser of a flag's value.
fn parser(setting: &'static Setting) -> ValueParser {
    if let ValueKind::Choice { names, .. } = setting.form.kind {
        let values = names().into_iter().map(|name| PossibleValue::new(name).alias(name.replace('_', "-")));
        let parser = PossibleValuesParser::new(values.collect::<Vec<_>>());
        return ValueParser::new(
            parser.try_map(move |name| values::read_one(setting, &name.replace('-', "_"))),
        );
    }
    if setting.path() == "agent.token" {
        return ValueParser::new(token_or_header);
    }
    ValueParser::new(move |text: &str| values::read_one(setting, text))
}

/// Parses a product token. The error mentions `--user-agent`, for users who pass a whole User-Agent header.
fn token_or_header(name: &str) -> Result<Value, String> {
    let token = name.parse::<ProductToken>().map_err(|error| with_header_hint(&error))?;
    Ok(Value::String(token.into()))
}

/// Options about the network, politeness and settings files.
#[derive(Debug, Args)]
#[command(next_help_heading = super::NETWORK)]
pub(crate) struct NetworkArgs {
    #[command(flatten)]
    settings: SettingArgs<NetworkFlags>,

    #[command(flatten)]
    pub(crate) files: FilesArgs,
}

impl NetworkArgs {
    /// Returns the values of the flags.
    pub(crate) fn overrides(&self) -> Vec<Override> {
        self.settings.overrides()
    }
}

/// Network options of commands that request only robots.txt and define their own preset option.
#[cfg(feature = "jobs")]
#[derive(Debug, Args)]
#[command(next_help_heading = super::NETWORK)]
pub(crate) struct RobotsRequestArgs {
    #[command(flatten)]
    settings: SettingArgs<RobotsRequestFlags>,

    #[command(flatten)]
    pub(crate) files: FilesArgs,
}

#[cfg(feature = "jobs")]
impl RobotsRequestArgs {
    /// Returns the values of the flags.
    pub(crate) fn overrides(&self) -> Vec<Override> {
        self.settings.overrides()
    }
}
