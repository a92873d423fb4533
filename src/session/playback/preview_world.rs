//! A second world with the same input as the live world, which previews an edit.

use super::{Playback, PoseBuffers, SETTLE_VISITS_ON_RESET, SettleCriteria, SettleProgress, joint_indices};
use crate::document::{ChainId, Document, ResolvedDocument};
use crate::rig::{BoneId, Pose, WorldPose};
use crate::sim::{JointIndex, StepInput, TipGrab, World};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Longest settling time of a preview, in seconds.
const PREVIEW_SETTLE_SECONDS: f64 = 6.0;

/// The previewed document and its world.
#[derive(Clone, Debug)]
pub(in crate::session) struct PreviewWorld {
    pub(in crate::session) document: Document,
    /// The chains that differ from the document of the session.
    changed_chains: BTreeSet<ChainId>,
    pub(super) world: World,
    joints: BTreeMap<BoneId, JointIndex>,
    poses: PoseBuffers,
    /// Number of bones in the character file; the two worlds may have different helpers after these bones.
    file_bone_count: usize,
}

impl PreviewWorld {
    /// Creates a preview world in the state of `playback`.
    fn new(playback: &Playback, (now, then): (&Document, Document), resolved: &ResolvedDocument, bones: usize) -> Self {
        let differs = |id: &ChainId| {
            let (a, b) = (now.chains.get(id), then.chains.get(id));
            a != b || a.map(|c| now.system_of(c)) != b.map(|c| then.system_of(c))
        };
        let chains = now.chains.keys().chain(then.chains.keys()).copied().filter(differs).collect();
        let mut world = playback.world.clone();
        world.set_probed(false);
        world.rebuild(&resolved.skeleton, &resolved.systems);
        Self {
            document: then,
            changed_chains: chains,
            poses: PoseBuffers::new(&resolved.skeleton, &world),
            world,
            joints: joint_indices(resolved),
            file_bone_count: bones,
        }
    }

    /// Copies the input pose of the live world. The helpers of the previewed document stay in their rest pose.
    fn copy_input_pose(&mut self, input: &Pose) {
        self.poses.input.copy_from(&self.poses.rest);
        self.poses.input.local[..self.file_bone_count].copy_from_slice(&input.local[..self.file_bone_count]);
    }

    /// Runs one tick with the input pose of the live world.
    fn tick(&mut self, input: &Pose, hold: Option<(BoneId, Vec3)>, dt: f32) {
        self.copy_input_pose(input);
        let hold = hold.and_then(|(bone, target)| Some(TipGrab { joint: *self.joints.get(&bone)?, target }));
        self.poses.previous.copy_from(self.world.pose());
        self.world.step(&StepInput { pose: &self.poses.input, grab: hold, dt });
    }

    /// Updates the displayed pose: the interpolated bones of the preview, followed by the helpers of the live world.
    fn update_displayed_pose(&mut self, share: f32, live: &WorldPose) {
        let poses = &mut self.poses;
        poses.interpolate(&self.world, share);
        poses.displayed.frames.truncate(self.file_bone_count);
        poses.displayed.frames.extend(live.frames.iter().skip(self.file_bone_count));
    }

    pub(super) fn restart(&mut self, input: &Pose) {
        self.copy_input_pose(input);
        self.world.reset(&self.poses.input);
    }

    pub(super) fn settle(&mut self, criteria: SettleCriteria, visits: u64) {
        SettleProgress::new(criteria).advance(&mut self.world, &mut self.poses, visits);
    }

    /// Works like [`Playback::set_rest_pose`].
    pub(super) fn set_rest_pose(&mut self, input: &Pose) {
        self.copy_input_pose(input);
        self.world.set_rest_pose(&self.poses.input);
        self.poses.previous.copy_from(self.world.pose());
    }
}

impl Playback {
    /// Previews the document `then`. The live world keeps running, but is not displayed. A moving character continues
    /// its motion. A still character starts settled, because a visible transition to the new balance would look like an
    /// effect of the edit.
    pub(in crate::session) fn preview(
        &mut self,
        (now, then): (&Document, Document),
        resolved: &ResolvedDocument,
        bones: usize,
    ) {
        let mut preview = PreviewWorld::new(self, (now, then), resolved, bones);
        if self.is_input_still() {
            preview.copy_input_pose(&self.poses.input);
            preview.settle(self.settle_criteria(PREVIEW_SETTLE_SECONDS), SETTLE_VISITS_ON_RESET);
        }
        self.preview_world = Some(Box::new(preview));
        self.update_displayed_pose();
        self.run_while_paused();
    }

    pub(in crate::session) fn end_preview(&mut self) {
        if self.preview_world.take().is_some() {
            self.run_while_paused();
        }
    }

    /// Call this after the document became `now`. If `now` is the previewed document, its world replaces the live
    /// world. Otherwise the preview ends.
    pub(in crate::session) fn commit_or_end_preview(&mut self, now: &Document) {
        let is_taken = self.is_preview_of(now);
        if let Some(preview) = self.preview_world.take().filter(|_| is_taken) {
            self.world = preview.world;
            self.probed_ticks = self.probed_ticks.map(|_| 0);
            self.update_probe();
        }
    }

    /// Returns whether an edit is previewed.
    pub fn is_previewing(&self) -> bool {
        self.preview_world.is_some()
    }

    /// Returns whether this document is previewed.
    pub(in crate::session) fn is_preview_of(&self, document: &Document) -> bool {
        self.preview_world.as_ref().is_some_and(|preview| preview.document == *document)
    }

    /// Returns the chains that a preview or a displayed baked motion changes, in their live pose. Each line contains
    /// the heads of the joints and the last tip, in world space, in metres. Empty without a preview.
    pub fn original_chain_lines(&self, document: &Document) -> Vec<Vec<Vec3>> {
        let changed_chains = match (&self.baked_preview, &self.preview_world) {
            (Some(baked), _) => baked.chains(document),
            (None, Some(preview)) => preview.changed_chains.clone(),
            (None, None) => return Vec::new(),
        };
        let frames = &self.poses.displayed;
        let mut lines: Vec<Vec<Vec3>> = Vec::new();
        for chain in changed_chains.iter().filter_map(|id| document.chains.get(id)) {
            let mut above = None;
            for joint in &chain.joints {
                let parent = self.world.skeleton().get_parent(joint.bone);
                // A child joint continues its parent's line, whose last point is the head of the child.
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

    /// Returns the displayed world frames, interpolated between the last two ticks; file bones first, then helpers.
    pub fn displayed_pose(&self) -> &WorldPose {
        match (&self.baked_preview, &self.preview_world) {
            (Some(baked), _) => &baked.displayed,
            (None, Some(preview)) => &preview.poses.displayed,
            (None, None) => &self.poses.displayed,
        }
    }

    pub(super) fn tick_preview(&mut self, dt: f32) {
        if let Some(preview) = &mut self.preview_world {
            preview.tick(&self.poses.input, self.interaction.grab, dt);
        }
    }

    pub(super) fn update_preview_pose(&mut self, share: f32) {
        if let Some(preview) = &mut self.preview_world {
            preview.update_displayed_pose(share, &self.poses.displayed);
        }
    }
}
