//! Keeps the feel of the selected chain under a name, or gives a preset of the artist's own another name.

use crate::doc::preset::{self, Preset, Words};
use crate::doc::{ChainId, Part};
use crate::session::PresetId;
use crate::ui::dialogs::small::place;
use crate::ui::dialogs::{Stays, grid};
use crate::ui::kit::button::{primary, secondary};
use crate::ui::kit::rename::focus_all;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::chip;
use crate::ui::kit::tokens::{SPACE, radius, size, stroke};
use crate::ui::kit::words;
use crate::ui::kit::{frame, paint};
use crate::ui::panels::drawer::presets::saved_chain;
use crate::ui::presets::{Shelf, japanese};
use crate::ui::{Cx, Request};
use egui::{Align, Context, Key, Layout, Sense, Stroke, StrokeKind, Ui, vec2};
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
pub(in crate::ui::dialogs) struct Keep {
    subject: Option<Subject>,
    name: String,
    sentence: String,
    part: Part,
    asked_for_keyboard: bool,
}

impl Keep {
    pub(in crate::ui::dialogs) fn new(cx: &Cx<'_>) -> Self {
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
                name: preset.name.get(japanese(cx)).to_owned(),
                sentence: preset.sentence.get(japanese(cx)).to_owned(),
                part: preset.parts.first().copied().unwrap_or_default(),
                ..empty
            };
        }
        let Some(id) = saved_chain(cx) else { return empty };
        let Some(chain) = cx.session().document().chains.get(&id) else { return empty };
        Self { subject: Some(Subject::Chain(id)), name: chain.name.clone(), part: chain.part, ..empty }
    }

    pub(in crate::ui::dialogs) fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> (String, Stays) {
        let renames = matches!(self.subject, Some(Subject::Preset(_)));
        let title = cx.tr(if renames { "presets.window.rename" } else { "presets.window.save" }).into_owned();
        let shelf = Arc::clone(&cx.state.presets.shelf);
        let there = self.is_there(cx, &shelf);
        let note = if renames { String::new() } else { self.chain_name(cx) };
        let taken = self.taken(&shelf).map(|preset| preset.key.clone());
        let (mut deed, mut left) = (false, false);
        let blocked = renames && taken.is_some();
        let ready = there && !blocked && !self.name.trim().is_empty();
        let mut state = (&mut *self, &*cx);
        let out = frame::window(
            ctx,
            &title,
            &note,
            place(ctx, vec2(460.0, 252.0)),
            &mut state,
            |ui, (this, cx)| this.body_ui(ui, cx),
            |ui, (_, cx)| {
                ui.spacing_mut().item_spacing.x = SPACE[3];
                let key = match () {
                    () if renames => "presets.window.keep",
                    () if taken.is_some() => "presets.window.replace",
                    () => "presets.window.save_it",
                };
                deed = primary(&cx.tr(key)).enabled(ready).show(ui).on_hover_text("Enter").clicked();
                left = secondary(&cx.tr("common.cancel")).show(ui).on_hover_text("Esc").clicked();
                if taken.is_some() {
                    let key = if blocked { "presets.window.other" } else { "presets.window.taken" };
                    grid::foot_note(ui, &cx.tr(key));
                }
            },
        );
        if (deed || out.applied || out.inner) && ready {
            if let Some((preset, replaces)) = self.made(cx, &shelf, taken) {
                cx.request(Request::SavePreset { preset: Box::new(preset), replaces });
            }
            return (title, Stays::Closed);
        }
        (title, if left || out.closed || !there { Stays::Closed } else { Stays::Open })
    }

    fn is_there(&self, cx: &Cx<'_>, shelf: &Shelf) -> bool {
        match &self.subject {
            Some(Subject::Chain(id)) => cx.session().document().chains.contains_key(id),
            Some(Subject::Preset(id)) => shelf.get(id).is_some(),
            None => false,
        }
    }

    fn chain_name(&self, cx: &Cx<'_>) -> String {
        let Some(Subject::Chain(id)) = &self.subject else { return String::new() };
        cx.session().document().chains.get(id).map(|chain| chain.name.clone()).unwrap_or_default()
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
    fn made(&self, cx: &Cx<'_>, shelf: &Shelf, taken: Option<String>) -> Option<(Preset, bool)> {
        let japanese = japanese(cx);
        let words = |text: &str| {
            let text = text.trim().to_owned();
            if japanese { Words { en: String::new(), ja: text } } else { Words { en: text, ja: String::new() } }
        };
        match self.subject.as_ref()? {
            Subject::Chain(id) => {
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

    /// Whether Enter was pressed in one of the fields.
    fn body_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>) -> bool {
        let mut done = false;
        let inset = egui::Margin::symmetric(SPACE[5] as i8, SPACE[4] as i8);
        egui::Frame::new().inner_margin(inset).show(ui, |ui| {
            ui.spacing_mut().item_spacing = vec2(SPACE[3], SPACE[3]);
            let response = field(ui, cx, "presets.window.name", &mut self.name);
            if !std::mem::replace(&mut self.asked_for_keyboard, true) {
                focus_all(&response, &self.name);
            }
            let sentence = field(ui, cx, "presets.window.sentence", &mut self.sentence);
            let entered = |field: &egui::Response| field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
            done = entered(&response) || entered(&sentence);
            ui.horizontal_top(|ui| {
                label(ui, cx, &cx.tr("inspector.part"));
                let room = vec2(ui.available_width(), 0.0);
                ui.allocate_ui_with_layout(room, Layout::left_to_right(Align::Min).with_main_wrap(true), |ui| {
                    ui.spacing_mut().item_spacing = vec2(SPACE[2], SPACE[0]);
                    for part in Part::ALL {
                        if chip(ui, &words::part(cx.theme.lang, part), None, part == self.part, None).clicked() {
                            self.part = part;
                        }
                    }
                });
            });
        });
        done
    }
}

fn label(ui: &mut Ui, cx: &Cx<'_>, words: &str) {
    let (rect, _) = ui.allocate_exact_size(vec2(LABEL, size::HIT_MIN), Sense::hover());
    let galley = paint::elided(ui, words, Text::Body, cx.theme.color.text_2, LABEL);
    paint::galley_left(ui.painter(), rect.left_center(), galley);
}

fn field(ui: &mut Ui, cx: &Cx<'_>, key: &str, text: &mut String) -> egui::Response {
    let c = cx.theme.color;
    let name = cx.tr(key);
    ui.horizontal(|ui| {
        label(ui, cx, &name);
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::BUTTON), Sense::hover());
        let edit = egui::TextEdit::singleline(text)
            .id_salt(key)
            .char_limit(LONGEST)
            .frame(egui::Frame::NONE)
            .font(Text::Body.font())
            .margin(vec2(0.0, 4.0))
            .align(egui::Align2::LEFT_CENTER)
            .desired_width(rect.width() - 2.0 * SPACE[3]);
        ui.painter().rect_filled(rect, radius::FIELD, c.field);
        let response = ui.put(rect.shrink2(vec2(SPACE[3], 0.0)), edit).accessible_name(&*name);
        let (width, edge) = if response.has_focus() { (stroke::FOCUS, c.focus) } else { (stroke::EDGE, c.border) };
        ui.painter().rect_stroke(rect, radius::FIELD, Stroke::new(width, edge), StrokeKind::Inside);
        response
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
