//! The list of chains, by part.

use super::{Renamed, Renaming};
use super::{list_rows, nothing_ui};
use crate::document::names::Pattern;
use crate::document::{Chain, ChainId, Part};
use crate::rig::BoneId;
use crate::session::{Command, Pick, Scope};
use crate::ui::kit::icons;
use crate::ui::kit::paint;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::tree_row::{Chosen, Mark, TreeRow};
use crate::ui::panels::menus::{self, item, line};
use crate::ui::{Cx, kit::words};
use egui::{Align2, Response, Role, Sense, Ui, WidgetInfo, vec2};

/// What it keeps.
#[derive(Debug, Default)]
pub(super) struct Chains {
    renaming: Option<Renaming<ChainId>>,
    /// Where a span of rows begins.
    anchor: Option<ChainId>,
}

enum Row {
    Head(Part, usize),
    Chain(ChainId),
}

impl Row {
    fn chain(&self) -> Option<ChainId> {
        match self {
            Self::Chain(id) => Some(*id),
            Self::Head(..) => None,
        }
    }
}

impl Chains {
    /// Draws it; returns the root bone of the chain under the pointer.
    pub(super) fn show(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, pattern: &Pattern) -> Option<BoneId> {
        let document = cx.session().document();
        if document.chains.is_empty() {
            nothing_ui(ui, cx, "outliner.no_chains");
            return None;
        }
        let mut rows = Vec::new();
        for part in Part::ALL {
            let of_part = |(_, c): &(&ChainId, &Chain)| c.part == part && pattern.matches(&c.name);
            let chains: Vec<ChainId> = document.chains.iter().filter(of_part).map(|(id, _)| *id).collect();
            if !chains.is_empty() {
                rows.push(Row::Head(part, chains.len()));
                rows.extend(chains.into_iter().map(Row::Chain));
            }
        }
        if rows.is_empty() {
            nothing_ui(ui, cx, "outliner.none_found");
        }
        let names = &cx.session().document().chains;
        self.renaming.take_if(|r| !names.get(&r.id).is_some_and(|chain| r.is_about(&chain.name)));
        let mut hovered = None;
        let order: Vec<ChainId> = rows.iter().filter_map(Row::chain).collect();
        list_rows(ui, "chains", rows.len(), None, |ui, at| match rows[at] {
            Row::Head(part, count) => head_ui(ui, cx, part, count),
            Row::Chain(id) if self.renaming.as_ref().is_some_and(|r| r.id == id) => self.rename_ui(ui, cx),
            Row::Chain(id) => {
                let response = self.chain_ui(ui, cx, id, &order);
                if response.is_some_and(|r| r.hovered()) {
                    hovered = cx.session().document().chains.get(&id).map(Chain::root);
                }
            }
        });
        hovered
    }

    fn chain_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, id: ChainId, order: &[ChainId]) -> Option<Response> {
        let (document, selection) = (cx.session().document(), cx.session().selection());
        let chain = document.chains.get(&id)?;
        let active = selection.active.is_some_and(|b| chain.position(b).is_some());
        let is_in = chain.joints.iter().any(|j| selection.bones.contains(&j.bone));
        let count = chain.joints.len();
        let note = match document.solver_of(chain) {
            kind if kind == document.main().solver => count.to_string(),
            kind => format!("{} · {count}", words::solver_short(cx.theme.lang, kind)),
        };
        let output = TreeRow {
            chosen: match (is_in, active) {
                (true, true) => Chosen::Active,
                (true, false) => Chosen::Selected,
                _ => Chosen::No,
            },
            lit: selection.hovered.is_some_and(|b| chain.position(b).is_some()),
            moves: chain.joints.iter().any(|j| j.enabled),
            note: &note,
            ..TreeRow::new(&chain.name, 0, Mark::Chain)
        }
        .show(ui, id.0);
        let response = output.response;
        let bones = bones_of(chain);
        let (name, chosen_before) = (chain.name.clone(), is_in);
        if response.clicked() {
            let modifiers = ui.input(|i| i.modifiers);
            let in_it: Vec<BoneId> = bones.iter().copied().filter(|b| selection.bones.contains(b)).collect();
            let pick = match (modifiers.command, in_it.is_empty()) {
                _ if modifiers.shift => (self.span(cx, order, id), Pick::Replace),
                (true, false) => (in_it, Pick::Toggle),
                (true, true) => (bones, Pick::Add),
                (false, _) => (bones, Pick::Replace),
            };
            if !modifiers.shift {
                self.anchor = Some(id);
            }
            cx.command(Command::SetScope(Scope::Chains));
            cx.command(Command::Select(pick.0, pick.1));
        } else if response.secondary_clicked() && !chosen_before {
            cx.command(Command::Select(bones, Pick::Replace));
        }
        let rename = |this: &mut Self| this.renaming = Some(Renaming::new(id, &name));
        if response.double_clicked() {
            rename(self);
        }
        response.context_menu(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let words = cx.tr("chain.rename");
            if item(&words).icon(icons::PENCIL_SIMPLE).show(ui).clicked() {
                rename(self);
            }
            let mut chains = cx.session().selection().chains(cx.session().document());
            if !chains.contains(&id) {
                chains = vec![id];
            }
            menus::parts_ui(ui, cx, &chains);
            line(ui);
            menus::context_ui(ui, cx);
            line(ui);
            let words = cx.theme.count("chain.remove", chains.len());
            if item(&words).icon(icons::TRASH).show(ui).clicked() {
                cx.command(Command::RemoveChains(chains));
            }
        });
        Some(response)
    }

    /// The joints of all rows from where the span begins to `to`, which becomes the active one.
    fn span(&self, cx: &Cx<'_>, order: &[ChainId], to: ChainId) -> Vec<BoneId> {
        let (document, selection) = (cx.session().document(), cx.session().selection());
        let active = || selection.active.and_then(|bone| document.joint_of(bone).map(|(id, _)| id));
        let place = |id: ChainId| order.iter().position(|other| *other == id);
        let to = place(to).unwrap_or_default();
        let from = self.anchor.or_else(active).and_then(place).unwrap_or(to);
        let mut span: Vec<ChainId> = order[from.min(to)..=from.max(to)].to_vec();
        if to < from {
            span.reverse();
        }
        span.iter().filter_map(|id| document.chains.get(id)).flat_map(bones_of).collect()
    }

    fn rename_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>) {
        let Some(renaming) = &mut self.renaming else { return };
        let id = renaming.id;
        match renaming.show(ui, cx) {
            Renamed::NotYet => return,
            Renamed::No => {}
            Renamed::To(name) => {
                if cx.session().document().chains.get(&id).is_some_and(|c| c.name != name) {
                    cx.command(Command::Rename(id, name));
                }
            }
        }
        self.renaming = None;
    }
}

/// The root last, so that it becomes the active joint.
fn bones_of(chain: &Chain) -> Vec<BoneId> {
    chain.joints.iter().rev().map(|j| j.bone).collect()
}

fn head_ui(ui: &mut Ui, cx: &Cx<'_>, part: Part, count: usize) {
    let c = cx.theme.color;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW_TREE), Sense::hover());
    let words = words::part(cx.theme.lang, part);
    response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, &*words));
    let at = rect.left_center() + vec2(space::L, 1.0);
    paint::text(ui.painter(), at, Align2::LEFT_CENTER, &words, Text::Small, c.text_3);
    let at = rect.right_center() + vec2(-space::M, 1.0);
    paint::text(ui.painter(), at, Align2::RIGHT_CENTER, &count.to_string(), Text::Small, c.text_3);
}
