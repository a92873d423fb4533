//! The tree of all bones.

use super::tree::{self, Joints, Kind, TreeRow};
use super::{list_rows, nothing_ui};
use crate::document::ChainId;
use crate::document::names::Pattern;
use crate::rig::{BoneId, Character};
use crate::session::{Command, Pick, Scope};
use crate::ui::Cx;
use crate::ui::kit::icons;
use crate::ui::kit::tree_row::{Chosen, Mark, TreeRow as RowWidget};
use crate::ui::panels::menus;
use egui::{Context, EventFilter, Id, Key, Modifiers, Rect, Response, Ui};
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// What it keeps.
#[derive(Debug, Default)]
pub(super) struct Bones {
    open: BTreeMap<BoneId, bool>,
    /// Whose bones `open` speaks of.
    character: Weak<Character>,
    /// Where a range of rows begins.
    anchor: Option<BoneId>,
    /// The active bone of the last frame: when it changes it is brought into sight.
    active: Option<BoneId>,
    scroll_to: Option<BoneId>,
    /// Gets the keyboard as soon as it is drawn.
    focus_wanted: Option<BoneId>,
    focused: Option<(Id, BoneId)>,
    place: Option<Rect>,
    matches: usize,
}

/// What is the same for all rows of one frame.
struct Frame {
    joints: Joints,
    rows: Vec<TreeRow>,
    /// Chains that are shown as selected as a whole.
    chains: Vec<ChainId>,
}

impl Bones {
    /// Whether the keyboard is on a row.
    pub(super) fn has_keyboard(&self, ctx: &Context) -> bool {
        self.focused.is_some_and(|(id, _)| ctx.memory(|m| m.has_focus(id)))
    }

    /// How many bones the search found.
    pub(super) fn matches(&self) -> usize {
        self.matches
    }

    /// Draws it; returns the bone under the pointer.
    pub(super) fn show(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, pattern: &Pattern) -> Option<BoneId> {
        self.follow(cx);
        let session = cx.session();
        let joints = Joints::new(&session.character().skeleton, session.document());
        let rows = tree::rows(&session.character().skeleton, &joints, &self.open, pattern);
        let chains = match session.selection().scope {
            Scope::Chains => session.selection().chains(session.document()),
            Scope::Joints => Vec::new(),
        };
        let frame = Frame { joints, rows, chains };
        self.matches = frame.rows.iter().filter(|r| r.found).count();
        if frame.rows.is_empty() {
            nothing_ui(ui, cx, if pattern.is_empty() { "outliner.no_bones" } else { "outliner.none_found" });
            return None;
        }
        self.keys(ui, cx, &frame);
        self.place = Some(ui.max_rect());
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
    fn follow(&mut self, cx: &Cx<'_>) {
        let session = cx.session();
        if self.character.as_ptr() != Arc::as_ptr(session.character()) {
            let old = std::mem::take(&mut self.open);
            if let Some(before) = self.character.upgrade() {
                let again = |(bone, open): (BoneId, bool)| {
                    let name = before.skeleton.name(bone);
                    session.character().skeleton.find(name).map(|found| (found, open))
                };
                self.open = old.into_iter().filter_map(again).collect();
            }
            self.character = Arc::downgrade(session.character());
            self.anchor = None;
        }
        let active = session.selection().active;
        if active == self.active {
            return;
        }
        self.active = active;
        let skeleton = &session.character().skeleton;
        if let Some(bone) = active.filter(|b| b.index() < skeleton.len()) {
            skeleton.ancestors(bone).for_each(|above| _ = self.open.insert(above, true));
            self.scroll_to = Some(bone);
        }
    }

    fn row_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, frame: &Frame, at: usize, whole_tree: bool) -> Response {
        let session = cx.session();
        let (document, selection) = (session.document(), session.selection());
        let row = frame.rows[at];
        let joint = frame.joints.of(row.bone);
        let chain = joint.and_then(|(id, _)| document.chains.get(&id));
        let excluded = document.excluded.contains(&row.bone);
        let enabled = match (row.kind, chain, joint) {
            (Kind::Chain(_), Some(chain), _) => chain.joints.iter().any(|j| j.enabled),
            (_, Some(chain), Some((_, place))) => chain.joints[place].enabled,
            _ => true,
        };
        let note = match (row.kind, chain) {
            _ if excluded => cx.tr("outliner.excluded").into_owned(),
            _ if !enabled => cx.tr("outliner.off").into_owned(),
            (Kind::Chain(_), Some(chain)) => chain.joints.len().to_string(),
            _ => String::new(),
        };
        let shown = selection.bones.contains(&row.bone) || joint.is_some_and(|(id, _)| frame.chains.contains(&id));
        let name = session.character().skeleton.name(row.bone);
        let output = RowWidget {
            open: row.open,
            chosen: match () {
                () if selection.active == Some(row.bone) && shown => Chosen::Active,
                () if shown => Chosen::Selected,
                () => Chosen::No,
            },
            lit: selection.hovered == Some(row.bone),
            moves: row.found && enabled && !matches!(row.kind, Kind::Bone { carries: false }),
            note: &note,
            overridden: joint
                .zip(chain)
                .is_some_and(|((_, place), chain)| chain.joints[place].own.keys().any(|own| !chain.is_exact(*own))),
            eye: excluded.then_some(false),
            ..RowWidget::new(name, row.level, mark_of(row.kind))
        }
        .show(ui, row.bone.0);
        if output.toggled && whole_tree {
            self.open.insert(row.bone, row.open != Some(true));
        } else if output.eye_clicked {
            cx.command(Command::Exclude(row.bone, false));
        } else if output.response.clicked() {
            self.click(ui, cx, frame, at);
            output.response.request_focus();
        }
        if output.response.double_clicked() {
            cx.state.frame_wanted = true;
        }
        if output.response.secondary_clicked() && !shown {
            cx.command(Command::Select(vec![row.bone], Pick::Replace));
        }
        output.response.context_menu(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            menus::bone_menu(ui, cx, row.bone);
        });
        output.response
    }

    /// Selects by the modifiers that are held.
    fn click(&mut self, ui: &Ui, cx: &mut Cx<'_>, frame: &Frame, at: usize) {
        let bone = frame.rows[at].bone;
        // What is clicked is in sight already.
        self.active = Some(bone);
        let modifiers = ui.input(|i| i.modifiers);
        if modifiers.shift {
            self.select_to(cx, frame, at);
        } else if modifiers.command {
            self.anchor = Some(bone);
            let selection = cx.session().selection();
            let chain = frame.joints.of(bone).map(|j| j.0).filter(|id| frame.chains.contains(id));
            let of_chain =
                selection.bones.iter().filter(|b| chain.is_some() && frame.joints.of(**b).map(|j| j.0) == chain);
            // A chain that is shown as selected goes out as a whole.
            let bones: Vec<BoneId> = of_chain.copied().collect();
            cx.command(Command::Select(if bones.is_empty() { vec![bone] } else { bones }, Pick::Toggle));
        } else {
            self.anchor = Some(bone);
            cx.command(Command::Select(vec![bone], Pick::Replace));
        }
    }

    /// Selects all rows from the anchor to this one.
    fn select_to(&mut self, cx: &mut Cx<'_>, frame: &Frame, to: usize) {
        let anchor = self.anchor.or(cx.session().selection().active);
        let from = anchor.and_then(|b| frame.rows.iter().position(|r| r.bone == b)).unwrap_or(to);
        self.anchor = Some(frame.rows[from].bone);
        let span = from.min(to)..=from.max(to);
        let mut bones: Vec<BoneId> = frame.rows[span].iter().filter(|r| r.found).map(|r| r.bone).collect();
        if to < from {
            bones.reverse();
        }
        cx.command(Command::Select(bones, Pick::Replace));
    }

    /// Arrow keys, when the keyboard is here: on a row, or nowhere and the pointer over the tree.
    fn keys(&mut self, ui: &Ui, cx: &mut Cx<'_>, frame: &Frame) {
        let nowhere = ui.memory(|m| m.focused().is_none());
        let over = self.place.is_some_and(|place| ui.rect_contains_pointer(place));
        let here = self.has_keyboard(ui.ctx()) || (nowhere && over);
        if !here || egui::Popup::is_any_open(ui.ctx()) {
            return;
        }
        let here = self.focused.map(|(_, bone)| bone).or(cx.session().selection().active);
        let at = here.and_then(|bone| frame.rows.iter().position(|r| r.bone == bone));
        let page = (self.place.map_or(0.0, |p| p.height()) / crate::ui::kit::tokens::size::ROW_TREE) as usize;
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
            () if pressed(Key::ArrowRight) => at.and_then(|at| self.open_or_enter(frame, at)),
            () if pressed(Key::ArrowLeft) => at.and_then(|at| self.close_or_leave(frame, at)),
            () => None,
        };
        let Some(to) = to else { return };
        let bone = frame.rows[to].bone;
        self.active = Some(bone);
        self.scroll_to = Some(bone);
        self.focus_wanted = Some(bone);
        if shift {
            self.select_to(cx, frame, to);
        } else {
            self.anchor = Some(bone);
            cx.command(Command::Select(vec![bone], Pick::Replace));
        }
    }

    fn open_or_enter(&mut self, frame: &Frame, at: usize) -> Option<usize> {
        let row = frame.rows[at];
        match row.open {
            Some(false) => {
                self.open.insert(row.bone, true);
                None
            }
            Some(true) if at + 1 < frame.rows.len() => Some(at + 1),
            _ => None,
        }
    }

    fn close_or_leave(&mut self, frame: &Frame, at: usize) -> Option<usize> {
        let row = frame.rows[at];
        if row.open == Some(true) {
            self.open.insert(row.bone, false);
            return None;
        }
        (0..at).rev().find(|above| frame.rows[*above].level < row.level)
    }
}

fn mark_of(kind: Kind) -> Mark {
    match kind {
        Kind::Bone { carries: true } => Mark::Icon(icons::ARROWS_OUT_CARDINAL),
        Kind::Bone { carries: false } => Mark::Icon(icons::BONE),
        Kind::Chain(_) => Mark::Chain,
        Kind::Joint { last } => Mark::Joint { last },
    }
}
