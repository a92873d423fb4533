//! What a table has no place for, and whether our own comment rows keep it.

use super::TableFormat;
use super::solver_part::SolverPart;
use super::{FileItem, MOST_SYSTEMS, Section, unreadable_name};
use crate::document::{Joint, SetupItem, Side, Tip};
use crate::report::{Diagnostic, Place, clip};
use crate::schema::{Scope, rows};
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
    /// An entry refers to the node or collider of this name, and a file cannot find it again by the name.
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
                "\"{}\" is left out where entries refer to it: a file cannot find it again by that name",
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

/// Chains of other solvers, which a table of one solver leaves out.
pub(super) fn of_others(part: &SolverPart<'_>) -> Vec<ExportLoss> {
    let others = part.document.solvers().into_iter().filter(|solver| *solver != part.solver);
    let counted = others.map(|solver| (solver, part.document.chains_under(solver).count()));
    counted.filter(|(_, count)| *count > 0).map(|(solver, count)| ExportLoss::OtherSolver(solver, count)).collect()
}

/// What a table loses of the whole character.
pub(super) fn of_document(part: &SolverPart<'_>) -> Vec<ExportLoss> {
    let document = part.document;
    let mut all = of_values(part);
    if !document.excluded.is_empty() {
        all.push(ExportLoss::Excluded(document.excluded.len()));
    }
    for (_, chain) in part.chains() {
        let name = || chain.name.clone();
        all.extend((!chain.groups.is_empty()).then(|| ExportLoss::Groups(name())));
        all.extend(chain.center.map(|_| ExportLoss::Center(name())));
    }
    let off = document.colliders.values().filter(|collider| !collider.enabled);
    all.extend(off.map(|collider| ExportLoss::ColliderOff(collider.name.clone())));
    all.extend(document.forces.values().map(|force| ExportLoss::Force(force.name.clone())));
    all.extend(document.renderers_off.iter().cloned().map(ExportLoss::RendererOff));
    all
}

/// Values of the system, and values of joints that the engine does not have.
fn of_values(part: &SolverPart<'_>) -> Vec<ExportLoss> {
    let mut all = Vec::new();
    for (row, def) in rows(part.main.table()) {
        match def.scope {
            Scope::System if part.main.get(row) != def.default => {
                all.push(if def.beyond && part.solver.info().improvements.is_some() {
                    ExportLoss::Improvement(def.label)
                } else {
                    ExportLoss::SystemValue(def.label)
                });
            }
            Scope::Joint if def.beyond => {
                let count: usize = part
                    .chains()
                    .map(|(_, chain)| {
                        let shared = &chain.values[row.index()];
                        let is_shared = shared.base != def.default || shared.curve.is_some();
                        let has = |joint: &&Joint| joint.own.get(&row).map_or(is_shared, |own| *own != def.default);
                        chain.joints.iter().filter(has).count()
                    })
                    .sum();
                all.extend((count > 0).then_some(ExportLoss::JointImprovement(def.label, count)));
            }
            _ => {}
        }
    }
    all
}

/// Component lists that a file does not hold, or holds for Yuremono alone.
pub(super) fn of_lists(part: &SolverPart<'_>, format: TableFormat) -> Vec<ExportLoss> {
    let alone = part.has_one_system();
    let count = |side: Side| part.systems().map(|(_, system)| system.extras.count(side)).sum::<usize>();
    let is_held = |side: &Side| alone && format.single_nodes().contains(side);
    let counted = Side::ALL.into_iter().filter(|side| !is_held(side)).map(|side| (side, count(side)));
    let counted = counted.filter(|(_, count)| *count > 0);
    counted.map(|(side, count)| ExportLoss::Lists { side, count, alone }).collect()
}

/// What a table loses of a joint. `is_limited` says whether angle limits of the joint are on.
pub(super) fn of_joint(part: &SolverPart<'_>, joint: &Joint, is_limited: bool, losses: &mut Vec<ExportLoss>) {
    let name = || part.skeleton.name(joint.bone).to_owned();
    match joint.tip {
        Tip::Offset(_) => losses.push(ExportLoss::VirtualTip(name())),
        Tip::Bone(tip) if part.skeleton.children(joint.bone) != [tip] => losses.push(ExportLoss::ChosenTip(name())),
        Tip::Bone(_) | Tip::Children => {}
    }
    if !joint.enabled {
        losses.push(ExportLoss::Disabled(name()));
    }
    if joint.animated {
        losses.push(ExportLoss::Animated(name()));
    }
    if joint.length_targets.iter().any(|target| target.constant.is_some()) {
        losses.push(ExportLoss::LengthConstant(name()));
    }
    if part.skeleton.find_all(part.skeleton.name(joint.bone)).len() > 1 {
        losses.push(ExportLoss::SharedName(name()));
    }
    if joint.limit.is_some() {
        losses.push(ExportLoss::Swing(name()));
    }
    if is_limited && joint.pivot.is_none() && part.skeleton.parent_of(joint.bone).is_some() {
        losses.push(ExportLoss::LimitsWithoutPivot(name()));
    }
}

/// What the finished rows show: names that no CSV reader reads back, and joints without a pivot's name.
pub(super) fn of_rows(solver: SolverKind, items: &[FileItem], losses: &mut Vec<ExportLoss>) {
    let of_section = |section| items.iter().filter(move |item| item.section == section);
    let mut reported = BTreeSet::new();
    let sections = [Section::Joints, Section::Pivots, Section::Colliders, Section::Nodes];
    for item in sections.into_iter().flat_map(of_section) {
        if let Some(why) = unreadable_name(&item.name)
            && reported.insert(item.name.as_str())
        {
            losses.push(ExportLoss::UnreadableName(item.name.clone(), why));
        }
    }
    if solver.info().pivots {
        let without =
            |item: &&FileItem| matches!(&item.content, Ok(SetupItem::Joint(row)) if row.joint.pivot.is_none());
        let refused = of_section(Section::Joints).filter(without);
        losses.extend(refused.map(|item| ExportLoss::NoPivotName(item.name.clone())));
    }
}

/// Leaves the losses of a format, which differ from those of a CSV.
pub(super) fn in_format(format: TableFormat, losses: &mut Vec<ExportLoss>) {
    use ExportLoss as L;
    losses.retain(|loss| match format {
        TableFormat::Csv => !matches!(loss, L::Uneven(_) | L::UnevenColliders(_) | L::UnevenMaterial(_)),
        TableFormat::Parameters => true,
        _ => {
            let csv = matches!(loss, L::UnreadableName(..)) && format != TableFormat::DynamicBoneCsv;
            !(csv || matches!(loss, L::SystemValue(_) | L::Curves(_) | L::Material(_) | L::KeptRows(_)))
        }
    });
}
