//! What the program says, in English and Japanese.
//!
//! The words stand in `assets/locales`, nested by area. Every look-up names its language: there is no current
//! language behind the caller's back, so tests may run side by side.

// The macro's own helpers; only the two functions below are for use.
mod table {
    rust_i18n::i18n!("assets/locales", fallback = "en");
}

use crate::diagnostics::MessageText;
use crate::document::ChainPart;
use crate::feel::params::UnavailableReason;
use crate::feel::preset::PresetProperty;
use crate::params::Unit;
use crate::sim::{FeelParam, OverdampedReturn, SolverKind, UNLIMITED_ANGLE_DEG};
use crate::tools::detect::DetectionReason;
use std::borrow::Cow;

/// A language of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Japanese.
    Ja,
}

impl Lang {
    /// In the order in which they are offered.
    pub const ALL: [Self; 2] = [Self::En, Self::Ja];

    /// The code that files and locales use.
    pub const fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ja => "ja",
        }
    }

    /// The language's name in itself.
    pub const fn name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::Ja => "日本語",
        }
    }

    /// The language of a system locale such as `ja_JP.UTF-8`; English for all that are not known.
    pub fn from_locale(locale: &str) -> Self {
        if locale.starts_with("ja") { Self::Ja } else { Self::En }
    }
}

/// The words of `key`, for example `bar.reset`; the key itself when there are none.
pub fn tr(lang: Lang, key: &str) -> Cow<'static, str> {
    table::_rust_i18n_try_translate(lang.code(), key).unwrap_or_else(|| Cow::Owned(key.to_owned()))
}

/// The words of `key`, or `None`, for texts that exist only for some rows.
pub fn find_text(lang: Lang, key: &str) -> Option<Cow<'static, str>> {
    table::_rust_i18n_try_translate(lang.code(), key)
}

/// The sentence of a message in a language.
pub fn message_text(lang: Lang, text: &MessageText) -> String {
    match lang {
        Lang::En => text.to_string(),
        Lang::Ja => text.translated(&|template| find_text(lang, template).map(Cow::into_owned)),
    }
}

/// The words of `key` with each placeholder replaced, as [`fill`] does.
pub fn tr_with(lang: Lang, key: &str, values: &[(&str, &str)]) -> String {
    fill(&tr(lang, key), values)
}

/// The words of `key.one` for 1 and of `key.many` for any other count, with the count in place of `%{n}`.
pub fn tr_count(lang: Lang, key: &str, n: usize) -> String {
    tr_with(lang, &format!("{key}.{}", plural_form(n)), &[("n", &n.to_string())])
}

/// The last part of the key of a sentence that differs between one and many.
pub const fn plural_form(n: usize) -> &'static str {
    if n == 1 { "one" } else { "many" }
}

/// `text` with each `%{name}` replaced by the value of that name. A count may bring its noun along: `%{n:joint|joints}`
/// becomes "1 joint" or "8 joints". Placeholders without a value stay.
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

/// What a solver is called.
pub fn solver_name(lang: Lang, solver: SolverKind) -> Cow<'static, str> {
    tr(lang, &format!("inspector.solver.{}", solver.key()))
}

/// The same in one short word, where there is little room.
pub fn solver_short_name(lang: Lang, solver: SolverKind) -> Cow<'static, str> {
    tr(lang, &format!("inspector.solver_short.{}", solver.key()))
}

/// All solvers with what they are called, in the order in which they are listed.
pub fn solver_names(lang: Lang) -> impl Iterator<Item = (SolverKind, Cow<'static, str>)> {
    SolverKind::ALL.iter().map(move |kind| (*kind, solver_name(lang, *kind)))
}

/// The label of a parameter: the table's own in English, that of its owner's file in Japanese.
pub fn param_label(lang: Lang, def: &crate::params::ParamDef) -> Cow<'static, str> {
    param_text(lang, def, "label").unwrap_or(Cow::Borrowed(def.label))
}

/// The sentence about a parameter.
pub fn param_doc(lang: Lang, def: &crate::params::ParamDef) -> Cow<'static, str> {
    param_text(lang, def, "doc").unwrap_or(Cow::Borrowed(def.doc))
}

/// The words of one choice of a parameter; empty where there is no such choice.
pub fn param_choice(lang: Lang, def: &crate::params::ParamDef, at: usize) -> Cow<'static, str> {
    let crate::params::ParamKind::Choice(choices) = def.kind else { return Cow::Borrowed("") };
    let own = choices.get(at).copied().unwrap_or_default();
    param_text(lang, def, &format!("choice_{at}")).unwrap_or(Cow::Borrowed(own))
}

/// Why a solver has no number for a term of feel; `None` where it has one. The solver's own sentence in English.
pub fn unsupported_reason(lang: Lang, kind: SolverKind, term: FeelParam) -> Option<Cow<'static, str>> {
    let (_, english) = kind.info().unsupported.iter().find(|(cannot, _)| *cannot == term)?;
    let other = (lang != Lang::En).then(|| find_text(lang, &unsupported_reason_key(kind, term))).flatten();
    Some(other.unwrap_or(Cow::Borrowed(english)))
}

fn unsupported_reason_key(kind: SolverKind, term: FeelParam) -> String {
    format!("cannot.{}.{}", kind.key(), term.def().name)
}

/// What a bone of a humanoid is called, by its role; a role without words by its name in VRM.
pub fn body_role_name(lang: Lang, role: &str) -> String {
    find_text(lang, &format!("windows.role.{role}")).map_or_else(|| role.to_owned(), Cow::into_owned)
}

/// What speaks for or against a detected chain.
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

/// What a part of a character is called.
pub fn part_name(lang: Lang, part: ChainPart) -> Cow<'static, str> {
    tr(lang, &format!("part.{}", part.key()))
}

/// What a property of a preset is called.
pub fn property_name(lang: Lang, property: PresetProperty) -> String {
    match property {
        PresetProperty::Base(term) => param_label(lang, term.def()).into_owned(),
        PresetProperty::Curve(term) => {
            tr_with(lang, "presets.window.curve_of", &[("name", &param_label(lang, term.def()))])
        }
        PresetProperty::Radius => tr(lang, "presets.window.radius").into_owned(),
    }
}

/// A number of a preset: "3.0 Hz", "45°", "open"; of a curve its factor.
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

/// Why a chain of that solver cannot have a property of a preset.
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
        UnavailableReason::NoEffect => tr(lang, "feel.here").into_owned(),
    }
}

/// How slowly a tip comes home under that solver.
pub fn overdamped_return_text(lang: Lang, kind: SolverKind, creep: &OverdampedReturn) -> String {
    let row = kind.info().params.get(usize::from(creep.threshold_param.0));
    let name = row.map_or(Cow::Borrowed(""), |def| param_label(lang, def));
    let (speed, frames) = (format!("{:.2} m/s", creep.speed_threshold), format!("{:.0}", creep.time_constant_frames));
    let seconds = format!("{:.1}", creep.time_constant_seconds);
    let values = [("row", &*name), ("speed", &speed), ("n", &frames), ("s", &seconds)];
    tr_with(lang, "presets.creep", &values)
}

/// The ends of a curve: "1 → 0.22".
pub fn curve_ends_text(first: f32, last: f32) -> String {
    format!("{} → {}", factor_text(first), factor_text(last))
}

/// Two digits, and none that say nothing.
fn factor_text(value: f32) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The label of a number of a shape or force, `owner` being the component's name in the engine.
pub fn field_label(lang: Lang, owner: &str, def: &crate::params::ParamDef) -> Cow<'static, str> {
    field_text(lang, owner, def.name, "label").unwrap_or(Cow::Borrowed(def.label))
}

/// The sentence about such a number.
pub fn field_doc(lang: Lang, owner: &str, def: &crate::params::ParamDef) -> Cow<'static, str> {
    field_text(lang, owner, def.name, "doc").unwrap_or(Cow::Borrowed(def.doc))
}

/// The words of one choice of such a number; empty where there is no such choice.
pub fn field_choice(lang: Lang, owner: &str, def: &crate::params::ParamDef, at: usize) -> Cow<'static, str> {
    let crate::params::ParamKind::Choice(choices) = def.kind else { return Cow::Borrowed("") };
    let own = choices.get(at).copied().unwrap_or_default();
    field_text(lang, owner, def.name, &format!("choice_{at}")).unwrap_or(Cow::Borrowed(own))
}

fn field_text(lang: Lang, owner: &str, name: &str, what: &str) -> Option<Cow<'static, str>> {
    if lang == Lang::En { None } else { find_text(lang, &format!("field.{owner}.{name}.{what}")) }
}

fn param_text(lang: Lang, def: &crate::params::ParamDef, what: &str) -> Option<Cow<'static, str>> {
    // The table speaks English; a look-up there would only find the fallback.
    if lang == Lang::En { None } else { find_text(lang, &format!("params.{}.{}.{what}", def.owner, def.name)) }
}

/// Every text: language, key, words. Sorted by language and key.
pub fn all_texts() -> Vec<(Lang, String, String)> {
    let mut found = Vec::new();
    for lang in Lang::ALL {
        let messages = table::_rust_i18n_backend().messages_for_locale(lang.code()).unwrap_or_default();
        let mut of_lang: Vec<_> = messages.into_iter().map(|(k, v)| (lang, k.into_owned(), v.into_owned())).collect();
        of_lang.sort();
        found.extend(of_lang);
    }
    found
}

/// A range of numbers in words.
pub fn range_text(lang: Lang, range: (f32, f32)) -> String {
    let number = |value: f32| value.to_string();
    match crate::session::finite_range_ends(range) {
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

    // Placeholders that hold a count; those of names, measures and positions never stand before a noun.
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
    // Words in -s that are no plural.
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
                // "3 good rows": an adjective may come first. Behind a mark another phrase begins.
                let phrase = behind.split(|c: char| !c.is_alphabetic() && c != ' ').next().unwrap_or_default();
                let counted = phrase.starts_with(' ')
                    && phrase.split_whitespace().take(2).any(|word| word.ends_with('s') && !SINGULAR.contains(&word));
                if counted {
                    missing.push(format!("{key}: %{{{name}}}{phrase}"));
                }
            }
        }
        assert!(missing.is_empty(), "no singular: write %{{n:joint|joints}}\n{}", missing.join("\n"));
        assert!(texts.values().any(|text| text.contains("%{n:joint|joints}")), "the form is in use");
    }

    #[test]
    fn japanese_keeps_to_the_glossary_and_ends_sentences_with_a_full_stop() {
        // What the glossary calls otherwise: feel, max angle, hit radius, collision, drag, export, record, rest pose,
        // script, improved, all, in force, and the signs of ranges and degrees.
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
        for (_, key, text) in all_texts().into_iter().filter(|(lang, ..)| *lang == Lang::Ja) {
            let wrong = WRONG.iter().filter(|word| text.contains(**word)).map(|word| format!("{key}: {word}"));
            faults.extend(wrong);
            if text.replace("空気抵抗", "").contains("抵抗") {
                faults.push(format!("{key}: 抵抗"));
            }
            // Words in brackets may follow the sentence.
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
        // Parameters have their English words in the solver's table, messages beside the session's values.
        // An English sentence is the key of its own translation.
        let elsewhere = |key: &str| {
            key.contains(char::is_whitespace)
                || ["cannot.", "field.", "params.", "said."].iter().any(|head| key.starts_with(head))
        };
        for (lang, key, text) in all_texts().into_iter().filter(|(_, key, _)| !elsewhere(key)) {
            tables[usize::from(lang == Lang::Ja)].insert(key, text);
        }
        let [en, ja] = tables;
        assert!(!en.is_empty());
        assert_eq!(en.keys().collect::<Vec<_>>(), ja.keys().collect::<Vec<_>>());
        for (key, text) in &en {
            assert_eq!(placeholders(text), placeholders(&ja[key]), "{key}");
        }
    }

    #[test]
    fn every_parameter_has_a_japanese_text_and_no_text_is_unused() {
        let terms = || FeelParam::ALL.into_iter().map(FeelParam::def);
        let table = || SolverKind::ALL.iter().flat_map(|kind| kind.info().params).chain(terms());
        let mut expected: Vec<String> = table()
            .flat_map(|d| ["doc", "label"].map(|what| format!("params.{}.{}.{what}", d.owner, d.name)))
            .collect();
        // Version numbers are the same in every language.
        let wordy = |text: &str| text.chars().any(char::is_alphabetic);
        for def in table() {
            let crate::params::ParamKind::Choice(choices) = def.kind else { continue };
            let named = choices.iter().enumerate().filter(|(_, text)| wordy(text));
            expected.extend(named.map(|(i, _)| format!("params.{}.{}.choice_{i}", def.owner, def.name)));
        }
        expected.sort();
        let found: Vec<String> =
            all_texts().into_iter().filter(|(_, key, _)| key.starts_with("params.")).map(|(_, key, _)| key).collect();
        assert_eq!(found, expected);
        for def in table() {
            assert_eq!(param_label(Lang::En, def), def.label);
            assert_ne!(param_label(Lang::Ja, def), def.label, "{}", def.name);
            assert_ne!(param_doc(Lang::Ja, def), def.doc, "{}", def.name);
        }
    }

    #[test]
    fn every_shape_and_force_field_has_a_japanese_text_and_no_text_is_unused() {
        use crate::sim::ColliderShape;
        let shapes = ColliderShape::ALL.iter();
        let shapes = shapes.map(|shape| (shape.component_name(), shape.fields()));
        let forces = crate::sim::ForceKind::ALL.iter().map(|force| (force.component_name(), force.fields()));
        let sides = crate::document::ListKind::ALL.iter().map(|side| (side.component_name(), side.fields()));
        let curves = crate::document::ListKind::ALL.iter().map(|side| (side.component_name(), side.curves()));
        let members =
            crate::document::ListKind::ALL.iter().map(|side| (side.member_component_name(), side.member_fields()));
        let mut expected = Vec::new();
        for (owner, fields) in shapes.chain(forces).chain(sides).chain(curves).chain(members) {
            for def in fields {
                if let crate::params::ParamKind::Choice(choices) = def.kind {
                    let keys = (0..choices.len()).map(|at| format!("field.{owner}.{}.choice_{at}", def.name));
                    expected.extend(keys);
                }
                expected.extend(["doc", "label"].map(|what| format!("field.{owner}.{}.{what}", def.name)));
                assert_eq!(field_label(Lang::En, owner, def), def.label);
                assert_ne!(field_label(Lang::Ja, owner, def), def.label, "{owner} {}", def.name);
                assert_ne!(field_doc(Lang::Ja, owner, def), def.doc, "{owner} {}", def.name);
            }
        }
        expected.sort();
        let all = all_texts().into_iter();
        let found: Vec<String> = all.filter(|(_, key, _)| key.starts_with("field.")).map(|(_, key, _)| key).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_unsupported_feel_param_has_a_japanese_reason_and_no_text_is_unused() {
        let mut expected = Vec::new();
        for kind in SolverKind::ALL {
            for (term, english) in kind.info().unsupported {
                assert_eq!(unsupported_reason(Lang::En, *kind, *term).as_deref(), Some(*english));
                assert_ne!(unsupported_reason(Lang::Ja, *kind, *term).as_deref(), Some(*english), "{kind:?} {term:?}");
                expected.push(unsupported_reason_key(*kind, *term));
            }
        }
        expected.sort();
        let all = all_texts().into_iter();
        let found: Vec<String> = all.filter(|(_, key, _)| key.starts_with("cannot.")).map(|(_, key, _)| key).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn no_text_is_empty_or_has_exclamation_marks_or_please() {
        for (lang, key, text) in all_texts() {
            assert!(!text.trim().is_empty(), "{lang:?} {key} is empty");
            assert!(!text.contains('!') && !text.contains('！'), "{lang:?} {key} shouts: {text}");
            assert!(!text.to_lowercase().contains("please"), "{lang:?} {key} begs: {text}");
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
