//! Humanoid bones, found by the roles in the file or else by bone names.

use super::{BodySide, split_side};
use crate::rig::{BoneId, Character, Skeleton};
use std::collections::BTreeMap;

/// Torso roles, ordered upwards from the hips.
const TORSO_ROLES: [&str; 6] = ["hips", "spine", "chest", "upperChest", "neck", "head"];
const LIMB_ROLES: [&str; 7] = ["Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot"];

/// Words in bone names for each role, without side, numbers and tool prefixes. If two roles share a word, the order
/// along the limb decides.
const ROLE_WORDS: &[(&str, &[&str])] = &[
    ("hips", &["hips", "hip", "pelvis", "waist", "下半身", "腰"]),
    ("spine", &["spine", "torso", "abdomen", "上半身", "背骨"]),
    ("chest", &["chest", "spineupper", "ribcage", "胸"]),
    ("upperChest", &["upperchest", "chestupper"]),
    ("neck", &["neck", "首"]),
    ("head", &["head", "頭", "アタマ", "neck"]),
    ("Shoulder", &["shoulder", "clavicle", "collar", "肩"]),
    ("UpperArm", &["upperarm", "uparm", "armupper", "arm", "腕", "上腕"]),
    ("LowerArm", &["lowerarm", "forearm", "armlower", "elbow", "arm", "肘", "ヒジ", "前腕"]),
    ("Hand", &["hand", "wrist", "手首", "手"]),
    ("UpperLeg", &["upperleg", "upleg", "legupper", "thigh", "leg", "足", "太腿"]),
    ("LowerLeg", &["lowerleg", "leglower", "calf", "shin", "knee", "leg", "膝", "ヒザ"]),
    ("Foot", &["foot", "ankle", "足首"]),
];

/// Meaningless words that tools and rigs add.
const IGNORED_WORDS: &str = "mixamorig j bip c def org bone bones armature rig skeleton joint jnt b valve biped";

/// Bones by role. The role names are those of VRM 1.0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BoneRoles {
    bones: BTreeMap<String, BoneId>,
}

impl BoneRoles {
    pub(crate) fn of(character: &Character) -> Self {
        let skeleton = &character.skeleton;
        let there = |bone: &BoneId| bone.index() < skeleton.len();
        let named = |role: String| character.humanoid.bone(&role).filter(there).map(|bone| (role, bone));
        let bones: BTreeMap<_, _> = all_roles().filter_map(named).collect();
        // Some files have roles only for the hands.
        let is_whole = bones.contains_key("hips") || bones.contains_key("head") || bones.contains_key("leftUpperLeg");
        if is_whole { Self { bones } } else { Self::by_name(skeleton) }
    }

    pub(crate) fn by_name(skeleton: &Skeleton) -> Self {
        let mut found: BTreeMap<(Option<BodySide>, String), Vec<BoneId>> = BTreeMap::new();
        for bone in skeleton.ids() {
            let name = skeleton.name(bone);
            let own = name.rsplit_once(':').map_or(name, |(_, own)| own);
            let (rest, side) = split_side(own);
            let is_word = |token: &&str| {
                !IGNORED_WORDS.split(' ').any(|word| word == *token) && !token.bytes().all(|b| b.is_ascii_digit())
            };
            let word: String = rest.split('_').filter(is_word).collect();
            found.entry((side, word)).or_default().push(bone);
        }
        let mut roles = Self::default();
        let mut assign_role = |role: &str, words: &[&str], side: Option<BodySide>, under: Option<BoneId>| {
            let taken: Vec<BoneId> = roles.bones.values().copied().collect();
            let key = role_name(role, side);
            let fits = |b: &&BoneId| !taken.contains(b) && under.is_none_or(|u| skeleton.is_known_ancestor(u, **b));
            let called = |word: &str| found.get(&(side, word.to_owned()))?.iter().filter(fits).min().copied();
            let bone = words.iter().find_map(|word| called(word));
            if let Some(bone) = bone {
                roles.bones.insert(key, bone);
            }
            bone
        };
        for role in TORSO_ROLES {
            assign_role(role, role_words(role), None, None);
        }
        for side in [BodySide::Left, BodySide::Right] {
            let (mut arm, mut leg) = (None, None);
            for role in LIMB_ROLES {
                let limb = if role.contains("Leg") || role == "Foot" { &mut leg } else { &mut arm };
                *limb = assign_role(role, role_words(role), Some(side), *limb).or(*limb);
            }
        }
        roles.use_last_spine_as_chest(skeleton, &found);
        roles
    }

    /// Uses the last of several spine bones as the chest if no bone is named chest.
    fn use_last_spine_as_chest(
        &mut self,
        skeleton: &Skeleton,
        found: &BTreeMap<(Option<BodySide>, String), Vec<BoneId>>,
    ) {
        if self.bones.contains_key("chest") || self.bones.contains_key("upperChest") {
            return;
        }
        let Some(first) = self.bones.get("spine").copied() else { return };
        let all = role_words("spine").iter().flat_map(|w| found.get(&(None, (*w).to_owned())).into_iter().flatten());
        let last = all.copied().filter(|b| skeleton.is_known_ancestor(first, *b)).max_by_key(|b| skeleton.depth(*b));
        if let Some(last) = last {
            self.bones.insert("chest".to_owned(), last);
        }
    }

    pub(crate) fn bone(&self, role: &str) -> Option<BoneId> {
        self.bones.get(role).copied()
    }

    /// Returns the role of each bone, or else the role of its nearest ancestor that has a role.
    pub(crate) fn nearest_roles(&self, skeleton: &Skeleton) -> Vec<Option<&str>> {
        let own: BTreeMap<BoneId, &str> = self.bones.iter().map(|(role, bone)| (*bone, role.as_str())).collect();
        let mut zones: Vec<Option<&str>> = Vec::with_capacity(skeleton.len());
        for bone in skeleton.ids() {
            let above = skeleton.parent(bone).and_then(|p| zones[p.index()]);
            zones.push(own.get(&bone).copied().or(above));
        }
        zones
    }
}

fn role_words(role: &str) -> &'static [&'static str] {
    ROLE_WORDS.iter().find(|(name, _)| *name == role).map_or(&[], |(_, words)| words)
}

fn role_name(role: &str, side: Option<BodySide>) -> String {
    match side {
        Some(BodySide::Left) => format!("left{role}"),
        Some(BodySide::Right) => format!("right{role}"),
        None => role.to_owned(),
    }
}

fn all_roles() -> impl Iterator<Item = String> {
    let sides = [BodySide::Left, BodySide::Right];
    let limbs = sides.into_iter().flat_map(|side| LIMB_ROLES.map(|role| role_name(role, Some(side))));
    TORSO_ROLES.map(str::to_owned).into_iter().chain(limbs)
}

/// Returns the thigh and the shin of each leg, found by bone names.
pub(crate) fn legs_by_name(skeleton: &Skeleton) -> Vec<[BoneId; 2]> {
    let roles = BoneRoles::by_name(skeleton);
    let leg = |side: &str| {
        let thigh = roles.bone(&format!("{side}UpperLeg"))?;
        Some([thigh, roles.bone(&format!("{side}LowerLeg"))?])
    };
    ["left", "right"].into_iter().filter_map(leg).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use crate::rig::Bone;

    #[track_caller]
    fn check(bones: &[(&str, Option<u32>)], expected: &[(&str, u32)]) {
        let bone = |(name, parent): &(&str, Option<u32>)| Bone {
            name: (*name).to_owned(),
            parent: parent.map(BoneId),
            rest: Trs::IDENTITY,
        };
        let skeleton = Skeleton::new(bones.iter().map(bone).collect()).expect("parents first");
        let roles = BoneRoles::by_name(&skeleton);
        for (role, bone) in expected {
            assert_eq!(roles.bone(role), Some(BoneId(*bone)), "{role}");
        }
    }

    #[test]
    fn limbs_are_recognized_by_their_words_or_their_hierarchy() {
        check(
            &[
                ("mixamorig:Hips", None),
                ("mixamorig:Spine", Some(0)),
                ("mixamorig:Spine1", Some(1)),
                ("mixamorig:LeftArm", Some(2)),
                ("mixamorig:LeftForeArm", Some(3)),
                ("mixamorig:LeftUpLeg", Some(0)),
                ("mixamorig:LeftLeg", Some(5)),
            ],
            &[
                ("hips", 0),
                ("chest", 2),
                ("leftUpperArm", 3),
                ("leftLowerArm", 4),
                ("leftUpperLeg", 5),
                ("leftLowerLeg", 6),
            ],
        );
        check(
            &[
                ("torso_joint_1", None),
                ("leg_joint_R_1", Some(0)),
                ("leg_joint_R_2", Some(1)),
                ("leg_joint_R_3", Some(2)),
            ],
            &[("rightUpperLeg", 1), ("rightLowerLeg", 2)],
        );
        check(
            &[("下半身", None), ("左足", Some(0)), ("左ひざ", Some(1)), ("左足首", Some(2))],
            &[("hips", 0), ("leftUpperLeg", 1), ("leftLowerLeg", 2), ("leftFoot", 3)],
        );
    }
}
