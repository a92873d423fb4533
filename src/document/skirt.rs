//! Skirts: columns in a ring that hold each other and follow the thighs.
//!
//! Columns are strands of chains, rows their joints by number from the top. Linking writes length targets; leading by
//! the legs hangs pivots on thighs, and those of the middle on a node that leans with the raised one.

use crate::document::names::roles::legs_by_name;
use crate::document::{
    Chain, ChainId, ChainPart, Document, Edit, Helper, HelperId, HelperRole, HighLeg, HighLegId, LengthTarget, Node,
    RestFrames, pivot, tip_bone,
};
use crate::math::Trs;
use crate::rig::{BoneId, Character, Facing, Skeleton};
use glam::{Mat3, Quat, Vec3};
use std::collections::{BTreeMap, BTreeSet};
use std::f32::consts::TAU;

/// Gaps this many times as wide as the usual one are openings.
const OPENING_GAP_RATIO: f32 = 2.2;
/// Columns nearer to the middle than this share of the skirt's half width are led by both legs.
const MIDDLE_WIDTH_RATIO: f32 = 0.25;

/// A strand of joints from the waist down.
#[derive(Clone, Debug, PartialEq)]
pub struct SkirtColumn {
    /// Its chain.
    pub chain: ChainId,
    /// Positions of its joints in the chain, the topmost first.
    pub joints: Vec<usize>,
    /// Around the vertical axis, radians from +Z towards +X.
    pub angle: f32,
}

/// The columns of a skirt in their order around the body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skirt {
    /// Neighbours stand side by side.
    pub columns: Vec<SkirtColumn>,
    /// Whether the last one's neighbour is the first.
    pub is_closed: bool,
}

impl Skirt {
    /// Of `only`, or of all chains that are skirts.
    pub fn find(document: &Document, stance: &RestFrames, skeleton: &Skeleton, only: &[ChainId]) -> Self {
        let is_selected =
            |(id, c): &(&ChainId, &Chain)| if only.is_empty() { c.part == ChainPart::Skirt } else { only.contains(id) };
        let mut columns = Vec::new();
        for (id, chain) in document.chains.iter().filter(is_selected) {
            let strands = split_into_columns(chain, skeleton);
            columns.extend(strands.into_iter().map(|joints| SkirtColumn { chain: *id, joints, angle: 0.0 }));
        }
        let spot = |c: &SkirtColumn| {
            let joints = &document.chains[&c.chain].joints;
            let all: Vec<Vec3> = c.joints.iter().filter_map(|at| stance.head(joints[*at].bone)).collect();
            all.last().copied().zip(all.first().copied()).map(|(low, high)| (low + high) / 2.0)
        };
        columns.retain(|c| spot(c).is_some_and(Vec3::is_finite));
        let spots: Vec<Vec3> = columns.iter().filter_map(spot).collect();
        let centre = axis_position(document, stance, skeleton, &columns);
        for (column, spot) in columns.iter_mut().zip(&spots) {
            column.angle = (spot.x - centre.x).atan2(spot.z - centre.z);
        }
        columns.sort_by(|a, b| a.angle.total_cmp(&b.angle));
        Self::from_sorted_columns(columns)
    }

    /// Lets the row begin behind its widest gap, where that is an opening.
    fn from_sorted_columns(mut columns: Vec<SkirtColumn>) -> Self {
        let count = columns.len();
        if count < 3 {
            return Self { columns, is_closed: false };
        }
        let gap = |at: usize| (columns[(at + 1) % count].angle - columns[at].angle).rem_euclid(TAU);
        let mut gaps: Vec<f32> = (0..count).map(gap).collect();
        let widest = (0..count).max_by(|a, b| gaps[*a].total_cmp(&gaps[*b])).unwrap_or_default();
        let width = gaps[widest];
        gaps.sort_by(f32::total_cmp);
        let is_closed = width <= OPENING_GAP_RATIO * gaps[count / 2] && width < 0.45 * TAU;
        if !is_closed {
            columns.rotate_left((widest + 1) % count);
        }
        Self { columns, is_closed }
    }

    /// Neighbouring columns, each pair once.
    pub(crate) fn neighbours(&self) -> Vec<(&SkirtColumn, &SkirtColumn)> {
        let mut all: Vec<_> = self.columns.windows(2).map(|pair| (&pair[0], &pair[1])).collect();
        if let (true, Some(last), Some(first)) = (self.is_closed, self.columns.last(), self.columns.first()) {
            all.push((last, first));
        }
        all
    }

    /// How many joints it has.
    pub fn joint_count(&self) -> usize {
        self.columns.iter().map(|c| c.joints.len()).sum()
    }
}

/// Where the vertical axis is that columns stand around: what they hang on, in the mean.
fn axis_position(document: &Document, stance: &RestFrames, skeleton: &Skeleton, columns: &[SkirtColumn]) -> Vec3 {
    let holder = |c: &SkirtColumn| stance.head(skeleton.get_parent(document.chains.get(&c.chain)?.root())?);
    let all: Vec<Vec3> = columns.iter().filter_map(holder).filter(|p| p.is_finite()).collect();
    all.iter().sum::<Vec3>() / all.len().max(1) as f32
}

/// A chain cut into paths; where it forks, the first child goes on and each other one begins a new path.
fn split_into_columns(chain: &Chain, skeleton: &Skeleton) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = Vec::new();
    for (at, joint) in chain.joints.iter().enumerate() {
        let parent = skeleton.get_parent(joint.bone).and_then(|bone| chain.joint_index(bone));
        match all.iter_mut().find(|s| s.last().copied() == parent && parent.is_some()) {
            Some(strand) => strand.push(at),
            None => all.push(vec![at]),
        }
    }
    all
}

/// What a tool for skirts would do, as one step.
#[derive(Clone, Debug, PartialEq)]
pub struct SkirtPlan {
    /// All of it.
    pub edit: Edit,
    /// Columns that take part.
    pub columns: usize,
    /// Length targets that are written, or pivots that are hung up.
    pub links: usize,
    /// Whether the ring closes.
    pub is_closed: bool,
    /// Pivots that hang on a node which leans with both legs.
    pub middle_pivots: usize,
}

/// What is led by legs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegTarget {
    /// The thigh that is nearest to each joint.
    Nearest,
    /// This bone.
    Bone(BoneId),
}

/// The legs of a character: thigh and shin.
pub(crate) fn leg_bones(character: &Character) -> Vec<[BoneId; 2]> {
    let role = |role: &str| character.humanoid.bone(role).filter(|b| b.index() < character.skeleton.len());
    let of_role: Vec<[BoneId; 2]> = ["left", "right"]
        .iter()
        .filter_map(|side| Some([role(&format!("{side}UpperLeg"))?, role(&format!("{side}LowerLeg"))?]))
        .collect();
    if of_role.is_empty() { legs_by_name(&character.skeleton) } else { of_role }
}

/// Joints of one row in neighbouring columns keep their tips' distances: each gets the node at the other's tip as a
/// length target, or the other's bone where there is only a point.
pub fn link_columns(document: &Document, character: &Character, only: &[ChainId]) -> SkirtPlan {
    let skeleton = &character.skeleton;
    let stance = RestFrames::of(document, skeleton);
    let skirt = Skirt::find(document, &stance, skeleton, only);
    let mut links = LengthLinkBuilder { document, chains: BTreeMap::new(), count: 0 };
    for (a, b) in skirt.neighbours() {
        for (i, j) in a.joints.iter().zip(&b.joints) {
            let end = |c: &SkirtColumn, at: usize| {
                let joint = &document.chains[&c.chain].joints[at];
                Node::Bone(tip_bone(skeleton, joint).unwrap_or(joint.bone))
            };
            links.add_target((a.chain, *i), end(b, *j));
            links.add_target((b.chain, *j), end(a, *i));
        }
    }
    links.into_plan(&skirt)
}

/// Every joint of the skirt keeps its tip's distance to the end of the nearest thigh, or to a chosen bone. The thigh's
/// own head would do nothing: it stays where it is when the leg is raised.
pub fn link_to_leg(document: &Document, character: &Character, only: &[ChainId], leg: LegTarget) -> SkirtPlan {
    let skeleton = &character.skeleton;
    let stance = RestFrames::of(document, skeleton);
    let skirt = Skirt::find(document, &stance, skeleton, only);
    let legs = leg_bones(character);
    let mut links = LengthLinkBuilder { document, chains: BTreeMap::new(), count: 0 };
    for column in &skirt.columns {
        for at in &column.joints {
            let joint = &document.chains[&column.chain].joints[*at];
            let tip = stance.tip(skeleton, joint);
            let target = match leg {
                LegTarget::Bone(bone) => Some(bone).filter(|b| b.index() < skeleton.len()),
                LegTarget::Nearest => tip.and_then(|tip| nearest_leg(&stance, &legs, tip)).map(|leg| leg[1]),
            };
            if let Some(target) = target.filter(|t| *t != joint.bone) {
                links.add_target((column.chain, *at), Node::Bone(target));
            }
        }
    }
    links.into_plan(&skirt)
}

pub(crate) fn nearest_leg(stance: &RestFrames, legs: &[[BoneId; 2]], point: Vec3) -> Option<[BoneId; 2]> {
    let off = |leg: &[BoneId; 2]| {
        let (a, b) = (stance.head(leg[0])?, stance.head(leg[1])?);
        Some(crate::math::closest_on_segment(point, a, b).distance(point))
    };
    legs.iter().filter_map(|leg| Some((off(leg)?, *leg))).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, leg)| leg)
}

/// Collects length targets.
struct LengthLinkBuilder<'a> {
    document: &'a Document,
    chains: BTreeMap<ChainId, Chain>,
    count: usize,
}

impl LengthLinkBuilder<'_> {
    fn add_target(&mut self, (chain, at): (ChainId, usize), node: Node) {
        let chain = self.chains.entry(chain).or_insert_with(|| self.document.chains[&chain].clone());
        let joint = &mut chain.joints[at];
        if node != Node::Bone(joint.bone) && joint.length_targets.iter().all(|t| t.node != node) {
            joint.length_targets.push(LengthTarget::new(node));
            self.count += 1;
        }
    }

    fn into_plan(self, skirt: &Skirt) -> SkirtPlan {
        let changed = self.chains.into_iter().filter(|(id, chain)| self.document.chains.get(id) != Some(chain));
        let edits = changed.map(|(id, chain)| Edit::PutChain { id, chain: Some(Box::new(chain)) });
        SkirtPlan {
            edit: Edit::Batch(edits.collect()),
            columns: skirt.columns.len(),
            links: self.count,
            is_closed: skirt.is_closed,
            middle_pivots: 0,
        }
    }
}

/// Hangs the pivots of the skirt's joints on the nearest thigh, or on a chosen bone, without turning them; joints
/// without pivot get one with limits. With `high_leg`, columns of the middle hang on a node below the hips that leans
/// with whichever thigh is raised.
pub fn parent_pivots_to_legs(
    document: &Document,
    character: &Character,
    only: &[ChainId],
    leg: LegTarget,
    high_leg: bool,
) -> SkirtPlan {
    let skeleton = &character.skeleton;
    let stance = RestFrames::of(document, skeleton);
    let skirt = Skirt::find(document, &stance, skeleton, only);
    let legs = leg_bones(character);
    let mut leader = PivotParenter::new(document, skeleton);
    leader.make_pivots(&skirt);
    let middle =
        if high_leg && leg == LegTarget::Nearest { middle_columns(document, &stance, &skirt) } else { BTreeSet::new() };
    let node = if middle.is_empty() { None } else { leader.find_or_create_high_leg(character, &legs) };
    let mut counts = (0, 0);
    for (i, column) in skirt.columns.iter().enumerate() {
        for at in &column.joints {
            let bone = document.chains[&column.chain].joints[*at].bone;
            let tip = stance.tip(skeleton, &document.chains[&column.chain].joints[*at]);
            let leads = match (leg, node.filter(|_| middle.contains(&i))) {
                (_, Some(node)) => Some(node),
                (LegTarget::Bone(bone), None) => Some(Node::Bone(bone)).filter(|_| bone.index() < skeleton.len()),
                (LegTarget::Nearest, None) => {
                    tip.and_then(|tip| nearest_leg(&stance, &legs, tip)).map(|l| Node::Bone(l[0]))
                }
            };
            if leads.is_some_and(|leads| leader.reparent_pivot(bone, leads)) {
                counts.0 += 1;
                counts.1 += usize::from(leads == node && node.is_some());
            }
        }
    }
    let edit = Edit::Batch(leader.edits);
    SkirtPlan {
        edit,
        columns: skirt.columns.len(),
        links: counts.0,
        is_closed: skirt.is_closed,
        middle_pivots: counts.1,
    }
}

/// Columns in front and behind, between the legs.
fn middle_columns(document: &Document, stance: &RestFrames, skirt: &Skirt) -> BTreeSet<usize> {
    let x = |c: &SkirtColumn| {
        let joints = &document.chains[&c.chain].joints;
        c.joints.first().and_then(|at| stance.head(joints[*at].bone)).map_or(f32::MAX, |p| p.x.abs())
    };
    let widest = skirt.columns.iter().map(x).filter(|x| x.is_finite() && *x < f32::MAX).fold(0.0, f32::max);
    (0..skirt.columns.len()).filter(|i| x(&skirt.columns[*i]) <= MIDDLE_WIDTH_RATIO * widest).collect()
}

/// Hangs pivots elsewhere, on a copy that keeps up.
struct PivotParenter<'a> {
    skeleton: &'a Skeleton,
    after: Document,
    edits: Vec<Edit>,
}

impl<'a> PivotParenter<'a> {
    fn new(document: &Document, skeleton: &'a Skeleton) -> Self {
        Self { skeleton, after: document.clone(), edits: Vec::new() }
    }

    fn apply(&mut self, edit: Edit) -> bool {
        let fits = self.after.apply(edit.clone()).is_ok();
        if fits {
            self.edits.push(edit);
        }
        fits
    }

    /// A helper of its own for every joint that has none.
    fn make_pivots(&mut self, skirt: &Skirt) {
        let own = |node: Option<Node>| matches!(node, Some(Node::Helper(_)));
        let bare: Vec<BoneId> = skirt
            .columns
            .iter()
            .flat_map(|c| c.joints.iter().map(|at| &self.after.chains[&c.chain].joints[*at]))
            .filter(|j| !own(j.pivot))
            .map(|j| j.bone)
            .collect();
        if !bare.is_empty() {
            let edit = pivot::create_pivots(&self.after, self.skeleton, &bare);
            self.apply(edit);
        }
    }

    fn reparent_pivot(&mut self, bone: BoneId, leads: Node) -> bool {
        let Some((chain, at)) = self.after.find_joint(bone) else { return false };
        let Some(Node::Helper(id)) = self.after.chains[&chain].joints[at].pivot else { return false };
        let Some(helper) = self.after.helpers.get(&id).filter(|h| h.parent != leads).cloned() else { return false };
        let stance = RestFrames::of(&self.after, self.skeleton);
        let Some(frame) = stance.frame(Node::Helper(id)) else { return false };
        let local = stance.local_transform_in(leads, frame.position, frame.rotation, helper.local.scale);
        let Some(local) = local else { return false };
        self.apply(Edit::PutHelper { id, helper: Some(Helper { parent: leads, local, ..helper }) })
    }

    /// The node that leans with the raised thigh, found or made; `None` without hips and two legs.
    fn find_or_create_high_leg(&mut self, character: &Character, legs: &[[BoneId; 2]]) -> Option<Node> {
        if let Some(there) = self.after.high_legs.values().next() {
            return Some(there.node);
        }
        let first = legs.first().filter(|_| legs.len() > 1)?;
        let hips = character.humanoid.bone("hips").filter(|b| b.index() < self.skeleton.len());
        let hips = hips.or_else(|| self.skeleton.get_parent(first[0]))?;
        let forward = match character.facing {
            Facing::PlusZ => Vec3::Z,
            Facing::MinusZ => Vec3::NEG_Z,
        };
        let stance = RestFrames::of(&self.after, self.skeleton);
        let frame = stance.frame(Node::Bone(hips))?;
        let stands_upright = (frame.rotation * Vec3::Z).dot(forward) > 0.98 && (frame.rotation * Vec3::Y).y > 0.98;
        let hip = if stands_upright {
            Node::Bone(hips)
        } else {
            self.create_null(
                "HighLegHip",
                hips,
                stance.local_transform_in(
                    Node::Bone(hips),
                    frame.position,
                    look_rotation(forward, Vec3::Y),
                    Vec3::ONE,
                )?,
            )?
        };
        // As it stands while both legs hang down: looking along them, its head to the front.
        let down = look_rotation(Vec3::NEG_Y, forward);
        let local = stance.local_transform_in(Node::Bone(hips), frame.position, down, Vec3::ONE)?;
        let node = self.create_null("HighLeg", hips, local)?;
        let legs = legs.iter().map(|leg| leg.map(Node::Bone)).collect();
        let id: HighLegId = self.after.next_high_leg_id();
        let put = Edit::PutHighLeg { id, high_leg: Some(HighLeg { node, hip, legs }) };
        self.apply(put).then_some(node)
    }

    fn create_null(&mut self, name: &str, parent: BoneId, local: Trs) -> Option<Node> {
        let id: HelperId = self.after.next_helper_id();
        let parent = Node::Bone(parent);
        let helper = Helper { name: name.to_owned(), parent, local, role: HelperRole::Null };
        self.apply(Edit::PutHelper { id, helper: Some(helper) }).then_some(Node::Helper(id))
    }
}

/// The rotation whose +Z is `forward` and whose +Y leans towards `up`; both square to each other.
pub(crate) fn look_rotation(forward: Vec3, up: Vec3) -> Quat {
    Quat::from_mat3(&Mat3::from_cols(up.cross(forward), up, forward)).normalize()
}
