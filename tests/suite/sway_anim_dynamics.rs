//! `AnimDynamics` swings as its [`Sway`](yuremono::sim::Sway) says: one bone, kicked and watched.

use super::support::kick::{Kick, check};
use glam::Vec3;
use yuremono::schema::ParamSet;
use yuremono::sim::solver::anim_dynamics as anim;
use yuremono::sim::unify::Feel;
use yuremono::sim::{SolverKind, Sway};

const KIND: SolverKind = SolverKind::AnimDynamics;

fn joint(side: f32, offset: f32) -> ParamSet {
    let mut joint = ParamSet::defaults(anim::PARAMS);
    for row in anim::BOX_EXTENTS {
        joint.set(row, side);
    }
    joint.set(anim::LOCAL_JOINT_OFFSET[1], offset);
    joint.set(anim::GRAVITY_SCALE, 0.0);
    joint
}

/// The body's joint stands on the bone, so that the angle is the bone's own.
fn system() -> ParamSet {
    let mut system = ParamSet::defaults(anim::PARAMS);
    system.set(anim::BODY_AT, 1.0);
    system
}

fn kick<'a>(joint: &'a ParamSet, system: &'a ParamSet, frame: f32) -> Kick<'a> {
    Kick { length: 0.12, samples: 90, ..Kick::new(KIND, joint, system, frame) }
}

#[track_caller]
fn sways_as_asked(joint: &ParamSet, hz: f32, ratio: f32) {
    let system = system();
    for frame in [1.0 / 60.0, 1.0 / 30.0, 1.0 / 144.0] {
        let wanted = Sway::new(Feel { frequency_hz: hz, damping_ratio: ratio, acceleration: 0.0 }, Vec3::ZERO);
        let mut made = joint.clone();
        for (row, value) in KIND.numbers(&wanted, &kick(joint, &system, frame).numbers()) {
            made.set(row, value);
        }
        made.set(anim::GRAVITY_SCALE, 0.0);
        let kick = kick(&made, &system, frame);
        let said = KIND.sway(&kick.numbers());
        let near = |a: f32, b: f32| (a - b).abs() <= 0.03 * b;
        assert!(near(said.frequency_hz, hz) && near(said.damping_ratio, ratio), "asked {hz} {ratio}, said {said:?}");
        check(&kick);
    }
}

#[test]
fn a_kicked_bone_swings_as_its_numbers_say() {
    for (hz, ratio) in [(1.0, 0.2), (2.0, 0.3), (3.0, 0.4), (4.0, 0.1), (1.0, 1.0)] {
        sways_as_asked(&joint(0.05, 0.0), hz, ratio);
        sways_as_asked(&joint(0.02, 0.06), hz, ratio);
        sways_as_asked(&joint(0.2, 0.06), hz, ratio);
    }
}

#[test]
fn a_linear_spring_swings_a_bone_by_its_lever() {
    let mut joint = joint(0.04, 0.08);
    joint.set(anim::LINEAR_SPRING, 1.0);
    joint.set(anim::LINEAR_SPRING_CONSTANT, 200.0);
    let system = system();
    let kick = kick(&joint, &system, 1.0 / 60.0);
    let said = KIND.sway(&kick.numbers());
    let found = kick.measured();
    assert!((found.frequency_hz - said.frequency_hz).abs() < 0.03 * said.frequency_hz, "{found:?}, not {said:?}");
    let inertia = 0.04_f32.powi(2) / 6.0 + 0.08_f32.powi(2);
    let hz = (200.0 * 0.08_f32.powi(2) / inertia).sqrt() / std::f32::consts::TAU;
    assert!((found.frequency_hz - hz).abs() < 0.03 * hz, "{} Hz, by hand {hz}", found.frequency_hz);
}
