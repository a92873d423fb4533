//! Builds points, columns and links, in the solving order of `SPCRJointDynamics`.

use super::super::super::step_pose::NO_PARENT;
use super::{
    FaceRest, InterpolatedCollider, JointRest, LinkRest, LinkTopology, NONE, PointRest, PointState, Rest, SURFACE,
    State,
};
use crate::math::Trs;
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::vec_util::{IndexRange, sanitize};
use crate::{JointDynamicsPoint, LinkKind, SystemSetup, TipSetup};
use glam::{Quat, Vec3};
use std::collections::BTreeMap;

pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    let (mut rest, grid) = build_points(setup, skeleton, world);
    rest.subtree_bones = subtree_bones(setup, skeleton);
    rest.component = component_bone(setup, skeleton);
    rest.collider_settings = (0..setup.colliders.len()).map(|i| collider_settings(setup, i)).collect();
    rest.grabbers.clone_from(&setup.joint_dynamics.grabbers);
    rest.plane_bones = setup.joint_dynamics.planes.iter().map(|bone| bone.0).collect();
    update_switches(&mut rest, setup);
    find_aim_children(&mut rest, &grid, setup, world);
    build_network(&mut rest, &grid, setup, world);
    let state = initial_state(&rest, setup, skeleton, world);
    (rest, state)
}

fn collider_settings(setup: &SystemSetup, i: usize) -> crate::JointDynamicsCollider {
    setup.joint_dynamics.colliders.get(i).copied().unwrap_or_default()
}

/// The bone of the component; by default the parent of the first root.
fn component_bone(setup: &SystemSetup, skeleton: &Skeleton) -> u32 {
    let first = setup.joints.iter().map(|j| j.bone).min_by_key(|bone| bone.0);
    let parent = || first.and_then(|bone| skeleton.parent(bone));
    setup.component.or_else(parent).map_or(NO_PARENT, |bone| bone.0)
}

/// Builds the points of the joints in the order of `SPCRJointDynamics`, followed by the end points. Columns
/// that the setup names come first, in the order of the setup; the other columns follow by chain number. Within a
/// column, each subtree is complete before the next subtree starts.
fn build_points(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, PointGrid) {
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
    let list_index = |i: usize| named.get(&setup.joints[i].bone).copied().unwrap_or(usize::MAX);
    waiting.sort_by_key(|i| std::cmp::Reverse((list_index(*i), setup.joints[*i].chain, *i)));
    let mut rest = Rest { solver_indices: vec![NONE; parents.len()], ..Rest::default() };
    let mut grid = PointGrid::default();
    let (mut sequence, mut depths) = (Vec::new(), Vec::new());
    while let Some(i) = waiting.pop() {
        let solver_index = sequence.len() as u32;
        rest.solver_indices[i] = solver_index;
        let parent = parents[i].map_or(NONE, |p| rest.solver_indices[p]);
        if parent == NONE {
            grid.roots.push(solver_index);
        } else {
            grid.children[parent as usize].push(solver_index);
        }
        grid.children.push(Vec::new());
        depths.push(if parent == NONE { 0 } else { depths[parent as usize] + 1 });
        sequence.push(i);
        waiting.extend(children[i].iter().rev());
        rest.joints.push(new_joint(
            setup.joints[i].bone,
            parents[i].map(|p| setup.joints[p].bone),
            skeleton,
            &mut rest.skipped_bones,
        ));
        rest.points.push(new_point(setup.joints[i].bone.0, Vec3::ZERO, solver_index, parent));
    }
    for (solver_index, i) in sequence.iter().enumerate().filter(|(_, i)| children[**i].is_empty()) {
        let Some((bone, offset)) = end_point(setup, *i, world, skeleton) else { continue };
        grid.children[solver_index].push(rest.points.len() as u32);
        grid.children.push(Vec::new());
        depths.push(depths[solver_index] + 1);
        rest.points.push(new_point(bone, offset, solver_index as u32, solver_index as u32));
    }
    let deepest = depths.iter().copied().max().unwrap_or(0).max(1);
    for (point, depth) in rest.points.iter_mut().zip(&depths) {
        point.depth_ratio = *depth as f32 / deepest as f32;
    }
    for (i, solver_index) in rest.solver_indices.iter().enumerate() {
        set_movable_limit(&mut rest.points[*solver_index as usize], setup.joints[i].bone, skeleton, world);
    }
    (rest, grid)
}

fn new_point(bone: u32, offset: Vec3, joint: u32, parent: u32) -> PointRest {
    PointRest {
        bone,
        offset,
        joint,
        parent,
        aim_child: NONE,
        depth_ratio: 0.0,
        fixed: false,
        weight: 1.0,
        mass: 1.0,
        radius: 0.0,
        fade: 0.0,
        invert_collision: true,
        limit_radius: -1.0,
        limit_bone: NONE,
        limit_offset: Vec3::ZERO,
    }
}

fn new_joint(bone: BoneId, above: Option<BoneId>, skeleton: &Skeleton, between: &mut Vec<u32>) -> JointRest {
    let from = between.len();
    if above.is_some() {
        let mut way: Vec<u32> = skeleton.ancestors(bone).take_while(|b| Some(*b) != above).map(|b| b.0).collect();
        way.retain(|b| *b != bone.0);
        between.extend(way.iter().rev());
    }
    JointRest {
        bone: bone.0,
        parent_bone: skeleton.parent(bone).map_or(NO_PARENT, |b| b.0),
        enabled: true,
        rotation: skeleton.bone(bone).rest.rotation,
        axis: Vec3::ZERO,
        length: 0.0,
        skipped_bones: IndexRange::up_to_end(from, between),
    }
}

/// The end point of a joint without children, as a bone and a point in its space. `None` if the joint is a leaf, or if its
/// tip is at its head.
fn end_point(setup: &SystemSetup, i: usize, world: &WorldPose, skeleton: &Skeleton) -> Option<(u32, Vec3)> {
    let joint = &setup.joints[i];
    let frame = world.frame(joint.bone);
    let (bone, offset) = match &joint.tip {
        TipSetup::Offset(offset) => (joint.bone, *offset),
        TipSetup::Bones(bones) => {
            let tip = *bones.first()?;
            if skeleton.is_ancestor(joint.bone, tip) {
                (tip, Vec3::ZERO)
            } else {
                (joint.bone, frame.inverse_transform_point(world.frame(tip).position))
            }
        }
    };
    // An end at infinite distance has no direction, so the bone is treated as a leaf.
    let distance = world.frame(bone).transform_point(offset).distance(frame.position);
    (distance > 0.0 && distance < 1e9).then_some((bone.0, offset))
}

/// Fixes the center of the movable limit to the grandparent, at the point's rest position.
fn set_movable_limit(point: &mut PointRest, bone: BoneId, skeleton: &Skeleton, world: &WorldPose) {
    if let Some(grandparent) = skeleton.parent(bone).and_then(|parent| skeleton.parent(parent)) {
        point.limit_bone = grandparent.0;
        point.limit_offset = world.frame(grandparent).inverse_transform_point(world.frame(bone).position);
    }
}

/// The joints and all their descendants, parents first.
fn subtree_bones(setup: &SystemSetup, skeleton: &Skeleton) -> Vec<u32> {
    let mut within = vec![false; skeleton.len()];
    setup.joints.iter().for_each(|j| within[j.bone.index()] = true);
    for bone in skeleton.ids() {
        if skeleton.parent(bone).is_some_and(|parent| within[parent.index()]) {
            within[bone.index()] = true;
        }
    }
    (0..skeleton.len() as u32).filter(|bone| within[*bone as usize]).collect()
}

/// Updates the values that are neither topology nor parameters.
pub(super) fn update_switches(rest: &mut Rest, setup: &SystemSetup) {
    let Rest { points, joints, solver_indices: order, .. } = rest;
    for (i, solver_index) in order.iter().enumerate() {
        let own = setup.joint_dynamics.points.get(i).copied().unwrap_or_default();
        joints[*solver_index as usize].enabled = setup.joints[i].enabled;
        let point = &mut points[*solver_index as usize];
        point.fixed = own.fixed.unwrap_or(point.parent == NONE);
        point.limit_radius = sanitize(own.movable_limit_radius);
        update_point(point, &own, setup.joints[i].enabled);
    }
    let mut joint_at = vec![0; order.len()];
    order.iter().enumerate().for_each(|(i, solver_index)| joint_at[*solver_index as usize] = i);
    for end in &mut points[joints.len()..] {
        let i = joint_at[end.joint as usize];
        let own = setup.joint_dynamics.points.get(i).copied().unwrap_or_default();
        update_point(end, &own, setup.joints[i].enabled);
    }
    rest.collider_settings = (0..setup.colliders.len()).map(|i| collider_settings(setup, i)).collect();
    for (own, given) in rest.grabbers.iter_mut().zip(&setup.joint_dynamics.grabbers) {
        (own.radius, own.force, own.enabled) = (sanitize(given.radius), sanitize(given.force), given.enabled);
    }
}

fn update_point(point: &mut PointRest, own: &JointDynamicsPoint, enabled: bool) {
    point.weight = f32::from(u8::from(!point.fixed && enabled));
    point.mass = sanitize(own.mass);
    point.radius = sanitize(own.radius);
    point.fade = sanitize(own.fade).clamp(0.0, 1.0);
    point.invert_collision = own.invert_collision;
}

/// Finds the child that each bone aims at, and stores its direction and its distance.
fn find_aim_children(rest: &mut Rest, grid: &PointGrid, setup: &SystemSetup, world: &WorldPose) {
    for (i, solver_index) in rest.solver_indices.iter().enumerate() {
        let wanted = setup.joint_dynamics.points.get(i).and_then(|own| own.aim_child);
        let solver_index = *solver_index as usize;
        let named =
            wanted.and_then(|bone| rest.joints.iter().position(|j| j.bone == bone.0)).filter(|p| *p != solver_index);
        let Some(child) = named.map(|p| p as u32).or_else(|| grid.children[solver_index].last().copied()) else {
            continue;
        };
        if grid.children[solver_index].is_empty() {
            continue;
        }
        rest.points[solver_index].aim_child = child;
        let frame = world.frame(setup.joints[i].bone);
        let tip = rest_position(&rest.points[child as usize], world);
        let joint = &mut rest.joints[solver_index];
        joint.axis = frame.inverse_transform_point(tip).normalize_or_zero();
        let length = tip.distance(frame.position);
        joint.length = if length.is_finite() { length } else { 0.0 };
    }
}

fn rest_position(point: &PointRest, world: &WorldPose) -> Vec3 {
    let at = world.frame(BoneId(point.bone)).transform_point(point.offset);
    if at.is_finite() { at } else { Vec3::ZERO }
}

/// Builds the links and faces, with the colliders that each can touch.
fn build_network(rest: &mut Rest, grid: &PointGrid, setup: &SystemSetup, world: &WorldPose) {
    let topology = LinkTopology::from_params(|param| setup.values.get(param));
    let surface = setup.values.get(SURFACE) >= 0.5;
    let mut joint_at = vec![0; rest.solver_indices.len()];
    rest.solver_indices.iter().enumerate().for_each(|(i, solver_index)| joint_at[*solver_index as usize] = i);
    let mut lists = ColliderLists { spans: BTreeMap::new(), all: Vec::new() };
    let points = &rest.points;
    let mut collider_range = |ends: &[u32]| {
        let joints = ends.iter().map(|p| &setup.joints[joint_at[points[*p as usize].joint as usize]]);
        let mut ids: Vec<u32> = joints.flat_map(|j| j.colliders.iter().copied()).collect();
        ids.retain(|id| (*id as usize) < setup.colliders.len());
        ids.sort_unstable();
        ids.dedup();
        lists.intern(ids)
    };
    for pair in grid.links(&topology) {
        let [a, b] = [pair.a, pair.b].map(|p| &points[p as usize]);
        let bends = matches!(pair.kind, LinkKind::BendingVertical | LinkKind::BendingHorizontal);
        let both_fixed = a.fixed && b.fixed;
        let collides = !(bends || both_fixed) && (surface || topology.collide[pair.kind as usize]);
        let length = rest_position(a, world).distance(rest_position(b, world));
        rest.links.push(LinkRest {
            kind: pair.kind,
            a: pair.a,
            b: pair.b,
            length: if length.is_finite() { length } else { 0.0 },
            colliders: if collides { collider_range(&[pair.a, pair.b]) } else { IndexRange::default() },
        });
    }
    let has_surface_collision = |p: u32| {
        let own = setup.joint_dynamics.points.get(joint_at[points[p as usize].joint as usize]);
        own.is_none_or(|own| own.surface_collision)
    };
    for corners in grid.faces(topology.closed) {
        if corners.into_iter().all(has_surface_collision) {
            rest.faces.push(FaceRest { corners, colliders: collider_range(&corners) });
        }
    }
    rest.colliders = lists.all;
    let [points, colliders] = [rest.points.len(), setup.colliders.len()].map(|count| count as u64);
    let tests = points * (colliders + (rest.plane_bones.len() + rest.grabbers.len()) as u64);
    // The factors are relative costs, measured against one point or one link in a release build.
    rest.cost = crate::workload::VisitCost {
        step: points + tests / 8 + 4 * colliders,
        iteration: rest.links.iter().map(|link| 1 + 4 * u64::from(link.colliders.len())).sum(),
    };
    rest.surface_cost = rest.faces.iter().map(|face| 9 * u64::from(face.colliders.len())).sum();
}

/// Lists of collider indices. Equal lists are stored once.
struct ColliderLists {
    spans: BTreeMap<Vec<u32>, IndexRange>,
    all: Vec<u32>,
}

impl ColliderLists {
    fn intern(&mut self, ids: Vec<u32>) -> IndexRange {
        if let Some(range) = self.spans.get(&ids) {
            return *range;
        }
        let range = IndexRange::append(&mut self.all, ids.iter().copied());
        self.spans.insert(ids, range);
        range
    }
}

fn initial_state(rest: &Rest, setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> State {
    let places: Vec<Vec3> = rest.points.iter().map(|p| rest_position(p, world)).collect();
    let root = world.frames.get(rest.component as usize);
    let tip_of = |i: usize| if rest.points[i].aim_child == NONE { i as u32 } else { rest.points[i].aim_child };
    State {
        tip_points: (0..rest.joints.len()).map(tip_of).collect(),
        // `SPCRJointDynamics` starts with the friction of a contact at every point.
        points: places.iter().map(|at| PointState { position: *at, friction: 0.5 }).collect(),
        previous: places.clone(),
        animated_from: places.clone(),
        animated_to: places.clone(),
        grabbed: vec![super::PointGrab::FREE; places.len()],
        wave_direction: vec![Vec3::ZERO; places.len()],
        limit_centers: places.clone(),
        accelerations: vec![Vec3::ZERO; places.len()],
        output: places,
        last_locals: rest.joints.iter().map(|j| skeleton.bone(BoneId(j.bone)).rest).collect::<Vec<Trs>>(),
        links: vec![super::LinkConstraint::default(); rest.links.len()],
        colliders: initial_colliders(setup, world),
        grabbers: vec![Vec3::ZERO; rest.grabbers.len()],
        planes: vec![(Vec3::ZERO, 0.0); rest.plane_bones.len() + setup.colliders.len()],
        last_component_pose: root.map_or((Vec3::ZERO, Quat::IDENTITY), |frame| (frame.position, frame.rotation)),
        clock: super::SimulationClock::default(),
    }
}

fn initial_colliders(setup: &SystemSetup, world: &WorldPose) -> Vec<InterpolatedCollider> {
    let new = |c: &crate::ColliderSetup| {
        let mut placed = InterpolatedCollider::default();
        placed.capture(&crate::step_pose::ColliderRuntime::new(c), world.frame(c.bone));
        placed.clear_motion();
        placed
    };
    setup.colliders.iter().map(new).collect()
}

/// Points in columns, with the children of each point.
#[derive(Clone, Debug, Default)]
pub(super) struct PointGrid {
    pub(super) children: Vec<Vec<u32>>,
    pub(super) roots: Vec<u32>,
}

/// A link before its length is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinkPair {
    pub(super) kind: LinkKind,
    pub(super) a: u32,
    pub(super) b: u32,
}

impl PointGrid {
    fn first_child(&self, point: u32) -> u32 {
        self.children.get(point as usize).and_then(|c| c.first().copied()).unwrap_or(NONE)
    }

    /// Pairs of columns that are `apart` columns apart. In a closed ring, the last columns pair with the first.
    fn column_pairs(&self, apart: usize, closed: bool) -> impl Iterator<Item = (u32, u32)> + '_ {
        let count = self.roots.len();
        let last = if closed { count } else { count.saturating_sub(apart) };
        (0..last).map(move |i| (self.roots[i], self.roots[(i + apart) % count])).filter(|(a, b)| a != b)
    }

    /// Builds the links of all enabled kinds in the order of `SPCRJointDynamics`: bending, then shear, then
    /// structure. Each link joins the first group in which both of its points are free, and the groups are solved one
    /// after the other.
    pub(super) fn links(&self, topology: &LinkTopology) -> Vec<LinkPair> {
        let on = |kind: LinkKind| topology.compute[kind as usize];
        let mut pairs = Vec::new();
        if on(LinkKind::BendingHorizontal) {
            let kind = LinkKind::BendingHorizontal;
            self.column_pairs(2, topology.closed).for_each(|(a, b)| self.add_horizontal_links(kind, a, b, &mut pairs));
        }
        if on(LinkKind::BendingVertical) {
            self.roots.iter().for_each(|root| self.add_vertical_bending_links(*root, &mut pairs));
        }
        if on(LinkKind::Shear) {
            self.column_pairs(1, topology.closed).for_each(|(a, b)| self.add_shear_links(a, b, &mut pairs));
        }
        if on(LinkKind::StructuralHorizontal) {
            let kind = LinkKind::StructuralHorizontal;
            self.column_pairs(1, topology.closed).for_each(|(a, b)| self.add_horizontal_links(kind, a, b, &mut pairs));
        }
        if on(LinkKind::StructuralVertical) {
            self.roots.iter().for_each(|root| self.add_vertical_links(*root, &mut pairs));
        }
        grouped_without_shared_points(&pairs, self.children.len())
    }

    /// Pairs the points of two columns depth by depth. If one column is shorter, its last point pairs with the next
    /// point of the other column.
    fn add_horizontal_links(&self, kind: LinkKind, mut a: u32, mut b: u32, pairs: &mut Vec<LinkPair>) {
        loop {
            let (below_a, below_b) = (self.first_child(a), self.first_child(b));
            match (below_a == NONE, below_b == NONE) {
                (true, true) => return,
                (false, true) => return pairs.push(LinkPair { kind, a: below_a, b }),
                (true, false) => return pairs.push(LinkPair { kind, a, b: below_b }),
                (false, false) => pairs.push(LinkPair { kind, a: below_a, b: below_b }),
            }
            (a, b) = (below_a, below_b);
        }
    }

    /// Adds the diagonals between two columns.
    fn add_shear_links(&self, mut a: u32, mut b: u32, pairs: &mut Vec<LinkPair>) {
        let kind = LinkKind::Shear;
        while a != NONE && b != NONE {
            let (below_a, below_b) = (self.first_child(a), self.first_child(b));
            if below_a != NONE {
                pairs.push(LinkPair { kind, a: below_a, b });
            }
            if below_b != NONE {
                pairs.push(LinkPair { kind, a, b: below_b });
            }
            (a, b) = (below_a, below_b);
        }
    }

    /// Links each point to its grandchild, up to the first branch.
    fn add_vertical_bending_links(&self, mut point: u32, pairs: &mut Vec<LinkPair>) {
        let only = |point: u32| match self.children[point as usize][..] {
            [child] => Some(child),
            _ => None,
        };
        while let Some(child) = only(point) {
            let Some(grandchild) = only(child) else { return };
            pairs.push(LinkPair { kind: LinkKind::BendingVertical, a: point, b: grandchild });
            point = child;
        }
    }

    /// Links each child to its parent. Each subtree is complete before the next subtree starts.
    fn add_vertical_links(&self, root: u32, pairs: &mut Vec<LinkPair>) {
        let mut waiting: Vec<(u32, u32)> = self.children[root as usize].iter().rev().map(|c| (root, *c)).collect();
        while let Some((a, b)) = waiting.pop() {
            pairs.push(LinkPair { kind: LinkKind::StructuralVertical, a, b });
            waiting.extend(self.children[b as usize].iter().rev().map(|c| (b, *c)));
        }
    }

    /// Quads between neighbouring columns. The corners are a, b, the child of b, and the child of a.
    pub(super) fn faces(&self, closed: bool) -> Vec<[u32; 4]> {
        let count = self.roots.len();
        let mut faces = Vec::new();
        for i in 0..if closed { count } else { count.saturating_sub(1) } {
            let (mut a, mut b) = (self.roots[i], self.roots[(i + 1) % count]);
            while a != b {
                let (below_a, below_b) = (self.first_child(a), self.first_child(b));
                if below_a == NONE || below_b == NONE {
                    break;
                }
                faces.push([a, b, below_b, below_a]);
                (a, b) = (below_a, below_b);
            }
        }
        faces
    }
}

/// Sorts links into groups in which no two links share a point. Each link joins the first group that is free for it.
fn grouped_without_shared_points(pairs: &[LinkPair], points: usize) -> Vec<LinkPair> {
    let mut groups: Vec<(Vec<bool>, Vec<LinkPair>)> = Vec::new();
    for pair in pairs {
        let (a, b) = (pair.a as usize, pair.b as usize);
        let free = groups.iter().position(|(taken, _)| !taken[a] && !taken[b]);
        let at = free.unwrap_or_else(|| {
            groups.push((vec![false; points], Vec::new()));
            groups.len() - 1
        });
        let (taken, group) = &mut groups[at];
        (taken[a], taken[b]) = (true, true);
        group.push(*pair);
    }
    groups.into_iter().flat_map(|(_, group)| group).collect()
}
