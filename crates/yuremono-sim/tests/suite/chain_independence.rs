//! Tests that chains stepped together move bit for bit like each chain stepped alone.

use glam::{Quat, Vec3};
use yuremono_sim::math::Trs;
use yuremono_sim::params::{ParamId, ParamSet};
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono_sim::solver::{dynamic_bone as dynamic, pbd_spring_bone as pbd};
use yuremono_sim::{ColliderSetup, ColliderShape, JointSetup, SolverKind, StepInput, SystemSetup, TipSetup, World};

/// The bones of each chain, starting at its root. Each number is the distance in the list from a bone to its parent.
const CHAINS: [&[u32]; 7] =
    [&[0, 1, 1, 1, 1], &[0, 1], &[0, 1, 1, 2, 1, 3], &[0], &[0, 1, 1], &[0, 1, 1, 1, 1, 1, 1], &[0, 1, 1, 1]];

/// The indices of the chain with a bone that is not a joint, the scaled chain, and the chain with a disabled joint.
const CHAIN_WITH_GAP: usize = 4;
const SCALED_CHAIN: usize = 5;
const PARTLY_DISABLED_CHAIN: usize = 6;

/// Returns a root with the chains as its children, and the chain index of each bone.
fn skeleton() -> (Skeleton, Vec<Option<usize>>) {
    let mut bones = vec![Bone { name: "root".to_owned(), parent: None, rest: Trs::from_translation(Vec3::Y) }];
    let mut chain_of = vec![None];
    for (chain, steps) in CHAINS.iter().enumerate() {
        for (at, up) in steps.iter().enumerate() {
            let parent = if *up == 0 { 0 } else { bones.len() as u32 - up };
            let around = Quat::from_rotation_y(chain as f32 * 0.9);
            let offset = if *up == 0 { around * Vec3::X * 0.1 } else { Vec3::new(0.01 * at as f32, -0.05, 0.01) };
            let scale = if chain == SCALED_CHAIN && at == 1 { Vec3::new(1.5, 0.8, 1.2) } else { Vec3::ONE };
            let rest = Trs { translation: offset, rotation: Quat::from_rotation_z(0.1 * at as f32), scale };
            bones.push(Bone { name: format!("{chain} {at}"), parent: Some(BoneId(parent)), rest });
            chain_of.push(Some(chain));
        }
    }
    (Skeleton::new(bones).expect("parents first"), chain_of)
}

/// Returns a system that simulates the chains selected by `wanted`, with a sphere collider on the root.
fn setup(kind: SolverKind, system: &[(ParamId, f32)], wanted: impl Fn(usize) -> bool) -> SystemSetup {
    let (skeleton, chain_of) = skeleton();
    let mut values = ParamSet::defaults(kind.info().params);
    for (param, value) in system {
        values.set(*param, *value);
    }
    let mut joints = Vec::new();
    for bone in skeleton.ids() {
        let Some(chain) = chain_of[bone.index()].filter(|chain| wanted(*chain)) else { continue };
        let at = skeleton.depth(bone);
        let children = skeleton.children(bone).to_vec();
        if chain == CHAIN_WITH_GAP && at == 2 {
            continue;
        }
        let tip = if children.is_empty() { TipSetup::Offset(Vec3::NEG_Y * 0.04) } else { TipSetup::Bones(children) };
        joints.push(JointSetup {
            bone,
            tip,
            values: values.clone(),
            tip_values: Vec::new(),
            pivot: None,
            length_targets: Vec::new(),
            colliders: vec![0],
            chain: chain as u32,
            enabled: chain != PARTLY_DISABLED_CHAIN || at != 2,
            animated: false,
        });
    }
    let colliders = vec![ColliderSetup::new(BoneId(0), ColliderShape::Sphere { radius: 0.12, inside: false })];
    SystemSetup { joints, colliders, component: Some(BoneId(0)), ..SystemSetup::new(kind, values) }
}

/// Returns the bits of all positions and rotations of a chain's bones after each of sixty frames.
fn motion_bits(setup: SystemSetup, chain: usize) -> Vec<u32> {
    let (skeleton, chain_of) = skeleton();
    let mut world = World::build(&skeleton, &[setup]);
    let mut pose = Pose::rest(&skeleton);
    let mut bits = Vec::new();
    for tick in 0..60_u8 {
        pose.local[0].rotation = Quat::from_rotation_y(libm::sinf(f32::from(tick) * 0.2));
        pose.local[0].translation.x = libm::sinf(f32::from(tick) * 0.3) * 0.1;
        world.step(&StepInput { pose: &pose, grab: None, dt: if tick % 7 == 0 { 1.0 / 30.0 } else { 1.0 / 60.0 } });
        for bone in (0..skeleton.len()).filter(|bone| chain_of[*bone] == Some(chain)) {
            let (local, frame) = (world.pose().local[bone], world.frames().frames[bone]);
            let numbers = local.rotation.to_array().into_iter().chain(local.translation.to_array());
            bits.extend(numbers.chain(frame.position.to_array()).chain(frame.rotation.to_array()).map(f32::to_bits));
        }
    }
    bits
}

#[track_caller]
fn check_chains_are_independent(kind: SolverKind, system: &[(ParamId, f32)]) {
    for chain in 0..CHAINS.len() {
        let together = motion_bits(setup(kind, system, |_| true), chain);
        let alone = motion_bits(setup(kind, system, |only| only == chain), chain);
        assert!(together == alone, "{kind:?} {system:?} chain {chain}");
    }
}

#[test]
fn chains_of_pbd_spring_bone_do_not_affect_each_other() {
    check_chains_are_independent(SolverKind::PbdSpringBone, &[]);
    check_chains_are_independent(SolverKind::PbdSpringBone, &[(pbd::NO_ANIMATOR, 1.0), (pbd::FOLLOW_SCALE, 1.0)]);
    let held = [(pbd::COLLIDE_WITH_GROUND, 1.0), (pbd::GROUND_HEIGHT, 0.8)];
    check_chains_are_independent(SolverKind::PbdSpringBone, &held);
    check_chains_are_independent(
        SolverKind::PbdSpringBone,
        &[held[0], held[1], (pbd::ITERATIONS, 3.0), (pbd::FOLLOW_SCALE, 1.0)],
    );
    check_chains_are_independent(SolverKind::PbdSpringBone, &[(pbd::STEPS_PER_SECOND, 90.0)]);
}

#[test]
fn chains_of_dynamic_bone_do_not_affect_each_other() {
    check_chains_are_independent(SolverKind::DynamicBone, &[]);
    check_chains_are_independent(SolverKind::DynamicBone, &[(dynamic::RUN_AS, 1.0), (dynamic::GRAVITY[1], -0.01)]);
    check_chains_are_independent(SolverKind::DynamicBone, &[(dynamic::UPDATE_MODE, 0.0), (dynamic::UPDATE_RATE, 45.0)]);
    check_chains_are_independent(SolverKind::DynamicBone, &[(dynamic::FREEZE_AXIS, 2.0), (dynamic::FORCE[1], -0.002)]);
    check_chains_are_independent(SolverKind::DynamicBone, &[(dynamic::BLEND_WEIGHT, 0.5), (dynamic::END_LENGTH, 0.3)]);
}

#[test]
fn solvers_declare_that_chains_do_not_affect_each_other() {
    for kind in SolverKind::ALL.iter().filter(|kind| kind.info().independent_chains) {
        check_chains_are_independent(*kind, &[]);
    }
    assert!(SolverKind::UnityChanSpringBone.info().independent_chains);
}
