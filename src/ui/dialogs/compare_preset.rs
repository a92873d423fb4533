//! What a preset would change, property by property, and which of that is taken.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, SessionSnapshot, at_left};
use crate::document::param_edits::EditTargets;
use crate::feel::{preset::DisplayValue, preset::PresetDifference, preset::PresetProperty};
use crate::session::{Command, PresetId};
use crate::ui::UiContext;
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::theme::{ColorRole, TextSize};
use crate::ui::kit::toggle::{CheckState, checkbox};
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::kit::{i18n, paint};
use crate::ui::presets::{PreviewRequest, PreviewSource};
use egui::text::LayoutJob;
use egui::{
    Align2, Color32, Context, Id, Rect, Role as Kind, ScrollArea, Sense, Ui, UiBuilder, Vec2, WidgetInfo, pos2, vec2,
};
use std::collections::BTreeSet;
use std::sync::Arc;

const WIDTH: f32 = 344.0;
const ROW_HEIGHT: f32 = size::ROW_TABLE;
const HEADER_HEIGHT: f32 = 28.0;
/// Where columns end, from the right edge.
const COLUMN_ENDS: [f32; 2] = [112.0, space::XL];
const NAME_LEFT: f32 = 50.0;
/// Above the tabs of the drawer.
const DRAWER_TABS_GAP: f32 = 52.0;
/// Height of the window, at least.
const MIN_HEIGHT: f32 = 180.0;

/// A preset beside what is.
#[derive(Debug)]
pub(super) struct ComparePresetDialog {
    id: PresetId,
    snapshot: SessionSnapshot,
    targets: EditTargets,
    differences: Vec<PresetDifference>,
    /// How slowly a tip comes home under the preset, where that is to be seen.
    overdamped_return: Option<String>,
    /// Lines that the artist does not want.
    excluded: BTreeSet<usize>,
    /// B: the preset is shown on the character.
    previewed: bool,
    /// The chains have this preset already.
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

    /// Whom it is about and what would change, as things are now.
    fn refresh_differences(&mut self, cx: &UiContext<'_>) {
        self.snapshot = SessionSnapshot::of(cx.session());
        let Some(preset) = cx.state.presets.library.get(&self.id) else { return };
        self.targets = cx.session().presets().targets(preset);
        let session = cx.session();
        self.differences = session.presets().differences(preset);
        self.overdamped_return = session.presets().overdamped_return(preset).map(|(id, creep)| {
            let document = session.document();
            let kind = document.solver_of(&document.chains[&id]);
            i18n::overdamped_return_text(cx.theme.lang, kind, &creep)
        });
    }

    /// What is not left and can change.
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
            () if line.is_same => cx.tr("presets.window.same").into_owned(),
            () => value_text(cx, line.property, &line.target),
        };
        response.widget_info(|| WidgetInfo::labeled(Kind::Row, true, format!("{name}, {now}, {then}")));
        if ui.rect_contains_pointer(rect) {
            ui.painter().rect_filled(rect.shrink2(vec2(space::S, 1.0)), radius::FIELD, c.hover);
        }
        let taken = possible && !self.excluded.contains(&at);
        let place =
            Rect::from_min_size(pos2(rect.left() + space::L, rect.top() + space::XXS), Vec2::splat(size::HIT_MIN));
        let mut inner = ui.new_child(UiBuilder::new().max_rect(place));
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
        let dim = |ink: Color32| if line.unavailable.is_some() { c.text_off } else { ink };
        let bar = Rect::from_center_size(pos2(rect.left() + NAME_LEFT - 9.0, rect.center().y), vec2(3.0, 14.0));
        ui.painter().rect_filled(bar, radius::PATCH, dim(cx.theme.role(role_of(line.property))));
        let y = rect.center().y;
        let right = |i: usize| pos2(rect.right() - COLUMN_ENDS[i], y);
        let now = paint::text(ui.painter(), right(0), Align2::RIGHT_CENTER, &now, TextSize::Number, dim(c.text_2));
        let (size, ink) = if possible { (TextSize::Strong, c.text) } else { (TextSize::Number, dim(c.text_3)) };
        paint::text(ui.painter(), right(1), Align2::RIGHT_CENTER, &then, size, ink);
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
    fn title_key(&self) -> &'static str {
        "presets.preset"
    }

    /// Each preset has a window of its own size.
    fn id(&self) -> Id {
        Id::unique(("dialog", self.title_key(), &self.id))
    }

    fn title(&self, cx: &UiContext<'_>) -> String {
        let preset = cx.state.presets.library.get(&self.id);
        preset.map(|preset| preset.name.get(cx.theme.is_japanese()).to_owned()).unwrap_or_default()
    }

    fn subtitle(&self, cx: &UiContext<'_>) -> String {
        cx.tr(if self.in_use { "presets.in_use" } else { "presets.window.not_yet" }).into_owned()
    }

    /// As other windows, so that the view moves the character beside it, and above the cards.
    fn window_rect(&self, ctx: &Context, cx: &UiContext<'_>) -> Rect {
        let reasons = self.differences.iter().filter(|line| line.unavailable.is_some()).count() as f32;
        let creep = if self.overdamped_return.is_some() { 3.0 * 18.0 } else { 0.0 };
        let height = HEADER_HEIGHT + self.differences.len() as f32 * ROW_HEIGHT + (reasons * 18.0 + creep) + space::S;
        let mut at = at_left(ctx, 0.0, [WIDTH; 2], height);
        if let Some(drawer) = cx.state.presets.drawer_rect {
            at.max.y = at.max.y.min(drawer.top() - DRAWER_TABS_GAP).max(at.min.y + MIN_HEIGHT);
        }
        at
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        let Some(preset) = cx.state.presets.library.get(&self.id) else { return DialogResult::Closed };
        if !self.snapshot.is_current(cx.session()) || self.targets != cx.session().presets().targets(preset) {
            self.refresh_differences(cx);
        }
        self.in_use = cx.state.presets.preset_in_use(cx.session(), false).as_ref() == Some(&self.id);
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        ui.spacing_mut().item_spacing = Vec2::ZERO;
        let c = cx.theme.color;
        let (head, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEADER_HEIGHT), Sense::hover());
        let text = |at, align, key: &str| {
            paint::text(ui.painter(), at, align, &cx.tr(key), TextSize::Small, c.text_3);
        };
        let y = head.center().y;
        text(pos2(head.left() + NAME_LEFT, y), Align2::LEFT_CENTER, "presets.window.property");
        text(pos2(head.right() - COLUMN_ENDS[0], y), Align2::RIGHT_CENTER, "presets.window.now");
        text(pos2(head.right() - COLUMN_ENDS[1], y), Align2::RIGHT_CENTER, "presets.preset");
        paint::hairline(ui.painter(), head.left(), head.right(), head.bottom() - 0.5, c.border);
        let height = ui.available_height();
        let area = ScrollArea::vertical().id_salt("properties").max_height(height).auto_shrink(false);
        area.show(ui, |ui| {
            for at in 0..self.differences.len() {
                ui.push_id(at, |ui| self.line_ui(ui, cx, at));
            }
            if let Some(words) = &self.overdamped_return {
                ui.add_space(space::S);
                reason_ui(ui, cx, words);
            }
        });
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let shown =
            DialogButton::secondary(cx.tr("presets.ab")).toggled(self.previewed).hint(cx.tr("presets.window.ab_hint"));
        vec![DialogButton::apply(cx.tr("presets.window.apply"), !self.included().is_empty()), shown]
    }

    fn footer_note(&self, cx: &UiContext<'_>) -> String {
        let numbers = [self.included().len(), self.differences.len()].map(|n| n.to_string());
        cx.tr_with("presets.window.taken_of", &[("n", &numbers[0]), ("all", &numbers[1])])
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
        let shelf = Arc::clone(&cx.state.presets.library);
        if let Some(preset) = shelf.get(&self.id) {
            let step = cx.session().presets().application(
                self.id.clone(),
                preset,
                Some(&self.included()),
                cx.theme.is_japanese(),
            );
            cx.state.presets.previews.shows_compare_base = false;
            cx.command(Command::ApplyPreset(Box::new(step)));
        }
        DialogResult::Closed
    }
}

/// "3.0 Hz", "0.6 … 1.0", "1 → 0.22".
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
    let room = ui.available_width() - NAME_LEFT - space::XL;
    let job = LayoutJob::simple(why.to_owned(), TextSize::Small.font(), c.text_3, room);
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
        PresetProperty::Radius => ColorRole::for_meaning(crate::params::ParamMeaning::Radius),
    }
}
