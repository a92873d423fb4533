//! The joints of the current frame, and the rings of the bones that move them.

use crate::stage::overlay::{Ring, ring};
use crate::stage::{CameraView, Occlusion};
use crate::ui::kit::tokens::size;
use glam::{Vec2, Vec3};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::DragReach;
use yuremono_session::Session;
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::params::{ParamDef, ParamId, ParamKind, ParamMeaning, enumerate_params};
use yuremono_sim::rig::{BodyLandmarks, BoneId, Character, LimbLandmarks};

/// Maximum number of rings for a character without a body.
const MAX_RINGS: usize = 4;
/// Maximum distance of a single dragged bone, as a share of the character height.
const MAX_DRAG_SHARE: f32 = 0.12;
/// Maximum distance of the target of a body drag, as a share of the character height. The body stops earlier.
const MAX_BODY_DRAG_SHARE: f32 = 1.0;
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

/// A part of the body with a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyRing {
    Head,
    Chest,
    Hips,
    Hand,
    Foot,
    Tail,
}

impl BodyRing {
    pub(super) const fn name(self) -> MessageText {
        match self {
            Self::Head => message!("head"),
            Self::Chest => message!("chest"),
            Self::Hips => message!("hips"),
            Self::Hand => message!("hand"),
            Self::Foot => message!("foot"),
            Self::Tail => message!("tail"),
        }
    }

    /// Radius as a share of the character height.
    const fn radius_share(self) -> f32 {
        match self {
            Self::Head => 0.1,
            Self::Chest => 0.115,
            Self::Hips => 0.105,
            Self::Hand | Self::Foot => 0.035,
            Self::Tail => 0.05,
        }
    }

    /// Whether the ring is a small circle that faces the viewer, instead of a level ring around the body.
    const fn is_circle(self) -> bool {
        matches!(self, Self::Hand | Self::Foot | Self::Tail)
    }
}

/// A ring that the artist drags to move a bone.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoneRing {
    pub bone: BoneId,
    /// `None` if the character has no body; the ring then moves a root of the character.
    pub body: Option<BodyRing>,
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
    /// Joints whose tips the surface of the character hides.
    hidden_tips: BTreeSet<BoneId>,
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
            hidden_tips: BTreeSet::new(),
        }
    }

    /// Sets the scale for a view.
    pub(super) fn scaled_for(mut self, view: &CameraView) -> Self {
        let pixels = view.metres_to_pixels(self.height, view.eye + view.forward * view.distance);
        self.dot_scale = (pixels / REFERENCE_HEIGHT).clamp(SCALE_RANGE.0, SCALE_RANGE.1);
        self
    }

    /// Finds the tips that the surface of the character hides.
    pub(super) fn mark_hidden_tips(&mut self, occlusion: &Occlusion) {
        let margin = self.height * HIDDEN_DEPTH_SHARE;
        let hidden = self.joints.iter().filter(|joint| occlusion.hides(joint.tip, margin));
        self.hidden_tips = hidden.map(|joint| joint.bone).collect();
    }

    pub(super) fn is_tip_hidden(&self, joint: BoneId) -> bool {
        self.hidden_tips.contains(&joint)
    }

    /// Returns a ring in the view, always large enough to drag.
    pub(super) fn screen_ring(&self, view: &CameraView, bone: &BoneRing) -> Option<Ring> {
        ring(view, bone.centre, bone.radius, size::ROOT_RING * self.dot_scale)
    }

    /// Returns the centre and the radius of a hand, foot or tail in the view, in pixels. Returns `None` for other rings.
    pub(super) fn screen_circle(&self, view: &CameraView, bone: &BoneRing) -> Option<(Vec2, f32)> {
        let centre = view.project(bone.centre)?.pixel;
        let radius = view.metres_to_pixels(bone.radius, bone.centre).max(size::LIMB_RING * self.dot_scale);
        bone.body.is_some_and(BodyRing::is_circle).then_some((centre, radius))
    }

    /// Returns the distance from a pixel to a ring, in pixels. The centre of a circle counts too.
    pub(super) fn ring_distance(&self, view: &CameraView, bone: &BoneRing, pixel: Vec2) -> Option<f32> {
        if let Some((centre, radius)) = self.screen_circle(view, bone) {
            let distance = pixel.distance(centre);
            return Some((distance - radius).abs().min(distance));
        }
        Some(self.screen_ring(view, bone)?.distance(pixel))
    }

    pub(super) fn ring(&self, bone: BoneId) -> Option<&BoneRing> {
        self.rings.iter().find(|ring| ring.bone == bone)
    }

    pub(super) fn joint(&self, bone: BoneId) -> Option<&PickableJoint> {
        self.joint_indices.get(&bone).map(|at| &self.joints[*at])
    }
}

fn joints(session: &Session) -> Vec<PickableJoint> {
    let (document, selection) = (session.document(), session.selection());
    let skeleton = &session.character().skeleton;
    let picked = if selection.bones.is_empty() { Vec::new() } else { selection.chains(document) };
    let whole = selection.scope == yuremono_session::TuningScope::Chains;
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
    let body = body_rings(session.playback().body_posing().landmarks());
    let wide = bounds.map_or(height, |[low, high]| (high.x - low.x).min(high.z - low.z));
    let rings: Vec<(BoneId, Option<BodyRing>)> = if body.is_empty() {
        root_bones(session).into_iter().map(|bone| (bone, None)).collect()
    } else {
        body.into_iter().map(|(bone, ring)| (bone, Some(ring))).collect()
    };
    let single = rings.len() == 1;
    let ring = |(bone, body): (BoneId, Option<BodyRing>)| {
        let frame = session.playback().displayed_pose().frames.get(bone.index())?;
        let radius = body.map_or(wide * 0.6, |ring| ring.radius_share() * height);
        let is_main = single || body == Some(BodyRing::Head);
        Some(BoneRing { bone, body, centre: frame.position, radius, is_main })
    };
    rings.into_iter().filter_map(ring).collect()
}

/// Returns the bones of a body that have rings.
pub(super) fn body_rings(body: &BodyLandmarks) -> Vec<(BoneId, BodyRing)> {
    let limb = |limb: &LimbLandmarks| (limb.bones[2], if limb.stands { BodyRing::Foot } else { BodyRing::Hand });
    let trunk = [(body.head, BodyRing::Head), (body.chest, BodyRing::Chest), (body.hips(), BodyRing::Hips)];
    let trunk = trunk.into_iter().filter_map(|(bone, ring)| Some((bone?, ring)));
    trunk.chain(body.limbs.iter().map(limb)).chain(body.tail.map(|bone| (bone, BodyRing::Tail))).collect()
}

/// Returns the topmost ancestors of chains, for a character without a body.
fn root_bones(session: &Session) -> Vec<BoneId> {
    let character = session.character();
    let mut bones: Vec<BoneId> = Vec::new();
    for chain in session.document().chains.values() {
        let root = topmost_ancestor(character, chain.root());
        if !bones.contains(&root) {
            bones.push(root);
        }
    }
    if bones.is_empty() {
        bones.extend(character.skeleton.roots());
    }
    bones.truncate(MAX_RINGS);
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
    let posing = session.playback().body_posing();
    body.or_else(|| posing.nearest_body_bone(&character.skeleton, root))
        .unwrap_or_else(|| topmost_ancestor(character, root))
}

/// Returns how much of the body a drag of `bone` moves, and the maximum distance of the drag in metres. `is_single` is
/// whether the artist wants to move one bone.
pub(super) fn drag_reach(session: &Session, bone: BoneId, is_single: bool, height: f32) -> (DragReach, Option<f32>) {
    if !is_single && session.playback().body_posing().moves_body(bone) {
        (DragReach::WholeBody, Some(height * MAX_BODY_DRAG_SHARE))
    } else {
        (DragReach::OneBone, max_drag_distance(session, bone, height))
    }
}

/// Returns the maximum drag distance of a single body bone, in metres. Returns `None` if the bone moves the whole
/// character.
fn max_drag_distance(session: &Session, bone: BoneId, height: f32) -> Option<f32> {
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
