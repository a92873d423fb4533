//! The list of chains, by part.

use super::{RenameEdit, empty_list_ui, heading_ui, list_rows};
use crate::tr;
use crate::ui::isolation::{RowSwitchKind, RowSwitchNames};
use crate::ui::kit::icons;
use crate::ui::kit::tree_row::{RowSelection, TreeRow, TreeRowIcon};
use crate::ui::panels::menus::{self, menu_item, menu_separator};
use crate::ui::{UiContext, kit::i18n};
use egui::{Response, Ui};
use yuremono_model::document::names::NamePattern;
use yuremono_model::document::{Chain, ChainId, ChainPart};
use yuremono_session::{Command, SelectMode, TuningScope};
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::BoneId;

#[derive(Debug, Default)]
pub(super) struct ChainsTab {
    renaming: Option<RenameEdit<ChainId>>,
    /// Anchor of a range selection.
    range_anchor: Option<ChainId>,
}

enum ChainListRow {
    PartHeading(ChainPart, usize),
    Chain(ChainId),
}

impl ChainListRow {
    fn chain(&self) -> Option<ChainId> {
        match self {
            Self::Chain(id) => Some(*id),
            Self::PartHeading(..) => None,
        }
    }
}

impl ChainsTab {
    /// Draws the list. Returns the root bone of the hovered chain.
    pub(super) fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, pattern: &NamePattern) -> Option<BoneId> {
        let document = cx.document();
        if document.chains.is_empty() {
            empty_list_ui(
                ui,
                cx,
                message!(
                    "No chains yet. Detect chains finds hair, skirts and tails. To create one chain, right-click a \
                     bone in Bones."
                ),
            );
            return None;
        }
        let mut rows = Vec::new();
        for part in ChainPart::ALL {
            let of_part = |(_, c): &(&ChainId, &Chain)| c.part == part && pattern.matches(&c.name);
            let chains: Vec<ChainId> = document.chains.iter().filter(of_part).map(|(id, _)| *id).collect();
            if !chains.is_empty() {
                rows.push(ChainListRow::PartHeading(part, chains.len()));
                rows.extend(chains.into_iter().map(ChainListRow::Chain));
            }
        }
        if rows.is_empty() {
            empty_list_ui(ui, cx, message!("No name matches."));
        }
        let names = &cx.document().chains;
        self.renaming.take_if(|r| !names.get(&r.id).is_some_and(|chain| r.is_about(&chain.name)));
        let mut hovered = None;
        let order: Vec<ChainId> = rows.iter().filter_map(ChainListRow::chain).collect();
        list_rows(ui, "chains", rows.len(), None, |ui, at| match rows[at] {
            ChainListRow::PartHeading(part, count) => heading_ui(ui, cx, &i18n::part_name(cx.theme.lang, part), count),
            ChainListRow::Chain(id) if self.renaming.as_ref().is_some_and(|r| r.id == id) => self.rename_ui(ui, cx),
            ChainListRow::Chain(id) => {
                let response = self.chain_ui(ui, cx, id, &order);
                if response.is_some_and(|r| r.hovered()) {
                    hovered = cx.document().chains.get(&id).map(Chain::root);
                }
            }
        });
        hovered
    }

    fn chain_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, id: ChainId, order: &[ChainId]) -> Option<Response> {
        let (document, selection) = (cx.document(), cx.selection());
        let chain = document.chains.get(&id)?;
        let active = selection.active.is_some_and(|b| chain.joint_index(b).is_some());
        let is_in = chain.joints.iter().any(|j| selection.bones.contains(&j.bone));
        let count = chain.joints.len();
        let note = match document.solver_of(chain) {
            kind if kind == document.main_system().solver => count.to_string(),
            kind => format!("{} · {count}", i18n::solver_short_name(cx.theme.lang, kind)),
        };
        let names = RowSwitchNames::new(cx, &chain.name);
        let kinds = [RowSwitchKind::Solo(id), RowSwitchKind::Mute(id)];
        let output = TreeRow {
            switches: &kinds.map(|kind| kind.row_switch(cx, &names)),
            selection: RowSelection::new(is_in, active),
            highlighted: selection.hovered.is_some_and(|b| chain.joint_index(b).is_some()),
            is_simulated: chain.joints.iter().any(|j| j.enabled && !cx.playback().is_held(j.bone)),
            note: &note,
            ..TreeRow::new(&chain.name, 0, TreeRowIcon::Chain)
        }
        .show(ui, id.0);
        let response = output.response;
        let bones = bones_of(chain);
        let name = chain.name.clone();
        if let Some(at) = output.clicked_switch {
            kinds[at].toggle(cx);
        } else if response.clicked() {
            let modifiers = ui.input(|i| i.modifiers);
            let in_it: Vec<BoneId> = bones.iter().copied().filter(|b| selection.bones.contains(b)).collect();
            let pick = match (modifiers.command, in_it.is_empty()) {
                _ if modifiers.shift => (self.bones_in_range(cx, order, id), SelectMode::Replace),
                (true, false) => (in_it, SelectMode::Toggle),
                (true, true) => (bones, SelectMode::Add),
                (false, _) => (bones, SelectMode::Replace),
            };
            if !modifiers.shift {
                self.range_anchor = Some(id);
            }
            cx.command(Command::SetTuningScope(TuningScope::Chains));
            cx.command(Command::Select(pick.0, pick.1));
        } else if response.secondary_clicked() && !is_in {
            cx.command(Command::Select(bones, SelectMode::Replace));
        }
        let rename = |this: &mut Self| this.renaming = Some(RenameEdit::new(id, &name));
        if response.double_clicked() {
            rename(self);
        }
        response.context_menu(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            if menu_item(&tr!(cx, "Rename")).icon(icons::PENCIL_SIMPLE).show(ui).clicked() {
                rename(self);
            }
            let mut chains = cx.selection().chains(cx.document());
            if !chains.contains(&id) {
                chains = vec![id];
            }
            menus::set_part_ui(ui, cx, &chains);
            menu_separator(ui);
            menus::isolation_ui(ui, cx, &chains, None);
            menu_separator(ui);
            menus::context_ui(ui, cx);
            menu_separator(ui);
            let label = match chains.len() {
                1 => tr!(cx, "Delete chain"),
                n => tr!(cx, "Delete {n:chain|chains}", n),
            };
            if menu_item(&label).icon(icons::TRASH).show(ui).clicked() {
                cx.command(Command::DeleteChains(chains));
            }
        });
        Some(response)
    }

    /// Returns the joints of all rows from the anchor of the range to `to`. The chain of `to` becomes active.
    fn bones_in_range(&self, cx: &UiContext<'_>, order: &[ChainId], to: ChainId) -> Vec<BoneId> {
        let (document, selection) = (cx.document(), cx.selection());
        let active = || selection.active.and_then(|bone| document.find_joint(bone).map(|(id, _)| id));
        let position = |id: ChainId| order.iter().position(|other| *other == id);
        let to = position(to).unwrap_or_default();
        let from = self.range_anchor.or_else(active).and_then(position).unwrap_or(to);
        let mut span: Vec<ChainId> = order[from.min(to)..=from.max(to)].to_vec();
        if to < from {
            span.reverse();
        }
        span.iter().filter_map(|id| document.chains.get(id)).flat_map(bones_of).collect()
    }

    fn rename_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        if let Some((id, name)) = RenameEdit::show(&mut self.renaming, ui, cx) {
            cx.command(Command::RenameChain(id, name));
        }
    }
}

/// Returns the joints with the root last, because the last joint becomes active.
fn bones_of(chain: &Chain) -> Vec<BoneId> {
    chain.joints.iter().rev().map(|j| j.bone).collect()
}
