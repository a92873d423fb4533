//! The seam of a loop: how far the pose at its end is from the pose at its start, and how the loop is closed.

use glam::{Quat, Vec3};
use yuremono_sim::diagnostics::{MessageText, excerpt, message};
use yuremono_sim::math::{Trs, lerp_shortest, rotation_angle};
use yuremono_sim::rig::{BoneId, Pose, Skeleton, WorldPose};

/// Ratio of two seams that differ by more than rounding.
const CLEARLY_WORSE: f32 = 1.01;

/// Largest seam that counts as none.
pub(super) const CLOSED_SEAM: SeamLimit = SeamLimit { degrees: 0.1, metres: 0.001 };
/// Largest seam that is closed by blending. A larger seam would visibly bend the motion.
pub(super) const MAX_BLENDED_SEAM: SeamLimit = SeamLimit { degrees: 5.0, metres: 0.02 };
/// Duration of the blend, in seconds, and as a share of the loop; the shorter one counts.
pub(super) const BLEND_SECONDS: f64 = 0.5;
pub(super) const BLEND_SHARE: f64 = 0.25;

/// A cycle whose seam is smaller than that of the cycle before by this factor is still settling.
const SETTLING_FACTOR: f32 = 0.97;
/// Seams of several cycles that differ by more than this factor are irregular.
const IRREGULAR_FACTOR: f32 = 2.0;

/// The size up to which a seam is accepted.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeamLimit {
    /// Angle of a local rotation.
    pub(super) degrees: f32,
    /// Distance of a tip, in metres.
    pub(super) metres: f32,
}

/// The largest seam of a loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeamSize {
    /// Largest angle of a local rotation.
    pub degrees: f32,
    /// The bone with the largest angle.
    pub degrees_bone: String,
    /// Largest distance of a tip, in metres.
    pub metres: f32,
    /// The bone with the largest distance.
    pub metres_bone: String,
}

impl SeamSize {
    pub(super) fn is_at_most(&self, limit: SeamLimit) -> bool {
        self.degrees <= limit.degrees && self.metres <= limit.metres
    }

    /// Compares seams: 1 is the largest seam that counts as none.
    pub(super) fn severity(&self) -> f32 {
        (self.degrees / CLOSED_SEAM.degrees).max(self.metres / CLOSED_SEAM.metres)
    }

    /// The larger angle and the larger distance, each with its bone.
    pub(super) fn max(self, other: Self) -> Self {
        let (turned, moved) = (other.degrees > self.degrees, other.metres > self.metres);
        let (degrees, degrees_bone) =
            if turned { (other.degrees, other.degrees_bone) } else { (self.degrees, self.degrees_bone) };
        let (metres, metres_bone) =
            if moved { (other.metres, other.metres_bone) } else { (self.metres, self.metres_bone) };
        Self { degrees, degrees_bone, metres, metres_bone }
    }

    /// Degrees and millimetres have this number of decimals.
    pub(super) fn text(&self, decimals: usize) -> MessageText {
        let angle = format!("{:.decimals$}", self.degrees);
        let distance = format!("{:.decimals$}", 1000.0 * self.metres);
        let [turned, moved] = [&self.degrees_bone, &self.metres_bone].map(|bone| excerpt(bone));
        // A seam without angle or without distance has one bone.
        if turned == moved || turned.is_empty() || moved.is_empty() {
            return message!(
                "\"{bone}\" ends {angle} degrees and {distance} mm away from its start",
                bone = if turned.is_empty() { moved } else { turned },
                angle,
                distance
            );
        }
        message!(
            "\"{turned}\" ends {angle} degrees and \"{moved}\" {distance} mm away from its start",
            turned,
            angle,
            moved,
            distance
        )
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

/// The largest differences of two poses: local rotations of `joints`, and positions of their tips. Tips are offsets in
/// metres along the axes of their bones.
pub(super) fn measure_seam(skeleton: &Skeleton, poses: [&[Trs]; 2], joints: &[(BoneId, Vec3)]) -> SeamSize {
    let worlds = poses.map(|pose| WorldPose::from_pose(skeleton, &Pose { local: pose.to_vec() }));
    let mut largest = SeamSize::default();
    for (bone, tip) in joints {
        let [a, b] = poses.map(|pose| pose[bone.index()].rotation);
        let [tip_a, tip_b] = [&worlds[0], &worlds[1]].map(|world| world.frame(*bone).offset_point(*tip));
        let (degrees, metres) = (rotation_angle(a, b).to_degrees(), tip_a.distance(tip_b));
        // The descendants of a bone move with it, so a bone replaces an earlier one only if it is clearly worse.
        if degrees > largest.degrees * CLEARLY_WORSE {
            (largest.degrees, largest.degrees_bone) = (degrees, skeleton.name(*bone).to_owned());
        }
        if metres > largest.metres * CLEARLY_WORSE {
            (largest.metres, largest.metres_bone) = (metres, skeleton.name(*bone).to_owned());
        }
    }
    largest
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

#[cfg(test)]
mod tests {
    use super::*;
    use yuremono_sim::rig::Bone;

    #[test]
    fn tips_are_measured_in_metres_of_the_world() {
        let bone = |name: &str, parent: Option<u32>, rest: Trs| Bone {
            name: name.to_owned(),
            parent: parent.map(BoneId),
            rest,
        };
        let root = Trs { scale: Vec3::splat(100.0), ..Trs::IDENTITY };
        let bones = vec![bone("root", None, root), bone("hair", Some(0), Trs::IDENTITY)];
        let skeleton = Skeleton::new(bones).expect("parents first");
        let start = Pose::rest(&skeleton).local;
        let mut end = start.clone();
        end[1].rotation = Quat::from_rotation_x(0.01);
        let seam = measure_seam(&skeleton, [&start, &end], &[(BoneId(1), Vec3::Y)]);
        assert!((seam.metres - 0.01).abs() < 1e-5 && seam.metres_bone == "hair", "{seam:?}");
    }

    #[test]
    fn the_largest_angle_and_the_largest_distance_keep_their_own_bones() {
        let bone = |name: &str| Bone { name: name.to_owned(), parent: None, rest: Trs::IDENTITY };
        let skeleton = Skeleton::new(vec![bone("turns"), bone("moves")]).expect("parents first");
        let start = Pose::rest(&skeleton).local;
        let mut end = start.clone();
        end[0].rotation = Quat::from_rotation_x(6.0_f32.to_radians());
        end[1].translation.x = 0.5;
        let heads = [(BoneId(0), Vec3::ZERO), (BoneId(1), Vec3::ZERO)];
        let seam = measure_seam(&skeleton, [&start, &end], &heads);
        assert_eq!((&*seam.degrees_bone, &*seam.metres_bone), ("turns", "moves"));
        let long = SeamLimit { degrees: 5.0, metres: 1.0 };
        assert!(!seam.is_at_most(MAX_BLENDED_SEAM) && !seam.is_at_most(long), "{seam:?}");
        let other = SeamSize { degrees: 1.0, metres: 1.0, metres_bone: "far".to_owned(), ..SeamSize::default() };
        let both = seam.max(other);
        assert_eq!((&*both.degrees_bone, &*both.metres_bone), ("turns", "far"));
    }
}
