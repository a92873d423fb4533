//! Computes poses from the position of the hips, rotations of the upper body, and positions of the feet. Two-bone
//! inverse kinematics computes the legs.
//!
//! All values are `f64` and computed with `+ - * / sqrt` only, so every machine writes the same keys.

use super::rig::Rig;
use glam::{DQuat, DVec3, dvec3};
use std::f64::consts::TAU;

/// Returns the sine and cosine of an angle in radians, with the same bits on every machine.
pub(super) fn sin_cos(angle: f64) -> (f64, f64) {
    let turns = angle / TAU;
    let quarter = (turns * 4.0).round();
    let x = (turns - quarter / 4.0) * TAU;
    let x2 = x * x;
    let mut sin = 1.0;
    let mut cos = 1.0;
    for i in (1..=8_u8).rev() {
        let n = 2.0 * f64::from(i);
        sin = 1.0 - x2 / (n * (n + 1.0)) * sin;
        cos = 1.0 - x2 / (n * (n - 1.0)) * cos;
    }
    sin *= x;
    match (quarter as i64).rem_euclid(4) {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

pub(super) fn sin(angle: f64) -> f64 {
    sin_cos(angle).0
}

/// Returns the rotation by `angle` radians about a unit axis.
pub(super) fn rotation_about(axis: DVec3, angle: f64) -> DQuat {
    let (s, c) = sin_cos(angle / 2.0);
    DQuat::from_xyzw(axis.x * s, axis.y * s, axis.z * s, c)
}

/// Returns the rotation of a body part from degrees about the character's axes, applied in this order: nod forward,
/// lean to the right, turn to the left.
pub(super) fn rotation_from_degrees(nod: f64, left: f64, lean: f64) -> DQuat {
    rotation_about(DVec3::Y, left.to_radians())
        * rotation_about(DVec3::Z, lean.to_radians())
        * rotation_about(DVec3::X, nod.to_radians())
}

/// Returns 0 before `a` and 1 after `b`, with continuous second derivatives.
pub(super) fn smootherstep(a: f64, b: f64, x: f64) -> f64 {
    let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

/// Angle of the arms below the horizontal while she stands, in degrees. The wide sleeves clear the hips.
pub(super) const STANDING_ARM_DROP: f64 = 61.0;

/// The pose of one arm, in degrees.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArmPose {
    /// Angle below the horizontal.
    pub(super) drop: f64,
    /// Forward angle.
    pub(super) swing: f64,
    /// Bend of the elbow.
    pub(super) bend: f64,
}

/// The pose of a foot. The foot rotates about its ball.
#[derive(Clone, Copy, Debug)]
pub(super) struct FootPose {
    /// World position of the ball bone, in metres.
    pub(super) ball: DVec3,
    /// Pitch of the sole, in degrees.
    pub(super) pitch: f64,
    /// Bend of the toes, in degrees. Equal to `pitch` while the toes support the character.
    pub(super) toes: f64,
    /// Heading in degrees, from +Z towards the character's left.
    pub(super) heading: f64,
}

/// The pose of one frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyPose {
    /// Offset of the hips bone from its rest position, in metres.
    pub(super) hips_offset: DVec3,
    pub(super) hips_rotation: DQuat,
    pub(super) spine: DQuat,
    pub(super) chest: DQuat,
    pub(super) neck: DQuat,
    pub(super) head: DQuat,
    /// Left, right.
    pub(super) arms: [ArmPose; 2],
    pub(super) feet: [FootPose; 2],
    /// Outward angle of the knees, in degrees.
    pub(super) knee_splay: f64,
}

/// Animated bones, in the order of the rotations of [`BodyMeasurements::solve`].
pub(super) const POSED_BONES: [&str; 17] = [
    "J_Bip_C_Hips",
    "J_Bip_C_Spine",
    "J_Bip_C_UpperChest",
    "J_Bip_C_Neck",
    "J_Bip_C_Head",
    "J_Bip_L_UpperArm",
    "J_Bip_L_LowerArm",
    "J_Bip_R_UpperArm",
    "J_Bip_R_LowerArm",
    "J_Bip_L_UpperLeg",
    "J_Bip_L_LowerLeg",
    "J_Bip_L_Foot",
    "J_Bip_L_ToeBase",
    "J_Bip_R_UpperLeg",
    "J_Bip_R_LowerLeg",
    "J_Bip_R_Foot",
    "J_Bip_R_ToeBase",
];

pub(super) struct BodyMeasurements {
    hips: DVec3,
    /// Per leg, left first: the hip joint relative to the hips; knee, ankle and ball relative to their parents.
    legs: [[DVec3; 4]; 2],
    /// Directions of the upper arms, left first.
    arms: [DVec3; 2],
}

impl BodyMeasurements {
    pub(super) fn from_rig(rig: &Rig) -> Self {
        let at = |name: &str| rig.bone_position(name).as_dvec3();
        let sides = ["L", "R"];
        let leg = |letter: &str| {
            let bone = |name: &str| at(&format!("J_Bip_{letter}_{name}"));
            let (hip, knee, ankle, ball) = (bone("UpperLeg"), bone("LowerLeg"), bone("Foot"), bone("ToeBase"));
            [hip - at("J_Bip_C_Hips"), knee - hip, ankle - knee, ball - ankle]
        };
        let arm = |l: &str| (at(&format!("J_Bip_{l}_LowerArm")) - at(&format!("J_Bip_{l}_UpperArm"))).normalize();
        Self { hips: at("J_Bip_C_Hips"), legs: sides.map(leg), arms: sides.map(arm) }
    }

    /// Returns the rest position of the ball of a foot; side 0 is left.
    pub(super) fn rest_ball_position(&self, side: usize) -> DVec3 {
        self.hips + self.legs[side].iter().sum::<DVec3>()
    }

    pub(super) fn standing_pose(&self) -> BodyPose {
        let foot = |side| FootPose { ball: self.rest_ball_position(side), pitch: 0.0, toes: 0.0, heading: 0.0 };
        let arm = ArmPose { drop: STANDING_ARM_DROP, swing: 2.0, bend: 14.0 };
        BodyPose {
            hips_offset: DVec3::Y * -0.006,
            hips_rotation: DQuat::IDENTITY,
            spine: DQuat::IDENTITY,
            chest: DQuat::IDENTITY,
            neck: DQuat::IDENTITY,
            head: DQuat::IDENTITY,
            arms: [arm; 2],
            feet: [foot(0), foot(1)],
            knee_splay: 4.0,
        }
    }

    /// Returns the position of the hips, the local rotations of [`POSED_BONES`], and the largest distance in metres
    /// between a foot and its target.
    pub(super) fn solve(&self, figure: &BodyPose) -> (DVec3, [DQuat; POSED_BONES.len()], f64) {
        let mut turns = [DQuat::IDENTITY; POSED_BONES.len()];
        let hips = self.hips + figure.hips_offset;
        turns[..5].copy_from_slice(&[figure.hips_rotation, figure.spine, figure.chest, figure.neck, figure.head]);
        for (side, arm) in figure.arms.iter().enumerate() {
            let left = if side == 0 { 1.0 } else { -1.0 };
            let drop = rotation_about(DVec3::Z, (-(arm.drop - 45.0) * left).to_radians());
            let elbow = self.arms[side].cross(DVec3::Z).normalize();
            let i = 5 + 2 * side;
            turns[i] = rotation_about(DVec3::X, -arm.swing.to_radians()) * drop;
            turns[i + 1] = rotation_about(elbow, arm.bend.to_radians());
        }
        let mut beyond: f64 = 0.0;
        for side in 0..2 {
            let (local, far) = self.solve_leg(side, hips, figure);
            turns[9 + 4 * side..13 + 4 * side].copy_from_slice(&local);
            beyond = beyond.max(far);
        }
        (hips, turns, beyond)
    }

    fn solve_leg(&self, side: usize, hips: DVec3, figure: &BodyPose) -> ([DQuat; 4], f64) {
        let foot = &figure.feet[side];
        let [hip, thigh, shin, sole] = self.legs[side];
        let left = if side == 0 { 1.0 } else { -1.0 };
        let heading = rotation_about(DVec3::Y, foot.heading.to_radians());
        let foot_turn = heading * rotation_about(DVec3::X, foot.pitch.to_radians());
        let from = hips + figure.hips_rotation * hip;
        let ankle = foot.ball - foot_turn * sole;
        let way = ankle - from;
        let (a, b) = (thigh.length(), shin.length());
        let reach = way.length();
        let far = (reach - (a + b) * 0.9998).max(0.0);
        let d = reach.min((a + b) * 0.9998);
        let ahead = heading * rotation_about(DVec3::Y, (figure.knee_splay * left).to_radians()) * DVec3::Z;
        let down = way / reach;
        // The knee is `along` metres towards the ankle and `off` metres to the front.
        let along = (a * a - b * b + d * d) / (2.0 * d);
        let off = (a * a - along * along).max(0.0).sqrt();
        let front = (ahead - down * ahead.dot(down)).normalize();
        let knee = down * along + front * off;
        let upper =
            rotation_from_axes(knee.normalize(), front) * rotation_from_axes(thigh.normalize(), DVec3::Z).conjugate();
        let lower = rotation_from_axes((down * d - knee).normalize(), front)
            * rotation_from_axes(shin.normalize(), DVec3::Z).conjugate();
        let toes = rotation_about(DVec3::X, -foot.toes.to_radians());
        let local =
            [figure.hips_rotation.conjugate() * upper, upper.conjugate() * lower, lower.conjugate() * foot_turn, toes];
        (local, far)
    }
}

/// Returns the rotation that maps -Y to `down` and Z close to `front`.
fn rotation_from_axes(down: DVec3, front: DVec3) -> DQuat {
    let y = -down;
    let x = y.cross(front).normalize();
    let z = x.cross(y);
    // Converts the matrix with the largest diagonal sum, which avoids a division by a value near 0.
    let (xx, yy, zz) = (x.x, y.y, z.z);
    let trace = xx + yy + zz;
    let q = if trace > 0.0 {
        let s = (trace + 1.0).sqrt() * 2.0;
        [(y.z - z.y) / s, (z.x - x.z) / s, (x.y - y.x) / s, s / 4.0]
    } else if xx > yy && xx > zz {
        let s = (1.0 + xx - yy - zz).sqrt() * 2.0;
        [s / 4.0, (x.y + y.x) / s, (z.x + x.z) / s, (y.z - z.y) / s]
    } else if yy > zz {
        let s = (1.0 + yy - xx - zz).sqrt() * 2.0;
        [(x.y + y.x) / s, s / 4.0, (y.z + z.y) / s, (z.x - x.z) / s]
    } else {
        let s = (1.0 + zz - xx - yy).sqrt() * 2.0;
        [(z.x + x.z) / s, (y.z + z.y) / s, s / 4.0, (x.y - y.x) / s]
    };
    DQuat::from_array(q).normalize()
}

/// Returns the point at height 0 with these coordinates.
pub(super) fn ground_point(x: f64, z: f64) -> DVec3 {
    dvec3(x, 0.0, z)
}
