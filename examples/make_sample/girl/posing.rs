//! A pose as a puppeteer sets it: hips, turns of the upper body, places of the feet; legs follow by two-bone maths.
//!
//! All in `f64`, with `+ - * / sqrt` alone, so that every machine writes the same keys.

use super::rig::Rig;
use glam::{DQuat, DVec3, dvec3};
use std::f64::consts::TAU;

/// Sine and cosine of an angle in radians, the same bits everywhere.
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

/// A turn about an axis of unit length, radians.
pub(super) fn about(axis: DVec3, angle: f64) -> DQuat {
    let (s, c) = sin_cos(angle / 2.0);
    DQuat::from_xyzw(axis.x * s, axis.y * s, axis.z * s, c)
}

/// Degrees about her own axes: nod forward, turn to her left, lean to her right, in that order from within.
pub(super) fn turned(nod: f64, left: f64, lean: f64) -> DQuat {
    about(DVec3::Y, left.to_radians()) * about(DVec3::Z, lean.to_radians()) * about(DVec3::X, nod.to_radians())
}

/// 0 before `a`, 1 from `b` on, smooth between to the second derivative.
pub(super) fn ease(a: f64, b: f64, x: f64) -> f64 {
    let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

/// One arm, degrees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    /// Below the horizontal.
    pub(super) down: f64,
    /// Ahead.
    pub(super) swing: f64,
    /// Of the elbow.
    pub(super) bend: f64,
}

/// One foot: the ball stands at a place of the world; the heel rises about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    /// Of the ball's bone, metres.
    pub(super) ball: DVec3,
    /// Degrees that the sole is turned up behind.
    pub(super) pitch: f64,
    /// Degrees that the toes stay bent; as much as `pitch` while they bear her.
    pub(super) toes: f64,
    /// Where it points, degrees to her left of +Z.
    pub(super) heading: f64,
}

/// What one frame asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figure {
    /// Of the hips' bone, metres from where it rests.
    pub(super) hips: DVec3,
    pub(super) hips_turn: DQuat,
    pub(super) spine: DQuat,
    pub(super) chest: DQuat,
    pub(super) neck: DQuat,
    pub(super) head: DQuat,
    /// Left, right.
    pub(super) arms: [Arm; 2],
    pub(super) feet: [Foot; 2],
    /// Degrees that knees point outward.
    pub(super) splay: f64,
}

/// Bones that motions turn, in the order of [`Body::solve`]'s answer.
pub(super) const MOVED: [&str; 17] = [
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

/// Her measures.
pub(super) struct Body {
    hips: DVec3,
    /// Hip joints from the hips; knees, ankles and balls each from the joint above; arms' directions. Left, right.
    legs: [[DVec3; 4]; 2],
    arms: [DVec3; 2],
}

impl Body {
    pub(super) fn of(rig: &Rig) -> Self {
        let at = |name: &str| rig.at(name).as_dvec3();
        let sides = ["L", "R"];
        let leg = |letter: &str| {
            let bone = |name: &str| at(&format!("J_Bip_{letter}_{name}"));
            let (hip, knee, ankle, ball) = (bone("UpperLeg"), bone("LowerLeg"), bone("Foot"), bone("ToeBase"));
            [hip - at("J_Bip_C_Hips"), knee - hip, ankle - knee, ball - ankle]
        };
        let arm = |l: &str| (at(&format!("J_Bip_{l}_LowerArm")) - at(&format!("J_Bip_{l}_UpperArm"))).normalize();
        Self { hips: at("J_Bip_C_Hips"), legs: sides.map(leg), arms: sides.map(arm) }
    }

    /// Where the ball of a foot rests; 0 is the left one.
    pub(super) fn ball(&self, side: usize) -> DVec3 {
        self.hips + self.legs[side].iter().sum::<DVec3>()
    }

    /// The figure of standing at ease.
    pub(super) fn standing(&self) -> Figure {
        let foot = |side| Foot { ball: self.ball(side), pitch: 0.0, toes: 0.0, heading: 0.0 };
        let arm = Arm { down: 68.0, swing: 2.0, bend: 14.0 };
        Figure {
            hips: DVec3::Y * -0.006,
            hips_turn: DQuat::IDENTITY,
            spine: DQuat::IDENTITY,
            chest: DQuat::IDENTITY,
            neck: DQuat::IDENTITY,
            head: DQuat::IDENTITY,
            arms: [arm; 2],
            feet: [foot(0), foot(1)],
            splay: 4.0,
        }
    }

    /// The hips' place and the local turns of [`MOVED`]; and how far the farthest foot is out of reach, metres.
    pub(super) fn solve(&self, figure: &Figure) -> (DVec3, [DQuat; MOVED.len()], f64) {
        let mut turns = [DQuat::IDENTITY; MOVED.len()];
        let hips = self.hips + figure.hips;
        turns[..5].copy_from_slice(&[figure.hips_turn, figure.spine, figure.chest, figure.neck, figure.head]);
        for (side, arm) in figure.arms.iter().enumerate() {
            let left = if side == 0 { 1.0 } else { -1.0 };
            let drop = about(DVec3::Z, (-(arm.down - 45.0) * left).to_radians());
            let elbow = self.arms[side].cross(DVec3::Z).normalize();
            let i = 5 + 2 * side;
            turns[i] = about(DVec3::X, -arm.swing.to_radians()) * drop;
            turns[i + 1] = about(elbow, arm.bend.to_radians());
        }
        let mut beyond: f64 = 0.0;
        for side in 0..2 {
            let (local, far) = self.leg(side, hips, figure);
            turns[9 + 4 * side..13 + 4 * side].copy_from_slice(&local);
            beyond = beyond.max(far);
        }
        (hips, turns, beyond)
    }

    fn leg(&self, side: usize, hips: DVec3, figure: &Figure) -> ([DQuat; 4], f64) {
        let foot = &figure.feet[side];
        let [hip, thigh, shin, sole] = self.legs[side];
        let left = if side == 0 { 1.0 } else { -1.0 };
        let heading = about(DVec3::Y, foot.heading.to_radians());
        let foot_turn = heading * about(DVec3::X, foot.pitch.to_radians());
        let from = hips + figure.hips_turn * hip;
        let ankle = foot.ball - foot_turn * sole;
        let way = ankle - from;
        let (a, b) = (thigh.length(), shin.length());
        let reach = way.length();
        let far = (reach - (a + b) * 0.9998).max(0.0);
        let d = reach.min((a + b) * 0.9998);
        let ahead = heading * about(DVec3::Y, (figure.splay * left).to_radians()) * DVec3::Z;
        let down = way / reach;
        // The knee lies `along` the way and `off` it, to the front.
        let along = (a * a - b * b + d * d) / (2.0 * d);
        let off = (a * a - along * along).max(0.0).sqrt();
        let front = (ahead - down * ahead.dot(down)).normalize();
        let knee = down * along + front * off;
        let upper = frame(knee.normalize(), front) * frame(thigh.normalize(), DVec3::Z).conjugate();
        let lower = frame((down * d - knee).normalize(), front) * frame(shin.normalize(), DVec3::Z).conjugate();
        let toes = about(DVec3::X, -foot.toes.to_radians());
        let local =
            [figure.hips_turn.conjugate() * upper, upper.conjugate() * lower, lower.conjugate() * foot_turn, toes];
        (local, far)
    }
}

/// The turn that leads -Y to `down` and Z as near as can be to `front`.
fn frame(down: DVec3, front: DVec3) -> DQuat {
    let y = -down;
    let x = y.cross(front).normalize();
    let z = x.cross(y);
    // From a matrix by its largest diagonal sum; all of these turns are far from a half turn or have a clear largest.
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

/// A place seen from above.
pub(super) fn flat(x: f64, z: f64) -> DVec3 {
    dvec3(x, 0.0, z)
}
