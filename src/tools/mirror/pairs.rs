//! Which bone stands where another one's mirror image is.

use super::names::mirrored_name;
use crate::document::{Document, Stance};
use crate::document::{names::Side, names::without_side};
use crate::rig::{BoneId, Skeleton};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Bones that only their names pair are taken unasked up to this distance, as a share of the character's height.
const FAR: f32 = 0.05;

/// The side that is copied from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum From {
    /// Where X is greater than zero: the left of a character that looks along +Z.
    #[default]
    PlusX,
    /// Where X is less than zero.
    MinusX,
}

impl From {
    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::PlusX => Self::MinusX,
            Self::MinusX => Self::PlusX,
        }
    }

    /// Whether a point lies there, farther than `middle` from the plane.
    pub fn has(self, point: Vec3, middle: f32) -> bool {
        match self {
            Self::PlusX => point.x > middle,
            Self::MinusX => point.x < -middle,
        }
    }
}

/// How a partner was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Found {
    /// It stands in the mirrored place and has the other side's name.
    PlaceAndName,
    /// It stands in the mirrored place.
    Place,
    /// It has the other side's name, and stands elsewhere.
    Name,
    /// The artist chose it.
    ByHand,
    /// It was not.
    Nothing,
}

/// A joint and the bone that gets its values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// A joint.
    pub source: BoneId,
    /// Any bone of the file but the source.
    pub target: Option<BoneId>,
    /// From the source's mirror image to the target, metres.
    pub apart: Option<f32>,
    /// How the target was found.
    pub found: Found,
    /// Whether it is copied.
    pub taken: bool,
}

/// `point` on the other side of the plane X = 0.
pub fn mirrored(point: Vec3) -> Vec3 {
    Vec3::new(0.0 - point.x, point.y, point.z)
}

/// All joints on one side, in the order of chains; of `only` where there are such.
pub fn sources(document: &Document, stance: &Stance, from: From, only: &BTreeSet<BoneId>, middle: f32) -> Vec<BoneId> {
    let joints = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone);
    let meant = |bone: &BoneId| only.is_empty() || only.contains(bone);
    let there = |bone: &BoneId| stance.head(*bone).is_some_and(|head| from.has(head, middle));
    joints.filter(meant).filter(there).collect()
}

/// Finds a partner for each source: the nearest bone within `tolerance` metres of its mirror image, or one that has
/// the other side's name. No bone is the target of two.
pub fn find_pairs(
    document: &Document,
    skeleton: &Skeleton,
    stance: &Stance,
    sources: &[BoneId],
    tolerance: f32,
) -> Vec<Pair> {
    let finder = Finder::new(skeleton, stance);
    let joints: BTreeSet<BoneId> = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone).collect();
    let taken_as_source: BTreeSet<BoneId> = sources.iter().copied().collect();
    let mut all: Vec<(Rank, usize, Candidate)> = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        let depth = skeleton.depth(*source);
        for candidate in finder.candidates(*source, tolerance) {
            if !taken_as_source.contains(&candidate.bone) {
                let off = candidate.apart / tolerance.max(1e-6);
                let rank = Rank {
                    found: candidate.found,
                    is_bare: !joints.contains(&candidate.bone),
                    // Quarters of the tolerance: bones that stand in one place are told apart by their depth.
                    steps: (4.0 * off).clamp(0.0, 1e9) as u32,
                    levels: depth.abs_diff(skeleton.depth(candidate.bone)),
                };
                all.push((rank, at, candidate));
            }
        }
    }
    all.sort_by_key(|(rank, at, candidate)| (*rank, *at, candidate.bone));
    let mut pairs: Vec<Pair> = sources
        .iter()
        .map(|source| Pair { source: *source, target: None, apart: None, found: Found::Nothing, taken: false })
        .collect();
    let mut taken = BTreeSet::new();
    let far = FAR * stance.height();
    for (_, at, candidate) in all {
        if pairs[at].target.is_none() && taken.insert(candidate.bone) {
            pairs[at].target = Some(candidate.bone);
            pairs[at].apart = Some(candidate.apart);
            pairs[at].found = candidate.found;
            pairs[at].taken = candidate.found != Found::Name || candidate.apart <= far;
        }
    }
    pairs
}

/// Better ones first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    found: Found,
    is_bare: bool,
    steps: u32,
    levels: usize,
}

/// A bone that may be a partner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub bone: BoneId,
    pub apart: f32,
    pub found: Found,
}

/// Bones by place and by name.
pub(super) struct Finder<'a> {
    skeleton: &'a Skeleton,
    stance: &'a Stance,
    /// Height and bone, the lowest first.
    by_height: Vec<(f32, BoneId)>,
    by_name: HashMap<(String, Side), Vec<BoneId>>,
    sides: BTreeMap<BoneId, (String, Side)>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(skeleton: &'a Skeleton, stance: &'a Stance) -> Self {
        let heads = skeleton.ids().filter_map(|bone| Some((stance.head(bone)?.y, bone)));
        let mut by_height: Vec<_> = heads.filter(|(y, _)| y.is_finite()).collect();
        by_height.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut by_name: HashMap<_, Vec<BoneId>> = HashMap::new();
        let mut sides = BTreeMap::new();
        for bone in skeleton.ids() {
            if let (rest, Some(side)) = without_side(skeleton.name(bone)) {
                by_name.entry((rest.clone(), side)).or_default().push(bone);
                sides.insert(bone, (rest, side));
            }
        }
        Self { skeleton, stance, by_height, by_name, sides }
    }

    /// Bones in the mirrored place within `tolerance`, and those of the other side's name. Never `bone` itself.
    pub(super) fn candidates(&self, bone: BoneId, tolerance: f32) -> Vec<Candidate> {
        let Some(image) = self.stance.head(bone).map(mirrored).filter(|p| p.is_finite()) else { return Vec::new() };
        let named = self.named_like(bone);
        let apart = |other: BoneId| self.stance.head(other).map_or(f32::MAX, |p| p.distance(image));
        let start = self.by_height.partition_point(|(y, _)| *y < image.y - tolerance);
        let near = self.by_height[start..].iter().take_while(|(y, _)| *y <= image.y + tolerance).map(|(_, b)| *b);
        let mut found: Vec<Candidate> = near
            .filter(|other| *other != bone)
            .map(|other| Candidate { bone: other, apart: apart(other), found: Found::Place })
            .filter(|c| c.apart <= tolerance)
            .collect();
        for other in named {
            match found.iter_mut().find(|c| c.bone == other) {
                Some(candidate) => candidate.found = Found::PlaceAndName,
                None => found.push(Candidate { bone: other, apart: apart(other), found: Found::Name }),
            }
        }
        found
    }

    fn named_like(&self, bone: BoneId) -> Vec<BoneId> {
        let Some((rest, side)) = self.sides.get(&bone) else { return Vec::new() };
        let other = match side {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        };
        let all = self.by_name.get(&(rest.clone(), other)).cloned().unwrap_or_default();
        // Where several names fold into one, the one that is spelt alike is meant.
        let exact = mirrored_name(self.skeleton.name(bone));
        let same: Vec<BoneId> =
            all.iter().copied().filter(|b| Some(self.skeleton.name(*b)) == exact.as_deref()).collect();
        if same.is_empty() { all } else { same }
    }
}
