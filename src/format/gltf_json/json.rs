//! Typed looks into untrusted JSON, each failure with the JSON pointer of what is wrong.
//!
//! Codes and words that glTF enumerates are told apart by the `gltf` crate's types. Its structures and readers are
//! not used: they stop at the first oddity without saying where, and panic on counts and ranges that files get wrong.

use crate::report::{Diagnostic, Place};
use gltf::json::validation::Checked;
use serde::de::{Deserialize, DeserializeOwned, IntoDeserializer as _, value::Error as Unread};
use serde_json::{Map, Value};
use std::cell::RefCell;

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) pointer: String,
    pub(crate) message: String,
}

/// An object of the file with its JSON pointer.
#[derive(Clone, Debug)]
pub(crate) struct Json<'a> {
    map: &'a Map<String, Value>,
    pub(crate) pointer: String,
}

impl<'a> Json<'a> {
    /// `value` must be an object.
    pub(crate) fn new(value: &'a Value, pointer: String) -> Result<Self, Fault> {
        match value.as_object() {
            Some(map) => Ok(Self { map, pointer }),
            None => Err(Fault { pointer, message: format!("{} where an object was expected", shown(value)) }),
        }
    }

    /// A failure at one of this object's fields.
    pub(crate) fn fault(&self, key: &str, message: impl Into<String>) -> Fault {
        Fault { pointer: self.pointer_to(key), message: message.into() }
    }

    /// A failure of the object as a whole.
    pub(crate) fn broken(&self, message: impl Into<String>) -> Fault {
        Fault { pointer: self.pointer.clone(), message: message.into() }
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

    pub(crate) fn object(&self, key: &str) -> Result<Option<Self>, Fault> {
        self.get(key).map(|value| Self::new(value, self.pointer_to(key))).transpose()
    }

    /// The object under `extensions`.
    pub(crate) fn extension(&self, name: &str) -> Result<Option<Self>, Fault> {
        self.object("extensions")?.map_or(Ok(None), |extensions| extensions.object(name))
    }

    /// The raw entries of a list; empty where absent.
    pub(crate) fn list(&self, key: &str) -> Result<&'a [Value], Fault> {
        match self.get(key) {
            None => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(other) => Err(self.fault(key, format!("{} where a list was expected", shown(other)))),
        }
    }

    /// The objects of a list, each looked at only when its turn comes; empty where absent.
    pub(crate) fn objects(&self, key: &str) -> Result<impl ExactSizeIterator<Item = Result<Self, Fault>>, Fault> {
        let pointer = self.pointer_to(key);
        Ok(self.list(key)?.iter().enumerate().map(move |(i, value)| Self::new(value, format!("{pointer}/{i}"))))
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<&'a str>, Fault> {
        self.get(key).map(|v| v.as_str().ok_or_else(|| self.wrong(key, v, "text"))).transpose()
    }

    /// A name of a length that names have; an empty one counts as absent.
    pub(crate) fn name(&self, key: &str) -> Result<Option<&'a str>, Fault> {
        /// Copies of names stay small, whatever the file repeats.
        const LONGEST: usize = 512;
        match self.text(key)? {
            Some(name) if name.len() > LONGEST => {
                Err(self.fault(key, format!("a name of {} bytes; at most {LONGEST} were expected", name.len())))
            }
            name => Ok(name.filter(|name| !name.is_empty())),
        }
    }

    pub(crate) fn flag(&self, key: &str) -> Result<bool, Fault> {
        self.get(key).map_or(Ok(false), |v| v.as_bool().ok_or_else(|| self.wrong(key, v, "true or false")))
    }

    /// A whole number from 0 to 2^64 - 1.
    pub(crate) fn whole(&self, key: &str) -> Result<Option<u64>, Fault> {
        self.get(key).map(|v| whole(v).ok_or_else(|| self.wrong(key, v, "a whole number, 0 or more"))).transpose()
    }

    /// A number out of a list that glTF makes; `what` and `all` are its name and its entries in messages.
    pub(crate) fn code<T>(&self, key: &str, what: &str, all: &[u32]) -> Result<Option<T>, Fault>
    where
        Checked<T>: DeserializeOwned,
    {
        let Some(code) = self.whole(key)? else { return Ok(None) };
        // The crate looks at the lower 32 bits only.
        let known = u32::try_from(code).ok().and_then(|code| known(u64::from(code).into_deserializer()));
        known.map(Some).ok_or_else(|| self.fault(key, format!("there is no {what} {code}; {} was expected", any(all))))
    }

    /// As [`Json::code`], of words.
    pub(crate) fn word<T>(&self, key: &str, what: &str, all: &[&str]) -> Result<Option<T>, Fault>
    where
        Checked<T>: DeserializeOwned,
    {
        let Some(word) = self.text(key)? else { return Ok(None) };
        known(word.into_deserializer()).map(Some).ok_or_else(|| {
            let word = crate::report::clip(word);
            self.fault(key, format!("there is no {what} \"{word}\"; {} was expected", any(all)))
        })
    }

    /// A finite number.
    pub(crate) fn number(&self, key: &str) -> Result<Option<f32>, Fault> {
        self.get(key).map(|v| finite(v).ok_or_else(|| self.wrong(key, v, "a number"))).transpose()
    }

    /// Exactly `N` finite numbers.
    pub(crate) fn numbers<const N: usize>(&self, key: &str) -> Result<Option<[f32; N]>, Fault> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let mut out = [0.0; N];
        let list = value.as_array().filter(|list| list.len() == N);
        let list = list.ok_or_else(|| self.wrong(key, value, &format!("a list of {N} numbers")))?;
        for (i, (slot, item)) in out.iter_mut().zip(list).enumerate() {
            *slot = finite(item).ok_or_else(|| Fault {
                pointer: format!("{}/{i}", self.pointer_to(key)),
                message: format!("{} where a number was expected", shown(item)),
            })?;
        }
        Ok(Some(out))
    }

    /// A position in a list of `count` things; `what` names one of them in messages.
    pub(crate) fn index(&self, key: &str, count: usize, what: &str) -> Result<Option<usize>, Fault> {
        self.get(key).map(|value| index(value, count, what).map_err(|why| self.fault(key, why))).transpose()
    }

    /// As [`Json::index`], and absence is a failure.
    pub(crate) fn required_index(&self, key: &str, count: usize, what: &str) -> Result<usize, Fault> {
        self.index(key, count, what)?.ok_or_else(|| self.missing(key))
    }

    /// A list of positions.
    pub(crate) fn indices(&self, key: &str, count: usize, what: &str) -> Result<Vec<usize>, Fault> {
        let point = |(i, value)| {
            index(value, count, what)
                .map_err(|message| Fault { pointer: format!("{}/{i}", self.pointer_to(key)), message })
        };
        self.list(key)?.iter().enumerate().map(point).collect()
    }

    pub(crate) fn missing(&self, key: &str) -> Fault {
        self.broken(format!("\"{key}\" is missing"))
    }

    fn wrong(&self, key: &str, value: &Value, expected: &str) -> Fault {
        self.fault(key, format!("{} where {expected} was expected", shown(value)))
    }
}

/// "a, b or c".
fn any<T: ToString>(all: &[T]) -> String {
    let mut words: Vec<_> = all.iter().map(ToString::to_string).collect();
    let last = words.pop().unwrap_or_default();
    if words.is_empty() { last } else { format!("{} or {last}", words.join(", ")) }
}

fn known<'de, T>(given: impl serde::Deserializer<'de, Error = Unread>) -> Option<T>
where
    Checked<T>: Deserialize<'de>,
{
    match Checked::deserialize(given) {
        Ok(Checked::Valid(value)) => Some(value),
        Ok(Checked::Invalid) | Err(_) => None,
    }
}

/// A number that `f32` can hold.
pub(crate) fn finite(value: &Value) -> Option<f32> {
    value.as_f64().map(|x| x as f32).filter(|x| x.is_finite())
}

/// Whole numbers may be written as `3.0`; some exporters do.
fn whole(value: &Value) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    value
        .as_u64()
        .or_else(|| value.as_f64().filter(|x| x.fract() == 0.0 && (0.0..=EXACT).contains(x)).map(|x| x as u64))
}

pub(crate) fn index(value: &Value, count: usize, what: &str) -> Result<usize, String> {
    let Some(index) = whole(value) else {
        return Err(format!("{} where the number of a {what} was expected", shown(value)));
    };
    usize::try_from(index)
        .ok()
        .filter(|i| *i < count)
        .ok_or_else(|| format!("there is no {what} {index}; the file has {count}"))
}

/// A value as it may stand in a message.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) => crate::report::clip(&value.to_string()),
        Value::String(text) => format!("\"{}\"", crate::report::clip(text)),
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// Collects what is worth saying about a file that loads anyway.
#[derive(Debug)]
pub(crate) struct Notes<'a> {
    file: &'a str,
    said: RefCell<Vec<Diagnostic>>,
    unsaid: RefCell<usize>,
}

impl<'a> Notes<'a> {
    /// A broken file may have a million faults; the first ones tell the story.
    const MOST: usize = 200;

    pub(crate) fn new(file: &'a str) -> Self {
        Self { file, said: RefCell::default(), unsaid: RefCell::default() }
    }

    pub(crate) fn place(&self, pointer: impl Into<String>) -> Place {
        Place::file(self.file).at(pointer)
    }

    pub(crate) fn error(&self, fault: Fault) -> Diagnostic {
        Diagnostic::error(self.place(fault.pointer), fault.message)
    }

    /// A warning that ends with what is done about it.
    pub(crate) fn warn(&self, fault: Fault, consequence: &str) {
        let message = if consequence.is_empty() { fault.message } else { format!("{}; {consequence}", fault.message) };
        self.push(Diagnostic::warning(self.place(fault.pointer), message));
    }

    pub(crate) fn info(&self, pointer: impl Into<String>, message: impl Into<String>) {
        self.push(Diagnostic::info(self.place(pointer), message));
    }

    fn push(&self, diagnostic: Diagnostic) {
        let mut said = self.said.borrow_mut();
        if said.len() < Self::MOST { said.push(diagnostic) } else { *self.unsaid.borrow_mut() += 1 }
    }

    /// `value`, or `None` and a warning.
    pub(crate) fn keep<T>(&self, value: Result<T, Fault>, consequence: &str) -> Option<T> {
        value.map_err(|fault| self.warn(fault, consequence)).ok()
    }

    /// `value`, or the default and a warning; for fields whose loss is small.
    pub(crate) fn or<T>(&self, value: Result<Option<T>, Fault>, default: T) -> T {
        self.keep(value, "the default is used").flatten().unwrap_or(default)
    }

    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        let mut said = self.said.into_inner();
        let unsaid = self.unsaid.into_inner();
        if unsaid > 0 {
            said.push(Diagnostic::warning(Place::file(self.file), format!("{unsaid} more findings are not listed")));
        }
        said
    }
}
