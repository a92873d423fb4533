//! Detects bones with secondary motion and creates chains from these bones.
//!
//! A bone is a candidate if its name suggests secondary motion, if its parent is a candidate, or if the bone is a child
//! of the body, moves vertices and has no role. [`detect_chains`] only proposes chains. [`add_proposed_chains`] and the
//! other functions return edits.

mod create;
mod evidence;

pub use create::{add_proposed_chains, clear_exclusion, create_chain, end_chain_at, exclude_bone, remove_chain};

use crate::document::{ChainPart, Document};
use evidence::{BoneEvidence, SkeletonEvidence};
use std::collections::BTreeMap;
use yuremono_sim::rig::{BoneId, Character, Skeleton};

/// Proposals with at least this confidence can be accepted automatically.
pub const AUTO_ACCEPT_CONFIDENCE: f32 = 0.7;

/// A proposed chain.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainProposal {
    /// The topmost bone.
    pub root: BoneId,
    /// Bones of the joints, parents first, including the root.
    pub bones: Vec<BoneId>,
    /// Proposed part.
    pub part: ChainPart,
    /// 0 to 1; see [`AUTO_ACCEPT_CONFIDENCE`].
    pub confidence: f32,
    /// Reasons for and against the proposal, most important first.
    pub reasons: Vec<DetectionReason>,
    /// Name of the root.
    pub name: String,
}

/// A reason for or against a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DetectionReason {
    /// A word in the name of the root or of an ancestor identifies the part.
    NameWord(String),
    /// The name contains a secondary motion mark.
    SecondaryMotionMark,
    /// The bones move vertices.
    MovesVertices,
    /// No bone moves vertices, although the character has meshes.
    MovesNoVertices,
    /// The chain is attached to the body, below the bone with this role.
    AttachedToBody(&'static str),
    /// The parent role is usual for the part.
    UsualParentRole(&'static str),
    /// The parent role is unusual for the part.
    UnusualParentRole(&'static str),
    /// The number of similar chains with the same parent.
    SimilarSiblings(usize),
    /// The word is often used for bones without secondary motion.
    AmbiguousWord,
    /// The chain is a single bone.
    SingleBone,
}

/// Proposes chains for bones that have no chain yet, in file order. The result is deterministic.
pub fn detect_chains(character: &Character, document: &Document) -> Vec<ChainProposal> {
    let evidence = SkeletonEvidence::from_character(character, document);
    let skeleton = &character.skeleton;
    let finder = ChainFinder::new(&evidence, skeleton);
    let mut proposals: Vec<ChainProposal> =
        finder.chain_roots().into_iter().filter_map(|root| finder.propose(root)).collect();
    adjust_for_siblings(&mut proposals, skeleton);
    proposals
}

#[derive(Clone, Copy)]
struct BoneFinding {
    part: Option<ChainPart>,
    /// 0 to 1.
    word_confidence: f32,
    /// The bone whose name contains the word.
    named_bone: BoneId,
    starts_chain: bool,
}

struct ChainFinder<'a> {
    evidence: &'a SkeletonEvidence,
    skeleton: &'a Skeleton,
    /// `None` for bones without secondary motion.
    findings: Vec<Option<BoneFinding>>,
}

impl<'a> ChainFinder<'a> {
    fn new(evidence: &'a SkeletonEvidence, skeleton: &'a Skeleton) -> Self {
        let mut finder = Self { evidence, skeleton, findings: Vec::with_capacity(skeleton.len()) };
        for bone in skeleton.ids() {
            let found = finder.classify(bone);
            finder.findings.push(found);
        }
        finder
    }

    /// Classifies a bone whose parent is classified.
    fn classify(&self, bone: BoneId) -> Option<BoneFinding> {
        let evidence = self.evidence.get(bone);
        if evidence.is_never_joint {
            return None;
        }
        let above = self.skeleton.parent(bone).and_then(|p| self.findings[p.index()]);
        let own = evidence.analysis.part;
        if evidence.ended_chain_part.is_some_and(|ends| own.is_none_or(|(part, _)| part == ends)) {
            return None;
        }
        if let Some(above) = above {
            // For example, a ribbon on a pigtail is a separate chain. An ambiguous word does not start a chain.
            return match own {
                Some((part, sure)) if sure > 0.6 && Some(part) != above.part => {
                    Some(BoneFinding { part: Some(part), word_confidence: sure, named_bone: bone, starts_chain: true })
                }
                _ => Some(BoneFinding { starts_chain: false, ..above }),
            };
        }
        if let Some((part, sure)) = own {
            return Some(BoneFinding { part: Some(part), word_confidence: sure, named_bone: bone, starts_chain: true });
        }
        let marked = evidence.analysis.is_secondary_motion;
        (marked || Self::is_unnamed_attachment(evidence)).then_some(BoneFinding {
            part: None,
            word_confidence: 0.0,
            named_bone: bone,
            starts_chain: true,
        })
    }

    fn is_unnamed_attachment(evidence: &BoneEvidence) -> bool {
        const RIGID_ROLES: [&str; 12] = [
            "Eye", "jaw", "Hand", "Thumb", "Index", "Middle", "Ring", "Little", "Foot", "Toes", "LowerArm", "Shoulder",
        ];
        let body = evidence.nearest_role.is_some_and(|role| !RIGID_ROLES.iter().any(|s| role.contains(s)));
        body && evidence.is_child_of_role && evidence.subtree_moves_vertices && !evidence.analysis.is_end
    }

    /// Returns the topmost bone of each chain. Skips bones that only group chains.
    fn chain_roots(&self) -> Vec<BoneId> {
        let mut roots = Vec::new();
        let mut open: Vec<BoneId> = self.skeleton.ids().filter(|b| self.starts_chain(*b)).collect();
        while let Some(bone) = open.pop() {
            if self.only_groups_chains(bone) {
                open.extend(self.continuing_children(bone));
            } else {
                roots.push(bone);
            }
        }
        roots.sort_unstable();
        roots
    }

    fn starts_chain(&self, bone: BoneId) -> bool {
        self.findings[bone.index()].is_some_and(|f| f.starts_chain)
    }

    fn is_leaf(&self, bone: BoneId) -> bool {
        self.skeleton.children(bone).is_empty()
    }

    /// Returns the children that belong to the same chain as `bone`.
    fn continuing_children(&self, bone: BoneId) -> impl Iterator<Item = BoneId> + '_ {
        let children = self.skeleton.children(bone).iter().copied();
        children.filter(|c| {
            let goes_on = self.findings[c.index()].is_some_and(|f| !f.starts_chain);
            goes_on && !(self.is_leaf(*c) && self.evidence.get(*c).analysis.is_end)
        })
    }

    /// Returns whether `bone` only groups several chains, such as "Hair" above all locks. A chain that forks further
    /// down is one chain.
    fn only_groups_chains(&self, bone: BoneId) -> bool {
        let own = self.evidence.get(bone);
        let continuing_children: Vec<BoneId> = self.continuing_children(bone).collect();
        let unmoved = self.evidence.has_meshes && !own.moves_vertices;
        let sided =
            own.name.side.is_none() && continuing_children.iter().any(|s| self.evidence.get(*s).name.side.is_some());
        let plain = !self.evidence.has_meshes && own.name.side.is_none() && own.name.numbers.is_empty();
        match continuing_children.as_slice() {
            [] => false,
            [only] => own.analysis.is_group && unmoved && !self.is_leaf(*only),
            [_, _] => unmoved || own.analysis.is_group || sided || plain,
            _ => true,
        }
    }

    fn chain_bones(&self, root: BoneId) -> Vec<BoneId> {
        let mut bones = vec![root];
        let mut next = 0;
        while let Some(&bone) = bones.get(next) {
            let children = self.skeleton.children(bone).iter().copied();
            bones.extend(
                children.filter(|c| self.findings[c.index()].is_some_and(|f| !f.starts_chain) && !self.is_leaf(*c)),
            );
            next += 1;
        }
        // Bone ids are in file order: depth first, parents before children.
        bones.sort_unstable();
        bones
    }

    fn propose(&self, root: BoneId) -> Option<ChainProposal> {
        let found = self.findings[root.index()]?;
        let evidence = self.evidence.get(root);
        let bones = self.chain_bones(root);
        let single = bones.len() == 1 && self.is_leaf(root);
        // A leaf that moves nothing is an end bone or a marker.
        if single && (evidence.analysis.is_end || (self.evidence.has_meshes && !evidence.moves_vertices)) {
            return None;
        }
        let (mut confidence, mut why) = self.name_confidence(root, &found);
        if evidence.subtree_moves_vertices {
            confidence += 0.06;
            why.push(DetectionReason::MovesVertices);
        } else if self.evidence.has_meshes {
            confidence -= 0.35;
            why.push(DetectionReason::MovesNoVertices);
        }
        let part = self.part_by_location(found.part, evidence, &mut confidence, &mut why);
        if single {
            why.push(DetectionReason::SingleBone);
        }
        confidence += match (bones.len(), part) {
            (1, ChainPart::Ear | ChainPart::Breast | ChainPart::Accessory) => 0.0,
            (1, _) if single => -0.1,
            (1, _) => 0.0,
            (2, _) => 0.03,
            _ => 0.06,
        };
        let confidence = confidence.clamp(0.05, 0.99);
        Some(ChainProposal { root, bones, part, confidence, reasons: why, name: self.skeleton.name(root).to_owned() })
    }

    fn name_confidence(&self, root: BoneId, found: &BoneFinding) -> (f32, Vec<DetectionReason>) {
        let named_evidence = self.evidence.get(found.named_bone);
        if found.part.is_some() {
            let word = named_evidence.name.words.get(named_evidence.analysis.part_word).cloned().unwrap_or_default();
            let mut why = vec![DetectionReason::NameWord(word)];
            let mut confidence = if found.word_confidence > 0.6 { 0.84 } else { 0.52 };
            if found.word_confidence <= 0.6 {
                why.push(DetectionReason::AmbiguousWord);
                // An ambiguous word next to a body word, as in "chest_belt", usually names the body.
                if self.evidence.get(root).analysis.is_body || named_evidence.analysis.is_body {
                    confidence -= 0.1;
                }
            }
            return (confidence, why);
        }
        if named_evidence.analysis.is_secondary_motion {
            return (0.7, vec![DetectionReason::SecondaryMotionMark]);
        }
        (0.34, named_evidence.nearest_role.map(DetectionReason::AttachedToBody).into_iter().collect())
    }

    /// Returns the part: the parent role replaces a missing part and corrects a tail on the head. Also adjusts the
    /// confidence.
    fn part_by_location(
        &self,
        part: Option<ChainPart>,
        evidence: &BoneEvidence,
        confidence: &mut f32,
        why: &mut Vec<DetectionReason>,
    ) -> ChainPart {
        let Some(under) = evidence.nearest_role.filter(|_| self.evidence.has_humanoid) else {
            return part.unwrap_or_default();
        };
        let head = matches!(under, "head" | "neck");
        let Some(part) = part else { return if head { ChainPart::Hair } else { ChainPart::Other } };
        // A tail on the head is hair.
        if part == ChainPart::Tail && head {
            *confidence -= 0.12;
            why.push(DetectionReason::UnusualParentRole(under));
            return ChainPart::Hair;
        }
        let usual = match part {
            ChainPart::Hair | ChainPart::Ear => head,
            ChainPart::Skirt => matches!(under, "hips" | "spine" | "chest") || under.contains("UpperLeg"),
            ChainPart::Tail => matches!(under, "hips" | "spine"),
            ChainPart::Breast => matches!(under, "chest" | "upperChest" | "spine"),
            ChainPart::Sleeve => under.contains("Arm") || under.contains("Hand") || under.contains("Shoulder"),
            ChainPart::Ribbon | ChainPart::Accessory | ChainPart::Other => return part,
        };
        if usual {
            *confidence += 0.04;
            why.push(DetectionReason::UsualParentRole(under));
        } else {
            *confidence -= 0.15;
            why.push(DetectionReason::UnusualParentRole(under));
        }
        part
    }
}

/// Raises the confidence of similar unnamed siblings. Treats many unnamed chains on the hips as a skirt.
fn adjust_for_siblings(proposals: &mut [ChainProposal], skeleton: &Skeleton) {
    let mut sibling_counts: BTreeMap<(Option<BoneId>, ChainPart), usize> = BTreeMap::new();
    let key = |p: &ChainProposal| (skeleton.parent(p.root), p.part);
    for proposal in proposals.iter() {
        *sibling_counts.entry(key(proposal)).or_default() += 1;
    }
    for proposal in proposals {
        let count = sibling_counts[&key(proposal)];
        if count < 3 {
            continue;
        }
        let unnamed = matches!(proposal.reasons.first(), Some(DetectionReason::AttachedToBody(_)));
        if unnamed && proposal.bones.len() > 1 {
            proposal.confidence += 0.15;
            if count >= 4 && proposal.reasons.first() == Some(&DetectionReason::AttachedToBody("hips")) {
                proposal.part = ChainPart::Skirt;
            }
        }
        proposal.reasons.push(DetectionReason::SimilarSiblings(count));
    }
}

#[cfg(test)]
mod tests;
