//! A JSON text that is split into entries only along the paths of patches.

use super::style::{JsonStyle, quote_key, string_len, value_len, whitespace_len};
use super::{Change, Patch, SpliceError, pointer_token};
use serde_json::Value;
use std::borrow::Cow;

/// A JSON text that patches can change.
#[derive(Debug)]
pub(super) struct PatchableJson<'t> {
    text_before: &'t str,
    root: JsonNode<'t>,
    text_after: &'t str,
    style: JsonStyle,
}

/// A value as text, or split into its entries.
#[derive(Debug)]
enum JsonNode<'t> {
    Text(Cow<'t, str>),
    Children(JsonChildren<'t>),
}

#[derive(Debug)]
struct JsonChildren<'t> {
    is_object: bool,
    entries: Vec<JsonEntry<'t>>,
    /// White space between the brackets of an empty container.
    empty_text: Cow<'t, str>,
}

#[derive(Debug)]
struct JsonEntry<'t> {
    /// White space before the entry.
    leading_space: Cow<'t, str>,
    key: Option<JsonKey<'t>>,
    node: JsonNode<'t>,
    /// White space after the entry, before the comma or bracket.
    trailing_space: Cow<'t, str>,
}

#[derive(Debug)]
struct JsonKey<'t> {
    name: String,
    text: Cow<'t, str>,
    /// The colon and the white space around it.
    colon: Cow<'t, str>,
}

#[derive(Clone, Debug, Default)]
struct LayoutContext {
    /// Indentation of the value's line.
    indent: String,
    /// Whether the container of the value is on one line.
    is_inline: bool,
}

impl<'t> PatchableJson<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mark = text.len() - text.trim_start_matches(super::BYTE_ORDER_MARK).len();
        let start = mark + whitespace_len(&text[mark..]);
        let end = start + value_len(&text[start..]);
        let root = &text[start..end];
        Self {
            text_before: &text[..start],
            root: JsonNode::Text(root.into()),
            text_after: &text[end..],
            style: JsonStyle::detect(root),
        }
    }

    pub(super) fn apply(&mut self, patch: &Patch) -> Result<(), SpliceError> {
        let mut parts = parse_pointer(&patch.pointer)?;
        if let Change::Set(value) = &patch.change {
            let (node, around) = find_node(&mut self.root, &parts)?;
            set_value(node, value, &around, &self.style);
            return Ok(());
        }
        let last = parts.pop().ok_or(SpliceError::RootNotRemovable)?;
        let (node, around) = find_node(&mut self.root, &parts)?;
        let container = node.expand().ok_or_else(|| missing_error(&parts, &last))?;
        match &patch.change {
            Change::Insert(value) => {
                let place = container.insert_index(&parts, &last)?;
                container.insert(place, &last, value, &around, &self.style);
            }
            Change::Set(_) | Change::Remove => {
                let place = container.entry_index(&parts, &last)?;
                container.remove(place);
            }
        }
        Ok(())
    }

    pub(super) fn to_text(&self) -> String {
        let mut out = String::from(self.text_before);
        self.root.write(&mut out);
        out.push_str(self.text_after);
        out
    }
}

/// Splits a JSON pointer into its unescaped parts.
fn parse_pointer(pointer: &str) -> Result<Vec<String>, SpliceError> {
    let wrong = |why| SpliceError::Pointer { pointer: pointer.to_owned(), why };
    if pointer.is_empty() {
        return Ok(Vec::new());
    }
    let rest = pointer.strip_prefix('/').ok_or_else(|| wrong("it does not start with a slash"))?;
    let part = |part: &str| {
        let stray = part.split('~').skip(1).any(|after| !after.starts_with(['0', '1']));
        if stray {
            Err(wrong("a ~ is followed by neither 0 nor 1"))
        } else {
            Ok(part.replace("~1", "/").replace("~0", "~"))
        }
    };
    rest.split('/').map(part).collect()
}

fn join_pointer(parts: &[String], last: &str) -> String {
    parts.iter().map(String::as_str).chain([last]).fold(String::new(), |all, part| all + "/" + &pointer_token(part))
}

fn missing_error(parts: &[String], last: &str) -> SpliceError {
    SpliceError::Missing { pointer: join_pointer(parts, last) }
}

/// Returns the node at the end of a path, and expands every container on the path.
fn find_node<'n, 't>(
    root: &'n mut JsonNode<'t>,
    parts: &[String],
) -> Result<(&'n mut JsonNode<'t>, LayoutContext), SpliceError> {
    let mut node = root;
    let mut around = LayoutContext::default();
    for (depth, part) in parts.iter().enumerate() {
        let above = &parts[..depth];
        let container = node.expand().ok_or_else(|| missing_error(above, part))?;
        let place = container.entry_index(above, part)?;
        let item = &mut container.entries[place];
        match item.leading_space.rsplit_once('\n') {
            Some((_, indent)) => around = LayoutContext { indent: indent.to_owned(), is_inline: false },
            None => around.is_inline = true,
        }
        node = &mut item.node;
    }
    Ok((node, around))
}

fn set_value(node: &mut JsonNode<'_>, value: &Value, around: &LayoutContext, style: &JsonStyle) {
    let mut old = String::new();
    node.write(&mut old);
    if serde_json::from_str::<Value>(&old).is_ok_and(|old| old == *value) {
        return;
    }
    let inline = around.is_inline || (old.len() > 2 && old.starts_with(['{', '[']) && !old.contains('\n'));
    let mut text = String::new();
    style.write_value(value, &around.indent, inline, &mut text);
    *node = JsonNode::Text(text.into());
}

impl<'t> JsonNode<'t> {
    /// Splits a container into its entries, one level deep. Returns `None` for other values.
    fn expand(&mut self) -> Option<&mut JsonChildren<'t>> {
        if let Self::Text(text) = self {
            if !text.starts_with(['{', '[']) {
                return None;
            }
            *self = Self::Children(match text {
                Cow::Borrowed(text) => JsonChildren::parse(text),
                Cow::Owned(text) => JsonChildren::parse(text).into_owned(),
            });
        }
        match self {
            Self::Children(parts) => Some(parts),
            Self::Text(_) => None,
        }
    }

    fn write(&self, out: &mut String) {
        let parts = match self {
            Self::Text(text) => return out.push_str(text),
            Self::Children(parts) => parts,
        };
        let brackets = if parts.is_object { ['{', '}'] } else { ['[', ']'] };
        out.push(brackets[0]);
        if parts.entries.is_empty() {
            out.push_str(&parts.empty_text);
        }
        for (i, item) in parts.entries.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            out.push_str(&item.leading_space);
            if let Some(key) = &item.key {
                out.push_str(&key.text);
                out.push_str(&key.colon);
            }
            item.node.write(out);
            out.push_str(&item.trailing_space);
        }
        out.push(brackets[1]);
    }
}

impl<'t> JsonChildren<'t> {
    fn parse(text: &'t str) -> Self {
        let is_object = text.starts_with('{');
        let mut cut = TextCursor { remaining: text.get(1..text.len() - 1).unwrap_or("") };
        let mut parts = Self { is_object, entries: Vec::new(), empty_text: "".into() };
        let mut lead = cut.take(whitespace_len);
        if cut.remaining.is_empty() {
            parts.empty_text = lead.into();
            return parts;
        }
        loop {
            let key = is_object.then(|| {
                let text = cut.take(string_len);
                let colon = cut.take(|rest| rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r', ':']).len());
                let name = serde_json::from_str(text).unwrap_or_else(|_| text.to_owned());
                JsonKey { name, text: text.into(), colon: colon.into() }
            });
            let node = JsonNode::Text(cut.take(value_len).into());
            let trail = cut.take(whitespace_len);
            parts.entries.push(JsonEntry { leading_space: lead.into(), key, node, trailing_space: trail.into() });
            if cut.take(|rest| usize::from(rest.starts_with(','))).is_empty() {
                return parts;
            }
            lead = cut.take(whitespace_len);
        }
    }

    fn into_owned<'o>(self) -> JsonChildren<'o> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let item = |item: JsonEntry<'_>| JsonEntry {
            leading_space: own(item.leading_space),
            key: item.key.map(|key| JsonKey { name: key.name, text: own(key.text), colon: own(key.colon) }),
            node: match item.node {
                JsonNode::Text(text) => JsonNode::Text(own(text)),
                JsonNode::Children(parts) => JsonNode::Children(parts.into_owned()),
            },
            trailing_space: own(item.trailing_space),
        };
        JsonChildren {
            is_object: self.is_object,
            entries: self.entries.into_iter().map(item).collect(),
            empty_text: own(self.empty_text),
        }
    }

    /// Returns the index of a key, or `None` if the key is missing. A duplicate key is an error.
    fn key_index(&self, above: &[String], part: &str) -> Result<Option<usize>, SpliceError> {
        let is_it = |item: &JsonEntry<'_>| item.key.as_ref().is_some_and(|key| key.name == part);
        let found = self.entries.iter().position(is_it);
        let again = found.is_some_and(|first| self.entries[first + 1..].iter().any(is_it));
        if again { Err(SpliceError::DuplicateKey { pointer: join_pointer(above, part) }) } else { Ok(found) }
    }

    fn entry_index(&self, above: &[String], part: &str) -> Result<usize, SpliceError> {
        let found = if self.is_object { self.key_index(above, part)? } else { parse_list_index(part) };
        found.filter(|place| *place < self.entries.len()).ok_or_else(|| missing_error(above, part))
    }

    fn insert_index(&self, above: &[String], part: &str) -> Result<usize, SpliceError> {
        let end = self.entries.len();
        if self.is_object {
            let taken = self.key_index(above, part)?.is_some();
            return if taken {
                Err(SpliceError::AlreadyExists { pointer: join_pointer(above, part) })
            } else {
                Ok(end)
            };
        }
        let place = if part == "-" { Some(end) } else { parse_list_index(part) };
        place.filter(|place| *place <= end).ok_or_else(|| missing_error(above, part))
    }

    fn insert(&mut self, place: usize, key: &str, value: &Value, around: &LayoutContext, style: &JsonStyle) {
        let (lead, trail) = self.whitespace_for_insert(place, around, style);
        let colon = self.entries.last().and_then(|item| item.key.as_ref()).map(|key| key.colon.clone().into_owned());
        let key = self.is_object.then(|| JsonKey {
            name: key.to_owned(),
            text: quote_key(key).into(),
            colon: colon.unwrap_or_else(|| style.colon.clone()).into(),
        });
        let (base, inline) = match lead.rsplit_once('\n') {
            Some((_, indent)) => (indent.to_owned(), false),
            None => (around.indent.clone(), true),
        };
        let mut text = String::new();
        style.write_value(value, &base, inline, &mut text);
        let item = JsonEntry {
            leading_space: lead.into(),
            key,
            node: JsonNode::Text(text.into()),
            trailing_space: trail.into(),
        };
        self.entries.insert(place, item);
    }

    /// Returns the white space before and after a new entry, copied from its neighbours.
    fn whitespace_for_insert(&mut self, place: usize, around: &LayoutContext, style: &JsonStyle) -> (String, String) {
        let Some(first) = self.entries.first() else {
            return style.bracket_whitespace(&around.indent, around.is_inline);
        };
        let first = first.leading_space.clone().into_owned();
        let later = match self.entries.get(1) {
            Some(second) => second.leading_space.clone().into_owned(),
            None if first.contains('\n') => first.clone(),
            None => style.comma.clone(),
        };
        if place == 0 {
            self.entries[0].leading_space = later.into();
            return (first, String::new());
        }
        if place < self.entries.len() {
            return (later, String::new());
        }
        let trail = self.entries.last_mut().map(|last| std::mem::take(&mut last.trailing_space).into_owned());
        (later, trail.unwrap_or_default())
    }

    fn remove(&mut self, place: usize) {
        let gone = self.entries.remove(place);
        if let Some(next) = self.entries.first_mut().filter(|_| place == 0) {
            next.leading_space = gone.leading_space;
        }
        let behind = place == self.entries.len();
        if let Some(last) = self.entries.last_mut().filter(|_| behind) {
            last.trailing_space = gone.trailing_space;
        }
        self.empty_text = "".into();
    }
}

/// Parses a list index of a JSON pointer, which has no leading zeros.
fn parse_list_index(part: &str) -> Option<usize> {
    let plain = part == "0" || (!part.starts_with('0') && part.bytes().all(|b| b.is_ascii_digit()));
    part.parse().ok().filter(|_| plain)
}

/// The part of a text that is not yet parsed.
struct TextCursor<'t> {
    remaining: &'t str,
}

impl<'t> TextCursor<'t> {
    fn take(&mut self, measure: impl Fn(&str) -> usize) -> &'t str {
        let length = measure(self.remaining);
        let (taken, rest) = self.remaining.split_at_checked(length).unwrap_or((self.remaining, ""));
        self.remaining = rest;
        taken
    }
}
