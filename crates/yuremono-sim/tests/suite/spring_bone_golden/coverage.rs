//! Mutation test: changing any input of the solver must make a recording fail.

use super::recording::Recording;
use super::replay::{AlterSetup, Replay};
use super::{recordings, step_tolerance};
use yuremono_sim::params::{ParamDef, ParamKind, ParamScope, enumerate_params};
use yuremono_sim::{ColliderShape, ForceKind, SolverKind, SystemSetup, Wind};

/// Parameters that no recording can test, each with the reason.
const UNRECORDED_PARAMS: &[(&str, &str)] = &[("automaticUpdates", "only sets who calls the step")];

/// Returns the first recording that fails after one step of an altered world, if any.
fn first_broken_recording<'a>(all: &'a [(String, Recording)], alter: AlterSetup<'_>) -> Option<&'a str> {
    let red = |recording: &Recording| {
        let mut altered = recording.setup.clone();
        alter(&mut altered);
        if altered == recording.setup {
            return false;
        }
        let limit = step_tolerance(recording);
        let mut replay = Replay::new(recording, alter);
        std::iter::from_fn(|| replay.step_from_recorded_state()).any(|off| !off.is_within(limit.0, limit.1))
    };
    all.iter().find(|(_, recording)| red(recording)).map(|(name, _)| name.as_str())
}

/// Returns a different valid value of a parameter: the other state of a toggle, 0 for a number, or the maximum for 0.
fn other_value(def: &ParamDef, value: f32) -> f32 {
    match def.kind {
        ParamKind::Toggle | ParamKind::Choice(_) => 1.0 - value,
        _ if value == 0.0 => def.soft_range.1,
        _ => 0.0,
    }
}

/// Returns the recordings, starting with the shortest, because most altered parameters fail after a few frames.
fn recordings_by_length() -> Vec<(String, Recording)> {
    let mut all = recordings();
    all.sort_by_key(|(_, recording)| recording.setup.joints.len() * recording.frames.len());
    all
}

#[test]
fn every_original_param_affects_some_recording() {
    let all = recordings_by_length();
    let mut idle = Vec::new();
    for (param, def) in
        enumerate_params(SolverKind::UnityChanSpringBone.info().params).filter(|(_, def)| !def.extension)
    {
        let alter = |setup: &mut SystemSetup| {
            let joints = setup.joints.iter_mut().map(|joint| &mut joint.values);
            let sets = joints.filter(|_| def.scope == ParamScope::Joint);
            for set in sets.chain((def.scope == ParamScope::System).then_some(&mut setup.values)) {
                set.set(param, other_value(def, set.get(param)));
            }
        };
        let red = first_broken_recording(&all, &alter);
        println!("{}: {}", def.name, red.unwrap_or("none"));
        if red.is_none() {
            idle.push(def.name);
        }
    }
    let expected: Vec<&str> = UNRECORDED_PARAMS.iter().map(|(name, _)| *name).collect();
    assert_eq!(idle, expected, "parameters that no recording tests");
}

/// Searches for a failing recording. Panics with the name of the altered part if all recordings pass.
#[track_caller]
#[expect(clippy::print_stdout, reason = "which recording shows what is worth reading")]
fn check_breaks_a_recording(all: &[(String, Recording)], what: &str, alter: AlterSetup<'_>) {
    let red = first_broken_recording(all, alter);
    println!("{what}: {}", red.unwrap_or("none"));
    assert!(red.is_some(), "no recording tests {what}");
}

#[test]
fn every_shape_and_force_field_affects_some_recording() {
    let all = recordings_by_length();
    for kind in ColliderShape::BASIC {
        check_breaks_a_recording(&all, kind.component_name(), &|setup| {
            let same = setup.colliders.iter_mut().filter(|c| c.shape.component_name() == kind.component_name());
            same.for_each(|collider| collider.enabled = false);
        });
        for (at, field) in kind.fields().iter().enumerate() {
            check_breaks_a_recording(&all, &format!("{} {}", kind.component_name(), field.name), &|setup| {
                let same = setup.colliders.iter_mut().filter(|c| c.shape.component_name() == kind.component_name());
                same.for_each(|collider| {
                    collider.shape = collider.shape.with_field(at, 0.5 * collider.shape.field(at));
                });
            });
        }
    }
    for kind in ForceKind::ALL {
        check_breaks_a_recording(&all, kind.component_name(), &|setup| {
            let same = setup.forces.iter_mut().filter(|f| f.kind.component_name() == kind.component_name());
            same.for_each(|force| force.enabled = false);
        });
        for (at, field) in kind.fields().iter().enumerate() {
            check_breaks_a_recording(&all, &format!("{} {}", kind.component_name(), field.name), &|setup| {
                let same = setup.forces.iter_mut().filter(|f| f.kind.component_name() == kind.component_name());
                same.for_each(|force| force.kind = force.kind.with_field(at, 0.5 * force.kind.field(at)));
            });
        }
    }
    check_breaks_a_recording(&all, "the still air", &|setup| {
        setup.forces.iter_mut().for_each(|force| force.kind = ForceKind::Wind(Wind::default()));
    });
}

#[test]
fn every_reference_and_toggle_affects_some_recording() {
    let all = recordings_by_length();
    check_breaks_a_recording(&all, "HighLeg", &|setup| setup.high_legs.clear());
    check_breaks_a_recording(&all, "length limit targets", &|setup| {
        setup.joints.iter_mut().for_each(|j| j.length_targets.clear());
    });
    check_breaks_a_recording(&all, "pivots", &|setup| setup.joints.iter_mut().for_each(|j| j.pivot = None));
    check_breaks_a_recording(&all, "animated bones", &|setup| setup.joints.iter_mut().for_each(|j| j.animated = false));
    check_breaks_a_recording(&all, "bones that are off", &|setup| {
        setup.joints.iter_mut().for_each(|j| j.enabled = !j.enabled);
    });
    check_breaks_a_recording(&all, "colliders that are off", &|setup| {
        setup.colliders.iter_mut().for_each(|c| c.enabled = !c.enabled);
    });
    check_breaks_a_recording(&all, "forces that are off", &|setup| {
        setup.forces.iter_mut().for_each(|f| f.enabled = !f.enabled);
    });
    check_breaks_a_recording(&all, "renderers that are off", &|setup| {
        setup.colliders.iter_mut().for_each(|c| c.renderer_on = !c.renderer_on);
    });
}
