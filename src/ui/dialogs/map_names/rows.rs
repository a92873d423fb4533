//! The table of names, and the strip with details of the current row.

use super::{MapNamesDialog, NameFilter};
use crate::tr;
use crate::ui::UiContext;
use crate::ui::dialogs::table::BonePicker;
use crate::ui::dialogs::table::{self, CellFieldStyle, Cells, Column, FirstCellResponse, Table};
use crate::ui::kit::button::secondary;
use crate::ui::kit::icons::{self, IconButton, paint_icon};
use crate::ui::kit::meter::confidence_bar;
use crate::ui::kit::text_field::search_field;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::{CheckState, Choice, segmented_choice};
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::{i18n, paint};
use egui::{Align2, Color32, Rect, Sense, Ui, Vec2, pos2, vec2};
use yuremono_model::exchange::{remap::MatchReason, remap::RemapRow, remap::RemapRule};
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::BoneId;

const NAME_LEFT: f32 = 44.0;

impl MapNamesDialog {
    pub(super) fn table_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
        self.filter_ui(ui, cx);
        let names = [
            message!("Use{:column}"),
            message!("Bone in file"),
            message!("Bone"),
            message!("Confidence"),
            message!("Reason"),
        ];
        let names = names.map(|name| cx.tr(name));
        let bone = 0.265 * (ui.available_width() - NAME_LEFT - space::L);
        let columns = [
            Column::new(&names[0], NAME_LEFT).indented(10.0),
            Column::new(&names[1], bone),
            Column::new("", 24.0),
            Column::new(&names[2], bone).indented(space::XS),
            Column::new(&names[3], 92.0).indented(10.0),
            Column::fill(&names[4]).indented(10.0),
        ];
        let shown = self.filtered_rows();
        let (height, scroll_to) = (ui.available_height(), self.scroll_to.take());
        let list = Table { scroll_to, ..Table::new("name_rows", &columns, height) };
        let out = list.show(ui, shown.len(), |cells| self.row_ui(cx, cells, shown[cells.index()])).scroll;
        self.visible_range = (out.state.clamped_offset().y, out.inner_rect.height());
        if shown.is_empty() {
            let at = ui.max_rect().center_top() + vec2(0.0, 110.0);
            let text = tr!(cx, "No matching rows");
            paint::text(ui.painter(), at, Align2::CENTER_CENTER, &text, TextSize::Body, cx.theme.color.text_3);
        }
    }

    fn filter_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let counts = self.plan.counts();
        let numbers = [counts.all, counts.to_confirm, counts.no_match, counts.included];
        let labels = [tr!(cx, "All"), tr!(cx, "To confirm"), tr!(cx, "No match"), tr!(cx, "Matched")];
        let labels = NameFilter::ALL.into_iter().zip(labels).zip(numbers);
        let choices: Vec<_> = labels.map(|((filter, label), n)| Choice::new(filter, label).count(n)).collect();
        ui.add_space(space::M);
        ui.horizontal(|ui| {
            ui.add_space(space::L);
            segmented_choice(ui, &choices, &mut self.filter);
            ui.add_space(space::L);
            let width = (ui.available_width() - space::L).clamp(60.0, 150.0);
            ui.add_space(ui.available_width() - space::L - width);
            search_field(ui, &mut self.search, &tr!(cx, "Name"), width);
        });
        ui.add_space(space::XS);
    }

    fn row_ui(&mut self, cx: &mut UiContext<'_>, cells: &mut Cells<'_, '_>, row: usize) {
        let c = cx.theme.color;
        let current = self.current_row == Some(row);
        let entry = self.plan.rows[row].clone();
        let (color, soft) = if current { (c.selection_text, c.selection_text) } else { (c.text, c.text_2) };
        let FirstCellResponse { response, pointer, inner: ticked } =
            cells.first_cell(&entry.source, current, |ui, cell| {
                let name = tr!(cx, "Include {name}", name = &entry.source);
                table::row_checkbox(ui, cell, space::S, &name, entry.target.map(|_| CheckState::of(entry.included)))
            });
        if response.clicked() {
            self.current_row = Some(row);
        }
        if pointer.is_some() {
            self.hovered_bone = entry.target.or(self.hovered_bone);
        }
        let long = cells.bone_name(space::XS, &entry.source, color);
        cells.cell(|ui, cell| {
            let center = pos2(cell.left() + space::M, cell.center().y);
            paint_icon(ui.painter(), center, icons::ARROW_RIGHT, size::ICON_SMALL, soft);
        });
        cells.cell(|ui, cell| self.target_ui(ui, cx, cell, row));
        let sure = entry.target.map(|_| entry.confidence);
        let percent = sure.map_or_else(|| "–".to_owned(), |s| format!("{:.0} %", 100.0 * s));
        cells.cell(|ui, cell| {
            let name = tr!(cx, "Confidence of {name}", name = &entry.source);
            confidence_bar(&mut table::widget_ui(ui, cell, 10.0, 40.0), &name, sure, 40.0);
            paint::text(ui.painter(), cell.right_center(), Align2::RIGHT_CENTER, &percent, TextSize::Small, soft);
        });
        let (why, color) = self.reason_text(cx, &entry);
        let color = if current { c.selection_text } else { color };
        let cut = cells.text([10.0, space::M], &why, TextSize::Small, color);
        if long || cut {
            response.on_hover_text(format!("{}\n{why}", entry.source));
        }
        if ticked {
            self.current_row = Some(row);
            self.set_included(row, !entry.included);
        }
    }

    /// Draws the target field, which opens the list of bones. On the current row, also draws the crosshair button,
    /// which picks a bone in the viewport.
    fn target_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, cell: Rect, row: usize) {
        let entry = &self.plan.rows[row];
        let here = Self::target_name(cx, entry.target);
        let name = tr!(cx, "Target of {name}", name = &entry.source);
        let (current, aims) = (self.current_row == Some(row), self.picking_row == Some(row));
        let text = match here {
            _ if aims => tr!(cx, "Click a bone…").into_owned(),
            Some(bone) => bone.to_owned(),
            None => tr!(cx, "Choose bone…").into_owned(),
        };
        let open = self.picker.as_ref().is_some_and(|p| p.row == row);
        let right_inset = if current { 46.0 } else { 24.0 };
        let style = CellFieldStyle { filled: here.is_some(), accent: open || aims, right_inset };
        let (field, response) = table::cell_field(ui, cell, [&name, &text], style);
        let mut clicked = response.clicked();
        if current {
            let rect = Rect::from_center_size(pos2(field.right() - 34.0, field.center().y), Vec2::splat(size::HIT_MIN));
            let tip = tr!(cx, "Choose the bone in the viewport");
            let mut inner = ui.new_child(egui::UiBuilder::new().max_rect(rect));
            let button = IconButton { icon_size: size::ICON_SMALL, ..IconButton::new(icons::CROSSHAIR, &tip) };
            if button.on(aims).show(&mut inner).clicked() {
                self.toggle_picking(cx, row);
                clicked = false;
            }
        }
        if clicked {
            self.current_row = Some(row);
            self.picking_row = None;
            self.picker = if open { None } else { Some(BonePicker::new(row, field)) };
        }
    }

    /// Returns the reason for a match, with a warning colour if the artist must check the row.
    pub(super) fn reason_text(&self, cx: &UiContext<'_>, entry: &RemapRow) -> (String, Color32) {
        let c = cx.theme.color;
        let rule = |at: &usize| self.rules.entries.get(*at).map(|e| &e.rule);
        let text = match &entry.reason {
            MatchReason::ByRule(at) => match rule(at) {
                Some(RemapRule::StripPrefix(affix) | RemapRule::StripSuffix(affix)) => {
                    tr!(cx, "same without {affix}", affix)
                }
                Some(RemapRule::Sides) => tr!(cx, "left and right words"),
                Some(RemapRule::Replace { from, .. }) => tr!(cx, "{from} replaced", from),
                Some(RemapRule::IgnoreCase) => tr!(cx, "only case differs"),
                _ => tr!(cx, "same name"),
            },
            MatchReason::Role(role) => {
                tr!(cx, "both are the {role}", role = i18n::body_role_name(cx.theme.lang, role))
            }
            MatchReason::SameWords => tr!(cx, "same words"),
            MatchReason::Near if entry.scores.body_position.is_some() => tr!(cx, "similar name and position"),
            MatchReason::Near => tr!(cx, "similar name"),
            MatchReason::Manual => tr!(cx, "chosen manually"),
            MatchReason::NoMatch => return (tr!(cx, "no match; row kept").into_owned(), c.warning),
        };
        if let Some(other) = entry.shared_with.first().and_then(|row| self.plan.rows.get(*row)) {
            let also = tr!(cx, "same target as {name}", name = &other.source);
            return ([also, text].join(&*tr!(cx, "; ")), c.warning);
        }
        if entry.ambiguous {
            return ([tr!(cx, "several matches"), text].join(&*tr!(cx, "; ")), c.text_2);
        }
        (text.into_owned(), c.text_2)
    }

    pub(super) fn target_name<'a>(cx: &UiContext<'a>, target: Option<BoneId>) -> Option<&'a str> {
        let skeleton = &cx.session().character().skeleton;
        target.filter(|b| b.index() < skeleton.len()).map(|b| skeleton.name(b))
    }
}

pub(super) const REASON_HEIGHT: f32 = 128.0;
const SCORE_HEIGHT: f32 = 24.0;

impl MapNamesDialog {
    pub(super) fn reason_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let c = cx.theme.color;
        let Some(row) = self.current_row.filter(|row| *row < self.plan.rows.len()) else { return };
        let all = ui.max_rect().shrink2(vec2(space::L, space::M));
        let middle = all.left() + 0.5 * all.width();
        let entry = self.plan.rows[row].clone();
        let target = Self::target_name(cx, entry.target);
        let heading = match target {
            Some(name) => name.to_owned(),
            None => tr!(cx, "No bone for {name}", name = &entry.source).into_owned(),
        };
        let width = middle - all.left() - space::L;
        let why = if target.is_some() { self.reason_text(cx, &entry).0 } else { String::new() };
        let parts = [
            (&*heading, TextSize::Strong, c.text),
            ("  ", TextSize::Small, c.text_2),
            (&*why, TextSize::Small, c.text_2),
        ];
        let title = paint::layout_line(ui, &parts, width);
        paint::paint_galley_left(ui.painter(), pos2(all.left(), all.top() + 9.0), title);
        let left = Rect::from_min_size(pos2(all.left(), all.top() + 20.0), vec2(width, SCORE_HEIGHT));
        if target.is_some() {
            let scores = &entry.scores;
            let bars = [
                (tr!(cx, "Name"), Some(scores.name)),
                (tr!(cx, "Position"), scores.body_position),
                (tr!(cx, "Depth{:hierarchy}"), scores.chain_position),
                (tr!(cx, "Parent"), scores.parent),
            ];
            for (i, (name, score)) in bars.into_iter().enumerate() {
                let line = left.translate(vec2(0.0, 22.0 * i as f32));
                score_ui(ui, cx, line, &name, score);
            }
        } else {
            let text = tr!(cx, "Choose a bone, or leave the row without one: the row is kept and exported again.");
            let galley = ui.painter().layout(text.into_owned(), TextSize::Small.font(), c.text_2, width);
            ui.painter().galley(left.min + vec2(0.0, space::XS), galley, c.text_2);
        }
        self.candidates_ui(ui, cx, row, Rect::from_min_max(pos2(middle, all.top()), all.max));
    }

    fn candidates_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, row: usize, rect: Rect) {
        let c = cx.theme.color;
        let others = self.plan.rows[row].alternatives.clone();
        let heading = tr!(cx, "Other candidates");
        let at = pos2(rect.left(), rect.top() + 9.0);
        paint::text(ui.painter(), at, Align2::LEFT_CENTER, &heading, TextSize::Strong, c.text);
        if others.is_empty() {
            let at = pos2(rect.left(), rect.top() + space::XXXL);
            let text = tr!(cx, "No other similar bone");
            let galley = paint::elided(ui, &text, TextSize::Small, c.text_2, rect.width());
            paint::paint_galley_left(ui.painter(), at, galley);
        }
        for (i, (bone, sure)) in others.into_iter().take(3).enumerate() {
            let Some(name) = Self::target_name(cx, Some(bone)) else { continue };
            let line =
                Rect::from_min_size(pos2(rect.left(), rect.top() + 22.0 + 28.0 * i as f32), vec2(rect.width(), 26.0));
            let response = ui.interact(line, ui.scope_id().with(("other", i)), Sense::hover());
            if response.contains_pointer() {
                self.hovered_bone = Some(bone);
                ui.painter().rect_filled(line, 4.0, c.hover);
            }
            paint_icon(ui.painter(), line.left_center() + vec2(10.0, 0.0), icons::BONE, size::ICON_SMALL, c.text_3);
            let percent = format!("{:.0} %", 100.0 * sure);
            let label = tr!(cx, "Use");
            let width = paint::text_width(ui, &label, TextSize::Body) + 18.0;
            let button = line.width() - width - 4.0;
            paint::text(
                ui.painter(),
                line.left_center() + vec2(button - 8.0, 0.0),
                Align2::RIGHT_CENTER,
                &percent,
                TextSize::Small,
                c.text_2,
            );
            table::row_bone_name(ui, line, 24.0, button - 24.0 - 50.0, name, c.text);
            let mut inner = table::widget_ui(ui, line, button, width);
            let clicked = secondary(&label).small().width(width).show(&mut inner).clicked();
            if clicked {
                self.set_target(row, Some(bone));
            }
        }
    }
}

fn score_ui(ui: &mut Ui, cx: &UiContext<'_>, line: Rect, name: &str, score: Option<f32>) {
    let c = cx.theme.color;
    let color = if score.is_some() { c.text_2 } else { c.text_3 };
    table::row_text(ui, line, 0.0, 64.0, name, TextSize::Small, color);
    let mut inner = table::widget_ui(ui, line, 70.0, 84.0);
    confidence_bar(&mut inner, name, score, 84.0);
    let text = score.map_or_else(|| tr!(cx, "not in the file").into_owned(), |s| format!("{:.0} %", 100.0 * s));
    table::row_text(ui, line, 164.0, line.width() - 164.0, &text, TextSize::Small, color);
}
