//! What commands change in the document: for each an edit and the name of its step.

use super::inspection::{ComponentTool, Inspection, Values, limit_rows};
use super::{Command, Said, Session};
use crate::document::{
    Chain, ChainId, ColliderId, Document, Edit, HelperId, Label, Material, Node, Part, SystemId, groups, hull,
    material, pivot,
};
use crate::document::{tune, tune::Targets};
use crate::feel::convert::order_columns;
use crate::rig::BoneId;
use crate::schema::{Kind, Row, Scope as RowScope};
use crate::tools::swing;
use crate::tools::{components, detect, lengths, parts};
use std::collections::BTreeSet;

/// Degrees to each side of a new limit.
const NEW_LIMIT: f32 = 20.0;

/// An edit and the name of its step.
type Step = (Edit, Label);

/// The edit of a command about rows of the tuned chains and their system; `None` where there is nothing to do.
pub(super) fn of_rows(i: Inspection<'_>, command: &Command) -> Option<Step> {
    // What is tuned may have changed since the command was made, and its solver with it.
    let system = i.system();
    if rows_of(command).iter().any(|row| row.index() >= system.table().len()) {
        return None;
    }
    let (document, skeleton, targets) = (i.document, &i.character.skeleton, i.targets());
    let count = targets.joint_count(document);
    let is_of_system = |row: Row| system.def(row).scope == RowScope::System;
    let put = |row: Row, value: f32| Edit::SetSystem { system: i.system_id(), row, value };
    let label = |what, row: Row| Label::new(what, if is_of_system(row) { 1 } else { count }).row(system.solver, row);
    let batch = |edits: &dyn Fn(Row) -> Edit, rows: &[Row]| Edit::Batch(rows.iter().map(|row| edits(*row)).collect());
    Some(match *command {
        Command::Set(row, value) if is_of_system(row) => (put(row, value), label("set_system", row)),
        Command::Set(row, value) => (tune::set(document, skeleton, &targets, row, value), label("set", row)),
        Command::SetRows(what, ref rows) => {
            let set = |(row, value): &(Row, f32)| tune::set(document, skeleton, &targets, *row, *value);
            (Edit::Batch(rows.iter().map(set).collect()), Label::new(what, count))
        }
        Command::Scale(row, factor) if is_of_system(row) => {
            let value = system.get(row) * factor;
            let value = if system.def(row).kind == Kind::Integer { value.round() } else { value };
            (put(row, value), label("set_system", row))
        }
        Command::Scale(row, factor) => (tune::scale(document, skeleton, &targets, row, factor), label("set", row)),
        Command::Reset(ref rows) => {
            let reset = |row| {
                if is_of_system(row) {
                    put(row, i.loaded_value(row))
                } else {
                    tune::reset(document, i.loaded, &targets, row)
                }
            };
            (batch(&reset, rows), label("reset", *rows.first()?))
        }
        Command::EngineDefault(ref rows) => {
            let default = |row| {
                if is_of_system(row) {
                    put(row, system.def(row).default)
                } else {
                    tune::engine_default(document, &targets, row)
                }
            };
            (batch(&default, rows), label("engine_default", *rows.first()?))
        }
        Command::SetCurve(row, ref curve) => {
            (tune::set_curve(document, skeleton, &i.target_chains(), row, curve.as_ref()), label("curve", row))
        }
        Command::SetAlong(along) => {
            let edits = i.target_chains().into_iter().map(|chain| Edit::SetAlong { chain, along }).collect();
            (Edit::Batch(edits), Label::new("along", count))
        }
        Command::SwitchLimits(ref rows, on) => {
            (switch_limits(i, &targets, rows, on), Label::new("limit", count).row(system.solver, *rows.first()?))
        }
        Command::SetBase(ref chains, row, value) => {
            let chains = chains.iter().copied().filter(|id| i.is_under(*id, system.solver)).collect();
            let targets = Targets { chains, joints: Vec::new() };
            let label = Label::new("set", targets.joint_count(document)).row(system.solver, row);
            (tune::set(document, skeleton, &targets, row, value), label)
        }
        _ => return None,
    })
}

/// The rows that a command is about.
fn rows_of(command: &Command) -> Vec<Row> {
    match command {
        Command::Set(row, _) | Command::Scale(row, _) | Command::SetCurve(row, _) | Command::SetBase(_, row, _) => {
            vec![*row]
        }
        Command::Reset(rows) | Command::EngineDefault(rows) | Command::SwitchLimits(rows, _) => rows.clone(),
        Command::SetRows(_, rows) => rows.iter().map(|(row, _)| *row).collect(),
        _ => Vec::new(),
    }
}

/// The edit of a command about what the tuned chains and joints name: colliders, groups, materials, lengths, limits and
/// their component; `None` where there is nothing to do.
pub(super) fn of_links(i: Inspection<'_>, command: &Command) -> Option<Step> {
    let (document, chains, joints) = (i.document, i.target_chains(), i.target_bones());
    let component = |tool| component_step(i, tool);
    Some(match *command {
        Command::AssignColliders(ref colliders, on) => {
            let name = document.colliders.get(colliders.first()?).map_or("", |collider| &collider.name);
            let label = Label::new(if on { "assign_collider" } else { "take_collider" }, joints.len()).name(name);
            (parts::assign(document, &i.targets(), colliders, on), label)
        }
        Command::AssignGroup(id, on, ref name) => {
            let label = Label::new(if on { "group_on" } else { "group_off" }, chains.len()).name(name);
            (groups::assign(document, &chains, id, on), label)
        }
        Command::SetCenter(bone) => {
            let label = Label::new(if bone.is_some() { "center" } else { "no_center" }, chains.len());
            let label = label.name(bone.map_or("", |bone| i.bone_name(bone)));
            (groups::set_center(document, &chains, bone.map(Node::Bone)), label)
        }
        Command::SetHull(ref colliders, mesh) => set_hull(i, colliders, mesh)?,
        Command::LinkLengths { to_active } => {
            let (mut linked, mut nodes) = i.linkable();
            let mut label = Label::new("link_lengths", linked.len());
            if to_active {
                let active = i.selection.active?;
                linked.retain(|joint| joint.1 != active);
                nodes = vec![Node::Bone(active)];
                label = Label::new("link_length", linked.len()).name(i.bone_name(active));
            }
            (lengths::link(document, &linked, &nodes)?, label)
        }
        Command::UnlinkLength(node) => {
            (lengths::unlink(document, &joints, node)?, Label::new("unlink_length", 1).name(i.node_name(node)))
        }
        Command::SetLengthPull(node, pull) => {
            let label = Label::new("length_pull", 1).name(i.node_name(node));
            (lengths::set_constant(document, &joints, node, pull)?, label)
        }
        Command::FlagAnimated(on) => {
            let label = Label::new(if on { "flag_animated" } else { "unflag_animated" }, joints.len());
            (lengths::set_animated(document, &joints, on)?, label)
        }
        Command::SetSwing(kind) => {
            let edit = swing::set(document, &joints, |_, old| kind.map(|kind| swing::of_kind(old, kind)));
            (edit, Label::new(if kind.is_some() { "swing_limit" } else { "no_swing_limit" }, joints.len()))
        }
        Command::SetSwingAngle(at, degrees) => swing_angle(i, at, |_| degrees),
        Command::ScaleSwingAngle(at, factor) => swing_angle(i, at, |old| old * factor),
        Command::ResetSwing => {
            let loaded = i.loaded_limits();
            let edit = swing::set(document, &joints, |bone, _| loaded.get(&bone).copied());
            (edit, Label::new("swing_reset", joints.len()))
        }
        Command::RunComponentTool(tool) => component(tool)?,
        Command::JoinSystem(into) => {
            let chains = i.system_chains();
            (components::join(document, &chains, into)?, Label::new("join_system", chains.len()))
        }
        _ => return None,
    })
}

fn swing_angle(i: Inspection<'_>, at: usize, change: impl Fn(f32) -> f32) -> Step {
    let joints = i.target_bones();
    let changed = |limit: crate::sim::SwingLimit| {
        let degrees = change(swing::angle(limit.shape, at).to_degrees());
        swing::with_angle(limit, at, degrees.to_radians())
    };
    let edit = swing::set(i.document, &joints, |_, old| old.map(changed));
    (edit, Label::new("swing_angle", joints.len()))
}

fn component_step(i: Inspection<'_>, tool: ComponentTool) -> Option<Step> {
    let (document, character, id) = (i.document, i.character, i.system_id());
    let edit = match tool {
        ComponentTool::OrderColumns => order_columns(document, character, id)?,
        ComponentTool::LinkNeighbours => components::link_neighbours(document, character, id)?,
        ComponentTool::SyncThighs => components::sync_thighs(document, character, id)?,
        ComponentTool::Split => {
            let chains = i.system_chains();
            let (edit, _) = components::split(document, &chains, "")?;
            return Some((edit, Label::new("split_system", chains.len())));
        }
    };
    Some((edit, Label::new(tool.key(), 1)))
}

/// Gives colliders the convex hull of what a mesh has on their bones in place of their shapes, or takes it away, in every
/// system of the tuned solver. Colliders that the mesh has nothing for stay as they are; the label counts the others.
fn set_hull(i: Inspection<'_>, colliders: &[ColliderId], mesh: Option<usize>) -> Option<Step> {
    let hull_of = |id: &ColliderId| match mesh {
        Some(mesh) => hull::hull(i.document, i.character, *id, mesh).map(|hull| (*id, Some(hull))),
        None => Some((*id, None)),
    };
    let name = mesh.map_or(Some(""), |at| i.character.meshes.get(at).map(|mesh| mesh.name.as_str()))?;
    let hulls: Vec<_> = colliders.iter().filter_map(hull_of).collect();
    let change = |system: SystemId| {
        components::change(i.document, system, |system| {
            for (id, hull) in &hulls {
                system.extras.set_hull(*id, hull.clone());
            }
        })
    };
    let label = Label::new(if mesh.is_some() { "collider_hull" } else { "no_collider_hull" }, hulls.len());
    Some((Edit::Batch(i.systems_alike().filter_map(change).collect()), label.name(name).told()))
}

/// The edit of a command about materials; `None` where there is nothing to do.
pub(super) fn of_materials(i: Inspection<'_>, command: &Command) -> Option<Step> {
    let (document, mut chains) = (i.document, i.target_chains());
    let name_of = |id| document.materials.get(&id).map(|material| material.name.as_str());
    Some(match *command {
        Command::SetMaterial(id) => {
            chains.retain(|chain| document.chains[chain].material != id);
            let name = id.map_or(Some(""), name_of)?;
            let label = match id {
                Some(_) => Label::new("material", chains.len()),
                None => Label::new("no_material", chains.len()).lets_go(),
            };
            chains.first()?;
            (material::give(document, &chains, id), label.name(name))
        }
        Command::NewMaterial => {
            let (from, name) = i.new_material()?;
            let (_, edit) = material::make(document, &i.character.skeleton, from, &chains, &name)?;
            (edit, Label::new("new_material", chains.len()).name(name))
        }
        Command::RenameMaterial(id, ref name) => {
            let old = document.materials.get(&id)?;
            let name = document.free_material_name(name.trim(), Some(id));
            if name.is_empty() || name == old.name {
                return None;
            }
            let material = Material { name: name.clone(), ..old.clone() };
            let edit = Edit::PutMaterial { id, material: Some(Box::new(material)) };
            (edit, Label::new("rename_material", 1).name(name))
        }
        Command::RemoveMaterial(id) => {
            (Edit::PutMaterial { id, material: None }, Label::new("remove_material", 1).name(name_of(id)?))
        }
        _ => return None,
    })
}

/// The edit of a command about chains and joints as such; `None` where there is nothing to do.
pub(super) fn of_chains(s: &mut Session, command: Command) -> Option<Step> {
    let (document, skeleton) = (&s.document, &s.character.skeleton);
    let in_file = |bone: BoneId| bone.index() < skeleton.len();
    Some(match command {
        Command::EndChainAt(bone) | Command::Exclude(bone, true) if !in_file(bone) => return None,
        Command::MakeChains(roots, part) => return make_chains(s, &roots, part),
        Command::EndChainAt(bone) => {
            let edit = detect::end_chain_at(bone, skeleton, document)?;
            (without_orphans(document, edit), Label::new("end_chain", 1).name(skeleton.name(bone)))
        }
        Command::Exclude(bone, true) => {
            (without_orphans(document, detect::exclude(bone, skeleton, document)), Label::new("exclude", 1))
        }
        Command::Exclude(bone, false) => (detect::include(bone), Label::new("include", 1)),
        Command::RemoveChains(ids) => {
            let edits = ids.iter().map(|id| Edit::PutChain { id: *id, chain: None }).collect();
            (without_orphans(document, Edit::Batch(edits)), Label::new("remove_chains", ids.len()))
        }
        Command::SetPart(ids, part) => {
            let edits = ids.iter().filter_map(|id| with_chain(document, *id, |chain| chain.part = part));
            let edits: Vec<_> = edits.collect();
            let label = Label::new("part", edits.len());
            edits.first()?;
            (Edit::Batch(edits), label)
        }
        Command::Rename(id, name) => {
            let label = Label::new("rename", 1).name(name.clone());
            (with_chain(document, id, |chain| chain.name = name)?, label)
        }
        Command::Enable(bones, on) => {
            (enable(document, &bones, on), Label::new(if on { "enable" } else { "disable" }, bones.len()))
        }
        Command::RemoveGesture(id) => (document.without_gesture(id), Label::new("remove_gesture", 1)),
        _ => return None,
    })
}

/// `edit`, and the removal of pivots that nothing uses any more after it.
fn without_orphans(document: &Document, edit: Edit) -> Edit {
    let mut after = document.clone();
    if after.apply(edit.clone()).is_err() {
        return edit;
    }
    let still = pivots(&after);
    let mut edits = vec![edit];
    for id in pivots(document).difference(&still) {
        let removal = Edit::PutHelper { id: *id, helper: None };
        // Refused where the node is the parent of a collider or of another helper.
        if after.apply(removal.clone()).is_ok() {
            edits.push(removal);
        }
    }
    Edit::Batch(edits)
}

fn pivots(document: &Document) -> BTreeSet<HelperId> {
    let joints = document.chains.values().flat_map(|c| &c.joints);
    joints
        .filter_map(|j| match j.pivot {
            Some(Node::Helper(id)) => Some(id),
            _ => None,
        })
        .collect()
}

/// One edit for all of them; a bone that cannot begin a chain, or can no more after its neighbours did, is named.
fn make_chains(s: &mut Session, roots: &[BoneId], part: Part) -> Option<(Edit, Label)> {
    let skeleton = &s.character.skeleton;
    let tuned = s.inspection().system_id();
    let mut after = s.document.clone();
    let mut edits = Vec::new();
    let mut first = None;
    for root in roots.iter().copied().filter(|bone| bone.index() < skeleton.len()) {
        let name = skeleton.name(root);
        let edit = detect::make_chain(root, skeleton, &after, part, tuned)
            .map(|chain| Edit::PutChain { id: after.fresh_chain(), chain: Some(Box::new(chain)) })
            .filter(|edit| after.apply(edit.clone()).is_ok());
        if let Some(edit) = edit {
            edits.push(edit);
            first.get_or_insert_with(|| name.to_owned());
        } else {
            s.messages.say(Said::NoChainFrom(name.to_owned()));
        }
    }
    let label = Label::new("make_chain", edits.len()).name(first?);
    Some((Edit::Batch(edits), label))
}

/// An edit that puts a changed copy of a chain in its place.
fn with_chain(document: &Document, id: ChainId, change: impl FnOnce(&mut Chain)) -> Option<Edit> {
    let mut chain = document.chains.get(&id)?.clone();
    change(&mut chain);
    Some(Edit::PutChain { id, chain: Some(Box::new(chain)) })
}

fn enable(document: &Document, bones: &[BoneId], on: bool) -> Edit {
    let mut chains: Vec<_> = bones.iter().filter_map(|b| document.joint_of(*b).map(|j| j.0)).collect();
    chains.sort_unstable();
    chains.dedup();
    let edits = chains.into_iter().filter_map(|id| {
        with_chain(document, id, |chain| {
            chain.joints.iter_mut().filter(|j| bones.contains(&j.bone)).for_each(|j| j.enabled = on);
        })
    });
    Edit::Batch(edits.collect())
}

/// Switches limits. Switched on, joints without pivot get one; a limit that is nothing yet gets the original's range.
fn switch_limits(i: Inspection<'_>, targets: &Targets, rows: &[Row], on: bool) -> Edit {
    let skeleton = &i.character.skeleton;
    let write = |row, value| tune::set(i.document, skeleton, targets, row, value);
    // A row that is no limit's switch is left alone.
    let limits = rows.iter().filter_map(|row| limit_rows(i.system().table(), *row));
    if !on {
        return Edit::Batch(limits.map(|[row, ..]| write(row, 0.0)).collect());
    }
    let bare = i.target_joints().filter(|(_, joint, ..)| joint.pivot.is_none());
    let bare: Vec<BoneId> = bare.map(|(_, joint, ..)| joint.bone).collect();
    let mut edits = Vec::new();
    for [row, min, max] in limits {
        edits.push(write(row, 1.0));
        let nothing = matches!(i.row_view(min).values, Values::Same(v) if v == 0.0)
            && matches!(i.row_view(max).values, Values::Same(v) if v == 0.0);
        if nothing {
            edits.push(write(min, -NEW_LIMIT));
            edits.push(write(max, NEW_LIMIT));
        }
    }
    if !bare.is_empty() {
        edits.push(pivot::place_pivots(i.document, skeleton, &bare));
    }
    Edit::Batch(edits)
}
