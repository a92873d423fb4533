//! The landmarks of a body: hips, spine, head, limbs and tail, for posing.
//!
//! The roles of the file have priority, then bone names, then the shape of the skeleton: two legs that mirror each other
//! and stand on the ground, two arms above the legs, and a head between the arms. Every landmark can be missing.

use crate::document::ChainPart;
use crate::document::names::BoneName;
use crate::document::names::roles::BoneRoles;
use crate::rig::{BoneId, Character, Pose, Skeleton, WorldPose};
use crate::stage::{BodyLandmarks, LimbLandmarks};
use glam::Vec3;

/// Height of the ground layer, as a share of the character's height. A limb whose end reaches the layer stands on the ground.
const GROUND_SHARE: f32 = 0.12;
/// Tolerance of mirrored positions, as a share of the character's height.
const MIRROR_TOLERANCE: f32 = 0.03;
/// Minimum length of an unnamed limb, as a share of the character's height.
const MIN_LIMB_SHARE: f32 = 0.15;
/// Maximum number of bones from an unnamed chest to its head.
const MAX_NECK_BONES: usize = 2;

/// Finds the landmarks of a character.
pub fn body_landmarks(character: &Character) -> BodyLandmarks {
    let skeleton = &character.skeleton;
    let body = BodyShape::of(skeleton);
    let roles = BoneRoles::of(character);
    let limb_of_side = |side: &str, names: [&str; 3]| {
        let [upper, lower, end] = names.map(|name| roles.bone(&format!("{side}{name}")));
        body.limb(upper?, lower, end)
    };
    let both = |names: [&str; 3]| ["left", "right"].into_iter().filter_map(|side| limb_of_side(side, names)).collect();
    let mut legs: Vec<[BoneId; 3]> = both(["UpperLeg", "LowerLeg", "Foot"]);
    let mut arms: Vec<[BoneId; 3]> = both(["UpperArm", "LowerArm", "Hand"]);
    let mut head = roles.bone("head").or_else(|| roles.bone("neck"));
    if head.is_none() && legs.is_empty() && arms.is_empty() {
        let unnamed = body.find_unnamed_body();
        (legs, arms, head) = (unnamed.legs, unnamed.arms, unnamed.head);
    }
    let named_hips = roles.bone("hips");
    let Some(hips) = body.hips(named_hips, head, &legs).or(named_hips) else { return BodyLandmarks::default() };
    let arm_parent = common_ancestor(skeleton, arms.iter().map(|arm| arm[0]));
    let top = head.or(arm_parent).filter(|top| skeleton.is_ancestor(hips, *top)).unwrap_or(hips);
    let mut spine: Vec<BoneId> = std::iter::once(top).chain(skeleton.ancestors(top)).collect();
    spine.truncate(spine.iter().position(|bone| *bone == hips).map_or(1, |at| at + 1));
    spine.reverse();
    let carries_arms =
        |bone: &BoneId| arm_parent.is_some_and(|arms| *bone == arms || skeleton.is_ancestor(*bone, arms));
    let chest = spine.iter().skip(1).rev().find(|bone| carries_arms(bone) && Some(**bone) != head).copied();
    let named_chest = ["upperChest", "chest"].into_iter().find_map(|role| roles.bone(role));
    let limbs = legs.into_iter().chain(arms);
    let limbs = limbs.filter(|limb| !limb.iter().any(|bone| spine.contains(bone)));
    BodyLandmarks {
        chest: named_chest.filter(|chest| spine.contains(chest)).or(chest),
        head: head.filter(|head| *head != hips),
        limbs: limbs.map(|bones| LimbLandmarks { bones, stands: body.reaches_ground(bones[2]) }).collect(),
        tail: tail(skeleton, hips),
        spine,
    }
}

/// Returns the topmost bone below the hips that is named as a tail and has a child.
fn tail(skeleton: &Skeleton, hips: BoneId) -> Option<BoneId> {
    let is_tail = |bone: &BoneId| {
        let part = BoneName::parse(skeleton.name(*bone)).analyze().part;
        part.is_some_and(|(part, _)| part == ChainPart::Tail) && !skeleton.children(*bone).is_empty()
    };
    skeleton.subtree(hips).into_iter().skip(1).find(is_tail)
}

/// Returns the nearest bone that is an ancestor of all bones; `None` without bones.
fn common_ancestor(skeleton: &Skeleton, bones: impl IntoIterator<Item = BoneId>) -> Option<BoneId> {
    let mut bones = bones.into_iter();
    let mut common = skeleton.parent(bones.next()?)?;
    for bone in bones {
        while !skeleton.is_ancestor(common, bone) {
            common = skeleton.parent(common)?;
        }
    }
    Some(common)
}

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

/// The rest pose of a skeleton.
struct BodyShape<'a> {
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
    fn of(skeleton: &'a Skeleton) -> Self {
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

    fn position(&self, bone: BoneId) -> Vec3 {
        self.positions[bone.index()]
    }

    fn reaches_ground(&self, bone: BoneId) -> bool {
        self.lowest[bone.index()] <= self.ground + self.height * GROUND_SHARE
    }

    /// Returns the child with the longest path below it.
    fn main_child(&self, bone: BoneId) -> Option<BoneId> {
        let length = |child: &BoneId| self.reaches[child.index()] + self.position(*child).distance(self.position(bone));
        self.skeleton.children(bone).iter().copied().max_by(|a, b| length(a).total_cmp(&length(b)))
    }

    /// Completes a limb with missing bones. Returns `None` if a bone has no descendant.
    fn limb(&self, upper: BoneId, lower: Option<BoneId>, end: Option<BoneId>) -> Option<[BoneId; 3]> {
        let below = |bone: &BoneId, above: BoneId| self.skeleton.is_ancestor(above, *bone);
        let lower = lower.filter(|bone| below(bone, upper)).or_else(|| self.main_child(upper))?;
        let end = end.filter(|bone| below(bone, lower)).or_else(|| self.main_child(lower))?;
        Some([upper, lower, end])
    }

    /// Returns the lowest common ancestor of the legs and the head. A named bone has priority if it is such an ancestor.
    fn hips(&self, named: Option<BoneId>, head: Option<BoneId>, legs: &[[BoneId; 3]]) -> Option<BoneId> {
        let parts = || legs.iter().map(|leg| leg[0]).chain(head);
        let carries = |hips: &BoneId| parts().all(|part| self.skeleton.is_ancestor(*hips, part));
        named.filter(carries).or_else(|| {
            if legs.is_empty() {
                // Without legs, the spine starts at the topmost bone that has a length.
                return self.skeleton.ancestors(head?).filter(|bone| self.skeleton.parent(*bone).is_some()).last();
            }
            common_ancestor(self.skeleton, parts())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use crate::rig::Bone;

    fn character(bones: &[(&str, Option<u32>, [f32; 3])]) -> Character {
        let bone = |(name, parent, at): &(&str, Option<u32>, [f32; 3])| Bone {
            name: (*name).to_owned(),
            parent: parent.map(BoneId),
            rest: Trs::from_translation(Vec3::from_array(*at)),
        };
        let skeleton = Skeleton::new(bones.iter().map(bone).collect()).expect("parents first");
        Character { skeleton, ..Character::default() }
    }

    fn limb(bones: [u32; 3], stands: bool) -> LimbLandmarks {
        LimbLandmarks { bones: bones.map(BoneId), stands }
    }

    fn ids(bones: &[u32]) -> Vec<BoneId> {
        bones.iter().map(|bone| BoneId(*bone)).collect()
    }

    /// The skeleton of the Khronos sample Fox, in metres.
    fn fox(names: bool) -> Character {
        let mut bones = [
            ("b_Root_00", None, [0.0, 0.0, 0.0]),
            ("b_Hip_01", Some(0), [0.0, 0.43, -0.27]),
            ("b_Spine01_02", Some(1), [0.0, 0.0, 0.13]),
            ("b_Spine02_03", Some(2), [0.0, 0.02, 0.21]),
            ("b_Neck_04", Some(3), [0.0, 0.1, 0.2]),
            ("b_Head_05", Some(4), [0.0, 0.1, 0.1]),
            ("b_RightUpperArm_06", Some(3), [-0.07, -0.05, 0.15]),
            ("b_RightForeArm_07", Some(6), [0.0, -0.2, -0.05]),
            ("b_RightHand_08", Some(7), [0.0, -0.18, 0.02]),
            ("b_LeftUpperArm_09", Some(3), [0.07, -0.05, 0.15]),
            ("b_LeftForeArm_010", Some(9), [0.0, -0.2, -0.05]),
            ("b_LeftHand_011", Some(10), [0.0, -0.18, 0.02]),
            ("b_Tail01_012", Some(1), [0.0, 0.05, -0.12]),
            ("b_Tail02_013", Some(12), [0.0, 0.0, -0.24]),
            ("b_LeftLeg01_015", Some(1), [0.07, -0.05, 0.0]),
            ("b_LeftLeg02_016", Some(14), [0.0, -0.15, 0.08]),
            ("b_LeftFoot01_017", Some(15), [0.0, -0.12, -0.1]),
            ("b_LeftFoot02_018", Some(16), [0.0, -0.09, 0.05]),
            ("b_RightLeg01_019", Some(1), [-0.07, -0.05, 0.0]),
            ("b_RightLeg02_020", Some(18), [0.0, -0.15, 0.08]),
            ("b_RightFoot01_021", Some(19), [0.0, -0.12, -0.1]),
            ("b_RightFoot02_022", Some(20), [0.0, -0.09, 0.05]),
        ];
        if !names {
            for bone in &mut bones {
                bone.0 = "bone";
            }
        }
        character(&bones)
    }

    #[test]
    fn a_fox_has_a_spine_a_head_a_tail_and_four_standing_legs() {
        let found = body_landmarks(&fox(true));
        assert_eq!(found.spine, ids(&[1, 2, 3, 4, 5]));
        assert_eq!((found.head, found.chest, found.tail), (Some(BoneId(5)), Some(BoneId(3)), Some(BoneId(12))));
        let legs = [[14, 15, 16], [18, 19, 20], [9, 10, 11], [6, 7, 8]].map(|bones| limb(bones, true));
        assert_eq!(found.limbs, legs);
    }

    #[test]
    fn a_fox_without_names_has_the_same_body() {
        let (named, unnamed) = (body_landmarks(&fox(true)), body_landmarks(&fox(false)));
        assert_eq!((unnamed.spine, unnamed.head), (named.spine, named.head));
        assert_eq!(unnamed.chest, named.chest);
        assert_eq!(unnamed.limbs.len(), 4);
        assert!(unnamed.limbs.iter().all(|limb| named.limbs.contains(limb)));
    }

    #[test]
    fn numbered_joints_without_hips_hands_and_feet_are_completed() {
        // The skeleton of the Khronos sample CesiumMan.
        let found = body_landmarks(&character(&[
            ("Skeleton_torso_joint_1", None, [0.0, 0.68, 0.0]),
            ("Skeleton_torso_joint_2", Some(0), [0.0, 0.15, 0.0]),
            ("torso_joint_3", Some(1), [0.0, 0.25, 0.0]),
            ("Skeleton_neck_joint_1", Some(2), [0.0, 0.06, 0.0]),
            ("Skeleton_neck_joint_2", Some(3), [0.0, 0.05, 0.0]),
            ("Skeleton_arm_joint_L__4_", Some(2), [0.09, 0.0, 0.0]),
            ("Skeleton_arm_joint_L__3_", Some(5), [0.15, -0.2, 0.0]),
            ("Skeleton_arm_joint_L__2_", Some(6), [0.1, -0.15, 0.0]),
            ("Skeleton_arm_joint_R", Some(2), [-0.09, 0.0, 0.0]),
            ("Skeleton_arm_joint_R__2_", Some(8), [-0.15, -0.2, 0.0]),
            ("Skeleton_arm_joint_R__3_", Some(9), [-0.1, -0.15, 0.0]),
            ("leg_joint_L_1", Some(0), [0.07, -0.06, 0.0]),
            ("leg_joint_L_2", Some(11), [0.0, -0.27, 0.02]),
            ("leg_joint_L_3", Some(12), [0.0, -0.28, -0.02]),
            ("leg_joint_L_5", Some(13), [0.0, -0.05, 0.06]),
            ("leg_joint_R_1", Some(0), [-0.07, -0.06, 0.0]),
            ("leg_joint_R_2", Some(15), [0.0, -0.27, 0.02]),
            ("leg_joint_R_3", Some(16), [0.0, -0.28, -0.02]),
            ("leg_joint_R_5", Some(17), [0.0, -0.05, 0.06]),
        ]));
        assert_eq!(found.spine, ids(&[0, 1, 2, 3, 4]));
        assert_eq!((found.head, found.chest), (Some(BoneId(4)), Some(BoneId(2))));
        let legs = [limb([11, 12, 13], true), limb([15, 16, 17], true)];
        let arms = [limb([5, 6, 7], false), limb([8, 9, 10], false)];
        assert_eq!(found.limbs, [legs, arms].concat());
    }

    #[test]
    fn a_character_without_a_body_has_no_landmarks() {
        assert_eq!(body_landmarks(&Character::default()), BodyLandmarks::default());
        let rope =
            character(&[("a", None, [0.0; 3]), ("b", Some(0), [0.0, 1.0, 0.0]), ("c", Some(1), [0.0, 1.0, 0.0])]);
        assert_eq!(body_landmarks(&rope), BodyLandmarks::default());
    }
}
