//! Findings about colliders, forces and scaled bones.

use super::{Examination, Finding, FindingKind, Subject, name_list};
use crate::document::{
    Collider, ColliderId, Document, Edit, Force, Helper, HelperRole, Node, RestFrames, bone_of_node, difference,
};
use crate::tools::body::hit_radius_param;
use crate::tools::setup_cleanup::set_parent;
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::math::Frame;
use yuremono_sim::params::{ParamId, ParamMeaning, ParamScope, enumerate_params};
use yuremono_sim::rig::BoneId;
use yuremono_sim::{ForceKind, LengthScale, SolverKind, Wind};

/// Relative difference from which scales differ.
const SCALE_TOLERANCE: f32 = 0.01;

pub(super) fn colliders_on_spring_bones(examination: &Examination<'_>) -> Vec<Finding> {
    let document = examination.document;
    let simulated: BTreeSet<BoneId> = examination.joints().map(|joint| joint.bone()).collect();
    let used: BTreeSet<ColliderId> = {
        let joints = document.chains.values().flat_map(|chain| chain.joints.iter().map(move |joint| (chain, joint)));
        joints.flat_map(|(chain, joint)| document.colliders_of(chain, joint)).collect()
    };
    let anchor = |bone: BoneId| {
        let mut above = std::iter::successors(Some(bone), |bone| examination.skeleton().get_parent(*bone));
        let top = above.by_ref().filter(|bone| simulated.contains(bone)).last()?;
        examination.skeleton().get_parent(top)
    };
    let found: Vec<(ColliderId, BoneId)> = document
        .colliders
        .iter()
        .filter(|(id, collider)| collider.enabled && used.contains(id))
        .filter_map(|(id, collider)| Some((*id, anchor(bone_of_node(document, collider.node)?)?)))
        .collect();
    if found.is_empty() {
        return Vec::new();
    }
    let name = |(id, _): &(ColliderId, BoneId)| document.colliders[id].name.clone();
    let message = message!(
        "{colliders}: the collider is a child of a simulated bone, so it swings too, and joints hit it where it was in the \
         last step. Make it a child of a bone of the body",
        colliders = name_list(found.iter().map(name))
    );
    let subjects = found.iter().map(|(id, _)| Subject::Collider(*id)).collect();
    let fix = move_colliders(examination, &found);
    vec![Finding { kind: FindingKind::ColliderOnSpringBone, message, subjects, fix: None }.with_fix(fix)]
}

/// Makes colliders children of other bones, in the same place of the rest pose.
fn move_colliders(examination: &Examination<'_>, found: &[(ColliderId, BoneId)]) -> Option<Edit> {
    let mut after: Document = examination.document.clone();
    let rest = RestFrames::of(&after, examination.skeleton());
    for (id, bone) in found {
        let parent = Node::Bone(*bone);
        match after.colliders[id].node {
            Node::Helper(helper) => {
                let change = set_parent(&after, examination.skeleton(), &BTreeSet::from([helper]), parent);
                after.apply(change.edit).ok()?;
            }
            node @ Node::Bone(_) => {
                let frame = rest.frame(node)?;
                let local = rest.local_transform_in(parent, frame.position, frame.rotation, Vec3::ONE)?;
                let helper = after.next_helper_id();
                let name = after.colliders[id].name.clone();
                after.helpers.insert(helper, Helper { name, parent, local, role: HelperRole::Plain });
                let collider: &mut Collider = after.colliders.get_mut(id)?;
                collider.node = Node::Helper(helper);
            }
        }
    }
    Some(difference(examination.document, &after))
}

/// Why a force has no effect.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IdleReason {
    /// The strength is zero.
    ZeroStrength,
    /// No solver with chains has forces.
    UnsupportedBySolvers,
    /// All joints have a wind influence of zero.
    ZeroInfluence,
}

pub(super) fn idle_forces(examination: &Examination<'_>) -> Vec<Finding> {
    let document = examination.document;
    let (mut supports, mut receives) = (false, false);
    for joint in examination.joints() {
        let table = joint.system.solver.info().params;
        let influences = enumerate_params(table)
            .filter(|(_, def)| def.scope == ParamScope::Joint && def.meaning == ParamMeaning::Wind);
        for (param, _) in influences {
            supports = true;
            receives |= joint.setup.values.get(param) != 0.0;
        }
    }
    let reason = |force: &Force| match force.kind {
        ForceKind::Volume { strength: 0.0 } => Some(IdleReason::ZeroStrength),
        ForceKind::Wind(wind) if !wind.has_force() => Some(IdleReason::ZeroStrength),
        _ if !supports => Some(IdleReason::UnsupportedBySolvers),
        _ => (!receives).then_some(IdleReason::ZeroInfluence),
    };
    let mut findings = Vec::new();
    for why in [IdleReason::ZeroStrength, IdleReason::UnsupportedBySolvers, IdleReason::ZeroInfluence] {
        let idle: Vec<_> = document.forces.iter().filter(|(_, f)| f.enabled && reason(f) == Some(why)).collect();
        if idle.is_empty() || document.joint_count() == 0 {
            continue;
        }
        let forces = name_list(idle.iter().map(|(_, force)| force.name.clone()));
        let text: MessageText = match why {
            IdleReason::ZeroStrength => message!(
                "{forces}: the force has no strength, so it moves nothing. Set its strength, or turn it off",
                forces
            ),
            IdleReason::UnsupportedBySolvers => message!(
                "{forces}: the solvers of this character have no forces, so it moves nothing. Turn it off",
                forces
            ),
            IdleReason::ZeroInfluence => message!(
                "{forces}: the wind influence of all joints is 0, so it moves nothing. Set the wind influence, or turn the force off",
                forces
            ),
        };
        let fixed = |force: &Force| match force.kind {
            ForceKind::Wind(wind) if why == IdleReason::ZeroStrength => {
                Force { kind: ForceKind::Wind(started(wind)), ..force.clone() }
            }
            _ => Force { enabled: false, ..force.clone() },
        };
        let edits = idle.iter().map(|(id, force)| Edit::PutForce { id: **id, force: Some(fixed(force)) }).collect();
        let subjects = idle.iter().map(|(id, _)| Subject::Force(**id)).collect();
        findings.push(Finding { kind: FindingKind::IdleForce, message: text, subjects, fix: Some(Edit::Batch(edits)) });
    }
    findings
}

/// A wind that blows: the values that stop it get their defaults, and the full weight.
fn started(wind: Wind) -> Wind {
    let nonzero = |value: f32, other: f32| if value == 0.0 { other } else { value };
    let period = if wind.period > 0.001 { wind.period } else { Wind::DEFAULT.period };
    Wind { weight: nonzero(wind.weight, 1.0), strength: nonzero(wind.strength, Wind::DEFAULT.strength), period, ..wind }
}

/// The bones whose frames matter: joints with their parents, and the bones of colliders.
fn used_bones(examination: &Examination<'_>) -> BTreeSet<BoneId> {
    let colliders = examination.document.colliders.values().filter(|collider| collider.enabled);
    let colliders = colliders.filter_map(|collider| bone_of_node(examination.document, collider.node));
    let bones: BTreeSet<BoneId> = examination.joints().map(|joint| joint.bone()).chain(colliders).collect();
    bones.into_iter().filter(|bone| bone.index() < examination.skeleton().len()).collect()
}

/// The bones that have a scale of their own, at or above the given bones.
fn scaled_bones(examination: &Examination<'_>, bones: impl Iterator<Item = BoneId>) -> Vec<BoneId> {
    let skeleton = examination.skeleton();
    let above = bones.flat_map(|bone| std::iter::successors(Some(bone), |bone| skeleton.get_parent(*bone)));
    let is_scaled = |bone: &BoneId| !skeleton.bone(*bone).rest.scale.abs_diff_eq(Vec3::ONE, SCALE_TOLERANCE);
    above.filter(is_scaled).collect::<BTreeSet<_>>().into_iter().collect()
}

fn is_uneven(frame: &Frame) -> bool {
    let linear = frame.linear();
    let lengths = [linear.x_axis, linear.y_axis, linear.z_axis].map(Vec3::length);
    let (least, most) = (lengths.into_iter().fold(f32::MAX, f32::min), lengths.into_iter().fold(0.0, f32::max));
    frame.scaled && (linear.determinant() < 0.0 || most > (1.0 + SCALE_TOLERANCE) * least)
}

pub(super) fn uneven_scales(examination: &Examination<'_>) -> Vec<Finding> {
    let frames = examination.world.frames();
    let uneven = used_bones(examination).into_iter().filter(|bone| is_uneven(frames.frame(*bone)));
    let bones = scaled_bones(examination, uneven);
    if bones.is_empty() {
        return Vec::new();
    }
    let message = message!(
        "{bones}: the scale is uneven or negative, which solvers treat differently: lengths and radii come out wrong in some \
         directions. Apply the scale in the modelling program",
        bones = examination.bone_names(&bones)
    );
    vec![Finding::new(FindingKind::UnevenScale, message, bones)]
}

/// Scaled bones in systems that measure lengths without the scale, one finding for each solver.
pub(super) fn scaled_lengths(examination: &Examination<'_>) -> Vec<Finding> {
    let mut of_solver: BTreeMap<SolverKind, Vec<(BoneId, f32)>> = BTreeMap::new();
    for joint in examination.joints() {
        let is_ignored = match joint.system.solver.info().length_scale {
            LengthScale::Follows => false,
            LengthScale::Ignored => true,
            LengthScale::FollowsWith(param) => joint.system.values.get(param) < 0.5,
        };
        let frame = examination.world.frames().frame(joint.bone());
        let scale = frame.linear().x_axis.length();
        if is_ignored && frame.scaled && !is_uneven(frame) && (scale - 1.0).abs() > SCALE_TOLERANCE {
            of_solver.entry(joint.system.solver).or_default().push((joint.bone(), scale));
        }
    }
    let finding = |(solver, joints): (SolverKind, Vec<(BoneId, f32)>)| {
        let scale = joints.first().map_or_else(String::new, |(_, scale)| format!("{scale:.3}"));
        let bones = scaled_bones(examination, joints.into_iter().map(|(bone, _)| bone));
        let names = examination.bone_names(&bones);
        let (message, fix) = match solver.info().length_scale {
            LengthScale::FollowsWith(param) => (
                message!(
                    "{names}: the scale is {scale}, but {solver} measures bone lengths without it, so chains lose their \
                     shape. Turn on *Follow scale*, or apply the scale in the modelling program",
                    names,
                    scale,
                    solver = solver.key()
                ),
                Some(switch_on(examination, solver, param)),
            ),
            _ => (
                message!(
                    "{names}: the scale is {scale}, but {solver} measures lengths without it, so the swing differs from \
                     that of unscaled bones. Apply the scale in the modelling program",
                    names,
                    scale,
                    solver = solver.key()
                ),
                None,
            ),
        };
        Finding::new(FindingKind::ScaledLength, message, bones).with_fix(fix)
    };
    of_solver.into_iter().map(finding).filter(|finding| !finding.subjects.is_empty()).collect()
}

/// The edit that switches a system parameter on in all systems of a solver.
fn switch_on(examination: &Examination<'_>, solver: SolverKind, param: ParamId) -> Edit {
    let systems = examination.document.systems.iter().filter(|(_, system)| system.solver == solver);
    Edit::Batch(systems.map(|(id, _)| Edit::SetSystemValue { system: *id, param, value: 1.0 }).collect())
}

/// A scaled bone whose joints have hit radii.
pub(super) fn scaled_radii(examination: &Examination<'_>) -> Vec<Finding> {
    let mut found: Vec<(BoneId, f32, f32)> = Vec::new();
    for joint in examination.joints() {
        let frame = examination.world.frames().frame(joint.bone());
        let scale = frame.linear().x_axis.length();
        if !frame.scaled || is_uneven(frame) || (scale - 1.0).abs() <= SCALE_TOLERANCE {
            continue;
        }
        let Some(param) = hit_radius_param(examination.document, examination.chain(&joint)) else { continue };
        let (authored, counts) = (joint.setup.values.get(param), examination.world.contact_radius(joint.index));
        if let Some(counts) = counts.filter(|_| authored > 0.0 && !joint.setup.colliders.is_empty()) {
            found.push((joint.bone(), scale, counts / authored));
        }
    }
    let Some((_, scale, counts)) = found.first().copied() else { return Vec::new() };
    let bones = scaled_bones(examination, found.iter().map(|(bone, ..)| *bone));
    if bones.is_empty() {
        return Vec::new();
    }
    let (names, factor) = (examination.bone_names(&bones), format!("{scale:.3}"));
    let message = if (counts - 1.0).abs() <= SCALE_TOLERANCE {
        message!(
            "{bones}: the scale is {scale}, but the solver does not scale hit radii with the bones. Compare the radii with \
             the mesh, or apply the scale in the modelling program",
            bones = names,
            scale = factor
        )
    } else {
        message!(
            "{bones}: the scale is {scale}, and a hit radius of 10 mm counts as {radius} mm. Compare the radii with the \
             mesh, or apply the scale in the modelling program",
            bones = names,
            scale = factor,
            radius = format!("{:.1}", 10.0 * counts)
        )
    };
    vec![Finding::new(FindingKind::ScaledRadius, message, bones)]
}
