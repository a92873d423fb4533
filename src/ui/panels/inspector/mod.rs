//! The inspector: what is tuned, and every number of it.
//!
//! Its rows are loops over the solver's table; none is named here. What a row shows is worked out by the session.

mod component;
mod feel;
mod head;
mod items;
mod lengths;
mod line;
mod material;
mod preset;
mod remarks;
mod rows;
mod sections;
mod solver;
mod switches;

pub(super) use component::entry_words;
pub(super) use feel::number_format;
pub(super) use line::{format_of, within};
pub(super) use rows::meaning_words;

use crate::session::Subject;
use crate::ui::Cx;
use crate::ui::kit::tokens::space;
use egui::{Frame, Margin, ScrollArea, Ui};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// What it keeps.
#[derive(Debug, Default)]
pub struct Inspector {
    /// A bar is being dragged: what it does to mixed values is a factor.
    held: bool,
}

impl Inspector {
    /// Draws it.
    pub fn show(&mut self, ui: &mut Ui, cx: &mut Cx<'_>) {
        say_what_the_mouse_does(ui, cx);
        // A bar that vanished in the hand has not said that its drag ended.
        self.held &= ui.input(|i| i.pointer.any_down() || i.pointer.any_released());
        ui.spacing_mut().item_spacing.y = 0.0;
        if items::show(ui, cx) {
            return;
        }
        let subject = cx.session().inspection().subject();
        let inset = Margin { left: space::L as i8, right: space::L as i8, top: 10, bottom: 10 };
        Frame::new().inner_margin(inset).show(ui, |ui| head::head_ui(ui, cx, &subject));
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

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, subject: &Subject) {
        let first_start = sections::is_first_start(cx);
        let mut rows = rows::Rows { held: &mut self.held, subject: id_of(cx), hushed: false };
        match subject {
            Subject::Still(bones) => head::still_ui(ui, cx, bones),
            Subject::All { chains: 0, .. } if cx.session().document().chains.is_empty() => {
                ui.add_space(space::M);
                crate::ui::panels::outliner::detect_ui(ui, cx);
                ui.add_space(space::L);
            }
            Subject::All { chains: 0, .. } => {}
            _ if first_start => feel::feel_section(ui, cx, rows.subject),
            _ => {
                feel::feel_section(ui, cx, rows.subject);
                sections::joint_sections(ui, cx, &mut rows);
                feel::swing_section(ui, cx, &rows);
                head::chain_section(ui, cx);
                component::component_section(ui, cx, rows.subject);
            }
        }
        if first_start {
            solver::start_ui(ui, cx);
        }
        sections::character_sections(ui, cx, &mut rows);
    }
}

/// Stands for what is tuned: a change of numbers with the selection is no change of values.
fn id_of(cx: &Cx<'_>) -> u64 {
    let targets = cx.session().inspection().targets();
    let mut hasher = DefaultHasher::new();
    (targets.chains, targets.joints).hash(&mut hasher);
    hasher.finish()
}

fn say_what_the_mouse_does(ui: &Ui, cx: &mut Cx<'_>) {
    if !ui.rect_contains_pointer(ui.max_rect()) {
        return;
    }
    let pairs = [("drag", "change"), ("shift", "finer"), ("ctrl", "snap"), ("click", "type")];
    let word = |key: &str| cx.tr(&format!("inspector.hint.{key}")).into_owned();
    let hint: Vec<_> = pairs.iter().map(|(key, what)| (word(key), word(what))).collect();
    cx.state.hint = hint;
}
