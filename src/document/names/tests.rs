use super::*;

#[track_caller]
fn check(name: &str, words: &[&str], side: Option<BodySide>, numbers: &[u32]) {
    let read = BoneName::parse(name);
    assert_eq!(
        (read.words.iter().map(String::as_str).collect::<Vec<_>>(), read.side, &read.numbers[..]),
        (words.to_vec(), side, numbers),
        "{name}"
    );
}

#[track_caller]
fn chain_part(name: &str) -> Option<ChainPart> {
    let verdict = BoneName::parse(name).analyze();
    if verdict.is_rig_helper { None } else { verdict.part.map(|(part, _)| part) }
}

const L: Option<BodySide> = Some(BodySide::Left);
const R: Option<BodySide> = Some(BodySide::Right);

#[test]
fn names_of_many_tools_parse_into_words() {
    check("HairFront_L_01", &["bangs"], L, &[1]);
    check("J_Sec_Hair1_02", &["sway", "hair"], None, &[1, 2]);
    check("J_Sec_L_Bust1", &["sway", "breast"], L, &[1]);
    check("J_Bip_C_Head", &["head"], None, &[]);
    check("mixamorig:LeftForeArm", &["lowerarm"], L, &[]);
    check("lower_arm.r", &["lowerarm"], R, &[]);
    check("Bip001 R Thigh", &["thigh"], R, &[1]);
    check("HairJoint-f56a57cb-2", &["hair", "f56a57cb"], None, &[2]);
    check("skirt_f_left_a", &["skirt", "front", "a"], L, &[]);
    check("b_Tail01_012", &["tail"], None, &[1, 12]);
    check("Ear.L.001", &["ear"], L, &[1]);
    check("ribbonR2", &["ribbon"], R, &[2]);
    check("righteye", &["eye"], R, &[]);
    check("", &[], None, &[]);
    check("___", &[], None, &[]);
    check("99999999999999999999", &[], None, &[u32::MAX]);
}

#[test]
fn japanese_names_parse_into_the_same_words() {
    check("リボン_左", &["ribbon"], L, &[]);
    check("右後ろ髪２", &["backhair"], R, &[2]);
    check("後髪_R_2", &["backhair"], R, &[2]);
    check("前髪1", &["bangs"], None, &[1]);
    check("ﾂｲﾝﾃｰﾙ左_03", &["twintail"], L, &[3]);
    check("左胸", &["mune"], L, &[]);
    check("しっぽ3", &["tail"], None, &[3]);
    check("スカート_0_1", &["skirt"], None, &[0, 1]);
    check("みぎみみ", &["ear"], R, &[]);
    check("前髪三_二", &["bangs"], None, &[3, 2]);
    check("三つ編み十二", &["braid"], None, &[12]);
    check("スカート二十一左", &["skirt"], L, &[21]);
    check("J_Opt_L_FoxEar3_end_01", &["animalear", "end"], L, &[3, 1]);
    assert_eq!(BoneName::parse("FrontHair_L"), BoneName::parse("前髪左"));
}

#[test]
fn chain_parts_are_recognized_in_both_languages() {
    for (name, expected) in [
        ("hair_twin_L", ChainPart::Hair),
        ("Ahoge", ChainPart::Hair),
        ("pony_tail1", ChainPart::Hair),
        ("TwinTail_R", ChainPart::Hair),
        ("もみあげ右", ChainPart::Hair),
        ("アホ毛", ChainPart::Hair),
        ("横髪", ChainPart::Hair),
        ("sidehair", ChainPart::Hair),
        ("SkirtFront", ChainPart::Skirt),
        ("coat_tail_l", ChainPart::Skirt),
        ("tail_01", ChainPart::Tail),
        ("尻尾", ChainPart::Tail),
        ("foxtail", ChainPart::Tail),
        ("HairRibbon", ChainPart::Ribbon),
        ("胸リボン", ChainPart::Ribbon),
        ("マフラー3", ChainPart::Ribbon),
        ("cape_2", ChainPart::Ribbon),
        ("ネコミミ_L", ChainPart::Ear),
        ("catEar_L", ChainPart::Ear),
        ("耳.L", ChainPart::Ear),
        ("Breast_R", ChainPart::Breast),
        ("乳左", ChainPart::Breast),
        ("おっぱい_L", ChainPart::Breast),
        ("sleeve.r", ChainPart::Sleeve),
        ("左袖", ChainPart::Sleeve),
        ("TopsUpperArmInside", ChainPart::Sleeve),
        ("EarRing_L", ChainPart::Accessory),
        ("耳飾り", ChainPart::Accessory),
        ("髪飾り", ChainPart::Accessory),
        ("鈴", ChainPart::Accessory),
        ("ネックレス", ChainPart::Accessory),
    ] {
        assert_eq!(chain_part(name), Some(expected), "{name}");
    }
}

#[test]
fn words_that_only_resemble_a_part_have_no_chain_part() {
    for name in [
        "gear",
        "rear",
        "forearm",
        "ForeArm_L",
        "clear",
        "detail",
        "chair",
        "Clear_Detail",
        "index",
        "beard_ctrl",
        "hair_IK",
        "hairTarget",
        "Thumb_R",
        "retail",
        "shear",
        "spear",
        "undead",
        "elbow",
        "rainbow",
        "eyebrow",
        "手首",
        "上半身",
        "前",
        "LeftHand",
        "swear",
    ] {
        assert_eq!(chain_part(name), None, "{name}: {:?}", BoneName::parse(name));
    }
}

#[test]
fn body_bones_of_common_rigs_have_no_chain_part() {
    for name in [
        "mixamorig:Hips",
        "mixamorig:Spine2",
        "mixamorig:HeadTop_End",
        "mixamorig:LeftHandRing1",
        "mixamorig:RightToe_End",
        "mixamorig:LeftUpLeg",
        "clavicle_l",
        "upperarm_twist_01_l",
        "ball_r",
        "ik_hand_gun",
        "calf_l",
        "DEF-forehead.L",
        "DEF-heel.02.R",
        "DEF-spine.003",
        "Bip001 HeadNub",
        "Bip001 Footsteps",
        "Bip001 L Finger0Nub",
        "Bip001 Prop1",
        "Bone.042",
        "IKTarget_tail",
        "tail_light",
        "hair_mesh",
        "Armature",
        "secondary",
        "下半身",
        "左足ＩＫ",
        "全ての親",
        "左腕捩1",
        "センター",
        "両目",
        "操作中心",
        "右ひじ補助",
        "leg_joint_L_5",
        "torso_joint_2",
        "Skeleton_neck_joint_1",
    ] {
        assert_eq!(chain_part(name), None, "{name}: {:?}", BoneName::parse(name));
    }
}

#[test]
fn a_name_with_both_sides_has_no_side() {
    assert_eq!(BoneName::parse("Hair_L_R").side, None);
    assert_eq!(BoneName::parse("bright_upright").side, None);
    assert_eq!(BoneName::parse("Lamp").side, None);
}

#[test]
fn names_that_differ_only_in_spelling_are_equal_without_their_side() {
    for (a, b) in [("リボン.左", "リボン_左"), ("Hair_L_01", "hair.01.Left"), ("左髪", "髪_L"), ("LeftEar", "ear_l")]
    {
        assert_eq!(split_side(a), split_side(b), "{a} and {b}");
    }
    assert_ne!(split_side("Hair_L"), split_side("Hair_R"));
    assert_eq!(split_side("left_right"), ("left_right".to_owned(), None));
}

#[test]
fn every_word_of_the_list_is_folded_and_unique() {
    let mut seen = std::collections::HashSet::new();
    for word in words::ENTRIES.iter().flat_map(|e| e.words) {
        assert_eq!(fold(word), **word, "not folded");
        assert!(seen.insert(*word), "{word} stands twice");
    }
}

#[test]
fn malformed_names_do_not_panic() {
    for name in ["\u{0}", ":", "a:", ":::", "\u{202e}hair", "ａ".repeat(5000).as_str(), "左".repeat(3000).as_str()] {
        let _ = BoneName::parse(name).analyze();
    }
    let _ = BoneName::parse(&"twin".repeat(2000));
}
