//! Set-up: bones become points, constraints become links, and both get the points between that only collide.

use super::super::super::scene::WORLD;
use super::abreast::{self, Settled};
use super::capture::{Space, frame_of};
use super::{Kind, NONE, NOWHERE, Placed, Point, Rest, State, Sync, row};
use crate::math::Vec3x4;
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::sim::Compliance;
use crate::sim::kernel::{Span, farthest_end, finite};
use crate::sim::{Shape, SystemSetup, TipSetup};
use glam::{Quat, Vec3};

/// Most points that one bone is divided by.
const MOST_BETWEEN: f32 = 50.0;

/// A distance kept between two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link {
    pub ends: [u32; 2],
    /// Metres.
    pub length: f32,
    /// The system's own where `None`.
    pub compliance: Option<f32>,
}

pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    let mut builder = Builder::new(setup, skeleton, world);
    builder.add_joints();
    builder.add_ends();
    builder.measure();
    builder.find_tips();
    builder.add_links();
    builder.add_bridges();
    let bones = builder.find_bones();
    builder.find_syncs();
    let mut rest = builder.rest;
    rest.has_between = rest.points.iter().any(|p| matches!(p.kind, Kind::Between { .. } | Kind::Bridge { .. }));
    abreast::plan(&mut rest, &bones, skeleton);
    switch(&mut rest, setup);
    let state = start(&rest, setup.colliders.len());
    (rest, state)
}

/// Points at rest in the world; the first frame finds the component.
fn start(rest: &Rest, colliders: usize) -> State {
    let places: Vec<Vec3> = rest.points.iter().map(|point| point.rest).collect();
    let turns = vec![Quat::IDENTITY; places.len()];
    State {
        at: places.clone(),
        previous: places.clone(),
        last_pose: places.clone(),
        goal: places.clone(),
        numbers: vec![Settled::default(); rest.abreast.len()],
        arms: vec![Vec3x4::default(); rest.abreast.len()],
        blown: vec![Vec3::ZERO; places.len()],
        pushed: vec![(Vec3::ZERO, 0.0); places.len()],
        pose: places,
        pose_turn: turns.clone(),
        last_turn: turns.clone(),
        goal_turn: turns,
        lambda: vec![0.0; rest.links.len()],
        placed: vec![Placed::default(); colliders],
        tips: rest.tips.clone(),
        space_of: Space::World,
        ..State::default()
    }
}

/// Reads again what is neither topology nor a row: switches, order of shapes, thickness for pictures, numbers of sync
/// bones.
pub(super) fn switch(rest: &mut Rest, setup: &SystemSetup) {
    rest.syncs.iter_mut().zip(&setup.kawaii.sync_bones).for_each(|(sync, from)| sync.from.clone_from(from));
    for (joint, place) in setup.joints.iter().zip(&rest.order) {
        rest.points[rest.heads[*place as usize] as usize].turns = joint.enabled;
    }
    for i in 0..rest.points.len() {
        let above = rest.points.get(rest.points[i].parent as usize);
        rest.points[i].pinned =
            above.is_some_and(|above| if above.bone == WORLD { above.pinned } else { !above.turns });
    }
    let mut of_joint = vec![0.0; rest.order.len()];
    for (joint, place) in setup.joints.iter().zip(&rest.order) {
        of_joint[*place as usize] = finite(joint.values.get(row::RADIUS)).max(0.0);
    }
    for point in &mut rest.points {
        let [a, b] = point.joints.map(|joint| of_joint[joint as usize]);
        point.radius = a + (b - a) * point.share;
        let list = point.colliders.of_mut(&mut rest.colliders);
        list.sort_by_key(|collider| (turn_of(setup.colliders[*collider as usize].shape), *collider));
    }
    abreast::switch(rest);
}

/// When the engine tests a kind of shape.
fn turn_of(shape: Shape) -> u8 {
    match shape {
        Shape::Sphere { .. } => 0,
        Shape::Capsule { inside: false, .. } => 1,
        Shape::Tapered { inside: false, .. } => 2,
        Shape::Box { inside: false, .. } => 3,
        _ => 4,
    }
}

pub(super) struct Builder<'a> {
    pub(super) setup: &'a SystemSetup,
    pub(super) skeleton: &'a Skeleton,
    pub(super) world: &'a WorldPose,
    /// The joint of the setup at each place of the solver.
    pub(super) sorted: Vec<usize>,
    /// Place of the joint of each bone.
    pub(super) joint_at: Vec<Option<u32>>,
    pub(super) rest: Rest,
    /// Of each link: whether points along it collide.
    pub(super) subdivided: Vec<bool>,
    /// By bone: its point, or `NONE`.
    pub(super) point_at: Vec<u32>,
    /// By point: what hangs from it.
    pub(super) below: Vec<Vec<u32>>,
}

impl<'a> Builder<'a> {
    fn new(setup: &'a SystemSetup, skeleton: &'a Skeleton, world: &'a WorldPose) -> Self {
        let depth = |bone: BoneId| std::iter::successors(skeleton.parent(bone), |b| skeleton.parent(*b)).count();
        let mut sorted: Vec<usize> = (0..setup.joints.len()).collect();
        sorted.sort_by_key(|i| depth(setup.joints[*i].bone));
        let mut order = vec![0; sorted.len()];
        let mut joint_at = vec![None; skeleton.len()];
        for (place, i) in sorted.iter().enumerate() {
            order[*i] = place as u32;
            joint_at[setup.joints[*i].bone.index()] = Some(place as u32);
        }
        let rest = Rest { order, component: WORLD, base: WORLD, ..Rest::default() };
        Self {
            setup,
            skeleton,
            world,
            sorted,
            joint_at,
            rest,
            subdivided: Vec::new(),
            point_at: vec![NONE; skeleton.len()],
            below: Vec::new(),
        }
    }

    pub(super) fn number(&self, row: crate::schema::Row) -> f32 {
        finite(self.setup.values.get(row))
    }

    /// The nearest joint above a bone.
    fn joint_above(&self, bone: BoneId) -> Option<u32> {
        std::iter::successors(self.skeleton.parent(bone), |b| self.skeleton.parent(*b))
            .find_map(|b| self.joint_at[b.index()])
    }

    pub(super) fn radius(&self, joint: u32) -> f32 {
        finite(self.setup.joints[self.sorted[joint as usize]].values.get(row::RADIUS)).max(0.0)
    }

    /// One point for each joint, behind those between it and its parent.
    fn add_joints(&mut self) {
        for (place, i) in self.sorted.clone().into_iter().enumerate() {
            let joint = &self.setup.joints[i];
            let chain = |above: &u32| self.setup.joints[self.sorted[*above as usize]].chain;
            let above = self.joint_above(joint.bone).filter(|above| chain(above) == joint.chain);
            let at = self.world.frame(joint.bone).position;
            let known = self.setup.known_colliders(joint);
            let mut made = bare(Kind::Bone, joint.bone.0, place as u32, at);
            made.colliders = Span::append(&mut self.rest.colliders, known);
            let head = self.hang(made, above.map_or(NONE, |above| self.rest.heads[above as usize]));
            self.rest.heads.push(head);
        }
    }

    /// Ends of chains: bones that are no joints, offsets, or dummy bones.
    fn add_ends(&mut self) {
        for place in 0..self.sorted.len() as u32 {
            let joint = &self.setup.joints[self.sorted[place as usize]];
            let head = self.rest.heads[place as usize];
            let frame = *self.world.frame(joint.bone);
            let reachable = |at: Vec3| (at - frame.position).length().is_finite();
            let listed: &[BoneId] = if let TipSetup::Bones(bones) = &joint.tip { bones } else { &[] };
            for tip in listed {
                let at = self.world.frame(*tip).position;
                let below = self.skeleton.is_ancestor(joint.bone, *tip) && self.joint_above(*tip) == Some(place);
                let known = self.point_at[tip.index()] != NONE;
                if below && !known && reachable(at) {
                    self.end(bare(Kind::Bone, tip.0, place, at), head);
                }
            }
            if !self.below[head as usize].is_empty() {
                continue;
            }
            let offset = match &joint.tip {
                TipSetup::Offset(offset) => Some(*offset),
                // Not below the joint: the point where it is at rest.
                TipSetup::Bones(bones) => bones.first().map(|tip| frame.inverse_point(self.world.frame(*tip).position)),
            };
            let farthest = farthest_end(BoneId(self.rest.points[head as usize].bone), self.skeleton, self.world);
            let dummy =
                axis(self.number(row::BONE_FORWARD_AXIS)) * self.number(row::DUMMY_BONE_LENGTH).clamp(0.0, farthest);
            if let Some(local) = offset.filter(|local| local.is_finite() && reachable(frame.point(*local))) {
                self.end(bare(Kind::End { local, scaled: true }, WORLD, place, frame.point(local)), head);
            } else if dummy != Vec3::ZERO {
                let at = frame.position + frame.rotation * dummy;
                self.end(bare(Kind::End { local: dummy, scaled: false }, WORLD, place, at), head);
            }
        }
    }

    /// Hangs an end from its joint's point.
    fn end(&mut self, mut point: Point, head: u32) {
        point.colliders = self.rest.points[head as usize].colliders;
        self.hang(point, head);
    }

    /// Adds a point and, before it, those between it and its parent; says where it is.
    fn hang(&mut self, mut point: Point, parent: u32) -> u32 {
        point.parent = parent;
        if let Some(from) = self.rest.points.get(parent as usize).cloned() {
            let first = self.rest.points.len() as u32;
            let radius = self.radius(from.joints[0]).max(self.radius(point.joints[0]));
            let count = self.between(from.rest.distance(point.rest), radius);
            for i in 0..count {
                let share = (i + 1) as f32 / (count + 1) as f32;
                let kind = Kind::Between { ends: [parent, first + count], share };
                let joints = [from.joints[0], point.joints[0]];
                let between = bare(kind, WORLD, joints[0], from.rest.lerp(point.rest, share));
                let above = if i == 0 { parent } else { first + i - 1 };
                self.push(Point { joints, share, colliders: point.colliders, parent: above, ..between });
                point.parent = first + i;
            }
        }
        self.push(point)
    }

    /// Adds a point behind its parent; says where it is.
    pub(super) fn push(&mut self, point: Point) -> u32 {
        let at = self.rest.points.len() as u32;
        if let Some(known) = self.point_at.get_mut(point.bone as usize) {
            *known = at;
        }
        if let Some(below) = self.below.get_mut(point.parent as usize) {
            below.push(at);
        }
        self.below.push(Vec::new());
        self.rest.points.push(point);
        at
    }

    /// How many points go between two that are so far apart.
    fn between(&self, length: f32, radius: f32) -> u32 {
        let wanted = self.number(row::SUBDIVISION_COUNT).trunc().clamp(0.0, 10.0);
        if wanted < 1.0 || length.is_nan() || length <= NOWHERE {
            return 0;
        }
        if radius <= NOWHERE {
            return wanted as u32;
        }
        let room = length / (2.0 * radius);
        if self.number(row::SUBDIVISION_DENSIFY) >= 0.5 {
            return (room.ceil() - 1.0).max(wanted).min(MOST_BETWEEN) as u32;
        }
        wanted.min((room.floor() - 1.0).max(0.0)) as u32
    }

    /// Only children, and how far along its chain each point is.
    fn measure(&mut self) {
        let points = &mut self.rest.points;
        let mut children = vec![0_u32; points.len()];
        let mut way = vec![0.0_f32; points.len()];
        let mut root: Vec<usize> = (0..points.len()).collect();
        let mut furthest = vec![0.0_f32; points.len()];
        for i in 0..points.len() {
            if points[i].parent == NONE {
                continue;
            }
            let parent = points[i].parent as usize;
            children[parent] += 1;
            points[parent].only_child = if children[parent] == 1 { i as u32 } else { NONE };
            way[i] = way[parent] + points[i].rest.distance(points[parent].rest);
            root[i] = root[parent];
            furthest[root[i]] = furthest[root[i]].max(way[i]);
        }
        for (i, point) in points.iter_mut().enumerate() {
            let rate = way[i] / furthest[root[i]];
            point.rate = if rate.is_finite() { rate } else { 0.0 };
        }
    }

    /// The point at the end of each joint: that of the first tip that the joint lists, or the first that hangs there.
    fn find_tips(&mut self) {
        for (place, i) in self.sorted.iter().enumerate() {
            let joint = &self.setup.joints[*i];
            let head = self.rest.heads[place];
            let ends: Vec<u32> = self.below[head as usize].iter().map(|at| self.past_between(*at)).collect();
            let first = if let TipSetup::Bones(bones) = &joint.tip { bones.first() } else { None };
            let listed = ends.iter().find(|at| Some(self.rest.points[**at as usize].bone) == first.map(|b| b.0));
            let tip = listed.or(ends.first()).copied().unwrap_or(head);
            let frame = self.world.frame(joint.bone);
            let offset = frame.rotation.inverse() * (self.rest.points[tip as usize].rest - frame.position);
            self.rest.tips.push(tip);
            self.rest.offsets.push(if offset.is_finite() { offset } else { Vec3::ZERO });
        }
    }

    /// The point that those between lead to.
    fn past_between(&self, at: u32) -> u32 {
        match self.rest.points[at as usize].kind {
            Kind::Between { ends, .. } => ends[1],
            _ => at,
        }
    }

    /// Which bones the step keeps: those of points, what the step measures, and all between these and the joints above;
    /// parents first, with the point of each.
    fn find_bones(&mut self) -> Vec<(u32, u32)> {
        let first = self.sorted.first().map(|i| self.setup.joints[*i].bone);
        let top = |bone: BoneId| std::iter::successors(Some(bone), |b| self.skeleton.parent(*b)).last();
        let component = self.setup.component.or_else(|| first.and_then(top).filter(|top| Some(*top) != first));
        let base = self.setup.kawaii.base_bone.or(component);
        (self.rest.component, self.rest.base) =
            (component.map_or(WORLD, |bone| bone.0), base.map_or(WORLD, |bone| bone.0));
        let mut needed = vec![false; self.skeleton.len()];
        let own = self.rest.points.iter().filter(|point| point.bone != WORLD).map(|point| BoneId(point.bone));
        let synced = self.setup.kawaii.sync_bones.iter().map(|sync| sync.bone);
        for bone in own.chain(component).chain(base).chain(synced) {
            let at_or_below = |b: &BoneId| self.joint_at[b.index()].is_some() || self.joint_above(*b).is_some();
            let up = std::iter::successors(Some(bone), |b| self.skeleton.parent(*b));
            up.take_while(at_or_below).for_each(|b| needed[b.index()] = true);
        }
        let kept = (0..self.skeleton.len() as u32).filter(|bone| needed[*bone as usize]);
        kept.map(|bone| (bone, self.point_at[bone as usize])).collect()
    }

    fn find_syncs(&mut self) {
        let component = frame_of(self.rest.component, &self.world.frames);
        for from in &self.setup.kawaii.sync_bones {
            let rest = component.inverse_point(self.world.frame(from.bone).position);
            let targets = from.targets.iter().enumerate();
            let targets = targets.filter_map(|(at, t)| Some((self.point_of(t.bone.0)?, at)));
            self.rest.syncs.push(Sync { rest, targets: targets.collect(), from: from.clone() });
        }
    }
}

/// A point that hangs from nothing yet.
pub(super) fn bare(kind: Kind, bone: u32, joint: u32, rest: Vec3) -> Point {
    Point {
        kind,
        bone,
        parent: NONE,
        only_child: NONE,
        joints: [joint; 2],
        share: 0.0,
        pinned: false,
        turns: false,
        rate: 0.0,
        colliders: Span::default(),
        rest,
        radius: 0.0,
    }
}

/// The direction of a choice of `BoneForwardAxis`.
fn axis(choice: f32) -> Vec3 {
    let choice = choice.clamp(0.0, 5.0) as usize;
    let axis = Vec3::AXES[choice / 2];
    if choice.is_multiple_of(2) { axis } else { -axis }
}

impl Builder<'_> {
    /// Constraints as links; after them those of ends and of points between, side by side, as the engine adds them.
    pub(super) fn add_links(&mut self) {
        let point_of = |bone: BoneId| self.point_of(bone.0);
        let (mut own, mut added) = (Vec::new(), Vec::new());
        for constraint in &self.setup.kawaii.constraints {
            let [Some(a), Some(b)] = constraint.bones.map(point_of) else { continue };
            let ends = [a, b];
            let compliance = constraint.compliance.map(Compliance::value);
            let length = constraint.length.map_or_else(|| self.apart(ends), finite);
            own.push((Link { ends, length, compliance }, constraint.subdivided));
            if self.number(row::AUTO_LINK_DUMMIES) < 0.5 {
                continue;
            }
            let [a, b] = ends.map(|end| self.companions(end));
            for ends in a.into_iter().zip(b).map(|(a, b)| [a, b]) {
                added.push((Link { ends, length: self.apart(ends), compliance: None }, constraint.subdivided));
            }
        }
        own.extend(added);
        self.subdivided = own.iter().map(|(_, subdivided)| *subdivided).collect();
        self.rest.links = own.into_iter().map(|(link, _)| link).collect();
    }

    pub(super) fn point_of(&self, bone: u32) -> Option<u32> {
        self.point_at.get(bone as usize).copied().filter(|at| *at != NONE)
    }

    fn apart(&self, [a, b]: [u32; 2]) -> f32 {
        self.rest.points[a as usize].rest.distance(self.rest.points[b as usize].rest)
    }

    /// The points between a bone and its first child, and a virtual end behind them.
    fn companions(&self, of: u32) -> Vec<u32> {
        let mut found = Vec::new();
        let mut above = of;
        loop {
            let virtual_one = |at: &&u32| self.rest.points[**at as usize].bone == WORLD;
            let Some(next) = self.below[above as usize].iter().find(virtual_one) else { return found };
            found.push(*next);
            above = *next;
        }
    }

    /// Points along constraints whose ends leave a gap.
    pub(super) fn add_bridges(&mut self) {
        let count = self.number(row::BRIDGE_COUNT).trunc().clamp(0.0, 10.0) as u32;
        for (link, subdivided) in self.rest.links.clone().into_iter().zip(std::mem::take(&mut self.subdivided)) {
            let [a, b] = link.ends.map(|end| self.rest.points[end as usize].clone());
            let gap = self.radius(a.joints[0]) + self.radius(b.joints[0]);
            if !subdivided || self.apart(link.ends) <= gap.max(NOWHERE) {
                continue;
            }
            for i in 0..count {
                let share = (i + 1) as f32 / (count + 1) as f32;
                let kind = Kind::Bridge { ends: link.ends, share };
                let bridge = bare(kind, WORLD, a.joints[0], a.rest.lerp(b.rest, share));
                let joints = [a.joints[0], b.joints[0]];
                let rate = 0.5 * (a.rate + b.rate);
                let colliders = a.colliders;
                self.push(Point { joints, share: 0.5, rate, colliders, ..bridge });
            }
        }
    }
}
