//! Texts with named arguments. The window and the command line show them in the user's language.
//!
//! As in gettext, the English sentence is the key of its translations, so code stays readable and a sentence without a
//! translation is shown in English. The translations are in `assets/messages/ja.json`.

use super::one_line;
use serde::{Serialize, Serializer};
use std::fmt;
use std::ops::Deref;

/// A text for people, for example the sentence `{value} is not a number` without a full stop, and its arguments.
///
/// Dereferences to the English text, in which control characters are escaped.
///
/// A placeholder of the template has one of these forms:
/// - `{name}` is replaced by the argument.
/// - `{n:joint|joints}` is replaced by a count with its noun: "1 joint" or "8 joints".
/// - `{:mouse}` at the end is a note that distinguishes equal English texts with different translations. The note is not
///   shown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MessageText {
    template: &'static str,
    args: Vec<(&'static str, MessageArg)>,
    /// Empty if there are no arguments.
    english: String,
}

/// An argument of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MessageArg {
    /// Text that is the same in all languages: names, numbers, parts of a file.
    Verbatim(String),
    /// A sentence or phrase that is translated as well.
    Text(MessageText),
}

/// Template for text that has no translation, such as messages of other libraries.
const UNTRANSLATED: &str = "{text}";

impl MessageText {
    /// Use the macro `message!` instead of this function. Arguments have the names of the placeholders.
    pub fn new<const N: usize>(template: &'static str, args: [(&'static str, MessageArg); N]) -> Self {
        let mut text = Self { template, args: args.into(), english: String::new() };
        text.english = text.translated(&|_| None);
        text
    }

    /// Use the macro `message!` instead of this function. Does not allocate.
    pub const fn without_args(template: &'static str) -> Self {
        Self { template, args: Vec::new(), english: String::new() }
    }

    /// Returns the English text with placeholders, which is the key of its translations.
    pub const fn template(&self) -> &'static str {
        self.template
    }

    pub const fn has_args(&self) -> bool {
        !self.args.is_empty()
    }

    /// Returns the text in another language. `translate` returns the translation of a template, or `None` for English.
    pub fn translated<'a>(&self, translate: &dyn Fn(&str) -> Option<&'a str>) -> String {
        one_line(&self.render(translate))
    }

    fn render<'a>(&self, translate: &dyn Fn(&str) -> Option<&'a str>) -> String {
        let mut rest = translate(self.template).unwrap_or(self.template);
        let mut text = String::new();
        // Braces that do not enclose the name of an argument are part of the text.
        while let Some((before, (placeholder, after))) =
            rest.split_once('{').and_then(|(before, after)| Some((before, after.split_once('}')?)))
        {
            text.push_str(before);
            rest = after;
            let (name, forms) = placeholder.split_once(':').unwrap_or((placeholder, ""));
            match self.args.iter().find(|(known, _)| *known == name) {
                Some((_, MessageArg::Verbatim(value))) => {
                    text.push_str(value);
                    if let Some((one, many)) = forms.split_once('|') {
                        text.extend([" ", if value == "1" { one } else { many }]);
                    }
                }
                Some((_, MessageArg::Text(value))) => {
                    let value = value.render(translate);
                    // A Japanese sentence loses its full stop inside another sentence.
                    text.push_str(if after.is_empty() { &value } else { value.trim_end_matches('。') });
                }
                None if placeholder.starts_with(':') => {}
                None => text.extend(["{", placeholder, "}"]),
            }
        }
        text + rest
    }
}

/// Returns a text without arguments as it is shown: without its note.
pub fn without_note(template: &str) -> &str {
    template.split_once("{:").map_or(template, |(text, _)| text)
}

impl Deref for MessageText {
    type Target = str;

    fn deref(&self) -> &str {
        if self.args.is_empty() { without_note(self.template) } else { &self.english }
    }
}

impl fmt::Display for MessageText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl std::error::Error for MessageText {}

impl Serialize for MessageText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl PartialEq<str> for MessageText {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for MessageText {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl From<String> for MessageText {
    fn from(text: String) -> Self {
        Self::new(UNTRANSLATED, [("text", MessageArg::Verbatim(text))])
    }
}

impl From<&str> for MessageText {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<MessageText> for MessageArg {
    fn from(text: MessageText) -> Self {
        Self::Text(text)
    }
}

impl From<&MessageText> for MessageArg {
    fn from(text: &MessageText) -> Self {
        Self::Text(text.clone())
    }
}

macro_rules! verbatim_arguments {
    ($($Type:ty)*) => {
        $(impl From<$Type> for MessageArg {
            fn from(value: $Type) -> Self {
                Self::Verbatim(value.to_string())
            }
        })*
    };
}
verbatim_arguments! { char f32 f64 i32 i64 u8 u16 u32 u64 usize String &String &str std::borrow::Cow<'_, str> &std::borrow::Cow<'_, str> fmt::Arguments<'_> }

/// Creates a [`MessageText`]: `message!("{bone} is not in {file}", bone, file = name(path))`. An argument without `=`
/// is the value of the variable with the same name. Without arguments, the macro can be used in constants.
#[doc(hidden)]
#[macro_export]
macro_rules! message {
    ($template:literal $(,)?) => { $crate::diagnostics::MessageText::without_args($template) };
    ($template:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        $crate::diagnostics::MessageText::new(
            $template,
            [$((stringify!($name), $crate::diagnostics::MessageArg::from($crate::diagnostics::message!(@value $name $(= $value)?)))),*],
        )
    };
    (@value $name:ident) => { $name };
    (@value $name:ident = $value:expr) => { $value };
}
pub use crate::message;

#[cfg(test)]
mod tests {
    use super::*;

    fn in_japanese(template: &str) -> Option<&'static str> {
        let known = [
            ("{value} is not a number", "{value}は数値ではありません"),
            ("{reason}; {n:row is|rows are} unchanged", "{n}行は変更していません（{reason}）"),
            ("Drag{:mouse}", "ドラッグ"),
        ];
        known.iter().find(|(english, _)| *english == template).map(|(_, text)| *text)
    }

    #[test]
    fn a_sentence_in_a_sentence_is_translated_with_it() {
        let value = "\"o.5\"";
        let text = message!(
            "{reason}; {n:row is|rows are} unchanged",
            reason = message!("{value} is not a number", value),
            n = 3
        );
        assert_eq!(text, "\"o.5\" is not a number; 3 rows are unchanged");
        assert_eq!(text.translated(&in_japanese), "3行は変更していません（\"o.5\"は数値ではありません）");
    }

    #[test]
    fn counted_nouns_are_singular_or_plural() {
        let text = |n| message!("{n:chain|chains} in {m:file|files}", n, m = 2).to_string();
        assert_eq!((text(1), text(0)), ("1 chain in 2 files".into(), "0 chains in 2 files".into()));
    }

    #[test]
    fn a_note_for_translators_is_not_shown() {
        const DRAG: MessageText = message!("Drag{:mouse}");
        assert_eq!((DRAG, DRAG.translated(&in_japanese)), (message!("Drag{:mouse}"), "ドラッグ".to_owned()));
        assert_eq!(
            (&*DRAG, message!("{key}, drag{:mouse}", key = "Ctrl").to_string()),
            ("Drag", "Ctrl, drag".to_owned())
        );
    }

    #[test]
    fn a_sentence_without_translation_stays_english() {
        let text = message!("{name} is unknown", name = "x");
        assert_eq!(text.translated(&in_japanese), "x is unknown");
    }

    #[test]
    fn braces_and_control_characters_of_an_argument_do_no_harm() {
        let text = message!("{value} is not a number", value = "{value}\u{1b}{");
        assert_eq!(text, "{value}\\u{1b}{ is not a number");
    }
}
