//! Replaces the setup with a file, like the import window in Unity.
//!
//! Colliders are replaced first. All existing colliders are removed, but their nodes are kept and reused by name. Then
//! all joints are removed together with the pivots that only joints use, and all joints are built again.
//! `UnityChanSpringBone`'s import window keeps some values of the character and resets others, see
//! [`SolverInfo::reset_by_import`](yuremono_sim::SolverInfo::reset_by_import).
//!
//! **Several systems.** `UnityChanSpringBone`'s import window creates one manager and removes all others. Therefore,
//! all elements of the file's solvers are removed. Each system of the file replaces one system with the same solver.
//! The system keeps the values that the file does not contain, and gets the chains with bones of the file. Other
//! systems of these solvers are removed with their chains. Systems of other solvers and their colliders stay unchanged,
//! except for colliders and nodes that the file describes.

mod joint_builder;
mod replacer;

use super::{FileSection, MissingReference, RowError, SetupFile, TableSections, table_verifier};
use crate::document::{Chain, Document, Edit, HelperRole, Node, System, SystemId, difference};
use replacer::{ReplaceResult, Replacer};
use std::collections::BTreeSet;
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::Diagnostic;
use yuremono_sim::rig::{BoneId, Skeleton};

/// Options of a replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplaceOptions {
    /// The two check boxes of `UnityChanSpringBone`'s import window.
    pub sections: TableSections,
    /// Names of the character's meshes, see [`mesh_names`](super::mesh_names).
    pub mesh_names: Vec<String>,
    /// Whether entries of [`FileSection::Other`] are used. Unity ignores these entries.
    pub use_other_entries: bool,
}

/// A note for the artist before the replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplaceNote {
    /// The file has no bone rows, so this number of joints is removed.
    RemovesAllJoints(usize),
    /// The number of removed joints that the file does not contain.
    RemovesJoints(usize),
    /// The number of removed systems that the file does not contain.
    RemovesSystems(usize),
    /// The number of removed colliders that the file does not contain. Their nodes are kept.
    RemovesColliders(usize),
    /// Systems of other solvers are kept.
    KeepsOtherSystems {
        systems: usize,
        joints: usize,
        /// The number of colliders that only these systems use.
        colliders: usize,
    },
    /// Only colliders are imported, so this number of joints gets an empty collider list.
    ClearsColliderLists(usize),
    /// The line and name of a row for which Unity would move a bone. Yuremono does not move the bone.
    WouldMoveBone(u64, String),
    /// The line and bone of a row that a later row replaces. In Unity, the bone would get two components.
    DuplicateBone(u64, String),
    /// The line and name of a collider that differs from an earlier collider with this name. The earlier one is used.
    DuplicateCollider(u64, String),
    /// The number of comment rows without a target, and the missing reference of the first such row. The rows are kept
    /// for the next export.
    UnusableCommentRows(usize, MissingReference),
    /// The line and name of a joint row for a node that is not a bone. The row is skipped.
    BoneNotFound(u64, String),
    /// The line of a joint row and the names of missing colliders.
    MissingColliders(u64, Vec<String>),
    /// The line of a component row and the names that its lists cannot resolve. Entries with these names are skipped.
    MissingListNames(u64, Vec<String>),
    /// Pause and the switches for limits and collision are reset to Unity's defaults.
    ResetsSwitches,
}

/// Counts of a replacement. Elements that only other solvers use are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplaceCounts {
    /// Joints after the replacement.
    pub joints: usize,
    pub joints_removed: usize,
    /// Colliders after the replacement.
    pub colliders: usize,
    pub colliders_removed: usize,
    /// Pivots after the replacement.
    pub pivots: usize,
    /// Nulls after the replacement.
    pub nulls: usize,
    /// Leg followers after the replacement.
    pub high_legs: usize,
}

/// A replacement that is not applied yet.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplacePlan {
    file: SetupFile,
    target_systems: Vec<Option<SystemId>>,
    read_diagnostics: Vec<Diagnostic>,
    options: ReplaceOptions,
    errors: Vec<RowError>,
    notes: Vec<ReplaceNote>,
    counts: ReplaceCounts,
}

impl ReplacePlan {
    /// Plans the replacement of the setup with a file in glTF space. `into` contains the target of each system of the
    /// file. `None` selects the first free system with the same solver. `found` contains the diagnostics of the reader.
    pub fn new(
        file: &SetupFile,
        into: &[Option<SystemId>],
        found: &[Diagnostic],
        document: &Document,
        skeleton: &Skeleton,
        options: ReplaceOptions,
    ) -> Self {
        let errors = table_verifier::verify_table(file, document, skeleton, &options.mesh_names, options.sections);
        let mut plan = Self {
            file: file.clone(),
            target_systems: into.to_vec(),
            read_diagnostics: found.to_vec(),
            options,
            errors,
            notes: Vec::new(),
            counts: ReplaceCounts::default(),
        };
        let replaced = Replacer::build(&plan, document, skeleton);
        plan.counts = plan.change_counts(document, &replaced);
        plan.notes = plan.removal_notes(document, &replaced);
        plan.notes.extend(replaced.notes);
        plan
    }

    pub fn file(&self) -> &SetupFile {
        &self.file
    }

    /// The diagnostics of the reader.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.read_diagnostics
    }

    pub fn options(&self) -> &ReplaceOptions {
        &self.options
    }

    /// Rejected rows, in the order of `UnityChanSpringBone`'s import window.
    pub fn errors(&self) -> &[RowError] {
        &self.errors
    }

    /// Notes for the artist. Removals are listed first.
    pub fn notes(&self) -> &[ReplaceNote] {
        &self.notes
    }

    pub fn counts(&self) -> ReplaceCounts {
        self.counts
    }

    /// The document after the replacement.
    pub fn after_replacement(&self, document: &Document, skeleton: &Skeleton) -> Document {
        Replacer::build(self, document, skeleton).after
    }

    /// The replacement as one edit. The edit is empty if nothing changes.
    pub fn edit(&self, document: &Document, skeleton: &Skeleton) -> Edit {
        difference(document, &self.after_replacement(document, skeleton))
    }

    fn solvers(&self) -> BTreeSet<SolverKind> {
        self.file.systems.iter().map(|system| system.solver).collect()
    }

    fn replaces_colliders(&self) -> bool {
        self.options.sections.colliders && self.file.imports_colliders()
    }

    fn replaces_joints(&self) -> bool {
        self.options.sections.bones && !self.file.csv.lacks_bone_sections
    }

    fn replaced_chains<'d>(&self, document: &'d Document) -> impl Iterator<Item = &'d Chain> + use<'d> {
        let solvers = self.solvers();
        document.chains.values().filter(move |chain| solvers.contains(&document.solver_of(chain)))
    }

    fn change_counts(&self, document: &Document, replaced: &ReplaceResult) -> ReplaceCounts {
        let (after, solvers) = (&replaced.after, self.solvers());
        let joints: BTreeSet<BoneId> =
            self.replaced_chains(after).flat_map(|chain| &chain.joints).map(|j| j.bone).collect();
        let before = self.replaced_chains(document).flat_map(|chain| &chain.joints);
        let of = |role: HelperRole| after.helpers.values().filter(move |helper| helper.role == role).count();
        let others = after.chains.values().filter(|chain| !solvers.contains(&after.solver_of(chain)));
        let pivots_of_others: BTreeSet<Node> =
            others.flat_map(|chain| chain.joints.iter().filter_map(|joint| joint.pivot)).collect();
        let is_pivot = |node: &&Node| match node {
            Node::Helper(id) => after.helpers.get(id).is_some_and(|helper| helper.role == HelperRole::Pivot),
            Node::Bone(_) => false,
        };
        ReplaceCounts {
            joints: joints.len(),
            joints_removed: before.filter(|joint| !joints.contains(&joint.bone)).count(),
            colliders: after.colliders.len() - replaced.colliders_kept_for_others.len(),
            colliders_removed: document.colliders.keys().filter(|id| !after.colliders.contains_key(id)).count(),
            pivots: of(HelperRole::Pivot) - pivots_of_others.iter().filter(is_pivot).count(),
            nulls: of(HelperRole::Null),
            high_legs: after.high_legs.len(),
        }
    }

    fn removal_notes(&self, document: &Document, replaced: &ReplaceResult) -> Vec<ReplaceNote> {
        let mut notes = Vec::new();
        let before = self.replaced_chains(document).map(|chain| chain.joints.len()).sum::<usize>();
        let has_joints = self.file.entries.iter().any(|item| item.section == FileSection::Joints);
        if self.replaces_joints() && !has_joints && before > 0 {
            notes.push(ReplaceNote::RemovesAllJoints(before));
        } else if self.counts.joints_removed > 0 {
            notes.push(ReplaceNote::RemovesJoints(self.counts.joints_removed));
        }
        let gone = self.counts.colliders_removed;
        notes.extend((gone > 0).then_some(ReplaceNote::RemovesColliders(gone)));
        let with_colliders = |chain: &Chain| {
            let joints = chain.joints.iter().filter(|joint| document.colliders_of(chain, joint).next().is_some());
            joints.count()
        };
        let lists: usize = self.replaced_chains(document).map(with_colliders).sum();
        let colliders_alone = self.replaces_colliders() && !self.options.sections.bones;
        notes.extend((colliders_alone && lists > 0).then_some(ReplaceNote::ClearsColliderLists(lists)));
        notes.extend(self.kept_systems_note(replaced));
        let forgets = |(id, system): (&SystemId, &System)| {
            let now = replaced.after.systems.get(id).filter(|now| now.solver == system.solver);
            let reset = system.solver.info().reset_by_import;
            now.is_some_and(|now| reset.iter().any(|param| now.get(*param) != system.get(*param)))
        };
        notes.extend(document.systems.iter().any(forgets).then_some(ReplaceNote::ResetsSwitches));
        notes
    }

    fn kept_systems_note(&self, replaced: &ReplaceResult) -> Option<ReplaceNote> {
        let (after, solvers) = (&replaced.after, self.solvers());
        let chains = || after.chains.values().filter(|chain| !solvers.contains(&after.solver_of(chain)));
        let systems = chains().map(|chain| chain.system).collect::<BTreeSet<SystemId>>().len();
        let joints = chains().map(|chain| chain.joints.len()).sum();
        (systems > 0).then_some(ReplaceNote::KeepsOtherSystems {
            systems,
            joints,
            colliders: replaced.colliders_kept_for_others.len(),
        })
    }
}
