//! Tests that the probe explains the movement of tips: the parts of a step add up to the movement, and each part has a
//! cause.

use super::*;
use yuremono_sim::params::{ParamGroup, ParamMeaning};
use yuremono_sim::{TipPart, TipParts};

/// Largest unexplained movement per metre of all parts, and largest movement of a part without a cause, in metres.
const TOLERANCE: f32 = 1e-6;
/// Movement of a part that counts as present, in metres.
const PRESENT: f32 = 1e-5;
const TICKS: u32 = 40;

/// Parts that no parameter and no list of a solver can cause.
fn missing_parts(kind: SolverKind) -> &'static [TipPart] {
    match kind {
        SolverKind::Vrm => &[TipPart::Force],
        SolverKind::PbdSpringBone => &[TipPart::Force, TipPart::AngleLimit],
        SolverKind::EzSoftBone => &[TipPart::AngleLimit],
        SolverKind::Hinge => &[TipPart::Force, TipPart::LengthLimit, TipPart::Collision],
        _ => &[],
    }
}

impl RandomSource {
    /// Returns a value from 0 to 1.
    fn next_share(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// Returns a value that suits most lists and shapes.
    fn next_moderate(&mut self) -> f32 {
        self.next_share() * 1.2
    }
}

/// Returns a value of a parameter within its usual range.
fn random_value(def: &ParamDef, series: &mut RandomSource) -> f32 {
    let (low, high) = def.soft_range;
    let value = low + (high - low) * series.next_share();
    match def.kind {
        ParamKind::Number | ParamKind::Degrees => value,
        ParamKind::Toggle | ParamKind::Integer | ParamKind::Choice(_) => value.round(),
    }
}

/// Returns a random setup. Every second setup has colliders, forces and component lists.
fn random_setup(kind: SolverKind, configuration: ParamValues, case: u32) -> SystemSetup {
    let mut series = RandomSource(u64::from(case) * 7919);
    let table = kind.info().params;
    let share = 1 + series.next_below(5);
    let values: Vec<Option<f32>> =
        table.iter().map(|def| series.one_in(share).then(|| random_value(def, &mut series))).collect();
    let at = |name: &str| table.iter().position(|def| def.name == name);
    let mut setup = setup(kind, configuration, |name| values[at(name)?].or_else(|| swinging_value(name)));
    if let Some(preview) = kind.info().preview_param {
        setup.values.set(preview, (case / 2 % 3) as f32);
    }
    for joint in &mut setup.joints {
        for (param, def) in enumerate_params(table) {
            if def.scope == ParamScope::Joint && series.one_in(share * 3) {
                joint.values.set(param, random_value(def, &mut series));
            }
        }
        joint.enabled = !series.one_in(12);
    }
    if case % 2 == 1 {
        setup = with_colliders_and_forces(setup);
        with_random_lists(&mut setup, &mut series, RandomSource::next_moderate);
    }
    setup
}

fn setups(kind: SolverKind, configuration: ParamValues) -> impl Iterator<Item = (u32, SystemSetup)> {
    (0..cases(36)).map(move |case| (case, random_setup(kind, configuration, case)))
}

fn tips(world: &World) -> Vec<Vec3> {
    joints().map(|joint| world.tip(joint).expect("a joint")).collect()
}

/// A movement of a tip in one step.
#[derive(Debug)]
#[expect(dead_code, reason = "tests print the tick and the joint")]
struct Movement {
    tick: u32,
    joint: JointIndex,
    moved: Vec3,
    parts: TipParts,
    /// Whether the tip has no velocity after the step, as after a reset.
    is_stopped: bool,
}

impl Movement {
    /// Returns the largest movement that may be without a cause because of rounding.
    fn tolerance(&self) -> f32 {
        TOLERANCE * (1.0 + self.parts.iter().map(|(_, part)| part.length()).sum::<f32>())
    }
}

/// Drags a world and calls `check` after each step for each tip. Returns whether the guard against invalid motion never
/// acted.
fn drag(setup: SystemSetup, mut check: impl FnMut(&Movement)) -> bool {
    let skeleton = skeleton();
    let mut world = World::build(&skeleton, &[setup]);
    world.set_probed(true);
    for tick in 0..TICKS {
        let pose = driven_pose(&skeleton, tick);
        let before = tips(&world);
        // Some frames are short, so that solvers with fixed steps take no step or several steps.
        let dt = if tick % 7 == 0 { DT * 0.3 } else { DT };
        world.step(&StepInput { pose: &pose, grab: None, dt });
        if !world.out_of_bounds_joints().is_empty() {
            return false;
        }
        for ((joint, before), now) in joints().zip(before).zip(tips(&world)) {
            let parts = world.tip_parts(joint).expect("a probed joint");
            let is_stopped = world.previous_tip(joint) == Some(now);
            check(&Movement { tick, joint, moved: now - before, parts, is_stopped });
        }
    }
    true
}

/// Checks that the parts add up, and that the part [`TipPart::Other`] is zero. An invalid tip is reset and stops.
/// In a few cases, a solver resets only the angle of a joint.
pub(super) fn check_sums(kind: SolverKind, configuration: ParamValues) {
    let (mut valid, mut reset) = (0, Vec::new());
    for (case, setup) in setups(kind, configuration) {
        let mut other = None;
        let is_valid = drag(setup, |movement| {
            let Movement { moved, parts, is_stopped, .. } = movement;
            let off = parts.sum().distance(*moved);
            assert!(off < movement.tolerance(), "case {case}, {off} m off: {movement:?}");
            if parts.get(TipPart::Other).length() > movement.tolerance() && !is_stopped {
                other.get_or_insert_with(|| format!("case {case}: {movement:?}"));
            }
        });
        valid += u32::from(is_valid);
        reset.extend(other.filter(|_| is_valid));
    }
    assert!(valid * 2 > cases(36), "the guard acted in all but {valid} cases");
    assert!(reset.len() as u32 * 100 <= valid, "not explained:\n{}", reset.join("\n"));
}

pub(super) fn check_unchanged_motion(kind: SolverKind, configuration: ParamValues) {
    let skeleton = skeleton();
    for (case, setup) in setups(kind, configuration) {
        let mut plain = World::build(&skeleton, std::slice::from_ref(&setup));
        let mut probed = plain.clone();
        probed.set_probed(true);
        for tick in 0..TICKS {
            let pose = driven_pose(&skeleton, tick);
            let joint = JointIndex { system: 0, joint: 2 };
            let grab = (tick > 30).then_some(JointGrab { joint, target: GrabTarget::Tip(Vec3::new(0.3, 1.0, 0.0)) });
            for world in [&mut plain, &mut probed] {
                world.step(&StepInput { pose: &pose, grab, dt: DT });
            }
            let bits = |world: &World| -> Vec<[u32; 3]> {
                tips(world).into_iter().map(|tip| tip.to_array().map(f32::to_bits)).collect()
            };
            assert_eq!(bits(&plain), bits(&probed), "case {case}, tick {tick}");
            assert_eq!(plain.pose(), probed.pose(), "case {case}, tick {tick}");
        }
    }
}

/// Returns the value at which a parameter does not limit angles; `None` if the parameter limits no angles.
fn unlimited_value(def: &ParamDef) -> Option<f32> {
    match def.name {
        // A hinge may turn more often than its table allows for.
        "minAngle" => Some(-1e18),
        "maxAngle" => Some(1e18),
        name if name.starts_with("AngularLimits") => Some(def.default),
        // The clamp to a plane is a switch in the table.
        "m_FreezeAxis" => Some(0.0),
        _ => (def.group == ParamGroup::AngleLimits || def.meaning == ParamMeaning::Limit).then_some(0.0),
    }
}

/// Removes every cause of a part from a setup.
fn without_cause(mut setup: SystemSetup, part: TipPart) -> SystemSetup {
    let clear = |def: &ParamDef| {
        let is_cause = match part {
            TipPart::Spring => def.meaning == ParamMeaning::Stiffness,
            TipPart::Gravity => def.meaning == ParamMeaning::Gravity,
            // Some solvers have a constant force, which is an acceleration in their tables.
            TipPart::Force => matches!(def.meaning, ParamMeaning::Gravity | ParamMeaning::Wind),
            TipPart::Collision => def.group == ParamGroup::Collision && def.kind == ParamKind::Toggle,
            TipPart::AngleLimit => return unlimited_value(def),
            _ => unreachable!("{part:?} always has a cause"),
        };
        is_cause.then_some(0.0)
    };
    let sets = setup.joints.iter_mut().map(|joint| &mut joint.values);
    for values in sets.chain([&mut setup.values]) {
        for (param, def) in enumerate_params(setup.solver.info().params) {
            if let Some(value) = clear(def) {
                values.set(param, value);
            }
        }
    }
    match part {
        TipPart::Spring => setup.joint_dynamics.points.iter_mut().for_each(|point| point.fade = 0.0),
        TipPart::Force => {
            setup.forces.clear();
            setup.ez_soft_bone.force_field = None;
            setup.joint_dynamics.grabbers.clear();
        }
        TipPart::Collision => {
            setup.colliders.clear();
            setup.ez_soft_bone.colliders.clear();
            setup.joint_dynamics.colliders.clear();
            setup.joint_dynamics.planes.clear();
            setup.joints.iter_mut().for_each(|joint| joint.colliders.clear());
        }
        TipPart::AngleLimit => setup.vrm.iter_mut().for_each(|joint| joint.limit = None),
        _ => {}
    }
    setup
}

pub(super) fn check_absent_causes(kind: SolverKind, configuration: ParamValues) {
    let causes = [TipPart::Spring, TipPart::Gravity, TipPart::Force, TipPart::Collision, TipPart::AngleLimit];
    for part in causes {
        let mut valid = 0;
        for (case, setup) in setups(kind, configuration) {
            let mut found = Vec::new();
            let is_valid = drag(without_cause(setup, part), |movement| {
                if movement.parts.get(part).length() > movement.tolerance() {
                    found.push(format!("case {case}: {part:?} without a cause in {movement:?}"));
                }
            });
            assert!(!is_valid || found.is_empty(), "{}", found.join("\n"));
            valid += u32::from(is_valid);
        }
        assert!(valid * 2 > cases(36), "the guard acted in all but {valid} cases without {part:?}");
    }
}

/// Turns every angle limit on, with a narrow range.
fn with_angle_limits(mut setup: SystemSetup) -> SystemSetup {
    let sets = setup.joints.iter_mut().map(|joint| &mut joint.values);
    for values in sets.chain([&mut setup.values]) {
        for (param, def) in enumerate_params(setup.solver.info().params) {
            let value = match (def.group, def.kind) {
                (ParamGroup::AngleLimits, ParamKind::Toggle) => 1.0,
                (ParamGroup::AngleLimits, ParamKind::Degrees) if def.range.0 < -5.0 => {
                    values.get(param).clamp(-5.0, 5.0)
                }
                (ParamGroup::AngleLimits, ParamKind::Degrees) => 5.0,
                _ => continue,
            };
            values.set(param, value);
        }
    }
    setup
}

pub(super) fn check_present_parts(kind: SolverKind, configuration: ParamValues) {
    let mut most = [0.0_f32; TipPart::ALL.len()];
    let limited = || with_angle_limits(setup(kind, configuration, swinging_value));
    let colliding = || with_colliders_and_forces(setup(kind, configuration, |_| None));
    let random = setups(kind, configuration).map(|(_, setup)| setup);
    for setup in random.chain([limited(), colliding()]) {
        drag(setup, |movement| {
            for (part, moved) in movement.parts.iter() {
                most[part as usize] = most[part as usize].max(moved.length());
            }
        });
    }
    for part in TipPart::ALL.into_iter().filter(|part| *part != TipPart::Other) {
        let is_present = most[part as usize] > PRESENT;
        assert_eq!(is_present, !missing_parts(kind).contains(&part), "{part:?}: {} m", most[part as usize]);
    }
}
