//! Plans an import: the changes that each entry of a file would make.

use super::frame_transfer::{convert_to_rest_frames, depends_on_frames};
use super::import_rows::{
    ImportCounts, ImportNote, ImportRow, ImportRowStatus, ImportSummary, MissingReference, UnresolvedRows,
};
use super::merge::{MergeInput, MergeResult, merge_entries};
use super::name_resolver::NameResolver;
use super::system_assignment::{SystemAssignment, assign_systems};
use super::target_names::use_target_names;
use super::vrm_tails::{UnlistedTail, find_unlisted_tails};
use super::{FileSection, ReplaceOptions, ReplacePlan, SetupFile, SetupLayout, chain_trees};
use crate::document::source_frames::KeptValue;
use crate::document::{Chain, Document, Edit, difference};
use crate::exchange::remap::NameMap;
use crate::feel::convert::Conversion;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, Severity, excerpt, message};
use yuremono_sim::rig::{BoneId, Character, Skeleton};

/// An import that is not applied yet.
#[derive(Clone, Debug)]
pub struct ImportPlan {
    file: SetupFile,
    read_diagnostics: Vec<Diagnostic>,
    name_map: NameMap,
    assignment: SystemAssignment,
    needs_conversion: bool,
    /// The bone of each entry, if the bone is known without resolving a name.
    known_bones: Vec<Option<BoneId>>,
    unlisted_tails: Vec<UnlistedTail>,
    rows: Vec<ImportRow>,
    /// The result if all usable rows are included.
    merged: MergeResult,
    unlisted_joint_count: usize,
    assumes_equal_frames: bool,
    kept_values: Vec<KeptValue>,
}

impl ImportPlan {
    /// Compares a file in glTF space with a document. A name in `name_map` refers to the mapped bone. Any other name
    /// refers to the bone or node with exactly that name. `diagnostics` contains the diagnostics of the reader.
    pub fn new(
        mut file: SetupFile,
        diagnostics: &[Diagnostic],
        document: &Document,
        character: &Character,
        name_map: &NameMap,
    ) -> Self {
        let skeleton = &character.skeleton;
        let resolver = NameResolver::new(document, skeleton, name_map);
        let expanded = chain_trees::expand_trees(&mut file, skeleton, |name| resolver.bone(name));
        let known = expanded.bones;
        let assumes_equal_frames = file.source_frames.is_none() && depends_on_frames(&file);
        // The frames are found by the names of the file.
        let kept_values = convert_to_rest_frames(&mut file, character.into(), &resolver);
        use_target_names(&mut file, document, &resolver);
        let named = joint_bones_by_system(&file, &known, &resolver);
        let assignment = assign_systems(document, character, &file.systems, &named);
        let is_moved = assignment.conversion.after != *document;
        let (diagnostics, name_map) = (diagnostics.to_vec(), name_map.clone());
        let mut plan = Self {
            file,
            read_diagnostics: diagnostics,
            name_map,
            assignment,
            needs_conversion: is_moved,
            known_bones: known,
            unlisted_tails: Vec::new(),
            rows: Vec::new(),
            merged: MergeResult::default(),
            unlisted_joint_count: 0,
            assumes_equal_frames,
            kept_values,
        };
        plan.merged = plan.merge(skeleton, &|_| true);
        let outcomes = std::mem::take(&mut plan.merged.outcomes);
        let rows =
            plan.file.entries.iter().zip(outcomes).map(|(item, one)| ImportRow::new(item, one.target, one.status));
        plan.rows = rows.collect();
        plan.add_root_notes(&expanded.root_notes);
        plan.unlisted_tails =
            find_unlisted_tails(&plan.merged.after, &named.into_iter().flatten().collect(), character);
        if !plan.unlisted_tails.is_empty() {
            // The values of the tails come from the merged joints.
            plan.merged = plan.merge(skeleton, &|_| true);
        }
        plan.unlisted_joint_count = plan.joints_not_in_file().count();
        plan
    }

    fn merge(&self, skeleton: &Skeleton, is_used: &dyn Fn(usize) -> bool) -> MergeResult {
        let (file, known, into, name_map) =
            (&self.file, &*self.known_bones, &*self.assignment.target_systems, &self.name_map);
        merge_entries(
            MergeInput {
                file,
                known_bones: known,
                target_systems: into,
                skeleton,
                name_map,
                unlisted_tails: &self.unlisted_tails,
            },
            &self.assignment.conversion.after,
            is_used,
        )
    }

    fn add_root_notes(&mut self, root_notes: &BTreeMap<BoneId, Vec<ImportNote>>) {
        for (item, row) in self.file.entries.iter().zip(&mut self.rows) {
            let notes = row.target.and_then(|bone| root_notes.get(&bone));
            if let (FileSection::Joints, Some(new), ImportRowStatus::Matches { notes, .. }) =
                (item.section, notes, &mut row.status)
            {
                notes.extend_from_slice(new);
            }
        }
    }

    /// The file with its trees expanded to joints.
    pub fn file(&self) -> &SetupFile {
        &self.file
    }

    /// The diagnostics of the reader.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.read_diagnostics
    }

    /// One row per entry of [`ImportPlan::file`].
    pub fn rows(&self) -> &[ImportRow] {
        &self.rows
    }

    /// The rows of a section with their indices.
    pub fn rows_of(&self, section: FileSection) -> impl Iterator<Item = (usize, &ImportRow)> {
        self.rows.iter().enumerate().filter(move |(at, _)| self.file.entries[*at].section == section)
    }

    /// Counts the rows of a section.
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

    /// What the import of the included rows does.
    pub fn summary(&self, skeleton: &Skeleton) -> ImportSummary {
        ImportSummary::of_rows(&self.rows, &self.merged(skeleton).kept_entries)
    }

    /// Includes or excludes a row. Unusable rows stay excluded.
    pub fn set_included(&mut self, row: usize, ticked: bool) {
        if let Some(row) = self.rows.get_mut(row) {
            row.included = ticked && row.status.is_usable();
        }
    }

    pub fn included_count(&self) -> usize {
        self.rows.iter().filter(|row| row.included).count()
    }

    /// The document with chains converted to the solvers of the file, and the losses. Returns `None` if no conversion
    /// is needed.
    pub fn conversion(&self) -> Option<&Conversion> {
        self.needs_conversion.then_some(&self.assignment.conversion)
    }

    /// The chains of the target systems.
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

    /// Joints of [`ImportPlan::target_chains`] without an entry, with their chains.
    pub fn joints_not_in_file(&self) -> impl Iterator<Item = (&Chain, BoneId)> {
        let targets: BTreeSet<BoneId> = self.rows_of(FileSection::Joints).filter_map(|(_, row)| row.target).collect();
        let joints = self.target_chains().flat_map(|chain| chain.joints.iter().map(move |joint| (chain, joint.bone)));
        joints.filter(move |(_, bone)| !targets.contains(bone))
    }

    /// Unresolved names without duplicates, in file order.
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

    /// Colliders, pivots, nodes and leg followers whose node the character lacks, names in joint rows that neither the
    /// file nor `document` describes, and problems with the excluded bones of chains. Each name is reported once, with
    /// its first place in the file.
    pub fn lost_part_diagnostics(&self, file_name: &str, document: &Document) -> Vec<Diagnostic> {
        let mut all = Vec::new();
        let mut described = BTreeSet::new();
        for (item, row) in self.file.entries.iter().zip(&self.rows) {
            let ImportRowStatus::NodeNotFound(node) = &row.status else { continue };
            described.insert(item.name.as_str());
            let text = lost_part_message(item.section, excerpt(&item.name), excerpt(node));
            all.push(Diagnostic::warning(item.location(file_name), text));
        }
        let is_described = |name: &str, is_collider: bool| {
            described.contains(name)
                || (is_collider && document.colliders.values().any(|collider| collider.name == name))
                || (!is_collider && document.helpers.values().any(|helper| helper.name == name))
        };
        let mut uses: BTreeMap<(&str, bool), (usize, usize)> = BTreeMap::new();
        for (at, row) in self.rows_of(FileSection::Joints) {
            for (name, is_collider) in row.status.notes().iter().flat_map(ImportNote::missing_references) {
                if !is_described(name, is_collider) {
                    uses.entry((name, is_collider)).or_insert((at, 0)).1 += 1;
                }
            }
            all.extend(self.chain_bound_diagnostics(at, file_name));
        }
        let mut uses: Vec<_> = uses.into_iter().collect();
        uses.sort_by_key(|(_, (at, _))| *at);
        for ((name, is_collider), (at, rows)) in uses {
            let name = excerpt(name);
            let rows = message!("{n:row|rows}", n = rows);
            let text = if is_collider {
                message!(
                    "collider \"{name}\" does not exist; {rows} refer to the name, which is kept for the next export",
                    name,
                    rows
                )
            } else {
                message!(
                    "node \"{name}\" does not exist; {rows} refer to the name, which is kept for the next export",
                    name,
                    rows
                )
            };
            all.push(Diagnostic::warning(self.joint_location(at, file_name), text));
        }
        limit_findings(all, file_name)
    }

    /// Problems with the excluded bones and end bones of the chain that starts at an entry.
    fn chain_bound_diagnostics(&self, at: usize, file_name: &str) -> Vec<Diagnostic> {
        let solver = self.file.solver_of(&self.file.entries[at]);
        let of_note = |note: &ImportNote| {
            let severity = match note {
                // DynamicBone ignores the exclusion, too.
                ImportNote::ExcludedRoot if solver == SolverKind::DynamicBone => Severity::Info,
                ImportNote::ExcludedRoot | ImportNote::MissingEndBones(_) => Severity::Warning,
                _ => return None,
            };
            let text = message!(
                "chain \"{root}\": {problem}",
                root = excerpt(&self.file.entries[at].name),
                problem = note.message()
            );
            Some(Diagnostic { severity, ..Diagnostic::warning(self.joint_location(at, file_name), text) })
        };
        self.rows[at].status.notes().iter().filter_map(of_note).collect()
    }

    /// The place of a joint. Joints of trees have no line of their own.
    fn joint_location(&self, at: usize, file_name: &str) -> Location {
        match self.file.format.layout {
            SetupLayout::ChainTrees => Location::file(file_name),
            _ => self.file.entries[at].location(file_name),
        }
    }

    /// Returns a note if places in the file are used unchanged, because the character that the file was made for is
    /// unknown.
    pub fn equal_axes_diagnostic(&self, file_name: &str) -> Option<Diagnostic> {
        let message = message!(
            "the file does not contain the axes of bones, so colliders and pivots are used unchanged. If the file was made \
             for a character with other bone axes, check them"
        );
        self.assumes_equal_frames.then(|| Diagnostic::info(Location::file(file_name), message))
    }

    /// Values that need parallel bone axes and stayed unchanged, as one finding.
    pub fn kept_values_diagnostic(&self, file_name: &str, skeleton: &Skeleton) -> Option<Diagnostic> {
        KeptValue::diagnostic(&self.kept_values, skeleton, &Location::file(file_name))
    }

    /// Unresolved names in component lists of included entries, with their locations in the file.
    pub fn missing_name_diagnostics(&self, file_name: &str) -> Vec<Diagnostic> {
        let mut all = Vec::new();
        for (item, row) in self.file.entries.iter().zip(&self.rows).filter(|(_, row)| row.included) {
            let place_of = |below: &str| match (item.line, item.json_pointer.as_str()) {
                (0, pointer) if !pointer.is_empty() => {
                    Location::file(file_name).with_pointer(format!("{pointer}{below}"))
                }
                _ => item.location(file_name),
            };
            for note in row.status.notes() {
                match note {
                    ImportNote::MissingListNames(lost) => all.extend(lost.iter().map(|one| {
                        let name = excerpt(&one.name);
                        let message = if one.is_collider {
                            message!(
                                "collider \"{name}\" does not exist; the component's entry for it is left out",
                                name
                            )
                        } else {
                            message!("node \"{name}\" does not exist; the component's entry for it is left out", name)
                        };
                        Diagnostic::warning(place_of(&one.json_pointer), message)
                    })),
                    ImportNote::SeveralComponents => all.push(Diagnostic::warning(place_of(""), note.message())),
                    _ => {}
                }
            }
        }
        limit_findings(all, file_name)
    }

    /// The document after the import of the included rows.
    pub fn after_import(&self, skeleton: &Skeleton) -> Document {
        self.merged(skeleton).into_owned().after
    }

    /// The result for the included rows.
    fn merged(&self, skeleton: &Skeleton) -> Cow<'_, MergeResult> {
        let is_used = |row: &ImportRow| row.included || !row.status.is_usable();
        if self.rows.iter().all(is_used) {
            return Cow::Borrowed(&self.merged);
        }
        Cow::Owned(self.merge(skeleton, &|at| self.rows.get(at).is_none_or(is_used)))
    }

    /// Plans a replacement of the setup with the file. If a conversion is needed, the converted document is replaced.
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

    /// The included rows as one edit of the planned document. The edit is empty if nothing changes.
    pub fn edit(&self, document: &Document, skeleton: &Skeleton) -> Edit {
        difference(document, &self.merged(skeleton).after)
    }
}

/// Maximum number of diagnostics of one file.
const MAX_FINDINGS: usize = 200;

fn limit_findings(mut all: Vec<Diagnostic>, file_name: &str) -> Vec<Diagnostic> {
    let more = all.len().saturating_sub(MAX_FINDINGS);
    all.truncate(MAX_FINDINGS);
    if more > 0 {
        all.push(Diagnostic::warning(Location::file(file_name), message!("{more} more findings are not listed", more)));
    }
    all
}

fn lost_part_message(section: FileSection, name: String, node: String) -> MessageText {
    match section {
        FileSection::Colliders => {
            message!(
                "collider \"{name}\": bone or node \"{node}\" does not exist; kept for the next export",
                name,
                node
            )
        }
        FileSection::Pivots => {
            message!("pivot \"{name}\": bone or node \"{node}\" does not exist; kept for the next export", name, node)
        }
        _ => message!("node \"{name}\": bone or node \"{node}\" does not exist; kept for the next export", name, node),
    }
}

/// The joint bones of each system of a file.
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
