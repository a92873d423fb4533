//! Finds what sways on a character that nobody has set up yet, and makes chains of it.
//!
//! A bone sways when its name says so, when its parent sways, or when it moves vertices and hangs on a human body
//! without being a part of it. Nothing is changed here: [`detect_chains`] proposes, [`add_proposed_chains`] and its neighbours
//! return edits.

mod create;
mod evidence;

pub use create::{add_proposed_chains, create_chain, end_chain_at, exclude_bone, include_bone, remove_chain};

use crate::document::{ChainPart, Document};
use crate::rig::{BoneId, Character, Skeleton};
use evidence::{BoneEvidence, SkeletonEvidence};
use std::collections::BTreeMap;

/// From this confidence on a proposal may be followed without asking.
pub const AUTO_ACCEPT_CONFIDENCE: f32 = 0.7;

/// A chain that could be made.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainProposal {
    /// The topmost swaying bone.
    pub root: BoneId,
    /// Its joints, ancestors first, the root among them.
    pub bones: Vec<BoneId>,
    /// What it seems to be.
    pub part: ChainPart,
    /// 0..=1; from [`AUTO_ACCEPT_CONFIDENCE`] on it is hardly ever wrong.
    pub confidence: f32,
    /// What speaks for it and against it, the weightiest first.
    pub reasons: Vec<DetectionReason>,
    /// Name of the root.
    pub name: String,
}

/// What speaks for or against a proposal; the ui finds the words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DetectionReason {
    /// A word in the root's name means the part, or one in the name of a bone above that carries it.
    NameWord(String),
    /// The name is marked as made to sway.
    SecondaryMotionMark,
    /// Its bones move vertices.
    MovesVertices,
    /// No bone of it moves vertices, though the character has meshes.
    MovesNoVertices,
    /// Hangs on a human body, below the bone of that role, without a role of its own.
    AttachedToBody(&'static str),
    /// Hangs where such a part usually hangs.
    UsualParentRole(&'static str),
    /// Hangs elsewhere.
    UnusualParentRole(&'static str),
    /// One of so many strands side by side.
    SimilarSiblings(usize),
    /// The word often names something that does not sway.
    AmbiguousWord,
    /// A single bone.
    SingleBone,
}

/// Proposes chains for all that seems to sway and has no chain yet, in the order of the file. The same character
/// and document give the same proposals.
pub fn detect_chains(character: &Character, document: &Document) -> Vec<ChainProposal> {
    let survey = SkeletonEvidence::from_character(character, document);
    let skeleton = &character.skeleton;
    let finder = ChainFinder::new(&survey, skeleton);
    let mut proposals: Vec<ChainProposal> =
        finder.chain_roots().into_iter().filter_map(|root| finder.propose(root)).collect();
    adjust_for_siblings(&mut proposals, skeleton);
    proposals
}

/// What a bone was found to be.
#[derive(Clone, Copy)]
struct BoneFinding {
    part: Option<ChainPart>,
    /// 0..=1, of the word.
    word_confidence: f32,
    /// The bone whose name said so.
    named_bone: BoneId,
    /// Begins something of its own.
    starts_chain: bool,
}

struct ChainFinder<'a> {
    evidence: &'a SkeletonEvidence,
    skeleton: &'a Skeleton,
    /// `None` for what does not sway.
    findings: Vec<Option<BoneFinding>>,
}

impl<'a> ChainFinder<'a> {
    fn new(survey: &'a SkeletonEvidence, skeleton: &'a Skeleton) -> Self {
        let mut finder = Self { evidence: survey, skeleton, findings: Vec::with_capacity(skeleton.len()) };
        for bone in skeleton.ids() {
            let found = finder.classify(bone);
            finder.findings.push(found);
        }
        finder
    }

    /// Decides on a bone whose parent is decided.
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
            // A ribbon on a pigtail is a ribbon; a vague word changes nothing.
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

    /// Hangs on the body, moves vertices and is no part of the body.
    fn is_unnamed_attachment(evidence: &BoneEvidence) -> bool {
        const RIGID_ROLES: [&str; 12] = [
            "Eye", "jaw", "Hand", "Thumb", "Index", "Middle", "Ring", "Little", "Foot", "Toes", "LowerArm", "Shoulder",
        ];
        let body = evidence.nearest_role.is_some_and(|role| !RIGID_ROLES.iter().any(|s| role.contains(s)));
        body && evidence.is_child_of_role && evidence.subtree_moves_vertices && !evidence.analysis.is_end
    }

    /// The topmost bone of each chain: below what only carries strands.
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

    /// Children that go on with what `bone` is.
    fn continuing_children(&self, bone: BoneId) -> impl Iterator<Item = BoneId> + '_ {
        let children = self.skeleton.children(bone).iter().copied();
        children.filter(|c| {
            let goes_on = self.findings[c.index()].is_some_and(|f| !f.starts_chain);
            goes_on && !(self.is_leaf(*c) && self.evidence.get(*c).analysis.is_end)
        })
    }

    /// Whether `bone` holds several strands without swaying itself, as "Hair" above all locks does. A strand that
    /// forks lower down is one chain.
    fn only_groups_chains(&self, bone: BoneId) -> bool {
        let own = self.evidence.get(bone);
        let strands: Vec<BoneId> = self.continuing_children(bone).collect();
        let unmoved = self.evidence.has_meshes && !own.moves_vertices;
        let sided = own.name.side.is_none() && strands.iter().any(|s| self.evidence.get(*s).name.side.is_some());
        let plain = !self.evidence.has_meshes && own.name.side.is_none() && own.name.numbers.is_empty();
        match strands.as_slice() {
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
        // File order is depth first and has parents first.
        bones.sort_unstable();
        bones
    }

    fn propose(&self, root: BoneId) -> Option<ChainProposal> {
        let found = self.findings[root.index()]?;
        let evidence = self.evidence.get(root);
        let bones = self.chain_bones(root);
        let single = bones.len() == 1 && self.is_leaf(root);
        // A leaf that moves nothing is an end or a mark for something else.
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
        let speaker = self.evidence.get(found.named_bone);
        if found.part.is_some() {
            let word = speaker.name.words.get(speaker.analysis.part_word).cloned().unwrap_or_default();
            let mut why = vec![DetectionReason::NameWord(word)];
            let mut confidence = if found.word_confidence > 0.6 { 0.84 } else { 0.52 };
            if found.word_confidence <= 0.6 {
                why.push(DetectionReason::AmbiguousWord);
                // A vague word beside one of the body, as in "chest_belt", names the body more often than not.
                if self.evidence.get(root).analysis.is_body || speaker.analysis.is_body {
                    confidence -= 0.1;
                }
            }
            return (confidence, why);
        }
        if speaker.analysis.is_secondary_motion {
            return (0.7, vec![DetectionReason::SecondaryMotionMark]);
        }
        (0.34, speaker.nearest_role.map(DetectionReason::AttachedToBody).into_iter().collect())
    }

    /// The part, corrected or guessed by where it hangs.
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
        // What hangs from a head like a tail is hair.
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

/// Strands side by side back each other up; many of them around the hips are a skirt.
fn adjust_for_siblings(proposals: &mut [ChainProposal], skeleton: &Skeleton) {
    let mut beside: BTreeMap<(Option<BoneId>, ChainPart), usize> = BTreeMap::new();
    let key = |p: &ChainProposal| (skeleton.parent(p.root), p.part);
    for proposal in proposals.iter() {
        *beside.entry(key(proposal)).or_default() += 1;
    }
    for proposal in proposals {
        let count = beside[&key(proposal)];
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
