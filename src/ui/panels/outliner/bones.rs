//! The tree of all bones.

use super::bone_tree::{self, BoneRow, BoneRowKind, BoneTreeInfo};
use super::{empty_list_ui, list_rows};
use crate::document::ChainId;
use crate::document::names::NamePattern;
use crate::rig::{BoneId, Character};
use crate::session::{Command, SelectMode, TuningScope};
use crate::ui::UiContext;
use crate::ui::kit::icons;
use crate::ui::kit::tree_row::{RowSelection, TreeRow as RowWidget, TreeRowIcon};
use crate::ui::panels::menus;
use egui::{Context, EventFilter, Id, Key, Modifiers, Rect, Response, Ui};
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// What it keeps.
#[derive(Debug, Default)]
pub(super) struct BonesTab {
    expanded: BTreeMap<BoneId, bool>,
    /// Whose bones `open` speaks of.
    character: Weak<Character>,
    /// Where a range of rows begins.
    range_anchor: Option<BoneId>,
    /// The active bone of the last frame: when it changes it is brought into sight.
    last_active: Option<BoneId>,
    scroll_to: Option<BoneId>,
    /// Gets the keyboard as soon as it is drawn.
    focus_wanted: Option<BoneId>,
    focused: Option<(Id, BoneId)>,
    rect: Option<Rect>,
    match_count: usize,
}

/// What is the same for all rows of one frame.
struct BoneTreeFrame {
    joints: BoneTreeInfo,
    rows: Vec<BoneRow>,
    /// Chains that are shown as selected as a whole.
    chains: Vec<ChainId>,
}

impl BonesTab {
    /// Whether the keyboard is on a row.
    pub(super) fn has_keyboard(&self, ctx: &Context) -> bool {
        self.focused.is_some_and(|(id, _)| ctx.memory(|m| m.has_focus(id)))
    }

    /// How many bones the search found.
    pub(super) fn match_count(&self) -> usize {
        self.match_count
    }

    /// Draws it; returns the bone under the pointer.
    pub(super) fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, pattern: &NamePattern) -> Option<BoneId> {
        self.follow_session(cx);
        let session = cx.session();
        let joints = BoneTreeInfo::new(&session.character().skeleton, session.document());
        let rows = bone_tree::bone_rows(&session.character().skeleton, &joints, &self.expanded, pattern);
        let chains = match session.selection().scope {
            TuningScope::Chains => session.selection().chains(session.document()),
            TuningScope::Joints => Vec::new(),
        };
        let frame = BoneTreeFrame { joints, rows, chains };
        self.match_count = frame.rows.iter().filter(|r| r.matches).count();
        if frame.rows.is_empty() {
            empty_list_ui(ui, cx, if pattern.is_empty() { "outliner.no_bones" } else { "outliner.none_found" });
            return None;
        }
        self.handle_keys(ui, cx, &frame);
        self.rect = Some(ui.max_rect());
        let wanted = self.scroll_to.take();
        let scroll_to = wanted.and_then(|bone| frame.rows.iter().position(|r| r.bone == bone));
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

    /// Keeps what is open when the character was read again, and brings a newly active bone into sight.
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
            (_, Some(chain), Some((_, place))) => chain.joints[place].enabled,
            _ => true,
        };
        let note = match (row.kind, chain) {
            _ if excluded => cx.tr("outliner.excluded").into_owned(),
            _ if !enabled => cx.tr("outliner.off").into_owned(),
            (BoneRowKind::Chain(_), Some(chain)) => chain.joints.len().to_string(),
            _ => String::new(),
        };
        let shown = selection.bones.contains(&row.bone) || joint.is_some_and(|(id, _)| frame.chains.contains(&id));
        let name = session.character().skeleton.name(row.bone);
        let output = RowWidget {
            open: row.open,
            selection: match () {
                () if selection.active == Some(row.bone) && shown => RowSelection::Active,
                () if shown => RowSelection::Selected,
                () => RowSelection::NotSelected,
            },
            highlighted: selection.hovered == Some(row.bone),
            is_simulated: row.matches && enabled && !matches!(row.kind, BoneRowKind::PlainBone { carries: false }),
            note: &note,
            overridden: joint.zip(chain).is_some_and(|((_, place), chain)| {
                chain.joints[place].overrides.keys().any(|own| !chain.all_joints_override(*own))
            }),
            eye: excluded.then_some(false),
            ..RowWidget::new(name, row.level, row_icon(row.kind))
        }
        .show(ui, row.bone.0);
        if output.toggled && whole_tree {
            self.expanded.insert(row.bone, row.open != Some(true));
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

    /// Selects by the modifiers that are held.
    fn click(&mut self, ui: &Ui, cx: &mut UiContext<'_>, frame: &BoneTreeFrame, at: usize) {
        let bone = frame.rows[at].bone;
        // What is clicked is in sight already.
        self.last_active = Some(bone);
        let modifiers = ui.input(|i| i.modifiers);
        if modifiers.shift {
            self.select_to(cx, frame, at);
        } else if modifiers.command {
            self.range_anchor = Some(bone);
            let selection = cx.session().selection();
            let chain = frame.joints.joint_of(bone).map(|j| j.0).filter(|id| frame.chains.contains(id));
            let of_chain =
                selection.bones.iter().filter(|b| chain.is_some() && frame.joints.joint_of(**b).map(|j| j.0) == chain);
            // A chain that is shown as selected goes out as a whole.
            let bones: Vec<BoneId> = of_chain.copied().collect();
            cx.command(Command::Select(if bones.is_empty() { vec![bone] } else { bones }, SelectMode::Toggle));
        } else {
            self.range_anchor = Some(bone);
            cx.command(Command::Select(vec![bone], SelectMode::Replace));
        }
    }

    /// Selects all rows from the anchor to this one.
    fn select_to(&mut self, cx: &mut UiContext<'_>, frame: &BoneTreeFrame, to: usize) {
        let anchor = self.range_anchor.or(cx.session().selection().active);
        let from = anchor.and_then(|b| frame.rows.iter().position(|r| r.bone == b)).unwrap_or(to);
        self.range_anchor = Some(frame.rows[from].bone);
        let span = from.min(to)..=from.max(to);
        let mut bones: Vec<BoneId> = frame.rows[span].iter().filter(|r| r.matches).map(|r| r.bone).collect();
        if to < from {
            bones.reverse();
        }
        cx.command(Command::Select(bones, SelectMode::Replace));
    }

    /// Arrow keys, when the keyboard is here: on a row, or nowhere and the pointer over the tree.
    fn handle_keys(&mut self, ui: &Ui, cx: &mut UiContext<'_>, frame: &BoneTreeFrame) {
        let nowhere = ui.memory(|m| m.focused().is_none());
        let over = self.rect.is_some_and(|place| ui.rect_contains_pointer(place));
        let here = self.has_keyboard(ui.ctx()) || (nowhere && over);
        if !here || egui::Popup::is_any_open(ui.ctx()) {
            return;
        }
        let here = self.focused.map(|(_, bone)| bone).or(cx.session().selection().active);
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
        BoneRowKind::PlainBone { carries: true } => TreeRowIcon::Icon(icons::ARROWS_OUT_CARDINAL),
        BoneRowKind::PlainBone { carries: false } => TreeRowIcon::Icon(icons::BONE),
        BoneRowKind::Chain(_) => TreeRowIcon::Chain,
        BoneRowKind::Joint { last } => TreeRowIcon::Joint { last },
    }
}
