//! What an import would do with each entry of a file.

use super::import_rows::{ImportCounts, ImportNote, ImportRow, ImportRowStatus, MissingReference, UnresolvedRows};
use super::merge::{MergeInput, MergeResult, merge_entries};
use super::name_resolver::NameResolver;
use super::system_assignment::{SystemAssignment, assign_systems};
use super::{FileSection, ReplaceOptions, ReplacePlan, SetupFile, chain_trees};
use crate::diagnostics::{Diagnostic, Location, excerpt};
use crate::document::{Chain, Document, Edit, difference};
use crate::exchange::remap::NameMap;
use crate::feel::convert::Conversion;
use crate::rig::{BoneId, Character, Skeleton};
use std::collections::{BTreeMap, BTreeSet};

/// An import that has not happened yet.
#[derive(Clone, Debug)]
pub struct ImportPlan {
    file: SetupFile,
    read_diagnostics: Vec<Diagnostic>,
    name_map: NameMap,
    assignment: SystemAssignment,
    needs_conversion: bool,
    /// Bones of entries that are known without their names.
    known_bones: Vec<Option<BoneId>>,
    rows: Vec<ImportRow>,
    unlisted_joint_count: usize,
}

impl ImportPlan {
    /// Compares a file, in glTF's space, with a document. Names in `leads` mean what `leads` says, others the bone or
    /// node of exactly that name; `found` are the diagnostics of reading.
    pub fn new(
        mut file: SetupFile,
        found: &[Diagnostic],
        document: &Document,
        character: &Character,
        leads: &NameMap,
    ) -> Self {
        let skeleton = &character.skeleton;
        let resolver = NameResolver::new(document, skeleton, leads);
        let known = chain_trees::expand_trees(&mut file, skeleton, |name| resolver.bone(name));
        let named = joint_bones_by_system(&file, &known, &resolver);
        let laid = assign_systems(document, character, &file.systems, &named);
        let is_moved = laid.conversion.after != *document;
        let (found, leads) = (found.to_vec(), leads.clone());
        let mut plan = Self {
            file,
            read_diagnostics: found,
            name_map: leads,
            assignment: laid,
            needs_conversion: is_moved,
            known_bones: known,
            rows: Vec::new(),
            unlisted_joint_count: 0,
        };
        let outcomes = plan.merge(skeleton, &|_| true).outcomes;
        let rows =
            plan.file.entries.iter().zip(outcomes).map(|(item, one)| ImportRow::new(item, one.target, one.status));
        plan.rows = rows.collect();
        plan.unlisted_joint_count = plan.joints_not_in_file().count();
        plan
    }

    fn merge(&self, skeleton: &Skeleton, is_used: &dyn Fn(usize) -> bool) -> MergeResult {
        let (file, known, into, leads) =
            (&self.file, &*self.known_bones, &*self.assignment.target_systems, &self.name_map);
        merge_entries(
            MergeInput { file, known_bones: known, target_systems: into, skeleton, name_map: leads },
            &self.assignment.conversion.after,
            is_used,
        )
    }

    /// The file; its trees have become joints of the skeleton.
    pub fn file(&self) -> &SetupFile {
        &self.file
    }

    /// What was found when the file was read.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.read_diagnostics
    }

    /// One row per entry of [`ImportPlan::file`], in its order.
    pub fn rows(&self) -> &[ImportRow] {
        &self.rows
    }

    /// The rows of a section with their positions among all rows.
    pub fn rows_of(&self, section: FileSection) -> impl Iterator<Item = (usize, &ImportRow)> {
        self.rows.iter().enumerate().filter(move |(at, _)| self.file.entries[*at].section == section)
    }

    /// How many rows of a section are of each kind.
    pub fn counts(&self, section: FileSection) -> ImportCounts {
        let not_in_file = if section == FileSection::Joints { self.unlisted_joint_count } else { 0 };
        let mut counts = ImportCounts { not_in_file, ..ImportCounts::default() };
        for (_, row) in self.rows_of(section) {
            match row.status {
                ImportRowStatus::Matches { .. } | ImportRowStatus::New { .. } => counts.usable += 1,
                ImportRowStatus::BoneNotFound
                | ImportRowStatus::NodeNotFound(_)
                | ImportRowStatus::ReferenceNotFound(_)
                | ImportRowStatus::UnusedPivot
                | ImportRowStatus::Duplicate(_) => counts.unusable += 1,
                ImportRowStatus::InvalidCells(_) => counts.invalid += 1,
            }
            counts.included += usize::from(row.included);
        }
        counts
    }

    /// Uses a row or leaves it out; rows that cannot be used stay out.
    pub fn set_included(&mut self, row: usize, ticked: bool) {
        if let Some(row) = self.rows.get_mut(row) {
            row.included = ticked && row.status.is_usable();
        }
    }

    /// How many rows are used.
    pub fn included_count(&self) -> usize {
        self.rows.iter().filter(|row| row.included).count()
    }

    /// The document that the file is compared with, where chains must change their solver or system first, and what is
    /// lost by that.
    pub fn conversion(&self) -> Option<&Conversion> {
        self.needs_conversion.then_some(&self.assignment.conversion)
    }

    /// The chains of the systems that the file is for.
    pub fn target_chains(&self) -> impl Iterator<Item = &Chain> {
        let document = &self.assignment.conversion.after;
        let fits = |chain: &Chain| {
            let systems = self.file.systems.iter().zip(&self.assignment.target_systems);
            let mut fits = systems.map(|(system, into)| match into {
                Some(id) => chain.system == *id,
                None => document.solver_of(chain) == system.solver,
            });
            fits.any(|fits| fits)
        };
        document.chains.values().filter(move |chain| fits(chain))
    }

    /// Joints of `ImportPlan::add_chains` that no entry is for, with their chains.
    pub fn joints_not_in_file(&self) -> impl Iterator<Item = (&Chain, BoneId)> {
        let targets: BTreeSet<BoneId> = self.rows_of(FileSection::Joints).filter_map(|(_, row)| row.target).collect();
        let joints = self.target_chains().flat_map(|chain| chain.joints.iter().map(move |joint| (chain, joint.bone)));
        joints.filter(move |(_, bone)| !targets.contains(bone))
    }

    /// Names that entries refer to and that are not here, each once, in the order of the file.
    pub fn unresolved_rows(&self) -> Vec<UnresolvedRows> {
        let mut found: Vec<UnresolvedRows> = Vec::new();
        let mut known: BTreeMap<&MissingReference, usize> = BTreeMap::new();
        for row in &self.rows {
            let ImportRowStatus::ReferenceNotFound(missing) = &row.status else { continue };
            if let Some(at) = known.get(missing) {
                found[*at].rows += 1;
                continue;
            }
            known.insert(missing, found.len());
            let line = Some(row.line).filter(|line| *line > 0);
            found.push(UnresolvedRows { missing: missing.clone(), line, entry_kind: row.name.clone(), rows: 1 });
        }
        found
    }

    /// What ticked entries refer to in component lists and this character lacks, each with its place in the file.
    pub fn missing_name_diagnostics(&self, file_name: &str) -> Vec<Diagnostic> {
        let mut all = Vec::new();
        for (item, row) in self.file.entries.iter().zip(&self.rows).filter(|(_, row)| row.included) {
            let place_of = |below: &str| match (item.line, item.json_pointer.as_str()) {
                (0, "") => Location::file(file_name),
                (0, pointer) => Location::file(file_name).with_pointer(format!("{pointer}{below}")),
                (line, _) => Location::file(file_name).with_line(line),
            };
            for note in row.status.notes() {
                match note {
                    ImportNote::MissingListNames(lost) => all.extend(lost.iter().map(|one| {
                        let kind = if one.is_collider { "collider" } else { "node" };
                        let name = excerpt(&one.name);
                        let message =
                            format!("there is no {kind} \"{name}\" here; the component's entry for it is left out");
                        Diagnostic::warning(place_of(&one.json_pointer), message)
                    })),
                    ImportNote::SeveralComponents => all.push(Diagnostic::warning(place_of(""), note.to_string())),
                    _ => {}
                }
            }
        }
        let more = all.len().saturating_sub(MAX_FINDINGS);
        all.truncate(MAX_FINDINGS);
        if more > 0 {
            all.push(Diagnostic::warning(Location::file(file_name), format!("{more} more findings are not listed")));
        }
        all
    }

    /// The document with the ticked rows.
    pub fn after_import(&self, skeleton: &Skeleton) -> Document {
        let is_used = |at: usize| self.rows.get(at).is_none_or(|row| row.included || !row.status.is_usable());
        self.merge(skeleton, &is_used).after
    }

    /// The file in place of what is there, over `ImportPlan::reuse_collider_node` or else the document that the plan was made for.
    pub fn replace_plan(&self, document: &Document, skeleton: &Skeleton, options: ReplaceOptions) -> ReplacePlan {
        let document = self.conversion().map_or(document, |conversion| &conversion.after);
        ReplacePlan::new(
            &self.file,
            &self.assignment.target_systems,
            &self.read_diagnostics,
            document,
            skeleton,
            options,
        )
    }

    /// The ticked rows as one edit of the document that the plan was made for; empty where nothing would change.
    pub fn edit(&self, document: &Document, skeleton: &Skeleton) -> Edit {
        difference(document, &self.after_import(skeleton))
    }
}

/// The most findings that one file yields.
const MAX_FINDINGS: usize = 200;

/// The bones that each system of a file has as joints.
fn joint_bones_by_system(
    file: &SetupFile,
    known: &[Option<BoneId>],
    resolver: &NameResolver<'_>,
) -> Vec<BTreeSet<BoneId>> {
    let mut named = vec![BTreeSet::new(); file.systems.len()];
    for (item, known) in file.entries.iter().zip(known).filter(|(item, _)| item.section == FileSection::Joints) {
        if let Some(bones) = named.get_mut(item.system) {
            bones.extend(known.or_else(|| resolver.bone(&item.name)));
        }
    }
    named
}
