//! Skirt tools: link neighbouring columns so that they keep their distances, and make columns follow the thighs.
//!
//! A column is an unbranched path of joints in a chain. A row contains the joints with the same index in every column.
//! Linking adds length targets between neighbouring columns. To follow the legs, pivots become children of the thighs.
//! Pivots of middle columns become children of a leg follower.

use crate::document::ring::widest_gap;
use crate::document::{
    Chain, ChainId, ChainPart, Document, Edit, Helper, HelperId, HelperRole, HighLeg, HighLegId, LengthTarget, Node,
    RestFrames, pivot, tip_bone,
};
use glam::{Mat3, Quat, Vec3};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{BoneId, Character, Facing, Skeleton};

/// Columns follow both legs if their distance from the centre is at most this fraction of the skirt's half width.
const MIDDLE_WIDTH_RATIO: f32 = 0.25;

/// A column of joints from the waist down.
#[derive(Clone, Debug, PartialEq)]
pub struct SkirtColumn {
    pub chain: ChainId,
    /// Indices of the column's joints in the chain, from top to bottom.
    pub joints: Vec<usize>,
    /// The angle around the vertical axis, in radians from +Z towards +X.
    pub angle: f32,
}

/// The columns of a skirt, in order around the body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skirt {
    /// Sorted by angle.
    pub columns: Vec<SkirtColumn>,
    /// Whether the last column is a neighbour of the first.
    pub is_closed: bool,
}

impl Skirt {
    /// Builds a skirt from the chains in `only`, or from all skirt chains if `only` is empty.
    pub fn find(document: &Document, rest_frames: &RestFrames, skeleton: &Skeleton, only: &[ChainId]) -> Self {
        let is_selected =
            |(id, c): &(&ChainId, &Chain)| if only.is_empty() { c.part == ChainPart::Skirt } else { only.contains(id) };
        let mut columns = Vec::new();
        for (id, chain) in document.chains.iter().filter(is_selected) {
            let columns_of_chain = split_into_columns(chain, skeleton);
            columns.extend(columns_of_chain.into_iter().map(|joints| SkirtColumn { chain: *id, joints, angle: 0.0 }));
        }
        let spot = |c: &SkirtColumn| {
            let joints = &document.chains[&c.chain].joints;
            let all: Vec<Vec3> = c.joints.iter().filter_map(|at| rest_frames.head(joints[*at].bone)).collect();
            all.last().copied().zip(all.first().copied()).map(|(low, high)| (low + high) / 2.0)
        };
        columns.retain(|c| spot(c).is_some_and(Vec3::is_finite));
        let spots: Vec<Vec3> = columns.iter().filter_map(spot).collect();
        let centre = axis_position(document, rest_frames, skeleton, &columns);
        for (column, spot) in columns.iter_mut().zip(&spots) {
            column.angle = libm::atan2f(spot.x - centre.x, spot.z - centre.z);
        }
        columns.sort_by(|a, b| a.angle.total_cmp(&b.angle));
        Self::from_sorted_columns(columns)
    }

    /// Rotates the list to start after the widest gap, if that gap is an opening.
    fn from_sorted_columns(mut columns: Vec<SkirtColumn>) -> Self {
        let count = columns.len();
        if count < 3 {
            return Self { columns, is_closed: false };
        }
        let angles: Vec<f32> = columns.iter().map(|column| column.angle.to_degrees()).collect();
        let gap = widest_gap(&angles);
        let is_closed = !gap.is_opening;
        if !is_closed {
            columns.rotate_left((gap.index + 1) % count);
        }
        Self { columns, is_closed }
    }

    /// Pairs of neighbouring columns. Each pair is listed once.
    pub(crate) fn neighbours(&self) -> Vec<(&SkirtColumn, &SkirtColumn)> {
        let mut all: Vec<_> = self.columns.windows(2).map(|pair| (&pair[0], &pair[1])).collect();
        if let (true, Some(last), Some(first)) = (self.is_closed, self.columns.last(), self.columns.first()) {
            all.push((last, first));
        }
        all
    }

    pub fn joint_count(&self) -> usize {
        self.columns.iter().map(|c| c.joints.len()).sum()
    }
}

/// The position of the vertical axis: the mean head position of the chain roots' parent bones.
fn axis_position(document: &Document, rest_frames: &RestFrames, skeleton: &Skeleton, columns: &[SkirtColumn]) -> Vec3 {
    let holder = |c: &SkirtColumn| rest_frames.head(skeleton.get_parent(document.chains.get(&c.chain)?.root())?);
    let all: Vec<Vec3> = columns.iter().filter_map(holder).filter(|p| p.is_finite()).collect();
    all.iter().sum::<Vec3>() / all.len().max(1) as f32
}

/// Splits a chain into paths. At a fork, the first child continues the path, and each other child starts a new path.
fn split_into_columns(chain: &Chain, skeleton: &Skeleton) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = Vec::new();
    for (at, joint) in chain.joints.iter().enumerate() {
        let parent = skeleton.get_parent(joint.bone).and_then(|bone| chain.joint_index(bone));
        match all.iter_mut().find(|s| s.last().copied() == parent && parent.is_some()) {
            Some(column) => column.push(at),
            None => all.push(vec![at]),
        }
    }
    all
}

/// The result of a skirt tool as one edit.
#[derive(Clone, Debug, PartialEq)]
pub struct SkirtPlan {
    pub edit: Edit,
    pub columns: usize,
    /// Number of added length targets or of reparented pivots.
    pub links: usize,
    /// Whether the ring is closed.
    pub is_closed: bool,
    /// The number of pivots that become children of a leg follower.
    pub middle_pivots: usize,
}

/// The leg that joints follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegTarget {
    /// The thigh nearest to each joint.
    Nearest,
    /// A chosen bone.
    Bone(BoneId),
}

/// The thigh and the shin of each leg.
pub(crate) fn leg_bones(character: &Character) -> Vec<[BoneId; 2]> {
    let role = |role: String| character.humanoid.bone_of(&character.skeleton, &role);
    let leg = |side| Some([role(format!("{side}UpperLeg"))?, role(format!("{side}LowerLeg"))?]);
    ["left", "right"].into_iter().filter_map(leg).collect()
}

/// Links joints in the same row of neighbouring columns. Each joint gets a length target to the other joint's tip bone,
/// or to the other joint's own bone if its tip is not a bone.
pub fn link_columns(document: &Document, character: &Character, only: &[ChainId]) -> SkirtPlan {
    let skeleton = &character.skeleton;
    let rest_frames = RestFrames::of(document, skeleton);
    let skirt = Skirt::find(document, &rest_frames, skeleton, only);
    let mut links = LengthLinkBuilder { document, chains: BTreeMap::new(), count: 0 };
    for (a, b) in skirt.neighbours() {
        for (i, j) in a.joints.iter().zip(&b.joints) {
            let end = |c: &SkirtColumn, at: usize| {
                let joint = &document.chains[&c.chain].joints[at];
                Node::Bone(tip_bone(skeleton, joint).unwrap_or(joint.bone))
            };
            links.add_target(a.chain, *i, end(b, *j));
            links.add_target(b.chain, *j, end(a, *i));
        }
    }
    links.into_plan(&skirt)
}

/// Adds a length target to every joint of the skirt. The target is the lower end of the nearest thigh, or a chosen
/// bone. The upper end of the thigh would have no effect, because raising the leg does not move it.
pub fn link_to_leg(document: &Document, character: &Character, only: &[ChainId], leg: LegTarget) -> SkirtPlan {
    let skeleton = &character.skeleton;
    let rest_frames = RestFrames::of(document, skeleton);
    let skirt = Skirt::find(document, &rest_frames, skeleton, only);
    let legs = leg_bones(character);
    let mut links = LengthLinkBuilder { document, chains: BTreeMap::new(), count: 0 };
    for column in &skirt.columns {
        for at in &column.joints {
            let joint = &document.chains[&column.chain].joints[*at];
            let tip = rest_frames.tip(skeleton, joint);
            let target = match leg {
                LegTarget::Bone(bone) => Some(bone).filter(|b| b.index() < skeleton.len()),
                LegTarget::Nearest => tip.and_then(|tip| nearest_leg(&rest_frames, &legs, tip)).map(|leg| leg[1]),
            };
            if let Some(target) = target.filter(|t| *t != joint.bone) {
                links.add_target(column.chain, *at, Node::Bone(target));
            }
        }
    }
    links.into_plan(&skirt)
}

pub(crate) fn nearest_leg(rest_frames: &RestFrames, legs: &[[BoneId; 2]], point: Vec3) -> Option<[BoneId; 2]> {
    let off = |leg: &[BoneId; 2]| {
        let (a, b) = (rest_frames.head(leg[0])?, rest_frames.head(leg[1])?);
        Some(yuremono_sim::math::closest_on_segment(point, a, b).distance(point))
    };
    legs.iter().filter_map(|leg| Some((off(leg)?, *leg))).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, leg)| leg)
}

struct LengthLinkBuilder<'a> {
    document: &'a Document,
    chains: BTreeMap<ChainId, Chain>,
    count: usize,
}

impl LengthLinkBuilder<'_> {
    fn add_target(&mut self, chain: ChainId, at: usize, node: Node) {
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

/// Makes every pivot of the skirt a child of the nearest thigh, or of a chosen bone. World rotations stay unchanged. A
/// joint without a pivot gets a pivot with limits. With `high_leg`, the pivots of middle columns become children of a
/// leg follower instead.
pub fn parent_pivots_to_legs(
    document: &Document,
    character: &Character,
    only: &[ChainId],
    leg: LegTarget,
    high_leg: bool,
) -> SkirtPlan {
    let skeleton = &character.skeleton;
    let rest_frames = RestFrames::of(document, skeleton);
    let skirt = Skirt::find(document, &rest_frames, skeleton, only);
    let legs = leg_bones(character);
    let mut parenter = PivotParenter::new(document, skeleton);
    parenter.make_pivots(&skirt);
    let middle = if high_leg && leg == LegTarget::Nearest {
        middle_columns(document, &rest_frames, &skirt)
    } else {
        BTreeSet::new()
    };
    let node = if middle.is_empty() { None } else { parenter.find_or_create_high_leg(character, &legs) };
    let mut counts = (0, 0);
    for (i, column) in skirt.columns.iter().enumerate() {
        for at in &column.joints {
            let bone = document.chains[&column.chain].joints[*at].bone;
            let tip = rest_frames.tip(skeleton, &document.chains[&column.chain].joints[*at]);
            let parent = match (leg, node.filter(|_| middle.contains(&i))) {
                (_, Some(node)) => Some(node),
                (LegTarget::Bone(bone), None) => Some(Node::Bone(bone)).filter(|_| bone.index() < skeleton.len()),
                (LegTarget::Nearest, None) => {
                    tip.and_then(|tip| nearest_leg(&rest_frames, &legs, tip)).map(|l| Node::Bone(l[0]))
                }
            };
            if parent.is_some_and(|parent| parenter.reparent_pivot(bone, parent)) {
                counts.0 += 1;
                counts.1 += usize::from(parent == node && node.is_some());
            }
        }
    }
    let edit = Edit::Batch(parenter.edits);
    SkirtPlan {
        edit,
        columns: skirt.columns.len(),
        links: counts.0,
        is_closed: skirt.is_closed,
        middle_pivots: counts.1,
    }
}

/// Indices of the columns at the front and the back, between the legs.
fn middle_columns(document: &Document, rest_frames: &RestFrames, skirt: &Skirt) -> BTreeSet<usize> {
    let x = |c: &SkirtColumn| {
        let joints = &document.chains[&c.chain].joints;
        c.joints.first().and_then(|at| rest_frames.head(joints[*at].bone)).map_or(f32::MAX, |p| p.x.abs())
    };
    let widest = skirt.columns.iter().map(x).filter(|x| x.is_finite() && *x < f32::MAX).fold(0.0, f32::max);
    (0..skirt.columns.len()).filter(|i| x(&skirt.columns[*i]) <= MIDDLE_WIDTH_RATIO * widest).collect()
}

/// Reparents pivots on a copy of the document, and collects the edits.
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

    /// Creates a pivot helper for every joint that lacks one.
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

    fn reparent_pivot(&mut self, bone: BoneId, parent: Node) -> bool {
        let Some((chain, at)) = self.after.find_joint(bone) else { return false };
        let Some(Node::Helper(id)) = self.after.chains[&chain].joints[at].pivot else { return false };
        let Some(helper) = self.after.helpers.get(&id).filter(|h| h.parent != parent).cloned() else { return false };
        let rest_frames = RestFrames::of(&self.after, self.skeleton);
        let Some(frame) = rest_frames.frame(Node::Helper(id)) else { return false };
        let local = rest_frames.local_transform_in(parent, frame.position, frame.rotation, helper.local.scale);
        let Some(local) = local else { return false };
        self.apply(Edit::PutHelper { id, helper: Some(Helper { parent, local, ..helper }) })
    }

    /// Finds or creates the leg follower. Returns `None` if the character has no hips or fewer than two legs.
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
        let rest_frames = RestFrames::of(&self.after, self.skeleton);
        let frame = rest_frames.frame(Node::Bone(hips))?;
        let stands_upright = (frame.rotation * Vec3::Z).dot(forward) > 0.98 && (frame.rotation * Vec3::Y).y > 0.98;
        let hip = if stands_upright {
            Node::Bone(hips)
        } else {
            self.create_null(
                "HighLegHip",
                hips,
                rest_frames.local_transform_in(
                    Node::Bone(hips),
                    frame.position,
                    look_rotation(forward, Vec3::Y),
                    Vec3::ONE,
                )?,
            )?
        };
        // The rotation while both legs hang down: +Z along the legs, +Y to the front.
        let down = look_rotation(Vec3::NEG_Y, forward);
        let local = rest_frames.local_transform_in(Node::Bone(hips), frame.position, down, Vec3::ONE)?;
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

/// The rotation that maps +Z to `forward` and +Y to `up`. The two vectors must be orthogonal.
pub(crate) fn look_rotation(forward: Vec3, up: Vec3) -> Quat {
    Quat::from_mat3(&Mat3::from_cols(up.cross(forward), up, forward)).normalize()
}
