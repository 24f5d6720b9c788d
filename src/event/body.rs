//! The declaration of event bodies, from which reading and writing follow.
//!
//! Each field has one of three modes: `required` must be present, `defaulted` may be missing on reading and is always
//! written, `optional` may be missing or `null` and is written only if it has a value. The fields are written in the
//! order of the declaration.

use crate::json::{Object, ObjectWriter};

/// A kind as it is declared. The TypeScript types of events are generated from this: see `tests/generated`.
#[derive(Debug)]
pub struct Declaration {
    /// The class name in the SDK, which is the value of the field `kind`.
    pub name: &'static str,
    /// The documentation comment.
    pub doc: &'static str,
    /// The fields, in the order of the JSON.
    pub fields: &'static [Field],
}

/// A field as it is declared.
#[derive(Debug)]
pub struct Field {
    /// The name in JSON.
    pub name: &'static str,
    /// The documentation comment.
    pub doc: &'static str,
    /// The type as Rust spells it; a type alias keeps its name, and can say more than the type does.
    pub rust_type: &'static str,
    /// Whether the field is written only if there is a value.
    pub is_optional: bool,
}

/// The body of one kind: read from and written to the fields of its event.
pub trait EventBody: Sized {
    /// The class name in the SDK, which is the value of the field `kind`.
    const KIND: &'static str = Self::DECLARATION.name;

    /// The declaration.
    const DECLARATION: Declaration;

    /// The body in these fields; `None` if the SDK would not accept them.
    fn read(fields: &Object<'_>) -> Option<Self>;

    /// Writes the fields.
    fn write(&self, out: &mut ObjectWriter);
}

/// Declares the body of one kind: the struct, and [`EventBody`] for it.
macro_rules! event_body {
    (
        $(#[doc = $doc:literal])*
        $name:ident { $(
            $(#[doc = $field_doc:literal])*
            $mode:ident $field:ident: $type:ty $(= $default:expr)?,
        )* }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $( $(#[doc = $field_doc])* pub $field: event_body!(@type $mode $type), )* }

        impl $crate::event::body::EventBody for $name {
            const DECLARATION: $crate::event::body::Declaration = $crate::event::body::Declaration {
                name: stringify!($name),
                doc: concat!($($doc, "\n",)*),
                fields: &[$( $crate::event::body::Field {
                    name: stringify!($field),
                    doc: concat!($($field_doc, "\n",)*),
                    rust_type: stringify!($type),
                    is_optional: event_body!(@is_optional $mode),
                }, )*],
            };

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
    (@is_optional optional) => { true };
    (@is_optional $mode:ident) => { false };
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
