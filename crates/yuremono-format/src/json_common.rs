//! Functions that the JSON codecs share: parsing a file, diagnostics with JSON pointers, infinite numbers.

use super::fixed_text;
pub(super) use super::gltf_json::json::describe_value;
use serde_json::{Map, Value, json};
use yuremono_model::exchange::CellProblem;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};
use yuremono_sim::params::{ParamDef, ParamKind};

/// Maximum size of a file. Larger files are rejected.
const MAX_FILE_MIB: usize = 16;
/// Maximum number of diagnostics per file. The last diagnostic reports how many were dropped.
pub const MAX_DIAGNOSTICS: usize = 200;

/// Diagnostics of one file. Their number is limited, so that a hostile file cannot fill the memory with messages.
pub(super) struct SetupDiagnostics {
    file: String,
    diagnostics: Vec<Diagnostic>,
    dropped_count: usize,
}

impl SetupDiagnostics {
    pub(super) fn new(file: &str) -> Self {
        Self { file: file.to_owned(), diagnostics: Vec::new(), dropped_count: 0 }
    }

    pub(super) fn whole_file_location(&self) -> Location {
        Location::file(&*self.file)
    }

    pub(super) fn line_location(&self, line: u64) -> Location {
        self.whole_file_location().with_line(line)
    }

    /// Returns the location of a JSON pointer.
    pub(super) fn location(&self, pointer: &str) -> Location {
        self.whole_file_location().with_pointer(pointer)
    }

    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        } else {
            self.dropped_count += 1;
        }
    }

    pub(super) fn warn(&mut self, pointer: &str, message: impl Into<MessageText>) {
        self.push(Diagnostic::warning(self.location(pointer), message));
    }

    /// Reports each problem of an item.
    pub(super) fn report_problems(&mut self, location: &Location, problems: &[CellProblem]) {
        for problem in problems {
            let column = Some(problem.column).filter(|column| !column.is_empty());
            let location = column.map_or_else(|| location.clone(), |column| location.clone().with_column(column));
            self.push(Diagnostic::warning(location, problem.message()));
        }
    }

    pub(super) fn into_failure(mut self, message: MessageText) -> Vec<Diagnostic> {
        self.push(Diagnostic::error(self.whole_file_location(), message));
        self.into_diagnostics()
    }

    pub(super) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        if self.dropped_count > 0 {
            let message = message!("{dropped_count} more findings are not listed", dropped_count = self.dropped_count);
            self.diagnostics.push(Diagnostic::warning(Location::file(self.file), message));
        }
        self.diagnostics
    }

    pub(super) fn object<'v>(
        &mut self,
        of: &'v Map<String, Value>,
        key: &str,
        at: &str,
    ) -> Option<&'v Map<String, Value>> {
        let value = of.get(key)?;
        self.expect_type(value.as_object(), value, "an object", &format!("{at}/{}", pointer_token(key)))
    }

    /// Returns the list in a field, or an empty list if the field is missing. Reports a value of another type.
    pub(super) fn list<'v>(&mut self, of: &'v Map<String, Value>, key: &str, at: &str) -> &'v [Value] {
        let Some(value) = of.get(key) else { return &[] };
        let list = value.as_array().map(Vec::as_slice);
        self.expect_type(list, value, "a list", &format!("{at}/{}", pointer_token(key))).unwrap_or_default()
    }

    /// Returns the string in a field, or `None` if the field is missing. Reports a value of another type.
    pub(super) fn text(&mut self, of: &Map<String, Value>, key: &str, at: &str) -> Option<String> {
        let value = of.get(key)?;
        self.expect_type(value.as_str(), value, "a text", &format!("{at}/{}", pointer_token(key))).map(str::to_owned)
    }

    pub(super) fn texts(&mut self, of: &Map<String, Value>, key: &str, at: &str) -> Vec<String> {
        let mut texts = Vec::new();
        for (n, value) in self.list(of, key, at).iter().enumerate() {
            let at = format!("{at}/{}/{n}", pointer_token(key));
            texts.extend(self.expect_type(value.as_str(), value, "a text", &at).map(str::to_owned));
        }
        texts
    }

    pub(super) fn expect_type<T>(&mut self, good: Option<T>, value: &Value, what: &'static str, at: &str) -> Option<T> {
        if good.is_none() {
            self.warn(
                at,
                message!("{value} is not {what}; left out", value = describe_value(value), what = fixed_text(what)),
            );
        }
        good
    }

    pub(super) fn number(&mut self, value: &Value, at: &str) -> Option<f32> {
        match number_from_json(value) {
            Ok(number) => Some(number),
            Err(why) => {
                self.warn(at, why);
                None
            }
        }
    }

    pub(super) fn report_unknown_fields(&mut self, of: &Map<String, Value>, known: &[&str], at: &str) {
        for key in of.keys().filter(|key| !known.contains(&key.as_str())) {
            self.warn(&format!("{at}/{}", pointer_token(key)), message!("this field is not known; left out"));
        }
    }
}

/// Whether the bytes start like a JSON object.
pub(super) fn looks_like_json(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'{')
}

/// Returns the `format` field of the JSON object in a file, or `None` if the field cannot be read.
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

/// Parses a file that contains a JSON object.
pub(super) fn parse_object(bytes: &[u8], file: &str) -> Result<Map<String, Value>, Vec<Diagnostic>> {
    let location = Location::file(file);
    if bytes.len() > MAX_FILE_MIB << 20 {
        let message =
            message!("the file is larger than the {max_file_mib} MiB that are read", max_file_mib = MAX_FILE_MIB);
        return Err(vec![Diagnostic::error(location, message)]);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(vec![Diagnostic::error(location, message!("this is not a setup: expected an object"))]),
        Err(e) => Err(vec![Diagnostic::error(
            location.with_line(e.line() as u64),
            message!("this is not JSON: {error}", error = format_args!("{e}")),
        )]),
    }
}

/// Rejects a file of any version except `known`.
pub(super) fn check_version(fields: &Map<String, Value>, known: u64, file: &str) -> Result<(), Vec<Diagnostic>> {
    let message = match fields.get("version") {
        Some(version) if version.as_u64() == Some(known) => return Ok(()),
        Some(version) if version.as_u64().is_some_and(|v| v > known) => {
            message!(
                "the setup has version {version}; this Yuremono reads up to {known}. Open it with a newer Yuremono",
                version = describe_value(version),
                known
            )
        }
        Some(version) => {
            message!("{version} is not a version; expected {known}", version = describe_value(version), known)
        }
        None => message!("there is no version; expected {known}", known),
    };
    Err(vec![Diagnostic::error(Location::file(file).with_pointer("/version"), message)])
}

/// Converts a finite number to its shortest decimal. Infinity and NaN become strings.
pub(super) fn number_to_json(value: f32) -> Value {
    if value.is_finite() {
        // A cast to `f64` would write 0.05 as 0.05000000074505806.
        json!(value.to_string().parse::<f64>().expect("a finite number is written as one"))
    } else if value.is_nan() {
        json!("NaN")
    } else {
        json!(if value > 0.0 { "Infinity" } else { "-Infinity" })
    }
}

pub(super) fn number_from_json(value: &Value) -> Result<f32, MessageText> {
    let number = match value {
        Value::Number(n) => n.as_f64().map(|n| n as f32),
        Value::String(text) if text == "Infinity" => return Ok(f32::INFINITY),
        Value::String(text) if text == "-Infinity" => return Ok(f32::NEG_INFINITY),
        _ => None,
    };
    match number {
        Some(number) if number.is_finite() => Ok(number),
        Some(_) => Err(message!("{value} is too large for a number; left out", value = describe_value(value))),
        None => Err(message!("{value} is not a number; left out", value = describe_value(value))),
    }
}

/// Converts the value of a parameter: a toggle to a boolean, a choice to its name, any other kind to a number.
pub(super) fn param_to_json(def: &ParamDef, value: f32) -> Value {
    match def.kind {
        ParamKind::Toggle if value == 0.0 || value == 1.0 => json!(value != 0.0),
        ParamKind::Choice(choices) if value >= 0.0 && value.fract() == 0.0 => {
            choices.get(value as usize).map_or_else(|| number_to_json(value), |choice| json!(choice))
        }
        _ => number_to_json(value),
    }
}

pub(super) fn number_to_typed_json(def: &ParamDef, value: f32) -> Value {
    let is_integer = matches!(def.kind, ParamKind::Integer | ParamKind::Choice(_)) && value.fract() == 0.0;
    if is_integer { json!(value as i64) } else { number_to_json(value) }
}

/// The inverse of [`param_to_json`].
pub(super) fn param_from_json(def: &ParamDef, value: &Value) -> Result<f32, MessageText> {
    match (def.kind, value) {
        (ParamKind::Toggle, Value::Bool(on)) => Ok(f32::from(u8::from(*on))),
        (ParamKind::Choice(choices), Value::String(text)) => match choices.iter().position(|choice| choice == text) {
            Some(at) => Ok(at as f32),
            None => number_from_json(value).map_err(|_why| {
                message!(
                    "{value} is not one of {choices}; left out",
                    value = describe_value(value),
                    choices = choices.join(", ")
                )
            }),
        },
        (ParamKind::Toggle, Value::Number(_)) => number_from_json(value),
        (ParamKind::Toggle, Value::String(_)) => number_from_json(value)
            .map_err(|_why| message!("{value}, expected true or false; left out", value = describe_value(value))),
        (ParamKind::Toggle, _) => {
            Err(message!("{value}, expected true or false; left out", value = describe_value(value)))
        }
        _ => number_from_json(value),
    }
}

/// Converts a JSON value to the text of a table cell, so that CSV rows and JSON share one parser.
pub(super) fn json_to_cell(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(_) => value.to_string(),
        other => describe_value(other).to_string(),
    }
}

/// Returns the bytes of a JSON file.
pub(super) fn to_json_bytes(value: &Value) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("a JSON value can be written");
    bytes.push(b'\n');
    bytes
}

/// Converts a key to a token of a JSON pointer, and shortens a long key.
pub(super) fn pointer_token(key: &str) -> String {
    excerpt(key).replace('~', "~0").replace('/', "~1")
}
