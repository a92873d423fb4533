//! Names in cells whose outer blanks a reader of tables would trim.

use std::fmt::Write as _;

/// A cell whose outer blanks survive a reader that trims cells; [`unescape`] is the way back.
pub fn escape(name: &str) -> String {
    let inner = name.trim();
    let (before, after) =
        if inner.is_empty() { (name, "") } else { name.split_once(inner).expect("a trimmed text is part of it") };
    let mut text = String::with_capacity(name.len());
    let blanks = |text: &mut String, blanks: &str| {
        // Writing to a String cannot fail.
        for c in blanks.chars() {
            let _ = write!(text, "\\u{{{:x}}}", u32::from(c));
        }
    };
    blanks(&mut text, before);
    text.push_str(&inner.replace('\\', "\\\\"));
    blanks(&mut text, after);
    text
}

/// The way back of [`escape`].
pub fn unescape(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, behind)) = rest.split_once('\\') {
        name.push_str(plain);
        rest = if let Some(behind) = behind.strip_prefix('\\') {
            name.push('\\');
            behind
        } else if let Some((code, after)) = behind.strip_prefix("u{").and_then(|b| b.split_once('}'))
            && let Some(blank) = u32::from_str_radix(code, 16).ok().and_then(char::from_u32)
        {
            name.push(blank);
            after
        } else {
            name.push('\\');
            behind
        };
    }
    name.push_str(rest);
    name
}
