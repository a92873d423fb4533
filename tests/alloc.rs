//! A step allocates nothing: counted by an allocator of its own, hence a test binary of its own.
#![expect(unsafe_code, reason = "an allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;
use yuremono::format::open;
use yuremono::rig::{BoneId, Pose};
use yuremono::schema::{Kind, ParamSet, SolverKind, rows};
use yuremono::sim::solver::anim_dynamics as anim;
use yuremono::sim::solver::spring_bone::{BONE_SHAPE, FADE_IN, PARAMS, SIMULATION_FRAME_RATE, WARM_UP, WAY};
use yuremono::sim::solver::vrm;
use yuremono::sim::{
    ForceKind, ForceSetup, Hold, JointIndex, LengthTarget, Shape, StepInput, SwingLimit, SwingShape, SystemSetup,
    VrmJoint, Wind, World,
};

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged; counting touches a plain number of this thread.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count() {
    // A thread that is ending has no number left to count in.
    let _ = COUNT.try_with(|n| n.set(n.get() + 1));
}

/// How often `f` allocates.
fn allocations(f: impl FnOnce()) -> u64 {
    let before = COUNT.get();
    f();
    COUNT.get() - before
}

/// The bundled character after something was done to its system.
fn sample(alter: impl FnOnce(&mut SystemSetup)) -> (World, Pose, JointIndex) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample.vrm");
    let opened = open::character(&path, &|_| true).expect("the bundled character loads");
    let mut resolved = opened.document.resolve(&opened.character.skeleton);
    alter(&mut resolved.systems[0]);
    let world = World::build(&resolved.skeleton, &resolved.systems);
    assert!(resolved.joints[0].len() > 50 && !resolved.systems[0].colliders.is_empty());
    (world, Pose::rest(&resolved.skeleton), JointIndex { system: 0, joint: 2 })
}

#[test]
fn the_counter_counts() {
    assert!(allocations(|| drop(std::hint::black_box(vec![1_u8; 100]))) > 0);
}

/// Counts over steps of a root that moves, with a tip held in the second half, and over a reset.
#[track_caller]
fn check((mut world, mut pose, joint): (World, Pose, JointIndex)) {
    let root = BoneId(0);
    let target = world.tip(joint).expect("a joint") + glam::Vec3::X * 0.1;
    let counted = allocations(|| {
        for tick in 0..120_u8 {
            pose.local[root.index()].translation.x = (f32::from(tick) * 0.1).sin() * 0.2;
            let hold = (tick > 60).then_some(Hold { joint, target });
            world.step(&StepInput { pose: &pose, hold, dt: 1.0 / 60.0 });
        }
    });
    assert_eq!(counted, 0);
    assert_eq!(allocations(|| world.reset(&pose)), 0);
}

/// Wind, and lengths to keep.
fn furnish(setup: &mut SystemSetup) {
    let kind = ForceKind::Wind(Wind { weight: 1.0, strength: 10.0, ..Wind::default() });
    setup.forces.push(ForceSetup { bone: BoneId(0), kind, enabled: true });
    for joint in &mut setup.joints {
        joint.length_targets.push(LengthTarget { bone: BoneId(0), constant: None });
    }
}

#[test]
fn a_step_allocates_nothing() {
    check(sample(|_| {}));
    check(sample(furnish));
}

#[test]
fn a_step_of_the_better_way_allocates_nothing() {
    check(sample(|setup| {
        furnish(setup);
        for (row, _) in rows(PARAMS).filter(|(_, def)| def.beyond && def.kind == Kind::Toggle) {
            setup.values.set(row, 1.0);
        }
        for (row, value) in [(WAY, 1.0), (WARM_UP, 20.0), (FADE_IN, 1.0), (SIMULATION_FRAME_RATE, 130.0)] {
            setup.values.set(row, value);
        }
        for (i, joint) in setup.joints.iter_mut().enumerate() {
            joint.values.set(BONE_SHAPE, (i % 3) as f32);
        }
    }));
}
/// The bundled character's joints under VRM, with what allocates elsewhere: a center, a limit, and every shape.
fn sample_under_vrm(preview: f32) -> (World, Pose, JointIndex) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample.vrm");
    let opened = open::character(&path, &|_| true).expect("the bundled character loads");
    let resolved = opened.document.resolve(&opened.character.skeleton);
    let mut setup = resolved.systems[0].clone();
    let mut values = ParamSet::defaults(vrm::PARAMS);
    values.set(vrm::PREVIEW_AS, preview);
    values.set(vrm::HIT_RADIUS, 0.02);
    setup.solver = SolverKind::Vrm;
    setup.joints.iter_mut().for_each(|joint| joint.values = values.clone());
    for (i, shape) in Shape::ALL.into_iter().chain(Shape::OF_VRM).enumerate() {
        setup.colliders[i].shape = shape;
    }
    let limit = SwingLimit { shape: SwingShape::Cone { angle: 0.3 }, rotation: glam::Quat::IDENTITY };
    setup.vrm = vec![VrmJoint { center: Some(BoneId(0)), limit: Some(limit) }; setup.joints.len()];
    setup.values = values;
    (World::build(&resolved.skeleton, &[setup]), Pose::rest(&resolved.skeleton), JointIndex { system: 0, joint: 2 })
}

#[test]
fn a_step_under_vrm_allocates_nothing() {
    for preview in [0.0, 1.0, 2.0] {
        let (mut world, mut pose, joint) = sample_under_vrm(preview);
        let target = world.tip(joint).expect("a joint") + glam::Vec3::X * 0.1;
        let counted = allocations(|| {
            for tick in 0..120_u8 {
                pose.local[0].translation.x = (f32::from(tick) * 0.1).sin() * 0.2;
                let hold = (tick > 60).then_some(Hold { joint, target });
                world.step(&StepInput { pose: &pose, hold, dt: 1.0 / 60.0 });
            }
        });
        assert_eq!(counted, 0);
        assert_eq!(allocations(|| world.take_rest(&pose)), 0);
        assert_eq!(allocations(|| world.reset(&pose)), 0);
    }
}

/// The bundled character's joints under `AnimDynamics`, with springs, limits, play, shapes and wind.
fn sample_under_anim_dynamics(substeps: f32) -> (World, Pose, JointIndex) {
    sample(|setup| {
        furnish(setup);
        let mut values = ParamSet::defaults(anim::PARAMS);
        let on = [anim::ANGULAR_SPRING, anim::LINEAR_SPRING, anim::ANGULAR_SPRING_CONSTANT, anim::COLLISION_TYPE];
        for row in on {
            values.set(row, 1.0);
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
        for (i, shape) in Shape::ALL.into_iter().chain(Shape::OF_VRM).enumerate() {
            setup.colliders[i].shape = shape;
        }
        setup.values = values;
    })
}

#[test]
fn a_step_under_anim_dynamics_allocates_nothing() {
    check(sample_under_anim_dynamics(0.0));
    check(sample_under_anim_dynamics(150.0));
}
