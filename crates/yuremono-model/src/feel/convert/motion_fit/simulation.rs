//! Simulates candidates with all units of the character or with some.

use super::RecordedMotion;
use super::motion_trace::{MotionTrace, TrackedTip};
use std::ops::ControlFlow;
use yuremono_sim::{SystemSetup, World};

/// A world with some of the joints, at rest.
#[derive(Clone, Debug)]
pub(super) struct PartialWorld {
    world: World,
    /// Whether the world has each joint of each system. `None` for all joints.
    kept_joints: Option<Vec<Vec<bool>>>,
}

impl PartialWorld {
    pub(super) const fn whole(world: World) -> Self {
        Self { world, kept_joints: None }
    }

    /// Builds a world with the joints at these places: indices of a system and of a joint in the system. Steps compute
    /// only the frames that these joints need.
    pub(super) fn with_joints(
        whole: &World,
        systems: &[SystemSetup],
        joints: impl Iterator<Item = (usize, usize)>,
    ) -> Self {
        let mut kept: Vec<Vec<bool>> = systems.iter().map(|setup| vec![false; setup.joints.len()]).collect();
        joints.for_each(|(system, at)| kept[system][at] = true);
        let partial = restrict(systems, &kept);
        let mut world = World::build(whole.skeleton(), &partial);
        world.restrict_frames(partial.iter().flat_map(|setup| &setup.joints).map(|joint| joint.bone));
        Self { world, kept_joints: Some(kept) }
    }

    /// Simulates the world with these values of all systems.
    pub(super) fn simulate(
        &self,
        systems: &[SystemSetup],
        motion: &RecordedMotion,
        tracked: &[TrackedTip],
        progress: &dyn Fn() -> ControlFlow<()>,
    ) -> ControlFlow<(), MotionTrace> {
        let mut world = self.world.clone();
        match &self.kept_joints {
            None => world.bake(systems),
            Some(kept) => world.bake(&restrict(systems, kept)),
        }
        MotionTrace::record(world, motion, tracked, progress)
    }
}

/// The systems with only some of their joints.
fn restrict(systems: &[SystemSetup], kept: &[Vec<bool>]) -> Vec<SystemSetup> {
    let restrict_system = |(setup, kept): (&SystemSetup, &Vec<bool>)| {
        let mut setup = setup.clone();
        let mut keep = kept.iter();
        setup.joints.retain(|_| keep.next() == Some(&true));
        // Joints beyond the end of this list have the default settings.
        let mut keep = kept.iter();
        setup.vrm.retain(|_| keep.next() == Some(&true));
        setup
    };
    systems.iter().zip(kept).map(restrict_system).collect()
}
