//! Tests that the values of the feel panel match the simulated motion. For each solver, one bone is displaced and its
//! swing is measured.

use glam::{Quat, Vec3};
use yuremono_model::document::param_edits::EditTargets;
use yuremono_model::document::{Chain, ChainId, ChainPart, Document, Edit, Joint};
use yuremono_model::feel::convert::convert;
use yuremono_model::feel::params;
use yuremono_model::feel::starting_feel::apply_starting_feel;
use yuremono_sim::linear_spring::{LinearRecurrence, SpringFeel};
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{Bone, BoneId, Character, Pose, Skeleton};
use yuremono_sim::solver::{anim_dynamics as anim, ez_soft_bone, hinge};
use yuremono_sim::{FeelParam, JointIndex, SolverKind, StepInput, World};

const CHAIN: ChainId = ChainId(1);
const FRAME_SECONDS: f32 = 1.0 / 60.0;
const JOINT: JointIndex = JointIndex { system: 0, joint: 0 };

/// Returns a chain whose root is at a height of 1 m, with bones of these lengths and the initial feel of `kind`.
pub(super) fn chain_fixture(kind: SolverKind, lengths: &[f32]) -> (Document, Skeleton) {
    let above = std::iter::once(0.0).chain(lengths.iter().copied());
    let mut bones = vec![Bone { name: "root".to_owned(), parent: None, rest: Trs::from_translation(Vec3::Y) }];
    bones.extend(above.enumerate().map(|(i, length)| Bone {
        name: format!("bone_{i}"),
        parent: Some(BoneId(i as u32)),
        rest: Trs::from_translation(Vec3::Y * -length),
    }));
    let skeleton = Skeleton::new(bones).expect("parents first");
    let mut document = Document::with_solver(kind);
    let joints = (1..=lengths.len() as u32).map(|i| Joint::new(BoneId(i))).collect();
    let mut chain = Chain::new("chain", ChainPart::Hair, kind.info().params, joints);
    // Weight and inertia need a body with an extent.
    let body: &[_] = match kind {
        SolverKind::AnimDynamics => &[(anim::LOCAL_JOINT_OFFSET[1], 0.06), (anim::BOX_EXTENTS[1], 0.1)],
        SolverKind::Hinge => &[(hinge::CENTER_OF_MASS[1], -0.1)],
        _ => &[],
    };
    for (param, value) in body {
        chain.values[param.index()].base = *value;
    }
    apply_starting_feel(&mut chain, &document, &skeleton);
    document.chains.insert(CHAIN, chain);
    if kind == SolverKind::AnimDynamics {
        // A new chain has no feel for its bodies yet.
        set_feel(&mut document, &skeleton, FeelParam::Speed, 1.5);
        set_feel(&mut document, &skeleton, FeelParam::Settling, 0.5);
    }
    (document, skeleton)
}

/// Returns a single bone whose swing depends only on its own parameters.
fn single_bone_fixture(kind: SolverKind) -> (Document, Skeleton) {
    let (mut document, skeleton) = chain_fixture(kind, &[0.12]);
    let still: &[_] = match kind {
        SolverKind::EzSoftBone => &[(ez_soft_bone::SLEEP_THRESHOLD, 0.0)],
        SolverKind::AnimDynamics => &[(anim::BODY_ORIGIN, 1.0)],
        _ => &[],
    };
    for (param, value) in still {
        document
            .apply(Edit::SetSystemValue {
                system: yuremono_model::document::SystemId::default(),
                param: *param,
                value: *value,
            })
            .expect("a row of the system");
    }
    if kind != SolverKind::Hinge {
        set_feel(&mut document, &skeleton, FeelParam::Weight, 0.0);
    }
    (document, skeleton)
}

fn set_feel(document: &mut Document, skeleton: &Skeleton, term: FeelParam, value: f32) {
    let whole = EditTargets { chains: vec![CHAIN], joints: Vec::new() };
    let edit = params::set_feel(document, skeleton, &whole, term, value);
    document.apply(edit).expect("the edit applies");
}

/// Measures the swing of a bone after a rotation by two degrees. Least squares fit `y[n+1] - y[n] = kept (y[n] -
/// y[n-1]) - pulled y[n]` to the bone's angle about Z (about X for a hinge).
fn measured_feel(document: &Document, skeleton: &Skeleton, kind: SolverKind) -> SpringFeel {
    let resolved = document.resolve(skeleton);
    let mut world = World::build(&resolved.skeleton, &resolved.systems);
    let pose = Pose::rest(&resolved.skeleton);
    let axis = if kind == SolverKind::Hinge { Vec3::X } else { Vec3::Z };
    let h = FRAME_SECONDS.max(kind.step_seconds(document.system_values_of(&document.chains[&CHAIN]), FRAME_SECONDS));
    // Slightly longer than a step, so that every frame runs one step in solvers with their own clock.
    let frame = if kind == SolverKind::JointDynamics { 0.0164 } else { FRAME_SECONDS };
    let angle = |world: &World| {
        let bone = world.frames().frame(BoneId(1));
        let tip = world.tip(JOINT).expect("a joint") - bone.position;
        let along = if kind == SolverKind::AnimDynamics { bone.rotation * Vec3::NEG_Y } else { tip };
        f64::from(libm::atan2f(if axis == Vec3::X { -along.z } else { along.x }, -along.y))
    };
    let step = |world: &mut World| {
        world.step(&StepInput { pose: &pose, grab: None, dt: frame });
        angle(world)
    };
    step(&mut world);
    let turned = Vec3::Y + Quat::from_axis_angle(axis, 2_f32.to_radians()) * Vec3::Y * -0.12;
    world.set_tip(JOINT, turned, turned);
    let mut y: Vec<f64> = (0..90).map(|_| step(&mut world)).collect();
    // Values below this amplitude are rounding errors.
    let quiet = y.iter().rposition(|y| y.abs() > 2e-5).unwrap_or(0);
    y.truncate((quiet + 1).max(8));
    let (mut aa, mut ab, mut bb, mut ar, mut br) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for w in y.windows(3) {
        let (a, b, r) = (w[1] - w[0], -w[1], w[2] - w[1]);
        (aa, ab, bb, ar, br) = (aa + a * a, ab + a * b, bb + b * b, ar + a * r, br + b * r);
    }
    let determinant = aa * bb - ab * ab;
    let kept = (ar * bb - br * ab) / determinant;
    LinearRecurrence {
        velocity_retention: kept,
        offset_removed: (aa * br - ab * ar) / determinant,
        displacement_added: 0.0,
    }
    .to_feel(h)
}

fn check_feel_response(kind: SolverKind, hz: f32, ratio: f32) {
    let (mut document, skeleton) = single_bone_fixture(kind);
    set_feel(&mut document, &skeleton, FeelParam::Speed, hz);
    set_feel(&mut document, &skeleton, FeelParam::Settling, ratio);
    let reported = params::chain_feel(&document, &skeleton, CHAIN);
    let [said_hz, said_ratio] = [reported.speed, reported.settling].map(|term| term.expect("a shared term").base);
    let found = measured_feel(&document, &skeleton, kind);
    let share = if kind == SolverKind::AnimDynamics { 0.1 } else { 0.03 };
    let near = |found: f32, reported: f32, least: f32| (found - reported).abs() <= share * reported.max(least);
    assert!(
        near(found.frequency_hz, said_hz, 0.1) && near(found.damping_ratio, said_ratio, 0.05),
        "{kind:?}, set to {hz} Hz and {ratio}: reports {said_hz} Hz and {said_ratio}, measured {found:?}"
    );
    assert!((said_hz / hz - 1.0).abs() < 0.01, "{kind:?}: set to {hz} Hz, reports {said_hz}");
}

/// Uses a chain that hardly bends below its first bone. The pose rotates the first bone. The time between two crossings
/// of the new rest angle is half a period.
#[test]
fn a_converted_anim_dynamics_root_bone_swings_with_the_inertia_of_its_child_bodies() {
    let (start, skeleton) = chain_fixture(SolverKind::Vrm, &[0.12, 0.1, 0.08]);
    let character = Character { skeleton, ..Character::default() };
    let mut document = convert(&start, &character, SolverKind::AnimDynamics).after;
    let whole = EditTargets { chains: vec![CHAIN], joints: Vec::new() };
    let lower = EditTargets { chains: Vec::new(), joints: vec![(CHAIN, BoneId(2)), (CHAIN, BoneId(3))] };
    let first = EditTargets { chains: Vec::new(), joints: vec![(CHAIN, BoneId(1))] };
    for (targets, term, value) in [
        (&whole, FeelParam::Weight, 0.0),
        (&lower, FeelParam::Speed, 6.0),
        (&first, FeelParam::Speed, 1.0),
        (&first, FeelParam::Settling, 0.1),
    ] {
        let edit = params::set_feel(&document, &character.skeleton, targets, term, value);
        document.apply(edit).expect("the edit applies");
    }
    let says = params::responses(&document, &character.skeleton, CHAIN)[0].frequency_hz;
    let resolved = document.resolve(&character.skeleton);
    let mut world = World::build(&resolved.skeleton, &resolved.systems);
    let mut pose = Pose::rest(&resolved.skeleton);
    let turn = Quat::from_rotation_z(4_f32.to_radians());
    let mut step = |pose: &Pose| {
        world.step(&StepInput { pose, grab: None, dt: FRAME_SECONDS });
        let along = world.frames().frame(BoneId(1)).rotation * Vec3::Y;
        f64::from(libm::atan2f(-along.x, along.y).to_degrees() - 4.0)
    };
    (0..30).for_each(|_| _ = step(&pose));
    pose.local[1].rotation = turn * pose.local[1].rotation;
    let swing: Vec<f64> = (0..240).map(|_| step(&pose)).collect();
    let crossings: Vec<f64> = (1..swing.len())
        .filter(|n| (swing[n - 1] < 0.0) != (swing[*n] < 0.0))
        .map(|n| n as f64 - swing[n] / (swing[n] - swing[n - 1]))
        .collect();
    let found = 0.5 / ((crossings[2] - crossings[0]) * 0.5 * f64::from(FRAME_SECONDS));
    assert!((says - 1.0).abs() < 0.02, "the bone was set to 1 Hz and reports {says}");
    assert!((found / f64::from(says) - 1.0).abs() < 0.15, "the panel reports {says} Hz, measured {found}");
}

/// Creates one test for each solver, so that a failure names the solver.
macro_rules! kicks {
    ($_d:tt $($kind:ident: $_solver:ty,)*) => {
        mod measured_motion_matches_the_feel_panel {
            $(#[test]
            fn $kind() {
                for (hz, ratio) in [(0.5, 0.2), (0.5, 1.0), (1.0, 0.05), (2.0, 0.4), (3.0, 0.4), (5.0, 0.3), (5.0, 0.8), (8.0, 0.5)] {
                    super::check_feel_response(yuremono_sim::SolverKind::$kind, hz, ratio);
                }
            })*
        }
    };
}
yuremono_sim::for_each_solver!(kicks);
