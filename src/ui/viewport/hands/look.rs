//! What lies under the pointer: grips first, then ends of limits, rings and tips, items, bones.

use super::{Hands, Tool, Under};
use crate::rig::BoneId;
use crate::session::{Item, Session};
use crate::stage::{Shot, nearest_point, nearest_segment};
use crate::ui::kit::tokens::size;
use crate::ui::viewport::fan_hold::FanHold;
use crate::ui::viewport::figure::Figure;
use crate::ui::viewport::grips::item_under;
use crate::ui::{Cx, OutlinerTab};
use glam::Vec2;

/// How near the pointer must be to a ring, points.
const RING_PICK: f32 = 9.0;
/// How near to a tip, to grab it whatever the tool.
const TIP_PICK: f32 = 8.0;
/// How near to a bone of the body, which shows only then.
const BODY_PICK: f32 = 7.0;
/// How near to the outline of a collider.
const OUTLINE_PICK: f32 = 6.0;

impl Hands {
    /// What lies under a place.
    pub(super) fn look(&self, at: Vec2, shot: &Shot, figure: &Figure, cx: &Cx<'_>) -> Under {
        if cx.state.overlays_hidden {
            return Under::Nothing;
        }
        let toggles = cx.state.prefs.toggles;
        let joints = &figure.joints;
        let tips: Vec<_> = joints.iter().filter(|j| j.last || j.selected || self.tool == Tool::Grab).collect();
        if let Some(kind) = figure.grips.under(at) {
            return Under::Grip(kind);
        }
        if let Some(knob) = figure.knobs.under(at) {
            return Under::Knob(knob);
        }
        let tip_reach = if self.tool == Tool::Grab { size::BONE_PICK * 1.5 } else { TIP_PICK };
        let tip = || nearest_point(shot, tips.iter().map(|j| j.tip), at, tip_reach).map(|i| Under::Tip(tips[i].bone));
        let ring = || {
            let rings = figure.handles.iter().filter(|_| toggles.handles && self.tool != Tool::Grab);
            let seen = rings.filter_map(|h| Some((figure.ring(shot, h)?.distance(at), h.bone)));
            let nearest = seen.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|(distance, _)| *distance <= RING_PICK);
            nearest.map(|(_, bone)| Under::Ring(bone))
        };
        let bone = || {
            let segments = joints.iter().map(|j| [j.head, j.tip]);
            nearest_segment(shot, segments, at, size::BONE_PICK).map(|i| Under::Bone(joints[i].bone))
        };
        // The end of an edge is one small spot, and a ring that runs over it can be held anywhere else.
        let fan = || FanHold::under(figure, at).map(Under::Fan);
        let found =
            if self.tool == Tool::Grab { tip().or_else(fan).or_else(ring) } else { fan().or_else(ring).or_else(tip) };
        let item = || self.item_under(cx, shot, figure, at).map(Under::Item);
        let found = found.or_else(item).or_else(bone);
        found.or_else(|| body_bone(cx.session(), shot, at).map(Under::Bone)).unwrap_or_default()
    }

    /// A collider or force by its outline, while those are what is worked on.
    fn item_under(&self, cx: &Cx<'_>, shot: &Shot, figure: &Figure, at: Vec2) -> Option<Item> {
        let is_meant = self.tool == Tool::Shape || cx.state.outliner_tab == OutlinerTab::Colliders;
        let shown = cx.state.prefs.toggles.colliders && !cx.state.prefs.toggles.only_colliders;
        (is_meant && shown).then(|| item_under(shot, figure, at, OUTLINE_PICK)).flatten()
    }
}

/// A bone of the body under a place, by the line to its parent.
fn body_bone(session: &Session, shot: &Shot, at: Vec2) -> Option<BoneId> {
    let skeleton = &session.character().skeleton;
    let frames = &session.shown().frames;
    let mut lines = Vec::new();
    for bone in skeleton.ids() {
        let Some(parent) = skeleton.parent(bone) else { continue };
        if !session.resolved().index.contains_key(&parent) {
            lines.push((parent, [frames.get(parent.index())?.position, frames.get(bone.index())?.position]));
        }
    }
    let humanoid = &session.character().humanoid;
    if !humanoid.is_empty() {
        lines.retain(|(bone, _)| humanoid.role(*bone).is_some());
    }
    nearest_segment(shot, lines.iter().map(|l| l.1), at, BODY_PICK).map(|i| lines[i].0)
}
