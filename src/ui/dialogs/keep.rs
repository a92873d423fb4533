//! Keeps the feel of the selected chain under a name, gives a preset of the artist's own another name, or deletes it.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, Press, in_middle, padded, sentence};
use crate::document::{ChainId, Part};
use crate::feel::{preset, preset::Preset, preset::Words};
use crate::session::PresetId;
use crate::ui::kit::paint;
use crate::ui::kit::text_field::{TextField, select_from};
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::chip;
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::words;
use crate::ui::presets::{Shelf, saved_chain};
use crate::ui::{Cx, Request};
use egui::{Align, Context, Key, Layout, Rect, Sense, Ui, vec2};
use std::sync::Arc;

const LABEL: f32 = 76.0;
/// Longer names run over their card.
const LONGEST: usize = 60;

/// What is kept.
#[derive(Clone, Debug, PartialEq)]
enum Subject {
    /// The feel of a chain.
    Chain(ChainId),
    /// A preset that is there.
    Preset(PresetId),
}

/// What was typed so far.
#[derive(Debug)]
pub(super) struct Keep {
    subject: Option<Subject>,
    name: String,
    sentence: String,
    part: Part,
    asked_for_keyboard: bool,
}

impl Keep {
    pub(super) fn new(cx: &Cx<'_>) -> Self {
        let empty = Self {
            subject: None,
            name: String::new(),
            sentence: String::new(),
            part: Part::Other,
            asked_for_keyboard: false,
        };
        if let Some(id) = &cx.state.presets.subject {
            let Some(preset) = cx.state.presets.shelf.get(id) else { return empty };
            return Self {
                subject: Some(Subject::Preset(id.clone())),
                name: preset.name.get(cx.theme.is_japanese()).to_owned(),
                sentence: preset.sentence.get(cx.theme.is_japanese()).to_owned(),
                part: preset.parts.first().copied().unwrap_or_default(),
                ..empty
            };
        }
        let Some(id) = saved_chain(cx.session()) else { return empty };
        let Some(chain) = cx.session().document().chains.get(&id) else { return empty };
        Self { subject: Some(Subject::Chain(id)), name: chain.name.clone(), part: chain.part, ..empty }
    }

    /// Another preset of the artist's own of that name.
    fn taken<'a>(&self, shelf: &'a Shelf) -> Option<&'a Preset> {
        let name = self.name.trim();
        let other = |preset: &&Preset| match &self.subject {
            Some(Subject::Preset(id)) => id.key != preset.key,
            _ => true,
        };
        shelf.own.iter().filter(other).find(|preset| [&preset.name.en, &preset.name.ja].iter().any(|own| *own == name))
    }

    /// The preset as it goes to its file, and whether it takes the place of one that is there.
    fn made(&self, cx: &Cx<'_>, shelf: &Shelf) -> Option<(Preset, bool)> {
        let japanese = cx.theme.is_japanese();
        let words = |text: &str| {
            let text = text.trim().to_owned();
            if japanese { Words { en: String::new(), ja: text } } else { Words { en: text, ja: String::new() } }
        };
        match self.subject.as_ref()? {
            Subject::Chain(id) => {
                let taken = self.taken(shelf).map(|preset| preset.key.clone());
                let replaces = taken.is_some();
                let key = taken.unwrap_or_else(|| key_of(&self.name));
                let (document, skeleton) = (cx.session().document(), &cx.session().character().skeleton);
                let mut preset =
                    preset::from_chain(document, skeleton, *id, key, words(&self.name), words(&self.sentence));
                preset.parts = vec![self.part];
                Some((preset, replaces))
            }
            Subject::Preset(id) => {
                let mut preset = shelf.get(id)?.clone();
                for (old, new) in [(&mut preset.name, &self.name), (&mut preset.sentence, &self.sentence)] {
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
    fn is_blocked(&self, shelf: &Shelf) -> bool {
        self.renames() && self.taken(shelf).is_some()
    }

    const fn renames(&self) -> bool {
        matches!(self.subject, Some(Subject::Preset(_)))
    }
}

impl Dialog for Keep {
    fn title_key(&self) -> &'static str {
        if self.renames() { "presets.window.rename" } else { "presets.window.save" }
    }

    fn note(&self, cx: &Cx<'_>) -> String {
        let Some(Subject::Chain(id)) = &self.subject else { return String::new() };
        cx.session().document().chains.get(id).map(|chain| chain.name.clone()).unwrap_or_default()
    }

    fn place(&self, ctx: &Context, _cx: &Cx<'_>) -> Rect {
        in_middle(ctx, vec2(460.0, 252.0))
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut Cx<'_>) -> DialogResult {
        let is_there = match &self.subject {
            Some(Subject::Chain(id)) => cx.session().document().chains.contains_key(id),
            Some(Subject::Preset(id)) => cx.state.presets.shelf.get(id).is_some(),
            None => false,
        };
        if is_there { DialogResult::Open } else { DialogResult::Closed }
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, out: &mut DialogOutput) {
        padded(ui, |ui| {
            ui.spacing_mut().item_spacing = vec2(space::M, space::M);
            let response = field(ui, cx, "presets.window.name", &mut self.name);
            if !std::mem::replace(&mut self.asked_for_keyboard, true) {
                select_from(&response, &self.name, 0);
            }
            let sentence = field(ui, cx, "presets.window.sentence", &mut self.sentence);
            let entered = |field: &egui::Response| field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
            if entered(&response) || entered(&sentence) {
                out.press = Some(Press::Apply);
            }
            ui.horizontal_top(|ui| {
                label(ui, cx, &cx.tr("inspector.part"));
                let room = vec2(ui.available_width(), 0.0);
                ui.allocate_ui_with_layout(room, Layout::left_to_right(Align::Min).with_main_wrap(true), |ui| {
                    ui.spacing_mut().item_spacing = vec2(space::S, space::XXS);
                    for part in Part::ALL {
                        if chip(ui, &words::part(cx.theme.lang, part), None, part == self.part, None).clicked() {
                            self.part = part;
                        }
                    }
                });
            });
        });
    }

    fn buttons(&self, cx: &Cx<'_>) -> Vec<DialogButton> {
        let shelf = &cx.state.presets.shelf;
        let key = match () {
            () if self.renames() => "presets.window.keep",
            () if self.taken(shelf).is_some() => "presets.window.replace",
            () => "presets.window.save_it",
        };
        let ready = !self.is_blocked(shelf) && !self.name.trim().is_empty();
        vec![DialogButton::apply(cx.tr(key), ready).hint("Enter"), DialogButton::cancel(cx)]
    }

    fn foot_note(&self, cx: &Cx<'_>) -> String {
        let shelf = &cx.state.presets.shelf;
        match self.taken(shelf) {
            None => String::new(),
            Some(_) if self.is_blocked(shelf) => cx.tr("presets.window.other").into_owned(),
            Some(_) => cx.tr("presets.window.taken").into_owned(),
        }
    }

    fn apply(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        let shelf = Arc::clone(&cx.state.presets.shelf);
        if let Some((preset, replaces)) = self.made(cx, &shelf) {
            cx.request(Request::SavePreset { preset: Box::new(preset), replaces });
        }
        DialogResult::Closed
    }
}

/// Asks before a preset of the artist's own is deleted: no undo brings a file back.
#[derive(Debug)]
pub(super) struct Delete {
    id: PresetId,
}

impl Delete {
    pub(super) fn new(cx: &Cx<'_>) -> Self {
        Self { id: cx.state.presets.subject.clone().unwrap_or_default() }
    }

    fn name(&self, cx: &Cx<'_>) -> String {
        let preset = cx.state.presets.shelf.get(&self.id);
        preset.map(|preset| preset.name.get(cx.theme.is_japanese()).to_owned()).unwrap_or_default()
    }
}

impl Dialog for Delete {
    fn title_key(&self) -> &'static str {
        "presets.window.delete"
    }

    fn place(&self, ctx: &Context, _cx: &Cx<'_>) -> Rect {
        in_middle(ctx, vec2(440.0, 168.0))
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut Cx<'_>) -> DialogResult {
        let is_there = cx.state.presets.shelf.get(&self.id).is_some();
        if is_there { DialogResult::Open } else { DialogResult::Closed }
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, _out: &mut DialogOutput) {
        padded(ui, |ui| {
            sentence(ui, cx, &cx.tr_with("presets.window.delete_sentence", &[("name", &self.name(cx))]));
        });
    }

    fn buttons(&self, cx: &Cx<'_>) -> Vec<DialogButton> {
        let words = cx.tr_with("presets.window.delete_it", &[("name", &self.name(cx))]);
        vec![DialogButton::apply(words, true), DialogButton::cancel(cx)]
    }

    fn apply(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        cx.request(Request::DeletePreset { key: self.id.key.clone(), name: self.name(cx) });
        DialogResult::Closed
    }
}

fn label(ui: &mut Ui, cx: &Cx<'_>, words: &str) {
    let (rect, _) = ui.allocate_exact_size(vec2(LABEL, size::HIT_MIN), Sense::hover());
    let galley = paint::elided(ui, words, Text::Body, cx.theme.color.text_2, LABEL);
    paint::galley_left(ui.painter(), rect.left_center(), galley);
}

fn field(ui: &mut Ui, cx: &Cx<'_>, key: &str, text: &mut String) -> egui::Response {
    let name = cx.tr(key);
    ui.horizontal(|ui| {
        label(ui, cx, &name);
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::BUTTON), Sense::hover());
        TextField { limit: LONGEST, ..TextField::new(&name) }.show(ui, rect, text)
    })
    .inner
}

/// A key that a file may be called by: what is Latin of the name.
fn key_of(name: &str) -> String {
    let letters = name.trim().chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    let key: String = letters.collect();
    let words: Vec<&str> = key.split('_').filter(|word| !word.is_empty()).collect();
    if words.is_empty() { "preset".to_owned() } else { words.join("_") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_by_what_is_latin_of_a_name() {
        assert_eq!(key_of(" Twin tail, heavy "), "twin_tail_heavy");
        assert_eq!(key_of("前髪 A-2"), "a_2");
        assert_eq!(key_of("前髪"), "preset");
        assert_eq!(key_of("../../etc/passwd"), "etc_passwd");
    }
}
