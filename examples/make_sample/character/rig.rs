//! Bones and springs.
//!
//! The character is modelled with arms lowered by 45°. VRM requires a T-pose at rest, so a rotation of the upper arms
//! lifts the arms.

use super::naming::{ChainLabel, NamingScheme};
use super::shape::sin_cos_of_turns;
use glam::Vec3;

/// Angle of the modelled arms below the horizontal, as a fraction of a full turn.
pub(super) const ARM_DROP: f32 = 45.0 / 360.0;

/// A bone at its modelled position.
#[derive(Clone, Debug)]
pub(super) struct Bone {
    pub(super) name: String,
    pub(super) role: Option<&'static str>,
    pub(super) parent: Option<u16>,
    pub(super) position: Vec3,
    /// Chain and depth of a simulated bone; `None` for other bones.
    pub(super) label: Option<(ChainLabel, u8)>,
}

/// Feel of a chain. The spring parameters are computed from the feel.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpringFeel {
    /// Swings per second, in Hz.
    pub(super) frequency: f32,
    /// Damping ratio.
    pub(super) damping: f32,
    /// Downward acceleration in m/s².
    pub(super) weight: f32,
    /// Frequency of the first joint relative to the last joint.
    pub(super) root_frequency_ratio: f32,
    /// Hit radius in metres over 0..=1 from the first joint to the last joint.
    pub(super) radius: &'static [(f32, f32)],
    pub(super) collider_groups: &'static [&'static str],
}

/// A chain of simulated bones.
#[derive(Clone, Debug)]
pub(super) struct SpringChain {
    pub(super) name: String,
    pub(super) bones: Vec<u16>,
    pub(super) feel: SpringFeel,
}

/// Bones (parents first) and springs.
#[derive(Debug, Default)]
pub(super) struct Rig {
    pub(super) bones: Vec<Bone>,
    pub(super) springs: Vec<SpringChain>,
}

/// Name, parent and role of the bones of a limb, without the side.
const LIMBS: [(&str, &str, &str); 8] = [
    ("Shoulder", "J_Bip_C_UpperChest", "Shoulder"),
    ("UpperArm", "Shoulder", "UpperArm"),
    ("LowerArm", "UpperArm", "LowerArm"),
    ("Hand", "LowerArm", "Hand"),
    ("UpperLeg", "J_Bip_C_Hips", "UpperLeg"),
    ("LowerLeg", "UpperLeg", "LowerLeg"),
    ("Foot", "LowerLeg", "Foot"),
    ("ToeBase", "Foot", "Toes"),
];

/// Names of the fingers and roles of their three bones.
const FINGERS: [(&str, [&str; 3]); 5] = [
    ("Thumb", ["ThumbMetacarpal", "ThumbProximal", "ThumbDistal"]),
    ("Index", ["IndexProximal", "IndexIntermediate", "IndexDistal"]),
    ("Middle", ["MiddleProximal", "MiddleIntermediate", "MiddleDistal"]),
    ("Ring", ["RingProximal", "RingIntermediate", "RingDistal"]),
    ("Little", ["LittleProximal", "LittleIntermediate", "LittleDistal"]),
];

/// Start, direction and length of each finger in hand space, in metres: x along the arm, y towards the thumb, z towards
/// the back of the hand.
pub(super) const FINGER_LAYOUT: [(Vec3, Vec3, f32); 5] = [
    (Vec3::new(0.016, 0.012, -0.003), Vec3::new(0.70, 0.66, -0.28), 0.056),
    (Vec3::new(0.054, 0.0165, 0.001), Vec3::new(0.99, 0.10, -0.06), 0.050),
    (Vec3::new(0.057, 0.0055, 0.002), Vec3::new(0.995, 0.02, -0.07), 0.055),
    (Vec3::new(0.054, -0.0055, 0.001), Vec3::new(0.99, -0.06, -0.08), 0.050),
    (Vec3::new(0.048, -0.0155, -0.001), Vec3::new(0.98, -0.15, -0.09), 0.041),
];

impl Rig {
    /// Returns the body without hair and clothes.
    pub(super) fn humanoid() -> Self {
        let mut rig = Self::default();
        rig.add_bone("Root", None, "", Vec3::ZERO);
        rig.add_bone("J_Bip_C_Hips", Some("hips"), "Root", Vec3::new(0.0, 0.80, 0.0));
        rig.add_bone("J_Bip_C_Spine", Some("spine"), "J_Bip_C_Hips", Vec3::new(0.0, 0.875, 0.0));
        rig.add_bone("J_Bip_C_Chest", Some("chest"), "J_Bip_C_Spine", Vec3::new(0.0, 0.955, -0.003));
        rig.add_bone("J_Bip_C_UpperChest", Some("upperChest"), "J_Bip_C_Chest", Vec3::new(0.0, 1.045, -0.008));
        rig.add_bone("J_Bip_C_Neck", Some("neck"), "J_Bip_C_UpperChest", Vec3::new(0.0, 1.15, -0.014));
        rig.add_bone("J_Bip_C_Head", Some("head"), "J_Bip_C_Neck", Vec3::new(0.0, 1.188, -0.006));
        for (letter, side) in [("L", 1.0), ("R", -1.0)] {
            rig.add_limbs(letter, side);
            rig.add_fingers(letter, side);
        }
        rig
    }

    fn add_limbs(&mut self, letter: &str, side: f32) {
        let (drop, out) = sin_cos_of_turns(ARM_DROP);
        let along = Vec3::new(side * out, -drop, 0.0);
        let shoulder = Vec3::new(side * 0.022, 1.122, -0.012);
        let arm = Vec3::new(side * 0.086, 1.112, -0.012);
        let elbow = arm + along * 0.185;
        let wrist = elbow + along * 0.178 + Vec3::new(0.0, 0.0, 0.008);
        let hip = Vec3::new(side * 0.056, 0.765, 0.0);
        let knee = Vec3::new(side * 0.059, 0.405, 0.008);
        let ankle = Vec3::new(side * 0.060, 0.072, -0.012);
        let toes = Vec3::new(side * 0.064, 0.02, 0.075);
        let places = [shoulder, arm, elbow, wrist, hip, knee, ankle, toes];
        for ((name, parent, role), at) in LIMBS.into_iter().zip(places) {
            let full = |name: &str| {
                if name.starts_with("J_") { name.to_owned() } else { format!("J_Bip_{letter}_{name}") }
            };
            self.add_bone(&full(name), Some(role_with_side(letter, role)), &full(parent), at);
        }
    }

    fn add_fingers(&mut self, letter: &str, side: f32) {
        for ((name, roles), (from, way, length)) in FINGERS.into_iter().zip(FINGER_LAYOUT) {
            let mut parent = format!("J_Bip_{letter}_Hand");
            for (i, role) in roles.into_iter().enumerate() {
                let full = format!("J_Bip_{letter}_{name}{}", i + 1);
                let at = self.hand_point(letter, side, from + way.normalize() * length * [0.0, 0.42, 0.74][i]);
                self.add_bone(&full, Some(role_with_side(letter, role)), &parent, at);
                parent = full;
            }
        }
    }

    /// Converts a position from the hand space of [`FINGER_LAYOUT`] to the model.
    pub(super) fn hand_point(&self, letter: &str, side: f32, p: Vec3) -> Vec3 {
        let hand = |name: &str| self.bone_position(&format!("J_Bip_{letter}_{name}"));
        let along = (hand("Hand") - hand("LowerArm")).normalize();
        // On a lowered hand, the thumb points forward and the back of the hand outward.
        let back = Vec3::new(-along.y * side, along.x * side, 0.0);
        hand("Hand") + along * p.x + Vec3::Z * p.y + back * p.z
    }

    /// Adds a child of the bone named `parent`. An empty `parent` adds a root.
    pub(super) fn add_bone(&mut self, name: &str, role: Option<&'static str>, parent: &str, at: Vec3) -> u16 {
        let parent = (!parent.is_empty()).then(|| self.find_bone(parent));
        let at = (at * 1e5).round() / 1e5;
        self.bones.push(Bone { name: name.to_owned(), role, parent, position: at, label: None });
        (self.bones.len() - 1) as u16
    }

    pub(super) fn find_bone(&self, name: &str) -> u16 {
        let found = self.bones.iter().position(|b| b.name == name);
        found.expect("bones are added before they are used") as u16
    }

    pub(super) fn bone_position(&self, name: &str) -> Vec3 {
        self.bones[usize::from(self.find_bone(name))].position
    }

    /// Adds a spring with bones at `places`. The last bone only sets the length of the last joint. Returns all bones
    /// except the last one.
    pub(super) fn add_spring(
        &mut self,
        label: ChainLabel,
        parent: &str,
        places: &[Vec3],
        feel: SpringFeel,
    ) -> Vec<u16> {
        let mut parent = parent.to_owned();
        let mut bones = Vec::with_capacity(places.len());
        for (i, &at) in places.iter().enumerate() {
            let depth = (i + 1) as u8;
            let end = i + 1 == places.len();
            let name = NamingScheme::Vroid.spring_bone_name(label, depth, end);
            let bone = self.add_bone(&name, None, &parent, at);
            self.bones[usize::from(bone)].label = Some((label, depth));
            bones.push(bone);
            parent = name;
        }
        self.springs.push(SpringChain { name: NamingScheme::Vroid.chain_name(label), bones: bones.clone(), feel });
        bones.pop();
        bones
    }
}

fn role_with_side(letter: &str, role: &str) -> &'static str {
    let side = if letter == "L" { "left" } else { "right" };
    let full = format!("{side}{role}");
    super::naming::ROLE_NAMES.iter().map(|r| r.0).find(|r| *r == full).expect("every limb has a role")
}
