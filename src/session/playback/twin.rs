//! A second world on the same input: what a change would do, before it is made.

use super::{Calm, Playback, Poses, SETTLE_AT_ONCE, Settling, joint_map};
use crate::document::{ChainId, Document, Resolved};
use crate::rig::{BoneId, Pose, WorldPose};
use crate::sim::{Hold, JointIndex, StepInput, World};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// At most so many seconds are run unseen before a preview is shown.
const WARM_UP: f64 = 6.0;

/// The previewed world and the document that it moves by.
#[derive(Clone, Debug)]
pub(in crate::session) struct Twin {
    pub(in crate::session) document: Document,
    /// Chains that are not as in the document itself.
    chains: BTreeSet<ChainId>,
    world: World,
    joints: BTreeMap<BoneId, JointIndex>,
    poses: Poses,
    /// How many bones the character's file has; helpers come after them and may differ.
    bones: usize,
}

impl Twin {
    /// Goes on from where `playback` is.
    fn new(playback: &Playback, (now, then): (&Document, Document), resolved: &Resolved, bones: usize) -> Self {
        let differs = |id: &ChainId| {
            let (a, b) = (now.chains.get(id), then.chains.get(id));
            a != b || a.map(|c| now.system_of(c)) != b.map(|c| then.system_of(c))
        };
        let chains = now.chains.keys().chain(then.chains.keys()).copied().filter(differs).collect();
        let mut world = playback.world.clone();
        world.rebuild(&resolved.skeleton, &resolved.systems);
        let rest = Pose::rest(&resolved.skeleton);
        let (before, shown) = (world.pose().clone(), world.frames().clone());
        let poses = Poses { input: rest.clone(), before, blend: rest.clone(), rest, shown, spare: Vec::new() };
        Self { document: then, chains, world, joints: joint_map(resolved), poses, bones }
    }

    /// Takes over the pose that the live world steps on, with its own helpers at rest.
    fn take_pose(&mut self, input: &Pose) {
        self.poses.input.copy_from(&self.poses.rest);
        self.poses.input.local[..self.bones].copy_from_slice(&input.local[..self.bones]);
    }

    /// One step on the pose that the live world steps on.
    fn tick(&mut self, input: &Pose, hold: Option<(BoneId, Vec3)>, dt: f32) {
        self.take_pose(input);
        let hold = hold.and_then(|(bone, target)| Some(Hold { joint: *self.joints.get(&bone)?, target }));
        self.poses.before.copy_from(self.world.pose());
        self.world.step(&StepInput { pose: &self.poses.input, hold, dt });
    }

    /// Its bones between two ticks, with the live world's helpers behind them.
    fn show(&mut self, share: f32, live: &WorldPose) {
        let poses = &mut self.poses;
        poses.before.lerp_into(self.world.pose(), share, &mut poses.blend);
        poses.shown.update(self.world.skeleton(), &poses.blend);
        poses.shown.frames.truncate(self.bones);
        poses.shown.frames.extend(live.frames.iter().skip(self.bones));
    }

    pub(super) fn look_from(&mut self, viewer: Vec3) {
        self.world.look_from(viewer);
    }

    pub(super) fn start_anew(&mut self, input: &Pose) {
        self.take_pose(input);
        self.world.reset(&self.poses.input);
    }

    /// Hangs still.
    pub(super) fn settle(&mut self, calm: Calm, visits: u64) {
        Settling::new(calm).go_on(&mut self.world, &mut self.poses, visits);
    }

    /// As the live world: the pose that is shown counts as rest.
    pub(super) fn take_rest(&mut self, input: &Pose) {
        self.take_pose(input);
        self.world.take_rest(&self.poses.input);
        self.poses.before.copy_from(self.world.pose());
    }
}

impl Playback {
    /// Shows what `then` would do; the live world goes on unseen. Where the character moves, the preview goes on from her
    /// present motion. Where she stands still it begins at rest, or the way from the old balance to the new one would look
    /// like a property of the change.
    pub(in crate::session) fn preview(
        &mut self,
        (now, then): (&Document, Document),
        resolved: &Resolved,
        bones: usize,
    ) {
        let mut twin = Twin::new(self, (now, then), resolved, bones);
        if self.stands_still() {
            twin.take_pose(&self.poses.input);
            twin.settle(self.calm(WARM_UP), SETTLE_AT_ONCE);
        }
        self.twin = Some(Box::new(twin));
        self.show();
        self.live_on();
    }

    /// Shows the live world again.
    pub(in crate::session) fn end_preview(&mut self) {
        if self.twin.take().is_some() {
            self.live_on();
        }
    }

    /// The document became `now`: where that is what was previewed, its motion goes on; a preview of anything else is
    /// over.
    pub(in crate::session) fn settle_preview(&mut self, now: &Document) {
        let is_taken = self.is_preview_of(now);
        if let Some(twin) = self.twin.take().filter(|_| is_taken) {
            self.world = twin.world;
        }
    }

    /// Whether a change is shown that is not made.
    pub fn is_previewing(&self) -> bool {
        self.twin.is_some()
    }

    /// Whether this document is previewed.
    pub(in crate::session) fn is_preview_of(&self, document: &Document) -> bool {
        self.twin.as_ref().is_some_and(|twin| twin.document == *document)
    }

    /// How the chains that a preview changes move without it: for each the heads of its joints and its last tip, metres
    /// in the world. Empty without preview.
    pub fn ghost_lines(&self, document: &Document) -> Vec<Vec<Vec3>> {
        let Some(twin) = &self.twin else { return Vec::new() };
        let frames = &self.poses.shown;
        let mut lines: Vec<Vec<Vec3>> = Vec::new();
        for chain in twin.chains.iter().filter_map(|id| document.chains.get(id)) {
            let mut above = None;
            for joint in &chain.joints {
                let parent = self.world.skeleton().parent_of(joint.bone);
                // A joint below the one before it continues its line, from the tip that both share.
                match lines.last_mut() {
                    Some(line) if above.is_some() && parent == above => _ = line.pop(),
                    _ => lines.push(Vec::new()),
                }
                above = Some(joint.bone);
                let line = lines.last_mut().expect("a line was started");
                line.extend(frames.frames.get(joint.bone.index()).map(|frame| frame.position));
                line.extend(self.tip_in(frames, joint.bone));
            }
        }
        lines
    }

    /// The world frames to draw: between the last two ticks; file bones first, then helpers.
    pub fn shown(&self) -> &WorldPose {
        self.twin.as_ref().map_or(&self.poses.shown, |twin| &twin.poses.shown)
    }

    pub(super) fn tick_twin(&mut self, dt: f32) {
        if let Some(twin) = &mut self.twin {
            twin.tick(&self.poses.input, self.hands.grab, dt);
        }
    }

    pub(super) fn show_twin(&mut self, share: f32) {
        if let Some(twin) = &mut self.twin {
            twin.show(share, &self.poses.shown);
        }
    }
}
