//! Where the parts of a JSON text begin and end. The text has been parsed before: this only measures, and measures
//! nonsense rather than panic where it is wrong after all.

/// Length of the white space that `text` begins with.
pub(super) fn whitespace_len(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t', '\n', '\r']).len()
}

/// Length of the value that `text` begins with; never deeper than a counter.
pub(super) fn value_len(text: &str) -> usize {
    match text.as_bytes().first() {
        Some(b'"') => string_len(text),
        Some(b'{' | b'[') => container_len(text),
        _ => text.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(text.len()),
    }
}

/// Length of the string, quotes included.
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
