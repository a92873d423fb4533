//! Helpers that the tests of several crates use.

pub mod fbx;
pub mod fields;
pub mod figure;
pub mod formats;
pub mod girl;
pub mod glb;
pub mod json_schema;
pub mod kick;
pub mod presets;
pub mod random_documents;
pub mod sample_tables;
pub mod vmd;

use glam::Quat;
use std::path::{Path, PathBuf};
use yuremono_session::{Message, Session};
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{Bone, BoneId, Character, Facing, Pose, Skeleton, WorldPose};

/// Names that a table must quote or escape, or that a spreadsheet changes.
pub const HOSTILE_NAMES: [&str; 32] = [
    "say \"hi\"",
    "a,b",
    "line\nbreak",
    "line\r\nbreak",
    "tab\there",
    "//slash",
    "#hash",
    "#yuremono",
    ";semi",
    "[Pivots]",
    "[SpringBones]",
    "[x",
    " lead",
    "trail ",
    " ",
    "",
    "髪_左",
    "スカート",
    "=SUM(A1)",
    "+1",
    "-1",
    "@x",
    "version",
    "1,234.5",
    "True",
    "back\\slash",
    "\\u{20}",
    "ns:bone",
    "émigré 😀",
    "\"",
    "\u{feff}bom",
    "\u{3000}wide",
];

#[expect(clippy::print_stdout, reason = "the output must show which tests were skipped")]
/// Returns the folder that an environment variable names. If the variable is not set, prints the reason and returns
/// `None`.
pub fn folder_or_skip(variable: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: {variable} names no folder");
    }
    folder
}

/// Whether the session has rejected no edit so far.
pub fn no_edit_rejected(session: &Session) -> bool {
    !session.messages().entries().iter().any(|message| matches!(message.message, Some(Message::EditRefused(_))))
}

/// Returns the largest distance between the same bones in two poses, in metres.
pub fn pose_distance(a: &WorldPose, b: &WorldPose) -> f32 {
    assert_eq!(a.frames.len(), b.frames.len(), "both poses have the same bones");
    let distances = a.frames.iter().zip(&b.frames).map(|(a, b)| a.position.distance(b.position));
    distances.fold(0.0, |most, distance| if distance > most || distance.is_nan() { distance } else { most })
}

/// Returns the number of cases of a property test: `usual` multiplied by `YUREMONO_CASES`.
pub fn cases(usual: u32) -> u32 {
    let factor = std::env::var("YUREMONO_CASES").map_or(1.0, |text| text.parse::<f64>().expect("a factor"));
    ((f64::from(usual) * factor).ceil() as u32).max(1)
}

/// Returns a copy of a file with a few changed bytes. The changes depend only on `seed`.
pub fn mutated(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut bytes = bytes.to_vec();
    for _ in 0..=next(6) {
        let at = next(bytes.len());
        match next(4) {
            0 => bytes[at] = next(256) as u8,
            1 => bytes.truncate(at.max(1)),
            // Lines and numbers of other places.
            2 => {
                let from = next(bytes.len());
                let copied = bytes[from..(from + next(60)).min(bytes.len())].to_vec();
                bytes.splice(at..at, copied);
            }
            _ => bytes[at] = b"0123456789-:{}[]&*\n "[next(20)],
        }
    }
    bytes
}

/// Returns the stride through an exhaustive list of cases: `usual` divided by `YUREMONO_CASES`, at least 1.
pub fn stride(usual: usize) -> usize {
    usual.div_ceil(cases(1) as usize)
}

/// Returns every file in `folder` and its subfolders with one of the extensions, sorted.
pub fn files_below(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| extensions.iter().any(|x| e.eq_ignore_ascii_case(x))) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the sample character with a solver. The file is read once for all tests.
pub fn sample(solver: yuremono_sim::SolverKind) -> yuremono_format::open::OpenedCharacter {
    use yuremono_format::open::{self, OpenedCharacter};
    use yuremono_format::source::{SourceFile, no_siblings};
    static READ: std::sync::OnceLock<OpenedCharacter> = std::sync::OnceLock::new();
    let read = || {
        let bytes = include_bytes!("../../../assets/sample.vrm");
        let source = SourceFile { name: "sample.vrm", bytes, read_sibling: &no_siblings };
        open::character_from_source(&source, &|_| true).expect("the sample character opens")
    };
    READ.get_or_init(read).clone().converted_to(solver)
}

/// Returns a character whose rest pose has the arms 50° below level.
pub fn with_lowered_arms(character: &Character) -> Character {
    let arms = [("leftUpperArm", -50.0_f32), ("rightUpperArm", 50.0)];
    let world = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
    let turned = |(id, bone): (BoneId, &Bone)| {
        let arm = arms.iter().find(|(role, _)| character.humanoid.bone(role) == Some(id));
        let turn = arm.map_or(Quat::IDENTITY, |(_, degrees)| Quat::from_rotation_z(degrees.to_radians()));
        let parent = bone.parent.map_or(Quat::IDENTITY, |parent| world.frame(parent).rotation);
        let rotation = parent.inverse() * turn * parent * bone.rest.rotation;
        Bone { rest: Trs { rotation, ..bone.rest }, ..bone.clone() }
    };
    let bones = character.skeleton.ids().zip(character.skeleton.bones()).map(turned).collect();
    Character { skeleton: Skeleton::new(bones).expect("parents first"), ..character.clone() }
}

/// Returns the same character with bones of other local axes: each bone is rotated about its head, and its children stay.
pub fn with_rotated_axes(character: &Character) -> Character {
    let axes = |bone: BoneId| Quat::from_rotation_x(0.3 + 0.2 * (character.skeleton.depth(bone) as f32));
    let rotated = |(id, bone): (BoneId, &Bone)| {
        let Trs { translation, rotation, scale } = bone.rest;
        let above = bone.parent.map_or(Quat::IDENTITY, axes).inverse();
        let rest = Trs { translation: above * translation, rotation: above * rotation * axes(id), scale };
        Bone { rest, ..bone.clone() }
    };
    let bones = character.skeleton.ids().zip(character.skeleton.bones()).map(rotated).collect();
    Character { skeleton: Skeleton::new(bones).expect("parents first"), ..character.clone() }
}

/// Returns a character that faces -Z, as in VRM 0.x.
pub fn turned_to_minus_z(character: &Character) -> Character {
    let half = Quat::from_rotation_y(std::f32::consts::PI);
    let turned = |bone: &Bone| {
        let Trs { translation, rotation, scale } = bone.rest;
        let rest = if bone.parent.is_none() {
            Trs { translation: half * translation, rotation: half * rotation, scale }
        } else {
            bone.rest
        };
        Bone { rest, ..bone.clone() }
    };
    let bones = character.skeleton.bones().iter().map(turned).collect();
    let skeleton = Skeleton::new(bones).expect("parents first");
    Character { skeleton, facing: Facing::MinusZ, ..character.clone() }
}

/// Returns the root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
