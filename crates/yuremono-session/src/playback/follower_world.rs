//! Worlds of other documents that follow the input of the live world: the preview of an edit, the other side of a
//! comparison, and the variants of a sweep.
//!
//! A follower gets the input pose, the held joint, the viewer and the resets of the live world in the same ticks. A
//! follower therefore moves exactly as the live world of its document would.

use super::{
    DisplayedTime, HeldJoints, Playback, PoseBuffers, RecentMotion, SETTLE_VISITS_ON_RESET, SettleCriteria,
    SettleProgress, joint_indices,
};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::{ChainId, Document};
use yuremono_sim::rig::{BoneId, Pose, Skeleton, WorldPose};
use yuremono_sim::{Contact, GrabTarget, JointGrab, JointIndex, StepInput, WindMoment, World};

/// Longest settling time of a new follower, in seconds.
const START_SETTLE_SECONDS: f64 = 6.0;

/// A document and its world.
#[derive(Clone, Debug)]
pub(crate) struct FollowerWorld {
    pub(super) document: Document,
    pub(super) world: World,
    pub(super) joints: BTreeMap<BoneId, JointIndex>,
    pub(super) poses: PoseBuffers,
    /// Whether the world has a pose at the displayed time. A follower has no pose before its start.
    has_displayed_pose: bool,
    /// The poses since the start of the follower.
    pub(super) recent_motion: RecentMotion,
    /// Number of bones in the character file; the two worlds may have different helpers after these bones.
    file_bone_count: usize,
    /// Progress of settling after a reset.
    settling: Option<Box<SettleProgress>>,
}

/// What the live world passes to its followers in a tick.
#[derive(Clone, Copy, Debug)]
pub(super) struct FollowerInput<'a> {
    pub(super) pose: &'a Pose,
    /// The joint that the pointer holds.
    pub(super) grab: Option<(BoneId, GrabTarget)>,
    pub(super) wind: Option<WindMoment>,
    /// Length of the tick, in seconds.
    pub(super) dt: f32,
}

impl FollowerWorld {
    /// Creates a follower in the state of `playback`. `now` is the document of the live world.
    fn new(playback: &Playback, now: &Document, document: Document, skeleton: &Skeleton) -> Self {
        let resolved = document.resolve(skeleton);
        let mut world = playback.world.clone();
        // Only the live world is probed.
        world.set_probed(false);
        // A rebuilt world keeps the tips, but not every state of the solvers.
        if document != *now {
            world.rebuild(&resolved.skeleton, &playback.held.applied_to(&resolved.systems));
        }
        Self {
            document,
            poses: PoseBuffers::new(&resolved.skeleton, &world),
            world,
            joints: joint_indices(&resolved),
            has_displayed_pose: true,
            recent_motion: RecentMotion::starting_at(playback.recent_motion.ticks().end),
            file_bone_count: skeleton.len(),
            settling: None,
        }
    }

    /// Replaces the document. Joints that still exist keep their tips. The poses of the earlier document are dropped.
    fn set_document(&mut self, document: Document, skeleton: &Skeleton, held: &HeldJoints) {
        let resolved = document.resolve(skeleton);
        self.recent_motion.clear();
        self.world.rebuild(&resolved.skeleton, &held.applied_to(&resolved.systems));
        let input = std::mem::take(&mut self.poses.input);
        self.poses = PoseBuffers::new(&resolved.skeleton, &self.world);
        self.copy_input_pose(&input);
        self.joints = joint_indices(&resolved);
        self.document = document;
    }

    /// Copies the input pose of the live world. The helpers of the follower stay in their rest pose.
    fn copy_input_pose(&mut self, input: &Pose) {
        self.poses.input.copy_from(&self.poses.rest);
        self.poses.input.local[..self.file_bone_count].copy_from_slice(&input.local[..self.file_bone_count]);
    }

    /// Runs one tick with the input of the live world.
    fn tick(&mut self, input: &FollowerInput<'_>) {
        let FollowerInput { pose, grab, wind, dt } = *input;
        self.copy_input_pose(pose);
        self.world.set_test_wind(wind);
        let grab = grab.and_then(|(bone, target)| Some(JointGrab { joint: *self.joints.get(&bone)?, target }));
        self.poses.previous.copy_from(self.world.pose());
        self.world.step(&StepInput { pose: &self.poses.input, grab, dt });
        self.recent_motion.record(self.world.pose(), 0.0, f64::from(dt));
    }

    /// Updates the displayed pose: the bones of the follower, and then the helpers of the live world.
    fn update_displayed_pose(&mut self, time: DisplayedTime, live: &WorldPose) {
        let poses = &mut self.poses;
        self.has_displayed_pose = poses.display(&self.world, &self.recent_motion, time);
        poses.displayed.frames.truncate(self.file_bone_count);
        poses.displayed.frames.extend(live.frames.iter().skip(self.file_bone_count));
    }

    /// Starts at rest in an input pose.
    fn restart(&mut self, input: &Pose, criteria: SettleCriteria) {
        self.copy_input_pose(input);
        self.world.set_test_wind(None);
        self.world.reset(&self.poses.input);
        self.recent_motion.clear();
        self.settling = Some(Box::new(SettleProgress::new(criteria)));
    }

    fn continue_settling(&mut self, visits: u64) {
        if let Some(settling) = &mut self.settling
            && settling.advance(&mut self.world, &mut self.poses, visits)
        {
            self.settling = None;
        }
    }

    /// Works like [`Playback::set_rest_pose`].
    fn set_rest_pose(&mut self, input: &Pose) {
        self.copy_input_pose(input);
        self.world.set_rest_pose(&self.poses.input);
        self.poses.previous.copy_from(self.world.pose());
    }
}

/// The followers of a live world.
#[derive(Clone, Debug, Default)]
pub(super) struct Followers {
    /// The world of a previewed edit, and the chains that the edit changes.
    preview: Option<Box<(FollowerWorld, BTreeSet<ChainId>)>>,
    /// The other side of a comparison, or the variants of a sweep.
    compared: Vec<FollowerWorld>,
    /// The compared world that is displayed in place of the live world.
    displayed: Option<usize>,
}

impl Followers {
    fn iter(&self) -> impl Iterator<Item = &FollowerWorld> {
        self.preview.iter().map(|preview| &preview.0).chain(&self.compared)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut FollowerWorld> {
        self.preview.iter_mut().map(|preview| &mut preview.0).chain(&mut self.compared)
    }

    /// Returns the number of visits of one tick of all followers, see [`yuremono_sim::Workload`].
    pub(super) fn visits_per_tick(&self, dt: f32) -> u64 {
        self.iter().flat_map(|follower| follower.world.workloads(dt)).map(|work| work.visits).sum()
    }

    pub(super) fn count(&self) -> usize {
        self.iter().count()
    }

    pub(super) fn tick(&mut self, input: &FollowerInput<'_>) {
        self.iter_mut().for_each(|follower| follower.tick(input));
    }

    pub(super) fn restart(&mut self, input: &Pose, criteria: &SettleCriteria) {
        self.iter_mut().for_each(|follower| follower.restart(input, criteria.clone()));
    }

    pub(super) fn continue_settling(&mut self, visits: u64) {
        self.iter_mut().for_each(|follower| follower.continue_settling(visits));
    }

    pub(super) fn stop_settling(&mut self) {
        self.iter_mut().for_each(|follower| follower.settling = None);
    }

    pub(super) fn is_settling(&self) -> bool {
        self.iter().any(|follower| follower.settling.is_some())
    }

    pub(super) fn set_viewer(&mut self, viewer: Vec3) {
        self.iter_mut().for_each(|follower| follower.world.set_viewer(viewer));
    }

    pub(super) fn set_rest_pose(&mut self, input: &Pose) {
        self.iter_mut().for_each(|follower| follower.set_rest_pose(input));
    }

    /// Makes both poses between which the display interpolates equal.
    pub(super) fn snap_display_pose(&mut self) {
        self.iter_mut().for_each(|follower| follower.poses.previous.copy_from(follower.world.pose()));
    }

    pub(super) fn update_displayed_poses(&mut self, time: DisplayedTime, live: &WorldPose) {
        self.iter_mut().for_each(|follower| follower.update_displayed_pose(time, live));
    }
}

/// Returns the chains that differ between two documents.
pub(crate) fn changed_chains(now: &Document, then: &Document) -> BTreeSet<ChainId> {
    let differs = |id: &ChainId| {
        let (a, b) = (now.chains.get(id), then.chains.get(id));
        a != b || a.map(|c| now.system_of(c)) != b.map(|c| then.system_of(c))
    };
    now.chains.keys().chain(then.chains.keys()).copied().filter(differs).collect()
}

impl Playback {
    /// Creates a follower of the live world. A moving character continues its motion. A still character starts settled,
    /// because a visible transition to the new balance would look like an effect of the document.
    fn new_follower(&self, now: &Document, document: Document, skeleton: &Skeleton) -> FollowerWorld {
        let is_same = document == *now;
        let mut follower = FollowerWorld::new(self, now, document, skeleton);
        if self.is_input_still() && !is_same {
            follower.copy_input_pose(&self.poses.input);
            SettleProgress::new(self.settle_criteria(START_SETTLE_SECONDS)).advance(
                &mut follower.world,
                &mut follower.poses,
                SETTLE_VISITS_ON_RESET,
            );
        }
        follower
    }

    /// Previews the document `then`. `now` is the document of the live world. The live world keeps running, but is not
    /// displayed.
    pub(crate) fn preview(&mut self, now: &Document, then: Document, skeleton: &Skeleton) {
        let chains = changed_chains(now, &then);
        self.followers.preview = Some(Box::new((self.new_follower(now, then, skeleton), chains)));
        self.scrub = None;
        self.update_displayed_pose();
        self.run_while_paused();
    }

    pub(crate) fn end_preview(&mut self) {
        if self.followers.preview.take().is_some() {
            self.update_displayed_pose();
            self.run_while_paused();
        }
    }

    /// Call this after the document became `now`. If `now` is the previewed document, its world replaces the live
    /// world. Otherwise the preview ends.
    pub(crate) fn commit_or_end_preview(&mut self, now: &Document) {
        let is_taken = self.is_preview_of(now);
        let Some(preview) = self.followers.preview.take() else { return };
        if is_taken {
            self.scrub = None;
            self.world = preview.0.world;
            self.restart_probe();
        } else {
            self.end_scrub();
        }
    }

    /// Returns whether an edit is previewed.
    pub fn is_previewing(&self) -> bool {
        self.followers.preview.is_some()
    }

    /// Returns whether this document is previewed.
    pub(crate) fn is_preview_of(&self, document: &Document) -> bool {
        self.followers.preview.as_ref().is_some_and(|preview| preview.0.document == *document)
    }

    /// Makes the worlds of these documents follow the live world, in place of earlier compared worlds. A world whose
    /// document changed continues its motion. `now` is the document of the live world.
    pub(crate) fn set_compared(&mut self, now: &Document, documents: Vec<Document>, skeleton: &Skeleton) {
        let mut before = std::mem::take(&mut self.followers.compared).into_iter();
        for document in documents {
            let follower = match before.next() {
                Some(follower) if follower.document == document => follower,
                Some(mut follower) => {
                    follower.set_document(document, skeleton, &self.held);
                    follower
                }
                None => self.new_follower(now, document, skeleton),
            };
            self.followers.compared.push(follower);
        }
        self.followers.displayed = None;
        self.scrub = None;
        self.update_displayed_pose();
        self.run_while_paused();
    }

    /// Displays a compared world in place of the live world. `None` displays the live world.
    pub(crate) fn display_compared(&mut self, index: Option<usize>) {
        self.followers.displayed = index.filter(|at| *at < self.followers.compared.len());
        self.update_displayed_pose();
    }

    /// Returns the width of the displayed body around its hips, seen from any side, in metres.
    pub(crate) fn body_width(&self) -> f32 {
        let pose = self.displayed_pose();
        let bones = pose.frames.iter().take(self.body.bone_count()).map(|frame| frame.position);
        let centre = self.body.centre(pose).unwrap_or_default();
        let reach = bones.map(|at| (at - centre).with_y(0.0).length()).filter(|reach| reach.is_finite());
        2.0 * reach.fold(0.0, f32::max)
    }

    /// Returns the pose of the live world at the displayed time, even if another world is displayed.
    pub(crate) fn live_pose(&self) -> &WorldPose {
        &self.poses.displayed
    }

    /// Returns the pose of a compared world at the displayed time; `None` if the world did not exist then.
    pub(crate) fn compared_pose(&self, index: usize) -> Option<&WorldPose> {
        let follower = self.followers.compared.get(index).filter(|follower| follower.has_displayed_pose);
        follower.map(|follower| &follower.poses.displayed)
    }

    /// Returns the chains that a preview or a displayed baked motion changes, in the pose of the live world. Each line contains
    /// the heads of the joints and the last tip, in world space, in metres. Empty without a preview.
    pub fn original_chain_lines(&self, document: &Document) -> Vec<Vec<Vec3>> {
        match (&self.baked_preview, &self.followers.preview) {
            (Some(baked), _) => self.chain_lines(document, &baked.chains(document), &self.poses.displayed),
            (None, Some(preview)) => self.chain_lines(document, &preview.1, &self.poses.displayed),
            (None, None) => Vec::new(),
        }
    }

    /// Returns chains in a pose, as lines of the heads of the joints and the last tip, in world space, in metres.
    pub(crate) fn chain_lines<'a>(
        &self,
        document: &Document,
        chains: impl IntoIterator<Item = &'a ChainId>,
        frames: &WorldPose,
    ) -> Vec<Vec<Vec3>> {
        let mut lines: Vec<Vec<Vec3>> = Vec::new();
        for chain in chains.into_iter().filter_map(|id| document.chains.get(id)) {
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

    /// Returns the world that is displayed in place of the live world, unless a baked motion is displayed.
    pub(super) fn displayed_follower(&self) -> Option<&FollowerWorld> {
        let compared = || self.followers.displayed.and_then(|index| self.followers.compared.get(index));
        self.followers.preview.as_ref().map(|preview| &preview.0).or_else(compared)
    }

    /// Returns the displayed world frames, recorded or interpolated between the last two ticks; file bones first, then
    /// helpers.
    pub fn displayed_pose(&self) -> &WorldPose {
        match (&self.baked_preview, self.displayed_follower()) {
            (Some(baked), _) => &baked.displayed,
            (None, Some(follower)) => &follower.poses.displayed,
            (None, None) => &self.poses.displayed,
        }
    }

    /// Returns whether the displayed pose is a pose of the live world.
    pub(super) fn displays_live_world(&self) -> bool {
        std::ptr::eq(self.displayed_pose(), &raw const self.poses.displayed)
    }

    /// Returns the contacts of the displayed pose; `None` for another pose than the live pose of the live world, because
    /// only its contacts are known.
    pub fn displayed_contacts(&self) -> Option<Vec<Contact>> {
        (self.scrub.is_none() && self.displays_live_world()).then(|| self.world.contacts())
    }

    /// Returns the recorded motion of a previewed edit, or of the other side of a comparison.
    pub(super) fn other_recent_motion(&self) -> Option<&RecentMotion> {
        let compared = match self.followers.compared.as_slice() {
            [other] => Some(other),
            _ => None,
        };
        self.followers.preview.as_ref().map(|preview| &preview.0).or(compared).map(|follower| &follower.recent_motion)
    }
}
