//! The joints of the current frame, and the rings of the bones that move them.

use crate::params::{ParamDef, ParamId, ParamKind, ParamMeaning, enumerate_params};
use crate::rig::{BoneId, Character};
use crate::session::Session;
use crate::stage::CameraView;
use crate::stage::overlay::{Ring, ring};
use crate::ui::kit::tokens::size;
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Humanoid bones with a ring, and the ring radius as a share of the character height.
const RING_ROLES: [(&str, f32); 4] = [("head", 0.1), ("upperChest", 0.115), ("chest", 0.115), ("hips", 0.105)];
/// Maximum number of rings for a character without humanoid bones.
const MAX_RINGS: usize = 4;
/// Maximum distance of a dragged head or chest, as a share of the character height.
const MAX_DRAG_SHARE: f32 = 0.12;
/// Minimum depth behind the surface at which a bone counts as hidden, as a share of the character height.
pub(super) const HIDDEN_DEPTH_SHARE: f32 = 0.05;
/// On-screen height of the character at which rings and dots have their design size, in points. Other heights scale
/// rings and dots within [`SCALE_RANGE`].
const REFERENCE_HEIGHT: f32 = 600.0;
const SCALE_RANGE: (f32, f32) = (0.4, 1.5);

#[derive(Clone, Debug)]
pub(super) struct PickableJoint {
    pub name: String,
    pub bone: BoneId,
    /// Position in the world, in metres.
    pub head: Vec3,
    pub tip: Vec3,
    /// Whether the joint is the last joint of its chain.
    pub is_last: bool,
    pub is_first: bool,
    pub selected: bool,
    /// Hit radius of the tip, in metres.
    pub radius: f32,
}

/// A ring that the artist drags to move a bone.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoneRing {
    pub bone: BoneId,
    pub centre: Vec3,
    /// Radius of the ring, in metres.
    pub radius: f32,
    /// Whether the ring is prominent: the ring of the head, or the only ring.
    pub is_main: bool,
}

#[derive(Debug, Default)]
pub(super) struct Pickables {
    pub joints: Vec<PickableJoint>,
    pub rings: Vec<BoneRing>,
    pub any_selected: bool,
    /// Scale of rings and dots, which shrink together with the character in the view.
    pub dot_scale: f32,
    /// Height of the character in the rest pose, in metres.
    pub height: f32,
    joint_indices: BTreeMap<BoneId, usize>,
}

impl Pickables {
    pub(super) fn of(session: &Session, bounds: Option<[Vec3; 2]>) -> Self {
        let height = bounds.map_or(1.6, |[low, high]| (high - low).max_element()).max(1e-3);
        let joints = joints(session);
        Self {
            joint_indices: joints.iter().enumerate().map(|(at, joint)| (joint.bone, at)).collect(),
            any_selected: joints.iter().any(|j| j.selected),
            joints,
            rings: bone_rings(session, bounds, height),
            height,
            dot_scale: 1.0,
        }
    }

    /// Sets the scale for a view.
    pub(super) fn scaled_for(mut self, view: &CameraView) -> Self {
        let pixels = view.metres_to_pixels(self.height, view.eye + view.forward * view.distance);
        self.dot_scale = (pixels / REFERENCE_HEIGHT).clamp(SCALE_RANGE.0, SCALE_RANGE.1);
        self
    }

    /// Returns a ring in the view, always large enough to drag.
    pub(super) fn screen_ring(&self, view: &CameraView, bone: &BoneRing) -> Option<Ring> {
        ring(view, bone.centre, bone.radius, size::ROOT_RING * self.dot_scale)
    }

    pub(super) fn joint(&self, bone: BoneId) -> Option<&PickableJoint> {
        self.joint_indices.get(&bone).map(|at| &self.joints[*at])
    }
}

fn joints(session: &Session) -> Vec<PickableJoint> {
    let (document, selection) = (session.document(), session.selection());
    let skeleton = &session.character().skeleton;
    let picked = if selection.bones.is_empty() { Vec::new() } else { selection.chains(document) };
    let whole = selection.scope == crate::session::TuningScope::Chains;
    let radius_param = radius_row(session);
    let mut found = Vec::with_capacity(document.joint_count());
    for (id, chain) in &document.chains {
        let parents: BTreeSet<BoneId> = chain.joints.iter().filter_map(|j| skeleton.get_parent(j.bone)).collect();
        for (i, joint) in chain.joints.iter().enumerate() {
            let Some(frame) = session.playback().displayed_pose().frames.get(joint.bone.index()) else { continue };
            let Some(tip) = session.playback().displayed_tip(joint.bone) else { continue };
            found.push(PickableJoint {
                name: skeleton.name(joint.bone).to_owned(),
                radius: radius_param.map_or(0.0, |param| hit_radius(session, param, joint.bone)),
                bone: joint.bone,
                head: frame.position,
                tip,
                is_last: !parents.contains(&joint.bone),
                is_first: i == 0,
                selected: selection.bones.contains(&joint.bone) || (whole && picked.contains(id)),
            });
        }
    }
    found
}

/// Returns the hit radius of a joint, in metres. `param` is the parameter of the radius.
fn hit_radius(session: &Session, param: ParamId, bone: BoneId) -> f32 {
    let Some(index) = session.playback().joint_index(bone) else { return 0.0 };
    let system = session.resolved().systems.get(index.system as usize);
    system.and_then(|s| s.joints.get(index.joint as usize)).map_or(0.0, |j| j.values.get(param))
}

fn radius_row(session: &Session) -> Option<ParamId> {
    let is_radius = |def: &ParamDef| def.meaning == ParamMeaning::Radius && !matches!(def.kind, ParamKind::Choice(_));
    enumerate_params(session.inspection().system().param_defs()).find(|(_, def)| is_radius(def)).map(|(param, _)| param)
}

fn bone_rings(session: &Session, bounds: Option<[Vec3; 2]>, height: f32) -> Vec<BoneRing> {
    let character = session.character();
    let bones = ring_bones(session);
    let single = bones.len() == 1;
    let mut found = Vec::new();
    for bone in bones {
        let Some(frame) = session.playback().displayed_pose().frames.get(bone.index()) else { continue };
        let role = character.humanoid.role(bone);
        let share = RING_ROLES.iter().find(|(name, _)| Some(*name) == role).map(|(_, share)| *share);
        let wide = bounds.map_or(height, |[low, high]| (high.x - low.x).min(high.z - low.z));
        let radius = share.map_or(wide * 0.6, |share| share * height);
        let strong = single || role == Some("head");
        found.push(BoneRing { bone, centre: frame.position, radius, is_main: strong });
    }
    found
}

/// Returns the bones with rings: head, hips, and the chest if it has chains. For a character without humanoid bones,
/// returns the topmost ancestors of chains.
fn ring_bones(session: &Session) -> Vec<BoneId> {
    let character = session.character();
    let humanoid = &character.humanoid;
    let roots: Vec<BoneId> = session.document().chains.values().map(crate::document::Chain::root).collect();
    let mut bones: Vec<BoneId> = Vec::new();
    let mut add = |bone: BoneId| {
        if !bones.contains(&bone) {
            bones.push(bone);
        }
    };
    if humanoid.is_empty() {
        for root in &roots {
            add(topmost_ancestor(character, *root));
        }
        if bones.is_empty() {
            bones.extend(character.skeleton.roots());
        }
        bones.truncate(MAX_RINGS);
        return bones;
    }
    ["head", "hips"].iter().filter_map(|role| humanoid.bone(role)).for_each(&mut add);
    for root in &roots {
        let above =
            ancestors(character, *root).find(|b| RING_ROLES.iter().any(|(role, _)| humanoid.bone(role) == Some(*b)));
        // The bones of a limb already move the chains of this limb.
        let limb = ancestors(character, *root).find(|b| humanoid.role(*b).is_some());
        if let Some(bone) = above.filter(|_| limb == above) {
            add(bone);
        }
    }
    bones
}

/// Returns the bone that dragging `bone` moves: the body bone that is the parent of its chain, or the root of the
/// character.
pub(super) fn drag_bone(session: &Session, bone: BoneId) -> BoneId {
    let character = session.character();
    let humanoid = &character.humanoid;
    if humanoid.role(bone).is_some() {
        return bone;
    }
    let root = chain_root(session, bone).unwrap_or(bone);
    let body = ancestors(character, root).find(|b| humanoid.role(*b).is_some());
    body.unwrap_or_else(|| topmost_ancestor(character, root))
}

/// Returns the maximum drag distance of a body bone, in metres. Returns `None` if the bone moves the whole character.
pub(super) fn max_drag_distance(session: &Session, bone: BoneId, height: f32) -> Option<f32> {
    let character = session.character();
    let is_whole = character.skeleton.get_parent(bone).is_none()
        || character
            .humanoid
            .bone("hips")
            .is_some_and(|hips| hips == bone || ancestors(character, hips).any(|b| b == bone));
    (!is_whole).then_some(height * MAX_DRAG_SHARE)
}

pub(super) fn chain_root(session: &Session, bone: BoneId) -> Option<BoneId> {
    let (chain, _) = session.document().find_joint(bone)?;
    Some(session.document().chains[&chain].root())
}

fn ancestors(character: &Character, bone: BoneId) -> impl Iterator<Item = BoneId> + '_ {
    std::iter::successors(character.skeleton.get_parent(bone), |b| character.skeleton.get_parent(*b))
}

fn topmost_ancestor(character: &Character, bone: BoneId) -> BoneId {
    ancestors(character, bone).last().unwrap_or(bone)
}
