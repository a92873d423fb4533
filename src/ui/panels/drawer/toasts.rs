//! New messages, shown for a while over the viewport at its lower left.

use super::{said, tone_of};
use crate::report::Place;
use crate::session::MessageId;
use crate::ui::kit::frame::toast;
use crate::ui::kit::tokens::{SPACE, motion};
use crate::ui::{Cx, DrawerTab};
use egui::{Align2, Area, Id, Order, Ui, pos2};
use std::time::Duration;

/// More at once would hide the character.
const MOST: usize = 3;
/// Above the transport.
const ABOVE_BOTTOM: f32 = 68.0;

/// Which messages are on screen and since when.
#[derive(Debug, Default)]
pub(super) struct Toasts {
    /// The newest message that was looked at.
    seen: Option<MessageId>,
    /// What is shown and when it came, egui's seconds.
    shown: Vec<(MessageId, f64)>,
}

impl Toasts {
    pub(super) fn show(&mut self, ui: &Ui, cx: &mut Cx<'_>) {
        let now = ui.input(|i| i.time);
        self.take_new(cx, now);
        let stay = f64::from(motion::TOAST_MS) / 1000.0;
        let list = cx.session().messages().list();
        self.shown.retain(|(id, from)| now - from < stay && list.iter().any(|m| m.id == *id));
        // The list says it already.
        if cx.state.drawer == Some(DrawerTab::Messages) {
            self.shown.clear();
        }
        let Some(first) = self.shown.first() else { return };
        ui.ctx().request_repaint_after(Duration::from_secs_f64((first.1 + stay - now).max(0.0)));
        let view = ui.available_rect_before_wrap();
        let hidden = self.shown.len().saturating_sub(MOST);
        let at = pos2(view.left() + SPACE[4], view.bottom() - ABOVE_BOTTOM);
        let area = Area::new(Id::unique("toasts")).order(Order::Foreground).pivot(Align2::LEFT_BOTTOM).fixed_pos(at);
        let mut away = Vec::new();
        area.show(ui.ctx(), |ui| {
            ui.set_max_width(view.width() - 2.0 * SPACE[4]);
            ui.spacing_mut().item_spacing.y = SPACE[2];
            for (id, _) in self.shown.iter().skip(hidden) {
                let Some(message) = list.iter().find(|m| m.id == *id) else { continue };
                let sentence = said::sentence(cx.theme.lang, cx.session().document(), message);
                let words = short(&message.diagnostic.place, &sentence);
                if ui.push_id(id.0, |ui| toast(ui, tone_of(message.diagnostic.severity), &words)).inner {
                    away.push(*id);
                }
            }
            if hidden > 0 {
                let words = cx.tr_with("drawer.more_messages", &[("n", &hidden.to_string())]);
                if ui.button(words).clicked() {
                    cx.state.drawer = Some(DrawerTab::Messages);
                }
            }
        });
        self.shown.retain(|(id, _)| !away.contains(id));
    }

    fn take_new(&mut self, cx: &Cx<'_>, now: f64) {
        let list = cx.session().messages().list();
        let new = list.iter().filter(|m| self.seen.is_none_or(|seen| m.id > seen));
        self.shown.extend(new.map(|m| (m.id, now)));
        self.seen = list.last().map(|m| m.id).max(self.seen);
    }
}

/// File, line and what is wrong; the list says the rest.
fn short(place: &Place, sentence: &str) -> String {
    let place = Place { column: None, bone: None, pointer: None, ..place.clone() }.to_string();
    if place.is_empty() { sentence.to_owned() } else { format!("{place}: {sentence}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toast_says_where_and_what() {
        let place = Place::file("hair.csv").line(3).column("dragForce").bone("hair_2");
        let sentence = "\"o.5\" is not a number";
        assert_eq!(short(&place, sentence), "hair.csv:3: \"o.5\" is not a number");
        assert_eq!(short(&Place::default(), "値を読みました"), "値を読みました");
    }
}
