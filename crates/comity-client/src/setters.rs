//! A macro for the setters of option structs. Each public field gets a method with its name. The method returns the
//! options, so calls can be chained.

/// Defines a setter for each field.
macro_rules! setters {
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

pub(crate) use setters;
