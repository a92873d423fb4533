//! Below the losses: numbers that follow the present motion, searched on demand, and how near they come.

use super::{LINE, Switch};
use crate::feel::{convert::refine::Difference, convert::refine::Matched};
use crate::ui::kit::button::secondary;
use crate::ui::kit::paint::Name;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::segmented;
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::{meter, paint};
use crate::ui::viewport::motion_name;
use crate::ui::{Cx, MatchView, Request};
use egui::{Align2, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

/// Of the button or the bar with what it is about.
const HEAD: f32 = 44.0;
/// So many chains are seen at once.
const CHAINS: usize = 5;
const CHAIN: f32 = 22.0;

/// How high the part is now.
pub(super) fn height(cx: &Cx<'_>) -> f32 {
    match cx.input.matching {
        MatchView::Found(found) => HEAD + LINE + found.chains.len().min(CHAINS) as f32 * CHAIN + space::M,
        _ => HEAD,
    }
}

impl Switch {
    /// The numbers that would be applied: those found, where there are some and the artist wants them.
    pub(super) fn chosen<'a>(&self, cx: &Cx<'a>) -> Option<&'a Matched> {
        match cx.input.matching {
            MatchView::Found(found) if !self.wants_formula => Some(found),
            _ => None,
        }
    }

    pub(super) fn matching_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>) -> Option<Request> {
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), height(cx)), Sense::hover());
        paint::hairline(ui.painter(), rect.left(), rect.right(), rect.top(), cx.theme.color.border);
        let inner = rect.shrink2(vec2(space::XL, 0.0));
        let head = Rect::from_min_size(inner.min, vec2(inner.width(), HEAD));
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        let mut row = ui.new_child(UiBuilder::new().max_rect(head).layout(layout));
        row.spacing_mut().item_spacing.x = space::L;
        match cx.input.matching {
            MatchView::None => self.ask_ui(&mut row, cx),
            MatchView::Running(share) => {
                let words = cx.tr("solver.match.running");
                meter::progress(&mut row, &words, Some(share), true).then_some(Request::StopMatching)
            }
            MatchView::Found(found) => {
                self.choice_ui(&mut row, cx);
                let below = Rect::from_min_max(pos2(inner.left(), head.bottom()), inner.max);
                found_ui(&mut ui.new_child(UiBuilder::new().max_rect(below)), cx, found);
                None
            }
        }
    }

    fn ask_ui(&self, ui: &mut Ui, cx: &Cx<'_>) -> Option<Request> {
        let clicked = secondary(&cx.tr("solver.match.start")).show(ui).clicked();
        let motion = motion_name(cx.session().playback().settings().motion, cx);
        let still = cx.session().playback().settings().motion == crate::session::Motion::Still;
        let words = if still {
            cx.tr("solver.match.hint_still").into_owned()
        } else {
            cx.tr_with("solver.match.hint", &[("motion", &motion)])
        };
        let room = ui.available_width();
        let shown = paint::elided(ui, &words, Text::Small, cx.theme.color.text_2, room);
        let (rect, response) = ui.allocate_exact_size(vec2(room, HEAD), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
        let cut = shown.elided;
        paint::galley_left(ui.painter(), rect.left_center(), shown);
        if cut {
            response.on_hover_text(&words);
        }
        clicked.then_some(Request::Match(self.chains.clone(), self.to))
    }

    /// Which of the two sets of numbers is taken.
    fn choice_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>) {
        let words = [cx.tr("solver.match.formula"), cx.tr("solver.match.matched")];
        let choices: Vec<(&str, Option<usize>)> = words.iter().map(|words| (words.as_ref(), None)).collect();
        if let Some(clicked) = segmented(ui, &choices, usize::from(!self.wants_formula), size::BAR) {
            self.wants_formula = clicked == 0;
        }
        let words = cx.tr("solver.match.choice");
        ui.label(Text::Small.rich(words).color(cx.theme.color.text_2));
    }
}

/// All chains together, then the worst of them.
fn found_ui(ui: &mut Ui, cx: &Cx<'_>, found: &Matched) {
    ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
    let all = told(found.formula, found.matched);
    row_ui(ui, cx, LINE, (&cx.tr("solver.match.all"), Text::Strong), &all);
    let room = ui.available_height() - space::M;
    let area = ScrollArea::vertical().id_salt("matched").max_height(room).min_scrolled_height(room);
    area.auto_shrink(false).show_rows(ui, CHAIN, found.chains.len(), |ui, range| {
        for chain in &found.chains[range] {
            let name = cx.session().document().chains.get(&chain.chain).map_or("", |chain| chain.name.as_str());
            row_ui(ui, cx, CHAIN, (name, Text::Small), &told(chain.formula, chain.matched));
        }
    });
}

/// A name on the left, numbers on the right.
fn row_ui(ui: &mut Ui, cx: &Cx<'_>, height: f32, (name, text): (&str, Text), said: &str) {
    let c = cx.theme.color;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{name} {said}")));
    // Room for the scroll bar.
    let right = pos2(rect.right() - space::M, rect.center().y);
    paint::text(ui.painter(), right, Align2::RIGHT_CENTER, said, Text::Number, c.text_2);
    let room = rect.width() - paint::width_of(ui, said, Text::Number) - space::M - space::L;
    let ink = if text == Text::Strong { c.text } else { c.text_2 };
    let name = Name::new(ui, name, text, ink, room);
    name.paint_left(ui.painter(), rect.left_center());
    name.tip(response);
}

/// "2.4 cm → 0.6 cm · 9.1° → 2.2°"
fn told(before: Difference, after: Difference) -> String {
    let [from, to] = [before, after].map(|d| centimetres(d.metres));
    format!("{from} → {to} · {:.1}° → {:.1}°", before.degrees, after.degrees)
}

fn centimetres(metres: f32) -> String {
    let cm = 100.0 * metres;
    if cm >= 1.0 { format!("{cm:.1} cm") } else { format!("{cm:.2} cm") }
}
