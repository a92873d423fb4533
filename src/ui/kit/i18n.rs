//! Texts in English and Japanese.
//!
//! The texts of the window are in `assets/locales`, nested by area. `assets/messages/ja.json` translates the English texts
//! in the code by area: [`MessageText`]s and the tables of parameters. Every lookup names its language. Without a global
//! current language, tests can run in parallel.

use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;
use yuremono_model::document::ChainPart;
use yuremono_model::exchange::SetupFormat;
use yuremono_model::feel::params::UnavailableReason;
use yuremono_model::feel::preset::PresetProperty;
use yuremono_model::tools::detect::DetectionReason;
use yuremono_sim::diagnostics::{Location, MessageText, excerpt, message};
use yuremono_sim::params::{ParamDef, ParamGroup, ParamKind, Unit};
use yuremono_sim::{FeelParam, OverdampedReturn, SolverKind, UNLIMITED_ANGLE_DEG};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lang {
    #[default]
    En,
    Ja,
}

impl Lang {
    /// All languages in display order.
    pub const ALL: [Self; 2] = [Self::En, Self::Ja];

    /// Returns the language code for file names and settings.
    pub const fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ja => "ja",
        }
    }

    /// Returns the name of the language in that language.
    pub const fn name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::Ja => "日本語",
        }
    }

    /// Returns the language of a system locale such as `ja_JP.UTF-8`. Returns English for unknown locales.
    pub fn from_locale(locale: &str) -> Self {
        if locale.starts_with("ja") { Self::Ja } else { Self::En }
    }

    /// Returns the language of the first non-empty variable among `LC_ALL`, `LC_MESSAGES` and `LANG`. On Windows and
    /// macOS, these variables are rarely set; without them, returns the language of the system.
    pub fn from_env() -> Self {
        let variables = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(|name| std::env::var(name).ok());
        let locale = variables.into_iter().find(|locale| !locale.is_empty());
        let of_system = || if cfg!(any(windows, target_os = "macos")) { sys_locale::get_locale() } else { None };
        Self::from_locale(&locale.or_else(of_system).unwrap_or_default())
    }
}

type Texts = HashMap<String, String>;

static ENGLISH: LazyLock<Texts> = LazyLock::new(|| texts_by_key(include_str!("../../../assets/locales/en.json")));
static JAPANESE: LazyLock<Texts> = LazyLock::new(|| texts_by_key(include_str!("../../../assets/locales/ja.json")));
/// Japanese by English sentence.
static SENTENCES: LazyLock<Texts> = LazyLock::new(|| {
    let areas: HashMap<String, Texts> =
        serde_json::from_str(include_str!("../../../assets/messages/ja.json")).unwrap_or_default();
    areas.into_values().flatten().collect()
});

/// Reads nested objects of texts. The key of a text is its path, joined by dots. A test finds errors in the files.
fn texts_by_key(json: &str) -> Texts {
    fn add(texts: &mut Texts, key: &str, value: Value) {
        match value {
            Value::Object(parts) => {
                for (name, part) in parts {
                    let key = if key.is_empty() { name } else { format!("{key}.{name}") };
                    add(texts, &key, part);
                }
            }
            Value::String(text) => _ = texts.insert(key.to_owned(), text),
            _ => {}
        }
    }
    let mut texts = Texts::new();
    add(&mut texts, "", serde_json::from_str(json).unwrap_or_default());
    texts
}

fn texts(lang: Lang) -> &'static Texts {
    match lang {
        Lang::En => &ENGLISH,
        Lang::Ja => &JAPANESE,
    }
}

/// Returns the text of `key`, for example `bar.reset`. Returns the key itself if no text exists.
pub fn tr(lang: Lang, key: &str) -> Cow<'static, str> {
    find_text(lang, key).unwrap_or_else(|| Cow::Owned(key.to_owned()))
}

/// Returns the text of `key`, or `None`.
pub fn find_text(lang: Lang, key: &str) -> Option<Cow<'static, str>> {
    texts(lang).get(key).or_else(|| ENGLISH.get(key)).map(|text| Cow::Borrowed(text.as_str()))
}

/// Returns the translation of an English sentence, or `None`.
pub fn find_sentence(lang: Lang, english: &str) -> Option<Cow<'static, str>> {
    if lang == Lang::En { None } else { SENTENCES.get(english).map(|text| Cow::Borrowed(text.as_str())) }
}

/// Returns an English text of the code in a language.
pub fn in_language(lang: Lang, english: &'static str) -> Cow<'static, str> {
    find_sentence(lang, english).unwrap_or(Cow::Borrowed(english))
}

pub fn message_text(lang: Lang, text: &MessageText) -> String {
    match lang {
        Lang::En => text.to_string(),
        Lang::Ja => text.translated(&|template| find_sentence(lang, template).map(Cow::into_owned)),
    }
}

/// Returns a location as text, with the words "column" and "bone" in the given language.
pub fn location_text(lang: Lang, location: &Location) -> String {
    let place = Location { column: None, bone: None, ..location.clone() };
    let column = location.column.as_ref().map(|column| message!(", column \"{column}\"", column = excerpt(column)));
    let bone = location.bone.as_ref().map(|bone| message!(", bone \"{bone}\"", bone = excerpt(bone)));
    [column, bone].iter().flatten().fold(place.to_string(), |text, part| text + &message_text(lang, part))
}

/// Returns the text of `key` with placeholders replaced; see [`fill`].
pub fn tr_with(lang: Lang, key: &str, values: &[(&str, &str)]) -> String {
    fill(&tr(lang, key), values)
}

/// Returns the text of `key.one` for 1 and of `key.many` for any other count. `%{n}` is the count.
pub fn tr_count(lang: Lang, key: &str, n: usize) -> String {
    tr_with(lang, &format!("{key}.{}", plural_form(n)), &[("n", &n.to_string())])
}

/// Returns a time in the past, for example "3 minutes ago".
pub fn age_text(lang: Lang, seconds: u64) -> String {
    /// The locale key and the seconds of each unit, longest first.
    const UNITS: [(&str, u64); 4] =
        [("age.days", 86_400), ("age.hours", 3600), ("age.minutes", 60), ("age.seconds", 1)];
    let (key, unit) = *UNITS.iter().find(|(_, unit)| seconds >= *unit).unwrap_or(&UNITS[3]);
    tr_with(lang, key, &[("n", &(seconds / unit).to_string())])
}

/// Returns "one" or "many", the last part of a locale key.
pub const fn plural_form(n: usize) -> &'static str {
    if n == 1 { "one" } else { "many" }
}

/// Replaces each `%{name}` with its value. `%{n:joint|joints}` becomes "1 joint" or "8 joints". Placeholders without a
/// value stay unchanged.
pub fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("%{") {
        filled.push_str(before);
        let Some((placeholder, behind)) = after.split_once('}') else {
            filled.push_str("%{");
            rest = after;
            break;
        };
        let (name, forms) = placeholder.split_once(':').unwrap_or((placeholder, ""));
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
            filled.push_str(value);
            if let Some((one, many)) = forms.split_once('|') {
                filled.push(' ');
                filled.push_str(if *value == "1" { one } else { many });
            }
        } else {
            filled.push_str("%{");
            filled.push_str(placeholder);
            filled.push('}');
        }
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

pub fn solver_name(lang: Lang, solver: SolverKind) -> Cow<'static, str> {
    tr(lang, &format!("inspector.solver.{}", solver.key()))
}

/// Returns a short name of one word, for narrow places.
pub fn solver_short_name(lang: Lang, solver: SolverKind) -> Cow<'static, str> {
    tr(lang, &format!("inspector.solver_short.{}", solver.key()))
}

/// Returns all solvers with their names, in display order.
pub fn solver_names(lang: Lang) -> impl Iterator<Item = (SolverKind, Cow<'static, str>)> {
    SolverKind::ALL.iter().map(move |kind| (*kind, solver_name(lang, *kind)))
}

/// Returns the label of a parameter, or of a field of a shape, a force or a list entry.
pub fn param_label(lang: Lang, def: &ParamDef) -> Cow<'static, str> {
    in_language(lang, def.label)
}

pub fn param_doc(lang: Lang, def: &ParamDef) -> Cow<'static, str> {
    in_language(lang, def.doc)
}

/// Returns the key of the name of a section of the inspector.
pub const fn param_group_key(group: ParamGroup) -> &'static str {
    match group {
        ParamGroup::Spring => "inspector.group.spring",
        ParamGroup::AngleLimits => "inspector.group.angle_limits",
        ParamGroup::Collision => "inspector.group.collision",
        ParamGroup::LengthLimits => "inspector.group.length_limits",
        ParamGroup::World => "inspector.group.world",
        ParamGroup::Time => "inspector.group.time",
        ParamGroup::Switches => "inspector.group.switches",
        ParamGroup::Improved => "inspector.group.improved",
    }
}

/// Returns the text of one choice. Returns an empty string if the choice does not exist.
pub fn param_choice(lang: Lang, def: &ParamDef, at: usize) -> Cow<'static, str> {
    in_language(lang, choice_name(def, at))
}

fn choice_name(def: &ParamDef, at: usize) -> &'static str {
    if let ParamKind::Choice(choices) = def.kind { choices.get(at).copied().unwrap_or_default() } else { "" }
}

/// Returns the reason why a solver does not support a feel term. Returns `None` if the solver supports the term.
pub fn unsupported_reason(lang: Lang, kind: SolverKind, term: FeelParam) -> Option<Cow<'static, str>> {
    let (_, english) = kind.info().unsupported.iter().find(|(cannot, _)| *cannot == term)?;
    Some(in_language(lang, english))
}

pub fn format_hint(lang: Lang, format: SetupFormat) -> &'static str {
    format.hint[usize::from(lang == Lang::Ja)]
}

/// Returns the name of a humanoid bone. Returns the VRM name for a role without a text.
pub fn body_role_name(lang: Lang, role: &str) -> String {
    find_text(lang, &format!("windows.role.{role}")).map_or_else(|| role.to_owned(), Cow::into_owned)
}

pub fn detect_reason_text(lang: Lang, reason: &DetectionReason) -> String {
    let with =
        |key: &str, name: &str, value: &str| tr_with(lang, &format!("windows.detect.why.{key}"), &[(name, value)]);
    let plain = |key: &str| tr(lang, &format!("windows.detect.why.{key}")).into_owned();
    match reason {
        DetectionReason::NameWord(word) => with("word", "word", word),
        DetectionReason::SecondaryMotionMark => plain("marked"),
        DetectionReason::MovesVertices => plain("moves"),
        DetectionReason::MovesNoVertices => plain("moves_nothing"),
        DetectionReason::AttachedToBody(role) => with("outside", "role", &body_role_name(lang, role)),
        DetectionReason::UsualParentRole(role) => with("usual", "role", &body_role_name(lang, role)),
        DetectionReason::UnusualParentRole(role) => with("unusual", "role", &body_role_name(lang, role)),
        DetectionReason::SimilarSiblings(count) => with("strands", "n", &count.to_string()),
        DetectionReason::AmbiguousWord => plain("vague"),
        DetectionReason::SingleBone => plain("single"),
    }
}

pub fn part_name(lang: Lang, part: ChainPart) -> Cow<'static, str> {
    tr(lang, &format!("part.{}", part.key()))
}

pub fn property_name(lang: Lang, property: PresetProperty) -> String {
    match property {
        PresetProperty::Base(term) => param_label(lang, term.def()).into_owned(),
        PresetProperty::Curve(term) => {
            tr_with(lang, "presets.window.curve_of", &[("name", &param_label(lang, term.def()))])
        }
        PresetProperty::Radius => tr(lang, "presets.window.radius").into_owned(),
    }
}

/// Returns a text such as "3.0 Hz", "45°" or "unlimited". A curve is shown as a factor.
pub fn property_value_text(lang: Lang, property: PresetProperty, value: f32) -> String {
    match property {
        PresetProperty::Base(FeelParam::MaxAngle) if value >= UNLIMITED_ANGLE_DEG => {
            tr(lang, "presets.window.open").into_owned()
        }
        PresetProperty::Base(term) => match term.def().unit {
            Unit::Hertz => format!("{value:.1} Hz"),
            Unit::Acceleration => format!("{value:.1} m/s²"),
            Unit::Degrees => format!("{value:.0}°"),
            _ => format!("{value:.2}"),
        },
        PresetProperty::Curve(_) => factor_text(value),
        PresetProperty::Radius => format!("{:.0} %", value * 100.0),
    }
}

pub fn property_unsupported_reason(
    lang: Lang,
    kind: SolverKind,
    property: PresetProperty,
    why: UnavailableReason,
) -> String {
    let (PresetProperty::Base(term) | PresetProperty::Curve(term)) = property else {
        return tr(lang, "presets.window.no_radius").into_owned();
    };
    match why {
        UnavailableReason::Unsupported(english) => {
            unsupported_reason(lang, kind, term).map_or_else(|| english.to_owned(), Cow::into_owned)
        }
        UnavailableReason::NoEffect => tr(lang, "feel.no_effect").into_owned(),
    }
}

/// Returns a text that explains how slowly an overdamped tip returns to rest with this solver.
pub fn overdamped_return_text(lang: Lang, kind: SolverKind, overdamped_return: &OverdampedReturn) -> String {
    let row = kind.info().params.get(usize::from(overdamped_return.threshold_param.0));
    let name = row.map_or(Cow::Borrowed(""), |def| param_label(lang, def));
    let (speed, frames) = (
        format!("{:.2} m/s", overdamped_return.speed_threshold),
        format!("{:.0}", overdamped_return.time_constant_frames),
    );
    let seconds = format!("{:.1}", overdamped_return.time_constant_seconds);
    let values = [("row", &*name), ("speed", &speed), ("n", &frames), ("s", &seconds)];
    tr_with(lang, "presets.creep", &values)
}

/// Returns a text such as "1 → 0.22".
pub fn curve_ends_text(first: f32, last: f32) -> String {
    format!("{} → {}", factor_text(first), factor_text(last))
}

/// Formats a number with at most two decimals and without trailing zeros.
fn factor_text(value: f32) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns all sentences that have a translation, as sorted pairs of English and Japanese.
pub fn all_sentences() -> Vec<(String, String)> {
    sorted(&SENTENCES)
}

/// Returns all texts of the window, sorted by language and key.
pub fn all_texts() -> Vec<(Lang, String, String)> {
    let of_lang = |lang: Lang| sorted(texts(lang)).into_iter().map(move |(key, text)| (lang, key, text));
    Lang::ALL.into_iter().flat_map(of_lang).collect()
}

fn sorted(texts: &Texts) -> Vec<(String, String)> {
    let mut found: Vec<_> = texts.iter().map(|(key, text)| (key.clone(), text.clone())).collect();
    found.sort();
    found
}

pub fn range_text(lang: Lang, range: (f32, f32)) -> String {
    let number = |value: f32| value.to_string();
    match yuremono_session::finite_range_ends(range) {
        [Some(low), Some(high)] => tr_with(lang, "range.both", &[("low", &number(low)), ("high", &number(high))]),
        [Some(low), None] => tr_with(lang, "range.low", &[("low", &number(low))]),
        [None, Some(high)] => tr_with(lang, "range.high", &[("high", &number(high))]),
        [None, None] => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn placeholders(text: &str) -> BTreeSet<&str> {
        let all = text.split("%{").skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
        all.map(|name| name.split_once(':').map_or(name, |(name, _)| name)).collect()
    }

    #[test]
    fn counted_nouns_are_singular_or_plural() {
        let text = "%{chains:chain|chains}, %{n:joint is|joints are} here, %{unknown}, 100 %{";
        let words = |chains, n| fill(text, &[("chains", chains), ("n", n)]);
        assert_eq!(words("1", "1"), "1 chain, 1 joint is here, %{unknown}, 100 %{");
        assert_eq!(words("2", "0"), "2 chains, 0 joints are here, %{unknown}, 100 %{");
        assert_eq!(fill("%{a} and %{b}", &[("a", "%{b}"), ("b", "x")]), "%{b} and x", "values are not filled again");
    }

    // Placeholders that contain a count. Names, measures and positions never precede a noun.
    const COUNTS: [&str; 14] = [
        "all",
        "bones",
        "chains",
        "colliders",
        "count",
        "forces",
        "found",
        "joints",
        "made",
        "n",
        "pivots",
        "rows",
        "systems",
        "updated",
    ];
    // Words that end in "s" but are not plural.
    const SINGULAR: [&str; 8] = ["as", "does", "fps", "has", "is", "its", "this", "was"];

    #[test]
    fn every_english_text_with_a_count_has_a_singular() {
        let texts: BTreeMap<String, String> =
            all_texts().into_iter().filter(|(lang, ..)| *lang == Lang::En).map(|(_, key, text)| (key, text)).collect();
        let mut missing = Vec::new();
        for (key, text) in &texts {
            if let Some(stem) = key.strip_suffix(".many") {
                assert!(texts.contains_key(&format!("{stem}.one")), "{key} has no singular beside it");
                continue;
            }
            if key.strip_suffix(".one").is_some() {
                continue;
            }
            for rest in text.split("%{").skip(1) {
                let Some((name, behind)) = rest.split_once('}').filter(|(name, _)| COUNTS.contains(name)) else {
                    continue;
                };
                // An adjective may come first, for example "3 good rows". After a punctuation mark, another phrase
                // starts.
                let phrase = behind.split(|c: char| !c.is_alphabetic() && c != ' ').next().unwrap_or_default();
                let counted = phrase.starts_with(' ')
                    && phrase.split_whitespace().take(2).any(|word| word.ends_with('s') && !SINGULAR.contains(&word));
                if counted {
                    missing.push(format!("{key}: %{{{name}}}{phrase}"));
                }
            }
        }
        assert!(missing.is_empty(), "no singular: write %{{n:joint|joints}}\n{}", missing.join("\n"));
        assert!(texts.values().any(|text| text.contains("%{n:joint|joints}")), "at least one text must use this form");
    }

    #[test]
    fn japanese_keeps_to_the_glossary_and_ends_sentences_with_a_full_stop() {
        // Words that the glossary replaces with other words.
        const WRONG: [&str; 21] = [
            "動きの感じ",
            "可動域",
            "当たり半径",
            "衝突",
            "コリジョン",
            "書き出",
            "録画",
            "初期姿勢",
            "静止姿勢",
            "元のエンジン",
            "エンジン",
            "プログラム",
            "改善",
            "全て",
            "全部",
            "効く",
            "効き",
            "働く",
            "働き",
            "～",
            "度）",
        ];
        const ENDS: [&str; 7] = ["です", "ます", "ません", "ました", "でした", "ください", "ましょう"];
        let mut faults = Vec::new();
        let texts = all_texts().into_iter().filter(|(lang, ..)| *lang == Lang::Ja).map(|(_, key, text)| (key, text));
        for (key, text) in texts.chain(all_sentences()) {
            let wrong = WRONG.iter().filter(|word| text.contains(**word)).map(|word| format!("{key}: {word}"));
            faults.extend(wrong);
            if text.replace("空気抵抗", "").contains("抵抗") {
                faults.push(format!("{key}: 抵抗"));
            }
            // A bracket may follow the sentence.
            let sentence =
                text.strip_suffix('）').and_then(|text| text.rsplit_once('（')).map_or(&*text, |(text, _)| text);
            if ENDS.iter().any(|end| sentence.ends_with(end)) {
                faults.push(format!("{key}: no 。 at the end of {text}"));
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    #[test]
    fn both_languages_have_the_same_keys_and_placeholders() {
        let mut tables: [BTreeMap<String, String>; 2] = Default::default();
        // The English messages of the session are in the code.
        for (lang, key, text) in all_texts().into_iter().filter(|(_, key, _)| !key.starts_with("session_message.")) {
            tables[usize::from(lang == Lang::Ja)].insert(key, text);
        }
        let [en, ja] = tables;
        assert!(!en.is_empty());
        assert_eq!(en.keys().collect::<Vec<_>>(), ja.keys().collect::<Vec<_>>());
        for (key, text) in &en {
            assert_eq!(placeholders(text), placeholders(&ja[key]), "{key}");
        }
    }

    /// The English texts of all parameters and of the fields of shapes, forces and list entries.
    fn texts_of_tables() -> BTreeSet<&'static str> {
        let lists = yuremono_model::document::ListKind::ALL.iter();
        let tables = SolverKind::ALL.iter().map(|kind| kind.info().params);
        let tables = tables.chain(yuremono_sim::ColliderShape::ALL.iter().map(yuremono_sim::ColliderShape::fields));
        let tables = tables.chain(yuremono_sim::ForceKind::ALL.iter().map(yuremono_sim::ForceKind::fields));
        let tables = tables.chain(lists.flat_map(|list| [list.fields(), list.curves(), list.member_fields()]));
        let of_def = |def: &'static ParamDef| {
            let choices = if let ParamKind::Choice(choices) = def.kind { choices } else { &[] };
            [def.label, def.doc].into_iter().chain(choices.iter().copied())
        };
        let reasons = SolverKind::ALL.iter().flat_map(|kind| kind.info().unsupported).map(|(_, english)| *english);
        let defs = tables.flatten().chain(FeelParam::ALL.into_iter().map(FeelParam::def));
        // Version numbers are the same in all languages.
        let has_words = |text: &&str| text.chars().any(char::is_alphabetic);
        defs.flat_map(of_def).chain(reasons).filter(has_words).collect()
    }

    #[test]
    fn every_parameter_has_japanese_texts_and_no_text_of_the_tables_is_unused() {
        let expected = texts_of_tables();
        let missing: Vec<_> = expected.iter().filter(|english| find_sentence(Lang::Ja, english).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
        let all: Value = serde_json::from_str(include_str!("../../../assets/messages/ja.json")).expect("JSON");
        let of_tables = all["params"].as_object().expect("an area");
        let unused: Vec<_> = of_tables.keys().filter(|english| !expected.contains(english.as_str())).collect();
        assert!(unused.is_empty(), "{unused:?}");
    }

    #[test]
    fn every_file_is_a_tree_of_texts_without_double_sentences() {
        fn count(value: &Value) -> usize {
            match value {
                Value::Object(parts) => parts.values().map(count).sum(),
                Value::String(_) => 1,
                other => panic!("{other} is no text"),
            }
        }
        let files: [(&str, &Texts); 3] = [
            (include_str!("../../../assets/locales/en.json"), &ENGLISH),
            (include_str!("../../../assets/locales/ja.json"), &JAPANESE),
            (include_str!("../../../assets/messages/ja.json"), &SENTENCES),
        ];
        for (json, texts) in files {
            let value: Value = serde_json::from_str(json).expect("JSON");
            assert_eq!(count(&value), texts.len());
        }
    }

    #[test]
    fn no_text_is_empty_or_has_exclamation_marks_or_please() {
        for (lang, key, text) in all_texts() {
            assert!(!text.trim().is_empty(), "{lang:?} {key} is empty");
            assert!(!text.contains('!') && !text.contains('！'), "{lang:?} {key} shouts: {text}");
            assert!(!text.to_lowercase().contains("please"), "{lang:?} {key} contains \"please\": {text}");
        }
    }

    #[test]
    fn placeholders_are_filled_by_name() {
        assert_eq!(tr_with(Lang::En, "curve.key_name", &[("n", "2"), ("name", "Stiffness")]), "Key 2 of Stiffness");
        assert_eq!(tr_with(Lang::Ja, "curve.key_name", &[("n", "2"), ("name", "硬さ")]), "硬さのキー2");
    }

    #[test]
    fn an_unknown_key_is_returned_as_text() {
        assert_eq!(tr(Lang::Ja, "no.such"), "no.such");
        assert_eq!(find_text(Lang::En, "no.such"), None);
    }
}
