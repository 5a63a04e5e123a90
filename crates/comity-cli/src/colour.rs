//! Decides whether output has colour.

use std::ffi::OsString;

use clap::ValueEnum;

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Colour {
    /// Returns `Always` for `Auto` if the environment sets `FORCE_COLOR`. `NO_COLOR` has precedence.
    pub(crate) fn or_forced(self) -> Colour {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
        if self == Colour::Auto && is_set("FORCE_COLOR") && !is_set("NO_COLOR") {
            Colour::Always
        } else {
            self
        }
    }

    /// Returns the choice for clap's own messages.
    pub(crate) fn for_clap(self) -> clap::ColorChoice {
        match self {
            Colour::Auto => clap::ColorChoice::Auto,
            Colour::Always => clap::ColorChoice::Always,
            Colour::Never => clap::ColorChoice::Never,
        }
    }

    /// Returns the choice for the streams of the command.
    pub(crate) fn for_stream(self) -> anstream::ColorChoice {
        match self {
            Colour::Auto => anstream::ColorChoice::Auto,
            Colour::Always => anstream::ColorChoice::Always,
            Colour::Never => anstream::ColorChoice::Never,
        }
    }
}

/// Finds the value of `--color` before parsing, since help and usage errors are printed before parsing is over.
pub(crate) fn before_parsing(args: impl Iterator<Item = OsString>) -> Colour {
    let mut colour = Colour::Auto;
    let mut is_value = false;
    for arg in args.take_while(|arg| arg != "--") {
        let arg = arg.to_string_lossy();
        let value = if is_value { Some(&*arg) } else { arg.strip_prefix("--color=") };
        is_value = arg == "--color";
        if let Some(Ok(value)) = value.map(|value| Colour::from_str(value, true)) {
            colour = value;
        }
    }
    colour
}
