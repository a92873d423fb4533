//! Keeps the feel of the selected chain under a name, gives a preset of the artist's own another name, or deletes it.

use super::dialog::{
    Dialog, DialogAction, DialogButton, DialogOutput, DialogResult, in_middle, padded_ui, sentence_ui,
};
use crate::document::{ChainId, ChainPart};
use crate::feel::{preset, preset::LocalizedText, preset::Preset};
use crate::session::PresetId;
use crate::ui::kit::i18n;
use crate::ui::kit::paint;
use crate::ui::kit::text_field::{TextField, select_text_from};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::chip;
use crate::ui::kit::tokens::{size, space};
use crate::ui::presets::{PresetLibrary, chain_to_save};
use crate::ui::{AppRequest, UiContext};
use egui::{Align, Context, Key, Layout, Rect, Sense, Ui, vec2};
use std::sync::Arc;

const LABEL_WIDTH: f32 = 76.0;
/// Longer names run over their card.
const MAX_NAME_CHARS: usize = 60;

/// What is kept.
#[derive(Clone, Debug, PartialEq)]
enum SaveSubject {
    /// The feel of a chain.
    Chain(ChainId),
    /// A preset that is there.
    Preset(PresetId),
}

/// What was typed so far.
#[derive(Debug)]
pub(super) struct SavePresetDialog {
    source: Option<SaveSubject>,
    name: String,
    description: String,
    part: ChainPart,
    requested_focus: bool,
}

impl SavePresetDialog {
    pub(super) fn new(cx: &UiContext<'_>) -> Self {
        let empty = Self {
            source: None,
            name: String::new(),
            description: String::new(),
            part: ChainPart::Other,
            requested_focus: false,
        };
        if let Some(id) = &cx.state.presets.dialog_preset {
            let Some(preset) = cx.state.presets.library.get(id) else { return empty };
            return Self {
                source: Some(SaveSubject::Preset(id.clone())),
                name: preset.name.get(cx.theme.is_japanese()).to_owned(),
                description: preset.description.get(cx.theme.is_japanese()).to_owned(),
                part: preset.parts.first().copied().unwrap_or_default(),
                ..empty
            };
        }
        let Some(id) = chain_to_save(cx.session()) else { return empty };
        let Some(chain) = cx.session().document().chains.get(&id) else { return empty };
        Self { source: Some(SaveSubject::Chain(id)), name: chain.name.clone(), part: chain.part, ..empty }
    }

    /// Another preset of the artist's own of that name.
    fn preset_of_same_name<'a>(&self, shelf: &'a PresetLibrary) -> Option<&'a Preset> {
        let name = self.name.trim();
        let other = |preset: &&Preset| match &self.source {
            Some(SaveSubject::Preset(id)) => id.key != preset.key,
            _ => true,
        };
        shelf.user.iter().filter(other).find(|preset| [&preset.name.en, &preset.name.ja].iter().any(|own| *own == name))
    }

    /// The preset as it goes to its file, and whether it takes the place of one that is there.
    fn preset_to_save(&self, cx: &UiContext<'_>, shelf: &PresetLibrary) -> Option<(Preset, bool)> {
        let japanese = cx.theme.is_japanese();
        let words = |text: &str| {
            let text = text.trim().to_owned();
            if japanese {
                LocalizedText { en: String::new(), ja: text }
            } else {
                LocalizedText { en: text, ja: String::new() }
            }
        };
        match self.source.as_ref()? {
            SaveSubject::Chain(id) => {
                let taken = self.preset_of_same_name(shelf).map(|preset| preset.key.clone());
                let replaces = taken.is_some();
                let key = taken.unwrap_or_else(|| file_key(&self.name));
                let (document, skeleton) = (cx.session().document(), &cx.session().character().skeleton);
                let mut preset =
                    preset::from_chain(document, skeleton, *id, key, words(&self.name), words(&self.description));
                preset.parts = vec![self.part];
                Some((preset, replaces))
            }
            SaveSubject::Preset(id) => {
                let mut preset = shelf.get(id)?.clone();
                for (old, new) in [(&mut preset.name, &self.name), (&mut preset.description, &self.description)] {
                    let slot = if japanese { &mut old.ja } else { &mut old.en };
                    new.trim().clone_into(slot);
                }
                preset.parts.retain(|part| *part != self.part);
                preset.parts.insert(0, self.part);
                Some((preset, true))
            }
        }
    }

    /// Whether the name of a preset is that of another one.
    fn is_name_taken(&self, shelf: &PresetLibrary) -> bool {
        self.is_rename() && self.preset_of_same_name(shelf).is_some()
    }

    const fn is_rename(&self) -> bool {
        matches!(self.source, Some(SaveSubject::Preset(_)))
    }
}

impl Dialog for SavePresetDialog {
    fn title_key(&self) -> &'static str {
        if self.is_rename() { "presets.window.rename" } else { "presets.window.save" }
    }

    fn subtitle(&self, cx: &UiContext<'_>) -> String {
        let Some(SaveSubject::Chain(id)) = &self.source else { return String::new() };
        cx.session().document().chains.get(id).map(|chain| chain.name.clone()).unwrap_or_default()
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        in_middle(ctx, vec2(460.0, 252.0))
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        let is_there = match &self.source {
            Some(SaveSubject::Chain(id)) => cx.session().document().chains.contains_key(id),
            Some(SaveSubject::Preset(id)) => cx.state.presets.library.get(id).is_some(),
            None => false,
        };
        if is_there { DialogResult::Open } else { DialogResult::Closed }
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
        padded_ui(ui, |ui| {
            ui.spacing_mut().item_spacing = vec2(space::M, space::M);
            let response = text_field_ui(ui, cx, "presets.window.name", &mut self.name);
            if !std::mem::replace(&mut self.requested_focus, true) {
                select_text_from(&response, &self.name, 0);
            }
            let sentence = text_field_ui(ui, cx, "presets.window.sentence", &mut self.description);
            let entered = |field: &egui::Response| field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
            if entered(&response) || entered(&sentence) {
                out.action = Some(DialogAction::Apply);
            }
            ui.horizontal_top(|ui| {
                field_label_ui(ui, cx, &cx.tr("inspector.part"));
                let room = vec2(ui.available_width(), 0.0);
                ui.allocate_ui_with_layout(room, Layout::left_to_right(Align::Min).with_main_wrap(true), |ui| {
                    ui.spacing_mut().item_spacing = vec2(space::S, space::XXS);
                    for part in ChainPart::ALL {
                        if chip(ui, &i18n::part_name(cx.theme.lang, part), None, part == self.part, None).clicked() {
                            self.part = part;
                        }
                    }
                });
            });
        });
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let shelf = &cx.state.presets.library;
        let key = match () {
            () if self.is_rename() => "presets.window.keep",
            () if self.preset_of_same_name(shelf).is_some() => "presets.window.replace",
            () => "presets.window.save_it",
        };
        let ready = !self.is_name_taken(shelf) && !self.name.trim().is_empty();
        vec![DialogButton::apply(cx.tr(key), ready).hint("Enter"), DialogButton::cancel(cx)]
    }

    fn footer_note(&self, cx: &UiContext<'_>) -> String {
        let shelf = &cx.state.presets.library;
        match self.preset_of_same_name(shelf) {
            None => String::new(),
            Some(_) if self.is_name_taken(shelf) => cx.tr("presets.window.other").into_owned(),
            Some(_) => cx.tr("presets.window.taken").into_owned(),
        }
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        let shelf = Arc::clone(&cx.state.presets.library);
        if let Some((preset, replaces)) = self.preset_to_save(cx, &shelf) {
            cx.request(AppRequest::SavePreset { preset: Box::new(preset), replaces });
        }
        DialogResult::Closed
    }
}

/// Asks before a preset of the artist's own is deleted: no undo brings a file back.
#[derive(Debug)]
pub(super) struct DeletePresetDialog {
    id: PresetId,
}

impl DeletePresetDialog {
    pub(super) fn new(cx: &UiContext<'_>) -> Self {
        Self { id: cx.state.presets.dialog_preset.clone().unwrap_or_default() }
    }

    fn name(&self, cx: &UiContext<'_>) -> String {
        let preset = cx.state.presets.library.get(&self.id);
        preset.map(|preset| preset.name.get(cx.theme.is_japanese()).to_owned()).unwrap_or_default()
    }
}

impl Dialog for DeletePresetDialog {
    fn title_key(&self) -> &'static str {
        "presets.window.delete"
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        in_middle(ctx, vec2(440.0, 168.0))
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        let is_there = cx.state.presets.library.get(&self.id).is_some();
        if is_there { DialogResult::Open } else { DialogResult::Closed }
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        padded_ui(ui, |ui| {
            sentence_ui(ui, cx, &cx.tr_with("presets.window.delete_sentence", &[("name", &self.name(cx))]));
        });
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let words = cx.tr_with("presets.window.delete_it", &[("name", &self.name(cx))]);
        vec![DialogButton::apply(words, true), DialogButton::cancel(cx)]
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        cx.request(AppRequest::DeletePreset { key: self.id.key.clone(), name: self.name(cx) });
        DialogResult::Closed
    }
}

fn field_label_ui(ui: &mut Ui, cx: &UiContext<'_>, words: &str) {
    let (rect, _) = ui.allocate_exact_size(vec2(LABEL_WIDTH, size::HIT_MIN), Sense::hover());
    let galley = paint::elided(ui, words, TextSize::Body, cx.theme.color.text_2, LABEL_WIDTH);
    paint::paint_galley_left(ui.painter(), rect.left_center(), galley);
}

fn text_field_ui(ui: &mut Ui, cx: &UiContext<'_>, key: &str, text: &mut String) -> egui::Response {
    let name = cx.tr(key);
    ui.horizontal(|ui| {
        field_label_ui(ui, cx, &name);
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::BUTTON), Sense::hover());
        TextField { max_chars: MAX_NAME_CHARS, ..TextField::new(&name) }.show(ui, rect, text)
    })
    .inner
}

/// A key that a file may be called by: what is Latin of the name.
fn file_key(name: &str) -> String {
    let letters = name.trim().chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    let key: String = letters.collect();
    let words: Vec<&str> = key.split('_').filter(|word| !word.is_empty()).collect();
    if words.is_empty() { "preset".to_owned() } else { words.join("_") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_key_keeps_ascii_letters_of_the_name() {
        assert_eq!(file_key(" Twin tail, heavy "), "twin_tail_heavy");
        assert_eq!(file_key("前髪 A-2"), "a_2");
        assert_eq!(file_key("前髪"), "preset");
        assert_eq!(file_key("../../etc/passwd"), "etc_passwd");
    }
}
