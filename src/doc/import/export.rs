//! A document as a table.

use super::kept::Kept;
use super::{View, mirrored};
use crate::doc::pivot::Axis;
use crate::doc::table::{BoneCells, BoneRow, BoneTable, PivotCells, PivotRow, unreadable_name};
use crate::doc::{Document, Joint, Node, Tip};
use crate::report::{Diagnostic, Place, clip};
use crate::rig::{BoneId, Skeleton};
use crate::schema::{ParamSet, Scope, rows};
use crate::sim::solver::spring_bone::{Y_ACTIVE, Z_ACTIVE};
use std::collections::BTreeSet;
use std::fmt;

/// Something of the document that a table has no place for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportLoss {
    /// The tip is a point that the engine does not know.
    VirtualTip(String),
    /// The tip is one of several children; the engine takes their middle.
    ChosenTip(String),
    /// The joint is off; the engine will move it.
    Disabled(String),
    /// Excluded bones, that many.
    Excluded(usize),
    /// A per-character value that is not the engine's default, by its label.
    SystemValue(&'static str),
    /// The values of a chain with curves arrive as one number per bone.
    Curves(String),
    /// The collider of this name; rows of bones name it, but the table does not describe it.
    Collider(String),
    /// Several bones of this character have the name; the engine takes the last.
    SharedName(String),
    /// The name does not survive a file, and why.
    UnreadableName(String, &'static str),
    /// Limits are on without pivot: they do nothing here, the file has to name the parent, and there they act.
    LimitsWithoutPivot(String),
    /// The bone hangs in the world and has no pivot; the engine refuses a row without one.
    NoPivotName(String),
    /// The bone of this name is not on this character.
    LostBone(String),
}

impl fmt::Display for ExportLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::VirtualTip(_) => f.write_str("the virtual tip cannot be exported; the engine makes its own"),
            Self::ChosenTip(_) => f.write_str("the choice of a tip among several children cannot be exported"),
            Self::Disabled(_) => f.write_str("the joint is off; a table cannot say so"),
            Self::Excluded(count) => write!(f, "{count} excluded bones; a table cannot say so"),
            Self::SystemValue(label) => {
                write!(f, "{label} belongs to the whole character; a table has no place for it")
            }
            Self::Curves(chain) => {
                write!(f, "chain \"{}\" has curves; a table carries one number per bone", clip(chain))
            }
            Self::Collider(name) => write!(f, "collider \"{}\" is named but not described by the table", clip(name)),
            Self::SharedName(_) => f.write_str("several bones have this name; the engine takes the last one"),
            Self::UnreadableName(_, why) => f.write_str(why),
            Self::LimitsWithoutPivot(_) => f.write_str(
                "angle limits without pivot do nothing here; the table names the parent, and there they act",
            ),
            Self::NoPivotName(_) => f.write_str("the bone has neither pivot nor parent; the engine refuses its row"),
            Self::LostBone(bone) => {
                write!(f, "bone \"{}\" is not on this character; its values are not exported", clip(bone))
            }
        }
    }
}

impl ExportLoss {
    /// As a message about a file.
    pub fn diagnostic(&self, file_name: &str) -> Diagnostic {
        let place = Place::file(file_name);
        let place = match self {
            Self::VirtualTip(bone)
            | Self::ChosenTip(bone)
            | Self::Disabled(bone)
            | Self::SharedName(bone)
            | Self::UnreadableName(bone, _)
            | Self::LimitsWithoutPivot(bone)
            | Self::NoPivotName(bone) => place.bone(clip(bone)),
            Self::Excluded(_) | Self::SystemValue(_) | Self::Curves(_) | Self::Collider(_) | Self::LostBone(_) => place,
        };
        Diagnostic::warning(place, self.to_string())
    }
}

/// A table and what it could not take along.
#[derive(Clone, Debug, PartialEq)]
pub struct Exported {
    /// Bones in depth-first order of the hierarchy, then kept rows.
    pub table: BoneTable,
    /// For the save dialog.
    pub losses: Vec<ExportLoss>,
}

/// All joints as a table in Unity's space.
pub fn export(document: &Document, skeleton: &Skeleton, axis: Axis) -> Exported {
    let view = View::new(document, skeleton);
    let mut table = BoneTable::new(document.solver);
    let mut losses = system_losses(document);
    let kept = Kept::of(document);
    let mut joints = Vec::new();
    for (id, chain) in &document.chains {
        if chain.values.iter().any(|v| v.curve.is_some()) {
            losses.push(ExportLoss::Curves(chain.name.clone()));
        }
        joints.extend((0..chain.joints.len()).map(|at| (chain.joints[at].bone, *id, at)));
    }
    // A skeleton's bones stand in depth-first order.
    joints.sort_unstable();
    let mut pivots = BTreeSet::new();
    for (bone, id, at) in joints {
        if bone.index() >= skeleton.len() {
            let name = document.lost.path(bone).map_or_else(String::new, |path| path.name.clone());
            losses.push(ExportLoss::LostBone(name));
            continue;
        }
        let joint = &document.chains[&id].joints[at];
        let mut values = ParamSet::defaults(document.table());
        for (row, def) in rows(document.table()) {
            if def.scope == Scope::Joint && !def.beyond {
                values.set(row, mirrored(row, view.value(id, at, row), axis));
            }
        }
        joint_losses(&view, joint, &values, &mut losses);
        let end = kept.ends.get(skeleton.name(bone)).cloned().unwrap_or_default();
        let mut colliders = Vec::new();
        let live = joint.colliders.iter().filter_map(|c| document.colliders.get(c)).map(|c| &c.name);
        for name in live.chain(&end.colliders) {
            if !colliders.contains(name) {
                colliders.push(name.clone());
            }
        }
        let cells = BoneCells {
            values,
            pivot: pivot_name(&view, joint, &end.pivot),
            length_targets: end.length_targets,
            colliders,
        };
        table.bones.push(BoneRow { line: 0, name: skeleton.name(bone).to_owned(), cells: Ok(cells) });
        if let Some(row) = pivot_row(&view, joint, axis)
            && pivots.insert(row.name.clone())
        {
            table.pivots.push(row);
        }
    }
    table.bones.extend(kept.bones);
    table.pivots.extend(kept.pivots.into_iter().filter(|p| !pivots.contains(&p.name)));
    table.sections = kept.sections;
    Exported { table, losses }
}

/// The pivot cell: the original rejects an empty one, so a joint without pivot names its parent.
fn pivot_name(view: &View<'_>, joint: &Joint, kept: &str) -> String {
    if let Some(name) = joint.pivot.and_then(|p| view.node_name(p)) {
        return name.to_owned();
    }
    if !kept.is_empty() {
        return kept.to_owned();
    }
    view.skeleton.parent_of(joint.bone).map_or(String::new(), |p| view.skeleton.name(p).to_owned())
}

// Differs from UnityChanSpringBone: it also writes a row for a pivot that is a bone of the file, and on loading
// moves that bone to its parent's origin. A bone needs no row to be found by its name.
fn pivot_row(view: &View<'_>, joint: &Joint, axis: Axis) -> Option<PivotRow> {
    let Some(Node::Helper(id)) = joint.pivot else { return None };
    let helper = view.document.helpers.get(&id)?;
    let parent = view.node_name(helper.parent)?.to_owned();
    let euler_deg = axis.euler_from_pivot(helper.local.rotation);
    Some(PivotRow { line: 0, name: helper.name.clone(), cells: Ok(PivotCells { parent, euler_deg }) })
}

fn system_losses(document: &Document) -> Vec<ExportLoss> {
    let changed = rows(document.table())
        .filter(|(row, def)| def.scope == Scope::System && document.system.get(*row) != def.default)
        .map(|(_, def)| ExportLoss::SystemValue(def.label));
    let excluded = (!document.excluded.is_empty()).then_some(ExportLoss::Excluded(document.excluded.len()));
    let colliders = document.colliders.values().map(|c| ExportLoss::Collider(c.name.clone()));
    changed.chain(excluded).chain(colliders).collect()
}

fn joint_losses(view: &View<'_>, joint: &Joint, values: &ParamSet, losses: &mut Vec<ExportLoss>) {
    let name = || name_of(view, joint.bone);
    match joint.tip {
        Tip::Offset(_) => losses.push(ExportLoss::VirtualTip(name())),
        Tip::Bone(tip) if view.skeleton.children(joint.bone) != [tip] => losses.push(ExportLoss::ChosenTip(name())),
        Tip::Bone(_) | Tip::Children => {}
    }
    if !joint.enabled {
        losses.push(ExportLoss::Disabled(name()));
    }
    if view.skeleton.find_all(&name()).len() > 1 {
        losses.push(ExportLoss::SharedName(name()));
    }
    if let Some(why) = unreadable_name(&name()) {
        losses.push(ExportLoss::UnreadableName(name(), why));
    }
    if joint.pivot.is_none() {
        if view.skeleton.parent_of(joint.bone).is_none() {
            losses.push(ExportLoss::NoPivotName(name()));
        } else if [Y_ACTIVE, Z_ACTIVE].iter().any(|row| values.get(*row) != 0.0) {
            losses.push(ExportLoss::LimitsWithoutPivot(name()));
        }
    }
}

fn name_of(view: &View<'_>, bone: BoneId) -> String {
    view.skeleton.name(bone).to_owned()
}
