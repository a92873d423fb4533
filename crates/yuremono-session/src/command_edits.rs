//! Converts commands into edits of the document, each with the label of its undo step.

use super::inspection::{ComponentTool, Inspection, ValueSummary, limit_params};
use super::{Command, Message, Session};
use std::collections::BTreeSet;
use yuremono_model::document::{
    Chain, ChainId, ChainPart, ColliderId, Document, Edit, EditKind, EditLabel, HelperId, Material, Node, SystemId,
    groups, hull, material, pivot, ring,
};
use yuremono_model::document::{param_edits, param_edits::EditTargets};
use yuremono_model::feel::convert::order_columns;
use yuremono_model::tools::swing_limits;
use yuremono_model::tools::{components, detect, elements, length_limits};
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::{ParamGroup, ParamId, ParamKind, ParamScope as RowScope};
use yuremono_sim::rig::BoneId;

/// Angle of a new limit to each side of zero, in degrees.
const NEW_LIMIT_DEGREES: f32 = 20.0;

type LabeledEdit = (Edit, EditLabel);

/// Returns the edit for a command; `None` if nothing changes, or if the command does not edit the document.
pub(super) fn labeled_edit(i: Inspection<'_>, command: &Command) -> Option<LabeledEdit> {
    param_edit(i, command)
        .or_else(|| link_edit(i, command))
        .or_else(|| material_edit(i, command))
        .or_else(|| chain_edit(i, command))
}

/// Handles commands that edit parameters; `None` if nothing changes.
fn param_edit(i: Inspection<'_>, command: &Command) -> Option<LabeledEdit> {
    // The selection, and with it the tuned solver, may have changed since the command was created.
    let system = i.system();
    if command_params(command).iter().any(|param| param.index() >= system.param_defs().len()) {
        return None;
    }
    let (document, skeleton, targets) = (i.document, &i.character.skeleton, i.targets());
    let count = targets.joint_count(document);
    let is_of_system = |param: ParamId| system.def(param).scope == RowScope::System;
    let put = |param: ParamId, value: f32| Edit::SetSystemValue { system: i.system_id(), param, value };
    let label = |text, param: ParamId| {
        let is_limit = system.def(param).group == ParamGroup::AngleLimits;
        EditLabel::new(text).with_kind(if is_limit { EditKind::AngleLimits } else { EditKind::Other })
    };
    let name = |param: ParamId| system.def(param).label_text();
    let set_label = |param, n: usize| label(message!("{param} on {n:joint|joints}", param = name(param), n), param);
    let set_system_label = |param| label(message!("{param} of the character", param = name(param)), param);
    let batch = |edits: &dyn Fn(ParamId) -> Edit, rows: &[ParamId]| {
        Edit::Batch(rows.iter().map(|param| edits(*param)).collect())
    };
    Some(match *command {
        Command::SetParam(param, value) if is_of_system(param) => (put(param, value), set_system_label(param)),
        Command::SetParam(param, value) => {
            (param_edits::set_param(document, skeleton, &targets, param, value), set_label(param, count))
        }
        Command::SetParams(ref text, ref rows) => {
            let set =
                |(param, value): &(ParamId, f32)| param_edits::set_param(document, skeleton, &targets, *param, *value);
            (Edit::Batch(rows.iter().map(set).collect()), EditLabel::new(text.clone()))
        }
        Command::ScaleParam(param, factor) if is_of_system(param) => {
            let value = system.get(param) * factor;
            let value = if system.def(param).kind == ParamKind::Integer { value.round() } else { value };
            (put(param, value), set_system_label(param))
        }
        Command::ScaleParam(param, factor) => {
            (param_edits::scale_param(document, skeleton, &targets, param, factor), set_label(param, count))
        }
        Command::ResetParams(ref rows) => {
            let reset = |param| {
                if is_of_system(param) {
                    put(param, i.loaded_value(param))
                } else {
                    param_edits::reset_to_loaded(document, i.loaded, &targets, param)
                }
            };
            let first = *rows.first()?;
            let text = message!("Reset {param} on {n:joint|joints}", param = name(first), n = count);
            (batch(&reset, rows), label(text, first))
        }
        Command::SetOriginalDefaults(ref rows) => {
            let default = |param| {
                if is_of_system(param) {
                    put(param, system.def(param).default)
                } else {
                    param_edits::reset_to_default(document, &targets, param)
                }
            };
            let first = *rows.first()?;
            let text = message!("Original default of {param} on {n:joint|joints}", param = name(first), n = count);
            (batch(&default, rows), label(text, first))
        }
        Command::SetParamCurve(param, ref curve) => (
            param_edits::set_curve(document, skeleton, &i.target_chains(), param, curve.as_ref()),
            label(message!("Curve of {param} on {n:joint|joints}", param = name(param), n = count), param),
        ),
        Command::SetRingCurve(param, ref curve) => {
            let edit = param_edits::set_ring_curve(document, skeleton, &i.target_chains(), param, curve.as_ref());
            (edit, label(message!("Curve of {param} around the ring", param = name(param)), param))
        }
        Command::SetCurveDomain(along) => {
            let edits = i
                .target_chains()
                .into_iter()
                .map(|chain| Edit::SetCurveDomain { chain, curve_domain: along })
                .collect();
            (Edit::Batch(edits), EditLabel::new(message!("Curve domain of {n:joint|joints}", n = count)))
        }
        Command::SetLimitsEnabled(ref rows, on) => (
            enable_limits_edit(i, &targets, rows, on),
            label(
                message!("Limit {param} on {n:joint|joints}", param = name(*rows.first()?), n = count),
                *rows.first()?,
            ),
        ),
        Command::SetParamBase(ref chains, param, value) => {
            let chains: Vec<_> = chains.iter().copied().filter(|id| i.chain_uses_solver(*id, system.solver)).collect();
            let targets = EditTargets { chains: chains.clone(), joints: Vec::new() };
            let label = set_label(param, targets.joint_count(document));
            (param_edits::set_base(document, skeleton, chains, param, value), label)
        }
        _ => return None,
    })
}

fn command_params(command: &Command) -> Vec<ParamId> {
    match command {
        Command::SetParam(param, _)
        | Command::ScaleParam(param, _)
        | Command::SetParamCurve(param, _)
        | Command::SetRingCurve(param, _)
        | Command::SetParamBase(_, param, _) => {
            vec![*param]
        }
        Command::ResetParams(rows) | Command::SetOriginalDefaults(rows) | Command::SetLimitsEnabled(rows, _) => {
            rows.clone()
        }
        Command::SetParams(_, rows) => rows.iter().map(|(param, _)| *param).collect(),
        _ => Vec::new(),
    }
}

/// Handles commands that assign colliders, groups or systems to chains and joints, or edit their length and swing
/// limits; `None` if nothing changes.
fn link_edit(i: Inspection<'_>, command: &Command) -> Option<LabeledEdit> {
    let (document, chains, joints) = (i.document, i.target_chains(), i.target_bones());
    Some(match *command {
        Command::AssignColliders(ref colliders, on) => {
            let name = document.colliders.get(colliders.first()?).map_or("", |collider| &collider.name);
            let label = EditLabel::new(if on {
                message!("Assign collider {name} to {n:joint|joints}", name, n = joints.len())
            } else {
                message!("Unassign collider {name} from {n:joint|joints}", name, n = joints.len())
            });
            (elements::assign_colliders(document, &i.targets(), colliders, on), label)
        }
        Command::AssignGroup(id, on, ref name) => {
            let label = EditLabel::new(if on {
                message!("Assign {name} to {n:chain|chains}", name, n = chains.len())
            } else {
                message!("Unassign {name} from {n:chain|chains}", name, n = chains.len())
            });
            (groups::assign(document, &chains, id, on), label)
        }
        Command::SetCenter(bone) => {
            let n = chains.len();
            let label = EditLabel::new(match bone {
                Some(bone) => message!("Center {name} for {n:chain|chains}", name = i.bone_name(bone), n),
                None => message!("Remove center of {n:chain|chains}", n),
            });
            (groups::set_center(document, &chains, bone.map(Node::Bone)), label)
        }
        Command::MakeRing(ref chains) => {
            let found = ring::find_ring(document, i.character, chains).ok()?;
            (
                ring::make_ring(document, &found),
                EditLabel::new(message!("Make ring of {n:chain|chains}", n = found.len())),
            )
        }
        Command::DissolveRing(ref chains) => (
            ring::dissolve_rings(document, chains),
            EditLabel::new(message!("Dissolve ring of {n:chain|chains}", n = chains.len())),
        ),
        Command::SetConvexHull(ref colliders, mesh) => hull_edit(i, colliders, mesh)?,
        Command::AddLengthLimits { to_active } => length_limits_edit(i, to_active)?,
        Command::RemoveLengthLimits(node) => (
            length_limits::remove_length_target(document, &joints, node)?,
            EditLabel::new(message!("Remove length limit to {name}", name = i.node_name(node))),
        ),
        Command::SetLengthStiffness(node, pull) => {
            let label = EditLabel::new(message!("Length strength to {name}", name = i.node_name(node)));
            (length_limits::set_length_constant(document, &joints, node, pull)?, label)
        }
        Command::SetAnimatedFlag(on) => {
            let label = EditLabel::new(if on {
                message!("Flag {n:joint|joints} as animated", n = joints.len())
            } else {
                message!("Flag {n:joint|joints} as not animated", n = joints.len())
            });
            (length_limits::set_animated(document, &joints, on)?, label)
        }
        Command::SetSwingLimit(kind) => {
            let edit = swing_limits::set_limits(document, &joints, |_, old| {
                kind.map(|kind| swing_limits::with_kind(old, kind))
            });
            (
                edit,
                EditLabel::new(if kind.is_some() {
                    message!("Swing limit of {n:joint|joints}", n = joints.len())
                } else {
                    message!("Remove swing limit of {n:joint|joints}", n = joints.len())
                })
                .with_kind(EditKind::AngleLimits),
            )
        }
        Command::SetSwingLimitAngle(at, degrees) => swing_limit_angle_edit(i, at, |_| degrees),
        Command::ScaleSwingLimitAngle(at, factor) => swing_limit_angle_edit(i, at, |old| old * factor),
        Command::ResetSwingLimits => {
            let loaded = i.loaded_swing_limits();
            let edit = swing_limits::set_limits(document, &joints, |bone, _| loaded.get(&bone).copied());
            (
                edit,
                EditLabel::new(message!("Reset limits of {n:joint|joints}", n = joints.len()))
                    .with_kind(EditKind::AngleLimits),
            )
        }
        Command::RunComponentTool(tool) => component_tool_edit(i, tool)?,
        Command::MoveToSystem(into) => {
            let chains = i.system_chains();
            (
                components::move_chains_to_system(document, &chains, into)?,
                EditLabel::new(message!("Move {n:chain|chains} to another component", n = chains.len())),
            )
        }
        _ => return None,
    })
}

/// Adds length limits between the selected joints, or from the selected joints to the active bone.
fn length_limits_edit(i: Inspection<'_>, to_active: bool) -> Option<LabeledEdit> {
    let (mut linked, mut nodes) = i.selected_link_nodes();
    let mut label = EditLabel::new(message!("Link length of {n:joint|joints}", n = linked.len()));
    if to_active {
        let active = i.selection.active?;
        linked.retain(|joint| joint.1 != active);
        nodes = vec![Node::Bone(active)];
        label = EditLabel::new(message!(
            "Link length of {n:joint|joints} to {name}",
            n = linked.len(),
            name = i.bone_name(active)
        ));
    }
    Some((length_limits::add_length_targets(i.document, &linked, &nodes)?, label))
}

fn swing_limit_angle_edit(i: Inspection<'_>, at: usize, change: impl Fn(f32) -> f32) -> LabeledEdit {
    let joints = i.target_bones();
    let changed = |limit: yuremono_sim::SwingLimit| {
        let degrees = change(swing_limits::angle(limit.shape, at).to_degrees());
        swing_limits::with_angle(limit, at, degrees.to_radians())
    };
    let edit = swing_limits::set_limits(i.document, &joints, |_, old| old.map(changed));
    (
        edit,
        EditLabel::new(message!("Angle limits of {n:joint|joints}", n = joints.len())).with_kind(EditKind::AngleLimits),
    )
}

fn component_tool_edit(i: Inspection<'_>, tool: ComponentTool) -> Option<LabeledEdit> {
    let (document, character, id) = (i.document, i.character, i.system_id());
    let edit = match tool {
        ComponentTool::OrderColumns => order_columns(document, character, id)?,
        ComponentTool::LinkNeighbours => components::constrain_neighbour_columns(document, character, id)?,
        ComponentTool::SyncThighs => components::add_thigh_sync_bones(document, character, id)?,
        ComponentTool::Split => {
            let chains = i.system_chains();
            let (edit, _) = components::split_off_chains(document, &chains, "")?;
            return Some((
                edit,
                EditLabel::new(message!("Move {n:chain|chains} to a separate component", n = chains.len())),
            ));
        }
    };
    let text = match tool {
        ComponentTool::OrderColumns => message!("Order columns"),
        ComponentTool::LinkNeighbours => message!("Link neighbours"),
        _ => message!("Sync with thighs"),
    };
    Some((edit, EditLabel::new(text)))
}

/// Sets or removes the convex hulls of colliders in every system with the tuned solver. Skips a collider if the mesh
/// has no vertices on its bone; the label counts the other colliders.
fn hull_edit(i: Inspection<'_>, colliders: &[ColliderId], mesh: Option<usize>) -> Option<LabeledEdit> {
    let hull_of = |id: &ColliderId| match mesh {
        Some(mesh) => hull::hull_from_mesh(i.document, i.character, *id, mesh).map(|hull| (*id, Some(hull))),
        None => Some((*id, None)),
    };
    let name = mesh.map_or(Some(""), |at| i.character.meshes.get(at).map(|mesh| mesh.name.as_str()))?;
    let hulls: Vec<_> = colliders.iter().filter_map(hull_of).collect();
    let change = |system: SystemId| {
        components::edit_system(i.document, system, |system| {
            for (id, hull) in &hulls {
                system.component_lists.set_hull(*id, hull.clone());
            }
        })
    };
    let n = hulls.len();
    let label = match mesh {
        Some(_) => EditLabel::new(message!("Set convex hull: {name}", name)).with_message(message!(
            "Convex hull {name} set on {n:collider|colliders}",
            name,
            n
        )),
        None => EditLabel::new(message!("Remove convex hull"))
            .with_message(message!("Convex hull removed from {n:collider|colliders}", n)),
    };
    Some((Edit::Batch(i.systems_with_same_solver().filter_map(change).collect()), label))
}

/// Handles commands that edit materials; `None` if nothing changes.
fn material_edit(i: Inspection<'_>, command: &Command) -> Option<LabeledEdit> {
    let (document, mut chains) = (i.document, i.target_chains());
    let name_of = |id| document.materials.get(&id).map(|material| material.name.as_str());
    Some(match *command {
        Command::SetMaterial(id) => {
            chains.retain(|chain| document.chains[chain].material != id);
            let name = id.map_or(Some(""), name_of)?;
            let label = match id {
                Some(_) => {
                    EditLabel::new(message!("Assign material {name} to {n:chain|chains}", name, n = chains.len()))
                }
                None => EditLabel::new(message!("Unassign material from {n:chain|chains}", n = chains.len()))
                    .with_kind(EditKind::MaterialUnassigned),
            };
            chains.first()?;
            (material::assign(document, &chains, id), label)
        }
        Command::CreateMaterial => {
            let (from, name) = i.new_material_source()?;
            let (_, edit) = material::create(document, &i.character.skeleton, from, &chains, &name)?;
            (edit, EditLabel::new(message!("Create material {name} for {n:chain|chains}", name, n = chains.len())))
        }
        Command::RenameMaterial(id, ref name) => {
            let old = document.materials.get(&id)?;
            let name = document.unique_material_name(name.trim(), Some(id));
            if name.is_empty() || name == old.name {
                return None;
            }
            let material = Material { name: name.clone(), ..old.clone() };
            let edit = Edit::PutMaterial { id, material: Some(Box::new(material)) };
            (edit, EditLabel::new(message!("Rename material to {name}", name)))
        }
        Command::DeleteMaterial(id) => (
            Edit::PutMaterial { id, material: None },
            EditLabel::new(message!("Delete material {name}", name = name_of(id)?)),
        ),
        _ => return None,
    })
}

/// Handles commands that edit chains and joints; `None` if nothing changes.
fn chain_edit(i: Inspection<'_>, command: &Command) -> Option<LabeledEdit> {
    let (document, skeleton) = (i.document, &i.character.skeleton);
    let in_file = |bone: BoneId| bone.index() < skeleton.len();
    Some(match *command {
        Command::EndChainAt(bone) | Command::SetExcluded(bone, true) if !in_file(bone) => return None,
        Command::EndChainAt(bone) => {
            let edit = detect::end_chain_at(bone, skeleton, document)?;
            (
                with_orphan_pivots_removed(document, edit),
                EditLabel::new(message!("End chain at {name}", name = skeleton.name(bone))),
            )
        }
        Command::SetExcluded(bone, true) => (
            with_orphan_pivots_removed(document, detect::exclude_bone(bone, skeleton, document)),
            EditLabel::new(message!("Exclude {name}", name = skeleton.name(bone))),
        ),
        Command::SetExcluded(bone, false) => {
            (detect::clear_exclusion(bone), EditLabel::new(message!("Include {name}", name = i.bone_name(bone))))
        }
        Command::DeleteChains(ref ids) => {
            let edits = ids.iter().map(|id| Edit::PutChain { id: *id, chain: None }).collect();
            (
                with_orphan_pivots_removed(document, Edit::Batch(edits)),
                EditLabel::new(message!("Delete {n:chain|chains}", n = ids.len())),
            )
        }
        Command::SetChainPart(ref ids, part) => {
            let edits = ids.iter().filter_map(|id| changed_chain_edit(document, *id, |chain| chain.part = part));
            let edits: Vec<_> = edits.collect();
            let label = EditLabel::new(message!("Part of {n:chain|chains}", n = edits.len()));
            edits.first()?;
            (Edit::Batch(edits), label)
        }
        Command::RenameChain(id, ref name) => {
            let label = EditLabel::new(message!("Rename to {name}", name = name.clone()));
            (changed_chain_edit(document, id, |chain| name.clone_into(&mut chain.name))?, label)
        }
        Command::SetJointsEnabled(ref bones, on) => (
            enable_joints_edit(document, bones, on),
            EditLabel::new(if on {
                message!("Enable {n:joint|joints}", n = bones.len())
            } else {
                message!("Disable {n:joint|joints}", n = bones.len())
            }),
        ),
        Command::DiscardKeptPose if document.kept_pose.is_empty() => return None,
        Command::DiscardKeptPose => (Edit::SetKeptPose(Vec::new()), EditLabel::new(message!("Discard kept pose"))),
        Command::DeleteGesture(id) => {
            (Edit::PutGesture { id, gesture: None }, EditLabel::new(message!("Delete gesture")))
        }
        _ => return None,
    })
}

/// Extends `edit` to also remove the pivots that are unused after it.
fn with_orphan_pivots_removed(document: &Document, edit: Edit) -> Edit {
    let mut after = document.clone();
    if after.apply(edit.clone()).is_err() {
        return edit;
    }
    let still = used_pivots(&after);
    let mut edits = vec![edit];
    for id in used_pivots(document).difference(&still) {
        let removal = Edit::PutHelper { id: *id, helper: None };
        // The removal fails if the node is the parent of a collider or of another helper.
        if after.apply(removal.clone()).is_ok() {
            edits.push(removal);
        }
    }
    Edit::Batch(edits)
}

fn used_pivots(document: &Document) -> BTreeSet<HelperId> {
    let joints = document.chains.values().flat_map(|c| &c.joints);
    joints
        .filter_map(|j| match j.pivot {
            Some(Node::Helper(id)) => Some(id),
            _ => None,
        })
        .collect()
}

/// Returns one edit that creates a chain at each root. Reports every bone that cannot start a chain, for example
/// because it is in the chain of an earlier root.
pub(super) fn create_chains_edit(s: &mut Session, roots: &[BoneId], part: ChainPart) -> Option<LabeledEdit> {
    let skeleton = &s.character.skeleton;
    let tuned = s.inspection().system_id();
    let mut after = s.document.clone();
    let mut edits = Vec::new();
    let mut first = None;
    for root in roots.iter().copied().filter(|bone| bone.index() < skeleton.len()) {
        let name = skeleton.name(root);
        let edit = detect::create_chain(root, skeleton, &after, part, tuned)
            .map(|chain| Edit::PutChain { id: after.next_chain_id(), chain: Some(Box::new(chain)) })
            .filter(|edit| after.apply(edit.clone()).is_ok());
        if let Some(edit) = edit {
            edits.push(edit);
            first.get_or_insert_with(|| name.to_owned());
        } else {
            s.messages.push_message(Message::CannotStartChain(name.to_owned()));
        }
    }
    let label = created_chains_label(edits.len(), &first?);
    Some((Edit::Batch(edits), label))
}

/// Returns the label of an edit that creates chains. `first` is the name of the first chain.
pub fn created_chains_label(count: usize, first: &str) -> EditLabel {
    EditLabel::new(match count {
        1 => message!("Create chain {name}", name = first),
        n => message!("Create {n:chain|chains}", n),
    })
}

/// Replaces a chain with a changed copy.
fn changed_chain_edit(document: &Document, id: ChainId, change: impl FnOnce(&mut Chain)) -> Option<Edit> {
    let mut chain = document.chains.get(&id)?.clone();
    change(&mut chain);
    Some(Edit::PutChain { id, chain: Some(Box::new(chain)) })
}

fn enable_joints_edit(document: &Document, bones: &[BoneId], on: bool) -> Edit {
    let mut chains: Vec<_> = bones.iter().filter_map(|b| document.find_joint(*b).map(|j| j.0)).collect();
    chains.sort_unstable();
    chains.dedup();
    let edits = chains.into_iter().filter_map(|id| {
        changed_chain_edit(document, id, |chain| {
            chain.joints.iter_mut().filter(|j| bones.contains(&j.bone)).for_each(|j| j.enabled = on);
        })
    });
    Edit::Batch(edits.collect())
}

/// Switches limits on or off. Switching on creates missing pivots and sets unset limits to the default range.
fn enable_limits_edit(i: Inspection<'_>, targets: &EditTargets, rows: &[ParamId], on: bool) -> Edit {
    let skeleton = &i.character.skeleton;
    let write = |param, value| param_edits::set_param(i.document, skeleton, targets, param, value);
    // Skips parameters that are not the switch of a limit.
    let limits = rows.iter().filter_map(|param| limit_params(i.system().param_defs(), *param));
    if !on {
        return Edit::Batch(limits.map(|[param, ..]| write(param, 0.0)).collect());
    }
    let bare = i.target_joints().filter(|(_, joint, ..)| joint.pivot.is_none());
    let bare: Vec<BoneId> = bare.map(|(_, joint, ..)| joint.bone).collect();
    let mut edits = Vec::new();
    for [param, min, max] in limits {
        edits.push(write(param, 1.0));
        if [min, max].into_iter().all(|param| i.param_view(param).values == ValueSummary::Same(0.0)) {
            edits.push(write(min, -NEW_LIMIT_DEGREES));
            edits.push(write(max, NEW_LIMIT_DEGREES));
        }
    }
    if !bare.is_empty() {
        edits.push(pivot::align_pivots(i.document, skeleton, &bare));
    }
    Edit::Batch(edits)
}
