//! What lines of the inspector share: the label at the left, a choice from a list, and what a bar or a curve asks for.

use crate::document::names::NamePattern;
use crate::document::{Edit, EditLabel};
use crate::params::{ParamDef, ParamKind, Unit};
use crate::session::{Command, Session};
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::paint;
use crate::ui::kit::param_bar::BarChange;
use crate::ui::kit::text_field::search_field;
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::toggle::combo_button_at;
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::{CurveRef, DrawerTab, UiContext};
use egui::{Color32, Popup, PopupCloseBehavior, Rect, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};
use std::sync::Arc;

/// From the left edge of a line to its label; the mark of a changed value is left of it.
pub(super) const LABEL_LEFT: f32 = 6.0;
/// Width of the column of labels.
const LABEL_WIDTH: f32 = 84.0;
/// Shares of an error, in per cent.
pub(super) const PERCENT: NumberFormat = NumberFormat { unit: Unit::None, suffix: Some(" %"), decimals: None };

/// A line with a label in the column of labels.
pub(super) struct LabelLine<'a> {
    pub(super) label: &'a str,
    /// Tooltip of the label; empty for none.
    pub(super) tooltip: &'a str,
    pub(super) color: Color32,
    /// Whether the line lights up under the pointer.
    pub(super) highlights_on_hover: bool,
}

impl LabelLine<'_> {
    /// Adds the line; returns the place right of the label, as high as the line.
    pub(super) fn show(self, ui: &mut Ui) -> Rect {
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
        if self.highlights_on_hover && ui.rect_contains_pointer(rect) {
            ui.painter().rect_filled(rect.expand2(vec2(5.0, 0.0)), radius::FIELD, Theme::of(ui).color.hover);
        }
        let label = paint::elided(ui, self.label, TextSize::Body, self.color, LABEL_WIDTH - 6.0);
        let place = paint::paint_galley_left(ui.painter(), pos2(rect.left() + LABEL_LEFT, rect.center().y), label);
        if !self.tooltip.is_empty() {
            ui.interact(place, ui.scope_id().with(("label", self.label)), Sense::hover()).on_hover_text(self.tooltip);
        }
        rect.with_min_x(rect.left() + LABEL_LEFT + LABEL_WIDTH)
    }
}

/// The middle of a line, as high as a bar.
pub(super) fn bar_height_rect(line: Rect) -> Rect {
    line.shrink2(vec2(0.0, (size::ROW - size::BAR) / 2.0))
}

/// Height of the list, and how wide it is.
const LIST_SIZE: [f32; 2] = [240.0, 260.0];

/// A choice of a `T` to be shown.
pub(super) struct ChoicePicker<'a, T> {
    pub(super) label: &'a str,
    pub(super) tooltip: &'a str,
    /// What is chosen now.
    pub(super) chosen_text: &'a str,
    /// What there is, in order, with its names. Asked once when the list opens, since it may be long to find.
    pub(super) choices: &'a dyn Fn() -> Vec<(T, String)>,
    pub(super) hint: &'a str,
    pub(super) has_effect: bool,
}

impl<T: Clone + Send + Sync + 'static> ChoicePicker<'_, T> {
    /// Shows it; what was chosen.
    pub(super) fn show(self, ui: &mut Ui, cx: &UiContext<'_>) -> Option<T> {
        let c = cx.theme.color;
        let ink = if self.has_effect { c.text } else { c.text_3 };
        let field =
            LabelLine { label: self.label, tooltip: self.tooltip, color: ink, highlights_on_hover: false }.show(ui);
        let field = bar_height_rect(field);
        let button = ui.interact(field, ui.scope_id().with(("pick", self.label)), Sense::click());
        let name = format!("{}: {}", self.label, self.chosen_text);
        button.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, &name));
        combo_button_at(ui, field, &button, self.chosen_text, ink, self.has_effect);
        let menu = Popup::menu(&button).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        let memory = button.id.with("all");
        if !menu.is_open() {
            ui.data_mut(|d| d.remove::<Arc<Vec<(T, String)>>>(memory));
        }
        let shown = menu.show(|ui| {
            ui.set_width(LIST_SIZE[1]);
            let known = ui.data(|d| d.get_temp::<Arc<Vec<(T, String)>>>(memory));
            let all = known.unwrap_or_else(|| {
                let all = Arc::new((self.choices)());
                ui.data_mut(|d| d.insert_temp(memory, all.clone()));
                all
            });
            let chosen = self.list_ui(ui, &all);
            if chosen.is_some() {
                ui.close();
            }
            chosen
        });
        shown.and_then(|shown| shown.inner)
    }

    fn list_ui(&self, ui: &mut Ui, all: &[(T, String)]) -> Option<T> {
        let id = ui.scope_id().with("typed");
        let mut typed: String = ui.data(|d| d.get_temp(id)).unwrap_or_default();
        if !self.hint.is_empty() {
            search_field(ui, &mut typed, self.hint, LIST_SIZE[1]);
            ui.data_mut(|d| d.insert_temp(id, typed.clone()));
            ui.add_space(space::XS);
        }
        let pattern = NamePattern::new(&typed);
        let found: Vec<&(T, String)> = all.iter().filter(|(_, name)| pattern.matches(name)).collect();
        let mut chosen = None;
        ScrollArea::vertical().max_height(LIST_SIZE[0]).auto_shrink([false, true]).show_rows(
            ui,
            size::ROW_TREE,
            found.len(),
            |ui, range| {
                for (thing, name) in found[range].iter().copied() {
                    let line = egui::Button::selectable(name == self.chosen_text, name.as_str())
                        .min_size(vec2(LIST_SIZE[1] - 16.0, size::ROW_TREE));
                    if ui.add(line).clicked() {
                        chosen = Some(thing.clone());
                    }
                }
            },
        );
        chosen
    }
}

/// What a bar asks for: a drag of it is one step of the undo list.
pub(super) fn bar_command(
    change: BarChange,
    set: impl FnOnce(f32) -> Command,
    scale: impl FnOnce(f32) -> Command,
) -> Command {
    match change {
        BarChange::Started => Command::BeginUndoGroup,
        BarChange::Set(value) => set(value),
        BarChange::ScaleBy(factor) => scale(factor),
        BarChange::Cancelled => Command::CancelUndoGroup,
        BarChange::Ended => Command::EndUndoGroup,
    }
}

/// Sends the edit that the session makes, where there is something to change.
pub(super) fn apply<M: Into<Option<(Edit, EditLabel)>>>(cx: &mut UiContext<'_>, make: impl FnOnce(&Session) -> M) {
    if let Some((edit, label)) = make(cx.session()).into() {
        cx.command(Command::ApplyEdit(edit, label));
    }
}

/// How a row's numbers are written.
pub(in crate::ui::panels) fn format_of(def: &ParamDef) -> NumberFormat {
    let format = NumberFormat::for_unit(def.unit);
    if def.kind == ParamKind::Integer { format.decimals(0) } else { format }
}

/// A new value in its range, which reaches as high as what a file brought.
pub(in crate::ui::panels) fn clamped_to_range(def: &ParamDef, old: f32, new: f32) -> f32 {
    new.clamp(def.range.0, def.range.1.max(old))
}

pub(super) fn curve_is_open(cx: &UiContext<'_>, curves: &[CurveRef]) -> bool {
    cx.state.drawer_tab == Some(DrawerTab::Curves) && cx.state.shown_curve.is_some_and(|curve| curves.contains(&curve))
}

/// Shows a curve in the drawer, or puts the drawer away when it is there already.
pub(super) fn open_curve(cx: &mut UiContext<'_>, curve: CurveRef) {
    if curve_is_open(cx, &[curve]) {
        cx.state.drawer_tab = None;
    } else {
        cx.state.shown_curve = Some(curve);
        cx.state.drawer_tab = Some(DrawerTab::Curves);
    }
}
