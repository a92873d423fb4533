//! What a table has no place for, and whether our own comment rows keep it.

use super::TableFormat;
use super::solver_subset::SolverSubset;
use super::{FileEntry, FileSection, MAX_SYSTEMS, unreadable_name_reason};
use crate::diagnostics::{Diagnostic, Location, excerpt};
use crate::document::{Joint, ListKind, SetupEntry, Tip};
use crate::params::{ParamScope, enumerate_params};
use crate::sim::SolverKind;
use std::collections::BTreeSet;
use std::fmt;

/// Something of the document that a table has no place for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportLoss {
    /// The tip is a point that the engine does not know.
    OffsetTip(String),
    /// The tip is one of several children; the engine takes their middle.
    ChosenTip(String),
    /// The joint is off; the engine will move it.
    JointDisabled(String),
    /// The joint is flagged as animated.
    AnimatedFlag(String),
    /// Excluded bones, that many.
    ExcludedBones(usize),
    /// Chains of another solver, that many.
    ChainsOfOtherSolver(SolverKind, usize),
    /// A per-character value that is not the engine's default, by its label.
    SystemValue(&'static str),
    /// A per-character value that the engine does not have, by its label: it will not do this.
    SystemExtension(&'static str),
    /// A value of joints that the engine does not have, by its label, and of how many.
    JointExtension(&'static str, usize),
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
    SwingLimit(String),
    /// The collider of this name is off; the engine will turn it on.
    DisabledCollider(String),
    /// The collider of this name hangs on nothing that this character has.
    ColliderOnMissingBone(String),
    /// The collider of this name has a shape that the engine does not know.
    UnsupportedShape(String),
    /// Several colliders of one kind have the name; the engine takes the first.
    DuplicateColliderName(String),
    /// The force of this name.
    Force(String),
    /// The mesh of this name is not drawn; the table does not say so.
    HiddenMesh(String),
    /// The raised-thigh node of this name speaks of nodes that this character lacks.
    HighLegOnMissingNode(String),
    /// Several bones of this character have the name; the engine takes the last.
    DuplicateBoneName(String),
    /// The name does not survive a file, and why.
    UnreadableName(String, &'static str),
    /// Limits are on without pivot: they do nothing here, the file has to name the parent, and there they act.
    LimitsWithoutPivot(String),
    /// The row has no pivot; the engine refuses it.
    MissingPivotName(String),
    /// The bone of this name is not on this character.
    MissingBone(String),
    /// The table has no bones: an engine that loads it with its box for bones ticked deletes every one of its own.
    EngineDeletesJoints,
    /// Rows of other characters, that many, with their numbers as they came, whatever the mirror.
    PassthroughRows(usize),
    /// Rows of other characters, that many, which the format has no place for.
    PassthroughDropped(usize),
    /// So many systems; whoever reads the file takes the first [`MAX_SYSTEMS`] alone.
    TooManySystems(usize),
    /// Branches of this chain that are equally long have different values; a curve over length has one there.
    UnevenCurve(String),
    /// Joints of this chain have different colliders; the engine's component gives all of them to every joint.
    UnevenColliders(String),
    /// Entries of a component's lists, that many.
    ComponentList {
        /// Which list.
        list: ListKind,
        /// Entries of all components.
        count: usize,
        /// Whether it is one component's; a table for chains of several has no row for them.
        is_single_component: bool,
    },
    /// An entry refers to the node or collider of this name, and a file cannot find it again by the name.
    UnresolvableName(String),
}

impl ExportLoss {
    /// Whether the comment rows, where they are written, give it back to Yuremono.
    pub const fn is_kept_in_comments(&self) -> bool {
        match self {
            Self::OffsetTip(_)
            | Self::ChosenTip(_)
            | Self::JointDisabled(_)
            | Self::AnimatedFlag(_)
            | Self::ExcludedBones(_)
            | Self::SystemValue(_)
            | Self::SystemExtension(_)
            | Self::JointExtension(..)
            | Self::Curves(_)
            | Self::Material(_)
            | Self::LengthConstant(_)
            | Self::Groups(_)
            | Self::Center(_)
            | Self::SwingLimit(_)
            | Self::DisabledCollider(_)
            | Self::Force(_)
            | Self::HiddenMesh(_)
            | Self::UnreadableName(..)
            | Self::ComponentList { is_single_component: true, .. } => true,
            Self::ChainsOfOtherSolver(..)
            | Self::ColliderOnMissingBone(_)
            | Self::UnsupportedShape(_)
            | Self::DuplicateColliderName(_)
            | Self::HighLegOnMissingNode(_)
            | Self::DuplicateBoneName(_)
            | Self::LimitsWithoutPivot(_)
            | Self::MissingPivotName(_)
            | Self::MissingBone(_)
            | Self::EngineDeletesJoints
            | Self::PassthroughRows(_)
            | Self::PassthroughDropped(_)
            | Self::TooManySystems(_)
            | Self::UnevenCurve(_)
            | Self::UnevenColliders(_)
            | Self::UnevenMaterial(_)
            | Self::ComponentList { is_single_component: false, .. }
            | Self::UnresolvableName(_) => false,
        }
    }

    /// The bone that it is about.
    fn bone(&self) -> Option<&str> {
        match self {
            Self::OffsetTip(bone)
            | Self::ChosenTip(bone)
            | Self::JointDisabled(bone)
            | Self::AnimatedFlag(bone)
            | Self::LengthConstant(bone)
            | Self::SwingLimit(bone)
            | Self::DuplicateBoneName(bone)
            | Self::UnreadableName(bone, _)
            | Self::LimitsWithoutPivot(bone)
            | Self::MissingPivotName(bone) => Some(bone),
            _ => None,
        }
    }

    /// As a message about a file.
    pub fn diagnostic(&self, file_name: &str) -> Diagnostic {
        let place = Location::file(file_name);
        let place = if let Some(bone) = self.bone() { place.with_bone(excerpt(bone)) } else { place };
        Diagnostic::warning(place, self.to_string())
    }
}

impl fmt::Display for ExportLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OffsetTip(_) => f.write_str("the virtual tip cannot be exported; the engine makes its own"),
            Self::ChosenTip(_) => f.write_str("the choice of a tip among several children cannot be exported"),
            Self::JointDisabled(_) => f.write_str("the joint is off; a table cannot say so"),
            Self::AnimatedFlag(_) => f.write_str("the joint is flagged as animated; a table cannot say so"),
            Self::ExcludedBones(count) => write!(f, "{count} excluded bones; a table cannot say so"),
            Self::ChainsOfOtherSolver(kind, count) => {
                write!(f, "{count} chains move by {}; they go into a table of their own", kind.key())
            }
            Self::SystemValue(label) => {
                write!(f, "{label} belongs to the whole character; a table has no place for it")
            }
            Self::SystemExtension(label) => {
                write!(f, "{label} is an improvement of Yuremono; the engine will not do this")
            }
            Self::JointExtension(label, count) => {
                write!(f, "{label} of {count} joints is an improvement of Yuremono; the engine will not do this")
            }
            Self::Curves(chain) => {
                write!(f, "chain \"{}\" has curves; a table carries one number per bone", excerpt(chain))
            }
            Self::Material(chain) => {
                write!(f, "chain \"{}\" shares a material; a table gives every bone numbers of its own", excerpt(chain))
            }
            Self::UnevenMaterial(chain) => write!(
                f,
                "joints of chain \"{}\" have other numbers than its material; it is written without it",
                excerpt(chain)
            ),
            Self::LengthConstant(_) => f.write_str("how hard lengths are held cannot be exported"),
            Self::Groups(chain) => {
                write!(f, "chain \"{}\" has collider groups; each joint lists what is in them", excerpt(chain))
            }
            Self::Center(chain) => {
                write!(f, "the center of chain \"{}\" cannot be exported", excerpt(chain))
            }
            Self::SwingLimit(_) => f.write_str("how far the joint may turn in any direction cannot be exported"),
            Self::DisabledCollider(name) => write!(f, "collider \"{}\" is off; a table cannot say so", excerpt(name)),
            Self::UnsupportedShape(name) => {
                write!(f, "collider \"{}\" is left out: the engine has no such shape", excerpt(name))
            }
            Self::ColliderOnMissingBone(name) => {
                write!(f, "collider \"{}\" hangs on a bone that is not on this character", excerpt(name))
            }
            Self::DuplicateColliderName(name) => {
                write!(f, "several colliders are called \"{}\"; the engine takes the first", excerpt(name))
            }
            Self::Force(name) => write!(f, "force \"{}\" cannot be exported", excerpt(name)),
            Self::HiddenMesh(name) => write!(f, "mesh \"{}\" is not drawn; a table cannot say so", excerpt(name)),
            Self::HighLegOnMissingNode(name) => {
                write!(f, "the raised-thigh node \"{}\" speaks of bones that are not on this character", excerpt(name))
            }
            Self::DuplicateBoneName(_) => f.write_str("several bones have this name; the engine takes the last one"),
            Self::UnreadableName(_, why) => f.write_str(why),
            Self::LimitsWithoutPivot(_) => f.write_str(
                "angle limits without pivot do nothing here; the table names the parent, and there they act",
            ),
            Self::MissingPivotName(_) => f.write_str("the row names no pivot; the engine refuses it"),
            Self::MissingBone(bone) => {
                write!(f, "bone \"{}\" is not on this character; its values are not exported", excerpt(bone))
            }
            Self::EngineDeletesJoints => {
                f.write_str("the table has no bones; an engine that loads them too deletes every spring bone it has")
            }
            Self::PassthroughRows(count) => {
                write!(f, "{count} rows of other characters are written as they came, whatever the mirror")
            }
            Self::PassthroughDropped(count) => {
                write!(f, "{count} rows of other characters are left out; this format has no place for them")
            }
            Self::TooManySystems(count) => {
                write!(
                    f,
                    "{count} systems; whoever reads the file takes the first {MAX_SYSTEMS} and leaves the others out"
                )
            }
            Self::UnevenCurve(chain) => write!(
                f,
                "chain \"{}\" has different values at one length; the engine's curve holds the first",
                excerpt(chain)
            ),
            Self::ComponentList { list: side, count, .. } => {
                let entries = if *count == 1 { "entry" } else { "entries" };
                write!(f, "{count} {entries} in the component's list \"{}\"; this cannot be exported", side.key())
            }
            Self::UnresolvableName(name) => write!(
                f,
                "\"{}\" is left out where entries refer to it: a file cannot find it again by that name",
                excerpt(name)
            ),
            Self::UnevenColliders(chain) => write!(
                f,
                "joints of chain \"{}\" have different colliders; the engine gives all of them to every joint",
                excerpt(chain)
            ),
        }
    }
}

/// Chains of other solvers, which a table of one solver leaves out.
pub(super) fn other_solver_losses(part: &SolverSubset<'_>) -> Vec<ExportLoss> {
    let others = part.document.used_solvers().into_iter().filter(|solver| *solver != part.solver);
    let counted = others.map(|solver| (solver, part.document.chains_with_solver(solver).count()));
    counted
        .filter(|(_, count)| *count > 0)
        .map(|(solver, count)| ExportLoss::ChainsOfOtherSolver(solver, count))
        .collect()
}

/// What a table loses of the whole character.
pub(super) fn document_losses(part: &SolverSubset<'_>) -> Vec<ExportLoss> {
    let document = part.document;
    let mut all = value_losses(part);
    if !document.excluded_bones.is_empty() {
        all.push(ExportLoss::ExcludedBones(document.excluded_bones.len()));
    }
    for (_, chain) in part.chains() {
        let name = || chain.name.clone();
        all.extend((!chain.groups.is_empty()).then(|| ExportLoss::Groups(name())));
        all.extend(chain.center.map(|_| ExportLoss::Center(name())));
    }
    let off = document.colliders.values().filter(|collider| !collider.enabled);
    all.extend(off.map(|collider| ExportLoss::DisabledCollider(collider.name.clone())));
    all.extend(document.forces.values().map(|force| ExportLoss::Force(force.name.clone())));
    all.extend(document.hidden_meshes.iter().cloned().map(ExportLoss::HiddenMesh));
    all
}

/// Values of the system, and values of joints that the engine does not have.
fn value_losses(part: &SolverSubset<'_>) -> Vec<ExportLoss> {
    let mut all = Vec::new();
    for (row, def) in enumerate_params(part.main_system.param_defs()) {
        match def.scope {
            ParamScope::System if part.main_system.get(row) != def.default => {
                all.push(if def.extension && part.solver.info().improvements.is_some() {
                    ExportLoss::SystemExtension(def.label)
                } else {
                    ExportLoss::SystemValue(def.label)
                });
            }
            ParamScope::Joint if def.extension => {
                let count: usize = part
                    .chains()
                    .map(|(_, chain)| {
                        let shared = &chain.values[row.index()];
                        let is_shared = shared.base != def.default || shared.curve.is_some();
                        let has =
                            |joint: &&Joint| joint.overrides.get(&row).map_or(is_shared, |own| *own != def.default);
                        chain.joints.iter().filter(has).count()
                    })
                    .sum();
                all.extend((count > 0).then_some(ExportLoss::JointExtension(def.label, count)));
            }
            _ => {}
        }
    }
    all
}

/// Component lists that a file does not hold, or holds for Yuremono alone.
pub(super) fn list_losses(part: &SolverSubset<'_>, format: TableFormat) -> Vec<ExportLoss> {
    let alone = part.has_one_system();
    let count =
        |side: ListKind| part.systems().map(|(_, system)| system.component_lists.entry_count(side)).sum::<usize>();
    let is_held = |side: &ListKind| alone && format.single_node_lists().contains(side);
    let counted = ListKind::ALL.into_iter().filter(|side| !is_held(side)).map(|side| (side, count(side)));
    let counted = counted.filter(|(_, count)| *count > 0);
    counted.map(|(side, count)| ExportLoss::ComponentList { list: side, count, is_single_component: alone }).collect()
}

/// What a table loses of a joint. `is_limited` says whether angle limits of the joint are on.
pub(super) fn push_joint_losses(
    part: &SolverSubset<'_>,
    joint: &Joint,
    is_limited: bool,
    losses: &mut Vec<ExportLoss>,
) {
    let name = || part.skeleton.name(joint.bone).to_owned();
    match joint.tip {
        Tip::Offset(_) => losses.push(ExportLoss::OffsetTip(name())),
        Tip::Bone(tip) if part.skeleton.children(joint.bone) != [tip] => losses.push(ExportLoss::ChosenTip(name())),
        Tip::Bone(_) | Tip::Children => {}
    }
    if !joint.enabled {
        losses.push(ExportLoss::JointDisabled(name()));
    }
    if joint.animated {
        losses.push(ExportLoss::AnimatedFlag(name()));
    }
    if joint.length_targets.iter().any(|target| target.constant.is_some()) {
        losses.push(ExportLoss::LengthConstant(name()));
    }
    if part.skeleton.find_all(part.skeleton.name(joint.bone)).len() > 1 {
        losses.push(ExportLoss::DuplicateBoneName(name()));
    }
    if joint.limit.is_some() {
        losses.push(ExportLoss::SwingLimit(name()));
    }
    if is_limited && joint.pivot.is_none() && part.skeleton.get_parent(joint.bone).is_some() {
        losses.push(ExportLoss::LimitsWithoutPivot(name()));
    }
}

/// What the finished rows show: names that no CSV reader reads back, and joints without a pivot's name.
pub(super) fn push_entry_losses(solver: SolverKind, items: &[FileEntry], losses: &mut Vec<ExportLoss>) {
    let of_section = |section| items.iter().filter(move |item| item.section == section);
    let mut reported = BTreeSet::new();
    let sections = [FileSection::Joints, FileSection::Pivots, FileSection::Colliders, FileSection::Nodes];
    for item in sections.into_iter().flat_map(of_section) {
        if let Some(why) = unreadable_name_reason(&item.name)
            && reported.insert(item.name.as_str())
        {
            losses.push(ExportLoss::UnreadableName(item.name.clone(), why));
        }
    }
    if solver.info().uses_pivots {
        let without =
            |item: &&FileEntry| matches!(&item.content, Ok(SetupEntry::Joint(row)) if row.joint.pivot.is_none());
        let refused = of_section(FileSection::Joints).filter(without);
        losses.extend(refused.map(|item| ExportLoss::MissingPivotName(item.name.clone())));
    }
}

/// Leaves the losses of a format, which differ from those of a CSV.
pub(super) fn retain_format_losses(format: TableFormat, losses: &mut Vec<ExportLoss>) {
    use ExportLoss as L;
    losses.retain(|loss| match format {
        TableFormat::Csv => !matches!(loss, L::UnevenCurve(_) | L::UnevenColliders(_) | L::UnevenMaterial(_)),
        TableFormat::Parameters => true,
        _ => {
            let csv = matches!(loss, L::UnreadableName(..)) && format != TableFormat::DynamicBoneCsv;
            !(csv || matches!(loss, L::SystemValue(_) | L::Curves(_) | L::Material(_) | L::PassthroughRows(_)))
        }
    });
}
