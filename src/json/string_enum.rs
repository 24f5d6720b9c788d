//! Enums that are written as one of a fixed set of strings in JSON.

/// Declares the word of each variant: `as_str`, and reading and writing.
macro_rules! string_enum {
    ($type:ident { $($variant:ident = $word:literal,)* }) => {
        impl $type {
            /// Every one there is.
            #[allow(dead_code, reason = "few are listed")]
            pub const ALL: &[Self] = &[$( Self::$variant, )*];

            /// As it is written.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $( Self::$variant => $word, )*
                }
            }
        }

        impl $crate::json::FromJson for $type {
            fn from_json(json: &str) -> Option<Self> {
                match String::from_json(json)?.as_str() {
                    $( $word => Some(Self::$variant), )*
                    _ => None,
                }
            }
        }

        impl $crate::json::ToJson for $type {
            fn write_json(&self, out: &mut String) {
                self.as_str().write_json(out);
            }
        }
    };
}
pub(crate) use string_enum;
