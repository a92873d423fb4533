//! Finds positions in a JSON text: the line of a path, and the JSON pointer of a position that a parser reports.
//!
//! The text is scanned token by token without parsing values. Invalid JSON is scanned up to the first error.

use std::borrow::Cow;
use std::collections::HashSet;
use yuremono_sim::diagnostics::excerpt;

/// Returns the line on which each value of `paths` starts, counted from 1, or `None` if the value does not exist. A
/// path lists unescaped keys and list indices, starting at the root.
pub(super) fn lines_of(bytes: &[u8], paths: &[Vec<&str>]) -> Vec<Option<u64>> {
    let mut lines = vec![None; paths.len()];
    let (mut missing, mut line, mut counted) = (paths.len(), 1, 0);
    walk_tokens(bytes, |token| {
        if token.kind == TokenKind::Value {
            for (path, found) in paths.iter().zip(&mut lines) {
                if found.is_none() && token.path.matches(path) {
                    line += bytes[counted..token.start].split(|b| *b == b'\n').skip(1).count() as u64;
                    (counted, *found) = (token.start, Some(line));
                    missing -= 1;
                }
            }
        }
        missing > 0
    });
    lines
}

/// Converts a path to a JSON pointer for a message.
pub(super) fn path_to_pointer(path: &[&str]) -> String {
    path.iter().fold(String::new(), |all, key| all + "/" + &pointer_token(key))
}

/// Converts a key to a token of a JSON pointer for a message.
pub(super) fn pointer_token(key: &str) -> String {
    excerpt(key).replace('~', "~0").replace('/', "~1")
}

/// Returns the JSON pointer of the value at a line and column that the parser reports. Both count from 1; the column
/// counts bytes. The pointer of the root is empty.
pub(super) fn pointer_at(bytes: &[u8], line: usize, column: usize) -> String {
    path_to_pointer(&path_at(bytes, line, column).iter().map(String::as_str).collect::<Vec<_>>())
}

/// Like [`pointer_at`], but returns a path of unescaped keys and list indices.
pub(super) fn path_at(bytes: &[u8], line: usize, column: usize) -> Vec<String> {
    let starts = std::iter::once(0).chain(bytes.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1));
    let start = starts.take(line.max(1)).last().unwrap_or(0);
    let place = start + column.saturating_sub(1);
    let mut last = None;
    walk_tokens(bytes, |token| {
        let is_before = token.start <= place;
        last = if is_before { Some(token.start) } else { last };
        is_before
    });
    let mut found = Vec::new();
    walk_tokens(bytes, |token| {
        let is_it = last == Some(token.start);
        if is_it {
            found = token.path.to_strings();
        }
        !is_it && last.is_some()
    });
    found
}

/// Finds keys that occur twice in an object, each with the line of its second occurrence. Returns at most `most` keys.
pub(super) fn duplicate_keys(bytes: &[u8], most: usize) -> Vec<(Vec<String>, u64)> {
    // The keys of each open object or list, from the outermost to the innermost.
    let mut open: Vec<HashSet<String>> = Vec::new();
    let mut found = Vec::new();
    let (mut line, mut counted) = (1, 0);
    walk_tokens(bytes, |token| {
        let depth = token.path.0.len();
        match (bytes[token.start], token.path.0.last()) {
            (b'{' | b'[', _) => {
                open.truncate(depth);
                open.push(HashSet::new());
            }
            (b'"', Some(PathStep::ObjectField(Some(name))))
                if token.kind == TokenKind::Other
                    && open.get_mut(depth - 1).is_some_and(|names| !names.insert(name.to_string())) =>
            {
                line += bytes[counted..token.start].split(|b| *b == b'\n').skip(1).count() as u64;
                counted = token.start;
                found.push((token.path.to_strings(), line));
            }
            _ => {}
        }
        found.len() < most
    });
    found
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    /// The start of a value.
    Value,
    Other,
}

struct Token<'a> {
    kind: TokenKind,
    start: usize,
    path: &'a TokenPath<'a>,
}

/// The path from the root to a value.
#[derive(Debug, Default)]
struct TokenPath<'a>(Vec<PathStep<'a>>);

#[derive(Debug)]
enum PathStep<'a> {
    /// The current field of an object, after its name was read.
    ObjectField(Option<Cow<'a, str>>),
    /// The index of the current list item.
    ListIndex(usize),
}

impl TokenPath<'_> {
    fn matches(&self, path: &[&str]) -> bool {
        let is = |(step, key): (&PathStep<'_>, &&str)| match step {
            PathStep::ObjectField(name) => name.as_deref() == Some(*key),
            PathStep::ListIndex(at) => key.parse() == Ok(*at),
        };
        // The comparison starts at the last step, because siblings differ there.
        self.0.len() == path.len() && self.0.iter().zip(path).rev().all(is)
    }

    fn to_strings(&self) -> Vec<String> {
        let step = |step: &PathStep<'_>| match step {
            PathStep::ObjectField(name) => name.as_deref().map(str::to_owned),
            PathStep::ListIndex(at) => Some(at.to_string()),
        };
        self.0.iter().filter_map(step).collect()
    }
}

/// Calls `see` for every token with the path to the token. Stops if `see` returns false or the brackets do not match.
fn walk_tokens(bytes: &[u8], mut see: impl FnMut(&Token<'_>) -> bool) {
    let mut path = TokenPath::default();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        let kind = match byte {
            b' ' | b'\t' | b'\n' | b'\r' => continue,
            b'}' | b']' | b',' | b':' => TokenKind::Other,
            b'"' => {
                at = string_end(bytes, start);
                if let Some(name @ PathStep::ObjectField(None)) = path.0.last_mut() {
                    *name = PathStep::ObjectField(Some(unquote(&bytes[start..at])));
                    TokenKind::Other
                } else {
                    TokenKind::Value
                }
            }
            b'{' | b'[' => TokenKind::Value,
            _ => {
                at += bytes[at..].iter().take_while(|b| !b" \t\n\r{}[],:\"".contains(b)).count();
                TokenKind::Value
            }
        };
        if matches!(byte, b'}' | b']') && path.0.pop().is_none() {
            return;
        }
        if !see(&Token { kind, start, path: &path }) {
            return;
        }
        match (byte, path.0.last_mut()) {
            (b'{', _) => path.0.push(PathStep::ObjectField(None)),
            (b'[', _) => path.0.push(PathStep::ListIndex(0)),
            (b',', Some(PathStep::ObjectField(name))) => *name = None,
            (b',', Some(PathStep::ListIndex(at))) => *at += 1,
            _ => {}
        }
    }
}

/// Returns the position after the closing quote, or the end of the text.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Removes the quotes and escapes of a string. An invalid string is returned unchanged.
fn unquote(quoted: &[u8]) -> Cow<'_, str> {
    let plain = quoted.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\""));
    match plain.filter(|text| !text.contains(&b'\\')).map(str::from_utf8) {
        Some(Ok(text)) => text.into(),
        _ => serde_json::from_slice(quoted).map_or_else(|_| String::from_utf8_lossy(quoted), Cow::Owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{
  "name": {"en": "a \"quoted\" {name}", "a/b": 1},
  "feel": {
    "speed": {"base": -3.0,
      "curve": [{"t": 0, "value": 1},
                {"t": 2, "value": 1}]}
  },
  "feel ": true
}"#;

    fn line_of(text: &str, path: &[&str]) -> Option<u64> {
        lines_of(text.as_bytes(), &[path.to_vec()])[0]
    }

    #[track_caller]
    fn check(path: &[&str], line: u64, from: &str) {
        assert_eq!(line_of(TEXT, path), Some(line));
        let start = TEXT.find(from).expect("the text contains the value");
        let before = &TEXT[..start];
        let column = start - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        assert_eq!(pointer_at(TEXT.as_bytes(), line as usize, column), path_to_pointer(path));
    }

    #[test]
    fn paths_resolve_to_lines_and_positions_to_pointers() {
        check(&[], 1, "{\n");
        check(&["name", "en"], 2, "\"a ");
        check(&["name", "a/b"], 2, "1},");
        check(&["feel"], 3, "{\n    \"speed");
        check(&["feel", "speed", "base"], 4, "-3.0");
        check(&["feel", "speed", "curve"], 5, "[{");
        check(&["feel", "speed", "curve", "1"], 6, "{\"t\": 2");
        check(&["feel", "speed", "curve", "1", "t"], 6, "2, ");
        check(&["feel "], 8, "true");
        assert_eq!(line_of(TEXT, &["feel", "settling"]), None);
        let paths = [vec!["feel "], vec!["none"], vec!["name"], vec!["feel", "speed"]];
        assert_eq!(lines_of(TEXT.as_bytes(), &paths), [Some(8), None, Some(2), Some(4)], "paths can be in any order");
    }

    #[test]
    fn long_and_escaped_keys_are_compared_completely() {
        let key = |n: u32| format!("{}{n}", "k".repeat(80));
        let text = format!("{{\"{}\": 1,\n\"{}\": [2],\n\"\\u006b\\n\": 3}}", key(1), key(2));
        assert_eq!(line_of(&text, &[&key(1)]), Some(1));
        assert_eq!(line_of(&text, &[&key(2), "0"]), Some(2));
        assert_eq!(line_of(&text, &["k\n"]), Some(3));
    }

    #[test]
    fn a_closing_bracket_belongs_to_the_value_that_it_closes() {
        let column = TEXT.lines().nth(5).expect("six lines").find(']').expect("a bracket") + 1;
        assert_eq!(pointer_at(TEXT.as_bytes(), 6, column), "/feel/speed/curve");
        assert_eq!(pointer_at(TEXT.as_bytes(), 6, column + 1), "/feel/speed");
    }

    #[test]
    fn duplicate_keys_are_found_with_the_line_of_the_second() {
        let text = "{\"a\": [{\"b\": 1}, {\"b\": 2,\n\"b\": 3}],\n\"c\": {\"a\": \"a\"}, \"a\": 1}";
        let found = duplicate_keys(text.as_bytes(), 9);
        let expected = [(vec!["a", "1", "b"], 2), (vec!["a"], 3)];
        assert_eq!(found, expected.map(|(path, line)| (path.into_iter().map(str::to_owned).collect(), line)));
        assert_eq!(duplicate_keys(text.as_bytes(), 1).len(), 1);
    }

    #[test]
    fn invalid_json_is_walked_without_a_panic() {
        for text in ["", "]", "{\"a\": [1, \"b", "{\"a\" 3}", "\"\\", "{{{[[[", "\u{feff}{}"] {
            for line in 0..3 {
                for column in 0..12 {
                    _ = pointer_at(text.as_bytes(), line, column);
                }
            }
            assert_eq!(line_of(text, &["b"]), None);
        }
        assert_eq!(pointer_at(b"{\"a\": [1, \"b", 1, 11), "/a/1");
    }
}
