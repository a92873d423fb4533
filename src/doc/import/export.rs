//! A document as a table.

use super::kept::Kept;
use super::place::{written_collider, written_high_leg, written_null, written_pivot};
use super::{ExportLoss, View, extras, lists, loss, mirrored, shape_rank, trees};
use crate::doc::pivot::Axis;
use crate::doc::table::{
    BoneCells, BoneRow, BoneTable, ColliderRow, ComponentRow, ExtraRow, LengthTarget, MOST_SYSTEMS, NullRow, PivotRow,
    TableFormat, TableRow, Tree, has_pivots,
};
use crate::doc::{
    ChainId, Document, ExportOptions, Helper, HelperId, HelperRole, HighLeg, Joint, Node, System, SystemId,
};
use crate::rig::Skeleton;
use crate::schema::{ParamSet, Scope, rows};
use std::collections::{BTreeMap, BTreeSet};

/// Written behind every length target; the engine never reads it.
const RATIO: f32 = 1.01;

/// A table and what it could not take along.
#[derive(Clone, Debug, PartialEq)]
pub struct Exported {
    /// Bones in depth-first order of the hierarchy, then kept rows.
    pub table: BoneTable,
    /// For the save dialog; see [`ExportLoss::is_in_comments`] for what is not lost on Yuremono.
    pub losses: Vec<ExportLoss>,
    /// Every chain by its root, for formats that have them.
    pub trees: Vec<Tree>,
}

/// A document as a table in Unity's space. Of the options, those of the text do not matter here.
pub fn export(document: &Document, skeleton: &Skeleton, options: ExportOptions) -> Exported {
    let whole = document;
    let document = &*whole.only(options.solver.unwrap_or(whole.main().solver));
    let view = View::new(document, skeleton);
    let mut table = BoneTable::new(document.main().solver);
    let mut losses = loss::of_others(whole, document);
    losses.extend(loss::of_document(document));
    losses.extend(lists::losses(&view, options.format));
    let kept = Kept::of(document);
    let count = kept.count();
    if options.bones {
        bone_rows(&view, options, &mut table, &mut losses);
        table.bones.extend(kept.bones);
        add_strangers(&mut table.pivots, kept.pivots);
    }
    if options.colliders {
        node_rows(&view, options, &mut table, &mut losses);
        add_strangers(&mut table.colliders, kept.colliders);
        add_strangers(&mut table.nulls, kept.nulls);
        add_strangers(&mut table.components, kept.components);
    }
    table.sections = kept.sections;
    let component = lists::of_component(&view, options.mirror, options.format);
    if options.extras {
        table.extras = extras::of_document(&view, options.mirror, options.format != TableFormat::Csv)
            .into_iter()
            .chain(component)
            .map(ExtraRow::from)
            .chain(kept.extras)
            .collect();
    } else if options.format.is_of_trees() {
        table.extras = extras::of_system(document, options.mirror, true).chain(component).map(ExtraRow::from).collect();
    }
    loss::of_table(&table, count, options.bones, &mut losses);
    let (trees, uneven) = trees::of_document(&view, options.mirror);
    losses.extend(uneven);
    loss::in_format(options.format, count, &mut losses);
    Exported { table, losses, trees }
}

/// As [`export`] of every system by itself, for a format that holds several; those of [`ExportOptions::solver`] alone,
/// where it names one. A system that says nothing and moves nothing is left out. All others are written, more
/// than a reader takes too: [`ExportLoss::TooManySystems`] says so.
pub fn export_systems(document: &Document, skeleton: &Skeleton, options: ExportOptions) -> Vec<Exported> {
    let moves = |id: &SystemId| document.chains.values().any(|chain| chain.system == *id);
    let is_meant = |(id, system): &(&SystemId, &System)| {
        options.solver.is_none_or(|solver| solver == system.solver)
            && (moves(id) || **system != System::under(system.solver))
    };
    let meant: Vec<SystemId> = document.systems.iter().filter(is_meant).map(|(id, _)| *id).collect();
    if meant.is_empty() || !options.format.holds_systems() {
        return vec![export(document, skeleton, options)];
    }
    let mut told = BTreeSet::new();
    let one = |id: &SystemId| {
        let mut part = document.only_system(*id).into_owned();
        if !told.insert(part.main().solver) {
            // Rows of bones that are not here stand in the first system of their solver.
            part.kept.clear();
        }
        let solver = Some(part.main().solver);
        export(&part, skeleton, ExportOptions { solver, ..options })
    };
    let mut all: Vec<Exported> = meant.iter().map(one).collect();
    let others = document.chains.values().filter(|chain| !meant.contains(&chain.system));
    let mut left = BTreeMap::new();
    others.for_each(|chain| *left.entry(document.solver_of(chain)).or_insert(0) += 1);
    // What one system has no place for another may have, and what is the document's is told once.
    let written: BTreeSet<String> =
        all.iter().flat_map(|one| &one.table.colliders).map(|row| row.name.clone()).collect();
    let mut said: Vec<ExportLoss> = Vec::new();
    for one in &mut all {
        one.losses.retain(|loss| {
            let is_elsewhere = matches!(loss, ExportLoss::UnknownShape(name) if written.contains(name));
            let is_told = said.contains(loss);
            said.extend((!is_told).then(|| loss.clone()));
            !is_elsewhere && !is_told
        });
    }
    if let Some(first) = all.first_mut() {
        let many = (meant.len() > MOST_SYSTEMS).then_some(ExportLoss::TooManySystems(meant.len()));
        let left = left.into_iter().map(|(solver, count)| ExportLoss::OtherSolver(solver, count));
        first.losses.splice(0..0, many.into_iter().chain(left));
    }
    all
}

/// Kept rows of names that nothing here has.
fn add_strangers<T>(rows: &mut Vec<TableRow<T>>, kept: Vec<TableRow<T>>) {
    let here: BTreeSet<String> = rows.iter().map(|r| r.name.clone()).collect();
    rows.extend(kept.into_iter().filter(|r| !here.contains(&r.name)));
}

fn bone_rows(view: &View<'_>, options: ExportOptions, table: &mut BoneTable, losses: &mut Vec<ExportLoss>) {
    let document = view.document;
    let mut joints = Vec::new();
    for (id, chain) in &document.chains {
        if chain.values.iter().any(|v| v.curve.is_some()) {
            losses.push(ExportLoss::Curves(chain.name.clone()));
        }
        if chain.material.is_some() {
            losses.push(ExportLoss::Material(chain.name.clone()));
        }
        joints.extend((0..chain.joints.len()).map(|at| (chain.joints[at].bone, *id, at)));
    }
    joints.sort_by_key(|(bone, ..)| (view.names.rank(Node::Bone(*bone)), *bone));
    let mut pivots = BTreeSet::new();
    for (bone, id, at) in joints {
        if bone.index() >= view.skeleton.len() {
            let name = document.lost.path(bone).map_or_else(String::new, |path| path.name.clone());
            losses.push(ExportLoss::LostBone(name));
            continue;
        }
        let joint = &document.chains[&id].joints[at];
        let mut values = ParamSet::defaults(document.main().table());
        for (row, def) in rows(document.main().table()) {
            if def.scope == Scope::Joint && !def.beyond {
                values.set(row, mirrored(document.main().table(), row, options.mirror, |row| view.value(id, at, row)));
            }
        }
        loss::of_joint(view, joint, &values, losses);
        table.bones.push(bone_row(view, (id, joint), values, options));
        if !has_pivots(document.main().solver) {
            continue;
        }
        if let Some(row) = pivot_row(view, joint, options.mirror)
            && pivots.insert(row.name.clone())
        {
            table.pivots.push(row);
        }
    }
}

fn bone_row(view: &View<'_>, (chain, joint): (ChainId, &Joint), values: ParamSet, options: ExportOptions) -> BoneRow {
    let bone = joint.bone;
    let end = view.kept_end(bone);
    let colliders = view.collider_names(chain, joint, end);
    if !has_pivots(view.document.main().solver) {
        let cells = BoneCells { values, pivot: String::new(), length_targets: Vec::new(), colliders };
        return TableRow::new(view.skeleton.name(bone), cells);
    }
    let named = joint.length_targets.iter().filter_map(|t| view.names.name(t.node));
    let targets = named.map(|bone| LengthTarget { bone: bone.to_owned(), ratio: RATIO });
    let cells = BoneCells {
        values,
        pivot: pivot_name(view, joint, end.map_or("", |e| &e.pivot), options.empty_pivots),
        length_targets: targets.chain(end.into_iter().flat_map(|e| e.length_targets.iter().cloned())).collect(),
        colliders,
    };
    TableRow::new(view.skeleton.name(bone), cells)
}

/// The pivot cell: the original rejects an empty one, so a joint without pivot names its parent unless the artist
/// wants it empty.
fn pivot_name(view: &View<'_>, joint: &Joint, kept: &str, empty: bool) -> String {
    if let Some(name) = joint.pivot.and_then(|p| view.names.name(p)) {
        return name.to_owned();
    }
    if !kept.is_empty() || empty {
        return kept.to_owned();
    }
    view.skeleton.parent_of(joint.bone).map_or(String::new(), |p| view.skeleton.name(p).to_owned())
}

// Differs from UnityChanSpringBone: it also writes a row for a pivot that is a bone of the file, and on loading
// moves that bone to its parent's origin. A bone needs no row to be found by its name.
fn pivot_row(view: &View<'_>, joint: &Joint, axis: Axis) -> Option<PivotRow> {
    let Some(Node::Helper(id)) = joint.pivot else { return None };
    let helper = view.document.helpers.get(&id)?;
    let cells = written_pivot(view.document, &view.names, helper, axis)?;
    Some(TableRow::new(helper.name.clone(), cells))
}

fn node_rows(view: &View<'_>, options: ExportOptions, table: &mut BoneTable, losses: &mut Vec<ExportLoss>) {
    let (document, axis) = (view.document, options.mirror);
    let mut colliders: Vec<_> = document.colliders.iter().collect();
    colliders.sort_by_key(|(id, c)| (shape_rank(&c.shape), view.names.rank(c.node), **id));
    let mut seen = BTreeSet::new();
    for (_, collider) in colliders {
        if !document.main().solver.info().supports(&collider.shape) || !options.format.holds(&collider.shape) {
            losses.push(ExportLoss::UnknownShape(collider.name.clone()));
            continue;
        }
        if !seen.insert((shape_rank(&collider.shape), &collider.name)) {
            losses.push(ExportLoss::SharedCollider(collider.name.clone()));
        }
        match written_collider(document, view.skeleton, &view.names, collider, axis) {
            Some(cells) => table.colliders.push(ColliderRow::new(collider.name.clone(), cells)),
            None => losses.push(ExportLoss::LostCollider(collider.name.clone())),
        }
    }
    let asked = asked_for(document);
    let is_null = |id: &HelperId, h: &Helper| h.role == HelperRole::Null || asked.contains(&Node::Helper(*id));
    let mut nulls: Vec<_> = document.helpers.iter().filter(|(id, h)| is_null(id, h)).collect();
    nulls.sort_by_key(|(id, _)| (view.names.rank(Node::Helper(**id)), **id));
    for (_, helper) in nulls {
        let cells = written_null(document, &view.names, helper, axis);
        table.nulls.extend(cells.map(|cells| NullRow::new(helper.name.clone(), cells)));
    }
    let mut high_legs: Vec<_> = document.high_legs.iter().collect();
    high_legs.sort_by_key(|(id, h)| (view.names.rank(h.node), **id));
    for (_, high_leg) in high_legs {
        if let Some(row) = component_row(view, high_leg) {
            table.components.push(row);
        } else {
            let name = view.names.name(high_leg.node).unwrap_or_default();
            losses.push(ExportLoss::LostHighLeg(name.to_owned()));
        }
    }
}

/// Plain helpers that components and length limits speak of: the engine must have them as nodes of the file.
fn asked_for(document: &Document) -> BTreeSet<Node> {
    let components = document.high_legs.values();
    let centers = document.chains.values().filter_map(|c| c.center);
    let centers = centers.chain(document.systems.values().flat_map(System::nodes));
    let components = components.flat_map(|h| [h.node, h.hip].into_iter().chain(h.legs.iter().flatten().copied()));
    let joints = document.chains.values().flat_map(|c| &c.joints);
    let targets = joints.flat_map(|j| &j.length_targets).map(|t| t.node);
    // The engine makes a collider's node anew, under the collider's name.
    let made = |node: &Node, h: &Helper| document.colliders.values().any(|c| c.node == *node && c.name == h.name);
    let plain = |node: &Node| match node {
        Node::Helper(id) => document.helpers.get(id).is_some_and(|h| h.role == HelperRole::Plain && !made(node, h)),
        Node::Bone(_) => false,
    };
    components.chain(targets).chain(centers).filter(plain).collect()
}

fn component_row(view: &View<'_>, high_leg: &HighLeg) -> Option<ComponentRow> {
    let name = view.names.name(high_leg.node)?;
    Some(ComponentRow::new(name, written_high_leg(&view.names, high_leg)?))
}
