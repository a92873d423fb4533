//! Below the losses: numbers that follow the present motion, searched on demand, and how near they come.

use super::{ROW_HEIGHT, SwitchSolverDialog};
use crate::feel::{convert::motion_fit::MotionDifference, convert::motion_fit::MotionFitResult};
use crate::ui::kit::button::secondary;
use crate::ui::kit::paint::ElidedName;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::segmented;
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::{meter, paint};
use crate::ui::viewport::motion_name;
use crate::ui::{AppRequest, MotionFitStatus, UiContext};
use egui::{Align2, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

/// Of the button or the bar with what it is about.
const HEADER_HEIGHT: f32 = 44.0;
/// So many chains are seen at once.
const VISIBLE_CHAINS: usize = 5;
const CHAIN_HEIGHT: f32 = 22.0;

/// How high the part is now.
pub(super) fn section_height(cx: &UiContext<'_>) -> f32 {
    match cx.input.motion_fit {
        MotionFitStatus::Found(found) => {
            HEADER_HEIGHT + ROW_HEIGHT + found.chains.len().min(VISIBLE_CHAINS) as f32 * CHAIN_HEIGHT + space::M
        }
        _ => HEADER_HEIGHT,
    }
}

impl SwitchSolverDialog {
    /// The numbers that would be applied: those found, where there are some and the artist wants them.
    pub(super) fn chosen_fit<'a>(&self, cx: &UiContext<'a>) -> Option<&'a MotionFitResult> {
        match cx.input.motion_fit {
            MotionFitStatus::Found(found) if !self.uses_formula => Some(found),
            _ => None,
        }
    }

    pub(super) fn motion_fit_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) -> Option<AppRequest> {
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), section_height(cx)), Sense::hover());
        paint::hairline(ui.painter(), rect.left(), rect.right(), rect.top(), cx.theme.color.border);
        let inner = rect.shrink2(vec2(space::XL, 0.0));
        let head = Rect::from_min_size(inner.min, vec2(inner.width(), HEADER_HEIGHT));
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        let mut row = ui.new_child(UiBuilder::new().max_rect(head).layout(layout));
        row.spacing_mut().item_spacing.x = space::L;
        match cx.input.motion_fit {
            MotionFitStatus::Idle => self.start_ui(&mut row, cx),
            MotionFitStatus::Running(share) => {
                let words = cx.tr("solver.match.running");
                meter::progress_bar(&mut row, &words, Some(share), true).then_some(AppRequest::StopMotionFit)
            }
            MotionFitStatus::Found(found) => {
                self.choice_ui(&mut row, cx);
                let below = Rect::from_min_max(pos2(inner.left(), head.bottom()), inner.max);
                results_ui(&mut ui.new_child(UiBuilder::new().max_rect(below)), cx, found);
                None
            }
        }
    }

    fn start_ui(&self, ui: &mut Ui, cx: &UiContext<'_>) -> Option<AppRequest> {
        let clicked = secondary(&cx.tr("solver.match.start")).show(ui).clicked();
        let motion = motion_name(cx.session().playback().settings().motion, cx);
        let still = cx.session().playback().settings().motion == crate::session::Motion::Still;
        let words = if still {
            cx.tr("solver.match.hint_still").into_owned()
        } else {
            cx.tr_with("solver.match.hint", &[("motion", &motion)])
        };
        let room = ui.available_width();
        let shown = paint::elided(ui, &words, TextSize::Small, cx.theme.color.text_2, room);
        let (rect, response) = ui.allocate_exact_size(vec2(room, HEADER_HEIGHT), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
        let cut = shown.elided;
        paint::paint_galley_left(ui.painter(), rect.left_center(), shown);
        if cut {
            response.on_hover_text(&words);
        }
        clicked.then_some(AppRequest::FitMotion(self.chains.clone(), self.target))
    }

    /// Which of the two sets of numbers is taken.
    fn choice_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let words = [cx.tr("solver.match.formula"), cx.tr("solver.match.matched")];
        let choices: Vec<(&str, Option<usize>)> = words.iter().map(|words| (words.as_ref(), None)).collect();
        if let Some(clicked) = segmented(ui, &choices, usize::from(!self.uses_formula), size::BAR) {
            self.uses_formula = clicked == 0;
        }
        let words = cx.tr("solver.match.choice");
        ui.label(TextSize::Small.rich(words).color(cx.theme.color.text_2));
    }
}

/// All chains together, then the worst of them.
fn results_ui(ui: &mut Ui, cx: &UiContext<'_>, found: &MotionFitResult) {
    ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
    let all = difference_text(found.formula_difference, found.fitted_difference);
    row_ui(ui, cx, ROW_HEIGHT, (&cx.tr("solver.match.all"), TextSize::Strong), &all);
    let room = ui.available_height() - space::M;
    let area = ScrollArea::vertical().id_salt("matched").max_height(room).min_scrolled_height(room);
    area.auto_shrink(false).show_rows(ui, CHAIN_HEIGHT, found.chains.len(), |ui, range| {
        for chain in &found.chains[range] {
            let name = cx.session().document().chains.get(&chain.chain).map_or("", |chain| chain.name.as_str());
            row_ui(
                ui,
                cx,
                CHAIN_HEIGHT,
                (name, TextSize::Small),
                &difference_text(chain.formula_difference, chain.fitted_difference),
            );
        }
    });
}

/// A name on the left, numbers on the right.
fn row_ui(ui: &mut Ui, cx: &UiContext<'_>, height: f32, (name, text): (&str, TextSize), said: &str) {
    let c = cx.theme.color;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{name} {said}")));
    // Room for the scroll bar.
    let right = pos2(rect.right() - space::M, rect.center().y);
    paint::text(ui.painter(), right, Align2::RIGHT_CENTER, said, TextSize::Number, c.text_2);
    let room = rect.width() - paint::text_width(ui, said, TextSize::Number) - space::M - space::L;
    let ink = if text == TextSize::Strong { c.text } else { c.text_2 };
    let name = ElidedName::new(ui, name, text, ink, room);
    name.paint_left(ui.painter(), rect.left_center());
    name.with_tooltip(response);
}

/// "2.4 cm → 0.6 cm · 9.1° → 2.2°"
fn difference_text(before: MotionDifference, after: MotionDifference) -> String {
    let [from, to] = [before, after].map(|d| centimetres_text(d.metres));
    format!("{from} → {to} · {:.1}° → {:.1}°", before.degrees, after.degrees)
}

fn centimetres_text(metres: f32) -> String {
    let cm = 100.0 * metres;
    if cm >= 1.0 { format!("{cm:.1} cm") } else { format!("{cm:.2} cm") }
}
