//! The description of a setting: its names, type, default and sentence, declared once.
//!
//! `section!` defines the struct of a section, next to the code that uses it: `pace/options.rs` has `[pace]`. The
//! client takes these structs. Files, flags, environment variables, documentation and Python's keywords are generated
//! from the rows that `section!` also defines.
//!
//! | file | holds |
//! |---|---|
//! | `section.rs` | the macro, and [`Setting`], a row |
//! | `value.rs` | the form of each type of value |
//! | `text.rs` | networks, ports and name servers |

pub(crate) mod section;
pub(crate) mod text;
pub(crate) mod value;

pub use section::Setting;
pub use text::{Nameserver, Network, PortRange};
pub use value::{ValueForm, ValueKind};

/// The error for text that is not a value of its setting. `Display` describes the valid values.
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
