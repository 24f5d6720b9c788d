//! How a body is read from and written to the fields of its event, declared once per kind.
//!
//! A declaration names each field with one of three modes: `required` must be there, `defaulted` may be missing on
//! reading and is always written, `optional` may be missing or `null` and is written only if there is a value.
//! The order of the declaration is the order of the JSON.

use crate::json::{Object, ObjectWriter};

/// What the body of every kind can do.
pub trait EventBody: Sized {
    /// The class name in the SDK, which is the value of the field `kind`.
    const KIND: &'static str;

    /// The body in these fields, or `None` if the SDK would not accept them.
    fn read(fields: &Object<'_>) -> Option<Self>;

    /// Adds the fields.
    fn write(&self, out: &mut ObjectWriter);
}

/// Declares the body of one kind: the struct, and [`EventBody`] for it.
macro_rules! event_body {
    (
        $(#[$meta:meta])*
        $name:ident { $( $(#[$doc:meta])* $mode:ident $field:ident: $type:ty $(= $default:expr)?, )* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $( $(#[$doc])* pub $field: event_body!(@type $mode $type), )* }

        impl $crate::event::body::EventBody for $name {
            const KIND: &'static str = stringify!($name);

            #[allow(unused_variables, reason = "some kinds have no field of their own")]
            fn read(fields: &$crate::json::Object<'_>) -> Option<Self> {
                Some(Self { $( $field: event_body!(@read $mode fields $field $(= $default)?), )* })
            }

            #[allow(unused_variables, reason = "some kinds have no field of their own")]
            fn write(&self, out: &mut $crate::json::ObjectWriter) {
                $( event_body!(@write $mode out self $field); )*
            }
        }
    };
    (@type optional $type:ty) => { Option<$type> };
    (@type $mode:ident $type:ty) => { $type };
    (@read required $fields:ident $field:ident) => {
        $fields.required(stringify!($field))?
    };
    (@read defaulted $fields:ident $field:ident) => {
        $fields.defaulted(stringify!($field), Default::default)?
    };
    (@read defaulted $fields:ident $field:ident = $default:expr) => {
        $fields.defaulted(stringify!($field), || $default.into())?
    };
    (@read optional $fields:ident $field:ident) => {
        $fields.optional(stringify!($field))?
    };
    (@write optional $out:ident $self:ident $field:ident) => {
        $out.optional(stringify!($field), &$self.$field)
    };
    (@write $mode:ident $out:ident $self:ident $field:ident) => {
        $out.field(stringify!($field), &$self.$field)
    };
}
pub(super) use event_body;
