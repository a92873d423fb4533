//! Nothing of the engine is there for show: whatever is switched off turns some recording red.

use super::recording::Recording;
use super::replay::{Alter, Replay};
use super::{recordings, step_limit};
use yuremono::schema::{Kind, ParamDef, Scope, rows};
use yuremono::sim::{ForceKind, Shape, SolverKind, SystemSetup, Wind};

/// Rows that no recording can show, and why.
const UNSEEN: &[(&str, &str)] = &[("automaticUpdates", "says who calls the step, not what it does")];

/// The first recording that one step of an altered world leaves, if any does.
fn first_red<'a>(all: &'a [(String, Recording)], alter: Alter<'_>) -> Option<&'a str> {
    let red = |recording: &Recording| {
        let mut altered = recording.setup.clone();
        alter(&mut altered);
        if altered == recording.setup {
            return false;
        }
        let limit = step_limit(recording);
        let mut replay = Replay::new(recording, alter);
        std::iter::from_fn(|| replay.one_step()).any(|off| !off.within(limit.0, limit.1))
    };
    all.iter().find(|(_, recording)| red(recording)).map(|(name, _)| name.as_str())
}

/// Something else than `value` that a row can hold: nothing where there was something, all where there was nothing.
fn other(def: &ParamDef, value: f32) -> f32 {
    match def.kind {
        Kind::Toggle | Kind::Choice(_) => 1.0 - value,
        _ if value == 0.0 => def.soft_range.1,
        _ => 0.0,
    }
}

/// The short ones first: most rows are red after a few frames.
fn short_first() -> Vec<(String, Recording)> {
    let mut all = recordings();
    all.sort_by_key(|(_, recording)| recording.setup.joints.len() * recording.frames.len());
    all
}

#[test]
fn every_row_of_the_engine_matters_in_some_recording() {
    let all = short_first();
    let mut idle = Vec::new();
    for (row, def) in rows(SolverKind::UnityChanSpringBone.info().params).filter(|(_, def)| !def.beyond) {
        let alter = |setup: &mut SystemSetup| {
            let joints = setup.joints.iter_mut().map(|joint| &mut joint.values);
            let sets = joints.filter(|_| def.scope == Scope::Joint);
            for set in sets.chain((def.scope == Scope::System).then_some(&mut setup.values)) {
                set.set(row, other(def, set.get(row)));
            }
        };
        let red = first_red(&all, &alter);
        println!("{}: {}", def.name, red.unwrap_or("none"));
        if red.is_none() {
            idle.push(def.name);
        }
    }
    let expected: Vec<&str> = UNSEEN.iter().map(|(name, _)| *name).collect();
    assert_eq!(idle, expected, "rows that no recording shows");
}

/// Looks for a red recording and says what was altered if there is none.
#[track_caller]
#[expect(clippy::print_stdout, reason = "which recording shows what is worth reading")]
fn check(all: &[(String, Recording)], what: &str, alter: Alter<'_>) {
    let red = first_red(all, alter);
    println!("{what}: {}", red.unwrap_or("none"));
    assert!(red.is_some(), "no recording shows {what}");
}

#[test]
fn every_kind_of_thing_and_each_of_its_numbers_matters_in_some_recording() {
    let all = short_first();
    for kind in Shape::BASIC {
        check(&all, kind.name(), &|setup| {
            let same = setup.colliders.iter_mut().filter(|c| c.shape.name() == kind.name());
            same.for_each(|collider| collider.enabled = false);
        });
        for (at, field) in kind.fields().iter().enumerate() {
            check(&all, &format!("{} {}", kind.name(), field.name), &|setup| {
                let same = setup.colliders.iter_mut().filter(|c| c.shape.name() == kind.name());
                same.for_each(|collider| {
                    collider.shape = collider.shape.with_field(at, 0.5 * collider.shape.field(at));
                });
            });
        }
    }
    for kind in ForceKind::ALL {
        check(&all, kind.name(), &|setup| {
            let same = setup.forces.iter_mut().filter(|f| f.kind.name() == kind.name());
            same.for_each(|force| force.enabled = false);
        });
        for (at, field) in kind.fields().iter().enumerate() {
            check(&all, &format!("{} {}", kind.name(), field.name), &|setup| {
                let same = setup.forces.iter_mut().filter(|f| f.kind.name() == kind.name());
                same.for_each(|force| force.kind = force.kind.with_field(at, 0.5 * force.kind.field(at)));
            });
        }
    }
    check(&all, "the still air", &|setup| {
        setup.forces.iter_mut().for_each(|force| force.kind = ForceKind::Wind(Wind::default()));
    });
}

#[test]
fn every_link_and_switch_matters_in_some_recording() {
    let all = short_first();
    check(&all, "HighLeg", &|setup| setup.high_legs.clear());
    check(&all, "length limit targets", &|setup| setup.joints.iter_mut().for_each(|j| j.length_targets.clear()));
    check(&all, "pivots", &|setup| setup.joints.iter_mut().for_each(|j| j.pivot = None));
    check(&all, "animated bones", &|setup| setup.joints.iter_mut().for_each(|j| j.animated = false));
    check(&all, "bones that are off", &|setup| setup.joints.iter_mut().for_each(|j| j.enabled = !j.enabled));
    check(&all, "colliders that are off", &|setup| setup.colliders.iter_mut().for_each(|c| c.enabled = !c.enabled));
    check(&all, "forces that are off", &|setup| setup.forces.iter_mut().for_each(|f| f.enabled = !f.enabled));
    check(&all, "renderers that are off", &|setup| {
        setup.colliders.iter_mut().for_each(|c| c.renderer_on = !c.renderer_on);
    });
}
