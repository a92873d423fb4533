//! JSON numbers that may be infinite, which JSON itself cannot express.

use glam::{Quat, Vec3};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, Unexpected, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// A number that may be infinite. JSON stores infinite numbers as `"Infinity"` and `"-Infinity"`. NaN is written as
/// `"NaN"`, which readers reject.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JsonNumber(pub f32);

impl JsonSchema for JsonNumber {
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

/// For `#[serde(with = "crate::math::JsonNumber")]`, which also defines the schema of the field.
impl JsonNumber {
    /// Writes a field.
    pub fn serialize<S: Serializer>(value: &f32, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(value, serializer)
    }

    /// Reads a field.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
        deserialize(deserializer)
    }
}

impl Serialize for JsonNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            // A cast to `f64` would write 0.05 as 0.05000000074505806, so the shortest decimal is parsed instead.
            serializer.serialize_f64(self.0.to_string().parse().expect("a finite number is written as one"))
        } else if self.0.is_nan() {
            serializer.serialize_str("NaN")
        } else {
            serializer.serialize_str(if self.0 > 0.0 { "Infinity" } else { "-Infinity" })
        }
    }
}

impl<'de> Deserialize<'de> for JsonNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberVisitor;

        impl Visitor<'_> for NumberVisitor {
            type Value = JsonNumber;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, \"Infinity\" or \"-Infinity\"")
            }

            fn visit_f64<E: Error>(self, v: f64) -> Result<JsonNumber, E> {
                let number = Some(v as f32).filter(|n| n.is_finite());
                number.map(JsonNumber).ok_or_else(|| E::invalid_value(Unexpected::Float(v), &self))
            }

            fn visit_i64<E: Error>(self, v: i64) -> Result<JsonNumber, E> {
                Ok(JsonNumber(v as f32))
            }

            fn visit_u64<E: Error>(self, v: u64) -> Result<JsonNumber, E> {
                Ok(JsonNumber(v as f32))
            }

            fn visit_str<E: Error>(self, v: &str) -> Result<JsonNumber, E> {
                match v {
                    "Infinity" => Ok(JsonNumber(f32::INFINITY)),
                    "-Infinity" => Ok(JsonNumber(f32::NEG_INFINITY)),
                    _ => Err(E::invalid_value(Unexpected::Str(v), &self)),
                }
            }
        }

        deserializer.deserialize_any(NumberVisitor)
    }
}

/// Types that `#[serde(with = "number")]` serializes as [`JsonNumber`]s.
pub trait AsJsonNumbers: Sized {
    /// The serialized form.
    type Json: Serialize + for<'de> Deserialize<'de>;

    /// Converts to the serialized form.
    fn to_json_numbers(&self) -> Self::Json;

    /// Converts from the serialized form.
    fn from_json_numbers(form: Self::Json) -> Self;
}

impl AsJsonNumbers for f32 {
    type Json = JsonNumber;

    fn to_json_numbers(&self) -> JsonNumber {
        JsonNumber(*self)
    }

    fn from_json_numbers(form: JsonNumber) -> Self {
        form.0
    }
}

impl AsJsonNumbers for Option<f32> {
    type Json = Option<JsonNumber>;

    fn to_json_numbers(&self) -> Option<JsonNumber> {
        self.map(JsonNumber)
    }

    fn from_json_numbers(form: Option<JsonNumber>) -> Self {
        form.map(|number| number.0)
    }
}

macro_rules! as_number_arrays {
    ($($Type:ty: $len:literal),*) => {
        $(impl AsJsonNumbers for $Type {
            type Json = [JsonNumber; $len];

            fn to_json_numbers(&self) -> Self::Json {
                self.to_array().map(JsonNumber)
            }

            fn from_json_numbers(form: Self::Json) -> Self {
                Self::from_array(form.map(|number| number.0))
            }
        })*
    };
}
as_number_arrays! { Vec3: 3, Quat: 4 }

/// Serializes a field for `#[serde(with = "number")]`.
pub fn serialize<T: AsJsonNumbers, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.to_json_numbers().serialize(serializer)
}

/// Deserializes a field for `#[serde(with = "number")]`.
pub fn deserialize<'de, T: AsJsonNumbers, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::Json::deserialize(deserializer).map(T::from_json_numbers)
}
