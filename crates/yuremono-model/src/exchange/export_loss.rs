//! Losses: data that a file format cannot store, and whether comment rows keep it.

use super::document_view::SolverSubset;
use super::{FileEntry, FileSection, MAX_SYSTEMS, SetupFormat, SetupLayout, unreadable_name_reason};
use crate::document::{Joint, ListKind, SetupEntry, Tip};
use std::collections::BTreeSet;
use std::fmt;
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};
use yuremono_sim::params::{ParamScope, enumerate_params};

/// Data that a file format cannot store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportLoss {
    /// The joint of this bone has an offset as its tip.
    OffsetTip(String),
    /// The joint of this bone has one of several children as its tip. The original implementation uses their mean.
    ChosenTip(String),
    /// The joint of this bone is disabled.
    JointDisabled(String),
    /// The joint of this bone is marked as animated.
    AnimatedFlag(String),
    /// The number of excluded bones.
    ExcludedBones(usize),
    /// The number of chains of another solver.
    ChainsOfOtherSolver(SolverKind, usize),
    /// The label of a system parameter with a value other than the default.
    SystemValue(&'static str),
    /// The label of a system parameter that is a Yuremono extension.
    SystemExtension(&'static str),
    /// The label of a joint parameter that is a Yuremono extension, and the number of joints.
    JointExtension(&'static str, usize),
    /// The name of a chain with a material. A table stores values per joint.
    Material(String),
    /// The name of a chain with joint values that differ from its material. The chain is written without the material.
    UnevenMaterial(String),
    /// The name of a chain with curves. A table stores one number per bone.
    Curves(String),
    /// The joint of this bone has a length target with its own constant.
    LengthConstant(String),
    /// The name of a chain with collider groups. The rows of its joints list the colliders instead.
    Groups(String),
    /// The name of a chain with a center.
    Center(String),
    /// The joint of this bone has a VRM angle limit.
    SwingLimit(String),
    /// The name of a disabled collider.
    DisabledCollider(String),
    /// The name of a collider on a missing bone.
    ColliderOnMissingBone(String),
    /// The name of a collider with an unsupported shape.
    UnsupportedShape(String),
    /// A name that several colliders of the same kind share. Readers use the first.
    DuplicateColliderName(String),
    /// The name of a force.
    Force(String),
    /// The name of a hidden mesh.
    HiddenMesh(String),
    /// The name of a leg follower that refers to missing nodes.
    HighLegOnMissingNode(String),
    /// A name that several bones share. Readers use the last.
    DuplicateBoneName(String),
    /// A name that cannot be read back, and the reason.
    UnreadableName(String, &'static str),
    /// The joint of this bone has limits but no pivot. Without a pivot, limits have no effect in Yuremono. The table
    /// names the parent as the pivot, so the limits have an effect in Unity.
    LimitsWithoutPivot(String),
    /// The row of this bone has no pivot name. Unity rejects the row.
    MissingPivotName(String),
    /// The name of a missing bone.
    MissingBone(String),
    /// The table has no bones. Unity's importer deletes all spring bones if it imports bones from the table.
    UnityDeletesJoints,
    /// The number of passthrough rows of other characters. Their numbers are not mirrored.
    PassthroughRows(usize),
    /// The number of passthrough rows of other characters that the format cannot store.
    PassthroughDropped(usize),
    /// The number of systems. Readers use the first [`MAX_SYSTEMS`].
    TooManySystems(usize),
    /// The name of a chain with different values on branches of the same length.
    UnevenCurve(String),
    /// The name of a chain with joints that have different colliders.
    UnevenColliders(String),
    /// Entries of a component list.
    ComponentList {
        list: ListKind,
        /// The number of entries of all components.
        count: usize,
        /// Whether there is only one component. Otherwise the table has no row for the list.
        is_single_component: bool,
    },
    /// The name of a node or collider that readers cannot find by its name.
    UnresolvableName(String),
}

impl ExportLoss {
    /// Whether comment rows restore the data when Yuremono reads the file.
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
            | Self::UnityDeletesJoints
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

    /// The loss as a warning about the file.
    pub fn diagnostic(&self, file_name: &str) -> Diagnostic {
        let place = Location::file(file_name);
        let place = if let Some(bone) = self.bone() { place.with_bone(excerpt(bone)) } else { place };
        Diagnostic::warning(place, self.message())
    }

    #[expect(clippy::too_many_lines, reason = "one sentence per loss")]
    fn message(&self) -> MessageText {
        match self {
            Self::OffsetTip(_) => message!("the virtual tip is not exported; the original creates its own"),
            Self::ChosenTip(_) => {
                message!(
                    "the tip is one of several children; the file cannot store which one, and the original uses their mean"
                )
            }
            Self::JointDisabled(_) => {
                message!("the joint is disabled; the file cannot store this, and the original simulates it")
            }
            Self::AnimatedFlag(_) => message!("the joint is marked as animated; the file cannot store this"),
            Self::ExcludedBones(count) => message!("{count} excluded bones are not exported", count = *count),
            Self::ChainsOfOtherSolver(solver, count) => message!(
                "{count} chains use {solver}; export them to a table of their own",
                count = *count,
                solver = solver.key()
            ),
            Self::SystemValue(label) => {
                message!(
                    "{parameter} is a value of the whole character, which a table cannot store",
                    parameter = *label
                )
            }
            Self::SystemExtension(label) => {
                message!("{parameter} is an extension of Yuremono; the original ignores it", parameter = *label)
            }
            Self::JointExtension(label, count) => message!(
                "{parameter} of {count} joints is an extension of Yuremono; the original ignores it",
                parameter = *label,
                count = *count
            ),
            Self::Curves(chain) => {
                message!("chain \"{chain}\" has curves; a table stores one number per bone", chain = excerpt(chain))
            }
            Self::Material(chain) => {
                message!("chain \"{chain}\" has a material; a table stores values per bone", chain = excerpt(chain))
            }
            Self::UnevenMaterial(chain) => message!(
                "chain \"{chain}\" has values that differ from its material; it is written without the material",
                chain = excerpt(chain)
            ),
            Self::LengthConstant(_) => message!("the strength of length limits is not exported"),
            Self::Groups(chain) => message!(
                "chain \"{chain}\" has collider groups; its joints list their colliders instead",
                chain = excerpt(chain)
            ),
            Self::Center(chain) => message!("the center of chain \"{chain}\" is not exported", chain = excerpt(chain)),
            Self::SwingLimit(_) => message!("the angle limit of the joint is not exported"),
            Self::DisabledCollider(name) => message!(
                "collider \"{collider}\" is disabled; the file cannot store this, and the original enables it",
                collider = excerpt(name)
            ),
            Self::UnsupportedShape(name) => message!(
                "collider \"{collider}\" is not exported; the original does not support its shape",
                collider = excerpt(name)
            ),
            Self::ColliderOnMissingBone(name) => message!(
                "collider \"{collider}\" is on a bone that this character does not have; it is not exported",
                collider = excerpt(name)
            ),
            Self::DuplicateColliderName(name) => message!(
                "several colliders are named \"{collider}\"; the original uses the first",
                collider = excerpt(name)
            ),
            Self::Force(name) => message!("force \"{force}\" is not exported", force = excerpt(name)),
            Self::HiddenMesh(name) => {
                message!("mesh \"{mesh}\" is hidden; the file cannot store this", mesh = excerpt(name))
            }
            Self::HighLegOnMissingNode(name) => message!(
                "leg follower \"{node}\" refers to bones that this character does not have; it is not exported",
                node = excerpt(name)
            ),
            Self::DuplicateBoneName(_) => message!("several bones have this name; the original uses the last"),
            Self::UnreadableName(_, why) => MessageText::new(why, []),
            Self::LimitsWithoutPivot(_) => message!(
                "angle limits without a pivot have no effect here; the table names the parent as pivot, so they have \
                 an effect in Unity"
            ),
            Self::MissingPivotName(_) => message!("the row has no pivot name; Unity rejects the row"),
            Self::MissingBone(bone) => message!(
                "bone \"{bone}\" does not exist on this character; its values are not exported",
                bone = excerpt(bone)
            ),
            Self::UnityDeletesJoints => {
                message!("the table has no bones; Unity deletes all spring bones if it imports bones from this table")
            }
            Self::PassthroughRows(count) => message!(
                "{count} rows of other characters are exported unchanged; their numbers are not mirrored",
                count = *count
            ),
            Self::PassthroughDropped(count) => message!(
                "{count} rows of other characters are not exported; this format cannot store them",
                count = *count
            ),
            Self::TooManySystems(count) => {
                message!(
                    "the file has {count} systems; readers use the first {max} only",
                    count = *count,
                    max = MAX_SYSTEMS
                )
            }
            Self::UnevenCurve(chain) => message!(
                "chain \"{chain}\" has branches of equal length with different values; the curve stores the first",
                chain = excerpt(chain)
            ),
            Self::ComponentList { list, count, .. } => message!(
                "the component list \"{list}\" is not exported; number of entries: {count}",
                list = list.key(),
                count = *count
            ),
            Self::UnresolvableName(name) => message!(
                "references to \"{name}\" are not exported; a file cannot find it by its name",
                name = excerpt(name)
            ),
            Self::UnevenColliders(chain) => message!(
                "joints of chain \"{chain}\" have different colliders; the original uses all of them for every joint",
                chain = excerpt(chain)
            ),
        }
    }
}

impl fmt::Display for ExportLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

pub(super) fn other_solver_losses(part: &SolverSubset<'_>) -> Vec<ExportLoss> {
    let others = part.document.used_solvers().into_iter().filter(|solver| *solver != part.solver);
    let counted = others.map(|solver| (solver, part.document.chains_with_solver(solver).count()));
    counted
        .filter(|(_, count)| *count > 0)
        .map(|(solver, count)| ExportLoss::ChainsOfOtherSolver(solver, count))
        .collect()
}

/// Losses of the whole document that do not belong to a joint.
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

fn value_losses(part: &SolverSubset<'_>) -> Vec<ExportLoss> {
    let mut all = Vec::new();
    for (param, def) in enumerate_params(part.main_system.param_defs()) {
        match def.scope {
            ParamScope::System if part.main_system.get(param) != def.default => {
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
                        let shared = &chain.values[param.index()];
                        let is_shared = shared.base != def.default || shared.curve.is_some();
                        let has =
                            |joint: &&Joint| joint.overrides.get(&param).map_or(is_shared, |own| *own != def.default);
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

/// Component lists that the file does not contain, or contains only in comment rows.
pub(super) fn list_losses(part: &SolverSubset<'_>, format: SetupFormat) -> Vec<ExportLoss> {
    let alone = part.has_one_system();
    let count =
        |list: ListKind| part.systems().map(|(_, system)| system.component_lists.entry_count(list)).sum::<usize>();
    let is_held = |list: &ListKind| alone && format.single_node_lists.contains(list);
    let counted = ListKind::ALL.into_iter().filter(|list| !is_held(list)).map(|list| (list, count(list)));
    let counted = counted.filter(|(_, count)| *count > 0);
    counted.map(|(list, count)| ExportLoss::ComponentList { list, count, is_single_component: alone }).collect()
}

/// `is_limited` means that an angle limit of the joint is active.
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

/// Adds the losses of finished rows: names that cannot be read back, and joints without a pivot name.
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

/// Removes losses that do not apply to a format.
pub(super) fn retain_format_losses(format: SetupFormat, losses: &mut Vec<ExportLoss>) {
    use ExportLoss as L;
    losses.retain(|loss| match loss {
        L::UnreadableName(..) => format.has_cell_names,
        L::SystemValue(_) | L::Curves(_) | L::Material(_) | L::PassthroughRows(_) => format.layout == SetupLayout::Rows,
        L::UnevenCurve(_) | L::UnevenColliders(_) | L::UnevenMaterial(_) => format.layout == SetupLayout::ChainTrees,
        _ => true,
    });
}
