//! Typed access to untrusted JSON. Each error contains the JSON pointer of the invalid value.
//!
//! Enumerated values of glTF are parsed with the types of the `gltf` crate. The structures and readers of the `gltf`
//! crate are not used: they stop at the first error without its location, and they panic on invalid counts and ranges.

use crate::fixed_text;
use gltf::json::validation::Checked;
use serde::de::{Deserialize, DeserializeOwned, IntoDeserializer as _, value::Error as Unread};
use serde_json::{Map, Value};
use std::cell::{Cell, RefCell};
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};

/// An error message and its JSON pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JsonError {
    pub(crate) pointer: String,
    pub(crate) message: MessageText,
}

/// An object of the file with its JSON pointer and the list for its diagnostics.
#[derive(Clone, Debug)]
pub(crate) struct JsonObject<'a> {
    map: &'a Map<String, Value>,
    pub(crate) pointer: String,
    /// If `None`, faults are not reported.
    diagnostics: Option<&'a GltfDiagnostics<'a>>,
}

impl<'a> JsonObject<'a> {
    /// The whole document, which must be an object.
    pub(crate) fn root(value: &'a Value, diagnostics: &'a GltfDiagnostics<'a>) -> Result<Self, JsonError> {
        Self::new(value, String::new(), Some(diagnostics))
    }

    /// An object without a location. Its faults are not reported.
    pub(crate) const fn silent(map: &'a Map<String, Value>) -> Self {
        Self { map, pointer: String::new(), diagnostics: None }
    }

    fn new(value: &'a Value, pointer: String, diagnostics: Option<&'a GltfDiagnostics<'a>>) -> Result<Self, JsonError> {
        match value.as_object() {
            Some(map) => Ok(Self { map, pointer, diagnostics }),
            None => Err(JsonError {
                pointer,
                message: message!("{value} where an object was expected", value = describe_value(value)),
            }),
        }
    }

    /// Reports a warning. `consequence` describes the effect of the fault.
    pub(crate) fn warn(&self, fault: JsonError, consequence: &'static str) {
        self.warn_with(fault, fixed_text(consequence));
    }

    pub(crate) fn warn_with(&self, fault: JsonError, consequence: MessageText) {
        if let Some(diagnostics) = self.diagnostics {
            let message = message!("{message}; {consequence}", message = fault.message, consequence);
            diagnostics.warn(JsonError { message, ..fault });
        }
    }

    /// Reports a warning about a field of this object.
    pub(crate) fn warn_at(&self, key: &str, message: MessageText, consequence: &'static str) {
        self.warn(self.error_at(key, message), consequence);
    }

    pub(crate) fn info(&self, pointer: impl Into<String>, message: MessageText) {
        if let Some(diagnostics) = self.diagnostics {
            diagnostics.push(Diagnostic::info(diagnostics.location(pointer), message));
        }
    }

    /// Returns the value, or `None` with a warning.
    pub(crate) fn ok_or_warn<T>(&self, value: Result<T, JsonError>, consequence: &'static str) -> Option<T> {
        value.map_err(|fault| self.warn(fault, consequence)).ok()
    }

    /// Returns the value, or `default` with a warning on error. Used for fields that are not essential.
    pub(crate) fn value_or<T>(&self, value: Result<Option<T>, JsonError>, default: T) -> T {
        self.ok_or_warn(value, "the default is used").flatten().unwrap_or(default)
    }

    /// An error about a field of this object.
    pub(crate) fn error_at(&self, key: &str, message: impl Into<MessageText>) -> JsonError {
        JsonError { pointer: self.pointer_to(key), message: message.into() }
    }

    /// An error about the whole object.
    pub(crate) fn error(&self, message: impl Into<MessageText>) -> JsonError {
        JsonError { pointer: self.pointer.clone(), message: message.into() }
    }

    pub(crate) fn pointer_to(&self, key: &str) -> String {
        format!("{}/{}", self.pointer, key.replace('~', "~0").replace('/', "~1"))
    }

    /// The JSON value of a field. A `null` value is treated as absent.
    pub(crate) fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.map.keys().map(String::as_str)
    }

    pub(crate) fn object(&self, key: &str) -> Result<Option<Self>, JsonError> {
        self.get(key).map(|value| Self::new(value, self.pointer_to(key), self.diagnostics)).transpose()
    }

    /// The extension object `name` in `extensions`.
    pub(crate) fn extension(&self, name: &str) -> Result<Option<Self>, JsonError> {
        self.object("extensions")?.map_or(Ok(None), |extensions| extensions.object(name))
    }

    /// The JSON values of a list. Empty if the field is absent.
    pub(crate) fn list(&self, key: &str) -> Result<&'a [Value], JsonError> {
        match self.get(key) {
            None => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(other) => {
                Err(self.error_at(key, message!("{other} where a list was expected", other = describe_value(other))))
            }
        }
    }

    /// The objects of a list. Empty if the field is absent. Each entry is checked only when the iterator returns it.
    pub(crate) fn objects(
        &self,
        key: &str,
    ) -> Result<impl ExactSizeIterator<Item = Result<Self, JsonError>>, JsonError> {
        let (pointer, diagnostics) = (self.pointer_to(key), self.diagnostics);
        let object = move |(i, value)| Self::new(value, format!("{pointer}/{i}"), diagnostics);
        Ok(self.list(key)?.iter().enumerate().map(object))
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<&'a str>, JsonError> {
        self.typed(key, "text", Value::as_str)
    }

    /// A name of at most 512 bytes. An empty name is treated as absent.
    pub(crate) fn name(&self, key: &str) -> Result<Option<&'a str>, JsonError> {
        const MAX_NAME_BYTES: usize = 512;
        match self.text(key)? {
            Some(name) if name.len() > MAX_NAME_BYTES => Err(self.error_at(
                key,
                message!(
                    "a name of {count} bytes; at most {max_name_bytes} were expected",
                    count = name.len(),
                    max_name_bytes = MAX_NAME_BYTES
                ),
            )),
            name => Ok(name.filter(|name| !name.is_empty())),
        }
    }

    pub(crate) fn flag(&self, key: &str) -> Result<bool, JsonError> {
        Ok(self.typed(key, "true or false", Value::as_bool)?.unwrap_or(false))
    }

    /// A whole number from 0 to 2^64 - 1.
    pub(crate) fn unsigned(&self, key: &str) -> Result<Option<u64>, JsonError> {
        self.typed(key, "a whole number, 0 or more", as_unsigned)
    }

    /// An enumerated code of glTF. In messages, `what` is the name of the enumeration and `all` lists the valid codes.
    pub(crate) fn numeric_enum<T>(&self, key: &str, what: &'static str, all: &[u32]) -> Result<Option<T>, JsonError>
    where
        Checked<T>: DeserializeOwned,
    {
        let Some(code) = self.unsigned(key)? else { return Ok(None) };
        // The `gltf` crate reads only the lower 32 bits.
        let known = u32::try_from(code).ok().and_then(|code| parse_enum(u64::from(code).into_deserializer()));
        known.map(Some).ok_or_else(|| {
            self.error_at(
                key,
                message!(
                    "there is no {what} {code}; {all} was expected",
                    what = fixed_text(what),
                    code,
                    all = join_with_or(all)
                ),
            )
        })
    }

    /// Like [`JsonObject::numeric_enum`], for strings.
    pub(crate) fn string_enum<T>(&self, key: &str, what: &'static str, all: &[&str]) -> Result<Option<T>, JsonError>
    where
        Checked<T>: DeserializeOwned,
    {
        let Some(word) = self.text(key)? else { return Ok(None) };
        parse_enum(word.into_deserializer()).map(Some).ok_or_else(|| {
            let word = excerpt(word);
            self.error_at(
                key,
                message!(
                    "there is no {what} \"{word}\"; {all} was expected",
                    what = fixed_text(what),
                    word,
                    all = join_with_or(all)
                ),
            )
        })
    }

    /// A finite number.
    pub(crate) fn number(&self, key: &str) -> Result<Option<f32>, JsonError> {
        self.typed(key, "a number", finite_f32)
    }

    /// Exactly `N` finite numbers.
    pub(crate) fn numbers<const N: usize>(&self, key: &str) -> Result<Option<[f32; N]>, JsonError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let mut out = [0.0; N];
        let list = value.as_array().filter(|list| list.len() == N);
        let list = list.ok_or_else(|| self.type_error(key, value, message!("a list of {count} numbers", count = N)))?;
        for (i, (slot, item)) in out.iter_mut().zip(list).enumerate() {
            *slot = finite_f32(item).ok_or_else(|| JsonError {
                pointer: format!("{}/{i}", self.pointer_to(key)),
                message: message!("{item} where a number was expected", item = describe_value(item)),
            })?;
        }
        Ok(Some(out))
    }

    /// An index into a list of `count` entries. `what` is the name of an entry in messages.
    pub(crate) fn index(&self, key: &str, count: usize, what: &'static str) -> Result<Option<usize>, JsonError> {
        self.get(key).map(|value| parse_index(value, count, what).map_err(|why| self.error_at(key, why))).transpose()
    }

    /// Like [`JsonObject::index`], but a missing field is an error.
    pub(crate) fn required_index(&self, key: &str, count: usize, what: &'static str) -> Result<usize, JsonError> {
        self.required(key, |json, key| json.index(key, count, what))
    }

    /// A list of indices. `count` and `what` are as in [`JsonObject::index`].
    pub(crate) fn indices(
        &self,
        key: &str,
        count: usize,
        what: &'static str,
    ) -> Result<impl Iterator<Item = Result<usize, JsonError>> + use<'a>, JsonError> {
        let pointer = self.pointer_to(key);
        Ok(self.list(key)?.iter().enumerate().map(move |(i, value)| {
            parse_index(value, count, what).map_err(|message| JsonError { pointer: format!("{pointer}/{i}"), message })
        }))
    }

    /// Reads a field with a method of this type. A missing field is an error.
    pub(crate) fn required<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Self, &str) -> Result<Option<T>, JsonError>,
    ) -> Result<T, JsonError> {
        read(self, key)?.ok_or_else(|| self.missing_error(key))
    }

    pub(crate) fn missing_error(&self, key: &str) -> JsonError {
        self.error(message!("\"{key}\" is missing", key))
    }

    fn typed<T>(
        &self,
        key: &str,
        expected: &'static str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, JsonError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| self.type_error(key, value, fixed_text(expected)))
    }

    fn type_error(&self, key: &str, value: &Value, expected: MessageText) -> JsonError {
        self.error_at(key, message!("{value} where {expected} was expected", value = describe_value(value), expected))
    }
}

/// Joins values as "a, b or c".
fn join_with_or<T: ToString>(all: &[T]) -> MessageText {
    let mut words: Vec<_> = all.iter().map(ToString::to_string).collect();
    let last = words.pop().unwrap_or_default();
    if words.is_empty() { last.into() } else { message!("{words} or {last}", words = words.join(", "), last) }
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

/// The number as a finite `f32`, or `None` if the number is too large.
pub(crate) fn finite_f32(value: &Value) -> Option<f32> {
    value.as_f64().map(|x| x as f32).filter(|x| x.is_finite())
}

/// Accepts integers in the form `3.0`, because some exporters write this form.
fn as_unsigned(value: &Value) -> Option<u64> {
    const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;
    value.as_u64().or_else(|| {
        value.as_f64().filter(|x| x.fract() == 0.0 && (0.0..=MAX_EXACT_INTEGER).contains(x)).map(|x| x as u64)
    })
}

fn parse_index(value: &Value, count: usize, what: &'static str) -> Result<usize, MessageText> {
    let Some(index) = as_unsigned(value) else {
        return Err(message!(
            "{value} where the index of a {what} was expected",
            value = describe_value(value),
            what = fixed_text(what)
        ));
    };
    usize::try_from(index).ok().filter(|i| *i < count).ok_or_else(|| {
        message!("there is no {what} {index}; the file has {count}", what = fixed_text(what), index, count)
    })
}

pub(crate) fn describe_value(value: &Value) -> MessageText {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => excerpt(&value.to_string()).into(),
        Value::String(text) => format!("\"{}\"", excerpt(text)).into(),
        Value::Array(list) => message!("a list of {count}", count = list.len()),
        Value::Object(_) => message!("an object"),
    }
}

/// Collects the diagnostics of a file.
#[derive(Debug)]
pub(crate) struct GltfDiagnostics<'a> {
    file: &'a str,
    diagnostics: RefCell<Vec<Diagnostic>>,
    dropped_count: Cell<usize>,
}

impl<'a> GltfDiagnostics<'a> {
    /// Maximum number of diagnostics. The number is limited because a broken file may have a million faults.
    const MAX_DIAGNOSTICS: usize = 200;

    pub(crate) fn new(file: &'a str) -> Self {
        Self { file, diagnostics: RefCell::default(), dropped_count: Cell::default() }
    }

    fn location(&self, pointer: impl Into<String>) -> Location {
        Location::file(self.file).with_pointer(pointer)
    }

    pub(crate) fn error(&self, fault: JsonError) -> Diagnostic {
        Diagnostic::error(self.location(fault.pointer), fault.message)
    }

    pub(crate) fn warn(&self, fault: JsonError) {
        self.push(Diagnostic::warning(self.location(fault.pointer), fault.message));
    }

    fn push(&self, diagnostic: Diagnostic) {
        let mut listed = self.diagnostics.borrow_mut();
        if listed.len() < Self::MAX_DIAGNOSTICS {
            listed.push(diagnostic);
        } else {
            self.dropped_count.update(|count| count + 1);
        }
    }

    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut listed = self.diagnostics.into_inner();
        let unsaid = self.dropped_count.get();
        if unsaid > 0 {
            listed.push(Diagnostic::warning(
                Location::file(self.file),
                message!("{unsaid} more findings are not listed", unsaid),
            ));
        }
        listed
    }
}
