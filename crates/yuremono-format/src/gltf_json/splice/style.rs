//! Detects the layout of a JSON text, so that new values have the same layout. Also measures the parts of a JSON text.

use serde_json::Value;

/// The layout of a JSON text, estimated from its outermost object.
#[derive(Clone, Debug)]
pub(super) struct JsonStyle {
    /// Line break; `None` for JSON on one line.
    line_break: Option<&'static str>,
    /// One level of indentation.
    indent: String,
    /// Text between key and value, including the colon.
    pub(super) colon: String,
    /// White space after a comma on the same line.
    pub(super) comma: String,
    /// Whether each number of a list is on its own line.
    numbers_on_own_lines: bool,
}

impl JsonStyle {
    pub(super) fn detect(text: &str) -> Self {
        let mut style = Self {
            line_break: None,
            indent: String::new(),
            colon: ":".to_owned(),
            comma: String::new(),
            numbers_on_own_lines: has_numbers_on_own_lines(text),
        };
        let Some(inside) = text.strip_prefix(['{', '[']) else { return style };
        let lead = &inside[..whitespace_len(inside)];
        if let Some((before, indent)) = lead.rsplit_once('\n') {
            style.line_break = Some(if before.ends_with('\r') { "\r\n" } else { "\n" });
            indent.clone_into(&mut style.indent);
        }
        let mut rest = &inside[lead.len()..];
        if text.starts_with('{') && rest.starts_with('"') {
            rest = &rest[string_len(rest)..];
            let colon = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r', ':']).len();
            rest[..colon].clone_into(&mut style.colon);
            rest = &rest[colon..];
        }
        rest = &rest[value_len(rest).min(rest.len())..];
        rest = &rest[whitespace_len(rest)..];
        let after = rest.strip_prefix(',').map_or("", |rest| &rest[..whitespace_len(rest)]);
        let wide = style.line_break.is_some() || style.colon.ends_with(' ');
        style.comma = if after.is_empty() && !wide { String::new() } else { " ".to_owned() };
        style
    }

    pub(super) fn bracket_whitespace(&self, base: &str, inline: bool) -> (String, String) {
        match self.line_break.filter(|_| !inline) {
            Some(line) => (format!("{line}{base}{}", self.indent), format!("{line}{base}")),
            None => (String::new(), String::new()),
        }
    }

    pub(super) fn write_value(&self, value: &Value, base: &str, inline: bool, out: &mut String) {
        let inline = inline || (!self.numbers_on_own_lines && is_list_of_scalars(value));
        let (items, brackets): (Vec<(Option<&String>, &Value)>, _) = match value {
            Value::Array(list) if !list.is_empty() => (list.iter().map(|v| (None, v)).collect(), ['[', ']']),
            Value::Object(map) if !map.is_empty() => (map.iter().map(|(k, v)| (Some(k), v)).collect(), ['{', '}']),
            scalar => return out.push_str(&scalar.to_string()),
        };
        let (lead, trail) = self.bracket_whitespace(base, inline);
        let deeper = format!("{base}{}", self.indent);
        out.push(brackets[0]);
        for (i, (key, value)) in items.into_iter().enumerate() {
            if i > 0 {
                out.push(',');
                out.push_str(if lead.is_empty() { &self.comma } else { "" });
            }
            out.push_str(&lead);
            if let Some(key) = key {
                out.push_str(&quote_key(key));
                out.push_str(&self.colon);
            }
            self.write_value(value, &deeper, inline, out);
        }
        out.push_str(&trail);
        out.push(brackets[1]);
    }
}

pub(super) fn quote_key(key: &str) -> String {
    Value::String(key.to_owned()).to_string()
}

fn is_list_of_scalars(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(|v| !v.is_array() && !v.is_object()))
}

fn has_numbers_on_own_lines(text: &str) -> bool {
    text.split('[').skip(1).any(|rest| {
        let lead = whitespace_len(rest);
        rest[..lead].contains('\n') && rest[lead..].starts_with(|c: char| c == '-' || c.is_ascii_digit())
    })
}

// The following functions measure parts of valid JSON text. For invalid text they may return a wrong length, but they
// never panic.

pub(super) fn whitespace_len(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t', '\n', '\r']).len()
}

pub(super) fn value_len(text: &str) -> usize {
    match text.as_bytes().first() {
        Some(b'"') => string_len(text),
        Some(b'{' | b'[') => container_len(text),
        _ => text.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(text.len()),
    }
}

/// Returns the length of a string, including its quotes.
pub(super) fn string_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

fn container_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += string_len(&text[at..]);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    text.len()
}
