//! The joints as they are in this frame, and the rings of the bones that move them.

use crate::rig::{BoneId, Character};
use crate::schema::{Idea, Kind, ParamDef, Row, rows};
use crate::session::Session;
use crate::stage::Shot;
use crate::stage::overlay::{Ring, ring};
use crate::ui::kit::tokens::size;
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Roles whose bones get a ring, and the ring's radius as a share of the character's height.
const RINGED: [(&str, f32); 4] = [("head", 0.1), ("upperChest", 0.115), ("chest", 0.115), ("hips", 0.105)];
/// Rings at most, where a file names no humanoid.
const MOST_RINGS: usize = 4;
/// How far a head or chest may be pulled off the body, as a share of the character's height.
const REACH: f32 = 0.12;
/// How far behind the surface counts as hidden, as a share of the character's height.
pub(super) const BURIED: f32 = 0.05;
/// Height of the character on the picture, in points, at which rings and dots have the sizes of the design; smaller
/// and larger pictures scale them within these bounds.
const USUAL_HEIGHT: f32 = 600.0;
const SCALES: (f32, f32) = (0.4, 1.5);

/// A simulated bone as it is now.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    pub name: String,
    pub bone: BoneId,
    /// Metres in the world.
    pub head: Vec3,
    pub tip: Vec3,
    /// No other joint of its chain hangs below it.
    pub last: bool,
    pub first: bool,
    pub selected: bool,
    /// Thickness of the tip, metres.
    pub radius: f32,
}

/// A ring to drag a bone by.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoneRing {
    pub bone: BoneId,
    pub centre: Vec3,
    /// Metres.
    pub radius: f32,
    /// Drawn stronger: the head, or the only one.
    pub strong: bool,
}

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Figure {
    pub joints: Vec<Joint>,
    pub rings: Vec<BoneRing>,
    /// Whether any joint is selected.
    pub any_selected: bool,
    /// What the sizes of rings and dots are multiplied by: they shrink with the character on the picture.
    pub scale: f32,
    /// Of the character at rest, metres.
    pub height: f32,
    /// Where a bone's joint stands among the joints.
    places: BTreeMap<BoneId, usize>,
}

impl Figure {
    /// Looks at the session as it is shown.
    pub(super) fn of(session: &Session, bounds: Option<[Vec3; 2]>) -> Self {
        let height = bounds.map_or(1.6, |[low, high]| (high - low).max_element()).max(1e-3);
        let joints = joints(session);
        Self {
            places: joints.iter().enumerate().map(|(at, joint)| (joint.bone, at)).collect(),
            any_selected: joints.iter().any(|j| j.selected),
            joints,
            rings: rings(session, bounds, height),
            height,
            scale: 1.0,
        }
    }

    /// With the sizes of rings and dots as they are seen.
    pub(super) fn seen(mut self, shot: &Shot) -> Self {
        let pixels = shot.pixels(self.height, shot.eye + shot.forward * shot.distance);
        self.scale = (pixels / USUAL_HEIGHT).clamp(SCALES.0, SCALES.1);
        self
    }

    /// A bone's ring on the picture; at least so large that it can be held.
    pub(super) fn ring(&self, shot: &Shot, bone: &BoneRing) -> Option<Ring> {
        ring(shot, bone.centre, bone.radius, size::ROOT_RING * self.scale)
    }

    /// The joint of a bone.
    pub(super) fn joint(&self, bone: BoneId) -> Option<&Joint> {
        self.places.get(&bone).map(|at| &self.joints[*at])
    }
}

fn joints(session: &Session) -> Vec<Joint> {
    let (document, selection) = (session.document(), session.selection());
    let skeleton = &session.character().skeleton;
    let picked = if selection.bones.is_empty() { Vec::new() } else { selection.chains(document) };
    let whole = selection.scope == crate::session::Scope::Chains;
    let mut found = Vec::new();
    for (id, chain) in &document.chains {
        let parents: BTreeSet<BoneId> = chain.joints.iter().filter_map(|j| skeleton.parent_of(j.bone)).collect();
        for (i, joint) in chain.joints.iter().enumerate() {
            let Some(frame) = session.playback().shown().frames.get(joint.bone.index()) else { continue };
            let Some(tip) = session.playback().shown_tip(joint.bone) else { continue };
            found.push(Joint {
                name: skeleton.name(joint.bone).to_owned(),
                radius: hit_radius(session, joint.bone),
                bone: joint.bone,
                head: frame.position,
                tip,
                last: !parents.contains(&joint.bone),
                first: i == 0,
                selected: selection.bones.contains(&joint.bone) || (whole && picked.contains(id)),
            });
        }
    }
    found
}

/// The hit radius of a joint, metres.
fn hit_radius(session: &Session, bone: BoneId) -> f32 {
    let Some(row) = radius_row(session) else { return 0.0 };
    let Some(index) = session.playback().joint_index(bone) else { return 0.0 };
    let system = session.resolved().systems.get(index.system as usize);
    system.and_then(|s| s.joints.get(index.joint as usize)).map_or(0.0, |j| j.values.get(row))
}

fn radius_row(session: &Session) -> Option<Row> {
    let is_radius = |def: &ParamDef| def.idea == Idea::Radius && !matches!(def.kind, Kind::Choice(_));
    rows(session.inspection().system().table()).find(|(_, def)| is_radius(def)).map(|(row, _)| row)
}

fn rings(session: &Session, bounds: Option<[Vec3; 2]>, height: f32) -> Vec<BoneRing> {
    let character = session.character();
    let bones = ringed(session);
    let single = bones.len() == 1;
    let mut found = Vec::new();
    for bone in bones {
        let Some(frame) = session.playback().shown().frames.get(bone.index()) else { continue };
        let role = character.humanoid.role(bone);
        let share = RINGED.iter().find(|(name, _)| Some(*name) == role).map(|(_, share)| *share);
        let wide = bounds.map_or(height, |[low, high]| (high.x - low.x).min(high.z - low.z));
        let radius = share.map_or(wide * 0.6, |share| share * height);
        let strong = single || role == Some("head");
        found.push(BoneRing { bone, centre: frame.position, radius, strong });
    }
    found
}

/// The bones that get rings: of head, chest and hips those that chains hang on, head and hips in any case; without
/// a humanoid, the topmost bones above chains.
fn ringed(session: &Session) -> Vec<BoneId> {
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
            add(topmost(character, *root));
        }
        if bones.is_empty() {
            bones.extend(character.skeleton.roots());
        }
        bones.truncate(MOST_RINGS);
        return bones;
    }
    ["head", "hips"].iter().filter_map(|role| humanoid.bone(role)).for_each(&mut add);
    for root in &roots {
        let above = above(character, *root).find(|b| RINGED.iter().any(|(role, _)| humanoid.bone(role) == Some(*b)));
        // Sleeves and the like hang on limbs: those are dragged by their bones.
        let limb = self::above(character, *root).find(|b| humanoid.role(*b).is_some());
        if let Some(bone) = above.filter(|_| limb == above) {
            add(bone);
        }
    }
    bones
}

/// The bone that a drag of `bone` moves: the body bone that its chain hangs from, or the character.
pub(super) fn holder(session: &Session, bone: BoneId) -> BoneId {
    let character = session.character();
    let humanoid = &character.humanoid;
    if humanoid.role(bone).is_some() {
        return bone;
    }
    let root = chain_root(session, bone).unwrap_or(bone);
    let body = above(character, root).find(|b| humanoid.role(*b).is_some());
    body.unwrap_or_else(|| topmost(character, root))
}

/// How far a drag may carry a bone of the body off its place, metres; `None` for the character as a whole, by its
/// hips or what is above them.
pub(super) fn reach(session: &Session, bone: BoneId, height: f32) -> Option<f32> {
    let character = session.character();
    let is_whole = character.skeleton.parent_of(bone).is_none()
        || character
            .humanoid
            .bone("hips")
            .is_some_and(|hips| hips == bone || above(character, hips).any(|b| b == bone));
    (!is_whole).then_some(height * REACH)
}

/// The first bone of the chain that `bone` belongs to.
pub(super) fn chain_root(session: &Session, bone: BoneId) -> Option<BoneId> {
    let (chain, _) = session.document().joint_of(bone)?;
    Some(session.document().chains[&chain].root())
}

fn above(character: &Character, bone: BoneId) -> impl Iterator<Item = BoneId> + '_ {
    std::iter::successors(character.skeleton.parent_of(bone), |b| character.skeleton.parent_of(*b))
}

fn topmost(character: &Character, bone: BoneId) -> BoneId {
    above(character, bone).last().unwrap_or(bone)
}
