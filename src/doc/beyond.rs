//! What of a document no engine will do: the improvements that act.

use super::{Document, Resolved, System, SystemId};
use crate::schema::{Kind, Row, Scope, rows};
use crate::sim::solver::spring_bone as unity;
use crate::sim::{JointSetup, SolverKind};

/// An improvement that acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beyond {
    /// Whose.
    pub system: SystemId,
    /// Its switch or number, a row of system scope; `def.label` names it.
    pub row: Row,
    /// How many joints it reaches; `None`: the whole character.
    pub joints: Option<usize>,
}

/// The improvements that act on the document, system by system in their tables' order; none of those that run as the
/// engine does it. A switch that is on and reaches no joint is left out.
pub fn beyond(document: &Document, resolved: &Resolved) -> Vec<Beyond> {
    let improved = document.systems.iter().filter(|(_, system)| system.is_improved());
    improved.flat_map(|(id, system)| of_system(*id, system, resolved)).collect()
}

fn of_system(id: SystemId, system: &System, resolved: &Resolved) -> Vec<Beyond> {
    let own = rows(system.table()).filter(|(row, def)| {
        def.scope == Scope::System && def.beyond && differs(system, *row) && Some(*row) != way(system.solver)
    });
    let reach = own.map(|(row, _)| Beyond { system: id, row, joints: reached(id, system, resolved, row) });
    reach.filter(|b| b.joints != Some(0)).collect()
}

/// The row that chooses between the engine's way and the improved one.
pub const fn way(solver: SolverKind) -> Option<Row> {
    match solver {
        SolverKind::UnityChanSpringBone => Some(unity::WAY),
        _ => None,
    }
}

/// The switch that a number or a joint's value belongs to; `None` where it acts by itself.
pub const fn switch_of(solver: SolverKind, row: Row) -> Option<Row> {
    match solver {
        SolverKind::UnityChanSpringBone => match row {
            unity::SOFTNESS => Some(unity::SOFT_LIMITS),
            unity::LENGTH_CONSTANT => Some(unity::STRONG_LENGTHS),
            unity::BONE_SHAPE | unity::HEAD_RADIUS => Some(unity::BONE_SHAPES),
            unity::TELEPORT_SPEED | unity::TELEPORT_TURN => Some(unity::TELEPORT),
            unity::SLIDE_SPEED => Some(unity::SLIDE_LIMIT),
            unity::TURN_SPEED => Some(unity::TURN_LIMIT),
            unity::TIP_SPEED => Some(unity::TIP_SPEED_LIMIT),
            row if row.0 == unity::BOX_HALF[0].0 || row.0 == unity::BOX_HALF[1].0 => Some(unity::BONE_SHAPES),
            _ => None,
        },
        _ => None,
    }
}

/// Whether an improvement's switch is on, or a number that needs none is not what the engine does. A number of a
/// switch counts with its switch.
fn differs(system: &System, row: Row) -> bool {
    let value = system.get(row);
    match system.def(row).kind {
        Kind::Toggle => value != 0.0,
        _ => switch_of(system.solver, row).is_none() && value != neutral(row),
    }
}

/// The number at which an improvement without switch does nothing.
fn neutral(row: Row) -> f32 {
    if row == unity::INERTIA { 1.0 } else { 0.0 }
}

/// How many joints a switch reaches, where that depends on the joints.
fn reached(id: SystemId, system: &System, resolved: &Resolved, row: Row) -> Option<usize> {
    let count = |reaches: &dyn Fn(&JointSetup) -> bool| {
        let setups = resolved.systems.iter().zip(&resolved.ids).filter(|(_, own)| **own == id);
        let joints = setups.flat_map(|(setup, _)| &setup.joints);
        Some(joints.filter(|j| j.enabled && reaches(j)).count())
    };
    let on = |row: Row| system.get(row) != 0.0;
    let limited = |j: &JointSetup| {
        let active = j.values.get(unity::Y_ACTIVE) != 0.0 || j.values.get(unity::Z_ACTIVE) != 0.0;
        active && j.pivot.is_some() && on(unity::ENABLE_ANGLE_LIMITS)
    };
    match row {
        unity::WIDE_LIMITS => count(&limited),
        unity::SOFT_LIMITS => count(&|j| limited(j) && j.values.get(unity::SOFTNESS) > 0.0),
        unity::STRONG_LENGTHS => count(&|j| {
            let own = j.values.get(unity::LENGTH_CONSTANT);
            let stock = system.def(unity::LENGTH_CONSTANT).default;
            on(unity::ENABLE_LENGTH_LIMITS) && j.length_targets.iter().any(|t| t.constant.unwrap_or(own) != stock)
        }),
        unity::BONE_SHAPES => count(&|j| {
            let hits = !j.colliders.is_empty() && on(unity::ENABLE_COLLISION);
            hits && j.values.get(unity::BONE_SHAPE) != 0.0
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::{Chain, ChainId, Edit, Joint, LengthTarget, Node, Part};
    use crate::math::Trs;
    use crate::rig::{Bone, BoneId, Skeleton};
    use glam::Vec3;

    fn skeleton() -> Skeleton {
        let bone = |i: u32| Bone {
            name: format!("b{i}"),
            parent: i.checked_sub(1).map(BoneId),
            rest: Trs::from_translation(Vec3::Y * -0.1),
        };
        Skeleton::new((0..5).map(bone).collect()).expect("parents first")
    }

    fn found(document: &Document) -> Vec<(&'static str, Option<usize>)> {
        let all = beyond(document, &document.resolve(&skeleton()));
        all.into_iter().map(|b| (document.main().def(b.row).name, b.joints)).collect()
    }

    #[test]
    fn what_no_engine_does_is_listed_with_the_joints_that_it_reaches() {
        let mut d = Document::default();
        let joints = [1, 2, 3].map(|i| Joint::new(BoneId(i))).to_vec();
        let mut chain = Chain::new("skirt", Part::Skirt, d.main().table(), joints);
        chain.joints[1].length_targets = vec![LengthTarget::new(Node::Bone(BoneId(4)))];
        d.chains.insert(ChainId(1), chain);
        let set = |d: &mut Document, row, value| {
            d.apply(Edit::SetSystem { system: SystemId::default(), row, value }).expect("a number");
        };
        assert!(found(&d).is_empty(), "as Unity does it");
        set(&mut d, unity::WAY, 1.0);
        let whole = ["scaledRadii", "steadyPace", "noKicks", "teleport"].map(|name| (name, None));
        assert_eq!(found(&d), whole, "no limit, no length pull, no shape");
        d.apply(Edit::SetBase { chain: ChainId(1), row: unity::LENGTH_CONSTANT, value: 900.0 }).expect("a number");
        assert_eq!(found(&d)[0], ("strongLengths", Some(1)));
        set(&mut d, unity::STRONG_LENGTHS, 0.0);
        set(&mut d, unity::INERTIA, 0.5);
        set(&mut d, unity::SLIDE_SPEED, 3.0);
        assert_eq!(found(&d)[4..], [("inertia", None)], "the speed has a switch, and that is off");
        set(&mut d, unity::WAY, 0.0);
        assert!(found(&d).is_empty());
    }
}
