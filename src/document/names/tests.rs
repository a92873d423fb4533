use super::*;

#[track_caller]
fn check(name: &str, words: &[&str], side: Option<Side>, numbers: &[u32]) {
    let read = BoneName::read(name);
    assert_eq!(
        (read.words.iter().map(String::as_str).collect::<Vec<_>>(), read.side, &read.numbers[..]),
        (words.to_vec(), side, numbers),
        "{name}"
    );
}

#[track_caller]
fn part(name: &str) -> Option<Part> {
    let verdict = BoneName::read(name).verdict();
    if verdict.machinery { None } else { verdict.part.map(|(part, _)| part) }
}

const L: Option<Side> = Some(Side::Left);
const R: Option<Side> = Some(Side::Right);

#[test]
fn names_of_many_tools_fall_into_words() {
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
fn japanese_names_fall_into_the_same_words() {
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
    assert_eq!(BoneName::read("FrontHair_L"), BoneName::read("前髪左"));
}

#[test]
fn parts_are_found_in_both_languages() {
    for (name, expected) in [
        ("hair_twin_L", Part::Hair),
        ("Ahoge", Part::Hair),
        ("pony_tail1", Part::Hair),
        ("TwinTail_R", Part::Hair),
        ("もみあげ右", Part::Hair),
        ("アホ毛", Part::Hair),
        ("横髪", Part::Hair),
        ("sidehair", Part::Hair),
        ("SkirtFront", Part::Skirt),
        ("coat_tail_l", Part::Skirt),
        ("tail_01", Part::Tail),
        ("尻尾", Part::Tail),
        ("foxtail", Part::Tail),
        ("HairRibbon", Part::Ribbon),
        ("胸リボン", Part::Ribbon),
        ("マフラー3", Part::Ribbon),
        ("cape_2", Part::Ribbon),
        ("ネコミミ_L", Part::Ear),
        ("catEar_L", Part::Ear),
        ("耳.L", Part::Ear),
        ("Breast_R", Part::Breast),
        ("乳左", Part::Breast),
        ("おっぱい_L", Part::Breast),
        ("sleeve.r", Part::Sleeve),
        ("左袖", Part::Sleeve),
        ("TopsUpperArmInside", Part::Sleeve),
        ("EarRing_L", Part::Accessory),
        ("耳飾り", Part::Accessory),
        ("髪飾り", Part::Accessory),
        ("鈴", Part::Accessory),
        ("ネックレス", Part::Accessory),
    ] {
        assert_eq!(part(name), Some(expected), "{name}");
    }
}

#[test]
fn false_friends_are_no_parts() {
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
        assert_eq!(part(name), None, "{name}: {:?}", BoneName::read(name));
    }
}

#[test]
fn bodies_as_rigs_name_them_are_no_parts() {
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
        assert_eq!(part(name), None, "{name}: {:?}", BoneName::read(name));
    }
}

#[test]
fn a_name_that_says_both_sides_has_none() {
    assert_eq!(BoneName::read("Hair_L_R").side, None);
    assert_eq!(BoneName::read("bright_upright").side, None);
    assert_eq!(BoneName::read("Lamp").side, None);
}

#[test]
fn names_without_their_side_are_equal() {
    for (a, b) in [("リボン.左", "リボン_左"), ("Hair_L_01", "hair.01.Left"), ("左髪", "髪_L"), ("LeftEar", "ear_l")]
    {
        assert_eq!(without_side(a), without_side(b), "{a} and {b}");
    }
    assert_ne!(without_side("Hair_L"), without_side("Hair_R"));
    assert_eq!(without_side("left_right"), ("left_right".to_owned(), None));
}

#[test]
fn every_word_of_the_list_is_folded_and_stands_once() {
    let mut seen = std::collections::HashSet::new();
    for word in words::ENTRIES.iter().flat_map(|e| e.words) {
        assert_eq!(fold(word), **word, "not folded");
        assert!(seen.insert(*word), "{word} stands twice");
    }
}

#[test]
fn hostile_names_do_no_harm() {
    for name in ["\u{0}", ":", "a:", ":::", "\u{202e}hair", "ａ".repeat(5000).as_str(), "左".repeat(3000).as_str()] {
        let _ = BoneName::read(name).verdict();
    }
    let _ = BoneName::read(&"twin".repeat(2000));
}
