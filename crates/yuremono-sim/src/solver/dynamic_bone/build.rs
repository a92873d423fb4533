//! Builds the particles, the trees and the virtual tips.

use super::colliders::DynamicBoneCollider;
use super::{
    END_LENGTH, END_OFFSET, Implementation, JointRest, NONE, Particle, ParticleState, ParticleTree, RUN_AS, Rest,
    State, pose_io,
};
use crate::math::Frame;
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::solver::batch::{Access, pack_batches};
use crate::step_pose::NO_PARENT;
use crate::vec_util::{IndexRange, max_end_distance, sanitize};
use crate::{SystemSetup, TipSetup};
use glam::{Mat3, Quat, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bones that a `DynamicBone` component references.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DynamicBoneSetup")]
#[serde(default, deny_unknown_fields)]
pub struct DynamicBoneSetup<N = BoneId> {
    /// `m_ReferenceObject`: the component is off while it is farther away from this bone than its distance limit. If
    /// absent, the distance to the viewer counts, see [`World::set_viewer`](crate::World::set_viewer).
    pub reference: Option<N>,
    /// `m_Exclusions`: bones that are no tips, with no joints below them. A joint still gets a virtual tip for each
    /// excluded child if the component adds virtual tips.
    pub exclusions: Vec<N>,
}

impl<N> Default for DynamicBoneSetup<N> {
    fn default() -> Self {
        Self { reference: None, exclusions: Vec::new() }
    }
}

impl<N: Clone> DynamicBoneSetup<N> {
    /// Maps the bones. Drops bones for which `name` returns `None`.
    pub fn map<M>(&self, mut name: impl FnMut(N) -> Option<M>) -> DynamicBoneSetup<M> {
        let reference = self.reference.clone().and_then(&mut name);
        DynamicBoneSetup { reference, exclusions: self.exclusions.iter().cloned().filter_map(name).collect() }
    }
}

/// Temporary data of the build.
struct ParticleBuilder<'a> {
    setup: &'a SystemSetup,
    skeleton: &'a Skeleton,
    world: &'a WorldPose,
    /// Index of the joint on each bone.
    joint_at: Vec<u32>,
    /// Index of the particle at each bone's head.
    particle_at: Vec<u32>,
    /// See [`SystemSetup::first_tip_params`].
    first_tip_params: Vec<usize>,
    /// The nearest descendant joints of each joint.
    child_joints: Vec<Vec<BoneId>>,
    component: Frame,
    rest: Rest,
}

pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    let count = setup.joints.len();
    let mut builder = ParticleBuilder {
        setup,
        skeleton,
        world,
        joint_at: vec![NONE; skeleton.len()],
        particle_at: vec![NONE; skeleton.len()],
        first_tip_params: setup.first_tip_params(),
        child_joints: vec![Vec::new(); count],
        component: Frame::WORLD,
        rest: Rest { solver_indices: vec![0; count], component: NO_PARENT, reference: NO_PARENT, ..Rest::default() },
    };
    for (i, joint) in setup.joints.iter().enumerate() {
        let at = &mut builder.joint_at[joint.bone.index()];
        *at = if *at == NONE { i as u32 } else { *at };
    }
    for joint in &setup.joints {
        let above = builder.parent_joint(joint.bone);
        builder.child_joints.get_mut(above as usize).into_iter().for_each(|below| below.push(joint.bone));
    }
    builder.find_component();
    for i in setup.joints_by_depth(skeleton) {
        builder.add_joint(i);
    }
    let mut rest = builder.rest;
    batch_particles(&mut rest, skeleton);
    batch_joints(&mut rest, skeleton);
    let state = State {
        points: vec![ParticleState::default(); rest.particles.len()],
        tip_particles: rest.joints.iter().map(|j| if j.tip == NONE { j.head } else { j.tip }).collect(),
        rotation_offsets: vec![Quat::IDENTITY; count],
        gravity: vec![Vec3::ZERO; rest.trees.len()],
        colliders: vec![DynamicBoneCollider::default(); setup.colliders.len()],
        ..State::default()
    };
    let mut made = (rest, state);
    init_from_rest_pose(&mut made.0, &mut made.1, world);
    made
}

impl ParticleBuilder<'_> {
    /// Finds the component's bone: the bone in the setup, or the parent of the first root.
    fn find_component(&mut self) {
        let roots = self.setup.joints.iter().map(|j| j.bone).filter(|b| self.parent_joint(*b) == NONE);
        let above = roots.min_by_key(|b| (self.skeleton.depth(*b), *b)).and_then(|b| self.skeleton.parent(b));
        let component = self.setup.component.or(above);
        self.component = component.map_or(Frame::WORLD, |b| *self.world.frame(b));
        self.rest.component = component.map_or(NO_PARENT, |b| b.0);
        self.rest.reference = self.setup.dynamic_bone.reference.map_or(NO_PARENT, |b| b.0);
    }

    /// Returns the nearest ancestor joint of a bone.
    fn parent_joint(&self, bone: BoneId) -> u32 {
        let above = std::iter::successors(self.skeleton.parent(bone), |b| self.skeleton.parent(*b));
        let mut joints = above.map(|b| self.joint_at[b.index()]);
        joints.find(|joint| *joint != NONE).unwrap_or(NONE)
    }

    fn add_joint(&mut self, i: usize) {
        let joint = &self.setup.joints[i];
        let place = self.rest.joints.len() as u32;
        self.rest.solver_indices[i] = place;
        if self.particle_at[joint.bone.index()] == NONE {
            self.add_root(joint.bone, place);
        }
        let head = self.particle_at[joint.bone.index()];
        let first = self.rest.particles.len() as u32;
        self.add_named_tips(i, place, head);
        self.add_end_tips(i, place, head);
        let meant = self.rest.particles.len() as u32 - first;
        self.add_child_joint_tips(i, place, head);
        let tips = self.rest.particles.len() as u32 - first;
        let known = self.setup.valid_colliders(joint);
        let colliders = IndexRange::append(&mut self.rest.colliders, known);
        self.rest.collision_tests += u64::from(tips) * u64::from(colliders.len());
        self.rest.joints.push(JointRest {
            bone: joint.bone.0,
            enabled: joint.enabled,
            head,
            tip: if tips > 0 { first } else { NONE },
            rotates: meant == 1 || (meant == 0 && tips == 1),
            head_parent: NONE,
            parent: self.skeleton.parent(joint.bone).map_or(NO_PARENT, |parent| parent.0),
            tip_bone: NO_PARENT,
            colliders,
            ..JointRest::default()
        });
    }

    fn add_root(&mut self, bone: BoneId, joint: u32) {
        let frame = self.world.frame(bone);
        let linear = frame.linear();
        let inverse = if linear.determinant().abs() < 1e-20 { Mat3::ZERO } else { linear.inverse() };
        let tree = self.rest.trees.len() as u32;
        self.rest.trees.push(ParticleTree {
            bone: bone.0,
            local_from_world: inverse,
            world_origin: frame.inverse_transform_point(Vec3::ZERO),
        });
        self.particle_at[bone.index()] = self.rest.particles.len() as u32;
        let root = Particle {
            bone: bone.0,
            parent: NONE,
            joint,
            params: NONE,
            tree,
            is_direct_child: true,
            ..Particle::default()
        };
        self.rest.particles.push(root);
    }

    /// Adds the tips that the setup lists. A bone that is not a descendant of the joint becomes a virtual tip.
    fn add_named_tips(&mut self, i: usize, joint: u32, head: u32) {
        let setup = &self.setup.joints[i];
        let frame = *self.world.frame(setup.bone);
        match &setup.tip {
            TipSetup::Offset(offset) => self.add_virtual_tip(&frame, joint, head, *offset),
            TipSetup::Bones(bones) => {
                let excluded = &self.setup.dynamic_bone.exclusions;
                for (tip, bone) in bones.iter().copied().enumerate().filter(|(_, b)| !excluded.contains(b)) {
                    let (at, first) = (self.world.frame(bone).position, self.rest.particles.len());
                    if self.parent_joint(bone) == self.joint_at[setup.bone.index()]
                        && self.particle_at[bone.index()] == NONE
                    {
                        self.add_bone_tip(setup.bone, bone, joint, head);
                    } else {
                        self.add_virtual_tip(&frame, joint, head, frame.inverse_transform_point(at));
                    }
                    if tip < setup.tip_values.len() {
                        let params = (self.first_tip_params[i] + tip) as u32;
                        self.rest.particles[first..].iter_mut().for_each(|particle| particle.params = params);
                    }
                }
            }
        }
    }

    /// Adds the nearest descendant joints that are not tips yet.
    fn add_child_joint_tips(&mut self, i: usize, joint: u32, head: u32) {
        for below in std::mem::take(&mut self.child_joints[i]) {
            if self.particle_at[below.index()] == NONE {
                self.add_bone_tip(self.setup.joints[i].bone, below, joint, head);
            }
        }
    }

    /// Adds the component's virtual tips: one for each excluded child, or one for the last bone of a chain.
    fn add_end_tips(&mut self, i: usize, joint: u32, head: u32) {
        let bone = self.setup.joints[i].bone;
        let excluded = &self.setup.dynamic_bone.exclusions;
        let children = self.skeleton.children(bone).iter().filter(|child| excluded.contains(child)).count();
        let is_leaf = self.setup.joints[i].tip == TipSetup::Bones(Vec::new()) && self.child_joints[i].is_empty();
        let Some(offset) = self.end_offset(bone) else { return };
        let frame = *self.world.frame(bone);
        for _ in 0..children.max(usize::from(is_leaf)) {
            self.add_virtual_tip(&frame, joint, head, offset);
        }
    }

    /// Returns the virtual tip of a bone in the bone's own space, in metres; `None` if the bone gets no virtual tip.
    fn end_offset(&self, bone: BoneId) -> Option<Vec3> {
        let number = |param| sanitize(self.setup.values.get(param));
        let (length, offset) = (number(END_LENGTH), Vec3::from(END_OFFSET.map(number)));
        if Implementation::of(number(RUN_AS)) == Implementation::Clone {
            return None;
        }
        let frame = self.world.frame(bone);
        let farthest = max_end_distance(bone, self.skeleton, self.world);
        if length > 0.0 {
            // A bone without a parent uses the local X axis of Unity's left-handed space.
            let Some(parent) = self.skeleton.parent(bone) else { return Some(Vec3::NEG_X * length.min(farthest)) };
            let own = frame.position - self.world.frame(parent).position;
            return Some(frame.inverse_transform_point(frame.position + own) * length.min(farthest / own.length()));
        }
        let offset = offset.clamp_length_max(farthest);
        (offset != Vec3::ZERO).then(|| frame.inverse_transform_point(frame.position + self.component.rotation * offset))
    }

    fn add_virtual_tip(&mut self, frame: &Frame, joint: u32, parent: u32, local: Vec3) {
        // A tip at an infinite distance has no direction.
        if local.length().is_finite() && frame.transform_point(local).distance(frame.position).is_finite() {
            let tree = self.rest.particles[parent as usize].tree;
            self.rest.particles.push(Particle {
                bone: NO_PARENT,
                parent,
                joint,
                params: NONE,
                tree,
                local_offset: local,
                ..Particle::default()
            });
        }
    }

    fn add_bone_tip(&mut self, from: BoneId, bone: BoneId, joint: u32, parent: u32) {
        let reach = self.world.frame(bone).position.distance(self.world.frame(from).position);
        if !reach.is_finite() {
            return;
        }
        let start = self.rest.skipped_bones.len();
        let above = std::iter::successors(self.skeleton.parent(bone), |b| self.skeleton.parent(*b));
        self.rest.skipped_bones.extend(above.take_while(|b| *b != from).map(|b| b.0));
        self.rest.skipped_bones[start..].reverse();
        let between = IndexRange::up_to_end(start, &self.rest.skipped_bones);
        let at = self.rest.particles.len() as u32;
        self.particle_at[bone.index()] = at;
        if self.joint_at[bone.index()] == NONE {
            self.rest.non_joint_tips.push(at);
        }
        let tree = self.rest.particles[parent as usize].tree;
        let direct = between.is_empty();
        self.rest.particles.push(Particle {
            bone: bone.0,
            parent,
            joint,
            params: NONE,
            tree,
            is_direct_child: direct,
            skipped_bones: between,
            ..Particle::default()
        });
    }
}

/// Sorts particles by level and packs independent particles into batches.
fn batch_particles(rest: &mut Rest, skeleton: &Skeleton) {
    let accesses: Vec<Access> = (0..rest.particles.len()).map(|at| particle_access(rest, at, skeleton)).collect();
    let (order, batches) = pack_batches(&accesses);
    let place = inverse_permutation(&order);
    rest.particle_batches = batches;
    rest.particles = order.iter().map(|at| rest.particles[*at as usize].clone()).collect();
    let heads = rest.particles.iter_mut().map(|particle| &mut particle.parent);
    let ends = rest.joints.iter_mut().flat_map(|joint| [&mut joint.head, &mut joint.tip]);
    for at in heads.chain(ends).chain(&mut rest.non_joint_tips) {
        *at = place.get(*at as usize).copied().unwrap_or(NONE);
    }
}

/// Sorts joints by level and packs independent joints into batches, for writing the bones.
fn batch_joints(rest: &mut Rest, skeleton: &Skeleton) {
    for at in 0..rest.joints.len() {
        rest.joints[at].fast_path = can_use_fast_path(rest, &rest.joints[at]);
        rest.joints[at].head_parent = rest.particles[rest.joints[at].head as usize].parent;
        if let Some(tip) = rest.particles.get(rest.joints[at].tip as usize) {
            (rest.joints[at].tip_bone, rest.joints[at].tip_local) = (tip.bone, tip.local_offset);
        }
    }
    let accesses: Vec<Access> = rest.joints.iter().map(|joint| joint_access(rest, joint, skeleton)).collect();
    let (order, batches) = pack_batches(&accesses);
    let place = inverse_permutation(&order);
    rest.joint_batches = batches;
    rest.joints = order.iter().map(|at| rest.joints[*at as usize].clone()).collect();
    for particle in &mut rest.particles {
        particle.joint = place[particle.joint as usize];
        particle.params = if particle.params == NONE { particle.joint } else { particle.params };
    }
    rest.solver_indices.iter_mut().for_each(|at| *at = place[*at as usize]);
}

fn inverse_permutation(order: &[u32]) -> Vec<u32> {
    let mut place = vec![NONE; order.len()];
    order.iter().enumerate().for_each(|(at, before)| place[*before as usize] = at as u32);
    place
}

fn can_use_fast_path(rest: &Rest, joint: &JointRest) -> bool {
    let head = &rest.particles[joint.head as usize];
    let is_near = |tip: &Particle| tip.is_direct_child || tip.bone == NO_PARENT;
    joint.rotates && head.is_direct_child && rest.particles.get(joint.tip as usize).is_some_and(is_near)
}

/// Returns which bone frames, points and rotation offsets are read and written when a particle is captured and stepped.
fn particle_access(rest: &Rest, at: usize, skeleton: &Skeleton) -> Access {
    let particle = &rest.particles[at];
    let point = |at: u32| skeleton.len() as u32 + at;
    let turn = |joint: u32| point(rest.particles.len() as u32) + joint;
    let own = Some(particle.bone).filter(|bone| *bone != NO_PARENT);
    let Some(head) = rest.particles.get(particle.parent as usize) else {
        let parent = own.and_then(|bone| skeleton.parent(BoneId(bone))).map(|parent| parent.0);
        return Access {
            kind: 0,
            reads: parent.into_iter().collect(),
            writes: own.into_iter().chain([point(at as u32)]).collect(),
        };
    };
    let joint = &rest.joints[particle.joint as usize];
    let between = particle.skipped_bones.slice(&rest.skipped_bones);
    // Only the first tip of a fork writes the rotation offset.
    let noted = (joint.tip == at as u32).then(|| turn(particle.joint));
    let above = (head.parent != NONE).then(|| turn(head.joint));
    Access {
        kind: 1,
        reads: above.into_iter().chain([joint.bone, point(particle.parent)]).collect(),
        writes: between.iter().copied().chain(own).chain(noted).chain([point(at as u32)]).collect(),
    }
}

/// Returns which bones and points are read and written when a joint is written.
fn joint_access(rest: &Rest, joint: &JointRest, skeleton: &Skeleton) -> Access {
    let point = |at: u32| skeleton.len() as u32 + at;
    let head = &rest.particles[joint.head as usize];
    let between = head.skipped_bones.slice(&rest.skipped_bones);
    let hangs_on = skeleton.parent(BoneId(*between.first().unwrap_or(&joint.bone))).map(|parent| parent.0);
    let above = (head.parent != NONE).then(|| rest.joints[head.joint as usize].bone);
    let tip = rest.particles.get(joint.tip as usize);
    let aim = tip.map(|tip| tip.bone).filter(|bone| *bone != NO_PARENT);
    Access {
        kind: u8::from(!joint.fast_path),
        reads: hangs_on.into_iter().chain(above).chain(aim).chain(tip.map(|_| point(joint.tip))).collect(),
        writes: between.iter().copied().chain([joint.bone, point(joint.head)]).collect(),
    }
}

/// Sets the lengths and moves every particle to the rest pose.
fn init_from_rest_pose(rest: &mut Rest, state: &mut State, world: &WorldPose) {
    for joint in &mut rest.joints {
        let Some(tip) = rest.particles.get(joint.tip as usize) else { continue };
        let frame = world.frame(BoneId(joint.bone));
        let at = if tip.bone == NO_PARENT {
            frame.transform_point(tip.local_offset)
        } else {
            world.frame(BoneId(tip.bone)).position
        };
        joint.length = at.distance(frame.position);
        joint.offset = frame.rotation.inverse() * (at - frame.position);
    }
    for i in 0..rest.particles.len() {
        let particle = &rest.particles[i];
        let at = if particle.bone == NO_PARENT {
            let joint = &rest.joints[particle.joint as usize];
            world.frame(BoneId(joint.bone)).transform_point(particle.local_offset)
        } else {
            world.frame(BoneId(particle.bone)).position
        };
        state.points[i] = ParticleState { position: at, previous: at, ..ParticleState::default() };
    }
    state.component_position = pose_io::bone_position(&world.frames, rest.component);
}
