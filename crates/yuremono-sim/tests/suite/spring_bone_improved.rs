//! Tests the improved mode of `UnityChanSpringBone`: each improvement acts as documented, and none acts in the
//! Unity-accurate mode.

use glam::{Quat, Vec3};
use yuremono_sim::math::{Trs, closest_on_segment};
use yuremono_sim::params::{ParamDef, ParamId, ParamKind, ParamScope, ParamSet, enumerate_params};
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono_sim::solver::spring_bone as sb;
use yuremono_sim::{
    ColliderSetup, ColliderShape, JointIndex, JointSetup, LengthTarget, SolverKind, StepInput, SystemSetup, TipSetup,
    World,
};

const DT: f32 = 1.0 / 60.0;
const BONE_LENGTH: f32 = 0.1;

/// A root at a height of 1.5 m with a chain of three bones, and a separate bone.
struct TestRig {
    skeleton: Skeleton,
    setup: SystemSetup,
}

fn bone(name: &str, parent: Option<u32>, translation: Vec3) -> Bone {
    Bone { name: name.to_owned(), parent: parent.map(BoneId), rest: Trs::from_translation(translation) }
}

impl TestRig {
    /// Creates a rig in improved mode with every improvement disabled. Gravity is the only force.
    fn new() -> Self {
        let down = Vec3::NEG_Y * BONE_LENGTH;
        let bones = vec![
            bone("root", None, Vec3::Y * 1.5),
            bone("a", Some(0), Vec3::ZERO),
            bone("b", Some(1), down),
            bone("c", Some(2), down),
            bone("end", Some(3), down),
            bone("apart", Some(0), Vec3::new(0.0, -0.15, 0.0)),
        ];
        let joint = |i: u32| JointSetup {
            bone: BoneId(i),
            tip: TipSetup::Bones(vec![BoneId(i + 1)]),
            values: ParamSet::defaults(sb::PARAMS),
            tip_values: Vec::new(),
            pivot: None,
            length_targets: Vec::new(),
            colliders: Vec::new(),
            chain: 0,
            enabled: true,
            animated: false,
        };
        let mut values = ParamSet::defaults(sb::PARAMS);
        for (param, _) in enumerate_params(sb::PARAMS).filter(|(_, def)| def.extension && def.kind == ParamKind::Toggle)
        {
            values.set(param, 0.0);
        }
        values.set(sb::MODE, 1.0);
        let setup = SystemSetup {
            joints: (1..=3).map(joint).collect(),
            ..SystemSetup::new(SolverKind::UnityChanSpringBone, values)
        };
        Self { skeleton: Skeleton::new(bones).expect("parents first"), setup }
    }

    fn with_param(mut self, param: ParamId, value: f32) -> Self {
        match sb::PARAMS[param.index()].scope {
            ParamScope::System => {
                self.setup.values.set(param, value);
            }
            _ => self.setup.joints.iter_mut().for_each(|joint| {
                joint.values.set(param, value);
            }),
        }
        self
    }

    fn with_setup(mut self, alter: impl FnOnce(&mut SystemSetup)) -> Self {
        alter(&mut self.setup);
        self
    }

    /// Makes the chain stiff enough to swing, and removes gravity.
    fn swinging(self) -> Self {
        self.with_param(sb::STIFFNESS, 300.0).with_param(sb::DRAG, 0.1).with_param(sb::GRAVITY[1], 0.0)
    }

    fn build(self) -> RunningRig {
        let world = World::build(&self.skeleton, std::slice::from_ref(&self.setup));
        RunningRig { pose: Pose::rest(&self.skeleton), world, setup: self.setup }
    }
}

struct RunningRig {
    world: World,
    pose: Pose,
    setup: SystemSetup,
}

impl RunningRig {
    fn step(&mut self) {
        self.step_by(DT);
    }

    fn step_by(&mut self, dt: f32) {
        self.world.step(&StepInput { pose: &self.pose, grab: None, dt });
    }

    fn steps(mut self, count: u32) -> Self {
        (0..count).for_each(|_| self.step());
        self
    }

    fn root(&mut self) -> &mut Trs {
        &mut self.pose.local[0]
    }

    fn bake(&mut self) {
        self.world.bake(std::slice::from_ref(&self.setup));
    }

    fn tip(&self, joint: u32) -> Vec3 {
        self.world.tip(JointIndex { system: 0, joint }).expect("a joint")
    }

    fn last_tip_movement(&self, joint: u32) -> f32 {
        let before = self.world.previous_tip(JointIndex { system: 0, joint }).expect("a joint");
        self.tip(joint).distance(before)
    }

    /// Returns the tip position in the space of the root.
    fn tip_in_root_space(&self, joint: u32) -> Vec3 {
        let root = &self.pose.local[0];
        root.rotation.inverse() * (self.tip(joint) - root.translation)
    }

    fn tip_bits(&self) -> Vec<u32> {
        (0..3).flat_map(|joint| self.tip(joint).to_array()).map(f32::to_bits).collect()
    }
}

/// Returns the bits of the tips after a motion with colliders, angle limits, length limits and a moving root. Every
/// improvement can have an effect.
fn bits_with_everything_on(way: f32, change: Option<(ParamId, &ParamDef, f32)>) -> Vec<u32> {
    let mut stand = TestRig::new().with_param(sb::MODE, way).with_param(sb::STIFFNESS, 100.0).with_setup(|setup| {
        setup.colliders = [
            ColliderShape::Sphere { radius: 0.04, inside: false },
            ColliderShape::Capsule { radius: 0.03, height: 0.1, inside: false },
            ColliderShape::Panel { width: 1.0, height: 1.0 },
        ]
        .map(|shape| ColliderSetup::new(BoneId(5), shape))
        .to_vec();
        for joint in &mut setup.joints {
            joint.colliders = vec![0, 1, 2];
            joint.pivot = Some(BoneId(0));
            joint.length_targets = vec![LengthTarget { bone: BoneId(5), stiffness: Some(900.0) }];
        }
        setup.joints[1].enabled = false;
    });
    stand = [sb::Y_ACTIVE, sb::Z_ACTIVE].into_iter().fold(stand, |stand, param| stand.with_param(param, 1.0));
    stand = [sb::Y_MAX, sb::Z_MAX].into_iter().fold(stand, |stand, param| stand.with_param(param, 70.0));
    stand = [sb::Y_MIN, sb::Z_MIN].into_iter().fold(stand, |stand, param| stand.with_param(param, -70.0));
    if let Some((param, _, value)) = change {
        stand = stand.with_param(param, value);
    }
    let mut run = stand.build();
    for tick in 0..80_u8 {
        let t = f32::from(tick) * DT;
        run.root().translation = Vec3::new(libm::sinf(9.0 * t) * 0.3, 1.5, if tick == 40 { 3.0 } else { 0.0 });
        run.root().rotation = Quat::from_rotation_x(libm::sinf(7.0 * t)) * Quat::from_rotation_z(t * 9.0);
        run.root().scale = Vec3::splat(1.2);
        run.setup.values.set(sb::IS_PAUSED, f32::from(u8::from((20..30).contains(&tick))));
        run.setup.joints[1].enabled = tick > 50;
        run.bake();
        run.step_by(if tick % 3 == 0 { 0.02 } else { 0.01 });
    }
    run.tip_bits()
}

#[test]
fn in_unity_accurate_mode_improvements_change_nothing() {
    let plain = bits_with_everything_on(0.0, None);
    let table = SolverKind::UnityChanSpringBone.info().params;
    for (param, def) in enumerate_params(table).filter(|(param, def)| def.extension && *param != sb::MODE) {
        for value in [def.soft_range.0, def.soft_range.1, 1.0] {
            assert_eq!(plain, bits_with_everything_on(0.0, Some((param, def, value))), "{} at {value}", def.name);
        }
    }
}

#[test]
fn improved_mode_without_improvements_equals_unity_accurate_mode() {
    assert_eq!(bits_with_everything_on(0.0, None), bits_with_everything_on(1.0, None));
}

#[test]
fn each_improvement_changes_the_motion_in_improved_mode() {
    let plain = bits_with_everything_on(1.0, None);
    // These parameters have an effect only together with another parameter, or in other situations. Separate tests
    // cover them.
    let alone = [
        sb::WIDE_LIMITS,
        sb::SOFT_LIMITS,
        sb::STRONG_LENGTH_LIMITS,
        sb::SCALED_RADII,
        sb::FIXED_STEP,
        sb::CARRY_TIPS_ON_PAUSE,
    ];
    let more = [sb::TELEPORT, sb::SLIDE_LIMIT, sb::TURN_LIMIT];
    for param in alone.into_iter().chain(more) {
        let def = &sb::PARAMS[param.index()];
        assert_ne!(plain, bits_with_everything_on(1.0, Some((param, def, 1.0))), "{}", def.name);
    }
}

/// Returns a bone whose pivot points straight down. A force pulls the bone to one side.
fn rig_with_limit(limit: f32, pull: f32) -> TestRig {
    TestRig::new()
        .with_param(sb::GRAVITY[1], 0.0)
        .with_param(sb::SPRING_FORCE[2], pull)
        .with_param(sb::Z_ACTIVE, 1.0)
        .with_param(sb::Z_MIN, -limit)
        .with_param(sb::Z_MAX, limit)
        .with_param(sb::ANGULAR_STIFFNESS, 0.0)
        .with_setup(|setup| {
            setup.joints.truncate(1);
            setup.joints[0].pivot = Some(BoneId(5));
        })
}

/// Returns the angle in degrees at rest between the first bone and straight down. The +X axis of the pivot points down.
fn resting_angle_degrees(rig: TestRig) -> f32 {
    let mut run = rig.build();
    run.pose.local[5].rotation = Quat::from_rotation_z(-std::f32::consts::FRAC_PI_2);
    let run = run.steps(400);
    run.tip_in_root_space(0).angle_between(Vec3::NEG_Y).to_degrees()
}

#[test]
fn wide_limits_work_beyond_90_degrees() {
    let up = |stand: TestRig| stand.with_param(sb::SPRING_FORCE[1], 40.0);
    let narrow = resting_angle_degrees(up(rig_with_limit(130.0, 10.0)));
    let wide = resting_angle_degrees(up(rig_with_limit(130.0, 10.0)).with_param(sb::WIDE_LIMITS, 1.0));
    assert!(narrow < 91.0, "UnityChanSpringBone folds angles behind the pivot: {narrow}");
    assert!((wide - 130.0).abs() < 1.0, "{wide}");
}

#[test]
fn a_soft_limit_rests_before_its_angle_and_a_hard_limit_at_it() {
    let hard = resting_angle_degrees(rig_with_limit(30.0, 10.0).with_param(sb::SOFTNESS, 0.6));
    let soft = resting_angle_degrees(
        rig_with_limit(30.0, 10.0).with_param(sb::SOFTNESS, 0.6).with_param(sb::SOFT_LIMITS, 1.0),
    );
    assert!((hard - 30.0).abs() < 0.1, "{hard}");
    assert!(soft < 29.0 && soft > 12.0, "{soft}");
}

/// Returns the length error of a limit between the chain's end and the separate bone, while gravity pulls the chain to
/// the side.
fn length_error(strong: bool, constant: f32, own: Option<f32>) -> f32 {
    let stand =
        TestRig::new().with_param(sb::GRAVITY[0], 20.0).with_param(sb::LENGTH_CONSTANT, constant).with_setup(|setup| {
            setup.values.set(sb::STRONG_LENGTH_LIMITS, f32::from(u8::from(strong)));
            setup.joints[2].length_targets = vec![LengthTarget { bone: BoneId(5), stiffness: own }];
        });
    let target = Vec3::Y * 1.35;
    let run = stand.build();
    let rest = run.tip(2).distance(target);
    let run = run.steps(300);
    let head = run.world.frames().frame(BoneId(3)).position;
    assert!(!strong || (run.tip(2).distance(head) - BONE_LENGTH).abs() < 1e-5, "the bone keeps its own length");
    (run.tip(2).distance(target) - rest).abs()
}

#[test]
fn strong_length_limits_follow_their_constant() {
    let (weak, engine) = (length_error(true, 0.5, None), length_error(false, 3600.0, None));
    assert!((weak - engine).abs() < 0.1 * engine, "half is UnityChanSpringBone's constant: {weak} {engine}");
    let (half, full) = (length_error(true, 900.0, None), length_error(true, 3600.0, None));
    assert!(full < half && half < weak, "{full} {half} {weak}");
    assert_eq!(length_error(true, 0.5, Some(3600.0)), full, "a target's own constant has priority");
}

#[test]
fn scaled_radii_follow_the_bone_scale() {
    let distance = |on: f32| {
        let mut run = TestRig::new()
            .with_param(sb::RADIUS, 0.02)
            .with_param(sb::SCALED_RADII, on)
            .with_setup(|setup| {
                setup.joints.truncate(1);
                setup.joints[0].colliders = vec![0];
                setup.colliders =
                    vec![ColliderSetup::new(BoneId(5), ColliderShape::Sphere { radius: 0.06, inside: false })];
            })
            .build();
        run.pose.local[1].scale = Vec3::splat(0.5);
        run.pose.local[5].translation = Vec3::new(0.02, -0.14, 0.0);
        let run = run.steps(200);
        run.tip(0).distance(run.world.frames().frame(BoneId(5)).position)
    };
    let (scaled, plain) = (distance(1.0), distance(0.0));
    assert!((scaled - 0.07).abs() < 1e-4 && (plain - 0.08).abs() < 1e-4, "{scaled} {plain}");
}

#[test]
fn fixed_steps_do_not_depend_on_the_frame_rate() {
    let after = |steady: f32, frames: u8| {
        let mut run =
            TestRig::new().swinging().with_param(sb::GRAVITY[0], 8.0).with_param(sb::FIXED_STEP, steady).build();
        (0..frames).for_each(|_| run.step_by(1.0 / f32::from(frames)));
        run.tip_bits()
    };
    for frames in [20, 30, 60, 90, 120, 180] {
        assert_eq!(after(1.0, frames), after(1.0, 60), "{frames} frames per second");
    }
    assert_ne!(after(0.0, 120), after(0.0, 60), "Unity-accurate mode is twice as fast at twice the frame rate");
}

/// Returns the movement of the tips in the first step after half a second in which only the root moves.
fn first_step_movement(no_kicks: f32, still: impl Fn(&mut SystemSetup, bool)) -> f32 {
    let mut run = TestRig::new().swinging().with_param(sb::CARRY_TIPS_ON_PAUSE, no_kicks).build();
    still(&mut run.setup, true);
    run.bake();
    for _ in 0..30 {
        run.root().translation.x += 0.02;
        run.step();
    }
    still(&mut run.setup, false);
    run.bake();
    run.step();
    (0..3).map(|joint| run.last_tip_movement(joint)).fold(0.0, f32::max)
}

#[test]
fn pausing_and_reenabling_bones_gives_no_kick() {
    let pause = |setup: &mut SystemSetup, on| {
        setup.values.set(sb::IS_PAUSED, f32::from(u8::from(on)));
    };
    let off = |setup: &mut SystemSetup, on: bool| setup.joints.iter_mut().for_each(|j| j.enabled = !on);
    assert!(first_step_movement(0.0, pause) > 0.05 && first_step_movement(0.0, off) > 0.05, "accurate mode kicks");
    assert!(first_step_movement(1.0, pause) < 1e-4, "{}", first_step_movement(1.0, pause));
    assert!(first_step_movement(1.0, off) < 1e-4, "{}", first_step_movement(1.0, off));
}

#[test]
fn a_bone_shape_collides_where_the_tip_alone_does_not() {
    let nearest = |shape: f32| {
        let mut run = TestRig::new()
            .with_param(sb::RADIUS, 0.01)
            .with_param(sb::HEAD_RADIUS, 0.01)
            .with_param(sb::BOX_HALF[0], 0.01)
            .with_param(sb::BOX_HALF[1], 0.01)
            .with_param(sb::BONE_SHAPE, shape)
            .with_param(sb::BONE_SHAPES, 1.0)
            .with_param(sb::GRAVITY[0], 20.0)
            .with_setup(|setup| {
                setup.colliders =
                    vec![ColliderSetup::new(BoneId(5), ColliderShape::Sphere { radius: 0.02, inside: false })];
                setup.joints.iter_mut().for_each(|joint| joint.colliders = vec![0]);
            })
            .build();
        // The sphere is at the middle of the second bone.
        run.pose.local[5].translation = Vec3::new(0.04, -0.14, 0.0);
        let gap = |run: &mut RunningRig| {
            run.step();
            let ball = run.world.frames().frame(BoneId(5)).position;
            let link = |joint: u32| {
                let head = run.world.frames().frame(BoneId(joint + 1)).position;
                closest_on_segment(ball, head, run.tip(joint)).distance(ball)
            };
            (0..3).map(link).fold(1.0, f32::min)
        };
        (0..200).map(|_| gap(&mut run)).fold(1.0, f32::min)
    };
    assert!(nearest(0.0) < 0.01, "with tip collision only, the sphere passes: {}", nearest(0.0));
    for shape in [1.0, 2.0] {
        assert!(nearest(shape) > 0.028, "shape {shape}: {}", nearest(shape));
    }
}

#[test]
fn a_teleport_carries_the_chain_without_a_kick() {
    let jump = |on: f32| {
        let mut run = TestRig::new().swinging().with_param(sb::TELEPORT, on).build();
        run.root().rotation = Quat::from_rotation_x(0.4);
        let mut run = run.steps(3);
        let before = [0, 1, 2].map(|joint| run.tip_in_root_space(joint));
        run.root().translation = Vec3::new(7.0, 2.0, -3.0);
        run.root().rotation = Quat::from_rotation_y(2.0) * Quat::from_rotation_x(0.4);
        run.step();
        (0..3).map(|i| run.tip_in_root_space(i as u32).distance(before[i])).fold(0.0, f32::max)
    };
    assert!(jump(0.0) > 0.1, "Unity-accurate mode flings the chain: {}", jump(0.0));
    assert!(jump(1.0) < 0.02, "{}", jump(1.0));
}

/// Returns how far the chain's end lags behind a root that has moved or rotated for some steps.
fn lag(speed: f32, turn: f32, dt: f32, rows: &[(ParamId, f32)]) -> f32 {
    let stand = rows.iter().fold(TestRig::new().swinging(), |stand, (param, value)| stand.with_param(*param, *value));
    let stand = stand.with_param(sb::SIMULATION_FRAME_RATE, 1.0 / dt);
    let mut run = stand.build();
    run.step_by(dt);
    let rest = run.tip_in_root_space(2);
    let mut t = 0.0;
    while t < 0.1 {
        run.root().translation.x += speed * dt;
        run.root().rotation *= Quat::from_rotation_x(turn.to_radians() * dt);
        run.step_by(dt);
        t += dt;
    }
    run.tip_in_root_space(2).distance(rest)
}

#[test]
fn motion_beyond_the_speed_limit_has_no_further_effect() {
    let slide = [(sb::SLIDE_LIMIT, 1.0), (sb::SLIDE_SPEED, 2.0)];
    let turn = [(sb::TURN_LIMIT, 1.0), (sb::TURN_SPEED, 200.0)];
    for dt in [1.0 / 60.0, 1.0 / 120.0] {
        let [slow, fast] = [2.0, 20.0].map(|speed| lag(speed, 0.0, dt, &slide));
        assert!((slow - fast).abs() < 0.01 * slow, "{slow} {fast}");
        assert!(lag(20.0, 0.0, dt, &[]) > 1.1 * fast);
        let [slow, fast] = [200.0, 900.0].map(|speed| lag(0.0, speed, dt, &turn));
        assert!((slow - fast).abs() < 0.05 * slow, "{slow} {fast}");
        assert!(lag(0.0, 900.0, dt, &[]) > 1.3 * fast);
    }
}

#[test]
fn inertia_scales_the_lag() {
    let [none, half, all] = [0.0, 0.5, 1.0].map(|share| lag(0.6, 0.0, DT, &[(sb::INERTIA, share)]));
    assert!(none < 1e-5, "{none}");
    assert!(half > 0.3 * all && half < 0.7 * all, "{half} {all}");
    assert_eq!(all, lag(0.6, 0.0, DT, &[]));
}

#[test]
fn the_tip_speed_limit_is_respected() {
    let fastest = |rows: &[(ParamId, f32)]| {
        let stand = rows.iter().fold(TestRig::new(), |stand, (param, value)| stand.with_param(*param, *value));
        let mut run = stand.with_setup(|setup| setup.joints.truncate(1)).with_param(sb::GRAVITY[0], 300.0).build();
        (0..60)
            .map(|_| {
                run.step();
                run.last_tip_movement(0) / DT
            })
            .fold(0.0, f32::max)
    };
    let free = fastest(&[]);
    let held = fastest(&[(sb::TIP_SPEED_LIMIT, 1.0), (sb::TIP_SPEED, 0.8)]);
    assert!(free > 2.0, "{free}");
    assert!(held < 0.8 * 1.001 && held > 0.7, "{held}");
}

#[test]
fn after_a_warm_up_the_first_frame_is_at_rest() {
    let first = |steps: f32| {
        let mut run = TestRig::new()
            .with_param(sb::GRAVITY[0], 6.0)
            .with_param(sb::STIFFNESS, 20.0)
            .with_param(sb::WARM_UP, steps)
            .build();
        run.step();
        let early = run.tip(2);
        let mut run = run.steps(600);
        let late = run.tip(2);
        run.world.reset(&run.pose.clone());
        run.step();
        [early.distance(late), run.tip(2).distance(late)]
    };
    assert!(first(0.0).iter().all(|off| *off > 0.05), "{:?}", first(0.0));
    assert!(first(300.0).iter().all(|off| *off < 1e-3), "{:?}", first(300.0));
}

#[test]
fn a_fade_in_starts_at_rest_and_ends_with_the_full_motion() {
    let turned = |fade: f32, ticks: u32| {
        let run = TestRig::new().with_param(sb::GRAVITY[0], 20.0).with_param(sb::FADE_IN, fade).build().steps(ticks);
        run.world.pose().local[1].rotation.angle_between(Quat::IDENTITY)
    };
    assert!(turned(0.5, 1) < 1e-3);
    let (half, whole) = (turned(0.5, 16), turned(0.0, 16));
    assert!(half > 0.3 * whole && half < 0.7 * whole, "{half} {whole}");
    assert!((turned(0.5, 300) - turned(0.0, 300)).abs() < 1e-3);
}

#[test]
fn switching_to_improved_mode_while_playing_does_not_warm_up_or_fade_in() {
    let mut run = TestRig::new()
        .with_param(sb::MODE, 0.0)
        .with_param(sb::FADE_IN, 2.0)
        .with_param(sb::WARM_UP, 500.0)
        .build()
        .steps(200);
    let before = run.tip(2);
    run.setup.values.set(sb::MODE, 1.0);
    let skeleton = run.world.skeleton().clone();
    run.world.rebuild(&skeleton, std::slice::from_ref(&run.setup));
    run.step();
    assert!(run.tip(2).distance(before) < 0.02);
}

#[test]
fn a_chain_with_a_new_root_is_not_carried_with_the_old_root() {
    let TestRig { skeleton, setup } = TestRig::new().with_param(sb::INERTIA, 0.0);
    let shorter = SystemSetup { joints: setup.joints[2..].to_vec(), ..setup.clone() };
    let mut run = TestRig { skeleton: skeleton.clone(), setup }.build().steps(60);
    let hanging = run.tip(2);
    run.world.rebuild(&skeleton, &[shorter]);
    run.step();
    assert!(run.tip(0).distance(hanging) < 1e-3, "{} to {}", hanging, run.tip(0));
}
