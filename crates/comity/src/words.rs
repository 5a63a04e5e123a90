//! Words: enumerations whose variants have the same name in JSON, on the command line, in Python and in tables.
//!
//! The `words!` macro declares such an enumeration, so that each name is written once. [`find`] looks up the variant
//! with a name, and [`UnknownName`] is the error for a name that does not exist.

use std::fmt;

/// The error for a name that does not exist, such as an unknown verdict, preset or mode.
///
/// ```
/// use comity::policy::Mode;
///
/// let error = "obey".parse::<Mode>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown mode `obey`; must be one of: respect, report_only, ignore");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    what: &'static str,
    name: String,
    known: Vec<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} `{}`; must be one of: {}", self.what, self.name, self.known.join(", "))
    }
}

impl std::error::Error for UnknownName {}

/// Returns the item of `all` that is called `name`. Case is ignored, and `-` is equivalent to `_`.
#[doc(hidden)]
pub fn find<T: Copy>(
    what: &'static str,
    all: &[T],
    name_of: fn(T) -> &'static str,
    name: &str,
) -> Result<T, UnknownName> {
    let plain = |name: &str| name.trim().replace('-', "_").to_ascii_lowercase();
    let wanted = plain(name);
    all.iter().copied().find(|item| plain(name_of(*item)) == wanted).ok_or_else(|| UnknownName {
        what,
        name: name.to_owned(),
        known: all.iter().copied().map(name_of).collect(),
    })
}

/// Declares an enumeration of words: the type, `ALL`, `as_str` and `Display`.
///
/// With a text after `as`, the type also implements `FromStr`, whose errors call the type by that text. Without `enum`,
/// the type is public and also has an order, serialization and JSON Schema. With labels after `=>`, it has the method
/// `label`, or the method that is named after `with`.
#[doc(hidden)]
#[macro_export]
macro_rules! words {
    ($(#[$about:meta])* $name:ident as $what:literal $(with $method:ident)? { $($(#[$doc:meta])* $variant:ident = $word:literal $(=> $label:literal)?,)* }) => {
        $crate::words! {
            $(#[$about])*
            #[derive(PartialOrd, Ord)]
            #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
            #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
            #[non_exhaustive]
            pub enum $name as $what $(with $method)? {
                $(
                    $(#[$doc])*
                    #[cfg_attr(feature = "serde", serde(rename = $word))]
                    $variant = $word $(=> $label)?,
                )*
            }
        }
    };
    ($(#[$about:meta])* $visible:vis enum $name:ident $(as $what:literal)? $(with $method:ident)? { $($(#[$doc:meta])* $variant:ident = $word:literal $(=> $label:literal)?,)* }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $(#[$about])*
        $visible enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// Every variant, in the order of the documentation.
            $visible const ALL: [$name; { let words: &[&str] = &[$($word),*]; words.len() }] = [$($name::$variant),*];

            /// Returns the name in JSON, in settings and on the command line.
            $visible const fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        $(
            /// Case is ignored, and `-` is equivalent to `_`.
            impl std::str::FromStr for $name {
                type Err = $crate::UnknownName;

                fn from_str(name: &str) -> Result<Self, Self::Err> {
                    $crate::find_word($what, &$name::ALL, $name::as_str, name)
                }
            }
        )?

        $crate::words!(@labels [$($method)?] $visible $name $($variant $($label)?,)*);
    };
    (@labels [] $visible:vis $name:ident $($variant:ident,)*) => {};
    (@labels [] $visible:vis $name:ident $($variant:ident $label:literal,)*) => {
        $crate::words!(@labels [label] $visible $name $($variant $label,)*);
    };
    (@labels [$method:ident] $visible:vis $name:ident $($variant:ident $label:literal,)*) => {
        impl $name {
            /// Returns the label for tables and messages.
            $visible const fn $method(self) -> &'static str {
                match self {
                    $($name::$variant => $label,)*
                }
            }
        }
    };
}

pub(crate) use words;

/// Defines setters for the public fields of an options struct. The struct is declared inside the macro, or named before
/// the fields. Each setter has the name of its field and returns the options, so that calls can be chained.
#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    ($(#[$meta:meta])* pub struct $options:ident { $($(#[$about:meta])* pub $field:ident: $type:ty,)+ }) => {
        $(#[$meta])*
        pub struct $options {
            $($(#[$about])* pub $field: $type,)+
        }

        $crate::setters!($options { $($field: $type),+ });
    };
    ($options:ident { $($(#[cfg($cfg:meta)])? $field:ident: $type:ty),+ $(,)? }) => {
        impl $options {
            $(
                $(#[cfg($cfg)])?
                #[doc = concat!("Returns the options with another value of [`", stringify!($field), "`](#structfield.", stringify!($field), ").")]
                #[must_use]
                pub fn $field(self, $field: $type) -> Self {
                    Self { $field, ..self }
                }
            )+
        }
    };
}
