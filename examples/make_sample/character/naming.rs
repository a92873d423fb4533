//! Bone names as `VRoid` Studio, Blender users and Japanese rigs write them.

use super::rig::Bone;

/// Identifies a chain among the chains of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChainLabel {
    /// `L`, `R` or `C`.
    pub(super) side: char,
    pub(super) kind: ChainKind,
    /// Counts from 1.
    pub(super) number: u8,
}

impl ChainLabel {
    pub(super) const fn new(side: char, part: ChainKind, strand: u8) -> Self {
        Self { side, kind: part, number: strand }
    }
}

/// The parts of the character that springs move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChainKind {
    FrontHair,
    SideHair,
    Wisp,
    TwinTail,
    Braid,
    Ear,
    Tail,
    Earring,
    Bell,
    ChestRibbon,
    BackRibbon,
    Sleeve,
    SkirtFront,
    SkirtSide,
    SkirtBack,
}

impl ChainKind {
    /// Whether one side has several chains of this kind. Their names contain the number.
    const fn is_numbered(self) -> bool {
        matches!(self, Self::FrontHair | Self::Sleeve | Self::SkirtFront | Self::SkirtSide | Self::SkirtBack)
    }

    /// Returns the names for `VRoid`, Blender and Japanese rigs. `#` is replaced with the side.
    const fn spellings(self) -> [&'static str; 3] {
        match self {
            Self::FrontHair => ["J_Sec_Hair", "Bangs", "前髪"],
            Self::SideHair => ["J_Sec_#_HairSide", "HairSide", "横髪"],
            Self::Wisp => ["J_Sec_C_HairWisp", "HairWisp", "アホ毛"],
            Self::TwinTail => ["J_Sec_#_HairTwinTail", "TwinTail", "ツインテール"],
            Self::Braid => ["J_Sec_C_HairBraid", "Braid", "三つ編み"],
            Self::Ear => ["J_Opt_#_FoxEar", "Ear", "狐耳"],
            Self::Tail => ["J_Opt_C_FoxTail", "Tail", "しっぽ"],
            Self::Earring => ["J_Sec_#_Earring", "Earring", "イヤリング"],
            Self::Bell => ["J_Sec_C_Bell", "Bell", "鈴"],
            Self::ChestRibbon => ["J_Sec_#_RibbonChest", "RibbonChest", "胸リボン"],
            Self::BackRibbon => ["J_Sec_#_RibbonBack", "RibbonBack", "後リボン"],
            Self::Sleeve => ["J_Sec_#_Sleeve", "Sleeve", "袖"],
            Self::SkirtFront => ["J_Sec_#_SkirtFront", "SkirtFront", "スカート前"],
            Self::SkirtSide => ["J_Sec_#_SkirtSide", "SkirtSide", "スカート横"],
            Self::SkirtBack => ["J_Sec_#_SkirtBack", "SkirtBack", "スカート後"],
        }
    }
}

/// A convention for bone names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamingScheme {
    Vroid,
    Blender,
    Japanese,
}

impl NamingScheme {
    /// Returns the name of a simulated bone; `depth` counts from 1.
    pub(super) fn spring_bone_name(self, label: ChainLabel, depth: u8, end: bool) -> String {
        let ChainLabel { side, kind: part, number: strand } = label;
        let word = part.spellings()[self as usize];
        let count = if part.is_numbered() { strand.to_string() } else { String::new() };
        match self {
            Self::Vroid => {
                let word = word.replace('#', &side.to_string());
                let end = if end { "_end" } else { "" };
                format!("{word}{depth}{end}_{strand:02}")
            }
            Self::Blender => {
                let end = if end { "_end".to_owned() } else { format!("_{depth:02}") };
                let side = if side == 'C' { String::new() } else { format!(".{side}") };
                format!("{word}{count}{end}{side}")
            }
            Self::Japanese => {
                let side = japanese_side(side);
                let end = if end { "先".to_owned() } else { depth.to_string() };
                format!("{side}{word}{count}_{end}")
            }
        }
    }

    pub(super) fn chain_name(self, label: ChainLabel) -> String {
        let ChainLabel { side, kind: part, number: strand } = label;
        let word = part.spellings()[self as usize];
        let count = if part.is_numbered() { strand.to_string() } else { String::new() };
        match self {
            Self::Vroid => {
                let word = word.replace('#', &side.to_string());
                format!("{}_{strand:02}", word.trim_start_matches("J_Sec_").trim_start_matches("J_Opt_"))
            }
            Self::Blender if side == 'C' => format!("{word}{count}"),
            Self::Blender => format!("{word}{count}.{side}"),
            Self::Japanese => format!("{}{word}{count}", japanese_side(side)),
        }
    }

    /// Returns the name of any bone.
    pub(super) fn bone_name(self, bone: &Bone) -> String {
        if self == Self::Vroid {
            return bone.name.clone();
        }
        if let Some((label, depth)) = bone.label {
            let end = bone.name.contains("_end_");
            return self.spring_bone_name(label, depth, end);
        }
        let root = if self == Self::Blender { "root" } else { "全ての親" };
        let Some(role) = bone.role else { return root.to_owned() };
        let row = ROLE_NAMES.iter().find(|r| r.0 == role).expect("every role has a row");
        if self == Self::Blender { row.1.to_owned() } else { row.2.to_owned() }
    }
}

const fn japanese_side(side: char) -> &'static str {
    match side {
        'L' => "左",
        'R' => "右",
        _ => "",
    }
}

/// VRM role, Blender name, Japanese name.
pub(super) const ROLE_NAMES: [(&str, &str, &str); 52] = [
    ("hips", "hips", "下半身"),
    ("spine", "spine", "上半身"),
    ("chest", "chest", "上半身2"),
    ("upperChest", "upper_chest", "上半身3"),
    ("neck", "neck", "首"),
    ("head", "head", "頭"),
    ("leftShoulder", "shoulder.L", "左肩"),
    ("leftUpperArm", "upper_arm.L", "左腕"),
    ("leftLowerArm", "forearm.L", "左ひじ"),
    ("leftHand", "hand.L", "左手首"),
    ("leftUpperLeg", "thigh.L", "左足"),
    ("leftLowerLeg", "shin.L", "左ひざ"),
    ("leftFoot", "foot.L", "左足首"),
    ("leftToes", "toe.L", "左つま先"),
    ("leftThumbMetacarpal", "thumb.01.L", "左親指0"),
    ("leftThumbProximal", "thumb.02.L", "左親指1"),
    ("leftThumbDistal", "thumb.03.L", "左親指2"),
    ("leftIndexProximal", "f_index.01.L", "左人指1"),
    ("leftIndexIntermediate", "f_index.02.L", "左人指2"),
    ("leftIndexDistal", "f_index.03.L", "左人指3"),
    ("leftMiddleProximal", "f_middle.01.L", "左中指1"),
    ("leftMiddleIntermediate", "f_middle.02.L", "左中指2"),
    ("leftMiddleDistal", "f_middle.03.L", "左中指3"),
    ("leftRingProximal", "f_ring.01.L", "左薬指1"),
    ("leftRingIntermediate", "f_ring.02.L", "左薬指2"),
    ("leftRingDistal", "f_ring.03.L", "左薬指3"),
    ("leftLittleProximal", "f_pinky.01.L", "左小指1"),
    ("leftLittleIntermediate", "f_pinky.02.L", "左小指2"),
    ("leftLittleDistal", "f_pinky.03.L", "左小指3"),
    ("rightShoulder", "shoulder.R", "右肩"),
    ("rightUpperArm", "upper_arm.R", "右腕"),
    ("rightLowerArm", "forearm.R", "右ひじ"),
    ("rightHand", "hand.R", "右手首"),
    ("rightUpperLeg", "thigh.R", "右足"),
    ("rightLowerLeg", "shin.R", "右ひざ"),
    ("rightFoot", "foot.R", "右足首"),
    ("rightToes", "toe.R", "右つま先"),
    ("rightThumbMetacarpal", "thumb.01.R", "右親指0"),
    ("rightThumbProximal", "thumb.02.R", "右親指1"),
    ("rightThumbDistal", "thumb.03.R", "右親指2"),
    ("rightIndexProximal", "f_index.01.R", "右人指1"),
    ("rightIndexIntermediate", "f_index.02.R", "右人指2"),
    ("rightIndexDistal", "f_index.03.R", "右人指3"),
    ("rightMiddleProximal", "f_middle.01.R", "右中指1"),
    ("rightMiddleIntermediate", "f_middle.02.R", "右中指2"),
    ("rightMiddleDistal", "f_middle.03.R", "右中指3"),
    ("rightRingProximal", "f_ring.01.R", "右薬指1"),
    ("rightRingIntermediate", "f_ring.02.R", "右薬指2"),
    ("rightRingDistal", "f_ring.03.R", "右薬指3"),
    ("rightLittleProximal", "f_pinky.01.R", "右小指1"),
    ("rightLittleIntermediate", "f_pinky.02.R", "右小指2"),
    ("rightLittleDistal", "f_pinky.03.R", "右小指3"),
];
