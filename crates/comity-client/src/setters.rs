//! Options are set one after the other: each public field of a struct of options has a method of its name.

/// Writes the methods for fields that take any value of their type.
macro_rules! setters {
    ($options:ident { $($field:ident: $type:ty),+ $(,)? }) => {
        impl $options {
            $(
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
