//! Bones and the springs that hang from them.
//!
//! She is modelled with arms half lowered. VRM wants a T at rest, so the upper arms carry a turn that lifts them.

use super::names::{Label, Names};
use super::shape::turn;
use glam::Vec3;

/// Arms are modelled this far below the horizontal, as a share of a turn.
pub(super) const ARM_DROP: f32 = 45.0 / 360.0;

/// A bone at its place in the world, as modelled.
#[derive(Clone, Debug)]
pub(super) struct Bone {
    pub(super) name: String,
    pub(super) role: Option<&'static str>,
    pub(super) parent: Option<u16>,
    pub(super) at: Vec3,
    /// Of a swinging bone: what it belongs to, and how deep it hangs.
    pub(super) label: Option<(Label, u8)>,
}

/// How a chain should feel; the spring parameters follow from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feel {
    /// Hertz.
    pub(super) frequency: f32,
    /// Share of critical damping.
    pub(super) damping: f32,
    /// Metres per second squared, downward.
    pub(super) weight: f32,
    /// How much faster the first joint swings than the last.
    pub(super) firm: f32,
    /// Metres, at the first and at the last joint.
    pub(super) radius: (f32, f32),
    /// Names of collider groups.
    pub(super) avoids: &'static [&'static str],
}

/// A row of swinging bones.
#[derive(Clone, Debug)]
pub(super) struct Spring {
    pub(super) name: String,
    pub(super) bones: Vec<u16>,
    pub(super) feel: Feel,
}

/// Bones parents first, and springs.
#[derive(Debug, Default)]
pub(super) struct Rig {
    pub(super) bones: Vec<Bone>,
    pub(super) springs: Vec<Spring>,
}

/// Name without its side, parent without its side, role without its side.
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

/// Fingers: name, roles of their three bones.
const FINGERS: [(&str, [&str; 3]); 5] = [
    ("Thumb", ["ThumbMetacarpal", "ThumbProximal", "ThumbDistal"]),
    ("Index", ["IndexProximal", "IndexIntermediate", "IndexDistal"]),
    ("Middle", ["MiddleProximal", "MiddleIntermediate", "MiddleDistal"]),
    ("Ring", ["RingProximal", "RingIntermediate", "RingDistal"]),
    ("Little", ["LittleProximal", "LittleIntermediate", "LittleDistal"]),
];

/// Where a finger begins, which way it points and how long it is, in a hand whose arm runs along the first axis,
/// with the thumb's side as the second and the back of the hand as the third; metres.
pub(super) const FINGER_PLACES: [(Vec3, Vec3, f32); 5] = [
    (Vec3::new(0.016, 0.012, -0.003), Vec3::new(0.70, 0.66, -0.28), 0.056),
    (Vec3::new(0.054, 0.0165, 0.001), Vec3::new(0.99, 0.10, -0.06), 0.050),
    (Vec3::new(0.057, 0.0055, 0.002), Vec3::new(0.995, 0.02, -0.07), 0.055),
    (Vec3::new(0.054, -0.0055, 0.001), Vec3::new(0.99, -0.06, -0.08), 0.050),
    (Vec3::new(0.048, -0.0155, -0.001), Vec3::new(0.98, -0.15, -0.09), 0.041),
];

impl Rig {
    /// The body without hair and clothes.
    pub(super) fn humanoid() -> Self {
        let mut rig = Self::default();
        rig.add("Root", None, "", Vec3::ZERO);
        rig.add("J_Bip_C_Hips", Some("hips"), "Root", Vec3::new(0.0, 0.80, 0.0));
        rig.add("J_Bip_C_Spine", Some("spine"), "J_Bip_C_Hips", Vec3::new(0.0, 0.875, 0.0));
        rig.add("J_Bip_C_Chest", Some("chest"), "J_Bip_C_Spine", Vec3::new(0.0, 0.955, -0.003));
        rig.add("J_Bip_C_UpperChest", Some("upperChest"), "J_Bip_C_Chest", Vec3::new(0.0, 1.045, -0.008));
        rig.add("J_Bip_C_Neck", Some("neck"), "J_Bip_C_UpperChest", Vec3::new(0.0, 1.15, -0.014));
        rig.add("J_Bip_C_Head", Some("head"), "J_Bip_C_Neck", Vec3::new(0.0, 1.188, -0.006));
        for (letter, side) in [("L", 1.0), ("R", -1.0)] {
            rig.add_limbs(letter, side);
            rig.add_fingers(letter, side);
        }
        rig
    }

    fn add_limbs(&mut self, letter: &str, side: f32) {
        let (drop, out) = turn(ARM_DROP);
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
            self.add(&full(name), Some(role_of(letter, role)), &full(parent), at);
        }
    }

    fn add_fingers(&mut self, letter: &str, side: f32) {
        for ((name, roles), (from, way, length)) in FINGERS.into_iter().zip(FINGER_PLACES) {
            let mut parent = format!("J_Bip_{letter}_Hand");
            for (i, role) in roles.into_iter().enumerate() {
                let full = format!("J_Bip_{letter}_{name}{}", i + 1);
                let at = self.hand_place(letter, side, from + way.normalize() * length * [0.0, 0.42, 0.74][i]);
                self.add(&full, Some(role_of(letter, role)), &parent, at);
                parent = full;
            }
        }
    }

    /// A place given in the hand's own directions; see [`FINGER_PLACES`].
    pub(super) fn hand_place(&self, letter: &str, side: f32, p: Vec3) -> Vec3 {
        let hand = |name: &str| self.at(&format!("J_Bip_{letter}_{name}"));
        let along = (hand("Hand") - hand("LowerArm")).normalize();
        // Of a lowered hand the thumb points ahead, its back outward.
        let back = Vec3::new(-along.y * side, along.x * side, 0.0);
        hand("Hand") + along * p.x + Vec3::Z * p.y + back * p.z
    }

    /// Adds a bone below the one named `parent` (none: a root).
    pub(super) fn add(&mut self, name: &str, role: Option<&'static str>, parent: &str, at: Vec3) -> u16 {
        let parent = (!parent.is_empty()).then(|| self.find(parent));
        let at = (at * 1e5).round() / 1e5;
        self.bones.push(Bone { name: name.to_owned(), role, parent, at, label: None });
        (self.bones.len() - 1) as u16
    }

    /// The bone of that name.
    pub(super) fn find(&self, name: &str) -> u16 {
        let found = self.bones.iter().position(|b| b.name == name);
        found.expect("bones are added before they are used") as u16
    }

    /// Where a bone is.
    pub(super) fn at(&self, name: &str) -> Vec3 {
        self.bones[usize::from(self.find(name))].at
    }

    /// Adds bones at `places`, the last one an end that only gives the last joint its length, and a spring;
    /// returns all but the end.
    pub(super) fn add_spring(&mut self, label: Label, parent: &str, places: &[Vec3], feel: Feel) -> Vec<u16> {
        let mut parent = parent.to_owned();
        let mut bones = Vec::with_capacity(places.len());
        for (i, &at) in places.iter().enumerate() {
            let depth = (i + 1) as u8;
            let end = i + 1 == places.len();
            let name = Names::Vroid.spring(label, depth, end);
            let bone = self.add(&name, None, &parent, at);
            self.bones[usize::from(bone)].label = Some((label, depth));
            bones.push(bone);
            parent = name;
        }
        self.springs.push(Spring { name: Names::Vroid.chain(label), bones: bones.clone(), feel });
        bones.pop();
        bones
    }
}

fn role_of(letter: &str, role: &str) -> &'static str {
    let side = if letter == "L" { "left" } else { "right" };
    let full = format!("{side}{role}");
    super::names::ROLES.iter().map(|r| r.0).find(|r| *r == full).expect("every limb has a role")
}
