//! YAML as Unity writes it: maps, lists and text. The reader of a field decides whether its text is a number, because a
//! name can look like one.

use glam::{Quat, Vec3};
use saphyr_parser::{Event, Parser};
use yuremono_sim::diagnostics::{MessageText, excerpt, message};

/// Maximum nesting of maps and lists. Unity nests fewer than ten.
const MAX_DEPTH: usize = 64;
/// Maximum number of keys of a map to which an instance adds keys.
const MAX_KEYS: usize = 1000;

/// A value of a YAML document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Yaml {
    Text(String),
    List(Vec<Self>),
    /// Keys and values in the order of the file.
    Map(Vec<(String, Self)>),
}

#[cfg(test)]
impl From<&str> for Yaml {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Default for Yaml {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

/// Why a document is not read.
#[derive(Debug)]
pub(crate) struct YamlError {
    /// 1-based line within the parsed text.
    pub(crate) line: u64,
    pub(crate) message: MessageText,
}

/// A map or a list whose end was not read yet.
struct Open {
    value: Yaml,
    /// The key of the next value of a map.
    key: Option<String>,
}

impl Yaml {
    /// Parses one document. An empty document is an empty text. `values_left` is the number of values that may still be
    /// read.
    pub(crate) fn parse(text: &str, values_left: &mut usize) -> Result<Self, YamlError> {
        let mut root = None;
        let mut open: Vec<Open> = Vec::new();
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|error| YamlError {
                line: error.marker().line() as u64,
                message: message!("this is not YAML: {error}", error = excerpt(error.info())),
            })?;
            let fault = |message| Err(YamlError { line: span.start.line() as u64, message });
            *values_left = match values_left.checked_sub(1) {
                Some(left) => left,
                None => return fault(message!("the file is too large")),
            };
            let finished = match event {
                // The parser writes an absent value as "~".
                Event::Scalar(..) if span.start == span.end => Self::default(),
                Event::Scalar(text, ..) => Self::Text(text.into_owned()),
                Event::SequenceStart(..) | Event::MappingStart(..) if open.len() == MAX_DEPTH => {
                    return fault(message!("lists are nested more than {most} deep", most = MAX_DEPTH));
                }
                Event::SequenceStart(..) => {
                    open.push(Open { value: Self::List(Vec::new()), key: None });
                    continue;
                }
                Event::MappingStart(..) => {
                    open.push(Open { value: Self::Map(Vec::new()), key: None });
                    continue;
                }
                Event::SequenceEnd | Event::MappingEnd => open.pop().map(|closed| closed.value).unwrap_or_default(),
                // An alias can multiply a small text a billionfold.
                Event::Alias(_) => {
                    return fault(message!("it refers to another part of the file, which Unity never does"));
                }
                _ => continue,
            };
            match open.last_mut() {
                None => root = Some(finished),
                Some(outer) => outer.add(finished),
            }
        }
        Ok(root.unwrap_or_default())
    }

    /// Returns the value of a key, or `None` if this is no map with the key. Of equal keys, the first one counts.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Returns the value at a path of keys.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |value, key| value.get(key))
    }

    /// Returns the text of a scalar.
    pub(crate) fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Returns the text at a key.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_text()
    }

    /// Returns the number at a key. `Infinity` and `NaN` are numbers.
    pub(crate) fn number(&self, key: &str) -> Option<f64> {
        self.text(key)?.parse().ok()
    }

    /// Returns the vector at a key. An absent part has the value of `otherwise`.
    pub(crate) fn vector(&self, key: &str, otherwise: Vec3) -> Vec3 {
        let field = self.get(key);
        let part = |axis, otherwise| field.and_then(|field| field.number(axis)).map_or(otherwise, |part| part as f32);
        Vec3::new(part("x", otherwise.x), part("y", otherwise.y), part("z", otherwise.z))
    }

    /// Returns the unit quaternion at a key, or the identity.
    pub(crate) fn rotation(&self, key: &str) -> Quat {
        let w = self.get(key).and_then(|field| field.number("w")).unwrap_or(1.0);
        let rotation = Quat::from_vec4(self.vector(key, Vec3::ZERO).extend(w as f32));
        if rotation.is_finite() && rotation.length() > 1e-6 { rotation.normalize() } else { Quat::IDENTITY }
    }

    /// Counts the values: this one, and all within it.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Text(_) => 1,
            Self::List(items) => 1 + items.iter().map(Self::count).sum::<usize>(),
            Self::Map(entries) => 1 + entries.iter().map(|(_, value)| value.count()).sum::<usize>(),
        }
    }

    /// Writes a value at a `propertyPath`, for example `springForce.x` or `colliders.Array.data[2]`. `values_left` is the
    /// number of values that may still be added. Returns `false` if the path is too long, or a list would be.
    pub(crate) fn set(&mut self, path: &[&str], value: Self, values_left: &mut usize) -> bool {
        if path.len() > MAX_DEPTH {
            return false;
        }
        match *path {
            [] => {
                // A reference that is cleared has an empty value.
                let is_cleared = self.get("fileID").is_some() && value == Self::default();
                *self = if is_cleared { Self::default() } else { value };
            }
            ["Array", "size"] => {
                let Some(size) = value.as_text().and_then(|size| size.parse().ok()) else { return false };
                return self.resize(size, values_left).is_some();
            }
            ["Array", item, ref rest @ ..] => {
                let at = item.strip_prefix("data[").and_then(|item| item.strip_suffix(']')?.parse().ok());
                let Some(at) = at.filter(|at: &usize| *at < usize::MAX) else { return false };
                let size = self.items().len().max(at + 1);
                return self.resize(size, values_left).is_some_and(|items| items[at].set(rest, value, values_left));
            }
            [key, ref rest @ ..] => {
                if !matches!(self, Self::Map(_)) {
                    *self = Self::Map(Vec::new());
                }
                let Self::Map(entries) = self else { return false };
                let known = entries.iter().position(|(name, _)| name == key);
                if known.is_none() && (entries.len() >= MAX_KEYS || *values_left == 0) {
                    return false;
                }
                let at = known.unwrap_or_else(|| {
                    *values_left -= 1;
                    entries.push((key.to_owned(), Self::default()));
                    entries.len() - 1
                });
                return entries[at].1.set(rest, value, values_left);
            }
        }
        true
    }

    /// Makes this a list of this size. New items are empty.
    fn resize(&mut self, size: usize, values_left: &mut usize) -> Option<&mut Vec<Self>> {
        *values_left = values_left.checked_sub(size.saturating_sub(self.items().len()))?;
        if !matches!(self, Self::List(_)) {
            *self = Self::List(Vec::new());
        }
        let Self::List(items) = self else { return None };
        items.resize(size, Self::default());
        Some(items)
    }

    /// Changes the numbers of all references to objects of the same file.
    pub(crate) fn map_references(&mut self, new_id: &dyn Fn(i64) -> i64) {
        match self {
            Self::Text(_) => {}
            Self::List(items) => items.iter_mut().for_each(|item| item.map_references(new_id)),
            Self::Map(entries) => {
                let is_local = !entries.iter().any(|(key, _)| key == "guid");
                for (key, value) in entries {
                    match value {
                        Self::Text(id) if is_local && key == "fileID" => {
                            *id = id.parse().map_or(0, new_id).to_string();
                        }
                        _ => value.map_references(new_id),
                    }
                }
            }
        }
    }

    /// Returns the entries of a list. Other values have none.
    pub(crate) fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }

    /// Returns the fileIDs of a list of references to objects of the same file. References to other files are 0.
    pub(crate) fn references(&self, list: &str) -> Vec<i64> {
        let id = |item: &Self| item.text("fileID").filter(|_| item.get("guid").is_none())?.parse().ok();
        self.get(list).map_or(&[][..], Self::items).iter().map(|item| id(item).unwrap_or(0)).collect()
    }

    /// Returns the entries of a map. Other values have none.
    pub(crate) fn entries(&self) -> &[(String, Self)] {
        if let Self::Map(entries) = self { entries } else { &[] }
    }
}

impl Open {
    fn add(&mut self, value: Yaml) {
        match &mut self.value {
            Yaml::List(items) => items.push(value),
            Yaml::Map(entries) => match self.key.take() {
                Some(key) => entries.push((key, value)),
                // A key that is a map or a list has no name.
                None => self.key = Some(if let Yaml::Text(key) = value { key } else { String::new() }),
            },
            Yaml::Text(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Yaml, YamlError> {
        Yaml::parse(text, &mut 10_000)
    }

    #[test]
    fn scalars_stay_text_and_wrapped_flow_maps_are_read() {
        let text = "MonoBehaviour:\n  m_Name: 007\n  m_Enabled: 1\n  target: {fileID: -8679921383154817045, guid: abc,\n    \
                    type: 3}\n  list:\n  - {x: 0, y: Infinity}\n  - yes\n  name: \"\\u3057\\u3063\"\n  empty: \n";
        let yaml = parse(text).expect("YAML");
        let body = yaml.get("MonoBehaviour").expect("a body");
        assert_eq!((body.text("m_Name"), body.number("m_Enabled")), (Some("007"), Some(1.0)));
        assert_eq!(body.at(&["target", "fileID"]).and_then(Yaml::as_text), Some("-8679921383154817045"));
        assert_eq!(body.at(&["target", "type"]).and_then(Yaml::as_text), Some("3"));
        let list = body.get("list").expect("a list").items();
        assert_eq!((list.len(), list[0].number("y"), list[1].as_text()), (2, Some(f64::INFINITY), Some("yes")));
        assert_eq!((body.text("name"), body.text("empty")), (Some("しっ"), Some("")));
        assert_eq!(parse("").expect("empty"), Yaml::default());
    }

    #[test]
    fn changes_of_an_instance_are_written_at_their_path() {
        let mut yaml =
            parse("force: {x: 1, y: 2}\nlist:\n- {fileID: 5}\n- {fileID: 6, guid: ab}\nempty: []\n").expect("YAML");
        let mut values_left = 4;
        let mut set = |yaml: &mut Yaml, path: &str, value: &str| {
            yaml.set(&path.split('.').collect::<Vec<_>>(), Yaml::Text(value.to_owned()), &mut values_left)
        };
        assert!(
            set(&mut yaml, "force.y", "3") && set(&mut yaml, "list.Array.data[0]", "") && set(&mut yaml, "new.a", "4")
        );
        assert!(set(&mut yaml, "empty.Array.size", "2") && set(&mut yaml, "empty.Array.data[1]", "7"));
        assert!(!set(&mut yaml, "empty.Array.size", "7"), "longer than allowed");
        assert!(!set(&mut yaml, "empty.Array.data[18446744073709551615]", "7"));
        assert_eq!((yaml.at(&["force", "y"]), yaml.at(&["new", "a"])), (Some(&"3".into()), Some(&"4".into())));
        assert_eq!(yaml.get("empty").map(Yaml::items), Some(&[Yaml::default(), "7".into()][..]));
        yaml.map_references(&|id| id + 1);
        let ids: Vec<_> =
            yaml.get("list").map_or(&[][..], Yaml::items).iter().map(|item| item.text("fileID")).collect();
        assert_eq!(ids, [None, Some("6")], "a reference to another file stays");
        assert!(set(&mut yaml, "list.Array.size", "1") && yaml.get("list").is_some_and(|list| list.items().len() == 1));
    }

    #[test]
    fn aliases_depth_and_faults_are_refused_with_their_line() {
        let bomb = "a: &a [x, x]\nb: [*a, *a]\n";
        assert_eq!(parse(bomb).expect_err("an alias").line, 2);
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        parse(&deep).expect_err("too deep");
        assert_eq!(parse("a: 1\nb: [1, 2\n").expect_err("no end").line.clamp(2, 3), 3);
    }
}
