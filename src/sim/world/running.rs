//! One system under its solver: the solver's buffers, and what every solver needs beside them.

use super::Hold;
use super::guard::Guard;
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::schema::ParamSet;
use crate::sim::collider::Surface;
use crate::sim::hold;
pub(super) use crate::sim::hold::Place;
use crate::sim::kernel::finite;
use crate::sim::scene::{ColliderRest, Scene, Still};
use crate::sim::solver::ContactQuery;
use crate::sim::wind::ForceRest;
use crate::sim::{LinkKind, Numbers, Solver, Sway, SystemSetup, Tips as _, Work};
use glam::Vec3;
use std::collections::BTreeMap;

/// A solver's four buffers, colliders and forces.
#[derive(Clone, Debug)]
pub(super) struct Running<S: Solver> {
    rest: S::Rest,
    params: Vec<S::Params>,
    system: S::System,
    state: S::State,
    colliders: Vec<ColliderRest>,
    forces: Vec<ForceRest>,
    /// In the solver's order.
    joints: Vec<Place>,
    guard: Guard,
}

impl<S: Solver> Running<S> {
    pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, frames: &WorldPose) -> Self {
        let (rest, state) = S::build(setup, skeleton, frames);
        let mut joints = vec![Place { bone: BoneId(0), chain: 0, enabled: false }; setup.joints.len()];
        for (joint, place) in setup.joints.iter().zip(S::order(&rest)) {
            joints[*place as usize] = Place { bone: joint.bone, chain: joint.chain, enabled: joint.enabled };
        }
        let colliders = setup.colliders.iter().map(ColliderRest::new).collect();
        let forces = setup.forces.iter().map(ForceRest::new).collect();
        let params = vec![S::bake(|_| 0.0); setup.joints.len()];
        let system = S::bake_system(|row| setup.values.get(row));
        let guard = Guard::new::<S>(setup, &rest, skeleton, frames);
        let mut running = Self { rest, params, system, state, colliders, forces, joints, guard };
        running.bake(setup);
        running
    }

    /// Reads again whatever is no topology.
    pub(super) fn bake(&mut self, setup: &SystemSetup) {
        let number = |set: &ParamSet, row| finite(set.get(row));
        self.system = S::bake_system(|row| number(&setup.values, row));
        S::update_switches(&mut self.rest, setup);
        for (joint, place) in setup.joints.iter().zip(S::order(&self.rest)) {
            self.params[*place as usize] = S::bake(|row| number(&joint.values, row));
            self.joints[*place as usize].enabled = joint.enabled;
        }
        self.guard.bake::<S>(&self.joints);
        self.colliders.iter_mut().zip(&setup.colliders).for_each(|(own, given)| *own = ColliderRest::new(given));
        self.forces.iter_mut().zip(&setup.forces).for_each(|(own, given)| own.bake(given));
    }

    /// One step on `input`, the pose as animation has it.
    pub(super) fn step(&mut self, scene: &mut Scene<'_>, input: &Pose, dt: f32, hold: Option<Hold>) {
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
            && let Some(place) = S::order(&self.rest).get(hold.joint.joint as usize)
        {
            hold::pull::<S>(&self.rest, &mut self.state, &self.joints, &mut scene, *place as usize, hold.target);
            self.guard.refresh(&mut scene);
            self.guard.check::<S>(&self.rest, &mut self.state, &self.joints, &mut scene, input);
        }
    }

    pub(super) fn reset(&mut self, scene: &mut Scene<'_>) {
        self.forces.iter_mut().for_each(ForceRest::reset);
        S::reset(&self.rest, &mut self.state, scene);
    }

    pub(super) fn take_rest(&mut self, scene: &mut Scene<'_>) {
        S::take_rest(&mut self.rest, &mut self.state, scene);
    }

    /// Goes on where `before` stopped: clocks, and whatever else is no joint's own.
    pub(super) fn carry_over(&mut self, before: &Self) {
        S::carry_over(&mut self.state, &before.state);
        self.forces.iter_mut().zip(&before.forces).for_each(|(own, before)| own.inherit(before));
    }

    /// The work of one step of `dt` seconds.
    pub(super) fn work(&self, dt: f32) -> Work {
        S::work(&self.rest, &self.system, dt)
    }

    pub(super) fn clock(&self) -> Option<f32> {
        S::clock(&self.state)
    }

    pub(super) fn sync_offset(&self, bone: BoneId, frames: &WorldPose) -> Option<f32> {
        S::sync_offset(&self.rest, bone, &frames.frames)
    }

    /// Positions in the setup of joints whose chains were out of bounds since the numbers were read.
    pub(super) fn strays(&self) -> impl Iterator<Item = u32> {
        self.guard.strays()
    }

    pub(super) fn keeps_rotations(&self) -> bool {
        S::keeps_rotations(&self.system)
    }

    pub(super) fn bone(&self, joint: usize) -> Option<BoneId> {
        self.place_of(joint).map(|place| self.joints[place].bone)
    }

    fn place_of(&self, joint: usize) -> Option<usize> {
        S::order(&self.rest).get(joint).map(|place| *place as usize)
    }

    pub(super) fn tip(&self, joint: usize) -> Option<Vec3> {
        self.place_of(joint).map(|place| self.state.tip(place))
    }

    pub(super) fn previous_tip(&self, joint: usize) -> Option<Vec3> {
        self.place_of(joint).map(|place| self.state.previous(place))
    }

    pub(super) fn tip_offset(&self, joint: usize) -> Option<Vec3> {
        self.place_of(joint).map(|place| S::tip_offset(&self.rest, place))
    }

    /// How a joint sways with these numbers while it carries others, as [`Numbers::carried`] has them, and its steady pull
    /// in its present pose, m/s².
    pub(super) fn sway(
        &self,
        joint: usize,
        (values, system): (&ParamSet, &ParamSet),
        carried: f32,
        frame: f32,
    ) -> Option<(Sway, Vec3)> {
        let place = self.place_of(joint)?;
        let length = S::length(&self.rest, place);
        let numbers = Numbers { joint: values, system, length, carried, frame };
        Some((S::sway(&numbers), S::pull(&self.rest, &self.state, place, &numbers)))
    }

    pub(super) fn place(&mut self, joint: usize, tip: Vec3, previous: Vec3) {
        if let Some(place) = self.place_of(joint) {
            self.state.place(place, tip, previous);
        }
    }

    /// Pull of one force, `later` seconds from now, on a joint whose head would be at `at` and that takes the wind whole,
    /// m/s².
    pub(super) fn force(&self, force: usize, frames: &WorldPose, at: Vec3, later: f32) -> Option<Vec3> {
        let force = self.forces.get(force)?;
        Some(force.later(&frames.frames[force.bone as usize], at, later))
    }

    /// Calls `found` with the position of each joint whose tip touches something, and with what it touches.
    pub(super) fn overlaps(&self, frames: &WorldPose, mut found: impl FnMut(u32, Overlap)) {
        let still = Still { frames: &frames.frames, colliders: &self.colliders };
        for (joint, place) in S::order(&self.rest).iter().enumerate() {
            let at = *place as usize;
            if self.joints[at].enabled {
                let (rest, params, system) = (&self.rest, &self.params[at], &self.system);
                let query = ContactQuery { rest, params, system, joint: at, tip: self.state.tip(at), still };
                overlaps::<S>(&query, |overlap| found(joint as u32, overlap));
            }
        }
    }

    /// Calls `found` with each link of the network.
    pub(super) fn links(&self, mut found: impl FnMut(LinkKind, [u32; 2], [Vec3; 2])) {
        let order = S::order(&self.rest);
        let mut joint = vec![0; order.len()];
        order.iter().enumerate().for_each(|(i, place)| joint[*place as usize] = i as u32);
        S::links(&self.rest, &self.state, |kind, places, ends| found(kind, places.map(|p| joint[p]), ends));
    }

    pub(super) fn remember(&self, tips: &mut BTreeMap<BoneId, (Vec3, Vec3)>) {
        // The tips of joints that are off stand where they were when they were switched off.
        for (place, Place { bone, .. }) in self.joints.iter().enumerate().filter(|(_, joint)| joint.enabled) {
            tips.insert(*bone, (self.state.tip(place), self.state.previous(place)));
        }
    }

    pub(super) fn recall(&mut self, tips: &BTreeMap<BoneId, (Vec3, Vec3)>) {
        for (place, Place { bone, .. }) in self.joints.iter().enumerate() {
            if let Some((tip, previous)) = tips.get(bone) {
                self.state.place(place, *tip, *previous);
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
    let Some(ball) = S::contact_ball(query) else { return };
    let ground =
        ball.ground.map(|height| Surface { distance: ball.center.y - height, point: ball.center.with_y(height) });
    let surface = |id: &u32| Some((Some(*id), S::surface(query, &ball, *id)?));
    for (collider, surface) in ground.map(|g| (None, g)).into_iter().chain(ball.colliders.iter().filter_map(surface)) {
        let depth = ball.radius - surface.distance;
        if depth > -ball.touch {
            found(Overlap { collider, depth: depth.max(0.0), point: surface.point });
        }
    }
}
