//! The active extensions of a document: behaviour that a solver's original does not have.

use crate::document::{Document, ResolvedDocument, System, SystemId};
use yuremono_sim::Improvements;
use yuremono_sim::params::{ParamId, ParamKind, ParamScope, enumerate_params};

/// An extension that is on and has an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveExtension {
    pub system: SystemId,
    /// The parameter of the extension. It has system scope.
    pub param: ParamId,
    /// Number of affected joints, or `None` if the extension affects the whole character.
    pub joint_count: Option<usize>,
}

/// Returns the active extensions of all improved systems, in the order of their tables. Switches that are on but affect
/// no joint are omitted.
pub fn active_extensions(document: &Document, resolved: &ResolvedDocument) -> Vec<ActiveExtension> {
    let improved = document.systems.iter().filter_map(|(id, system)| Some((*id, system, system.improvements()?)));
    improved.flat_map(|(id, system, improvements)| system_extensions(id, system, improvements, resolved)).collect()
}

fn system_extensions(
    id: SystemId,
    system: &System,
    improvements: Improvements,
    resolved: &ResolvedDocument,
) -> Vec<ActiveExtension> {
    let own = enumerate_params(system.param_defs()).filter(|(param, def)| {
        def.scope == ParamScope::System
            && def.extension
            && *param != improvements.mode
            && is_active(system, improvements, *param)
    });
    let reach = own.map(|(param, _)| {
        let joints = affected_joint_count(id, system, improvements, resolved, param);
        ActiveExtension { system: id, param, joint_count: joints }
    });
    reach.filter(|b| b.joint_count != Some(0)).collect()
}

/// Whether a switch is on, or a number without a switch differs from its neutral value. A number with a switch is
/// reported with the switch.
fn is_active(system: &System, improvements: Improvements, param: ParamId) -> bool {
    let value = system.get(param);
    match system.def(param).kind {
        ParamKind::Toggle => value != 0.0,
        _ => (improvements.switch_of)(param).is_none() && value != (improvements.neutral_value)(param),
    }
}

fn affected_joint_count(
    id: SystemId,
    system: &System,
    improvements: Improvements,
    resolved: &ResolvedDocument,
    param: ParamId,
) -> Option<usize> {
    let reaches = (improvements.affected_joints)(param)?;
    let setups = resolved.systems.iter().zip(&resolved.system_ids).filter(|(_, own)| **own == id);
    let joints = setups.flat_map(|(setup, _)| &setup.joints);
    Some(joints.filter(|joint| joint.enabled && reaches(&system.values, joint)).count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Chain, ChainId, ChainPart, Edit, Joint, LengthTarget, Node};
    use glam::Vec3;
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::{Bone, BoneId, Skeleton};
    use yuremono_sim::solver::spring_bone as unity;

    fn skeleton() -> Skeleton {
        let bone = |i: u32| Bone {
            name: format!("b{i}"),
            parent: i.checked_sub(1).map(BoneId),
            rest: Trs::from_translation(Vec3::Y * -0.1),
        };
        Skeleton::new((0..5).map(bone).collect()).expect("parents first")
    }

    fn found_extensions(document: &Document) -> Vec<(&'static str, Option<usize>)> {
        let all = active_extensions(document, &document.resolve(&skeleton()));
        all.into_iter().map(|b| (document.main_system().def(b.param).name, b.joint_count)).collect()
    }

    #[test]
    fn active_extensions_are_listed_with_their_joint_count() {
        let mut d = Document::default();
        let joints = [1, 2, 3].map(|i| Joint::new(BoneId(i))).to_vec();
        let mut chain = Chain::new("skirt", ChainPart::Skirt, d.main_system().param_defs(), joints);
        chain.joints[1].length_targets = vec![LengthTarget::new(Node::Bone(BoneId(4)))];
        d.chains.insert(ChainId(1), chain);
        let set = |d: &mut Document, param, value| {
            d.apply(Edit::SetSystemValue { system: SystemId::default(), param, value }).expect("a number");
        };
        assert!(found_extensions(&d).is_empty(), "the Unity-accurate mode has no extensions");
        set(&mut d, unity::MODE, 1.0);
        let whole = ["scaledRadii", "steadyPace", "noKicks", "teleport"].map(|name| (name, None));
        assert_eq!(found_extensions(&d), whole, "only extensions that affect the whole character");
        d.apply(Edit::SetBaseValue { chain: ChainId(1), param: unity::LENGTH_CONSTANT, value: 900.0 })
            .expect("a number");
        assert_eq!(found_extensions(&d)[0], ("strongLengths", Some(1)));
        set(&mut d, unity::STRONG_LENGTH_LIMITS, 0.0);
        set(&mut d, unity::INERTIA, 0.5);
        set(&mut d, unity::SLIDE_SPEED, 3.0);
        assert_eq!(found_extensions(&d)[4..], [("inertia", None)], "the switch of the speed is off");
        set(&mut d, unity::MODE, 0.0);
        assert!(found_extensions(&d).is_empty());
    }
}
