//! Sentences with named arguments, which the window and the command line show in the user's language.
//!
//! The English sentence is the key of its translations, as in gettext: code stays readable, and a sentence without a
//! translation is shown in English. `assets/messages/*.ja.yml` hold the translations.

use super::one_line;
use serde::{Serialize, Serializer};
use std::fmt;
use std::ops::Deref;

/// A sentence without full stop, for example `{value} is not a number`, with its arguments.
///
/// Dereferences to the English text, in which control characters are escaped.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MessageText {
    template: &'static str,
    args: Vec<(&'static str, MessageArg)>,
    english: String,
}

/// An argument of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MessageArg {
    /// Text that is identical in all languages: names, numbers, parts of a file.
    Verbatim(String),
    /// A sentence or phrase that is translated as well.
    Text(MessageText),
}

/// The template of text without translation: messages of other libraries.
const UNTRANSLATED: &str = "{text}";

impl MessageText {
    /// Called by `message!`. Arguments have the names of the placeholders.
    pub fn new<const N: usize>(template: &'static str, args: [(&'static str, MessageArg); N]) -> Self {
        let mut text = Self { template, args: args.into(), english: String::new() };
        text.english = one_line(&text.render(&|_| None));
        text
    }

    /// The English sentence with placeholders, which is the key of translations.
    pub const fn template(&self) -> &'static str {
        self.template
    }

    /// The sentence in another language. `translate` returns the translation of a template, or `None` to keep English.
    pub fn translated(&self, translate: &dyn Fn(&str) -> Option<String>) -> String {
        one_line(&self.render(translate))
    }

    fn render(&self, translate: &dyn Fn(&str) -> Option<String>) -> String {
        let translation = translate(self.template);
        let mut rest = translation.as_deref().unwrap_or(self.template);
        let mut text = String::new();
        // Braces around anything but an argument name belong to the sentence.
        while let Some((before, (name, after))) =
            rest.split_once('{').and_then(|(before, after)| Some((before, after.split_once('}')?)))
        {
            text.push_str(before);
            match self.args.iter().find(|(known, _)| *known == name) {
                Some((_, MessageArg::Verbatim(value))) => text.push_str(value),
                Some((_, MessageArg::Text(value))) => {
                    let value = value.render(translate);
                    // Japanese sentences end with a full stop, except inside another sentence.
                    text.push_str(if after.is_empty() { &value } else { value.trim_end_matches('。') });
                }
                None => text.extend(["{", name, "}"]),
            }
            rest = after;
        }
        text + rest
    }
}

impl Deref for MessageText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.english
    }
}

impl fmt::Display for MessageText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.english)
    }
}

impl std::error::Error for MessageText {}

impl Serialize for MessageText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.english)
    }
}

impl PartialEq<str> for MessageText {
    fn eq(&self, other: &str) -> bool {
        self.english == other
    }
}

impl PartialEq<&str> for MessageText {
    fn eq(&self, other: &&str) -> bool {
        self.english == *other
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
verbatim_arguments! { char f32 f64 i32 i64 u8 u16 u32 u64 usize String &String &str std::borrow::Cow<'_, str> fmt::Arguments<'_> }

/// A [`MessageText`]: `message!("{bone} is not in {file}", bone, file = name(path))`. An argument without `=` is the
/// variable of its name.
macro_rules! message {
    ($template:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        $crate::diagnostics::MessageText::new(
            $template,
            [$((stringify!($name), $crate::diagnostics::MessageArg::from($crate::diagnostics::message!(@value $name $(= $value)?)))),*],
        )
    };
    (@value $name:ident) => { $name };
    (@value $name:ident = $value:expr) => { $value };
}
pub(crate) use message;

#[cfg(test)]
mod tests {

    fn in_japanese(template: &str) -> Option<String> {
        let known = [
            ("{value} is not a number", "{value}は数値ではありません"),
            ("{reason}; {count} rows are unchanged", "{count}行は変更していません（{reason}）"),
        ];
        known.iter().find(|(english, _)| *english == template).map(|(_, text)| (*text).to_owned())
    }

    #[test]
    fn a_sentence_in_a_sentence_is_translated_with_it() {
        let value = "\"o.5\"";
        let text = message!(
            "{reason}; {count} rows are unchanged",
            reason = message!("{value} is not a number", value),
            count = 3
        );
        assert_eq!(text, "\"o.5\" is not a number; 3 rows are unchanged");
        assert_eq!(text.translated(&in_japanese), "3行は変更していません（\"o.5\"は数値ではありません）");
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
