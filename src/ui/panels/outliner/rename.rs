//! A row of a list as a text field, to give its thing another name.

use crate::ui::Cx;
use crate::ui::kit::text_field::NameField;
pub(super) use crate::ui::kit::text_field::Renamed;
use crate::ui::kit::tokens::{SPACE, size};
use egui::{Sense, Ui, vec2};

/// What is being named, and what was typed so far.
#[derive(Debug)]
pub(super) struct Renaming<T> {
    pub(super) id: T,
    /// The name that it had.
    was: String,
    text: String,
    fresh: bool,
}

impl<T> Renaming<T> {
    /// Begins with the present name.
    pub(super) fn new(id: T, name: &str) -> Self {
        Self { id, was: name.to_owned(), text: name.to_owned(), fresh: true }
    }

    /// Whether its field was not shown yet.
    pub(super) fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Whether it is still about the thing that has this name now; an empty name is that of nothing.
    pub(super) fn is_about(&self, name: &str) -> bool {
        self.was == name
    }

    /// Shows the field. Enter or leaving it renames, Esc or nothing does not.
    pub(super) fn show(&mut self, ui: &mut Ui, cx: &Cx<'_>) -> Renamed {
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW_TREE), Sense::hover());
        let field = rect.shrink2(vec2(SPACE[3], 1.0)).with_min_x(rect.left() + 34.0);
        let (name, edge) = (cx.tr("chain.rename"), cx.theme.color.accent);
        let fresh = std::mem::take(&mut self.fresh);
        match (NameField { name: &name, hint: "", edge, fresh }).show(ui, field, &mut self.text) {
            (_, Renamed::To(name)) if name.is_empty() => Renamed::No,
            (_, renamed) => renamed,
        }
    }
}
