//! The poses of a world and of the display, in buffers that ticks reuse.

use super::RecentMotion;
use yuremono_sim::World;
use yuremono_sim::rig::{Pose, Skeleton, WorldPose};

/// Pose buffers, reused so that a tick does not allocate.
#[derive(Clone, Debug, Default)]
pub(super) struct PoseBuffers {
    pub(super) rest: Pose,
    pub(super) input: Pose,
    pub(super) previous: Pose,
    pub(super) interpolated: Pose,
    pub(super) displayed: WorldPose,
    /// Temporary poses of the motions.
    pub(super) scratch: Vec<Pose>,
}

/// The time of the displayed poses.
#[derive(Clone, Copy, Debug)]
pub(super) enum DisplayedTime {
    /// A share between the last two ticks.
    Live(f32),
    /// A recorded tick.
    Recorded(u64),
}

impl PoseBuffers {
    pub(super) fn new(skeleton: &Skeleton, world: &World) -> Self {
        let rest = Pose::rest(skeleton);
        let (input, previous, interpolated) = (rest.clone(), world.pose().clone(), rest.clone());
        Self { rest, input, previous, interpolated, displayed: world.frames().clone(), scratch: Vec::new() }
    }

    /// Updates the displayed pose to the given share between the last two ticks.
    pub(super) fn interpolate(&mut self, world: &World, share: f32) {
        self.previous.lerp_into(world.pose(), share, &mut self.interpolated);
        self.displayed.update(world.skeleton(), &self.interpolated);
    }

    /// Updates the displayed pose to a time. Returns false and changes nothing if that tick is not recorded.
    pub(super) fn display(&mut self, world: &World, recent_motion: &RecentMotion, time: DisplayedTime) -> bool {
        match time {
            DisplayedTime::Live(share) => self.interpolate(world, share),
            DisplayedTime::Recorded(tick) => {
                if !recent_motion.pose_into(tick, &mut self.interpolated) {
                    return false;
                }
                self.displayed.update(world.skeleton(), &self.interpolated);
            }
        }
        true
    }
}
