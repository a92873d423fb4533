//! A system with its solver: the solver's buffers, and the state that every system needs.

use super::JointGrab;
use super::bounds_guard::BoundsGuard;
use crate::collider::SurfacePoint;
use crate::force::ForceRuntime;
use crate::joint_grab::GrabContext;
pub(super) use crate::joint_grab::SolverJoint;
use crate::params::ParamSet;
use crate::probe::{Probe, TipPart, TipParts, TipRecord};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::solver::ContactQuery;
use crate::step_pose::{ColliderRuntime, PosedScene, StepPose};
use crate::test_wind::WindMoment;
use crate::vec_util::sanitize;
use crate::{LinkKind, Solver, SystemSetup, TipState as _, Workload};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Buffers, colliders and forces of a solver.
#[derive(Clone, Debug)]
pub(super) struct SolverInstance<S: Solver> {
    rest: S::Rest,
    /// One element per joint in the solver's order, then one per entry of [`SystemSetup::tip_values`].
    params: Vec<S::Params>,
    system: S::System,
    /// The values of [`Self::system`].
    values: ParamSet,
    state: S::State,
    colliders: Vec<ColliderRuntime>,
    forces: Vec<ForceRuntime>,
    /// Joints in the solver's order.
    joints: Vec<SolverJoint>,
    guard: BoundsGuard,
    /// What moved each tip in the last step; empty unless the world is probed.
    records: Vec<TipRecord>,
}

impl<S: Solver> SolverInstance<S> {
    pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, frames: &WorldPose) -> Self {
        let (rest, state) = S::build(setup, skeleton, frames);
        let unset = SolverJoint { bone: BoneId(0), chain: 0, enabled: false, moves_tip: false };
        let mut joints = vec![unset; setup.joints.len()];
        for (joint, solver_index) in setup.joints.iter().zip(S::solver_indices(&rest)) {
            joints[*solver_index as usize] = SolverJoint { bone: joint.bone, chain: joint.chain, ..unset };
        }
        let colliders = setup.colliders.iter().map(ColliderRuntime::new).collect();
        let forces = setup.forces.iter().map(ForceRuntime::new).collect();
        let params = vec![S::bake(|_| 0.0); setup.joints.len() + setup.tip_values().count()];
        let system = S::bake_system(|param| setup.values.get(param));
        let guard = BoundsGuard::new::<S>(setup, &rest, skeleton, frames);
        let mut instance = Self {
            rest,
            params,
            system,
            values: setup.values.clone(),
            state,
            colliders,
            forces,
            joints,
            guard,
            records: Vec::new(),
        };
        instance.bake(setup);
        instance
    }

    pub(super) fn bake(&mut self, setup: &SystemSetup) {
        let number = |set: &ParamSet, param| sanitize(set.get(param));
        self.system = S::bake_system(|param| number(&setup.values, param));
        self.values.clone_from(&setup.values);
        S::update_switches(&mut self.rest, setup);
        for (joint, solver_index) in setup.joints.iter().zip(S::solver_indices(&self.rest)) {
            self.params[*solver_index as usize] = S::bake(|param| number(&joint.values, param));
            self.joints[*solver_index as usize].enabled = joint.enabled;
        }
        for (params, values) in self.params[setup.joints.len()..].iter_mut().zip(setup.tip_values()) {
            *params = S::bake(|param| number(values, param));
        }
        let mut slots = BTreeSet::new();
        for (index, joint) in self.joints.iter_mut().enumerate() {
            joint.moves_tip = joint.enabled && slots.insert(self.state.tip_slot(index));
        }
        self.guard.bake::<S>(&self.joints);
        self.colliders.iter_mut().zip(&setup.colliders).for_each(|(own, given)| *own = ColliderRuntime::new(given));
        self.forces.iter_mut().zip(&setup.forces).for_each(|(own, given)| own.bake(given));
    }

    /// Runs one step of the system. `input` is the animated pose.
    pub(super) fn step(&mut self, step_pose: &mut StepPose<'_>, input: &Pose, dt: f32, grab: Option<JointGrab>) {
        for force in &mut self.forces {
            force.advance(&step_pose.frames[force.bone as usize], dt);
        }
        self.begin_records();
        let mut step_pose = step_pose.with_objects(&self.colliders, &self.forces);
        step_pose.probe = Probe::new(&mut self.records);
        S::step(&self.rest, &self.params, &self.system, &mut self.state, &mut step_pose, dt);
        self.guard.check::<S>(&self.rest, &mut self.state, &self.joints, &mut step_pose, input);
        if let Some(grab) = grab
            && let Some(solver_index) = S::solver_indices(&self.rest).get(grab.joint.joint as usize)
        {
            let mut context = GrabContext::<S> {
                rest: &self.rest,
                params: &self.params,
                system: &self.system,
                state: &mut self.state,
                joints: &self.joints,
            };
            context.solve(&mut step_pose, *solver_index as usize, grab.target);
            self.guard.refresh(&mut step_pose);
            self.guard.check::<S>(&self.rest, &mut self.state, &self.joints, &mut step_pose, input);
        }
        self.end_records();
    }

    /// Adds a wind to the velocities of all tips, before a frame of `dt` seconds.
    pub(super) fn blow(&mut self, moment: &WindMoment, dt: f32) {
        let step = S::step_seconds(&self.values, dt);
        for index in (0..self.joints.len()).filter(|index| self.joints[*index].moves_tip) {
            let acceleration = moment.wind.acceleration(self.state.tip(index), moment.seconds);
            self.state.add_velocity(index, acceleration * dt, step);
        }
    }

    /// Allocates the records of the tips, or frees them.
    pub(super) fn set_probed(&mut self, probed: bool) {
        let slots = (0..self.joints.len()).map(|joint| self.state.tip_slot(joint) + 1).max().unwrap_or(0);
        self.records = if probed { vec![TipRecord::default(); slots] } else { Vec::new() };
    }

    /// Starts the records of a step with the current tips.
    fn begin_records(&mut self) {
        if !self.records.is_empty() {
            for joint in 0..self.joints.len() {
                self.records[self.state.tip_slot(joint)] = TipRecord::begin(self.state.tip(joint));
            }
        }
    }

    /// Attributes to [`TipPart::Other`] what the solver has not reported, such as the guard and the grab.
    fn end_records(&mut self) {
        if !self.records.is_empty() {
            for joint in 0..self.joints.len() {
                self.records[self.state.tip_slot(joint)].reach(TipPart::Other, self.state.tip(joint));
            }
        }
    }

    /// The parts of a tip's last movement; `None` if the world is not probed.
    pub(super) fn tip_parts(&self, joint: usize) -> Option<TipParts> {
        let solver_index = self.solver_index(joint)?;
        let record = self.records.get(self.state.tip_slot(solver_index))?;
        Some(record.parts(self.joints[solver_index].enabled))
    }

    pub(super) fn reset(&mut self, step_pose: &mut StepPose<'_>) {
        self.forces.iter_mut().for_each(ForceRuntime::reset);
        let mut step_pose = step_pose.with_objects(&self.colliders, &self.forces);
        S::reset(&self.rest, &mut self.state, &mut step_pose);
        self.begin_records();
    }

    pub(super) fn set_rest_pose(&mut self, step_pose: &mut StepPose<'_>) {
        let mut step_pose = step_pose.with_objects(&self.colliders, &self.forces);
        S::set_rest_pose(&mut self.rest, &mut self.state, &mut step_pose);
    }

    /// Copies clocks and other state that does not belong to a joint from the instance `before`.
    pub(super) fn carry_over(&mut self, before: &Self) {
        S::carry_over(&mut self.state, &before.state);
        self.forces.iter_mut().zip(&before.forces).for_each(|(own, before)| own.carry_over(before));
    }

    pub(super) fn workload(&self, dt: f32) -> Workload {
        S::workload(&self.rest, &self.system, dt)
    }

    pub(super) fn wind_time(&self) -> Option<f32> {
        S::wind_time(&self.state)
    }

    pub(super) fn sync_offset(&self, bone: BoneId, frames: &WorldPose) -> Option<f32> {
        S::sync_offset(&self.rest, bone, &frames.frames)
    }

    /// For each chain that was out of bounds since the last bake, the index in the setup of the first such joint.
    pub(super) fn out_of_bounds_joints(&self) -> impl Iterator<Item = u32> {
        self.guard.out_of_bounds_joints()
    }

    pub(super) fn starts_from_last_rotation(&self) -> bool {
        S::starts_from_last_rotation(&self.system)
    }

    pub(super) fn bone(&self, joint: usize) -> Option<BoneId> {
        self.solver_index(joint).map(|solver_index| self.joints[solver_index].bone)
    }

    fn solver_index(&self, joint: usize) -> Option<usize> {
        S::solver_indices(&self.rest).get(joint).map(|solver_index| *solver_index as usize)
    }

    pub(super) fn tip(&self, joint: usize) -> Option<Vec3> {
        self.solver_index(joint).map(|solver_index| self.state.tip(solver_index))
    }

    pub(super) fn previous_tip(&self, joint: usize) -> Option<Vec3> {
        self.solver_index(joint).map(|solver_index| self.state.previous_tip(solver_index))
    }

    pub(super) fn tip_offset(&self, joint: usize) -> Option<Vec3> {
        self.solver_index(joint).map(|solver_index| S::tip_offset(&self.rest, solver_index))
    }

    pub(super) fn set_tip(&mut self, joint: usize, tip: Vec3, previous: Vec3) {
        if let Some(solver_index) = self.solver_index(joint) {
            self.state.set_tip(solver_index, tip, previous);
        }
    }

    /// Acceleration by a force on a joint at `at` with full wind influence, `later` seconds from now, in m/s².
    pub(super) fn force_at_time(&self, force: usize, frames: &WorldPose, at: Vec3, later: f32) -> Option<Vec3> {
        let force = self.forces.get(force)?;
        Some(force.at_time(&frames.frames[force.bone as usize], at, later))
    }

    /// Calls `found` for each contact, with the index of the joint in the setup.
    pub(super) fn overlaps(&self, frames: &WorldPose, mut found: impl FnMut(u32, Overlap)) {
        for (joint, solver_index) in S::solver_indices(&self.rest).iter().enumerate() {
            let at = *solver_index as usize;
            if self.joints[at].enabled {
                let query = self.contact_query(frames, at, self.state.tip(at));
                overlaps::<S>(&query, |overlap| found(joint as u32, overlap));
            }
        }
    }

    /// Depth of a joint's tip at `tip` in the ground or in a collider, whichever is deeper, with bones as in `frames`,
    /// in metres; `None` for a disabled joint.
    pub(super) fn penetration(&self, frames: &WorldPose, joint: usize, tip: Vec3) -> Option<f32> {
        let at = self.solver_index(joint).filter(|at| self.joints[*at].enabled)?;
        let mut deepest = 0.0_f32;
        overlaps::<S>(&self.contact_query(frames, at, tip), |overlap| deepest = deepest.max(overlap.depth));
        Some(deepest)
    }

    /// Radius with which a joint collides, in metres; `None` if the joint does not collide.
    pub(super) fn contact_radius(&self, frames: &WorldPose, joint: usize) -> Option<f32> {
        let at = self.solver_index(joint)?;
        S::contact_sphere(&self.contact_query(frames, at, self.state.tip(at))).map(|sphere| sphere.radius)
    }

    fn contact_query<'a>(&'a self, frames: &'a WorldPose, joint: usize, tip: Vec3) -> ContactQuery<'a, S> {
        let posed_scene = PosedScene { frames: &frames.frames, colliders: &self.colliders };
        ContactQuery { rest: &self.rest, params: &self.params[joint], system: &self.system, joint, tip, posed_scene }
    }

    /// Calls `found` for each link of the network.
    pub(super) fn links(&self, mut found: impl FnMut(LinkKind, [u32; 2], [Vec3; 2])) {
        let solver_indices = S::solver_indices(&self.rest);
        let mut joint = vec![0; solver_indices.len()];
        solver_indices.iter().enumerate().for_each(|(i, solver_index)| joint[*solver_index as usize] = i as u32);
        S::for_each_link(&self.rest, &self.state, |kind, places, ends| found(kind, places.map(|p| joint[p]), ends));
    }

    pub(super) fn save_tips(&self, tips: &mut BTreeMap<BoneId, (Vec3, Vec3)>) {
        // The tip of a disabled joint is still where it was when the joint was disabled, so it is not saved.
        for (solver_index, SolverJoint { bone, .. }) in
            self.joints.iter().enumerate().filter(|(_, joint)| joint.enabled)
        {
            tips.insert(*bone, (self.state.tip(solver_index), self.state.previous_tip(solver_index)));
        }
    }

    pub(super) fn restore_tips(&mut self, tips: &BTreeMap<BoneId, (Vec3, Vec3)>) {
        for (solver_index, SolverJoint { bone, .. }) in self.joints.iter().enumerate() {
            if let Some((tip, previous)) = tips.get(bone) {
                self.state.set_tip(solver_index, *tip, *previous);
            }
        }
    }
}

/// An overlap or touch of a tip with a collider or the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Overlap {
    /// Index in [`SystemSetup::colliders`]; `None` for the ground.
    pub(super) collider: Option<u32>,
    /// Depth in metres; 0 if the surfaces only touch.
    pub(super) depth: f32,
    /// Point on the surface, in metres in the world.
    pub(super) point: Vec3,
}

/// Calls `found` for each contact of a joint, first with the ground and then with its colliders.
fn overlaps<S: Solver>(query: &ContactQuery<'_, S>, mut found: impl FnMut(Overlap)) {
    let Some(sphere) = S::contact_sphere(query) else { return };
    let ground = sphere
        .ground_height
        .map(|height| SurfacePoint { distance: sphere.center.y - height, point: sphere.center.with_y(height) });
    let surface = |id: &u32| Some((Some(*id), S::nearest_surface(query, &sphere, *id)?));
    for (collider, surface) in ground.map(|g| (None, g)).into_iter().chain(sphere.colliders.iter().filter_map(surface))
    {
        let depth = sphere.radius - surface.distance;
        if depth > -sphere.touch_distance {
            found(Overlap { collider, depth: depth.max(0.0), point: surface.point });
        }
    }
}
