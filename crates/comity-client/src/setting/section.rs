//! Sections of settings: the struct that the client takes, and a row for each setting.

use super::value::ValueForm;

/// A setting: its names, the form of its value, and a sentence about it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Setting {
    /// The section of `comity.toml`: `pace`.
    pub section: &'static str,
    /// The key in its section: `min_interval_seconds`.
    pub key: &'static str,
    /// The flag of the command, without its dashes, if there is one: `min-interval`.
    pub flag: Option<&'static str>,
    /// A placeholder for the value in help. `None` selects the placeholder of the [form](Setting::form).
    pub word: Option<&'static str>,
    /// The form of its value.
    pub form: ValueForm,
    pub(crate) doc: &'static [&'static str],
}

impl Setting {
    /// Returns section and key: `pace.min_interval_seconds`.
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.key)
    }

    /// Returns the environment variable of the command: `COMITY_` and the name of the flag, or of section and key for a
    /// setting without a flag, in upper case. [`long_variable`](Setting::long_variable) is another name for it.
    ///
    /// ```
    /// use comity_client::settings::Settings;
    ///
    /// let variable = |path: &str| Settings::setting(path).map(|setting| setting.variable());
    /// assert_eq!(variable("fetch.timeout_seconds").as_deref(), Some("COMITY_TIMEOUT"));
    /// assert_eq!(variable("pace.concurrency").as_deref(), Some("COMITY_PACE_CONCURRENCY"));
    /// ```
    pub fn variable(&self) -> String {
        variable_of(self.flag.unwrap_or(&self.path()))
    }

    /// Returns the environment variable by section and key, which every setting has: `COMITY_GUARD_ALLOW_PORT`. It
    /// applies if [`variable`](Setting::variable) is not set.
    pub fn long_variable(&self) -> String {
        variable_of(&self.path())
    }

    /// Returns the keyword of Python's clients, if there is one: the flag, with underscores.
    pub fn keyword(&self) -> Option<String> {
        self.flag.map(|flag| flag.replace('-', "_"))
    }

    /// Returns the sentence about the setting, without its period: the first paragraph of the field's documentation.
    pub fn sentence(&self) -> String {
        let lines = self.doc.iter().map(|line| line.trim()).take_while(|line| !line.is_empty());
        let paragraph = lines.collect::<Vec<_>>().join(" ");
        paragraph.strip_suffix('.').unwrap_or(&paragraph).to_owned()
    }
}

/// Returns the environment variable of a name.
fn variable_of(name: &str) -> String {
    format!("COMITY_{}", name.replace(['-', '.'], "_").to_ascii_uppercase())
}

/// Defines the struct of a section. Each field has documentation, a type, a default, a key, and perhaps a flag. Lists
/// of settings describe a setting by the first paragraph of its documentation.
///
/// The struct reads and writes the section with `serde`, has a chainable setter for each field, and never prints a
/// password.
macro_rules! section {
    (
        $(#[$meta:meta])*
        pub struct $name:ident = $section:literal {
            $(
                $(#[doc = $doc:literal])*
                $field:ident: $type:ty = $default:expr, $key:literal $(, flag $flag:literal $($word:literal)?)?;
            )+
            $(@not_written
                $(
                    $(#[doc = $other_doc:literal])*
                    $other:ident: $other_type:ty,
                )+
            )?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, serde::Deserialize, serde::Serialize)]
        #[serde(default, deny_unknown_fields)]
        #[non_exhaustive]
        pub struct $name {
            $(
                $(#[doc = $doc])*
                #[doc = concat!("\n\nIn a file: `", $section, ".", $key, "`. Default: `", stringify!($default), "`.")]
                #[serde(rename = $key, with = "crate::setting::value")]
                pub $field: $type,
            )+
            $($(
                $(#[doc = $other_doc])*
                #[serde(skip)]
                pub $other: $other_type,
            )+)?
        }

        crate::setters::setters!($name { $($field: $type,)+ $($($other: $other_type,)+)? });

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)+ $($($other: Default::default(),)+)? }
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name))
                    $(.field(stringify!($field), &crate::setting::value::ShowValue(&self.$field)))+
                    .finish_non_exhaustive()
            }
        }

        impl $name {
            pub(crate) const SETTINGS: &'static [crate::setting::Setting] = &[$(crate::setting::Setting {
                section: $section,
                key: $key,
                flag: crate::setting::section::first!($($flag)?),
                word: crate::setting::section::first!($($($word)?)?),
                form: <$type as crate::setting::value::SettingValue>::FORM,
                doc: &[$($doc),*],
            },)+];
        }
    };
}

/// Returns the literal, if there is one.
macro_rules! first {
    () => {
        None
    };
    ($literal:literal) => {
        Some($literal)
    };
}

pub(crate) use {first, section};
