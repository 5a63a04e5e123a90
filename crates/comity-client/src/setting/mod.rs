//! The description of settings: names, types, defaults and one sentence each. All of it is declared in one place.
//!
//! The macro `section!` defines the option struct of a section, next to the code that uses the options. For example,
//! `pace/options.rs` defines `[pace]`. The macro also defines a [`Setting`] for each field. The keys of files, flags,
//! environment variables, documentation and keyword arguments of Python are generated from these descriptions.
//!
//! | file | content |
//! |---|---|
//! | `section.rs` | the macro, and [`Setting`] |
//! | `value.rs` | how each type of value is written |
//! | `text.rs` | networks, ports and name servers |

pub(crate) mod section;
pub(crate) mod text;
pub(crate) mod value;

pub use section::Setting;
pub use text::{Nameserver, Network, PortRange};
pub use value::{ValueForm, ValueKind};

/// The error for an invalid value of a setting. `Display` describes the valid values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ValueError {
    message: String,
}

impl ValueError {
    pub(crate) fn new(message: String) -> Self {
        ValueError { message }
    }
}
