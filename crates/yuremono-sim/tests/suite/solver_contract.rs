//! Tests the contract of all solvers: the same tests run for each solver.

mod aimed_joint;
mod scaled_rig;
mod tip_parts;

use crate::support::cases;
use glam::{Quat, Vec3};
use yuremono_sim::math::{Curve, CurveShape, Trs};
use yuremono_sim::params::{
    EntryParams, ParamDef, ParamId, ParamKind, ParamScope, ParamSet, entries, enumerate_params, first_of_entry,
};
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton, WorldPose};
use yuremono_sim::{
    Attenuation, BoneConstraint, ColliderSetup, ColliderShape, EzCollider, EzForceField, ForceKind, ForceSetup,
    GrabTarget, Grabber, HighLegSetup, JointDynamicsCollider, JointDynamicsPoint, JointGrab, JointIndex, JointSetup,
    LengthTarget, SolverKind, StepInput, SurfaceForce, SwingLimit, SwingShape, SyncBone, SyncTarget, SystemSetup,
    TestWind, TipSetup, Turbulence, VrmJoint, Wind, WindMoment, World,
};

const JOINTS: u32 = 5;
const DT: f32 = 1.0 / 60.0;

/// Returns a skeleton with a rod as the root of a chain of five joints.
fn skeleton() -> Skeleton {
    let bone = |i: u32| Bone {
        name: format!("b{i}"),
        parent: i.checked_sub(1).map(BoneId),
        rest: Trs {
            translation: Vec3::new(0.02, if i == 0 { 1.5 } else { -0.1 }, 0.01),
            rotation: Quat::from_rotation_z(if i == 2 { 0.3 } else { 0.0 }),
            scale: Vec3::ONE,
        },
    };
    Skeleton::new((0..JOINTS + 2).map(bone).collect()).expect("parents first")
}

/// A configuration of the solver under test: the value of each parameter, unless a test sets another value.
type ParamValues = fn(&ParamDef) -> f32;

/// Returns the value of a parameter in the Unity-accurate mode.
fn original_defaults(def: &ParamDef) -> f32 {
    def.default
}

/// Returns the value of a parameter in the improved mode with all optional features enabled.
fn all_improvements(def: &ParamDef) -> f32 {
    match (def.extension, def.kind) {
        (true, ParamKind::Toggle) => 1.0,
        _ if def.name == "mode" => 1.0,
        // Only a share of the movement has an effect, because the full share would skip half of the code.
        _ if def.name == "inertia" => 0.8,
        _ => def.default,
    }
}

/// Returns the value of a parameter for `AnimDynamics` with all features that its defaults disable: springs, a lever,
/// free play, a cone, a sphere, and world space.
fn anim_dynamics_with_all_features(def: &ParamDef) -> f32 {
    match def.name {
        "bLinearSpring" | "bAngularSpring" | "AngularConstraintType" => 1.0,
        "LinearSpringConstant" => 50.0,
        "AngularSpringConstant" => 0.5,
        "SimulationSpace" | "CollisionType" => 2.0,
        "ConeAngle" => 40.0,
        "LinearAxesMax x" => 0.01,
        name if name.starts_with("BoxExtents") => 0.05,
        "LocalJointOffset y" => 0.05,
        _ => def.default,
    }
}

/// Returns a system in which every parameter has the value of the configuration, unless `value` returns another value.
fn setup(kind: SolverKind, configuration: ParamValues, value: impl Fn(&str) -> Option<f32>) -> SystemSetup {
    let table = kind.info().params;
    let mut values = ParamSet::defaults(table);
    for (param, def) in enumerate_params(table) {
        values.set(param, value(def.name).unwrap_or_else(|| configuration(def)));
    }
    let joint = |i: u32| JointSetup {
        bone: BoneId(i),
        tip: TipSetup::Bones(vec![BoneId(i + 1)]),
        values: values.clone(),
        tip_values: Vec::new(),
        pivot: Some(BoneId(0)),
        length_targets: Vec::new(),
        colliders: Vec::new(),
        chain: 0,
        enabled: true,
        animated: false,
    };
    SystemSetup { joints: (1..=JOINTS).map(joint).collect(), ..SystemSetup::new(kind, values.clone()) }
}

/// Returns the setup with a collider, limit and force of every kind.
fn with_colliders_and_forces(mut setup: SystemSetup) -> SystemSetup {
    setup.colliders = ColliderShape::BASIC.iter().map(|shape| ColliderSetup::new(BoneId(0), *shape)).collect();
    setup.colliders.extend(ColliderShape::BASIC.iter().map(|shape| ColliderSetup::new(BoneId(JOINTS + 1), *shape)));
    let wind = ForceKind::Wind(Wind { weight: 1.0, ..Wind::default() });
    let force = |kind| ForceSetup { bone: BoneId(2), kind, enabled: true };
    setup.forces = [ForceKind::Volume { strength: 5.0 }, wind].map(force).to_vec();
    setup.high_legs = vec![HighLegSetup { bone: BoneId(0), hip: BoneId(0), legs: vec![[BoneId(1), BoneId(3)]] }];
    for (i, joint) in setup.joints.iter_mut().enumerate() {
        joint.colliders = (0..6).collect();
        joint.length_targets = vec![LengthTarget { bone: BoneId(0), stiffness: (i % 2 == 0).then_some(500.0) }];
        joint.animated = i == 3;
    }
    setup
}

/// Returns values for a joint that is stiff enough to swing, without constant forces.
fn swinging_value(name: &str) -> Option<f32> {
    match name {
        "stiffnessForce" => Some(400.0),
        "dragForce" => Some(0.2),
        "stiffness" => Some(0.6),
        // With slackness, the solver does not keep bone lengths.
        "m_Slackness" => Some(0.0),
        _ if name.starts_with("_Gravity") => Some(0.0),
        "GravityScale" => Some(0.0),
        _ if name.starts_with("gravity") || name.starts_with("springForce") => Some(0.0),
        _ => None,
    }
}

fn driven_pose(skeleton: &Skeleton, tick: u32) -> Pose {
    let mut pose = Pose::rest(skeleton);
    let t = tick as f32 * DT;
    pose.local[0].translation += Vec3::new(libm::sinf(t * 7.0), 0.2 * libm::cosf(t * 5.0), 0.3 * libm::sinf(t * 3.0));
    pose.local[0].rotation = Quat::from_rotation_y(libm::sinf(t * 4.0));
    pose
}

fn joints() -> impl Iterator<Item = JointIndex> {
    (0..JOINTS).map(|joint| JointIndex { system: 0, joint })
}

/// Returns the world after `ticks` steps during which the root is dragged.
fn dragged(setup: SystemSetup, ticks: u32) -> World {
    dragged_on(&skeleton(), setup, ticks)
}

fn dragged_on(skeleton: &Skeleton, setup: SystemSetup, ticks: u32) -> World {
    let mut world = World::build(skeleton, &[setup]);
    for tick in 0..ticks {
        let pose = driven_pose(skeleton, tick);
        world.step(&StepInput { pose: &pose, grab: None, dt: DT });
        for joint in joints() {
            let tip = world.tip(joint).expect("a joint");
            assert!(tip.is_finite(), "tick {tick}, {joint:?}: {tip}");
        }
        let turned = world.pose().local.iter().all(|local| local.rotation.is_finite());
        assert!(turned, "tick {tick}: the rotation is not valid");
    }
    world
}

/// Finite but meaningless values that a file may contain.
const WILD: [f32; 14] = [
    f32::MAX,
    f32::MIN,
    1e30,
    -1e30,
    1e12,
    1e6,
    -1e6,
    300.0,
    -75.0,
    20.0,
    -1.0,
    0.0,
    f32::MIN_POSITIVE,
    // Denormal.
    1e-41,
];

/// A deterministic pseudo-random generator.
struct RandomSource(u64);

impl RandomSource {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn next_below(&mut self, count: u64) -> u64 {
        self.next() % count
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.next_below(count) == 0
    }

    /// Returns a wild value, or a finite value whose bits are random.
    fn next_wild(&mut self) -> f32 {
        if self.one_in(2) {
            return WILD[self.next_below(WILD.len() as u64) as usize];
        }
        let any = f32::from_bits(self.next() as u32);
        if any.is_finite() { any } else { 0.5 }
    }

    fn next_vector(&mut self, next: NextValue) -> Vec3 {
        Vec3::new(next(self), next(self), next(self))
    }
}

/// A way to draw random values.
type NextValue = fn(&mut RandomSource) -> f32;

/// Puts random values into component lists, shapes and forces of a setup with colliders and forces.
fn with_random_lists(setup: &mut SystemSetup, series: &mut RandomSource, next: NextValue) {
    for collider in &mut setup.colliders {
        for at in 0..collider.shape.fields().len() {
            if series.one_in(3) {
                collider.shape = collider.shape.with_field(at, next(series));
            }
        }
    }
    for force in &mut setup.forces {
        for at in 0..force.kind.fields().len() {
            if series.one_in(3) {
                force.kind = force.kind.with_field(at, next(series));
            }
        }
    }
    setup.joints[2].length_targets[0].stiffness = Some(next(series));
    let bones = || (1..=JOINTS).map(BoneId);
    setup.vrm = bones()
        .map(|bone| {
            let shape = match series.next_below(3) {
                0 => SwingShape::Cone { angle: next(series) },
                1 => SwingShape::Hinge { angle: next(series) },
                _ => SwingShape::Spherical { pitch: next(series), yaw: next(series) },
            };
            let rotation = Quat::from_xyzw(next(series), next(series), 0.0, next(series));
            let center = (bone.0 % 2 == 0).then_some(BoneId(0));
            VrmJoint { center, limit: Some(SwingLimit { shape, rotation }) }
        })
        .collect();
    setup.ez_soft_bone.simulate_space = series.one_in(2).then_some(BoneId(0));
    setup.ez_soft_bone.gravity_aligner = series.one_in(2).then_some(BoneId(0));
    let mode = if series.one_in(2) {
        Turbulence::Perlin { frequency: series.next_vector(next) }
    } else {
        let curves = [CurveShape::LinearRise, CurveShape::SmoothRise, CurveShape::SmoothFall].map(Curve::from_shape);
        Turbulence::Curve { cycle: next(series), curves: Box::new(curves) }
    };
    let (conductivity, force, turbulence) = (next(series), next(series), series.next_vector(next));
    setup.ez_soft_bone.force_field =
        Some(EzForceField { conductivity, force, turbulence, mode, ..EzForceField::new(BoneId(0)) });
    setup.ez_soft_bone.colliders =
        setup.colliders.iter().map(|_| EzCollider { margin: next(series), hull: None }).collect();
    setup.joint_dynamics.points = bones()
        .map(|_| JointDynamicsPoint {
            fixed: series.one_in(3).then_some(false),
            mass: next(series),
            radius: next(series),
            movable_limit_radius: next(series),
            fade: next(series),
            ..JointDynamicsPoint::default()
        })
        .collect();
    let surface_force = [SurfaceForce::Off, SurfaceForce::Push, SurfaceForce::Pull];
    setup.joint_dynamics.colliders = setup
        .colliders
        .iter()
        .map(|_| JointDynamicsCollider {
            friction: next(series),
            surface_force: surface_force[series.next_below(3) as usize],
        })
        .collect();
    setup.joint_dynamics.grabbers =
        vec![Grabber { bone: BoneId(0), radius: next(series), force: next(series), enabled: true }];
    setup.joint_dynamics.planes = vec![BoneId(0)];
    let constraint = |bones, length| BoneConstraint { length: Some(length), ..BoneConstraint::new(bones) };
    setup.kawaii.constraints = vec![constraint([BoneId(2), BoneId(5)], next(series))];
    setup.kawaii.sync_bones = vec![SyncBone {
        scale: series.next_vector(next),
        scale_by_distance: vec![[next(series), next(series)], [next(series), next(series)]],
        attenuation: Some(Attenuation { inner: next(series), outer: next(series), max_attenuation: next(series) }),
        ..SyncBone::new(BoneId(0), vec![SyncTarget { bone: BoneId(2), scale: next(series) }])
    }];
}

/// Steps a dragged world. Checks after each step that every drawn position is within ten chain lengths of the chain's
/// head.
fn dragged_within_bounds(setup: SystemSetup, ticks: u32, what: &str) -> World {
    let skeleton = skeleton();
    let rest = WorldPose::from_pose(&skeleton, &Pose::rest(&skeleton));
    let place = |pose: &WorldPose, bone: u32| pose.frame(BoneId(bone)).position;
    let mut world = World::build(&skeleton, &[setup]);
    // The chain length is the length to the last head plus the longest tip. A tip length may depend on a parameter.
    let bones = (1..JOINTS).map(|b| place(&rest, b).distance(place(&rest, b + 1))).sum::<f32>();
    let ends = joints().filter_map(|joint| Some(world.tip_offset(joint)?.length()));
    let length = bones + ends.fold(place(&rest, JOINTS).distance(place(&rest, JOINTS + 1)), f32::max);
    assert!(length < 10.0, "{what}: the chain is {length} m long");
    world.reset(&driven_pose(&skeleton, 0));
    for tick in 0..ticks {
        let pose = driven_pose(&skeleton, tick);
        world.step(&StepInput { pose: &pose, grab: None, dt: DT });
        let head = place(&WorldPose::from_pose(&skeleton, &pose), 1);
        let near = |at: Vec3, whose: &str| {
            // The extra millimetre allows for rounding.
            let most = 10.0 * length + 1e-3;
            assert!(at.distance(head) <= most, "{what}: tick {tick}, {whose}: {at} is {} m off", at.distance(head));
        };
        for (bone, (frame, local)) in world.frames().frames.iter().zip(&world.pose().local).enumerate() {
            near(frame.position, &format!("bone {bone}"));
            let turn = local.rotation.length();
            assert!((turn - 1.0).abs() < 0.5, "{what}: tick {tick}, bone {bone} has the rotation {}", local.rotation);
        }
        for joint in joints() {
            near(world.tip(joint).expect("a joint"), &format!("tip {}", joint.joint));
            let frame = world.frames().frame(world.joint_bone(joint).expect("a bone"));
            near(frame.position + frame.rotation * world.tip_offset(joint).expect("a joint"), "a drawn tip");
        }
        world.links().iter().for_each(|link| link.ends.iter().for_each(|end| near(*end, "a link")));
    }
    world
}

/// Returns the bits of every tip after a drag. If a shape is given, it obstructs a tip of the chain.
fn tip_bits_with_shape(kind: SolverKind, configuration: ParamValues, shape: Option<ColliderShape>) -> Vec<[u32; 3]> {
    let mut skeleton = skeleton();
    let rest = WorldPose::from_pose(&skeleton, &Pose::rest(&skeleton));
    // The shape is next to the third tip, so that the tip is neither at the centre of a sphere nor on a plane.
    let place = rest.frame(BoneId(4)).position - rest.frame(BoneId(0)).position + Vec3::new(0.004, -0.003, 0.006);
    let node = Bone { name: "node".to_owned(), parent: Some(BoneId(0)), rest: Trs::from_translation(place) };
    let node = skeleton.push(node).expect("its parent exists");
    // Some solvers collide only if collisions are enabled, or if joints have a radius.
    let switched = |name: &str| match name {
        "bUsePlanarLimit" | "bUseSphericalLimits" | "_IsCollideStructuralVertical" => Some(1.0),
        "m_Radius" => Some(0.02),
        _ => swinging_value(name),
    };
    let mut setup = setup(kind, configuration, switched);
    setup.colliders = shape.map(|shape| ColliderSetup::new(node, shape)).into_iter().collect();
    setup.joints.iter_mut().for_each(|j| j.colliders = (0..setup.colliders.len() as u32).collect());
    let world = dragged_on(&skeleton, setup, 60);
    joints().map(|j| world.tip(j).expect("a joint").to_array().map(f32::to_bits)).collect()
}

/// Returns why a solver changes bone lengths. The test then requires that a bone stretches.
fn stretch_reason(kind: SolverKind) -> Option<&'static str> {
    (kind == SolverKind::JointDynamics).then_some("its bones are links that give way by their strengths")
}

macro_rules! solver_contract {
    ($name:ident, $kind:ident, $configuration:expr) => {
        mod $name {
            use super::*;

            const KIND: SolverKind = SolverKind::$kind;
            const TABLE: &[ParamDef] = KIND.info().params;
            const WAY: ParamValues = $configuration;

            fn dragged(ticks: u32, value: impl Fn(&str) -> Option<f32>) -> World {
                super::dragged(setup(KIND, value), ticks)
            }

            fn setup(kind: SolverKind, value: impl Fn(&str) -> Option<f32>) -> SystemSetup {
                super::setup(kind, WAY, value)
            }

            #[test]
            fn bakes_exactly_the_params_of_its_table() {
                let read = KIND.params_read();
                for (rows, scope) in read.iter().zip([ParamScope::Joint, ParamScope::System]) {
                    for param in rows {
                        assert_eq!(TABLE[param.index()].scope, scope, "{param:?}");
                    }
                }
                let mut requested = read.concat();
                requested.sort_unstable();
                let all: Vec<ParamId> = enumerate_params(TABLE).map(|(param, _)| param).collect();
                assert_eq!(requested, all, "each parameter once");
            }

            #[test]
            fn its_param_table_is_consistent() {
                for (i, def) in TABLE.iter().enumerate() {
                    assert_eq!(def.owner, KIND.key());
                    let names =
                        |def: &ParamDef| def.former_names.iter().map(|f| f.name).chain([def.name]).collect::<Vec<_>>();
                    let mut before = TABLE[..i].iter().flat_map(names);
                    assert!(before.all(|name| !names(def).contains(&name)), "{} repeats a name", def.name);
                    assert!(def.range.0 <= def.soft_range.0 && def.soft_range.1 <= def.range.1, "{}", def.name);
                    assert!((def.range.0..=def.range.1).contains(&def.default), "{}", def.name);
                    assert!(def.kind != ParamKind::Toggle || def.range == (0.0, 1.0), "{}", def.name);
                    assert!(def.doc.ends_with('.') && def.doc.len() > 20, "{} has no sentence as doc", def.name);
                }
            }

            #[test]
            fn params_of_an_entry_are_adjacent_and_start_with_its_name() {
                let table = TABLE;
                let mut all = Vec::new();
                for (rows, def) in entries(table) {
                    let (rows, endings) = match rows {
                        EntryParams::Single(param) => (vec![param], vec![""]),
                        EntryParams::Vector(rows) => (rows.to_vec(), vec![" x", " y", " z"]),
                        EntryParams::Limits(l) => (vec![l.active, l.min, l.max], vec![".active", ".min", ".max"]),
                    };
                    for (param, ending) in rows.iter().zip(endings) {
                        assert_eq!(table[param.index()].name, format!("{}{ending}", def.entry_name));
                        assert_eq!(
                            (first_of_entry(table, *param), table[param.index()].entry_name),
                            (rows[0], def.entry_name)
                        );
                    }
                    all.extend(rows);
                }
                assert_eq!(
                    all,
                    enumerate_params(table).map(|(param, _)| param).collect::<Vec<_>>(),
                    "each parameter once, in order"
                );
            }

            #[test]
            fn keeps_bone_lengths_while_dragged_unless_it_declares_stretching() {
                let world = dragged(240, swinging_value);
                let mut stretched = 0;
                for joint in joints() {
                    let head = world.frames().frame(world.joint_bone(joint).expect("a bone")).position;
                    let length = world.tip_offset(joint).expect("a joint").length();
                    let found = world.tip(joint).expect("a joint").distance(head);
                    let keeps = (found - length).abs() < 1e-5;
                    assert!(keeps || stretch_reason(KIND).is_some(), "{joint:?} is {found} long, not {length}");
                    stretched += u32::from(!keeps);
                }
                assert_eq!(stretched > 0, stretch_reason(KIND).is_some(), "{:?}", stretch_reason(KIND));
            }

            #[test]
            fn equal_input_gives_identical_motion() {
                let bits = || {
                    let world = dragged(180, |_| None);
                    joints().map(|j| world.tip(j).expect("a joint").to_array().map(f32::to_bits)).collect::<Vec<_>>()
                };
                assert_eq!(bits(), bits());
            }

            #[test]
            fn a_reset_world_moves_like_a_new_world() {
                let skeleton = skeleton();
                let setup = with_colliders_and_forces(setup(KIND, |_| None));
                let mut worlds =
                    [World::build(&skeleton, std::slice::from_ref(&setup)), super::dragged(setup.clone(), 100)];
                let pose = driven_pose(&skeleton, 100);
                for world in &mut worlds {
                    world.reset(&pose);
                }
                for tick in 100..160 {
                    let pose = driven_pose(&skeleton, tick);
                    let [new, reset] = worlds.each_mut().map(|world| {
                        world.step(&StepInput { pose: &pose, grab: None, dt: DT });
                        joints().map(|joint| world.tip(joint).expect("a joint")).collect::<Vec<_>>()
                    });
                    assert_eq!(reset, new, "tick {tick}");
                }
            }

            #[test]
            fn a_test_wind_moves_a_joint_downwind_and_calm_changes_no_bit() {
                let blown = |wind: Option<TestWind>| {
                    let skeleton = skeleton();
                    let mut world = World::build(&skeleton, &[setup(KIND, swinging_value)]);
                    let pose = Pose::rest(&skeleton);
                    for tick in 0..12 {
                        world.set_test_wind(
                            wind.map(|wind| WindMoment { wind, seconds: f64::from(tick) * f64::from(DT) }),
                        );
                        world.step(&StepInput { pose: &pose, grab: None, dt: DT });
                    }
                    joints().map(|joint| world.tip(joint).expect("a joint")).collect::<Vec<_>>()
                };
                // The hinge turns about X, so the wind blows along Z.
                let wind =
                    TestWind { heading: 0.0, strength: 30.0, gusts: 0.0, turbulence: 0.0, ..TestWind::default() };
                let [calm, downwind, upwind] = [None, Some(wind), Some(TestWind { heading: 180.0, ..wind })].map(blown);
                // Joints below the first may move the other way, because a hinge turns everything below it.
                let [low, middle, high] = [&upwind, &calm, &downwind].map(|tips| tips[0].z);
                assert!(low < middle - 1e-4 && middle + 1e-4 < high, "{low}, {middle}, {high}");
                assert_eq!(blown(Some(TestWind { strength: 0.0, ..wind })), calm);
                let gusty = TestWind { gusts: 1.0, turbulence: 1.0, strength: 100.0, ..wind };
                assert_eq!(blown(Some(gusty)), blown(Some(gusty)));
                assert!(blown(Some(gusty)).iter().all(|tip| tip.is_finite()));
            }

            #[test]
            fn a_test_wind_has_a_similar_strength_at_every_frame_rate() {
                let moved = |rate: u16| {
                    let skeleton = skeleton();
                    let mut world = World::build(&skeleton, &[setup(KIND, swinging_value)]);
                    let pose = Pose::rest(&skeleton);
                    let wind =
                        TestWind { heading: 0.0, strength: 30.0, gusts: 0.0, turbulence: 0.0, ..TestWind::default() };
                    let tip = |world: &World| world.tip(JointIndex { system: 0, joint: 0 }).expect("a joint").z;
                    let before = tip(&world);
                    for tick in 0..rate / 10 {
                        world.set_test_wind(Some(WindMoment { wind, seconds: f64::from(tick) / f64::from(rate) }));
                        world.step(&StepInput { pose: &pose, grab: None, dt: 1.0 / f32::from(rate) });
                    }
                    tip(&world) - before
                };
                let [slow, fast] = [60, 180].map(moved);
                // Many originals damp once per frame, so more frames damp more.
                assert!(slow > 1e-4 && (0.15..2.0).contains(&(fast / slow)), "{slow} m at 60 Hz, {fast} m at 180 Hz");
            }

            #[test]
            fn stays_at_rest_when_nothing_moves() {
                let skeleton = skeleton();
                let mut world = World::build(&skeleton, &[setup(KIND, swinging_value)]);
                let pose = Pose::rest(&skeleton);
                let before: Vec<_> = joints().map(|j| world.tip(j).expect("a joint")).collect();
                for _ in 0..120 {
                    world.step(&StepInput { pose: &pose, grab: None, dt: DT });
                }
                for (joint, was) in joints().zip(before) {
                    let off = world.tip(joint).expect("a joint").distance(was);
                    assert!(off < 1e-5, "{joint:?} drifted by {off} m");
                }
            }

            #[test]
            fn stays_finite_at_the_ends_of_all_ranges() {
                for (_, def) in enumerate_params(TABLE) {
                    for corner in [def.soft_range.0, def.soft_range.1, def.range.0, def.range.1] {
                        dragged(90, |name| if name == def.name { Some(corner) } else { swinging_value(name) });
                    }
                }
                for corner in [true, false] {
                    let side = |name: &str| {
                        let def = TABLE.iter().find(|d| d.name == name)?;
                        Some(if corner { def.soft_range.1 } else { def.soft_range.0 })
                    };
                    dragged(240, side);
                }
            }

            #[test]
            fn handles_nan_and_infinite_values() {
                for bad in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, -1e30] {
                    for (_, def) in enumerate_params(TABLE) {
                        dragged(20, |name| if name == def.name { Some(bad) } else { swinging_value(name) });
                    }
                }
            }

            #[test]
            fn one_wild_value_of_any_param_keeps_everything_within_ten_chain_lengths() {
                for (at, (_, def)) in enumerate_params(TABLE).enumerate() {
                    for (k, wild) in WILD.into_iter().enumerate() {
                        // Test each value alone. Every second case also has colliders and forces.
                        let setup =
                            setup(KIND, |name| if name == def.name { Some(wild) } else { swinging_value(name) });
                        let setup = if (at + k) % 2 == 0 { with_colliders_and_forces(setup) } else { setup };
                        dragged_within_bounds(setup, 6, &format!("{} = {wild}", def.name));
                    }
                }
            }

            #[test]
            fn wild_values_of_all_params_keep_everything_within_ten_chain_lengths() {
                for case in 0..cases(60) {
                    let mut series = RandomSource(u64::from(case));
                    let share = 1 + series.next_below(12);
                    let wild: Vec<Option<f32>> =
                        enumerate_params(TABLE).map(|_| series.one_in(share).then(|| series.next_wild())).collect();
                    let at = |name: &str| TABLE.iter().position(|def| def.name == name);
                    let mut setup = setup(KIND, |name| wild[at(name)?].or_else(|| swinging_value(name)));
                    // Joints of one chain may have different values.
                    for joint in &mut setup.joints {
                        for (param, def) in enumerate_params(TABLE) {
                            if def.scope == ParamScope::Joint && series.one_in(share * 3) {
                                joint.values.set(param, series.next_wild());
                            }
                        }
                    }
                    if case % 2 > 0 {
                        // The last joint has no tip bone. Some solvers read its length from a parameter.
                        setup.joints[JOINTS as usize - 1].tip = TipSetup::Bones(Vec::new());
                    }
                    if case % 3 > 0 {
                        setup = with_colliders_and_forces(setup);
                        if case % 3 > 1 {
                            with_random_lists(&mut setup, &mut series, RandomSource::next_wild);
                        }
                    }
                    dragged_within_bounds(setup, 20, &format!("case {case}"));
                }
            }

            #[test]
            fn only_supported_shapes_affect_the_motion() {
                let free = tip_bits_with_shape(KIND, WAY, None);
                for shape in ColliderShape::ALL.into_iter() {
                    let acts = tip_bits_with_shape(KIND, WAY, Some(shape)) != free;
                    assert_eq!(acts, KIND.info().supports_shape(&shape), "{}", shape.component_name());
                }
            }

            #[test]
            fn handles_nan_and_infinite_values_in_shapes_forces_and_length_targets() {
                let bad = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, -1e30, 0.0];
                for bad in bad {
                    for at in 0..6 {
                        let mut setup = with_colliders_and_forces(setup(KIND, swinging_value));
                        for collider in &mut setup.colliders {
                            collider.shape = collider.shape.with_field(at % 2, bad);
                        }
                        for force in &mut setup.forces {
                            force.kind = force.kind.with_field(at, bad);
                        }
                        setup.joints[2].length_targets[0].stiffness = Some(bad);
                        super::dragged(setup, 20);
                    }
                }
            }

            #[test]
            fn handles_nodes_and_tips_at_non_finite_positions() {
                for far in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, 1e30, 1e18] {
                    let place = Vec3::new(far, 0.1, 0.0);
                    let mut skeleton = skeleton();
                    let rest = Trs::from_translation(place);
                    let away = skeleton.push(Bone { name: "away".to_owned(), parent: Some(BoneId(1)), rest });
                    let away = away.expect("its parent exists");
                    let offset = |s: &mut SystemSetup| s.joints[1].tip = TipSetup::Offset(place);
                    let alter: [&dyn Fn(&mut SystemSetup); 8] = [
                        &offset,
                        &|s| s.joints[1].tip = TipSetup::Bones(vec![away]),
                        &|s| s.joints[1].tip = TipSetup::Bones(vec![BoneId(3), away]),
                        &|s| s.joints[1].pivot = Some(away),
                        &|s| s.joints[1].length_targets[0].bone = away,
                        &|s| s.colliders.iter_mut().for_each(|c| c.bone = away),
                        &|s| s.forces.iter_mut().for_each(|f| f.bone = away),
                        &|s| s.high_legs[0].legs[0][1] = away,
                    ];
                    for alter in alter {
                        let mut setup = with_colliders_and_forces(setup(KIND, swinging_value));
                        alter(&mut setup);
                        super::dragged_on(&skeleton, setup, 20);
                    }
                }
            }

            #[test]
            fn stays_finite_with_colliders_and_forces_at_the_ends_of_all_ranges() {
                for (_, def) in enumerate_params(TABLE) {
                    for corner in [def.soft_range.0, def.soft_range.1] {
                        let value = |name: &str| if name == def.name { Some(corner) } else { swinging_value(name) };
                        super::dragged(with_colliders_and_forces(setup(KIND, value)), 40);
                    }
                }
            }

            #[test]
            fn equal_input_with_colliders_and_forces_gives_identical_motion() {
                let bits = || {
                    let world = super::dragged(with_colliders_and_forces(setup(KIND, |_| None)), 120);
                    joints().map(|j| world.tip(j).expect("a joint").to_array().map(f32::to_bits)).collect::<Vec<_>>()
                };
                assert_eq!(bits(), bits());
            }

            #[test]
            fn reset_returns_to_rest_with_zero_velocity() {
                let skeleton = skeleton();
                let rest = World::build(&skeleton, &[setup(KIND, swinging_value)]);
                let mut world = dragged(100, swinging_value);
                let pose = Pose::rest(&skeleton);
                world.reset(&pose);
                world.step(&StepInput { pose: &pose, grab: None, dt: DT });
                for joint in joints() {
                    let off = world.tip(joint).expect("a joint").distance(rest.tip(joint).expect("a joint"));
                    assert!(off < 1e-5, "{joint:?} is {off} m off after a reset");
                }
            }

            #[test]
            fn the_parts_of_each_tip_add_up_to_its_movement() {
                tip_parts::check_sums(KIND, WAY);
            }

            #[test]
            fn recording_parts_does_not_change_the_motion() {
                tip_parts::check_unchanged_motion(KIND, WAY);
            }

            #[test]
            fn a_part_without_a_cause_is_zero() {
                tip_parts::check_absent_causes(KIND, WAY);
            }

            #[test]
            fn exactly_the_parts_that_the_solver_has_move_tips() {
                tip_parts::check_present_parts(KIND, WAY);
            }

            #[test]
            fn an_aimed_joint_points_in_the_direction_and_leaves_its_parents_alone() {
                aimed_joint::check_direction(KIND, WAY);
            }

            #[test]
            fn an_aimed_joint_stays_finite_and_no_direction_changes_nothing() {
                aimed_joint::check_motion(KIND, WAY);
            }

            #[test]
            fn a_scaled_rig_moves_like_an_unscaled_rig_of_the_same_size() {
                scaled_rig::check(KIND, WAY);
            }

            #[test]
            fn changing_params_keeps_the_motion() {
                let mut world = dragged(100, swinging_value);
                let before: Vec<_> = joints().map(|j| world.tip(j)).collect();
                world.bake(&[setup(KIND, |_| None)]);
                assert_eq!(joints().map(|j| world.tip(j)).collect::<Vec<_>>(), before);
            }
        }
    };
}

macro_rules! solvers {
    ($_d:tt $($kind:ident: $_solver:ty,)*) => {
        $(solver_contract!($kind, $kind, original_defaults);)*
    };
}
yuremono_sim::for_each_solver!(solvers);
solver_contract!(unitychan_spring_bone_improved, UnityChanSpringBone, all_improvements);
solver_contract!(joint_dynamics_improved, JointDynamics, all_improvements);
solver_contract!(anim_dynamics_with_features, AnimDynamics, anim_dynamics_with_all_features);
