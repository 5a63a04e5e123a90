//! Output formats of all commands: `--format`, and its short form `--json`.

use std::marker::PhantomData;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

/// An output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    /// Text for people.
    #[default]
    Text,
    /// JSON: one object per line, or one object for a document.
    Json,
    /// Comma-separated values with a header.
    Csv,
    /// A self-contained HTML page.
    Html,
    /// Annotations for GitHub Actions.
    Github,
    /// SARIF 2.1.0.
    Sarif,
    /// JUnit's XML.
    Junit,
    /// Metrics in the text format of Prometheus.
    #[cfg(feature = "jobs")]
    Prometheus,
}

impl Format {
    const fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Json => "json",
            Format::Csv => "csv",
            Format::Html => "html",
            Format::Github => "github",
            Format::Sarif => "sarif",
            Format::Junit => "junit",
            #[cfg(feature = "jobs")]
            Format::Prometheus => "prometheus",
        }
    }

    const fn summary(self) -> &'static str {
        match self {
            Format::Text => "for people",
            Format::Json => "for programs: one object per line, or one object for a document",
            Format::Csv => "for spreadsheets: comma-separated values with a header",
            Format::Html => "a self-contained page",
            Format::Github => "annotations for GitHub Actions",
            Format::Sarif => "SARIF 2.1.0, for code scanning",
            Format::Junit => "JUnit's XML, for test reports",
            #[cfg(feature = "jobs")]
            Format::Prometheus => "metrics in the text format of Prometheus",
        }
    }
}

/// The output formats that a command supports.
pub(crate) trait Formats {
    const ALL: &'static [Format];
}

macro_rules! formats {
    ($($(#[doc = $about:literal])* $(#[cfg($present:meta)])? $name:ident: $($format:ident),+;)+) => {$(
        $(#[doc = $about])*
        $(#[cfg($present)])?
        #[derive(Debug)]
        pub(crate) struct $name;

        $(#[cfg($present)])?
        impl Formats for $name {
            const ALL: &'static [Format] = &[$(Format::$format),+];
        }
    )+};
}

formats! {
    /// Formats of commands without special formats.
    Plain: Text, Json;
    /// Formats of commands that print rows.
    Tabular: Text, Json, Csv;
    /// Formats of commands that print findings or results of tests.
    Reports: Text, Json, Github, Sarif, Junit;
    /// Formats of commands that print counts.
    #[cfg(feature = "jobs")]
    Metrics: Text, Json, Csv, Html, Prometheus;
    /// Formats of commands whose table can be published as a web page.
    Page: Text, Json, Csv, Html;
}

/// The arguments `--format` and `--json`.
#[derive(Debug)]
pub(crate) struct FormatArgs<F> {
    format: Format,
    formats: PhantomData<F>,
}

impl<F> FormatArgs<F> {
    /// Returns the selected format.
    pub(crate) fn get(&self) -> Format {
        self.format
    }

    /// Returns JSON if it was selected, and text otherwise.
    pub(crate) fn text_or_json(&self) -> Format {
        if self.is_json() { Format::Json } else { Format::Text }
    }

    /// Returns true if JSON was selected.
    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }
}

impl<F: Formats> Args for FormatArgs<F> {
    fn augment_args(command: Command) -> Command {
        let value = |format: &Format| PossibleValue::new(format.name()).help(format.summary());
        let names: Vec<&str> = F::ALL.iter().map(|format| format.name()).collect();
        let format = Arg::new("format")
            .long("format")
            .short('f')
            .value_name("FORMAT")
            .ignore_case(true)
            .value_parser(PossibleValuesParser::new(F::ALL.iter().map(value)))
            .hide_possible_values(true)
            .help(format!("Print in this format: {} [default: text]", names.join(", ")));
        let json = Arg::new("json")
            .long("json")
            .action(ArgAction::SetTrue)
            .conflicts_with("format")
            .help("Short for `--format json`");
        command.arg(format).arg(json)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<F: Formats> FromArgMatches for FormatArgs<F> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let named = matches.get_one::<String>("format");
        let format = match named {
            _ if matches.get_flag("json") => Format::Json,
            Some(name) => F::ALL
                .iter()
                .copied()
                .find(|format| format.name().eq_ignore_ascii_case(name))
                .unwrap_or_default(),
            None => Format::Text,
        };
        Ok(FormatArgs { format, formats: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
