use super::ChainProposal;
use crate::document::measure::max_extent;
use crate::document::{Chain, ChainId, ChainPart, Document, Edit, Joint, SystemId, Tip};
use crate::feel::starting_feel::apply_default_curves;
use crate::feel::starting_feel::apply_starting_feel_with_frames;
use glam::Vec3;
use std::collections::BTreeSet;
use yuremono_sim::rig::{BoneId, Pose, Skeleton, WorldPose};

/// Length of the tip of a leaf bone on a character of [`REFERENCE_HEIGHT`], in metres.
const LEAF_TIP_LENGTH: f32 = 0.07;
const REFERENCE_HEIGHT: f32 = 1.6;

/// Creates a chain from `root` and its descendants, except leaf bones, excluded bones and bones of other chains. A root
/// without children gets an offset tip. The chain joins the default system of its part; `tuned` is the active system.
/// Returns `None` if the root is missing, excluded or in another chain.
pub fn create_chain(
    root: BoneId,
    skeleton: &Skeleton,
    document: &Document,
    part: ChainPart,
    tuned: SystemId,
) -> Option<Chain> {
    let taken: BTreeSet<BoneId> = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone).collect();
    let free = |bone: BoneId| !document.excluded_bones.contains(&bone) && !taken.contains(&bone);
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
    Some(ChainBuilder::new(skeleton, document, tuned).build(&bones, part))
}

struct ChainBuilder<'a> {
    skeleton: &'a Skeleton,
    document: &'a Document,
    active_system: SystemId,
    rest: WorldPose,
    height: f32,
}

impl<'a> ChainBuilder<'a> {
    fn new(skeleton: &'a Skeleton, document: &'a Document, tuned: SystemId) -> Self {
        let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
        let tall = max_extent(&rest);
        Self { skeleton, document, active_system: tuned, rest, height: tall }
    }

    /// Builds a chain of exactly these bones with the initial feel of its part.
    fn build(&self, bones: &[BoneId], part: ChainPart) -> Chain {
        let joint = |bone: &BoneId| {
            let mut joint = Joint::new(*bone);
            if self.skeleton.children(*bone).is_empty() {
                joint.tip = Tip::Offset(self.leaf_tip(*bone));
            }
            joint
        };
        let joints = bones.iter().map(joint).collect();
        let name = bones.first().map_or("", |b| self.skeleton.name(*b));
        let home = self.document.default_system_for(part, self.active_system);
        let system = &self.document.systems[&home];
        let mut chain = Chain::new(name, part, system.param_defs(), joints);
        chain.system = home;
        apply_default_curves(&mut chain, system);
        apply_starting_feel_with_frames(&mut chain, self.document, self.skeleton, &self.rest, self.height);
        chain
    }

    /// Returns the tip of a bone without children, in the space of the bone. The tip continues the direction from the
    /// parent.
    fn leaf_tip(&self, bone: BoneId) -> Vec3 {
        let frame = self.rest.frame(bone);
        let from = self.skeleton.parent(bone).map_or(frame.position, |p| self.rest.frame(p).position);
        let direction = (frame.position - from).try_normalize().unwrap_or(Vec3::Y);
        let length = if self.height > 0.0 { LEAF_TIP_LENGTH * self.height / REFERENCE_HEIGHT } else { LEAF_TIP_LENGTH };
        let tip = frame.inverse_transform_point(frame.position + direction * length);
        if tip.is_finite() && tip != Vec3::ZERO { tip } else { Vec3::Y * LEAF_TIP_LENGTH }
    }
}

/// Adds a chain for every proposal, with the initial feel and the default system of its part. Skips bones of earlier
/// proposals.
pub fn add_proposed_chains(
    proposals: &[ChainProposal],
    skeleton: &Skeleton,
    document: &Document,
    tuned: SystemId,
) -> Edit {
    let mut taken: BTreeSet<BoneId> = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone).collect();
    let maker = ChainBuilder::new(skeleton, document, tuned);
    let mut id = document.next_chain_id();
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

/// Removes the joints below `bone` from its chain. Returns `None` if nothing changes.
pub fn end_chain_at(bone: BoneId, skeleton: &Skeleton, document: &Document) -> Option<Edit> {
    let (id, _) = document.find_joint(bone)?;
    without_joints(id, document, |joint| skeleton.is_known_ancestor(bone, joint))
}

/// Removes a chain. Returns `None` if the chain does not exist.
pub fn remove_chain(chain: ChainId, document: &Document) -> Option<Edit> {
    document.chains.contains_key(&chain).then(|| Edit::Batch(vec![Edit::PutChain { id: chain, chain: None }]))
}

/// Excludes `bone` from chains, and removes the joints of the bone and its descendants from their chain.
pub fn exclude_bone(bone: BoneId, skeleton: &Skeleton, document: &Document) -> Edit {
    let mut edits = vec![Edit::SetExcluded { bone, excluded: true }];
    if let Some((id, _)) = document.find_joint(bone) {
        edits.extend(without_joints(id, document, |joint| joint == bone || skeleton.is_known_ancestor(bone, joint)));
    }
    Edit::Batch(edits)
}

/// Removes the exclusion of `bone`.
pub fn clear_exclusion(bone: BoneId) -> Edit {
    Edit::SetExcluded { bone, excluded: false }
}

/// Removes the joints that `leaves` selects, and the chain if no joint remains. Returns `None` if nothing changes.
fn without_joints(id: ChainId, document: &Document, leaves: impl Fn(BoneId) -> bool) -> Option<Edit> {
    let mut chain = document.chains.get(&id)?.clone();
    let before = chain.joints.len();
    chain.joints.retain(|j| !leaves(j.bone));
    if chain.joints.len() == before {
        return None;
    }
    let chain = (!chain.joints.is_empty()).then(|| Box::new(chain));
    Some(Edit::Batch(vec![Edit::PutChain { id, chain }]))
}
