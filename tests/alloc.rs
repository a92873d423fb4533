//! Tests that a step allocates nothing and that malicious files allocate little. A counting allocator measures both, so
//! the tests need a separate test binary.

#![expect(unsafe_code, reason = "an allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use yuremono_format::open;
use yuremono_session::{Command, CompareWith, Motion, Session, SweepSettings, SweepSubject, TICK_SECONDS};
use yuremono_sim::params::{ParamId, ParamKind, ParamSet, enumerate_params};
use yuremono_sim::rig::TestMotion;
use yuremono_sim::rig::{BoneId, Pose};
use yuremono_sim::solver::anim_dynamics as anim;
use yuremono_sim::solver::spring_bone::{BONE_SHAPE, FADE_IN, MODE, PARAMS, SIMULATION_FRAME_RATE, WARM_UP};
use yuremono_sim::solver::{dynamic_bone, ez_soft_bone, hinge, joint_dynamics, kawaii, pbd_spring_bone, vrm};
use yuremono_sim::{
    BoneConstraint, ColliderShape, ConvexHull, EzCollider, EzForceField, FeelParam, ForceKind, ForceSetup, GrabTarget,
    Grabber, JointDynamicsPoint, JointGrab, JointIndex, LengthTarget, SolverKind, StepInput, SwingLimit, SwingShape,
    SyncBone, SyncTarget, SystemSetup, Turbulence, VrmJoint, Wind, World,
};

thread_local! {
    static ALLOCATION_COUNT: Cell<u64> = const { Cell::new(0) };
}

/// The bytes that all threads currently have allocated, and the maximum since the last reset.
static LIVE_BYTES: AtomicUsize = AtomicUsize::new(0);
static PEAK_BYTES: AtomicUsize = AtomicUsize::new(0);

fn add_live_bytes(bytes: usize) {
    let live = LIVE_BYTES.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK_BYTES.fetch_max(live, Ordering::Relaxed);
}

fn subtract_live_bytes(bytes: usize) {
    LIVE_BYTES.fetch_sub(bytes, Ordering::Relaxed);
}

struct CountingAllocator;

// SAFETY: every call is forwarded unchanged to the system allocator; counting only changes counters.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_allocation();
        add_live_bytes(layout.size());
        // SAFETY: the caller guarantees the system allocator's requirements.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        subtract_live_bytes(layout.size());
        // SAFETY: the caller guarantees the system allocator's requirements.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count_allocation();
        add_live_bytes(size);
        subtract_live_bytes(layout.size());
        // SAFETY: the caller guarantees the system allocator's requirements.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn count_allocation() {
    // While a thread exits, its counter is already destroyed.
    let _ = ALLOCATION_COUNT.try_with(|n| n.set(n.get() + 1));
}

/// Returns how often `f` allocates.
fn count_allocations(f: impl FnOnce()) -> u64 {
    let before = ALLOCATION_COUNT.get();
    f();
    ALLOCATION_COUNT.get() - before
}

/// Returns a world of the bundled character, after `alter` has changed its system.
fn sample_world(alter: impl FnOnce(&mut SystemSetup)) -> (World, Pose, JointIndex) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample.vrm");
    let opened = open::character(&path, &|_| true)
        .expect("the bundled character loads")
        .converted_to(SolverKind::UnityChanSpringBone);
    let mut resolved = opened.document.resolve(&opened.character.skeleton);
    alter(&mut resolved.systems[0]);
    let world = World::build(&resolved.skeleton, &resolved.systems);
    assert!(resolved.joint_refs[0].len() > 50 && !resolved.systems[0].colliders.is_empty());
    (world, Pose::rest(&resolved.skeleton), JointIndex { system: 0, joint: 2 })
}

#[test]
fn allocations_are_counted() {
    assert!(count_allocations(|| drop(std::hint::black_box(vec![1_u8; 100]))) > 0);
}

/// Returns what the pointer holds in one of 120 ticks: nothing, then a tip, then a joint that points in a direction.
fn grab_in_tick(tick: u8, joint: JointIndex, target: glam::Vec3) -> Option<JointGrab> {
    let target = if tick > 90 { GrabTarget::Direction(glam::Vec3::X) } else { GrabTarget::Tip(target) };
    (tick > 60).then_some(JointGrab { joint, target })
}

/// Checks that no step and no reset allocates, without and with a probe. The root moves, and a joint is held during
/// the second half of the steps.
#[track_caller]
fn check_steps_allocate_nothing((mut world, mut pose, joint): (World, Pose, JointIndex)) {
    let root = BoneId(0);
    let target = world.tip(joint).expect("a joint") + glam::Vec3::X * 0.1;
    for probed in [false, true] {
        world.set_probed(probed);
        let counted = count_allocations(|| {
            for tick in 0..120_u8 {
                pose.local[root.index()].translation.x = libm::sinf(f32::from(tick) * 0.1) * 0.2;
                let grab = grab_in_tick(tick, joint, target);
                world.step(&StepInput { pose: &pose, grab, dt: 1.0 / 60.0 });
                assert_eq!(world.tip_parts(joint).is_some(), probed);
            }
        });
        assert_eq!(counted, 0, "probed: {probed}");
        assert_eq!(count_allocations(|| world.reset(&pose)), 0, "probed: {probed}");
    }
}

#[test]
fn a_session_in_motion_allocates_nothing_once_ten_seconds_are_recorded() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample.vrm");
    let opened = open::character(&path, &|_| true).expect("the bundled character loads");
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Turn)));
    session.handle(Command::SetPlaying(true));
    let mut play = |ticks: u32| (0..ticks).for_each(|_| session.advance(TICK_SECONDS));
    play(700);
    assert_eq!(count_allocations(|| play(200)), 0);
    assert!(session.playback().recent_motion().ticks().start > 0, "the recording is full");
}

/// Returns how often 60 ticks of a session allocate after a warm-up.
fn count_session_allocations(change: impl FnOnce(&mut Session)) -> u64 {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample.vrm");
    let opened = open::character(&path, &|_| true).expect("the bundled character loads");
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Turn)));
    session.handle(Command::SetPlaying(true));
    change(&mut session);
    let run = |session: &mut Session, ticks| (0..ticks).for_each(|_| session.advance(TICK_SECONDS));
    // The recording of the last ten seconds allocates until it is full.
    run(&mut session, 700);
    count_allocations(|| run(&mut session, 60))
}

#[test]
fn compared_worlds_allocate_nothing_in_a_tick() {
    let alone = count_session_allocations(|_| {});
    let with_ghost = count_session_allocations(|session| {
        session.handle(Command::SetFeel(FeelParam::Speed, 1.0));
        session.handle(Command::Compare(Box::new(CompareWith::AsLoaded)));
        assert!(!session.body_copies().is_empty());
    });
    let with_variants = count_session_allocations(|session| {
        let subject = SweepSubject::Feel(FeelParam::Speed);
        session.handle(Command::StartSweep(SweepSettings { subject, low: 1.0, high: 4.0, count: 7 }));
        assert_eq!(session.body_copies().len(), 6);
    });
    assert_eq!([with_ghost, with_variants], [alone; 2]);
}

/// Adds wind and length targets.
fn add_wind_and_length_targets(setup: &mut SystemSetup) {
    let kind = ForceKind::Wind(Wind { weight: 1.0, strength: 10.0, ..Wind::default() });
    setup.forces.push(ForceSetup { bone: BoneId(0), kind, enabled: true });
    for joint in &mut setup.joints {
        joint.length_targets.push(LengthTarget { bone: BoneId(0), stiffness: None });
    }
}

#[test]
fn a_unity_accurate_spring_bone_step_allocates_nothing() {
    check_steps_allocate_nothing(sample_world(|_| {}));
    check_steps_allocate_nothing(sample_world(add_wind_and_length_targets));
}

#[test]
fn an_improved_spring_bone_step_allocates_nothing() {
    check_steps_allocate_nothing(sample_world(|setup| {
        add_wind_and_length_targets(setup);
        for (param, _) in enumerate_params(PARAMS).filter(|(_, def)| def.extension && def.kind == ParamKind::Toggle) {
            setup.values.set(param, 1.0);
        }
        for (param, value) in [(MODE, 1.0), (WARM_UP, 20.0), (FADE_IN, 1.0), (SIMULATION_FRAME_RATE, 130.0)] {
            setup.values.set(param, value);
        }
        for (i, joint) in setup.joints.iter_mut().enumerate() {
            joint.values.set(BONE_SHAPE, (i % 3) as f32);
        }
    }));
}

/// Returns the bundled character with the VRM solver, a center, a limit and every collider shape.
fn sample_with_vrm(preview: f32) -> (World, Pose, JointIndex) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample.vrm");
    let opened = open::character(&path, &|_| true)
        .expect("the bundled character loads")
        .converted_to(SolverKind::UnityChanSpringBone);
    let resolved = opened.document.resolve(&opened.character.skeleton);
    let mut setup = resolved.systems[0].clone();
    let mut values = ParamSet::defaults(vrm::PARAMS);
    values.set(vrm::PREVIEW_AS, preview);
    values.set(vrm::HIT_RADIUS, 0.02);
    setup.solver = SolverKind::Vrm;
    setup.joints.iter_mut().for_each(|joint| joint.values = values.clone());
    for (i, shape) in ColliderShape::ALL.into_iter().take(6).enumerate() {
        setup.colliders[i].shape = shape;
    }
    let limit = SwingLimit { shape: SwingShape::Cone { angle: 0.3 }, rotation: glam::Quat::IDENTITY };
    setup.vrm = vec![VrmJoint { center: Some(BoneId(0)), limit: Some(limit) }; setup.joints.len()];
    setup.values = values;
    (World::build(&resolved.skeleton, &[setup]), Pose::rest(&resolved.skeleton), JointIndex { system: 0, joint: 2 })
}

#[test]
fn a_vrm_step_allocates_nothing() {
    for preview in [0.0, 1.0, 2.0] {
        let (mut world, mut pose, joint) = sample_with_vrm(preview);
        let target = world.tip(joint).expect("a joint") + glam::Vec3::X * 0.1;
        let counted = count_allocations(|| {
            for tick in 0..120_u8 {
                pose.local[0].translation.x = libm::sinf(f32::from(tick) * 0.1) * 0.2;
                let grab = grab_in_tick(tick, joint, target);
                world.step(&StepInput { pose: &pose, grab, dt: 1.0 / 60.0 });
            }
        });
        assert_eq!(counted, 0);
        assert_eq!(count_allocations(|| world.set_rest_pose(&pose)), 0);
        assert_eq!(count_allocations(|| world.reset(&pose)), 0);
    }
}

/// Returns the bundled character with another solver.
fn sample_with_solver(
    kind: SolverKind,
    system: &[(ParamId, f32)],
    shapes: &[ColliderShape],
) -> (World, Pose, JointIndex) {
    sample_world(|setup| {
        let values = ParamSet::defaults(kind.info().params);
        setup.solver = kind;
        setup.joints.iter_mut().for_each(|joint| joint.values = values.clone());
        setup.values = values;
        for (param, value) in system {
            setup.values.set(*param, *value);
        }
        shapes.iter().zip(&mut setup.colliders).for_each(|(shape, collider)| collider.shape = *shape);
    })
}

#[test]
fn a_pbd_spring_bone_step_allocates_nothing() {
    let shapes: Vec<_> = ColliderShape::ALL.into_iter().collect();
    let ways = [
        &[][..],
        &[(pbd_spring_bone::NO_ANIMATOR, 1.0), (pbd_spring_bone::FOLLOW_SCALE, 1.0)],
        &[(pbd_spring_bone::ITERATIONS, 4.0), (pbd_spring_bone::COLLIDE_WITH_GROUND, 1.0)],
        &[(pbd_spring_bone::STEPS_PER_SECOND, 150.0)],
    ];
    for system in ways {
        check_steps_allocate_nothing(sample_with_solver(SolverKind::PbdSpringBone, system, &shapes));
    }
}

#[test]
fn a_hinge_step_allocates_nothing() {
    for variant in [0.0, 1.0, 2.0] {
        check_steps_allocate_nothing(sample_with_solver(
            SolverKind::Hinge,
            &[(hinge::VARIANT, variant), (hinge::PHYSICAL, variant % 2.0)],
            &[],
        ));
    }
}

/// Returns the bundled character with `DynamicBone`, every collider shape and a disabled joint.
fn sample_with_dynamic_bone(mode: f32, code: f32) -> (World, Pose, JointIndex) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample.vrm");
    let opened = open::character(&path, &|_| true)
        .expect("the bundled character loads")
        .converted_to(SolverKind::UnityChanSpringBone);
    let resolved = opened.document.resolve(&opened.character.skeleton);
    let mut setup = resolved.systems[0].clone();
    let mut values = ParamSet::defaults(dynamic_bone::PARAMS);
    let numbers = [
        (dynamic_bone::UPDATE_MODE, mode),
        (dynamic_bone::RUN_AS, code),
        (dynamic_bone::UPDATE_RATE, 90.0),
        (dynamic_bone::END_LENGTH, 0.5),
        (dynamic_bone::FREEZE_AXIS, 2.0),
        (dynamic_bone::RADIUS, 0.02),
    ];
    for (param, value) in numbers {
        values.set(param, value);
    }
    setup.solver = SolverKind::DynamicBone;
    setup.joints.iter_mut().for_each(|joint| joint.values = values.clone());
    setup.joints[4].enabled = false;
    let shapes = ColliderShape::ALL.into_iter();
    setup.colliders.iter_mut().zip(shapes.cycle()).for_each(|(collider, shape)| collider.shape = shape);
    setup.values = values;
    (World::build(&resolved.skeleton, &[setup]), Pose::rest(&resolved.skeleton), JointIndex { system: 0, joint: 2 })
}

#[test]
fn a_dynamic_bone_step_allocates_nothing() {
    for (mode, code) in [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0)] {
        check_steps_allocate_nothing(sample_with_dynamic_bone(mode, code));
    }
}

/// Returns the bundled character with `EZSoftBone`, siblings, wind, a simulation space and a mesh collider.
fn sample_with_ez_soft_bone(noise: bool) -> (World, Pose, JointIndex) {
    sample_world(|setup| {
        let mut values = ParamSet::defaults(ez_soft_bone::PARAMS);
        let rows = [
            (ez_soft_bone::RADIUS, 0.02),
            (ez_soft_bone::SIBLING_CONSTRAINTS, 2.0),
            (ez_soft_bone::CLOSED_SIBLINGS, 1.0),
            (ez_soft_bone::ITERATIONS, 3.0),
        ];
        for (param, value) in rows {
            values.set(param, value);
        }
        setup.solver = SolverKind::EzSoftBone;
        setup.joints.iter_mut().for_each(|joint| joint.values = values.clone());
        setup.values = values;
        for (i, shape) in ColliderShape::ALL.into_iter().enumerate() {
            let at = i % setup.colliders.len();
            setup.colliders[at].shape = shape;
        }
        let points = vec![glam::Vec3::ZERO, glam::Vec3::X, glam::Vec3::Y, glam::Vec3::Z];
        let hull = ConvexHull::new(points, vec![[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]);
        setup.ez_soft_bone.colliders = vec![EzCollider { margin: 0.01, hull: Some(hull) }];
        setup.ez_soft_bone.simulate_space = Some(BoneId(0));
        setup.ez_soft_bone.gravity_aligner = Some(BoneId(1));
        let mut field = EzForceField::new(BoneId(1));
        if !noise {
            field.mode = Turbulence::default_curves();
        }
        setup.ez_soft_bone.force_field = Some(field);
    })
}

#[test]
fn an_ez_soft_bone_step_allocates_nothing() {
    check_steps_allocate_nothing(sample_with_ez_soft_bone(true));
    check_steps_allocate_nothing(sample_with_ez_soft_bone(false));
}

/// Returns the bundled character as one `SPCRJointDynamics` network with every feature of the solver enabled.
fn sample_with_joint_dynamics() -> (World, Pose, JointIndex) {
    use joint_dynamics::{LIMIT_ANGLE, LOOP, PARAMS, SUB_STEPS, SURFACE, USE_ANGLES, WAVE};
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample.vrm");
    let opened = open::character(&path, &|_| true)
        .expect("the bundled character loads")
        .converted_to(SolverKind::UnityChanSpringBone);
    let resolved = opened.document.resolve(&opened.character.skeleton);
    let mut setup = resolved.systems[0].clone();
    let mut values = ParamSet::defaults(PARAMS);
    for (param, value) in
        [(LOOP, 1.0), (SURFACE, 1.0), (SUB_STEPS, 2.0), (USE_ANGLES, 1.0), (LIMIT_ANGLE, 40.0), (WAVE, 1.0)]
    {
        values.set(param, value);
    }
    for param in joint_dynamics::COMPUTE {
        values.set(param, 1.0);
    }
    setup.solver = SolverKind::JointDynamics;
    setup.joints.iter_mut().for_each(|joint| joint.values = values.clone());
    let shapes = ColliderShape::ALL.into_iter();
    for (collider, shape) in setup.colliders.iter_mut().zip(shapes.cycle()) {
        collider.shape = shape;
    }
    let point = JointDynamicsPoint { radius: 0.01, movable_limit_radius: 0.2, ..JointDynamicsPoint::default() };
    setup.joint_dynamics.points = vec![point; setup.joints.len()];
    setup.joint_dynamics.grabbers = vec![Grabber { bone: BoneId(0), radius: 1.0, force: 0.1, enabled: true }];
    setup.joint_dynamics.planes = vec![BoneId(0)];
    setup.values = values;
    let world = World::build(&resolved.skeleton, &[setup]);
    // The buffers of a cloned world have no spare capacity, so stepping a clone is the stricter test.
    (world.clone(), Pose::rest(&resolved.skeleton), JointIndex { system: 0, joint: 2 })
}

#[test]
fn a_joint_dynamics_step_allocates_nothing() {
    check_steps_allocate_nothing(sample_with_joint_dynamics());
}

/// Returns the bundled character with KawaiiPhysics and all component lists.
fn sample_with_kawaii(fixed: f32) -> (World, Pose, JointIndex) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample.vrm");
    let opened = open::character(&path, &|_| true)
        .expect("the bundled character loads")
        .converted_to(SolverKind::UnityChanSpringBone);
    let resolved = opened.document.resolve(&opened.character.skeleton);
    let mut setup = resolved.systems[0].clone();
    let mut values = ParamSet::defaults(kawaii::PARAMS);
    for (param, value) in [
        (kawaii::params::USE_FIXED_SUBSTEPPING, fixed),
        (kawaii::params::ENABLE_WIND, 1.0),
        (kawaii::params::WIND_ENABLED, 1.0),
        (kawaii::params::CONSTANT_FORCE, 0.2),
        (kawaii::params::DUMMY_BONE_LENGTH, 0.05),
        (kawaii::params::SUBDIVISION_COUNT, 2.0),
        (kawaii::params::BRIDGE_COUNT, 2.0),
        (kawaii::params::WARM_UP_FRAMES, 5.0),
        (kawaii::params::NEED_WARM_UP, 1.0),
        (kawaii::params::RADIUS, 0.01),
    ] {
        values.set(param, value);
    }
    setup.solver = SolverKind::KawaiiPhysics;
    setup.joints.iter_mut().for_each(|joint| joint.values = values.clone());
    for (i, shape) in ColliderShape::ALL.into_iter().enumerate() {
        let at = i % setup.colliders.len();
        setup.colliders[at].shape = shape;
    }
    add_wind_and_length_targets(&mut setup);
    let bones: Vec<BoneId> = setup.joints.iter().map(|joint| joint.bone).collect();
    setup.kawaii.constraints = bones.windows(2).map(|pair| BoneConstraint::new([pair[0], pair[1]])).collect();
    let targets = bones.iter().map(|bone| SyncTarget { bone: *bone, scale: 0.1 }).collect();
    setup.kawaii.sync_bones = vec![SyncBone::new(BoneId(0), targets)];
    setup.values = values;
    (World::build(&resolved.skeleton, &[setup]), Pose::rest(&resolved.skeleton), JointIndex { system: 0, joint: 2 })
}

#[test]
fn a_kawaii_physics_step_allocates_nothing() {
    for fixed in [0.0, 1.0] {
        check_steps_allocate_nothing(sample_with_kawaii(fixed));
    }
}

/// Returns the bundled character with `AnimDynamics`, springs, limits, free play, shapes and wind.
fn sample_with_anim_dynamics(substeps: f32) -> (World, Pose, JointIndex) {
    sample_world(|setup| {
        add_wind_and_length_targets(setup);
        let mut values = ParamSet::defaults(anim::PARAMS);
        let on = [anim::ANGULAR_SPRING, anim::LINEAR_SPRING, anim::ANGULAR_SPRING_CONSTANT, anim::COLLISION_TYPE];
        for param in on {
            values.set(param, 1.0);
        }
        values.set(anim::LOCAL_JOINT_OFFSET[1], 0.02);
        values.set(anim::SIMULATION_SPACE, 4.0);
        values.set(anim::SUBSTEP_RATE, substeps);
        setup.solver = SolverKind::AnimDynamics;
        for (i, joint) in setup.joints.iter_mut().enumerate() {
            joint.values = values.clone();
            joint.values.set(anim::ANGULAR_CONSTRAINT_TYPE, (i % 2) as f32);
            joint.values.set(anim::ANGULAR_LIMITS_MAX[1], 20.0);
            joint.values.set(anim::LINEAR_AXES_MAX[0], (i % 3) as f32 * 0.01);
        }
        for (i, shape) in ColliderShape::ALL.into_iter().take(6).enumerate() {
            setup.colliders[i].shape = shape;
        }
        setup.values = values;
    })
}

#[test]
fn an_anim_dynamics_step_allocates_nothing() {
    check_steps_allocate_nothing(sample_with_anim_dynamics(0.0));
    check_steps_allocate_nothing(sample_with_anim_dynamics(150.0));
}

#[test]
fn a_huge_compressed_color_profile_is_not_decompressed() {
    use std::io::Write as _;
    const INFLATED: usize = 256 << 20;
    let mut zipped = flate2::write::ZlibEncoder::new(b"profile\0\0".to_vec(), flate2::Compression::fast());
    let zeros = vec![0; 1 << 20];
    (0..INFLATED / zeros.len()).for_each(|_| zipped.write_all(&zeros).expect("writing to memory cannot fail"));
    let profile = zipped.finish().expect("writing to memory cannot fail");
    let mut crc = flate2::Crc::new();
    crc.update(b"iCCP");
    crc.update(&profile);
    let length = u32::try_from(profile.len()).expect("a short chunk");
    let chunk = [&length.to_be_bytes(), &b"iCCP"[..], &profile, &crc.sum().to_be_bytes()].concat();
    let mut png = Vec::new();
    image::RgbaImage::new(2, 2)
        .write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png)
        .expect("encodes");
    png.splice(33..33, chunk);
    let json = serde_json::json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "uri": "points.bin", "byteLength": 36 }],
        "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3 }],
        "images": [{ "uri": "bomb.png" }],
        "textures": [{ "source": 0 }],
        "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "material": 0 }] }],
        "nodes": [{ "mesh": 0 }],
        "scenes": [{ "nodes": [0] }],
    });
    let json = json.to_string();
    let sibling = |name: &str| Ok(if name == "bomb.png" { png.clone() } else { vec![0; 36] });
    let source =
        yuremono_format::source::SourceFile { name: "bomb.gltf", bytes: json.as_bytes(), read_sibling: &sibling };
    PEAK_BYTES.store(LIVE_BYTES.load(Ordering::Relaxed), Ordering::Relaxed);
    let before = LIVE_BYTES.load(Ordering::Relaxed);
    let loaded = yuremono_format::gltf::read(&source, &|_| true).expect("a character");
    let most = PEAK_BYTES.load(Ordering::Relaxed).saturating_sub(before);
    assert_eq!(loaded.character.images[0].rgba, [0; 16]);
    assert!(most < INFLATED / 2, "{} MiB were allocated", most >> 20);
}
