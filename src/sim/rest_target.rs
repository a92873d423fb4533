//! Springs of different solvers pull a tip to different places, so that bends along a chain add up or do not.
//!
//! A [`SpringResponse`] describes one bone whose parent does not move. [`convert_rest_target`] changes the speeds of a chain's joints so that
//! a steady pull moves each tip as far under another [`RestTarget`]. Only small angles and straight chains are meant.

use super::SpringResponse;
use std::f64::consts::TAU;

/// Where a joint's spring pulls the tip to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestTarget {
    /// From the parent's simulated tip in the direction that turns with the simulated parent: bends add up.
    ParentRotation,
    /// From the parent's simulated tip in the direction of the pose: each joint bends by itself.
    PoseRotation,
    /// The position in the pose, wherever the parent is.
    PosePosition,
}

/// A joint's place in its chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainJoint {
    /// Index of the parent joint, which comes before its children; `None` for roots.
    pub parent: Option<usize>,
    /// From head to tip, metres; more than 0.
    pub length: f32,
}

/// Least share of its softness that a joint keeps, so that no spring becomes infinitely stiff.
const MIN_SOFTNESS_FRACTION: f64 = 0.02;

impl RestTarget {
    /// How far a steady pull of 1 m/s² moves the place that a joint's spring pulls to, metres; `tips` is the same of the
    /// tips above.
    fn target_displacement(self, at: usize, tips: &[f64], links: &[ChainJoint]) -> f64 {
        let Some(parent) = links[at].parent else { return 0.0 };
        match self {
            Self::PosePosition => 0.0,
            Self::PoseRotation => tips[parent],
            Self::ParentRotation => {
                let head = links[parent].parent.map_or(0.0, |above| tips[above]);
                tips[parent] + (tips[parent] - head) * f64::from(links[at].length / links[parent].length)
            }
        }
    }
}

/// Changes the speeds of a chain's joints, which are meant for springs that pull to `from`, for springs that pull to `to`.
/// Damping ratios stay: they keep tips closer to where they were than drag that stays. What the spring of a step leaves
/// of a pull changes with the speed; pulls change by as much, so that one gravity remains one gravity. `frame` is the
/// length of a step, seconds.
pub fn convert_rest_target(
    joints: &mut [SpringResponse],
    links: &[ChainJoint],
    from: RestTarget,
    to: RestTarget,
    frame: f32,
) {
    if from == to {
        return;
    }
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (at, joint) in joints.iter_mut().enumerate() {
        let softness = (TAU * f64::from(joint.frequency_hz)).powi(-2);
        before.push(softness + from.target_displacement(at, &before, links));
        let target = to.target_displacement(at, &after, links);
        let changed = (before[at] - target).max(MIN_SOFTNESS_FRACTION * softness);
        after.push(changed + target);
        let left = |joint: &SpringResponse| 1.0 - joint.feel().to_recurrence(frame).offset_removed;
        let left_before = left(joint);
        joint.frequency_hz = (1.0 / (TAU * changed.sqrt())) as f32;
        let share = (left(joint) / left_before) as f32;
        joint.acceleration *= if share.is_finite() && share > 0.0 { share } else { 1.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::linear_spring::SpringFeel;
    use glam::Vec3;

    const FRAME: f32 = 1.0 / 60.0;
    const LINKS: [ChainJoint; 4] = [
        ChainJoint { parent: None, length: 0.1 },
        ChainJoint { parent: Some(0), length: 0.1 },
        ChainJoint { parent: Some(1), length: 0.05 },
        ChainJoint { parent: Some(0), length: 0.2 },
    ];

    fn joints() -> [SpringResponse; 4] {
        [3.0, 2.0, 4.0, 2.5].map(|frequency_hz| {
            SpringResponse::new(SpringFeel { frequency_hz, damping_ratio: 0.5, acceleration: 0.0 }, Vec3::ZERO)
        })
    }

    #[track_caller]
    fn check(to: RestTarget, expected: [f32; 4]) {
        let mut changed = joints();
        convert_rest_target(&mut changed, &LINKS, RestTarget::ParentRotation, to, FRAME);
        for (joint, expected) in changed.iter().zip(expected) {
            assert!((joint.frequency_hz - expected).abs() < 1e-3 * expected, "{changed:?}");
            assert_eq!(joint.damping_ratio, 0.5);
        }
        convert_rest_target(&mut changed, &LINKS, to, RestTarget::ParentRotation, FRAME);
        for (joint, was) in changed.iter().zip(joints()) {
            assert!((joint.frequency_hz - was.frequency_hz).abs() < 1e-3, "{to:?} and back: {changed:?}");
        }
    }

    /// 1/f² is the way of a tip under a steady pull. Under springs that turn with the parent, the tips are at 1/9;
    /// 2/9 + 1/4; that + (1/9 + 1/4)/2 + 1/16; 1/9 + 2/9 + 1/6.25.
    #[test]
    fn converted_springs_bend_equally_far_and_converting_back_restores_frequencies() {
        let tips = [1.0 / 9.0, 0.472_222, 0.715_278, 0.493_333_f32];
        check(RestTarget::PosePosition, tips.map(|way| way.sqrt().recip()));
        let parents = [0.0, tips[0], tips[1], tips[0]];
        check(RestTarget::PoseRotation, [0, 1, 2, 3].map(|at| (tips[at] - parents[at]).sqrt().recip()));
        check(RestTarget::ParentRotation, [3.0, 2.0, 4.0, 2.5]);
    }

    #[test]
    fn converted_springs_stay_finite_where_bends_do_not_add_up() {
        let mut even = joints().map(|joint| SpringResponse { frequency_hz: 3.0, ..joint });
        convert_rest_target(&mut even, &LINKS, RestTarget::PoseRotation, RestTarget::ParentRotation, FRAME);
        assert!((even[1].frequency_hz - 3.0 / 0.02_f32.sqrt()).abs() < 1e-2, "{even:?}");
    }
}
