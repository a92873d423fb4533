//! A file in place of what is there, as UnityChan's own window builds it.
//!
//! Colliders come first: all that are there are removed, their nodes stay, and nodes of the file's names are used again.
//! Then joints: all are removed with the pivots that only joints refer to, and are built again. UnityChan keeps some values
//! of the character and resets others, see [`SolverInfo::reset_by_import`](crate::sim::SolverInfo::reset_by_import).
//!
//! **Several systems.** Everything that the solvers of the file move is removed, because UnityChan's window leaves no
//! manager but the one that it makes. Each system of the file replaces one of its solver and keeps the values that the file
//! does not have; chains with a bone that the file names move to that system. Other systems of these solvers are removed
//! with their chains. Systems of other solvers do not change, nor do the colliders that they refer to; but a collider or node
//! that the file describes becomes what the file says for all.

mod joint_builder;
mod replacer;

use super::{FileSection, MissingReference, RowError, SetupFile, TableSections, table_verifier};
use crate::diagnostics::Diagnostic;
use crate::document::{Chain, Document, Edit, HelperRole, Node, System, SystemId, difference};
use crate::rig::{BoneId, Skeleton};
use crate::sim::SolverKind;
use replacer::{ReplaceResult, Replacer};
use std::collections::BTreeSet;

/// What an artist chooses before a table takes the place of what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplaceOptions {
    /// The engine's two check boxes.
    pub sections: TableSections,
    /// Names of the character's meshes, see [`renderer_names`](super::mesh_names).
    pub mesh_names: Vec<String>,
    /// Whether entries of `FileSection::Different` are used, which the engine ignores.
    pub use_other_entries: bool,
}

/// Something that the artist should know before building.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplaceNote {
    /// The file has no bone rows and takes away all joints, that many.
    RemovesAllJoints(usize),
    /// Joints that the file does not have go, that many.
    RemovesJoints(usize),
    /// Systems that the file does not have go with their joints, that many.
    RemovesSystems(usize),
    /// Colliders that the file does not have go, that many; their nodes stay.
    RemovesColliders(usize),
    /// Systems of solvers that the file does not speak of stay.
    KeepsOtherSystems {
        /// How many.
        systems: usize,
        /// Their joints.
        joints: usize,
        /// Colliders that stay for them alone.
        colliders: usize,
    },
    /// Only colliders come: the collider lists of joints become empty, so many that have one.
    ClearsColliderLists(usize),
    /// The row of this line has the name of a bone of the file, which the engine would move. It stays here.
    WouldMoveBone(u64, String),
    /// The row of this line is for a bone that has another one, in this table or a later one: the engine gives the bone two components, here the
    /// later row acts.
    DuplicateBone(u64, String),
    /// The row of this line describes a collider otherwise than an earlier table of the file, which counts.
    DuplicateCollider(u64, String),
    /// Comment rows that find nothing here, that many, and what the first misses; they are kept for the next export.
    UnusableCommentRows(usize, MissingReference),
    /// The row of this line would let a node sway that is no bone of the file; it is left out.
    BoneNotFound(u64, String),
    /// The row of this line names colliders that are not here; the engine warns and goes on.
    MissingColliders(u64, Vec<String>),
    /// The row of this line has lists of a component that name what is not here; it is left out of them.
    MissingListNames(u64, Vec<String>),
    /// Pause and the switches for limits and collision fall back to the engine's defaults.
    ResetsSwitches,
}

/// What the systems of the file would have and what would go; what other solvers have alone is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplaceCounts {
    /// Joints after it.
    pub joints: usize,
    /// Joints that go.
    pub joints_removed: usize,
    /// Colliders after it.
    pub colliders: usize,
    /// Colliders that go.
    pub colliders_removed: usize,
    /// Pivots after it.
    pub pivots: usize,
    /// Bare nodes after it.
    pub nulls: usize,
    /// Raised-thigh nodes after it.
    pub high_legs: usize,
}

/// A replacement that has not happened yet.
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
    /// What a file, in glTF's space, would do here. `into` are the systems that the file's systems take the place of;
    /// without one it is the first of the same solver that no other takes. `found` are the diagnostics of reading.
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

    /// The file.
    pub fn file(&self) -> &SetupFile {
        &self.file
    }

    /// What was found when the file was read.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.read_diagnostics
    }

    /// What was chosen.
    pub fn options(&self) -> &ReplaceOptions {
        &self.options
    }

    /// Rows that are left out, in the order in which the engine's window lists them.
    pub fn errors(&self) -> &[RowError] {
        &self.errors
    }

    /// What the artist should know; what is removed comes first.
    pub fn notes(&self) -> &[ReplaceNote] {
        &self.notes
    }

    /// What would be built and what would be removed.
    pub fn counts(&self) -> ReplaceCounts {
        self.counts
    }

    /// The document afterwards.
    pub fn after_replacement(&self, document: &Document, skeleton: &Skeleton) -> Document {
        Replacer::build(self, document, skeleton).after
    }

    /// Everything as one edit; empty where nothing would change.
    pub fn edit(&self, document: &Document, skeleton: &Skeleton) -> Edit {
        difference(document, &self.after_replacement(document, skeleton))
    }

    /// The solvers of the file.
    fn solvers(&self) -> BTreeSet<SolverKind> {
        self.file.systems.iter().map(|system| system.solver).collect()
    }

    fn replaces_colliders(&self) -> bool {
        self.options.sections.colliders && self.file.imports_colliders()
    }

    fn replaces_joints(&self) -> bool {
        self.options.sections.bones && !self.file.csv.lacks_bone_sections
    }

    /// The chains of a document that the file's solvers move.
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

    /// What is removed, for the artist.
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
            now.is_some_and(|now| reset.iter().any(|row| now.get(*row) != system.get(*row)))
        };
        notes.extend(document.systems.iter().any(forgets).then_some(ReplaceNote::ResetsSwitches));
        notes
    }

    /// Systems that the file does not speak of.
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
