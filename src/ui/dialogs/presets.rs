//! Compares a preset with the current values, and saves, renames and deletes the artist's own presets.

use super::dialog::{
    Dialog, DialogButton, DialogOutput, DialogResult, PREVIEW_SHORTCUTS, SessionSnapshot, at_left, in_middle,
    padded_ui, sentence_ui,
};
use crate::tr;
use crate::ui::actions::Action;
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::property_row::{PropertyRow, property_rows};
use crate::ui::kit::text_field::TextField;
use crate::ui::kit::theme::{ColorRole, TextSize};
use crate::ui::kit::toggle::{CheckState, checkbox, chip};
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::kit::{i18n, paint};
use crate::ui::presets::{PresetLibrary, PreviewRequest, PreviewSource, chain_to_save};
use crate::ui::{AppRequest, UiContext};
use egui::text::LayoutJob;
use egui::{
    Align2, Color32, Context, Id, Rect, Role as Kind, ScrollArea, Sense, Ui, UiBuilder, Vec2, WidgetInfo, pos2, vec2,
};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use yuremono_model::document::param_edits::EditTargets;
use yuremono_model::document::{ChainId, ChainPart};
use yuremono_model::feel::preset;
use yuremono_model::feel::preset::{DisplayValue, LocalizedText, Preset, PresetDifference, PresetProperty};
use yuremono_session::{Command, PresetId};
use yuremono_sim::diagnostics::{MessageText, message};

const WIDTH: f32 = 344.0;
const ROW_HEIGHT: f32 = size::ROW_TABLE;
const HEADER_HEIGHT: f32 = 28.0;
/// Right ends of the value columns, measured from the right edge.
const COLUMN_ENDS: [f32; 2] = [112.0, space::XL];
const NAME_LEFT: f32 = 50.0;
/// Height of the drawer tabs, which the window must not cover.
const DRAWER_TABS_HEIGHT: f32 = 52.0;
const MIN_HEIGHT: f32 = 180.0;

#[derive(Debug)]
pub(super) struct ComparePresetDialog {
    id: PresetId,
    snapshot: SessionSnapshot,
    targets: EditTargets,
    differences: Vec<PresetDifference>,
    /// Text about a slow, overdamped return of the tip.
    overdamped_return: Option<Cow<'static, str>>,
    /// Indices into `differences`.
    excluded: BTreeSet<usize>,
    /// Whether the character shows the preset.
    previewed: bool,
    in_use: bool,
}

impl ComparePresetDialog {
    pub(super) fn new(cx: &UiContext<'_>) -> Self {
        let id = cx.state.presets.dialog_preset.clone().unwrap_or_default();
        let mut compare = Self {
            id,
            snapshot: SessionSnapshot::of(cx.session()),
            targets: EditTargets::default(),
            differences: Vec::new(),
            overdamped_return: None,
            excluded: BTreeSet::new(),
            previewed: true,
            in_use: false,
        };
        compare.refresh_differences(cx);
        compare
    }

    fn refresh_differences(&mut self, cx: &UiContext<'_>) {
        self.snapshot = SessionSnapshot::of(cx.session());
        let Some(preset) = cx.state.presets.library.get(&self.id) else { return };
        self.targets = cx.session().inspection().preset_targets(preset);
        let session = cx.session();
        self.differences = session.inspection().preset_differences(preset);
        self.overdamped_return = session.inspection().overdamped_return(preset).map(|(id, overdamped)| {
            let document = session.document();
            let kind = document.solver_of(&document.chains[&id]);
            i18n::overdamped_return_text(cx.theme.lang, kind, &overdamped)
        });
    }

    fn included(&self) -> Vec<PresetProperty> {
        let lines =
            self.differences.iter().enumerate().filter(|(at, line)| !self.excluded.contains(at) && can_change(line));
        lines.map(|(_, line)| line.property).collect()
    }

    fn line_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>, at: usize) {
        let c = cx.theme.color;
        let line = &self.differences[at];
        let name = i18n::property_name(cx.theme.lang, line.property);
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW_HEIGHT), Sense::hover());
        let possible = can_change(line);
        let now = value_text(cx, line.property, &line.current);
        let then = match () {
            () if line.is_same => tr!(cx, "same").into_owned(),
            () => value_text(cx, line.property, &line.target),
        };
        response.widget_info(|| WidgetInfo::labeled(Kind::Row, true, format!("{name}, {now}, {then}")));
        if ui.rect_contains_pointer(rect) {
            ui.painter().rect_filled(rect.shrink2(vec2(space::S, 1.0)), radius::FIELD, c.hover);
        }
        let taken = possible && !self.excluded.contains(&at);
        let checkbox_rect =
            Rect::from_min_size(pos2(rect.left() + space::L, rect.top() + space::XXS), Vec2::splat(size::HIT_MIN));
        let mut inner = ui.new_child(UiBuilder::new().max_rect(checkbox_rect));
        if !possible {
            inner.disable();
        }
        if checkbox(&mut inner, &name, "", CheckState::of(taken)).clicked() && possible {
            if taken {
                self.excluded.insert(at)
            } else {
                self.excluded.remove(&at)
            };
        }
        let line = &self.differences[at];
        let dim = |color: Color32| if line.unavailable.is_some() { c.text_off } else { color };
        let bar = Rect::from_center_size(pos2(rect.left() + NAME_LEFT - 9.0, rect.center().y), vec2(3.0, 14.0));
        ui.painter().rect_filled(bar, radius::PATCH, dim(cx.theme.role(role_of(line.property))));
        let y = rect.center().y;
        let right = |i: usize| pos2(rect.right() - COLUMN_ENDS[i], y);
        let now = paint::text(ui.painter(), right(0), Align2::RIGHT_CENTER, &now, TextSize::Number, dim(c.text_2));
        let (size, color) = if possible { (TextSize::Strong, c.text) } else { (TextSize::Number, dim(c.text_3)) };
        paint::text(ui.painter(), right(1), Align2::RIGHT_CENTER, &then, size, color);
        let galley =
            paint::elided(ui, &name, TextSize::Body, dim(c.text), now.left() - rect.left() - NAME_LEFT - space::S);
        paint::paint_galley_left(ui.painter(), pos2(rect.left() + NAME_LEFT, y), galley);
        if let Some(why) = line.unavailable {
            reason_ui(
                ui,
                cx,
                &i18n::property_unsupported_reason(
                    cx.theme.lang,
                    cx.session().inspection().system().solver,
                    line.property,
                    why,
                ),
            );
        }
    }
}

impl Dialog for ComparePresetDialog {
    fn title_text(&self) -> MessageText {
        message!("Preset")
    }

    /// Returns a separate window id for each preset, so egui stores a size for each preset.
    fn id(&self) -> Id {
        Id::unique(("dialog", self.title_text().template(), &self.id))
    }

    fn title(&self, cx: &UiContext<'_>) -> String {
        let preset = cx.state.presets.library.get(&self.id);
        preset.map(|preset| preset.name.get(cx.theme.is_japanese()).to_owned()).unwrap_or_default()
    }

    fn subtitle(&self, cx: &UiContext<'_>) -> String {
        cx.tr(if self.in_use { message!("in use") } else { message!("not applied yet") }).into_owned()
    }

    /// Returns a rectangle at the left, like other dialogs, and above the preset cards.
    fn window_rect(&self, ctx: &Context, cx: &UiContext<'_>) -> Rect {
        let reasons = self.differences.iter().filter(|line| line.unavailable.is_some()).count() as f32;
        let overdamped = if self.overdamped_return.is_some() { 3.0 * 18.0 } else { 0.0 };
        let height =
            HEADER_HEIGHT + self.differences.len() as f32 * ROW_HEIGHT + (reasons * 18.0 + overdamped) + space::S;
        let mut at = at_left(ctx, 0.0, [WIDTH; 2], height);
        if let Some(drawer) = cx.state.presets.drawer_rect {
            at.max.y = at.max.y.min(drawer.top() - DRAWER_TABS_HEIGHT).max(at.min.y + MIN_HEIGHT);
        }
        at
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        let Some(preset) = cx.state.presets.library.get(&self.id) else { return DialogResult::Closed };
        if !self.snapshot.is_current(cx.session()) || self.targets != cx.session().inspection().preset_targets(preset) {
            self.refresh_differences(cx);
        }
        self.in_use = cx.state.presets.preset_in_use(cx.session(), false).as_ref() == Some(&self.id);
        DialogResult::Open
    }

    fn shortcuts(&self) -> &'static [Action] {
        PREVIEW_SHORTCUTS
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        ui.spacing_mut().item_spacing = Vec2::ZERO;
        let c = cx.theme.color;
        let (head, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEADER_HEIGHT), Sense::hover());
        let text = |at, align, text: MessageText| {
            paint::text(ui.painter(), at, align, &cx.tr(text), TextSize::Small, c.text_3);
        };
        let y = head.center().y;
        text(pos2(head.left() + NAME_LEFT, y), Align2::LEFT_CENTER, message!("Property"));
        text(pos2(head.right() - COLUMN_ENDS[0], y), Align2::RIGHT_CENTER, message!("Now"));
        text(pos2(head.right() - COLUMN_ENDS[1], y), Align2::RIGHT_CENTER, message!("Preset"));
        paint::hairline(ui.painter(), head.left(), head.right(), head.bottom() - 0.5, c.border);
        let height = ui.available_height();
        let area = ScrollArea::vertical().id_salt("properties").max_height(height).auto_shrink(false);
        area.show(ui, |ui| {
            for at in 0..self.differences.len() {
                ui.push_id(at, |ui| self.line_ui(ui, cx, at));
            }
            if let Some(text) = &self.overdamped_return {
                ui.add_space(space::S);
                reason_ui(ui, cx, text);
            }
        });
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let shown = DialogButton::secondary(tr!(cx, "A/B"))
            .toggled(self.previewed)
            .hint(tr!(cx, "Shows the preset on the character while this is on"));
        let n = self.included().len();
        let apply = tr!(cx, "Apply {n:property|properties}", n);
        vec![DialogButton::apply(apply, n > 0), shown]
    }

    fn footer_note(&self, cx: &UiContext<'_>) -> String {
        let (n, all) = (self.included().len(), self.differences.len());
        tr!(cx, "{n} of {all} included", n, all).into_owned()
    }

    fn secondary_action(&mut self, _cx: &mut UiContext<'_>) -> DialogResult {
        self.previewed = !self.previewed;
        DialogResult::Open
    }

    fn end_frame(&mut self, cx: &mut UiContext<'_>) {
        let take = self.included();
        if self.previewed && !take.is_empty() {
            let (id, targets) = (self.id.clone(), self.targets.clone());
            cx.state.presets.previews.request(PreviewRequest::Preset {
                id,
                targets,
                properties: Some(take),
                source: PreviewSource::Dialog,
            });
        }
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        let library = Arc::clone(&cx.state.presets.library);
        if let Some(preset) = library.get(&self.id) {
            let step = cx.session().inspection().preset_application(
                self.id.clone(),
                preset,
                Some(&self.included()),
                cx.theme.is_japanese(),
            );
            cx.command(Command::ApplyPreset(Box::new(step)));
        }
        DialogResult::Closed
    }
}

/// Returns a text such as "3.0 Hz", "0.6 … 1.0" or "1 → 0.22".
fn value_text(cx: &UiContext<'_>, property: PresetProperty, shown: &DisplayValue) -> String {
    let one = |value: f32| i18n::property_value_text(cx.theme.lang, property, value);
    match *shown {
        DisplayValue::Absent => "–".to_owned(),
        DisplayValue::Single(value) => one(value),
        DisplayValue::Mixed(low, high) => format!("{} … {}", one(low), one(high)),
        DisplayValue::Curve(first, last) => i18n::curve_ends_text(first, last),
    }
}

fn can_change(line: &PresetDifference) -> bool {
    !line.is_same && line.unavailable.is_none()
}

fn reason_ui(ui: &mut Ui, cx: &UiContext<'_>, why: &str) {
    let c = cx.theme.color;
    let width = ui.available_width() - NAME_LEFT - space::XL;
    let job = LayoutJob::simple(why.to_owned(), TextSize::Small.font(), c.text_3, width);
    let galley = ui.painter().layout_job(job);
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), galley.size().y + space::XS), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Kind::Label, true, why));
    paint_icon(
        ui.painter(),
        pos2(rect.left() + NAME_LEFT - 10.0, rect.top() + space::M),
        icons::INFO,
        size::ICON_TINY,
        c.text_3,
    );
    ui.painter().galley(pos2(rect.left() + NAME_LEFT, rect.top()), galley, c.text_3);
}

fn role_of(property: PresetProperty) -> ColorRole {
    match property {
        PresetProperty::Base(term) | PresetProperty::Curve(term) => ColorRole::for_meaning(term.def().meaning),
        PresetProperty::Radius => ColorRole::for_meaning(yuremono_sim::params::ParamMeaning::Radius),
    }
}

/// Maximum length of a name. Longer names do not fit on a preset card.
const MAX_NAME_CHARS: usize = 60;

#[derive(Clone, Debug, PartialEq)]
enum SaveSubject {
    Chain(ChainId),
    Preset(PresetId),
}

#[derive(Debug, Default)]
pub(super) struct SavePresetDialog {
    source: Option<SaveSubject>,
    name: String,
    description: String,
    part: ChainPart,
}

impl SavePresetDialog {
    pub(super) fn new(cx: &UiContext<'_>) -> Self {
        let empty = Self::default();
        if let Some(id) = &cx.state.presets.dialog_preset {
            let Some(preset) = cx.state.presets.library.get(id) else { return empty };
            return Self {
                source: Some(SaveSubject::Preset(id.clone())),
                name: preset.name.get(cx.theme.is_japanese()).to_owned(),
                description: preset.description.get(cx.theme.is_japanese()).to_owned(),
                part: preset.parts.first().copied().unwrap_or_default(),
            };
        }
        let Some(id) = chain_to_save(cx.session()) else { return empty };
        let Some(chain) = cx.session().document().chains.get(&id) else { return empty };
        Self { source: Some(SaveSubject::Chain(id)), name: chain.name.clone(), part: chain.part, ..empty }
    }

    fn preset_of_same_name<'a>(&self, library: &'a PresetLibrary) -> Option<&'a Preset> {
        let name = self.name.trim();
        let other = |preset: &&Preset| match &self.source {
            Some(SaveSubject::Preset(id)) => id.key != preset.key,
            _ => true,
        };
        library
            .user
            .iter()
            .filter(other)
            .find(|preset| [&preset.name.en, &preset.name.ja].iter().any(|preset_name| *preset_name == name))
    }

    /// Returns the preset to write, and whether the preset replaces an existing preset.
    fn preset_to_save(&self, cx: &UiContext<'_>, library: &PresetLibrary) -> Option<(Preset, bool)> {
        let japanese = cx.theme.is_japanese();
        let localized = |text: &str| {
            let text = text.trim().to_owned();
            if japanese {
                LocalizedText { en: String::new(), ja: text }
            } else {
                LocalizedText { en: text, ja: String::new() }
            }
        };
        match self.source.as_ref()? {
            SaveSubject::Chain(id) => {
                let taken = self.preset_of_same_name(library).map(|preset| preset.key.clone());
                let replaces = taken.is_some();
                let key = taken.unwrap_or_else(|| file_key(&self.name));
                let (document, skeleton) = (cx.session().document(), &cx.session().character().skeleton);
                let mut preset = preset::from_chain(
                    document,
                    skeleton,
                    *id,
                    key,
                    localized(&self.name),
                    localized(&self.description),
                );
                preset.parts = vec![self.part];
                Some((preset, replaces))
            }
            SaveSubject::Preset(id) => {
                let mut preset = library.get(id)?.clone();
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

    /// Returns whether the new name belongs to another preset.
    fn is_name_taken(&self, library: &PresetLibrary) -> bool {
        self.is_rename() && self.preset_of_same_name(library).is_some()
    }

    const fn is_rename(&self) -> bool {
        matches!(self.source, Some(SaveSubject::Preset(_)))
    }
}

impl Dialog for SavePresetDialog {
    fn title_text(&self) -> MessageText {
        if self.is_rename() { message!("Rename preset") } else { message!("Save preset") }
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

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        property_rows(ui, |ui| {
            let field = TextField { max_chars: MAX_NAME_CHARS, ..TextField::new("") };
            PropertyRow::new(&tr!(cx, "Name")).text(ui, field, &mut self.name);
            PropertyRow::new(&tr!(cx, "Description")).text(ui, field, &mut self.description);
            PropertyRow::new(&tr!(cx, "Part")).wrapped().show(ui, |ui| {
                ui.spacing_mut().item_spacing = vec2(space::S, space::XXS);
                for part in ChainPart::ALL {
                    if chip(ui, &i18n::part_name(cx.theme.lang, part), None, part == self.part, None).clicked() {
                        self.part = part;
                    }
                }
            });
        });
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let library = &cx.state.presets.library;
        let label = match () {
            () if self.is_rename() => tr!(cx, "Rename preset"),
            () if self.preset_of_same_name(library).is_some() => tr!(cx, "Replace preset"),
            () => tr!(cx, "Save preset"),
        };
        let ready = !self.is_name_taken(library) && !self.name.trim().is_empty();
        vec![DialogButton::apply(label, ready), DialogButton::cancel(cx)]
    }

    fn footer_note(&self, cx: &UiContext<'_>) -> String {
        let library = &cx.state.presets.library;
        match self.preset_of_same_name(library) {
            None => String::new(),
            Some(_) if self.is_name_taken(library) => tr!(cx, "Another preset has this name.").into_owned(),
            Some(_) => tr!(cx, "You already have a preset with this name.").into_owned(),
        }
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        let library = Arc::clone(&cx.state.presets.library);
        if let Some((preset, replaces)) = self.preset_to_save(cx, &library) {
            cx.request(AppRequest::SavePreset { preset: Box::new(preset), replaces });
        }
        DialogResult::Closed
    }
}

/// Confirms the deletion of a preset, because undo does not restore files.
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
    fn title_text(&self) -> MessageText {
        message!("Delete preset")
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        in_middle(ctx, vec2(440.0, 168.0))
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        let is_there = cx.state.presets.library.get(&self.id).is_some();
        if is_there { DialogResult::Open } else { DialogResult::Closed }
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        let text = tr!(
            cx,
            "{name} is deleted from your presets, and its file from the disk. Chains keep their feel. You cannot undo \
             this.",
            name = self.name(cx)
        );
        padded_ui(ui, |ui| sentence_ui(ui, cx, &text));
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let label = tr!(cx, "Delete {name}", name = self.name(cx));
        vec![DialogButton::apply(label, true), DialogButton::cancel(cx)]
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        cx.request(AppRequest::DeletePreset { key: self.id.key.clone(), name: self.name(cx) });
        DialogResult::Closed
    }
}

/// Returns a file name that contains only ASCII letters and digits.
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
