//! What a table has no place for, and whether our own comment rows keep it.

use super::View;
use super::apply::limits_act;
use crate::doc::table::{BoneTable, MOST_SYSTEMS, Section, TableFormat, has_pivots, unreadable_name};
use crate::doc::{Document, Joint, Side, Tip};
use crate::report::{Diagnostic, Place, clip};
use crate::schema::{ParamSet, Scope, rows};
use crate::sim::SolverKind;
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
    /// The joint is flagged as animated.
    Animated(String),
    /// Excluded bones, that many.
    Excluded(usize),
    /// Chains of another solver, that many.
    OtherSolver(SolverKind, usize),
    /// A per-character value that is not the engine's default, by its label.
    SystemValue(&'static str),
    /// A per-character value that the engine does not have, by its label: it will not do this.
    Improvement(&'static str),
    /// A value of joints that the engine does not have, by its label, and of how many.
    JointImprovement(&'static str, usize),
    /// A chain shares its numbers with others; a table gives each joint its own.
    Material(String),
    /// Joints of this chain have other numbers than its material, which the engine's component then cannot name.
    UnevenMaterial(String),
    /// The values of a chain with curves arrive as one number per bone.
    Curves(String),
    /// How hard the lengths of this bone are held.
    LengthConstant(String),
    /// The chain of this name has collider groups; its joints list what is in them.
    Groups(String),
    /// The speed of this chain is measured relative to a node.
    Center(String),
    /// How far this bone may turn in any direction.
    Swing(String),
    /// The collider of this name is off; the engine will turn it on.
    ColliderOff(String),
    /// The collider of this name hangs on nothing that this character has.
    LostCollider(String),
    /// The collider of this name has a shape that the engine does not know.
    UnknownShape(String),
    /// Several colliders of one kind have the name; the engine takes the first.
    SharedCollider(String),
    /// The force of this name.
    Force(String),
    /// The mesh of this name is not drawn; the table does not say so.
    RendererOff(String),
    /// The raised-thigh node of this name speaks of nodes that this character lacks.
    LostHighLeg(String),
    /// Several bones of this character have the name; the engine takes the last.
    SharedName(String),
    /// The name does not survive a file, and why.
    UnreadableName(String, &'static str),
    /// Limits are on without pivot: they do nothing here, the file has to name the parent, and there they act.
    LimitsWithoutPivot(String),
    /// The row has no pivot; the engine refuses it.
    NoPivotName(String),
    /// The bone of this name is not on this character.
    LostBone(String),
    /// The table has no bones: an engine that loads it with its box for bones ticked deletes every one of its own.
    WipesBones,
    /// Rows of other characters, that many, with their numbers as they came, whatever the mirror.
    KeptRows(usize),
    /// Rows of other characters, that many, which the format has no place for.
    KeptLeftOut(usize),
    /// So many systems; whoever reads the file takes the first [`MOST_SYSTEMS`] alone.
    TooManySystems(usize),
    /// Branches of this chain that are equally long have different values; a curve over length has one there.
    Uneven(String),
    /// Joints of this chain have different colliders; the engine's component gives all of them to every joint.
    UnevenColliders(String),
    /// Entries of a component's lists, that many.
    Lists {
        /// Which list.
        side: Side,
        /// Entries of all components.
        count: usize,
        /// Whether it is one component's; a table for chains of several has no row for them.
        alone: bool,
    },
    /// A component's lists name this, and its name leads to something else or to nothing.
    Listed(String),
}

impl ExportLoss {
    /// Whether the comment rows, where they are written, give it back to Yuremono.
    pub const fn is_in_comments(&self) -> bool {
        match self {
            Self::VirtualTip(_)
            | Self::ChosenTip(_)
            | Self::Disabled(_)
            | Self::Animated(_)
            | Self::Excluded(_)
            | Self::SystemValue(_)
            | Self::Improvement(_)
            | Self::JointImprovement(..)
            | Self::Curves(_)
            | Self::Material(_)
            | Self::LengthConstant(_)
            | Self::Groups(_)
            | Self::Center(_)
            | Self::Swing(_)
            | Self::ColliderOff(_)
            | Self::Force(_)
            | Self::RendererOff(_)
            | Self::UnreadableName(..)
            | Self::Lists { alone: true, .. } => true,
            Self::OtherSolver(..)
            | Self::LostCollider(_)
            | Self::UnknownShape(_)
            | Self::SharedCollider(_)
            | Self::LostHighLeg(_)
            | Self::SharedName(_)
            | Self::LimitsWithoutPivot(_)
            | Self::NoPivotName(_)
            | Self::LostBone(_)
            | Self::WipesBones
            | Self::KeptRows(_)
            | Self::KeptLeftOut(_)
            | Self::TooManySystems(_)
            | Self::Uneven(_)
            | Self::UnevenColliders(_)
            | Self::UnevenMaterial(_)
            | Self::Lists { alone: false, .. }
            | Self::Listed(_) => false,
        }
    }

    /// The bone that it is about.
    fn bone(&self) -> Option<&str> {
        match self {
            Self::VirtualTip(bone)
            | Self::ChosenTip(bone)
            | Self::Disabled(bone)
            | Self::Animated(bone)
            | Self::LengthConstant(bone)
            | Self::Swing(bone)
            | Self::SharedName(bone)
            | Self::UnreadableName(bone, _)
            | Self::LimitsWithoutPivot(bone)
            | Self::NoPivotName(bone) => Some(bone),
            _ => None,
        }
    }

    /// As a message about a file.
    pub fn diagnostic(&self, file_name: &str) -> Diagnostic {
        let place = Place::file(file_name);
        let place = if let Some(bone) = self.bone() { place.bone(clip(bone)) } else { place };
        Diagnostic::warning(place, self.to_string())
    }
}

impl fmt::Display for ExportLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::VirtualTip(_) => f.write_str("the virtual tip cannot be exported; the engine makes its own"),
            Self::ChosenTip(_) => f.write_str("the choice of a tip among several children cannot be exported"),
            Self::Disabled(_) => f.write_str("the joint is off; a table cannot say so"),
            Self::Animated(_) => f.write_str("the joint is flagged as animated; a table cannot say so"),
            Self::Excluded(count) => write!(f, "{count} excluded bones; a table cannot say so"),
            Self::OtherSolver(kind, count) => {
                write!(f, "{count} chains move by {}; they go into a table of their own", kind.key())
            }
            Self::SystemValue(label) => {
                write!(f, "{label} belongs to the whole character; a table has no place for it")
            }
            Self::Improvement(label) => write!(f, "{label} is an improvement of Yuremono; the engine will not do this"),
            Self::JointImprovement(label, count) => {
                write!(f, "{label} of {count} joints is an improvement of Yuremono; the engine will not do this")
            }
            Self::Curves(chain) => {
                write!(f, "chain \"{}\" has curves; a table carries one number per bone", clip(chain))
            }
            Self::Material(chain) => {
                write!(f, "chain \"{}\" shares a material; a table gives every bone numbers of its own", clip(chain))
            }
            Self::UnevenMaterial(chain) => write!(
                f,
                "joints of chain \"{}\" have other numbers than its material; it is written without it",
                clip(chain)
            ),
            Self::LengthConstant(_) => f.write_str("how hard lengths are held cannot be exported"),
            Self::Groups(chain) => {
                write!(f, "chain \"{}\" has collider groups; each joint lists what is in them", clip(chain))
            }
            Self::Center(chain) => {
                write!(f, "the center of chain \"{}\" cannot be exported", clip(chain))
            }
            Self::Swing(_) => f.write_str("how far the joint may turn in any direction cannot be exported"),
            Self::ColliderOff(name) => write!(f, "collider \"{}\" is off; a table cannot say so", clip(name)),
            Self::UnknownShape(name) => {
                write!(f, "collider \"{}\" is left out: the engine has no such shape", clip(name))
            }
            Self::LostCollider(name) => {
                write!(f, "collider \"{}\" hangs on a bone that is not on this character", clip(name))
            }
            Self::SharedCollider(name) => {
                write!(f, "several colliders are called \"{}\"; the engine takes the first", clip(name))
            }
            Self::Force(name) => write!(f, "force \"{}\" cannot be exported", clip(name)),
            Self::RendererOff(name) => write!(f, "mesh \"{}\" is not drawn; a table cannot say so", clip(name)),
            Self::LostHighLeg(name) => {
                write!(f, "the raised-thigh node \"{}\" speaks of bones that are not on this character", clip(name))
            }
            Self::SharedName(_) => f.write_str("several bones have this name; the engine takes the last one"),
            Self::UnreadableName(_, why) => f.write_str(why),
            Self::LimitsWithoutPivot(_) => f.write_str(
                "angle limits without pivot do nothing here; the table names the parent, and there they act",
            ),
            Self::NoPivotName(_) => f.write_str("the row names no pivot; the engine refuses it"),
            Self::LostBone(bone) => {
                write!(f, "bone \"{}\" is not on this character; its values are not exported", clip(bone))
            }
            Self::WipesBones => {
                f.write_str("the table has no bones; an engine that loads them too deletes every spring bone it has")
            }
            Self::KeptRows(count) => {
                write!(f, "{count} rows of other characters are written as they came, whatever the mirror")
            }
            Self::KeptLeftOut(count) => {
                write!(f, "{count} rows of other characters are left out; this format has no place for them")
            }
            Self::TooManySystems(count) => {
                write!(
                    f,
                    "{count} systems; whoever reads the file takes the first {MOST_SYSTEMS} and leaves the others out"
                )
            }
            Self::Uneven(chain) => write!(
                f,
                "chain \"{}\" has different values at one length; the engine's curve holds the first",
                clip(chain)
            ),
            Self::Lists { side, count, .. } => {
                let entries = if *count == 1 { "entry" } else { "entries" };
                write!(f, "{count} {entries} in the component's list \"{}\"; this cannot be exported", side.key())
            }
            Self::Listed(name) => write!(
                f,
                "the component's lists name \"{}\", which a file cannot find again by that name; it is left out there",
                clip(name)
            ),
            Self::UnevenColliders(chain) => write!(
                f,
                "joints of chain \"{}\" have different colliders; the engine gives all of them to every joint",
                clip(chain)
            ),
        }
    }
}

/// What other solvers move.
pub(super) fn of_others(whole: &Document, only: &Document) -> Vec<ExportLoss> {
    let others = whole.solvers().into_iter().filter(|kind| *kind != only.main().solver);
    let count = |kind| whole.chains_under(kind).count();
    others.map(|kind| (kind, count(kind))).filter(|(_, n)| *n > 0).map(|(k, n)| ExportLoss::OtherSolver(k, n)).collect()
}

/// What belongs to the whole character.
pub(super) fn of_document(document: &Document) -> Vec<ExportLoss> {
    let mut all = Vec::new();
    for (row, def) in rows(document.main().table()) {
        match def.scope {
            Scope::System if document.main().get(row) != def.default => {
                all.push(if def.beyond && has_pivots(document.main().solver) {
                    ExportLoss::Improvement(def.label)
                } else {
                    ExportLoss::SystemValue(def.label)
                });
            }
            Scope::Joint if def.beyond => {
                let count = document.chains.values().map(|chain| {
                    let shared = &chain.values[row.index()];
                    let shared = shared.base != def.default || shared.curve.is_some();
                    let own = |j: &&Joint| j.own.get(&row).map_or(shared, |own| *own != def.default);
                    chain.joints.iter().filter(own).count()
                });
                let count = count.sum();
                if count > 0 {
                    all.push(ExportLoss::JointImprovement(def.label, count));
                }
            }
            _ => {}
        }
    }
    if !document.excluded.is_empty() {
        all.push(ExportLoss::Excluded(document.excluded.len()));
    }
    for chain in document.chains.values() {
        let name = || chain.name.clone();
        all.extend((!chain.groups.is_empty()).then(|| ExportLoss::Groups(name())));
        all.extend(chain.center.map(|_| ExportLoss::Center(name())));
    }
    let off = document.colliders.values().filter(|c| !c.enabled);
    all.extend(off.map(|c| ExportLoss::ColliderOff(c.name.clone())));
    all.extend(document.forces.values().map(|f| ExportLoss::Force(f.name.clone())));
    all.extend(document.renderers_off.iter().cloned().map(ExportLoss::RendererOff));
    all
}

/// What belongs to one joint.
pub(super) fn of_joint(view: &View<'_>, joint: &Joint, values: &ParamSet, losses: &mut Vec<ExportLoss>) {
    let name = || view.skeleton.name(joint.bone).to_owned();
    match joint.tip {
        Tip::Offset(_) => losses.push(ExportLoss::VirtualTip(name())),
        Tip::Bone(tip) if view.skeleton.children(joint.bone) != [tip] => losses.push(ExportLoss::ChosenTip(name())),
        Tip::Bone(_) | Tip::Children => {}
    }
    if !joint.enabled {
        losses.push(ExportLoss::Disabled(name()));
    }
    if joint.animated {
        losses.push(ExportLoss::Animated(name()));
    }
    if joint.length_targets.iter().any(|t| t.constant.is_some()) {
        losses.push(ExportLoss::LengthConstant(name()));
    }
    if view.skeleton.find_all(&name()).len() > 1 {
        losses.push(ExportLoss::SharedName(name()));
    }
    if joint.limit.is_some() {
        losses.push(ExportLoss::Swing(name()));
    }
    let limits = has_pivots(view.document.main().solver) && limits_act(values);
    if joint.pivot.is_none() && view.skeleton.parent_of(joint.bone).is_some() && limits {
        losses.push(ExportLoss::LimitsWithoutPivot(name()));
    }
}

/// Leaves what a format loses, which is not what a CSV loses; `kept` rows are of other characters.
pub(super) fn in_format(format: TableFormat, kept: usize, losses: &mut Vec<ExportLoss>) {
    use ExportLoss as L;
    losses.retain(|loss| match format {
        TableFormat::Csv => !matches!(loss, L::Uneven(_) | L::UnevenColliders(_) | L::UnevenMaterial(_)),
        TableFormat::Parameters => {
            let of_trees = matches!(loss, L::Uneven(_) | L::UnevenColliders(_) | L::UnevenMaterial(_));
            let needless = of_trees || matches!(loss, L::NoPivotName(_) | L::WipesBones);
            !(needless || loss.is_in_comments())
        }
        _ => {
            let csv = matches!(loss, L::UnreadableName(..)) && format != TableFormat::DynamicBoneCsv;
            !(csv || matches!(loss, L::SystemValue(_) | L::Curves(_) | L::Material(_) | L::KeptRows(_)))
        }
    });
    if format.is_of_trees() && kept > 0 {
        losses.push(L::KeptLeftOut(kept));
    }
}

/// What only the finished table tells.
pub(super) fn of_table(table: &BoneTable, kept: usize, bones_wanted: bool, losses: &mut Vec<ExportLoss>) {
    let mut told = BTreeSet::new();
    let names = |section| -> Vec<&str> {
        match section {
            Section::Bones => table.bones.iter().map(|r| r.name.as_str()).collect(),
            Section::Pivots => table.pivots.iter().map(|r| r.name.as_str()).collect(),
            Section::Colliders => table.colliders.iter().map(|r| r.name.as_str()).collect(),
            Section::Nulls => table.nulls.iter().map(|r| r.name.as_str()).collect(),
            Section::Components | Section::Extras => Vec::new(),
        }
    };
    for name in Section::ALL.into_iter().flat_map(names) {
        if let Some(why) = unreadable_name(name)
            && told.insert(name)
        {
            losses.push(ExportLoss::UnreadableName(name.to_owned(), why));
        }
    }
    let without_pivot = |cells: &crate::doc::table::BoneCells| cells.pivot.is_empty();
    let engine = has_pivots(table.solver);
    let refused = table.bones.iter().filter(|r| engine && r.cells.as_ref().is_ok_and(without_pivot));
    losses.extend(refused.map(|r| ExportLoss::NoPivotName(r.name.clone())));
    if engine && table.bones.is_empty() && !bones_wanted {
        losses.push(ExportLoss::WipesBones);
    }
    if kept > 0 {
        losses.push(ExportLoss::KeptRows(kept));
    }
}
