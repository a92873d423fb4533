use super::*;
use crate::document::{ChainId, Edit, Tip};
use glam::Vec3;
use proptest::prelude::*;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{Bone, Mesh, Primitive, Skin};

/// Builds a character from lines of `name[=role]`, indented by two spaces per level. A bone moves vertices unless its
/// name ends with `!`.
fn character(tree: &str, meshes: bool) -> Character {
    let mut character = Character::default();
    let mut bones: Vec<Bone> = Vec::new();
    let mut path: Vec<u32> = Vec::new();
    let mut moving = Vec::new();
    for line in tree.lines().filter(|l| !l.trim().is_empty()) {
        let depth = (line.len() - line.trim_start().len()) / 2;
        let (name, role) = line.trim().split_once('=').unwrap_or((line.trim(), ""));
        path.truncate(depth);
        let id = BoneId(bones.len() as u32);
        let parent = path.last().map(|p| BoneId(*p));
        path.push(id.0);
        let rest = Trs::from_translation(Vec3::new(0.01 * f32::from(id.0 as u8 % 3), 0.1, 0.0));
        bones.push(Bone { name: name.trim_end_matches('!').to_owned(), parent, rest });
        if !role.is_empty() {
            assert!(character.humanoid.set(role, id), "{role} is a role");
        }
        if !name.ends_with('!') {
            moving.push(id);
        }
    }
    character.skeleton = Skeleton::new(bones).expect("indents go down by one");
    if meshes {
        let count = moving.len() as u16;
        let primitive = Primitive {
            joints: (0..count).map(|j| [j, 0, 0, 0]).collect(),
            weights: vec![[1.0, 0.0, 0.0, 0.0]; usize::from(count)],
            ..Primitive::default()
        };
        let skin = Skin { joints: moving, inverse_binds: Vec::new() };
        character.skins = vec![skin];
        character.meshes = vec![Mesh {
            name: String::new(),
            bone: BoneId(0),
            skin: Some(0),
            primitives: vec![primitive],
            morph_weights: Vec::new(),
            is_hidden: false,
        }];
    }
    character
}

const BODY: &str = "
Root!
  Hips=hips
    Spine=spine
      Chest=chest
        Head=head
";

/// Formats proposals as `root part joints`, in order.
fn detected(character: &Character, document: &Document) -> Vec<String> {
    let proposals = detect_chains(character, document);
    proposals.iter().map(|p| format!("{} {:?} {}", p.name, p.part, p.bones.len())).collect()
}

#[track_caller]
fn check(below_head: &str, expected: &[&str]) {
    let tree = format!("{BODY}{}", below_head.trim_start_matches('\n'));
    assert_eq!(detected(&character(&tree, true), &Document::default()), expected);
}

#[test]
fn hair_chains_are_detected_without_their_end_bones() {
    check(
        "
          Hair_00_0
            Hair_00_1
              Hair_00_2
          Hair_01_0
            Hair_01_1
              Hair_01_1_end!
",
        &["Hair_00_0 Hair 2", "Hair_01_0 Hair 2"],
    );
}

#[test]
fn a_bone_that_only_groups_chains_is_not_a_joint() {
    check(
        "
          Hair!
            Hair_Front!
              HairFront_L
                HairFront_L_end!
              HairFront_R
                HairFront_R_end!
            前髪
              前髪2
                前髪3
",
        &["HairFront_L Hair 1", "HairFront_R Hair 1", "前髪 Hair 2"],
    );
}

#[test]
fn a_chain_that_forks_is_one_proposal() {
    check(
        "
          ponytail_1
            ponytail_2
              ponytail_3a
                ponytail_4a
              ponytail_3b
                ponytail_4b
",
        &["ponytail_1 Hair 4"],
    );
}

#[test]
fn a_ribbon_on_a_pigtail_is_its_own_chain() {
    check(
        "
          TwinTail_L_1
            TwinTail_L_2
              TwinTail_L_3
            リボン左
              リボン左2
",
        &["TwinTail_L_1 Hair 2", "リボン左 Ribbon 1"],
    );
}

#[test]
fn vroid_bone_names_are_understood() {
    let tree = "
Root!
  J_Bip_C_Hips=hips
    J_Sec_L_SkirtFront1_01
      J_Sec_L_SkirtFront2_01
        J_Sec_L_SkirtFront2_end_01!
    J_Opt_C_FoxTail1_01
      J_Opt_C_FoxTail2_01
        J_Opt_C_FoxTail3_01
    J_Bip_C_UpperChest=upperChest
      J_Sec_L_Bust1
        J_Sec_L_Bust2
          J_Sec_L_Bust2_end!
      J_Bip_C_Head=head
        J_Adj_L_FaceEye=leftEye
          J_Adj_L_FaceEyeHighlight
        J_Sec_Hair1_04
          J_Sec_Hair2_04
            J_Sec_Hair3_04
              HairJoint-0d7ab9c1e5f24!
        J_Opt_L_RabbitEar1_01
          J_Opt_L_RabbitEar2_01
            J_Opt_L_RabbitEar3_01
      J_Bip_L_UpperArm=leftUpperArm
        J_Sec_L_TopsUpperArmInside_01
          J_Sec_L_TopsUpperArmInside_end_01!
        J_Roll_L_UpperArm
";
    assert_eq!(
        detected(&character(tree, true), &Document::default()),
        [
            "J_Sec_L_SkirtFront1_01 Skirt 2",
            "J_Opt_C_FoxTail1_01 Tail 2",
            "J_Sec_L_Bust1 Breast 2",
            "J_Sec_Hair1_04 Hair 3",
            "J_Opt_L_RabbitEar1_01 Ear 2",
            "J_Sec_L_TopsUpperArmInside_01 Sleeve 1",
        ]
    );
}

#[test]
fn japanese_skeletons_without_roles_are_understood() {
    let tree = "
全ての親
  センター
    上半身
      上半身2
        ネクタイ１
          ネクタイ２
            ネクタイ先!
        首
          頭
            前髪1
              前髪2
                前髪先!
            右もみあげ
              右もみあげ2
                右もみあげ3
            左目
            あごヒゲ_IK
            猫耳左
        左肩
          左腕
            左腕捩
            左袖1
              左袖2
            左ひじ
              左手首
                左親指１
                  左親指２
    下半身
      スカート_0_1
        スカート_0_2
          スカート_0_3
      スカート_1_1
        スカート_1_2
          スカート_1_3
      しっぽ1
        しっぽ2
          しっぽ3
      左足
        左ひざ
          左足首
    左足ＩＫ
      左つま先ＩＫ
";
    let character = character(tree, true);
    assert_eq!(
        detected(&character, &Document::default()),
        [
            "ネクタイ１ Ribbon 2",
            "前髪1 Hair 2",
            "右もみあげ Hair 2",
            "猫耳左 Ear 1",
            "左袖1 Sleeve 1",
            "スカート_0_1 Skirt 2",
            "スカート_1_1 Skirt 2",
            "しっぽ1 Tail 2",
        ]
    );
    assert!(detect_chains(&character, &Document::default()).iter().all(|p| p.confidence > 0.8));
}

#[test]
fn rig_helpers_and_body_bones_are_not_proposed() {
    check(
        "
          LeftEye_bone
          Jaw
          Brow_L
            Brow_L2
          Tongue1
            Tongue2
          HeadTwist
          Hair_IK
            Hair_IK2
          hat_attach
          Nose
",
        &[],
    );
}

#[test]
fn a_single_ear_bone_gets_an_offset_tip() {
    let tree = format!("{BODY}          ネコミミ_L\n          ネコミミ_R\n");
    let character = character(&tree, true);
    let mut document = Document::default();
    let proposals = detect_chains(&character, &document);
    assert_eq!(proposals.len(), 2);
    assert!(proposals.iter().all(|p| p.part == ChainPart::Ear && p.confidence > 0.9));
    document
        .apply(add_proposed_chains(&proposals, &character.skeleton, &document, document.main_system_id()))
        .expect("proposals fit");
    for chain in document.chains.values() {
        assert!(matches!(chain.joints[0].tip, Tip::Offset(tip) if tip.length() > 0.01), "{:?}", chain.joints);
    }
    assert!(detect_chains(&character, &document).is_empty(), "what has a chain is not proposed again");
}

#[test]
fn unnamed_bones_on_the_body_are_proposed_with_low_confidence() {
    let tree = format!("{BODY}          b01\n            b02\n              b03\n");
    let proposals = detect_chains(&character(&tree, true), &Document::default());
    assert_eq!(proposals.len(), 1);
    assert_eq!((proposals[0].part, proposals[0].bones.len()), (ChainPart::Hair, 2));
    assert!((0.3..0.6).contains(&proposals[0].confidence), "{:?}", proposals[0]);
    assert!(proposals[0].reasons.contains(&DetectionReason::AttachedToBody("head")));
}

#[test]
fn bones_with_a_secondary_motion_mark_are_proposed() {
    let tree = format!("{BODY}        J_Sec_C_Thing1\n          J_Sec_C_Thing2\n            J_Sec_C_Thing3\n");
    let proposals = detect_chains(&character(&tree, true), &Document::default());
    assert_eq!(proposals[0].part, ChainPart::Other);
    assert!(proposals[0].confidence > 0.7);
}

#[test]
fn a_ring_of_unnamed_chains_on_the_hips_is_a_skirt() {
    let strand = |i: usize| format!("    cl{i}a\n      cl{i}b\n        cl{i}c\n");
    let tree = format!("{BODY}{}", (0..6).map(strand).collect::<String>());
    let proposals = detect_chains(&character(&tree, true), &Document::default());
    assert_eq!(proposals.len(), 6);
    assert!(
        proposals
            .iter()
            .all(|p| p.part == ChainPart::Skirt && p.reasons.contains(&DetectionReason::SimilarSiblings(6))),
        "{proposals:?}"
    );
}

#[test]
fn a_tail_on_the_head_is_hair() {
    check("          Tail_L1\n            Tail_L2\n              Tail_L3\n", &["Tail_L1 Hair 2"]);
}

#[test]
fn on_an_animal_without_humanoid_bones_only_the_tail_is_proposed() {
    let tree = "
root!
  b_Root_00
    b_Hip_01
      b_Spine01_02
        b_Head_03
        b_LeftForeArm_04
          b_LeftHand_05
      b_Tail01_06
        b_Tail02_07
          b_Tail03_08
      b_LeftLeg01_09
        b_LeftFoot01_10
";
    let proposals = detect_chains(&character(tree, true), &Document::default());
    assert_eq!(proposals.len(), 1);
    assert_eq!((proposals[0].name.as_str(), proposals[0].part), ("b_Tail01_06", ChainPart::Tail));
    assert!(proposals[0].confidence > 0.85);
}

#[test]
fn a_body_without_attachments_gives_no_proposals() {
    let tree = "
Armature!
  torso_joint_1
    torso_joint_2
      neck_joint_1
      arm_joint_L_1
        arm_joint_L_2
    leg_joint_R_1
      leg_joint_R_2
";
    assert!(detect_chains(&character(tree, true), &Document::default()).is_empty());
    assert!(detect_chains(&Character::default(), &Document::default()).is_empty());
}

#[test]
fn without_meshes_bone_names_decide() {
    let tree = format!(
        "{BODY}          Hair\n            Hair_1\n              Hair_2\n            Hair_3\n              Hair_4\n"
    );
    let names = detected(&character(&tree, false), &Document::default());
    assert_eq!(names, ["Hair_1 Hair 1", "Hair_3 Hair 1"]);
}

#[test]
fn excluding_a_bone_ends_its_chain_and_undo_restores_the_joints() {
    let tree = format!("{BODY}          Hair_0\n            Hair_1\n              Hair_2\n                Hair_3\n");
    let character = character(&tree, true);
    let skeleton = &character.skeleton;
    let at = |name: &str| skeleton.find(name).expect("is there");
    let mut document = Document::default();
    document
        .apply(add_proposed_chains(
            &detect_chains(&character, &document),
            skeleton,
            &document,
            document.main_system_id(),
        ))
        .expect("fits");
    assert_eq!(document.joint_count(), 3);
    let before = document.clone();
    let changes = document.apply_recorded(exclude_bone(at("Hair_1"), skeleton, &document)).expect("applies");
    assert_eq!(document.joint_count(), 1);
    changes.revert(&mut document);
    assert_eq!(document, before);
    let end = end_chain_at(at("Hair_1"), skeleton, &document).expect("has joints below");
    document.apply(end).expect("applies");
    assert_eq!(document.joint_count(), 2);
    assert!(end_chain_at(at("Hair_1"), skeleton, &document).is_none());
    assert!(detect_chains(&character, &document).is_empty(), "what was cut off stays off");
    document.apply(exclude_bone(at("Hair_0"), skeleton, &document)).expect("applies");
    assert!(document.chains.is_empty() && remove_chain(ChainId(1), &document).is_none());
    assert!(create_chain(at("Hair_0"), skeleton, &document, ChainPart::Hair, document.main_system_id()).is_none());
    document.apply(clear_exclusion(at("Hair_0"))).expect("applies");
    assert_eq!(
        create_chain(at("Hair_0"), skeleton, &document, ChainPart::Hair, document.main_system_id())
            .expect("is free")
            .joints
            .len(),
        3
    );
}

#[test]
fn a_created_chain_stops_at_another_chain() {
    let tree = format!("{BODY}          a\n            b\n              c\n                d\n");
    let character = character(&tree, true);
    let skeleton = &character.skeleton;
    let at = |name: &str| skeleton.find(name).expect("is there");
    let mut document = Document::default();
    let low =
        create_chain(at("c"), skeleton, &document, ChainPart::Ribbon, document.main_system_id()).expect("is free");
    document.apply(Edit::PutChain { id: document.next_chain_id(), chain: Some(Box::new(low)) }).expect("fits");
    let high =
        create_chain(at("a"), skeleton, &document, ChainPart::Other, document.main_system_id()).expect("is free");
    assert_eq!(high.joints.iter().map(|j| j.bone).collect::<Vec<_>>(), [at("a"), at("b")]);
    assert!(create_chain(at("c"), skeleton, &document, ChainPart::Other, document.main_system_id()).is_none());
    assert!(create_chain(BoneId(999), skeleton, &document, ChainPart::Other, document.main_system_id()).is_none());
}

proptest! {
    #[test]
    fn proposals_of_any_skeleton_are_connected_and_can_be_applied(
        bones in prop::collection::vec((0..1000_usize, 0..12_usize, prop::option::weighted(0.2, 0..10_usize)), 1..60),
        meshes in any::<bool>(),
        excluded in 0..60_u32,
    ) {
        const NAMES: [&str; 12] = [
            "Hair", "hair_1", "b", "スカート_0", "Tail2_end", "リボン左", "耳", "arm_twist", "Hair_Root", "bell", "", "J_Sec_x",
        ];
        let mut tree = Vec::new();
        let mut character = Character::default();
        for (i, (parent, name, role)) in bones.iter().enumerate() {
            let parent = (i > 0).then(|| BoneId((parent % i) as u32));
            let rest = Trs::from_translation(Vec3::new(0.0, 0.1, 0.01));
            tree.push(Bone { name: NAMES[*name].to_owned(), parent, rest });
            if let Some(role) = role {
                character.humanoid.set(yuremono_sim::rig::HUMANOID_ROLES[*role], BoneId(i as u32));
            }
        }
        character.skeleton = Skeleton::new(tree).expect("parents first");
        if meshes {
            let mesh = |bone| Mesh {
                name: String::new(), bone, skin: None, primitives: Vec::new(), morph_weights: Vec::new(),
            is_hidden: false,
            };
            character.meshes = character.skeleton.ids().step_by(2).map(mesh).collect();
        }
        let mut document = Document::default();
        document.excluded_bones.insert(BoneId(excluded));
        let proposals = detect_chains(&character, &document);
        let mut seen = std::collections::BTreeSet::new();
        for proposal in &proposals {
            prop_assert_eq!(proposal.bones[0], proposal.root);
            prop_assert!((0.0..=1.0).contains(&proposal.confidence) && !proposal.reasons.is_empty());
            for bone in &proposal.bones {
                prop_assert!(seen.insert(*bone), "a bone is proposed once");
                prop_assert!(character.humanoid.role(*bone).is_none() && bone.0 != excluded);
                let parent = character.skeleton.parent(*bone);
                prop_assert!(*bone == proposal.root || parent.is_some_and(|p| proposal.bones.contains(&p)));
            }
        }
        document.apply(add_proposed_chains(&proposals, &character.skeleton, &document, document.main_system_id())).expect("proposals fit");
        prop_assert_eq!(document.joint_count(), seen.len());
        prop_assert!(document.resolve(&character.skeleton).systems[0].joints.len() == seen.len());
    }
}
