//! Tests that chains computed in one batch move bit for bit like each chain alone.

use glam::{Quat, Vec3};
use yuremono_sim::math::Trs;
use yuremono_sim::params::{ParamSet, enumerate_params};
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono_sim::{ColliderSetup, ColliderShape, JointSetup, SolverKind, StepInput, SystemSetup, TipSetup, World};

/// The number of joints in each chain.
const JOINTS_PER_CHAIN: [usize; 6] = [5, 4, 5, 3, 5, 1];
const DT: f32 = 1.0 / 60.0;

/// Returns a root with chains that differ in length and values. The second chain is scaled, the third has a disabled
/// joint, and the fourth ends in a bone that is not a joint.
fn mixed_chains(kind: SolverKind) -> (Skeleton, SystemSetup) {
    let bone = |parent: Option<u32>, translation: Vec3, scale: f32| Bone {
        name: String::new(),
        parent: parent.map(BoneId),
        rest: Trs { translation, rotation: Quat::from_rotation_z(0.05), scale: Vec3::splat(scale) },
    };
    let mut bones = vec![bone(None, Vec3::Y, 1.0)];
    let table = kind.info().params;
    let mut joints = Vec::new();
    for (chain, length) in JOINTS_PER_CHAIN.into_iter().enumerate() {
        for depth in 0..length + usize::from(chain == 3) {
            let id = bones.len() as u32;
            let offset = Vec3::new(0.03 * chain as f32, -0.01, 0.02);
            let hanging = (id - 1, Vec3::new(0.005 * chain as f32, -0.05, 0.0));
            let (parent, offset) = if depth == 0 { (0, offset) } else { hanging };
            bones.push(bone(Some(parent), offset, if chain == 1 && depth == 1 { 1.3 } else { 1.0 }));
            if depth == length {
                continue;
            }
            let mut values = ParamSet::defaults(table);
            for (param, def) in enumerate_params(table).filter(|(_, def)| def.name.ends_with("tiffness")) {
                values.set(param, def.default * (1.0 + 0.1 * chain as f32));
            }
            let goes_on = depth + 1 < length || chain == 3;
            joints.push(JointSetup {
                bone: BoneId(id),
                tip: if goes_on { TipSetup::Bones(vec![BoneId(id + 1)]) } else { TipSetup::Offset(Vec3::Y * -0.04) },
                values,
                tip_values: Vec::new(),
                pivot: None,
                length_targets: Vec::new(),
                colliders: if chain == 4 { vec![0] } else { Vec::new() },
                chain: chain as u32,
                enabled: !(chain == 2 && depth == 3),
                animated: false,
            });
        }
    }
    for bone in bones.iter_mut().enumerate() {
        bone.1.name = format!("b{}", bone.0);
    }
    let mut ball = ColliderSetup::new(BoneId(0), ColliderShape::Sphere { radius: 0.12, inside: false });
    ball.enabled = true;
    let mut values = ParamSet::defaults(table);
    for (param, def) in enumerate_params(table).filter(|(_, def)| def.name.ends_with("avity y")) {
        values.set(param, if def.name.starts_with("m_") { -0.16 } else { -9.8 });
    }
    let skeleton = Skeleton::new(bones).expect("parents first");
    (skeleton, SystemSetup { joints, colliders: vec![ball], ..SystemSetup::new(kind, values) })
}

/// Returns the bits of the frames of all bones after a drag.
fn motion_bits(skeleton: &Skeleton, setup: SystemSetup) -> Vec<[u32; 7]> {
    let mut world = World::build(skeleton, &[setup]);
    let mut pose = Pose::rest(skeleton);
    for tick in 0..90 {
        let t = tick as f32 * DT;
        pose.local[0].translation.x = libm::sinf(t * 7.0) * 0.3;
        pose.local[0].rotation = Quat::from_rotation_y(libm::sinf(t * 5.0));
        world.step(&StepInput { pose: &pose, grab: None, dt: DT });
    }
    let bits = |frame: &yuremono_sim::math::Frame| {
        let ([x, y, z], [a, b, c, d]) = (frame.position.to_array(), frame.rotation.to_array());
        [x, y, z, a, b, c, d].map(f32::to_bits)
    };
    world.frames().frames.iter().map(bits).collect()
}

#[track_caller]
fn check_chains_are_independent(kind: SolverKind) {
    let (skeleton, setup) = mixed_chains(kind);
    let together = motion_bits(&skeleton, setup.clone());
    for chain in 0..JOINTS_PER_CHAIN.len() as u32 {
        let mut alone = setup.clone();
        alone.joints.retain(|joint| joint.chain == chain);
        let of_chain: Vec<usize> = alone.joints.iter().map(|joint| joint.bone.index()).collect();
        let alone = motion_bits(&skeleton, alone);
        let rest = motion_bits(&skeleton, SystemSetup { joints: Vec::new(), ..setup.clone() });
        for bone in &of_chain {
            assert_eq!(together[*bone], alone[*bone], "chain {chain}, bone {bone}");
        }
        assert!(of_chain.len() < 2 || together[of_chain[1]] != rest[of_chain[1]], "chain {chain} does not move");
    }
}

#[test]
fn ez_soft_bone_chains_move_the_same_alone_and_in_batches() {
    check_chains_are_independent(SolverKind::EzSoftBone);
}

#[test]
fn kawaii_physics_chains_move_the_same_alone_and_in_batches() {
    check_chains_are_independent(SolverKind::KawaiiPhysics);
}
