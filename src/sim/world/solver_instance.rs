//! One system under its solver: the solver's buffers, and what every solver needs beside them.

use super::TipGrab;
use super::bounds_guard::BoundsGuard;
use crate::params::ParamSet;
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::sim::collider::SurfacePoint;
use crate::sim::scene::{ColliderRuntime, PosedScene, Scene};
use crate::sim::solver::ContactQuery;
use crate::sim::tip_grab;
pub(super) use crate::sim::tip_grab::SolverJoint;
use crate::sim::vec_util::sanitize;
use crate::sim::wind::ForceRuntime;
use crate::sim::{LinkKind, ResponseInput, Solver, SpringResponse, SystemSetup, TipState as _, Workload};
use glam::Vec3;
use std::collections::BTreeMap;

/// A solver's four buffers, colliders and forces.
#[derive(Clone, Debug)]
pub(super) struct SolverInstance<S: Solver> {
    rest: S::Rest,
    params: Vec<S::Params>,
    system: S::System,
    state: S::State,
    colliders: Vec<ColliderRuntime>,
    forces: Vec<ForceRuntime>,
    /// In the solver's order.
    joints: Vec<SolverJoint>,
    guard: BoundsGuard,
}

impl<S: Solver> SolverInstance<S> {
    pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, frames: &WorldPose) -> Self {
        let (rest, state) = S::build(setup, skeleton, frames);
        let mut joints = vec![SolverJoint { bone: BoneId(0), chain: 0, enabled: false }; setup.joints.len()];
        for (joint, place) in setup.joints.iter().zip(S::solver_indices(&rest)) {
            joints[*place as usize] = SolverJoint { bone: joint.bone, chain: joint.chain, enabled: joint.enabled };
        }
        let colliders = setup.colliders.iter().map(ColliderRuntime::new).collect();
        let forces = setup.forces.iter().map(ForceRuntime::new).collect();
        let params = vec![S::bake(|_| 0.0); setup.joints.len()];
        let system = S::bake_system(|row| setup.values.get(row));
        let guard = BoundsGuard::new::<S>(setup, &rest, skeleton, frames);
        let mut running = Self { rest, params, system, state, colliders, forces, joints, guard };
        running.bake(setup);
        running
    }

    /// Reads again whatever is no topology.
    pub(super) fn bake(&mut self, setup: &SystemSetup) {
        let number = |set: &ParamSet, row| sanitize(set.get(row));
        self.system = S::bake_system(|row| number(&setup.values, row));
        S::update_switches(&mut self.rest, setup);
        for (joint, place) in setup.joints.iter().zip(S::solver_indices(&self.rest)) {
            self.params[*place as usize] = S::bake(|row| number(&joint.values, row));
            self.joints[*place as usize].enabled = joint.enabled;
        }
        self.guard.bake::<S>(&self.joints);
        self.colliders.iter_mut().zip(&setup.colliders).for_each(|(own, given)| *own = ColliderRuntime::new(given));
        self.forces.iter_mut().zip(&setup.forces).for_each(|(own, given)| own.bake(given));
    }

    /// One step on `input`, the pose as animation has it.
    pub(super) fn step(&mut self, scene: &mut Scene<'_>, input: &Pose, dt: f32, hold: Option<TipGrab>) {
        for force in &mut self.forces {
            force.advance(&scene.frames[force.bone as usize], dt);
        }
        let mut scene = Scene {
            parents: scene.parents,
            pose: &mut *scene.pose,
            frames: &mut *scene.frames,
            colliders: &self.colliders,
            forces: &self.forces,
            viewer: scene.viewer,
        };
        S::step(&self.rest, &self.params, &self.system, &mut self.state, &mut scene, dt);
        self.guard.check::<S>(&self.rest, &mut self.state, &self.joints, &mut scene, input);
        if let Some(hold) = hold
            && let Some(place) = S::solver_indices(&self.rest).get(hold.joint.joint as usize)
        {
            tip_grab::solve_grab::<S>(
                &self.rest,
                &mut self.state,
                &self.joints,
                &mut scene,
                *place as usize,
                hold.target,
            );
            self.guard.refresh(&mut scene);
            self.guard.check::<S>(&self.rest, &mut self.state, &self.joints, &mut scene, input);
        }
    }

    pub(super) fn reset(&mut self, scene: &mut Scene<'_>) {
        self.forces.iter_mut().for_each(ForceRuntime::reset);
        S::reset(&self.rest, &mut self.state, scene);
    }

    pub(super) fn set_rest_pose(&mut self, scene: &mut Scene<'_>) {
        S::set_rest_pose(&mut self.rest, &mut self.state, scene);
    }

    /// Goes on where `before` stopped: clocks, and whatever else is no joint's own.
    pub(super) fn carry_over(&mut self, before: &Self) {
        S::carry_over(&mut self.state, &before.state);
        self.forces.iter_mut().zip(&before.forces).for_each(|(own, before)| own.carry_over(before));
    }

    /// The work of one step of `dt` seconds.
    pub(super) fn work(&self, dt: f32) -> Workload {
        S::workload(&self.rest, &self.system, dt)
    }

    pub(super) fn wind_time(&self) -> Option<f32> {
        S::wind_time(&self.state)
    }

    pub(super) fn sync_offset(&self, bone: BoneId, frames: &WorldPose) -> Option<f32> {
        S::sync_offset(&self.rest, bone, &frames.frames)
    }

    /// Positions in the setup of joints whose chains were out of bounds since the numbers were read.
    pub(super) fn out_of_bounds_joints(&self) -> impl Iterator<Item = u32> {
        self.guard.out_of_bounds_joints()
    }

    pub(super) fn starts_from_last_rotation(&self) -> bool {
        S::starts_from_last_rotation(&self.system)
    }

    pub(super) fn bone(&self, joint: usize) -> Option<BoneId> {
        self.solver_index(joint).map(|place| self.joints[place].bone)
    }

    fn solver_index(&self, joint: usize) -> Option<usize> {
        S::solver_indices(&self.rest).get(joint).map(|place| *place as usize)
    }

    pub(super) fn tip(&self, joint: usize) -> Option<Vec3> {
        self.solver_index(joint).map(|place| self.state.tip(place))
    }

    pub(super) fn previous_tip(&self, joint: usize) -> Option<Vec3> {
        self.solver_index(joint).map(|place| self.state.previous_tip(place))
    }

    pub(super) fn tip_offset(&self, joint: usize) -> Option<Vec3> {
        self.solver_index(joint).map(|place| S::tip_offset(&self.rest, place))
    }

    /// How a joint sways with these numbers while it carries others, as [`ResponseInput::carried_inertia`] has them, and its steady pull
    /// in its present pose, m/s².
    pub(super) fn response(
        &self,
        joint: usize,
        (values, system): (&ParamSet, &ParamSet),
        carried: f32,
        frame: f32,
    ) -> Option<(SpringResponse, Vec3)> {
        let place = self.solver_index(joint)?;
        let length = S::rest_length(&self.rest, place);
        let numbers = ResponseInput {
            joint_params: values,
            system_params: system,
            bone_length: length,
            carried_inertia: carried,
            frame_seconds: frame,
        };
        Some((S::response(&numbers), S::steady_acceleration(&self.rest, &self.state, place, &numbers)))
    }

    pub(super) fn set_tip(&mut self, joint: usize, tip: Vec3, previous: Vec3) {
        if let Some(place) = self.solver_index(joint) {
            self.state.set_tip(place, tip, previous);
        }
    }

    /// Pull of one force, `later` seconds from now, on a joint whose head would be at `at` and that takes the wind whole,
    /// m/s².
    pub(super) fn force_at_time(&self, force: usize, frames: &WorldPose, at: Vec3, later: f32) -> Option<Vec3> {
        let force = self.forces.get(force)?;
        Some(force.at_time(&frames.frames[force.bone as usize], at, later))
    }

    /// Calls `found` with the position of each joint whose tip touches something, and with what it touches.
    pub(super) fn overlaps(&self, frames: &WorldPose, mut found: impl FnMut(u32, Overlap)) {
        let still = PosedScene { frames: &frames.frames, colliders: &self.colliders };
        for (joint, place) in S::solver_indices(&self.rest).iter().enumerate() {
            let at = *place as usize;
            if self.joints[at].enabled {
                let (rest, params, system) = (&self.rest, &self.params[at], &self.system);
                let query =
                    ContactQuery { rest, params, system, joint: at, tip: self.state.tip(at), posed_scene: still };
                overlaps::<S>(&query, |overlap| found(joint as u32, overlap));
            }
        }
    }

    /// Calls `found` with each link of the network.
    pub(super) fn links(&self, mut found: impl FnMut(LinkKind, [u32; 2], [Vec3; 2])) {
        let order = S::solver_indices(&self.rest);
        let mut joint = vec![0; order.len()];
        order.iter().enumerate().for_each(|(i, place)| joint[*place as usize] = i as u32);
        S::for_each_link(&self.rest, &self.state, |kind, places, ends| found(kind, places.map(|p| joint[p]), ends));
    }

    pub(super) fn save_tips(&self, tips: &mut BTreeMap<BoneId, (Vec3, Vec3)>) {
        // The tips of joints that are off stand where they were when they were switched off.
        for (place, SolverJoint { bone, .. }) in self.joints.iter().enumerate().filter(|(_, joint)| joint.enabled) {
            tips.insert(*bone, (self.state.tip(place), self.state.previous_tip(place)));
        }
    }

    pub(super) fn restore_tips(&mut self, tips: &BTreeMap<BoneId, (Vec3, Vec3)>) {
        for (place, SolverJoint { bone, .. }) in self.joints.iter().enumerate() {
            if let Some((tip, previous)) = tips.get(bone) {
                self.state.set_tip(place, *tip, *previous);
            }
        }
    }
}

/// A tip within, or just touching, something solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Overlap {
    /// Position in [`SystemSetup::colliders`]; `None` for the ground.
    pub(super) collider: Option<u32>,
    /// How deep, metres; 0 for a mere touch.
    pub(super) depth: f32,
    /// Where on the surface, in the world.
    pub(super) point: Vec3,
}

/// Calls `found` with what a joint's ball overlaps or touches: the ground, then its colliders.
fn overlaps<S: Solver>(query: &ContactQuery<'_, S>, mut found: impl FnMut(Overlap)) {
    let Some(ball) = S::contact_sphere(query) else { return };
    let ground = ball
        .ground_height
        .map(|height| SurfacePoint { distance: ball.center.y - height, point: ball.center.with_y(height) });
    let surface = |id: &u32| Some((Some(*id), S::nearest_surface(query, &ball, *id)?));
    for (collider, surface) in ground.map(|g| (None, g)).into_iter().chain(ball.colliders.iter().filter_map(surface)) {
        let depth = ball.radius - surface.distance;
        if depth > -ball.touch_distance {
            found(Overlap { collider, depth: depth.max(0.0), point: surface.point });
        }
    }
}
