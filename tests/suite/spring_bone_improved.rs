//! The better way of `UnityChan` `SpringBone`: each improvement does what its row says, and none does anything while
//! the way is Unity's.

use glam::{Quat, Vec3};
use yuremono::math::{Trs, closest_on_segment};
use yuremono::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono::schema::{Kind, ParamDef, ParamSet, Row, Scope, rows};
use yuremono::sim::solver::spring_bone as sb;
use yuremono::sim::{
    ColliderSetup, JointIndex, JointSetup, LengthTarget, Shape, SolverKind, StepInput, SystemSetup, TipSetup, World,
};

const DT: f32 = 1.0 / 60.0;
const LINK: f32 = 0.1;

/// A root a metre and a half up, a chain of three bones that hangs from it, and a bone apart.
struct Stand {
    skeleton: Skeleton,
    setup: SystemSetup,
}

fn bone(name: &str, parent: Option<u32>, translation: Vec3) -> Bone {
    Bone { name: name.to_owned(), parent: parent.map(BoneId), rest: Trs::from_translation(translation) }
}

impl Stand {
    /// In the better way with every improvement off, pulled by gravity alone.
    fn new() -> Self {
        let down = Vec3::NEG_Y * LINK;
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
            pivot: None,
            length_targets: Vec::new(),
            colliders: Vec::new(),
            chain: 0,
            enabled: true,
            animated: false,
        };
        let mut values = ParamSet::defaults(sb::PARAMS);
        for (row, _) in rows(sb::PARAMS).filter(|(_, def)| def.beyond && def.kind == Kind::Toggle) {
            values.set(row, 0.0);
        }
        values.set(sb::WAY, 1.0);
        let setup = SystemSetup {
            joints: (1..=3).map(joint).collect(),
            ..SystemSetup::new(SolverKind::UnityChanSpringBone, values)
        };
        Self { skeleton: Skeleton::new(bones).expect("parents first"), setup }
    }

    fn with(mut self, row: Row, value: f32) -> Self {
        match sb::PARAMS[row.index()].scope {
            Scope::System => {
                self.setup.values.set(row, value);
            }
            _ => self.setup.joints.iter_mut().for_each(|joint| {
                joint.values.set(row, value);
            }),
        }
        self
    }

    fn altered(mut self, alter: impl FnOnce(&mut SystemSetup)) -> Self {
        alter(&mut self.setup);
        self
    }

    /// Swings by itself: stiff enough, nothing pulls.
    fn springy(self) -> Self {
        self.with(sb::STIFFNESS, 300.0).with(sb::DRAG, 0.1).with(sb::GRAVITY[1], 0.0)
    }

    fn start(self) -> Run {
        let world = World::build(&self.skeleton, std::slice::from_ref(&self.setup));
        Run { pose: Pose::rest(&self.skeleton), world, setup: self.setup }
    }
}

struct Run {
    world: World,
    pose: Pose,
    setup: SystemSetup,
}

impl Run {
    fn step(&mut self) {
        self.frame(DT);
    }

    fn frame(&mut self, dt: f32) {
        self.world.step(&StepInput { pose: &self.pose, hold: None, dt });
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

    fn last_step(&self, joint: u32) -> f32 {
        let before = self.world.previous_tip(JointIndex { system: 0, joint }).expect("a joint");
        self.tip(joint).distance(before)
    }

    /// The tip as the root sees it.
    fn seen(&self, joint: u32) -> Vec3 {
        let root = &self.pose.local[0];
        root.rotation.inverse() * (self.tip(joint) - root.translation)
    }

    fn bits(&self) -> Vec<u32> {
        (0..3).flat_map(|joint| self.tip(joint).to_array()).map(f32::to_bits).collect()
    }
}

/// Colliders, limits, lengths and a lively root: something for every improvement to get at.
fn busy(way: f32, change: Option<(Row, &ParamDef, f32)>) -> Vec<u32> {
    let mut stand = Stand::new().with(sb::WAY, way).with(sb::STIFFNESS, 100.0).altered(|setup| {
        setup.colliders = [
            Shape::Sphere { radius: 0.04, inside: false },
            Shape::Capsule { radius: 0.03, height: 0.1, inside: false },
            Shape::Panel { width: 1.0, height: 1.0 },
        ]
        .map(|shape| ColliderSetup::new(BoneId(5), shape))
        .to_vec();
        for joint in &mut setup.joints {
            joint.colliders = vec![0, 1, 2];
            joint.pivot = Some(BoneId(0));
            joint.length_targets = vec![LengthTarget { bone: BoneId(5), constant: Some(900.0) }];
        }
        setup.joints[1].enabled = false;
    });
    stand = [sb::Y_ACTIVE, sb::Z_ACTIVE].into_iter().fold(stand, |stand, row| stand.with(row, 1.0));
    stand = [sb::Y_MAX, sb::Z_MAX].into_iter().fold(stand, |stand, row| stand.with(row, 70.0));
    stand = [sb::Y_MIN, sb::Z_MIN].into_iter().fold(stand, |stand, row| stand.with(row, -70.0));
    if let Some((row, _, value)) = change {
        stand = stand.with(row, value);
    }
    let mut run = stand.start();
    for tick in 0..80_u8 {
        let t = f32::from(tick) * DT;
        run.root().translation = Vec3::new((9.0 * t).sin() * 0.3, 1.5, if tick == 40 { 3.0 } else { 0.0 });
        run.root().rotation = Quat::from_rotation_x((7.0 * t).sin()) * Quat::from_rotation_z(t * 9.0);
        run.root().scale = Vec3::splat(1.2);
        run.setup.values.set(sb::IS_PAUSED, f32::from(u8::from((20..30).contains(&tick))));
        run.setup.joints[1].enabled = tick > 50;
        run.bake();
        run.frame(if tick % 3 == 0 { 0.02 } else { 0.01 });
    }
    run.bits()
}

#[test]
fn while_the_way_is_unitys_no_improvement_changes_a_bit() {
    let plain = busy(0.0, None);
    let table = SolverKind::UnityChanSpringBone.info().params;
    for (row, def) in rows(table).filter(|(row, def)| def.beyond && *row != sb::WAY) {
        for value in [def.soft_range.0, def.soft_range.1, 1.0] {
            assert_eq!(plain, busy(0.0, Some((row, def, value))), "{} at {value}", def.name);
        }
    }
}

#[test]
fn without_any_improvement_the_better_way_is_unitys() {
    assert_eq!(busy(0.0, None), busy(1.0, None));
}

#[test]
fn each_improvement_changes_something_in_the_better_way() {
    let plain = busy(1.0, None);
    // These act only together with another row, or in other places: they have tests of their own.
    let alone = [sb::WIDE_LIMITS, sb::SOFT_LIMITS, sb::STRONG_LENGTHS, sb::SCALED_RADII, sb::STEADY_PACE, sb::NO_KICKS];
    let more = [sb::TELEPORT, sb::SLIDE_LIMIT, sb::TURN_LIMIT];
    for row in alone.into_iter().chain(more) {
        let def = &sb::PARAMS[row.index()];
        assert_ne!(plain, busy(1.0, Some((row, def, 1.0))), "{}", def.name);
    }
}

/// A bone with its pivot's forward straight down, pulled to one side.
fn limited(limit: f32, pull: f32) -> Stand {
    Stand::new()
        .with(sb::GRAVITY[1], 0.0)
        .with(sb::SPRING_FORCE[2], pull)
        .with(sb::Z_ACTIVE, 1.0)
        .with(sb::Z_MIN, -limit)
        .with(sb::Z_MAX, limit)
        .with(sb::ANGULAR_STIFFNESS, 0.0)
        .altered(|setup| {
            setup.joints.truncate(1);
            setup.joints[0].pivot = Some(BoneId(5));
        })
}

/// Degrees between the first bone and straight down, after it has come to rest. The pivot's +X looks down.
fn swing(stand: Stand) -> f32 {
    let mut run = stand.start();
    run.pose.local[5].rotation = Quat::from_rotation_z(-std::f32::consts::FRAC_PI_2);
    let run = run.steps(400);
    run.seen(0).angle_between(Vec3::NEG_Y).to_degrees()
}

#[test]
fn wide_limits_hold_beyond_a_right_angle() {
    let up = |stand: Stand| stand.with(sb::SPRING_FORCE[1], 40.0);
    let narrow = swing(up(limited(130.0, 10.0)));
    let wide = swing(up(limited(130.0, 10.0)).with(sb::WIDE_LIMITS, 1.0));
    assert!(narrow < 91.0, "the engine folds what is behind: {narrow}");
    assert!((wide - 130.0).abs() < 1.0, "{wide}");
}

#[test]
fn a_soft_edge_rests_before_the_limit_and_a_hard_one_at_it() {
    let hard = swing(limited(30.0, 10.0).with(sb::SOFTNESS, 0.6));
    let soft = swing(limited(30.0, 10.0).with(sb::SOFTNESS, 0.6).with(sb::SOFT_LIMITS, 1.0));
    assert!((hard - 30.0).abs() < 0.1, "{hard}");
    assert!(soft < 29.0 && soft > 12.0, "{soft}");
}

/// How far the end of the chain, blown to the side, is off its distance to the bone apart.
fn length_error(strong: bool, constant: f32, own: Option<f32>) -> f32 {
    let stand = Stand::new().with(sb::GRAVITY[0], 20.0).with(sb::LENGTH_CONSTANT, constant).altered(|setup| {
        setup.values.set(sb::STRONG_LENGTHS, f32::from(u8::from(strong)));
        setup.joints[2].length_targets = vec![LengthTarget { bone: BoneId(5), constant: own }];
    });
    let target = Vec3::Y * 1.35;
    let run = stand.start();
    let rest = run.tip(2).distance(target);
    let run = run.steps(300);
    let head = run.world.frames().frame(BoneId(3)).position;
    assert!(!strong || (run.tip(2).distance(head) - LINK).abs() < 1e-5, "the bone keeps its own length");
    (run.tip(2).distance(target) - rest).abs()
}

#[test]
fn length_limits_hold_as_hard_as_their_number_says() {
    let (weak, engine) = (length_error(true, 0.5, None), length_error(false, 3600.0, None));
    assert!((weak - engine).abs() < 0.1 * engine, "half is what the engine always takes: {weak} {engine}");
    let (half, full) = (length_error(true, 900.0, None), length_error(true, 3600.0, None));
    assert!(full < half && half < weak, "{full} {half} {weak}");
    assert_eq!(length_error(true, 0.5, Some(3600.0)), full, "a target's own number wins");
}

#[test]
fn radii_follow_the_scale_of_the_bone() {
    let distance = |on: f32| {
        let mut run = Stand::new()
            .with(sb::RADIUS, 0.02)
            .with(sb::SCALED_RADII, on)
            .altered(|setup| {
                setup.joints.truncate(1);
                setup.joints[0].colliders = vec![0];
                setup.colliders = vec![ColliderSetup::new(BoneId(5), Shape::Sphere { radius: 0.06, inside: false })];
            })
            .start();
        run.pose.local[1].scale = Vec3::splat(0.5);
        run.pose.local[5].translation = Vec3::new(0.02, -0.14, 0.0);
        let run = run.steps(200);
        run.tip(0).distance(run.world.frames().frame(BoneId(5)).position)
    };
    let (scaled, plain) = (distance(1.0), distance(0.0));
    assert!((scaled - 0.07).abs() < 1e-4 && (plain - 0.08).abs() < 1e-4, "{scaled} {plain}");
}

#[test]
fn the_pace_is_the_same_at_every_frame_rate() {
    let after = |steady: f32, frames: u8| {
        let mut run = Stand::new().springy().with(sb::GRAVITY[0], 8.0).with(sb::STEADY_PACE, steady).start();
        (0..frames).for_each(|_| run.frame(1.0 / f32::from(frames)));
        run.bits()
    };
    for frames in [20, 30, 60, 90, 120, 180] {
        assert_eq!(after(1.0, frames), after(1.0, 60), "{frames} frames a second");
    }
    assert_ne!(after(0.0, 120), after(0.0, 60), "the engine is twice as fast at twice the frames");
}

/// How far the tips go in the first step after half a second in which the root moved on.
fn kick(no_kicks: f32, still: impl Fn(&mut SystemSetup, bool)) -> f32 {
    let mut run = Stand::new().springy().with(sb::NO_KICKS, no_kicks).start();
    still(&mut run.setup, true);
    run.bake();
    for _ in 0..30 {
        run.root().translation.x += 0.02;
        run.step();
    }
    still(&mut run.setup, false);
    run.bake();
    run.step();
    (0..3).map(|joint| run.last_step(joint)).fold(0.0, f32::max)
}

#[test]
fn pausing_and_switching_bones_on_does_not_kick() {
    let pause = |setup: &mut SystemSetup, on| {
        setup.values.set(sb::IS_PAUSED, f32::from(u8::from(on)));
    };
    let off = |setup: &mut SystemSetup, on: bool| setup.joints.iter_mut().for_each(|j| j.enabled = !on);
    assert!(kick(0.0, pause) > 0.05 && kick(0.0, off) > 0.05, "the engine kicks");
    assert!(kick(1.0, pause) < 1e-4, "{}", kick(1.0, pause));
    assert!(kick(1.0, off) < 1e-4, "{}", kick(1.0, off));
}

#[test]
fn a_whole_bone_meets_what_a_tip_alone_lets_through() {
    let nearest = |shape: f32| {
        let mut run = Stand::new()
            .with(sb::RADIUS, 0.01)
            .with(sb::HEAD_RADIUS, 0.01)
            .with(sb::BOX_HALF[0], 0.01)
            .with(sb::BOX_HALF[1], 0.01)
            .with(sb::BONE_SHAPE, shape)
            .with(sb::BONE_SHAPES, 1.0)
            .with(sb::GRAVITY[0], 20.0)
            .altered(|setup| {
                setup.colliders = vec![ColliderSetup::new(BoneId(5), Shape::Sphere { radius: 0.02, inside: false })];
                setup.joints.iter_mut().for_each(|joint| joint.colliders = vec![0]);
            })
            .start();
        // In the way of the middle of the second bone.
        run.pose.local[5].translation = Vec3::new(0.04, -0.14, 0.0);
        let gap = |run: &mut Run| {
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
    assert!(nearest(0.0) < 0.01, "tips alone let the ball through: {}", nearest(0.0));
    for shape in [1.0, 2.0] {
        assert!(nearest(shape) > 0.028, "shape {shape}: {}", nearest(shape));
    }
}

#[test]
fn a_jump_of_the_character_moves_nothing_but_the_character() {
    let jump = |on: f32| {
        let mut run = Stand::new().springy().with(sb::TELEPORT, on).start();
        run.root().rotation = Quat::from_rotation_x(0.4);
        let mut run = run.steps(3);
        let before = [0, 1, 2].map(|joint| run.seen(joint));
        run.root().translation = Vec3::new(7.0, 2.0, -3.0);
        run.root().rotation = Quat::from_rotation_y(2.0) * Quat::from_rotation_x(0.4);
        run.step();
        (0..3).map(|i| run.seen(i as u32).distance(before[i])).fold(0.0, f32::max)
    };
    assert!(jump(0.0) > 0.1, "the engine flings: {}", jump(0.0));
    assert!(jump(1.0) < 0.02, "{}", jump(1.0));
}

/// How far the end of the chain lags behind a root that has run, or turned, for some steps.
fn lag(speed: f32, turn: f32, dt: f32, rows: &[(Row, f32)]) -> f32 {
    let stand = rows.iter().fold(Stand::new().springy(), |stand, (row, value)| stand.with(*row, *value));
    let stand = stand.with(sb::SIMULATION_FRAME_RATE, 1.0 / dt);
    let mut run = stand.start();
    run.frame(dt);
    let rest = run.seen(2);
    let mut t = 0.0;
    while t < 0.1 {
        run.root().translation.x += speed * dt;
        run.root().rotation *= Quat::from_rotation_x(turn.to_radians() * dt);
        run.frame(dt);
        t += dt;
    }
    run.seen(2).distance(rest)
}

#[test]
fn beyond_its_speed_a_movement_is_felt_no_more() {
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
fn a_share_of_inertia_is_a_share_of_the_lag() {
    let [none, half, all] = [0.0, 0.5, 1.0].map(|share| lag(0.6, 0.0, DT, &[(sb::INERTIA, share)]));
    assert!(none < 1e-5, "{none}");
    assert!(half > 0.3 * all && half < 0.7 * all, "{half} {all}");
    assert_eq!(all, lag(0.6, 0.0, DT, &[]));
}

#[test]
fn tips_never_swing_faster_than_they_may() {
    let fastest = |rows: &[(Row, f32)]| {
        let stand = rows.iter().fold(Stand::new(), |stand, (row, value)| stand.with(*row, *value));
        let mut run = stand.altered(|setup| setup.joints.truncate(1)).with(sb::GRAVITY[0], 300.0).start();
        (0..60)
            .map(|_| {
                run.step();
                run.last_step(0) / DT
            })
            .fold(0.0, f32::max)
    };
    let free = fastest(&[]);
    let held = fastest(&[(sb::TIP_SPEED_LIMIT, 1.0), (sb::TIP_SPEED, 0.8)]);
    assert!(free > 2.0, "{free}");
    assert!(held < 0.8 * 1.001 && held > 0.7, "{held}");
}

#[test]
fn after_a_warm_up_the_first_picture_hangs_as_the_last_one() {
    let first = |steps: f32| {
        let mut run = Stand::new().with(sb::GRAVITY[0], 6.0).with(sb::STIFFNESS, 20.0).with(sb::WARM_UP, steps).start();
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
fn a_fade_in_starts_at_rest_and_ends_with_the_whole_motion() {
    let turned = |fade: f32, ticks: u32| {
        let run = Stand::new().with(sb::GRAVITY[0], 20.0).with(sb::FADE_IN, fade).start().steps(ticks);
        run.world.pose().local[1].rotation.angle_between(Quat::IDENTITY)
    };
    assert!(turned(0.5, 1) < 1e-3);
    let (half, whole) = (turned(0.5, 16), turned(0.0, 16));
    assert!(half > 0.3 * whole && half < 0.7 * whole, "{half} {whole}");
    assert!((turned(0.5, 300) - turned(0.0, 300)).abs() < 1e-3);
}

#[test]
fn switching_to_the_better_way_in_play_neither_warms_up_nor_fades() {
    let mut run = Stand::new().with(sb::WAY, 0.0).with(sb::FADE_IN, 2.0).with(sb::WARM_UP, 500.0).start().steps(200);
    let before = run.tip(2);
    run.setup.values.set(sb::WAY, 1.0);
    let skeleton = run.world.skeleton().clone();
    run.world.rebuild(&skeleton, std::slice::from_ref(&run.setup));
    run.step();
    assert!(run.tip(2).distance(before) < 0.02);
}

#[test]
fn a_chain_that_begins_elsewhere_is_not_carried_from_its_old_root() {
    let Stand { skeleton, setup } = Stand::new().with(sb::INERTIA, 0.0);
    let shorter = SystemSetup { joints: setup.joints[2..].to_vec(), ..setup.clone() };
    let mut run = Stand { skeleton: skeleton.clone(), setup }.start().steps(60);
    let hung = run.tip(2);
    run.world.rebuild(&skeleton, &[shorter]);
    run.step();
    assert!(run.tip(0).distance(hung) < 1e-3, "{} to {}", hung, run.tip(0));
}
