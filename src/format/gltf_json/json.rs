//! Typed looks into untrusted JSON, each failure with the JSON pointer of what is wrong.
//!
//! Codes and words that glTF enumerates are told apart by the `gltf` crate's types. Its structures and readers are
//! not used: they stop at the first oddity without saying where, and panic on counts and ranges that files get wrong.

use crate::diagnostics::{Diagnostic, Location};
use gltf::json::validation::Checked;
use serde::de::{Deserialize, DeserializeOwned, IntoDeserializer as _, value::Error as Unread};
use serde_json::{Map, Value};
use std::cell::RefCell;

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JsonError {
    pub(crate) pointer: String,
    pub(crate) message: String,
}

/// An object of the file with its JSON pointer.
#[derive(Clone, Debug)]
pub(crate) struct JsonObject<'a> {
    map: &'a Map<String, Value>,
    pub(crate) pointer: String,
}

impl<'a> JsonObject<'a> {
    /// `value` must be an object.
    pub(crate) fn new(value: &'a Value, pointer: String) -> Result<Self, JsonError> {
        match value.as_object() {
            Some(map) => Ok(Self { map, pointer }),
            None => {
                Err(JsonError { pointer, message: format!("{} where an object was expected", describe_value(value)) })
            }
        }
    }

    /// A failure at one of this object's fields.
    pub(crate) fn error_at(&self, key: &str, message: impl Into<String>) -> JsonError {
        JsonError { pointer: self.pointer_to(key), message: message.into() }
    }

    /// A failure of the object as a whole.
    pub(crate) fn error(&self, message: impl Into<String>) -> JsonError {
        JsonError { pointer: self.pointer.clone(), message: message.into() }
    }

    pub(crate) fn pointer_to(&self, key: &str) -> String {
        format!("{}/{}", self.pointer, key.replace('~', "~0").replace('/', "~1"))
    }

    /// The raw field; `null` counts as absent.
    pub(crate) fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.map.keys().map(String::as_str)
    }

    pub(crate) fn object(&self, key: &str) -> Result<Option<Self>, JsonError> {
        self.get(key).map(|value| Self::new(value, self.pointer_to(key))).transpose()
    }

    /// The object under `extensions`.
    pub(crate) fn extension(&self, name: &str) -> Result<Option<Self>, JsonError> {
        self.object("extensions")?.map_or(Ok(None), |extensions| extensions.object(name))
    }

    /// The raw entries of a list; empty where absent.
    pub(crate) fn list(&self, key: &str) -> Result<&'a [Value], JsonError> {
        match self.get(key) {
            None => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(other) => Err(self.error_at(key, format!("{} where a list was expected", describe_value(other)))),
        }
    }

    /// The objects of a list, each looked at only when its turn comes; empty where absent.
    pub(crate) fn objects(
        &self,
        key: &str,
    ) -> Result<impl ExactSizeIterator<Item = Result<Self, JsonError>>, JsonError> {
        let pointer = self.pointer_to(key);
        Ok(self.list(key)?.iter().enumerate().map(move |(i, value)| Self::new(value, format!("{pointer}/{i}"))))
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<&'a str>, JsonError> {
        self.get(key).map(|v| v.as_str().ok_or_else(|| self.type_error(key, v, "text"))).transpose()
    }

    /// A name of a length that names have; an empty one counts as absent.
    pub(crate) fn name(&self, key: &str) -> Result<Option<&'a str>, JsonError> {
        /// Copies of names stay small, whatever the file repeats.
        const MAX_NAME_BYTES: usize = 512;
        match self.text(key)? {
            Some(name) if name.len() > MAX_NAME_BYTES => {
                Err(self
                    .error_at(key, format!("a name of {} bytes; at most {MAX_NAME_BYTES} were expected", name.len())))
            }
            name => Ok(name.filter(|name| !name.is_empty())),
        }
    }

    pub(crate) fn flag(&self, key: &str) -> Result<bool, JsonError> {
        self.get(key).map_or(Ok(false), |v| v.as_bool().ok_or_else(|| self.type_error(key, v, "true or false")))
    }

    /// A whole number from 0 to 2^64 - 1.
    pub(crate) fn unsigned(&self, key: &str) -> Result<Option<u64>, JsonError> {
        self.get(key)
            .map(|v| as_unsigned(v).ok_or_else(|| self.type_error(key, v, "a whole number, 0 or more")))
            .transpose()
    }

    /// A number out of a list that glTF makes; `what` and `all` are its name and its entries in messages.
    pub(crate) fn numeric_enum<T>(&self, key: &str, what: &str, all: &[u32]) -> Result<Option<T>, JsonError>
    where
        Checked<T>: DeserializeOwned,
    {
        let Some(code) = self.unsigned(key)? else { return Ok(None) };
        // The crate looks at the lower 32 bits only.
        let known = u32::try_from(code).ok().and_then(|code| parse_enum(u64::from(code).into_deserializer()));
        known
            .map(Some)
            .ok_or_else(|| self.error_at(key, format!("there is no {what} {code}; {} was expected", join_with_or(all))))
    }

    /// As [`JsonObject::numeric_enum`], of words.
    pub(crate) fn string_enum<T>(&self, key: &str, what: &str, all: &[&str]) -> Result<Option<T>, JsonError>
    where
        Checked<T>: DeserializeOwned,
    {
        let Some(word) = self.text(key)? else { return Ok(None) };
        parse_enum(word.into_deserializer()).map(Some).ok_or_else(|| {
            let word = crate::diagnostics::excerpt(word);
            self.error_at(key, format!("there is no {what} \"{word}\"; {} was expected", join_with_or(all)))
        })
    }

    /// A finite number.
    pub(crate) fn number(&self, key: &str) -> Result<Option<f32>, JsonError> {
        self.get(key).map(|v| finite_f32(v).ok_or_else(|| self.type_error(key, v, "a number"))).transpose()
    }

    /// Exactly `N` finite numbers.
    pub(crate) fn numbers<const N: usize>(&self, key: &str) -> Result<Option<[f32; N]>, JsonError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let mut out = [0.0; N];
        let list = value.as_array().filter(|list| list.len() == N);
        let list = list.ok_or_else(|| self.type_error(key, value, &format!("a list of {N} numbers")))?;
        for (i, (slot, item)) in out.iter_mut().zip(list).enumerate() {
            *slot = finite_f32(item).ok_or_else(|| JsonError {
                pointer: format!("{}/{i}", self.pointer_to(key)),
                message: format!("{} where a number was expected", describe_value(item)),
            })?;
        }
        Ok(Some(out))
    }

    /// A position in a list of `count` things; `what` names one of them in messages.
    pub(crate) fn index(&self, key: &str, count: usize, what: &str) -> Result<Option<usize>, JsonError> {
        self.get(key).map(|value| parse_index(value, count, what).map_err(|why| self.error_at(key, why))).transpose()
    }

    /// As `JsonObject::parse_index`, and absence is a failure.
    pub(crate) fn required_index(&self, key: &str, count: usize, what: &str) -> Result<usize, JsonError> {
        self.index(key, count, what)?.ok_or_else(|| self.missing_error(key))
    }

    /// A list of positions.
    pub(crate) fn indices(&self, key: &str, count: usize, what: &str) -> Result<Vec<usize>, JsonError> {
        let point = |(i, value)| {
            parse_index(value, count, what)
                .map_err(|message| JsonError { pointer: format!("{}/{i}", self.pointer_to(key)), message })
        };
        self.list(key)?.iter().enumerate().map(point).collect()
    }

    pub(crate) fn missing_error(&self, key: &str) -> JsonError {
        self.error(format!("\"{key}\" is missing"))
    }

    fn type_error(&self, key: &str, value: &Value, expected: &str) -> JsonError {
        self.error_at(key, format!("{} where {expected} was expected", describe_value(value)))
    }
}

/// "a, b or c".
fn join_with_or<T: ToString>(all: &[T]) -> String {
    let mut words: Vec<_> = all.iter().map(ToString::to_string).collect();
    let last = words.pop().unwrap_or_default();
    if words.is_empty() { last } else { format!("{} or {last}", words.join(", ")) }
}

fn parse_enum<'de, T>(given: impl serde::Deserializer<'de, Error = Unread>) -> Option<T>
where
    Checked<T>: Deserialize<'de>,
{
    match Checked::deserialize(given) {
        Ok(Checked::Valid(value)) => Some(value),
        Ok(Checked::Invalid) | Err(_) => None,
    }
}

/// A number that `f32` can hold.
pub(crate) fn finite_f32(value: &Value) -> Option<f32> {
    value.as_f64().map(|x| x as f32).filter(|x| x.is_finite())
}

/// Whole numbers may be written as `3.0`; some exporters do.
fn as_unsigned(value: &Value) -> Option<u64> {
    const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;
    value.as_u64().or_else(|| {
        value.as_f64().filter(|x| x.fract() == 0.0 && (0.0..=MAX_EXACT_INTEGER).contains(x)).map(|x| x as u64)
    })
}

pub(crate) fn parse_index(value: &Value, count: usize, what: &str) -> Result<usize, String> {
    let Some(index) = as_unsigned(value) else {
        return Err(format!("{} where the number of a {what} was expected", describe_value(value)));
    };
    usize::try_from(index)
        .ok()
        .filter(|i| *i < count)
        .ok_or_else(|| format!("there is no {what} {index}; the file has {count}"))
}

/// A value as it may stand in a message.
fn describe_value(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) => crate::diagnostics::excerpt(&value.to_string()),
        Value::String(text) => format!("\"{}\"", crate::diagnostics::excerpt(text)),
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// Collects what is worth saying about a file that loads anyway.
#[derive(Debug)]
pub(crate) struct GltfDiagnostics<'a> {
    file: &'a str,
    diagnostics: RefCell<Vec<Diagnostic>>,
    dropped_count: RefCell<usize>,
}

impl<'a> GltfDiagnostics<'a> {
    /// A broken file may have a million faults; the first ones tell the story.
    const MAX_DIAGNOSTICS: usize = 200;

    pub(crate) fn new(file: &'a str) -> Self {
        Self { file, diagnostics: RefCell::default(), dropped_count: RefCell::default() }
    }

    pub(crate) fn place(&self, pointer: impl Into<String>) -> Location {
        Location::file(self.file).with_pointer(pointer)
    }

    pub(crate) fn error(&self, fault: JsonError) -> Diagnostic {
        Diagnostic::error(self.place(fault.pointer), fault.message)
    }

    /// A warning that ends with what is done about it.
    pub(crate) fn warn(&self, fault: JsonError, consequence: &str) {
        let message = if consequence.is_empty() { fault.message } else { format!("{}; {consequence}", fault.message) };
        self.push(Diagnostic::warning(self.place(fault.pointer), message));
    }

    pub(crate) fn info(&self, pointer: impl Into<String>, message: impl Into<crate::diagnostics::MessageText>) {
        self.push(Diagnostic::info(self.place(pointer), message));
    }

    fn push(&self, diagnostic: Diagnostic) {
        let mut said = self.diagnostics.borrow_mut();
        if said.len() < Self::MAX_DIAGNOSTICS { said.push(diagnostic) } else { *self.dropped_count.borrow_mut() += 1 }
    }

    /// `value`, or `None` and a warning.
    pub(crate) fn ok_or_warn<T>(&self, value: Result<T, JsonError>, consequence: &str) -> Option<T> {
        value.map_err(|fault| self.warn(fault, consequence)).ok()
    }

    /// `value`, or the default and a warning; for fields whose loss is small.
    pub(crate) fn value_or_default<T>(&self, value: Result<Option<T>, JsonError>, default: T) -> T {
        self.ok_or_warn(value, "the default is used").flatten().unwrap_or(default)
    }

    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut said = self.diagnostics.into_inner();
        let unsaid = self.dropped_count.into_inner();
        if unsaid > 0 {
            said.push(Diagnostic::warning(Location::file(self.file), format!("{unsaid} more findings are not listed")));
        }
        said
    }
}
