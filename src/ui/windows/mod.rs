//! Floating windows: each shows what would change and changes it with one button.

mod about;
mod close;
mod shortcuts;
mod type_path;

pub mod small;

use super::Cx;
use crate::doc::BoneTable;
use crate::doc::remap::Rules;
use crate::report::Diagnostic;
use crate::session::Session;
use egui::Context;

/// Which are open, with what they keep.
#[derive(Debug, Default)]
pub struct Windows {}

impl Windows {
    /// Shows what a table would change.
    pub fn offer_table(&mut self, _table: BoneTable, _said: Vec<Diagnostic>, _session: &Session) {}

    /// Takes rules that were read from a file.
    pub fn take_rules(&mut self, _rules: Rules, _session: &Session) {}

    /// Shows which bones a newer version of the character lacks.
    pub fn offer_lost(&mut self, _lost: Vec<String>, _session: &Session) {}

    /// Draws those that are open.
    pub fn show(&mut self, _ctx: &Context, cx: &mut Cx<'_>) {
        cx.state.open.clear();
    }
}
