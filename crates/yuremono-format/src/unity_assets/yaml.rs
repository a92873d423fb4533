//! YAML as Unity writes it: maps, lists and text. The reader of a field decides whether its text is a number, because a
//! name can look like one.

use saphyr_parser::{Event, Parser};
use yuremono_sim::diagnostics::{MessageText, excerpt, message};

/// Maximum nesting of maps and lists. Unity nests fewer than ten.
const MAX_DEPTH: usize = 64;

/// A value of a YAML document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Yaml {
    Text(String),
    List(Vec<Self>),
    /// Keys and values in the order of the file.
    Map(Vec<(String, Self)>),
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
    /// Parses one document. An empty document is an empty text.
    pub(crate) fn parse(text: &str) -> Result<Self, YamlError> {
        let mut root = None;
        let mut open: Vec<Open> = Vec::new();
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|error| YamlError {
                line: error.marker().line() as u64,
                message: message!("this is not YAML: {error}", error = excerpt(error.info())),
            })?;
            let fault = |message| Err(YamlError { line: span.start.line() as u64, message });
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

    /// Returns the entries of a list. Other values have none.
    pub(crate) fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
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

    #[test]
    fn scalars_stay_text_and_wrapped_flow_maps_are_read() {
        let text = "MonoBehaviour:\n  m_Name: 007\n  m_Enabled: 1\n  target: {fileID: -8679921383154817045, guid: abc,\n    \
                    type: 3}\n  list:\n  - {x: 0, y: Infinity}\n  - yes\n  name: \"\\u3057\\u3063\"\n  empty: \n";
        let yaml = Yaml::parse(text).expect("YAML");
        let body = yaml.get("MonoBehaviour").expect("a body");
        assert_eq!((body.text("m_Name"), body.number("m_Enabled")), (Some("007"), Some(1.0)));
        assert_eq!(body.at(&["target", "fileID"]).and_then(Yaml::as_text), Some("-8679921383154817045"));
        assert_eq!(body.at(&["target", "type"]).and_then(Yaml::as_text), Some("3"));
        let list = body.get("list").expect("a list").items();
        assert_eq!((list.len(), list[0].number("y"), list[1].as_text()), (2, Some(f64::INFINITY), Some("yes")));
        assert_eq!((body.text("name"), body.text("empty")), (Some("しっ"), Some("")));
        assert_eq!(Yaml::parse("").expect("empty"), Yaml::default());
    }

    #[test]
    fn aliases_depth_and_faults_are_refused_with_their_line() {
        let bomb = "a: &a [x, x]\nb: [*a, *a]\n";
        assert_eq!(Yaml::parse(bomb).expect_err("an alias").line, 2);
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        Yaml::parse(&deep).expect_err("too deep");
        assert_eq!(Yaml::parse("a: 1\nb: [1, 2\n").expect_err("no end").line.clamp(2, 3), 3);
    }
}
