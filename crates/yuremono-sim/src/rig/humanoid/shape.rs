//! The shape of a body: two legs that mirror each other and stand on the ground, two arms above the legs, and a head
//! between the arms.

use super::{Humanoid, SIDES};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use glam::Vec3;

/// Height of the ground layer, as a share of the character's height. A limb whose end reaches the layer stands on the ground.
const GROUND_SHARE: f32 = 0.12;
/// Tolerance of mirrored positions, as a share of the character's height.
const MIRROR_TOLERANCE: f32 = 0.03;
/// Minimum length of an unnamed limb, as a share of the character's height.
const MIN_LIMB_SHARE: f32 = 0.15;
/// Maximum number of bones from an unnamed chest to its head.
const MAX_NECK_BONES: usize = 2;

/// Legs, arms and head, found by the shape of the skeleton.
#[derive(Default)]
struct UnnamedBody {
    legs: Vec<[BoneId; 3]>,
    arms: Vec<[BoneId; 3]>,
    head: Option<BoneId>,
}

/// Two limbs of one bone that mirror each other.
struct LimbPair {
    parent: BoneId,
    limbs: [[BoneId; 3]; 2],
    /// In metres, from the first bone to the end.
    length: f32,
    stands: bool,
}

/// The parts of an arm and of a leg, in the names of their roles.
const LIMBS: [[&str; 3]; 2] = [["UpperLeg", "LowerLeg", "Foot"], ["UpperArm", "LowerArm", "Hand"]];

/// The rest pose of a skeleton, from which missing bones of a body follow.
#[derive(Debug)]
pub struct BodyShape<'a> {
    skeleton: &'a Skeleton,
    positions: Vec<Vec3>,
    /// Length of the longest path from a bone down to a leaf, in metres.
    reaches: Vec<f32>,
    /// Lowest point of a bone and its descendants.
    lowest: Vec<f32>,
    ground: f32,
    height: f32,
}

impl<'a> BodyShape<'a> {
    /// Measures the rest pose.
    pub fn of(skeleton: &'a Skeleton) -> Self {
        let world = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
        let positions: Vec<Vec3> = world.frames.iter().map(|frame| frame.position).collect();
        let mut reaches = vec![0.0_f32; positions.len()];
        let mut lowest: Vec<f32> = positions.iter().map(|position| position.y).collect();
        // Children come after their parents, so the reverse order propagates the values to all ancestors.
        for (index, bone) in skeleton.bones().iter().enumerate().rev() {
            if let Some(parent) = bone.parent {
                let reach = reaches[index] + positions[index].distance(positions[parent.index()]);
                reaches[parent.index()] = reaches[parent.index()].max(reach);
                lowest[parent.index()] = lowest[parent.index()].min(lowest[index]);
            }
        }
        let ground = lowest.iter().copied().fold(f32::MAX, f32::min);
        let top = positions.iter().map(|position| position.y).fold(f32::MIN, f32::max);
        Self { skeleton, positions, reaches, lowest, ground, height: (top - ground).max(0.0) }
    }

    /// Returns the nearest bone that is an ancestor of all bones; `None` without bones.
    pub fn common_ancestor(&self, bones: impl IntoIterator<Item = BoneId>) -> Option<BoneId> {
        let mut bones = bones.into_iter();
        let mut common = self.skeleton.parent(bones.next()?)?;
        for bone in bones {
            while !self.skeleton.is_ancestor(common, bone) {
                common = self.skeleton.parent(common)?;
            }
        }
        Some(common)
    }

    /// Returns the bones from a bone down to a descendant, both included.
    pub fn path(&self, from: BoneId, to: BoneId) -> Vec<BoneId> {
        let mut path: Vec<BoneId> = std::iter::once(to).chain(self.skeleton.ancestors(to)).collect();
        path.truncate(path.iter().position(|bone| *bone == from).map_or(1, |at| at + 1));
        path.reverse();
        path
    }

    /// Adds the hips and the ends of limbs to a humanoid that lacks them.
    pub(super) fn complete(&self, humanoid: &mut Humanoid) {
        let mut legs = Vec::new();
        for (side, parts) in SIDES.iter().flat_map(|side| LIMBS.iter().map(move |parts| (side, parts))) {
            let roles = parts.map(|part| format!("{side}{part}"));
            let [upper, lower, end] = [0, 1, 2].map(|part| humanoid.bone(&roles[part]));
            let Some(limb) = upper.and_then(|upper| self.limb(upper, lower, end)) else { continue };
            for (role, bone) in roles.iter().zip(limb) {
                if humanoid.bone(role).is_none() && humanoid.role(bone).is_none() {
                    humanoid.set(role, bone);
                }
            }
            if parts == &LIMBS[0] {
                legs.push(limb);
            }
        }
        let head = humanoid.bone("head").or_else(|| humanoid.bone("neck"));
        if humanoid.bone("hips").is_none()
            && !legs.is_empty()
            && let Some(hips) = self.hips(None, head, &legs)
        {
            // The first of several spine bones is the hips if the legs are its children.
            let former = humanoid.role(hips);
            let next = head.and_then(|head| self.path(hips, head).get(1).copied());
            if let Some(role) = former {
                humanoid.remove(role);
            }
            humanoid.set("hips", hips);
            if let Some(next) = next.filter(|next| former == Some("spine") && humanoid.role(*next).is_none()) {
                humanoid.set("spine", next);
            }
        }
    }

    /// Finds a body without names. Empty if nothing stands on two legs.
    pub(super) fn humanoid(&self) -> Humanoid {
        let body = self.find_unnamed_body();
        let mut humanoid = Humanoid::default();
        let hips = self.hips(None, body.head, &body.legs).filter(|_| !body.legs.is_empty());
        let Some(hips) = hips else { return humanoid };
        for (limbs, parts) in [&body.legs, &body.arms].into_iter().zip(LIMBS) {
            for limb in limbs {
                let side = SIDES[usize::from(self.position(limb[0]).x < self.position(hips).x)];
                for (part, bone) in parts.iter().zip(limb) {
                    humanoid.set(&format!("{side}{part}"), *bone);
                }
            }
        }
        humanoid.set("hips", hips);
        let Some(head) = body.head.filter(|head| *head != hips) else { return humanoid };
        humanoid.set("head", head);
        let path = self.path(hips, head);
        let between = path.get(1..path.len() - 1).unwrap_or_default();
        let chest = self.common_ancestor(body.arms.iter().map(|arm| arm[0]));
        let (torso, neck): (Vec<BoneId>, Vec<BoneId>) = between
            .iter()
            .partition(|bone| chest.is_some_and(|chest| **bone == chest || self.skeleton.is_ancestor(**bone, chest)));
        let last = torso.last().filter(|_| torso.len() > 1);
        for (role, bone) in [("spine", torso.first()), ("chest", last), ("neck", neck.first())] {
            if let Some(bone) = bone {
                humanoid.set(role, *bone);
            }
        }
        humanoid
    }

    fn position(&self, bone: BoneId) -> Vec3 {
        self.positions[bone.index()]
    }

    /// Whether a bone or one of its descendants is near the ground.
    pub fn reaches_ground(&self, bone: BoneId) -> bool {
        self.lowest[bone.index()] <= self.ground + self.height * GROUND_SHARE
    }

    /// Returns the child with the longest path below it.
    fn main_child(&self, bone: BoneId) -> Option<BoneId> {
        let length = |child: &BoneId| self.reaches[child.index()] + self.position(*child).distance(self.position(bone));
        self.skeleton.children(bone).iter().copied().max_by(|a, b| length(a).total_cmp(&length(b)))
    }

    /// Completes a limb with missing bones. Returns `None` if a bone has no descendant.
    pub fn limb(&self, upper: BoneId, lower: Option<BoneId>, end: Option<BoneId>) -> Option<[BoneId; 3]> {
        let below = |bone: &BoneId, above: BoneId| self.skeleton.is_ancestor(above, *bone);
        let lower = lower.filter(|bone| below(bone, upper)).or_else(|| self.main_child(upper))?;
        let end = end.filter(|bone| below(bone, lower)).or_else(|| self.main_child(lower))?;
        Some([upper, lower, end])
    }

    /// Returns the lowest common ancestor of the legs and the head. A named bone has priority if it is such an ancestor.
    pub fn hips(&self, named: Option<BoneId>, head: Option<BoneId>, legs: &[[BoneId; 3]]) -> Option<BoneId> {
        let parts = || legs.iter().map(|leg| leg[0]).chain(head);
        let carries = |hips: &BoneId| parts().all(|part| self.skeleton.is_ancestor(*hips, part));
        named.filter(carries).or_else(|| {
            if legs.is_empty() {
                // Without legs, the spine starts at the topmost bone that has a length.
                return self.skeleton.ancestors(head?).filter(|bone| self.skeleton.parent(*bone).is_some()).last();
            }
            self.common_ancestor(parts())
        })
    }

    fn find_unnamed_body(&self) -> UnnamedBody {
        let mut pairs: Vec<LimbPair> = self.skeleton.ids().filter_map(|bone| self.limb_pair(bone)).collect();
        pairs.sort_by_key(|pair| self.skeleton.depth(pair.parent));
        let Some(at) = pairs.iter().position(|pair| pair.stands) else { return UnnamedBody::default() };
        let legs = pairs.remove(at);
        let carried =
            |pair: &LimbPair| pair.parent == legs.parent || self.skeleton.is_ancestor(legs.parent, pair.parent);
        let longest = pairs.into_iter().filter(carried).max_by(|a, b| a.length.total_cmp(&b.length));
        let chest = longest.as_ref().map_or(legs.parent, |arms| arms.parent);
        let arms: Vec<_> = longest.into_iter().flat_map(|pair| pair.limbs).collect();
        let taken: Vec<BoneId> = legs.limbs.iter().chain(&arms).map(|limb| limb[0]).collect();
        UnnamedBody { head: self.unnamed_head(chest, &taken), legs: legs.limbs.into(), arms }
    }

    /// Returns the longest pair of mirrored limbs of a bone.
    fn limb_pair(&self, parent: BoneId) -> Option<LimbPair> {
        let children = self.skeleton.children(parent);
        let pairs = children.iter().enumerate().flat_map(|(at, a)| children[at + 1..].iter().map(move |b| [*a, *b]));
        let pairs = pairs.filter(|[a, b]| self.are_mirrored(parent, *a, *b)).filter_map(|sides| {
            let [Some(a), Some(b)] = sides.map(|upper| self.limb(upper, None, None)) else { return None };
            let length = self.reaches[sides[0].index()];
            let stands = self.reaches_ground(a[2]) && self.reaches_ground(b[2]);
            (length > self.height * MIN_LIMB_SHARE).then_some(LimbPair { parent, limbs: [a, b], length, stands })
        });
        pairs.max_by(|a, b| a.length.total_cmp(&b.length))
    }

    fn are_mirrored(&self, parent: BoneId, a: BoneId, b: BoneId) -> bool {
        let [middle, left, right] = [parent, a, b].map(|bone| self.position(bone));
        let tolerance = self.height * MIRROR_TOLERANCE;
        let is_across = (left.x - right.x).abs() > tolerance;
        let mirror_error = Vec3::new(left.x + right.x - 2.0 * middle.x, left.y - right.y, left.z - right.z);
        is_across && mirror_error.abs().max_element() < tolerance && self.reaches[a.index()] > 0.0
    }

    /// Returns the end of the longest path between the arms.
    fn unnamed_head(&self, chest: BoneId, limbs: &[BoneId]) -> Option<BoneId> {
        let is_middle = |bone: &BoneId| {
            let aside = (self.position(*bone).x - self.position(chest).x).abs();
            aside < self.height * MIRROR_TOLERANCE && !limbs.contains(bone)
        };
        let top = |bone: &BoneId| self.position(*bone).y + self.reaches[bone.index()];
        let children = self.skeleton.children(chest).iter().copied().filter(is_middle);
        let neck = children.max_by(|a, b| top(a).total_cmp(&top(b)))?;
        let path = std::iter::successors(Some(neck), |bone| match self.skeleton.children(*bone) {
            [only] => Some(*only),
            _ => None,
        });
        path.take(MAX_NECK_BONES).last()
    }
}
