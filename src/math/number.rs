//! Numbers in JSON, which cannot write infinity as a number.

use glam::{Quat, Vec3};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, Unexpected, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// A number that may be infinite: `"Infinity"` or `"-Infinity"` in JSON. NaN is written as text and refused by readers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Number(pub f32);

impl JsonSchema for Number {
    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number, or an infinite one as text.",
            "anyOf": [{ "type": "number" }, { "enum": ["Infinity", "-Infinity"] }],
        })
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            // Through a JSON value, an f32 would become 0.05000000074505806: its shortest decimal is meant.
            serializer.serialize_f64(self.0.to_string().parse().expect("a finite number is written as one"))
        } else if self.0.is_nan() {
            serializer.serialize_str("NaN")
        } else {
            serializer.serialize_str(if self.0 > 0.0 { "Infinity" } else { "-Infinity" })
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneNumber;

        impl Visitor<'_> for OneNumber {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, \"Infinity\" or \"-Infinity\"")
            }

            fn visit_f64<E: Error>(self, v: f64) -> Result<Number, E> {
                let number = Some(v as f32).filter(|n| n.is_finite());
                number.map(Number).ok_or_else(|| E::invalid_value(Unexpected::Float(v), &self))
            }

            fn visit_i64<E: Error>(self, v: i64) -> Result<Number, E> {
                Ok(Number(v as f32))
            }

            fn visit_u64<E: Error>(self, v: u64) -> Result<Number, E> {
                Ok(Number(v as f32))
            }

            fn visit_str<E: Error>(self, v: &str) -> Result<Number, E> {
                match v {
                    "Infinity" => Ok(Number(f32::INFINITY)),
                    "-Infinity" => Ok(Number(f32::NEG_INFINITY)),
                    _ => Err(E::invalid_value(Unexpected::Str(v), &self)),
                }
            }
        }

        deserializer.deserialize_any(OneNumber)
    }
}

/// What `#[serde(with = "number")]` writes as [`Number`]s.
pub trait Numbers: Sized {
    /// What is written.
    type Form: Serialize + for<'de> Deserialize<'de>;

    /// To be written.
    fn to_form(&self) -> Self::Form;

    /// As it was read.
    fn from_form(form: Self::Form) -> Self;
}

impl Numbers for f32 {
    type Form = Number;

    fn to_form(&self) -> Number {
        Number(*self)
    }

    fn from_form(form: Number) -> Self {
        form.0
    }
}

impl Numbers for Option<f32> {
    type Form = Option<Number>;

    fn to_form(&self) -> Option<Number> {
        self.map(Number)
    }

    fn from_form(form: Option<Number>) -> Self {
        form.map(|number| number.0)
    }
}

impl Numbers for Vec3 {
    type Form = [Number; 3];

    fn to_form(&self) -> [Number; 3] {
        self.to_array().map(Number)
    }

    fn from_form(form: [Number; 3]) -> Self {
        form.map(|number| number.0).into()
    }
}

impl Numbers for Quat {
    type Form = [Number; 4];

    fn to_form(&self) -> [Number; 4] {
        self.to_array().map(Number)
    }

    fn from_form(form: [Number; 4]) -> Self {
        Self::from_array(form.map(|number| number.0))
    }
}

/// For `#[serde(with = "number")]`.
pub fn serialize<T: Numbers, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.to_form().serialize(serializer)
}

/// For `#[serde(with = "number")]`.
pub fn deserialize<'de, T: Numbers, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::Form::deserialize(deserializer).map(T::from_form)
}
