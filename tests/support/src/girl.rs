//! Generates a character without a body for tests of the window: about thirty bones, with chains, colliders and meshes.

use glam::{Quat, Vec3};
use std::sync::Arc;
use yuremono_model::document::{
    Chain, ChainId, ChainPart, Collider, ColliderId, Document, Helper, HelperId, HelperRole, Joint, Node,
};
use yuremono_session::Session;
use yuremono_sim::ColliderShape;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{Bone, BoneId, Character, Mesh, Skeleton};

/// Name, parent name, and offset from the parent in metres of each bone.
const BONES: &[(&str, &str, [f32; 3])] = &[
    ("Root", "", [0.0, 0.0, 0.0]),
    ("Hips", "Root", [0.0, 0.9, 0.0]),
    ("Spine", "Hips", [0.0, 0.12, 0.0]),
    ("Chest", "Spine", [0.0, 0.14, 0.0]),
    ("Neck", "Chest", [0.0, 0.18, 0.0]),
    ("Head", "Neck", [0.0, 0.08, 0.0]),
    ("J_Sec_FrontHair", "Head", [0.0, 0.16, 0.09]),
    ("J_Sec_FrontHair_2", "J_Sec_FrontHair", [0.0, -0.08, 0.02]),
    ("TwinTail_L_01", "Head", [0.1, 0.14, -0.02]),
    ("TwinTail_L_02", "TwinTail_L_01", [0.05, -0.09, 0.0]),
    ("TwinTail_L_03", "TwinTail_L_02", [0.02, -0.1, 0.0]),
    ("TwinTail_L_04", "TwinTail_L_03", [0.01, -0.1, 0.0]),
    ("TwinTail_L_05", "TwinTail_L_04", [0.0, -0.1, 0.0]),
    ("TwinTail_R_01", "Head", [-0.1, 0.14, -0.02]),
    ("TwinTail_R_02", "TwinTail_R_01", [-0.05, -0.09, 0.0]),
    ("TwinTail_R_03", "TwinTail_R_02", [-0.02, -0.1, 0.0]),
    ("リボン_左", "Head", [0.11, 0.15, -0.02]),
    ("リボン_左_2", "リボン_左", [0.03, -0.04, 0.0]),
    ("Shoulder_L", "Chest", [0.05, 0.14, 0.0]),
    ("Arm_L", "Shoulder_L", [0.08, 0.0, 0.0]),
    ("Shoulder_R", "Chest", [-0.05, 0.14, 0.0]),
    ("Arm_R", "Shoulder_R", [-0.08, 0.0, 0.0]),
    ("Skirt_01", "Hips", [0.08, -0.04, 0.06]),
    ("Skirt_01_2", "Skirt_01", [0.02, -0.12, 0.02]),
    ("Skirt_02", "Hips", [-0.08, -0.04, 0.06]),
    ("Skirt_02_2", "Skirt_02", [-0.02, -0.12, 0.02]),
    ("UpperLeg_L", "Hips", [0.09, -0.08, 0.0]),
    ("LowerLeg_L", "UpperLeg_L", [0.0, -0.38, 0.0]),
    ("UpperLeg_R", "Hips", [-0.09, -0.08, 0.0]),
    ("LowerLeg_R", "UpperLeg_R", [0.0, -0.38, 0.0]),
    ("スカート飾り", "Root", [0.0, 0.7, 0.1]),
];

/// The part of each chain, and its bones from root to tip.
const CHAINS: &[(ChainPart, &[&str])] = &[
    (ChainPart::Hair, &["J_Sec_FrontHair", "J_Sec_FrontHair_2"]),
    (ChainPart::Hair, &["TwinTail_L_01", "TwinTail_L_02", "TwinTail_L_03", "TwinTail_L_04", "TwinTail_L_05"]),
    (ChainPart::Hair, &["TwinTail_R_01", "TwinTail_R_02", "TwinTail_R_03"]),
    (ChainPart::Ribbon, &["リボン_左", "リボン_左_2"]),
    (ChainPart::Skirt, &["Skirt_01", "Skirt_01_2"]),
    (ChainPart::Skirt, &["Skirt_02", "Skirt_02_2"]),
];

/// Returns a character with the skeleton and two empty meshes.
pub fn character() -> Character {
    let id = |name: &str| BONES.iter().position(|b| b.0 == name).map(|i| BoneId(i as u32));
    let bone = |(name, parent, offset): &(&str, &str, [f32; 3])| Bone {
        name: (*name).to_owned(),
        parent: id(parent),
        rest: Trs { translation: Vec3::from(*offset), rotation: Quat::IDENTITY, scale: Vec3::ONE },
    };
    let mesh = |name: &str| Mesh {
        name: name.to_owned(),
        bone: BoneId(0),
        skin: None,
        primitives: Vec::new(),
        morph_weights: Vec::new(),
        is_hidden: false,
    };
    Character {
        name: "girl.vrm".to_owned(),
        format_name: "VRM 1.0".to_owned(),
        skeleton: Skeleton::new(BONES.iter().map(bone).collect()).expect("parents come first"),
        meshes: vec![mesh("Body"), mesh("Hair")],
        ..Character::default()
    }
}

/// Returns the document of the character: six chains, a head collider and a leg capsule, one excluded bone.
pub fn document(character: &Character) -> Document {
    let bone = |name: &str| character.skeleton.find(name).expect("a bone of the character");
    let mut document = Document::default();
    for (i, (part, names)) in CHAINS.iter().enumerate() {
        let joints = names.iter().map(|name| Joint::new(bone(name))).collect();
        let chain = Chain::new(names[0], *part, document.main_system().param_defs(), joints);
        document.chains.insert(ChainId(i as u32 + 1), chain);
    }
    document.excluded_bones.insert(bone("スカート飾り"));
    let shapes = [
        ("Head", ColliderShape::Sphere { radius: 0.1, inside: false }),
        ("UpperLeg_L", ColliderShape::Capsule { radius: 0.06, height: 0.3, inside: false }),
    ];
    for (i, (name, shape)) in shapes.into_iter().enumerate() {
        let helper = HelperId(i as u32 + 1);
        let parent = Node::Bone(bone(name));
        document.helpers.insert(
            helper,
            Helper { name: format!("{name}_node"), parent, local: Trs::IDENTITY, role: HelperRole::Plain },
        );
        let collider = Collider::new(format!("{name}_collider"), Node::Helper(helper), shape);
        document.colliders.insert(ColliderId(i as u32 + 1), collider);
    }
    document
}

/// Returns a session with the character at rest.
pub fn session() -> Session {
    let character = character();
    let document = document(&character);
    let mut session = Session::new(Arc::new(character), document);
    session.handle(yuremono_session::Command::SetPlaying(false));
    session
}

/// Returns a bone by name.
pub fn bone(session: &Session, name: &str) -> BoneId {
    session.character().skeleton.find(name).expect("a bone of the character")
}
