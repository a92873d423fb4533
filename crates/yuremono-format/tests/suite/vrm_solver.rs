//! Tests VRM spring bones in cases without recordings: preview modes, limits, unusual setups, and documents.

use glam::{Quat, Vec3};
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_model::document::pivot::create_pivots;
use yuremono_model::document::{
    Chain, ChainId, ChainPart, Collider, Document, Edit, Helper, HelperId, HelperRole, Joint, Node, SystemId, measure,
};
use yuremono_model::feel::starting_feel;
use yuremono_sim::linear_spring::VrmValues;
use yuremono_sim::math::Trs;
use yuremono_sim::params::ParamSet;
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton, WorldPose};
use yuremono_sim::solver::vrm::{
    DRAG, GRAVITY_DIR, GRAVITY_POWER, HIT_RADIUS, MODEL_SCALE, PARAMS, PREVIEW_AS, STIFFNESS, VERSION,
};
use yuremono_sim::{
    ColliderSetup, ColliderShape, JointIndex, JointSetup, SolverKind, StepInput, SwingLimit, SwingShape, SystemSetup,
    TipSetup, VrmJoint, World,
};

const STEP_SECONDS: f32 = 1.0 / 60.0;
const SPECIFICATION: f32 = 0.0;
const UNIVRM: f32 = 1.0;
const THREE_VRM: f32 = 2.0;

/// Returns a root with a chain of bones along +X, each 10 cm long.
fn row_of_bones(bones: u32, root: Trs) -> Skeleton {
    let bone = |i: u32| Bone {
        name: format!("b{i}"),
        parent: i.checked_sub(1).map(BoneId),
        rest: if i == 0 { root } else { Trs::from_translation(Vec3::X * 0.1) },
    };
    Skeleton::new((0..bones).map(bone).collect()).expect("parents first")
}

fn joint_setup(bone: u32, tip: TipSetup) -> JointSetup {
    JointSetup {
        bone: BoneId(bone),
        tip,
        values: ParamSet::defaults(PARAMS),
        tip_values: Vec::new(),
        pivot: None,
        length_targets: Vec::new(),
        colliders: Vec::new(),
        chain: 0,
        enabled: true,
        animated: false,
    }
}

/// Returns a soft system of bones 1 to `joints`, each with the next bone as its tip. Gravity makes the chain hang down.
fn soft_system(joints: u32) -> SystemSetup {
    let mut setup = SystemSetup::new(SolverKind::Vrm, ParamSet::defaults(PARAMS));
    setup.joints = (1..=joints).map(|i| joint_setup(i, TipSetup::Bones(vec![BoneId(i + 1)]))).collect();
    for (param, value) in [(STIFFNESS, 0.1), (GRAVITY_POWER, 0.5), (DRAG, 0.3), (HIT_RADIUS, 0.02)] {
        setup.joints.iter_mut().for_each(|j| _ = j.values.set(param, value));
    }
    setup
}

fn run_steps(world: &mut World, pose: &Pose, ticks: u32) {
    for _ in 0..ticks {
        world.step(&StepInput { pose, grab: None, dt: STEP_SECONDS });
    }
}

fn tip_position(world: &World, joint: u32) -> Vec3 {
    world.tip(JointIndex { system: 0, joint }).expect("a joint")
}

fn head_position(world: &World, bone: u32) -> Vec3 {
    world.frames().frame(BoneId(bone)).position
}

#[test]
fn skipped_nodes_follow_the_joint_and_the_tip_bone_is_at_the_tip() {
    let mut skeleton = row_of_bones(5, Trs::IDENTITY);
    let mut bones = skeleton.bones().to_vec();
    bones[2].rest.rotation = Quat::from_rotation_z(0.7);
    bones[3].rest.scale = Vec3::splat(1.5);
    skeleton = Skeleton::new(bones).expect("parents first");
    let mut setup = soft_system(1);
    setup.joints[0].tip = TipSetup::Bones(vec![BoneId(4)]);
    let mut world = World::build(&skeleton, &[setup]);
    run_steps(&mut world, &Pose::rest(&skeleton), 100);
    let (tip, bone) = (tip_position(&world, 0), head_position(&world, 4));
    assert!(tip.distance(bone) < 1e-5, "the tip is at {tip}, its bone at {bone}");
    assert!(tip.y < -0.05, "the tip hangs down: {tip}");
}

#[test]
fn a_leaf_joint_has_a_virtual_tip_seven_centimetres_away() {
    let skeleton = row_of_bones(2, Trs::IDENTITY);
    let mut setup = soft_system(1);
    setup.joints[0].tip = TipSetup::Bones(Vec::new());
    let world = World::build(&skeleton, &[setup]);
    assert!((tip_position(&world, 0) - Vec3::X * 0.17).length() < 1e-6, "{}", tip_position(&world, 0));
}

/// Returns the length of the first bone after the root has moved for some frames.
fn length_while_moving(preview: f32) -> f32 {
    let skeleton = row_of_bones(4, Trs::IDENTITY);
    let mut setup = soft_system(2);
    setup.values.set(PREVIEW_AS, preview);
    let mut world = World::build(&skeleton, &[setup]);
    let mut pose = Pose::rest(&skeleton);
    for _ in 0..30 {
        pose.local[0].translation.x -= 1.8 * STEP_SECONDS;
        world.step(&StepInput { pose: &pose, grab: None, dt: STEP_SECONDS });
    }
    tip_position(&world, 0).distance(head_position(&world, 1))
}

#[test]
fn only_three_vrm_stretches_moving_bones() {
    assert!((length_while_moving(SPECIFICATION) - 0.1).abs() < 1e-5);
    assert!((length_while_moving(UNIVRM) - 0.1).abs() < 1e-5);
    let stretched = length_while_moving(THREE_VRM);
    assert!(stretched > 0.115, "at 1.8 m/s, a bone of 10 cm stretches by about 2 cm: {stretched}");
}

/// Returns the rest position of the tip of one bone along +X next to a shape. The root is the parent of the shape.
fn rest_tip_with_collider(shape: ColliderShape, local: Trs, preview: f32) -> Vec3 {
    let mut skeleton = row_of_bones(3, Trs::IDENTITY);
    let node = Bone { name: "shape".to_owned(), parent: Some(BoneId(0)), rest: local };
    let node = skeleton.push(node).expect("its parent exists");
    let mut setup = soft_system(1);
    setup.values.set(PREVIEW_AS, preview);
    setup.colliders = vec![ColliderSetup::new(node, shape)];
    setup.joints[0].colliders = vec![0];
    let mut world = World::build(&skeleton, &[setup]);
    run_steps(&mut world, &Pose::rest(&skeleton), 200);
    assert!(tip_position(&world, 0).is_finite());
    tip_position(&world, 0)
}

#[test]
fn a_plane_stops_the_tip_and_only_the_specification_keeps_the_bone_length() {
    let floor = Trs {
        translation: Vec3::NEG_Y * 0.03,
        rotation: Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2),
        ..Trs::IDENTITY
    };
    let specified = rest_tip_with_collider(ColliderShape::Plane, floor, SPECIFICATION);
    assert!(((specified - Vec3::X * 0.1).length() - 0.1).abs() < 1e-5, "{specified}");
    assert!((specified.y + 0.01).abs() < 5e-3, "the 2 cm sphere of the tip touches the floor: {specified}");
    let univrm = rest_tip_with_collider(ColliderShape::Plane, floor, UNIVRM);
    assert!((univrm.y + 0.01).abs() < 1e-6, "the tip is exactly on the floor, without a pull: {univrm}");
}

#[test]
fn univrm_pushes_differently_from_a_slanted_capsule() {
    let slant = Trs { translation: Vec3::new(0.16, -0.2, 0.0), rotation: Quat::from_rotation_z(0.6), ..Trs::IDENTITY };
    let capsule = ColliderShape::Capsule { radius: 0.05, height: 0.3, inside: false };
    let (specified, univrm) =
        (rest_tip_with_collider(capsule, slant, SPECIFICATION), rest_tip_with_collider(capsule, slant, UNIVRM));
    assert!(specified.distance(univrm) > 0.01, "{specified} and {univrm}");
}

#[test]
fn a_swing_limit_holds_against_gravity_and_colliders() {
    let skeleton = row_of_bones(3, Trs::IDENTITY);
    for shape in [
        SwingShape::Cone { angle: 0.3 },
        SwingShape::Hinge { angle: 0.3 },
        SwingShape::Spherical { pitch: 0.3, yaw: 0.3 },
    ] {
        let mut setup = soft_system(1);
        setup.joints[0].values.set(GRAVITY_DIR[2], 0.5);
        setup.vrm = vec![VrmJoint { center: None, limit: Some(SwingLimit { shape, rotation: Quat::IDENTITY }) }];
        setup.colliders = vec![ColliderSetup::new(BoneId(0), ColliderShape::Sphere { radius: 0.19, inside: true })];
        setup.joints[0].colliders = vec![0];
        let mut world = World::build(&skeleton, &[setup]);
        for _ in 0..120 {
            run_steps(&mut world, &Pose::rest(&skeleton), 1);
            let lean = (tip_position(&world, 0) - head_position(&world, 1)).angle_between(Vec3::X);
            let most = if matches!(shape, SwingShape::Spherical { .. }) { 0.3 * 2.0_f32.sqrt() } else { 0.3 };
            assert!(lean < most + 1e-3, "{shape:?} allows a lean of {lean}");
        }
    }
}

#[test]
fn a_scaled_character_moves_proportionally_with_model_scale() {
    let moved = |scale: f32, preview: f32| {
        let root = Trs { scale: Vec3::splat(scale), ..Trs::IDENTITY };
        let skeleton = row_of_bones(5, root);
        let mut setup = soft_system(3);
        setup.values.set(MODEL_SCALE, scale);
        setup.values.set(PREVIEW_AS, preview);
        setup.colliders =
            vec![ColliderSetup::new(BoneId(0), ColliderShape::Capsule { radius: 0.25, height: 0.1, inside: true })];
        setup.joints.iter_mut().for_each(|j| j.colliders = vec![0]);
        let mut world = World::build(&skeleton, &[setup]);
        run_steps(&mut world, &Pose::rest(&skeleton), 40);
        (0..3).map(|i| tip_position(&world, i) / scale).collect::<Vec<_>>()
    };
    for preview in [SPECIFICATION, UNIVRM] {
        for (a, b) in moved(1.0, preview).into_iter().zip(moved(3.0, preview)) {
            assert!(a.distance(b) < 1e-4, "{a} and {b}");
        }
    }
}

#[test]
fn univrm_scales_hit_radii_only_for_vrm_0() {
    let reach = |version: f32, preview: f32| {
        let mut skeleton = row_of_bones(3, Trs { scale: Vec3::splat(2.0), ..Trs::IDENTITY });
        let rest = Trs {
            translation: Vec3::NEG_Y * 0.03,
            rotation: Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2),
            ..Trs::IDENTITY
        };
        let floor = Bone { name: "floor".to_owned(), parent: Some(BoneId(0)), rest };
        let floor = skeleton.push(floor).expect("its parent exists");
        let mut setup = soft_system(1);
        setup.values.set(VERSION, version);
        setup.values.set(PREVIEW_AS, preview);
        setup.colliders = vec![ColliderSetup::new(floor, ColliderShape::Plane)];
        setup.joints[0].colliders = vec![0];
        let mut world = World::build(&skeleton, &[setup]);
        run_steps(&mut world, &Pose::rest(&skeleton), 200);
        tip_position(&world, 0).y + 0.06
    };
    let near = |a: f32, b: f32| (a - b).abs() < 5e-3;
    assert!(near(reach(0.0, SPECIFICATION), 0.02) && near(reach(1.0, SPECIFICATION), 0.02));
    assert!(near(reach(0.0, UNIVRM), 0.02) && near(reach(1.0, UNIVRM), 0.04));
}

#[test]
fn a_step_without_positive_time_changes_nothing() {
    let skeleton = row_of_bones(4, Trs::IDENTITY);
    let mut world = World::build(&skeleton, &[soft_system(2)]);
    run_steps(&mut world, &Pose::rest(&skeleton), 10);
    let before = world.clone();
    for dt in [0.0, -1.0, f32::NAN] {
        world.step(&StepInput { pose: &Pose::rest(&skeleton), grab: None, dt });
        assert_eq!(world.pose(), before.pose());
        assert_eq!(tip_position(&world, 1), tip_position(&before, 1));
    }
}

#[test]
fn the_simulation_recovers_from_a_nan_pose() {
    let skeleton = row_of_bones(4, Trs::IDENTITY);
    for preview in [SPECIFICATION, UNIVRM, THREE_VRM] {
        let mut setup = soft_system(2);
        setup.values.set(PREVIEW_AS, preview);
        setup.vrm = vec![VrmJoint { center: Some(BoneId(0)), limit: None }; 2];
        let mut world = World::build(&skeleton, &[setup]);
        let mut broken = Pose::rest(&skeleton);
        broken.local[0].translation.x = f32::NAN;
        run_steps(&mut world, &broken, 3);
        assert!(tip_position(&world, 0).is_finite() && tip_position(&world, 1).is_finite(), "preview {preview}");
        run_steps(&mut world, &Pose::rest(&skeleton), 100);
        let hangs = tip_position(&world, 0);
        assert!(hangs.is_finite() && hangs.y < -0.05, "preview {preview}: {hangs}");
    }
}

#[test]
fn only_the_three_vrm_preview_ignores_angle_limits() {
    let skeleton = row_of_bones(4, Trs::IDENTITY);
    let limit = SwingLimit { shape: SwingShape::Cone { angle: 0.1 }, rotation: Quat::IDENTITY };
    let height = |preview: f32| {
        let mut setup = soft_system(2);
        setup.values.set(PREVIEW_AS, preview);
        setup.vrm = vec![VrmJoint { center: None, limit: Some(limit) }; 2];
        let mut world = World::build(&skeleton, &[setup]);
        run_steps(&mut world, &Pose::rest(&skeleton), 200);
        tip_position(&world, 0).y
    };
    assert!(height(SPECIFICATION) > -0.02 && height(UNIVRM) > -0.02);
    assert!(height(THREE_VRM) < -0.05, "three-vrm 3.5.5 has no limits");
}

#[test]
fn a_character_with_zero_scale_stays_finite() {
    let flat = Trs { scale: Vec3::new(1.0, 0.0, 1.0), ..Trs::IDENTITY };
    for root in [flat, Trs { scale: Vec3::ZERO, ..Trs::IDENTITY }] {
        let skeleton = row_of_bones(4, root);
        let mut setup = soft_system(2);
        setup.vrm = vec![VrmJoint { center: Some(BoneId(1)), limit: None }; 2];
        setup.colliders = vec![ColliderSetup::new(BoneId(0), ColliderShape::Plane)];
        setup.joints[0].colliders = vec![0];
        let mut world = World::build(&skeleton, &[setup]);
        run_steps(&mut world, &Pose::rest(&skeleton), 20);
        assert!(tip_position(&world, 1).is_finite());
        assert!(world.pose().local.iter().all(|local| local.is_finite()));
    }
}

#[test]
fn disabled_joints_keep_their_animated_pose() {
    let skeleton = row_of_bones(4, Trs::IDENTITY);
    let mut setup = soft_system(2);
    setup.joints[0].enabled = false;
    let mut world = World::build(&skeleton, &[setup]);
    let mut pose = Pose::rest(&skeleton);
    pose.local[1].rotation = Quat::from_rotation_z(0.4);
    run_steps(&mut world, &pose, 50);
    assert_eq!(world.pose().local[1].rotation, pose.local[1].rotation);
    world.reset(&pose);
    assert_eq!(world.pose().local[1].rotation, pose.local[1].rotation);
    assert_ne!(world.pose().local[2].rotation, Quat::from_rotation_z(0.4));
}

#[test]
fn a_disabled_joint_is_carried_by_its_center() {
    let skeleton = row_of_bones(4, Trs::IDENTITY);
    let mut setup = soft_system(2);
    setup.vrm = vec![VrmJoint { center: Some(BoneId(0)), limit: None }; 2];
    let mut world = World::build(&skeleton, std::slice::from_ref(&setup));
    let mut pose = Pose::rest(&skeleton);
    run_steps(&mut world, &pose, 300);
    let hanging = world.pose().local[1].rotation;
    let mut off = setup.clone();
    off.joints.iter_mut().for_each(|joint| joint.enabled = false);
    world.bake(&[off]);
    pose.local[1].rotation = hanging;
    pose.local[2].rotation = world.pose().local[2].rotation;
    for _ in 0..20 {
        pose.local[0].translation.z += 0.2;
        run_steps(&mut world, &pose, 1);
    }
    world.bake(&[setup]);
    run_steps(&mut world, &pose, 1);
    assert!(world.pose().local[1].rotation.angle_between(hanging) < 0.01, "the tip was four metres away");
}

fn document_and_skeleton() -> (Document, Skeleton) {
    let skeleton = row_of_bones(5, Trs::IDENTITY);
    let mut document = Document::with_solver(SolverKind::Vrm);
    let joints = (1..4).map(|i| Joint::new(BoneId(i))).collect();
    document
        .setup
        .chains
        .insert(ChainId(1), Chain::new("hair", ChainPart::Hair, document.main_system().param_defs(), joints));
    (document, skeleton)
}

#[test]
fn a_document_with_vrm_is_simulated_and_round_trips_through_a_project() {
    let (mut document, skeleton) = document_and_skeleton();
    for (i, shape) in ColliderShape::ALL.into_iter().take(6).enumerate() {
        let (helper, id) = (HelperId(i as u32 + 1), document.next_collider_id());
        let node = Helper {
            name: format!("node {i}"),
            parent: Node::Bone(BoneId(0)),
            local: Trs::from_translation(Vec3::NEG_Y * 5.0),
            role: HelperRole::Plain,
        };
        document.apply(Edit::PutHelper { id: helper, helper: Some(node) }).expect("a helper");
        let collider = Collider::new(format!("shape {i}"), Node::Helper(helper), shape);
        document.apply(Edit::PutCollider { id, collider: Some(collider) }).expect("a collider");
    }
    document
        .apply(Edit::SetSystemValue { system: SystemId::default(), param: PREVIEW_AS, value: THREE_VRM })
        .expect("a row");
    let bytes = project::write(&document, &skeleton, &ProjectMetadata::default());
    let (project, reported) = project::read(&bytes, "a.yure").expect("readable");
    assert_eq!(reported, []);
    let (again, reported) = project.into_document(&skeleton);
    assert_eq!(reported, []);
    assert_eq!(again, document);
    let resolved = again.resolve(&skeleton);
    let mut world = World::build(&resolved.skeleton, &resolved.systems);
    let mut pose = Pose::rest(&resolved.skeleton);
    pose.local[0].rotation = Quat::from_rotation_z(0.5);
    run_steps(&mut world, &pose, 1);
    assert_ne!(world.pose().local[1].rotation, Quat::IDENTITY, "the joints lag behind the root");
}

#[test]
fn a_new_chain_with_vrm_gets_the_starting_feel_of_its_part() {
    let (document, skeleton) = document_and_skeleton();
    let mut chain = document.chains[&ChainId(1)].clone();
    starting_feel::apply_starting_feel(&mut chain, &document, &skeleton);
    let at = |param: yuremono_sim::params::ParamId| chain.values[param.index()].base;
    let rest = WorldPose::from_pose(&skeleton, &Pose::rest(&skeleton));
    let length = measure::joint_length(&chain.joints[0], &skeleton, &rest);
    let values = VrmValues { stiffness: at(STIFFNESS), drag: at(DRAG), gravity_power: at(GRAVITY_POWER) };
    let (found, wanted) = (values.to_feel(length, STEP_SECONDS), starting_feel::starting_feel(ChainPart::Hair).feel);
    assert!((found.frequency_hz - wanted.frequency_hz).abs() < 0.02 * wanted.frequency_hz, "{found:?}");
    assert!((found.damping_ratio - wanted.damping_ratio).abs() < 0.02 * wanted.damping_ratio, "{found:?}");
    assert!(at(HIT_RADIUS) > 0.0);
}

#[test]
fn creating_pivots_with_vrm_adds_no_angle_limits() {
    let (document, skeleton) = document_and_skeleton();
    let Edit::Batch(edits) = create_pivots(&document, &skeleton, &[BoneId(1)]) else { return };
    assert!(!edits.iter().any(|edit| matches!(edit, Edit::SetOverride { .. })), "VRM has no such limits: {edits:?}");
}
