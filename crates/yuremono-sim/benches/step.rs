//! Measures the cost of one simulation step in nanoseconds per joint on one core. Run `cargo bench --bench step`.
//!
//! The chains have ten joints each and are children of one rotating root. Every step writes rotations and world frames.
//! The benchmark prints the median of many short batches, and the fastest batch, which is more reliable on a busy
//! machine. A checksum of the final state shows whether an optimized solver still produces the same motion.
//! Scenes with spheres also print the share of joints that are in contact at the end.
#![expect(clippy::print_stdout, reason = "the benchmark prints its results")]
use glam::{Quat, Vec3};
use std::hint::black_box;
use std::time::{Duration, Instant};
use yuremono_sim::math::Trs;
use yuremono_sim::params::{ParamId, ParamSet};
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono_sim::solver::anim_dynamics as anim;
use yuremono_sim::solver::spring_bone::{PARAMS, RADIUS, SPRING_FORCE, STIFFNESS};
use yuremono_sim::solver::{dynamic_bone, ez_soft_bone, hinge, joint_dynamics, kawaii, pbd_spring_bone, vrm};
use yuremono_sim::{ColliderSetup, ColliderShape, JointSetup, SolverKind, StepInput, SystemSetup, TipSetup, World};

const JOINTS_PER_CHAIN: usize = 10;

const DT: f32 = 1.0 / 60.0;

/// Number of steps before the checksum is computed.
const CHECKSUM_STEPS: u32 = 600;

/// How long each case is measured.
const MEASURE_TIME: Duration = Duration::from_millis(1500);

/// The share of the joints that should touch a sphere.
const TARGET_CONTACT_FRACTION: f64 = 0.2;

type SceneConversion = fn(SystemSetup) -> SystemSetup;

/// One case per solver, and a second one for `AnimDynamics`. Hinges do not support colliders.
const CASES: [(&str, SceneConversion); 10] = [
    ("UnityChan", |setup| setup),
    ("VRM", with_vrm),
    ("PbdSpringBone", with_pbd_spring_bone),
    ("Hinge", with_hinge),
    ("DynamicBone", with_dynamic_bone),
    ("EZSoftBone", with_ez_soft_bone),
    ("KawaiiPhysics", with_kawaii),
    ("SPCRJointDynamics", with_joint_dynamics),
    ("AnimDynamics", |setup| with_anim_dynamics(setup, false)),
    ("AnimDynamics, springs and cones", |setup| with_anim_dynamics(setup, true)),
];

fn main() {
    println!(
        "{:>8} {:>9} {:>14} {:>14}  {:16}  in contact",
        "joints", "colliders", "median ns", "fastest ns", "checksum"
    );
    for (name, convert_scene) in CASES.into_iter().filter(|(name, _)| is_selected(name)) {
        let sizes = if matches!(name, "UnityChan" | "VRM") { &[1_000, 10, 100, 10_000][..] } else { &[1_000] };
        for joints in sizes {
            for colliders in [0, 5].into_iter().filter(|count| *count == 0 || name != "Hinge") {
                let collider_scale = if colliders > 0 { collider_scale_for(convert_scene) } else { 1.0 };
                let (skeleton, setup) = scene(*joints, colliders, collider_scale);
                let setup = convert_scene(setup);
                print_row(name, *joints, colliders, &skeleton, &setup);
                if name == "SPCRJointDynamics" {
                    print_cost_per_link(&skeleton, &setup, *joints, colliders);
                }
            }
        }
    }
}

/// Returns the scale of the spheres at which about [`TARGET_CONTACT_FRACTION`] of the joints touch a sphere.
fn collider_scale_for(convert_scene: SceneConversion) -> f32 {
    let share = |width: f32| {
        let (skeleton, setup) = scene(1_000, 5, width);
        let (mut world, rest) = (World::build(&skeleton, &[convert_scene(setup)]), Pose::rest(&skeleton));
        checksum(&mut world, &rest);
        contact_fraction(&world, 1_000)
    };
    let widths = (0..28).map(|at| 0.4 + at as f32 * 0.025);
    let off = |width: &f32| (share(*width) - TARGET_CONTACT_FRACTION).abs();
    widths.map(|width| (off(&width), width)).min_by(|a, b| a.0.total_cmp(&b.0)).map_or(1.0, |(_, width)| width)
}

/// Whether the command line selects a case: the name contains one of the words, or there are no words.
fn is_selected(name: &str) -> bool {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with('-')).peekable();
    words.peek().is_none() || words.any(|word| name.contains(&word))
}

/// Measures a case and prints its row of the table.
fn print_row(name: &str, joints: usize, colliders: usize, skeleton: &Skeleton, setup: &SystemSetup) {
    let (mut world, rest) = (World::build(skeleton, std::slice::from_ref(setup)), Pose::rest(skeleton));
    let sum = checksum(&mut world, &rest);
    let share = contact_fraction(&world, joints);
    assert!(colliders == 0 || share >= 0.1, "too few joints touch a sphere to tell what contact costs");
    let (median, fastest) = measure(&mut world, &rest, joints);
    let share = share * 100.0;
    println!("{joints:>8} {colliders:>9} {median:>14.1} {fastest:>14.1}  {sum:016x}  {share:>3.0} %  {name}");
}

/// Converts the scene to another solver and sets the values in `system`. `joint` maps the chain number modulo 7 to the
/// values of the chain's joints.
fn with_solver(
    setup: SystemSetup,
    solver: SolverKind,
    system: &[(ParamId, f32)],
    joint: impl Fn(f32) -> Vec<(ParamId, f32)>,
) -> SystemSetup {
    let values = |changes: &[(ParamId, f32)]| {
        let mut values = ParamSet::defaults(solver.info().params);
        for (param, value) in changes {
            _ = values.set(*param, *value);
        }
        values
    };
    let convert = |own: JointSetup| JointSetup { values: values(&joint(own.chain as f32 % 7.0)), ..own };
    let joints = setup.joints.into_iter().map(convert).collect();
    SystemSetup { solver, values: values(system), joints, ..setup }
}

fn with_vrm(setup: SystemSetup) -> SystemSetup {
    with_solver(setup, SolverKind::Vrm, &[], |chain| {
        vec![(vrm::GRAVITY_POWER, 0.3), (vrm::HIT_RADIUS, 0.01), (vrm::STIFFNESS, 0.4 + chain * 0.1)]
    })
}

/// Returns a root with `joints` joints in chains of ten, and spheres at and below the height of the root.
fn scene(joints: usize, colliders: usize, collider_scale: f32) -> (Skeleton, SystemSetup) {
    let mut bones = vec![bone("root", None, Vec3::Y)];
    let mut setups = Vec::new();
    for i in 0..joints {
        let (chain, depth) = (i / JOINTS_PER_CHAIN, i % JOINTS_PER_CHAIN);
        let id = bones.len() as u32;
        let around = Quat::from_rotation_y(chain as f32 * 2.399_963);
        let (parent, offset) =
            if depth == 0 { (0, around * Vec3::X * 0.1) } else { (id - 1, Vec3::new(0.0, -0.04, 0.0)) };
        bones.push(bone(&format!("joint {i}"), Some(parent), offset));
        let mut values = ParamSet::defaults(PARAMS);
        values.set(STIFFNESS, 400.0 + chain as f32 % 7.0 * 40.0);
        values.set(SPRING_FORCE[1], -6.0);
        // The radius is small enough for a bone of four centimetres to rest on a sphere.
        values.set(RADIUS, 0.02);
        let tip = if depth + 1 < JOINTS_PER_CHAIN {
            TipSetup::Bones(vec![BoneId(id + 1)])
        } else {
            TipSetup::Offset(Vec3::Y * -0.04)
        };
        setups.push(JointSetup {
            tip,
            colliders: (0..colliders as u32).collect(),
            chain: chain as u32,
            ..JointSetup::new(BoneId(id), values)
        });
    }
    let spheres = (0..colliders).map(|i| {
        let id = BoneId(bones.len() as u32);
        bones.push(bone(&format!("sphere {i}"), Some(0), Vec3::new(0.0, -0.08 * i as f32, 0.0)));
        // Each sphere is wider than the one above, like hips under a skirt.
        ColliderSetup::new(
            id,
            ColliderShape::Sphere { radius: collider_scale * (0.095 + 0.03 * i as f32), inside: false },
        )
    });
    let colliders = spheres.collect();
    let skeleton = Skeleton::new(bones).expect("parents stand before children");
    let values = ParamSet::defaults(PARAMS);
    let setup = SystemSetup { joints: setups, colliders, ..SystemSetup::new(SolverKind::UnityChanSpringBone, values) };
    (skeleton, setup)
}

fn bone(name: &str, parent: Option<u32>, translation: Vec3) -> Bone {
    Bone { name: name.to_owned(), parent: parent.map(BoneId), rest: Trs::from_translation(translation) }
}

/// Rotates the root as the motion does at `tick`, and steps the world.
fn step(world: &mut World, pose: &mut Pose, tick: u32) {
    pose.local[0].rotation = Quat::from_rotation_y(libm::sinf(tick as f32 * 0.05));
    world.step(&StepInput { pose, grab: None, dt: DT });
}

/// Runs [`CHECKSUM_STEPS`] steps and returns the FNV-1a hash of all rotations and positions.
fn checksum(world: &mut World, rest: &Pose) -> u64 {
    let mut pose = rest.clone();
    for tick in 0..CHECKSUM_STEPS {
        step(world, &mut pose, tick);
    }
    let rotations = world.pose().local.iter().flat_map(|l| l.rotation.to_array());
    let heads = world.frames().frames.iter().flat_map(|f| f.position.to_array());
    rotations.chain(heads).fold(0xcbf2_9ce4_8422_2325, |sum, x| {
        assert!(x.is_finite(), "the world blew up");
        x.to_bits().to_le_bytes().iter().fold(sum, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
    })
}

/// Returns the share of joints whose tip touches a collider in the current state.
fn contact_fraction(world: &World, joints: usize) -> f64 {
    let mut found: Vec<_> = world.contacts().iter().map(|contact| contact.joint).collect();
    found.dedup();
    found.len() as f64 / joints as f64
}

/// Returns the nanoseconds per joint and step of the median batch and of the fastest batch.
#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn measure(world: &mut World, rest: &Pose, joints: usize) -> (f64, f64) {
    let mut pose = rest.clone();
    let (mut tick, mut batches) = (CHECKSUM_STEPS, Vec::new());
    let batch = (20_000 / joints).max(1) as u32;
    let start = Instant::now();
    while start.elapsed() < MEASURE_TIME {
        let from = Instant::now();
        for _ in 0..batch {
            step(black_box(world), black_box(&mut pose), tick);
            tick += 1;
        }
        batches.push(from.elapsed().as_nanos() as f64 / f64::from(batch) / joints as f64);
    }
    batches.sort_by(f64::total_cmp);
    (batches[batches.len() / 2], batches[0])
}

fn with_pbd_spring_bone(setup: SystemSetup) -> SystemSetup {
    with_solver(setup, SolverKind::PbdSpringBone, &[], |chain| vec![(pbd_spring_bone::SPRING, 100.0 + chain * 20.0)])
}

/// The centre of mass of each hinge is below its axis.
fn with_hinge(setup: SystemSetup) -> SystemSetup {
    with_solver(setup, SolverKind::Hinge, &[], |_| vec![(hinge::CENTER_OF_MASS[1], -0.04)])
}

/// A constant force pulls the chains downwards.
fn with_dynamic_bone(setup: SystemSetup) -> SystemSetup {
    let setup = with_solver(setup, SolverKind::DynamicBone, &[(dynamic_bone::FORCE[1], -0.001)], |chain| {
        vec![(dynamic_bone::ELASTICITY, 0.05 + chain * 0.01), (dynamic_bone::RADIUS, 0.01)]
    });
    SystemSetup { component: Some(BoneId(0)), ..setup }
}

/// In `EZSoftBone`, the first bone of a chain follows the pose.
fn with_ez_soft_bone(setup: SystemSetup) -> SystemSetup {
    with_solver(setup, SolverKind::EzSoftBone, &[(ez_soft_bone::GRAVITY[1], -0.16)], |chain| {
        vec![(ez_soft_bone::RADIUS, 0.02), (ez_soft_bone::STIFFNESS, 0.06 + chain * 0.01)]
    })
}

/// Arranges the joints as a ring of columns, with links within each column and between neighbouring columns.
fn with_joint_dynamics(setup: SystemSetup) -> SystemSetup {
    let mut values = vec![(joint_dynamics::LOOP, 1.0), (joint_dynamics::HARDNESS, 0.5)];
    values.extend(joint_dynamics::COMPUTE.map(|param| (param, 1.0)));
    let mut setup = with_solver(setup, SolverKind::JointDynamics, &values, |_| values.clone());
    let count = setup.joints.len() / JOINTS_PER_CHAIN;
    let mut round: Vec<usize> = (0..count).collect();
    let angle = |chain: usize| (chain as f32 * 2.399_963).rem_euclid(std::f32::consts::TAU);
    round.sort_by(|a, b| angle(*a).total_cmp(&angle(*b)));
    let mut place = vec![0; count];
    round.iter().enumerate().for_each(|(at, chain)| place[*chain] = at as u32);
    setup.joints.iter_mut().for_each(|joint| joint.chain = place[joint.chain as usize]);
    setup
}

/// Prints nanoseconds per link and relaxation round. The cost of a round is the difference between sixteen and eight
/// rounds, divided by eight.
fn print_cost_per_link(skeleton: &Skeleton, setup: &SystemSetup, joints: usize, colliders: usize) {
    let links = World::build(skeleton, std::slice::from_ref(setup)).links().len();
    let rest = Pose::rest(skeleton);
    let [eight, sixteen] = [8.0, 16.0].map(|rounds| {
        let mut setup = setup.clone();
        setup.values.set(joint_dynamics::RELAXATION, rounds);
        let mut world = World::build(skeleton, &[setup]);
        checksum(&mut world, &rest);
        measure(&mut world, &rest, joints)
    });
    let share = |a: f64, b: f64| (b - a) * joints as f64 / (8 * links.max(1)) as f64;
    let (median, fastest) = (share(eight.0, sixteen.0), share(eight.1, sixteen.1));
    println!("{joints:>8} {colliders:>9} {median:>14.1} {fastest:>14.1}  per link and round, {links} links");
}

fn with_kawaii(setup: SystemSetup) -> SystemSetup {
    with_solver(setup, SolverKind::KawaiiPhysics, &[(kawaii::params::GRAVITY[1], -9.8)], |chain| {
        vec![(kawaii::params::RADIUS, 0.01), (kawaii::params::STIFFNESS, 0.04 + chain * 0.01)]
    })
}

/// The bodies are rigid boxes in the middle of their bones.
fn with_anim_dynamics(setup: SystemSetup, sprung: bool) -> SystemSetup {
    let system = [(anim::BODY_ORIGIN, 1.0), (anim::SIMULATION_SPACE, 2.0)];
    with_solver(setup, SolverKind::AnimDynamics, &system, |chain| {
        let mut values = vec![
            (anim::LOCAL_JOINT_OFFSET[1], 0.02),
            (anim::COLLISION_TYPE, 1.0),
            (anim::SPHERE_COLLISION_RADIUS, 0.02),
        ];
        values.extend(anim::BOX_EXTENTS.map(|param| (param, 0.02)));
        if sprung {
            values.extend([
                (anim::ANGULAR_SPRING, 1.0),
                (anim::ANGULAR_SPRING_CONSTANT, 0.02 + chain * 0.005),
                (anim::ANGULAR_CONSTRAINT_TYPE, 1.0),
                (anim::CONE_ANGLE, 45.0),
            ]);
        }
        values
    })
}
