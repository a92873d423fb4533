//! The landmarks of a body: hips, spine, head, limbs and tail, for posing.
//!
//! The landmarks follow from the humanoid bones; missing ends of limbs follow from the shape of the skeleton. Every
//! landmark can be missing.

use crate::document::ChainPart;
use crate::document::names::BoneName;
use yuremono_sim::rig::{BodyLandmarks, LimbLandmarks};
use yuremono_sim::rig::{BodyShape, BoneId, Character, Skeleton};

/// Finds the landmarks of a character.
pub fn body_landmarks(character: &Character) -> BodyLandmarks {
    let skeleton = &character.skeleton;
    let body = BodyShape::of(skeleton);
    let role = |role: &str| character.humanoid.bone_of(skeleton, role);
    let limb_of_side = |side: &str, names: [&str; 3]| {
        let [upper, lower, end] = names.map(|name| role(&format!("{side}{name}")));
        body.limb(upper?, lower, end)
    };
    let both = |names: [&str; 3]| ["left", "right"].into_iter().filter_map(|side| limb_of_side(side, names)).collect();
    let legs: Vec<[BoneId; 3]> = both(["UpperLeg", "LowerLeg", "Foot"]);
    let arms: Vec<[BoneId; 3]> = both(["UpperArm", "LowerArm", "Hand"]);
    let head = role("head").or_else(|| role("neck"));
    let named_hips = role("hips");
    let Some(hips) = body.hips(named_hips, head, &legs).or(named_hips) else { return BodyLandmarks::default() };
    let arm_parent = body.common_ancestor(arms.iter().map(|arm| arm[0]));
    let top = head.or(arm_parent).filter(|top| skeleton.is_ancestor(hips, *top)).unwrap_or(hips);
    let spine = body.path(hips, top);
    let carries_arms =
        |bone: &BoneId| arm_parent.is_some_and(|arms| *bone == arms || skeleton.is_ancestor(*bone, arms));
    let chest = spine.iter().skip(1).rev().find(|bone| carries_arms(bone) && Some(**bone) != head).copied();
    let named_chest = ["upperChest", "chest"].into_iter().find_map(role);
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

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::{Bone, Humanoid};

    fn character(bones: &[(&str, Option<u32>, [f32; 3])]) -> Character {
        let bone = |(name, parent, at): &(&str, Option<u32>, [f32; 3])| Bone {
            name: (*name).to_owned(),
            parent: parent.map(BoneId),
            rest: Trs::from_translation(Vec3::from_array(*at)),
        };
        let skeleton = Skeleton::new(bones.iter().map(bone).collect()).expect("parents first");
        Character { humanoid: Humanoid::find(&skeleton), skeleton, ..Character::default() }
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
