use super::Proposal;
use crate::document::measure::height;
use crate::document::{Chain, ChainId, Document, Edit, Joint, Part, SystemId, Tip};
use crate::feel::default_curves;
use crate::feel::starting::apply_starting_feel_in;
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use glam::Vec3;
use std::collections::BTreeSet;

/// Length that a single bone's tip gets on a character of [`USUAL_HEIGHT`], metres.
const LONE_TIP: f32 = 0.07;
const USUAL_HEIGHT: f32 = 1.6;

/// A chain of `root` and all below it that is neither excluded nor in another chain; bones without children end
/// it. A root without children is its only joint, with a tip in the direction in which it stands off its parent.
/// It comes under its part's [`Document::home_of`], `tuned` being the system that is tuned. `None` when the root itself is
/// excluded, taken or not there.
pub fn make_chain(
    root: BoneId,
    skeleton: &Skeleton,
    document: &Document,
    part: Part,
    tuned: SystemId,
) -> Option<Chain> {
    let taken: BTreeSet<BoneId> = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone).collect();
    let free = |bone: BoneId| !document.excluded.contains(&bone) && !taken.contains(&bone);
    if root.index() >= skeleton.len() || !free(root) {
        return None;
    }
    let mut bones = vec![root];
    let mut next = 0;
    while let Some(&bone) = bones.get(next) {
        let children = skeleton.children(bone).iter().copied();
        bones.extend(children.filter(|c| free(*c) && !skeleton.children(*c).is_empty()));
        next += 1;
    }
    bones.sort_unstable();
    Some(Maker::new(skeleton, document, tuned).build(&bones, part))
}

/// What making chains needs of a skeleton, worked out once.
struct Maker<'a> {
    skeleton: &'a Skeleton,
    document: &'a Document,
    tuned: SystemId,
    rest: WorldPose,
    tall: f32,
}

impl<'a> Maker<'a> {
    fn new(skeleton: &'a Skeleton, document: &'a Document, tuned: SystemId) -> Self {
        let rest = WorldPose::of(skeleton, &Pose::rest(skeleton));
        let tall = height(&rest);
        Self { skeleton, document, tuned, rest, tall }
    }

    /// A chain of just these bones, with its part's starting feel.
    fn build(&self, bones: &[BoneId], part: Part) -> Chain {
        let joint = |bone: &BoneId| {
            let mut joint = Joint::new(*bone);
            if self.skeleton.children(*bone).is_empty() {
                joint.tip = Tip::Offset(self.lone_tip(*bone));
            }
            joint
        };
        let joints = bones.iter().map(joint).collect();
        let name = bones.first().map_or("", |b| self.skeleton.name(*b));
        let home = self.document.home_of(part, self.tuned);
        let system = &self.document.systems[&home];
        let mut chain = Chain::new(name, part, system.table(), joints);
        chain.system = home;
        default_curves::lay_curves(&mut chain, system);
        apply_starting_feel_in(&mut chain, self.document, self.skeleton, &self.rest, self.tall);
        chain
    }

    /// The tip of a bone without children, in its own space: straight on from its parent, 7 cm on a usual
    /// character.
    fn lone_tip(&self, bone: BoneId) -> Vec3 {
        let frame = self.rest.frame(bone);
        let from = self.skeleton.parent(bone).map_or(frame.position, |p| self.rest.frame(p).position);
        let direction = (frame.position - from).try_normalize().unwrap_or(Vec3::Y);
        let length = if self.tall > 0.0 { LONE_TIP * self.tall / USUAL_HEIGHT } else { LONE_TIP };
        let tip = frame.inverse_point(frame.position + direction * length);
        if tip.is_finite() && tip != Vec3::ZERO { tip } else { Vec3::Y * LONE_TIP }
    }
}

/// Adds a chain for every proposal, each with its part's starting feel and under its [`Document::home_of`], as one step.
/// A bone that an earlier proposal has taken is left out.
pub fn propose_edits(proposals: &[Proposal], skeleton: &Skeleton, document: &Document, tuned: SystemId) -> Edit {
    let mut taken: BTreeSet<BoneId> = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone).collect();
    let maker = Maker::new(skeleton, document, tuned);
    let mut id = document.fresh_chain();
    let mut edits = Vec::with_capacity(proposals.len());
    for proposal in proposals {
        let free = |b: &BoneId| b.index() < skeleton.len() && taken.insert(*b);
        let bones: Vec<BoneId> = proposal.bones.iter().copied().filter(free).collect();
        if !bones.is_empty() {
            let mut chain = maker.build(&bones, proposal.part);
            chain.name.clone_from(&proposal.name);
            edits.push(Edit::PutChain { id, chain: Some(Box::new(chain)) });
            id = ChainId(id.0 + 1);
        }
    }
    Edit::Batch(edits)
}

/// Lets the chain of `bone` end with it: the joints below it leave. `None` when it has no chain or ends it already.
pub fn end_chain_at(bone: BoneId, skeleton: &Skeleton, document: &Document) -> Option<Edit> {
    let (id, _) = document.joint_of(bone)?;
    without(id, document, |joint| skeleton.is_above(bone, joint))
}

/// Takes the chain away; its bones follow their animation again. `None` when there is no such chain.
pub fn remove(chain: ChainId, document: &Document) -> Option<Edit> {
    document.chains.contains_key(&chain).then(|| Edit::Batch(vec![Edit::PutChain { id: chain, chain: None }]))
}

/// Keeps `bone` out of chains from now on: its joint and those below it leave theirs.
pub fn exclude(bone: BoneId, skeleton: &Skeleton, document: &Document) -> Edit {
    let mut edits = vec![Edit::SetExcluded { bone, excluded: true }];
    if let Some((id, _)) = document.joint_of(bone) {
        edits.extend(without(id, document, |joint| joint == bone || skeleton.is_above(bone, joint)));
    }
    Edit::Batch(edits)
}

/// Lets `bone` into chains again.
pub fn include(bone: BoneId) -> Edit {
    Edit::SetExcluded { bone, excluded: false }
}

/// The chain without some joints, or no chain when none is left; `None` when none leaves.
fn without(id: ChainId, document: &Document, leaves: impl Fn(BoneId) -> bool) -> Option<Edit> {
    let mut chain = document.chains.get(&id)?.clone();
    let before = chain.joints.len();
    chain.joints.retain(|j| !leaves(j.bone));
    if chain.joints.len() == before {
        return None;
    }
    let chain = (!chain.joints.is_empty()).then(|| Box::new(chain));
    Some(Edit::Batch(vec![Edit::PutChain { id, chain }]))
}
