//! Bones and the springs that hang from them. All rest rotations are identity.

use super::shape::turn;
use glam::Vec3;

/// Arms hang this far below the horizontal, as a share of a turn.
const ARM_DROP: f32 = 52.0 / 360.0;

/// A bone at its place in the world.
#[derive(Clone, Debug)]
pub(super) struct Bone {
    pub(super) name: String,
    pub(super) role: Option<&'static str>,
    pub(super) parent: Option<u16>,
    pub(super) at: Vec3,
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

impl Rig {
    /// The body without hair and clothes.
    pub(super) fn humanoid() -> Self {
        let mut rig = Self::default();
        rig.add("Root", None, "", Vec3::ZERO);
        rig.add("J_Bip_C_Hips", Some("hips"), "Root", Vec3::new(0.0, 0.80, 0.0));
        rig.add("J_Bip_C_Spine", Some("spine"), "J_Bip_C_Hips", Vec3::new(0.0, 0.875, 0.0));
        rig.add("J_Bip_C_Chest", Some("chest"), "J_Bip_C_Spine", Vec3::new(0.0, 0.975, -0.003));
        rig.add("J_Bip_C_Neck", Some("neck"), "J_Bip_C_Chest", Vec3::new(0.0, 1.15, -0.014));
        rig.add("J_Bip_C_Head", Some("head"), "J_Bip_C_Neck", Vec3::new(0.0, 1.188, -0.006));
        rig.add_limbs("L", 1.0, &LEFT);
        rig.add_limbs("R", -1.0, &RIGHT);
        rig
    }

    fn add_limbs(&mut self, letter: &str, side: f32, roles: &[&'static str; 8]) {
        let (drop, out) = turn(ARM_DROP);
        let along = Vec3::new(side * out, -drop, 0.0);
        let shoulder = Vec3::new(side * 0.022, 1.122, -0.012);
        let arm = Vec3::new(side * 0.086, 1.112, -0.012);
        let elbow = arm + along * 0.19;
        let wrist = elbow + along * 0.185 + Vec3::new(0.0, 0.0, 0.012);
        let hip = Vec3::new(side * 0.058, 0.765, 0.0);
        let knee = Vec3::new(side * 0.060, 0.405, 0.008);
        let ankle = Vec3::new(side * 0.061, 0.072, -0.012);
        let places = [
            ("Shoulder", "J_Bip_C_Chest", shoulder),
            ("UpperArm", "Shoulder", arm),
            ("LowerArm", "UpperArm", elbow),
            ("Hand", "LowerArm", wrist),
            ("UpperLeg", "J_Bip_C_Hips", hip),
            ("LowerLeg", "UpperLeg", knee),
            ("Foot", "LowerLeg", ankle),
            ("ToeBase", "Foot", Vec3::new(side * 0.064, 0.02, 0.075)),
        ];
        for ((name, parent, at), role) in places.into_iter().zip(roles) {
            let full = |name: &str| {
                if name.starts_with("J_") { name.to_owned() } else { format!("J_Bip_{letter}_{name}") }
            };
            self.add(&full(name), Some(role), &full(parent), at);
        }
    }

    /// Adds a bone below the one named `parent` (none: a root).
    pub(super) fn add(&mut self, name: &str, role: Option<&'static str>, parent: &str, at: Vec3) -> u16 {
        let parent = (!parent.is_empty()).then(|| self.find(parent));
        let at = (at * 1e5).round() / 1e5;
        self.bones.push(Bone { name: name.to_owned(), role, parent, at });
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

    /// Adds `prefix_01`, `prefix_02` … and `prefix_end` at `places`, and a spring; returns all but the end.
    pub(super) fn add_spring(&mut self, prefix: &str, parent: &str, places: &[Vec3], feel: Feel) -> Vec<u16> {
        let mut parent = parent.to_owned();
        let mut bones = Vec::with_capacity(places.len());
        for (i, &at) in places.iter().enumerate() {
            let end = i + 1 == places.len();
            let name = if end { format!("{prefix}_end") } else { format!("{prefix}_{:02}", i + 1) };
            bones.push(self.add(&name, None, &parent, at));
            parent = name;
        }
        let name = prefix.trim_start_matches("J_Sec_").to_owned();
        self.springs.push(Spring { name, bones: bones.clone(), feel });
        bones.pop();
        bones
    }
}

const LEFT: [&str; 8] = [
    "leftShoulder",
    "leftUpperArm",
    "leftLowerArm",
    "leftHand",
    "leftUpperLeg",
    "leftLowerLeg",
    "leftFoot",
    "leftToes",
];
const RIGHT: [&str; 8] = [
    "rightShoulder",
    "rightUpperArm",
    "rightLowerArm",
    "rightHand",
    "rightUpperLeg",
    "rightLowerLeg",
    "rightFoot",
    "rightToes",
];
