//! A JSON text, taken apart only where patches lead.

use super::style::{Style, quoted};
use super::{Change, Patch, SpliceError, escape, scan};
use serde_json::Value;
use std::borrow::Cow;

/// A text and the changes made to it.
#[derive(Debug)]
pub(super) struct Document<'t> {
    before: &'t str,
    root: Node<'t>,
    after: &'t str,
    style: Style,
}

/// A value, as text or taken apart.
#[derive(Debug)]
enum Node<'t> {
    Text(Cow<'t, str>),
    Parts(Parts<'t>),
}

#[derive(Debug)]
struct Parts<'t> {
    is_object: bool,
    items: Vec<Item<'t>>,
    /// Between the brackets where nothing else is.
    empty: Cow<'t, str>,
}

#[derive(Debug)]
struct Item<'t> {
    /// White space before it.
    lead: Cow<'t, str>,
    key: Option<Key<'t>>,
    node: Node<'t>,
    /// White space behind it, before the comma or bracket.
    trail: Cow<'t, str>,
}

#[derive(Debug)]
struct Key<'t> {
    name: String,
    text: Cow<'t, str>,
    /// Colon and white space.
    colon: Cow<'t, str>,
}

/// Where a container stands, for the looks of what is put into it.
#[derive(Clone, Debug, Default)]
struct Around {
    /// Indentation of its line.
    base: String,
    /// Its own container stands on one line.
    inline: bool,
}

impl<'t> Document<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mark = text.len() - text.trim_start_matches(super::BYTE_ORDER_MARK).len();
        let start = mark + scan::space(&text[mark..]);
        let end = start + scan::value(&text[start..]);
        let root = &text[start..end];
        Self { before: &text[..start], root: Node::Text(root.into()), after: &text[end..], style: Style::of(root) }
    }

    pub(super) fn apply(&mut self, patch: &Patch) -> Result<(), SpliceError> {
        let mut parts = split(&patch.pointer)?;
        if let Change::Set(value) = &patch.change {
            let (node, around) = walk(&mut self.root, &parts)?;
            set(node, value, &around, &self.style);
            return Ok(());
        }
        let last = parts.pop().ok_or(SpliceError::Root)?;
        let (node, around) = walk(&mut self.root, &parts)?;
        let container = node.open().ok_or_else(|| missing(&parts, &last))?;
        match &patch.change {
            Change::Insert(value) => {
                let place = container.place_to_insert(&parts, &last)?;
                container.insert(place, &last, value, &around, &self.style);
            }
            Change::Set(_) | Change::Remove => {
                let place = container.find(&parts, &last)?;
                container.remove(place);
            }
        }
        Ok(())
    }

    pub(super) fn to_text(&self) -> String {
        let mut out = String::from(self.before);
        self.root.write(&mut out);
        out.push_str(self.after);
        out
    }
}

/// The parts of a pointer.
fn split(pointer: &str) -> Result<Vec<String>, SpliceError> {
    let wrong = |why| SpliceError::Pointer { pointer: pointer.to_owned(), why };
    if pointer.is_empty() {
        return Ok(Vec::new());
    }
    let rest = pointer.strip_prefix('/').ok_or_else(|| wrong("it does not begin with a slash"))?;
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

fn join(parts: &[String], last: &str) -> String {
    parts.iter().map(String::as_str).chain([last]).fold(String::new(), |all, part| all + "/" + &escape(part))
}

fn missing(parts: &[String], last: &str) -> SpliceError {
    SpliceError::Missing { pointer: join(parts, last) }
}

/// The node at the end of a path, every container on the way taken apart.
fn walk<'n, 't>(root: &'n mut Node<'t>, parts: &[String]) -> Result<(&'n mut Node<'t>, Around), SpliceError> {
    let mut node = root;
    let mut around = Around::default();
    for (depth, part) in parts.iter().enumerate() {
        let above = &parts[..depth];
        let container = node.open().ok_or_else(|| missing(above, part))?;
        let place = container.find(above, part)?;
        let item = &mut container.items[place];
        match item.lead.rsplit_once('\n') {
            Some((_, indent)) => around = Around { base: indent.to_owned(), inline: false },
            None => around.inline = true,
        }
        node = &mut item.node;
    }
    Ok((node, around))
}

fn set(node: &mut Node<'_>, value: &Value, around: &Around, style: &Style) {
    let mut old = String::new();
    node.write(&mut old);
    if serde_json::from_str::<Value>(&old).is_ok_and(|old| old == *value) {
        return;
    }
    let inline = around.inline || (old.len() > 2 && old.starts_with(['{', '[']) && !old.contains('\n'));
    let mut text = String::new();
    style.write(value, &around.base, inline, &mut text);
    *node = Node::Text(text.into());
}

impl<'t> Node<'t> {
    /// Takes a container apart, one level deep; `None` for other values.
    fn open(&mut self) -> Option<&mut Parts<'t>> {
        if let Self::Text(text) = self {
            if !text.starts_with(['{', '[']) {
                return None;
            }
            *self = Self::Parts(match text {
                Cow::Borrowed(text) => Parts::of(text),
                Cow::Owned(text) => Parts::of(text).into_owned(),
            });
        }
        match self {
            Self::Parts(parts) => Some(parts),
            Self::Text(_) => None,
        }
    }

    fn write(&self, out: &mut String) {
        let parts = match self {
            Self::Text(text) => return out.push_str(text),
            Self::Parts(parts) => parts,
        };
        let brackets = if parts.is_object { ['{', '}'] } else { ['[', ']'] };
        out.push(brackets[0]);
        if parts.items.is_empty() {
            out.push_str(&parts.empty);
        }
        for (i, item) in parts.items.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            out.push_str(&item.lead);
            if let Some(key) = &item.key {
                out.push_str(&key.text);
                out.push_str(&key.colon);
            }
            item.node.write(out);
            out.push_str(&item.trail);
        }
        out.push(brackets[1]);
    }
}

impl<'t> Parts<'t> {
    fn of(text: &'t str) -> Self {
        let is_object = text.starts_with('{');
        let mut cut = Cut { rest: text.get(1..text.len() - 1).unwrap_or("") };
        let mut parts = Self { is_object, items: Vec::new(), empty: "".into() };
        let mut lead = cut.take(scan::space);
        if cut.rest.is_empty() {
            parts.empty = lead.into();
            return parts;
        }
        loop {
            let key = is_object.then(|| {
                let text = cut.take(scan::string);
                let colon = cut.take(|rest| rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r', ':']).len());
                let name = serde_json::from_str(text).unwrap_or_else(|_| text.to_owned());
                Key { name, text: text.into(), colon: colon.into() }
            });
            let node = Node::Text(cut.take(scan::value).into());
            let trail = cut.take(scan::space);
            parts.items.push(Item { lead: lead.into(), key, node, trail: trail.into() });
            if cut.take(|rest| usize::from(rest.starts_with(','))).is_empty() {
                return parts;
            }
            lead = cut.take(scan::space);
        }
    }

    fn into_owned<'o>(self) -> Parts<'o> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let item = |item: Item<'_>| Item {
            lead: own(item.lead),
            key: item.key.map(|key| Key { name: key.name, text: own(key.text), colon: own(key.colon) }),
            node: match item.node {
                Node::Text(text) => Node::Text(own(text)),
                Node::Parts(parts) => Node::Parts(parts.into_owned()),
            },
            trail: own(item.trail),
        };
        Parts { is_object: self.is_object, items: self.items.into_iter().map(item).collect(), empty: own(self.empty) }
    }

    /// Position of a key; `None` where it is not there.
    fn key(&self, above: &[String], part: &str) -> Result<Option<usize>, SpliceError> {
        let is_it = |item: &Item<'_>| item.key.as_ref().is_some_and(|key| key.name == part);
        let found = self.items.iter().position(is_it);
        let again = found.is_some_and(|first| self.items[first + 1..].iter().any(is_it));
        if again { Err(SpliceError::KeyTwice { pointer: join(above, part) }) } else { Ok(found) }
    }

    fn find(&self, above: &[String], part: &str) -> Result<usize, SpliceError> {
        let found = if self.is_object { self.key(above, part)? } else { index(part) };
        found.filter(|place| *place < self.items.len()).ok_or_else(|| missing(above, part))
    }

    fn place_to_insert(&self, above: &[String], part: &str) -> Result<usize, SpliceError> {
        let end = self.items.len();
        if self.is_object {
            let taken = self.key(above, part)?.is_some();
            return if taken { Err(SpliceError::Taken { pointer: join(above, part) }) } else { Ok(end) };
        }
        let place = if part == "-" { Some(end) } else { index(part) };
        place.filter(|place| *place <= end).ok_or_else(|| missing(above, part))
    }

    fn insert(&mut self, place: usize, key: &str, value: &Value, around: &Around, style: &Style) {
        let (lead, trail) = self.make_room(place, around, style);
        let colon = self.items.last().and_then(|item| item.key.as_ref()).map(|key| key.colon.clone().into_owned());
        let key = self.is_object.then(|| Key {
            name: key.to_owned(),
            text: quoted(key).into(),
            colon: colon.unwrap_or_else(|| style.colon.clone()).into(),
        });
        let (base, inline) = match lead.rsplit_once('\n') {
            Some((_, indent)) => (indent.to_owned(), false),
            None => (around.base.clone(), true),
        };
        let mut text = String::new();
        style.write(value, &base, inline, &mut text);
        let item = Item { lead: lead.into(), key, node: Node::Text(text.into()), trail: trail.into() };
        self.items.insert(place, item);
    }

    /// White space before and behind a new entry, taken from its neighbours.
    fn make_room(&mut self, place: usize, around: &Around, style: &Style) -> (String, String) {
        let Some(first) = self.items.first() else {
            return style.open_and_close(&around.base, around.inline);
        };
        let first = first.lead.clone().into_owned();
        let later = match self.items.get(1) {
            Some(second) => second.lead.clone().into_owned(),
            None if first.contains('\n') => first.clone(),
            None => style.comma.clone(),
        };
        if place == 0 {
            self.items[0].lead = later.into();
            return (first, String::new());
        }
        if place < self.items.len() {
            return (later, String::new());
        }
        let trail = self.items.last_mut().map(|last| std::mem::take(&mut last.trail).into_owned());
        (later, trail.unwrap_or_default())
    }

    fn remove(&mut self, place: usize) {
        let gone = self.items.remove(place);
        if let Some(next) = self.items.first_mut().filter(|_| place == 0) {
            next.lead = gone.lead;
        }
        let behind = place == self.items.len();
        if let Some(last) = self.items.last_mut().filter(|_| behind) {
            last.trail = gone.trail;
        }
        self.empty = "".into();
    }
}

/// A position as pointers spell it.
fn index(part: &str) -> Option<usize> {
    let plain = part == "0" || (!part.starts_with('0') && part.bytes().all(|b| b.is_ascii_digit()));
    part.parse().ok().filter(|_| plain)
}

/// What is left of a text.
struct Cut<'t> {
    rest: &'t str,
}

impl<'t> Cut<'t> {
    /// Takes as many bytes as `measure` says.
    fn take(&mut self, measure: impl Fn(&str) -> usize) -> &'t str {
        let length = measure(self.rest);
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }
}
