//! Rings: chains around the body, such as the columns of a skirt, whose values change with the angle around the body.
//!
//! A ring is not an element of a document. Each chain stores its [`RingPlace`], and its values store the ring curve, as
//! chains store the values of their material. All chains of a ring have the same solver and the same ring curves.

use crate::document::{Chain, ChainId, Document, Edit, RingId, RingPlace};
use glam::Vec3;
use std::collections::BTreeSet;
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::math::RingCurve;
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::{Character, Facing, Pose, WorldPose};

/// Smallest number of chains of a ring.
pub const MIN_CHAINS: usize = 3;
/// A gap is an opening if it is more than this many times as wide as the median gap.
const OPENING_GAP_RATIO: f32 = 2.2;
/// A gap is an opening if it is wider than this, in degrees.
const OPENING_DEGREES: f32 = 162.0;
/// Roots are on a line instead of around a centre if one width is smaller than this share of the other.
const MIN_WIDTH_RATIO: f32 = 0.15;

/// Why chains do not form a ring.
#[derive(Clone, Debug, PartialEq)]
pub enum RingProblem {
    /// A ring needs more chains; contains their number.
    TooFewChains(usize),
    /// The root of this chain is missing in the character.
    MissingRoot(String),
    /// The two chains have different solvers.
    Solvers(String, String),
    /// The roots are on a line or at one point.
    NotAround,
    /// The roots of the highest and the lowest chain are too far apart.
    UnevenHeights {
        high: String,
        low: String,
        /// Distance in metres.
        metres: f32,
    },
    /// The gap between two neighbours is too wide.
    Open {
        from: String,
        to: String,
        /// Width of the gap.
        degrees: f32,
    },
}

impl RingProblem {
    /// Returns the message for the user.
    pub fn message(&self) -> MessageText {
        match self {
            Self::TooFewChains(count) => message!(
                "chains around the body: {count}; a ring needs at least {min}",
                count = *count,
                min = MIN_CHAINS
            ),
            Self::MissingRoot(chain) => message!("the root of \"{chain}\" is missing in the character", chain),
            Self::Solvers(a, b) => message!("\"{a}\" and \"{b}\" have different solvers; a ring has one solver", a, b),
            Self::NotAround => {
                message!("the roots of the chains are on a line; the roots of a ring are around a centre")
            }
            Self::UnevenHeights { high, low, metres } => message!(
                "the root of \"{high}\" is {metres} m above the root of \"{low}\"; the roots of a ring have similar heights",
                high,
                low,
                metres = (*metres * 100.0).round() / 100.0
            ),
            Self::Open { from, to, degrees } => message!(
                "the ring does not close: between \"{from}\" and \"{to}\" there is a gap of {degrees}°",
                from,
                to,
                degrees = degrees.round()
            ),
        }
    }
}

/// The widest gap between neighbours on a circle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WidestGap {
    /// Index of the angle before the gap.
    pub index: usize,
    pub degrees: f32,
    /// Whether the gap is so wide that the angles do not close around the circle.
    pub is_opening: bool,
}

/// Returns the widest gap of ascending angles in degrees. Fewer than [`MIN_CHAINS`] angles never close.
pub(crate) fn widest_gap(angles: &[f32]) -> WidestGap {
    let count = angles.len();
    let mut gaps: Vec<f32> = (0..count).map(|at| (angles[(at + 1) % count] - angles[at]).rem_euclid(360.0)).collect();
    let index = (0..count).max_by(|a, b| gaps[*a].total_cmp(&gaps[*b])).unwrap_or_default();
    let degrees = gaps.get(index).copied().unwrap_or(360.0);
    gaps.sort_by(f32::total_cmp);
    let is_closed = count >= MIN_CHAINS && degrees <= OPENING_GAP_RATIO * gaps[count / 2] && degrees < OPENING_DEGREES;
    WidestGap { index, degrees, is_opening: !is_closed }
}

/// Returns the chains that may form a ring with a chain: chains of the same part and solver whose roots have the same
/// parent.
pub fn ring_candidates(document: &Document, character: &Character, id: ChainId) -> Vec<ChainId> {
    let Some(chain) = document.chains.get(&id) else { return Vec::new() };
    let parent = |chain: &Chain| character.skeleton.get_parent(chain.root());
    let is_like = |other: &Chain| {
        other.part == chain.part
            && document.solver_of(other) == document.solver_of(chain)
            && parent(other) == parent(chain)
    };
    document.chains.iter().filter(|(_, other)| is_like(other)).map(|(id, _)| *id).collect()
}

/// Returns the angle of each chain around the body, in degrees and ascending order, or why the chains do not form a
/// ring. The centre is where the parents of the roots are.
pub fn find_ring(
    document: &Document,
    character: &Character,
    chains: &[ChainId],
) -> Result<Vec<(ChainId, f32)>, RingProblem> {
    let chains: BTreeSet<ChainId> = chains.iter().copied().filter(|id| document.chains.contains_key(id)).collect();
    if chains.len() < MIN_CHAINS {
        return Err(RingProblem::TooFewChains(chains.len()));
    }
    let skeleton = &character.skeleton;
    let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
    let name = |id: &ChainId| document.chains[id].name.clone();
    let mut roots: Vec<(ChainId, Vec3)> = Vec::new();
    let mut centre = Vec3::ZERO;
    for id in &chains {
        let root = document.chains[id].root();
        let parent = skeleton.get_parent(root).ok_or_else(|| RingProblem::MissingRoot(name(id)))?;
        roots.push((*id, rest.frame(root).position));
        centre += rest.frame(parent).position / chains.len() as f32;
    }
    let first = roots[0].0;
    let solver = |id: &ChainId| document.solver_of(&document.chains[id]);
    if let Some((other, _)) = roots.iter().find(|(id, _)| solver(id) != solver(&first)) {
        return Err(RingProblem::Solvers(name(&first), name(other)));
    }
    let widths = roots.iter().fold(Vec3::ZERO, |most, (_, at)| most.max((*at - centre).abs()));
    let (narrow, wide) = (widths.x.min(widths.z), widths.x.max(widths.z));
    if !(narrow > MIN_WIDTH_RATIO * wide && wide.is_finite()) {
        return Err(RingProblem::NotAround);
    }
    let by_height = |a: &&(ChainId, Vec3), b: &&(ChainId, Vec3)| a.1.y.total_cmp(&b.1.y);
    if let Some((low, high)) = roots.iter().min_by(by_height).zip(roots.iter().max_by(by_height))
        && high.1.y - low.1.y > wide
    {
        let metres = high.1.y - low.1.y;
        return Err(RingProblem::UnevenHeights { high: name(&high.0), low: name(&low.0), metres });
    }
    let front = if character.facing == Facing::PlusZ { 1.0 } else { -1.0 };
    // A ring is usually wider than deep, so angles are measured on the ellipse through the roots.
    let angle = |at: Vec3| libm::atan2f(front * (at.x - centre.x) / widths.x, front * (at.z - centre.z) / widths.z);
    let mut ring: Vec<(ChainId, f32)> = roots.into_iter().map(|(id, at)| (id, angle(at).to_degrees())).collect();
    ring.sort_by(|a, b| a.1.total_cmp(&b.1));
    let gap = widest_gap(&ring.iter().map(|(_, angle)| *angle).collect::<Vec<_>>());
    if gap.is_opening {
        let (from, to) = (ring[gap.index].0, ring[(gap.index + 1) % ring.len()].0);
        return Err(RingProblem::Open { from: name(&from), to: name(&to), degrees: gap.degrees });
    }
    Ok(ring)
}

impl Document {
    /// Returns the chains of a ring with their angles in degrees, in ascending order of the angles.
    pub fn ring_chains(&self, ring: RingId) -> Vec<(ChainId, f32)> {
        let place = |(id, chain): (&ChainId, &Chain)| {
            chain.ring.filter(|place| place.ring == ring).map(|place| (*id, place.angle))
        };
        let mut chains: Vec<(ChainId, f32)> = self.chains.iter().filter_map(place).collect();
        chains.sort_by(|a, b| a.1.total_cmp(&b.1));
        chains
    }

    /// Returns the rings of chains.
    pub fn rings_of(&self, chains: &[ChainId]) -> BTreeSet<RingId> {
        chains.iter().filter_map(|id| self.chains.get(id)?.ring).map(|place| place.ring).collect()
    }

    /// Returns an id that no ring has.
    pub(crate) fn next_ring_id(&self) -> RingId {
        let last = self.chains.values().filter_map(|chain| chain.ring).map(|place| place.ring.0).max();
        RingId(last.map_or(1, |last| last.saturating_add(1)))
    }
}

/// Returns the edit that makes chains a ring. `ring` is the result of [`find_ring`]. If some chains are in a ring, the
/// other chains join this ring and get its ring curves.
pub fn make_ring(document: &Document, ring: &[(ChainId, f32)]) -> Edit {
    let chains = || ring.iter().filter_map(|(id, _)| document.chains.get(id));
    let known = chains().find(|chain| chain.ring.is_some());
    let id = known.and_then(|chain| chain.ring).map_or_else(|| document.next_ring_id(), |place| place.ring);
    let mut edits = Vec::new();
    for (chain, angle) in ring {
        edits.push(Edit::SetRingPlace { chain: *chain, place: Some(RingPlace { ring: id, angle: *angle }) });
        for (param, value) in known.into_iter().flat_map(|known| known.values.iter().enumerate()) {
            let param = ParamId(param as u16);
            edits.push(Edit::SetRingCurve { chain: *chain, param, curve: value.around.clone() });
        }
    }
    Edit::Batch(edits)
}

/// Returns the edit that dissolves the rings of these chains. The chains lose the ring curves.
pub fn dissolve_rings(document: &Document, chains: &[ChainId]) -> Edit {
    let mut edits = Vec::new();
    for chain in members(document, chains) {
        edits.push(Edit::SetRingPlace { chain, place: None });
        for (param, value) in document.chains[&chain].values.iter().enumerate() {
            if value.around.is_some() {
                edits.push(Edit::SetRingCurve { chain, param: ParamId(param as u16), curve: None });
            }
        }
    }
    Edit::Batch(edits)
}

/// Returns the edit that sets or removes the ring curve of a parameter, in all rings of these chains.
pub fn set_ring_curve(document: &Document, chains: &[ChainId], param: ParamId, curve: Option<&RingCurve>) -> Edit {
    let has_param = |id: &ChainId| param.index() < document.chains[id].values.len();
    let members = members(document, chains).into_iter().filter(has_param);
    let edit = |chain| Edit::SetRingCurve { chain, param, curve: curve.cloned() };
    Edit::Batch(members.map(edit).collect())
}

/// Returns all chains of the rings of these chains.
pub fn members(document: &Document, chains: &[ChainId]) -> BTreeSet<ChainId> {
    document.rings_of(chains).into_iter().flat_map(|ring| document.ring_chains(ring)).map(|(id, _)| id).collect()
}
