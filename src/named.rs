//! Enums whose values have names: each name stands beside its value, in one table.

/// Makes an enum with a list of all its values and their names.
///
/// ```text
/// named! {
///     /// How bad a failure is.
///     pub enum Severity {
///         /// A harmless line that looks like a failure.
///         Note = "note",
///     }
/// }
/// ```
macro_rules! named {
    (
        $(#[$about:meta])*
        pub enum $of:ident {
            $($(#[$value_about:meta])* $value:ident = $name:literal,)*
        }
    ) => {
        $(#[$about])*
        pub enum $of {
            $($(#[$value_about])* $value,)*
        }

        impl $of {
            /// All values.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$value),*];

            /// Returns its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)*
                }
            }
        }
    };
}

pub(crate) use named;
