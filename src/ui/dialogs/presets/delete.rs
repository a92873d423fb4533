//! Asks before a preset of the artist's own is deleted: no undo brings a file back.

use crate::session::PresetId;
use crate::ui::dialogs::Stays;
use crate::ui::dialogs::small::place;
use crate::ui::kit::button::{primary, secondary};
use crate::ui::kit::frame;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::SPACE;
use crate::ui::presets::japanese;
use crate::ui::{Cx, Request};
use egui::{Context, vec2};
use std::sync::Arc;

/// The question.
#[derive(Debug)]
pub(in crate::ui::dialogs) struct Delete {
    id: PresetId,
}

impl Delete {
    pub(in crate::ui::dialogs) fn new(cx: &Cx<'_>) -> Self {
        Self { id: cx.state.presets.subject.clone().unwrap_or_default() }
    }

    pub(in crate::ui::dialogs) fn show(&self, ctx: &Context, cx: &mut Cx<'_>) -> (String, Stays) {
        let title = cx.tr("presets.window.delete").into_owned();
        let shelf = Arc::clone(&cx.state.presets.shelf);
        let Some(preset) = shelf.get(&self.id) else { return (title, Stays::Closed) };
        let name = preset.name.get(japanese(cx)).to_owned();
        let (mut deed, mut left) = (false, false);
        let mut state = &*cx;
        let out = frame::window(
            ctx,
            &title,
            "",
            place(ctx, vec2(440.0, 168.0)),
            &mut state,
            |ui, cx| {
                ui.add_space(SPACE[4]);
                let inset = egui::Margin::symmetric(SPACE[5] as i8, 0);
                egui::Frame::new().inner_margin(inset).show(ui, |ui| {
                    let words = cx.tr_with("presets.window.delete_sentence", &[("name", &name)]);
                    let words = Text::Body.rich(words).color(cx.theme.color.text_2);
                    ui.add(egui::Label::new(words).wrap().selectable(false));
                });
            },
            |ui, cx| {
                ui.spacing_mut().item_spacing.x = SPACE[3];
                let words = cx.tr_with("presets.window.delete_it", &[("name", &name)]);
                deed = primary(&words).show(ui).on_hover_text("Ctrl+Enter").clicked();
                left = secondary(&cx.tr("common.cancel")).show(ui).on_hover_text("Esc").clicked();
            },
        );
        if deed || out.applied {
            cx.request(Request::DeletePreset { key: self.id.key.clone(), name });
            return (title, Stays::Closed);
        }
        (title, if left || out.closed { Stays::Closed } else { Stays::Open })
    }
}
