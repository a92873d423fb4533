//! NaN and infinity written bare into JSON, which no reader takes: where they stand.

use crate::format::gltf_json::container;
use serde_json::Value;

const NON_FINITE_LITERALS: &[&str] = &["-Infinity", "Infinity", "NaN", "nan", "-nan", "inf", "-inf"];
/// The first ones tell the story.
const MAX_FINDINGS: usize = 20;

/// JSON pointers and words; `None` where the JSON is broken in another way as well, or not at all.
pub(super) fn find_non_finite_literals(bytes: &[u8]) -> Option<Vec<(String, String)>> {
    let json = container::json_text(bytes).ok()?;
    let (quoted, found) = quote_literals(std::str::from_utf8(json).ok()?);
    if found == 0 {
        return None;
    }
    let value = container::parse_json(quoted.as_bytes()).ok()?;
    let mut places = Vec::new();
    collect_literals(&value, &mut String::new(), &mut places);
    Some(places)
}

/// Puts bare words in quotes behind a mark that no file holds.
fn quote_literals(text: &str) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let (mut found, mut rest, mut quoted) = (0, text, false);
    while let Some(c) = rest.chars().next() {
        if !quoted && let Some(word) = NON_FINITE_LITERALS.iter().find(|word| rest.starts_with(**word)) {
            out.extend(['"', LITERAL_MARK].into_iter().chain(word.chars()).chain(['"']));
            found += 1;
            rest = &rest[word.len()..];
            continue;
        }
        let mut width = c.len_utf8();
        if c == '"' {
            quoted = !quoted;
        } else if c == '\\' && quoted {
            width += rest[1..].chars().next().map_or(0, char::len_utf8);
        }
        out.push_str(&rest[..width]);
        rest = &rest[width..];
    }
    (out, found)
}

/// Of a private plane, so that it is not taken for the file's own text.
const LITERAL_MARK: char = '\u{10fffd}';

/// The depth is bounded by the parser.
fn collect_literals(value: &Value, pointer: &mut String, places: &mut Vec<(String, String)>) {
    let whole = pointer.len();
    match value {
        _ if places.len() == MAX_FINDINGS => {}
        Value::String(text) => {
            places.extend(text.strip_prefix(LITERAL_MARK).map(|word| (pointer.clone(), word.to_owned())));
        }
        Value::Array(list) => {
            for (i, entry) in list.iter().enumerate() {
                pointer.push('/');
                pointer.push_str(&i.to_string());
                collect_literals(entry, pointer, places);
                pointer.truncate(whole);
            }
        }
        Value::Object(map) => {
            for (key, entry) in map {
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                collect_literals(entry, pointer, places);
                pointer.truncate(whole);
            }
        }
        _ => {}
    }
}
