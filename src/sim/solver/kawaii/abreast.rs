//! Points and bones side by side: those that do not wait for one another, four by four.

use super::super::super::scene::WORLD;
use super::{Kind, NONE, Point, Rest};
use crate::math::lanes;
use crate::rig::{BoneId, Skeleton};
use crate::sim::solver::fours::{Four, group, turns};
use glam::{BVec4A, Vec4};

/// What points side by side have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    /// The first of their chains.
    Root,
    /// Bones that hang from something.
    Bone,
    /// Virtual ends.
    End,
    /// Between two points of a chain.
    Between,
    /// Between the ends of constraints.
    Bridge,
}

impl Sort {
    fn of(point: &Point) -> Self {
        match point.kind {
            Kind::Bone if point.parent == NONE => Self::Root,
            Kind::Bone => Self::Bone,
            Kind::End { .. } => Self::End,
            Kind::Between { .. } => Self::Between,
            Kind::Bridge { .. } => Self::Bridge,
        }
    }
}

/// Points of which none hangs from another, and what a step asks of all four.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Abreast {
    /// Their places among the points, which stay in the engine's order.
    pub four: Four,
    pub sort: Sort,
    /// Of bones.
    pub bones: [u32; 4],
    /// The points that they hang from; themselves where there is none.
    pub parents: [u32; 4],
    /// Whose numbers they take, and how far from the first towards the second.
    pub joints: [[u32; 4]; 2],
    pub share: Vec4,
    pub is_mixed: bool,
    /// Which move with their parents, as the pose has them.
    pub pinned: BVec4A,
    pub has_colliders: bool,
}

/// The numbers of four points in this frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Settled {
    /// Shares of the speed that are kept.
    pub kept: Vec4,
    /// Shares of the way to the pose.
    pub pull: Vec4,
    /// Shares of the component's motion that are felt.
    pub felt_move: Vec4,
    pub felt_turn: Vec4,
    /// Metres.
    pub radius: Vec4,
    /// Degrees; 0 for none.
    pub limit: Vec4,
    pub force_rate: Vec4,
}

/// Bones of which none hangs on another; where there are fewer than four the last one is repeated.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub bones: [u32; 4],
    /// What they hang on.
    pub above: [u32; 4],
    /// Root or bone; `None` where they have no points.
    pub sort: Option<Sort>,
    /// Their points, and the only ones that hang from these; themselves where the bone is not turned.
    pub points: [u32; 4],
    pub children: [u32; 4],
    /// Which are turned to those.
    pub turns: BVec4A,
}

/// Plans the turns of points, and of `bones`, parents first.
pub(super) fn plan(rest: &mut Rest, bones: &[(u32, u32)], skeleton: &Skeleton) {
    rest.abreast = points(rest);
    rest.rows = rows(rest, bones, skeleton);
}

fn points(rest: &Rest) -> Vec<Abreast> {
    let points = &rest.points;
    let pairs = points.iter().enumerate().filter(|(_, point)| point.parent != NONE);
    let turns = turns(points.len(), pairs.map(|(i, point)| [point.parent as usize, i]).collect());
    let kind = |i: usize| (turns[i], Sort::of(&points[i]));
    let mut sorted: Vec<usize> = (0..points.len()).collect();
    sorted.sort_by_key(|i| kind(*i));
    let fours = group(sorted.len(), |a, b| kind(sorted[a]) != kind(sorted[b]));
    let abreast = |four: Four| {
        let four = Four { places: four.places.map(|at| sorted[at as usize] as u32), ..four };
        let each = lanes(|lane| &points[four.places[lane] as usize]);
        let parents = lanes(|lane| if each[lane].parent == NONE { four.places[lane] } else { each[lane].parent });
        Abreast {
            four,
            sort: Sort::of(each[0]),
            bones: each.map(|point| point.bone),
            parents,
            joints: [0, 1].map(|end| each.map(|point| point.joints[end])),
            is_mixed: each.iter().any(|point| point.share > 0.0),
            share: Vec4::from_array(each.map(|point| point.share)),
            pinned: BVec4A::default(),
            has_colliders: each.iter().any(|point| !point.colliders.is_empty()),
        }
    };
    fours.into_iter().map(abreast).collect()
}

fn rows(rest: &Rest, bones: &[(u32, u32)], skeleton: &Skeleton) -> Vec<Row> {
    let mut place = vec![None; skeleton.len()];
    bones.iter().enumerate().for_each(|(at, (bone, _))| place[*bone as usize] = Some(at));
    let carrier = |bone: u32| skeleton.parent(BoneId(bone)).and_then(|parent| place[parent.index()]);
    let pairs = bones.iter().enumerate().filter_map(|(at, (bone, _))| Some([carrier(*bone)?, at]));
    let turns = turns(bones.len(), pairs.collect());
    let kind = |at: usize| (turns[at], rest.points.get(bones[at].1 as usize).map(Sort::of));
    let mut sorted: Vec<usize> = (0..bones.len()).collect();
    sorted.sort_by_key(|at| kind(*at));
    let fours = group(sorted.len(), |a, b| kind(sorted[a]) != kind(sorted[b]));
    let row = |four: Four| {
        let each = four.places.map(|at| bones[sorted[at as usize]]);
        let child = |point: u32| rest.points.get(point as usize).map_or(NONE, |point| point.only_child);
        Row {
            bones: each.map(|(bone, _)| bone),
            above: each.map(|(bone, _)| skeleton.parent(BoneId(bone)).map_or(WORLD, |parent| parent.0)),
            sort: kind(sorted[four.places[0] as usize]).1,
            points: each.map(|(_, point)| point),
            children: each.map(|(_, point)| if child(point) == NONE { point } else { child(point) }),
            turns: BVec4A::default(),
        }
    };
    fours.into_iter().map(row).collect()
}

/// Reads again which points are pinned and which bones turn.
pub(super) fn switch(rest: &mut Rest) {
    let points = &rest.points;
    for abreast in &mut rest.abreast {
        abreast.pinned = BVec4A::from_array(abreast.four.places.map(|i| points[i as usize].pinned));
    }
    for row in &mut rest.rows {
        let turns = |i: u32| points.get(i as usize).is_some_and(|point| point.turns && point.only_child != NONE);
        row.turns = BVec4A::from_array(row.points.map(turns));
    }
}
