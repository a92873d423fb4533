//! Finds what sways on a character that nobody has set up yet, and makes chains of it.
//!
//! A bone sways when its name says so, when its parent sways, or when it moves vertices and hangs on a human body
//! without being a part of it. Nothing is changed here: [`detect`] proposes, [`propose_edits`] and its neighbours
//! return edits.

mod evidence;
mod make;

pub use make::{end_chain_at, exclude, include, make_chain, propose_edits, remove};

use crate::document::{Document, Part};
use crate::rig::{BoneId, Character, Skeleton};
use evidence::{Evidence, Survey};
use std::collections::BTreeMap;

/// From this confidence on a proposal may be followed without asking.
pub const SURE: f32 = 0.7;

/// A chain that could be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The topmost swaying bone.
    pub root: BoneId,
    /// Its joints, ancestors first, the root among them.
    pub bones: Vec<BoneId>,
    /// What it seems to be.
    pub part: Part,
    /// 0..=1; from [`SURE`] on it is hardly ever wrong.
    pub confidence: f32,
    /// What speaks for it and against it, the weightiest first.
    pub why: Vec<Reason>,
    /// Name of the root.
    pub name: String,
}

/// What speaks for or against a proposal; the ui finds the words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A word in the root's name means the part, or one in the name of a bone above that carries it.
    Word(String),
    /// The name is marked as made to sway.
    Marked,
    /// Its bones move vertices.
    MovesVertices,
    /// No bone of it moves vertices, though the character has meshes.
    MovesNothing,
    /// Hangs on a human body, below the bone of that role, without a role of its own.
    OutsideBody(&'static str),
    /// Hangs where such a part usually hangs.
    UsualPlace(&'static str),
    /// Hangs elsewhere.
    UnusualPlace(&'static str),
    /// One of so many strands side by side.
    Strands(usize),
    /// The word often names something that does not sway.
    VagueWord,
    /// A single bone.
    SingleBone,
}

/// Proposes chains for all that seems to sway and has no chain yet, in the order of the file. The same character
/// and document give the same proposals.
pub fn detect(character: &Character, document: &Document) -> Vec<Proposal> {
    let survey = Survey::of(character, document);
    let skeleton = &character.skeleton;
    let finder = Finder::new(&survey, skeleton);
    let mut proposals: Vec<Proposal> = finder.roots().into_iter().filter_map(|root| finder.propose(root)).collect();
    count_strands(&mut proposals, skeleton);
    proposals
}

/// What a bone was found to be.
#[derive(Clone, Copy)]
struct Found {
    part: Option<Part>,
    /// 0..=1, of the word.
    sure: f32,
    /// The bone whose name said so.
    said_by: BoneId,
    /// Begins something of its own.
    starts: bool,
}

struct Finder<'a> {
    survey: &'a Survey,
    skeleton: &'a Skeleton,
    /// `None` for what does not sway.
    found: Vec<Option<Found>>,
}

impl<'a> Finder<'a> {
    fn new(survey: &'a Survey, skeleton: &'a Skeleton) -> Self {
        let mut finder = Self { survey, skeleton, found: Vec::with_capacity(skeleton.len()) };
        for bone in skeleton.ids() {
            let found = finder.look_at(bone);
            finder.found.push(found);
        }
        finder
    }

    /// Decides on a bone whose parent is decided.
    fn look_at(&self, bone: BoneId) -> Option<Found> {
        let evidence = self.survey.get(bone);
        if evidence.blocked {
            return None;
        }
        let above = self.skeleton.parent(bone).and_then(|p| self.found[p.index()]);
        let own = evidence.verdict.part;
        if evidence.ends.is_some_and(|ends| own.is_none_or(|(part, _)| part == ends)) {
            return None;
        }
        if let Some(above) = above {
            // A ribbon on a pigtail is a ribbon; a vague word changes nothing.
            return match own {
                Some((part, sure)) if sure > 0.6 && Some(part) != above.part => {
                    Some(Found { part: Some(part), sure, said_by: bone, starts: true })
                }
                _ => Some(Found { starts: false, ..above }),
            };
        }
        if let Some((part, sure)) = own {
            return Some(Found { part: Some(part), sure, said_by: bone, starts: true });
        }
        let marked = evidence.verdict.sways;
        (marked || Self::is_left_over(evidence)).then_some(Found { part: None, sure: 0.0, said_by: bone, starts: true })
    }

    /// Hangs on the body, moves vertices and is no part of the body.
    fn is_left_over(evidence: &Evidence) -> bool {
        const STIFF: [&str; 12] = [
            "Eye", "jaw", "Hand", "Thumb", "Index", "Middle", "Ring", "Little", "Foot", "Toes", "LowerArm", "Shoulder",
        ];
        let body = evidence.under.is_some_and(|role| !STIFF.iter().any(|s| role.contains(s)));
        body && evidence.on_body && evidence.moves_below && !evidence.verdict.end
    }

    /// The topmost bone of each chain: below what only carries strands.
    fn roots(&self) -> Vec<BoneId> {
        let mut roots = Vec::new();
        let mut open: Vec<BoneId> = self.skeleton.ids().filter(|b| self.starts(*b)).collect();
        while let Some(bone) = open.pop() {
            if self.carries_strands(bone) {
                open.extend(self.strands(bone));
            } else {
                roots.push(bone);
            }
        }
        roots.sort_unstable();
        roots
    }

    fn starts(&self, bone: BoneId) -> bool {
        self.found[bone.index()].is_some_and(|f| f.starts)
    }

    fn is_leaf(&self, bone: BoneId) -> bool {
        self.skeleton.children(bone).is_empty()
    }

    /// Children that go on with what `bone` is.
    fn strands(&self, bone: BoneId) -> impl Iterator<Item = BoneId> + '_ {
        let children = self.skeleton.children(bone).iter().copied();
        children.filter(|c| {
            let goes_on = self.found[c.index()].is_some_and(|f| !f.starts);
            goes_on && !(self.is_leaf(*c) && self.survey.get(*c).verdict.end)
        })
    }

    /// Whether `bone` holds several strands without swaying itself, as "Hair" above all locks does. A strand that
    /// forks lower down is one chain.
    fn carries_strands(&self, bone: BoneId) -> bool {
        let own = self.survey.get(bone);
        let strands: Vec<BoneId> = self.strands(bone).collect();
        let unmoved = self.survey.has_meshes && !own.moves;
        let sided = own.name.side.is_none() && strands.iter().any(|s| self.survey.get(*s).name.side.is_some());
        let plain = !self.survey.has_meshes && own.name.side.is_none() && own.name.numbers.is_empty();
        match strands.as_slice() {
            [] => false,
            [only] => own.verdict.group && unmoved && !self.is_leaf(*only),
            [_, _] => unmoved || own.verdict.group || sided || plain,
            _ => true,
        }
    }

    fn bones(&self, root: BoneId) -> Vec<BoneId> {
        let mut bones = vec![root];
        let mut next = 0;
        while let Some(&bone) = bones.get(next) {
            let children = self.skeleton.children(bone).iter().copied();
            bones.extend(children.filter(|c| self.found[c.index()].is_some_and(|f| !f.starts) && !self.is_leaf(*c)));
            next += 1;
        }
        // File order is depth first and has parents first.
        bones.sort_unstable();
        bones
    }

    fn propose(&self, root: BoneId) -> Option<Proposal> {
        let found = self.found[root.index()]?;
        let evidence = self.survey.get(root);
        let bones = self.bones(root);
        let single = bones.len() == 1 && self.is_leaf(root);
        // A leaf that moves nothing is an end or a mark for something else.
        if single && (evidence.verdict.end || (self.survey.has_meshes && !evidence.moves)) {
            return None;
        }
        let (mut confidence, mut why) = self.judge_name(root, &found);
        if evidence.moves_below {
            confidence += 0.06;
            why.push(Reason::MovesVertices);
        } else if self.survey.has_meshes {
            confidence -= 0.35;
            why.push(Reason::MovesNothing);
        }
        let part = self.part_in_place(found.part, evidence, &mut confidence, &mut why);
        if single {
            why.push(Reason::SingleBone);
        }
        confidence += match (bones.len(), part) {
            (1, Part::Ear | Part::Breast | Part::Accessory) => 0.0,
            (1, _) if single => -0.1,
            (1, _) => 0.0,
            (2, _) => 0.03,
            _ => 0.06,
        };
        let confidence = confidence.clamp(0.05, 0.99);
        Some(Proposal { root, bones, part, confidence, why, name: self.skeleton.name(root).to_owned() })
    }

    fn judge_name(&self, root: BoneId, found: &Found) -> (f32, Vec<Reason>) {
        let speaker = self.survey.get(found.said_by);
        if found.part.is_some() {
            let word = speaker.name.words.get(speaker.verdict.word).cloned().unwrap_or_default();
            let mut why = vec![Reason::Word(word)];
            let mut confidence = if found.sure > 0.6 { 0.84 } else { 0.52 };
            if found.sure <= 0.6 {
                why.push(Reason::VagueWord);
                // A vague word beside one of the body, as in "chest_belt", names the body more often than not.
                if self.survey.get(root).verdict.body || speaker.verdict.body {
                    confidence -= 0.1;
                }
            }
            return (confidence, why);
        }
        if speaker.verdict.sways {
            return (0.7, vec![Reason::Marked]);
        }
        (0.34, speaker.under.map(Reason::OutsideBody).into_iter().collect())
    }

    /// The part, corrected or guessed by where it hangs.
    fn part_in_place(
        &self,
        part: Option<Part>,
        evidence: &Evidence,
        confidence: &mut f32,
        why: &mut Vec<Reason>,
    ) -> Part {
        let Some(under) = evidence.under.filter(|_| self.survey.has_humanoid) else {
            return part.unwrap_or_default();
        };
        let head = matches!(under, "head" | "neck");
        let Some(part) = part else { return if head { Part::Hair } else { Part::Other } };
        // What hangs from a head like a tail is hair.
        if part == Part::Tail && head {
            *confidence -= 0.12;
            why.push(Reason::UnusualPlace(under));
            return Part::Hair;
        }
        let usual = match part {
            Part::Hair | Part::Ear => head,
            Part::Skirt => matches!(under, "hips" | "spine" | "chest") || under.contains("UpperLeg"),
            Part::Tail => matches!(under, "hips" | "spine"),
            Part::Breast => matches!(under, "chest" | "upperChest" | "spine"),
            Part::Sleeve => under.contains("Arm") || under.contains("Hand") || under.contains("Shoulder"),
            Part::Ribbon | Part::Accessory | Part::Other => return part,
        };
        if usual {
            *confidence += 0.04;
            why.push(Reason::UsualPlace(under));
        } else {
            *confidence -= 0.15;
            why.push(Reason::UnusualPlace(under));
        }
        part
    }
}

/// Strands side by side back each other up; many of them around the hips are a skirt.
fn count_strands(proposals: &mut [Proposal], skeleton: &Skeleton) {
    let mut beside: BTreeMap<(Option<BoneId>, Part), usize> = BTreeMap::new();
    let key = |p: &Proposal| (skeleton.parent(p.root), p.part);
    for proposal in proposals.iter() {
        *beside.entry(key(proposal)).or_default() += 1;
    }
    for proposal in proposals {
        let count = beside[&key(proposal)];
        if count < 3 {
            continue;
        }
        let unnamed = matches!(proposal.why.first(), Some(Reason::OutsideBody(_)));
        if unnamed && proposal.bones.len() > 1 {
            proposal.confidence += 0.15;
            if count >= 4 && proposal.why.first() == Some(&Reason::OutsideBody("hips")) {
                proposal.part = Part::Skirt;
            }
        }
        proposal.why.push(Reason::Strands(count));
    }
}

#[cfg(test)]
mod tests;
