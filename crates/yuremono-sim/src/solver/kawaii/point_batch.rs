//! Batches of independent points and of independent bones.

use super::super::super::step_pose::NO_PARENT;
use super::{NO_POINT, PointKind, PointRest, Rest};
use crate::math::from_lanes;
use crate::rig::{BoneId, Skeleton};
use crate::solver::batch::{Batch, dependency_levels, split_into_batches};
use glam::{BVec4A, Vec4};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BatchKind {
    /// The first point of a chain.
    Root,
    Bone,
    End,
    /// A point between two points of a chain.
    Subdivision,
    /// A point between the ends of a constraint.
    Bridge,
}

impl BatchKind {
    fn of_point(point: &PointRest) -> Self {
        match point.kind {
            PointKind::Bone if point.parent == NO_POINT => Self::Root,
            PointKind::Bone => Self::Bone,
            PointKind::End { .. } => Self::End,
            PointKind::Subdivision { .. } => Self::Subdivision,
            PointKind::Bridge { .. } => Self::Bridge,
        }
    }
}

/// Four independent points and the topology that their step reads.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PointBatch {
    /// Indices of the points. The points themselves stay in the order of KawaiiPhysics.
    pub batch: Batch,
    pub kind: BatchKind,
    pub bones: [u32; 4],
    /// Parent points; a point without a parent is its own parent here.
    pub parents: [u32; 4],
    /// Joints whose parameters the points blend; `fraction` is the share of the second joint.
    pub joints: [[u32; 4]; 2],
    pub fraction: Vec4,
    pub interpolates_params: bool,
    /// Whether each point follows its parent rigidly.
    pub pinned: BVec4A,
    pub has_colliders: bool,
}

/// Parameters of a batch in this frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct BatchParams {
    /// Shares of the velocity that remain after a step.
    pub velocity_retention: Vec4,
    /// Shares of the offset from the pose that a step removes.
    pub offset_removed: Vec4,
    /// Shares of the component's motion that the points feel.
    pub felt_movement: Vec4,
    pub felt_rotation: Vec4,
    /// In metres.
    pub radius: Vec4,
    /// In degrees; 0 turns the limit off.
    pub limit_angle: Vec4,
    pub force_rate: Vec4,
}

/// Independent bones. The last bone fills unused lanes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BoneBatch {
    pub bones: [u32; 4],
    /// Parent bones.
    pub parent_bones: [u32; 4],
    /// Root or bone; `None` if the bones have no points.
    pub kind: Option<BatchKind>,
    /// Points of the bones, and the only child of each point. A point without an only child is its own child here.
    pub points: [u32; 4],
    pub children: [u32; 4],
    /// Whether each bone rotates towards the child.
    pub rotates: BVec4A,
}

/// Plans the batches of points and of `bones`, which must be in an order with parents first.
pub(super) fn build_batches(rest: &mut Rest, bones: &[(u32, u32)], skeleton: &Skeleton) {
    rest.point_batches = point_batches(rest);
    rest.bone_batches = bone_batches(rest, bones, skeleton);
}

fn point_batches(rest: &Rest) -> Vec<PointBatch> {
    let points = &rest.points;
    let pairs = points.iter().enumerate().filter(|(_, point)| point.parent != NO_POINT);
    let turns = dependency_levels(points.len(), pairs.map(|(i, point)| [point.parent as usize, i]).collect());
    let kind = |i: usize| (turns[i], BatchKind::of_point(&points[i]));
    let mut sorted: Vec<usize> = (0..points.len()).collect();
    sorted.sort_by_key(|i| kind(*i));
    let batches = split_into_batches(sorted.len(), |a, b| kind(sorted[a]) != kind(sorted[b]));
    let point_batch = |batch: Batch| {
        let batch = Batch { indices: batch.indices.map(|at| sorted[at as usize] as u32), ..batch };
        let each = batch.refs(points);
        let parents =
            from_lanes(|lane| if each[lane].parent == NO_POINT { batch.indices[lane] } else { each[lane].parent });
        PointBatch {
            batch,
            kind: BatchKind::of_point(each[0]),
            bones: each.map(|point| point.bone),
            parents,
            joints: [0, 1].map(|end| each.map(|point| point.joints[end])),
            interpolates_params: each.iter().any(|point| point.fraction > 0.0),
            fraction: Vec4::from_array(each.map(|point| point.fraction)),
            pinned: BVec4A::default(),
            has_colliders: each.iter().any(|point| !point.colliders.is_empty()),
        }
    };
    batches.into_iter().map(point_batch).collect()
}

fn bone_batches(rest: &Rest, bones: &[(u32, u32)], skeleton: &Skeleton) -> Vec<BoneBatch> {
    let mut place = vec![None; skeleton.len()];
    bones.iter().enumerate().for_each(|(at, (bone, _))| place[*bone as usize] = Some(at));
    let carrier = |bone: u32| skeleton.parent(BoneId(bone)).and_then(|parent| place[parent.index()]);
    let pairs = bones.iter().enumerate().filter_map(|(at, (bone, _))| Some([carrier(*bone)?, at]));
    let turns = dependency_levels(bones.len(), pairs.collect());
    let kind = |at: usize| (turns[at], rest.points.get(bones[at].1 as usize).map(BatchKind::of_point));
    let mut sorted: Vec<usize> = (0..bones.len()).collect();
    sorted.sort_by_key(|at| kind(*at));
    let batches = split_into_batches(sorted.len(), |a, b| kind(sorted[a]) != kind(sorted[b]));
    let row = |batch: Batch| {
        let each = batch.indices.map(|at| bones[sorted[at as usize]]);
        let child = |point: u32| rest.points.get(point as usize).map_or(NO_POINT, |point| point.only_child);
        BoneBatch {
            bones: each.map(|(bone, _)| bone),
            parent_bones: each.map(|(bone, _)| skeleton.parent(BoneId(bone)).map_or(NO_PARENT, |parent| parent.0)),
            kind: kind(sorted[batch.indices[0] as usize]).1,
            points: each.map(|(_, point)| point),
            children: each.map(|(_, point)| if child(point) == NO_POINT { point } else { child(point) }),
            rotates: BVec4A::default(),
        }
    };
    batches.into_iter().map(row).collect()
}

/// Updates which points are pinned and which bones rotate.
pub(super) fn update_switches(rest: &mut Rest) {
    let points = &rest.points;
    for point_batch in &mut rest.point_batches {
        point_batch.pinned = BVec4A::from_array(point_batch.batch.indices.map(|i| points[i as usize].pinned));
    }
    for row in &mut rest.bone_batches {
        let turns = |i: u32| points.get(i as usize).is_some_and(|point| point.rotates && point.only_child != NO_POINT);
        row.rotates = BVec4A::from_array(row.points.map(turns));
    }
}
