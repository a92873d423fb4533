//! Texts in English and Japanese.
//!
//! English texts are in the code: [`MessageText`]s and the tables of parameters. `assets/messages/ja.json` translates them,
//! grouped by area. Every lookup names its language. Without a global current language, tests can run in parallel.

use std::borrow::{Borrow, Cow};
use std::collections::HashMap;
use std::sync::LazyLock;
use yuremono_model::document::{ChainPart, ListKind};
use yuremono_model::exchange::SetupFormat;
use yuremono_model::feel::params::UnavailableReason;
use yuremono_model::feel::preset::PresetProperty;
use yuremono_model::tools::detect::DetectionReason;
use yuremono_sim::diagnostics::{Location, MessageText, excerpt, message, without_note};
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

    /// Returns the language of the first non-empty variable among `LC_ALL`, `LC_MESSAGES` and `LANG`. On Windows,
    /// macOS and in browsers, these variables are rarely set; without them, returns the language of the system.
    pub fn from_env() -> Self {
        let variables = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(|name| std::env::var(name).ok());
        let locale = variables.into_iter().find(|locale| !locale.is_empty());
        let of_system = || {
            if cfg!(any(windows, target_os = "macos", target_arch = "wasm32")) {
                sys_locale::get_locale()
            } else {
                None
            }
        };
        Self::from_locale(&locale.or_else(of_system).unwrap_or_default())
    }
}

/// Japanese by English text.
static JAPANESE: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let areas: HashMap<String, HashMap<String, String>> =
        serde_json::from_str(include_str!("../../../assets/messages/ja.json")).unwrap_or_default();
    areas.into_values().flatten().collect()
});

/// Returns an English text, with the given arguments, in the language of a [`Lang`], a theme or a `UiContext`. The
/// arguments are those of the macro `message!`.
#[macro_export]
macro_rules! tr {
    ($reader:expr, $($text:tt)+) => { $reader.tr(::yuremono_sim::diagnostics::message!($($text)+)) };
}
pub use crate::tr;

impl Lang {
    /// Returns a text in this language.
    pub fn tr(self, text: impl Borrow<MessageText>) -> Cow<'static, str> {
        let text = text.borrow();
        match self {
            _ if !text.has_args() => in_language(self, text.template()),
            Self::En => Cow::Owned(text.to_string()),
            Self::Ja => Cow::Owned(text.translated(&find_japanese)),
        }
    }
}

fn find_japanese(english: &str) -> Option<&'static str> {
    JAPANESE.get(english).map(String::as_str)
}

/// Returns the translation of an English text, or `None`.
pub fn find_translation(lang: Lang, english: &str) -> Option<Cow<'static, str>> {
    if lang == Lang::En { None } else { find_japanese(english).map(Cow::Borrowed) }
}

/// Returns an English text without arguments in a language.
pub fn in_language(lang: Lang, english: &'static str) -> Cow<'static, str> {
    find_translation(lang, english).unwrap_or(Cow::Borrowed(without_note(english)))
}

/// Returns a location as text, with the words "column" and "bone" in the given language.
pub fn location_text(lang: Lang, location: &Location) -> String {
    let position = Location { column: None, bone: None, ..location.clone() };
    let column = location.column.as_ref().map(|column| tr!(lang, ", column \"{column}\"", column = excerpt(column)));
    let bone = location.bone.as_ref().map(|bone| tr!(lang, ", bone \"{bone}\"", bone = excerpt(bone)));
    position.to_string() + &column.unwrap_or_default() + &bone.unwrap_or_default()
}

/// Returns a time in the past, for example "3 minutes ago".
pub fn age_text(lang: Lang, seconds: u64) -> Cow<'static, str> {
    match seconds {
        86_400.. => tr!(lang, "{n:day|days} ago", n = seconds / 86_400),
        3600.. => tr!(lang, "{n:hour|hours} ago", n = seconds / 3600),
        60.. => tr!(lang, "{n:minute|minutes} ago", n = seconds / 60),
        _ => tr!(lang, "{n:second|seconds} ago", n = seconds),
    }
}

pub fn solver_name(lang: Lang, solver: SolverKind) -> Cow<'static, str> {
    in_language(lang, solver.info().name)
}

/// Returns a short name of one word, for narrow places.
pub fn solver_short_name(lang: Lang, solver: SolverKind) -> Cow<'static, str> {
    in_language(lang, solver.info().short_name)
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

/// Returns the name of a section of the inspector.
pub const fn param_group_name(group: ParamGroup) -> MessageText {
    match group {
        ParamGroup::Spring => message!("Spring"),
        ParamGroup::AngleLimits => message!("Angle limits"),
        ParamGroup::Collision => message!("Collision{:section}"),
        ParamGroup::LengthLimits => message!("Length limits"),
        ParamGroup::World => message!("World"),
        ParamGroup::Time => message!("Time"),
        ParamGroup::Switches => message!("Switches"),
        ParamGroup::Improved => message!("Improvements"),
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

pub fn format_hint(lang: Lang, format: SetupFormat) -> Cow<'static, str> {
    in_language(lang, format.hint)
}

/// Returns the name of the button that collapses or expands a section or a row.
pub fn expander_text(name: &str, is_open: bool) -> MessageText {
    if is_open { message!("Collapse {name}", name) } else { message!("Expand {name}", name) }
}

/// Capitalizes a label. Some labels start in lower case, because other texts use them inside a sentence.
pub fn capitalized(label: &str) -> String {
    let mut letters = label.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns the name of a humanoid bone, for example "left upper arm" for `leftUpperArm`.
pub fn body_role_name(lang: Lang, role: &str) -> String {
    let mut english = String::new();
    for letter in role.chars() {
        if letter.is_uppercase() {
            english.push(' ');
        }
        english.extend(letter.to_lowercase());
    }
    find_translation(lang, &english).map_or(english, Cow::into_owned)
}

pub fn detect_reason_text(lang: Lang, reason: &DetectionReason) -> Cow<'static, str> {
    match reason {
        DetectionReason::NameWord(word) => tr!(lang, "“{word}”", word),
        DetectionReason::SecondaryMotionMark => tr!(lang, "marked in the file"),
        DetectionReason::MovesVertices => tr!(lang, "moves a mesh"),
        DetectionReason::MovesNoVertices => tr!(lang, "moves no mesh"),
        DetectionReason::AttachedToBody(role) => tr!(lang, "child of the {role}", role = body_role_name(lang, role)),
        DetectionReason::UsualParentRole(role) => tr!(lang, "usual on the {role}", role = body_role_name(lang, role)),
        DetectionReason::UnusualParentRole(role) => {
            tr!(lang, "unusual on the {role}", role = body_role_name(lang, role))
        }
        DetectionReason::SimilarSiblings(count) => tr!(lang, "{n:similar chain|similar chains}", n = *count),
        DetectionReason::AmbiguousWord => tr!(lang, "ambiguous name"),
        DetectionReason::SingleBone => tr!(lang, "single bone"),
    }
}

pub fn part_name(lang: Lang, part: ChainPart) -> Cow<'static, str> {
    lang.tr(match part {
        ChainPart::Hair => message!("Hair"),
        ChainPart::Skirt => message!("Skirt"),
        ChainPart::Tail => message!("Tail"),
        ChainPart::Ribbon => message!("Ribbon"),
        ChainPart::Ear => message!("Ear"),
        ChainPart::Breast => message!("Breast"),
        ChainPart::Sleeve => message!("Sleeve"),
        ChainPart::Accessory => message!("Accessory"),
        ChainPart::Other => message!("Other"),
    })
}

/// Returns the name of a component list.
pub const fn component_list_name(list: ListKind) -> MessageText {
    match list {
        ListKind::Reference => message!("Reference object"),
        ListKind::Exclusions => message!("Exclusions"),
        ListKind::SimulateSpace => message!("Simulation space"),
        ListKind::GravityAligner => message!("Gravity aligner"),
        ListKind::ForceField => message!("Force field"),
        ListKind::Margins => message!("Collider margins"),
        ListKind::Columns => message!("Columns"),
        ListKind::Points => message!("Point settings"),
        ListKind::Frictions => message!("Collider friction"),
        ListKind::Grabbers => message!("Point grabbers"),
        ListKind::Planes => message!("Planar limits"),
        ListKind::Constraints => message!("Bone constraints"),
        ListKind::SyncBones => message!("Sync bones"),
        ListKind::BaseBone => message!("Base bone{:list}"),
        ListKind::RelativeSpace => message!("Relative space bone"),
    }
}

pub fn property_name(lang: Lang, property: PresetProperty) -> Cow<'static, str> {
    match property {
        PresetProperty::Base(term) => param_label(lang, term.def()),
        PresetProperty::Curve(term) => tr!(lang, "{name} curve", name = term.def().label_text()),
        PresetProperty::Radius => tr!(lang, "Hit radius"),
    }
}

/// Returns a text such as "3.0 Hz", "45°" or "unlimited". A curve is shown as a factor.
pub fn property_value_text(lang: Lang, property: PresetProperty, value: f32) -> String {
    match property {
        PresetProperty::Base(FeelParam::MaxAngle) if value >= UNLIMITED_ANGLE_DEG => {
            tr!(lang, "unlimited").into_owned()
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
) -> Cow<'static, str> {
    let (PresetProperty::Base(term) | PresetProperty::Curve(term)) = property else {
        return tr!(lang, "This solver has no hit radius.");
    };
    match why {
        UnavailableReason::Unsupported(english) => {
            unsupported_reason(lang, kind, term).unwrap_or(Cow::Borrowed(english))
        }
        UnavailableReason::NoEffect => tr!(lang, "Other values of this chain leave this term without effect."),
    }
}

/// Returns a text that explains how slowly an overdamped tip returns to rest with this solver.
pub fn overdamped_return_text(lang: Lang, kind: SolverKind, overdamped_return: &OverdampedReturn) -> Cow<'static, str> {
    let row = kind.info().params.get(usize::from(overdamped_return.threshold_param.0));
    tr!(
        lang,
        "Below {speed} ({row}), only stiffness moves the tip. It returns slowly: two thirds of the way in \
         {n:frame|frames} ({s} s).",
        speed = format_args!("{:.2} m/s", overdamped_return.speed_threshold),
        row = row.map_or(MessageText::without_args(""), ParamDef::label_text),
        n = format_args!("{:.0}", overdamped_return.time_constant_frames),
        s = format_args!("{:.1}", overdamped_return.time_constant_seconds),
    )
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

/// Returns a range of values as text. An infinite end is left out.
pub fn range_text(lang: Lang, low: f32, high: f32) -> Cow<'static, str> {
    match yuremono_session::finite_range_ends(low, high) {
        [Some(low), Some(high)] => tr!(lang, "{low} to {high}", low, high),
        [Some(low), None] => tr!(lang, "at least {low}", low),
        [None, Some(high)] => tr!(lang, "at most {high}", high),
        [None, None] => Cow::Borrowed(""),
    }
}

/// Returns all texts that have a translation, as sorted pairs of English and Japanese.
pub fn all_translations() -> Vec<(&'static str, &'static str)> {
    let mut found: Vec<_> = JAPANESE.iter().map(|(english, japanese)| (&**english, &**japanese)).collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;

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
        // Messages about files are read once, so "1 bytes" is accepted there.
        const MESSAGES: [&str; 9] =
            ["app", "cli", "common", "doctor", "document", "exchange", "format", "params", "vrm"];
        let all: HashMap<String, HashMap<String, String>> =
            serde_json::from_str(include_str!("../../../assets/messages/ja.json")).expect("areas of texts");
        let mut missing = Vec::new();
        for english in
            all.iter().filter(|(area, _)| !MESSAGES.contains(&area.as_str())).flat_map(|(_, texts)| texts.keys())
        {
            for rest in english.split('{').skip(1) {
                let Some((name, behind)) = rest.split_once('}').filter(|(name, _)| COUNTS.contains(name)) else {
                    continue;
                };
                // An adjective may come first, for example "3 good rows". After a punctuation mark, another phrase
                // starts.
                let phrase = behind.split(|c: char| !c.is_alphabetic() && c != ' ').next().unwrap_or_default();
                let is_counted = phrase.starts_with(' ')
                    && phrase.split_whitespace().take(2).any(|word| word.ends_with('s') && !SINGULAR.contains(&word));
                if is_counted {
                    missing.push(format!("{english}: {{{name}}}{phrase}"));
                }
            }
        }
        assert!(missing.is_empty(), "no singular: write {{n:joint|joints}}\n{}", missing.join("\n"));
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
        for (english, text) in all_translations() {
            faults.extend(WRONG.iter().filter(|word| text.contains(**word)).map(|word| format!("{english}: {word}")));
            if text.replace("空気抵抗", "").contains("抵抗") {
                faults.push(format!("{english}: 抵抗"));
            }
            // A bracket may follow the sentence.
            let sentence =
                text.strip_suffix('）').and_then(|text| text.rsplit_once('（')).map_or(text, |(text, _)| text);
            if ENDS.iter().any(|end| sentence.ends_with(end)) {
                faults.push(format!("{english}: no 。 at the end of {text}"));
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    /// The English texts of all parameters and of the fields of shapes, forces and list entries.
    fn texts_of_tables() -> BTreeSet<&'static str> {
        let lists = ListKind::ALL.iter();
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
        let missing: Vec<_> = expected.iter().filter(|english| find_japanese(english).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
        let all: Value = serde_json::from_str(include_str!("../../../assets/messages/ja.json")).expect("JSON");
        let of_tables = all["params"].as_object().expect("an area");
        let unused: Vec<_> = of_tables.keys().filter(|english| !expected.contains(english.as_str())).collect();
        assert!(unused.is_empty(), "{unused:?}");
    }

    #[test]
    fn every_body_role_has_a_japanese_name() {
        let sides = ["Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Eye"];
        let sides = sides.iter().flat_map(|name| ["left", "right"].map(|side| format!("{side}{name}")));
        let middle = ["root", "hips", "spine", "chest", "upperChest", "neck", "head", "jaw"].map(str::to_owned);
        for role in &sides.chain(middle).collect::<Vec<_>>() {
            assert!(find_japanese(&body_role_name(Lang::En, role)).is_some(), "{role}");
        }
        assert_eq!(body_role_name(Lang::En, "leftUpperArm"), "left upper arm");
    }

    #[test]
    fn no_english_text_has_two_translations() {
        let areas: HashMap<String, HashMap<String, String>> =
            serde_json::from_str(include_str!("../../../assets/messages/ja.json")).expect("areas of texts");
        assert_eq!(areas.values().map(HashMap::len).sum::<usize>(), JAPANESE.len());
    }

    #[test]
    fn no_text_is_empty_or_has_exclamation_marks_or_please() {
        for text in all_translations().into_iter().flat_map(|(english, japanese)| [english, japanese]) {
            assert!(!text.trim().is_empty(), "an empty text");
            assert!(!text.contains('!') && !text.contains('！'), "{text} shouts");
            assert!(!text.to_lowercase().contains("please"), "{text} contains \"please\"");
        }
    }

    #[test]
    fn texts_are_in_the_language_of_the_reader() {
        let text = |lang: Lang| tr!(lang, "Key {n} of {name}", n = 2, name = message!("Stiffness"));
        assert_eq!([Lang::En, Lang::Ja].map(text), ["Key 2 of Stiffness", "硬さのキー2"]);
    }

    #[test]
    fn a_text_without_a_translation_is_english() {
        assert_eq!(Lang::Ja.tr(message!("No such text{:test}")), "No such text");
        assert_eq!(find_translation(Lang::Ja, "No such text"), None);
    }
}
