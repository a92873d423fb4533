//! Parses bone names into words, a side of the body, and numbers.
//!
//! Names come from many tools and in two languages. Parsing makes names comparable: [`crate::tools::detect`] selects
//! simulated bones by parsed names, and [`crate::exchange::remap`] matches bones by them.

mod fold;
mod parser;
mod words;

pub use fold::{NamePattern, fold};
pub use parser::is_random_id;

use crate::document::ChainPart;
use parser::{NameParser, is_known, tokens};
use std::collections::HashMap;
use std::sync::LazyLock;
use words::Meaning;

/// One side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BodySide {
    /// The character's own left.
    Left,
    /// The character's own right.
    Right,
}

/// A parsed bone name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoneName {
    /// The words in order, without side, numbers and tool prefixes. A known word is replaced with the first word of its
    /// entry, so "髪" and "Hair" are equal.
    pub words: Vec<String>,
    /// `None` for a bone in the middle, and for a name with both sides.
    pub side: Option<BodySide>,
    /// The numbers in order. A number that is too large is `u32::MAX`.
    pub numbers: Vec<u32>,
    /// How many numbers precede the word that marks the end of a chain.
    pub numbers_before_end: Option<usize>,
}

/// What the words of a name mean.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a finding of its own; names hold any mixture")]
pub struct NameAnalysis {
    /// The simulated part, and the confidence from 0 to 1.
    pub part: Option<(ChainPart, f32)>,
    /// Index in [`BoneName::words`] of the word that names the part.
    pub part_word: usize,
    /// Whether animation moves the bone, for example an arm, an eye or a finger.
    pub is_body: bool,
    /// Whether the bone is a rig helper, for example for twist, IK or a weapon.
    pub is_rig_helper: bool,
    /// Whether a word marks the bone as secondary motion.
    pub is_secondary_motion: bool,
    /// Whether a word marks a parent of chains, for example root or group.
    pub is_group: bool,
    /// Whether a word marks the end of a chain.
    pub is_end: bool,
}

/// Maximum length of a name that is parsed, in characters.
pub const MAX_NAME_CHARS: usize = 256;

pub(crate) fn truncated(name: &str) -> &str {
    name.char_indices().nth(MAX_NAME_CHARS).map_or(name, |(at, _)| &name[..at])
}

/// Returns the words of a name without its side, as folded tokens joined by `_`, and the side. A name with both sides
/// keeps all words and has no side.
pub fn split_side(name: &str) -> (String, Option<BodySide>) {
    let all = tokens(truncated(name));
    let mut sides = Vec::new();
    let mut rest = Vec::with_capacity(all.len());
    for token in &all {
        match token.as_str() {
            "l" | "left" | "lt" | "lft" => sides.push(BodySide::Left),
            "r" | "right" | "rt" | "rgt" => sides.push(BodySide::Right),
            latin if latin.is_ascii() => {
                let cut =
                    [("left", BodySide::Left), ("right", BodySide::Right)].into_iter().find_map(|(word, side)| {
                        let other = latin.strip_prefix(word).or_else(|| latin.strip_suffix(word))?;
                        is_known(other).then_some((other, side))
                    });
                sides.extend(cut.map(|(_, side)| side));
                rest.push(cut.map_or(latin, |(other, _)| other).to_owned());
            }
            run => {
                let mut run = run.to_owned();
                for (word, side) in JAPANESE_SIDES {
                    if run.contains(word) {
                        run = run.replace(word, "");
                        sides.push(side);
                    }
                }
                if !run.is_empty() {
                    rest.push(run);
                }
            }
        }
    }
    sides.dedup();
    match sides.as_slice() {
        [only] => (rest.join("_"), Some(*only)),
        _ => (all.join("_"), None),
    }
}

const JAPANESE_SIDES: [(&str, BodySide); 4] =
    [("左", BodySide::Left), ("右", BodySide::Right), ("ヒダリ", BodySide::Left), ("ミギ", BodySide::Right)];

static MEANINGS: LazyLock<HashMap<&'static str, (&'static str, Meaning)>> = LazyLock::new(|| {
    let entries = words::ENTRIES.iter().filter_map(|e| Some((e, e.words.split(' ').next()?)));
    entries.flat_map(|(e, first)| e.words.split(' ').map(move |word| (word, (first, e.meaning)))).collect()
});

impl BoneName {
    /// Parses the first [`MAX_NAME_CHARS`] characters of a name. A namespace before the last colon is ignored.
    pub fn parse(name: &str) -> Self {
        let name = truncated(name);
        let own = match name.rsplit_once(':') {
            Some((_, own)) if !own.is_empty() => own,
            _ => name,
        };
        let mut reader = NameParser::default();
        for token in tokens(own) {
            reader.push_token(&token);
        }
        reader.finish()
    }

    /// Returns the last number, which is usually the index along a chain.
    pub fn index(&self) -> Option<u32> {
        self.numbers.last().copied()
    }

    pub fn analyze(&self) -> NameAnalysis {
        let mut analysis = NameAnalysis::default();
        let mut best = 0;
        for (at, word) in self.words.iter().enumerate() {
            let Some((_, meaning)) = MEANINGS.get(word.as_str()) else { continue };
            let (part, confidence) = match *meaning {
                Meaning::Part(part) => (part, 0.9),
                Meaning::MaybePart(part) => (part, 0.5),
                other => {
                    analysis.is_secondary_motion |= other == Meaning::SecondaryMotion;
                    analysis.is_body |= other == Meaning::Body;
                    analysis.is_rig_helper |= other == Meaning::RigHelper;
                    analysis.is_group |= other == Meaning::Group;
                    analysis.is_end |= other == Meaning::End;
                    continue;
                }
            };
            let rank = u32::from(confidence > 0.6) * 100 + part_priority(part);
            if rank > best {
                best = rank;
                analysis.part = Some((part, confidence));
                analysis.part_word = at;
            }
        }
        analysis
    }
}

/// Returns the priority of a part within one name. For example, a hair ribbon is a ribbon, and a coat's sleeve is a
/// sleeve.
const fn part_priority(part: ChainPart) -> u32 {
    match part {
        ChainPart::Accessory => 9,
        ChainPart::Ribbon => 8,
        ChainPart::Sleeve => 7,
        ChainPart::Breast => 6,
        ChainPart::Skirt => 5,
        ChainPart::Hair => 4,
        ChainPart::Ear => 3,
        ChainPart::Tail => 2,
        ChainPart::Other => 1,
    }
}

/// Similarity between a word and its general word, such as bangs and hair.
const GENERAL_WORD_SIMILARITY: f32 = 0.8;

/// Pairs of words that are often used for the same part, with their similarity.
const SIMILAR_WORDS: &[(&str, &str, f32)] =
    &[("mune", "chest", 1.0), ("mune", "breast", 1.0), ("sideburn", "sidehair", 0.9), ("cape", "scarf", 0.5)];

/// Returns the similarity of two entries of [`BoneName::words`], 0 to 1.
pub fn word_similarity(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    if general_word(a) == Some(b) || general_word(b) == Some(a) {
        return GENERAL_WORD_SIMILARITY;
    }
    let found = SIMILAR_WORDS.iter().find(|(x, y, _)| (*x == a && *y == b) || (*x == b && *y == a));
    found.map_or(0.0, |(_, _, near)| *near)
}

/// Returns the general word for a word, such as hair for bangs.
pub fn general_word(word: &str) -> Option<&'static str> {
    match MEANINGS.get(word)?.1 {
        Meaning::Part(ChainPart::Hair) if word != "hair" => Some("hair"),
        Meaning::Part(ChainPart::Ear) if word != "ear" => Some("ear"),
        _ => None,
    }
}

/// Whether a word only names the species of ears or tails.
pub fn is_species_word(word: &str) -> bool {
    MEANINGS.get(word).is_some_and(|(first, _)| *first == "fox")
}

#[cfg(test)]
mod tests {
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
        let analysis = BoneName::parse(name).analyze();
        if analysis.is_rig_helper { None } else { analysis.part.map(|(part, _)| part) }
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
        for (expected, names) in [
            (ChainPart::Hair, "hair_twin_L Ahoge pony_tail1 TwinTail_R もみあげ右 アホ毛 横髪 sidehair"),
            (ChainPart::Skirt, "SkirtFront coat_tail_l"),
            (ChainPart::Tail, "tail_01 尻尾 foxtail"),
            (ChainPart::Ribbon, "HairRibbon 胸リボン マフラー3 cape_2"),
            (ChainPart::Ear, "ネコミミ_L catEar_L 耳.L"),
            (ChainPart::Breast, "Breast_R 乳左 おっぱい_L"),
            (ChainPart::Sleeve, "sleeve.r 左袖 TopsUpperArmInside"),
            (ChainPart::Accessory, "EarRing_L 耳飾り 髪飾り 鈴 ネックレス"),
        ] {
            for name in names.split(' ') {
                assert_eq!(chain_part(name), Some(expected), "{name}");
            }
        }
    }

    #[test]
    fn words_that_only_resemble_a_part_have_no_chain_part() {
        let names = "gear, rear, forearm, ForeArm_L, clear, detail, chair, Clear_Detail, index, beard_ctrl, hair_IK, \
            hairTarget, Thumb_R, retail, shear, spear, undead, elbow, rainbow, eyebrow, 手首, 上半身, 前, LeftHand, \
            swear";
        for name in names.split(", ") {
            assert_eq!(chain_part(name), None, "{name}: {:?}", BoneName::parse(name));
        }
    }

    #[test]
    fn body_bones_of_common_rigs_have_no_chain_part() {
        let names = "mixamorig:Hips, mixamorig:Spine2, mixamorig:HeadTop_End, mixamorig:LeftHandRing1, \
            mixamorig:RightToe_End, mixamorig:LeftUpLeg, clavicle_l, upperarm_twist_01_l, ball_r, ik_hand_gun, \
            calf_l, DEF-forehead.L, DEF-heel.02.R, DEF-spine.003, Bip001 HeadNub, Bip001 Footsteps, \
            Bip001 L Finger0Nub, Bip001 Prop1, Bone.042, IKTarget_tail, tail_light, hair_mesh, Armature, \
            secondary, 下半身, 左足ＩＫ, 全ての親, 左腕捩1, センター, 両目, 操作中心, 右ひじ補助, leg_joint_L_5, torso_joint_2, \
            Skeleton_neck_joint_1";
        for name in names.split(", ") {
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
        for (a, b) in
            [("リボン.左", "リボン_左"), ("Hair_L_01", "hair.01.Left"), ("左髪", "髪_L"), ("LeftEar", "ear_l")]
        {
            assert_eq!(split_side(a), split_side(b), "{a} and {b}");
        }
        assert_ne!(split_side("Hair_L"), split_side("Hair_R"));
        assert_eq!(split_side("left_right"), ("left_right".to_owned(), None));
    }

    #[test]
    fn every_word_of_the_list_is_folded_and_unique() {
        let mut seen = std::collections::HashSet::new();
        for word in words::ENTRIES.iter().flat_map(|e| e.words.split(' ')) {
            assert_eq!(fold(word), word, "not folded");
            assert!(seen.insert(word), "{word} is listed twice");
        }
    }

    #[test]
    fn malformed_names_do_not_panic() {
        for name in ["\u{0}", ":", "a:", ":::", "\u{202e}hair", "ａ".repeat(5000).as_str(), "左".repeat(3000).as_str()]
        {
            let _ = BoneName::parse(name).analyze();
        }
        let _ = BoneName::parse(&"twin".repeat(2000));
    }

    #[track_caller]
    fn check_similarity(a: &str, b: &str, near: f32) {
        let word = |name: &str| BoneName::parse(name).words.first().cloned().expect("a word");
        assert_eq!(word_similarity(&word(a), &word(b)), near, "{a} and {b}");
        assert_eq!(word_similarity(&word(b), &word(a)), near, "{b} and {a}");
    }

    #[test]
    fn hair_styles_are_similar_to_hair_but_not_to_each_other() {
        check_similarity("前髪", "Bangs", 1.0);
        check_similarity("前髪", "hair", GENERAL_WORD_SIMILARITY);
        check_similarity("アホ毛", "wisp", 1.0);
        check_similarity("ponytail", "twintail", 0.0);
        check_similarity("tail", "ponytail", 0.0);
        check_similarity("猫耳", "Ear", GENERAL_WORD_SIMILARITY);
        check_similarity("earring", "ear", 0.0);
        check_similarity("胸", "breast", 1.0);
    }

    #[test]
    fn fins_are_not_tails() {
        for name in ["TailFin_L", "shark_fin_tail", "尾びれ", "尾ヒレ_1"] {
            let part = BoneName::parse(name).analyze().part.map(|(part, _)| part);
            assert_eq!(part, Some(ChainPart::Other), "{name}");
        }
        let part = BoneName::parse("tail_01").analyze().part.map(|(part, _)| part);
        assert_eq!(part, Some(ChainPart::Tail));
    }
}
