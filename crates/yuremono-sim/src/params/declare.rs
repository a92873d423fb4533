//! Macros that declare parameters. As in `flags/defs.rs` of ripgrep, one entry contains all data of a parameter.
//!
//! `params!` declares a table of entries and a constant for the ids of each entry. `fields!` declares a table of the
//! fields of a type, and accesses the fields by their position in the table. The doc comment of an entry is the
//! sentence in tooltips and in `yuremono params`. All values that an entry does not set come from the definition after
//! `..`.
//!
//! ```text
//! params! {
//!     /// Every parameter of the solver.
//!     pub const PARAMS;
//!
//!     /// Share of the speed lost in every step, 0 to 1.
//!     DRAG = "dragForce" "Drag" { default: 0.4, meaning: ParamMeaning::Drag, ..JOINT.fraction() }; // `ParamId`
//!     GRAVITY: Vector = "gravity" { ..FORCE } [                                           // `[ParamId; 3]`
//!         /// Pull to the side, in m/s².
//!         x "Gravity X" { mirror: MirrorRule::Negate },
//!         …
//!     ];
//! }
//! ```
//!
//! `Limits` has the values `active` (a switch), `min` and `max`. `[n]` declares an array of parameters with a common
//! definition and their own names; its doc comment describes the array. Without the head and the names of the
//! constants, `params!` is an expression that only returns the table.

use super::ParamDef;
use glam::Vec3;

/// Numbers that are accessed by their position in a table. `fields!` implements this trait.
pub trait ParamFields {
    /// Returns the number at a position in the table, or 0 after the last position.
    fn field(&self, at: usize) -> f32;
    /// Writes the number at a position. Ignores numbers that are irrelevant with the current values of the other
    /// numbers.
    fn set_field(&mut self, at: usize, value: f32);
    /// Whether a number is relevant with the current values of the other numbers.
    fn is_relevant(&self, at: usize) -> bool;
    /// Returns the definitions of the numbers.
    fn table(&self) -> &'static [ParamDef];

    /// Sets all numbers to their defaults.
    fn set_defaults(&mut self) {
        for (at, def) in self.table().iter().enumerate() {
            self.set_field(at, def.default);
        }
    }

    /// Whether every number is finite.
    fn is_finite(&self) -> bool {
        (0..self.table().len()).all(|at| self.field(at).is_finite())
    }
}

/// A field that consists of one or more numbers.
pub trait FieldValue {
    /// Returns the number at a position in the field.
    fn number_at(&self, part: usize) -> f32;
    /// Writes the number at a position in the field.
    fn set_number_at(&mut self, part: usize, value: f32);
    /// Whether a number is relevant with the current values of the other numbers.
    fn is_relevant(&self, _part: usize) -> bool {
        true
    }
}

impl FieldValue for f32 {
    fn number_at(&self, _: usize) -> f32 {
        *self
    }

    fn set_number_at(&mut self, _: usize, value: f32) {
        *self = value;
    }
}

impl FieldValue for bool {
    fn number_at(&self, _: usize) -> f32 {
        f32::from(u8::from(*self))
    }

    fn set_number_at(&mut self, _: usize, value: f32) {
        *self = value >= 0.5;
    }
}

impl FieldValue for Vec3 {
    fn number_at(&self, part: usize) -> f32 {
        self[part]
    }

    fn set_number_at(&mut self, part: usize, value: f32) {
        self[part] = value;
    }
}

/// Values below 0 mean `None`.
impl FieldValue for Option<f32> {
    fn number_at(&self, _: usize) -> f32 {
        self.unwrap_or(-1.0)
    }

    fn set_number_at(&mut self, _: usize, value: f32) {
        *self = (value >= 0.0).then_some(value);
    }
}

/// 0 means `None`, 1 means `false`, 2 means `true`.
impl FieldValue for Option<bool> {
    fn number_at(&self, _: usize) -> f32 {
        self.map_or(0.0, |yes| if yes { 2.0 } else { 1.0 })
    }

    fn set_number_at(&mut self, _: usize, value: f32) {
        *self = (value >= 0.5).then_some(value >= 1.5);
    }
}

/// Concatenates the definitions of all entries into a table of `N` definitions.
pub const fn concat_entries<const N: usize>(entries: &[&[ParamDef]]) -> [ParamDef; N] {
    let mut table = [ParamDef::PLAIN; N];
    let (mut at, mut count) = (0, 0);
    while at < entries.len() {
        let mut part = 0;
        while part < entries[at].len() {
            table[count] = entries[at][part];
            (count, part) = (count + 1, part + 1);
        }
        at += 1;
    }
    assert!(count == N, "the entries have N values");
    table
}

/// Declares a table of parameters, and a constant with the id or ids of each entry.
macro_rules! params {
    (
        $(#[$attribute:meta])* $visibility:vis const $TABLE:ident;
        $($(#[doc = $doc:literal])* $ROW:ident $(: $kind:tt)? = $($name:literal $($label:literal)?)?
            { $($field:ident: $value:expr,)* ..$base:expr } $([ $($part:tt)* ])?;)*
    ) => {
        /// Has one byte per parameter, so the offset of a field is the id of its first parameter.
        #[repr(C)]
        #[expect(non_snake_case, reason = "fields have the names of the constants")]
        struct Offsets {
            $($ROW: [u8; $crate::params::params!(@count $($kind)?)],)*
        }
        $($crate::params::params!(@count $ROW ($($kind)?) ($($name)?) ($($doc)*));)*
        $(#[$attribute])*
        $visibility const $TABLE: &[$crate::params::ParamDef] = &$crate::params::concat_entries::<{ size_of::<Offsets>() }>(&[
            $(&$crate::params::params!(
                @entry ($($kind)?) ($($name $($label)?)?) ($($doc)*)
                ($crate::params::ParamDef { $($field: $value,)* ..$base }) $($($part)*)?
            ),)*
        ]);
    };

    (@count) => { 1 };
    (@count Vector) => { 3 };
    (@count Limits) => { 3 };
    (@count [$count:literal]) => { $count };

    (@count $ROW:ident () ($name:literal) ($($doc:literal)*)) => {
        #[doc = concat!("`", $name, "`:", $($doc),*)]
        pub const $ROW: $crate::params::ParamId = $crate::params::ParamId(std::mem::offset_of!(Offsets, $ROW) as u16);
    };
    (@count $ROW:ident (Vector) ($name:literal) ()) => {
        #[doc = concat!("`", $name, "` x, y, z.")]
        pub const $ROW: [$crate::params::ParamId; 3] =
            $crate::params::ParamId(std::mem::offset_of!(Offsets, $ROW) as u16).consecutive();
    };
    (@count $ROW:ident (Limits) ($name:literal) ()) => {
        #[doc = concat!("`", $name, "`.")]
        pub const $ROW: $crate::params::LimitParams =
            $crate::params::LimitParams::from_first($crate::params::ParamId(std::mem::offset_of!(Offsets, $ROW) as u16));
    };
    (@count $ROW:ident ([$count:literal]) () ($($doc:literal)*)) => {
        $(#[doc = $doc])*
        pub const $ROW: [$crate::params::ParamId; $count] =
            $crate::params::ParamId(std::mem::offset_of!(Offsets, $ROW) as u16).consecutive();
    };

    (@entry () ($name:literal $label:literal) ($($doc:literal)*) ($base:expr)) => {
        [$crate::params::params!(@part ($name, "", Single) $label ($($doc)*) ($base))]
    };
    (@entry ([$count:literal]) () ($($of_all:literal)*) ($base:expr)
        $($(#[doc = $doc:literal])* $name:literal $label:literal $({ $($field:ident: $value:expr),* })?,)*
    ) => {
        [$($crate::params::params!(@part ($name, "", Single) $label ($($doc)*) ($base) $($($field: $value),*)?),)*]
    };
    (@entry ($kind:ident) ($name:literal) () ($base:expr)
        $($(#[doc = $doc:literal])* $part:ident $label:literal $({ $($field:ident: $value:expr),* })?,)*
    ) => {
        [$($crate::params::params!(@$part $name $label ($($doc)*) ($base) $($($field: $value),*)?),)*]
    };
    (@x $name:literal $($rest:tt)*) => { $crate::params::params!(@part ($name, " x", Axis(0)) $($rest)*) };
    (@y $name:literal $($rest:tt)*) => { $crate::params::params!(@part ($name, " y", Axis(1)) $($rest)*) };
    (@z $name:literal $($rest:tt)*) => { $crate::params::params!(@part ($name, " z", Axis(2)) $($rest)*) };
    (@active $name:literal $label:literal ($($doc:literal)*) ($base:expr)) => {
        $crate::params::params!(@part ($name, ".active", Active) $label ($($doc)*) ($base.toggle()) curve: false)
    };
    (@min $name:literal $($rest:tt)*) => { $crate::params::params!(@part ($name, ".min", Min) $($rest)*) };
    (@max $name:literal $($rest:tt)*) => { $crate::params::params!(@part ($name, ".max", Max) $($rest)*) };

    (@part ($name:literal, $ending:literal, $($part:tt)*) $label:literal ($($doc:literal)*) ($base:expr)
        $($field:ident: $value:expr),*
    ) => {
        $crate::params::ParamDef {
            name: concat!($name, $ending),
            entry_name: $name,
            role: $crate::params::EntryRole::$($part)*,
            label: $label,
            doc: concat!($($doc),*).trim_ascii_start(),
            $($field: $value,)*
            ..$base
        }
    };

    // The form without constants: an expression that returns only the table.
    ($($(#[doc = $doc:literal])* $($kind:ident)? $name:literal $($label:literal)?
        { $($field:ident: $value:expr,)* ..$base:expr } $([ $($part:tt)* ])?;)*
    ) => {
        &$crate::params::concat_entries::<{ 0 $(+ $crate::params::params!(@count $($kind)?))* }>(&[
            $(&$crate::params::params!(
                @entry ($($kind)?) ($name $($label)?) ($($doc)*)
                ($crate::params::ParamDef { $($field: $value,)* ..$base }) $($($part)*)?
            ),)*
        ])
    };
}
pub(crate) use params;

/// Declares the table of a type's fields and implements `ParamFields`. `owner` is the component that the translations
/// belong to, and `[N]` names the type parameter of the type. `field + n` is number `n` of a field that consists of several numbers.
macro_rules! fields {
    (
        $(#[$attribute:meta])* $visibility:vis const $TABLE:ident $([$N:ident])? of $Type:ty, $owner:literal;
        $($(#[doc = $doc:literal])* $field:ident $(+ $place:literal)? $(: $kind:ident)? = $name:literal $($label:literal)?
            { $($set:ident: $value:expr,)* ..$base:expr } $([ $($part:tt)* ])?;)*
    ) => {
        $(#[$attribute])*
        $visibility const $TABLE: &[$crate::params::ParamDef] = $crate::params::params!(
            $($(#[doc = $doc])* $($kind)? $name $($label)?
                { owner: $owner, $($set: $value,)* ..$base } $([ $($part)* ])?;)*
        );

        impl$(<$N>)? $crate::params::ParamFields for $Type {
            fn table(&self) -> &'static [$crate::params::ParamDef] {
                $TABLE
            }

            fn field(&self, at: usize) -> f32 {
                $(let Some(at) = at.checked_sub($crate::params::params!(@count $($kind)?)) else {
                    return $crate::params::FieldValue::number_at(&self.$field, at $(+ $place)?);
                };)*
                let _ = at;
                0.0
            }

            fn set_field(&mut self, at: usize, value: f32) {
                $(let Some(at) = at.checked_sub($crate::params::params!(@count $($kind)?)) else {
                    return $crate::params::FieldValue::set_number_at(&mut self.$field, at $(+ $place)?, value);
                };)*
                let _ = at;
            }

            fn is_relevant(&self, at: usize) -> bool {
                $(let Some(at) = at.checked_sub($crate::params::params!(@count $($kind)?)) else {
                    return $crate::params::FieldValue::is_relevant(&self.$field, at $(+ $place)?);
                };)*
                let _ = at;
                false
            }
        }
    };
}
pub(crate) use fields;
