//! The inspector: the selection and all of its parameters.
//!
//! Rows are loops over the table of the solver. The session computes the contents of a row.

mod component;
mod feel;
mod header;
mod items;
mod label_line;
mod material;
mod param_rows;
mod preset;
mod sections;
mod solver;

pub(super) use component::entry_text;
pub(in crate::ui) use feel::number_format;
pub(super) use label_line::clamped_to_range;
pub(super) use param_rows::{derived_quantity_text, limit_label};

use crate::ui::UiContext;
use crate::ui::kit::tokens::space;
use egui::{Frame, Margin, ScrollArea, Ui};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use yuremono_session::InspectorSubject;
use yuremono_sim::diagnostics::message;

#[derive(Debug, Default)]
pub struct Inspector {
    /// Whether a bar is dragged. Drags scale mixed values.
    bar_dragged: bool,
}

impl Inspector {
    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let hints = [
            (message!("Drag{:mouse}"), message!("change")),
            (message!("Shift"), message!("10× finer")),
            (message!("Ctrl"), message!("snap")),
            (message!("Click"), message!("type{:keyboard}")),
        ];
        cx.set_mouse_hints(ui, &hints);
        // A bar that disappeared during a drag sends no end of the drag.
        self.bar_dragged &= ui.input(|i| i.pointer.any_down() || i.pointer.any_released());
        ui.spacing_mut().item_spacing.y = 0.0;
        if items::show(ui, cx) {
            return;
        }
        let subject = cx.inspection().subject();
        let inset = Margin { left: space::L as i8, right: space::L as i8, top: 10, bottom: 10 };
        Frame::new().inner_margin(inset).show(ui, |ui| header::header_ui(ui, cx, &subject));
        crate::ui::kit::paint::hairline(
            ui.painter(),
            ui.max_rect().left(),
            ui.max_rect().right(),
            ui.cursor().top(),
            cx.theme.color.border,
        );
        let inset = Margin { top: 5, bottom: space::XL as i8, ..inset };
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            Frame::new().inner_margin(inset).show(ui, |ui| self.body_ui(ui, cx, &subject));
        });
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, subject: &InspectorSubject) {
        let first_start = sections::is_untouched_sample(cx);
        let mut rows = param_rows::ParamRows {
            range_dragged: &mut self.bar_dragged,
            subject: subject_id(cx),
            warning_in_next_row: false,
        };
        match subject {
            InspectorSubject::UnsimulatedBones(bones) => header::unsimulated_bones_ui(ui, cx, bones),
            InspectorSubject::All { chains: 0, .. } if cx.document().chains.is_empty() => {
                ui.add_space(space::M);
                crate::ui::panels::outliner::detect_button_ui(ui, cx);
                ui.add_space(space::L);
            }
            InspectorSubject::All { chains: 0, .. } => {}
            _ if first_start => feel::feel_section(ui, cx, rows.subject),
            _ => {
                feel::feel_section(ui, cx, rows.subject);
                sections::joint_sections(ui, cx, &mut rows);
                feel::swing_limit_section(ui, cx, &rows);
                header::chain_section(ui, cx);
                component::component_section(ui, cx, rows.subject);
            }
        }
        if first_start {
            solver::start_ui(ui, cx);
        }
        sections::character_sections(ui, cx, &mut rows);
    }
}

/// Returns the identity of the tuned objects. Values do not flash when the identity changes.
fn subject_id(cx: &UiContext<'_>) -> u64 {
    let targets = cx.inspection().targets();
    let mut hasher = DefaultHasher::new();
    (targets.chains, targets.joints).hash(&mut hasher);
    hasher.finish()
}
