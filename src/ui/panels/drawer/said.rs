//! What the session said, in the artist's language.
//!
//! English sentences come with the messages; files and solvers so far speak English alone.

use crate::document::{Document, EditError};
use crate::report::{Severity, clip, few, one_line};
use crate::session::{CutCount, Message, Said, Suspect};
use crate::ui::kit::words::{self, Lang, tr_with};
use crate::ui::panels::labels;
use std::borrow::Cow;

/// The sentence of a message.
pub(super) fn sentence<'a>(lang: Lang, document: &Document, message: &'a Message) -> Cow<'a, str> {
    match &message.said {
        Some(said) if lang != Lang::En || matches!(said, Said::Done(_) | Said::NothingToDo(_)) => {
            one_line(&worded(lang, document, said)).into()
        }
        _ => Cow::Borrowed(&message.diagnostic.message),
    }
}

/// All of a message in one line: how bad, where, what.
pub(super) fn line(lang: Lang, document: &Document, message: &Message) -> String {
    let severity = words::tr(
        lang,
        match message.diagnostic.severity {
            Severity::Info => "drawer.said_info",
            Severity::Warning => "drawer.said_warning",
            Severity::Error => "drawer.said_error",
        },
    );
    let place = message.diagnostic.place.to_string();
    let gap = if place.is_empty() { "" } else { ": " };
    format!("{severity}: {place}{gap}{}", sentence(lang, document, message))
}

fn worded(lang: Lang, document: &Document, said: &Said) -> String {
    let label = |english: &str| {
        let mut tables = document.systems.values().flat_map(crate::document::System::table);
        let def = tables.find(|def| def.label == english);
        def.map_or_else(|| english.to_owned(), |def| words::param_label(lang, def).into_owned())
    };
    match said {
        Said::Refused(err) => refused(lang, err, &label),
        Said::Fitted { parameter, chain, more: 0 } => {
            tr_with(lang, "said.fitted", &[("row", &label(parameter)), ("chain", chain)])
        }
        Said::Fitted { parameter, chain, more } => {
            let values = [("row", &*label(parameter)), ("chain", chain), ("n", &more.to_string())];
            tr_with(lang, "said.fitted_more", &values)
        }
        Said::LeftMaterial { material, chain, more: 0 } => {
            tr_with(lang, "said.left_material", &[("name", material), ("chain", chain)])
        }
        Said::LeftMaterial { material, chain, more } => {
            let values = [("name", &**material), ("chain", chain), ("n", &more.to_string())];
            tr_with(lang, "said.left_material_more", &values)
        }
        Said::Done(label) => labels::done_words(lang, label),
        Said::NothingToDo(_) => words::tr(lang, "said.nothing_to_do").into_owned(),
        Said::NoBoneLike(pattern) => tr_with(lang, "said.no_bone_like", &[("name", &clip(pattern))]),
        Said::NoChainFrom(bone) => tr_with(lang, "said.no_chain_from", &[("name", &clip(bone))]),
        Said::GestureAlone { gesture, over } => {
            tr_with(lang, "said.gesture_alone", &[("name", &clip(gesture)), ("over", &clip(over))])
        }
        Said::SettingsReset { file, why, kept } => {
            let kept = if *kept { words::tr(lang, "said.settings_kept") } else { Cow::default() };
            tr_with(lang, "said.settings_reset", &[("file", file), ("why", why)]) + &kept
        }
        Said::Strayed { joint, more, suspect } => {
            let mut sentence = if *more == 0 {
                tr_with(lang, "said.strayed", &[("joint", &clip(joint))])
            } else {
                tr_with(lang, "said.strayed_more", &[("joint", &clip(joint)), ("n", &more.to_string())])
            };
            if let Some(Suspect { parameter, value, range, declared }) = suspect {
                let values = [
                    ("row", &*label(parameter)),
                    ("value", &value.to_string()),
                    ("range", &words::range(lang, *range)),
                ];
                let key = if *declared { "said.strayed_by" } else { "said.strayed_usual" };
                sentence += &tr_with(lang, key, &values);
            }
            sentence
        }
        Said::WorkCut { solver, cuts } => {
            let one = |(parameter, asked, done): &CutCount| {
                let values = [("row", &*label(parameter)), ("n", &asked.to_string()), ("done", &done.to_string())];
                tr_with(lang, "said.work_cut_row", &values)
            };
            let rows: Vec<String> = cuts.iter().map(one).collect();
            let rows = rows.join(&*words::tr(lang, "windows.and"));
            tr_with(lang, "said.work_cut", &[("solver", solver), ("rows", &rows)])
        }
        Said::MotionLoaded { file, matched, unmatched } => {
            let (n, all) = (matched.to_string(), (matched + unmatched.len()).to_string());
            let names = few(unmatched, "、");
            let key = if unmatched.is_empty() { "said.motion_loaded" } else { "said.motion_loaded_in_part" };
            tr_with(lang, key, &[("file", &clip(file)), ("n", &n), ("all", &all), ("names", &names)])
        }
        Said::MotionFitsNothing { file, bones } => {
            let names = few(bones, "、");
            tr_with(lang, "said.motion_fits_nothing", &[("file", &clip(file)), ("names", &names)])
        }
        Said::NoCharacterForMotion(file) => tr_with(lang, "said.no_character_for_motion", &[("file", &clip(file))]),
        Said::Lost(bones) => {
            let names: Vec<_> = bones.iter().map(|name| clip(name)).collect();
            tr_with(lang, "said.lost", &[("names", &names.join(&*words::tr(lang, "windows.and")))])
        }
    }
}

fn refused(lang: Lang, err: &EditError, label: &impl Fn(&str) -> String) -> String {
    match err {
        EditError::BoneTaken { chain, .. } => tr_with(lang, "said.bone_taken", &[("chain", chain)]),
        EditError::NotANumber { label: row, .. } => tr_with(lang, "said.not_a_number", &[("row", &label(row))]),
        EditError::HelperInUse(name) => tr_with(lang, "said.helper_in_use", &[("name", name)]),
        EditError::BadPart(name) => tr_with(lang, "said.bad_part", &[("name", name)]),
        // Only a program can ask for what is not there.
        other => tr_with(lang, "said.refused", &[("why", &other.to_string())]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Label;
    use crate::session::Messages;
    use crate::ui::kit::theme::{Mode, Theme};

    #[track_caller]
    fn check(said: Said, japanese: &str) {
        let mut messages = Messages::default();
        let english = said.to_string();
        messages.say(said);
        let document = Document::default();
        assert_eq!(sentence(Lang::Ja, &document, &messages.list()[0]), japanese);
        assert_eq!(sentence(Lang::En, &document, &messages.list()[0]), english);
    }

    #[test]
    fn what_the_session_says_is_said_in_japanese_too() {
        let left = |more| Said::LeftMaterial { material: "髪".into(), chain: "tail".into(), more };
        check(left(0), "tailは独自の値になり、マテリアル「髪」の共有から外れました。");
        check(left(2), "tailほか2チェーンは独自の値になり、マテリアル「髪」の共有から外れました。");
        check(Said::NoBoneLike("tail*".into()), "「tail*」に一致するボーンがありません。");
        check(Said::Lost(vec!["a".into(), "b".into()]), "次のボーンが見つかりません：a、b");
        let alone = Said::GestureAlone { gesture: "Gesture 2".into(), over: "idle".into() };
        check(alone, "Gesture 2を記録したときのモーション「idle」がないため、初期ポーズの上で再生します。");
        let reset = |kept| Said::SettingsReset { file: "app.ron".into(), why: "egui: zoom_factor 1e30".into(), kept };
        let expected = "app.ron：設定を使用できないため（egui: zoom_factor 1e30）、初期値を使用します。";
        check(reset(false), expected);
        check(reset(true), &format!("{expected}元のファイルのコピーはapp.unusable.ronとして残しています。"));
        check(Said::Refused(EditError::HelperInUse("p".into())), "補助ノード「p」は使用中です。");
        check(Said::Refused(EditError::BadPart("p".into())), "「p」に数値でない値、または大きすぎる値があります。");
        check(Said::Refused(EditError::NoSuchChain(3)), "変更できませんでした（there is no chain 3）。");
        let fitted = |more| Said::Fitted { parameter: "Stiffness", chain: "tail".into(), more };
        let rest = "硬さはジョイントごとの値でした。基準値とカーブ（1ジョイントに1キー）に変換しました。";
        check(fitted(0), &format!("tailの{rest}"));
        check(fitted(2), &format!("tailほか2チェーンの{rest}"));
    }

    #[test]
    fn what_a_tool_did_is_told_with_its_count_in_both_languages() {
        let say = |said: Said, lang| {
            let mut messages = Messages::default();
            messages.say(said);
            sentence(lang, &Document::default(), &messages.list()[0]).into_owned()
        };
        let links = |n| Said::Done(Label::new("link_columns", n));
        assert_eq!(say(links(24), Lang::En), "24 length limits linked");
        assert_eq!(say(links(1), Lang::En), "1 length limit linked");
        assert_eq!(say(links(24), Lang::Ja), "24個の長さ制限をリンクしました。");
        let nothing = |lang| say(Said::NothingToDo(Label::new("link_columns", 0)), lang);
        assert_eq!(nothing(Lang::En), "Nothing to do: everything is so already");
        assert_eq!(nothing(Lang::Ja), "変更はありません（すでにこの状態です）。");
        // A tool without words of its own borrows those of its step.
        assert_eq!(say(Said::Done(Label::new("make_chains", 2)), Lang::En), say_step("make_chains", 2));
    }

    fn say_step(what: &'static str, n: usize) -> String {
        let theme = Theme::new(Mode::Dark, Lang::En);
        labels::words_of(&theme, &Label::new(what, n))
    }
}
