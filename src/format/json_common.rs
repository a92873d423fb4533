//! What all JSON tables share: opening them, findings with JSON pointers, numbers that JSON has no word for.

use crate::diagnostics::{Diagnostic, Location, excerpt};
use crate::exchange::CellProblem;
use crate::params::{ParamDef, ParamKind};
use serde_json::{Map, Value, json};

/// Larger files are refused.
const MAX_FILE_MIB: usize = 16;
/// Most findings that one file yields; a last one counts the rest.
const MAX_DIAGNOSTICS: usize = 200;

/// Findings about one file, up to a bound, so that a hostile file cannot fill the memory with messages.
pub(super) struct SetupDiagnostics {
    file: String,
    diagnostics: Vec<Diagnostic>,
    dropped_count: usize,
}

impl SetupDiagnostics {
    pub(super) fn new(file: &str) -> Self {
        Self { file: file.to_owned(), diagnostics: Vec::new(), dropped_count: 0 }
    }

    /// A place by its JSON pointer.
    pub(super) fn place(&self, pointer: &str) -> Location {
        Location::file(&*self.file).with_pointer(pointer)
    }

    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        } else {
            self.dropped_count += 1;
        }
    }

    pub(super) fn warn(&mut self, pointer: &str, message: impl Into<crate::diagnostics::MessageText>) {
        self.push(Diagnostic::warning(self.place(pointer), message));
    }

    /// Reports what is wrong with an item of a setup.
    pub(super) fn report_problems(&mut self, place: &Location, problems: &[CellProblem]) {
        for problem in problems {
            let column = Some(problem.column).filter(|column| !column.is_empty());
            let place = column.map_or_else(|| place.clone(), |column| place.clone().with_column(column));
            self.push(Diagnostic::warning(place, problem.message()));
        }
    }

    pub(super) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        if self.dropped_count > 0 {
            let message = format!("{} more findings are not listed", self.dropped_count);
            self.diagnostics.push(Diagnostic::warning(Location::file(self.file), message));
        }
        self.diagnostics
    }

    /// A field that must be an object; told where it is something else.
    pub(super) fn object<'v>(
        &mut self,
        of: &'v Map<String, Value>,
        key: &str,
        at: &str,
    ) -> Option<&'v Map<String, Value>> {
        let value = of.get(key)?;
        self.expect_type(value.as_object(), value, "an object", &format!("{at}/{}", pointer_token(key)))
    }

    /// A field that must be a list; empty where it is missing.
    pub(super) fn list<'v>(&mut self, of: &'v Map<String, Value>, key: &str, at: &str) -> &'v [Value] {
        let Some(value) = of.get(key) else { return &[] };
        let list = value.as_array().map(Vec::as_slice);
        self.expect_type(list, value, "a list", &format!("{at}/{}", pointer_token(key))).unwrap_or_default()
    }

    /// A field that must be a text; `None` where it is missing.
    pub(super) fn text(&mut self, of: &Map<String, Value>, key: &str, at: &str) -> Option<String> {
        let value = of.get(key)?;
        self.expect_type(value.as_str(), value, "a text", &format!("{at}/{}", pointer_token(key))).map(str::to_owned)
    }

    /// A field that must be a list of texts; others in it are told and left out.
    pub(super) fn texts(&mut self, of: &Map<String, Value>, key: &str, at: &str) -> Vec<String> {
        let mut texts = Vec::new();
        for (n, value) in self.list(of, key, at).iter().enumerate() {
            let at = format!("{at}/{}/{n}", pointer_token(key));
            texts.extend(self.expect_type(value.as_str(), value, "a text", &at).map(str::to_owned));
        }
        texts
    }

    /// Something of a kind that it may not have; told where it has another.
    pub(super) fn expect_type<T>(&mut self, good: Option<T>, value: &Value, what: &str, at: &str) -> Option<T> {
        if good.is_none() {
            self.warn(at, format!("{} is not {what}; left out", describe_value(value)));
        }
        good
    }

    /// A number; told where it is none.
    pub(super) fn number(&mut self, value: &Value, at: &str) -> Option<f32> {
        match number_from_json(value) {
            Ok(number) => Some(number),
            Err(why) => {
                self.warn(at, why);
                None
            }
        }
    }

    /// Tells fields that nobody knows.
    pub(super) fn report_unknown_fields(&mut self, of: &Map<String, Value>, known: &[&str], at: &str) {
        for key in of.keys().filter(|key| !known.contains(&key.as_str())) {
            self.warn(&format!("{at}/{}", pointer_token(key)), "this is not known; left out");
        }
    }
}

/// Whether the bytes mean to be JSON.
pub(super) fn looks_like_json(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'{')
}

/// What a JSON object calls its own format.
pub(super) fn format_name(bytes: &[u8]) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct FormatField {
        format: Option<String>,
    }
    if !looks_like_json(bytes) || bytes.len() > MAX_FILE_MIB << 20 {
        return None;
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice::<FormatField>(bytes).ok()?.format
}

/// The fields of a JSON object in a file.
pub(super) fn parse_object(bytes: &[u8], file: &str) -> Result<Map<String, Value>, Vec<Diagnostic>> {
    let place = Location::file(file);
    if bytes.len() > MAX_FILE_MIB << 20 {
        let mib = bytes.len() >> 20;
        let message = format!("the file has {mib} MiB, a setup of more than {MAX_FILE_MIB} MiB is not read");
        return Err(vec![Diagnostic::error(place, message)]);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(vec![Diagnostic::error(place, "this is no setup: expected an object")]),
        Err(e) => Err(vec![Diagnostic::error(place.with_line(e.line() as u64), format!("this is no JSON: {e}"))]),
    }
}

/// Holds a file to the version that is known.
pub(super) fn check_version(fields: &Map<String, Value>, known: u64, file: &str) -> Result<(), Vec<Diagnostic>> {
    let message = match fields.get("version") {
        Some(version) if version.as_u64() == Some(known) => return Ok(()),
        Some(version) if version.as_u64().is_some_and(|v| v > known) => {
            format!("the setup has version {version}, this Yuremono reads up to {known}; a newer one made it")
        }
        Some(version) => format!("{} is no version, expected {known}", describe_value(version)),
        None => format!("there is no version, expected {known}"),
    };
    Err(vec![Diagnostic::error(Location::file(file).with_pointer("/version"), message)])
}

/// A finite number as its shortest decimal, an infinite one as a text.
pub(super) fn number_to_json(value: f32) -> Value {
    if value.is_finite() {
        // As f64 0.05 would stand there as 0.05000000074505806.
        json!(value.to_string().parse::<f64>().expect("a finite number is written as one"))
    } else if value.is_nan() {
        json!("NaN")
    } else {
        json!(if value > 0.0 { "Infinity" } else { "-Infinity" })
    }
}

/// The way back of `read_number`; why not, where it is none.
pub(super) fn number_from_json(value: &Value) -> Result<f32, String> {
    let number = match value {
        Value::Number(n) => n.as_f64().map(|n| n as f32),
        Value::String(text) if text == "Infinity" => return Ok(f32::INFINITY),
        Value::String(text) if text == "-Infinity" => return Ok(f32::NEG_INFINITY),
        _ => None,
    };
    match number {
        Some(number) if number.is_finite() => Ok(number),
        Some(_) => Err(format!("{} is too large for a number; left out", describe_value(value))),
        None => Err(format!("{} is not a number; left out", describe_value(value))),
    }
}

/// A value of a parameter: a switch as a boolean, a choice by its name, anything else as a number.
pub(super) fn param_to_json(def: &ParamDef, value: f32) -> Value {
    match def.kind {
        ParamKind::Toggle if value == 0.0 || value == 1.0 => json!(value != 0.0),
        ParamKind::Choice(choices) if value >= 0.0 && value.fract() == 0.0 => {
            choices.get(value as usize).map_or_else(|| number_to_json(value), |choice| json!(choice))
        }
        _ => number_to_json(value),
    }
}

/// A number as the engine's own property holds it: a whole number or a choice as an integer.
pub(super) fn number_to_typed_json(def: &ParamDef, value: f32) -> Value {
    let is_integer = matches!(def.kind, ParamKind::Integer | ParamKind::Choice(_)) && value.fract() == 0.0;
    if is_integer { json!(value as i64) } else { number_to_json(value) }
}

/// The way back of `value_len`; why not, where it is none.
pub(super) fn param_from_json(def: &ParamDef, value: &Value) -> Result<f32, String> {
    match (def.kind, value) {
        (ParamKind::Toggle, Value::Bool(on)) => Ok(f32::from(u8::from(*on))),
        (ParamKind::Choice(choices), Value::String(text)) => match choices.iter().position(|choice| choice == text) {
            Some(at) => Ok(at as f32),
            None => number_from_json(value)
                .map_err(|_why| format!("{} is not one of {}; left out", describe_value(value), choices.join(", "))),
        },
        (ParamKind::Toggle, Value::Number(_)) => number_from_json(value),
        (ParamKind::Toggle, Value::String(_)) => number_from_json(value)
            .map_err(|_why| format!("{}, expected true or false; left out", describe_value(value))),
        (ParamKind::Toggle, _) => Err(format!("{}, expected true or false; left out", describe_value(value))),
        _ => number_from_json(value),
    }
}

/// A cell of a table for a JSON value, so that the rows of a CSV and of JSON are understood by the same code.
pub(super) fn json_to_cell(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(_) => value.to_string(),
        other => describe_value(other),
    }
}

/// A JSON document as it goes into a file.
pub(super) fn to_json_bytes(value: &Value) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("a JSON value can be written");
    bytes.push(b'\n');
    bytes
}

/// A key as a part of a JSON pointer, however long.
pub(super) fn pointer_token(key: &str) -> String {
    excerpt(key).replace('~', "~0").replace('/', "~1")
}

/// A value in a message.
fn describe_value(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::String(text) => format!("\"{}\"", excerpt(text)),
        other => excerpt(&other.to_string()),
    }
}
