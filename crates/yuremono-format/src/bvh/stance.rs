//! The standing pose of a motion capture: its axes, its unit, and its floor.
//!
//! The zero pose of a BVH is often no standing pose: all bones point along one axis (`LaFAN`, Rokoko), legs are slanted
//! (CMU), or the frames have another axis up than the skeleton. The frames are reliable, because they show a body that
//! somebody recorded. So the direction of up follows from the frames. A zero pose that does not stand is replaced by the
//! mean pose of the frames, with the torso and the legs made straight. The legs are always made straight, because the
//! height of the hips must be the length of the legs.

use super::{ChannelKind, Joint, Motion, position, rotation};
use glam::{Mat3, Quat, Vec3};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::{BoneId, Humanoid};

/// Largest number of frames that are measured.
const MAX_MEASURED_FRAMES: usize = 300;
/// Lowest height of the hips that can be scaled, in the unit of the file.
const MIN_HIPS_HEIGHT: f32 = 1e-4;
/// Smallest cosine of the angle between a standing body part and the vertical.
const STANDING_COSINE: f32 = 0.7;
/// Height of the feet that counts as the floor of the file, as a share of the height of the hips.
const FLOOR_TOLERANCE: f32 = 0.015;
/// A floor further from height 0 is reported, as a share of the height of the hips.
const FLOOR_DOUBT: f32 = 0.15;
/// Share of the frames in which the lowest foot is in the air or the measurement is noisy.
const FLOOR_PERCENTILE: f32 = 0.2;
/// Cosines of the angle between usable toes and the instep.
const TOES_COSINE: std::ops::Range<f32> = 0.8..0.97;
/// How far the toes are below the ankle, as a share of their horizontal distance.
const INSTEP_SLOPE: f32 = 0.5;
/// A foot is in contact in this share of the frames, in which it is lowest.
const CONTACT_SHARE: f32 = 0.25;

/// How a capture stands.
pub(super) struct Stance {
    /// Rotation from the axes of the frames to an upright body that faces +Z.
    pub rotation: Quat,
    /// Rotation of each joint relative to its parent in the standing pose. The space of a root is that of the frames.
    pub locals: Vec<Quat>,
    /// Metres per unit of the file, for hips at a height of 1 m.
    pub scale: f32,
    /// Position of the body's root above the ground in the standing pose, in the space of the frames.
    pub root: Vec3,
    /// Offset of the root that moves the frames onto the floor, and starts the hips where the standing pose has them.
    pub offset: Vec3,
    /// What the file does not say.
    pub assumptions: Vec<MessageText>,
}

/// The joints of a file with their roles.
pub(super) struct CapturedBody<'a> {
    pub joints: &'a [Joint],
    hips: Option<usize>,
    head: Option<usize>,
    /// Thigh, shin, foot of each side.
    legs: [[Option<usize>; 3]; 2],
    toes: [Option<usize>; 2],
    shoulders: [Option<usize>; 2],
    /// Roles of the torso that exist, upwards from the spine.
    torso: Vec<usize>,
    /// The root above the hips.
    pub root: usize,
    /// Whether the positions of a joint in the frames are used: the hips and their ancestors.
    pub is_moving: Vec<bool>,
}

/// A pose in the space of the frames.
struct WorldPose {
    rotations: Vec<Quat>,
    positions: Vec<Vec3>,
}

/// Two axes of a body.
#[derive(Clone, Copy, PartialEq)]
struct BodyAxes {
    left: Vec3,
    up: Vec3,
}

impl BodyAxes {
    /// Returns the nearest axes of the file. `None` if a direction has no length.
    fn nearest(left: Vec3, up: Vec3) -> Option<Self> {
        let up = nearest_axis(up)?;
        Some(Self { left: nearest_axis(left.reject_from_normalized(up))?, up })
    }

    /// Returns the rotation to an upright body that faces +Z.
    fn rotation(self) -> Quat {
        Quat::from_mat3(&Mat3::from_cols(self.left, self.up, self.left.cross(self.up))).inverse()
    }
}

/// Returns the axis of the file nearest to a direction, or `None` for a direction of length zero.
fn nearest_axis(direction: Vec3) -> Option<Vec3> {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
    let nearest = axes.into_iter().max_by(|a, b| a.dot(direction).total_cmp(&b.dot(direction)))?;
    (nearest.dot(direction) > 0.0).then_some(nearest)
}

impl<'a> CapturedBody<'a> {
    pub(super) fn new(joints: &'a [Joint], humanoid: &Humanoid) -> Self {
        let role = |role: &str| humanoid.bone(role).map(BoneId::index);
        let legs =
            ["left", "right"].map(|side| ["UpperLeg", "LowerLeg", "Foot"].map(|part| role(&format!("{side}{part}"))));
        let hips = role("hips");
        let mut is_moving = vec![false; joints.len()];
        let mut root = hips.unwrap_or(0);
        is_moving[root] = true;
        while let Some(parent) = joints[root].parent {
            root = parent;
            is_moving[root] = true;
        }
        let torso = ["spine", "chest", "upperChest", "neck", "head"];
        Self {
            joints,
            hips,
            head: role("head").or_else(|| role("neck")),
            legs,
            toes: ["leftToes", "rightToes"].map(role),
            shoulders: ["leftUpperArm", "rightUpperArm"].map(role),
            torso: torso.into_iter().filter_map(role).collect(),
            root,
            is_moving,
        }
    }

    /// Returns the positions of joints for rotations in the space of the frames. `place` is the position of a joint
    /// relative to its parent.
    fn positions(&self, rotations: &[Quat], place: impl Fn(usize) -> Vec3) -> Vec<Vec3> {
        let mut positions: Vec<Vec3> = Vec::with_capacity(self.joints.len());
        for (index, joint) in self.joints.iter().enumerate() {
            let parent = joint.parent;
            positions.push(parent.map_or(place(index), |up| positions[up] + rotations[up] * place(index)));
        }
        positions
    }

    /// Returns a standing pose with its root at the origin, because the offset of a root is not the length of a bone.
    fn pose(&self, rotations: Vec<Quat>) -> WorldPose {
        let offset =
            |joint: usize| if self.joints[joint].parent.is_none() { Vec3::ZERO } else { self.joints[joint].offset };
        WorldPose { positions: self.positions(&rotations, offset), rotations }
    }

    fn frame(&self, values: &[f32]) -> WorldPose {
        let (mut rotations, mut places): (Vec<Quat>, Vec<Vec3>) = (Vec::new(), Vec::new());
        let mut first = 0;
        for (index, joint) in self.joints.iter().enumerate() {
            let own = &values[first..first + joint.channels.len()];
            first += joint.channels.len();
            let local = rotation(&joint.channels, own);
            rotations.push(joint.parent.map_or(local, |parent| rotations[parent] * local));
            places.push(if self.is_moving[index] { position(joint, own) } else { joint.offset });
        }
        WorldPose { positions: self.positions(&rotations, |joint| places[joint]), rotations }
    }

    /// Returns frames at equal distances, the first frame included.
    fn measured_frames(&self, motion: &Motion) -> Vec<WorldPose> {
        let stride: usize = self.joints.iter().map(|joint| joint.channels.len()).sum();
        let frames = motion.values.chunks_exact(stride.max(1));
        let step = frames.len().div_ceil(MAX_MEASURED_FRAMES).max(1);
        frames.step_by(step).map(|values| self.frame(values)).collect()
    }

    /// Whether the frames move the body.
    pub(super) fn has_positions(&self) -> bool {
        let moves = |joint: &Joint| joint.channels.iter().any(|kind| matches!(kind, ChannelKind::Position(_)));
        self.joints.iter().zip(&self.is_moving).any(|(joint, moving)| *moving && moves(joint))
    }

    fn is_below(&self, joint: usize, above: usize) -> bool {
        std::iter::successors(Some(joint), |joint| self.joints[*joint].parent).any(|joint| joint == above)
    }

    fn feet(&self) -> impl Iterator<Item = usize> + '_ {
        self.legs.iter().filter_map(|leg| leg[2])
    }

    /// Returns the directions to the left and up, from the legs and the head.
    fn directions(&self, pose: &WorldPose) -> Option<[Vec3; 2]> {
        let at = |joint: Option<usize>| joint.map(|joint| pose.positions[joint]);
        let between = |from: Option<usize>, to: Option<usize>| Some(at(to)? - at(from)?);
        let foot = self.legs[0][2];
        let up =
            between(foot, self.head).or_else(|| between(foot, self.hips)).or_else(|| between(self.hips, self.head))?;
        let left =
            between(self.legs[1][0], self.legs[0][0]).or_else(|| between(self.shoulders[1], self.shoulders[0]))?;
        Some([left, up])
    }

    /// Whether the torso points up and the legs point down.
    fn stands(&self, pose: &WorldPose, up: Vec3) -> bool {
        let cosine = |from: Option<usize>, to: Option<usize>| {
            let along = pose.positions[to?] - pose.positions[from?];
            Some(along.try_normalize()?.dot(up))
        };
        let torso = cosine(self.hips, self.head).is_none_or(|cosine| cosine > STANDING_COSINE);
        let leg = |[thigh, _, foot]: &[Option<usize>; 3]| cosine(*thigh, *foot).is_none_or(|c| c < -STANDING_COSINE);
        torso && self.legs.iter().all(leg)
    }

    /// Returns the lowest point of the joints below any of `tops`, with their end sites.
    fn lowest(&self, pose: &WorldPose, up: Vec3, tops: &[usize]) -> f32 {
        let mut lowest = f32::MAX;
        for (index, joint) in self.joints.iter().enumerate() {
            if tops.iter().any(|top| self.is_below(index, *top)) {
                let end = joint.end.map(|end| pose.positions[index] + pose.rotations[index] * end);
                let points = [Some(pose.positions[index]), end];
                lowest = points.into_iter().flatten().fold(lowest, |lowest, point| lowest.min(point.dot(up)));
            }
        }
        lowest
    }

    /// Returns the length of a leg from the thigh to the foot, or 0 if no leg is known.
    fn leg_length(&self) -> f32 {
        let zero = self.pose(vec![Quat::IDENTITY; self.joints.len()]);
        let length = |[thigh, shin, foot]: &[Option<usize>; 3]| {
            let [thigh, shin, foot] = [(*thigh)?, (*shin)?, (*foot)?].map(|joint| zero.positions[joint]);
            Some(thigh.distance(shin) + shin.distance(foot))
        };
        self.legs.iter().filter_map(length).fold(0.0, f32::max)
    }

    pub(super) fn stance(&self, motion: &Motion) -> Stance {
        let frames = self.measured_frames(motion);
        let zero = self.pose(vec![Quat::IDENTITY; self.joints.len()]);
        let directions = self.directions(&zero);
        let zero_axes = directions.and_then(|[left, up]| BodyAxes::nearest(left, up));
        let standing_axes = zero_axes.filter(|axes| self.stands(&zero, axes.up));
        let mut assumptions = Vec::new();
        let axes = self.axes(&frames, standing_axes, &mut assumptions).or(zero_axes);
        let frame_rotation = axes.map_or(Quat::IDENTITY, BodyAxes::rotation);
        let up = axes.map_or(Vec3::Y, |axes| axes.up);

        let mean = axes.filter(|_| standing_axes.is_none()).and_then(|axes| self.mean_rotations(&frames, axes));
        let is_mean = mean.is_some();
        let mut rotations = mean.unwrap_or_else(|| {
            let is_turned = standing_axes.is_some_and(|zero| axes != Some(zero));
            let turn = standing_axes.filter(|_| is_turned).map(|zero| frame_rotation.inverse() * zero.rotation());
            vec![turn.unwrap_or_default(); self.joints.len()]
        });
        if is_mean {
            assumptions.push(message!(
                "the zero pose is not a standing pose. The standing pose is derived from the frames, so the twist of arms \
                 and legs is an assumption"
            ));
            for pair in self.torso.windows(2) {
                self.point(&mut rotations, [pair[0], pair[1]], up, false);
            }
        }
        for [thigh, shin, foot] in &self.legs {
            for (bone, end) in [(thigh, shin), (shin, foot)] {
                if let (Some(bone), Some(end), true) = (bone, end, axes.is_some()) {
                    self.point(&mut rotations, [*bone, *end], -up, !is_mean);
                }
            }
        }
        if is_mean {
            self.flatten_feet(&mut rotations, up);
        }
        let standing = self.pose(rotations);
        // The ends of toes in a zero pose that does not stand may have any direction.
        let lowest = if is_mean {
            standing.positions.iter().map(|position| position.dot(up)).fold(0.0, f32::min)
        } else {
            self.lowest(&standing, up, &[self.root]).min(0.0)
        };
        let hips = self.hips.map_or(0.0, |hips| standing.positions[hips].dot(up)) - lowest;
        let scale = if hips.is_finite() && hips > MIN_HIPS_HEIGHT { hips.recip() } else { 1.0 };
        let height = self.floor_height(&frames, up, &standing, lowest);
        if height.abs() > hips * FLOOR_DOUBT {
            assumptions.push(message!(
                "the feet stand at a height of {height} in the unit of the file; expected 0. The motion is moved onto the \
                 floor",
                height = format!("{height:.1}")
            ));
        }
        let centre = self.hips.unwrap_or(self.root);
        let start = frames.first().map_or(Vec3::ZERO, |frame| frame.positions[centre] - standing.positions[centre]);
        let start = start.reject_from_normalized(up);
        let parent = |joint: &Joint| joint.parent.map_or(Quat::IDENTITY, |parent| standing.rotations[parent]);
        let joints = self.joints.iter().zip(&standing.rotations);
        Stance {
            rotation: frame_rotation,
            locals: joints.map(|(joint, world)| (parent(joint).inverse() * *world).normalize()).collect(),
            scale,
            root: if lowest.is_finite() { up * -lowest } else { Vec3::ZERO },
            offset: up * -height - start,
            assumptions,
        }
    }

    /// Returns the axes of the body in the frames. `standing` are the axes of a zero pose that stands. Returns `None` if
    /// the roles do not determine the axes.
    fn axes(
        &self,
        frames: &[WorldPose],
        standing: Option<BodyAxes>,
        assumptions: &mut Vec<MessageText>,
    ) -> Option<BodyAxes> {
        let ups = frames.iter().filter_map(|frame| self.directions(frame)?[1].try_normalize());
        let mean_up = ups.sum::<Vec3>() / frames.len().max(1) as f32;
        let Some(zero) = standing else {
            let [left, _] = self.directions(frames.first()?)?;
            return BodyAxes::nearest(left, mean_up);
        };
        // A body that lies or rolls does not show what is up.
        let other = nearest_axis(mean_up).filter(|_| mean_up.length() > STANDING_COSINE);
        let Some(other) = other.filter(|other| *other != zero.up) else { return Some(zero) };
        let leg = self.leg_length();
        let feet: Vec<usize> = self.feet().collect();
        let lowest = |up: Vec3, tops: &[usize]| percentile(frames.iter().map(|frame| self.lowest(frame, up, tops)));
        let stands_on_other_floor = lowest(other, &feet).abs() < leg * FLOOR_DOUBT;
        let lies_on_floor = lowest(zero.up, &[self.root]).abs() < leg * FLOOR_DOUBT;
        let name =
            |axis: Vec3| ["X", "Y", "Z"].into_iter().zip(axis.to_array()).find(|axis| axis.1 != 0.0).map(|a| a.0);
        let [up, skeleton_up] = [other, zero.up].map(|axis| name(axis).unwrap_or_default());
        if lies_on_floor && !stands_on_other_floor {
            assumptions.push(message!(
                "the body lies in all frames. Assumed that {up} is up, as in the zero pose",
                up = skeleton_up
            ));
            return Some(zero);
        }
        assumptions.push(message!(
            "the body stands along {up} in the frames, and along {skeleton_up} in the zero pose. Assumed that {up} is up",
            up,
            skeleton_up
        ));
        Some(BodyAxes { left: Quat::from_rotation_arc(zero.up, other) * zero.left, up: other })
            .and_then(|axes| BodyAxes::nearest(axes.left, axes.up))
    }

    /// Returns the mean rotation of each joint in the space of the frames, as if the body had always faced one way. Feet
    /// count only while they are lowest, so that they are flat on the floor. `None` without frames.
    fn mean_rotations(&self, frames: &[WorldPose], axes: BodyAxes) -> Option<Vec<Quat>> {
        let back = axes.rotation().inverse();
        let facing = |frame: &WorldPose| {
            let [left, _] = self.directions(frame)?;
            let left = left.reject_from_normalized(axes.up).try_normalize()?;
            let heading = Quat::from_mat3(&Mat3::from_cols(left, axes.up, left.cross(axes.up)));
            Some(back * heading.inverse())
        };
        let headings: Vec<Option<Quat>> = frames.iter().map(facing).collect();
        let feet: Vec<(usize, f32)> = self.feet().map(|foot| (foot, contact_height(frames, axes.up, foot))).collect();
        let mean = |joint: usize| {
            let foot = feet.iter().find(|(foot, _)| self.is_below(joint, *foot));
            let mut sum = glam::Vec4::ZERO;
            for (frame, heading) in frames.iter().zip(&headings) {
                let is_contact = foot.is_none_or(|(foot, height)| frame.positions[*foot].dot(axes.up) <= *height);
                if let (Some(heading), true) = (heading, is_contact) {
                    let turned = glam::Vec4::from(*heading * frame.rotations[joint]);
                    sum += if sum.dot(turned) < 0.0 { -turned } else { turned };
                }
            }
            Some(Quat::from_vec4(sum.try_normalize()?))
        };
        (0..self.joints.len()).map(mean).collect()
    }

    /// Rotates a bone so that it points to `direction`. `descends` rotates the joints below it too.
    fn point(&self, rotations: &mut [Quat], [bone, end]: [usize; 2], direction: Vec3, descends: bool) {
        let next = std::iter::successors(Some(end), |joint| self.joints[*joint].parent)
            .find(|joint| self.joints[*joint].parent == Some(bone));
        let along = next.and_then(|next| (rotations[bone] * self.joints[next].offset).try_normalize());
        let Some(along) = along else { return };
        self.turn(rotations, bone, Quat::from_rotation_arc(along, direction), descends);
    }

    /// Rotates the feet so that the toes are level. Where the toes have no usable end, the foot gets the usual slope.
    fn flatten_feet(&self, rotations: &mut [Quat], up: Vec3) {
        for (foot, toes) in self.feet().zip(self.toes) {
            let Some(toes) = toes.filter(|toes| self.joints[*toes].parent == Some(foot)) else { continue };
            let Some(instep) = (rotations[foot] * self.joints[toes].offset).try_normalize() else { continue };
            let child = self.joints.iter().find(|joint| joint.parent == Some(toes)).map(|joint| joint.offset);
            let end = child.or(self.joints[toes].end).and_then(|end| (rotations[toes] * end).try_normalize());
            let level = |along: Vec3| along.reject_from_normalized(up);
            let end =
                end.filter(|end| TOES_COSINE.contains(&end.dot(instep)) && level(*end).length() > STANDING_COSINE);
            let (from, to) = match end {
                Some(end) => (end, level(end)),
                None => (instep, level(instep).normalize_or_zero() - up * INSTEP_SLOPE),
            };
            if let Some(to) = to.try_normalize() {
                self.turn(rotations, foot, Quat::from_rotation_arc(from, to), true);
            }
        }
    }

    /// Rotates a bone. `descends` rotates the joints below it too.
    fn turn(&self, rotations: &mut [Quat], bone: usize, turn: Quat, descends: bool) {
        for (joint, rotation) in rotations.iter_mut().enumerate() {
            if joint == bone || (descends && self.is_below(joint, bone)) {
                *rotation = (turn * *rotation).normalize();
            }
        }
    }

    /// Returns the height of the floor in the frames. In most frames an ankle is as high above the floor as in the
    /// standing pose: the toes would be wrong, because they sink into the floor when the heel is lifted. A body that
    /// lies or climbs has its floor at height 0, unless it never comes near this height.
    fn floor_height(&self, frames: &[WorldPose], up: Vec3, standing: &WorldPose, ground: f32) -> f32 {
        let ankle = |pose: &WorldPose| self.feet().map(|foot| pose.positions[foot].dot(up)).fold(f32::MAX, f32::min);
        let body = |pose: &WorldPose| self.lowest(pose, up, &[self.root]);
        let Some(hips) = self.hips.filter(|_| self.has_positions() && self.feet().next().is_some()) else { return 0.0 };
        let leg = standing.positions[hips].dot(up) - ground;
        let ankle_height = ankle(standing) - ground;
        let stands = |frame: &&WorldPose| {
            ankle(frame) - body(frame) < ankle_height + leg * FLOOR_DOUBT
                && frame.positions[hips].dot(up) - ankle(frame) > leg * 0.5
        };
        let floors = frames.iter().filter(stands).map(|frame| ankle(frame) - ankle_height);
        let is_standing = floors.clone().count() as f32 >= frames.len() as f32 * FLOOR_PERCENTILE;
        let (height, tolerance) = if is_standing {
            (percentile(floors), FLOOR_TOLERANCE)
        } else {
            (percentile(frames.iter().map(body)), FLOOR_DOUBT)
        };
        if height.is_finite() && height.abs() > leg * tolerance { height } else { 0.0 }
    }
}

/// Returns the value below which [`FLOOR_PERCENTILE`] of the values are.
fn percentile(values: impl Iterator<Item = f32>) -> f32 {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    values.get((values.len() as f32 * FLOOR_PERCENTILE) as usize).copied().unwrap_or_default()
}

/// Returns the height below which the ankle of a foot on the floor is. Toes are lower while the heel is lifted.
fn contact_height(frames: &[WorldPose], up: Vec3, foot: usize) -> f32 {
    let mut heights: Vec<f32> = frames.iter().map(|frame| frame.positions[foot].dot(up)).collect();
    heights.sort_by(f32::total_cmp);
    heights.get((heights.len() as f32 * CONTACT_SHARE) as usize).copied().unwrap_or(f32::MAX)
}
