//! VRM spring bones beyond what the recordings show: previews, limits, odd set-ups, and what a document makes of them.

use glam::{Quat, Vec3};
use yuremono::document::pivot::create_pivots;
use yuremono::document::{
    Chain, ChainId, Collider, Document, Edit, Helper, HelperId, HelperRole, Joint, Node, Part, SystemId, measure,
};
use yuremono::feel::starting;
use yuremono::format::project::{self, Surroundings};
use yuremono::math::Trs;
use yuremono::rig::{Bone, BoneId, Pose, Skeleton, WorldPose};
use yuremono::schema::ParamSet;
use yuremono::sim::solver::vrm::{
    DRAG, GRAVITY_DIR, GRAVITY_POWER, HIT_RADIUS, MODEL_SCALE, PARAMS, PREVIEW_AS, STIFFNESS, VERSION,
};
use yuremono::sim::unify::VrmValues;
use yuremono::sim::{
    ColliderSetup, JointIndex, JointSetup, Shape, SolverKind, StepInput, SwingLimit, SwingShape, SystemSetup, TipSetup,
    VrmJoint, World,
};

const DT: f32 = 1.0 / 60.0;
const SPECIFICATION: f32 = 0.0;
const UNIVRM: f32 = 1.0;
const THREE_VRM: f32 = 2.0;

/// A root and below it a row of bones, each a tenth of a metre along +X.
fn row_of(bones: u32, root: Trs) -> Skeleton {
    let bone = |i: u32| Bone {
        name: format!("b{i}"),
        parent: i.checked_sub(1).map(BoneId),
        rest: if i == 0 { root } else { Trs::from_translation(Vec3::X * 0.1) },
    };
    Skeleton::new((0..bones).map(bone).collect()).expect("parents first")
}

fn joint(bone: u32, tip: TipSetup) -> JointSetup {
    JointSetup {
        bone: BoneId(bone),
        tip,
        values: ParamSet::defaults(PARAMS),
        pivot: None,
        length_targets: Vec::new(),
        colliders: Vec::new(),
        chain: 0,
        enabled: true,
        animated: false,
    }
}

/// Bones 1 to `joints`, each with the next as its tip, hanging down softly.
fn soft(joints: u32) -> SystemSetup {
    let mut setup = SystemSetup::new(SolverKind::Vrm, ParamSet::defaults(PARAMS));
    setup.joints = (1..=joints).map(|i| joint(i, TipSetup::Bones(vec![BoneId(i + 1)]))).collect();
    for (row, value) in [(STIFFNESS, 0.1), (GRAVITY_POWER, 0.5), (DRAG, 0.3), (HIT_RADIUS, 0.02)] {
        setup.joints.iter_mut().for_each(|j| _ = j.values.set(row, value));
    }
    setup
}

fn run(world: &mut World, pose: &Pose, ticks: u32) {
    for _ in 0..ticks {
        world.step(&StepInput { pose, hold: None, dt: DT });
    }
}

fn tip(world: &World, joint: u32) -> Vec3 {
    world.tip(JointIndex { system: 0, joint }).expect("a joint")
}

fn head(world: &World, bone: u32) -> Vec3 {
    world.frames().frame(BoneId(bone)).position
}

#[test]
fn nodes_that_a_spring_skips_are_taken_along_and_the_last_one_is_where_the_tip_is() {
    let mut skeleton = row_of(5, Trs::IDENTITY);
    let mut bones = skeleton.bones().to_vec();
    bones[2].rest.rotation = Quat::from_rotation_z(0.7);
    bones[3].rest.scale = Vec3::splat(1.5);
    skeleton = Skeleton::new(bones).expect("parents first");
    let mut setup = soft(1);
    setup.joints[0].tip = TipSetup::Bones(vec![BoneId(4)]);
    let mut world = World::build(&skeleton, &[setup]);
    run(&mut world, &Pose::rest(&skeleton), 100);
    let (tip, bone) = (tip(&world, 0), head(&world, 4));
    assert!(tip.distance(bone) < 1e-5, "the tip is at {tip}, its bone at {bone}");
    assert!(tip.y < -0.05, "it hangs: {tip}");
}

#[test]
fn a_leaf_swings_a_virtual_tip_seven_centimetres_further() {
    let skeleton = row_of(2, Trs::IDENTITY);
    let mut setup = soft(1);
    setup.joints[0].tip = TipSetup::Bones(Vec::new());
    let world = World::build(&skeleton, &[setup]);
    assert!((tip(&world, 0) - Vec3::X * 0.17).length() < 1e-6, "{}", tip(&world, 0));
}

/// How long the first bone is after the root has moved for some frames.
fn length_on_the_move(preview: f32) -> f32 {
    let skeleton = row_of(4, Trs::IDENTITY);
    let mut setup = soft(2);
    setup.values.set(PREVIEW_AS, preview);
    let mut world = World::build(&skeleton, &[setup]);
    let mut pose = Pose::rest(&skeleton);
    for _ in 0..30 {
        pose.local[0].translation.x -= 1.8 * DT;
        world.step(&StepInput { pose: &pose, hold: None, dt: DT });
    }
    tip(&world, 0).distance(head(&world, 1))
}

#[test]
fn three_vrm_stretches_bones_on_the_move_and_the_others_do_not() {
    assert!((length_on_the_move(SPECIFICATION) - 0.1).abs() < 1e-5);
    assert!((length_on_the_move(UNIVRM) - 0.1).abs() < 1e-5);
    let stretched = length_on_the_move(THREE_VRM);
    assert!(stretched > 0.115, "1.8 m/s make some two centimetres of ten: {stretched}");
}

/// Where one bone along +X comes to rest beside a shape that hangs from the root.
fn beside(shape: Shape, local: Trs, preview: f32) -> Vec3 {
    let mut skeleton = row_of(3, Trs::IDENTITY);
    let node = Bone { name: "shape".to_owned(), parent: Some(BoneId(0)), rest: local };
    let node = skeleton.push(node).expect("its parent stands before it");
    let mut setup = soft(1);
    setup.values.set(PREVIEW_AS, preview);
    setup.colliders = vec![ColliderSetup::new(node, shape)];
    setup.joints[0].colliders = vec![0];
    let mut world = World::build(&skeleton, &[setup]);
    run(&mut world, &Pose::rest(&skeleton), 200);
    assert!(tip(&world, 0).is_finite());
    tip(&world, 0)
}

#[test]
fn a_plane_holds_the_tip_and_only_the_specification_holds_the_length_too() {
    let floor = Trs {
        translation: Vec3::NEG_Y * 0.03,
        rotation: Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2),
        ..Trs::IDENTITY
    };
    let specified = beside(Shape::Plane, floor, SPECIFICATION);
    assert!(((specified - Vec3::X * 0.1).length() - 0.1).abs() < 1e-5, "{specified}");
    assert!((specified.y + 0.01).abs() < 5e-3, "the ball of 2 cm lies on the floor: {specified}");
    let univrm = beside(Shape::Plane, floor, UNIVRM);
    assert!((univrm.y + 0.01).abs() < 1e-6, "exactly, as nothing pulls it back: {univrm}");
}

#[test]
fn a_slanted_capsule_pushes_elsewhere_where_it_is_asked_at_the_head() {
    let slant = Trs { translation: Vec3::new(0.16, -0.2, 0.0), rotation: Quat::from_rotation_z(0.6), ..Trs::IDENTITY };
    let capsule = Shape::Capsule { radius: 0.05, height: 0.3, inside: false };
    let (specified, univrm) = (beside(capsule, slant, SPECIFICATION), beside(capsule, slant, UNIVRM));
    assert!(specified.distance(univrm) > 0.01, "{specified} and {univrm}");
}

#[test]
fn a_limit_holds_against_gravity_and_against_colliders() {
    let skeleton = row_of(3, Trs::IDENTITY);
    for shape in [
        SwingShape::Cone { angle: 0.3 },
        SwingShape::Hinge { angle: 0.3 },
        SwingShape::Spherical { pitch: 0.3, yaw: 0.3 },
    ] {
        let mut setup = soft(1);
        setup.joints[0].values.set(GRAVITY_DIR[2], 0.5);
        setup.vrm = vec![VrmJoint { center: None, limit: Some(SwingLimit { shape, rotation: Quat::IDENTITY }) }];
        setup.colliders = vec![ColliderSetup::new(BoneId(0), Shape::Sphere { radius: 0.19, inside: true })];
        setup.joints[0].colliders = vec![0];
        let mut world = World::build(&skeleton, &[setup]);
        for _ in 0..120 {
            run(&mut world, &Pose::rest(&skeleton), 1);
            let lean = (tip(&world, 0) - head(&world, 1)).angle_between(Vec3::X);
            let most = if matches!(shape, SwingShape::Spherical { .. }) { 0.3 * 2.0_f32.sqrt() } else { 0.3 };
            assert!(lean < most + 1e-3, "{shape:?} lets it lean by {lean}");
        }
    }
}

#[test]
fn a_model_scale_makes_a_larger_character_move_alike() {
    let moved = |scale: f32, preview: f32| {
        let root = Trs { scale: Vec3::splat(scale), ..Trs::IDENTITY };
        let skeleton = row_of(5, root);
        let mut setup = soft(3);
        setup.values.set(MODEL_SCALE, scale);
        setup.values.set(PREVIEW_AS, preview);
        setup.colliders =
            vec![ColliderSetup::new(BoneId(0), Shape::Capsule { radius: 0.25, height: 0.1, inside: true })];
        setup.joints.iter_mut().for_each(|j| j.colliders = vec![0]);
        let mut world = World::build(&skeleton, &[setup]);
        run(&mut world, &Pose::rest(&skeleton), 40);
        (0..3).map(|i| tip(&world, i) / scale).collect::<Vec<_>>()
    };
    for preview in [SPECIFICATION, UNIVRM] {
        for (a, b) in moved(1.0, preview).into_iter().zip(moved(3.0, preview)) {
            assert!(a.distance(b) < 1e-4, "{a} and {b}");
        }
    }
}

#[test]
fn hit_radii_follow_scale_in_univrm_for_vrm_0_only() {
    let reach = |version: f32, preview: f32| {
        let mut skeleton = row_of(3, Trs { scale: Vec3::splat(2.0), ..Trs::IDENTITY });
        let rest = Trs {
            translation: Vec3::NEG_Y * 0.03,
            rotation: Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2),
            ..Trs::IDENTITY
        };
        let floor = Bone { name: "floor".to_owned(), parent: Some(BoneId(0)), rest };
        let floor = skeleton.push(floor).expect("its parent stands before it");
        let mut setup = soft(1);
        setup.values.set(VERSION, version);
        setup.values.set(PREVIEW_AS, preview);
        setup.colliders = vec![ColliderSetup::new(floor, Shape::Plane)];
        setup.joints[0].colliders = vec![0];
        let mut world = World::build(&skeleton, &[setup]);
        run(&mut world, &Pose::rest(&skeleton), 200);
        tip(&world, 0).y + 0.06
    };
    let near = |a: f32, b: f32| (a - b).abs() < 5e-3;
    assert!(near(reach(0.0, SPECIFICATION), 0.02) && near(reach(1.0, SPECIFICATION), 0.02));
    assert!(near(reach(0.0, UNIVRM), 0.02) && near(reach(1.0, UNIVRM), 0.04));
}

#[test]
fn a_frame_without_time_changes_nothing() {
    let skeleton = row_of(4, Trs::IDENTITY);
    let mut world = World::build(&skeleton, &[soft(2)]);
    run(&mut world, &Pose::rest(&skeleton), 10);
    let before = world.clone();
    for dt in [0.0, -1.0, f32::NAN] {
        world.step(&StepInput { pose: &Pose::rest(&skeleton), hold: None, dt });
        assert_eq!(world.pose(), before.pose());
        assert_eq!(tip(&world, 1), tip(&before, 1));
    }
}

#[test]
fn a_pose_that_is_no_number_is_forgotten_when_it_is_over() {
    let skeleton = row_of(4, Trs::IDENTITY);
    for preview in [SPECIFICATION, UNIVRM, THREE_VRM] {
        let mut setup = soft(2);
        setup.values.set(PREVIEW_AS, preview);
        setup.vrm = vec![VrmJoint { center: Some(BoneId(0)), limit: None }; 2];
        let mut world = World::build(&skeleton, &[setup]);
        let mut broken = Pose::rest(&skeleton);
        broken.local[0].translation.x = f32::NAN;
        run(&mut world, &broken, 3);
        assert!(tip(&world, 0).is_finite() && tip(&world, 1).is_finite(), "preview {preview}");
        run(&mut world, &Pose::rest(&skeleton), 100);
        let hangs = tip(&world, 0);
        assert!(hangs.is_finite() && hangs.y < -0.05, "preview {preview}: {hangs}");
    }
}

#[test]
fn a_squashed_character_swings_on_without_a_number_that_is_none() {
    let flat = Trs { scale: Vec3::new(1.0, 0.0, 1.0), ..Trs::IDENTITY };
    for root in [flat, Trs { scale: Vec3::ZERO, ..Trs::IDENTITY }] {
        let skeleton = row_of(4, root);
        let mut setup = soft(2);
        setup.vrm = vec![VrmJoint { center: Some(BoneId(1)), limit: None }; 2];
        setup.colliders = vec![ColliderSetup::new(BoneId(0), Shape::Plane)];
        setup.joints[0].colliders = vec![0];
        let mut world = World::build(&skeleton, &[setup]);
        run(&mut world, &Pose::rest(&skeleton), 20);
        assert!(tip(&world, 1).is_finite());
        assert!(world.pose().local.iter().all(|local| local.is_finite()));
    }
}

#[test]
fn joints_that_are_off_keep_their_pose() {
    let skeleton = row_of(4, Trs::IDENTITY);
    let mut setup = soft(2);
    setup.joints[0].enabled = false;
    let mut world = World::build(&skeleton, &[setup]);
    let mut pose = Pose::rest(&skeleton);
    pose.local[1].rotation = Quat::from_rotation_z(0.4);
    run(&mut world, &pose, 50);
    assert_eq!(world.pose().local[1].rotation, pose.local[1].rotation);
    world.reset(&pose);
    assert_eq!(world.pose().local[1].rotation, pose.local[1].rotation);
    assert_ne!(world.pose().local[2].rotation, Quat::from_rotation_z(0.4));
}

#[test]
fn a_joint_that_comes_on_again_has_been_carried_by_its_center_all_the_while() {
    let skeleton = row_of(4, Trs::IDENTITY);
    let mut setup = soft(2);
    setup.vrm = vec![VrmJoint { center: Some(BoneId(0)), limit: None }; 2];
    let mut world = World::build(&skeleton, std::slice::from_ref(&setup));
    let mut pose = Pose::rest(&skeleton);
    run(&mut world, &pose, 300);
    let hung = world.pose().local[1].rotation;
    let mut off = setup.clone();
    off.joints.iter_mut().for_each(|joint| joint.enabled = false);
    world.bake(&[off]);
    pose.local[1].rotation = hung;
    pose.local[2].rotation = world.pose().local[2].rotation;
    for _ in 0..20 {
        pose.local[0].translation.z += 0.2;
        run(&mut world, &pose, 1);
    }
    world.bake(&[setup]);
    run(&mut world, &pose, 1);
    assert!(world.pose().local[1].rotation.angle_between(hung) < 0.01, "its tip was left four metres behind");
}

fn document() -> (Document, Skeleton) {
    let skeleton = row_of(5, Trs::IDENTITY);
    let mut document = Document::under(SolverKind::Vrm);
    let joints = (1..4).map(|i| Joint::new(BoneId(i))).collect();
    document.setup.chains.insert(ChainId(1), Chain::new("hair", Part::Hair, document.main().table(), joints));
    (document, skeleton)
}

#[test]
fn a_document_under_vrm_moves_and_comes_back_from_its_project() {
    let (mut document, skeleton) = document();
    for (i, shape) in Shape::ALL.into_iter().take(6).enumerate() {
        let (helper, id) = (HelperId(i as u32 + 1), document.fresh_collider());
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
    document.apply(Edit::SetSystem { system: SystemId::default(), row: PREVIEW_AS, value: THREE_VRM }).expect("a row");
    let bytes = project::write(&document, &skeleton, &Surroundings::default());
    let (project, said) = project::read(&bytes, "a.yure").expect("readable");
    assert_eq!(said, []);
    let (again, said) = project.into_document(&skeleton);
    assert_eq!(said, []);
    assert_eq!(again, document);
    let resolved = again.resolve(&skeleton);
    let mut world = World::build(&resolved.skeleton, &resolved.systems);
    let mut pose = Pose::rest(&resolved.skeleton);
    pose.local[0].rotation = Quat::from_rotation_z(0.5);
    run(&mut world, &pose, 1);
    assert_ne!(world.pose().local[1].rotation, Quat::IDENTITY, "its joints lag behind the root");
}

#[test]
fn a_new_chain_under_vrm_begins_with_the_feel_of_its_part() {
    let (document, skeleton) = document();
    let mut chain = document.chains[&ChainId(1)].clone();
    starting::apply_starting_feel(&mut chain, &document, &skeleton);
    let at = |row: yuremono::schema::Row| chain.values[row.index()].base;
    let rest = WorldPose::of(&skeleton, &Pose::rest(&skeleton));
    let length = measure::joint_length(&chain.joints[0], &skeleton, &rest);
    let values = VrmValues { stiffness: at(STIFFNESS), drag: at(DRAG), gravity_power: at(GRAVITY_POWER) };
    let (found, wanted) = (values.feel(length, DT), starting::starting_feel(Part::Hair).feel);
    assert!((found.frequency_hz - wanted.frequency_hz).abs() < 0.02 * wanted.frequency_hz, "{found:?}");
    assert!((found.damping_ratio - wanted.damping_ratio).abs() < 0.02 * wanted.damping_ratio, "{found:?}");
    assert!(at(HIT_RADIUS) > 0.0);
}

#[test]
fn pivots_under_vrm_come_without_limits() {
    let (document, skeleton) = document();
    let Edit::Batch(edits) = create_pivots(&document, &skeleton, &[BoneId(1)]) else { return };
    assert!(!edits.iter().any(|edit| matches!(edit, Edit::SetOwn { .. })), "VRM has no such limits: {edits:?}");
}
