//! What the hands tell the artist: the cursor, and what mouse and modifiers do here and now.

use super::{Hands, Held, Tool, Under};
use crate::rig::BoneId;
use crate::ui::Cx;
use crate::ui::viewport::figure::holder;
use crate::ui::viewport::grips::GripKind;
use crate::ui::viewport::knobs::KnobKind;
use egui::{CursorIcon, Ui};

impl Hands {
    pub(super) fn show_cursor(&self, ui: &Ui) {
        let icon = match (self.held, self.under) {
            (Some(Held::Bone { turns: true, .. }), _) => CursorIcon::AllScroll,
            (Some(Held::Bone { .. } | Held::Tip { .. } | Held::Grip(_) | Held::Fan(_) | Held::Knob(_)), _) => {
                CursorIcon::Grabbing
            }
            (Some(_), _) | (None, Under::Nothing) => return,
            (None, Under::Ring(_) | Under::Tip(_) | Under::Grip(_) | Under::Fan(_) | Under::Knob(_)) => {
                CursorIcon::Grab
            }
            (None, Under::Bone(_) | Under::Item(_)) => CursorIcon::PointingHand,
        };
        ui.set_cursor_icon(icon);
    }

    /// What mouse and modifiers do here and now, as keys of the words: key, deed.
    pub(in crate::ui::viewport) fn hints(&self, cx: &Cx<'_>) -> Vec<(String, String)> {
        let pair =
            |key: &str, what: &str| (cx.tr(&format!("viewport.key.{key}")), cx.tr(&format!("viewport.do.{what}")));
        let name = |bone: BoneId| part_name(cx, bone);
        let pairs = match (self.held, self.under) {
            (Some(Held::Bone { .. } | Held::Tip { .. }), _) => {
                vec![pair("shift", "one_axis"), pair("escape", "put_back")]
            }
            (Some(Held::Grip(_) | Held::Knob(_)), _) => {
                vec![pair("shift", "finer"), pair("ctrl", "snap"), pair("escape", "put_back")]
            }
            (Some(Held::Fan(_)), _) => vec![pair("ctrl", "snap"), pair("escape", "put_back")],
            (None, Under::Grip(kind)) => vec![
                pair(
                    "drag",
                    match kind {
                        GripKind::Middle | GripKind::Along(_) => "move_part",
                        GripKind::About(_) => "turn_part",
                        GripKind::Field(_) => "size_part",
                    },
                ),
                pair("shift", "finer"),
                pair("ctrl", "snap"),
            ],
            (None, Under::Knob(knob)) => {
                let (what, snap) = match knob.kind {
                    KnobKind::Axis => ("turn_axis", "snap_axis"),
                    KnobKind::Side(..) => ("size_box", "snap_mm"),
                    KnobKind::Joint => ("move_joint", "snap_mm"),
                    KnobKind::Body => ("move_body", "snap_mm"),
                };
                vec![pair("drag", what), pair("shift", "finer"), pair("ctrl", snap)]
            }
            (None, Under::Fan(_)) => vec![pair("drag", "change_limit"), pair("ctrl", "snap")],
            (None, Under::Item(_)) => vec![pair("click", "select"), pair("ctrl", "toggle")],
            (None, Under::Ring(bone)) => {
                let moves = if self.tool == Tool::Turn { "viewport.do.turn_bone" } else { "viewport.do.move_bone" };
                let first = (cx.tr("viewport.key.drag_ring"), cx.tr_with(moves, &[("name", &name(bone))]).into());
                vec![first, pair("ctrl", "root_only"), pair("shift", "one_axis"), pair("alt", "rotate")]
            }
            (None, Under::Tip(_)) => {
                vec![pair("drag", "grab_tip"), pair("click", "select"), pair("shift", "one_axis")]
            }
            (None, Under::Bone(bone)) => {
                let held = if self.tool == Tool::Grab { bone } else { holder(cx.session(), bone) };
                let what = match self.tool {
                    Tool::Move | Tool::Shape => cx.tr_with("viewport.do.move_bone", &[("name", &name(held))]).into(),
                    Tool::Turn => cx.tr_with("viewport.do.turn_bone", &[("name", &name(held))]).into(),
                    Tool::Grab => cx.tr("viewport.do.grab_tip"),
                };
                vec![
                    pair("click", "select_chain"),
                    pair("double_click", "select_joint"),
                    (cx.tr("viewport.key.drag"), what),
                    pair("ctrl", "root_only"),
                ]
            }
            (_, _) => vec![
                pair("drag", "orbit"),
                pair("right_drag", "pan"),
                pair("wheel", "zoom"),
                pair("f", "frame"),
                pair("space", if cx.session().play().is_playing() { "pause" } else { "play" }),
            ],
        };
        pairs.into_iter().map(|(key, what)| (key.into_owned(), what.into_owned())).collect()
    }
}

/// What the artist calls a bone: the part of the body, or the bone's own name.
fn part_name(cx: &Cx<'_>, bone: BoneId) -> String {
    let character = cx.session().character();
    match character.humanoid.role(bone) {
        Some("head") => cx.tr("viewport.body.head").into_owned(),
        Some("chest" | "upperChest") => cx.tr("viewport.body.chest").into_owned(),
        Some("hips") => cx.tr("viewport.body.hips").into_owned(),
        _ => character.skeleton.name(bone).to_owned(),
    }
}
