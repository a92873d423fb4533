//! Quantities of joints over the last seconds, computed from the recorded poses.
//!
//! All quantities follow from poses, so a joint that is selected later also has a past. Penetrations use the present
//! radii and colliders. Values of past ticks are kept, so that a frame computes only new ticks.

use super::Session;
use super::playback::RecentMotion;
use glam::Vec3;
use std::collections::VecDeque;
use std::ops::Range;
use yuremono_model::feel::ring_down::RingDown;
use yuremono_sim::TipPart;
use yuremono_sim::rig::{AngleKind, JointAngle};
use yuremono_sim::rig::{BoneId, Pose, WorldPose};

/// Maximum number of joints in a graph.
pub const MAX_GRAPH_JOINTS: usize = 8;

/// What a graph shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GraphView {
    /// Angles in degrees.
    #[default]
    Angle,
    /// Speeds of tips in the world, in m/s.
    Speed,
    /// Depths of tips in colliders and in the ground, in millimetres.
    Penetration,
    /// Why the tip of the first joint moved in each step, one line per [`TipPart`]: the parts of the movement in the
    /// direction in which the shown angle grows, in millimetres. Known only while the joint is probed.
    Parts,
}

impl GraphView {
    pub const ALL: [Self; 4] = [Self::Angle, Self::Speed, Self::Penetration, Self::Parts];

    /// Returns the number of lines of a graph of some joints.
    fn line_count(self, joints: usize) -> usize {
        match self {
            Self::Parts if joints > 0 => TipPart::ALL.len(),
            _ => joints,
        }
    }
}

/// A joint of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphJoint {
    pub bone: BoneId,
    /// The shown angle.
    pub angle: JointAngle,
}

/// The values of some joints in the recorded ticks.
#[derive(Debug, Default)]
pub struct MotionGraph {
    view: GraphView,
    joints: Vec<(BoneId, AngleKind)>,
    /// The ticks with values.
    ticks: Range<u64>,
    /// One list per line, with one value per tick. Unknown values are NaN.
    values: Vec<VecDeque<f32>>,
    /// The tip of each joint in the last tick.
    last_tips: Vec<Option<Vec3>>,
    pose: Pose,
    frames: WorldPose,
}

impl MotionGraph {
    /// Computes the values of new ticks, and of all ticks if the view or the joints differ from the last call.
    pub fn update(&mut self, session: &Session, recent: &RecentMotion, view: GraphView, joints: &[GraphJoint]) {
        let shown: Vec<_> = joints.iter().map(|joint| (joint.bone, joint.angle.kind)).collect();
        let recorded = recent.ticks();
        let has_gap = self.ticks.end < recorded.start || self.ticks.end > recorded.end;
        if (self.view, &self.joints) != (view, &shown) || has_gap {
            self.values = vec![VecDeque::new(); view.line_count(shown.len())];
            self.last_tips = vec![None; shown.len()];
            (self.view, self.joints, self.ticks) = (view, shown, recorded.start..recorded.start);
        }
        for _ in self.ticks.start..recorded.start {
            self.values.iter_mut().for_each(|values| _ = values.pop_front());
        }
        self.ticks.start = recorded.start;
        for tick in self.ticks.end..recorded.end {
            self.push(session, recent, tick, joints);
        }
        self.ticks.end = recorded.end;
    }

    /// Computes the values of a tick.
    fn push(&mut self, session: &Session, recent: &RecentMotion, tick: u64, joints: &[GraphJoint]) {
        let (playback, skeleton) = (session.playback(), session.playback().world().skeleton());
        recent.pose_into(tick, &mut self.pose);
        if self.pose.local.len() != skeleton.len() {
            // A preview can have other helpers than the document; helpers follow the bones of the file.
            self.pose.local.truncate(session.character().skeleton.len());
            let helpers = skeleton.bones().iter().skip(self.pose.local.len());
            self.pose.local.extend(helpers.map(|bone| bone.rest));
        }
        self.frames.update(skeleton, &self.pose);
        let before = tick.checked_sub(1).and_then(|before| recent.seconds_back(before));
        let seconds = before.zip(recent.seconds_back(tick)).map(|(before, now)| (before - now) as f32);
        if let (GraphView::Parts, Some(joint)) = (self.view, joints.first()) {
            return self.push_parts(session, tick, joint);
        }
        for (at, joint) in joints.iter().enumerate() {
            let tip = playback.tip_position(&self.frames, joint.bone);
            let last = std::mem::replace(&mut self.last_tips[at], tip);
            let value = tip.and_then(|tip| match self.view {
                GraphView::Angle => {
                    let head = self.frames.frames.get(joint.bone.index())?.position;
                    Some(joint.angle.degrees(&self.frames, tip - head))
                }
                GraphView::Speed => Some(last?.distance(tip) / seconds?),
                GraphView::Penetration => {
                    let joint = playback.joint_index(joint.bone)?;
                    Some(playback.world().penetration(joint, &self.frames)? * 1e3)
                }
                GraphView::Parts => None,
            });
            self.values[at].push_back(value.filter(|value| value.is_finite()).unwrap_or(f32::NAN));
        }
    }

    /// Adds the parts of a joint's movement in a tick. `frames` is the pose of the tick.
    fn push_parts(&mut self, session: &Session, tick: u64, joint: &GraphJoint) {
        let playback = session.playback();
        let probed = playback.probed_parts(tick).filter(|_| playback.probed_bone() == Some(joint.bone));
        let head = self.frames.frames.get(joint.bone.index()).map(|frame| frame.position);
        let direction = playback.tip_position(&self.frames, joint.bone).zip(head).map(|(tip, head)| tip - head);
        for (values, part) in self.values.iter_mut().zip(TipPart::ALL) {
            let value = probed.zip(direction).map(|(parts, direction)| {
                let without = joint.angle.degrees(&self.frames, direction - parts.get(part));
                let turned = joint.angle.degrees(&self.frames, direction) - without;
                // Angles in a plane jump by a full turn.
                let turned = (turned + 180.0).rem_euclid(360.0) - 180.0;
                turned.to_radians() * direction.length() * 1e3
            });
            values.push_back(value.filter(|value| value.is_finite()).unwrap_or(f32::NAN));
        }
    }

    /// Returns the number of lines: one per joint of the last update, or one per part.
    pub fn line_count(&self) -> usize {
        self.values.len()
    }

    /// Returns the ticks and the values of a line. Ticks without a value are skipped.
    pub fn points(&self, line: usize) -> impl Iterator<Item = (u64, f32)> {
        let values = self.values.get(line).into_iter().flatten().copied();
        (self.ticks.start..).zip(values).filter(|(_, value)| !value.is_nan())
    }

    /// Returns the value of a line in a tick.
    pub fn value(&self, line: usize, tick: u64) -> Option<f32> {
        let at = usize::try_from(tick.checked_sub(self.ticks.start)?).ok()?;
        self.values.get(line)?.get(at).copied().filter(|value| !value.is_nan())
    }

    /// Returns the lowest and the highest value of all lines since a tick.
    pub fn range_since(&self, tick: u64) -> Option<[f32; 2]> {
        let all = (0..self.line_count()).flat_map(|line| self.points(line)).filter(|(at, _)| *at >= tick);
        all.map(|(_, value)| [value; 2]).reduce(|[low, high], [a, b]| [low.min(a), high.max(b)])
    }
}

impl Session {
    /// Starts to measure how the motion of a joint dies away in a still pose, in a copy of the world. Returns `None` if
    /// the bone is not a joint.
    pub fn start_ring_down(&self, bone: BoneId) -> Option<RingDown> {
        let source = super::PlaybackSource { character: &self.character, document: &self.document };
        let joint = self.playback.joint_index(bone)?;
        let angles = self.inspection().joint_angles(bone);
        let pose = self.playback.still_pose(source);
        let world = self.playback.world_without_held_joints(source);
        RingDown::new(world, pose, joint, angles, self.playback.tick_seconds() as f32)
    }
}
