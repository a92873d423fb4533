//! The seam of a loop: how far the pose at its end is from the pose at its start, and how the loop is closed.

use crate::math::{Trs, lerp_shortest};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use glam::{Quat, Vec3};

/// Ratio of two seams that differ by more than rounding.
const CLEARLY_WORSE: f32 = 1.01;

/// A seam that counts as none: degrees of a local rotation, and metres of a tip.
pub(super) const CLOSED_SEAM: (f32, f32) = (0.1, 0.001);
/// Largest seam that is closed by blending, in degrees and metres. A larger seam would visibly bend the motion.
pub(super) const MAX_BLENDED_SEAM: (f32, f32) = (5.0, 0.02);
/// Duration of the blend, in seconds, and as a share of the loop; the shorter one counts.
pub(super) const BLEND_SECONDS: f64 = 0.5;
pub(super) const BLEND_SHARE: f64 = 0.25;

/// A cycle whose seam is smaller than that of the cycle before by this factor is still settling.
const SETTLING_FACTOR: f32 = 0.97;
/// Seams of several cycles that differ by more than this factor are irregular.
const IRREGULAR_FACTOR: f32 = 2.0;

/// The largest seam of a loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeamSize {
    /// The bone with the largest seam.
    pub bone: String,
    /// Angle of the local rotation.
    pub degrees: f32,
    /// Distance of the tip, in metres.
    pub metres: f32,
}

impl SeamSize {
    pub(super) fn is_at_most(&self, (degrees, metres): (f32, f32)) -> bool {
        self.degrees <= degrees && self.metres <= metres
    }

    /// Compares seams: 1 is a seam that counts as none.
    pub(super) fn severity(&self) -> f32 {
        (self.degrees / CLOSED_SEAM.0).max(self.metres / CLOSED_SEAM.1)
    }
}

/// Why a loop keeps its seam.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeamReason {
    /// The pose at the end of the motion is not the pose at its start.
    MotionDoesNotLoop,
    /// The seam shrinks too slowly, or stays: the swing has another rhythm, for example that of wind.
    NeverSettles,
    /// The seams of the cycles are irregular: small differences grow.
    Chaotic,
}

/// How a loop is closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LoopClosure {
    /// Start and end were equal within 0.1° and 1 mm.
    Closed,
    /// The last part of the loop was blended into its start.
    Blended {
        /// Duration of this part.
        seconds: f64,
    },
    /// The last key jumps.
    Open(SeamReason),
}

/// The result of a search for a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopReport {
    /// Number of loops that were simulated.
    pub cycles: u32,
    /// The seam before blending.
    pub seam: SeamSize,
    pub closure: LoopClosure,
}

/// The largest difference of two poses: local rotations of `joints`, and positions of their tips.
pub(super) fn measure_seam(skeleton: &Skeleton, poses: [&[Trs]; 2], joints: &[(BoneId, Vec3)]) -> SeamSize {
    let worlds = poses.map(|pose| WorldPose::from_pose(skeleton, &Pose { local: pose.to_vec() }));
    let mut largest = SeamSize::default();
    for (bone, tip) in joints {
        let [a, b] = poses.map(|pose| pose[bone.index()].rotation);
        let [tip_a, tip_b] = [&worlds[0], &worlds[1]].map(|world| world.frame(*bone).transform_point(*tip));
        let seam =
            SeamSize { bone: String::new(), degrees: angle_between(a, b).to_degrees(), metres: tip_a.distance(tip_b) };
        // The descendants of a bone move with it, so a bone replaces an earlier one only if it is clearly worse.
        if seam.severity() > largest.severity() * CLEARLY_WORSE {
            largest = SeamSize { bone: skeleton.name(*bone).to_owned(), ..seam };
        }
    }
    largest
}

/// Angle between two rotations in radians, exact for small angles.
fn angle_between(a: Quat, b: Quat) -> f32 {
    let chord = (a - b).length().min((a + b).length());
    4.0 * (chord / 2.0).min(1.0).asin()
}

/// Why the seams of consecutive cycles did not become small.
pub(super) fn seam_reason(severities: &[f32]) -> SeamReason {
    let shrinks = severities.windows(2).all(|pair| pair[1] <= pair[0] * SETTLING_FACTOR);
    let late = &severities[severities.len() / 2..];
    let largest = late.iter().copied().fold(0.0, f32::max);
    let smallest = late.iter().copied().fold(f32::MAX, f32::min);
    if shrinks || largest <= smallest * IRREGULAR_FACTOR { SeamReason::NeverSettles } else { SeamReason::Chaotic }
}

/// Moves the poses of the last part of a loop so that it ends in `start`. `end` is the pose at the end before. Each
/// item of `poses` has its share of the blend, 0 to 1.
pub(super) fn blend_into_start<'p>(
    bones: &[BoneId],
    start: &[Trs],
    end: &[Trs],
    poses: impl Iterator<Item = (f32, &'p mut [Trs])>,
) {
    for (share, pose) in poses {
        let share = share * share * (3.0 - 2.0 * share);
        for bone in bones.iter().map(|bone| bone.index()) {
            let (start, end, local) = (start[bone], end[bone], &mut pose[bone]);
            if start == end {
                continue;
            }
            // The offset is blended and not the pose, so that the swing keeps its detail.
            let offset = start.rotation * end.rotation.inverse();
            local.rotation = (lerp_shortest(Quat::IDENTITY, offset, share) * local.rotation).normalize();
            local.translation += (start.translation - end.translation) * share;
            local.scale += (start.scale - end.scale) * share;
        }
    }
}
