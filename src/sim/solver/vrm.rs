//! VRM spring bones, 1.0 and 0.x, after the reference code of `VRMC_springBone` and what its runtimes do.
//!
//! Each joint swings its tip (VRM: tail) about its head by inertia and a pull towards its rest direction, keeps its
//! length, is pushed out of colliders one after the other, and is turned to point at its tip by the shortest arc, so
//! that no twist ever comes in. Pull and gravity are metres per second: they count `dt` once. Inertia is measured
//! in the space of a joint's center, gravity in the world. A frame that lasts no time changes nothing.
//!
//! Where runtimes differ from the specification, [`Preview`] chooses. Not shown: `UniVRM` evaluates springs side by
//! side on the frame's first pose, so that a collider carried by another spring is a frame late there.

mod colliders;
mod limits;
mod order;
mod params;
mod rest;
mod step;
mod sway;

use limits::Limit;
pub use limits::{SwingLimit, SwingShape, VrmJoint};
pub use params::*;

use super::super::{Dynamics, Inspect, Origin, Scene, Shape, Solver, SolverInfo, SolverKind, SystemSetup, Tips};
use super::fours::Four;
use crate::math::Frame;
use crate::rig::{Skeleton, WorldPose};
use crate::schema::Row;
use crate::sim::collider::{ContactBall, Surface, WorldCollider};
use crate::sim::kernel::Span;
use crate::sim::solver::ContactQuery;
use glam::{Quat, Vec3};

/// How far beyond a leaf its virtual tip lies, metres.
pub const LEAF: f32 = 0.07;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct Vrm;

/// Whose ways are shown where they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preview {
    /// Those of the specification; `fresh` in the recordings.
    #[default]
    Specification,
    /// Lengths of the rest pose, capsules tested at the head, no second look at the length after planes and inside
    /// shapes, radii that follow scale.
    UniVrm,
    /// Lengths measured to where the tip's bone stood one frame before; `as_shipped` in the recordings.
    ThreeVrm,
}

impl Preview {
    /// The choice that a value of [`PREVIEW_AS`] stands for.
    pub const fn of(value: f32) -> Self {
        if value < 0.5 {
            Self::Specification
        } else if value < 1.5 {
            Self::UniVrm
        } else {
            Self::ThreeVrm
        }
    }
}

/// Topology and rest data of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRest {
    bone: u32,
    parent: u32,
    enabled: bool,
    /// Whether the bone itself is scaled in the rest pose.
    scaled: bool,
    /// The bone whose origin is the tip, below `bone`; `WORLD` where the tip is a point of `bone`.
    tip_bone: u32,
    /// The tip at rest in bone space, metres.
    tip: Vec3,
    /// Its distance from the head in bone space, metres.
    own_length: f32,
    /// The same in the world.
    length: f32,
    /// Where the tip begins in bone space, metres: `tip`, but for what some runtimes make of it.
    child: Vec3,
    /// Towards `child`, unit length or zero.
    axis: Vec3,
    /// The same at rest in the parent's space.
    rest_axis: Vec3,
    /// The bone's local transform in the rest pose.
    translation: Vec3,
    rotation: Quat,
    scale: Vec3,
    /// What speed is measured relative to, or `WORLD`.
    center: u32,
    /// Position in [`State::centers`], where there is a center.
    center_at: u32,
    /// Position in [`Rest::limits`]; `u32::MAX` for none.
    limit: u32,
    /// Part of [`Rest::colliders`].
    colliders: Span,
    /// Part of [`Rest::refresh`]: bones to be moved along before the next joint.
    refresh: Span,
    /// Part of [`Rest::carried`]: colliders to be moved along.
    carried: Span,
}

/// Topology and rest data; joints after all that they read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    joints: Vec<JointRest>,
    /// The joints in their order, as many at a time as do not wait for each other.
    fours: Vec<Four>,
    colliders: Vec<u32>,
    refresh: Vec<u32>,
    carried: Vec<u32>,
    limits: Vec<Limit>,
    /// Position of each joint of the setup among `joints`.
    order: Vec<u32>,
    /// Read at set-up, since it decides what a joint's axis is.
    preview: Preview,
}

/// Baked numbers of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Metres per second.
    stiffness: f32,
    /// Metres per second.
    gravity: Vec3,
    kept: f32,
    /// Metres.
    radius: f32,
}

/// Baked numbers of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct System {
    preview: Preview,
    /// Whether hit radii follow scale where the preview lets radii do so.
    old: bool,
    scale: f32,
}

/// What steps change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// In the world; carried along when a center moves.
    tips: Vec<Vec3>,
    previous: Vec<Vec3>,
    /// Where the tip bones stood when the last step ended.
    late_tips: Vec<Vec3>,
    /// The centers as they stood when tips were written.
    centers: Vec<Frame>,
    /// The colliders as they stand now.
    placed: Vec<WorldCollider>,
}

impl Tips for State {
    fn tip(&self, joint: usize) -> Vec3 {
        self.tips[joint]
    }

    fn previous(&self, joint: usize) -> Vec3 {
        self.previous[joint]
    }

    fn place(&mut self, joint: usize, tip: Vec3, previous: Vec3) {
        self.tips[joint] = tip;
        self.previous[joint] = previous;
    }
}

impl Solver for Vrm {
    const INFO: SolverInfo = SolverInfo {
        origin: Origin::Format,
        unsupported: sway::UNSUPPORTED,
        shapes: &[Shape::SPHERE, Shape::SPHERE.inverted(), Shape::CAPSULE, Shape::CAPSULE.inverted(), Shape::PLANE],
        preview: Some(PREVIEW_AS),
        leaf_length: Some(LEAF),
        takes_rest: true,
        ..SolverInfo::new(SolverKind::Vrm, PARAMS)
    };
}

impl Dynamics for Vrm {
    type Rest = Rest;
    type Params = Params;
    type System = System;
    type State = State;

    fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
        rest::build(setup, skeleton, world)
    }

    fn order(rest: &Rest) -> &[u32] {
        &rest.order
    }

    fn bake(mut get: impl FnMut(Row) -> f32) -> Params {
        Params {
            stiffness: get(STIFFNESS),
            gravity: Vec3::from(GRAVITY_DIR.map(&mut get)) * get(GRAVITY_POWER),
            kept: 1.0 - get(DRAG),
            radius: get(HIT_RADIUS),
        }
    }

    fn bake_system(mut get: impl FnMut(Row) -> f32) -> System {
        System { preview: Preview::of(get(PREVIEW_AS)), old: get(VERSION) >= 0.5, scale: get(MODEL_SCALE) }
    }

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
        step::solve(rest, params, *system, state, scene, dt);
    }

    fn reset(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
        rest::rest_tips(rest, state, scene);
    }

    fn update_switches(rest: &mut Rest, setup: &SystemSetup) {
        for (joint, place) in setup.joints.iter().zip(&rest.order) {
            rest.joints[*place as usize].enabled = joint.enabled;
        }
    }

    fn take_rest(rest: &mut Rest, state: &mut State, scene: &mut Scene<'_>) {
        rest::take(rest, state, scene.pose, scene.parents, scene.frames);
    }

    fn point_at(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
        let joint = &rest.joints[joint];
        step::turn(joint, scene, tip);
        step::refresh_below(rest, joint, scene);
    }

    fn keeps_rotations(_: &System) -> bool {
        true
    }
}

impl Inspect for Vrm {
    fn contact_ball<'a>(query: &ContactQuery<'a, Self>) -> Option<ContactBall<'a>> {
        let ContactQuery { rest, params, system, joint, tip, .. } = *query;
        let joint = &rest.joints[joint];
        Some(ContactBall::new(tip, params.radius * system.scale, joint.colliders.of(&rest.colliders)))
    }

    fn surface(query: &ContactQuery<'_, Self>, ball: &ContactBall<'_>, collider: u32) -> Option<Surface> {
        let (collider, frame) = query.still.collider(collider);
        colliders::placed(collider, frame, *query.system).surface(ball.center)
    }

    fn length(rest: &Rest, joint: usize) -> f32 {
        rest.joints[joint].length
    }

    fn tip_offset(rest: &Rest, joint: usize) -> Vec3 {
        rest.joints[joint].axis * rest.joints[joint].length
    }
}
