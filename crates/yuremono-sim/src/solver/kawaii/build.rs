//! Builds points from bones, links from constraints, and the extra collision points between bones and along
//! constraints.

use super::super::super::step_pose::NO_PARENT;
use super::capture::{SimulationSpace, unscaled_frame};
use super::point_batch::{self, BatchParams};
use super::{KawaiiCollider, MIN_LENGTH, NO_POINT, PointKind, PointRest, Rest, State, SyncBoneRest, params};
use crate::Compliance;
use crate::collider::BoundingSphere;
use crate::math::Vec3x4;
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::vec_util::{IndexRange, max_end_distance, sanitize};
use crate::{ColliderShape, SystemSetup, TipSetup};
use glam::{Quat, Vec3};

/// Largest number of subdivisions between two points.
const MAX_SUBDIVISIONS: f32 = 50.0;

/// A link that keeps the distance between two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DistanceLink {
    pub ends: [u32; 2],
    /// In metres.
    pub length: f32,
    /// Compliance of the link; `None` uses the system's value.
    pub compliance: Option<f32>,
}

pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    let mut builder = PointBuilder::new(setup, skeleton, world);
    builder.add_joints();
    builder.add_ends();
    builder.measure_chains();
    builder.find_tips();
    builder.add_links();
    builder.add_bridges();
    let bones = builder.find_written_bones();
    builder.resolve_sync_bones();
    let mut rest = builder.rest;
    rest.has_subdivisions =
        rest.points.iter().any(|p| matches!(p.kind, PointKind::Subdivision { .. } | PointKind::Bridge { .. }));
    point_batch::build_batches(&mut rest, &bones, skeleton);
    update_switches(&mut rest, setup);
    let state = initial_state(&rest, setup.colliders.len());
    (rest, state)
}

/// Starts with the points at rest in the world; the first frame moves them into the simulation space.
fn initial_state(rest: &Rest, colliders: usize) -> State {
    let places: Vec<Vec3> = rest.points.iter().map(|point| point.rest_position).collect();
    let turns = vec![Quat::IDENTITY; places.len()];
    State {
        positions: places.clone(),
        previous_positions: places.clone(),
        previous_pose_positions: places.clone(),
        target_positions: places.clone(),
        batch_params: vec![BatchParams::default(); rest.point_batches.len()],
        animated_offsets: vec![Vec3x4::default(); rest.point_batches.len()],
        scene_wind: vec![Vec3::ZERO; places.len()],
        bridge_pushes: vec![(Vec3::ZERO, 0.0); places.len()],
        pose_positions: places,
        pose_rotations: turns.clone(),
        previous_pose_rotations: turns.clone(),
        target_rotations: turns,
        lambda: vec![0.0; rest.links.len()],
        colliders: vec![KawaiiCollider::default(); colliders],
        collider_bounds: vec![BoundingSphere::EVERYWHERE; colliders],
        tip_points: rest.tip_points.clone(),
        space_kind: SimulationSpace::World,
        ..State::default()
    }
}

/// Updates the values that are neither topology nor parameters: switches, the order of collider shapes, radii for
/// drawing, and sync bones.
pub(super) fn update_switches(rest: &mut Rest, setup: &SystemSetup) {
    rest.sync_bones.iter_mut().zip(&setup.kawaii.sync_bones).for_each(|(sync, from)| sync.setup.clone_from(from));
    for (joint, place) in setup.joints.iter().zip(&rest.solver_indices) {
        rest.points[rest.head_points[*place as usize] as usize].rotates = joint.enabled;
    }
    for i in 0..rest.points.len() {
        let above = rest.points.get(rest.points[i].parent as usize);
        rest.points[i].pinned =
            above.is_some_and(|above| if above.bone == NO_PARENT { above.pinned } else { !above.rotates });
    }
    let mut of_joint = vec![0.0; rest.solver_indices.len()];
    for (joint, place) in setup.joints.iter().zip(&rest.solver_indices) {
        of_joint[*place as usize] = sanitize(joint.values.get(params::RADIUS)).max(0.0);
    }
    for point in &mut rest.points {
        let [a, b] = point.joints.map(|joint| of_joint[joint as usize]);
        point.radius = a + (b - a) * point.fraction;
        let list = point.colliders.slice_mut(&mut rest.colliders);
        list.sort_by_key(|collider| (collision_order(setup.colliders[*collider as usize].shape), *collider));
    }
    point_batch::update_switches(rest);
}

/// Position of a shape in the order in which KawaiiPhysics tests shapes.
fn collision_order(shape: ColliderShape) -> u8 {
    match shape {
        ColliderShape::Sphere { .. } => 0,
        ColliderShape::Capsule { inside: false, .. } => 1,
        ColliderShape::TaperedCapsule { inside: false, .. } => 2,
        ColliderShape::Box { inside: false, .. } => 3,
        _ => 4,
    }
}

pub(super) struct PointBuilder<'a> {
    pub(super) setup: &'a SystemSetup,
    pub(super) skeleton: &'a Skeleton,
    pub(super) world: &'a WorldPose,
    pub(super) setup_indices: Vec<usize>,
    /// Index of the joint on each bone.
    pub(super) joint_of_bone: Vec<Option<u32>>,
    pub(super) rest: Rest,
    /// For each link, whether bridges are added along the link.
    pub(super) subdivided_links: Vec<bool>,
    /// The point of each bone, or `NO_POINT`.
    pub(super) point_of_bone: Vec<u32>,
    /// The children of each point.
    pub(super) children: Vec<Vec<u32>>,
}

impl<'a> PointBuilder<'a> {
    fn new(setup: &'a SystemSetup, skeleton: &'a Skeleton, world: &'a WorldPose) -> Self {
        let sorted = setup.joints_by_depth(skeleton);
        let mut order = vec![0; sorted.len()];
        let mut joint_at = vec![None; skeleton.len()];
        for (place, i) in sorted.iter().enumerate() {
            order[*i] = place as u32;
            joint_at[setup.joints[*i].bone.index()] = Some(place as u32);
        }
        let rest = Rest { solver_indices: order, component: NO_PARENT, base_bone: NO_PARENT, ..Rest::default() };
        Self {
            setup,
            skeleton,
            world,
            setup_indices: sorted,
            joint_of_bone: joint_at,
            rest,
            subdivided_links: Vec::new(),
            point_of_bone: vec![NO_POINT; skeleton.len()],
            children: Vec::new(),
        }
    }

    pub(super) fn system_param(&self, param: crate::params::ParamId) -> f32 {
        sanitize(self.setup.values.get(param))
    }

    /// The joint on the nearest ancestor of a bone.
    fn parent_joint(&self, bone: BoneId) -> Option<u32> {
        std::iter::successors(self.skeleton.parent(bone), |b| self.skeleton.parent(*b))
            .find_map(|b| self.joint_of_bone[b.index()])
    }

    pub(super) fn joint_radius(&self, joint: u32) -> f32 {
        sanitize(self.setup.joints[self.setup_indices[joint as usize]].values.get(params::RADIUS)).max(0.0)
    }

    /// Adds one point per joint, preceded by the subdivisions between the joint and its parent.
    fn add_joints(&mut self) {
        for (place, i) in self.setup_indices.clone().into_iter().enumerate() {
            let joint = &self.setup.joints[i];
            let chain = |above: &u32| self.setup.joints[self.setup_indices[*above as usize]].chain;
            let above = self.parent_joint(joint.bone).filter(|above| chain(above) == joint.chain);
            let at = self.world.frame(joint.bone).position;
            let known = self.setup.valid_colliders(joint);
            let mut made = new_point(PointKind::Bone, joint.bone.0, place as u32, at);
            made.colliders = IndexRange::append(&mut self.rest.colliders, known);
            let head =
                self.add_with_subdivisions(made, above.map_or(NO_POINT, |above| self.rest.head_points[above as usize]));
            self.rest.head_points.push(head);
        }
    }

    /// Adds the ends of chains: bones that are not joints, offsets, or dummy bones.
    fn add_ends(&mut self) {
        for place in 0..self.setup_indices.len() as u32 {
            let joint = &self.setup.joints[self.setup_indices[place as usize]];
            let head = self.rest.head_points[place as usize];
            let frame = *self.world.frame(joint.bone);
            let reachable = |at: Vec3| (at - frame.position).length().is_finite();
            let listed: &[BoneId] = if let TipSetup::Bones(bones) = &joint.tip { bones } else { &[] };
            for tip in listed {
                let at = self.world.frame(*tip).position;
                let below = self.skeleton.is_ancestor(joint.bone, *tip) && self.parent_joint(*tip) == Some(place);
                let known = self.point_of_bone[tip.index()] != NO_POINT;
                if below && !known && reachable(at) {
                    self.add_end(new_point(PointKind::Bone, tip.0, place, at), head);
                }
            }
            if !self.children[head as usize].is_empty() {
                continue;
            }
            let offset = match &joint.tip {
                TipSetup::Offset(offset) => Some(*offset),
                // A tip that is not a descendant of the joint stays at its rest position relative to the joint.
                TipSetup::Bones(bones) => {
                    bones.first().map(|tip| frame.inverse_transform_point(self.world.frame(*tip).position))
                }
            };
            let farthest = max_end_distance(BoneId(self.rest.points[head as usize].bone), self.skeleton, self.world);
            let dummy = axis_from_param(self.system_param(params::BONE_FORWARD_AXIS))
                * self.system_param(params::DUMMY_BONE_LENGTH).clamp(0.0, farthest);
            if let Some(local) = offset.filter(|local| local.is_finite() && reachable(frame.transform_point(*local))) {
                self.add_end(
                    new_point(
                        PointKind::End { local_offset: local, follows_scale: true },
                        NO_PARENT,
                        place,
                        frame.transform_point(local),
                    ),
                    head,
                );
            } else if dummy != Vec3::ZERO {
                let at = frame.position + frame.rotation * dummy;
                self.add_end(
                    new_point(PointKind::End { local_offset: dummy, follows_scale: false }, NO_PARENT, place, at),
                    head,
                );
            }
        }
    }

    /// Adds an end as a child of its joint's point.
    fn add_end(&mut self, mut point: PointRest, head: u32) {
        point.colliders = self.rest.points[head as usize].colliders;
        self.add_with_subdivisions(point, head);
    }

    /// Adds a point, preceded by the subdivisions between the point and its parent. Returns the index of the point.
    fn add_with_subdivisions(&mut self, mut point: PointRest, parent: u32) -> u32 {
        point.parent = parent;
        if let Some(from) = self.rest.points.get(parent as usize).cloned() {
            let first = self.rest.points.len() as u32;
            let radius = self.joint_radius(from.joints[0]).max(self.joint_radius(point.joints[0]));
            let count = self.subdivision_count(from.rest_position.distance(point.rest_position), radius);
            for i in 0..count {
                let share = (i + 1) as f32 / (count + 1) as f32;
                let kind = PointKind::Subdivision { ends: [parent, first + count], fraction: share };
                let joints = [from.joints[0], point.joints[0]];
                let between =
                    new_point(kind, NO_PARENT, joints[0], from.rest_position.lerp(point.rest_position, share));
                let above = if i == 0 { parent } else { first + i - 1 };
                self.add_point(PointRest {
                    joints,
                    fraction: share,
                    colliders: point.colliders,
                    parent: above,
                    ..between
                });
                point.parent = first + i;
            }
        }
        self.add_point(point)
    }

    /// Adds a point and returns its index.
    pub(super) fn add_point(&mut self, point: PointRest) -> u32 {
        let at = self.rest.points.len() as u32;
        if let Some(known) = self.point_of_bone.get_mut(point.bone as usize) {
            *known = at;
        }
        if let Some(below) = self.children.get_mut(point.parent as usize) {
            below.push(at);
        }
        self.children.push(Vec::new());
        self.rest.points.push(point);
        at
    }

    /// Number of subdivisions between two points at a distance of `length`.
    fn subdivision_count(&self, length: f32, radius: f32) -> u32 {
        let wanted = self.system_param(params::SUBDIVISION_COUNT).trunc().clamp(0.0, 10.0);
        if wanted < 1.0 || length.is_nan() || length <= MIN_LENGTH {
            return 0;
        }
        if radius <= MIN_LENGTH {
            return wanted as u32;
        }
        let room = length / (2.0 * radius);
        if self.system_param(params::SUBDIVISION_DENSIFY) >= 0.5 {
            return (room.ceil() - 1.0).max(wanted).min(MAX_SUBDIVISIONS) as u32;
        }
        wanted.min((room.floor() - 1.0).max(0.0)) as u32
    }

    /// Finds the only child of each point and measures the distances along the chains.
    fn measure_chains(&mut self) {
        let points = &mut self.rest.points;
        let mut children = vec![0_u32; points.len()];
        let mut way = vec![0.0_f32; points.len()];
        let mut root: Vec<usize> = (0..points.len()).collect();
        let mut furthest = vec![0.0_f32; points.len()];
        for i in 0..points.len() {
            if points[i].parent == NO_POINT {
                continue;
            }
            let parent = points[i].parent as usize;
            children[parent] += 1;
            points[parent].only_child = if children[parent] == 1 { i as u32 } else { NO_POINT };
            way[i] = way[parent] + points[i].rest_position.distance(points[parent].rest_position);
            root[i] = root[parent];
            furthest[root[i]] = furthest[root[i]].max(way[i]);
        }
        for (i, point) in points.iter_mut().enumerate() {
            let rate = way[i] / furthest[root[i]];
            point.length_fraction = if rate.is_finite() { rate } else { 0.0 };
        }
    }

    /// Finds the tip point of each joint: the point of the first tip that the joint lists, or the first child of the
    /// head.
    fn find_tips(&mut self) {
        for (place, i) in self.setup_indices.iter().enumerate() {
            let joint = &self.setup.joints[*i];
            let head = self.rest.head_points[place];
            let ends: Vec<u32> = self.children[head as usize].iter().map(|at| self.skip_subdivisions(*at)).collect();
            let first = if let TipSetup::Bones(bones) = &joint.tip { bones.first() } else { None };
            let listed = ends.iter().find(|at| Some(self.rest.points[**at as usize].bone) == first.map(|b| b.0));
            let tip = listed.or(ends.first()).copied().unwrap_or(head);
            let frame = self.world.frame(joint.bone);
            let offset = frame.rotation.inverse() * (self.rest.points[tip as usize].rest_position - frame.position);
            self.rest.tip_points.push(tip);
            self.rest.tip_offsets.push(if offset.is_finite() { offset } else { Vec3::ZERO });
        }
    }

    /// The next point that is not a subdivision, starting with `at`.
    fn skip_subdivisions(&self, at: u32) -> u32 {
        match self.rest.points[at as usize].kind {
            PointKind::Subdivision { ends, .. } => ends[1],
            _ => at,
        }
    }

    /// The bones that the step updates, parents first, with their points. These are the bones of points, the bones
    /// whose frames the step reads, and the bones between them and the joints that are their ancestors.
    fn find_written_bones(&mut self) -> Vec<(u32, u32)> {
        let first = self.setup_indices.first().map(|i| self.setup.joints[*i].bone);
        let top = |bone: BoneId| std::iter::successors(Some(bone), |b| self.skeleton.parent(*b)).last();
        let component = self.setup.component.or_else(|| first.and_then(top).filter(|top| Some(*top) != first));
        let base = self.setup.kawaii.base_bone.or(component);
        (self.rest.component, self.rest.base_bone) =
            (component.map_or(NO_PARENT, |bone| bone.0), base.map_or(NO_PARENT, |bone| bone.0));
        let mut needed = vec![false; self.skeleton.len()];
        let own = self.rest.points.iter().filter(|point| point.bone != NO_PARENT).map(|point| BoneId(point.bone));
        let synced = self.setup.kawaii.sync_bones.iter().map(|sync| sync.bone);
        for bone in own.chain(component).chain(base).chain(synced) {
            let at_or_below = |b: &BoneId| self.joint_of_bone[b.index()].is_some() || self.parent_joint(*b).is_some();
            let up = std::iter::successors(Some(bone), |b| self.skeleton.parent(*b));
            up.take_while(at_or_below).for_each(|b| needed[b.index()] = true);
        }
        let kept = (0..self.skeleton.len() as u32).filter(|bone| needed[*bone as usize]);
        kept.map(|bone| (bone, self.point_of_bone[bone as usize])).collect()
    }

    fn resolve_sync_bones(&mut self) {
        let component = unscaled_frame(self.rest.component, &self.world.frames);
        for from in &self.setup.kawaii.sync_bones {
            let rest = component.inverse_transform_point(self.world.frame(from.bone).position);
            let targets = from.targets.iter().enumerate();
            let targets = targets.filter_map(|(at, t)| Some((self.point_of(t.bone.0)?, at)));
            self.rest.sync_bones.push(SyncBoneRest {
                rest_position: rest,
                targets: targets.collect(),
                setup: from.clone(),
            });
        }
    }
}

/// A point without a parent.
pub(super) fn new_point(kind: PointKind, bone: u32, joint: u32, rest: Vec3) -> PointRest {
    PointRest {
        kind,
        bone,
        parent: NO_POINT,
        only_child: NO_POINT,
        joints: [joint; 2],
        fraction: 0.0,
        pinned: false,
        rotates: false,
        length_fraction: 0.0,
        colliders: IndexRange::default(),
        rest_position: rest,
        radius: 0.0,
    }
}

/// Direction of a value of `BoneForwardAxis`.
fn axis_from_param(choice: f32) -> Vec3 {
    let choice = choice.clamp(0.0, 5.0) as usize;
    let axis = Vec3::AXES[choice / 2];
    if choice.is_multiple_of(2) { axis } else { -axis }
}

impl PointBuilder<'_> {
    /// Adds the constraints as links, followed by the links between their ends and subdivisions, in the order of
    /// KawaiiPhysics.
    pub(super) fn add_links(&mut self) {
        let point_of = |bone: BoneId| self.point_of(bone.0);
        let (mut own, mut added) = (Vec::new(), Vec::new());
        for constraint in &self.setup.kawaii.constraints {
            let [Some(a), Some(b)] = constraint.bones.map(point_of) else { continue };
            let ends = [a, b];
            let compliance = constraint.compliance.map(Compliance::value);
            let length = constraint.length.map_or_else(|| self.rest_distance(ends), sanitize);
            own.push((DistanceLink { ends, length, compliance }, constraint.subdivided));
            if self.system_param(params::AUTO_LINK_DUMMIES) < 0.5 {
                continue;
            }
            let [a, b] = ends.map(|end| self.virtual_children(end));
            for ends in a.into_iter().zip(b).map(|(a, b)| [a, b]) {
                added.push((
                    DistanceLink { ends, length: self.rest_distance(ends), compliance: None },
                    constraint.subdivided,
                ));
            }
        }
        own.extend(added);
        self.subdivided_links = own.iter().map(|(_, subdivided)| *subdivided).collect();
        self.rest.links = own.into_iter().map(|(link, _)| link).collect();
    }

    pub(super) fn point_of(&self, bone: u32) -> Option<u32> {
        self.point_of_bone.get(bone as usize).copied().filter(|at| *at != NO_POINT)
    }

    fn rest_distance(&self, [a, b]: [u32; 2]) -> f32 {
        self.rest.points[a as usize].rest_position.distance(self.rest.points[b as usize].rest_position)
    }

    /// The chain of points without a bone that starts at the point: subdivisions up to the first child, or up to a
    /// virtual end.
    fn virtual_children(&self, of: u32) -> Vec<u32> {
        let mut found = Vec::new();
        let mut above = of;
        loop {
            let virtual_one = |at: &&u32| self.rest.points[**at as usize].bone == NO_PARENT;
            let Some(next) = self.children[above as usize].iter().find(virtual_one) else { return found };
            found.push(*next);
            above = *next;
        }
    }

    /// Adds bridges along constraints whose ends are far enough apart.
    pub(super) fn add_bridges(&mut self) {
        let count = self.system_param(params::BRIDGE_COUNT).trunc().clamp(0.0, 10.0) as u32;
        for (link, subdivided) in self.rest.links.clone().into_iter().zip(std::mem::take(&mut self.subdivided_links)) {
            let [a, b] = link.ends.map(|end| self.rest.points[end as usize].clone());
            let gap = self.joint_radius(a.joints[0]) + self.joint_radius(b.joints[0]);
            if !subdivided || self.rest_distance(link.ends) <= gap.max(MIN_LENGTH) {
                continue;
            }
            for i in 0..count {
                let share = (i + 1) as f32 / (count + 1) as f32;
                let kind = PointKind::Bridge { ends: link.ends, fraction: share };
                let bridge = new_point(kind, NO_PARENT, a.joints[0], a.rest_position.lerp(b.rest_position, share));
                let joints = [a.joints[0], b.joints[0]];
                let rate = 0.5 * (a.length_fraction + b.length_fraction);
                let colliders = a.colliders;
                self.add_point(PointRest { joints, fraction: 0.5, length_fraction: rate, colliders, ..bridge });
            }
        }
    }
}
