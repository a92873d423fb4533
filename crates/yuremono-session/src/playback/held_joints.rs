//! Joints that follow the animation because the artist soloed, muted or pinned something.
//!
//! The worlds of the playback are built from the systems of the document with these joints switched off. The document
//! and its resolved systems do not change.

use super::{Playback, PlaybackSource};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::ResolvedDocument;
use yuremono_sim::rig::{BoneId, Pose, Skeleton, WorldPose};
use yuremono_sim::{JointIndex, SystemSetup, World};

/// Which joints follow the animation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeldJoints {
    /// If this is `Some`, all other joints follow the animation.
    soloed: Option<BTreeSet<BoneId>>,
    held: BTreeSet<BoneId>,
}

impl HeldJoints {
    pub(crate) fn new(soloed: Option<BTreeSet<BoneId>>, held: BTreeSet<BoneId>) -> Self {
        Self { soloed, held }
    }

    fn is_empty(&self) -> bool {
        self.soloed.is_none() && self.held.is_empty()
    }

    pub(super) fn holds(&self, bone: BoneId) -> bool {
        self.held.contains(&bone) || self.soloed.as_ref().is_some_and(|soloed| !soloed.contains(&bone))
    }

    /// Returns the systems with these joints switched off.
    pub(super) fn applied_to<'a>(&self, systems: &'a [SystemSetup]) -> Cow<'a, [SystemSetup]> {
        if self.is_empty() {
            return Cow::Borrowed(systems);
        }
        let mut systems = systems.to_vec();
        for joint in systems.iter_mut().flat_map(|system| &mut system.joints) {
            joint.enabled &= !self.holds(joint.bone);
        }
        Cow::Owned(systems)
    }

    /// Moves the tips of joints that `before` held and these do not hold to the pose of the world. `previous` is the pose
    /// of the tick before, so that the tips move as the animation moved them.
    fn release(&self, before: &Self, world: &mut World, joints: &BTreeMap<BoneId, JointIndex>, previous: &Pose) {
        let released = joints.iter().filter(|(bone, _)| before.holds(**bone) && !self.holds(**bone));
        let previous = WorldPose::from_pose(world.skeleton(), previous);
        for (bone, joint) in released {
            let Some(offset) = world.tip_offset(*joint) else { continue };
            let tip_in = |pose: &WorldPose| {
                let frame = pose.frame(*bone);
                frame.position + frame.rotation * offset
            };
            let (tip, previous) = (tip_in(world.frames()), tip_in(&previous));
            world.set_tip(*joint, tip, previous);
        }
    }
}

impl Playback {
    /// Sets the joints that follow the animation, in the live world and in its followers. Joints that are simulated again
    /// start from their present pose. Chains that flip stay in their rest pose.
    pub(crate) fn set_held_joints(&mut self, held: HeldJoints, resolved: &ResolvedDocument, skeleton: &Skeleton) {
        let before = std::mem::replace(&mut self.held, held);
        if before == self.held {
            return;
        }
        self.world.bake(&self.simulated_systems(&resolved.systems));
        self.held.release(&before, &mut self.world, &self.joints, &self.poses.previous);
        for follower in self.followers.iter_mut() {
            let resolved = follower.document.resolve(skeleton);
            follower.world.bake(&self.held.applied_to(&resolved.systems));
            self.held.release(&before, &mut follower.world, &follower.joints, &follower.poses.previous);
        }
        self.end_scrub();
        self.run_while_paused();
    }

    /// Sets the joints that follow the animation; call this before [`Self::bake`] or [`Self::rebuild`].
    pub(crate) fn replace_held_joints(&mut self, held: HeldJoints) {
        self.held = held;
    }

    /// Returns whether a joint follows the animation because the artist soloed, muted or pinned something.
    pub fn is_held(&self, bone: BoneId) -> bool {
        self.held.holds(bone)
    }

    /// Returns a copy of the world in which all joints are simulated as the document says.
    pub(crate) fn world_without_held_joints(&self, source: PlaybackSource<'_>) -> World {
        let mut world = self.world.clone();
        if !self.held.is_empty() || self.runaways.holds_chains() {
            world.bake(&source.document.resolve(&source.character.skeleton).systems);
        }
        world
    }

    /// Simulates all joints as the document says; call this before a reset.
    pub(super) fn release_held_joints(&mut self, source: PlaybackSource<'_>) {
        if !self.held.is_empty() {
            self.world = self.world_without_held_joints(source);
            self.held = HeldJoints::default();
        }
    }
}
