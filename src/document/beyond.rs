//! What of a document no engine will do: the improvements that act.

use crate::document::{Document, Resolved, System, SystemId};
use crate::schema::{Kind, Row, Scope, rows};
use crate::sim::Improvements;

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
    let improved = document.systems.iter().filter_map(|(id, system)| Some((*id, system, system.improvements()?)));
    improved.flat_map(|(id, system, improvements)| of_system((id, system), improvements, resolved)).collect()
}

fn of_system((id, system): (SystemId, &System), improvements: Improvements, resolved: &Resolved) -> Vec<Beyond> {
    let own = rows(system.table()).filter(|(row, def)| {
        def.scope == Scope::System && def.beyond && *row != improvements.mode && differs(system, improvements, *row)
    });
    let reach = own.map(|(row, _)| {
        let joints = reached((id, system), improvements, resolved, row);
        Beyond { system: id, row, joints }
    });
    reach.filter(|b| b.joints != Some(0)).collect()
}

/// Whether an improvement's switch is on, or a number that needs none is not what the engine does. A number of a
/// switch counts with its switch.
fn differs(system: &System, improvements: Improvements, row: Row) -> bool {
    let value = system.get(row);
    match system.def(row).kind {
        Kind::Toggle => value != 0.0,
        _ => (improvements.switch_of)(row).is_none() && value != (improvements.neutral)(row),
    }
}

/// How many joints a switch reaches, where that depends on the joints.
fn reached(
    (id, system): (SystemId, &System),
    improvements: Improvements,
    resolved: &Resolved,
    row: Row,
) -> Option<usize> {
    let reaches = (improvements.reach)(row)?;
    let setups = resolved.systems.iter().zip(&resolved.ids).filter(|(_, own)| **own == id);
    let joints = setups.flat_map(|(setup, _)| &setup.joints);
    Some(joints.filter(|joint| joint.enabled && reaches(&system.values, joint)).count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Chain, ChainId, Edit, Joint, LengthTarget, Node, Part};
    use crate::math::Trs;
    use crate::rig::{Bone, BoneId, Skeleton};
    use crate::sim::solver::spring_bone as unity;
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
