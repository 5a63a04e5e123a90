//! Sections of settings. A macro defines the option struct of a section, and a [`Setting`] for each field.

use super::value::ValueForm;

/// The description of a setting: its names, the form of its value, and one sentence.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Setting {
    /// The section in `comity.toml`, such as `pace`.
    pub section: &'static str,
    /// The key in the section, such as `min_interval_seconds`.
    pub key: &'static str,
    /// The flag of the command without dashes, such as `min-interval`; `None` if the setting has no flag.
    pub flag: Option<&'static str>,
    /// The placeholder for the value in help texts. If it is `None`, the placeholder of the [form](Setting::form) is
    /// used.
    pub word: Option<&'static str>,
    /// The form of the value.
    pub form: ValueForm,
    pub(crate) doc: &'static [&'static str],
}

impl Setting {
    /// Returns the section and the key, such as `pace.min_interval_seconds`.
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.key)
    }

    /// Returns the environment variable of the setting: `COMITY_` and the name of the flag in upper case. If the
    /// setting has no flag, section and key are used instead. [`long_variable`](Setting::long_variable) returns a
    /// second variable of the setting.
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

    /// Returns the environment variable with section and key, such as `COMITY_GUARD_ALLOW_PORT`. Every setting has one.
    /// It is used if the environment does not contain [`variable`](Setting::variable).
    pub fn long_variable(&self) -> String {
        variable_of(&self.path())
    }

    /// Returns the keyword argument of the Python clients: the flag with underscores. Returns `None` if the setting has
    /// no flag.
    pub fn keyword(&self) -> Option<String> {
        self.flag.map(|flag| flag.replace('-', "_"))
    }

    /// Returns the sentence that describes the setting, without its period. It is the first paragraph of the field's
    /// documentation.
    pub fn sentence(&self) -> String {
        let lines = self.doc.iter().map(|line| line.trim()).take_while(|line| !line.is_empty());
        let paragraph = lines.collect::<Vec<_>>().join(" ");
        paragraph.strip_suffix('.').unwrap_or(&paragraph).to_owned()
    }
}

/// Converts the name of a setting into an environment variable.
fn variable_of(name: &str) -> String {
    format!("COMITY_{}", name.replace(['-', '.'], "_").to_ascii_uppercase())
}

/// Defines the option struct of a section. Each field has documentation, a type, a default, a key, and optionally a
/// flag. The first paragraph of the documentation also describes the setting in help texts and lists. A field of an
/// optional feature has a `cfg` after its documentation.
///
/// The struct is read and written with `serde`, and has a chainable setter for each field. Its `Debug` output contains
/// no passwords.
macro_rules! section {
    (
        $(#[$meta:meta])*
        pub struct $name:ident = $section:literal {
            $(
                $(#[doc = $doc:literal])*
                $(#[cfg($cfg:meta)])?
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
                $(#[cfg($cfg)])?
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

        comity::setters!($name { $($(#[cfg($cfg)])? $field: $type,)+ $($($other: $other_type,)+)? });

        impl Default for $name {
            fn default() -> Self {
                $name { $($(#[cfg($cfg)])? $field: $default,)+ $($($other: Default::default(),)+)? }
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut shown = f.debug_struct(stringify!($name));
                $($(#[cfg($cfg)])? shown.field(stringify!($field), &crate::setting::value::ShowValue(&self.$field));)+
                shown.finish_non_exhaustive()
            }
        }

        impl $name {
            pub(crate) const SETTINGS: &'static [crate::setting::Setting] = &[$($(#[cfg($cfg)])? crate::setting::Setting {
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
