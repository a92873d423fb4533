//! Set-up: points and columns from joints, links from the grid, and what of the rest pose is kept.

use super::super::super::scene::WORLD;
use super::grid::Grid;
use super::{FaceRest, JointRest, LinkRest, NONE, Placed, Point, PointRest, Rest, SURFACE, State, Topology};
use crate::math::Trs;
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::sim::kernel::{Span, finite};
use crate::sim::{JointDynamicsPoint, LinkKind, SystemSetup, TipSetup};
use glam::{Quat, Vec3};
use std::collections::BTreeMap;

pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    let (mut rest, grid) = points(setup, skeleton, world);
    rest.below = below(setup, skeleton);
    rest.component = component(setup, skeleton);
    rest.extras = (0..setup.colliders.len()).map(|i| extra(setup, i)).collect();
    rest.grabbers.clone_from(&setup.joint_dynamics.grabbers);
    rest.planes = setup.joint_dynamics.planes.iter().map(|bone| bone.0).collect();
    read_points(&mut rest, setup);
    aims(&mut rest, &grid, setup, world);
    network(&mut rest, &grid, setup, world);
    let state = state(&rest, setup, skeleton, world);
    (rest, state)
}

fn extra(setup: &SystemSetup, i: usize) -> crate::sim::JointDynamicsCollider {
    setup.joint_dynamics.colliders.get(i).copied().unwrap_or_default()
}

/// The component's node; the parent of the first root where none is named.
fn component(setup: &SystemSetup, skeleton: &Skeleton) -> u32 {
    let first = setup.joints.iter().map(|j| j.bone).min_by_key(|bone| bone.0);
    let parent = || first.and_then(|bone| skeleton.parent(bone));
    setup.component.or_else(parent).map_or(WORLD, |bone| bone.0)
}

/// Joints in the engine's order, columns as named or by their chain's number and each subtree before the next one, then ends.
fn points(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, Grid) {
    let of_bone: BTreeMap<BoneId, usize> = setup.joints.iter().enumerate().map(|(i, j)| (j.bone, i)).collect();
    let above = |i: usize| skeleton.ancestors(setup.joints[i].bone).find_map(|b| of_bone.get(&b).copied());
    let parents: Vec<Option<usize>> = (0..setup.joints.len()).map(above).collect();
    let mut children = vec![Vec::new(); setup.joints.len()];
    for bone in &of_bone {
        if let Some(parent) = parents[*bone.1] {
            children[parent].push(*bone.1);
        }
    }
    let mut waiting: Vec<usize> = (0..parents.len()).filter(|i| parents[*i].is_none()).collect();
    let named: BTreeMap<BoneId, usize> = setup.joint_dynamics.roots.iter().copied().zip(0..).collect();
    let place = |i: usize| named.get(&setup.joints[i].bone).copied().unwrap_or(usize::MAX);
    waiting.sort_by_key(|i| std::cmp::Reverse((place(*i), setup.joints[*i].chain, *i)));
    let mut rest = Rest { order: vec![NONE; parents.len()], ..Rest::default() };
    let mut grid = Grid::default();
    let (mut sequence, mut depths) = (Vec::new(), Vec::new());
    while let Some(i) = waiting.pop() {
        let place = sequence.len() as u32;
        rest.order[i] = place;
        let parent = parents[i].map_or(NONE, |p| rest.order[p]);
        if parent == NONE {
            grid.roots.push(place);
        } else {
            grid.children[parent as usize].push(place);
        }
        grid.children.push(Vec::new());
        depths.push(if parent == NONE { 0 } else { depths[parent as usize] + 1 });
        sequence.push(i);
        waiting.extend(children[i].iter().rev());
        rest.joints.push(joint(
            setup.joints[i].bone,
            parents[i].map(|p| setup.joints[p].bone),
            skeleton,
            &mut rest.between,
        ));
        rest.points.push(point(setup.joints[i].bone.0, Vec3::ZERO, place, parent));
    }
    for (place, i) in sequence.iter().enumerate().filter(|(_, i)| children[**i].is_empty()) {
        let Some((bone, offset)) = end(setup, *i, world, skeleton) else { continue };
        grid.children[place].push(rest.points.len() as u32);
        grid.children.push(Vec::new());
        depths.push(depths[place] + 1);
        rest.points.push(point(bone, offset, place as u32, place as u32));
    }
    let deepest = depths.iter().copied().max().unwrap_or(0).max(1);
    for (point, depth) in rest.points.iter_mut().zip(&depths) {
        point.ratio = *depth as f32 / deepest as f32;
    }
    for (i, place) in rest.order.iter().enumerate() {
        limit(&mut rest.points[*place as usize], setup.joints[i].bone, skeleton, world);
    }
    (rest, grid)
}

fn point(bone: u32, offset: Vec3, joint: u32, parent: u32) -> PointRest {
    PointRest {
        bone,
        offset,
        joint,
        parent,
        child: NONE,
        ratio: 0.0,
        fixed: false,
        weight: 1.0,
        mass: 1.0,
        radius: 0.0,
        fade: 0.0,
        inverts: true,
        limit_radius: -1.0,
        limit_bone: NONE,
        limit_offset: Vec3::ZERO,
    }
}

fn joint(bone: BoneId, above: Option<BoneId>, skeleton: &Skeleton, between: &mut Vec<u32>) -> JointRest {
    let from = between.len();
    if above.is_some() {
        let mut way: Vec<u32> = skeleton.ancestors(bone).take_while(|b| Some(*b) != above).map(|b| b.0).collect();
        way.retain(|b| *b != bone.0);
        between.extend(way.iter().rev());
    }
    JointRest {
        bone: bone.0,
        parent_bone: skeleton.parent(bone).map_or(WORLD, |b| b.0),
        enabled: true,
        rotation: skeleton.bone(bone).rest.rotation,
        axis: Vec3::ZERO,
        length: 0.0,
        above: Span::since(from, between),
    }
}

/// Where a joint without children ends, as a bone and a point in its space; `None` for a leaf.
fn end(setup: &SystemSetup, i: usize, world: &WorldPose, skeleton: &Skeleton) -> Option<(u32, Vec3)> {
    let joint = &setup.joints[i];
    let frame = world.frame(joint.bone);
    let (bone, offset) = match &joint.tip {
        TipSetup::Offset(offset) => (joint.bone, *offset),
        TipSetup::Bones(bones) => {
            let tip = *bones.first()?;
            if skeleton.is_ancestor(joint.bone, tip) {
                (tip, Vec3::ZERO)
            } else {
                (joint.bone, frame.inverse_point(world.frame(tip).position))
            }
        }
    };
    // An end as far off as files can say has no distance: such a bone is taken for a leaf.
    let reachable = world.frame(bone).point(offset).distance(frame.position) < 1e9;
    reachable.then_some((bone.0, offset))
}

/// The movable limit's target hangs below the grandparent, where the point stands at set-up.
fn limit(point: &mut PointRest, bone: BoneId, skeleton: &Skeleton, world: &WorldPose) {
    if let Some(grandparent) = skeleton.parent(bone).and_then(|parent| skeleton.parent(parent)) {
        point.limit_bone = grandparent.0;
        point.limit_offset = world.frame(grandparent).inverse_point(world.frame(bone).position);
    }
}

/// Joints and all bones below one, parents first.
fn below(setup: &SystemSetup, skeleton: &Skeleton) -> Vec<u32> {
    let mut within = vec![false; skeleton.len()];
    setup.joints.iter().for_each(|j| within[j.bone.index()] = true);
    for bone in skeleton.ids() {
        if skeleton.parent(bone).is_some_and(|parent| within[parent.index()]) {
            within[bone.index()] = true;
        }
    }
    (0..skeleton.len() as u32).filter(|bone| within[*bone as usize]).collect()
}

/// What of the set-up is neither topology nor a row.
pub(super) fn read_points(rest: &mut Rest, setup: &SystemSetup) {
    let Rest { points, joints, order, .. } = rest;
    for (i, place) in order.iter().enumerate() {
        let own = setup.joint_dynamics.points.get(i).copied().unwrap_or_default();
        joints[*place as usize].enabled = setup.joints[i].enabled;
        let point = &mut points[*place as usize];
        point.fixed = own.fixed.unwrap_or(point.parent == NONE);
        point.limit_radius = finite(own.movable_limit_radius);
        read(point, &own, setup.joints[i].enabled);
    }
    let mut joint_at = vec![0; order.len()];
    order.iter().enumerate().for_each(|(i, place)| joint_at[*place as usize] = i);
    for end in &mut points[joints.len()..] {
        let i = joint_at[end.joint as usize];
        let own = setup.joint_dynamics.points.get(i).copied().unwrap_or_default();
        read(end, &own, setup.joints[i].enabled);
    }
    rest.extras = (0..setup.colliders.len()).map(|i| extra(setup, i)).collect();
    for (own, given) in rest.grabbers.iter_mut().zip(&setup.joint_dynamics.grabbers) {
        (own.radius, own.force, own.enabled) = (finite(given.radius), finite(given.force), given.enabled);
    }
}

fn read(point: &mut PointRest, own: &JointDynamicsPoint, enabled: bool) {
    point.weight = f32::from(u8::from(!point.fixed && enabled));
    point.mass = finite(own.mass);
    point.radius = finite(own.radius);
    point.fade = finite(own.fade).clamp(0.0, 1.0);
    point.inverts = own.invert_collision;
}

/// The child that each bone aims at, the axis that leads there, and how far it is.
fn aims(rest: &mut Rest, grid: &Grid, setup: &SystemSetup, world: &WorldPose) {
    for (i, place) in rest.order.iter().enumerate() {
        let wanted = setup.joint_dynamics.points.get(i).and_then(|own| own.aim_child);
        let place = *place as usize;
        let named = wanted.and_then(|bone| rest.joints.iter().position(|j| j.bone == bone.0)).filter(|p| *p != place);
        let Some(child) = named.map(|p| p as u32).or_else(|| grid.children[place].last().copied()) else { continue };
        if grid.children[place].is_empty() {
            continue;
        }
        rest.points[place].child = child;
        let frame = world.frame(setup.joints[i].bone);
        let tip = at_rest(&rest.points[child as usize], world);
        let joint = &mut rest.joints[place];
        joint.axis = frame.inverse_point(tip).normalize_or_zero();
        let length = tip.distance(frame.position);
        joint.length = if length.is_finite() { length } else { 0.0 };
    }
}

fn at_rest(point: &PointRest, world: &WorldPose) -> Vec3 {
    let at = world.frame(BoneId(point.bone)).point(point.offset);
    if at.is_finite() { at } else { Vec3::ZERO }
}

/// Links and faces with what they meet.
fn network(rest: &mut Rest, grid: &Grid, setup: &SystemSetup, world: &WorldPose) {
    let topology = Topology::read(|row| setup.values.get(row));
    let surface = setup.values.get(SURFACE) >= 0.5;
    let mut joint_at = vec![0; rest.order.len()];
    rest.order.iter().enumerate().for_each(|(i, place)| joint_at[*place as usize] = i);
    let mut lists = Lists { known: BTreeMap::new(), all: Vec::new() };
    let points = &rest.points;
    let mut meets = |ends: &[u32]| {
        let joints = ends.iter().map(|p| &setup.joints[joint_at[points[*p as usize].joint as usize]]);
        let mut ids: Vec<u32> = joints.flat_map(|j| j.colliders.iter().copied()).collect();
        ids.retain(|id| (*id as usize) < setup.colliders.len());
        ids.sort_unstable();
        ids.dedup();
        lists.range(ids)
    };
    for pair in grid.links(&topology) {
        let [a, b] = [pair.a, pair.b].map(|p| &points[p as usize]);
        let bends = matches!(pair.kind, LinkKind::BendingVertical | LinkKind::BendingHorizontal);
        let stands = a.fixed && b.fixed;
        let collides = !(bends || stands) && (surface || topology.collide[pair.kind as usize]);
        let length = at_rest(a, world).distance(at_rest(b, world));
        rest.links.push(LinkRest {
            kind: pair.kind,
            a: pair.a,
            b: pair.b,
            length: if length.is_finite() { length } else { 0.0 },
            colliders: if collides { meets(&[pair.a, pair.b]) } else { Span::default() },
        });
    }
    let used = |p: u32| {
        let own = setup.joint_dynamics.points.get(joint_at[points[p as usize].joint as usize]);
        own.is_none_or(|own| own.surface_collision)
    };
    for corners in grid.faces(topology.closed) {
        if corners.into_iter().all(used) {
            rest.faces.push(FaceRest { corners, colliders: meets(&corners) });
        }
    }
    rest.colliders = lists.all;
    let [points, colliders] = [rest.points.len(), setup.colliders.len()].map(|count| count as u64);
    let tests = points * (colliders + (rest.planes.len() + rest.grabbers.len()) as u64);
    // Weights are measured against one point or link, in a release build.
    rest.cost = crate::sim::work::Cost {
        step: points + tests / 8 + 4 * colliders,
        round: rest.links.iter().map(|link| 1 + 4 * u64::from(link.colliders.len())).sum(),
    };
    rest.surface_cost = rest.faces.iter().map(|face| 9 * u64::from(face.colliders.len())).sum();
}

/// Lists of colliders, each kept once.
struct Lists {
    known: BTreeMap<Vec<u32>, Span>,
    all: Vec<u32>,
}

impl Lists {
    fn range(&mut self, ids: Vec<u32>) -> Span {
        if let Some(range) = self.known.get(&ids) {
            return *range;
        }
        let range = Span::append(&mut self.all, ids.iter().copied());
        self.known.insert(ids, range);
        range
    }
}

fn state(rest: &Rest, setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> State {
    let places: Vec<Vec3> = rest.points.iter().map(|p| at_rest(p, world)).collect();
    let root = world.frames.get(rest.component as usize);
    let tip_of = |i: usize| if rest.points[i].child == NONE { i as u32 } else { rest.points[i].child };
    State {
        tip_of: (0..rest.joints.len()).map(tip_of).collect(),
        // The engine begins as if every point had just rubbed on something.
        points: places.iter().map(|at| Point { at: *at, friction: 0.5 }).collect(),
        previous: places.clone(),
        from: places.clone(),
        to: places.clone(),
        grabbed: vec![(NONE, 0.0); places.len()],
        wave_way: vec![Vec3::ZERO; places.len()],
        limits: places.clone(),
        drives: vec![Vec3::ZERO; places.len()],
        shown: places,
        late: rest.joints.iter().map(|j| skeleton.bone(BoneId(j.bone)).rest).collect::<Vec<Trs>>(),
        links: vec![super::LinkNow::default(); rest.links.len()],
        colliders: placed(setup, world),
        grabbers: vec![Vec3::ZERO; rest.grabbers.len()],
        planes: vec![(Vec3::ZERO, 0.0); rest.planes.len() + setup.colliders.len()],
        root: root.map_or((Vec3::ZERO, Quat::IDENTITY), |frame| (frame.position, frame.rotation)),
        clock: super::Clock::default(),
    }
}

fn placed(setup: &SystemSetup, world: &WorldPose) -> Vec<Placed> {
    let new = |c: &crate::sim::ColliderSetup| {
        let mut placed = Placed::default();
        placed.capture(&crate::sim::scene::ColliderRest::new(c), world.frame(c.bone));
        placed.hold_still();
        placed
    };
    setup.colliders.iter().map(new).collect()
}
