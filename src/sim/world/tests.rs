use super::*;
use crate::math::Trs;
use crate::rig::Bone;
use crate::sim::solver::spring_bone::{PARAMS, STIFFNESS, Y_ACTIVE, Y_MAX};
use crate::sim::{ColliderSetup, JointSetup, Shape, TipSetup};
use glam::Quat;

/// Two chains of four below a root, with a plain bone between; colliders and pivots hang on joints of either, so
/// that shallow joints read frames below deep ones.
fn entangled() -> (Skeleton, SystemSetup) {
    let bone = |parent: Option<u32>, x: f32, y: f32| Bone {
        name: format!("{x} {y}"),
        parent: parent.map(BoneId),
        rest: Trs { rotation: Quat::from_rotation_z(x), ..Trs::from_translation(Vec3::new(x, y, 0.1)) },
    };
    let bones = [
        bone(None, 0.0, 1.0),
        bone(Some(0), -0.1, 0.0),
        bone(Some(1), 0.0, -0.1),
        bone(Some(2), 0.05, -0.1),
        bone(Some(3), 0.0, -0.1),
        bone(Some(4), 0.02, -0.05),
        bone(Some(0), 0.1, 0.0),
        bone(Some(6), 0.0, -0.1),
        bone(Some(7), 0.0, -0.1),
        bone(Some(8), 0.01, -0.02),
    ];
    let skeleton = Skeleton::new(bones.into()).expect("parents first");
    let joint = |(at, bone): (usize, u32)| {
        let mut values = ParamSet::defaults(PARAMS);
        values.set(STIFFNESS, 200.0);
        values.set(Y_ACTIVE, 1.0);
        values.set(Y_MAX, 20.0);
        JointSetup {
            bone: BoneId(bone),
            tip: TipSetup::Offset(Vec3::new(0.0, -0.1, 0.02)),
            values,
            pivot: Some(BoneId([9, 5, 0, 3][at % 4])),
            length_targets: Vec::new(),
            colliders: vec![0, 1],
            chain: u32::from(bone > 5),
            enabled: bone != 7,
            animated: false,
        }
    };
    let collider = |bone| ColliderSetup::new(BoneId(bone), Shape::Sphere { radius: 0.12 });
    let setup = SystemSetup {
        joints: [1, 2, 4, 6, 7, 8].into_iter().enumerate().map(joint).collect(),
        colliders: vec![collider(5), collider(9)],
        ..SystemSetup::new(SolverKind::UnityChanSpringBone, ParamSet::defaults(PARAMS))
    };
    (skeleton, setup)
}

#[test]
fn frames_that_are_left_out_are_frames_that_nobody_reads() {
    let (skeleton, setup) = entangled();
    let mut lean = World::build(&skeleton, std::slice::from_ref(&setup));
    let mut full = lean.clone();
    let all: Vec<u32> = (0..skeleton.len() as u32).collect();
    assert!(lean.sweep.after.len() < all.len());
    full.sweep = Sweep { before: all.clone(), after: all };
    let mut pose = Pose::rest(&skeleton);
    for tick in 0..240_u8 {
        let root = &mut pose.local[0];
        root.rotation = Quat::from_rotation_y(f32::from(tick) * 0.2) * Quat::from_rotation_x(0.3);
        root.translation.x = (f32::from(tick) * 0.15).sin() * 0.3;
        pose.local[3].rotation = Quat::from_rotation_x(f32::from(tick) * 0.05);
        let hold = (tick > 200).then_some(Hold { joint: JointIndex { system: 0, joint: 2 }, target: Vec3::X });
        for world in [&mut lean, &mut full] {
            world.step(&StepInput { pose: &pose, hold, dt: 1.0 / 60.0 });
        }
        assert_eq!(lean.pose, full.pose, "tick {tick}");
        assert_eq!(lean.frames, full.frames, "tick {tick}");
    }
}
