//! Finds the bone at the mirror image of another bone, by position and by name.

use crate::document::{Document, RestFrames};
use crate::document::{names::BodySide, names::split_side};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use yuremono_sim::rig::{BoneId, Skeleton};

/// Maximum distance at which a match by name alone is included, as a share of the character's height.
const MAX_NAME_MATCH_DISTANCE: f32 = 0.05;

/// The side that is copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceSide {
    /// X > 0: the left of a character that faces +Z.
    #[default]
    PlusX,
    /// X < 0.
    MinusX,
}

impl SourceSide {
    /// Returns the other side.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::PlusX => Self::MinusX,
            Self::MinusX => Self::PlusX,
        }
    }

    /// Returns whether a point is on this side, farther than `middle` from the plane.
    pub fn contains(self, point: Vec3, middle: f32) -> bool {
        match self {
            Self::PlusX => point.x > middle,
            Self::MinusX => point.x < -middle,
        }
    }
}

/// How a partner was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairMatch {
    /// Position and name match.
    PositionAndName,
    /// The position matches.
    Position,
    /// The name matches, the position does not.
    Name,
    /// Chosen by the artist.
    Manual,
    /// No partner.
    NotFound,
}

/// A joint and the bone that gets its values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MirrorPair {
    /// Bone of the source joint.
    pub source: BoneId,
    /// Bone that gets the values; any bone of the character except the source.
    pub target: Option<BoneId>,
    /// Distance from the mirror image of the source to the target, in metres.
    pub distance: Option<f32>,
    /// How the target was found.
    pub match_kind: PairMatch,
    /// Whether the pair is copied.
    pub included: bool,
}

/// Mirrors a point across X = 0.
pub fn mirror_point(point: Vec3) -> Vec3 {
    Vec3::new(0.0 - point.x, point.y, point.z)
}

/// Returns all joints on one side, in chain order. If `only` is not empty, returns only joints in `only`.
pub fn source_joints(
    document: &Document,
    stance: &RestFrames,
    from: SourceSide,
    only: &BTreeSet<BoneId>,
    middle: f32,
) -> Vec<BoneId> {
    let joints = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone);
    let meant = |bone: &BoneId| only.is_empty() || only.contains(bone);
    let there = |bone: &BoneId| stance.head(*bone).is_some_and(|head| from.contains(head, middle));
    joints.filter(meant).filter(there).collect()
}

/// Finds a partner for each source: the nearest bone within `tolerance` metres of its mirror image, or a bone with the
/// mirrored name. No bone is the target of two sources.
pub fn find_pairs(
    document: &Document,
    skeleton: &Skeleton,
    stance: &RestFrames,
    sources: &[BoneId],
    tolerance: f32,
) -> Vec<MirrorPair> {
    let finder = MirrorFinder::new(skeleton, stance);
    let joints: BTreeSet<BoneId> = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone).collect();
    let taken_as_source: BTreeSet<BoneId> = sources.iter().copied().collect();
    let mut all: Vec<(CandidateRank, usize, MirrorCandidate)> = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        let depth = skeleton.depth(*source);
        for candidate in finder.candidates(*source, tolerance) {
            if !taken_as_source.contains(&candidate.bone) {
                let off = candidate.distance / tolerance.max(1e-6);
                let rank = CandidateRank {
                    match_kind: candidate.match_kind,
                    is_unsimulated: !joints.contains(&candidate.bone),
                    // One step is a quarter of the tolerance. Within a step, the depth in the skeleton decides.
                    distance_steps: (4.0 * off).clamp(0.0, 1e9) as u32,
                    depth_difference: depth.abs_diff(skeleton.depth(candidate.bone)),
                };
                all.push((rank, at, candidate));
            }
        }
    }
    all.sort_by_key(|(rank, at, candidate)| (*rank, *at, candidate.bone));
    let mut pairs: Vec<MirrorPair> = sources
        .iter()
        .map(|source| MirrorPair {
            source: *source,
            target: None,
            distance: None,
            match_kind: PairMatch::NotFound,
            included: false,
        })
        .collect();
    let mut taken = BTreeSet::new();
    let far = MAX_NAME_MATCH_DISTANCE * stance.height();
    for (_, at, candidate) in all {
        if pairs[at].target.is_none() && taken.insert(candidate.bone) {
            pairs[at].target = Some(candidate.bone);
            pairs[at].distance = Some(candidate.distance);
            pairs[at].match_kind = candidate.match_kind;
            pairs[at].included = candidate.match_kind != PairMatch::Name || candidate.distance <= far;
        }
    }
    pairs
}

/// Order of candidates. The smallest rank is the best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CandidateRank {
    match_kind: PairMatch,
    is_unsimulated: bool,
    distance_steps: u32,
    depth_difference: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct MirrorCandidate {
    pub bone: BoneId,
    pub distance: f32,
    pub match_kind: PairMatch,
}

pub(super) struct MirrorFinder<'a> {
    skeleton: &'a Skeleton,
    rest_frames: &'a RestFrames,
    /// Sorted by height.
    by_height: Vec<(f32, BoneId)>,
    by_name: HashMap<(String, BodySide), Vec<BoneId>>,
    side_by_bone: BTreeMap<BoneId, (String, BodySide)>,
}

impl<'a> MirrorFinder<'a> {
    pub(super) fn new(skeleton: &'a Skeleton, stance: &'a RestFrames) -> Self {
        let heads = skeleton.ids().filter_map(|bone| Some((stance.head(bone)?.y, bone)));
        let mut by_height: Vec<_> = heads.filter(|(y, _)| y.is_finite()).collect();
        by_height.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut by_name: HashMap<_, Vec<BoneId>> = HashMap::new();
        let mut sides = BTreeMap::new();
        for bone in skeleton.ids() {
            if let (rest, Some(side)) = split_side(skeleton.name(bone)) {
                by_name.entry((rest.clone(), side)).or_default().push(bone);
                sides.insert(bone, (rest, side));
            }
        }
        Self { skeleton, rest_frames: stance, by_height, by_name, side_by_bone: sides }
    }

    /// Returns the bones within `tolerance` of the mirror image, and the bones with the mirrored name. Never returns
    /// `bone` itself.
    pub(super) fn candidates(&self, bone: BoneId, tolerance: f32) -> Vec<MirrorCandidate> {
        let Some(image) = self.rest_frames.head(bone).map(mirror_point).filter(|p| p.is_finite()) else {
            return Vec::new();
        };
        let named = self.bones_with_mirrored_name(bone);
        let apart = |other: BoneId| self.rest_frames.head(other).map_or(f32::MAX, |p| p.distance(image));
        let start = self.by_height.partition_point(|(y, _)| *y < image.y - tolerance);
        let near = self.by_height[start..].iter().take_while(|(y, _)| *y <= image.y + tolerance).map(|(_, b)| *b);
        let mut found: Vec<MirrorCandidate> = near
            .filter(|other| *other != bone)
            .map(|other| MirrorCandidate { bone: other, distance: apart(other), match_kind: PairMatch::Position })
            .filter(|c| c.distance <= tolerance)
            .collect();
        for other in named {
            match found.iter_mut().find(|c| c.bone == other) {
                Some(candidate) => candidate.match_kind = PairMatch::PositionAndName,
                None => {
                    found.push(MirrorCandidate { bone: other, distance: apart(other), match_kind: PairMatch::Name });
                }
            }
        }
        found
    }

    fn bones_with_mirrored_name(&self, bone: BoneId) -> Vec<BoneId> {
        let Some((rest, side)) = self.side_by_bone.get(&bone) else { return Vec::new() };
        let other = match side {
            BodySide::Left => BodySide::Right,
            BodySide::Right => BodySide::Left,
        };
        let all = self.by_name.get(&(rest.clone(), other)).cloned().unwrap_or_default();
        // If several names are equal after folding, prefers the exact spelling.
        let exact = mirrored_name(self.skeleton.name(bone));
        let same: Vec<BoneId> =
            all.iter().copied().filter(|b| Some(self.skeleton.name(*b)) == exact.as_deref()).collect();
        if same.is_empty() { all } else { same }
    }
}

const SIDE_WORDS: [[&str; 2]; 5] =
    [["Left", "Right"], ["left", "right"], ["LEFT", "RIGHT"], ["左", "右"], ["ヒダリ", "ミギ"]];

/// Swaps the side word of a name and keeps its spelling. Returns `None` for a name without a side word, or with both.
pub fn mirrored_name(name: &str) -> Option<String> {
    let (_, side) = split_side(name);
    let (from, to) = match side? {
        BodySide::Left => (0, 1),
        BodySide::Right => (1, 0),
    };
    if let Some(pair) = SIDE_WORDS.iter().find(|pair| name.contains(pair[from])) {
        return Some(name.replace(pair[from], pair[to]));
    }
    let letters = [['l', 'r'], ['L', 'R']];
    let chars: Vec<char> = name.chars().collect();
    let swapped = |(at, c): (usize, &char)| {
        let pair = letters.iter().find(|pair| pair[from] == *c);
        pair.filter(|_| is_separate_letter(&chars, at)).map_or(*c, |pair| pair[to])
    };
    let other: String = chars.iter().enumerate().map(swapped).collect();
    (other != name).then_some(other)
}

/// Returns whether a letter is a separate word, as in `_L`, `.l`, `L_`, `HairL` and `LHair`.
fn is_separate_letter(chars: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).map(|i| chars[i]);
    let after = chars.get(at + 1).copied();
    let is_upper = chars[at].is_uppercase();
    let cut_before = before.is_none_or(|c| !c.is_alphabetic() || (is_upper && c.is_lowercase()));
    let word_follows =
        is_upper && after.is_some_and(char::is_uppercase) && chars.get(at + 2).is_some_and(|c| c.is_lowercase());
    cut_before && (after.is_none_or(|c| !c.is_alphabetic()) || word_follows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(left: &str, right: &str) {
        assert_eq!(mirrored_name(left).as_deref(), Some(right));
        assert_eq!(mirrored_name(right).as_deref(), Some(left));
    }

    #[test]
    fn side_words_of_both_languages_and_all_spellings_are_swapped() {
        check("TwinTail_L_01", "TwinTail_R_01");
        check("Skirt.L", "Skirt.R");
        check("L_sleeve", "R_sleeve");
        check("HairL01", "HairR01");
        check("hair_l_3", "hair_r_3");
        check("leftUpperLeg_Pivot", "rightUpperLeg_Pivot");
        check("J_Left_Ear", "J_Right_Ear");
        check("リボン_左", "リボン_右");
    }

    #[test]
    fn names_without_one_side_have_no_mirrored_name() {
        assert_eq!(mirrored_name("Tail_01"), None);
        assert_eq!(mirrored_name("Skirt_Left_Right"), None);
        assert_eq!(mirrored_name(""), None);
    }
}
