//! What the session said, in the artist's language.
//!
//! English sentences come with the messages; files and solvers so far speak English alone.

use crate::diagnostics::{Severity, excerpt, join_first_names, one_line};
use crate::document::{Document, EditError};
use crate::session::{Message, MessageEntry, ReducedCount, SuspectParam};
use crate::ui::kit::i18n::{self, Lang, tr_with};
use crate::ui::panels::labels;
use std::borrow::Cow;

/// The sentence of a message.
pub(super) fn sentence(lang: Lang, document: &Document, message: &MessageEntry) -> String {
    match &message.message {
        Some(said) if lang != Lang::En || matches!(said, Message::Done(_) | Message::NothingToDo(_)) => {
            one_line(&translated(lang, document, said))
        }
        _ => i18n::message_text(lang, &message.diagnostic.message),
    }
}

/// All of a message in one line: how bad, where, what.
pub(super) fn full_line(lang: Lang, document: &Document, message: &MessageEntry) -> String {
    let severity = i18n::tr(
        lang,
        match message.diagnostic.severity {
            Severity::Info => "drawer.said_info",
            Severity::Warning => "drawer.said_warning",
            Severity::Error => "drawer.said_error",
        },
    );
    let place = message.diagnostic.location.to_string();
    let gap = if place.is_empty() { "" } else { ": " };
    format!("{severity}: {place}{gap}{}", sentence(lang, document, message))
}

fn translated(lang: Lang, document: &Document, said: &Message) -> String {
    let label = |english: &str| {
        let mut tables = document.systems.values().flat_map(crate::document::System::param_defs);
        let def = tables.find(|def| def.label == english);
        def.map_or_else(|| english.to_owned(), |def| i18n::param_label(lang, def).into_owned())
    };
    match said {
        Message::EditRefused(err) => refusal_text(lang, err, &label),
        Message::CurveFitted { parameter, chain, more: 0 } => {
            tr_with(lang, "said.fitted", &[("row", &label(parameter)), ("chain", chain)])
        }
        Message::CurveFitted { parameter, chain, more } => {
            let values = [("row", &*label(parameter)), ("chain", chain), ("n", &more.to_string())];
            tr_with(lang, "said.fitted_more", &values)
        }
        Message::DetachedFromMaterial { material, chain, more: 0 } => {
            tr_with(lang, "said.left_material", &[("name", material), ("chain", chain)])
        }
        Message::DetachedFromMaterial { material, chain, more } => {
            let values = [("name", &**material), ("chain", chain), ("n", &more.to_string())];
            tr_with(lang, "said.left_material_more", &values)
        }
        Message::Done(label) => labels::done_text(lang, label),
        Message::NothingToDo(_) => i18n::tr(lang, "said.nothing_to_do").into_owned(),
        Message::NoMatchingBone(pattern) => tr_with(lang, "said.no_bone_like", &[("name", &excerpt(pattern))]),
        Message::CannotStartChain(bone) => tr_with(lang, "said.no_chain_from", &[("name", &excerpt(bone))]),
        Message::GestureWithoutBaseMotion { gesture, base_motion: over } => {
            tr_with(lang, "said.gesture_alone", &[("name", &excerpt(gesture)), ("over", &excerpt(over))])
        }
        Message::SettingsReset { file, reason: why, backed_up: kept } => {
            let kept = if *kept { i18n::tr(lang, "said.settings_kept") } else { Cow::default() };
            tr_with(lang, "said.settings_reset", &[("file", file), ("why", why)]) + &kept
        }
        Message::ChainOutOfBounds { joint, more, suspect } => {
            let mut sentence = if *more == 0 {
                tr_with(lang, "said.strayed", &[("joint", &excerpt(joint))])
            } else {
                tr_with(lang, "said.strayed_more", &[("joint", &excerpt(joint)), ("n", &more.to_string())])
            };
            if let Some(SuspectParam { parameter, value, range, is_declared_range: declared }) = suspect {
                let values = [
                    ("row", &*label(parameter)),
                    ("value", &value.to_string()),
                    ("range", &i18n::range_text(lang, *range)),
                ];
                let key = if *declared { "said.strayed_by" } else { "said.strayed_usual" };
                sentence += &tr_with(lang, key, &values);
            }
            sentence
        }
        Message::WorkReduced { solver, reductions: cuts } => {
            let one = |(parameter, asked, done): &ReducedCount| {
                let values = [("row", &*label(parameter)), ("n", &asked.to_string()), ("done", &done.to_string())];
                tr_with(lang, "said.work_cut_row", &values)
            };
            let rows: Vec<String> = cuts.iter().map(one).collect();
            let rows = rows.join(&*i18n::tr(lang, "windows.and"));
            tr_with(lang, "said.work_cut", &[("solver", solver), ("rows", &rows)])
        }
        Message::MotionLoaded { file, matched, unmatched } => {
            let (n, all) = (matched.to_string(), (matched + unmatched.len()).to_string());
            let names = join_first_names(unmatched, "、");
            let key = if unmatched.is_empty() { "said.motion_loaded" } else { "said.motion_loaded_in_part" };
            tr_with(lang, key, &[("file", &excerpt(file)), ("n", &n), ("all", &all), ("names", &names)])
        }
        Message::NoMotionBoneFound { file, bones } => {
            let names = join_first_names(bones, "、");
            tr_with(lang, "said.motion_fits_nothing", &[("file", &excerpt(file)), ("names", &names)])
        }
        Message::NoCharacterForMotion(file) => {
            tr_with(lang, "said.no_character_for_motion", &[("file", &excerpt(file))])
        }
        Message::MissingBones(bones) => {
            let names: Vec<_> = bones.iter().map(|name| excerpt(name)).collect();
            tr_with(lang, "said.lost", &[("names", &names.join(&*i18n::tr(lang, "windows.and")))])
        }
    }
}

fn refusal_text(lang: Lang, err: &EditError, label: &impl Fn(&str) -> String) -> String {
    match err {
        EditError::BoneInUse { chain, .. } => tr_with(lang, "said.bone_taken", &[("chain", chain)]),
        EditError::NotANumber { label: row, .. } => tr_with(lang, "said.not_a_number", &[("row", &label(row))]),
        EditError::HelperInUse(name) => tr_with(lang, "said.helper_in_use", &[("name", name)]),
        EditError::InvalidElement(name) => tr_with(lang, "said.bad_part", &[("name", name)]),
        // Only a program can ask for what is not there.
        other => tr_with(lang, "said.refused", &[("why", &other.to_string())]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::EditLabel;
    use crate::session::MessageLog;
    use crate::ui::kit::theme::{Theme, ThemeMode};

    #[track_caller]
    fn check(said: Message, japanese: &str) {
        let mut messages = MessageLog::default();
        let english = said.to_string();
        messages.push_message(said);
        let document = Document::default();
        assert_eq!(sentence(Lang::Ja, &document, &messages.entries()[0]), japanese);
        assert_eq!(sentence(Lang::En, &document, &messages.entries()[0]), english);
    }

    #[test]
    fn every_message_has_a_japanese_sentence() {
        let left = |more| Message::DetachedFromMaterial { material: "髪".into(), chain: "tail".into(), more };
        check(left(0), "tailは独自の値になり、マテリアル「髪」の共有から外れました。");
        check(left(2), "tailほか2チェーンは独自の値になり、マテリアル「髪」の共有から外れました。");
        check(Message::NoMatchingBone("tail*".into()), "「tail*」に一致するボーンがありません。");
        check(Message::MissingBones(vec!["a".into(), "b".into()]), "次のボーンが見つかりません：a、b");
        let alone = Message::GestureWithoutBaseMotion { gesture: "Gesture 2".into(), base_motion: "idle".into() };
        check(alone, "Gesture 2を記録したときのモーション「idle」がないため、初期ポーズの上で再生します。");
        let reset = |kept| Message::SettingsReset {
            file: "app.ron".into(),
            reason: "egui: zoom_factor 1e30".into(),
            backed_up: kept,
        };
        let expected = "app.ron：設定を使用できないため（egui: zoom_factor 1e30）、初期値を使用します。";
        check(reset(false), expected);
        check(reset(true), &format!("{expected}元のファイルのコピーはapp.unusable.ronとして残しています。"));
        check(Message::EditRefused(EditError::HelperInUse("p".into())), "補助ノード「p」は使用中です。");
        check(
            Message::EditRefused(EditError::InvalidElement("p".into())),
            "「p」に数値でない値、または大きすぎる値があります。",
        );
        check(Message::EditRefused(EditError::NoSuchChain(3)), "変更できませんでした（there is no chain 3）。");
        let fitted = |more| Message::CurveFitted { parameter: "Stiffness", chain: "tail".into(), more };
        let rest = "硬さはジョイントごとの値でした。基準値とカーブ（1ジョイントに1キー）に変換しました。";
        check(fitted(0), &format!("tailの{rest}"));
        check(fitted(2), &format!("tailほか2チェーンの{rest}"));
    }

    #[test]
    fn tool_results_have_their_count_in_both_languages() {
        let say = |said: Message, lang| {
            let mut messages = MessageLog::default();
            messages.push_message(said);
            sentence(lang, &Document::default(), &messages.entries()[0])
        };
        let links = |n| Message::Done(EditLabel::new("link_columns", n));
        assert_eq!(say(links(24), Lang::En), "24 length limits linked");
        assert_eq!(say(links(1), Lang::En), "1 length limit linked");
        assert_eq!(say(links(24), Lang::Ja), "24個の長さ制限をリンクしました。");
        let nothing = |lang| say(Message::NothingToDo(EditLabel::new("link_columns", 0)), lang);
        assert_eq!(nothing(Lang::En), "Nothing to do: everything is so already");
        assert_eq!(nothing(Lang::Ja), "変更はありません（すでにこの状態です）。");
        // A tool without words of its own borrows those of its step.
        assert_eq!(say(Message::Done(EditLabel::new("make_chains", 2)), Lang::En), step_sentence("make_chains", 2));
    }

    fn step_sentence(what: &'static str, n: usize) -> String {
        let theme = Theme::new(ThemeMode::Dark, Lang::En);
        labels::undo_text(&theme, &EditLabel::new(what, n))
    }
}
