//! The tree of bones.
//!
//! A chain is one flat column below its root. Its joints share one level, so a long chain fits into the panel. Other
//! bones keep their level.

use super::{empty_list_ui, list_rows};
use crate::tr;
use crate::ui::UiContext;
use crate::ui::isolation::{RowSwitchKind, RowSwitchNames};
use crate::ui::kit::icons;
use crate::ui::kit::tree_row::{RowSelection, TreeRow as RowWidget, TreeRowIcon};
use crate::ui::panels::menus;
use egui::{Context, EventFilter, Id, Key, Modifiers, Rect, Response, Ui};
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use yuremono_model::document::names::NamePattern;
use yuremono_model::document::{ChainId, Document};
use yuremono_session::{Command, SelectMode, TuningScope};
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::{BoneId, Character, Skeleton};

#[derive(Debug, Default)]
pub(super) struct BonesTab {
    expanded: BTreeMap<BoneId, bool>,
    /// The character that `expanded` belongs to.
    character: Weak<Character>,
    /// Anchor of a range selection.
    range_anchor: Option<BoneId>,
    /// The active bone of the last frame. The tree scrolls to a new active bone.
    last_active: Option<BoneId>,
    scroll_to: Option<BoneId>,
    /// The bone whose row requests the focus.
    focus_wanted: Option<BoneId>,
    focused: Option<(Id, BoneId)>,
    rect: Option<Rect>,
    match_count: usize,
}

/// Data that all rows of one frame share.
struct BoneTreeFrame {
    joints: BoneTreeInfo,
    rows: Vec<BoneRow>,
    /// Chains in which all joints are selected.
    chains: Vec<ChainId>,
}

impl BonesTab {
    /// Returns whether a row has the focus.
    pub(super) fn has_keyboard(&self, ctx: &Context) -> bool {
        self.focused.is_some_and(|(id, _)| ctx.memory(|m| m.has_focus(id)))
    }

    pub(super) fn match_count(&self) -> usize {
        self.match_count
    }

    /// Draws the tree. Returns the hovered bone.
    pub(super) fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, pattern: &NamePattern) -> Option<BoneId> {
        self.follow_session(cx);
        let session = cx.session();
        let joints = BoneTreeInfo::new(&session.character().skeleton, session.document());
        let rows = bone_rows(&session.character().skeleton, &joints, &self.expanded, pattern);
        let chains = match session.selection().scope {
            TuningScope::Chains => session.selection().chains(session.document()),
            TuningScope::Joints => Vec::new(),
        };
        let frame = BoneTreeFrame { joints, rows, chains };
        self.match_count = frame.rows.iter().filter(|r| r.matches).count();
        if frame.rows.is_empty() {
            let is_all = pattern.is_empty();
            let text = if is_all { message!("This file has no bones.") } else { message!("No name matches.") };
            empty_list_ui(ui, cx, text);
            return None;
        }
        self.handle_keys(ui, cx, &frame);
        self.rect = Some(ui.max_rect());
        let target = self.scroll_to.take();
        let scroll_to = target.and_then(|bone| frame.rows.iter().position(|r| r.bone == bone));
        let mut hovered = None;
        let mut focused = None;
        list_rows(ui, "bones", frame.rows.len(), scroll_to, |ui, at| {
            let response = self.row_ui(ui, cx, &frame, at, pattern.is_empty());
            let bone = frame.rows[at].bone;
            if response.hovered() {
                hovered = Some(bone);
            }
            if self.focus_wanted == Some(bone) {
                self.focus_wanted = None;
                response.request_focus();
            }
            if response.has_focus() {
                let arrows = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
                ui.memory_mut(|m| m.set_focus_lock_filter(response.id, arrows));
                focused = Some((response.id, bone));
            }
        });
        self.focused = focused;
        hovered
    }

    /// Keeps rows open when the character is reloaded, and scrolls to a new active bone.
    fn follow_session(&mut self, cx: &UiContext<'_>) {
        let session = cx.session();
        if self.character.as_ptr() != Arc::as_ptr(session.character()) {
            let old = std::mem::take(&mut self.expanded);
            if let Some(before) = self.character.upgrade() {
                let again = |(bone, open): (BoneId, bool)| {
                    let name = before.skeleton.name(bone);
                    session.character().skeleton.find(name).map(|found| (found, open))
                };
                self.expanded = old.into_iter().filter_map(again).collect();
            }
            self.character = Arc::downgrade(session.character());
            self.range_anchor = None;
        }
        let active = session.selection().active;
        if active == self.last_active {
            return;
        }
        self.last_active = active;
        let skeleton = &session.character().skeleton;
        if let Some(bone) = active.filter(|b| b.index() < skeleton.len()) {
            skeleton.ancestors(bone).for_each(|above| _ = self.expanded.insert(above, true));
            self.scroll_to = Some(bone);
        }
    }

    fn row_ui(
        &mut self,
        ui: &mut Ui,
        cx: &mut UiContext<'_>,
        frame: &BoneTreeFrame,
        at: usize,
        whole_tree: bool,
    ) -> Response {
        let session = cx.session();
        let (document, selection) = (session.document(), session.selection());
        let row = frame.rows[at];
        let joint = frame.joints.joint_of(row.bone);
        let chain = joint.and_then(|(id, _)| document.chains.get(&id));
        let excluded = document.excluded_bones.contains(&row.bone);
        let enabled = match (row.kind, chain, joint) {
            (BoneRowKind::Chain(_), Some(chain), _) => chain.joints.iter().any(|j| j.enabled),
            (_, Some(chain), Some((_, index))) => chain.joints[index].enabled,
            _ => true,
        };
        let note = match (row.kind, chain) {
            _ if excluded => tr!(cx, "excluded").into_owned(),
            _ if !enabled => tr!(cx, "off{:chain}").into_owned(),
            (BoneRowKind::Chain(_), Some(chain)) => chain.joints.len().to_string(),
            _ => String::new(),
        };
        let kinds = match (row.kind, joint) {
            (BoneRowKind::Chain(id), _) => vec![RowSwitchKind::Solo(id), RowSwitchKind::Mute(id)],
            (_, Some(_)) => vec![RowSwitchKind::Pin(row.bone)],
            _ => Vec::new(),
        };
        let shown = selection.bones.contains(&row.bone) || joint.is_some_and(|(id, _)| frame.chains.contains(&id));
        let name = session.character().skeleton.name(row.bone);
        let names = RowSwitchNames::new(cx, name);
        let switches: Vec<_> = kinds.iter().map(|kind| kind.row_switch(cx, &names)).collect();
        let output = RowWidget {
            switches: &switches,
            open: row.open,
            selection: RowSelection::new(shown, selection.active == Some(row.bone)),
            highlighted: selection.hovered == Some(row.bone),
            is_simulated: row.matches
                && enabled
                && !cx.playback().is_held(row.bone)
                && !matches!(row.kind, BoneRowKind::PlainBone { has_chain_child: false }),
            note: &note,
            overridden: joint.zip(chain).is_some_and(|((_, index), chain)| {
                chain.joints[index].overrides.keys().any(|param| !chain.is_overridden_by_all_joints(*param))
            }),
            eye: excluded.then_some(false),
            ..RowWidget::new(name, row.level, row_icon(row.kind))
        }
        .show(ui, row.bone.0);
        if output.toggled && whole_tree {
            self.expanded.insert(row.bone, row.open != Some(true));
        } else if let Some(at) = output.clicked_switch {
            kinds[at].toggle(cx);
        } else if output.eye_clicked {
            cx.command(Command::SetExcluded(row.bone, false));
        } else if output.response.clicked() {
            self.click(ui, cx, frame, at);
            output.response.request_focus();
        }
        if output.response.double_clicked() {
            cx.state.frame_wanted = true;
        }
        if output.response.secondary_clicked() && !shown {
            cx.command(Command::Select(vec![row.bone], SelectMode::Replace));
        }
        output.response.context_menu(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            menus::bone_menu(ui, cx, row.bone);
        });
        output.response
    }

    fn click(&mut self, ui: &Ui, cx: &mut UiContext<'_>, frame: &BoneTreeFrame, at: usize) {
        let bone = frame.rows[at].bone;
        // A clicked row is already visible, so the tree need not scroll.
        self.last_active = Some(bone);
        let modifiers = ui.input(|i| i.modifiers);
        if modifiers.shift {
            self.select_to(cx, frame, at);
        } else if modifiers.command {
            self.range_anchor = Some(bone);
            let selection = cx.selection();
            let chain = frame.joints.joint_of(bone).map(|j| j.0).filter(|id| frame.chains.contains(id));
            let of_chain =
                selection.bones.iter().filter(|b| chain.is_some() && frame.joints.joint_of(**b).map(|j| j.0) == chain);
            // If all joints of a chain are selected, the click removes the whole chain from the selection.
            let bones: Vec<BoneId> = of_chain.copied().collect();
            cx.command(Command::Select(if bones.is_empty() { vec![bone] } else { bones }, SelectMode::Toggle));
        } else {
            self.range_anchor = Some(bone);
            cx.command(Command::Select(vec![bone], SelectMode::Replace));
        }
    }

    /// Selects all rows from the anchor to the clicked row.
    fn select_to(&mut self, cx: &mut UiContext<'_>, frame: &BoneTreeFrame, to: usize) {
        let anchor = self.range_anchor.or(cx.selection().active);
        let from = anchor.and_then(|b| frame.rows.iter().position(|r| r.bone == b)).unwrap_or(to);
        self.range_anchor = Some(frame.rows[from].bone);
        let span = from.min(to)..=from.max(to);
        let mut bones: Vec<BoneId> = frame.rows[span].iter().filter(|r| r.matches).map(|r| r.bone).collect();
        if to < from {
            bones.reverse();
        }
        cx.command(Command::Select(bones, SelectMode::Replace));
    }

    /// Handles arrow keys if a row has the focus, or if no widget has the focus and the pointer is over the tree.
    fn handle_keys(&mut self, ui: &Ui, cx: &mut UiContext<'_>, frame: &BoneTreeFrame) {
        let nowhere = ui.memory(|m| m.focused().is_none());
        let over = self.rect.is_some_and(|list_rect| ui.rect_contains_pointer(list_rect));
        let here = self.has_keyboard(ui.ctx()) || (nowhere && over);
        if !here || egui::Popup::is_any_open(ui.ctx()) {
            return;
        }
        let here = self.focused.map(|(_, bone)| bone).or(cx.selection().active);
        let at = here.and_then(|bone| frame.rows.iter().position(|r| r.bone == bone));
        let page = (self.rect.map_or(0.0, |p| p.height()) / crate::ui::kit::tokens::size::ROW_TREE) as usize;
        let pressed =
            |key| ui.input_mut(|i| i.consume_key(Modifiers::NONE, key) || i.consume_key(Modifiers::SHIFT, key));
        let shift = ui.input(|i| i.modifiers.shift);
        let last = frame.rows.len() - 1;
        let to = match () {
            () if pressed(Key::ArrowDown) => at.map_or(Some(0), |at| Some((at + 1).min(last))),
            () if pressed(Key::ArrowUp) => at.map_or(Some(last), |at| Some(at.saturating_sub(1))),
            () if pressed(Key::PageDown) => at.map(|at| (at + page).min(last)),
            () if pressed(Key::PageUp) => at.map(|at| at.saturating_sub(page)),
            () if pressed(Key::Home) => Some(0),
            () if pressed(Key::End) => Some(last),
            () if pressed(Key::ArrowRight) => at.and_then(|at| self.expand_or_go_to_child(frame, at)),
            () if pressed(Key::ArrowLeft) => at.and_then(|at| self.collapse_or_go_to_parent(frame, at)),
            () => None,
        };
        let Some(to) = to else { return };
        let bone = frame.rows[to].bone;
        self.last_active = Some(bone);
        self.scroll_to = Some(bone);
        self.focus_wanted = Some(bone);
        if shift {
            self.select_to(cx, frame, to);
        } else {
            self.range_anchor = Some(bone);
            cx.command(Command::Select(vec![bone], SelectMode::Replace));
        }
    }

    fn expand_or_go_to_child(&mut self, frame: &BoneTreeFrame, at: usize) -> Option<usize> {
        let row = frame.rows[at];
        match row.open {
            Some(false) => {
                self.expanded.insert(row.bone, true);
                None
            }
            Some(true) if at + 1 < frame.rows.len() => Some(at + 1),
            _ => None,
        }
    }

    fn collapse_or_go_to_parent(&mut self, frame: &BoneTreeFrame, at: usize) -> Option<usize> {
        let row = frame.rows[at];
        if row.open == Some(true) {
            self.expanded.insert(row.bone, false);
            return None;
        }
        (0..at).rev().find(|above| frame.rows[*above].level < row.level)
    }
}

fn row_icon(kind: BoneRowKind) -> TreeRowIcon {
    match kind {
        BoneRowKind::PlainBone { has_chain_child: true } => TreeRowIcon::Icon(icons::ARROWS_OUT_CARDINAL),
        BoneRowKind::PlainBone { has_chain_child: false } => TreeRowIcon::Icon(icons::BONE),
        BoneRowKind::Chain(_) => TreeRowIcon::Chain,
        BoneRowKind::Joint { last } => TreeRowIcon::Joint { last },
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BoneRowKind {
    /// A bone that is not simulated.
    PlainBone {
        /// Whether the bone is the parent of a chain.
        has_chain_child: bool,
    },
    /// The first joint of a chain.
    Chain(ChainId),
    Joint {
        /// Whether the column ends at this row.
        last: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BoneRow {
    bone: BoneId,
    level: usize,
    kind: BoneRowKind,
    /// Whether the children are visible. `None` if the row has no children.
    open: Option<bool>,
    /// Whether the row matches the search. Other rows are ancestors of matches.
    matches: bool,
}

/// Properties of all bones, computed before the walk over the tree.
#[derive(Clone, Debug, Default)]
struct BoneTreeInfo {
    chain_and_joint: Vec<Option<(ChainId, usize)>>,
    has_joints_below: Vec<bool>,
    has_chain_child: Vec<bool>,
}

impl BoneTreeInfo {
    fn new(skeleton: &Skeleton, document: &Document) -> Self {
        let count = skeleton.len();
        let (mut of, mut moves_below, mut has_chain_child) =
            (vec![None; count], vec![false; count], vec![false; count]);
        for (id, chain) in &document.chains {
            for (index, joint) in chain.joints.iter().enumerate() {
                if let Some(slot) = of.get_mut(joint.bone.index()) {
                    *slot = Some((*id, index));
                }
            }
            if let Some(parent) = skeleton.get_parent(chain.root()) {
                has_chain_child[parent.index()] = true;
            }
        }
        // Parents precede their children in the list.
        for bone in (0..count).rev() {
            if (of[bone].is_some() || moves_below[bone])
                && let Some(parent) = skeleton.get_parent(BoneId(bone as u32))
            {
                moves_below[parent.index()] = true;
            }
        }
        Self { chain_and_joint: of, has_joints_below: moves_below, has_chain_child }
    }

    /// Returns the chain of a bone, and the index of the bone's joint.
    fn joint_of(&self, bone: BoneId) -> Option<(ChainId, usize)> {
        self.chain_and_joint.get(bone.index()).copied().flatten()
    }

    /// Returns the initial state. Chains are closed, and so are bones without descendant chains.
    fn opens_by_default(&self, bone: BoneId) -> bool {
        self.joint_of(bone).is_none() && self.has_joints_below[bone.index()]
    }
}

/// A bone that the walk still has to visit, its level, and the column of the parent chain.
#[derive(Clone, Copy)]
struct PendingBone {
    bone: BoneId,
    level: usize,
    column: Option<(ChainId, usize)>,
}

/// Returns the rows from top to bottom. `open` contains the rows that the artist opened or closed. A search opens all
/// rows, and keeps only matches and their ancestors.
fn bone_rows(
    skeleton: &Skeleton,
    joints: &BoneTreeInfo,
    open: &BTreeMap<BoneId, bool>,
    pattern: &NamePattern,
) -> Vec<BoneRow> {
    let mut rows = Vec::with_capacity(skeleton.len());
    let mut ends: BTreeMap<ChainId, usize> = BTreeMap::new();
    let mut stack: Vec<PendingBone> =
        skeleton.roots().map(|bone| PendingBone { bone, level: 0, column: None }).collect();
    stack.reverse();
    while let Some(PendingBone { bone, level, column }) = stack.pop() {
        let children = skeleton.children(bone);
        let joint = joints.joint_of(bone);
        let in_column = column.filter(|(id, _)| joint.is_some_and(|(of, at)| of == *id && at > 0));
        let is_open = !pattern.is_empty() || open.get(&bone).copied().unwrap_or_else(|| joints.opens_by_default(bone));
        let (kind, level, below, shows) = match (joint, in_column) {
            (Some((id, _)), Some((_, flat))) => {
                ends.insert(id, rows.len());
                (BoneRowKind::Joint { last: false }, flat, PendingBone { bone, level: flat + 1, column }, true)
            }
            (Some((id, 0)), None) => {
                let below = PendingBone { bone, level: level + 1, column: Some((id, level + 1)) };
                (BoneRowKind::Chain(id), level, below, is_open)
            }
            (Some(_), None) => {
                (BoneRowKind::Joint { last: true }, level, PendingBone { bone, level: level + 1, column }, is_open)
            }
            (None, _) => {
                let has_chain_child = joints.has_chain_child[bone.index()];
                (
                    BoneRowKind::PlainBone { has_chain_child },
                    level,
                    PendingBone { bone, level: level + 1, column },
                    is_open,
                )
            }
        };
        let can_open = !children.is_empty() && in_column.is_none();
        let found = pattern.matches(skeleton.name(bone));
        rows.push(BoneRow { bone, level, kind, open: can_open.then_some(is_open), matches: found });
        if shows {
            stack.extend(children.iter().rev().map(|child| PendingBone { bone: *child, ..below }));
        }
    }
    for end in ends.into_values() {
        rows[end].kind = BoneRowKind::Joint { last: true };
    }
    if !pattern.is_empty() {
        keep_matches(&mut rows);
    }
    rows
}

/// Keeps matches and their ancestors.
fn keep_matches(rows: &mut Vec<BoneRow>) {
    let mut wanted = 0;
    let mut keep: Vec<bool> = rows
        .iter()
        .rev()
        .map(|row| {
            let has_match_below = row.level < wanted;
            if row.matches || has_match_below {
                wanted = row.level;
            }
            row.matches || has_match_below
        })
        .collect();
    rows.retain(|_| keep.pop().unwrap_or(false));
}

#[cfg(test)]
mod tests {
    use super::*;
    use yuremono_model::document::{Chain, ChainPart, Joint};
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::Bone;

    /// Hips with a skirt of two joints and an end bone, a head with forked hair and an eye, and a toe that is not
    /// simulated.
    fn sample_character() -> (Skeleton, Document) {
        let bones = [
            ("root", None),
            ("hips", Some(0)),
            ("skirt_1", Some(1)),
            ("skirt_2", Some(2)),
            ("skirt_end", Some(3)),
            ("head", Some(1)),
            ("hair_1", Some(5)),
            ("hair_2", Some(6)),
            ("hair_3", Some(7)),
            ("hair_side", Some(6)),
            ("eye", Some(5)),
            ("toe", Some(0)),
            ("toe_end", Some(11)),
        ];
        let bone = |(name, parent): (&str, Option<u32>)| Bone {
            name: name.to_owned(),
            parent: parent.map(BoneId),
            rest: Trs::IDENTITY,
        };
        let skeleton = Skeleton::new(bones.into_iter().map(bone).collect()).expect("parents precede children");
        let mut document = Document::default();
        for (id, part, bones) in [(1, ChainPart::Skirt, vec![2, 3]), (2, ChainPart::Hair, vec![6, 7, 8, 9])] {
            let joints = bones.into_iter().map(|b| Joint::new(BoneId(b))).collect();
            document
                .setup
                .chains
                .insert(ChainId(id), Chain::new("c", part, document.main_system().param_defs(), joints));
        }
        (skeleton, document)
    }

    fn shown_rows(open: &[(u32, bool)], search: &str) -> Vec<String> {
        let (skeleton, document) = sample_character();
        let open = open.iter().map(|(b, o)| (BoneId(*b), *o)).collect();
        let joints = BoneTreeInfo::new(&skeleton, &document);
        let rows = bone_rows(&skeleton, &joints, &open, &NamePattern::new(search));
        rows.iter().map(|r| format!("{}{}", " ".repeat(r.level), skeleton.name(r.bone))).collect()
    }

    #[test]
    fn chains_start_closed_and_bones_above_chains_open() {
        assert_eq!(shown_rows(&[], ""), ["root", " hips", "  skirt_1", "  head", "   hair_1", "   eye", " toe"]);
    }

    #[test]
    fn joints_of_an_open_chain_share_one_level() {
        let rows = shown_rows(&[(6, true), (5, true)], "");
        assert_eq!(rows[4..8], ["   hair_1", "    hair_2", "    hair_3", "    hair_side"]);
    }

    #[test]
    fn an_unsimulated_bone_is_below_its_parent_joint() {
        let rows = shown_rows(&[(2, true)], "");
        assert_eq!(rows[2..5], ["  skirt_1", "   skirt_2", "    skirt_end"]);
    }

    #[test]
    fn a_closed_bone_hides_its_descendants() {
        assert_eq!(shown_rows(&[(1, false)], ""), ["root", " hips", " toe"]);
    }

    #[test]
    fn a_search_keeps_the_ancestors_of_matches() {
        assert_eq!(shown_rows(&[(1, false)], "*_side"), ["root", " hips", "  head", "   hair_1", "    hair_side"]);
        assert_eq!(shown_rows(&[], "toe"), ["root", " toe", "  toe_end"]);
        assert_eq!(shown_rows(&[], "nobody"), Vec::<String>::new());
    }

    #[test]
    fn only_the_last_joint_of_a_chain_is_marked_last() {
        let (skeleton, document) = sample_character();
        let open = [(BoneId(6), true)].into_iter().collect();
        let rows = bone_rows(&skeleton, &BoneTreeInfo::new(&skeleton, &document), &open, &NamePattern::default());
        let ends: Vec<_> =
            rows.iter().filter(|r| r.kind == BoneRowKind::Joint { last: true }).map(|r| r.bone.0).collect();
        assert_eq!(ends, [9]);
    }

    #[test]
    fn a_skeleton_of_50000_levels_does_not_overflow_the_stack() {
        let bone = |i: u32| Bone { name: format!("b{i}"), parent: i.checked_sub(1).map(BoneId), rest: Trs::IDENTITY };
        let skeleton = Skeleton::new((0..50_000).map(bone).collect()).expect("parents precede children");
        let joints = BoneTreeInfo::new(&skeleton, &Document::default());
        let rows = bone_rows(&skeleton, &joints, &BTreeMap::new(), &NamePattern::new("b49999"));
        assert_eq!(rows.len(), 50_000);
    }
}
