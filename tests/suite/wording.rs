//! Tests that comments, documents and texts of the window use plain words, and one word for one concept.
//!
//! The list contains phrases that readers found unclear, each with its replacement. The test does not replace a review,
//! because it cannot judge whole sentences.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Phrases that no comment, document or English text may contain, and what to write instead.
const PHRASES: &[(&str, &str)] = &[
    ("numbers that are none", "NaN"),
    ("number that is none", "NaN"),
    ("is no number", "is not a number"),
    ("has no place for", "cannot store"),
    ("have no place for", "cannot store"),
    ("comes to stand", "is at"),
    ("wait for none of each other", "are independent"),
    ("take their turns", "run as a batch"),
    ("takes its turn", "runs"),
    ("abreast", "as one batch"),
    ("hangs on", "is a child of"),
    ("hangs from", "is a child of"),
    ("so many", "N"),
    ("anew", "again"),
    ("broken off", "cancelled"),
    ("in so many words", "(say what is meant)"),
    ("for want of", "without"),
    ("whoever", "the caller"),
    ("is told of", "is reported"),
    ("speaks of", "mentions"),
    ("speak of", "mention"),
    ("leads to a", "maps to"),
    ("to and fro", "back and forth"),
    ("as it was", "unchanged"),
    ("as they were", "unchanged"),
    ("on which floor", "in which layer"),
    ("a room may", "a module may"),
    ("house of", "architecture of"),
    ("allows to", "can, or allows a thing to"),
    ("more than -180", "in (-180, 180]"),
    ("picture rate", "frame rate"),
    ("length 1", "unit vector, unit quaternion"),
];

/// Japanese words for which the glossary has another word.
const JAPANESE: &[(&str, &str)] = &[
    ("関節", "ジョイント"),
    ("コリジョン", "当たり判定"),
    ("プログラム", "スクリプト"),
    ("元のエンジン", "本家、またはエンジンの名前"),
    ("全て", "すべて"),
    ("下さい", "ください"),
    ("出来", "でき"),
    ("働き", "有効・反映"),
    ("効きます", "反映されます"),
    ("堅さ", "硬さ"),
    ("固さ", "硬さ"),
    ("初期姿勢", "初期ポーズ"),
    ("バネ", "スプリング"),
    ("~", "〜"),
    ("％", "%"),
    ("。」", "」"),
];

/// Allowed phrases by file, each with its reason.
const ALLOWED: &[(&str, &str, &str)] = &[("assets/messages/ja.json", "~", "the escape character of JSON pointers")];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the files in `folder` and its subfolders with one of the extensions, with their paths relative to the root.
fn files(folder: &str, endings: &[&str]) -> Vec<(String, String)> {
    fn walk(path: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
        if path.is_dir() {
            let mut entries: Vec<_> =
                std::fs::read_dir(path).expect("a folder").map(|e| e.expect("an entry").path()).collect();
            entries.sort();
            for entry in &entries {
                walk(entry, endings, found);
            }
        } else if endings.iter().any(|ending| path.to_string_lossy().ends_with(ending)) {
            found.push(path.to_owned());
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), endings, &mut found);
    let name = |path: &Path| path.strip_prefix(root()).expect("inside the root").to_string_lossy().replace('\\', "/");
    found.iter().map(|path| (name(path), std::fs::read_to_string(path).expect("text"))).collect()
}

fn documents() -> Vec<(String, String)> {
    let names = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs"];
    names.iter().flat_map(|name| files(name, &[".md"])).filter(|(name, _)| !name.ends_with(".ja.md")).collect()
}

/// Returns the comments of a Rust file with their lines, without code and strings.
fn comments(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.lines().enumerate().filter_map(|(at, line)| {
        let line = line.trim_start();
        line.starts_with("//").then(|| (at + 1, line.trim_start_matches(['/', '!', ' '])))
    })
}

/// Whether `text` contains `phrase` as whole words, in any case.
fn contains_phrase(text: &str, phrase: &str) -> bool {
    let text = text.to_lowercase();
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(phrase)
        .any(|(at, _)| is_edge(text[..at].chars().next_back()) && is_edge(text[at + phrase.len()..].chars().next()))
}

/// Returns the lines that use a phrase of the list.
fn violations<'a>(lines: impl Iterator<Item = (usize, &'a str)>, file: &str) -> Vec<String> {
    lines
        .flat_map(|(line, text)| {
            PHRASES.iter().filter(move |(phrase, _)| contains_phrase(text, phrase)).map(move |found| (line, found))
        })
        .filter(|(_, (phrase, _))| !is_allowed(file, phrase))
        .map(|(line, (phrase, instead))| format!("{file}:{line}: \"{phrase}\"; write {instead}"))
        .collect()
}

fn is_allowed(file: &str, phrase: &str) -> bool {
    ALLOWED.iter().any(|(allowed, of, _)| *allowed == file && *of == phrase)
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(at, line)| (at + 1, line))
}

#[test]
fn comments_and_documents_use_plain_words() {
    let mut found = Vec::new();
    for folder in ["crates", "src", "tests", "benches", "examples"] {
        for (file, code) in files(folder, &[".rs"]) {
            found.extend(violations(comments(&code), &file));
        }
    }
    for (file, text) in documents().into_iter().chain(files("assets/messages", &[".json"])) {
        found.extend(violations(numbered(&text), &file));
    }
    assert!(found.is_empty(), "{} phrases:\n{}", found.len(), found.join("\n"));
}

#[test]
fn the_japanese_interface_uses_the_glossary() {
    let mut found = Vec::new();
    let documents = files("docs", &[".ja.md"]).into_iter().chain(files("README.ja.md", &[".md"]));
    for (file, text) in files("assets/", &["ja.json"]).into_iter().chain(documents) {
        for (line, text) in numbered(&text).filter(|(_, text)| !text.trim_start().starts_with('#')) {
            for (word, instead) in JAPANESE.iter().filter(|(word, _)| text.contains(word) && !is_allowed(&file, word)) {
                found.push(format!("{file}:{line}: {word}; write {instead}"));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_exception_is_needed() {
    for (file, phrase, reason) in ALLOWED {
        let text = std::fs::read_to_string(root().join(file)).unwrap_or_default();
        assert!(text.to_lowercase().contains(phrase), "{file} does not contain \"{phrase}\" ({reason})");
    }
}

#[test]
fn phrases_are_found_as_whole_words_in_comments_only() {
    let code = "/// Builds it Anew.\nfn f() {}\n// renewed\nlet x = \"anew\";\n    //! So many joints.\n";
    let found = violations(comments(code), "x.rs");
    assert_eq!(found, ["x.rs:1: \"anew\"; write again", "x.rs:5: \"so many\"; write N"]);
}

/// Returns the string that starts at the beginning of `rest`, behind white space. `None` if something else starts there.
fn string_literal(rest: &str) -> Option<String> {
    let mut chars = rest.trim_start().strip_prefix('"')?.chars().peekable();
    let mut text = String::new();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Some(text),
            '\\' => match chars.next()? {
                '\n' => while chars.next_if(|c| c.is_whitespace()).is_some() {},
                'n' => text.push('\n'),
                other => text.push(other),
            },
            _ => text.push(c),
        }
    }
    None
}

/// Returns a Rust file without comments and without its tests.
fn code_without_tests(code: &str) -> String {
    let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Returns the English texts of `message!` and `tr!`.
fn templates(code: &str) -> Vec<String> {
    let of_messages = code.split("message!(").skip(1).filter_map(string_literal);
    let of_readers = code.split("tr!(").skip(1).filter_map(|rest| string_literal(rest.split_once(',')?.1));
    of_messages.chain(of_readers).collect()
}

/// Returns the names of the placeholders, without the notes for translators.
fn arguments(text: &str) -> BTreeSet<&str> {
    let placeholders = text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
    placeholders
        .map(|name| name.split_once(':').map_or(name, |(name, _)| name))
        .filter(|name| !name.is_empty())
        .collect()
}

/// Whether a template has letters outside its placeholders.
fn has_words(template: &str) -> bool {
    let mut outside = true;
    template.chars().any(|c| {
        outside = if outside { c != '{' } else { c == '}' };
        outside && c.is_alphabetic()
    })
}

fn sources() -> Vec<(String, String)> {
    let all = ["crates", "src"].iter().flat_map(|folder| files(folder, &[".rs"]));
    let all = all.filter(|(name, _)| !name.ends_with("tests.rs") && !name.contains("/tests/"));
    all.map(|(name, code)| (name, code_without_tests(&code))).collect()
}

#[test]
fn every_text_has_a_japanese_translation_with_the_same_arguments() {
    let used: BTreeSet<String> =
        sources().iter().flat_map(|(_, code)| templates(code)).filter(|template| has_words(template)).collect();
    let known: BTreeMap<&str, &str> = yuremono::ui::kit::i18n::all_translations().into_iter().collect();
    let missing: Vec<&String> = used.iter().filter(|template| !known.contains_key(template.as_str())).collect();
    assert!(missing.is_empty(), "{} texts without a translation: {missing:#?}", missing.len());
    for (english, japanese) in &known {
        assert_eq!(arguments(english), arguments(japanese), "{english}");
    }
}

#[test]
fn every_translated_text_is_in_the_code() {
    let mut literals = BTreeSet::new();
    for (_, source) in sources() {
        let quotes = source.match_indices('"').map(|(at, _)| at);
        literals.extend(quotes.filter_map(|at| string_literal(&source[at..])));
    }
    // The texts of the command line are doc comments of its arguments. The names of body roles are made from their
    // keys. Another test compares the tables of parameters.
    let catalogue: serde_json::Value =
        serde_json::from_str(include_str!("../../assets/messages/ja.json")).expect("areas of texts");
    let areas = catalogue
        .as_object()
        .expect("areas")
        .iter()
        .filter(|(area, _)| !["cli", "params", "roles"].contains(&area.as_str()));
    let texts = areas.flat_map(|(_, texts)| texts.as_object().expect("texts").keys());
    let unused: Vec<_> = texts.filter(|english| !literals.contains(english.as_str())).collect();
    assert!(unused.is_empty(), "{} translations without a text: {unused:#?}", unused.len());
}

#[test]
fn texts_are_read_from_the_code() {
    let code = "x(message!(\"{a} is \\\"b\\\"\", a));\nmessage!(\n    \"one \\\n     line\"\n);\n// message!(\"not this\")\ntr!(cx, \"{n} rows\", n)";
    assert_eq!(templates(&code_without_tests(code)), ["{a} is \"b\"", "one line", "{n} rows"]);
    assert!(has_words("{n:row|rows} left") && !has_words("{n} – {name}"));
    assert_eq!(arguments("{n:row|rows} of {name}{:table}"), BTreeSet::from(["n", "name"]));
}
