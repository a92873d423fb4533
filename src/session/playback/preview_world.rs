//! A second world on the same input: what a change would do, before it is made.

use super::{Playback, PoseBuffers, SETTLE_VISITS_ON_RESET, SettleCriteria, SettleProgress, joint_indices};
use crate::document::{ChainId, Document, ResolvedDocument};
use crate::rig::{BoneId, Pose, WorldPose};
use crate::sim::{JointIndex, StepInput, TipGrab, World};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// At most so many seconds are run unseen before a preview is shown.
const PREVIEW_SETTLE_SECONDS: f64 = 6.0;

/// The previewed world and the document that it moves by.
#[derive(Clone, Debug)]
pub(in crate::session) struct PreviewWorld {
    pub(in crate::session) document: Document,
    /// Chains that are not as in the document itself.
    changed_chains: BTreeSet<ChainId>,
    world: World,
    joints: BTreeMap<BoneId, JointIndex>,
    poses: PoseBuffers,
    /// How many bones the character's file has; helpers come after them and may differ.
    file_bone_count: usize,
}

impl PreviewWorld {
    /// Goes on from where `playback` is.
    fn new(playback: &Playback, (now, then): (&Document, Document), resolved: &ResolvedDocument, bones: usize) -> Self {
        let differs = |id: &ChainId| {
            let (a, b) = (now.chains.get(id), then.chains.get(id));
            a != b || a.map(|c| now.system_of(c)) != b.map(|c| then.system_of(c))
        };
        let chains = now.chains.keys().chain(then.chains.keys()).copied().filter(differs).collect();
        let mut world = playback.world.clone();
        world.rebuild(&resolved.skeleton, &resolved.systems);
        let rest = Pose::rest(&resolved.skeleton);
        let (before, shown) = (world.pose().clone(), world.frames().clone());
        let poses = PoseBuffers {
            input: rest.clone(),
            previous: before,
            interpolated: rest.clone(),
            rest,
            displayed: shown,
            scratch: Vec::new(),
        };
        Self {
            document: then,
            changed_chains: chains,
            world,
            joints: joint_indices(resolved),
            poses,
            file_bone_count: bones,
        }
    }

    /// Takes over the pose that the live world steps on, with its own helpers at rest.
    fn copy_input_pose(&mut self, input: &Pose) {
        self.poses.input.copy_from(&self.poses.rest);
        self.poses.input.local[..self.file_bone_count].copy_from_slice(&input.local[..self.file_bone_count]);
    }

    /// One step on the pose that the live world steps on.
    fn tick(&mut self, input: &Pose, hold: Option<(BoneId, Vec3)>, dt: f32) {
        self.copy_input_pose(input);
        let hold = hold.and_then(|(bone, target)| Some(TipGrab { joint: *self.joints.get(&bone)?, target }));
        self.poses.previous.copy_from(self.world.pose());
        self.world.step(&StepInput { pose: &self.poses.input, grab: hold, dt });
    }

    /// Its bones between two ticks, with the live world's helpers behind them.
    fn update_displayed_pose(&mut self, share: f32, live: &WorldPose) {
        let poses = &mut self.poses;
        poses.previous.lerp_into(self.world.pose(), share, &mut poses.interpolated);
        poses.displayed.update(self.world.skeleton(), &poses.interpolated);
        poses.displayed.frames.truncate(self.file_bone_count);
        poses.displayed.frames.extend(live.frames.iter().skip(self.file_bone_count));
    }

    pub(super) fn set_viewer(&mut self, viewer: Vec3) {
        self.world.set_viewer(viewer);
    }

    pub(super) fn restart(&mut self, input: &Pose) {
        self.copy_input_pose(input);
        self.world.reset(&self.poses.input);
    }

    /// Hangs still.
    pub(super) fn settle(&mut self, calm: SettleCriteria, visits: u64) {
        SettleProgress::new(calm).advance(&mut self.world, &mut self.poses, visits);
    }

    /// As the live world: the pose that is shown counts as rest.
    pub(super) fn set_rest_pose(&mut self, input: &Pose) {
        self.copy_input_pose(input);
        self.world.set_rest_pose(&self.poses.input);
        self.poses.previous.copy_from(self.world.pose());
    }
}

impl Playback {
    /// Shows what `then` would do; the live world goes on unseen. Where the character moves, the preview goes on from her
    /// present motion. Where she stands still it begins at rest, or the way from the old balance to the new one would look
    /// like a property of the change.
    pub(in crate::session) fn preview(
        &mut self,
        (now, then): (&Document, Document),
        resolved: &ResolvedDocument,
        bones: usize,
    ) {
        let mut twin = PreviewWorld::new(self, (now, then), resolved, bones);
        if self.is_input_still() {
            twin.copy_input_pose(&self.poses.input);
            twin.settle(self.settle_criteria(PREVIEW_SETTLE_SECONDS), SETTLE_VISITS_ON_RESET);
        }
        self.preview_world = Some(Box::new(twin));
        self.update_displayed_pose();
        self.run_while_paused();
    }

    /// Shows the live world again.
    pub(in crate::session) fn end_preview(&mut self) {
        if self.preview_world.take().is_some() {
            self.run_while_paused();
        }
    }

    /// The document became `now`: where that is what was previewed, its motion goes on; a preview of anything else is
    /// over.
    pub(in crate::session) fn commit_or_end_preview(&mut self, now: &Document) {
        let is_taken = self.is_preview_of(now);
        if let Some(twin) = self.preview_world.take().filter(|_| is_taken) {
            self.world = twin.world;
        }
    }

    /// Whether a change is shown that is not made.
    pub fn is_previewing(&self) -> bool {
        self.preview_world.is_some()
    }

    /// Whether this document is previewed.
    pub(in crate::session) fn is_preview_of(&self, document: &Document) -> bool {
        self.preview_world.as_ref().is_some_and(|twin| twin.document == *document)
    }

    /// How the chains that a preview changes move without it: for each the heads of its joints and its last tip, metres
    /// in the world. Empty without preview.
    pub fn original_chain_lines(&self, document: &Document) -> Vec<Vec<Vec3>> {
        let Some(twin) = &self.preview_world else { return Vec::new() };
        let frames = &self.poses.displayed;
        let mut lines: Vec<Vec<Vec3>> = Vec::new();
        for chain in twin.changed_chains.iter().filter_map(|id| document.chains.get(id)) {
            let mut above = None;
            for joint in &chain.joints {
                let parent = self.world.skeleton().get_parent(joint.bone);
                // A joint below the one before it continues its line, from the tip that both share.
                match lines.last_mut() {
                    Some(line) if above.is_some() && parent == above => _ = line.pop(),
                    _ => lines.push(Vec::new()),
                }
                above = Some(joint.bone);
                let line = lines.last_mut().expect("a line was started");
                line.extend(frames.frames.get(joint.bone.index()).map(|frame| frame.position));
                line.extend(self.tip_position(frames, joint.bone));
            }
        }
        lines
    }

    /// The world frames to draw: between the last two ticks; file bones first, then helpers.
    pub fn displayed_pose(&self) -> &WorldPose {
        self.preview_world.as_ref().map_or(&self.poses.displayed, |twin| &twin.poses.displayed)
    }

    pub(super) fn tick_preview(&mut self, dt: f32) {
        if let Some(twin) = &mut self.preview_world {
            twin.tick(&self.poses.input, self.interaction.grab, dt);
        }
    }

    pub(super) fn update_preview_pose(&mut self, share: f32) {
        if let Some(twin) = &mut self.preview_world {
            twin.update_displayed_pose(share, &self.poses.displayed);
        }
    }
}
